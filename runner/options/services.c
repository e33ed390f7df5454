/* --ready, --service and --load: programs that run until they are ended, how lauka learns that they are ready, and what
 * is read of the load generators that people use. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

/* ---- --ready ---------------------------------------------------------------------------------------- */

static bool parse_tcp(const char *text, struct lauka_ready *ready, struct lauka_error *error)
{
    char *end;
    const unsigned long port = strtoul(text, &end, 10);

    ready->way = LAUKA_READY_TCP;
    ready->port = (uint16_t)port;
    return (*text >= '0' && *text <= '9' && !*end && port > 0 && port <= UINT16_MAX) ||
           lauka_misuse(
               error, "--ready tcp:%.100s: expected a port from 1 to 65535, as in tcp:8080", text);
}

static bool parse_unix(const char *text, struct lauka_ready *ready, struct lauka_error *error)
{
    const size_t room = sizeof((struct sockaddr_un *)NULL)->sun_path - 1;

    ready->way = LAUKA_READY_UNIX;
    ready->text = text;
    if (strlen(text) > room)
        return lauka_fail(error, LAUKA_EXIT_COMMAND_FAILED,
                          "--ready unix:%.300s: the path has %zu characters, and that of a socket "
                          "%zu at most; a relative path may be shorter",
                          text, strlen(text), room);
    return *text ||
           lauka_misuse(error, "--ready unix: the path of a socket is missing, as in unix:./sock");
}

static bool parse_ready(const char *text, struct lauka_options *options, struct lauka_error *error)
{
    struct lauka_ready *ready = &options->service.ready;

    *ready = (struct lauka_ready){.way = LAUKA_READY_TEXT, .text = text};
    if (strncmp(text, "tcp:", 4) == 0)
        return parse_tcp(text + 4, ready, error);
    if (strncmp(text, "unix:", 5) == 0)
        return parse_unix(text + 5, ready, error);
    if (strcmp(text, "fd") == 0)
        ready->way = LAUKA_READY_FD;
    else if (strncmp(text, "text:", 5) == 0)
        ready->text = text + 5;
    return (*ready->text && !strpbrk(ready->text, "\r\n")) ||
           lauka_misuse(
               error, "--ready %.100s: expected a text within one line, tcp:PORT, unix:PATH or fd",
               text);
}

/* ---- --load: what is read of each generator's output ------------------------------------------------- */

/* One read; its figure is called `name`. What is in ns comes with its unit. Several errors add up; of other reads of one
 * name the first that matches counts. */
struct read {
    const char *name, *unit, *pattern;
    bool optional;
};

enum { READS_MAX = 10 };

struct load_kind {
    const char *name;
    bool is_closed; /* its next request waits for an answer */
    const char *hint;
    struct read reads[READS_MAX];
};

#define TIME "([0-9.]+[a-z]+)"
#define COUNT "([0-9]+)"
#define RATE(pattern)                                                                              \
    {                                                                                              \
        "request_rate", "/s", pattern "([0-9.]+)", false                                           \
    }
#define ERRORS(pattern)                                                                            \
    {                                                                                              \
        "errors", "1", pattern, true                                                               \
    }
#define SOCKET_ERRORS "Socket errors: connect "
#define WRK_RATE_AND_ERRORS                                                                        \
    RATE("^Requests/sec: +"), ERRORS("Non-2xx or 3xx responses: " COUNT),                          \
        ERRORS(SOCKET_ERRORS COUNT), ERRORS(SOCKET_ERRORS "[0-9]+, read " COUNT),                  \
        ERRORS(SOCKET_ERRORS "[0-9]+, read [0-9]+, write " COUNT),                                 \
        ERRORS(SOCKET_ERRORS ".*timeout " COUNT)
#define OHA(percentile) "^ +" percentile "% in ([0-9.]+ [a-z]+)"
#define K6(percentile) "http_req_duration[.]+:.* " percentile "=([^ ]+)"
#define HDR(percentile) "^ *([0-9.]+) +" percentile

/* wrk: src/wrk.c of wrk and wrk2; oha: src/printer.rs; k6: internal/ui/summary; hdr: the text of
 * HdrHistogram's outputPercentileDistribution(), of which the first line at or beyond a percentile has its value. */
