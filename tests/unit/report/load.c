/* Several files together, and arbitrary input: what was stored is read back or refused, and no bytes do harm. The
 * directory of the goldens may be given as the first argument. */
#include "report/analysis/analysis.h"
#include "report/json/json.h"
#include "report/load/load.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/unit/expect.h"
#include "tests/unit/loading.h"

/* ---- several files ----------------------------------------------------------------------------------- */

struct merged {
    int failure;
    struct lauka_result result;
    struct lauka_load_error error;
};

static struct merged merge_two(const char *first, const char *second, const char *column)
{
    struct lauka_part parts[2] = {{.name = "a"}, {.name = "b"}};
    struct load_outcome loaded[2] = {load_text(first, column), load_text(second, column)};
    struct merged merged;
    for (size_t i = 0; i < 2; i++) {
        expect_loads(&loaded[i]);
        parts[i].result = loaded[i].result;
    }
    merged.failure = lauka_result_merge(parts, 2, &merged.result, &merged.error);
    return merged;
}

static void files_are_compared_under_their_names(void)
{
    struct merged merged = merge_two("1.5\n2\n", "3\n4.25\n", NULL);
    EXPECT(merged.failure == 0);
    VALUES(&merged.result, 0, "value", 150, 200);
    VALUES(&merged.result, 1, "value", 300, 425);
    EXPECT(merged.result.metrics[0].decimals == 2);
    EXPECT_TEXT(merged.result.commands[0].label, "a");
    EXPECT_TEXT(merged.result.commands[1].label, "b");
    EXPECT(!merged.result.run.unpaired);
    EXPECT(lauka_result_analyse(&merged.result) == 0);
    struct lauka_scale scale = lauka_result_scale(&merged.result, 0, true);
    EXPECT_NEAR(merged.result.commands[1].summaries[0].mean / scale.divisor, 3.625, 1e-15);
    EXPECT_NEAR(lauka_result_comparison(&merged.result, 1, 0)->mean_ratio.value, 7.25 / 3.5, 1e-15);
    lauka_result_done(&merged.result);
}

static void more_values_than_can_be_kept_are_compared_as_histograms(void)
{
    char *huge[2] = {make_huge_hlog(2000, 3), make_huge_hlog(4000, 2)};
    const char *others[] = {huge[1], "big\n7\n9\n"};
    for (size_t i = 0; i < 2; i++) {
        struct merged merged = merge_two(huge[0], others[i], i == 1 ? "big" : NULL);
        EXPECT(merged.failure == 0 && merged.result.run.samples_left_out);
        EXPECT(lauka_result_analyse(&merged.result) == 0);
        size_t big = lauka_result_metric_index(&merged.result, "big");
        EXPECT(!lauka_result_comparison(&merged.result, 1, big)->ratio.known);
        EXPECT_NEAR(lauka_result_summary(&merged.result, 1, big)->mean, i == 0 ? 1300 : 8, 10);
        EXPECT_UINT(lauka_result_rounds(&merged.result, 0), UINT64_C(10000000000));
        EXPECT(strstr(merged.result.warnings[merged.result.warning_count - 1], "too many values"));
        lauka_result_done(&merged.result);
    }
    free(huge[0]);
    free(huge[1]);
}

static void files_with_different_counts_are_not_paired(void)
{
    struct merged merged = merge_two("1\n2\n", "3\n4\n5\n", NULL);
    EXPECT(merged.failure == 0 && merged.result.run.unpaired);
    EXPECT_UINT(merged.result.run.rounds, 3);
    EXPECT_UINT(lauka_result_rounds(&merged.result, 0), 2);
    lauka_result_done(&merged.result);
}

static void results_with_several_commands_keep_their_labels_behind_the_file(void)
{
    struct merged merged = merge_two(hyperfine_1, hyperfine_2, NULL);
    EXPECT(merged.failure == 0);
    EXPECT_TEXT(merged.result.commands[0].label, "a: sleep 0.01");
    EXPECT_TEXT(merged.result.commands[2].label, "b");
    VALUES(&merged.result, 0, "instructions", LAUKA_MISSING, LAUKA_MISSING, LAUKA_MISSING);
    VALUES(&merged.result, 2, "instructions", 1234567, 1234567);
    EXPECT(merged.result.run.unpaired);
    lauka_result_done(&merged.result);
}

static void columns_of_other_titles_are_values(void)
{
    struct merged merged = merge_two("a,b\n1,2\n", "c,d\n3,4\n", "2");
    EXPECT(merged.failure == 0);
    VALUES(&merged.result, 1, "value", 4);
    lauka_result_done(&merged.result);
}

