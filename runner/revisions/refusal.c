/* What errors say beside what failed. What git writes to stderr becomes one sentence: its messages go over several
 * lines, and what failed first, such as a filter, is told before what git says about it. */
#include "runner/revisions/revisions.h"
#include "runner/base/base.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

static const char *const labels[] = {"error: ", "fatal: "};
static const char *const hints[] = {"hint:", "warning:"}; /* about typing other commands */

/* The number of bytes of the word that the line begins with; 0: none of them. */
static size_t label_of(const char *line, const char *const words[2])
{
    for (size_t i = 0; i < 2; i++)
        if (strncmp(line, words[i], strlen(words[i])) == 0)
            return strlen(words[i]);
    return 0;
}

/* A sentence that goes on needs no mark between its lines. */
static const char *between(const char *text, size_t used, const char *line)
{
    bool goes_on = islower((unsigned char)*line) && label_of(line, labels) == 0;

    return used == 0 ? "" : strchr(",.:;", text[used - 1]) || goes_on ? " " : "; ";
}

/* Git may say the same once more, with less. */
static bool is_again(const char *text, size_t used, const char *line, size_t length)
{
    for (size_t at = 0; at + length <= used; at++)
        if (strncmp(text + at, line, length) == 0)
            return true;
    return false;
}

/* Appends lines, without labels and hints, as long as there is room. Whether all of them had. */
static bool join(const char *lines, char *text, size_t size)
{
    size_t used = 0;

    for (size_t length; *lines; lines += length + (lines[length] == '\n')) {
        length = strcspn(lines, "\n");
        size_t skipped = strspn(lines, " \t"), end = length;
        while (end > skipped && isspace((unsigned char)lines[end - 1]))
            end--;
        if (skipped >= end || label_of(lines, hints) > 0)
            continue;
        const char *mark = between(text, used, lines + skipped);
        skipped += label_of(lines + skipped, labels);
        if (is_again(text, used, lines + skipped, end - skipped))
            continue;
        int written = snprintf(text + used, size - used, "%s%.*s", mark, (int)(end - skipped),
                               lines + skipped);
        if (written < 0 || (size_t)written >= size - used)
            return false;
        used += (size_t)written;
    }
    return true;
}

/* The first line with a label; NULL: there is none. */
static const char *find_label(const char *lines)
{
    while (lines && label_of(lines, labels) == 0) {
        lines = strchr(lines, '\n');
        lines = lines ? lines + 1 : NULL;
    }
    return lines;
}

void lauka_git_join(const char *lines, char text[LAUKA_GIT_MESSAGE_SIZE])
{
    static const char more[] = " ...";
    const char *label = find_label(lines);

    *text = '\0';
    if (join(lines, text, LAUKA_GIT_MESSAGE_SIZE) ||
        (label && (*text = '\0', join(label, text, LAUKA_GIT_MESSAGE_SIZE))))
        return;
    size_t end = LAUKA_GIT_MESSAGE_SIZE - sizeof more;
    while (end > 0 && text[end] != ' ') /* not within a word, which may be of several bytes */
        end--;
    end = end > 0 ? end : strnlen(text, LAUKA_GIT_MESSAGE_SIZE - sizeof more);
    snprintf(text + end, LAUKA_GIT_MESSAGE_SIZE - end, "%s", more);
}

const char *lauka_git_advise(const char *message)
{
    static const char fetches[] =
        "; this is a partial clone, and lauka fetches nothing: git fetch --refetch "
        "--no-filter brings all that is missing";
    static const char filters[] =
        "; a filter of git's settings does not work: install its program (git-lfs is a package), "
        "or "
        "remove it (git config --show-origin --get-regexp filter tells where it is)";
    static const struct {
        const char *said, *advice;
    } known[] = {
        {"promisor remote", fetches},
        {"the remote end hung up", filters}, /* a filter that speaks git's protocol */
        {"initialization for subprocess", filters},
        {"external filter", filters},
        {"smudge filter", filters},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(message, known[i].said))
            return known[i].advice;
    return "";
}

const char *lauka_worktrees_advise(const struct lauka_worktrees *worktrees)
{
    enum { LITTLE = 65536 }; /* bytes */
    struct statvfs about;
    bool full = statvfs(worktrees->folder, &about) == 0 &&
                about.f_bavail * (uint64_t)about.f_frsize < LITTLE;

    return full ? "; the disk is full: lauka revisions --clean removes all worktrees of this "
                  "repository"
                : "";
}
