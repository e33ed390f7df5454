/* What commands of --backend=simulated cost. In simulated:effects their own words say so, and known
 * effects, noises and disturbances go through the whole program in milliseconds: `p cost=10ms noise=1%
 * first=5%`. A command's random numbers depend only on the seed, its number and the round. */
#include "runner/launch/launch.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { KIND_NORMAL, KIND_LOGNORMAL, KIND_T3, KIND_MODES, KINDS };
static const char *const kind_names[KINDS] = {"normal", "lognormal", "t3", "modes"};

struct lauka_pretence {
    double cost, cpu, rss, instructions; /* ns, ns, bytes, 1; below 0: what follows from the cost */
    double noise, cpu_noise, rss_noise,
        instructions_noise;    /* deviations, shares; below 0: see cost */
    double first, last, place; /* what a place in the round adds, shares of the cost */
    double drift;              /* what each round adds to that before, a share of the cost */
    double fail;               /* the share of runs that exit with 1 */
    enum kind kind;
};

static const struct lauka_pretence usual = {.cost = 10e6,
                                            .cpu = -1,
                                            .rss = -1,
                                            .instructions = -1,
                                            .noise = 0.01,
                                            .cpu_noise = -1,
                                            .rss_noise = -1,
                                            .instructions_noise = -1};

/* ---- a command's words ------------------------------------------------------------------------------ */

enum form { FORM_TIME, FORM_AMOUNT, FORM_SHARE, FORM_CHANGE };
static const char *const form_needs[] = {
    [FORM_TIME] = "a duration, such as 10ms",
    [FORM_AMOUNT] = "an amount, such as 50M",
    [FORM_SHARE] = "a share from 0 to 100%",
    [FORM_CHANGE] = "a change in per cent, such as 5% or -5%",
};

static const struct word {
    const char *name;
    size_t offset;
    enum form form;
} words[] = {
    {"cost", offsetof(struct lauka_pretence, cost), FORM_TIME},
    {"noise", offsetof(struct lauka_pretence, noise), FORM_SHARE},
    {"first", offsetof(struct lauka_pretence, first), FORM_CHANGE},
    {"last", offsetof(struct lauka_pretence, last), FORM_CHANGE},
    {"place", offsetof(struct lauka_pretence, place), FORM_CHANGE},
    {"drift", offsetof(struct lauka_pretence, drift), FORM_CHANGE},
    {"cpu", offsetof(struct lauka_pretence, cpu), FORM_TIME},
    {"cpu-noise", offsetof(struct lauka_pretence, cpu_noise), FORM_SHARE},
    {"rss", offsetof(struct lauka_pretence, rss), FORM_AMOUNT},
    {"rss-noise", offsetof(struct lauka_pretence, rss_noise), FORM_SHARE},
    {"instructions", offsetof(struct lauka_pretence, instructions), FORM_AMOUNT},
    {"instructions-noise", offsetof(struct lauka_pretence, instructions_noise), FORM_SHARE},
    {"fail", offsetof(struct lauka_pretence, fail), FORM_SHARE},
};

static bool read_time(const char *text, double *value)
{
    uint64_t ns;
    bool good = lauka_parse_duration(text, &ns) && ns > 0;

    *value = good ? (double)ns : 0;
    return good;
}

static bool read_amount(const char *text, double *value)
{
    const struct lauka_figure_unit *unit = lauka_quantity_parse(text, strlen(text), value);

    return unit && strchr("1B", unit->unit[0]) && *value >= 1 && *value < 0x1p53;
}

static bool read_share(const char *text, double least, double most, double *value)
{
    bool negative = *text == '-';
    const char *number = text + (negative || *text == '+');
    const struct lauka_figure_unit *unit = lauka_quantity_parse(number, strlen(number), value);

    *value *= negative ? -0.01 : 0.01;
    return unit && strcmp(unit->unit, "%") == 0 && *value >= least && *value <= most;
}

static bool read_value(enum form form, const char *text, double *value)
{
    if (form == FORM_TIME)
        return read_time(text, value);
    if (form == FORM_AMOUNT)
        return read_amount(text, value);
    return form == FORM_SHARE ? read_share(text, 0, 1, value) : read_share(text, -0.99, 100, value);
}

static bool read_kind(const char *text, struct lauka_pretence *pretence)
{
    for (int kind = 0; kind < KINDS; kind++)
        if (strcmp(text, kind_names[kind]) == 0) {
            pretence->kind = (enum kind)kind;
            return true;
        }
    return false;
}

static bool fail_unknown(const char *label, const char *word, struct lauka_error *error)
{
    char known[300] = "kind";
    size_t used = strlen(known);

    for (size_t i = 0; i < sizeof words / sizeof *words && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, ", %s", words[i].name);
    return lauka_fail(error, LAUKA_EXIT_USAGE,
                      "`%.200s`: %.100s: simulated:effects knows these words: %s", label, word,
                      known);
}

