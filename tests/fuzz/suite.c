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
        fuzz_require(*figure->unit && strlen(figure->unit) < sizeof figure->unit);
        fuzz_require(isfinite(figure->value) && figure->value >= 0);
    }
}

static void check_metrics(const struct lauka_inner_answer *answer)
{
    struct lauka_inner_figures figures = {0};
    uint64_t values[LAUKA_FIGURES_MAX];

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

static void read_framework(const struct lauka_adapter *adapter, const char *text)
{
    struct lauka_inner_names names = {0};
    int failure = adapter->read_list(text, &names);

    fuzz_require(failure == 0 || failure == EINVAL);
    for (size_t i = 0; i < names.count && i < 4; i++) {
        struct lauka_inner_answers answers = {0};
        uint64_t iterations = 0;
        fuzz_require(*names.names[i]);
        failure = adapter->read_run(text, names.names[i], &answers, &iterations);
        fuzz_require(failure == 0 || failure == EINVAL);
        for (size_t a = 0; a < answers.count; a++) {
            fuzz_require(isfinite(answers.answers[a].wall_ns) && answers.answers[a].wall_ns >= 0);
            check_figures(&answers.answers[a]);
            check_metrics(&answers.answers[a]);
        }
        lauka_inner_answers_done(&answers);
    }
    lauka_inner_names_done(&names);
}

/* Criterion's names are not in the text that has its times. */
static void read_criterion(const char *text)
{
    struct lauka_inner_answers answers = {0};
    uint64_t iterations = 0;
    int failure = lauka_criterion_read(text, "a", &answers, &iterations);

    fuzz_require(failure == 0 || failure == EINVAL);
    lauka_inner_answers_done(&answers);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size == 0)
        return 0;
    char *text = fuzz_text(bytes + 1, size - 1);
    const struct lauka_adapter *adapter = &lauka_adapters[bytes[0] % lauka_adapter_count];
    if (adapter->talks)
        read_answer(text);
    else
        read_framework(adapter, text);
    if (adapter->framework == LAUKA_FRAMEWORK_CRITERION)
        read_criterion(text);
    free(text);
    return 0;
}
