/* `lauka ci init`: looks at a repository, and writes a first bench.lauka and the workflows that measure every pull request. */
#include "runner/subcommands/subcommands.h"
#include "runner/base/base.h"
#include "runner/options.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_ROOM = 100, TEXT_ROOM = 400 };

/* Counts of instructions are the same in every run, unless a runtime compiles, or schedules threads of its own, as Go's. */
#define EXACT                                                                                      \
    "# Instructions are the same in every run, however busy the runner is, so this limit is "      \
    "safe. Times are shown beside them.\n"                                                         \
    "--counters=valgrind:instructions\n--gate=sim_instructions=1%\n"
#define PYTHON "--env=PYTHONHASHSEED=0\n" EXACT
#define TIMES                                                                                      \
    "# A runtime that schedules or compiles by itself makes counts differ from run to run, so "    \
    "the "                                                                                         \
    "limit is on CPU time.\n"                                                                      \
    "--gate=cpu_time=5%\n"

/* How a kind of repository is built, and where its program is. %s is the name that the pattern's group finds in the file,
 * or "prog". The first row that fits is taken. */
static const struct kind {
    const char *file, *pattern;
    const char *build; /* NULL: nothing to build */
    const char *command, *limits;
    const char *packages; /* Debian's, for GitLab */
} kinds[] = {
    {"Cargo.toml", "^name *= *\"([A-Za-z0-9_-]+)\"", "cargo build --release", "./target/release/%s",
     EXACT, " cargo"},
    {"go.mod", "^module .*[/ ]([A-Za-z0-9_.-]+) *$", "go build -o %s .", "./%s", TIMES, " golang"},
    {"CMakeLists.txt", "add_executable *\\( *([A-Za-z0-9_.-]+)",
     "cmake -S . -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build -j2", "./build/%s",
     EXACT, " cmake g++ make"},
    {"build.zig", "\\.name = \"([A-Za-z0-9_-]+)\"", "zig build -Doptimize=ReleaseFast",
     "./zig-out/bin/%s", EXACT, ""},
    {"Makefile", "^([A-Za-z0-9_-]+):.*[^:=]*$", "make -j2", "./%s", EXACT, " g++ make"},
    {"pyproject.toml", "^name *= *\"([A-Za-z0-9_.-]+)\"", NULL, "python3 -m %s", PYTHON,
     " python3"},
    {"setup.py", "name *= *[\"']([A-Za-z0-9_.-]+)", NULL, "python3 -m %s", PYTHON, " python3"},
    {"package.json", "\"main\" *: *\"([A-Za-z0-9_./-]+)\"", "npm ci", "node %s", TIMES,
     " nodejs npm"},
};

static const struct kind unknown = {"", "x", NULL, "./%s", EXACT, ""};

/* Benchmarks that lauka suite can compare: a word of a file with this ending, and how. */
static const struct framework {
    const char *ending, *word, *how;
} frameworks[] = {
    {"_test.go", "func Benchmark", "--build 'go test -c -o bench.test .' --suite ./bench.test"},
    {".rs", "criterion_main!", "--build 'cargo bench --no-run' --suite target/release/deps/NAME"},
    {".cpp", "benchmark/benchmark.h", "--build 'make' --suite ./BENCHMARKS"},
    {".cc", "benchmark/benchmark.h", "--build 'make' --suite ./BENCHMARKS"},
    {".py", "def test_", "--suite ./test_NAME.py"},
};

struct found {
    const struct kind *kind;
    char name[NAME_ROOM];
    char hint[TEXT_ROOM]; /* a comment about benchmarks of a framework; or "" */
};

/* ---- looking -------------------------------------------------------------------------------------------- */

/* The text of a plain file, at most 1 MiB; NULL if it is none. Owned by the caller. */
static char *read_text(const char *path)
{
    enum { MOST = 1 << 20 };
    FILE *file = lauka_file_stream(path);
    char *text = file ? malloc(MOST + 1) : NULL;

    if (text)
        text[fread(text, 1, MOST, file)] = '\0';
    if (file)
        fclose(file);
    return text;
}

