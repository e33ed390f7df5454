/* A Mac's database of events, behind functions that answer as the input says: names, error codes, which
 * counter an event went to, how many words there are. */
#include "pmu/apple/apple.h"
#include "pmu/events/events.h"
#include "pmu/macos/darwin.h"
#include "pmu/macos/kperf.h"

#include "tests/fuzz/fuzz.h"

static struct {
    const uint8_t *at, *end;
    size_t added; /* events of the configuration */
} input;

struct lauka_kpep_config {
    int unused;
};

static uint8_t draw(void)
{
    return input.at < input.end ? *input.at++ : 0;
}

/* It succeeds mostly. */
static int answer(void)
{
    uint8_t byte = draw();
    return byte < 240 ? 0 : byte - 230;
}

static int create(const char *name, struct lauka_kpep_db **db)
{
    (void)name;
    *db = NULL;
    return answer();
}

static int name_of(struct lauka_kpep_db *db, const char **name)
{
    static const char *const names[] = {"a14", "as4", "as4-macos26", "", NULL, "as9", "a16\033[1m"};

    (void)db;
    *name = names[draw() % (sizeof names / sizeof *names)];
    return answer();
}

static int find_event(struct lauka_kpep_db *db, const char *name, struct lauka_kpep_event **event)
{
    uint8_t byte = draw();

    (void)db;
    fuzz_require(name != NULL);
    *event = NULL;
    return byte < 200 ? 0 : byte < 240 ? LAUKA_KPEP_NO_EVENT : byte - 230;
}

static int config_create(struct lauka_kpep_db *db, struct lauka_kpep_config **config)
{
    int code = answer();

    (void)db;
    *config = code == 0 ? malloc(sizeof **config) : NULL;
    input.added = 0;
    return code;
}

static void config_free(struct lauka_kpep_config *config)
{
    free(config);
}

static int force(struct lauka_kpep_config *config)
{
    fuzz_require(config != NULL);
    return answer();
}

static int add_event(struct lauka_kpep_config *config, struct lauka_kpep_event **event,
                     uint32_t user_only, uint32_t *conflicts)
{
    uint8_t byte = draw();

    (void)event;
    (void)user_only;
    fuzz_require(config && !conflicts);
    input.added += byte < 200;
    return byte < 200 ? 0 : 12;
}

static int classes(struct lauka_kpep_config *config, uint32_t *found)
{
    (void)config;
    *found = draw();
    return answer();
}

static int count_words(struct lauka_kpep_config *config, size_t *count)
{
    (void)config;
    *count = draw() >> 1;
    return answer();
}

static int words(struct lauka_kpep_config *config, uint64_t *to, size_t size)
{
    (void)config;
    memset(to, draw(), size); /* the sanitizer knows whether there is room */
    return answer();
}

static int map(struct lauka_kpep_config *config, size_t *to, size_t size)
{
    (void)config;
    fuzz_require(size == input.added * sizeof *to);
    for (size_t i = 0; i < input.added; i++) {
        uint8_t byte = draw();
        to[i] = byte < 250 ? byte % 12 : SIZE_MAX - byte;
    }
    return answer();
}

static const struct lauka_kperf_api api = {
    .kpep_db_create = create,
    .kpep_db_name = name_of,
    .kpep_db_event = find_event,
    .kpep_config_create = config_create,
    .kpep_config_free = config_free,
    .kpep_config_force_counters = force,
    .kpep_config_add_event = add_event,
    .kpep_config_kpc_classes = classes,
    .kpep_config_kpc_count = count_words,
    .kpep_config_kpc = words,
    .kpep_config_kpc_map = map,
};

static int family(const char *name, void *old, size_t *old_size, const void *new, size_t new_size)
{
    static const uint32_t families[] = {0x1b588bb3, 0xda33d83d, 0x8765edea, 0};
    uint8_t byte = draw();

    (void)new;
    (void)new_size;
    fuzz_require(strcmp(name, "hw.cpufamily") == 0 && *old_size == sizeof *families);
    memcpy(old, &families[byte % 4], sizeof *families);
    return byte < 200 ? 0 : -1;
}

const struct lauka_darwin *lauka_darwin(void)
{
    static const struct lauka_darwin darwin = {.sysctlbyname = family};
    return &darwin;
}

/* As darwin_counters.c does, from names to a configuration. */
static void configure(const struct lauka_kpep *kpep, const struct lauka_event *events, size_t count)
{
    static struct lauka_kpep_set made;
    static char names[LAUKA_SLOTS_EVENTS_MAX][LAUKA_EVENT_NAME_SIZE];
    struct lauka_apple_set set = {0};
    char why[300];

    for (size_t i = 0; i < count && i < LAUKA_SLOTS_EVENTS_MAX; i++) {
        if (lauka_kpep_find(kpep, &events[i], names[i], sizeof names[i], &set.events[set.count]))
            continue;
        set.asked[set.count++] = events[i].name;
    }
    if (!lauka_apple_set_place(&set))
        lauka_apple_set_explain(&set, why, sizeof why);
    if (lauka_kpep_configure(kpep, set.events, set.slots, set.count, &made) != 0)
        return;
    fuzz_require(made.word_count <= LAUKA_KPC_MAX);
    for (size_t i = 0; i < set.count; i++)
        fuzz_require(set.slots[i] == LAUKA_SLOT_NONE || made.value_of[i] < LAUKA_KPC_COUNTERS_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct lauka_event_list list;
    struct lauka_kpep kpep;
    char *text = fuzz_text(bytes, size), why[700];
    const char *names = text;

    list = (struct lauka_event_list){0};
    input.at = bytes + strlen(text);
    input.end = bytes + size;
    (void)lauka_event_list_add(&list, names, "/nonexistent", why, sizeof why);
    int code = lauka_kpep_open(&kpep, &api);
    fuzz_require(*lauka_kpep_error(code) != '\0');
    if (code == 0)
        configure(&kpep, list.events, list.count);
    lauka_kpep_close(&kpep);
    free(text);
    return 0;
}
