/* The store of a history. A file is written under another name, synchronised and renamed, so a kill leaves whole files
 * only; names contain a hash of the content, so jobs that add at once do not meet. */
#include "runner/history/history.h"
#include "report/history/history.h"
#include "report/pack/pack.h"
#include "report/result/session.h"
#include "report/text/text.h"
#include "runner/base/arena.h"
#include "runner/base/base.h"
#include "runner/options.h"
#include "runner/revisions/revisions.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FOLDER ".lauka-history"
#define SUFFIX ".lauka.gz"
enum {
    FILE_MOST = 1 << 24,
    NAMED_MOST = 5,
    HASH_DIGITS = 12 /* in names */,
    DRAFT_MOST = 3600 /* s */
};

/* ---- the repository ---------------------------------------------------------------------------- */

/* The left one may be cut. */
static int by_hash(const void *a, const void *b)
{
    const struct lauka_history_commit *left = a, *right = b;

    return strncmp(left->hash, right->hash, strlen(left->hash));
}

/* Of an entry's name: whether it has a commit's first digits. */
static bool find_digits(const char *name, char digits[HASH_DIGITS + 1])
{
    const char *dash = strchr(name, '-');

    snprintf(digits, HASH_DIGITS + 1, "%s", dash ? dash + 1 : "");
    return strspn(digits, "0123456789abcdef") == HASH_DIGITS;
}

/* The parents of that commit in the names of entries which is the oldest by its date, as git calls them; NULL: it knows none
 * of them. */
static const char *find_parents(const struct lauka_store *store, char *const *names)
{
    static const char *const words[] = {"log",     "--no-walk",     "--reverse", "--ignore-missing",
                                        "--stdin", "--format=%H^@", NULL};
    const int input = lauka_anonymous_file();
    char digits[HASH_DIGITS + 1], *answer = NULL;
    const char *parents = NULL;
    struct lauka_error why;
    size_t size = 0;

    for (; *names; names++)
        if (find_digits(*names, digits))
            dprintf(input, "%s\n", digits);
    if (lseek(input, 0, SEEK_SET) == 0)
        answer = lauka_git_answer(&store->git, store->git.top, input, words, &size, &why);
    if (answer && *answer)
        parents = lauka_arena_piece(store->arena, answer, strcspn(answer, "\n"));
    free(answer);
    close(input);
    return parents;
}

/* "HASH\tDATE\tSUBJECT" in each line, the oldest first. */
static bool take_commits(struct lauka_store *store, char *log, struct lauka_error *error)
{
    store->commits = NULL;
    store->commit_count = 0;
    for (char *line; (line = strsep(&log, "\n")) && *line;) {
        const char *hash = strsep(&line, "\t"), *date = strsep(&line, "\t");
        const size_t place = store->commit_count;
        struct lauka_history_commit *commit =
            lauka_arena_add(store->arena, &store->commits, &store->commit_count, sizeof *commit);
        if (!commit)
            return lauka_fail_memory(error);
        *commit = (struct lauka_history_commit){hash, date ? date : "", line ? line : "", place};
    }
    if (store->commit_count > 0)
        qsort(store->commits, store->commit_count, sizeof *store->commits, by_hash);
    return true;
}

/* NULL: it is not in the first-parent history. */
static const struct lauka_history_commit *find_commit(const struct lauka_store *store,
                                                      const char *hash)
{
    const struct lauka_history_commit wanted = {.hash = hash};

    return hash && strlen(hash) >= HASH_DIGITS && store->commit_count > 0
               ? bsearch(&wanted, store->commits, store->commit_count, sizeof wanted, by_hash)
               : NULL;
}

static bool has_all(const struct lauka_store *store, char *const *names)
{
    char digits[HASH_DIGITS + 1];

    for (; *names; names++)
        if (find_digits(*names, digits) && !find_commit(store, digits))
            return false;
    return true;
}

/* The first-parent history since the oldest commit of these entries, as that of a whole project may be long; all of it if
 * one of them is not in it, because dates need not be in order. Sessions stand by their time if there is no repository, or no
 * commit in it. */
