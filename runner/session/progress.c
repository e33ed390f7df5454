/* Round and time left, on a terminal's stderr only. Drawn between runs, at most ten times a second:
 * never anything while a command is being timed. */
#include "runner/session/session.h"
#include "report/text/text.h"
#include "runner/base/base.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REDRAW_NS 100000000u

void lauka_progress_init(struct lauka_progress *progress, bool wanted)
{
    const char *term = getenv("TERM");
    bool redraws = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;

    progress->enabled = wanted && redraws;
    progress->width = lauka_terminal_detect(STDERR_FILENO, LAUKA_COLOR_NEVER).width;
    progress->drawn_ns = 0;
}

static void format_left(uint64_t left_ns, char *text, size_t size)
{
    uint64_t seconds = (left_ns + 999999999) / 1000000000;

    if (left_ns == 0)
        *text = '\0';
    else if (seconds < 3600)
        snprintf(text, size, ", %" PRIu64 ":%02" PRIu64 " left", seconds / 60, seconds % 60);
    else
        snprintf(text, size, ", %" PRIu64 " h %02" PRIu64 " min left", seconds / 3600,
                 seconds / 60 % 60);
}

void lauka_progress_show(struct lauka_progress *progress, const char *phase, uint64_t round,
                         uint64_t total, uint64_t left_ns)
{
    char line[160], left[48], of[32] = "";
    uint64_t now = lauka_now_ns();

    if (!progress->enabled || (progress->drawn_ns && now - progress->drawn_ns < REDRAW_NS))
        return;
    progress->drawn_ns = now;
    format_left(left_ns, left, sizeof left);
    if (total)
        snprintf(of, sizeof of, " of %" PRIu64, total);
    snprintf(line, sizeof line, "%s %" PRIu64 "%s%s", phase, round, of, left);
    fprintf(stderr, "%s%.*s", lauka_clear_line, progress->width - 1, line);
    fflush(stderr);
}

void lauka_progress_clear(struct lauka_progress *progress)
{
    if (progress->enabled && progress->drawn_ns)
        fputs(lauka_clear_line, stderr);
}
