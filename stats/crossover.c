/* crossover: the command that runs first in a round may pay for it: with a cold cache, or while the clock
 * rises. Plain ranks of the differences treat that as noise; shuffled or mirrored orders prevent errors, but
 * what it hides stays hidden. With two commands it is the classical two-period crossover trial: rounds are the
 * patients, places the periods (Hills & Armitage 1979, "The two-period cross-over clinical trial"). Half of
 * the change of the differences between the two orders is the place's, the rest is the commands'.
 *
 * It costs a degree of freedom, which is lost in a session without such a cost. So both tests are made, the
 * plain one at alpha and this one at alpha / 2. They mostly make the same claims: together at most 5.6 of 100
 * equal pairs at alpha = 0.05 (tests/bench/README.md), and never more than 7.5 (Bonferroni). The choice of
 * tests follows from the number of rounds and their orders, never from the values. */
#include "stats/crossover.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* ---- whose run came first ---- */

uint32_t *lauka_turns_select(const struct lauka_turns *turns, const struct lauka_series *reference,
                             const struct lauka_series *other)
{
    uint32_t *selected = lauka_series_marks(reference, other, turns->first, turns->stride);
    for (size_t i = 0; selected && i < reference->count; i++)
        selected[i] = selected[i] == turns->reference ? LAUKA_TURN_REFERENCE
                      : selected[i] == turns->other   ? LAUKA_TURN_OTHER
                                                      : LAUKA_TURN_THIRD;
    return selected;
}

void lauka_turns_level(const struct lauka_turns *turns, const uint32_t *selected, size_t count,
                       double *log_ratios)
{
    for (size_t i = 0; i < count; i++)
        if (selected[i] != LAUKA_TURN_THIRD)
            log_ratios[i] -= selected[i] == LAUKA_TURN_OTHER ? turns->cost : -turns->cost;
}

/* ---- the two groups ---- */

static struct lauka_differences group_of(const double *values, size_t length)
{
    return (struct lauka_differences){.values = values, .length = length};
}

/* Puts the rounds in which the reference ran first before the others. Returns how many they are. */
static size_t part(const double *values, const uint32_t *reference_first, size_t count, double *to)
{
    size_t begin = 0, end = count;
    for (size_t i = 0; i < count; i++)
        if (reference_first[i])
            to[begin++] = values[i];
        else
            to[--end] = values[i];
    return begin;
}

/* Uses Hodges & Lehmann's shift between the groups; a mean would follow every outlier. */
static int align(struct lauka_crossover *crossover, double *to)
{
    const struct lauka_differences *ahead = &crossover->groups[0], *behind = &crossover->groups[1];
    struct lauka_location shift;
    int error = lauka_locate_rank_sum(behind->values, behind->length, ahead->values, ahead->length,
                                      crossover->alpha, &shift);
    for (size_t i = 0; !error && i < ahead->length; i++)
        to[i] = ahead->values[i] - shift.estimate / 2;
    for (size_t i = 0; !error && i < behind->length; i++)
        to[ahead->length + i] = behind->values[i] + shift.estimate / 2;
    crossover->aligned = group_of(to, ahead->length + behind->length);
    return error ? error : lauka_sort_doubles(to, crossover->aligned.length);
}

static double pooled_squares(const struct lauka_crossover *crossover)
{
    const struct lauka_differences *groups = crossover->groups;
    return lauka_differences_squares(&groups[0], lauka_differences_mean(&groups[0])) +
           lauka_differences_squares(&groups[1], lauka_differences_mean(&groups[1]));
}

/* Whether the values vary by more than the rounding of logarithms and means. */
static bool varies(const struct lauka_differences *group)
{
    double least = group->values[0], greatest = group->values[group->length - 1];
    return greatest - least > 1e-12 * fmax(fabs(least), fabs(greatest));
}

/* Rank tests treat the cost of a place as known. With few rounds, or hardly any in one of the orders, it
 * is not; Student's t accounts for that. With the fewest rounds that ranks need, all would have to agree. */
