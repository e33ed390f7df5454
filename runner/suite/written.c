/* A process that writes what it found: on stdout, or into files of a folder that is its own. */
#include "runner/suite/suite.h"
#include "runner/base/base.h"
#include "runner/command/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What a framework writes about one benchmark, or about all. */
enum { FILE_MOST = 64 << 20 };

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

/* All of the stream, with a 0 behind it; owned. NULL, with errno, if it is too large or cannot be read. */
static char *read_text(FILE *file)
{
    struct stat about;
    size_t size = fstat(fileno(file), &about) == 0 ? (size_t)about.st_size : 0;
    char *text = size < FILE_MOST ? malloc(size + 1) : NULL;

    if (size >= FILE_MOST)
        errno = EFBIG;
    if (!text)
        return NULL;
    size = fread(text, 1, size, file);
    text[size] = '\0';
    return text;
}

char *lauka_adapter_read_file(const char *folder, const char *name, char *why, size_t size)
{
    char path[4400];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = lauka_file_stream(path);
    char *text = file ? read_text(file) : NULL;
    if (!text && errno != ENOENT)
        snprintf(why, size, "left a %s that cannot be read: %s", name,
                 errno == EINVAL ? "it is not a plain file" : strerror(errno));
    if (file)
        fclose(file);
    return text;
}

/* ---- folders ---------------------------------------------------------------------------------------- */

static void remove_folder(const char *folder)
{
    struct lauka_error note;

    if (!*folder || lauka_tree_remove(folder))
        return;
    lauka_fail(&note, LAUKA_EXIT_DONE,
               "%.400s, a folder for the program's files, cannot be removed: %s", folder,
               strerror(errno));
    lauka_note_print(&note);
}

/* ---- the process ------------------------------------------------------------------------------------ */

/* "NAME=FOLDER", before what the variable has for the program itself, as PYTHONPATH may have. Owned; NULL without
 * memory. */
static char *name_folder(const struct lauka_adapter *adapter, const struct lauka_command *command,
                         const char *folder)
{
    size_t length = strlen(adapter->folder_in);
    char *text = NULL;
    const char *old = adapter->furnish ? getenv(adapter->folder_in) : NULL;

    for (char **own = command->environment; adapter->furnish && own && *own; own++)
        if (strncmp(*own, adapter->folder_in, length) == 0 && (*own)[length] == '=')
            old = *own + length + 1;
    if (asprintf(&text, "%s=%s%s%s", adapter->folder_in, folder, old && *old ? ":" : "",
                 old ? old : "") < 0)
        return NULL;
    return text;
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
    char **words =
        more ? lauka_words_join((const char *const *)command->argv, (const char *const *)more)
             : NULL;
    char *variable = adapter->folder_in ? name_folder(adapter, command, folder) : NULL;
    const char *const variables[] = {variable, NULL};
    int failure =
        words && (variable || !adapter->folder_in)
            ? lauka_process_start(process, launcher, command, words, variables, false, NULL)
            : ENOMEM;

    free(words);
    free(variable);
    if (failure) {
        snprintf(why, size, "could not be started: %s", strerror(failure));
        return false;
    }
    enum lauka_talk talk = lauka_process_read(process, until_ns);
    /* Before its files are read and removed: it might go on writing them. */
    lauka_process_end(process, talk == LAUKA_TALK_DONE ? until_ns : 0);
    if (talk == LAUKA_TALK_DONE)
        recall(process, adapter);
    else
        lauka_talk_describe(talk, process, why, size);
    return talk == LAUKA_TALK_DONE;
}

/* What it wrote into its folder; what it wrote to stdout, if there is nothing. NULL without memory, or with *why. */
static char *gather(struct lauka_process *process, const struct lauka_adapter *adapter,
                    const char *folder, char *why, size_t size)
{
    char *text = adapter->gather ? adapter->gather(folder, why, size) : NULL;

    if (!*why && ((text && *text) || (adapter->gather && !text)))
        return text;
    free(text);
    if (*why)
        return NULL;
    text = process->text;
    process->text = NULL;
    process->size = 0;
    return text;
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
    *why = good ? '\0' : *why;
    *text = good ? gather(process, adapter, folder, why, size) : NULL;
    remove_folder(folder);
    if (good && !*text && !*why)
        snprintf(why, size, "%s", strerror(ENOMEM));
    return good && *text;
}
