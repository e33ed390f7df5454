/* The commit of the working directory, according to git, which executes nothing that the repository's settings
 * name: filters of contents are turned off, too, by their names, which git is asked for first. */
#include "runner/provenance/provenance.h"
#include "runner/base/base.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- git, such that the settings of a repository execute nothing by themselves ----------------- */

/* The repository may come from anybody: it was unpacked, or checked out to be looked at. Its settings can name
 * a monitor of files, hooks, and transports that fetch what is missing. Filters of contents are turned off by
 * their names, by whoever asks. */

extern char **environ;

const char *const lauka_guard_variables[] = {
    "GIT_OPTIONAL_LOCKS=0", /* the user's index stays as it is */
    "GIT_TERMINAL_PROMPT=0",   "GIT_NO_LAZY_FETCH=1",
    "GIT_ALLOW_PROTOCOL=none", /* the same for a git that does not know that yet; settings cannot allow any */
    "GIT_PAGER=cat",           NULL,
};

const char *const lauka_guard_settings[] = {
    "--no-pager",
    "-c",
    "core.fsmonitor=",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "protocol.allow=never",
    "-c",
    "safe.bareRepository=explicit",
    "-c",
    "submodule.recurse=false",
    NULL,
};

const char **lauka_guard_environment(bool (*keeps)(const char *variable), const char *const *added)
{
    const char *const *const lists[] = {lauka_guard_variables, added};
    size_t count = lauka_words_count((const char *const *)environ), used = 0;
    const char **environment = calloc(
        count + lauka_words_count(lists[0]) + lauka_words_count(lists[1]) + 1, sizeof *environment);

    for (size_t i = 0; environment && i < count; i++)
        if (keeps(environ[i]))
            environment[used++] = environ[i];
    for (size_t list = 0; environment && list < 2; list++)
        for (size_t i = 0; lists[list] && lists[list][i]; i++)
            environment[used++] = lists[list][i];
    return environment;
}

/* ---- git --------------------------------------------------------------------------------------- */

#define LIMIT_NS UINT64_C(2000000000) /* for all questions together */

enum {
    OVERRIDES_MOST = 64,
    PATHS_MOST = 64,
    ANSWER_MOST = 16384, /* bytes */
    ARGUMENTS_MOST = 2 * OVERRIDES_MOST + PATHS_MOST + 40
};

struct git {
    char path[LAUKA_GIT_PATH_SIZE];
    const char **environment; /* owned array of borrowed words */
    uint64_t until_ns;
    char *overrides[OVERRIDES_MOST]; /* owned: "filter.lfs.clean=" */
    size_t override_count;
    struct lauka_answer answer;
    char text[ANSWER_MOST + 1];
};

/* The variables of git that say where its settings are, and where it may look for a repository. Others
 * name another repository, as in a hook, or programs. */
static const char *const kept[] = {
    "GIT_CONFIG_GLOBAL=",       "GIT_CONFIG_SYSTEM=", "GIT_CONFIG_NOSYSTEM=",
    "GIT_CONFIG_COUNT=",        "GIT_CONFIG_KEY_",    "GIT_CONFIG_VALUE_",
    "GIT_CEILING_DIRECTORIES=", "GIT_EXEC_PATH=",     "GIT_DISCOVERY_ACROSS_FILESYSTEM=",
};
static const char *const settings[] = {"-c", "status.renames=false", "-c", "diff.renames=false"};
enum { KEPT = sizeof kept / sizeof *kept, SETTINGS = sizeof settings / sizeof *settings };

/* ---- the program -------------------------------------------------------------------------------- */

/* On a Mac /usr/bin/git stands for the developer tools' git, and asks people to install them if they are
 * missing. */
static bool find_behind_shim(char path[4096])
{
    static const char *const tools[] = {
        "/Library/Developer/CommandLineTools/usr/bin/git",
        "/Applications/Xcode.app/Contents/Developer/usr/bin/git",
    };

    if (strcmp(path, "/usr/bin/git") != 0 || access("/usr/bin/xcode-select", X_OK) != 0)
        return true;
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (lauka_child_can_be(tools[i])) {
            snprintf(path, 4096, "%s", tools[i]);
            return true;
        }
    return false;
}

