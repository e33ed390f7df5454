/* Names of C++ and Rust that are still mangled. Valgrind demangles most itself, but not those that are
 * newer than it; c++filt (binutils) knows those of its compiler. */
#include "runner/attribution/attribution.h"
#include "report/result/sampled.h"
#include "report/result/why.h"
#include "runner/base/base.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

enum { NAMES_MOST = 2 * LAUKA_ATTRIBUTION_MOST, ANSWER = 65536, PATIENCE_MS = 5000 };

static bool is_mangled(const char *name)
{
    return name && (strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0);
}

static void list_name(char **name, char **names[NAMES_MOST], size_t *count)
{
    if (is_mangled(*name) && *count < NAMES_MOST)
        names[(*count)++] = name;
}

/* All that it writes until it ends, or as much as there is room for; a NUL follows. */
static void read_all(int output, char *answer)
{
    size_t used = 0;
    ssize_t got = 1;

    while (got > 0 && used < ANSWER - 1) {
        struct pollfd waited = {.fd = output, .events = POLLIN};
        if (poll(&waited, 1, PATIENCE_MS) <= 0)
            break;
        got = read(output, answer + used, ANSWER - 1 - used);
        used += got > 0 ? (size_t)got : 0;
    }
    answer[used] = '\0';
}

static void ask(const char *path, char *const *const *names, size_t count, char *answer)
{
    const char *arguments[NAMES_MOST + 3] = {"c++filt", "--"};
    int ends[2], status;

    answer[0] = '\0';
    for (size_t i = 0; i < count; i++)
        arguments[i + 2] = *names[i];
    if (pipe(ends) != 0)
        return;
    pid_t pid = lauka_child_start(&(struct lauka_child){
        .path = path,
        .arguments = arguments,
        .environment = (const char *const *)environ,
        .output = ends[1],
        .error = -1,
    });
    close(ends[1]);
    if (pid > 0) {
        read_all(ends[0], answer);
        if (!lauka_child_has_ended(pid, &status))
            lauka_child_end(pid);
    }
    close(ends[0]);
}

/* Demangles them in place. */
static void demangle(char **names[NAMES_MOST], size_t count)
{
    char path[1024];
    char *answer =
        count > 0 && lauka_child_find("c++filt", path, sizeof path) ? malloc(ANSWER) : NULL;

    if (!answer)
        return;
    ask(path, (char *const *const *)names, count, answer);
    const char *line = answer;
    for (size_t i = 0; i < count; i++) {
        size_t length = strcspn(line, "\n");
        char *plain = line[length] == '\n' && length > 0 ? strndup(line, length) : NULL;
        if (!plain)
            break;
        free(*names[i]);
        *names[i] = plain;
        line += length + 1;
    }
    free(answer);
}

void lauka_attribution_demangle(struct lauka_why *why)
{
    char **names[NAMES_MOST];
    size_t count = 0;

    for (size_t f = 0; f < why->function_count; f++) {
        list_name(&why->functions[f].name, names, &count);
        list_name(&why->functions[f].partner, names, &count);
    }
    demangle(names, count);
}

void lauka_attribution_demangle_sampled(struct lauka_sampled *sampled)
{
    char **names[NAMES_MOST];
    size_t count = 0;

    for (size_t r = 0; r < sampled->row_count; r++)
        list_name(&sampled->rows[r].name, names, &count);
    demangle(names, count);
}
