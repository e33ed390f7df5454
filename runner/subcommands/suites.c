/* Suites of a file of options, one after the other, each in a process of its own, so that none finds
 * anything that another has left in lauka's memory; what they write becomes one document of each. */
#include "runner/subcommands/subcommands.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/launch/process.h"
#include "runner/options.h"
#include "runner/options/options.h"
#include "runner/options/table.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct suites {
    const struct lauka_options *options; /* of the first one: where documents go */
    char folder[64];                     /* where those of one suite go */
    FILE *files[LAUKA_DOCUMENTS];        /* NULL: not wanted */
    bool grows[LAUKA_DOCUMENTS];         /* the file can be written while a suite runs */
    bool begun[LAUKA_DOCUMENTS];         /* a suite that has ended is in it */
    long ended[LAUKA_DOCUMENTS];         /* there the suites that have ended end, where it grows */
    size_t count;                        /* suites that have ended */
};

/* ---- one document of several ------------------------------------------------------------------------- */

static void copy(FILE *from, FILE *to)
{
    char chunk[4096];
    size_t count;

    while ((count = fread(chunk, 1, sizeof chunk, from)) > 0)
        fwrite(chunk, 1, count, to);
}

/* Its envelope is text, not a document of report/json: while suites run, each result is copied as it was
 * written, which may be long, and the file is a whole document at any time. */
static void join_json(FILE *from, const char *suite, bool is_first, FILE *to)
{
    fputs(is_first ? "{\"schema\": \"lauka-suites/1.0\",\n\"suites\": [\n{\"name\": "
                   : ",\n{\"name\": ",
          to);
    lauka_print_json_text(suite, to);
    fputs(", \"result\": ", to);
    copy(from, to);
    fputc('}', to);
}

static void put_csv_text(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

/* A column in front says which suite a row is of. The first title line is kept, and others as they are
 * where columns differ. */
static void join_csv(FILE *from, const char *suite, bool is_first, FILE *to)
{
    bool begins = true, quoted = false, is_title = true;
    int c;

    if (!is_first) /* the same titles, or nearly: a reader of CSV wants one line of them */
        while ((c = getc(from)) != EOF && c != '\n')
            ;
    is_title = is_first;
    while ((c = getc(from)) != EOF) {
        if (begins && is_title)
            fputs("suite,", to);
        else if (begins) {
            put_csv_text(suite, to);
            fputc(',', to);
        }
        quoted ^= c == '"';
        begins = c == '\n' && !quoted;
        is_title = is_title && !begins;
        putc(c, to);
    }
}

static void join_markdown(FILE *from, const char *suite, bool is_first, FILE *to)
{
    fputs(is_first ? "## " : "\n## ", to);
    lauka_print_safely(suite, true, to);
    fputs("\n\n", to);
    copy(from, to);
}

static void join_plain(FILE *from, const char *suite, bool is_first, FILE *to)
{
    (void)suite;
    (void)is_first;
    copy(from, to);
}

static void (*const joins[LAUKA_DOCUMENTS])(FILE *from, const char *suite, bool is_first,
                                            FILE *to) = {
    [LAUKA_DOCUMENT_JSON] = join_json,           [LAUKA_DOCUMENT_CSV] = join_csv,
    [LAUKA_DOCUMENT_CSV_PERCENTILES] = join_csv, [LAUKA_DOCUMENT_CSV_SAMPLES] = join_csv,
    [LAUKA_DOCUMENT_MARKDOWN] = join_markdown,   [LAUKA_DOCUMENT_GO_BENCHMARK] = join_plain,
};

/* CSV keeps the bytes of names, which may act on a terminal; its lines do not. Other documents have no
 * such bytes. */
static void join_for_terminal(FILE *from, const char *suite, bool is_first, FILE *to)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);

    if (!memory)
        return;
    join_csv(from, suite, is_first, memory);
    if (fclose(memory) == 0)
        for (char *line = text, *end; line < text + size; line = end + 1) {
            end = line + strcspn(line, "\n");
            line[strcspn(line, "\r\n")] = '\0';
            lauka_print_safely(line, true, to);
            fputs("\r\n", to);
        }
    free(text);
}

static const char *name_of(size_t document)
{
    return option_row_of(OPTION_DOCUMENT + (int)document)->name;
}

