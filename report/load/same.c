/* Whether two jobs measured the same: what differs is named. */
#include "report/load/jobs.h"
#include "report/load/loader.h"
#include "report/result/record.h"
#include "report/result/result.h"
#include "report/text/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int lauka_jobs_fail(const struct lauka_job_file *job, struct lauka_load_error *error,
                    const char *format, ...)
{
    const struct lauka_stored named = {.name = job->name};
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return lauka_load_fail(&named, 0, error, "%s", text);
}

const struct lauka_result_job *lauka_job_of(const struct lauka_job_file *job)
{
    return &job->session.benchmarks[0].provenance.part;
}

struct both { /* and what is said of them */
    const struct lauka_job_file *first, *other;
    struct lauka_result *notes; /* gets warnings */
    struct lauka_load_error *error;
};

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

static bool same_limits(const struct lauka_result_gate *one, const struct lauka_result_gate *other)
{
    bool same = one->rule_count == other->rule_count && one->policy == other->policy;
    for (size_t r = 0; same && r < one->rule_count; r++)
        same = lauka_record_is_equal(&lauka_rule_record, &one->rules[r], &other->rules[r]);
    return same;
}

/* ---- what was executed ------------------------------------------------------------------------------------ */

static int warn_once(struct lauka_result *notes, const char *text)
{
    return lauka_result_has_warning(notes, text) ? 0 : lauka_result_warn(notes, text);
}

/* How many characters of the text name the folder; 0: it does not begin with it. */
static size_t folder_at(const char *text, const char *folder)
{
    size_t length = folder ? strlen(folder) : 0;
    if (length < 2 || strncmp(text, folder, length) != 0) /* "/" is no folder of its own */
        return 0;
    const char next = text[length];
    return isalnum((unsigned char)next) || (next && strchr("_-.", next)) ? 0 : length;
}

/* Each job may have run in a folder of its own, which its words may name. */
static bool same_but_for_folders(const char *one, const char *folder, const char *other,
                                 const char *other_folder)
{
    while (*one || *other) {
        size_t here = folder_at(one, folder), there = folder_at(other, other_folder);
        if (here > 0 && there > 0) {
            one += here;
            other += there;
        } else if (*one++ != *other++) {
            return false;
        }
    }
    return true;
}

/* Also behind "--input=". */
static bool are_files_of_one_name(const char *one, const char *other)
{
    const char *begin = strchr(one, '='), *end = strrchr(one, '/'),
               *other_end = strrchr(other, '/');
    size_t option = begin && end && begin < end ? (size_t)(begin - one) + 1 : 0;
    return strncmp(one, other, option) == 0 && one[option] == '/' && other[option] == '/' && end &&
           other_end && end[1] && strcmp(end, other_end) == 0;
}

static int compare_word(const struct both *both, const struct lauka_result *first,
                        const struct lauka_result *other, size_t c, size_t word)
{
    const char *one = first->commands[c].argv[word], *two = other->commands[c].argv[word];
    const char *label = first->commands[c].label;
    char text[700];
    if (same_but_for_folders(one, first->provenance.directory, two, other->provenance.directory))
        return 0;
    if (!are_files_of_one_name(one, two)) {
        snprintf(text, sizeof text, "%s of `%.40s`", word == 0 ? "program" : "argument", label);
        return differ(both, text, two, one);
    }
    snprintf(text, sizeof text,
             "`%.80s` names `%.200s` in one job and `%.200s` in another: lauka takes them for the "
             "same file",
             label, one, two);
    return warn_once(both->notes, text);
}

static size_t count_words(char *const *words)
{
    size_t count = 0;
    while (words && words[count])
        count++;
    return count;
}

/* Names may be given, so that they say nothing. */
static int compare_words(const struct both *both, const struct lauka_result *first,
                         const struct lauka_result *other, size_t c)
{
    const size_t count = count_words(first->commands[c].argv);
    const size_t others = count_words(other->commands[c].argv);
    char what[100], here[24], there[24];
    int failure = 0;
    if (count == 0 || others == 0) /* a file of something else: it is not known */
        return 0;
    snprintf(what, sizeof what, "number of arguments of `%.20s`", first->commands[c].label);
    snprintf(here, sizeof here, "%zu", others - 1);
    snprintf(there, sizeof there, "%zu", count - 1);
    for (size_t word = 0; word < count && word < others && !failure; word++)
        failure = compare_word(both, first, other, c, word);
    return failure || count == others ? failure : differ(both, what, here, there);
}

static int compare_parameters(const struct both *both, const struct lauka_parameter_value *one,
                              size_t count, const struct lauka_parameter_value *other,
                              size_t others)
{
    char what[100];
    for (size_t i = 0; i < count && i < others; i++) {
        snprintf(what, sizeof what, "parameter %.40s", other[i].name);
        if (strcmp(one[i].name, other[i].name) != 0 || strcmp(one[i].value, other[i].value) != 0)
            return differ(both, what, other[i].value, one[i].value);
    }
    return count == others ? 0
                           : lauka_jobs_fail(both->other, both->error,
                                             "has other parameters than %.200s", both->first->name);
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
        int failure = compare_parameters(both, one->parameters, one->parameter_count,
                                         two->parameters, two->parameter_count);
        failure = failure ? failure : compare_words(both, first, other, c);
        if (failure)
            return failure;
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

static int compare_executables(const struct both *both, const struct lauka_result *first,
                               const struct lauka_result *other)
{
    char text[700];
    for (size_t c = 0; c < first->command_count; c++) {
        const char *one = first->commands[c].executable.sha256;
        const char *two = other->commands[c].executable.sha256;
        const char *commit = commit_of(first, c), *other_commit = commit_of(other, c);
        if (one && two && strcmp(one, two) == 0)
            continue;
        const char *own = first->commands[c].revision.commit;
        const char *theirs = other->commands[c].revision.commit;
        if (own && theirs && strcmp(own, theirs) != 0)
            return differ(both, "commit", theirs, own);
        if (!one || !two)
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
    int failure =
        compare_parameters(both, first->benchmark.parameters, first->benchmark.parameter_count,
                           other->benchmark.parameters, other->benchmark.parameter_count);
    failure = failure ? failure : compare_sides(both, first, other);
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
