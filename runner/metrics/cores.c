/* On which cores the runs were: as metrics of their own, and in what is said about it. */
#include "runner/metrics/metrics.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* If shares differ by more, more than the programs is being compared. A run that spent less of its time
 * elsewhere was where it should be. */
#define SHARE_SLACK 0.01

enum core_quantity {
    /* of one kind of core, up to SWITCHES */
    CPU_TIME,
    USER_TIME,
    SYSTEM_TIME,
    CYCLES,
    INSTRUCTIONS,
    IPC,
    GHZ,
    SWITCHES,
    CPUS_USED,
    MIGRATIONS
};

enum { RATIO_DECIMALS = 4 };

static const struct {
    const char *name, *unit;
    enum lauka_better better;
    unsigned told; /* bits of enum lauka_told, of which all are needed */
    int decimals;
    bool detail;
} quantities[] = {
    [CPU_TIME] = {"cpu_time", "ns", LAUKA_BETTER_NEITHER, LAUKA_TOLD_CPU_TIME, 0, false},
    [USER_TIME] = {"user_time", "ns", LAUKA_BETTER_NEITHER, LAUKA_TOLD_MODES, 0, true},
    [SYSTEM_TIME] = {"system_time", "ns", LAUKA_BETTER_NEITHER, LAUKA_TOLD_MODES, 0, true},
    [CYCLES] = {"cycles", "1", LAUKA_BETTER_NEITHER, LAUKA_TOLD_COUNTS, 0, true},
    [INSTRUCTIONS] = {"instructions", "1", LAUKA_BETTER_NEITHER, LAUKA_TOLD_COUNTS, 0, true},
    [IPC] = {"ipc", "1", LAUKA_BETTER_HIGHER, LAUKA_TOLD_COUNTS, RATIO_DECIMALS, true},
    [GHZ] = {"ghz", "1", LAUKA_BETTER_NEITHER, LAUKA_TOLD_COUNTS | LAUKA_TOLD_CPU_TIME,
             RATIO_DECIMALS, true},
    [SWITCHES] = {"core_switches", "1", LAUKA_BETTER_LOWER, LAUKA_TOLD_SWITCHES, 0, true},
    [CPUS_USED] = {"cpus_used", "1", LAUKA_BETTER_NEITHER, LAUKA_TOLD_CPU_TIME, 0, true},
    [MIGRATIONS] = {"cpu_migrations", "1", LAUKA_BETTER_LOWER, LAUKA_TOLD_MIGRATIONS, 0, true},
};

/* ---- metrics --------------------------------------------------------------------------------------- */

static bool is_counted_already(const struct lauka_counters *counters, const char *name)
{
    char other[LAUKA_EVENT_NAME_SIZE];

    for (size_t i = 0; i < counters->count; i++) {
        lauka_counters_name(counters, i, other, sizeof other);
        if (strcmp(other, name) == 0)
            return true;
    }
    return false;
}

static size_t add_metric(const struct lauka_counters *counters, enum core_quantity quantity,
                         size_t type, struct lauka_core_metric *metric)
{
    bool of_type = quantity < SWITCHES;

    *metric = (struct lauka_core_metric){
        .quantity = (int)quantity,
        .type = type,
        .unit = quantities[quantity].unit,
        .better = quantities[quantity].better,
        .decimals = quantities[quantity].decimals,
        .detail = quantities[quantity].detail,
        .told = (counters->told & quantities[quantity].told) == quantities[quantity].told,
    };
    snprintf(metric->name, sizeof metric->name, "%s%s%s", quantities[quantity].name,
             of_type ? "@" : "", of_type ? counters->topology.types[type].label : "");
    return !is_counted_already(counters, metric->name);
}

size_t lauka_core_metrics(const struct lauka_counters *counters,
                          struct lauka_core_metric metrics[LAUKA_CORE_METRICS_MAX])
{
    size_t count = 0, types = counters->topology.type_count;
    /* Counters that exist for each kind of core count under the same names. */
    enum core_quantity last = counters->core_kinds ? SYSTEM_TIME : GHZ;

    for (int quantity = CPU_TIME; types > 1 && quantity <= (int)last; quantity++)
        for (size_t type = 0; type < types; type++)
            count += add_metric(counters, (enum core_quantity)quantity, type, &metrics[count]);
    if (types > 1)
        count += add_metric(counters, SWITCHES, 0, &metrics[count]);
    count += add_metric(counters, CPUS_USED, 0, &metrics[count]);
    count += add_metric(counters, MIGRATIONS, 0, &metrics[count]);
    return count;
}

