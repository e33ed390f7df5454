/* Options that hold for all commands or, with a letter and a colon in front of the value, for one side:
 * `--env B:LANG=C` is for the second command of each benchmark. A file or directory with such a name must
 * be written with ./ in front. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/options/values.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- what can be given to each -------------------------------------------------------------------- */

static bool give_variable(const char *text, struct lauka_command *command,
                          struct lauka_error *error)
{
    size_t count = lauka_words_count((const char *const *)command->environment);

    if (*text == '=' || !strchr(text, '='))
        return lauka_fail(error, LAUKA_EXIT_USAGE, "--env %.200s: expected NAME=VALUE", text);
    char **grown = realloc(command->environment, (count + 2) * sizeof *grown);
    if (!grown)
        return lauka_fail_memory(error);
    command->environment = grown;
    grown[count] = strdup(text);
    grown[count + 1] = NULL;
    return grown[count] || lauka_fail_memory(error);
}

static bool give_directory(const char *text, struct lauka_command *command,
                           struct lauka_error *error)
{
    struct stat about;

    if (stat(text, &about) != 0)
        return lauka_fail(error, LAUKA_EXIT_USAGE, "--cwd %.300s: %s", text, strerror(errno));
    if (!S_ISDIR(about.st_mode))
        return lauka_fail(error, LAUKA_EXIT_USAGE, "--cwd %.300s: %s", text, strerror(ENOTDIR));
    free(command->directory);
    command->directory = realpath(text, NULL);
    return command->directory ||
           lauka_fail(error, LAUKA_EXIT_USAGE, "--cwd %.300s: %s", text, strerror(errno));
}

static bool give_codes(const char *text, struct lauka_command *command, struct lauka_error *error)
{
    command->expects = true;
    size_t code;
    for (const char *next; *text; text = next) {
        next = option_next_code(text, &code);
        if (!next)
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "--expect-exit %.100s: expected exit codes from 0 to 255, separated "
                              "by commas; a signal counts as 128 and its number",
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
        return option_give_figure(text, command, error);
    case OPTION_TIMEOUT:
        return option_parse_duration("timeout", text, &command->timeout_ns, error) &&
               (command->timeout_ns > 0 ||
                lauka_fail(error, LAUKA_EXIT_USAGE, "--timeout %.100s: expected a time above 0",
                           text));
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
    struct variable *variables = calloc(arguments->given_count + 1, sizeof *variables);
    const struct variable *again = NULL; /* the first that was given once more */

    if (!variables)
        return lauka_fail_memory(error);
    size_t count = collect_variables(arguments, variables);
    for (size_t v = 1; v < count; v++)
        if (same_variable(&variables[v - 1], &variables[v]) &&
            (!again || variables[v].given < again->given))
            again = &variables[v];
    if (again) {
        int shown = again->name_length < 60 ? (int)again->name_length : 60;
        lauka_fail(error, LAUKA_EXIT_USAGE,
                   "--env %.100s: %.*s already has a value; to set it for one command each, type "
                   "--env A:%.*s=... "
                   "--env B:%.*s=...",
                   arguments->given[again->given].text, shown, again->text, shown, again->text,
                   shown, again->text);
    }
    free(variables);
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
        for (size_t c = side; has_letter == one && c < options->command_count;
             c += has_letter ? sides : 1)
            if (!give(given->row->id, text, &options->commands[c], error))
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
    for (size_t c = 0; c < options->command_count; c++)
        if (strcmp(command->label, options->commands[c].label) == 0 &&
            !has_variable(&options->commands[c], text))
            return true;
    return false;
}

/* As one would type it: MODE=fast ./prog. NULL if there is no memory. */
static char *label_with_variables(const struct lauka_options *options,
                                  const struct lauka_command *command)
{
    char *label = strdup(command->label), **variables = command->environment;
    size_t count = lauka_words_count((const char *const *)variables);

    while (label && count-- > 0) { /* the last one stands next to the program */
        char *value = strchr(variables[count], '=') + 1, *shorter = label;
        if (!tells_apart(options, command, variables[count]))
            continue;
        char *quoted = lauka_quote_argv(&value, 1);
        if (!quoted || asprintf(&label, "%.*s%s %s", (int)(value - variables[count]),
                                variables[count], quoted, shorter) < 0)
            label = NULL;
        free(quoted);
        free(shorter);
    }
    return label;
}

static bool rename_command(struct lauka_command *command, char **label, struct lauka_error *error)
{
    if (strcmp(command->label, *label) == 0)
        return true;
    free(command->label);
    free(command->side);
    command->label = *label;
    *label = NULL;
    command->side = strdup(command->label);
    return command->side || lauka_fail_memory(error);
}

/* All names are checked before any is changed. Sides of many benchmarks have names of their own. */
static bool name_by_variables(struct lauka_options *options, struct lauka_error *error)
{
    char **labels = calloc(options->command_count + 1, sizeof *labels);
    bool good = labels || lauka_fail_memory(error);

    if (option_sides_of(options).sides < options->command_count) {
        free(labels);
        return good;
    }
    for (size_t c = 0; good && c < options->command_count; c++) {
        labels[c] = label_with_variables(options, &options->commands[c]);
        good = labels[c] || lauka_fail_memory(error);
    }
    for (size_t c = 0; good && c < options->command_count; c++)
        good = rename_command(&options->commands[c], &labels[c], error);
    for (size_t c = 0; labels && c < options->command_count; c++)
        free(labels[c]);
    free(labels);
    return good;
}

bool option_give_each(struct lauka_options *options, struct lauka_error *error)
{
    return check_variables(options->arguments, error) && give_all(options, false, error) &&
           give_all(options, true, error) && name_by_variables(options, error);
}
