/* The texts of a document lie one behind the other in blocks, which are freed at its end. */
#include "report/text/prose.h"
#include "report/text/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_SIZE = 8000 };

struct lauka_prose_block {
    struct lauka_prose_block *before;
    size_t size, used;
    _Alignas(16) char bytes[];
};

struct lauka_prose_memory {
    struct lauka_prose_memory *next;
    const void *about;
    void *computed;
};

struct lauka_prose_capture {
    struct lauka_prose_capture *before;
    FILE *out; /* where texts went before it */
    char *text;
    size_t size;
};

struct lauka_prose lauka_prose_begin(FILE *out, struct lauka_terminal terminal)
{
    static const struct lauka_signs ascii = {"+-", "->", "<=", ">=", "-", "sd", "...", "x", "/"};
    static const struct lauka_signs utf8 = {"±", "→", "≤", "≥", "–", "σ", "…", "×", "÷"};
    if (out)
        errno = 0;
    return (struct lauka_prose){.out = out,
                                .terminal = terminal,
                                .utf8 = terminal.utf8,
                                .signs = terminal.utf8 ? &utf8 : &ascii};
}

void lauka_prose_fail(struct lauka_prose *prose, int error)
{
    prose->error = prose->error ? prose->error : error;
}

int lauka_prose_done(struct lauka_prose *prose)
{
    while (prose->blocks) {
        struct lauka_prose_block *block = prose->blocks;
        prose->blocks = block->before;
        free(block);
    }
    return prose->error;
}

int lauka_prose_end(struct lauka_prose *prose)
{
    if (!prose->error && prose->out)
        prose->error = lauka_finish(prose->out);
    return lauka_prose_done(prose);
}

/* ---- room ------------------------------------------------------------------------------------ */

/* At least this much behind what is used; NULL if there is no memory. */
static struct lauka_prose_block *block_with(struct lauka_prose *prose, size_t size)
{
    struct lauka_prose_block *block = prose->blocks;
    if (block && block->size - block->used >= size)
        return block;
    const size_t whole = size > BLOCK_SIZE ? size : BLOCK_SIZE;
    block = malloc(sizeof *block + whole);
    if (!block) {
        lauka_prose_fail(prose, ENOMEM);
        return NULL;
    }
    *block = (struct lauka_prose_block){.before = prose->blocks, .size = whole};
    return prose->blocks = block;
}

static char *take(struct lauka_prose_block *block, size_t size)
{
    char *bytes = block->bytes + block->used;
    block->used += size;
    return bytes;
}

void *lauka_prose_room(struct lauka_prose *prose, size_t count, size_t size)
{
    const size_t all = count * size + 16;
    struct lauka_prose_block *block = block_with(prose, all);
    if (!block)
        return NULL;
    block->used = (block->used + 15) / 16 * 16;
    return memset(take(block, count * size), 0, count * size);
}

void lauka_prose_remember(struct lauka_prose *prose, const void *about, void *computed)
{
    struct lauka_prose_memory *memory = lauka_prose_room(prose, 1, sizeof *memory);
    if (!memory)
        return;
    *memory = (struct lauka_prose_memory){prose->memories, about, computed};
    prose->memories = memory;
}

/* What is found comes to the front: a document asks for the same again and again. */
void *lauka_prose_recall(struct lauka_prose *prose, const void *about)
{
    for (struct lauka_prose_memory **place = &prose->memories; *place; place = &(*place)->next)
        if ((*place)->about == about) {
            struct lauka_prose_memory *found = *place;
            *place = found->next;
            found->next = prose->memories;
            prose->memories = found;
            return found->computed;
        }
    return NULL;
}

