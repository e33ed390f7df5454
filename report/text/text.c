/* Makes text that others chose (commands, paths, a program's output) safe and short enough to show. It
 * does not use wcwidth(3), which knows nothing before setlocale(3) and varies by system. */
#include "report/text/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct range {
    uint32_t first, last;
};

/* Combining marks and format characters that take no column (Unicode 15, the common scripts). */
static const struct range zero_width[] = {
    {0x0300, 0x036F},   {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F},
    {0x06D6, 0x06DC},   {0x0900, 0x0902}, {0x093A, 0x093A}, {0x093C, 0x093C}, {0x0941, 0x0948},
    {0x0E31, 0x0E31},   {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
    {0x200B, 0x200D},   {0x20D0, 0x20FF}, {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
    {0xE0100, 0xE01EF},
};

/* East Asian Width W and F (UAX #11) and emoji shown as such. */
static const struct range double_width[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x26A1, 0x26A1},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},
    {0x26D4, 0x26D4},   {0x2705, 0x2705},   {0x270A, 0x270B},   {0x2728, 0x2728},
    {0x274C, 0x274C},   {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
    {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},   {0x2E80, 0x303E},
    {0x3041, 0x4DBF},   {0x4E00, 0xA4CF},   {0xA960, 0xA97C},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
    {0xFFE0, 0xFFE6},   {0x16FE0, 0x18CFF}, {0x1B000, 0x1B2FF}, {0x1F004, 0x1F004},
    {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F19A}, {0x1F200, 0x1F320}, {0x1F32D, 0x1F64F},
    {0x1F680, 0x1F6FF}, {0x1F7E0, 0x1F7EB}, {0x1F900, 0x1F9FF}, {0x1FA70, 0x1FAFF},
    {0x20000, 0x3FFFD},
};

/* Valid characters that can nevertheless hide or reorder what is around them: C1 controls, soft hyphen,
 * marks and overrides of direction, separators of lines, invisible operators, byte order mark, tags. */
static const struct range deceptive[] = {
    {0x0080, 0x009F}, {0x00AD, 0x00AD}, {0x061C, 0x061C},   {0x180E, 0x180E},
    {0x200B, 0x200B}, {0x200E, 0x200F}, {0x2028, 0x202E},   {0x2060, 0x206F},
    {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F},
};

#define IN(ranges, code) within(ranges, sizeof(ranges) / sizeof *(ranges), code)

/* They ascend. */
static bool within(const struct range *ranges, size_t count, uint32_t code)
{
    for (size_t i = 0; i < count && code >= ranges[i].first; i++)
        if (code <= ranges[i].last)
            return true;
    return false;
}

size_t lauka_utf8_decode(const char *text, uint32_t *code)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t length = bytes[0] < 0x80   ? 1
                    : bytes[0] < 0xC2 ? 0 /* a continuation, or an overlong pair */
                    : bytes[0] < 0xE0 ? 2
                    : bytes[0] < 0xF0 ? 3
                    : bytes[0] < 0xF5 ? 4
                                      : 0;
    if (length == 0 || bytes[0] == 0)
        return 0;
    *code = length == 1 ? bytes[0] : bytes[0] & (0xFFU >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
        *code = *code << 6 | (bytes[i] & 0x3FU);
    }
    /* RFC 3629: no overlong forms, no surrogates, nothing past U+10FFFF. */
    bool valid = (length < 3 || *code >= 0x800) && (length < 4 || *code >= 0x10000) &&
                 (*code < 0xD800 || *code > 0xDFFF) && *code <= 0x10FFFF;
    return valid ? length : 0;
}

static int width_of(uint32_t code)
{
    if (code < 0x20 || (code >= 0x7F && code < 0xA0) || IN(zero_width, code))
        return 0;
    return IN(double_width, code) ? 2 : 1;
}

/* Length of an escape sequence that sets colours: ESC [ digits and semicolons m; 0 for others. */
static size_t escape_length(const char *text)
{
    if (text[0] != '\x1b' || text[1] != '[')
        return 0;
    size_t parameters = strspn(text + 2, "0123456789;");
    return text[2 + parameters] == 'm' ? 3 + parameters : 0;
}

/* The bytes of one displayed unit: a character, a colour sequence, an invalid byte. */
static size_t step(const char *text, int *width)
{
    uint32_t code = 0;
    size_t length = escape_length(text);
    *width = 0;
    if (length > 0)
        return length;
    length = lauka_utf8_decode(text, &code);
    *width = length > 0 ? width_of(code) : 1;
    return length > 0 ? length : 1;
}

int lauka_display_width(const char *text)
{
    int total = 0, width;
    for (; *text; total += width)
        text += step(text, &width);
    return total;
}

/* Length of the character at text if it may be shown as it is, 0 if it must be escaped. */
static size_t harmless(const char *text, bool utf8)
{
    uint32_t code = 0;
    size_t length = lauka_utf8_decode(text, &code);
    if (length == 0 || code < 0x20 || code == 0x7F)
        return 0;
    return code < 0x80 || (utf8 && !IN(deceptive, code)) ? length : 0;
}

