/* What lauka reports about the files that commands execute. The files are made up, and many are wrong on
 * purpose. */
#include "tests/unit/expect.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runner/command/command.h"
#include "runner/session/session.h"

struct made { /* the bytes of a program */
    uint8_t bytes[1024];
    size_t size;
    bool big, wide;
};

static void put(struct made *made, size_t at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        made->bytes[at + i] = (uint8_t)(value >> 8 * (made->big ? size - 1 - i : i));
}

static FILE *file_of(const uint8_t *bytes, size_t size)
{
    FILE *file = tmpfile();

    EXPECT(file != NULL && fwrite(bytes, 1, size, file) == size);
    return file;
}

static bool finds(const struct made *made, char text[LAUKA_BUILD_ID_SIZE])
{
    static struct made own; /* fmemopen(3) wants memory that may be written */
    own = *made;
    FILE *file = made->size > 0 ? fmemopen(own.bytes, own.size, "r") : file_of(own.bytes, 0);
    bool found = lauka_build_id_find(file, text);

    fclose(file);
    return found;
}

/* Returns a program with two notes. The second is the build ID 01 02 ... 14. */
static struct made make_elf(bool wide, bool big)
{
    struct made made = {.size = 400, .big = big, .wide = wide};
    const size_t entry = 64, notes = 200;

    memcpy(made.bytes, "\177ELF", 4);
    made.bytes[4] = wide ? 2 : 1;
    made.bytes[5] = big ? 2 : 1;
    put(&made, wide ? 32 : 28, entry, wide ? 8 : 4);
    put(&made, wide ? 54 : 42, wide ? 56 : 32, 2);
    put(&made, wide ? 56 : 44, 1, 2);
    put(&made, entry, 4, 4);
    put(&made, entry + (wide ? 8 : 4), notes, wide ? 8 : 4);
    put(&made, entry + (wide ? 32 : 16), 20 + 36, wide ? 8 : 4);
    put(&made, entry + (wide ? 48 : 28), 4, wide ? 8 : 4);
    put(&made, notes, 3, 4); /* a name of three bytes, padded */
    put(&made, notes + 4, 1, 4);
    put(&made, notes + 8, 1, 4);
    put(&made, notes + 20, 4, 4);
    put(&made, notes + 24, 20, 4);
    put(&made, notes + 28, 3, 4);
    memcpy(made.bytes + notes + 32, "GNU", 4);
    for (size_t i = 0; i < 20; i++)
        made.bytes[notes + 36 + i] = (uint8_t)(i + 1);
    return made;
}

static struct made make_mach(bool wide, bool big)
{
    struct made made = {.size = 200, .big = big, .wide = wide};
    const size_t commands = wide ? 32 : 28;

    put(&made, 0, wide ? 0xfeedfacf : 0xfeedface, 4);
    put(&made, 16, 2, 4);
    put(&made, commands, 0x19, 4);
    put(&made, commands + 4, 16, 4);
    put(&made, commands + 16, 0x1b, 4);
    put(&made, commands + 20, 24, 4);
    for (size_t i = 0; i < 16; i++)
        made.bytes[commands + 24 + i] = (uint8_t)(0xf0 + i);
    return made;
}

static const char elf_id[] = "0102030405060708090a0b0c0d0e0f1011121314";
static const char mach_id[] = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";

static void a_build_id_is_found_in_programs_of_all_kinds(void)
{
    char text[LAUKA_BUILD_ID_SIZE];

    for (int kind = 0; kind < 4; kind++) {
        struct made elf = make_elf(kind & 1, kind & 2), mach = make_mach(kind & 1, kind & 2);
        EXPECT(finds(&elf, text));
        EXPECT_TEXT(text, elf_id);
        EXPECT(finds(&mach, text));
        EXPECT_TEXT(text, mach_id);
    }
}

static void the_first_of_several_programs_in_a_file_is_told(void)
{
    struct made fat = {.size = 500, .big = true}, mach = make_mach(true, false);
    char text[LAUKA_BUILD_ID_SIZE];

    put(&fat, 0, 0xcafebabe, 4);
    put(&fat, 4, 1, 4);
    put(&fat, 16, 256, 4);
    memcpy(fat.bytes + 256, mach.bytes, mach.size);
    EXPECT(finds(&fat, text));
    EXPECT_TEXT(text, mach_id);
    put(&fat, 16, 0, 4); /* points to the file itself */
    EXPECT(!finds(&fat, text));
    put(&fat, 4, 0xffffffff, 4);
    EXPECT(!finds(&fat, text));
}

static void what_is_no_such_program_has_none(void)
{
    static const char *const texts[] = {"", "#!/bin/sh\n", "\177ELF", "\177ELF\2\1",
                                        "\xcf\xfa\xed\xfe"};
    char text[LAUKA_BUILD_ID_SIZE];

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        FILE *file = file_of((const uint8_t *)texts[i], strlen(texts[i]));
        EXPECT(!lauka_build_id_find(file, text));
        EXPECT_TEXT(text, "");
        fclose(file);
    }
}

