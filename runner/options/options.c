/* From the command line to struct lauka_options. Nothing here acts on what it reads. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/options.h"
#include "pmu/events/events.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h> /* getentropy(3) of musl */

/* ---- whether options go together, and what follows from several ------------------------------- */

/* Who counts the rounds and leaves no choice, and who limits it. */
static bool check_rounds(const struct lauka_options *options, struct lauka_error *error)
{
    if (options->measure.rounds && (options->measure.min_rounds || options->measure.max_rounds))
        return lauka_misuse(
            error, "--runs sets the exact number of rounds; it cannot be combined with --%s-runs",
            options->measure.min_rounds ? "min" : "max");
    return !options->measure.max_rounds ||
           options->measure.min_rounds <= options->measure.max_rounds ||
           lauka_misuse(error, "--min-runs %llu is more than --max-runs %llu",
                        (unsigned long long)options->measure.min_rounds,
                        (unsigned long long)options->measure.max_rounds);
}

/* A benchmark inside a program takes less than a program; each process warms up by itself. */
static void finish_suite(struct lauka_options *options)
{
    if (!lauka_arguments_find(options->arguments, OPTION_WARMUP))
        options->measure.warmup = 0;
    if (!options->measure.has_max_time)
        options->measure.max_time_ns = UINT64_C(1000000000);
    if (!lauka_arguments_find(options->arguments, OPTION_UNTIL))
        options->measure.until = 0.005; /* rounds are short; what takes 1 % more is to be found */
    options->measure.min_time_ns = options->measure.min_time_ns < options->measure.max_time_ns / 5
                                       ? options->measure.min_time_ns
                                       : options->measure.max_time_ns / 5;
}

static bool finish_rounds(struct lauka_options *options, struct lauka_error *error)
{
    if (!check_rounds(options, error))
        return false;
    options->measure.has_max_time = lauka_arguments_find(options->arguments, OPTION_MAX_TIME) ||
                                    lauka_arguments_find(options->arguments, OPTION_DURATION);
    options->measure.min_rounds_given = options->measure.min_rounds > 0;
    if (options->run.is_suite)
        finish_suite(options);
    if (!options->measure.min_rounds) {
        options->measure.min_rounds = LAUKA_FIRST_LOOK;
        if (options->measure.max_rounds &&
            options->measure.max_rounds < options->measure.min_rounds)
            options->measure.min_rounds = options->measure.max_rounds;
    }
    return true;
}

/* Of --sampled, too. */
static bool check_why(const struct lauka_options *options, struct lauka_error *error)
{
    const char *trouble = options->measure.pretended ? "--backend=simulated runs nothing"
                          : options->run.layouts     ? "layouts do not change which functions run"
                          : options->verb == LAUKA_VERB_NOISE
                              ? "a command takes as many instructions as itself"
                              : NULL;

    return !trouble ||
           lauka_misuse(error, "--%s: %s", options->measure.why ? "why" : "sampled", trouble);
}

/* Both are asked for by --why: without valgrind, samples have to do. */
static void finish_why(struct lauka_options *options)
{
    if (!options->measure.why)
        return;
    if (!options->measure.sampled_given)
        options->measure.sampled_ns = LAUKA_SAMPLED_NS;
    options->measure.lacks_valgrind = !options->measure.valgrind &&
                                      options->measure.sampled_ns > 0 &&
                                      !lauka_command_exists("valgrind");
    options->measure.valgrind |=
        !options->measure.lacks_valgrind; /* besides what is counted anyway */
}

static bool finish_counters(struct lauka_options *options, struct lauka_error *error)
{
    char why[700];

    options->measure.valgrind |= options->measure.allocations;
    options->measure.without_caches |= options->measure.allocations;
    if (options->measure.event_table && access(options->measure.event_table, R_OK) != 0)
        return lauka_misuse(error, "--event-table %.800s: %s", options->measure.event_table,
                            strerror(errno));
    options->measure.events.find = lauka_event_tables_find;
    options->measure.events.context = options;
    for (size_t i = 0; !options->run.chip && i < options->measure.event_text_count; i++)
        if (!lauka_event_list_add(&options->measure.events, options->measure.event_texts[i],
                                  LAUKA_SYSFS, why, sizeof why))
            return lauka_misuse(error, "--events: %s", why);
    if (options->measure.valgrind && options->measure.pretended)
        return lauka_misuse(
            error, "--counters=valgrind runs the commands; --backend=simulated runs nothing");
    if (options->measure.delay_ns > 0 && options->measure.pretended)
        return lauka_misuse(error, "--delay: --backend=simulated runs nothing");
    options->measure.events_given |= options->measure.valgrind;
    finish_why(options);
    return (!options->measure.why && options->measure.sampled_ns == 0) || check_why(options, error);
}

