/* Values of options, read and refused in one way. */
#include "runner/options/values.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool option_parse_count(const char *option, const char *text, uint64_t least, uint64_t *count,
                        struct lauka_error *error)
{
    char *end;

    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || value < least)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--%s %.100s: expected a whole number of at least %llu", option, text,
                          (unsigned long long)least);
    *count = value;
    return true;
}

bool option_parse_amount(const char *option, const char *text, bool bytes, uint64_t *amount,
                         struct lauka_error *error)
{
    static const struct {
        const char *suffix;
        double factor;
        bool is_bytes, is_plain;
    } units[] = {
        {"", 1, true, true},          {"k", 1e3, false, true},      {"K", 1e3, false, true},
        {"M", 1e6, false, true},      {"G", 1e9, false, true},      {"B", 1, true, false},
        {"kB", 1e3, true, false},     {"KB", 1e3, true, false},     {"MB", 1e6, true, false},
        {"GB", 1e9, true, false},     {"KiB", 0x1p10, true, false}, {"MiB", 0x1p20, true, false},
        {"GiB", 0x1p30, true, false},
    };
    size_t digits = strspn(text, "0123456789.");
    char *end;
    double value = strtod(text, &end);

    for (size_t i = 0; digits > 0 && end == text + digits && i < sizeof units / sizeof *units;
         i++) {
        double whole = value * units[i].factor;
        if (strcmp(text + digits, units[i].suffix) != 0 ||
            !(bytes ? units[i].is_bytes : units[i].is_plain) || !(whole >= 1 && whole < 0x1p63) ||
            whole != (double)(uint64_t)whole)
            continue;
        *amount = (uint64_t)whole;
        return true;
    }
    return lauka_fail(error, LAUKA_EXIT_USAGE, "--%s %.100s: expected %s", option, text,
                      bytes ? "a size of at least 1 byte, such as 4096, 64KiB or 1.5GB"
                            : "a number of at least 1, such as 500, 10k or 1.5M");
}

const char *option_next_code(const char *text, size_t *code)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (end == text || (*end && *end != ',') || value < 0 || value > 255)
        return NULL;
    *code = (size_t)value;
    return end + (*end == ',');
}

bool option_parse_duration(const char *option, const char *text, uint64_t *ns,
                           struct lauka_error *error)
{
    return lauka_parse_duration(text, ns) ||
           lauka_fail(error, LAUKA_EXIT_USAGE,
                      "--%s %.100s: expected a duration, such as 5, 500ms, 30s or 5m30s", option,
                      text);
}

bool option_parse_milliseconds(const char *option, const char *text, uint64_t *ns,
                               struct lauka_error *error)
{
    char with_unit[40];
    bool bare = text[strspn(text, "0123456789.")] == '\0';

    snprintf(with_unit, sizeof with_unit, "%.36s%s", text, bare ? "ms" : "");
    return (lauka_parse_duration(with_unit, ns) && *ns > 0) ||
           lauka_fail(error, LAUKA_EXIT_USAGE,
                      "--%s %.100s: expected a time above 0, such as 100 (milliseconds) or 2s",
                      option, text);
}

bool option_parse_percent(const char *option, const char *text, double *ratio,
                          struct lauka_error *error)
{
    char *end;
    double percent = strtod(text, &end);

    while (*end == ' ')
        end++;
    if (*end == '%')
        end++;
    if (*text < '.' || *text > '9' || *end || !(percent >= 0 && percent <= 100))
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--%s %.100s: expected a percentage, such as 1%% or 0.5", option, text);
    *ratio = percent / 100;
    return true;
}

bool option_add_text(struct lauka_texts *texts, const char *text, struct lauka_error *error)
{
    const char **grown = realloc(texts->texts, (texts->count + 1) * sizeof *grown);

    if (!grown)
        return lauka_fail_memory(error);
    texts->texts = grown;
    texts->texts[texts->count++] = text;
    return true;
}

/* How many have no letter in front; the first of them is *first. */
static size_t count_plain(const struct lauka_texts *texts, const char **first)
{
    size_t count = 0, ignored;

    for (size_t i = 0; i < texts->count; i++)
        if (option_letter_end(texts->texts[i], &ignored) == texts->texts[i] && count++ == 0)
            *first = texts->texts[i];
    return count;
}

const char *option_text_for(const struct lauka_texts *texts, size_t index,
                            struct option_sides among)
{
    const char *found = NULL;
    size_t plain = 0, count = count_plain(texts, &found), side = index % among.sides;
    size_t place = count == among.sides ? side : index;

    for (size_t i = 0; i < texts->count && count > 1; i++) {
        size_t ignored;
        if (option_letter_end(texts->texts[i], &ignored) == texts->texts[i] && plain++ == place)
            found = texts->texts[i];
    }
    for (size_t i = 0; i < texts->count; i++) {
        size_t command = 0;
        const char *text = option_letter_end(texts->texts[i], &command);
        if (text != texts->texts[i] && command == side)
            found = text;
    }
    return found;
}

bool option_check_texts(const char *option, const struct lauka_texts *texts,
                        struct option_sides among, struct lauka_error *error)
{
    const char *ignored;
    size_t plain = count_plain(texts, &ignored), count = among.commands;

    for (size_t i = 0; i < texts->count; i++)
        if (!option_check_letter(option, texts->texts[i], among.sides, error))
            return false;
    if (plain <= 1 || plain == count || plain == among.sides)
        return true;
    if (among.sides < count)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--%s is given %zu times for %zu benchmarks with %zu side%s each: give "
                          "it once for all commands, once for each side, once for each of the "
                          "%zu commands, or with a letter in front for one side (B:...)",
                          option, plain, count / among.sides, among.sides,
                          among.sides == 1 ? "" : "s", count);
    return lauka_fail(error, LAUKA_EXIT_USAGE,
                      "--%s is given %zu times for %zu command%s: give it once for all commands, "
                      "once for each, or with a letter in front for one (B:...)",
                      option, plain, count, count == 1 ? "" : "s");
}
