/* What a simulated processor counts of every command, where there is no counter or none is to be
 * trusted: valgrind's cachegrind runs each command twice, outside of the timed rounds. The second run
 * tells whether the figures are always the same; only then they are exact. */
#include "runner/mishaps.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

enum { SLOWER = 200 }; /* no program was seen to take so many times as long */

/* ---- the commands ----------------------------------------------------------------------------------- */

static char *find_valgrind(struct lauka_error *error)
{
    char name[] = "valgrind", *words[] = {name};
    struct lauka_command command = {0};
    struct lauka_error ignored;
    char *path = NULL;

    if (lauka_command_from_argv(words, 1, &command, &ignored) &&
        lauka_command_locate(&command, &ignored))
        path = strdup(command.path);
    else
        lauka_fail(error, LAUKA_EXIT_HOST,
                   "--counters=valgrind: there is no valgrind here; install it (apt install "
                   "valgrind, dnf install valgrind)");
    lauka_command_done(&command);
    return path;
}

static bool make_folder(struct lauka_simulation *simulation, struct lauka_error *error)
{
    const char *where = getenv("TMPDIR");
    bool usable = where && where[0] == '/' && strlen(where) < 300;

    snprintf(simulation->folder, sizeof simulation->folder, "%s/lauka-valgrind-XXXXXX",
             usable ? where : "/tmp");
    if (mkdtemp(simulation->folder))
        return true;
    int failure = errno;
    bool good = lauka_fail(error, LAUKA_EXIT_HOST,
                           "--counters=valgrind: no folder for its files, %s: %s",
                           simulation->folder, strerror(failure));
    simulation->folder[0] = '\0';
    return good;
}

static size_t count_words(char *const *words)
{
    size_t count = 0;

    while (words && words[count])
        count++;
    return count;
}

/* The command with valgrind in front of it, and time enough. */
static bool add_command(struct lauka_simulation *simulation, const char *valgrind,
                        const struct lauka_command *command, struct lauka_error *error)
{
    const char *options[LAUKA_CACHEGRIND_OPTIONS_MAX];
    char text[3000];
    size_t count = 1, length = count_words(command->argv);
    struct lauka_command wrapped = *command; /* borrows */

    lauka_cachegrind_options(simulation->folder, options, text, sizeof text);
    char **argv = calloc(LAUKA_CACHEGRIND_OPTIONS_MAX + length + 2, sizeof *argv);
    if (!argv)
        return lauka_fail(error, LAUKA_EXIT_INTERNAL, "out of memory");
    argv[0] = (char *)(uintptr_t)"valgrind";
    for (size_t i = 0; options[i]; i++)
        argv[count++] = (char *)(uintptr_t)options[i];
    for (size_t i = 0; i < length; i++)
        argv[count++] = command->argv[i];
    wrapped.argv = argv;
    wrapped.path = (char *)(uintptr_t)valgrind;
    wrapped.timeout_ns = command->timeout_ns < UINT64_MAX / SLOWER ? command->timeout_ns * SLOWER : 0;
    bool good = lauka_launcher_add(simulation->launcher, &wrapped, error);
    free(argv);
    return good;
}

/* What arguments and environment take at the end of the stack, where it begins. */
static size_t stack_of(const struct lauka_command *command)
{
    char *const *const vectors[] = {command->argv, environ, command->environment};
    size_t size = strlen(command->argv[0]) + 1; /* the program's name, once more */

    for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++)
        for (size_t i = 0; vectors[v] && vectors[v][i]; i++)
            size += strlen(vectors[v][i]) + 1 + sizeof(char *);
    return size;
}

/* All commands' stacks begin at the same place, and at the same place of a page whoever runs lauka:
 * cachegrind's caches see addresses. */
