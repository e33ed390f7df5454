/* effect_size: a difference of means in units of the deviation. It describes; nothing is decided by
 * it, because drift widens the deviation and so shrinks it. */
#include "stats.h"

#include <math.h>

/* From the exact sums: two means near 10^15 differ by less than their doubles can show. */
static double mean_difference(const struct lauka_moments *other,
                              const struct lauka_moments *reference)
{
    double count = (double)reference->count;
    if (other->count == reference->count) {
        if (other->sum >= reference->sum)
            return (double)(other->sum - reference->sum) / count;
        return -((double)(reference->sum - other->sum) / count);
    }
    uint64_t here = (uint64_t)(other->sum / other->count);
    uint64_t there = (uint64_t)(reference->sum / reference->count);
    double whole = here >= there ? (double)(here - there) : -(double)(there - here);
    return whole + ((double)(other->sum % other->count) / (double)other->count -
                    (double)(reference->sum % reference->count) / count);
}

static double pooled_deviation(double here, double there, double here_df, double there_df)
{
    if (here_df == there_df)
        return sqrt((here + there) / 2);
    return sqrt((here_df * here + there_df * there) / (here_df + there_df));
}

struct lauka_optional lauka_cohens_d(const struct lauka_moments *reference,
                                     const struct lauka_moments *other)
{
    struct lauka_optional here = lauka_moments_variance(other);
    struct lauka_optional there = lauka_moments_variance(reference);
    if (!here.known || !there.known)
        return (struct lauka_optional){0};

    double difference = mean_difference(other, reference);
    double pooled = pooled_deviation(here.value, there.value, (double)(other->count - 1),
                                     (double)(reference->count - 1));
    if (difference == 0)
        return lauka_known(0);
    if (pooled == 0)
        return (struct lauka_optional){0};
    return lauka_known(difference / pooled);
}

/* J = Gamma(df/2) / (sqrt(df/2) Gamma((df-1)/2)). Hedges 1981. */
struct lauka_optional lauka_hedges_g(struct lauka_optional d, uint64_t df)
{
    if (!d.known)
        return d;
    return lauka_known(d.value * lauka_gamma_step(df - 1) / sqrt((double)df / 2));
}
