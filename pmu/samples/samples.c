/* samples: samples by function, part by part. */
#include "pmu/samples/samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more of the elements, zeroed and counted. NULL without memory. */
static void *add(void **elements, size_t *count, size_t *room, size_t size)
{
    if (*count == *room) {
        size_t more = *room ? 2 * *room : 64;
        void *grown = realloc(*elements, more * size);
        if (!grown)
            return NULL;
        *elements = grown;
        *room = more;
    }
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
    const struct lauka_space_map *map = lauka_space_find(space, record->address);
    return map ? function_in(samples, map->object, record->address - map->from + map->offset)
               : function_of_kind(samples, LAUKA_SAMPLED_UNKNOWN);
}

static int take_sample(struct lauka_sample_set *samples, const struct lauka_record *record)
{
    const struct lauka_space *space = lauka_spaces_find(&samples->spaces, record->pid);
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
    return object == SIZE_MAX ? ENOMEM : lauka_spaces_feed(&samples->spaces, record, object);
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
    lauka_spaces_clear(&samples->spaces);
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
    lauka_spaces_done(&samples->spaces);
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
