/* The machine as a place to measure: what it is, what may disturb measurements, what helps, and
 * what measuring itself costs. */
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
    LAUKA_WEIGHT_UNKNOWN, /* the system does not report it */
    LAUKA_WEIGHT_MINOR,   /* worth knowing */
    LAUKA_WEIGHT_MATTERS, /* it makes current measurements worse */
};

struct lauka_finding {
    const char *subject; /* static: "governor" */
    enum lauka_weight weight;
    char found[200];    /* "powersave on 8 of 8 CPUs"; may quote the system */
    const char *source; /* static: the file or call it comes from */
    const char *effect; /* static: its effect on measurements; NULL if nothing was found */
    const char *cure;   /* static: what to type or do */
};

enum { LAUKA_FINDINGS_MAX = 16 };

/* finding.c: adds a finding that the system does not report, until it is filled in. Returns it. */
struct lauka_finding *lauka_finding_begin(struct lauka_finding *finding, const char *subject,
                                          const char *source, const char *effect, const char *cure);

/* Reads everything once, and observes busy CPUs and steal for interval_ns, which may be 0. root:
 * "", except in tests. Returns the number of findings. */
size_t lauka_findings_read(const char *root, uint64_t interval_ns,
                           struct lauka_finding findings[LAUKA_FINDINGS_MAX]);

/* ---- linux/, macos/machine.c: the smallest program --------------------------------------------- */

/* Opens the smallest program, which only exits. path: where it can be executed until it is closed;
 * `size` bytes at most. *handle: to be closed. Returns 0 or an errno. */
int lauka_floor_open(char *path, size_t size, int *handle);
void lauka_floor_close(int handle);

/* ---- doctor.c: what measuring itself costs ---------------------------------------------------- */

/* After a session: if starting is a substantial share of the commands' time, measures it and adds a
 * note to the result. Returns 0 or ENOMEM. */
int lauka_floor_note(struct lauka_launcher *launcher, struct lauka_result *result);

/* ---- doctor.c: lauka doctor ------------------------------------------------------------------ */

/* Prints all findings and the floor. Fails with LAUKA_EXIT_HOST if the options require a quiet
 * machine and this one is not. */
bool lauka_doctor(const struct lauka_options *options, struct lauka_launcher *launcher, FILE *out,
                  struct lauka_error *error);

/* Before a session: adds important findings to the result's warnings, and prints them if stderr is
 * a terminal. Fails with LAUKA_EXIT_HOST as above, or otherwise when memory runs out. */
bool lauka_doctor_visit(const struct lauka_options *options, struct lauka_result *result,
                        struct lauka_error *error);

/* ---- selftest.c: lauka doctor --selftest ----------------------------------------------------- */

/* Writes JSON. The launcher must have no commands. */
bool lauka_selftest(struct lauka_launcher *launcher, FILE *out, struct lauka_error *error);

/* The program that the selftest starts: lauka LAUKA_SELFTEST_LOOP WAY STEPS; WAY is a number of
 * threads, "exec" or "killed". Returns the exit code. */
#define LAUKA_SELFTEST_LOOP "selftest-loop"
int lauka_selftest_loop(const char *way, const char *steps);

/* ---- linux/, macos/machine.c: what machine this is ------------------------------------------- */

/* The path of this program. Returns 0 or an errno. */
int lauka_own_path(char *path, size_t size);

/* Adds all CPUs of the same core, including this one. */
void lauka_cpu_siblings(unsigned cpu, struct lauka_cpu_set *siblings);

/* Returns 0 or ENOMEM. What the system does not report stays NULL or 0. */
int lauka_machine_describe(struct lauka_result_host *host);

/* The time of the last change of the file, from stat(2). */
uint64_t lauka_modified_ns(const struct stat *about);

/* ---- linux/, macos/machine.c: valgrind ------------------------------------------------------- */

/* What to do if it is missing. Static. */
const char *lauka_valgrind_advice(void);

/* Whether executing the file grants rights that its user lacks, other than by set-uid and set-gid
 * bits. */
bool lauka_has_file_capabilities(const char *path);

/* ---- linux/, macos/machine.c: how a file lies in the page cache --------------------------- */

/* Whether the file exists only in the cache (tmpfs), so that nothing can be dropped. */
bool lauka_page_cache_is_all(int descriptor);

/* Waits until all data written to the file is on disk. Returns 0 or an errno; ENOTSUP if the system
 * has no such call. */
int lauka_page_cache_write_back(int descriptor);

/* Drops the file's first `bytes` bytes from the cache if they are written back and nobody has
 * mapped them, and reads them again from the start. Returns 0 or an errno; EINTR if a signal asked
 * lauka to end. It cannot report whether the system dropped them: only a file's owner may know. */
int lauka_page_cache_reread(int descriptor, uint64_t bytes);

/* ---- pin.c: --quiet-machine ---------------------------------------------------------------- */

/* Reserves a core for lauka, if there is another, raises the commands' priority, if permitted, and
 * adds both to the result's warnings. Fails only when memory runs out. */
bool lauka_quiet(struct lauka_options *options, struct lauka_launcher *launcher,
                 struct lauka_result *result, struct lauka_error *error);

/* ---- pin.c: keeping the commands on some CPUs ------------------------------------------------ */

/* Resolves --pin for this machine: "2-3", "P". Fails with LAUKA_EXIT_HOST. */
bool lauka_pin_find(const char *pin, const struct lauka_topology *topology,
                    struct lauka_cpu_set *cpus, struct lauka_error *error);

/* Removes CPUs that may not be used from a selection by kind. Fails if none is left. */
bool lauka_pin_limit(const char *pin, struct lauka_cpu_set *cpus, struct lauka_error *error);

/* From now on all commands run on these CPUs (see lauka_pin_limit); lauka and its launcher move to
 * the other CPUs they may use. If there are none, the result gets a warning. pin: the user's name
 * for them. Fails with LAUKA_EXIT_HOST if the system does not grant exactly these. */
bool lauka_pin(const char *pin, struct lauka_cpu_set *cpus, struct lauka_launcher *launcher,
               struct lauka_result *result, struct lauka_error *error);

#endif
