/* Times in UTC, as machines have them. Not by strftime(3), which would bring time zones and their files. */
#include "report/text/text.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

char *lauka_format_time(time_t seconds, char text[LAUKA_DATE_SIZE])
{
    struct tm utc;

    if (!gmtime_r(&seconds, &utc))
        return NULL;
    snprintf(text, LAUKA_DATE_SIZE, "%04lld-%02d-%02dT%02d:%02d:%02dZ", 1900LL + utc.tm_year,
             utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
    return text;
}

char *lauka_format_day(time_t seconds, char text[LAUKA_DATE_SIZE])
{
    if (!lauka_format_time(seconds, text))
        return NULL;
    text[strcspn(text, "T")] = '\0';
    return text;
}

char *lauka_format_date(time_t seconds, char text[LAUKA_DATE_SIZE])
{
    static const char days[] = "SunMonTueWedThuFriSat";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    struct tm utc;

    if (!gmtime_r(&seconds, &utc))
        return NULL;
    snprintf(text, LAUKA_DATE_SIZE, "%.3s %.3s %02d %02d:%02d:%02d UTC %lld",
             days + 3 * utc.tm_wday, months + 3 * utc.tm_mon, utc.tm_mday, utc.tm_hour, utc.tm_min,
             utc.tm_sec, 1900LL + utc.tm_year);
    return text;
}
