/* `lauka ci init`: looks at a repository, and writes a first bench.lauka and the workflows that measure every pull request.
 * The workflows are files of examples/ci, which build/templates.zig makes part of the program. */
#include "runner/subcommands/subcommands.h"
#include "runner/base/base.h"
#include "runner/options.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_ROOM = 100, TEXT_ROOM = 1000, FILE_MOST = 1 << 20 /* B */ };

/* Counts of instructions are the same in every run, unless a runtime compiles, or schedules threads of its own, as Go's. */
#define EXACT                                                                                      \
    "# Instructions are the same in every run, however busy the runner is, so this limit is "      \
    "safe. Times are shown beside them.\n"                                                         \
    "--counters=valgrind:instructions\n--gate=sim_instructions=1%\n"
#define PYTHON "--env=PYTHONHASHSEED=0\n--env=PYTHONPATH=src\n" EXACT
#define TIMES                                                                                      \
    "# A runtime that schedules or compiles by itself makes counts differ from run to run, so "    \
    "the limit is on CPU time.\n"                                                                  \
    "--gate=cpu_time=5%\n"
#define INNER                                                                                      \
    "# The benchmarks report times. A runner that is shared is often too noisy to decide: that "   \
    "is said, and fails nothing.\n"                                                                \
    "--gate=wall_time=5%\n"

/* How a kind of repository is built, and where its program is. %s is the name that the pattern's group finds in the file,
 * or "prog". The first row that fits is taken. */
static const struct kind {
    const char *file, *pattern;
    const char *build; /* NULL: nothing to build */
    const char *command, *limits;
    const char *packages; /* Debian's, for GitLab */
    const char *sources;  /* of a program, one of these is there; "": it is a program in any case */
} kinds[] = {
    {"Cargo.toml", "^name *= *\"([A-Za-z0-9_-]+)\"", "cargo build --release", "./target/release/%s",
     EXACT, " cargo", "src/main.rs"},
    {"go.mod", "^module .*[/ ]([A-Za-z0-9_.-]+) *$", "go build -o %s .", "./%s", TIMES, " golang",
     "main.go"},
    {"CMakeLists.txt", "add_executable *\\( *([A-Za-z0-9_.-]+)",
     "cmake -S . -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build -j2", "./build/%s",
     EXACT, " cmake g++ make", ""},
    {"build.zig", "\\.name = \"([A-Za-z0-9_-]+)\"", "zig build -Doptimize=ReleaseFast",
     "./zig-out/bin/%s", EXACT, "", ""},
    {"Makefile", "^([A-Za-z0-9_-]+):.*[^:=]*$", "make -j2", "./%s", EXACT, " g++ make", ""},
    {"pyproject.toml", "^name *= *\"([A-Za-z0-9_.-]+)\"", NULL, "python3 -m %s", PYTHON, " python3",
     "%s.py %s/__main__.py src/%s/__main__.py"},
    {"setup.py", "name *= *[\"']([A-Za-z0-9_.-]+)", NULL, "python3 -m %s", PYTHON, " python3",
     "%s.py %s/__main__.py src/%s/__main__.py"},
    {"package.json", "\"main\" *: *\"([A-Za-z0-9_./-]+)\"", "npm ci", "node %s", TIMES,
     " nodejs npm", ""},
};

static const struct kind unknown = {
    .pattern = "x", .command = "./%s", .limits = EXACT, .packages = "", .sources = "%s"};

#define CARGO_BENCH                                                                                \
    "cargo bench --no-run --bench %s && cp \"$(ls -t target/release/deps/%s-* | grep -v "          \
    "\"[.]d$\" | head -n 1)\" bench.exe"

/* Benchmarks that lauka suite can compare: both words in a file with this ending. %s is what `takes` says, of that file. */
static const struct framework {
    const char *ending, *word, *other;
    enum { FOLDER, NAME, PATH } takes; /* the name is without the ending */
    const char *build;                 /* NULL: nothing to build */
    const char *program, *options;     /* NULL: the makers know where it is */
    const char *packages;
} frameworks[] = {
    {"_test.go", "func Benchmark", "", FOLDER, "go test -c -o bench.test ./%s", "./bench.test", "",
     ""},
    {".rs", "criterion_main!", "", NAME, CARGO_BENCH, "./bench.exe", "", ""},
    {".rs", "divan::main", "", NAME, CARGO_BENCH, "./bench.exe", "", ""},
    {".py", "def test_", "(benchmark", PATH, NULL, "python3 -m pytest %s",
     " --adapter=pytest --env=PYTHONPATH=src", " python3-pytest-benchmark"},
    {".cpp", "benchmark/benchmark.h", "", PATH, NULL, NULL, "", " libbenchmark-dev"},
    {".cc", "benchmark/benchmark.h", "", PATH, NULL, NULL, "", " libbenchmark-dev"},
};

