/* @NAME as a command: what was kept runs again, after a check that it is what was kept. */
#include "runner/kept/kept.h"
#include "report/result/record.h"
#include "report/text/text.h"
#include "runner/command/command.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { BUILDS_SHOWN = 3 };

/* ---- before the session -------------------------------------------------------------------------- */

/* "base" for a command that begins with "@base"; NULL: it is another. In a shell it is the line that begins so. */
static const char *find_name(const struct lauka_options *options,
                             const struct lauka_command *command)
{
    const char *word = options->run.shell ? command->label : command->argv[0];

    return *word == '@' && (options->run.shell || lauka_kept_name_is_valid(word + 1)) ? word + 1
                                                                                      : NULL;
}

static bool refuse_side(const struct lauka_options *options, const char *name,
                        struct lauka_error *error)
{
    const char *why =
        options->verb == LAUKA_VERB_REVISIONS
            ? "lauka revisions runs what each revision has, and a kept program is the same in all"
        : options->run.shell ? "a kept program runs without a shell: leave out -S"
        : options->run.layouts > 0
            ? "--layouts builds programs anew, and a kept program is built already"
            : NULL;

    return !why || lauka_misuse(error, "@%.60s: %s", name, why);
}

/* Two sides may be of one program. */
static bool read_side(const struct lauka_kept_store *store, const char *name,
                      const struct lauka_kept *kept, struct lauka_kept_side *side,
                      struct lauka_error *error)
{
    struct utsname system;

    if (!lauka_kept_read(store, name, &side->manifest, error))
        return false;
    for (const struct lauka_kept_side *earlier = kept->sides; earlier < side; earlier++)
        side->is_again |= lauka_text_is(earlier->manifest.about.name, name);
    side->hold = open(lauka_kept_path(store, "objects", side->manifest.object),
                      O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (side->hold >= 0)
        (void)flock(side->hold, LOCK_SH);
    if (side->is_again)
        return true;
    if (!lauka_kept_check(store, &side->manifest, error))
        return false;
    if (uname(&system) == 0 && strcmp(system.machine, side->manifest.arch) != 0) {
        struct lauka_error note;
        lauka_fail(&note, LAUKA_EXIT_HOST, "@%s was kept on %.40s, and this machine is %.40s", name,
                   side->manifest.arch, system.machine);
        lauka_note_print(&note);
    }
    return true;
}

/* With the arguments that were typed behind @NAME, or with those that were kept. */
static void fill_command(const struct lauka_kept_store *store,
                         const struct lauka_kept_manifest *manifest, struct lauka_command *command)
{
    const size_t count = lauka_words_count((const char *const *)command->argv);
    char **argv = manifest->argv;

    if (count > 1) {
        argv = lauka_arena_take(store->arena, (count + 1) * sizeof *argv);
        memcpy(argv, command->argv, count * sizeof *argv);
        argv[0] = manifest->argv[0];
    }
    command->argv = argv;
    command->program =
        lauka_arena_print(store->arena, "%s/%s",
                          lauka_kept_path(store, "objects", manifest->object), manifest->program);
}

static bool prepare(struct lauka_kept *kept, struct lauka_options *options,
                    struct lauka_error *error)
{
    struct lauka_kept_store store = {.folder = NULL};

    for (size_t c = 0; c < options->run.command_count; c++) {
        struct lauka_command *command = &options->run.commands[c];
        const char *name = find_name(options, command);
        struct lauka_kept_side *side = &kept->sides[c];
        if (!name)
            continue;
        if (!refuse_side(options, name, error) ||
            (!store.folder &&
             !lauka_kept_store_open(options->arena, options->run.store, false, &store, error)) ||
            !read_side(&store, name, kept, side, error))
            return false;
        fill_command(&store, &side->manifest, command);
    }
    return true;
}

bool lauka_kept_prepare(struct lauka_kept *kept, struct lauka_options *options,
                        struct lauka_error *error)
{
    jmp_buf exhausted;

