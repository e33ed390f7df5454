/* lauka compare, gate and report: they read files instead of measuring, and from there on do the same. */
#include "runner/subcommands/subcommands.h"
#include "report/load/load.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "runner/base/base.h"
#include "runner/gate/gate.h"
#include "runner/metrics/metrics.h"
#include "runner/options.h"
#include "runner/options/options.h"
#include "runner/session/session.h"
#include "stats/stats.h"

#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 1024 };

static void forget_primaries(struct lauka_result *result)
{
    for (size_t m = 0; m < result->metric_count; m++)
        result->metrics[m].primary = false;
}

/* What was asked for; or what the stored result was about; or the metric that a run would be about; or, in
 * data of another kind, the first metric. */
static bool choose_primaries(const struct lauka_options *options, struct lauka_result *result,
                             struct lauka_error *error)
{
    static const char *const by_default[] = {"wall_time", "cpu_time"};
    bool any = false;

    if (strcmp(options->primary, LAUKA_PRIMARY) != 0) {
        forget_primaries(result);
        return lauka_outline_choose(result, options->primary, error);
    }
    for (size_t m = 0; m < result->metric_count; m++)
        any |= result->metrics[m].primary;
    for (size_t i = 0; !any && i < sizeof by_default / sizeof *by_default; i++) {
        size_t m = lauka_result_metric_index(result, by_default[i]);
        if (m < result->metric_count)
            result->metrics[m].primary = true;
    }
    for (size_t m = 0; m < result->metric_count; m++)
        any |= result->metrics[m].primary;
    if (!any)
        result->metrics[0].primary = true;
    return true;
}

/* Because somebody says that the n-th values belong together. */
static bool pair_values(struct lauka_result *result, struct lauka_error *error)
{
    bool possible = !result->run.samples_left_out;

    for (size_t c = 0; possible && c < result->command_count; c++)
        possible = result->commands[c].series[0].count == result->run.rounds;
    for (size_t m = 0; possible && m < result->metric_count; m++)
        possible = !(result->metrics[m].bins > 0);
    result->run.unpaired = false;
    result->run.apart = LAUKA_APART_NOT;
    return possible ||
           lauka_fail(error, LAUKA_EXIT_USAGE, "--paired needs as many single values on each side");
}

static bool has_source(const struct lauka_result *result, const char *source)
{
    for (size_t m = 0; m < result->metric_count; m++)
        if (strcmp(result->metrics[m].source, source) != 0)
            return false;
    return true;
}

/* What one observation is where sides come from different files: a session of one side is one, whatever the others are. */
static enum lauka_apart part_sides(const struct lauka_part *parts, size_t count)
{
    enum lauka_apart apart = LAUKA_APART_NOT;

    for (size_t p = 0; p < count; p++) {
        const struct lauka_result *part = &parts[p].result;
        if (has_source(part, LAUKA_SOURCE_FILE) || has_source(part, LAUKA_SOURCE_LOGS))
            continue;
        if (!has_source(part, LAUKA_SOURCE_HLOG))
            return LAUKA_APART_SESSIONS;
        apart = LAUKA_APART_LOGS;
    }
    return apart;
}

/* Stored results know the confidence with which they were measured; bare values do not. */
static bool complete(const struct lauka_options *options, struct lauka_result *result,
                     struct lauka_error *error)
{
    struct lauka_result_run *run = &result->run;

    if (options->unpaired) {
        run->unpaired = true;
        run->apart = LAUKA_APART_NOT;
    }
    if (options->paired && !pair_values(result, error))
        return false;
    run->samples_plain |= options->samples == LAUKA_SAMPLES_PLAIN;
    if (run->alpha <= 0)
        run->alpha = LAUKA_ALPHA_FIXED;
    if (run->precision <= 0)
        run->precision = LAUKA_PRECISION_DEFAULT;
    return choose_primaries(options, result, error) && lauka_shown_choose(result, options, error);
}

static bool is_gated(const struct lauka_options *options, const struct lauka_part *parts)
{
    return lauka_pairs_are_gated(options) ||
           (options->verb == LAUKA_VERB_MERGE && lauka_result_has_gate(&parts[0].result));
}

/* A report of verdicts needs some. */
static bool has_verdicts(const struct lauka_options *options, const struct lauka_session *session,
                         struct lauka_error *error)
{
    if (!options->outputs[LAUKA_DOCUMENT_JUNIT].wanted || lauka_session_has_gate(session))
        return true;
    return lauka_fail(
        error, LAUKA_EXIT_USAGE,
        "--junit reports a gate's verdicts, and %.200s has none: run lauka gate FILE --gate "
        "wall_time=2%%",
        options->files[0]);
}

