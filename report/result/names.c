/* Names of metrics and commands: short, safe, and never two alike. People read short names; machines get keys. */
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- metrics as people call them -------------------------------------------------------------- */

static bool same(const char *name, size_t name_length, const char *asked, size_t length)
{
    if (name_length != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (name[i] != asked[i] && !(strchr("-_", name[i]) && strchr("-_", asked[i])))
            return false;
    return true;
}

/* Leaves the part of a metric's name that may be typed alone: wall of wall_time or wall-time. */
static void trim(const char **name, size_t *length)
{
    static const char peak[] = "peak_";
    static const char *const ends[] = {":u", "_time"};

    if (*length > strlen(peak) && same(*name, strlen(peak), peak, strlen(peak))) {
        *name += strlen(peak);
        *length -= strlen(peak);
    }
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t end = strlen(ends[i]);
        if (*length > end && same(*name + *length - end, end, ends[i], end))
            *length -= end;
    }
}

static bool is_called(const char *name, const char *asked, size_t length)
{
    size_t whole = strlen(name);

    trim(&name, &whole);
    return same(name, whole, asked, length);
}

bool lauka_metric_names_agree(const char *a, const char *b)
{
    size_t length = strlen(a), other = strlen(b);

    trim(&a, &length);
    trim(&b, &other);
    return same(a, length, b, other);
}

size_t lauka_result_find_metric(const struct lauka_result *result, const char *name, size_t length)
{
    for (size_t m = 0; m < result->metric_count; m++)
        if (same(result->metrics[m].name, strlen(result->metrics[m].name), name, length))
            return m;
    for (size_t m = 0; m < result->metric_count; m++)
        if (is_called(result->metrics[m].name, name, length))
            return m;
    return result->metric_count;
}

/* ---- sorted, so that those that are alike stand side by side ---------------------------------------- */

/* Labels that are still the commands'. Owned by the caller, without the strings; NULL if there is no memory. */
static char **labels_of(const struct lauka_result *result)
{
    char **labels = calloc(result->command_count + 1, sizeof *labels);
    for (size_t c = 0; labels && c < result->command_count; c++)
        labels[c] = result->commands[c].label;
    return labels;
}

/* Their names, sorted. Owned by the caller; NULL if there is no memory. */
static struct lauka_named *sort_labels(const struct lauka_result *result)
{
    char **labels = labels_of(result);
    struct lauka_named *names =
        labels ? lauka_sort_named(NULL, labels, result->command_count) : NULL;
    free(labels);
    return names;
}

static bool is_there(const struct lauka_named *names, size_t count, const char *text)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(names[middle].name, text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && strcmp(names[low].name, text) == 0;
}

/* ---- told apart by parameters ----------------------------------------------------------------------- */

static const char *parameter_of(const struct lauka_result_command *command, const char *name)
{
    for (size_t i = 0; i < command->parameter_count; i++)
        if (strcmp(command->parameters[i].name, name) == 0)
            return command->parameters[i].value;
    return NULL;
}

/* Whether one of those with the same name has another value. */
static bool differs(const struct lauka_result *result, const struct lauka_named *names,
                    size_t alike, const struct lauka_parameter_value *parameter)
{
    for (size_t n = 0; n < alike; n++) {
        const char *value = parameter_of(&result->commands[names[n].index], parameter->name);
        if (!value || strcmp(value, parameter->value) != 0)
            return true;
    }
    return false;
}

/* "threads=4, size=10": the parameters of one of these commands in which they differ; "" where none does. Owned by the
 * caller; NULL without memory. */