bool lauka_git_find(char path[LAUKA_GIT_PATH_SIZE])
{
    return lauka_child_find("git", path, LAUKA_GIT_PATH_SIZE) && find_behind_shim(path);
}

static bool passes(const char *variable)
{
    if (strncmp(variable, "GIT_", 4) != 0)
        return true;
    for (size_t i = 0; i < KEPT; i++)
        if (strncmp(variable, kept[i], strlen(kept[i])) == 0)
            return true;
    return false;
}

/* Whether the working directory or one above it contains what git looks for: asking git takes
 * milliseconds. */
static bool may_have_repository(void)
{
    char path[4096] = ".git";
    struct stat here, above;

    for (size_t used = 0; used + sizeof "../.git" <= sizeof path; used += 3) {
        if (lstat(path, &here) == 0)
            return true;
        memcpy(path + used, ".", sizeof ".");
        if (stat(path, &here) != 0)
            return true; /* git may know more */
        memcpy(path + used, "..", sizeof "..");
        if (stat(path, &above) != 0)
            return true;
        if (here.st_dev == above.st_dev && here.st_ino == above.st_ino)
            return false; /* the root */
        memcpy(path + used, "../.git", sizeof "../.git");
    }
    return true;
}

/* ---- questions ---------------------------------------------------------------------------------- */

/* The answer to `git WORDS PATHS`; both end with NULL. Returns its exit code. */
static int ask(struct git *git, const char *const *words, const char *const *paths)
{
    const char *arguments[ARGUMENTS_MOST];
    size_t count = 0;

    arguments[count++] = "git";
    for (size_t i = 0; lauka_guard_settings[i]; i++)
        arguments[count++] = lauka_guard_settings[i];
    for (size_t i = 0; i < SETTINGS; i++)
        arguments[count++] = settings[i];
    for (size_t i = 0; i < git->override_count; i++) {
        arguments[count++] = "-c";
        arguments[count++] = git->overrides[i];
    }
    for (; *words; words++)
        arguments[count++] = *words;
    for (; paths && *paths; paths++)
        arguments[count++] = *paths;
    arguments[count] = NULL;
    lauka_helper_ask(&(struct lauka_child){.path = git->path,
                                           .arguments = arguments,
                                           .environment = git->environment},
                     git->until_ns, &git->answer);
    return git->answer.code;
}

/* Ends the line at `text` with a 0. Returns what follows. */
static char *end_line(char *text)
{
    char *end = text + strcspn(text, "\n");
    char *next = *end ? end + 1 : end;

    *end = 0;
    return next;
}

static bool is_hash(const char *text)
{
    size_t length = strspn(text, "0123456789abcdef");

    return !text[length] && (length == 40 || length == 64);
}

/* Returns 0 or ENOMEM. */
static int find_commit(struct git *git, struct lauka_result_provenance *provenance)
{
    static const char *const words[] = {"rev-parse", "HEAD", "--symbolic-full-name", "HEAD", NULL};
    static const char heads[] = "refs/heads/";
    char *commit = git->answer.text;

    if (ask(git, words, NULL) != 0)
        return 0;
    char *branch = end_line(commit);
    end_line(branch);
    if (!is_hash(commit))
        return 0;
    provenance->commit = strdup(commit);
    if (strncmp(branch, heads, strlen(heads)) == 0 &&
        !(provenance->branch = strdup(branch + strlen(heads))))
        return ENOMEM;
    return provenance->commit ? 0 : ENOMEM;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), own = strlen(end);

    return length >= own && strcmp(text + length - own, end) == 0;
}

/* Turns off one setting of a filter. False if an argument cannot express that. */
static bool add_override(struct git *git, const char *key)
{
    size_t size = strlen(key) + sizeof "=false";
    char *text = malloc(size);

    if (!text || strpbrk(key, "=\n") || git->override_count == OVERRIDES_MOST) {
        free(text);
        return false;
    }
    snprintf(text, size, "%s=%s", key, ends_with(key, ".required") ? "false" : "");
    git->overrides[git->override_count++] = text;
    return true;
}

