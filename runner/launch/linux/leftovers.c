/* What commands leave behind, on Linux: the launcher is a subreaper (prctl(2)), so orphans of its commands
 * become its own children, whatever process group or session they went to. */
#include "runner/launch/launch.h"
#include "runner/launch/process.h"
#include "runner/base/base.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

/* How long a process that was asked to end gets before it is killed; and how long one that cannot be
 * killed gets in all. */
#define GRACE_NS 200000000u
#define PATIENCE_NS 3000000000u

enum { KNOWN_MAX = 256 }; /* beyond that, processes are counted and asked more than once */

struct hunt {               /* for children of the calling process */
    pid_t known[KNOWN_MAX]; /* that were asked, and counted, already */
    size_t known_count;
    unsigned count;
    bool keep, kill;
    pid_t oldest; /* their numbers were given after this one; 0: after the caller's own */
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

static void visit(struct hunt *hunt, pid_t pid)
{
    bool known = is_known(hunt, pid);

    if (hunt->keep)
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

struct visits {
    struct hunt *hunt; /* NULL: whoever is met is hosted from now on */
    size_t visited;
};

/* Those that hooks left are not hunted. */
static void meet(void *context, pid_t pid)
{
    struct visits *visits = context;

    if (!visits->hunt) {
        host(pid);
    } else if (!is_hosted(pid)) {
        visits->visited++;
        visit(visits->hunt, pid);
    }
}

/* Meets every child. Returns how many were visited. */
static size_t visit_children(struct hunt *hunt)
{
    struct visits visits = {.hunt = hunt};

    lauka_children_visit(hunt ? hunt->oldest : 0, meet, &visits);
    return visits.visited;
}

/* A process that ends hands its own children over to us, so there is more than one pass. */
static bool end_children(struct hunt *hunt)
{
    bool any = false;
    const struct timespec moment = {.tv_nsec = 1000000};
    uint64_t started = lauka_now_ns(), spent = 0;
    bool alive;

    while ((alive = reap(&any)) && (spent < PATIENCE_NS || !hunt->kill)) {
        hunt->kill = spent > GRACE_NS;
        if (visit_children(hunt) == 0 && hosted_count > 0)
            return false; /* there are only those */
        nanosleep(&moment, NULL);
        spent = lauka_now_ns() - started;
    }
    return alive;
}

void lauka_leftovers_end(pid_t group, bool keep, struct lauka_leftovers *leftovers)
{
    static struct hunt hunt;

    *leftovers = (struct lauka_leftovers){0};
    if (!reap(&leftovers->any)) {
        kept = 0;
        return;
    }
    leftovers->any = true;
    hunt.count = 0;
    hunt.known_count = 0;
    hunt.keep = keep;
    hunt.kill = false;
    hunt.oldest = keep ? 0 : group;
    if (keep) {
        visit_children(&hunt);
        leftovers->count = hunt.count > kept ? hunt.count - kept : 0;
        leftovers->alive = leftovers->count > 0;
        kept = hunt.count;
        return;
    }
    leftovers->alive = end_children(&hunt);
    leftovers->count = leftovers->alive && hunt.count == 0 ? 1 : hunt.count; /* at least */
}

void lauka_leftovers_host(void)
{
    bool any = false;

    hosted_count = 0;
    if (reap(&any))
        visit_children(NULL);
}

void lauka_leftovers_reap(bool (*is_other)(pid_t pid, int status, const struct rusage *usage))
{
    bool any = false;

    other_keeps = is_other;
    reap(&any);
}
