/* --link: the programs of all layouts are built before anything is measured, several at once. A program
 * that was built by the same text from the same files, and is unchanged, is kept. */
#include "runner/session/progress.h"
#include "runner/session/session.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"
#include "runner/options/options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { JOBS_MAX = 64, DIGITS = 2 * LAUKA_SHA256_SIZE + 1 };

struct link {
    const char *out;       /* borrowed: the file that it makes */
    const char *directory; /* borrowed; where it runs; NULL: lauka's own */
    char *text;            /* owned; for the shell */
    FILE *output;          /* owned; what it writes */
};

struct links {
    struct link *links; /* owned */
    size_t count;
    struct lauka_progress progress;
};

/* ---- what is kept ---------------------------------------------------------------------------------- */

/* Where it runs. */
static void path_of(const struct link *link, const char *name, char *path, size_t size)
{
    bool inside = link->directory && *name != '/';

    snprintf(path, size, "%s%s%s", inside ? link->directory : "", inside ? "/" : "", name);
}

/* A plain file that the text names. */
static void add_input(const struct link *link, const char *name, FILE *to)
{
    char path[4096], hex[DIGITS];
    struct stat about;
    uint8_t digest[LAUKA_SHA256_SIZE];

    path_of(link, name, path, sizeof path);
    if (strcmp(name, link->out) == 0 || stat(path, &about) != 0 || !S_ISREG(about.st_mode) ||
        !lauka_executable_hash(path, digest))
        return;
    fprintf(to, "%s %s\n", name, lauka_hex_put(digest, sizeof digest, hex));
}

static const char between[] = " \t\n'\"=,:;|&<>()$`";

/* The next word as a shell reads it, its quotes taken off; they may hold blanks. Returns what follows, NULL at the
 * end. The word has room for all of the text. */
static const char *take_word(const char *text, char *word)
{
    char quote = 0;

    for (text += strspn(text, " \t\n=,:;|&<>()$`"); *text; text++) {
        if (!quote && *text != '\'' && *text != '"' && strchr(between, *text))
            break;
        if (quote ? *text == quote : *text == '\'' || *text == '"') {
            quote = quote ? 0 : *text;
            continue;
        }
        if (*text == '\\' && quote != '\'' && text[1])
            text++;
        *word++ = *text;
    }
    *word = '\0';
    return text;
}

/* All that could be the name of a file, in a word of the shell's or in a part of it. */
static void add_inputs(const struct link *link, FILE *to)
{
    char *words = strdup(link->text), *rest = words;

    for (char *word; words && (word = strtok_r(rest, between, &rest));)
        add_input(link, word, to);
    for (const char *at = link->text; words && *at;) {
        at = take_word(at, words);
        if (strpbrk(words, between))
            add_input(link, words, to);
    }
    free(words);
}

/* A digest of the text, the files that it names, and the program built. False if that is missing. */
static bool stamp_of(const struct link *link, char stamp[DIGITS])
{
    char path[4096], *all = NULL;
    size_t size = 0;
    uint8_t digest[LAUKA_SHA256_SIZE];
    FILE *to = open_memstream(&all, &size);

    path_of(link, link->out, path, sizeof path);
    bool good = to && lauka_executable_hash(path, digest);
    if (good) {
        fprintf(to, "%s\n%s\n", lauka_hex_put(digest, sizeof digest, stamp), link->text);
        add_inputs(link, to);
    }
    good = to && fclose(to) == 0 && good;
    if (good) {
        lauka_sha256_of(all, size, digest);
        lauka_hex_put(digest, sizeof digest, stamp);
    }
    free(all);
    return good;
}

static void stamp_path(const struct link *link, char *path, size_t size)
{
    char name[4000];

    snprintf(name, sizeof name, "%s.lauka-link", link->out);
    path_of(link, name, path, size);
}

/* What another user may have put there is built anew: the stamp is no secret. */
static bool is_kept(const struct link *link)
{
    char path[4096], out[4096], stamp[DIGITS], known[DIGITS] = "";

    stamp_path(link, path, sizeof path);
    path_of(link, link->out, out, sizeof out);
    FILE *file = lauka_own_file_is_safe(path) && lauka_own_file_is_safe(out)
                     ? lauka_file_stream(path)
                     : NULL;
    if (!file)
        return false;
    bool good = fgets(known, sizeof known, file) != NULL && stamp_of(link, stamp);
    fclose(file);
    return good && strcmp(known, stamp) == 0;
}

