/* Apple's private kperf and kperfdata frameworks, as far as lauka uses them. It resolves all functions
 * at run time and links nothing. lauka never reads their structures, because these have changed. */
#ifndef LAUKA_PMU_MACOS_KPERF_H
#define LAUKA_PMU_MACOS_KPERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/apple/apple.h"
#include "pmu/events/events.h"
#include "pmu/macos/darwin.h"

enum {
    LAUKA_KPC_CLASSES = 1 | 2,            /* fixed, and configurable counters */
    LAUKA_KPC_COUNTERS_MAX = LAUKA_SLOTS, /* in these classes; ten on chips up to the M4 */
    LAUKA_KPC_MAX = 32,
    LAUKA_KPC_NUMBER = 0xffff /* the part of a word with the event */
};

/* ---- kperf.c -------------------------------------------------------------------------- */

struct lauka_kpep_db;
struct lauka_kpep_config;
struct lauka_kpep_event;
struct lauka_kperf_filter;

/* The frameworks' functions: framework, whether a session needs it, result, name, parameters. */
#define LAUKA_KPERF_FUNCTIONS(F)                                                                   \
    F(kperf, true, int, kpc_force_all_ctrs_set, (int value))                                       \
    F(kperf, false, int, kpc_force_all_ctrs_get, (int *value))                                     \
    F(kperf, true, uint32_t, kpc_get_counter_count, (uint32_t classes))                            \
    F(kperf, true, uint32_t, kpc_get_config_count, (uint32_t classes))                             \
    F(kperf, false, int, kpc_get_config, (uint32_t classes, uint64_t * config))                    \
    F(kperf, true, int, kpc_set_config, (uint32_t classes, uint64_t * config))                     \
    F(kperf, false, uint32_t, kpc_get_counting, (void))                                            \
    F(kperf, true, int, kpc_set_counting, (uint32_t classes))                                      \
    F(kperf, false, uint32_t, kpc_get_thread_counting, (void))                                     \
    F(kperf, true, int, kpc_set_thread_counting, (uint32_t classes))                               \
    F(kperf, false, int, kpc_get_thread_counters,                                                  \
      (uint32_t thread, uint32_t count, uint64_t * values))                                        \
    F(kperf, true, int, kperf_action_count_set, (uint32_t count))                                  \
    F(kperf, true, int, kperf_action_count_get, (uint32_t * count))                                \
    F(kperf, true, int, kperf_action_samplers_set, (uint32_t action, uint32_t samplers))           \
    F(kperf, true, int, kperf_action_filter_set_by_pid, (uint32_t action, int32_t pid))            \
    F(kperf, false, int, kperf_timer_count_set, (uint32_t count))                                  \
    F(kperf, false, int, kperf_timer_period_set, (uint32_t timer, uint64_t ticks))                 \
    F(kperf, false, int, kperf_timer_period_get, (uint32_t timer, uint64_t * ticks))               \
    F(kperf, false, int, kperf_timer_action_set, (uint32_t timer, uint32_t action))                \
    F(kperf, false, int, kperf_timer_pet_set, (uint32_t timer))                                    \
    F(kperf, false, int, kperf_sample_set, (uint32_t on))                                          \
    F(kperf, true, int, kperf_reset, (void))                                                       \
    F(kperf, true, struct lauka_kperf_filter *, kperf_kdebug_filter_create, (void))                \
    F(kperf, true, int, kperf_kdebug_filter_add_debugid,                                           \
      (struct lauka_kperf_filter * filter, uint32_t debugid))                                      \
    F(kperf, true, int, kperf_kdebug_filter_set, (struct lauka_kperf_filter * filter))             \
    F(kperf, false, void, kperf_kdebug_filter_destroy, (struct lauka_kperf_filter * filter))       \
    F(kperf, true, int, kperf_kdebug_action_set, (int action))                                     \
    F(kperfdata, true, int, kpep_db_create, (const char *name, struct lauka_kpep_db **db))         \
    F(kperfdata, false, void, kpep_db_free, (struct lauka_kpep_db * db))                           \
    F(kperfdata, false, int, kpep_db_name, (struct lauka_kpep_db * db, const char **name))         \
    F(kperfdata, true, int, kpep_db_event,                                                         \
      (struct lauka_kpep_db * db, const char *name, struct lauka_kpep_event **event))              \
    F(kperfdata, true, int, kpep_config_create,                                                    \
      (struct lauka_kpep_db * db, struct lauka_kpep_config * *config))                             \
    F(kperfdata, false, void, kpep_config_free, (struct lauka_kpep_config * config))               \
    F(kperfdata, true, int, kpep_config_force_counters, (struct lauka_kpep_config * config))       \
    F(kperfdata, true, int, kpep_config_add_event,                                                 \
      (struct lauka_kpep_config * config, struct lauka_kpep_event * *event, uint32_t user_only,    \
       uint32_t * conflicts))                                                                      \
    F(kperfdata, true, int, kpep_config_kpc_classes,                                               \
      (struct lauka_kpep_config * config, uint32_t * classes))                                     \
    F(kperfdata, true, int, kpep_config_kpc_count,                                                 \
      (struct lauka_kpep_config * config, size_t * count))                                         \
    F(kperfdata, true, int, kpep_config_kpc,                                                       \
      (struct lauka_kpep_config * config, uint64_t * words, size_t size))                          \
    F(kperfdata, true, int, kpep_config_kpc_map,                                                   \
      (struct lauka_kpep_config * config, size_t * map, size_t size))

