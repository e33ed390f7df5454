/* The documents beside the table: files opened before anything runs, written when all is known. */
#include "runner/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *option; /* as in runner/option_table.c */
    int (*write)(const struct lauka_result *result, FILE *out);
} documents[LAUKA_DOCUMENTS] = {
    [LAUKA_DOCUMENT_JSON] = {"json", lauka_write_json},
    [LAUKA_DOCUMENT_CSV] = {"csv", lauka_write_csv},
    [LAUKA_DOCUMENT_MARKDOWN] = {"markdown", lauka_write_markdown},
    [LAUKA_DOCUMENT_HTML] = {"html", lauka_write_html},
    [LAUKA_DOCUMENT_JUNIT] = {"junit", lauka_write_junit},
};

static bool open_file(struct lauka_outputs *outputs, size_t document, struct lauka_error *error)
{
    const char *path = outputs->wanted[document].path;

    if (!outputs->wanted[document].wanted)
        return true;
    if (!path) {
        outputs->files[document] = stdout;
        return true;
    }
    int descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor >= 0)
        outputs->files[document] = fdopen(descriptor, "w");
    return outputs->files[document] ||
           lauka_fail(error, LAUKA_EXIT_USAGE, "--%s=%.300s: %s", documents[document].option, path,
                      strerror(errno));
}

bool lauka_outputs_open(struct lauka_outputs *outputs, const struct lauka_options *options,
                        struct lauka_error *error)
{
    *outputs = (struct lauka_outputs){.wanted = options->outputs};
    for (size_t i = 0; i < LAUKA_DOCUMENTS; i++)
        if (!open_file(outputs, i, error))
            return false;
    return true;
}

/* Only a plain file has old content to cut off. */
static int empty_file(FILE *file)
{
    struct stat about;

    if (fstat(fileno(file), &about) != 0 || !S_ISREG(about.st_mode))
        return 0;
    return ftruncate(fileno(file), 0) == 0 ? 0 : errno;
}

static bool write_file(struct lauka_outputs *outputs, size_t document,
                       const struct lauka_result *result, struct lauka_error *error)
{
    FILE *file = outputs->files[document];
    bool is_stdout = file == stdout;
    int failure = is_stdout ? 0 : empty_file(file);

    if (!failure)
        failure = documents[document].write(result, file);
    if (!is_stdout && fclose(file) != 0 && !failure)
        failure = errno;
    outputs->files[document] = NULL;
    return !failure ||
           lauka_fail(error, LAUKA_EXIT_INTERNAL, "--%s=%.300s: %s", documents[document].option,
                      is_stdout ? "-" : outputs->wanted[document].path, strerror(failure));
}

bool lauka_outputs_write(struct lauka_outputs *outputs, const struct lauka_result *result,
                         struct lauka_error *error)
{
    struct lauka_error further;
    bool good = true;

    for (size_t i = 0; i < LAUKA_DOCUMENTS; i++) {
        if (!outputs->files[i] || write_file(outputs, i, result, good ? error : &further))
            continue;
        if (!good)
            lauka_error_print(&further);
        good = false;
    }
    return good;
}

bool lauka_outputs_take_stdout(const struct lauka_options *options)
{
    for (size_t i = 0; i < LAUKA_DOCUMENTS; i++)
        if (options->outputs[i].wanted && !options->outputs[i].path)
            return true;
    return false;
}
