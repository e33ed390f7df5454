/* Names that a processor's vendor gives its events (mem_load_retired.l3_miss), from tables in JSON as vendors and the
 * kernel publish them. A table is read when a name is asked for that nothing else has. The formats: README.md of
 * github.com/intel/perfmon; tools/perf/pmu-events/README and jevents.py of the kernel's sources, whose encoding this is.
 * Each event becomes terms of a PMU, as perf and sysfs write them. */
#include "runner/options/options.h"
#include "pmu/events/events.h"
#include "runner/base/arena.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PATH_SIZE = 1024,
    MODEL_SIZE = 80,
    LONGEST_TABLE = 64 << 20, /* B; Intel's largest has 3 MB */
    LONGEST_LIST = 16 << 20,  /* B, of `perf list -j` */
    LONGEST_LINE = 300,       /* of a mapfile.csv */
    FIELDS = 7,
    MODELS_MOST = 8
};

/* ---- which processor this is --------------------------------------------------------------------- */

struct model {
    char pmu[64];        /* of its cores; empty: the table says which */
    char id[MODEL_SIZE]; /* "GenuineIntel-6-55-4"; of Arm the MIDR, "0x00000000410fd080" */
    bool found;          /* its folder of the kernel's: later rows are of wider families */
};

struct models {
    size_t count;
    struct model models[MODELS_MOST];
};

struct lauka_event_tables {
    struct lauka_arena *arena; /* borrowed */
    struct lauka_vendor_event *events;
    size_t count;
    const char *path; /* of the file or folder that was read; NULL: there is none */
    struct models models;
    cJSON *common;   /* Arm's: of the events that many processors have; owned while it reads */
    bool exhausted;  /* memory ran out */
    char wrong[600]; /* what is wrong with the table; empty: nothing */
};

static void add_model(struct models *models, const char *pmu, const char *id)
{
    if (models->count == MODELS_MOST)
        return;
    struct model *model = &models->models[models->count++];
    snprintf(model->pmu, sizeof model->pmu, "%s", pmu);
    snprintf(model->id, sizeof model->id, "%s", id);
}

/* As perf writes it: the family is decimal, model and stepping are hexadecimal. */
static bool find_cpuid(char *id, size_t size)
{
    static const char *const names[] = {"vendor_id", "cpu family", "model", "stepping"};
    char values[4][40];
    for (int i = 0; i < 4; i++)
        if (!lauka_cpuinfo("/proc", names[i], values[i], sizeof values[i]))
            return false;
    snprintf(id, size, "%s-%lu-%lX-%lX", values[0], strtoul(values[1], NULL, 10),
             strtoul(values[2], NULL, 10), strtoul(values[3], NULL, 10));
    return true;
}

/* Of the first CPU that the PMU counts on. */
static bool find_midr(const char *pmu, char *id, size_t size)
{
    char file[PATH_SIZE], cpus[64];
    snprintf(file, sizeof file, "%s/cpus", pmu);
    if (!lauka_sysfs_read(LAUKA_SYSFS, file, cpus, sizeof cpus))
        return false;
    snprintf(file, sizeof file, "cpu%lu/regs/identification/midr_el1", strtoul(cpus, NULL, 10));
    return lauka_sysfs_read("/sys/devices/system/cpu", file, id, size);
}

/* PERF_CPUID replaces what the processor says of itself, as it does for perf. */
static void find_models(struct models *models)
{
    const char *given = getenv("PERF_CPUID");
    char id[MODEL_SIZE] = "";
    char **pmus = lauka_sysfs_list(LAUKA_SYSFS, ".");
    if (given)
        snprintf(id, sizeof id, "%s", given);
    if (lauka_sysfs_pmu(LAUKA_SYSFS, "cpu", NULL) && (given || find_cpuid(id, sizeof id)))
        add_model(models, "cpu", id);
    else if (lauka_sysfs_pmu(LAUKA_SYSFS, "cpu_core", NULL) && (given || find_cpuid(id, sizeof id)))
        add_model(models, "", id);
    for (char **pmu = pmus; pmu && *pmu; pmu++)
        if (strncmp(*pmu, "cpu", 3) != 0 && lauka_sysfs_is_of_cores(LAUKA_SYSFS, *pmu) &&
            (given || find_midr(*pmu, id, sizeof id)))
            add_model(models, *pmu, id);
    if (given && models->count == 0) /* to look at names of another machine's processor */
        add_model(models, "cpu", id);
    lauka_sysfs_free(pmus);
}

/* ---- whether a row of mapfile.csv means it ------------------------------------------------------- */

