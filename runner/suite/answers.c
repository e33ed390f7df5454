/* What the sides of a benchmark answer: of a program that speaks lauka-bench/1 (docs/suite.md has the protocol), of one
 * that writes what it found, and the figures in them that both sides report. */
#include "runner/suite/suite.h"
#include "pmu/events/events.h"
#include "report/result/lists.h"
#include "runner/base/arena.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/session/session.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- figures that both sides report -------------------------------------------------------------- */

/* Whether no metric has this name. */
static bool can_name_figure(const char *name)
{
    for (size_t i = 0; i < LAUKA_USAGE_METRICS; i++)
        if (strcmp(lauka_usage_events()[i].name, name) == 0)
            return false;
    return strcmp(name, LAUKA_FIRST_CALL) != 0 && !lauka_event_find(name);
}

static size_t find(const struct lauka_inner_figures *figures, const char *name)
{
    size_t f = 0;

    while (f < figures->tells.figure_count && strcmp(figures->tells.figures[f].name, name) != 0)
        f++;
    return f;
}

int lauka_inner_figures_note(struct lauka_inner_figures *figures, size_t side,
                             const struct lauka_inner_answer *answer)
{
    for (size_t i = 0; i < answer->figure_count; i++) {
        const struct lauka_inner_figure *told = &answer->figures[i];
        size_t f = find(figures, told->name);
        struct lauka_figure *figure = &figures->tells.figures[f];
        if (!can_name_figure(told->name) || f == LAUKA_FIGURES_MAX)
            continue;
        if (f == figures->tells.figure_count) {
            *figure = (struct lauka_figure){.name = strdup(told->name), .unit = told->unit};
            if (!figure->name)
                return ENOMEM;
            figures->tells.figure_count++;
        }
        figures->told[side][f] = true;
    }
    return 0;
}

/* In the unit of the metric; NaN if it is not among them. */
static double value_of(const struct lauka_figure *figure, const struct lauka_inner_answer *answer)
{
    for (size_t i = 0; i < answer->figure_count; i++) {
        const struct lauka_inner_figure *told = &answer->figures[i];
        if (strcmp(told->name, figure->name) == 0 &&
            strcmp(told->unit->unit, figure->unit->unit) == 0)
            return told->value * told->unit->factor;
    }
    return NAN;
}

const char *lauka_inner_figures_fill(const struct lauka_inner_figures *figures, size_t side,
                                     const struct lauka_inner_answer *answer, double *values)
{
    const char *missing = NULL;

    for (size_t f = 0; f < figures->tells.figure_count; f++) {
        values[f] = value_of(&figures->tells.figures[f], answer);
        if (isnan(values[f]) && figures->told[side][f])
            missing = figures->tells.figures[f].name;
    }
    return missing;
}

void lauka_inner_figures_done(struct lauka_inner_figures *figures)
{
    for (size_t f = 0; f < figures->tells.figure_count; f++)
        free(figures->tells.figures[f].name);
    figures->tells.figure_count = 0;
}

/* ---- answers of a program that speaks lauka-bench/1 ---------------------------------------------- */

static bool complain(char *why, size_t size, const char *what, const char *word)
{
    snprintf(why, size, "%s: %.60s", what, word);
    return false;
}

/* A finite number, and nothing behind it. */
static bool read_number(const char *text, double *value)
{
    char *end;

    if (isspace((unsigned char)*text))
        return false;
    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value);
}

/* The next word, which is terminated in place; "" if there is none. */
static char *next_word(char **text)
{
    char *word = *text + strspn(*text, " ");
    size_t length = strcspn(word, " ");

    *text = word + length;
    if (word[length])
        *(*text)++ = '\0';
    return word;
}

static bool is_name(const char *name)
{
    static const char others[] = "_-./";

    if (!isalpha((unsigned char)*name) || strlen(name) >= LAUKA_INNER_NAME)
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && !strchr(others, *name))
            return false;
    return true;
}

