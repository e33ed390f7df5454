/* The functions of two sides, paired: by name, file and object; then, for the rest, by name and file,
 * because programs and libraries may have different names; then by name alone, because one side may lack
 * -g. */
#include "runner/attribution/attribution.h"
#include "pmu/array.h"
#include "pmu/profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- one pair ----------------------------------------------------------------------------------- */

/* Whether it costs something on this side, in some run. */
static bool is_on(const struct lauka_function_pair *pair, int side)
{
    bool on = false;

    for (int run = 0; run < LAUKA_ATTRIBUTION_RUNS; run++)
        on |= pair->instructions[side][run] > 0;
    return on;
}

size_t lauka_function_pairs_final(const struct lauka_function_pairs *pairs, size_t pair)
{
    while (pairs->pairs[pair].into != pair)
        pair = pairs->pairs[pair].into;
    return pair;
}

/* Adds the costs of a pair to another one, with which it is counted from now on. */
static void join(struct lauka_function_pairs *pairs, size_t from, size_t into)
{
    struct lauka_function_pair *source = &pairs->pairs[from], *target = &pairs->pairs[into];

    for (int side = 0; side < 2; side++) {
        target->cycles[side] += source->cycles[side];
        for (int run = 0; run < LAUKA_ATTRIBUTION_RUNS; run++)
            target->instructions[side][run] += source->instructions[side][run];
    }
    source->into = into;
}

/* The place of the pair, found or made; SIZE_MAX if there is no memory. */
static size_t find_pair(struct lauka_function_pairs *pairs,
                        const struct lauka_profile_function *key)
{
    size_t place = lauka_profile_function(&pairs->texts, key);

    if (place == SIZE_MAX || place < pairs->count)
        return place;
    struct lauka_function_pair *pair =
        lauka_array_add(&pairs->pairs, &pairs->count, &pairs->room, sizeof *pair);
    if (!pair)
        return SIZE_MAX;
    *pair = (struct lauka_function_pair){
        .name = key->name, .file = key->file, .object = key->object, .path = "", .into = place};
    return place;
}

/* ---- from profiles ------------------------------------------------------------------------------ */

/* Code without a name is one function of its object. */
static size_t add_function(struct lauka_function_pairs *pairs,
                           const struct lauka_profile_function *function,
                           const struct lauka_attribution_side *about)
{
    struct lauka_profile *texts = &pairs->texts;
    const char *path = lauka_attribution_path(texts, function->file, about->folder);
    struct lauka_profile_function key = {
        lauka_attribution_name(texts, function->name),
        lauka_attribution_file(texts, *function->name ? function->file : ""),
        lauka_attribution_object(texts, function->object, about->program)};

    if (!path || !key.name || !key.file || !key.object)
        return SIZE_MAX;
    size_t place = find_pair(pairs, &key);
    if (place != SIZE_MAX && *key.name)
        pairs->pairs[place].path = path; /* the last one: of the side that is compared */
    return place;
}

/* *places: of the pairs of all functions of the profile, owned by the caller. */
static int find_pairs(struct lauka_function_pairs *pairs, const struct lauka_profile *profile,
                      const struct lauka_attribution_side *about, size_t **places)
{
    *places = calloc(profile->function_count + 1, sizeof **places);
    for (size_t f = 0; *places && f < profile->function_count; f++)
        if (((*places)[f] = add_function(pairs, &profile->functions[f], about)) == SIZE_MAX)
            return ENOMEM;
    return *places ? 0 : ENOMEM;
}

static int add_lines(struct lauka_function_pairs *pairs, const struct lauka_attribution_side *about,
                     const size_t *places, int side)
{
    const struct lauka_profile *profile = about->runs[0];
    size_t count = pairs->line_count + profile->line_count;
    struct lauka_function_pair_line *grown = realloc(pairs->lines, (count + 1) * sizeof *grown);

    if (!grown)
        return ENOMEM;
    pairs->lines = grown;
    for (size_t l = 0; l < profile->line_count; l++) {
        const struct lauka_profile_line *line = &profile->lines[l];
        struct lauka_function_pair_line *own = &grown[pairs->line_count++];
        *own = (struct lauka_function_pair_line){
            .pair = places[line->function],
            .file = lauka_attribution_file(&pairs->texts, line->file),
            .path = lauka_attribution_path(&pairs->texts, line->file, about->folder),
            .line = line->line,
        };
        own->instructions[side] = line->cost.instructions;
        if (!own->file || !own->path)
            return ENOMEM;
    }
    return 0;
}

