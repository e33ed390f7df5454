/* A process that writes all its rounds: it is run, and read. What cannot be is refused here, of all frameworks. */
#include "runner/suite/suite.h"
#include "runner/base/base.h"
#include "runner/options.h"
#include "runner/options/options.h"
#include "runner/session/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- whole ------------------------------------------------------------------------------------- */

/* Processes that run all benchmarks, where starting one takes long: whichever benchmark is the first to want a
 * unit has it run, and the others find it here. */

/* The process of this side in that unit; zeroed, where it was not run yet. NULL without memory. */
static struct lauka_whole_process *whole_at(struct lauka_whole *whole, size_t unit, size_t side)
{
    if (unit >= whole->capacity) {
        size_t capacity = 2 * unit + 16;
        void *grown = realloc(whole->units, capacity * sizeof *whole->units);
        if (!grown)
            return NULL;
        whole->units = grown;
        memset(whole->units + whole->capacity, 0,
               (capacity - whole->capacity) * sizeof *whole->units);
        whole->capacity = capacity;
    }
    if (unit >= whole->count)
        whole->count = unit + 1;
    return &whole->units[unit][side];
}

static void free_process(struct lauka_whole_process *process)
{
    free(process->text);
    free(process->tail);
}

void lauka_whole_done(struct lauka_whole *whole)
{
    for (size_t u = 0; u < whole->count; u++)
        for (size_t c = 0; c < LAUKA_SIDES; c++)
            free_process(&whole->units[u][c]);
    free(whole->units);
    *whole = (struct lauka_whole){0};
}

/* ---- rounds ------------------------------------------------------------------------------------ */

/* As the side itself says it; owned. NULL without memory. */
static char *own_name(const struct lauka_executor *executor, size_t c, const char *name)
{
    const char *folders = lauka_unit_suite(executor)->lists[c].folders;
    size_t size = (folders ? strlen(folders) : 0) + strlen(name) + 1;
    char *own = malloc(size);

    if (own)
        snprintf(own, size, "%s%s", folders ? folders : "", name);
    return own;
}

static int read_one(const struct lauka_executor *executor, size_t c, const char *text,
                    const char *name, struct lauka_inner_answers *answers, uint64_t *iterations)
{
    char *own = own_name(executor, c, name);
    int error =
        own ? lauka_unit_adapter(executor)->read_run(text, own, answers, iterations) : ENOMEM;

    free(own);
    return error;
}

/* ---- what cannot be ----------------------------------------------------------------------------------- */

/* A time is kept in ps, below 10^18 of them; and no iteration takes longer than its process lived. */
static bool check_times(struct lauka_executor *executor, size_t c)
{
    const double most_ns = 1e15, tolerance_ns = 1e6;
    const struct lauka_suite_side *side = &lauka_unit_of(executor)->sides[c];
    const struct lauka_adapter *adapter = lauka_unit_adapter(executor);
    bool made_up =
        adapter->tells_own_time && adapter->tells_own_time(lauka_unit_of(executor)->request.name);
    double lived_ns = (double)side->took_ns + tolerance_ns;

    for (size_t i = 0; i < side->answers.count; i++) {
        const struct lauka_inner_answer *answer = &side->answers.answers[i];
        double most = made_up || lived_ns > most_ns ? most_ns : lived_ns;
        if (answer->wall_ns >= 0 && answer->wall_ns <= most && answer->cpu_ns <= most_ns)
            continue;
        bool wall = !(answer->wall_ns >= 0 && answer->wall_ns <= most);
        return lauka_unit_fail(
            executor, c, "says that an iteration took %.3g s%s, and its process ended after %.3g s",
            (wall ? answer->wall_ns : answer->cpu_ns) / 1e9, wall ? "" : " of CPU time",
            (double)side->took_ns / 1e9);
    }
    return true;
}

/* ---- a process that failed ------------------------------------------------------------------------------ */

/* Whether one of the session's benchmarks says that it failed, or is missing: then it is named, and the others' rounds
 * are theirs. */
static bool is_explained(const struct lauka_executor *executor, size_t c,
                         struct lauka_whole_process *whole)
{
    const struct lauka_suite_list *lists = lauka_unit_suite(executor)->lists;
    const struct lauka_inner_names *names = &lists[c].names;

