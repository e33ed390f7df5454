/* darwin_counters: counting on macOS, in two tiers: the kernel's account of a process, which anybody may
 * read, and the configurable counters, which need root and follow descendants, too. One session lasts from
 * open to close; a run only switches the trace on and off. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/macos/darwin.h"
#include "pmu/macos/kdebug.h"
#include "pmu/macos/kperf.h"
#include "pmu/apple/apple.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

enum { SETS_MAX = 16, RECORDS = 16384, WATCH_MS = 20, DEFAULT_PERIOD_NS = 1000000 };

enum route { ROUTE_NONE, ROUTE_USAGE, ROUTE_COUNTER };

static struct {
    bool open; /* the session */
    struct lauka_kperf_api api;
    struct lauka_kpep kpep;
    struct lauka_kperf session;
    struct lauka_kpep_set sets[SETS_MAX];
    /* by event */
    enum route routes[LAUKA_EVENTS_MAX];
    char names[LAUKA_EVENTS_MAX][LAUKA_EVENT_NAME_SIZE]; /* the database's */
    struct lauka_apple_event found[LAUKA_EVENTS_MAX];
    /* of the run */
    struct lauka_kd_buf *records; /* owned; RECORDS places */
    struct lauka_kd_run run;
    struct lauka_darwin_usage before, usage;
    struct lauka_kd_total total;
    unsigned set;
    int turn_error; /* an errno: the counters could not be set to it */
    bool traced, lost;
    bool fills; /* a read that is not full has read everything: see drain */
    enum { NOTHING, FIXED_ONLY, EVERYTHING } kept; /* of what was counted */
    bool doubtful, contradicted;
    double seen;        /* the share of the work that the counters saw, where that is in doubt */
    uint64_t missed_ns; /* of threads whose end was not sampled, at most */
} own;

/* ---- before the first run ---- */

static bool usage_config(const struct lauka_event *event, uint64_t *config)
{
    const struct lauka_event *found = lauka_darwin_usage_find(event->name);
    if (found)
        *config = found->config;
    return found && event->modes == LAUKA_MODES_ALL;
}

/* Only the configurable counters can follow descendants: cycles and instructions prefer them. */
static void route_by_usage(struct lauka_counters *counters, int without)
{
    for (size_t i = 0; i < counters->asked; i++) {
        uint64_t config;
        if (own.routes[i] == ROUTE_COUNTER)
            continue;
        bool known = usage_config(counters->events[i], &config) &&
                     (!own.open || config > LAUKA_USAGE_INSTRUCTIONS);
        own.routes[i] = known ? ROUTE_USAGE : ROUTE_NONE;
        counters->process_only = counters->process_only || known;
        if (known)
            counters->errors[i] = 0;
        else if (counters->errors[i] == 0)
            counters->errors[i] = without;
    }
}

static bool is_of_linux(const struct lauka_event *event)
{
    return event->type == LAUKA_TYPE_SOFTWARE || event->type == LAUKA_TYPE_TRACEPOINT;
}

static bool wants_counter(const struct lauka_event *event)
{
    uint64_t config;
    return !is_of_linux(event) &&
           (!usage_config(event, &config) || config <= LAUKA_USAGE_INSTRUCTIONS);
}

/* 0, or kpep's code for why an event could not be looked up. */
static int find_events(struct lauka_counters *counters)
{
    int failed = 0;
    for (size_t i = 0; failed == 0 && i < counters->asked; i++) {
        const struct lauka_event *event = counters->events[i];
        if (!wants_counter(event))
            counters->errors[i] = is_of_linux(event) ? ENOENT : 0;
        else if (event->modes == LAUKA_MODES_KERNEL || event->modes == LAUKA_MODES_HYPERVISOR)
            counters->errors[i] = EOPNOTSUPP;
        else if ((failed = lauka_kpep_find(&own.kpep, event, own.names[i], sizeof own.names[i],
                                           &own.found[i])) == 0)
            own.routes[i] = ROUTE_COUNTER;
        else if (failed == LAUKA_KPEP_NO_EVENT)
            counters->errors[i] = ENOENT;
        failed = counters->errors[i] == ENOENT ? 0 : failed;
    }
    return failed;
}

