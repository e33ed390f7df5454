/* Tests of stored sessions: many benchmarks are read back to the last byte, and contradictions are
 * refused with their position. */
#include "report/analysis/analysis.h"
#include "report/json/json.h"
#include "report/load/load.h"
#include "report/pack/pack.h"
#include "report/result/session.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/unit/expect.h"

static const char *goldens = "tests/goldens";

/* ---- sessions made by hand --------------------------------------------------------------------- */

enum { ROUNDS = 12, SIDES = 2, METRICS = 2 };

static void make_metrics(struct lauka_result *result)
{
    static const char *const names[METRICS][3] = {{"wall_time", "ns", "clock"},
                                                  {"instructions", "1", "perf_event"}};
    result->metrics = calloc(METRICS, sizeof *result->metrics);
    result->metric_count = METRICS;
    for (size_t m = 0; m < METRICS; m++)
        result->metrics[m] = (struct lauka_result_metric){
            .name = strdup(names[m][0]),
            .unit = strdup(names[m][1]),
            .source = strdup(names[m][2]),
            .better = "lower",
            .counted = true,
            .share = 1,
            .primary = m == 0,
        };
}

static void make_side(struct lauka_result *result, size_t c, size_t benchmark)
{
    static const char *const sides[SIDES] = {"base", "head"};
    struct lauka_result_command *side = &result->commands[c];
    char label[64];
    snprintf(label, sizeof label, "./%s --size %zu", sides[c], benchmark);
    side->label = strdup(label);
    side->side = strdup(sides[c]);
    side->path = strdup("/bin/x");
    side->series = calloc(METRICS, sizeof *side->series);
    side->exit_codes = calloc(ROUNDS, sizeof *side->exit_codes);
    side->is_same = c > 0 && benchmark == 1;
    side->executable = (struct lauka_result_executable){
        1234, strdup("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"), NULL,
        LAUKA_PLACEMENT_REREAD};
    for (size_t m = 0; m < METRICS; m++) {
        lauka_series_reserve(&side->series[m], ROUNDS);
        for (uint64_t i = 0; i < ROUNDS; i++)
            lauka_series_add(&side->series[m],
                             1000000 * (benchmark + 1) + 50000 * c + 7919 * (i + m + c) % 1000);
    }
}

static void make_benchmark(struct lauka_result *result, size_t benchmark)
{
    static const char *const names[] = {"parse/large", "render \xFF", "load"};
    make_metrics(result);
    result->benchmark.name = strdup(names[benchmark]);
    lauka_parameters_add(&result->benchmark.parameters, &result->benchmark.parameter_count, "size",
                         benchmark == 0 ? "10" : "100");
    result->commands = calloc(SIDES, sizeof *result->commands);
    result->command_count = SIDES;
    for (size_t c = 0; c < SIDES; c++)
        make_side(result, c, benchmark);
    result->run = (struct lauka_result_run){.seed = 7,
                                            .rounds = ROUNDS,
                                            .warmup = 1,
                                            .seconds = 1.5 + (double)benchmark,
                                            .stopped = benchmark == 2 ? LAUKA_STOPPED_FAILURE
                                                                      : LAUKA_STOPPED_ROUNDS,
                                            .alpha = 0.05,
                                            .precision = 0.01};
    result->run.order = calloc(ROUNDS * SIDES, sizeof *result->run.order);
    for (size_t i = 0; i < ROUNDS * SIDES; i++)
        result->run.order[i] = (i + i / SIDES) % SIDES;
    result->host.os = strdup("Linux");
    lauka_result_warn(result, "all are told so");
    lauka_result_add_option(result, "seed", "7", true);
    lauka_result_add_option(result, "env", "A=1", true);
    lauka_result_add_option(result, "max-time", "5s", false);
}