static void files_without_a_common_metric_are_refused(void)
{
    struct merged merged = merge_two(hyperfine_1, "1\n", NULL);
    EXPECT(merged.failure == EINVAL);
    EXPECT_TEXT(merged.error.text, "b: has no metric in common with a");
    EXPECT(merged.result.commands == NULL);
}

static void results_of_different_machines_are_marked(void)
{
    size_t size;
    char *golden = read_golden("two.json", &size), *other = strdup(golden);
    char *kernel = strstr(other, "6.1.0");
    EXPECT(kernel != NULL);
    kernel[0] = '7';
    struct merged same = merge_two(golden, golden, NULL), differ = merge_two(golden, other, NULL);
    EXPECT_UINT(same.result.warning_count, 0);
    EXPECT_TEXT(same.result.host.kernel, "6.1.0");
    EXPECT_UINT(differ.result.warning_count, 1);
    EXPECT(differ.result.host.kernel == NULL);
    EXPECT(differ.result.run.order == NULL && differ.result.run.stopped == LAUKA_STOPPED_STORED);
    lauka_result_done(&same.result);
    lauka_result_done(&differ.result);
    free(golden);
    free(other);
}

/* ---- arbitrary input --------------------------------------------------------------------------------- */

enum { MUTATIONS = 2000, ROOM = 1 << 16 };

/* A result whose single values were not kept: four rounds of two commands. */
static const char streamed[] =
    "{\"schema\": \"lauka-result/1.0\", \"results\": [{\"command\": \"a\", \"failures\": 0, "
    "\"metrics\": {\"wall_time\": {\"unit\": \"ns\", \"better\": \"lower\", \"primary\": true"
    ", \"histogram\": \"HISTFAAAACp42pNpmSzMwMDAzQABzFCakUH+PxjYf4AIfH3EyCTOpMl0mIUJAPgjC4U="
    "\", \"stream\": {\"missing\": 0, \"moments\": {\"count\": 4, \"min\": 9927955, \"max\": "
    "12593358, \"sum\": \"42763237\", \"sum_of_squares\": \"462040751470215\"}, \"paired\": n"
    "ull}}}}, {\"command\": \"b\", \"failures\": 0, \"metrics\": {\"wall_time\": {\"unit\": "
    "\"ns\", \"better\": \"lower\", \"primary\": true, \"histogram\": \"HISTFAAAACl42pNpmSzMw"
    "MDAxQABzFCakUH+PxjYf4AIvH7MyMTNxMBkzgQA6hIKtg==\", \"stream\": {\"missing\": 0, \"moment"
    "s\": {\"count\": 4, \"min\": 10407070, \"max\": 10722024, \"sum\": \"42071088\", \"sum_o"
    "f_squares\": \"442552610946056\"}, \"paired\": {\"count\": 4, \"zeros\": 0, \"lost\": 0,"
    " \"reference\": {\"count\": 4, \"min\": 9927955, \"max\": 12593358, \"sum\": \"42763237"
    "\", \"sum_of_squares\": \"462040751470215\"}, \"command\": {\"count\": 4, \"min\": 10407"
    "070, \"max\": 10722024, \"sum\": \"42071088\", \"sum_of_squares\": \"442552610946056\"},"
    " \"bins\": \"xlCoNKYGwAg=\"}}}}}], " RUN("7", "4", "1") "false}}";

static const char *seeds[] = {
    NULL, /* an HdrHistogram log */
    "# a\n1.5\n2\n0.25e1\n1e3\n",
    "a,\"b\"\n1,2\n\"3\",4.5\n5,\n",
    hyperfine_1,
    hyperfine_2,
    LAUKA("\"results\": [{\"command\": \"c\", \"argv\": [\"c\", \"1\"], \"times\": [0.1, 0.2], "
          "\"exit_codes\": [0, 1], " METRIC(
              "[1, \"9007199254740993\"]") "}, {\"command\": \"d\", "
                                           "\"metrics\": {\"wall_time\": {\"unit\": \"ns\", "
                                           "\"share\": 0.5, \"better\": \"lower\", "
                                           "\"decimals\": 0, \"values\": [7, null]}}}], " RUN(
                                               "\"18446744073709551615\"", "2",
                                               "1.5") "true, \"order\": [0, 1, 1, 0]}, "
                                                      "\"host\": {\"os\": \"Linux\", \"kernel\": "
                                                      "null, \"arch\": null, "
                                                      "\"cpu_model\": null, \"cpu_count\": 2, "
                                                      "\"memory_bytes\": null}, "
                                                      "\"warnings\": [\"w\"]"),
    streamed,
};

enum { SEEDS = sizeof seeds / sizeof *seeds };

