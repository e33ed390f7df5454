/* What is executed, and as whom. */
#ifndef LAUKA_RUNNER_COMMAND_COMMAND_H
#define LAUKA_RUNNER_COMMAND_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

#include "pmu/events/events.h"
#include "report/result/result.h"
#include "runner/base/arena.h"
#include "runner/base/base.h"

struct lauka_pretence;

/* ---- identity.c: as whom commands run -------------------------------------------------------- */

/* Which of sudo, doas and pkexec started root's lauka, by the environment; NULL if none did. If several
 * did, one of them. The answer stays the same, whoever the process becomes. */
const char *lauka_identity_tool(void);

/* Removes their variables from the environment. */
void lauka_identity_forget_tool(void);

/* Whether the user may be the one who called it. */
bool lauka_identity_is_caller(uid_t uid);

/* Whether lauka is. */
bool lauka_is_root(void);

enum { LAUKA_GROUPS_MAX = 256 };

struct lauka_identity { /* plain data */
    bool other;         /* it is not the one that lauka was started with */
    uid_t uid;
    gid_t gid;
    int group_count;
    gid_t groups[LAUKA_GROUPS_MAX];
    char name[64], home[256], shell[256];
};

/* For a process that one of them started: SUDO_UID, SUDO_GID, SUDO_USER, DOAS_USER and PKEXEC_UID must
 * name one user, and SUDO_GID a group of that user's, neither of them root; otherwise it is a usage error.
 * In other processes, and with as_root, nobody becomes anybody else. */
bool lauka_identity_find(struct lauka_identity *identity, bool as_root, struct lauka_error *error);

/* ---- become.c -------------------------------------------------------------------------------- */

/* How a process becomes another user; each returns 0, or nonzero and errno. */
struct lauka_identity_calls {
    int (*set_groups)(const struct lauka_identity *identity);
    int (*set_group)(gid_t gid);
    int (*set_user)(uid_t uid);
};
extern const struct lauka_identity_calls lauka_identity_system;

/* Groups first and the user last, for good; EPERM if root privileges could be regained. */
int lauka_identity_assume(const struct lauka_identity *identity,
                          const struct lauka_identity_calls *calls);

/* Makes lauka's own process that user's, with the environment of the user's account. */
bool lauka_identity_become(const struct lauka_identity *identity, struct lauka_error *error);

/* Lets root's calling process open files as that user, and stop doing so; if that fails, the process ends.
 * It may be called repeatedly. access(2) checks the real user, who stays root meanwhile. */
void lauka_identity_borrow(const struct lauka_identity *identity, bool on);

/* linux/, macos/groups.c: gives the calling process, root's, that user's groups. 0; otherwise -1, and errno. */
int lauka_identity_join_groups(const struct lauka_identity *identity);

/* ---- sha256.c: whether a program is still the same ------------------------------------------- */

#define LAUKA_SHA256_SIZE 32

/* What is left of the file. False if it cannot be read. */
bool lauka_sha256(FILE *file, uint8_t digest[LAUKA_SHA256_SIZE]);

/* ---- executable.c: whether the file that a command executes is still the same ---------------- */

struct lauka_executable {
    dev_t device;
    ino_t inode;
    off_t size;
    time_t changed; /* its inode, or what is in it */
    bool known;     /* for who keeps it */
    bool hashed;    /* it may be executable, yet not readable */
    uint8_t sha256[LAUKA_SHA256_SIZE];
};

/* Returns 0 or an errno. */
int lauka_executable_read(const char *path, struct lauka_executable *executable);
/* Whether it is the same file with the same content; false also if it is gone. */
bool lauka_executable_is_same(const char *path, const struct lauka_executable *known);
/* Whether that file or another one has the same content; false also if it cannot be read. */
bool lauka_executable_has_same_content(const char *path, const struct lauka_executable *known);

/* Of the whole file. False where it cannot be read. */
bool lauka_executable_hash(const char *path, uint8_t digest[LAUKA_SHA256_SIZE]);

/* ---- executable.c: which build a program is ----------------------------------------------------- */

#define LAUKA_BUILD_ID_SIZE 129

/* The program's build ID (ELF) or UUID (Mach-O), in hexadecimal digits. False and "" if it has none, or is
 * no such file. Moves the file's position. */
bool lauka_build_id_find(FILE *file, char text[LAUKA_BUILD_ID_SIZE]);

