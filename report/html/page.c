/* The page: the answers, what speaks against them, the pictures, the numbers, the session. It is one file
 * without scripts that loads nothing else, and nobody else's text can become part of its code. */
#include "report/html/html.h"
#include "report/html/svg.h"
#include "report/plot/plot.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "report/words/said.h"
#include "report/words/words.h"
#include "stats/histogram.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PICTURED_METRICS = 4, PICTURED_COMMANDS = 12 };

/* Within a page of many benchmarks the heading is the benchmark's name. */
static const char *answer_element(const struct lauka_html *html)
{
    return html->within ? "p" : "h1";
}

static void put_said(const struct lauka_html *html, const char *element, struct lauka_said *said)
{
    fprintf(html->out, "<%s>", element);
    if (said->kind == LAUKA_SAID_NOTE)
        lauka_html_name(said->text, 2000, html->out);
    else
        lauka_html_sentence(html, said->command, said->room);
    fprintf(html->out, "</%s>\n", element);
}

/* The first answer is the headline; of several commands their number is, and the best comes next. */
static void put_answers(const struct lauka_html *html)
{
    const struct lauka_result *result = html->result;
    const bool several = result->command_count > 2 && !lauka_result_has_noise(result);
    const char *element = answer_element(html);
    if (several) {
        fprintf(html->out, "<%s>%zu commands against ", element, result->command_count - 1);
        lauka_html_command(html, 0, LAUKA_HTML_NAME_WIDTH);
        fprintf(html->out, "</%s>\n", element);
        element = "p";
    }
    for (int best = several; best >= 0; best--)
        for (struct lauka_said said = {0}; lauka_said_next_answer(result, true, &said);) {
            if ((said.kind == LAUKA_SAID_BEST) != best)
                continue;
            put_said(html, element, &said);
            element = "p";
        }
}

static bool has_notes(const struct lauka_result *result)
{
    struct lauka_said said = {0};
    return lauka_said_next_remark(result, true, &said);
}

/* What speaks against the answer comes before everything that supports it. */
static void put_notes(const struct lauka_html *html)
{
    fputs("<ul class=\"notes\">\n", html->out);
    for (struct lauka_said said = {0}; lauka_said_next_remark(html->result, true, &said);)
        put_said(html, "li", &said);
    fputs("</ul>\n", html->out);
}

/* ---- the head -------------------------------------------------------------------------------- */

static void put_title(const struct lauka_html *html)
{
    const struct lauka_result *result = html->result;
    fputs("<title>lauka: ", html->out);
    if (result->command_count == 0) {
        fputs("nothing was measured</title>\n", html->out);
        return;
    }
    lauka_html_name(result->commands[result->command_count == 2].label, LAUKA_HTML_NAME_WIDTH,
                    html->out);
    if (result->command_count == 2) {
        fputs(" against ", html->out);
        lauka_html_name(result->commands[0].label, LAUKA_HTML_NAME_WIDTH, html->out);
    } else if (result->command_count > 2) {
        fprintf(html->out, " and %zu others", result->command_count - 1);
    }
    fputs("</title>\n", html->out);
}

void lauka_html_head(const struct lauka_html *html, const char *title)
{
    fprintf(html->out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
            "style-src 'sha256-%s'%s%s%s; base-uri 'none'; form-action 'none'\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"referrer\" content=\"no-referrer\">\n"
            "<meta name=\"color-scheme\" content=\"light dark\">\n"
            "<meta name=\"generator\" content=\"lauka " LAUKA_VERSION "\">\n",
            lauka_html_style_hash, title ? " 'sha256-" : "",
            title ? lauka_html_many_style_hash : "", title ? "'" : "");
    if (title)
        fprintf(html->out, "<title>lauka: %s</title>\n", title);
    else
        put_title(html);
    fprintf(html->out, "<style>%s</style>\n", lauka_html_style);
    if (title)
        fprintf(html->out, "<style>%s</style>\n", lauka_html_many_style);
    fputs("</head>\n<body>\n", html->out);
}

