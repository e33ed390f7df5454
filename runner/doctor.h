/* The machine as a place to measure: what can disturb there, where that was read, what it does, and
 * what cures it. */
#ifndef LAUKA_RUNNER_DOCTOR_H
#define LAUKA_RUNNER_DOCTOR_H

#include "runner/runner.h"

enum lauka_weight {
    LAUKA_WEIGHT_FINE,
    LAUKA_WEIGHT_UNKNOWN, /* the system does not tell */
    LAUKA_WEIGHT_MINOR,   /* worth knowing */
    LAUKA_WEIGHT_MATTERS, /* figures taken now are worse for it */
};

struct lauka_finding {
    const char *subject; /* static: "governor" */
    enum lauka_weight weight;
    char found[200];    /* "powersave on 8 of 8 CPUs"; may quote the system */
    const char *source; /* static: the file it was read from, or the call */
    const char *effect; /* static: what it does to figures; NULL where nothing was found */
    const char *cure;   /* static: what to type, or to do */
};

enum { LAUKA_FINDINGS_MAX = 16 };

/* findings_linux.c, findings_macos.c: reads everything once, and what only a time shows (whose CPUs
 * are busy, steal) over interval_ns, which may be 0. root: "", unless in a test. Returns how many. */
size_t lauka_findings_read(const char *root, uint64_t interval_ns,
                           struct lauka_finding findings[LAUKA_FINDINGS_MAX]);

/* floor_linux.c, floor_macos.c: a program that only ends, as small as there can be. path: where it can
 * be executed, until closed; at most `size` bytes. *handle: to be closed. Returns 0 or an errno. */
int lauka_floor_open(char *path, size_t size, int *handle);
void lauka_floor_close(int handle);

struct lauka_floor {                          /* what measuring itself costs; 0 where not known */
    uint64_t spawn_median_ns, spawn_least_ns; /* wall time of a program that only ends */
    uint64_t clock_resolution_ns;             /* the clock's own word */
    double clock_cost_ns;                     /* of reading it once */
};

/* floor.c: runs the program `runs` times. Fails where lauka itself does. */
bool lauka_floor_measure(struct lauka_launcher *launcher, size_t runs, struct lauka_floor *floor,
                         struct lauka_error *error);

/* After a session: where starting is a good part of what commands take, measures that and notes it in
 * the result. Returns 0 or ENOMEM. */
int lauka_floor_note(struct lauka_launcher *launcher, struct lauka_result *result);

/* doctor.c */

/* lauka doctor: prints all findings and the floor. Fails with LAUKA_EXIT_HOST where the options
 * require a quiet machine and it is not. */
bool lauka_doctor(const struct lauka_options *options, struct lauka_launcher *launcher, FILE *out,
                  struct lauka_error *error);

/* selftest.c: lauka doctor --selftest, as JSON. The launcher must have no commands. */
bool lauka_selftest(struct lauka_launcher *launcher, FILE *out, struct lauka_error *error);

/* The program as the selftest starts it: lauka LAUKA_SELFTEST_LOOP WAY STEPS; the way is how many threads,
 * "exec" or "killed". The exit code. */
#define LAUKA_SELFTEST_LOOP "selftest-loop"
int lauka_selftest_loop(const char *way, const char *steps);

/* machine_linux.c, machine_macos.c: where this program is. Returns 0 or an errno. */
int lauka_own_path(char *path, size_t size);

/* identity.c */
bool lauka_is_root(void);

/* Before a session: adds what matters to the result's warnings, and says it on a terminal's stderr.
 * Fails with LAUKA_EXIT_HOST as above, otherwise where memory is short. */
bool lauka_doctor_visit(const struct lauka_options *options, struct lauka_result *result,
                        struct lauka_error *error);

/* ---- quiet.c -------------------------------------------------------------------------------------- */

/* --quiet-machine: sets a core aside for lauka, if there is another, and raises the commands'
 * priority, if it may; says so in the result's warnings. Fails without memory only. */
bool lauka_quiet(struct lauka_options *options, struct lauka_launcher *launcher,
                 struct lauka_result *result, struct lauka_error *error);

/* machine_linux.c, machine_macos.c: adds the CPUs of the same core, the CPU itself among them. */
void lauka_cpu_siblings(unsigned cpu, struct lauka_cpu_set *siblings);

#endif
