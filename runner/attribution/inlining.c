/* Functions that exist on one side only. A compiler moved them into others, or out of them: then the other
 * side's function has their source lines, which may have moved within the file since. */
#include "runner/attribution/pairs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SHIFTS_MOST = 16, SHARE = 4 /* so many times what is found there again is the cost */ };

struct search {
    struct lauka_function_pairs *pairs;
    struct lauka_function_pair_line **places; /* owned; all lines, by file and line */
    uint64_t *found;                          /* owned; by pair: what of the function is in it */
    size_t from, count;                       /* the function's own lines */
    int side;                                 /* the one that the function is on */
    int64_t shift; /* on the other side its lines are so much further down */
};

static int compare_places(const void *a, const void *b)
{
    const struct lauka_function_pair_line *left = *(struct lauka_function_pair_line *const *)a,
                                          *right = *(struct lauka_function_pair_line *const *)b;
    int order = strcmp(left->file, right->file);

    order = order ? order : (left->line > right->line) - (left->line < right->line);
    return order ? order : (left->pair > right->pair) - (left->pair < right->pair);
}

/* The first of all lines there, or behind it. */
static size_t find_place(const struct search *search, const char *file, uint64_t line)
{
    size_t low = 0, high = search->pairs->line_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct lauka_function_pair_line *at = search->places[middle];
        int order = strcmp(at->file, file);
        if (order < 0 || (order == 0 && at->line < line))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What other functions have of the line on the other side, and did not have on the function's own. */
static void look_at(const struct search *search, const struct lauka_function_pair_line *own,
                    uint64_t line)
{
    const struct lauka_function_pairs *pairs = search->pairs;

    for (size_t i = find_place(search, own->file, line); i < pairs->line_count; i++) {
        const struct lauka_function_pair_line *other = search->places[i];
        if (other->line != line || strcmp(other->file, own->file) != 0)
            return;
        if (other->pair == own->pair)
            continue;
        const struct lauka_function_pair_line *before =
            lauka_function_pairs_line(pairs, other->pair, own->file, own->line);
        uint64_t after = other->instructions[!search->side],
                 had = before ? before->instructions[search->side] : 0;
        search->found[other->pair] += after > had ? after - had : 0;
    }
}

static uint64_t shifted(const struct search *search, uint64_t line)
{
    int64_t shift = search->side == 0 ? search->shift : -search->shift;

    return shift < 0 && (uint64_t)-shift >= line ? 0 : line + (uint64_t)shift;
}

/* The pair that has most of it; *most: how much. */
static size_t find_host(const struct search *search, uint64_t *most)
{
    const struct lauka_function_pairs *pairs = search->pairs;
    size_t host = SIZE_MAX;

    *most = 0;
    memset(search->found, 0, pairs->count * sizeof *search->found);
    for (size_t l = search->from; l < search->from + search->count; l++) {
        uint64_t line = shifted(search, pairs->lines[l].line);
        if (*pairs->lines[l].file && line > 0)
            look_at(search, &pairs->lines[l], line);
    }
    for (size_t p = 0; p < pairs->count; p++)
        if (search->found[p] > *most) {
            *most = search->found[p];
            host = p;
        }
    return host;
}

/* How far functions of the file moved, if they exist on both sides; 0 comes first. */
static size_t list_shifts(const struct lauka_function_pairs *pairs, const char *file,
                          int64_t shifts[SHIFTS_MOST])
{
    size_t count = 1;

    shifts[0] = 0;
    for (size_t p = 0; p < pairs->count && count < SHIFTS_MOST; p++) {
        const struct lauka_function_pair *pair = &pairs->pairs[p];
        bool known = pair->into == p && pair->file == file && pair->first[0] && pair->first[1];
        int64_t shift = known ? (int64_t)(pair->first[1] - pair->first[0]) : 0;
        for (size_t s = 0; s < count && known; s++)
            known = shifts[s] != shift;
        if (known)
            shifts[count++] = shift;
    }
    return count;
}

static uint64_t cost_of(const struct lauka_function_pair *pair, int side)
{
    return pair->instructions[side][0];
}

/* Its lines become the host's: what is said about lines concerns both together. */
static void move_lines(const struct search *search, size_t host)
{
    const struct lauka_function_pairs *pairs = search->pairs;

    for (size_t l = search->from; l < search->from + search->count; l++) {
        struct lauka_function_pair_line *own = &pairs->lines[l],
                                        *there = lauka_function_pairs_line(
                                            pairs, host, own->file, shifted(search, own->line));
        if (!there)
            continue;
        there->instructions[search->side] += own->instructions[search->side];
        own->instructions[search->side] = 0;
    }
}

static bool join_host(struct search *search, size_t pair)
{
    struct lauka_function_pair *own = &search->pairs->pairs[pair];
    int64_t shifts[SHIFTS_MOST];
    size_t count = list_shifts(search->pairs, own->file, shifts);

    for (size_t s = 0; s < count; s++) {
        uint64_t most;
        search->shift = shifts[s];
        size_t host = find_host(search, &most);
        if (host == SIZE_MAX || most < cost_of(own, search->side) / SHARE)
            continue;
        struct lauka_function_pair *target = &search->pairs->pairs[host];
        if (target->into != host || host == pair)
            continue;
        if (!target->called) { /* the first one is told, which costs most */
            target->called = own->name;
            target->fate = search->side == 0 ? LAUKA_WHY_TOOK : LAUKA_WHY_PARTED;
        }
        move_lines(search, host);
        own->inlined = true;
        lauka_function_pairs_join(search->pairs, pair, host);
        return true;
    }
    return false;
}

/* Without lines: another function of the file changed by about as much in the other direction. */
static void guess_host(struct lauka_function_pairs *pairs, size_t pair, int side)
{
    struct lauka_function_pair *own = &pairs->pairs[pair];
    uint64_t most = 0, cost = cost_of(own, side);

    own->fate = side == 0 ? LAUKA_WHY_GONE : LAUKA_WHY_NEW;
    for (size_t p = 0; p < pairs->count; p++) {
        const struct lauka_function_pair *other = &pairs->pairs[p];
        uint64_t here = cost_of(other, side), there = cost_of(other, !side);
        bool near = other->into == p && other->file == own->file && here > 0 && there > here;
        if (!near || there - here < cost / SHARE || there - here > cost * SHARE ||
            there - here <= most || !*own->file)
            continue;
        most = there - here;
        own->called = other->name;
    }
}

/* ---- all of them -------------------------------------------------------------------------------- */

struct lonely {
    size_t pair;
    uint64_t cost;
};

static int compare_lonely(const void *a, const void *b)
{
    const struct lonely *left = a, *right = b;

    if (left->cost != right->cost)
        return left->cost > right->cost ? -1 : 1;
    return (left->pair > right->pair) - (left->pair < right->pair);
}

/* What exists on one side only, the most expensive first. */
static size_t list_lonely(const struct lauka_function_pairs *pairs, struct lonely *list)
{
    size_t count = 0;

    for (size_t p = 0; p < pairs->count; p++) {
        const struct lauka_function_pair *pair = &pairs->pairs[p];
        bool before = lauka_function_pair_is_on(pair, 0),
             after = lauka_function_pair_is_on(pair, 1);
        if (pair->into == p && *pair->name && before != after)
            list[count++] = (struct lonely){p, cost_of(pair, after)};
    }
    if (count > 0)
        qsort(list, count, sizeof *list, compare_lonely);
    return count;
}

static void find_own_lines(struct search *search, size_t pair)
{
    const struct lauka_function_pairs *pairs = search->pairs;
    size_t low = 0, high = pairs->line_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (pairs->lines[middle].pair < pair)
            low = middle + 1;
        else
            high = middle;
    }
    search->from = low;
    for (search->count = 0;
         low + search->count < pairs->line_count && pairs->lines[low + search->count].pair == pair;)
        search->count++;
}

