/* What lauka says about a Mac: doctor's findings and the self-test, on a simulated Mac (tests/fakes). Runs of the self-test
 * are counted in this process, without a launcher; all else is the code that a Mac runs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/counters/counters.h"
#include "pmu/macos/darwin.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/machine/machine.h"
#include "tests/unit/expect.h"
#include "tests/fakes/fake.h"
#include "tests/unit/mac_sessions.h"

/* ---- In place of the rest of runner/ ---- */

bool lauka_fail(struct lauka_error *error, enum lauka_exit code, const char *format, ...)
{
    (void)format;
    error->code = code;
    return false;
}

bool lauka_fail_memory(struct lauka_error *error)
{
    return lauka_fail(error, LAUKA_EXIT_INTERNAL, "%s", strerror(ENOMEM));
}

bool lauka_fail_stdout(struct lauka_error *error, int failure)
{
    return lauka_fail(error, LAUKA_EXIT_INTERNAL, "%s", strerror(failure));
}

int lauka_own_path(char *path, size_t size)
{
    return snprintf(path, size, "/bin/lauka") > 0 ? 0 : ENOENT;
}

int lauka_machine_describe(struct lauka_result_host *host)
{
    host->os = strdup("Darwin");
    return 0;
}

bool lauka_child_find(const char *name, char *path, size_t size)
{
    return snprintf(path, size, "/usr/bin/%s", name) > 0;
}

void lauka_helper_ask(const struct lauka_child *helper, uint64_t until_ns,
                      struct lauka_answer *answer)
{
    (void)until_ns;
    answer->code = strcmp(helper->path, "/usr/bin/pmset");
    snprintf(answer->text, answer->room, " lowpowermode         1\n");
}

bool lauka_command_from_argv(struct lauka_arena *arena, char *const *argv, size_t count,
                             struct lauka_command *command, struct lauka_error *error)
{
    (void)arena, (void)argv, (void)count, (void)command, (void)error;
    return true;
}

bool lauka_command_locate(struct lauka_command *command, struct lauka_error *error)
{
    (void)command, (void)error;
    return true;
}

void lauka_arena_done(struct lauka_arena *arena)
{
    (void)arena;
}

bool lauka_launcher_add(struct lauka_launcher *launcher, const struct lauka_command *command,
                        struct lauka_error *error)
{
    (void)launcher, (void)command, (void)error;
    return true;
}

bool lauka_launcher_count(struct lauka_launcher *launcher, const struct lauka_event *events,
                          size_t count, const struct lauka_counters **opened,
                          struct lauka_error *error)
{
    static struct lauka_event kept[LAUKA_EVENTS_MAX];
    (void)launcher, (void)error;
    memcpy(kept, events, count * sizeof *events);
    lauka_counters_close(&counters);
    lauka_counters_open(&counters, kept, count);
    *opened = &counters;
    return true;
}

void lauka_launcher_sample(struct lauka_launcher *launcher, uint64_t period_ns)
{
    (void)launcher;
    counters.period_ns = period_ns;
}

void lauka_launcher_trace(struct lauka_launcher *launcher, enum lauka_trace_way way)
{
    (void)launcher;
    counters.trace_way = way;
}

void lauka_launcher_turn(struct lauka_launcher *launcher, unsigned turn)
{
    (void)launcher;
    counters.turn = (uint8_t)turn;
}

bool lauka_launcher_run(struct lauka_launcher *launcher, size_t command,
                        struct lauka_sample *sample, struct lauka_error *error)
{
    static const enum fake_workload workloads[] = {FAKE_ONE_THREAD, FAKE_POOL, FAKE_EXEC,
                                                   FAKE_KILLED,     FAKE_POOL, FAKE_ONE_THREAD,
                                                   FAKE_ONE_THREAD};
    (void)launcher, (void)error;
    run(workloads[command], command);
    *sample = (struct lauka_sample){.readings = readings};
    return true;
}

/* ---- Findings ---- */

static const struct lauka_finding *find(const char *subject)
{
    static struct lauka_finding findings[LAUKA_FINDINGS_MAX];
    size_t count = lauka_findings_read("", 0, findings);
    for (size_t i = 0; i < count; i++)
        if (strcmp(findings[i].subject, subject) == 0)
            return &findings[i];
    return &findings[0];
}