/* Whether the text is all that the expression stands for. Such a pattern has one group, or none. */
static bool matches(struct lauka_event_tables *tables, const char *pattern, const char *text)
{
    char whole[LONGEST_LINE + 8], why[300];
    const struct lauka_window window = {.bytes = text, .size = strlen(text), .ends = true};
    const char *ignored;
    size_t length;
    snprintf(whole, sizeof whole, strchr(pattern, '(') ? "^%s$" : "^(%s)$", pattern);
    errno = 0;
    struct lauka_pattern *made = lauka_pattern_make(whole, why, sizeof why);
    struct lauka_search *search = made ? lauka_search_open(made, NULL, NULL) : NULL;
    bool found = false;
    tables->exhausted = tables->exhausted || (!search && errno == ENOMEM);
    if (search) {
        lauka_search_begin(search);
        lauka_search_run(search, &window);
        found = lauka_search_result(search, &ignored, &length) == LAUKA_SEARCH_FOUND;
        lauka_search_close(search);
    }
    lauka_pattern_free(made);
    return found;
}

static size_t count_dashes(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == '-';
    return count;
}

/* A pattern without a stepping means all of them; variant and revision of a MIDR do not count. */
static bool means_model(struct lauka_event_tables *tables, const char *pattern, const char *id)
{
    enum { WITH_STEPPING = 3, MIDR_OTHERS = 0xf0000f };
    char without[MODEL_SIZE];
    if (strncmp(id, "0x", 2) == 0)
        return strncmp(pattern, "0x", 2) == 0 &&
               ((strtoull(pattern, NULL, 16) ^ strtoull(id, NULL, 16)) & ~(uint64_t)MIDR_OTHERS) ==
                   0;
    snprintf(without, sizeof without, "%s", id);
    if (count_dashes(id) == WITH_STEPPING)
        *strrchr(without, '-') = '\0';
    return matches(tables, pattern, id) || matches(tables, pattern, without);
}

/* ---- the tables ---------------------------------------------------------------------------------- */

static void blame(struct lauka_event_tables *tables, const char *path, const char *what)
{
    if (!*tables->wrong)
        snprintf(tables->wrong, sizeof tables->wrong, "%.400s: %s", path, what);
}

/* The file's text with a NUL, owned by the caller. */
static char *read_text(struct lauka_event_tables *tables, const char *path)
{
    char *text = lauka_file_read_plain(path, LONGEST_TABLE, NULL);
    tables->exhausted = tables->exhausted || (!text && errno == ENOMEM);
    if (!text)
        blame(tables, path,
              errno == EINVAL  ? "not a file"
              : errno == EFBIG ? "too large for a table of events"
                               : strerror(errno));
    return text;
}

/* Frees the text, which may be NULL. */
static cJSON *parse(struct lauka_event_tables *tables, const char *path, char *text)
{
    errno = 0;
    cJSON *tree = text ? cJSON_Parse(text) : NULL;
    tables->exhausted = tables->exhausted || (!tree && errno == ENOMEM);
    if (text && !tree)
        blame(tables, path, "this is not JSON");
    free(text);
    return tree;
}

/* ---- one event ---- */

static const char *text_of(const cJSON *entry, const cJSON *base, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(entry, key));
    if (!text && base)
        text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(base, key));
    return text;
}

/* Decimal, or hexadecimal after 0x; of "0xB7,0xBB", the same event on another counter, the first. 0: none. */
static uint64_t number_of(const cJSON *entry, const cJSON *base, const char *key)
{
    const char *text = text_of(entry, base, key);
    return text ? strtoull(text, NULL, strncmp(text, "0x", 2) == 0 ? 16 : 10) : 0;
}

/* What the terms are called that need a register of their own. */
static const char *register_of(uint64_t number)
{
    return number == 0x3f6                      ? "ldlat"
           : number == 0x1a6 || number == 0x1a7 ? "offcore_rsp"
           : number == 0x3f7                    ? "frontend"
                                                : NULL;
}

/* Tables describe Intel's fixed counters for these. Any counter has them, by other numbers (real_event in jevents.py). */
static const char *fixed_event(const char *name)
{
    static const char *const fixed[][2] = {
        {"inst_retired.any", "event=0xc0"},
        {"inst_retired.any_p", "event=0xc0"},
        {"cpu_clk_unhalted.ref", "event=0x0,umask=0x3"},
        {"cpu_clk_unhalted.thread", "event=0x3c"},
        {"cpu_clk_unhalted.core", "event=0x3c"},
        {"cpu_clk_unhalted.thread_any", "event=0x3c,any=1"},
    };
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strcmp(fixed[i][0], name) == 0)
            return fixed[i][1];
    return NULL;
}

