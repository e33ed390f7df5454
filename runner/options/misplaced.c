/* A word that stands where a command or a file to read would, and was meant as a file to write: --json FILE. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"

#include <getopt.h>
#include <string.h>
#include <unistd.h>

static bool ends_as_document(const char *word)
{
    static const char *const ends[] = {".json", ".csv", ".md",  ".markdown",
                                       ".html", ".htm", ".xml", ".txt"};
    size_t length = strlen(word);

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t end = strlen(ends[i]);
        if (length > end && strcmp(word + length - end, ends[i]) == 0)
            return true;
    }
    return false;
}

/* Whether the word makes sense where it stands: a program to run, or a file to read. */
static bool is_meant(const struct lauka_arguments *arguments, char *word)
{
    enum lauka_verb verb = LAUKA_VERB_RUN;
    struct lauka_command command = {0};
    struct lauka_error ignored;

    option_find_verb(arguments->texts[0], &verb);
    if (verb != LAUKA_VERB_RUN && verb != LAUKA_VERB_NOISE && verb != LAUKA_VERB_WHY &&
        verb != LAUKA_VERB_SUITE)
        return access(word, F_OK) == 0;
    bool found = lauka_command_from_argv(&word, 1, &command, &ignored) &&
                 lauka_command_locate(&command, &ignored);
    lauka_command_done(&command);
    return found;
}

/* Behind an option with an optional value a word would be a command, or a file to read, though it is
 * called as what was to be written. */
bool lauka_misplaced_check(struct lauka_arguments *arguments, struct lauka_error *error)
{
    size_t count = arguments->word_count - (arguments->vector ? arguments->vector_count + 1 : 0);

    for (size_t i = 0; i < arguments->given_count; i++) {
        const struct lauka_given *given = &arguments->given[i];
        char *next = given->word + 1 < count ? arguments->words[given->word + 1] : NULL;
        if (given->row->group != OPTION_GROUP_OUTPUTS ||
            given->row->argument != optional_argument || given->text || !next || *next == '-' ||
            !ends_as_document(next) || is_meant(arguments, next))
            continue;
        arguments->failed_word = given->word + 1;
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "%.200s is no program to run and no file to read: to write it, type "
                          "--%s=%.200s",
                          next, given->row->name, next);
    }
    return true;
}
