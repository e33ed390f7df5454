/* hash: few bits that stand for a text, the same on every machine. */
#include "stats.h"

#include <string.h>

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
