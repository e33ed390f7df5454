/* What the warm-up, or without one the first round, has shown of the session to come: that the given time is too short for
 * a verdict on which something hangs, or that the session takes long. */
#include "runner/session/loop.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/text/text.h"
#include "report/words/words.h"
#include "runner/base/base.h"
#include "runner/options.h"
#include "runner/session/session.h"

#include <inttypes.h>
#include <unistd.h>

#define LONG_S 15.0 /* who waits longer should know it before */

struct outlook { /* of all benchmarks that go on */
    const struct lauka_options *options;
    size_t count;                     /* how many go on */
    const struct lauka_loop *first;   /* with too little time for a verdict; NULL: none */
    size_t short_count;               /* how many have too little */
    bool time_lacks;                  /* --max-time is too short for one of them */
    double each_s;                    /* per command, of the one that needs most for a verdict */
    double all_s;                     /* for verdicts in all of them, warm-ups included */
    double least_s;                   /* what all of them take at least */
    bool open;                        /* and perhaps more */
    const struct lauka_loop *longest; /* the one that takes most of it: */
    double longest_s;
};

static double seconds_of(double ns)
{
    return ns / 1e9;
}

/* Commands that run one after the other take as long each, it is assumed. */
static double times_of(const struct lauka_loop *loop)
{
    return loop->sequential ? (double)loop->options->run.command_count : 1;
}

static struct lauka_enough_outlook outlook_of(const struct lauka_loop *loop)
{
    return lauka_enough_outlook(&loop->enough, loop->guess_ns);
}

static void add_verdict(struct outlook *outlook, const struct lauka_loop *loop,
                        const struct lauka_enough_outlook *own)
{
    const double rounds_s =
        LAUKA_WAIT_SLACK * seconds_of((double)loop->guess_ns * (double)own->verdict);
    const double each_s = rounds_s / (double)loop->together;

    outlook->all_s += rounds_s + seconds_of((double)loop->before_ns);
    if (each_s > outlook->each_s)
        outlook->each_s = each_s;
    if (own->allowed >= own->verdict)
        return;
    outlook->first = outlook->first ? outlook->first : loop;
    outlook->short_count++;
    if (each_s > seconds_of((double)outlook->options->measure.max_time_ns))
        outlook->time_lacks = true;
}

static void add_length(struct outlook *outlook, const struct lauka_loop *loop,
                       const struct lauka_enough_outlook *own)
{
    const double least_s = times_of(loop) * seconds_of((double)own->least_ns);

    outlook->least_s += least_s;
    outlook->open = outlook->open || loop->enough.looks;
    if (least_s > outlook->longest_s) {
        outlook->longest_s = least_s;
        outlook->longest = loop;
    }
}

static struct outlook look_ahead(const struct lauka_measurement *benches, size_t count,
                                 const struct lauka_options *options)
{
    struct outlook outlook = {.options = options};

    for (size_t b = 0; b < count; b++) {
        const struct lauka_loop *loop = benches[b].loop;
        if (!lauka_loop_goes_on(loop))
            continue;
        const struct lauka_enough_outlook own = outlook_of(loop);
        outlook.count++;
        add_verdict(&outlook, loop, &own);
        add_length(&outlook, loop, &own);
    }
    return outlook;
}

/* "--max-time 7s --budget 20s": of what was given, that which is too short. */
static const char *name_enough(struct lauka_prose *prose, const struct outlook *outlook)
{
    const struct lauka_measure_options *measure = &outlook->options->measure;
    const char *time = "", *budget = "";

    if (measure->has_max_time && outlook->time_lacks)
        time = lauka_say(prose, "--max-time %s", lauka_say_duration(prose, outlook->each_s));
    if (measure->budget_ns > 0 && outlook->all_s > seconds_of((double)measure->budget_ns))
        budget = lauka_say(prose, "--budget %s", lauka_say_duration(prose, outlook->all_s));
    return lauka_join(prose, time, " ", budget);
}

/* All times that were given, whichever will end the rounds. */
static const char *say_limits(struct lauka_prose *prose, const struct lauka_result *result)
{
    struct lauka_result before = *result; /* the first round */

    before.run.rounds = 0;
    return lauka_time_limit(prose, &before, 0).text;
}

