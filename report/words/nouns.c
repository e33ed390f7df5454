/* What metrics and commands are called in sentences. */
#include "report/words/words.h"
#include "report/result/result.h"
#include "report/text/prose.h"

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
        {"system_time", "system time"}, {"peak_rss", "peak RSS"}, {"value", ""}};
    for (size_t i = 0; i < sizeof nouns / sizeof *nouns; i++)
        if (strcmp(name, nouns[i][0]) == 0)
            return nouns[i][1];
    /* Others may have named it, so characters that are special in Markdown are left out. */
    bool plain = name[strspn(name, PLAIN)] == 0;
    return plain ? name : "of this metric";
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
