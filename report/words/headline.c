/* What became worse in a session of several benchmarks, metric by metric: its headline. */
#include "report/words/words.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/prose.h"
#include "stats/stats.h"

#include <stdlib.h>
#include <string.h>

const struct lauka_result *lauka_overview_result(const struct lauka_overview *overview,
                                                 const struct lauka_overview_row *row)
{
    return &overview->session->benchmarks[row->benchmark];
}

static const char *name_of(struct lauka_prose *prose, const struct lauka_overview *overview,
                           const struct lauka_overview_row *row)
{
    return overview->name_of(prose, overview->names[row->benchmark]);
}

/* What became worse in one metric, or in one statistic of it, in one benchmark or several. */
struct group {
    const char *topic, *estimate;
    double size;                          /* of the worst, which the estimate is about */
    const struct lauka_overview_row *row; /* of the worst */
    size_t benchmarks, last;              /* how many, and which was counted last */
    bool varies;                          /* the estimates differ */
};

struct groups {
    struct lauka_prose *prose;
    const struct lauka_overview *overview;
    struct group *groups; /* owned by the prose */
    size_t count, room;
    bool usual; /* all is about the typical wall time */
};

static void add_to_group(struct groups *groups, const struct lauka_overview_row *row,
                         const char *topic, const char *estimate, double size)
{
    struct group *group = groups->groups;
    while (group < groups->groups + groups->count && strcmp(group->topic, topic) != 0)
        group++;
    if (group == groups->groups + groups->count) {
        if (groups->count == groups->room)
            return;
        groups->count++;
        *group = (struct group){topic, estimate, size, row, 1, row->benchmark, false};
        return;
    }
    group->varies |= strcmp(group->estimate, estimate) != 0;
    group->benchmarks += group->last != row->benchmark;
    group->last = row->benchmark;
    if (size > group->size) {
        group->size = size;
        group->estimate = estimate;
        group->row = row;
    }
}

static void add_limits(struct groups *groups, const struct lauka_overview_row *row)
{
    struct lauka_prose *prose = groups->prose;
    const struct lauka_result *result = lauka_overview_result(groups->overview, row);
    const struct lauka_exceeded limits = lauka_exceeded_limits(prose, result, LAUKA_EACH_COMMAND);
    for (size_t i = 0; i < limits.count; i++) {
        const struct lauka_gate_row *limit = limits.rows[i];
        groups->usual &= result->gate.rules[limit->rule].statistic == LAUKA_STATISTIC_TYPICAL &&
                         strcmp(result->metrics[limit->metric].name, "wall_time") == 0;
        add_to_group(groups, row, lauka_limit_topic(prose, result, limit),
                     lauka_gate_row_change(prose, result, limit).estimate,
                     lauka_limit_excess(result, limit));
    }
}

static void add_comparison(struct groups *groups, const struct lauka_overview_row *row)
{
    struct lauka_prose *prose = groups->prose;
    const struct lauka_result *result = lauka_overview_result(groups->overview, row);
    const char *name = result->metrics[row->metric].name;
    const struct lauka_comparison *values =
        lauka_result_comparison(result, row->command, row->metric);
    groups->usual &= strcmp(name, "wall_time") == 0;
    add_to_group(
        groups, row, lauka_metric_topic(prose, name),
        lauka_change(prose, values, lauka_result_scale(result, row->metric, prose->utf8)).estimate,
        row->size);
}

static int compare_groups(const void *left, const void *right)
{
    const struct group *a = left, *b = right;
    return a->size != b->size ? (a->size > b->size ? -1 : 1) : strcmp(a->topic, b->topic);
}

/* "memory +94.1 % in `parse`", "instructions up to +4.4 % in 2 of 24 benchmarks" */
static const char *say_group(const struct groups *groups, const struct group *group)
{
    struct lauka_prose *prose = groups->prose;
    const char *where = name_of(prose, groups->overview, group->row);
    if (group->benchmarks > 1)
        where =
            lauka_say(prose, "%zu of %zu benchmarks", group->benchmarks, groups->overview->count);
    return lauka_say(prose, "%s %s%s in %s", group->topic, group->varies ? "up to " : "",
                     group->estimate, where);
}

const char *lauka_overview_decided(struct lauka_prose *prose, const struct lauka_overview *overview)
{
    enum { ROOM = 32 };
    struct groups groups = {prose, overview, lauka_prose_room(prose, ROOM, sizeof(struct group)),
                            0,     ROOM,     true};
    const char *text = "";
    for (size_t i = 0; groups.groups && i < overview->count; i++) {
        const struct lauka_overview_row *row = &overview->rows[i];
        if (row->standing == LAUKA_STANDING_WORSE && row->gate)
            add_limits(&groups, row);
        else if (row->standing == LAUKA_STANDING_WORSE)
            add_comparison(&groups, row);
    }
    if (groups.usual)
        return "";
    qsort(groups.groups, groups.count, sizeof *groups.groups, compare_groups);
    for (size_t i = 0; i < groups.count && i < LAUKA_LIMITS_LISTED; i++)
        text = lauka_join(prose, text, ", ", say_group(&groups, &groups.groups[i]));
    return groups.count > LAUKA_LIMITS_LISTED
               ? lauka_say(prose, "%s and %zu more", text, groups.count - LAUKA_LIMITS_LISTED)
               : text;
}
