/* Names of metrics and commands: short, safe, and never two alike. A name that is cut in the middle may lose what it
 * differs in from the others: "/home/ci/…--iterations 1000" of two builds. */
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

/* ---- where names begin of which not all can be shown ------------------------------------------ */

enum { FEW_BYTES = 3 }; /* as many are not worth the mark that takes their place */

struct text {
    const char *whole; /* borrowed */
    char *shown;       /* owned */
    size_t place, apart;
};

struct texts {
    struct text *sorted; /* owned; by whole */
    size_t count;
    int width;
    bool utf8;
};

static int compare_wholes(const void *a, const void *b)
{
    const struct text *left = a, *right = b;
    return strcmp(left->whole, right->whole);
}

static size_t common_bytes(const char *left, const char *right)
{
    size_t common = 0;
    while (left[common] && left[common] == right[common])
        common++;
    return common;
}

/* Of sorted texts, those beside it are most like it. Texts that are equal do not count. */
static void find_apart(struct texts *texts)
{
    struct text *sorted = texts->sorted;
    for (size_t i = 1; i < texts->count; i++) {
        const size_t common = common_bytes(sorted[i - 1].whole, sorted[i].whole);
        const bool equal = !sorted[i - 1].whole[common] && !sorted[i].whole[common];
        sorted[i].apart = equal ? sorted[i - 1].apart : common;
        if (!equal && sorted[i - 1].apart < common)
            sorted[i - 1].apart = common;
    }
    for (size_t i = texts->count; i > 1; i--)
        if (strcmp(sorted[i - 2].whole, sorted[i - 1].whole) == 0)
            sorted[i - 2].apart = sorted[i - 1].apart;
}

/* Bytes of words that all begin with: "./sort --fast " of two of them. */
static size_t common_words(const struct texts *texts)
{
    const char *first = texts->sorted[0].whole;
    size_t common = common_bytes(first, texts->sorted[texts->count - 1].whole), words = 0;
    for (size_t i = 0; i < common; i++)
        if (first[i] == ' ' || first[i] == '/')
            words = i + 1;
    return words > FEW_BYTES ? words : 0;
}

/* The begin of the word in which the text differs, or a few letters before that. What follows the mark stays
 * longer than half of the columns. */
static size_t begin_near(const struct text *text, int width)
{
    const size_t most = width > 12 ? (size_t)width / 2 - 5 : 0;
    const size_t least = text->apart > most ? text->apart - most : 0;
    size_t begin = text->apart;
    while (begin > least && text->whole[begin - 1] != ' ' && text->whole[begin - 1] != '/')
        begin--;
    while (begin > 0 && ((unsigned char)text->whole[begin] & 0xC0) == 0x80)
        begin--; /* within a letter */
    return begin > FEW_BYTES ? begin : 0;
}

static size_t begin_of(const struct texts *texts, size_t i, enum lauka_beginning way)
{
    switch (way) {
    case LAUKA_BEGIN_WHOLE:
        break;
    case LAUKA_BEGIN_WORDS:
        return common_words(texts);
    case LAUKA_BEGIN_APART:
        return begin_near(&texts->sorted[i], texts->width);
    }
    return 0;
}

char *lauka_text_from(const char *text, size_t begin, int width, bool utf8)
{
    const char *mark = begin == 0 ? "" : utf8 ? "…" : "...";
    if (begin > strlen(text))
        begin = 0;
    char *later = lauka_text_format("%s%s", mark, text + begin);
    char *fitted = later ? lauka_fit_text(later, width, utf8) : NULL;
    free(later);
    return fitted;
}

static int compare_shown(const void *a, const void *b)
{
    const struct text *const *left = a, *const *right = b;
    int order = strcmp((*left)->shown, (*right)->shown);
    return order ? order : strcmp((*left)->whole, (*right)->whole);
}

static void forget(struct texts *texts)
{
    for (size_t i = 0; i < texts->count; i++) {
        free(texts->sorted[i].shown);
        texts->sorted[i].shown = NULL;
    }
}

