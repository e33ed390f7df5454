/* The blocks of a page in Markdown that stand beside its main table: the gate, hosts, percentiles, functions. */
#include "report/markdown/markdown.h"
#include "report/analysis/analysis.h"
#include "report/plot/plot.h"
#include "report/result/merged.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/said.h"
#include "report/words/why.h"
#include "report/words/words.h"

#include <inttypes.h>
#include <string.h>

/* ---- the gate -------------------------------------------------------------------------------- */

/* A mark beside each word, never instead of it. */
static const char *mark_of(const char *word)
{
    return strcmp(word, "FAIL") == 0           ? "❌ "
           : strcmp(word, "pass") == 0         ? "✅ "
           : strcmp(word, "inconclusive") == 0 ? "⚠️ "
                                               : "☑️ ";
}

static void put_limit(struct lauka_prose *prose, const struct lauka_result *result,
                      const struct lauka_gate_row *row)
{
    struct lauka_gate_cells cells = lauka_gate_row_cells(prose, result, row);
    const char *command = "";
    if (result->gate.tried)
        command = lauka_say(prose, " | %s", cells.text[LAUKA_GATE_CELL_COMMAND]);
    else if (result->command_count > 2)
        command = lauka_say(prose, " | %s", lauka_markdown_name(prose, result, row->command, true));
    lauka_put(prose, "| %s%s | %s%s | %s | %s | %s |\n", mark_of(lauka_gate_row_sign(result, row)),
              cells.text[LAUKA_GATE_CELL_VERDICT],
              lauka_markdown_code(prose, cells.text[LAUKA_GATE_CELL_METRIC], true), command,
              cells.text[LAUKA_GATE_CELL_CHANGE], cells.text[LAUKA_GATE_CELL_LIMIT],
              lauka_markdown_prose(prose, cells.text[LAUKA_GATE_CELL_REMARK]));
}

void lauka_markdown_gate(struct lauka_prose *prose, const struct lauka_result *result, bool within)
{
    const struct lauka_result_gate *gate = &result->gate;
    bool names_commands = result->command_count > 2;
    const char *headline = lauka_gate_headline(prose, result);
    lauka_put(prose, "%s%s%s%s\n\n", within ? "**" : "### ", mark_of(lauka_gate_word(result)),
              lauka_markdown_prose(prose, headline), within ? "**" : "");
    if (gate->row_count > 0)
        lauka_put(prose,
                  "| Verdict | Metric |%s %s, %.3g\u00A0%% interval | Limit | "
                  "|\n|:--|:--|%s--:|--:|:--|\n",
                  names_commands ? " Command |" : "", lauka_gate_figures(result),
                  100 * (1 - lauka_gate_alpha(result)), names_commands ? ":--|" : "");
    for (size_t i = 0; i < gate->row_count; i++)
        put_limit(prose, result, &gate->rows[i]);
    lauka_put(prose, "\n");
    const char *note;
    for (size_t place = 0; (note = lauka_gate_next_note(prose, result, &place));)
        lauka_put(prose, "> note: %s\n\n", lauka_markdown_prose(prose, note));
}

/* ---- hosts ----------------------------------------------------------------------------------- */

/* Who disagrees with what is said of all stands out. */
static void put_host(struct lauka_prose *prose, const struct lauka_host_line *line)
{
    const char *weight = line->disagrees ? "**" : "";
    lauka_put(prose, "| %s | %" PRIu64 " | %s | %s%s%s |\n",
              lauka_markdown_code(prose, line->name, true), line->rounds,
              lauka_markdown_change(prose, line->change.estimate, line->change.interval), weight,
              line->verdict, weight);
}

static void put_hosts_of(struct lauka_prose *prose, const struct lauka_result *result,
                         size_t command, size_t metric)
{
    const size_t count = result->merged.host_count;
    lauka_put(prose,
              "<details><summary>%s of %s on each of %zu hosts</summary>\n\n"
              "| Host | Rounds | Change | Verdict |\n|:--|--:|--:|:--|\n",
              lauka_markdown_element(prose, result->metrics[metric].name),
              lauka_markdown_element(prose, lauka_say_name(prose, result, command)), count);
    for (size_t h = 0; h < count && h < LAUKA_HOSTS_SHOWN; h++) {
        struct lauka_host_line line = lauka_host_line(prose, result, h, command, metric);
        put_host(prose, &line);
    }
    if (count > LAUKA_HOSTS_SHOWN)
        lauka_put(prose, "\n%zu more hosts are in the JSON.\n", count - LAUKA_HOSTS_SHOWN);
    lauka_put(prose, "\n</details>\n\n");
}

void lauka_markdown_hosts(struct lauka_prose *prose, const struct lauka_result *result)
{
    const size_t metric = lauka_result_main_metric(result);
    if (!lauka_result_has_hosts(result) || metric >= result->metric_count)
        return;
    for (size_t c = 1; c < result->command_count; c++)
        if (lauka_result_comparison(result, c, metric))
            put_hosts_of(prose, result, c, metric);
}

/* ---- percentiles ----------------------------------------------------------------------------- */

