/* The help in the forms that other programs read. */
#include "runner/options/table.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    void (*write)(FILE *out);
} forms[] = {
    {"man", option_write_man},
    {"bash", option_write_bash},
    {"zsh", option_write_zsh},
    {"fish", option_write_fish},
};

bool option_write_form(const char *form, FILE *out)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(form, forms[i].name) == 0) {
            forms[i].write(out);
            return true;
        }
    return false;
}
