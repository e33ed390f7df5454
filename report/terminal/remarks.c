/* What is said around the table: the answers above it; below it what speaks against them, the notes, and
 * how the session went. */
#include "report/terminal/terminal.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "report/words/said.h"
#include "report/words/words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int say_said(const struct lauka_result *result, const struct lauka_said *said,
                    struct lauka_terminal terminal, FILE *out)
{
    char own[LAUKA_SUBJECT_SIZE], reference[LAUKA_SUBJECT_SIZE];
    lauka_result_subject(result, said->command, terminal.utf8, own);
    lauka_result_subject(result, 0, terminal.utf8, reference);
    char *text = lauka_said_text(said, own, reference);
    int error = !text ? ENOMEM
                : said->kind < LAUKA_SAID_DOUBT
                    ? lauka_put_paragraph(text, 0, LAUKA_STYLE_PLAIN, terminal, out)
                    : lauka_put_note(text, terminal, out);
    free(text);
    return error;
}

/* What was never measured is said of the reference, too. */
int lauka_write_answers(const struct lauka_result *result, struct lauka_terminal terminal,
                        FILE *out)
{
    struct lauka_said said = {0};
    char text[2048];
    int error = 0;
    if (result->run.rounds == 0 && result->command_count > 1) {
        lauka_result_sentence(result, 0, terminal.utf8, text, sizeof text);
        error = lauka_put_paragraph(text, 0, LAUKA_STYLE_PLAIN, terminal, out);
    }
    while (!error && lauka_said_next_answer(result, terminal.utf8, &said))
        error = say_said(result, &said, terminal, out);
    return error;
}

/* The best one, or how many there are of each kind. */
int lauka_write_answer(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out)
{
    struct lauka_said said = {0};
    char text[LAUKA_SUBJECT_SIZE + 200];
    size_t best;
    int error = 0;
    if (lauka_result_has_noise(result))
        return lauka_write_answers(result, terminal, out);
    if (!lauka_result_best(result, &best)) {
        lauka_summary_sentence(result, terminal.utf8, text, sizeof text);
        return lauka_put_paragraph(text, 0, LAUKA_STYLE_PLAIN, terminal, out);
    }
    while (!error && lauka_said_next_answer(result, terminal.utf8, &said))
        if (said.command == best)
            error = say_said(result, &said, terminal, out);
    return error;
}

int lauka_write_more(size_t count, const char *what, struct lauka_terminal terminal, FILE *out)
{
    char text[80];
    snprintf(text, sizeof text, "%zu more %.20s%s with --full", count, what, count == 1 ? "" : "s");
    return count == 0 ? 0 : lauka_put_paragraph(text, 0, LAUKA_STYLE_PLAIN, terminal, out);
}

/* As many clauses as fit into two lines, or the first of them. */
static void cut_clauses(char *text, int width)
{
    for (char *end = strrchr(text, ';'); end; end = strrchr(text, ';')) {
        if (lauka_display_width(text) <= 2 * (width - LAUKA_NOTE_INDENT) - LAUKA_NOTE_INDENT)
            return;
        *end = 0;
    }
}

int lauka_write_notes(const struct lauka_result *result, size_t most, enum lauka_brevity brevity,
                      struct lauka_terminal terminal, FILE *out)
{
    struct lauka_notes notes;
    int error = lauka_notes_make(result, terminal.utf8, &notes);
    size_t told = 0, last = terminal.is_screen ? notes.circumstances : notes.count;
    for (; told < last && (told < most || told < notes.pressing) && !error; told++) {
        bool pressing = told < notes.pressing;
        if (!pressing && brevity != LAUKA_NOTES_WHOLE)
            cut_clauses(notes.texts[told], terminal.width);
        if (!pressing && brevity == LAUKA_NOTES_TIGHT && told > 0 &&
            lauka_display_width(notes.texts[told]) > terminal.width - LAUKA_NOTE_INDENT)
            break;
        error = lauka_put_note(notes.texts[told], terminal, out);
    }
    error = error ? error : lauka_write_more(notes.count - told, "note", terminal, out);
    lauka_notes_done(&notes);
    return error;
}

int lauka_write_course(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out)
{
    char text[512];
    lauka_result_course(result, terminal.utf8, text, sizeof text);
    return lauka_put_paragraph(text, 0, LAUKA_STYLE_SECONDARY, terminal, out);
}

int lauka_write_remarks(const struct lauka_result *result, struct lauka_terminal terminal,
                        FILE *out)
{
    struct lauka_said said = {0};
    int error = 0;
    while (!error && lauka_said_next_remark(result, terminal.utf8, &said))
        error = say_said(result, &said, terminal, out);
    return error ? error : lauka_write_course(result, terminal, out);
}