struct found {
    const struct kind *kind;
    char name[NAME_ROOM];
    bool has_program;
    const struct framework *framework; /* NULL: none */
    char file[NAME_MAX + 20];          /* with its benchmarks */
    char build[TEXT_ROOM], program[TEXT_ROOM];
};

/* ---- looking -------------------------------------------------------------------------------------------- */

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

static void find_kind(struct found *found)
{
    char *text = NULL, paths[3 * NAME_ROOM + 60], *rest = paths;

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !text; k++)
        if ((text = lauka_file_read_plain(kinds[k].file, FILE_MOST, NULL)))
            found->kind = &kinds[k];
    find_name(text ? text : "", found->kind->pattern, found->name);
    if (text && strcmp(found->name, "all") == 0) /* "all: tool" is about the tool */
        find_name(text, "^all: *([A-Za-z0-9_.-]+)", found->name);
    if (strcmp(found->kind->command, "python3 -m %s") == 0)
        for (char *at = found->name; (at = strchr(at, '-'));)
            *at = '_';
    found->has_program = !*found->kind->sources;
    snprintf(paths, sizeof paths, found->kind->sources, found->name, found->name, found->name);
    for (char *path; (path = strtok_r(rest, " ", &rest));)
        found->has_program |= access(path, F_OK) == 0;
    free(text);
}

static const struct framework *framework_of(const char *path)
{
    const size_t length = strlen(path);
    const struct framework *found = NULL;
    char *text = NULL;

    for (size_t f = 0; f < sizeof frameworks / sizeof *frameworks && !found; f++) {
        const struct framework *one = &frameworks[f];
        const size_t ending = strlen(one->ending);
        if (length <= ending || strcmp(path + length - ending, one->ending) != 0)
            continue;
        text = text ? text : lauka_file_read_plain(path, FILE_MOST, NULL);
        if (text && strstr(text, one->word) && strstr(text, one->other))
            found = one;
    }
    free(text);
    return found;
}

/* The first file with benchmarks by name, here or in one of the folders where they usually are. */
static void find_benchmarks(struct found *found)
{
    static const char *const folders[] = {".",          "bench", "benches", "benchmark",
                                          "benchmarks", "test",  "tests"};
    char path[sizeof found->file];

    for (size_t i = 0; i < sizeof folders / sizeof *folders && !found->framework; i++) {
        DIR *folder = opendir(folders[i]);
        for (struct dirent *entry; folder && (entry = readdir(folder));) {
            snprintf(path, sizeof path, "%s/%s", folders[i], entry->d_name);
            const struct framework *framework = framework_of(path);
            if (!framework || (found->framework && strcmp(path, found->file) > 0))
                continue;
            found->framework = framework;
            snprintf(found->file, sizeof found->file, "%s", path);
        }
        if (folder)
            closedir(folder);
    }
}

/* How they are built and run. Where a file's name is none that a shell takes as it is, they are not used. */
static void word_benchmarks(struct found *found)
{
    const struct framework *framework = found->framework;
    char folder[sizeof found->file], name[sizeof found->file];

    if (!framework || strspn(found->file, "./abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-") != strlen(found->file))
        return;
    const char *slash = strrchr(found->file, '/'), *dot = strrchr(found->file, '.');
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - found->file), found->file);
    snprintf(name, sizeof name, "%.*s", (int)(dot - slash - 1), slash + 1);
    const char *taken = (const char *const[]){folder, name, found->file}[framework->takes];
    if (framework->build)
        snprintf(found->build, sizeof found->build, framework->build, taken, taken);
    if (framework->program)
        snprintf(found->program, sizeof found->program, framework->program, taken);
}

static struct found look(void)
{
    struct found found = {.kind = &unknown};

    find_kind(&found);
    find_benchmarks(&found);
    word_benchmarks(&found);
    return found;
}

/* Whether the benchmarks of a framework are the only thing to run. */
static bool is_suite(const struct found *found)
{
    return *found->program && !found->has_program;
}

/* ---- the files ------------------------------------------------------------------------------------------ */

static void put_benchmarks(const struct found *found, FILE *out)
{
    const struct kind *kind = found->kind;

    fprintf(out,
            "# Benchmarks: %s%s. To compare your changes:\n"
            "#   lauka revisions HEAD . --config bench.lauka\n",
            is_suite(found) ? "those of "
                            : "one in each section, with the command that both revisions run",
            is_suite(found) ? found->file : "");
    if (is_suite(found)) {
        if (*found->build)
            fprintf(out, "--build=%s\n", found->build);
        fprintf(out, "--suite=%s", found->program);
        for (const char *at = found->framework->options; *at; at++)
            fputc(*at == ' ' ? '\n' : *at, out);
        fputs("\n" INNER, out);
        return;
    }
    if (*found->program)
        fprintf(out,
                "# The benchmarks in %s, one by one:\n"
                "#   lauka revisions HEAD .%s%s%s%s --suite '%s'\n",
                found->file, *found->build ? " --build '" : "", found->build,
                *found->build ? "'" : "", found->framework->options, found->program);
    if (!found->has_program)
        fputs("# There seems to be no program: name a command that takes a second or so.\n", out);
    if (kind->build) {
        fputs("--build=", out);
        fprintf(out, kind->build, found->name);
        fputs("\n", out);
    }
    fprintf(out, "--same-output\n%s--max-time=20s\n[%s]\n", kind->limits, found->name);
    fprintf(out, kind->command, found->name);
    fputs("\n", out);
}

