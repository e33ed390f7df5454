/* Known answers: each *.json of tests/vectors/stats, or of the directory given, has one pair of commands
 * and the expected results. They were computed with scipy, R and exact arithmetic. */
#include "stats/stats.h"

#include <dirent.h>

#include <cjson/cJSON.h>

#include "stats/crossover.h"
#include "stats/units.h"
#include "stats/means.h"
#include "tests/unit/numbers.h"

static const char *directory_name = "tests/vectors/stats";

/* The tolerance of p-values from scipy and R, and of all other numbers. */
static const double of_p = 1e-6, of_numbers = 1e-9;

/* scipy 1.10's quantile of Student's t has this error (at 0.975 and 49 degrees of freedom it is
 * 2.00957523449, not 2.00957523713). It is most visible in interval ends near 0. */
static const double of_t_ends = 1e-8;

/* The file that is being checked. */
static const char *id;

static const cJSON *at(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!item) {
        printf("%s: no key %s\n", id, name);
        expect_ok = false;
    }
    return item;
}

static void say(const char *name, const cJSON *expected, struct lauka_optional actual)
{
    printf("%s: %s is %s%.17g, not ", id, name, actual.known ? "" : "unknown, ", actual.value);
    if (cJSON_IsNumber(expected))
        printf("%.17g\n", expected->valuedouble);
    else
        printf("%s\n", cJSON_IsNull(expected) ? "null" : "there");
    expect_ok = false;
}

/* null in the file means that the value is unknown. */
static void check_within(const cJSON *expected, const char *name, struct lauka_optional actual,
                         double tolerance)
{
    const cJSON *item = at(expected, name);
    bool as_expected = cJSON_IsNumber(item)
                           ? actual.known && near(actual.value, item->valuedouble, tolerance)
                           : cJSON_IsNull(item) && unknown(actual);
    if (!as_expected)
        say(name, item, actual);
}

static void check_optional(const cJSON *expected, const char *name, struct lauka_optional actual)
{
    check_within(expected, name, actual, of_numbers);
}

static void check_number(const cJSON *expected, const char *name, double actual)
{
    check_optional(expected, name, (struct lauka_optional){true, actual});
}

static void check_exact(const cJSON *expected, const char *name, uint64_t actual)
{
    const cJSON *item = at(expected, name);
    if (!cJSON_IsNumber(item) || item->valuedouble != (double)actual)
        say(name, item, (struct lauka_optional){true, (double)actual});
}

static void check_word(const cJSON *expected, const char *name, const char *actual)
{
    const char *word = cJSON_GetStringValue(at(expected, name));
    if (!word || !actual || strcmp(word, actual) != 0) {
        printf("%s: %s is %s, not %s\n", id, name, actual ? actual : "(null)", word ? word : "?");
        expect_ok = false;
    }
}

/* ---- one series ---- */

/* Keys are percentages with up to three decimals: "99.999" is 999990000 parts of 10^9. */
static uint32_t rank_of(const char *key)
{
    char *end;
    unsigned long whole = strtoul(key, &end, 10), part = 0;
    unsigned long unit = 10000000;
    if (*end == '.')
        for (end++; *end; end++) {
            unit /= 10;
            part += (unsigned long)(*end - '0') * unit;
        }
    return (uint32_t)(whole * 10000000 + part);
}

static void check_order(const cJSON *all, const struct lauka_series *series)
{
    size_t count = series->count;
    uint64_t outliers = 0, *sorted = malloc(count * sizeof *sorted);
    EXPECT(sorted && lauka_series_measured(series, sorted) == count);
    EXPECT(lauka_sort_integers(sorted, count) == 0);
    struct lauka_robust robust = lauka_robust_of(sorted, count);
    for (size_t i = 0; i < count; i++)
        outliers += lauka_robust_is_outlier(&robust, robust.mad, sorted[i]);
    check_number(all, "mad", robust.mad);
    check_exact(all, "outliers_mad10", outliers);

    const cJSON *item, *expected = at(all, "percentiles_nearest_rank");
    cJSON_ArrayForEach(item, expected) check_exact(
        expected, item->string, lauka_sorted_quantile(sorted, count, rank_of(item->string)));
    free(sorted);
}

