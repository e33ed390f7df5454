/* Bencher's BMF: { NAME: { MEASURE: { value, lower_value, upper_value } } }. Values are means, in
 * nanoseconds, bytes or as they are counted; the bounds are one standard deviation away. Wall time is
 * its built-in measure `latency`. Commands of named benchmarks are called BENCHMARK/SIDE.
 * https://bencher.dev/docs/reference/bencher-metric-format */
#include "report/exports/exports.h"
#include "report/json/json.h"
#include "report/result/result.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A slug: lower case, digits, hyphens. Returns slug. */
static char *make_slug(const char *name, char *slug, size_t size)
{
    size_t used = 0;
    for (; *name && used + 1 < size; name++) {
        bool letter = (*name >= 'a' && *name <= 'z') || (*name >= '0' && *name <= '9');
        bool capital = *name >= 'A' && *name <= 'Z';
        if (letter || capital)
            slug[used++] = capital ? (char)(*name - 'A' + 'a') : *name;
        else if (used > 0 && slug[used - 1] != '-')
            slug[used++] = '-';
    }
    while (used > 0 && slug[used - 1] == '-')
        used--;
    slug[used] = 0;
    return slug;
}

/* Memory hidden below the launcher's own is not a value. */
static void put_measure(struct lauka_json_document *document, size_t command, size_t metric)
{
    const struct lauka_result_metric *about = &document->result->metrics[metric];
    struct lauka_result_view view = lauka_result_view(document->result, command, metric);
    double unit = lauka_result_unit(about);
    char slug[128];
    if (!view.counted || view.at_floor || view.at_least ||
        !lauka_result_is_shown(document->result, metric))
        return;
    double mean = view.summary->mean / unit, spread = view.summary->stddev.value / unit;
    bool wall = strcmp(about->name, "wall_time") == 0;
    lauka_document_object(document, wall ? "latency" : make_slug(about->name, slug, sizeof slug));
    lauka_document_number(document, "value", mean);
    if (view.summary->stddev.known) {
        lauka_document_number(document, "lower_value", mean > spread ? mean - spread : 0);
        lauka_document_number(document, "upper_value", mean + spread);
    }
    lauka_document_end(document);
}

/* Returns how many names were used. */
static size_t put_benchmarks(struct lauka_json_document *document,
                             const struct lauka_result *result, char *const *names)
{
    document->result = result;
    for (size_t c = 0; c < result->command_count; c++) {
        lauka_document_object(document, names[c]);
        for (size_t m = 0; m < result->metric_count; m++)
            put_measure(document, c, m);
        lauka_document_end(document);
    }
    return result->command_count;
}

int lauka_write_bmf(const struct lauka_session *session, FILE *out)
{
    char **names = lauka_session_unique_names(session, 1000, "");
    if (!names)
        return ENOMEM;
    struct lauka_json_document document = lauka_document_begin(LAUKA_JSON_TABS, out);
    lauka_document_object(&document, NULL);
    for (size_t b = 0, at = 0; b < session->benchmark_count; b++)
        at += put_benchmarks(&document, &session->benchmarks[b], names + at);
    lauka_document_end(&document);
    lauka_strings_free(names);
    return lauka_document_finish(&document);
}
