/* --first-slower: bisection of the history, like `git bisect`, where each step is a measurement: the
 * commit in the middle runs beside both ends in the same rounds. If it stays inconclusive after more time,
 * nothing is guessed. */
#include "runner/revisions/revisions.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/text.h"
#include "report/words/words.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"
#include "runner/options/options.h"
#include "stats/stats.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ATTEMPTS = 3
}; /* each with twice the time of the one before; those after the first use it up */

enum answer { ANSWER_FAST, ANSWER_SLOW, ANSWER_UNCLEAR, ANSWER_BROKEN, ANSWER_FAILED };

struct search {
    struct lauka_revisions *revisions;
    const struct lauka_options *options;
    struct lauka_launcher *launcher;
    struct lauka_texts fast;            /* commits: not slower, and so is what is before */
    struct lauka_texts broken, unclear; /* cannot be built or measured; stay inconclusive */
    const char *slow;                   /* the first commit that is known to be slower */
    const char *low;                    /* the last one that was found not to be */
    unsigned steps;                     /* so many, about, lead to the answer */
    unsigned done;                      /* of them */
    uint64_t spent_ns;               /* of --budget: on the ends, and on steps that were measured */
    uint64_t ends_ns, ends_round_ns; /* what measuring the two ends took, and a round of it */
    const char *word;                /* static; "slower"; "worse" if limits are not of times only */
    size_t rule;                     /* of the gate: that by which `slow` failed */
    struct evidence {                /* of `slow`, against the one that it was measured with */
        const char *found; /* "peak_rss +5.1 % [+4.2, +6.0], wall_time p99 +2.1 % [+1.9, +2.4]" */
        const char *word;  /* static: "slower" of times, "worse" of others */
    } shown;
    struct lauka_prose prose; /* whose the texts are */
};

/* ---- what a session says ------------------------------------------------------------------------------ */

/* Of the main metric. NULL: there is none. */
static const struct lauka_comparison *find_comparison(const struct lauka_result *result,
                                                      size_t command)
{
    return lauka_result_comparison(result, command, lauka_result_main_metric(result));
}

/* Where more is better, lower is worse. */
static bool is_worse(const struct lauka_result *result, enum lauka_verdict verdict)
{
    bool falls = strcmp(result->metrics[lauka_result_main_metric(result)].better, "higher") == 0;

    return verdict == (falls ? LAUKA_VERDICT_LOWER : LAUKA_VERDICT_HIGHER);
}

static bool is_better(const struct lauka_result *result, enum lauka_verdict verdict)
{
    return (verdict == LAUKA_VERDICT_LOWER || verdict == LAUKA_VERDICT_HIGHER) &&
           !is_worse(result, verdict);
}

/* By the gate, where there is one. */
static enum answer judge_by_gate(const struct lauka_result *result)
{
    enum answer answer = ANSWER_FAST;

    for (size_t r = 0; r < result->gate.row_count; r++) {
        const struct lauka_gate_row *row = &result->gate.rows[r];
        if (row->command != 1)
            continue;
        if (row->judgement.verdict == LAUKA_GATE_FAIL)
            return ANSWER_SLOW;
        if (row->judgement.verdict != LAUKA_GATE_PASS)
            answer = ANSWER_UNCLEAR;
    }
    return answer;
}

/* Whether the middle's whole interval is better than the slow end's whole interval. */
static bool is_apart(const struct lauka_result *result, const struct lauka_comparison *middle,
                     const struct lauka_comparison *slow)
{
    bool falls = strcmp(result->metrics[lauka_result_main_metric(result)].better, "higher") == 0;

    return middle->low.known && slow->low.known &&
           (falls ? middle->low.value > slow->high.value : middle->high.value < slow->low.value);
}

/* Commands: the fast end, the middle, and, unless it is the middle, the slow end. */
static enum answer judge(const struct lauka_result *result)
{
    const struct lauka_comparison *middle = find_comparison(result, 1),
                                  *slow = find_comparison(result, 2);