/* If it cannot be recorded, it is built again next time. */
static void keep(const struct link *link)
{
    char path[4096], stamp[DIGITS];

    stamp_path(link, path, sizeof path);
    unlink(path);
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return;
    if (!stamp_of(link, stamp) || write(descriptor, stamp, DIGITS - 1) != DIGITS - 1)
        unlink(path);
    close(descriptor);
}

/* ---- one build ------------------------------------------------------------------------------------- */

/* If a linker wrote into another user's file, that user could change the program afterwards. */
static bool drop_foreign(const struct link *link, struct lauka_error *error)
{
    char path[4096];
    struct stat about;

    path_of(link, link->out, path, sizeof path);
    return lstat(path, &about) != 0 || about.st_uid == geteuid() || about.st_uid == 0 ||
           unlink(path) == 0 ||
           lauka_fail(error, LAUKA_EXIT_HOST,
                      "--link: %.600s belongs to another user: remove it, or name another file",
                      path);
}

static bool start(struct link *link, pid_t *pid, struct lauka_error *error)
{
    const char *const arguments[] = {LAUKA_SHELL, "-c", link->text, NULL};
    char shell[4096];
    bool found = lauka_child_find(LAUKA_SHELL, shell, sizeof shell);
    int output = lauka_anonymous_file();

    link->output = output >= 0 ? fdopen(output, "r+") : NULL;
    if (!link->output && output >= 0)
        close(output);
    pid_t started = -1;
    if (link->output)
        started = lauka_child_start(&(struct lauka_child){
            .path = found ? shell : "/bin/sh",
            .arguments = arguments,
            .environment = (const char *const *)environ,
            .directory = link->directory,
            .output = output,
            .error = output,
        });
    *pid = started > 0 ? started : 0;
    return started > 0 || lauka_fail(error, LAUKA_EXIT_INTERNAL, "--link: cannot start a shell: %s",
                                     strerror(errno));
}

static bool judge(const struct link *link, int status, struct lauka_error *error)
{
    char path[4096], how[64];

    path_of(link, link->out, path, sizeof path);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && access(path, X_OK) == 0) {
        keep(link);
        return true;
    }
    lauka_helper_show_tail(link->output);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return lauka_fail(error, LAUKA_EXIT_COMMAND_FAILED,
                          "--link: `%.300s` made no %.200s that can be executed", link->text, path);
    snprintf(how, sizeof how, WIFEXITED(status) ? "exit code %d" : "signal %d",
             WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    return lauka_fail(error, LAUKA_EXIT_COMMAND_FAILED, "--link: `%.300s` failed with %s",
                      link->text, how);
}

/* ---- all of them ----------------------------------------------------------------------------------- */

/* A program that is kept needs no build. */
static bool begin(void *context, size_t number, pid_t *pid, struct lauka_error *error)
{
    struct links *all = context;
    struct link *link = &all->links[number];

    return is_kept(link) || (drop_foreign(link, error) && start(link, pid, error));
}

static bool end(void *context, size_t number, int status, struct lauka_error *error)
{
    const struct links *all = context;
    struct link *link = &all->links[number];
    bool good = judge(link, status, error);

    fclose(link->output); /* there may be more programs than descriptors */
    link->output = NULL;
    return good;
}

static void show(void *context, size_t done)
{
    struct links *all = context;
    const struct lauka_progress_step step = {
        .phase = "link", .number = done + 1, .total = all->count, .lasting = "this program"};

    lauka_progress_show(&all->progress, &step);
}

/* As many at once as there are processors. */
static bool build_all(struct links *all, struct lauka_error *error)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct lauka_helpers helpers = {
        .count = all->count,
        .at_once = processors < 1          ? 1
                   : processors > JOBS_MAX ? JOBS_MAX
                                           : (size_t)processors,
        .begin = begin,
        .end = end,
        .show = show,
        .context = all,
    };
    bool good = lauka_helpers_run(&helpers, error);

    lauka_progress_clear();
    return good;
}