/* Flips, deletes, repeats or inserts bytes. Insertions are often words with a meaning. */
static size_t mutate(struct lauka_random *random, char *bytes, size_t size)
{
    static const char *const words[] = {"nan", "inf", "-",  "1e999", "null", "[",   "]",
                                        "{",   "}",   "\"", ",",     ":",    "\\",  "\n",
                                        "9",   "0",   ".",  "e",     "true", "\r\n"};
    uint64_t kind = lauka_random_below(random, 4);
    size_t at = (size_t)lauka_random_below(random, size + 1);
    size_t length = (size_t)lauka_random_below(random, 16);
    length = length < size - at ? length : size - at;
    if (kind == 0 && at < size) {
        bytes[at] = (char)(bytes[at] ^ (1 << lauka_random_below(random, 8)));
    } else if (kind == 1) {
        memmove(bytes + at, bytes + at + length, size - at - length);
        size -= length;
    } else if (kind == 2 && size + length < ROOM) {
        memmove(bytes + at + length, bytes + at, size - at);
        size += length;
    } else {
        const char *word = words[lauka_random_below(random, sizeof words / sizeof *words)];
        length = strlen(word);
        memmove(bytes + at + length, bytes + at, size - at);
        memcpy(bytes + at, word, length);
        size += length;
    }
    return size;
}

/* Whatever is accepted must be a result that every writer can write, without NaN. */
static void expect_sound(struct lauka_result *result)
{
    char *text = json_of(result);
    for (size_t c = 0; c < result->command_count; c++)
        for (size_t m = 0; m < result->metric_count; m++)
            EXPECT(isfinite(result->commands[c].summaries[m].mean));
    EXPECT(!strstr(text, ": nan") && !strstr(text, ": inf") && !strstr(text, "-nan"));
    EXPECT(!strstr(text, ":nan") && !strstr(text, ":inf")); /* written by lauka without spaces */
    struct load_outcome again = load_text(text, NULL);
    expect_loads(&again);
    lauka_result_done(&again.result);
    free(text);
}

static void streams_come_back_exactly(void)
{
    struct load_outcome first = load_text(streamed, NULL);
    expect_loads(&first);
    EXPECT(first.result.run.samples_left_out);
    EXPECT_UINT(first.result.commands[1].streams[0].paired->count, 4);
    EXPECT(lauka_result_analyse(&first.result) == 0);
    EXPECT(first.result.comparisons[0].values.ratio.known);
    char *json = json_of(&first.result);
    struct load_outcome second = load_text(json, NULL);
    expect_loads(&second);
    char *again = json_of(&second.result);
    EXPECT_TEXT(again, json);
    free(json);
    free(again);
    lauka_result_done(&first.result);
    lauka_result_done(&second.result);
}

static void no_bytes_do_harm(void)
{
    struct lauka_random random;
    char *bytes = malloc(ROOM + 64);
    size_t accepted = 0;
    lauka_random_seed(&random, 20261121);
    for (size_t i = 0; i < MUTATIONS && expect_ok; i++) {
        const char *seed = seeds[i % SEEDS];
        size_t size = strlen(seed);
        memcpy(bytes, seed, size);
        for (uint64_t steps = 1 + lauka_random_below(&random, 4); steps > 0; steps--)
            size = mutate(&random, bytes, size);
        struct load_outcome outcome = load_bytes(bytes, size, i % SEEDS == 2 ? "b" : NULL);
        EXPECT(outcome.failure == 0 || outcome.error.text[0]);
        if (!outcome.failure) {
            accepted++;
            expect_sound(&outcome.result);
        }
        if (!expect_ok)
            printf("mutation %zu of \"%.*s\"\n", i, (int)size, bytes);
        lauka_result_done(&outcome.result);
    }
    EXPECT(accepted > MUTATIONS / 20 && accepted < MUTATIONS);
    free(bytes);
}

static void every_beginning_of_a_file_is_read_or_refused(void)
{
    for (size_t s = 0; s < SEEDS; s++)
        for (size_t size = 0; size <= strlen(seeds[s]); size++) {
            struct load_outcome outcome = load_bytes(seeds[s], size, s == 2 ? "b" : NULL);
            EXPECT(outcome.failure == 0 || outcome.error.text[0]);
            lauka_result_done(&outcome.result);
        }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        goldens = argv[1];
    char *log = make_hlog();
    seeds[0] = log;
    TEST(more_values_than_can_be_kept_are_compared_as_histograms);
    TEST(files_are_compared_under_their_names);
    TEST(files_with_different_counts_are_not_paired);
    TEST(results_with_several_commands_keep_their_labels_behind_the_file);
    TEST(columns_of_other_titles_are_values);
    TEST(files_without_a_common_metric_are_refused);
    TEST(results_of_different_machines_are_marked);
    TEST(streams_come_back_exactly);
    TEST(no_bytes_do_harm);
    TEST(every_beginning_of_a_file_is_read_or_refused);
    free(log);
    return expect_report("load");
}