static bool read_figure(char *word, const char *unit, struct lauka_inner_answer *answer, char *why,
                        size_t size)
{
    struct lauka_inner_figure *figure = &answer->figures[answer->figure_count];
    char *equals = strchr(word, '=');

    if (!equals || answer->figure_count == LAUKA_INNER_FIGURES)
        return complain(why, size,
                        equals ? "it reports more than eight figures" : "it answered more", word);
    *equals = '\0';
    if (!is_name(word))
        return complain(why, size, "a figure has an invalid name", word);
    for (size_t i = 0; i < answer->figure_count; i++)
        if (strcmp(answer->figures[i].name, word) == 0)
            return complain(why, size, "it reports a figure twice", word);
    if (!read_number(equals + 1, &figure->value) || figure->value < 0)
        return complain(why, size, "a figure is not a number of at least 0", equals + 1);
    if (!*unit)
        return complain(why, size, "a figure has no unit", word);
    if (!can_name_figure(word))
        return complain(why, size, "a metric of this name exists already", word);
    figure->unit = lauka_figure_unit_find(unit, strlen(unit));
    if (!figure->unit)
        return complain(why, size, "a figure has a unit that is not known", unit);
    strcpy(figure->name, word);
    answer->figure_count++;
    return true;
}

bool lauka_answer_read(const char *line, struct lauka_inner_answer *answer, char *why, size_t size)
{
    char own[2048], *rest = own;

    *answer = (struct lauka_inner_answer){.cpu_ns = -1};
    if (strncmp(line, "error", 5) == 0 && (line[5] == ' ' || !line[5]))
        return complain(why, size, "it answered with an error", line + 5 + strspn(line + 5, " "));
    if (strlen(line) >= sizeof own)
        return complain(why, size, "its answer is too long", line);
    strcpy(own, line);
    if (strcmp(next_word(&rest), "ok") != 0)
        return complain(why, size, "its answer is not understood", line);
    char *wall = next_word(&rest), *cpu = next_word(&rest);
    if (!read_number(wall, &answer->wall_ns) || answer->wall_ns < 0 || answer->wall_ns > 1e18)
        return complain(why, size, "its wall time is not a valid time", wall);
    if (strcmp(cpu, "-") != 0 &&
        (!read_number(cpu, &answer->cpu_ns) || answer->cpu_ns < 0 || answer->cpu_ns > 1e18))
        return complain(why, size, "its CPU time is not a valid time", cpu);
    for (char *word = next_word(&rest); *word; word = next_word(&rest)) {
        const char *unit = next_word(&rest);
        if (!read_figure(word, unit, answer, why, size))
            return false;
    }
    return true;
}

/* Whether a benchmark can have this name: no blanks, and only printable characters. */
static bool answer_can_name(const char *name)
{
    enum { LONGEST = 300 };
    size_t length = strlen(name);

    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] <= ' ' || name[i] == 0x7f)
            return false;
    return length > 0 && length <= LONGEST;
}

/* ---- the answers of a process ----------------------------------------------------------------------- */

int lauka_inner_answers_add(struct lauka_inner_answers *answers,
                            const struct lauka_inner_answer *answer)
{
    struct lauka_inner_answer *added =
        lauka_list_add(&answers->answers, &answers->count, sizeof *added);

    if (!added)
        return ENOMEM;
    *added = *answer;
    return 0;
}

int lauka_inner_answers_refuse(struct lauka_inner_answers *answers, const char *what,
                               const char *fault)
{
    if (!*answers->why)
        snprintf(answers->why, sizeof answers->why, "says that its %s is %.30s", what, fault);
    return EINVAL;
}

int lauka_inner_answers_leave_out(struct lauka_inner_answers *answers, const char *name,
                                  const char *fault)
{
    char text[LAUKA_INNER_NAME + 50];

    snprintf(text, sizeof text, "`%.*s` is %.30s", LAUKA_INNER_NAME, name, fault);
    return lauka_inner_names_add(&answers->left_out, text, strlen(text));
}

void lauka_inner_answers_done(struct lauka_inner_answers *answers)
{
    lauka_inner_names_done(&answers->left_out);
    free(answers->answers);
    *answers = (struct lauka_inner_answers){0};
}

const char *lauka_inner_fault(double value, size_t figure_count)
{
    if (isnan(value))
        return "NaN";
    if (!isfinite(value))
        return "infinite";
    if (value < 0)
        return "negative";
    return figure_count >= LAUKA_INNER_FIGURES ? "one of more than eight" : NULL;
}

/* ---- one side that speaks lauka-bench/1, from its start to its last round ---------------------- */

/* Says what is wrong with a conversation. Always false. */
static bool fail_talk(struct lauka_process *process, enum lauka_talk talk)
{
    static const char *const words[] = {
        [LAUKA_TALK_DONE] = "answered something else",
        [LAUKA_TALK_ENDED] = "ended before it answered",
        [LAUKA_TALK_LATE] = "did not answer in time (--timeout says how long that is)",
        [LAUKA_TALK_FLOODED] = "wrote more than 4 MiB",
        [LAUKA_TALK_GARBLED] = "answered with a byte 0",
        [LAUKA_TALK_INTERRUPTED] = "was interrupted",
    };

    return lauka_process_fail(process, "%s", words[talk]);
}

