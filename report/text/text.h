/* Text: safe to display, short enough, with units, and in the forms that documents need. */
#ifndef LAUKA_REPORT_TEXT_TEXT_H
#define LAUKA_REPORT_TEXT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

/* ---- text.c: what others wrote, made safe and short enough to show --------------------------- */

/* Writes one character of a text as JSON: \uXXXX if it could control a terminal, and \ufffd if it
 * is not valid UTF-8. Returns the number of bytes read. */
size_t lauka_print_json_character(const char *text, FILE *out);

/* The length in bytes of the valid UTF-8 character at the start, and its code point; 0 if there is none. */
size_t lauka_utf8_decode(const char *text, uint32_t *code);

/* The number of columns that the text takes (UTF-8 aware; our own escape sequences take none). */
int lauka_display_width(const char *text);

/* Writes text with control characters, bidirectional overrides and invalid UTF-8 made visible as \xNN, so
 * that neither a command's name nor its output can control the terminal. Without utf8, characters outside
 * ASCII are escaped, too. */
void lauka_print_safely(const char *text, bool utf8, FILE *out);

/* The same as a string. Owned by the caller; NULL if there is no memory. */
char *lauka_safe_text(const char *text, bool utf8);

/* The same, cut in the middle to at most `width` columns, and 4 * width bytes: "./a-ve…-name". */
char *lauka_fit_text(const char *text, int width, bool utf8);

/* Cuts safe text in place to at most `width` columns, with a mark at its end if there is room for
 * the mark and a character before it. */
void lauka_cut_text(char *text, int width);
void lauka_cut_marked(char *text, int width, bool utf8);

/* Escapes the text and breaks it into lines of at most `width` columns, the last with a newline. All lines
 * are indented except the first, which the caller has moved to column `indent`. Returns 0 or ENOMEM. */
int lauka_print_wrapped(const char *text, int indent, int width, bool utf8, FILE *out);

/* Writes text of several lines with our colours. Breaks lines of more than `width` columns at
 * blanks, or else where they are full. Overwrites the text. */
void lauka_print_folded(char *text, int width, FILE *out);

/* A copy of the text, owned by the caller; NULL stays NULL. Returns 0 or ENOMEM. */
int lauka_text_copy(const char *from, char **to);

/* Frees the texts, of which some may be missing, and the array itself, which may be NULL. */
void lauka_free_texts(char **texts, size_t count);

/* Formats like printf(3). Owned by the caller; NULL without memory. */
char *lauka_text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "LABEL (2)", for one of several that are called alike; 0: the label alone. Owned by the caller; NULL without memory. */
char *lauka_text_numbered(const char *label, size_t number);

/* Whether both are the same text, or both are NULL. */
bool lauka_text_is(const char *text, const char *other);

/* Whether it begins as an address that documents may link to. */
bool lauka_text_is_address(const char *text);

/* ---- short_names.c: command lines by their program and the words in which they differ ------------ */

/* Names of command lines for people: lines that are equal have one name, all others differ. If every line fits into
 * `width` columns, each is its own name. Otherwise a name has the program and every word that not all lines have; a
 * mark stands for the others, and long words lose what they have in common, too. Where that is too wide, lines of one
 * program keep the words in which they differ from each other. A name that is still too wide, or that two lines would
 * share, becomes the letter of the line's index, which needs a legend: lettered[i] is set. A line alone
 * is cut in its middle. Names are safe to show. lettered: room for `count`. Owned by the caller, as are the strings, with
 * NULL at their end; NULL without memory. */
char **lauka_short_names(const char *const *texts, size_t count, int width, bool utf8,
                         bool *lettered);

/* Names, sorted so that those that are alike stand side by side; of these, equal texts; then by index. */
struct lauka_named {
    const char *text, *name; /* borrowed */
    size_t index;
};

/* texts: NULL: the names themselves. Owned by the caller; NULL without memory. */
struct lauka_named *lauka_sort_named(const char *const *texts, char *const *names, size_t count);

