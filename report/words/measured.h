/* What was measured: commits, command lines, date, machine and links. Documents put this at their head. */
#ifndef LAUKA_REPORT_WORDS_MEASURED_H
#define LAUKA_REPORT_WORDS_MEASURED_H

#include <stdbool.h>
#include <stddef.h>

#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/prose.h"

/* ---- measured.c: what was measured, from which commits, when, where ---------------------------- */

enum lauka_fact_kind {
    LAUKA_FACT_COMMIT,  /* a side and its commit: name, code and text */
    LAUKA_FACT_LABEL,   /* --label KEY=VALUE; a hash at the start of the value is the code */
    LAUKA_FACT_COMMAND, /* a command line: code, and the name of its side unless all share it */
    LAUKA_FACT_DATE,    /* text */
    LAUKA_FACT_MACHINE, /* text */
    LAUKA_FACT_LINK,    /* text and address */
};

/* A fact reads "BEFORE NAME CODE TEXT", with blanks between those that are not empty. Names, codes and
 * texts may quote others: escape them as the document demands. */
struct lauka_fact {
    enum lauka_fact_kind kind;
    const char
        *before; /* what separates it from the previous fact: "→" or "·"; empty for the first */
    const char *name;    /* "base", "v1.0" */
    const char *code;    /* "9e78061b2e", "./prog numbers.csv" */
    const char *text;    /* "Reserve room for numbers", "25 Nov 2026, 14:03 UTC", "job" */
    const char *address; /* of a link; without blanks, brackets and quotes */
    size_t place;        /* position of the next one */
};

/* The next fact about the session. Begin with a zeroed one; false at the end. Texts are owned by the prose or borrowed
 * from the session. */
bool lauka_next_fact(struct lauka_prose *prose, const struct lauka_session *session,
                     struct lauka_fact *fact);

/* The command's line, quoted for a shell; of a command that runs in a shell, the text given to it. Empty if it is not
 * known, or if it is the command's label. */
const char *lauka_say_command_line(struct lauka_prose *prose, const struct lauka_result *result,
                                   size_t command);

/* The command that repeats the session, quoted for a shell, in one line. Revisions are named by their commits. Empty if
 * it is not known. */
const char *lauka_say_reproduction(struct lauka_prose *prose, const struct lauka_result *result);

#endif
