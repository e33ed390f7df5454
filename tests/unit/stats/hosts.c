/* Hosts: several machines that measured the same thing give one answer. */
#include "stats/units.h"
#include "tests/unit/hosts.h"
#include "tests/unit/numbers.h"

static struct lauka_comparison found(double change)
{
    return (struct lauka_comparison){
        .confidence = 0.95,
        .method = LAUKA_METHOD_HODGES_LEHMANN,
        .log_ratio = {true, change},
    };
}

static struct lauka_comparison pooled(const struct lauka_comparison *each, size_t count)
{
    const struct lauka_comparison *hosts[HOSTS_MAX];
    struct lauka_comparison all = {.pairs = 30, .reference_mean = 1, .other_mean = 1};
    for (size_t h = 0; h < count; h++)
        hosts[h] = &each[h];
    lauka_hosts_pool(hosts, count, 0.05, 0.01, &all);
    return all;
}

/* By hand: mean 0.03, standard deviation 0.01, t(0.975, 2) = 4.302652730; the half-width is
 * 0.0248413771175. */
static void the_interval_is_students_over_the_hosts(void)
{
    const struct lauka_comparison each[] = {found(0.02), found(0.04), found(0.03)};
    struct lauka_comparison all = pooled(each, 3);
    EXPECT_NEAR(all.log_ratio.value, 0.03, 1e-15);
    EXPECT_NEAR(all.log_low.value, 0.03 - 0.0248413771175, 1e-12);
    EXPECT_NEAR(all.log_high.value, 0.03 + 0.0248413771175, 1e-12);
    EXPECT_NEAR(all.between.value, 0.01, 1e-15);
    EXPECT(all.units == 3 && all.method == LAUKA_METHOD_HOSTS);
    EXPECT(all.verdict == LAUKA_VERDICT_HIGHER && all.p.known && all.p.value < 0.05);
}

static void two_hosts_make_no_interval(void)
{
    const struct lauka_comparison each[] = {found(0.02), found(0.04)};
    struct lauka_comparison all = pooled(each, 2);
    EXPECT_NEAR(all.log_ratio.value, 0.03, 1e-15);
    EXPECT(!all.log_low.known && !all.p.known && all.confidence == 0);
    EXPECT(all.verdict == LAUKA_VERDICT_INCONCLUSIVE);
}

static void a_host_without_an_interval_has_no_say(void)
{
    struct lauka_comparison each[] = {found(0.02), found(0.04), found(0.03), found(0.9)};
    each[3].confidence = 0;
    EXPECT(pooled(each, 4).units == 3);
    EXPECT_NEAR(pooled(each, 4).log_ratio.value, 0.03, 1e-15);
    EXPECT(pooled(each + 3, 1).units == 0 && !pooled(each + 3, 1).log_ratio.known);
}

static void what_is_exact_on_all_hosts_is_exact(void)
{
    struct lauka_comparison each[] = {found(0.1), found(0.1), found(0.1)};
    for (size_t h = 0; h < 3; h++)
        each[h].method = LAUKA_METHOD_EXACT;
    struct lauka_comparison all = pooled(each, 3);
    EXPECT(all.method == LAUKA_METHOD_EXACT && !all.p.known);
    EXPECT(all.log_low.value == 0.1 && all.log_high.value == 0.1);
    each[1].log_ratio.value = 0.2; /* other processors have other counts */
    EXPECT(pooled(each, 3).method == LAUKA_METHOD_HOSTS);
}

static void swapping_the_sides_mirrors_the_interval(void)
{
    const struct lauka_comparison there[] = {found(0.02), found(-0.04), found(0.07), found(0.01)};
    const struct lauka_comparison back[] = {found(-0.02), found(0.04), found(-0.07), found(-0.01)};
    struct lauka_comparison one = pooled(there, 4), other = pooled(back, 4);
    EXPECT(one.log_low.value == -other.log_high.value && one.p.value == other.p.value);
}

static void two_thirds_decide_unless_one_says_the_opposite(void)
{
    EXPECT(lauka_hosts_vote(3, 2, 0) == LAUKA_GATE_FAIL);
    EXPECT(lauka_hosts_vote(3, 2, 1) == LAUKA_GATE_INCONCLUSIVE);
    EXPECT(lauka_hosts_vote(4, 2, 0) == LAUKA_GATE_INCONCLUSIVE);
    EXPECT(lauka_hosts_vote(4, 3, 0) == LAUKA_GATE_FAIL);
    EXPECT(lauka_hosts_vote(2, 1, 0) == LAUKA_GATE_INCONCLUSIVE);
    EXPECT(lauka_hosts_vote(2, 0, 2) == LAUKA_GATE_PASS);
    EXPECT(lauka_hosts_vote(6, 0, 4) == LAUKA_GATE_PASS);
    EXPECT(lauka_hosts_vote(0, 0, 0) == LAUKA_GATE_INCONCLUSIVE);
}

/* This test is seeded; tests/bench/merge.c has the whole table. */
static void an_interval_over_hosts_holds_the_truth(void)
{
    static const size_t hosts[] = {3, 5, 10};
    for (size_t i = 0; i < 3; i++) {
        const struct hosts_cell cell = {hosts[i], 0.02, i == 1, i == 2};
        struct hosts_counts counts = hosts_simulate(&cell, 200);
        EXPECT(counts.held >= 184);          /* 92 %: below what chance makes of 95 % */
        EXPECT(counts.held_by_rounds < 176); /* 88 % */
    }
}

int main(void)
{
    TEST(the_interval_is_students_over_the_hosts);
    TEST(two_hosts_make_no_interval);
    TEST(a_host_without_an_interval_has_no_say);
    TEST(what_is_exact_on_all_hosts_is_exact);
    TEST(swapping_the_sides_mirrors_the_interval);
    TEST(two_thirds_decide_unless_one_says_the_opposite);
    TEST(an_interval_over_hosts_holds_the_truth);
    return expect_report("hosts");
}