static bool merge(const struct lauka_options *options, struct lauka_part *parts, size_t count,
                  struct lauka_result *result, struct lauka_error *error)
{
    struct lauka_survey survey = {0};
    struct lauka_load_error reason;

    const bool gated = is_gated(options, parts);
    if (gated && !lauka_gate_survey(parts, count, &survey, error))
        return false;
    const enum lauka_apart apart = count > 1 ? part_sides(parts, count) : LAUKA_APART_NOT;
    int failure = lauka_result_merge(parts, count, result, &reason);
    if (count > 1) {
        result->run.unpaired = true;
        result->run.apart = apart;
    }
    bool good = (!failure || lauka_stored_file_refuse(failure, &reason, error)) &&
                complete(options, result, error) &&
                (!gated || lauka_gate_bind_files(result, options, &survey, error));
    free(survey.hosts);
    return good;
}

/* ---- one benchmark, which nobody named -------------------------------------------------------------- */

static void parts_done(struct lauka_part *parts, size_t count)
{
    for (size_t i = 0; parts && i < count; i++)
        lauka_result_done(&parts[i].result);
    free(parts);
}

static bool merge_unnamed(const struct lauka_options *options, struct lauka_stored_file *files,
                          size_t count, struct lauka_session *session, struct lauka_error *error)
{
    if (!lauka_options_check_limits(options, error))
        return false;
    struct lauka_part *parts = calloc(count, sizeof *parts);
    bool good = (parts && lauka_session_init(session, 1) == 0) || lauka_fail_memory(error);

    for (size_t f = 0; good && f < count; f++) {
        parts[f].name = files[f].name;
        parts[f].result = files[f].session.benchmarks[0];
        files[f].session.benchmarks[0] = (struct lauka_result){0};
    }
    good = good && merge(options, parts, count, &session->benchmarks[0], error);
    parts_done(parts, count);
    return good;
}

/* ---- benchmarks by their names ---------------------------------------------------------------------- */

/* The options as each of the benchmarks sees them: limits may be about some of them only. */
static bool bind(const struct lauka_options *options, struct lauka_pair *pairs, size_t count,
                 struct lauka_session *session, struct lauka_error *error)
{
    struct lauka_options *all = calloc(2, sizeof *all), *own = all ? all + 1 : NULL;
    struct lauka_benchmark *benchmarks = calloc(count + 1, sizeof *benchmarks);
    bool good = (all && benchmarks) || lauka_fail_memory(error);

    if (good) {
        *all = *options;
        all->benchmarks = benchmarks;
        all->benchmark_count = count;
    }
    for (size_t p = 0; good && p < count; p++)
        benchmarks[p].name = pairs[p].benchmark;
    good = good && lauka_options_check_limits(all, error);
    for (size_t p = 0; good && p < count; p++) {
        char *name = session->benchmarks[p].benchmark.name;
        if (lauka_options_of(all, p, own) != 0) {
            good = lauka_fail_memory(error);
            break;
        }
        session->benchmarks[p].benchmark.name = NULL; /* what is merged has none */
        good = merge(own, pairs[p].parts, pairs[p].part_count, &session->benchmarks[p], error);
        if (!session->benchmarks[p].benchmark.name)
            session->benchmarks[p].benchmark.name = name;
        else
            free(name);
        lauka_options_of_done(own);
    }
    free(benchmarks);
    free(all);
    return good;
}

/* In front of all others, because what is missing matters most. */
static bool warn_first(struct lauka_result *result, size_t place, const char *text)
{
    if (lauka_result_warn(result, text) != 0)
        return false;
    char *own = result->warnings[result->warning_count - 1];
    for (size_t w = result->warning_count - 1; w > place; w--)
        result->warnings[w] = result->warnings[w - 1];
    result->warnings[place] = own;
    return true;
}

static bool merge_named(const struct lauka_options *options, struct lauka_stored_file *files,
                        size_t count, struct lauka_session *session, struct lauka_error *error)
{
    struct lauka_pairs pairs;
    bool good = lauka_pairs_make(options, files, count, &pairs, error);

    if (good && lauka_session_init(session, pairs.count) != 0)
        good = lauka_fail_memory(error);
    for (size_t p = 0; good && p < pairs.count; p++) {
        session->benchmarks[p].benchmark.name = pairs.pairs[p].name;
        pairs.pairs[p].name = NULL;
    }
    good = good && bind(options, pairs.pairs, pairs.count, session, error);
    for (size_t w = 0; good && w < pairs.warning_count; w++)
        good =
            warn_first(&session->benchmarks[0], w, pairs.warnings[w]) || lauka_fail_memory(error);
    lauka_pairs_done(&pairs);
    return good;
}