/* Adds what differs between the benchmarks. */
static void tell_apart(struct lauka_session *session)
{
    struct lauka_result *results = session->benchmarks;
    lauka_result_add_option(&results[1], "env", "B=2", true);
    lauka_result_add_option(&results[2], "setup", "make", true);
    lauka_result_warn(&results[1], "only this one is told so");
    results[0].benchmark.units = (struct lauka_result_units){LAUKA_UNIT_PROCESS, 4, NULL};
    results[0].benchmark.units.of = calloc(ROUNDS, sizeof(uint32_t));
    for (uint32_t i = 0; i < ROUNDS; i++)
        results[0].benchmark.units.of[i] = i / 3;
    results[2].failure = (struct lauka_result_failure){
        .known = true, .command = 1, .round = 12, .reason = strdup("failed with exit code 1")};
    results[1].gate.rules = calloc(1, sizeof *results[1].gate.rules);
    results[1].gate.rule_count = 1;
    results[1].gate.rules[0] = (struct lauka_gate_rule){
        .metric = strdup("wall_time"), .statistic = LAUKA_STATISTIC_TYPICAL, .share = {true, 0.01}};
}

static void set_provenance(struct lauka_result_provenance *about)
{
    *about = (struct lauka_result_provenance){.begin = strdup("2026-11-22T17:00:00Z"),
                                              .version = strdup("1.0"),
                                              .directory = strdup("/srv/\xFE"),
                                              .commit = strdup("0123abc"),
                                              .dirty = {true, 1}};
    lauka_parameters_add(&about->labels, &about->label_count, "runner", "big");
}

static struct lauka_session make_session(size_t benchmarks)
{
    struct lauka_session session;
    EXPECT(lauka_session_init(&session, benchmarks) == 0);
    for (size_t b = 0; b < benchmarks; b++)
        make_benchmark(&session.benchmarks[b], b);
    set_provenance(&session.benchmarks[0].provenance);
    if (benchmarks == 3)
        tell_apart(&session);
    return session;
}

/* Owned by the caller. */
static char *json_of(struct lauka_session *session)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    EXPECT(lauka_session_analyse(session) == 0);
    for (size_t b = 0; b < session->benchmark_count; b++)
        EXPECT(!lauka_result_has_gate(&session->benchmarks[b]) ||
               lauka_gate_judge_result(&session->benchmarks[b], 0.05) == 0);
    EXPECT(lauka_write_json_session(session, out) == 0);
    fclose(out);
    return text;
}

static int load(const char *text, struct lauka_session *session, struct lauka_load_error *error)
{
    const struct lauka_stored stored = {.name = "f", .bytes = text, .size = strlen(text)};
    return lauka_load_session(&stored, session, error);
}

static void expect_same_again(const char *text)
{
    struct lauka_session session;
    struct lauka_load_error error;
    EXPECT(load(text, &session, &error) == 0);
    EXPECT_TEXT(error.text, "");
    char *again = expect_ok ? json_of(&session) : NULL;
    EXPECT(again && strcmp(again, text) == 0);
    free(again);
    lauka_session_done(&session);
}

