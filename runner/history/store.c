/* The store of a history. A file is written under another name, synchronised and renamed, so a kill leaves whole files
 * only; names contain a hash of the content, so jobs that add at once do not meet. */
#include "runner/history/history.h"
#include "report/analysis/analysis.h"
#include "report/history/history.h"
#include "report/load/load.h"
#include "report/pack/pack.h"
#include "report/result/session.h"
#include "report/text/text.h"
#include "runner/base/arena.h"
#include "runner/base/base.h"
#include "runner/options.h"
#include "runner/revisions/revisions.h"
#include "runner/subcommands/subcommands.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FOLDER ".lauka-history"
#define SUFFIX ".lauka.gz"
enum { FILE_MOST = 1 << 24, NAMED_MOST = 5 };

/* ---- the repository ---------------------------------------------------------------------------- */

static size_t count_lines(const char *text)
{
    size_t count = *text != '\0';

    for (; *text; text++)
        count += *text == '\n';
    return count;
}

/* "HASH\tDATE\tSUBJECT" in each line. */
static bool take_commits(struct lauka_store *store, struct lauka_error *error)
{
    store->commits = calloc(count_lines(store->log) + 1, sizeof *store->commits);
    if (!store->commits)
        return lauka_fail_memory(error);
    for (char *rest = store->log, *line; (line = strsep(&rest, "\n")) && *line;) {
        const char *hash = strsep(&line, "\t"), *date = strsep(&line, "\t");
        store->commits[store->commit_count++] =
            (struct lauka_history_commit){hash, date ? date : "", line ? line : ""};
    }
    return true;
}

/* Without a repository, sessions stand by their time. */
static bool ask_git(struct lauka_store *store, struct lauka_arena *arena, const char **top,
                    struct lauka_error *error)
{
    static const char *const log[] = {
        "log", "--first-parent", "--reverse", "--date=short", "--format=%H%x09%cd%x09%s", "HEAD",
        NULL};
    static const char *const shallow[] = {"rev-parse", "--is-shallow-repository", NULL};
    struct lauka_git git;
    struct lauka_error why;
    bool good = true;

    if (lauka_git_open(&git, arena, false, &why)) {
        *top = git.top;
        store->log = lauka_git_ask(&git, git.top, NULL, log, &why);
        const char *is_shallow = lauka_git_ask(&git, git.top, NULL, shallow, &why);
        good = !store->log || take_commits(store, error);
        if (good && store->commit_count > 0 && lauka_text_is(is_shallow, "false"))
            good = (store->project = strdup(store->commits[0].hash)) != NULL;
    }
    return good;
}

bool lauka_store_open(struct lauka_store *store, const struct lauka_options *options,
                      struct lauka_error *error)
{
    const char *top = NULL;

    *store = (struct lauka_store){0};
    bool good = ask_git(store, options->arena, &top, error);
    const char *folder = options->run.history;
    store->folder = folder ? strdup(folder)
                    : top  ? lauka_text_format("%s/" FOLDER, top)
                           : strdup(FOLDER);
    return good && (store->folder || lauka_fail_memory(error));
}

void lauka_store_close(struct lauka_store *store)
{
    free(store->folder);
    free(store->project);
    free(store->commits);
    *store = (struct lauka_store){0};
}

size_t lauka_store_place(const struct lauka_store *store, const char *commit)
{
    size_t place = 0;

    while (place < store->commit_count && !lauka_text_is(store->commits[place].hash, commit))
        place++;
    return place;
}

/* ---- writing ----------------------------------------------------------------------------------- */

/* Returns 0 or an errno. */
static int write_gzip(FILE *file, const char *text, size_t size)
{
    errno = 0;
    FILE *gzip = lauka_gzip_open(file);
    bool good = gzip && fwrite(text, 1, size, gzip) == size;
    good = gzip && fclose(gzip) == 0 && good;
    return good ? 0 : errno ? errno : EIO;
}

/* Returns 0 or an errno. */
static int put_file(const struct lauka_store *store, const char *name, const char *text,
                    size_t size)
{
    char *path = lauka_text_format("%s/%s", store->folder, name);
    char *draft = lauka_text_format("%s/.%s.%ld", store->folder, name, (long)getpid());
    int failure = path && draft ? 0 : ENOMEM;

    if (!failure && access(path, F_OK) != 0) {
        (void)unlink(draft);
        const int descriptor = lauka_own_file_open(draft, O_EXCL);
        FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
        failure = file ? lauka_file_place(file, write_gzip(file, text, size), draft, path) : errno;
        if (!file && descriptor >= 0)
            close(descriptor);
        if (!failure)
            (void)lauka_folder_sync(store->folder);
    }
    free(path);
    free(draft);
    return failure;
}

bool lauka_store_put(const struct lauka_store *store, const char *text, size_t size,
                     struct lauka_error *error)
{
    char name[LAUKA_ENTRY_NAME_SIZE];

    if (mkdir(store->folder, 0777) != 0 && errno != EEXIST)
        return lauka_fail(error, LAUKA_EXIT_HOST, "%.700s: the folder of the history: %s",
                          store->folder, strerror(errno));
    lauka_entry_name(text, size, name);
    const int failure = put_file(store, name, text, size);
    return !failure || lauka_fail(error, LAUKA_EXIT_HOST, "%.700s/%s: %s; nothing was added",
                                  store->folder, name, lauka_own_file_error(failure));
}

