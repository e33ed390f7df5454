/* "B:" in front of a value that is for one command only. */
#include "runner/options/values.h"
#include "runner/base/base.h"

#include <string.h>

const char *option_letter_end(const char *text, size_t *command)
{
    size_t number = 0;
    const char *c = text;

    for (; *c >= 'A' && *c <= 'Z' && c - text < 4; c++)
        number = 26 * number + (size_t)(*c - 'A') + 1;
    if (c == text || *c != ':')
        return text;
    *command = number - 1;
    return c + 1;
}

char *option_letter(size_t command, char letter[LETTER_SIZE])
{
    char reversed[LETTER_SIZE];
    size_t count = 0;

    for (size_t number = command + 1; number > 0 && count < LETTER_SIZE - 1;
         number = (number - 1) / 26)
        reversed[count++] = (char)('A' + (number - 1) % 26);
    for (size_t i = 0; i < count; i++)
        letter[i] = reversed[count - 1 - i];
    letter[count] = '\0';
    return letter;
}

bool option_check_letter(const char *option, const char *text, size_t count,
                         struct lauka_error *error)
{
    size_t command = 0;
    char last[LETTER_SIZE];

    if (option_letter_end(text, &command) == text || command < count)
        return true;
    return lauka_fail(error, LAUKA_EXIT_USAGE,
                      "--%s %.100s: there is no such command; the commands are %s%s", option, text,
                      count > 1 ? "A to " : "", option_letter(count - 1, last));
}
