/* System calls and page faults, in words: the same on the terminal, in comments and on the page. */
#include "report/words/calls.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "report/words/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_MOST = 4 };

struct text { /* that grows as far as there is room */
    char *bytes;
    size_t size, used;
};

static void put(struct text *text, const char *piece)
{
    if (text->used < text->size)
        text->used +=
            (size_t)snprintf(text->bytes + text->used, text->size - text->used, "%s", piece);
}

/* "read +12 (3 → 15)" */
static void put_row(struct text *text, const char *name, struct lauka_why_cost cost, bool utf8)
{
    char piece[160];
    int64_t change = lauka_why_change(cost);
    snprintf(piece, sizeof piece, "%.60s %s%" PRIu64 " (%" PRIu64 " %s %" PRIu64 ")", name,
             lauka_sign((double)change, utf8), change < 0 ? (uint64_t)-change : (uint64_t)change,
             cost.before, utf8 ? "→" : "->", cost.after);
    put(text, piece);
}

/* ---- system calls -------------------------------------------------------------------------- */

static void put_calls(struct text *text, const struct lauka_calls *calls, bool utf8)
{
    char piece[160];
    put(text, "system calls: ");
    for (size_t r = 0; r < calls->row_count && r < NAMES_MOST; r++) {
        put(text, r > 0 ? ", " : "");
        put_row(text, calls->rows[r].name, calls->rows[r].calls, utf8);
    }
    if (calls->row_count > NAMES_MOST) {
        snprintf(piece, sizeof piece, ", and %zu more", calls->row_count - NAMES_MOST);
        put(text, piece);
    }
    if (calls->row_count > 0)
        return;
    if (calls->spread == 0)
        snprintf(piece, sizeof piece, "the same (%" PRIu64 ")", calls->calls.before);
    else
        snprintf(piece, sizeof piece, "about as many (%" PRIu64 ", %s%" PRIu64 " between runs)",
                 calls->calls.before, utf8 ? "±" : "+-", calls->spread);
    put(text, piece);
}

/* ---- page faults --------------------------------------------------------------------------- */

/* Whether they are known to differ; *same: none changed in any round. */
static bool faults_differ(const struct lauka_result *result, size_t command, const char *name,
                          struct lauka_cells *cells, bool *same, bool utf8)
{
    size_t metric = lauka_result_metric_index(result, name);
    *same = false;
    if (metric >= result->metric_count)
        return false;
    lauka_result_cells(result, command, metric, utf8, cells);
    const char *verdict = cells->text[LAUKA_CELL_VERDICT];
    *same = strcmp(verdict, "identical") == 0;
    return strcmp(verdict, "higher") == 0 || strcmp(verdict, "lower") == 0;
}

/* "minor +24 % [+22, +26]" */
static void put_faults(struct text *text, const struct lauka_result *result, size_t command,
                       bool utf8)
{
    static const char *const names[][2] = {{"minor_faults", "minor"}, {"major_faults", "major"}};
    bool all_same = true, any = false;
    put(text, "; page faults: ");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct lauka_cells cells;
        bool same, differs = faults_differ(result, command, names[i][0], &cells, &same, utf8);
        all_same = all_same && same;
        if (!differs)
            continue;
        put(text, any ? ", " : "");
        put(text, names[i][1]);
        put(text, " ");
        put(text, cells.text[LAUKA_CELL_CHANGE]);
        put(text, *cells.text[LAUKA_CELL_INTERVAL] ? " " : "");
        put(text, cells.text[LAUKA_CELL_INTERVAL]);
        any = true;
    }
    if (!any)
        put(text, all_same ? "the same" : "no difference is known");
}

bool lauka_calls_sentence(const struct lauka_result *result, size_t command, bool utf8, char *text,
                          size_t size)
{
    const struct lauka_calls *calls = NULL;
    struct text put_to = {text, size, 0};
    text[0] = '\0';
    for (size_t c = 0; c < result->calls.count; c++)
        if (result->calls.commands[c].command == command)
            calls = &result->calls.commands[c];
    if (!calls)
        return false;
    if (calls->reason) {
        put(&put_to, "system calls: not counted, as ");
        put(&put_to, calls->reason);
    } else {
        put_calls(&put_to, calls, utf8);
    }
    put_faults(&put_to, result, command, utf8);
    return true;
}
