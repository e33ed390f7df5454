/* Options of runs that fail, hang or leave something behind. Those that may differ between commands
 * are given to them in each.c. */
#include "runner/options/table.h"
#include "runner/options/values.h"
#include "runner/base/base.h"
#include "runner/options.h"

bool option_take_failure(int id, const char *text, struct lauka_options *options,
                         struct lauka_error *error)
{
    switch (id) {
    case OPTION_MAX_FAILURES:
        return option_parse_count("max-failures", text, 0, &options->max_failures, error);
    case OPTION_KEEP_ORPHANS:
        options->keep_orphans = true;
        return true;
    default: /* OPTION_TIMEOUT, OPTION_EXPECT_EXIT: read once the commands are known */
        return true;
    }
}
