/* cpu_set: sets of CPUs, and the lists in which people and the kernel write them: "0-3,8". */
#include "pmu/counters/counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 64 };

void lauka_cpu_set_add(struct lauka_cpu_set *set, unsigned cpu)
{
    if (cpu < LAUKA_CPUS_MAX)
        set->words[cpu / BITS] |= UINT64_C(1) << cpu % BITS;
}

bool lauka_cpu_set_has(const struct lauka_cpu_set *set, unsigned cpu)
{
    return cpu < LAUKA_CPUS_MAX && (set->words[cpu / BITS] >> cpu % BITS & 1);
}

unsigned lauka_cpu_set_count(const struct lauka_cpu_set *set)
{
    unsigned count = 0;
    for (unsigned i = 0; i < LAUKA_CPUS_MAX / BITS; i++)
        for (uint64_t word = set->words[i]; word != 0; word &= word - 1)
            count++;
    return count;
}

void lauka_cpu_set_join(struct lauka_cpu_set *set, const struct lauka_cpu_set *other)
{
    for (unsigned i = 0; i < LAUKA_CPUS_MAX / BITS; i++)
        set->words[i] |= other->words[i];
}

void lauka_cpu_set_remove(struct lauka_cpu_set *set, const struct lauka_cpu_set *other)
{
    for (unsigned i = 0; i < LAUKA_CPUS_MAX / BITS; i++)
        set->words[i] &= ~other->words[i];
}

/* Reads a number below LAUKA_CPUS_MAX at *text and moves *text behind it. */
static bool take_number(const char **text, unsigned *number)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    unsigned long value = strtoul(*text, &end, 10);
    *text = end;
    *number = (unsigned)value;
    return value < LAUKA_CPUS_MAX;
}

bool lauka_cpu_set_parse(const char *list, struct lauka_cpu_set *set)
{
    struct lauka_cpu_set parsed = {0};
    const char *at = list;
    for (;;) {
        unsigned first, last;
        if (!take_number(&at, &first))
            return false;
        last = first;
        if (*at == '-' && (at++, !take_number(&at, &last) || last < first))
            return false;
        for (unsigned cpu = first; cpu <= last; cpu++)
            lauka_cpu_set_add(&parsed, cpu);
        if (*at != ',')
            break;
        at++;
    }
    if (*at)
        return false;
    *set = parsed;
    return true;
}

void lauka_cpu_set_format(const struct lauka_cpu_set *set, char *text, size_t size)
{
    size_t used = 0;
    if (size > 0)
        text[0] = '\0';
    for (unsigned cpu = 0; cpu < LAUKA_CPUS_MAX && used < size; cpu++) {
        if (!lauka_cpu_set_has(set, cpu))
            continue;
        unsigned first = cpu;
        while (lauka_cpu_set_has(set, cpu + 1))
            cpu++;
        const char *comma = used > 0 ? "," : "";
        int length = first == cpu
                         ? snprintf(text + used, size - used, "%s%u", comma, first)
                         : snprintf(text + used, size - used, "%s%u-%u", comma, first, cpu);
        used += length > 0 ? (size_t)length : 0;
    }
}
