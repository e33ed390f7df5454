/* Programs that run until they are ended: how long they take until they are ready, and what load on them costs. */
#ifndef LAUKA_RUNNER_SERVICE_SERVICE_H
#define LAUKA_RUNNER_SERVICE_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pmu/events/events.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/options.h"

struct lauka_executor_kind;

/* ---- probe.c: whether something accepts connections --------------------------------------------- */

/* Tries a connection to the port of 127.0.0.1, then of ::1, or to the socket, and closes it at once. Does not wait.
 * False also for other ways. */
bool lauka_probe(const struct lauka_ready *ready);

/* ---- process.c: a service from its start to its end --------------------------------------------- */

enum lauka_service_end {
    LAUKA_SERVICE_GOES_ON,
    LAUKA_SERVICE_ENDED,       /* by itself */
    LAUKA_SERVICE_LATE,        /* it was not ready in time */
    LAUKA_SERVICE_INTERRUPTED, /* a signal asked lauka to end */
};

struct lauka_service {               /* closed when zeroed */
    struct lauka_launcher *launcher; /* borrowed */
    const struct lauka_ready *ready; /* borrowed */
    pid_t pid;                       /* 0: it does not run */
    int output, signal; /* what it writes; the descriptor LAUKA_READY_FD; -1: closed, or none */
    uint64_t begun_ns, ready_ns;
    bool has_told;          /* its text, or its byte, has come */
    char *line;             /* owned; the part of its output that the text may begin in */
    size_t line_size;       /* B */
    struct lauka_tail tail; /* the end of its stdout and stderr, as they were written */
    int status;             /* after its end, as from wait(2) */
};

/* Starts it. Returns 0 or an errno. Close it in any case. */
int lauka_service_start(struct lauka_service *service, struct lauka_launcher *launcher,
                        const struct lauka_command *command, const struct lauka_ready *ready);

/* Waits until it is ready, which is LAUKA_SERVICE_GOES_ON, or until that time, in ns of lauka_now_ns. */
enum lauka_service_end lauka_service_await(struct lauka_service *service, uint64_t until_ns);

/* Reads what it writes during the next runs, so that it never waits for lauka; and stops that. */
void lauka_service_mind(struct lauka_service *service);
void lauka_service_leave(struct lauka_service *service);

/* Whether it has ended by itself. */
bool lauka_service_has_ended(struct lauka_service *service);

/* Waits half a second at most until it has ended by itself, as it does where connections to it break. */
bool lauka_service_ends_soon(struct lauka_service *service);

/* Ends it: its process group gets SIGTERM and, five seconds later or after a second signal to lauka, SIGKILL; nothing
 * that it started is left. The end of its output stays in `tail`. */
void lauka_service_stop(struct lauka_service *service);

/* ---- executor.c: rounds of services -------------------------------------------------------------- */

/* Runs each command until it is ready or, with --service, under load. */
extern const struct lauka_executor_kind lauka_served;

#endif
