/* The blocks of the page that have words and numbers: the gate, functions, all metrics, percentiles, the session; and
 * what all of them write texts with. Cells are the same that the terminal and the pull request get. */
#include "report/html/html.h"
#include "report/analysis/analysis.h"
#include "report/html/svg.h"
#include "report/plot/plot.h"
#include "report/result/merged.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/said.h"
#include "report/words/why.h"
#include "report/words/words.h"
#include "stats/histogram.h"

#include <inttypes.h>
#include <string.h>

enum { NAME_WIDTH = 40, SESSION_WIDTH = 1000 };

/* ---- commands in the text of the page -------------------------------------------------------- */

static const char *letter_of(const struct lauka_html *html, size_t command)
{
    return lauka_say(html->prose, "<b class=\"%c\">%s</b>", command == 0 ? 'a' : 'b',
                     lauka_letter(html->prose, command));
}

/* A name that is a letter is the same letter. */
const char *lauka_html_command(const struct lauka_html *html, size_t command)
{
    struct lauka_prose *prose = html->prose;
    if (lauka_is_lettered(prose, html->result, command))
        return letter_of(html, command);
    return lauka_say(prose, "%s\u00A0<code>%s</code>", letter_of(html, command),
                     lauka_say_xml(prose, lauka_say_bare_name(prose, html->result, command)));
}

const char *lauka_html_sentence(const struct lauka_html *html, size_t command, const char *text)
{
    struct lauka_prose *prose = html->prose;
    const char *own = lauka_html_command(html, command);
    /* Its name stands in the headline. */
    const char *reference = html->result->command_count > 2 && command > 0
                                ? letter_of(html, 0)
                                : lauka_html_command(html, 0);
    return lauka_with_names(prose, text, own, reference, lauka_html_prose);
}

static void put_paragraph(const struct lauka_html *html, const char *text)
{
    lauka_put(html->prose, "<p>%s</p>\n", lauka_html_prose(html->prose, text));
}

/* ---- tables ---------------------------------------------------------------------------------- */

struct title {
    const char *text;
    bool left; /* words are aligned to the left */
};

static const char *heading(const struct lauka_html *html)
{
    return html->within ? "h3" : "h2";
}

/* It can be scrolled sideways, by keys as well, because it is wider than a telephone. */
static void open_table(struct lauka_prose *prose, const char *label, const char *style,
                       const char *caption)
{
    lauka_put(prose,
              "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"%s\">\n"
              "<table class=\"%s\">\n<caption>%s</caption>\n",
              lauka_say_xml(prose, label), style, lauka_say_xml(prose, caption));
}

static void close_table(struct lauka_prose *prose)
{
    lauka_put(prose, "</table>\n</div>\n");
}

/* The caller writes the rows, and closes them. */
static void open_rows(const struct lauka_html *html, const char *label, const char *caption,
                      const struct title *titles, size_t count)
{
    struct lauka_prose *prose = html->prose;
    open_table(prose, label, "rows", caption);
    for (size_t i = 0; i < count; i++)
        lauka_put(prose, "%s<th scope=\"col\"%s>%s</th>%s", i > 0 ? "" : "<thead><tr>",
                  titles[i].left ? " class=\"v\"" : "", lauka_say_xml(prose, titles[i].text),
                  i + 1 < count ? "" : "</tr></thead>\n<tbody>\n");
}

static void close_rows(const struct lauka_html *html)
{
    lauka_put(html->prose, "</tbody>\n");
    close_table(html->prose);
}

/* ---- the gate -------------------------------------------------------------------------------- */

