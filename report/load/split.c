/* The commands of a stored result as results of their own: a side is compared with its namesake in
 * another file, not with the side beside it. */
#include "report/load/load.h"
#include "report/load/loader.h"
#include "report/result/record.h"
#include "report/result/result.h"

#include <errno.h>
#include <stdlib.h>

/* Orders and layouts belong to all commands together. */
static void copy_run(const struct lauka_result_run *from, struct lauka_result_run *to)
{
    *to = *from;
    to->order = NULL;
    to->layout = NULL;
}

static int copy_ending(const struct lauka_result *from, size_t command, struct lauka_result *to)
{
    int failure = lauka_text_copy(from->error.text, &to->error.text);
    to->error.known = from->error.known;
    if (!from->failure.known || from->failure.command != command)
        return failure;
    failure |= lauka_record_copy(&lauka_failure_record, &from->failure, &to->failure);
    to->failure.command = 0;
    return failure;
}

/* They belong to the whole, so they go with the first command that is taken. */
static void move_warnings(struct lauka_result *from, struct lauka_result *to)
{
    to->warnings = from->warnings;
    to->warning_count = from->warning_count;
    from->warnings = NULL;
    from->warning_count = 0;
}

int lauka_result_take_command(struct lauka_result *from, size_t command, struct lauka_result *to)
{
    *to = (struct lauka_result){0};
    int failure = lauka_result_collapse_units(from);
    failure |= lauka_result_copy_units(from, to);
    failure |= lauka_result_copy_metrics(from, to);
    failure |= lauka_record_copy(&lauka_host_record, &from->host, &to->host);
    failure |= copy_ending(from, command, to);
    copy_run(&from->run, &to->run);
    to->commands = calloc(1, sizeof *to->commands);
    if (failure || !to->commands)
        return ENOMEM;
    to->command_count = 1;
    move_warnings(from, to);
    to->commands[0] = from->commands[command];
    from->commands[command] = (struct lauka_result_command){0};
    return 0;
}

int lauka_result_make_absent(const struct lauka_result *like, const char *label,
                             struct lauka_result *to)
{
    *to = (struct lauka_result){0};
    int failure = lauka_result_copy_metrics(like, to);
    failure |= lauka_record_copy(&lauka_host_record, &like->host, &to->host);
    to->run.unpaired = true;
    to->run.stopped = LAUKA_STOPPED_STORED;
    return !failure && lauka_result_add_command(to, label) ? 0 : ENOMEM;
}
