/* Benchmarks: commands and sections become their sides, and limits apply to the benchmarks that they
 * name. */
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"
#include "runner/options/options.h"
#include "tests/unit/expect.h"

#include <stdint.h>
#include <unistd.h>

/* The command line, and the options that it becomes; one at a time. */
static struct lauka_arena arena;
static struct lauka_arguments typed, all;
static struct lauka_config config;
static struct lauka_options options;
static struct lauka_error error;

static void done(void)
{
    lauka_arena_done(&arena);
}

static bool parse(const char *const *words)
{
    static char *own[24];
    size_t count = 0;

    for (; words[count]; count++)
        own[count] = (char *)(uintptr_t)words[count];
    options = (struct lauka_options){0};
    error.text[0] = '\0';
    if (!lauka_words_read(&arena, own, NULL, count, &typed, &error) ||
        !lauka_config_read(&typed, NULL, &config, &error))
        return false;
    if (config.section_count > 0)
        return lauka_options_parse_sections(&config, &typed, &all, &options, &error);
    return lauka_options_parse(&typed, &options, &error);
}

#define PARSE(...) parse((const char *const[]){__VA_ARGS__, NULL})

static char file_path[] = "/tmp/lauka-benchmarks-XXXXXX";

static const char *file_of(const char *text)
{
    static int file = -1;

    if (file < 0)
        file = mkstemp(file_path);
    EXPECT(file >= 0 && ftruncate(file, 0) == 0);
    EXPECT(pwrite(file, text, strlen(text), 0) == (ssize_t)strlen(text));
    return file_path;
}

static const struct lauka_command *side(size_t benchmark, size_t place)
{
    return &options.run.commands[options.run.benchmarks[benchmark].first + place];
}

static void expect_benchmark(size_t benchmark, const char *name, const char *const *sides)
{
    size_t count = 0;

    EXPECT(benchmark < options.run.benchmark_count);
    if (benchmark >= options.run.benchmark_count)
        return;
    EXPECT_TEXT(
        options.run.benchmarks[benchmark].name ? options.run.benchmarks[benchmark].name : "", name);
    for (; sides[count]; count++)
        if (count < options.run.benchmarks[benchmark].count)
            EXPECT_TEXT(side(benchmark, count)->side, sides[count]);
    EXPECT_UINT(options.run.benchmarks[benchmark].count, count);
}

#define EXPECT_BENCHMARK(benchmark, name, ...)                                                     \
    expect_benchmark(benchmark, name, (const char *const[]){__VA_ARGS__, NULL})

/* ---- from the command line ---- */

static void commands_without_parameters_are_one_benchmark_without_a_name(void)
{
    EXPECT(PARSE("-n", "old", "./a", "./b"));
    EXPECT_UINT(options.run.benchmark_count, 1);
    EXPECT(!options.run.benchmarks[0].name);
    EXPECT_BENCHMARK(0, "", "old", "./b");
    done();
}

static void one_command_with_parameters_is_compared_between_their_values(void)
{
    EXPECT(PARSE("-L", "n", "1,2", "./a {n}"));
    EXPECT_UINT(options.run.benchmark_count, 1);
    EXPECT_BENCHMARK(0, "", "./a 1", "./a 2");
    EXPECT_UINT(options.run.benchmarks[0].parameter_count, 0);
    done();
    EXPECT(PARSE("-L", "n", "1,2", "--reference", "./old {n}", "./a {n}"));
    EXPECT_UINT(options.run.benchmark_count, 1);
    EXPECT_BENCHMARK(0, "", "./old {n}", "./a 1", "./a 2");
    done();
}

static void several_commands_with_parameters_are_compared_within_each(void)
{
    EXPECT(PARSE("-L", "n", "1,2", "-L", "m", "x,y", "./a {n}", "./b {n}"));
    EXPECT_UINT(options.run.benchmark_count, 4);
    EXPECT_BENCHMARK(0, "n=1,m=x", "./a {n}", "./b {n}");
    EXPECT_BENCHMARK(1, "n=2,m=x", "./a {n}", "./b {n}");
    EXPECT_BENCHMARK(2, "n=1,m=y", "./a {n}", "./b {n}");
    EXPECT_TEXT(side(1, 1)->argv[1], "2");
    EXPECT_UINT(options.run.benchmarks[2].parameter_count, 2);
    EXPECT_TEXT(options.run.benchmarks[2].parameters[1].value, "y");
    done();
    EXPECT(PARSE("-L", "n", "1,2", "--", "./a", "{n} x", "--vs", "./b"));
    EXPECT_BENCHMARK(1, "n=2", "./a '{n} x'", "./b");
    done();
}

static void the_reference_of_several_is_filled_in_for_each_benchmark(void)
{
    EXPECT(PARSE("-L", "n", "1,2", "--reference", "./old {n}", "--reference-name", "old", "./a",
                 "./b"));
    EXPECT_UINT(options.run.benchmark_count, 2);
    EXPECT_BENCHMARK(1, "n=2", "old", "./a", "./b");
    EXPECT_TEXT(side(1, 0)->argv[1], "2");
    done();
}

