/* valgrind_sum: adds up what the processes of a run left, and says whether it is all. Every program
 * that began has to have left its parts without a gap: from its first basic block, or from the fork of
 * its parent, to its end, or to the execution of the next. What is not seen to be all, is not. */
#include "pmu/valgrind/valgrind.h"
#include "pmu/valgrind/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct adding {
    const struct lauka_valgrind_log *log;
    struct lauka_valgrind_sum *sum;
    bool *claimed; /* for each part that ends in a fork: whose process is known */
};

static void note(struct adding *adding, const struct lauka_valgrind_image *image,
                 enum lauka_valgrind_gap gap)
{
    if (adding->sum->gap != LAUKA_VALGRIND_NO_GAP)
        return;
    adding->sum->gap = gap;
    memcpy(adding->sum->program, image->program, sizeof image->program);
}

static void add_part(struct adding *adding, const struct lauka_valgrind_image *image,
                     const struct lauka_valgrind_part *part)
{
    for (size_t c = 0; c < LAUKA_VALGRIND_COUNTS; c++) {
        uint64_t *sum = &adding->sum->counts[c];
        if (*sum > UINT64_MAX - 1 - part->counts[c])
            note(adding, image, LAUKA_VALGRIND_DAMAGED);
        else
            *sum += part->counts[c];
    }
}

/* A forked process begins where a part of its parent ends, right before the fork: then both have
 * nothing in common. One fork has one child. */
static bool claim_fork(struct adding *adding, const struct lauka_valgrind_image *child,
                       uint64_t from)
{
    const struct lauka_valgrind_log *log = adding->log;
    for (size_t i = 0; i < log->image_count; i++) {
        const struct lauka_valgrind_image *image = &log->images[i];
        if (image->pid != child->parent)
            continue;
        for (size_t p = image->first; p < image->first + image->count; p++)
            if (log->parts[p].end == LAUKA_VALGRIND_FORKS && log->parts[p].to == from &&
                !adding->claimed[p])
                return adding->claimed[p] = true;
    }
    return false;
}

static bool has_gaps(const struct lauka_valgrind_log *log, const struct lauka_valgrind_image *image)
{
    const struct lauka_valgrind_part *parts = log->parts + image->first;
    for (size_t p = 1; p < image->count; p++)
        if (parts[p].from != parts[p - 1].to || parts[p - 1].end == LAUKA_VALGRIND_ENDS)
            return true;
    return image->damaged || (!image->forked && image->count > 0 && parts[0].from != 0);
}

static void check_end(struct adding *adding, const struct lauka_valgrind_image *image)
{
    const struct lauka_valgrind_part *parts = adding->log->parts + image->first;
    bool any = image->count > 0;
    enum lauka_valgrind_end last = any ? parts[image->count - 1].end : LAUKA_VALGRIND_GOES_ON;
    if (image->replaced && last != LAUKA_VALGRIND_EXECUTES)
        note(adding, image, LAUKA_VALGRIND_UNSEEN_EXECUTION);
    if (!image->replaced && last == LAUKA_VALGRIND_EXECUTES)
        note(adding, image, LAUKA_VALGRIND_UNTRACED);
    else if (!image->replaced && last != LAUKA_VALGRIND_ENDS)
        note(adding, image, LAUKA_VALGRIND_UNSEEN_END);
}

/* What a process whose fork was not seen tells first, begins with what its parent tells, too. */
static void add_image(struct adding *adding, const struct lauka_valgrind_image *image)
{
    const struct lauka_valgrind_part *parts = adding->log->parts + image->first;
    size_t p = 0;
    if (image->forked && image->count > 0 && !claim_fork(adding, image, parts[0].from)) {
        note(adding, image, LAUKA_VALGRIND_UNSEEN_FORK);
        p = 1;
    }
    if (has_gaps(adding->log, image))
        note(adding, image, LAUKA_VALGRIND_DAMAGED);
    check_end(adding, image);
    for (; p < image->count; p++)
        add_part(adding, image, &parts[p]);
}

int lauka_valgrind_add_up(const struct lauka_valgrind_log *log, bool follow, size_t left,
                          struct lauka_valgrind_sum *sum)
{
    static const struct lauka_valgrind_image nobody = {.program = ""};
    if (log->part_count == 0)
        return ENOENT;
    struct adding adding = {log, sum, calloc(log->part_count, sizeof *adding.claimed)};
    if (!adding.claimed)
        return ENOMEM;
    if (!follow && log->image_count > 1)
        note(&adding, &log->images[0], LAUKA_VALGRIND_NOT_FOLLOWED);
    for (size_t i = 0; i < log->image_count; i++)
        add_image(&adding, &log->images[i]);
    if (left > 0) /* of a process that was not heard of */
        note(&adding, &nobody, LAUKA_VALGRIND_DAMAGED);
    free(adding.claimed);
    sum->programs = log->image_count;
    memcpy(sum->version, log->version, sizeof sum->version);
    return 0;
}