static void choose(struct lauka_crossover *crossover, size_t count)
{
    size_t ahead = crossover->groups[0].length,
           fewer = ahead < count - ahead ? ahead : count - ahead;
    size_t needed = (size_t)lauka_location_needed(crossover->alpha, false);
    crossover->by_ranks = count > needed && 4 * fewer >= count;
    crossover->known =
        crossover->by_ranks || varies(&crossover->groups[0]) || varies(&crossover->groups[1]);
}

int lauka_crossover_open(struct lauka_crossover *crossover, const double *values,
                         const uint32_t *reference_first, size_t count, double alpha)
{
    *crossover = (struct lauka_crossover){.alpha = alpha / 2};
    if (!reference_first || count < 3 || count > LAUKA_CROSSOVER_MOST)
        return 0;
    double *own = malloc(2 * count * sizeof *own);
    if (!own)
        return ENOMEM;
    crossover->values = own;
    size_t ahead = part(values, reference_first, count, own);
    crossover->groups[0] = group_of(own, ahead);
    crossover->groups[1] = group_of(own + ahead, count - ahead);
    if (ahead == 0 || ahead == count) /* nothing tells the place's cost from the command's */
        return 0;
    int error = lauka_sort_doubles(own, ahead);
    if (!error)
        error = lauka_sort_doubles(own + ahead, count - ahead);
    if (!error)
        error = align(crossover, own + count);
    if (!error)
        choose(crossover, count);
    return error;
}

void lauka_crossover_done(struct lauka_crossover *crossover)
{
    free(crossover->values);
    *crossover = (struct lauka_crossover){0};
}

/* ---- Student's t ---- */

/* The middle of the groups' means, and its standard error of their pooled variance: what least squares say
 * of difference = effect +- place + noise. */
struct middle {
    double mean, error;
    uint64_t df;
};

static struct middle middle_of(const struct lauka_crossover *crossover)
{
    const struct lauka_differences *groups = crossover->groups;
    double ahead = (double)groups[0].length, behind = (double)groups[1].length;
    struct middle middle = {.df = groups[0].length + groups[1].length - 2};
    double variance = pooled_squares(crossover) / (double)middle.df;
    middle.mean = (lauka_differences_mean(&groups[0]) + lauka_differences_mean(&groups[1])) / 2;
    middle.error = sqrt(variance * (1 / ahead + 1 / behind)) / 2;
    return middle;
}

static void locate_middle(const struct lauka_crossover *crossover, struct lauka_location *location)
{
    struct middle middle = middle_of(crossover);
    double reach = -lauka_student_quantile(crossover->alpha / 2, middle.df) * middle.error;
    location->low = lauka_known(middle.mean - reach);
    location->high = lauka_known(middle.mean + reach);
    location->p = lauka_known(2 * lauka_student_cdf(-fabs(middle.mean / middle.error), middle.df));
}

/* ---- both together ---- */

static double share_p(const struct lauka_crossover *crossover, double without, double with)
{
    return fmin(1, crossover->alone ? 2 * without : fmin(with, 2 * without));
}

int lauka_crossover_share(struct lauka_crossover *crossover, struct lauka_location *location)
{
    if (!crossover->known || !location->low.known)
        return 0;
    struct lauka_location without;
    int error = lauka_locate_signed_rank(&crossover->aligned, crossover->alpha, &without);
    if (error)
        return error;
    if (!crossover->by_ranks)
        locate_middle(crossover, &without);
    double low = fmax(location->low.value, without.low.value);
    double high = fmin(location->high.value, without.high.value);
    crossover->alone = low > high;
    location->low.value = crossover->alone ? without.low.value : low;
    location->high.value = crossover->alone ? without.high.value : high;
    location->estimate = fmin(fmax(without.estimate, location->low.value), location->high.value);
    location->p.value = share_p(crossover, without.p.value, location->p.value);
    return 0;
}

double lauka_crossover_above(const struct lauka_crossover *crossover, double limit, double p)
{
    if (!crossover->known)
        return p;
    if (crossover->by_ranks)
        return share_p(crossover, lauka_signed_rank_above(&crossover->aligned, limit), p);
    struct middle middle = middle_of(crossover);
    double above = lauka_student_cdf(-(middle.mean - limit) / middle.error, middle.df);
    return share_p(crossover, above, p);
}

