/* The sentences about a result besides its tables, for all documents. Marks stand for the names of
 * commands until a document inserts the names in its own form. */
#ifndef LAUKA_REPORT_WORDS_SAID_H
#define LAUKA_REPORT_WORDS_SAID_H

#include <stdbool.h>
#include <stddef.h>

#include "report/result/result.h"
#include "report/text/prose.h"

/* The marks for the command of a sentence, and for the reference. */
#define LAUKA_SAID_OWN "\x01"
#define LAUKA_SAID_REFERENCE "\x02"

enum lauka_said_kind {
    LAUKA_SAID_ANSWER,
    LAUKA_SAID_SAME, /* the command executes the same bytes as the reference; follows its answer */
    LAUKA_SAID_BEST,
    LAUKA_SAID_NOISE,
    LAUKA_SAID_DOUBT,
    LAUKA_SAID_NOTE, /* without marks; may quote others */
};

struct lauka_said {
    enum lauka_said_kind kind;
    size_t command;   /* the command of the first mark */
    const char *text; /* owned by the prose, or borrowed from the result */
    size_t place;     /* position of the next one */
};

/* The next answer: for each command, or about noise if that was requested. The reference is not
 * described if the others are compared with it. Begin with a zeroed one; false at the end. */
bool lauka_said_next_answer(struct lauka_prose *prose, const struct lauka_result *result,
                            struct lauka_said *said);

/* The sentence with these names; the second, for any text with the marks. put: how the document writes what is between them;
 * NULL: as it is. */
const char *lauka_said_text(struct lauka_prose *prose, const struct lauka_said *said,
                            const char *own, const char *reference);
const char *lauka_with_names(struct lauka_prose *prose, const char *text, const char *own,
                             const char *reference,
                             const char *(*put)(struct lauka_prose *prose, const char *text));

/* "user_time and system_time come in steps here; they are compared by their means." names the
 * displayed metrics compared in this way; then those that are not compared, because they were 0 in
 * rounds without stored values. Empty if there are neither. */
const char *lauka_say_steps(struct lauka_prose *prose, const struct lauka_result *result);

/* ---- the weightiest first -------------------------------------------------------------------- */

/* The beginning of a note about what this machine could not count, and why. */
#define LAUKA_COUNTING_NOTE "cannot count "
bool lauka_is_counting_note(const char *text);

/* Whether the note was made before the first run, or applies to every such session. */
bool lauka_is_circumstance_note(const char *text);

/* Whether the note says that commands did not run: it is never folded. This text follows their names. */
bool lauka_is_left_out_note(const char *text);
#define LAUKA_LEFT_OUT_NOTE " did not run: "

struct lauka_notes {
    struct lauka_said *all; /* owned by the prose; NULL: no memory */
    size_t count;
    size_t pressing; /* number of first notes that are always shown, and whole */
    /* start of the notes made before the first run, or for every such session: on a terminal they
     * need --full; and of those about counting, which the screen of a benchmark has in a line of its own. */
    size_t circumstances, counting;
};

/* All doubts, each kind once, and notes. */
struct lauka_notes lauka_notes(struct lauka_prose *prose, const struct lauka_result *result);

#endif
