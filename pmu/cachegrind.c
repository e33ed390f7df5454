/* cachegrind: what valgrind's cachegrind wrote of one run: a file of counts for each process
 * ("cg.PID", see cg_annotate(1)), and a log ("log.PID") whose head names the parent. */
#include "pmu.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIMULATED(name_, description_)                                                             \
    {                                                                                              \
        .name = "sim_" name_ ":u", .unit = "1", .source = "valgrind",                              \
        .description = description_, .better = LAUKA_BETTER_LOWER                                  \
    }

static const struct lauka_event events[LAUKA_SIMULATED_COUNTS] = {
    SIMULATED("instructions", "instructions that a simulated processor executed in user mode"),
    SIMULATED("branches", "branches of it, conditional and indirect ones"),
    SIMULATED("branch_misses", "branches that a simulated predictor had wrong"),
    SIMULATED("l1d_misses", "accesses to data that a simulated cache of 32 KiB could not serve"),
    SIMULATED("cache_misses", "accesses that a simulated last level of 8 MiB could not serve"),
};

const struct lauka_event *lauka_cachegrind_events(void)
{
    return events;
}

/* ---- the command line ------------------------------------------------------------------------ */

/* Valgrind replaces %p by the process's number, and %% by %. */
static void escape(const char *folder, char *text, size_t size)
{
    size_t used = 0;
    for (; *folder && used + 3 < size; folder++) {
        text[used++] = *folder;
        if (*folder == '%')
            text[used++] = '%';
    }
    text[used] = '\0';
}

void lauka_cachegrind_options(const char *folder, const char *words[LAUKA_CACHEGRIND_OPTIONS_MAX],
                              char *text, size_t size)
{
    static const char *const fixed[] = {
        "--command-line-only=yes", /* nobody's ~/.valgrindrc counts */
        "--tool=cachegrind",
        "--cache-sim=yes",
        "--branch-sim=yes",
        "--I1=32768,8,64", /* the host's, otherwise: then no two machines agree */
        "--D1=32768,8,64",
        "--LL=8388608,16,64",
        "--trace-children=yes",
        "--vgdb=no", /* no pipes for a debugger */
    };
    char escaped[1024];
    size_t count = 0, half = size / 2;
    for (; count < sizeof fixed / sizeof *fixed; count++)
        words[count] = fixed[count];
    escape(folder, escaped, sizeof escaped);
    snprintf(text, half, "--cachegrind-out-file=%s/cg.%%p", escaped);
    snprintf(text + half, size - half, "--log-file=%s/log.%%p", escaped);
    words[count++] = text;
    words[count++] = text + half;
    words[count++] = "--";
    words[count] = NULL;
}

/* ---- one file -------------------------------------------------------------------------------- */

/* A part of what was read; never with a NUL at its end. */
struct piece {
    const char *from;
    size_t size;
};

/* The rest of the last line that begins with `key`. A command's own words, which stand in the file as
 * they are, may look like a line, but only before the true one. */
static bool find_line(struct piece text, const char *key, struct piece *rest)
{
    size_t length = strlen(key);
    for (size_t at = text.size; at-- > 0;) {
        bool begins = at == 0 || text.from[at - 1] == '\n';
        if (!begins || text.size - at < length || memcmp(text.from + at, key, length) != 0)
            continue;
        const char *from = text.from + at + length;
        size_t left = text.size - at - length;
        const char *end = memchr(from, '\n', left);
        *rest = (struct piece){from, end ? (size_t)(end - from) : left};
        return true;
    }
    return false;
}

/* The next word of a line; false at its end. */
static bool next_word(struct piece *line, struct piece *word)
{
    while (line->size > 0 && *line->from == ' ') {
        line->from++;
        line->size--;
    }
    *word = (struct piece){line->from, 0};
    while (line->size > 0 && *line->from != ' ') {
        word->size++;
        line->from++;
        line->size--;
    }
    return word->size > 0;
}

