/* samples: samples by function, part by part. */
#include "pmu/samples/samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* spaces: what the processes of a run have mapped, from records in order of time. */

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

/* The process if it belongs to what was executed; otherwise NULL. */
static const struct lauka_space *spaces_find(const struct lauka_spaces *spaces, uint32_t pid)
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

/* What lies at the address; NULL if nothing known does. */
static const struct lauka_space_map *space_find(const struct lauka_space *space, uint64_t address)
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

/* What the record means; object: of the map's file. Returns 0 or ENOMEM. */
static int spaces_feed(struct lauka_spaces *spaces, const struct lauka_record *record,
                       size_t object)
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

/* Forgets all processes, because another run begins. */
static void spaces_clear(struct lauka_spaces *spaces)
{
    for (size_t s = 0; s < spaces->count; s++)
        free(spaces->spaces[s].maps);
    spaces->count = 0;
}

static void spaces_done(struct lauka_spaces *spaces)
{
    spaces_clear(spaces);
    free(spaces->spaces);
    *spaces = (struct lauka_spaces){0};
}

/* ---- samples ----------------------------------------------------------------------------------- */

/* Room for one more of the elements, zeroed and counted. NULL without memory. */
static void *add(void **elements, size_t *count, size_t *room, size_t size)
{
    if (!grow(elements, *count, room, size))
        return NULL;
    return memset((char *)*elements + size * (*count)++, 0, size);
}

/* ---- objects --------------------------------------------------------------------------------- */

/* Its place, found or made; SIZE_MAX without memory. */
static size_t object_of(struct lauka_sample_set *samples, const char *path, size_t length)
{
    void *elements = samples->objects;
    for (size_t o = 0; o < samples->object_count; o++)
        if (strlen(samples->objects[o].path) == length &&
            memcmp(samples->objects[o].path, path, length) == 0)
            return o;
    char *copy = malloc(length + 1);
    if (!copy)
        return SIZE_MAX;
    memcpy(copy, path, length);
    copy[length] = '\0';
    struct lauka_sampled_object *object =
        add(&elements, &samples->object_count, &samples->object_room, sizeof *object);
    samples->objects = elements;
    if (!object) {
        free(copy);
        return SIZE_MAX;
    }
    object->path = copy;
    return samples->object_count - 1;
}

/* Anonymous memory, and files that no longer exist: the program that executes such code has written it.
 * The kernel's own page is not among it. */
static bool is_written_by_itself(const char *path)
{
    return strncmp(path, "//anon", 6) == 0 || strncmp(path, "/anon_hugepage", 14) == 0 ||
           strncmp(path, "/memfd:", 7) == 0 || strncmp(path, "/dev/zero", 9) == 0 ||
           strncmp(path, "/SYSV", 5) == 0 || strncmp(path, "[anon", 5) == 0 ||
           strcmp(path, "[heap]") == 0 || strcmp(path, "[stack]") == 0;
}

/* Returns 0 or ENOMEM. */
static int look_for_symbols(const struct lauka_sample_set *samples,
                            struct lauka_sampled_object *object)
{
    size_t size = 0;
    const void *bytes =
        samples->read_debug_file ? samples->read_debug_file(object->path, &size) : NULL;
    if (!bytes)
        return 0;
    int error = lauka_elf_add(bytes, size, &object->elf);
    samples->give_back(bytes, size);
    return error == ENOMEM ? ENOMEM : 0;
}