    if (result->failure.known || !middle)
        return ANSWER_BROKEN;
    if (result->gate.rule_count > 0)
        return judge_by_gate(result);
    if (is_worse(result, middle->verdict))
        return ANSWER_SLOW;
    if (!slow || is_better(result, middle->verdict))
        return ANSWER_FAST;
    /* The slow end is slower than the fast one: if the middle is like the fast one, nothing else is
     * possible. */
    return is_worse(result, slow->verdict) &&
                   (middle->verdict == LAUKA_VERDICT_EQUIVALENT ||
                    middle->verdict == LAUKA_VERDICT_IDENTICAL || is_apart(result, middle, slow))
               ? ANSWER_FAST
               : ANSWER_UNCLEAR;
}

/* ---- what is shown of it ------------------------------------------------------------------------------ */

static const char *word_of(const struct lauka_result *result, size_t metric)
{
    return strcmp(result->metrics[metric].unit, "ns") == 0 ? "slower" : "worse";
}

/* The limit that failed before. NULL: no limit is about the command. */
static const struct lauka_gate_row *find_row(const struct lauka_result *result, size_t rule)
{
    const struct lauka_gate_row *found = NULL;

    for (size_t r = 0; r < result->gate.row_count; r++) {
        const struct lauka_gate_row *row = &result->gate.rows[r];
        if (row->command == 1 && (!found || row->rule == rule))
            found = row;
    }
    return found;
}

static const char *say_row(struct lauka_prose *prose, const struct lauka_result *result,
                           const struct lauka_gate_row *row)
{
    return lauka_say(prose, "%s %s",
                     lauka_gate_row_cells(prose, result, row).text[LAUKA_GATE_CELL_METRIC],
                     lauka_change_text(prose, lauka_gate_row_change(prose, result, row)));
}

/* What decided, the worst first; if nothing is exceeded this time, what was before. NULL: there is no limit. */
static const struct lauka_gate_row *keep_limits(struct search *search,
                                                const struct lauka_result *result)
{
    struct lauka_prose *prose = &search->prose;
    const struct lauka_exceeded exceeded = lauka_exceeded_limits(prose, result, 1);
    const struct lauka_gate_row *row =
        exceeded.count > 0 ? exceeded.rows[0] : find_row(result, search->rule);

    if (row)
        search->shown.found = say_row(prose, result, row);
    for (size_t i = 1; i < exceeded.count && i < LAUKA_LIMITS_LISTED; i++)
        search->shown.found = lauka_say(prose, "%s, %s", search->shown.found,
                                        say_row(prose, result, exceeded.rows[i]));
    return row;
}

/* For commits that were judged by any of the limits. */
static const char *word_of_all(const struct lauka_result *result)
{
    const char *word = word_of(result, lauka_result_main_metric(result));

    for (size_t r = 0; r < result->gate.row_count; r++)
        if (r == 0 || strcmp(word, "slower") == 0)
            word = word_of(result, result->gate.rows[r].metric);
    return word;
}

static void keep_evidence(struct search *search, const struct lauka_result *result)
{
    struct lauka_prose *prose = &search->prose;
    struct evidence *shown = &search->shown;
    const struct lauka_gate_row *row = keep_limits(search, result);
    const struct lauka_comparison *found = find_comparison(result, 1);
    size_t main = lauka_result_main_metric(result);

    if (row) {
        shown->word = word_of(result, row->metric);
        search->rule = row->judgement.verdict == LAUKA_GATE_FAIL ? row->rule : search->rule;
    } else if (found) {
        shown->found = lauka_say(
            prose, "%s %s", result->metrics[main].name,
            lauka_change_text(
                prose, lauka_change(prose, found, lauka_result_scale(result, main, prose->utf8))));
        shown->word = word_of(result, main);
    }
}

/* ---- measuring ----------------------------------------------------------------------------------------- */

/* The command, as it runs in that worktree. Borrows but for label and directory. */
static bool place_command(const struct search *search, const struct lauka_revision *revision,
                          struct lauka_command *command, struct lauka_error *error)
{
    const struct lauka_command *first = &search->options->run.commands[0];
    const char *worktree = search->revisions->all[0].worktree, *folder = first->directory;
    bool inside = strncmp(folder, worktree, strlen(worktree)) == 0;

