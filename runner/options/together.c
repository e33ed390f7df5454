/* Whether options go together, and what follows from several of them. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "pmu/events/events.h"
#include "runner/base/base.h"
#include "runner/options.h"
#include "stats/stats.h"

#include <stdio.h>

/* ---- how often, and what is counted ------------------------------------------------------------- */

/* Who counts the rounds and leaves no choice, and who limits it. */
static bool check_rounds(const struct lauka_options *options, struct lauka_error *error)
{
    if (options->rounds && (options->min_rounds || options->max_rounds))
        return lauka_fail(
            error, LAUKA_EXIT_USAGE,
            "--runs sets the exact number of rounds; it cannot be combined with --%s-runs",
            options->min_rounds ? "min" : "max");
    return !options->max_rounds || options->min_rounds <= options->max_rounds ||
           lauka_fail(error, LAUKA_EXIT_USAGE, "--min-runs %llu is more than --max-runs %llu",
                      (unsigned long long)options->min_rounds,
                      (unsigned long long)options->max_rounds);
}

/* A benchmark inside a program takes less than a program; each process warms up by itself. */
static void finish_suite(struct lauka_options *options)
{
    if (!lauka_arguments_find(options->arguments, OPTION_WARMUP))
        options->warmup = 0;
    if (!options->has_max_time)
        options->max_time_ns = UINT64_C(1000000000);
    if (!lauka_arguments_find(options->arguments, OPTION_UNTIL))
        options->until = 0.005; /* rounds are short; what takes 1 % more is to be found */
    options->min_time_ns = options->min_time_ns < options->max_time_ns / 5
                               ? options->min_time_ns
                               : options->max_time_ns / 5;
}

bool option_finish_rounds(struct lauka_options *options, struct lauka_error *error)
{
    if (!check_rounds(options, error))
        return false;
    options->has_max_time = lauka_arguments_find(options->arguments, OPTION_MAX_TIME) ||
                            lauka_arguments_find(options->arguments, OPTION_DURATION);
    options->min_rounds_given = options->min_rounds > 0;
    if (options->is_suite)
        finish_suite(options);
    if (!options->min_rounds) {
        options->min_rounds = LAUKA_FIRST_LOOK;
        if (options->max_rounds && options->max_rounds < options->min_rounds)
            options->min_rounds = options->max_rounds;
    }
    return true;
}

/* Of --sampled, too. */
static bool check_why(const struct lauka_options *options, struct lauka_error *error)
{
    const char *trouble = options->pretended ? "--backend=simulated runs nothing"
                          : options->layouts ? "layouts do not change which functions run"
                          : options->verb == LAUKA_VERB_NOISE
                              ? "a command takes as many instructions as itself"
                              : NULL;

    return !trouble || lauka_fail(error, LAUKA_EXIT_USAGE, "--%s: %s",
                                  options->why ? "why" : "sampled", trouble);
}

/* Both are asked for by --why: without valgrind, samples have to do. */
static void finish_why(struct lauka_options *options)
{
    if (!options->why)
        return;
    if (!options->sampled_given)
        options->sampled_ns = LAUKA_SAMPLED_NS;
    options->lacks_valgrind =
        !options->valgrind && options->sampled_ns > 0 && !lauka_command_exists("valgrind");
    options->valgrind |= !options->lacks_valgrind; /* besides what is counted anyway */
}

bool option_finish_counters(struct lauka_options *options, struct lauka_error *error)
{
    char why[700];

    for (size_t i = 0; !options->chip && i < options->event_text_count; i++)
        if (!lauka_event_list_add(&options->events, options->event_texts[i], LAUKA_SYSFS, why,
                                  sizeof why))
            return lauka_fail(error, LAUKA_EXIT_USAGE, "--events: %s", why);
    if (options->valgrind && options->pretended)
        return lauka_fail(
            error, LAUKA_EXIT_USAGE,
            "--counters=valgrind runs the commands; --backend=simulated runs nothing");
    options->events_given |= options->valgrind;
    finish_why(options);
    return (!options->why && options->sampled_ns == 0) || check_why(options, error);
}

