/* From the command line to struct lauka_options. Nothing here acts on what it reads. */
#include "runner/option_table.h"

#include <getopt.h>
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
    case OPTION_VERSION:
        options->verb = LAUKA_VERB_VERSION;
        return true;
    default: /* OPTION_HELP, OPTION_HELP_BRIEF: the groups have no other */
        options->verb = LAUKA_VERB_HELP;
        options->short_help = id == OPTION_HELP_BRIEF;
        return true;
    }
}

/* One option that getopt_long found; its group says where it is read. */
static bool take_option(const struct option_row *row, const char *text,
                        struct lauka_options *options, struct lauka_error *error)
{
    switch (row->group) {
    case OPTION_GROUP_ROUNDS:
        return option_take_rounds(row->id, text, options, error);
    case OPTION_GROUP_COMMANDS:
        return option_take_command(row->id, text, options, error);
    case OPTION_GROUP_COUNTERS:
        return option_take_counter(row->id, text, options, error);
    case OPTION_GROUP_OUTPUTS:
        return option_take_output(row->id, text, options, error);
    case OPTION_GROUP_STORED:
    case OPTION_GROUP_GENERAL:
    case OPTION_GROUPS:
        break;
    }
    return take_general(row->id, text, options);
}

/* ---- getopt_long's input, made from the table ----------------------------------------------------- */

struct getopt_input {
    char letters[3 * OPTION_ROWS_MAX + 2];
    struct option names[OPTION_ROWS_MAX + 1];
};

static void make_getopt_input(struct getopt_input *input)
{
    static const char *const colons[] = {"", ":", "::"}; /* by no_, required_, optional_argument */
    char *letter = input->letters;
    struct option *name = input->names;

    memset(input, 0, sizeof *input);
    *letter++ = ':'; /* a missing argument is told apart from an unknown option */
    for (size_t i = 0; i < lauka_option_count; i++) {
        if (lauka_option_rows[i].id < 256)
            letter += sprintf(letter, "%c%s", lauka_option_rows[i].id,
                              colons[lauka_option_rows[i].argument]);
        if (lauka_option_rows[i].name)
            *name++ = (struct option){lauka_option_rows[i].name, lauka_option_rows[i].argument,
                                      NULL, lauka_option_rows[i].id};
    }
}

static bool refuse_option(int found, char *const *argv, struct lauka_error *error)
{
    char letter[3] = {'-', (char)optopt, '\0'};
    const char *shown = optopt > 0 && optopt < 256 ? letter : argv[optind - 1];

    if (found == ':')
        return lauka_fail(error, LAUKA_EXIT_USAGE, "%.100s needs a value; see lauka --help",
                          argv[optind - 1]);
    return lauka_fail(error, LAUKA_EXIT_USAGE, "unknown option %.100s; see lauka --help", shown);
}

/* The row of an option that the table has. */
static size_t row_of(int id)
{
    size_t row = 0;

    while (lauka_option_rows[row].id != id)
        row++;
    return row;
}

/* Reads all options; used[] gets the rows that occurred. */
static bool take_options(int argc, char **argv, bool *used, struct lauka_options *options,
                         struct lauka_error *error)
{
    struct getopt_input input;
    int id;

    make_getopt_input(&input);
    opterr = 0;
    while ((id = getopt_long(argc, argv, input.letters, input.names, NULL)) != -1) {
        if (id == '?' || id == ':')
            return refuse_option(id, argv, error);
        size_t row = row_of(id);
        used[row] = true;
        if (!take_option(&lauka_option_rows[row], optarg, options, error))
            return false;
    }
    return true;
}

static const struct verb_row {
    enum lauka_verb verb;
    const char *name;
} verbs[] = {
    {LAUKA_VERB_RUN, "run"},
    {LAUKA_VERB_COMPARE, "compare"},
    {LAUKA_VERB_NOISE, "noise"},
    {LAUKA_VERB_LIST, "list"},
};

/* The first word is a verb only if it equals one. */
static bool take_verb(const char *word, struct lauka_options *options)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(word, verbs[i].name) == 0) {
            options->verb = verbs[i].verb;
            return true;
        }
    return false;
}

static bool options_fit_verb(const bool *used, enum lauka_verb verb, struct lauka_error *error)
{
    for (size_t i = 0; i < lauka_option_count; i++)
        if (used[i] && !(lauka_option_rows[i].verbs & 1u << verb))
            return lauka_fail(error, LAUKA_EXIT_USAGE, "--%s does not go with lauka %s",
                              lauka_option_rows[i].name, verbs[verb].name);
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------------ */

static void set_defaults(struct lauka_options *options)
{
    uint32_t seed = 0; /* 32 bits are enough to shuffle by, and can be typed again */

    if (getentropy(&seed, sizeof seed) != 0)
        seed = (uint32_t)lauka_now_ns();
    *options = (struct lauka_options){
        .warmup = 1,
        .min_rounds = 10,
        .max_time_ns = 5000000000,
        .min_time_ns = 1000000000,
        .until = 0.01,
        .primary = LAUKA_PRIMARY,
        .seed = seed,
        .accept_exit_code[0] = true,
    };
}

static bool take_files(char **files, size_t count, struct lauka_options *options,
                       struct lauka_error *error)
{
    options->files = files;
    options->file_count = count;
    return count > 0 ||
           lauka_fail(error, LAUKA_EXIT_USAGE,
                      "no file to compare: lauka compare FILE [FILE...]; see lauka --help");
}

static bool take_pattern(char **words, size_t count, struct lauka_options *options,
                         struct lauka_error *error)
{
    options->pattern = count > 0 ? words[0] : NULL;
    return count <= 1 ||
           lauka_fail(error, LAUKA_EXIT_USAGE, "lauka list takes one pattern, a part of a name");
}

bool lauka_options_parse(int argc, char **argv, struct lauka_options *options,
                         struct lauka_error *error)
{
    bool used[OPTION_ROWS_MAX] = {false};
    int end = 1; /* of the words before "--" */

    set_defaults(options);
    while (end < argc && strcmp(argv[end], "--") != 0)
        end++;
    if (!take_options(end, argv, used, options, error))
        return false;
    bool asked_for_list = options->verb == LAUKA_VERB_LIST;
    if (options->verb != LAUKA_VERB_RUN && !asked_for_list)
        return true;
    if (!asked_for_list && optind < end && take_verb(argv[optind], options))
        optind++;
    if (options->verb == LAUKA_VERB_NOISE && !used[row_of(OPTION_UNTIL)])
        options->until = 0; /* what can be seen in the whole budget */
    char **texts = argv + optind, **words = end < argc ? argv + end + 1 : NULL;
    size_t text_count = (size_t)(end - optind), word_count = words ? (size_t)(argc - end - 1) : 0;
    if (!options_fit_verb(used, options->verb, error) || !option_check_outputs(options, error))
        return false;
    if (options->verb == LAUKA_VERB_LIST)
        return take_pattern(texts, text_count + word_count, options, error);
    if (options->verb == LAUKA_VERB_COMPARE) {
        if (words) /* close the gap that "--" leaves between the files */
            memmove(argv + end, words, word_count * sizeof *words);
        return take_files(texts, text_count + word_count, options, error);
    }
    return option_take_commands(texts, text_count, words, word_count, options, error) &&
           (options->verb != LAUKA_VERB_NOISE || option_double_command(options, error));
}

void lauka_options_done(struct lauka_options *options)
{
    for (size_t i = 0; i < options->command_count; i++)
        lauka_command_done(&options->commands[i]);
    free(options->commands);
    options->commands = NULL;
    options->command_count = 0;
}
