/* The options of a session, as its result records them: what was given, and what holds by default. */
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

/* Where documents go, and how they look, does not belong to the result; --metrics names the first one. */
static bool is_setting(const struct option_row *row)
{
    return row->id == OPTION_NO_SAMPLES || row->id == OPTION_METRICS ||
           (row->group != OPTION_GROUP_OUTPUTS && row->group != OPTION_GROUP_GENERAL);
}

/* The values of an option that has several, separated by blanks; NULL if there is no memory. */
static char *join_values(const struct lauka_given *given)
{
    const char *words = given->row->placeholder;
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
    const struct option_row *row = given->row;
    char letter[2] = {(char)row->id, '\0'}, *text = given->text ? join_values(given) : NULL;

    if (given->text && !text)
        return ENOMEM;
    int failure = lauka_result_add_option(result, row->name ? row->name : letter, text, true);
    free(text);
    return failure;
}

int option_settings_of_section(const struct lauka_arguments *arguments, size_t line,
                               struct lauka_benchmark *benchmark)
{
    struct lauka_result own = {0}; /* whose options they become */
    int failure = 0;

    for (size_t i = 0; i < arguments->given_count && !failure; i++)
        if (arguments->given[i].line >= line && is_setting(arguments->given[i].row))
            failure = add_one(&own, &arguments->given[i]);
    benchmark->settings = own.options;
    benchmark->setting_count = own.option_count;
    return failure;
}

void option_settings_done(struct lauka_benchmark *benchmark)
{
    for (size_t i = 0; i < benchmark->setting_count; i++) {
        free(benchmark->settings[i].name);
        free(benchmark->settings[i].value);
    }
    free(benchmark->settings);
}

static int add_section(struct lauka_result *result, const struct lauka_options *options)
{
    const struct lauka_benchmark *benchmark = options->benchmarks;
    int failure = 0;

    for (size_t i = 0; benchmark && i < benchmark->setting_count && !failure; i++)
        failure = lauka_result_add_option(result, benchmark->settings[i].name,
                                          benchmark->settings[i].value, true);
    return failure;
}

static int add_given(struct lauka_result *result, const struct lauka_arguments *arguments)
{
    int failure = 0;

    for (size_t i = 0; i < arguments->given_count && !failure; i++)
        if (is_setting(arguments->given[i].row))
            failure = add_one(result, &arguments->given[i]);
    return failure;
}

/* Where the row says so: a number of rounds excludes a time. */
static int add_default(struct lauka_result *result, const struct lauka_options *options,
                       const struct option_row *row)
{
    char text[256];

    if (!row->told_unless || lauka_arguments_have(options->arguments, row) ||
        lauka_arguments_find(options->arguments, row->told_unless))
        return 0;
    option_member_format(row, options, text, sizeof text);
    return *text ? lauka_result_add_option(result, row->name, text, false) : 0;
}

/* ---- the command line once more ------------------------------------------------------------------ */

static bool is_separate_value(const struct lauka_given *given, const char *word)
{
    return given->row->argument == required_argument && given->text && !strchr(word, '=');
}

/* Marks the words of options that say where documents go and, if `anew`, those of the seed. */
static void mark_outputs(const struct lauka_arguments *arguments, bool anew, bool *marked)
{
    for (size_t i = 0; i < arguments->given_count; i++) {
        const struct lauka_given *given = &arguments->given[i];
        const char *word = arguments->words[given->word];
        bool alone = word[0] == '-' && (word[1] == '-' || !word[2]);
        bool stays = is_setting(given->row) && (given->row->id != OPTION_SEED || !anew);
        if (stays || !alone || given->word >= arguments->word_count)
            continue;
        marked[given->word] = true;
        if (is_separate_value(given, word))
            marked[given->word + 1] = true;
    }
}

/* With the seed in front, so that a run can be repeated in the same order. Returns 0 or ENOMEM. */
static int describe_reproduction(struct lauka_result *result, const struct lauka_options *options)
{
    const struct lauka_arguments *arguments = options->arguments;
    bool anew = options->job.of > 0 || !lauka_arguments_find(arguments, OPTION_SEED);
    size_t used = 0;
    char seed[40];
    bool *marked = calloc(arguments->word_count + 1, sizeof *marked);
    char **words = result->reproduce = calloc(arguments->word_count + 2, sizeof *words);

    snprintf(seed, sizeof seed, "--seed=%" PRIu64, options->seed);
    bool good = marked && words;
    if (good && anew)
        good = (words[used++] = strdup(seed)) != NULL;
    if (good)
        mark_outputs(arguments, anew, marked);
    for (size_t i = 0; good && i < arguments->word_count; i++)
        if (!marked[i])
            good = (words[used++] = strdup(arguments->words[i])) != NULL;
    free(marked);
    return good ? 0 : ENOMEM;
}

/* "A=1 B=2" is two variables to hyperfine and one to us, which may be intended. */
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

static int warn_of_variables(struct lauka_result *result, const struct lauka_arguments *arguments)
{
    const char *name;
    char text[300];
    int failure = 0, length;

    for (size_t i = 0; i < arguments->given_count && !failure; i++) {
        const struct lauka_given *given = &arguments->given[i];
        if (given->row->id != OPTION_ENV || !names_another(given->text, &name, &length))
            continue;
        snprintf(
            text, sizeof text,
            "--env %.100s: this is one variable with blanks in its value; if %.*s is another, it "
            "needs an --env of its own",
            given->text, length, name);
        failure = lauka_result_warn(result, text);
    }
    return failure;
}

int lauka_settings_describe(struct lauka_result *result, const struct lauka_options *options)
{
    int failure = warn_of_variables(result, options->arguments);

    if (failure)
        return failure;
    if (!(result->arguments = lauka_strings_copy(options->arguments->words)) ||
        describe_reproduction(result, options) != 0)
        return ENOMEM;
    for (size_t i = 0; i < lauka_option_count && !failure; i++)
        failure = add_default(result, options, &lauka_option_rows[i]);
    failure = failure ? failure : add_given(result, options->arguments);
    return failure ? failure : add_section(result, options);
}
