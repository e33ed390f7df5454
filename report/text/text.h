/* Text: safe to show, short enough, in units, and in the forms that documents want. */
#ifndef LAUKA_REPORT_TEXT_TEXT_H
#define LAUKA_REPORT_TEXT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

/* ---- text.c: what others wrote, made safe and short enough to show --------------------------- */

/* A JSON text in which characters that could act on a terminal are \uXXXX, and invalid UTF-8 is \ufffd;
 * and one character within such a string, whose length is returned. */
void lauka_print_json(const char *json, FILE *out);
size_t lauka_print_json_character(const char *text, FILE *out);

/* Bytes of the valid UTF-8 character that begins here, and its code point; 0 if there is none. */
size_t lauka_utf8_decode(const char *text, uint32_t *code);

/* Columns that the text takes when shown (UTF-8 aware; escape sequences of our own take none). */
int lauka_display_width(const char *text);

/* Writes text with control characters, bidirectional overrides and invalid UTF-8 made visible as \xNN, so
 * that neither a command's name nor its output can control the terminal. Without utf8, characters outside
 * ASCII are escaped, too. */
void lauka_print_safely(const char *text, bool utf8, FILE *out);

/* The same as a string. Owned by the caller; NULL if there is no memory. */
char *lauka_safe_text(const char *text, bool utf8);

/* The same, cut in the middle to at most `width` columns, and 4 * width bytes: "./a-ve…-name". */
char *lauka_fit_text(const char *text, int width, bool utf8);

/* Cuts safe text in place to at most `width` columns, with a mark at its end if there is room for that and
 * for something before it. */
void lauka_cut_text(char *text, int width);
void lauka_cut_marked(char *text, int width, bool utf8);

/* Escapes the text and breaks it into lines of at most `width` columns, the last with a newline. All lines
 * are indented except the first, which the caller has moved to column `indent`. Returns 0 or ENOMEM. */
int lauka_print_wrapped(const char *text, int indent, int width, bool utf8, FILE *out);

/* Writes text of several lines, which may have colours of ours. Lines of more than `width` columns are broken at
 * blanks, or where there is room for no more. The text is spent. */
void lauka_print_folded(char *text, int width, FILE *out);

/* Text that is folded when it is complete. _begin returns a stream in memory, or NULL if there is no memory; _end,
 * which follows in either case, writes what is in it, and flushes. It returns `failure`, that of who wrote to the
 * stream, or else 0, ENOMEM or the errno of the output. */
struct lauka_folded {
    FILE *memory;
    char *text;
    size_t size;
};
FILE *lauka_folded_begin(struct lauka_folded *folded);
int lauka_folded_end(struct lauka_folded *folded, int failure, int width, FILE *out);

/* A copy of the text, owned by the caller; NULL stays NULL. Returns 0 or ENOMEM. */
int lauka_text_copy(const char *from, char **to);

/* Whether both are the same text, or both are NULL. */
bool lauka_text_is(const char *text, const char *other);

/* ---- short_names.c: command lines by their program and the words in which they differ ------------ */

/* Names of command lines for people, equal ones for equal lines. If each line fits into `width` columns, it is its own
 * name. Otherwise a name has the program and every word that not all lines have; a mark stands for the others, and long
 * words lose what they have in common, too. Where that is still too wide, or two lines that differ would have one name,
 * *lettered is set and the names are letters, which need a legend. A line alone is cut in its middle. Texts are made safe.
 * Owned by the caller, as are the strings; NULL if there is no memory. */
char **lauka_short_names(const char *const *texts, size_t count, int width, bool utf8,
                         bool *lettered);

/* ---- units.c: numbers with units, written and read ------------------------------------------- */

/* One scale for a whole row, so that its numbers compare at a glance. */
struct lauka_scale {
    double divisor;
    const char *suffix; /* static: "ms", "MiB", "K", "" */
    int decimals;       /* of what is less than 1; 0: three */
};

/* The scale that suits the largest magnitude of a row. unit: "ns", "B" or "1"; values of the last unit
 * that three decimals cannot show get "m", "µ", "n". */
struct lauka_scale lauka_scale_for(double largest, const char *unit, bool utf8);

