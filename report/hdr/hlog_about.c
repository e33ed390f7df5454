/* hlog_about: the comment in which lauka's logs say what their values are, "wall_time in ns, Interval_Max in
 * ms". It is written for people, and read again by lauka; other programs ignore it. */
#include "report/hdr/hdr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char maximum_in_ms[] = ", Interval_Max in ms",
                  of_benchmarks[] = ", tags are BENCHMARK/SIDE",
                  scaled[] = ", histograms hold the value ", times[] = "times ",
                  divided[] = "divided by ", in[] = " in ";

static const struct {
    const char *better, *words;
} directions[] = {
    {"lower", ", lower is better"},
    {"higher", ", higher is better"},
    {"neither", ", neither is better"},
};
enum { DIRECTIONS = sizeof directions / sizeof *directions };

/* What a unit means if nothing is said. */
static const char *usual_better(const char *unit)
{
    return strcmp(unit, "1") == 0 ? "neither" : "lower";
}

static const char *better_words(const struct lauka_hlog_about *about)
{
    if (strcmp(about->better, usual_better(about->unit)) == 0)
        return "";
    for (size_t i = 0; i < DIRECTIONS; i++)
        if (strcmp(about->better, directions[i].better) == 0)
            return directions[i].words;
    return "";
}

static bool is_time(const struct lauka_hlog_about *about)
{
    return strcmp(about->unit, "ns") == 0 && about->decimals == 0;
}

void lauka_hlog_about_format(const struct lauka_hlog_about *about, char *text, size_t size)
{
    /* A name that looks like one with a unit is not left without. */
    const bool plain = strcmp(about->unit, "1") == 0 && !strstr(about->metric, in);
    char power[120] = "";
    if (about->decimals != 0)
        snprintf(power, sizeof power, "%s%s1%0*d", scaled, about->decimals > 0 ? times : divided,
                 abs(about->decimals), 0);
    snprintf(text, size, "lauka: %s%s%s%s%s%s", about->metric, plain ? "" : in,
             plain ? "" : about->unit, is_time(about) ? maximum_in_ms : power, better_words(about),
             about->by_benchmark ? of_benchmarks : "");
}

/* Cuts these words off where they are the last ones. */
static bool cut(char *text, const char *words)
{
    const size_t length = strlen(text), size = strlen(words);
    if (length < size || strcmp(text + length - size, words) != 0)
        return false;
    text[length - size] = '\0';
    return true;
}

/* The direction that the last words name, which are cut off; NULL: none. */
static const char *cut_better(char *text)
{
    for (size_t i = 0; i < DIRECTIONS; i++)
        if (cut(text, directions[i].words))
            return directions[i].better;
    return NULL;
}

/* The last place where these words stand, or NULL. */
static char *find_last(char *text, const char *words)
{
    char *last = NULL;
    for (char *at = strstr(text, words); at; at = strstr(at + 1, words))
        last = at;
    return last;
}

/* "histograms hold the value times 1000": 3 decimals, and "divided by 1000" -3. Returns false where it is
 * another number. */
static bool cut_power(char *text, int *decimals)
{
    char *at = find_last(text, scaled);
    if (!at)
        return true;
    const char *digits = at + strlen(scaled);
    const bool divides = strncmp(digits, divided, strlen(divided)) == 0;
    if (!divides && strncmp(digits, times, strlen(times)) != 0)
        return false;
    digits += strlen(divides ? divided : times);
    const size_t zeros = strspn(digits + (*digits == '1'), "0");
    if (*digits != '1' || digits[1 + zeros] != '\0' || zeros > LAUKA_DECIMALS_MAX)
        return false;
    *decimals = divides ? -(int)zeros : (int)zeros;
    *at = '\0';
    return true;
}

bool lauka_hlog_about_parse(const char *text, struct lauka_hlog_about *about)
{
    char rest[LAUKA_HLOG_ABOUT_SIZE];
    *about = (struct lauka_hlog_about){.unit = "1"};
    if (strlen(text) >= sizeof rest)
        return false;
    strcpy(rest, text);
    about->by_benchmark = cut(rest, of_benchmarks);
    const char *better = cut_better(rest);
    cut(rest, maximum_in_ms);
    if (!cut_power(rest, &about->decimals))
        return false;
    char *unit = find_last(rest, in);
    if (unit && !strchr(unit + strlen(in), ' ') && strlen(unit + strlen(in)) < sizeof about->unit) {
        strcpy(about->unit, unit + strlen(in));
        *unit = '\0';
    }
    about->better = better ? better : usual_better(about->unit);
    if (rest[0] == '\0' || about->unit[0] == '\0' || strlen(rest) >= sizeof about->metric)
        return false;
    strcpy(about->metric, rest);
    return true;
}
