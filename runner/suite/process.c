/* A process that lauka talks to, or that writes its findings. It leads a group of its own, so that all of
 * it can be ended; its stderr is read meanwhile, and the end of it is kept. */
#include "runner/suite/suite.h"
#include "pmu/counters/counters.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/session/session.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 4 << 20 };

/* ---- starting --------------------------------------------------------------------------------------- */

int lauka_process_start(struct lauka_process *process, struct lauka_launcher *launcher,
                        const struct lauka_command *command, char *const *words,
                        const char *const *variables, bool talks, struct lauka_counters *counters)
{
    int in[2], out[2], complaints[2];
    const int failures[] = {lauka_pipe_open(in), lauka_pipe_open(out), lauka_pipe_open(complaints)};
    char **environment = lauka_command_environment(command, variables);
    const struct lauka_start start = {.path = command->path,
                                      .directory = command->directory,
                                      .words = words,
                                      .environment = environment,
                                      .in = in[0],
                                      .out = out[1],
                                      .complaints = complaints[1],
                                      .talks = talks,
                                      .counters = counters};
    int error = environment ? 0 : ENOMEM;

    for (size_t i = 0; i < sizeof failures / sizeof *failures && !error; i++)
        error = failures[i];
    *process = (struct lauka_process){
        .launcher = launcher, .to = in[1], .from = out[0], .complaints = complaints[0]};
    if (!error)
        error = lauka_launcher_start(launcher, &start, &process->pid);
    free(environment);
    lauka_pipe_close(&in[0]);
    lauka_pipe_close(&out[1]);
    lauka_pipe_close(&complaints[1]);
    return error;
}

bool lauka_process_fail(struct lauka_process *process, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    vsnprintf(process->why, sizeof process->why, format, values);
    va_end(values);
    return false;
}

/* ---- talking ---------------------------------------------------------------------------------------- */

void lauka_process_say(struct lauka_process *process, const char *line)
{
    size_t length = strlen(line);

    while (length > 0) {
        ssize_t count = write(process->to, line, length);
        if (count < 0 && errno == EINTR && !lauka_interrupt_signal())
            continue;
        if (count <= 0) { /* it would wait for the rest */
            lauka_pipe_close(&process->to);
            return;
        }
        line += count;
        length -= (size_t)count;
    }
}

/* Only its end is kept. */
static void keep_complaint(struct lauka_process *process)
{
    char bytes[LAUKA_TAIL];
    ssize_t count = read(process->complaints, bytes, sizeof bytes);

    if (count <= 0)
        lauka_pipe_close(&process->complaints);
    else
        lauka_tail_add(&process->tail, bytes, (size_t)count);
}

/* Room for one more, and a 0. */
static bool make_room(struct lauka_process *process)
{
    if (process->size + 1 < process->capacity)
        return true;
    size_t capacity = process->capacity ? 2 * process->capacity : 4096;
    char *text = realloc(process->text, capacity);
    if (!text)
        return false;
    process->text = text;
    process->capacity = capacity;
    return true;
}

static enum lauka_talk take_bytes(struct lauka_process *process)
{
    if (process->size >= MOST || !make_room(process))
        return LAUKA_TALK_FLOODED;
    ssize_t count =
        read(process->from, process->text + process->size, process->capacity - process->size - 1);
    if (count < 0 && (errno == EINTR || errno == EAGAIN))
        return LAUKA_TALK_DONE;
    if (count <= 0)
        return LAUKA_TALK_ENDED;
    process->size += (size_t)count;
    process->text[process->size] = '\0';
    return LAUKA_TALK_DONE;
}

/* Takes what is there already. */
static void take_rest(struct lauka_process *process)
{
    struct pollfd waited = {.fd = process->from, .events = POLLIN};

    while (process->from >= 0 && poll(&waited, 1, 0) > 0)
        if (take_bytes(process) != LAUKA_TALK_DONE)
            return;
}

/* Waits for more of it, and takes that. */
static enum lauka_talk take_more(struct lauka_process *process, uint64_t until_ns)
{
    struct pollfd waited[] = {{.fd = process->from, .events = POLLIN},
                              {.fd = process->complaints, .events = POLLIN},
                              {.fd = lauka_interrupt_descriptor(), .events = POLLIN}};
    int left = lauka_left_ms(until_ns);
    int ready = left > 0 ? lauka_launcher_poll(process->launcher, waited, 3, left) : 0;

    if (lauka_interrupt_signal())
        return LAUKA_TALK_INTERRUPTED;
    if (ready == 0 && lauka_left_ms(until_ns) == 0)
        return LAUKA_TALK_LATE;
    if (ready > 0 && waited[1].revents)
        keep_complaint(process);
    return ready > 0 && waited[0].revents ? take_bytes(process) : LAUKA_TALK_DONE;
}

enum lauka_talk lauka_process_hear(struct lauka_process *process, uint64_t until_ns, char **line)
{
    enum lauka_talk talk = make_room(process) ? LAUKA_TALK_DONE : LAUKA_TALK_FLOODED;

    if (process->heard > 0) {
        process->size -= process->heard;
        memmove(process->text, process->text + process->heard, process->size);
        process->heard = 0;
    }
    while (talk == LAUKA_TALK_DONE) {
        char *end = memchr(process->text, '\n', process->size);
        if (end) {
            *end = '\0';
            *line = process->text;
            process->heard = (size_t)(end - process->text) + 1;
            return strlen(*line) + 1 == process->heard ? LAUKA_TALK_DONE : LAUKA_TALK_GARBLED;
        }
        talk = take_more(process, until_ns);
    }
    return talk;
}