static bool parse_number(struct piece word, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < word.size; i++) {
        unsigned digit = (unsigned)(unsigned char)word.from[i] - '0';
        if (digit > 9 || *number > (UINT64_MAX - 1 - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return word.size > 0;
}

/* Which events make up a count; cg_annotate(1) says what they are. */
static const struct part {
    const char *event;
    enum lauka_simulated_count count;
} parts[] = {
    {"Ir", LAUKA_SIMULATED_INSTRUCTIONS},  {"Bc", LAUKA_SIMULATED_BRANCHES},
    {"Bi", LAUKA_SIMULATED_BRANCHES},      {"Bcm", LAUKA_SIMULATED_BRANCH_MISSES},
    {"Bim", LAUKA_SIMULATED_BRANCH_MISSES}, {"D1mr", LAUKA_SIMULATED_L1D_MISSES},
    {"D1mw", LAUKA_SIMULATED_L1D_MISSES},  {"ILmr", LAUKA_SIMULATED_CACHE_MISSES},
    {"DLmr", LAUKA_SIMULATED_CACHE_MISSES}, {"DLmw", LAUKA_SIMULATED_CACHE_MISSES},
};
enum { PARTS = sizeof parts / sizeof *parts };

/* The part's number; PARTS: it is none of them. */
static size_t find_part(struct piece event)
{
    size_t p = 0;
    while (p < PARTS && (strlen(parts[p].event) != event.size ||
                         memcmp(parts[p].event, event.from, event.size) != 0))
        p++;
    return p;
}

static bool add_count(uint64_t *sum, uint64_t count)
{
    if (*sum > UINT64_MAX - 1 - count)
        return false;
    *sum += count;
    return true;
}

bool lauka_cachegrind_parse(const char *bytes, size_t size,
                            uint64_t counts[LAUKA_SIMULATED_COUNTS])
{
    struct piece text = {bytes, size}, names, numbers, name, word;
    bool seen[PARTS] = {false};
    uint64_t number;
    memset(counts, 0, LAUKA_SIMULATED_COUNTS * sizeof *counts);
    if (!find_line(text, "events:", &names) || !find_line(text, "summary:", &numbers) ||
        numbers.from < names.from || numbers.from + numbers.size == bytes + size)
        return false; /* the last line has a newline, too, unless it was cut off */
    while (next_word(&names, &name)) {
        if (!next_word(&numbers, &word) || !parse_number(word, &number))
            return false;
        size_t p = find_part(name);
        if (p == PARTS)
            continue;
        if (seen[p] || !add_count(&counts[parts[p].count], number))
            return false;
        seen[p] = true;
    }
    for (size_t p = 0; p < PARTS; p++)
        if (!seen[p])
            return false;
    return !next_word(&numbers, &word);
}

/* ---- all files of a run ---------------------------------------------------------------------- */

struct process {
    uint64_t pid, parent; /* parent 0: not known */
    char *command;        /* owned; as valgrind wrote it */
    bool good, fork;
    uint64_t counts[LAUKA_SIMULATED_COUNTS];
};

struct processes {
    struct process *list; /* owned */
    size_t count, capacity;
};

/* Owned by the caller, with a NUL at its end; NULL where it cannot be read. */
static char *read_file(const char *folder, const char *prefix, uint64_t pid, size_t *size)
{
    enum { LARGEST = 1 << 28 };
    char path[1200], *bytes = NULL;
    snprintf(path, sizeof path, "%s/%s%llu", folder, prefix, (unsigned long long)pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (length >= 0 && length < LARGEST && fseek(file, 0, SEEK_SET) == 0)
        bytes = malloc((size_t)length + 1);
    if (bytes) {
        *size = fread(bytes, 1, (size_t)length, file);
        bytes[*size] = '\0';
    }
    fclose(file);
    return bytes;
}

static void read_log(const char *folder, struct process *process, char *version, size_t room)
{
    char key[64];
    size_t size;
    struct piece line;
    char *bytes = read_file(folder, "log.", process->pid, &size);
    if (!bytes)
        return;
    snprintf(key, sizeof key, "==%llu== Parent PID: ", (unsigned long long)process->pid);
    if (find_line((struct piece){bytes, size}, key, &line) &&
        !parse_number(line, &process->parent))
        process->parent = 0;
    const char *using = strstr(bytes, "Using Valgrind-");
    if (using && !*version) {
        using += strlen("Using Valgrind-");
        size_t length = strspn(using, "0123456789.");
        snprintf(version, room, "%.*s", (int)(length < room ? length : room - 1), using);
    }
    free(bytes);
}

static void read_counts(const char *folder, struct process *process)
{
    size_t size;
    struct piece command, events_line;
    char *bytes = read_file(folder, "cg.", process->pid, &size);
    if (!bytes)
        return;
    process->good = lauka_cachegrind_parse(bytes, size, process->counts);
    const char *from = strstr(bytes, "\ncmd: ");
    if (process->good && from && find_line((struct piece){bytes, size}, "events:", &events_line) &&
        events_line.from > from) {
        command = (struct piece){from, (size_t)(events_line.from - from)};
        process->command = strndup(command.from, command.size);
    }
    free(bytes);
}

static int add_process(struct processes *processes, uint64_t pid)
{
    if (processes->count == processes->capacity) {
        size_t capacity = processes->capacity ? 2 * processes->capacity : 16;
        struct process *grown = realloc(processes->list, capacity * sizeof *grown);
        if (!grown)
            return ENOMEM;
        processes->list = grown;
        processes->capacity = capacity;
    }
    processes->list[processes->count++] = (struct process){.pid = pid};
    return 0;
}

static int find_processes(const char *folder, struct processes *processes)
{
    DIR *directory = opendir(folder);
    int error = directory ? 0 : errno;
    struct dirent *entry;
    while (!error && (entry = readdir(directory))) {
        uint64_t pid;
        bool counts = strncmp(entry->d_name, "cg.", 3) == 0;
        if (counts && parse_number((struct piece){entry->d_name + 3, strlen(entry->d_name) - 3}, &pid))
            error = add_process(processes, pid);
    }
    if (directory)
        closedir(directory);
    return error;
}

static bool same_command(const struct process *a, const struct process *b)
{
    return a->command && b->command && strcmp(a->command, b->command) == 0;
}

static const struct process *find_parent(const struct processes *processes,
                                         const struct process *process)
{
    for (size_t i = 0; i < processes->count; i++)
        if (processes->list[i].pid == process->parent)
            return &processes->list[i];
    return NULL;
}

/* Who has the command of its parent has not executed any since it was forked. Where the parent left
 * nothing, as it does that was killed, anybody with that command may have been it. */
static bool is_fork(const struct processes *processes, const struct process *process)
{
    const struct process *parent = find_parent(processes, process);
    if (parent)
        return same_command(process, parent);
    for (size_t i = 0; i < processes->count; i++) {
        const struct process *other = &processes->list[i];
        if (other != process && same_command(process, other) &&
            other->counts[LAUKA_SIMULATED_INSTRUCTIONS] <
                process->counts[LAUKA_SIMULATED_INSTRUCTIONS] &&
            !find_parent(processes, other))
            return true;
    }
    return false;
}

static void add_up(struct processes *processes, struct lauka_cachegrind *sum)
{
    for (size_t i = 0; i < processes->count; i++)
        processes->list[i].fork = is_fork(processes, &processes->list[i]);
    for (size_t i = 0; i < processes->count; i++) {
        const struct process *process = &processes->list[i];
        if (!process->good) {
            sum->damaged++;
            continue;
        }
        if (process->fork) {
            sum->forks++;
            continue;
        }
        sum->processes++;
        for (size_t c = 0; c < LAUKA_SIMULATED_COUNTS; c++)
            if (!add_count(&sum->counts[c], process->counts[c]))
                sum->damaged++;
    }
}

/* The folder is ours: nothing else is in it. */
static void empty_folder(const char *folder)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    char path[1400];
    while (directory && (entry = readdir(directory))) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlink(path);
    }
    if (directory)
        closedir(directory);
}

int lauka_cachegrind_collect(const char *folder, struct lauka_cachegrind *sum)
{
    struct processes processes = {0};
    *sum = (struct lauka_cachegrind){0};
    int error = find_processes(folder, &processes);
    for (size_t i = 0; i < processes.count && !error; i++) {
        read_counts(folder, &processes.list[i]);
        read_log(folder, &processes.list[i], sum->version, sizeof sum->version);
    }
    if (!error)
        add_up(&processes, sum);
    for (size_t i = 0; i < processes.count; i++)
        free(processes.list[i].command);
    free(processes.list);
    empty_folder(folder);
    return error || sum->processes > 0 ? error : ENOENT;
}
