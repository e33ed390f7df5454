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

enum { INDENT = 6 /* behind "note: " */ };

struct page {
    const struct lauka_result *result;
    struct lauka_terminal terminal;
    FILE *out;
};

static int say(const struct page *page, int indent, const char *text)
{
    return lauka_print_wrapped(text, indent, page->terminal.width, page->terminal.utf8, page->out);
}

static int say_note(const struct page *page, const char *text)
{
    lauka_put_styled("note:", LAUKA_STYLE_HEADING, page->terminal, page->out);
    fputc(' ', page->out);
    return say(page, INDENT, text);
}

static int say_said(const struct page *page, const struct lauka_said *said)
{
    char own[LAUKA_SUBJECT_SIZE], reference[LAUKA_SUBJECT_SIZE];
    lauka_result_subject(page->result, said->command, page->terminal.utf8, own);
    lauka_result_subject(page->result, 0, page->terminal.utf8, reference);
    char *text = lauka_said_text(said, own, reference);
    int error = !text                           ? ENOMEM
                : said->kind < LAUKA_SAID_DOUBT ? say(page, 0, text)
                                                : say_note(page, text);
    free(text);
    return error;
}

/* What was never measured is said of the reference, too. */
static int say_answers(const struct page *page)
{
    struct lauka_said said = {0};
    char text[2048];
    int error = 0;
    if (page->result->run.rounds == 0 && page->result->command_count > 1) {
        lauka_result_sentence(page->result, 0, page->terminal.utf8, text, sizeof text);
        error = say(page, 0, text);
    }
    while (!error && lauka_said_next_answer(page->result, page->terminal.utf8, &said))
        error = say_said(page, &said);
    return error;
}

/* For many commands: the best one, or how many there are of each kind. */
static int say_summary(const struct page *page)
{
    struct lauka_said said = {0};
    char text[LAUKA_SUBJECT_SIZE + 200];
    size_t best;
    int error = 0;
    if (!lauka_result_best(page->result, &best)) {
        lauka_summary_sentence(page->result, page->terminal.utf8, text, sizeof text);
        return say(page, 0, text);
    }
    while (!error && lauka_said_next_answer(page->result, page->terminal.utf8, &said))
        if (said.command == best)
            error = say_said(page, &said);
    return error;
}

static int say_course(const struct page *page)
{
    char text[512];
    lauka_result_course(page->result, page->terminal.utf8, text, sizeof text);
    lauka_style_begin(LAUKA_STYLE_SECONDARY, page->terminal, page->out);
    int error = say(page, 0, text);
    lauka_style_end(LAUKA_STYLE_SECONDARY, page->terminal, page->out);
    return error;
}

int lauka_write_answers(const struct lauka_result *result, struct lauka_terminal terminal,
                        FILE *out)
{
    struct page page = {result, terminal, out};
    return say_answers(&page);
}

int lauka_write_answer(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out)
{
    struct page page = {result, terminal, out};
    return lauka_result_has_noise(result) ? say_answers(&page) : say_summary(&page);
}

/* As many clauses as fit into two lines, or the first of them. */
static void cut_clauses(char *text, int width)
{
    for (char *end = strrchr(text, ';'); end; end = strrchr(text, ';')) {
        if (lauka_display_width(text) <= 2 * (width - INDENT) - INDENT)
            return;
        *end = 0;
    }
}

int lauka_write_notes(const struct lauka_result *result, size_t most, enum lauka_brevity brevity,
                      struct lauka_terminal terminal, FILE *out)
{
    struct page page = {result, terminal, out};
    struct lauka_notes notes;
    int error = lauka_notes_make(result, terminal.utf8, &notes);
    size_t told = 0, last = terminal.is_screen ? notes.circumstances : notes.count;
    for (; told < last && (told < most || told < notes.pressing) && !error; told++) {
        bool pressing = told < notes.pressing;
        if (!pressing && brevity != LAUKA_NOTES_WHOLE)
            cut_clauses(notes.texts[told], terminal.width);
        if (!pressing && brevity == LAUKA_NOTES_TIGHT && told > 0 &&
            lauka_display_width(notes.texts[told]) > terminal.width - INDENT)
            break;
        error = say_note(&page, notes.texts[told]);
    }
    char more[80];
    snprintf(more, sizeof more, "%zu more note%s with --full", notes.count - told,
             notes.count - told == 1 ? "" : "s");
    if (!error && notes.count > told)
        error = say(&page, 0, more);
    lauka_notes_done(&notes);
    return error;
}

int lauka_write_course(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out)
{
    struct page page = {result, terminal, out};
    return say_course(&page);
}

int lauka_write_remarks(const struct lauka_result *result, struct lauka_terminal terminal,
                        FILE *out)
{
    struct page page = {result, terminal, out};
    struct lauka_said said = {0};
    int error = 0;
    while (!error && lauka_said_next_remark(result, terminal.utf8, &said))
        error = say_said(&page, &said);
    return error ? error : say_course(&page);
}
