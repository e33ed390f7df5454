/* The name of a run, in the launcher process: strings of its environment, rewritten in place. */
#include "runner/launch/launcher.h"

#include <string.h>

/* Padded with zeros; too large a number loses its first digits. */
static void put_digits(uint64_t value, char *digits, size_t count)
{
    for (; count > 0 && value > 0; value /= 10)
        digits[--count] = (char)('0' + value % 10);
    memset(digits, '0', count);
}

void launcher_name_run(struct run_variables *variables, const struct lauka_run_name *name)
{
    put_digits(name->round, variables->round, ROUND_DIGITS);
    put_digits(name->iteration, variables->iteration, ROUND_DIGITS);
    put_digits(name->iteration, variables->hyperfine, ROUND_DIGITS);
    put_digits(name->command + 1, variables->command, COMMAND_DIGITS);
    if (name->padding != variables->padding_length && name->padding <= LAUKA_PADDING_MAX) {
        variables->padding[variables->padding_length] = 'x';
        variables->padding[name->padding] = '\0';
        variables->padding_length = name->padding;
    }
}
