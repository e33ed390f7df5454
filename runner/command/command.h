/* What is executed, and as which user. */
#ifndef LAUKA_RUNNER_COMMAND_COMMAND_H
#define LAUKA_RUNNER_COMMAND_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

#include "pmu/events/events.h"
#include "runner/base/arena.h"
#include "runner/base/base.h"

struct lauka_parameter_value;
struct lauka_pretence;

/* ---- identity.c: as whom commands run -------------------------------------------------------- */

/* Which of sudo, doas and pkexec started lauka as root, according to the environment; NULL if none did.
 * If several did, one of them. The answer does not change when the process changes its user. */
const char *lauka_identity_tool(void);

/* Whether this user may have called the tool. */
bool lauka_identity_is_caller(uid_t uid);

enum { LAUKA_GROUPS_MAX = 256 };

struct lauka_identity { /* plain data */
    bool other;         /* not the user as whom lauka was started, which is root */
    uid_t uid;
    gid_t gid;
    int group_count;
    gid_t groups[LAUKA_GROUPS_MAX];
    char name[64], home[256], shell[256];
};

/* If such a tool started the process: SUDO_UID, SUDO_GID, SUDO_USER, DOAS_USER and PKEXEC_UID must
 * name the same user and, for SUDO_GID, one of the user's groups, neither of them root; anything
 * else is a usage error. In other processes, and with as_root, the user does not change. */
bool lauka_identity_find(struct lauka_identity *identity, bool as_root, struct lauka_error *error);

/* The calls by which a process changes its user; each returns 0, or nonzero and errno. */
struct lauka_identity_calls {
    int (*set_groups)(const struct lauka_identity *identity);
    int (*set_group)(gid_t gid);
    int (*set_user)(uid_t uid);
};
extern const struct lauka_identity_calls lauka_identity_system;

/* Changes the groups first and the user last, for good; EPERM if root privileges could be regained. */
int lauka_identity_assume(const struct lauka_identity *identity,
                          const struct lauka_identity_calls *calls);

/* Changes lauka's own process to that user, with the environment of the user's account. */
bool lauka_identity_become(const struct lauka_identity *identity, struct lauka_error *error);

/* Lets the calling root process open files as that user, or stops it; if that fails, the process
 * ends. May be repeated. access(2) checks the real user, who is still root meanwhile. */
void lauka_identity_borrow(const struct lauka_identity *identity, bool on);

/* linux/, macos/groups.c: gives the calling root process that user's groups. 0, or -1 with errno. */
int lauka_identity_join_groups(const struct lauka_identity *identity);

/* ---- sha256.c: whether a program is still the same ------------------------------------------- */

#define LAUKA_SHA256_SIZE 32

/* Hashes the rest of the file. False if it cannot be read. */
bool lauka_sha256(FILE *file, uint8_t digest[LAUKA_SHA256_SIZE]);

/* Hashes bytes in memory. */
void lauka_sha256_of(const void *bytes, size_t size, uint8_t digest[LAUKA_SHA256_SIZE]);

/* ---- executable.c: whether the file that a command executes is still the same ---------------- */

struct lauka_executable {
    dev_t device;
    ino_t inode;
    off_t size;
    time_t changed; /* when the inode or the content changed */
    bool known;     /* for the caller's use */
    bool hashed;    /* false if it is executable but not readable */
    uint8_t sha256[LAUKA_SHA256_SIZE];
};

/* Returns 0 or an errno. */
int lauka_executable_read(const char *path, struct lauka_executable *executable);
/* Whether the file and its content are unchanged; false also if it is gone. */
bool lauka_executable_is_same(const char *path, const struct lauka_executable *known);
/* Whether this file, or another, has the same content; false also if it cannot be read. */
bool lauka_executable_has_same_content(const char *path, const struct lauka_executable *known);

/* Hashes the whole file. False if it cannot be read. */
bool lauka_executable_hash(const char *path, uint8_t digest[LAUKA_SHA256_SIZE]);

/* ---- executable.c: which build a program is ----------------------------------------------------- */

