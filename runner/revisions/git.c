/* git by its command line, and what its errors say. Nothing is executed that the repository's settings name: see
 * withheld.c, and runner/provenance/git.c. */
#include "runner/revisions/revisions.h"
#include "runner/base/base.h"
#include "runner/provenance/provenance.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what errors say --------------------------------------------------------------------------- */

/* What git writes to stderr becomes one sentence: its messages go over several lines, and what failed first, such as a
 * filter, is told before what git says about it. */

static const char *const labels[] = {"error: ", "fatal: "};
static const char *const hints[] = {"hint:", "warning:"}; /* about typing other commands */

/* The number of bytes of the word that the line begins with; 0: none of them. */
static size_t label_of(const char *line, const char *const words[2])
{
    for (size_t i = 0; i < 2; i++)
        if (strncmp(line, words[i], strlen(words[i])) == 0)
            return strlen(words[i]);
    return 0;
}

/* A sentence that goes on needs no mark between its lines. */
static const char *between(const char *text, size_t used, const char *line)
{
    bool goes_on = islower((unsigned char)*line) && label_of(line, labels) == 0;

    return used == 0 ? "" : strchr(",.:;", text[used - 1]) || goes_on ? " " : "; ";
}

/* Git may say the same once more, with less. */
static bool is_again(const char *text, size_t used, const char *line, size_t length)
{
    for (size_t at = 0; at + length <= used; at++)
        if (strncmp(text + at, line, length) == 0)
            return true;
    return false;
}

/* Appends lines, without labels and hints, as long as there is room. Whether all of them had. */
static bool join(const char *lines, char *text, size_t size)
{
    size_t used = 0;

    for (size_t length; *lines; lines += length + (lines[length] == '\n')) {
        length = strcspn(lines, "\n");
        size_t skipped = strspn(lines, " \t"), end = length;
        while (end > skipped && isspace((unsigned char)lines[end - 1]))
            end--;
        if (skipped >= end || label_of(lines, hints) > 0)
            continue;
        const char *mark = between(text, used, lines + skipped);
        skipped += label_of(lines + skipped, labels);
        if (is_again(text, used, lines + skipped, end - skipped))
            continue;
        int written = snprintf(text + used, size - used, "%s%.*s", mark, (int)(end - skipped),
                               lines + skipped);
        if (written < 0 || (size_t)written >= size - used)
            return false;
        used += (size_t)written;
    }
    return true;
}

/* The first line with a label; NULL: there is none. */
static const char *find_label(const char *lines)
{
    while (lines && label_of(lines, labels) == 0) {
        lines = strchr(lines, '\n');
        lines = lines ? lines + 1 : NULL;
    }
    return lines;
}

void lauka_git_join(const char *lines, char text[LAUKA_GIT_MESSAGE_SIZE])
{
    static const char more[] = " ...";
    const char *label = find_label(lines);

    *text = '\0';
    if (join(lines, text, LAUKA_GIT_MESSAGE_SIZE) ||
        (label && (*text = '\0', join(label, text, LAUKA_GIT_MESSAGE_SIZE))))
        return;
    size_t end = LAUKA_GIT_MESSAGE_SIZE - sizeof more;
    while (end > 0 && text[end] != ' ') /* not within a word, which may be of several bytes */
        end--;
    end = end > 0 ? end : strnlen(text, LAUKA_GIT_MESSAGE_SIZE - sizeof more);
    snprintf(text + end, LAUKA_GIT_MESSAGE_SIZE - end, "%s", more);
}

const char *lauka_git_advise(const char *message)
{
    static const char fetches[] =
        "; this is a partial clone, and lauka fetches nothing: git fetch --refetch "
        "--no-filter brings all that is missing";
    static const char filters[] =
        "; a filter of git's settings does not work: install its program (git-lfs is a package), "
        "or "
        "remove it (git config --show-origin --get-regexp filter tells where it is)";
    static const struct {
        const char *said, *advice;
    } known[] = {
        {"promisor remote", fetches},
        {"the remote end hung up", filters}, /* a filter that speaks git's protocol */
        {"initialization for subprocess", filters},
        {"external filter", filters},
        {"smudge filter", filters},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(message, known[i].said))
            return known[i].advice;
    return "";
}

const char *lauka_worktrees_advise(const struct lauka_worktrees *worktrees)
{
    enum { LITTLE = 65536 }; /* bytes */
    struct statvfs about;
    bool full = statvfs(worktrees->folder, &about) == 0 &&
                about.f_bavail * (uint64_t)about.f_frsize < LITTLE;

    return full ? "; the disk is full: lauka revisions --clean removes all worktrees of this "
                  "repository"
                : "";
}

/* ---- what it is asked ---------------------------------------------------------------------------- */

