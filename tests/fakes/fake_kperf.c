/* fake_kperf: what kperf.framework exports, as far as lauka looks for it. */
#include <errno.h>
#include <stdlib.h>

#include "tests/fakes/fake.h"

struct fake_filter {
    unsigned count;
    uint32_t ids[32];
};

int kpc_force_all_ctrs_set(int value);
int kpc_force_all_ctrs_get(int *value);
uint32_t kpc_get_counter_count(uint32_t classes);
uint32_t kpc_get_config_count(uint32_t classes);
int kpc_get_config(uint32_t classes, uint64_t *config);
int kpc_set_config(uint32_t classes, uint64_t *config);
uint32_t kpc_get_counting(void);
int kpc_set_counting(uint32_t classes);
uint32_t kpc_get_thread_counting(void);
int kpc_set_thread_counting(uint32_t classes);
int kpc_get_thread_counters(uint32_t thread, uint32_t count, uint64_t *values);
int kperf_action_count_set(uint32_t count);
int kperf_action_count_get(uint32_t *count);
int kperf_action_samplers_set(uint32_t action, uint32_t samplers);
int kperf_action_filter_set_by_pid(uint32_t action, int32_t pid);
int kperf_timer_count_set(uint32_t count);
int kperf_timer_period_set(uint32_t timer, uint64_t ticks);
int kperf_timer_period_get(uint32_t timer, uint64_t *ticks);
int kperf_timer_action_set(uint32_t timer, uint32_t action);
int kperf_timer_pet_set(uint32_t timer);
int kperf_sample_set(uint32_t on);
int kperf_reset(void);
struct fake_filter *kperf_kdebug_filter_create(void);
int kperf_kdebug_filter_add_debugid(struct fake_filter *filter, uint32_t debugid);
int kperf_kdebug_filter_set(struct fake_filter *filter);
void kperf_kdebug_filter_destroy(struct fake_filter *filter);
int kperf_kdebug_action_set(int action);

int kpc_force_all_ctrs_set(int value)
{
    return fake_kpc("kpc_force_all_ctrs_set", value, NULL);
}

int kpc_force_all_ctrs_get(int *value)
{
    *value = fake_kpc("kpc_force_all_ctrs_get", 0, NULL);
    return *value < 0 ? -1 : 0;
}

uint32_t kpc_get_counter_count(uint32_t classes)
{
    return fake_kpc_count("kpc_get_counter_count", classes);
}

uint32_t kpc_get_config_count(uint32_t classes)
{
    return fake_kpc_count("kpc_get_config_count", classes);
}

int kpc_get_config(uint32_t classes, uint64_t *config)
{
    return fake_kpc("kpc_get_config", classes, config);
}

int kpc_set_config(uint32_t classes, uint64_t *config)
{
    return fake_kpc("kpc_set_config", classes, config);
}

uint32_t kpc_get_counting(void)
{
    int result = fake_kpc("kpc_get_counting", 0, NULL);
    return result < 0 ? 0 : (uint32_t)result;
}

int kpc_set_counting(uint32_t classes)
{
    return fake_kpc("kpc_set_counting", classes, NULL);
}

uint32_t kpc_get_thread_counting(void)
{
    return (uint32_t)fake_kpc("kpc_get_thread_counting", 0, NULL);
}

int kpc_set_thread_counting(uint32_t classes)
{
    return fake_kpc("kpc_set_thread_counting", classes, NULL);
}

/* Of the calling thread only. */
int kpc_get_thread_counters(uint32_t thread, uint32_t count, uint64_t *values)
{
    if (fake_kpc("kpc_get_thread_counters", thread, NULL) != 0)
        return -1;
    if (thread != 0 || count < fake_kpc_count("kpc_get_counter_count", 3)) {
        errno = EINVAL;
        return -1;
    }
    fake_own_counters(count, values);
    return 0;
}

int kperf_action_count_set(uint32_t count)
{
    return fake_kperf("kperf_action_count_set", count, 0);
}

int kperf_action_count_get(uint32_t *count)
{
    if (fake_call("kperf_action_count_get", 0) != 0)
        return -1;
    *count = (uint32_t)fake_kperf_get("actions");
    return 0;
}

int kperf_action_samplers_set(uint32_t action, uint32_t samplers)
{
    return fake_kperf("kperf_action_samplers_set", action, samplers);
}

int kperf_action_filter_set_by_pid(uint32_t action, int32_t pid)
{
    return fake_kperf("kperf_action_filter_set_by_pid", action, (uint64_t)(int64_t)pid);
}

int kperf_timer_count_set(uint32_t count)
{
    return fake_kperf("kperf_timer_count_set", count, 0);
}

int kperf_timer_period_set(uint32_t timer, uint64_t ticks)
{
    return fake_kperf("kperf_timer_period_set", timer, ticks);
}

int kperf_timer_period_get(uint32_t timer, uint64_t *ticks)
{
    if (fake_call("kperf_timer_period_get", timer) != 0)
        return -1;
    *ticks = fake_kperf_get("period");
    return 0;
}

int kperf_timer_action_set(uint32_t timer, uint32_t action)
{
    return fake_kperf("kperf_timer_action_set", timer, action);
}

int kperf_timer_pet_set(uint32_t timer)
{
    return fake_kperf("kperf_timer_pet_set", timer, 0);
}

int kperf_sample_set(uint32_t on)
{
    return fake_kperf("kperf_sample_set", on, 0);
}

int kperf_reset(void)
{
    return fake_kperf("kperf_reset", 0, 0);
}

struct fake_filter *kperf_kdebug_filter_create(void)
{
    if (fake_call("kperf_kdebug_filter_create", 0) != 0)
        return NULL;
    return calloc(1, sizeof(struct fake_filter));
}

int kperf_kdebug_filter_add_debugid(struct fake_filter *filter, uint32_t debugid)
{
    if (fake_call("kperf_kdebug_filter_add_debugid", debugid) != 0 || filter->count == 32)
        return -1;
    filter->ids[filter->count++] = debugid;
    return 0;
}

int kperf_kdebug_filter_set(struct fake_filter *filter)
{
    if (fake_kperf("kperf_kdebug_filter_set", filter ? filter->count : 0, 0) != 0)
        return -1;
    fake_set_filter(filter ? filter->ids : NULL, filter ? filter->count : 0);
    return 0;
}

void kperf_kdebug_filter_destroy(struct fake_filter *filter)
{
    free(filter);
}

int kperf_kdebug_action_set(int action)
{
    return fake_kperf("kperf_kdebug_action_set", action, 0);
}