static int add_run(struct lauka_function_pairs *pairs, const struct lauka_attribution_side *about,
                   int side, int run)
{
    const struct lauka_profile *profile = about->runs[run];
    size_t *places = NULL;
    int error = find_pairs(pairs, profile, about, &places);

    for (size_t l = 0; !error && l < profile->line_count; l++) {
        const struct lauka_profile_line *line = &profile->lines[l];
        struct lauka_function_pair *pair = &pairs->pairs[places[line->function]];
        pair->instructions[side][run] += line->cost.instructions;
        pair->cycles[side] += run == 0 ? line->cost.cycles : 0;
    }
    if (!error && run == 0)
        error = add_lines(pairs, about, places, side);
    free(places);
    return error;
}

/* ---- what is left over -------------------------------------------------------------------------- */

struct leftover {
    const char *name, *file;
    size_t pair;
};

static int compare_leftovers(const void *a, const void *b)
{
    const struct leftover *left = a, *right = b;
    int order = strcmp(left->name, right->name);

    order = order ? order : strcmp(left->file, right->file);
    return order ? order : (left->pair > right->pair) - (left->pair < right->pair);
}

/* Functions that exist on one side only and have a name. */
static size_t list_leftovers(const struct lauka_function_pairs *pairs, bool by_file,
                             struct leftover *list)
{
    size_t count = 0;

    for (size_t p = 0; p < pairs->count; p++) {
        const struct lauka_function_pair *pair = &pairs->pairs[p];
        if (pair->into == p && *pair->name && is_on(pair, 0) != is_on(pair, 1))
            list[count++] = (struct leftover){pair->name, by_file ? pair->file : "", p};
    }
    qsort(list, count, sizeof *list, compare_leftovers);
    return count;
}

/* One on each side, and no others with that name. */
static void join_leftovers(struct lauka_function_pairs *pairs, const struct leftover *list,
                           size_t count)
{
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1;
             next < count && list[next].file == list[i].file && list[next].name == list[i].name;)
            next++;
        size_t a = list[i].pair, b = list[next - 1].pair;
        if (next - i != 2 || is_on(&pairs->pairs[a], 0) == is_on(&pairs->pairs[b], 0))
            continue;
        bool first = is_on(&pairs->pairs[a], 0);
        join(pairs, first ? a : b, first ? b : a);
    }
}

static int pair_leftovers(struct lauka_function_pairs *pairs)
{
    struct leftover *list = calloc(pairs->count + 1, sizeof *list);

    if (!list)
        return ENOMEM;
    join_leftovers(pairs, list, list_leftovers(pairs, true, list));
    join_leftovers(pairs, list, list_leftovers(pairs, false, list));
    free(list);
    return 0;
}

/* ---- lines -------------------------------------------------------------------------------------- */

static int compare_lines(const void *a, const void *b)
{
    const struct lauka_function_pair_line *left = a, *right = b;

    if (left->pair != right->pair)
        return left->pair < right->pair ? -1 : 1;
    int order = strcmp(left->file, right->file);
    return order ? order : (left->line > right->line) - (left->line < right->line);
}

static void sort_lines(struct lauka_function_pairs *pairs)
{
    size_t count = 0;

    for (size_t l = 0; l < pairs->line_count; l++)
        pairs->lines[l].pair = lauka_function_pairs_final(pairs, pairs->lines[l].pair);
    if (pairs->line_count > 0)
        qsort(pairs->lines, pairs->line_count, sizeof *pairs->lines, compare_lines);
    for (size_t l = 0; l < pairs->line_count; l++) {
        struct lauka_function_pair_line *last = count ? &pairs->lines[count - 1] : NULL;
        if (!last || compare_lines(last, &pairs->lines[l]) != 0) {
            pairs->lines[count++] = pairs->lines[l];
            continue;
        }
        for (int side = 0; side < 2; side++)
            last->instructions[side] += pairs->lines[l].instructions[side];
    }
    pairs->line_count = count;
}

/* The pair's own line; NULL where there is none. */
static struct lauka_function_pair_line *line_of(const struct lauka_function_pairs *pairs,
                                                size_t pair, const char *file, uint64_t line)
{
    const struct lauka_function_pair_line wanted = {.pair = pair, .file = file, .line = line};

    return pairs->line_count == 0 ? NULL
                                  : bsearch(&wanted, pairs->lines, pairs->line_count,
                                            sizeof *pairs->lines, compare_lines);
}

/* Cachegrind does not say which file a function belongs to: it is the one with most of its cost. */
static void guess_file(struct lauka_function_pair *pair,
                       const struct lauka_function_pair_line *lines, size_t count)
{
    uint64_t most = 0;

    for (size_t i = 0, next; i < count; i = next) {
        uint64_t sum = 0;
        for (next = i; next < count && lines[next].file == lines[i].file; next++)
            sum += lines[next].instructions[0] + lines[next].instructions[1];
        if (sum > most && *lines[i].file) {
            most = sum;
            pair->file = lines[i].file;
            pair->path = lines[next - 1].path;
        }
    }
}

