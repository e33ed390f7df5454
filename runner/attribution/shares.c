/* What samples point to: functions whose share of a command's time differs from the reference's. */
#include "pmu/profile/profile.h"
#include "pmu/samples/samples.h"
#include "report/result/lists.h"
#include "report/result/why.h"
#include "runner/attribution/attribution.h"
#include "stats/units.h"
#include "stats/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS_MOST = 40,
    SAMPLES_LEAST = 200, /* of a side; of fewer nothing is told */
    ROUNDS_LEAST = 6,    /* the same */
    LOST_MOST = 20       /* one in so many records may be lost */
};
static const double alpha = 0.05;
static const double seen =
    0.005; /* a function's part of all samples of both sides, from which on it is judged */

struct table { /* weights by function, command and round */
    const struct lauka_attribution_samples *own;
    struct lauka_profile
        names;    /* owned; a function of it is what has one name, object and place on all sides */
    char **plain; /* owned, too; by sampled function: its own name, or NULL */
    double *weights;                  /* owned; by function, command and round */
    double *wholes;                   /* owned; by command and round */
    uint64_t *runs;                   /* owned; by command */
    struct lauka_sampled_side *sides; /* owned; by command */
    size_t *round_of;                 /* owned; by part */
};

/* ---- the table ---------------------------------------------------------------------------------- */

static void release(struct table *table)
{
    lauka_profile_done(&table->names);
    for (size_t f = 0; table->plain && f < table->own->samples->function_count; f++)
        free(table->plain[f]);
    free(table->plain);
    free(table->weights);
    free(table->wholes);
    free(table->runs);
    free(table->sides);
    free(table->round_of);
}

static const char *text_of(struct table *table, const char *text)
{
    return lauka_profile_text(&table->names, text, strlen(text));
}

/* Itself, or the function that it is inlined into on one side: then no time has moved between the two. */
static const char *host_of(struct table *table, const char *name, const char *object)
{
    const struct lauka_result_whys *whys = table->own->whys;

    for (size_t w = 0; whys && w < whys->count; w++)
        for (size_t i = 0; i < whys->whys[w].inlining_count; i++) {
            const struct lauka_why_inlining *inlining = &whys->whys[w].inlinings[i];
            if (strcmp(inlining->name, name) == 0 && strcmp(inlining->object, object) == 0)
                return text_of(table, inlining->host);
        }
    return name;
}

/* Its number in the table; SIZE_MAX if there is no memory. The address takes the place of a file in the
 * profile. */
static size_t number_of(struct table *table, size_t number, size_t command)
{
    const struct lauka_sample_set *samples = table->own->samples;
    const struct lauka_sampled_function *function = &samples->functions[number];
    const char *name = table->plain[number] ? table->plain[number] : function->name;
    static const enum lauka_sampled_place places[] = {LAUKA_PLACE_FUNCTION, LAUKA_PLACE_OBJECT,
                                                      LAUKA_PLACE_JIT, LAUKA_PLACE_KERNEL,
                                                      LAUKA_PLACE_UNKNOWN};
    bool has_object = function->kind <= LAUKA_SAMPLED_OBJECT;
    struct lauka_profile_function key = {
        /* A JIT compiler's name is a path or a regular expression, with '@' and "'" in it: it stays as it is. */
        .name = name && function->kind != LAUKA_SAMPLED_JIT
                    ? lauka_attribution_name(&table->names, name)
                    : text_of(table, name ? name : ""),
        .file = text_of(table, lauka_sampled_place_name(places[function->kind])),
        .object =
            has_object
                ? lauka_attribution_object(&table->names, samples->objects[function->object].path,
                                           table->own->programs[command])
                : text_of(table, function->kind == LAUKA_SAMPLED_KERNEL && name ? "kernel" : ""),
    };
    bool good = key.name && key.file && key.object;
    if (good && *key.name)
        good = (key.name = host_of(table, key.name, key.object)) != NULL;
    return good ? lauka_profile_function(&table->names, &key) : SIZE_MAX;
}

