/* The documents beside the table: files opened before anything runs, written when all is known. */
#include "runner/subcommands/subcommands.h"
#include "report/ci/ci.h"
#include "report/csv/csv.h"
#include "report/exports/exports.h"
#include "report/history/history.h"
#include "report/html/html.h"
#include "report/json/json.h"
#include "report/markdown/markdown.h"
#include "report/pack/pack.h"
#include "report/result/result.h"
#include "report/terminal/terminal.h"
#include "report/text/prose.h"
#include "report/text/text.h"
#include "report/words/why.h"
#include "runner/base/base.h"
#include "runner/options.h"
#include "runner/options/table.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h> /* getentropy(3) of musl */

/* ---- GitHub's runner reads commands from lines that begin with :: ----------------------------- */

enum { SUMMARY_MOST = 1 << 20 }; /* bytes that GitHub takes of a step's summary */

/* Between the two, no line of stdout is a command to GitHub's runner, whoever wrote it. They cannot know
 * the token. */
static void begin_text(char token[33])
{
    uint64_t random[2] = {lauka_now_ns(), (uint64_t)getpid()};

    (void)!getentropy(random, sizeof random);
    snprintf(token, 33, "%016" PRIx64 "%016" PRIx64, random[0], random[1]);
    printf("::stop-commands::%s\n", token);
}

/* Opens the step's summary, which GITHUB_STEP_SUMMARY names. */
static bool open_summary(struct lauka_outputs *outputs, struct lauka_error *error)
{
    const char *path = getenv("GITHUB_STEP_SUMMARY");
    struct stat about;

    if (!path || !*path) {
        if (!outputs->options->quiet)
            fputs("lauka: --github: GITHUB_STEP_SUMMARY is not set, so there will be no summary\n",
                  stderr);
        return true;
    }
    int descriptor = lauka_own_file_open(path, O_APPEND);
    if (descriptor >= 0)
        outputs->summary = fdopen(descriptor, "a");
    if (!outputs->summary || fstat(descriptor, &about) != 0)
        return lauka_misuse(error, "--github: %.300s, the step's summary: %s", path,
                            lauka_own_file_error(errno));
    uint64_t held = S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
    outputs->summary_room = held < SUMMARY_MOST ? SUMMARY_MOST - (size_t)held : 0;
    return true;
}

static bool write_summary(struct lauka_outputs *outputs, const struct lauka_session *session,
                          struct lauka_error *error)
{
    if (!outputs->summary)
        return true;
    int failure = lauka_write_step_summary(session, outputs->summary_room, outputs->summary);
    if (fclose(outputs->summary) != 0 && !failure)
        failure = errno;
    outputs->summary = NULL;
    if (failure == EFBIG)
        return lauka_fail(error, LAUKA_EXIT_INTERNAL,
                          "--github: the step's summary holds 1 MiB, and there is no room left");
    return !failure || lauka_fail(error, LAUKA_EXIT_INTERNAL, "--github: the step's summary: %s",
                                  strerror(failure));
}

/* ---- what a comment on a pull request is known by --------------------------------------------- */

/* The next one replaces it. */

/* The path within the repository, whose folder has a .git; the whole one where there is none. */
static const char *within_repository(const char *path)
{
    char git[PATH_MAX + 8];

    for (size_t length = strlen(path); length > 0; length--) {
        snprintf(git, sizeof git, "%.*s/.git", (int)length, path);
        if (path[length] == '/' && access(git, F_OK) == 0)
            return path + length + 1;
    }
    return path;
}

/* --comment-id, or the path within its repository of the file whose sections are the
 * benchmarks. Owned by the caller; NULL if there is neither, or no memory. */
static char *find_comment_id(const struct lauka_options *options)
{
    char whole[PATH_MAX];

    if (options->write.comment_id)
        return strdup(options->write.comment_id);
    if (!options->write.config_path)
        return NULL;
    return strdup(realpath(options->write.config_path, whole) ? within_repository(whole)
                                                              : options->write.config_path);
}

/* ---- the documents ---------------------------------------------------------------------------- */

