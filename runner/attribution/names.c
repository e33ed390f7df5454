/* Names of functions, files and objects that are the same on both sides: without differences that the
 * program is not responsible for. */
#include "runner/attribution/attribution.h"
#include "pmu/profile/profile.h"
#include "report/result/why.h"
#include "runner/base/base.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- names of C++ and Rust that are still mangled ---------------------------------------------- */

/* Valgrind demangles most itself, but not those that are newer than it; c++filt (binutils) knows those of its
 * compiler. */

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

/* ---- functions ---------------------------------------------------------------------------------- */

static size_t count_digits(const char *text, size_t length)
{
    size_t digits = 0;

    while (digits < length && text[digits] >= '0' && text[digits] <= '9')
        digits++;
    return digits;
}

/* Whether the last part, from a '.' on, was made by a compiler: ".cold", ".part.0", ".llvm.123". */
static size_t without_part(const char *name, size_t length)
{
    static const char *const parts[] = {".part",     ".constprop", ".isra",      ".cold",
                                        ".lto_priv", ".llvm",      ".localalias"};

    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        size_t size = strlen(parts[p]), from = length;
        while (from > 0 && name[from - 1] >= '0' && name[from - 1] <= '9')
            from--;
        if (from < length && from > 0 && name[from - 1] == '.')
            from--; /* the number's */
        else
            from = length;
        if (from > size && memcmp(name + from - size, parts[p], size) == 0)
            return from - size;
    }
    return length;
}

/* "core::fmt::write::h0123456789abcdef", which has another hash in another build. */
static size_t without_hash(const char *name, size_t length)
{
    enum { HASH = 19 };

    if (length <= HASH || memcmp(name + length - HASH, "::h", 3) != 0)
        return length;
    return strspn(name + length - HASH + 3, "0123456789abcdef") >= HASH - 3 ? length - HASH
                                                                            : length;
}

const char *lauka_attribution_name(struct lauka_profile *texts, const char *whole)
{
    char name[LAUKA_ATTRIBUTION_NAME_MOST + 1];
    size_t length = strnlen(whole, LAUKA_ATTRIBUTION_NAME_MOST);
    memcpy(name, whole, length);
    name[length] = '\0';
    const char *recursion = strrchr(name, '\''), *clone = strstr(name, " [clone "),
               *version = strchr(name, '@');

    if (recursion && recursion > name && recursion[1] &&
        count_digits(recursion + 1, strlen(recursion + 1)) == strlen(recursion + 1))
        length = (size_t)(recursion - name);
    if (clone && clone > name && (size_t)(clone - name) < length)
        length = (size_t)(clone - name);
    if (version && version > name && (size_t)(version - name) < length)
        length = (size_t)(version - name);
    for (size_t shorter; (shorter = without_part(name, length)) < length;)
        length = shorter;
    return lauka_profile_text(texts, name, without_hash(name, length));
}

/* ---- files -------------------------------------------------------------------------------------- */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash && slash[1] ? slash + 1 : path;
}

const char *lauka_attribution_file(struct lauka_profile *texts, const char *file)
{
    const char *part = last_part(file);

    return lauka_profile_text(texts, part, strlen(part));
}

/* "parse.c" of "/build/parse.c", "src/parse.c" of "/home/me/lib/src/parse.c". */
static const char *last_two(const char *path)
{
    const char *from = last_part(path);

    if (from - path < 2)
        return from;
    for (from -= 2; from > path && *from != '/';)
        from--;
    return *from == '/' ? from + 1 : from;
}

/* The path within the folder; NULL: it is elsewhere. */
static const char *within(const char *file, const char *folder)
{
    size_t length = strlen(folder);

    return length > 1 && strncmp(file, folder, length) == 0 && file[length] == '/'
               ? file + length + 1
               : NULL;
}

const char *lauka_attribution_path(struct lauka_profile *texts, const char *file,
                                   const char *folder)
{
    char directory[4096];
    const char *inner = folder ? within(file, folder) : NULL;

    if (!inner && getcwd(directory, sizeof directory))
        inner = within(file, directory);
    if (inner)
        file = inner;
    else if (*file == '/' || strstr(file, "/../"))
        file = last_two(file);
    return lauka_profile_text(texts, file, strlen(file));
}

/* ---- objects ------------------------------------------------------------------------------------ */

const char *lauka_attribution_object(struct lauka_profile *texts, const char *object,
                                     const char *program)
{
    const char *part = last_part(object), *end = strstr(part, ".so");
    size_t length = end && end > part ? (size_t)(end - part) : strlen(part), version = length;

    if (program && strcmp(part, last_part(program)) == 0)
        length = 0;
    while (version > 0 && strchr("0123456789.", part[version - 1]))
        version--;
    if (end && version > 1 && part[version - 1] == '-' && memchr(part, '.', length))
        length = version - 1; /* "libfoo-1.2" */
    return lauka_profile_text(texts, part, length);
}
