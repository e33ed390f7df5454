/* groups: events that one read(2) reports. Events that take no counter are always counted, so they can
 * form one group. Hardware events are grouped only as lauka_counters_pair joined them, because a group
 * gets onto the counters as a whole or not at all. */
#include "pmu/linux/perf_event.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <unistd.h>

static bool is_free(const struct lauka_counters *counters, size_t index)
{
    return counters->errors[index] == 0 && !counters->sums[index] &&
           counters->leaders[index] == index && counters->events[index]->type == PERF_TYPE_SOFTWARE;
}

/* Kernels before 4.13 cannot read groups that are inherited. */
static bool can_read_groups(const struct lauka_counters *counters, size_t index)
{
    int fd = lauka_perf_event_open(counters->events[index], counters->user_only,
                                   LAUKA_PERF_COUNT_GROUP, -1);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

void lauka_groups_join(struct lauka_counters *counters)
{
    size_t leader = counters->count;
    for (size_t k = 0; k < counters->count; k++) {
        size_t i = counters->order[k];
        if (!is_free(counters, i))
            continue;
        if (leader == counters->count) {
            leader = i;
            counters->reads_groups = can_read_groups(counters, i);
        }
        if (counters->reads_groups)
            counters->leaders[i] = (uint8_t)leader;
    }
}

static bool is_member(const struct lauka_counters *counters, size_t index, size_t leader)
{
    return counters->armed[index] >= 0 && (index == leader || counters->leaders[index] == leader);
}

/* The group's members, in the order in which they were opened. */
static void take_group(const struct lauka_counters *counters, size_t leader, size_t position,
                       const uint64_t *numbers, struct lauka_reading *readings)
{
    const uint64_t *value = numbers + 3;
    uint64_t left = numbers[0];
    for (size_t k = position; k < counters->count && left > 0; k++) {
        size_t i = counters->order[k];
        if (!is_member(counters, i, leader))
            continue;
        readings[i] = (struct lauka_reading){*value++, numbers[1], numbers[2]};
        left--;
    }
}

/* 0 or an errno. position: the leader's, in the order. */
static int read_group(const struct lauka_counters *counters, size_t position,
                      struct lauka_reading *readings)
{
    uint64_t numbers[3 + LAUKA_COUNTERS_MAX]; /* how many, enabled, running, and the values */
    size_t leader = counters->order[position];
    size_t wanted = 3;
    for (size_t i = 0; i < counters->count; i++)
        wanted += is_member(counters, i, leader);
    ssize_t size = read(counters->armed[leader], numbers, wanted * sizeof *numbers);
    if (size < 0)
        return errno;
    /* Nothing is reported about events that could not be put onto their counters. */
    if (size >= (ssize_t)(4 * sizeof *numbers) && numbers[0] <= (size_t)size / sizeof *numbers - 3)
        take_group(counters, leader, position, numbers, readings);
    return 0;
}

static int read_one(const struct lauka_counters *counters, size_t index,
                    struct lauka_reading *readings)
{
    errno = 0;
    readings[index] = lauka_perf_event_read(counters->armed[index]);
    return errno;
}

int lauka_perf_event_read_all(const struct lauka_counters *counters, struct lauka_reading *readings,
                              size_t *failed)
{
    int error = 0;
    for (size_t i = 0; i < counters->count; i++)
        readings[i] = (struct lauka_reading){0};
    for (size_t k = 0; k < counters->count; k++) {
        size_t i = counters->order[k], leader = counters->leaders[i];
        if (counters->armed[i] < 0 ||
            (counters->reads_groups && leader != i && counters->armed[leader] >= 0))
            continue;
        int own = counters->reads_groups ? read_group(counters, k, readings)
                                         : read_one(counters, i, readings);
        if (own != 0) {
            error = own;
            *failed = i;
        }
    }
    return error;
}
