/* What several machines found, in words: whether they agree, and which of them does not. */
#include "report/analysis/analysis.h"
#include "report/result/merged.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "report/words/words.h"
#include "stats/units.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_WIDTH = 24, NAMED_MOST = 3 };

/* ---- one of them ----------------------------------------------------------------------------------- */

bool lauka_host_line_make(const struct lauka_result *result, size_t host, size_t command,
                          size_t metric, bool utf8, struct lauka_host_line *line)
{
    const struct lauka_merged_host *about = &result->merged.hosts[host];
    const struct lauka_comparison *own = lauka_merged_comparison(result, host, command, metric);
    char *name = lauka_fit_text(about->name, NAME_WIDTH, utf8);
    *line = (struct lauka_host_line){.comparison = own, .rounds = about->rounds};
    snprintf(line->name, sizeof line->name, "%s", name ? name : "?");
    free(name);
    line->disagrees = lauka_hosts_disagrees(result, host, command, metric);
    if (!own || own->pairs == 0)
        return false;
    lauka_change_format(own, lauka_result_scale(result, metric, utf8), utf8, &line->change);
    line->verdict = lauka_verdict_word(own, result->metrics[metric].unit);
    return true;
}

/* ---- all of them ------------------------------------------------------------------------------------- */

static void append(char *text, size_t size, size_t *used, const char *between, const char *more)
{
    if (*used < size)
        *used += (size_t)snprintf(text + *used, size - *used, "%s%s", between, more);
}

/* "−5.0 % [−5.2, −4.8] on n3" */
static void put_host(const struct lauka_host_line *line, bool interval, char *text, size_t size)
{
    const bool told = interval && *line->change.interval;
    snprintf(text, size, "%s%s%s on %s", line->change.estimate, told ? " " : "",
             told ? line->change.interval : "", line->name);
}

void lauka_hosts_clause(const struct lauka_result *result, size_t command, size_t metric, bool utf8,
                        char *text, size_t size)
{
    size_t found = 0, used = 0;
    text[0] = '\0';
    for (size_t h = 0; h < result->merged.host_count; h++) {
        struct lauka_host_line line;
        char said[320];
        if (!lauka_hosts_disagrees(result, h, command, metric) ||
            !lauka_host_line_make(result, h, command, metric, utf8, &line) || found++ >= NAMED_MOST)
            continue;
        put_host(&line, false, said, sizeof said);
        append(text, size, &used, found > 1 ? ", " : "; the hosts disagree: ", said);
    }
    if (found > NAMED_MOST && used < size)
        snprintf(text + used, size - used, " and %zu more", found - NAMED_MOST);
}

void lauka_hosts_of_two(const struct lauka_result *result, size_t command, size_t metric, bool utf8,
                        char *text, size_t size)
{
    enum lauka_verdict verdict = lauka_hosts_agree(result, command, metric);
    const struct lauka_comparison like = {.verdict = verdict};
    const char *word = lauka_verdict_word(&like, result->metrics[metric].unit);
    size_t used = 0;
    text[0] = '\0';
    if (verdict == LAUKA_VERDICT_NONE)
        append(text, size, &used, "", "two hosts do not agree: ");
    else {
        append(text, size, &used, "both hosts agree that it is ", word);
        append(text, size, &used, "", ": ");
    }
    for (size_t h = 0; h < result->merged.host_count; h++) {
        struct lauka_host_line line;
        char said[320];
        bool known = lauka_host_line_make(result, h, command, metric, utf8, &line);
        if (known)
            put_host(&line, true, said, sizeof said);
        else
            snprintf(said, sizeof said, "nothing on %s", line.name);
        append(text, size, &used, h > 0 ? ", " : "", said);
    }
    append(text, size, &used, "", "; an interval over hosts takes 3");
}

void lauka_merged_course(const struct lauka_result *result, char *text, size_t size)
{
    const struct lauka_result_merged *merged = &result->merged;
    const char *end = lauka_result_bad_end(result);
    snprintf(text, size,
             "session %.60s: %zu of %" PRIu64 " jobs on %zu host%s, %" PRIu64 " rounds%s%s%.200s",
             merged->session, merged->job_count, merged->of, merged->host_count,
             merged->host_count == 1 ? "" : "s", result->run.rounds,
             result->run.samples_left_out ? "; single values were not kept" : "",
             end ? "; incomplete: " : "", end ? end : "");
}

/* ---- their machines ------------------------------------------------------------------------------------ */

bool lauka_hosts_are_alike(const struct lauka_result *result)
{
    const struct lauka_result_host *first = result->merged.hosts[0].about;
    bool alike = first != NULL;
    for (size_t h = 1; alike && h < result->merged.host_count; h++) {
        const struct lauka_result_host *other = result->merged.hosts[h].about;
        alike = other && lauka_text_is(first->cpu_model, other->cpu_model) &&
                lauka_text_is(first->arch, other->arch) && first->cpu_count == other->cpu_count;
    }
    return alike;
}

void lauka_machine_facts(const struct lauka_result_host *host, bool utf8, char *text, size_t size)
{
    size_t used = 0;
    char part[300], number[40];
    text[0] = '\0';
    if (host->cpu_model)
        append(text, size, &used, "", host->cpu_model);
    if (host->cpu_count > 0) {
        snprintf(part, sizeof part, "%" PRIu64 " CPU%s", host->cpu_count,
                 host->cpu_count == 1 ? "" : "s");
        append(text, size, &used, used > 0 ? ", " : "", part);
    }
    if (host->memory_bytes > 0) {
        struct lauka_scale scale = lauka_scale_for((double)host->memory_bytes, "B", utf8);
        lauka_format_scaled((double)host->memory_bytes, scale, number, sizeof number);
        snprintf(part, sizeof part, "%s %s", number, scale.suffix);
        append(text, size, &used, used > 0 ? ", " : "", part);
    }
    if (host->os) {
        snprintf(part, sizeof part, "%.60s %.80s %.40s", host->os, host->kernel ? host->kernel : "",
                 host->arch ? host->arch : "");
        append(text, size, &used, used > 0 ? ", " : "", part);
    }
}
