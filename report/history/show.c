/* The history on a terminal, and the words about it that its page shares. */
#include "report/history/history.h"
#include "report/text/prose.h"
#include "report/text/sheet.h"
#include "report/words/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLUMN_NAME,
    COLUMN_METRIC,
    COLUMN_LEVELS,
    COLUMN_CHANGE,
    COLUMN_SINCE,
    COLUMN_CERTAINTY,
    COLUMN_DATE,
    COLUMN_SUBJECT,
    COLUMNS
};
enum { SUBJECT_WIDTH = 40, NAME_WIDTH = 40 };

bool lauka_history_is_shown(const struct lauka_history_step *step)
{
    return step->certainty != LAUKA_STEP_REFUTED;
}

struct lauka_change lauka_history_change(struct lauka_prose *prose,
                                         const struct lauka_history_step *step)
{
    const char *exact = step->series->kind == LAUKA_HISTORY_EXACT ? "exact" : "";

    if (!step->ratio.known)
        return (struct lauka_change){"", ""};
    if (*exact && fabs(step->ratio.value - 1) < 5e-5)
        return (struct lauka_change){lauka_say(prose, "%+.0f", step->after - step->before), exact};
    if (*exact || !step->low.known)
        return (struct lauka_change){lauka_say_change(prose, step->ratio.value), exact};
    const struct lauka_comparison values = {
        .pairs = 1,
        .ratio = step->ratio,
        .low = step->low,
        .high = step->high,
        .log_ratio = lauka_known(log(step->ratio.value)),
        .log_low = lauka_known(log(step->low.value)),
        .log_high = lauka_known(log(step->high.value)),
        .method = LAUKA_METHOD_UNPAIRED,
        .confidence = 0.95,
    };
    return lauka_change(prose, &values, (struct lauka_scale){0});
}

/* "9.4 → 10.1 ms"; of ratios "1.020 → 1.090 × anchor". */
const char *lauka_history_levels(struct lauka_prose *prose, const struct lauka_history_step *step)
{
    const struct lauka_history_series *series = step->series;

    if (series->kind == LAUKA_HISTORY_RATIO)
        return lauka_say(prose, "%.3f %s %.3f %s anchor", step->before, prose->signs->arrow,
                         step->after, prose->signs->times);
    if (fmax(fabs(step->before), fabs(step->after)) >= 1e5 && strcmp(series->unit, "1") == 0)
        return lauka_say(prose, "%s %s %s", lauka_say_grouped(prose, step->before, 0),
                         prose->signs->arrow, lauka_say_grouped(prose, step->after, 0));
    const struct lauka_scale scale =
        lauka_scale_for_range(fmin(step->before, step->after), fmax(step->before, step->after),
                              series->unit, prose->utf8);
    return lauka_say(prose, "%s %s %s", lauka_say_scaled(prose, step->before, scale),
                     prose->signs->arrow, lauka_say_quantity(prose, step->after, scale));
}

/* "4f2a1c9". */
static const char *say_hash(struct lauka_prose *prose, const struct lauka_history_session *session)
{
    return session->commit ? lauka_say(prose, "%.7s", session->commit) : "a session";
}

const char *lauka_history_commit(struct lauka_prose *prose,
                                 const struct lauka_history_session *session)
{
    const char *subject =
        session->subject
            ? lauka_say(prose, ", \"%s\"", lauka_say_fitted(prose, session->subject, SUBJECT_WIDTH))
            : "";
    return lauka_say(prose, "%s (%.10s%s)", say_hash(prose, session),
                     lauka_say_safely(prose, session->date), subject);
}

const char *lauka_history_certainty(struct lauka_prose *prose,
                                    const struct lauka_history_step *step)
{
    if (step->certainty == LAUKA_STEP_NEW)
        return "too new: 2 of 3";
    if (step->answer && step->answer->verdict == LAUKA_ANSWER_INCONCLUSIVE)
        return "suspected, not confirmed";
    if (step->certainty == LAUKA_STEP_CONFIRMED && *step->answer->first)
        return lauka_say(prose, "confirmed: %.7s", lauka_say_safely(prose, step->answer->first));
    return lauka_certainty_names[step->certainty];
}

static enum lauka_style style_of(const struct lauka_history_step *step)
{
    if (step->certainty > LAUKA_STEP_CONFIRMED)
        return LAUKA_STYLE_DOUBTFUL;
    return step->is_worse    ? LAUKA_STYLE_WORSE
           : step->is_better ? LAUKA_STYLE_BETTER
                             : LAUKA_STYLE_MAIN;
}

