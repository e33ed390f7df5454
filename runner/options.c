/* From the command line to struct lauka_options. Nothing here acts on what it reads. */
#include "runner/option_table.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* ---- values ------------------------------------------------------------------------------------- */

static bool parse_count(const char *option, const char *text, uint64_t least, uint64_t *count,
                        struct lauka_error *error)
{
    char *end;

    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || value < least)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--%s %.100s: a whole number from %llu on is needed", option, text,
                          (unsigned long long)least);
    *count = value;
    return true;
}

static bool parse_codes(const char *text, struct lauka_options *options, struct lauka_error *error)
{
    if (!text) {
        options->accept_all_failures = true;
        return true;
    }
    if (*text == '=') /* -i=1,2 reaches us with its equals sign */
        text++;
    for (char *end; *text; text = end + (*end == ',')) {
        long code = strtol(text, &end, 10);
        if (end == text || (*end && *end != ',') || code < 0 || code > 255)
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "--ignore-failure=%.100s: exit codes from 0 to 255 are needed, with "
                              "commas between them",
                              text);
        options->accept_exit_code[code] = true;
    }
    return true;
}

static bool parse_backend(const char *text, struct lauka_options *options,
                          struct lauka_error *error)
{
    const char *scenario = strchr(text, ':');
    size_t length = scenario ? (size_t)(scenario - text) : strlen(text);

    options->simulated = strncmp(text, "simulated", length) == 0 && length == strlen("simulated");
    if (!options->simulated)
        return lauka_fail(
            error, LAUKA_EXIT_USAGE,
            "--backend %.100s: the only one that can be chosen is simulated[:SCENARIO]", text);
    if (scenario && !lauka_scenario_parse(scenario + 1, &options->scenario))
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--backend %.100s: scenarios are full, no-pmu, denied, multiplexed, "
                          "user-only, hybrid and fail-ERRNO[-POSITION]",
                          text);
    return true;
}

static bool parse_events(const char *text, struct lauka_options *options, struct lauka_error *error)
{
    char why[700];

    options->events_given = true;
    return lauka_event_list_add(&options->events, text, LAUKA_SYSFS, why, sizeof why) ||
           lauka_fail(error, LAUKA_EXIT_USAGE, "--events: %s", why);
}

static bool parse_multiplex(const char *text, struct lauka_options *options,
                            struct lauka_error *error)
{
    bool rounds = strcmp(text, "rounds") == 0;

    options->multiplex = rounds ? LAUKA_MULTIPLEX_ROUNDS : LAUKA_MULTIPLEX_TIME;
    return rounds || strcmp(text, "time") == 0 ||
           lauka_fail(error, LAUKA_EXIT_USAGE, "--multiplex %.100s: time or rounds is needed",
                      text);
}

static bool parse_color(const char *text, struct lauka_options *options, struct lauka_error *error)
{
    if (strcmp(text, "auto") == 0)
        options->color = LAUKA_COLOR_AUTO;
    else if (strcmp(text, "always") == 0 || strcmp(text, "ansi") == 0) /* poop's word */
        options->color = LAUKA_COLOR_ALWAYS;
    else if (strcmp(text, "never") == 0)
        options->color = LAUKA_COLOR_NEVER;
    else
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--color %.100s: auto, always or never is needed", text);
    return true;
}

static bool parse_duration(const char *option, const char *text, uint64_t *ns,
                           struct lauka_error *error)
{
    return lauka_parse_duration(text, ns) ||
           lauka_fail(error, LAUKA_EXIT_USAGE,
                      "--%s %.100s: a duration is needed, such as 5, 500ms, 30s or 2m", option,
                      text);
}

/* "1", "1%", "0.5 %": per cent, as a ratio. */
static bool parse_percent(const char *option, const char *text, double *ratio,
                          struct lauka_error *error)
{
    char *end;
    double percent = strtod(text, &end);

    while (*end == ' ')
        end++;
    if (*end == '%')
        end++;
    if (*text < '.' || *text > '9' || *end || !(percent >= 0 && percent <= 100))
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--%s %.100s: per cent are needed, such as 1%% or "
                          "0.5",
                          option, text);
    *ratio = percent / 100;
    return true;
}

