/* valgrind_log: notices which programs begin in a run under valgrind. Each process announces its own
 * beginning, and every program that it executes, through one pipe, so that even those which left nothing
 * else behind are known. A process's files are named after its number, and the program that it executes
 * would overwrite them; so they are taken as soon as that program begins. */
#include "pmu/valgrind/valgrind.h"
#include "pmu/array.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- valgrind_sum: adds up what the processes of a run left, and says whether it is all -------- */

/* Every program that began has to have left its parts without a gap: from its first basic block, or from the
 * fork of its parent, to its end, or to the execution of the next. What is not seen to be all, is not. */

struct adding {
    const struct lauka_valgrind_log *log;
    struct lauka_valgrind_sum *sum;
    bool *claimed; /* for each part that ends in a fork: whose process is known */
};

static void note(struct adding *adding, const struct lauka_valgrind_image *image,
                 enum lauka_valgrind_gap gap)
{
    if (adding->sum->gap != LAUKA_VALGRIND_NO_GAP)
        return;
    adding->sum->gap = gap;
    memcpy(adding->sum->program, image->program, sizeof image->program);
}

static void add_part(struct adding *adding, const struct lauka_valgrind_image *image,
                     const struct lauka_valgrind_part *part)
{
    for (size_t c = 0; c < LAUKA_VALGRIND_COUNTS; c++) {
        uint64_t *sum = &adding->sum->counts[c];
        if (*sum > UINT64_MAX - 1 - part->counts[c])
            note(adding, image, LAUKA_VALGRIND_DAMAGED);
        else
            *sum += part->counts[c];
    }
}

/* A forked process begins where a part of its parent ends, right before the fork: then both have
 * nothing in common. One fork has one child. */
static bool claim_fork(struct adding *adding, const struct lauka_valgrind_image *child,
                       uint64_t from)
{
    const struct lauka_valgrind_log *log = adding->log;
    for (size_t i = 0; i < log->image_count; i++) {
        const struct lauka_valgrind_image *image = &log->images[i];
        if (image->pid != child->parent)
            continue;
        for (size_t p = image->first; p < image->first + image->count; p++)
            if (log->parts[p].end == LAUKA_VALGRIND_FORKS && log->parts[p].to == from &&
                !adding->claimed[p])
                return adding->claimed[p] = true;
    }
    return false;
}

static bool has_gaps(const struct lauka_valgrind_log *log, const struct lauka_valgrind_image *image)
{
    const struct lauka_valgrind_part *parts = log->parts + image->first;
    for (size_t p = 1; p < image->count; p++)
        if (parts[p].from != parts[p - 1].to || parts[p - 1].end == LAUKA_VALGRIND_ENDS)
            return true;
    return image->damaged || (!image->forked && image->count > 0 && parts[0].from != 0);
}

static void check_end(struct adding *adding, const struct lauka_valgrind_image *image)
{
    const struct lauka_valgrind_part *parts = adding->log->parts + image->first;
    bool any = image->count > 0;
    enum lauka_valgrind_end last = any ? parts[image->count - 1].end : LAUKA_VALGRIND_GOES_ON;
    if (image->replaced && last != LAUKA_VALGRIND_EXECUTES)
        note(adding, image, LAUKA_VALGRIND_UNSEEN_EXECUTION);
    if (!image->replaced && last == LAUKA_VALGRIND_EXECUTES)
        note(adding, image, LAUKA_VALGRIND_UNTRACED);
    else if (!image->replaced && last != LAUKA_VALGRIND_ENDS)
        note(adding, image, LAUKA_VALGRIND_UNSEEN_END);
}

/* What a process whose fork was not seen tells first, begins with what its parent tells, too. */
static void add_image(struct adding *adding, const struct lauka_valgrind_image *image)
{
    const struct lauka_valgrind_part *parts = adding->log->parts + image->first;
    size_t p = 0;
    if (image->forked && image->count > 0 && !claim_fork(adding, image, parts[0].from)) {
        note(adding, image, LAUKA_VALGRIND_UNSEEN_FORK);
        p = 1;
    }
    if (has_gaps(adding->log, image))
        note(adding, image, LAUKA_VALGRIND_DAMAGED);
    check_end(adding, image);
    for (; p < image->count; p++)
        add_part(adding, image, &parts[p]);
}

