/* The blocks on the terminal that stand beside the main table: answers and remarks, the gate, hosts, percentiles, and
 * which functions made the difference. */
#include "report/terminal/terminal.h"
#include "report/plot/plot.h"
#include "report/result/merged.h"
#include "report/result/result.h"
#include "report/terminal/blocks.h"
#include "report/terminal/screen.h"
#include "report/text/prose.h"
#include "report/text/sheet.h"
#include "report/words/said.h"
#include "report/words/why.h"
#include "report/words/words.h"

#include <math.h>
#include <string.h>

enum { INDENT = 2 };

/* ---- answers and remarks --------------------------------------------------------------------- */

/* The colour of an answer: of the worst that decides about the command; what is only doubtful has none. */
static enum lauka_style style_of_answer(const struct lauka_result *result, size_t command)
{
    enum lauka_style style = LAUKA_STYLE_PLAIN;
    for (size_t m = 0; m < result->metric_count; m++) {
        const enum lauka_concern concern = lauka_concern_of(result, command, m);
        if (!result->metrics[m].primary && !lauka_gate_row_of(result, command, m))
            continue;
        if (concern == LAUKA_CONCERN_WORSE)
            return LAUKA_STYLE_WORSE;
        if (concern == LAUKA_CONCERN_BETTER)
            style = LAUKA_STYLE_BETTER;
    }
    return style;
}

static const char *text_of(struct lauka_prose *prose, const struct lauka_result *result,
                           const struct lauka_said *said)
{
    return lauka_said_text(prose, said, lauka_say_subject(prose, result, said->command),
                           lauka_say_subject(prose, result, 0));
}

/* What was never measured is said of the reference, too. */
void lauka_put_answers(struct lauka_prose *prose, const struct lauka_result *result)
{
    if (result->run.rounds == 0 && result->command_count > 1)
        lauka_put_paragraph(prose, 0, LAUKA_STYLE_PLAIN, lauka_result_sentence(prose, result, 0));
    for (struct lauka_said said = {0}; lauka_said_next_answer(prose, result, &said);)
        lauka_put_paragraph(prose, 0, style_of_answer(result, said.command),
                            text_of(prose, result, &said));
}

/* What a ranking does not say: limits that are exceeded, and commands that execute the same. */
static void put_besides(struct lauka_prose *prose, const struct lauka_result *result)
{
    const char *reference = lauka_say_subject(prose, result, 0);
    for (size_t c = 1; c < result->command_count; c++) {
        const char *name = lauka_say_subject(prose, result, c);
        const char *exceeded = lauka_exceeded_sentence(prose, result, c, name, reference);
        const char *same = lauka_same_sentence(prose, result, c, name, reference);
        if (*exceeded)
            lauka_put_paragraph(prose, 0, LAUKA_STYLE_PLAIN, exceeded);
        if (*same)
            lauka_put_paragraph(prose, 0, LAUKA_STYLE_PLAIN, same);
    }
}

/* All of them in order; or a sentence for each of few, and how many of many there are of each kind. */
void lauka_put_answer(struct lauka_prose *prose, const struct lauka_result *result)
{
    if (!lauka_result_has_noise(result) && lauka_put_ranking(prose, result))
        put_besides(prose, result);
    else if (lauka_result_has_noise(result) || result->command_count <= LAUKA_SCREEN_GROUPED)
        lauka_put_answers(prose, result);
    else
        lauka_put_paragraph(prose, 0, LAUKA_STYLE_PLAIN, lauka_summary_sentence(prose, result));
}

void lauka_put_more(struct lauka_prose *prose, size_t count, const char *what)
{
    if (count > 0)
        lauka_put_paragraph(
            prose, 0, LAUKA_STYLE_PLAIN,
            lauka_say(prose, "%zu more %s%s with --full", count, what, lauka_plural(count)));
}