/* of / per with RATIO_DECIMALS. */
static uint64_t ratio(uint64_t of, uint64_t per)
{
    if (of == LAUKA_UNKNOWN || per == LAUKA_UNKNOWN || per == 0 || of == 0)
        return LAUKA_MISSING;
    return (uint64_t)(1e4 * (double)of / (double)per + 0.5);
}

uint64_t lauka_core_metric_value(const struct lauka_core_metric *metric,
                                 const struct lauka_residency *residency)
{
    const struct lauka_core_usage *usage = &residency->types[metric->type];

    switch ((enum core_quantity)metric->quantity) {
    case CPU_TIME:
        return usage->cpu_ns;
    case USER_TIME:
        return usage->user_ns;
    case SYSTEM_TIME:
        return usage->system_ns;
    case CYCLES:
        return usage->cycles;
    case INSTRUCTIONS:
        return usage->instructions;
    case IPC:
        return ratio(usage->instructions, usage->cycles);
    case GHZ:
        return ratio(usage->cycles, usage->cpu_ns);
    case SWITCHES:
        return residency->switches;
    case CPUS_USED:
        return residency->cpus_used;
    case MIGRATIONS:
        break;
    }
    return residency->migrations;
}

_Static_assert(LAUKA_UNKNOWN == LAUKA_MISSING, "what is not reported is a missing value");

/* ---- where a command was, over all its runs --------------------------------------------------------- */

void lauka_core_times_add(struct lauka_core_times *times, const struct lauka_residency *residency,
                          size_t type_count)
{
    if (lauka_residency_total_ns(residency, type_count) == LAUKA_UNKNOWN)
        times->incomplete = true;
    for (size_t t = 0; t < type_count && !times->incomplete; t++)
        times->ns[t] += residency->types[t].cpu_ns;
}

/* Negative if it is not known. */
static double share_of(const struct lauka_core_times *times, size_t type_count, size_t type)
{
    double total = 0;

    for (size_t t = 0; t < type_count; t++)
        total += (double)times->ns[t];
    return times->incomplete || total <= 0 ? -1 : (double)times->ns[type] / total;
}

static size_t type_that_differs(const struct lauka_core_times *a, const struct lauka_core_times *b,
                                size_t type_count)
{
    size_t t = 0;

    for (; t < type_count; t++) {
        double own = share_of(a, type_count, t), other = share_of(b, type_count, t);
        if (own >= 0 && other >= 0 && (own - other > SHARE_SLACK || other - own > SHARE_SLACK))
            break;
    }
    return t;
}

/* Why the time on each kind of core is not known. uncounted: the reason if no clock was refused. */
static const char *explain(const struct lauka_counters *counters, const char *uncounted, char *text,
                           size_t size)
{
    if (!counters->clock_error)
        return uncounted;
    lauka_counters_explain(counters, counters->clock_error, text, size);
    return text;
}

/* The reason that the clocks were refused may have been given for the events already. */
static int note_unknown(const struct lauka_core_times *times, const struct lauka_counters *counters,
                        struct lauka_result *result)
{
    bool said = !counters->clock_error || counters->run_error == counters->clock_error;
    bool incomplete = false;
    char text[700], why[600];

    for (size_t i = 0; i < counters->asked; i++)
        said |= counters->errors[i] == counters->clock_error;
    for (size_t c = 0; c < result->command_count; c++)
        incomplete |= times[c].incomplete;
    snprintf(text, sizeof text, "the time on each kind of core is not known for every run: %s",
             explain(counters, "", why, sizeof why));
    return said || !incomplete ? 0 : lauka_result_warn(result, text);
}

/* What keeps commands on cores of that kind: "--pin P, or --require-core P". Kinds whose names mean
 * nothing on other machines are given by their CPUs; if the system does not list any, commands cannot be
 * pinned. */
static const char *say_how_to_keep(const struct lauka_core_type *type, char *text, size_t size)
{
    bool ranked = !strchr(type->label, '_');
    char cpus[200];

    lauka_cpu_set_format(&type->cpus, cpus, sizeof cpus);
    if (!*cpus)
        snprintf(text, size, "--require-core %s", type->label);
    else
        snprintf(text, size, "--pin %s, or --require-core %s", ranked ? type->label : cpus,
                 type->label);
    return text;
}

/* Where the command spent most of its time: commands are allowed there. */
static size_t usual_type(const struct lauka_core_times *times, size_t type_count)
{
    size_t usual = 0;

    for (size_t t = 1; t < type_count; t++)
        usual = times->ns[t] > times->ns[usual] ? t : usual;
    return usual;
}

