/* What the build runs to have the manual page and the completions: manual FORM [SUBCOMMAND] */
#include "runner/base/base.h"
#include "runner/options/table.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3 || !option_write_form(argv[1], argv[2], stdout)) {
        fputs("usage: manual man|bash|zsh|fish [SUBCOMMAND]\n", stderr);
        return LAUKA_EXIT_USAGE;
    }
    return fflush(stdout) == 0 ? LAUKA_EXIT_DONE : LAUKA_EXIT_INTERNAL;
}
