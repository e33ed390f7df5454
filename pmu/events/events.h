/* What can be counted: names, units, descriptions, and how to request it from the system. Functions
 * that can fail return 0 or an errno. */
#ifndef LAUKA_PMU_EVENTS_EVENTS_H
#define LAUKA_PMU_EVENTS_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- event.c: names, units and descriptions of all that can be counted ----------------------- */

enum lauka_better { LAUKA_BETTER_LOWER, LAUKA_BETTER_HIGHER, LAUKA_BETTER_NEITHER };

/* The modes of the CPU in which an event is counted. The hypervisor's mode exists on POWER and on some Arm. */
enum lauka_modes { LAUKA_MODES_ALL, LAUKA_MODES_USER, LAUKA_MODES_KERNEL, LAUKA_MODES_HYPERVISOR };

/* Whether an event is counted while a virtual machine runs. */
enum lauka_worlds { LAUKA_WORLDS_ALL, LAUKA_WORLDS_HOST, LAUKA_WORLDS_GUEST };

/* A quantity with a name. Units are plain strings: "ns", "B", or "1" for a count. */
struct lauka_event {
    const char *name;        /* as in the table and the JSON: "branch_misses", "instructions:u" */
    const char *unit;        /* static */
    const char *source;      /* static: "clock", "rusage" or "perf_event" */
    const char *description; /* static; one line */
    enum lauka_better better;
    uint32_t type; /* attr.type, .config ... of perf_event_open(2); 0 for the other sources */
    uint64_t config, config1, config2;
    enum lauka_modes modes;
    bool without_hypervisor; /* modes were chosen, and the hypervisor's was not among them */
    enum lauka_worlds worlds;
    bool pinned;      /* it is always on its counter, or not counted at all */
    bool of_one_pmu;  /* type belongs to the PMU that was named */
    bool of_cores;    /* and this PMU belongs to the cores: not msr, power ... */
    bool leads;       /* it has to lead its group: Intel's "slots", before the top-down events */
    uint8_t group;    /* events to be counted together have the same number; 0: none */
    bool of_machine;  /* it counts whole CPUs and all that runs there, not one command */
    bool of_family;   /* of all PMUs of this name with a number behind it: uncore_imc_0 ... */
    uint8_t decimals; /* of counts after the factor: they are in 10^-decimals of the unit */
    double scale;     /* factor for counts from the PMU's sysfs; 0: none */
    uint8_t core;     /* 0: any core; k: only cores of kind k - 1, by their PMU */
};

/* attr.type, which is kernel ABI; all other numbers belong to PMUs, and are in their sysfs. */
enum {
    LAUKA_TYPE_HARDWARE = 0,
    LAUKA_TYPE_SOFTWARE = 1,
    LAUKA_TYPE_TRACEPOINT = 2,
    LAUKA_TYPE_CACHE = 3,
    LAUKA_TYPE_RAW = 4,
    LAUKA_TYPE_BREAKPOINT = 5,
    LAUKA_TYPE_POWERCAP = 0x7fffffff /* of lauka's own: config is the number of the zone */
};

/* The metrics that need no counter, in the order of `struct lauka_usage`'s values[]. */
enum lauka_usage_metric {
    LAUKA_WALL_TIME,
    LAUKA_USER_TIME,
    LAUKA_SYSTEM_TIME,
    LAUKA_CPU_TIME,
    LAUKA_PEAK_RSS,
    LAUKA_MINOR_FAULTS,
    LAUKA_MAJOR_FAULTS,
    LAUKA_CONTEXT_SWITCHES,
    LAUKA_USAGE_METRICS /* number of metrics */
};

/* What the kernel accounted to a reaped process and its waited-for descendants. */
struct lauka_usage {
    uint64_t values[LAUKA_USAGE_METRICS]; /* by enum lauka_usage_metric; times in ns, memory in B */
};

/* The table of those metrics: LAUKA_USAGE_METRICS entries, indexed by the enum. */
const struct lauka_event *lauka_usage_events(void);

/* The counters that are tried by default: cycles, instructions, cache_references, cache_misses,
 * branch_misses. Sets *count. */
const struct lauka_event *lauka_default_events(size_t *count);

/* All events that have the same name on every machine; the default ones come first. Sets *count. */
const struct lauka_event *lauka_portable_events(size_t *count);

/* Finds a portable event or usage metric by name or alias, ignoring case, '-' and '_'; NULL if
 * there is none. */
