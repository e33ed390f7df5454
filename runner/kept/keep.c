/* lauka keep: keeps a program, forgets one, lists all. */
#include "runner/kept/kept.h"
#include "report/result/record.h"
#include "report/text/sheet.h"
#include "report/text/text.h"
#include "runner/command/command.h"
#include "runner/provenance/provenance.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* ---- what cannot be kept -------------------------------------------------------------------------- */

/* Programs that run something else, which is what somebody means to keep. The name stands within the advice. */
static const struct {
    const char *programs, *advice, *more;
} runners[] = {
    {" sh bash dash zsh ksh fish ",
     "put the line into a script (#!/bin/sh), and keep that: lauka keep ", " ./script.sh"},
    {" python python2 python3 pypy pypy3 node deno bun ruby perl php lua java dotnet Rscript "
     "julia ",
     "keep a script that begins with #!, and the folder that it needs: lauka keep --with FOLDER ",
     " ./script"},
    {" docker podman nerdctl kubectl ssh make cargo go npm npx yarn uv poetry ",
     "what it runs is not beside it; lauka revisions builds and runs two commits (@",
     " would be this tool)"},
    {" env nice taskset numactl sudo doas time timeout xargs strace perf valgrind ",
     "keep the program alone (lauka keep ",
     " ./prog); --env, --pin and --timeout go with the session"},
};

static bool refuse_runner(const char *name, char *const *argv, struct lauka_error *error)
{
    const char *slash = strrchr(argv[0], '/');
    char word[80];

    snprintf(word, sizeof word, " %.70s ", slash ? slash + 1 : argv[0]);
    for (size_t i = 0; argv[1] && i < sizeof runners / sizeof *runners; i++)
        if (strstr(runners[i].programs, word))
            return lauka_misuse(error,
                                "%.100s runs something else, which a copy of it would not keep: "
                                "%s%s%s",
                                argv[0], runners[i].advice, name, runners[i].more);
    return true;
}

/* ---- keeping ---------------------------------------------------------------------------------------- */

/* One word is a whole command, unless it is the name of a file. */
static bool read_command(struct lauka_arena *arena, const struct lauka_keep_options *keep,
                         struct lauka_command *command, struct lauka_error *error)
{
    struct lauka_error why;

    if (keep->word_count > 1 || access(keep->words[0], F_OK) == 0)
        return lauka_command_from_argv(arena, keep->words, keep->word_count, command, error);
    return lauka_command_parse(arena, keep->words[0], command, &why) ||
           lauka_misuse(
               error,
               "a line for a shell is no program, so it cannot be kept: put it into a script, "
               "and keep that: lauka keep %s ./script.sh (%.300s)",
               keep->name, keep->words[0]);
}

/* All texts are in the arena. */
static bool describe(struct lauka_arena *arena, const char *name,
                     const struct lauka_command *command, struct lauka_kept_manifest *manifest,
                     struct lauka_error *error)
{
    struct lauka_result_provenance from = {0};
    char when[LAUKA_DATE_SIZE] = "", folder[4096];
    struct utsname system;
    const size_t count = lauka_words_count((const char *const *)command->argv);
    const int failure = lauka_git_describe(&from);

    lauka_format_time(time(NULL), when);
    *manifest = (struct lauka_kept_manifest){
        .format = lauka_arena_text(arena, LAUKA_KEPT_FORMAT),
        .about = {.name = lauka_arena_text(arena, name),
                  .time = lauka_arena_text(arena, when),
                  .commit = from.commit ? lauka_arena_text(arena, from.commit) : NULL,
                  .is_changed = from.dirty.known && from.dirty.value > 0,
                  .command = lauka_quote_argv(arena, command->argv, count)},
        .argv = command->argv,
        .directory = getcwd(folder, sizeof folder) ? lauka_arena_text(arena, folder) : NULL,
        .arch = lauka_arena_text(arena, uname(&system) == 0 ? system.machine : "unknown"),
    };
    lauka_record_done(&lauka_provenance_record, &from);
    return !failure || lauka_fail_memory(error);
}

static const char *say_size(struct lauka_prose *prose, const struct lauka_kept_manifest *manifest)
{
    const double bytes = (double)manifest->bytes;

    return lauka_say_quantity(prose, bytes, lauka_scale_for(bytes, "B", prose->utf8));
}

/* "base: ./prog --size 10 (1.2 MiB, 3 files, from commit 4f2a1c9)" */
static void say_kept(struct lauka_prose *prose, const struct lauka_kept_manifest *manifest)
{
    char origin[LAUKA_KEPT_ORIGIN_SIZE];
    const size_t count = lauka_words_count((const char *const *)manifest->files);

    lauka_put(prose, "%s: %s (%s%s%s)\n", manifest->about.name,
              lauka_say_safely(prose, manifest->about.command), say_size(prose, manifest),
              count > 1 ? lauka_say(prose, ", %zu files", count) : "",
              lauka_kept_origin(&manifest->about, origin));
}

