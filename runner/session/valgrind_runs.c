/* What valgrind counts for every command, in two runs of each, outside of the timed rounds. The second counts instructions
 * alone, which takes less time: if they are as many again, the figures are exact. A command of one process is counted by
 * cachegrind; if that sees several, callgrind, which is slower and can follow them, counts it again. */
#include "runner/session/loop.h"
#include "runner/session/session.h"
#include "pmu/events/events.h"
#include "pmu/valgrind/valgrind.h"
#include "report/result/result.h"
#include "runner/attribution/attribution.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/machine/machine.h"
#include "runner/options.h"
#include "stats/stats.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

enum { SLOWER = 500 }; /* no program was seen to take so many times as long */

/* ---- programs along a PATH that valgrind does not execute ---------------------------------------- */

enum { LONGEST = 32768 }; /* of the option; the kernel takes four times as much in a word */

static const char option_name[] = "--trace-children-skip=";

struct untraced {
    char *path;   /* owned: the PATH that was looked through */
    char *option; /* owned */
};

static bool is_refused(const char *program)
{
    struct stat about;

    if (stat(program, &about) != 0 || !S_ISREG(about.st_mode) || access(program, X_OK) != 0)
        return false;
    return about.st_mode & (S_ISUID | S_ISGID) || access(program, R_OK) != 0 ||
           lauka_has_file_capabilities(program);
}

/* A name must not contain a comma, which would end it, nor characters of a pattern. */
static void add_program(char *option, const char *program)
{
    size_t used = strlen(option), length = strlen(program);

    if (!strpbrk(program, ",*?\\") && used + length + 2 < LONGEST)
        snprintf(option + used, LONGEST - used, "%s%s", option[used - 1] == '=' ? "" : ",",
                 program);
}

static void look_through(const char *folder, char *option)
{
    DIR *directory = *folder == '/' ? opendir(folder) : NULL;
    struct dirent *entry;

    while (directory && (entry = readdir(directory))) {
        char program[4096];
        int length = snprintf(program, sizeof program, "%s/%s", folder, entry->d_name);
        if (length > 0 && (size_t)length < sizeof program && is_refused(program))
            add_program(option, program);
    }
    if (directory)
        closedir(directory);
}

static char *make_option(const char *path)
{
    char *option = malloc(LONGEST), *folders = strdup(path), *rest = folders, *folder;

    if (option)
        snprintf(option, LONGEST, "%s", option_name);
    while (option && rest && (folder = strsep(&rest, ":")))
        look_through(folder, option);
    free(folders);
    return option;
}

static void untraced_done(struct untraced *untraced)
{
    free(untraced->path);
    free(untraced->option);
    *untraced = (struct untraced){0};
}

/* Valgrind refuses to execute a program that is set-uid or set-gid, has capabilities, or may not be read,
 * so a command with such a child would fail. This is the option that makes the kernel run those along the
 * command's PATH; NULL if there are none, or no memory. Zeroed before the first command; borrowed until
 * the next one. */
static const char *untraced_option(struct untraced *untraced, const struct lauka_command *command)
{
    const char *path = lauka_command_search_path(command);

    if (!untraced->path || strcmp(untraced->path, path) != 0) {
        untraced_done(untraced);
        untraced->path = strdup(path);
        untraced->option = make_option(path);
    }
    bool any = untraced->option && strlen(untraced->option) > strlen(option_name);
    return any ? untraced->option : NULL;
}

/* ---- the commands ----------------------------------------------------------------------------------- */

/* The option that asked for it. */
static const char *asked_by(const struct lauka_options *options)
{
    return options->measure.why ? "--why" : "--counters=valgrind";
}

static char *find_valgrind(const struct lauka_options *options, struct lauka_error *error)
{
    char *path = lauka_command_find("valgrind");

    if (!path)
        lauka_fail(error, LAUKA_EXIT_HOST, "%s: valgrind is not installed; %s", asked_by(options),
                   lauka_valgrind_advice());
    return path;
}