    for (size_t i = 0; i < names->count && !whole->judged && !whole->explained; i++) {
        struct lauka_inner_answers answers = {0};
        uint64_t iterations;
        if (!lauka_inner_names_have(&lists[1 - c].names, names->names[i]) ||
            !lauka_options_choose(executor->options, names->names[i]))
            continue;
        int error = read_one(executor, c, whole->text, names->names[i], &answers, &iterations);
        whole->explained = error == EINVAL || *answers.why || answers.count == 0;
        lauka_inner_answers_done(&answers);
    }
    whole->judged = true;
    return whole->explained;
}

/* Whether the end of the process is the benchmark's. */
static bool check_end(struct lauka_executor *executor, size_t c, const char *text,
                      struct lauka_whole_process *whole)
{
    const struct lauka_adapter *adapter = lauka_unit_adapter(executor);
    const struct lauka_process *process = &lauka_unit_of(executor)->sides[c].process;
    bool through = !adapter->is_through || adapter->is_through(text);
    char why[300];

    if ((process->status == 0 && through) || (whole && is_explained(executor, c, whole)))
        return true;
    if (process->status != 0)
        lauka_process_describe_end(process, why, sizeof why);
    return lauka_unit_fail(executor, c, "%s", process->status != 0 ? why : LAUKA_SUITE_CUT);
}

/* ---- the text ------------------------------------------------------------------------------------------- */

/* It may be the process that failed. */
static bool fail_count(struct lauka_executor *executor, size_t c, const char *text, uint64_t least)
{
    const struct lauka_suite_side *side = &lauka_unit_of(executor)->sides[c];
    const struct lauka_adapter *adapter = lauka_unit_adapter(executor);

    if (side->process.status != 0 || (adapter->is_through && !adapter->is_through(text)))
        return check_end(executor, c, text, NULL);
    return lauka_unit_fail(
        executor, c, "wrote something else than %llu rounds of --adapter %s (there are %zu%s)",
        (unsigned long long)least, adapter->name, side->answers.count,
        side->answers.count > least ? ": are there several benchmarks of this name?" : "");
}

/* The session says later which figures were left out. */
static int note_left_out(struct lauka_executor *executor, size_t c)
{
    struct lauka_inner_names *notes = &lauka_unit_suite(executor)->notes;
    const struct lauka_inner_names *left_out = &lauka_unit_of(executor)->sides[c].answers.left_out;
    const char *side = executor->options->run.commands[c].label;
    int error = 0;

    for (size_t i = 0; i < left_out->count && !error; i++) {
        char note[700];
        snprintf(note, sizeof note, "`%.300s`: %.120s in %.200s, and left out",
                 lauka_unit_of(executor)->request.name, left_out->names[i], side);
        error = lauka_inner_names_add(notes, note, strlen(note));
    }
    return error;
}

/* What the text, that all rounds of a process are in, says of the benchmark: so many rounds at least and at most.
 * whole: the process that runs all benchmarks; NULL: it runs this one alone. False if the side failed. */
static bool read_rounds(struct lauka_executor *executor, size_t c, const char *text, uint64_t least,
                        uint64_t most, struct lauka_whole_process *whole)
{
    struct lauka_suite_unit *unit = lauka_unit_of(executor);
    struct lauka_suite_side *side = &unit->sides[c];
    struct lauka_inner_answers *answers = &side->answers;
    int error = read_one(executor, c, text, unit->request.name, answers, &side->iterations);

    if (!error)
        error = note_left_out(executor, c);
    if (error == ENOMEM)
        return lauka_unit_fail(executor, c, "%s", strerror(ENOMEM));
    if (*answers->why)
        return lauka_unit_fail(executor, c, "%s", answers->why);
    if (error || answers->count < least || answers->count > most)
        return fail_count(executor, c, text, least);
    return check_end(executor, c, text, whole) && check_times(executor, c);
}

/* ---- the processes ------------------------------------------------------------------------------------------ */

/* A process that runs all rounds of a unit, and writes what they took. NULL: executor->failure tells why, or
 * lauka itself failed. Owned. */
