/* One table of options: getopt_long's input, and the help text, are made from it. Nothing here acts
 * on what it reads. */
#include "runner/runner.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum option_id {
    OPTION_WARMUP = 'w',
    OPTION_RUNS = 'r',
    OPTION_SHELL_MODE = 'S',
    OPTION_IGNORE = 'i',
    OPTION_ALLOW = 'f',
    OPTION_QUIET = 'q',
    OPTION_HELP_BRIEF = 'h',
    OPTION_VERSION = 'V',
    OPTION_HELP = 256, /* from here on: options without a letter */
    OPTION_MAX_TIME,
    OPTION_SEED,
    OPTION_SHELL,
    OPTION_COLOR,
    OPTION_BACKEND,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_MARKDOWN,
};

struct option_row {
    int id; /* its letter, or 256 and above */
    const char *name;
    int argument; /* no_argument, required_argument or optional_argument of getopt_long(3) */
    const char *placeholder;
    const char *help;
};

static const struct option_row rows[] = {
    {OPTION_WARMUP, "warmup", required_argument, "N", "rounds to run and discard first (default 1)"},
    {OPTION_RUNS, "runs", required_argument, "N",
     "rounds to measure; each runs every command once, in a shuffled order"},
    {OPTION_MAX_TIME, "max-time", required_argument, "T",
     "without -r: measure for T per command (default 5s; at least 10 rounds, or 3 where T is given); "
     "bare numbers are seconds, or 100ms, 30s, 2m, 1h"},
    {OPTION_SEED, "seed", required_argument, "N",
     "repeat the run order of an earlier session (it is printed with every result)"},
    {OPTION_SHELL_MODE, "use-shell", no_argument, NULL,
     "run every command in a shell (sh -c), so that pipes, globs and variables work"},
    {OPTION_SHELL, "shell", required_argument, "SHELL",
     "the same with the shell named; 'default' is sh, 'none' is no shell"},
    {OPTION_IGNORE, "ignore-failure", optional_argument, "CODES",
     "accept failing runs as ordinary ones: all, or only these exit codes (-i=1,2)"},
    {OPTION_ALLOW, "allow-failures", no_argument, NULL, "accept all failing runs, as -i"},
    {OPTION_JSON, "json", optional_argument, "FILE",
     "write the whole result, every run included; '-', or no FILE: to stdout in place of the table"},
    {OPTION_CSV, "csv", optional_argument, "FILE", "write a summary, one row a command"},
    {OPTION_MARKDOWN, "markdown", optional_argument, "FILE", "write a table for a pull request"},
    {OPTION_COLOR, "color", required_argument, "WHEN", "auto (default), always or never"},
    {OPTION_QUIET, "quiet", no_argument, NULL, "no progress and no hints on stderr"},
    {OPTION_BACKEND, "backend", required_argument, "NAME",
     "'simulated' or 'simulated:SCENARIO' runs nothing and makes figures up from the seed, to try "
     "out reports; scenarios: full, no-pmu, denied, multiplexed"},
    {OPTION_HELP_BRIEF, NULL, no_argument, NULL, "one screen of help"},
    {OPTION_HELP, "help", no_argument, NULL, "all of it"},
    {OPTION_VERSION, "version", no_argument, NULL, "the version"},
};
#define ROW_COUNT (sizeof rows / sizeof *rows)

static const char synopsis[] =
    "lauka runs commands in interleaved rounds and compares what each run cost.\n"
    "\n"
    "usage: lauka [run] [OPTIONS] COMMAND [COMMAND...]\n"
    "       lauka [run] [OPTIONS] -- ARGV... [--vs ARGV...]\n"
    "\n"
    "The first command is the reference. Each COMMAND is one string, split into words\n"
    "by the shell's quoting rules and run without a shell.\n";

static const char examples[] =
    "\n"
    "examples:\n"
    "  lauka ./before ./after                     compare two programs\n"
    "  lauka -r 100 'sort a.txt' 'sort -u a.txt'  a fixed number of rounds\n"
    "  lauka -S 'cat a | wc -l' 'wc -l < a'       commands that need a shell\n"
    "  lauka --json=result.json -- ./a 'x y' --vs ./b 'x y'\n";

static const char exits[] =
    "\n"
    "exit codes: 0 done, 1 lauka itself failed, 2 usage, 5 a command failed,\n"
    "            130 or 143 interrupted\n";

/* Help texts are broken at this column. */
#define HELP_WIDTH 80
#define HELP_INDENT 31

static void print_wrapped(const char *text, FILE *out)
{
    size_t room = HELP_WIDTH - HELP_INDENT;

    while (strlen(text) > room) {
        size_t cut = room;
        while (cut > 0 && text[cut] != ' ')
            cut--;
        fprintf(out, "%.*s\n%*s", (int)cut, text, HELP_INDENT, "");
        text += cut + 1;
    }
    fprintf(out, "%s\n", text);
}