/* ---- with each other ------------------------------------------------------------------------------ */

/* Those that the option goes with, as somebody types them; all fit. */
static void list_verbs(unsigned verbs, char text[200])
{
    size_t used = 0;

    for (size_t i = 0; i < lauka_verb_count; i++) {
        const struct verb_row *row = &lauka_verb_rows[i];
        if (verbs & 1u << row->verb && row->verb != LAUKA_VERB_WHY) /* which runs commands, too */
            used += (size_t)snprintf(text + used, 200 - used, "%s%s%s", used ? ", " : "",
                                     row->verb == LAUKA_VERB_RUN ? "commands to run" : "lauka ",
                                     row->verb == LAUKA_VERB_RUN ? "" : row->name);
    }
}

/* Of options, those about one revision's program, or about benchmarks inside of programs. */
static bool fits_suite(const struct option_row *row)
{
    const unsigned builds = 1u << LAUKA_VERB_REVISIONS | 1u << LAUKA_VERB_HISTORY;

    return row->verbs & 1u << LAUKA_VERB_SUITE || (row->verbs & ~builds) == 0;
}

static bool fit_verb(const struct lauka_options *options, struct lauka_error *error)
{
    for (size_t i = 0; i < lauka_option_count; i++) {
        const struct option_row *row = &lauka_option_rows[i];
        if (!(row->verbs & 1u << options->verb) && lauka_arguments_have(options->arguments, row)) {
            char fitting[200];
            list_verbs(row->verbs, fitting);
            return lauka_misuse(error, "--%s goes only with %s", row->name, fitting);
        }
        if (options->run.suite && !fits_suite(row) && lauka_arguments_have(options->arguments, row))
            return lauka_misuse(error, "--%s cannot be combined with --suite", row->name);
    }
    return true;
}

static bool fit_each_other(const struct lauka_options *options, struct lauka_error *error)
{
    const struct lauka_arguments *arguments = options->arguments;

    if (options->judge.paired && options->judge.unpaired)
        return lauka_misuse(error,
                            "--paired and --unpaired exclude each other: the n-th values of two "
                            "files belong together, or every value is an observation of its own");
    return !lauka_arguments_find(arguments, OPTION_NO_MULTIPLEX) ||
           !lauka_arguments_find(arguments, OPTION_MULTIPLEX) ||
           lauka_misuse(error, "--no-multiplex and --multiplex exclude each other: the first fails "
                               "where the second lets events take turns");
}

/* Of documents that are wanted, how many go to stdout. */
static size_t count_on_stdout(const struct lauka_options *options)
{
    size_t count = 0;

    for (size_t i = 0; i < LAUKA_DOCUMENTS; i++)
        count += options->write.outputs[i].wanted && !options->write.outputs[i].path;
    return count;
}

bool lauka_outputs_take_stdout(const struct lauka_options *options)
{
    return count_on_stdout(options) > 0;
}

/* A document that commands write into is spoilt, and annotations that they could write would be anybody's. */
static bool check_stdout_is_ours(const struct lauka_options *options, struct lauka_error *error)
{
    bool ours = options->write.github || lauka_outputs_take_stdout(options);

    for (size_t i = 0; ours && i < options->run.command_count; i++)
        if (options->run.commands[i].output == LAUKA_OUTPUT_INHERIT)
            return lauka_misuse(error, "--show-output lets commands write to stdout, where %s",
                                options->write.github
                                    ? "--github writes its annotations"
                                    : "a document goes: name a file for it, as in --json=FILE");
    return true;
}

static bool check_outputs(const struct lauka_options *options, struct lauka_error *error)
{
    size_t count = count_on_stdout(options);

    if (count > 1)
        return lauka_misuse(
            error,
            "only one document can go to stdout: name a file for the others, as in --json=FILE");
    if (options->write.hgrm_command > 0 && !options->write.outputs[LAUKA_DOCUMENT_HGRM].wanted)
        return lauka_misuse(error, "--hgrm-command goes with --hgrm");
    if (options->write.comment_id && !options->write.outputs[LAUKA_DOCUMENT_PR_COMMENT].wanted)
        return lauka_misuse(error, "--comment-id goes with --pr-comment");
    if (count > 0 && options->write.github)
        return lauka_misuse(error, "--github writes its annotations to stdout: name a file for the "
                                   "document, as in --json=FILE");
    return !options->measure.no_samples ||
           !options->write.outputs[LAUKA_DOCUMENT_CSV_SAMPLES].wanted ||
           lauka_misuse(error,
                        "--csv-samples needs the single runs, which --no-samples does not keep");
}