/* On a telephone, a row has two lines: the verdict, the metric and the change, and below them all else. */
static void put_limit(const struct lauka_html *html, const struct lauka_gate_row *row,
                      bool remarked)
{
    struct lauka_prose *prose = html->prose;
    const struct lauka_gate_cells cells = lauka_gate_row_cells(prose, html->result, row);
    const struct lauka_mark mark = lauka_mark_of_limit(html->result, row);
    const char *texts[LAUKA_GATE_CELLS];
    for (size_t c = 0; c < LAUKA_GATE_CELLS; c++)
        texts[c] = lauka_html_prose(prose, cells.text[c]);
    lauka_put(prose,
              "<tr><th scope=\"row\">%s</th><td class=\"v b\">%s</td><td class=\"v c\">%s</td>"
              "<td class=\"v e\">%s</td><td class=\"v e\" data-t=\"limit\">%s</td>",
              lauka_html_marked(prose, mark, cells.text[LAUKA_GATE_CELL_VERDICT]),
              texts[LAUKA_GATE_CELL_METRIC], texts[LAUKA_GATE_CELL_CHANGE],
              html->result->gate.tried ? lauka_say_xml(prose, cells.text[LAUKA_GATE_CELL_COMMAND])
                                       : lauka_html_command(html, row->command),
              texts[LAUKA_GATE_CELL_LIMIT]);
    if (remarked)
        lauka_put(prose, "<td class=\"v l e\">%s</td>", texts[LAUKA_GATE_CELL_REMARK]);
    lauka_put(prose, "</tr>\n");
}

static bool has_remarks(const struct lauka_html *html)
{
    const struct lauka_result_gate *gate = &html->result->gate;
    for (size_t i = 0; i < gate->row_count; i++)
        if (*lauka_gate_row_cells(html->prose, html->result, &gate->rows[i])
                 .text[LAUKA_GATE_CELL_REMARK])
            return true;
    return false;
}

static void put_limits(const struct lauka_html *html)
{
    const struct lauka_result_gate *gate = &html->result->gate;
    const struct title titles[] = {
        {"Verdict", false},
        {"Metric", true},
        {lauka_say(html->prose, "%s, %.3g\u00A0%% interval", lauka_gate_figures(html->result),
                   100 * (1 - lauka_gate_alpha(html->result))),
         true},
        {"Command", true},
        {"Limit", true},
        {"Remark", true}};
    const bool remarked = has_remarks(html);
    open_rows(html, "Limits", "Limits", titles, sizeof titles / sizeof *titles - !remarked);
    for (size_t i = 0; i < gate->row_count; i++)
        put_limit(html, &gate->rows[i], remarked);
    close_rows(html);
}

void lauka_html_gate(const struct lauka_html *html)
{
    struct lauka_prose *prose = html->prose;
    const char *note;
    lauka_put(prose, "<section>\n<%s>%s</%s>", heading(html),
              lauka_html_prose(prose, lauka_gate_headline(prose, html->result)), heading(html));
    if (html->result->gate.row_count > 0)
        put_limits(html);
    const char *notes = "";
    for (size_t place = 0; (note = lauka_gate_next_note(prose, html->result, &place));)
        notes = lauka_say(prose, "%s<li>%s</li>\n", notes, lauka_html_prose(prose, note));
    if (*notes)
        lauka_put(prose, "<ul class=\"notes\">\n%s</ul>\n", notes);
    lauka_put(prose, "</section>\n");
}

/* ---- which functions made the difference ----------------------------------------------------- */

/* Which of its lines changed most, where they are known. */
static const char *lines_of(struct lauka_prose *prose, const struct lauka_why_function *function)
{
    const char *text = "";
    for (size_t l = 0; function && l < function->line_count; l++) {
        const struct lauka_why_line *line = &function->lines[l];
        int64_t change = lauka_why_change(line->instructions);
        text = lauka_join(prose, text, ", ",
                          lauka_say(prose, ":%" PRIu64 "\u00A0%s%" PRIu64, line->line,
                                    lauka_sign((double)change, true),
                                    change < 0 ? (uint64_t)-change : (uint64_t)change));
    }
    return text;
}

/* Of what was counted, lines are known, too. */
static void put_functions(const struct lauka_html *html, const struct lauka_why_part *part)
{
    struct lauka_prose *prose = html->prose;
    const bool counted = part->kind != LAUKA_WHY_SAMPLED;
    const struct title titles[] = {{"Function", false},
                                   {counted ? "Instructions" : "Share", false},
                                   {"Where", true},
                                   {"Before and after", true},
                                   {"Lines that changed most", true}};
    if (part->row_count == 0)
        return;
    open_rows(html, counted ? "Functions" : "Samples",
              counted ? "Functions that made the difference"
                      : "Functions whose share of the time changed",
              titles, counted ? 5 : 4);
    for (size_t r = 0; r < part->row_count; r++) {
        const struct lauka_why_row *row = &part->rows[r];
        lauka_put(prose,
                  "<tr><th scope=\"row\" class=\"l\">%s</th><td class=\"c\">%s</td><td "
                  "class=\"v e\">%s</td><td class=\"v e\">%s</td>",
                  lauka_say_xml(prose, row->text[LAUKA_WHY_NAME]),
                  lauka_say_xml(prose, row->text[LAUKA_WHY_CHANGE]),
                  lauka_say_xml(prose, row->text[LAUKA_WHY_PLACE]),
                  lauka_say_xml(prose, lauka_why_sides(prose, row)));
        if (counted)
            lauka_put(prose, "<td class=\"v l e\">%s</td>",
                      lauka_say_xml(prose, lines_of(prose, row->function)));
        lauka_put(prose, "</tr>\n");
    }
    close_rows(html);
}

