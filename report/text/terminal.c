/* What the output can show (colours, columns, characters), and whether writing to it succeeded. */
#include "report/text/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { NARROWEST = 20, WIDEST = 1000, USUAL = 80 };

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

static bool is_set_to(const char *name, const char *expected)
{
    const char *value = getenv(name);
    return value && strcmp(value, expected) == 0;
}

static bool is_forced(const char *name)
{
    return is_set(name) && !is_set_to(name, "0");
}

/* https://no-color.org and https://bixense.com/clicolors; a wish for none beats a wish for some. */
static bool wants_color(int fd, enum lauka_color_choice choice)
{
    if (choice != LAUKA_COLOR_AUTO)
        return choice == LAUKA_COLOR_ALWAYS;
    if (is_set("NO_COLOR"))
        return false;
    if (is_forced("CLICOLOR_FORCE") || is_forced("FORCE_COLOR"))
        return true;
    if (is_set_to("CLICOLOR", "0") || is_set_to("TERM", "dumb"))
        return false;
    return isatty(fd) == 1;
}

static int clamp_width(long columns)
{
    return columns < NARROWEST ? NARROWEST : columns > WIDEST ? WIDEST : (int)columns;
}

static int find_width(int fd)
{
    const char *columns = getenv("COLUMNS");
    char *end = NULL;
    long width = columns ? strtol(columns, &end, 10) : 0;
    if (width > 0 && *end == 0)
        return clamp_width(width);
    struct winsize size;
    /* Some pseudo-terminals say 0 columns: they do not know. */
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return clamp_width(size.ws_col);
    return USUAL;
}

/* "C.UTF-8", "de_DE.utf8", and plain "UTF-8" as macOS sets LC_CTYPE. */
static bool names_utf8(const char *locale)
{
    for (; *locale; locale++)
        if (strncasecmp(locale, "utf-8", 5) == 0 || strncasecmp(locale, "utf8", 4) == 0)
            return true;
    return false;
}

static bool speaks_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_set(names[i]))
            return names_utf8(getenv(names[i]));
    return false;
}

struct lauka_terminal lauka_terminal_detect(int fd, enum lauka_color_choice choice)
{
    return (struct lauka_terminal){
        .width = find_width(fd),
        .color = wants_color(fd, choice),
        .utf8 = speaks_utf8(),
        .is_screen = isatty(fd) == 1,
    };
}

int lauka_finish(FILE *out)
{
    bool failed = fflush(out) != 0;
    failed |= ferror(out) != 0;
    return !failed ? 0 : errno ? errno : EIO;
}