/* ---- both ------------------------------------------------------------------------------------------- */

/* Jobs become the only file. */
static bool load(const struct lauka_options *options, struct lauka_stored_file *files,
                 struct lauka_error *error)
{
    if (options->verb == LAUKA_VERB_MERGE)
        return lauka_merge_jobs(options, &files[0], error);
    for (size_t f = 0; f < options->file_count; f++)
        if (!lauka_stored_file_read(options->files[f], options->column, &files[f], error))
            return false;
    return true;
}

/* ---- several logs a side ------------------------------------------------------------------------------ */

static bool join_side(struct lauka_stored_file *files, size_t count, struct lauka_stored_file *side,
                      struct lauka_error *error)
{
    const struct lauka_result **logs = calloc(count, sizeof *logs);
    bool good = logs || lauka_fail_memory(error);

    for (size_t f = 0; good && f < count; f++) {
        logs[f] = &files[f].session.benchmarks[0];
        good = (files[f].session.benchmark_count == 1 && logs[f]->command_count == 1 &&
                has_source(logs[f], LAUKA_SOURCE_HLOG)) ||
               lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--vs stands between HdrHistogram logs, each of one command; %.200s is "
                          "none",
                          files[f].name);
    }
    side->name = files[0].name;
    good = good && (lauka_logs_join(logs, count, side->name, &side->session) == 0 ||
                    lauka_fail_memory(error));
    free(logs);
    return good;
}

/* The logs of each side become one file, whose values are figures of the logs. */
static bool join_logs(const struct lauka_options *options, struct lauka_stored_file *files,
                      size_t *count, struct lauka_error *error)
{
    struct lauka_stored_file sides[2] = {{0}};
    const size_t all = *count, first = options->vs;

    if (first == 0)
        return true;
    bool good = join_side(files, first, &sides[0], error) &&
                join_side(files + first, all - first, &sides[1], error);
    for (size_t f = 0; f < all; f++) {
        lauka_session_done(&files[f].session);
        files[f] = f < 2 ? sides[f] : (struct lauka_stored_file){0};
    }
    *count = 2;
    return good;
}

/* Makes benchmarks of commands that are in several files. */
static bool name_commands(const struct lauka_options *options, struct lauka_stored_file *files,
                          size_t count, bool *named, struct lauka_error *error)
{
    if (*named || count < 2 || !lauka_namesakes_are_there(files, count))
        return true;
    if (lauka_pairs_are_gated(options) && !lauka_namesakes_check(files, count, error))
        return false;
    *named = true;
    return lauka_namesakes_split(files, count) == 0 || lauka_fail_memory(error);
}

static bool are_named(const struct lauka_stored_file *files, size_t count, bool *named,
                      struct lauka_error *error)
{
    for (size_t f = 0; f < count; f++)
        *named |= lauka_session_is_named(&files[f].session);
    for (size_t f = 0; *named && f < count; f++)
        if (!lauka_session_is_named(&files[f].session))
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "%.200s has no benchmarks, but another file has: compare results "
                              "with the same benchmarks",
                              files[f].name);
    return true;
}

bool lauka_compare_files(const struct lauka_options *options, struct lauka_session *session,
                         struct lauka_error *error)
{
    size_t count = options->verb == LAUKA_VERB_MERGE ? 1 : options->file_count;
    bool named = false;

    if (options->file_count > FILES_MAX)
        return lauka_fail(error, LAUKA_EXIT_USAGE, "at most %d files can be read", FILES_MAX);
    struct lauka_stored_file *files = calloc(count, sizeof *files);
    if (!files)
        return lauka_fail_memory(error);
    bool good = load(options, files, error) && join_logs(options, files, &count, error) &&
                are_named(files, count, &named, error) &&
                name_commands(options, files, count, &named, error) &&
                (named ? merge_named(options, files, count, session, error)
                       : merge_unnamed(options, files, count, session, error));
    for (size_t f = 0; f < count; f++)
        lauka_session_done(&files[f].session);
    free(files);
    return good && has_verdicts(options, session, error);
}