static void check_summary(const cJSON *expected, const struct lauka_series *series)
{
    struct lauka_summary summary;
    EXPECT(lauka_summarize(series, &summary) == 0);
    check_exact(expected, "n", summary.count);
    check_exact(expected, "min", summary.min);
    check_exact(expected, "max", summary.max);
    check_exact(expected, "outliers_tukey", summary.outliers);
    check_number(expected, "mean", summary.mean);
    check_number(expected, "median", summary.median);
    check_optional(expected, "sd", summary.stddev);
    const cJSON *percentiles = at(expected, "percentiles_linear");
    check_number(percentiles, "25", summary.first_quartile);
    check_number(percentiles, "75", summary.third_quartile);
    check_order(expected, series);
}

/* ---- two series ---- */

static void check_delta(const cJSON *expected, const struct lauka_comparison *comparison)
{
    check_optional(expected, "mean_ratio", comparison->mean_ratio);
    check_optional(expected, "median_ratio", comparison->median_ratio);
    check_optional(expected, "min_ratio", comparison->min_ratio);
    check_optional(expected, "geomean_ratio", comparison->geomean_ratio);
    check_optional(expected, "cohens_d", comparison->cohens_d);
    check_optional(expected, "hedges_g", comparison->hedges_g);
}

static double *doubles_of(const struct lauka_series *series)
{
    double *values = malloc(series->count * sizeof *values);
    if (!values)
        abort();
    for (size_t i = 0; i < series->count; i++)
        values[i] = (double)lauka_series_at(series, i);
    EXPECT(lauka_sort_doubles(values, series->count) == 0);
    return values;
}

static void check_mann_whitney(const cJSON *expected, const struct lauka_series *a,
                               const struct lauka_series *b)
{
    struct lauka_mann_whitney test;
    double *left = doubles_of(a), *right = doubles_of(b);
    lauka_mann_whitney(left, a->count, right, b->count, &test);
    check_number(expected, "U_b", test.u);
    EXPECT(test.ties == cJSON_IsTrue(at(expected, "ties")));
    check_within(expected, "p_exact", test.p_exact, of_p);
    check_within(expected, "p_normal_cc", test.p_normal, of_p);
    free(left);
    free(right);
}

static void check_t(const cJSON *expected, const struct lauka_differences *differences)
{
    struct lauka_location t;
    check_number(expected, "mean", lauka_differences_mean(differences));
    if (!lauka_locate_paired_t(differences, 0.05, &t)) {
        EXPECT(cJSON_IsNull(at(expected, "t")));
        return;
    }
    check_within(expected, "p", t.p, of_p);
    check_within(expected, "lo", t.low, of_t_ends);
    check_within(expected, "hi", t.high, of_t_ends);
}

static void check_ranks(const cJSON *expected, const struct lauka_differences *differences)
{
    static const struct {
        const char *name;
        double alpha;
    } levels[] = {{"ci95", 0.05}, {"ci99", 0.01}, {"ci99.75", 0.0025}};
    const cJSON *wilcoxon = at(expected, "wilcoxon"), *hl = at(expected, "hl");
    for (size_t i = 0; i < COUNT(levels); i++) {
        struct lauka_location location;
        EXPECT(lauka_locate_signed_rank(differences, levels[i].alpha, &location) == 0);
        check_number(hl, "estimate", location.estimate);
        check_exact(wilcoxon, "T_nonpos", location.at_most_zero);
        check_exact(wilcoxon, "T_nonneg", location.at_least_zero);
        check_within(wilcoxon, "p_lauka", location.p, of_p);
        const cJSON *interval = at(hl, levels[i].name);
        check_exact(interval, "c", location.critical);
        check_optional(interval, "lo", location.low);
        check_optional(interval, "hi", location.high);
        /* A difference is claimed exactly when it is significant. */
        bool excluded = location.low.known && (location.low.value > 0 || location.high.value < 0);
        EXPECT(excluded == (location.p.value <= levels[i].alpha));
    }
}

