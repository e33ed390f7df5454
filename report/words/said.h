/* What is said about a result beside its tables, sentence after sentence, for all documents. The names of commands are
 * marks in it, until a document puts in the names as it writes them. */
#ifndef LAUKA_REPORT_WORDS_SAID_H
#define LAUKA_REPORT_WORDS_SAID_H

#include <stdbool.h>
#include <stddef.h>

#include "report/result/result.h"

/* The marks of the command that a sentence is about, and of the reference. */
#define LAUKA_SAID_OWN "\x01"
#define LAUKA_SAID_REFERENCE "\x02"

enum lauka_said_kind {
    LAUKA_SAID_ANSWER,
    LAUKA_SAID_SAME, /* the command executes the same bytes as the reference; follows its answer */
    LAUKA_SAID_BEST,
    LAUKA_SAID_NOISE,
    LAUKA_SAID_DOUBT,
    LAUKA_SAID_NOTE, /* it has no marks, and may quote others */
};

struct lauka_said {
    enum lauka_said_kind kind;
    size_t command;   /* what the first mark means */
    const char *text; /* in `room`, or borrowed from the result */
    char room[4096];
    size_t place; /* of what comes next */
};

/* The next of the answers: of each command, or of noise if that was asked. The reference alone is not described if the
 * others are compared with it. Begin with a zeroed one; false at the end. */
bool lauka_said_next_answer(const struct lauka_result *result, bool utf8, struct lauka_said *said);

/* The next of the doubts, each kind once, and of the notes. Begin with a zeroed one; false at the end. */
bool lauka_said_next_remark(const struct lauka_result *result, bool utf8, struct lauka_said *said);

/* The sentence with these names, to be freed; NULL if there is no memory. */
char *lauka_said_text(const struct lauka_said *said, const char *own, const char *reference);

#endif
