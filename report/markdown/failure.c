/* How a session ended that did not end well, in Markdown: the run that failed, an error, a signal. */
#include "report/markdown/markdown.h"
#include "report/result/result.h"
#include "report/text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lauka_markdown_ending(const struct lauka_result *result, FILE *out)
{
    const struct lauka_result_failure *failure = &result->failure;
    char text[2048];
    if (failure->known) {
        lauka_markdown_put_name(result, failure->command, false, out);
        fputc(' ', out);
        lauka_markdown_prose(failure->reason ? failure->reason : "failed", out);
    }
    if (failure->known && !failure->outside_rounds)
        fprintf(out, " in %sround %" PRIu64, failure->warmup ? "warm-up " : "", failure->round + 1);
    if (*lauka_result_ending_sentence(result, text, sizeof text)) {
        fputs(failure->known ? "; " : "", out);
        lauka_markdown_prose(text, out);
    }
}

/* Indented code: no fence can be closed from within. */
void lauka_markdown_stderr(const struct lauka_result *result, FILE *out)
{
    const char *line = result->failure.stderr_tail;
    if (!line || !*line)
        return;
    fputs("Its stderr ended with:\n\n", out);
    while (*line) {
        size_t length = strcspn(line, "\n");
        char *copy = strndup(line, length);
        fputs("    ", out);
        lauka_print_safely(copy ? copy : "", true, out);
        fputc('\n', out);
        free(copy);
        line += length + (line[length] == '\n');
    }
    fputc('\n', out);
}