/* These would lead git, and builds, to another place than the working directory's, as they do in a hook. */
static const char *const left_out[] = {
    "GIT_DIR",    "GIT_WORK_TREE",  "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_NAMESPACE",  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
};
/* Beside what a repository's settings would start otherwise. */
static const char *const added[] = {
    "LC_ALL=C",
    /* For the commit that a working tree becomes: the same files make the same commit. */
    "GIT_AUTHOR_NAME=lauka",
    "GIT_AUTHOR_EMAIL=lauka",
    "GIT_AUTHOR_DATE=2000-01-01T00:00:00Z",
    "GIT_COMMITTER_NAME=lauka",
    "GIT_COMMITTER_EMAIL=lauka",
    "GIT_COMMITTER_DATE=2000-01-01T00:00:00Z",
    NULL,
};
static const char *const settings[] = {
    "-c", "advice.detachedHead=false", "-c", "core.untrackedCache=false", "-c", "gc.auto=0",
    "-c", "core.splitIndex=false",     NULL,
};
enum { LEFT_OUT = sizeof left_out / sizeof *left_out };

static bool is_among(const char *variable, const char *const *list)
{
    bool is = false;

    for (; *list; list++)
        is = is || strncmp(variable, *list, strcspn(*list, "=") + 1) == 0;
    return is;
}

static bool is_kept(const char *variable)
{
    return !is_among(variable, lauka_guard_variables) && !is_among(variable, added);
}

/* ---- one question ------------------------------------------------------------------------------------ */

/* All of it, and a 0 behind it. NULL if there is no memory. */
static char *take_bytes(int file, size_t *size)
{
    struct stat about;
    size_t most = file >= 0 && fstat(file, &about) == 0 ? (size_t)about.st_size : 0;
    char *text = malloc(most + 1);
    ssize_t got = text && most > 0 ? pread(file, text, most, 0) : 0;

    if (!text)
        return NULL;
    *size = got > 0 ? (size_t)got : 0;
    text[*size] = '\0';
    return text;
}

/* code: LAUKA_EXIT_HOST, or LAUKA_EXIT_INTERNAL if git has not answered. */
static bool fail_as_git(const char *const *words, int errors, enum lauka_exit code,
                        struct lauka_error *error)
{
    size_t size;
    char *text = take_bytes(errors, &size), message[LAUKA_GIT_MESSAGE_SIZE] = "";

    while (strcmp(words[0], "-c") == 0)
        words += 2;
    if (text)
        lauka_git_join(text, message);
    lauka_fail(error, code, "git %.60s: %s%s", words[0],
               *message ? message : "it failed without a message", lauka_git_advise(message));
    free(text);
    return false;
}

/* A filter that is not required may fail: files are then as they are stored. */
static void note_complaint(const char *const *words, int errors, struct lauka_error *complaint)
{
    struct stat about;
    struct lauka_error said;

    if (fstat(errors, &about) != 0 || about.st_size == 0)
        return;
    fail_as_git(words, errors, LAUKA_EXIT_HOST, &said);
    if (strstr(said.text, "filter") || strstr(said.text, "subprocess"))
        lauka_fail(complaint, LAUKA_EXIT_DONE, "%s", said.text);
}

