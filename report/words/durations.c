/* Times that people wait, in words. */
#include "report/words/words.h"
#include "report/text/prose.h"
#include "report/text/text.h"

#include <math.h>

/* Such a forecast is not worth more than two digits. */
static double rounded_up(double value)
{
    double step = value > 100 ? 10 : 1;
    return fmax(1, step * ceil(value / step - 1e-9));
}

const char *lauka_say_wait(struct lauka_prose *prose, double seconds)
{
    if (seconds <= 90)
        return lauka_say(prose, "%.0f s", rounded_up(seconds));
    if (seconds <= 90 * 60)
        return lauka_say(prose, "%.0f min", rounded_up(seconds / 60));
    return seconds <= LAUKA_LONGEST_WAIT ? lauka_say(prose, "%.0f h", rounded_up(seconds / 3600))
                                         : "days";
}

const char *lauka_say_duration(struct lauka_prose *prose, double seconds)
{
    const bool minutes = seconds <= 600 * 60;
    if (seconds <= 600)
        return lauka_say(prose, "%.0fs", rounded_up(seconds));
    return lauka_say(prose, minutes ? "%.0fm" : "%.0fh",
                     rounded_up(seconds / (minutes ? 60 : 3600)));
}

const char *lauka_say_seconds(struct lauka_prose *prose, double seconds)
{
    const double ns = seconds * 1e9;
    return lauka_say_quantity(prose, ns, lauka_scale_for(ns, "ns", prose->utf8));
}