/* As many clauses as fit into two lines, or the first of them. */
static const char *cut_clauses(struct lauka_prose *prose, const char *text)
{
    const int room = 2 * (prose->terminal.width - LAUKA_NOTE_INDENT) - LAUKA_NOTE_INDENT;
    for (const char *end = strrchr(text, ';'); end && lauka_display_width(text) > room;
         end = strrchr(text, ';'))
        text = lauka_say(prose, "%.*s", (int)(end - text), text);
    return text;
}

void lauka_put_notes(struct lauka_prose *prose, const struct lauka_result *result, size_t most,
                     enum lauka_brevity brevity)
{
    const struct lauka_notes notes = lauka_notes(prose, result);
    size_t told = 0, last = prose->terminal.is_screen ? notes.circumstances : notes.counting;
    lauka_put(prose, notes.counting > 0 ? "\n" : "");
    for (; told < last && (told < most || told < notes.pressing); told++) {
        const char *text = text_of(prose, result, &notes.all[told]);
        bool pressing = told < notes.pressing;
        if (!pressing && brevity != LAUKA_NOTES_WHOLE)
            text = cut_clauses(prose, text);
        if (!pressing && brevity == LAUKA_NOTES_TIGHT && told > 0 &&
            lauka_display_width(text) > prose->terminal.width - LAUKA_NOTE_INDENT)
            break;
        lauka_put_note(prose, text);
    }
    lauka_put_more(prose, notes.counting - told, "note");
}

void lauka_put_remarks(struct lauka_prose *prose, const struct lauka_result *result)
{
    const struct lauka_notes notes = lauka_notes(prose, result);
    for (size_t i = 0; i < notes.count; i++)
        lauka_put_note(prose, text_of(prose, result, &notes.all[i]));
    lauka_put_paragraph(prose, 0, LAUKA_STYLE_SECONDARY, lauka_result_course(prose, result));
}

/* ---- the gate: its verdict, one line for each limit, and why a limit is undecided ------------- */

enum { GATE_COLUMNS = LAUKA_GATE_CELL_REMARK };

static enum lauka_style style_of(const char *word)
{
    return strcmp(word, "FAIL") == 0           ? LAUKA_STYLE_FAILED
           : strcmp(word, "pass") == 0         ? LAUKA_STYLE_BETTER
           : strcmp(word, "inconclusive") == 0 ? LAUKA_STYLE_DOUBTFUL
                                               : LAUKA_STYLE_MAIN;
}

/* As a sentence of several lines, of which the first begins with the verdict. */
static void put_narrow_limit(const struct lauka_sheet *sheet, size_t row, int indent)
{
    struct lauka_prose *prose = sheet->prose;
    const char *verdict = lauka_sheet_text(sheet, row, LAUKA_GATE_CELL_VERDICT);
    const char *about = lauka_join(prose, lauka_sheet_text(sheet, row, LAUKA_GATE_CELL_METRIC),
                                   " of ", lauka_sheet_text(sheet, row, LAUKA_GATE_CELL_COMMAND));
    lauka_put(prose, "%*s", INDENT, "");
    lauka_put_text(prose, sheet->cells[row * GATE_COLUMNS].style, verdict);
    lauka_put(prose, "%*s", indent - INDENT - lauka_display_width(verdict), "");
    lauka_put_wrapped(prose, indent,
                      lauka_say(prose, "%s: %s, %s", about,
                                lauka_sheet_text(sheet, row, LAUKA_GATE_CELL_CHANGE),
                                lauka_sheet_text(sheet, row, LAUKA_GATE_CELL_LIMIT)));
}

static void add_limit(struct lauka_sheet *sheet, const struct lauka_result *result,
                      const struct lauka_gate_row *row, const struct lauka_gate_cells *cells)
{
    const size_t r = lauka_sheet_add(sheet);
    for (enum lauka_gate_cell c = 0; c < GATE_COLUMNS; c++)
        if (c != LAUKA_GATE_CELL_COMMAND || result->command_count > 2)
            lauka_sheet_set(sheet, r, c, cells->text[c]);
    lauka_sheet_set(sheet, r, LAUKA_GATE_CELL_LIMIT,
                    lauka_say(sheet->prose, "limit %s", cells->text[LAUKA_GATE_CELL_LIMIT]));
    lauka_sheet_put(sheet, r, LAUKA_GATE_CELL_VERDICT, style_of(lauka_gate_row_sign(result, row)),
                    cells->text[LAUKA_GATE_CELL_VERDICT]);
}