static double *weight_at(const struct table *table, size_t function, size_t command, size_t round)
{
    const struct lauka_attribution_samples *own = table->own;
    return &table->weights[(function * own->command_count + command) * own->rounds + round];
}

static bool make_room(struct table *table)
{
    const struct lauka_attribution_samples *own = table->own;
    size_t cells = own->command_count * own->rounds;

    table->weights = calloc((table->names.function_count + 1) * cells, sizeof *table->weights);
    table->wholes = calloc(cells + 1, sizeof *table->wholes);
    table->runs = calloc(own->command_count, sizeof *table->runs);
    table->sides = calloc(own->command_count, sizeof *table->sides);
    table->round_of = calloc(own->samples->part_count + 1, sizeof *table->round_of);
    return table->weights && table->wholes && table->runs && table->sides && table->round_of;
}

static void take_part(struct table *table, size_t part)
{
    const struct lauka_attribution_samples *own = table->own;
    const struct lauka_sampled_part *about = &own->samples->parts[part];
    size_t command = own->commands[part];

    table->round_of[part] = part / own->command_count;
    table->wholes[command * own->rounds + table->round_of[part]] = (double)about->weight;
    table->runs[command] += own->runs[part];
    table->sides[command].samples += about->samples;
    table->sides[command].lost += about->lost;
    table->sides[command].throttled += about->throttled;
}

/* Names of Rust are demangled before they are compared. */
static bool find_plain_names(struct table *table)
{
    const struct lauka_sample_set *samples = table->own->samples;
    char ***names = calloc(samples->function_count + 1, sizeof *names);
    size_t count = 0;
    bool good = names != NULL;

    table->plain = calloc(samples->function_count + 1, sizeof *table->plain);
    for (size_t f = 0; f < samples->function_count && table->plain && good; f++) {
        if (!samples->functions[f].name)
            continue;
        table->plain[f] = strndup(samples->functions[f].name, LAUKA_ATTRIBUTION_NAME_MOST);
        good = table->plain[f] != NULL;
        names[count++] = &table->plain[f];
    }
    if (good && table->plain)
        lauka_attribution_demangle(names, count, true);
    free(names);
    return good && table->plain;
}

/* Which functions there are, then what each weighs. */
static int fill(struct table *table)
{
    const struct lauka_sample_set *samples = table->own->samples;
    size_t parts = table->own->rounds * table->own->command_count;
    size_t *numbers = calloc(samples->cell_count + 1, sizeof *numbers);
    bool good = numbers && find_plain_names(table);

    for (size_t c = 0; good && c < samples->cell_count; c++) {
        const struct lauka_sampled_cell *cell = &samples->cells[c];
        if (cell->part < parts)
            numbers[c] = number_of(table, cell->function, table->own->commands[cell->part]);
        good = numbers[c] != SIZE_MAX;
    }
    good = good && make_room(table);
    for (size_t part = 0; good && part < parts; part++)
        take_part(table, part);
    for (size_t c = 0; good && c < samples->cell_count; c++) {
        const struct lauka_sampled_cell *cell = &samples->cells[c];
        if (cell->part < parts)
            *weight_at(table, numbers[c], table->own->commands[cell->part],
                       table->round_of[cell->part]) += (double)cell->weight;
    }
    free(numbers);
    return good ? 0 : ENOMEM;
}

/* ---- what is judged ----------------------------------------------------------------------------- */

static double sum(const double *values, size_t count)
{
    double total = 0;

    for (size_t i = 0; i < count; i++)
        total += values[i];
    return total;
}

static double whole_of(const struct table *table, size_t command)
{
    return sum(&table->wholes[command * table->own->rounds], table->own->rounds);
}

static double part_of(const struct table *table, size_t function, size_t command)
{
    return sum(weight_at(table, function, command, 0), table->own->rounds);
}

/* By both sides together, so that what is judged does not depend on the difference. */
static bool is_seen(const struct table *table, size_t function, size_t command)
{
    double whole = whole_of(table, 0) + whole_of(table, command);

    return whole > 0 &&
           part_of(table, function, 0) + part_of(table, function, command) >= seen * whole;
}

