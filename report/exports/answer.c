/* --answer: what the session found, for scripts: a line of JSON for each comparison, which schema/lauka-answer.schema.json
 * describes. Changes are shares: 0.05 is 5 % more than the reference. */
#include "report/exports/exports.h"
#include "report/analysis/analysis.h"
#include "report/json/json.h"
#include "report/result/merged.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/text/text.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

/* A ratio as a change; null if it is not known. */
static void put_change(struct lauka_json_document *document, const char *key,
                       struct lauka_optional ratio)
{
    lauka_document_optional(document, key, (struct lauka_optional){ratio.known, ratio.value - 1});
}

/* Words that a script can act on: a verdict, or that there is none. */
static const char *verdict_of(const struct lauka_result *result,
                              const struct lauka_comparison *comparison, size_t metric)
{
    const bool speed = metric < result->metric_count && lauka_is_speed(result, metric);
    const char *word = lauka_verdict_word(comparison, speed);
    return result->failure.known || result->error.known || result->run.rounds == 0 ? "failed"
           : *word                                                                 ? word
                                                                                   : "inconclusive";
}

/* More of what the session was limited by, as options to type. Where nobody knows how much would be enough, twice as much,
 * and at least as many rounds as a forecast needs. */
static const char *say_more(struct lauka_prose *prose, const struct lauka_result *result)
{
    static const double many = 40;
    size_t metric;
    const struct lauka_optional more = lauka_result_seconds_missing(result, &metric);
    const double units = (double)lauka_result_unit_count(result);
    const double factor =
        more.known ? 1 + more.value / result->run.measured : fmax(2, many / fmax(units, 1));
    const struct lauka_time_limit limit = lauka_time_for(prose, result, factor);

    if (lauka_result_has_hosts(result))
        return "measure on more hosts";
    if (lauka_result_has_layouts(result))
        return lauka_say(prose, "measure more layouts: --layouts=%.0f", 2 * units);
    if (more.known &&
        factor * result->run.measured > LAUKA_LONGEST_WAIT * (double)result->command_count)
        return "count instead: --counters=valgrind --primary=sim_instructions";
    if (result->run.stopped == LAUKA_STOPPED_ROUNDS || (!more.known && !*limit.text))
        return lauka_say(prose, "measure more rounds: --runs=%.0f", ceil(factor * units));
    return lauka_say(prose, "measure longer: %s=%s", limit.option, limit.enough);
}

/* What would decide an inconclusive comparison, or what to repair; NULL: nothing is left to do. */
static const char *next_of(struct lauka_prose *prose, const struct lauka_result *result,
                           size_t command, bool enough)
{
    const char *ending = lauka_say_ending(prose, result);
    if (result->failure.known)
        return lauka_say(prose, "repair `%s`, then measure again: %s",
                         lauka_say_whole(prose, result, result->failure.command),
                         lauka_say_safely(prose, result->failure.reason));
    if (*ending)
        return lauka_say(prose, "measure again: %s", ending);
    const size_t idle = lauka_result_does_work(result, 0) ? command : 0;
    if (!lauka_result_does_work(result, idle))
        return lauka_say(prose, "find out why it fails: %s", result->commands[idle].label);
    if (enough)
        return NULL;
    return result->run.stopped == LAUKA_STOPPED_STORED ? "measure both in one session"
                                                       : say_more(prose, result);
}

static void put_answer(struct lauka_prose *prose, const struct lauka_result *result, size_t command,
                       size_t metric, FILE *out)
{
    struct lauka_json_document document = lauka_document_begin(LAUKA_JSON_LINE, out);
    static const struct lauka_comparison none;
    const struct lauka_comparison *found =
        metric < result->metric_count ? lauka_result_comparison(result, command, metric) : NULL;
    const struct lauka_comparison *comparison = found ? found : &none;
    const bool enough = comparison->verdict != LAUKA_VERDICT_NONE &&
                        comparison->verdict != LAUKA_VERDICT_INCONCLUSIVE &&
                        !result->failure.known && !*lauka_say_ending(prose, result);
    const bool has_interval = comparison->confidence > 0;

    lauka_document_object(&document, NULL);
    lauka_document_text(&document, "benchmark", result->benchmark.name);
    lauka_document_text(&document, "command", result->commands[command].label);
    lauka_document_text(&document, "verdict", verdict_of(result, comparison, metric));
    put_change(&document, "change", comparison->ratio);
    put_change(&document, "low", comparison->low);
    put_change(&document, "high", comparison->high);
    lauka_document_optional(&document, "confidence",
                            (struct lauka_optional){has_interval, comparison->confidence});
    lauka_document_text(&document, "metric",
                        metric < result->metric_count ? result->metrics[metric].name : "");
    lauka_document_bool(&document, "enough", enough);
    lauka_document_text(&document, "next", next_of(prose, result, command, enough));
    lauka_document_end(&document);
    fputc('\n', out);
}

static void put_answers(struct lauka_prose *prose, const struct lauka_result *result, bool all,
                        FILE *out)
{
    const size_t main_metric = lauka_result_main_metric(result);
    for (size_t c = 1; c < result->command_count; c++) {
        if (result->metric_count == 0) /* nothing was measured */
            put_answer(prose, result, c, 0, out);
        for (size_t m = 0; m < result->metric_count; m++)
            if (m == main_metric || (all && result->metrics[m].primary))
                put_answer(prose, result, c, m, out);
    }
}

int lauka_write_answers(const struct lauka_session *session, bool all, FILE *out)
{
    struct lauka_prose prose = lauka_prose_begin(out, LAUKA_PLAIN_UTF8);
    errno = 0;
    for (size_t b = 0; b < session->benchmark_count; b++)
        put_answers(&prose, &session->benchmarks[b], all, out);
    return lauka_prose_end(&prose);
}
