/* Values of options, read and refused in one way. */
#include "runner/option_values.h"

#include <errno.h>
#include <stdlib.h>

bool option_parse_count(const char *option, const char *text, uint64_t least, uint64_t *count,
                        struct lauka_error *error)
{
    char *end;

    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || value < least)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--%s %.100s: a whole number from %llu on is needed", option, text,
                          (unsigned long long)least);
    *count = value;
    return true;
}

bool option_parse_duration(const char *option, const char *text, uint64_t *ns,
                           struct lauka_error *error)
{
    return lauka_parse_duration(text, ns) ||
           lauka_fail(error, LAUKA_EXIT_USAGE,
                      "--%s %.100s: a duration is needed, such as 5, 500ms, 30s or 2m", option,
                      text);
}

bool option_parse_percent(const char *option, const char *text, double *ratio,
                          struct lauka_error *error)
{
    char *end;
    double percent = strtod(text, &end);

    while (*end == ' ')
        end++;
    if (*end == '%')
        end++;
    if (*text < '.' || *text > '9' || *end || !(percent >= 0 && percent <= 100))
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--%s %.100s: per cent are needed, such as 1%% or "
                          "0.5",
                          option, text);
    *ratio = percent / 100;
    return true;
}