static bool make_folder(struct lauka_valgrind_runs *runs, struct lauka_error *error)
{
    int failure = lauka_folder_make("valgrind", runs->folder);

    return !failure ||
           lauka_fail(error, LAUKA_EXIT_HOST, "%s: cannot make a folder for its files: %s",
                      asked_by(runs->options), strerror(failure));
}

/* How the launcher may start a command under valgrind: the sum of what applies is added to the command's number. */
enum { FOLLOWS = 1, IS_PLAIN = 2, WAYS = 4 };

static bool add_command(struct lauka_valgrind_runs *runs, const char *valgrind,
                        const struct lauka_command *command, char **environment,
                        const char *untraced, bool follow, bool caches, struct lauka_error *error)
{
    const char *words[LAUKA_VALGRIND_OPTIONS_MAX + 1] = {"valgrind"};
    char text[LAUKA_VALGRIND_TEXT_SIZE];
    struct lauka_tool tool = {.path = valgrind, .words = words, .slower = SLOWER};
    struct lauka_command tuned = *command; /* borrows */

    tuned.environment = environment;
    lauka_valgrind_options(runs->folder, follow, caches, untraced, words + 1, text);
    return lauka_launcher_add_under(runs->launcher, &tool, &tuned, error);
}

/* The room that arguments and environment take at the end of the stack, where it begins. */
static size_t stack_of(const struct lauka_command *command, char *const *environment)
{
    char *const *const vectors[] = {command->argv, environ, environment};
    size_t size = strlen(command->argv[0]) + 1; /* the program's name, once more */

    for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++)
        for (size_t i = 0; vectors[v] && vectors[v][i]; i++)
            size += strlen(vectors[v][i]) + 1 + sizeof(char *);
    return size;
}

/* All commands' stacks begin at the same place, also within a page, whoever runs lauka: valgrind's caches
 * see addresses. */
static void find_paddings(struct lauka_valgrind_runs *runs, size_t first, size_t end)
{
    enum { PAGE = 4096 };
    const struct lauka_options *options = runs->options;
    size_t most = 0;

    for (size_t c = first; c < end; c++) {
        size_t size = stack_of(&options->run.commands[c], runs->commands[c].environment);
        most = size > most ? size : most;
    }
    most += PAGE - most % PAGE;
    for (size_t c = first; c < end; c++) {
        size_t padding = most - stack_of(&options->run.commands[c], runs->commands[c].environment);
        runs->commands[c].padding = padding % PAGE;
    }
}

/* Callgrind tells objects, too, which --why shows; and it does not hear what is meant for cachegrind. */
static void choose_tools(struct lauka_valgrind_runs *runs, size_t first, size_t end)
{
    for (size_t c = first; c < end; c++) {
        const char *path = runs->options->run.commands[c].path;
        runs->commands[c].stays =
            path && lauka_valgrind_requests(path) == LAUKA_VALGRIND_ASKS_CACHEGRIND;
        runs->commands[c].follow = runs->options->measure.why ||
                                   runs->options->measure.allocations || runs->commands[c].stays;
    }
}

bool lauka_valgrind_runs_open(struct lauka_valgrind_runs *runs, const struct lauka_options *options,
                              struct lauka_launcher *launcher, size_t first, size_t end,
                              struct lauka_error *error)
{
    if (first == 0)
        *runs = (struct lauka_valgrind_runs){.options = options, .launcher = launcher};
    if (!options->measure.valgrind)
        return true;
    char *valgrind = find_valgrind(options, error);
    bool good = valgrind && (first > 0 || make_folder(runs, error));
    if (first == 0)
        runs->commands = calloc(options->run.command_count, sizeof *runs->commands);
    if (good && !runs->commands)
        good = lauka_fail_memory(error);
    struct untraced untraced = {0};
    for (size_t c = first; good && c < end; c++) {
        const struct lauka_command *command = &options->run.commands[c];
        const char *option = untraced_option(&untraced, command);
        struct lauka_valgrind_command *own = &runs->commands[c];
        own->number = lauka_launcher_count_commands(launcher);
        own->environment = lauka_valgrind_environment(command->environment);
        good = own->environment || lauka_fail_memory(error);
        for (int way = 0; good && way < WAYS; way++)
            good = add_command(runs, valgrind, command, own->environment, option, way & FOLLOWS,
                               !(way & IS_PLAIN) && !options->measure.without_caches, error);
    }
    untraced_done(&untraced);
    if (good) {
        find_paddings(runs, first, end);
        choose_tools(runs, first, end);
    }
    free(valgrind);
    return good;
}