static bool is_known(const struct table *table, size_t command)
{
    const struct lauka_sampled_side *side = &table->sides[command];

    return table->own->rounds >= ROUNDS_LEAST && side->samples >= SAMPLES_LEAST &&
           side->lost <= side->samples / LOST_MOST;
}

static uint64_t count_family(const struct table *table)
{
    uint64_t family = 0;

    for (size_t c = 1; c < table->own->command_count; c++)
        for (size_t f = 0; f < table->names.function_count; f++)
            family += is_known(table, 0) && is_known(table, c) && is_seen(table, f, c);
    return family;
}

static struct lauka_sampled_share share_of(struct lauka_share share)
{
    return (struct lauka_sampled_share){share.estimate, share.low, share.high};
}

static int add_row(const struct table *table, size_t function, size_t command, uint64_t family,
                   struct lauka_sampled *sampled)
{
    const size_t rounds = table->own->rounds;
    const struct lauka_profile_function *about = &table->names.functions[function];
    const struct lauka_shares_side sides[2] = {
        {weight_at(table, function, 0, 0), table->wholes},
        {weight_at(table, function, command, 0), &table->wholes[command * rounds]}};
    struct lauka_share_change change;
    int error = lauka_shares_compare(sides, rounds, family, alpha, &change);
    struct lauka_sampled_row *row =
        error ? NULL : lauka_list_add(&sampled->rows, &sampled->row_count, sizeof *row);

    if (error || !row)
        return error == EDOM ? 0 : ENOMEM;
    row->place = lauka_sampled_place_named(about->file);
    row->name = strdup(about->name);
    row->object = strdup(about->object);
    row->before = share_of(change.before);
    row->after = share_of(change.after);
    row->difference = share_of(change.difference);
    row->p = change.p;
    return row->name && row->object ? 0 : ENOMEM;
}

/* ---- what is claimed ---------------------------------------------------------------------------- */

static double size_of(double number)
{
    return number < 0 ? -number : number;
}

/* If one function takes longer, the shares of all others shrink. So a function is reported only if its own
 * time changed in the same direction, by at least half as much. time: of a run, relative to the
 * reference's. */
static bool changed_itself(const struct lauka_sampled_row *row, double time)
{
    double share = row->difference.estimate,
           own = row->after.estimate * time - row->before.estimate;

    return (own > 0) == (share > 0) && size_of(own) >= size_of(share) / 2;
}

static double time_of(const struct table *table, size_t command)
{
    double before = whole_of(table, 0) / (double)table->runs[0],
           after = whole_of(table, command) / (double)table->runs[command];

    return before > 0 ? after / before : 1;
}

/* The rows of all commands, as one family. */
static int claim(const struct table *table, struct lauka_result_sampled *sampled, size_t first)
{
    size_t count = 0, at = 0;

    for (size_t c = first; c < sampled->count; c++)
        count += sampled->commands[c].row_count;
    struct lauka_optional *p = calloc(count + 1, sizeof *p);
    bool *stands = calloc(count + 1, sizeof *stands);
    for (size_t c = first; p && c < sampled->count; c++)
        for (size_t r = 0; r < sampled->commands[c].row_count; r++)
            p[at++] = lauka_known(sampled->commands[c].rows[r].p);
    if (p && stands)
        lauka_family_holm(p, NULL, count, alpha, stands);
    at = 0;
    for (size_t c = first; p && stands && c < sampled->count; c++) {
        struct lauka_sampled *command = &sampled->commands[c];
        double time = time_of(table, command->command);
        for (size_t r = 0; r < command->row_count; r++) {
            command->rows[r].claimed = stands[at++] && changed_itself(&command->rows[r], time);
            if (command->rows[r].claimed)
                command->standing = LAUKA_SAMPLED_CHANGED;
        }
    }
    free(p);
    free(stands);
    return p && stands ? 0 : ENOMEM;
}

