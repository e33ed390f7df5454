/* What the whole runner shares: errors, files, signals, the clock. An error is worded once, near its
 * cause; only main.c prints errors and exits. */
#ifndef LAUKA_RUNNER_BASE_BASE_H
#define LAUKA_RUNNER_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* ---- error.c: an error is worded where it happens and printed in one way --------------------- */

enum lauka_exit {
    /* what the program's exit code means */
    LAUKA_EXIT_DONE = 0,
    LAUKA_EXIT_INTERNAL = 1, /* lauka itself failed */
    LAUKA_EXIT_USAGE = 2,
    LAUKA_EXIT_REGRESSION = 3,   /* a limit of the gate is exceeded */
    LAUKA_EXIT_INCONCLUSIVE = 4, /* --inconclusive=fail, and it is */
    LAUKA_EXIT_COMMAND_FAILED = 5,
    LAUKA_EXIT_HOST = 6,     /* this machine cannot do what was asked for */
    LAUKA_EXIT_SIGNAL = 128, /* plus the number of the signal that interrupted lauka */
};

/* What went wrong, in one line: what, where, what to do. Empty: there is nothing to say. */
struct lauka_error {
    enum lauka_exit code;
    char text[1024];
};

/* Fills the error; always returns false, so that a caller can `return lauka_fail(...)`. */
bool lauka_fail(struct lauka_error *error, enum lauka_exit code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same if memory runs out. */
bool lauka_fail_memory(struct lauka_error *error);

/* The same where stdout took not all that was written to it: the errno. If nobody reads it any more (| head), there is
 * nothing to say, and the exit code is a shell's of a program that SIGPIPE ended. */
bool lauka_fail_stdout(struct lauka_error *error, int failure);

/* As one line on stderr, escaped. */
void lauka_error_print(const struct lauka_error *error);

/* The same for a note that every benchmark of a session may produce: a text is printed once. */
void lauka_note_print(const struct lauka_error *note);

/* ---- own_file.c: files that lauka writes, also where others can write ------------------------ */

/* open(2) for writing, creating the file if need be; further `flags`: O_EXCL, O_TRUNC, O_APPEND. In a
 * directory that everybody may write to, no link is followed (ELOOP); if it is sticky, like /tmp, nobody
 * else's file is used (EEXIST). Returns the descriptor, closed by exec; or -1 with errno. */
int lauka_own_file_open(const char *path, int flags);

/* The same without flags. If nobody reads a FIFO, it waits, with a line on stderr that names the option.
 * EINTR: lauka was interrupted meanwhile. */
int lauka_own_file_await(const char *path, const char *option);

/* What the errno means, to be put behind "FILE: ". Static. */
const char *lauka_own_file_error(int error);

/* ---- folder.c: what is kept to be used again ---------------------------------------------- */

/* Makes the folder, with all above it, for the user only, unless it is there. Returns where it is, without links,
 * owned by the caller. NULL, and LAUKA_EXIT_HOST, if it is writable for others, or if something on the way belongs to
 * another user (other than root): the error begins with what that is. *is_exposed: others may write to a folder above
 * it, which is not sticky, so they could exchange it at any time. */
char *lauka_own_folder_make(const char *path, bool *is_exposed, struct lauka_error *error);

/* Whether it is a folder of the user's or root's, which nobody else could have made or can exchange; the same of a
 * plain file, or a link to one. */
bool lauka_own_folder_is_safe(const char *path);
bool lauka_own_file_is_safe(const char *path);

/* An empty file without a name, open for reading and writing, closed by exec. -1 and errno on failure. */
int lauka_anonymous_file(void);

/* ---- folder.c: folders for the files of other programs ---------------------------------------- */

enum { LAUKA_FOLDER_SIZE = 400 };

/* Makes a folder that nobody else may enter, in TMPDIR or /tmp; `purpose`, a short word, is part of its
 * name. Returns 0, or an errno; the name is then "". */
int lauka_folder_make(const char *purpose, char folder[LAUKA_FOLDER_SIZE]);

/* Removes a file or link, or a folder of the user's with all in it, whose rights may be missing; links are not
 * followed, nor is another file system entered. True where there is none; false with errno. */
bool lauka_tree_remove(const char *path);

/* ---- file.c: a whole file, or standard input, as bytes --------------------------------------- */

/* The whole file that a user names, which may be a FIFO; "-" is standard input. Owned by the caller; NULL and the
 * error on failure, also if a signal asks lauka to end before the file does. */
char *lauka_file_read(const char *name, size_t *size, struct lauka_error *error);

/* For files that other programs have made: opens a plain file for reading, or one that a link leads to. A FIFO may have
 * no writer, and a device no end: -1, with errno EINVAL. The stream is NULL then. Closed by exec. */
int lauka_file_open_plain(const char *path);
FILE *lauka_file_stream(const char *path);

/* These bytes of malloc's memory are not needed any more, although they are not freed: returns whole pages
 * of them to the system. */
void lauka_file_forget(const char *bytes, size_t size);

/* The number of leading bytes that are a UTF-8 byte-order mark; the text begins behind it. */
size_t lauka_file_mark(const char *bytes, size_t size);

/* ---- descriptors.c ---------------------------------------------------------------------------- */

/* Opens closed descriptors 0, 1 and 2 onto nothing, so that no file of ours becomes one of them; writing
 * to stdout then fails. Call it first in main. */
void lauka_guard_descriptors(void);

/* pipe(2), both ends closed by exec. Returns 0, or an errno; both ends are -1 then. */
int lauka_pipe_open(int ends[2]);

/* ---- error.c ---------------------------------------------------------------------------------- */

/* How many words a list has, whose end is NULL; NULL is a list of none. */
size_t lauka_words_count(const char *const *words);

/* The words of both lists, neither of which is NULL: an owned array of borrowed words, ended by NULL. NULL without
 * memory. */
char **lauka_words_join(const char *const *first, const char *const *second);

/* Two small hexadecimal digits for each byte, and a 0: the text has room for 2 * count + 1. Returns the text. */
char *lauka_hex_put(const uint8_t *bytes, size_t count, char *text);

/* Whether a path is the folder's, or begins with it. Links are not looked at. */
bool lauka_path_is_in(const char *path, const char *folder);

/* ---- stack.c ---------------------------------------------------------------------------------- */

/* Whether the limit of the stack leaves room for what lauka does, behind the words and the environment that main got.
 * Fails with LAUKA_EXIT_INTERNAL. Call it first in main. */
bool lauka_stack_is_enough(char *const *words, char *const *environment, struct lauka_error *error);

/* ---- processes.c: signals to other processes, and waiting for them ---------------------------- */

struct rusage;

/* Whether the number is that of one process other than init. Otherwise errno is ESRCH. The functions below refuse all
 * others with it: to kill(2), -1 means every process of the user. */
bool lauka_pid_is_another(pid_t pid);

/* kill(2) of one process; of the group that it leads. */
int lauka_signal_process(pid_t pid, int number);
int lauka_signal_group(pid_t leader, int number);

/* wait4(2) for one child; `status` and `usage` may be NULL. The second one goes on when a signal interrupts it. */
pid_t lauka_wait_for_process(pid_t pid, int *status, int options, struct rusage *usage);
pid_t lauka_await_process(pid_t pid, int *status, int options, struct rusage *usage);

/* Reaps whichever child has ended already: its number, 0 if none has, -1 with errno if there are none. */
pid_t lauka_reap_any(int *status, struct rusage *usage);

/* Waits as waitid(2) does with these options, but leaves the child to be reaped. Whether it came to what they ask for,
 * or cannot be waited for. */
bool lauka_look_at_process(pid_t pid, int options);

/* ---- child.c: other programs that lauka runs for itself --------------------------------------- */

struct lauka_child {              /* all borrowed */
    const char *path;             /* of the file to execute */
    const char *const *arguments; /* NULL-terminated, as is the other */
    const char *const *environment;
    const char *directory; /* to run in; NULL: lauka's own */
    int input;             /* what it reads as stdin; 0: nothing */
    int output, error;     /* where its stdout and stderr lead; -1: nowhere */
};

/* Returns its number once it is executed, -1 with errno where it cannot be. It can ask nobody, and it ends when
 * lauka does, however that comes, with everything that it has started (on macOS: with its process group). */
pid_t lauka_child_start(const struct lauka_child *child);

/* The path of a program along PATH, in absolute directories only: never in the directory being measured. */
bool lauka_child_find(const char *name, char *path, size_t size);

/* Whether it is a file that may be executed. */
bool lauka_child_can_be(const char *path);

/* Waits for its end. False if lauka was interrupted, and has ended it. */
bool lauka_child_await(pid_t pid, int *status);

/* ---- child.c: such programs from their start to their answer ---------------------------------- */

struct lauka_answer {
    char *text;  /* borrowed room for that many bytes and a 0: what the program wrote to stdout */
    size_t room; /* bytes */
    size_t size;
    bool cut; /* there was more; the program was ended then */
    int code; /* its exit code; -1: it has none, did not start, or did not end in time */
};

/* Executes the program, whose output and error are not looked at here, and waits for its end: until a time of
 * lauka_now_ns, or until lauka is interrupted. When this returns, it has ended, and so has everything that it started.
 * */
void lauka_helper_ask(const struct lauka_child *helper, uint64_t until_ns,
                      struct lauka_answer *answer);

struct lauka_helpers {
    size_t count, at_once; /* at least 1 at once */
    /* Starts the one of that number. *pid stays 0 where nothing is to be done. */
    bool (*begin)(void *context, size_t number, pid_t *pid, struct lauka_error *error);
    /* It has ended, with this status of wait(2). */
    bool (*end)(void *context, size_t number, int status, struct lauka_error *error);
    /* Called again and again with the number of those that are done; NULL: nothing is shown. */
    void (*show)(void *context, size_t done);
    void *context;
    size_t done; /* set by the function below; less than count if lauka was interrupted */
};

/* Runs all of them. False if one has failed; the others are ended then, as they are if lauka is interrupted. */
bool lauka_helpers_run(struct lauka_helpers *helpers, struct lauka_error *error);

/* Milliseconds from now until a time of lauka_now_ns, for poll(2): rounded up, 0 once it has come. */
int lauka_left_ms(uint64_t until_ns);

/* The lines of a text on stderr, each marked, so that none is mistaken for one of lauka's; of each at most 8 KiB. */
void lauka_helper_show_lines(const char *text);

/* The last 20 lines of a file, or as many as 8 KiB hold, in the same way. The file is open for reading. */
void lauka_helper_show_tail(FILE *file);

enum { LAUKA_TAIL = 4096 };
struct lauka_tail {             /* zeroed: empty */
    char bytes[LAUKA_TAIL + 1]; /* what was written last; a 0 follows */
    size_t size;
};
void lauka_tail_add(struct lauka_tail *tail, const char *bytes, size_t size);

/* ---- linux/children.c -------------------------------------------------------------------------- */

/* Calls it for each child of this process that lives, perhaps more than once. oldest: one whose number was given before
 * theirs, which spares time where /proc does not tell; 0: the caller. */
void lauka_children_visit(pid_t oldest, void (*one)(void *context, pid_t pid), void *context);

/* ---- linux/, macos/orphans.c: processes whose parent has ended --------------------------------- */

/* From here on those of the calling process's descendants become its children, where the system can do that. */
void lauka_orphans_adopt(void);

/* Kills each child of the calling process. It may get others thereby. */
void lauka_orphans_kill(void);

/* The calling process dies with its parent, where the system can do that. False: that has ended already. */
bool lauka_orphans_bind(pid_t parent);

/* ---- interrupt.c: signals that ask for the end become something that poll(2) can wait for ---- */

/* The names of those signals. Static. */
const int *lauka_interrupt_numbers(size_t *count);

/* Call it once, only in lauka's own process. Returns 0 or an errno. */
int lauka_interrupt_install(void);

/* From here on a signal does not tear a hole into what is written to a pipe that is full; a second SIGINT or SIGTERM
 * ends lauka at once, because nobody may ever read that pipe. Call it when nothing is left to be ended. */
void lauka_interrupt_let_write(void);

/* The number of the signal that asked lauka to end; 0 if none did. */
int lauka_interrupt_signal(void);

/* The exit code of a lauka that the signal interrupted. */
enum lauka_exit lauka_interrupt_exit(void);

/* How many such signals have come: the second one means "now". */
int lauka_interrupt_count(void);

/* Readable once a signal has come; -1 before install. Never read it. */
int lauka_interrupt_descriptor(void);

/* Readable when a child was stopped or has ended, until that is forgotten; -1 before install. */
int lauka_interrupt_children(void);
void lauka_interrupt_forget_children(void);

/* ---- linux/, macos/clock.c: the clock of all durations --------------------------------------- */

/* Monotonic nanoseconds. */
uint64_t lauka_now_ns(void);

/* Nanoseconds between two readings that differ, as the system tells of this clock: rounded up; 0 where it does not. */
uint64_t lauka_clock_resolution_ns(void);

#endif
