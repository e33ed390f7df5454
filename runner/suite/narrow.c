/* What a list is not right about: a program of google-benchmark may write lines of its own beside names, and with one
 * CPU, names of Go's benchmarks may end as if their number followed. What the program does when it is asked for one of
 * them decides. */
#include "runner/suite/suite.h"
#include "runner/command/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ASKED_MOST = 64 }; /* of each list; beyond that, names are believed */

/* What the program writes to these words; owned, NULL if it fails, unless any end will do. */
static char *hear(const struct lauka_suite *suite, const struct lauka_command *command,
                  char **(*words)(const struct lauka_inner_request *request),
                  const struct lauka_inner_request *request, bool any_end, uint64_t until_ns)
{
    struct lauka_process process = {.to = -1, .from = -1, .complaints = -1};
    char why[300], *text = NULL;
    bool good = lauka_written_run(&process, suite->launcher, suite->adapter, command, words,
                                  *request, until_ns, &text, why, sizeof why);

    lauka_process_end(&process, 0);
    if (!good || (process.status != 0 && !any_end)) {
        free(text);
        text = NULL;
    }
    lauka_process_done(&process);
    return text;
}

/* Whether the program runs nothing of this name. It does where it fails: others will see why. */
static bool is_nothing(const struct lauka_suite *suite, const struct lauka_command *command,
                       const char *name, uint64_t until_ns)
{
    const struct lauka_inner_request request = {
        .name = name, .folder = "", .rounds = 1, .round_ns = 1000, .iterations = 1, .seed = 1};
    struct lauka_inner_answers answers = {0};
    uint64_t iterations = 0;
    char *text = hear(suite, command, suite->adapter->run, &request, false, until_ns);

    if (!text)
        return false;
    int error = suite->adapter->read_run(text, name, &answers, &iterations);
    bool nothing = (!error || !*text) && answers.count == 0 && !*answers.why;
    lauka_inner_answers_done(&answers);
    free(text);
    return nothing;
}

/* ---- lines that are no names ------------------------------------------------------------------------- */

/* Whether all of what the program writes beside names stands in the list, which has more. */
static bool explain(const struct lauka_inner_names *noise, const struct lauka_inner_names *names)
{
    bool all = noise->count < names->count;

    for (size_t i = 0; i < noise->count && all; i++)
        all = lauka_inner_names_have(names, noise->names[i]);
    return all;
}

static int drop_noise(const struct lauka_suite *suite, const struct lauka_command *command,
                      const struct lauka_inner_names *noise, uint64_t until_ns,
                      struct lauka_inner_names *names)
{
    struct lauka_inner_names kept = {0};
    bool known = explain(noise, names);
    int error = 0;

    if (!known && names->count > ASKED_MOST)
        return 0;
    for (size_t i = 0; i < names->count && !error; i++) {
        const char *name = names->names[i];
        bool drops = known ? lauka_inner_names_have(noise, name)
                           : is_nothing(suite, command, name, until_ns);
        if (!drops)
            error = lauka_inner_names_add(&kept, name, strlen(name));
    }
    lauka_inner_names_done(names);
    *names = kept;
    return error;
}

static int look_for_noise(const struct lauka_suite *suite, const struct lauka_command *command,
                          uint64_t until_ns, struct lauka_inner_names *names)
{
    const struct lauka_inner_request request = {.folder = ""};
    struct lauka_inner_names noise = {0};
    char *text = hear(suite, command, suite->adapter->list_none, &request, true, until_ns);
    int error = text ? suite->adapter->read_list(text, &noise) : 0;

    if (!error && noise.count > 0)
        error = drop_noise(suite, command, &noise, until_ns, names);
    lauka_inner_names_done(&noise);
    free(text);
    return error;
}

int lauka_list_narrow(const struct lauka_suite *suite, const struct lauka_command *command,
                      const char *text, uint64_t until_ns, struct lauka_inner_names *names)
{
    if (names->unsure && is_nothing(suite, command, names->names[0], until_ns)) {
        lauka_inner_names_done(names);
        return suite->adapter->read_list_whole(text, names);
    }
    return suite->adapter->list_none && names->count > 0
               ? look_for_noise(suite, command, until_ns, names)
               : 0;
}
