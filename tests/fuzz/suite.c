/* What programs with benchmarks write: lauka-bench/1's answers, and the output of each framework; the
 * first byte selects which. What is accepted is possible. */
#include "runner/suite/suite.h"

#include <errno.h>
#include <math.h>

#include "tests/fuzz/fuzz.h"

static void check_figures(const struct lauka_inner_answer *answer)
{
    fuzz_require(answer->figure_count <= LAUKA_INNER_FIGURES);
    for (size_t i = 0; i < answer->figure_count; i++) {
        const struct lauka_inner_figure *figure = &answer->figures[i];
        fuzz_require(*figure->name && strlen(figure->name) < sizeof figure->name);
        fuzz_require(figure->unit != NULL);
        fuzz_require(isfinite(figure->value) && figure->value >= 0);
    }
}

static void check_metrics(const struct lauka_inner_answer *answer)
{
    struct lauka_inner_figures figures = {0};
    double values[LAUKA_FIGURES_MAX];

    fuzz_require(lauka_inner_figures_note(&figures, 0, answer) == 0);
    (void)lauka_inner_figures_fill(&figures, 0, answer, values);
    fuzz_require(figures.tells.figure_count <= LAUKA_FIGURES_MAX);
    lauka_inner_figures_done(&figures);
}

static void read_answer(const char *text)
{
    struct lauka_inner_answer answer;
    char why[100] = "";

    if (!lauka_answer_read(text, &answer, why, sizeof why)) {
        fuzz_require(*why);
        return;
    }
    fuzz_require(answer.wall_ns >= 0 && answer.wall_ns <= 1e18 && answer.cpu_ns <= 1e18);
    check_figures(&answer);
    check_metrics(&answer);
}

/* A name is not always in the text that has its times. */
static void read_run(const struct lauka_adapter *adapter, const char *text, const char *name)
{
    struct lauka_inner_answers answers = {0};
    uint64_t iterations = 0;
    int failure = adapter->read_run(text, name, &answers, &iterations);

    fuzz_require(failure == 0 || failure == EINVAL);
    fuzz_require(memchr(answers.why, '\0', sizeof answers.why) != NULL);
    for (size_t i = 0; i < answers.count; i++) {
        const struct lauka_inner_answer *answer = &answers.answers[i];
        fuzz_require(isfinite(answer->wall_ns) && answer->wall_ns >= 0);
        fuzz_require(isfinite(answer->cpu_ns));
        check_figures(answer);
        check_metrics(answer);
    }
    lauka_inner_answers_done(&answers);
}

static void cut_names(const struct lauka_adapter *adapter, const struct lauka_inner_names *names)
{
    const struct lauka_inner_names sides[2] = {
        *names, {.names = names->names, .count = names->count / 2 + 1}};
    size_t cuts[2] = {0};

    if (!adapter->cut || names->count == 0)
        return;
    adapter->cut(sides, cuts);
    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; i < sides[s].count; i++)
            fuzz_require(strlen(sides[s].names[i]) > cuts[s]);
}

static void read_framework(const struct lauka_adapter *adapter, const char *text)
{
    struct lauka_inner_names names = {0}, whole = {0};
    int failure = adapter->read_list(text, &names);

    fuzz_require(failure == 0 || failure == EINVAL);
    fuzz_require(!names.unsure || (names.count > 0 && adapter->read_list_whole));
    cut_names(adapter, &names);
    for (size_t i = 0; i < names.count && i < 4; i++) {
        fuzz_require(*names.names[i]);
        read_run(adapter, text, names.names[i]);
    }
    if (adapter->read_list_whole)
        fuzz_require(adapter->read_list_whole(text, &whole) == 0);
    if (adapter->is_through)
        (void)adapter->is_through(text);
    read_run(adapter, text, "a");
    lauka_inner_names_done(&names);
    lauka_inner_names_done(&whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size == 0)
        return 0;
    char *text = fuzz_text(bytes + 1, size - 1);
    const struct lauka_adapter *adapter = lauka_adapters[bytes[0] % lauka_adapter_count];
    if (adapter->talks)
        read_answer(text);
    else
        read_framework(adapter, text);
    free(text);
    return 0;
}
