/* Which functions made the difference, in words and cells: the same on the terminal, in comments and on
 * the page. */
#include "report/words/why.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "report/words/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 60, FIGURE_SIZE = 64 };

/* ---- whether ------------------------------------------------------------------------------- */

bool lauka_result_tells_why(const struct lauka_result *result)
{
    bool failed = false;
    for (size_t i = 0; i < result->gate.row_count; i++) {
        const struct lauka_gate_row *row = &result->gate.rows[i];
        failed |= row->judgement.verdict == LAUKA_GATE_FAIL && row->metric < result->metric_count &&
                  strcmp(result->metrics[row->metric].name, "sim_instructions:u") == 0;
    }
    return result->sampled.count > 0 || result->calls.count > 0 ||
           (result->whys.count > 0 && (result->whys.asked || failed));
}

/* ---- figures ------------------------------------------------------------------------------- */

/* "1,234,567"; text has room for FIGURE_SIZE bytes. */
static char *format_count(uint64_t count, char *text)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, count), used = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}

/* "+1,234", "0" */
static void format_change(struct lauka_why_cost cost, bool utf8, char *text, size_t size)
{
    char count[FIGURE_SIZE];
    int64_t change = lauka_why_change(cost);
    uint64_t amount = change < 0 ? (uint64_t)-change : (uint64_t)change;
    snprintf(text, size, "%s%s", change ? lauka_sign((double)change, utf8) : "",
             format_count(amount, count));
}

/* "9.6 M": three digits, or all of a small number. */
static char *format_amount(uint64_t amount, bool utf8, char *text)
{
    struct lauka_scale scale = lauka_scale_for((double)amount, "1", utf8);
    double value = (double)amount / scale.divisor;
    if (!*scale.suffix)
        return format_count(amount, text);
    int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
    snprintf(text, FIGURE_SIZE, "%.*f %s", decimals, value, scale.suffix);
    return text;
}

static void format_sides(struct lauka_why_cost cost, bool utf8, char *text, size_t size)
{
    char before[FIGURE_SIZE], after[FIGURE_SIZE];
    snprintf(text, size, "%s %s %s", format_amount(cost.before, utf8, before), utf8 ? "→" : "->",
             format_amount(cost.after, utf8, after));
}

static double share_of(struct lauka_why_cost cost)
{
    return cost.before > 0 ? (double)lauka_why_change(cost) / (double)cost.before : 0;
}

/* "+450,000 of 9.6 M, exact", "+450,000 of 9.6 M, ±1,200 between runs" */
static void format_total(const struct lauka_why *why, bool utf8, char *text, size_t size)
{
    char change[FIGURE_SIZE], whole[FIGURE_SIZE], spread[FIGURE_SIZE];
    format_change(why->instructions, utf8, change, sizeof change);
    int used = snprintf(text, size, "%s of %s, ", change,
                        format_amount(why->instructions.before, utf8, whole));
    if (why->spread == 0)
        snprintf(text + used, size - (size_t)used, "exact");
    else
        snprintf(text + used, size - (size_t)used, "%s%s between runs", utf8 ? "±" : "+-",
                 format_count(why->spread, spread));
}

/* ---- the sentence -------------------------------------------------------------------------- */

static bool has_rows(const struct lauka_why *why)
{
    return why->standing == LAUKA_WHY_CHANGED;
}

/* Whether the whole changed by something that can be seen in a share of it. */
static bool is_shown_as_share(const struct lauka_why *why)
{
    double share = share_of(why->instructions);
    return why->instructions.before > 0 && (share >= 0.0005 || share <= -0.0005);
}

