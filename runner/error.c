/* An error is worded where it happens and printed in one place, main.c. */
#include "runner/runner.h"

#include <stdarg.h>

bool lauka_fail(struct lauka_error *error, enum lauka_exit code, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    error->code = code;
    return false;
}