static char *list_differing(const struct lauka_result *result, const struct lauka_named *names,
                            size_t alike, const struct lauka_result_command *command)
{
    char *text = NULL;
    size_t size, count = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (size_t i = 0; i < command->parameter_count; i++) {
        const struct lauka_parameter_value *parameter = &command->parameters[i];
        if (differs(result, names, alike, parameter))
            fprintf(out, "%s%s=%s", count++ == 0 ? "" : ", ", parameter->name, parameter->value);
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* "x (threads=4, size=10)". Owned by the caller; the label itself where no parameter differs. */
static char *label_with_parameters(const struct lauka_result *result,
                                   const struct lauka_named *names, size_t alike,
                                   const struct lauka_result_command *command)
{
    char *list = list_differing(result, names, alike, command);
    char *text = !list   ? NULL
                 : *list ? lauka_text_format("%s (%s)", command->label, list)
                         : strdup(command->label);
    free(list);
    return text;
}

/* Of those with the same name; labels: those that they get, while all still have the old ones. */
static bool tell_apart(const struct lauka_result *result, const struct lauka_named *names,
                       size_t alike, char **labels)
{
    for (size_t n = 0; n < alike; n++) {
        const size_t c = names[n].index;
        const struct lauka_result_command *command = &result->commands[c];
        if (alike == 1 || command->parameter_count == 0)
            continue;
        labels[c] = label_with_parameters(result, names, alike, command);
        if (!labels[c])
            return false;
    }
    return true;
}

int lauka_result_tell_apart(struct lauka_result *result)
{
    const size_t count = result->command_count;
    char **labels = calloc(count + 1, sizeof *labels);
    struct lauka_named *names = labels ? sort_labels(result) : NULL;
    bool good = names != NULL;
    for (size_t i = 0, alike; good && i < count; i += alike) {
        alike = lauka_count_alike(names + i, count - i);
        good = tell_apart(result, names + i, alike, labels);
    }
    free(names);
    for (size_t c = 0; good && c < count; c++)
        if (labels[c]) {
            free(result->commands[c].label);
            result->commands[c].label = labels[c];
            labels[c] = NULL;
        }
    lauka_free_texts(labels, count);
    return good ? 0 : ENOMEM;
}

/* ---- as they are shown ------------------------------------------------------------------------------ */

int lauka_result_number_names(struct lauka_result *result)
{
    const size_t count = result->command_count;
    struct lauka_named *names = sort_labels(result);
    for (size_t i = 0, alike; names && i < count; i += alike) {
        alike = lauka_count_alike(names + i, count - i);
        for (size_t n = 0; n < alike; n++)
            result->commands[names[i + n].index].name_number = alike > 1 ? n + 1 : 0;
    }
    const int error = names ? 0 : ENOMEM;
    free(names);
    return error;
}

/* Whether one text becomes the other when values of the parameters are exchanged, from left to right. */
static bool differ_by_values(const char *text, const struct lauka_result_command *own,
                             const char *other_text, const struct lauka_result_command *other)
{
    while (*text || *other_text) {
        size_t p = 0, length = 0, other_length = 0;
        for (; p < own->parameter_count; p++) {
            length = strlen(own->parameters[p].value);
            other_length = strlen(other->parameters[p].value);
            if (strncmp(text, own->parameters[p].value, length) == 0 &&
                strncmp(other_text, other->parameters[p].value, other_length) == 0 &&
                length + other_length > 0)
                break;
        }
        if (p == own->parameter_count && (!*text || *text != *other_text))
            return false;
        text += p < own->parameter_count ? length : 1;
        other_text += p < own->parameter_count ? other_length : 1;
    }
    return true;
}

static bool same_parameters(const struct lauka_result_command *left,
                            const struct lauka_result_command *right)
{
    if (left->parameter_count != right->parameter_count)
        return false;
    for (size_t p = 0; p < left->parameter_count; p++)
        if (strcmp(left->parameters[p].name, right->parameters[p].name) != 0)
            return false;
    return true;
}

/* Whether all are one command with different values of its parameters. */
static bool vary_by_parameters(const struct lauka_result *result)
{
    const struct lauka_result_command *first = result->commands;
    for (size_t c = 1; c < result->command_count; c++)
        if (!same_parameters(first, &first[c]) ||
            !differ_by_values(first->label, first, first[c].label, &first[c]))
            return false;
    return result->command_count > 1 && first->parameter_count > 0;
}

/* "threads=4" for each command. Owned by the caller; NULL without memory. */
static char **list_all_differing(const struct lauka_result *result)
{
    const size_t count = result->command_count;
    char **lists = calloc(count + 1, sizeof *lists);
    struct lauka_named *all = sort_labels(result);
    bool good = lists && all;
    for (size_t c = 0; good && c < count; c++) {
        lists[c] = list_differing(result, all, count, &result->commands[c]);
        good = lists[c] != NULL;
    }
    free(all);
    if (good)
        return lists;
    lauka_strings_free(lists);
    return NULL;
}

static bool any_is_wider(char *const *labels, int width)
{
    for (; *labels; labels++)
        if (lauka_display_width(*labels) > width)
            return true;
    return false;
}

/* The names of these texts, if none of them is a letter; otherwise NULL. */
static char **names_without_letters(char *const *texts, size_t count, int width, bool utf8,
                                    bool *lettered)
{
    char **names = lauka_short_names((const char *const *)texts, count, width, utf8, lettered);
    for (size_t i = 0; names && i < count; i++)
        if (lettered[i]) {
            lauka_strings_free(names);
            return NULL;
        }
    return names;
}

char **lauka_result_short_names(const struct lauka_result *result, int width, bool utf8,
                                bool *lettered)
{
    const size_t count = result->command_count;
    char **labels = labels_of(result), **names = NULL;
    if (labels && any_is_wider(labels, width) && vary_by_parameters(result)) {
        char **lists = list_all_differing(result);
        names = lists ? names_without_letters(lists, count, width, utf8, lettered) : NULL;
        lauka_strings_free(lists);
    }
    if (labels && !names)
        names = lauka_short_names((const char *const *)labels, count, width, utf8, lettered);
    free(labels);
    return names;
}

/* ---- as keys ------------------------------------------------------------------------------------- */

static char *replace(char *text, const char *replaced)
{
    for (char *c = text; c && *c; c++)
        if (strchr(replaced, *c))
            *c = '_';
    return text;
}

/* The label with the first number that makes it differ from all existing ones. */
static char *number_label(const struct lauka_named *names, size_t count, const char *label,
                          size_t *number, const char *replaced)
{
    char *text = NULL;
    do {
        free(text);
        text = replace(lauka_text_numbered(label, ++*number), replaced);
    } while (text && is_there(names, count, text));
    return text;
}

/* Labels that names borrow stay. No label becomes, with its number, what another one is. */
static bool number_alike(const struct lauka_named *names, size_t count, char **numbered,
                         const char *replaced)
{
    for (size_t i = 0, alike; i < count; i += alike) {
        size_t number = 0;
        alike = lauka_count_alike(names + i, count - i);
        for (size_t n = 0; n < alike; n++) {
            const struct lauka_named *name = &names[i + n];
            numbered[name->index] = alike > 1
                                        ? number_label(names, count, name->name, &number, replaced)
                                        : strdup(name->name);
            if (!numbered[name->index])
                return false;
        }
    }
    return true;
}

char **lauka_unique_texts(char *const *texts, size_t count, int width, const char *replaced,
                          bool utf8)
{
    char **labels = calloc(count + 1, sizeof *labels),
         **numbered = calloc(count + 1, sizeof *labels);
    bool good = labels && numbered;
    for (size_t i = 0; good && i < count; i++) {
        labels[i] = replace(lauka_fit_text(texts[i], width, utf8), replaced);
        good = labels[i] != NULL;
    }
    struct lauka_named *names = good ? lauka_sort_named(NULL, labels, count) : NULL;
    good = names && number_alike(names, count, numbered, replaced);
    free(names);
    lauka_free_texts(labels, count);
    if (good)
        return numbered;
    lauka_free_texts(numbered, count);
    return NULL;
}

const char *lauka_result_side(const struct lauka_result *result, size_t command)
{
    const struct lauka_result_command *from = &result->commands[command];
    return result->benchmark.name && from->side ? from->side : from->label;
}

/* "benchmark/side", or the label where nobody named the benchmark. */
static char *name_place(const struct lauka_result *result, size_t command)
{
    const char *name = result->benchmark.name, *side = lauka_result_side(result, command);
    return lauka_text_format("%s%s%s", name ? name : "", name ? "/" : "", side);
}

char **lauka_session_unique_names(const struct lauka_session *session, int width,
                                  const char *replaced)
{
    size_t count = 0, at = 0;
    for (size_t b = 0; b < session->benchmark_count; b++)
        count += session->benchmarks[b].command_count;
    char **names = calloc(count + 1, sizeof *names), **unique;
    bool good = names != NULL;
    for (size_t b = 0; b < session->benchmark_count; b++)
        for (size_t c = 0; good && c < session->benchmarks[b].command_count; c++) {
            names[at] = name_place(&session->benchmarks[b], c);
            good = names[at++] != NULL;
        }
    unique = good ? lauka_unique_texts(names, count, width, replaced, true) : NULL;
    lauka_free_texts(names, count);
    return unique;
}
