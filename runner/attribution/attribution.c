/* Why a side executes more instructions. A function is reported if its change cannot be the difference
 * that two runs of one command have anyway, and is large enough to matter. */
#include "runner/attribution/attribution.h"
#include "report/result/lists.h"
#include "report/result/why.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAST = 2000,   /* a change matters from this part of all instructions on: 0.05 % */
    CERTAINTY = 20, /* and where it is so many times what differs between two runs */
    LINES_MOST = 3
};

/* ---- figures ------------------------------------------------------------------------------------ */

static uint64_t mean_of(const uint64_t runs[LAUKA_ATTRIBUTION_RUNS])
{
    return runs[0] / 2 + runs[1] / 2 + (runs[0] % 2 + runs[1] % 2) / 2;
}

static struct lauka_why_cost means_of(const uint64_t sides[2][LAUKA_ATTRIBUTION_RUNS])
{
    return (struct lauka_why_cost){mean_of(sides[0]), mean_of(sides[1])};
}

static bool matters(struct lauka_why_cost cost, uint64_t spread, uint64_t total)
{
    uint64_t change = lauka_attribution_distance(cost.before, cost.after);

    return change > total / LEAST && change / CERTAINTY >= spread && change > 0;
}

/* ---- a function --------------------------------------------------------------------------------- */

static int compare_changes(const void *a, const void *b)
{
    const struct lauka_function_pair *left = *(const struct lauka_function_pair *const *)a,
                                     *right = *(const struct lauka_function_pair *const *)b;
    struct lauka_why_cost first = means_of(left->instructions),
                          second = means_of(right->instructions);
    uint64_t change = lauka_attribution_distance(first.before, first.after),
             other = lauka_attribution_distance(second.before, second.after);

    if (change != other)
        return change > other ? -1 : 1;
    int order = strcmp(left->name, right->name);
    order = order ? order : strcmp(left->path, right->path);
    return order ? order : strcmp(left->object, right->object);
}

static uint64_t line_change(const struct lauka_function_pair_line *line)
{
    return lauka_attribution_distance(line->instructions[0], line->instructions[1]);
}

/* The pair's line that changed most, and less than those before it; NULL: there is none. */
static const struct lauka_function_pair_line *next_line(const struct lauka_function_pairs *pairs,
                                                        size_t pair,
                                                        const struct lauka_function_pair_line *last)
{
    const struct lauka_function_pair_line *next = NULL;

    for (size_t l = 0; l < pairs->line_count; l++) {
        const struct lauka_function_pair_line *line = &pairs->lines[l];
        if (line->line == 0 || line_change(line) == 0 ||
            lauka_function_pairs_final(pairs, line->pair) != pair)
            continue;
        bool later = !last || line_change(line) < line_change(last) ||
                     (line_change(line) == line_change(last) && line > last);
        if (later && (!next || line_change(line) > line_change(next)))
            next = line;
    }
    return next;
}

static int add_lines(const struct lauka_function_pairs *pairs, size_t pair,
                     struct lauka_why_function *function)
{
    const struct lauka_function_pair_line *line = NULL;

    for (int i = 0; i < LINES_MOST && (line = next_line(pairs, pair, line)); i++) {
        struct lauka_why_line *added =
            lauka_list_add(&function->lines, &function->line_count, sizeof *added);
        if (!added)
            return ENOMEM;
        *added = (struct lauka_why_line){
            .file = strdup(line->path),
            .line = line->line,
            .instructions = {line->instructions[0], line->instructions[1]},
        };
        if (!added->file)
            return ENOMEM;
    }
    return 0;
}

static int add_function(const struct lauka_function_pairs *pairs,
                        const struct lauka_function_pair *pair, struct lauka_why *why)
{
    struct lauka_why_function *function =
        lauka_list_add(&why->functions, &why->function_count, sizeof *function);

    if (!function)
        return ENOMEM;
    /* Its first line may be another function's, which was inlined. */
    const struct lauka_function_pair_line *most =
        next_line(pairs, (size_t)(pair - pairs->pairs), NULL);
    *function = (struct lauka_why_function){
        .name = strdup(pair->name),
        .object = strdup(pair->object),
        .file = strdup(most ? most->path : pair->path),
        .line = most ? most->line : pair->line,
        .partner = pair->called ? strdup(pair->called) : NULL,
        .fate = pair->fate,
        .instructions = means_of(pair->instructions),
        .cycles = {pair->cycles[0], pair->cycles[1]},
        .spread = lauka_attribution_spread(pair->instructions),
    };
    bool good = function->name && function->object && function->file &&
                (function->partner || !pair->called);
    return good ? add_lines(pairs, (size_t)(pair - pairs->pairs), function) : ENOMEM;
}

/* ---- all of them -------------------------------------------------------------------------------- */