/* places: what being first in a round costs where rounds have more than two runs. One pair of commands has
 * few rounds in which either of them came first, but some command always did: all together tell the cost,
 * and it is taken off the pair's differences. That the cost is one for all is an assumption; where it fails,
 * what is left is noise as before.
 *
 * Orders are drawn, so that a pair's difference hardly depends on what is taken off: false claims stay
 * within 5 % (tests/bench/README.md). It is taken off only where it is clear. */
/* With fewer rounds, what is taken off is itself too uncertain: of equal commands, 6.2 % of sessions claimed a
 * difference with 8 rounds of three, 6.4 % with 8 of four, 5.8 % with 7 of five. */
static size_t fewest_rounds(size_t commands)
{
    return commands < 5 ? 10 : 8;
}

static int locate(double *values, size_t count, struct lauka_location *location)
{
    const struct lauka_differences differences = {.values = values, .length = count};
    int error = lauka_sort_doubles(values, count);
    return error ? error : lauka_locate_signed_rank(&differences, LAUKA_ALPHA_FIXED, location);
}

/* Logarithms less the round's mean. False if a value is missing or 0. */
static bool put_round(const struct lauka_series *const *series, size_t commands, size_t round,
                      double *to)
{
    double sum = 0;
    for (size_t c = 0; c < commands; c++) {
        uint64_t value = lauka_series_at(series[c], round);
        if (value == 0 || value == LAUKA_MISSING)
            return false;
        to[c] = log((double)value);
        sum += to[c];
    }
    for (size_t c = 0; c < commands; c++)
        to[c] -= sum / (double)commands;
    return true;
}

struct table {
    double *values;  /* commands of each round that is whole */
    uint32_t *first; /* of each such round */
    double *column;
    size_t commands, rounds;
};

static void fill(struct table *table, const struct lauka_series *const *series,
                 const uint32_t *order)
{
    for (size_t i = 0; i < series[0]->count; i++)
        if (put_round(series, table->commands, i, table->values + table->rounds * table->commands))
            table->first[table->rounds++] = order[i * table->commands];
}

/* Takes off each value of the command what it is where it is not the first. */
static int centre(struct table *table, size_t command)
{
    struct lauka_location location;
    size_t count = 0;
    for (size_t i = 0; i < table->rounds; i++)
        if (table->first[i] != command)
            table->column[count++] = table->values[i * table->commands + command];
    if (count == 0)
        return 0;
    int error = locate(table->column, count, &location);
    for (size_t i = 0; i < table->rounds && !error; i++)
        table->values[i * table->commands + command] -= location.estimate;
    return error;
}

static int cost_of(struct table *table, double *cost)
{
    struct lauka_location location;
    int error = 0;
    for (size_t c = 0; c < table->commands && !error; c++)
        error = centre(table, c);
    for (size_t i = 0; i < table->rounds; i++)
        table->column[i] = table->values[i * table->commands + table->first[i]];
    if (!error)
        error = locate(table->column, table->rounds, &location);
    if (!error && location.low.known && (location.low.value > 0 || location.high.value < 0))
        *cost = location.estimate;
    return error;
}

int lauka_places_cost(const struct lauka_series *const *series, size_t commands,
                      const uint32_t *order, double *cost)
{
    size_t rounds = series[0]->count;
    struct table table = {
        .values = malloc((rounds * commands + 1) * sizeof *table.values),
        .first = malloc((rounds + 1) * sizeof *table.first),
        .column = malloc((rounds + 1) * sizeof *table.column),
        .commands = commands,
    };
    int error = table.values && table.first && table.column ? 0 : ENOMEM;
    *cost = 0;
    if (!error)
        fill(&table, series, order);
    if (!error && table.rounds >= fewest_rounds(commands))
        error = cost_of(&table, cost);
    free(table.values);
    free(table.first);
    free(table.column);
    return error;
}
