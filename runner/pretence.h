/* What a command of --backend=simulated costs, where nothing runs. */
#ifndef LAUKA_RUNNER_PRETENCE_H
#define LAUKA_RUNNER_PRETENCE_H

#include "runner/runner.h"

/* One run of one command. All that it costs follows from this, the seed and the command's words. */
struct lauka_pretended_run {
    size_t command; /* of the options */
    size_t number;  /* the same, of the whole session: --order sequential has one for each command */
    uint64_t round; /* from 0 on */
    size_t place;   /* in its round, from 0 on */
};

/* Of simulated:effects, reads each command's words into command->pretence: WORD=VALUE behind its name;
 * words without '=' are part of the name. Fails with LAUKA_EXIT_USAGE. */
bool lauka_pretence_read_all(struct lauka_options *options, struct lauka_error *error);

/* Fills the sample. */
void lauka_pretence_run(const struct lauka_options *options, const struct lauka_pretended_run *run,
                        struct lauka_counters *counters, struct lauka_sample *sample);

#endif