struct lauka_kperf_api { /* any may be NULL */
#define LAUKA_MEMBER(library, needed, result, name, parameters) result(*name) parameters;
    LAUKA_KPERF_FUNCTIONS(LAUKA_MEMBER)
};

/* Loads both. False if one of them is missing or lacks a required function, with its name. */
bool lauka_kperf_load(struct lauka_kperf_api *api, char *text, size_t size);

/* ---- kpep.c: sets of events as configurations of the counters --------------------------------- */

struct lauka_kpep_set {                /* settings for the kernel, and where the values are */
    uint64_t words[LAUKA_KPC_MAX];     /* zeros beyond word_count */
    size_t word_count;                 /* from the library: 0 if only fixed events are configured */
    size_t placed;                     /* number of configurable events */
    size_t least;                      /* values that a sample needs for value_of */
    size_t value_of[LAUKA_EVENTS_MAX]; /* position in a sample, by the caller's index */
};

struct lauka_kpep {                    /* the Mac's own database */
    const struct lauka_kperf_api *api; /* borrowed */
    struct lauka_kpep_db *db;
    char name[64]; /* the chip's product name, or else the database's own name */
    const struct lauka_apple_chip *chip; /* lauka's own data about it; may be NULL */
};

/* 0, or a kpep code: see lauka_kpep_error. */
int lauka_kpep_open(struct lauka_kpep *kpep, const struct lauka_kperf_api *api);
void lauka_kpep_close(struct lauka_kpep *kpep);

/* Whether it has the fixed events: Intel's chips have others. */
bool lauka_kpep_has_fixed(const struct lauka_kpep *kpep);

/* Finds an event of lauka's list: its name in the database is copied to `name`, to which
 * found->name points, and found->mask has its possible counters. 0, or a kpep code. */
int lauka_kpep_find(const struct lauka_kpep *kpep, const struct lauka_event *event, char *name,
                    size_t size, struct lauka_apple_event *found);
#define LAUKA_KPEP_NO_EVENT 11

/* Adds both fixed events, and those in events[] whose slot is not LAUKA_SLOT_NONE, in the order of
 * slots. 0 or a kpep code. */
int lauka_kpep_configure(const struct lauka_kpep *kpep, const struct lauka_apple_event *events,
                         const int8_t *slots, size_t count, struct lauka_kpep_set *set);