static bool open_documents(struct suites *suites, struct lauka_error *error)
{
    for (size_t i = 0; i < LAUKA_DOCUMENTS; i++) {
        const struct lauka_output *wanted = &suites->options->outputs[i];
        if (!wanted->wanted)
            continue;
        if (!joins[i])
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "--%s holds one result only, and these are several suites: give it "
                              "beside commands, without a file of suites",
                              name_of(i));
        int descriptor = wanted->path ? lauka_own_file_await(wanted->path, name_of(i)) : -1;
        suites->files[i] = !wanted->path ? stdout : descriptor < 0 ? NULL : fdopen(descriptor, "w");
        if (!suites->files[i])
            return lauka_fail(error, LAUKA_EXIT_USAGE, "--%s=%.300s: %s", name_of(i), wanted->path,
                              lauka_own_file_error(errno));
        suites->grows[i] = suites->files[i] != stdout && fseek(suites->files[i], 0, SEEK_SET) == 0;
    }
    const char *folder = getenv("TMPDIR");
    snprintf(suites->folder, sizeof suites->folder, "%.40s/lauka-XXXXXX",
             folder && *folder && strlen(folder) <= 40 ? folder : "/tmp");
    return mkdtemp(suites->folder) || lauka_fail(error, LAUKA_EXIT_INTERNAL,
                                                 "no folder for what the suites write, %s: %s; "
                                                 "TMPDIR can name another place",
                                                 suites->folder, strerror(errno));
}

static void path_of(const struct suites *suites, size_t document, char path[128])
{
    snprintf(path, 128, "%s/%zu", suites->folder, document);
}

/* NULL: nothing is known yet. */
static FILE *open_part(const struct suites *suites, size_t document, char path[128])
{
    path_of(suites, document, path);
    FILE *part = fopen(path, "re");
    int first = part ? getc(part) : EOF;

    if (first != EOF)
        ungetc(first, part);
    else if (part)
        fclose(part);
    return first != EOF ? part : NULL;
}

static void put_end(FILE *file, size_t document)
{
    if (document == LAUKA_DOCUMENT_JSON)
        fputs("\n]}\n", file);
}

/* What the suite has written so far stands behind those that have ended, until it has ended too. Who
 * looks meanwhile finds a whole document. */
static void join_document(struct suites *suites, size_t document, const char *suite, bool ended)
{
    FILE *to = suites->files[document], *from;
    char path[128];

    if (!to || (!ended && !suites->grows[document]) || !(from = open_part(suites, document, path)))
        return;
    if (suites->grows[document])
        fseek(to, suites->ended[document], SEEK_SET);
    (joins[document] == join_csv && isatty(fileno(to)) ? join_for_terminal : joins[document])(
        from, suite, !suites->begun[document], to);
    suites->begun[document] |= ended;
    fclose(from);
    if (ended)
        unlink(path);
    if (!suites->grows[document])
        return;
    long here = ftell(to);
    if (ended)
        suites->ended[document] = here;
    put_end(to, document);
    here = ftell(to);
    if (fflush(to) == 0 && here >= 0)
        (void)!ftruncate(fileno(to), here);
}

static void join_documents(struct suites *suites, const char *suite, bool ended)
{
    for (size_t i = 0; i < LAUKA_DOCUMENTS; i++)
        join_document(suites, i, suite, ended);
    suites->count += ended;
}

/* Where no suite has a result: what the file held stays, and what held nothing still is a document. */
static void put_nothing(const struct suites *suites, FILE *json)
{
    struct stat about;

    if (!suites->grows[LAUKA_DOCUMENT_JSON] ||
        (fstat(fileno(json), &about) == 0 && about.st_size == 0))
        fputs("{\"schema\": \"lauka-suites/1.0\", \"suites\": []}\n", json);
}

static bool close_documents(struct suites *suites)
{
    FILE *json = suites->files[LAUKA_DOCUMENT_JSON];
    bool good = true;

    if (json && !suites->begun[LAUKA_DOCUMENT_JSON])
        put_nothing(suites, json);
    else if (json && !suites->grows[LAUKA_DOCUMENT_JSON])
        put_end(json, LAUKA_DOCUMENT_JSON);
    for (size_t i = 0; i < LAUKA_DOCUMENTS; i++)
        if (suites->files[i])
            good = (suites->files[i] == stdout ? fflush(stdout) : fclose(suites->files[i])) == 0 &&
                   good;
    if (suites->folder[0])
        rmdir(suites->folder);
    return good;
}

/* ---- one suite -------------------------------------------------------------------------------------- */

/* In the process of a suite: whose it is. */
static const struct suites *redirected;

void lauka_suites_tie(void)
{
    if (redirected)
        lauka_process_tie();
}

void lauka_suites_redirect(struct lauka_options *options)
{
    static char paths[LAUKA_DOCUMENTS][128];

    for (size_t i = 0; redirected && i < LAUKA_DOCUMENTS; i++) {
        if (!options->outputs[i].wanted)
            continue;
        options->no_table |= !options->outputs[i].path;
        path_of(redirected, i, paths[i]);
        options->outputs[i].path = paths[i];
    }
}

