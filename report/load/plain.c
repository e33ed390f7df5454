/* Plain numbers, one a line; # begins a comment. What ministat reads. */
#include "report/load/load.h"
#include "report/load/loader.h"
#include "report/result/result.h"
#include "stats/stats.h"

#include <errno.h>
#include <string.h>

struct line {
    const char *text;
    size_t length;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Without its comment and the blanks around it. */
static struct line bare(const char *text, size_t length)
{
    const char *comment = memchr(text, '#', length);
    struct line line = {text, comment ? (size_t)(comment - text) : length};
    while (line.length > 0 && is_blank(line.text[line.length - 1]))
        line.length--;
    while (line.length > 0 && is_blank(*line.text)) {
        line.text++;
        line.length--;
    }
    return line;
}

/* A word in the first line may be a column's title; it is not treated as one unasked, because it may as
 * well be a damaged number. */
static int refuse(const struct lauka_stored *stored, size_t number, struct line line, bool first,
                  const char *reason, struct lauka_load_error *error)
{
    char quoted[LAUKA_QUOTE_SIZE];
    return lauka_load_fail(stored, number, error, "%s %s%s",
                           lauka_load_quote(line.text, line.length, quoted), reason,
                           first ? "; is this file CSV? Then say --column NAME" : "");
}

static int read_lines(const struct lauka_stored *stored, struct lauka_column *column,
                      struct lauka_load_error *error)
{
    const char *at = stored->bytes, *end = at + stored->size;
    for (size_t number = 1; at < end; number++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end, *reason;
        struct line line = bare(at, (size_t)(stop - at));
        at = stop + (newline != NULL);
        if (line.length == 0)
            continue;
        if (column->series.count == LAUKA_LOAD_VALUES)
            return lauka_load_fail(stored, number, error, "too many values");
        int failure = lauka_column_add(column, line.text, line.length, &reason);
        if (failure == EINVAL)
            return refuse(stored, number, line,
                          column->series.count == 0 && strcmp(reason, "is not a number") == 0,
                          reason, error);
        if (failure)
            return failure;
    }
    return 0;
}

int lauka_load_text(const struct lauka_stored *stored, struct lauka_result *result,
                    struct lauka_load_error *error)
{
    struct lauka_column column = {.adapts = true};
    int failure = read_lines(stored, &column, error);
    if (!failure)
        failure = lauka_load_column(stored, "value", &column, result, error);
    lauka_series_done(&column.series);
    return failure;
}
