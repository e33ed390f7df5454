/* What a session comes to in the history: a line for each benchmark, side and metric; and what an answer does. */
#include "report/history/history.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/prose.h"
#include "report/text/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD_MOST = 100, HASH_DIGITS = 12, ANCHOR_SIZE = 40 };

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

static void put_fields(struct lauka_prose *prose, const char *name, const char *const *texts,
                       size_t count)
{
    lauka_put(prose, "%s", name);
    for (size_t i = 0; i < count; i++) {
        fputc('\t', prose->out);
        lauka_entry_field(texts[i] ? texts[i] : "", prose->out);
    }
}

static void put_number(struct lauka_prose *prose, bool known, double value)
{
    char text[40];

    lauka_put(prose, "\t%s",
              known && isfinite(value) ? lauka_format_exact(value, text, sizeof text) : "-");
}

/* ---- names ------------------------------------------------------------------------------------- */

/* What the reference is, where it is the same program in each session: "commit:4f2a1c9d0ab1". Otherwise "". */
static void find_anchor(const struct lauka_result *result, char anchor[ANCHOR_SIZE])
{
    const struct lauka_result_command *reference = &result->commands[0];

    *anchor = '\0';
    if (result->command_count < 2)
        return;
    if (reference->revision.commit && !reference->revision.is_changed)
        snprintf(anchor, ANCHOR_SIZE, "commit:%.12s", reference->revision.commit);
    else if (reference->kept.name && reference->executable.sha256)
        snprintf(anchor, ANCHOR_SIZE, "kept:%.12s", reference->executable.sha256);
}