/* Static. */
const char *lauka_kpep_error(int code);

/* ---- kperf.c: the session --------------------------------------------------------------------- */

struct lauka_kperf {                     /* closed when zeroed */
    const struct lauka_kperf_api *api;   /* borrowed */
    size_t made;                         /* number of steps to undo */
    uint64_t words[LAUKA_KPC_MAX];       /* the current setting of the counters */
    const struct lauka_kpep_set *wanted; /* during opening */
    size_t counters, configs;            /* as the kernel reports them: values per sample, words */
    struct lauka_kpc_settings {          /* as the kernel reports them */
        bool known;
        uint64_t words[LAUKA_KPC_MAX];
        uint32_t counting, thread_counting;
    } before, set; /* when counting started, and afterwards, for comparison with later reads */
    bool stale;    /* another process has changed them since */
    enum lauka_trace_way way; /* how the trace is set up */
    size_t traced;            /* records read since then */
    size_t traced_before;     /* when the trace was last refreshed or found fresh */
    bool tracing, sampling;
    uint64_t period_ns; /* sampling period of running threads in the kernel; 0: none */
    const char *step;   /* static; the last step that failed */
    int error;          /* its errno */
};

/* Acquires the counters and the trace. Returns 0, or an errno with session->step, and everything is
 * as before. */
int lauka_kperf_open(struct lauka_kperf *session, const struct lauka_kperf_api *api,
                     const struct lauka_kpep_set *set);

/* The same without the trace, to try a set of events: then the calling thread counts, too. */
int lauka_kperf_try(struct lauka_kperf *session, const struct lauka_kperf_api *api,
                    const struct lauka_kpep_set *set);

/* Sets the counters to another set, or to the same again after another process changed them. */
int lauka_kperf_turn(struct lauka_kperf *session, const struct lauka_kpep_set *set);

/* Also samples running threads, about every period_ns; the kernel may take longer, see
 * session->period_ns. */
int lauka_kperf_sample(struct lauka_kperf *session, uint64_t period_ns);

/* Before each run: sets the trace up again, which takes 200 ms, if it is set up in another way, or if so much was read that
 * a run like the last one would have reads of one record each (macOS before 26, from 2 MiB on: xnu's kdebug_common.c,
 * RAW_FLUSH_SIZE). Returns 0 or an errno with session->step. */
int lauka_kperf_refresh(struct lauka_kperf *session, enum lauka_trace_way way);

/* Starts or stops the trace of one run. */
int lauka_kperf_trace(struct lauka_kperf *session, bool on);

/* Reads records: *count is the capacity, then the number read; 0: none at present. Sets *lost if some were lost. */
int lauka_kperf_read(struct lauka_kperf *session, struct lauka_kd_buf *records, size_t *count,
                     bool *lost);

/* Whether the counters are as the kernel reported after they were set; any root process can change
 * them. A kernel need not return what was written, so its answers are only compared with each
 * other. */
enum lauka_kpc_change {
    LAUKA_KPC_UNTOUCHED,
    LAUKA_KPC_EVENTS_CHANGED, /* the fixed ones still count */
    LAUKA_KPC_COUNTING_CHANGED
};
enum lauka_kpc_change lauka_kperf_changed(struct lauka_kperf *session);

/* Whether the kernel reports that it counts other events than it was set to. */
bool lauka_kperf_counts_others(const struct lauka_kperf *session);

/* The steps of a session that select the events, and that read the number of counters; as in
 * session->step. */
extern const char lauka_kperf_choosing[], lauka_kperf_asking[];

/* "cannot STEP: ERROR; ADVICE"; step: as in session->step, or what else was tried. */
void lauka_kperf_explain(const char *step, int error, char *text, size_t size);

/* Undoes all settings in reverse order. */
void lauka_kperf_close(struct lauka_kperf *session);

#endif
