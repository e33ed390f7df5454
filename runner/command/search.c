/* The last match of a regular expression in a text that comes in pieces: matches do not overlap; each is the leftmost
 * one, and of those the longest, as regexec(3) finds them. All places where the expression could be are followed at
 * once (pattern.h), those that began first before the others. */
#include "runner/command/command.h"
#include "runner/command/pattern.h"

#include <stdlib.h>
#include <string.h>

#define NOWHERE UINT64_MAX

enum {
    LOOK_EVERY = 1 << 16, /* steps, until it is asked whether to go on */
    AGAIN_FREE = 1 << 24, /* B that may be looked at again, beside a number for each byte */
    AGAIN_EACH = 64,
};

struct thread {
    uint64_t start, begin, end; /* of the match, and of its group: the places of bytes; NOWHERE */
    uint16_t at;                /* its step */
};

struct threads {
    struct thread *all; /* in the order of their right to match */
    size_t count;
};

struct lauka_search {
    struct lauka_arena arena; /* of the arrays */
    const struct lauka_pattern *pattern;
    struct threads now, next;
    struct thread *waiting; /* steps that are still to be followed from a place */
    uint32_t *seen;         /* by step: the last place's number */
    uint32_t number;        /* of the place, which counts up */
    struct thread best;     /* found, and perhaps not yet the longest; start NOWHERE: none */
    uint64_t best_stop;     /* where it ends */
    uint64_t at;            /* the next byte */
    struct pattern_set first;
    bool skips; /* no match begins with any byte but those of `first`, */
    int only;   /* or but this one; -1: there are several */
    bool over;  /* there is nothing more to find */
    bool once;  /* nor after the first match */
    enum lauka_search_end end;
    size_t steps;   /* since it was asked whether to go on */
    uint64_t again; /* B that were looked at again */
    bool (*goes_on)(void *context);
    void *context;
    char value[LAUKA_SEARCH_VALUE];
    size_t value_length;
};

/* ---- before the first byte ----------------------------------------------------------------------------- */

static void push(struct lauka_search *search, size_t *count, struct thread thread, uint16_t at)
{
    thread.at = at;
    search->waiting[(*count)++] = thread;
}

static bool is_new(struct lauka_search *search, uint16_t step)
{
    bool is = search->seen[step] != search->number;

    search->seen[step] = search->number;
    return is;
}

static void add_bytes(const struct lauka_pattern *pattern, const struct pattern_step *step,
                      struct pattern_set *set)
{
    if (step->kind == PATTERN_BYTE)
        pattern_set_add(set, step->byte);
    else
        for (size_t i = 0; i < sizeof set->bits; i++)
            set->bits[i] |= pattern->sets[step->set].bits[i];
}

/* What a match can begin with; a line's begin is taken for granted. */
static void find_first(struct lauka_search *search)
{
    const struct lauka_pattern *pattern = search->pattern;
    size_t count = 0;

    search->skips = true;
    search->number++;
    push(search, &count, (struct thread){0}, 0);
    while (count > 0) {
        uint16_t at = search->waiting[--count].at;
        const struct pattern_step *step = &pattern->steps[at];
        if (!is_new(search, at))
            continue;
        if (step->kind == PATTERN_BYTE || step->kind == PATTERN_SET)
            add_bytes(pattern, step, &search->first);
        else if (step->kind == PATTERN_MATCH || step->kind == PATTERN_LINE_END)
            search->skips = false;
        else if (step->kind == PATTERN_SPLIT || step->kind == PATTERN_JUMP)
            push(search, &count, (struct thread){0}, step->to);
        else
            push(search, &count, (struct thread){0}, (uint16_t)(at + 1));
        if (step->kind == PATTERN_SPLIT)
            push(search, &count, (struct thread){0}, step->other);
    }
}

/* The only byte of the set, or -1. */
static int only_of(const struct pattern_set *set)
{
    int only = -1;

    for (int byte = 0; byte <= UCHAR_MAX; byte++)
        if (pattern_set_has(set, (unsigned char)byte)) {
            if (only >= 0)
                return -1;
            only = byte;
        }
    return only;
}

struct lauka_search *lauka_search_open(const struct lauka_pattern *pattern,
                                       bool (*goes_on)(void *context), void *context)
{
    struct lauka_search *search = calloc(1, sizeof *search);

    if (!search)
        return NULL;
    search->pattern = pattern;
    search->goes_on = goes_on;
    search->context = context;
    const size_t count = pattern->count;
    search->now.all = lauka_arena_take(&search->arena, count * sizeof *search->now.all);
    search->next.all = lauka_arena_take(&search->arena, count * sizeof *search->next.all);
    search->waiting = lauka_arena_take(&search->arena, (2 * count + 1) * sizeof *search->waiting);
    search->seen = lauka_arena_take(&search->arena, count * sizeof *search->seen);
    if (!search->now.all || !search->next.all || !search->waiting || !search->seen) {
        lauka_search_close(search);
        return NULL;
    }
    find_first(search);
    search->only = only_of(&search->first);
    lauka_search_begin(search);
    return search;
}