static const struct {
    int (*write)(const struct lauka_session *session, FILE *out); /* NULL: see fill_document */
    bool tells_failures; /* has something to say where nothing was measured */
} documents[LAUKA_DOCUMENTS] = {
    [LAUKA_DOCUMENT_JSON] = {lauka_write_json_session, false},
    [LAUKA_DOCUMENT_ANSWER] = {NULL, true}, /* of some metrics, or all */
    [LAUKA_DOCUMENT_CSV] = {lauka_write_csv_session, false},
    [LAUKA_DOCUMENT_CSV_PERCENTILES] = {lauka_write_csv_percentiles_session, false},
    [LAUKA_DOCUMENT_CSV_SAMPLES] = {lauka_write_csv_samples_session, false},
    [LAUKA_DOCUMENT_MARKDOWN] = {lauka_write_markdown, false},
    [LAUKA_DOCUMENT_ASCIIDOC] = {lauka_write_asciidoc, false},
    [LAUKA_DOCUMENT_ORG] = {lauka_write_org, false},
    [LAUKA_DOCUMENT_PR_COMMENT] = {NULL, true}, /* has a name of its own */
    [LAUKA_DOCUMENT_HTML] = {lauka_write_html, false},
    [LAUKA_DOCUMENT_BMF] = {lauka_write_bmf, false},
    [LAUKA_DOCUMENT_GITHUB_BENCHMARK] = {lauka_write_github_benchmark, false},
    [LAUKA_DOCUMENT_GO_BENCHMARK] = {lauka_write_go_benchmark, false},
    [LAUKA_DOCUMENT_JUNIT] = {lauka_write_junit, true},
    [LAUKA_DOCUMENT_HLOG] = {lauka_write_hlog, false},
    [LAUKA_DOCUMENT_HGRM] = {NULL, false}, /* of one command */
};

/* The name of its option. */
static const char *name_of(size_t document)
{
    return option_row_of(OPTION_DOCUMENT + (int)document)->name;
}

static const char *path_of(const struct lauka_outputs *outputs, size_t document)
{
    const char *path = outputs->options->write.outputs[document].path;

    return path ? path : "-";
}

/* Returns 0, an errno, ENODATA if single runs are needed, ERANGE if there is no such command, EDOM if it
 * cannot hold several benchmarks. */
static int fill_document(const struct lauka_outputs *outputs, size_t document,
                         const struct lauka_session *session, FILE *out)
{
    uint64_t number = outputs->options->write.hgrm_command;

    if (outputs->history)
        return document == LAUKA_DOCUMENT_JSON
                   ? lauka_history_write_json(outputs->history, out)
                   : lauka_history_write_html(outputs->history, outputs->options->write.commit_url,
                                              out);
    if (document == LAUKA_DOCUMENT_PR_COMMENT)
        return lauka_write_pr_comment(session, outputs->comment_id, out);
    if (document == LAUKA_DOCUMENT_ANSWER)
        return lauka_write_answers(session, outputs->options->write.answers_all, out);
    if (document != LAUKA_DOCUMENT_HGRM)
        return documents[document].write(session, out);
    if (session->benchmark_count > 1)
        return EDOM;
    return lauka_write_percentile_file(session->benchmarks, number > 0 ? number - 1 : 0, out);
}