static void put_key(const struct lauka_html *html)
{
    const struct lauka_result *result = html->result;
    const char *what = result->run.stopped == LAUKA_STOPPED_STORED ? "value" : "run";
    fputs("<ul class=\"key\">\n", html->out);
    for (size_t c = 0; c < result->command_count; c++) {
        uint64_t rounds = lauka_result_rounds(result, c);
        uint64_t failures = result->commands[c].failures;
        fputs("<li>", html->out);
        lauka_html_command(html, c, LAUKA_HTML_NAME_WIDTH);
        fprintf(html->out, " <span>%s%" PRIu64 " %s%s",
                c == 0 && result->command_count > 1 ? "reference, " : "", rounds, what,
                rounds == 1 ? "" : "s");
        if (failures > 0)
            fprintf(html->out, ", %" PRIu64 " failed", failures);
        fputs("</span></li>\n", html->out);
    }
    fputs("</ul>\n", html->out);
}

/* Which run ended the session, and what it wrote to stderr last. */
static void put_failure(const struct lauka_html *html)
{
    const struct lauka_result_failure *failure = &html->result->failure;
    const char *tail = failure->stderr_tail ? failure->stderr_tail : "";
    if (!failure->known)
        return;
    fputs("<p>", html->out);
    lauka_html_command(html, failure->command, LAUKA_HTML_NAME_WIDTH);
    fputc(' ', html->out);
    lauka_html_prose(failure->reason ? failure->reason : "failed", html->out);
    if (!failure->outside_rounds)
        fprintf(html->out, " in %sround %" PRIu64, failure->warmup ? "warm-up " : "",
                failure->round + 1);
    fputs(*tail ? "</p>\n<pre>" : "</p>\n", html->out);
    lauka_xml_lines(tail, html->out);
    fputs(*tail ? "</pre>\n" : "", html->out);
}

static void put_ending(const struct lauka_html *html)
{
    char text[2048];
    if (!*lauka_result_ending_sentence(html->result, text, sizeof text))
        return;
    text[0] = (char)toupper((unsigned char)text[0]);
    fputs("<p>", html->out);
    lauka_html_prose(text, html->out);
    fputs("</p>\n", html->out);
}

static void put_header(const struct lauka_html *html)
{
    char course[512];
    fputs("<header>\n", html->out);
    put_answers(html);
    put_failure(html);
    put_ending(html);
    lauka_result_course(html->result, true, course, sizeof course);
    fputs("<p class=\"course\">", html->out);
    lauka_html_prose(course, html->out);
    fputs("</p>\n", html->out);
    put_key(html);
    fputs("</header>\n", html->out);
}

/* ---- pictures -------------------------------------------------------------------------------- */

static void open_section(const struct lauka_html *html, const char *heading)
{
    const char *element = html->within ? "h3" : "h2";
    fprintf(html->out, "<section>\n<%s>", element);
    lauka_html_text(heading, html->out);
    fprintf(html->out, "</%s>\n", element);
}

static void put_aside(const struct lauka_html *html, const char *text)
{
    fprintf(html->out, "<p class=\"aside\">%s</p>\n", text);
}

/* What cannot be seen, and why. */
static void put_absences(const struct lauka_html *html, const struct lauka_picture *picture,
                         size_t command)
{
    const struct lauka_distribution *own = &picture->distributions[command];
    uint64_t fewest = picture->distributions[0].total;
    fewest = own->total < fewest ? own->total : fewest;
    if (own->total == 0)
        put_aside(html, "Not measured here.");
    else if (command > 0 && fewest < 5)
        put_aside(html, "Quantiles are not compared: that needs at least 5 runs of each.");
}

static bool is_at_floor(const struct lauka_picture *picture, size_t command)
{
    return lauka_result_view(picture->result, command, picture->metric).at_floor ||
           lauka_result_view(picture->result, 0, picture->metric).at_floor;
}

static void put_pair(struct lauka_html *html, const struct lauka_picture *picture, size_t command)
{
    if (html->result->command_count > 2) {
        fputs("<h3>", html->out);
        lauka_html_command(html, command, LAUKA_HTML_NAME_WIDTH);
        fputs("</h3>\n", html->out);
    }
    put_absences(html, picture, command);
    if (is_at_floor(picture, command)) {
        put_aside(html, "Not more than lauka itself uses: it supports no conclusion.");
        return;
    }
    fprintf(html->out, "<div class=\"charts%s\">\n",
            html->result->command_count != 2 ? " three" : "");
    lauka_chart_shift(picture, command, &html->svg);
    lauka_chart_ecdf(picture, command, &html->svg);
    lauka_chart_histogram(picture, command, &html->svg);
    if (html->result->command_count <= 2)
        lauka_chart_order(picture, &html->svg);
    fputs("</div>\n", html->out);
}