static void names_may_be_given_for_each_side_or_for_each_command(void)
{
    EXPECT(PARSE("-L", "n", "1,2", "-n", "old", "-n", "new {n}", "./a", "./b"));
    EXPECT_BENCHMARK(1, "n=2", "old", "new {n}");
    EXPECT_TEXT(side(1, 1)->label, "new 2");
    done();
    EXPECT(PARSE("-L", "n", "1,2", "-n", "a1", "-n", "b1", "-n", "a2", "-n", "b2", "./a", "./b"));
    EXPECT_BENCHMARK(1, "n=2", "./a", "./b");
    EXPECT(strncmp(side(1, 1)->label, "b2", 2) == 0);
    done();
    EXPECT(PARSE("-L", "n", "1,2", "-n", "any", "./a", "./b"));
    EXPECT_BENCHMARK(0, "n=1", "./a", "./b");
    done();
    EXPECT(!PARSE("-L", "n", "1,2", "-n", "1", "-n", "2", "-n", "3", "./a", "./b"));
    EXPECT(strstr(error.text, "given 3 times for 2 benchmarks with 2 sides each"));
    done();
}

static void a_letter_is_that_of_a_side_in_all_benchmarks(void)
{
    EXPECT(PARSE("-L", "n", "1,2", "--env=B:X=1", "-p", "one", "-p", "two {n}", "./a", "./b"));
    for (size_t b = 0; b < 2; b++) {
        EXPECT(!side(b, 0)->environment);
        EXPECT(side(b, 1)->environment && strcmp(side(b, 1)->environment[0], "X=1") == 0);
        EXPECT_TEXT(side(b, 0)->hooks[LAUKA_HOOK_PREPARE], "one");
    }
    EXPECT_TEXT(side(1, 1)->hooks[LAUKA_HOOK_PREPARE], "two 2");
    done();
    EXPECT(!PARSE("-L", "n", "1,2", "--env=C:X=1", "./a", "./b"));
    done();
}

static void each_benchmark_of_noise_is_a_command_against_itself(void)
{
    EXPECT(PARSE("noise", "-L", "n", "1,2", "--gate=wall=2%", "./a {n}"));
    EXPECT_UINT(options.run.benchmark_count, 2);
    EXPECT_UINT(options.run.command_count, 6);
    EXPECT_TEXT(side(0, 0)->side, "./a {n}");
    EXPECT_TEXT(side(1, 1)->side, "./a {n} (again)");
    EXPECT_TEXT(side(1, 2)->argv[1], "2");
    EXPECT_TEXT(side(1, 2)->parameters[0].value, "2");
    done();
    EXPECT(!PARSE("noise", "-L", "n", "1,2", "./a", "./b"));
    done();
}

/* ---- from sections ---- */

static void sections_are_benchmarks_whose_sides_have_one_name(void)
{
    const char *path =
        file_of("-w2\n--prepare=p\n[x]\n./a x\n./b\n[y]\n-L\nn\n1,2\n./a {n}\n./b\n");

    EXPECT(PARSE("--config", path));
    EXPECT_UINT(options.run.benchmark_count, 3);
    EXPECT_BENCHMARK(0, "x", "./a", "./b");
    EXPECT_BENCHMARK(2, "y/n=2", "./a", "./b");
    EXPECT_TEXT(side(2, 0)->argv[1], "2");
    EXPECT_TEXT(side(2, 0)->hooks[LAUKA_HOOK_PREPARE], "p");
    EXPECT_UINT(options.measure.warmup, 2);
    done();
}

static void sides_that_no_word_tells_apart_are_numbered(void)
{
    EXPECT(PARSE("--config", file_of("[x]\nsort a\nsort b\n[y]\nsort c\nsort d\n")));
    EXPECT_BENCHMARK(1, "y", "1", "2");
    done();
    EXPECT(PARSE("--config", file_of("[x]\n./a\n./b\n[y]\n./a\n./c\n")));
    EXPECT_BENCHMARK(1, "y", "./a", "2");
    done();
    EXPECT(PARSE("--config", file_of("-n\nold\n-n\nnew\n[x]\n./a\n./b\n[y]\n./c\n./d\n")));
    EXPECT_BENCHMARK(1, "y", "old", "new");
    done();
    EXPECT(PARSE("--config", file_of("-L\nn\n1,2\n[x]\n./a {n}\n[y]\n./b {n}\n")));
    EXPECT_BENCHMARK(1, "y", "n=1", "n=2");
    done();
    EXPECT(PARSE("noise", "--config", file_of("[x]\n./a 1\n[y]\n./a 2\n")));
    EXPECT_BENCHMARK(1, "y", "./a", "./a (again)");
    done();
}

static void what_is_typed_goes_before_all_sections(void)
{
    const char *path = file_of("-r5\n[x]\n--items=3\n--prepare=own\na\nb\n");

    EXPECT(PARSE("-r2", "--config", path, "--prepare=typed"));
    EXPECT_UINT(options.measure.rounds, 2);
    EXPECT_TEXT(side(0, 0)->hooks[LAUKA_HOOK_PREPARE], "typed");
    EXPECT_UINT(side(0, 1)->items, 3);
    EXPECT_UINT(all.word_count, 3);
    EXPECT(strncmp(all.words[0], "--config=/tmp/lauka-", 20) == 0);
    EXPECT_TEXT(all.words[1], "-r2");
    done();
}