/* ---- with each other ------------------------------------------------------------------------------ */

/* Those that the option goes with, as somebody types them; all fit. */
static void list_verbs(unsigned verbs, char text[200])
{
    size_t used = 0;

    for (size_t i = 0; i < lauka_verb_count; i++) {
        const struct verb_row *row = &lauka_verb_rows[i];
        if (verbs & 1u << row->verb && row->verb != LAUKA_VERB_WHY) /* which runs commands, too */
            used += (size_t)snprintf(text + used, 200 - used, "%s%s%s", used ? ", " : "",
                                     row->verb == LAUKA_VERB_RUN ? "commands to run" : "lauka ",
                                     row->verb == LAUKA_VERB_RUN ? "" : row->name);
    }
}

/* Of options, those about one revision's program, or about benchmarks inside of programs. */
static bool fits_suite(const struct option_row *row)
{
    return row->verbs & 1u << LAUKA_VERB_SUITE || row->verbs == 1u << LAUKA_VERB_REVISIONS;
}

static bool fit_verb(const struct lauka_options *options, struct lauka_error *error)
{
    for (size_t i = 0; i < lauka_option_count; i++) {
        const struct option_row *row = &lauka_option_rows[i];
        if (!(row->verbs & 1u << options->verb) && lauka_arguments_have(options->arguments, row)) {
            char fitting[200];
            list_verbs(row->verbs, fitting);
            return lauka_fail(error, LAUKA_EXIT_USAGE, "--%s goes only with %s", row->name,
                              fitting);
        }
        if (options->suite && !fits_suite(row) && lauka_arguments_have(options->arguments, row))
            return lauka_fail(error, LAUKA_EXIT_USAGE, "--%s cannot be combined with --suite",
                              row->name);
    }
    return true;
}

static bool fit_each_other(const struct lauka_arguments *arguments, struct lauka_error *error)
{
    return !lauka_arguments_find(arguments, OPTION_NO_MULTIPLEX) ||
           !lauka_arguments_find(arguments, OPTION_MULTIPLEX) ||
           lauka_fail(error, LAUKA_EXIT_USAGE,
                      "--no-multiplex and --multiplex exclude each other: the first fails where "
                      "the second lets events take turns");
}

static bool check_outputs(const struct lauka_options *options, struct lauka_error *error)
{
    int count = 0;

    for (size_t i = 0; i < LAUKA_DOCUMENTS; i++)
        count += options->outputs[i].wanted && !options->outputs[i].path;
    if (count > 1)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "only one document can go to stdout: name a file for the others, "
                          "as in --json=FILE");
    if (options->hgrm_command > 0 && !options->outputs[LAUKA_DOCUMENT_HGRM].wanted)
        return lauka_fail(error, LAUKA_EXIT_USAGE, "--hgrm-command goes with --hgrm");
    if (options->comment_id && !options->outputs[LAUKA_DOCUMENT_PR_COMMENT].wanted)
        return lauka_fail(error, LAUKA_EXIT_USAGE, "--comment-id goes with --pr-comment");
    if (count > 0 && options->github)
        return lauka_fail(
            error, LAUKA_EXIT_USAGE,
            "--github writes its annotations to stdout: name a file for the document, "
            "as in --json=FILE");
    return !options->no_samples || !options->outputs[LAUKA_DOCUMENT_CSV_SAMPLES].wanted ||
           lauka_fail(error, LAUKA_EXIT_USAGE,
                      "--csv-samples needs the single runs, which --no-samples does not keep");
}

bool option_check_together(const struct lauka_options *options, struct lauka_error *error)
{
    return fit_verb(options, error) && fit_each_other(options->arguments, error) &&
           check_outputs(options, error);
}
