/* lauka keep: keeps a program, forgets one, lists all. */
#include "runner/kept/kept.h"
#include "report/result/lists.h"
#include "report/result/record.h"
#include "report/text/sheet.h"
#include "report/text/text.h"
#include "runner/command/command.h"
#include "runner/provenance/provenance.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { HASH_SHOWN = 7 };

/* ---- what cannot be kept -------------------------------------------------------------------------- */

/* Programs that run something else, which is what somebody means to keep. */
static const struct {
    const char *names, *advice;
} runners[] = {
    {" sh bash dash zsh ksh fish ",
     "put the line into a script (#!/bin/sh), and keep that: lauka keep %s ./script.sh"},
    {" python python2 python3 pypy pypy3 node deno bun ruby perl php lua java dotnet Rscript "
     "julia ",
     "keep a script that begins with #!, and the folder that it needs: lauka keep --with FOLDER %s "
     "./script"},
    {" docker podman nerdctl kubectl ssh make cargo go npm npx yarn uv poetry ",
     "what it runs is not beside it; lauka revisions builds and runs two commits (@%s would be "
     "this tool)"},
    {" env nice taskset numactl sudo doas time timeout xargs strace perf valgrind ",
     "keep the program alone (lauka keep %s ./prog); --env, --pin and --timeout go with the "
     "session"},
};

static bool refuse_runner(const char *name, char *const *argv, struct lauka_error *error)
{
    const char *slash = strrchr(argv[0], '/');
    char word[80], advice[200];

    snprintf(word, sizeof word, " %.70s ", slash ? slash + 1 : argv[0]);
    for (size_t i = 0; argv[1] && i < sizeof runners / sizeof *runners; i++) {
        if (!strstr(runners[i].names, word))
            continue;
        const char *mark = strstr(runners[i].advice, "%s");
        snprintf(advice, sizeof advice, "%.*s%s%s", (int)(mark - runners[i].advice),
                 runners[i].advice, name, mark + 2);
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "%.100s runs something else, which a copy of it would not keep: %s",
                          argv[0], advice);
    }
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
           lauka_fail(
               error, LAUKA_EXIT_USAGE,
               "a line for a shell is no program, so it cannot be kept: put it into a script, "
               "and keep that: lauka keep %s ./script.sh (%.300s)",
               keep->name, keep->words[0]);
}

struct found_builds {
    struct lauka_arena *arena;
    struct lauka_kept_manifest *manifest;
    const struct lauka_texts *withs;
    bool lacks_memory;
};

static bool is_kept(const struct found_builds *found, const char *path)
{
    char *real = realpath(path, NULL);
    bool kept = false;

    for (size_t i = 0; real && i < found->withs->count; i++) {
        char *with = realpath(found->withs->texts[i], NULL);
        kept |= with && lauka_path_is_in(real, with);
        free(with);
    }
    free(real);
    return kept;
}

static void add_build(void *context, const char *path)
{
    struct found_builds *found = context;
    char *build = is_kept(found, path) ? NULL : lauka_build_of(found->arena, path);
    struct lauka_kept_build *added =
        build
            ? lauka_list_add(&found->manifest->builds, &found->manifest->build_count, sizeof *added)
            : NULL;

    if (added) {
        added->path = strdup(path);
        added->build = strdup(build);
    }
    found->lacks_memory |= build && !(added && added->path && added->build);
}

static bool describe(struct lauka_arena *arena, const char *name,
                     const struct lauka_command *command, struct lauka_kept_manifest *manifest,
                     struct lauka_error *error)
{
    struct lauka_result_provenance from = {0};
    char when[LAUKA_DATE_SIZE];
    struct utsname system;
    size_t count = lauka_words_count((const char *const *)command->argv);