#define LAUKA_BUILD_ID_SIZE 129

/* Finds the program's build ID (ELF) or UUID (Mach-O), as hexadecimal digits. False and "" if it
 * has none, or is no such file. Moves the file position. */
bool lauka_build_id_find(FILE *file, char text[LAUKA_BUILD_ID_SIZE]);

/* ---- executable.c: which libraries a program needs ---------------------------------------------- */

/* A number for the kind of ELF file (class, byte order, processor), which is the same for a program and the libraries that
 * it can load. 0: no ELF file. Moves the file position, as the next does. */
uint32_t lauka_elf_kind(FILE *file);

/* Writes texts with a NUL behind each: the run path (DT_RUNPATH or DT_RPATH, or ""), the names of needed libraries
 * (DT_NEEDED) as far as there is room, and an empty text. `size` is at least 2. */
void lauka_elf_needed(FILE *file, char *text, size_t size);

/* ---- libraries.c: files that a program needs to run --------------------------------------------- */

/* Calls `one` with the path of each: the interpreter of a script ("#! /usr/bin/env NAME" means that program), or the shared
 * libraries of an ELF program and of these, as run paths, LD_LIBRARY_PATH and the loader's cache lead to them. Nothing is
 * executed. Paths are in the arena, which handles memory exhaustion. */
void lauka_needed_files_visit(struct lauka_arena *arena, const char *program,
                              void (*one)(void *context, const char *path), void *context);

/* Which build a file is: its build ID, or else "sha256:" and the hash of its content; in the arena. NULL if it cannot be
 * read. */
char *lauka_build_of(struct lauka_arena *arena, const char *path);

/* ---- command.c: text or argument vector -> what to execute ----------------------------------- */

/* What runs around a command, always in a shell. It is never measured. */
enum lauka_hook {
    LAUKA_HOOK_SETUP,    /* once, before its first run */
    LAUKA_HOOK_PREPARE,  /* before every run */
    LAUKA_HOOK_CONCLUDE, /* after every run */
    LAUKA_HOOK_CLEANUP,  /* once, after its last run */
    LAUKA_HOOKS          /* the number of hooks */
};

/* Where a command's stdout goes. The end of its stderr is always kept; with LAUKA_OUTPUT_INHERIT it
 * also goes to lauka's own stderr. */
enum lauka_output_way {
    LAUKA_OUTPUT_NULL,    /* /dev/null; some programs notice this and do less */
    LAUKA_OUTPUT_PIPE,    /* lauka reads and discards it */
    LAUKA_OUTPUT_INHERIT, /* lauka's own */
    LAUKA_OUTPUT_FILE,    /* truncated before each run */
    LAUKA_OUTPUT_KEPT,    /* lauka reads it: lauka_launcher_listen */
};

/* A figure that each run of a command reports itself (--read). */
struct lauka_figure {
    char *name;
    const struct lauka_figure_unit *unit; /* static: see figure.c */
    const char
        *pattern;  /* the regular expression that finds it in stdout; NULL: the command writes it to
                  * the descriptor LAUKA_REPORT_FD */
    bool measured; /* by lauka itself: it is not read */
    bool has_unit; /* the text that is found has a unit of its own, as in "1.25ms" */
    bool is_first; /* the first match counts, not the last */
    bool is_detail; /* people only see it with --full */
    bool adds;      /* figures of this name add up; otherwise the first that is found counts */
    bool optional;  /* where nothing matches, its value is `absent`; NaN: missing */
    double absent;
    const char *hint; /* what to do where nothing matches; NULL: nothing is known */
};