static void put_why_part(const struct lauka_html *html, size_t command,
                         const struct lauka_why_part *part)
{
    struct lauka_prose *prose = html->prose;
    if (part->kind == LAUKA_WHY_COUNTED || part->kind == LAUKA_WHY_REASON)
        lauka_put(prose, "<p>%s%s</p>\n", lauka_html_sentence(html, command, part->text),
                  part->row_count > 0 ? ":" : ".");
    else if (part->kind == LAUKA_WHY_SAMPLED)
        lauka_put(prose, "<p>%s: %s</p>\n", lauka_html_command(html, command),
                  lauka_html_prose(prose, part->text));
    else
        put_paragraph(html, part->text);
    put_functions(html, part);
}

void lauka_html_why(const struct lauka_html *html)
{
    struct lauka_why_part part;
    if (!lauka_result_tells_why(html->result))
        return;
    lauka_put(html->prose, "<section>\n<%s>Why</%s>\n", heading(html), heading(html));
    for (size_t c = 1; c < html->result->command_count; c++)
        for (size_t place = 0;
             lauka_why_next(html->prose, html->result, c, LAUKA_WHY_ROWS_MOST, &place, &part);)
            put_why_part(html, c, &part);
    lauka_put(html->prose, "</section>\n");
}

/* ---- all metrics ----------------------------------------------------------------------------- */

/* What is compared, with the verdict beside the change. */
static void put_comparison(const struct lauka_html *html, size_t command, size_t metric,
                           const struct lauka_cells *cells)
{
    struct lauka_prose *prose = html->prose;
    lauka_put(prose, "<td class=\"c\">%s</td><td class=\"c\">%s</td><td class=\"v%s\">%s</td>",
              lauka_say_xml(prose, cells->text[LAUKA_CELL_CHANGE]),
              lauka_say_xml(prose, cells->text[LAUKA_CELL_INTERVAL]),
              cells->goodness != 0 ? " w" : "",
              lauka_html_marked(prose, lauka_mark_of(html->result, command, metric),
                                cells->text[LAUKA_CELL_VERDICT]));
}

static void put_row(const struct lauka_html *html, size_t command, size_t metric)
{
    struct lauka_prose *prose = html->prose;
    const size_t commands = html->result->command_count;
    const struct lauka_cells cells = lauka_result_cells(prose, html->result, command, metric);
    lauka_put(prose, "<tr>");
    if (command == 0)
        lauka_put(prose, "<th scope=\"rowgroup\" rowspan=\"%zu\">%s</th>", commands,
                  lauka_html_name(prose, html->result->metrics[metric].name, NAME_WIDTH));
    if (commands > 1)
        lauka_put(prose, "<th scope=\"row\">%s</th>", letter_of(html, command));
    lauka_put(prose, "<td class=\"m\">%s</td>", lauka_cells_mean(prose, &cells, " "));
    if (commands > 1)
        put_comparison(html, command, metric, &cells);
    lauka_put(prose, "<td class=\"x\">%s%s%s</td><td class=\"x\">%s</td>",
              cells.text[LAUKA_CELL_LEAST], *cells.text[LAUKA_CELL_LEAST] ? " … " : "",
              cells.text[LAUKA_CELL_MOST], lauka_say_xml(prose, cells.text[LAUKA_CELL_OUTLIERS]));
    if (commands > 1)
        lauka_put(prose, "<td class=\"x\">%s</td>",
                  lauka_say_xml(prose, cells.text[LAUKA_CELL_EFFECT]));
    lauka_put(prose, "</tr>\n");
}