static char *run_process(struct lauka_executor *executor, size_t c,
                         const struct lauka_inner_request *request, struct lauka_error *error)
{
    struct lauka_suite_side *side = &lauka_unit_of(executor)->sides[c];
    const struct lauka_adapter *adapter = lauka_unit_adapter(executor);
    char *text = NULL;

    if (!lauka_unit_prepare(executor, c, error))
        return NULL;
    uint64_t begun_ns = lauka_now_ns();
    if (!lauka_written_run(&side->process, executor->launcher, adapter,
                           &executor->options->run.commands[c], adapter->run, request,
                           side->until_ns, &text))
        lauka_unit_fail(executor, c, "%s", side->process.why);
    side->took_ns = lauka_now_ns() - begun_ns;
    return text;
}

static void run_whole(struct lauka_executor *executor, size_t c,
                      struct lauka_whole_process *process, struct lauka_error *error)
{
    struct lauka_suite_unit *unit = lauka_unit_of(executor);
    const struct lauka_whole *whole = lauka_unit_whole(executor);
    const struct lauka_process *ran = &unit->sides[c].process;
    const struct lauka_inner_request request = {
        .rounds = whole->rounds > 0 ? whole->rounds + 1 : LAUKA_WHOLE_FIRST,
        .round_ns = whole->round_ns ? whole->round_ns : LAUKA_UNIT_ROUND_NS,
        .seed = executor->options->measure.seed + unit->number};

    process->rounds = request.rounds;
    process->text = run_process(executor, c, &request, error);
    process->usage = ran->usage;
    process->status = ran->status;
    process->held_out = ran->held_out;
    process->took_ns = unit->sides[c].took_ns;
    process->share_ns = process->took_ns / executor->sharing;
    executor->owed_ns -= (int64_t)(process->took_ns - process->share_ns);
    if (!process->text)
        memcpy(process->why, executor->failure.reason, sizeof process->why - 1);
    if (ran->tail.size > 0) /* without memory it is not told */
        process->tail = strdup(ran->tail.bytes);
}

/* The process of this unit that runs all benchmarks. It may have been run already. NULL: the side failed, or lauka. */
static struct lauka_whole_process *take_whole(struct lauka_executor *executor, size_t c,
                                              struct lauka_error *error)
{
    struct lauka_suite_unit *unit = lauka_unit_of(executor);
    struct lauka_process *own = &unit->sides[c].process;
    struct lauka_whole_process *process = whole_at(lauka_unit_whole(executor), unit->number, c);

    if (!process) {
        lauka_fail_memory(error);
        return NULL;
    }
    if (!process->text && !*process->why) {
        run_whole(executor, c, process, error);
        return process->text ? process : NULL;
    }
    executor->owed_ns += (int64_t)process->share_ns;
    own->usage = process->usage;
    own->status = process->status;
    own->held_out = process->held_out;
    unit->sides[c].took_ns = process->took_ns;
    snprintf(own->tail.bytes, sizeof own->tail.bytes, "%s", process->tail ? process->tail : "");
    if (*process->why)
        lauka_unit_fail(executor, c, "%s", process->why);
    return *process->why ? NULL : process;
}

/* So many rounds of the side, and what comes before them. */
bool lauka_unit_run(struct lauka_executor *executor, size_t c, uint64_t rounds,
                    struct lauka_error *error)
{
    const struct lauka_inner_request *request = &lauka_unit_of(executor)->request;
    const struct lauka_adapter *adapter = lauka_unit_adapter(executor);
    bool has_will = adapter->tells_more || lauka_unit_own_rounds(executor) > 0;

    if (lauka_unit_whole(executor)) {
        struct lauka_whole_process *process = take_whole(executor, c, error);
        return process && read_rounds(executor, c, process->text, rounds,
                                      has_will ? UINT64_MAX : process->rounds, process);
    }
    char *text = run_process(executor, c, request, error);
    bool good =
        text && read_rounds(executor, c, text, adapter->own_rounds ? rounds : request->rounds,
                            has_will ? UINT64_MAX : request->rounds, NULL);
    free(text);
    return good;
}
