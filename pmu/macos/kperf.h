/* Apple's private kperf and kperfdata frameworks, as far as lauka uses them. Everything is resolved at run
 * time and nothing is linked. lauka never looks into their structures, because they have changed. */
#ifndef LAUKA_PMU_MACOS_KPERF_H
#define LAUKA_PMU_MACOS_KPERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/apple/apple.h"
#include "pmu/events/events.h"
#include "pmu/macos/darwin.h"

enum {
    LAUKA_KPC_FIXED = 1,
    LAUKA_KPC_CONFIGURABLE = 2, /* classes */
    LAUKA_KPC_CLASSES = LAUKA_KPC_FIXED | LAUKA_KPC_CONFIGURABLE,
    LAUKA_KPC_COUNTERS_MAX = LAUKA_SLOTS, /* of those classes; ten on chips up to the M4 */
    LAUKA_KPC_MAX = 32,
    LAUKA_KPC_NUMBER = 0xffff /* of the event, in a word */
};

/* ---- kperf.c -------------------------------------------------------------------------- */

struct lauka_kpep_db;
struct lauka_kpep_config;
struct lauka_kpep_event;
struct lauka_kperf_filter;

/* The frameworks' functions under their own names; any may be NULL. */
struct lauka_kperf_api {
    int (*kpc_force_all_ctrs_set)(int value);
    int (*kpc_force_all_ctrs_get)(int *value);
    uint32_t (*kpc_get_counter_count)(uint32_t classes);
    uint32_t (*kpc_get_config_count)(uint32_t classes);
    int (*kpc_get_config)(uint32_t classes, uint64_t *config);
    int (*kpc_set_config)(uint32_t classes, uint64_t *config);
    uint32_t (*kpc_get_counting)(void);
    int (*kpc_set_counting)(uint32_t classes);
    uint32_t (*kpc_get_thread_counting)(void);
    int (*kpc_set_thread_counting)(uint32_t classes);
    int (*kpc_get_thread_counters)(uint32_t thread, uint32_t count, uint64_t *values);
    int (*kperf_action_count_set)(uint32_t count);
    int (*kperf_action_count_get)(uint32_t *count);
    int (*kperf_action_samplers_set)(uint32_t action, uint32_t samplers);
    int (*kperf_action_filter_set_by_pid)(uint32_t action, int32_t pid);
    int (*kperf_timer_count_set)(uint32_t count);
    int (*kperf_timer_period_set)(uint32_t timer, uint64_t ticks);
    int (*kperf_timer_period_get)(uint32_t timer, uint64_t *ticks);
    int (*kperf_timer_action_set)(uint32_t timer, uint32_t action);
    int (*kperf_timer_pet_set)(uint32_t timer);
    int (*kperf_sample_set)(uint32_t on);
    int (*kperf_reset)(void);
    struct lauka_kperf_filter *(*kperf_kdebug_filter_create)(void);
    int (*kperf_kdebug_filter_add_debugid)(struct lauka_kperf_filter *filter, uint32_t debugid);
    int (*kperf_kdebug_filter_set)(struct lauka_kperf_filter *filter);
    void (*kperf_kdebug_filter_destroy)(struct lauka_kperf_filter *filter);
    int (*kperf_kdebug_action_set)(int action);
    int (*kpep_db_create)(const char *name, struct lauka_kpep_db **db);
    void (*kpep_db_free)(struct lauka_kpep_db *db);
    int (*kpep_db_name)(struct lauka_kpep_db *db, const char **name);
    int (*kpep_db_event)(struct lauka_kpep_db *db, const char *name,
                         struct lauka_kpep_event **event);
    int (*kpep_config_create)(struct lauka_kpep_db *db, struct lauka_kpep_config **config);
    void (*kpep_config_free)(struct lauka_kpep_config *config);
    int (*kpep_config_force_counters)(struct lauka_kpep_config *config);
    int (*kpep_config_add_event)(struct lauka_kpep_config *config, struct lauka_kpep_event **event,
                                 uint32_t user_only, uint32_t *conflicts);
    int (*kpep_config_kpc_classes)(struct lauka_kpep_config *config, uint32_t *classes);
    int (*kpep_config_kpc_count)(struct lauka_kpep_config *config, size_t *count);
    int (*kpep_config_kpc)(struct lauka_kpep_config *config, uint64_t *words, size_t size);
    int (*kpep_config_kpc_map)(struct lauka_kpep_config *config, size_t *map, size_t size);
};

/* Loads both. False, with what is missing, if one of them does not exist or lacks a function that lauka
 * needs. */
bool lauka_kperf_load(struct lauka_kperf_api *api, char *text, size_t size);

/* ---- kpep.c: sets of events as configurations of the counters --------------------------------- */