/* "about 3 rounds fit into --max-time 2s, and a verdict needs 8: --max-time 7s would do"; empty where benchmarks that
 * need less leave enough to the others. */
static const char *say_too_short(struct lauka_prose *prose, const struct outlook *outlook)
{
    const struct lauka_loop *loop = outlook->first;
    const struct lauka_enough_outlook own = outlook_of(loop);
    const char *among = "", *would_do = name_enough(prose, outlook);

    if (!*would_do)
        return "";
    if (outlook->count > 1)
        among = lauka_say(prose, "%s: ", lauka_say_safely(prose, loop->result->benchmark.name));
    if (outlook->short_count > 1)
        among = lauka_say(prose, "%zu of %zu benchmarks, such as %s", outlook->short_count,
                          outlook->count, among);
    return lauka_say(prose,
                     "%sabout %" PRIu64 " round%s fit%s into %s, and a verdict needs %" PRIu64
                     ": %s would do",
                     among, own.allowed, lauka_plural(own.allowed), own.allowed == 1 ? "s" : "",
                     say_limits(prose, loop->result), own.verdict, would_do);
}

/* "0.31 s", "3.1 s", "31 s" */
static const char *say_run(struct lauka_prose *prose, double seconds)
{
    return seconds < 10 ? lauka_say(prose, "%.2g s", seconds) : lauka_say_wait(prose, seconds);
}

/* "a run takes about 3.1 s: 10 rounds of 3 commands take" */
static const char *say_rounds(struct lauka_prose *prose, const struct lauka_loop *loop)
{
    const size_t commands = loop->options->run.command_count;
    const uint64_t rounds = outlook_of(loop).least;

    return lauka_say(prose, "a run takes about %s: %" PRIu64 " round%s of %zu command%s take%s",
                     say_run(prose, seconds_of((double)loop->guess_ns / (double)loop->together)),
                     rounds, lauka_plural(rounds), commands, lauka_plural(commands),
                     rounds == 1 ? "s" : "");
}

static const char *say_long(struct lauka_prose *prose, const struct outlook *outlook)
{
    const struct lauka_loop *loop = outlook->longest;
    const uint64_t rounds_ns = loop->guess_ns * outlook_of(loop).least;
    const size_t commands = loop->options->run.command_count;
    const char *what;

    if (outlook->count > 1)
        what = lauka_say(prose, "%zu benchmarks take", outlook->count);
    else if (seconds_of((double)rounds_ns) * times_of(loop) >= outlook->least_s)
        what = say_rounds(prose, loop);
    else
        what = lauka_say(prose, "%zu command%s take%s", commands, lauka_plural(commands),
                         commands == 1 ? "s" : "");
    return lauka_say(
        prose, "%s about %s%s; --budget %.0fs ends earlier, Ctrl-C reports what is there", what,
        lauka_say_wait(prose, outlook->least_s), outlook->open ? " at least" : "", LONG_S);
}

static const char *outlook_text(struct lauka_prose *prose, const struct outlook *outlook)
{
    const struct lauka_measure_options *measure = &outlook->options->measure;

    if (outlook->first)
        return say_too_short(prose, outlook);
    return measure->has_max_time || measure->budget_ns > 0 || outlook->least_s < LONG_S
               ? ""
               : say_long(prose, outlook);
}

/* Whether a warm-up or a round has shown how long a round of each takes. */
static bool is_known(const struct lauka_measurement *benches, size_t count)
{
    bool known = true;

    for (size_t b = 0; b < count; b++)
        known = known && (!lauka_loop_goes_on(benches[b].loop) || benches[b].loop->guess_ns > 0);
    return known;
}

bool lauka_outlook_say(const struct lauka_measurement *benches, size_t count,
                       const struct lauka_options *options)
{
    struct lauka_error note;

    if (options->quiet || !is_known(benches, count))
        return options->quiet;
    const struct outlook outlook = look_ahead(benches, count, options);
    struct lauka_prose prose =
        lauka_prose_begin(NULL, lauka_terminal_detect(STDERR_FILENO, LAUKA_COLOR_NEVER));
    const char *text = outlook_text(&prose, &outlook);
    if (*text) {
        lauka_progress_clear();
        lauka_fail(&note, LAUKA_EXIT_DONE, "%s", text);
        lauka_note_print(&note);
    }
    lauka_prose_done(&prose);
    return true;
}
