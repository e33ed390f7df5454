/* Options of the machine and of how programs lie in its memory. */
#include "runner/options/table.h"
#include "runner/base/base.h"
#include "runner/options.h"

bool option_take_machine(int id, const char *text, struct lauka_options *options,
                         struct lauka_error *error)
{
    (void)text;
    (void)error;
    switch (id) {
    case OPTION_QUIET_MACHINE:
        options->quiet_machine = true;
        return true;
    case OPTION_REQUIRE_QUIET:
        options->require_quiet = true;
        return true;
    case OPTION_SELFTEST:
        options->selftest = true;
        return true;
    default: /* OPTION_FIXED_LAYOUT: the group has no other */
        options->fixed_layout = true;
        return true;
    }
}