void lauka_search_begin(struct lauka_search *search)
{
    search->now.count = search->next.count = 0;
    search->best.start = NOWHERE;
    search->at = 0;
    search->over = false;
    search->end = LAUKA_SEARCH_NOTHING;
    search->steps = 0;
    search->again = 0;
    search->value_length = 0;
}

void lauka_search_close(struct lauka_search *search)
{
    if (search)
        lauka_arena_done(&search->arena);
    free(search);
}

/* ---- one place between two bytes --------------------------------------------------------------------- */

struct place {
    uint64_t at;
    bool line_begins, line_ends;
};

static void take_match(struct lauka_search *search, const struct thread *thread, uint64_t at)
{
    struct thread *best = &search->best;

    if (thread->start > best->start || (thread->start == best->start && at <= search->best_stop))
        return;
    *best = *thread;
    search->best_stop = at;
}

/* What a step without a byte makes of the thread. False where it ends, or waits for the next byte. */
static bool step_on(struct lauka_search *search, struct thread *thread, const struct place *place,
                    size_t *waiting)
{
    const struct pattern_step *step = &search->pattern->steps[thread->at];

    switch (step->kind) {
    case PATTERN_BYTE:
    case PATTERN_SET:
        search->next.all[search->next.count++] = *thread;
        return false;
    case PATTERN_SPLIT:
        push(search, waiting, *thread, step->other);
        thread->at = step->to;
        return true;
    case PATTERN_JUMP:
        thread->at = step->to;
        return true;
    case PATTERN_MATCH:
        take_match(search, thread, place->at);
        return false;
    case PATTERN_BEGIN:
        thread->begin = place->at;
        thread->end = NOWHERE;
        break;
    case PATTERN_END:
        thread->end = place->at;
        break;
    case PATTERN_LINE_BEGIN:
    case PATTERN_LINE_END:
        if (!(step->kind == PATTERN_LINE_BEGIN ? place->line_begins : place->line_ends))
            return false;
        break;
    }
    thread->at++;
    return true;
}

/* Everywhere the thread could be without another byte, its preferred ways first. */
static void follow(struct lauka_search *search, struct thread thread, const struct place *place)
{
    size_t waiting = 0;

    for (;;) {
        while (is_new(search, thread.at) && step_on(search, &thread, place, &waiting))
            ;
        if (waiting == 0)
            return;
        thread = search->waiting[--waiting];
    }
}

/* Where its group began alike, the one whose group is longer goes first: its end is later, or still to come. */
static void put_long_groups_first(struct threads *threads)
{
    for (size_t i = 1; i < threads->count; i++) {
        struct thread thread = threads->all[i];
        size_t k = i;
        for (; k > 0; k--) {
            const struct thread *before = &threads->all[k - 1];
            if (before->start != thread.start || before->begin != thread.begin ||
                before->end >= thread.end)
                break;
            threads->all[k] = *before;
        }
        threads->all[k] = thread;
    }
}

/* From all places where the search could be, and from here, if a match may start. */
static void follow_all(struct lauka_search *search, const struct place *place, bool starts)
{
    const struct thread fresh = {.start = place->at, .begin = NOWHERE, .end = NOWHERE};

    if (++search->number == 0) { /* numbers begin again */
        memset(search->seen, 0, search->pattern->count * sizeof *search->seen);
        search->number = 1;
    }
    search->next.count = 0;
    if (search->pattern->has_choice)
        put_long_groups_first(&search->now);
    for (size_t i = 0; i < search->now.count; i++)
        follow(search, search->now.all[i], place);
    if (starts)
        follow(search, fresh, place);
    search->steps += search->next.count + 1;
}

static bool takes(const struct lauka_pattern *pattern, const struct pattern_step *step,
                  unsigned char byte)
{
    return step->kind == PATTERN_BYTE ? step->byte == byte
                                      : pattern_set_has(&pattern->sets[step->set], byte);
}

/* Those that take the byte, and could still be a better match than the best. */
static void advance(struct lauka_search *search, unsigned char byte)
{
    search->now.count = 0;
    for (size_t i = 0; i < search->next.count; i++) {
        struct thread thread = search->next.all[i];
        if (thread.start > search->best.start ||
            !takes(search->pattern, &search->pattern->steps[thread.at], byte))
            continue;
        thread.at++;
        search->now.all[search->now.count++] = thread;
    }
}