struct lauka_kpep_set {            /* settings for the kernel, and where the values are */
    uint64_t words[LAUKA_KPC_MAX]; /* zeros beyond word_count */
    size_t word_count; /* as the library says: 0 where only fixed events are configured */
    size_t placed;     /* configurable events */
    size_t least;      /* counters that a sample must have for value_of */
    size_t value_of[LAUKA_EVENTS_MAX]; /* by the caller's index: where in a sample */
};

struct lauka_kpep {                    /* the Mac's own database */
    const struct lauka_kperf_api *api; /* borrowed */
    struct lauka_kpep_db *db;
    char name[64]; /* what the chip is sold as, or the database's own: that differs */
    const struct lauka_apple_chip *chip; /* what lauka itself knows of it; may be NULL */
};

/* 0, or a code of kpep: see lauka_kpep_error. */
int lauka_kpep_open(struct lauka_kpep *kpep, const struct lauka_kperf_api *api);
void lauka_kpep_close(struct lauka_kpep *kpep);

/* Whether it has the fixed events: those of Intel's chips have others. */
bool lauka_kpep_has_fixed(const struct lauka_kpep *kpep);

/* Finds an event of lauka's list: its name in the database goes into `name`, which found->name
 * points to, and found->mask tells the counters it can have. 0, or a code of kpep. */
int lauka_kpep_find(const struct lauka_kpep *kpep, const struct lauka_event *event, char *name,
                    size_t size, struct lauka_apple_event *found);
#define LAUKA_KPEP_NO_EVENT 11

/* Adds both fixed events and those of events[] whose slot is not LAUKA_SLOT_NONE, in the order of
 * their slots. 0 or a code of kpep. */
int lauka_kpep_configure(const struct lauka_kpep *kpep, const struct lauka_apple_event *events,
                         const int8_t *slots, size_t count, struct lauka_kpep_set *set);

/* Static. */
const char *lauka_kpep_error(int code);

/* ---- kperf.c: the session --------------------------------------------------------------------- */

struct lauka_kperf {                     /* zeroed, it is closed */
    const struct lauka_kperf_api *api;   /* borrowed */
    size_t made;                         /* steps that are to be unmade */
    uint64_t words[LAUKA_KPC_MAX];       /* what the counters are set to */
    const struct lauka_kpep_set *wanted; /* while it is opened */
    size_t counters, configs;   /* that the kernel says it has: values of a sample, words */
    struct lauka_kpc_settings { /* as the kernel tells of them */
        bool known;
        uint64_t words[LAUKA_KPC_MAX];
        uint32_t counting, thread_counting;
    } before, set; /* counting started, and after that: what later reads are compared with */
    bool stale;    /* somebody has changed them since */
    struct lauka_kperf_filter *filter;
    bool tracing, sampling;
    uint64_t period_ns; /* of samples while threads run, as the kernel has it; 0: none */
    const char *step;   /* static; what failed last */
    int error;          /* its errno */
};

/* Takes over the counters and the trace. Returns 0, or an errno with session->step; then everything is as
 * it was. */
int lauka_kperf_open(struct lauka_kperf *session, const struct lauka_kperf_api *api,
                     const struct lauka_kpep_set *set);

/* Whether the kernel accepts the set: takes over the counters to try it, and gives them back. Returns 0 or
 * an errno. No session may be open. */
int lauka_kperf_try(const struct lauka_kperf_api *api, const struct lauka_kpep_set *set);

/* Sets the counters to another set, or to the same again where somebody has changed them. */
int lauka_kperf_turn(struct lauka_kperf *session, const struct lauka_kpep_set *set);

/* Lets running threads be sampled, too, about every period_ns; the kernel may take longer, see
 * session->period_ns. */
int lauka_kperf_sample(struct lauka_kperf *session, uint64_t period_ns);

/* Begins and ends the trace of one run. */
int lauka_kperf_trace(struct lauka_kperf *session, bool on);

/* Reads records: *count places in, records out; 0: there are none now. *lost is set where some were. */
int lauka_kperf_read(struct lauka_kperf *session, struct lauka_kd_buf *records, size_t *count,
                     bool *lost);

/* Whether the counters are as the kernel reported when they were set; anyone with root privileges can
 * change them. A kernel need not read back what was written, so its answers are compared only with each
 * other. */
enum lauka_kpc_change {
    LAUKA_KPC_UNTOUCHED,
    LAUKA_KPC_EVENTS_CHANGED, /* the fixed ones still count */
    LAUKA_KPC_COUNTING_CHANGED
};
enum lauka_kpc_change lauka_kperf_changed(struct lauka_kperf *session);

/* Whether the kernel reports that it counts other events than it was set to. */
bool lauka_kperf_counts_others(const struct lauka_kperf *session);

/* The step of a session that chooses the events, and the one that asks for the counters' number; as in
 * session->step. */
extern const char lauka_kperf_choosing[], lauka_kperf_asking[];

/* Unsets all that was set, in the reverse order. */
void lauka_kperf_close(struct lauka_kperf *session);

#endif