/* ---- command.c: text or argument vector -> what to execute ----------------------------------- */

/* What runs around a command, always in a shell, and is never measured. */
enum lauka_hook {
    LAUKA_HOOK_SETUP,    /* once, before its first run */
    LAUKA_HOOK_PREPARE,  /* before every run */
    LAUKA_HOOK_CONCLUDE, /* after every run */
    LAUKA_HOOK_CLEANUP,  /* once, after its last run */
    LAUKA_HOOKS          /* how many there are */
};

/* Where a command's standard output goes. The end of its standard error is kept and, with
 * LAUKA_OUTPUT_INHERIT, goes to lauka's own, too. */
enum lauka_output_way {
    LAUKA_OUTPUT_NULL,    /* /dev/null, which some programs notice, and do less */
    LAUKA_OUTPUT_PIPE,    /* read and thrown away by lauka */
    LAUKA_OUTPUT_INHERIT, /* lauka's own */
    LAUKA_OUTPUT_FILE,    /* emptied before each run */
    LAUKA_OUTPUT_KEPT,    /* read by lauka: lauka_launcher_listen */
};

/* A figure that each run of a command reports itself: --read. */
struct lauka_figure {
    char *name;
    const struct lauka_figure_unit *unit; /* static: see figure.c */
    const char *
        pattern; /* the regular expression that finds it in stdout; NULL: the command writes it to the
                          * descriptor of LAUKA_REPORT_FD */
};

/* All that it points to is borrowed, mostly from its arena. */
struct lauka_command {
    struct lauka_arena *arena; /* of what is found out about it later */
    char *label;               /* as typed, or the argv quoted for a shell */
    char *side;                /* what it is called in all benchmarks; the label where there is one
                         * benchmark that nobody named */
    char **argv;               /* NULL-terminated, at least one */
    char *path;                /* the file to execute, found along PATH; NULL where there is none */
    char **environment;        /* NULL-terminated, or NULL: K=V beside lauka's own */
    char *directory;           /* absolute; NULL: lauka's own. Where it runs, and is looked for */
    enum lauka_output_way output;
    char *output_file;     /* of LAUKA_OUTPUT_FILE */
    char *input_file;      /* opened anew for each run; NULL: /dev/null */
    bool expects;          /* it succeeds with the expected codes only; otherwise see options */
    uint8_t expected[32];  /* a bit for each exit code */
    uint64_t items, bytes; /* that a run gets through; 0: not said */
    struct lauka_figure *figures; /* each name once */
    size_t figure_count;
    bool reports;        /* some of them through LAUKA_REPORT_FD */
    uint64_t timeout_ns; /* after which a run is ended, and has failed; 0: never */
    struct lauka_parameter_value *parameters; /* what {NAME} stood for */
    size_t parameter_count;
    char *hooks[LAUKA_HOOKS]; /* texts for a shell; NULL: none */
    char *
        link; /* for a shell: builds argv[0] of a layout, with {layout} and {out}; NULL: it is there */
    struct lauka_pretence
        *pretence; /* the words that tell simulated:effects its cost; NULL if there are none */
    bool is_hook;  /* itself: run uncounted */
};

/* Splits by the shell's quoting rules (POSIX 2.2: backslash, single and double quotes). Characters that
 * are special only to a shell are an error that shows both ways out. */
bool lauka_command_parse(struct lauka_arena *arena, const char *text, struct lauka_command *command,
                         struct lauka_error *error);

/* A command of ready arguments, which are borrowed. count is at least 1. */
bool lauka_command_from_argv(struct lauka_arena *arena, char *const *argv, size_t count,
                             struct lauka_command *command, struct lauka_error *error);

/* `text` as one script for the shell: argv is {shell's words..., "-c", text}. */
bool lauka_command_for_shell(struct lauka_arena *arena, const char *shell, const char *text,
                             struct lauka_command *command, struct lauka_error *error);

/* Looks up argv[0] as env(1) -C directory would, along the PATH that the command gets, and sets path.
 * Fails with LAUKA_EXIT_COMMAND_FAILED. */
bool lauka_command_locate(struct lauka_command *command, struct lauka_error *error);

/* The PATH along which that looks. Borrowed from the command, the environment, or static. */
const char *lauka_command_search_path(const struct lauka_command *command);