const struct lauka_event *lauka_event_find(const char *name);

/* What the event means on this machine: the cores' PMU decides which cache "cache_misses" counts.
 * pmus: LAUKA_SYSFS, and proc: "/proc", except in tests. Static, or the event's own. */
const char *lauka_event_description(const struct lauka_event *event, const char *pmus,
                                    const char *proc);

/* Another name of a portable event, by number; NULL beyond the last. *name: the event's own name. */
const char *lauka_event_alias(size_t index, const char **name);

/* True if two names differ only in case, or in '-' for '_'. */
bool lauka_same_name(const char *a, const char *b);

/* ---- cache_event.c: cache x operation x result ----------------------------------------------- */

/* Enough for every name that lauka generates. */
#define LAUKA_EVENT_NAME_SIZE 128

/* "l1d_load_misses", and perf's name ("L1-dcache-load-misses") or similar ones. */
bool lauka_cache_event_parse(const char *name, uint64_t *config);

/* Lauka's own name for it, and its description. */
void lauka_cache_event_name(uint64_t config, char *name, size_t size);
void lauka_cache_event_describe(uint64_t config, char *text, size_t size);

/* All combinations, by number; false beyond the last. */
bool lauka_cache_event(size_t index, uint64_t *config);

/* ---- sysfs.c: the PMUs that the kernel describes, with their formats and events -------------- */

#define LAUKA_SYSFS "/sys/bus/event_source/devices"

/* The entries of a directory of `root`: "devices" (the PMUs), or of a PMU "PMU/events", "PMU/format", in
 * alphabetical order. The caller owns them, see lauka_sysfs_free; NULL if there are none, or without memory (ENOMEM). */
char **lauka_sysfs_list(const char *root, const char *folder);
void lauka_sysfs_free(char **names);

/* Reads the file `root`/`file` as far as it fits; text is always terminated, and empty if the file
 * cannot be read. Returns the number of bytes: `size` if they do not all fit. */
size_t lauka_sysfs_take(const char *root, const char *file, char *text, size_t size);

/* What proc/cpuinfo says of the first CPU under this name, cut off where it does not fit; empty and false if it does
 * not. */
bool lauka_cpuinfo(const char *proc, const char *name, char *value, size_t size);

/* The text of a file, without its newline. False if it cannot be read or does not fit. */
bool lauka_sysfs_read(const char *root, const char *file, char *text, size_t size);

/* Whether a file in a PMU's events folder is an event: others have their units and scales. */
bool lauka_sysfs_is_event(const char *name);

/* The attr.type of the PMU, unless that is NULL; false if there is none of this name. */
bool lauka_sysfs_pmu(const char *root, const char *pmu, uint32_t *type);

/* Whether the PMU only counts whole CPUs (uncore, power) and never one command. */
bool lauka_sysfs_is_system_wide(const char *root, const char *pmu);

/* True for the PMU of the cores, or of one kind of them; false for msr, power ... */
bool lauka_sysfs_is_of_cores(const char *root, const char *pmu);

/* Fills type and config from comma-separated terms: "event=0x3c,umask=1", names from events/, or rHEX. Ignores
 * terms that only matter for sampling, and "name=TEXT". On failure returns false, with the
 * reason in text. */
bool lauka_sysfs_event(const char *root, const char *pmu, const char *terms,
                       struct lauka_event *event, char *text, size_t size);

/* Intel's top-down events (Ice Lake and later) are counted in a group that the event "slots" leads; the kernel refuses
 * them elsewhere (intel_pmu_hw_config). Whether the event, which lauka_sysfs_event filled, is one of them or "slots". */
enum lauka_topdown { LAUKA_TOPDOWN_NO, LAUKA_TOPDOWN_SLOTS, LAUKA_TOPDOWN_METRIC };
enum lauka_topdown lauka_sysfs_topdown(const char *root, const char *pmu,
                                       const struct lauka_event *event);

/* Sets the event's unit, decimals and factor from what the PMU says of its event `name`; leaves them where it says
 * nothing. */
void lauka_sysfs_measure(const char *root, const char *pmu, const char *name,
                         struct lauka_event *event);

/* ---- powercap: energy where no PMU has it ---- */

#define LAUKA_POWERCAP "/sys/class/powercap"

/* Fills in the event if the kernel's powercap has what perf calls power/NAME/ ("energy-pkg"). Where that is, is not looked
 * at. root: LAUKA_POWERCAP, except in tests. */
