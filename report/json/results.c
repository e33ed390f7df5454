/* A command of a session as JSON: hyperfine's keys, then lauka's own. */
#include "report/json/parts.h"
#include "report/result/record.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <stdlib.h>
#include <string.h>

static struct lauka_optional known(const void *known, double value)
{
    return (struct lauka_optional){.known = known, .value = known ? value : 0};
}

static void add_seconds(struct lauka_json_document *document, struct lauka_json_value *object,
                        const char *key, const struct lauka_summary *summary, double ns)
{
    lauka_document_add_optional(document, object, key, known(summary, ns / 1e9));
}

static void add_hyperfine(struct lauka_json_document *document, struct lauka_json_value *entry,
                          size_t command)
{
    static const struct lauka_summary none;
    const struct lauka_result *result = document->result;
    size_t wall_time = lauka_result_metric_index(result, "wall_time");
    size_t peak_rss = lauka_result_metric_index(result, "peak_rss");
    const struct lauka_summary *wall = lauka_result_summary(result, command, wall_time);
    const struct lauka_summary *user =
        lauka_result_summary(result, command, lauka_result_metric_index(result, "user_time"));
    const struct lauka_summary *system =
        lauka_result_summary(result, command, lauka_result_metric_index(result, "system_time"));
    const struct lauka_summary *shown = wall ? wall : &none;
    double unit = wall ? lauka_result_unit(&result->metrics[wall_time]) : 1;
    lauka_document_add_bytes(document, entry, "command", result->commands[command].label);
    add_seconds(document, entry, "mean", wall, shown->mean / unit);
    add_seconds(document, entry, "stddev", shown->stddev.known ? wall : NULL,
                shown->stddev.value / unit);
    add_seconds(document, entry, "median", wall, shown->median / unit);
    add_seconds(document, entry, "user", user, user ? user->mean : 0);
    add_seconds(document, entry, "system", system, system ? system->mean : 0);
    add_seconds(document, entry, "min", wall, (double)shown->min / unit);
    add_seconds(document, entry, "max", wall, (double)shown->max / unit);
    if (!result->run.samples_left_out) {
        lauka_document_add_runs(document, entry, "times", LAUKA_JSON_TIMES, command, wall_time);
        lauka_document_add_runs(document, entry, "memory_usage_byte", LAUKA_JSON_MEMORY, command,
                                peak_rss);
    }
    /* hyperfine never leaves this array out, and Bencher requires it. */
    lauka_document_add_runs(document, entry, "exit_codes", LAUKA_JSON_EXIT_CODES, command, 0);
    const struct lauka_result_command *about = &result->commands[command];
    lauka_document_add(
        document, entry, "parameters",
        lauka_document_parameters(document, about->parameters, about->parameter_count));
}

static void add_extreme(struct lauka_json_document *document, struct lauka_json_value *object,
                        const char *key, const struct lauka_result_metric *about,
                        const uint64_t *value)
{
    char text[32];
    lauka_document_add(
        document, object, key,
        value ? lauka_document_raw(
                    document, lauka_format_json_decimal(*value, about->decimals, text, sizeof text))
              : lauka_document_null(document));
}