/* Returns 0 or ENOMEM; a file that cannot be read has no symbols. */
static int look_at(struct lauka_sample_set *samples, struct lauka_sampled_object *object)
{
    size_t size = 0;
    int error = 0;
    if (object->tried)
        return 0;
    const void *bytes = object->path[0] == '/' && samples->read_file
                            ? samples->read_file(object->path, &size)
                            : NULL;
    if (bytes) {
        error = lauka_elf_read(bytes, size, &object->elf);
        samples->give_back(bytes, size);
        if (!error && !object->elf.whole)
            error = look_for_symbols(samples, object);
    }
    object->functions = calloc(object->elf.symbol_count + 1, sizeof *object->functions);
    object->tried = true;
    return error == ENOMEM || !object->functions ? ENOMEM : 0;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Its place; SIZE_MAX without memory. */
static size_t add_function(struct lauka_sample_set *samples, struct lauka_sampled_function function)
{
    void *elements = samples->functions;
    struct lauka_sampled_function *added =
        add(&elements, &samples->function_count, &samples->function_room, sizeof *added);
    samples->functions = elements;
    if (!added)
        return SIZE_MAX;
    *added = function;
    return samples->function_count - 1;
}

static size_t function_of_kind(struct lauka_sample_set *samples, enum lauka_sampled_kind kind)
{
    if (samples->others[kind] == 0)
        samples->others[kind] =
            add_function(samples, (struct lauka_sampled_function){.kind = kind}) + 1;
    size_t place = samples->others[kind];
    return place - 1; /* without memory: SIZE_MAX, and tried again */
}

static size_t function_in(struct lauka_sample_set *samples, size_t number, uint64_t offset)
{
    struct lauka_sampled_object *object = &samples->objects[number];
    if (is_written_by_itself(object->path))
        return function_of_kind(samples, LAUKA_SAMPLED_JIT);
    if (look_at(samples, object) != 0)
        return SIZE_MAX;
    size_t symbol = lauka_elf_find(&object->elf, offset);
    bool named = symbol < object->elf.symbol_count;
    if (object->functions[symbol] == 0) {
        size_t place =
            add_function(samples, (struct lauka_sampled_function){
                                      .kind = named ? LAUKA_SAMPLED_FUNCTION : LAUKA_SAMPLED_OBJECT,
                                      .object = number,
                                      .name = named ? object->elf.symbols[symbol].name : NULL,
                                  });
        if (place >= UINT32_MAX)
            return SIZE_MAX;
        object->functions[symbol] = (uint32_t)place + 1;
    }
    return object->functions[symbol] - 1;
}

static size_t function_at(struct lauka_sample_set *samples, const struct lauka_space *space,
                          const struct lauka_record *record)
{
    if (record->kernel)
        return function_of_kind(samples, LAUKA_SAMPLED_KERNEL);
    const struct lauka_space_map *map = space_find(space, record->address);
    return map ? function_in(samples, map->object, record->address - map->from + map->offset)
               : function_of_kind(samples, LAUKA_SAMPLED_UNKNOWN);
}

static int take_sample(struct lauka_sample_set *samples, const struct lauka_record *record)
{
    const struct lauka_space *space = spaces_find(&samples->spaces, record->pid);
    if (!space)
        return 0; /* who starts the command, before that */
    size_t place = function_at(samples, space, record);
    if (place == SIZE_MAX)
        return ENOMEM;
    samples->functions[place].weight += record->weight;
    samples->functions[place].samples++;
    samples->now.weight += record->weight;
    samples->now.samples++;
    return 0;
}

/* ---- records --------------------------------------------------------------------------------- */

/* Records come in the order of their time. Returns 0 or ENOMEM. */
static int feed(struct lauka_sample_set *samples, const struct lauka_record *record)
{
    size_t object = 0;
    samples->now.lost += record->lost;
    samples->now.throttled += record->kind == LAUKA_RECORD_THROTTLED;
    if (record->kind == LAUKA_RECORD_SAMPLE)
        return take_sample(samples, record);
    if (record->kind == LAUKA_RECORD_MAP)
        object = object_of(samples, record->file, record->file_length);
    return object == SIZE_MAX ? ENOMEM : spaces_feed(&samples->spaces, record, object);
}

struct place { /* of a record among the bytes */
    uint64_t time_ns;
    size_t at;
};

/* Of records with equal times, the one written first comes first. */
static int compare_places(const void *a, const void *b)
{
    const struct place *left = a, *right = b;
    if (left->time_ns != right->time_ns)
        return left->time_ns < right->time_ns ? -1 : 1;
    return left->at < right->at ? -1 : left->at > right->at;
}

static size_t count_records(const char *bytes, size_t size)
{
    struct lauka_record record;
    size_t count = 0, own;
    for (size_t at = 0; (own = lauka_record_read(bytes + at, size - at, &record)) > 0; at += own)
        count++;
    return count;
}

int lauka_samples_feed_bytes(struct lauka_sample_set *samples, const void *bytes, size_t size)
{
    struct lauka_record record;
    size_t count = count_records(bytes, size), at = 0;
    struct place *places = calloc(count + 1, sizeof *places);
    int error = 0;
    if (!places)
        return ENOMEM;
    for (size_t i = 0; i < count; i++) {
        size_t own = lauka_record_read((const char *)bytes + at, size - at, &record);
        places[i] = (struct place){record.time_ns, at};
        at += own;
    }
    qsort(places, count, sizeof *places, compare_places);
    for (size_t i = 0; i < count && !error; i++) {
        lauka_record_read((const char *)bytes + places[i].at, size - places[i].at, &record);
        error = feed(samples, &record);
    }
    free(places);
    return error;
}

/* ---- parts ----------------------------------------------------------------------------------- */

void lauka_samples_begin_run(struct lauka_sample_set *samples)
{
    spaces_clear(&samples->spaces);
}

static int add_cell(struct lauka_sample_set *samples, size_t function)
{
    void *elements = samples->cells;
    struct lauka_sampled_cell *cell =
        add(&elements, &samples->cell_count, &samples->cell_room, sizeof *cell);
    samples->cells = elements;
    if (!cell)
        return ENOMEM;
    *cell = (struct lauka_sampled_cell){samples->part_count, function,
                                        samples->functions[function].weight};
    samples->functions[function].weight = 0;
    return 0;
}

int lauka_samples_end_part(struct lauka_sample_set *samples)
{
    void *elements = samples->parts;
    int error = 0;
    for (size_t f = 0; f < samples->function_count && !error; f++)
        if (samples->functions[f].weight > 0)
            error = add_cell(samples, f);
    if (error)
        return error;
    struct lauka_sampled_part *part =
        add(&elements, &samples->part_count, &samples->part_room, sizeof *part);
    samples->parts = elements;
    if (!part)
        return ENOMEM;
    *part = samples->now;
    samples->now = (struct lauka_sampled_part){0};
    return 0;
}

void lauka_samples_done(struct lauka_sample_set *samples)
{
    spaces_done(&samples->spaces);
    for (size_t o = 0; o < samples->object_count; o++) {
        free(samples->objects[o].path);
        free(samples->objects[o].functions);
        lauka_elf_done(&samples->objects[o].elf);
    }
    free(samples->objects);
    free(samples->functions);
    free(samples->cells);
    free(samples->parts);
    *samples = (struct lauka_sample_set){0};
}