    *command = *first;
    command->side = NULL;
    command->path = NULL;
    command->pretence = NULL;
    command->label = lauka_arena_print(command->arena, "%.10s", revision->commit);
    command->directory = lauka_arena_print(command->arena, "%s%s", inside ? revision->worktree : "",
                                           folder + (inside ? strlen(worktree) : 0));
    if (!command->label || !command->directory)
        return lauka_fail_memory(error);
    return lauka_worktree_check_command(revision, command, error);
}

/* ---- how far it is -------------------------------------------------------------------------------------- */

/* At the step with this number, from 1. */
static unsigned halvings(const struct search *search, unsigned number)
{
    return number > search->steps - 1 ? number : search->steps - 1;
}

/* "step 2 of about 4" */
static const char *say_step(struct search *search, unsigned number)
{
    return lauka_say(&search->prose, "step %u of about %u", number, halvings(search, number));
}

/* Forecast for what comes after this step. One has three sides, where the session of the ends, and that of the answer,
 * has two. */
static uint64_t later_ns(const struct search *search)
{
    const unsigned left = halvings(search, search->done) - search->done;

    return left * (search->ends_ns + search->ends_ns / 2) + search->ends_ns;
}

/* Whether --budget leaves less time than a step takes that could have a verdict. */
static bool is_budget_spent(const struct search *search)
{
    const struct lauka_measure_options *measure = &search->options->measure;
    const uint64_t rounds = measure->warmup + LAUKA_FEWEST_ROUNDS;

    return measure->budget_ns > 0 &&
           search->spent_ns + search->ends_round_ns * rounds * 3 / 2 > measure->budget_ns;
}

/* One wrong step leads to a wrong commit, so all steps together may be wrong as often as one session. A
 * gate has a higher confidence than that. */
static void share_alpha(const struct search *search, struct lauka_result *result)
{
    if (!lauka_result_has_gate(result))
        result->run.alpha = lauka_result_alpha(result) / search->steps;
}

static bool run_session(struct search *search, struct lauka_options *options,
                        struct lauka_session *session, struct lauka_error *error)
{
    struct lauka_benchmarks benchmarks = {
        .options = options,
        .launcher = search->launcher,
        .session = session,
        .heading = search->options->quiet ? NULL : say_step(search, search->done),
        .later_ns = later_ns(search),
    };
    bool good = lauka_pretence_read_all(options, error) &&
                (lauka_session_init(session, 1) == 0 || lauka_fail_memory(error)) &&
                lauka_benchmarks_run(&benchmarks, error);

    lauka_benchmarks_done(&benchmarks);
    if (good && options->run.command_count > 2) /* a step; two are what it came to */
        share_alpha(search, &session->benchmarks[0]);
    return good && (lauka_session_analyse(session) == 0 || lauka_fail_memory(error));
}

/* times: of the usual budget. */
static enum answer measure(struct search *search, const struct lauka_revision *const *sides,
                           size_t count, unsigned times, struct lauka_error *error)
{
    struct lauka_command commands[3] = {{0}};
    struct lauka_options options = *search->options;
    struct lauka_benchmark benchmark = options.run.benchmarks[0];
    struct lauka_session session = {0};
    bool good = true;

    for (size_t i = 0; good && i < count; i++)
        good = place_command(search, sides[i], &commands[i], error);
    options.run.commands = commands;
    options.run.command_count = count;
    benchmark.count = count;
    options.run.benchmarks = &benchmark;
    options.measure.max_time_ns *= times;
    if (times > 1)
        options.measure.min_time_ns = options.measure.max_time_ns;
    options.measure.rounds *= times;
    options.quiet = true;
    options.measure.seed +=
        times + search->fast.count * 31 + (search->broken.count + search->unclear.count) * 101;
    if (options.measure.budget_ns > 0) /* of all steps together */
        options.measure.budget_ns = options.measure.budget_ns > search->spent_ns
                                        ? options.measure.budget_ns - search->spent_ns
                                        : 1;
    uint64_t begun_ns = lauka_now_ns();
    good = good && run_session(search, &options, &session, error);
    search->spent_ns += lauka_now_ns() - begun_ns;
    enum answer answer = good ? judge(&session.benchmarks[0]) : ANSWER_FAILED;
    if (good)
        keep_evidence(search, &session.benchmarks[0]);
    lauka_session_done(&session);
    return answer;
}