char *lauka_prose_copy(struct lauka_prose *prose, const char *text)
{
    char *copy = lauka_prose_room(prose, strlen(text) + 1, 1);
    return copy ? strcpy(copy, text) : NULL;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Tries the block that there is; a text that does not fit is made again in another one. */
static const char *say(struct lauka_prose *prose, const char *format, va_list values)
{
    struct lauka_prose_block *block = prose->blocks;
    const size_t room = block ? block->size - block->used : 0;
    va_list again;
    va_copy(again, values);
    const int length = vsnprintf(block ? block->bytes + block->used : NULL, room, format, again);
    va_end(again);
    const size_t size = length >= 0 ? (size_t)length + 1 : 1;
    if (size > room) {
        block = block_with(prose, size);
        if (!block)
            return "";
        vsnprintf(block->bytes + block->used, size, format, values);
    }
    return take(block, size);
}

const char *lauka_say(struct lauka_prose *prose, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    const char *text = say(prose, format, values);
    va_end(values);
    return text;
}

const char *lauka_say_capital(struct lauka_prose *prose, const char *text)
{
    return *text ? lauka_say(prose, "%c%s", toupper((unsigned char)*text), text + 1) : "";
}

const char *lauka_join(struct lauka_prose *prose, const char *text, const char *between,
                       const char *more)
{
    return !*more ? text : !*text ? more : lauka_say(prose, "%s%s%s", text, between, more);
}

const char *lauka_keep(struct lauka_prose *prose, char *owned)
{
    const char *text = owned ? lauka_say(prose, "%s", owned) : "?";
    lauka_prose_fail(prose, owned ? 0 : ENOMEM);
    free(owned);
    return text;
}

const char *lauka_say_safely(struct lauka_prose *prose, const char *text)
{
    return lauka_keep(prose, lauka_safe_text(text, prose->utf8));
}

const char *lauka_say_fitted(struct lauka_prose *prose, const char *text, int width)
{
    return lauka_keep(prose, lauka_fit_text(text, width, prose->utf8));
}

/* ---- numbers --------------------------------------------------------------------------------- */

enum { NUMBER_SIZE = 400 };

const char *lauka_with_unit(struct lauka_prose *prose, const char *number, const char *unit)
{
    return lauka_join(prose, number, " ", unit);
}

const char *lauka_say_scaled(struct lauka_prose *prose, double value, struct lauka_scale scale)
{
    char text[NUMBER_SIZE];
    return lauka_say(prose, "%s", lauka_format_scaled(value, scale, text, sizeof text));
}

const char *lauka_say_quantity(struct lauka_prose *prose, double value, struct lauka_scale scale)
{
    return lauka_with_unit(prose, lauka_say_scaled(prose, value, scale), scale.suffix);
}

/* Two digits of the deviation, or as many of them as six digits of the value leave. */
static int decimals_of(double value, double deviation)
{
    int digits = (int)floor(log10(deviation * (1 + 1e-12))), whole = 0;
    int decimals = 1 - digits - (deviation >= 9.95 * lauka_power_of_ten(digits));
    if (fabs(value) >= 1)
        whole = 1 + (int)floor(log10(fabs(value)));
    int most = whole > 0 ? 6 - whole : 9;
    decimals = decimals > most ? most : decimals;
    return decimals < 0 ? 0 : decimals;
}

const char *lauka_say_uncertain(struct lauka_prose *prose, double value, double about,
                                double deviation, struct lauka_scale scale)
{
    if (value == 0 || !(deviation > 0))
        return lauka_say_scaled(prose, value, scale);
    int decimals = decimals_of(about / scale.divisor, deviation / scale.divisor);
    double scaled = value / scale.divisor, least = lauka_power_of_ten(-decimals);
    bool small = fabs(scaled) < least / 2;
    return lauka_say(prose, "%s%.*f", small ? "<" : "", decimals, small ? least : scaled);
}

/* `digits` digits of a factor above 1. */
static const char *say_factor(struct lauka_prose *prose, const char *sign, double factor,
                              int digits)
{
    const int whole = factor < 9.995 ? 1 : factor < 99.95 ? 2 : 3;
    return factor >= 99999.5
               ? lauka_say(prose, "%s>99999", sign)
               : lauka_say(prose, "%s%.*f", sign, whole < digits ? digits - whole : 0, factor);
}

/* decimals: of per cent. */
static const char *say_change(struct lauka_prose *prose, double ratio, int digits, int decimals)
{
    double change = 100 * (ratio - 1);
    if (ratio >= LAUKA_FACTOR_FROM)
        return say_factor(prose, prose->signs->times, ratio, digits);
    if (ratio > 0 && ratio <= 1 / LAUKA_FACTOR_FROM)
        return say_factor(prose, prose->signs->divided, 1 / ratio, digits);
    if (fabs(change) < 0.5 * lauka_power_of_ten(-decimals)) /* never "-0.00 %" */
        return "0 %";
    return lauka_say(prose, "%s%.*f %%", lauka_sign(change, prose->utf8), ratio > 0 ? decimals : 0,
                     fabs(change));
}

const char *lauka_say_change(struct lauka_prose *prose, double ratio)
{
    return say_change(prose, ratio, 3, 2);
}

const char *lauka_say_change_roughly(struct lauka_prose *prose, double ratio)
{
    return say_change(prose, ratio, 2, fabs(ratio - 1) < 0.0995 ? 1 : 0);
}

const char *lauka_say_effect(struct lauka_prose *prose, double d)
{
    double magnitude = fabs(d);
    const char *sign = lauka_sign(d, prose->utf8);
    int decimals = magnitude < 9.995 ? 2 : magnitude < 99.95 ? 1 : 0;
    return magnitude < 0.005    ? "0"
           : magnitude >= 999.5 ? lauka_say(prose, "%s>999", sign)
                                : lauka_say(prose, "%s%.*f", sign, decimals, magnitude);
}

const char *lauka_say_share(struct lauka_prose *prose, double share)
{
    char text[NUMBER_SIZE];
    return lauka_say(prose, "%s", lauka_format_share(share, 3, text, sizeof text));
}

const char *lauka_say_share_roughly(struct lauka_prose *prose, double share)
{
    char text[NUMBER_SIZE];
    return lauka_say(prose, "%s", lauka_format_share(share, 2, text, sizeof text));
}

/* The first `whole` characters are digits in front of the point. */
static const char *grouped(struct lauka_prose *prose, bool negative, const char *digits,
                           size_t whole)
{
    char *text = lauka_prose_room(prose, 1, 2 * strlen(digits) + 2), *end = text;
    if (!text)
        return "";
    if (negative)
        *end++ = '-';
    for (size_t i = 0; digits[i]; i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0)
            *end++ = ',';
        *end++ = digits[i];
    }
    return text;
}

