/* How divan is asked, and what it writes: a table whose rows are a tree. Of each benchmark it tells the fastest, the
 * slowest, the median and the mean time, with four digits. */
#include "runner/suite/suite.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 16, NAME = 300 };

static const char bar[] = "│";

struct tree { /* the names above the current row; ends: of each in the path */
    char path[NAME + 1];
    size_t ends[DEEPEST];
};

/* Skips what stands in front of a name, and returns how deep that is. Where the last of it is no branch, the row only
 * has further figures: SIZE_MAX. */
static size_t skip_branches(const char **text)
{
    enum { BRANCHES = 2 };
    static const char *const parts[] = {"├─ ", "╰─ ", "│  ", "   "};
    const size_t count = sizeof parts / sizeof *parts;
    size_t depth = 0, last = 0;

    for (size_t i = 0;; depth++, last = i) {
        for (i = 0; i < count && strncmp(*text, parts[i], strlen(parts[i])) != 0;)
            i++;
        if (i == count)
            break;
        *text += strlen(parts[i]);
    }
    return last < BRANCHES ? depth : SIZE_MAX;
}

/* Where the figure of a column begins, from 0; NULL if the row has fewer. end: of the row. */
static const char *find_column(const char *row, const char *end, size_t column)
{
    for (; column > 0 && row; column--) {
        row = strstr(row, bar);
        row = row && row < end ? row + strlen(bar) : NULL;
    }
    return row;
}

/* "1.041 µs" in nanoseconds; below 0 if it is none. */
static double read_time(const char *text)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"ps ", 1e-3}, {"ns ", 1}, {"µs ", 1e3}, {"ms ", 1e6}, {"s ", 1e9}, {"m ", 6e10}};
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end != ' ' || !isfinite(value) || value < 0)
        return -1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strncmp(end + 1, units[i].unit, strlen(units[i].unit)) == 0)
            return value * units[i].ns;
    return -1;
}

/* Adds the row's name to the path. False if there is none, or no room. The name ends before two blanks. */
static bool enter(struct tree *tree, const char *row, const char *end)
{
    size_t depth = skip_branches(&row), from = 0;
    const char *gap = strstr(row, "  ");
    size_t length = (size_t)((gap && gap < end ? gap : end) - row);

    if (length == 0 || depth >= DEEPEST || strncmp(row, bar, strlen(bar)) == 0)
        return false;
    if (depth > 0)
        from = tree->ends[depth - 1];
    if (from >= sizeof tree->path) /* the name above was too long */
        return false;
    int size = snprintf(tree->path + from, sizeof tree->path - from, "%s%.*s", depth ? "::" : "",
                        (int)length, row);
    tree->ends[depth] = from + (size_t)size;
    return from + (size_t)size < sizeof tree->path;
}

/* Calls for each benchmark, with its median. Returns the first error of a call; EINVAL if there is no table. */
static int read_rows(const char *text, int (*take)(void *, const char *, double), void *context)
{
    enum { MEDIAN = 2 };
    struct tree tree = {0};
    bool table = false;
    int error = 0;

    while (*text && !error) {
        const char *end = text + strcspn(text, "\r\n"), *median = find_column(text, end, MEDIAN);
        table = table || median;
        bool named = median && enter(&tree, text, end);
        double ns = named ? read_time(median + strspn(median, " ")) : -1;
        if (ns >= 0)
            error = take(context, tree.path, ns);
        text = end + strspn(end, "\r\n");
    }
    return error || table ? error : EINVAL;
}

static int take_name(void *names, const char *name, double ns)
{
    (void)ns;
    return lauka_inner_names_add(names, name, strlen(name));
}

static int read_list(const char *text, struct lauka_inner_names *names)
{
    return read_rows(text, take_name, names);
}

struct taking {
    const char *name;
    struct lauka_inner_answers *answers;
};

static int take_median(void *context, const char *name, double ns)
{
    const struct taking *taking = context;
    struct lauka_inner_answers *answers = taking->answers;
    const struct lauka_inner_answer answer = {.wall_ns = ns, .cpu_ns = -1};

    if (strcmp(name, taking->name) != 0)
        return 0;
    if (answers->count == 0)
        return lauka_inner_answers_add(answers, &answer);
    snprintf(answers->why, sizeof answers->why, "there are several benchmarks of this name");
    return EINVAL;
}

static int read_run(const char *text, const char *name, struct lauka_inner_answers *answers,
                    uint64_t *iterations)
{
    struct taking taking = {name, answers};

    *iterations = 1;
    answers->medians = true;
    return read_rows(text, take_median, &taking);
}

/* As many samples as its time allows, of which it tells the median. */
static uint64_t own_rounds(const char *name)
{
    (void)name;
    return 0;
}

/* The list of divan lacks arguments: each benchmark is run for as short as can be. */
static const char *const list_words[] = {"--bench", "--color=never", "--sample-count=1",
                                         "--sample-size=1", NULL};
static const char *const start_words[] = {"--bench", "--list", NULL};
static const char *const run_words[] = {"--bench", "--color=never", "--min-time={all_seconds}",
                                        "--max-time={all_seconds}", NULL};
static const char *const one_words[] = {"--exact", "{name}", NULL};
static const char *const all_words[] = {"--sort=name", NULL};

const struct lauka_adapter lauka_divan_adapter = {.framework = LAUKA_FRAMEWORK_DIVAN,
                                                  .name = "divan",
                                                  .marks = {"DIVAN_SAMPLE_COUNT"},
                                                  .tells_more = true,
                                                  .telling = LAUKA_TELLS_STDERR,
                                                  .list = list_words,
                                                  .start = start_words,
                                                  .run = run_words,
                                                  .run_one = one_words,
                                                  .run_all = all_words,
                                                  .read_list = read_list,
                                                  .read_run = read_run,
                                                  .own_rounds = own_rounds};
