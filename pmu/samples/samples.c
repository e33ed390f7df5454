/* samples: samples by function, part by part. */
#include "pmu/samples/samples.h"
#include "pmu/array.h"

#include <errno.h>
#include <stdio.h>
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

/* Found or made; NULL without memory. */
static struct lauka_space *have(struct lauka_spaces *spaces, uint32_t pid)
{
    size_t place = place_of(spaces, pid), count = spaces->count;
    if (place < count && spaces->spaces[place].pid == pid)
        return &spaces->spaces[place];
    if (!lauka_array_add(&spaces->spaces, &spaces->count, &spaces->room, sizeof *spaces->spaces))
        return NULL;
    memmove(&spaces->spaces[place + 1], &spaces->spaces[place],
            (count - place) * sizeof *spaces->spaces);
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
    size_t count = space->map_count;
    if (!lauka_array_add(&space->maps, &space->map_count, &space->map_room, sizeof *space->maps))
        return false;
    memmove(&space->maps[place + 1], &space->maps[place], (count - place) * sizeof *space->maps);
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

/* ---- objects --------------------------------------------------------------------------------- */

/* Its place, found or made; SIZE_MAX without memory. */
static size_t object_of(struct lauka_sample_set *samples, const struct lauka_record *map)
{
    const char *path = map->file;
    size_t length = map->file_length;
    for (size_t o = 0; o < samples->object_count; o++)
        if (samples->objects[o].inode == map->inode && strlen(samples->objects[o].path) == length &&
            memcmp(samples->objects[o].path, path, length) == 0)
            return o;
    char *copy = malloc(length + 1);
    if (!copy)
        return SIZE_MAX;
    memcpy(copy, path, length);
    copy[length] = '\0';
    struct lauka_sampled_object *object = lauka_array_add(&samples->objects, &samples->object_count,
                                                          &samples->object_room, sizeof *object);
    if (!object) {
        free(copy);
        return SIZE_MAX;
    }
    object->path = copy;
    object->inode = map->inode;
    object->pid = map->pid;
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
                            struct lauka_sampled_object *object, const char *place)
{
    size_t size = 0;
    const void *bytes = samples->read_debug_file ? samples->read_debug_file(place, &size) : NULL;
    if (!bytes)
        return 0;
    int error = lauka_elf_add(bytes, size, &object->elf);
    samples->give_back(bytes, size);
    return error == ENOMEM ? ENOMEM : 0;
}

/* Returns 0 or ENOMEM; a file that cannot be read has no symbols. */
static int look_at(struct lauka_sample_set *samples, struct lauka_sampled_object *object)
{
    enum { PLACE = 4400 }; /* a path, and what stands before it */
    char place[PLACE];
    size_t size = 0;
    int error = 0;
    if (object->tried)
        return 0;
    bool is_file = object->path[0] == '/' && samples->read_file;
    snprintf(place, sizeof place, "%s", object->path);
    if (is_file && samples->find_file && object->inode &&
        !samples->find_file(object, place, sizeof place)) {
        is_file = false;
        object->another = strdup(place);
        error = object->another ? 0 : ENOMEM;
    }
    const void *bytes = is_file ? samples->read_file(place, &size) : NULL;
    if (bytes) {
        error = lauka_elf_read(bytes, size, &object->elf);
        samples->give_back(bytes, size);
        if (!error && !object->elf.whole)
            error = look_for_symbols(samples, object, place);
    }
    object->functions = calloc(object->elf.symbol_count + 1, sizeof *object->functions);
    object->tried = true;
    return error == ENOMEM || !object->functions ? ENOMEM : 0;
}

/* ---- names of the kernel's functions, and of those that were written at run time --------------- */

/* "ffffffff81000000 T _text [module]" of the kernel; "7f001000 1f0 JS:*hot a.js:2" of a process. False: neither. */
static bool read_name(char *line, bool kernel, struct lauka_elf_symbol *symbol)
{
    char *end;
    symbol->address = strtoull(line, &end, 16);
    if (end == line || *end != ' ' || symbol->address == 0)
        return false;
    if (kernel && !strchr("tTwW", end[1]))
        return false;
    symbol->size = kernel ? 0 : strtoull(end + 1, &end, 16);
    end += kernel ? 2 : 0;
    if (*end != ' ' || !end[1])
        return false;
    symbol->name = end + 1;
    end[1 + strcspn(end + 1, kernel ? "\t" : "")] = '\0';
    return true;
}

/* Of two at one address, the one that was written later comes later. */
static int compare_names(const void *a, const void *b)
{
    const struct lauka_elf_symbol *left = a, *right = b;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    return left->name < right->name ? -1 : left->name > right->name;
}

static void forget_names(struct lauka_sampled_names *names)
{
    free(names->symbols);
    free(names->text);
    *names = (struct lauka_sampled_names){0};
}

/* Returns 0 or ENOMEM. */
static int read_names(const struct lauka_sample_set *samples, uint32_t pid,
                      struct lauka_sampled_names *names)
{
    size_t lines = 1;
    if (names->tried && names->pid == pid)
        return 0;
    forget_names(names);
    names->pid = pid;
    names->tried = true;
    names->text = samples->read_names ? samples->read_names(pid) : NULL;
    if (!names->text)
        return 0;
    /* Not strchr: the static release's measures all that is left of megabytes first. */
    char *const text_end = names->text + strlen(names->text);
    for (const char *at = names->text; (at = memchr(at, '\n', (size_t)(text_end - at))); at++)
        lines++;
    names->symbols = calloc(lines, sizeof *names->symbols);
    if (!names->symbols)
        return ENOMEM;
    for (char *line = names->text, *next; line; line = next) {
        next = memchr(line, '\n', (size_t)(text_end - line));
        if (next)
            *next++ = '\0';
        names->count += read_name(line, pid == 0, &names->symbols[names->count]);
    }
    qsort(names->symbols, names->count, sizeof *names->symbols, compare_names);
    return 0;
}

/* The last one that begins there or before, if it reaches that far; NULL: none. */
static const char *name_at(const struct lauka_sampled_names *names, uint64_t address)
{
    size_t low = 0, high = names->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (names->symbols[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct lauka_elf_symbol *symbol = low > 0 ? &names->symbols[low - 1] : NULL;
    bool there = symbol && (names->pid == 0 || address - symbol->address < symbol->size);
    return there ? symbol->name : NULL;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Its place; SIZE_MAX without memory. */
static size_t add_function(struct lauka_sample_set *samples, struct lauka_sampled_function function)
{
    struct lauka_sampled_function *added = lauka_array_add(
        &samples->functions, &samples->function_count, &samples->function_room, sizeof *added);
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

/* One that has this name, found or made; without a name, the one of its kind. */
static size_t function_named(struct lauka_sample_set *samples, enum lauka_sampled_kind kind,
                             const struct lauka_sampled_names *names, uint64_t address)
{
    const char *name = name_at(names, address);
    if (!name)
        return function_of_kind(samples, kind);
    for (size_t f = 0; f < samples->function_count; f++)
        if (samples->functions[f].kind == kind && samples->functions[f].name &&
            strcmp(samples->functions[f].name, name) == 0)
            return f;
    char *copy = strdup(name); /* the text may go before the function does */
    size_t place =
        copy ? add_function(samples, (struct lauka_sampled_function){.kind = kind, .name = copy})
             : SIZE_MAX;
    if (place == SIZE_MAX)
        free(copy);
    return place;
}

static size_t function_in(struct lauka_sample_set *samples, size_t number, uint64_t offset)
{
    struct lauka_sampled_object *object = &samples->objects[number];
    if (look_at(samples, object) != 0)
        return SIZE_MAX;
    size_t symbol = lauka_elf_find(&object->elf, offset);
    const char *name =
        symbol < object->elf.symbol_count ? object->elf.symbols[symbol].name : object->another;
    if (object->functions[symbol] == 0) {
        size_t place =
            add_function(samples, (struct lauka_sampled_function){
                                      .kind = name ? LAUKA_SAMPLED_FUNCTION : LAUKA_SAMPLED_OBJECT,
                                      .object = number,
                                      .name = name,
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
        return read_names(samples, 0, &samples->kernel) == 0
                   ? function_named(samples, LAUKA_SAMPLED_KERNEL, &samples->kernel,
                                    record->address)
                   : SIZE_MAX;
    const struct lauka_space_map *map = space_find(space, record->address);
    if (map && is_written_by_itself(samples->objects[map->object].path))
        return read_names(samples, record->pid, &samples->written) == 0
                   ? function_named(samples, LAUKA_SAMPLED_JIT, &samples->written, record->address)
                   : SIZE_MAX;
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
        object = object_of(samples, record);
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
    forget_names(&samples->written);
}

static int add_cell(struct lauka_sample_set *samples, size_t function)
{
    struct lauka_sampled_cell *cell =
        lauka_array_add(&samples->cells, &samples->cell_count, &samples->cell_room, sizeof *cell);
    if (!cell)
        return ENOMEM;
    *cell = (struct lauka_sampled_cell){samples->part_count, function,
                                        samples->functions[function].weight};
    samples->functions[function].weight = 0;
    return 0;
}

int lauka_samples_end_part(struct lauka_sample_set *samples)
{
    int error = 0;
    for (size_t f = 0; f < samples->function_count && !error; f++)
        if (samples->functions[f].weight > 0)
            error = add_cell(samples, f);
    if (error)
        return error;
    struct lauka_sampled_part *part =
        lauka_array_add(&samples->parts, &samples->part_count, &samples->part_room, sizeof *part);
    if (!part)
        return ENOMEM;
    *part = samples->now;
    samples->now = (struct lauka_sampled_part){0};
    return 0;
}

void lauka_samples_done(struct lauka_sample_set *samples)
{
    spaces_done(&samples->spaces);
    forget_names(&samples->kernel);
    forget_names(&samples->written);
    for (size_t f = 0; f < samples->function_count; f++)
        if (samples->functions[f].kind >
            LAUKA_SAMPLED_OBJECT) /* others are borrowed from their files */
            free((void *)(uintptr_t)samples->functions[f].name);
    for (size_t o = 0; o < samples->object_count; o++) {
        free(samples->objects[o].path);
        free(samples->objects[o].another);
        free(samples->objects[o].functions);
        lauka_elf_done(&samples->objects[o].elf);
    }
    free(samples->objects);
    free(samples->functions);
    free(samples->cells);
    free(samples->parts);
    *samples = (struct lauka_sample_set){0};
}