static bool hear(struct lauka_process *process, uint64_t until_ns, char **line)
{
    enum lauka_talk talk = lauka_process_hear(process, until_ns, line);

    return talk == LAUKA_TALK_DONE || fail_talk(process, talk);
}

/* An answer that nobody asked for would be taken for the one to the next question. */
bool lauka_native_is_quiet(struct lauka_process *process)
{
    const char *more = lauka_process_unasked(process);

    return !more ||
           lauka_process_fail(process, "wrote more than it was asked for: %.*s",
                              (int)(strcspn(more, "\n") < 60 ? strcspn(more, "\n") : 60), more);
}

static bool ask(struct lauka_process *process, const char *question)
{
    if (!lauka_native_is_quiet(process))
        return false;
    lauka_process_say(process, question);
    return true;
}

bool lauka_native_start(struct lauka_process *process, struct lauka_launcher *launcher,
                        const struct lauka_command *command, struct lauka_counters *counters,
                        uint64_t until_ns)
{
    static const char *const variables[] = {"LAUKA_BENCH_FDS=3,4", NULL};
    int error =
        lauka_process_start(process, launcher, command, command->argv, variables, true, counters);
    char *line;

    if (error)
        return lauka_process_fail(process, "could not be started: %s", strerror(error));
    if (!ask(process, "hello 1\n") || !hear(process, until_ns, &line))
        return false;
    return strcmp(line, "hello 1") == 0 ||
           lauka_process_fail(process, "does not speak lauka-bench/1: it answered %.60s", line);
}

bool lauka_native_list(struct lauka_process *process, uint64_t until_ns,
                       struct lauka_inner_names *names)
{
    static const char word[] = "benchmark ";
    char *line;

    if (!ask(process, "list\n"))
        return false;
    while (hear(process, until_ns, &line)) {
        if (strcmp(line, "ok") == 0)
            return true;
        const char *name = line + strlen(word);
        if (strncmp(line, word, strlen(word)) != 0 || !answer_can_name(name))
            return lauka_process_fail(process, "invalid name of a benchmark: %.60s", line);
        if (lauka_inner_names_add(names, name, strlen(name)) != 0)
            return lauka_process_fail(process, "has more benchmarks than memory can hold");
    }
    return false;
}

/* More than all CPUs together could have spent, as far as the kernel's clock tells. */
static bool has_spent_too_much(const struct lauka_inner_answer *answer, double gone_ns)
{
    const double most_ns =
        gone_ns + 1e7; /* some kernels account for no less than a tick of 10 ms */

    if (answer->cpu_ns <= most_ns)
        return false;
    long cpus = sysconf(_SC_NPROCESSORS_CONF); /* which takes longer than many a round */
    return cpus > 0 && answer->cpu_ns > most_ns * (double)cpus;
}

bool lauka_native_run(struct lauka_process *process, const struct lauka_inner_request *request,
                      uint64_t seed, uint64_t until_ns, struct lauka_inner_answer *answer)
{
    enum { TOLERANCE_NS = 1000000 };
    char line[512], *answered;

    snprintf(line, sizeof line, "run %s %" PRIu64 " %" PRIu64 "\n", request->name,
             request->iterations, seed);
    uint64_t begun_ns = lauka_now_ns();
    if (!ask(process, line) || !hear(process, until_ns, &answered))
        return false;
    double gone_ns = (double)(lauka_now_ns() - begun_ns);
    if (!lauka_answer_read(answered, answer, process->why, sizeof process->why) ||
        !lauka_native_is_quiet(process))
        return false;
    const bool takes_long = answer->wall_ns > gone_ns + (double)TOLERANCE_NS;
    return (!takes_long && !has_spent_too_much(answer, gone_ns)) ||
           lauka_process_fail(process, "says that it took %.3g s%s, and answered after %.3g s",
                              (takes_long ? answer->wall_ns : answer->cpu_ns) / 1e9,
                              takes_long ? "" : " of CPU time", gone_ns / 1e9);
}

/* ---- a process that writes what it found: on stdout, or into files of a folder that is its own --- */

/* What a framework writes about one benchmark, or about all. */
enum { FILE_MOST = 64 << 20 };

/* ---- its words --------------------------------------------------------------------------------------- */

