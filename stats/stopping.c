/* stopping: when enough is known. Asking for precision, and for an effect of twice the half-width,
 * keeps the promise of the interval; asking for significance at every look would call a third of
 * all equal pairs different. */
#include "stats.h"

#include <math.h>

uint64_t lauka_stopping_next_look(uint64_t rounds)
{
    uint64_t look = LAUKA_FIRST_LOOK;
    while (look <= rounds)
        look += look / 5 + (look % 5 != 0); /* ceil(1.2 look) in integers */
    return look;
}

/* How far the estimate lies from no change, and half of its interval, in the same unit. */
static bool is_clear(const struct lauka_comparison *comparison)
{
    if (comparison->ratio.known)
        return fabs(comparison->ratio.value - 1) >= comparison->high.value - comparison->low.value;
    return fabs(comparison->difference.value) >=
           comparison->difference_high.value - comparison->difference_low.value;
}

enum lauka_stopping lauka_stopping_reason(const struct lauka_comparison *comparison,
                                          double precision)
{
    bool bounded = comparison->low.known || comparison->difference_low.known;
    if (!(precision > 0) || !bounded)
        return LAUKA_STOPPING_NOT;
    if (comparison->method == LAUKA_METHOD_EXACT && !(comparison->half_width.value > 0))
        return LAUKA_STOPPING_EXACT;
    if (comparison->half_width.known && !(comparison->half_width.value > 0))
        return LAUKA_STOPPING_NOT; /* most values were equal, which is not precise */
    if (comparison->half_width.known && comparison->half_width.value <= precision)
        return LAUKA_STOPPING_PRECISION;
    return is_clear(comparison) ? LAUKA_STOPPING_EFFECT : LAUKA_STOPPING_NOT;
}

enum lauka_stopping lauka_stopping_reason_all(const struct lauka_comparison *const *comparisons,
                                              size_t count, double precision)
{
    enum lauka_stopping strongest = LAUKA_STOPPING_NOT;
    for (size_t i = 0; i < count; i++) {
        enum lauka_stopping reason = lauka_stopping_reason(comparisons[i], precision);
        if (reason == LAUKA_STOPPING_NOT)
            return reason;
        strongest = reason > strongest ? reason : strongest;
    }
    return strongest;
}

struct lauka_optional lauka_stopping_factor(const struct lauka_comparison *const *comparisons,
                                            size_t count, double precision)
{
    struct lauka_optional factor = {.known = count > 0 && precision > 0, .value = 1};
    for (size_t i = 0; factor.known && i < count; i++) {
        double excess = comparisons[i]->half_width.value / precision;
        factor.known = comparisons[i]->half_width.known;
        factor.value = fmax(factor.value, excess * excess);
    }
    return factor.known ? factor : (struct lauka_optional){0};
}