/* In columns, if there is room for them; remarks are below, behind the verdict. */
static void put_limits(struct lauka_prose *prose, const struct lauka_result *result)
{
    static const struct lauka_sheet_column columns[GATE_COLUMNS];
    const struct lauka_result_gate *gate = &result->gate;
    const char **remarks = lauka_prose_room(prose, gate->row_count, sizeof *remarks);
    struct lauka_sheet sheet;
    lauka_sheet_make(&sheet, columns, GATE_COLUMNS, prose);
    sheet.indent = INDENT;
    for (size_t r = 0; remarks && r < gate->row_count; r++) {
        const struct lauka_gate_cells cells = lauka_gate_row_cells(prose, result, &gate->rows[r]);
        add_limit(&sheet, result, &gate->rows[r], &cells);
        remarks[r] = cells.text[LAUKA_GATE_CELL_REMARK];
    }
    lauka_sheet_measure(&sheet);
    const int indent = lauka_sheet_width(&sheet, 0, 1) + sheet.gap;
    const bool fits = lauka_sheet_excess(&sheet) <= 0;
    for (size_t r = 0; r < sheet.row_count; r++) {
        if (fits)
            lauka_sheet_draw(&sheet, r, 0, GATE_COLUMNS, 0);
        else
            put_narrow_limit(&sheet, r, indent);
        if (*remarks[r])
            lauka_put_paragraph(prose, indent, LAUKA_STYLE_PLAIN, remarks[r]);
    }
}

void lauka_put_gate(struct lauka_prose *prose, const struct lauka_result *result)
{
    const char *note;
    lauka_put_paragraph(prose, 0, style_of(lauka_gate_word(result)),
                        lauka_gate_headline(prose, result));
    put_limits(prose, result);
    for (size_t place = 0; (note = lauka_gate_next_note(prose, result, &place));)
        lauka_put_paragraph(prose, INDENT, LAUKA_STYLE_PLAIN, note);
    lauka_put(prose, "\n");
}

/* ---- hosts over one axis of change: whether they agree is to be seen at once ------------------ */

enum { AXIS_WIDEST = 36, AXIS_NARROWEST = 12 };
enum host_column { NAME, AXIS, CHANGE, VERDICT, HOST_COLUMNS };

struct forest {
    const struct lauka_result *result;
    size_t command, metric;
    double low, high; /* of the axis, logarithms of ratios */
    int width;        /* of the axis; 0: there is no room */
    struct lauka_sheet sheet;
    const struct lauka_comparison *values[LAUKA_HOSTS_SHOWN + 1]; /* borrowed; by row */
};

static int place(const struct forest *forest, double value)
{
    double share = (value - forest->low) / (forest->high - forest->low);
    return (int)fmin(fmax(floor(share * forest->width), 0), forest->width - 1);
}

static const char *axis_of(const struct forest *forest, const struct lauka_comparison *values)
{
    struct lauka_prose *prose = forest->sheet.prose;
    const char *cells[AXIS_WIDEST], *text = "";
    for (int i = 0; i < forest->width; i++)
        cells[i] = " ";
    cells[place(forest, 0)] = prose->utf8 ? "┊" : ":";
    if (values && values->log_ratio.known && values->log_low.known)
        for (int i = place(forest, values->log_low.value);
             i <= place(forest, values->log_high.value); i++)
            cells[i] = prose->utf8 ? "─" : "-";
    if (values && values->log_ratio.known)
        cells[place(forest, values->log_ratio.value)] = prose->utf8 ? "●" : "o";
    for (int i = 0; i < forest->width; i++)
        text = lauka_say(prose, "%s%s", text, cells[i]);
    return text;
}

