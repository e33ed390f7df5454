/* Tests of report/pack/: packed data is read back unchanged, and damaged data is refused. */
#include "report/pack/pack.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/unit/expect.h"

enum { COUNT = 10001 };

static uint64_t numbers[COUNT];

static void take(const void *context, size_t first, size_t count, uint64_t *values)
{
    memcpy(values, (const uint64_t *)context + first, count * sizeof *values);
}

/* Owned by the caller. */
static char *packed(size_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    EXPECT(lauka_pack_print(take, numbers, count, out) == 0);
    fclose(out);
    return text;
}

struct parts { /* the parts of the text */
    size_t count, length;
    unsigned bytes;
    uint64_t base;
    bool based;
    const char *zlib;
};

static struct parts take_apart(const char *text)
{
    struct parts parts = {0};
    const char *base = strstr(text, "\"base\": "), *bytes = strstr(text, "\"bytes\": ");
    parts.zlib = strstr(text, "\"zlib\": \"");
    EXPECT(bytes && parts.zlib && sscanf(text, "{\"count\": %zu", &parts.count) == 1);
    if (!expect_ok)
        return parts;
    parts.bytes = (unsigned)strtoul(bytes + 9, NULL, 10);
    parts.based = base;
    parts.base = base ? strtoull(base + 8 + (base[8] == '"'), NULL, 10) : 0;
    parts.zlib += 9;
    parts.length = strlen(parts.zlib) - 2;
    return parts;
}

static void expect_back(size_t count)
{
    char *text = packed(count);
    struct parts parts = take_apart(text);
    struct lauka_unpacked unpacked;
    EXPECT_UINT(parts.count, count);
    EXPECT(lauka_unpack(parts.zlib, parts.length, count, parts.bytes,
                        parts.based ? &parts.base : NULL, &unpacked) == 0);
    bool same = expect_ok;
    /* First a few at a time, then ever more. */
    for (size_t i = 0, some; i < count && same; i += some) {
        uint64_t values[100];
        some = i % 97 + 1 < count - i ? i % 97 + 1 : count - i;
        lauka_unpack_next(&unpacked, values, some);
        same = memcmp(values, numbers + i, some * sizeof *values) == 0;
    }
    EXPECT(same);
    lauka_unpacked_done(&unpacked);
    free(text);
}

static void any_numbers_come_back(void)
{
    struct lauka_random random;
    lauka_random_seed(&random, 20261122);
    for (unsigned shift = 0; shift < 64; shift += 7) {
        for (size_t i = 0; i < COUNT; i++)
            numbers[i] = lauka_random_next(&random) >> shift;
        expect_back(COUNT);
        for (size_t i = 0; i < COUNT; i += 3)
            numbers[i] = LAUKA_MISSING;
        expect_back(COUNT);
    }
    for (size_t i = 0; i < COUNT; i++)
        numbers[i] = i % 2 ? UINT64_MAX - 1 : 0;
    expect_back(COUNT);
    expect_back(1);
    expect_back(0);
}

static void a_course_is_told_by_its_differences(void)
{
    for (size_t i = 0; i < COUNT; i++)
        numbers[i] = 1000000 * i + i % 7;
    char *text = packed(COUNT);
    EXPECT(!take_apart(text).based && strlen(text) < COUNT);
    free(text);
    expect_back(COUNT);
}

static void the_same_number_takes_no_room(void)
{
    for (size_t i = 0; i < COUNT; i++)
        numbers[i] = 123456789;
    char *text = packed(COUNT);
    EXPECT(strlen(text) < 200);
    free(text);
}