static void chosen_benchmarks_keep_their_names_and_order(void)
{
    const char *path = file_of("[x/1]\na\nb\n[y]\na\nb\n[x/2]\na\nb\n--gate=wall=1%\n");

    EXPECT(PARSE("--config", path, "--benchmark", "y", "--benchmark", "*/1"));
    EXPECT_UINT(options.run.benchmark_count, 2);
    EXPECT_BENCHMARK(0, "x/1", "a", "b");
    EXPECT_BENCHMARK(1, "y", "a", "b");
    EXPECT_UINT(options.run.command_count, 4);
    EXPECT_UINT(options.judge.gate.rule_count, 0);
    done();
}

/* ---- limits ---- */

/* The limits of one benchmark, as text: "wall=1% rss=2%". */
static const char *limits_of(size_t benchmark)
{
    static char text[200];
    struct lauka_options own;
    size_t used = 0;

    text[0] = '\0';
    EXPECT(lauka_options_of(&options, benchmark, &own) == 0);
    EXPECT(own.run.benchmark_count == 1 &&
           own.run.benchmarks == &options.run.benchmarks[benchmark]);
    EXPECT(own.run.commands == side(benchmark, 0) &&
           own.run.command_count == options.run.benchmarks[benchmark].count);
    for (size_t i = 0; i < own.judge.gate.rule_count; i++) {
        const struct lauka_gate_rule *rule = &own.judge.gate.rules[i];
        EXPECT(!rule->benchmark || !options.run.benchmarks[0].name);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s=%g%%", used > 0 ? " " : "",
                                 rule->metric, 100 * rule->share.value);
    }
    return text;
}

static void a_section_has_its_limits_for_its_benchmarks_only(void)
{
    const char *path =
        file_of("--gate=wall=1%\n--gate=rss=1%\n[x]\na\nb\n[y]\n--gate=wall_time=2%\n"
                "-L\nn\n1,2\na\nb\n");

    EXPECT(PARSE("--config", path));
    EXPECT_TEXT(limits_of(0), "wall=1% rss=1%");
    EXPECT_TEXT(limits_of(1), "rss=1% wall_time=2%");
    EXPECT_TEXT(limits_of(2), "rss=1% wall_time=2%");
    EXPECT_TEXT(options.judge.gate.rules[2].benchmark, "y/n=1");
    EXPECT(strstr(options.judge.gate.rules[3].where, ":6"));
    done();
}

static void the_more_particular_limit_goes_before_the_others(void)
{
    const char *path = file_of("wall=1%\nwall.p90=1%\n[n=1]\nwall-time=2%\n[n=*]\nwall=3%\n"
                               "peak_rss=4%\n[*]\nrss=5%\n");

    EXPECT(PARSE("-L", "n", "1,22", "--gate-file", path, "a", "b"));
    EXPECT_TEXT(limits_of(0), "wall=1% wall-time=2% peak_rss=4%");
    EXPECT_TEXT(limits_of(1), "wall=1% wall=3% peak_rss=4%");
    done();
    EXPECT(PARSE("-L", "n", "*,2", "--gate-file", file_of("[n=*]\nwall=1%\n"), "a", "b"));
    EXPECT_TEXT(limits_of(0), "wall=1%"); /* the name of this benchmark */
    EXPECT_TEXT(limits_of(1), "");
    done();
}

static void without_benchmarks_of_a_name_sections_are_about_commands(void)
{
    EXPECT(PARSE("--gate-file", file_of("[b]\nwall=1%\n"), "a", "b"));
    EXPECT_TEXT(limits_of(0), "wall=1%");
    EXPECT_TEXT(options.judge.gate.rules[0].benchmark, "b");
    done();
}

int main(void)
{
    TEST(commands_without_parameters_are_one_benchmark_without_a_name);
    TEST(one_command_with_parameters_is_compared_between_their_values);
    TEST(several_commands_with_parameters_are_compared_within_each);
    TEST(the_reference_of_several_is_filled_in_for_each_benchmark);
    TEST(names_may_be_given_for_each_side_or_for_each_command);
    TEST(a_letter_is_that_of_a_side_in_all_benchmarks);
    TEST(each_benchmark_of_noise_is_a_command_against_itself);
    TEST(sections_are_benchmarks_whose_sides_have_one_name);
    TEST(sides_that_no_word_tells_apart_are_numbered);
    TEST(what_is_typed_goes_before_all_sections);
    TEST(chosen_benchmarks_keep_their_names_and_order);
    TEST(a_section_has_its_limits_for_its_benchmarks_only);
    TEST(the_more_particular_limit_goes_before_the_others);
    TEST(without_benchmarks_of_a_name_sections_are_about_commands);
    unlink(file_path);
    return expect_report("benchmarks");
}
