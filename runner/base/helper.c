/* Other programs from their start to their answer: one that is asked, several that run at once, and what is shown of
 * one that failed. Each has a keeper (child.c). */
#include "report/text/text.h"
#include "runner/base/base.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Its status, -1 where it goes on until then. */
static int await_end(pid_t pid, uint64_t until_ns)
{
    int status;

    while (!lauka_child_has_ended(pid, &status)) {
        if (lauka_now_ns() >= until_ns || lauka_interrupt_signal())
            return -1;
        poll(NULL, 0, 1);
    }
    return status;
}

void lauka_helper_ask(const struct lauka_child *helper, uint64_t until_ns,
                      struct lauka_answer *answer)
{
    struct lauka_child child = *helper;
    int ends[2], status = -1;

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
    if (whole)
        status = await_end(pid, until_ns);
    if (pid > 0 && status == -1)
        lauka_child_end(pid);
    if (status != -1 && WIFEXITED(status))
        answer->code = WEXITSTATUS(status);
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
        if (places[i].pid == 0 || !lauka_child_has_ended(places[i].pid, &status))
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
            lauka_child_end(places[i].pid);
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
