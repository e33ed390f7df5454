/* kperf_library: the two frameworks. Since macOS 11 their files are only in the system's shared cache: the
 * file system does not show them, but dlopen(3) finds them. */
#include <stdio.h>
#include <string.h>

#include "pmu/macos/darwin.h"
#include "pmu/macos/kperf.h"

enum library { KPERF, KPERFDATA, LIBRARIES };

static const char *const paths[LIBRARIES] = {
    "/System/Library/PrivateFrameworks/kperf.framework/kperf",
    "/System/Library/PrivateFrameworks/kperfdata.framework/kperfdata",
};

#define FUNCTION(library_, name_)                                                                  \
    {                                                                                              \
        library_, #name_, offsetof(struct lauka_kperf_api, name_)                                  \
    }

static const struct {
    enum library library;
    const char *name;
    size_t offset; /* in struct lauka_kperf_api */
} functions[] = {
    FUNCTION(KPERF, kpc_force_all_ctrs_set),
    FUNCTION(KPERF, kpc_force_all_ctrs_get),
    FUNCTION(KPERF, kpc_get_counter_count),
    FUNCTION(KPERF, kpc_get_config_count),
    FUNCTION(KPERF, kpc_get_config),
    FUNCTION(KPERF, kpc_set_config),
    FUNCTION(KPERF, kpc_get_counting),
    FUNCTION(KPERF, kpc_set_counting),
    FUNCTION(KPERF, kpc_get_thread_counting),
    FUNCTION(KPERF, kpc_set_thread_counting),
    FUNCTION(KPERF, kpc_get_thread_counters),
    FUNCTION(KPERF, kperf_action_count_set),
    FUNCTION(KPERF, kperf_action_count_get),
    FUNCTION(KPERF, kperf_action_samplers_set),
    FUNCTION(KPERF, kperf_action_filter_set_by_pid),
    FUNCTION(KPERF, kperf_timer_count_set),
    FUNCTION(KPERF, kperf_timer_period_set),
    FUNCTION(KPERF, kperf_timer_period_get),
    FUNCTION(KPERF, kperf_timer_action_set),
    FUNCTION(KPERF, kperf_timer_pet_set),
    FUNCTION(KPERF, kperf_sample_set),
    FUNCTION(KPERF, kperf_reset),
    FUNCTION(KPERF, kperf_kdebug_filter_create),
    FUNCTION(KPERF, kperf_kdebug_filter_add_debugid),
    FUNCTION(KPERF, kperf_kdebug_filter_set),
    FUNCTION(KPERF, kperf_kdebug_filter_destroy),
    FUNCTION(KPERF, kperf_kdebug_action_set),
    FUNCTION(KPERFDATA, kpep_db_create),
    FUNCTION(KPERFDATA, kpep_db_free),
    FUNCTION(KPERFDATA, kpep_db_name),
    FUNCTION(KPERFDATA, kpep_db_event),
    FUNCTION(KPERFDATA, kpep_config_create),
    FUNCTION(KPERFDATA, kpep_config_free),
    FUNCTION(KPERFDATA, kpep_config_force_counters),
    FUNCTION(KPERFDATA, kpep_config_add_event),
    FUNCTION(KPERFDATA, kpep_config_kpc_classes),
    FUNCTION(KPERFDATA, kpep_config_kpc_count),
    FUNCTION(KPERFDATA, kpep_config_kpc),
    FUNCTION(KPERFDATA, kpep_config_kpc_map),
};

/* Without these a session still does its work, or a part of it. */
static bool can_be_missing(const char *name)
{
    static const char *const names[] = {
        "kpc_force_all_ctrs_get", "kpc_get_thread_counters", "kpc_get_config",
        "kpc_get_counting",       "kpc_get_thread_counting", "kpep_db_name",
        "kpep_db_free",           "kpep_config_free",        "kperf_timer_count_set",
        "kperf_timer_period_set", "kperf_timer_period_get",  "kperf_timer_action_set",
        "kperf_timer_pet_set",    "kperf_sample_set",        "kperf_kdebug_filter_destroy"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

bool lauka_kperf_load(struct lauka_kperf_api *api, char *text, size_t size)
{
    const struct lauka_darwin *darwin = lauka_darwin();
    void *libraries[LIBRARIES];

    memset(api, 0, sizeof *api);
    for (size_t i = 0; i < LIBRARIES; i++) {
        libraries[i] = darwin->open_library(paths[i]);
        if (!libraries[i]) {
            const char *why = darwin->library_error();
            snprintf(text, size, "cannot load %s: %.200s", strrchr(paths[i], '/') + 1,
                     why ? why : "no reason given");
            return false;
        }
    }
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *found = darwin->find_symbol(libraries[functions[i].library], functions[i].name);
        if (!found && !can_be_missing(functions[i].name)) {
            snprintf(text, size, "this macOS has no %s", functions[i].name);
            return false;
        }
        memcpy((char *)api + functions[i].offset, &found, sizeof found);
    }
    return true;
}
