/* Whether two jobs measured the same: what differs is named. */
#include "report/load/jobs.h"
#include "report/load/loader.h"
#include "report/result/result.h"
#include "report/text/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct both { /* and what is said of them */
    const struct lauka_job_file *first, *other;
    struct lauka_result *notes; /* gets warnings */
    struct lauka_load_error *error;
};

static bool same_number(struct lauka_optional left, struct lauka_optional right)
{
    return left.known == right.known && (!left.known || left.value == right.value);
}

static int differ(const struct both *both, const char *what, const char *here, const char *there)
{
    return lauka_jobs_fail(both->other, both->error,
                           "has another %.60s than %.160s: `%.80s`, not `%.80s`", what,
                           both->first->name, here ? here : "", there ? there : "");
}

/* ---- options --------------------------------------------------------------------------------------- */

/* The seed is each job's own; what is shown is no matter of the measurement. */
static bool matters(const struct lauka_result_option *option)
{
    return (strcmp(option->name, "seed") != 0 || option->given) &&
           strcmp(option->name, "metrics") != 0;
}

/* The option of that name that has as many of the name before it; NULL: there is none. */
static const struct lauka_result_option *counterpart(const struct lauka_result *from,
                                                     const struct lauka_result_option *option,
                                                     const struct lauka_result *in)
{
    size_t before = 0;
    for (const struct lauka_result_option *own = from->options; own < option; own++)
        before += strcmp(own->name, option->name) == 0;
    for (size_t i = 0; i < in->option_count; i++)
        if (strcmp(in->options[i].name, option->name) == 0 && before-- == 0)
            return &in->options[i];
    return NULL;
}

static int compare_options(const struct both *both, const struct lauka_result *first,
                           const struct lauka_result *other)
{
    char name[100];
    for (size_t i = 0; i < other->option_count; i++) {
        const struct lauka_result_option *own = &other->options[i];
        const struct lauka_result_option *theirs = counterpart(other, own, first);
        snprintf(name, sizeof name, "option --%.60s", own->name);
        if (matters(own) && !theirs)
            return lauka_jobs_fail(both->other, both->error, "has an %s, %.200s has none", name,
                                   both->first->name);
        if (matters(own) && !lauka_text_is(own->value, theirs->value))
            return differ(both, name, own->value, theirs->value);
    }
    for (size_t i = 0; i < first->option_count; i++)
        if (matters(&first->options[i]) && !counterpart(first, &first->options[i], other))
            return lauka_jobs_fail(both->other, both->error,
                                   "has no option --%.60s, %.200s has one", first->options[i].name,
                                   both->first->name);
    return 0;
}

/* ---- limits ------------------------------------------------------------------------------------------ */

static bool same_rule(const struct lauka_gate_rule *one, const struct lauka_gate_rule *other)
{
    return lauka_text_is(one->benchmark, other->benchmark) &&
           lauka_text_is(one->metric, other->metric) && one->statistic == other->statistic &&
           one->rank == other->rank && same_number(one->share, other->share) &&
           same_number(one->absolute, other->absolute) && same_number(one->most, other->most);
}

static bool same_limits(const struct lauka_result_gate *one, const struct lauka_result_gate *other)
{
    bool same = one->rule_count == other->rule_count && one->policy == other->policy;
    for (size_t r = 0; same && r < one->rule_count; r++)
        same = same_rule(&one->rules[r], &other->rules[r]);
    return same;
}

/* ---- benchmarks and sides ------------------------------------------------------------------------------ */

static int compare_sides(const struct both *both, const struct lauka_result *first,
                         const struct lauka_result *other)
{
    if (first->command_count != other->command_count)
        return lauka_jobs_fail(both->other, both->error, "has %zu commands, but %.200s has %zu",
                               other->command_count, both->first->name, first->command_count);
    for (size_t c = 0; c < first->command_count; c++) {
        const struct lauka_result_command *one = &first->commands[c], *two = &other->commands[c];
        if (!lauka_text_is(one->label, two->label))
            return differ(both, "command", two->label, one->label);
        if (!lauka_text_is(one->side, two->side))
            return differ(both, "side", two->side, one->side);
        if (!one->streams != !two->streams)
            return lauka_jobs_fail(
                both->other, both->error, "keeps %s single values, but %.200s does%s",
                two->streams ? "no" : "its", both->first->name, two->streams ? "" : " not");
    }
    return 0;
}

/* ---- executables ----------------------------------------------------------------------------------------- */

/* Of the command where it is one of a revision's, otherwise of the directory. */
static const char *commit_of(const struct lauka_result *result, size_t command)
{
    const char *commit = result->commands[command].revision.commit;
    return commit ? commit : result->provenance.commit;
}

static int warn_once(struct lauka_result *notes, const char *text)
{
    for (size_t w = 0; w < notes->warning_count; w++)
        if (strcmp(notes->warnings[w], text) == 0)
            return 0;
    return lauka_result_warn(notes, text);
}

static int compare_executables(const struct both *both, const struct lauka_result *first,
                               const struct lauka_result *other)
{
    char text[700];
    for (size_t c = 0; c < first->command_count; c++) {
        const char *one = first->commands[c].executable.sha256;
        const char *two = other->commands[c].executable.sha256;
        const char *commit = commit_of(first, c), *other_commit = commit_of(other, c);
        if (!one || !two || strcmp(one, two) == 0)
            continue;
        if (!commit || !other_commit || strcmp(commit, other_commit) != 0)
            return lauka_jobs_fail(both->other, both->error,
                                   "`%.80s` is another program than in %.200s (SHA-256 %.12s, not "
                                   "%.12s), and not known to be of the same commit",
                                   first->commands[c].label, both->first->name, two, one);
        snprintf(text, sizeof text,
                 "`%.80s` is not the same file in all jobs, but of the same commit: each job "
                 "compares what was built for it",
                 first->commands[c].label);
        if (warn_once(both->notes, text) != 0)
            return ENOMEM;
    }
    return 0;
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

static int compare_benchmark(const struct both *both, const struct lauka_result *first,
                             const struct lauka_result *other)
{
    if (!lauka_text_is(first->benchmark.name, other->benchmark.name))
        return differ(both, "benchmark", other->benchmark.name, first->benchmark.name);
    if (first->run.unpaired || other->run.unpaired)
        return lauka_jobs_fail(both->other, both->error, "holds values that are not paired");
    int failure = compare_sides(both, first, other);
    if (!failure)
        failure = compare_options(both, first, other);
    if (!failure && !same_limits(&first->gate, &other->gate))
        failure = lauka_jobs_fail(both->other, both->error, "has other limits than %.200s",
                                  both->first->name);
    if (!failure && first->benchmark.units.kind != other->benchmark.units.kind)
        failure = differ(both, "kind of units", lauka_unit_name(other->benchmark.units.kind),
                         lauka_unit_name(first->benchmark.units.kind));
    return failure ? failure : compare_executables(both, first, other);
}

int lauka_jobs_compare(const struct lauka_job_file *first, const struct lauka_job_file *other,
                       struct lauka_result *notes, struct lauka_load_error *error)
{
    const struct both both = {first, other, notes, error};
    const size_t count = first->session.benchmark_count;
    int failure = 0;
    if (count != other->session.benchmark_count)
        return lauka_jobs_fail(other, error, "has %zu benchmark%s, but %.200s has %zu",
                               other->session.benchmark_count,
                               other->session.benchmark_count == 1 ? "" : "s", first->name, count);
    for (size_t b = 0; b < count && !failure; b++)
        failure =
            compare_benchmark(&both, &first->session.benchmarks[b], &other->session.benchmarks[b]);
    return failure;
}
