/* The gate in GitHub's Markdown: a word and a mark for the verdict, and one row for each limit. */
#include "report/markdown/markdown.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/words/words.h"

#include <stdio.h>
#include <string.h>

/* A mark beside each word, never instead of it. */
static const char *mark_of(const char *word)
{
    return strcmp(word, "FAIL") == 0           ? "❌ "
           : strcmp(word, "pass") == 0         ? "✅ "
           : strcmp(word, "inconclusive") == 0 ? "⚠️ "
                                               : "☑️ ";
}

static void put_row(const struct lauka_result *result, const struct lauka_gate_row *row, FILE *out)
{
    struct lauka_gate_cells cells;
    lauka_gate_row_cells(result, row, true, &cells);
    fprintf(out, "| %s%s | ", mark_of(lauka_gate_row_sign(result, row)),
            cells.text[LAUKA_GATE_CELL_VERDICT]);
    lauka_markdown_put_code(cells.text[LAUKA_GATE_CELL_METRIC], true, out);
    if (result->gate.tried)
        fprintf(out, " | %s", cells.text[LAUKA_GATE_CELL_COMMAND]);
    else if (result->command_count > 2) {
        fputs(" | ", out);
        lauka_markdown_put_code(result->commands[row->command].label, true, out);
    }
    fprintf(out, " | %s | %s | ", cells.text[LAUKA_GATE_CELL_CHANGE],
            cells.text[LAUKA_GATE_CELL_LIMIT]);
    lauka_markdown_prose(cells.text[LAUKA_GATE_CELL_REMARK], out);
    fputs(" |\n", out);
}

void lauka_markdown_gate(const struct lauka_result *result, bool within, FILE *out)
{
    const struct lauka_result_gate *gate = &result->gate;
    bool names_commands = result->command_count > 2;
    char text[1024];
    lauka_gate_headline(result, true, text, sizeof text);
    fprintf(out, "%s%s%s%s\n\n", within ? "**" : "### ", mark_of(lauka_gate_word(result)), text,
            within ? "**" : "");
    if (gate->row_count > 0)
        fprintf(out,
                "| Verdict | Metric |%s %s, %.3g\u00A0%% interval | Limit | "
                "|\n|:--|:--|%s--:|--:|:--|\n",
                names_commands ? " Command |" : "", lauka_gate_figures(result),
                100 * (1 - lauka_gate_alpha(result)), names_commands ? ":--|" : "");
    for (size_t i = 0; i < gate->row_count; i++)
        put_row(result, &gate->rows[i], out);
    fputc('\n', out);
    for (size_t place = 0; lauka_gate_next_note(result, true, &place, text, sizeof text);) {
        fputs("> note: ", out);
        lauka_markdown_prose(text, out);
        fputs("\n\n", out);
    }
}
