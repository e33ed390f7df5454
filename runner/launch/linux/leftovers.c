/* What commands leave behind, on Linux: the launcher is a subreaper (prctl(2)), so orphans of its commands
 * become its own children, whatever process group or session they went to. */
#include "runner/launch/launch.h"
#include "runner/launch/process.h"
#include "runner/base/base.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How long a process that was asked to end gets before it is killed; and how long one that cannot be
 * killed gets in all. */
#define GRACE_NS 200000000u
#define PATIENCE_NS 3000000000u

enum { KNOWN_MAX = 256 }; /* beyond that, processes are counted and asked more than once */

struct hunt {
    pid_t known[KNOWN_MAX]; /* that were asked, and counted, already */
    size_t known_count;
    unsigned count;
    bool kill;
};

/* The orphans of earlier runs that were to be kept. */
static unsigned kept;

/* The process groups that hooks left behind: a server that a preparation started lives on. */
static pid_t hosted[KNOWN_MAX];
static size_t hosted_count;

/* Who else waits for processes; NULL: nobody does. */
static bool (*other_keeps)(pid_t pid, int status, const struct rusage *usage);

static bool is_hosted(pid_t pid)
{
    pid_t group = getpgid(pid);

    for (size_t i = 0; i < hosted_count; i++)
        if (hosted[i] == group)
            return true;
    return false;
}

/* Reaps everything that has ended; sets *any if there was anything. False if no child is left. */
static bool reap(bool *any)
{
    struct rusage usage;
    int status;
    pid_t pid;

    while ((pid = lauka_reap_any(&status, &usage)) > 0)
        *any |= !(other_keeps && other_keeps(pid, status, &usage));
    return pid == 0;
}

static bool is_known(struct hunt *hunt, pid_t pid)
{
    for (size_t i = 0; i < hunt->known_count; i++)
        if (hunt->known[i] == pid)
            return true;
    if (hunt->known_count < KNOWN_MAX)
        hunt->known[hunt->known_count++] = pid;
    hunt->count++;
    return false;
}

static void visit(struct hunt *hunt, pid_t pid, bool keep)
{
    bool known = is_known(hunt, pid);

    if (keep)
        return;
    if (hunt->kill) {
        lauka_signal_process(pid, SIGKILL);
    } else if (!known) {
        lauka_signal_process(pid, SIGTERM);
        lauka_signal_process(pid, SIGCONT); /* who is stopped hears nothing */
    }
}

static void host(pid_t pid)
{
    if (!is_hosted(pid) && hosted_count < KNOWN_MAX)
        hosted[hosted_count++] = getpgid(pid);
}

struct visit {
    struct hunt *hunt; /* NULL: only what hooks left is visited; otherwise only the others are */
    bool keep;
};

static bool visit_child(pid_t pid, void *context)
{
    const struct visit *how = context;

    if (how->hunt && is_hosted(pid))
        return false;
    if (how->hunt)
        visit(how->hunt, pid, how->keep);
    else
        host(pid);
    return true;
}

/* Returns how many were visited. */
static size_t visit_children(struct hunt *hunt, bool keep)
{
    return lauka_children_visit(visit_child, &(struct visit){hunt, keep});
}

/* A process that ends hands its own children over to us, so there is more than one pass. */
static bool end_children(struct hunt *hunt)
{
    bool any = false;
    const struct timespec moment = {.tv_nsec = 1000000};
    uint64_t started = lauka_now_ns(), spent = 0;
    bool alive;

    while ((alive = reap(&any)) && spent < PATIENCE_NS) {
        hunt->kill = spent > GRACE_NS;
        if (visit_children(hunt, false) == 0)
            return false;
        nanosleep(&moment, NULL);
        spent = lauka_now_ns() - started;
    }
    return alive;
}

void lauka_leftovers_end(pid_t group, bool keep, struct lauka_leftovers *leftovers)
{
    static struct hunt hunt;

    (void)group;
    *leftovers = (struct lauka_leftovers){0};
    if (!reap(&leftovers->any)) {
        kept = 0;
        return;
    }
    leftovers->any = true;
    hunt.count = 0;
    hunt.known_count = 0;
    if (keep) {
        visit_children(&hunt, true);
        leftovers->count = hunt.count > kept ? hunt.count - kept : 0;
        leftovers->alive = leftovers->count > 0;
        kept = hunt.count;
        return;
    }
    leftovers->alive = end_children(&hunt);
    leftovers->count = hunt.count;
}

void lauka_leftovers_host(void)
{
    bool any = false;

    hosted_count = 0;
    if (reap(&any))
        visit_children(NULL, true);
}

void lauka_leftovers_reap(bool (*is_other)(pid_t pid, int status, const struct rusage *usage))
{
    bool any = false;

    other_keeps = is_other;
    reap(&any);
}