const char *lauka_say_grouped(struct lauka_prose *prose, double value, int decimals)
{
    const char *digits = lauka_say(prose, "%.*f", decimals, fabs(value));
    bool negative = value < 0 && strspn(digits, "0.") < strlen(digits);
    return grouped(prose, negative, digits, strcspn(digits, "."));
}

const char *lauka_say_count(struct lauka_prose *prose, uint64_t count)
{
    const char *digits = lauka_say(prose, "%" PRIu64, count);
    return grouped(prose, false, digits, strlen(digits));
}

/* ---- what is written ------------------------------------------------------------------------- */

void lauka_put(struct lauka_prose *prose, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    if (prose->out)
        vfprintf(prose->out, format, values);
    va_end(values);
}

void lauka_prose_capture(struct lauka_prose *prose)
{
    struct lauka_prose_capture *capture = lauka_prose_room(prose, 1, sizeof *capture);
    FILE *memory = capture ? open_memstream(&capture->text, &capture->size) : NULL;
    lauka_prose_fail(prose, memory ? 0 : ENOMEM);
    if (!capture)
        return;
    *capture =
        (struct lauka_prose_capture){prose->capture, prose->out, capture->text, capture->size};
    prose->capture = capture;
    prose->out = memory;
}

const char *lauka_prose_captured(struct lauka_prose *prose)
{
    struct lauka_prose_capture *capture = prose->capture;
    if (!capture)
        return "";
    const bool good = prose->out && fclose(prose->out) == 0;
    prose->out = capture->out;
    prose->capture = capture->before;
    return lauka_keep(prose, good ? capture->text : NULL);
}

void lauka_put_wrapped(struct lauka_prose *prose, int indent, const char *text)
{
    if (prose->out)
        lauka_prose_fail(prose, lauka_print_wrapped(text, indent, prose->terminal.width,
                                                    prose->utf8, prose->out));
}

void lauka_put_paragraph(struct lauka_prose *prose, int indent, enum lauka_style style,
                         const char *text)
{
    lauka_put(prose, "%*s%s", indent, "", lauka_style_begin(style, prose->terminal));
    lauka_put_wrapped(prose, indent, text);
    lauka_put(prose, "%s", lauka_style_end(style, prose->terminal));
}

void lauka_put_note(struct lauka_prose *prose, const char *text)
{
    lauka_put_text(prose, LAUKA_STYLE_HEADING, "note:");
    lauka_put(prose, " ");
    lauka_put_wrapped(prose, LAUKA_NOTE_INDENT, text);
}

void lauka_put_text(struct lauka_prose *prose, enum lauka_style style, const char *text)
{
    lauka_put(prose, "%s%s%s", lauka_style_begin(style, prose->terminal), text,
              lauka_style_end(style, prose->terminal));
}

void lauka_put_folded(struct lauka_prose *prose, const char *text)
{
    char *copy = lauka_prose_copy(prose, text);
    if (copy && prose->out)
        lauka_print_folded(copy, prose->terminal.width, prose->out);
}