    int failure = lauka_git_describe(&from);
    manifest->format = strdup(LAUKA_KEPT_FORMAT);
    manifest->about = (struct lauka_result_kept){
        .name = strdup(name),
        .time = lauka_format_time(time(NULL), when) ? strdup(when) : NULL,
        .commit = from.commit,
        .is_changed = from.dirty.known && from.dirty.value > 0,
        .command = strdup(lauka_quote_argv(arena, command->argv, count)),
    };
    from.commit = NULL;
    lauka_record_done(&lauka_provenance_record, &from);
    manifest->directory = getcwd(NULL, 0);
    manifest->arch = uname(&system) == 0 ? strdup(system.machine) : NULL;
    manifest->argv = calloc(count + 1, sizeof *manifest->argv);
    for (size_t i = 0; manifest->argv && i < count && !failure; i++)
        failure = (manifest->argv[i] = strdup(command->argv[i])) ? 0 : ENOMEM;
    return (!failure && manifest->format && manifest->about.name && manifest->about.time &&
            manifest->about.command && manifest->arch && manifest->argv) ||
           lauka_fail_memory(error);
}

static const char *say_size(struct lauka_prose *prose, const struct lauka_kept_manifest *manifest)
{
    double bytes = 0;

    for (size_t i = 0; i < manifest->file_count; i++)
        bytes += (double)manifest->files[i].bytes;
    return lauka_say_quantity(prose, bytes, lauka_scale_for(bytes, "B", prose->utf8));
}

/* "base: ./prog --size 10 (1.2 MiB, from commit 4f2a1c9)" */
static bool say_kept(const struct lauka_kept_manifest *manifest,
                     const struct lauka_options *options, FILE *out, struct lauka_error *error)
{
    struct lauka_prose prose =
        lauka_prose_begin(out, lauka_terminal_detect(STDOUT_FILENO, options->write.color));
    const struct lauka_result_kept *about = &manifest->about;

    lauka_put(&prose, "%s: %s (%s", about->name, lauka_say_safely(&prose, about->command),
              say_size(&prose, manifest));
    if (manifest->file_count > 1)
        lauka_put(&prose, ", %zu files", manifest->file_count);
    if (about->commit)
        lauka_put(&prose, ", from commit %.*s%s", HASH_SHOWN, about->commit,
                  about->is_changed ? " with changes" : "");
    lauka_put(&prose, ")\n");
    int failure = lauka_prose_end(&prose);
    return !failure || lauka_fail_stdout(error, failure);
}

static bool check_name(const struct lauka_kept_store *store, const struct lauka_keep_options *keep,
                       struct lauka_error *error)
{
    bool late = false;

    if (!lauka_kept_name_is_valid(keep->name))
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "\"%.100s\" is no name for a kept program: use up to 64 letters, digits, "
                          "_ . and -, the last two not in front",
                          keep->name);
    for (size_t i = 1; i < keep->word_count; i++)
        late |= strcmp(keep->words[i], "--replace") == 0;
    return keep->replaces || access(lauka_kept_manifest_path(store, keep->name), F_OK) != 0 ||
           lauka_fail(error, LAUKA_EXIT_USAGE,
                      "@%s is taken: --replace replaces it%s, --drop %s forgets it", keep->name,
                      late ? ", if it stands before the program" : "", keep->name);
}

static bool keep_program(const struct lauka_kept_store *store, const struct lauka_options *options,
                         struct lauka_kept_manifest *manifest, struct lauka_error *error)
{
    const struct lauka_keep_options *keep = &options->run.keep;
    struct lauka_command command;

    if (!check_name(store, keep, error) || !read_command(store->arena, keep, &command, error) ||
        !refuse_runner(keep->name, command.argv, error) || !lauka_command_locate(&command, error))
        return false;
    char *real = realpath(command.path, NULL);
    const char *program = real ? lauka_arena_text(store->arena, real) : NULL;
    if (!program)
        return lauka_fail(error, LAUKA_EXIT_HOST, "%.600s: %s; nothing was kept", command.path,
                          strerror(errno));
    free(real);
    struct found_builds found = {
        .arena = store->arena, .manifest = manifest, .withs = &keep->withs};
    lauka_needed_files_visit(store->arena, program, add_build, &found);
    if (found.lacks_memory)
        return lauka_fail_memory(error);
    return describe(store->arena, keep->name, &command, manifest, error) &&
           lauka_kept_put(store, program, &keep->withs, manifest, error);
}

