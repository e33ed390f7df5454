/* What a session comes to in the history: a line for each benchmark, side and metric; and what an answer does. */
#include "report/history/history.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD_MOST = 100, HASH_DIGITS = 12 };

/* ---- fields ------------------------------------------------------------------------------------ */

static size_t width_of(char c)
{
    return (uint8_t)c < ' ' || c == '%' || c == 0x7f ? 3 : 1;
}

static void put_escaped(char c, FILE *out)
{
    if (width_of(c) > 1)
        fprintf(out, "%%%02X", (uint8_t)c);
    else
        fputc(c, out);
}

void lauka_entry_field(const char *text, FILE *out)
{
    size_t whole = 0, room = FIELD_MOST;

    for (const char *c = text; *c; c++)
        whole += width_of(*c);
    if (whole > FIELD_MOST)
        room = FIELD_MOST - HASH_DIGITS - 1;
    for (const char *c = text; *c && width_of(*c) <= room; c++) {
        room -= width_of(*c);
        put_escaped(*c, out);
    }
    if (whole > FIELD_MOST)
        fprintf(out, "~%0*" PRIx64, HASH_DIGITS, lauka_hash_text(LAUKA_HASH, text) >> 16);
}

static void put_fields(FILE *out, const char *name, const char *const *texts, size_t count)
{
    fputs(name, out);
    for (size_t i = 0; i < count; i++) {
        fputc('\t', out);
        lauka_entry_field(texts[i] ? texts[i] : "", out);
    }
}

static void put_number(FILE *out, bool known, double value)
{
    char text[40];

    fprintf(out, "\t%s",
            known && isfinite(value) ? lauka_format_exact(value, text, sizeof text) : "-");
}

/* ---- names ------------------------------------------------------------------------------------- */

/* What the reference is, where it is the same program in each session: "commit:4f2a1c9d0ab1". Otherwise "". */
static void find_anchor(const struct lauka_result *result, char anchor[40])
{
    const struct lauka_result_command *reference = &result->commands[0];

    *anchor = '\0';
    if (result->command_count < 2)
        return;
    if (reference->revision.commit && !reference->revision.is_changed)
        snprintf(anchor, 40, "commit:%.12s", reference->revision.commit);
    else if (reference->kept.name && reference->executable.sha256)
        snprintf(anchor, 40, "kept:%.12s", reference->executable.sha256);
}

