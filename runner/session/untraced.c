/* untraced: the programs along a PATH that valgrind does not execute. */
#include "runner/session/valgrind_runs.h"
#include "runner/command/command.h"
#include "runner/machine/machine.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST = 32768 }; /* of the option; the kernel takes four times as much in a word */

static const char option_name[] = "--trace-children-skip=";

static bool is_refused(const char *program)
{
    struct stat about;

    if (stat(program, &about) != 0 || !S_ISREG(about.st_mode) || access(program, X_OK) != 0)
        return false;
    return about.st_mode & (S_ISUID | S_ISGID) || access(program, R_OK) != 0 ||
           lauka_has_file_capabilities(program);
}

/* A name must not contain a comma, which would end it, nor characters of a pattern. */
static void add(char *option, const char *program)
{
    size_t used = strlen(option), length = strlen(program);

    if (!strpbrk(program, ",*?\\") && used + length + 2 < LONGEST)
        snprintf(option + used, LONGEST - used, "%s%s", option[used - 1] == '=' ? "" : ",",
                 program);
}

static void look_through(const char *folder, char *option)
{
    DIR *directory = *folder == '/' ? opendir(folder) : NULL;
    struct dirent *entry;

    while (directory && (entry = readdir(directory))) {
        char program[4096];
        int length = snprintf(program, sizeof program, "%s/%s", folder, entry->d_name);
        if (length > 0 && (size_t)length < sizeof program && is_refused(program))
            add(option, program);
    }
    if (directory)
        closedir(directory);
}

static char *make_option(const char *path)
{
    char *option = malloc(LONGEST), *folders = strdup(path), *rest = folders, *folder;

    if (option)
        snprintf(option, LONGEST, "%s", option_name);
    while (option && rest && (folder = strsep(&rest, ":")))
        look_through(folder, option);
    free(folders);
    return option;
}

const char *lauka_untraced_option(struct lauka_untraced *untraced,
                                  const struct lauka_command *command)
{
    const char *path = lauka_command_search_path(command);

    if (!untraced->path || strcmp(untraced->path, path) != 0) {
        lauka_untraced_done(untraced);
        untraced->path = strdup(path);
        untraced->option = make_option(path);
    }
    bool any = untraced->option && strlen(untraced->option) > strlen(option_name);
    return any ? untraced->option : NULL;
}

void lauka_untraced_done(struct lauka_untraced *untraced)
{
    free(untraced->path);
    free(untraced->option);
    *untraced = (struct lauka_untraced){0};
}
