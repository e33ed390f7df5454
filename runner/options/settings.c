/* The options of a session, as its result tells them: what was given, and what holds by default. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "report/result/result.h"
#include "runner/options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_given(const struct lauka_options *options, int id)
{
    bool found = false;

    for (size_t i = 0; i < options->given_count; i++)
        found |= lauka_option_rows[options->given[i].row].id == id;
    return found;
}

/* Where documents go, and how they look, is no matter of the result; --metrics names the first one. */
static bool is_setting(const struct option_row *row)
{
    return row->id == OPTION_NO_SAMPLES || row->id == OPTION_METRICS ||
           (row->group != OPTION_GROUP_OUTPUTS && row->group != OPTION_GROUP_GENERAL);
}

/* Values of an option that has several, with blanks between them; NULL without memory. */
static char *join_values(const struct lauka_given *given)
{
    const char *words = lauka_option_rows[given->row].placeholder;
    size_t count = 0, size = strlen(given->text) + 1;

    while ((words = strchr(words, ' ')) != NULL)
        words++, size += 1 + strlen(given->rest[count++]);
    char *text = malloc(size), *end = text;
    if (text)
        end = stpcpy(text, given->text);
    for (size_t i = 0; text && i < count; i++)
        end = stpcpy(stpcpy(end, " "), given->rest[i]);
    return text;
}

static int add_one(struct lauka_result *result, const struct lauka_given *given)
{
    const struct option_row *row = &lauka_option_rows[given->row];
    char letter[2] = {(char)row->id, '\0'}, *text = given->text ? join_values(given) : NULL;

    if (given->text && !text)
        return ENOMEM;
    int failure = lauka_result_add_option(result, row->name ? row->name : letter, text, true);
    free(text);
    return failure;
}

static int add_given(struct lauka_result *result, const struct lauka_options *options)
{
    int failure = 0;

    for (size_t i = 0; i < options->given_count && !failure; i++)
        if (is_setting(&lauka_option_rows[options->given[i].row]))
            failure = add_one(result, &options->given[i]);
    return failure;
}

static void format_duration(uint64_t ns, char *text, size_t size)
{
    snprintf(text, size, "%gs", (double)ns / 1e9);
}

/* "" where the default says nothing: a number of rounds leaves no room for a time. */
static void format_default(const struct lauka_options *options, int id, char *text, size_t size)
{
    text[0] = '\0';
    if (id == OPTION_WARMUP)
        snprintf(text, size, "%" PRIu64, options->warmup);
    else if (id == OPTION_SEED)
        snprintf(text, size, "%" PRIu64, options->seed);
    else if (id == OPTION_PIN && options->pin)
        snprintf(text, size, "%.120s", options->pin); /* that of --quiet-machine */
    else if (id == OPTION_PRIMARY)
        snprintf(text, size, "%s", options->metrics ? "" : options->primary);
    else if (options->rounds > 0)
        return;
    else if (id == OPTION_UNTIL)
        snprintf(text, size, "%g%%", 100 * options->until);
    else if (id == OPTION_MAX_TIME)
        format_duration(options->max_time_ns, text, size);
    else if (id == OPTION_MIN_TIME)
        format_duration(options->min_time_ns, text, size);
}

/* ---- the command line once more ------------------------------------------------------------------ */

static bool is_separate_value(const struct lauka_given *given, const char *word)
{
    return lauka_option_rows[given->row].argument == required_argument && given->text &&
           !strchr(word, '=');
}

/* Marks the words of options that say where documents go. */
static void mark_outputs(const struct lauka_options *options, bool *marked)
{
    for (size_t i = 0; i < options->given_count; i++) {
        const struct lauka_given *given = &options->given[i];
        const char *word = options->arguments[given->word];
        bool alone = word[0] == '-' && (word[1] == '-' || !word[2]);
        if (is_setting(&lauka_option_rows[given->row]) || !alone)
            continue;
        marked[given->word] = true;
        if (is_separate_value(given, word))
            marked[given->word + 1] = true;
    }
}

/* With the seed in front, so that a run can be had again in the same order. Returns 0 or ENOMEM. */
static int describe_reproduction(struct lauka_result *result, const struct lauka_options *options)
{
    size_t count = 0, used = 0;
    char seed[40];

    while (options->arguments[count])
        count++;
    bool *marked = calloc(count + 1, sizeof *marked);
    char **words = result->reproduce = calloc(count + 2, sizeof *words);
    snprintf(seed, sizeof seed, "--seed=%" PRIu64, options->seed);
    bool good = marked && words;
    if (good && !is_given(options, OPTION_SEED))
        good = (words[used++] = strdup(seed)) != NULL;
    if (good)
        mark_outputs(options, marked);
    for (size_t i = 0; good && i < count; i++)
        if (!marked[i])
            good = (words[used++] = strdup(options->arguments[i])) != NULL;
    free(marked);
    return good ? 0 : ENOMEM;
}

/* "A=1 B=2" are two variables to hyperfine, and one to us, which may be meant. */
static bool names_another(const char *variable, const char **name, int *length)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

    for (const char *c = strchr(variable, ' '); c; c = strchr(c, ' ')) {
        *name = ++c;
        *length = (int)strspn(c, letters);
        if (*length > 0 && *length < 60 && (*c < '0' || *c > '9') && c[*length] == '=')
            return true;
    }
    return false;
}

static int warn_of_variables(struct lauka_result *result, const struct lauka_options *options)
{
    const char *name;
    char text[300];
    int failure = 0, length;

    for (size_t i = 0; i < options->given_count && !failure; i++) {
        const struct lauka_given *given = &options->given[i];
        if (lauka_option_rows[given->row].id != OPTION_ENV ||
            !names_another(given->text, &name, &length))
            continue;
        snprintf(text, sizeof text,
                 "--env %.100s: this is one variable with blanks in its value; if %.*s is another, it "
                 "needs an --env of its own",
                 given->text, length, name);
        failure = lauka_result_warn(result, text);
    }
    return failure;
}

int lauka_settings_describe(struct lauka_result *result, const struct lauka_options *options)
{
    int failure = warn_of_variables(result, options);

    if (failure)
        return failure;
    if (options->arguments && (!(result->arguments = lauka_strings_copy(options->arguments)) ||
                               describe_reproduction(result, options) != 0))
        return ENOMEM;
    for (size_t i = 0; i < lauka_option_count && !failure; i++) {
        char text[128];
        format_default(options, lauka_option_rows[i].id, text, sizeof text);
        if (*text && !is_given(options, lauka_option_rows[i].id))
            failure = lauka_result_add_option(result, lauka_option_rows[i].name, text, false);
    }
    return failure ? failure : add_given(result, options);
}