/* Whether they go with the verb and with each other, and can all be written. */
static bool check_together(const struct lauka_options *options, struct lauka_error *error)
{
    return fit_verb(options, error) && fit_each_other(options, error) &&
           check_outputs(options, error);
}

/* ---- options one by one ----------------------------------------------------------------------- */

static bool take_option(const struct lauka_given *given, struct lauka_options *options,
                        struct lauka_error *error)
{
    const struct option_row *row = given->row;
    const char *text = row->fixed ? row->fixed : given->text;

    if (row->id == OPTION_PARAMETER_LIST || row->id == OPTION_PARAMETER_SCAN)
        return option_take_parameter(row->id, text, given->rest, options, error);
    if (row->id == OPTION_LOAD)
        return option_take_load(text, given->rest[0], options, error);
    return option_member_set(row, text, options, error) &&
           (!row->own || option_take_own(row->id, text, options, error));
}

/* Options with a grammar of their own start as zero. */
static bool take_options(struct lauka_options *options, struct lauka_error *error)
{
    const struct lauka_arguments *arguments = options->arguments;

    for (size_t i = 0; i < lauka_option_count; i++) {
        const struct option_row *row = &lauka_option_rows[i];
        if (row->standard && !option_member_set(row, row->standard, options, error))
            return false;
    }
    for (size_t i = 0; i < arguments->given_count; i++)
        if (!take_option(&arguments->given[i], options, error))
            return false;
    return true;
}

/* ---- words that are no options -------------------------------------------------------------------- */

/* It makes no difference whether a word comes before "--" or behind it. */
static bool take_files(const struct lauka_arguments *words, struct lauka_options *options,
                       struct lauka_error *error)
{
    const bool has_sides = options->verb == LAUKA_VERB_COMPARE || options->verb == LAUKA_VERB_GATE;
    size_t count = words->text_count + words->vector_count;

    options->run.files = lauka_arena_take(options->arena, (count + 1) * sizeof *options->run.files);
    for (size_t i = 0; i < count; i++) {
        char *word = i < words->text_count ? words->texts[i] : words->vector[i - words->text_count];
        bool between = has_sides && strcmp(word, "--vs") == 0;
        if (between && (options->run.vs > 0 || options->run.file_count == 0 || i + 1 == count))
            return lauka_misuse(error, "--vs stands between the logs of two sides: lauka compare "
                                       "base-*.hlog --vs head-*.hlog");
        if (between)
            options->run.vs = options->run.file_count;
        else
            options->run.files[options->run.file_count++] = word;
    }
    count = options->run.file_count;
    for (size_t i = 0; i < count; i++)
        if (!*options->run.files[i])
            return lauka_misuse(error, "the name of a file is empty (is a variable not set?)");
    if (options->verb == LAUKA_VERB_REPORT)
        return count == 1 ||
               lauka_misuse(error, "lauka report takes one result, as --json stored it");
    return count > 0 ||
           lauka_misuse(error,
                        options->verb == LAUKA_VERB_MERGE
                            ? "no job to merge: lauka merge JOB.json...; see lauka merge --help"
                        : options->verb == LAUKA_VERB_GATE
                            ? "no result to judge: lauka gate RESULT [HEAD]; see lauka --help"
                            : "no file to compare: lauka compare FILE [FILE...]; see lauka --help");
}

static bool take_pattern(char **words, size_t count, struct lauka_options *options,
                         struct lauka_error *error)
{
    options->run.pattern = count > 0 ? words[0] : NULL;
    return count <= 1 || lauka_misuse(error, "lauka list takes one pattern, a part of a name");
}

/* The number of a process, and no other document than JSON. */
static bool take_pid(char **words, size_t count, struct lauka_options *options,
                     struct lauka_error *error)
{
    enum { LARGEST = 1 << 30 };

