/* What github-action-benchmark reads as `customSmallerIsBetter`: every metric of which less is better; the
 * others are left out. Values are means, in base units: the action compares them with those of the
 * previous commit. Commands of named benchmarks are called BENCHMARK/SIDE. */
#include "report/exports/exports.h"
#include "report/json/json.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const char *unit_of(const struct lauka_result_metric *metric)
{
    size_t length = strlen(metric->name), suffix = strlen("_percent");
    if (length > suffix && strcmp(metric->name + length - suffix, "_percent") == 0)
        return "%";
    return strcmp(metric->unit, "B") == 0   ? "bytes"
           : strcmp(metric->unit, "1") == 0 ? "count"
                                            : metric->unit;
}

/* range and extra are for people. */
static void put_entry(struct lauka_json_document *document, const char *label, size_t metric,
                      const struct lauka_summary *summary)
{
    const struct lauka_result *result = document->result;
    const struct lauka_result_metric *about = &result->metrics[metric];
    double unit = lauka_result_unit(about);
    struct lauka_prose prose = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    lauka_document_object(document, NULL);
    lauka_document_text(document, "name", lauka_say(&prose, "%s %s", label, about->name));
    lauka_document_text(document, "unit", unit_of(about));
    lauka_document_number(document, "value", summary->mean / unit);
    if (summary->stddev.known)
        lauka_document_text(document, "range",
                            lauka_say(&prose, "± %.4g", summary->stddev.value / unit));
    const char *end = lauka_say_ending(&prose, result);
    if (result->failure.known && !*end)
        end = lauka_result_bad_end(result);
    const char *rounds = lauka_say(&prose, "mean of %" PRIu64 " rounds", summary->count);
    lauka_document_text(document, "extra", lauka_join(&prose, rounds, "; ", end));
    document->incomplete |= lauka_prose_done(&prose) != 0;
    lauka_document_end(document);
}

/* Returns how many labels were used. */
static size_t put_result(struct lauka_json_document *document, const struct lauka_result *result,
                         char *const *labels)
{
    document->result = result;
    for (size_t c = 0; c < result->command_count; c++)
        for (size_t m = 0; m < result->metric_count; m++) {
            struct lauka_result_view view = lauka_result_view(result, c, m);
            if (lauka_result_is_shown(result, m) && view.counted && !view.at_floor &&
                !view.at_least && strcmp(result->metrics[m].better, "lower") == 0)
                put_entry(document, labels[c], m, view.summary);
        }
    return result->command_count;
}

int lauka_write_github_benchmark(const struct lauka_session *session, FILE *out)
{
    char **labels = lauka_session_unique_names(session, 200, "");
    if (!labels)
        return ENOMEM;
    struct lauka_json_document document = lauka_document_begin(LAUKA_JSON_TABS, out);
    lauka_document_array(&document, NULL);
    for (size_t b = 0, at = 0; b < session->benchmark_count; b++)
        at += put_result(&document, &session->benchmarks[b], labels + at);
    lauka_document_end(&document);
    lauka_strings_free(labels);
    return lauka_document_finish(&document);
}