/* The same where magnitudes differ: finer, as long as the smallest (above 0) keeps less than three
 * digits and the largest less than six. 0.5 ms and 2 s give ms; 0.000012 and 0.004 give "µ". */
struct lauka_scale lauka_scale_for_range(double smallest, double largest, const char *unit,
                                         bool utf8);

/* The scale that lauka_scale_named found. */
struct lauka_scale lauka_scale_chosen(unsigned chosen, const char *unit, bool utf8);

/* The scale with this name in this unit, for `shown_in`: "ms", "millisecond", "KiB", "M". 0 if there is
 * none. */
unsigned lauka_scale_named(const char *name, const char *unit);

/* The scale with as many decimals as show four digits of a value below 1: "0.003755"; at most 9. */
struct lauka_scale lauka_scale_with_digits(struct lauka_scale scale, double value);

/* Four significant digits, at most the scale's decimals, never an exponent: "12.34", "0.012", "1234".
 * Exact zeros and unscaled whole numbers have no decimals: "0", "75"; so "0.000" is not zero.
 * Returns text. */
char *lauka_format_scaled(double value, struct lauka_scale scale, char *text, size_t size);

/* A value beside which `deviation` is to be read: with two digits of that. `about` is the mean, which bounds
 * the digits of all that stand with it; without a deviation as lauka_format_scaled. Returns text. */
char *lauka_format_uncertain(double value, double about, double deviation, struct lauka_scale scale,
                             char *text, size_t size);

/* "+2.34 %", "-0.50 %", "+1234 %", "+>99999 %", "->99.99 %": signed, from a ratio; what rounds to no change
 * is "0 %", and only 0 is "-100.0 %". With utf8 the minus is U+2212. Returns text. */
char *lauka_format_change(double ratio, bool utf8, char *text, size_t size);

/* Cohen's d: "+0.42", "-19.7", "+>999", "0". Returns text. */
char *lauka_format_effect(double d, bool utf8, char *text, size_t size);

/* "+", or the minus sign of the character set; static. */
const char *lauka_sign(double value, bool utf8);

/* For machines: the fewest digits (15 to 17) that read back as the same double. Returns text. */
char *lauka_format_exact(double value, char *text, size_t size);

/* For machines: nanoseconds become seconds, everything else stays as it is. */
double lauka_in_seconds(double value, const char *unit);

/* Parses "1.5", "30s", "250ms", "2m", "1h", "100us", "5ns", "5m30s": bare numbers are seconds. For
 * anything else, negative or beyond 2^63 ns, returns false and leaves *ns alone. */
bool lauka_parse_duration(const char *text, uint64_t *ns);

/* ---- decimals.c: whole numbers and decimals, exactly, as people and JSON have them ----------- */

/* "12345"; in double quotes beyond 2^53, where most readers of JSON would round. Returns text, for
 * which 32 bytes are enough. */
char *lauka_format_json_integer(uint64_t value, char *text, size_t size);

/* 10 to this power: 0.001 of -3. The nearest double for exponents from -22 to 44. */
double lauka_power_of_ten(int exponent);

/* Writes the digits before `end`, at least `least` of them; at most 20 bytes. Returns where they begin. */
char *lauka_digits_before(char *end, uint64_t value, int least);

/* The same of value / 10^decimals, exactly and without trailing zeros, and of what a JSON document has: in
 * double quotes where its digits are beyond 2^53. decimals may be negative, and |decimals| up to 99; with an exponent
 * where there would be more than 18 decimals or 21 digits: "4.5e-23". At most 31 bytes. */
char *lauka_decimal_before(char *end, uint64_t value, int decimals);
char *lauka_json_decimal_before(char *end, uint64_t value, int decimals);

/* value / 10^decimals, exactly and without trailing zeros: "0.01208" of nanoseconds and 9. Returns
 * text; 32 bytes are enough. */
char *lauka_format_decimal(uint64_t value, int decimals, char *text, size_t size);

/* The same for JSON, in double quotes where the value is beyond 2^53. */
char *lauka_format_json_decimal(uint64_t value, int decimals, char *text, size_t size);

/* ---- dates.c: times in UTC, as machines have them --------------------------------------------- */

