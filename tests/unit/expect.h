/* A test is a sentence: static void a_constant_series_has_no_outliers(void). Each test program runs
 * its sentences with TEST() and ends with expect_report(): "N passed, N failed". */
#ifndef LAUKA_TESTS_EXPECT_H
#define LAUKA_TESTS_EXPECT_H

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int expect_passed, expect_failed;
static bool expect_ok;

#define TEST(function) expect_run(#function, function)

/* LAUKA_TEST_FILTER=WORD runs only tests with the word in their name. LAUKA_TEST_TIMES=1 prints the CPU
 * time of each. */
static inline void expect_run(const char *name, void (*test)(void))
{
    const char *filter = getenv("LAUKA_TEST_FILTER");
    clock_t begin = clock();
    if (filter && !strstr(name, filter))
        return;
    expect_ok = true;
    test();
    if (getenv("LAUKA_TEST_TIMES"))
        printf("CPU %6.3f s  %s\n", (double)(clock() - begin) / CLOCKS_PER_SEC, name);
    if (expect_ok) {
        expect_passed++;
    } else {
        expect_failed++;
        printf("FAILED %s\n", name);
    }
}

static inline int expect_report(const char *program)
{
    if (expect_passed + expect_failed > 0 || !getenv("LAUKA_TEST_FILTER"))
        printf("%s: %d passed, %d failed\n", program, expect_passed, expect_failed);
    return expect_failed != 0;
}

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                         \
            expect_ok = false;                                                                     \
        }                                                                                          \
    } while (0)

#define EXPECT_TEXT(actual, expected)                                                              \
    do {                                                                                           \
        const char *actual_ = (actual), *expected_ = (expected);                                   \
        if (!actual_ || strcmp(actual_, expected_) != 0) {                                         \
            printf("%s:%d: %s is\n  \"%s\", not\n  \"%s\"\n", __FILE__, __LINE__, #actual,         \
                   actual_ ? actual_ : "(null)", expected_);                                       \
            expect_ok = false;                                                                     \
        }                                                                                          \
    } while (0)

#define EXPECT_UINT(actual, expected)                                                              \
    do {                                                                                           \
        uint64_t actual_ = (actual), expected_ = (expected);                                       \
        if (actual_ != expected_) {                                                                \
            printf("%s:%d: %s is %" PRIu64 ", not %" PRIu64 "\n", __FILE__, __LINE__, #actual,     \
                   actual_, expected_);                                                            \
            expect_ok = false;                                                                     \
        }                                                                                          \
    } while (0)

/* Within `relative` of the expected value; exactly equal if that is 0. */
#define EXPECT_NEAR(actual, expected, relative)                                                    \
    do {                                                                                           \
        double actual_ = (actual), expected_ = (expected);                                         \
        if (!(fabs(actual_ - expected_) <= (relative)*fabs(expected_))) {                          \
            printf("%s:%d: %s is %.17g, not %.17g\n", __FILE__, __LINE__, #actual, actual_,        \
                   expected_);                                                                     \
            expect_ok = false;                                                                     \
        }                                                                                          \
    } while (0)

#endif
