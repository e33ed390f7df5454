/* kperf: the session. The kernel's settings are changed in steps, each with its way back, so that whatever
 * fails leaves nothing behind: other programs share these counters. The order matters: counts and
 * configurations are meaningful only after all counters were forced, and the counters must run before a
 * thread begins, so that it begins at zero. */
#include "pmu/macos/darwin.h"
#include "pmu/apple/apple.h"
#include "pmu/macos/kperf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- kperf_library: the two frameworks --------------------------------------------------------- */

/* Since macOS 11 their files are only in the system's shared cache: the file system does not show them, but
 * dlopen(3) finds them. */

static const struct {
    const char *library, *name;
    bool needed;   /* without the others a session still does its work, or a part of it */
    size_t offset; /* in struct lauka_kperf_api */
} functions[] = {
#define FUNCTION(library, needed, result, name, parameters)                                        \
    {#library, #name, needed, offsetof(struct lauka_kperf_api, name)},
    LAUKA_KPERF_FUNCTIONS(FUNCTION)};

static void *open_library(const char *name, char *text, size_t size)
{
    char path[100];
    snprintf(path, sizeof path, "/System/Library/PrivateFrameworks/%s.framework/%s", name, name);
    void *library = lauka_darwin()->open_library(path);
    const char *why = library ? NULL : lauka_darwin()->library_error();
    if (!library)
        snprintf(text, size, "cannot load %s: %.200s", name, why ? why : "no reason given");
    return library;
}

bool lauka_kperf_load(struct lauka_kperf_api *api, char *text, size_t size)
{
    const char *opened = "";
    void *library = NULL;

    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        const char *name = functions[i].name;
        if (strcmp(functions[i].library, opened) != 0) {
            opened = functions[i].library;
            library = open_library(opened, text, size);
        }
        void *found = library ? lauka_darwin()->find_symbol(library, name) : NULL;
        if (library && !found && functions[i].needed)
            snprintf(text, size, "this macOS has no %s", name);
        if (!library || (!found && functions[i].needed))
            return false;
        memcpy((char *)api + functions[i].offset, &found, sizeof found);
    }
    return true;
}

/* ---- kperf ------------------------------------------------------------------------------------- */

enum {
    ACTION = 1, /* actions count from 1, timers from 0 */
    TIMER = 0,
    NO_TIMER = 999,
    SAMPLE_COUNTERS = 1 << 4, /* PMC_THREAD: of the thread that runs */
    ANY_PID = -1,
    TRACE_RECORDS = 200000, /* five a thread are needed; the kernel takes 30 MB or more */
    QUICK_RECORDS = 32768,  /* are read many at a time: see lauka_kperf_refresh */
    ATTEMPTS = 3            /* of what must not be left set */
};

/* ---- sysctls without a function ---- */

static int trace_control(int operation, int value, void *old, size_t *size)
{
    const int mib[] = {LAUKA_CTL_KERN, LAUKA_KERN_KDEBUG, operation, value};
    bool takes_value =
        operation == LAUKA_KDENABLE || operation == LAUKA_KDSETBUF || operation == LAUKA_KDEFLAGS;
    return lauka_darwin()->sysctl(mib, takes_value ? 4 : 3, old, size);
}

static int set_number(const char *name, int value)
{
    return lauka_darwin()->sysctlbyname(name, NULL, NULL, &value, sizeof value);
}

/* ---- the counters ---- */

static int reset(struct lauka_kperf *session)
{
    return session->api->kperf_reset();
}

/* From macOS 26 on, the kernel grants this to a second program as well, and both then count what the last one has chosen. In
 * a virtual machine it says that they are taken although nobody has them. */
static int force(struct lauka_kperf *session)
{
    int taken = 0;
    if (session->api->kpc_force_all_ctrs_get && session->api->kpc_force_all_ctrs_get(&taken) == 0 &&
        taken && lauka_darwin_number("kern.hv_vmm_present") == 0) {
        errno = EACCES;
        return -1;
    }
    return session->api->kpc_force_all_ctrs_set(1);
}

static int unforce(struct lauka_kperf *session)
{
    return session->api->kpc_force_all_ctrs_set(0);
}