#define LAUKA_DATE_SIZE 64
/* RFC 3339: "2026-11-23T18:25:07Z", or its first ten characters. Both return text, or NULL if the C library cannot
 * tell the date. */
char *lauka_format_time(time_t seconds, char text[LAUKA_DATE_SIZE]);
char *lauka_format_day(time_t seconds, char text[LAUKA_DATE_SIZE]);

/* "Mon Nov 23 18:25:07 UTC 2026", as date(1) has it. Returns text, or NULL as above. */
char *lauka_format_date(time_t seconds, char text[LAUKA_DATE_SIZE]);

/* ---- base64.c: RFC 4648 with padding and without line breaks, nothing else ------------------- */

/* Characters that so many bytes take, without a NUL. */
size_t lauka_base64_size(size_t size);
void lauka_base64_encode(const uint8_t *bytes, size_t size, char *text); /* adds a NUL */

/* bytes: room for length / 4 * 3. False for anything that lauka_base64_encode would not write. */
bool lauka_base64_decode(const char *text, size_t length, uint8_t *bytes, size_t *size);

/* ---- terminal.c: what the output can show ---------------------------------------------------- */

struct lauka_terminal {
    int width; /* columns; at least 20 */
    bool color;
    bool utf8;
    bool is_screen; /* it is a terminal, of which one sees the end first; not a file or a pipe */
};

enum lauka_color_choice { LAUKA_COLOR_AUTO, LAUKA_COLOR_ALWAYS, LAUKA_COLOR_NEVER };

/* --color, NO_COLOR, CLICOLOR_FORCE or FORCE_COLOR, CLICOLOR=0, TERM=dumb, isatty, in that order.
 * Width: COLUMNS, the terminal's own, 80. utf8 from LC_ALL, LC_CTYPE, LANG. */
struct lauka_terminal lauka_terminal_detect(int fd, enum lauka_color_choice choice);

/* Flushes. Returns 0, or the errno of what failed since the caller set errno to 0. */
int lauka_finish(FILE *out);

/* ---- palette.c: how what is said looks on a terminal ----------------------------------------- */

/* What a text is to its reader. Without colour all of them are plain. */
enum lauka_style {
    LAUKA_STYLE_PLAIN,
    LAUKA_STYLE_HEADING,   /* above what it names, and "note:" */
    LAUKA_STYLE_MAIN,      /* the figure or the word that one reads first */
    LAUKA_STYLE_SECONDARY, /* titles, signs, legends, what decides nothing */
    LAUKA_STYLE_BETTER,    /* and a limit that is kept */
    LAUKA_STYLE_WORSE,
    LAUKA_STYLE_DOUBTFUL, /* neither: look at it */
    LAUKA_STYLE_FAILED    /* a limit that is not kept */
};

/* Around what is written in this style; nothing at all of a plain one. */
void lauka_style_begin(enum lauka_style style, struct lauka_terminal terminal, FILE *out);
void lauka_style_end(enum lauka_style style, struct lauka_terminal terminal, FILE *out);

/* Both, around a text that is safe. */
void lauka_put_styled(const char *text, enum lauka_style style, struct lauka_terminal terminal,
                      FILE *out);

/* A paragraph in this style, all of its lines indented; and one behind "note: ". They are made safe, and as wide as the
 * terminal. Return 0 or ENOMEM. */
int lauka_put_paragraph(const char *text, int indent, enum lauka_style style,
                        struct lauka_terminal terminal, FILE *out);
enum { LAUKA_NOTE_INDENT = 6 };
int lauka_put_note(const char *text, struct lauka_terminal terminal, FILE *out);

/* Puts the cursor to the begin of its line, and leaves nothing in it. For terminals only. */
extern const char lauka_clear_line[];

/* ---- xml.c: texts between tags and in attributes --------------------------------------------- */

/* Writes the first character of safe text, which is not empty, so that it is itself between tags and
 * in quoted attributes. Returns how many bytes it has. */
size_t lauka_xml_put(const char *text, FILE *out);

/* The same for a whole text of others, which is made safe. */
void lauka_xml_text(const char *text, FILE *out);

/* The same, of several lines. */
void lauka_xml_lines(const char *text, FILE *out);

#endif