/* How many have the same name as the first of these. */
size_t lauka_count_alike(const struct lauka_named *sorted, size_t count);

/* "A" to "Z" for the first lines, then "#27". Returns text, for which 24 bytes are enough. */
char *lauka_format_letter(size_t index, char *text, size_t size);

/* ---- units.c: numbers with units, written and read ------------------------------------------- */

/* One scale for a whole row, so that its numbers are easy to compare. */
struct lauka_scale {
    double divisor;
    const char *suffix; /* static: "ms", "MiB", "K", "" */
    int decimals;       /* for values below 1; 0: three */
};

/* The scale for the largest magnitude of a row. unit: "ns", "B" or "1"; values of the last unit
 * that three decimals cannot show get "m", "µ", "n". */
struct lauka_scale lauka_scale_for(double largest, const char *unit, bool utf8);

/* The same for different magnitudes: finer, as long as the smallest (above 0) has less than three
 * digits and the largest less than six. 0.5 ms and 2 s give ms; 0.000012 and 0.004 give "µ". */
struct lauka_scale lauka_scale_for_range(double smallest, double largest, const char *unit,
                                         bool utf8);

/* The scale that lauka_scale_named found. */
struct lauka_scale lauka_scale_chosen(unsigned chosen, const char *unit, bool utf8);

/* Finds the scale with this name in this unit, for `shown_in`: "ms", "millisecond", "KiB", "M". 0
 * if there is none. */
unsigned lauka_scale_named(const char *name, const char *unit);

/* The scale with enough decimals for four digits of a value below 1: "0.003755"; at most 9. */
struct lauka_scale lauka_scale_with_digits(struct lauka_scale scale, double value);

/* Four significant digits, but no more than the scale's decimals, and never an exponent: "12.34",
 * "0.012", "1234". Exact zeros and unscaled integers have no decimals: "0", "75"; so "0.000" is not
 * zero. Returns text. */
char *lauka_format_scaled(double value, struct lauka_scale scale, char *text, size_t size);

/* "2.5 %" from a share, with up to this many digits. Returns text. */
char *lauka_format_share(double share, int digits, char *text, size_t size);

/* "+", or the minus sign of the character set; static. */
const char *lauka_sign(double value, bool utf8);

/* For machines: the fewest digits (15 to 17) that read back as the same double. Returns text. */
char *lauka_format_exact(double value, char *text, size_t size);

/* For machines: converts nanoseconds to seconds, and leaves all else unchanged. */
double lauka_in_seconds(double value, const char *unit);

/* Parses "1.5", "30s", "250ms", "2m", "1h", "100us", "5ns", "5m30s": plain numbers are seconds. Returns
 * false, with *ns unchanged, for anything else, negative values, or values beyond 2^63 ns. */
bool lauka_parse_duration(const char *text, uint64_t *ns);

/* ---- decimals.c: whole numbers and decimals, exactly, as people and JSON have them ----------- */

/* "12345"; in double quotes beyond 2^53, where most readers of JSON would round it. Returns text,
 * for which 32 bytes are enough. */
char *lauka_format_json_integer(uint64_t value, char *text, size_t size);

/* 10 to this power: 0.001 for -3. The nearest double for exponents from -22 to 44. */
double lauka_power_of_ten(int exponent);

/* Writes value / 10^decimals before `end`, exactly and without trailing zeros; the second as in JSON: in double
 * quotes if its digits exceed 2^53. decimals may be negative, with |decimals| up to 99; uses an exponent for more
 * than 18 decimals or 21 digits: "4.5e-23". At most 31 bytes. Returns the start of the text. */
char *lauka_decimal_before(char *end, uint64_t value, int decimals);
char *lauka_json_decimal_before(char *end, uint64_t value, int decimals);

/* The most decimals kept for values of stored data, which only few need: 1e-30 with nine digits.
 * Other numbers get at most LAUKA_DECIMALS_PLAIN. */
enum { LAUKA_DECIMALS_MAX = 38, LAUKA_DECIMALS_PLAIN = 9 };