    for (size_t i = 0; i < LAUKA_DOCUMENTS; i++)
        if (options->write.outputs[i].path)
            return lauka_misuse(error, "lauka threads writes a table, or JSON, to stdout only");
    if (count != 1)
        return lauka_misuse(error, "lauka threads takes one process ID: lauka threads PID");
    char *end;
    unsigned long long pid = strtoull(words[0], &end, 10);
    options->run.pid = pid;
    return (end != words[0] && !*end && words[0][0] != '-' && pid > 0 && pid < LARGEST) ||
           lauka_misuse(error, "%.100s is not a process ID", words[0]);
}

/* The word of the subcommand is not counted. */
static void take_verb_word(struct lauka_arguments *words, struct lauka_options *options)
{
    if (words->text_count == 0 || !option_find_verb(words->texts[0], &options->verb))
        return;
    words->text_count--;
    words->texts++;
    if (options->verb == LAUKA_VERB_WHY) { /* a session as any other, and --why */
        options->verb = LAUKA_VERB_RUN;
        options->measure.why = true;
    }
}

static bool check_hgrm(const struct lauka_options *options, struct lauka_error *error)
{
    return options->write.hgrm_command <= option_sides_of(options).sides ||
           lauka_misuse(error, "--hgrm-command: there are fewer commands");
}

bool option_take_run(const struct lauka_arguments *words, struct lauka_options *options,
                     struct lauka_error *error)
{
    return option_take_commands(words, options, error) &&
           (options->verb != LAUKA_VERB_NOISE || option_double_commands(options, error)) &&
           option_make_services(options, error) && option_give_each(options, error) &&
           check_stdout_is_ours(options, error) && option_check_figures(options, error) &&
           option_lead_services(options, error) && check_hgrm(options, error) &&
           (options->run.layouts > 0 ||
            options->verb == LAUKA_VERB_REVISIONS || /* no directories yet */
            lauka_pretence_read_all(options, error));
}

static bool check_twins(const struct lauka_options *options, struct lauka_error *error)
{
    size_t twin = option_find_twin(options);

    return twin == options->run.benchmark_count ||
           lauka_misuse(error,
                        "two benchmarks are called %.200s: give each value of a parameter once",
                        options->run.benchmarks[twin].name);
}

static bool check_suite(const struct lauka_options *options, struct lauka_error *error)
{
    if (options->run.suite && options->run.command_count != 2)
        return lauka_misuse(
            error, "--suite compares two revisions: lauka revisions main HEAD --suite %.200s",
            options->run.suite);
    return options->run.command_count == 2 ||
           lauka_misuse(error, "lauka suite compares two programs: lauka suite ./base ./head");
}

static bool take_commands(const struct lauka_arguments *words, struct lauka_options *options,
                          struct lauka_error *error)
{
    if (!option_take_run(words, options, error))
        return false;
    if (options->run.is_suite) /* what they have inside is not known yet */
        return check_suite(options, error);
    if ((options->measure.why || options->measure.sampled_ns > 0) && options->run.command_count < 2)
        return lauka_misuse(error,
                            "--%s explains a difference: give two commands, lauka why ./a ./b",
                            options->measure.why ? "why" : "sampled");
    return check_twins(options, error) && option_choose_benchmarks(options, error) &&
           option_make_layouts(options, error);
}

/* Empty names are refused where names are resolved. */
static void add_revision(struct lauka_options *options, const char *text, size_t length)
{
    option_add_text(options, &options->run.revisions,
                    lauka_arena_piece(options->arena, text, length));
}

/* The dots of a range: not those of a date or a text, as in main@{1..2} and :/text. NULL: it is none. */
static const char *find_dots(const char *text)
{
    unsigned depth = 0;

    if (strncmp(text, ":/", 2) == 0)
        return NULL;
    for (; *text; text++) {
        if (depth == 0 && strncmp(text, "..", 2) == 0)
            return text;
        depth += *text == '{';
        depth -= *text == '}' && depth > 0;
    }
    return NULL;
}

/* "A..B" is both ends. */
static bool take_revision(struct lauka_options *options, const char *text,
                          struct lauka_error *error)
{
    const char *dots = find_dots(text);

    if (dots && dots[2] == '.')
        return lauka_misuse(
            error,
            "%.200s: expected A..B, from A to B; git merge-base tells where two branches parted",
            text);
    add_revision(options, text, dots ? (size_t)(dots - text) : strlen(text));
    if (dots)
        add_revision(options, dots + 2, strlen(dots + 2));
    return true;
}