/* Widens the axis, too. */
static void add_host(struct forest *forest, const char *name, const struct lauka_comparison *values,
                     struct lauka_change change, const char *verdict)
{
    const size_t row = lauka_sheet_add(&forest->sheet);
    lauka_sheet_set(&forest->sheet, row, NAME, name);
    lauka_sheet_set(&forest->sheet, row, CHANGE, lauka_change_text(forest->sheet.prose, change));
    lauka_sheet_set(&forest->sheet, row, VERDICT, verdict);
    forest->values[row] = values;
    if (!values || !values->log_ratio.known)
        return;
    const double estimate = values->log_ratio.value;
    forest->low = fmin(forest->low, values->log_low.known ? values->log_low.value : estimate);
    forest->high = fmax(forest->high, values->log_high.known ? values->log_high.value : estimate);
}

static size_t shown_hosts(const struct forest *forest)
{
    size_t count = forest->result->merged.host_count;
    return count < LAUKA_HOSTS_SHOWN ? count : LAUKA_HOSTS_SHOWN;
}

/* What all hosts come to stands below them. */
static void add_hosts(struct forest *forest)
{
    struct lauka_prose *prose = forest->sheet.prose;
    const struct lauka_result *result = forest->result;
    const size_t metric = forest->metric;
    const struct lauka_comparison *all = lauka_result_comparison(result, forest->command, metric);
    forest->high = log1p(lauka_result_precision(result));
    forest->low = -forest->high;
    for (size_t h = 0; h < shown_hosts(forest); h++) {
        const struct lauka_host_line line =
            lauka_host_line(prose, result, h, forest->command, metric);
        add_host(forest, line.name, line.comparison, line.change, line.verdict);
    }
    if (all && all->confidence > 0)
        add_host(forest, "all", all,
                 lauka_change(prose, all, lauka_result_scale(result, metric, prose->utf8)),
                 lauka_verdict_word(all, lauka_is_time(result, metric)));
}

/* The axis takes what room is left beside the longest of the usual verdicts. */
static void add_axes(struct forest *forest)
{
    struct lauka_sheet *sheet = &forest->sheet;
    lauka_sheet_measure(sheet);
    int room = sheet->prose->terminal.width - sheet->columns[NAME].width -
               sheet->columns[CHANGE].width - (int)strlen("    inconclusive      ");
    forest->width = room > AXIS_WIDEST ? AXIS_WIDEST : room < AXIS_NARROWEST ? 0 : room;
    for (size_t r = 0; r < sheet->row_count && forest->width > 0; r++)
        lauka_sheet_set(sheet, r, AXIS, axis_of(forest, forest->values[r]));
    sheet->columns[AXIS].width = forest->width;
}

static void put_heading(struct lauka_prose *prose, const char *text)
{
    lauka_put_text(prose, LAUKA_STYLE_HEADING, text);
    lauka_put(prose, "\n");
}

static void put_hosts_of(struct lauka_prose *prose, const struct lauka_result *result,
                         size_t command, size_t metric)
{
    static const struct lauka_sheet_column columns[HOST_COLUMNS];
    struct forest forest = {.result = result, .command = command, .metric = metric};
    lauka_sheet_make(&forest.sheet, columns, HOST_COLUMNS, prose);
    forest.sheet.indent = INDENT;
    add_hosts(&forest);
    add_axes(&forest);
    lauka_put(prose, "\n");
    put_heading(prose, lauka_say(prose, "%s of %s on each host", result->metrics[metric].name,
                                 lauka_say_subject(prose, result, command)));
    for (size_t r = 0; r < forest.sheet.row_count; r++) {
        if (r == shown_hosts(&forest) && result->merged.host_count > r)
            lauka_put(prose, "  and %zu more hosts in the JSON\n", result->merged.host_count - r);
        lauka_sheet_draw(&forest.sheet, r, 0, HOST_COLUMNS, 0);
    }
}