static void find_paddings(struct lauka_simulation *simulation)
{
    enum { PAGE = 4096 };
    const struct lauka_options *options = simulation->options;
    size_t most = 0;

    for (size_t c = 0; c < options->command_count; c++) {
        size_t size = stack_of(&options->commands[c]);
        most = size > most ? size : most;
    }
    most += PAGE - most % PAGE;
    for (size_t c = 0; c < options->command_count; c++) {
        size_t padding = most - stack_of(&options->commands[c]);
        simulation->commands[c].padding = padding % PAGE;
    }
}

bool lauka_simulation_open(struct lauka_simulation *simulation, const struct lauka_options *options,
                           struct lauka_launcher *launcher, struct lauka_error *error)
{
    *simulation = (struct lauka_simulation){.options = options, .launcher = launcher};
    if (!options->valgrind)
        return true;
    char *valgrind = find_valgrind(error);
    bool good = valgrind && make_folder(simulation, error);
    simulation->commands = calloc(options->command_count, sizeof *simulation->commands);
    if (good && !simulation->commands)
        good = lauka_fail(error, LAUKA_EXIT_INTERNAL, "out of memory");
    simulation->first = lauka_launcher_count_commands(launcher);
    for (size_t c = 0; good && c < options->command_count; c++)
        good = add_command(simulation, valgrind, &options->commands[c], error);
    if (good)
        find_paddings(simulation);
    free(valgrind);
    return good;
}

void lauka_simulation_close(struct lauka_simulation *simulation)
{
    struct lauka_cachegrind ignored;

    if (simulation->folder[0]) {
        lauka_cachegrind_collect(simulation->folder, &ignored); /* empties it */
        rmdir(simulation->folder);
    }
    free(simulation->commands);
    *simulation = (struct lauka_simulation){0};
}

/* ---- one run ---------------------------------------------------------------------------------------- */

/* What valgrind said of itself: the first line that begins with its name. */
static void find_complaint(struct lauka_launcher *launcher, char *text, size_t size)
{
    size_t length;
    const char *tail = lauka_launcher_stderr(launcher, &length), *end = tail + length;

    text[0] = '\0';
    for (const char *line = tail; line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        size_t room = (size_t)((next ? next : end) - line);
        if (room > 10 && memcmp(line, "valgrind: ", 10) == 0) {
            snprintf(text, size, ": %.*s", (int)(room - 10 < 300 ? room - 10 : 300), line + 10);
            return;
        }
        line += room + 1;
    }
}

static bool fail_without_counts(const struct lauka_simulation *simulation, size_t command,
                                const struct lauka_sample *sample, struct lauka_error *error)
{
    char complaint[400], outcome[200];
    struct stat about;
    const struct lauka_command *own = &simulation->options->commands[command];
    bool privileged = stat(own->path, &about) == 0 && about.st_mode & (S_ISUID | S_ISGID);

    lauka_sample_describe(sample, outcome, sizeof outcome);
    find_complaint(simulation->launcher, complaint, sizeof complaint);
    return lauka_fail(error, LAUKA_EXIT_HOST,
                      "--counters=valgrind: valgrind cannot run `%.200s`%s%s%s", own->label,
                      *complaint ? "" : ", which ", *complaint ? complaint : outcome,
                      privileged ? " (it is set-uid, and valgrind runs no such program)" : "");
}

static bool fail_with_outcome(const struct lauka_simulation *simulation, size_t command,
                              const struct lauka_sample *sample, struct lauka_error *error)
{
    char outcome[200];
    bool unknown = sample->outcome == LAUKA_SIGNALED && sample->code == SIGILL;

    lauka_sample_describe(sample, outcome, sizeof outcome);
    return lauka_fail(error, LAUKA_EXIT_COMMAND_FAILED, "under valgrind, `%.200s` %s%s",
                      simulation->options->commands[command].label, outcome,
                      unknown ? "; valgrind does not know all instructions: build the program "
                                "without AVX-512, or leave --counters=valgrind out"
                              : "");
}

bool lauka_simulation_run(struct lauka_simulation *simulation, size_t command, size_t run,
                          struct lauka_error *error)
{
    struct lauka_simulated_command *own = &simulation->commands[command];
    struct lauka_run_name name = {.command = command, .padding = own->padding};
    struct lauka_sample sample;