static void check_paired(const cJSON *expected, const struct lauka_series *a,
                         const struct lauka_series *b)
{
    bool as_ratio = strcmp(cJSON_GetStringValue(at(expected, "scale")), "ratio") == 0;
    double *values = malloc(a->count * sizeof *values);
    if (!values)
        abort();
    for (size_t i = 0; i < a->count; i++)
        values[i] = lauka_contrast_distance(lauka_series_at(a, i), lauka_series_at(b, i), as_ratio);
    EXPECT(lauka_sort_doubles(values, a->count) == 0);
    struct lauka_differences differences = {.values = values, .length = a->count};
    check_t(at(expected, "t"), &differences);
    check_ranks(expected, &differences);
    free(values);
}

static void check_verdict(const cJSON *expected, const struct lauka_comparison *comparison)
{
    static const char *const methods[] = {
        [LAUKA_METHOD_NONE] = "none",         [LAUKA_METHOD_HODGES_LEHMANN] = "hl",
        [LAUKA_METHOD_PAIRED_T] = "t",        [LAUKA_METHOD_EXACT] = "exact",
        [LAUKA_METHOD_UNPAIRED] = "unpaired",
    };
    bool as_ratio = !comparison->difference.known;
    if (comparison->method == LAUKA_METHOD_MEAN) { /* the vectors were computed with ranks */
        struct lauka_optional low = as_ratio ? comparison->log_low : comparison->difference_low;
        struct lauka_optional high = as_ratio ? comparison->log_high : comparison->difference_high;
        double middle = as_ratio ? comparison->log_ratio.value : comparison->difference.value;
        EXPECT(!low.known || (low.value <= middle && middle <= high.value));
        return;
    }
    check_word(expected, "ci_method", methods[comparison->method]);
    check_word(expected, "verdict", lauka_verdict_name(comparison->verdict));
    check_optional(expected, "lo", as_ratio ? comparison->log_low : comparison->difference_low);
    check_optional(expected, "hi", as_ratio ? comparison->log_high : comparison->difference_high);
    check_optional(expected, "ratio", comparison->ratio);
    check_optional(expected, "ratio_lo", comparison->low);
    check_optional(expected, "ratio_hi", comparison->high);
}

static void check_gate(const cJSON *expected, const struct lauka_series *a,
                       const struct lauka_series *b)
{
    const cJSON *gate;
    cJSON_ArrayForEach(gate, expected)
    {
        struct lauka_limit limit = {.share = {true, strtod(gate->string, NULL) / 100}};
        struct lauka_judgement judgement;
        EXPECT(lauka_limit_judge(&limit, a, b, fixed.alpha, false, &judgement) == 0);
        check_word(expected, gate->string, lauka_gate_name(judgement.verdict));
    }
}

static struct lauka_series series_from_json(const cJSON *array)
{
    struct lauka_series series = {0};
    if (lauka_series_reserve(&series, (size_t)cJSON_GetArraySize(array)) != 0)
        abort();
    const cJSON *item;
    cJSON_ArrayForEach(item, array) lauka_series_add(&series, (uint64_t)item->valuedouble);
    return series;
}

static void check_vector(const cJSON *vector)
{
    id = cJSON_GetStringValue(at(vector, "id"));
    const cJSON *expected = at(vector, "expected");
    struct lauka_series a = series_from_json(at(vector, "a"));
    struct lauka_series b = series_from_json(at(vector, "b"));
    struct lauka_comparison comparison;
    EXPECT(lauka_compare(&a, &b, &fixed, &comparison) == 0);
    EXPECT_UINT(comparison.pairs, a.count);

    check_summary(at(expected, "a"), &a);
    check_summary(at(expected, "b"), &b);
    check_delta(at(expected, "delta"), &comparison);
    check_mann_whitney(at(expected, "mann_whitney"), &a, &b);
    check_paired(at(expected, "paired"), &a, &b);
    check_verdict(at(expected, "lauka"), &comparison);
    if (comparison.method != LAUKA_METHOD_MEAN)
        check_gate(at(at(expected, "lauka"), "gate"), &a, &b);
    lauka_series_done(&a);
    lauka_series_done(&b);
}

