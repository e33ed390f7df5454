/* Values are whole numbers of 64 bits, in units of a power of ten. Which one suits a metric that could have any size
 * is chosen here, from the first values or from those of several files. */
#include "report/result/result.h"
#include "report/text/text.h"

#include <math.h>

enum {
    DIGITS = 9, /* that are kept of the smallest value, */
    DIGITS_FREELY =
        15, /* and as many of the greatest as leave room for values a thousand times as large */
    DIGITS_MOST = 18,
};

/* 3 of 1000 to 9999; of what is above 0. */
static int exponent_of(double value)
{
    int exponent = (int)floor(log10(value));

    if (value >= lauka_power_of_ten(exponent + 1))
        return exponent + 1;
    return value < lauka_power_of_ten(exponent) ? exponent - 1 : exponent;
}

int lauka_decimals_choose(double smallest, double greatest, int usual)
{
    int decimals = DIGITS - 1 - exponent_of(smallest), last = exponent_of(greatest);

    if (decimals < usual) {
        int free = DIGITS_FREELY - 1 - last;
        free = free < usual ? free : usual;
        decimals = free > decimals ? free : decimals;
    }
    return decimals < DIGITS_MOST - 1 - last ? decimals : DIGITS_MOST - 1 - last;
}

enum lauka_fit lauka_decimals_fit(double value, int decimals)
{
    double scaled = value * lauka_power_of_ten(decimals);

    return scaled >= LAUKA_VALUE_END            ? LAUKA_FIT_TOO_LARGE
           : value > 0 && !(scaled >= 1 - 1e-9) ? LAUKA_FIT_TOO_SMALL
                                                : LAUKA_FIT_GOOD;
}

uint64_t lauka_decimals_value(double value, int decimals)
{
    return (uint64_t)llround(value * lauka_power_of_ten(decimals));
}
