/* The tables that the build makes of options.txt, asked. */
#include "runner/options/table.h"
#include "runner/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

const struct option_row lauka_word_row = {.group = OPTION_GROUP_GENERAL, .verbs = ~0u};

const char *option_values(const struct option_row *row)
{
    return row->argument == no_argument ? NULL : row->words;
}

bool option_has_letter(const struct option_row *row)
{
    return row->id > 0 && row->id < 256;
}

const char *option_spelling(const struct option_row *row, char text[OPTION_SPELLING_SIZE])
{
    if (row->name)
        snprintf(text, OPTION_SPELLING_SIZE, "--%s", row->name);
    else
        snprintf(text, OPTION_SPELLING_SIZE, "-%c", row->id);
    return text;
}

const struct option_row *option_row_of(int id)
{
    for (size_t i = 0; i < lauka_option_count; i++)
        if (lauka_option_rows[i].id == id)
            return &lauka_option_rows[i];
    return NULL;
}

const struct option_row *option_row_named(const char *name)
{
    for (size_t i = 0; i < lauka_option_count; i++)
        if (lauka_option_rows[i].name && strcmp(lauka_option_rows[i].name, name) == 0)
            return &lauka_option_rows[i];
    return NULL;
}

const struct verb_row *option_verb_row(const char *word)
{
    for (size_t i = 0; i < lauka_verb_count; i++)
        if (strcmp(word, lauka_verb_rows[i].name) == 0)
            return &lauka_verb_rows[i];
    return NULL;
}

/* The first word is a verb only if it equals one. */
bool option_find_verb(const char *word, enum lauka_verb *verb)
{
    const struct verb_row *row = option_verb_row(word);

    if (row)
        *verb = row->verb;
    return row != NULL;
}
