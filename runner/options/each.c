/* What each command gets. Hooks, input and output are given once for all commands, or once for each; all else holds for
 * all. With a letter and a colon in front, a value is for one side: `--env B:LANG=C` is for the second command of each
 * benchmark. A file or directory with such a name must be written with ./ in front. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- --read ----------------------------------------------------------------------------------- */

/* Figures that commands report themselves, in what they write to stdout or to a descriptor. */

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* NAME[:UNIT][=REGEX], taken apart; nothing is copied. */
struct parts {
    const char *name, *unit, *pattern; /* NULL: not given */
    size_t name_length, unit_length;
};

static struct parts take_apart(const char *text)
{
    struct parts parts = {.name = text, .name_length = strcspn(text, ":=")};
    const char *rest = text + parts.name_length;

    if (*rest == ':') {
        parts.unit = ++rest;
        parts.unit_length = strcspn(rest, "=");
        rest += parts.unit_length;
    }
    if (*rest == '=')
        parts.pattern = rest + 1;
    return parts;
}

static bool check_name(const char *text, const struct parts *parts, struct lauka_error *error)
{
    size_t good = strspn(parts->name, LETTERS "0123456789_-./");

    return (parts->name_length > 1 && good >= parts->name_length && strchr(LETTERS, *text)) ||
           lauka_misuse(error,
                        "--read %.200s: expected NAME[:UNIT][=REGEX], with a NAME of two or more "
                        "letters, digits and _-./",
                        text);
}

static bool find_unit(const char *text, const struct parts *parts,
                      const struct lauka_figure_unit **unit, struct lauka_error *error)
{
    char list[300];

    *unit = parts->unit ? lauka_figure_unit_find(parts->unit, parts->unit_length)
                        : lauka_figure_unit_find("1", 1);
    if (*unit)
        return true;
    lauka_figure_units_list(list, sizeof list);
    return lauka_misuse(error, "--read %.200s: unknown unit %.*s; the units are %s", text,
                        (int)(parts->unit_length < 40 ? parts->unit_length : 40), parts->unit,
                        list);
}

static bool check_pattern(const char *text, const char *pattern, struct lauka_error *error)
{
    char why[300];
    struct lauka_pattern *made = lauka_pattern_make(pattern, why, sizeof why);

    lauka_pattern_free(made);
    return made || lauka_misuse(error, "--read %.200s: %s", text, why);
}

/* A later option for one command replaces what was given for all. */
static struct lauka_figure *place_for(struct lauka_command *command, const struct parts *parts)
{
    for (size_t i = 0; i < command->figure_count; i++) {
        struct lauka_figure *figure = &command->figures[i];
        if (strlen(figure->name) == parts->name_length &&
            strncmp(figure->name, parts->name, parts->name_length) == 0)
            return figure;
    }
    struct lauka_figure *figure =
        lauka_arena_add(command->arena, &command->figures, &command->figure_count, sizeof *figure);
    figure->name = lauka_arena_piece(command->arena, parts->name, parts->name_length);
    return figure;
}

static bool give_figure(const char *text, struct lauka_command *command, struct lauka_error *error)
{
    const struct parts parts = take_apart(text);
    const struct lauka_figure_unit *unit;

    if (!check_name(text, &parts, error) || !find_unit(text, &parts, &unit, error) ||
        (parts.pattern && !check_pattern(text, parts.pattern, error)))
        return false;
    struct lauka_figure *figure = place_for(command, &parts);
    figure->unit = unit;
    figure->pattern = parts.pattern;
    return true;
}

/* ---- once all are given ----------------------------------------------------------------------------- */