/* ---- the history --------------------------------------------------------------------------------------- */

static bool keep(const struct search *search, struct lauka_texts *texts, const char *commit)
{
    return lauka_arena_add_text(search->options->arena, &texts->texts, &texts->count, commit);
}

static bool is_among(const struct lauka_texts *texts, const char *commit)
{
    for (size_t i = 0; i < texts->count; i++)
        if (strcmp(texts->texts[i], commit) == 0)
            return true;
    return false;
}

/* `git rev-list OPTION SLOW --not FAST...`, which may be long; owned by the caller. */
static char *list(const struct search *search, const char *option, struct lauka_error *error)
{
    const struct lauka_git *git = &search->revisions->worktrees.git;
    const char **words =
        lauka_arena_take(search->options->arena, (search->fast.count + 6) * sizeof *words);
    size_t count = 0, size;

    if (!words) {
        lauka_fail_memory(error);
        return NULL;
    }
    words[count++] = "rev-list";
    words[count++] = option;
    words[count++] = search->slow;
    words[count++] = "--not";
    for (size_t i = 0; i < search->fast.count; i++)
        words[count++] = search->fast.texts[i];
    return lauka_git_list(git, git->top, NULL, words, &size, error);
}

/* How often the commits between the ends can be halved. */
static bool count_steps(struct search *search, struct lauka_error *error)
{
    char *text = list(search, "--count", error);
    unsigned long left = text ? strtoul(text, NULL, 10) : 0;

    for (search->steps = 1; left > 1; left = (left + 1) / 2)
        search->steps++;
    free(text);
    return text != NULL;
}

/* The commit that halves the rest, among those that can be judged; *end: there is none. */
static const char *next_commit(const struct search *search, bool *end, struct lauka_error *error)
{
    char *text = list(search, "--bisect-all", error);
    const char *found = NULL;

    *end = text != NULL;
    for (char *line = text; line && *line && !found;) {
        size_t length = strcspn(line, "\n"), hash = strcspn(line, " \n");
        char *next = line + length + (line[length] == '\n');
        line[hash] = '\0';
        if (strcmp(line, search->slow) != 0 && !is_among(&search->broken, line) &&
            !is_among(&search->unclear, line))
            found = lauka_arena_text(search->options->arena, line);
        line = next;
    }
    free(text);
    *end = *end && !found;
    return found;
}

/* ---- steps --------------------------------------------------------------------------------------------- */

static bool prepare(const struct search *search, const char *name, struct lauka_revision *revision,
                    struct lauka_error *error)
{
    struct lauka_worktrees *worktrees = &search->revisions->worktrees;

    return lauka_revision_resolve(&worktrees->git, worktrees->folder, name, revision, error) &&
           lauka_worktree_find(worktrees, revision, error) &&
           lauka_revisions_build(worktrees, revision, 1, true, error);
}

static void tell_step(const struct search *search, const struct lauka_revision *middle,
                      enum answer answer)
{
    static const char *const words[] = {"not ", "", "inconclusive", "cannot be measured", "failed"};
    bool judged = answer == ANSWER_FAST || answer == ANSWER_SLOW;

    if (search->options->quiet)
        return;
    fprintf(stderr, "lauka: %.10s  %s%s: ", middle->commit, words[answer],
            judged ? search->word : "");
    lauka_print_safely(middle->subject, true, stderr);
    fputc('\n', stderr);
}

/* It takes as long as a session. */
static void tell_measuring(struct search *search, const struct lauka_revision *middle)
{
    lauka_revision_say(&search->revisions->worktrees, middle,
                       lauka_say(&search->prose, "measuring (%s)", say_step(search, search->done)));
}

static bool note_answer(struct search *search, const char *commit, enum answer answer)
{
    if (answer == ANSWER_SLOW) {
        search->slow = commit;
        return true;
    }
    if (answer == ANSWER_FAST)
        search->low = commit;
    return keep(search,
                answer == ANSWER_FAST      ? &search->fast
                : answer == ANSWER_UNCLEAR ? &search->unclear
                                           : &search->broken,
                commit);
}

