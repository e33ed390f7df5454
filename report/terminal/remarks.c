/* What is said around the table: the answers above it; below it what speaks against them, the notes, and
 * how the session went. */
#include "report/terminal/terminal.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <stdio.h>
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

/* Each kind once. */
static int say_doubts(const struct page *page)
{
    int error = 0;
    for (size_t doubt = 0; doubt < LAUKA_DOUBT_COUNT && !error; doubt++) {
        struct lauka_doubt_said said;
        char text[1024];
        if (!lauka_result_worst_doubt(page->result, (enum lauka_doubt)doubt, &said))
            continue;
        lauka_doubt_sentence(page->result, &said, page->terminal.utf8, text, sizeof text);
        error = say_note(page, text);
    }
    return error;
}

static int say_notes(const struct page *page)
{
    const struct lauka_result *result = page->result;
    bool estimates = lauka_result_has_estimates(result);
    int error = estimates ? say_note(page, LAUKA_ESTIMATES_NOTE) : 0;
    char steps[512];
    if (!error && *lauka_result_steps_note(result, steps, sizeof steps))
        error = say_note(page, steps);
    for (size_t w = 0; w < result->warning_count && !error; w++)
        error = say_note(page, result->warnings[w]);
    return error;
}

static int say_same(const struct page *page, size_t command)
{
    char name[LAUKA_SUBJECT_SIZE], reference[LAUKA_SUBJECT_SIZE], text[1024];
    lauka_result_subject(page->result, command, page->terminal.utf8, name);
    lauka_result_subject(page->result, 0, page->terminal.utf8, reference);
    return lauka_same_sentence(page->result, command, name, reference, text, sizeof text)
               ? say(page, 0, text)
               : 0;
}

static int say_sentence(const struct page *page, size_t command)
{
    char text[2048];
    lauka_result_sentence(page->result, command, page->terminal.utf8, text, sizeof text);
    int error = say(page, 0, text);
    return error ? error : say_same(page, command);
}

static int say_best(const struct page *page)
{
    size_t best;
    if (!lauka_result_best(page->result, &best))
        return 0;
    char name[LAUKA_SUBJECT_SIZE], text[LAUKA_SUBJECT_SIZE + 64];
    lauka_result_subject(page->result, best, page->terminal.utf8, name);
    lauka_best_sentence(page->result, name, text, sizeof text);
    return say(page, 0, text);
}

/* The reference alone is not described if the others are compared with it. */
static int say_sentences(const struct page *page)
{
    const struct lauka_result *result = page->result;
    bool compared = result->command_count > 1 && result->run.rounds > 0;
    int error = 0;
    for (size_t c = compared; c < result->command_count && !error; c++)
        error = say_sentence(page, c);
    return error ? error : say_best(page);
}

/* For many commands: the best one, or how many there are of each kind. */
static int say_summary(const struct page *page)
{
    char text[LAUKA_SUBJECT_SIZE + 200];
    size_t best;
    bool clear = lauka_result_best(page->result, &best);
    int error = clear && best > 0 ? say_sentence(page, best) : 0;
    if (error || clear)
        return error ? error : say_best(page);
    lauka_summary_sentence(page->result, page->terminal.utf8, text, sizeof text);
    return say(page, 0, text);
}

/* What `lauka noise` was asked for. */
static int say_noise(const struct page *page)
{
    const struct lauka_result *result = page->result;
    char name[LAUKA_SUBJECT_SIZE];
    int error = 0;
    lauka_result_subject(result, 0, page->terminal.utf8, name);
    for (size_t m = 0; m < result->metric_count && !error; m++) {
        char text[1024];
        if (!lauka_is_noise_told(result, m))
            continue;
        lauka_noise_sentence(result, m, name, page->terminal.utf8, text, sizeof text);
        error = say(page, 0, text);
    }
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
    return lauka_result_has_noise(result) ? say_noise(&page) : say_sentences(&page);
}

int lauka_write_answer(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out)
{
    struct page page = {result, terminal, out};
    return lauka_result_has_noise(result) ? say_noise(&page) : say_summary(&page);
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
    int error = say_doubts(&page);
    error = error ? error : say_notes(&page);
    return error ? error : say_course(&page);
}