/* How many there are is the kernel's to say. Where it has fewer than the library counts on, as in a
 * virtual machine, or as somebody let go of them, configurable ones would be taken for each other. */
static bool suits(const struct lauka_kperf *session, const struct lauka_kpep_set *set)
{
    return set->least <= session->counters &&
           (set->placed == 0 || set->word_count == session->configs);
}

static int ask_counts(struct lauka_kperf *session)
{
    session->counters = session->api->kpc_get_counter_count(LAUKA_KPC_CLASSES);
    session->configs = session->api->kpc_get_config_count(LAUKA_KPC_CLASSES);
    bool good = session->counters >= LAUKA_APPLE_FIXED &&
                session->counters <= LAUKA_KPC_COUNTERS_MAX && session->configs <= LAUKA_KPC_MAX &&
                suits(session, session->wanted);
    errno = ENOTSUP;
    return good ? 0 : -1;
}

static int configure(struct lauka_kperf *session)
{
    return session->api->kpc_set_config(LAUKA_KPC_CLASSES, session->words);
}

/* A thread that begins now begins at zero. */
static int count(struct lauka_kperf *session)
{
    const struct lauka_kperf_api *api = session->api;
    int result = api->kpc_set_counting(LAUKA_KPC_CLASSES);
    return result == 0 ? api->kpc_set_thread_counting(LAUKA_KPC_CLASSES) : result;
}

static int stop_counting(struct lauka_kperf *session)
{
    int result = session->api->kpc_set_thread_counting(0);
    return result == 0 ? session->api->kpc_set_counting(0) : result;
}

static void read_settings(struct lauka_kperf *session, struct lauka_kpc_settings *settings)
{
    const struct lauka_kperf_api *api = session->api;
    *settings = (struct lauka_kpc_settings){0};
    settings->known =
        api->kpc_get_config && api->kpc_get_config(LAUKA_KPC_CLASSES, settings->words) == 0;
    settings->counting = api->kpc_get_counting ? api->kpc_get_counting() : 0;
    settings->thread_counting = api->kpc_get_thread_counting ? api->kpc_get_thread_counting() : 0;
}

/* Before the counters start, kernels may still report the previous ones; a report should show that. */
static int look_before(struct lauka_kperf *session)
{
    read_settings(session, &session->before);
    return 0;
}

static int look_after(struct lauka_kperf *session)
{
    read_settings(session, &session->set);
    session->stale = false;
    return 0;
}

/* ---- samples at the end of threads ---- */

/* The number of actions can only grow; other programs' actions are silenced. */
static int make_actions(struct lauka_kperf *session)
{
    uint32_t actions = 0;
    if (session->api->kperf_action_count_get(&actions) != 0)
        return -1;
    if (actions < ACTION && session->api->kperf_action_count_set(ACTION) != 0)
        return -1;
    for (uint32_t action = ACTION + 1; action <= actions; action++)
        if (session->api->kperf_action_samplers_set(action, 0) != 0)
            return -1;
    return 0;
}

static int choose_samplers(struct lauka_kperf *session)
{
    return session->api->kperf_action_samplers_set(ACTION, SAMPLE_COUNTERS);
}

/* Descendants are wanted, too; the stream shows which processes belong to the command. */
static int admit_all(struct lauka_kperf *session)
{
    return session->api->kperf_action_filter_set_by_pid(ACTION, ANY_PID);
}

/* The kernel copies the filter. */
static int set_trigger(struct lauka_kperf *session)
{
    const struct lauka_kperf_api *api = session->api;
    struct lauka_kperf_filter *filter = api->kperf_kdebug_filter_create();
    if (!filter) {
        errno = ENOMEM;
        return -1;
    }
    int result = api->kperf_kdebug_filter_add_debugid(filter, LAUKA_KD_THREAD_EXIT);
    result = result == 0 ? api->kperf_kdebug_filter_set(filter) : result;
    int error = errno;
    if (api->kperf_kdebug_filter_destroy)
        api->kperf_kdebug_filter_destroy(filter);
    errno = error;
    return result;
}

static int unset_trigger(struct lauka_kperf *session)
{
    return session->api->kperf_kdebug_filter_set(NULL);
}

static int set_trigger_action(struct lauka_kperf *session)
{
    return session->api->kperf_kdebug_action_set(ACTION);
}

