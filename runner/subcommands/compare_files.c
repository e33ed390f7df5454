/* lauka compare: files instead of runs, from there on the same way. */
#include "runner/subcommands/subcommands.h"
#include "report/load/load.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/gate/gate.h"
#include "runner/metrics/metrics.h"
#include "runner/options.h"
#include "runner/session/session.h"
#include "stats/stats.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MAX = 1024 };

static bool no_memory(struct lauka_error *error)
{
    return lauka_fail(error, LAUKA_EXIT_INTERNAL, "out of memory for the stored values");
}

static bool refuse(int failure, const struct lauka_load_error *reason, struct lauka_error *error)
{
    if (failure == ENOMEM)
        return no_memory(error);
    return lauka_fail(error, LAUKA_EXIT_USAGE, "%s", reason->text);
}

static bool load_part(const char *name, const char *column, struct lauka_part *part,
                      struct lauka_error *error)
{
    struct lauka_load_error reason;
    size_t size = 0;

    part->name = name;
    char *bytes = lauka_file_read(name, &size, error);
    bool good = bytes != NULL;
    if (good) {
        const struct lauka_stored stored = {name, bytes, size, column};
        int failure = lauka_load(&stored, &part->result, &reason);
        good = !failure || refuse(failure, &reason, error);
    }
    free(bytes);
    return good;
}

static void forget_primaries(struct lauka_result *result)
{
    for (size_t m = 0; m < result->metric_count; m++)
        result->metrics[m].primary = false;
}

/* What was asked for; or what the stored result was about; or what a run would be about; or, in
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

/* Stored results know with which confidence they were measured; bare values do not. */
static bool complete(const struct lauka_options *options, struct lauka_result *result,
                     struct lauka_error *error)
{
    struct lauka_result_run *run = &result->run;

    run->unpaired |= options->unpaired;
    if (run->alpha <= 0)
        run->alpha = LAUKA_ALPHA_FIXED;
    if (run->precision <= 0)
        run->precision = LAUKA_PRECISION_DEFAULT;
    return choose_primaries(options, result, error) && lauka_shown_choose(result, options, error);
}

static bool is_gated(const struct lauka_options *options)
{
    return options->verb == LAUKA_VERB_GATE || options->gate.rule_count > 0;
}

/* A report of verdicts asks for some. */
static bool has_verdicts(const struct lauka_options *options, const struct lauka_result *result,
                         struct lauka_error *error)
{
    if (!options->outputs[LAUKA_DOCUMENT_JUNIT].wanted || lauka_result_has_gate(result))
        return true;
    return lauka_fail(
        error, LAUKA_EXIT_USAGE,
        "--junit tells a gate's verdicts, and %.200s has none: lauka gate FILE --gate "
        "wall_time=2%%",
        options->files[0]);
}

static bool merge(const struct lauka_options *options, struct lauka_part *parts, size_t count,
                  struct lauka_result *result, struct lauka_error *error)
{
    struct lauka_survey survey = {0};
    struct lauka_load_error reason;

    if (is_gated(options) && !lauka_gate_survey(parts, count, &survey, error))
        return false;
    int failure = lauka_result_merge(parts, count, result, &reason);
    bool good = (!failure || refuse(failure, &reason, error)) && complete(options, result, error) &&
                (!is_gated(options) || lauka_gate_bind_files(result, options, &survey, error));
    free(survey.hosts);
    return good;
}

bool lauka_compare_files(const struct lauka_options *options, struct lauka_result *result,
                         struct lauka_error *error)
{
    size_t count = options->file_count, loaded = 0;
    bool good = count <= FILES_MAX;

    if (!good)
        return lauka_fail(error, LAUKA_EXIT_USAGE, "at most %d files can be compared", FILES_MAX);
    struct lauka_part *parts = calloc(count, sizeof *parts);
    if (!parts)
        return no_memory(error);
    for (; good && loaded < count; loaded++)
        good = load_part(options->files[loaded], options->column, &parts[loaded], error);
    good =
        good && merge(options, parts, count, result, error) && has_verdicts(options, result, error);
    for (size_t i = 0; i < count; i++)
        lauka_result_done(&parts[i].result);
    free(parts);
    return good;
}
