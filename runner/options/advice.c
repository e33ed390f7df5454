/* What words may have meant that also make sense as they stand: said on stderr, without any effect. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/command/command.h"
#include "runner/options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* One vector of which every word is a program: somebody meant several commands. */
static bool is_without_vs(const struct option_words *words)
{
    bool programs = words->vector_count > 1;

    for (size_t i = 0; i < words->vector_count; i++)
        programs = programs && strchr(words->vector[i], '/') && access(words->vector[i], X_OK) == 0;
    return programs;
}

/* -n 5 is a number of runs for multitime, and a name here. */
static const char *name_of_digits(const struct lauka_arguments *arguments)
{
    const char *name = NULL;

    for (size_t i = 0; i < arguments->given_count; i++) {
        const struct lauka_given *given = &arguments->given[i];
        if (given->row->id == OPTION_RUNS || (given->row->id == OPTION_NAME && name))
            return NULL;
        if (given->row->id == OPTION_NAME)
            name = given->text;
    }
    return name && *name && name[strspn(name, "0123456789")] == '\0' ? name : NULL;
}

static bool is_parameter(const struct lauka_options *options, const char *name, size_t length)
{
    for (size_t i = 0; i < options->parameter_count; i++)
        if (strlen(options->parameters[i].name) == length &&
            strncmp(options->parameters[i].name, name, length) == 0)
            return true;
    return options->layouts > 0 && length == strlen("layout") && strncmp(name, "layout", 6) == 0;
}

/* The first {NAME} in a text that stands for nothing; its length with the braces, or 0. */
static size_t find_unknown(const struct lauka_options *options, const char **text)
{
    for (const char *brace = strchr(*text, '{'); brace; brace = strchr(brace + 1, '{')) {
        size_t length = 1;
        while (isalnum((unsigned char)brace[length]) || strchr("_-", brace[length]) != NULL)
            if (!brace[length++])
                break;
        if (length > 1 && brace[length] == '}' && !isdigit((unsigned char)brace[1]) &&
            !is_parameter(options, brace + 1, length - 1)) {
            *text = brace;
            return length + 1;
        }
    }
    return 0;
}

static bool hint_at_braces(const struct option_words *words, struct lauka_options *options)
{
    for (size_t i = 0; options->parameter_count > 0 && i < words->text_count; i++) {
        const char *text = words->texts[i];
        size_t length = find_unknown(options, &text);
        if (length > 0)
            snprintf(options->hint, sizeof options->hint,
                     "%.*s in `%.100s` stays as it is: no parameter has this name",
                     (int)(length < 60 ? length : 60), text, words->texts[i]);
        if (length > 0)
            return true;
    }
    return false;
}

void option_advise(const struct option_words *words, struct lauka_options *options)
{
    const char *name = name_of_digits(options->arguments);

    if (is_without_vs(words) && options->command_count == 1)
        snprintf(options->hint, sizeof options->hint,
                 "all words after -- are one command; to compare, put --vs between two: "
                 "lauka -- ./a --vs ./b");
    else if (name)
        snprintf(options->hint, sizeof options->hint,
                 "-n %.20s names the command \"%.20s\"; for a number of rounds, use -r %.20s", name,
                 name, name);
    else
        hint_at_braces(words, options);
}

/* ---- no command ----------------------------------------------------------------------------- */

bool option_refuse_nothing(const struct lauka_options *options, struct lauka_error *error)
{
    const struct lauka_given *list =
        lauka_arguments_find(options->arguments, OPTION_PARAMETER_LIST);

    if (list && !strchr(list->rest[0], ','))
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "no command to run: -L %.60s took \"%.100s\" as its values; type -L "
                          "%.60s VALUES before the command",
                          list->text, list->rest[0], list->text);
    return lauka_fail(error, LAUKA_EXIT_USAGE,
                      "no command to run: lauka COMMAND [COMMAND...]; see lauka --help");
}