static bool step(struct search *search, const char *commit, struct lauka_error *error)
{
    struct lauka_revision sides[3] = {{0}};
    const struct lauka_revision *order[3] = {&sides[0], &sides[1], &sides[2]};
    enum answer answer = ANSWER_UNCLEAR;
    bool good = prepare(search, search->low, &sides[0], error) &&
                prepare(search, commit, &sides[1], error) &&
                prepare(search, search->slow, &sides[2], error);

    search->done++;
    if (good && sides[1].broken)
        answer = ANSWER_BROKEN;
    else if (good)
        tell_measuring(search, &sides[1]);
    for (unsigned times = 1;
         good && answer == ANSWER_UNCLEAR && times < 1u << ATTEMPTS && !is_budget_spent(search);
         times *= 2)
        answer = measure(search, order, 3, times, error);
    good = good && answer != ANSWER_FAILED && !lauka_interrupt_signal();
    if (good)
        tell_step(search, &sides[1], answer);
    return good && (note_answer(search, commit, answer) || lauka_fail_memory(error));
}

/* ---- the answer ---------------------------------------------------------------------------------------- */

/* Of the words that were typed: not the verb, the two ends and what asked for the search. */
static bool is_left_out(const struct lauka_arguments *arguments, const char *word)
{
    static const char asked[] = "--first-slower";
    size_t length = strcspn(word, "=");

    for (size_t i = 0; i < arguments->text_count; i++)
        if (arguments->texts[i] == word)
            return true;
    return length > 4 && strncmp(word, asked, length) == 0;
}

/* searches: the command goes on looking, and does not only show both. */
static void print_again(const struct search *search, const char *low, const char *slow,
                        bool searches)
{
    const struct lauka_arguments *arguments = search->options->arguments;
    size_t used = 0;
    char **kept = calloc(arguments->word_count + 1, sizeof *kept);

    for (size_t i = 0; kept && i < arguments->word_count; i++)
        if (!is_left_out(arguments, arguments->words[i]))
            kept[used++] = arguments->words[i];
    char *words = kept ? lauka_quote_argv(search->options->arena, kept, used) : NULL;
    printf("again: lauka revisions %.10s%s%.10s %s", low, searches ? ".." : " ", slow,
           searches ? "--first-slower " : "");
    lauka_print_safely(words ? words : "...", true, stdout);
    putchar('\n');
    free(kept);
}

static bool write_hash(const char *path, const char *hash, struct lauka_error *error)
{
    const int descriptor = lauka_own_file_open(path, O_TRUNC);
    bool good = descriptor >= 0 && dprintf(descriptor, "%s\n", hash) > 0;

    if (descriptor >= 0 && close(descriptor) != 0)
        good = false;
    return good || lauka_fail(error, LAUKA_EXIT_HOST, "--first-slower=%.700s: %s", path,
                              lauka_own_file_error(errno));
}

/* It and the commit that it was held against, measured by themselves. */
static bool tell_found(struct search *search, struct lauka_error *error)
{
    char parent[80];
    struct lauka_revision sides[2] = {{0}};
    const struct lauka_revision *order[2] = {&sides[0], &sides[1]};

    snprintf(parent, sizeof parent, "%.64s^", search->slow);
    bool good = prepare(search, parent, &sides[0], error) &&
                prepare(search, search->slow, &sides[1], error);
    if (good && sides[0].broken)
        good = prepare(search, search->low, &sides[0], error);
    const bool measures = !is_budget_spent(search);
    good = good && (!measures || measure(search, order, 2, 1, error) != ANSWER_FAILED);
    if (good) {
        printf("\nfirst %s: %.10s  ", measures ? search->shown.word : search->word,
               sides[1].commit);
        lauka_print_safely(sides[1].subject, true, stdout);
        printf("\n  by ");
        lauka_print_safely(sides[1].author, true, stdout);
        printf(", %s; ", sides[1].date);
        if (measures)
            printf("%s against %.10s\n", search->shown.found, sides[0].commit);
        else
            printf("--budget left no time to measure it against %.10s\n", sides[0].commit);
        print_again(search, sides[0].commit, sides[1].commit, false);
        good = !*search->options->run.first_slower ||
               write_hash(search->options->run.first_slower, sides[1].commit, error);
    }
    return good;
}