static void put_from_streams(const struct lauka_html *html)
{
    char share[32];
    double error = lauka_histogram_error(&html->result->commands[0].streams[0].histogram);
    fprintf(html->out,
            "<p class=\"aside\">Single runs were not kept, so their order cannot be shown; values "
            "come from a histogram, good to ±%s.</p>\n",
            lauka_format_share(error, share, sizeof share));
}

static int put_metric(struct lauka_html *html, size_t metric)
{
    const struct lauka_result *result = html->result;
    struct lauka_picture picture;
    int error = lauka_picture_of(result, metric, &picture);
    if (error)
        return error;
    const char *noun = lauka_metric_noun(result->metrics[metric].name);
    open_section(html, *noun ? noun : "value");
    if (result->command_count > 2) {
        fputs("<div class=\"charts\">\n", html->out);
        lauka_chart_forest(result, metric, &html->svg);
        lauka_chart_order(&picture, &html->svg);
        fputs("</div>\n", html->out);
    }
    if (result->commands[0].streams && metric < result->metric_count)
        put_from_streams(html);
    bool all = result->command_count <= 2 || metric == lauka_result_main_metric(result);
    for (size_t c = result->command_count > 1; c < result->command_count && all; c++)
        if (c <= PICTURED_COMMANDS)
            put_pair(html, &picture, c);
    if (all && result->command_count > PICTURED_COMMANDS + 1)
        put_aside(html, "Further commands are in the tables.");
    fputs("</section>\n", html->out);
    lauka_picture_done(&picture);
    return 0;
}

/* For the primary metrics, or the one that the answer is about. */
static int put_pictures(struct lauka_html *html)
{
    const struct lauka_result *result = html->result;
    const size_t main = lauka_result_main_metric(result);
    size_t pictured = 0;
    int error = 0;
    for (size_t m = 0; m < result->metric_count && !error; m++)
        if ((m == main || result->metrics[m].primary) && pictured++ < PICTURED_METRICS)
            error = put_metric(html, m);
    return error;
}

/* Intervals of every metric, followed by the notes and by where and how it was measured. */
static void put_glance(struct lauka_html *html)
{
    const struct lauka_result *result = html->result;
    bool forest = result->command_count == 2 && result->run.rounds > 0 && result->metric_count > 1;
    open_section(html, "At a glance");
    fputs("<div class=\"charts\">\n", html->out);
    if (forest)
        lauka_chart_forest(result, lauka_result_main_metric(result), &html->svg);
    for (size_t c = 1; c < result->command_count && lauka_result_has_hosts(result); c++)
        lauka_chart_hosts(result, c, lauka_result_main_metric(result), &html->svg);
    if (has_notes(result)) {
        fputs("<div>\n<h4>Notes</h4>\n", html->out);
        put_notes(html);
        fputs(forest ? "" : "</div>\n", html->out);
    }
    fputs(forest && has_notes(result) ? "" : "<div>\n", html->out);
    lauka_html_session(html);
    fputs("</div>\n</div>\n</section>\n", html->out);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static int put_numbers(struct lauka_html *html)
{
    const struct lauka_result *result = html->result;
    const size_t main = lauka_result_main_metric(result);
    int error = 0;
    open_section(html, "Numbers");
    lauka_html_summaries(html);
    for (size_t m = 0; m < result->metric_count && !error; m++)
        if (m == main || result->metrics[m].primary)
            error = lauka_html_percentiles(html, m);
    fputs("</section>\n", html->out);
    return error;
}

static int put_body(struct lauka_html *html)
{
    const struct lauka_result *result = html->result;
    int error = 0;
    if (lauka_result_has_gate(result))
        lauka_html_gate(html);
    error = lauka_html_why(html);
    if (error)
        return error;
    put_glance(html);
    if (result->run.rounds > 0 && result->metric_count > 0) {
        error = html->unpictured ? 0 : put_pictures(html);
        error = error ? error : put_numbers(html);
    }
    return error;
}

int lauka_html_benchmark(struct lauka_html *html)
{
    put_header(html);
    if (html->unpictured)
        put_aside(html, "Pictures are of the first benchmarks only: --benchmark draws this one.");
    return put_body(html);
}

int lauka_html_page(const struct lauka_result *result, FILE *out)
{
    struct lauka_html html = {.result = result, .out = out, .svg = {.out = out}};
    errno = 0;
    lauka_html_head(&html, NULL);
    put_header(&html);
    fputs("<main>\n", out);
    int error = put_body(&html);
    fputs("</main>\n</body>\n</html>\n", out);
    return error ? error : lauka_finish(out);
}