static void parse_shell(const char *text, struct lauka_options *options)
{
    if (strcmp(text, "none") == 0)
        options->shell = NULL;
    else
        options->shell = strcmp(text, "default") == 0 ? "sh" : text;
}

static void parse_output(const char *text, struct lauka_output *output)
{
    output->wanted = true;
    output->path = text && strcmp(text, "-") != 0 ? text : NULL;
}

/* Those of what is counted. */
static bool take_counter_option(int id, const char *text, struct lauka_options *options,
                                struct lauka_error *error)
{
    switch (id) {
    case OPTION_EVENTS:
        return parse_events(text, options, error);
    case OPTION_MULTIPLEX:
        return parse_multiplex(text, options, error);
    case OPTION_LIST:
        options->verb = LAUKA_VERB_LIST;
        return true;
    case OPTION_BACKEND:
        return parse_backend(text, options, error);
    case OPTION_NO_MULTIPLEX:
        options->multiplex = LAUKA_MULTIPLEX_NEVER;
        return true;
    default: /* OPTION_REQUIRE_COUNTERS: the table has no other */
        options->require_counters = true;
        return true;
    }
}

/* One option that getopt_long found. */
static bool take_option(int id, const char *text, struct lauka_options *options,
                        struct lauka_error *error)
{
    switch (id) {
    case OPTION_WARMUP:
        return parse_count("warmup", text, 0, &options->warmup, error);
    case OPTION_RUNS:
        return parse_count("runs", text, 1, &options->rounds, error);
    case OPTION_MAX_TIME:
        options->min_rounds = 3;
        return parse_duration("max-time", text, &options->max_time_ns, error);
    case OPTION_MIN_TIME:
        return parse_duration("min-time", text, &options->min_time_ns, error);
    case OPTION_UNTIL:
        return parse_percent("until", text, &options->until, error);
    case OPTION_PRIMARY:
        options->primary = text;
        return true;
    case OPTION_NO_SAMPLES:
        options->no_samples = true;
        return true;
    case OPTION_COLUMN:
        options->column = text;
        return true;
    case OPTION_UNPAIRED:
        options->unpaired = true;
        return true;
    case OPTION_SEED:
        return parse_count("seed", text, 0, &options->seed, error);
    case OPTION_SHELL_MODE:
        options->shell = "sh";
        return true;
    case OPTION_SHELL:
        parse_shell(text, options);
        return true;
    case OPTION_IGNORE:
        return parse_codes(text, options, error);
    case OPTION_ALLOW:
        options->accept_all_failures = true;
        return true;
    case OPTION_COLOR:
        return parse_color(text, options, error);
    case OPTION_PERCENTILES:
        options->percentiles = true;
        return true;
    case OPTION_QUIET:
        options->quiet = true;
        return true;
    case OPTION_JSON:
        parse_output(text, &options->json);
        return true;
    case OPTION_CSV:
        parse_output(text, &options->csv);
        return true;
    case OPTION_MARKDOWN:
        parse_output(text, &options->markdown);
        return true;
    case OPTION_HELP_BRIEF:
    case OPTION_HELP:
        options->verb = LAUKA_VERB_HELP;
        options->short_help = id == OPTION_HELP_BRIEF;
        return true;
    case OPTION_VERSION:
        options->verb = LAUKA_VERB_VERSION;
        return true;
    default:
        return take_counter_option(id, text, options, error);
    }
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
        if (!take_option(id, optarg, options, error))
            return false;
        for (size_t i = 0; i < lauka_option_count; i++)
            used[i] = used[i] || lauka_option_rows[i].id == id;
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

/* ---- commands ------------------------------------------------------------------------------------- */

static bool take_texts(char **texts, size_t count, struct lauka_options *options,
                       struct lauka_error *error)
{
    for (size_t i = 0; i < count; i++) {
        struct lauka_command *command = &options->commands[options->command_count];
        bool good = options->shell
                        ? lauka_command_for_shell(options->shell, texts[i], command, error)
                        : lauka_command_parse(texts[i], command, error);
        if (!good)
            return false;
        options->command_count++;
    }
    return true;
}

/* Argument vectors after "--", with --vs between them. */
static bool take_vectors(char **words, size_t count, struct lauka_options *options,
                         struct lauka_error *error)
{
    size_t from = 0;

