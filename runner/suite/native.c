/* One side that speaks lauka-bench/1, from its start to its last round. Impossible answers are refused. */
#include "runner/suite/suite.h"
#include "runner/base/base.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void lauka_talk_describe(enum lauka_talk talk, struct lauka_process *process, char *why,
                         size_t size)
{
    static const char *const words[] = {
        [LAUKA_TALK_DONE] = "answered something else",
        [LAUKA_TALK_ENDED] = "ended before it answered",
        [LAUKA_TALK_LATE] = "did not answer in time (--timeout says how long that is)",
        [LAUKA_TALK_FLOODED] = "wrote more than 4 MiB",
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
    lauka_process_say(process, "hello 1\n");
    if (!hear(process, until_ns, &line, why, size))
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

    lauka_process_say(process, "list\n");
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

/* An unrequested answer could be mistaken for the answer to the next question. */
static bool is_quiet(const struct lauka_process *process)
{
    return process->size == process->heard;
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
    lauka_process_say(process, line);
    if (!hear(process, until_ns, &answered, why, size))
        return false;
    double gone_ns = (double)(lauka_now_ns() - begun_ns);
    if (!lauka_answer_read(answered, answer, why, size))
        return false;
    if (!is_quiet(process)) {
        snprintf(why, size, "answered more than one line");
        return false;
    }
    if (answer->wall_ns <= gone_ns + (double)TOLERANCE_NS)
        return true;
    snprintf(why, size, "says that it took %.3g s, and answered after %.3g s",
             answer->wall_ns / 1e9, gone_ns / 1e9);
    return false;
}