    lauka_launcher_name_run(simulation->launcher, &name);
    if (!lauka_launcher_run(simulation->launcher, simulation->first + command, &sample, error))
        return false;
    if (lauka_interrupt_signal())
        return true;
    int failure = lauka_cachegrind_collect(simulation->folder, &own->runs[run]);
    if (failure == ENOENT)
        return fail_without_counts(simulation, command, &sample, error);
    if (failure)
        return lauka_fail(error, LAUKA_EXIT_INTERNAL, "%s: %s", simulation->folder,
                          strerror(failure));
    return lauka_mishaps_is_success(simulation->options, command, &sample) ||
           fail_with_outcome(simulation, command, &sample, error);
}

/* ---- what it came to -------------------------------------------------------------------------------- */

uint64_t lauka_simulation_value(const struct lauka_simulation *simulation, size_t command,
                                uint64_t round, size_t count)
{
    return round < LAUKA_SIMULATION_RUNS ? simulation->commands[command].runs[round].counts[count]
                                         : LAUKA_MISSING;
}

/* The largest difference between the runs, as a share. */
static double difference_of(const struct lauka_simulated_command *command)
{
    double largest = 0;

    for (size_t i = 0; i < LAUKA_SIMULATED_COUNTS; i++) {
        double a = (double)command->runs[0].counts[i], b = (double)command->runs[1].counts[i];
        double larger = a > b ? a : b, smaller = a > b ? b : a;
        if (larger > 0 && (larger - smaller) / larger > largest)
            largest = (larger - smaller) / larger;
    }
    return largest;
}

static int warn_about(const struct lauka_simulated_command *command, const char *label,
                      struct lauka_result *result)
{
    char text[600], share[32];
    double difference = difference_of(command);
    int failure = 0;

    snprintf(text, sizeof text,
             "the simulated counts of `%.200s` differ by up to %s from run to run (threads, or "
             "random numbers?), so they are not exact",
             label, lauka_format_share(difference, share, sizeof share));
    if (difference > 0)
        failure = lauka_result_warn(result, text);
    snprintf(text, sizeof text,
             "`%.200s` forks %zu process%s that execute%s no program of %s own; the simulated counts "
             "leave %s out",
             label, command->runs[0].forks, command->runs[0].forks == 1 ? "" : "es",
             command->runs[0].forks == 1 ? "s" : "", command->runs[0].forks == 1 ? "its" : "their",
             command->runs[0].forks == 1 ? "it" : "them");
    if (!failure && command->runs[0].forks > 0)
        failure = lauka_result_warn(result, text);
    snprintf(text, sizeof text,
             "valgrind's file of a process of `%.200s` was incomplete; the simulated counts leave "
             "that process out",
             label);
    if (!failure && command->runs[0].damaged > 0)
        failure = lauka_result_warn(result, text);
    return failure;
}

int lauka_simulation_judge(const struct lauka_simulation *simulation, struct lauka_result *result)
{
    const struct lauka_event *events = lauka_cachegrind_events();
    bool repeatable = true;
    int failure = 0;
    char text[300];

    for (size_t c = 0; c < result->command_count; c++)
        repeatable = repeatable && difference_of(&simulation->commands[c]) == 0;
    for (size_t i = 0; i < LAUKA_SIMULATED_COUNTS; i++)
        result->metrics[lauka_result_metric_index(result, events[i].name)].repeatable = repeatable;
    snprintf(text, sizeof text,
             "sim_ metrics were counted by valgrind %s before the rounds, twice each, on a simulated "
             "processor: in user mode, with caches of 32 KiB and 8 MiB",
             simulation->commands[0].runs[0].version);
    failure = lauka_result_warn(result, text);
    for (size_t c = 0; !failure && c < result->command_count; c++)
        failure = warn_about(&simulation->commands[c], result->commands[c].label, result);
    return failure;
}
