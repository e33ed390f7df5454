/* The run that ended the session, in Markdown. */
#include "report/markdown.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void lauka_markdown_failure(const struct lauka_result *result, FILE *out)
{
    const struct lauka_result_failure *failure = &result->failure;
    bool known = failure->command < result->command_count;
    char *name = known ? lauka_markdown_name(result, failure->command, false) : NULL;
    if (known)
        fprintf(out, "%s ", name ? name : "?");
    lauka_markdown_prose(failure->reason ? failure->reason : "failed", out);
    if (known)
        fprintf(out, " in %sround %" PRIu64, failure->warmup ? "warm-up " : "", failure->round + 1);
    free(name);
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
