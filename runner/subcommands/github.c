/* GitHub's runner reads commands from what a step prints: lines that begin with :: */
#include "runner/subcommands/subcommands.h"
#include "report/ci/ci.h"
#include "report/result/result.h"
#include "runner/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h> /* getentropy(3) of musl */

enum { SUMMARY_MOST = 1 << 20 }; /* bytes that GitHub takes of a step's summary */

/* Whoever wrote the text in between cannot know the token. */
void lauka_github_begin_text(char token[33])
{
    uint64_t random[2] = {lauka_now_ns(), (uint64_t)getpid()};

    (void)!getentropy(random, sizeof random);
    snprintf(token, 33, "%016" PRIx64 "%016" PRIx64, random[0], random[1]);
    printf("::stop-commands::%s\n", token);
}

void lauka_github_end_text(const char *token)
{
    printf("::%s::\n", token);
}

bool lauka_github_open_summary(struct lauka_outputs *outputs, struct lauka_error *error)
{
    const char *path = getenv("GITHUB_STEP_SUMMARY");
    struct stat about;

    if (!path || !*path) {
        if (!outputs->options->quiet)
            fputs("lauka: --github: GITHUB_STEP_SUMMARY is not set, so there will be no summary\n",
                  stderr);
        return true;
    }
    int descriptor = lauka_own_file_open(path, O_APPEND);
    if (descriptor >= 0)
        outputs->summary = fdopen(descriptor, "a");
    if (!outputs->summary || fstat(descriptor, &about) != 0)
        return lauka_fail(error, LAUKA_EXIT_USAGE, "--github: %.300s, the step's summary: %s", path,
                          lauka_own_file_error(errno));
    uint64_t held = S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
    outputs->summary_room = held < SUMMARY_MOST ? SUMMARY_MOST - (size_t)held : 0;
    return true;
}

bool lauka_github_write_summary(struct lauka_outputs *outputs, const struct lauka_session *session,
                                struct lauka_error *error)
{
    if (!outputs->summary)
        return true;
    int failure = lauka_write_step_summary(session, outputs->summary_room, outputs->summary);
    if (fclose(outputs->summary) != 0 && !failure)
        failure = errno;
    outputs->summary = NULL;
    if (failure == EFBIG)
        return lauka_fail(error, LAUKA_EXIT_INTERNAL,
                          "--github: the step's summary holds 1 MiB, and there is no room left");
    return !failure || lauka_fail(error, LAUKA_EXIT_INTERNAL, "--github: the step's summary: %s",
                                  strerror(failure));
}
