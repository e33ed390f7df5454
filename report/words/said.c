/* What is said about a result beside its tables: answers, doubts and notes; and the weightiest of them first, so that
 * those who show two of them show the two that matter. */
#include "report/words/said.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/words.h"

#include <string.h>

/* ---- metrics that are compared otherwise than usual -------------------------------------------- */

static bool is_in_steps(const struct lauka_result *result, size_t command, size_t metric)
{
    return lauka_result_comparison(result, command, metric)->method == LAUKA_METHOD_MEAN;
}

/* A session that kept no single values has no ratio to a zero. */
static bool is_lost_to_zeros(const struct lauka_result *result, size_t command, size_t metric)
{
    const struct lauka_result_stream *streams = result->commands[command].streams;
    const struct lauka_comparison *comparison = lauka_result_comparison(result, command, metric);
    return streams && streams[metric].paired && streams[metric].paired->zeros > 0 &&
           comparison->method == LAUKA_METHOD_NONE;
}

static bool is_so_somewhere(const struct lauka_result *result, size_t metric,
                            bool (*is_so)(const struct lauka_result *, size_t, size_t))
{
    bool found = false;
    for (size_t c = 1; c < result->command_count; c++) {
        struct lauka_result_view view = lauka_result_view(result, c, metric);
        found |= view.counted && view.comparison && is_so(result, c, metric);
    }
    return found && lauka_result_is_shown(result, metric);
}

/* "a, b and c"; *count is how many there are. */
static const char *metrics_of(struct lauka_prose *prose, const struct lauka_result *result,
                              bool (*is_so)(const struct lauka_result *, size_t, size_t),
                              size_t *count)
{
    const char *text = "", *last = "";
    *count = 0;
    for (size_t m = 0; m < result->metric_count; m++)
        if (is_so_somewhere(result, m, is_so)) {
            text = lauka_join(prose, text, ", ", last);
            last = result->metrics[m].name;
            ++*count;
        }
    return lauka_join(prose, text, " and ", last);
}

const char *lauka_say_steps(struct lauka_prose *prose, const struct lauka_result *result)
{
    size_t count;
    const char *names = metrics_of(prose, result, is_in_steps, &count), *steps = "", *zeros = "";
    if (count > 0)
        steps = lauka_say(prose, "%s come%s in steps here; %s compared by %s.", names,
                          count == 1 ? "s" : "", count == 1 ? "it is" : "they are",
                          count == 1 ? "its mean" : "their means");
    names = metrics_of(prose, result, is_lost_to_zeros, &count);
    if (count > 0)
        zeros = lauka_say(prose,
                          "%s %s 0 in some rounds: %s compared only where single values are kept.",
                          names, count == 1 ? "was" : "were", count == 1 ? "it is" : "they are");
    return lauka_join(prose, steps, " ", zeros);
}

/* ---- notes of the session ---------------------------------------------------------------------- */

/* The text with the second in place of the first wherever that is. */
static const char *replaced(struct lauka_prose *prose, const char *text, const char *old,
                            const char *new)
{
    const char *whole = "", *found;
    while (*old && (found = strstr(text, old))) {
        whole = lauka_say(prose, "%s%.*s%s", whole, (int)(found - text), text, new);
        text = found + strlen(old);
    }
    return lauka_say(prose, "%s%s", whole, text);
}

/* A note names commands by their labels in backquotes; people know them by their short names. */
static const char *say_note(struct lauka_prose *prose, const struct lauka_result *result,
                            const char *note)
{
    for (size_t c = 0; strchr(note, '`') && c < result->command_count; c++)
        if (lauka_is_shortened(prose, result, c))
            note = replaced(prose, note, lauka_say(prose, "`%s`", result->commands[c].label),
                            lauka_say(prose, "`%s`", lauka_say_bare_name(prose, result, c)));
    return note;
}

/* ---- sentence after sentence ----------------------------------------------------------------- */

static bool say_noise(struct lauka_prose *prose, const struct lauka_result *result,
                      struct lauka_said *said)
{
    for (size_t m = said->place; m < result->metric_count; m++)
        if (lauka_is_noise_told(result, m)) {
            *said =
                (struct lauka_said){.kind = LAUKA_SAID_NOISE,
                                    .text = lauka_noise_sentence(prose, result, m, LAUKA_SAID_OWN),
                                    .place = m + 1};
            return true;
        }
    return false;
}