/* The words as one text. Owned by the caller; NULL without memory. */
static char *join_words(char *const *words)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    for (size_t i = 0; out && words && words[i]; i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", words[i]);
    if (out && fclose(out) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

/* Without a name, the benchmark is the command. Owned by the caller. */
static char *benchmark_of(const struct lauka_result *result, size_t command)
{
    const struct lauka_result_command *about = &result->commands[command];

    if (result->benchmark.name)
        return strdup(result->benchmark.name);
    return about->revision.commit ? join_words(about->argv)
                                  : strdup(about->label ? about->label : "");
}

/* "" where the benchmark has one side besides the anchor, or where sides are revisions. */
static const char *side_of(const struct lauka_result *result, size_t command, const char *anchor)
{
    if (!result->benchmark.name || result->commands[command].revision.commit ||
        result->command_count - (*anchor != '\0') < 2)
        return "";
    return lauka_result_side(result, command);
}

/* ---- rows -------------------------------------------------------------------------------------- */

static bool is_exact(const struct lauka_result *result, size_t command, size_t metric)
{
    const struct lauka_summary *summary = &result->commands[command].summaries[metric];
    const char *name = result->metrics[metric].name;

    return summary->min == summary->max &&
           (result->metrics[metric].repeatable || strncmp(name, "sim_", 4) == 0 ||
            strcmp(name, "syscalls") == 0 || strcmp(name, "allocations") == 0);
}

/* Half the width of the median's interval of 95 %, by the quartiles of a normal distribution (McGill, Tukey & Larsen
 * 1978, "Variations of box plots"). */
static double half_of(const struct lauka_summary *summary)
{
    return 1.82 * (summary->third_quartile - summary->first_quartile) /
           sqrt((double)summary->count);
}

static void put_ratio(FILE *out, const struct lauka_result *result, size_t command, size_t metric,
                      const char *anchor)
{
    const struct lauka_comparison *found = lauka_result_comparison(result, command, metric);
    const bool itself = command == 0 && *anchor, known = found && *anchor && found->ratio.known;

    put_number(out, itself || known, itself ? 1 : known ? found->ratio.value : 0);
    put_number(out, known && found->low.known,
               known && found->low.known ? (found->high.value - found->low.value) / 2 : 0);
}

/* row KIND BENCHMARK SIDE METRIC UNIT BETTER ANCHOR COUNT VALUE HALF RATIO HALF. KIND: "e" exact, "p" primary, "x" neither,
 * "s" of an anchor itself. */
static int put_row(FILE *out, const struct lauka_result *result, size_t command, size_t metric,
                   const char *anchor, bool is_point)
{
    const struct lauka_result_metric *about = &result->metrics[metric];
    const struct lauka_summary *summary = &result->commands[command].summaries[metric];
    const double unit = lauka_result_unit(about);
    const bool exact = is_exact(result, command, metric);
    char *benchmark = benchmark_of(result, command);
    if (!benchmark)
        return ENOMEM;
    const char *const fields[] = {!is_point        ? "s"
                                  : exact          ? "e"
                                  : about->primary ? "p"
                                                   : "x",
                                  benchmark,
                                  side_of(result, command, anchor),
                                  about->name,
                                  about->unit,
                                  about->better,
                                  anchor};

    put_fields(out, "row", fields, sizeof fields / sizeof *fields);
    fprintf(out, "\t%" PRIu64, summary->count);
    put_number(out, true, summary->median / unit);
    put_number(out, !exact, half_of(summary) / unit);
    put_ratio(out, result, command, metric, anchor);
    fputc('\n', out);
    free(benchmark);
    return 0;
}

static bool is_kept(const struct lauka_result *result, size_t command, size_t metric)
{
    const struct lauka_result_metric *about = &result->metrics[metric];

    return about->counted && !about->detail && result->commands[command].summaries &&
           result->commands[command].summaries[metric].count > 0 &&
           !lauka_result_is_partial(result, command, metric) &&
           strcmp(about->source, LAUKA_SOURCE_FILE) != 0;
}

/* Whether the side stands at the commit. The reference of two revisions is only there to be compared with. */
static bool is_point_of(const struct lauka_result *result, size_t command, const char *commit,
                        const char *anchor)
{
    const struct lauka_result_revision *revision = &result->commands[command].revision;

    if (commit ? !lauka_text_is(revision->commit, commit) : revision->commit != NULL)
        return false;
    return command > 0 || !*anchor || (revision->commit && result->command_count > 2);
}

static int put_benchmark(FILE *out, const struct lauka_result *result, const char *commit,
                         size_t *points)
{
    char anchor[40];
    int failure = 0;

    find_anchor(result, anchor);
    for (size_t c = 0; c < result->command_count && !failure; c++) {
        const bool is_point = is_point_of(result, c, commit, anchor);
        if (!is_point && !(c == 0 && *anchor))
            continue;
        for (size_t m = 0; m < result->metric_count && !failure; m++)
            if (is_kept(result, c, m)) {
                failure = put_row(out, result, c, m, anchor, is_point);
                *points += is_point;
            }
    }
    return failure;
}

/* ---- the head ---------------------------------------------------------------------------------- */

static void put_text(FILE *out, const char *name, const char *text)
{
    if (!text || !*text)
        return;
    put_fields(out, name, &text, 1);
    fputc('\n', out);
}

static void put_simulator(FILE *out, const struct lauka_result *result)
{
    const struct lauka_result_host *host = &result->host;
    const char *const fields[] = {host->arch, host->cpu_model, host->simulator};

    put_fields(out, "circumstances", fields, sizeof fields / sizeof *fields);
    fputc('\n', out);
}

/* What each side was, so that it can be measured again. */
static void put_commands(FILE *out, const struct lauka_result *result, const char *commit)
{
    char anchor[40];

    find_anchor(result, anchor);
    for (size_t c = 0; c < result->command_count; c++) {
        const struct lauka_result_command *command = &result->commands[c];
        if (!is_point_of(result, c, commit, anchor) || !command->argv)
            continue;
        char *benchmark = benchmark_of(result, c);
        const char *side = result->benchmark.name ? side_of(result, c, anchor) : benchmark;
        put_fields(out, "command", &side, 1);
        free(benchmark);
        for (size_t w = 0; command->argv[w]; w++) {
            fputc('\t', out);
            for (const char *p = command->argv[w]; *p; p++)
                put_escaped(*p, out);
        }
        fputc('\n', out);
    }
}

static void put_head(FILE *out, const struct lauka_session *session,
                     const struct lauka_entry_origin *origin)
{
    const struct lauka_result *first = &session->benchmarks[0];
    const struct lauka_result_provenance *provenance = &first->provenance;
    char host[LAUKA_FINGERPRINT_SIZE];

    fputs("lauka-history/1\tsession\n", out);
    put_text(out, "time", provenance->begin ? provenance->begin : origin->time);
    put_text(out, "project", origin->project);
    put_text(out, "commit", origin->commit ? origin->commit : provenance->commit);
    put_text(out, "changed",
             !origin->commit && provenance->dirty.known && provenance->dirty.value > 0 ? "yes"
                                                                                       : NULL);
    put_text(out, "host", lauka_host_fingerprint(&first->host, host) ? host : NULL);
    put_text(out, "machine", first->host.cpu_model ? first->host.cpu_model : first->host.arch);
    put_simulator(out, first);
    put_text(out, "ended", lauka_stopped_name(first->run.stopped));
    put_text(out, "lauka", provenance->version);
}

/* Returns 0 or ENOMEM. */
static int end_text(FILE *out)
{
    const bool whole = !ferror(out);

    return fclose(out) == 0 && whole ? 0 : ENOMEM;
}

int lauka_entry_write(const struct lauka_session *session, const struct lauka_entry_origin *origin,
                      char **text, size_t *size)
{
    const char *commit = origin->commit;
    FILE *out = open_memstream(text, size);
    size_t points = 0;
    int failure = out ? 0 : ENOMEM;

    if (!out)
        return ENOMEM;
    put_head(out, session, origin);
    put_commands(out, &session->benchmarks[0], commit);
    for (size_t b = 0; b < session->benchmark_count && !failure; b++)
        if (lauka_result_ended_well(&session->benchmarks[b]))
            failure = put_benchmark(out, &session->benchmarks[b], commit, &points);
    const int ended = end_text(out);
    failure = failure ? failure : ended;
    if (!failure && points == 0)
        failure = ENODATA;
    if (failure) {
        free(*text);
        *text = NULL;
    }
    return failure;
}

int lauka_answer_write(const struct lauka_history_answer *answer,
                       const struct lauka_entry_origin *origin, char **text, size_t *size)
{
    const char *const fields[] = {answer->benchmark,
                                  answer->side,
                                  answer->metric,
                                  answer->before,
                                  answer->after,
                                  answer->first,
                                  lauka_answer_name(answer->verdict)};
    FILE *out = open_memstream(text, size);

    if (!out)
        return ENOMEM;
    fputs("lauka-history/1\tanswer\n", out);
    put_text(out, "time", origin->time);
    put_text(out, "project", origin->project);
    put_text(out, "commit", answer->after);
    put_fields(out, "answer", fields, sizeof fields / sizeof *fields);
    put_number(out, true, answer->ratio);
    put_number(out, true, answer->low);
    put_number(out, true, answer->high);
    fputc('\n', out);
    return end_text(out);
}

/* ---- the file's name --------------------------------------------------------------------------- */

/* The value of a line of the head, up to `most` letters and digits of it; `otherwise` if there is none. */
static void copy_head(const char *text, const char *name, size_t most, const char *otherwise,
                      char *to)
{
    const char *found = strstr(text, name);
    size_t length = 0;

    for (const char *c = found ? found + strlen(name) : otherwise;
         *c && *c != '\n' && length < most; c++)
        if ((*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') || *c == 'T' || *c == 'Z')
            to[length++] = *c;
    to[length] = '\0';
}

void lauka_entry_name(const char *text, size_t size, char name[LAUKA_ENTRY_NAME_SIZE])
{
    char time[20], commit[13];

    copy_head(text, "\ntime\t", 16, "0", time);
    copy_head(text, "\ncommit\t", 12, "none", commit);
    snprintf(name, LAUKA_ENTRY_NAME_SIZE, "%s-%s-%0*" PRIx64 ".lauka.gz", time, commit, HASH_DIGITS,
             lauka_hash(LAUKA_HASH, text, size) >> 16);
}