static bool check_revisions(const struct lauka_options *options, struct lauka_error *error)
{
    size_t count = options->run.revisions.count;

    if (options->run.clean)
        return count == 0 ||
               lauka_misuse(error, "lauka revisions --clean takes neither revisions nor a command");
    if (count < 2)
        return lauka_misuse(error, "lauka revisions compares two or more: lauka revisions main "
                                   "HEAD -- COMMAND (. is the working tree)");
    if (options->run.reference)
        return lauka_misuse(error, "--reference: the first revision is the reference");
    if (options->run.first_slower && (count != 2 || options->run.suite || options->run.layouts > 0))
        return lauka_misuse(error, "--first-slower takes two ends, A..B, and one command%s",
                            options->run.layouts > 0 ? ", without --layouts" : "");
    return !options->run.adapter || options->run.suite ||
           lauka_misuse(error, "--adapter goes with --suite PROGRAM");
}

bool option_take_revisions(struct lauka_arguments *words, struct lauka_options *options,
                           struct lauka_error *error)
{
    for (size_t i = words->stored_count; i < words->text_count; i++)
        if (!take_revision(options, words->texts[i], error))
            return false;
    words->text_count = words->stored_count;
    return check_revisions(options, error);
}

bool option_check_search(const struct lauka_options *options, struct lauka_error *error)
{
    return !options->run.first_slower || options->run.benchmark_count == 1 ||
           lauka_misuse(error, "--first-slower judges by one benchmark: name it by --benchmark");
}

/* Words before "--" are revisions; behind it is what each of them runs. */
static bool measure_revisions(const struct lauka_arguments *words, struct lauka_options *options,
                              struct lauka_error *error)
{
    struct lauka_arguments command = *words;
    char *program = (char *)(uintptr_t)options->run.suite; /* nobody writes there */

    if (!option_take_revisions(&command, options, error))
        return false;
    if ((options->run.suite || options->run.clean) && words->vector)
        return lauka_misuse(error, "%s; leave out -- and what follows it",
                            options->run.clean ? "lauka revisions --clean runs nothing"
                                               : "--suite names the program that is run");
    if (options->run.clean)
        return true;
    if (program) {
        command.texts = &program;
        command.text_count = 1;
    }
    if (!command.vector && command.text_count == 0)
        return lauka_misuse(error, "lauka revisions: type the command to run after --, as in lauka "
                                   "revisions main HEAD -- ./prog");
    return take_commands(&command, options, error) && option_check_search(options, error);
}

/* Lists what is kept without a name; then there is nothing to keep. */
static bool take_kept(const struct lauka_arguments *words, struct lauka_options *options,
                      struct lauka_error *error)
{
    struct lauka_keep_options *keep = &options->run.keep;

    keep->name = words->text_count > 0 ? words->texts[0] : NULL;
    keep->words = words->vector;
    keep->word_count = words->vector_count;
    if (!keep->name && keep->word_count == 0 && keep->withs.count == 0 && !keep->replaces)
        return true;
    if (keep->drop)
        return lauka_misuse(error,
                            "lauka keep --drop %.100s takes nothing else: it forgets that program",
                            keep->drop);
    return (words->text_count == 1 && keep->word_count > 0) ||
           lauka_misuse(error, "lauka keep takes a name and a program: lauka keep base ./prog; "
                               "without both it lists what is kept");
}

/* "add FILE...", or nothing but a command after "--" for --backfill. */
static bool take_history(const struct lauka_arguments *words, struct lauka_options *options,
                         struct lauka_error *error)
{
    struct lauka_arguments files = *words;

    if (words->text_count > 0 && strcmp(words->texts[0], "add") != 0)
        return lauka_misuse(
            error,
            "lauka history %.200s: expected lauka history, or lauka history add RESULT.json...",
            words->texts[0]);
    options->run.vector = words->vector;
    options->run.vector_count = words->vector_count;
    if (words->text_count == 0)
        return !words->vector || options->run.backfill ||
               lauka_misuse(error, "lauka history takes a command with --backfill");
    files.texts++;
    files.text_count--;
    return take_files(&files, options, error);
}

static bool take_words(const struct lauka_arguments *words, struct lauka_options *options,
                       struct lauka_error *error)
{
    char **either = words->text_count ? words->texts : words->vector;
    size_t count = words->text_count + words->vector_count;