/* The program that a command of this one word would execute. Owned by the caller; NULL if there is none,
 * or no memory. */
char *lauka_command_find(const char *name);
bool lauka_command_exists(const char *name);

/* The argument vector as text that a POSIX shell splits into the same words. NULL if there is no memory. */
char *lauka_quote_argv(struct lauka_arena *arena, char *const *argv, size_t count);

/* ---- pattern.c: the regular expressions of --read --------------------------------------------- */

/* A POSIX extended regular expression (POSIX.1-2017, XBD 9.4) of bytes with exactly one group; no match goes beyond a
 * line but where it says so. Owned by the caller. NULL: why not, which names what to write instead. */
struct lauka_pattern;
struct lauka_pattern *lauka_pattern_make(const char *text, char *why, size_t size);
void lauka_pattern_free(struct lauka_pattern *pattern); /* NULL: nothing is done */

/* ---- search.c: its last match in a text that comes in pieces ----------------------------------- */

enum {
    LAUKA_SEARCH_LONGEST = 1 << 20, /* B: no match is longer */
    LAUKA_SEARCH_VALUE = 64         /* B that are kept of its group */
};

enum lauka_search_end {
    LAUKA_SEARCH_NOTHING, /* matches */
    LAUKA_SEARCH_FOUND,
    LAUKA_SEARCH_LONG,    /* what could be a match is longer than LAUKA_SEARCH_LONGEST */
    LAUKA_SEARCH_ENDLESS, /* so much has to be looked at again and again that it was given up */
    LAUKA_SEARCH_STOPPED, /* it was not to go on */
};

/* Of one text after the other; the pattern is borrowed. goes_on is asked now and then; NULL: it always does. NULL
 * without memory. Neither time nor memory depend on more than the product of both sizes. */
struct lauka_search;
struct lauka_search *lauka_search_open(const struct lauka_pattern *pattern,
                                       bool (*goes_on)(void *context), void *context);
void lauka_search_begin(struct lauka_search *search); /* with the next text */
void lauka_search_close(struct lauka_search *search);

struct lauka_window { /* a part of the text */
    const char *bytes;
    uint64_t begin; /* where it lies in the text */
    size_t size;
    bool ends; /* nothing follows it */
};

/* Searches as far as the window goes. Returns where the next one has to begin at the latest. */
uint64_t lauka_search_run(struct lauka_search *search, const struct lauka_window *window);

/* Once the last window was searched: the group of the last match, without a NUL; at most LAUKA_SEARCH_VALUE of it.
 * Borrowed. */
enum lauka_search_end lauka_search_result(const struct lauka_search *search, const char **value,
                                          size_t *length);

/* ---- figure.c: what commands report themselves ----------------------------------------------- */

enum { LAUKA_FIGURES_MAX = 32 };

struct lauka_figure_unit { /* as people write it */
    const char *typed;
    const char *unit; /* of the metric: factor times a number in the typed one */
    double factor;
    int decimals; /* values are in units of 10^-decimals, or smaller ones: see powers.c */
    enum lauka_better better;
};

/* Between these, or 0, is a figure that can be kept, in the unit of its metric. */
#define LAUKA_FIGURE_LEAST 1e-30
#define LAUKA_FIGURE_MOST 1e30

/* NULL if there is none of that name. Static. */
const struct lauka_figure_unit *lauka_figure_unit_find(const char *text, size_t length);

/* Of a quantity that is typed as an option, a limit or a cost: a time from ns to s, a size up to GiB, or a number,
 * whose unit is "1", with k, K, M, G or "" behind it. Only its unit and factor are known. NULL if there is none.
 * Static. */
const struct lauka_figure_unit *lauka_quantity_unit(const char *text, size_t length);

/* Their names, separated by commas. */
void lauka_figure_units_list(char *text, size_t size);

/* A number in the typed unit, as one in the unit of the metric. NULL, or what it should have been: neither negative
 * nor infinite, within the limits above, and a decimal number. Static. */
const char *lauka_figure_value(const char *text, size_t length,
                               const struct lauka_figure_unit *unit, double *value);

/* Everything that the commands report, each name once, in the order in which they were given: the
 * session's metrics. Borrowed from the commands. Returns how many. */
size_t lauka_figures_find(const struct lauka_command *commands, size_t command_count,
                          const struct lauka_figure *figures[LAUKA_FIGURES_MAX]);

#endif
