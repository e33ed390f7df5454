/* Which functions take more or fewer instructions, as plain data. */
#include "report/result/why.h"

#include <stdlib.h>
#include <string.h>

int64_t lauka_why_change(struct lauka_why_cost cost)
{
    bool more = cost.after >= cost.before;
    uint64_t size = more ? cost.after - cost.before : cost.before - cost.after;
    int64_t change = size > INT64_MAX ? INT64_MAX : (int64_t)size;
    return more ? change : -change;
}

/* *elements has `count` of them. Returns a zeroed one behind those, or NULL. */
static void *add(void **elements, size_t *count, size_t size)
{
    char *grown = realloc(*elements, (*count + 1) * size);
    if (!grown)
        return NULL;
    *elements = grown;
    return memset(grown + size * (*count)++, 0, size);
}

struct lauka_why *lauka_whys_add(struct lauka_result_whys *whys)
{
    void *elements = whys->whys;
    struct lauka_why *added = add(&elements, &whys->count, sizeof *added);
    whys->whys = elements;
    return added;
}

struct lauka_why_function *lauka_why_add_function(struct lauka_why *why)
{
    void *elements = why->functions;
    struct lauka_why_function *added = add(&elements, &why->function_count, sizeof *added);
    why->functions = elements;
    return added;
}

struct lauka_why_inlining *lauka_why_add_inlining(struct lauka_why *why)
{
    void *elements = why->inlinings;
    struct lauka_why_inlining *added = add(&elements, &why->inlining_count, sizeof *added);
    why->inlinings = elements;
    return added;
}

struct lauka_why_line *lauka_why_add_line(struct lauka_why_function *function)
{
    void *elements = function->lines;
    struct lauka_why_line *added = add(&elements, &function->line_count, sizeof *added);
    function->lines = elements;
    return added;
}

static void inlining_done(struct lauka_why_inlining *inlining)
{
    free(inlining->name);
    free(inlining->object);
    free(inlining->host);
}

static void function_done(struct lauka_why_function *function)
{
    for (size_t i = 0; i < function->line_count; i++)
        free(function->lines[i].file);
    free(function->lines);
    free(function->name);
    free(function->object);
    free(function->file);
    free(function->partner);
}

void lauka_whys_done(struct lauka_result_whys *whys)
{
    for (size_t w = 0; w < whys->count; w++) {
        for (size_t f = 0; f < whys->whys[w].function_count; f++)
            function_done(&whys->whys[w].functions[f]);
        for (size_t i = 0; i < whys->whys[w].inlining_count; i++)
            inlining_done(&whys->whys[w].inlinings[i]);
        free(whys->whys[w].inlinings);
        free(whys->whys[w].functions);
        free(whys->whys[w].reason);
    }
    free(whys->whys);
    *whys = (struct lauka_result_whys){0};
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *const standings[] = {"same", "within", "changed", "unknown"};
static const char *const fates[] = {"both", "gone", "new", "took", "parted"};

/* Its place; `count` if it is not there. */
static size_t place_of(const char *name, const char *const *names, size_t count)
{
    size_t i = 0;
    while (i < count && (!name || strcmp(name, names[i]) != 0))
        i++;
    return i;
}

const char *lauka_why_standing_name(enum lauka_why_standing standing)
{
    return standings[standing];
}

bool lauka_why_standing_named(const char *name, enum lauka_why_standing *standing)
{
    size_t count = sizeof standings / sizeof *standings, place = place_of(name, standings, count);
    *standing = place < count ? (enum lauka_why_standing)place : LAUKA_WHY_UNKNOWN;
    return place < count;
}

const char *lauka_why_fate_name(enum lauka_why_fate fate)
{
    return fates[fate];
}

bool lauka_why_fate_named(const char *name, enum lauka_why_fate *fate)
{
    size_t count = sizeof fates / sizeof *fates, place = place_of(name, fates, count);
    *fate = place < count ? (enum lauka_why_fate)place : LAUKA_WHY_BOTH;
    return place < count;
}