/* See lauka_valgrind_collect. `left`: files of processes that were not heard of. */
static int valgrind_add_up(const struct lauka_valgrind_log *log, bool follow, size_t left,
                           struct lauka_valgrind_sum *sum)
{
    static const struct lauka_valgrind_image nobody = {.program = ""};
    if (log->part_count == 0)
        return ENOENT;
    struct adding adding = {log, sum, calloc(log->part_count, sizeof *adding.claimed)};
    if (!adding.claimed)
        return ENOMEM;
    if (!follow && log->image_count > 1)
        note(&adding, &log->images[0], LAUKA_VALGRIND_NOT_FOLLOWED);
    for (size_t i = 0; i < log->image_count; i++)
        add_image(&adding, &log->images[i]);
    if (left > 0) /* of a process that was not heard of */
        note(&adding, &nobody, LAUKA_VALGRIND_DAMAGED);
    free(adding.claimed);
    sum->programs = log->image_count;
    memcpy(sum->version, log->version, sizeof sum->version);
    return 0;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Owned by the caller; NULL if it cannot be read. */
static char *read_all(int descriptor, size_t size)
{
    char *bytes = malloc(size);
    size_t used = 0;
    while (bytes && used < size) {
        ssize_t got = read(descriptor, bytes + used, size - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        used += (size_t)got;
    }
    if (bytes && used == size)
        return bytes;
    free(bytes);
    return NULL;
}

static void add_line_part(struct lauka_valgrind_log *log, struct lauka_valgrind_image *image,
                          const char *bytes, size_t size)
{
    struct lauka_valgrind_part part, *added;
    if (!bytes || !lauka_valgrind_part_parse(bytes, size, &part)) {
        image->damaged = true;
        return;
    }
    added = lauka_array_add(&log->parts, &log->part_count, &log->part_room, sizeof *added);
    if (!added) {
        log->error = ENOMEM;
        return;
    }
    if (log->profile && lauka_valgrind_functions_read(bytes, size, log->profile) == ENOMEM)
        log->error = ENOMEM;
    *added = part;
    image->count++;
}

/* False if there is no such file. An empty file is only a reservation. */
static bool take_file(struct lauka_valgrind_log *log, struct lauka_valgrind_image *image,
                      unsigned number)
{
    enum { LARGEST = 1 << 28 };
    char path[600], suffix[16] = "";
    struct stat about;
    if (number > 0)
        snprintf(suffix, sizeof suffix, ".%u", number);
    snprintf(path, sizeof path, "%s/part.%llu%s", log->folder, (unsigned long long)image->pid,
             suffix);
    int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    bool known =
        fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) && about.st_size < LARGEST;
    size_t size = known ? (size_t)about.st_size : 1;
    if (size > 0) {
        char *bytes = known ? read_all(descriptor, size) : NULL;
        add_line_part(log, image, bytes, size);
        free(bytes);
    }
    close(descriptor);
    unlink(path);
    return true;
}

/* Reads and removes what the image left in the folder. */
static void take_image(struct lauka_valgrind_log *log, struct lauka_valgrind_image *image)
{
    unsigned number = 1;
    image->first = log->part_count;
    while (take_file(log, image, number))
        number++;
    take_file(log, image, 0); /* the last one */
}

/* ---- beginnings ------------------------------------------------------------------------------ */

static struct lauka_valgrind_image *find_image(struct lauka_valgrind_log *log, uint64_t pid)
{
    for (size_t i = log->image_count; i-- > 0;)
        if (log->images[i].pid == pid)
            return &log->images[i];
    return NULL;
}

/* Whether it has written that it ended. Its number may belong to another process by now. */
static bool has_ended(const struct lauka_valgrind_log *log,
                      const struct lauka_valgrind_image *image)
{
    return image->count > 0 &&
           log->parts[image->first + image->count - 1].end == LAUKA_VALGRIND_ENDS;
}

static void begin_image(struct lauka_valgrind_log *log, uint64_t pid, uint64_t parent)
{
    struct lauka_valgrind_image *before = find_image(log, pid),
                                image = {.pid = pid, .parent = parent};
    if (before) {
        take_image(log, before);
        before->replaced = !has_ended(log, before);
    }
    image.forked = log->image_count > 0 && !(before && before->replaced);
    if (log->command_of == pid)
        memcpy(image.program, log->command, sizeof image.program);
    before = lauka_array_add(&log->images, &log->image_count, &log->image_room, sizeof *before);
    if (before)
        *before = image;
    else
        log->error = ENOMEM;
}

/* "==12== KEY". Other processes' words may come before it, if one of their lines was too long to be
 * written at once. */
static const char *find_words(const char *line, const char *key, uint64_t *pid)
{
    const char *words = strstr(line, key), *digit = words;
    while (digit && digit > line && digit[-1] >= '0' && digit[-1] <= '9')
        digit--;
    if (!words || digit == words || digit < line + 2 || digit[-1] != '=' || digit[-2] != '=')
        return NULL;
    *pid = strtoull(digit, NULL, 10);
    return words + strlen(key);
}

static void hear_line(struct lauka_valgrind_log *log)
{
    uint64_t pid;
    const char *words = find_words(log->line, "== Command: ", &pid);
    if (words) {
        log->command_of = pid;
        snprintf(log->command, sizeof log->command, "%s", words);
    }
    words = find_words(log->line, "== Parent PID: ", &pid);
    if (words)
        begin_image(log, pid, strtoull(words, NULL, 10));
    words = find_words(log->line, "== Using Valgrind-", &pid);
    if (words && !*log->version)
        snprintf(log->version, sizeof log->version, "%.*s", (int)strspn(words, "0123456789."),
                 words);
}

/* Drops the rest of a line that is too long, except its end. */
static void hear(struct lauka_valgrind_log *log, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != '\n') {
            if (log->length == sizeof log->line - 1) {
                log->length /= 2;
                memmove(log->line, log->line + log->length, log->length);
            }
            log->line[log->length++] = bytes[i] ? bytes[i] : ' ';
            continue;
        }
        log->line[log->length] = '\0';
        hear_line(log);
        log->length = 0;
    }
}

