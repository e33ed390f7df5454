/* From the command line to struct lauka_options. Nothing here acts on what it reads. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h> /* getentropy(3) of musl */

/* Options of stored data and of lauka itself. */
static bool take_general(int id, const char *text, struct lauka_options *options)
{
    switch (id) {
    case OPTION_COLUMN:
        options->column = text;
        return true;
    case OPTION_UNPAIRED:
        options->unpaired = true;
        return true;
    case OPTION_CONFIG:
    case OPTION_NO_CONFIG:
        return true; /* read already: config.c */
    case OPTION_VERSION:
        options->verb = LAUKA_VERB_VERSION;
        return true;
    default: /* OPTION_HELP, OPTION_HELP_BRIEF: the groups have no other */
        options->verb = LAUKA_VERB_HELP;
        options->short_help = id == OPTION_HELP_BRIEF;
        options->help_form = text;
        return true;
    }
}

/* One option; its group says where it is read. */
static bool take_option(const struct option_row *row, const char *text,
                        struct lauka_options *options, struct lauka_error *error)
{
    switch (row->group) {
    case OPTION_GROUP_ROUNDS:
        return option_take_rounds(row->id, text, options, error);
    case OPTION_GROUP_COMMANDS:
        return option_take_command(row->id, text, options, error);
    case OPTION_GROUP_FAILURES:
        return option_take_failure(row->id, text, options, error);
    case OPTION_GROUP_MACHINE:
        return option_take_machine(row->id, text, options, error);
    case OPTION_GROUP_COUNTERS:
        return option_take_counter(row->id, text, options, error);
    case OPTION_GROUP_OUTPUTS:
        return option_take_output(row->id, text, options, error);
    case OPTION_GROUP_GATE:
        return option_take_gate(row->id, text, options, error);
    case OPTION_GROUP_STORED:
    case OPTION_GROUP_GENERAL:
    case OPTION_GROUPS:
        break;
    }
    return take_general(row->id, text, options);
}

/* The row of an option that the table has. */
static size_t row_of(int id)
{
    size_t row = 0;

    while (lauka_option_rows[row].id != id)
        row++;
    return row;
}

static bool note_given(const struct option_use *use, struct lauka_options *options,
                       struct lauka_error *error)
{
    struct lauka_given *given = realloc(options->given, (options->given_count + 1) * sizeof *given);

    if (!given)
        return lauka_fail(error, LAUKA_EXIT_INTERNAL, "out of memory");
    options->given = given;
    given[options->given_count++] =
        (struct lauka_given){(size_t)(use->row - lauka_option_rows), use->text, use->rest,
                             use->word};
    return true;
}

/* used[] gets the rows that occurred. */
static bool take_options(const struct option_words *split, bool *used,
                         struct lauka_options *options, struct lauka_error *error)
{
    for (size_t i = 0; i < split->use_count; i++) {
        const struct option_use *use = &split->uses[i];
        used[use->row - lauka_option_rows] = true;
        options->rest = use->rest;
        if (!note_given(use, options, error) || !take_option(use->row, use->text, options, error))
            return false;
    }
    return true;
}

/* Those that the option goes with, as somebody types them; all fit. */
static void list_verbs(unsigned verbs, char text[200])
{
    size_t used = 0;

    for (size_t i = 0; i < lauka_verb_count; i++) {
        const struct verb_row *row = &lauka_verb_rows[i];
        if (verbs & 1u << row->verb)
            used += (size_t)snprintf(text + used, 200 - used, "%s%s%s", used ? ", " : "",
                                     row->verb == LAUKA_VERB_RUN ? "commands to run" : "lauka ",
                                     row->verb == LAUKA_VERB_RUN ? "" : row->name);
    }
}

static bool options_fit_verb(const bool *used, enum lauka_verb verb, struct lauka_error *error)
{
    for (size_t i = 0; i < lauka_option_count; i++)
        if (used[i] && !(lauka_option_rows[i].verbs & 1u << verb)) {
            char fitting[200];
            list_verbs(lauka_option_rows[i].verbs, fitting);
            return lauka_fail(error, LAUKA_EXIT_USAGE, "--%s goes only with %s",
                              lauka_option_rows[i].name, fitting);
        }
    return true;
}

static bool options_fit_together(const bool *used, struct lauka_error *error)
{
    return !used[row_of(OPTION_NO_MULTIPLEX)] || !used[row_of(OPTION_MULTIPLEX)] ||
           lauka_fail(error, LAUKA_EXIT_USAGE,
                      "--no-multiplex or --multiplex, not both: the first fails where the second "
                      "lets events take turns");
}

/* ---- all of it ------------------------------------------------------------------------------------ */

static void set_defaults(struct lauka_options *options)
{
    uint32_t seed = 0; /* 32 bits are enough to shuffle by, and can be typed again */

    if (getentropy(&seed, sizeof seed) != 0)
        seed = (uint32_t)lauka_now_ns();
    *options = (struct lauka_options){
        .warmup = 1,
        .max_time_ns = 5000000000,
        .min_time_ns = 1000000000,
        .until = 0.01,
        .primary = LAUKA_PRIMARY,
        .seed = seed,
        .accept_exit_code[0] = true,
    };
}

/* Before "--" and behind it, it makes no difference. */
static bool take_files(const struct option_words *split, struct lauka_options *options,
                       struct lauka_error *error)
{
    size_t count = split->text_count + split->vector_count;

