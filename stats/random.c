/* random: a seeded generator of our own, so that a printed seed repeats a shuffle on any machine;
 * rand(3) and friends differ between C libraries. */
#include "stats.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* splitmix64 (Steele, Lea & Flood 2014). Blackman and Vigna advise it for seeding: seeds that
 * differ in one bit give unrelated states, and none gives the state of all zeros, which stays. */
static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static uint64_t rotate_left(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

void lauka_random_seed(struct lauka_random *random, uint64_t seed)
{
    for (size_t i = 0; i < 4; i++)
        random->state[i] = splitmix(&seed);
}

uint64_t lauka_random_next(struct lauka_random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t lauka_random_below(struct lauka_random *random, uint64_t bound)
{
    assert(bound > 0);

    lauka_uint128 product = (lauka_uint128)lauka_random_next(random) * bound;
    if ((uint64_t)product < bound) {
        /* 2^64 modulo bound: with so many low halves some results would be favoured. */
        uint64_t surplus = (0 - bound) % bound;
        while ((uint64_t)product < surplus)
            product = (lauka_uint128)lauka_random_next(random) * bound;
    }
    return (uint64_t)(product >> 64);
}

double lauka_random_unit(struct lauka_random *random)
{
    return (double)(lauka_random_next(random) >> 11) * 0x1p-53;
}

double lauka_random_normal(struct lauka_random *random)
{
    static const double two_pi = 6.283185307179586;
    double radius = 1 - lauka_random_unit(random); /* (0, 1], for the logarithm's sake */
    double angle = lauka_random_unit(random);
    return sqrt(-2 * log(radius)) * cos(two_pi * angle);
}

void lauka_random_shuffle(struct lauka_random *random, uint32_t *items, size_t count)
{
    for (size_t left = count; left > 1; left--) {
        size_t chosen = (size_t)lauka_random_below(random, left);
        uint32_t item = items[chosen];
        items[chosen] = items[left - 1];
        items[left - 1] = item;
    }
}

/* hash: few bits that stand for a text, the same on every machine. */
uint64_t lauka_hash(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t lauka_hash_text(uint64_t hash, const char *text)
{
    return lauka_hash(hash, text, strlen(text) + 1);
}
