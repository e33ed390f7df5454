/* Reads a file of options and takes it apart: one argument per line, # comments, [name] sections. */
#include "runner/options/config_file.h"
#include "runner/options/options.h"
#include "runner/base/base.h"
#include "runner/command/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIZE_LIMIT (1 << 20)

const char lauka_config_implicit[] = "./.lauka";

/* ---- its bytes -------------------------------------------------------------------------------- */

/* Why a file that nobody named is not read; NULL if nothing is wrong with it, or errno says what. */
static const char *doubt(int descriptor)
{
    struct stat about;

    if (descriptor < 0)
        return errno == ELOOP ? "is a link" : NULL;
    if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode))
        return "is not a regular file";
    if (about.st_uid == geteuid() || about.st_uid == 0 ||
        (geteuid() == 0 && lauka_identity_is_caller(about.st_uid)))
        return NULL;
    return "belongs to another user";
}

/* Another user's file in the current directory must not decide what is run. Whoever may create a link
 * there chooses the file, and can change it at any moment: so no link is followed, and the opened file
 * itself is checked. */
static FILE *open_implicit(const char **wrong)
{
    int descriptor = open(lauka_config_implicit, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    *wrong = doubt(descriptor);
    FILE *file = *wrong || descriptor < 0 ? NULL : fdopen(descriptor, "r");
    if (!file && descriptor >= 0)
        close(descriptor);
    return file;
}

static char *read_file(const char *path, struct lauka_error *error)
{
    bool implicit = path == lauka_config_implicit;
    const char *wrong = NULL;
    FILE *file = implicit ? open_implicit(&wrong) : fopen(path, "re");
    const char *named_by = path == getenv("LAUKA_CONFIG") ? "LAUKA_CONFIG="
                           : implicit                     ? ""
                                                          : "--config ";
    char *text = malloc(SIZE_LIMIT + 1);
    size_t size = file && text ? fread(text, 1, SIZE_LIMIT, file) : 0;
    bool good = file && text && !ferror(file) && size < SIZE_LIMIT && !memchr(text, '\0', size);

    if (good)
        text[size] = '\0';
    else
        lauka_fail(error, LAUKA_EXIT_USAGE, "%s%.300s: %s%s", named_by, path,
                   wrong                   ? wrong
                   : !file || ferror(file) ? strerror(errno)
                                           : "is not a text file of less than 1 MB",
                   wrong      ? "; --config ./.lauka reads it anyway, --no-config ignores it"
                   : implicit ? "; --no-config ignores it"
                              : "");
    if (file)
        fclose(file);
    if (good)
        return text;
    free(text);
    return NULL;
}

/* ---- its lines -------------------------------------------------------------------------------- */

static char *trim(char *line)
{
    line += strspn(line, " \t\r");
    size_t length = strlen(line);
    while (length > 0 && strchr(" \t\r", line[length - 1]))
        length--;
    line[length] = '\0';
    return line;
}

/* --runs 10 in one line is not one argument. */
static bool check_word(const char *path, size_t line, const char *word, struct lauka_error *error)
{
    size_t name = strcspn(word, "= \t");

    return word[0] != '-' || (word[name] != ' ' && word[name] != '\t') ||
           lauka_fail(
               error, LAUKA_EXIT_USAGE,
               "%.300s:%zu: expected one argument per line: %.*s, and the rest on the next line",
               path, line, (int)(name < 60 ? name : 60), word);
}

/* With two sections of the same name, nobody could tell which one a report is about. */
static bool begin_section(struct lauka_config *config, size_t number, char *name,
                          struct lauka_error *error)
{
    for (size_t i = 0; i < config->section_count; i++)
        if (strcmp(config->sections[i].name, name) == 0)
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "%.300s:%zu: there is a section [%.100s] already, in line %zu",
                              config->path, number, name, config->sections[i].line);
    config->sections[config->section_count++] =
        (struct lauka_section){.name = name, .from = config->count, .line = number};
    return *name || lauka_fail(error, LAUKA_EXIT_USAGE,
                               "%.300s:%zu: a section needs a name: [name]", config->path, number);
}

static bool take_line(struct lauka_config *config, size_t number, char *line,
                      struct lauka_error *error)
{
    size_t length = strlen(line);

    if (*line == '\0' || *line == '#')
        return true;
    if (*line == '[' && line[length - 1] == ']') {
        line[length - 1] = '\0';
        return begin_section(config, number, line + 1, error);
    }
    if (*line == '[')
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "%.300s:%zu: the name of a section ends with ]: %.60s]", config->path,
                          number, line);
    config->lines[config->count] = number;
    config->words[config->count++] = line;
    if (config->section_count > 0)
        config->sections[config->section_count - 1].count++;
    else
        config->general++;
    return check_word(config->path, number, line, error);
}

bool config_file_read(struct lauka_config *config, struct lauka_error *error)
{
    size_t lines = 2, number = 0;

    config->text = read_file(config->path, error);
    if (!config->text)
        return false;
    for (const char *c = config->text; *c; c++)
        lines += *c == '\n';
    config->words = calloc(lines, sizeof *config->words);
    config->lines = calloc(lines, sizeof *config->lines);
    config->sections = calloc(lines, sizeof *config->sections);
    if (!config->words || !config->lines || !config->sections)
        return lauka_fail_memory(error);
    char *first = config->text + lauka_file_mark(config->text, strlen(config->text));
    for (char *line = first, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (!take_line(config, ++number, trim(line), error))
            return false;
    }
    return true;
}

void lauka_config_done(struct lauka_config *config)
{
    free(config->text);
    free(config->words);
    free(config->lines);
    free(config->sections);
    *config = (struct lauka_config){0};
}
