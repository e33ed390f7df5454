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

enum { ASKED_MOST = 256, ANSWER = 1 << 18 };

/* A name that would confuse the answer, line by line, is none. */
static bool is_mangled(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$@";

    return name && (strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0) &&
           name[strspn(name, letters)] == '\0';
}

/* plain[i]: owned; NULL where c++filt said nothing. brief: without parameters and result. */
static void ask(char **const names[], size_t count, bool brief, char *plain[ASKED_MOST])
{
    const char *arguments[ASKED_MOST + 4] = {"c++filt", "-i", brief ? "-p" : "-i", "--"};
    char *answer = malloc(ANSWER + 1);

    memset(plain, 0, ASKED_MOST * sizeof *plain);
    for (size_t i = 0; i < count; i++)
        arguments[i + 4] = *names[i];
    if (count == 0 || !answer || !lauka_helper_says(arguments, answer, ANSWER + 1)) {
        free(answer);
        return;
    }
    const char *line = answer;
    for (size_t i = 0; i < count; i++) {
        size_t length = strcspn(line, "\n");
        if (line[length] != '\n' || length == 0)
            break;
        plain[i] = strndup(line, length);
        line += length + 1;
    }
    free(answer);
}

/* Functions that differ in their parameters only keep them. */
static bool is_ambiguous(char *const brief[], char *const whole[], size_t count, size_t index)
{
    for (size_t i = 0; i < count; i++)
        if (brief[i] && whole[i] && whole[index] && strcmp(brief[i], brief[index]) == 0 &&
            strcmp(whole[i], whole[index]) != 0)
            return true;
    return false;
}

static void demangle(char **const names[], size_t count)
{
    char *brief[ASKED_MOST], *whole[ASKED_MOST];
    bool ambiguous[ASKED_MOST];

    ask(names, count, true, brief);
    ask(names, count, false, whole);
    for (size_t i = 0; i < count; i++)
        ambiguous[i] = brief[i] && is_ambiguous(brief, whole, count, i);
    for (size_t i = 0; i < count; i++) {
        char **better = ambiguous[i] ? &whole[i] : &brief[i];
        if (!*better)
            continue;
        free(*names[i]);
        *names[i] = *better;
        *better = NULL;
    }
    for (size_t i = 0; i < count; i++) {
        free(brief[i]);
        free(whole[i]);
    }
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

enum { HASH = 16 }; /* digits */

static bool is_hash(const char *digits)
{
    return strspn(digits, "0123456789abcdef") >= HASH;
}

/* "core::fmt::write::h0123456789abcdef", which has another hash in another build. */
static size_t without_hash(const char *name, size_t length)
{
    const char *hash = name + length - HASH;

    return length > HASH + 3 && memcmp(hash - 3, "::h", 3) == 0 && is_hash(hash) ? length - HASH - 3
                                                                                 : length;
}

/* "_ZN4core3fmt5write17h0123456789abcdefE" without its hash, as rustc mangled names until 2025. */
static size_t without_old_hash(char *name, size_t length)
{
    char *hash = name + length - HASH - 1;

    if (length <= HASH + 7 || strncmp(name, "_ZN", 3) != 0 || name[length - 1] != 'E' ||
        memcmp(hash - 3, "17h", 3) != 0 || !is_hash(hash))
        return length;
    hash[-3] = 'E';
    return length - HASH - 3;
}

/* "_RNvCs3vrPzUVps4e_1t4fill" without what distinguishes crates of one name ("Cs3vrPzUVps4e_"): Rust's RFC 2603. An
 * identifier is its length, perhaps "u" before and "_" behind that, and its letters. */
static size_t without_crate_hashes(char *name, size_t length)
{
    static const char base_62[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t to = 2;

    if (strncmp(name, "_R", 2) != 0)
        return length;
    for (size_t from = 2; from < length;) {
        size_t digits = count_digits(name + from, length - from), take = 1;
        if (digits > 0) {
            size_t letters = strtoul(name + from, NULL, 10);
            take = digits + (letters < length - from - digits ? letters : length - from - digits);
        }
        bool crate = digits == 0 && name[from] == 'C' && from + 1 < length && name[from + 1] == 's';
        size_t hash = crate ? strspn(name + from + 2, base_62) : 0;
        memmove(name + to, name + from, take);
        to += take;
        from += take;
        if (crate && name[from + 1 + hash] == '_')
            from += 2 + hash;
    }
    return to;
}

/* Of a name that is still mangled, because there is no c++filt. */
static size_t without_hashes(char *name, size_t length)
{
    name[length] = '\0';
    length = without_hash(name, length);
    length = without_old_hash(name, length);
    return without_crate_hashes(name, length);
}

static bool is_of_rust(const char *name)
{
    char copy[LAUKA_ATTRIBUTION_NAME_MOST + 1];
    size_t length = strnlen(name, LAUKA_ATTRIBUTION_NAME_MOST);

    if (strncmp(name, "_R", 2) == 0)
        return true;
    memcpy(copy, name, length);
    copy[length] = '\0';
    for (size_t shorter; (shorter = without_part(copy, length)) < length;)
        length = shorter;
    return without_old_hash(copy, length) < length;
}

void lauka_attribution_demangle(char **const names[], size_t count, bool rust)
{
    char **mangled[ASKED_MOST];
    size_t listed = 0;

    for (size_t n = 0; n < count; n++) {
        if (is_mangled(*names[n]) && (!rust || is_of_rust(*names[n])))
            mangled[listed++] = names[n];
        if (listed == ASKED_MOST || n + 1 == count) {
            demangle(mangled, listed);
            listed = 0;
        }
    }
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
    return lauka_profile_text(texts, name, without_hashes(name, length));
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
