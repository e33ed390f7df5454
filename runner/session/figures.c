/* Figures that a run reports itself: they are searched for in what it writes, while it writes. No more of that is kept
 * than could be part of a match. */
#include "runner/session/session.h"
#include "runner/session/loop.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/options.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 2 * LAUKA_SEARCH_LONGEST, /* B: so that half of it is free again after each search */
    WORD = LAUKA_SEARCH_VALUE, /* B that are kept of a value; none that is a number has more */
    LINE = 4096,               /* B of a line of reports that are looked at */
};

/* What is looked for in a command's output, and what was found last. */
struct lauka_figure_hunt {
    struct lauka_pattern *pattern; /* owned; NULL: it is reported */
    struct lauka_search *search;   /* owned */
    bool reported;
    char value[WORD], unit[WORD]; /* of reports, without a NUL */
    size_t value_length, unit_length;
};

/* ---- in stdout ---------------------------------------------------------------------------------------- */

static bool goes_on(void *context)
{
    const struct lauka_figure_reader *reader = context;

    return !lauka_interrupt_signal() && lauka_now_ns() < reader->until_ns;
}

/* As far as the window goes; then lets go of what no search needs again. */
static void search_all(struct lauka_figure_reader *reader, bool ends)
{
    const struct lauka_command *command = &reader->options->run.commands[reader->command];
    struct lauka_figure_hunt *hunts = reader->hunts[reader->command];
    const struct lauka_window window = {reader->window, reader->begin, reader->size, ends};
    uint64_t needed = reader->begin + reader->size, begun_ns = lauka_now_ns();

    for (size_t i = 0; i < command->figure_count; i++) {
        uint64_t own = hunts[i].search ? lauka_search_run(hunts[i].search, &window) : needed;
        needed = own < needed ? own : needed;
    }
    reader->searched_ns += lauka_now_ns() - begun_ns;
    size_t gone = (size_t)(needed - reader->begin);
    memmove(reader->window, reader->window + gone, reader->size - gone);
    reader->size -= gone;
    reader->begin = needed;
}

/* A NUL, which no expression could match across, becomes the end of a line. */
static void take_stdout(struct lauka_figure_reader *reader, const char *bytes, size_t size)
{
    while (size > 0) {
        char *to = reader->window + reader->size, *end;
        size_t some = WINDOW - reader->size < size ? WINDOW - reader->size : size;
        memcpy(to, bytes, some);
        end = to + some;
        while ((to = memchr(to, '\0', (size_t)(end - to))) != NULL)
            *to = '\n';
        bytes += some;
        size -= some;
        reader->size += some;
        if (reader->size == WINDOW)
            search_all(reader, false);
    }
}

/* Why there is none; "" if there is. */
static void find_written(const struct lauka_figure *figure, const struct lauka_figure_hunt *hunt,
                         double *value, char *reason, size_t size)
{
    const char *text, *expected;
    size_t length;

    switch (lauka_search_result(hunt->search, &text, &length)) {
    case LAUKA_SEARCH_FOUND:
        expected = (figure->has_unit ? lauka_figure_quantity
                                     : lauka_figure_value)(text, length, figure->unit, value);
        if (expected)
            snprintf(reason, size, "wrote \"%.*s\" as %.100s instead of %s",
                     length < 60 ? (int)length : 60, text, figure->name, expected);
        break;
    case LAUKA_SEARCH_NOTHING:
        *value = figure->absent;
        if (!figure->optional)
            snprintf(reason, size, "wrote nothing that matches --read %.100s=%.200s%s%s",
                     figure->name, figure->pattern, figure->hint ? "; " : "",
                     figure->hint ? figure->hint : "");
        break;
    case LAUKA_SEARCH_LONG:
        snprintf(reason, size,
                 "wrote more than 1 MiB that could be one match of --read %.100s=%.200s",
                 figure->name, figure->pattern);
        break;
    case LAUKA_SEARCH_ENDLESS:
        snprintf(reason, size,
                 "wrote what would have to be searched again and again for --read %.100s=%.200s",
                 figure->name, figure->pattern);
        break;
    case LAUKA_SEARCH_STOPPED:
        snprintf(reason, size,
                 "wrote more than could be searched within --timeout for --read %.100s=%.200s",
                 figure->name, figure->pattern);
        break;
    }
}