static void add_totals(const struct lauka_function_pairs *pairs,
                       const struct lauka_attribution_side sides[2], struct lauka_why *why)
{
    uint64_t totals[2][LAUKA_ATTRIBUTION_RUNS], beyond[2][LAUKA_ATTRIBUTION_RUNS], cycles[2] = {0};

    for (int side = 0; side < 2; side++)
        for (int run = 0; run < LAUKA_ATTRIBUTION_RUNS; run++) {
            uint64_t known = 0;
            for (size_t p = 0; p < pairs->count; p++)
                if (pairs->pairs[p].into == p) {
                    known += pairs->pairs[p].instructions[side][run];
                    cycles[side] += run == 0 ? pairs->pairs[p].cycles[side] : 0;
                }
            totals[side][run] = sides[side].totals[run];
            beyond[side][run] = totals[side][run] > known ? totals[side][run] - known : 0;
        }
    why->instructions = means_of(totals);
    why->cycles = (struct lauka_why_cost){cycles[0], cycles[1]};
    why->beyond = means_of(beyond);
    why->spread = lauka_attribution_spread(totals);
}

static uint64_t rest_of(uint64_t total, uint64_t part)
{
    return total > part ? total - part : 0;
}

/* Makes everything that is reported add up to the whole. */
static void add_others(struct lauka_why *why)
{
    why->others.before = rest_of(why->instructions.before, why->beyond.before);
    why->others.after = rest_of(why->instructions.after, why->beyond.after);
    for (size_t f = 0; f < why->function_count; f++) {
        const struct lauka_why_cost *told = &why->functions[f].instructions;
        why->others.before = rest_of(why->others.before, told->before);
        why->others.after = rest_of(why->others.after, told->after);
    }
}

static int tell(const struct lauka_function_pairs *pairs, const struct lauka_function_pair **sorted,
                size_t count, struct lauka_why *why)
{
    int error = 0;

    for (size_t i = 0; i < count && !error; i++) {
        struct lauka_why_cost cost = means_of(sorted[i]->instructions);
        bool told = why->function_count < LAUKA_ATTRIBUTION_MOST &&
                    matters(cost, lauka_attribution_spread(sorted[i]->instructions),
                            why->instructions.before);
        if (told)
            error = add_function(pairs, sorted[i], why);
        else
            why->other_count += cost.before != cost.after;
    }
    return error;
}

static int add_inlinings(const struct lauka_function_pairs *pairs, struct lauka_why *why)
{
    for (size_t p = 0; p < pairs->count; p++) {
        const struct lauka_function_pair *pair = &pairs->pairs[p],
                                         *host =
                                             &pairs->pairs[lauka_function_pairs_final(pairs, p)];
        if (!pair->inlined || pair->object != host->object)
            continue;
        struct lauka_why_inlining *inlining =
            lauka_list_add(&why->inlinings, &why->inlining_count, sizeof *inlining);
        if (!inlining)
            return ENOMEM;
        *inlining = (struct lauka_why_inlining){strdup(pair->name), strdup(pair->object),
                                                strdup(host->name)};
        if (!inlining->name || !inlining->object || !inlining->host)
            return ENOMEM;
    }
    return 0;
}

static enum lauka_why_standing judge(const struct lauka_why *why)
{
    uint64_t before = why->instructions.before;

    if (why->function_count > 0 || matters(why->instructions, why->spread, before))
        return LAUKA_WHY_CHANGED;
    return lauka_attribution_distance(before, why->instructions.after) <= before / LEAST
               ? LAUKA_WHY_SAME
               : LAUKA_WHY_WITHIN;
}

static int attribute(const struct lauka_function_pairs *pairs,
                     const struct lauka_attribution_side sides[2], struct lauka_why *why)
{
    const struct lauka_function_pair **sorted = calloc(pairs->count + 1, sizeof *sorted);
    size_t count = 0;

    if (!sorted)
        return ENOMEM;
    for (size_t p = 0; p < pairs->count; p++)
        if (pairs->pairs[p].into == p)
            sorted[count++] = &pairs->pairs[p];
    if (count > 0)
        qsort(sorted, count, sizeof(*sorted), compare_changes);
    add_totals(pairs, sides, why);
    int error = tell(pairs, sorted, count, why);
    if (!error)
        error = add_inlinings(pairs, why);
    add_others(why);
    why->standing = judge(why);
    free(sorted);
    return error;
}

static void demangle(struct lauka_why *why)
{
    char **names[2 * LAUKA_ATTRIBUTION_MOST];
    size_t count = 0;

    for (size_t f = 0; f < why->function_count; f++) {
        names[count++] = &why->functions[f].name;
        if (why->functions[f].partner)
            names[count++] = &why->functions[f].partner;
    }
    lauka_attribution_demangle(names, count, false);
}

int lauka_attribution_make(const struct lauka_attribution_side sides[2], struct lauka_why *why)
{
    struct lauka_function_pairs pairs;
    int error = lauka_function_pairs_make(sides, &pairs);

    if (!error)
        error = lauka_inlining_find(&pairs);
    if (!error)
        error = attribute(&pairs, sides, why);
    lauka_function_pairs_done(&pairs);
    if (!error)
        demangle(why);
    return error;
}
