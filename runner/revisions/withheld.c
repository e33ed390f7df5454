/* Settings that name programs and that only the repository has (its .git/config, files it includes,
 * those of a worktree). The repository's author wrote them, so they are withheld from git and from
 * the filters it runs: the user's own settings replace them. Without its filter a file would
 * differ, so a revision that needs such a filter is refused. */
#include "runner/revisions/revisions.h"
#include "runner/base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "SECTION.anything.NAME", in small letters, as git tells it. */
static const struct {
    const char *section, *name;
    bool may_be_allowed; /* by --allow-filters: filters use it */
} programs[] = {
    {"filter", "clean", true},      {"filter", "smudge", true},
    {"filter", "process", true},    {"hook", "command", false},
    {"hook", "event", false},       {"lfs", "path", true}, /* of a transfer */
    {"lfs", "clean", true},         {"lfs", "smudge", true},
    {"credential", "helper", true}, {"lfs", "standalonetransferagent", true},
    {"core", "sshcommand", true},   {"core", "askpass", true},
    {"gpg", "program", true},
};

struct setting {
    const char *key, *value;
    bool is_the_users; /* otherwise the repository's */
};

struct settings {
    char *text;               /* owned */
    struct setting *settings; /* owned; borrow from the text; those that matter come last */
    size_t count;
};

static void settings_done(struct settings *all)
{
    free(all->text);
    free(all->settings);
    *all = (struct settings){.text = NULL};
}

/* ---- what git says --------------------------------------------------------------------------------- */

static bool is_program(const char *key, bool allowed)
{
    size_t section = strcspn(key, ".");
    const char *name = strrchr(key, '.');

    for (size_t i = 0; name && i < sizeof programs / sizeof *programs; i++)
        if (strlen(programs[i].section) == section &&
            strncmp(programs[i].section, key, section) == 0 &&
            strcmp(programs[i].name, name + 1) == 0)
            return !allowed || !programs[i].may_be_allowed;
    return false;
}

static bool is_the_users(const char *scope)
{
    return strcmp(scope, "system") == 0 || strcmp(scope, "global") == 0 ||
           strcmp(scope, "command") == 0;
}

/* The text is a list of "SCOPE, KEY newline VALUE"; without scopes, of the latter. A key may have no value. */
static bool take_apart(struct settings *all, size_t size, bool has_scopes)
{
    size_t most = 0;

    for (size_t at = 0; at < size; at++)
        most += !all->text[at];
    all->settings = calloc(most + 1, sizeof *all->settings);
    if (!all->settings)
        return false;
    for (char *at = all->text, *end = at + size; at < end;) {
        struct setting *setting = &all->settings[all->count++];
        const char *scope = has_scopes ? at : "";
        at += has_scopes ? strlen(at) + 1 : 0;
        if (at >= end)
            break;
        char *next = at + strlen(at) + 1, *value = strchr(at, '\n');
        if (value)
            *value++ = '\0';
        *setting = (struct setting){at, value ? value : "", is_the_users(scope)};
        at = next;
    }
    return true;
}

/* git before 2.26 does not tell whose a setting is; then all are the repository's. */
static bool read_settings(const struct lauka_git *git, const char *directory, struct settings *all,
                          struct lauka_error *error)
{
    static const char *const words[] = {"config", "--show-scope", "--null", "--list", NULL};
    static const char *const old_words[] = {"config", "--null", "--list", NULL};
    struct lauka_error unknown;
    size_t size = 0;
    bool has_scopes = true;

    *all = (struct settings){.text = lauka_git_list(git, directory, NULL, words, &size, &unknown)};
    if (!all->text) {
        has_scopes = false;
        all->text = lauka_git_list(git, directory, NULL, old_words, &size, error);
    }
    return all->text && (take_apart(all, size, has_scopes) || lauka_fail_memory(error));
}

/* What the user's own settings say; NULL: nothing. */
static const char *value_of_users(const struct settings *all, const char *key)
{
    const char *value = NULL;

    for (size_t i = 0; i < all->count; i++)
        if (all->settings[i].is_the_users && strcmp(all->settings[i].key, key) == 0)
            value = all->settings[i].value;
    return value;
}

/* ---- withholding ----------------------------------------------------------------------------------- */

static bool add(struct lauka_git *git, const char *key, const char *value,
                struct lauka_error *error)
{
    if (strchr(key, '='))
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "the settings of this repository name a program as %.300s, which cannot "
                          "be turned off: remove it",
                          key);
    return lauka_arena_add_text(git->arena, &git->withheld, &git->withheld_count,
                                lauka_arena_print(git->arena, "%s=%s", key, value)) ||
           lauka_fail_memory(error);
}

