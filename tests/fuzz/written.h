/* For the harnesses of stored results: what can be read can be analysed and written in every form, and
 * what was written as JSON can be read again. */
#ifndef LAUKA_TESTS_FUZZ_WRITTEN_H
#define LAUKA_TESTS_FUZZ_WRITTEN_H

#include <stdio.h>

#include "report/analysis/analysis.h"
#include "report/ci/ci.h"
#include "report/csv/csv.h"
#include "report/exports/exports.h"
#include "report/html/html.h"
#include "report/json/json.h"
#include "report/load/load.h"
#include "report/markdown/markdown.h"
#include "report/result/result.h"
#include "report/terminal/terminal.h"
#include "report/text/text.h"
#include "tests/fuzz/fuzz.h"

/* What people see first, on terminals of several widths. */
static inline void write_screens(const struct lauka_result *result, bool utf8, FILE *out)
{
    static const int widths[] = {20, 60, 80, 120};

    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        (void)lauka_write_screen(
            result, (struct lauka_terminal){.width = widths[w], .utf8 = utf8, .color = w % 2 == 0},
            out);
}

/* One of the documents of a session. */
static inline void write_document(const struct lauka_session *session, unsigned which, FILE *out)
{
    switch (which % 8) {
    case 2:
        (void)lauka_write_markdown(session, out);
        (void)lauka_write_pr_comment(session, NULL, out);
        break;
    case 3:
        (void)lauka_write_csv_session(session, out);
        (void)lauka_write_csv_percentiles_session(session, out);
        (void)lauka_write_csv_samples_session(session, out);
        break;
    case 4:
    case 5:
        (void)lauka_write_html(session, out);
        break;
    case 6:
        (void)lauka_write_bmf(session, out);
        (void)lauka_write_github_benchmark(session, out);
        (void)lauka_write_go_benchmark(session, out);
        break;
    default:
        (void)lauka_write_junit(session, out);
        (void)lauka_write_hlog(session, out);
    }
}

static inline FILE *nowhere(void)
{
    static FILE *null;

    if (!null)
        null = fopen("/dev/null", "w");
    fuzz_require(null != NULL);
    return null;
}

/* One of the forms of a benchmark alone. */
static inline void write_form(const struct lauka_result *result, unsigned which)
{
    const struct lauka_terminal terminal = {.width = 80, .utf8 = which & 8};
    struct lauka_result one = *result;

    switch (which % 8) {
    case 0:
        (void)lauka_write_table(result, terminal, nowhere());
        write_screens(result, which & 8, nowhere());
        break;
    case 1:
        (void)lauka_write_percentiles(result, terminal, nowhere());
        break;
    case 5:
        (void)lauka_write_plot(result, terminal, nowhere());
        break;
    default:
        write_document(&(struct lauka_session){&one, 1}, which, nowhere());
    }
}

/* The same of all benchmarks together. */
static inline void write_forms(const struct lauka_session *session, unsigned which)
{
    const struct lauka_terminal terminal = {.width = 80, .utf8 = which & 8};

    (void)lauka_write_step_summary(session, 100000, nowhere());
    if (session->benchmark_count == 1)
        return;
    if (which % 8 < 2)
        (void)lauka_write_overview(session, terminal, nowhere());
    else
        write_document(session, which, nowhere());
}

static inline void read_again(const struct lauka_session *session)
{
    struct lauka_session again;
    struct lauka_load_error error;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    fuzz_require(out != NULL);
    int failure = lauka_write_json_session(session, out);
    fuzz_require(fclose(out) == 0);
    const struct lauka_stored stored = {.name = "again", .bytes = text, .size = size};
    if (failure == 0) {
        failure = lauka_load_session(&stored, &again, &error);
        if (failure)
            fprintf(stderr, "%s\n%.4000s\n", error.text, text);
        fuzz_require(failure == 0);
        lauka_session_done(&again);
    }
    free(text);
}

typedef int fuzz_loader(const struct lauka_stored *stored, struct lauka_session *session,
                        struct lauka_load_error *error);

/* The first byte of the input selects what is done with the rest. column: of CSV; may be NULL. */
static inline void load_and_write(const uint8_t *bytes, size_t size, const char *column,
                                  fuzz_loader *load)
{
    struct lauka_session session = {0};
    struct lauka_load_error error = {0};
    char *copy = fuzz_text(bytes + 1, size - 1);
    const struct lauka_stored stored = {
        .name = "stored", .bytes = copy, .size = size - 1, .column = column};

    if (load(&stored, &session, &error) == 0 && lauka_session_analyse(&session) == 0) {
        for (size_t b = 0; b < session.benchmark_count && b < 4; b++)
            write_form(&session.benchmarks[b], bytes[0] >> 2);
        write_forms(&session, bytes[0] >> 2);
        read_again(&session);
    }
    lauka_session_done(&session);
    free(copy);
}

#endif