/* Places the events that have no place yet and fit together into one set. */
static size_t place_set(struct lauka_counters *counters, unsigned set, int8_t *slots, bool *placed)
{
    struct lauka_apple_set together = {0};
    size_t indices[LAUKA_EVENTS_MAX], count = 0;

    for (size_t i = 0; i < counters->asked; i++) {
        slots[i] = LAUKA_SLOT_NONE;
        if (own.routes[i] != ROUTE_COUNTER || placed[i])
            continue;
        together.asked[together.count] = counters->events[i]->name;
        together.events[together.count] = own.found[i];
        indices[together.count++] = i;
    }
    if (!lauka_apple_set_place(&together) && set == 0)
        lauka_apple_set_explain(&together, counters->conflict, sizeof counters->conflict);
    for (size_t k = 0; k < together.count; k++) {
        size_t i = indices[k];
        slots[i] = together.slots[k];
        if (slots[i] == LAUKA_SLOT_NONE)
            continue;
        bool fixed = own.found[i].mask & LAUKA_APPLE_FIXED_MASK;
        placed[i] = !fixed; /* the fixed ones are in every set */
        counters->sets[i] = fixed ? LAUKA_EVERY_SET : (uint8_t)set;
        counters->user[i] = !fixed && counters->events[i]->modes == LAUKA_MODES_ALL;
        count += !fixed;
    }
    return count;
}

/* Refuses an event that suits no counter; returns kpep's code if a set is not accepted. */
static int make_sets(struct lauka_counters *counters)
{
    int8_t slots[LAUKA_EVENTS_MAX];
    bool placed[LAUKA_EVENTS_MAX] = {false};
    size_t left = 0;

    for (size_t i = 0; i < counters->asked; i++) {
        if (own.routes[i] == ROUTE_COUNTER && !own.found[i].mask) {
            own.routes[i] = ROUTE_NONE;
            counters->errors[i] = ENOENT;
        }
        left += own.routes[i] == ROUTE_COUNTER && !(own.found[i].mask & LAUKA_APPLE_FIXED_MASK);
    }
    for (unsigned set = 0; set == 0 || (left > 0 && set < SETS_MAX); set++) {
        size_t count = place_set(counters, set, slots, placed);
        int code =
            lauka_kpep_configure(&own.kpep, own.found, slots, counters->asked, &own.sets[set]);
        if (code != 0 || (count == 0 && left > 0))
            return code ? code : 12;
        left -= count;
        counters->set_count = (uint8_t)(set + 1);
    }
    return 0;
}

static void complain(struct lauka_counters *counters, const char *text)
{
    snprintf(counters->trouble, sizeof counters->trouble, "%s", text);
}

/* Rosetta translates the program, not the machine. */
static bool is_apple_silicon(void)
{
    return lauka_darwin_number("hw.optional.arm64") != 0 || lauka_darwin_is_translated();
}

static const char without_fixed[] = "counting events of a Mac needs Apple silicon; on others lauka "
                                    "shows what the kernel accounts to "
                                    "each process";

static bool open_kpep(struct lauka_counters *counters)
{
    char text[300];
    int code = 0;

    if (!is_apple_silicon())
        complain(counters, without_fixed);
    else if (lauka_darwin()->euid() != 0)
        complain(counters, "only root may use the configurable counters of a Mac; run it under "
                           "sudo (the commands still run as you)");
    else if (!lauka_kperf_load(&own.api, text, sizeof text))
        snprintf(counters->trouble, sizeof counters->trouble,
                 "%s; report it with the version of macOS", text);
    else if ((code = lauka_kpep_open(&own.kpep, &own.api)) != 0)
        snprintf(counters->trouble, sizeof counters->trouble,
                 "cannot open the database of events (kpep): %s; report it with the output of "
                 "lauka doctor --selftest",
                 lauka_kpep_error(code));
    else if (!lauka_kpep_has_fixed(&own.kpep))
        complain(counters, without_fixed);
    else
        return true;
    return false;
}