static void add_metric(struct lauka_json_document *document, struct lauka_json_value *metrics,
                       size_t command, size_t metric)
{
    static const struct lauka_summary none;
    const struct lauka_result_metric *about = &document->result->metrics[metric];
    const struct lauka_summary *summary = lauka_result_summary(document->result, command, metric);
    const struct lauka_summary *shown = summary ? summary : &none;
    struct lauka_json_value *object = lauka_document_object(document);
    double unit = lauka_result_unit(about);
    lauka_document_add_text(document, object, "unit", about->unit);
    if (about->decimals != 0) /* so many are kept */
        lauka_document_add_number(document, object, "decimals", about->decimals);
    lauka_document_add_text(document, object, "better", about->better);
    lauka_document_add_text(document, object, "source", about->source);
    lauka_document_add_bool(document, object, "primary", about->primary);
    if (about->repeatable) /* measured outside of the rounds */
        lauka_document_add_bool(document, object, "repeatable", true);
    if (about->bins > 0) /* values are the middles of buckets */
        lauka_document_add_number(document, object, "histogram_error", about->bins);
    if (lauka_result_is_at_least(document->result, command, metric)) /* at least what is told */
        lauka_document_add_bool(document, object, "partial", true);
    if (about->detail) /* not shown to people */
        lauka_document_add_bool(document, object, "detail", true);
    lauka_document_add_optional(document, object, "share", known(summary, about->share));
    lauka_document_add_integer(document, object, "count", shown->count);
    lauka_document_add_optional(document, object, "mean", known(summary, shown->mean / unit));
    lauka_document_add_optional(
        document, object, "stddev",
        (struct lauka_optional){shown->stddev.known, shown->stddev.value / unit});
    add_extreme(document, object, "min", about, summary ? &shown->min : NULL);
    add_extreme(document, object, "max", about, summary ? &shown->max : NULL);
    lauka_document_add_optional(document, object, "median", known(summary, shown->median / unit));
    lauka_document_add_quantiles(document, object, command, metric);
    if (document->result->run.samples_left_out)
        lauka_document_add_stream(document, object, command, metric);
    else
        lauka_document_add_runs(document, object, "values", LAUKA_JSON_VALUES, command, metric);
    char *key = lauka_document_repaired(about->name);
    lauka_document_add(document, metrics, key ? key : "", object);
    document->incomplete |= !key;
    free(key);
}

/* The share of all runs' CPU time on each kind of core, by its label, from the metrics. */
static void add_residency(struct lauka_json_document *document, struct lauka_json_value *entry,
                          size_t command)
{
    static const char prefix[] = "cpu_time@";
    const struct lauka_result *result = document->result;
    struct lauka_json_value *shares = NULL;
    double total = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t m = 0; m < result->metric_count; m++) {
            const struct lauka_summary *summary = lauka_result_summary(result, command, m);
            if (strncmp(result->metrics[m].name, prefix, sizeof prefix - 1) != 0 || !summary)
                continue;
            if (pass == 0)
                total += summary->mean;
            if (pass == 1 && !shares && total > 0)
                shares = lauka_document_object(document);
            if (pass == 1 && shares)
                lauka_document_add_number(document, shares,
                                          result->metrics[m].name + sizeof prefix - 1,
                                          summary->mean / total);
        }
    if (shares)
        lauka_document_add(document, entry, "residency", shares);
}

/* ---- what it is ------------------------------------------------------------------------------ */

void lauka_document_add_benchmark(struct lauka_json_document *document,
                                  struct lauka_json_value *object, const char *key)
{
    if (document->result->benchmark.name)
        lauka_document_add_bytes(document, object, key, document->result->benchmark.name);
}

/* A side has the same name in all benchmarks; in an unnamed benchmark it is mostly the command itself,
 * which is there already. */
static void add_side(struct lauka_json_document *document, struct lauka_json_value *entry,
                     size_t command)
{
    const struct lauka_result_command *first = &document->session->benchmarks[0].commands[command];
    const char *side = first->side ? first->side : first->label;
    if (document->result->benchmark.name || strcmp(side, first->label) != 0)
        lauka_document_add_bytes(document, entry, "side", side);
}

struct lauka_json_value *lauka_document_command(struct lauka_json_document *document, size_t c)
{
    struct lauka_json_value *entry = lauka_document_object(document);
    struct lauka_json_value *metrics = lauka_document_object(document);
    add_hyperfine(document, entry, c);
    lauka_document_add_benchmark(document, entry, "benchmark");
    add_side(document, entry, c);
    lauka_document_add_fields(document, entry, &lauka_command_record,
                              &document->result->commands[c]);
    for (size_t m = 0; m < document->result->metric_count; m++)
        add_metric(document, metrics, c, m);
    lauka_document_add(document, entry, "metrics", metrics);
    add_residency(document, entry, c);
    return entry;
}