/* An empty value ends a list of earlier ones; those of the user follow it. */
static bool put_back(struct lauka_git *git, const struct settings *all, const char *key,
                     struct lauka_error *error)
{
    bool good = add(git, key, "", error);

    for (size_t i = 0; good && i < all->count; i++)
        if (all->settings[i].is_the_users && strcmp(all->settings[i].key, key) == 0)
            good = add(git, key, all->settings[i].value, error);
    return good;
}

bool lauka_withheld_find(struct lauka_git *git, struct lauka_error *error)
{
    struct settings all;
    bool good = read_settings(git, git->top, &all, error);

    for (size_t i = 0; good && i < all.count; i++) {
        const struct setting *setting = &all.settings[i];
        if (!setting->key || setting->is_the_users ||
            !is_program(setting->key, git->allows_filters))
            continue;
        const char *own = value_of_users(&all, setting->key);
        if (!own || strcmp(own, setting->value) != 0)
            good = put_back(git, &all, setting->key, error);
    }
    settings_done(&all);
    return good;
}

/* ---- files that need a filter ------------------------------------------------------------------------ */

/* The program of the filter, if only the repository has it, as it would be started; otherwise NULL. */
static const char *find_foreign(const struct settings *all, const char *filter, const char *program)
{
    char key[1000];
    const char *found = NULL;

    snprintf(key, sizeof key, "filter.%.900s.%s", filter, program);
    for (size_t i = 0; i < all->count; i++) {
        const struct setting *setting = &all->settings[i];
        if (!setting->key || strcmp(setting->key, key) != 0 || !*setting->value)
            continue;
        if (setting->is_the_users)
            return NULL;
        found = setting->value;
    }
    return found;
}

static const char *find_needed(const struct settings *all, const char *filter,
                               enum lauka_filtering way)
{
    const char *once = find_foreign(all, filter, way == LAUKA_FILTERING_IN ? "clean" : "smudge");

    return once ? once : find_foreign(all, filter, "process");
}

/* answer: of "FILE, filter, NAME". */
static bool check(const struct settings *all, const char *answer, size_t size,
                  enum lauka_filtering way, const char *what, struct lauka_error *error)
{
    const char *end = answer + size, *name, *filter;

    for (const char *at = answer; at < end; at = filter + strlen(filter) + 1) {
        name = at + strlen(at) + 1;
        filter = name < end ? name + strlen(name) + 1 : end;
        if (filter >= end)
            break;
        const char *program = find_needed(all, filter, way);
        if (program)
            return lauka_fail(
                error, LAUKA_EXIT_USAGE,
                "%.100s: %.300s needs the filter \"%.100s\", a program that only the settings of "
                "this repository name: --allow-filters lets it run, if you trust them (it is: "
                "%.300s)",
                what, at, filter, program);
    }
    return true;
}

static bool has_filters(const struct settings *all)
{
    bool has = false;

    for (size_t i = 0; i < all->count; i++)
        has = has || (all->settings[i].key && !all->settings[i].is_the_users &&
                      strncmp(all->settings[i].key, "filter.", 7) == 0 &&
                      is_program(all->settings[i].key, false));
    return has;
}

static bool check_files(const struct lauka_git *git, const char *directory,
                        const struct settings *all, enum lauka_filtering way, const char *what,
                        struct lauka_error *error)
{
    static const char *const stored[] = {"ls-files", "-z", "--cached", NULL};
    static const char *const lying[] = {"ls-files",           "-z", "--cached", "--others",
                                        "--exclude-standard", NULL};
    static const char *const of_stored[] = {"check-attr", "--cached", "-z",
                                            "--stdin",    "filter",   NULL};
    static const char *const of_lying[] = {"check-attr", "-z", "--stdin", "filter", NULL};
    bool in = way == LAUKA_FILTERING_IN;
    int names = lauka_anonymous_file();
    size_t size = 0;
    char *answer = NULL;

    if (lauka_git_write(git, directory, NULL, in ? lying : stored, names, error) &&
        lseek(names, 0, SEEK_SET) == 0)
        answer = lauka_git_answer(git, directory, names, in ? of_lying : of_stored, &size, error);
    bool good = answer && check(all, answer, size, way, what, error);
    free(answer);
    if (names >= 0)
        close(names);
    return good;
}

bool lauka_withheld_check(const struct lauka_git *git, const char *directory,
                          enum lauka_filtering way, const char *what, struct lauka_error *error)
{
    static const char *const fill[] = {"read-tree", "HEAD", NULL};
    struct settings all;

    if (git->allows_filters)
        return true;
    bool good = read_settings(git, directory, &all, error);
    if (good && has_filters(&all))
        good = (way == LAUKA_FILTERING_IN || lauka_git_do(git, directory, fill, NULL, error)) &&
               check_files(git, directory, &all, way, what, error);
    settings_done(&all);
    return good;
}