static bool place_events(struct lauka_counters *counters)
{
    int code = make_sets(counters);
    if (code != 0)
        snprintf(counters->trouble, sizeof counters->trouble,
                 "cannot place the events (kpep): %s; ask for others, or report it",
                 lauka_kpep_error(code));
    return code == 0;
}

/* ---- what the kernel refuses ---- */

static bool is_configurable(size_t index)
{
    return own.routes[index] == ROUTE_COUNTER && !(own.found[index].mask & LAUKA_APPLE_FIXED_MASK);
}

/* Whether the kernel accepts a set: 0 or an errno. */
static int try_set(const struct lauka_kpep_set *set)
{
    int error = lauka_kperf_try(&own.session, &own.api, set);
    lauka_kperf_close(&own.session);
    return error;
}

/* Whether the kernel refuses the event even alone. */
static bool is_refused(const struct lauka_counters *counters, size_t index)
{
    struct lauka_kpep_set set;
    int8_t slots[LAUKA_EVENTS_MAX];
    memset(slots, LAUKA_SLOT_NONE, sizeof slots);
    for (slots[index] = 0; !(own.found[index].mask >> slots[index] & 1); slots[index]++)
        ;
    return lauka_kpep_configure(&own.kpep, own.found, slots, counters->asked, &set) == 0 &&
           try_set(&set) == EPERM;
}

/* EPERM: the kernel refuses a set as a whole, and does not say for which of its events. Otherwise all: without its
 * configurable counters a machine still has the fixed ones. */
static bool drop(struct lauka_counters *counters, int error)
{
    bool dropped = false;
    for (size_t i = 0; i < counters->asked; i++)
        if (is_configurable(i) && (error != EPERM || is_refused(counters, i))) {
            own.routes[i] = ROUTE_NONE;
            counters->errors[i] = error;
            dropped = true;
        }
    return dropped;
}

/* The first set opens the session. The others are tried before: their turn would be too late to find out. */
static int open_sets(struct lauka_counters *counters)
{
    int error = 0;
    for (unsigned set = 1; error != EPERM && set < counters->set_count; set++)
        error = try_set(&own.sets[set]);
    own.session.step = lauka_kperf_choosing;
    return error == EPERM ? error : lauka_kperf_open(&own.session, &own.api, &own.sets[0]);
}

/* Leaves out what is refused, and counts the rest. */
static int open_allowed(struct lauka_counters *counters)
{
    int error = open_sets(counters);
    bool refused = error == EPERM && own.session.step == lauka_kperf_choosing;
    bool fewer = error == ENOTSUP && own.session.step == lauka_kperf_asking;
    if (fewer)
        lauka_kperf_explain(own.session.step, error, counters->trouble, sizeof counters->trouble);
    if ((refused || fewer) && drop(counters, error))
        return place_events(counters) ? open_sets(counters) : EINVAL;
    return error;
}

static bool open_session(struct lauka_counters *counters)
{
    char release[32];
    int code = find_events(counters);
    if (code != 0)
        snprintf(counters->trouble, sizeof counters->trouble,
                 "cannot look the events up (kpep): %s; ask for others, or report it",
                 lauka_kpep_error(code));
    if (code != 0 || !place_events(counters))
        return false;
    if (!own.records)
        own.records = malloc(RECORDS * sizeof *own.records);
    int error = own.records ? open_allowed(counters) : ENOMEM;
    own.open = error == 0;
    (void)lauka_darwin_text("kern.osrelease", release, sizeof release);
    own.fills = strtoul(release, NULL, 10) >= 25;
    if (error)
        lauka_kperf_explain(own.records ? own.session.step : "read the trace", error,
                            counters->trouble, sizeof counters->trouble);
    return own.open;
}