/* value / 10^decimals, exactly and without trailing zeros: "0.01208" for nanoseconds and 9. Returns
 * text; 32 bytes are enough. */
char *lauka_format_decimal(uint64_t value, int decimals, char *text, size_t size);

/* The same for JSON, in double quotes if the value exceeds 2^53. */
char *lauka_format_json_decimal(uint64_t value, int decimals, char *text, size_t size);

/* ---- dates.c: times in UTC, as machines have them --------------------------------------------- */

#define LAUKA_DATE_SIZE 64
/* RFC 3339: "2026-11-23T18:25:07Z", or its first ten characters. Both return text, or NULL if the C
 * library cannot compute the date. */
char *lauka_format_time(time_t seconds, char text[LAUKA_DATE_SIZE]);
char *lauka_format_day(time_t seconds, char text[LAUKA_DATE_SIZE]);

/* "Mon Nov 23 18:25:07 UTC 2026", as in date(1). Returns text, or NULL as above. */
char *lauka_format_date(time_t seconds, char text[LAUKA_DATE_SIZE]);

/* ---- base64.c: RFC 4648 with padding and without line breaks, nothing else ------------------- */

/* The length in characters of this many bytes, without NUL. */
size_t lauka_base64_size(size_t size);
void lauka_base64_encode(const uint8_t *bytes, size_t size, char *text); /* adds a NUL */

/* bytes: room for length / 4 * 3. False for any text that lauka_base64_encode would not write. */
bool lauka_base64_decode(const char *text, size_t length, uint8_t *bytes, size_t *size);

/* ---- terminal.c: what the output can show ---------------------------------------------------- */

struct lauka_terminal {
    int width; /* in columns; at least 20 */
    bool color;
    bool utf8;
    bool is_screen; /* it is a terminal, where people see the end first; not a file or pipe */
};

enum lauka_color_choice { LAUKA_COLOR_AUTO, LAUKA_COLOR_ALWAYS, LAUKA_COLOR_NEVER };

/* From --color, NO_COLOR, CLICOLOR_FORCE or FORCE_COLOR, CLICOLOR=0, TERM=dumb, isatty, in this
 * order. Width: COLUMNS, the terminal's own, 80. utf8: LC_ALL, LC_CTYPE, LANG. */
struct lauka_terminal lauka_terminal_detect(int fd, enum lauka_color_choice choice);

/* Flushes. Returns 0, or the errno of the first failure since the caller set errno to 0. */
int lauka_finish(FILE *out);

/* ---- palette.c: how what is said looks on a terminal ----------------------------------------- */

/* The role of a text for its reader. Without colour all are plain. */
enum lauka_style {
    LAUKA_STYLE_PLAIN,
    LAUKA_STYLE_HEADING,   /* above what it names, and "note:" */
    LAUKA_STYLE_MAIN,      /* the figure or word to read first */
    LAUKA_STYLE_SECONDARY, /* titles, signs, legends, and all that decides nothing */
    LAUKA_STYLE_BETTER,    /* also a limit that is held */
    LAUKA_STYLE_WORSE,
    LAUKA_STYLE_DOUBTFUL, /* neither: needs attention */
    LAUKA_STYLE_FAILED    /* a limit that is exceeded */
};

/* The sequences around a text in this style; empty for plain text. Static. */
const char *lauka_style_begin(enum lauka_style style, struct lauka_terminal terminal);
const char *lauka_style_end(enum lauka_style style, struct lauka_terminal terminal);

/* Writes safe text between both. */
void lauka_put_styled(const char *text, enum lauka_style style, struct lauka_terminal terminal,
                      FILE *out);

enum { LAUKA_NOTE_INDENT = 6 }; /* columns of text after "note:" */

/* Moves the cursor to the start of its line and clears the line. Only for terminals. */
extern const char lauka_clear_line[];

/* The same, and then moves up, into the row above, which belongs to the same line. */
extern const char lauka_clear_last_row[];

#endif