char *lauka_why_sentence(const struct lauka_why *why, const char *name, const char *reference,
                         bool utf8, char *text, size_t size)
{
    char total[4 * FIGURE_SIZE], share[48];
    double change = share_of(why->instructions);
    format_total(why, utf8, total, sizeof total);
    lauka_format_share(change < 0 ? -change : change, share, sizeof share);
    const char *more = change < 0 ? "fewer" : "more";
    if (why->standing == LAUKA_WHY_UNKNOWN)
        snprintf(text, size, "%s", why->reason ? why->reason : "");
    else if (why->standing == LAUKA_WHY_WITHIN)
        snprintf(text, size,
                 "%s executes about as many instructions as %s (%s): two runs of the same command "
                 "differ as much",
                 name, reference, total);
    else if (!is_shown_as_share(why))
        snprintf(text, size, "%s executes as many instructions as %s (%s)%s", name, reference,
                 total, why->standing == LAUKA_WHY_CHANGED ? ", but in other functions" : "");
    else
        snprintf(text, size, "%s executes %s %s instructions than %s (%s)%s", name, share, more,
                 reference, total, has_rows(why) ? "; of that" : "");
    return text;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static void put_safe(const char *unsafe, int width, bool utf8, char *text)
{
    char *safe = lauka_fit_text(unsafe, width, utf8);
    snprintf(text, LAUKA_WHY_CELL_SIZE, "%s", safe ? safe : "?");
    free(safe);
}

/* For the program itself the file; for other objects their name. */
static void put_place(const struct lauka_why_function *function, bool utf8, char *text)
{
    char place[LAUKA_WHY_CELL_SIZE];
    if (*function->object)
        snprintf(place, sizeof place, "%s", function->object);
    else if (function->line > 0 && *function->file)
        snprintf(place, sizeof place, "%.500s:%" PRIu64, function->file, function->line);
    else
        snprintf(place, sizeof place, "%.500s", function->file);
    put_safe(place, NAME_WIDTH, utf8, text);
}

static void put_fate(const struct lauka_why_function *function, bool utf8, char *text)
{
    char partner[LAUKA_WHY_CELL_SIZE] = "", sides[2 * FIGURE_SIZE];
    if (function->partner)
        put_safe(function->partner, NAME_WIDTH, utf8, partner);
    format_sides(function->instructions, utf8, sides, sizeof sides);
    const char *form = "%s%.200s";
    switch (function->fate) {
    case LAUKA_WHY_BOTH:
        partner[0] = '\0';
        break;
    case LAUKA_WHY_GONE:
        form = *partner ? "%.0sgone: inlined into %.200s?" : "%.0sgone%.200s";
        break;
    case LAUKA_WHY_NEW:
        form = *partner ? "%.0snew: was inlined into %.200s?" : "%.0snew%.200s";
        break;
    case LAUKA_WHY_TOOK:
        form = "%s, with %.200s, inlined now";
        break;
    case LAUKA_WHY_PARTED:
        form = "%s, with %.200s, inlined before";
        break;
    }
    snprintf(text, LAUKA_WHY_CELL_SIZE, form, sides, partner);
}

static void fill_function(const struct lauka_why_function *function, bool utf8,
                          struct lauka_why_row *row)
{
    row->function = function;
    row->is_name = true;
    format_change(function->instructions, utf8, row->text[LAUKA_WHY_CHANGE], LAUKA_WHY_CELL_SIZE);
    put_safe(*function->name ? function->name : "(no symbols)", NAME_WIDTH, utf8,
             row->text[LAUKA_WHY_NAME]);
    put_place(function, utf8, row->text[LAUKA_WHY_PLACE]);
    put_fate(function, utf8, row->text[LAUKA_WHY_SIDES]);
}

static void fill_rest(const char *name, struct lauka_why_cost cost, bool utf8,
                      struct lauka_why_row *row)
{
    *row = (struct lauka_why_row){.function = NULL};
    format_change(cost, utf8, row->text[LAUKA_WHY_CHANGE], LAUKA_WHY_CELL_SIZE);
    snprintf(row->text[LAUKA_WHY_NAME], LAUKA_WHY_CELL_SIZE, "%s", name);
    format_sides(cost, utf8, row->text[LAUKA_WHY_SIDES], LAUKA_WHY_CELL_SIZE);
}

size_t lauka_why_rows(const struct lauka_why *why, size_t most, bool utf8,
                      struct lauka_why_row rows[LAUKA_WHY_ROWS_MOST])
{
    struct lauka_why_cost others = why->others;
    size_t count = 0, other_count = why->other_count;
    char name[80];
    if (!has_rows(why))
        return 0;
    most = most < LAUKA_WHY_ROWS_MOST - 2 ? most : LAUKA_WHY_ROWS_MOST - 2;
    for (size_t f = 0; f < why->function_count; f++) {
        if (count < most) {
            fill_function(&why->functions[f], utf8, &rows[count++]);
            continue;
        }
        others.before += why->functions[f].instructions.before;
        others.after += why->functions[f].instructions.after;
        other_count++;
    }
    snprintf(name, sizeof name, "%zu other function%s", other_count, other_count == 1 ? "" : "s");
    if (other_count > 0)
        fill_rest(name, others, utf8, &rows[count++]);
    if (why->beyond.before != why->beyond.after)
        fill_rest("(in no function)", why->beyond, utf8, &rows[count++]);
    return count;
}

/* ---- below them ---------------------------------------------------------------------------- */

bool lauka_why_cycles(const struct lauka_why *why, bool utf8, char *text, size_t size)
{
    char sides[2 * FIGURE_SIZE], change[48];
    text[0] = '\0';
    if (why->cycles.before == 0 || why->standing == LAUKA_WHY_UNKNOWN)
        return false;
    format_sides(why->cycles, utf8, sides, sizeof sides);
    lauka_format_change(1 + share_of(why->cycles), utf8, change, sizeof change);
    snprintf(text, size, "estimated cycles: %s (%s)", change, sides);
    return true;
}

bool lauka_why_advice(const struct lauka_why *why, bool utf8, char *text, size_t size)
{
    char name[LAUKA_WHY_CELL_SIZE];
    text[0] = '\0';
    for (size_t f = 0; f < why->function_count; f++) {
        const struct lauka_why_function *function = &why->functions[f];
        if (*function->name)
            continue;
        put_safe(function->object, NAME_WIDTH, utf8, name);
        if (*name)
            snprintf(text, size,
                     "%s has no symbols: install its debuginfo (apt install %s-dbg or -dbgsym), or "
                     "build it with -g",
                     name, name);
        else
            snprintf(text, size,
                     "the program has no symbols: build it with -g, and do not strip it");
        return true;
    }
    return false;
}
