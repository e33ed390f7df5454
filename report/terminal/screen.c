/* The screen of one benchmark, which should be visible at once. As long as there is room, what else
 * changed has its own groups, and notes are complete; otherwise they get one line. */
#include "report/terminal/screen.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/terminal/terminal.h"
#include "report/text/text.h"
#include "report/words/words.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTES_MOST = 2, ROWS_MOST = 12, ROWS_FEW = 5, LINES = 24, LINES_OF_THREE = 30 };

/* ---- the parts ------------------------------------------------------------------------------- */

static int write_body(const struct lauka_screen *screen)
{
    int error = screen->result->run.rounds > 0 ? lauka_screen_groups(screen) : 0;
    return error ? error : lauka_screen_folds(screen);
}

/* A blank line before them, where there are any. */
static int write_notes(const struct lauka_screen *screen)
{
    struct lauka_notes notes;
    int error = lauka_notes_make(screen->result, screen->terminal.utf8, &notes);
    if (!error && notes.count > 0)
        fputc('\n', screen->out);
    lauka_notes_done(&notes);
    return error ? error
                 : lauka_write_notes(screen->result, NOTES_MOST, screen->brevity, screen->terminal,
                                     screen->out);
}

static int write_answers(const struct lauka_screen *screen)
{
    const struct lauka_result *result = screen->result;
    int error = 0;
    if (lauka_result_has_gate(result))
        error = lauka_write_gate(result, screen->terminal, screen->out);
    if (error)
        return error;
    return result->command_count > LAUKA_SCREEN_GROUPED
               ? lauka_write_answer(result, screen->terminal, screen->out)
               : lauka_write_answers(result, screen->terminal, screen->out);
}

static int write_last(const struct lauka_screen *screen)
{
    int error = write_body(screen);
    error = error ? error : write_notes(screen);
    fputc('\n', screen->out);
    error = error ? error : write_answers(screen);
    return error ? error : lauka_write_course(screen->result, screen->terminal, screen->out);
}

static int write_first(const struct lauka_screen *screen)
{
    int error = write_answers(screen);
    fputc('\n', screen->out);
    error = error ? error : write_body(screen);
    error = error ? error : write_notes(screen);
    fputc('\n', screen->out);
    return error ? error : lauka_write_course(screen->result, screen->terminal, screen->out);
}

/* ---- which metrics are told in full ---------------------------------------------------------- */

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

/* Owned by the caller; NULL if there is no memory. */
static char *written(struct lauka_screen *screen)
{
    char *text = NULL;
    size_t size = 0;
    screen->out = open_memstream(&text, &size);
    if (!screen->out)
        return NULL;
    int error = screen->terminal.is_screen ? write_last(screen) : write_first(screen);
    if (fclose(screen->out) == 0 && !error)
        return text;
    free(text);
    return NULL;
}

static int lines_of(const char *text)
{
    int lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static bool has_room(const struct lauka_screen *screen, const char *text)
{
    return lines_of(text) <= (screen->result->command_count > 2 ? LINES_OF_THREE : LINES);
}

/* The first of them, from long to short, that fits; or the shortest. Of two commands the second note may have to
 * wait for --full; not where notes say which of the files' commands are compared. NULL without memory. */
static char *written_short(struct lauka_screen *screen)
{
    const struct lauka_result *result = screen->result;
    bool two = result->command_count == 2 && result->run.stopped != LAUKA_STOPPED_STORED;
    char *text = written(screen);
    for (int step = 0; text && step < 2 + two && !has_room(screen, text); step++) {
        free(text);
        screen->brevity = step == 2 ? LAUKA_NOTES_TIGHT : LAUKA_NOTES_SHORT;
        screen->most_rows = step == 0 ? ROWS_MOST : ROWS_FEW;
        text = written(screen);
    }
    return text;
}

/* As long as there is room, shows changes in full, the largest first. */
static char *written_long(struct lauka_screen *screen, char *text)
{
    while (text && screen->brevity == LAUKA_NOTES_WHOLE && has_room(screen, text) &&
           choose_next(screen)) {
        char *longer = written(screen);
        bool good = longer && has_room(screen, longer);
        free(good || !longer ? text : longer);
        if (!good)
            return longer ? text : NULL;
        text = longer;
    }
    return text;
}

int lauka_write_screen(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out)
{
    bool many = result->command_count > LAUKA_SCREEN_GROUPED;
    struct lauka_screen screen = {.result = result,
                                  .terminal = terminal,
                                  .most_rows = many ? ROWS_FEW : ROWS_MOST,
                                  .brevity = many ? LAUKA_NOTES_SHORT : LAUKA_NOTES_WHOLE};
    errno = 0;
    screen.in_full = calloc(result->metric_count + 1, sizeof *screen.in_full);
    if (!screen.in_full)
        return ENOMEM;
    choose_metrics(&screen);
    char *text = many ? written(&screen) : written_short(&screen);
    if (!many)
        text = written_long(&screen, text);
    if (text)
        lauka_print_folded(text, terminal.width, out);
    free(screen.in_full);
    if (!text)
        return ENOMEM;
    free(text);
    return lauka_finish(out);
}
