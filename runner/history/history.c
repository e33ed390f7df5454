/* lauka history: adds results to the store, shows the steps in it, and judges them by limits. */
#include "runner/history/history.h"
#include "report/analysis/analysis.h"
#include "report/history/history.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/options.h"
#include "runner/options/options.h"
#include "runner/revisions/revisions.h"
#include "runner/subcommands/subcommands.h"
#include "stats/stats.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- adding ------------------------------------------------------------------------------------ */

static bool add_files(const struct lauka_store *store, const struct lauka_options *options,
                      struct lauka_error *error)
{
    bool good = true;

    for (size_t i = 0; good && i < options->run.file_count; i++) {
        const char *name = options->run.files[i];
        struct lauka_session session = {0};
        size_t added = 0;
        good = lauka_stored_read(name, NULL, &session, error) &&
               (lauka_session_analyse(&session) == 0 || lauka_fail_memory(error)) &&
               lauka_store_add(store, &session, &added, error) &&
               (added > 0 ||
                lauka_misuse(error,
                             "%.500s has nothing to keep: its sides did not end well, have changes "
                             "that are not in a commit, or are plain numbers",
                             name));
        lauka_session_done(&session);
    }
    return good;
}

bool lauka_history_keep(const struct lauka_options *options, struct lauka_session *session,
                        struct lauka_error *error)
{
    struct lauka_store store;
    size_t added = 0;
    bool good =
        lauka_store_open(&store, options, error) && lauka_store_add(&store, session, &added, error);

    if (good && added == 0)
        fputs("lauka: --history: nothing was kept: no side ended well at a known commit\n", stderr);
    return good;
}

/* ---- limits ------------------------------------------------------------------------------------ */

/* The number of commits that --since does not contain; SIZE_MAX without. */
static bool count_since(const struct lauka_store *store, const struct lauka_options *options,
                        size_t *since, struct lauka_error *error)
{
    const char *revision = options->run.since;
    const char *range = lauka_arena_print(store->arena, "%s..HEAD", revision ? revision : "");
    const char *const words[] = {
        "rev-list", "--first-parent", "--count", "--end-of-options", range, "--", NULL};
    const struct lauka_git *git = &store->git;
    struct lauka_error why;

    const char *count =
        revision && range && git->top ? lauka_git_ask(git, git->top, NULL, words, &why) : NULL;
    *since = count ? (size_t)strtoull(count, NULL, 10) : SIZE_MAX;
    return count || !revision ||
           lauka_misuse(error, "--since %.200s: there is no such commit", revision);
}

static bool concerns(const struct lauka_gate_rule *rule, const struct lauka_history_series *series)
{
    return lauka_metric_names_agree(rule->metric, series->metric) &&
           (!rule->benchmark || fnmatch(rule->benchmark, series->benchmark, 0) == 0);
}

static bool holds(const struct lauka_gate_rule *rule, const struct lauka_history_step *step)
{
    const char *better = step->series->better;
    const double bad = strcmp(better, "higher") == 0
                           ? (step->high.known && step->high.value > 0 ? 1 / step->high.value : 1)
                           : (step->low.known ? step->low.value : 1);

    return !concerns(rule, step->series) || bad - 1 <= (rule->share.known ? rule->share.value : 0);
}

static bool counts(const struct lauka_store *store, const struct lauka_history *history,
                   const struct lauka_history_step *step, size_t since)
{
    const struct lauka_history_session *after = lauka_history_after(history, step);

    return step->is_worse && step->certainty <= LAUKA_STEP_CONFIRMED &&
           store->commit_count - lauka_store_place(store, after->commit) <= since;
}

static void report_failure(const struct lauka_history *history,
                           const struct lauka_history_step *step)
{
    struct lauka_error note;
    const struct lauka_history_series *series = step->series;
    const char *commit = lauka_history_after(history, step)->commit;

    lauka_fail(&note, LAUKA_EXIT_REGRESSION,
               "gate: %.300s: %.100s went from %.9g to %.9g since %.12s (%s)", series->name,
               series->metric, step->before, step->after, commit ? commit : "a session",
               lauka_certainty_names[step->certainty]);
    lauka_error_print(&note);
}

static bool check_rules(const struct lauka_options *options, struct lauka_error *error)
{
    const struct lauka_result_gate *gate = &options->judge.gate;

    if (options->run.since && gate->rule_count == 0)
        return lauka_misuse(error, "--since goes with --gate, as in --gate cpu_time=2%%");
    for (size_t i = 0; i < gate->rule_count; i++)
        if (gate->rules[i].most.known || gate->rules[i].absolute.known ||
            gate->rules[i].statistic != LAUKA_STATISTIC_TYPICAL)
            return lauka_misuse(
                error,
                "--gate %.100s: lauka history judges shares of the typical value, as "
                "in cpu_time=2%%",
                gate->rules[i].metric);
    return true;
}

/* A limit of what is in no session would always hold. */
static bool check_metrics(const struct lauka_history *history, const struct lauka_result_gate *gate,
                          struct lauka_error *error)
{
    for (size_t r = 0; r < gate->rule_count && history->series_count > 0; r++) {
        bool found = false;
        for (size_t i = 0; i < history->series_count; i++)
            found |= concerns(&gate->rules[r], &history->series[i]);
        if (!found)
            return lauka_misuse(error, "--gate %.100s: no session of the history has it",
                                gate->rules[r].metric);
    }
    return true;
}