    switch (options->verb) {
    case LAUKA_VERB_LIST:
        return take_pattern(either, count, options, error);
    case LAUKA_VERB_CI:
        return (count == 1 && strcmp(either[0], "init") == 0) ||
               lauka_misuse(error, "lauka ci takes the word init: lauka ci init");
    case LAUKA_VERB_DOCTOR:
        return count == 0 || lauka_misuse(error, "lauka doctor takes options only");
    case LAUKA_VERB_THREADS:
        return take_pid(either, count, options, error);
    case LAUKA_VERB_KEEP:
        return take_kept(words, options, error);
    case LAUKA_VERB_HISTORY:
        return take_history(words, options, error);
    case LAUKA_VERB_REVISIONS:
        return measure_revisions(words, options, error);
    case LAUKA_VERB_COMPARE:
    case LAUKA_VERB_REPORT:
    case LAUKA_VERB_MERGE:
    case LAUKA_VERB_GATE:
        return take_files(words, options, error);
    default:
        return take_commands(words, options, error);
    }
}

/* ---- all of it ------------------------------------------------------------------------------------ */

/* `lauka help TOPIC`, `lauka SUBCOMMAND --help`. */
static void take_topic(const struct lauka_arguments *words, struct lauka_options *options)
{
    const char *word = words->text_count > 0 ? words->texts[0] : NULL;
    enum lauka_verb verb;

    if (lauka_arguments_find(options->arguments, OPTION_HELP) ||
        lauka_arguments_find(options->arguments, OPTION_BRIEF_HELP))
        options->help_topic = word && option_find_verb(word, &verb) ? word : NULL;
    else
        options->help_topic = word ? word : "";
}

/* --answer=all is no file. */
static void take_all_answers(struct lauka_options *options)
{
    struct lauka_output *answer = &options->write.outputs[LAUKA_DOCUMENT_ANSWER];

    options->write.answers_all = answer->path && strcmp(answer->path, "all") == 0;
    if (options->write.answers_all)
        answer->path = NULL;
}

bool option_read(const struct lauka_arguments *arguments, struct lauka_options *options,
                 struct lauka_arguments *words, struct lauka_error *error)
{
    uint32_t seed = 0; /* 32 bits are enough to shuffle by, and can be typed again */

    if (getentropy(&seed, sizeof seed) != 0)
        seed = (uint32_t)lauka_now_ns();
    *options = (struct lauka_options){
        .arena = arguments->arena,
        .arguments = arguments,
        .measure.seed = seed,
        .run.accept_exit_code[0] = true,
    };
    *words = *arguments;
    if (!take_options(options, error))
        return false;
    take_all_answers(options);
    if (options->verb == LAUKA_VERB_RUN)
        take_verb_word(words, options);
    options->run.is_suite = options->verb == LAUKA_VERB_SUITE || options->run.suite;
    if (options->verb == LAUKA_VERB_HELP)
        take_topic(words, options);
    return option_take_job(options, error);
}

/* Whether it is help that was asked for. */
static bool asks_for_help(const struct lauka_options *options)
{
    return options->verb == LAUKA_VERB_HELP || options->verb == LAUKA_VERB_VERSION;
}

bool option_finish(struct lauka_options *options, struct lauka_error *error)
{
    if (!finish_rounds(options, error) || !finish_counters(options, error))
        return false;
    if (options->verb == LAUKA_VERB_NOISE &&
        !lauka_arguments_find(options->arguments, OPTION_UNTIL))
        options->measure.until = 0; /* what can be seen in the whole budget */
    return asks_for_help(options) ||
           (check_together(options, error) && option_take_limits(options, error));
}

bool lauka_options_parse(const struct lauka_arguments *arguments, struct lauka_options *options,
                         struct lauka_error *error)
{
    struct lauka_arguments words;

    if (!option_read(arguments, options, &words, error) || !option_finish(options, error))
        return false;
    return asks_for_help(options) ||
           (option_check_gate(options, error) && take_words(&words, options, error));
}

bool lauka_options_show_help(const struct lauka_options *options, FILE *out,
                             struct lauka_error *error)
{
    errno = 0;
    if (options->help_form && !option_write_form(options->help_form, options->help_topic, out))
        return lauka_misuse(error, "--help=%.100s: expected man, bash, zsh or fish",
                            options->help_form);
    if (!options->help_form && !lauka_options_help(options->help_topic, options->short_help, out))
        return lauka_misuse(error, "lauka help %.100s: no such topic; lauka help lists them",
                            options->help_topic);
    int failure = lauka_finish(out);
    return !failure || lauka_fail_stdout(error, failure);
}
