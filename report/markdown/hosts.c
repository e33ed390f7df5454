/* What each of several machines found, in Markdown. */
#include "report/markdown/markdown.h"
#include "report/result/merged.h"
#include "report/result/result.h"
#include "report/words/words.h"

#include <inttypes.h>

static void put_change(const struct lauka_change *change, FILE *out)
{
    lauka_markdown_unbroken(change->estimate, out);
    fputs(*change->interval ? "\u00A0" : "", out);
    lauka_markdown_unbroken(change->interval, out);
}

/* Who disagrees with what is said of all stands out. */
static void put_row(const struct lauka_result *result, size_t host, size_t command, size_t metric,
                    FILE *out)
{
    struct lauka_host_line line;
    bool known = lauka_host_line_make(result, host, command, metric, true, &line);
    const char *weight = line.disagrees ? "**" : "";
    fputs("| ", out);
    lauka_markdown_put_code(line.name, true, out);
    fprintf(out, " | %" PRIu64 " | ", line.rounds);
    if (known)
        put_change(&line.change, out);
    fprintf(out, " | %s%s%s |\n", weight, known ? line.verdict : "not measured", weight);
}

static void put_command(const struct lauka_result *result, size_t command, size_t metric, FILE *out)
{
    const size_t count = result->merged.host_count;
    fputs("<details><summary>", out);
    lauka_markdown_put_element(result->metrics[metric].name, out);
    fputs(" of ", out);
    lauka_markdown_put_element(result->commands[command].label, out);
    fprintf(out, " on each of %zu hosts</summary>\n\n", count);
    fputs("| Host | Rounds | Change | Verdict |\n|:--|--:|--:|:--|\n", out);
    for (size_t h = 0; h < count && h < LAUKA_HOSTS_SHOWN; h++)
        put_row(result, h, command, metric, out);
    if (count > LAUKA_HOSTS_SHOWN)
        fprintf(out, "\n%zu more hosts are in the JSON.\n", count - LAUKA_HOSTS_SHOWN);
    fputs("\n</details>\n\n", out);
}

void lauka_markdown_hosts(const struct lauka_result *result, FILE *out)
{
    const size_t metric = lauka_result_main_metric(result);
    if (!lauka_result_has_hosts(result) || metric >= result->metric_count)
        return;
    for (size_t c = 1; c < result->command_count; c++)
        if (lauka_result_comparison(result, c, metric))
            put_command(result, c, metric, out);
}
