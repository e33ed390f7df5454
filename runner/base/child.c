/* Other programs that lauka runs for itself and does not measure. Each has its own session, so it
 * has no terminal for prompts. Its number is its keeper's, a process between lauka and the program,
 * which ends as the program did. The keeper ends the program and everything it started when lauka
 * asks for it, or has ended itself. A killed lauka cannot do that, and a death signal (prctl(2))
 * would only reach the program. A keeper learns of lauka's end by a pipe whose other end only lauka
 * has. Meanwhile it keeps lauka's descriptors open, so a lock lasts until nothing runs any more. */
#include "runner/base/base.h"
#include "report/text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KEEPER_PATIENCE_NS UINT64_C(3000000000) /* with processes that the kernel does not let go */

/* A handler can only communicate through file-scope variables. */
static volatile sig_atomic_t asked;

static void on_signal(int number)
{
    if (number == SIGTERM)
        asked = 1;
}

/* Signals come only while the keeper waits. */
static void take_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGCHLD, &action, NULL);
}

/* ---- the program ------------------------------------------------------------------------------------- */

/* As a program expects them at its start. */
static void restore_signals(void)
{
    static const int others[] = {SIGCHLD, SIGPIPE, SIGXFSZ};
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigset_t none;
    size_t count;
    const int *numbers = lauka_interrupt_numbers(&count);

    sigemptyset(&standard.sa_mask);
    for (size_t i = 0; i < count; i++)
        sigaction(numbers[i], &standard, NULL);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        sigaction(others[i], &standard, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void tell(int told, int failure)
{
    (void)!write(told, &failure, sizeof failure);
}

/* It has a group of its own: what signals that, as a shell script may do, must not reach the keeper. */
_Noreturn static void become(const struct lauka_child *child, pid_t keeper, int told)
{
    int null = open("/dev/null", O_RDWR), input = child->input > 0 ? child->input : null,
        output = child->output >= 0 ? child->output : null,
        error = child->error >= 0 ? child->error : null;

    setpgid(0, 0);
    restore_signals();
    bool bound = lauka_orphans_bind(keeper);
    if (bound && null >= 0 && dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
        dup2(error, STDERR_FILENO) >= 0 && (!child->directory || chdir(child->directory) == 0)) {
        if (null > STDERR_FILENO)
            close(null);
        /* Neither is changed. */
        execve(child->path, (char *const *)child->arguments, (char *const *)child->environment);
    }
    tell(told, errno);
    _exit(127);
}

/* Reaps the program, and what it left behind. Returns the program's status, -1 while it runs; *any: whether
 * anything is left. */
static int reap(pid_t program, bool *any)
{
    int status, its_own = -1;
    pid_t pid;

    while ((pid = lauka_reap_any(&status, NULL)) > 0)
        its_own = pid == program ? status : its_own;
    *any = pid == 0;
    return its_own;
}

/* Ends it with everything that it has started, in whatever group that is. */
_Noreturn static void end(pid_t program)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    uint64_t until_ns = lauka_now_ns() + KEEPER_PATIENCE_NS;
    bool any = true;

    lauka_signal_group(program, SIGKILL);
    for (reap(program, &any); any && lauka_now_ns() < until_ns; reap(program, &any)) {
        lauka_orphans_kill();
        nanosleep(&moment, NULL);
    }
    _exit(128 + SIGKILL);
}

/* With the same status. What it left in its group is ended; a server in a group of its own lives on. */
_Noreturn static void end_as(pid_t program, int status)
{
    const struct rlimit none = {0, 0};
    sigset_t all;

    lauka_signal_group(program, SIGKILL);
    if (WIFSIGNALED(status)) {
        setrlimit(RLIMIT_CORE, &none); /* it is the program's end that may leave one */
        signal(WTERMSIG(status), SIG_DFL);
        sigfillset(&all);
        sigprocmask(SIG_UNBLOCK, &all, NULL);
        raise(WTERMSIG(status));
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

/* ---- the keeper ---------------------------------------------------------------------------------------- */

/* Of lauka's descriptors only those that nobody waits for the end of. */
static void let_go(const struct lauka_child *child, int lifeline)
{
    int null = open("/dev/null", O_RDWR);

    if (child->output > STDERR_FILENO)
        close(child->output);
    if (child->error > STDERR_FILENO && child->error != child->output)
        close(child->error);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    dup2(lifeline, STDIN_FILENO); /* select(2) knows low numbers only */
    if (null > STDERR_FILENO)
        close(null);
}

/* Whether the program is to go on once something has happened. */
static bool await_event(void)
{
    sigset_t heard;
    fd_set lifeline;

    sigfillset(&heard);
    sigdelset(&heard, SIGTERM);
    sigdelset(&heard, SIGCHLD);
    FD_ZERO(&lifeline);
    FD_SET(STDIN_FILENO, &lifeline);
    return pselect(STDIN_FILENO + 1, &lifeline, NULL, NULL, NULL, &heard) <= 0 && !asked;
}

/* Becomes the keeper. lifeline: a pipe whose end is lauka's. told: a pipe closed by exec, which gets an errno where
 * the program cannot begin. */
_Noreturn static void serve_as_keeper(const struct lauka_child *child, int lifeline, int told)
{
    pid_t keeper = getpid();
    bool any;

    setsid();
    take_signals();
    lauka_orphans_adopt();
    pid_t program = fork();
    if (program == 0)
        become(child, keeper, told);
    if (program < 0) {
        tell(told, errno);
        _exit(127);
    }
    setpgid(program, program); /* whoever comes first */
    close(told);
    let_go(child, lifeline);
    do {
        int status = reap(program, &any);
        if (status != -1)
            end_as(program, status);
    } while (await_event());
    end(program);
}

/* ---- of lauka itself ----------------------------------------------------------------------------- */

/* A keeper ends within it, unless processes are left that the kernel does not let go. */
#define PATIENCE_NS UINT64_C(2000000000)

bool lauka_child_can_be(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

bool lauka_child_find(const char *name, char *path, size_t size)
{
    const char *places = getenv("PATH");

    for (size_t length; places && *places; places += length + (places[length] == ':')) {
        length = strcspn(places, ":");
        int written = snprintf(path, size, "%.*s/%s", (int)length, places, name);
        if (*places == '/' && written > 0 && (size_t)written < size && lauka_child_can_be(path))
            return true;
    }
    return false;
}

/* ---- its start and its end --------------------------------------------------------------------------- */

/* Why its program did not begin; 0 once it has. */
static int hear(int told)
{
    int failure = 0;
    ssize_t got;

    do
        got = read(told, &failure, sizeof failure);
    while (got < 0 && errno == EINTR);
    return got < 0 ? errno : failure;
}

/* Ends it as lauka's end would. It does not wait long for processes that the kernel does not let go. */
static void child_end(pid_t pid)
{
    uint64_t until_ns = lauka_now_ns() + PATIENCE_NS;

    lauka_signal_process(pid, SIGTERM);
    lauka_signal_process(pid, SIGCONT); /* the program may have stopped its keeper */
    while (lauka_await_process(pid, NULL, WNOHANG, NULL) == 0 && lauka_now_ns() < until_ns)
        poll(NULL, 0, 1);
}

pid_t lauka_child_start(const struct lauka_child *child)
{
    static int lifeline[2] = {-1, -1}; /* nobody but lauka has its second end */
    int told[2];

    int failure = lifeline[0] < 0 ? lauka_pipe_open(lifeline) : 0;
    if (failure || (failure = lauka_pipe_open(told)) != 0) {
        errno = failure;
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0) {
        close(lifeline[1]);
        serve_as_keeper(child, lifeline[0], told[1]);
    }
    failure = pid < 0 ? errno : 0;
    close(told[1]);
    if (pid > 0 && (failure = hear(told[0])) != 0)
        child_end(pid);
    close(told[0]);
    errno = failure;
    return failure ? -1 : pid;
}

/* Whether it has ended; then *status is as wait(2) gives it, and what it left behind in its group has ended, too. */
static bool child_has_ended(pid_t pid, int *status)
{
    pid_t ended = lauka_await_process(pid, status, WNOHANG, NULL);

    if (ended < 0)
        *status = 127 << 8; /* nobody knows */
    return ended != 0;
}

/* False if it went on until then, or lauka was interrupted; then it was ended. */
static bool await_end(pid_t pid, uint64_t until_ns, int *status)
{
    while (!child_has_ended(pid, status)) {
        struct pollfd interrupted = {.fd = lauka_interrupt_descriptor(), .events = POLLIN};
        if (lauka_now_ns() >= until_ns || lauka_interrupt_signal()) {
            child_end(pid);
            return false;
        }
        poll(&interrupted, 1, 1);
    }
    return true;
}

bool lauka_child_await(pid_t pid, int *status)
{
    return await_end(pid, UINT64_MAX, status);
}

/* ---- helpers ----------------------------------------------------------------------------------- */

/* Other programs from their start to their answer: one that is asked, several that run at once, and what is
 * shown of one that failed. */

/* ---- one that is asked --------------------------------------------------------------------------------- */

int lauka_left_ms(uint64_t until_ns)
{
    uint64_t now_ns = lauka_now_ns();

    return now_ns >= until_ns ? 0 : (int)((until_ns - now_ns) / 1000000 + 1);
}

/* Whether there is something to read, or the end, in time. */
static bool await_output(int output, uint64_t until_ns)
{
    struct pollfd waited[] = {{.fd = output, .events = POLLIN},
                              {.fd = lauka_interrupt_descriptor(), .events = POLLIN}};
    int ready;

    do
        ready = poll(waited, 2, lauka_left_ms(until_ns));
    while (ready < 0 && errno == EINTR && !lauka_interrupt_signal());
    return ready > 0 && !waited[1].revents && !lauka_interrupt_signal();
}

/* Whether all was read that it wrote. */
static bool read_answer(int output, uint64_t until_ns, struct lauka_answer *answer)
{
    ssize_t count = 1;

    while (count > 0 && answer->size < answer->room) {
        if (!await_output(output, until_ns))
            return false;
        count = read(output, answer->text + answer->size, answer->room - answer->size);
        answer->size += count > 0 ? (size_t)count : 0;
    }
    answer->cut = count > 0;
    return count == 0;
}

void lauka_helper_ask(const struct lauka_child *helper, uint64_t until_ns,
                      struct lauka_answer *answer)
{
    struct lauka_child child = *helper;
    int ends[2], status;

    answer->size = 0;
    answer->cut = false;
    answer->code = -1;
    answer->text[0] = '\0';
    if (lauka_interrupt_signal() || lauka_now_ns() >= until_ns || lauka_pipe_open(ends) != 0)
        return;
    child.output = ends[1];
    child.error = -1;
    pid_t pid = lauka_child_start(&child);
    close(ends[1]);
    bool whole = pid > 0 && read_answer(ends[0], until_ns, answer);
    answer->text[answer->size] = '\0';
    close(ends[0]);
    if (whole && await_end(pid, until_ns, &status) && WIFEXITED(status))
        answer->code = WEXITSTATUS(status);
    if (pid > 0 && !whole)
        child_end(pid);
}

extern char **environ;

bool lauka_helper_says(const char *const *words, char *text, size_t size)
{
    char path[1024];
    struct lauka_answer answer = {.text = text, .room = size - 1};

    text[0] = 0;
    if (!lauka_child_find(words[0], path, sizeof path))
        return false;
    lauka_helper_ask(&(struct lauka_child){.path = path,
                                           .arguments = words,
                                           .environment = (const char *const *)environ},
                     lauka_now_ns() + LAUKA_HELPER_PATIENCE_NS, &answer);
    return answer.size > 0;
}

/* ---- several at once ----------------------------------------------------------------------------------- */

struct place {
    pid_t pid; /* 0: it is free */
    size_t number;
};

static struct place *find_free(struct place *places, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (places[i].pid == 0)
            return &places[i];
    return NULL;
}

static bool begin_next(struct lauka_helpers *helpers, size_t number, struct place *place,
                       struct lauka_error *error)
{
    if (!helpers->begin(helpers->context, number, &place->pid, error))
        return false;
    place->number = number;
    helpers->done += place->pid == 0;
    return true;
}

/* The launcher is a child, too, so each is asked for by its own number. False, with the error, if one has failed. */
static bool collect(struct lauka_helpers *helpers, struct place *places, struct lauka_error *error)
{
    bool good = true;
    int status;

    for (size_t i = 0; i < helpers->at_once && good; i++) {
        if (places[i].pid == 0 || !child_has_ended(places[i].pid, &status))
            continue;
        places[i].pid = 0;
        helpers->done++;
        good = helpers->end(helpers->context, places[i].number, status, error);
    }
    return good;
}

bool lauka_helpers_run(struct lauka_helpers *helpers, struct lauka_error *error)
{
    struct place *places = calloc(helpers->at_once, sizeof *places), *place;
    bool good = places || lauka_fail_memory(error);

    helpers->done = 0;
    for (size_t next = 0; good && helpers->done < helpers->count && !lauka_interrupt_signal();) {
        struct pollfd interrupted = {.fd = lauka_interrupt_descriptor(), .events = POLLIN};
        if (helpers->show)
            helpers->show(helpers->context, helpers->done);
        if (next < helpers->count && (place = find_free(places, helpers->at_once))) {
            good = begin_next(helpers, next++, place, error);
            continue;
        }
        poll(&interrupted, 1, 2);
        good = collect(helpers, places, error);
    }
    for (size_t i = 0; places && i < helpers->at_once; i++)
        if (places[i].pid > 0)
            child_end(places[i].pid);
    free(places);
    return good;
}

/* ---- one that failed ----------------------------------------------------------------------------------- */

enum { TAIL_LINES = 20, TAIL_SIZE = 8192 };

void lauka_helper_show_lines(const char *text)
{
    bool utf8 = lauka_terminal_detect(STDERR_FILENO, LAUKA_COLOR_NEVER).utf8;
    char line[TAIL_SIZE + 1];

    while (*text) {
        size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        fputs("  | ", stderr);
        lauka_print_safely(line, utf8, stderr);
        fputc('\n', stderr);
        text += length + (text[length] == '\n');
    }
}

void lauka_helper_show_tail(FILE *file)
{
    char text[TAIL_SIZE + 1];

    if (fseek(file, -TAIL_SIZE, SEEK_END) != 0)
        rewind(file);
    size_t size = fread(text, 1, TAIL_SIZE, file), from;
    while (size > 0 && text[size - 1] == '\n')
        size--;
    text[size] = '\0';
    from = size;
    for (int lines = 0; from > 0 && (text[from - 1] != '\n' || ++lines < TAIL_LINES); from--)
        text[from - 1] = text[from - 1] ? text[from - 1] : ' ';
    lauka_helper_show_lines(text + from);
}

void lauka_tail_add(struct lauka_tail *tail, const char *bytes, size_t size)
{
    const size_t added = size < LAUKA_TAIL ? size : LAUKA_TAIL;
    const size_t kept = tail->size + added > LAUKA_TAIL ? LAUKA_TAIL - added : tail->size;

    memmove(tail->bytes, tail->bytes + tail->size - kept, kept);
    for (size_t i = 0; i < added; i++) {
        const char byte = bytes[size - added + i];
        tail->bytes[kept + i] = byte ? byte : ' '; /* a NUL would hide what follows */
    }
    tail->size = kept + added;
    tail->bytes[tail->size] = '\0';
}