static bool check_name(const struct lauka_kept_store *store, const struct lauka_keep_options *keep,
                       struct lauka_error *error)
{
    bool late = false;

    if (!lauka_kept_name_is_valid(keep->name))
        return lauka_misuse(
            error,
            "\"%.100s\" is no name for a kept program: use up to 64 letters, digits, "
            "_ . and -, the last two not in front",
            keep->name);
    for (size_t i = 1; i < keep->word_count; i++)
        late |= strcmp(keep->words[i], "--replace") == 0;
    return keep->replaces || access(lauka_kept_manifest_path(store, keep->name), F_OK) != 0 ||
           lauka_misuse(error, "@%s is taken: --replace replaces it%s, --drop %s forgets it",
                        keep->name, late ? ", if it stands before the program" : "", keep->name);
}

static bool keep_program(const struct lauka_kept_store *store,
                         const struct lauka_keep_options *keep, struct lauka_prose *prose,
                         struct lauka_error *error)
{
    struct lauka_kept_manifest manifest;
    struct lauka_command command;
    char real[PATH_MAX];

    if (!check_name(store, keep, error) || !read_command(store->arena, keep, &command, error) ||
        !refuse_runner(keep->name, command.argv, error) || !lauka_command_locate(&command, error))
        return false;
    if (!realpath(command.path, real))
        return lauka_fail(error, LAUKA_EXIT_HOST, "%.600s: %s; nothing was kept", command.path,
                          strerror(errno));
    if (!describe(store->arena, keep->name, &command, &manifest, error) ||
        !lauka_kept_put(store, real, &keep->withs, &manifest, error))
        return false;
    say_kept(prose, &manifest);
    return true;
}

/* ---- what is kept -------------------------------------------------------------------------------------- */

static bool list(const struct lauka_kept_store *store, struct lauka_prose *prose,
                 struct lauka_error *error)
{
    static const struct lauka_sheet_column columns[] = {
        {.title = "name"},
        {.title = "kept"},
        {.title = "commit", .rank = 2},
        {.title = "size", .align = LAUKA_ALIGN_RIGHT, .rank = 1},
        {.title = "command"}};
    enum { COLUMNS = sizeof columns / sizeof *columns };
    struct lauka_sheet sheet;
    char **names = lauka_kept_names(store);

    if (!names)
        return lauka_fail(error, LAUKA_EXIT_HOST, "%.600s: %s", store->folder, strerror(errno));
    lauka_sheet_make(&sheet, columns, COLUMNS, prose);
    for (; *names; names++) {
        struct lauka_kept_manifest manifest;
        struct lauka_error why;
        const bool good = lauka_kept_read(store, *names, &manifest, &why);
        const struct lauka_result_kept *about = &manifest.about;
        const char *const texts[COLUMNS] = {
            *names, good ? lauka_say(prose, "%.10s", about->time) : "damaged",
            good && about->commit ? lauka_say(prose, "%.7s", about->commit) : "",
            good ? say_size(prose, &manifest) : "",
            good ? lauka_say_safely(prose, about->command) : ""};
        const size_t row = lauka_sheet_add(&sheet);
        for (size_t c = 0; c < COLUMNS; c++)
            lauka_sheet_set(&sheet, row, c, texts[c]);
        lauka_record_done(&lauka_kept_manifest_record, &manifest);
    }
    lauka_sheet_measure(&sheet);
    lauka_sheet_fit(&sheet);
    lauka_sheet_cut(&sheet, COLUMNS - 1, 20);
    if (sheet.row_count > 0)
        lauka_sheet_draw_titles(&sheet, COLUMNS);
    else
        lauka_put(prose, "nothing is kept in %s: lauka keep NAME ./prog keeps a program\n",
                  lauka_say_safely(prose, store->folder));
    lauka_sheet_write(&sheet);
    return true;
}

static bool act(const struct lauka_options *options, struct lauka_kept_store *store,
                struct lauka_prose *prose, struct lauka_error *error)
{
    const struct lauka_keep_options *keep = &options->run.keep;

    return lauka_kept_store_open(options->arena, options->run.store, keep->name || keep->drop,
                                 store, error) &&
           (keep->drop   ? lauka_kept_drop(store, keep->drop, error)
            : keep->name ? keep_program(store, keep, prose, error)
                         : list(store, prose, error));
}

bool lauka_keep_act(const struct lauka_options *options, FILE *out, struct lauka_error *error)
{
    struct lauka_kept_store store = {.lock = -1};
    struct lauka_prose prose =
        lauka_prose_begin(out, lauka_terminal_detect(STDOUT_FILENO, options->write.color));
    jmp_buf exhausted;

    options->arena->exhausted = &exhausted;
    const bool good =
        setjmp(exhausted) == 0 ? act(options, &store, &prose, error) : lauka_fail_memory(error);
    options->arena->exhausted = NULL;
    if (store.lock >= 0)
        close(store.lock);
    const int failure = lauka_prose_end(&prose);
    return good && (!failure || lauka_fail_stdout(error, failure));
}
