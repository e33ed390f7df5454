/* The machine as a place to measure: what it is, what can disturb a measurement, what helps, and what
 * measuring itself costs. */
#ifndef LAUKA_RUNNER_MACHINE_MACHINE_H
#define LAUKA_RUNNER_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "pmu/counters/counters.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/options.h"

struct lauka_launcher;
struct stat;

/* ---- linux/, macos/findings.c: what can disturb a measurement here --------------------------- */

enum lauka_weight {
    LAUKA_WEIGHT_FINE,
    LAUKA_WEIGHT_UNKNOWN, /* the system does not say */
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

/* finding.c: of which the system does not say anything, until more is known. Returns it. */
struct lauka_finding *lauka_finding_begin(struct lauka_finding *finding, const char *subject,
                                          const char *source, const char *effect, const char *cure);

/* Reads everything once, and what takes time to see (busy CPUs, steal) over interval_ns, which may be 0.
 * root: "", unless in a test. Returns how many. */
size_t lauka_findings_read(const char *root, uint64_t interval_ns,
                           struct lauka_finding findings[LAUKA_FINDINGS_MAX]);

/* ---- linux/, macos/machine.c: the smallest program --------------------------------------------- */

/* The smallest program that only exits. path: where it can be executed until it is closed; at most `size`
 * bytes. *handle: to be closed. Returns 0 or an errno. */
int lauka_floor_open(char *path, size_t size, int *handle);
void lauka_floor_close(int handle);

/* ---- doctor.c: what measuring itself costs ---------------------------------------------------- */

struct lauka_floor {                          /* what measuring itself costs; 0 where not known */
    uint64_t spawn_median_ns, spawn_least_ns; /* wall time of a program that only ends */
    uint64_t clock_resolution_ns;             /* the clock's own word */
    double clock_cost_ns;                     /* of reading it once */
};

/* After a session: if starting is a substantial part of what commands take, measures it and notes it in
 * the result. Returns 0 or ENOMEM. */
int lauka_floor_note(struct lauka_launcher *launcher, struct lauka_result *result);

/* ---- doctor.c: lauka doctor ------------------------------------------------------------------ */

/* Prints all findings and the floor. Fails with LAUKA_EXIT_HOST if the options require a quiet machine and
 * it is not. */
bool lauka_doctor(const struct lauka_options *options, struct lauka_launcher *launcher, FILE *out,
                  struct lauka_error *error);

/* Before a session: adds what matters to the result's warnings, and prints it if stderr is a terminal.
 * Fails with LAUKA_EXIT_HOST as above, otherwise if memory is short. */
bool lauka_doctor_visit(const struct lauka_options *options, struct lauka_result *result,
                        struct lauka_error *error);

/* ---- selftest.c: lauka doctor --selftest ----------------------------------------------------- */

/* As JSON. The launcher must have no commands. */
bool lauka_selftest(struct lauka_launcher *launcher, FILE *out, struct lauka_error *error);

/* The program as the selftest starts it: lauka LAUKA_SELFTEST_LOOP WAY STEPS; the way is a number of
 * threads, "exec" or "killed". Returns the exit code. */
#define LAUKA_SELFTEST_LOOP "selftest-loop"
int lauka_selftest_loop(const char *way, const char *steps);

/* ---- linux/, macos/machine.c: what machine this is ------------------------------------------- */

/* Where this program is. Returns 0 or an errno. */
int lauka_own_path(char *path, size_t size);

/* Adds the CPUs of the same core, the CPU itself among them. */
void lauka_cpu_siblings(unsigned cpu, struct lauka_cpu_set *siblings);

/* Returns 0 or ENOMEM; what the system does not say stays NULL or 0. */
int lauka_machine_describe(struct lauka_result_host *host);

/* When the file was changed last, of stat(2). */
uint64_t lauka_modified_ns(const struct stat *about);

/* ---- linux/, macos/machine.c: valgrind ------------------------------------------------------- */

/* What to do where there is none. Static. */
const char *lauka_valgrind_advice(void);

/* Whether executing the file grants rights that its user does not have, apart from set-uid and set-gid
 * bits. */
bool lauka_has_file_capabilities(const char *path);

/* ---- linux/, macos/machine.c: how a file lies in the page cache --------------------------- */

/* Whether the file exists nowhere else (tmpfs), so that nothing can be dropped. */
bool lauka_page_cache_is_all(int descriptor);

/* Waits until everything written to the file is on its disk. Returns 0 or an errno; ENOTSUP if the system
 * has no such call. */
int lauka_page_cache_write_back(int descriptor);

/* Drops from the cache the file's first bytes, as many as given, if they are written back and nobody has
 * mapped them, and reads them again from the beginning. Returns 0 or an errno; EINTR if a signal asked
 * lauka to end. It does not say whether the system dropped them: only a file's owner may know. */
int lauka_page_cache_reread(int descriptor, uint64_t bytes);

/* ---- pin.c: --quiet-machine ---------------------------------------------------------------- */

/* Reserves a core for lauka, if there is another, and raises the commands' priority, if allowed; says so
 * in the result's warnings. Fails only if memory is short. */
bool lauka_quiet(struct lauka_options *options, struct lauka_launcher *launcher,
                 struct lauka_result *result, struct lauka_error *error);

/* ---- pin.c: keeping the commands on some CPUs ------------------------------------------------ */

/* What --pin means here: "2-3", "P". Fails with LAUKA_EXIT_HOST. */
bool lauka_pin_find(const char *pin, const struct lauka_topology *topology,
                    struct lauka_cpu_set *cpus, struct lauka_error *error);

/* Removes CPUs that may not be used from those selected by their kind. Fails if none is left. */
bool lauka_pin_limit(const char *pin, struct lauka_cpu_set *cpus, struct lauka_error *error);

/* From now on all commands run on these CPUs (see lauka_pin_limit); lauka and its launcher move to the
 * others that they may use. If there are none, the result gets a warning. pin: the user's words for them.
 * Fails with LAUKA_EXIT_HOST if the system does not grant exactly these. */
bool lauka_pin(const char *pin, struct lauka_cpu_set *cpus, struct lauka_launcher *launcher,
               struct lauka_result *result, struct lauka_error *error);

#endif
