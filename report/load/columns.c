/* Numbers as text: plain ones, and a column of CSV. They become exact integers in units of a power of ten, so that they are
 * added and compared as exactly as what lauka measured itself. No double lies between the text and the value. */
#include "report/load/foreign.h"
#include "report/load/load.h"
#include "report/load/loader.h"
#include "report/result/result.h"
#include "stats/stats.h"

#include <csv.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- decimal numbers as exact integers -------------------------------------------------------- */

struct decimal { /* digits * 10^exponent */
    uint64_t digits;
    int exponent;
    bool full; /* further digits are dropped; the first of them rounds the last one that is kept */
    bool cut;  /* some of the dropped digits are no zeros */
};

/* Larger exponents are all alike: far too large, or nothing. */
enum { EXPONENT_MAX = 100000, LEAST_CAPACITY = 256 };

static const uint64_t largest = UINT64_MAX - 1; /* one more is LAUKA_MISSING */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Takes one digit; digits that no longer fit only change the exponent. */
static void take_digit(struct decimal *decimal, unsigned digit, bool in_fraction)
{
    if (decimal->digits <= (UINT64_MAX - digit) / 10 && !decimal->full) {
        decimal->digits = 10 * decimal->digits + digit;
        decimal->exponent -= in_fraction;
        return;
    }
    if (!decimal->full && digit >= 5 && decimal->digits < UINT64_MAX)
        decimal->digits++;
    decimal->full = true;
    decimal->cut |= digit > 0;
    if (!in_fraction && decimal->exponent < EXPONENT_MAX)
        decimal->exponent++;
}

/* Digits with at most one point. Returns where they end, or NULL if there is no digit. */
static const char *take_digits(const char *text, const char *end, struct decimal *decimal)
{
    bool in_fraction = false, any = false;
    for (; text < end && (is_digit(*text) || (*text == '.' && !in_fraction)); text++) {
        if (*text == '.') {
            in_fraction = true;
            continue;
        }
        any = true;
        take_digit(decimal, (unsigned)(*text - '0'), in_fraction);
    }
    return any ? text : NULL;
}

/* "e-3". Returns where it ends, or NULL if it has no digits. */
static const char *take_exponent(const char *text, const char *end, struct decimal *decimal)
{
    if (text == end || (*text != 'e' && *text != 'E'))
        return text;
    text++;
    bool negative = text < end && *text == '-';
    if (text < end && (*text == '-' || *text == '+'))
        text++;
    if (text == end || !is_digit(*text))
        return NULL;
    int exponent = 0;
    for (; text < end && is_digit(*text); text++)
        if (exponent < EXPONENT_MAX)
            exponent = 10 * exponent + (*text - '0');
    decimal->exponent += negative ? -exponent : exponent;
    return text;
}

/* "101,5", as many countries write decimals; comma: what stands between the digits. */
static bool is_decimal_comma(const char *text, size_t length, const char *comma)
{
    const char *end = text + length;
    const size_t size = strlen(comma);
    text += length > 0 && (*text == '-' || *text == '+');
    const char *before = text;
    while (text < end && is_digit(*text))
        text++;
    if (text == before || (size_t)(end - text) <= size || memcmp(text, comma, size) != 0)
        return false;
    for (text += size; text < end && is_digit(*text);)
        text++;
    return text == end;
}

/* Returns NULL, or why the text is refused. */
static const char *parse(const char *text, size_t length, struct decimal *decimal)
{
    const char *end = text + length;
    bool negative = length > 0 && *text == '-';
    *decimal = (struct decimal){0};
    if (lauka_is_not_finite(text, length))
        return "is not finite";
    if (length > 0 && (*text == '-' || *text == '+'))
        text++;
    const char *digits = text;
    text = take_digits(text, end, decimal);
    text = text ? take_exponent(text, end, decimal) : NULL;
    if ((!text || text != end) && is_decimal_comma(digits, (size_t)(end - digits), ","))
        return "is not a number: decimals follow a point, not a comma";
    if (!text || text != end)
        return "is not a number";
    if (decimal->digits == 0)
        decimal->exponent = 0;
    for (; decimal->digits > 0 && decimal->digits % 10 == 0; decimal->digits /= 10)
        decimal->exponent++;
    return negative && decimal->digits > 0 ? "is negative" : NULL;
}

