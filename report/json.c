/* The complete result as JSON: hyperfine's keys, in seconds and bytes, and beside them every metric
 * in its own unit. cJSON builds the document; arrays with a value per run stand in it as short
 * tokens and are written out when the document is copied to the file, so that a million runs cost
 * no tree. Numbers are written by us: cJSON rounds some of them (issue #758 there). */
#include "report/report.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* cJSON escapes this byte in every string, so that it can only begin a token. */
#define TOKEN '\x01'

struct document {
    const struct lauka_result *result;
    bool incomplete; /* memory ran out while it was built */
};

/* ---- adding to the document ------------------------------------------------------------------ */

static cJSON *check(struct document *document, cJSON *item)
{
    document->incomplete |= !item;
    return item;
}

static void add(struct document *document, cJSON *object, const char *key, cJSON *item)
{
    check(document, item);
    if (!cJSON_AddItemToObject(object, key, item)) {
        document->incomplete = true;
        cJSON_Delete(item);
    }
}

static void append(struct document *document, cJSON *array, cJSON *item)
{
    check(document, item);
    if (!cJSON_AddItemToArray(array, item)) {
        document->incomplete = true;
        cJSON_Delete(item);
    }
}

static void add_integer(struct document *document, cJSON *object, const char *key, uint64_t value)
{
    char text[32];
    lauka_format_json_integer(value, text, sizeof text);
    add(document, object, key, cJSON_CreateRaw(text));
}

static void add_optional(struct document *document, cJSON *object, const char *key,
                         struct lauka_optional value)
{
    char text[40];
    add(document, object, key,
        value.known ? cJSON_CreateRaw(lauka_format_exact(value.value, text, sizeof text))
                    : cJSON_CreateNull());
}

/* JSON text is UTF-8; a byte that is none becomes U+FFFD. Owned by the caller. */
static char *repaired(const char *text)
{
    char *copy = malloc(3 * strlen(text) + 1), *end = copy;
    while (copy && *text) {
        uint32_t code;
        size_t length = lauka_utf8_decode(text, &code);
        memcpy(end, length > 0 ? text : "\xEF\xBF\xBD", length > 0 ? length : 3);
        end += length > 0 ? length : 3;
        text += length > 0 ? length : 1;
    }
    if (copy)
        *end = 0;
    return copy;
}

static cJSON *text_item(const char *text)
{
    char *valid = text ? repaired(text) : NULL;
    cJSON *item = text ? cJSON_CreateString(valid ? valid : "") : cJSON_CreateNull();
    if (text && !valid) {
        cJSON_Delete(item);
        item = NULL;
    }
    free(valid);
    return item;
}

static void add_text(struct document *document, cJSON *object, const char *key, const char *text)
{
    add(document, object, key, text_item(text));
}

/* ---- tokens, and the arrays that they stand for ---------------------------------------------- */

enum stream { TIMES = 't', MEMORY = 'm', EXIT_CODES = 'x', VALUES = 'v', ORDER = 'o' };

static void add_stream(struct document *document, cJSON *object, const char *key,
                       enum stream stream, size_t command, size_t metric)
{
    char token[64];
    snprintf(token, sizeof token, "%c%c %zu %zu%c", TOKEN, stream, command, metric, TOKEN);
    add(document, object, key, cJSON_CreateRaw(token));
}

/* Writes the array for the token at text; returns what follows the token. */
static const char *write_stream(const struct lauka_result *result, const char *text, FILE *out)
{
    char *end = NULL;
    char stream = text[1];
    size_t command = strtoull(text + 2, &end, 10);
    size_t metric = strtoull(end, &end, 10);
    switch ((enum stream)stream) {
    case TIMES:
        lauka_print_values(result, command, metric, true, out);
        break;
    case MEMORY:
    case VALUES:
        lauka_print_values(result, command, metric, false, out);
        break;
    case EXIT_CODES:
        lauka_print_exit_codes(result, command, out);
        break;
    case ORDER:
        lauka_print_order(result, out);
        break;
    }
    return end + 1;
}

/* cJSON indents by tabs and puts one after every colon; within strings it escapes them. */
static void copy_document(const struct lauka_result *result, const char *text, FILE *out)
{
    char before = 0;
    while (*text && !ferror(out)) {
        char c = *text;
        if (c == TOKEN) {
            text = write_stream(result, text, out);
            before = ']';
            continue;
        }
        if (c == '\t')
            fputs(before == ':' ? " " : "  ", out);
        else
            fputc(c, out);
        before = c;
        text++;
    }
    fputc('\n', out);
}

