/* The help in the forms that other programs read. */
#include "runner/options/table.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    void (*write)(FILE *out);
} shells[] = {
    {"bash", option_write_bash},
    {"zsh", option_write_zsh},
    {"fish", option_write_fish},
};

bool option_write_form(const char *form, const char *subcommand, FILE *out)
{
    const struct verb_row *row = subcommand ? option_verb_row(subcommand) : NULL;

    if (strcmp(form, "man") == 0) {
        if (row)
            option_write_man_of(row, out);
        else
            option_write_man(out);
        return true;
    }
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(form, shells[i].name) == 0) {
            shells[i].write(out);
            return true;
        }
    return false;
}
