/* What git writes for a commit depends on more than the commit. A worktree that was made under other settings is
 * another one, so these are a part of its name. */
#include "runner/revisions/revisions.h"
#include "runner/base/base.h"
#include "runner/command/command.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

extern char **environ;

/* Line ends, links, rights, encodings, and whatever filters there are. */
static const char asked[] = "^(core\\.(autocrlf|eol|symlinks|filemode|ignorecase|precomposeunicode|"
                            "attributesfile|checkroundtripencoding|bigfilethreshold)|filter\\..*|"
                            "lfs\\.(fetchinclude|fetchexclude|skipdownloaderrors))$";

/* A file, by what can be seen without reading it. */
static void put_file(const char *path, FILE *to)
{
    struct stat about;

    if (stat(path, &about) == 0 && S_ISREG(about.st_mode))
        fprintf(to, "%s %jd %jd %ju\n", path, (intmax_t)about.st_size, (intmax_t)about.st_mtime,
                (uintmax_t)about.st_ino);
}

/* The programs and files that a filter's command names: one that is installed later, or is changed, writes other
 * files. */
static void put_programs(const char *command, FILE *to)
{
    static const char marks[] = " \t\n'\"=;|&<>()";
    char *words = strdup(command), *rest = words, path[PATH_MAX];

    for (char *word; words && (word = strtok_r(rest, marks, &rest));)
        if (*word == '/')
            put_file(word, to);
        else if (!strchr(word, '/') && lauka_child_find(word, path, sizeof path))
            put_file(path, to);
    free(words);
}

/* "NAME\nVALUE" with a 0 behind each. */
static void put_settings(const struct lauka_git *git, FILE *to)
{
    static const char *const words[] = {"config", "--null", "--get-regexp", asked, NULL};
    struct lauka_error unset;
    size_t size = 0;
    char *list = lauka_git_list(git, git->top, NULL, words, &size, &unset);

    for (size_t at = 0; list && at < size; at += strlen(list + at) + 1) {
        const char *value = strchr(list + at, '\n');
        fprintf(to, "%s\n", list + at);
        if (value && strncmp(list + at, "filter.", strlen("filter.")) == 0)
            put_programs(value + 1, to);
    }
    free(list);
}

/* Beside those of the commit itself. */
static void put_attributes(const char *path, FILE *to)
{
    uint8_t digest[LAUKA_SHA256_SIZE];
    char hex[2 * sizeof digest + 1];
    struct stat about;

    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || !lauka_executable_hash(path, digest))
        return;
    fprintf(to, "attributes %s\n", lauka_hex_put(digest, sizeof digest, hex));
}

static void put_all_attributes(const struct lauka_git *git, FILE *to)
{
    static const char *const words[] = {"config", "--type=path", "--get", "core.attributesFile",
                                        NULL};
    const char *settings = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    struct lauka_error unset;
    char path[PATH_MAX], *own = lauka_git_ask(git, git->top, NULL, words, &unset);

    snprintf(path, sizeof path, "%.4000s/info/attributes", git->common);
    put_attributes(path, to);
    if (own)
        snprintf(path, sizeof path, "%.4000s", own);
    else if (settings && *settings)
        snprintf(path, sizeof path, "%.4000s/git/attributes", settings);
    else
        snprintf(path, sizeof path, "%.4000s/.config/git/attributes", home ? home : "");
    put_attributes(path, to);
    put_attributes("/etc/gitattributes", to);
    free(own);
}

static void put_replaced(const struct lauka_git *git, FILE *to)
{
    static const char *const words[] = {"for-each-ref", "--format=%(refname) %(objectname)",
                                        "refs/replace/", NULL};
    struct lauka_error none;
    char *text = lauka_git_ask(git, git->top, NULL, words, &none);

    fprintf(to, "%s\n", text ? text : "");
    free(text);
}

static void put_variables(FILE *to)
{
    static const char *const starts[] = {"GIT_ATTR_", "GIT_LFS_", "GIT_NO_REPLACE_",
                                         "GIT_REPLACE_"};

    for (char **variable = environ; variable && *variable; variable++)
        for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
            if (strncmp(*variable, starts[i], strlen(starts[i])) == 0)
                fprintf(to, "%s\n", *variable);
}

char *lauka_git_settings(const struct lauka_git *git, struct lauka_error *error)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (!to) {
        lauka_fail_memory(error);
        return NULL;
    }
    put_settings(git, to);
    put_all_attributes(git, to);
    put_replaced(git, to);
    put_variables(to);
    bool good = !ferror(to);
    if (fclose(to) == 0 && good)
        return text;
    free(text);
    lauka_fail_memory(error);
    return NULL;
}