/* "##[error]" anywhere in a line is a command to GitHub's runner: its bracket is escaped. */
static bool is_command(const char *start, const char *text)
{
    return *text == '[' && text - start >= 2 && text[-1] == '#' && text[-2] == '#';
}

/* Moves *text behind its first character. Returns the character, or its first byte as \xNN in `escaped`, and the length. */
static const char *safe_piece(const char *start, const char **text, bool utf8, char escaped[5],
                              size_t *length)
{
    const char *at = *text;
    *length = is_command(start, at) ? 0 : harmless(at, utf8);
    *text += *length > 0 ? *length : 1;
    if (*length > 0)
        return at;
    *length = 4;
    snprintf(escaped, 5, "\\x%02x", (unsigned char)*at);
    return escaped;
}

void lauka_print_safely(const char *text, bool utf8, FILE *out)
{
    char escaped[5];
    size_t length;
    for (const char *at = text; *at;) {
        const char *piece = safe_piece(text, &at, utf8, escaped, &length);
        fwrite(piece, 1, length, out);
    }
}

char *lauka_safe_text(const char *text, bool utf8)
{
    char *safe = malloc(4 * strlen(text) + 1), *end = safe, escaped[5];
    size_t length;
    for (const char *at = text; safe && *at; end += length) {
        const char *piece = safe_piece(text, &at, utf8, escaped, &length);
        memcpy(end, piece, length);
    }
    if (safe)
        *end = 0;
    return safe;
}

/* ---- in JSON ---- */

static void put_unit(uint32_t unit, FILE *out)
{
    fprintf(out, "\\u%04x", (unsigned)unit);
}

size_t lauka_print_json_character(const char *text, FILE *out)
{
    uint32_t code = 0;
    size_t length = lauka_utf8_decode(text, &code);
    if (length == 0)
        put_unit(0xFFFD, out);
    else if (code >= 0x10000 && IN(deceptive, code)) { /* RFC 8259: as a pair of surrogates */
        put_unit(0xD800 + ((code - 0x10000) >> 10), out);
        put_unit(0xDC00 + ((code - 0x10000) & 0x3FF), out);
    } else if (code < ' ' || code == 0x7F || IN(deceptive, code))
        put_unit(code, out);
    else
        fwrite(text, 1, length, out);
    return length > 0 ? length : 1;
}

/* Enough for every script; without a limit, marks that combine could pile up without end. */
static size_t most_bytes(int width)
{
    return width > 0 ? 4 * (size_t)width : 0;
}

/* The longest beginning of text that fits into `width` columns, with the marks that combine. */
static size_t head_length(const char *text, int width)
{
    size_t length = 0;
    int room = width, next;
    while (text[length]) {
        size_t bytes = step(text + length, &next);
        if (next > room || length + bytes > most_bytes(width))
            break;
        room -= next;
        length += bytes;
    }
    return length;
}

void lauka_cut_text(char *text, int width)
{
    text[head_length(text, width)] = 0;
}

/* The mark has more bytes than columns: if it does not fit, one more letter makes room. */
void lauka_cut_marked(char *text, int width, bool utf8)
{
    const char *mark = utf8 ? "…" : "..";
    size_t size = strlen(text) + 1;
    if (lauka_display_width(text) <= width)
        return;
    for (int room = width - lauka_display_width(mark); room > 0; room--) {
        size_t length = head_length(text, room);
        if (length > 0 && length + strlen(mark) < size) {
            snprintf(text + length, size - length, "%s", mark);
            return;
        }
    }
    lauka_cut_text(text, width);
}

/* Where the longest end of text begins that fits into `width` columns. */
static size_t tail_start(const char *text, int width)
{
    size_t length = strlen(text), start = 0;
    int left = lauka_display_width(text), next;
    while (text[start]) {
        size_t bytes = step(text + start, &next);
        bool lone_mark = next == 0; /* its letter was cut off */
        if (left <= width && length - start <= most_bytes(width) && !lone_mark)
            break;
        start += bytes;
        left -= next;
    }
    return start;
}

char *lauka_fit_text(const char *text, int width, bool utf8)
{
    char *safe = lauka_safe_text(text, utf8);
    if (!safe || (lauka_display_width(safe) <= width && strlen(safe) <= most_bytes(width)))
        return safe;
    const char *gap = utf8 ? "…" : "...";
    int room = width - lauka_display_width(gap);
    if (room < 2) { /* too narrow to show both ends */
        lauka_cut_text(safe, width);
        return safe;
    }
    size_t head = head_length(safe, (room + 1) / 2), tail = tail_start(safe, room / 2);
    size_t gap_length = strlen(gap), tail_length = strlen(safe + tail);
    char *fitted = malloc(head + gap_length + tail_length + 1);
    if (fitted) {
        memcpy(fitted, safe, head);
        memcpy(fitted + head, gap, gap_length);
        memcpy(fitted + head + gap_length, safe + tail, tail_length + 1);
    }
    free(safe);
    return fitted;
}

