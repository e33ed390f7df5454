/* Two sessions measured apart. */
#include "stats/sessions.h"

#include <math.h>

/* The tails of sessions are heavier than those of normal values: this part of alpha keeps its promise for Student's t with
 * three degrees of freedom, too, as tests/bench/history.c shows. */
static const double part_of_alpha = 0.5;

/* Of the difference of two sessions. */
static double deviation_of(const struct lauka_sessions *sessions)
{
    return sessions->deviation * sqrt(2);
}

static double half_of(const struct lauka_sessions *sessions, double alpha)
{
    return lauka_student_quantile(1 - part_of_alpha * alpha / 2, sessions->count - 1) *
           deviation_of(sessions);
}

/* The p-value, on one side, of a difference that is at most what the distance is taken from. */
static double tail_of(const struct lauka_sessions *sessions, double distance)
{
    const double deviation = deviation_of(sessions);

    return deviation > 0  ? fmin(1, lauka_student_cdf(-distance / deviation, sessions->count - 1) /
                                        part_of_alpha)
           : distance > 0 ? 0
                          : 1;
}

bool lauka_sessions_compare(const struct lauka_sessions *sessions, double alpha, double precision,
                            struct lauka_comparison *comparison)
{
    if (sessions->count < LAUKA_FEWEST_SESSIONS || !comparison->log_ratio.known)
        return false;
    const double own = comparison->log_low.known
                           ? (comparison->log_high.value - comparison->log_low.value) / 2
                           : 0;
    const double half = fmax(half_of(sessions, alpha), own), center = comparison->log_ratio.value;

    comparison->log_low = lauka_known(center - half);
    comparison->log_high = lauka_known(center + half);
    comparison->low = lauka_known(exp(center - half));
    comparison->high = lauka_known(exp(center + half));
    comparison->half_width = lauka_known((comparison->high.value - comparison->low.value) / 2);
    comparison->mean_low = comparison->mean_high = (struct lauka_optional){0};
    comparison->means_differ = false;
    comparison->p = lauka_known(fmin(1, 2 * tail_of(sessions, fabs(center))));
    comparison->p_above = (struct lauka_optional){0};
    comparison->confidence = 1 - alpha;
    comparison->method = LAUKA_METHOD_UNPAIRED;
    lauka_verdict_judge(comparison, precision);
    return true;
}

bool lauka_sessions_judge(const struct lauka_sessions *sessions, const struct lauka_limit *limit,
                          double alpha, struct lauka_judgement *judgement)
{
    if (sessions->count < LAUKA_FEWEST_SESSIONS || !judgement->change.known ||
        !limit->share.known || limit->absolute.known ||
        limit->statistic != LAUKA_STATISTIC_TYPICAL || !(judgement->change.value > -1))
        return false;
    const double sign = limit->falls ? -1 : 1, half = half_of(sessions, alpha);
    const double center = log1p(judgement->change.value), most = log1p(sign * limit->share.value);
    const double worse = sign * (center - most); /* beyond the limit */

    judgement->change_low = lauka_known(expm1(center - half));
    judgement->change_high = lauka_known(expm1(center + half));
    judgement->difference_low = judgement->difference_high = (struct lauka_optional){0};
    judgement->p = lauka_known(tail_of(sessions, worse));
    judgement->confidence = 1 - alpha;
    judgement->verdict = worse - half > 0    ? LAUKA_GATE_FAIL
                         : worse + half <= 0 ? LAUKA_GATE_PASS
                                             : LAUKA_GATE_INCONCLUSIVE;
    judgement->undecided = judgement->verdict == LAUKA_GATE_INCONCLUSIVE ? LAUKA_UNDECIDED_AROUND
                                                                         : LAUKA_UNDECIDED_NOT;
    return true;
}