static void put_step(const struct lauka_history *history, const struct lauka_history_step *step,
                     struct lauka_sheet *sheet)
{
    struct lauka_prose *prose = sheet->prose;
    const struct lauka_history_session *after = lauka_history_after(history, step);
    const enum lauka_style plain = LAUKA_STYLE_PLAIN, aside = LAUKA_STYLE_SECONDARY,
                           style = style_of(step);
    const struct lauka_sheet_cell cells[COLUMNS] = {
        [COLUMN_NAME] = {lauka_say_fitted(prose, step->series->name, NAME_WIDTH), plain},
        [COLUMN_METRIC] = {lauka_say_safely(prose, step->series->metric), plain},
        [COLUMN_LEVELS] = {lauka_history_levels(prose, step), plain},
        [COLUMN_CHANGE] = {lauka_change_text(prose, lauka_history_change(prose, step)), style},
        [COLUMN_SINCE] = {lauka_say(prose, "since %s", say_hash(prose, after)), plain},
        [COLUMN_CERTAINTY] = {lauka_history_certainty(prose, step), style},
        [COLUMN_DATE] = {lauka_say(prose, "%.10s", lauka_say_safely(prose, after->date)), aside},
        [COLUMN_SUBJECT] = {after->subject ? lauka_say_fitted(prose, after->subject, SUBJECT_WIDTH)
                                           : "",
                            aside},
    };
    const size_t row = lauka_sheet_add(sheet);

    for (size_t c = 0; c < COLUMNS; c++)
        lauka_sheet_put(sheet, row, c, cells[c].style, cells[c].text);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Different ones. Without memory, the number of sessions. */
static size_t count_commits(const struct lauka_history *history)
{
    const char **commits = malloc((history->session_count + 1) * sizeof *commits);
    size_t known = 0, count = 0;
    if (!commits)
        return history->session_count;
    for (size_t i = 0; i < history->session_count; i++)
        if (history->sessions[i].commit)
            commits[known++] = history->sessions[i].commit;
    qsort(commits, known, sizeof *commits, by_text);
    for (size_t i = 0; i < known; i++)
        count += i == 0 || strcmp(commits[i - 1], commits[i]) != 0;
    free(commits);
    return count;
}

static bool has_step(const struct lauka_history *history, size_t first)
{
    for (size_t i = 0; i < history->step_count; i++)
        if (lauka_history_is_shown(&history->steps[i]) && history->steps[i].series->first == first)
            return true;
    return false;
}

static size_t count_quiet(const struct lauka_history *history)
{
    size_t count = 0;

    for (size_t i = 0; i < history->series_count; i++)
        count +=
            history->series[i].first == i && !history->series[i].is_hidden && !has_step(history, i);
    return count;
}

const char *lauka_history_sum(struct lauka_prose *prose, const struct lauka_history *history)
{
    const size_t commits = count_commits(history), quiet = count_quiet(history);

    const char *of =
        commits > 0 ? lauka_say(prose, " of %zu commit%s", commits, lauka_plural(commits)) : "";
    return lauka_say(prose,
                     "%zu session%s%s, %zu benchmark%s, %zu machine%s; %zu benchmark%s without a "
                     "step",
                     history->session_count, lauka_plural(history->session_count), of,
                     history->benchmarks, lauka_plural(history->benchmarks), history->machines,
                     lauka_plural(history->machines), quiet, lauka_plural(quiet));
}

size_t lauka_history_count(const struct lauka_history *history, enum lauka_certainty certainty)
{
    size_t count = 0;

    for (size_t i = 0; i < history->step_count; i++)
        count += history->steps[i].certainty == certainty;
    return count;
}

static void put_notes(struct lauka_prose *prose, const struct lauka_history *history)
{
    const size_t refuted = lauka_history_count(history, LAUKA_STEP_REFUTED);

    if (refuted > 0)
        lauka_put_note(prose,
                       lauka_say(prose,
                                 "%zu step%s of the machine, as --confirm found out, %s left out",
                                 refuted, lauka_plural(refuted), refuted == 1 ? "is" : "are"));
    if (lauka_history_count(history, LAUKA_STEP_SUSPECTED) > 0)
        lauka_put_note(prose, "a suspected step may be the machine's: lauka history --confirm "
                              "builds both commits and "
                              "measures them in turns");
    for (size_t i = 0; i < history->series_count; i++)
        if (history->series[i].is_searched && history->series[i].count > LAUKA_LEVELS_WINDOW &&
            history->series[i].kind != LAUKA_HISTORY_EXACT) {
            lauka_put_note(
                prose, lauka_say(prose, "steps are searched in the newest %d points of a series",
                                 LAUKA_LEVELS_WINDOW));
            break;
        }
}

int lauka_history_show(const struct lauka_history *history, struct lauka_terminal terminal,
                       FILE *out)
{
    static const struct lauka_sheet_column columns[COLUMNS] = {
        [COLUMN_SUBJECT] = {.rank = 1}, [COLUMN_LEVELS] = {.rank = 2}, [COLUMN_DATE] = {.rank = 3}};
    struct lauka_prose prose = lauka_prose_begin(out, terminal);
    struct lauka_sheet sheet;

    lauka_sheet_make(&sheet, columns, COLUMNS, &prose);
    for (size_t i = 0; i < history->step_count; i++)
        if (lauka_history_is_shown(&history->steps[i]))
            put_step(history, &history->steps[i], &sheet);
    lauka_sheet_measure(&sheet);
    lauka_sheet_cut(&sheet, COLUMN_SUBJECT, 12);
    lauka_sheet_fit(&sheet);
    lauka_sheet_cut(&sheet, COLUMN_NAME, 12);
    lauka_sheet_write(&sheet);
    lauka_put(&prose, "%s\n", lauka_history_sum(&prose, history));
    put_notes(&prose, history);
    return lauka_prose_end(&prose);
}