static void expect_found(const char *subject, enum lauka_weight weight, const char *found)
{
    const struct lauka_finding *finding = find(subject);
    EXPECT_TEXT(finding->subject, subject);
    EXPECT_TEXT(finding->found, found);
    EXPECT(finding->weight == weight);
}

static int set_the_trace_up(void *unused)
{
    const int size[] = {LAUKA_CTL_KERN, LAUKA_KERN_KDEBUG, LAUKA_KDSETBUF, 100};
    const int set_up[] = {LAUKA_CTL_KERN, LAUKA_KERN_KDEBUG, LAUKA_KDSETUP};
    (void)unused;
    return lauka_darwin()->sysctl(size, 4, NULL, NULL) |
           lauka_darwin()->sysctl(set_up, 3, NULL, NULL);
}

static void a_trace_is_found_and_whose_it_is(void)
{
    power_on();
    expect_found("kernel trace", LAUKA_WEIGHT_FINE, "off");
    fake_options.trace_owned = true;
    expect_found("kernel trace", LAUKA_WEIGHT_MATTERS, "process 321 has it");
    power_on();
    EXPECT(lauka_darwin()->apart(set_the_trace_up, NULL) == 0); /* and is killed */
    expect_found("kernel trace", LAUKA_WEIGHT_MATTERS, "on, and nobody has it");
    EXPECT(strstr(find("kernel trace")->cure, "sudo ktrace reset") != NULL);
    fake_options.no_ktrace = true;
    expect_found("kernel trace", LAUKA_WEIGHT_UNKNOWN, "the system does not say");
    fake_reset();
}

static void counters_that_a_killed_session_has_left_on_are_found_by_root(void)
{
    power_on();
    expect_found("counters", LAUKA_WEIGHT_FINE, "off");
    fake_options.left_over = true;
    fake_reset();
    expect_found("counters", LAUKA_WEIGHT_MINOR, "on already");
    fake_options.euid = 501;
    expect_found("counters", LAUKA_WEIGHT_UNKNOWN, "the system does not say");
}

static void what_is_kept_on_efficiency_cores_is_found(void)
{
    power_on();
    expect_found("background", LAUKA_WEIGHT_FINE, "none");
    fake_options.background = 1;
    expect_found("background", LAUKA_WEIGHT_MATTERS, "on efficiency cores only");
    fake_options.background = -1;
    expect_found("background", LAUKA_WEIGHT_UNKNOWN, "the system does not say");
}

static void a_translated_lauka_is_found(void)
{
    power_on();
    expect_found("Rosetta", LAUKA_WEIGHT_FINE, "none");
    fake_options.translated = true;
    expect_found("Rosetta", LAUKA_WEIGHT_MATTERS, "lauka is translated");
}

/* ---- The self-test ---- */

static char json[1 << 19];

static void test_itself(void)
{
    struct lauka_error error = {0};
    FILE *out = fmemopen(json, sizeof json, "w");
    EXPECT(lauka_selftest(NULL, out, &error));
    EXPECT(fclose(out) == 0);
    char *to = json; /* without its tabs and ends of lines */
    for (const char *at = json; *at; at++)
        if (*at != '\t' && *at != '\n')
            *to++ = *at;
    *to = '\0';
    lauka_counters_close(&counters);
    EXPECT_TEXT(fake_left_set(), "");
}