/* Without a name, the benchmark is the command. */
static const char *benchmark_of(struct lauka_prose *prose, const struct lauka_result *result,
                                size_t command)
{
    const struct lauka_result_command *about = &result->commands[command];

    if (result->benchmark.name)
        return result->benchmark.name;
    if (!about->revision.commit)
        return about->label ? about->label : "";
    lauka_prose_capture(prose);
    for (size_t i = 0; about->argv && about->argv[i]; i++)
        lauka_put(prose, "%s%s", i > 0 ? " " : "", about->argv[i]);
    return lauka_prose_captured(prose);
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

static void put_ratio(struct lauka_prose *prose, const struct lauka_result *result, size_t command,
                      size_t metric, const char *anchor)
{
    const struct lauka_comparison *found = lauka_result_comparison(result, command, metric);
    const bool itself = command == 0 && *anchor, known = found && *anchor && found->ratio.known;

    put_number(prose, itself || known, itself ? 1 : known ? found->ratio.value : 0);
    put_number(prose, known && found->low.known,
               known && found->low.known ? (found->high.value - found->low.value) / 2 : 0);
}

/* row KIND BENCHMARK SIDE METRIC UNIT BETTER ANCHOR COUNT VALUE HALF RATIO HALF. KIND: "e" exact, "p" primary, "x" neither,
 * "s" of an anchor itself. */
static void put_row(struct lauka_prose *prose, const struct lauka_result *result, size_t command,
                    size_t metric, const char *anchor, bool is_point)
{
    const struct lauka_result_metric *about = &result->metrics[metric];
    const struct lauka_summary *summary = &result->commands[command].summaries[metric];
    const double unit = lauka_result_unit(about);
    const bool exact = is_exact(result, command, metric);
    const char *const fields[] = {!is_point        ? "s"
                                  : exact          ? "e"
                                  : about->primary ? "p"
                                                   : "x",
                                  benchmark_of(prose, result, command),
                                  side_of(result, command, anchor),
                                  about->name,
                                  about->unit,
                                  about->better,
                                  anchor};

    put_fields(prose, "row", fields, sizeof fields / sizeof *fields);
    lauka_put(prose, "\t%" PRIu64, summary->count);
    put_number(prose, true, summary->median / unit);
    put_number(prose, !exact, half_of(summary) / unit);
    put_ratio(prose, result, command, metric, anchor);
    lauka_put(prose, "\n");
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

/* Returns the number of points. */
static size_t put_benchmark(struct lauka_prose *prose, const struct lauka_result *result,
                            const char *commit)
{
    char anchor[ANCHOR_SIZE];
    size_t points = 0;

    find_anchor(result, anchor);
    for (size_t c = 0; c < result->command_count; c++) {
        const bool is_point = is_point_of(result, c, commit, anchor);
        if (!is_point && !(c == 0 && *anchor))
            continue;
        for (size_t m = 0; m < result->metric_count; m++)
            if (is_kept(result, c, m)) {
                put_row(prose, result, c, m, anchor, is_point);
                points += is_point;
            }
    }
    return points;
}

/* ---- the head ---------------------------------------------------------------------------------- */

static void put_text(struct lauka_prose *prose, const char *name, const char *text)
{
    if (!text || !*text)
        return;
    put_fields(prose, name, &text, 1);
    lauka_put(prose, "\n");
}

/* Whether programs have the benchmarks inside. */
static bool is_suite(const struct lauka_result *result)
{
    return result->benchmark.units.kind == LAUKA_UNIT_PROCESS ||
           result->benchmark.inner.kind == LAUKA_UNIT_PROCESS;
}

/* What each side was, so that it can be measured again. All benchmarks of a suite have one command. */
static void put_commands(struct lauka_prose *prose, const struct lauka_result *result,
                         const char *commit)
{
    char anchor[ANCHOR_SIZE];

    find_anchor(result, anchor);
    for (size_t c = 0; c < result->command_count; c++) {
        const struct lauka_result_command *command = &result->commands[c];
        if (!is_point_of(result, c, commit, anchor) || !command->argv)
            continue;
        const char *side = side_of(result, c, anchor), *name = benchmark_of(prose, result, c);
        name = is_suite(result) ? side : *side ? lauka_say(prose, "%s/%s", name, side) : name;
        put_fields(prose, is_suite(result) ? "suite" : "command", &name, 1);
        for (size_t w = 0; command->argv[w]; w++) {
            fputc('\t', prose->out);
            for (const char *p = command->argv[w]; *p; p++)
                put_escaped(*p, prose->out);
        }
        lauka_put(prose, "\n");
    }
}

static void put_head(struct lauka_prose *prose, const struct lauka_session *session,
                     const struct lauka_entry_origin *origin)
{
    const struct lauka_result *first = &session->benchmarks[0];
    const struct lauka_result_provenance *provenance = &first->provenance;
    const struct lauka_result_host *about = &first->host;
    const char *const simulator[] = {about->arch, about->cpu_model, about->simulator};
    const bool is_changed =
        !origin->commit && provenance->dirty.known && provenance->dirty.value > 0;
    char host[LAUKA_FINGERPRINT_SIZE];

    lauka_put(prose, "lauka-history/1\tsession\n");
    put_text(prose, "time", provenance->begin ? provenance->begin : origin->time);
    put_text(prose, "project", origin->project);
    put_text(prose, "commit", origin->commit ? origin->commit : provenance->commit);
    put_text(prose, "changed", is_changed ? "yes" : NULL);
    put_text(prose, "host", lauka_host_fingerprint(about, host) ? host : NULL);
    put_text(prose, "machine", about->cpu_model ? about->cpu_model : about->arch);
    put_fields(prose, "circumstances", simulator, sizeof simulator / sizeof *simulator);
    lauka_put(prose, "\n");
    put_text(prose, "ended", lauka_stopped_name(first->run.stopped));
    put_text(prose, "lauka", provenance->version);
}

/* ---- both kinds of entry ----------------------------------------------------------------------- */

/* Closes the text. Returns 0 or ENOMEM. */
static int end_text(struct lauka_prose *prose)
{
    FILE *out = prose->out;
    const int failure = lauka_prose_end(prose);

    return fclose(out) == 0 && !failure ? 0 : ENOMEM;
}

int lauka_entry_write(const struct lauka_session *session, const struct lauka_entry_origin *origin,
                      char **text, size_t *size)
{
    FILE *out = open_memstream(text, size);
    size_t points = 0;
    if (!out)
        return ENOMEM;
    struct lauka_prose prose = lauka_prose_begin(out, LAUKA_PLAIN_UTF8);
    put_head(&prose, session, origin);
    for (size_t b = 0; b < session->benchmark_count && (b == 0 || !is_suite(session->benchmarks));
         b++)
        put_commands(&prose, &session->benchmarks[b], origin->commit);
    for (size_t b = 0; b < session->benchmark_count; b++)
        if (lauka_result_ended_well(&session->benchmarks[b]))
            points += put_benchmark(&prose, &session->benchmarks[b], origin->commit);
    const int failure = end_text(&prose);
    return failure ? failure : points == 0 ? ENODATA : 0;
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
                                  lauka_answer_names[answer->verdict]};
    FILE *out = open_memstream(text, size);
    if (!out)
        return ENOMEM;
    struct lauka_prose prose = lauka_prose_begin(out, LAUKA_PLAIN_UTF8);
    lauka_put(&prose, "lauka-history/1\tanswer\n");
    put_text(&prose, "time", origin->time);
    put_text(&prose, "project", origin->project);
    put_fields(&prose, "answer", fields, sizeof fields / sizeof *fields);
    put_number(&prose, true, answer->ratio);
    put_number(&prose, true, answer->low);
    put_number(&prose, true, answer->high);
    lauka_put(&prose, "\n");
    return end_text(&prose);
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
