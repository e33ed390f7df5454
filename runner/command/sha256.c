/* SHA-256, FIPS 180-4. Its constants are computed once, as the standard defines them: the first 32
 * fractional bits of square and cube roots of the first primes. */
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

static uint32_t word_at(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* w[t] for t of 16 and more, where w holds the last 16 of them. */
static uint32_t extend(uint32_t w[16], unsigned t)
{
    uint32_t early = w[(t + 1) % 16], late = w[(t + 14) % 16];
    uint32_t s0 = turn(early, 7) ^ turn(early, 18) ^ early >> 3;
    uint32_t s1 = turn(late, 17) ^ turn(late, 19) ^ late >> 10;

    return w[t % 16] += s0 + w[(t + 9) % 16] + s1;
}

/* One round. Instead of moving each variable by one place, the next round names them differently: this
 * round's d is its e, and this round's h its a. */
#define ROUND(A, B, C, D, E, F, G, H, ADDED)                                                       \
    do {                                                                                           \
        uint32_t one = (H) + (turn(E, 6) ^ turn(E, 11) ^ turn(E, 25)) +                            \
                       ((G) ^ ((E) & ((F) ^ (G)))) + (ADDED);                                      \
        uint32_t two =                                                                             \
            (turn(A, 2) ^ turn(A, 13) ^ turn(A, 22)) + (((A) & (B)) | ((C) & ((A) | (B))));        \
        (D) += one;                                                                                \
        (H) = one + two;                                                                           \
    } while (0)

/* Eight rounds, after which each variable has its own name again. */
#define ROUNDS(ADDED)                                                                              \
    do {                                                                                           \
        ROUND(a, b, c, d, e, f, g, h, ADDED(0));                                                   \
        ROUND(h, a, b, c, d, e, f, g, ADDED(1));                                                   \
        ROUND(g, h, a, b, c, d, e, f, ADDED(2));                                                   \
        ROUND(f, g, h, a, b, c, d, e, ADDED(3));                                                   \
        ROUND(e, f, g, h, a, b, c, d, ADDED(4));                                                   \
        ROUND(d, e, f, g, h, a, b, c, ADDED(5));                                                   \
        ROUND(c, d, e, f, g, h, a, b, ADDED(6));                                                   \
        ROUND(b, c, d, e, f, g, h, a, ADDED(7));                                                   \
    } while (0)
#define FIRST(I) (constants[t + (I)] + (w[t + (I)] = word_at(block + 4 * (t + (I)))))
#define LATER(I) (constants[t + (I)] + extend(w, t + (I)))

/* 6.2.2 of the standard; w is the message schedule. */
static void digest_block(uint32_t state[8], const uint8_t *block)
{
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    uint32_t w[16];

    for (unsigned t = 0; t < 16; t += 8)
        ROUNDS(FIRST);
    for (unsigned t = 16; t < 64; t += 8)
        ROUNDS(LATER);
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

static void add_byte(struct sha256 *sha, uint8_t byte)
{
    sha->block[sha->size++ % sizeof sha->block] = byte;
    if (sha->size % sizeof sha->block == 0)
        digest_block(sha->state, sha->block);
}

/* Whole blocks are read where they are. */
static void add(struct sha256 *sha, const uint8_t *bytes, size_t count)
{
    while (count > 0 && (sha->size % sizeof sha->block != 0 || count < sizeof sha->block)) {
        add_byte(sha, *bytes++);
        count--;
    }
    for (; count >= sizeof sha->block; count -= sizeof sha->block, bytes += sizeof sha->block) {
        digest_block(sha->state, bytes);
        sha->size += sizeof sha->block;
    }
    while (count-- > 0)
        add_byte(sha, *bytes++);
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

static void begin(struct sha256 *sha)
{
    if (constants[0] == 0)
        make_constants();
    sha->size = 0;
    memcpy(sha->state, beginning, sizeof sha->state);
}

bool lauka_sha256(FILE *file, uint8_t digest[LAUKA_SHA256_SIZE])
{
    struct sha256 sha;
    static uint8_t chunk[16384]; /* too much for a small stack */
    size_t count;

    begin(&sha);
    while ((count = fread(chunk, 1, sizeof chunk, file)) > 0)
        add(&sha, chunk, count);
    finish(&sha, digest);
    return !ferror(file);
}

void lauka_sha256_of(const void *bytes, size_t size, uint8_t digest[LAUKA_SHA256_SIZE])
{
    struct sha256 sha;

    begin(&sha);
    add(&sha, bytes, size);
    finish(&sha, digest);
}