/* False if a filter might remain. */
static bool turn_filters_off(struct git *git)
{
    static const char *const words[] = {"config",       "-z",         "--name-only",
                                        "--get-regexp", "^filter[.]", NULL};
    int code = ask(git, words, NULL);
    bool good = code == 0 || (code == 1 && git->answer.size == 0);

    for (size_t i = 0; good && i < git->answer.size; i += strlen(git->answer.text + i) + 1)
        good = add_override(git, git->answer.text + i);
    return good;
}

/* ---- whether tracked files differ --------------------------------------------------------------- */

/* The paths of "XY PATH", a 0 behind each, in one text of them all. *count: how many. Owned by the caller. */
static char *take_paths(const struct lauka_answer *answer, const char *paths[PATHS_MOST + 1])
{
    char *text = malloc(answer->size + 1);
    size_t count = 0;

    if (text)
        memcpy(text, answer->text, answer->size + 1);
    for (size_t i = 0; text && i < answer->size && count < PATHS_MOST; i += strlen(text + i) + 1)
        if (strlen(text + i) > 3 && (!answer->cut || i + strlen(text + i) < answer->size))
            paths[count++] = text + i + 3;
    paths[count] = NULL;
    return text;
}

/* Whether one of the answer's "PATH, filter, VALUE" has no filter. */
static bool has_plain(const struct lauka_answer *answer)
{
    const char *value = answer->text;

    for (size_t i = 0, field = 0; i < answer->size; i += strlen(value) + 1, field++) {
        value = answer->text + i;
        if (field % 3 == 2 && (strcmp(value, "unspecified") == 0 || strcmp(value, "unset") == 0))
            return true;
    }
    return false;
}

/* Without its filter an unchanged file may seem to differ. Returns whether one of the reported files has
 * no filter; their paths begin at the top. */
static bool differs_beyond_filters(struct git *git)
{
    static const char *const up_words[] = {"rev-parse", "--show-cdup", NULL};
    const char *paths[PATHS_MOST + 1];
    char *text = take_paths(&git->answer, paths), up[1024];
    bool differs = false;

    if (text && ask(git, up_words, NULL) == 0 && git->answer.size < sizeof up) {
        end_line(git->answer.text);
        snprintf(up, sizeof up, "%s", *git->answer.text ? git->answer.text : ".");
        const char *const words[] = {"-C", up, "check-attr", "-z", "filter", "--", NULL};
        differs = ask(git, words, paths) == 0 && has_plain(&git->answer);
    }
    free(text);
    return differs;
}

static void find_changes(struct git *git, struct lauka_result_provenance *provenance)
{
    static const char *const words[] = {
        "status", "--porcelain", "-z", "--untracked-files=no", "--ignore-submodules=dirty", NULL};

    if (!turn_filters_off(git))
        return;
    int code = ask(git, words, NULL);
    if (code != 0 && !git->answer.cut)
        return;
    if (git->answer.size == 0)
        provenance->dirty = lauka_known(0);
    else if (git->override_count == 0 || differs_beyond_filters(git))
        provenance->dirty = lauka_known(1);
}

int lauka_git_describe(struct lauka_result_provenance *provenance)
{
    struct git *git = calloc(1, sizeof *git);
    int failure = ENOMEM;

    if (git && (!may_have_repository() || !lauka_git_find(git->path))) {
        free(git);
        return 0;
    }
    if (git && (git->environment = lauka_guard_environment(passes, NULL)) != NULL) {
        git->answer = (struct lauka_answer){.text = git->text, .room = ANSWER_MOST};
        git->until_ns = lauka_now_ns() + LIMIT_NS;
        failure = find_commit(git, provenance);
        if (!failure && provenance->commit)
            find_changes(git, provenance);
        for (size_t i = 0; i < git->override_count; i++)
            free(git->overrides[i]);
        free(git->environment);
    }
    free(git);
    return failure;
}
