/* What metrics and commands are called in sentences. */
#include "report/words/words.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/prose.h"

#include <errno.h>
#include <string.h>

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-"

const char *lauka_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

const char *lauka_metric_noun(const char *name)
{
    static const char *const nouns[][2] = {
        {"wall_time", "wall time"},        {"cpu_time", "CPU time"}, {"user_time", "user time"},
        {"system_time", "system time"},    {"peak_rss", "memory"},   {"value", ""},
        {"time_to_ready", "time to ready"}};
    for (size_t i = 0; i < sizeof nouns / sizeof *nouns; i++)
        if (strcmp(name, nouns[i][0]) == 0)
            return nouns[i][1];
    /* Others may have named it, so characters that are special in Markdown are left out. */
    bool plain = name[strspn(name, PLAIN)] == 0;
    return plain ? name : "of this metric";
}

const char *lauka_metric_verb(const char *name)
{
    return lauka_is_cpu_time(name) || strcmp(name, "peak_rss") == 0 ? "uses" : "has";
}

bool lauka_is_cpu_time(const char *name)
{
    return strcmp(name, "cpu_time") == 0 || strcmp(name, "user_time") == 0 ||
           strcmp(name, "system_time") == 0;
}

const char *lauka_namesake_number(struct lauka_prose *prose, const struct lauka_result *result,
                                  size_t command)
{
    return lauka_keep(prose, lauka_text_numbered("", result->commands[command].name_number));
}

/* Takes over names, which may be NULL. */
static const char **keep_names(struct lauka_prose *prose, char **names, size_t count)
{
    const char **kept = lauka_prose_room(prose, count, sizeof *kept);
    for (size_t i = 0; kept && i < count; i++)
        kept[i] = names ? lauka_say(prose, "%s", names[i]) : "?";
    lauka_prose_fail(prose, names ? 0 : ENOMEM);
    lauka_strings_free(names);
    return kept;
}

const char **lauka_say_unique(struct lauka_prose *prose, const char **texts, size_t count,
                              int width, const char *replaced)
{
    char **borrowed = lauka_prose_room(prose, count, sizeof *borrowed);
    if (!borrowed || !texts)
        return NULL;
    memcpy(borrowed, texts, count * sizeof *borrowed);
    return keep_names(prose, lauka_unique_texts(borrowed, count, width, replaced, prose->utf8),
                      count);
}

/* ---- what commands are called ------------------------------------------------------------------------------ */

enum {
    WIDEST = 40, /* columns of a name; in a document that no terminal limits, of every name */
    FEW = 3,     /* of more commands, names share a line with their changes */
    WHOLE = 1000 /* columns of what is called whole: it may be a program of many lines */
};

struct names {
    const char **texts; /* NULL: no memory */
    bool *lettered;
};

/* At most half of a line, so that two names are on one. */
static int name_width(const struct lauka_prose *prose, const struct lauka_result *result)
{
    const int columns = prose->terminal.width;
    const int share = result->command_count > FEW ? columns * 3 / 8 : columns / 2;
    return columns <= 0 || share > WIDEST ? WIDEST : share;
}

/* The same in all of the document; NULL without memory. */
static const struct names *names_of(struct lauka_prose *prose, const struct lauka_result *result)
{
    struct names *names = lauka_prose_recall(prose, result->commands);
    if (names)
        return names;
    names = lauka_prose_room(prose, 1, sizeof *names);
    bool *lettered = lauka_prose_room(prose, result->command_count + 1, sizeof *lettered);
    if (!names || !lettered)
        return NULL;
    char **texts =
        lauka_result_short_names(result, name_width(prose, result), prose->utf8, lettered);
    *names = (struct names){keep_names(prose, texts, result->command_count), lettered};
    lauka_prose_remember(prose, result->commands, names);
    return names;
}

const char *lauka_say_bare_name(struct lauka_prose *prose, const struct lauka_result *result,
                                size_t command)
{
    const struct names *names = names_of(prose, result);
    const char *text = names && names->texts ? names->texts[command] : "?";
    return *text ? text : "\"\"";
}

const char *lauka_say_name(struct lauka_prose *prose, const struct lauka_result *result,
                           size_t command)
{
    return lauka_say(prose, "%s%s", lauka_say_bare_name(prose, result, command),
                     lauka_namesake_number(prose, result, command));
}

const char *lauka_say_subject(struct lauka_prose *prose, const struct lauka_result *result,
                              size_t command)
{
    return lauka_say(prose, "`%s`%s", lauka_say_bare_name(prose, result, command),
                     lauka_namesake_number(prose, result, command));
}

const char *lauka_say_whole(struct lauka_prose *prose, const struct lauka_result *result,
                            size_t command)
{
    const char *label = result->commands[command].label;
    return *label ? lauka_say_fitted(prose, label, WHOLE) : "\"\"";
}

const char *lauka_say_whole_subject(struct lauka_prose *prose, const struct lauka_result *result,
                                    size_t command)
{
    return lauka_say(prose, "`%s`%s", lauka_say_whole(prose, result, command),
                     lauka_namesake_number(prose, result, command));
}

bool lauka_is_shortened(struct lauka_prose *prose, const struct lauka_result *result,
                        size_t command)
{
    return strcmp(lauka_say_bare_name(prose, result, command),
                  lauka_say_whole(prose, result, command)) != 0;
}

bool lauka_is_lettered(struct lauka_prose *prose, const struct lauka_result *result, size_t command)
{
    const struct names *names = names_of(prose, result);
    return names && names->lettered[command];
}

/* ---- names that differ, for other programs ----------------------------------------------------------------- */

const char **lauka_say_session_names(struct lauka_prose *prose, const struct lauka_session *session,
                                     int width, const char *replaced)
{
    size_t count = 0;
    for (size_t b = 0; b < session->benchmark_count; b++)
        count += session->benchmarks[b].command_count;
    return keep_names(prose, lauka_session_unique_names(session, width, replaced), count);
}
