/* What samples point to, in words and cells: the same on the terminal, in comments and on the page. */
#include "report/words/sampled.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "report/words/why.h"
#include "report/words/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 60, SHARE_SIZE = 96, TOLD = 2 };

const struct lauka_sampled *lauka_sampled_of(const struct lauka_result *result, size_t command)
{
    for (size_t c = 0; c < result->sampled.count; c++)
        if (result->sampled.commands[c].command == command)
            return &result->sampled.commands[c];
    return NULL;
}

const struct lauka_why *lauka_counted_of(const struct lauka_result *result, size_t command)
{
    for (size_t w = 0; w < result->whys.count; w++)
        if (result->whys.whys[w].command == command)
            return &result->whys.whys[w];
    return NULL;
}

/* ---- figures ------------------------------------------------------------------------------- */

static int decimals_of(const struct lauka_sampled_share *share)
{
    double width = 100 * (share->high - share->low);
    return width >= 1.5 ? 0 : width >= 0.15 ? 1 : 2;
}

/* So that the interval's ends differ: "21 % [19, 23]", "0.4 % [0.2, 0.6]". */
static void format_share(const struct lauka_sampled_share *share, int decimals, char *text)
{
    snprintf(text, SHARE_SIZE, "%.*f %% [%.*f, %.*f]", decimals, 100 * share->estimate, decimals,
             100 * share->low, decimals, 100 * share->high);
}

static void format_sides(const struct lauka_sampled_row *row, bool utf8, char *text, size_t size)
{
    char before[SHARE_SIZE], after[SHARE_SIZE];
    int decimals = decimals_of(&row->difference), own = decimals_of(&row->after);
    decimals = own > decimals ? own : decimals;
    format_share(&row->before, decimals, before);
    format_share(&row->after, decimals, after);
    snprintf(text, size, "%s %s %s", before, utf8 ? "→" : "->", after);
}

static void format_points(const struct lauka_sampled_row *row, bool utf8, char *text, size_t size)
{
    double points = 100 * row->difference.estimate;
    snprintf(text, size, "%s%.1f points", lauka_sign(points, utf8), fabs(points));
}

/* ---- names --------------------------------------------------------------------------------- */

static void put_safe(const char *unsafe, bool utf8, char *text, size_t size)
{
    char *safe = lauka_fit_text(unsafe, NAME_WIDTH, utf8);
    snprintf(text, size, "%s", safe ? safe : "?");
    free(safe);
}

static void put_name(const struct lauka_sampled_row *row, bool utf8, char *text, size_t size)
{
    static const char *const names[] = {
        [LAUKA_PLACE_FUNCTION] = "?",
        [LAUKA_PLACE_OBJECT] = "(no symbols)",
        [LAUKA_PLACE_JIT] = "(code written at run time)",
        [LAUKA_PLACE_KERNEL] = "(the kernel)",
        [LAUKA_PLACE_UNKNOWN] = "(in no file)",
    };
    if (*row->name)
        put_safe(row->name, utf8, text, size);
    else
        snprintf(text, size, "%s", names[row->place]);
}

/* ---- the sentence -------------------------------------------------------------------------- */

/* "time: +5.1 % [+4.7, +5.6]; "; nothing where it was not compared. */
static int put_time(const struct lauka_result *result, size_t command, bool utf8, char *text,
                    size_t size)
{
    struct lauka_cells cells;
    size_t metric = lauka_result_metric_index(result, "wall_time");
    text[0] = '\0';
    if (metric >= result->metric_count)
        return 0;
    lauka_result_cells(result, command, metric, utf8, &cells);
    const char *change = cells.text[LAUKA_CELL_CHANGE], *interval = cells.text[LAUKA_CELL_INTERVAL];
    if (!*change || strcmp(change, lauka_dash(utf8)) == 0)
        return 0;
    return snprintf(text, size, "time: %s%s%s; ", change, *interval ? " " : "", interval);
}

static bool counts_agree(const struct lauka_why *why, const struct lauka_sampled_row *row)
{
    return why && why->standing == LAUKA_WHY_CHANGED && why->function_count > 0 &&
           strcmp(why->functions[0].name, row->name) == 0;
}

static size_t count_claims(const struct lauka_sampled *sampled)
{
    size_t claims = 0;
    while (claims < sampled->row_count && sampled->rows[claims].claimed)
        claims++;
    return claims;
}

