/* What is known while commands run one after the other: each one's result so far is kept as text, which
 * can be read repeatedly, because merging uses results up. */
#include "runner/session/session.h"
#include "report/analysis/analysis.h"
#include "report/json/json.h"
#include "report/load/load.h"
#include "report/result/result.h"
#include "report/text/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct lauka_interim_text {
    char *bytes; /* owned; NULL: not made yet, or nothing is known of the command */
    size_t size;
    const struct lauka_result *finished; /* borrowed; NULL: it is under way, or has no rounds */
};

int lauka_interim_init(struct lauka_interim *interim, struct lauka_measurement *bench)
{
    *interim = (struct lauka_interim){
        .bench = bench,
        .texts = calloc(bench->options->command_count, sizeof *interim->texts),
    };
    return interim->texts ? 0 : ENOMEM;
}

void lauka_interim_done(struct lauka_interim *interim)
{
    for (size_t c = 0; interim->texts && c < interim->bench->options->command_count; c++)
        free(interim->texts[c].bytes);
    free(interim->texts);
    *interim = (struct lauka_interim){0};
}

static bool remember(struct lauka_interim_text *text, const struct lauka_result *so_far)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&bytes, &size);

    if (!stream)
        return false;
    bool good = lauka_write_json(so_far, stream) == 0;
    good = fclose(stream) == 0 && good;
    free(good ? text->bytes : bytes);
    if (good) {
        text->bytes = bytes;
        text->size = size;
    }
    return good;
}

/* Texts of those that ended since the last time. */
static bool remember_finished(struct lauka_interim *interim)
{
    bool good = true;

    for (size_t c = 0; c < interim->command && good; c++) {
        struct lauka_interim_text *text = &interim->texts[c];
        struct lauka_poured poured = {0};
        struct lauka_result summary;
        if (text->bytes || !text->finished)
            continue;
        good =
            lauka_summary_make(text->finished, &poured, &summary) == 0 && remember(text, &summary);
        lauka_summary_done(&summary);
        lauka_poured_done(&poured);
    }
    return good;
}

/* All known results as one, which the caller frees. */
static bool merge(const struct lauka_interim *interim, struct lauka_result *merged)
{
    size_t count = interim->command + 1, loaded = 0;
    struct lauka_part *parts = calloc(count, sizeof *parts);
    struct lauka_load_error why;
    bool good = parts != NULL;

    for (; good && loaded < count; loaded++) {
        struct lauka_stored stored = {.name = interim->bench->options->commands[loaded].label,
                                      .bytes = interim->texts[loaded].bytes,
                                      .size = interim->texts[loaded].size};
        parts[loaded].name = stored.name;
        if (!stored.bytes || lauka_load(&stored, &parts[loaded].result, &why) != 0) {
            good = false;
            break;
        }
    }
    if (good)
        good = lauka_result_merge(parts, count, merged, &why) == 0;
    else
        for (size_t p = 0; p < loaded; p++)
            lauka_result_done(&parts[p].result);
    free(parts);
    return good;
}

/* Merged results hold values again, which stand for their histograms; a warning in the result says so. The
 * course is that of the current session, because there is no other. */
static void take_course(struct lauka_result *merged, const struct lauka_result *so_far)
{
    const uint64_t rounds = merged->run.rounds;
    const bool left_out = merged->run.samples_left_out; /* of one command alone */
    const bool unpaired = merged->command_count > 1;

    free(merged->run.order);
    free(merged->run.layout);
    merged->run = so_far->run;
    merged->run.rounds = rounds;
    merged->run.order = NULL;
    merged->run.layout = NULL;
    merged->run.samples_left_out = left_out;
    merged->run.unpaired = unpaired;
    merged->run.stopped = LAUKA_STOPPED_INTERRUPTED;
    free(merged->error.text); /* which says so of the command under way */
    merged->error = (struct lauka_result_error){0};
}

bool lauka_interim_is_due(const struct lauka_interim *interim, size_t metric_count, uint64_t now_ns)
{
    return interim->bench->keep && !interim->bench->options->pretended &&
           (interim->command + 1) * metric_count <= LAUKA_KEEP_STREAMS_MAX &&
           (interim->told_ns == 0 ||
            lauka_summary_is_due(interim->told_ns, interim->cost_ns, now_ns));
}

/* So far: of the command under way, or of the one that ended last. */
static void tell(struct lauka_interim *interim, const struct lauka_result *so_far)
{
    struct lauka_measurement *bench = interim->bench;
    struct lauka_result merged;

    if (!remember_finished(interim) || !remember(&interim->texts[interim->command], so_far) ||
        !merge(interim, &merged))
        return;
    take_course(&merged, so_far);
    if (lauka_result_analyse(&merged) == 0)
        bench->keep(bench->context, &merged);
    lauka_result_done(&merged);
}

void lauka_interim_tell(void *context, const struct lauka_result *so_far)
{
    struct lauka_interim *interim = context;
    const uint64_t now = lauka_now_ns();

    if (!lauka_interim_is_due(interim, so_far->metric_count, now))
        return;
    tell(interim, so_far);
    interim->told_ns = lauka_now_ns();
    interim->cost_ns = interim->told_ns - now;
}

void lauka_interim_finish(struct lauka_interim *interim, const struct lauka_result *result)
{
    struct lauka_interim_text *text = &interim->texts[interim->command];
    struct lauka_poured poured = {0};
    struct lauka_result summary;

    text->finished = result->run.rounds > 0 ? result : NULL;
    if (text->finished && lauka_interim_is_due(interim, result->metric_count, lauka_now_ns())) {
        if (lauka_summary_make(result, &poured, &summary) == 0)
            lauka_interim_tell(interim, &summary);
        lauka_summary_done(&summary);
        lauka_poured_done(&poured);
    } else {
        free(text->bytes); /* of its beginning */
        text->bytes = NULL;
    }
    interim->command++;
}
