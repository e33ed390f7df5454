/* The name of a run, in the launcher process: strings of its environment, rewritten in place. */
#include "runner/launch/launcher.h"

/* Padded with zeros; too large a number loses its first digits. */
static void put_digits(uint64_t value, char *digits, size_t count)
{
    while (count-- > 0) {
        digits[count] =
            (char)(value > 0 ? '0' + value % 10 : '0'); /* most are zeros: no division */
        value /= value > 0 ? 10 : 1;
    }
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