static void put_claims(const struct lauka_result *result, const struct lauka_sampled *sampled,
                       bool utf8, char *text, size_t size)
{
    size_t claims = count_claims(sampled);
    int used = snprintf(text, size, "samples point to ");
    for (size_t r = 0; r < claims && r < TOLD && (size_t)used < size; r++) {
        const struct lauka_sampled_row *row = &sampled->rows[r];
        char name[LAUKA_WHY_CELL_SIZE], sides[LAUKA_WHY_CELL_SIZE];
        bool agrees = r == 0 && counts_agree(lauka_counted_of(result, sampled->command), row);
        put_name(row, utf8, name, sizeof name);
        format_sides(row, utf8, sides, sizeof sides);
        used += snprintf(text + used, size - (size_t)used, "%s%s%s: %s", r > 0 ? "; and to " : "",
                         name, agrees ? ", too" : "", sides);
    }
    if (claims > TOLD && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "; and to %zu more", claims - TOLD);
}

char *lauka_sampled_sentence(const struct lauka_result *result, const struct lauka_sampled *sampled,
                             bool utf8, char *text, size_t size)
{
    int used = put_time(result, sampled->command, utf8, text, size);
    size_t from = (size_t)used < size ? (size_t)used : size - 1;
    if (sampled->standing == LAUKA_SAMPLED_NOT_KNOWN)
        snprintf(text + from, size - from, "no samples: %s",
                 sampled->reason ? sampled->reason : "");
    else if (sampled->standing == LAUKA_SAMPLED_SAME)
        snprintf(text + from, size - from, "samples point to no function");
    else
        put_claims(result, sampled, utf8, text + from, size - from);
    return text;
}

/* ---- rows ---------------------------------------------------------------------------------- */

size_t lauka_sampled_rows(const struct lauka_sampled *sampled, size_t most, bool utf8,
                          struct lauka_why_row rows[LAUKA_WHY_ROWS_MOST])
{
    size_t claims = count_claims(sampled), count = 0;
    most = most < LAUKA_WHY_ROWS_MOST ? most : LAUKA_WHY_ROWS_MOST;
    for (size_t r = 0; r < claims && count < most; r++) {
        const struct lauka_sampled_row *from = &sampled->rows[r];
        struct lauka_why_row *row = &rows[count++];
        *row = (struct lauka_why_row){.is_name = *from->name != 0};
        format_points(from, utf8, row->text[LAUKA_WHY_CHANGE], LAUKA_WHY_CELL_SIZE);
        put_name(from, utf8, row->text[LAUKA_WHY_NAME], LAUKA_WHY_CELL_SIZE);
        put_safe(from->object, utf8, row->text[LAUKA_WHY_PLACE], LAUKA_WHY_CELL_SIZE);
        format_sides(from, utf8, row->text[LAUKA_WHY_SIDES], LAUKA_WHY_CELL_SIZE);
    }
    return count;
}

/* ---- below them ---------------------------------------------------------------------------- */

char *lauka_sampled_setting(const struct lauka_result *result, const struct lauka_sampled *sampled,
                            char *text, size_t size)
{
    const struct lauka_result_sampled *all = &result->sampled;
    uint64_t lost = sampled->before.lost + sampled->after.lost,
             throttled = sampled->before.throttled + sampled->after.throttled;
    int used =
        snprintf(text, size, "%" PRIu64 " and %" PRIu64 " samples (%s, %" PRIu64 " rounds, %s)",
                 sampled->before.samples, sampled->after.samples, all->event ? all->event : "none",
                 all->rounds, all->kernel ? "kernel included" : "user mode only");
    if (lost > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, "; %" PRIu64 " record%s lost", lost,
                         lost == 1 ? " was" : "s were");
    if (throttled > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "; the kernel throttled them %" PRIu64 " time%s",
                 throttled, throttled == 1 ? "" : "s");
    return text;
}

bool lauka_sampled_advice(const struct lauka_sampled *sampled, bool utf8, char *text, size_t size)
{
    char name[LAUKA_WHY_CELL_SIZE];
    text[0] = '\0';
    for (size_t r = 0; r < count_claims(sampled); r++) {
        if (sampled->rows[r].place != LAUKA_PLACE_OBJECT)
            continue;
        put_safe(sampled->rows[r].object, utf8, name, sizeof name);
        if (*name)
            snprintf(
                text, size,
                "%s has no symbols for all of it: install its debuginfo (apt install %s-dbg or "
                "-dbgsym), or build it with -g",
                name, name);
        else
            snprintf(text, size,
                     "the program has no symbols: build it with -g, and do not strip it");
        return true;
    }
    return false;
}