/* ---- which functions made the difference --------------------------------------------------------- */

/* Whether all that the command did is known by function. */
static bool is_whole(const struct lauka_valgrind_command *command)
{
    bool whole = true;

    for (size_t run = 0; run < LAUKA_VALGRIND_RUNS; run++)
        whole = whole && command->runs[run].gap == LAUKA_VALGRIND_NO_GAP &&
                !command->profiles[run].damaged;
    return whole;
}

static struct lauka_attribution_side side_of(const struct lauka_valgrind_runs *runs, size_t c)
{
    const struct lauka_valgrind_command *command = &runs->commands[c];
    const struct lauka_command *from = &runs->options->run.commands[c];
    struct lauka_attribution_side side = {.program = from->path, .folder = from->directory};

    for (size_t run = 0; run < LAUKA_VALGRIND_RUNS; run++) {
        side.runs[run] = &command->profiles[run];
        side.totals[run] = command->runs[run].counts[LAUKA_VALGRIND_INSTRUCTIONS];
    }
    return side;
}

/* What happened to the program, and what to do about it. */
static const char *const gaps[] = {
    [LAUKA_VALGRIND_NO_GAP] = "",
    [LAUKA_VALGRIND_UNSEEN_FORK] = "forks by a function without a name, or by a system call of its "
                                   "own; link it dynamically, or keep its symbols",
    [LAUKA_VALGRIND_UNSEEN_EXECUTION] = "executes a program by a function without a name, or by a "
                                        "system call of its own; link it dynamically, or keep its "
                                        "symbols",
    [LAUKA_VALGRIND_UNSEEN_END] = "was killed, or had not ended when the command had; let the "
                                  "command wait for it",
    [LAUKA_VALGRIND_UNTRACED] = "executes a program that valgrind cannot follow (set-uid, with "
                                "capabilities, or not to be read); what that does is not in them",
    [LAUKA_VALGRIND_STEERED] = "may tell valgrind when to count (CALLGRIND_ZERO_STATS, "
                               "CALLGRIND_TOGGLE_COLLECT and the like); build it without these "
                               "requests",
    [LAUKA_VALGRIND_NOT_FOLLOWED] = "left incomplete files",
    [LAUKA_VALGRIND_DAMAGED] = "left incomplete files",
};

static const struct lauka_valgrind_sum *find_gap(const struct lauka_valgrind_command *command)
{
    for (size_t run = 0; run < LAUKA_VALGRIND_RUNS; run++)
        if (command->runs[run].gap != LAUKA_VALGRIND_NO_GAP)
            return &command->runs[run];
    return NULL;
}

static int refuse_to_compare(const char *label, const struct lauka_valgrind_command *command,
                             struct lauka_why *why)
{
    char reason[700];
    const struct lauka_valgrind_sum *gap = find_gap(command);

    snprintf(
        reason, sizeof reason,
        "valgrind could not follow all of `%.200s`, so its functions are not compared: `%s` %s",
        label, gap ? gap->program : label, gaps[gap ? gap->gap : LAUKA_VALGRIND_DAMAGED]);
    why->standing = LAUKA_WHY_UNKNOWN;
    why->reason = strdup(reason);
    return why->reason ? 0 : ENOMEM;
}

static int explain_difference(const struct lauka_valgrind_runs *runs, size_t c,
                              struct lauka_result *result)
{
    struct lauka_why *why = lauka_list_add(&result->whys.whys, &result->whys.count, sizeof *why);
    const struct lauka_attribution_side sides[2] = {side_of(runs, 0), side_of(runs, c)};