bool lauka_history_load(const char *name, struct lauka_session *session, struct lauka_error *error)
{
    struct lauka_load_error reason;
    size_t size = 0;
    char *bytes = lauka_file_read(name, &size, error);
    if (!bytes)
        return false;
    const struct lauka_stored stored = {.name = name, .bytes = bytes, .size = size};
    const int failure = lauka_load_session(&stored, session, &reason);
    free(bytes);
    return failure ? lauka_stored_refuse(failure, &reason, error)
                   : lauka_session_analyse(session) == 0 || lauka_fail_memory(error);
}

/* Whether an earlier side of the benchmark has the commit, too. */
static bool is_again(const struct lauka_result *result, size_t command)
{
    for (size_t c = 0; c < command; c++)
        if (lauka_text_is(result->commands[c].revision.commit,
                          result->commands[command].revision.commit))
            return true;
    return false;
}

bool lauka_store_add(const struct lauka_store *store, struct lauka_session *session, size_t *added,
                     struct lauka_error *error)
{
    const struct lauka_result *first = &session->benchmarks[0];
    char now[LAUKA_DATE_SIZE] = "";

    *added = 0;
    lauka_format_time(time(NULL), now);
    for (size_t c = 0; c < first->command_count; c++) {
        const struct lauka_result_revision *revision = &first->commands[c].revision;
        const struct lauka_entry_origin origin = {revision->commit, store->project, now};
        char *text = NULL;
        size_t size = 0;
        if (is_again(first, c) || revision->is_changed)
            continue;
        const int failure = lauka_entry_write(session, &origin, &text, &size);
        if (failure == ENODATA)
            continue;
        const bool good =
            failure ? lauka_fail_memory(error) : lauka_store_put(store, text, size, error);
        free(text);
        if (!good)
            return false;
        *added += 1;
    }
    return true;
}

/* ---- reading ----------------------------------------------------------------------------------- */

/* In the order of their names. */
static bool list_folder(const char *folder, struct lauka_arena *arena, char ***names, size_t *count,
                        struct lauka_error *error)
{
    DIR *open = opendir(folder);
    bool good = true;

    if (!open && errno == ENOENT)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "%.700s: there is no history yet; lauka history add RESULT.json begins "
                          "one, and so does --history "
                          "DIR of any session",
                          folder);
    if (!open)
        return lauka_fail(error, LAUKA_EXIT_HOST, "%.700s: %s", folder, strerror(errno));
    for (const struct dirent *entry; good && (entry = readdir(open));)
        if (*entry->d_name != '.') {
            char **added = lauka_arena_add(arena, names, count, sizeof *added);
            good = (added && (*added = lauka_arena_text(arena, entry->d_name))) ||
                   lauka_fail_memory(error);
        }
    closedir(open);
    if (good && *count > 0)
        qsort(*names, *count, sizeof **names, lauka_words_compare);
    return good;
}

/* NULL and why not. Owned by the caller. */
static char *read_file(const char *path, size_t *size, const char **why)
{
    char *bytes = lauka_file_read_plain(path, FILE_MOST, size);

    if (!bytes)
        *why = errno == EFBIG ? "it is too large" : strerror(errno == EINVAL ? EISDIR : errno);
    return bytes;
}

static bool has_suffix(const char *name)
{
    const size_t length = strlen(name), suffix = sizeof SUFFIX - 1;

    return length > suffix && strcmp(name + length - suffix, SUFFIX) == 0;
}

/* Names the first ones. */
static void report(const char *folder, const char *name, const char *why, size_t number)
{
    struct lauka_error note;

    if (number > NAMED_MOST)
        return;
    lauka_fail(&note, LAUKA_EXIT_DONE, "%.500s/%.200s is left out: %s", folder, name, why);
    lauka_error_print(&note);
}

/* Returns 0, ENOMEM, or EINVAL and why. */
static int read_one(const struct lauka_store *store, const char *name,
                    struct lauka_history *history, const char **why)
{
    size_t size = 0;
    if (!has_suffix(name)) {
        *why = "it is no file of lauka's history";
        return EINVAL;
    }
    char *path = lauka_text_format("%s/%s", store->folder, name);
    char *bytes = path ? read_file(path, &size, why) : NULL;
    const int failure = !path ? ENOMEM
                        : bytes
                            ? lauka_history_read(history, name, bytes, size, store->project, why)
                            : EINVAL;
    free(path);
    free(bytes);
    return failure;
}

bool lauka_store_read(const struct lauka_store *store, struct lauka_history *history,
                      struct lauka_error *error)
{
    struct lauka_arena arena = {0};
    char **names = NULL;
    size_t count = 0, left_out = 0;
    bool good = list_folder(store->folder, &arena, &names, &count, error);

    for (size_t i = 0; good && i < count; i++) {
        const char *why = NULL;
        const int failure = read_one(store, names[i], history, &why);
        if (failure == ENOMEM)
            good = lauka_fail_memory(error);
        else if (failure && strncmp(names[i], "README", 6) != 0)
            report(store->folder, names[i], why, ++left_out);
    }
    if (left_out > NAMED_MOST)
        fprintf(stderr, "lauka: %zu more files are left out\n", left_out - NAMED_MOST);
    lauka_arena_done(&arena);
    return good && (lauka_history_order(history, store->commits, store->commit_count) == 0 ||
                    lauka_fail_memory(error));
}
