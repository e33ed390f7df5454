/* Forecasts of the time left, held against what then comes: whole sessions whose runs are made up and whose clock is
 * theirs, with a look at the forecast before each round. */
#include "report/result/session.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"
#include "runner/options/options.h"
#include "runner/session/loop.h"
#include "runner/session/session.h"
#include "tests/unit/expect.h"

#include <stdint.h>
#include <unistd.h>

enum { MOST = 4000, WORDS = 24 };

static struct lauka_benchmarks all; /* the session under way */
static struct look {
    uint64_t clock_ns, left_ns; /* of all benchmarks; the forecast */
} looks[MOST];
static size_t look_count;
static uint64_t sums[8]; /* by benchmark: its own clock */

static uint64_t clock_of_all(void)
{
    uint64_t sum = 0;

    for (size_t b = 0; b < all.options->run.benchmark_count; b++)
        sum += sums[b];
    return sum;
}

/* From the second round of each on. */
static bool is_known(void)
{
    for (size_t b = 0; b < all.options->run.benchmark_count; b++)
        if (all.benches[b].loop && all.benches[b].result->run.rounds == 0)
            return false;
    return true;
}

static size_t number_of(const struct lauka_executor *executor)
{
    size_t b = 0;

    while (!all.benches[b].loop || &all.benches[b].loop->executor != executor)
        b++;
    return b;
}

static bool watch(struct lauka_executor *executor, const struct lauka_run *runs, size_t count,
                  size_t *done, struct lauka_error *error)
{
    size_t b = number_of(executor);
    const struct lauka_measurement *bench = &all.benches[b];

    if (!runs[0].warmup && runs[0].place == 0 && is_known() && look_count < MOST)
        looks[look_count++] =
            (struct look){clock_of_all(), lauka_loop_left_ns(bench->loop) + bench->others_left_ns};
    bool good = lauka_pretended.run(executor, runs, count, done, error);
    sums[b] = executor->pretended_ns;
    return good;
}

static struct lauka_arena arena;
static struct lauka_options options;
static char file_path[] = "/tmp/lauka-forecast-XXXXXX";

static bool parse(const char *const *words)
{
    static struct lauka_arguments typed, whole;
    static struct lauka_config config;
    static char *own[WORDS];
    struct lauka_error error;
    size_t count = 0;

    for (; words[count]; count++)
        own[count] = (char *)(uintptr_t)words[count];
    options = (struct lauka_options){0};
    if (!lauka_words_read(&arena, own, NULL, count, &typed, &error) ||
        !lauka_config_read(&typed, NULL, &config, &error))
        return false;
    return config.section_count > 0
               ? lauka_options_parse_sections(&config, &typed, &whole, &options, &error)
               : lauka_options_parse(&typed, &options, &error);
}

/* Returns how the last of its benchmarks ended. */
static enum lauka_stopped play(const char *const *words, uint64_t seed)
{
    static struct lauka_executor_kind watched;
    struct lauka_session session;
    struct lauka_error error;

    look_count = 0;
    memset(sums, 0, sizeof sums);
    watched = lauka_pretended;
    watched.run = watch;
    EXPECT(parse(words));
    options.measure.seed = seed;
    options.quiet = true;
    EXPECT(lauka_session_init(&session, options.run.benchmark_count) == 0);
    all = (struct lauka_benchmarks){.options = &options, .session = &session, .kind = &watched};
    EXPECT(lauka_benchmarks_run(&all, &error));
    enum lauka_stopped stopped = session.benchmarks[session.benchmark_count - 1].run.stopped;
    lauka_benchmarks_done(&all);
    lauka_session_done(&session);
    lauka_arena_done(&arena);
    return stopped;
}

/* The number of forecasts that are wrong by more than half, of all in 20 sessions. */
static size_t count_wrong(const char *const *words, enum lauka_stopped stopped)
{
    size_t wrong = 0;

    for (uint64_t seed = 1; seed <= 20; seed++) {
        EXPECT(play(words, seed) == stopped);
        EXPECT(look_count > 0);
        for (size_t i = 0; i < look_count; i++) {
            double left = (double)(clock_of_all() - looks[i].clock_ns),
                   forecast = (double)looks[i].left_ns;
            wrong += forecast > 1.5 * left || left > 1.5 * forecast;
        }
    }
    return wrong;
}

#define WRONG(stopped, ...)                                                                        \
    count_wrong((const char *const[]){"--backend=simulated:effects", __VA_ARGS__, NULL},           \
                LAUKA_STOPPED_##stopped)

static void a_number_of_rounds_ends_when_it_was_foreseen(void)
{
    EXPECT_UINT(WRONG(ROUNDS, "-r20", "a cost=300ms noise=10%", "b cost=1s noise=10%"), 0);
    EXPECT_UINT(WRONG(ROUNDS, "-r3", "-w0", "a noise=5%", "b noise=5%"), 0);
    EXPECT_UINT(WRONG(ROUNDS, "-r200", "a noise=5% drift=0.1%", "b", "c"), 0);
    EXPECT_UINT(WRONG(ROUNDS, "-r12", "--order=sequential", "a cost=2s noise=5%", "b cost=2s"), 0);
    EXPECT_UINT(WRONG(ROUNDS, "-r40", "--budget=1h", "a noise=10%", "b noise=10%"), 0);
}

static void a_given_time_ends_when_it_was_foreseen(void)
{
    static const char *const a = "a cost=1s noise=3%", *const b = "b cost=1.2s noise=3%";

    EXPECT_UINT(WRONG(TIME, "--max-time=9s", "-r100", a, b), 0);
    EXPECT_UINT(WRONG(TIME, "--max-time=6600ms", a, b), 0);
    EXPECT_UINT(WRONG(TIME, "--budget=30s", "-r100", a, b), 0);
    EXPECT_UINT(WRONG(TIME, "--budget=15s", "-w0", a, b), 0);
    EXPECT_UINT(WRONG(TIME, "--budget=30s", "--max-time=8s", "--until=0", a, b), 0);
    EXPECT_UINT(WRONG(TIME, "--budget=40s", "-r50", "--order=sequential", a, b), 0);
    EXPECT_UINT(WRONG(TIME, "--max-time=20s", "--until=0", "a noise=10%", "b noise=10%"), 0);
}

static void several_benchmarks_are_foreseen_together(void)
{
    static const char text[] = "[parse]\na cost=400ms noise=5%\nb cost=420ms noise=5%\n"
                               "[render]\na cost=90ms noise=5%\nb cost=120ms noise=5%\n"
                               "[write]\na cost=50ms noise=5%\nb cost=50ms noise=5%\n";
    char config[sizeof file_path + 20];
    int file = mkstemp(file_path);

    EXPECT(file >= 0 && write(file, text, sizeof text - 1) == (ssize_t)sizeof text - 1);
    close(file);
    snprintf(config, sizeof config, "--config=%s", file_path);
    EXPECT_UINT(WRONG(ROUNDS, config, "-r15"), 0);
    EXPECT_UINT(WRONG(TIME, config, "--budget=20s", "--until=0"), 0);
    EXPECT_UINT(WRONG(TIME, config, "--budget=40s", "--until=0"), 0);
    EXPECT_UINT(WRONG(TIME, config, "--max-time=5s", "-r1000"), 0);
    unlink(file_path);
}

int main(void)
{
    TEST(a_number_of_rounds_ends_when_it_was_foreseen);
    TEST(a_given_time_ends_when_it_was_foreseen);
    TEST(several_benchmarks_are_foreseen_together);
    return expect_report("forecast");
}
