/* An error is worded where it happens, and all are printed in the same way. */
#include "runner/base/base.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fill(struct lauka_error *error, enum lauka_exit code, const char *format,
                 va_list arguments)
{
    vsnprintf(error->text, sizeof error->text, format, arguments);
    error->code = code;
}

bool lauka_fail(struct lauka_error *error, enum lauka_exit code, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fill(error, code, format, arguments);
    va_end(arguments);
    return false;
}

bool lauka_misuse(struct lauka_error *error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fill(error, LAUKA_EXIT_USAGE, format, arguments);
    va_end(arguments);
    return false;
}

/* Asked, because errno may be of a later call than the one that failed. */
static bool is_read_by_nobody(int failure)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};

    return failure == EPIPE || (poll(&out, 1, 0) > 0 && out.revents & POLLERR);
}

bool lauka_fail_stdout(struct lauka_error *error, int failure)
{
    if (is_read_by_nobody(failure))
        return lauka_fail(error, (enum lauka_exit)(LAUKA_EXIT_SIGNAL + SIGPIPE), "%s", "");
    return lauka_fail(error, LAUKA_EXIT_INTERNAL, "cannot write to stdout: %s", strerror(failure));
}

bool lauka_fail_memory(struct lauka_error *error)
{
    return lauka_fail(error, LAUKA_EXIT_INTERNAL, "out of memory");
}

/* Never 0. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = lauka_hash(LAUKA_HASH, text, strlen(text));
    return hash ? hash : 1;
}

void lauka_note_print(const struct lauka_error *note)
{
    static uint64_t told[64]; /* those beyond are told each time */
    uint64_t hash = hash_of(note->text);
    size_t i = 0;

    while (i < sizeof told / sizeof *told && told[i] && told[i] != hash)
        i++;
    if (i < sizeof told / sizeof *told && told[i] == hash)
        return;
    if (i < sizeof told / sizeof *told)
        told[i] = hash;
    lauka_error_print(note);
}

void lauka_error_print(const struct lauka_error *error)
{
    static const char from[] = "lauka: ";
    const struct lauka_terminal terminal = lauka_terminal_detect(STDERR_FILENO, LAUKA_COLOR_NEVER);

    if (!*error->text)
        return;
    fputs(from, stderr); /* fprintf(3) would take 8 KiB of a stack that may be small */
    /* A log or another program gets one line. */
    if (isatty(STDERR_FILENO) && lauka_print_wrapped(error->text, (int)strlen(from), terminal.width,
                                                     terminal.utf8, stderr) == 0)
        return;
    lauka_print_safely(error->text, terminal.utf8, stderr);
    fputc('\n', stderr);
}

/* ---- what is done with lists of words, hexadecimal digits and paths everywhere ----------------- */

size_t lauka_words_count(const char *const *words)
{
    size_t count = 0;

    while (words && words[count])
        count++;
    return count;
}

char **lauka_words_join(const char *const *first, const char *const *second)
{
    size_t ahead = lauka_words_count(first), behind = lauka_words_count(second);
    char **words = calloc(ahead + behind + 1, sizeof *words);

    if (words) {
        memcpy(words, first, ahead * sizeof *words);
        memcpy(words + ahead, second, behind * sizeof *words);
    }
    return words;
}

bool lauka_words_are_same(char *const *first, char *const *second)
{
    static char *const none[] = {NULL};

    first = first ? first : none;
    second = second ? second : none;
    while (*first && *second && strcmp(*first, *second) == 0) {
        first++;
        second++;
    }
    return !*first && !*second;
}

int lauka_words_compare(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

char *lauka_hex_put(const uint8_t *bytes, size_t count, char *text)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < count; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    text[2 * count] = '\0';
    return text;
}

bool lauka_path_is_in(const char *path, const char *folder)
{
    size_t length = strlen(folder);

    return strncmp(path, folder, length) == 0 && (!path[length] || path[length] == '/');
}

bool lauka_path_is_below(const char *path)
{
    bool good = *path && *path != '/';

    for (; good && *path; path += strcspn(path, "/"), path += *path == '/')
        good = strncmp(path, "..", 2) != 0 || (path[2] && path[2] != '/');
    return good;
}