static void describe_topology(struct lauka_counters *counters)
{
    struct lauka_darwin_usage usage;
    lauka_residency_forget(&counters->residency);
    lauka_topology_detect(&counters->topology);
    bool split = counters->topology.type_count > 1 && lauka_darwin_usage_read(0, &usage) == 0 &&
                 usage.flavor >= 6;
    counters->told = split ? LAUKA_TOLD_CPU_TIME | LAUKA_TOLD_MODES | LAUKA_TOLD_COUNTS : 0;
    counters->clock_error = split && counters->topology.type_count == 2 ? 0 : ENOTSUP;
}

static void forget_sets(struct lauka_counters *counters)
{
    memset(own.routes, 0, sizeof own.routes);
    memset(counters->errors, 0, sizeof counters->errors);
    memset(counters->user, 0, sizeof counters->user);
    memset(counters->sets, LAUKA_EVERY_SET, sizeof counters->sets);
    counters->set_count = 1;
    counters->conflict[0] = '\0';
}

void lauka_counters_open(struct lauka_counters *counters, const struct lauka_event *events,
                         size_t count)
{
    lauka_counters_prepare(counters, events, count);
    counters->whole_runs = true;
    memset(own.routes, 0, sizeof own.routes);
    describe_topology(counters);
    bool wanted = false;
    for (size_t i = 0; i < count; i++)
        wanted = wanted || wants_counter(&events[i]);
    if (wanted && open_kpep(counters) && !open_session(counters))
        forget_sets(counters);
    if (!own.open)
        lauka_kpep_close(&own.kpep);
    route_by_usage(counters, ENOTSUP);
    lauka_counters_pair(counters);
}

void lauka_counters_close(struct lauka_counters *counters)
{
    (void)counters;
    if (own.open)
        lauka_kperf_close(&own.session);
    lauka_kpep_close(&own.kpep);
    lauka_kd_done(&own.run);
    free(own.records);
    own.records = NULL;
    own.open = false;
}

/* ---- a run ---- */

/* Reads everything that there was when it began: reading takes time, in which new records come. Under Rosetta, whose clock
 * is another, one read. Before macOS 26 (Darwin 25) a read may give less than there is; since then each read that finds next
 * to nothing is a line in the system's log. Returns 0 or an errno. */
static int drain(void)
{
    uint64_t begun = lauka_darwin_is_translated() ? 0 : lauka_darwin()->ticks();
    for (bool more = true; more;) {
        size_t count = RECORDS;
        int error = lauka_kperf_read(&own.session, own.records, &count, &own.lost);
        if (error)
            return error;
        lauka_kd_feed(&own.run, own.records, count);
        more = own.fills ? count == RECORDS : count > 0;
        if (own.session.tracing && count > 0 && own.records[count - 1].timestamp >= begun)
            more = false;
    }
    return 0;
}

/* The main thread was there before the trace. */
static void expect_threads(int pid)
{
    uint64_t ids[64];
    int size = lauka_darwin()->proc_pidinfo(pid, LAUKA_PROC_PIDLISTTHREADIDS, 0, ids, sizeof ids);
    for (int i = 0; i < size / (int)sizeof ids[0]; i++)
        lauka_kd_expect(&own.run, ids[i]);
}

/* Of lauka's own clock. */
static uint64_t passed_ns(uint64_t since)
{
    uint32_t numerator, denominator;
    lauka_darwin()->timebase(&numerator, &denominator);
    return (lauka_darwin()->ticks() - since) * numerator / denominator;
}

