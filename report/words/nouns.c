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
        {"wall_time", "wall time"},     {"cpu_time", "CPU time"}, {"user_time", "user time"},
        {"system_time", "system time"}, {"peak_rss", "memory"},   {"value", ""}};
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
    const size_t number = result->commands[command].name_number;
    return number > 0 ? lauka_say(prose, " (%zu)", number) : "";
}

const char *lauka_say_subject(struct lauka_prose *prose, const struct lauka_result *result,
                              size_t command)
{
    return lauka_say(prose, "`%s`%s", lauka_say_label(prose, result, command, LAUKA_SUBJECT_WIDTH),
                     lauka_namesake_number(prose, result, command));
}

const char *lauka_say_label(struct lauka_prose *prose, const struct lauka_result *result,
                            size_t command, int width)
{
    return lauka_keep(prose, lauka_result_fit_label(result, command, width, prose->utf8));
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

const char **lauka_say_session_names(struct lauka_prose *prose, const struct lauka_session *session,
                                     int width, const char *replaced)
{
    size_t count = 0;
    for (size_t b = 0; b < session->benchmark_count; b++)
        count += session->benchmarks[b].command_count;
    return keep_names(prose, lauka_session_unique_names(session, width, replaced), count);
}
