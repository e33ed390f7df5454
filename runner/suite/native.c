/* One side that speaks lauka-bench/1, from its start to its last round. Impossible answers are refused. */
#include "runner/suite/suite.h"
#include "runner/base/base.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void lauka_talk_describe(enum lauka_talk talk, struct lauka_process *process, char *why,
                         size_t size)
{
    static const char *const words[] = {
        [LAUKA_TALK_DONE] = "answered something else",
        [LAUKA_TALK_ENDED] = "ended before it answered",
        [LAUKA_TALK_LATE] = "did not answer in time (--timeout says how long that is)",
        [LAUKA_TALK_FLOODED] = "wrote more than 4 MiB",
        [LAUKA_TALK_GARBLED] = "answered with a byte 0",
        [LAUKA_TALK_INTERRUPTED] = "was interrupted",
    };

    (void)process;
    snprintf(why, size, "%s", words[talk]);
}

static bool hear(struct lauka_process *process, uint64_t until_ns, char **line, char *why,
                 size_t size)
{
    enum lauka_talk talk = lauka_process_hear(process, until_ns, line);

    if (talk != LAUKA_TALK_DONE)
        lauka_talk_describe(talk, process, why, size);
    return talk == LAUKA_TALK_DONE;
}

/* An answer that nobody asked for would be taken for the one to the next question. */
bool lauka_native_is_quiet(struct lauka_process *process, char *why, size_t size)
{
    const char *more = lauka_process_unasked(process);

    if (more)
        snprintf(why, size, "wrote more than it was asked for: %.*s",
                 (int)(strcspn(more, "\n") < 60 ? strcspn(more, "\n") : 60), more);
    return !more;
}

static bool ask(struct lauka_process *process, const char *question, char *why, size_t size)
{
    if (!lauka_native_is_quiet(process, why, size))
        return false;
    lauka_process_say(process, question);
    return true;
}

bool lauka_native_start(struct lauka_process *process, struct lauka_launcher *launcher,
                        const struct lauka_command *command, struct lauka_counters *counters,
                        uint64_t until_ns, char *why, size_t size)
{
    static const char *const variables[] = {"LAUKA_BENCH_FDS=3,4", NULL};
    int error =
        lauka_process_start(process, launcher, command, command->argv, variables, true, counters);
    char *line;

    if (error) {
        snprintf(why, size, "could not be started: %s", strerror(error));
        return false;
    }
    if (!ask(process, "hello 1\n", why, size) || !hear(process, until_ns, &line, why, size))
        return false;
    if (strcmp(line, "hello 1") == 0)
        return true;
    snprintf(why, size, "does not speak lauka-bench/1: it answered %.60s", line);
    return false;
}

bool lauka_native_list(struct lauka_process *process, uint64_t until_ns,
                       struct lauka_inner_names *names, char *why, size_t size)
{
    static const char word[] = "benchmark ";
    char *line;

    if (!ask(process, "list\n", why, size))
        return false;
    while (hear(process, until_ns, &line, why, size)) {
        if (strcmp(line, "ok") == 0)
            return true;
        const char *name = line + strlen(word);
        if (strncmp(line, word, strlen(word)) != 0 || !lauka_answer_can_name(name)) {
            snprintf(why, size, "invalid name of a benchmark: %.60s", line);
            return false;
        }
        if (lauka_inner_names_add(names, name, strlen(name)) != 0) {
            snprintf(why, size, "has more benchmarks than memory can hold");
            return false;
        }
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
                      uint64_t seed, uint64_t until_ns, struct lauka_inner_answer *answer,
                      char *why, size_t size)
{
    enum { TOLERANCE_NS = 1000000 };
    char line[512], *answered;

    snprintf(line, sizeof line, "run %s %" PRIu64 " %" PRIu64 "\n", request->name,
             request->iterations, seed);
    uint64_t begun_ns = lauka_now_ns();
    if (!ask(process, line, why, size) || !hear(process, until_ns, &answered, why, size))
        return false;
    double gone_ns = (double)(lauka_now_ns() - begun_ns);
    if (!lauka_answer_read(answered, answer, why, size) ||
        !lauka_native_is_quiet(process, why, size))
        return false;
    bool takes_long = answer->wall_ns > gone_ns + (double)TOLERANCE_NS;
    if (takes_long)
        snprintf(why, size, "says that it took %.3g s, and answered after %.3g s",
                 answer->wall_ns / 1e9, gone_ns / 1e9);
    else if (has_spent_too_much(answer, gone_ns))
        snprintf(why, size, "says that it took %.3g s of CPU time, and answered after %.3g s",
                 answer->cpu_ns / 1e9, gone_ns / 1e9);
    else
        return true;
    return false;
}