/* How many texts look like another one that they are not. SIZE_MAX without memory. */
static size_t count_confused(struct texts *texts, enum lauka_beginning way)
{
    const struct text **shown = calloc(texts->count, sizeof *shown);
    size_t alike = 0;
    bool good = shown != NULL;
    for (size_t i = 0; good && i < texts->count; i++) {
        struct text *text = &texts->sorted[i];
        shown[i] = text;
        text->shown =
            lauka_text_from(text->whole, begin_of(texts, i, way), texts->width, texts->utf8);
        good = text->shown != NULL;
    }
    if (good)
        qsort(shown, texts->count, sizeof *shown, compare_shown);
    for (size_t i = 1; good && i < texts->count; i++)
        alike += strcmp(shown[i - 1]->shown, shown[i]->shown) == 0 &&
                 strcmp(shown[i - 1]->whole, shown[i]->whole) != 0;
    free(shown);
    forget(texts);
    return good ? alike : SIZE_MAX;
}

/* The first of the ways that tells most of them apart. Returns 0 or ENOMEM. */
static int choose(struct texts *texts, enum lauka_beginning first, size_t *begins)
{
    enum lauka_beginning best = first;
    size_t fewest = SIZE_MAX;
    for (enum lauka_beginning way = first; way <= LAUKA_BEGIN_APART && fewest > 0; way++) {
        const size_t alike = count_confused(texts, way);
        if (alike == SIZE_MAX)
            return ENOMEM;
        best = alike < fewest ? way : best;
        fewest = alike < fewest ? alike : fewest;
    }
    for (size_t i = 0; i < texts->count; i++)
        begins[texts->sorted[i].place] = begin_of(texts, i, best);
    return 0;
}

int lauka_find_beginnings(const char *const *texts, size_t count, int width, bool utf8,
                          enum lauka_beginning first, size_t *begins)
{
    struct texts own = {calloc(count + 1, sizeof *own.sorted), count, width, utf8};
    int widest = 0;
    if (!own.sorted)
        return ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const int columns = lauka_display_width(texts[i]);
        own.sorted[i] = (struct text){.whole = texts[i], .place = i};
        widest = columns > widest ? columns : widest;
        begins[i] = 0;
    }
    int error = 0;
    if (count > 1 && widest > width) {
        qsort(own.sorted, count, sizeof *own.sorted, compare_wholes);
        find_apart(&own);
        error = choose(&own, first, begins);
    }
    free(own.sorted);
    return error;
}

/* ---- sorted, so that those that are alike stand side by side ---------------------------------------- */

struct named {
    const char *text; /* borrowed */
    size_t command;
};

static int compare_names(const void *left, const void *right)
{
    const struct named *a = left, *b = right;
    int order = strcmp(a->text, b->text);
    return order != 0 ? order : (a->command > b->command) - (a->command < b->command);
}

/* Owned by the caller; NULL if there is no memory. */
static struct named *sort_names(char *const *labels, size_t count)
{
    struct named *names = calloc(count + 1, sizeof *names);
    for (size_t i = 0; names && i < count; i++)
        names[i] = (struct named){labels[i], i};
    if (names)
        qsort(names, count, sizeof *names, compare_names);
    return names;
}

/* How many have the same name as the first of these. */
static size_t count_alike(const struct named *names, size_t count)
{
    size_t alike = 1;
    while (alike < count && strcmp(names[alike].text, names[0].text) == 0)
        alike++;
    return alike;
}

