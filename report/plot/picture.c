/* What the charts of a metric share: the commands' distributions, one axis, and the words in which
 * findings are expressed. */
#include "report/plot/plot.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool lauka_picture_of(struct lauka_prose *prose, const struct lauka_result *result, size_t metric,
                      struct lauka_picture *picture)
{
    *picture = (struct lauka_picture){.prose = prose, .result = result, .metric = metric};
    picture->distributions = calloc(result->command_count + 1, sizeof *picture->distributions);
    int error = picture->distributions ? 0 : ENOMEM;
    for (size_t c = 0; c < result->command_count && !error; c++)
        error = lauka_distribution_of(result, c, metric, &picture->distributions[c]);
    lauka_prose_fail(prose, error);
    if (error)
        lauka_picture_done(picture);
    else
        picture->axis = lauka_axis_of_values(result, metric, picture->distributions,
                                             result->command_count, true);
    return !error;
}

void lauka_picture_done(struct lauka_picture *picture)
{
    for (size_t c = 0; picture->distributions && c < picture->result->command_count; c++)
        lauka_distribution_done(&picture->distributions[c]);
    free(picture->distributions);
    picture->distributions = NULL;
}

size_t lauka_picture_pair(const struct lauka_picture *picture, size_t command,
                          struct lauka_distribution pair[2])
{
    pair[0] = picture->distributions[0];
    pair[1] = picture->distributions[command];
    return command == 0 ? 1 : 2;
}

/* ---- words ----------------------------------------------------------------------------------- */

const char *lauka_letter(struct lauka_prose *prose, size_t command)
{
    char letter[24];
    return lauka_say(prose, "%s", lauka_format_letter(command, letter, sizeof letter));
}

const char *lauka_lettered_name(struct lauka_prose *prose, const struct lauka_result *result,
                                size_t command, int width)
{
    const char *name = lauka_say_bare_name(prose, result, command);
    if (lauka_is_lettered(prose, result, command) || lauka_display_width(name) > width)
        name = "";
    return lauka_join(prose, lauka_letter(prose, command), "  ", name);
}

const char *lauka_picture_runs(const struct lauka_picture *picture)
{
    return picture->result->run.stopped == LAUKA_STOPPED_STORED ? "values" : "runs";
}

const char *lauka_picture_noun(const struct lauka_picture *picture)
{
    const char *noun = lauka_metric_noun(picture->result->metrics[picture->metric].name);
    return *noun ? noun : "value";
}

const char *lauka_quantity(const struct lauka_picture *picture, double value)
{
    return lauka_say_quantity(
        picture->prose, value,
        lauka_result_scale_of(picture->result, picture->metric, value, picture->axis.utf8));
}

/* Of a command that has only a letter as its name, the whole label. */
static const char *say_meaning(struct lauka_prose *prose, const struct lauka_result *result,
                               size_t command)
{
    return lauka_is_lettered(prose, result, command)
               ? lauka_say(prose, "`%s`", lauka_say_whole(prose, result, command))
               : lauka_say_subject(prose, result, command);
}

const char *lauka_picture_names(struct lauka_prose *prose, const struct lauka_result *result,
                                size_t command)
{
    const char *reference = say_meaning(prose, result, 0);
    return command == 0
               ? lauka_say(prose, "A is %s. ", reference)
               : lauka_say(prose, "A is %s, %s is %s. ", reference, lauka_letter(prose, command),
                           say_meaning(prose, result, command));
}

const char *lauka_picture_cut(const struct lauka_picture *picture, const size_t *commands,
                              size_t count)
{
    double beyond[2] = {0, 0}, outermost[2] = {0, 0};
    const double ends[2] = {lauka_axis_value(&picture->axis, picture->axis.begin),
                            lauka_axis_value(&picture->axis, picture->axis.end)};
    const char *runs = lauka_picture_runs(picture), *text = "";
    for (size_t i = 0; i < count; i++) {
        const struct lauka_distribution *d = &picture->distributions[commands[i]];
        if (d->total == 0)
            continue;
        double least = lauka_distribution_value(d, 1), most = lauka_distribution_value(d, d->total);
        if (picture->axis.cut_low)
            beyond[0] += lauka_distribution_below(d, ends[0]);
        if (picture->axis.cut_high)
            beyond[1] += (double)d->total - lauka_distribution_below(d, ends[1]);
        outermost[0] = i == 0 || least < outermost[0] ? least : outermost[0];
        outermost[1] = most > outermost[1] ? most : outermost[1];
    }
    for (int side = 0; side < 2; side++)
        if (beyond[side] >= 0.5)
            text = lauka_say(picture->prose, "%s Beyond the %s end: %.0f %.*s, %s %s.", text,
                             side == 0 ? "lower" : "upper", beyond[side],
                             (int)strlen(runs) - (beyond[side] < 1.5), runs,
                             side == 0 ? "down to" : "up to",
                             lauka_quantity(picture, outermost[side]));
    return text;
}