/* The number that follows the key for the first time after `from`. */
static uint64_t number(const char *from, const char *key)
{
    const char *at = from ? strstr(from, key) : NULL;
    EXPECT(at != NULL);
    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* A program makes 180 system calls more if it cannot see which records are wanted, and each coprocessor costs time. */
static void the_selftest_compares_ways_of_tracing(void)
{
    power_on();
    test_itself();
    const char *quietly = strstr(json, "\"way\":\"quietly\"");
    const char *waking = strstr(json, "\"way\":\"waking coprocessors\"");
    const char *by_value = strstr(json, "\"way\":\"filtered by value\"");
    const char *untraced = strstr(json, "\"way\":\"not traced\"");
    const char *instructions = "\"accounted_instructions\":", *on = "\"on_ns\":",
               *off = "\"off_ns\":";
    const uint64_t alone = number(untraced, instructions), calls = 4 * 45 * 100000;
    EXPECT(number(quietly, instructions) < alone + calls / 10);
    EXPECT(number(by_value, instructions) > alone + calls / 10 * 9);
    EXPECT(number(waking, on) > 100 * number(quietly, on));
    EXPECT(number(waking, off) > 100 * number(quietly, off));
    EXPECT(number(quietly, "\"read_ns\":") > 0);
    EXPECT(quietly && strstr(quietly, "\"trouble\":null"));
    EXPECT_UINT(number(untraced, on), 0);
}

/* EXEC has the process, the file system and the file. */
static void the_selftest_shows_the_first_record_of_each_kind(void)
{
    power_on();
    test_itself();
    const char *exec = strstr(json, "\"kind\":\"exec\"");
    EXPECT(exec != NULL);
    const char *records = exec ? strstr(exec, "\"first_records\":{") : NULL;
    EXPECT(records && strstr(records, "\"exec\":["));
    const char *first = records ? strstr(records, "\"exec\":[") : NULL;
    unsigned long long values[5] = {0};
    EXPECT(first && sscanf(first, "\"exec\":[%llu, %llu, %llu, %llu", &values[0], &values[1],
                           &values[2], &values[3]) == 4);
    EXPECT_UINT(values[0], LAUKA_KD_EXEC);
    EXPECT_UINT(values[1], FAKE_PID);
    EXPECT_UINT(values[2], 0x1000012);
    EXPECT(records && number(strstr(records, "\"sample\":["), "[") >= LAUKA_KD_SAMPLE);
}

/* Two events suit one counter only: each is counted in the runs of its set only. */
static void the_selftest_counts_sets_in_turns(void)
{
    power_on();
    test_itself();
    const char *turns = strstr(json, "\"turns\":[");
    EXPECT(turns != NULL);
    const char *sums = turns ? strstr(turns, "\"event\":\"INST_INT_ALU:u\"") : NULL;
    const char *memory = turns ? strstr(turns, "\"event\":\"INST_LDST:u\"") : NULL;
    EXPECT(number(sums, "\"set\":") != number(memory, "\"set\":"));
    EXPECT(number(sums, "\"runs\":") == 10 && number(memory, "\"runs\":") == 10);
    EXPECT(number(sums, "\"least\":") > 0 &&
           number(sums, "\"least\":") <= number(sums, "\"most\":"));
}

static void the_selftest_tells_of_the_machine(void)
{
    power_on();
    fake_options.background = 1;
    test_itself();
    EXPECT(strstr(json, "\"background\":\"on efficiency cores only\""));
    EXPECT(strstr(json, "\"power\":\" lowpowermode         1\\n\""));
    EXPECT(strstr(json, "\"kernel trace\":\"off\""));
    EXPECT(strstr(json, "\"killed_session\": 0"));
}

static void without_root_the_selftest_says_so(void)
{
    power_on();
    fake_options.euid = 501;
    test_itself();
    EXPECT(strstr(json, "\"forcing\": 1"));
    const char *quietly = strstr(json, "\"way\":\"quietly\"");
    EXPECT(quietly && strstr(quietly, "only root may use the configurable counters"));
    EXPECT(strstr(json, "\"turns\":["));
}

int main(int argc, char **argv)
{
    if (!fake_find_libraries(argc, argv))
        return 2;
    TEST(a_trace_is_found_and_whose_it_is);
    TEST(counters_that_a_killed_session_has_left_on_are_found_by_root);
    TEST(what_is_kept_on_efficiency_cores_is_found);
    TEST(a_translated_lauka_is_found);
    TEST(the_selftest_compares_ways_of_tracing);
    TEST(the_selftest_shows_the_first_record_of_each_kind);
    TEST(the_selftest_counts_sets_in_turns);
    TEST(the_selftest_tells_of_the_machine);
    TEST(without_root_the_selftest_says_so);
    return expect_report("mac_machine");
}