    for (size_t i = 0; i <= count; i++) {
        if (i < count && strcmp(words[i], "--vs") != 0)
            continue;
        if (i == from)
            return lauka_fail(error, LAUKA_EXIT_USAGE, "there is no command %s",
                              i < count ? "before --vs" : "after -- or --vs");
        if (!lauka_command_from_argv(words + from, i - from,
                                     &options->commands[options->command_count], error))
            return false;
        options->command_count++;
        from = i + 1;
    }
    return true;
}

/* One vector of which every word can be run: somebody meant several commands. */
static void hint_at_vs(char *const *words, size_t count, struct lauka_options *options)
{
    bool programs = count > 1;

    for (size_t i = 0; i < count; i++)
        programs = programs && strchr(words[i], '/') && access(words[i], X_OK) == 0;
    options->hint_vs = programs;
}

static bool take_commands(char **texts, size_t text_count, char **words, size_t word_count,
                          struct lauka_options *options, struct lauka_error *error)
{
    options->commands = calloc(text_count + word_count + 2, sizeof *options->commands);
    if (!options->commands)
        return lauka_fail(error, LAUKA_EXIT_INTERNAL, "out of memory");
    if (!take_texts(texts, text_count, options, error))
        return false;
    if (words && !take_vectors(words, word_count, options, error))
        return false;
    if (options->command_count == 0)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "no command to run: lauka COMMAND [COMMAND...]; see lauka --help");
    if (words && options->command_count == 1)
        hint_at_vs(words, word_count, options);
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

static bool one_document_on_stdout(const struct lauka_options *options, struct lauka_error *error)
{
    const struct lauka_output *const outputs[] = {&options->json, &options->csv,
                                                  &options->markdown};
    int count = 0;

    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        count += outputs[i]->wanted && !outputs[i]->path;
    return count <= 1 || lauka_fail(error, LAUKA_EXIT_USAGE,
                                    "only one of --json, --csv and --markdown can go to stdout: "
                                    "name a file for the others, as in --json=FILE");
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
    return count <= 1 || lauka_fail(error, LAUKA_EXIT_USAGE,
                                    "lauka list takes one pattern, a part of a name");
}

/* The one command of `lauka noise` becomes two. */
static bool double_command(struct lauka_options *options, struct lauka_error *error)
{
    struct lauka_command *commands = options->commands;
    size_t words = 0;

    if (options->command_count != 1)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "lauka noise takes one command: it is run against itself");
    while (commands[0].argv[words])
        words++;
    if (!lauka_command_from_argv(commands[0].argv, words, &commands[1], error))
        return false;
    options->command_count = 2;
    free(commands[1].label); /* quoted anew; both are to be called the same */
    commands[1].label = strdup(commands[0].label);
    return commands[1].label || lauka_fail(error, LAUKA_EXIT_INTERNAL, "out of memory");
}

static bool used_option(const bool *used, int id)
{
    for (size_t i = 0; i < lauka_option_count; i++)
        if (lauka_option_rows[i].id == id)
            return used[i];
    return false;
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
    if (options->verb == LAUKA_VERB_NOISE && !used_option(used, OPTION_UNTIL))
        options->until = 0; /* what can be seen in the whole budget */
    char **texts = argv + optind, **words = end < argc ? argv + end + 1 : NULL;
    size_t text_count = (size_t)(end - optind), word_count = words ? (size_t)(argc - end - 1) : 0;
    if (!options_fit_verb(used, options->verb, error) || !one_document_on_stdout(options, error))
        return false;
    if (options->verb == LAUKA_VERB_LIST)
        return take_pattern(texts, text_count + word_count, options, error);
    if (options->verb == LAUKA_VERB_COMPARE) {
        if (words) /* close the gap that "--" leaves between the files */
            memmove(argv + end, words, word_count * sizeof *words);
        return take_files(texts, text_count + word_count, options, error);
    }
    return take_commands(texts, text_count, words, word_count, options, error) &&
           (options->verb != LAUKA_VERB_NOISE || double_command(options, error));
}

void lauka_options_done(struct lauka_options *options)
{
    for (size_t i = 0; i < options->command_count; i++)
        lauka_command_done(&options->commands[i]);
    free(options->commands);
    options->commands = NULL;
    options->command_count = 0;
}