/* figures: those of all commands. */
static bool check_units(const struct lauka_figure *const *figures, size_t count,
                        const struct lauka_command *command, struct lauka_error *error)
{
    for (size_t i = 0; i < command->figure_count; i++)
        for (size_t f = 0; f < count; f++)
            if (strcmp(figures[f]->name, command->figures[i].name) == 0 &&
                strcmp(figures[f]->unit->unit, command->figures[i].unit->unit) != 0)
                return lauka_misuse(
                    error, "--read %.100s: one command has it in %s, and another in %s",
                    figures[f]->name, figures[f]->unit->typed, command->figures[i].unit->typed);
    return (count < LAUKA_FIGURES_MAX && command->figure_count < LAUKA_FIGURES_MAX) ||
           lauka_misuse(error, "--read: up to %d figures can be read", LAUKA_FIGURES_MAX - 1);
}

static bool lead_output(struct lauka_command *command, struct lauka_error *error)
{
    const struct lauka_figure *written = NULL;

    for (size_t i = 0; i < command->figure_count; i++) {
        const struct lauka_figure *figure = &command->figures[i];
        written = figure->pattern ? figure : written;
        command->reports = command->reports || !figure->pattern;
    }
    if (command->load) /* that is who writes */
        return true;
    if (written && command->output != LAUKA_OUTPUT_NULL)
        return lauka_misuse(error,
                            "--read %.100s=...: stdout is read, but --output sends it elsewhere: "
                            "leave --output out, or let the command write \"%.100s VALUE UNIT\" to "
                            "the descriptor $LAUKA_REPORT_FD, for --read %.100s",
                            written->name, written->name, written->name);
    if (written)
        command->output = LAUKA_OUTPUT_KEPT;
    return true;
}

bool option_check_figures(struct lauka_options *options, struct lauka_error *error)
{
    const struct lauka_figure *figures[LAUKA_FIGURES_MAX];
    size_t count = lauka_figures_find(options->run.commands, options->run.command_count, figures);

    for (size_t c = 0; c < options->run.command_count; c++) {
        struct lauka_command *command = &options->run.commands[c];
        if (command->figure_count == 0)
            continue;
        if (options->measure.pretended)
            return lauka_misuse(
                error, "--read reads what commands write; --backend=simulated runs nothing");
        if (!check_units(figures, count, command, error) || !lead_output(command, error))
            return false;
    }
    return true;
}

/* ---- once for all commands, once for each, or for one side by its letter ------------------------------ */

bool option_spread(const struct lauka_options *options, const char *option,
                   const struct lauka_texts *texts, int which, option_giving *give,
                   struct lauka_error *error)
{
    struct option_sides among = option_sides_of(options);

    if (!option_check_texts(option, texts, among, error))
        return false;
    for (size_t c = 0; c < options->run.command_count; c++) {
        const char *text = option_text_for(texts, c, among);
        if (text && !give(which, text, &options->run.commands[c], error))
            return false;
    }
    return true;
}

/* A blank text means nothing: so a single command can go without. */
static bool attach_hook(int hook, const char *text, struct lauka_command *command,
                        struct lauka_error *error)
{
    (void)error;
    if (text[strspn(text, " \t\n")] != '\0')
        command->hooks[hook] = lauka_command_substitute(command, text);
    return true;
}

static bool attach_hooks(const struct lauka_options *options, struct lauka_error *error)
{
    static const char *const names[LAUKA_HOOKS] = {
        [LAUKA_HOOK_SETUP] = "setup",
        [LAUKA_HOOK_PREPARE] = "prepare",
        [LAUKA_HOOK_CONCLUDE] = "conclude",
        [LAUKA_HOOK_CLEANUP] = "cleanup",
    };
    bool good = true;

    for (int h = 0; good && h < LAUKA_HOOKS; h++)
        good = option_spread(options, names[h], &options->run.hooks[h], h, attach_hook, error);
    return good;
}

static bool direct_output(int ignored, const char *where, struct lauka_command *command,
                          struct lauka_error *error)
{
    static const char *const ways[] = {
        [LAUKA_OUTPUT_NULL] = "null",
        [LAUKA_OUTPUT_PIPE] = "pipe",
        [LAUKA_OUTPUT_INHERIT] = "inherit",
    };

