/* Options of parameters: a command is run once for every combination of their values, which stand in
 * its text for {NAME}. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With more values the table would be useless. */
#define VALUES_MAX 100000
#define DECIMALS_MAX 9

/* ---- values with commas between them ------------------------------------------------------------ */

static void push_value(struct lauka_arena *arena, struct lauka_parameter *parameter, char *value)
{
    char **added = lauka_arena_add(arena, &parameter->values, &parameter->count, sizeof *added);

    *added = value;
}

/* A backslash protects a comma, or another backslash. */
static void split_list(struct lauka_arena *arena, struct lauka_parameter *parameter,
                       const char *text)
{
    char *end = lauka_arena_take(arena, strlen(text) + 1), *value = end;

    for (;; text++) {
        bool last = !*text;
        if (last || *text == ',') {
            *end++ = '\0';
            push_value(arena, parameter, value);
            value = end;
        } else {
            text += *text == '\\' && (text[1] == ',' || text[1] == '\\');
            *end++ = *text;
        }
        if (last)
            return;
    }
}

/* ---- values from MIN to MAX ----------------------------------------------------------------------- */

struct decimal { /* number / 10^decimals */
    int64_t number;
    int decimals;
};

static bool parse_decimal(const char *text, struct decimal *decimal)
{
    char digits[40];
    size_t used = 0, length = strlen(text), dot = strcspn(text, ".");
    char *end;

    if (length >= sizeof digits || length == 0)
        return false;
    for (const char *c = text; *c; c++)
        if (c != text + dot)
            digits[used++] = *c;
    digits[used] = '\0';
    decimal->decimals = dot < length ? (int)(length - dot - 1) : 0;
    errno = 0;
    decimal->number = strtoll(digits, &end, 10);
    bool begins = digits[0] == '-' || (digits[0] >= '0' && digits[0] <= '9');
    return begins && end > digits && !*end && errno == 0 && decimal->decimals <= DECIMALS_MAX &&
           decimal->number < INT64_MAX / 1000000000 && decimal->number > INT64_MIN / 1000000000;
}

/* False if the number becomes too large. */
static bool widen(struct decimal *decimal, int decimals)
{
    for (; decimal->decimals < decimals; decimal->decimals++)
        if (__builtin_mul_overflow(decimal->number, 10, &decimal->number))
            return false;
    return true;
}

static char *format_decimal(struct lauka_arena *arena, int64_t number, int decimals)
{
    char digits[24];
    uint64_t magnitude = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    int length =
        snprintf(digits, sizeof digits, "%0*llu", decimals + 1, (unsigned long long)magnitude);

    return lauka_arena_print(arena, "%s%.*s%s%s", number < 0 ? "-" : "", length - decimals, digits,
                             decimals ? "." : "", digits + length - decimals);
}

static int64_t power_of_ten(int exponent)
{
    int64_t power = 1;

    for (int i = 0; i < exponent; i++)
        power *= 10;
    return power;
}

static bool refuse_scan(const struct lauka_parameter *parameter, const char *why,
                        struct lauka_error *error)
{
    return lauka_fail(error, LAUKA_EXIT_USAGE, "--parameter-scan %.100s %.40s %.40s: %s",
                      parameter->name, parameter->scan[0], parameter->scan[1], why);
}

static bool scan(struct lauka_arena *arena, struct lauka_parameter *parameter,
                 const char *step_text, struct lauka_error *error)
{
    struct decimal from, to, step;

    if (!parse_decimal(parameter->scan[0], &from) || !parse_decimal(parameter->scan[1], &to))
        return refuse_scan(parameter, "MIN and MAX must be numbers, such as 1 or 0.25", error);
    if (!step_text && (from.decimals || to.decimals))
        return refuse_scan(parameter, "numbers with decimals need a step: -D 0.1", error);
    if (!parse_decimal(step_text ? step_text : "1", &step) || step.number <= 0)
        return refuse_scan(parameter, "the step (-D) must be a number above 0", error);
    int own_decimals = from.decimals;
    int decimals = step.decimals > own_decimals ? step.decimals : own_decimals;
    int most = to.decimals > decimals ? to.decimals : decimals;
    if (!widen(&from, most) || !widen(&to, most) || !widen(&step, most))
        return refuse_scan(parameter, "the numbers are too large", error);
    if (to.number < from.number)
        return refuse_scan(parameter, "no value lies between MIN and MAX", error);
    int64_t span;
    if (__builtin_sub_overflow(to.number, from.number, &span) || span / step.number >= VALUES_MAX)
        return refuse_scan(parameter, "this makes more than 100000 values", error);
    for (int64_t i = 0; i <= span / step.number; i++) {
        int shown = i > 0 ? decimals : own_decimals; /* 0, 0.5, 1.0, as in hyperfine */
        int64_t number = (from.number + i * step.number) / power_of_ten(most - shown);
        push_value(arena, parameter, format_decimal(arena, number, shown));
    }
    return true;
}