/* False if it is too long. */
static bool encode(const cJSON *entry, const cJSON *base, char *terms, size_t size)
{
    static const char *const keys[][2] = {{"AnyThread", "any"},
                                          {"CounterMask", "cmask"},
                                          {"EdgeDetect", "edge"},
                                          {"Invert", "inv"},
                                          {"UMask", "umask"}};
    uint64_t event = number_of(entry, base, "EventCode") | number_of(entry, base, "ExtSel") << 8;
    const char *name = register_of(number_of(entry, base, "MSRIndex"));
    size_t used = (size_t)snprintf(terms, size, "event=0x%llx", (unsigned long long)event);
    for (size_t k = 0; k < sizeof keys / sizeof *keys && used < size; k++) {
        uint64_t value = number_of(entry, base, keys[k][0]);
        if (value != 0)
            used += (size_t)snprintf(terms + used, size - used, ",%s=0x%llx", keys[k][1],
                                     (unsigned long long)value);
    }
    if (name && used < size)
        used += (size_t)snprintf(terms + used, size - used, ",%s=0x%llx", name,
                                 (unsigned long long)number_of(entry, base, "MSRValue"));
    return used < size;
}

/* A processor's entry may only name one that all have. */
static const cJSON *find_common(const struct lauka_event_tables *tables, const char *name)
{
    const cJSON *file, *entry;
    cJSON_ArrayForEach(file, tables->common) cJSON_ArrayForEach(entry, file)
    {
        const char *other = text_of(entry, NULL, "EventName");
        if (other && strcmp(other, name) == 0)
            return entry;
    }
    return NULL;
}

static char *keep(struct lauka_event_tables *tables, const char *text)
{
    char *copy = lauka_arena_text(tables->arena, text);
    tables->exhausted = tables->exhausted || !copy;
    return copy;
}

/* Lower case, and nothing that a terminal or a list of events could take for something else. */
static char *name_event(struct lauka_event_tables *tables, const char *name)
{
    size_t length = strlen(name);
    if (length == 0 || length > LAUKA_EVENT_NAME_SIZE / 2)
        return NULL;
    char *copy = keep(tables, name);
    for (char *at = copy; at && *at; at++) {
        if (!isalnum((unsigned char)*at) && !strchr("._-", *at))
            return NULL;
        *at = (char)tolower((unsigned char)*at);
    }
    return copy;
}

/* Descriptions are of anybody's making: they become one line of plain characters. */
static const char *describe(struct lauka_event_tables *tables, const char *text)
{
    char *copy = keep(tables, text ? text : "");
    for (char *at = copy; at && *at; at++)
        if ((unsigned char)*at < ' ' || (unsigned char)*at >= 0x7f)
            *at = ' ';
    return copy;
}

/* "cpu/event=0xf1,umask=0x1f/". False if it is anything else, or too long. */
static bool split(const char *encoding, char *pmu, size_t pmu_size, char *terms, size_t size)
{
    const char *slash = strchr(encoding, '/'), *end = strrchr(encoding, '/');
    size_t name = slash ? (size_t)(slash - encoding) : 0,
           length = slash ? (size_t)(end - slash) : 0;
    if (length == 0 || name >= pmu_size || length > size)
        return false;
    snprintf(pmu, pmu_size, "%.*s", (int)name, encoding);
    snprintf(terms, size, "%.*s", (int)length - 1, slash + 1);
    return true;
}

/* What belongs to no core, or is no event but a formula, is left out. */
static void add_event(struct lauka_event_tables *tables, const cJSON *entry, const char *pmu)
{
    const char *common = text_of(entry, NULL, "ArchStdEvent"), *unit = text_of(entry, NULL, "Unit");
    const cJSON *base = common ? find_common(tables, common) : NULL;
    const char *title = text_of(entry, base, "EventName"),
               *encoding = text_of(entry, NULL, "Encoding"); /* of `perf list -j` */
    char terms[LAUKA_EVENT_NAME_SIZE], owner[64];
    bool of_kind = unit && (strcmp(unit, "cpu_core") == 0 || strcmp(unit, "cpu_atom") == 0);
    char *name = title ? name_event(tables, title) : NULL;
    if (!name || (common && !base) || (unit && !of_kind && !encoding))
        return;
    snprintf(owner, sizeof owner, "%s", of_kind ? unit : pmu);
    if (!encoding && fixed_event(name))
        snprintf(terms, sizeof terms, "%s", fixed_event(name));
    else if (!(encoding ? split(encoding, owner, sizeof owner, terms, sizeof terms)
                        : encode(entry, base, terms, sizeof terms)))
        return;
    struct lauka_vendor_event *event =
        lauka_arena_add(tables->arena, &tables->events, &tables->count, sizeof *event);
    struct lauka_vendor_event own = {
        .name = name,
        .pmu = keep(tables, owner),
        .terms = keep(tables, terms),
        .description = describe(tables, text_of(entry, base, "BriefDescription")),
    };
    if (event)
        *event = own;
    tables->exhausted = tables->exhausted || !event;
}