/* It is enough to name the first command that ran elsewhere than the reference. */
int lauka_core_times_judge(const struct lauka_core_times *times,
                           const struct lauka_counters *counters, struct lauka_result *result)
{
    const struct lauka_topology *topology = &counters->topology;
    size_t types = topology->type_count;
    char own[32], other[32], how[320];

    if (types > 1 && note_unknown(times, counters, result) != 0)
        return ENOMEM;
    for (size_t c = 1; c < result->command_count; c++) {
        size_t type = type_that_differs(&times[0], &times[c], types);
        if (types < 2 || type == types)
            continue;
        return lauka_result_note(
            result,
            "`%.200s` spent %s of its CPU time on %s cores, `%.200s` %s: to compare the programs "
            "and not the cores, keep both on the same ones (%s)",
            result->commands[0].label,
            lauka_format_share(share_of(&times[0], types, type), 3, own, sizeof own),
            topology->types[type].label, result->commands[c].label,
            lauka_format_share(share_of(&times[c], types, type), 3, other, sizeof other),
            say_how_to_keep(&topology->types[usual_type(&times[0], types)], how, sizeof how));
    }
    return 0;
}

int lauka_cores_describe(const struct lauka_topology *topology, struct lauka_result_host *host)
{
    char text[600], cpus[200];
    size_t used = 0;

    if (topology->type_count < 2)
        return 0;
    for (size_t t = 0; t < topology->type_count && used < sizeof text; t++) {
        const struct lauka_core_type *type = &topology->types[t];
        lauka_cpu_set_format(&type->cpus, cpus, sizeof cpus);
        if (!*cpus) /* nobody tells which */
            snprintf(cpus, sizeof cpus, "x%u", type->cpu_count);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %s", t > 0 ? "; " : "",
                                 type->label, cpus);
    }
    host->cores = strdup(text);
    return host->cores ? 0 : ENOMEM;
}

/* ---- --require-core ---------------------------------------------------------------------------------- */

bool lauka_is_known_where(const struct lauka_counters *counters,
                          const struct lauka_residency *residency, const char *label,
                          const char *command, const char *uncounted, struct lauka_error *error)
{
    char why[600];

    return lauka_residency_share(residency, counters->topology.type_count, 0) >= 0 ||
           lauka_fail(error, LAUKA_EXIT_HOST,
                      "--require-core %.50s: cannot tell which cores `%.200s` ran on: %s", label,
                      command, explain(counters, uncounted, why, sizeof why));
}

bool lauka_was_elsewhere(const struct lauka_residency *residency,
                         const struct lauka_topology *topology, const char *label)
{
    double share = 0;

    for (size_t t = 0; t < topology->type_count; t++)
        if (lauka_core_type_is(&topology->types[t], label))
            share += lauka_residency_share(residency, topology->type_count, t);
    return share < 1 - SHARE_SLACK;
}

/* "P and E" */
static void list_labels(const struct lauka_topology *topology, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t t = 0; t < topology->type_count && used < size; t++)
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 t == 0                          ? ""
                                 : t + 1 == topology->type_count ? " and "
                                                                 : ", ",
                                 topology->types[t].label);
}

bool lauka_find_cores(const struct lauka_topology *topology, const char *option, const char *label,
                      struct lauka_cpu_set *cpus, struct lauka_error *error)
{
    char labels[LAUKA_CORE_TYPES_MAX * (LAUKA_CORE_LABEL_SIZE + 5)];

    if (topology->type_count < 2)
        return lauka_fail(error, LAUKA_EXIT_HOST,
                          "%s %.50s: all cores of this machine are of one kind; leave it out, or "
                          "pin to CPUs by their numbers (--pin 0-1)",
                          option, label);
    list_labels(topology, labels, sizeof labels);
    return lauka_topology_find(topology, label, cpus) ||
           lauka_fail(error, LAUKA_EXIT_HOST, "%s %.50s: this machine has %s cores", option, label,
                      labels);
}

bool lauka_can_require_core(const struct lauka_counters *counters, const char *label,
                            struct lauka_error *error)
{
    struct lauka_cpu_set ignored;
    char why[600];

    if (!lauka_find_cores(&counters->topology, "--require-core", label, &ignored, error))
        return false;
    return (counters->told & LAUKA_TOLD_CPU_TIME) ||
           lauka_fail(
               error, LAUKA_EXIT_HOST,
               "--require-core %.50s: the time on each core cannot be measured: %s", label,
               explain(counters, "it comes from counters; leave -e none out", why, sizeof why));
}
