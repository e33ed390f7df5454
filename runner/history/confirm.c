/* Measuring again: the commits beside a suspected step, or those of a range, are built and measured in turns, by a lauka of
 * their own. */
#include "runner/history/history.h"
#include "report/analysis/analysis.h"
#include "report/history/history.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/machine/machine.h"
#include "runner/options.h"
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/revisions/revisions.h"
#include "runner/subcommands/subcommands.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* ---- another lauka ----------------------------------------------------------------------------- */

struct words {
    struct lauka_arena *arena;
    struct lauka_texts all; /* all borrowed */
    bool lost;              /* memory ran out */
};

static void add(struct words *words, const char *text)
{
    words->lost |= !lauka_arena_add_text(words->arena, &words->all.texts, &words->all.count, text);
}

/* What was typed and is an option of revisions as well. */
static void add_options(struct words *words, const struct lauka_options *options)
{
    const struct lauka_arguments *arguments = options->arguments;

    for (size_t i = 0; i < arguments->given_count; i++) {
        const struct lauka_given *given = &arguments->given[i];
        const struct option_row *row = given->row;
        if (!(row->verbs & 1u << LAUKA_VERB_REVISIONS) || row->verbs == ~0u ||
            row->id >= OPTION_DOCUMENT || row->id == OPTION_HISTORY || row->id == OPTION_GATE ||
            row->id == OPTION_BENCHMARK)
            continue;
        for (size_t w = 0; w < given->word_count; w++)
            add(words, given->words[w]);
    }
}

