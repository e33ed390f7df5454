/* What is said about a result beside its tables, sentence after sentence, for all documents. The names of commands are
 * marks in it, until a document puts in the names as it writes them. */
#ifndef LAUKA_REPORT_WORDS_SAID_H
#define LAUKA_REPORT_WORDS_SAID_H

#include <stdbool.h>
#include <stddef.h>

#include "report/result/result.h"
#include "report/text/prose.h"

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
    const char *text; /* the prose's, or borrowed from the result */
    size_t place;     /* of what comes next */
};

/* The next of the answers: of each command, or of noise if that was asked. The reference alone is not described if the
 * others are compared with it. Begin with a zeroed one; false at the end. */
bool lauka_said_next_answer(struct lauka_prose *prose, const struct lauka_result *result,
                            struct lauka_said *said);

/* The next of the doubts, each kind once, and of the notes. Begin with a zeroed one; false at the end. */
bool lauka_said_next_remark(struct lauka_prose *prose, const struct lauka_result *result,
                            struct lauka_said *said);

/* The sentence with these names; and any text that has the marks. */
const char *lauka_said_text(struct lauka_prose *prose, const struct lauka_said *said,
                            const char *own, const char *reference);
const char *lauka_with_names(struct lauka_prose *prose, const char *text, const char *own,
                             const char *reference);

/* "user_time and system_time come in steps here; they are compared by their means." names the metrics that
 * are shown and were compared so; then those that are not compared, because they were 0 in rounds whose
 * values were not kept. Empty if there are neither. */
const char *lauka_say_steps(struct lauka_prose *prose, const struct lauka_result *result);

/* ---- the weightiest first -------------------------------------------------------------------- */

/* How a note begins that tells what this machine could not count, and why. */
#define LAUKA_COUNTING_NOTE "cannot count "
bool lauka_is_counting_note(const char *text);

/* Whether the note says what was said before the first run, or what holds of every such session. */
bool lauka_is_circumstance_note(const char *text);

/* Whether the note says that commands did not run: it is never folded away. This stands behind their names. */
bool lauka_is_left_out_note(const char *text);
#define LAUKA_LEFT_OUT_NOTE " did not run: "

struct lauka_notes {
    const char **texts; /* the prose's; NULL: there was no memory */
    size_t count;
    size_t pressing; /* the first ones are shown however little room there is, and whole */
    /* Where those begin that were said before the first run, or hold of every such session: on a terminal they wait for
     * --full. */
    size_t circumstances;
};

/* All doubts, each kind once, and notes, but for those about counting. */
struct lauka_notes lauka_notes(struct lauka_prose *prose, const struct lauka_result *result);

#endif