/* ---- the parts of the document --------------------------------------------------------------- */

static struct lauka_optional known(const void *known, double value)
{
    return (struct lauka_optional){.known = known, .value = known ? value : 0};
}

static void add_seconds(struct document *document, cJSON *object, const char *key,
                        const struct lauka_summary *summary, double ns)
{
    add_optional(document, object, key, known(summary, ns / 1e9));
}

static void add_hyperfine(struct document *document, cJSON *entry, size_t command)
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
    add_text(document, entry, "command", result->commands[command].label);
    add_seconds(document, entry, "mean", wall, shown->mean);
    add_seconds(document, entry, "stddev", shown->stddev.known ? wall : NULL, shown->stddev.value);
    add_seconds(document, entry, "median", wall, shown->median);
    add_seconds(document, entry, "user", user, user ? user->mean : 0);
    add_seconds(document, entry, "system", system, system ? system->mean : 0);
    add_seconds(document, entry, "min", wall, (double)shown->min);
    add_seconds(document, entry, "max", wall, (double)shown->max);
    add_stream(document, entry, "times", TIMES, command, wall_time);
    add_stream(document, entry, "memory_usage_byte", MEMORY, command, peak_rss);
    add_stream(document, entry, "exit_codes", EXIT_CODES, command, 0);
    add(document, entry, "parameters", cJSON_CreateObject());
}

static cJSON *argv_item(struct document *document, char *const *argv)
{
    cJSON *array = check(document, cJSON_CreateArray());
    for (; array && argv && *argv; argv++)
        append(document, array, text_item(*argv));
    return array;
}

static void add_extreme(struct document *document, cJSON *object, const char *key,
                        const struct lauka_result_metric *about, const uint64_t *value)
{
    char text[32];
    add(document, object, key,
        value ? cJSON_CreateRaw(lauka_format_json_decimal(*value, about->decimals, text, sizeof text))
              : cJSON_CreateNull());
}

static void add_metric(struct document *document, cJSON *metrics, size_t command, size_t metric)
{
    static const struct lauka_summary none;
    const struct lauka_result_metric *about = &document->result->metrics[metric];
    const struct lauka_summary *summary = lauka_result_summary(document->result, command, metric);
    const struct lauka_summary *shown = summary ? summary : &none;
    cJSON *object = check(document, cJSON_CreateObject());
    double unit = lauka_result_unit(about);
    add_text(document, object, "unit", about->unit);
    if (about->decimals > 0) /* values were read from a file: so many of them are exact */
        add_integer(document, object, "decimals", about->decimals);
    add_text(document, object, "better", about->better);
    add_text(document, object, "source", about->source);
    add_optional(document, object, "share", known(summary, about->share));
    add_integer(document, object, "count", shown->count);
    add_optional(document, object, "mean", known(summary, shown->mean / unit));
    add_optional(document, object, "stddev",
                 (struct lauka_optional){shown->stddev.known, shown->stddev.value / unit});
    add_extreme(document, object, "min", about, summary ? &shown->min : NULL);
    add_extreme(document, object, "max", about, summary ? &shown->max : NULL);
    add_optional(document, object, "median", known(summary, shown->median / unit));
    add_stream(document, object, "values", VALUES, command, metric);
    char *key = repaired(about->name);
    add(document, metrics, key ? key : "", object);
    document->incomplete |= !key;
    free(key);
}

static cJSON *results_item(struct document *document)
{
    cJSON *array = check(document, cJSON_CreateArray());
    for (size_t c = 0; c < document->result->command_count; c++) {
        cJSON *entry = check(document, cJSON_CreateObject());
        cJSON *metrics = check(document, cJSON_CreateObject());
        add_hyperfine(document, entry, c);
        add(document, entry, "argv", argv_item(document, document->result->commands[c].argv));
        for (size_t m = 0; m < document->result->metric_count; m++)
            add_metric(document, metrics, c, m);
        add(document, entry, "metrics", metrics);
        append(document, array, entry);
    }
    return array;
}