/* Runs lauka with these words. False with the error unless it ended well. */
static bool run_again(struct words *words, struct lauka_error *error)
{
    char self[4096];
    int status = 0;

    if (!lauka_arena_add(words->arena, &words->all.texts, &words->all.count,
                         sizeof *words->all.texts) ||
        words->lost)
        return lauka_fail_memory(error);
    if (lauka_own_path(self, sizeof self) != 0)
        return lauka_fail(error, LAUKA_EXIT_HOST, "where lauka itself lies is not known");
    const pid_t pid = lauka_child_start(&(struct lauka_child){
        .path = self,
        .arguments = words->all.texts,
        .environment = (const char *const *)environ,
        .output = -1,
        .error = STDERR_FILENO,
    });
    if (pid < 0)
        return lauka_fail(error, LAUKA_EXIT_HOST, "cannot start lauka again: %s", strerror(errno));
    if (!lauka_child_await(pid, &status))
        return lauka_fail(error, lauka_interrupt_exit(), "interrupted while commits were measured");
    return (WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
           lauka_fail(error,
                      WIFEXITED(status) ? (enum lauka_exit)WEXITSTATUS(status)
                                        : LAUKA_EXIT_INTERNAL,
                      "the commits were not measured: see above");
}

/* Runs lauka with these words after `revisions`, its options and the command, and reads its result. first: gets the hash
 * of the first slower commit, or stays as it is if that was not found; NULL: it is not searched. */
static bool measure(struct words *words, const struct lauka_options *options,
                    const struct lauka_history_command *command, const char **first,
                    struct lauka_session *session, struct lauka_error *error)
{
    char folder[LAUKA_FOLDER_SIZE], path[LAUKA_FOLDER_SIZE + 20];
    const int failure = lauka_folder_make("history", folder);
    if (failure)
        return lauka_fail(error, LAUKA_EXIT_HOST, "a folder for a result: %s", strerror(failure));
    add(words, lauka_arena_print(words->arena, "--json=%s/result.json", folder));
    if (first)
        add(words, lauka_arena_print(words->arena, "--first-slower=%s/first", folder));
    add(words, "--no-config");
    add_options(words, options);
    add(words, command->is_suite ? "--suite" : "--");
    if (command->is_suite)
        add(words, lauka_quote_argv(words->arena, command->words,
                                    lauka_words_count((const char *const *)command->words)));
    for (size_t i = 0; !command->is_suite && command->words[i]; i++)
        add(words, command->words[i]);
    snprintf(path, sizeof path, "%s/result.json", folder);
    const bool good = run_again(words, error) && lauka_stored_read(path, NULL, session, error) &&
                      (lauka_session_analyse(session) == 0 || lauka_fail_memory(error));
    snprintf(path, sizeof path, "%s/first", folder);
    char *hash = good && first ? lauka_file_read_plain(path, LAUKA_ENTRY_MOST, NULL) : NULL;
    const char *kept = hash ? lauka_arena_piece(words->arena, hash, strcspn(hash, "\n")) : NULL;
    if (kept)
        *first = kept;
    free(hash);
    lauka_tree_remove(folder);
    return good && (!hash || kept || lauka_fail_memory(error));
}

/* ---- confirming -------------------------------------------------------------------------------- */

/* By its name. A suite, or an older lauka, has one for all benchmarks. */
static const struct lauka_history_command *command_of(const struct lauka_history *history,
                                                      const struct lauka_history_series *series)
{
    const struct lauka_history_command *found = NULL;

    for (size_t i = 0; i < history->command_count; i++) {
        const struct lauka_history_command *command = &history->commands[i];
        if (strcmp(command->name, series->name) == 0)
            return command;
        if (strcmp(command->name, series->side) == 0)
            found = command;
    }
    return found;
}

static bool is_open(const struct lauka_history *history, const struct lauka_history_step *step)
{
    const char *before = lauka_history_before(history, step)->commit,
               *after = lauka_history_after(history, step)->commit;

    return step->certainty == LAUKA_STEP_SUSPECTED && before && after && strcmp(before, after) != 0;
}

/* The second side against the first. Where their whole interval is less than half of the step, the machine made it. */
static enum lauka_answer_verdict verdict_of(const struct lauka_session *session,
                                            const struct lauka_history_step *step,
                                            struct lauka_comparison *found)
{
    const struct lauka_result *result = &session->benchmarks[0];
    const struct lauka_comparison *comparison =
        lauka_result_comparison(result, 1, lauka_result_metric_index(result, step->series->metric));

    *found = comparison ? *comparison : (struct lauka_comparison){0};
    if (found->verdict == LAUKA_VERDICT_EQUIVALENT || found->verdict == LAUKA_VERDICT_IDENTICAL)
        return LAUKA_ANSWER_REFUTED;
    if (!found->log_low.known || !step->ratio.known)
        return LAUKA_ANSWER_INCONCLUSIVE;
    const double size = log(step->ratio.value);
    const double most = size > 0 ? found->log_high.value : -found->log_low.value;
    if (most < fabs(size) / 2)
        return LAUKA_ANSWER_REFUTED;
    return found->verdict == (size > 0 ? LAUKA_VERDICT_HIGHER : LAUKA_VERDICT_LOWER)
               ? LAUKA_ANSWER_CONFIRMED
               : LAUKA_ANSWER_INCONCLUSIVE;
}

static bool keep_answer(const struct lauka_store *store, const struct lauka_history *history,
                        const struct lauka_history_step *step, enum lauka_answer_verdict verdict,
                        const char *first, const struct lauka_comparison *found,
                        struct lauka_error *error)
{
    char now[LAUKA_DATE_SIZE] = "", *text = NULL;
    const struct lauka_history_series *series = step->series;
    const struct lauka_entry_origin origin = {.project = store->project, .time = now};
    const struct lauka_history_answer answer = {
        .benchmark = series->benchmark,
        .side = series->side,
        .metric = series->metric,
        .before = lauka_history_before(history, step)->commit,
        .after = lauka_history_after(history, step)->commit,
        .first = first,
        .verdict = verdict,
        .ratio = found->ratio.value,
        .low = found->low.value,
        .high = found->high.value,
    };
    size_t size = 0;

    lauka_format_time(time(NULL), now);
    const bool good =
        (lauka_answer_write(&answer, &origin, &text, &size) == 0 || lauka_fail_memory(error)) &&
        lauka_store_put(store, text, size, error);
    free(text);
    return good;
}

static bool confirm_step(const struct lauka_store *store, const struct lauka_history *history,
                         const struct lauka_history_step *step, const struct lauka_options *options,
                         struct lauka_error *error)
{
    const char *before = lauka_history_before(history, step)->commit,
               *after = lauka_history_after(history, step)->commit, *first = "";
    const char *benchmark = step->series->benchmark, *metric = step->series->metric;
    const struct lauka_history_command *command = command_of(history, step->series);
    struct words words = {.arena = options->arena};
    struct lauka_session session = {0};
    struct lauka_comparison found;
    const size_t from = lauka_store_place(store, before), to = lauka_store_place(store, after);

    if (!command)
        return lauka_misuse(error, "%.200s: the history does not have its command", benchmark);
    const bool searches =
        step->is_worse && !command->is_suite && to < store->commit_count && to > from + 1;
    fprintf(stderr, "lauka: %.100s, %.100s: measuring %.10s against %.10s\n", benchmark, metric,
            before, after);
    add(&words, "lauka");
    add(&words, "revisions");
    add(&words, searches ? lauka_arena_print(options->arena, "%s..%s", before, after) : before);
    if (!searches)
        add(&words, after);
    if (command->is_suite)
        add(&words, lauka_arena_print(options->arena, "--benchmark=%s", benchmark));
    add(&words, lauka_arena_print(options->arena, "--primary=%s", metric));
    bool good = measure(&words, options, command, searches ? &first : NULL, &session, error);
    if (good) {
        const enum lauka_answer_verdict verdict = verdict_of(&session, step, &found);
        good = keep_answer(store, history, step, verdict,
                           verdict == LAUKA_ANSWER_CONFIRMED ? first : "", &found, error);
    }
    lauka_session_done(&session);
    return good;
}

bool lauka_history_confirm(const struct lauka_store *store, const struct lauka_history *history,
                           const struct lauka_options *options, struct lauka_error *error)
{
    for (size_t i = 0; i < history->step_count; i++)
        if (is_open(history, &history->steps[i]) &&
            !confirm_step(store, history, &history->steps[i], options, error))
            return false;
    return true;
}

/* ---- backfilling ------------------------------------------------------------------------------- */

/* The first-parent commits of the range, every Nth, and the last one; the oldest first. */
static bool add_range(struct words *words, const struct lauka_options *options,
                      struct lauka_error *error)
{
    const char *range = options->run.backfill, *dots = strstr(range, "..");
    struct lauka_git git;
    size_t number = 0;

    if (!dots || dots == range || !dots[2])
        return lauka_misuse(error, "--backfill %.200s: expected A..B", range);
    const char *first = lauka_arena_piece(words->arena, range, (size_t)(dots - range));
    const char *const list[] = {
        "rev-list", "--first-parent", "--reverse", "--end-of-options", range, NULL};
    char *commits = lauka_git_open(&git, words->arena, false, error)
                        ? lauka_git_ask(&git, git.top, NULL, list, error)
                        : NULL;
    if (!commits)
        return false;
    add(words, first);
    for (char *line; (line = strsep(&commits, "\n")) && *line;)
        if (++number % options->run.every == 0 || !commits || !*commits)
            add(words, line);
    return number > 0 || lauka_misuse(error, "--backfill %.200s: there is no commit in it", range);
}

bool lauka_history_backfill(const struct lauka_store *store, const struct lauka_history *history,
                            const struct lauka_options *options, struct lauka_error *error)
{
    struct words words = {.arena = options->arena};
    struct lauka_session session = {0};
    size_t added = 0;
    const bool is_known = history->command_count == 1 && !history->commands->is_suite;
    const struct lauka_history_command typed = {.words = options->run.vector},
                                       *command = is_known ? history->commands : NULL;

    if (options->run.vector_count > 0)
        command = &typed;
    if (!command)
        return lauka_misuse(error,
                            "--backfill: type the command after --, as in --backfill v1.0..HEAD "
                            "--build make -- ./prog");
    add(&words, "lauka");
    add(&words, "revisions");
    bool good = add_range(&words, options, error) &&
                measure(&words, options, command, NULL, &session, error) &&
                lauka_store_add(store, &session, &added, error);
    lauka_session_done(&session);
    return good;
}