static int begin_trace(struct lauka_counters *counters, int pid)
{
    int error = own.turn_error;
    uint64_t period = counters->period_ns;
    if (!error && period != LAUKA_PERIOD_NEVER && period && !own.session.sampling)
        error = lauka_kperf_sample(&own.session, period);
    counters->sampled_ns = own.session.period_ns;
    own.session.step = error ? own.session.step : "trace the run";
    /* The trace has the kernel's ticks; what was before has been read. */
    lauka_kd_begin(&own.run, pid, own.session.counters,
                   lauka_darwin_is_translated() ? 0 : lauka_darwin()->ticks());
    expect_threads(pid);
    uint64_t begun = lauka_darwin()->ticks();
    if (!error)
        error = lauka_kperf_trace(&own.session, true);
    counters->check.on_ns = passed_ns(begun);
    return error;
}

static void note_failure(struct lauka_counters *counters, int error)
{
    own.kept = NOTHING;
    lauka_kperf_explain(own.session.step ? own.session.step : "trace the run", error,
                        counters->trouble, sizeof counters->trouble);
}

void lauka_counters_turn(struct lauka_counters *counters)
{
    own.set = counters->turn == LAUKA_ALL_SETS ? 0 : counters->turn;
    own.turn_error = own.open ? lauka_kperf_turn(&own.session, &own.sets[own.set]) : 0;
    if (own.open && own.turn_error == 0)
        own.turn_error = lauka_kperf_refresh(&own.session, counters->trace_way);
}

void lauka_counters_start(struct lauka_counters *counters, pid_t pid)
{
    own.traced = own.lost = own.doubtful = own.contradicted = false;
    own.kept = EVERYTHING;
    own.seen = 1;
    own.missed_ns = 0;
    own.usage = (struct lauka_darwin_usage){0};
    own.total = (struct lauka_kd_total){0};
    if (lauka_darwin_usage_read(pid, &own.before) != 0)
        own.before = (struct lauka_darwin_usage){0};
    if (!own.open)
        return;
    int error = begin_trace(counters, pid);
    own.traced = error == 0;
    if (error)
        note_failure(counters, error);
}

unsigned lauka_counters_watch(struct lauka_counters *counters)
{
    (void)counters;
    if (!own.traced || !own.session.sampling)
        return 0;
    if (drain() != 0)
        own.lost = true;
    return WATCH_MS;
}

/* ---- what is believed of it ---- */

/* A thread that the trace missed shows as instructions that only the kernel counted. The kernel also
 * counts the way into and out of the process: `ends`. */
static bool agrees_with_usage(uint64_t ends)
{
    enum { TOLERANCE = 50 /* a fiftieth */ };
    uint64_t accounted = own.usage.info.instructions, counted = own.total.main_counts[1];
    uint64_t far = accounted > counted ? accounted - counted : counted - accounted;
    return far <= ends + accounted / TOLERANCE;
}

/* Whether nothing that matters can be missing, although something is. */
static bool has_all(const struct lauka_counters *counters)
{
    return own.usage.info.instructions > 0 && !counters->forked && agrees_with_usage(0);
}

static void leave_out(struct lauka_counters *counters, const char *why)
{
    own.kept = NOTHING;
    complain(counters, why);
}

static void doubt(struct lauka_counters *counters, const char *why)
{
    own.doubtful = true;
    snprintf(counters->doubt, sizeof counters->doubt, "%s", why);
}

/* Something is known to be missing: the rest is kept only if that can have been little. */
static void lack(struct lauka_counters *counters, const char *why)
{
    if (has_all(counters))
        doubt(counters, why);
    else
        leave_out(counters, why);
}

static void want_samples(struct lauka_counters *counters)
{
    if (counters->period_ns == LAUKA_PERIOD_WHEN_NEEDED)
        counters->period_ns = DEFAULT_PERIOD_NS; /* from the next run on */
}