static bool ask_commits(struct lauka_store *store, char *const *names, struct lauka_error *error)
{
    const struct lauka_git *git = &store->git;
    struct lauka_error why;
    const char *parents = git->top ? find_parents(store, names) : NULL;
    enum { BOUND = 6 };
    const char *log[] = {
        "log",   "--first-parent", "--reverse", "--date=short", "--format=%H%x09%cd%x09%s", "HEAD",
        "--not", parents,          NULL};
    bool good = true;

    for (int attempt = 0; parents && good && attempt < 2 && !lauka_interrupt_signal(); attempt++) {
        char *commits = lauka_git_ask(git, git->top, NULL, log, &why);
        good = !commits || take_commits(store, commits, error);
        if (good && has_all(store, names))
            break;
        log[BOUND] = NULL;
    }
    if (lauka_interrupt_signal())
        return lauka_fail(error, lauka_interrupt_exit(), "interrupted while git was asked");
    return good;
}

bool lauka_store_open(struct lauka_store *store, const struct lauka_options *options,
                      struct lauka_error *error)
{
    static const char *const shallow[] = {"rev-parse", "--is-shallow-repository", NULL};
    static const char *const root[] = {"rev-list", "--first-parent", "--max-parents=0", "HEAD",
                                       NULL};
    struct lauka_git *git = &store->git;
    struct lauka_error why;

    *store = (struct lauka_store){.arena = options->arena, .folder = options->run.history};
    if (!lauka_git_open(git, store->arena, false, &why))
        *git = (struct lauka_git){.top = NULL};
    else if (lauka_text_is(lauka_git_ask(git, git->top, NULL, shallow, &why), "false"))
        store->project = lauka_git_ask(git, git->top, NULL, root, &why);
    if (!store->folder)
        store->folder =
            store->git.top ? lauka_arena_print(store->arena, "%s/" FOLDER, store->git.top) : FOLDER;
    return store->folder || lauka_fail_memory(error);
}

size_t lauka_store_place(const struct lauka_store *store, const char *hash)
{
    const struct lauka_history_commit *commit = find_commit(store, hash);

    return commit ? commit->place : store->commit_count;
}

/* ---- writing ----------------------------------------------------------------------------------- */

struct text {
    const char *text;
    size_t size;
};

static int write_gzip(FILE *file, const void *context)
{
    const struct text *text = context;

    errno = 0;
    FILE *gzip = lauka_gzip_open(file);
    bool good = gzip && fwrite(text->text, 1, text->size, gzip) == text->size;
    good = gzip && fclose(gzip) == 0 && good;
    return good ? 0 : errno ? errno : EIO;
}

/* Removes the drafts of processes that were killed: one that lives has its draft for a moment. */
static void sweep(const struct lauka_store *store)
{
    struct lauka_arena arena = {0};
    char **names = lauka_folder_names(&arena, store->folder);
    struct stat about;

    for (; names && *names; names++) {
        const char *path = lauka_arena_print(&arena, "%s/%s", store->folder, *names);
        if (**names == '.' && strstr(*names, SUFFIX ".") && path && lstat(path, &about) == 0 &&
            time(NULL) - about.st_mtime > DRAFT_MOST)
            (void)unlink(path);
    }
    lauka_arena_done(&arena);
}

bool lauka_store_put(const struct lauka_store *store, const char *text, size_t size,
                     struct lauka_error *error)
{
    char name[LAUKA_ENTRY_NAME_SIZE];

    sweep(store);
    if (mkdir(store->folder, 0777) != 0 && errno != EEXIST)
        return lauka_fail(error, LAUKA_EXIT_HOST, "%.700s: the folder of the history: %s",
                          store->folder, strerror(errno));
    lauka_entry_name(text, size, name);
    const char *path = lauka_arena_print(store->arena, "%s/%s", store->folder, name),
               *draft = lauka_arena_print(store->arena, "%s/.%s.%ld", store->folder, name,
                                          (long)getpid());
    int failure = path && draft ? 0 : ENOMEM;
    if (!failure && access(path, F_OK) != 0)
        failure = lauka_file_put(draft, path, write_gzip, &(struct text){text, size});
    const bool added = !failure;
    if (added)
        failure = lauka_folder_sync(store->folder);
    return !failure ||
           lauka_fail(error, LAUKA_EXIT_HOST, "%.700s/%s: %s; %s", store->folder, name,
                      strerror(failure), added ? LAUKA_NOT_SYNCED : "nothing was added");
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
        const bool good = !failure ? lauka_store_put(store, text, size, error)
                                   : failure == ENODATA || lauka_fail_memory(error);
        free(text);
        if (!good)
            return false;
        *added += !failure;
    }
    return true;
}