/* It becomes a key of JSON and a title of CSV. */
static bool is_name(const char *text)
{
    uint32_t code;

    if (!*text || strpbrk(text, "{}\n"))
        return false;
    for (size_t length; *text; text += length)
        if ((length = lauka_utf8_decode(text, &code)) == 0)
            return false;
    return true;
}

/* ---- the options ---------------------------------------------------------------------------------- */

bool option_take_parameter(int id, const char *name, char *const *rest,
                           struct lauka_options *options, struct lauka_error *error)
{
    struct lauka_parameter *parameter = lauka_arena_add(
        options->arena, &options->parameters, &options->parameter_count, sizeof *parameter);

    parameter->name = name;
    if (!is_name(name))
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "the name of a parameter must be a word, not \"%.100s\"", name);
    if (id == OPTION_PARAMETER_LIST) {
        split_list(options->arena, parameter, rest[0]);
        return true;
    }
    parameter->scan[0] = rest[0];
    parameter->scan[1] = rest[1];
    return true;
}

static bool refuse_duplicates(const struct lauka_options *options, struct lauka_error *error)
{
    for (size_t i = 0; i < options->parameter_count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(options->parameters[i].name, options->parameters[j].name) == 0)
                return lauka_fail(error, LAUKA_EXIT_USAGE,
                                  "the parameter %.100s is given twice: each needs its own name",
                                  options->parameters[i].name);
    return true;
}

bool option_finish_parameters(struct lauka_options *options, struct lauka_error *error)
{
    bool scanned = false;

    for (size_t i = 0; i < options->parameter_count; i++) {
        struct lauka_parameter *parameter = &options->parameters[i];
        if (!parameter->scan[0])
            continue;
        scanned = true;
        if (!scan(options->arena, parameter, options->scan_step, error))
            return false;
    }
    if (options->scan_step && !scanned)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--parameter-step-size needs a scan: -P NAME MIN MAX -D STEP");
    return refuse_duplicates(options, error);
}

size_t option_combinations(const struct lauka_options *options)
{
    size_t count = 1;

    for (size_t i = 0; i < options->parameter_count && count <= VALUES_MAX; i++)
        count *= options->parameters[i].count;
    return count <= VALUES_MAX ? count : 0;
}

/* ---- what commands get of them -------------------------------------------------------------------- */

void option_set_parameters(const struct lauka_options *options, size_t combination,
                           struct lauka_command *command)
{
    size_t count = options->parameter_count;

    command->parameters = lauka_arena_take(options->arena, count * sizeof *command->parameters);
    command->parameter_count = count;
    for (size_t i = 0; i < count; i++) {
        const struct lauka_parameter *from = &options->parameters[i];
        command->parameters[i] =
            (struct lauka_parameter_value){(char *)(uintptr_t)from->name, /* nobody writes there */
                                           from->values[combination % from->count]};
        combination /= from->count;
    }
}

/* The parameter whose {NAME} begins the text, or NULL. */
static const struct lauka_parameter_value *parameter_at(const struct lauka_command *command,
                                                        const char *text)
{
    size_t length = strcspn(text, "}");

    if (*text != '{' || text[length] != '}')
        return NULL;
    for (size_t i = 0; i < command->parameter_count; i++)
        if (strlen(command->parameters[i].name) == length - 1 &&
            strncmp(command->parameters[i].name, text + 1, length - 1) == 0)
            return &command->parameters[i];
    return NULL;
}

/* Writes to `out`, or measures if that is NULL. Inserted text is not searched again. */
static size_t substitute(const struct lauka_command *command, const char *text, char *out)
{
    size_t length = 0;

    while (*text) {
        const struct lauka_parameter_value *parameter = parameter_at(command, text);
        const char *from = parameter ? parameter->value : text;
        size_t count = parameter ? strlen(from) : 1;
        if (out)
            memcpy(out + length, from, count);
        length += count;
        text += parameter ? strlen(parameter->name) + 2 : 1;
    }
    if (out)
        out[length] = '\0';
    return length;
}

char *lauka_command_substitute(const struct lauka_command *command, const char *text)
{
    char *result = lauka_arena_take(command->arena, substitute(command, text, NULL) + 1);

    substitute(command, text, result);
    return result;
}