/* POSIX has no escapes for the second of brackets, so that there any character may stand for it. numbered: what it ends in
 * may be none of the name. */
static char *escape(struct lauka_arena *arena, const char *name, bool parts, bool numbered)
{
    const size_t length = strlen(name), number = lauka_inner_name_number(name, length);
    char *text = lauka_arena_take(arena, 3 * length + sizeof "()?"), *end = text;

    for (size_t i = 0; text && i < length; i++) {
        if (numbered && i == number)
            *end++ = '(';
        if (strchr("\\^$.|?*+()[{", name[i]))
            *end++ = '\\';
        if (parts && name[i] == '/')
            end = stpcpy(end, "$/^");
        else
            *end++ = name[i] == ']' || name[i] == '}' ? '.' : name[i];
    }
    if (text && numbered && number < length)
        strcpy(end, ")?");
    return text;
}

/* What this mark stands for; NULL without memory. */
static const char *meaning_of(struct lauka_arena *arena, const char *mark, size_t length,
                              const struct lauka_inner_request *asked)
{
    const double seconds = (double)asked->round_ns / 1e9;
    const bool counts = asked->iterations > 0;
    const struct {
        const char *mark, *text;
    } values[] = {
        {"folder", asked->folder},
        {"name", asked->name},
        {"regex", asked->name ? escape(arena, asked->name, false, false) : NULL},
        {"parts", asked->name ? escape(arena, asked->name, true, asked->numbered) : NULL},
        {"rounds", lauka_arena_print(arena, "%" PRIu64, asked->rounds)},
        {"seed", lauka_arena_print(arena, "%" PRIu64, asked->seed)},
        {"ns", lauka_arena_print(arena, "%" PRIu64, asked->round_ns)},
        {"seconds", lauka_arena_print(arena, "%.9f", seconds)},
        {"all_seconds", lauka_arena_print(arena, "%.9f", (double)asked->rounds * seconds)},
        {"iterations",
         lauka_arena_print(arena, "%" PRIu64 "%s", counts ? asked->iterations : asked->round_ns,
                           counts ? "x" : "ns")},
    };

    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (strncmp(values[i].mark, mark, length) == 0 && !values[i].mark[length])
            return values[i].text;
    return NULL;
}

/* NULL without memory. */
static char *fill(struct lauka_arena *arena, const char *word,
                  const struct lauka_inner_request *asked)
{
    const char *open = strchr(word, '{');

    if (!open)
        return lauka_arena_text(arena, word);
    const size_t length = strcspn(open + 1, "}");
    const char *value = meaning_of(arena, open + 1, length, asked);
    return value ? lauka_arena_print(arena, "%.*s%s%s", (int)(open - word), word, value,
                                     open + length + 2)
                 : NULL;
}

/* The command's words and then some of the adapter's. NULL without memory. */
static char **fill_all(struct lauka_arena *arena, const struct lauka_adapter *adapter,
                       const struct lauka_command *command, const char *const *words,
                       const struct lauka_inner_request *request)
{
    struct lauka_inner_request asked = *request;
    const char *const *more = words != adapter->run ? NULL
                              : request->name       ? adapter->run_one
                                                    : adapter->run_all;
    const size_t own = lauka_words_count((const char *const *)command->argv),
                 first = own + lauka_words_count(words), count = first + lauka_words_count(more);
    char **filled = lauka_arena_take(arena, (count + 1) * sizeof *filled);

    if (asked.rounds < adapter->least_rounds)
        asked.rounds = adapter->least_rounds;
    if (asked.round_ns < adapter->least_round_ns)
        asked.round_ns = adapter->least_round_ns;
    for (size_t i = 0; filled && i < count; i++) {
        filled[i] = i < own     ? command->argv[i]
                    : i < first ? fill(arena, words[i - own], &asked)
                                : fill(arena, more[i - first], &asked);
        if (!filled[i])
            return NULL;
    }
    return filled;
}

/* ---- texts ------------------------------------------------------------------------------------------ */

char *lauka_adapter_read_file(const char *folder, const char *name, char *why, size_t size)
{
    char path[4400];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *text = lauka_file_read_plain(path, FILE_MOST, NULL);
    if (!text && errno != ENOENT)
        snprintf(why, size, "left a %s that cannot be read: %s", name,
                 errno == EINVAL ? "it is not a plain file" : strerror(errno));
    return text;
}

/* ---- folders ---------------------------------------------------------------------------------------- */