    (void)ignored;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(where, ways[i]) == 0) {
            command->output = (enum lauka_output_way)i;
            return true;
        }
    if (!strchr(where, '/')) /* a misspelt word must not become a file */
        return lauka_misuse(error,
                            "--output %.200s: expected null, pipe, inherit or a file; for a file "
                            "of this name, type ./%.200s",
                            where, where);
    command->output = LAUKA_OUTPUT_FILE;
    command->output_file = lauka_command_substitute(command, where);
    return true;
}

static bool direct_input(int ignored, const char *from, struct lauka_command *command,
                         struct lauka_error *error)
{
    (void)ignored;
    if (strcmp(from, "null") == 0)
        return true;
    command->input_file = lauka_command_substitute(command, from);
    if (command->hooks[LAUKA_HOOK_SETUP] || command->hooks[LAUKA_HOOK_PREPARE])
        return true; /* which may make the file */
    return faccessat(AT_FDCWD, command->input_file, R_OK, AT_EACCESS) == 0 ||
           lauka_misuse(error, "--input %.300s: %s", command->input_file, strerror(errno));
}

static bool name_compared_file(int ignored, const char *file, struct lauka_command *command,
                               struct lauka_error *error)
{
    (void)ignored;
    (void)error;
    command->compared_file = lauka_command_substitute(command, file);
    return true;
}

/* Nothing could be compared otherwise. */
static bool check_same_output(const struct lauka_options *options, struct lauka_error *error)
{
    if (options->run.compared_files.count > 0 && !options->run.same_output)
        return lauka_misuse(error, "--output-file goes with --same-output");
    if (options->run.same_output && options->run.is_suite)
        return lauka_misuse(error,
                            "--same-output compares commands, not benchmarks inside a program");
    return !options->run.same_output || !options->measure.pretended ||
           lauka_misuse(
               error,
               "--same-output compares what commands write; --backend=simulated runs nothing");
}

/* --show-output is like an --output that nobody would count. */
static bool check_output_options(const struct lauka_options *options, struct lauka_error *error)
{
    const char *to = NULL;

    for (size_t i = 0; i < options->arguments->given_count; i++) {
        const struct lauka_given *given = &options->arguments->given[i];
        size_t ignored;
        if (given->row->id == OPTION_OUTPUT &&
            option_letter_end(given->text, &ignored) == given->text)
            to = given->text;
    }
    return !to || !lauka_arguments_find(options->arguments, OPTION_SHOW_OUTPUT) ||
           lauka_misuse(error,
                        "--show-output and --output %.200s exclude each other: both set the same "
                        "output (--output B:... is for one command)",
                        to);
}

/* ---- what holds for all, or for one side --------------------------------------------------------------- */

static bool give_variable(const char *text, struct lauka_command *command,
                          struct lauka_error *error)
{
    char ***list = &command->environment;
    size_t count = *list ? lauka_words_count((const char *const *)*list) + 1 : 0;

    if (*text == '=' || !strchr(text, '='))
        return lauka_misuse(error, "--env %.200s: expected NAME=VALUE", text);
    if (count == 0) /* the NULL at the end */
        lauka_arena_add(command->arena, list, &count, sizeof **list);
    lauka_arena_add(command->arena, list, &count, sizeof **list);
    (*list)[count - 2] = (char *)(uintptr_t)text; /* nobody writes there */
    return true;
}

static bool give_directory(const char *text, struct lauka_command *command,
                           struct lauka_error *error)
{
    struct stat about;

    if (stat(text, &about) != 0)
        return lauka_misuse(error, "--cwd %.300s: %s", text, strerror(errno));
    if (!S_ISDIR(about.st_mode))
        return lauka_misuse(error, "--cwd %.300s: %s", text, strerror(ENOTDIR));
    char *path = realpath(text, NULL);
    if (!path)
        return lauka_misuse(error, "--cwd %.300s: %s", text, strerror(errno));
    command->directory = lauka_arena_text(command->arena, path);
    free(path);
    return true;
}