static void put_rows(const struct lauka_html *html, size_t metric, bool explored)
{
    lauka_put(html->prose, "<tbody%s>\n", explored ? " class=\"explored\"" : "");
    for (size_t c = 0; c < html->result->command_count; c++)
        put_row(html, c, metric);
    lauka_put(html->prose, "</tbody>\n");
}

static void put_uncounted(const struct lauka_html *html)
{
    const struct lauka_result *result = html->result;
    const char *names = "";
    for (size_t place = 0, m; lauka_next_metric(result, &place, &m);)
        if (!result->metrics[m].counted)
            names = lauka_join(html->prose, names, ", ", result->metrics[m].name);
    if (*names)
        lauka_put(html->prose, "<p class=\"aside\">Not counted here: %s.</p>\n",
                  lauka_say_xml(html->prose, names));
}

/* Metrics that decide, then the others. */
void lauka_html_summaries(const struct lauka_html *html)
{
    struct lauka_prose *prose = html->prose;
    const struct lauka_result *result = html->result;
    const bool compared = result->command_count > 1;
    const char *caption = compared ? "All metrics; changes are against A" : "All metrics";
    open_table(prose, caption, "full metrics", caption);
    lauka_put(prose, "<thead><tr><th scope=\"col\">Metric</th>%s<th scope=\"col\">Mean ± σ</th>",
              compared ? "<th scope=\"col\" aria-label=\"Command\"></th>" : "");
    if (compared)
        lauka_put(prose,
                  "<th scope=\"col\">Change</th><th scope=\"col\">%.3g %% interval</th>"
                  "<th scope=\"col\" class=\"v\">Verdict</th>",
                  100 * lauka_result_confidence(result));
    lauka_put(prose,
              "<th scope=\"col\" class=\"x\">Min … max</th><th scope=\"col\" "
              "class=\"x\">Outliers</th>%s</tr></thead>\n",
              compared ? "<th scope=\"col\" class=\"x\">d</th>" : "");
    for (int explored = 0; explored < 2; explored++)
        for (size_t place = 0, m; lauka_next_metric(result, &place, &m);)
            if (result->metrics[m].counted && lauka_html_decides(result, compared, m) != explored)
                put_rows(html, m, compared && explored);
    close_table(prose);
    if (compared)
        lauka_put(prose,
                  "<p class=\"aside\">Metrics in grey are explored: of many, some move by chance. "
                  "d is Cohen’s: the difference of the means in standard deviations.</p>\n");
    put_uncounted(html);
}

/* ---- percentiles: side by side with the reference's -------------------------------------------- */

struct table {
    const struct lauka_html *html;
    struct lauka_prose *prose;
    size_t metric;
    struct lauka_percentiles percentiles;
    bool has_room; /* two commands: intervals have columns of their own */
};

static struct lauka_mark percentile_mark(const struct table *table,
                                         const struct lauka_percentile *of)
{
    if (of->limit)
        return lauka_mark_of_limit(table->html->result, of->limit);
    return (struct lauka_mark){of->side == 0  ? LAUKA_TONE_PLAIN
                               : of->good > 0 ? LAUKA_TONE_BETTER
                               : of->good < 0 ? LAUKA_TONE_WORSE
                                              : LAUKA_TONE_CHANGED,
                               of->side > 0};
}

static void put_change(const struct table *table, size_t command, size_t index)
{
    struct lauka_prose *prose = table->prose;
    const struct lauka_percentile of = lauka_percentile_of(&table->percentiles, command, index);
    const struct lauka_mark mark = percentile_mark(table, &of);
    if (table->has_room)
        lauka_put(prose,
                  "<td class=\"c\">%s</td><td class=\"e i\">%s</td><td class=\"v e\">%s</td>",
                  lauka_html_prose(prose, of.change.estimate),
                  lauka_html_prose(prose, of.change.interval),
                  lauka_html_marked(prose, mark, of.verdict));
    else
        lauka_put(prose, "<td>%s</td>", lauka_html_marked(prose, mark, of.change.estimate));
}

