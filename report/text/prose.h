/* A document being written: its output, what its reader can display, and its texts. Texts live until the
 * document ends and are never cut, so functions return texts and need neither a buffer nor an error. */
#ifndef LAUKA_REPORT_TEXT_PROSE_H
#define LAUKA_REPORT_TEXT_PROSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/text/text.h"

/* Characters with a replacement for terminals that only support ASCII. Static. */
struct lauka_signs {
    const char *plus_minus, *arrow, *at_most, *at_least, *dash, *sigma, *ellipsis, *times, *divided;
};

struct lauka_prose_block;
struct lauka_prose_memory;
struct lauka_prose_capture;

struct lauka_prose {
    FILE *out; /* borrowed; NULL: makes texts but writes nothing */
    struct lauka_terminal terminal;
    bool utf8; /* of the terminal */
    const struct lauka_signs *signs;
    struct lauka_prose_block *blocks;    /* owned */
    struct lauka_prose_memory *memories; /* what was computed once for the document */
    struct lauka_prose_capture *capture; /* the current one; NULL: none */
    int error; /* the first error: ENOMEM, after which texts may be empty, or an errno of the output */
};

/* What documents other than terminals can display. */
#define LAUKA_PLAIN_UTF8 ((struct lauka_terminal){.utf8 = true})

/* Begins a document. If there is an output, sets errno to 0, so that _end can find errors. */
struct lauka_prose lauka_prose_begin(FILE *out, struct lauka_terminal terminal);

/* Frees all texts. _end first flushes the output, if any; both return 0, ENOMEM, or an errno of the output. */
int lauka_prose_end(struct lauka_prose *prose);
int lauka_prose_done(struct lauka_prose *prose);

/* Stores the first error; 0 means none. */
void lauka_prose_fail(struct lauka_prose *prose, int error);

/* Zeroed memory for other data with the same lifetime; NULL without memory. */
void *lauka_prose_room(struct lauka_prose *prose, size_t count, size_t size);

/* Keeps what was computed about something, under its address, until the document ends; and finds it again: NULL if there
 * is nothing. */
void lauka_prose_remember(struct lauka_prose *prose, const void *about, void *computed);
void *lauka_prose_recall(struct lauka_prose *prose, const void *about);

/* A text that may be changed; NULL without memory. */
char *lauka_prose_copy(struct lauka_prose *prose, const char *text);

/* These return texts, which are empty without memory. */
const char *lauka_say(struct lauka_prose *prose, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* With its first letter, of ASCII, as a capital. */
const char *lauka_say_capital(struct lauka_prose *prose, const char *text);

/* Both with `between` in the middle, or only the one that is not empty. */
const char *lauka_join(struct lauka_prose *prose, const char *text, const char *between,
                       const char *more);

/* Takes ownership of a text; NULL means that memory ran out. */
const char *lauka_keep(struct lauka_prose *prose, char *owned);

/* Text of others, made safe; the second also cuts it in the middle to at most `width` columns. */
const char *lauka_say_safely(struct lauka_prose *prose, const char *text);
const char *lauka_say_fitted(struct lauka_prose *prose, const char *text, int width);

/* xml.c: the same between tags and in quoted attributes; the second for several lines. */
const char *lauka_say_xml(struct lauka_prose *prose, const char *text);
const char *lauka_say_xml_lines(struct lauka_prose *prose, const char *text);

/* "12.08", as from lauka_format_scaled; and "12.08 ms", with its unit. */
const char *lauka_say_scaled(struct lauka_prose *prose, double value, struct lauka_scale scale);
const char *lauka_say_quantity(struct lauka_prose *prose, double value, struct lauka_scale scale);

/* A value to be read beside `deviation`, of which it shows two digits. `about` is the mean, which
 * limits the digits of all values beside it; without a deviation, as lauka_say_scaled. */
const char *lauka_say_uncertain(struct lauka_prose *prose, double value, double about,
                                double deviation, struct lauka_scale scale);

/* From this ratio on, and from its inverse down, people read a change as a factor, and not in per cent. */
#define LAUKA_FACTOR_FROM 1.995

/* "+2.34 %", "-0.50 %", "x13.3", "/4.20", "x>99999": from a ratio; a change that rounds to none is
 * "0 %", and only 0 gives "-100 %". With utf8 the minus is U+2212, and the signs are "×" and "÷". */
const char *lauka_say_change(struct lauka_prose *prose, double ratio);

/* The same with two digits and at most one decimal, for changes whose interval nobody knows: "+2.3 %", "×13". */
const char *lauka_say_change_roughly(struct lauka_prose *prose, double ratio);

/* Cohen's d: "+0.42", "-19.7", "+>999", "0". */
const char *lauka_say_effect(struct lauka_prose *prose, double d);

/* "2.5 %" from a share, with up to three digits; and with up to two. */
const char *lauka_say_share(struct lauka_prose *prose, double share);
const char *lauka_say_share_roughly(struct lauka_prose *prose, double share);

/* "1,234,567.89" in any locale; and an integer, exactly. */
const char *lauka_say_grouped(struct lauka_prose *prose, double value, int decimals);
const char *lauka_say_count(struct lauka_prose *prose, uint64_t count);

/* A number with its unit: "12.08 ms"; the number alone without a unit. */
const char *lauka_with_unit(struct lauka_prose *prose, const char *number, const char *unit);

/* Write to the output. */
void lauka_put(struct lauka_prose *prose, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Output between these becomes a text, which _captured returns. They may be nested. */
void lauka_prose_capture(struct lauka_prose *prose);
const char *lauka_prose_captured(struct lauka_prose *prose);

/* Text that is made safe and broken into lines as wide as the terminal. All lines are indented
 * except the first, which the caller has moved to this column. */
void lauka_put_wrapped(struct lauka_prose *prose, int indent, const char *text);

/* Text of several lines with our colours; lines wider than the terminal are broken. */
void lauka_put_folded(struct lauka_prose *prose, const char *text);

/* A paragraph in this style with all lines indented; and one after "note: ". */
void lauka_put_paragraph(struct lauka_prose *prose, int indent, enum lauka_style style,
                         const char *text);
void lauka_put_note(struct lauka_prose *prose, const char *text);

/* A safe text in this style. */
void lauka_put_text(struct lauka_prose *prose, enum lauka_style style, const char *text);

#endif