/* Expects this error after one text is replaced by another. */
static void expect_refusal(const char *text, const char *old, const char *new, const char *error)
{
    const char *at = strstr(text, old);
    struct lauka_session session;
    struct lauka_load_error why;
    EXPECT(at != NULL);
    if (!at)
        return;
    char *changed = malloc(strlen(text) + strlen(new) + 1);
    sprintf(changed, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    EXPECT(load(changed, &session, &why) == EINVAL);
    EXPECT_TEXT(why.text, error);
    EXPECT(session.benchmark_count == 0);
    lauka_session_done(&session);
    free(changed);
}

/* ---- reading back -------------------------------------------------------------------------------- */

static void many_benchmarks_come_back_to_the_last_byte(void)
{
    struct lauka_session session = make_session(3), again;
    struct lauka_load_error error;
    char *text = json_of(&session);
    EXPECT(strstr(text, "\"lauka-result/2.1\""));
    expect_same_again(text);
    EXPECT(load(text, &again, &error) == 0);
    EXPECT_UINT(again.benchmark_count, 3);
    EXPECT_TEXT(again.benchmarks[1].benchmark.name, "render \xFF");
    EXPECT_TEXT(again.benchmarks[1].commands[1].side, "head");
    EXPECT(again.benchmarks[1].commands[1].is_same && !again.benchmarks[0].commands[1].is_same);
    EXPECT_UINT(again.benchmarks[0].benchmark.units.of[11], 3);
    EXPECT_UINT(again.benchmarks[2].failure.command, 1);
    EXPECT_UINT(again.benchmarks[2].run.order[1], 1);
    EXPECT(again.benchmarks[0].option_count == 3 && again.benchmarks[1].option_count == 4);
    EXPECT(again.benchmarks[0].warning_count == 1 && again.benchmarks[1].warning_count == 2);
    EXPECT(lauka_session_has_gate(&again) && !lauka_result_has_gate(&again.benchmarks[0]));
    EXPECT_TEXT(again.benchmarks[2].provenance.directory, "/srv/\xFE");
    free(text);
    lauka_session_done(&session);
    lauka_session_done(&again);
}

static void what_holds_for_all_stands_once(void)
{
    struct lauka_session session = make_session(3);
    char *text = json_of(&session);
    const char *told = strstr(text, "all are told so");
    EXPECT(told && !strstr(told + 1, "all are told so"));
    const char *option = strstr(text, "\"max-time\"");
    EXPECT(option && !strstr(option + 1, "\"max-time\""));
    free(text);
    lauka_session_done(&session);
}

static void one_named_benchmark_keeps_its_name_in_version_1(void)
{
    struct lauka_session session = make_session(1);
    char *text = json_of(&session);
    EXPECT(strstr(text, "\"lauka-result/1.2\"") && strstr(text, "\"name\": \"parse/large\""));
    expect_same_again(text);
    free(text);
    lauka_session_done(&session);
}

static void indices_point_into_results(void)
{
    struct lauka_session session = make_session(3);
    char *text = json_of(&session);
    EXPECT(strstr(text, "\"benchmark\": \"load\",\n      \"reference\": 4,\n      \"command\": 5"));
    EXPECT(strstr(text, "\"order\": [4, 5, 5, 4"));
    free(text);
    lauka_session_done(&session);
}

/* Has one side, and one metric with this many rounds. */
static struct lauka_session long_session(size_t rounds, bool plain)
{
    struct lauka_session session;
    EXPECT(lauka_session_init(&session, 1) == 0);
    struct lauka_result *result = &session.benchmarks[0];
    make_metrics(result);
    result->metrics[1].counted = false;
    result->commands = calloc(1, sizeof *result->commands);
    result->command_count = 1;
    struct lauka_result_command *command = &result->commands[0];
    command->label = strdup("a");
    command->series = calloc(METRICS, sizeof *command->series);
    command->exit_codes = calloc(rounds, sizeof *command->exit_codes);
    for (size_t m = 0; m < METRICS; m++) {
        lauka_series_reserve(&command->series[m], rounds);
        for (size_t i = 0; i < rounds; i++)
            lauka_series_add(&command->series[m],
                             m > 0 || i == 77 ? LAUKA_MISSING : 5000000 + 7919 * i % 1000);
    }
    result->run = (struct lauka_result_run){
        .rounds = rounds, .stopped = LAUKA_STOPPED_ROUNDS, .samples_plain = plain};
    result->run.order = calloc(rounds, sizeof *result->run.order);
    result->run.layout = calloc(rounds, sizeof *result->run.layout);
    return session;
}

static void long_series_are_packed(void)
{
    struct lauka_session session = long_session(10001, false), again;
    struct lauka_load_error error;
    char *text = json_of(&session);
    EXPECT(strstr(text, "\"values_packed\": {\"count\": 10001, \"base\": "));
    EXPECT(strstr(text, "\"order_packed\"") && strstr(text, "\"layout_packed\""));
    EXPECT(strstr(text, "\"times\": [0.005,0.005000919,"));
    EXPECT(!strstr(text, "\"order\""));
    expect_same_again(text);
    EXPECT(load(text, &again, &error) == 0);
    if (expect_ok)
        for (size_t i = 0; i < 10001; i++)
            EXPECT_UINT(lauka_series_at(&again.benchmarks[0].commands[0].series[0], i),
                        lauka_series_at(&session.benchmarks[0].commands[0].series[0], i));
    expect_refusal(
        text, "\"count\": 10001, \"base\"", "\"count\": 10002, \"base\"",
        "f: results[0].metrics.wall_time.values_packed: is damaged, or not as long as it "
        "says");
    expect_refusal(text, "\"values_packed\": {", "\"values\": [1], \"values_packed\": {",
                   "f: results[0].metrics.wall_time.values_packed: is also there as an array");
    expect_refusal(text, "\"zlib\"", "\"lzma\"",
                   "f: results[0].metrics.wall_time.values_packed: is not a packed series");
    free(text);
    lauka_session_done(&session);
    lauka_session_done(&again);
}

static void series_are_plain_where_they_are_short_or_that_was_asked_for(void)
{
    for (size_t plain = 0; plain < 2; plain++) {
        struct lauka_session session = long_session(10000 + plain, plain);
        char *text = json_of(&session);
        EXPECT(!strstr(text, "_packed") && strstr(text, "\"times\": [0.005, 0.005000919,"));
        expect_same_again(text);
        free(text);
        lauka_session_done(&session);
    }
}

/* Overwrites the bytes, so that using them again would be noticed. */
static void forget(const char *bytes, size_t size)
{
    memset((char *)(uintptr_t)bytes, 'x', size);
}

static void what_is_forgotten_is_not_looked_at_again(void)
{
    for (size_t kind = 0; kind < 3; kind++) {
        struct lauka_session session = kind == 0 ? make_session(3) : long_session(10001, kind == 1);
        struct lauka_session again;
        struct lauka_load_error error;
        char *text = json_of(&session), *copy = strdup(text);
        const struct lauka_stored stored = {
            .name = "f", .bytes = copy, .size = strlen(copy), .forget = forget};
        EXPECT(lauka_load_session(&stored, &again, &error) == 0);
        EXPECT_TEXT(error.text, "");
        char *new = expect_ok ? json_of(&again) : NULL;
        EXPECT(new &&strcmp(new, text) == 0);
        free(new);
        free(copy);
        free(text);
        lauka_session_done(&session);
        lauka_session_done(&again);
    }
}

static void gzip_is_read_as_what_is_in_it(void)
{
    struct lauka_session session = make_session(3), again;
    struct lauka_load_error error;
    char *text = json_of(&session), *bytes = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size), *gzip = lauka_gzip_open(out);
    EXPECT(gzip && fputs(text, gzip) >= 0 && fclose(gzip) == 0 && fclose(out) == 0);
    struct lauka_stored stored = {.name = "f", .bytes = bytes, .size = size};
    EXPECT(lauka_load_session(&stored, &again, &error) == 0);
    char *new = expect_ok ? json_of(&again) : NULL;
    EXPECT(new &&strcmp(new, text) == 0);
    lauka_session_done(&again);
    stored.size--;
    EXPECT(lauka_load_session(&stored, &again, &error) == EINVAL);
    EXPECT_TEXT(error.text, "f: is damaged or cut off, as gzip");
    free(new);
    free(text);
    free(bytes);
    lauka_session_done(&session);
    lauka_session_done(&again);
}

