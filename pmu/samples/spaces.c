/* spaces: what the processes of a run have mapped, from records in order of time. */
#include "pmu/samples/samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- processes ------------------------------------------------------------------------------- */

/* Where it is, or belongs. */
static size_t place_of(const struct lauka_spaces *spaces, uint32_t pid)
{
    size_t low = 0, high = spaces->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (spaces->spaces[middle].pid < pid)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct lauka_space *find(const struct lauka_spaces *spaces, uint32_t pid)
{
    size_t place = place_of(spaces, pid);
    return place < spaces->count && spaces->spaces[place].pid == pid ? &spaces->spaces[place]
                                                                     : NULL;
}

/* Room for one more of the elements. False without memory. */
static bool grow(void **elements, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return true;
    size_t more = *room ? 2 * *room : 16;
    void *grown = realloc(*elements, more * size);
    if (!grown)
        return false;
    *elements = grown;
    *room = more;
    return true;
}

/* Found or made; NULL without memory. */
static struct lauka_space *have(struct lauka_spaces *spaces, uint32_t pid)
{
    size_t place = place_of(spaces, pid);
    void *elements = spaces->spaces;
    if (place < spaces->count && spaces->spaces[place].pid == pid)
        return &spaces->spaces[place];
    if (!grow(&elements, spaces->count, &spaces->room, sizeof *spaces->spaces))
        return NULL;
    spaces->spaces = elements;
    memmove(&spaces->spaces[place + 1], &spaces->spaces[place],
            (spaces->count++ - place) * sizeof *spaces->spaces);
    spaces->spaces[place] = (struct lauka_space){.pid = pid};
    return &spaces->spaces[place];
}

const struct lauka_space *lauka_spaces_find(const struct lauka_spaces *spaces, uint32_t pid)
{
    const struct lauka_space *space = find(spaces, pid);
    return space && space->executed ? space : NULL;
}

/* ---- maps ------------------------------------------------------------------------------------ */

/* The first one that ends behind the address. */
static size_t map_place(const struct lauka_space *space, uint64_t address)
{
    size_t low = 0, high = space->map_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (space->maps[middle].to <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool insert(struct lauka_space *space, size_t place, struct lauka_space_map map)
{
    void *elements = space->maps;
    if (!grow(&elements, space->map_count, &space->map_room, sizeof *space->maps))
        return false;
    space->maps = elements;
    memmove(&space->maps[place + 1], &space->maps[place],
            (space->map_count++ - place) * sizeof *space->maps);
    space->maps[place] = map;
    return true;
}

static void cut_front(struct lauka_space_map *map, uint64_t from)
{
    map->offset += from - map->from;
    map->from = from;
}

/* Unmaps a range; of a map around it, both ends stay. *place: where a map that begins at `from` belongs. */
static bool make_free(struct lauka_space *space, uint64_t from, uint64_t to, size_t *place)
{
    size_t first = map_place(space, from), last = first;
    if (first < space->map_count && space->maps[first].from < from) {
        struct lauka_space_map behind = space->maps[first];
        space->maps[first++].to = from;
        last = first;
        if (behind.to > to) {
            cut_front(&behind, to);
            *place = first;
            return insert(space, first, behind);
        }
    }
    while (last < space->map_count && space->maps[last].to <= to)
        last++;
    if (last > first)
        memmove(&space->maps[first], &space->maps[last],
                (space->map_count - last) * sizeof *space->maps);
    space->map_count -= last - first;
    if (first < space->map_count && space->maps[first].from < to)
        cut_front(&space->maps[first], to);
    *place = first;
    return true;
}

const struct lauka_space_map *lauka_space_find(const struct lauka_space *space, uint64_t address)
{
    size_t place = map_place(space, address);
    return place < space->map_count && space->maps[place].from <= address ? &space->maps[place]
                                                                          : NULL;
}

static int add_map(struct lauka_spaces *spaces, const struct lauka_record *record, size_t object)
{
    struct lauka_space *space = have(spaces, record->pid);
    uint64_t to = record->address + record->length;
    size_t place;
    if (!space)
        return ENOMEM;
    if (record->length == 0 || to < record->address)
        return 0;
    struct lauka_space_map map = {record->address, to, record->offset, object};
    return make_free(space, map.from, map.to, &place) && insert(space, place, map) ? 0 : ENOMEM;
}

/* ---- what happens to processes --------------------------------------------------------------- */

/* A new process gets its parent's maps; a new thread does not. */
static int add_child(struct lauka_spaces *spaces, const struct lauka_record *record)
{
    if (record->pid == record->parent || record->pid != record->tid)
        return 0;
    struct lauka_space *child = have(spaces, record->pid);
    const struct lauka_space *parent = find(spaces, record->parent);
    if (!child)
        return ENOMEM;
    child->map_count = 0; /* of a process whose number it has again */
    child->executed = parent && parent->executed;
    for (size_t m = 0; parent && m < parent->map_count; m++)
        if (!insert(child, m, parent->maps[m]))
            return ENOMEM;
    return 0;
}

static int execute(struct lauka_spaces *spaces, const struct lauka_record *record)
{
    struct lauka_space *space = have(spaces, record->pid);
    if (!space)
        return ENOMEM;
    space->map_count = 0;
    space->executed = true;
    return 0;
}

int lauka_spaces_feed(struct lauka_spaces *spaces, const struct lauka_record *record, size_t object)
{
    switch (record->kind) {
    case LAUKA_RECORD_MAP:
        return add_map(spaces, record, object);
    case LAUKA_RECORD_EXEC:
        return execute(spaces, record);
    case LAUKA_RECORD_FORK:
        return add_child(spaces, record);
    case LAUKA_RECORD_EXIT: /* samples of other CPUs may be told later: it stays */
    case LAUKA_RECORD_SAMPLE:
    case LAUKA_RECORD_LOST:
    case LAUKA_RECORD_THROTTLED:
    case LAUKA_RECORD_OTHER:
        break;
    }
    return 0;
}

void lauka_spaces_clear(struct lauka_spaces *spaces)
{
    for (size_t s = 0; s < spaces->count; s++)
        free(spaces->spaces[s].maps);
    spaces->count = 0;
}

void lauka_spaces_done(struct lauka_spaces *spaces)
{
    lauka_spaces_clear(spaces);
    free(spaces->spaces);
    *spaces = (struct lauka_spaces){0};
}