    options->files = calloc(count + 1, sizeof *options->files);
    if (!options->files)
        return lauka_fail(error, LAUKA_EXIT_INTERNAL, "out of memory");
    for (size_t i = 0; i < count; i++)
        options->files[i] =
            i < split->text_count ? split->texts[i] : split->vector[i - split->text_count];
    options->file_count = count;
    if (options->verb == LAUKA_VERB_REPORT)
        return count == 1 || lauka_fail(error, LAUKA_EXIT_USAGE,
                                        "lauka report takes one result, as --json stored it");
    return count > 0 ||
           lauka_fail(error, LAUKA_EXIT_USAGE,
                      options->verb == LAUKA_VERB_GATE
                          ? "no result to hold to limits: lauka gate RESULT [HEAD]; see lauka --help"
                          : "no file to compare: lauka compare FILE [FILE...]; see lauka --help");
}

static bool take_pattern(char **words, size_t count, struct lauka_options *options,
                         struct lauka_error *error)
{
    options->pattern = count > 0 ? words[0] : NULL;
    return count <= 1 ||
           lauka_fail(error, LAUKA_EXIT_USAGE, "lauka list takes one pattern, a part of a name");
}

/* The number of a process, and no other document than JSON. */
static bool take_pid(char **words, size_t count, struct lauka_options *options,
                     struct lauka_error *error)
{
    enum { LARGEST = 1 << 30 };

    for (size_t i = 0; i < LAUKA_DOCUMENTS; i++)
        if (options->outputs[i].wanted &&
            (i != LAUKA_DOCUMENT_JSON || options->outputs[i].path))
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "lauka threads writes a table, or JSON, to stdout only");
    if (count != 1)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "lauka threads takes the number of one process: lauka threads PID");
    char *end;
    unsigned long long pid = strtoull(words[0], &end, 10);
    options->pid = pid;
    return (end != words[0] && !*end && words[0][0] != '-' && pid > 0 && pid < LARGEST) ||
           lauka_fail(error, LAUKA_EXIT_USAGE, "%.100s is not the number of a process", words[0]);
}

/* The word of a verb does not count among the others. */
static void take_verb_word(struct option_words *split, struct lauka_options *options)
{
    if (split->text_count == 0 || !option_find_verb(split->texts[0], &options->verb))
        return;
    split->text_count--;
    memmove(split->texts, split->texts + 1, split->text_count * sizeof *split->texts);
}

static bool take_words(struct option_words *split, struct lauka_options *options,
                       struct lauka_error *error)
{
    bool used[OPTION_ROWS_MAX] = {false};

    if (!take_options(split, used, options, error))
        return false;
    bool asked_for_list = options->verb == LAUKA_VERB_LIST;
    if (!option_finish_rounds(options, error) || !option_finish_counters(options, error))
        return false;
    if (options->verb != LAUKA_VERB_RUN && !asked_for_list)
        return true;
    if (!asked_for_list)
        take_verb_word(split, options);
    if (options->verb == LAUKA_VERB_NOISE && !used[row_of(OPTION_UNTIL)])
        options->until = 0; /* what can be seen in the whole budget */
    if (!options_fit_verb(used, options->verb, error) || !options_fit_together(used, error) ||
        !option_check_outputs(options, error) || !option_check_gate(options, error))
        return false;
    if (options->verb == LAUKA_VERB_LIST)
        return take_pattern(split->text_count ? split->texts : split->vector,
                            split->text_count + split->vector_count, options, error);
    if (options->verb == LAUKA_VERB_DOCTOR)
        return split->text_count + split->vector_count == 0 ||
               lauka_fail(error, LAUKA_EXIT_USAGE, "lauka doctor takes options only");
    if (options->verb == LAUKA_VERB_THREADS)
        return take_pid(split->text_count ? split->texts : split->vector,
                        split->text_count + split->vector_count, options, error);
    if (options->verb == LAUKA_VERB_COMPARE || options->verb == LAUKA_VERB_REPORT ||
        options->verb == LAUKA_VERB_GATE)
        return take_files(split, options, error);
    return option_take_commands(split->texts, split->text_count, split->vector,
                                split->vector_count, options, error) &&
           (options->verb != LAUKA_VERB_NOISE || option_double_command(options, error)) &&
           option_attach_hooks(options, error) && option_direct_streams(options, error) &&
           option_give_each(options, error) && option_check_hgrm(options, error) &&
           lauka_pretence_read_all(options, error);
}

bool lauka_options_parse(int argc, char **argv, struct lauka_options *options,
                         struct lauka_error *error)
{
    struct option_words split = {0};

    set_defaults(options);
    options->arguments = lauka_strings_copy(argv + 1);
    if (!options->arguments)
        return lauka_fail(error, LAUKA_EXIT_INTERNAL, "out of memory");
    bool good = option_words_read(argv + 1, (size_t)(argc - 1), &split, error) &&
                take_words(&split, options, error);
    option_words_done(&split);
    return good;
}

void lauka_options_done(struct lauka_options *options)
{
    for (size_t i = 0; i < options->command_count; i++)
        lauka_command_done(&options->commands[i]);
    free(options->commands);
    lauka_gate_done(&options->gate);
    free(options->files);
    option_parameters_done(options);
    for (size_t i = 0; i < LAUKA_HOOKS; i++)
        free(options->hooks[i].texts);
    free(options->names.texts);
    free(options->outputs_to.texts);
    free(options->inputs_from.texts);
    options->outputs_to = options->inputs_from = (struct lauka_texts){0};
    lauka_strings_free(options->arguments);
    free(options->given);
    options->arguments = NULL;
    options->given = NULL;
    options->given_count = 0;
    options->commands = NULL;
    options->files = NULL;
    options->command_count = options->file_count = 0;
}

bool lauka_options_show_help(const struct lauka_options *options, FILE *out,
                             struct lauka_error *error)
{
    if (options->help_form)
        return option_write_form(options->help_form, out) ||
               lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--help=%.100s: man, bash, zsh or fish is needed", options->help_form);
    lauka_options_help(options->short_help, out);
    return true;
}
