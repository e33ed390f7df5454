/* What google-benchmark writes: names, one a line, and JSON. */
#include "runner/suite/suite.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int lauka_gbench_read_list(const char *text, struct lauka_inner_names *names)
{
    int error = 0;

    while (*text && !error) {
        size_t length = strcspn(text, "\r\n");
        if (length > 0)
            error = lauka_inner_names_add(names, text, length);
        text += length;
        text += strspn(text, "\r\n");
    }
    return error;
}

/* ---- JSON ------------------------------------------------------------------------------------------- */

static double number_of(const cJSON *entry, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(entry, name);

    return cJSON_IsNumber(item) && isfinite(item->valuedouble) ? item->valuedouble : -1;
}

static const char *text_of(const cJSON *entry, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(entry, name));

    return text ? text : "";
}

static double unit_of(const cJSON *entry)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    const char *name = text_of(entry, "time_unit");

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, name) == 0)
            return units[i].ns;
    return -1;
}

/* The numbers of every entry; other numbers are counters of the benchmark's own. */
static bool is_its_own(const char *name)
{
    static const char *const own[] = {"family_index", "per_family_instance_index",
                                      "repetitions",  "repetition_index",
                                      "threads",      "iterations",
                                      "real_time",    "cpu_time"};

    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i], name) == 0)
            return true;
    return strlen(name) >= LAUKA_INNER_NAME;
}

static void read_figures(const cJSON *entry, struct lauka_inner_answer *answer)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, entry)
    {
        struct lauka_inner_figure *figure = &answer->figures[answer->figure_count];
        if (answer->figure_count == LAUKA_INNER_FIGURES || !cJSON_IsNumber(item) || !item->string ||
            !*item->string || is_its_own(item->string) || !isfinite(item->valuedouble) ||
            item->valuedouble < 0)
            continue;
        *figure = (struct lauka_inner_figure){.value = item->valuedouble, .unit = "1"};
        strcpy(figure->name, item->string);
        if (strcmp(item->string, "bytes_per_second") == 0)
            strcpy(figure->unit, "B/s");
        else if (strstr(item->string, "per_second"))
            strcpy(figure->unit, "/s");
        answer->figure_count++;
    }
}

static int read_entry(const cJSON *entry, const char *name, struct lauka_inner_answers *answers,
                      uint64_t *iterations)
{
    struct lauka_inner_answer answer = {0};
    double unit = unit_of(entry), count = number_of(entry, "iterations");
    const char *run = text_of(entry, "run_name");

    if (strcmp(*run ? run : text_of(entry, "name"), name) != 0 ||
        strcmp(text_of(entry, "run_type"), "aggregate") == 0)
        return 0;
    answer.wall_ns = number_of(entry, "real_time") * unit;
    answer.cpu_ns = number_of(entry, "cpu_time") * unit;
    if (unit < 0 || answer.wall_ns < 0 || answer.cpu_ns < 0 || count < 1 || count > 1e18)
        return EINVAL;
    *iterations = (uint64_t)count;
    read_figures(entry, &answer);
    return lauka_inner_answers_add(answers, &answer);
}

/* Programs may write before it. */
int lauka_gbench_read(const char *text, const char *name, struct lauka_inner_answers *answers,
                      uint64_t *iterations)
{
    const char *begin = strstr(text, "{\n");
    cJSON *json = cJSON_Parse(begin ? begin : text);
    const cJSON *entries = cJSON_GetObjectItemCaseSensitive(json, "benchmarks"), *entry;
    int error = cJSON_IsArray(entries) ? 0 : EINVAL;

    cJSON_ArrayForEach(entry, entries)
    {
        if (!error)
            error = read_entry(entry, name, answers, iterations);
    }
    cJSON_Delete(json);
    return error;
}