/* What the group of the pattern matches first. */
static void find_name(const char *text, const char *pattern, char name[NAME_ROOM])
{
    regmatch_t found[2];
    regex_t compiled;

    snprintf(name, NAME_ROOM, "prog");
    if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NEWLINE) != 0)
        return;
    if (regexec(&compiled, text, 2, found, 0) == 0 && found[1].rm_eo - found[1].rm_so < NAME_ROOM)
        snprintf(name, NAME_ROOM, "%.*s", (int)(found[1].rm_eo - found[1].rm_so),
                 text + found[1].rm_so);
    regfree(&compiled);
}

/* "all: tool" is about the tool. */
static void leave_all(const char *text, char name[NAME_ROOM])
{
    if (strcmp(name, "all") == 0)
        find_name(text, "^all: *([A-Za-z0-9_.-]+)", name);
}

static const struct framework *framework_of(const char *path)
{
    const size_t length = strlen(path);
    const struct framework *found = NULL;

    for (size_t f = 0; f < sizeof frameworks / sizeof *frameworks && !found; f++) {
        const size_t ending = strlen(frameworks[f].ending);
        if (length <= ending || strcmp(path + length - ending, frameworks[f].ending) != 0)
            continue;
        char *text = read_text(path);
        bool fits = text && strstr(text, frameworks[f].word) &&
                    (strcmp(frameworks[f].ending, ".py") != 0 || strstr(text, "(benchmark"));
        found = fits ? &frameworks[f] : NULL;
        free(text);
    }
    return found;
}

/* The first file with such benchmarks, here and in the folders where they usually are. */
static void find_benchmarks(char hint[TEXT_ROOM])
{
    static const char *const folders[] = {".",          "bench", "benches", "benchmark",
                                          "benchmarks", "test",  "tests"};

    for (size_t i = 0; i < sizeof folders / sizeof *folders && !*hint; i++) {
        DIR *folder = opendir(folders[i]);
        for (struct dirent *entry; folder && !*hint && (entry = readdir(folder));) {
            char path[NAME_MAX + 20];
            snprintf(path, sizeof path, "%s/%s", folders[i], entry->d_name);
            const struct framework *found = framework_of(path);
            if (found)
                snprintf(hint, TEXT_ROOM,
                         "# There are benchmarks in %s. Compare them one by one with:\n"
                         "#   lauka revisions HEAD . %s\n",
                         folders[i][0] == '.' ? "this folder" : folders[i], found->how);
        }
        if (folder)
            closedir(folder);
    }
}

static struct found look(void)
{
    struct found found = {.kind = &unknown, .name = "prog"};
    char *text = NULL;

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !text; k++)
        if ((text = read_text(kinds[k].file)))
            found.kind = &kinds[k];
    if (text)
        find_name(text, found.kind->pattern, found.name);
    if (text)
        leave_all(text, found.name);
    if (strcmp(found.kind->command, "python3 -m %s") == 0)
        for (char *at = found.name; (at = strchr(at, '-'));)
            *at = '_';
    free(text);
    find_benchmarks(found.hint);
    return found;
}

/* ---- writing -------------------------------------------------------------------------------------------- */

static char *fill(const char *template, const struct found *found)
{
    char build[TEXT_ROOM] = "", command[TEXT_ROOM], *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (found->kind->build) {
        int used = snprintf(build, sizeof build, "--build=");
        snprintf(build + used, sizeof build - (size_t)used, found->kind->build, found->name);
        strcat(build, "\n");
    }
    snprintf(command, sizeof command, found->kind->command, found->name);
    const char *const values[][2] = {
        {"@VERSION@", LAUKA_VERSION},
        {"@BUILD@", build},
        {"@PACKAGES@", found->kind->packages},
        {"@HINT@", found->hint},
        {"@NAME@", found->name},
        {"@COMMAND@", command},
        {"@LIMITS@", found->kind->limits},
    };
    while (out && *template) {
        size_t v = 0;
        while (v < sizeof values / sizeof *values &&
               strncmp(template, values[v][0], strlen(values[v][0])) != 0)
            v++;
        if (v == sizeof values / sizeof *values) {
            fputc(*template ++, out);
            continue;
        }
        fputs(values[v][1], out);
        template += strlen(values[v][0]);
    }
    return out && fclose(out) == 0 ? text : NULL;
}