/* The JSON, where its name asks for that. */
static bool is_zipped(const struct lauka_outputs *outputs, size_t document)
{
    const char *path = path_of(outputs, document);
    size_t length = strlen(path);

    return document == LAUKA_DOCUMENT_JSON && length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

static int write_document(const struct lauka_outputs *outputs, size_t document,
                          const struct lauka_session *session, FILE *out)
{
    if (!is_zipped(outputs, document))
        return fill_document(outputs, document, session, out);
    FILE *gzip = lauka_gzip_open(out);
    int failure = gzip ? fill_document(outputs, document, session, gzip) : ENOMEM;
    errno = 0;
    int lost = gzip && fclose(gzip) != 0 ? errno ? errno : EIO : 0;
    return failure ? failure : lost;
}

/* ---- before anything runs ------------------------------------------------------------------------ */

static bool refuse(const struct lauka_outputs *outputs, size_t document, const char *why,
                   struct lauka_error *error)
{
    return lauka_misuse(error, "--%s=%.300s: %s", name_of(document), path_of(outputs, document),
                        why);
}

/* Whether an empty file could not get a single byte: a full disk usually stays full. */
static bool is_full(int descriptor, const struct stat *about)
{
    struct statvfs room;

    if (!S_ISREG(about->st_mode) || about->st_size > 0 || fstatvfs(descriptor, &room) != 0)
        return false;
    return room.f_blocks > 0 && (geteuid() == 0 ? room.f_bfree : room.f_bavail) == 0;
}

/* Two documents in one plain file would be neither. */
static bool is_taken(const struct lauka_outputs *outputs, size_t document, const struct stat *about)
{
    struct stat other;

    for (size_t i = 0; i < document && S_ISREG(about->st_mode); i++)
        if (outputs->files[i] && fstat(fileno(outputs->files[i]), &other) == 0 &&
            other.st_dev == about->st_dev && other.st_ino == about->st_ino)
            return true;
    return false;
}

static bool check_file(const struct lauka_outputs *outputs, size_t document,
                       struct lauka_error *error)
{
    struct stat about;
    int descriptor = fileno(outputs->files[document]);

    if (fstat(descriptor, &about) != 0)
        return refuse(outputs, document, strerror(errno), error);
    if (is_full(descriptor, &about))
        return refuse(outputs, document, strerror(ENOSPC), error);
    return !is_taken(outputs, document, &about) ||
           refuse(outputs, document, "is also the file of another document", error);
}

/* NULL, with errno. wait: for a FIFO, until somebody reads it. */
static FILE *open_named(struct lauka_outputs *outputs, size_t document, bool wait)
{
    const char *path = path_of(outputs, document);
    int descriptor = lauka_own_file_open(path, O_EXCL);

    outputs->created[document] = descriptor >= 0;
    if (descriptor < 0)
        descriptor = wait ? lauka_own_file_await(path, name_of(document))
                          : lauka_own_file_open(path, O_NONBLOCK);
    return descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
}

static bool open_file(struct lauka_outputs *outputs, size_t document, struct lauka_error *error)
{
    const struct lauka_output *wanted = &outputs->options->write.outputs[document];

    if (!wanted->wanted)
        return true;
    if (!wanted->path) {
        outputs->files[document] = stdout;
        return true;
    }
    outputs->files[document] = open_named(outputs, document, true);
    if (outputs->files[document])
        return check_file(outputs, document, error);
    if (errno == EINTR && lauka_interrupt_signal())
        return lauka_fail(error, lauka_interrupt_exit(),
                          "--%s=%.300s: interrupted while waiting for a reader; nothing was run",
                          name_of(document), path_of(outputs, document));
    bool full = errno == EMFILE || errno == ENFILE; /* whatever the name is */
    refuse(outputs, document, lauka_own_file_error(errno), error);
    if (full)
        error->code = LAUKA_EXIT_INTERNAL;
    return false;
}

/* Opened onto nothing by lauka_guard_descriptors, or by somebody who should not have. */
static bool check_stdout(struct lauka_error *error)
{
    int flags = fcntl(STDOUT_FILENO, F_GETFL);

    return (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY) ||
           lauka_fail(error, LAUKA_EXIT_INTERNAL, "cannot write to stdout: it is closed");
}

/* ---- afterwards ---------------------------------------------------------------------------------- */

/* Whether the name leads to the file that is open. */
static bool is_named(const struct lauka_outputs *outputs, size_t document)
{
    struct stat about, named;

    return fstat(fileno(outputs->files[document]), &about) == 0 &&
           stat(path_of(outputs, document), &named) == 0 && named.st_dev == about.st_dev &&
           named.st_ino == about.st_ino;
}

/* Returns 0, or an errno: something was not written after all. */
static int close_file(struct lauka_outputs *outputs, size_t document)
{
    FILE *file = outputs->files[document];
    bool ours = file && file != stdout;
    bool goes = ours && outputs->created[document] && is_named(outputs, document);
    int lost = ours && fclose(file) != 0 ? errno : 0;

    if (goes)
        unlink(path_of(outputs, document));
    outputs->files[document] = NULL;
    return lost;
}

/* Closes what was not written, and removes files that lauka made and left empty. */
static void close_outputs(struct lauka_outputs *outputs)
{
    for (size_t i = 0; i < LAUKA_DOCUMENTS; i++)
        (void)close_file(outputs, i);
    if (outputs->summary)
        fclose(outputs->summary);
    outputs->summary = NULL;
    free(outputs->comment_id);
    outputs->comment_id = NULL;
}

bool lauka_outputs_open(struct lauka_outputs *outputs, const struct lauka_options *options,
                        struct lauka_error *error)
{
    *outputs = (struct lauka_outputs){.options = options, .comment_id = find_comment_id(options)};
    bool good = check_stdout(error);
    for (size_t i = 0; i < LAUKA_DOCUMENTS && good; i++)
        good = open_file(outputs, i, error);
    if (good && options->write.github)
        good = open_summary(outputs, error);
    if (!good)
        close_outputs(outputs);
    return good;
}

/* A command may have removed the file, or replaced it: the name counts. Only a plain file is looked up
 * again; the content of a pipe is already with its reader. Returns 0 or an errno. */
static int find_again(struct lauka_outputs *outputs, size_t document)
{
    struct stat about;
    FILE *old = outputs->files[document];

    if (fstat(fileno(old), &about) != 0 || !S_ISREG(about.st_mode) || is_named(outputs, document))
        return 0;
    FILE *file = open_named(outputs, document, false); /* a pipe now, maybe that nobody reads */
    if (!file)
        return errno;
    fclose(old);
    outputs->files[document] = file;
    return 0;
}

/* A file beside the document's, with its mode; NULL if that is impossible, or if the document is not a
 * plain file of ours with one name. `path` gets its name. */
static FILE *open_beside(const struct lauka_outputs *outputs, size_t document, char path[4096])
{
    struct stat about, named;
    const char *own = path_of(outputs, document);

    if (fstat(fileno(outputs->files[document]), &about) != 0 || !S_ISREG(about.st_mode) ||
        about.st_uid != geteuid() || about.st_nlink != 1 || lstat(own, &named) != 0 ||
        named.st_ino != about.st_ino || named.st_dev != about.st_dev ||
        snprintf(path, 4096, "%s.XXXXXX", own) >= 4096)
        return NULL;
    int descriptor = mkstemp(path);
    if (descriptor < 0)
        return NULL;
    FILE *file = fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 &&
                         fchown(descriptor, (uid_t)-1, about.st_gid) == 0 &&
                         fchmod(descriptor, about.st_mode & 07777) == 0
                     ? fdopen(descriptor, "w")
                     : NULL;
    if (!file) {
        close(descriptor);
        unlink(path);
    }
    return file;
}

/* Onto the disk, so that the name never leads to a file that a crash of the machine has emptied. Returns 0
 * or an errno. */
static int settle(int descriptor)
{
    if (fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP) /* no such thing here */
        return 0;
    return errno;
}

/* Writes the whole document, then gives it its name: readers find either the old one or the new one.
 * Returns 0, or an errno; then the old one is still there. */
static int replace(struct lauka_outputs *outputs, size_t document,
                   const struct lauka_session *session)
{
    char path[4096];
    FILE *file = open_beside(outputs, document, path);

    if (!file)
        return ENOTSUP;
    int failure = write_document(outputs, document, session, file);
    if (!failure)
        failure = settle(fileno(file));
    if (!failure && rename(path, path_of(outputs, document)) != 0)
        failure = errno;
    if (failure) {
        fclose(file);
        unlink(path);
        return failure;
    }
    fclose(outputs->files[document]);
    outputs->files[document] = file;
    outputs->created[document] = false; /* it holds something now */
    return 0;
}

static bool is_file(const struct lauka_outputs *outputs, size_t document)
{
    return outputs->files[document] && outputs->files[document] != stdout;
}

bool lauka_outputs_can_be_kept(const struct lauka_outputs *outputs)
{
    for (size_t i = 0; i < LAUKA_DOCUMENTS; i++)
        if (is_file(outputs, i))
            return true;
    return false;
}

void lauka_outputs_keep(struct lauka_outputs *outputs, const struct lauka_session *session)
{
    for (size_t i = 0; i < LAUKA_DOCUMENTS; i++)
        if (is_file(outputs, i) && find_again(outputs, i) == 0)
            (void)replace(outputs, i, session);
}

/* Returns 0 or an errno. */
static int put_bytes(int descriptor, const char *bytes, size_t size, off_t offset)
{
    while (size > 0) {
        ssize_t count = pwrite(descriptor, bytes, size, offset);
        if (count < 0 && errno != EINTR)
            return errno;
        if (count <= 0)
            continue;
        bytes += count;
        size -= (size_t)count;
        offset += count;
    }
    return 0;
}

/* What exceeds the old content is written first: if there is no room for it, the old content is still
 * there. Returns 0 or an errno. */
static int overwrite(int descriptor, const char *bytes, size_t size)
{
    struct stat old;

    if (fstat(descriptor, &old) != 0)
        return errno;
    size_t within = (uintmax_t)old.st_size < size ? (size_t)old.st_size : size;
    int failure = put_bytes(descriptor, bytes + within, size - within, (off_t)within);
    if (failure) {
        (void)!ftruncate(descriptor, old.st_size);
        return failure;
    }
    failure = put_bytes(descriptor, bytes, within, 0);
    return failure || ftruncate(descriptor, (off_t)size) == 0 ? failure : errno;
}

/* If the document cannot be replaced: writes into the file itself, which may have several names or not be
 * a plain one. Returns 0 or an errno. */
static int write_in_place(const struct lauka_outputs *outputs, size_t document,
                          const struct lauka_session *session)
{
    FILE *file = outputs->files[document];
    struct stat about;
    char *bytes = NULL;
    size_t size = 0;

    if (file == stdout || fstat(fileno(file), &about) != 0 || !S_ISREG(about.st_mode))
        return write_document(outputs, document, session, file);
    FILE *memory = open_memstream(&bytes, &size);
    if (!memory)
        return errno;
    int failure = write_document(outputs, document, session, memory);
    if (fclose(memory) != 0 && !failure)
        failure = errno;
    if (!failure)
        failure = overwrite(fileno(file), bytes, size);
    if (!failure)
        failure = settle(fileno(file));
    free(bytes);
    return failure;
}

/* "-", and names of it: /dev/stdout. */
static bool leads_to_stdout(FILE *file)
{
    struct stat about, out;

    return file == stdout || (fstat(fileno(file), &about) == 0 && fstat(STDOUT_FILENO, &out) == 0 &&
                              about.st_ino == out.st_ino && about.st_dev == out.st_dev);
}

static bool write_file(struct lauka_outputs *outputs, size_t document,
                       const struct lauka_session *session, struct lauka_error *error)
{
    const bool is_stdout = outputs->files[document] == stdout,
               to_stdout = leads_to_stdout(outputs->files[document]);
    int failure = is_stdout ? 0 : find_again(outputs, document);

    if (!failure && (is_stdout || replace(outputs, document, session) != 0))
        failure = write_in_place(outputs, document, session);
    outputs->created[document] &= failure != 0;
    int lost = close_file(outputs, document);
    if (!failure)
        failure = lost;
    if (failure == EPIPE && to_stdout)
        return lauka_fail_stdout(error, failure);
    return !failure ||
           lauka_fail(error,
                      failure == ENODATA || failure == ERANGE || failure == EDOM
                          ? LAUKA_EXIT_USAGE
                          : LAUKA_EXIT_INTERNAL,
                      "--%s=%.300s: %s", name_of(document), path_of(outputs, document),
                      failure == ENODATA  ? "single runs were not kept"
                      : failure == EDOM   ? "holds one benchmark: choose it with --benchmark"
                      : failure == ERANGE ? "--hgrm-command: there are fewer commands"
                                          : lauka_own_file_error(failure));
}

/* So that nobody takes it for this session's. */
static void note_stale(const struct lauka_outputs *outputs, size_t document)
{
    struct stat about;
    struct lauka_error note;

    if (outputs->files[document] == stdout ||
        fstat(fileno(outputs->files[document]), &about) != 0 || !S_ISREG(about.st_mode) ||
        about.st_size == 0)
        return;
    lauka_fail(&note, LAUKA_EXIT_INTERNAL, "--%s=%.300s is unchanged: this session has no result",
               name_of(document), path_of(outputs, document));
    lauka_error_print(&note);
}

bool lauka_outputs_write(struct lauka_outputs *outputs, const struct lauka_session *session,
                         bool failures_only, struct lauka_error *error)
{
    struct lauka_error further;
    bool good = true;

    for (size_t i = 0; i <= LAUKA_DOCUMENTS; i++) {
        struct lauka_error *own = good ? error : &further;
        bool is_summary = i == LAUKA_DOCUMENTS;
        if (failures_only && !is_summary && outputs->files[i] && !documents[i].tells_failures) {
            note_stale(outputs, i);
            continue;
        }
        if (is_summary ? write_summary(outputs, session, own)
                       : !outputs->files[i] || write_file(outputs, i, session, own))
            continue;
        if (!good)
            lauka_error_print(&further);
        good = false;
    }
    close_outputs(outputs);
    return good;
}

/* ---- the screen ---------------------------------------------------------------------------------- */

/* Returns 0 or an errno. */
static int write_one(const struct lauka_options *options, const struct lauka_result *result,
                     bool in_full, struct lauka_terminal terminal, FILE *out)
{
    int failure = in_full ? lauka_write_table(result, terminal, out)
                          : lauka_write_screen(result, terminal, out);

    if (!failure)
        failure = lauka_write_hosts(result, terminal, out);
    if (!failure)
        failure = lauka_write_why(result, in_full, terminal, out);
    if (!failure && options->write.percentiles)
        failure = lauka_write_percentiles(result, terminal, out);
    if (!failure && options->write.plot)
        failure = lauka_write_plot(result, terminal, out);
    return failure;
}

static void put_heading(const char *name, bool follows, struct lauka_terminal terminal, FILE *out)
{
    char *safe = lauka_safe_text(name, terminal.utf8);

    fputs(follows ? "\n" : "", out);
    lauka_put_styled(safe ? safe : "?", LAUKA_STYLE_HEADING, terminal, out);
    fputc('\n', out);
    free(safe);
}

/* One benchmark of many, which the overview mentions. Its text begins with an empty line. */
static int write_why(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out)
{
    if (!lauka_result_tells_why(result))
        return 0;
    if (result->benchmark.name)
        put_heading(result->benchmark.name, true, terminal, out);
    return lauka_write_why(result, false, terminal, out);
}

/* Whether --full asks for it: all of them, or those of a name. */
static bool is_in_full(const struct lauka_options *options, const char *name)
{
    const char *full = options->write.full;

    return full && (!*full || (name && (strcmp(full, name) == 0 || fnmatch(full, name, 0) == 0)));
}

/* Returns 0 or an errno. */
static int write_tables(const struct lauka_options *options, const struct lauka_session *session,
                        struct lauka_terminal terminal, FILE *out)
{
    const bool several = session->benchmark_count > 1;
    int failure = several ? lauka_write_overview(session, terminal, out) : 0;

    for (size_t b = 0; b < session->benchmark_count && !failure; b++) {
        const struct lauka_result *result = &session->benchmarks[b];
        bool in_full = is_in_full(options, result->benchmark.name);
        if (result->run.rounds == 0)
            continue;
        if (several && !in_full) {
            failure = write_why(result, terminal, out);
            continue;
        }
        if (result->benchmark.name) {
            put_heading(result->benchmark.name, several, terminal, out);
            fputc('\n', out);
        }
        failure = write_one(options, result, in_full, terminal, out);
    }
    return failure;
}

/* In memory first: no line is wider than the terminal, whoever made it. */
static bool write_table(const struct lauka_options *options, const struct lauka_session *session,
                        struct lauka_error *error)
{
    const struct lauka_terminal terminal =
        lauka_terminal_detect(STDOUT_FILENO, options->write.color);
    struct lauka_prose prose = lauka_prose_begin(stdout, terminal);

    lauka_prose_capture(&prose);
    if (prose.out)
        lauka_prose_fail(&prose, write_tables(options, session, terminal, prose.out));
    lauka_put_folded(&prose, lauka_prose_captured(&prose));
    int failure = lauka_prose_end(&prose);
    return !failure || lauka_fail_stdout(error, failure);
}

/* GitHub's runner takes nothing in the table for a command. */
bool lauka_outputs_show(const struct lauka_options *options, const struct lauka_session *session,
                        struct lauka_error *error)
{
    char token[33];

    if (!options->write.github)
        return write_table(options, session, error);
    begin_text(token);
    bool good = write_table(options, session, error);
    printf("::%s::\n", token);
    return good;
}