/* ---- reading ----------------------------------------------------------------------------------- */

struct entry {
    const char *name;
    size_t place; /* of its commit, or after the newest one that was measured before it */
};

static int by_place(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;

    return left->place != right->place ? (left->place < right->place ? -1 : 1)
                                       : strcmp(left->name, right->name);
}

/* "20261126T120000Z-4f2a1c9d0ab1-93ab01c4d2ef.lauka.gz": names are in the order of time. Returns the number of entries. */
static size_t order_names(const struct lauka_store *store, char *const *names,
                          struct entry *entries)
{
    size_t count = 0, newest = 0;

    for (; *names; names++) {
        char digits[HASH_DIGITS + 1];
        if (**names == '.')
            continue;
        const struct lauka_history_commit *commit =
            find_commit(store, find_digits(*names, digits) ? digits : NULL);
        newest = commit && commit->place > newest ? commit->place : newest;
        entries[count++] = (struct entry){*names, commit ? commit->place : newest};
    }
    qsort(entries, count, sizeof *entries, by_place);
    return count;
}

static bool list_folder(struct lauka_store *store, struct lauka_arena *arena,
                        struct entry **entries, size_t *count, struct lauka_error *error)
{
    char **names = lauka_folder_names(arena, store->folder);

    if (!names && errno == ENOENT)
        return lauka_misuse(error,
                            "%.700s: there is no history yet; lauka history add RESULT.json begins "
                            "one, and so does --history DIR of any session",
                            store->folder);
    if (!names)
        return lauka_fail(error, LAUKA_EXIT_HOST, "%.700s: %s", store->folder, strerror(errno));
    *entries = lauka_arena_take(arena, (lauka_words_count((const char *const *)names) + 1) *
                                           sizeof **entries);
    if (!*entries)
        return lauka_fail_memory(error);
    if (!ask_commits(store, names, error))
        return false;
    *count = order_names(store, names, *entries);
    return true;
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
static int read_one(const struct lauka_store *store, struct lauka_arena *arena, const char *name,
                    struct lauka_history *history, const char **why)
{
    const size_t length = strlen(name), suffix = sizeof SUFFIX - 1;
    size_t size = 0;

    *why = "it is no file of lauka's history";
    if (length <= suffix || strcmp(name + length - suffix, SUFFIX) != 0)
        return EINVAL;
    const char *path = lauka_arena_print(arena, "%s/%s", store->folder, name);
    char *bytes = path ? lauka_file_read_plain(path, FILE_MOST, &size) : NULL;
    int failure = !bytes && errno == ENOMEM ? ENOMEM : EINVAL;
    *why = errno == EFBIG    ? "it is too large"
           : errno == EINVAL ? "it is no plain file"
                             : strerror(errno);
    if (bytes)
        failure = lauka_history_read(history, bytes, size, store->project, why);
    free(bytes);
    return failure;
}

/* The newest session gets what git says of its commit. */
static void add_commit(const struct lauka_store *store, struct lauka_history *history)
{
    struct lauka_history_session *session = &history->sessions[history->session_count - 1];
    const struct lauka_history_commit *commit = find_commit(store, session->commit);

    if (!commit)
        return;
    session->date = lauka_say(&history->texts, "%s", commit->date);
    session->subject = lauka_say(&history->texts, "%s", commit->subject);
}

bool lauka_store_read(struct lauka_store *store, struct lauka_history *history,
                      struct lauka_error *error)
{
    struct lauka_arena arena = {0};
    struct entry *entries = NULL;
    size_t count = 0, left_out = 0;
    bool good = list_folder(store, &arena, &entries, &count, error);

    for (size_t i = 0; good && i < count; i++) {
        const char *why = NULL;
        const size_t sessions = history->session_count;
        const int failure = read_one(store, &arena, entries[i].name, history, &why);
        if (failure == ENOMEM)
            good = lauka_fail_memory(error);
        else if (failure && strncmp(entries[i].name, "README", 6) != 0)
            report(store->folder, entries[i].name, why, ++left_out);
        if (history->session_count > sessions)
            add_commit(store, history);
    }
    if (left_out > NAMED_MOST)
        fprintf(stderr, "lauka: left out, too: %zu more\n", left_out - NAMED_MOST);
    lauka_arena_done(&arena);
    return good;
}
