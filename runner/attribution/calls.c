/* System calls by name: the kernel's counts, or the table of strace -c, and which of them one side makes more often. */
#include "runner/attribution/attribution.h"
#include "report/result/lists.h"
#include "report/result/why.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_LEAST = 5, FIELDS_MOST = 6, CALLS_AT = 3, LINE_SIZE = 256, NAMES_MOST = 4096 };
enum { CERTAINTY = 20 }; /* what differs from run to run, times this, is a change */

/* ---- counts by name ------------------------------------------------------------------------- */

/* Its count, found or made; NULL if there is no memory. */
static struct lauka_call_count *count_of(struct lauka_call_counts *counts, const char *name)
{
    for (size_t i = 0; i < counts->count; i++)
        if (strcmp(counts->counts[i].name, name) == 0)
            return &counts->counts[i];
    struct lauka_call_count *added = lauka_list_add(&counts->counts, &counts->count, sizeof *added);
    if (added)
        memcpy(added->name, name, strlen(name));
    return added;
}

int lauka_call_counts_add(struct lauka_call_counts *counts, const char *name, uint64_t calls)
{
    struct lauka_call_count *count = count_of(counts, name);

    if (count && count->calls <= UINT64_MAX / 4)
        count->calls += calls;
    return count ? 0 : ENOMEM;
}

/* ---- the table of strace ------------------------------------------------------------------------- */

/* " 70.97 0.000594 148 4 2 wait4": how many fields, between blanks. The line is taken apart. */
static size_t split(char *line, char *fields[FIELDS_MOST])
{
    char *rest = NULL, *field = strtok_r(line, " \t", &rest);
    size_t count = 0;

    for (; field && count < FIELDS_MOST; field = strtok_r(NULL, " \t", &rest))
        fields[count++] = field;
    return field ? 0 : count;
}

/* Ignores lines that are not about a call: headings, rules, sums. */
static int read_line(char *line, struct lauka_call_counts *counts)
{
    char *fields[FIELDS_MOST], *end;
    size_t field_count = split(line, fields);
    const char *name = field_count >= FIELDS_LEAST ? fields[field_count - 1] : "";

    if (field_count < FIELDS_LEAST || (*line != ' ' && (*line < '0' || *line > '9')) ||
        strlen(name) >= LAUKA_CALLS_NAME || strcmp(name, "total") == 0 ||
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") !=
            strlen(name))
        return 0;
    unsigned long long calls = strtoull(fields[CALLS_AT], &end, 10);
    if (*end || *fields[CALLS_AT] == '-' || calls == 0 || calls > UINT64_MAX / 4)
        return 0;
    return lauka_call_counts_add(counts, name, calls);
}

int lauka_calls_read(const char *text, size_t size, struct lauka_call_counts *counts)
{
    int error = 0;

    for (const char *at = text, *end = text + size; at < end && !error;) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((next ? next : end) - at);
        char line[LINE_SIZE];
        if (length < sizeof line && counts->count < NAMES_MOST) {
            memcpy(line, at, length);
            line[length] = '\0';
            error = read_line(line, counts);
        }
        at += length + 1;
    }
    return error || counts->count > 0 ? error : EINVAL;
}

void lauka_call_counts_done(struct lauka_call_counts *counts)
{
    free(counts->counts);
    *counts = (struct lauka_call_counts){0};
}

/* ---- two sides ------------------------------------------------------------------------------------ */

static uint64_t calls_of(const struct lauka_call_counts *counts, const char *name)
{
    for (size_t i = 0; i < counts->count; i++)
        if (strcmp(counts->counts[i].name, name) == 0)
            return counts->counts[i].calls;
    return 0;
}

static uint64_t all_of(const struct lauka_call_counts *counts)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < counts->count; i++)
        sum += sum <= UINT64_MAX / 4 ? counts->counts[i].calls : 0;
    return sum;
}

/* The first run of each represents it: a mean of counts would be a number that nobody saw. */
static struct lauka_why_cost cost_of(const uint64_t runs[2][LAUKA_CALLS_RUNS])
{
    return (struct lauka_why_cost){runs[0][0], runs[1][0]};
}

static int compare_name(const struct lauka_call_counts sides[2][LAUKA_CALLS_RUNS], const char *name,
                        struct lauka_calls *calls)
{
    uint64_t runs[2][LAUKA_CALLS_RUNS];

    for (int side = 0; side < 2; side++)
        for (int run = 0; run < LAUKA_CALLS_RUNS; run++)
            runs[side][run] = calls_of(&sides[side][run], name);
    uint64_t change = lauka_attribution_distance(runs[0][0], runs[1][0]),
             spread = lauka_attribution_spread(runs);
    if (change == 0 || change / CERTAINTY < spread)
        return 0;
    struct lauka_calls_row *row = lauka_list_add(&calls->rows, &calls->row_count, sizeof *row);
    if (!row)
        return ENOMEM;
    *row = (struct lauka_calls_row){strdup(name), cost_of(runs), spread};
    return row->name ? 0 : ENOMEM;
}

static int compare_rows(const void *a, const void *b)
{
    const struct lauka_calls_row *left = a, *right = b;
    uint64_t change = lauka_attribution_distance(left->calls.before, left->calls.after),
             other = lauka_attribution_distance(right->calls.before, right->calls.after);

    if (change != other)
        return change > other ? -1 : 1;
    return strcmp(left->name, right->name);
}

/* Names of the reference, then those that the command alone has. */
int lauka_calls_compare(const struct lauka_call_counts sides[2][LAUKA_CALLS_RUNS],
                        struct lauka_calls *calls)
{
    uint64_t runs[2][LAUKA_CALLS_RUNS];
    int error = 0;

    for (int side = 0; side < 2; side++) {
        const struct lauka_call_counts *own = &sides[side][0];
        for (size_t i = 0; i < own->count && !error; i++)
            if (side == 0 || calls_of(&sides[0][0], own->counts[i].name) == 0)
                error = compare_name(sides, own->counts[i].name, calls);
        for (int run = 0; run < LAUKA_CALLS_RUNS; run++)
            runs[side][run] = all_of(&sides[side][run]);
    }
    calls->calls = cost_of(runs);
    calls->spread = lauka_attribution_spread(runs);
    if (calls->row_count > 1)
        qsort(calls->rows, calls->row_count, sizeof *calls->rows, compare_rows);
    return error;
}
