/* What all of runner shares: errors, files, signals, the clock. An error is worded once, near its
 * cause; main.c prints the one that ends lauka, and exits. */
#ifndef LAUKA_RUNNER_BASE_BASE_H
#define LAUKA_RUNNER_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* ---- error.c: an error is worded where it happens and printed in one way --------------------- */

enum lauka_exit {
    /* exit codes of the program */
    LAUKA_EXIT_DONE = 0,
    LAUKA_EXIT_INTERNAL = 1, /* lauka itself failed */
    LAUKA_EXIT_USAGE = 2,
    LAUKA_EXIT_REGRESSION = 3,   /* a gate limit is exceeded */
    LAUKA_EXIT_INCONCLUSIVE = 4, /* --inconclusive=fail, and the gate is inconclusive */
    LAUKA_EXIT_COMMAND_FAILED = 5,
    LAUKA_EXIT_HOST = 6,     /* this machine cannot do what was requested */
    LAUKA_EXIT_SIGNAL = 128, /* add the number of the signal that interrupted lauka */
};

/* An error in one line: what failed, where, what to do. Empty: nothing to report. */
struct lauka_error {
    enum lauka_exit code;
    char text[1024];
};

/* Fills in the error. Always returns false, so that callers can `return lauka_fail(...)`. */
bool lauka_fail(struct lauka_error *error, enum lauka_exit code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for what was typed or written wrongly: LAUKA_EXIT_USAGE. */
bool lauka_misuse(struct lauka_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same when memory runs out. */
bool lauka_fail_memory(struct lauka_error *error);

/* The same when stdout did not take all output; failure: the errno. If its reader is gone (| head), the
 * message is empty, and the exit code is the one a shell gives for a program ended by SIGPIPE. */
bool lauka_fail_stdout(struct lauka_error *error, int failure);

/* Prints it on stderr, escaped: as one line, or on a screen as wide as that is. */
void lauka_error_print(const struct lauka_error *error);

/* The same for a note that every benchmark of a session may repeat: each text is printed once. */
void lauka_note_print(const struct lauka_error *note);

/* ---- own_file.c: files that lauka writes, also where others can write ------------------------ */

/* open(2) for writing, which creates the file if needed; further `flags`: O_EXCL, O_TRUNC, O_APPEND. In
 * a world-writable directory it follows no link (ELOOP), and if that is sticky, like /tmp, it uses
 * nobody else's file (EEXIST). Returns a close-on-exec descriptor, or -1 with errno. */
int lauka_own_file_open(const char *path, int flags);

/* The same without flags. It waits until a FIFO has a reader, and prints a line on stderr that
 * names the option. EINTR: lauka was interrupted meanwhile. */
int lauka_own_file_await(const char *path, const char *option);

/* The meaning of the errno, to follow "FILE: ". Static. */
const char *lauka_own_file_error(int error);

/* ---- folder.c: what is kept to be used again ---------------------------------------------- */

/* Makes the folder and its parents, for the user only, unless they exist. Returns its path without
 * links, owned by the caller. NULL and LAUKA_EXIT_HOST if others may write to it, or if a part of
 * the path belongs to another user (except root); the error begins with that part. *is_exposed:
 * others may write to a parent folder that is not sticky, so they could replace it at any time. */
char *lauka_own_folder_make(const char *path, bool *is_exposed, struct lauka_error *error);

/* The path of lauka's folder `name` in one of the user's base directories (XDG): "$VARIABLE/lauka/NAME", or below $HOME
 * "HOME/BELOW/lauka/NAME" if the variable has no absolute path. Owned by the caller; NULL without $HOME, or memory. */
char *lauka_user_folder(const char *variable, const char *below, const char *name);

/* Whether it is a folder owned by the user or root that nobody else could have made or can replace.
 * The second does the same for a plain file, or a link to one. */
bool lauka_own_folder_is_safe(const char *path);
bool lauka_own_file_is_safe(const char *path);

/* ---- folder.c: folders for the files of other programs ---------------------------------------- */

enum { LAUKA_FOLDER_SIZE = 400 };

/* Makes a folder in TMPDIR or /tmp that nobody else may enter; `purpose`, a short word, becomes
 * part of its name. Returns 0, or an errno and an empty name. */
int lauka_folder_make(const char *purpose, char folder[LAUKA_FOLDER_SIZE]);

/* Whether it is a folder, or a link to one. */
bool lauka_folder_exists(const char *path);

struct lauka_arena;

/* What is in a folder, also hidden names, in order: NULL-terminated, in the arena. NULL and errno. */
char **lauka_folder_names(struct lauka_arena *arena, const char *path);

/* Removes a file, a link, or a user's folder with its content, even if permissions are missing; it
 * neither follows links nor enters another file system. True also if there is none; false with errno. */
bool lauka_tree_remove(const char *path);

/* ---- file.c: a whole file, or standard input, as bytes --------------------------------------- */

/* Reads the whole file that a user names, which may be a FIFO; "-" is standard input. The caller owns
 * the text; NULL and the error on failure, also if a signal asks lauka to end before the file ends. */
char *lauka_file_read(const char *name, size_t *size, struct lauka_error *error);

/* For files made by other programs: opens a plain file for reading, directly or through a link. Other kinds give
 * -1 and EINVAL: a FIFO may have no writer, and a device no end. The stream is NULL then. Close-on-exec. */
int lauka_file_open_plain(const char *path);
FILE *lauka_file_stream(const char *path);

/* All of such a file, with a NUL behind it; owned by the caller. NULL and errno, which is EFBIG if it has more than `most`
 * bytes. size: may be NULL. */
char *lauka_file_read_plain(const char *path, size_t most, size_t *size);

/* Copies a plain file with its permissions (without set-uid and the like) and the time of its last change, to a path where
 * nothing is; on disk when it returns. Where the file system can, both share their blocks. Returns 0 or an errno: EINTR if
 * lauka was interrupted, EBUSY if the file changed meanwhile. Then there is no copy. */
int lauka_file_copy(const char *path, const char *to);

/* Writes a file that is whole or not there: under the name of a draft, in the same folder, in place of an older draft;
 * once it is on disk, it gets its own name, in place of another file. Others may not write to it. write: returns 0 or an
 * errno. Returns that or a further one; then there is no draft. */
int lauka_file_put(const char *draft, const char *path,
                   int (*write)(FILE *file, const void *context), const void *context);

/* Waits until the folder's names are on disk, if the file system can say so. Returns 0 or an errno: then what was done in
 * the folder is done, and an error ends with these words. */
int lauka_folder_sync(const char *path);
#define LAUKA_NOT_SYNCED "it is done, but a crash of the machine may still undo it"

/* linux/, macos/clone.c: makes a new file that shares the blocks of the other until one of them is written to. Returns its
 * descriptor, which may be only for reading; -1 with errno, and no file, if the file system cannot do it. */
int lauka_clone_file(int from, const char *path);

/* The length of a leading UTF-8 byte-order mark; the text begins after it. */
size_t lauka_file_mark(const char *bytes, size_t size);

/* ---- linux/, macos/anonymous_file.c ------------------------------------------------------------ */

/* Makes an empty unnamed file, open for reading and writing, close-on-exec. -1 and errno on failure. */
int lauka_anonymous_file(void);

/* ---- descriptors.c ---------------------------------------------------------------------------- */

/* Opens closed descriptors 0, 1 and 2 on nothing, so that none of our files takes their place;
 * writing to stdout then fails. Call it first in main. */
void lauka_guard_descriptors(void);

/* pipe(2), with both ends close-on-exec. Returns 0, or an errno with both ends -1. */
int lauka_pipe_open(int ends[2]);

/* Closes an end, which is -1 then; nothing if it already is. */
void lauka_pipe_close(int *end);

/* ---- error.c ---------------------------------------------------------------------------------- */

/* The number of words in a NULL-terminated list; 0 for NULL. */
size_t lauka_words_count(const char *const *words);

/* Joins two lists, neither of which is NULL: an owned, NULL-terminated array of borrowed words.
 * NULL without memory. */
char **lauka_words_join(const char *const *first, const char *const *second);

/* Whether two lists have the same words; NULL is an empty one. */
bool lauka_words_are_same(char *const *first, char *const *second);

/* For qsort(3): the order of two words in a list. */
int lauka_words_compare(const void *left, const void *right);

/* Writes two lower-case hexadecimal digits per byte and a NUL: text has room for 2 * count + 1. Returns text. */
char *lauka_hex_put(const uint8_t *bytes, size_t count, char *text);

/* Whether a path is the folder or lies in it. Does not resolve links. */
bool lauka_path_is_in(const char *path, const char *folder);

/* Whether a path from somewhere else stays below the folder that it is relative to: neither absolute nor with "..". */
bool lauka_path_is_below(const char *path);

/* ---- stack.c ---------------------------------------------------------------------------------- */

/* Checks that the stack limit leaves enough room for lauka, after the words and environment passed
 * to main. Fails with LAUKA_EXIT_INTERNAL. Call it first in main. */
bool lauka_stack_is_enough(char *const *words, char *const *environment, struct lauka_error *error);

/* ---- processes.c: signals to other processes, and waiting for them ---------------------------- */

struct rusage;

/* Whether the number means one process, and not init. Otherwise errno is ESRCH. The functions below
 * reject other numbers with it: for kill(2), -1 means every process of the user. */
bool lauka_pid_is_another(pid_t pid);

/* kill(2) for one process, or for the process group it leads. */
int lauka_signal_process(pid_t pid, int number);
int lauka_signal_group(pid_t leader, int number);

/* wait4(2) for one child; `status` and `usage` may be NULL. The second resumes after signals. */
pid_t lauka_wait_for_process(pid_t pid, int *status, int options, struct rusage *usage);
pid_t lauka_await_process(pid_t pid, int *status, int options, struct rusage *usage);

/* Reaps a child that has ended. Returns its number, 0 if none has ended, or -1 with errno if there are none. */
pid_t lauka_reap_any(int *status, struct rusage *usage);

/* Waits like waitid(2) with these options, but does not reap the child. Returns true if its state
 * changed as they ask, or if it cannot be waited for. */
bool lauka_look_at_process(pid_t pid, int options);

/* ---- child.c: other programs that lauka runs for itself --------------------------------------- */

struct lauka_child {              /* all borrowed */
    const char *path;             /* file to execute */
    const char *const *arguments; /* NULL-terminated, like environment */
    const char *const *environment;
    const char *directory; /* to run in; NULL: lauka's working directory */
    int input;             /* descriptor for stdin; 0: nothing to read */
    int output, error;     /* descriptors for stdout and stderr; -1: discarded */
};

/* Returns its number after exec, or -1 with errno if it cannot run. It cannot prompt anybody. It dies
 * with lauka in any case, together with all processes it started (on macOS: its process group). */
pid_t lauka_child_start(const struct lauka_child *child);

/* Finds a program along PATH, only in absolute directories: never in the directory being measured. */
bool lauka_child_find(const char *name, char *path, size_t size);

/* Whether it is an executable file. */
bool lauka_child_can_be(const char *path);

/* Waits until it ends. False if lauka was interrupted and has ended it. */
bool lauka_child_await(pid_t pid, int *status);

/* ---- child.c: such programs from their start to their answer ---------------------------------- */

struct lauka_answer {
    char *text;  /* borrowed; `room` bytes and a NUL for the program's stdout */
    size_t room; /* bytes */
    size_t size;
    bool cut; /* there was more output, so the program was ended */
    int code; /* exit code; -1: none, not started, or not ended in time */
};

/* Runs the program, without regard to the members output and error, and waits for its end: until a
 * time of lauka_now_ns, or until lauka is interrupted. On return it has ended, with all processes
 * it started. */
void lauka_helper_ask(const struct lauka_child *helper, uint64_t until_ns,
                      struct lauka_answer *answer);

#define LAUKA_HELPER_PATIENCE_NS UINT64_C(5000000000)

/* Runs a program found along PATH for no longer than that; words[0] is its name. Copies what it writes to stdout, as far as
 * it fits into `size` bytes with a NUL. False if it does not exist or writes nothing. */
bool lauka_helper_says(const char *const *words, char *text, size_t size);

struct lauka_helpers {
    size_t count, at_once; /* total, and at most how many at once, at least 1 */
    /* Starts the helper with this number. *pid stays 0 if there is nothing to do. */
    bool (*begin)(void *context, size_t number, pid_t *pid, struct lauka_error *error);
    /* Called when it has ended, with its status of wait(2). */
    bool (*end)(void *context, size_t number, int status, struct lauka_error *error);
    /* Called repeatedly with the number of finished helpers; NULL: show nothing. */
    void (*show)(void *context, size_t done);
    void *context;
    size_t done; /* set by the function below; less than count after an interruption */
};

/* Runs all of them. False if one has failed; it then ends the others, as after an interruption. */
bool lauka_helpers_run(struct lauka_helpers *helpers, struct lauka_error *error);

/* Milliseconds until a time of lauka_now_ns, for poll(2): rounded up, 0 when it has come. */
int lauka_left_ms(uint64_t until_ns);

/* Prints the lines of a text on stderr, each with a mark that distinguishes it from lauka's; at most 8 KiB per line. */
void lauka_helper_show_lines(const char *text);

/* Prints the last 20 lines of a file, at most 8 KiB, in the same way. The file is open for reading. */
void lauka_helper_show_tail(FILE *file);

enum { LAUKA_TAIL = 4096 };
struct lauka_tail {             /* empty when zeroed */
    char bytes[LAUKA_TAIL + 1]; /* the last output, NUL-terminated, with blanks for NULs */
    size_t size;
};
void lauka_tail_add(struct lauka_tail *tail, const char *bytes, size_t size);

/* ---- linux/children.c -------------------------------------------------------------------------- */

/* Calls `one` for each live child of this process, perhaps more than once. oldest: a process started
 * before all of them, which saves time where /proc has no list of children; 0: the caller. */
void lauka_children_visit(pid_t oldest, void (*one)(void *context, pid_t pid), void *context);

/* ---- linux/, macos/orphans.c: processes whose parent has ended --------------------------------- */

/* From now on, orphaned descendants become children of the calling process, if the system supports this. */
void lauka_orphans_adopt(void);

/* Kills each child of the calling process. It may get new ones as a result. */
void lauka_orphans_kill(void);

/* Makes the calling process die with its parent, if the system supports this. False: the parent is already dead. */
bool lauka_orphans_bind(pid_t parent);

/* ---- interrupt.c: signals that ask for the end become something that poll(2) can wait for ---- */

/* The numbers of those signals. Static. */
const int *lauka_interrupt_numbers(size_t *count);

/* Call it once, and only in lauka's own process. Returns 0 or an errno. */
int lauka_interrupt_install(void);

/* From now on, a signal does not interrupt a write to a full pipe; a second SIGINT or SIGTERM ends lauka
 * at once, because the pipe may have no reader. Call it when nothing else needs to be ended. */
void lauka_interrupt_let_write(void);

/* The signal that asked lauka to end; 0 if none did. */
int lauka_interrupt_signal(void);

/* lauka's exit code after this signal. */
enum lauka_exit lauka_interrupt_exit(void);

/* How many such signals have come; the second one means "now". */
int lauka_interrupt_count(void);

/* Becomes readable when a signal comes; -1 before install. Never read it. */
int lauka_interrupt_descriptor(void);

/* Becomes readable when a child stops or ends, until that is cleared; -1 before install. */
int lauka_interrupt_children(void);
void lauka_interrupt_forget_children(void);

/* ---- linux/, macos/clock.c: the clock of all durations --------------------------------------- */

/* The time of a monotonic clock in ns. */
uint64_t lauka_now_ns(void);

/* The step of this clock in ns, as the system reports it, rounded up; 0 if it does not report it. */
uint64_t lauka_clock_resolution_ns(void);

#endif