const char *lauka_process_unasked(struct lauka_process *process)
{
    take_rest(process);
    return process->size > process->heard ? process->text + process->heard : NULL;
}

enum lauka_talk lauka_process_read(struct lauka_process *process, uint64_t until_ns)
{
    enum lauka_talk talk = make_room(process) ? LAUKA_TALK_DONE : LAUKA_TALK_FLOODED;

    while (talk == LAUKA_TALK_DONE)
        talk = take_more(process, until_ns);
    for (size_t i = 0; process->text && i < process->size; i++)
        if (!process->text[i]) /* it would hide what follows */
            process->text[i] = ' ';
    if (process->text)
        process->text[process->size] = '\0';
    return talk == LAUKA_TALK_ENDED ? LAUKA_TALK_DONE : talk;
}

/* ---- its end ---------------------------------------------------------------------------------------- */

static bool reap(struct lauka_process *process, bool waits)
{
    if (lauka_launcher_reap(process->launcher, process->pid, waits, &process->status,
                            &process->usage))
        process->pid = 0;
    return process->pid == 0;
}

/* What it still writes is read, so that it can continue; lauka does not wait long for a process that is
 * about to end. */
static void await(struct lauka_process *process, uint64_t until_ns)
{
    for (int ms = 0; !reap(process, false); ms = 1) {
        struct pollfd waited[] = {{.fd = process->complaints, .events = POLLIN},
                                  {.fd = process->from, .events = POLLIN}};
        if (lauka_now_ns() >= until_ns || lauka_interrupt_signal())
            return;
        if (poll(waited, 2, ms) <= 0)
            continue;
        if (waited[0].revents)
            keep_complaint(process);
        if (waited[1].revents && take_bytes(process) != LAUKA_TALK_DONE)
            lauka_pipe_close(&process->from);
    }
}

void lauka_process_end(struct lauka_process *process, uint64_t until_ns)
{
    pid_t group = process->pid;

    lauka_pipe_close(&process->to);
    if (group > 0)
        await(process, until_ns);
    process->held_out |= process->pid > 0;
    take_rest(process);
    lauka_pipe_close(&process->from);
    if (group > 0)
        lauka_signal_group(group, SIGKILL); /* what it left behind, too */
    if (process->pid > 0)
        lauka_signal_process(process->pid,
                             SIGKILL); /* it may not have had the time to lead a group */
    while (process->pid > 0 && !reap(process, true))
        ;
    while (process->complaints >= 0) {
        struct pollfd waited = {.fd = process->complaints, .events = POLLIN};
        if (poll(&waited, 1, 0) <= 0)
            break;
        keep_complaint(process);
    }
    lauka_pipe_close(&process->complaints);
}

/* ---- what is said of it ------------------------------------------------------------------------------ */

void lauka_process_describe_end(const struct lauka_process *process, char *text, size_t size)
{
    if (process->held_out)
        snprintf(text, size, "did not end by itself, so lauka ended it");
    else
        lauka_status_describe(process->status, text, size);
}

/* Where a line begins, so many bytes before the end at most, which is where only blanks follow. */
static const char *find_last_lines(const char *text, size_t most, size_t *size)
{
    size_t length = strlen(text);

    while (length > 0 && strchr(" \t\r\n", text[length - 1]))
        length--;
    const char *stop = text + length, *begin = length > most ? stop - most : text;
    for (const char *at = begin; at > text && at < stop; at++)
        if (at[-1] == '\n') {
            begin = at;
            break;
        }
    *size = (size_t)(stop - begin);
    return begin;
}

void lauka_process_recall(struct lauka_process *process, const char *text, bool alone)
{
    enum { RECALLED = 1000 };
    struct lauka_tail *tail = &process->tail, own = *tail;
    char heard[RECALLED + 100];
    size_t length;
    const char *last = find_last_lines(text, RECALLED, &length);

    if (length == 0)
        return;
    if (alone)
        own.size = 0;
    size_t size = (size_t)snprintf(heard, sizeof heard, "stdout:\n%.*s\n%s", (int)length, last,
                                   own.size > 0 ? "stderr:\n" : "");
    size_t kept = own.size + size > LAUKA_TAIL ? LAUKA_TAIL - size : own.size;
    tail->size = 0;
    lauka_tail_add(tail, heard, size);
    lauka_tail_add(tail, own.bytes + own.size - kept, kept);
}

void lauka_process_last_lines(const char *tail, char *text, size_t size)
{
    size_t left, used = 0;
    const char *last = find_last_lines(tail, size / 2, &left);

    for (*text = '\0'; left > 0 && used + 4 < size;) {
        size_t length = strcspn(last, "\r\n"), end = strspn(last + length, "\r\n");
        length = length < left ? length : left;
        used += (size_t)snprintf(text + used, size - used, "%s%.*s", used > 0 ? " | " : "",
                                 (int)length, last);
        end = length + end < left ? length + end : left;
        last += end;
        left -= end;
    }
}

void lauka_process_done(struct lauka_process *process)
{
    free(process->text);
    *process = (struct lauka_process){.to = -1, .from = -1, .complaints = -1};
}
