/* The history of a project's sessions: what each came to, the steps in it, and how it is shown. */
#ifndef LAUKA_REPORT_HISTORY_HISTORY_H
#define LAUKA_REPORT_HISTORY_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/text/text.h"
#include "report/words/words.h"
#include "stats/levels.h"
#include "stats/sessions.h"

/* ---- entry.c: a file of the store ---------------------------------------------------------------- */

/* A file is gzip of lines whose fields are separated by tabs; in fields, '%' and control characters are "%0A". The first
 * line is "lauka-history/1" and the kind: "session" or "answer". Lines of a head follow (time, project, commit, host ...),
 * then of a session a "command" for each benchmark and side, or a "suite" for each side, and a "row" for each benchmark, side
 * and metric; of answers one line each. */

enum { LAUKA_ENTRY_NAME_SIZE = 64, LAUKA_ENTRY_MOST = 1 << 26 /* bytes without gzip */ };

struct lauka_entry_origin { /* all borrowed */
    /* Of the sides to write, which are revisions; NULL: those that are none, at the session's commit. */
    const char *commit;
    const char *project; /* its first commit; NULL: not known */
    const char *time;    /* RFC 3339; for sessions that do not know theirs */
};

/* Writes what the sides at one commit came to. The session must have been analysed. The caller frees *text, which is NULL
 * before. Returns 0, ENOMEM, or ENODATA if there is nothing to keep. */
struct lauka_session;
int lauka_entry_write(const struct lauka_session *session, const struct lauka_entry_origin *origin,
                      char **text, size_t *size);

/* The same for an answer, whose texts are borrowed: origin has its time and project. */
struct lauka_history_answer;
int lauka_answer_write(const struct lauka_history_answer *answer,
                       const struct lauka_entry_origin *origin, char **text, size_t *size);

/* Appends the field to the line, escaped and not longer than 100 bytes: what is left out is replaced by its hash. */
void lauka_entry_field(const char *text, FILE *out);

/* The name of the file: "20261126T120000Z-4f2a1c9d0ab1-93ab01c4d2ef.lauka.gz", by the text's time, commit and hash. Answers
 * have no commit in it, so later ones stand behind. */
void lauka_entry_name(const char *text, size_t size, char name[LAUKA_ENTRY_NAME_SIZE]);

/* ---- read.c: the files, as one history ----------------------------------------------------------- */

/* All texts below live as long as the history, and are not NULL unless it says so. */

struct lauka_history_session {
    const char *commit;  /* its hash, or what is no more than hexadecimal digits; NULL: not known */
    bool is_changed;     /* tracked files differed from the commit */
    const char *time;    /* RFC 3339 */
    const char *host;    /* what its times depend on; "": not known */
    const char *machine; /* the processor, for people */
    const char *simulator; /* what its exact counts depend on */
    const char *date;      /* of its commit, or of the session; "2026-11-03" */
    const char *subject;   /* of its commit; NULL: not known */
};

struct lauka_history_command { /* what a side was, to measure it again */
    const char *
        name; /* "parse", "parse/side"; of suites the side; of older lauka the side, or the benchmark */
    bool is_suite; /* the benchmarks are inside the program */
    char **words;  /* NULL-terminated; of the newest session */
};

enum lauka_history_kind {
    LAUKA_HISTORY_EXACT,    /* counts that repeat under equal circumstances */
    LAUKA_HISTORY_RATIO,    /* to an anchor: the same program in each session */
    LAUKA_HISTORY_ABSOLUTE, /* values of one host */
};

struct lauka_history_point {
    double value; /* in the metric's unit, or a ratio */
    float half;   /* half the width of its interval; 0: not known */
    uint32_t session;
};

struct lauka_history_series {
    enum lauka_history_kind kind;
    const char *benchmark, *side, *metric, *unit, *better; /* side: "" where there is one */
    const char *name;   /* "parse", "parse/side", as others wrote it */
    const char *anchor; /* of ratios; otherwise "" */
    bool is_anchor;     /* its values are of an anchor itself, which is no benchmark's */
    bool is_primary;
    bool is_searched;
    bool is_hidden; /* not chosen by --benchmark */
    size_t first; /* the first series of its benchmark that is no anchor's; of anchors' SIZE_MAX */
    struct lauka_history_point *points; /* owned; in the order of the history */
    size_t count, capacity;
    uint64_t hash;
    const char *key;     /* what tells it from others */
    const char *machine; /* for people */
};

enum lauka_answer_verdict {
    LAUKA_ANSWER_CONFIRMED,
    LAUKA_ANSWER_REFUTED, /* the machine made the step */
    LAUKA_ANSWER_INCONCLUSIVE,
};