static cJSON *comparison_item(struct document *document,
                              const struct lauka_result_comparison *comparison)
{
    const struct lauka_comparison *values = &comparison->values;
    cJSON *object = check(document, cJSON_CreateObject());
    add_integer(document, object, "reference", comparison->reference);
    add_integer(document, object, "command", comparison->command);
    add_text(document, object, "metric", document->result->metrics[comparison->metric].name);
    add_integer(document, object, "pairs", values->pairs);
    add_optional(document, object, "ratio", values->ratio);
    add_optional(document, object, "low", values->low);
    add_optional(document, object, "high", values->high);
    bool has_interval = values->confidence > 0;
    add_optional(document, object, "confidence",
                 (struct lauka_optional){has_interval, values->confidence});
    add_optional(document, object, "p", values->p);
    add_text(document, object, "method", lauka_method_name(values->method));
    add_optional(document, object, "cohens_d", values->cohens_d);
    add_optional(document, object, "hedges_g", values->hedges_g);
    add_optional(document, object, "mean_ratio", values->mean_ratio);
    add_optional(document, object, "median_ratio", values->median_ratio);
    add_optional(document, object, "min_ratio", values->min_ratio);
    add_text(document, object, "verdict", lauka_verdict_name(values->verdict));
    return object;
}

static cJSON *comparisons_item(struct document *document)
{
    cJSON *array = check(document, cJSON_CreateArray());
    for (size_t i = 0; i < document->result->comparison_count; i++)
        append(document, array, comparison_item(document, &document->result->comparisons[i]));
    return array;
}

static cJSON *run_item(struct document *document)
{
    const struct lauka_result_run *run = &document->result->run;
    cJSON *object = check(document, cJSON_CreateObject());
    if (run->stopped == LAUKA_STOPPED_STORED)
        add(document, object, "seed", cJSON_CreateNull());
    else
        add_integer(document, object, "seed", run->seed);
    add_stream(document, object, "order", ORDER, 0, 0);
    add_integer(document, object, "rounds", run->rounds);
    if (run->unpaired)
        add(document, object, "unpaired", cJSON_CreateTrue());
    add_integer(document, object, "warmup", run->warmup);
    add_text(document, object, "stopped", lauka_stopped_name(run->stopped));
    add_optional(document, object, "seconds",
                 (struct lauka_optional){run->stopped != LAUKA_STOPPED_STORED, run->seconds});
    add_integer(document, object, "rss_floor", run->rss_floor);
    return object;
}

/* 0 stands for what is not known. */
static void add_known_integer(struct document *document, cJSON *object, const char *key,
                              uint64_t value)
{
    if (value > 0)
        add_integer(document, object, key, value);
    else
        add(document, object, key, cJSON_CreateNull());
}

static cJSON *host_item(struct document *document)
{
    const struct lauka_result_host *host = &document->result->host;
    cJSON *object = check(document, cJSON_CreateObject());
    add_text(document, object, "os", host->os);
    add_text(document, object, "kernel", host->kernel);
    add_text(document, object, "arch", host->arch);
    add_text(document, object, "cpu_model", host->cpu_model);
    add_known_integer(document, object, "cpu_count", host->cpu_count);
    add_known_integer(document, object, "memory_bytes", host->memory_bytes);
    return object;
}

static cJSON *warnings_item(struct document *document)
{
    cJSON *array = check(document, cJSON_CreateArray());
    for (size_t w = 0; w < document->result->warning_count; w++)
        append(document, array, text_item(document->result->warnings[w]));
    return array;
}

/* Owned by the caller; NULL without memory. */
static char *print_document(const struct lauka_result *result)
{
    struct document document = {.result = result};
    cJSON *root = check(&document, cJSON_CreateObject());
    add_text(&document, root, "schema", "lauka-result/1.0");
    add(&document, root, "results", results_item(&document));
    add(&document, root, "comparisons", comparisons_item(&document));
    add(&document, root, "run", run_item(&document));
    add(&document, root, "host", host_item(&document));
    add(&document, root, "warnings", warnings_item(&document));
    char *text = document.incomplete ? NULL : cJSON_Print(root);
    cJSON_Delete(root);
    return text;
}

int lauka_write_json(const struct lauka_result *result, FILE *out)
{
    char *text = print_document(result);
    if (!text)
        return ENOMEM;
    errno = 0;
    copy_document(result, text, out);
    cJSON_free(text);
    return lauka_finish(out);
}
