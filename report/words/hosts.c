/* What several machines found, in words: whether they agree, and which of them does not. */
#include "report/analysis/analysis.h"
#include "report/result/merged.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/words.h"
#include "stats/units.h"
#include "stats/stats.h"

#include <inttypes.h>

enum { NAME_WIDTH = 24, NAMED_MOST = 3 };

/* ---- one of them ----------------------------------------------------------------------------------- */

struct lauka_host_line lauka_host_line(struct lauka_prose *prose, const struct lauka_result *result,
                                       size_t host, size_t command, size_t metric)
{
    const struct lauka_merged_host *about = &result->merged.hosts[host];
    const struct lauka_comparison *own = lauka_merged_comparison(result, host, command, metric);
    const bool known = own && own->pairs > 0;
    return (struct lauka_host_line){
        .name = lauka_say_fitted(prose, about->name, NAME_WIDTH),
        .comparison = own,
        .rounds = about->rounds,
        .disagrees = lauka_hosts_disagrees(result, host, command, metric),
        .known = known,
        .change = known ? lauka_change(prose, own, lauka_result_scale(result, metric, prose->utf8))
                        : (struct lauka_change){"", ""},
        .verdict = known ? lauka_verdict_word(own, lauka_is_time(result, metric)) : "not measured",
    };
}

/* ---- all of them ------------------------------------------------------------------------------------- */

const char *lauka_hosts_clause(struct lauka_prose *prose, const struct lauka_result *result,
                               size_t command, size_t metric)
{
    size_t found = 0;
    const char *text = "";
    for (size_t h = 0; h < result->merged.host_count; h++) {
        if (!lauka_hosts_disagrees(result, h, command, metric))
            continue;
        struct lauka_host_line line = lauka_host_line(prose, result, h, command, metric);
        if (line.known && found++ < NAMED_MOST)
            text = lauka_join(prose, text, ", ",
                              lauka_say(prose, "%s on %s", line.change.estimate, line.name));
    }
    if (found == 0)
        return "";
    return found > NAMED_MOST
               ? lauka_say(prose, "; the hosts disagree: %s and %zu more", text, found - NAMED_MOST)
               : lauka_say(prose, "; the hosts disagree: %s", text);
}

const char *lauka_hosts_of_two(struct lauka_prose *prose, const struct lauka_result *result,
                               size_t command, size_t metric)
{
    enum lauka_verdict verdict = lauka_hosts_agree(result, command, metric);
    const struct lauka_comparison like = {.verdict = verdict};
    const char *each = "", *agree = "two hosts do not agree";
    if (verdict != LAUKA_VERDICT_NONE)
        agree = lauka_say(prose, "both hosts agree that it is %s",
                          lauka_verdict_word(&like, lauka_is_time(result, metric)));
    for (size_t h = 0; h < result->merged.host_count; h++) {
        struct lauka_host_line line = lauka_host_line(prose, result, h, command, metric);
        const char *found = line.known ? lauka_change_text(prose, line.change) : "nothing";
        each = lauka_join(prose, each, ", ", lauka_say(prose, "%s on %s", found, line.name));
    }
    return lauka_say(prose, "%s: %s; an interval over hosts takes 3", agree, each);
}

/* ---- their machines ------------------------------------------------------------------------------------ */

static const char *cpus_of(struct lauka_prose *prose, const struct lauka_result_host *host)
{
    return host->cpu_count > 0 ? lauka_say(prose, "%" PRIu64, host->cpu_count) : "";
}

static const char *memory_of(struct lauka_prose *prose, const struct lauka_result_host *host)
{
    const double bytes = (double)host->memory_bytes;
    return host->memory_bytes == 0
               ? ""
               : lauka_say_quantity(prose, bytes, lauka_scale_for(bytes, "B", prose->utf8));
}

static const char *system_of(struct lauka_prose *prose, const struct lauka_result_host *host)
{
    return !host->os ? ""
                     : lauka_say(prose, "%s %s %s", host->os, host->kernel ? host->kernel : "",
                                 host->arch ? host->arch : "");
}

/* All of one machine. */
static const char *facts_of(struct lauka_prose *prose, const struct lauka_result_host *host)
{
    const char *text = host->cpu_model ? host->cpu_model : "", *cpus = cpus_of(prose, host);
    if (*cpus)
        text = lauka_join(prose, text, ", ",
                          lauka_say(prose, "%s CPU%s", cpus, lauka_plural(host->cpu_count)));
    text = lauka_join(prose, text, ", ", memory_of(prose, host));
    return lauka_join(prose, text, ", ", system_of(prose, host));
}

bool lauka_next_machine(struct lauka_prose *prose, const struct lauka_result *result,
                        struct lauka_machine_fact *fact)
{
    const struct lauka_result_host *host = &result->host;
    const bool several = lauka_result_has_hosts(result);
    const char *const own[][2] = {{"Processor", host->cpu_model},
                                  {"System", system_of(prose, host)},
                                  {"Governor", host->governor},
                                  {"CPUs it may use", cpus_of(prose, host)},
                                  {"Memory", memory_of(prose, host)}};
    const size_t end = several ? result->merged.host_count : sizeof own / sizeof *own;
    while (fact->place < end) {
        const size_t at = fact->place++;
        const struct lauka_merged_host *merged = several ? &result->merged.hosts[at] : NULL;
        fact->name = merged ? lauka_say(prose, "Host %s", merged->name) : own[at][0];
        fact->value = merged ? facts_of(prose, merged->about) : own[at][1];
        if (fact->value && *fact->value)
            return true;
    }
    return false;
}
