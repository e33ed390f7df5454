/* What the launcher's program writes texts with: snprintf(3) for texts and whole numbers. The C library's, which
 * also knows floating-point numbers, would be a fifth of that program. tests/house.py sees to it that the program's
 * files ask for nothing else. Part of no other program: see files.zig. */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* As much of a text as fits; it goes on counting. */
struct target {
    char *text;
    size_t size, length;
};

static void put(struct target *target, char character)
{
    if (target->length + 1 < target->size)
        target->text[target->length] = character;
    target->length++;
}

/* "%08llx": what stands between % and the letter. */
struct conversion {
    bool zeros;
    int width, precision; /* precision -1: none */
    bool is_long;         /* of 64 bits: l, ll and z */
};

static int take_number(const char **at, va_list *arguments)
{
    int number = 0;

    if (**at == '*') {
        ++*at;
        return va_arg(*arguments, int);
    }
    for (; **at >= '0' && **at <= '9'; ++*at)
        number = 10 * number + (**at - '0');
    return number;
}

/* *at: behind the %; then at the letter. */
static struct conversion take_conversion(const char **at, va_list *arguments)
{
    struct conversion conversion = {.zeros = **at == '0', .precision = -1};

    conversion.width = take_number(at, arguments);
    if (**at == '.') {
        ++*at;
        conversion.precision = take_number(at, arguments);
    }
    for (; **at == 'l' || **at == 'z'; ++*at)
        conversion.is_long = true;
    return conversion;
}

static void put_text(struct target *target, const struct conversion *how, const char *text)
{
    size_t length = how->precision < 0 ? strlen(text) : strnlen(text, (size_t)how->precision);

    for (int i = (int)length; i < how->width; i++)
        put(target, ' ');
    for (size_t i = 0; i < length; i++)
        put(target, text[i]);
}

static void put_number(struct target *target, const struct conversion *how, uint64_t value,
                       bool negative, unsigned base)
{
    char digits[20];
    int count = 0;

    do
        digits[count++] = "0123456789abcdef"[value % base];
    while ((value /= base) > 0);
    if (negative && how->zeros)
        put(target, '-');
    for (int i = count + negative; i < how->width; i++)
        put(target, how->zeros ? '0' : ' ');
    if (negative && !how->zeros)
        put(target, '-');
    while (count > 0)
        put(target, digits[--count]);
}

static void convert(struct target *target, const struct conversion *how, char letter,
                    va_list *arguments)
{
    if (letter == 's') {
        put_text(target, how, va_arg(*arguments, const char *));
    } else if (letter == 'd') {
        int64_t value = how->is_long ? va_arg(*arguments, long) : va_arg(*arguments, int);
        put_number(target, how, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0, 10);
    } else if (letter == 'u' || letter == 'x') {
        uint64_t value =
            how->is_long ? va_arg(*arguments, unsigned long) : va_arg(*arguments, unsigned);
        put_number(target, how, value, false, letter == 'x' ? 16 : 10);
    } else {
        put(target, letter);
    }
}

int vsnprintf(char *restrict text, size_t size, const char *restrict format, va_list given)
{
    struct target target = {.text = text, .size = size};
    va_list arguments;

    va_copy(arguments, given);
    for (const char *at = format; *at; at++) {
        if (*at != '%') {
            put(&target, *at);
            continue;
        }
        at++;
        struct conversion how = take_conversion(&at, &arguments);
        convert(&target, &how, *at, &arguments);
    }
    va_end(arguments);
    if (size > 0)
        text[target.length < size ? target.length : size - 1] = '\0';
    return (int)target.length;
}

int snprintf(char *restrict text, size_t size, const char *restrict format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(text, size, format, arguments);
    va_end(arguments);
    return length;
}
