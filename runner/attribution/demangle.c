/* Names of C++ and Rust that are still mangled. Valgrind demangles most itself, but not those that are
 * newer than it; c++filt (binutils) knows those of its compiler. */
#include "runner/attribution/attribution.h"
#include "report/result/why.h"
#include "runner/base/base.h"

#include <stdlib.h>
#include <string.h>

extern char **environ;

enum { NAMES_MOST = 2 * LAUKA_ATTRIBUTION_MOST, ANSWER = 65536 };
#define PATIENCE_NS UINT64_C(5000000000)

static bool is_mangled(const char *name)
{
    return name && (strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0);
}

static void list_name(char **name, char **names[NAMES_MOST], size_t *count)
{
    if (is_mangled(*name) && *count < NAMES_MOST)
        names[(*count)++] = name;
}

/* Demangles them in place. */
static void demangle(char **names[NAMES_MOST], size_t count)
{
    const char *arguments[NAMES_MOST + 3] = {"c++filt", "--"};
    char path[1024];
    struct lauka_answer answer = {.room = ANSWER};

    if (count > 0 && lauka_child_find("c++filt", path, sizeof path))
        answer.text = malloc(ANSWER + 1);
    if (!answer.text)
        return;
    for (size_t i = 0; i < count; i++)
        arguments[i + 2] = *names[i];
    lauka_helper_ask(&(struct lauka_child){.path = path,
                                           .arguments = arguments,
                                           .environment = (const char *const *)environ},
                     lauka_now_ns() + PATIENCE_NS, &answer);
    const char *line = answer.text;
    for (size_t i = 0; i < count; i++) {
        size_t length = strcspn(line, "\n");
        char *plain = line[length] == '\n' && length > 0 ? strndup(line, length) : NULL;
        if (!plain)
            break;
        free(*names[i]);
        *names[i] = plain;
        line += length + 1;
    }
    free(answer.text);
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
