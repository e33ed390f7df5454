/* profile: costs by function and line, of as many parts as a run left. Texts, functions and lines are
 * kept once each, so that a thousand parts of one program take no more memory than one. */
#include "pmu/profile/profile.h"
#include "pmu/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- an index -------------------------------------------------------------------------------- */

typedef uint64_t hash_of(const struct lauka_profile *profile, size_t place);
typedef bool is_same(const struct lauka_profile *profile, size_t place, const void *wanted);

/* FNV-1a (Fowler, Noll, Vo), 64 bits. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static const uint64_t seed = UINT64_C(0xcbf29ce484222325);

static void insert(struct lauka_profile_index *index, uint64_t hash, size_t place)
{
    size_t slot = (hash ^ hash >> 32) & (index->room - 1);
    while (index->slots[slot])
        slot = (slot + 1) & (index->room - 1);
    index->slots[slot] = (uint32_t)place + 1;
}

/* Half of the table stays free. Returns 0 or ENOMEM. */
static int make_room(const struct lauka_profile *profile, struct lauka_profile_index *index,
                     size_t count, hash_of *hash)
{
    if (2 * (count + 1) <= index->room)
        return 0;
    if (count >= UINT32_MAX / 4)
        return ENOMEM;
    struct lauka_profile_index grown = {.room = index->room ? 2 * index->room : 64};
    grown.slots = calloc(grown.room, sizeof *grown.slots);
    if (!grown.slots)
        return ENOMEM;
    for (size_t i = 0; i < count; i++)
        insert(&grown, hash(profile, i), i);
    free(index->slots);
    *index = grown;
    return 0;
}

/* SIZE_MAX if it is not there. */
static size_t find(const struct lauka_profile *profile, const struct lauka_profile_index *index,
                   uint64_t hash, is_same *same, const void *wanted)
{
    if (index->room == 0)
        return SIZE_MAX;
    size_t slot = (hash ^ hash >> 32) & (index->room - 1);
    for (; index->slots[slot]; slot = (slot + 1) & (index->room - 1))
        if (same(profile, index->slots[slot] - 1, wanted))
            return index->slots[slot] - 1;
    return SIZE_MAX;
}

/* ---- texts ----------------------------------------------------------------------------------- */

struct piece {
    const char *text;
    size_t length;
};

static uint64_t hash_text(const struct lauka_profile *profile, size_t place)
{
    return hash_bytes(seed, profile->texts[place], strlen(profile->texts[place]));
}

static bool is_text(const struct lauka_profile *profile, size_t place, const void *wanted)
{
    const struct piece *piece = wanted;
    return strlen(profile->texts[place]) == piece->length &&
           memcmp(profile->texts[place], piece->text, piece->length) == 0;
}

const char *lauka_profile_text(struct lauka_profile *profile, const char *text, size_t length)
{
    const char *end = length ? memchr(text, 0, length) : NULL;
    const struct piece piece = {text, end ? (size_t)(end - text) : length};
    uint64_t hash = hash_bytes(seed, piece.text, piece.length);
    size_t place = find(profile, &profile->text_index, hash, is_text, &piece);
    if (place != SIZE_MAX)
        return profile->texts[place];
    char *copy = malloc(piece.length + 1), **added = NULL;
    if (copy && make_room(profile, &profile->text_index, profile->text_count, hash_text) == 0)
        added = lauka_array_add(&profile->texts, &profile->text_count, &profile->text_room,
                                sizeof *added);
    if (!added) {
        free(copy);
        return NULL;
    }
    if (piece.length > 0)
        memcpy(copy, piece.text, piece.length);
    copy[piece.length] = '\0';
    *added = copy;
    insert(&profile->text_index, hash, profile->text_count - 1);
    return copy;
}

/* ---- functions ------------------------------------------------------------------------------- */

static uint64_t hash_names(const struct lauka_profile_function *function)
{
    const char *const texts[] = {function->name, function->file, function->object};
    return hash_bytes(seed, texts, sizeof texts);
}

static uint64_t hash_function(const struct lauka_profile *profile, size_t place)
{
    return hash_names(&profile->functions[place]);
}

static bool is_function(const struct lauka_profile *profile, size_t place, const void *wanted)
{
    const struct lauka_profile_function *a = &profile->functions[place], *b = wanted;
    return a->name == b->name && a->file == b->file && a->object == b->object;
}

size_t lauka_profile_function(struct lauka_profile *profile,
                              const struct lauka_profile_function *function)
{
    uint64_t hash = hash_names(function);
    size_t place = find(profile, &profile->function_index, hash, is_function, function);
    if (place != SIZE_MAX)
        return place;
    if (make_room(profile, &profile->function_index, profile->function_count, hash_function) != 0)
        return SIZE_MAX;
    struct lauka_profile_function *added = lauka_array_add(
        &profile->functions, &profile->function_count, &profile->function_room, sizeof *added);
    if (!added)
        return SIZE_MAX;
    *added = *function;
    place = profile->function_count - 1;
    insert(&profile->function_index, hash, place);
    return place;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static uint64_t hash_place(const struct lauka_profile_line *line)
{
    uint64_t hash = hash_bytes(seed, &line->function, sizeof line->function);
    hash = hash_bytes(hash, &line->file, sizeof line->file);
    return hash_bytes(hash, &line->line, sizeof line->line);
}

static uint64_t hash_line(const struct lauka_profile *profile, size_t place)
{
    return hash_place(&profile->lines[place]);
}

static bool is_line(const struct lauka_profile *profile, size_t place, const void *wanted)
{
    const struct lauka_profile_line *a = &profile->lines[place], *b = wanted;
    return a->function == b->function && a->file == b->file && a->line == b->line;
}

static void add_up(struct lauka_profile *profile, uint64_t *sum, uint64_t more)
{
    if (*sum > UINT64_MAX - more)
        profile->damaged = true;
    else
        *sum += more;
}

int lauka_profile_add(struct lauka_profile *profile, const struct lauka_profile_line *line)
{
    uint64_t hash = hash_place(line);
    size_t place = find(profile, &profile->line_index, hash, is_line, line);
    if (place != SIZE_MAX) {
        add_up(profile, &profile->lines[place].cost.instructions, line->cost.instructions);
        add_up(profile, &profile->lines[place].cost.cycles, line->cost.cycles);
        add_up(profile, &profile->lines[place].cost.allocations, line->cost.allocations);
        return 0;
    }
    if (make_room(profile, &profile->line_index, profile->line_count, hash_line) != 0)
        return ENOMEM;
    struct lauka_profile_line *added =
        lauka_array_add(&profile->lines, &profile->line_count, &profile->line_room, sizeof *added);
    if (!added)
        return ENOMEM;
    *added = *line;
    insert(&profile->line_index, hash, profile->line_count - 1);
    return 0;
}

void lauka_profile_done(struct lauka_profile *profile)
{
    for (size_t i = 0; i < profile->text_count; i++)
        free(profile->texts[i]);
    free(profile->texts);
    free(profile->functions);
    free(profile->lines);
    free(profile->text_index.slots);
    free(profile->function_index.slots);
    free(profile->line_index.slots);
    *profile = (struct lauka_profile){0};
}
