/* SHA-256, FIPS 180-4. Its constants are what the standard says they are, computed once: the first 32
 * bits behind the point of square and cube roots of the first primes. */
#include "runner/command/command.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct sha256 {
    uint32_t state[8];
    uint8_t block[64];
    uint64_t size; /* bytes so far */
};

static uint32_t constants[64], beginning[8];

static uint32_t fraction(double root)
{
    return (uint32_t)((root - floor(root)) * 0x1p32);
}

static void make_constants(void)
{
    unsigned count = 0;

    for (unsigned n = 2; count < 64; n++) {
        unsigned divisor = 2;
        while (n % divisor != 0)
            divisor++;
        if (divisor != n)
            continue;
        if (count < 8)
            beginning[count] = fraction(sqrt(n));
        constants[count++] = fraction(cbrt(n));
    }
}

static uint32_t turn(uint32_t word, int bits)
{
    return word >> bits | word << (32 - bits);
}

/* 6.2.2 of the standard; w is the message schedule, v the working variables a to h. */
static void digest_block(struct sha256 *sha)
{
    uint32_t w[64], v[8];

    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)sha->block[4 * i] << 24 | (uint32_t)sha->block[4 * i + 1] << 16 |
               (uint32_t)sha->block[4 * i + 2] << 8 | sha->block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t s0 = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t s1 = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    memcpy(v, sha->state, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t s1 = turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25);
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t one = v[7] + s1 + choice + constants[i] + w[i];
        uint32_t s0 = turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22);
        uint32_t two = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += one;
        v[0] = one + two;
    }
    for (int i = 0; i < 8; i++)
        sha->state[i] += v[i];
}

static void add_byte(struct sha256 *sha, uint8_t byte)
{
    sha->block[sha->size++ % sizeof sha->block] = byte;
    if (sha->size % sizeof sha->block == 0)
        digest_block(sha);
}

static void finish(struct sha256 *sha, uint8_t digest[LAUKA_SHA256_SIZE])
{
    uint64_t bits = 8 * sha->size;

    add_byte(sha, 0x80);
    while (sha->size % sizeof sha->block != 56)
        add_byte(sha, 0);
    for (int i = 56; i >= 0; i -= 8)
        add_byte(sha, (uint8_t)(bits >> i));
    for (int i = 0; i < LAUKA_SHA256_SIZE; i++)
        digest[i] = (uint8_t)(sha->state[i / 4] >> (24 - i % 4 * 8));
}

bool lauka_sha256(FILE *file, uint8_t digest[LAUKA_SHA256_SIZE])
{
    struct sha256 sha = {.size = 0};
    uint8_t chunk[4096];
    size_t count;

    make_constants();
    memcpy(sha.state, beginning, sizeof sha.state);
    while ((count = fread(chunk, 1, sizeof chunk, file)) > 0)
        for (size_t i = 0; i < count; i++)
            add_byte(&sha, chunk[i]);
    finish(&sha, digest);
    return !ferror(file);
}