static uint64_t power_of_ten(unsigned exponent)
{
    uint64_t power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

static uint64_t divided(uint64_t value, uint64_t by)
{
    return value / by + (value % by >= by - by / 2); /* halves go up */
}

/* In units of 10^-decimals, rounded to the nearest. False if it is too large. */
static bool to_integer(const struct decimal *decimal, int decimals, uint64_t *value)
{
    int shift = decimal->exponent + decimals;
    *value = decimal->digits;
    if (shift < 0) {
        *value = shift < -19 ? 0 : divided(*value, power_of_ten((unsigned)-shift));
        return *value <= largest;
    }
    for (; shift > 0 && *value > 0; shift--) {
        if (*value > largest / 10)
            return false;
        *value *= 10;
    }
    return *value <= largest;
}

static int append(struct lauka_column *column, uint64_t value)
{
    struct lauka_series *series = &column->series;
    if (series->count == series->capacity) {
        size_t capacity = series->capacity > 0 ? 2 * series->capacity : LEAST_CAPACITY;
        int error = lauka_series_reserve(series, capacity);
        if (error)
            return error;
    }
    lauka_series_add(series, value);
    return 0;
}

/* Multiplies all values by powers of ten until there are that many decimals, or no room for more. Returns whether
 * all could be had. */
static bool refine(struct lauka_column *column, int decimals)
{
    uint64_t factor = 1;
    for (; column->decimals < decimals && column->most <= largest / 10; column->decimals++) {
        column->most *= 10;
        factor *= 10;
    }
    for (size_t i = 0; i < column->series.count && factor > 1; i++) {
        uint64_t value = lauka_series_at(&column->series, i);
        if (value != LAUKA_MISSING)
            lauka_series_set(&column->series, i, value * factor);
    }
    return column->decimals >= decimals;
}

/* Drops one decimal everywhere, to make room for a large number. False if a value would vanish. */
static bool coarsen(struct lauka_column *column)
{
    for (size_t i = 0; i < column->series.count; i++) {
        uint64_t value = lauka_series_at(&column->series, i);
        if (value == LAUKA_MISSING || value == 0)
            continue;
        column->rounded |= value % 10 != 0;
        value = divided(value, 10);
        lauka_series_set(&column->series, i, value);
        if (value == 0)
            return false;
    }
    column->most = divided(column->most, 10);
    column->decimals--;
    column->full = true;
    return true;
}

/* Decimals with which nine digits are kept, or LAUKA_DECIMALS_PLAIN, if those are more. */
static int decimals_of(const struct decimal *decimal)
{
    int decimals = 9 - decimal->exponent;
    for (uint64_t rest = decimal->digits; rest > 0; rest /= 10)
        decimals--;
    decimals = decimals > LAUKA_DECIMALS_PLAIN ? decimals : LAUKA_DECIMALS_PLAIN;
    return decimals < LAUKA_DECIMALS_MAX ? decimals : LAUKA_DECIMALS_MAX;
}

/* As many decimals as the number has, up to those, if there is room. */
static void adapt(struct lauka_column *column, const struct decimal *decimal)
{
    int wanted = decimals_of(decimal);
    if (!decimal->cut && -decimal->exponent < wanted)
        wanted = decimal->exponent < 0 ? -decimal->exponent : 0;
    if (wanted > column->decimals && !column->full)
        column->full = !refine(column, wanted);
}

/* Whether nothing is lost with that many decimals, which may be below 0. */
static bool is_exact(struct decimal decimal, int decimals)
{
    for (; decimal.digits > 0 && decimal.digits % 10 == 0; decimal.digits /= 10)
        decimal.exponent++;
    return !decimal.cut && (decimal.digits == 0 || decimal.exponent + decimals >= 0);
}

int lauka_column_add(struct lauka_column *column, const char *text, size_t length,
                     const char **reason)
{
    struct decimal decimal;
    uint64_t value;
    *reason = parse(text, length, &decimal);
    if (*reason)
        return EINVAL;
    if (column->adapts)
        adapt(column, &decimal);
    while (!to_integer(&decimal, column->decimals, &value)) {
        *reason = "is too large";
        if (!column->adapts || column->decimals <= -LAUKA_DECIMALS_MAX)
            return EINVAL;
        *reason = "is too large beside the others";
        if (!coarsen(column))
            return EINVAL;
    }
    bool inexact = !is_exact(decimal, column->decimals);
    *reason = column->whole && inexact ? "is not a whole number"
              : column->adapts && value == 0 && decimal.digits > 0
                  ? "is too small: below 1e-38, or beside the largest of the others"
                  : NULL;
    if (*reason)
        return EINVAL;
    column->rounded |= inexact;
    column->most = value > column->most ? value : column->most;
    return append(column, value);
}

int lauka_column_add_missing(struct lauka_column *column)
{
    return append(column, LAUKA_MISSING);
}

/* ---- a column as a result --------------------------------------------------------------------- */

/* The column's values move into the command. */
static int describe(struct lauka_result *result, const char *metric, const char *label,
                    struct lauka_column *column)
{
    const struct lauka_result_metric about = {
        .name = (char *)metric,
        .unit = (char *)"1",
        .source = (char *)LAUKA_SOURCE_FILE,
        .better = "neither",
        .counted = true,
        .share = 1,
        .decimals = column->decimals,
    };
    if (lauka_result_add_metric(result, &about) != 0)
        return ENOMEM;
    struct lauka_result_command *command = lauka_result_add_command(result, label);
    if (!command)
        return ENOMEM;
    command->series[0] = column->series;
    column->series = (struct lauka_series){0};
    return 0;
}

/* A result of one command named after the file, with this column as its only metric. The column's
 * values move into the result. Returns 0, ENOMEM, or EINVAL where there are no values. */
static int load_column(const struct lauka_stored *stored, const char *metric,
                       struct lauka_column *column, struct lauka_result *result,
                       struct lauka_load_error *error)
{
    if (column->series.count == 0)
        return lauka_load_fail(stored, 0, error, "holds no values");
    if (describe(result, metric, stored->name, column) != 0)
        return ENOMEM;
    result->run.stopped = LAUKA_STOPPED_STORED;
    result->run.rounds = result->commands[0].series[0].count;
    if (!column->rounded)
        return 0;
    return column->decimals < 0
               ? lauka_result_note(result, "numbers were rounded to multiples of 1e%d",
                                   -column->decimals)
               : lauka_result_note(result, "numbers were rounded to %d decimal%s", column->decimals,
                                   column->decimals == 1 ? "" : "s");
}

/* ---- plain numbers ---------------------------------------------------------------------------- */

struct line {
    const char *text;
    size_t length;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Without its comment and the blanks around it. */
static struct line bare(const char *text, size_t length)
{
    const char *comment = memchr(text, '#', length);
    struct line line = {text, comment ? (size_t)(comment - text) : length};
    while (line.length > 0 && is_blank(line.text[line.length - 1]))
        line.length--;
    while (line.length > 0 && is_blank(*line.text)) {
        line.text++;
        line.length--;
    }
    return line;
}

/* A word in the first line may be a column's title; it is not treated as one unasked, because it may as
 * well be a damaged number. */
static int refuse(const struct lauka_stored *stored, size_t number, struct line line, bool first,
                  const char *reason, struct lauka_load_error *error)
{
    char quoted[LAUKA_QUOTE_SIZE];
    return lauka_load_fail(stored, number, error, "%s %s%s",
                           lauka_load_quote(line.text, line.length, quoted), reason,
                           first ? "; is this file CSV? Then say lauka compare --column NAME" : "");
}

static int read_lines(const struct lauka_stored *stored, struct lauka_column *column,
                      struct lauka_load_error *error)
{
    const char *at = stored->bytes, *end = at + stored->size;
    for (size_t number = 1; at < end; number++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end, *reason;
        struct line line = bare(at, (size_t)(stop - at));
        at = stop + (newline != NULL);
        if (line.length == 0)
            continue;
        if (column->series.count == LAUKA_LOAD_VALUES)
            return lauka_load_fail(stored, number, error, "too many values");
        int failure = lauka_column_add(column, line.text, line.length, &reason);
        if (failure == EINVAL)
            return refuse(stored, number, line,
                          column->series.count == 0 && strcmp(reason, "is not a number") == 0,
                          reason, error);
        if (failure)
            return failure;
    }
    return 0;
}

int lauka_load_text(const struct lauka_stored *stored, struct lauka_result *result,
                    struct lauka_load_error *error)
{
    struct lauka_column column = {.adapts = true};
    int failure = read_lines(stored, &column, error);
    if (!failure)
        failure = load_column(stored, "value", &column, result, error);
    lauka_series_done(&column.series);
    return failure;
}

/* ---- CSV -------------------------------------------------------------------------------------- */

enum { TITLES_MAX = 512 }; /* bytes of titles that an error lists */

struct reader {
    const struct lauka_stored *stored;
    struct lauka_load_error *error;
    struct lauka_column column;
    char *title; /* owned: the column's; NULL where it has none */
    char titles[TITLES_MAX];
    size_t chosen;             /* the column, from 0; SIZE_MAX until it is known */
    size_t named;              /* the first column that is called as asked for */
    size_t matches;            /* how many titles are as asked for */
    size_t fields;             /* of the row under way, so far */
    size_t width;              /* fields of the first row */
    bool *subjects;            /* owned; of the columns: those that say what a row is about */
    bool has_mean, has_stddev; /* there are columns of these */
    char *first, *own;         /* owned: what the first row is about, and the one under way */
    size_t row, line;          /* from 1 */
    int failure;
};

static void fail(struct reader *reader, const char *what, const char *why)
{
    reader->failure =
        lauka_load_fail(reader->stored, reader->line, reader->error, "%s %s", what, why);
}

/* The number of a column from 1, or 0. */
static size_t column_number(const char *text)
{
    char *end;
    if (!text || *text < '0' || *text > '9')
        return 0;
    unsigned long long number = strtoull(text, &end, 10);
    return *end || number > LAUKA_LOAD_VALUES ? 0 : (size_t)number;
}

static void keep_title(struct reader *reader, const char *text, size_t length)
{
    free(reader->title);
    reader->title = strndup(text, length);
    if (!reader->title)
        reader->failure = ENOMEM;
}

static void list_title(struct reader *reader, const char *text, size_t length)
{
    size_t used = strlen(reader->titles);
    snprintf(reader->titles + used, sizeof reader->titles - used, "%s%.*s", used > 0 ? ", " : "",
             (int)(length < 40 ? length : 40), text);
}

static void take_value(struct reader *reader, const char *text, size_t length)
{
    const char *reason = NULL;
    char quoted[LAUKA_QUOTE_SIZE];
    int failure = length == 0 ? lauka_column_add_missing(&reader->column)
                              : lauka_column_add(&reader->column, text, length, &reason);
    if (failure == EINVAL)
        fail(reader, lauka_load_quote(text, length, quoted), reason);
    else if (failure)
        reader->failure = failure;
    else if (reader->column.series.count > LAUKA_LOAD_VALUES)
        fail(reader, "too many", "values");
}

/* ---- what the rows are about ------------------------------------------------------------------ */

static bool is_title(const char *text, size_t length, const char *title)
{
    return length == strlen(title) && memcmp(text, title, length) == 0;
}

/* Summaries have a row for each command: hyperfine's, with its parameters, and lauka's. */
static bool is_subject(const char *text, size_t length)
{
    static const char parameter[] = "parameter_";
    return is_title(text, length, "command") || is_title(text, length, "benchmark") ||
           (length > strlen(parameter) && memcmp(text, parameter, strlen(parameter)) == 0);
}

/* From the first row. */
static void note_subject(struct reader *reader, const char *text, size_t length)
{
    bool *grown = realloc(reader->subjects, reader->fields + 1);
    if (!grown) {
        reader->failure = ENOMEM;
        return;
    }
    reader->subjects = grown;
    grown[reader->fields] = is_subject(text, length);
    reader->has_mean |= is_title(text, length, "mean");
    reader->has_stddev |= is_title(text, length, "stddev");
}

/* Adds the field to what the row is about. */
static void take_subject(struct reader *reader, const char *text, size_t length)
{
    const size_t used = reader->own ? strlen(reader->own) : 0;
    char *grown = realloc(reader->own, used + length + 3);
    if (!grown) {
        reader->failure = ENOMEM;
        return;
    }
    reader->own = grown;
    snprintf(grown + used, length + 3, "%s%.*s", used > 0 ? ", " : "", (int)length, text);
}

#define INSTEAD "take the JSON of lauka or hyperfine instead"

/* Rows about different things are not values of one thing. */
static void check_subject(struct reader *reader)
{
    char first[LAUKA_QUOTE_SIZE], own[LAUKA_QUOTE_SIZE], why[2 * LAUKA_QUOTE_SIZE + 128];
    if (!reader->own)
        return;
    if (!reader->first) {
        reader->first = reader->own;
        reader->own = NULL;
        return;
    }
    if (strcmp(reader->first, reader->own) != 0) {
        snprintf(why, sizeof why, "%s and %s, which are not values of one of them: " INSTEAD,
                 lauka_load_quote(reader->first, strlen(reader->first), first),
                 lauka_load_quote(reader->own, strlen(reader->own), own));
        fail(reader, "has rows of", why);
    }
    reader->own[0] = '\0';
}

/* ---- fields ------------------------------------------------------------------------------------- */

/* From the first row: which column is meant, and what its title may be. */
static void take_title(struct reader *reader, const char *text, size_t length)
{
    const char *wanted = reader->stored->column;
    bool named = wanted && strlen(wanted) == length && memcmp(wanted, text, length) == 0;
    list_title(reader, text, length);
    note_subject(reader, text, length);
    if (named && reader->matches++ == 0)
        reader->named = reader->fields;
    if (reader->fields == reader->chosen)
        keep_title(reader, text, length);
}

static void take_field(void *text, size_t length, void *data)
{
    struct reader *reader = data;
    const char *field = text ? text : "";
    if (!reader->failure && reader->row == 1)
        take_title(reader, field, length);
    else if (!reader->failure && reader->fields == reader->chosen)
        take_value(reader, field, length);
    else if (!reader->failure && reader->fields < reader->width && reader->subjects[reader->fields])
        take_subject(reader, field, length);
    reader->fields++;
}

/* A column chosen by number need not have a title: then its first field is a value. */
static void take_untitled(struct reader *reader)
{
    const char *reason = NULL;
    char quoted[LAUKA_QUOTE_SIZE];
    size_t length = strlen(reader->title);
    int failure = lauka_column_add(&reader->column, reader->title, length, &reason);
    if (failure == EINVAL && strcmp(reason, "is not a number") == 0)
        return;
    if (failure == EINVAL)
        fail(reader, lauka_load_quote(reader->title, length, quoted), reason);
    else
        reader->failure = failure;
    free(reader->title);
    reader->title = NULL;
}

/* After the first row it is clear which column is meant. */
static void choose(struct reader *reader)
{
    const char *wanted = reader->stored->column;
    char why[TITLES_MAX + 64], quoted[LAUKA_QUOTE_SIZE];
    reader->width = reader->fields;
    if (!wanted && is_decimal_comma(reader->titles, strlen(reader->titles), ", ")) {
        fail(reader, "has several columns, or decimal commas, which are not read:",
             "choose one by --column, or write decimals with a point");
    } else if (!wanted) {
        snprintf(why, sizeof why, "choose one by --column: %s", reader->titles);
        fail(reader, "has several columns;", why);
    } else if (reader->chosen < reader->width) {
        take_untitled(reader);
    } else if (reader->matches == 1) {
        reader->chosen = reader->named;
        keep_title(reader, wanted, strlen(wanted));
    } else if (reader->matches > 1) {
        fail(reader, lauka_load_quote(wanted, strlen(wanted), quoted),
             "is the title of several columns: choose one by its number");
    } else {
        const bool other = reader->width == 1 && strpbrk(reader->titles, ";\t");
        snprintf(why, sizeof why, "is not among the columns: %s%s", reader->titles,
                 other ? " (only commas separate columns)" : "");
        fail(reader, lauka_load_quote(wanted, strlen(wanted), quoted), why);
    }
}

static void take_row(int terminator, void *data)
{
    struct reader *reader = data;
    char why[96];
    (void)terminator;
    if (!reader->failure && reader->row == 1)
        choose(reader);
    if (!reader->failure && reader->fields != reader->width) {
        snprintf(why, sizeof why, "%zu field%s, but the first row has %zu", reader->fields,
                 reader->fields == 1 ? "" : "s", reader->width);
        fail(reader, "has", why);
    }
    if (!reader->failure && reader->row > 1)
        check_subject(reader);
    reader->fields = 0;
    reader->row++;
}

/* Line by line, because libcsv does not say where it is. */
static void parse_rows(struct reader *reader, struct csv_parser *parser)
{
    const char *at = reader->stored->bytes, *end = at + reader->stored->size;
    for (reader->line = 1; at < end && !reader->failure; reader->line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline + 1 : end;
        size_t length = (size_t)(stop - at);
        bool comment = reader->row == 1 && reader->fields == 0 && *at == '#';
        if (!comment && csv_parse(parser, at, length, take_field, take_row, reader) != length &&
            !reader->failure)
            fail(reader, "is not CSV:", csv_strerror(csv_error(parser)));
        at = stop;
    }
    reader->line -= reader->line > 1;
    if (!reader->failure && csv_fini(parser, take_field, take_row, reader) != 0 && !reader->failure)
        fail(reader, "ends within a quoted field;", csv_strerror(csv_error(parser)));
}

int lauka_load_csv(const struct lauka_stored *stored, struct lauka_result *result,
                   struct lauka_load_error *error)
{
    size_t number = column_number(stored->column);
    struct reader reader = {.stored = stored, .error = error, .row = 1, .column = {.adapts = true}};
    struct csv_parser parser;
    reader.chosen = number > 0 ? number - 1 : SIZE_MAX;
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0)
        return ENOMEM;
    parse_rows(&reader, &parser);
    csv_free(&parser);
    reader.line = 0;
    if (!reader.failure && reader.first && reader.has_mean && reader.has_stddev &&
        reader.column.series.count == 1)
        fail(&reader, "is a summary, and holds no single runs, which a comparison needs:", INSTEAD);
    if (!reader.failure)
        reader.failure = load_column(stored, reader.title && *reader.title ? reader.title : "value",
                                     &reader.column, result, error);
    free(reader.title);
    free(reader.subjects);
    free(reader.first);
    free(reader.own);
    lauka_series_done(&reader.column.series);
    return reader.failure;
}