int lauka_write_hosts(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out)
{
    const size_t metric = lauka_result_main_metric(result);
    if (!lauka_result_has_hosts(result) || metric >= result->metric_count)
        return 0;
    struct lauka_prose prose = lauka_prose_begin(out, terminal);
    for (size_t c = 1; c < result->command_count; c++)
        if (lauka_result_comparison(result, c, metric))
            put_hosts_of(&prose, result, c, metric);
    return lauka_prose_end(&prose);
}

/* ---- percentiles ----------------------------------------------------------------------------- */

enum {
    LABEL = LAUKA_PERCENTILE_LABEL,
    REFERENCE = LAUKA_PERCENTILE_REFERENCE,
    COMMAND = LAUKA_PERCENTILE_COMMAND,
    LABEL_WIDTH = 10,
};

static enum lauka_style style_of_percentile(const struct lauka_result *result,
                                            const struct lauka_percentile *percentile)
{
    if (percentile->limit)
        return style_of(lauka_gate_row_sign(result, percentile->limit));
    return percentile->good > 0   ? LAUKA_STYLE_BETTER
           : percentile->good < 0 ? LAUKA_STYLE_WORSE
                                  : LAUKA_STYLE_PLAIN;
}

/* A narrow terminal drops the interval, the verdict, the change, then the reference. */
static void add_percentiles(struct lauka_sheet *sheet, const struct lauka_result *result,
                            const struct lauka_percentile_table *table, bool compared)
{
    for (size_t r = 0; r < table->count; r++) {
        const struct lauka_percentile_row *row = &table->rows[r];
        lauka_sheet_add(sheet);
        for (size_t c = 0; c < LAUKA_PERCENTILE_CELLS; c++)
            lauka_sheet_put(sheet, r, c,
                            c == LAUKA_PERCENTILE_VERDICT
                                ? style_of_percentile(result, &row->judged)
                                : LAUKA_STYLE_PLAIN,
                            row->text[c]);
    }
    for (size_t c = 0; c < LAUKA_PERCENTILE_CELLS; c++)
        sheet->columns[c].hidden = !compared && c != LABEL && c != COMMAND;
    lauka_sheet_measure(sheet);
    sheet->columns[LABEL].width = LABEL_WIDTH;
    lauka_sheet_fit(sheet);
    lauka_sheet_cut(sheet, LABEL, 1);
    if (sheet->columns[LABEL].width < LABEL_WIDTH)
        sheet->columns[LABEL].title = "%";
}

static void set_title(struct lauka_sheet_column *column, const char *title)
{
    const int width = lauka_display_width(title);
    column->title = title;
    column->width = width > column->width ? width : column->width;
}

/* Names of commands are titles if there is room for them; otherwise letters are. False for letters, which need a
 * legend. */
static bool set_names(struct lauka_sheet *sheet, const struct lauka_result *result, size_t command)
{
    struct lauka_prose *prose = sheet->prose;
    struct lauka_sheet named = *sheet;
    set_title(&named.columns[REFERENCE], lauka_say_name(prose, result, 0));
    set_title(&named.columns[COMMAND], lauka_say_name(prose, result, command));
    const bool fits = lauka_sheet_excess(&named) <= 0 && !lauka_is_lettered(prose, result, 0) &&
                      !lauka_is_lettered(prose, result, command);
    if (fits) {
        *sheet = named;
        return true;
    }
    set_title(&sheet->columns[REFERENCE], lauka_letter(prose, 0));
    set_title(&sheet->columns[COMMAND], lauka_letter(prose, command));
    return false;
}