/* ---- the text ---------------------------------------------------------------------------------------- */

/* The best is a match: the search goes on behind it. */
static void settle(struct lauka_search *search, const struct lauka_window *window)
{
    const struct thread match = search->best;
    uint64_t reached = search->at;

    if (match.end != NOWHERE) {
        size_t length = (size_t)(match.end - match.begin);
        search->value_length = length < LAUKA_SEARCH_VALUE ? length : LAUKA_SEARCH_VALUE;
        memcpy(search->value, window->bytes + (match.begin - window->begin), search->value_length);
        search->end = LAUKA_SEARCH_FOUND;
        search->over = search->once;
    }
    search->best.start = NOWHERE;
    search->now.count = 0;
    search->at = search->best_stop + (search->best_stop == match.start);
    search->again += reached > search->at ? reached - search->at : 0;
    if (search->again > AGAIN_FREE + AGAIN_EACH * reached) {
        search->end = LAUKA_SEARCH_ENDLESS;
        search->over = true;
    }
}

static void skip(struct lauka_search *search, const struct lauka_window *window, uint64_t end)
{
    if (search->only >= 0 && search->at < end) {
        const char *from = window->bytes + (search->at - window->begin);
        const char *found = memchr(from, search->only, (size_t)(end - search->at));
        search->at = found ? search->at + (uint64_t)(found - from) : end;
    }
    while (
        search->at < end &&
        !pattern_set_has(&search->first, (unsigned char)window->bytes[search->at - window->begin]))
        search->at++;
}

static void give_up(struct lauka_search *search, enum lauka_search_end end)
{
    search->end = end;
    search->over = true;
}

static void check_limits(struct lauka_search *search)
{
    if (search->now.count > 0 && search->at - search->now.all[0].start > LAUKA_SEARCH_LONGEST)
        give_up(search, LAUKA_SEARCH_LONG);
    if (search->steps < LOOK_EVERY)
        return;
    search->steps = 0;
    if (search->goes_on && !search->goes_on(search->context))
        give_up(search, LAUKA_SEARCH_STOPPED);
}

/* Most bytes are taken by one thread in one way, if at all. Whether this was done. */
static bool look_simply(struct lauka_search *search, unsigned char byte)
{
    struct thread *thread = search->now.all;
    const struct pattern_step *step = &search->pattern->steps[thread->at];

    if (search->now.count != 1 || (step->kind != PATTERN_BYTE && step->kind != PATTERN_SET))
        return false;
    search->now.count = takes(search->pattern, step, byte);
    thread->at++;
    search->at++;
    search->steps++;
    return true;
}

/* At the place before the byte search->at, which may be the end of the text. */
static void look(struct lauka_search *search, const struct lauka_window *window, uint64_t end)
{
    const char *bytes = window->bytes + (search->at - window->begin);
    const bool last = search->at == end;
    const struct place place = {search->at, search->at == 0 || bytes[-1] == '\n',
                                last || *bytes == '\n'};

    const bool starts =
        search->best.start == NOWHERE &&
        (!search->skips || (!last && pattern_set_has(&search->first, (unsigned char)*bytes)));

    if (!starts && !last && search->best.start == NOWHERE &&
        look_simply(search, (unsigned char)*bytes))
        return;
    follow_all(search, &place, starts);
    search->now.count = 0;
    if (!last) {
        advance(search, (unsigned char)*bytes);
        search->at++;
    }
    if (search->now.count == 0 && search->best.start != NOWHERE)
        settle(search, window);
    else if (last)
        search->over = true;
}

void lauka_search_stop_at_first(struct lauka_search *search)
{
    search->once = true;
}

uint64_t lauka_search_run(struct lauka_search *search, const struct lauka_window *window)
{
    const uint64_t end = window->begin + window->size;

    while (!search->over) {
        if (search->skips && search->now.count == 0 && search->best.start == NOWHERE)
            skip(search, window, end);
        if (search->at > end || (search->at == end && !window->ends))
            break;
        look(search, window, end);
        check_limits(search);
    }
    if (search->over)
        return end;
    uint64_t needed = search->now.count > 0 ? search->now.all[0].start : search->at;
    needed = search->best.start < needed ? search->best.start : needed;
    return needed > 0 ? needed - 1 : 0; /* and whether a line begins there */
}

enum lauka_search_end lauka_search_result(const struct lauka_search *search, const char **value,
                                          size_t *length)
{
    *value = search->value;
    *length = search->value_length;
    return search->end;
}