    if (options->measure.pretended) /* its words only say what it costs */
        return true;
    kept->count = options->run.command_count;
    kept->sides = calloc(kept->count + 1, sizeof *kept->sides);
    if (!kept->sides || setjmp(exhausted) != 0)
        return lauka_fail_memory(error);
    for (size_t i = 0; i < kept->count; i++)
        kept->sides[i].hold = -1;
    options->arena->exhausted = &exhausted;
    bool good = prepare(kept, options, error);
    options->arena->exhausted = NULL;
    return good;
}

void lauka_kept_done(struct lauka_kept *kept)
{
    for (size_t i = 0; i < kept->count && kept->sides; i++) {
        lauka_record_done(&lauka_kept_manifest_record, &kept->sides[i].manifest);
        if (kept->sides[i].hold >= 0)
            close(kept->sides[i].hold);
    }
    free(kept->sides);
    *kept = (struct lauka_kept){.count = 0};
}

/* ---- in the result -------------------------------------------------------------------------------- */

const char *lauka_kept_origin(const struct lauka_result_kept *about,
                              char text[LAUKA_KEPT_ORIGIN_SIZE])
{
    *text = '\0';
    if (about->commit)
        snprintf(text, LAUKA_KEPT_ORIGIN_SIZE, ", from commit %.7s%s", about->commit,
                 about->is_changed ? " with changes" : "");
    return text;
}

static int note_kept(const struct lauka_kept_manifest *manifest, struct lauka_result *result)
{
    const struct lauka_result_kept *about = &manifest->about;
    char age[40] = "", origin[LAUKA_KEPT_ORIGIN_SIZE];
    struct tm tm = {0};
    const bool known = strptime(about->time, "%Y-%m-%dT%H:%M:%SZ", &tm) != NULL;
    const long days = known ? (long)(time(NULL) - timegm(&tm)) / 86400 : 0;

    if (days > 0) /* otherwise the date says it, or clocks disagree */
        snprintf(age, sizeof age, ", %ld day%s ago", days, days == 1 ? "" : "s");
    return lauka_result_note(result, "@%s: kept %.10s%s%s: %.400s", about->name, about->time, age,
                             lauka_kept_origin(about, origin), about->command);
}

/* What is not in the object is the machine's, and may have changed for this side as for the others. */
static int note_builds(const struct lauka_kept_manifest *manifest, struct lauka_result *result)
{
    struct lauka_arena arena = {0};
    char list[900] = "";
    size_t changed = 0, used = 0;

    for (char *const *line = manifest->builds; *line; line++) {
        const char *path = strchr(*line, ' ') ? strchr(*line, ' ') + 1 : *line;
        const char *now = lauka_build_of(&arena, path);
        const size_t length = now ? strlen(now) : 0;
        const bool is_same = now && strncmp(*line, now, length) == 0 && (*line)[length] == ' ';
        if (!is_same && changed++ < BUILDS_SHOWN)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%.250s%s",
                                     used > 0 ? ", " : "", path, now ? "" : " (missing)");
    }
    lauka_arena_done(&arena);
    if (changed > BUILDS_SHOWN)
        snprintf(list + used, sizeof list - used, " and %zu more", changed - BUILDS_SHOWN);
    return changed == 0 ? 0
                        : lauka_result_note(result,
                                            "@%s runs with other builds than when it was kept, as "
                                            "these were not kept: %s",
                                            manifest->about.name, list);
}

static int note_folder(const struct lauka_kept_manifest *manifest, struct lauka_result *result)
{
    char here[4096];

    if (!manifest->directory || !getcwd(here, sizeof here) ||
        strcmp(here, manifest->directory) == 0)
        return 0;
    return lauka_result_note(result,
                             "@%s was kept in %.400s, and ran in the folder of this session: files "
                             "that it names without a whole path are those found here",
                             manifest->about.name, manifest->directory);
}

/* A side without arguments beside one that has those of its keeping. */
static int note_arguments(const struct lauka_kept *kept, size_t side,
                          const struct lauka_options *options, struct lauka_result *result)
{
    const struct lauka_benchmark *benchmark = &options->run.benchmarks[0];
    const struct lauka_kept_manifest *manifest = &kept->sides[side].manifest;
    const struct lauka_command *commands = options->run.commands;

    for (size_t c = benchmark->first; c < benchmark->first + benchmark->count; c++)
        if (!kept->sides[c].manifest.program && !commands[c].argv[1] && manifest->argv[1] &&
            commands[side].argv == manifest->argv)
            return lauka_result_note(result,
                                     "@%s ran with the arguments that it was kept with (%.300s), "
                                     "`%.100s` without any: if that is not what you compare, give "
                                     "both the same",
                                     manifest->about.name, manifest->about.command,
                                     commands[c].label);
    return 0;
}

int lauka_kept_describe(const struct lauka_kept *kept, const struct lauka_options *options,
                        struct lauka_session *session)
{
    struct lauka_result *first = &session->benchmarks[0];
    int failure = 0;

    for (size_t b = 0; b < session->benchmark_count && kept->count > 0; b++) {
        struct lauka_result *result = &session->benchmarks[b];
        for (size_t c = 0; c < result->command_count && !failure; c++) {
            const size_t side = options->run.is_suite ? c : options->run.benchmarks[b].first + c;
            const struct lauka_kept_manifest *from = &kept->sides[side].manifest;
            if (from->program)
                failure =
                    lauka_record_copy(&lauka_kept_record, &from->about, &result->commands[c].kept);
        }
    }
    for (size_t i = 0; i < kept->count && !failure; i++) {
        const struct lauka_kept_manifest *manifest = &kept->sides[i].manifest;
        if (manifest->program && !kept->sides[i].is_again &&
            ((failure = note_kept(manifest, first)) == 0) &&
            ((failure = note_arguments(kept, i, options, first)) == 0) &&
            ((failure = note_builds(manifest, first)) == 0))
            failure = note_folder(manifest, first);
    }
    return failure;
}