struct file {
    const char *path, *template;
};

/* The folders of the path, none of which may be a link. */
static bool make_folders(const char *path, struct lauka_error *error)
{
    struct stat about;
    char folder[100];

    for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        if ((mkdir(folder, 0777) != 0 && errno != EEXIST) || lstat(folder, &about) != 0)
            return lauka_fail(error, LAUKA_EXIT_HOST, "%s: %s", folder, strerror(errno));
        if (!S_ISDIR(about.st_mode))
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "%s is a link, or no folder; --print shows the files instead",
                              folder);
    }
    return true;
}

static bool write_file(const struct file *file, const char *text, bool force,
                       struct lauka_error *error)
{
    if (!make_folders(file->path, error))
        return false;
    int descriptor = open(
        file->path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | (force ? O_TRUNC : O_EXCL), 0666);
    FILE *out = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;

    errno = out ? 0 : errno;
    if (out)
        fputs(text, out);
    if (out && fclose(out) == 0)
        return true;
    return lauka_fail(error, LAUKA_EXIT_HOST, "%s: %s", file->path, strerror(errno));
}

/* Before anything is written. */
static bool check_files(const struct file *files, size_t count, struct lauka_error *error)
{
    struct stat about;

    for (size_t f = 0; f < count; f++)
        if (lstat(files[f].path, &about) == 0)
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "lauka ci init: %s is there already, so nothing was written; --force "
                              "overwrites it, and --print only shows the files",
                              files[f].path);
    return true;
}

static bool put_all(const struct lauka_options *options, const struct file *files, size_t count,
                    FILE *out, struct lauka_error *error)
{
    const struct found found = look();
    bool good = true;

    if (!options->run.ci_print)
        fprintf(out, "%s%s: %s\n",
                *found.kind->file ? "found " : "found nothing that says how to build",
                found.kind->file, found.kind->build ? found.kind->build : "nothing to build");
    for (size_t f = 0; f < count && good; f++) {
        char *text = fill(files[f].template, &found);
        if (!text)
            good = lauka_fail_memory(error);
        else if (options->run.ci_print)
            fprintf(out, "%s# ---- %s\n%s", f > 0 ? "\n" : "", files[f].path, text);
        else if ((good = write_file(&files[f], text, options->run.ci_force, error)))
            fprintf(out, "wrote %s\n", files[f].path);
        free(text);
    }
    return good;
}

static const char next_steps[] =
    "next: look at bench.lauka, then try it: lauka revisions HEAD . --config bench.lauka\n"
    "      fill in LAUKA_RELEASE and LAUKA_SHA256 in %s\n";

bool lauka_ci_init(const struct lauka_options *options, FILE *out, struct lauka_error *error)
{
    static const struct file github[] = {
        {"bench.lauka", lauka_ci_benchmarks},
        {".github/workflows/benchmark.yml", lauka_ci_github},
        {".github/workflows/benchmark-comment.yml", lauka_ci_github_comment},
    };
    static const struct file gitlab[] = {
        {"bench.lauka", lauka_ci_benchmarks},
        {".gitlab/benchmark.yml", lauka_ci_gitlab},
    };
    const struct file *files = options->run.ci_gitlab ? gitlab : github;
    const size_t count = options->run.ci_gitlab ? 2 : 3;

    if (access(".git", F_OK) != 0)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "lauka ci init: run it in the top folder of a git repository");
    if (!options->run.ci_print && !options->run.ci_force && !check_files(files, count, error))
        return false;
    if (!put_all(options, files, count, out, error))
        return false;
    if (!options->run.ci_print)
        fprintf(out, next_steps, files[1].path);
    return true;
}