static void print_row(const struct option_row *row, FILE *out)
{
    const char *placeholder = row->placeholder ? row->placeholder : "";
    const char *open = !row->placeholder ? "" : row->argument == optional_argument ? "[=" : " ";
    const char *close = row->argument == optional_argument ? "]" : "";
    char letter[8] = "    ", left[64];

    if (row->id < 256)
        snprintf(letter, sizeof letter, "-%c%s", row->id, row->name ? ", " : "");
    snprintf(left, sizeof left, "%s%s%s%s%s%s", letter, row->name ? "--" : "",
             row->name ? row->name : "", open, placeholder, close);
    fprintf(out, "  %-*s", HELP_INDENT - 2, left);
    print_wrapped(row->help, out);
}

void lauka_options_help(bool brief, FILE *out)
{
    fputs(synopsis, out);
    fputs("\noptions:\n", out);
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (!brief || rows[i].id != OPTION_BACKEND)
            print_row(&rows[i], out);
    fputs(examples, out);
    if (!brief)
        fputs(exits, out);
}

/* ---- values ------------------------------------------------------------------------------------- */

static bool parse_count(const char *option, const char *text, uint64_t least, uint64_t *count,
                        struct lauka_error *error)
{
    char *end;

    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || value < least)
        return lauka_fail(error, LAUKA_EXIT_USAGE, "--%s %.100s: a whole number from %llu on is needed",
                          option, text, (unsigned long long)least);
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
                              "commas between them", text);
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
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--backend %.100s: the only one that can be chosen is simulated[:SCENARIO]",
                          text);
    if (scenario && !lauka_scenario_parse(scenario + 1, &options->scenario))
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--backend %.100s: scenarios are full, no-pmu, denied and multiplexed",
                          text);
    return true;
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
        return lauka_fail(error, LAUKA_EXIT_USAGE, "--color %.100s: auto, always or never is needed",
                          text);
    return true;
}

static bool parse_duration(const char *option, const char *text, uint64_t *ns,
                           struct lauka_error *error)
{
    return lauka_parse_duration(text, ns) ||
           lauka_fail(error, LAUKA_EXIT_USAGE,
                      "--%s %.100s: a duration is needed, such as 5, 500ms, 30s or 2m", option, text);
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
    case OPTION_QUIET:
        options->quiet = true;
        return true;
    case OPTION_BACKEND:
        return parse_backend(text, options, error);
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
    default: /* OPTION_VERSION: the table has no other */
        options->verb = LAUKA_VERB_VERSION;
        return true;
    }
}

/* ---- getopt_long's input, made from the table ----------------------------------------------------- */

struct getopt_input {
    char letters[3 * ROW_COUNT + 2];
    struct option names[ROW_COUNT + 1];
};

static void make_getopt_input(struct getopt_input *input)
{
    static const char *const colons[] = {"", ":", "::"}; /* by no_, required_, optional_argument */
    char *letter = input->letters;
    struct option *name = input->names;

    memset(input, 0, sizeof *input);
    *letter++ = ':'; /* a missing argument is told apart from an unknown option */
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (rows[i].id < 256)
            letter += sprintf(letter, "%c%s", rows[i].id, colons[rows[i].argument]);
        if (rows[i].name)
            *name++ = (struct option){rows[i].name, rows[i].argument, NULL, rows[i].id};
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

static bool take_options(int argc, char **argv, struct lauka_options *options,
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
    }
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
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "there is no command %s", i < count ? "before --vs" : "after -- or --vs");
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
    options->commands = calloc(text_count + word_count + 1, sizeof *options->commands);
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
        .seed = seed,
        .accept_exit_code[0] = true,
    };
}

static bool one_document_on_stdout(const struct lauka_options *options, struct lauka_error *error)
{
    const struct lauka_output *const outputs[] = {&options->json, &options->csv, &options->markdown};
    int count = 0;

    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        count += outputs[i]->wanted && !outputs[i]->path;
    return count <= 1 || lauka_fail(error, LAUKA_EXIT_USAGE,
                                    "only one of --json, --csv and --markdown can go to stdout: "
                                    "name a file for the others, as in --json=FILE");
}

bool lauka_options_parse(int argc, char **argv, struct lauka_options *options,
                         struct lauka_error *error)
{
    int end = 1; /* of the words before "--" */

    set_defaults(options);
    while (end < argc && strcmp(argv[end], "--") != 0)
        end++;
    if (!take_options(end, argv, options, error))
        return false;
    if (options->verb != LAUKA_VERB_RUN)
        return true;
    if (optind < end && strcmp(argv[optind], "run") == 0)
        optind++;
    char **words = end < argc ? argv + end + 1 : NULL;
    size_t word_count = words ? (size_t)(argc - end - 1) : 0;
    return take_commands(argv + optind, (size_t)(end - optind), words, word_count, options, error) &&
           one_document_on_stdout(options, error);
}

void lauka_options_done(struct lauka_options *options)
{
    for (size_t i = 0; i < options->command_count; i++)
        lauka_command_done(&options->commands[i]);
    free(options->commands);
    options->commands = NULL;
    options->command_count = 0;
}