/* ---- in reports ------------------------------------------------------------------------------------- */

/* The next word of a line; "" at its end. */
static const char *take_word(const char **line, size_t *length)
{
    *line += strspn(*line, " \t\r");
    const char *word = *line;
    *length = strcspn(word, " \t\r\n");
    *line += *length;
    return word;
}

static void keep_word(const char **line, char word[WORD], size_t *length)
{
    const char *text = take_word(line, length);

    *length = *length < WORD ? *length : WORD;
    memcpy(word, text, *length);
}

/* "NAME VALUE [UNIT]"; the last line of that name counts. */
static void take_line(struct lauka_figure_reader *reader)
{
    const struct lauka_command *command = &reader->options->run.commands[reader->command];
    size_t length;

    reader->line[reader->line_length] = '\0';
    reader->line_length = 0;
    const char *rest = reader->line, *name = take_word(&rest, &length);
    for (size_t i = 0; i < command->figure_count; i++) {
        const struct lauka_figure *figure = &command->figures[i];
        struct lauka_figure_hunt *hunt = &reader->hunts[reader->command][i];
        if (figure->pattern || strlen(figure->name) != length ||
            strncmp(figure->name, name, length) != 0)
            continue;
        hunt->reported = true;
        keep_word(&rest, hunt->value, &hunt->value_length);
        keep_word(&rest, hunt->unit, &hunt->unit_length);
    }
}

static void take_reports(struct lauka_figure_reader *reader, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] == '\n' || bytes[i] == '\0')
            take_line(reader);
        else if (reader->line_length < LINE)
            reader->line[reader->line_length++] = bytes[i];
}

static void find_reported(const struct lauka_figure *figure, const struct lauka_figure_hunt *hunt,
                          double *value, char *reason, size_t size)
{
    const struct lauka_figure_unit *unit =
        hunt->unit_length ? lauka_figure_unit_find(hunt->unit, hunt->unit_length) : figure->unit;
    const char *expected = NULL;

    if (!hunt->reported)
        snprintf(reason, size, "wrote no line \"%.100s VALUE UNIT\" to descriptor $LAUKA_REPORT_FD",
                 figure->name);
    else if (!unit || strcmp(unit->unit, figure->unit->unit) != 0)
        snprintf(reason, size, "reported %.100s in \"%.*s\" instead of %s, as --read says,",
                 figure->name, hunt->unit_length < 40 ? (int)hunt->unit_length : 40, hunt->unit,
                 figure->unit->typed);
    else if ((expected = lauka_figure_value(hunt->value, hunt->value_length, unit, value)) != NULL)
        snprintf(reason, size, "reported \"%.*s\" as %.100s instead of %s",
                 hunt->value_length < 60 ? (int)hunt->value_length : 60, hunt->value, figure->name,
                 expected);
}

/* ---- all figures of a run ---------------------------------------------------------------------------- */

static void hear(void *context, enum lauka_outlet outlet, const char *bytes, size_t size)
{
    (outlet == LAUKA_OUTLET_STDOUT ? take_stdout : take_reports)(context, bytes, size);
}

static int open_hunts(struct lauka_figure_reader *reader, const struct lauka_command *command,
                      struct lauka_figure_hunt **own)
{
    char why[300]; /* memory: the options were checked */

    *own = calloc(command->figure_count, sizeof **own);
    for (size_t i = 0; *own && i < command->figure_count; i++) {
        struct lauka_figure_hunt *hunt = &(*own)[i];
        if (!command->figures[i].pattern)
            continue;
        hunt->pattern = lauka_pattern_make(command->figures[i].pattern, why, sizeof why);
        hunt->search = hunt->pattern ? lauka_search_open(hunt->pattern, goes_on, reader) : NULL;
        if (!hunt->search)
            return ENOMEM;
        if (command->figures[i].is_first)
            lauka_search_stop_at_first(hunt->search);
    }
    return *own ? 0 : ENOMEM;
}