static bool give_codes(const char *text, struct lauka_command *command, struct lauka_error *error)
{
    command->expects = true;
    size_t code;
    for (const char *next; *text; text = next) {
        next = option_next_code(text, &code);
        if (!next)
            return lauka_misuse(error,
                                "--expect-exit %.100s: expected exit codes from 0 to 255, "
                                "separated by commas; a signal counts as 128 and its number",
                                text);
        command->expected[code / 8] |= (uint8_t)(1u << code % 8);
    }
    return true;
}

static bool give(int id, const char *text, struct lauka_command *command, struct lauka_error *error)
{
    switch (id) {
    case OPTION_ENV:
        return give_variable(text, command, error);
    case OPTION_CWD:
        return give_directory(text, command, error);
    case OPTION_ITEMS:
        return option_parse_amount("items", text, false, &command->items, error);
    case OPTION_BYTES:
        return option_parse_amount("bytes", text, true, &command->bytes, error);
    case OPTION_READ:
        return give_figure(text, command, error);
    case OPTION_TIMEOUT:
        return option_parse_duration("timeout", text, &command->timeout_ns, error) &&
               (command->timeout_ns > 0 ||
                lauka_misuse(error, "--timeout %.100s: expected a time above 0", text));
    default: /* OPTION_EXPECT_EXIT: the table has no other of this kind */
        return give_codes(text, command, error);
    }
}

struct variable {
    size_t command; /* SIZE_MAX: of all */
    const char *text;
    size_t name_length, given;
};

static int compare_variables(const void *left, const void *right)
{
    const struct variable *a = left, *b = right;

    if (a->command != b->command)
        return a->command < b->command ? -1 : 1;
    if (a->name_length != b->name_length)
        return a->name_length < b->name_length ? -1 : 1;
    int order = memcmp(a->text, b->text, a->name_length);
    return order ? order : a->given < b->given ? -1 : a->given > b->given;
}

static bool same_variable(const struct variable *a, const struct variable *b)
{
    return a->command == b->command && a->name_length == b->name_length &&
           memcmp(a->text, b->text, a->name_length) == 0;
}

/* Sorted by commands and names. Returns how many. */
static size_t collect_variables(const struct lauka_arguments *arguments, struct variable *variables)
{
    size_t count = 0;

    for (size_t i = 0; i < arguments->given_count; i++) {
        const struct lauka_given *given = &arguments->given[i];
        struct variable *variable = &variables[count];
        if (given->row->id != OPTION_ENV || !strchr(given->text, '=')) /* see give_variable */
            continue;
        *variable = (struct variable){.command = SIZE_MAX, .given = i};
        variable->text = option_letter_end(given->text, &variable->command);
        variable->name_length = strcspn(variable->text, "=");
        count++;
    }
    qsort(variables, count, sizeof *variables, compare_variables);
    return count;
}

/* A variable has one value: if hyperfine's --env is given once for each command, the last value would be
 * that of all. Only a value for one command overrides the value for all. */
static bool check_variables(const struct lauka_arguments *arguments, struct lauka_error *error)
{
    struct variable *variables =
        lauka_arena_take(arguments->arena, (arguments->given_count + 1) * sizeof *variables);
    const struct variable *again = NULL; /* the first that was given once more */
    size_t count = collect_variables(arguments, variables);
    for (size_t v = 1; v < count; v++)
        if (same_variable(&variables[v - 1], &variables[v]) &&
            (!again || variables[v].given < again->given))
            again = &variables[v];
    if (again) {
        int shown = again->name_length < 60 ? (int)again->name_length : 60;
        lauka_misuse(error,
                     "--env %.100s: %.*s already has a value; to set it for one command each, type "
                     "--env A:%.*s=... --env B:%.*s=...",
                     arguments->given[again->given].text, shown, again->text, shown, again->text,
                     shown, again->text);
    }
    return !again;
}

