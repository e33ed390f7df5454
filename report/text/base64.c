/* base64: RFC 4648 with padding and without line breaks, nothing else. */
#include "report/text/text.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t lauka_base64_size(size_t size)
{
    return (size + 2) / 3 * 4;
}

void lauka_base64_encode(const uint8_t *bytes, size_t size, char *text)
{
    for (size_t i = 0; i < size; i += 3) {
        size_t count = size - i < 3 ? size - i : 3;
        uint32_t bits = (uint32_t)bytes[i] << 16;
        bits |= count > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
        bits |= count > 2 ? bytes[i + 2] : 0;
        for (size_t j = 0; j < 4; j++)
            *text++ = j <= count ? alphabet[bits >> (18 - 6 * j) & 63] : '=';
    }
    *text = '\0';
}

/* 0 ... 63, or -1. */
static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* The 1 to 3 bytes of four characters; 0 if they are malformed. Bits that belong to no byte must be 0. */
static size_t decode_four(const char *text, uint8_t *bytes)
{
    size_t count = text[3] != '=' ? 3 : text[2] != '=' ? 2 : 1;
    uint32_t bits = 0;
    for (size_t i = 0; i < 4; i++) {
        int digit = i <= count ? digit_of(text[i]) : 0;
        if (digit < 0)
            return 0;
        bits = bits << 6 | (uint32_t)digit;
    }
    if (bits & (0xffffffu >> 8 * count))
        return 0;
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)(bits >> (16 - 8 * i));
    return count;
}

/* Decodes four characters without padding; false if one of them is no digit, or there is padding. */
static bool decode_plain(const int8_t *digits, const char *text, uint8_t *bytes)
{
    int a = digits[(uint8_t)text[0]], b = digits[(uint8_t)text[1]];
    int c = digits[(uint8_t)text[2]], d = digits[(uint8_t)text[3]];
    if ((a | b | c | d) < 0)
        return false;
    uint32_t bits = (uint32_t)a << 18 | (uint32_t)b << 12 | (uint32_t)c << 6 | (uint32_t)d;
    bytes[0] = (uint8_t)(bits >> 16);
    bytes[1] = (uint8_t)(bits >> 8);
    bytes[2] = (uint8_t)bits;
    return true;
}

bool lauka_base64_decode(const char *text, size_t length, uint8_t *bytes, size_t *size)
{
    int8_t digits[256];
    *size = 0;
    if (length % 4 != 0)
        return false;
    for (size_t c = 0; c < sizeof digits; c++)
        digits[c] = (int8_t)digit_of((char)c);
    for (size_t i = 0; i < length; i += 4) {
        size_t count = 3;
        if (!decode_plain(digits, text + i, bytes + *size))
            count = decode_four(text + i, bytes + *size);
        if (count == 0 || (count < 3 && i + 4 < length))
            return false;
        *size += count;
    }
    return true;
}