/* ---- what is told ------------------------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b)
{
    const struct lauka_sampled_row *left = a, *right = b;
    double size = size_of(left->difference.estimate), other = size_of(right->difference.estimate);

    if (left->claimed != right->claimed)
        return left->claimed ? -1 : 1;
    if (size < other || size > other)
        return size > other ? -1 : 1;
    int order = strcmp(left->name, right->name);
    return order ? order : strcmp(left->object, right->object);
}

static void drop_last(struct lauka_sampled *sampled)
{
    struct lauka_sampled_row *row = &sampled->rows[--sampled->row_count];

    free(row->name);
    free(row->object);
}

/* Everything that has no row is reported together, so that shares add up. */
static void tidy(struct lauka_sampled *sampled)
{
    if (sampled->row_count > 1)
        qsort(sampled->rows, sampled->row_count, sizeof *sampled->rows, compare_rows);
    while (sampled->row_count > ROWS_MOST)
        drop_last(sampled);
    sampled->others_before = sampled->others_after = sampled->row_count > 0;
    for (size_t r = 0; r < sampled->row_count; r++) {
        sampled->others_before -= sampled->rows[r].before.estimate;
        sampled->others_after -= sampled->rows[r].after.estimate;
    }
    sampled->others_before = sampled->others_before > 0 ? sampled->others_before : 0;
    sampled->others_after = sampled->others_after > 0 ? sampled->others_after : 0;
}

static int refuse(const struct table *table, struct lauka_sampled *sampled)
{
    const struct lauka_sampled_side *sides[] = {&table->sides[0], &table->sides[sampled->command]};
    const struct lauka_sampled_side *bad = is_known(table, 0) ? sides[1] : sides[0];
    char reason[300];

    if (table->own->rounds < ROUNDS_LEAST)
        snprintf(reason, sizeof reason,
                 "sampling ended after %zu rounds, so functions are not compared; %d are needed",
                 table->own->rounds, ROUNDS_LEAST);
    else if (bad->lost <= bad->samples / LOST_MOST)
        snprintf(reason, sizeof reason,
                 "%" PRIu64 " samples are too few to compare functions; %d are needed: sample "
                 "longer, with --sampled=10s",
                 bad->samples, SAMPLES_LEAST);
    else
        snprintf(reason, sizeof reason,
                 "%" PRIu64 " records were lost and %" PRIu64
                 " samples kept, so functions are not compared: raise kernel.perf_event_mlock_kb "
                 "(sysctl), or stop other programs",
                 bad->lost, bad->samples);
    sampled->standing = LAUKA_SAMPLED_NOT_KNOWN;
    sampled->reason = strdup(reason);
    return sampled->reason ? 0 : ENOMEM;
}

static int tell(const struct table *table, size_t command, uint64_t family,
                struct lauka_result_sampled *sampled)
{
    struct lauka_sampled *own = lauka_list_add(&sampled->commands, &sampled->count, sizeof *own);
    int error = 0;

    if (!own)
        return ENOMEM;
    own->command = command;
    own->before = table->sides[0];
    own->after = table->sides[command];
    if (!is_known(table, 0) || !is_known(table, command))
        return refuse(table, own);
    for (size_t f = 0; f < table->names.function_count && !error; f++)
        if (is_seen(table, f, command))
            error = add_row(table, f, command, family, own);
    return error;
}

static void demangle(struct lauka_sampled *sampled)
{
    char **names[ROWS_MOST];

    for (size_t r = 0; r < sampled->row_count; r++)
        names[r] = &sampled->rows[r].name;
    lauka_attribution_demangle(names, sampled->row_count, false);
}

int lauka_attribution_shares(const struct lauka_attribution_samples *samples,
                             struct lauka_result_sampled *sampled)
{
    struct table table = {.own = samples};
    size_t first = sampled->count;
    int error = fill(&table);

    if (!error)
        sampled->family = count_family(&table);
    for (size_t c = 1; c < samples->command_count && !error; c++)
        error = tell(&table, c, sampled->family, sampled);
    if (!error)
        error = claim(&table, sampled, first);
    for (size_t c = first; c < sampled->count && !error; c++) {
        tidy(&sampled->commands[c]);
        demangle(&sampled->commands[c]);
    }
    release(&table);
    return error;
}