/* Places are two for each command, and one for the best. */
bool lauka_said_next_answer(struct lauka_prose *prose, const struct lauka_result *result,
                            struct lauka_said *said)
{
    const size_t count = result->command_count, first = count > 1 ? 2 : 0;
    if (lauka_result_has_noise(result))
        return say_noise(prose, result, said);
    for (size_t place = said->place > first ? said->place : first; place <= 2 * count; place++) {
        const char *text = "";
        size_t command = place / 2;
        enum lauka_said_kind kind = place == 2 * count ? LAUKA_SAID_BEST
                                    : place % 2        ? LAUKA_SAID_SAME
                                                       : LAUKA_SAID_ANSWER;
        if (kind == LAUKA_SAID_ANSWER)
            text = lauka_result_sentence_about(prose, result, command, LAUKA_SAID_OWN,
                                               LAUKA_SAID_REFERENCE);
        else if (kind == LAUKA_SAID_SAME)
            text =
                lauka_same_sentence(prose, result, command, LAUKA_SAID_OWN, LAUKA_SAID_REFERENCE);
        else if (lauka_result_best(result, &command))
            text = lauka_best_sentence(prose, result, LAUKA_SAID_OWN);
        *said = (struct lauka_said){kind, command, text, place + 1};
        if (*text)
            return true;
    }
    return false;
}

const char *lauka_said_text(struct lauka_prose *prose, const struct lauka_said *said,
                            const char *own, const char *reference)
{
    return said->kind == LAUKA_SAID_NOTE
               ? said->text
               : lauka_with_names(prose, said->text, own, reference, NULL);
}

const char *lauka_with_names(struct lauka_prose *prose, const char *text, const char *own,
                             const char *reference,
                             const char *(*put)(struct lauka_prose *prose, const char *text))
{
    const char *whole = "";
    while (*text) {
        const size_t length = strcspn(text, LAUKA_SAID_OWN LAUKA_SAID_REFERENCE);
        const char mark = text[length], *part = lauka_say(prose, "%.*s", (int)length, text);
        whole = lauka_say(prose, "%s%s%s", whole, put ? put(prose, part) : part,
                          mark == *LAUKA_SAID_OWN         ? own
                          : mark == *LAUKA_SAID_REFERENCE ? reference
                                                          : "");
        text += length + (mark != 0);
    }
    return whole;
}

/* ---- the weightiest first -------------------------------------------------------------------- */

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

static void add(struct lauka_notes *notes, enum lauka_said_kind kind, size_t command,
                const char *text)
{
    if (*text && notes->all)
        notes->all[notes->count++] = (struct lauka_said){kind, command, text, 0};
}

static void add_doubts(struct lauka_prose *prose, const struct lauka_result *result, size_t first,
                       size_t end, struct lauka_notes *notes)
{
    for (size_t i = first; i < end; i++) {
        struct lauka_doubt_said said;
        if (lauka_result_worst_doubt(result, lauka_doubts_by_weight[i], &said))
            add(notes, LAUKA_SAID_DOUBT, said.command,
                lauka_doubt_sentence(prose, result, &said, LAUKA_SAID_OWN, LAUKA_SAID_REFERENCE));
    }
}

enum kind { LEFT_OUT, OTHER, CIRCUMSTANCE, COUNTING };

static enum kind kind_of(const char *warning)
{
    return lauka_is_left_out_note(warning)       ? LEFT_OUT
           : lauka_is_counting_note(warning)     ? COUNTING
           : lauka_is_circumstance_note(warning) ? CIRCUMSTANCE
                                                 : OTHER;
}

static void add_warnings(struct lauka_prose *prose, const struct lauka_result *result,
                         enum kind kind, struct lauka_notes *notes)
{
    for (size_t w = 0; w < result->warning_count; w++)
        if (kind_of(result->warnings[w]) == kind)
            add(notes, LAUKA_SAID_NOTE, 0, say_note(prose, result, result->warnings[w]));
}

/* What was left out comes first, as people look for it in vain; what makes verdicts void, then what the session itself
 * says, then what makes them doubtful. */
struct lauka_notes lauka_notes(struct lauka_prose *prose, const struct lauka_result *result)
{
    enum { FURTHER = 2 }; /* of estimates and of steps */
    const size_t most = result->warning_count + LAUKA_DOUBT_COUNT + FURTHER;
    struct lauka_notes notes = {.all = lauka_prose_room(prose, most, sizeof *notes.all)};
    add_warnings(prose, result, LEFT_OUT, &notes);
    notes.pressing = notes.count;
    add_doubts(prose, result, 0, LAUKA_GRAVE_DOUBTS, &notes);
    add_warnings(prose, result, OTHER, &notes);
    add(&notes, LAUKA_SAID_NOTE, 0, lauka_result_has_estimates(result) ? LAUKA_ESTIMATES_NOTE : "");
    add_doubts(prose, result, LAUKA_GRAVE_DOUBTS, LAUKA_DOUBT_COUNT, &notes);
    add(&notes, LAUKA_SAID_NOTE, 0, lauka_say_steps(prose, result));
    notes.circumstances = notes.count;
    add_warnings(prose, result, CIRCUMSTANCE, &notes);
    notes.counting = notes.count;
    add_warnings(prose, result, COUNTING, &notes);
    return notes;
}