static void find_first(struct lauka_function_pair *pair,
                       const struct lauka_function_pair_line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (int side = 0; side < 2; side++)
            if (lines[i].file == pair->file && lines[i].line > 0 && lines[i].instructions[side] &&
                (!pair->first[side] || lines[i].line < pair->first[side]))
                pair->first[side] = lines[i].line;
    pair->line = pair->first[1] ? pair->first[1] : pair->first[0];
}

static void find_places(struct lauka_function_pairs *pairs)
{
    for (size_t i = 0, next; i < pairs->line_count; i = next) {
        struct lauka_function_pair *pair = &pairs->pairs[pairs->lines[i].pair];
        for (next = i + 1;
             next < pairs->line_count && pairs->lines[next].pair == pairs->lines[i].pair;)
            next++;
        if (!*pair->file && *pair->name)
            guess_file(pair, &pairs->lines[i], next - i);
        find_first(pair, &pairs->lines[i], next - i);
        pair->lines = i;
        pair->line_count = next - i;
    }
}

/* ---- all of it ---------------------------------------------------------------------------------- */

int lauka_function_pairs_make(const struct lauka_attribution_side sides[2],
                              struct lauka_function_pairs *pairs)
{
    int error = 0;

    *pairs = (struct lauka_function_pairs){0};
    for (int side = 0; side < 2; side++)
        for (int run = 0; run < LAUKA_ATTRIBUTION_RUNS && !error; run++)
            error = add_run(pairs, &sides[side], side, run);
    if (!error)
        error = pair_leftovers(pairs);
    if (error)
        return error;
    sort_lines(pairs);
    find_places(pairs);
    return 0;
}

void lauka_function_pairs_done(struct lauka_function_pairs *pairs)
{
    free(pairs->pairs);
    free(pairs->lines);
    lauka_profile_done(&pairs->texts);
    *pairs = (struct lauka_function_pairs){0};
}

/* ---- functions that exist on one side only ------------------------------------------------------- */

/* A compiler moved them into others, or out of them: then the other side's function has their source lines, which may
 * have moved within the file since. */

enum { SHIFTS_MOST = 16, SHARE = 4 /* so many times what is found there again is the cost */ };

struct search {
    struct lauka_function_pairs *pairs;
    struct lauka_function_pair_line **places; /* owned; all lines, by file and line */
    uint64_t *found;                          /* owned; by pair: what of the function is in it */
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
            line_of(pairs, other->pair, own->file, own->line);
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

/* The pair that has most of the function; *most: how much. */
static size_t find_host(const struct search *search, const struct lauka_function_pair *own,
                        uint64_t *most)
{
    const struct lauka_function_pairs *pairs = search->pairs;
    size_t host = SIZE_MAX;

    *most = 0;
    memset(search->found, 0, pairs->count * sizeof *search->found);
    for (size_t l = own->lines; l < own->lines + own->line_count; l++) {
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
static void move_lines(const struct search *search, const struct lauka_function_pair *from,
                       size_t host)
{
    const struct lauka_function_pairs *pairs = search->pairs;

    for (size_t l = from->lines; l < from->lines + from->line_count; l++) {
        struct lauka_function_pair_line *own = &pairs->lines[l],
                                        *there = line_of(pairs, host, own->file,
                                                         shifted(search, own->line));
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
        size_t host = find_host(search, own, &most);
        if (host == SIZE_MAX || most < cost_of(own, search->side) / SHARE)
            continue;
        struct lauka_function_pair *target = &search->pairs->pairs[host];
        if (target->into != host || host == pair)
            continue;
        if (!target->called) { /* the first one is told, which costs most */
            target->called = own->name;
            target->fate = search->side == 0 ? LAUKA_WHY_TOOK : LAUKA_WHY_PARTED;
        }
        move_lines(search, own, host);
        own->inlined = true;
        join(search->pairs, pair, host);
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
        bool before = is_on(pair, 0), after = is_on(pair, 1);
        if (pair->into == p && *pair->name && before != after)
            list[count++] = (struct lonely){p, cost_of(pair, after)};
    }
    if (count > 0)
        qsort(list, count, sizeof *list, compare_lonely);
    return count;
}

static void find_all(struct search *search, const struct lonely *list, size_t count)
{
    enum { LOOKED_AT = 200 }; /* others cost too little to be told */

    for (size_t i = 0; i < count && i < LOOKED_AT; i++) {
        size_t pair = list[i].pair;
        if (search->pairs->pairs[pair].into != pair)
            continue;
        search->side = is_on(&search->pairs->pairs[pair], 1);
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
