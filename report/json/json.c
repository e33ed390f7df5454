/* The complete result as JSON: hyperfine's keys, in seconds and bytes, and beside them every metric
 * in its own unit. Arrays with a value per run stand in the document as short tokens and are written
 * out when its text is copied to the file, so that a million runs cost no tree. Its parts are beside
 * this file. */
#include "report/json/parts.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A document escapes this byte in every string, so that it can only begin a token. */
#define TOKEN '\x01'

/* ---- tokens, and the arrays that they stand for ---------------------------------------------- */

enum stream {
    TIMES = 't',
    MEMORY = 'm',
    EXIT_CODES = 'x',
    VALUES = 'v',
    ORDER = 'o',
    LAYOUT = 'l'
};

static void add_stream(struct lauka_json_document *document, struct lauka_json_value *object,
                       const char *key, enum stream stream, size_t command, size_t metric)
{
    char token[64];
    snprintf(token, sizeof token, "%c%c %zu %zu%c", TOKEN, stream, command, metric, TOKEN);
    lauka_document_add(document, object, key, lauka_document_raw(document, token));
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
    case LAYOUT:
        lauka_print_layout(result, out);
        break;
    }
    return end + 1;
}

/* A document is indented by tabs and has one after every colon; within strings they are escaped. */
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
        if ((unsigned char)c >= 0x7F) {
            text += lauka_print_json_character(text, out);
            before = c;
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

static void add_seconds(struct lauka_json_document *document, struct lauka_json_value *object,
                        const char *key, const struct lauka_summary *summary, double ns)
{
    lauka_document_add_optional(document, object, key, known(summary, ns / 1e9));
}

static void add_parameters(struct lauka_json_document *document, struct lauka_json_value *entry,
                           const struct lauka_result_command *command)
{
    struct lauka_json_value *object = lauka_document_object(document);
    for (size_t i = 0; i < command->parameter_count; i++)
        lauka_document_add_bytes(document, object, command->parameters[i].name,
                                 command->parameters[i].value);
    lauka_document_add(document, entry, "parameters", object);
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
    lauka_document_add_bytes(document, entry, "command", result->commands[command].label);
    add_seconds(document, entry, "mean", wall, shown->mean);
    add_seconds(document, entry, "stddev", shown->stddev.known ? wall : NULL, shown->stddev.value);
    add_seconds(document, entry, "median", wall, shown->median);
    add_seconds(document, entry, "user", user, user ? user->mean : 0);
    add_seconds(document, entry, "system", system, system ? system->mean : 0);
    add_seconds(document, entry, "min", wall, (double)shown->min);
    add_seconds(document, entry, "max", wall, (double)shown->max);
    if (!result->run.samples_left_out) {
        add_stream(document, entry, "times", TIMES, command, wall_time);
        add_stream(document, entry, "memory_usage_byte", MEMORY, command, peak_rss);
    }
    /* Of hyperfine's arrays the one that is never missing, and Bencher insists on it. */
    add_stream(document, entry, "exit_codes", EXIT_CODES, command, 0);
    add_parameters(document, entry, &result->commands[command]);
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
    if (about->decimals > 0) /* values were read from a file: so many of them are exact */
        lauka_document_add_integer(document, object, "decimals", about->decimals);
    lauka_document_add_text(document, object, "better", about->better);
    lauka_document_add_text(document, object, "source", about->source);
    lauka_document_add_bool(document, object, "primary", about->primary);
    if (about->repeatable) /* measured outside of the rounds */
        lauka_document_add_bool(document, object, "repeatable", true);
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
        add_stream(document, object, "values", VALUES, command, metric);
    char *key = lauka_document_repaired(about->name);
    lauka_document_add(document, metrics, key ? key : "", object);
    document->incomplete |= !key;
    free(key);
}

/* The part of all runs' CPU time on each kind of core, by its label. Metrics tell it. */
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

static struct lauka_json_value *results_item(struct lauka_json_document *document)
{
    struct lauka_json_value *array = lauka_document_array(document);
    for (size_t c = 0; c < document->result->command_count; c++) {
        struct lauka_json_value *entry = lauka_document_object(document);
        struct lauka_json_value *metrics = lauka_document_object(document);
        add_hyperfine(document, entry, c);
        lauka_document_add_strings(document, entry, "argv", document->result->commands[c].argv);
        lauka_document_add_bytes(document, entry, "path", document->result->commands[c].path);
        lauka_document_add_integer(document, entry, "failures",
                                   document->result->commands[c].failures);
        if (document->result->commands[c].left_behind > 0)
            lauka_document_add_integer(document, entry, "left_behind",
                                       document->result->commands[c].left_behind);
        if (document->result->commands[c].unwatched)
            lauka_document_add_bool(document, entry, "unwatched", true);
        if (document->result->commands[c].contradicted > 0)
            lauka_document_add_integer(document, entry, "contradicted",
                                       document->result->commands[c].contradicted);
        for (size_t m = 0; m < document->result->metric_count; m++)
            add_metric(document, metrics, c, m);
        lauka_document_add(document, entry, "metrics", metrics);
        add_residency(document, entry, c);
        lauka_document_append(document, array, entry);
    }
    return array;
}

/* Owned by the caller; NULL without memory. */
static char *print_document(const struct lauka_result *result)
{
    struct lauka_json_document document = {.result = result};
    struct lauka_json_value *root = lauka_document_object(&document);
    lauka_document_add_text(&document, root, "schema", "lauka-result/1.0");
    lauka_document_add(&document, root, "results", results_item(&document));
    lauka_document_add(&document, root, "comparisons", lauka_document_comparisons(&document));
    lauka_document_add(&document, root, "doubts", lauka_document_doubts(&document));
    lauka_document_add(&document, root, "gate", lauka_document_gate(&document));
    struct lauka_json_value *run = lauka_document_run(&document);
    if (!result->run.samples_left_out)
        add_stream(&document, run, "order", ORDER, 0, 0);
    if (result->run.layout)
        add_stream(&document, run, "layout", LAYOUT, 0, 0);
    lauka_document_add(&document, root, "run", run);
    lauka_document_add(&document, root, "failure", lauka_document_failure(&document));
    lauka_document_add(&document, root, "host", lauka_document_host(&document));
    lauka_document_add(&document, root, "warnings", lauka_document_warnings(&document));
    return lauka_document_finish(&document, root);
}

int lauka_write_json(const struct lauka_result *result, FILE *out)
{
    char *text = print_document(result);
    if (!text)
        return ENOMEM;
    errno = 0;
    copy_document(result, text, out);
    free(text);
    return lauka_finish(out);
}
