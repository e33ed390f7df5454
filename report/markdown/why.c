/* Which functions made the difference, in Markdown: five of them, folded away. */
#include "report/markdown/markdown.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "report/words/calls.h"
#include "report/words/sampled.h"
#include "report/words/why.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 5 };

static void put_row(const struct lauka_why_row *row, FILE *out)
{
    char *name = row->is_name ? lauka_markdown_code(row->text[LAUKA_WHY_NAME], true) : NULL;
    char *place =
        *row->text[LAUKA_WHY_PLACE] ? lauka_markdown_code(row->text[LAUKA_WHY_PLACE], true) : NULL;
    fputs("| ", out);
    lauka_markdown_unbroken(row->text[LAUKA_WHY_CHANGE], out);
    fprintf(out, " | %s | %s | ", name ? name : row->text[LAUKA_WHY_NAME], place ? place : "");
    lauka_markdown_prose(row->text[LAUKA_WHY_SIDES], out);
    fputs(" |\n", out);
    free(name);
    free(place);
}

static void put_line(const char *text, FILE *out)
{
    fputc('\n', out);
    lauka_markdown_prose(text, out);
    fputc('\n', out);
}

/* A reason quotes a command as others wrote it. */
static void put_sentence(const struct lauka_result *result, const struct lauka_why *why, FILE *out)
{
    char text[8192];
    char *name = lauka_markdown_name(result, why->command, false);
    char *reference = lauka_markdown_name(result, 0, false);
    lauka_why_sentence(why, name ? name : "?", reference ? reference : "?", true, text,
                       sizeof text);
    if (why->standing == LAUKA_WHY_UNKNOWN)
        put_line(text, out);
    else
        fprintf(out, "\n%s\n", text);
    free(name);
    free(reference);
}

static void put_why(const struct lauka_result *result, const struct lauka_why *why,
                    struct lauka_why_row *rows, FILE *out)
{
    char text[4096];
    size_t count = lauka_why_rows(why, LINES, true, rows);
    put_sentence(result, why, out);
    if (count > 0)
        fputs("\n| instructions | function | where | |\n| ---: | :--- | :--- | :--- |\n", out);
    for (size_t r = 0; r < count; r++)
        put_row(&rows[r], out);
    if (lauka_why_cycles(why, true, text, sizeof text))
        put_line(text, out);
    if (lauka_why_advice(why, true, text, sizeof text))
        put_line(text, out);
}

/* Rows only where nothing was counted. */
static void put_sampled(const struct lauka_result *result, const struct lauka_sampled *sampled,
                        struct lauka_why_row *rows, FILE *out)
{
    char text[4096];
    char *name = lauka_markdown_name(result, sampled->command, false);
    bool alone = !lauka_counted_of(result, sampled->command);
    size_t count = alone ? lauka_sampled_rows(sampled, LINES, true, rows) : 0;
    lauka_sampled_sentence(result, sampled, true, text, sizeof text);
    fprintf(out, "\n%s%s", alone && name ? name : "", alone && name ? ": " : "");
    lauka_markdown_prose(text, out);
    fputc('\n', out);
    if (count > 0)
        fputs("\n| share | function | where | |\n| ---: | :--- | :--- | :--- |\n", out);
    for (size_t r = 0; r < count; r++)
        put_row(&rows[r], out);
    if (sampled->standing != LAUKA_SAMPLED_NOT_KNOWN)
        put_line(lauka_sampled_setting(result, sampled, text, sizeof text), out);
    if (lauka_sampled_advice(sampled, true, text, sizeof text))
        put_line(text, out);
    free(name);
}

int lauka_markdown_why(const struct lauka_result *result, FILE *out)
{
    if (!lauka_result_tells_why(result))
        return 0;
    struct lauka_why_row *rows = calloc(LAUKA_WHY_ROWS_MOST, sizeof *rows);
    if (!rows)
        return ENOMEM;
    fputs("<details><summary>Why: which functions made the difference</summary>\n", out);
    for (size_t c = 1; c < result->command_count; c++) {
        char text[2048];
        const struct lauka_why *why = lauka_counted_of(result, c);
        const struct lauka_sampled *sampled = lauka_sampled_of(result, c);
        if (why)
            put_why(result, why, rows, out);
        if (lauka_calls_sentence(result, c, true, text, sizeof text))
            put_line(text, out);
        if (sampled)
            put_sampled(result, sampled, rows, out);
    }
    fputs("\n</details>\n\n", out);
    free(rows);
    return 0;
}