/* Keeps a number with its unit, a sign with its number, and an interval together: no line ends in "12.34",
 * "=", "±" or "[1.2,". */
static bool may_break_at(const char *text, size_t space)
{
    unsigned char before = space > 0 ? (unsigned char)text[space - 1] : ' ';
    unsigned char last = before == ',' && space > 1 ? (unsigned char)text[space - 2] : before;
    bool number = last >= '0' && last <= '9';
    bool plus_minus = before == 0xB1 || (space > 1 && memcmp(text + space - 2, "+-", 2) == 0);
    return !number && before != '=' && text[space + 1] != '=' && !plus_minus;
}

/* The last space within `fits` bytes and one at which a line may end; 0 if there is none. Names are in backquotes, and
 * `quoted` says whether the text begins within one; whole: not within a name. */
static size_t last_break(const char *text, size_t fits, bool quoted, bool whole)
{
    size_t end = 0;
    for (size_t i = 0; i <= fits && text[i]; i++) {
        quoted ^= text[i] == '`';
        if (text[i] == ' ' && i > 0 && may_break_at(text, i) && !(whole && quoted))
            end = i;
    }
    return end;
}

/* Whether the name that begins behind this space would not fit on a line of its own. */
static bool is_long_name(const char *space, int width)
{
    const char *name = space + strspn(space, " ");
    const size_t fits = head_length(name, width);
    return name[fits] && last_break(name, fits, false, true) == 0;
}

/* How much of text goes on a line of `width` columns: up to a space, outside of names if they can be whole; or behind
 * a slash, or cut if there is neither. quoted: as above. */
static size_t line_length(const char *text, int width, bool quoted)
{
    size_t fits = head_length(text, width);
    if (!text[fits])
        return fits;
    size_t end = last_break(text, fits, quoted, true), any = last_break(text, fits, quoted, false);
    if (end < any && (end == 0 || is_long_name(text + end, width)))
        end = any;
    if (end > 0)
        return end;
    for (size_t slash = fits; slash > 1; slash--)
        if (text[slash - 1] == '/')
            return slash;
    int next;
    return fits > 0 ? fits : step(text, &next);
}

int lauka_print_wrapped(const char *text, int indent, int width, bool utf8, FILE *out)
{
    char *safe = lauka_safe_text(text, utf8);
    if (!safe)
        return ENOMEM;
    const char *line = safe;
    int room = width - indent;
    bool quoted = false;
    while (*line) {
        size_t length = line_length(line, room > 1 ? room : 1, quoted);
        fwrite(line, 1, length, out);
        for (size_t i = 0; i < length; i++)
            quoted ^= line[i] == '`';
        line += length;
        line += strspn(line, " ");
        if (*line)
            fprintf(out, "\n%*s", indent, "");
    }
    fputc('\n', out);
    free(safe);
    return 0;
}

static size_t without_blanks(const char *line, size_t length)
{
    while (length > 0 && line[length - 1] == ' ')
        length--;
    return length;
}

/* Moved to the left as far as it must; if that is not enough, what is left over stands below, further in. */
static void put_folded(const char *line, int width, FILE *out)
{
    const int blanks = (int)strspn(line, " ");
    line += blanks;
    int room = width - lauka_display_width(line);
    room = room >= 0 ? room : width / 4;
    for (int indent = blanks < room ? blanks : room, hanging = 0; *line; hanging = 2) {
        size_t length = line_length(line, width - indent - hanging, false);
        fprintf(out, "%s%*s%.*s", hanging > 0 ? "\n" : "", indent + hanging, "",
                (int)without_blanks(line, length), line);
        line += length;
        line += strspn(line, " ");
    }
}

void lauka_print_folded(char *text, int width, FILE *out)
{
    while (*text) {
        const size_t length = strcspn(text, "\n");
        const bool ended = text[length] == '\n';
        text[length] = '\0';
        if (lauka_display_width(text) <= width)
            fputs(text, out);
        else
            put_folded(text, width, out);
        if (ended)
            fputc('\n', out);
        text += length + ended;
    }
}

int lauka_text_copy(const char *from, char **to)
{
    *to = from ? strdup(from) : NULL;
    return from && !*to ? ENOMEM : 0;
}

char *lauka_text_format(const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return length < 0 ? NULL : text;
}

char *lauka_text_numbered(const char *label, size_t number)
{
    return number > 0 ? lauka_text_format("%s (%zu)", label, number) : strdup(label);
}

bool lauka_text_is(const char *text, const char *other)
{
    return text && other ? strcmp(text, other) == 0 : text == other;
}

bool lauka_text_is_address(const char *text)
{
    return strncmp(text, "https://", 8) == 0 || strncmp(text, "http://", 7) == 0;
}

void lauka_free_texts(char **texts, size_t count)
{
    for (size_t i = 0; texts && i < count; i++)
        free(texts[i]);
    free(texts);
}