static void put_rank(const struct table *table, size_t index)
{
    struct lauka_prose *prose = table->prose;
    const struct lauka_result *result = table->html->result;
    const uint32_t rank = lauka_summary_ranks[index];
    lauka_put(prose, "<tr><th scope=\"row\">%s</th>", lauka_say_rank(prose, rank));
    for (size_t c = 0; c < result->command_count; c++) {
        const struct lauka_result_view view = lauka_result_view(result, c, table->metric);
        const char *value = prose->signs->dash;
        if (lauka_rank_has_values(rank, table->percentiles.of[c].count))
            value = lauka_quantile_value(prose, result, table->metric, &view,
                                         (double)table->percentiles.of[c].values[index]);
        lauka_put(prose, "<td>%s</td>", lauka_say_xml(prose, value));
        if (c > 0)
            put_change(table, c, index);
    }
    lauka_put(prose, "</tr>\n");
}

static void put_percentile_titles(const struct table *table)
{
    struct lauka_prose *prose = table->prose;
    const struct lauka_result *result = table->html->result;
    lauka_put(prose, "<thead><tr><th scope=\"col\">%%</th>");
    for (size_t c = 0; c < result->command_count; c++)
        lauka_put(prose, "<th scope=\"col\">%s</th>%s", letter_of(table->html, c),
                  c > 0 && !table->has_room ? "<th scope=\"col\">change</th>" : "");
    if (table->has_room)
        lauka_put(prose,
                  "<th scope=\"col\">Change</th><th scope=\"col\">%.3g %% interval</th><th "
                  "scope=\"col\" class=\"v\">Verdict</th>",
                  100 * lauka_result_confidence(result));
    lauka_put(prose, "</tr></thead>\n<tbody>\n");
}

static const char *caption_of(const struct table *table)
{
    struct lauka_prose *prose = table->prose;
    const struct lauka_result *result = table->html->result;
    const char *noun = lauka_metric_noun(result->metrics[table->metric].name);
    return lauka_join(prose, lauka_say(prose, "Percentiles of %s", *noun ? noun : "the values"),
                      ", ", lauka_result_scale(result, table->metric, true).suffix);
}

static void put_percentile_table(const struct table *table)
{
    struct lauka_prose *prose = table->prose;
    const char *caption = caption_of(table);
    open_table(prose, caption, table->has_room ? "full pct" : "full", caption);
    put_percentile_titles(table);
    for (size_t i = 0; i < LAUKA_SUMMARY_RANKS; i++)
        if (lauka_percentile_is_shown(&table->percentiles, i))
            put_rank(table, i);
    lauka_put(prose, "</tbody>\n");
    close_table(prose);
}

void lauka_html_percentiles(const struct lauka_html *html, size_t metric)
{
    struct lauka_prose *prose = html->prose;
    const struct lauka_result *result = html->result;
    struct table table = {.html = html, .prose = prose, .metric = metric};
    table.has_room = result->command_count == 2;
    if (!lauka_percentiles_of(prose, result, metric, &table.percentiles))
        return;
    if (lauka_percentile_is_shown(&table.percentiles, 0))
        put_percentile_table(&table);
    lauka_picture_done(&table.percentiles.picture);
}

/* ---- the session ----------------------------------------------------------------------------- */

static void put_fact(const struct lauka_html *html, const char *name, const char *text)
{
    struct lauka_prose *prose = html->prose;
    if (text && *text)
        lauka_put(prose, "<tr><th scope=\"row\">%s</th><td>%s</td></tr>\n",
                  lauka_say_xml(prose, name), lauka_html_name(prose, text, SESSION_WIDTH));
}

void lauka_html_session(const struct lauka_html *html)
{
    const struct lauka_result *result = html->result;
    lauka_put(html->prose, "<h4>Session</h4>\n<div class=\"scroll\"><table class=\"facts\">\n");
    for (size_t c = 0; c < result->command_count; c++) {
        if (lauka_is_shortened(html->prose, result, c)) /* the key has others in full */
            put_fact(html, lauka_letter(html->prose, c), lauka_say_whole(html->prose, result, c));
    }
    for (struct lauka_machine_fact fact = {0}; lauka_next_machine(html->prose, result, &fact);)
        put_fact(html, fact.name, fact.value);
    put_fact(html, "lauka", LAUKA_VERSION);
    lauka_put(html->prose, "</table></div>\n");
}
