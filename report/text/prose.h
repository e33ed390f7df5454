/* A document under way: where it goes, what its reader can show, and the texts that it is made of. Texts live until the
 * document ends, and are never cut, so that functions return what they say and need neither a buffer nor an error. */
#ifndef LAUKA_REPORT_TEXT_PROSE_H
#define LAUKA_REPORT_TEXT_PROSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/text/text.h"

/* Characters that have another form where the terminal knows ASCII alone. Static. */
struct lauka_signs {
    const char *plus_minus, *arrow, *at_most, *at_least, *dash, *sigma, *ellipsis;
};

struct lauka_prose_block;
struct lauka_prose_capture;

struct lauka_prose {
    FILE *out; /* borrowed; NULL: texts are made, and nothing is written */
    struct lauka_terminal terminal;
    bool utf8; /* the terminal's */
    const struct lauka_signs *signs;
    struct lauka_prose_block *blocks;    /* owned */
    struct lauka_prose_capture *capture; /* under way; NULL: there is none */
    int error; /* what went wrong first: ENOMEM, after which texts may be empty, or an errno of the output */
};

/* What documents can show that are no terminals. */
#define LAUKA_PLAIN_UTF8 ((struct lauka_terminal){.utf8 = true})

/* Begins a document; if there is an output, errno is set to 0, so that _end can tell what failed. */
struct lauka_prose lauka_prose_begin(FILE *out, struct lauka_terminal terminal);

/* Frees all texts. _end flushes before that, if there is an output; both return 0, ENOMEM, or an errno of the output. */
int lauka_prose_end(struct lauka_prose *prose);
int lauka_prose_done(struct lauka_prose *prose);

/* Remembers the first error; 0 is none. */
void lauka_prose_fail(struct lauka_prose *prose, int error);

/* Room for other things that live as long, all zero; NULL if there is no memory. */
void *lauka_prose_room(struct lauka_prose *prose, size_t count, size_t size);

/* A text that may be changed; NULL if there is no memory. */
char *lauka_prose_copy(struct lauka_prose *prose, const char *text);

/* These return texts, which are empty if there is no memory. */
const char *lauka_say(struct lauka_prose *prose, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Both with `between` in the middle, or the one that is not empty. */
const char *lauka_join(struct lauka_prose *prose, const char *text, const char *between,
                       const char *more);

/* Takes over a text that is owned; NULL: there was no memory for it. */
const char *lauka_keep(struct lauka_prose *prose, char *owned);

/* What others wrote, made safe; and cut in the middle to at most `width` columns. */
const char *lauka_say_safely(struct lauka_prose *prose, const char *text);
const char *lauka_say_fitted(struct lauka_prose *prose, const char *text, int width);

/* xml.c: the same between tags and in quoted attributes; and of several lines. */
const char *lauka_say_xml(struct lauka_prose *prose, const char *text);
const char *lauka_say_xml_lines(struct lauka_prose *prose, const char *text);

/* "12.08", as lauka_format_scaled writes it; and "12.08 ms", with its unit. */
const char *lauka_say_scaled(struct lauka_prose *prose, double value, struct lauka_scale scale);
const char *lauka_say_quantity(struct lauka_prose *prose, double value, struct lauka_scale scale);

/* A value beside which `deviation` is to be read: with two digits of that. `about` is the mean, which bounds
 * the digits of all that stand with it; without a deviation as lauka_say_scaled. */
const char *lauka_say_uncertain(struct lauka_prose *prose, double value, double about,
                                double deviation, struct lauka_scale scale);

/* "+2.34 %", "-0.50 %", "+1234 %", "+>99999 %", "->99.99 %": signed, from a ratio; what rounds to no change
 * is "0 %", and only 0 is "-100.0 %". With utf8 the minus is U+2212. */
const char *lauka_say_change(struct lauka_prose *prose, double ratio);

/* Cohen's d: "+0.42", "-19.7", "+>999", "0". */
const char *lauka_say_effect(struct lauka_prose *prose, double d);

/* "2.5 %" of a share, with up to three digits; and with up to two. */
const char *lauka_say_share(struct lauka_prose *prose, double share);
const char *lauka_say_share_roughly(struct lauka_prose *prose, double share);

/* "1,234,567.89", whatever the locale; and a whole number, exactly. */
const char *lauka_say_grouped(struct lauka_prose *prose, double value, int decimals);
const char *lauka_say_count(struct lauka_prose *prose, uint64_t count);

/* Number with its unit in front of what follows: "12.08 ms"; the number alone if there is no unit. */
const char *lauka_with_unit(struct lauka_prose *prose, const char *number, const char *unit);

/* Write to the output. */
void lauka_put(struct lauka_prose *prose, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Between these, what is written becomes a text, which _captured returns. They may be nested. */
void lauka_prose_capture(struct lauka_prose *prose);
const char *lauka_prose_captured(struct lauka_prose *prose);

/* Text that is made safe and broken into lines as wide as the terminal. All of them are indented except the first, which
 * the caller has moved to that column. */
void lauka_put_wrapped(struct lauka_prose *prose, int indent, const char *text);

/* Text of several lines, which may have colours of ours: lines that are wider than the terminal are broken. */
void lauka_put_folded(struct lauka_prose *prose, const char *text);

/* A paragraph in this style, all of its lines indented; and one behind "note: ". */
void lauka_put_paragraph(struct lauka_prose *prose, int indent, enum lauka_style style,
                         const char *text);
void lauka_put_note(struct lauka_prose *prose, const char *text);

/* A safe text in this style; and one as a heading, with a newline. */
void lauka_put_text(struct lauka_prose *prose, enum lauka_style style, const char *text);
void lauka_put_heading(struct lauka_prose *prose, const char *text);

#endif
