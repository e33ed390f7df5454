/* What is wrong with a file, and where. */
#include "report/load/load.h"
#include "report/load/loader.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

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