/* Owned by the caller. */
static char *read_golden(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", goldens, name);
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    EXPECT(file != NULL && text != NULL);
    EXPECT(file && fread(text, 1, (1 << 20) - 1, file) > 0);
    if (file)
        fclose(file);
    return text;
}

static void a_file_of_version_1_0_is_read_for_ever(void)
{
    struct lauka_session session;
    struct lauka_load_error error;
    char *text = read_golden("stored-1.0.json");
    EXPECT(strstr(text, "\"lauka-result/1.0\"") != NULL);
    EXPECT(load(text, &session, &error) == 0 && session.benchmark_count == 1);
    if (expect_ok) {
        const struct lauka_result *result = &session.benchmarks[0];
        EXPECT(!lauka_session_is_named(&session) && !result->commands[0].side);
        EXPECT_TEXT(result->commands[0].label, "the old");
        EXPECT_UINT(lauka_series_at(&result->commands[0].series[0], 1), 10039599);
        EXPECT(result->run.rounds == 5 && result->run.order[0] == 1 && result->run.layout);
        EXPECT(result->option_count == 8 && result->gate.rule_count == 1);
        EXPECT(result->failure.known && result->failure.round == 5);
        EXPECT_TEXT(result->host.cpu_model, "A CPU");
        char *new = json_of(&session);
        expect_same_again(new);
        free(new);
    }
    lauka_session_done(&session);
    free(text);
}