/* An array of events, or as Intel's newer files {"Header": ..., "Events": [...]}. */
static void add_events(struct lauka_event_tables *tables, const cJSON *tree, const char *pmu)
{
    const cJSON *list =
        cJSON_IsArray(tree) ? tree : cJSON_GetObjectItemCaseSensitive(tree, "Events");
    const cJSON *entry;
    cJSON_ArrayForEach(entry, list) add_event(tables, entry, pmu);
}

static void read_table(struct lauka_event_tables *tables, const char *path, const char *pmu)
{
    cJSON *tree = parse(tables, path, read_text(tables, path));
    add_events(tables, tree, *pmu ? pmu : "cpu_core");
    cJSON_Delete(tree);
}

/* ---- files of a folder ---- */

static bool is_json(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".json") == 0;
}

/* All tables of the folder. */
static void read_folder(struct lauka_event_tables *tables, const char *folder, const char *pmu,
                        void (*one)(struct lauka_event_tables *, const char *path, const char *pmu))
{
    char path[PATH_SIZE];
    errno = 0;
    char **names = lauka_sysfs_list(folder, ".");
    tables->exhausted = tables->exhausted || errno == ENOMEM;
    for (char **name = names; name && *name; name++)
        if (is_json(*name) && snprintf(path, sizeof path, "%s/%s", folder, *name) < PATH_SIZE)
            one(tables, path, pmu);
    lauka_sysfs_free(names);
}

static void take_common(struct lauka_event_tables *tables, const char *path, const char *pmu)
{
    (void)pmu;
    cJSON *tree = parse(tables, path, read_text(tables, path));
    if (tree && !cJSON_AddItemToArray(tables->common, tree))
        cJSON_Delete(tree);
}

/* "GenuineIntel-6-55-[01234],V1.36,/SKX/events/skylakex_core.json,core": Intel's have a file, the kernel's a folder. */
static void read_row(struct lauka_event_tables *tables, const char *folder, char *line)
{
    const char *fields[FIELDS] = {"", "", "", "", "", "", ""};
    char path[PATH_SIZE];
    for (size_t f = 0; f < FIELDS && line; f++)
        fields[f] = strsep(&line, ",");
    const char *role = fields[6];
    bool of_cores = strncmp(fields[3], "uncore", 6) != 0 && strcmp(fields[3], "metrics") != 0;
    if (!of_cores || strstr(fields[2], "..") ||
        snprintf(path, sizeof path, "%s/%s", folder, fields[2]) >= PATH_SIZE)
        return;
    for (size_t m = 0; m < tables->models.count; m++) {
        struct model *model = &tables->models.models[m];
        const char *pmu = strcmp(role, "Atom") == 0 && !*model->pmu ? "cpu_atom" : model->pmu;
        if (model->found || !means_model(tables, fields[0], model->id))
            continue;
        model->found = lauka_folder_exists(path);
        if (model->found)
            read_folder(tables, path, pmu, read_table);
        else
            read_table(tables, path, pmu);
    }
}

static void read_map(struct lauka_event_tables *tables, const char *folder, const char *map)
{
    char *text = read_text(tables, map), *rest = text, *line;
    tables->common = cJSON_CreateArray();
    tables->exhausted = tables->exhausted || !tables->common;
    read_folder(tables, folder, NULL, take_common);
    while (rest && (line = strsep(&rest, "\n")))
        if (strlen(line) < LONGEST_LINE) {
            line[strcspn(line, "\r")] = '\0';
            read_row(tables, folder, line);
        }
    cJSON_Delete(tables->common);
    tables->common = NULL;
    free(text);
}

static void read_place(struct lauka_event_tables *tables, const char *place)
{
    char map[PATH_SIZE];
    const char *pmu = tables->models.count > 0 ? tables->models.models[0].pmu : "cpu";
    tables->path = place;
    if (!lauka_folder_exists(place))
        read_table(tables, place, pmu);
    else if (snprintf(map, sizeof map, "%s/mapfile.csv", place) < PATH_SIZE &&
             access(map, F_OK) == 0)
        read_map(tables, place, map);
    else
        read_folder(tables, place, pmu, read_table);
}