static const struct load_kind kinds[] = {
    {"wrk",
     true,
     "wrk writes percentiles with --latency",
     {{"p50", "ns", "^ +50% +" TIME, false},
      {"p90", "ns", "^ +90% +" TIME, false},
      {"p99", "ns", "^ +99% +" TIME, false},
      WRK_RATE_AND_ERRORS}},
    {"wrk2",
     false,
     "wrk2 writes percentiles with --latency",
     {{"p50", "ns", "^ +50[.]000% +" TIME, false},
      {"p90", "ns", "^ +90[.]000% +" TIME, false},
      {"p99", "ns", "^ +99[.]000% +" TIME, false},
      {"p99.9", "ns", "^ +99[.]900% +" TIME, false},
      WRK_RATE_AND_ERRORS}},
    {"oha",
     false,
     "oha writes percentiles as text without --output-format",
     {{"p50", "ns", OHA("50[.]00"), false},
      {"p90", "ns", OHA("90[.]00"), false},
      {"p99", "ns", OHA("99[.]00"), false},
      {"p99.9", "ns", OHA("99[.]90"), true},
      RATE("^ +Requests/sec:[[:blank:]]+"),
      ERRORS("^ +[[][45][0-9][0-9][]] " COUNT " responses"),
      ERRORS("^ +[[]" COUNT "[]] [b-zA-Z]")}}, /* "aborted" is usual */
    {"k6",
     false,
     "k6 writes percentiles with --summary-trend-stats 'med,p(90),p(99),p(99.9)'",
     {{"p50", "ns", K6("med"), false},
      {"p90", "ns", K6("p[(]90[)]"), false},
      {"p99", "ns", K6("p[(]99[)]"), true},
      {"p99.9", "ns", K6("p[(]99[.]9[)]"), true},
      {"request_rate", "/s", "http_reqs[.]+: +[0-9]+ +([0-9.]+)/s", false},
      ERRORS("http_req_failed[.]+: +[0-9.]+% +[^0-9]*" COUNT)}},
    {"hdr",
     false,
     "lines are \"VALUE PERCENTILE COUNT\", as HdrHistogram prints them",
     {{"p50", "ms", HDR("0[.][5-9]"), true},
      {"p50", "ms", HDR("1[.]0"), false},
      {"p90", "ms", HDR("0[.]9"), true},
      {"p90", "ms", HDR("1[.]0"), false},
      {"p99", "ms", HDR("0[.]99"), true},
      {"p99", "ms", HDR("1[.]0"), false},
      {"p99.9", "ms", HDR("0[.]999"), true},
      {"p99.9", "ms", HDR("1[.]0"), false}}},
    {.name = "read"}, /* what --read says, and nothing else */
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* hdr has a unit of its own, as in hdr:us. NULL: there is no such word. */
static const struct load_kind *find_kind(const char *text, const struct lauka_figure_unit **unit)
{
    const size_t length = strcspn(text, ":");

    *unit = text[length] ? lauka_figure_unit_find(text + length + 1, strlen(text + length + 1))
                         : lauka_figure_unit_find("ms", 2);
    for (size_t i = 0; i < KINDS; i++) {
        bool is_same = strlen(kinds[i].name) == length && strncmp(kinds[i].name, text, length) == 0;
        bool has_unit = *unit && strcmp((*unit)->unit, "ns") == 0;
        if (is_same && has_unit && (!text[length] || strcmp(kinds[i].name, "hdr") == 0))
            return &kinds[i];
    }
    return NULL;
}

bool option_take_load(const char *kind, const char *command, struct lauka_options *options,
                      struct lauka_error *error)
{
    const struct lauka_figure_unit *ignored;

    if (options->service.load)
        return lauka_misuse(error, "--load is given twice: all services get the same load");
    options->service.load_kind = kind;
    options->service.load = command;
    return find_kind(kind, &ignored) ||
           lauka_misuse(error,
                        "--load %.100s: expected wrk, wrk2, oha, k6, hdr, or read (what --read "
                        "says), and then the command: --load wrk 'wrk --latency -d5 http://...'",
                        kind);
}

static struct lauka_figure *add_figure(struct lauka_command *command, const char *name,
                                       const char *unit)
{
    struct lauka_figure *figure =
        lauka_arena_add(command->arena, &command->figures, &command->figure_count, sizeof *figure);

    figure->name = lauka_arena_text(command->arena, name);
    figure->unit = lauka_figure_unit_find(unit, strlen(unit));
    return figure;
}

static void add_read(struct lauka_command *command, const struct load_kind *kind,
                     const struct read *read, const struct lauka_figure_unit *hdr_unit)
{
    const bool is_error = strcmp(read->name, LAUKA_LOAD_ERRORS) == 0;
    struct lauka_figure *figure = add_figure(command, read->name, read->unit);

    if (strcmp(read->unit, "ms") == 0)
        figure->unit = hdr_unit;
    figure->pattern = read->pattern;
    figure->has_unit = strcmp(read->unit, "ns") == 0;
    figure->is_first = !is_error;
    figure->optional = read->optional;
    figure->absent = is_error ? 0 : NAN; /* no line tells of none */
    figure->adds = is_error;
    figure->is_detail = is_error;
    figure->hint = kind->hint;
}

/* What lauka measures of the service itself, behind what the load tells. */
static void add_measured(struct lauka_command *command, const char *name, const char *unit,
                         bool detail)
{
    struct lauka_figure *figure = add_figure(command, name, unit);

    figure->measured = true;
    figure->is_detail = detail;
}

static bool make_load(const struct lauka_options *options, struct lauka_command *command,
                      struct lauka_error *error)
{
    const struct lauka_service_options *service = &options->service;
    const struct lauka_figure_unit *unit;
    const struct load_kind *kind = find_kind(service->load_kind, &unit);
    const char *text = lauka_command_substitute(command, service->load);
    struct lauka_command *load = lauka_arena_take(options->arena, sizeof *load);

    if (!(options->run.shell
              ? lauka_command_for_shell(options->arena, options->run.shell, text, load, error)
              : lauka_command_parse(options->arena, text, load, error)))
        return false;
    load->is_load = true;
    load->output = LAUKA_OUTPUT_KEPT;
    command->load = load;
    for (size_t i = 0; i < READS_MAX && kind->reads[i].name; i++)
        add_read(command, kind, &kind->reads[i], unit);
    return true;
}

/* ---- what follows from all of them ------------------------------------------------------------------- */

/* What has no meaning where a program goes on until it is ended, or where lauka reads what it writes. */
static bool fits(const struct lauka_given *given, struct lauka_error *error)
{
    static const char *const refused[] = {"input",         "output",           "show-output",
                                          "expect-exit",   "keep-orphans",     "layouts",
                                          "link",          "counters",         "events",
                                          "why",           "sampled",          "period",
                                          "backend",       "require-core",     "tree-memory",
                                          "per-core-type", "require-counters", "multiplex",
                                          "no-multiplex",  "fixed-layout",     "reference"};

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (given->row->name && strcmp(given->row->name, refused[i]) == 0)
            return lauka_misuse(
                error,
                "--%s cannot be combined with --ready: what is measured runs until it is ended",
                refused[i]);
    return true;
}

static bool check_parts(const struct lauka_options *options, struct lauka_error *error)
{
    const struct lauka_service_options *service = &options->service;
    const bool serves = service->services.count > 0;
    const char *lacks =
        serves && !service->load ? "--service needs --load: what is run against it"
        : serves && service->ready.way == LAUKA_READY_NOT_ASKED
            ? "--service needs --ready: how lauka learns that it is ready, as in "
              "--ready tcp:8080"
        : !serves && service->load ? "--load needs --service: what it is run against"
        : !serves && (lauka_arguments_find(options->arguments, OPTION_KEEP_SERVICE) ||
                      lauka_arguments_find(options->arguments, OPTION_SERVICE_WARMUP))
            ? "--keep-service and --service-warmup need --service"
            : NULL;

    if (lacks)
        return lauka_misuse(error, "%s", lacks);
    for (size_t i = 0; service->ready.way && i < options->arguments->given_count; i++)
        if (!fits(&options->arguments->given[i], error))
            return false;
    return true;
}

/* wrk is one, and so are these, which only --read understands. */
static bool is_closed_loop(const struct lauka_options *options)
{
    static const char *const closed[] = {"ab",         "hey",        "redis-benchmark",  "siege",
                                         "bombardier", "autocannon", "memtier_benchmark"};
    const char *path = options->run.commands[0].load->argv[0], *slash = strrchr(path, '/');
    const struct lauka_figure_unit *ignored;
    bool is = find_kind(options->service.load_kind, &ignored)->is_closed;

    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++)
        is = is || strcmp(slash ? slash + 1 : path, closed[i]) == 0;
    return is;
}