/* Its image has what a program for make needs; others need other packages. */
static void put_gitlab(const struct found *found, FILE *out)
{
    static const char packages[] = " g++ make";
    const char *place = strstr(lauka_ci_gitlab, packages);

    fprintf(out, "%.*s%s%s%s", (int)(place - lauka_ci_gitlab), lauka_ci_gitlab,
            found->kind->packages, found->framework ? found->framework->packages : "",
            place + strlen(packages));
}

struct file {
    const char *path;
    const char *text; /* NULL: `put` writes it */
    void (*put)(const struct found *found, FILE *out);
    const struct found *found;
};

static int put_file(FILE *out, const void *context)
{
    const struct file *file = context;

    errno = 0;
    if (file->text)
        fputs(file->text, out);
    else
        file->put(file->found, out);
    return !ferror(out) ? 0 : errno ? errno : EIO;
}

/* The folders of the path; what is there already has been checked. */
static bool make_folders(const char *path, struct lauka_error *error)
{
    char folder[100];

    for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        if (mkdir(folder, 0777) != 0 && errno != EEXIST)
            return lauka_fail(error, LAUKA_EXIT_HOST, "%s: %s", folder, strerror(errno));
    }
    return true;
}

/* A file that is there stays as it is until the new one is whole. */
static bool write_file(const struct file *file, struct lauka_error *error)
{
    char draft[100];

    if (!make_folders(file->path, error))
        return false;
    snprintf(draft, sizeof draft, "%s.new", file->path);
    int failure = lauka_file_put(draft, file->path, put_file, file);
    return !failure || lauka_fail(error, LAUKA_EXIT_HOST, "%s: %s", file->path, strerror(failure));
}

/* Before anything is written. A folder may not be a link. force: files may be there. */
static bool check_place(const char *path, bool force, struct lauka_error *error)
{
    struct stat about;
    char folder[100];

    for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        if (lstat(folder, &about) == 0 && !S_ISDIR(about.st_mode))
            return lauka_misuse(error,
                                "lauka ci init: %s is a link, or no folder, so nothing was "
                                "written; --print only shows the files",
                                folder);
    }
    return force || lstat(path, &about) != 0 ||
           lauka_misuse(error,
                        "lauka ci init: %s is there already, so nothing was written; --force "
                        "overwrites it, and --print only shows the files",
                        path);
}

static void put_found(const struct found *found, FILE *out)
{
    const struct kind *kind = found->kind;

    if (is_suite(found))
        fprintf(out, "found benchmarks in %s: %s\n", found->file,
                *found->build ? found->build : "nothing to build");
    else
        fprintf(out, "found %s: %s%s\n", kind->file ? kind->file : "nothing that says how to build",
                kind->build ? kind->build : "nothing to build",
                found->has_program ? "" : "; no program, so bench.lauka needs your command");
}

bool lauka_ci_init(const struct lauka_options *options, FILE *out, struct lauka_error *error)
{
    struct found found;
    const struct file github[] = {
        {"bench.lauka", NULL, put_benchmarks, &found},
        {".github/workflows/benchmark.yml", lauka_ci_github, NULL, NULL},
        {".github/workflows/benchmark-comment.yml", lauka_ci_github_comment, NULL, NULL},
    };
    const struct file gitlab[] = {
        {"bench.lauka", NULL, put_benchmarks, &found},
        {".gitlab/benchmark.yml", NULL, put_gitlab, &found},
    };
    const bool print = options->run.ci_print, force = options->run.ci_force;
    const struct file *files = options->run.ci_gitlab ? gitlab : github;
    const size_t count = options->run.ci_gitlab ? 2 : 3;

    if (access(".git", F_OK) != 0)
        return lauka_misuse(error, "lauka ci init: run it in the top folder of a git repository");
    for (size_t f = 0; f < count && !print; f++)
        if (!check_place(files[f].path, force, error))
            return false;
    found = look();
    if (!print)
        put_found(&found, out);
    for (size_t f = 0; f < count; f++) {
        if (print) {
            fprintf(out, "%s# ---- %s\n", f > 0 ? "\n" : "", files[f].path);
            (void)put_file(out, &files[f]);
        } else if (write_file(&files[f], error)) {
            fprintf(out, "wrote %s\n", files[f].path);
        } else {
            return false;
        }
    }
    if (!print)
        fprintf(out,
                "next: look at bench.lauka, then try it: lauka revisions HEAD . --config "
                "bench.lauka\n"
                "      fill in LAUKA_RELEASE and LAUKA_SHA256 in %s\n",
                files[1].path);
    return true;
}