static volatile pid_t running; /* a handler has no other way to know */

/* What the terminal sends reaches the suite without us; an alarm clock is ours alone. */
static void pass_on(int number, siginfo_t *about, void *context)
{
    bool keys = number == SIGINT || number == SIGQUIT || number == SIGHUP;

    (void)context;
    if (running > 0 && (!keys || about->si_code == SI_USER))
        kill(running, number);
}

static void (*own_limit)(int); /* what lauka found of SIGXFSZ, which commands get again */

static void pass_signals_on(void)
{
    size_t count;
    const int *numbers = lauka_interrupt_numbers(&count);
    struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART}, old;

    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < count; i++)
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
}

static void take_signals_back(void)
{
    size_t count;
    const int *numbers = lauka_interrupt_numbers(&count);
    struct sigaction old;

    signal(SIGXFSZ, own_limit);
    for (size_t i = 0; i < count; i++)
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            signal(numbers[i], SIG_DFL);
}

/* Until the other end of the pipe is closed, which the process of the suite alone has. */
static void wait_and_join(struct suites *suites, const char *suite, int end)
{
    enum { INTERVAL_MS = 2000 };
    struct pollfd poller = {.fd = end};
    int ready;

    while ((ready = poll(&poller, 1, INTERVAL_MS)) == 0 || (ready < 0 && errno == EINTR))
        if (ready == 0)
            join_documents(suites, suite, false);
}

/* Its exit code. */
static int run_one(struct suites *suites, const struct lauka_arguments *arguments,
                   const char *suite, int (*run)(const struct lauka_arguments *arguments))
{
    int status = 0, ends[2];

    if (pipe(ends) != 0)
        return LAUKA_EXIT_INTERNAL;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC); /* commands have nothing of it */
    fflush(NULL);                        /* or it would be written twice */
    running = fork();
    if (running == 0) {
        close(ends[0]);
        redirected = suites;
        lauka_suites_tie();
        take_signals_back();
        exit(run(arguments));
    }
    close(ends[1]);
    if (running > 0)
        wait_and_join(suites, suite, ends[0]);
    close(ends[0]);
    if (running < 0)
        return LAUKA_EXIT_INTERNAL;
    while (waitpid(running, &status, 0) < 0 && errno == EINTR)
        ;
    running = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : LAUKA_EXIT_SIGNAL + WTERMSIG(status);
}

static void print_heading(const struct suites *suites, const char *suite)
{
    for (size_t i = 0; i < LAUKA_DOCUMENTS; i++)
        if (suites->files[i] == stdout)
            return;
    if (suites->options->no_table)
        return;
    printf("%s== ", suites->count ? "\n" : "");
    lauka_print_safely(suite, true, stdout);
    fputs(" ==\n", stdout);
}

static int run_all(struct suites *suites, const struct lauka_arguments *typed,
                   struct lauka_config *config, int (*run)(const struct lauka_arguments *arguments),
                   struct lauka_error *error)
{
    int code = LAUKA_EXIT_DONE;

    for (size_t i = 0; i < config->suite_count && code < LAUKA_EXIT_SIGNAL; i++) {
        const char *suite = config->suites[i].name;
        struct lauka_arguments all;
        if (!lauka_config_add(config, typed, i, &all, error)) {
            lauka_error_print(error);
            lauka_arguments_done(&all);
            return code ? code : (int)error->code;
        }
        print_heading(suites, suite);
        int own = run_one(suites, &all, suite, run);
        join_documents(suites, suite, true);
        code = own >= LAUKA_EXIT_SIGNAL || code == LAUKA_EXIT_DONE ? own : code;
        lauka_arguments_done(&all);
    }
    return code;
}

int lauka_suites_run(const struct lauka_arguments *typed, struct lauka_config *config,
                     const struct lauka_arguments *first,
                     int (*run)(const struct lauka_arguments *arguments))
{
    static struct lauka_options options;
    struct suites suites = {.options = &options};
    struct lauka_error error;
    int code;

    own_limit = signal(SIGXFSZ, SIG_IGN); /* an error of writing */
    if (lauka_options_parse(first, &options, &error) && open_documents(&suites, &error)) {
        pass_signals_on(); /* not before: a FIFO may be waited for */
        code = run_all(&suites, typed, config, run, &error);
    } else {
        lauka_error_print(&error);
        code = (int)error.code;
    }
    if (!close_documents(&suites) && code == LAUKA_EXIT_DONE) {
        lauka_fail(&error, LAUKA_EXIT_INTERNAL, "a document could not be written: %s",
                   strerror(errno));
        lauka_error_print(&error);
        code = LAUKA_EXIT_INTERNAL;
    }
    lauka_options_done(&options);
    return code;
}