/* Nothing is drawn where one of the two was not counted. */
static void put_percentiles(struct lauka_prose *prose, const struct lauka_percentiles *percentiles,
                            size_t command)
{
    static const struct lauka_sheet_column columns[LAUKA_PERCENTILE_CELLS] = {
        [LABEL] = {.title = "percentile", .align = LAUKA_ALIGN_RIGHT},
        [REFERENCE] = {.align = LAUKA_ALIGN_RIGHT, .rank = 4},
        [COMMAND] = {.align = LAUKA_ALIGN_RIGHT},
        [LAUKA_PERCENTILE_CHANGE] = {.title = "change", .align = LAUKA_ALIGN_RIGHT, .rank = 3},
        [LAUKA_PERCENTILE_INTERVAL] = {.rank = 1},
        [LAUKA_PERCENTILE_VERDICT] = {.rank = 2},
    };
    const struct lauka_result *result = percentiles->picture.result;
    const size_t metric = percentiles->picture.metric;
    const struct lauka_percentile_table table = lauka_percentile_table(percentiles, command);
    struct lauka_sheet sheet;
    if (table.count == 0)
        return;
    lauka_sheet_make(&sheet, columns, LAUKA_PERCENTILE_CELLS, prose);
    add_percentiles(&sheet, result, &table, command > 0);
    const bool named = set_names(&sheet, result, command);
    lauka_put_metric_heading(prose, result->metrics[metric].name,
                             lauka_result_scale(result, metric, prose->utf8).suffix);
    if (!named) {
        const char *names = lauka_picture_names(prose, result, command);
        lauka_put_paragraph(prose, 0, LAUKA_STYLE_PLAIN,
                            lauka_say(prose, "%.*s", (int)strlen(names) - 1, names));
    }
    lauka_sheet_draw_titles(&sheet, LAUKA_PERCENTILE_CELLS);
    lauka_sheet_write(&sheet);
    lauka_put(prose, "\n");
}

void lauka_put_metric_heading(struct lauka_prose *prose, const char *name, const char *unit)
{
    const char *title = lauka_join(prose, name, " in ", unit);
    put_heading(prose, lauka_say_fitted(prose, title, prose->terminal.width));
}

int lauka_write_percentiles(const struct lauka_result *result, struct lauka_terminal terminal,
                            FILE *out)
{
    struct lauka_prose prose = lauka_prose_begin(out, terminal);
    struct lauka_percentiles percentiles;
    for (size_t at = 0, m; lauka_next_metric(result, &at, &m);) {
        if (!lauka_percentiles_of(&prose, result, m, &percentiles))
            break;
        for (size_t c = result->command_count > 1; c < result->command_count; c++)
            put_percentiles(&prose, &percentiles, c);
        lauka_picture_done(&percentiles.picture);
    }
    return lauka_prose_end(&prose);
}

/* ---- which functions made the difference: a sentence, and a line for each of them ------------- */

enum { NARROWEST = 12, FEW = 8 };

/* A table of the functions; remarks: beside what is before and after, otherwise they stand below. */
static void make_functions(struct lauka_prose *prose, const struct lauka_why_part *part,
                           bool remarks, struct lauka_sheet *sheet)
{
    static const struct lauka_sheet_column columns[LAUKA_WHY_CELLS] = {
        [LAUKA_WHY_CHANGE] = {.align = LAUKA_ALIGN_RIGHT}};
    lauka_sheet_make(sheet, columns, LAUKA_WHY_CELLS, prose);
    sheet->indent = INDENT;
    for (size_t r = 0; r < part->row_count; r++) {
        lauka_sheet_add(sheet);
        for (enum lauka_why_cell c = 0; c < LAUKA_WHY_CELLS; c++)
            lauka_sheet_put(sheet, r, c,
                            c == LAUKA_WHY_NAME && part->rows[r].is_name ? LAUKA_STYLE_MAIN
                                                                         : LAUKA_STYLE_PLAIN,
                            part->rows[r].text[c]);
        if (remarks)
            lauka_sheet_set(sheet, r, LAUKA_WHY_SIDES, lauka_why_sides(prose, &part->rows[r]));
    }
    lauka_sheet_measure(sheet);
}