/* ---- what is kept -------------------------------------------------------------------------------------- */

static bool list(const struct lauka_kept_store *store, const struct lauka_options *options,
                 FILE *out, struct lauka_error *error)
{
    static const struct lauka_sheet_column columns[] = {
        {.title = "name"},
        {.title = "kept"},
        {.title = "commit", .rank = 2},
        {.title = "size", .align = LAUKA_ALIGN_RIGHT, .rank = 1},
        {.title = "command"}};
    enum { COLUMNS = sizeof columns / sizeof *columns };
    struct lauka_sheet sheet;
    size_t count;
    char **names;

    if (!lauka_kept_names(store, &names, &count))
        return lauka_fail(error, LAUKA_EXIT_HOST, "%.600s: %s", store->folder, strerror(errno));
    struct lauka_prose prose =
        lauka_prose_begin(out, lauka_terminal_detect(STDOUT_FILENO, options->write.color));
    lauka_sheet_make(&sheet, columns, COLUMNS, &prose);
    for (size_t i = 0; i < count; i++) {
        struct lauka_kept_manifest manifest;
        struct lauka_error why;
        const bool good = lauka_kept_read(store, names[i], &manifest, &why);
        const struct lauka_result_kept *about = &manifest.about;
        const char *const texts[COLUMNS] = {
            names[i], good ? lauka_say(&prose, "%.10s", about->time) : "damaged",
            good && about->commit ? lauka_say(&prose, "%.*s", HASH_SHOWN, about->commit) : "",
            good ? say_size(&prose, &manifest) : "",
            good ? lauka_say_safely(&prose, about->command) : ""};
        const size_t row = lauka_sheet_add(&sheet);
        for (size_t c = 0; c < COLUMNS; c++)
            lauka_sheet_set(&sheet, row, c, texts[c]);
        lauka_record_done(&lauka_kept_manifest_record, &manifest);
    }
    lauka_sheet_measure(&sheet);
    lauka_sheet_fit(&sheet);
    lauka_sheet_cut(&sheet, COLUMNS - 1, 20);
    if (count > 0)
        lauka_sheet_draw_titles(&sheet, COLUMNS);
    else
        lauka_put(&prose, "nothing is kept in %s: lauka keep NAME ./prog keeps a program\n",
                  lauka_say_safely(&prose, store->folder));
    lauka_sheet_write(&sheet);
    int failure = lauka_prose_end(&prose);
    return !failure || lauka_fail_stdout(error, failure);
}

static bool act(const struct lauka_options *options, struct lauka_kept_store *store, FILE *out,
                struct lauka_error *error)
{
    const struct lauka_keep_options *keep = &options->run.keep;
    struct lauka_kept_manifest manifest = {0};
    const bool writes = keep->name || keep->drop;

    if (!lauka_kept_store_open(options->arena, options->run.store, writes, store, error))
        return false;
    if (!writes)
        return list(store, options, out, error);
    bool good = keep->drop ? lauka_kept_drop(store, keep->drop, error)
                           : keep_program(store, options, &manifest, error);
    good = good && (keep->drop || say_kept(&manifest, options, out, error));
    lauka_record_done(&lauka_kept_manifest_record, &manifest);
    return good;
}

bool lauka_keep_act(const struct lauka_options *options, FILE *out, struct lauka_error *error)
{
    struct lauka_kept_store store = {.lock = -1};
    jmp_buf exhausted;

    if (setjmp(exhausted) != 0)
        return lauka_fail_memory(error);
    options->arena->exhausted = &exhausted;
    bool good = act(options, &store, out, error);
    options->arena->exhausted = NULL;
    if (store.lock >= 0)
        close(store.lock);
    return good;
}