struct lauka_history_answer { /* what --confirm found out */
    const char *benchmark, *side, *metric;
    const char *before, *after; /* commits that were measured */
    const char *first; /* the first slower commit between them; "": not searched, or not found */
    enum lauka_answer_verdict verdict;
    double ratio, low, high;
};

enum lauka_certainty {
    LAUKA_STEP_CERTAIN, /* of exact counts */
    LAUKA_STEP_CONFIRMED,
    LAUKA_STEP_SUSPECTED,
    LAUKA_STEP_REFUTED, /* known not to be the commits': not shown */
    LAUKA_STEP_NEW,     /* two points that may become a step */
};

struct lauka_history_step {
    const struct lauka_history_series *series; /* borrowed */
    size_t at;                                 /* the point from which on the level is new */
    double before, after;                      /* medians of both levels */
    struct lauka_optional ratio, low, high; /* after / before; unknown if a value is not above 0 */
    enum lauka_certainty certainty;
    const struct lauka_history_answer *answer; /* borrowed; NULL: nobody asked */
    struct lauka_optional p;                   /* of a suspicion, before others are considered */
    bool is_worse, is_better;                  /* neither: not known which way is better */
};

struct lauka_history {
    struct lauka_prose texts;               /* which owns them; has no output */
    struct lauka_history_session *sessions; /* owned; in the order in which they were read */
    size_t session_count;
    struct lauka_history_command *commands; /* owned */
    size_t command_count;
    struct lauka_history_series *series; /* owned */
    size_t series_count;
    uint32_t *table; /* owned; series by hash: index + 1 */
    size_t table_size;
    struct lauka_history_answer *answers; /* owned; later ones count */
    size_t answer_count;
    struct lauka_history_step *steps; /* owned; the worst and most certain first */
    size_t step_count;
    size_t machines, benchmarks; /* how many different ones; of benchmarks those that are chosen */
};

/* Adds the file's content as the newest. Returns 0, ENOMEM, or EINVAL: then nothing was added, and *why is a static text.
 * project: files of others are refused; NULL: any. */
int lauka_history_read(struct lauka_history *history, const char *bytes, size_t size,
                       const char *project, const char **why);

void lauka_history_done(struct lauka_history *history);

/* ---- search.c: its steps --------------------------------------------------------------------------- */

/* Finds all steps, with the chance of any false one in all series below alpha where values are independent. Returns 0
 * or ENOMEM. */
int lauka_history_search(struct lauka_history *history, double alpha);

/* The session of the step's first point with the new level, and of the last one with the old level. */
const struct lauka_history_session *lauka_history_after(const struct lauka_history *history,
                                                        const struct lauka_history_step *step);
const struct lauka_history_session *lauka_history_before(const struct lauka_history *history,
                                                         const struct lauka_history_step *step);

/* What the members of these enums are called, by their values. */
extern const char *const lauka_certainty_names[], *const lauka_history_kinds[],
                                                      *const lauka_answer_names[];

/* How far sessions of this benchmark lay apart in this metric on one host: of its absolute series with most points, those
 * whose values are not `own`, which are the sessions to be compared. */
struct lauka_sessions lauka_history_spread(const struct lauka_history *history,
                                           const char *benchmark, const char *metric,
                                           const char *host, const double own[2]);

/* ---- show.c: the screen, and the words that it shares with the page ------------------------------ */

/* Not if --confirm refuted it. */
bool lauka_history_is_shown(const struct lauka_history_step *step);

size_t lauka_history_count(const struct lauka_history *history, enum lauka_certainty certainty);

/* "+7.2 %" and "[+6.1, +8.4]", or "exact". */
struct lauka_change lauka_history_change(struct lauka_prose *prose,
                                         const struct lauka_history_step *step);

/* "9.4 → 10.1 ms", "4f2a1c9 (2026-11-03, "checks its input")", "suspected": safe to show. */
const char *lauka_history_levels(struct lauka_prose *prose, const struct lauka_history_step *step);
const char *lauka_history_commit(struct lauka_prose *prose,
                                 const struct lauka_history_session *session);
const char *lauka_history_certainty(struct lauka_prose *prose,
                                    const struct lauka_history_step *step);

/* "214 sessions of 200 commits, 12 benchmarks, 2 machines; 10 benchmarks without a step" */
const char *lauka_history_sum(struct lauka_prose *prose, const struct lauka_history *history);

/* ---- show.c, json.c, page.c ------------------------------------------------------------------------ */

/* Each returns 0, ENOMEM or an errno of the output. */
int lauka_history_show(const struct lauka_history *history, struct lauka_terminal terminal,
                       FILE *out);
int lauka_history_write_json(const struct lauka_history *history, FILE *out);

/* commit_url: an address in which {commit} stands for the hash, or which it follows; NULL: no links. */
int lauka_history_write_html(const struct lauka_history *history, const char *commit_url,
                             FILE *out);

#endif