static void what_is_not_as_long_as_it_says_is_refused(void)
{
    for (size_t i = 0; i < COUNT; i++)
        numbers[i] = 7919 * i % 1000;
    char *text = packed(COUNT);
    struct parts parts = take_apart(text);
    struct lauka_unpacked unpacked;
    static const int lengths[][2] = {{-1, 0}, {1, 0}, {0, -4}, {0, -100}, {COUNT, 0}};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        EXPECT(lauka_unpack(parts.zlib, parts.length + (size_t)lengths[i][1],
                            COUNT + (size_t)lengths[i][0], parts.bytes, NULL, &unpacked) == EINVAL);
        lauka_unpacked_done(&unpacked);
    }
    for (unsigned bytes = 0; bytes < 12; bytes++) {
        EXPECT((lauka_unpack(parts.zlib, parts.length, COUNT, bytes, NULL, &unpacked) == 0) ==
               (bytes == parts.bytes));
        lauka_unpacked_done(&unpacked);
    }
    EXPECT(lauka_unpack(parts.zlib, parts.length, SIZE_MAX / 8, 8, NULL, &unpacked) == EINVAL);
    lauka_unpacked_done(&unpacked);
    free(text);
}

/* ---- gzip ------------------------------------------------------------------------------------------ */

/* Owned by the caller. */
static char *zipped(const char *text, size_t size, size_t *zipped_size)
{
    char *bytes = NULL;
    FILE *out = open_memstream(&bytes, zipped_size);
    FILE *gzip = lauka_gzip_open(out);
    EXPECT(gzip != NULL && fwrite(text, 1, size, gzip) == size && fclose(gzip) == 0);
    fclose(out);
    return bytes;
}

static void what_is_zipped_comes_back(void)
{
    char *text = NULL;
    size_t size, back;
    char *bytes = zipped((const char *)numbers, sizeof numbers, &size);
    EXPECT(lauka_is_gzip(bytes, size) && size < sizeof numbers);
    EXPECT(lauka_gunzip(bytes, size, sizeof numbers, &text, &back) == 0);
    EXPECT(back == sizeof numbers && memcmp(text, numbers, back) == 0);
    free(text);
    EXPECT(lauka_gunzip(bytes, size, sizeof numbers - 1, &text, &back) == EFBIG && !text);
    EXPECT(lauka_gunzip(bytes, size - 1, 2 * sizeof numbers, &text, &back) == EINVAL);
    EXPECT(lauka_gunzip(bytes, size - 9, 2 * sizeof numbers, &text, &back) == EINVAL);
    bytes[size - 6] ^= 1; /* damages the checksum */
    EXPECT(lauka_gunzip(bytes, size, 2 * sizeof numbers, &text, &back) == EINVAL);
    free(bytes);
}

static void members_are_read_one_after_the_other(void)
{
    char *text = NULL;
    size_t size, other, back;
    char *bytes = zipped("one ", 4, &size), *more = zipped("two", 3, &other);
    char *both = malloc(size + other + 1);
    memcpy(both, bytes, size);
    memcpy(both + size, more, other);
    EXPECT(lauka_gunzip(both, size + other, 100, &text, &back) == 0);
    EXPECT(back == 7 && memcmp(text, "one two", 7) == 0);
    free(text);
    both[size + other] = 'x';
    EXPECT(lauka_gunzip(both, size + other + 1, 100, &text, &back) == EINVAL);
    free(both);
    free(bytes);
    free(more);
}

static void a_full_disk_is_told_when_the_stream_is_closed(void)
{
    FILE *full = fopen("/dev/full", "w");
    if (!full) /* macOS has no /dev/full */
        return;
    setvbuf(full, NULL, _IONBF, 0);
    FILE *gzip = lauka_gzip_open(full);
    EXPECT(gzip && fputs("text", gzip) >= 0);
    errno = 0;
    EXPECT(fclose(gzip) == EOF && errno == ENOSPC);
    fclose(full);
}

int main(void)
{
    TEST(any_numbers_come_back);
    TEST(a_course_is_told_by_its_differences);
    TEST(the_same_number_takes_no_room);
    TEST(what_is_not_as_long_as_it_says_is_refused);
    TEST(what_is_zipped_comes_back);
    TEST(members_are_read_one_after_the_other);
    TEST(a_full_disk_is_told_when_the_stream_is_closed);
    return expect_report("pack");
}