static int unset_trigger_action(struct lauka_kperf *session)
{
    return session->api->kperf_kdebug_action_set(0);
}

/* ---- the trace ---- */

static int remove_trace(struct lauka_kperf *session)
{
    (void)session;
    return trace_control(LAUKA_KDREMOVE, 0, NULL, NULL);
}

static int size_trace(struct lauka_kperf *session)
{
    (void)session;
    return trace_control(LAUKA_KDSETBUF, TRACE_RECORDS, NULL, NULL);
}

/* Turning the trace on and off would wake each of them, just before and after the command. */
static int leave_coprocessors_asleep(struct lauka_kperf *session)
{
    return session->way == LAUKA_TRACE_WAKES_COPROCESSORS
               ? 0
               : trace_control(LAUKA_KDEFLAGS, LAUKA_KDBG_DISABLE_COPROCS, NULL, NULL);
}

static int make_trace(struct lauka_kperf *session)
{
    session->traced = session->traced_before = 0;
    return trace_control(LAUKA_KDSETUP, 0, NULL, NULL);
}

/* A type filter, which programs can see: beside any other, each tracepoint of the system's libraries is a system call (four
 * for each library that a program loads), and those would be counted as the command's. */
static int choose_records(struct lauka_kperf *session)
{
    const struct lauka_kd_regtype four = {
        LAUKA_KDBG_VALCHECK,
        {LAUKA_KD_SAMPLE, LAUKA_KD_THREAD_EXIT, LAUKA_KD_NEW_THREAD, LAUKA_KD_LOST}};
    uint8_t types[LAUKA_KD_TYPES] = {0};
    size_t size = sizeof types, size_of_four = sizeof four;
    if (session->way == LAUKA_TRACE_BY_VALUE)
        return trace_control(LAUKA_KDSETREG, 0, (void *)(uintptr_t)&four, &size_of_four);
    for (size_t i = 0; i < sizeof four.values / sizeof *four.values; i++)
        types[four.values[i] >> 19] |= (uint8_t)(1u << (four.values[i] >> 16 & 7));
    return trace_control(LAUKA_KDSET_TYPEFILTER, 0, types, &size);
}

int lauka_kperf_trace(struct lauka_kperf *session, bool on)
{
    int result = trace_control(LAUKA_KDENABLE, on, NULL, NULL);
    if (result == 0)
        session->tracing = on;
    return result == 0 ? 0 : errno;
}

/* ---- samples of running threads ---- */

static int set_timer(struct lauka_kperf *session, uint64_t period_ns)
{
    const struct lauka_kperf_api *api = session->api;
    uint32_t numerator = 1, denominator = 1;

    if (!api->kperf_timer_count_set || !api->kperf_timer_period_set ||
        !api->kperf_timer_action_set || !api->kperf_timer_pet_set || !api->kperf_sample_set) {
        errno = ENOTSUP;
        return -1;
    }
    lauka_darwin_timebase(&numerator, &denominator);
    uint64_t ticks = period_ns * denominator / (numerator ? numerator : 1);
    if (api->kperf_timer_count_set(1) != 0 || api->kperf_timer_period_set(TIMER, ticks) != 0 ||
        api->kperf_timer_action_set(TIMER, ACTION) != 0 || api->kperf_timer_pet_set(TIMER) != 0 ||
        set_number("kperf.lightweight_pet", 1) != 0)
        return -1;
    if (api->kperf_timer_period_get && api->kperf_timer_period_get(TIMER, &ticks) != 0)
        return -1;
    session->period_ns = lauka_darwin_ns(ticks);
    return 0;
}

/* Nothing of the timer can be changed while it runs. */
static int stop_sampling(struct lauka_kperf *session)
{
    const struct lauka_kperf_api *api = session->api;
    int result = 0;
    if (!session->sampling)
        return 0;
    for (int i = 0; i < ATTEMPTS && (i == 0 || result != 0); i++)
        result = api->kperf_sample_set(0) || set_number("kperf.lightweight_pet", 0) ||
                 api->kperf_timer_pet_set(NO_TIMER);
    session->sampling = false;
    session->period_ns = 0;
    return result;
}