static bool is_there(const struct named *names, size_t count, const char *text)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(names[middle].text, text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && strcmp(names[low].text, text) == 0;
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
static bool differs(const struct lauka_result *result, const struct named *names, size_t alike,
                    const struct lauka_parameter_value *parameter)
{
    for (size_t n = 0; n < alike; n++) {
        const char *value = parameter_of(&result->commands[names[n].command], parameter->name);
        if (!value || strcmp(value, parameter->value) != 0)
            return true;
    }
    return false;
}

/* "x (threads=4, size=10)". Owned by the caller; the label itself where no parameter differs. */
static char *label_with_parameters(const struct lauka_result *result, const struct named *names,
                                   size_t alike, const struct lauka_result_command *command)
{
    char *text = NULL;
    size_t size, count = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs(command->label, out);
    for (size_t i = 0; i < command->parameter_count; i++) {
        const struct lauka_parameter_value *parameter = &command->parameters[i];
        if (differs(result, names, alike, parameter))
            fprintf(out, "%s%s=%s", count++ == 0 ? " (" : ", ", parameter->name, parameter->value);
    }
    fputs(count > 0 ? ")" : "", out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* Of those with the same name; labels: those that they get, while all still have the old ones. */
static bool tell_apart(const struct lauka_result *result, const struct named *names, size_t alike,
                       char **labels)
{
    for (size_t n = 0; n < alike; n++) {
        const size_t c = names[n].command;
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
    for (size_t c = 0; labels && c < count; c++)
        labels[c] = result->commands[c].label;
    struct named *names = labels ? sort_names(labels, count) : NULL;
    bool good = names != NULL;
    for (size_t c = 0; labels && c < count; c++)
        labels[c] = NULL;
    for (size_t i = 0, alike; good && i < count; i += alike) {
        alike = count_alike(names + i, count - i);
        good = tell_apart(result, names + i, alike, labels);
    }
    free(names);
    for (size_t c = 0; labels && c < count; c++) {
        if (labels[c] && good) {
            free(result->commands[c].label);
            result->commands[c].label = labels[c];
        } else {
            free(labels[c]);
        }
    }
    free(labels);
    return good ? 0 : ENOMEM;
}

/* ---- as they are shown ------------------------------------------------------------------------------ */

char *lauka_result_fit_label(const struct lauka_result *result, size_t command, int width,
                             bool utf8)
{
    const struct lauka_result_command *from = &result->commands[command];
    bool fits = lauka_display_width(from->label) <= width;
    return lauka_text_from(from->label, fits ? 0 : from->name_begin, width, utf8);
}

/* Returns 0 or ENOMEM. */
static int find_begins(struct lauka_result *result)
{
    const size_t count = result->command_count;
    const char **labels = calloc(count + 1, sizeof *labels);
    size_t *begins = calloc(count + 1, sizeof *begins);
    for (size_t c = 0; labels && c < count; c++)
        labels[c] = result->commands[c].label;
    int error = labels && begins ? lauka_find_beginnings(labels, count, LAUKA_SUBJECT_WIDTH, true,
                                                         LAUKA_BEGIN_WHOLE, begins)
                                 : ENOMEM;
    for (size_t c = 0; !error && c < count; c++)
        result->commands[c].name_begin = begins[c];
    free(labels);
    free(begins);
    return error;
}

/* All labels, fitted; owned by the caller; NULL if there is no memory. */
static char **fit_labels(const struct lauka_result *result, int width)
{
    char **labels = calloc(result->command_count + 1, sizeof *labels);
    bool good = labels != NULL;
    for (size_t c = 0; good && c < result->command_count; c++) {
        labels[c] = lauka_result_fit_label(result, c, width, true);
        good = labels[c] != NULL;
    }
    if (good)
        return labels;
    lauka_strings_free(labels);
    return NULL;
}

int lauka_result_number_names(struct lauka_result *result)
{
    size_t count = result->command_count;
    char **labels = find_begins(result) == 0 ? fit_labels(result, LAUKA_SUBJECT_WIDTH) : NULL;
    struct named *names = labels ? sort_names(labels, count) : NULL;
    for (size_t i = 0, alike; names && i < count; i += alike) {
        alike = count_alike(names + i, count - i);
        for (size_t n = 0; n < alike; n++)
            result->commands[names[i + n].command].name_number =
                alike > 1 && !result->run.noise ? n + 1 : 0;
    }
    int error = names ? 0 : ENOMEM;
    free(names);
    lauka_strings_free(labels);
    return error;
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
static char *number_label(const struct named *names, size_t count, const char *label,
                          size_t *number, const char *replaced)
{
    size_t size = strlen(label) + 32;
    char *text = malloc(size);
    if (!text)
        return NULL;
    do
        snprintf(text, size, "%s (%zu)", label, ++*number);
    while (is_there(names, count, replace(text, replaced)));
    return text;
}

/* Labels that names borrow stay. No label becomes, with its number, what another one is. */
static bool number_alike(const struct named *names, size_t count, char **numbered,
                         const char *replaced)
{
    for (size_t i = 0, alike; i < count; i += alike) {
        size_t number = 0;
        alike = count_alike(names + i, count - i);
        for (size_t n = 0; n < alike; n++) {
            const struct named *name = &names[i + n];
            numbered[name->command] =
                alike > 1 ? number_label(names, count, name->text, &number, replaced)
                          : strdup(name->text);
            if (!numbered[name->command])
                return false;
        }
    }
    return true;
}

/* Frees the strings; some may be missing. */
static void free_all(char **strings, size_t count)
{
    for (size_t i = 0; strings && i < count; i++)
        free(strings[i]);
    free(strings);
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
    struct named *names = good ? sort_names(labels, count) : NULL;
    good = names && number_alike(names, count, numbered, replaced);
    free(names);
    free_all(labels, count);
    if (good)
        return numbered;
    free_all(numbered, count);
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
    free_all(names, count);
    return unique;
}