/* What git cannot say itself is written to the last of the ends. Returns git's exit code, or -1. */
static int run(const struct lauka_git *git, const char *const *arguments,
               const char *const *environment, const int ends[3])
{
    int status = 0;
    pid_t pid = lauka_child_start(&(struct lauka_child){
        .path = git->path,
        .arguments = arguments,
        .environment = environment,
        .input = ends[0],
        .output = ends[1],
        .error = ends[2],
    });

    if (pid < 0)
        dprintf(ends[2], "%s\n", strerror(errno));
    if (pid < 0 || !lauka_child_await(pid, &status))
        return -1;
    if (WIFSIGNALED(status))
        dprintf(ends[2], "it was ended by signal %d\n", WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* "git", what guards it, and the words. Owned array of borrowed words; NULL without memory. */
static const char **make_arguments(const struct lauka_git *git, const char *directory,
                                   const char *const *words)
{
    const char *const start[] = {"git", "-C", directory, NULL};
    const char *const *const lists[] = {start, lauka_guard_settings, settings};
    size_t size = 2 * git->withheld_count + lauka_words_count(words) + 1, count = 0;

    for (size_t list = 0; list < 3; list++)
        size += lauka_words_count(lists[list]);
    const char **arguments = calloc(size, sizeof *arguments);
    for (size_t list = 0; arguments && list < 3; list++)
        for (size_t i = 0; lists[list][i]; i++)
            arguments[count++] = lists[list][i];
    for (size_t i = 0; arguments && i < git->withheld_count; i++) {
        arguments[count++] = "-c";
        arguments[count++] = git->withheld[i];
    }
    for (size_t i = 0; arguments && words[i]; i++)
        arguments[count++] = words[i];
    return arguments;
}

struct question {
    const char *index; /* a temporary index file, or NULL */
    int input, output; /* 0: no input */
    struct lauka_error
        *complaint; /* NULL: what it wrote to stderr although it did not fail is of no interest */
};

static bool ask(const struct lauka_git *git, const char *directory, const char *const *words,
                const struct question *question, struct lauka_error *error)
{
    char variable[4200] = "";
    int errors = lauka_anonymous_file();
    const char **arguments = make_arguments(git, directory, words);

    if (question->index)
        snprintf(variable, sizeof variable, "GIT_INDEX_FILE=%.4000s", question->index);
    char **environment = lauka_words_join(
        git->environment, (const char *const[]){question->index ? variable : NULL, NULL});
    int code = -1;
    if (arguments && environment && question->output >= 0 && errors >= 0)
        code = run(git, arguments, (const char *const *)environment,
                   (int[]){question->input, question->output, errors});
    const bool good = code == 0;
    if (!good)
        fail_as_git(words, errors, code < 0 ? LAUKA_EXIT_INTERNAL : LAUKA_EXIT_HOST, error);
    else if (question->complaint)
        note_complaint(words, errors, question->complaint);
    free(environment);
    free(arguments);
    close(errors);
    return good;
}

bool lauka_git_write(const struct lauka_git *git, const char *directory, const char *index,
                     const char *const *words, int output, struct lauka_error *error)
{
    const struct question question = {.index = index, .output = output};

    return ask(git, directory, words, &question, error);
}

bool lauka_git_do(const struct lauka_git *git, const char *directory, const char *const *words,
                  struct lauka_error *complaint, struct lauka_error *error)
{
    int output = lauka_anonymous_file();
    const struct question question = {.output = output, .complaint = complaint};
    bool good = ask(git, directory, words, &question, error);

    close(output);
    return good;
}

/* The question has no output yet. */
static char *take_answer(const struct lauka_git *git, const char *directory,
                         const char *const *words, struct question question, size_t *size,
                         struct lauka_error *error)
{
    char *text = NULL;

    question.output = lauka_anonymous_file();
    if (ask(git, directory, words, &question, error) && !(text = take_bytes(question.output, size)))
        lauka_fail_memory(error);
    close(question.output);
    return text;
}

char *lauka_git_list(const struct lauka_git *git, const char *directory, const char *index,
                     const char *const *words, size_t *size, struct lauka_error *error)
{
    return take_answer(git, directory, words, (struct question){.index = index}, size, error);
}

char *lauka_git_answer(const struct lauka_git *git, const char *directory, int input,
                       const char *const *words, size_t *size, struct lauka_error *error)
{
    return take_answer(git, directory, words, (struct question){.input = input}, size, error);
}

char *lauka_git_ask(const struct lauka_git *git, const char *directory, const char *index,
                    const char *const *words, struct lauka_error *error)
{
    size_t size = 0;
    char *text = lauka_git_list(git, directory, index, words, &size, error), *own = NULL;

    while (text && size > 0 && text[size - 1] == '\n')
        size--;
    if (text && !(own = lauka_arena_piece(git->arena, text, size)))
        lauka_fail_memory(error);
    free(text);
    return own;
}

/* ---- the repository ---------------------------------------------------------------------------------- */

static char *ask_here(const struct lauka_git *git, const char *what, struct lauka_error *error)
{
    const char *const words[] = {"rev-parse", what, NULL};

    return lauka_git_ask(git, ".", NULL, words, error);
}

/* Owned by the arena; NULL without memory. */
static const char **make_environment(struct lauka_arena *arena)
{
    const char **made = lauka_guard_environment(is_kept, added);
    const size_t size = (lauka_words_count(made) + 1) * sizeof *made;
    const char **own = made ? lauka_arena_take(arena, size) : NULL;

    if (own)
        memcpy(own, made, size);
    free(made);
    return own;
}

bool lauka_git_open(struct lauka_git *git, struct lauka_arena *arena, bool allows_filters,
                    struct lauka_error *error)
{
    struct lauka_error why;
    char common[PATH_MAX];

    *git = (struct lauka_git){.arena = arena, .allows_filters = allows_filters};
    for (size_t i = 0; i < LEFT_OUT; i++)
        unsetenv(left_out[i]);
    if (!lauka_git_find(git->path))
        return lauka_fail(error, LAUKA_EXIT_HOST,
                          "lauka revisions needs git; install it (apt install git)");
    git->environment = make_environment(arena);
    if (!git->environment)
        return lauka_fail_memory(error);
    git->top = ask_here(git, "--show-toplevel", &why);
    git->prefix = git->top ? ask_here(git, "--show-prefix", &why) : NULL;
    const char *found = git->prefix ? ask_here(git, "--git-common-dir", &why) : NULL;
    git->common = found && realpath(found, common) ? lauka_arena_text(arena, common) : NULL;
    if (!git->common && strstr(why.text, "dubious ownership"))
        return lauka_fail(error, LAUKA_EXIT_USAGE, "lauka revisions: %s", why.text);
    return git->common || lauka_fail(error, LAUKA_EXIT_USAGE,
                                     "lauka revisions: the working directory is in no checkout of "
                                     "a git repository (%.600s)",
                                     why.text);
}