/* ---- rules of evidence ---- */

enum { MOST = 1000 };

static double number_at(const cJSON *object, const char *name)
{
    return cJSON_GetNumberValue(at(object, name));
}

static size_t numbers_at(const cJSON *object, const char *name, double *numbers)
{
    size_t count = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, at(object, name)) numbers[count++] = item->valuedouble;
    EXPECT(count > 0 && count <= MOST);
    return count;
}

static size_t indices_at(const cJSON *object, const char *name, uint32_t *indices)
{
    double numbers[MOST];
    size_t count = numbers_at(object, name, numbers);
    for (size_t i = 0; i < count; i++)
        indices[i] = (uint32_t)numbers[i];
    return count;
}

static void check_words(const cJSON *expected, const char *name, const bool *actual)
{
    const cJSON *item;
    size_t i = 0;
    cJSON_ArrayForEach(item, at(expected, name)) EXPECT(cJSON_IsTrue(item) == actual[i++]);
    EXPECT(i > 0);
}

static void check_effective(const cJSON *one)
{
    double values[MOST], room[MOST];
    size_t count = numbers_at(one, "values", values);
    check_number(one, "number", lauka_effective_number(values, count, room));
}

static void check_budgets(const cJSON *one)
{
    struct lauka_series series = series_from_json(at(one, "values"));
    struct lauka_limit limit = {.most = lauka_known(number_at(one, "most"))};
    struct lauka_judgement judgement;
    EXPECT(lauka_budget_judge(&limit, &series, number_at(one, "alpha"), &judgement) == 0);
    check_number(one, "effective", judgement.effective);
    check_optional(one, "value", judgement.value);
    check_optional(one, "low", judgement.value_low);
    check_optional(one, "high", judgement.value_high);
    check_optional(one, "p", judgement.p);
    lauka_series_done(&series);
}

static void check_means(const cJSON *one)
{
    double a[MOST], b[MOST], low, high;
    size_t left = numbers_at(one, "a", a), right = numbers_at(one, "b", b);
    struct lauka_mean_ratio means;
    if (cJSON_IsTrue(at(one, "paired")))
        lauka_mean_ratio_paired(a, b, left, &means);
    else
        lauka_mean_ratio_unpaired(a, left, b, right, &means);
    EXPECT(lauka_mean_ratio_interval(&means, 0.05, &low, &high));
    check_number(one, "low", low);
    check_number(one, "high", high);
    check_number(one, "above", lauka_mean_ratio_above(&means, 0.01));
    check_number(one, "below", lauka_mean_ratio_below(&means, 0.01));
    lauka_mean_difference_interval(&means, 0.05, &low, &high);
    check_number(one, "difference_low", low);
    check_number(one, "difference_high", high);
}

static void check_far_values(const cJSON *one)
{
    struct lauka_series a = series_from_json(at(one, "a")), b = series_from_json(at(one, "b"));
    bool differ;
    EXPECT(lauka_means_far(&a, &b, &differ) == 0);
    EXPECT(differ == cJSON_IsTrue(at(one, "differ")));
    lauka_series_done(&a);
    lauka_series_done(&b);
}

static void check_steps(const cJSON *one)
{
    struct lauka_series a = series_from_json(at(one, "a")), b = series_from_json(at(one, "b"));
    struct lauka_moments left, right;
    struct lauka_steps steps;
    lauka_moments_of(&a, &left);
    lauka_moments_of(&b, &right);
    EXPECT(lauka_steps_find(&a, &left, &b, &right, &fixed, &steps) == 0);
    check_exact(one, "zone", steps.zone);
    check_number(one, "width", steps.width);
    lauka_series_done(&a);
    lauka_series_done(&b);
}

