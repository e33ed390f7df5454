/* Results that were stored, by lauka and by others. What a file is says its content, not its
 * name. */
#include "report/load.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int lauka_load_fail(const struct lauka_stored *stored, size_t line, struct lauka_load_error *error,
                    const char *format, ...)
{
    char place[32] = "";
    va_list arguments;
    if (line > 0)
        snprintf(place, sizeof place, "%zu:", line);
    int length = snprintf(error->text, sizeof error->text, "%.400s:%s ", stored->name, place);
    va_start(arguments, format);
    vsnprintf(error->text + length, sizeof error->text - (size_t)length, format, arguments);
    va_end(arguments);
    return EINVAL;
}

char *lauka_load_quote(const char *text, size_t length, char *buffer)
{
    enum { SHOWN = 40 };
    snprintf(buffer, LAUKA_QUOTE_SIZE, "`%.*s%s`", (int)(length < SHOWN ? length : SHOWN), text,
             length > SHOWN ? "..." : "");
    return buffer;
}

static int describe_metric(struct lauka_result *result, const char *name,
                           const struct lauka_column *column)
{
    result->metrics = calloc(1, sizeof *result->metrics);
    if (!result->metrics)
        return ENOMEM;
    result->metric_count = 1;
    result->metrics[0] = (struct lauka_result_metric){
        .name = strdup(name),
        .unit = strdup("1"),
        .source = strdup("file"),
        .better = "neither",
        .counted = true,
        .share = 1,
        .decimals = column->decimals,
    };
    const struct lauka_result_metric *metric = &result->metrics[0];
    return metric->name && metric->unit && metric->source ? 0 : ENOMEM;
}

static int describe_command(struct lauka_result *result, const char *label,
                            struct lauka_column *column)
{
    result->commands = calloc(1, sizeof *result->commands);
    if (!result->commands)
        return ENOMEM;
    result->command_count = 1;
    struct lauka_result_command *command = &result->commands[0];
    command->label = strdup(label);
    command->series = calloc(1, sizeof *command->series);
    if (!command->label || !command->series)
        return ENOMEM;
    command->series[0] = column->series;
    column->series = (struct lauka_series){0};
    return 0;
}

int lauka_load_column(const struct lauka_stored *stored, const char *metric,
                      struct lauka_column *column, struct lauka_result *result,
                      struct lauka_load_error *error)
{
    if (column->series.count == 0)
        return lauka_load_fail(stored, 0, error, "holds no values");
    int failure = describe_metric(result, metric, column);
    if (!failure)
        failure = describe_command(result, stored->name, column);
    if (failure)
        return failure;
    result->run.stopped = LAUKA_STOPPED_STORED;
    result->run.rounds = result->commands[0].series[0].count;
    if (!column->rounded)
        return 0;
    char note[96];
    snprintf(note, sizeof note, "numbers were rounded to %u decimal%s", column->decimals,
             column->decimals == 1 ? "" : "s");
    return lauka_result_warn(result, note);
}

/* ---- what a file is -------------------------------------------------------------------------- */

static bool begins_with(const struct lauka_stored *stored, const char *text)
{
    size_t length = strlen(text);
    return stored->size >= length && memcmp(stored->bytes, text, length) == 0;
}

/* The first line that is neither blank nor a comment. */
static struct lauka_stored first_line(const struct lauka_stored *stored)
{
    const char *at = stored->bytes, *end = at + stored->size;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        while (at < stop && strchr(" \t\r", *at))
            at++;
        if (at < stop && *at != '#')
            return (struct lauka_stored){.bytes = at, .size = (size_t)(stop - at)};
        at = stop + (newline != NULL);
    }
    return (struct lauka_stored){.bytes = end};
}

static bool holds(const struct lauka_stored *line, const char *text)
{
    struct lauka_stored rest = *line;
    for (; rest.size > 0 && !begins_with(&rest, text); rest.size--)
        rest.bytes++;
    return rest.size > 0;
}

static int load_by_content(const struct lauka_stored *stored, struct lauka_result *result,
                           struct lauka_load_error *error)
{
    struct lauka_stored first = first_line(stored);
    if (begins_with(&first, "\"StartTimestamp\"") || holds(&first, ",HISTFAAA"))
        return lauka_load_hlog(stored, result, error);
    if (first.size > 0 && (*first.bytes == '{' || *first.bytes == '['))
        return lauka_load_json(stored, result, error);
    if (stored->column || memchr(first.bytes, ',', first.size))
        return lauka_load_csv(stored, result, error);
    return lauka_load_text(stored, result, error);
}

int lauka_load(const struct lauka_stored *stored, struct lauka_result *result,
               struct lauka_load_error *error)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    struct lauka_stored content = *stored;
    *result = (struct lauka_result){0};
    error->text[0] = 0;
    if (begins_with(&content, byte_order_mark)) {
        content.bytes += strlen(byte_order_mark);
        content.size -= strlen(byte_order_mark);
    }
    int failure = load_by_content(&content, result, error);
    if (failure)
        lauka_result_done(result);
    return failure;
}