/* What an installed perf knows of this processor; those before 6.2 cannot write it. It is asked once, and a pause is
 * explained. */
static void ask_perf(struct lauka_event_tables *tables)
{
    static const char source[] = "perf list -j";
    const char *const words[] = {"perf", "list", "-j", NULL};
    const uint64_t begun_ns = lauka_now_ns();
    struct lauka_error note;
    char *text = malloc(LONGEST_LIST);
    tables->exhausted = tables->exhausted || !text;
    bool answered = text && lauka_helper_says(words, text, LONGEST_LIST);
    if (lauka_now_ns() - begun_ns >= LAUKA_HELPER_PATIENCE_NS) {
        lauka_misuse(&note,
                     "%s, which would know vendors' names of events, did not answer within "
                     "%d s",
                     source, (int)(LAUKA_HELPER_PATIENCE_NS / 1000000000));
        lauka_note_print(&note);
    }
    if (!answered) {
        free(text);
        return;
    }
    cJSON *tree = parse(tables, source, text);
    tables->path = tree ? source : NULL;
    *tables->wrong = '\0'; /* older ones write something else */
    add_events(tables, tree, "cpu");
    cJSON_Delete(tree);
}

/* ---- where tables are ---- */

/* What was named, or else the first of the usual places that is there. NULL: there is none. */
static const char *find_place(struct lauka_event_tables *tables, const char *given)
{
    static const char shared[] = "/usr/share/lauka/events";
    const char *named = given ? given : getenv("LAUKA_EVENT_TABLES");
    if (named && *named)
        return named;
    char *own = lauka_user_folder("XDG_DATA_HOME", ".local/share", "events");
    const char *place = own && lauka_folder_exists(own) ? keep(tables, own)
                        : lauka_folder_exists(shared)   ? shared
                                                        : NULL;
    free(own);
    return place;
}

/* NULL without memory. */
static struct lauka_event_tables *read_tables(const struct lauka_options *options)
{
    struct lauka_event_tables *tables = lauka_arena_take(options->arena, sizeof *tables);
    if (!tables)
        return NULL;
    tables->arena = options->arena;
    const char *place = find_place(tables, options->measure.event_table);
    find_models(&tables->models);
    if (place)
        read_place(tables, place);
    else
        ask_perf(tables);
    return tables;
}

bool lauka_event_tables_read(struct lauka_options *options,
                             const struct lauka_vendor_event **events, size_t *count)
{
    jmp_buf *exhausted = options->arena->exhausted;
    options->arena->exhausted = NULL; /* files and trees are given back first */
    if (!options->tables)
        options->tables = read_tables(options);
    options->arena->exhausted = exhausted;
    bool good = options->tables && !options->tables->exhausted;
    if (!good)
        (void)lauka_arena_take(options->arena, SIZE_MAX); /* goes on there */
    *events = good ? options->tables->events : NULL;
    *count = good ? options->tables->count : 0;
    return good;
}

/* ---- names --------------------------------------------------------------------------------------- */

static const char *say_missing(struct lauka_arena *arena, const struct lauka_event_tables *tables)
{
    const char *id = tables->models.count > 0 ? tables->models.models[0].id : "no PMU of cores";
    if (*tables->wrong)
        return tables->wrong;
    if (!tables->path)
        return "vendors' names are read from tables: give --event-table DIR, or write the numbers, "
               "as in cpu/event=0xc0,umask=0x01,name=retired/ (docs/counters.md)";
    if (tables->count == 0)
        return lauka_arena_print(arena, "%.300s has no events of this processor (%.79s)",
                                 tables->path, id);
    return lauka_arena_print(arena, "not among the %zu events of %.79s in %.300s", tables->count,
                             id, tables->path);
}

const struct lauka_vendor_event *lauka_event_tables_find(void *context, const char *name,
                                                         size_t index, const char **why)
{
    struct lauka_options *options = context;
    const struct lauka_vendor_event *events, *last = NULL; /* the same event may be in two files */
    size_t count;
    bool good = lauka_event_tables_read(options, &events, &count);
    for (size_t e = 0; e < count; e++) {
        if (!lauka_same_name(events[e].name, name) ||
            (last && strcmp(last->pmu, events[e].pmu) == 0))
            continue;
        last = &events[e];
        if (index-- == 0)
            return last;
    }
    *why = good ? say_missing(options->arena, options->tables) : NULL;
    if (!*why)
        *why = "out of memory";
    return NULL;
}
