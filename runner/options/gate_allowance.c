/* What is allowed to be worse, until when, and why: one line each, so that they are reviewed like code. */
#include "runner/options/gate_rule.h"
#include "report/result/result.h"
#include "runner/base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char needed[] = "expected BENCHMARK METRIC until=YYYY-MM-DD REASON; quote a BENCHMARK "
                             "that contains blanks; * is any benchmark";

/* The next word, in quotes or up to a blank; owned. NULL at the end, for an open quote, or if there is no
 * memory. *at moves behind it. */
static char *next_word(const char **at)
{
    const char *from = *at + strspn(*at, " \t");
    char quote = *from == '"' || *from == '\'' ? *from : '\0';

    from += quote != '\0';
    const char *end = quote ? strchr(from, quote) : from + strcspn(from, " \t");
    if (!end || (!quote && end == from))
        return NULL;
    *at = end + (quote != '\0');
    return strndup(from, (size_t)(end - from));
}

static int number_of(const char *digits, size_t count)
{
    int number = 0;

    for (size_t i = 0; i < count; i++) {
        if (digits[i] < '0' || digits[i] > '9')
            return -1;
        number = 10 * number + digits[i] - '0';
    }
    return number;
}

/* A day that exists in the calendar. */
static bool is_date(const char *text)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    if (strlen(text) != 10 || text[4] != '-' || text[7] != '-')
        return false;
    int year = number_of(text, 4), month = number_of(text + 5, 2), day = number_of(text + 8, 2);
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return year > 0 && month >= 1 && month <= 12 && day >= 1 &&
           day <= days[month - 1] + (leap && month == 2);
}

static bool parse_words(const char *line, struct lauka_gate_allowance *allowance)
{
    static const char until[] = "until=";

    allowance->benchmark = next_word(&line);
    allowance->metric = allowance->benchmark ? next_word(&line) : NULL;
    char *date = allowance->metric ? next_word(&line) : NULL;
    if (date && strncmp(date, until, strlen(until)) == 0)
        allowance->until = strdup(date + strlen(until));
    free(date);
    line += strspn(line, " \t");
    allowance->reason = strdup(line);
    return allowance->until && is_date(allowance->until) && allowance->reason && *allowance->reason;
}

static bool grow(struct lauka_result_gate *gate, struct lauka_error *error)
{
    struct lauka_gate_allowance *grown =
        realloc(gate->allowances, (gate->allowance_count + 1) * sizeof *grown);

    if (!grown)
        return lauka_fail_memory(error);
    gate->allowances = grown;
    grown[gate->allowance_count++] = (struct lauka_gate_allowance){0};
    return true;
}

static bool parse_line(char *line, const char *where, const char *today,
                       struct lauka_result_gate *gate, struct lauka_error *error)
{
    size_t length = strlen(line);

    while (length > 0 && strchr(" \t\r", line[length - 1]))
        line[--length] = '\0';
    line += strspn(line, " \t");
    if (*line == '\0' || *line == '#')
        return true;
    if (!grow(gate, error))
        return false;
    struct lauka_gate_allowance *allowance = &gate->allowances[gate->allowance_count - 1];
    if (!parse_words(line, allowance))
        return lauka_fail(error, LAUKA_EXIT_USAGE, "%s", needed);
    allowance->expired = strcmp(allowance->until, today) < 0;
    allowance->where = strdup(where);
    return allowance->where || lauka_fail_memory(error);
}

bool gate_allowances_parse(const char *name, const char *bytes, size_t size, const char *today,
                           struct lauka_result_gate *gate, struct lauka_error *error)
{
    char where[256];
    bool good = true;
    size_t number = 1;

    for (size_t from = lauka_file_mark(bytes, size); from < size && good; number++) {
        const char *end = memchr(bytes + from, '\n', size - from);
        size_t length = end ? (size_t)(end - bytes) - from : size - from;
        char *line = strndup(bytes + from, length);
        struct lauka_error reason = {LAUKA_EXIT_INTERNAL, "out of memory"};
        snprintf(where, sizeof where, "%.200s:%zu", name, number);
        good = line && parse_line(line, where, today, gate, &reason);
        if (!good)
            lauka_fail(error, reason.code, "%s: %.700s", where, reason.text);
        free(line);
        from += length + 1;
    }
    return good;
}
