/* What one should know beside the figures: doubts and notes by importance, so that whoever shows two of
 * them shows the two that matter. */
#include "report/words/words.h"
#include "report/result/result.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What makes verdicts void comes first, then what the session itself says, then what makes them doubtful, and
 * what is merely to be known of a mean last. */
static const enum lauka_doubt grave[] = {LAUKA_DOUBT_UNWATCHED, LAUKA_DOUBT_LEFT_BEHIND};
static const enum lauka_doubt light[] = {
    LAUKA_DOUBT_PLACEMENT,       LAUKA_DOUBT_LAYOUT,      LAUKA_DOUBT_BUSY,
    LAUKA_DOUBT_TAILS,           LAUKA_DOUBT_POSITION,    LAUKA_DOUBT_STOLEN,
    LAUKA_DOUBT_WAITED,          LAUKA_DOUBT_TWO_MODES,   LAUKA_DOUBT_DRIFT,
    LAUKA_DOUBT_OUTLIERS,        LAUKA_DOUBT_FIRST_ROUND, LAUKA_DOUBT_ABOVE_MINIMUM,
    LAUKA_DOUBT_AUTOCORRELATION,
};
_Static_assert(sizeof grave / sizeof *grave + sizeof light / sizeof *light == LAUKA_DOUBT_COUNT,
               "every doubt has its place");

bool lauka_is_counting_note(const char *text)
{
    return strncmp(text, LAUKA_COUNTING_NOTE, strlen(LAUKA_COUNTING_NOTE)) == 0;
}

bool lauka_is_left_out_note(const char *text)
{
    return strstr(text, LAUKA_LEFT_OUT_NOTE) != NULL;
}

/* What holds in every such session, or held before this one; doubts say what resulted from it. */
bool lauka_is_circumstance_note(const char *text)
{
    static const char *const begins[] = {"before the first run, the machine was not quiet",
                                         "commands run in a shell"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(text, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

static int add(struct lauka_notes *notes, const char *text)
{
    char **texts = realloc(notes->texts, (notes->count + 1) * sizeof *texts);
    if (!texts)
        return ENOMEM;
    notes->texts = texts;
    notes->texts[notes->count] = strdup(text);
    return notes->texts[notes->count] ? (notes->count++, 0) : ENOMEM;
}

static int add_doubts(const struct lauka_result *result, const enum lauka_doubt *doubts,
                      size_t count, bool utf8, struct lauka_notes *notes)
{
    int error = 0;
    for (size_t i = 0; i < count && !error; i++) {
        struct lauka_doubt_said said;
        char text[1024];
        if (!lauka_result_worst_doubt(result, doubts[i], &said))
            continue;
        lauka_doubt_sentence(result, &said, utf8, text, sizeof text);
        error = add(notes, text);
    }
    return error;
}

static int add_warnings(const struct lauka_result *result, bool circumstances,
                        struct lauka_notes *notes)
{
    int error = 0;
    for (size_t w = 0; w < result->warning_count && !error; w++) {
        const char *text = result->warnings[w];
        if (!lauka_is_counting_note(text) && !lauka_is_left_out_note(text) &&
            lauka_is_circumstance_note(text) == circumstances)
            error = add(notes, text);
    }
    return error;
}

/* Whoever does not see them looks in vain for commands. */
static int add_left_out(const struct lauka_result *result, struct lauka_notes *notes)
{
    int error = 0;
    for (size_t w = 0; w < result->warning_count && !error; w++)
        if (lauka_is_left_out_note(result->warnings[w]))
            error = add(notes, result->warnings[w]);
    notes->pressing = notes->count;
    return error;
}

int lauka_notes_make(const struct lauka_result *result, bool utf8, struct lauka_notes *notes)
{
    char steps[512];
    *notes = (struct lauka_notes){0};
    int error = add_left_out(result, notes);
    error = error ? error : add_doubts(result, grave, sizeof grave / sizeof *grave, utf8, notes);
    error = error ? error : add_warnings(result, false, notes);
    if (!error && lauka_result_has_estimates(result))
        error = add(notes, LAUKA_ESTIMATES_NOTE);
    error = error ? error : add_doubts(result, light, sizeof light / sizeof *light, utf8, notes);
    if (!error && *lauka_result_steps_note(result, steps, sizeof steps))
        error = add(notes, steps);
    notes->circumstances = notes->count;
    return error ? error : add_warnings(result, true, notes);
}

void lauka_notes_done(struct lauka_notes *notes)
{
    for (size_t i = 0; i < notes->count; i++)
        free(notes->texts[i]);
    free(notes->texts);
    *notes = (struct lauka_notes){0};
}
