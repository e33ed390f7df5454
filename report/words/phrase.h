/* The parts of sentences about a comparison. */
#ifndef LAUKA_REPORT_WORDS_PHRASE_H
#define LAUKA_REPORT_WORDS_PHRASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/stats.h"

/* A sentence under way. */
struct lauka_phrase {
    const struct lauka_result *result;
    size_t command;
    const char *name, *reference_name;
    bool utf8;
    char *text; /* what there is of it */
    size_t size;
};

/* One metric of it. */
struct lauka_aspect {
    const struct lauka_comparison *comparison;
    size_t metric;
    struct lauka_scale scale; /* of differences */
    const char *name, *unit;
};

struct lauka_aspect lauka_phrase_aspect(const struct lauka_phrase *phrase, size_t metric);

/* Appends. */
__attribute__((format(printf, 2, 3))) void lauka_phrase_say(struct lauka_phrase *phrase,
                                                            const char *format, ...);

/* "12.08 ms", with the digits that the command's deviation leaves; a value that would look like zero has a
 * scale of its own. */
void lauka_phrase_quantity(struct lauka_phrase *phrase, const struct lauka_aspect *aspect,
                           size_t command, double value);

/* " wall time" */
void lauka_phrase_noun(struct lauka_phrase *phrase, const struct lauka_aspect *aspect);

/* "mean 10.21 ms against 10.00 ms wall time" */
void lauka_phrase_means(struct lauka_phrase *phrase, const struct lauka_aspect *aspect);

/* They were read from files: there were no rounds. */
bool lauka_phrase_of_values(const struct lauka_phrase *phrase);

/* "38 rounds", "38 values" */
void lauka_phrase_rounds(struct lauka_phrase *phrase, const struct lauka_comparison *comparison);

/* " [1.2, 3.0]"; the first interval also gives the confidence of all. */
void lauka_phrase_interval(struct lauka_phrase *phrase, const char *interval);

/* "is 2.1 % slower than R [1.2, 3.0]", "uses 3.0 % more CPU time than R [2.8, 3.2]" */
void lauka_phrase_difference(struct lauka_phrase *phrase, const struct lauka_aspect *aspect);

/* "1 %": differences up to this do not matter. */
void lauka_phrase_share(struct lauka_phrase *phrase);

#endif