static void find_all(struct search *search, const struct lonely *list, size_t count)
{
    enum { LOOKED_AT = 200 }; /* others cost too little to be told */

    for (size_t i = 0; i < count && i < LOOKED_AT; i++) {
        size_t pair = list[i].pair;
        if (search->pairs->pairs[pair].into != pair)
            continue;
        search->side = lauka_function_pair_is_on(&search->pairs->pairs[pair], 1);
        find_own_lines(search, pair);
        if (!join_host(search, pair))
            guess_host(search->pairs, pair, search->side);
    }
}

int lauka_inlining_find(struct lauka_function_pairs *pairs)
{
    struct search search = {.pairs = pairs};
    struct lonely *list = calloc(pairs->count + 1, sizeof *list);

    search.places = calloc(pairs->line_count + 1, sizeof *search.places);
    search.found = calloc(pairs->count + 1, sizeof *search.found);
    bool good = list && search.places && search.found;
    if (good) {
        for (size_t l = 0; l < pairs->line_count; l++)
            search.places[l] = &pairs->lines[l];
        if (pairs->line_count > 0)
            qsort(search.places, pairs->line_count, sizeof(*search.places), compare_places);
        find_all(&search, list, list_lonely(pairs, list));
    }
    free(list);
    free(search.places);
    free(search.found);
    return good ? 0 : ENOMEM;
}