/* Returns the exit code. */
static int judge(const struct lauka_store *store, const struct lauka_history *history,
                 const struct lauka_result_gate *gate, size_t since)
{
    int code = LAUKA_EXIT_DONE;

    for (size_t i = 0; i < history->step_count; i++) {
        const struct lauka_history_step *step = &history->steps[i];
        bool held = true;
        for (size_t r = 0; r < gate->rule_count; r++)
            held &= holds(&gate->rules[r], step);
        if (held || !counts(store, history, step, since))
            continue;
        report_failure(history, step);
        code = LAUKA_EXIT_REGRESSION;
    }
    return code;
}

/* ---- two stored sessions ----------------------------------------------------------------------- */

static double typical_of(const struct lauka_result *result, size_t command, size_t metric)
{
    struct lauka_summary summary;

    return lauka_summarize(&result->commands[command].series[metric], &summary) == 0
               ? summary.median / lauka_result_unit(&result->metrics[metric])
               : 0;
}

/* A result of two files is called after these; in the history its benchmark is the one with the same words. */
static const char *benchmark_of(const struct lauka_history *history,
                                const struct lauka_result *result)
{
    if (result->benchmark.name)
        return result->benchmark.name;
    for (size_t i = history->command_count; result->commands[0].argv && i-- > 0;)
        if (lauka_words_are_same(history->commands[i].words, result->commands[0].argv))
            return history->commands[i].name;
    return result->commands[0].label;
}

/* Each metric gets the spread of earlier sessions of the same command on the same host. */
static bool compare_result(const struct lauka_history *history, struct lauka_result *result,
                           struct lauka_error *error)
{
    const char *name = benchmark_of(history, result);
    char host[LAUKA_FINGERPRINT_SIZE];
    uint64_t most = 0;

    if (result->run.apart != LAUKA_APART_SESSIONS || result->command_count != 2)
        return true;
    for (size_t m = 0; m < result->metric_count && lauka_host_fingerprint(&result->host, host);
         m++) {
        struct lauka_result_metric *metric = &result->metrics[m];
        const double own[2] = {typical_of(result, 0, m), typical_of(result, 1, m)};
        metric->sessions = lauka_history_spread(history, name, metric->name, host, own);
        most = metric->sessions.count > most ? metric->sessions.count : most;
    }
    const int failure = most >= LAUKA_FEWEST_SESSIONS
                            ? lauka_result_note(result,
                                                "the interval is that of two sessions measured "
                                                "apart, from %zu earlier sessions of this command "
                                                "on this host",
                                                (size_t)most)
                            : lauka_result_note(result,
                                                "the history has %zu earlier sessions of this "
                                                "command on this host; an interval takes %d",
                                                (size_t)most, LAUKA_FEWEST_SESSIONS);
    return !failure || lauka_fail_memory(error);
}

bool lauka_history_compare(const struct lauka_options *options, struct lauka_session *session,
                           struct lauka_error *error)
{
    struct lauka_history history = {0};
    struct lauka_store store;
    bool good =
        lauka_store_open(&store, options, error) && lauka_store_read(&store, &history, error);

    for (size_t b = 0; good && b < session->benchmark_count; b++)
        good = compare_result(&history, &session->benchmarks[b], error);
    lauka_history_done(&history);
    return good;
}

/* ---- all of it --------------------------------------------------------------------------------- */

static bool read_store(struct lauka_store *store, const struct lauka_options *options,
                       struct lauka_history *history, struct lauka_error *error)
{
    lauka_history_done(history);
    if (!lauka_store_read(store, history, error))
        return false;
    for (size_t i = 0; i < history->series_count; i++)
        history->series[i].is_hidden = !lauka_options_choose(options, history->series[i].benchmark);
    return lauka_history_search(history, LAUKA_ALPHA_FIXED) == 0 || lauka_fail_memory(error);
}

/* Measures what it was asked to, and reads what is known then. */
static bool find_out(struct lauka_store *store, const struct lauka_options *options,
                     struct lauka_history *history, struct lauka_error *error)
{
    const bool begins = options->run.backfill && access(store->folder, F_OK) != 0;

    return (begins || read_store(store, options, history, error)) &&
           (!options->run.backfill || (lauka_history_backfill(store, history, options, error) &&
                                       read_store(store, options, history, error))) &&
           (!options->run.confirm || (lauka_history_confirm(store, history, options, error) &&
                                      read_store(store, options, history, error)));
}

static bool show(const struct lauka_history *history, const struct lauka_options *options,
                 FILE *out, struct lauka_error *error)
{
    const int failure =
        lauka_outputs_take_stdout(options)
            ? 0
            : lauka_history_show(history,
                                 lauka_terminal_detect(STDOUT_FILENO, options->write.color), out);

    return !failure || lauka_fail_stdout(error, failure);
}

static bool look(struct lauka_store *store, const struct lauka_options *options, FILE *out,
                 int *code, struct lauka_error *error)
{
    struct lauka_history history = {0};
    struct lauka_outputs outputs;
    struct lauka_error further;
    size_t since;

    if (!check_rules(options, error) || !count_since(store, options, &since, error) ||
        !lauka_outputs_open(&outputs, options, error))
        return false;
    outputs.history = &history;
    bool good = find_out(store, options, &history, error) &&
                check_metrics(&history, &options->judge.gate, error);
    good = lauka_outputs_write(&outputs, NULL, !good, good ? error : &further) && good &&
           show(&history, options, out, error);
    if (good)
        *code = judge(store, &history, &options->judge.gate, since);
    lauka_history_done(&history);
    return good;
}

bool lauka_history_run(const struct lauka_options *options, FILE *out, int *code,
                       struct lauka_error *error)
{
    struct lauka_store store;

    *code = LAUKA_EXIT_DONE;
    return lauka_store_open(&store, options, error) &&
           (options->run.file_count > 0 ? add_files(&store, options, error)
                                        : look(&store, options, out, code, error));
}