/* NAME=VALUE, or NAME@HOST=VALUE for that machine only; `length` is that of the part before '='. */
static bool read_word(const char *label, const char *text, size_t length, const char *host,
                      struct lauka_pretence *pretence, struct lauka_error *error)
{
    const char *value = text + length + 1, *at = memchr(text, '@', length);
    struct lauka_pretence elsewhere;

    if (at) {
        size_t name = length - (size_t)(at + 1 - text);
        if (strlen(host) != name || memcmp(host, at + 1, name) != 0)
            pretence = &elsewhere;
        length = (size_t)(at - text);
    }

    if (length == strlen("kind") && memcmp(text, "kind", length) == 0)
        return read_kind(value, pretence) ||
               lauka_fail(error, LAUKA_EXIT_USAGE,
                          "`%.200s`: %.100s: expected normal, lognormal, t3 or modes", label, text);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        double *place = (double *)(void *)((char *)pretence + words[i].offset);
        if (strlen(words[i].name) == length && memcmp(text, words[i].name, length) == 0)
            return read_value(words[i].form, value, place) ||
                   lauka_fail(error, LAUKA_EXIT_USAGE, "`%.200s`: %.100s: expected %s", label, text,
                              form_needs[words[i].form]);
    }
    return fail_unknown(label, text, error);
}

/* "@FILE": words in a file, as a revision has them; the file is in the command's folder. */
static bool read_file(const struct lauka_command *command, const char *name, const char *host,
                      struct lauka_pretence *pretence, struct lauka_error *error)
{
    char *path = NULL, word[200];
    bool good = true;

    if (asprintf(&path, "%s/%s", command->directory ? command->directory : ".", name) < 0)
        return lauka_fail_memory(error);
    FILE *file = fopen(path, "r");
    if (!file)
        good = lauka_fail(error, LAUKA_EXIT_USAGE, "`%.200s`: %.600s: %s", command->label, path,
                          strerror(errno));
    while (good && file && fscanf(file, "%199s", word) == 1) {
        size_t length = strcspn(word, "=");
        good = !word[length] || read_word(command->label, word, length, host, pretence, error);
    }
    if (file)
        fclose(file);
    free(path);
    return good;
}

static bool read_command(struct lauka_command *command, const char *host, struct lauka_error *error)
{
    struct lauka_pretence *pretence = lauka_arena_take(command->arena, sizeof *pretence);

    if (!pretence)
        return lauka_fail_memory(error);
    *pretence = usual;
    command->pretence = pretence;
    for (char **word = command->argv + 1; *word; word++) {
        size_t length = strcspn(*word, "=");
        if (**word == '@' && !read_file(command, *word + 1, host, pretence, error))
            return false;
        if (**word != '@' && (*word)[length] &&
            !read_word(command->label, *word, length, host, pretence, error))
            return false;
    }
    return true;
}

bool lauka_pretence_read_all(struct lauka_options *options, struct lauka_error *error)
{
    if (!options->measure.pretended || options->measure.scenario != LAUKA_SCENARIO_EFFECTS)
        return true;
    if (options->run.shell)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--backend=simulated:effects reads the words of a command, which a shell "
                          "would hide: leave -S out");
    for (size_t c = 0; c < options->run.command_count; c++)
        if (!read_command(&options->run.commands[c], options->run.job.host, error))
            return false;
    return true;
}

/* ---- a run ------------------------------------------------------------------------------------------ */

enum dice { DICE_TIME, DICE_CPU, DICE_RSS, DICE_INSTRUCTIONS, DICE_FAILURE, DICE };

/* Each has its own stream of random numbers, so that adding a word changes no other. */
static struct lauka_random throw(uint64_t seed, const struct lauka_pretended_run *run,
                                 enum dice which)
{
    const uint64_t parts[] = {run->command, run->round, which};
    struct lauka_random random;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        lauka_random_seed(&random, seed);
        seed = lauka_random_next(&random) + parts[i];
    }
    lauka_random_seed(&random, seed);
    return random;
}

/* With a mean of 0 and a deviation of 1. */
static double deviate(struct lauka_random *random, enum kind kind)
{
    const double upper = 0.3,
                 between = 0.9; /* runs in the upper mode; variance between the modes */
    double z = lauka_random_normal(random), sum = 0;

    if (kind == KIND_MODES) {
        double mode = (lauka_random_unit(random) < upper ? 1 : 0) - upper;
        return mode * sqrt(between / upper / (1 - upper)) + z * sqrt(1 - between);
    }
    if (kind != KIND_T3)
        return z;
    for (int i = 0; i < 3; i++) {
        double part = lauka_random_normal(random);
        sum += part * part;
    }
    return z / sqrt(sum); /* sqrt(3) z / sqrt(sum), whose variance is 3 */
}

/* A cost is never nothing. */
static double noise_factor(struct lauka_random random, enum kind kind, double deviation)
{
    double by = deviation * deviate(&random, kind);

    return kind == KIND_LOGNORMAL || kind == KIND_T3 ? exp(fmin(by, 5)) : fmax(1 + by, 0.01);
}