static int open_reader(struct lauka_figure_reader *reader, size_t number)
{
    if (!reader->hunts)
        reader->hunts = calloc(reader->options->run.command_count, sizeof *reader->hunts);
    if (!reader->window)
        reader->window = malloc(WINDOW);
    if (!reader->line)
        reader->line = malloc(LINE + 1);
    if (!reader->hunts || !reader->window || !reader->line)
        return ENOMEM;
    struct lauka_figure_hunt **own = &reader->hunts[number];
    return *own ? 0 : open_hunts(reader, &reader->options->run.commands[number], own);
}

int lauka_figures_begin(struct lauka_figure_reader *reader, size_t number)
{
    const struct lauka_command *command = &reader->options->run.commands[number];
    int failure = command->figure_count > 0 ? open_reader(reader, number) : 0;

    if (failure || command->figure_count == 0)
        return failure;
    reader->command = number;
    reader->begin = reader->size = reader->line_length = 0;
    reader->searched_ns = 0;
    reader->until_ns = command->timeout_ns ? lauka_now_ns() + command->timeout_ns : UINT64_MAX;
    for (size_t i = 0; i < command->figure_count; i++) {
        struct lauka_figure_hunt *hunt = &reader->hunts[number][i];
        hunt->reported = false;
        if (hunt->search)
            lauka_search_begin(hunt->search);
    }
    lauka_launcher_listen(reader->launcher, hear, reader);
    return 0;
}

void lauka_figures_end(struct lauka_figure_reader *reader)
{
    lauka_launcher_listen(reader->launcher, NULL, NULL);
}

bool lauka_figures_held_up(const struct lauka_figure_reader *reader, size_t number)
{
    return reader->searched_ns > reader->options->run.commands[number].timeout_ns / 2;
}

/* Those of the command itself. */
static bool find_own(struct lauka_figure_reader *reader, const struct lauka_command *command,
                     double *own, char *reason, size_t size)
{
    if (command->figure_count == 0)
        return true;
    if (command->timeout_ns) /* as long again for what came last */
        reader->until_ns = lauka_now_ns() + command->timeout_ns;
    search_all(reader, true);
    take_line(reader);
    *reason = '\0';
    for (size_t i = 0; i < command->figure_count && !*reason; i++) {
        const struct lauka_figure *figure = &command->figures[i];
        own[i] = NAN;
        if (!figure->measured)
            (figure->pattern ? find_written : find_reported)(
                figure, &reader->hunts[reader->command][i], &own[i], reason, size);
    }
    return !*reason;
}

bool lauka_figures_read(struct lauka_figure_reader *reader, size_t number, double *figures,
                        char *reason, size_t size)
{
    const struct lauka_command *command = &reader->options->run.commands[number];
    const struct lauka_figure *all[LAUKA_FIGURES_MAX];
    double own[LAUKA_FIGURES_MAX];
    size_t count =
        lauka_figures_find(reader->options->run.commands, reader->options->run.command_count, all);

    if (!find_own(reader, command, own, reason, size))
        return false;
    for (size_t f = 0; f < count; f++) {
        figures[f] = NAN;
        for (size_t i = 0; i < command->figure_count; i++)
            if (strcmp(command->figures[i].name, all[f]->name) == 0)
                figures[f] = isnan(figures[f])          ? own[i]
                             : command->figures[i].adds ? figures[f] + own[i]
                                                        : figures[f];
    }
    return true;
}

void lauka_figures_done(struct lauka_figure_reader *reader)
{
    for (size_t c = 0; reader->hunts && c < reader->options->run.command_count; c++) {
        struct lauka_figure_hunt *hunts = reader->hunts[c];
        for (size_t i = 0; hunts && i < reader->options->run.commands[c].figure_count; i++) {
            lauka_search_close(hunts[i].search);
            lauka_pattern_free(hunts[i].pattern);
        }
        free(hunts);
    }
    free(reader->hunts);
    free(reader->window);
    free(reader->line);
    reader->hunts = NULL;
    reader->window = reader->line = NULL;
}

/* ---- in which power of ten they are kept --------------------------------------------------------- */

/* A figure that is neither a time nor a size may have any magnitude. All of a session's values are kept in units of
 * one power of ten, which its first round decides; what does not fit later has failed, as it would be another number.
 * */

/* Times and sizes have units that suit all of them. */
static bool has_any_size(const struct lauka_figure *figure)
{
    return strcmp(figure->unit->unit, "ns") != 0 && strcmp(figure->unit->unit, "B") != 0;
}