bool option_make_services(struct lauka_options *options, struct lauka_error *error)
{
    struct lauka_service_options *service = &options->service;
    const bool serves = service->services.count > 0;

    if ((service->ready_text && !parse_ready(service->ready_text, options, error)) ||
        !check_parts(options, error))
        return false;
    for (size_t c = 0; serves && c < options->run.command_count; c++)
        if (!make_load(options, &options->run.commands[c], error))
            return false;
    if (serves && is_closed_loop(options))
        service->closed_loop = options->run.commands[0].load->argv[0];
    if (serves && !lauka_arguments_find(options->arguments, OPTION_WARMUP))
        options->measure.warmup = 0; /* each start has a warm-up of its own */
    return true;
}

bool option_lead_services(struct lauka_options *options, struct lauka_error *error)
{
    const bool serves = options->service.services.count > 0;

    for (size_t c = 0; serves && c < options->run.command_count; c++) {
        struct lauka_command *command = &options->run.commands[c];
        for (size_t i = 0; i < command->figure_count; i++)
            command->load->reports |= !command->figures[i].pattern;
        if (command->figure_count == 0)
            return lauka_misuse(
                error,
                "--load read: nothing is read of it; name a figure: --read 'p50:ms=p50 ([0-9.]+)'");
        command->output = LAUKA_OUTPUT_NULL;
        command->reports = false;
        command->load->timeout_ns = command->timeout_ns;
        add_measured(command, LAUKA_SERVICE_CPU_TIME, "ns", false);
        add_measured(command, LAUKA_SERVICE_PEAK_RSS, "B", false);
        add_measured(command, LAUKA_TIME_TO_READY, "ns", true);
    }
    if (options->service.ready.way == LAUKA_READY_NOT_ASKED ||
        strcmp(options->judge.primary, LAUKA_PRIMARY) != 0)
        return true;
    options->judge.primary =
        serves ? options->run.commands[0].figures[0].name : LAUKA_TIME_TO_READY;
    options->judge.primary_follows = true;
    return true;
}
