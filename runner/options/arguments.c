/* A command line in one list: what was given, and where. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/base/base.h"

#include <stdlib.h>

bool lauka_arguments_make(size_t words, size_t given, struct lauka_arguments *arguments,
                          struct lauka_error *error)
{
    *arguments = (struct lauka_arguments){
        .words = calloc(words + 1, sizeof *arguments->words),
        .given = calloc(given + 1, sizeof *arguments->given),
        .texts = calloc(words + 1, sizeof *arguments->texts),
    };
    return (arguments->words && arguments->given && arguments->texts) || lauka_fail_memory(error);
}

void lauka_arguments_done(struct lauka_arguments *arguments)
{
    free(arguments->words);
    free(arguments->given);
    free(arguments->texts);
    free(arguments->letters);
    *arguments = (struct lauka_arguments){0};
}

const struct lauka_given *lauka_arguments_find(const struct lauka_arguments *arguments, int id)
{
    const struct lauka_given *found = NULL;

    for (size_t i = 0; i < arguments->given_count; i++)
        if (arguments->given[i].row->id == id)
            found = &arguments->given[i];
    return found;
}

bool lauka_arguments_have(const struct lauka_arguments *arguments, const struct option_row *row)
{
    for (size_t i = 0; i < arguments->given_count; i++)
        if (arguments->given[i].row == row)
            return true;
    return false;
}

bool lauka_arguments_as_root(const struct lauka_arguments *typed)
{
    return lauka_arguments_find(typed, OPTION_AS_ROOT) != NULL;
}

bool lauka_arguments_bisect(const struct lauka_arguments *arguments)
{
    return lauka_arguments_find(arguments, OPTION_BISECT) != NULL;
}