bool lauka_powercap_event(const char *root, const char *name, struct lauka_event *event);

/* What the zone's name begins with, by the event's config: "package". */
const char *lauka_powercap_zone(uint64_t config);

/* A count of the event, multiplied by that factor and rounded. */
uint64_t lauka_event_scaled(const struct lauka_event *event, uint64_t count);

/* ---- linux/perf_call.c, macos/absent.c: an event that is opened for others ---------------------- */

enum { LAUKA_LOAN_SIZE = 64 }; /* size of the first struct perf_event_attr */

/* Opens the event described by the first LAUKA_LOAN_SIZE bytes for the calling process and, if they
 * say so, for all it starts; cpu -1: on all CPUs. A tracepoint without a number counts all system
 * calls. Returns a descriptor, or -1 and errno. */
int lauka_event_open(const void *event, int cpu);

/* Opens it in this way in the process whose children are counted, and passes the descriptor on. */
struct lauka_event_lender {
    int (*lend)(void *context, const void *event, size_t size, int cpu);
    void *context;
};

/* ---- sysfs.c: what the kernel's code announces ------------------------------------------- */

/* Whether the name has the form SYSTEM:NAME. */
bool lauka_tracepoint_is(const char *name);

/* Sets the event's config, if it is 0, by its name: the tracepoint's number in tracefs. root: NULL,
 * except in tests. ENOENT: tracefs is not mounted; EACCES: this user may not read it; ESRCH: no
 * such tracepoint. */
int lauka_tracepoint_find(const char *root, struct lauka_event *event);

/* The names in a system of tracepoints, or all systems if that is NULL; includes files that are no
 * tracepoints. As lauka_sysfs_list. */
char **lauka_tracepoint_list(const char *root, const char *system);

/* ---- event_list.c: what was asked for -------------------------------------------------------- */

#define LAUKA_EVENTS_MAX 48 /* times 1 + LAUKA_CORE_TYPES_MAX, it fits into 8 bits */

struct lauka_vendor_event {  /* by a name that a processor's vendor gives it */
    const char *name;        /* in lower case: "mem_load_retired.l3_miss" */
    const char *pmu, *terms; /* "cpu", "event=0xd1,umask=0x20" */
    const char *description; /* one line; may be empty */
};

/* Never copy it: the events point to their names. Empty when zeroed. */
struct lauka_event_list {
    /* Looks up a name that neither lauka nor the kernel knows: its first meaning (index 0), or further ones, which are of
     * other PMUs. NULL if there is none; *why then says so, borrowed. Itself NULL: nothing is looked up. */
    const struct lauka_vendor_event *(*find)(void *context, const char *name, size_t index,
                                             const char **why);
    void *context; /* borrowed */
    size_t count;
    uint8_t groups; /* number of groups in braces */
    struct lauka_event events[LAUKA_EVENTS_MAX];
    char names[LAUKA_EVENTS_MAX][LAUKA_EVENT_NAME_SIZE];
};

/* Appends the events of a list, separated by commas: portable names, PMU/TERMS/, names of sysfs (for
 * several kinds of core, of each), rHEX, tracepoints, names that list->find knows; each may end in perf's
 * modifiers (:u, :k ...), and braces group events to be counted together: "{a,b}:u". Skips events already listed,
 * and those measured without a counter. False, with the reason in text, in one line. root: LAUKA_SYSFS, except in
 * tests. */
bool lauka_event_list_add(struct lauka_event_list *list, const char *names, const char *root,
                          char *text, size_t size);

/* ---- linux/, macos/native.c: events of one system -------------------------------------------- */

/* An event that only this system has: fills it in, with its full name. False if there is none. */
bool lauka_native_event(const char *asked, struct lauka_event *event, char *name, size_t size);

/* ---- suggest.c: what may have been meant -------------------------------------------------------- */

/* The known names most similar to the typed one: "a, b or c". Empty if none is similar. */
void lauka_tracepoint_suggest(const char *typed, char *text, size_t size);
void lauka_event_suggest(const char *typed, const char *root, char *text, size_t size);

/* Whether it contains the part, ignoring case, and '-' for '_'. */
bool lauka_name_contains(const char *name, const char *part);

/* The number of letters to insert, remove or replace (Levenshtein 1966), ignoring case, and '-' for '_'.
 * SIZE_MAX for names longer than any event's. */
size_t lauka_name_distance(const char *a, const char *b);

#endif