/* Cuts the file at every place: the result is either the whole ID or nothing. */
static void expect_cut(const struct made *whole, const char *id)
{
    char text[LAUKA_BUILD_ID_SIZE];

    for (size_t size = 0; size <= whole->size; size++) {
        struct made cut = *whole;
        cut.size = size;
        if (finds(&cut, text))
            EXPECT_TEXT(text, id);
        else
            EXPECT_TEXT(text, "");
    }
}

/* Sets each byte of the headers to values that point elsewhere. Any result is fine, as long as it is
 * well-formed. */
static void expect_bent(const struct made *whole)
{
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    char text[LAUKA_BUILD_ID_SIZE];

    for (size_t at = 4; at < 260 && at < whole->size; at++)
        for (size_t v = 0; v < sizeof values; v++) {
            struct made bent = *whole;
            bent.bytes[at] = values[v];
            bool found = finds(&bent, text);
            EXPECT(found == (strlen(text) > 0));
            EXPECT(strlen(text) % 2 == 0 && strspn(text, "0123456789abcdef") == strlen(text));
        }
}

static void files_that_lie_are_survived(void)
{
    for (int kind = 0; kind < 4; kind++) {
        struct made elf = make_elf(kind & 1, kind & 2), mach = make_mach(kind & 1, kind & 2);
        expect_cut(&elf, elf_id);
        expect_cut(&mach, mach_id);
        expect_bent(&elf);
        expect_bent(&mach);
    }
}

static void numbers_without_bounds_end_nowhere(void)
{
    struct made elf = make_elf(true, false);
    char text[LAUKA_BUILD_ID_SIZE];

    put(&elf, 32, UINT64_MAX - 8, 8); /* position of the program headers */
    EXPECT(!finds(&elf, text));
    elf = make_elf(true, false);
    put(&elf, 72, UINT64_MAX - 100, 8); /* position of the notes */
    put(&elf, 96, UINT64_MAX, 8);
    EXPECT(!finds(&elf, text));
    elf = make_elf(true, false);
    put(&elf, 200, UINT32_MAX, 4); /* sizes in the first note */
    put(&elf, 204, UINT32_MAX, 4);
    EXPECT(!finds(&elf, text));
}

/* ---- the content of a file ------------------------------------------------------------------------- */

static void hash_to(char text[65], const uint8_t digest[LAUKA_SHA256_SIZE])
{
    for (size_t i = 0; i < LAUKA_SHA256_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

/* The examples of FIPS 180-4. For lengths around the ends of blocks, hashing at once and in pieces must
 * agree. */
static void hashes_are_those_of_the_standard(void)
{
    static const struct {
        const char *text, *hash;
    } known[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    uint8_t digest[LAUKA_SHA256_SIZE];
    char text[65];

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        FILE *file = file_of((const uint8_t *)known[i].text, strlen(known[i].text));
        rewind(file);
        EXPECT(lauka_sha256(file, digest));
        hash_to(text, digest);
        EXPECT_TEXT(text, known[i].hash);
        fclose(file);
    }
    static uint8_t million[1000000];
    memset(million, 'a', sizeof million);
    FILE *file = file_of(million, sizeof million);
    rewind(file);
    EXPECT(lauka_sha256(file, digest));
    hash_to(text, digest);
    EXPECT_TEXT(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    fclose(file);
}

static void write_to(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    EXPECT(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* The file changes without its size and times, so a second reading would be noticed. */
static void a_file_is_read_once(void)
{
    char path[] = "/tmp/lauka-test-XXXXXX";
    struct lauka_executables executables = {0};
    uint8_t first[LAUKA_SHA256_SIZE], again[LAUKA_SHA256_SIZE];
    struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    int descriptor = mkstemp(path);

    EXPECT(descriptor >= 0);
    close(descriptor);
    write_to(path, "one");
    EXPECT(utimensat(AT_FDCWD, path, times, 0) == 0);
    EXPECT(lauka_executables_hash(&executables, path, first));
    write_to(path, "two");
    EXPECT(utimensat(AT_FDCWD, path, times, 0) == 0);
    EXPECT(lauka_executables_hash(&executables, path, again));
    EXPECT(memcmp(first, again, sizeof first) == 0);
    times[1].tv_sec = 2;
    EXPECT(utimensat(AT_FDCWD, path, times, 0) == 0);
    EXPECT(lauka_executables_hash(&executables, path, again));
    EXPECT(memcmp(first, again, sizeof first) != 0);
    unlink(path);
    EXPECT(!lauka_executables_hash(&executables, path, again));
    EXPECT(mkfifo(path, 0600) == 0);
    EXPECT(!lauka_executables_hash(&executables, path, again)); /* it does not wait for the FIFO */
    unlink(path);
    lauka_executables_done(&executables);
}

int main(void)
{
    TEST(a_build_id_is_found_in_programs_of_all_kinds);
    TEST(the_first_of_several_programs_in_a_file_is_told);
    TEST(what_is_no_such_program_has_none);
    TEST(files_that_lie_are_survived);
    TEST(numbers_without_bounds_end_nowhere);
    TEST(hashes_are_those_of_the_standard);
    TEST(a_file_is_read_once);
    return expect_report("executables");
}
