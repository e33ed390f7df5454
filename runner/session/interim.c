/* What is known while commands run one after the other: each one's result so far lies here as text,
 * which can be read again and again, since results that are merged are used up by it. */
#include "runner/session/session.h"
#include "report/analysis/analysis.h"
#include "report/load/load.h"
#include "report/result/result.h"
#include "report/text/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct lauka_interim_text {
    char *bytes; /* owned; NULL: nothing is known of the command */
    size_t size;
};

int lauka_interim_init(struct lauka_interim *interim, struct lauka_bench *bench)
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
    if (good)
        *text = (struct lauka_interim_text){bytes, size};
    return good;
}

/* All that are known, as one result, to be freed by the caller. */
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

/* Merged ones hold values again, which stand for their histograms; a warning in the result says so.
 * The course is that of the session under way, which is all there is to say of it. */
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
}

void lauka_interim_tell(void *context, const struct lauka_result *so_far)
{
    struct lauka_interim *interim = context;
    struct lauka_bench *bench = interim->bench;
    struct lauka_result merged;

    if (!bench->keep || !remember(&interim->texts[interim->command], so_far) ||
        !merge(interim, &merged))
        return;
    take_course(&merged, so_far);
    if (lauka_result_analyse(&merged) == 0)
        bench->keep(bench->context, &merged);
    lauka_result_done(&merged);
}

void lauka_interim_finish(struct lauka_interim *interim, const struct lauka_result *result)
{
    struct lauka_result summary;

    if (interim->bench->keep && result->run.rounds > 0) {
        if (lauka_summary_make(result, &summary) == 0)
            lauka_interim_tell(interim, &summary);
        lauka_summary_done(result, &summary);
    }
    interim->command++;
}