    if (!why)
        return ENOMEM;
    why->command = c;
    const size_t broken = is_whole(&runs->commands[0]) ? c : 0;
    if (!is_whole(&runs->commands[broken]))
        return refuse_to_compare(result->commands[broken].label, &runs->commands[broken], why);
    return lauka_attribution_make(sides, why);
}

static int valgrind_runs_explain(const struct lauka_valgrind_runs *runs,
                                 struct lauka_result *result)
{
    int error = lauka_allocations_explain(runs, result);

    result->whys.asked = runs->options->measure.why;
    for (size_t c = 1; c < result->command_count && !error; c++)
        error = explain_difference(runs, c, result);
    return error;
}

void lauka_valgrind_runs_close(struct lauka_valgrind_runs *runs)
{
    if (runs->folder[0])
        (void)lauka_tree_remove(runs->folder);
    for (size_t c = 0; runs->commands && c < runs->options->run.command_count; c++) {
        for (size_t run = 0; run < LAUKA_VALGRIND_RUNS; run++)
            lauka_profile_done(&runs->commands[c].profiles[run]);
        free(runs->commands[c].environment);
    }
    free(runs->commands);
    *runs = (struct lauka_valgrind_runs){0};
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

static bool fail_without_counts(const struct lauka_valgrind_runs *runs, size_t command,
                                const struct lauka_sample *sample, struct lauka_error *error)
{
    char complaint[400], outcome[200];
    struct stat about;
    const struct lauka_command *own = &runs->options->run.commands[command];
    bool privileged = stat(own->path, &about) == 0 && about.st_mode & (S_ISUID | S_ISGID);

    lauka_sample_describe(sample, outcome, sizeof outcome);
    find_complaint(runs->launcher, complaint, sizeof complaint);
    return lauka_fail(error, LAUKA_EXIT_HOST, "%s: valgrind cannot run `%.200s`%s%s%s",
                      asked_by(runs->options), own->label, *complaint ? "" : ", which ",
                      *complaint ? complaint : outcome,
                      privileged ? " (it is set-uid, and valgrind cannot run such a program)" : "");
}

static bool fail_with_outcome(const struct lauka_valgrind_runs *runs, size_t command,
                              const struct lauka_sample *sample, struct lauka_error *error)
{
    char outcome[200];
    bool unknown = sample->outcome == LAUKA_SIGNALED && sample->code == SIGILL;

    lauka_sample_describe(sample, outcome, sizeof outcome);
    return lauka_fail(error, LAUKA_EXIT_COMMAND_FAILED, "under valgrind, `%.200s` %s%s",
                      runs->options->run.commands[command].label, outcome,
                      unknown ? "; valgrind does not know all instructions: build the program "
                                "without AVX-512, or leave --counters=valgrind out"
                              : "");
}

/* Where callgrind divides the counts of a process, as at a fork, it counts two instructions less without caches than with
 * them (valgrind 3.19; others get room for four). That is no difference between the runs. */
static void level_forks(bool follow, struct lauka_valgrind_sum runs[LAUKA_VALGRIND_RUNS])
{
    uint64_t first = runs[0].counts[0], second = runs[1].counts[0]; /* instructions */

    if (follow && lauka_attribution_distance(first, second) <= 4 * runs[1].programs)
        runs[1].counts[0] = first;
}

/* However the run ended, the folder is empty again, and nobody listens. */
static bool run_and_collect(struct lauka_valgrind_runs *runs, size_t command, size_t run,
                            struct lauka_sample *sample, int *failure, struct lauka_error *error)
{
    struct lauka_valgrind_command *own = &runs->commands[command];
    struct lauka_run_name name = {.command = command, .padding = own->padding};
    struct lauka_valgrind_log *log;

    lauka_profile_done(&own->profiles[run]); /* of a run that did not count */
    int refused = lauka_valgrind_listen(runs->folder, &own->profiles[run], &log);
    if (refused)
        return lauka_fail(error, LAUKA_EXIT_HOST, "%s: cannot listen to valgrind in %s: %s",
                          asked_by(runs->options), runs->folder, strerror(refused));
    lauka_launcher_name_run(runs->launcher, &name);
    size_t way = (own->follow ? FOLLOWS : 0) + (run > 0 ? IS_PLAIN : 0);
    bool good = lauka_launcher_run(runs->launcher, own->number + way, sample, error);
    *failure = lauka_valgrind_collect(log, own->follow, &own->runs[run]);
    if (run > 0)
        level_forks(own->follow, own->runs);
    own->runs[run].counts[LAUKA_VALGRIND_ALLOCATIONS] =
        lauka_allocations_count(&own->profiles[run]);
    return good;
}

/* ---- programs that tell valgrind what to count ------------------------------------------------------ */

/* Looks at each file whose functions were executed; *object becomes the last of those that ask callgrind. */
static unsigned find_requests(const struct lauka_profile *profile, const char **object)
{
    enum { SEEN_MOST = 256 };
    const char *seen[SEEN_MOST]; /* one text is one pointer in a profile */
    unsigned found = 0;
    size_t count = 0;

    for (size_t f = 0; f < profile->function_count && count < SEEN_MOST; f++) {
        size_t i = 0;
        while (i < count && seen[i] != profile->functions[f].object)
            i++;
        if (i < count)
            continue;
        seen[count++] = profile->functions[f].object;
        unsigned asks = lauka_valgrind_requests(profile->functions[f].object);
        *object = asks & LAUKA_VALGRIND_ASKS_CALLGRIND ? profile->functions[f].object : *object;
        found |= asks;
    }
    return found;
}

/* All commands by one tool, because functions are compared. */
static void count_all_again(struct lauka_valgrind_runs *runs, bool follow)
{
    for (size_t c = 0; c < runs->options->run.command_count; c++) {
        runs->commands[c].follow = follow || runs->commands[c].stays;
        runs->commands[c].stays |= follow;
    }
    runs->again = true;
}

/* Cachegrind hears nothing of what callgrind is asked for, but cannot follow processes. */
static void heed_requests(struct lauka_valgrind_runs *runs, size_t command, size_t run)
{
    struct lauka_valgrind_command *own = &runs->commands[command];
    struct lauka_valgrind_sum *sum = &own->runs[run];
    const char *object = "";
    unsigned asks = own->follow ? find_requests(&own->profiles[run], &object) : 0;

    if (!(asks & LAUKA_VALGRIND_ASKS_CALLGRIND) || sum->gap != LAUKA_VALGRIND_NO_GAP)
        return;
    if (asks == LAUKA_VALGRIND_ASKS_CALLGRIND && sum->programs == 1 && !own->stays) {
        count_all_again(runs, false);
        return;
    }
    const char *slash = strrchr(object, '/');
    sum->gap = LAUKA_VALGRIND_STEERED;
    snprintf(sum->program, sizeof sum->program, "%s", slash ? slash + 1 : object);
}

/* It has several processes or programs. */
static void follow(struct lauka_valgrind_runs *runs, size_t command)
{
    runs->commands[command].follow = runs->commands[command].stays = true;
    if (runs->options->measure.why)
        count_all_again(runs, true);
}

/* One run of a command, of LAUKA_VALGRIND_RUNS. Also true if lauka was interrupted. */
static bool valgrind_runs_run(struct lauka_valgrind_runs *runs, size_t command, size_t run,
                              struct lauka_error *error)
{
    struct lauka_valgrind_command *own = &runs->commands[command];
    struct lauka_sample sample;
    int failure;

    if (!run_and_collect(runs, command, run, &sample, &failure, error))
        return false;
    if (lauka_interrupt_signal())
        return true;
    bool succeeded = lauka_mishaps_is_success(runs->options, command, &sample);
    if (failure == ENOENT && succeeded && !own->follow) { /* it became what is not followed */
        own->runs[run].gap = LAUKA_VALGRIND_NOT_FOLLOWED;
        follow(runs, command);
        return true;
    }
    if (failure == ENOENT)
        return fail_without_counts(runs, command, &sample, error);
    if (failure)
        return lauka_fail(error, LAUKA_EXIT_INTERNAL, "%s: %s", runs->folder, strerror(failure));
    if (own->runs[run].gap == LAUKA_VALGRIND_NOT_FOLLOWED)
        follow(runs, command);
    else
        heed_requests(runs, command, run);
    return succeeded || fail_with_outcome(runs, command, &sample, error);
}

/* Which one comes after this run of the command, which was the i-th of all, from 0: the next; the same, if it showed
 * that processes must be followed; or 0, if it showed that all must be counted by the other tool. */
static size_t valgrind_runs_next(struct lauka_valgrind_runs *runs, size_t command, size_t number,
                                 size_t i)
{
    const struct lauka_valgrind_command *own = &runs->commands[command];
    const bool again = runs->again;

    runs->again = false;
    if (again)
        return 0;
    return own->runs[number].gap == LAUKA_VALGRIND_NOT_FOLLOWED ? i : i + 1;
}

/* ---- what it came to -------------------------------------------------------------------------------- */

uint64_t lauka_valgrind_runs_value(const struct lauka_valgrind_runs *runs, size_t command,
                                   uint64_t round, size_t count)
{
    bool counted = round == 0 || (round < LAUKA_VALGRIND_RUNS && count == 0); /* instructions */
    return counted ? runs->commands[command].runs[round].counts[count] : LAUKA_MISSING;
}

/* The difference between the runs' instructions, as a share. */
static double difference_of(const struct lauka_valgrind_command *command)
{
    double a = (double)command->runs[0].counts[0], b = (double)command->runs[1].counts[0];
    double larger = a > b ? a : b;

    return larger > 0 ? fabs(a - b) / larger : 0;
}

static int warn_of_difference(const struct lauka_valgrind_command *command, const char *label,
                              struct lauka_result *result)
{
    char share[32];
    double difference = difference_of(command);

    if (difference == 0)
        return 0;
    return lauka_result_note(result,
                             "valgrind's counts of `%.200s` differ by %s from run to run (threads, "
                             "or random numbers?), so they are not exact",
                             label, lauka_format_share(difference, 3, share, sizeof share));
}

/* What is not known to be complete is a part. */
static int mark_partial(const struct lauka_valgrind_sum *sum, size_t command,
                        struct lauka_result *result)
{
    char text[700];
    int failure = 0;

    for (size_t m = 0; m < result->metric_count && !failure; m++)
        if (strncmp(result->metrics[m].name, "sim_", 4) == 0)
            failure = lauka_result_set_at_least(result, command, m);
    snprintf(text, sizeof text,
             "valgrind could not follow all of `%.200s`: its sim_ counts are at least what is "
             "shown, and "
             "are not compared. `%s` %s",
             result->commands[command].label, *sum->program ? sum->program : "a process",
             gaps[sum->gap]);
    return failure ? failure : lauka_result_warn(result, text);
}

static int judge_command(const struct lauka_valgrind_command *own, size_t command,
                         struct lauka_result *result)
{
    const struct lauka_valgrind_sum *gap = find_gap(own);
    int failure = warn_of_difference(own, result->commands[command].label, result);

    return failure || !gap ? failure : mark_partial(gap, command, result);
}

/* Keeps with the result what its counts depend on. Returns 0 or ENOMEM. */
static int keep_circumstances(const struct lauka_valgrind_runs *runs, struct lauka_result *result)
{
    const char *const words[] = {"getconf", "GNU_LIBC_VERSION", NULL};
    char libc[41]; /* "glibc 2.36" */
    bool known = lauka_helper_says(words, libc, sizeof libc) && strncmp(libc, "glibc ", 6) == 0;

    free(result->host.simulator);
    result->host.simulator = lauka_text_format(
        "valgrind %s%s%.*s, %s", runs->commands[0].runs[0].version, known ? ", " : "",
        known ? (int)strcspn(libc, "\n") : 0, libc, runs->commands[0].environment[0]);
    return result->host.simulator ? 0 : ENOMEM;
}

/* Once all have run: says in the result what is repeatable and what is partial. Returns 0 or ENOMEM. */
static int valgrind_runs_judge(const struct lauka_valgrind_runs *runs, struct lauka_result *result)
{
    const bool caches = !runs->options->measure.without_caches;
    int failure = 0;
    bool repeatable = true;
    for (size_t c = 0; c < result->command_count; c++)
        repeatable = repeatable && difference_of(&runs->commands[c]) == 0;
    for (size_t m = 0; m < result->metric_count; m++)
        if (strncmp(result->metrics[m].name, "sim_", 4) == 0)
            result->metrics[m].repeatable = repeatable;
    failure = lauka_result_note(
        result,
        "sim_ metrics were counted by valgrind %s before the rounds, on a simulated processor%s: "
        "in user mode, %s and without rep movs in glibc (GLIBC_TUNABLES)",
        runs->commands[0].runs[0].version, caches ? ", instructions twice" : ", twice",
        caches ? "with caches of 32 KiB and 8 MiB," : "without caches");
    failure = failure ? failure : keep_circumstances(runs, result);
    for (size_t c = 0; !failure && c < result->command_count; c++)
        failure = judge_command(&runs->commands[c], c, result);
    return failure;
}

/* ---- all of them ------------------------------------------------------------------------------------ */

static enum lauka_round_end run_valgrind_once(struct lauka_loop *loop, size_t command,
                                              size_t number, struct lauka_error *error)
{
    const struct lauka_run run = {
        .command = command, .variant = command, .round = number, .warmup = true};

    enum lauka_round_end end = lauka_outside_begin(loop, &run, error);
    if (end == ROUND_FINISHED && !valgrind_runs_run(&loop->valgrind, command, number, error))
        end = ROUND_BROKEN;
    return lauka_outside_end(loop, &run, end, error);
}

/* How long the command takes under valgrind, judging by the warm-up; 0 where there was none. The factor is a rough one from
 * docs/counters.md. */
static uint64_t guess_ns(const struct lauka_loop *loop, size_t command)
{
    enum { TIMES = 40, START_NS = 500000000 };
    const uint64_t *values = loop->samples[command].usage.values;

    return loop->guess_ns == 0 || values[LAUKA_USER_TIME] == LAUKA_UNKNOWN
               ? 0
               : START_NS + values[LAUKA_WALL_TIME] + TIMES * values[LAUKA_USER_TIME];
}

/* Those that are run again, by another tool, are counted again. */
static enum lauka_round_end run_all(struct lauka_loop *loop, struct lauka_error *error)
{
    const size_t count = loop->together, runs = count * LAUKA_VALGRIND_RUNS;
    struct lauka_valgrind_command *commands = loop->valgrind.commands;

    for (size_t c = loop->first; c < loop->first + count; c++)
        commands[c].took_ns = guess_ns(loop, c);
    for (size_t i = 0, done = 0; i < runs; done++) {
        const size_t command = loop->first + i % count;
        lauka_showing_valgrind(loop, done, i);
        const uint64_t begun_ns = lauka_loop_now_ns(loop);
        enum lauka_round_end end = run_valgrind_once(loop, command, i / count, error);
        if (end != ROUND_FINISHED)
            return end;
        commands[command].took_ns = lauka_loop_now_ns(loop) - begun_ns;
        i = valgrind_runs_next(&loop->valgrind, command, i / count, i);
    }
    return ROUND_FINISHED;
}

enum lauka_round_end lauka_valgrind_runs_all(struct lauka_loop *loop, struct lauka_error *error)
{
    const bool wanted = loop->options->measure.valgrind;
    const enum lauka_round_end end = wanted ? run_all(loop, error) : ROUND_FINISHED;

    if (wanted && end == ROUND_FINISHED &&
        loop->first + loop->together == loop->options->run.command_count &&
        (valgrind_runs_judge(&loop->valgrind, loop->result) != 0 ||
         valgrind_runs_explain(&loop->valgrind, loop->result) != 0))
        return lauka_loop_lose_memory(error);
    return end;
}