static uint64_t whole(double value)
{
    return value < 1 ? 1 : (uint64_t)(value + 0.5);
}

/* How the place and the course of the session change a cost. */
static double place_factor(const struct lauka_pretence *pretence,
                           const struct lauka_pretended_run *run)
{
    double factor = 1 + pretence->place * (double)run->place + pretence->drift * (double)run->round;

    factor += run->place == 0 ? pretence->first : 0;
    factor += run->is_last ? pretence->last : 0;
    return fmax(factor, 0.01);
}

static void pretend_times(const struct lauka_pretence *pretence, uint64_t seed,
                          const struct lauka_pretended_run *run, uint64_t *values)
{
    double there = place_factor(pretence, run), usual_cpu = 0.9 * pretence->cost;
    double pace = noise_factor(throw(seed, run, DICE_TIME), pretence->kind, pretence->noise);
    double cpu_pace = pretence->cpu_noise < 0 ? pace
                                              : noise_factor(throw(seed, run, DICE_CPU),
                                                             pretence->kind, pretence->cpu_noise);
    uint64_t cpu_us =
        whole((pretence->cpu < 0 ? usual_cpu : pretence->cpu) * there * cpu_pace / 1000);

    values[LAUKA_WALL_TIME] = whole(pretence->cost * there * pace);
    values[LAUKA_SYSTEM_TIME] = cpu_us / 6 * 1000; /* rusage knows microseconds */
    values[LAUKA_USER_TIME] = cpu_us * 1000 - values[LAUKA_SYSTEM_TIME];
    values[LAUKA_CPU_TIME] = cpu_us * 1000;
}

static void pretend_memory(const struct lauka_pretence *pretence, uint64_t seed,
                           const struct lauka_pretended_run *run, uint64_t *values)
{
    const double page = 4096;
    double deviation = pretence->rss_noise < 0 ? 0.005 : pretence->rss_noise;
    double noise = noise_factor(throw(seed, run, DICE_RSS), pretence->kind, deviation);

    if (pretence->rss >= 0 || pretence->rss_noise >= 0)
        values[LAUKA_PEAK_RSS] =
            whole((pretence->rss < 0 ? 620 * page : pretence->rss) * noise / page) * (uint64_t)page;
}

static void pretend_counts(const struct lauka_pretence *pretence, uint64_t seed,
                           const struct lauka_pretended_run *run,
                           const struct lauka_counters *counters, struct lauka_sample *sample)
{
    struct lauka_reading *readings = sample->readings;
    double deviation = pretence->instructions_noise < 0 ? 0.0002 : pretence->instructions_noise;
    double noise = noise_factor(throw(seed, run, DICE_INSTRUCTIONS), pretence->kind, deviation);
    double usual_count = 54e6 * (pretence->cost / usual.cost);
    double count = (pretence->instructions < 0 ? usual_count : pretence->instructions) * noise;

    for (size_t i = 0; i < counters->count; i++) {
        if (counters->errors[i] != 0)
            continue;
        bool instructions = strcmp(counters->events[i]->name, "instructions") == 0;
        readings[i].value =
            instructions ? whole(count)
                         : (uint64_t)((double)readings[i].value * (pretence->cost / usual.cost));
        readings[i].enabled = readings[i].running = sample->usage.values[LAUKA_CPU_TIME];
    }
}

/* Replaces what the pretended machine made up. */
static void pretend(const struct lauka_pretence *pretence, uint64_t seed,
                    const struct lauka_pretended_run *run, struct lauka_counters *counters,
                    struct lauka_sample *sample)
{
    struct lauka_random failure = throw(seed, run, DICE_FAILURE);

    pretend_times(pretence, seed, run, sample->usage.values);
    pretend_memory(pretence, seed, run, sample->usage.values);
    pretend_counts(pretence, seed, run, counters, sample);
    counters->residency.types[0].cpu_ns = sample->usage.values[LAUKA_CPU_TIME];
    sample->code = lauka_random_unit(&failure) < pretence->fail;
}

void lauka_pretence_run(const struct lauka_options *options, const struct lauka_pretended_run *run,
                        struct lauka_counters *counters, struct lauka_sample *sample)
{
    const struct lauka_pretence *pretence = options->run.commands[run->variant].pretence;
    /* Against itself a command costs the same, with other random numbers. */
    bool itself = options->verb == LAUKA_VERB_NOISE;
    bool has_own = itself || pretence;
    uint64_t seed = run->seed + (has_own ? (uint64_t)run->command << 32 : 0);

    sample->outcome = LAUKA_EXITED;
    sample->code = 0;
    lauka_pretended_run(counters, options->measure.scenario, seed, has_own ? 0 : run->command,
                        run->round, &sample->usage, sample->readings);
    if (pretence)
        pretend(pretence, run->seed, run, counters, sample);
    sample->residency = counters->residency;
}