static void free_all(struct links *all)
{
    for (size_t i = 0; i < all->count; i++) {
        if (all->links[i].output)
            fclose(all->links[i].output);
        free(all->links[i].text);
    }
    free(all->links);
}

/* ---- its text -------------------------------------------------------------------------------------- */

#define OUT "{out}"

/* What a shell reads as the path where it stands: in the quotes of the text (', " or none), if there are any. */
static void put_quoted(const char *path, char quote, FILE *to)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_@%+:,./-";
    bool wraps = !quote && path[strspn(path, plain)];

    if (wraps)
        fputc('\'', to);
    for (; *path; path++) {
        if (*path == '\'' && quote != '"')
            fputs("'\\'", to);
        if (quote == '"' && strchr("\\\"$`", *path))
            fputc('\\', to);
        fputc(*path, to);
    }
    if (wraps)
        fputc('\'', to);
}

/* The quote that is open behind the character, 0: none. */
static char quote_after(char c, char quote)
{
    if (quote)
        return c == quote ? 0 : quote;
    return c == '\'' || c == '"' ? c : 0;
}

/* Of a comment, in which quotes mean nothing; `before` stands in front of the text. */
static size_t comment_length(const char *text, char before)
{
    return *text == '#' && strchr(" \t\n;&|()", before) ? strcspn(text, "\n") : 0;
}

/* The length of what is copied as it is: a comment, a character, or two where a backslash protects the second. */
static size_t step_length(const char *text, char before, char quote)
{
    size_t comment = quote ? 0 : comment_length(text, before);

    if (comment > 0)
        return comment;
    return *text == '\\' && quote != '\'' && text[1] ? 2 : 1;
}

/* Owned by the caller; NULL without memory. */
static char *put_out(const char *text, const char *path)
{
    char *filled = NULL, quote = 0, before = '\n';
    size_t size;
    FILE *to = open_memstream(&filled, &size);

    while (to && *text) {
        if (strncmp(text, OUT, strlen(OUT)) == 0) {
            put_quoted(path, quote, to);
            text += strlen(OUT);
            before = '}';
            continue;
        }
        size_t length = step_length(text, before, quote);
        if (length == 1)
            quote = quote_after(*text, quote);
        fwrite(text, 1, length, to);
        text += length;
        before = text[-1];
    }
    if (to && fclose(to) == 0)
        return filled;
    free(filled);
    return NULL;
}

/* ---- all that are to be built --------------------------------------------------------------------- */

static bool is_known(const struct links *all, const struct lauka_command *command)
{
    const char *here = command->directory ? command->directory : "";

    for (size_t i = 0; i < all->count; i++) {
        const struct link *link = &all->links[i];
        if (strcmp(link->out, command->argv[0]) == 0 &&
            strcmp(link->directory ? link->directory : "", here) == 0)
            return true;
    }
    return false;
}

/* A command against itself has each of them once. */
static bool add(struct links *all, const struct lauka_options *options, size_t variant,
                struct lauka_error *error)
{
    const struct lauka_command *command = &options->run.variants[variant];
    struct link *link = &all->links[all->count];

    if (is_known(all, command))
        return true;
    *link = (struct link){.out = command->argv[0], .directory = command->directory};
    char *filled = lauka_layout_fill(options->arena,
                                     options->run.commands[variant / options->run.layouts].link,
                                     variant % options->run.layouts + 1);
    link->text = filled ? put_out(filled, link->out) : NULL;
    all->count++;
    return link->text || lauka_fail_memory(error);
}

bool lauka_links_build(const struct lauka_options *options, struct lauka_error *error)
{
    struct links all = {.links = calloc(options->run.variant_count + 1, sizeof *all.links)};
    bool good = all.links || lauka_fail_memory(error);

    for (size_t v = 0; v < options->run.variant_count && good; v++)
        if (options->run.commands[v / options->run.layouts].link)
            good = add(&all, options, v, error);
    lauka_progress_init(&all.progress, !options->quiet && !options->write.no_progress);
    good = good && build_all(&all, error);
    if (all.links)
        free_all(&all);
    return good;
}
