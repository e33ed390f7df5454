/* Options that hold for all commands, or, with a letter and a colon in front of the value, for one:
 * `--env B:LANG=C` is of the second command. What a file or directory of such a name is called then
 * begins with ./ */
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

static bool no_memory(struct lauka_error *error)
{
    return lauka_fail(error, LAUKA_EXIT_INTERNAL, "out of memory");
}

static bool give_variable(const char *text, struct lauka_command *command,
                          struct lauka_error *error)
{
    size_t count = 0;

    if (*text == '=' || !strchr(text, '='))
        return lauka_fail(error, LAUKA_EXIT_USAGE, "--env %.200s: NAME=VALUE is needed", text);
    while (command->environment && command->environment[count])
        count++;
    char **grown = realloc(command->environment, (count + 2) * sizeof *grown);
    if (!grown)
        return no_memory(error);
    command->environment = grown;
    grown[count] = strdup(text);
    grown[count + 1] = NULL;
    return grown[count] || no_memory(error);
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
    for (char *end; *text; text = end + (*end == ',')) {
        long code = strtol(text, &end, 10);
        if (end == text || (*end && *end != ',') || code < 0 || code > 255)
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "--expect-exit %.100s: exit codes from 0 to 255 are needed, with "
                              "commas between them; a signal counts as 128 and its number",
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
        return option_parse_count("items", text, 1, &command->items, error);
    case OPTION_BYTES:
        return option_parse_count("bytes", text, 1, &command->bytes, error);
    case OPTION_TIMEOUT:
        return option_parse_duration("timeout", text, &command->timeout_ns, error) &&
               (command->timeout_ns > 0 ||
                lauka_fail(error, LAUKA_EXIT_USAGE, "--timeout %.100s: a time above 0 is needed",
                           text));
    default: /* OPTION_EXPECT_EXIT: see is_of_each */
        return give_codes(text, command, error);
    }
}

static bool is_of_each(int id)
{
    return id == OPTION_ITEMS || id == OPTION_BYTES || id == OPTION_ENV || id == OPTION_CWD ||
           id == OPTION_TIMEOUT || id == OPTION_EXPECT_EXIT;
}

/* A variable has one value: of hyperfine's --env, given once for each command, the last one would be
 * that of all. Only what is said of one command replaces what is said of all. */
static bool check_variable(const struct lauka_options *options, size_t last,
                           struct lauka_error *error)
{
    size_t command = SIZE_MAX, other;
    const char *text = option_letter_end(options->given[last].text, &command);
    int length = (int)strcspn(text, "="), shown = length < 60 ? length : 60;

    for (size_t i = 0; i < last; i++) {
        other = SIZE_MAX;
        if (lauka_option_rows[options->given[i].row].id != OPTION_ENV)
            continue;
        const char *earlier = option_letter_end(options->given[i].text, &other);
        if (other == command && strncmp(earlier, text, (size_t)length + 1) == 0)
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "--env %.100s: %.*s has a value already; for one command each: --env "
                              "A:%.*s=... --env B:%.*s=...",
                              options->given[last].text, shown, text, shown, text, shown, text);
    }
    return true;
}

/* Those for all commands first, so that what is said of one command wins whatever the order. */
static bool give_all(struct lauka_options *options, bool one, struct lauka_error *error)
{
    for (size_t i = 0; i < options->given_count; i++) {
        const struct option_row *row = &lauka_option_rows[options->given[i].row];
        size_t only = 0;
        if (!is_of_each(row->id))
            continue;
        if (!option_check_letter(row->name, options->given[i].text, options->command_count, error))
            return false;
        if (row->id == OPTION_ENV && !check_variable(options, i, error))
            return false;
        const char *text = option_letter_end(options->given[i].text, &only);
        bool has_letter = text != options->given[i].text;
        for (size_t c = 0; has_letter == one && c < options->command_count; c++)
            if ((!has_letter || c == only) && !give(row->id, text, &options->commands[c], error))
                return false;
    }
    return true;
}

bool option_give_each(struct lauka_options *options, struct lauka_error *error)
{
    return give_all(options, false, error) && give_all(options, true, error);
}
