/* Compact storage: gzip, and packed series, which are restored unchanged. The first byte selects which. */
#include "report/pack/pack.h"
#include "report/text/text.h"

#include <stdio.h>

#include "tests/fuzz/fuzz.h"

static void unzip(const uint8_t *bytes, size_t size)
{
    enum { MOST = 1 << 20 };
    char *copy = fuzz_text(bytes, size), *text = NULL;
    size_t text_size = 0;

    if (lauka_gunzip(copy, size, MOST, &text, &text_size) == 0)
        fuzz_require(text_size <= MOST);
    free(text);
    free(copy);
}

/* In base64, which mutations would merely break. */
static void unpack(const uint8_t *bytes, size_t size, size_t count, unsigned planes)
{
    struct lauka_unpacked unpacked;
    const uint64_t base = count;
    char *text = malloc(lauka_base64_size(size) + 1);

    fuzz_require(text != NULL);
    lauka_base64_encode(bytes, size, text);
    if (lauka_unpack(text, lauka_base64_size(size), count, planes, count % 2 ? &base : NULL,
                     &unpacked) == 0)
        for (size_t i = 0; i < count; i++) {
            uint64_t value;
            lauka_unpack_next(&unpacked, &value, 1);
        }
    lauka_unpacked_done(&unpacked);
    free(text);
}

static void take(const void *context, size_t first, size_t count, uint64_t *values)
{
    memcpy(values, (const uint8_t *)context + first * sizeof *values, count * sizeof *values);
}

static void pack(const uint8_t *bytes, size_t count)
{
    struct lauka_unpacked unpacked;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    fuzz_require(out != NULL);
    fuzz_require(lauka_pack_print(take, bytes, count, out) == 0 && fclose(out) == 0);
    const char *base = strstr(text, "\"base\": "), *zlib = strstr(text, "\"zlib\": \"") + 9;
    const uint64_t least = base ? strtoull(base + 8 + (base[8] == '"'), NULL, 10) : 0;
    const unsigned planes = (unsigned)strtoul(strstr(text, "\"bytes\": ") + 9, NULL, 10);
    fuzz_require(
        lauka_unpack(zlib, strlen(zlib) - 2, count, planes, base ? &least : NULL, &unpacked) == 0);
    for (size_t i = 0; i < count; i++) {
        uint64_t value, back;
        take(bytes, i, 1, &value);
        lauka_unpack_next(&unpacked, &back, 1);
        fuzz_require(back == value);
    }
    lauka_unpacked_done(&unpacked);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 4)
        return 0;
    switch (bytes[0] % 3) {
    case 0:
        unzip(bytes + 1, size - 1);
        break;
    case 1:
        unpack(bytes + 4, size - 4, (size_t)bytes[1] << 8 | bytes[2], bytes[3]);
        break;
    default:
        pack(bytes + 1, (size - 1) / sizeof(uint64_t));
    }
    return 0;
}