static void check_rounding(const cJSON *one)
{
    struct lauka_series series = series_from_json(at(one, "values"));
    const uint64_t *sorted = lauka_series_widen(&series);
    check_number(one, "off", lauka_steps_rounding(sorted, series.count, number_at(one, "width")));
    lauka_series_done(&series);
}

static void check_crossovers(const cJSON *one)
{
    uint32_t first[MOST];
    double values[MOST];
    struct lauka_series a = series_from_json(at(one, "a")), b = series_from_json(at(one, "b"));
    struct lauka_crossover crossover;
    struct lauka_location location = {.low = lauka_known(-HUGE_VAL), .high = lauka_known(HUGE_VAL)};
    location.p = lauka_known(1); /* so that nothing is left of the other test */
    size_t count = indices_at(one, "first", first);
    lauka_contrast_distances(&a, &b, true, values);
    EXPECT(lauka_crossover_open(&crossover, values, first, count, 0.05) == 0);
    EXPECT(lauka_crossover_share(&crossover, &location) == 0);
    check_number(one, "estimate", location.estimate);
    check_within(one, "low", location.low, of_t_ends);
    check_within(one, "high", location.high, of_t_ends);
    check_optional(one, "p", location.p);
    lauka_crossover_done(&crossover);
    lauka_series_done(&a);
    lauka_series_done(&b);
}

static void check_places(const cJSON *one)
{
    struct lauka_series series[3];
    const struct lauka_series *const pointers[] = {&series[0], &series[1], &series[2]};
    uint32_t order[MOST];
    double cost;
    for (int i = 0; i < 3; i++)
        series[i] = series_from_json(cJSON_GetArrayItem(at(one, "series"), i));
    indices_at(one, "order", order);
    EXPECT(lauka_places_cost(pointers, 3, order, &cost) == 0);
    check_number(one, "cost", cost);
    for (int i = 0; i < 3; i++)
        lauka_series_done(&series[i]);
}

static void check_pooled(const cJSON *one)
{
    double a[MOST], b[MOST];
    size_t count = numbers_at(one, "a", a);
    struct lauka_location location;
    struct lauka_optional above = {0};
    EXPECT(numbers_at(one, "b", b) == count);
    EXPECT(lauka_locate_pooled(a, b, count, 0.05, lauka_known(number_at(one, "limit")), &location,
                               &above) == 0);
    EXPECT(location.low.known == cJSON_IsTrue(at(one, "suits")));
    if (!location.low.known)
        return;
    check_number(one, "estimate", location.estimate);
    check_optional(one, "low", location.low);
    check_optional(one, "high", location.high);
    check_optional(one, "p", location.p);
    check_optional(one, "above", above);
}

static void check_units(const cJSON *one)
{
    uint32_t unit[MOST];
    double values[MOST], expected[MOST];
    struct lauka_spread spread;
    for (int by_mean = 0; by_mean < 2; by_mean++) {
        size_t units = numbers_at(one, by_mean ? "means" : "medians", expected);
        size_t count = numbers_at(one, "values", values);
        EXPECT(indices_at(one, "unit", unit) == count);
        EXPECT(lauka_units_collapse(values, unit, by_mean, &count, &spread) == 0);
        EXPECT(count == units);
        for (size_t i = 0; i < units; i++)
            EXPECT_NEAR(values[i], expected[i], 1e-9 * expected[i]);
        check_optional(one, "within", spread.within);
        check_optional(one, "between", spread.between);
    }
}

