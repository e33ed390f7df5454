/* A file of options that nobody named: ./.lauka. Whoever can write it, the author of a checkout or what was
 * measured before, must not decide what is run, written, accepted or hidden. Options are harmless where
 * the table of options says so. */
#include "runner/options/config_file.h"
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/base/base.h"
#include "runner/command/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char more[] = ", ...";

void config_leave_out(const struct option_row *row, char *list, size_t size)
{
    char name[OPTION_SPELLING_SIZE];
    size_t used = strlen(list);

    size_t length = strlen(option_spelling(row, name));
    for (const char *at = list; (at = strstr(at, name)); at += length)
        if (at[length] == ',' || at[length] == '\0')
            return; /* it is there already */
    if (used + length + 2 * sizeof more < size)
        snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", name);
    else if (strlen(list) < strlen(more) || strcmp(list + used - strlen(more), more) != 0)
        snprintf(list + used, size - used, "%s", more);
}

bool config_refuse(const char *tool, const char *list, const struct lauka_arguments *typed,
                   struct lauka_error *error)
{
    enum { MOST = 200 };
    size_t count = typed->word_count;
    char *quoted = count > 0 ? lauka_quote_argv(typed->words, count) : NULL;
    const char *rest = count == 0 ? "" : !quoted || strlen(quoted) > MOST ? "..." : quoted;
    const char *blank = *rest ? " " : "";
    lauka_fail(
        error, LAUKA_EXIT_USAGE,
        "under %s, a file that nobody named sets harmless options only, and %s holds %s: type "
        "%s lauka --config %s%s%s if you trust it, or %s lauka --no-config%s%s",
        tool, lauka_config_implicit, list, tool, lauka_config_implicit, blank, rest, tool, blank,
        rest);
    free(quoted);
    return false;
}

/* What nobody typed is said. What the file says without effect may be a limit that somebody relies on:
 * that is said with -q, too. */
void lauka_config_say(const struct lauka_config *config, const struct lauka_arguments *typed)
{
    if (!config->implicit)
        return;
    if (*config->left_out)
        fprintf(stderr, "lauka: %s: without --config %s, these are ignored: %s%s\n", config->path,
                config->path, config->left_out, config->holds ? "; its other options apply" : "");
    else if (config->holds && !lauka_arguments_find(typed, OPTION_QUIET))
        fprintf(stderr, "lauka: using the options in %s; --no-config ignores them\n", config->path);
}