/* Those for all commands come first, so that a value for one command wins in any order. */
static bool give_all(struct lauka_options *options, bool one, struct lauka_error *error)
{
    size_t sides = option_sides_of(options).sides;

    for (size_t i = 0; i < options->arguments->given_count; i++) {
        const struct lauka_given *given = &options->arguments->given[i];
        size_t side = 0;
        if (given->row->kind != KIND_EACH)
            continue;
        if (!option_check_letter(given->row->name, given->text, sides, error))
            return false;
        const char *text = option_letter_end(given->text, &side);
        bool has_letter = text != given->text;
        for (size_t c = side; has_letter == one && c < options->run.command_count;
             c += has_letter ? sides : 1)
            if (!give(given->row->id, text, &options->run.commands[c], error))
                return false;
    }
    return true;
}

/* ---- commands that differ in it alone ------------------------------------------------------------- */

static bool has_variable(const struct lauka_command *command, const char *text)
{
    for (char **own = command->environment; own && *own; own++)
        if (strcmp(*own, text) == 0)
            return true;
    return false;
}

/* Whether some other of that name has no such variable. */
static bool tells_apart(const struct lauka_options *options, const struct lauka_command *command,
                        const char *text)
{
    for (size_t c = 0; c < options->run.command_count; c++)
        if (strcmp(command->label, options->run.commands[c].label) == 0 &&
            !has_variable(&options->run.commands[c], text))
            return true;
    return false;
}

/* As one would type it: MODE=fast ./prog. */
static char *label_with_variables(const struct lauka_options *options,
                                  const struct lauka_command *command)
{
    char **variables = command->environment;
    size_t count = lauka_words_count((const char *const *)variables), size = 1;
    const char **parts = lauka_arena_take(options->arena, (count + 1) * sizeof *parts);
    bool any = false;

    parts[count] = command->label;
    for (size_t v = 0; v < count; v++) {
        char *value = strchr(variables[v], '=') + 1;
        bool shown = tells_apart(options, command, variables[v]);
        any = any || shown;
        parts[v] =
            !shown ? ""
                   : lauka_arena_print(options->arena, "%.*s%s ", (int)(value - variables[v]),
                                       variables[v], lauka_quote_argv(options->arena, &value, 1));
    }
    if (!any)
        return command->label;
    for (size_t i = 0; i <= count; i++)
        size += strlen(parts[i]);
    char *label = lauka_arena_take(options->arena, size), *end = label;
    for (size_t i = 0; i <= count; i++)
        end = stpcpy(end, parts[i]);
    return label;
}

/* All names are checked before any is changed. Sides of many benchmarks have names of their own. */
static void name_by_variables(struct lauka_options *options)
{
    size_t count = options->run.command_count;
    char **labels = lauka_arena_take(options->arena, count * sizeof *labels);

    if (option_sides_of(options).sides < count)
        return;
    for (size_t c = 0; c < count; c++)
        labels[c] = label_with_variables(options, &options->run.commands[c]);
    for (size_t c = 0; c < count; c++)
        if (labels[c] != options->run.commands[c].label)
            options->run.commands[c].label = options->run.commands[c].side = labels[c];
}

bool option_give_each(struct lauka_options *options, struct lauka_error *error)
{
    if (!attach_hooks(options, error) || !check_output_options(options, error) ||
        !option_spread(options, "input", &options->run.inputs_from, 0, direct_input, error) ||
        !option_spread(options, "output", &options->run.outputs_to, 0, direct_output, error) ||
        !option_spread(options, "output-file", &options->run.compared_files, 0, name_compared_file,
                       error) ||
        !check_same_output(options, error) || !check_variables(options->arguments, error) ||
        !give_all(options, false, error) || !give_all(options, true, error))
        return false;
    name_by_variables(options);
    return true;
}