/* "1a2b3c4d5e  2026-11-20  Parse faster: cannot be built" */
static bool tell_candidate(const struct search *search, const char *commit,
                           struct lauka_error *error)
{
    const struct lauka_worktrees *worktrees = &search->revisions->worktrees;
    struct lauka_revision revision = {0};
    bool good =
        lauka_revision_resolve(&worktrees->git, worktrees->folder, commit, &revision, error);

    if (good) {
        printf("  %.10s  %s  ", revision.commit, revision.date);
        lauka_print_safely(revision.subject, true, stdout);
        printf(": %s\n", strcmp(commit, search->slow) == 0    ? search->word
                         : is_among(&search->broken, commit)  ? "cannot be built or measured"
                         : is_among(&search->unclear, commit) ? "inconclusive"
                                                              : "not measured");
    }
    return good;
}

/* All candidates for the first one: the slow one, and those before it that could not be judged. */
static bool tell_range(const struct search *search, char *candidates, struct lauka_error *error)
{
    bool good = true;

    printf("\nthe first %s commit is one of these:\n", search->word);
    for (char *line; good && (line = strtok_r(candidates, "\n", &candidates));)
        good = tell_candidate(search, line, error);
    if (good)
        print_again(search, search->low, search->slow, false);
    return good;
}

static void tell_interrupted(const struct search *search)
{
    printf("\ninterrupted: the first %s commit is after %.10s, up to %.10s\n", search->word,
           search->low, search->slow);
    print_again(search, search->low, search->slow, true);
}

static void tell_budget(struct search *search)
{
    if (!search->options->quiet)
        fprintf(stderr, "lauka: --budget leaves no time for %s: more would narrow the answer\n",
                say_step(search, search->done + 1));
}

static bool conclude(struct search *search, struct lauka_error *error)
{
    char *candidates = list(search, "--topo-order", error);
    const char *line = candidates ? strchr(candidates, '\n') : NULL;
    bool one = !line || !line[1];
    bool good =
        candidates && (one ? tell_found(search, error) : tell_range(search, candidates, error));

    free(candidates);
    return good;
}

/* They use the same --budget. */
static void note_ends(struct search *search, const struct lauka_result_run *run)
{
    search->ends_ns = search->spent_ns = (uint64_t)(run->seconds * 1e9);
    search->ends_round_ns = run->rounds > 0 ? (uint64_t)(run->measured * 1e9) / run->rounds : 0;
}

bool lauka_revisions_search(struct lauka_revisions *revisions, const struct lauka_options *options,
                            struct lauka_launcher *launcher, const struct lauka_session *ends,
                            struct lauka_error *error)
{
    struct search search = {
        .revisions = revisions,
        .options = options,
        .launcher = launcher,
        .slow = revisions->all[1].commit,
        .low = revisions->all[0].commit,
        .word = word_of_all(&ends->benchmarks[0]),
        .prose =
            lauka_prose_begin(NULL, lauka_terminal_detect(STDOUT_FILENO, options->write.color)),
    };
    bool good = keep(&search, &search.fast, search.low) || lauka_fail_memory(error), end = false;

    search.shown = (struct evidence){"", search.word};
    if (!options->measure.pretended)
        note_ends(&search, &ends->benchmarks[0].run);

    if (judge(&ends->benchmarks[0]) != ANSWER_SLOW) {
        printf("\n%s is not known to be %s than %s: there is nothing to look for between them\n",
               revisions->all[1].name, search.word, revisions->all[0].name);
        end = true;
    }
    bool found = !end;
    good = good && (end || count_steps(&search, error));
    while (good && !end) {
        const char *commit = next_commit(&search, &end, error);
        good = commit || end;
        if (commit && is_budget_spent(&search)) {
            tell_budget(&search);
            end = true;
        }
        good = good && (end || step(&search, commit, error));
    }
    good = good && (!found || conclude(&search, error));
    if (found && lauka_interrupt_signal()) {
        tell_interrupted(&search);
        good = true; /* the exit code says it, too */
    }
    lauka_prose_done(&search.prose);
    return good;
}