/* Nothing else indicates an error, and either may be right, so both are shown. */
static void doubt_disagreement(struct lauka_counters *counters)
{
    enum { ENDS = 3000000 };
    uint64_t accounted = own.usage.info.instructions, counted = own.total.main_counts[1];
    if (accounted == 0 || agrees_with_usage(ENDS))
        return;
    own.doubtful = own.contradicted = true;
    own.seen = counted < accounted ? (double)counted / (double)accounted
                                   : (double)accounted / (double)counted;
    snprintf(
        counters->doubt, sizeof counters->doubt,
        "the counters saw %llu instructions of the command's process, and the kernel accounts %llu "
        "to it; report it with the output of lauka doctor --selftest",
        (unsigned long long)counted, (unsigned long long)accounted);
}

static void judge_settings(struct lauka_counters *counters)
{
    enum lauka_kpc_change change = lauka_kperf_changed(&own.session);
    if (change == LAUKA_KPC_COUNTING_CHANGED)
        own.kept = NOTHING;
    else if (change == LAUKA_KPC_EVENTS_CHANGED)
        own.kept = FIXED_ONLY;
    if (change != LAUKA_KPC_UNTOUCHED)
        complain(counters, "another program changed the counters meanwhile; quit it");
    if (!lauka_kperf_counts_others(&own.session))
        return;
    own.contradicted = true;
    doubt(counters, "the kernel says that it counts other events than it was told to; report it "
                    "with the output of lauka doctor --selftest");
}

static void judge_threads(struct lauka_counters *counters)
{
    bool sampling = own.session.sampling;
    if (own.total.threads == 0) {
        want_samples(counters);
        leave_out(counters,
                  "the trace showed no thread of the command; report it with the output of "
                  "lauka doctor --selftest");
    } else if (own.total.unfinished > 0 && !sampling) {
        want_samples(counters);
        lack(counters, "the end of a thread was not seen; sample running threads (--period 1ms)");
    } else if (own.total.main_replaced > 0 && !sampling && !has_all(counters)) {
        want_samples(counters);
        leave_out(counters, "what the command did before it executed another program was not seen; "
                            "sample running threads (--period 1ms)");
    } else if (own.total.replaced > 0 && !sampling) {
        doubt(counters,
              "what processes did between fork and exec was not seen; it should be little");
    }
    own.missed_ns = (own.total.unfinished + own.total.replaced) * own.session.period_ns;
}

/* A doubt marks the counts; counts that are known to be wrong or incomplete are left out. */
static void judge(struct lauka_counters *counters)
{
    if (own.run.error) {
        leave_out(counters,
                  "there was no memory for the threads of the command; quit other programs");
        return;
    }
    judge_settings(counters);
    if (own.kept != NOTHING)
        judge_threads(counters);
    if (own.kept != NOTHING && (own.lost || own.run.lost))
        lack(counters,
             "the trace lost records; run fewer threads at a time, or quit what else is traced");
    if (own.kept != NOTHING)
        doubt_disagreement(counters);
}

static int end_trace(struct lauka_counter_check *check)
{
    uint64_t begun = lauka_darwin()->ticks();
    int off = lauka_kperf_trace(&own.session, false);
    check->off_ns = passed_ns(begun);
    begun = lauka_darwin()->ticks();
    int error = drain();
    check->read_ns = passed_ns(begun);
    lauka_kd_sum(&own.run, &own.total);
    bool lacks = own.total.threads == 0 || own.total.unfinished > 0;
    if (!error && lacks && !own.session.sampling) {
        error = drain(); /* a CPU may just have been writing */
        lauka_kd_sum(&own.run, &own.total);
    }
    return error ? error : off;
}