/* Everything it points to is borrowed, mostly from its arena. */
struct lauka_command {
    struct lauka_arena *arena; /* for what is found out later */
    char *label;               /* as typed, or the argv with shell quoting */
    char *side;                /* its name in all benchmarks; the label if there is a single unnamed
                                * benchmark */
    char **argv;               /* NULL-terminated, not empty */
    char *program;      /* absolute: the file that argv[0] stands for; NULL: it is looked up */
    char *path;         /* the file to execute, found along PATH; NULL if there is none */
    char **environment; /* NULL-terminated K=V in addition to lauka's own, or NULL */
    char *directory;    /* absolute; where it is looked up and run; NULL: lauka's own */
    enum lauka_output_way output;
    char *output_file;     /* with LAUKA_OUTPUT_FILE */
    char *compared_file;   /* what a run writes there is compared: --output-file; NULL: none */
    char *input_file;      /* opened anew for each run; NULL: /dev/null */
    bool expects;          /* only `expected` exit codes are a success; otherwise see options */
    uint8_t expected[32];  /* one bit per exit code */
    uint64_t items, bytes; /* processed by one run; 0: not given */
    struct lauka_figure *figures; /* those of one name are one metric: see lauka_figure.adds */
    size_t figure_count;
    bool reports;                             /* reports some of them through LAUKA_REPORT_FD */
    uint64_t timeout_ns;                      /* a longer run is ended and has failed; 0: none */
    struct lauka_parameter_value *parameters; /* the values of {NAME} */
    size_t parameter_count;
    char *hooks[LAUKA_HOOKS]; /* shell scripts; NULL: none */
    char *link; /* shell script, with {layout} and {out}, that builds argv[0]; NULL: it exists */
    struct lauka_pretence *pretence; /* words that give simulated:effects its costs; NULL: none */
    bool is_hook;                    /* it is a hook itself: not counted */
    bool is_load; /* it runs beside a started process, uncounted, on the launcher's CPUs */
    struct lauka_command *load; /* what is run against it, once it is ready; NULL: nothing */
};

/* Splits by the shell's quoting rules (POSIX 2.2: backslash, single and double quotes). Characters
 * that only a shell interprets are an error that shows both solutions. */
bool lauka_command_parse(struct lauka_arena *arena, const char *text, struct lauka_command *command,
                         struct lauka_error *error);

/* Makes a command of split arguments, which are borrowed. count is at least 1. */
bool lauka_command_from_argv(struct lauka_arena *arena, char *const *argv, size_t count,
                             struct lauka_command *command, struct lauka_error *error);

/* Makes `text` one script for the shell: argv is {shell's words..., "-c", text}. */
bool lauka_command_for_shell(struct lauka_arena *arena, const char *shell, const char *text,
                             struct lauka_command *command, struct lauka_error *error);

/* Looks up argv[0] like env(1) -C directory, along the PATH that the command gets, and sets path.
 * Fails with LAUKA_EXIT_COMMAND_FAILED. */
bool lauka_command_locate(struct lauka_command *command, struct lauka_error *error);

/* lauka's own environment, the command's variables and these, NULL-terminated; each replaces earlier ones of
 * its name. variables: may be NULL. An owned array of borrowed texts; NULL if there is no memory. */
char **lauka_command_environment(const struct lauka_command *command, const char *const *variables);

/* The PATH for this search. Borrowed from the command, the environment, or static. */
const char *lauka_command_search_path(const struct lauka_command *command);

/* The program that this word alone as a command would execute. Owned by the caller; NULL if there
 * is none, or no memory. */
char *lauka_command_find(const char *name);
bool lauka_command_exists(const char *name);

/* The argument vector as text that a POSIX shell splits into the same words. NULL without memory. */
char *lauka_quote_argv(struct lauka_arena *arena, char *const *argv, size_t count);

/* ---- pattern.c: the regular expressions of --read --------------------------------------------- */

/* A POSIX extended regular expression (POSIX.1-2017, XBD 9.4) over bytes with exactly one group; matches stay within a
 * line unless it names line ends. Owned by the caller. NULL: the error says why, and what to write instead. */
struct lauka_pattern;
struct lauka_pattern *lauka_pattern_make(const char *text, char *why, size_t size);
void lauka_pattern_free(struct lauka_pattern *pattern); /* accepts NULL */

/* ---- search.c: its last match in a text that comes in pieces ----------------------------------- */