/* ---- refusals ------------------------------------------------------------------------------------ */

static void what_contradicts_itself_is_refused(void)
{
    struct lauka_session session = make_session(3);
    char *text = json_of(&session);
    expect_refusal(text, "result/2.1", "result/3.0",
                   "f: schema: is newer than this lauka, which reads versions 1 and 2");
    expect_refusal(text, "result/2.1", "result/1.2",
                   "f: benchmarks: a file of version 1 holds one benchmark");
    expect_refusal(text, "\"name\": \"load\"", "\"name\": \"parse/large\"",
                   "f: benchmarks: two of them are called `parse/large`");
    expect_refusal(text, "\"name\": \"load\"", "\"name\": \"store\"",
                   "f: results[4].benchmark: there is no benchmark `load`");
    expect_refusal(
        text, "\"benchmark\": \"parse/large\"", "\"benchmark\": \"load\"",
        "f: results[0].benchmark: the results of a benchmark stand together, in the order "
        "of `benchmarks`");
    expect_refusal(text, "\"side\": \"head\"", "\"side\": \"tail\"",
                   "f: results[3].side: differs from that of the first benchmark");
    expect_refusal(text, "\"order\": [0,", "\"order\": [2,",
                   "f: benchmarks[0].order: is not the order of these runs");
    expect_refusal(text, "\"failure\": {\n        \"command\": 5", "\"failure\": {\n\"command\": 3",
                   "f: benchmarks[2].failure.command: there is no such command");
    expect_refusal(text, "\"of\": [0, 0, 0, 1", "\"of\": [0, 0, 0, 4",
                   "f: benchmarks[0].units.of: is not a unit for each of these rounds");
    free(text);
    lauka_session_done(&session);
}

/* Each benchmark copies what all have in common. */
static void what_is_shared_may_not_fill_the_memory(void)
{
    enum { BENCHMARKS = 1000, WORD = 2000000 };
    char *text = NULL, *word = malloc(WORD + 1);
    size_t size = 0;
    struct lauka_session session;
    struct lauka_load_error error;
    FILE *out = open_memstream(&text, &size);
    memset(word, 'x', WORD);
    word[WORD] = 0;
    fprintf(out,
            "{\"schema\": \"lauka-result/2.1\", \"run\": {\"arguments\": [\"%s\"]}, "
            "\"benchmarks\": [",
            word);
    for (size_t b = 0; b < BENCHMARKS; b++)
        fprintf(out, "%s{\"name\": \"%zu\"}", b > 0 ? ", " : "", b);
    fputs("], \"results\": [{}]}", out);
    fclose(out);
    EXPECT(load(text, &session, &error) == EINVAL);
    EXPECT_TEXT(error.text, "f: run: is too long for so many benchmarks");
    free(word);
    free(text);
}

static void a_benchmark_alone_is_asked_for_by_a_reader_of_one(void)
{
    struct lauka_session session = make_session(2);
    struct lauka_result result;
    struct lauka_load_error error;
    char *text = json_of(&session);
    const struct lauka_stored stored = {.name = "f", .bytes = text, .size = strlen(text)};
    EXPECT(lauka_load(&stored, &result, &error) == EINVAL);
    EXPECT_TEXT(error.text, "f: holds 2 benchmarks, but one is expected");
    free(text);
    lauka_session_done(&session);
}

int main(int argc, char **argv)
{
    goldens = argc > 1 ? argv[1] : goldens;
    TEST(many_benchmarks_come_back_to_the_last_byte);
    TEST(what_holds_for_all_stands_once);
    TEST(one_named_benchmark_keeps_its_name_in_version_1);
    TEST(indices_point_into_results);
    TEST(long_series_are_packed);
    TEST(series_are_plain_where_they_are_short_or_that_was_asked_for);
    TEST(what_is_forgotten_is_not_looked_at_again);
    TEST(gzip_is_read_as_what_is_in_it);
    TEST(a_file_of_version_1_0_is_read_for_ever);
    TEST(what_contradicts_itself_is_refused);
    TEST(what_is_shared_may_not_fill_the_memory);
    TEST(a_benchmark_alone_is_asked_for_by_a_reader_of_one);
    return expect_report("stored");
}