int lauka_kperf_sample(struct lauka_kperf *session, uint64_t period_ns)
{
    session->sampling = true; /* a part of it may be set, whatever comes of it */
    if (set_timer(session, period_ns) == 0 && session->api->kperf_sample_set(1) == 0)
        return 0;
    int error = errno;
    session->step = "sample running threads";
    session->error = error;
    if (session->api->kperf_sample_set && session->api->kperf_timer_pet_set)
        stop_sampling(session);
    session->sampling = false;
    return error ? error : EINVAL;
}

/* ---- all of it ---- */

const char lauka_kperf_choosing[] = "choose the events", lauka_kperf_asking[] = "get all counters";
static const char changing[] = "change the events";

static const struct step {
    const char *what; /* "cannot WHAT" */
    int (*make)(struct lauka_kperf *session);
    int (*unmake)(struct lauka_kperf *session); /* NULL: nothing is left of it */
} steps[] = {
    {"claim the trace", reset, reset}, /* it also ends what a killed session has left */
    {"take over all counters", force, unforce},
    {"stop the counters", stop_counting, NULL},
    {lauka_kperf_asking, ask_counts, NULL},
    {lauka_kperf_choosing, configure, NULL},
    {"look at the events", look_before, NULL},
    {"start the counters", count, stop_counting},
    {"look at the counters", look_after, NULL},
    {"set up samples", make_actions, NULL},
    {"choose what is sampled", choose_samplers, NULL},
    {"sample every process", admit_all, NULL},
    {"sample threads at their end", set_trigger, unset_trigger},
    {"link samples to the trace", set_trigger_action, unset_trigger_action},
    {"clear the trace", remove_trace, remove_trace},
    {"size the trace", size_trace, NULL},
    {"leave coprocessors asleep", leave_coprocessors_asleep, NULL},
    {"set the trace up", make_trace, NULL},
    {"choose what is traced", choose_records, NULL},
};
enum { STEPS = sizeof steps / sizeof steps[0], STEPS_OF_COUNTERS = 8, FIRST_OF_TRACE = 13 };

void lauka_kperf_close(struct lauka_kperf *session)
{
    if (!session->api)
        return;
    for (int i = 0; i < ATTEMPTS && session->tracing && lauka_kperf_trace(session, false) != 0; i++)
        ;
    stop_sampling(session);
    while (session->made > 0) {
        const struct step *step = &steps[--session->made];
        for (int i = 0; step->unmake && i < ATTEMPTS && step->unmake(session) != 0; i++)
            ;
    }
    session->api = NULL;
}

/* Returns 0, or an errno with session->step. */
static int make_step(struct lauka_kperf *session, size_t i)
{
    errno = 0;
    if (steps[i].make(session) == 0)
        return 0;
    session->error = errno ? errno : EINVAL;
    session->step = steps[i].what;
    return session->error;
}

/* The first steps of a session. */
static int make(struct lauka_kperf *session, const struct lauka_kperf_api *api,
                const struct lauka_kpep_set *set, size_t count)
{
    int error = 0;
    *session = (struct lauka_kperf){.api = api, .wanted = set};
    memcpy(session->words, set->words, sizeof session->words);
    for (size_t i = 0; error == 0 && i < count; i++) {
        error = make_step(session, i);
        /* A step that failed half-way must be undone as well, but not if somebody else has the trace or the counters. */
        session->made = error == 0 || i > 1 ? i + 1 : i;
    }
    if (error)
        lauka_kperf_close(session);
    return error;
}

int lauka_kperf_open(struct lauka_kperf *session, const struct lauka_kperf_api *api,
                     const struct lauka_kpep_set *set)
{
    return make(session, api, set, STEPS);
}

int lauka_kperf_try(struct lauka_kperf *session, const struct lauka_kperf_api *api,
                    const struct lauka_kpep_set *set)
{
    return make(session, api, set, STEPS_OF_COUNTERS);
}

int lauka_kperf_refresh(struct lauka_kperf *session, enum lauka_trace_way way)
{
    int error = 0;
    size_t of_run = session->traced - session->traced_before;
    session->traced_before = session->traced;
    if (session->way == way && session->traced + of_run < QUICK_RECORDS)
        return 0;
    session->way = way;
    for (size_t i = FIRST_OF_TRACE; error == 0 && i < STEPS; i++)
        error = make_step(session, i);
    session->traced += error ? QUICK_RECORDS : 0; /* so that the next run tries again */
    return error;
}