/* Where two would be alike without arguments, they keep them. */
static void shorten_functions(const struct lauka_why_part *part, struct lauka_sheet *sheet)
{
    for (size_t r = 0; r < part->row_count; r++) {
        bool alike = false;
        for (size_t other = 0; other < part->row_count; other++)
            alike =
                alike || (other != r && strcmp(part->rows[other].brief, part->rows[r].brief) == 0);
        if (!alike)
            lauka_sheet_set(sheet, r, LAUKA_WHY_NAME, part->rows[r].brief);
    }
    lauka_sheet_measure(sheet);
}

static void drop_namespaces(const struct lauka_why_part *part, struct lauka_sheet *sheet)
{
    const int room = sheet->columns[LAUKA_WHY_NAME].width - lauka_sheet_excess(sheet);
    for (size_t r = 0; r < part->row_count; r++)
        if (part->rows[r].is_name && lauka_display_width(part->rows[r].brief) > room)
            lauka_sheet_set(sheet, r, LAUKA_WHY_NAME,
                            lauka_say_last_names(sheet->prose, part->rows[r].brief, room));
}

/* Remarks get lines of their own before a name loses its arguments, and those go before the place is cut. */
static void put_functions(struct lauka_prose *prose, const struct lauka_why_part *part)
{
    struct lauka_sheet sheet;
    make_functions(prose, part, true, &sheet);
    const bool apart = lauka_sheet_excess(&sheet) > 0;
    if (apart)
        make_functions(prose, part, false, &sheet);
    if (lauka_sheet_excess(&sheet) > 0)
        shorten_functions(part, &sheet);
    lauka_sheet_cut(&sheet, LAUKA_WHY_PLACE, NARROWEST);
    drop_namespaces(part, &sheet);
    lauka_sheet_cut(&sheet, LAUKA_WHY_NAME, NARROWEST);
    lauka_sheet_cut(&sheet, LAUKA_WHY_SIDES, NARROWEST);
    const int indent = lauka_sheet_width(&sheet, 0, LAUKA_WHY_NAME) + sheet.gap + INDENT;
    for (size_t r = 0; r < part->row_count; r++) {
        lauka_sheet_draw(&sheet, r, 0, LAUKA_WHY_CELLS, 0);
        if (apart && *part->rows[r].remark)
            lauka_put_paragraph(prose, indent, LAUKA_STYLE_PLAIN, part->rows[r].remark);
    }
}

/* Of samples beside what was counted there is a line; rows and the setting, if everything is to be shown. */
static void put_why_part(struct lauka_prose *prose, const struct lauka_result *result,
                         size_t command, const struct lauka_why_part *part, bool in_full)
{
    const bool sampled = part->kind == LAUKA_WHY_SAMPLED, brief = part->beside && !in_full;
    const bool begins = part->kind <= LAUKA_WHY_REASON || (sampled && !part->beside);
    const char *name = lauka_say_subject(prose, result, command), *text = part->text;
    if (part->kind == LAUKA_WHY_SETTING && brief)
        return;
    if (part->kind == LAUKA_WHY_COUNTED)
        text = lauka_with_names(prose, text, name, lauka_say_subject(prose, result, 0), NULL);
    else if (sampled && begins)
        text = lauka_say(prose, "%s: %s", name, text);
    lauka_put_paragraph(prose, begins ? 0 : INDENT, LAUKA_STYLE_PLAIN, text);
    if (!brief)
        put_functions(prose, part);
}

int lauka_write_why(const struct lauka_result *result, bool in_full, struct lauka_terminal terminal,
                    FILE *out)
{
    struct lauka_prose prose = lauka_prose_begin(out, terminal);
    const size_t most = in_full ? LAUKA_WHY_ROWS_MOST : FEW;
    struct lauka_why_part part;
    for (size_t c = 1; c < result->command_count && lauka_result_tells_why(result); c++)
        for (size_t at = 0, told = 0; lauka_why_next(&prose, result, c, most, &at, &part); told++) {
            lauka_put(&prose, told > 0 ? "" : "\n");
            put_why_part(&prose, result, c, &part, in_full);
        }
    return lauka_prose_done(&prose);
}
