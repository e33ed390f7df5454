/* The options of a session, as its result records them: what was given, and what holds by default. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "report/result/result.h"
#include "runner/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Where documents go, and how they look, does not belong to the result; --metrics names the first one. */
static bool is_setting(const struct option_row *row)
{
    return row->id == OPTION_NO_SAMPLES || row->id == OPTION_METRICS ||
           (row->group != OPTION_GROUP_OUTPUTS && row->group != OPTION_GROUP_GENERAL);
}

/* The values of an option that has several, separated by blanks; NULL if there is no memory. */
static char *join_values(struct lauka_arena *arena, const struct lauka_given *given)
{
    const char *words = given->row->placeholder;
    char *text = given->text;

    for (size_t i = 0; text && (words = strchr(words, ' ')) != NULL; words++, i++)
        text = lauka_arena_print(arena, "%s %s", text, given->rest[i]);
    return text;
}

static int add_one(struct lauka_result *result, struct lauka_arena *arena,
                   const struct lauka_given *given)
{
    const struct option_row *row = given->row;
    char letter[2] = {(char)row->id, '\0'}, *text = given->text ? join_values(arena, given) : NULL;

    if (given->text && !text)
        return ENOMEM;
    return lauka_result_add_option(result, row->name ? row->name : letter, text, true);
}

/* From that line of a file on. */
static int add_given(struct lauka_result *result, const struct lauka_arguments *arguments,
                     size_t line)
{
    int failure = 0;

    for (size_t i = 0; i < arguments->given_count && !failure; i++)
        if (arguments->given[i].line >= line && is_setting(arguments->given[i].row))
            failure = add_one(result, arguments->arena, &arguments->given[i]);
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

/* Whether it stays: all but where documents go and, if `anew`, the seed. A letter that shares its word stays with it. */
static bool is_repeated(const struct lauka_given *given, bool anew)
{
    const char *word = given->word_count > 0 ? given->words[0] : "";
    bool alone = word[0] == '-' && (word[1] == '-' || !word[2]);

    return given->row == &lauka_word_row || !alone ||
           (is_setting(given->row) && (given->row->id != OPTION_SEED || !anew));
}

/* With the seed in front, so that a run can be repeated in the same order. Returns 0 or ENOMEM. */
static int describe_reproduction(struct lauka_result *result, const struct lauka_options *options)
{
    const struct lauka_arguments *arguments = options->arguments;
    const size_t count = arguments->word_count;
    bool anew = options->run.job.of > 0 || !lauka_arguments_find(arguments, OPTION_SEED);
    size_t used = 0, listed = 0;
    char seed[40], **words = lauka_arena_take(options->arena, (count + 2) * sizeof *words);

    snprintf(seed, sizeof seed, "--seed=%" PRIu64, options->measure.seed);
    if (words && anew)
        words[used++] = seed;
    for (size_t i = 0; words && i < arguments->given_count; i++) {
        const struct lauka_given *given = &arguments->given[i];
        listed += given->word_count;
        for (size_t w = 0; is_repeated(given, anew) && w < given->word_count; w++)
            words[used++] = given->words[w];
    }
    for (size_t w = listed; words && w < count; w++) /* "--", and what follows it */
        words[used++] = arguments->words[w];
    result->reproduce = words ? lauka_strings_copy(words) : NULL;
    return result->reproduce ? 0 : ENOMEM;
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
    int failure = 0, length;

    for (size_t i = 0; i < arguments->given_count && !failure; i++) {
        const struct lauka_given *given = &arguments->given[i];
        if (given->row->id != OPTION_ENV || !names_another(given->text, &name, &length))
            continue;
        failure = lauka_result_note(result,
                                    "--env %.100s: this is one variable with blanks in its value; "
                                    "if %.*s is another, it needs an --env of its own",
                                    given->text, length, name);
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
    failure = failure ? failure : add_given(result, options->arguments, 0);
    const struct lauka_benchmark *own = options->run.benchmarks;
    return failure || !own || !own->arguments ? failure
                                              : add_given(result, own->arguments, own->line);
}