static void check_hosts(const cJSON *one)
{
    double logs[MOST];
    size_t count = numbers_at(one, "logs", logs);
    struct lauka_comparison hosts[10], all = {.pairs = 1};
    const struct lauka_comparison *pointers[10];
    for (size_t i = 0; i < count; i++) {
        hosts[i] = (struct lauka_comparison){.confidence = 0.95, .log_ratio = lauka_known(logs[i])};
        pointers[i] = &hosts[i];
    }
    lauka_hosts_pool(pointers, count, 0.05, 0.01, &all);
    check_optional(one, "estimate", all.log_ratio);
    check_within(one, "low", all.log_low, of_t_ends);
    check_within(one, "high", all.log_high, of_t_ends);
    check_optional(one, "p", all.p);
}

static void check_families(const cJSON *one)
{
    double numbers[MOST], weights[MOST];
    struct lauka_optional p[MOST];
    bool stands[MOST];
    size_t count = numbers_at(one, "p", numbers);
    for (size_t i = 0; i < count; i++)
        p[i] = lauka_known(numbers[i]);
    numbers_at(one, "weights", weights);
    EXPECT(lauka_family_holm(p, weights, count, number_at(one, "alpha"), stands) == count);
    check_words(one, "stands", stands);
}

static void check_gates(const cJSON *one)
{
    double numbers[MOST];
    struct lauka_judgement judgements[MOST], *pointers[MOST];
    bool stands[MOST];
    size_t count = numbers_at(one, "p", numbers);
    for (size_t i = 0; i < count; i++) {
        judgements[i] =
            (struct lauka_judgement){.verdict = LAUKA_GATE_FAIL, .p = lauka_known(numbers[i])};
        pointers[i] = &judgements[i];
    }
    EXPECT(lauka_limit_judge_family(pointers, count, number_at(one, "alpha")) == 0);
    for (size_t i = 0; i < count; i++)
        stands[i] = judgements[i].verdict == LAUKA_GATE_FAIL;
    check_words(one, "stands", stands);
}

/* Freed by the caller; NULL if the file cannot be read. */
static cJSON *read_json(const char *path)
{
    static char text[1 << 22];
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    return length < sizeof text ? cJSON_ParseWithLength(text, length) : NULL;
}

static void every_known_answer_is_met(void)
{
    DIR *directory = opendir(directory_name);
    EXPECT(directory != NULL);
    if (!directory)
        return;

    int checked = 0;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        if (!strstr(entry->d_name, ".json"))
            continue;
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", directory_name, entry->d_name);
        cJSON *vector = read_json(path);
        EXPECT(vector != NULL);
        if (vector)
            check_vector(vector);
        cJSON_Delete(vector);
        checked++;
    }
    closedir(directory);
    EXPECT(checked > 0);
    printf("%d files of known answers\n", checked);
}

static void rules_of_evidence_are_those_of_scipy(void)
{
    static const struct {
        const char *name;
        void (*check)(const cJSON *one);
    } rules[] = {
        {"effective", check_effective},   {"budgets", check_budgets}, {"means", check_means},
        {"far_values", check_far_values}, {"steps", check_steps},     {"rounding", check_rounding},
        {"crossovers", check_crossovers}, {"places", check_places},   {"pooled", check_pooled},
        {"units", check_units},           {"hosts", check_hosts},     {"families", check_families},
        {"gates", check_gates},
    };
    cJSON *document = read_json("tests/vectors/evidence/evidence.json");
    EXPECT(cJSON_GetArraySize(document) == (int)COUNT(rules));
    for (size_t i = 0; i < COUNT(rules); i++) {
        const cJSON *one;
        id = rules[i].name;
        EXPECT(cJSON_GetArraySize(at(document, id)) > 0);
        cJSON_ArrayForEach(one, at(document, id)) rules[i].check(one);
    }
    cJSON_Delete(document);
}

/* The directory of the known answers may be given; otherwise it is relative to the root, where the tests
 * run. */
int main(int argc, char **argv)
{
    if (argc > 1)
        directory_name = argv[1];
    TEST(every_known_answer_is_met);
    TEST(rules_of_evidence_are_those_of_scipy);
    return expect_report("vectors");
}
