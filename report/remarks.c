/* What is said below the table: notes, a sentence for each command, how the run went. */
#include "report/report.h"

struct page {
    const struct lauka_result *result;
    struct lauka_terminal terminal;
    FILE *out;
};

static void style(const struct page *page, const char *codes)
{
    if (page->terminal.color)
        fprintf(page->out, "\x1b[%sm", codes);
}

static int say(const struct page *page, int indent, const char *text)
{
    return lauka_print_wrapped(text, indent, page->terminal.width, page->terminal.utf8, page->out);
}

static int say_note(const struct page *page, const char *text)
{
    style(page, "1");
    fputs("note:", page->out);
    style(page, "0");
    fputc(' ', page->out);
    return say(page, 6, text);
}

static int say_notes(const struct page *page)
{
    const struct lauka_result *result = page->result;
    bool estimates = lauka_result_has_estimates(result);
    int error = estimates ? say_note(page, LAUKA_ESTIMATES_NOTE) : 0;
    for (size_t w = 0; w < result->warning_count && !error; w++)
        error = say_note(page, result->warnings[w]);
    if (estimates || result->warning_count > 0)
        fputc('\n', page->out);
    return error;
}

static int say_sentences(const struct page *page)
{
    int error = 0;
    for (size_t c = 0; c < page->result->command_count && !error; c++) {
        char text[1024];
        lauka_result_sentence(page->result, c, page->terminal.utf8, text, sizeof text);
        error = say(page, 0, text);
    }
    return error;
}

static int say_course(const struct page *page)
{
    char text[256];
    lauka_result_course(page->result, text, sizeof text);
    style(page, "2");
    int error = say(page, 0, text);
    style(page, "0");
    return error;
}

int lauka_write_remarks(const struct lauka_result *result, struct lauka_terminal terminal,
                        FILE *out)
{
    struct page page = {result, terminal, out};
    int error = say_notes(&page);
    error = error ? error : say_sentences(&page);
    return error ? error : say_course(&page);
}