/* Of the command beside the reference, or of the only one. */
static void put_percentiles(struct lauka_prose *prose, const struct lauka_percentiles *percentiles,
                            size_t command)
{
    const struct lauka_result *result = percentiles->picture.result;
    const struct lauka_percentile_table table = lauka_percentile_table(percentiles, command);
    const char *name = lauka_markdown_name(prose, result, command, true);
    const bool compared = command > 0;
    if (table.count == 0)
        return;
    if (compared)
        lauka_put(prose,
                  "| Percentile | %s | %s | Change, %.3g\u00A0%% interval | Verdict "
                  "|\n|:--|--:|--:|--:|:--|\n",
                  lauka_markdown_name(prose, result, 0, true), name,
                  100 * lauka_result_confidence(result));
    else
        lauka_put(prose, "| Percentile | %s |\n|:--|--:|\n", name);
    for (size_t r = 0; r < table.count; r++) {
        const char *const *text = table.rows[r].text;
        if (!*text[LAUKA_PERCENTILE_LABEL]) /* the blank between percentiles and the rest */
            continue;
        if (compared)
            lauka_put(prose, "| %s | %s | %s | %s | %s |\n", text[LAUKA_PERCENTILE_LABEL],
                      text[LAUKA_PERCENTILE_REFERENCE], text[LAUKA_PERCENTILE_COMMAND],
                      lauka_markdown_change(prose, text[LAUKA_PERCENTILE_CHANGE],
                                            text[LAUKA_PERCENTILE_INTERVAL]),
                      text[LAUKA_PERCENTILE_VERDICT]);
        else
            lauka_put(prose, "| %s | %s |\n", text[LAUKA_PERCENTILE_LABEL],
                      text[LAUKA_PERCENTILE_COMMAND]);
    }
    lauka_put(prose, "\n");
}

bool lauka_markdown_is_counted(const struct lauka_result *result, size_t metric)
{
    bool counted = false;
    for (size_t c = 0; c < result->command_count && !counted; c++)
        counted = lauka_result_view(result, c, metric).counted;
    return counted;
}

void lauka_markdown_percentiles(struct lauka_prose *prose, const struct lauka_result *result)
{
    struct lauka_percentiles percentiles;
    for (size_t m = 0; m < result->metric_count; m++) {
        if (!result->metrics[m].primary || !lauka_markdown_is_counted(result, m))
            continue;
        if (!lauka_percentiles_of(prose, result, m, &percentiles))
            return;
        const char *unit = lauka_result_scale(result, m, true).suffix;
        lauka_put(prose, "<details><summary>Percentiles of %s%s%s</summary>\n\n",
                  lauka_markdown_element(prose, result->metrics[m].name), *unit ? " in " : "",
                  unit);
        for (size_t c = result->command_count > 1; c < result->command_count; c++)
            put_percentiles(prose, &percentiles, c);
        lauka_picture_done(&percentiles.picture);
        lauka_put(prose, "</details>\n\n");
    }
}

/* ---- which functions made the difference ----------------------------------------------------- */

enum { FUNCTIONS = 5 };

static void put_function(struct lauka_prose *prose, const struct lauka_why_row *row)
{
    const char *name = row->text[LAUKA_WHY_NAME], *place = row->text[LAUKA_WHY_PLACE];
    lauka_put(prose, "| %s | %s | %s | %s |\n",
              lauka_markdown_unbroken(prose, row->text[LAUKA_WHY_CHANGE]),
              row->is_name ? lauka_markdown_code(prose, name, true) : name,
              *place ? lauka_markdown_code(prose, place, true) : "",
              lauka_markdown_prose(prose, lauka_why_sides(prose, row)));
}

/* Rows of samples only where nothing was counted. */
static void put_why_part(struct lauka_prose *prose, const struct lauka_result *result,
                         size_t command, const struct lauka_why_part *part)
{
    const bool counted = part->kind == LAUKA_WHY_COUNTED, sampled = part->kind == LAUKA_WHY_SAMPLED;
    const char *name = lauka_markdown_name(prose, result, command, false);
    if (counted)
        lauka_put(prose, "\n%s\n",
                  lauka_with_names(prose, part->text, name,
                                   lauka_markdown_name(prose, result, 0, false), NULL));
    else
        lauka_put(prose, "\n%s%s%s\n", sampled && !part->beside ? name : "",
                  sampled && !part->beside ? ": " : "", lauka_markdown_prose(prose, part->text));
    if (part->row_count == 0 || part->beside)
        return;
    lauka_put(prose, "\n| %s | function | where | |\n| ---: | :--- | :--- | :--- |\n",
              counted ? "instructions" : "share");
    for (size_t r = 0; r < part->row_count; r++)
        put_function(prose, &part->rows[r]);
}

void lauka_markdown_why(struct lauka_prose *prose, const struct lauka_result *result)
{
    struct lauka_why_part part;
    if (!lauka_result_tells_why(result))
        return;
    lauka_put(prose, "<details><summary>Why: which functions made the difference</summary>\n");
    for (size_t c = 1; c < result->command_count; c++)
        for (size_t place = 0; lauka_why_next(prose, result, c, FUNCTIONS, &place, &part);)
            put_why_part(prose, result, c, &part);
    lauka_put(prose, "\n</details>\n\n");
}