static void remove_folder(const char *folder)
{
    struct lauka_error note;

    if (!*folder || lauka_tree_remove(folder))
        return;
    lauka_fail(&note, LAUKA_EXIT_DONE,
               "%.400s, a folder for the program's files, cannot be removed: %s", folder,
               strerror(errno));
    lauka_note_print(&note);
}

/* ---- the process ------------------------------------------------------------------------------------ */

/* "NAME=FOLDER", before what the variable has for the program itself, as PYTHONPATH may have. Owned; NULL without
 * memory. */
static char *name_folder(const struct lauka_adapter *adapter, const struct lauka_command *command,
                         const char *folder)
{
    size_t length = strlen(adapter->folder_in);
    char *text = NULL;
    const char *old = adapter->furnish ? getenv(adapter->folder_in) : NULL;

    for (char **own = command->environment; adapter->furnish && own && *own; own++)
        if (strncmp(*own, adapter->folder_in, length) == 0 && (*own)[length] == '=')
            old = *own + length + 1;
    if (asprintf(&text, "%s=%s%s%s", adapter->folder_in, folder, old && *old ? ":" : "",
                 old ? old : "") < 0)
        return NULL;
    return text;
}

/* What failed may stand in what it wrote to stdout. */
static void recall(struct lauka_process *process, const struct lauka_adapter *adapter)
{
    bool cut = adapter->is_through && process->text && !adapter->is_through(process->text);

    if (process->text && adapter->telling != LAUKA_TELLS_STDERR && (process->status != 0 || cut))
        lauka_process_recall(process, process->text, adapter->telling == LAUKA_TELLS_STDOUT);
}

static bool run(struct lauka_process *process, struct lauka_launcher *launcher,
                const struct lauka_adapter *adapter, const struct lauka_command *command,
                char **words, const char *folder, uint64_t until_ns)
{
    char *variable = adapter->folder_in ? name_folder(adapter, command, folder) : NULL;
    const char *const variables[] = {variable, NULL};
    int failure =
        words && (variable || !adapter->folder_in)
            ? lauka_process_start(process, launcher, command, words, variables, false, NULL)
            : ENOMEM;

    free(variable);
    if (failure)
        return lauka_process_fail(process, "could not be started: %s", strerror(failure));
    enum lauka_talk talk = lauka_process_read(process, until_ns);
    /* Before its files are read and removed: it might go on writing them. */
    lauka_process_end(process, talk == LAUKA_TALK_DONE ? until_ns : 0);
    if (talk != LAUKA_TALK_DONE)
        return fail_talk(process, talk);
    recall(process, adapter);
    return true;
}

/* What it wrote into its folder; what it wrote to stdout, if there is nothing. NULL without memory, or with
 * process->why. */
static char *gather(struct lauka_process *process, const struct lauka_adapter *adapter,
                    const char *folder)
{
    char *const why = process->why;
    const size_t size = sizeof process->why;
    char *text = adapter->gather ? adapter->gather(folder, why, size)
                 : adapter->file ? lauka_adapter_read_file(folder, adapter->file, why, size)
                                 : NULL;

    if (!*why && ((text && *text) || (adapter->gather && !text)))
        return text;
    free(text);
    if (*why)
        return NULL;
    text = process->text;
    process->text = NULL;
    process->size = 0;
    return text;
}

bool lauka_written_run(struct lauka_process *process, struct lauka_launcher *launcher,
                       const struct lauka_adapter *adapter, const struct lauka_command *command,
                       const char *const *words, const struct lauka_inner_request *request,
                       uint64_t until_ns, char **text)
{
    struct lauka_inner_request own =
        request ? *request : (struct lauka_inner_request){.rounds = 1, .round_ns = 1000};
    struct lauka_arena arena = {0};
    char folder[LAUKA_FOLDER_SIZE] = "";
    int failure = adapter->folder_in ? lauka_folder_make("suite", folder) : 0;

    own.folder = folder;
    if (!failure && adapter->furnish)
        failure = adapter->furnish(&own);
    if (failure) {
        remove_folder(folder);
        return lauka_process_fail(process, "needs a folder for what it writes: %s",
                                  strerror(failure));
    }
    char **all = fill_all(&arena, adapter, command, words, &own);
    bool good = run(process, launcher, adapter, command, all, folder, until_ns);
    lauka_arena_done(&arena);
    *text = good ? gather(process, adapter, folder) : NULL;
    remove_folder(folder);
    if (good && !*text && !*process->why)
        lauka_process_fail(process, "%s", strerror(ENOMEM));
    return good && *text;
}
