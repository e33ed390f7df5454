/* A process that writes what it found: on stdout, or into files of a folder that is its own. */
#include "runner/suite/suite.h"
#include "runner/base/base.h"
#include "runner/command/command.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- texts ------------------------------------------------------------------------------------------ */

char *lauka_adapter_join(char *text, const char *more)
{
    size_t length = text ? strlen(text) : 0, added = strlen(more);
    char *joined = text ? realloc(text, length + added + 2) : NULL;

    if (!joined) {
        free(text);
        return NULL;
    }
    for (size_t i = 0; i < added; i++) /* one line stays one */
        joined[length + i] = more[i] == '\n' ? ' ' : more[i];
    strcpy(joined + length + added, "\n");
    return joined;
}

char *lauka_adapter_read_file(const char *folder, const char *name)
{
    char path[4400];
    struct lauka_error error;
    size_t size;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *bytes = lauka_file_read(path, &size, &error);
    char *text = bytes ? realloc(bytes, size + 1) : NULL;
    if (!text) {
        free(bytes);
        return NULL;
    }
    text[size] = '\0';
    return text;
}

/* ---- folders ---------------------------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *walk)
{
    (void)about;
    (void)kind;
    (void)walk;
    (void)remove(path);
    return 0;
}

static void remove_folder(const char *folder)
{
    enum { DEPTH = 20 };

    if (*folder)
        (void)nftw(folder, remove_one, DEPTH, FTW_PHYS | FTW_DEPTH);
}

/* ---- the process ------------------------------------------------------------------------------------ */

/* The command's own words, and these behind them. An owned array of borrowed words; NULL without memory. */
static char **join_words(const struct lauka_command *command, char *const *more)
{
    size_t own = 0, count = 0;

    while (command->argv[own])
        own++;
    while (more[count])
        count++;
    char **words = calloc(own + count + 1, sizeof *words);
    for (size_t i = 0; words && i < own + count; i++)
        words[i] = i < own ? command->argv[i] : more[i - own];
    return words;
}

/* "NAME=FOLDER", before what the variable has for the program itself, as PYTHONPATH may have. */
static void name_folder(const struct lauka_adapter *adapter, const struct lauka_command *command,
                        const char *folder, char *text, size_t size)
{
    size_t length = strlen(adapter->folder_in);
    const char *old = adapter->furnish ? getenv(adapter->folder_in) : NULL;

    for (char **own = command->environment; adapter->furnish && own && *own; own++)
        if (strncmp(*own, adapter->folder_in, length) == 0 && (*own)[length] == '=')
            old = *own + length + 1;
    snprintf(text, size, "%s=%s%s%s", adapter->folder_in, folder, old && *old ? ":" : "",
             old ? old : "");
}

/* What failed may stand in what it wrote to stdout. */
static void recall(struct lauka_process *process, const struct lauka_adapter *adapter)
{
    bool cut = adapter->is_through && process->text && !adapter->is_through(process->text);

    if (process->text && adapter->telling != LAUKA_TELLS_STDERR && (process->status != 0 || cut))
        lauka_process_recall(process, process->text, adapter->telling == LAUKA_TELLS_STDOUT);
}

static bool run(struct lauka_process *process, struct lauka_launcher *launcher,
                const struct lauka_adapter *adapter, const struct lauka_command *command,
                char **more, const char *folder, uint64_t until_ns, char *why, size_t size)
{
    char variable[4096] = "";
    const char *const variables[] = {variable, NULL};
    char **words = more ? join_words(command, more) : NULL;

    if (adapter->folder_in)
        name_folder(adapter, command, folder, variable, sizeof variable);
    int failure = words ? lauka_process_start(process, launcher, command, words,
                                              adapter->folder_in ? variables : NULL, false, NULL)
                        : ENOMEM;
    free(words);
    if (failure) {
        snprintf(why, size, "could not be started: %s", strerror(failure));
        return false;
    }
    enum lauka_talk talk = lauka_process_read(process, until_ns);
    if (talk == LAUKA_TALK_DONE) {
        lauka_process_end(process, until_ns);
        recall(process, adapter);
        return true;
    }
    lauka_talk_describe(talk, process, why, size);
    return false;
}

bool lauka_written_run(struct lauka_process *process, struct lauka_launcher *launcher,
                       const struct lauka_adapter *adapter, const struct lauka_command *command,
                       char **(*words)(const struct lauka_inner_request *request),
                       struct lauka_inner_request request, uint64_t until_ns, char **text,
                       char *why, size_t size)
{
    char folder[LAUKA_FOLDER_SIZE] = "";
    int failure = adapter->folder_in ? lauka_folder_make("suite", folder) : 0;

    request.folder = folder;
    if (!failure && adapter->furnish)
        failure = adapter->furnish(&request);
    if (failure) {
        snprintf(why, size, "needs a folder for what it writes: %s", strerror(failure));
        remove_folder(folder);
        return false;
    }
    char **more = words(&request);
    bool good = run(process, launcher, adapter, command, more, folder, until_ns, why, size);
    lauka_strings_free(more);
    *text = good && adapter->gather ? adapter->gather(folder) : NULL;
    if (good && (!*text || !**text)) { /* then it is stdout */
        free(*text);
        *text = process->text;
        process->text = NULL;
    }
    remove_folder(folder);
    if (good && !*text)
        snprintf(why, size, "%s", strerror(ENOMEM));
    return good && *text;
}