static void note_check(struct lauka_counters *counters)
{
    struct lauka_counter_check *check = &counters->check;
    check->counted_cycles = own.total.main_counts[0];
    check->counted_instructions = own.total.main_counts[1];
    check->accounted_cycles = own.usage.info.cycles;
    check->accounted_instructions = own.usage.info.instructions;
    check->threads = own.total.threads;
    check->unfinished = own.total.unfinished;
    check->replaced = own.total.replaced;
    check->strangers = own.total.strangers;
    _Static_assert(sizeof check->sums == sizeof own.total.counts, "LAUKA_KD_COUNTERS_MAX");
    memcpy(check->sums, own.total.counts, sizeof check->sums);
    _Static_assert(sizeof check->records == sizeof own.run.kinds, "enum lauka_kd_kind");
    _Static_assert(sizeof check->first == sizeof own.run.first, "enum lauka_kd_kind");
    memset(check->records, 0, sizeof check->records);
    if (own.traced)
        memcpy(check->records, own.run.kinds, sizeof check->records);
    memcpy(check->first, own.run.first, sizeof check->first);
}

void lauka_counters_stop(struct lauka_counters *counters, pid_t pid)
{
    int error = own.traced ? end_trace(&counters->check) : 0;
    if (lauka_darwin_usage_read(pid, &own.usage) == 0)
        lauka_darwin_usage_since(&own.usage, &own.before);
    counters->forked = lauka_darwin_usage_has_children(&own.usage);
    if (error)
        note_failure(counters, error);
    if (own.traced && own.kept != NOTHING)
        judge(counters);
    counters->partial_runs += own.open && own.kept != EVERYTHING;
    counters->doubtful_runs += own.open && own.kept != NOTHING && own.doubtful;
    counters->contradicted = own.open && own.kept != NOTHING && own.contradicted;
    note_check(counters);
    own.traced = false;
}

/* ---- what came of it ---- */

/* Counts of threads that were not seen to their end are too low, and others are doubtful. The largest
 * possible error is a share of the time, and the value is such that scaling it gives what was counted. */
static struct lauka_reading read_counter(uint64_t value, uint64_t cpu_ns)
{
    __extension__ typedef unsigned __int128 uint128;
    struct lauka_reading reading = {value, cpu_ns, cpu_ns};
    if (own.missed_ns == 0 && !own.doubtful)
        return reading;
    reading.running = own.missed_ns < cpu_ns / 2 ? cpu_ns - own.missed_ns : cpu_ns / 2 + 1;
    reading.running =
        own.seen > 0.5 ? (uint64_t)(own.seen * (double)reading.running) : cpu_ns / 2 + 1;
    if (reading.running >= cpu_ns)
        reading.running = cpu_ns - 1;
    reading.value = (uint64_t)((uint128)value * reading.running / reading.enabled);
    return reading;
}

static bool is_kept(size_t index)
{
    return own.kept == EVERYTHING || (own.kept == FIXED_ONLY && !is_configurable(index));
}

static struct lauka_reading read_event(const struct lauka_counters *counters, size_t index)
{
    const struct lauka_rusage_info *info = &own.usage.info;
    uint64_t cpu_ns = lauka_darwin_usage_cpu_ns(&own.usage);
    uint64_t all_ns = cpu_ns + lauka_darwin_ns(info->child_user_time + info->child_system_time);
    uint64_t config, value;

    if (own.routes[index] == ROUTE_COUNTER && is_kept(index) && own.total.threads > 0 &&
        lauka_counters_has_turn(counters, index))
        return read_counter(own.total.counts[own.sets[own.set].value_of[index]],
                            all_ns > 2 ? all_ns : 2);
    if (own.routes[index] == ROUTE_USAGE && usage_config(counters->events[index], &config) &&
        lauka_darwin_usage_value(&own.usage, config, &value))
        return (struct lauka_reading){value, cpu_ns ? cpu_ns : 1, cpu_ns ? cpu_ns : 1};
    return (struct lauka_reading){0};
}

void lauka_counters_collect(struct lauka_counters *counters, struct lauka_reading *readings)
{
    for (size_t i = 0; i < counters->count; i++)
        readings[i] = i < LAUKA_EVENTS_MAX ? read_event(counters, i) : (struct lauka_reading){0};
    lauka_residency_forget(&counters->residency);
    if (counters->told)
        lauka_darwin_usage_residency(&own.usage, counters->topology.type_count,
                                     &counters->residency);
}
