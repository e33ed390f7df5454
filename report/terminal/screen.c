/* The screen of one benchmark, which should be visible at once. As long as there is room, what else
 * changed has its own groups, and notes are complete; otherwise they get one line. */
#include "report/terminal/screen.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/terminal/terminal.h"
#include "report/text/prose.h"
#include "report/words/words.h"

#include <math.h>
#include <string.h>

enum { NOTES_MOST = 2, ROWS_MOST = 12, ROWS_FEW = 5, LINES = 24, LINES_OF_THREE = 30 };

/* ---- the parts ------------------------------------------------------------------------------- */

static void put_body(const struct lauka_screen *screen)
{
    if (screen->result->run.rounds > 0)
        lauka_screen_groups(screen);
    lauka_screen_folds(screen);
    lauka_put_notes(screen->prose, screen->result, NOTES_MOST, screen->brevity);
    lauka_put(screen->prose, "\n");
}

static void put_answers(const struct lauka_screen *screen)
{
    const struct lauka_result *result = screen->result;
    if (lauka_result_has_gate(result))
        lauka_put_gate(screen->prose, result);
    if (result->command_count > LAUKA_SCREEN_GROUPED)
        lauka_put_answer(screen->prose, result);
    else
        lauka_put_answers(screen->prose, result);
}

/* ---- which metrics are shown in full ---------------------------------------------------------- */

/* The size of its largest change; a change without a ratio counts as the largest; negative: nothing
 * changed. */
static double change_of(const struct lauka_result *result, size_t metric)
{
    double largest = -1;
    for (size_t c = 1; c < result->command_count; c++) {
        const struct lauka_comparison *values = lauka_result_comparison(result, c, metric);
        if (lauka_screen_finding(result, c, metric) != LAUKA_FINDING_CHANGED)
            continue;
        double size = values->log_ratio.known ? fabs(values->log_ratio.value) : HUGE_VAL;
        largest = size > largest ? size : largest;
    }
    return largest;
}

/* Whether a limit is about it: then it decides. */
static bool is_gated(const struct lauka_result *result, size_t metric)
{
    for (size_t i = 0; i < result->gate.row_count; i++)
        if (result->gate.rows[i].metric == metric)
            return true;
    return false;
}

/* What decides; of many commands the main metric, of one all that was counted. */
static void choose_metrics(struct lauka_screen *screen)
{
    const struct lauka_result *result = screen->result;
    for (size_t m = 0; m < result->metric_count; m++) {
        bool wanted = result->command_count == 1 ? lauka_result_is_shown(result, m)
                      : result->command_count > LAUKA_SCREEN_GROUPED
                          ? m == lauka_result_main_metric(result)
                          : result->metrics[m].primary || is_gated(result, m);
        screen->in_full[m] = wanted && lauka_result_view(result, 0, m).counted;
    }
}

/* Shows in full the largest change that is not shown so yet; false if there is none. */
static bool choose_next(struct lauka_screen *screen)
{
    const struct lauka_result *result = screen->result;
    size_t next = result->metric_count;
    double largest = -1;
    for (size_t m = 0; m < result->metric_count; m++) {
        if (screen->in_full[m] || !lauka_result_is_shown(result, m))
            continue;
        double size = change_of(result, m);
        if (size >= 0 && size > largest) {
            largest = size;
            next = m;
        }
    }
    if (next < result->metric_count)
        screen->in_full[next] = true;
    return next < result->metric_count;
}

/* ---- how much of it there is room for -------------------------------------------------------- */

static const char *written(struct lauka_screen *screen)
{
    struct lauka_prose *prose = screen->prose;
    lauka_prose_capture(prose);
    if (prose->terminal.is_screen) {
        put_body(screen);
        put_answers(screen);
    } else {
        put_answers(screen);
        lauka_put(prose, "\n");
        put_body(screen);
    }
    lauka_put_course(prose, screen->result);
    return lauka_prose_captured(prose);
}

static bool has_room(const struct lauka_screen *screen, const char *text)
{
    int lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines <= (screen->result->command_count > 2 ? LINES_OF_THREE : LINES);
}

/* The first of them, from long to short, that fits; or the shortest. Of two commands the second note may have to
 * wait for --full; not where notes say which of the files' commands are compared. */
static const char *written_short(struct lauka_screen *screen)
{
    const struct lauka_result *result = screen->result;
    bool two = result->command_count == 2 && result->run.stopped != LAUKA_STOPPED_STORED;
    const char *text = written(screen);
    for (int step = 0; step < 2 + two && !has_room(screen, text); step++) {
        screen->brevity = step == 2 ? LAUKA_NOTES_TIGHT : LAUKA_NOTES_SHORT;
        screen->most_rows = step == 0 ? ROWS_MOST : ROWS_FEW;
        text = written(screen);
    }
    return text;
}

/* As long as there is room, shows changes in full, the largest first. */
static const char *written_long(struct lauka_screen *screen, const char *text)
{
    while (screen->brevity == LAUKA_NOTES_WHOLE && has_room(screen, text) && choose_next(screen)) {
        const char *longer = written(screen);
        if (!has_room(screen, longer))
            return text;
        text = longer;
    }
    return text;
}

int lauka_write_screen(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out)
{
    bool many = result->command_count > LAUKA_SCREEN_GROUPED;
    struct lauka_prose prose = lauka_prose_begin(out, terminal);
    struct lauka_screen screen = {.prose = &prose,
                                  .result = result,
                                  .most_rows = many ? ROWS_FEW : ROWS_MOST,
                                  .brevity = many ? LAUKA_NOTES_SHORT : LAUKA_NOTES_WHOLE};
    screen.in_full = lauka_prose_room(&prose, result->metric_count + 1, sizeof *screen.in_full);
    if (screen.in_full) {
        choose_metrics(&screen);
        const char *text = many ? written(&screen) : written_long(&screen, written_short(&screen));
        if (!prose.error)
            lauka_put_folded(&prose, text);
    }
    return lauka_prose_end(&prose);
}