/* Runs until it is told to stop and there is nothing more to read. */
static void *listen(void *given)
{
    struct lauka_valgrind_log *log = given;
    struct pollfd polled[2] = {{.fd = log->pipe, .events = POLLIN},
                               {.fd = log->stop[0], .events = POLLIN}};
    char bytes[4096];
    for (;;) {
        if (poll(polled, 2, -1) < 0 && errno != EINTR) {
            log->error = errno;
            return NULL;
        }
        ssize_t got = read(log->pipe, bytes, sizeof bytes);
        if (got > 0)
            hear(log, bytes, (size_t)got);
        else if (polled[1].revents)
            return NULL;
    }
}

/* ---- beginning and end ------------------------------------------------------------------------- */

/* Signals go to the thread in which lauka waits. */
static int start(struct lauka_valgrind_log *log)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&log->thread, NULL, listen, log);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static int open_pipe(struct lauka_valgrind_log *log)
{
    char path[600];
    snprintf(path, sizeof path, "%s/log", log->folder);
    if (mkfifo(path, 0600) != 0)
        return errno;
    log->pipe = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    log->writer = log->pipe < 0 ? -1 : open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (log->writer < 0 || pipe(log->stop) != 0)
        return errno;
    fcntl(log->stop[0], F_SETFD, FD_CLOEXEC);
    fcntl(log->stop[1], F_SETFD, FD_CLOEXEC);
    return 0;
}

static void close_all(struct lauka_valgrind_log *log)
{
    const int descriptors[] = {log->pipe, log->writer, log->stop[0], log->stop[1]};
    for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++)
        if (descriptors[i] >= 0)
            close(descriptors[i]);
}

/* The folder is ours: nothing else is in it. Returns how many files valgrind had left in it. */
static size_t empty_folder(const char *folder)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    char path[1400];
    size_t left = 0;
    while (directory && (entry = readdir(directory))) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            left += unlink(path) == 0 && strncmp(entry->d_name, "part.", 5) == 0;
    }
    if (directory)
        closedir(directory);
    return left;
}

int lauka_valgrind_listen(const char *folder, struct lauka_profile *profile,
                          struct lauka_valgrind_log **opened)
{
    struct lauka_valgrind_log *log = calloc(1, sizeof *log);
    *opened = log;
    if (!log)
        return ENOMEM;
    log->pipe = log->writer = log->stop[0] = log->stop[1] = -1;
    log->profile = profile;
    snprintf(log->folder, sizeof log->folder, "%s", folder);
    int error = open_pipe(log);
    if (!error)
        error = start(log);
    if (!error)
        return 0;
    close_all(log);
    empty_folder(folder);
    free(log);
    *opened = NULL;
    return error;
}

int lauka_valgrind_collect(struct lauka_valgrind_log *log, bool follow,
                           struct lauka_valgrind_sum *sum)
{
    *sum = (struct lauka_valgrind_sum){0};
    if (!log)
        return 0;
    bool told = write(log->stop[1], "", 1) == 1;
    int error = told ? pthread_join(log->thread, NULL) : errno;
    for (size_t i = 0; i < log->image_count && !error; i++)
        if (!log->images[i].replaced && log->images[i].count == 0)
            take_image(log, &log->images[i]);
    size_t left = empty_folder(log->folder);
    error = error ? error : log->error;
    if (!error)
        error = valgrind_add_up(log, follow, left, sum);
    close_all(log);
    free(log->images);
    free(log->parts);
    free(log);
    return error;
}
