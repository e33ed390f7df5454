/* What documents say at their head: from which commits, which commands, when, where, and where there is more. */
#include "report/result/session.h"
#include "report/text/prose.h"
#include "report/words/measured.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/expect.h"

/* The fields own their texts, which these are not. */
static char *own(const char *text)
{
    return (char *)(uintptr_t)text;
}

static char prog[] = "./prog", file[] = "big file.csv";
static char *words_of_prog[] = {prog, file, NULL};

/* Nothing here is freed. */
static struct lauka_result_command commands[8];
static struct lauka_result result;

static void begin(size_t count)
{
    memset(commands, 0, sizeof commands);
    result = (struct lauka_result){.commands = commands, .command_count = count};
    for (size_t c = 0; c < count; c++)
        commands[c] = (struct lauka_result_command){.label = own(c == 0 ? "base" : "head"),
                                                    .argv = words_of_prog};
}

/* All facts in a line, links as "text <address>". */
static void expect_facts(const char *expected)
{
    const struct lauka_session session = {&result, 1};
    struct lauka_prose prose = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    const char *line = "";
    for (struct lauka_fact fact = {0}; lauka_next_fact(&prose, &session, &fact);) {
        const char *parts[] = {fact.before, fact.name, fact.code, fact.text};
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            line = lauka_join(&prose, line, " ", parts[i]);
        if (*fact.address)
            line = lauka_say(&prose, "%s <%s>", line, fact.address);
    }
    EXPECT_TEXT(line, expected);
    EXPECT(lauka_prose_done(&prose) == 0);
}

static void expect_reproduction(char **words, const char *expected)
{
    struct lauka_prose prose = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    result.reproduce = words;
    EXPECT_TEXT(lauka_say_reproduction(&prose, &result), expected);
    EXPECT(lauka_prose_done(&prose) == 0);
}

static void revise(size_t command, const char *name, const char *commit, const char *subject)
{
    commands[command].label = own(name);
    commands[command].revision =
        (struct lauka_result_revision){.commit = own(commit), .subject = own(subject)};
}

static const char first[] = "9e78061b2e0123456789012345678901234567ab",
                  second[] = "364842fbd9243dafa4c3fe142d20224f2870e433";

static void commits_have_their_subjects_and_one_command_stands_once(void)
{
    begin(2);
    revise(0, "v1.0", first, "Release");
    revise(1, "364842f", second, "Reserve room");
    expect_facts("v1.0 9e78061b2e Release → 364842fbd9 Reserve room · ./prog 'big file.csv'");
    revise(1, "working tree", second, "the working tree, with changes");
    commands[1].revision.is_changed = true;
    expect_facts("v1.0 9e78061b2e Release → working tree with changes · ./prog 'big file.csv'");
}

static void of_many_commits_the_ends_are_named(void)
{
    begin(8);
    for (size_t c = 0; c < 8; c++)
        revise(c, "x", c % 2 ? first : second, c % 2 ? "odd" : "even");
    expect_facts("x 364842fbd9 even → x 9e78061b2e odd → 4 others → x 364842fbd9 even → "
                 "x 9e78061b2e odd · ./prog 'big file.csv'");
    result.command_count = 5;
    expect_facts("x 364842fbd9 even → x 9e78061b2e odd → x 364842fbd9 even → x 9e78061b2e odd → "
                 "x 364842fbd9 even · ./prog 'big file.csv'");
}

static void labels_date_machine_and_job_follow(void)
{
    struct lauka_parameter_value labels[] = {{own("base"), own("2017553 initial")},
                                             {own("head"), own("364842fbd9243d Wording")},
                                             {own("runner"), own("big")}};
    char *arguments[] = {own("--html=page.html"), own("--json"), own("r.json"), NULL};
    begin(2);
    result.arguments = arguments;
    result.host.cpu_model = own("AMD EPYC");
    result.host.cpu_count = 2;
    result.provenance =
        (struct lauka_result_provenance){.begin = own("2026-11-25T14:03:07Z"),
                                         .commit = own(second),
                                         .branch = own("main"),
                                         .labels = labels,
                                         .label_count = 3,
                                         .ci = own("github"),
                                         .job = own("gate"),
                                         .url = own("https://github.com/o/r/actions/runs/1")};
    expect_facts("base 2017553 initial → head 364842fbd9 Wording · runner big · "
                 "./prog 'big file.csv' · 25 Nov 2026, 14:03 UTC · AMD EPYC, 2 CPUs · "
                 "job gate <https://github.com/o/r/actions/runs/1> · "
                 "page and data <https://github.com/o/r/actions/runs/1#artifacts>");
    result.provenance.ci = own("gitlab");
    result.provenance.url = own("https://gitlab.com/o/r/-/jobs/7");
    result.provenance.label_count = 1;
    result.provenance.begin = own("yesterday");
    result.arguments = NULL;
    expect_facts("base 2017553 initial · commit 364842fbd9 on main · ./prog 'big file.csv' · "
                 "yesterday · AMD EPYC, 2 CPUs · job gate <https://gitlab.com/o/r/-/jobs/7>");
    result.provenance.url = own("https://x/\"><script>");
    result.provenance.begin = own("2026-13-25T14:03:07Z");
    expect_facts("base 2017553 initial · commit 364842fbd9 on main · ./prog 'big file.csv' · "
                 "2026-13-25T14:03:07Z · AMD EPYC, 2 CPUs");
}

/* A label that is the command line already, or the text for a shell, is no fact. */
static void what_the_names_say_is_not_repeated(void)
{
    char *shell[] = {own("sh"), own("-c"), own("a | b"), NULL},
         *odd[] = {own("./o'dd"), own("\n"), NULL};
    begin(2);
    commands[0] =
        (struct lauka_result_command){.label = own("./prog 'big file.csv'"), .argv = words_of_prog};
    commands[1] = (struct lauka_result_command){.label = own("a | b"), .argv = shell};
    expect_facts("");
    commands[1] = (struct lauka_result_command){.label = own("odd"), .argv = odd};
    expect_facts("odd './o'\\''dd' $'\\n'");
    commands[1].argv = NULL;
    expect_facts("");
    result.command_count = 0;
    expect_facts("");
}

static void revisions_are_repeated_by_their_commits(void)
{
    char *both[] = {own("revisions"), own("v1.0"), own("HEAD"),   own("."),    own("--build"),
                    own("make -j2"),  own("--"),   own("./prog"), own("HEAD"), NULL};
    char *range[] = {own("--seed=7"), own("revisions"), own("v1.0..HEAD"),
                     own("v0..HEAD"), own("a..b"),      NULL};
    char *plain[] = {own("v1.0"), own("HEAD"), NULL};
    begin(3);
    revise(0, "v1.0", first, "");
    revise(1, "HEAD", second, "");
    revise(2, ".", second, "");
    commands[2].revision.is_changed = true;
    expect_reproduction(
        both, "lauka revisions 9e78061b2e 364842fbd9 . --build 'make -j2' -- ./prog HEAD");
    expect_reproduction(range,
                        "lauka --seed=7 revisions 9e78061b2e..364842fbd9 v0..364842fbd9 a..b");
    expect_reproduction(plain, "lauka v1.0 HEAD");
    expect_reproduction(NULL, "");
}

int main(void)
{
    TEST(commits_have_their_subjects_and_one_command_stands_once);
    TEST(of_many_commits_the_ends_are_named);
    TEST(labels_date_machine_and_job_follow);
    TEST(what_the_names_say_is_not_repeated);
    TEST(revisions_are_repeated_by_their_commits);
    return expect_report("measured");
}