int lauka_kperf_turn(struct lauka_kperf *session, const struct lauka_kpep_set *set)
{
    if (!session->stale && memcmp(session->words, set->words, sizeof session->words) == 0)
        return 0;
    memcpy(session->words, set->words, sizeof session->words);
    errno = ENOTSUP;
    if (suits(session, set) && stop_counting(session) == 0 && configure(session) == 0 &&
        look_before(session) == 0 && count(session) == 0)
        return look_after(session);
    session->step = changing;
    session->error = errno ? errno : EINVAL;
    session->words[0] = ~session->words[0]; /* so that the next turn tries again */
    return session->error;
}

int lauka_kperf_read(struct lauka_kperf *session, struct lauka_kd_buf *records, size_t *places,
                     bool *lost)
{
    struct lauka_kbufinfo about = {0};
    size_t size = sizeof about, read = *places * sizeof *records;

    *places = 0;
    /* Each read clears the mark, so it is asked for before. */
    if (trace_control(LAUKA_KDGETBUF, 0, &about, &size) != 0)
        return errno;
    if (about.flags & LAUKA_KDBG_WRAPPED)
        *lost = true;
    if (trace_control(LAUKA_KDREADTR, 0, records, &read) != 0)
        return errno;
    *places = read; /* bytes in, records out */
    session->traced += read;
    return 0;
}

enum lauka_kpc_change lauka_kperf_changed(struct lauka_kperf *session)
{
    struct lauka_kpc_settings now;
    const struct lauka_kpc_settings *then = &session->set;
    enum lauka_kpc_change change = LAUKA_KPC_UNTOUCHED;

    read_settings(session, &now);
    if (then->known && (!now.known || memcmp(now.words, then->words, sizeof now.words) != 0))
        change = LAUKA_KPC_EVENTS_CHANGED;
    if (now.counting != then->counting || now.thread_counting != then->thread_counting)
        change = LAUKA_KPC_COUNTING_CHANGED;
    session->stale = session->stale || change != LAUKA_KPC_UNTOUCHED;
    return change;
}

/* A kernel may keep only the number of an event, and add bits of its own. */
bool lauka_kperf_counts_others(const struct lauka_kperf *session)
{
    for (size_t i = 0; session->set.known && i < session->configs; i++)
        if ((session->set.words[i] ^ session->words[i]) & LAUKA_KPC_NUMBER)
            return true;
    return false;
}

/* ---- why counters are not available on this Mac, and what to do: "reason; advice" ---- */

/* Who has the trace: ktrace tells everybody. Empty where nobody does. */
static void name_owner(char *text, size_t size)
{
    char name[128];
    unsigned pid = (unsigned)lauka_darwin_number("ktrace.owning_pid");

    text[0] = '\0';
    (void)lauka_darwin_text("ktrace.configured_by", name, sizeof name);
    if (pid > 0)
        snprintf(text, size, " (%s%spid %u)", name, *name ? ", " : "", pid);
}

static const char *advice(int error, const char *step)
{
    bool chooses = step == lauka_kperf_choosing || step == changing;
    switch (error) {
    case EPERM:
        return chooses ? "this macOS does not allow one of the events on this chip; leave events "
                         "out, or update macOS"
                       : "macOS refuses even root here; restart the Mac, or report it with the "
                         "output of lauka doctor --selftest";
    case EACCES:
        return "another program has taken the counters (Instruments, xctrace or another lauka?); "
               "quit it";
    case EBUSY:
        return "another program is using them (Instruments, xctrace, ktrace, fs_usage?); quit it";
    case ENOTSUP:
        return "not all counters are there, as in a virtual machine; run on the Mac itself";
    case ENOSPC:
    case ENOMEM:
        return "there is no memory for it; quit other programs";
    default:
        return "report it with the output of lauka doctor --selftest";
    }
}

void lauka_kperf_explain(const char *step, int error, char *text, size_t size)
{
    char owner[200] = "";

    if (error == EBUSY)
        name_owner(owner, sizeof owner);
    snprintf(text, size, "cannot %s: %s%s; %s", step, strerror(error), owner, advice(error, step));
}