enum {
    LAUKA_SEARCH_LONGEST = 1 << 20, /* B: length of the longest match */
    LAUKA_SEARCH_VALUE = 64         /* B of the group that are kept */
};

enum lauka_search_end {
    LAUKA_SEARCH_NOTHING, /* nothing matches */
    LAUKA_SEARCH_FOUND,
    LAUKA_SEARCH_LONG,    /* a possible match is longer than LAUKA_SEARCH_LONGEST */
    LAUKA_SEARCH_ENDLESS, /* given up: too much was scanned again and again */
    LAUKA_SEARCH_STOPPED, /* goes_on asked it to stop */
};

/* Searches one text after another; borrows the pattern. goes_on is called now and then, and stops the search
 * with false; NULL: never. NULL without memory. Time and memory are bounded by the product of both sizes. */
struct lauka_search;
struct lauka_search *lauka_search_open(const struct lauka_pattern *pattern,
                                       bool (*goes_on)(void *context), void *context);
void lauka_search_stop_at_first(
    struct lauka_search *search);                     /* From now on the first match is the one. */
void lauka_search_begin(struct lauka_search *search); /* Begins the next text. */
void lauka_search_close(struct lauka_search *search);

struct lauka_window { /* a part of the text */
    const char *bytes;
    uint64_t begin; /* its offset in the text */
    size_t size;
    bool ends; /* the text ends here */
};

/* Searches this window. Returns the offset at which the next window must begin at the latest. */
uint64_t lauka_search_run(struct lauka_search *search, const struct lauka_window *window);

/* After the last window: the group of the last match, without NUL, at most LAUKA_SEARCH_VALUE of
 * it. Borrowed. */
enum lauka_search_end lauka_search_result(const struct lauka_search *search, const char **value,
                                          size_t *length);

/* ---- figure.c: what commands report themselves ----------------------------------------------- */

enum { LAUKA_FIGURES_MAX = 32 };

struct lauka_figure_unit { /* a unit as people write it */
    const char *typed;
    const char *unit; /* the metric's unit; one typed unit is `factor` of them */
    double factor;
    int decimals; /* values are in units of 10^-decimals, or smaller: see powers.c */
    enum lauka_better better;
};

/* A figure is stored if it is 0 or between these, in the unit of its metric. */
#define LAUKA_FIGURE_LEAST 1e-30
#define LAUKA_FIGURE_MOST 1e30

/* Finds a unit by name; NULL if there is none. Static. */
const struct lauka_figure_unit *lauka_figure_unit_find(const char *text, size_t length);

/* Reads a quantity in an option, a limit or a cost: digits, perhaps a point and an exponent, blanks, and the unit, which
 * is a time from ns to s, a size up to GiB, "%", or k, K, M, G or nothing for a number, whose unit is "1": "64KiB",
 * "1.5 ms", "2e-7s". The value is in ns, bytes, per cent, or a number. Returns the unit, which is static, and of which
 * only `typed`, `unit` and `factor` are known; NULL if it is no quantity, or above 1e40: then the value is 0. */
const struct lauka_figure_unit *lauka_quantity_parse(const char *text, size_t length,
                                                     double *value);

/* Lists their names, separated by commas. */
void lauka_figure_units_list(char *text, size_t size);

/* Converts a number from the typed unit to the metric's. Returns NULL, or what was expected: a
 * decimal number that is neither negative nor infinite, and within the limits above. Static. */
const char *lauka_figure_value(const char *text, size_t length,
                               const struct lauka_figure_unit *unit, double *value);

/* The same for a text with a unit of its own, as load generators write times: "1.25ms", "0.0012 secs". */
const char *lauka_figure_quantity(const char *text, size_t length,
                                  const struct lauka_figure_unit *unit, double *value);

/* Collects all figures that the commands report, each name once, in the order given: these are the
 * session's metrics. Borrowed from the commands. Returns how many. */
size_t lauka_figures_find(const struct lauka_command *commands, size_t command_count,
                          const struct lauka_figure *figures[LAUKA_FIGURES_MAX]);

#endif