struct range {
    double smallest,
        greatest; /* of what is above 0, and can be kept; greatest 0: there is nothing */
};

static struct range range_of(const struct lauka_sample *samples, size_t first, size_t end,
                             size_t figure)
{
    struct range range = {INFINITY, 0};

    for (size_t c = first; c < end; c++) {
        double value = samples[c].figures ? samples[c].figures[figure] : NAN;
        if (value >= LAUKA_FIGURE_LEAST && value <= LAUKA_FIGURE_MOST) {
            range.smallest = fmin(range.smallest, value);
            range.greatest = fmax(range.greatest, value);
        }
    }
    return range;
}

static bool refuse(struct lauka_sample *sample, const struct lauka_sources *sources, size_t f,
                   enum lauka_fit fit, int decimals, struct lauka_failure *failure)
{
    const struct lauka_figure *figure = sources->figures[f];
    const double unit = lauka_power_of_ten(decimals);
    const bool any = has_any_size(figure), small = fit == LAUKA_FIT_TOO_SMALL;

    sample->unreported = true;
    failure->sample = *sample;
    snprintf(failure->reason, sizeof failure->reason,
             "reported %.9g%s%s as %.100s, which is too %s%s (%s %.2g can be kept)",
             sample->figures[f], any ? "" : " ", any ? "" : figure->unit->unit, figure->name,
             small ? "small" : "large", any ? " beside the first values" : "",
             small ? "at least" : "less than", small ? 1 / unit : LAUKA_VALUE_END / unit);
    return false;
}

/* A value that loses digits for the sake of others is told of once. */
static void note_rounding(struct lauka_sources *sources, struct lauka_result *result, size_t f,
                          double value, int decimals)
{
    static const double tolerance = 1e-4;
    char text[300];
    double kept = (double)lauka_decimals_value(value, decimals) / lauka_power_of_ten(decimals);

    if (sources->rounded[f] || fabs(kept - value) <= tolerance * value)
        return;
    sources->rounded[f] = true;
    snprintf(text, sizeof text,
             "`%.100s` has values so far apart that the smallest ones are rounded to multiples of "
             "%.2g",
             sources->figures[f]->name, 1 / lauka_power_of_ten(decimals));
    (void)lauka_result_warn(result, text); /* without memory the session goes on without it */
}

/* Of one command; false: it has failed. */
static bool check(struct lauka_sources *sources, struct lauka_result *result,
                  struct lauka_sample *sample, size_t first, struct lauka_failure *failure)
{
    for (size_t f = 0; sample->figures && first + f < result->metric_count; f++) {
        double value = sample->figures[f];
        int decimals = result->metrics[first + f].decimals;
        if (isnan(value))
            continue;
        enum lauka_fit fit = lauka_decimals_fit(value, decimals);
        if (fit != LAUKA_FIT_GOOD)
            return refuse(sample, sources, f, fit, decimals, failure);
        note_rounding(sources, result, f, value, decimals);
    }
    return true;
}

/* Before the values of the round are read: chooses how figures are kept once there are values above 0. */
bool lauka_figures_settle(struct lauka_loop *loop, const struct lauka_run *run)
{
    struct lauka_sources *sources = &loop->sources;
    struct lauka_result *result = loop->result;
    const size_t count = result->command_count, end = loop->first + loop->together;
    const size_t first = result->metric_count - sources->counts[LAUKA_SOURCES - 1];
    struct lauka_sample *round =
        loop->samples + (size_t)(run->sample - loop->samples) / count * count;
    struct lauka_failure failure = {.round = run->round};

    if (run->warmup || run->place + 1 < loop->together)
        return true;
    for (size_t f = 0; first + f < result->metric_count; f++) {
        struct range range = range_of(round, loop->first, end, f);
        if (sources->chosen[f] || range.greatest == 0)
            continue;
        sources->chosen[f] = true;
        if (has_any_size(sources->figures[f]))
            result->metrics[first + f].decimals = lauka_decimals_choose(
                range.smallest, range.greatest, sources->figures[f]->unit->decimals);
    }
    for (size_t c = loop->first; c < end; c++) {
        failure.command = c;
        if (!check(sources, result, &round[c], first, &failure)) {
            loop->executor.failure = failure;
            return false;
        }
    }
    return true;
}
