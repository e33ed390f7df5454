/* Samples by function: records as the kernel writes them, damaged records, symbol tables, and processes
 * that fork, execute other programs, or write their own code. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/samples/samples.h"
#include "tests/unit/expect.h"

/* ---- What the kernel would write ---- */

struct written {
    unsigned char bytes[8192];
    size_t size;
};

static void put(struct written *to, const void *bytes, size_t size)
{
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

static void put_word(struct written *to, uint32_t word)
{
    put(to, &word, sizeof word);
}

static void put_long(struct written *to, uint64_t number)
{
    put(to, &number, sizeof number);
}

static size_t begin(struct written *to, uint32_t type, uint16_t misc)
{
    size_t at = to->size;
    uint16_t size = 0;
    put_word(to, type);
    put(to, &misc, sizeof misc);
    put(to, &size, sizeof size);
    return at;
}

static void end(struct written *to, size_t at)
{
    uint16_t size = (uint16_t)(to->size - at);
    memcpy(to->bytes + at + 6, &size, sizeof size);
}

static void end_with_id(struct written *to, size_t at, uint32_t pid, uint64_t time_ns)
{
    put_word(to, pid);
    put_word(to, pid);
    put_long(to, time_ns);
    end(to, at);
}

static void put_sample(struct written *to, uint32_t pid, uint64_t time_ns, uint64_t address,
                       bool kernel)
{
    size_t at = begin(to, 9, kernel ? 1 : 2);
    put_long(to, address);
    put_word(to, pid);
    put_word(to, pid);
    put_long(to, time_ns);
    put_long(to, 1000);
    end(to, at);
}

static uint64_t inode; /* of the file of the next map */

static void put_map(struct written *to, uint32_t pid, uint64_t time_ns, uint64_t from,
                    uint64_t size, uint64_t offset, const char *file)
{
    char name[64] = "";
    size_t at = begin(to, 10, 2), length = (strlen(file) + 8) / 8 * 8;
    memcpy(name, file, strlen(file));
    put_word(to, pid);
    put_word(to, pid);
    put_long(to, from);
    put_long(to, size);
    put_long(to, offset);
    put_long(to, 0); /* the device */
    put_long(to, inode);
    put(to, (char[16]){0}, 16);
    put(to, name, length);
    end_with_id(to, at, pid, time_ns);
}

static void put_exec(struct written *to, uint32_t pid, uint64_t time_ns)
{
    size_t at = begin(to, 3, 1 << 13);
    put_word(to, pid);
    put_word(to, pid);
    put(to, "prog\0\0\0", 8);
    end_with_id(to, at, pid, time_ns);
}

static void put_fork(struct written *to, uint32_t parent, uint32_t pid, uint32_t tid,
                     uint64_t time_ns)
{
    size_t at = begin(to, 7, 0);
    put_word(to, pid);
    put_word(to, parent);
    put_word(to, tid);
    put_word(to, parent);
    put_long(to, time_ns);
    end_with_id(to, at, parent, time_ns);
}

/* ---- A file with symbols ---- */

enum { TEXT = 0x1000, CODE = 0x401000 }; /* where the code lies in the file and in memory */

static void put_symbol(struct written *to, uint32_t name, unsigned char info, uint64_t address,
                       uint64_t size)
{
    uint16_t section = 1;
    put_word(to, name);
    put(to, &info, 1);
    put(to, "", 1);
    put(to, &section, sizeof section);
    put_long(to, address);
    put_long(to, size);
}

static void put_section(struct written *to, uint32_t type, uint64_t offset, uint64_t size,
                        uint32_t link, uint64_t entry)
{
    put_word(to, 0);
    put_word(to, type);
    put_long(to, 0);
    put_long(to, 0);
    put_long(to, offset);
    put_long(to, size);
    put_word(to, link);
    put_word(to, 0);
    put_long(to, 0);
    put_long(to, entry);
}

static void put_half(struct written *to, uint16_t half)
{
    put(to, &half, sizeof half);
}

struct given { /* a symbol */
    uint32_t name;
    unsigned char info;
    uint64_t address, size;
};

/* A program with one segment of code, a table of these symbols, and their names. */
static struct written make_file(uint32_t table, const struct given *symbols, size_t count,
                                const char *names, size_t names_size)
{
    const uint16_t one = 1;
    struct written file = {.size = 0};
    const uint64_t names_at = 64 + 56, symbols_at = (names_at + names_size + 7) / 8 * 8,
                   sections_at = symbols_at + count * 24;
    put(&file, "\177ELF\2", 5);
    put(&file, *(const unsigned char *)&one ? "\1\1" : "\2\1", 2);
    put(&file, (char[9]){0}, 9);
    put_half(&file, 2);
    put_half(&file, 62);
    put_word(&file, 1);
    put_long(&file, CODE);
    put_long(&file, 64);
    put_long(&file, sections_at);
    put_word(&file, 0);
    const uint16_t rest[] = {64, 56, 1, 64, 3, 0};
    put(&file, rest, sizeof rest);
    put_word(&file, 1); /* the segment: loaded and executable */
    put_word(&file, 5);
    put_long(&file, TEXT);
    put_long(&file, CODE);
    put_long(&file, CODE);
    put_long(&file, 0x1000);
    put_long(&file, 0x1000);
    put_long(&file, 0x1000);
    put(&file, names, names_size);
    put(&file, (char[8]){0}, symbols_at - names_at - names_size);
    for (size_t i = 0; i < count; i++)
        put_symbol(&file, symbols[i].name, symbols[i].info, symbols[i].address, symbols[i].size);
    put_section(&file, 0, 0, 0, 0, 0);
    put_section(&file, table, symbols_at, count * 24, 2, 24);
    put_section(&file, 3, names_at, names_size, 0, 0);
    return file;
}

/* Has two functions, a label in the second one, a data object, and a function without a size. */
static struct written make_elf(uint32_t table)
{
    static const char names[] = "\0main\0helper\0label\0data\0last";
    const struct given symbols[] = {
        {1, 0x12, CODE, 0x100},          {6, 0x02, CODE + 0x100, 0x80}, {13, 0x00, CODE + 0x110, 0},
        {19, 0x11, CODE + 0x100, 0x500}, {24, 0x12, CODE + 0x200, 0},
    };
    return make_file(table, symbols, sizeof symbols / sizeof *symbols, names, sizeof names);
}

static struct written program;

static const void *read_file(const char *path, size_t *size)
{
    *size = program.size;
    return strcmp(path, "/bin/prog") == 0 ? program.bytes : NULL;
}

static void give_back(const void *bytes, size_t size)
{
    EXPECT(bytes == program.bytes && size == program.size);
}

static struct lauka_sample_set samples_of_files(void)
{
    program = make_elf(2);
    return (struct lauka_sample_set){.read_file = read_file, .give_back = give_back};
}

/* ---- Records ---- */

static void a_sample_is_read(void)
{
    struct written ring = {.size = 0};
    struct lauka_record record;
    put_sample(&ring, 7, 123, 0x4010, true);
    EXPECT_UINT(lauka_record_read(ring.bytes, ring.size, &record), ring.size);
    EXPECT(record.kind == LAUKA_RECORD_SAMPLE && record.kernel);
    EXPECT_UINT(record.pid, 7);
    EXPECT_UINT(record.time_ns, 123);
    EXPECT_UINT(record.address, 0x4010);
    EXPECT_UINT(record.weight, 1000);
}

static void a_map_has_the_name_of_its_file(void)
{
    struct written ring = {.size = 0};
    struct lauka_record record;
    put_map(&ring, 9, 55, 0x7000, 0x2000, 0x100, "/usr/lib/libc.so.6");
    EXPECT_UINT(lauka_record_read(ring.bytes, ring.size, &record), ring.size);
    EXPECT(record.kind == LAUKA_RECORD_MAP);
    EXPECT_UINT(record.time_ns, 55);
    EXPECT_UINT(record.length, 0x2000);
    EXPECT_UINT(record.file_length, strlen("/usr/lib/libc.so.6"));
}

static void a_record_that_is_cut_is_none(void)
{
    struct written ring = {.size = 0};
    struct lauka_record record;
    put_map(&ring, 9, 55, 0x7000, 0x2000, 0x100, "/bin/prog");
    for (size_t size = 0; size < ring.size; size++) {
        unsigned char *exactly = malloc(size + (size == 0));
        memcpy(exactly, ring.bytes, size);
        EXPECT_UINT(lauka_record_read(exactly, size, &record), 0);
        free(exactly);
    }
    ring.bytes[6] = 4; /* less than the record's header, so that reading would never end */
    ring.bytes[7] = 0;
    EXPECT_UINT(lauka_record_read(ring.bytes, ring.size, &record), 0);
}

static void records_that_were_lost_are_counted(void)
{
    struct written ring = {.size = 0};
    struct lauka_sample_set samples = samples_of_files();
    size_t at = begin(&ring, 2, 0);
    put_long(&ring, 1);
    put_long(&ring, 41);
    end_with_id(&ring, at, 3, 5);
    at = begin(&ring, 13, 0);
    put_long(&ring, 1);
    end_with_id(&ring, at, 3, 6);
    at = begin(&ring, 5, 0);
    put(&ring, (char[24]){0}, 24);
    end_with_id(&ring, at, 3, 7);
    EXPECT(lauka_samples_feed_bytes(&samples, ring.bytes, ring.size) == 0);
    EXPECT(lauka_samples_end_part(&samples) == 0);
    EXPECT_UINT(samples.parts[0].lost, 42);
    EXPECT_UINT(samples.parts[0].throttled, 1);
    lauka_samples_done(&samples);
}

/* ---- Symbols ---- */

static const char *name_at(const struct lauka_elf *elf, uint64_t offset)
{
    size_t symbol = lauka_elf_find(elf, offset);
    return symbol < elf->symbol_count ? elf->symbols[symbol].name : "";
}

static void functions_are_found_by_their_place_in_the_file(void)
{
    for (uint32_t table = 2; table <= 11; table += 9) { /* SHT_SYMTAB, SHT_DYNSYM */
        struct written file = make_elf(table);
        struct lauka_elf elf;
        EXPECT(lauka_elf_read(file.bytes, file.size, &elf) == 0);
        EXPECT_TEXT(name_at(&elf, TEXT), "main");
        EXPECT_TEXT(name_at(&elf, TEXT + 0xff), "main");
        EXPECT_TEXT(name_at(&elf, TEXT + 0x100), "helper");
        /* This one has no size, so it extends to the next symbol; the last one has no next. */
        EXPECT_TEXT(name_at(&elf, TEXT + 0x180), "label");
        EXPECT_TEXT(name_at(&elf, TEXT + 0x200), "");
        EXPECT_TEXT(name_at(&elf, 0x20), "");
        const size_t segments = elf.segment_count;
        lauka_elf_done(&elf);
        EXPECT(lauka_elf_read_segments(file.bytes, 0x100, &elf) == 0);
        EXPECT(elf.segment_count == segments && elf.symbol_count == 0);
        lauka_elf_done(&elf);
    }
}

static void what_is_no_file_of_this_machine_has_no_symbols(void)
{
    struct written file = make_elf(2);
    struct lauka_elf elf;
    EXPECT(lauka_elf_read("#!/bin/sh\n", 10, &elf) == ENOEXEC);
    file.bytes[5] = (unsigned char)(3 - file.bytes[5]);
    EXPECT(lauka_elf_read(file.bytes, file.size, &elf) == ENOEXEC);
}

/* Wherever the file ends, and whatever it contains. */
static void damaged_files_are_read_to_their_end_at_most(void)
{
    struct written file = make_elf(2);
    struct lauka_elf elf;
    for (size_t size = 0; size <= file.size; size++) {
        unsigned char *exactly = malloc(size + (size == 0));
        memcpy(exactly, file.bytes, size);
        if (lauka_elf_read(exactly, size, &elf) == 0)
            lauka_elf_done(&elf);
        free(exactly);
    }
    for (size_t i = 0; i < file.size; i++) {
        struct written damaged = file;
        damaged.bytes[i] = 0xff;
        if (lauka_elf_read(damaged.bytes, damaged.size, &elf) == 0)
            lauka_elf_done(&elf);
    }
}

/* A hundred thousand symbols of one long name would otherwise take gigabytes. */
static void symbols_of_one_name_share_its_bytes(void)
{
    static char names[2000];
    struct given symbols[100];
    struct lauka_elf elf;
    memset(names + 1, 'A', sizeof names - 2);
    for (uint32_t i = 0; i < 100; i++) /* half of them are named by the end of the name */
        symbols[i] = (struct given){1 + i % 2 * 1000, 0x12, CODE + i, 1};
    struct written file = make_file(2, symbols, 100, names, sizeof names);
    EXPECT(lauka_elf_read(file.bytes, file.size, &elf) == 0);
    EXPECT_UINT(elf.symbol_count, 100);
    memset(file.bytes, 0, file.size); /* they do not lie in what was read */
    for (size_t i = 0; i < elf.symbol_count; i++)
        EXPECT(elf.symbols[i].name == elf.symbols[0].name + i % 2 * 1000);
    EXPECT_UINT(strlen(elf.symbols[0].name), sizeof names - 2);
    lauka_elf_done(&elf);
}

/* Whatever the order in which a linker wrote them, so that both builds of a program name the same one. */
static void of_several_names_of_a_place_the_first_is_told(void)
{
    static const char names[] = "\0write\0__write\0a_local_one\0__libc_write";
    const struct given symbols[] = {{1, 0x12, CODE, 0x80},
                                    {7, 0x12, CODE, 0x80},
                                    {15, 0x02, CODE, 0x80},
                                    {27, 0x12, CODE, 0x80}};
    for (size_t turn = 0; turn < 4; turn++) {
        struct given turned[4];
        struct lauka_elf elf;
        for (size_t i = 0; i < 4; i++)
            turned[i] = symbols[(i + turn) % 4];
        struct written file = make_file(2, turned, 4, names, sizeof names);
        EXPECT(lauka_elf_read(file.bytes, file.size, &elf) == 0);
        EXPECT_UINT(elf.symbol_count, 1);
        EXPECT_TEXT(name_at(&elf, TEXT), "__libc_write");
        lauka_elf_done(&elf);
    }
}

/* Damage at the end of a string table leaves the names before it. */
static void names_need_no_end(void)
{
    const struct given symbols[] = {{1, 0x12, CODE, 0x80},
                                    {6, 0x12, CODE + 0x80, 0x80},
                                    {UINT32_MAX, 0x12, CODE + 0x100, 0x80},
                                    {10, 0x12, CODE + 0x180, 8}};
    struct lauka_elf elf;
    struct written file = make_file(2, symbols, 4, "\0main\0last", 10);
    EXPECT(lauka_elf_read(file.bytes, file.size, &elf) == 0);
    EXPECT_UINT(elf.symbol_count, 2);
    EXPECT_TEXT(name_at(&elf, TEXT), "main");
    EXPECT_TEXT(name_at(&elf, TEXT + 0x80), "last");
    lauka_elf_done(&elf);
}

/* Where each symbol would ask thousands of segments, the file says nothing. */
static void segments_without_end_are_refused(void)
{
    const struct given symbol = {1, 0x12, CODE, 0x80};
    struct written file = make_file(2, &symbol, 1, "\0main", 6);
    struct lauka_elf elf;
    const uint64_t at = file.size;
    uint16_t count = 64;
    for (size_t i = 0; i < 65; i++)
        put(&file, file.bytes + 64, 56);
    memcpy(file.bytes + 32, &at, sizeof at);
    memcpy(file.bytes + 56, &count, sizeof count);
    EXPECT(lauka_elf_read(file.bytes, file.size, &elf) == 0);
    EXPECT_TEXT(name_at(&elf, TEXT), "main");
    lauka_elf_done(&elf);
    file.bytes[56] = file.bytes[57] = 0;
    count = 65;
    memcpy(file.bytes + 56, &count, sizeof count);
    EXPECT(lauka_elf_read(file.bytes, file.size, &elf) == ENOEXEC);
}

/* ---- Processes ---- */

static uint64_t weight_of(const struct lauka_sample_set *samples, size_t part, const char *name,
                          enum lauka_sampled_kind kind)
{
    uint64_t weight = 0;
    for (size_t c = 0; c < samples->cell_count; c++) {
        const struct lauka_sampled_function *function =
            &samples->functions[samples->cells[c].function];
        if (samples->cells[c].part == part && function->kind == kind &&
            (!name || (function->name && strcmp(function->name, name) == 0)))
            weight += samples->cells[c].weight;
    }
    return weight;
}

static void samples_belong_to_functions_of_what_was_executed(void)
{
    struct written ring = {.size = 0};
    struct lauka_sample_set samples = samples_of_files();
    put_fork(&ring, 1, 20, 20, 1);
    put_sample(&ring, 20, 2, 0x10010, false); /* before exec: not the command yet */
    put_exec(&ring, 20, 3);
    put_map(&ring, 20, 4, 0x10000, 0x1000, TEXT, "/bin/prog");
    put_sample(&ring, 20, 5, 0x10010, false);
    put_sample(&ring, 20, 6, 0x10110, true);
    put_sample(&ring, 20, 7, 0x10104, false);
    put_sample(&ring, 20, 8, 0x10900, false); /* no symbol covers it */
    put_sample(&ring, 20, 9, 0x90000, false); /* nothing is mapped there */
    put_sample(&ring, 1, 10, 0x10010, false); /* another process */
    EXPECT(lauka_samples_feed_bytes(&samples, ring.bytes, ring.size) == 0);
    EXPECT(lauka_samples_end_part(&samples) == 0);
    EXPECT_UINT(samples.parts[0].weight, 5000);
    EXPECT_UINT(samples.parts[0].samples, 5);
    EXPECT_UINT(weight_of(&samples, 0, "main", LAUKA_SAMPLED_FUNCTION), 1000);
    EXPECT_UINT(weight_of(&samples, 0, "helper", LAUKA_SAMPLED_FUNCTION), 1000);
    EXPECT_UINT(weight_of(&samples, 0, NULL, LAUKA_SAMPLED_KERNEL), 1000);
    EXPECT_UINT(weight_of(&samples, 0, NULL, LAUKA_SAMPLED_OBJECT), 1000);
    EXPECT_UINT(weight_of(&samples, 0, NULL, LAUKA_SAMPLED_UNKNOWN), 1000);
    lauka_samples_done(&samples);
}

static bool find_file(const struct lauka_sampled_object *object, char *place, size_t size)
{
    snprintf(place, size, object->inode == 8 ? "/bin/prog" : "(another file is at %s now)",
             object->path);
    return object->inode == 8;
}

static void a_file_that_is_another_by_now_names_no_functions(void)
{
    struct written ring = {.size = 0};
    struct lauka_sample_set samples = samples_of_files();
    samples.find_file = find_file;
    put_exec(&ring, 20, 1);
    inode = 7;
    put_map(&ring, 20, 2, 0x10000, 0x1000, TEXT, "/bin/prog");
    put_sample(&ring, 20, 3, 0x10010, false);
    put_sample(&ring, 20, 4, 0x10104, false);
    inode = 8;
    put_map(&ring, 20, 5, 0x10000, 0x1000, TEXT, "/bin/prog");
    put_sample(&ring, 20, 6, 0x10010, false);
    inode = 0;
    EXPECT(lauka_samples_feed_bytes(&samples, ring.bytes, ring.size) == 0);
    EXPECT(lauka_samples_end_part(&samples) == 0);
    EXPECT_UINT(weight_of(&samples, 0, "main", LAUKA_SAMPLED_FUNCTION), 1000);
    EXPECT_UINT(
        weight_of(&samples, 0, "(another file is at /bin/prog now)", LAUKA_SAMPLED_FUNCTION), 2000);
    lauka_samples_done(&samples);
}

static char *read_names(uint32_t pid)
{
    return strdup(pid == 0
                      ? "0000000000010000 T early\n0000000000010100 t read_zero\t[mod]\n"
                        "0000000000010100 D data\nbad\n0 T zero\n10 T\n"
                      : "20000 100 JS:*cold a.js:1\n20000 80 JS:*hot a.js:2\n20200\n20300 x\n");
}

static void names_of_the_kernel_and_of_written_code_are_found(void)
{
    struct written ring = {.size = 0};
    struct lauka_sample_set samples = samples_of_files();
    samples.read_names = read_names;
    put_exec(&ring, 20, 1);
    put_map(&ring, 20, 2, 0x20000, 0x1000, 0, "//anon");
    put_sample(&ring, 20, 3, 0x10010, true);
    put_sample(&ring, 20, 4, 0x10110, true);
    put_sample(&ring, 20, 5, 0x110, true);
    put_sample(&ring, 20, 6, 0x20010, false);
    put_sample(&ring, 20, 7, 0x20090, false); /* behind the later of two */
    put_fork(&ring, 20, 30, 30, 8);
    put_sample(&ring, 30, 9, 0x20010, false);
    EXPECT(lauka_samples_feed_bytes(&samples, ring.bytes, ring.size) == 0);
    EXPECT(lauka_samples_end_part(&samples) == 0);
    EXPECT_UINT(weight_of(&samples, 0, "early", LAUKA_SAMPLED_KERNEL), 1000);
    EXPECT_UINT(weight_of(&samples, 0, "read_zero", LAUKA_SAMPLED_KERNEL), 1000);
    EXPECT_UINT(weight_of(&samples, 0, NULL, LAUKA_SAMPLED_KERNEL), 3000); /* in all */
    EXPECT_UINT(weight_of(&samples, 0, "JS:*hot a.js:2", LAUKA_SAMPLED_JIT), 2000);
    EXPECT_UINT(weight_of(&samples, 0, NULL, LAUKA_SAMPLED_JIT), 3000);
    lauka_samples_done(&samples);
}

/* Each CPU has its own ring buffer, so the record that is read first may be the latest. */
static void records_are_put_into_the_order_of_their_time(void)
{
    struct written ring = {.size = 0};
    struct lauka_sample_set samples = samples_of_files();
    put_sample(&ring, 20, 5, 0x10010, false);
    put_map(&ring, 20, 4, 0x10000, 0x1000, TEXT, "/bin/prog");
    put_exec(&ring, 20, 3);
    EXPECT(lauka_samples_feed_bytes(&samples, ring.bytes, ring.size) == 0);
    EXPECT(lauka_samples_end_part(&samples) == 0);
    EXPECT_UINT(weight_of(&samples, 0, "main", LAUKA_SAMPLED_FUNCTION), 1000);
    lauka_samples_done(&samples);
}

static void children_have_what_their_parents_have(void)
{
    struct written ring = {.size = 0};
    struct lauka_sample_set samples = samples_of_files();
    put_exec(&ring, 20, 1);
    put_map(&ring, 20, 2, 0x10000, 0x1000, TEXT, "/bin/prog");
    put_fork(&ring, 20, 20, 21, 3); /* a thread */
    put_fork(&ring, 20, 30, 30, 4);
    put_sample(&ring, 30, 5, 0x10010, false);
    put_exec(&ring, 30, 6); /* its maps are gone when it executes another program */
    put_sample(&ring, 30, 7, 0x10010, false);
    EXPECT(lauka_samples_feed_bytes(&samples, ring.bytes, ring.size) == 0);
    EXPECT(lauka_samples_end_part(&samples) == 0);
    EXPECT_UINT(weight_of(&samples, 0, "main", LAUKA_SAMPLED_FUNCTION), 1000);
    EXPECT_UINT(weight_of(&samples, 0, NULL, LAUKA_SAMPLED_UNKNOWN), 1000);
    lauka_samples_begin_run(&samples);
    ring.size = 0;
    put_sample(&ring, 20, 8, 0x10010, false); /* from an earlier run */
    EXPECT(lauka_samples_feed_bytes(&samples, ring.bytes, ring.size) == 0);
    EXPECT(lauka_samples_end_part(&samples) == 0);
    EXPECT_UINT(samples.parts[1].samples, 0);
    lauka_samples_done(&samples);
}

static void a_map_covers_what_was_there_before(void)
{
    struct written ring = {.size = 0};
    struct lauka_sample_set samples = samples_of_files();
    put_exec(&ring, 20, 1);
    put_map(&ring, 20, 2, 0x10000, 0x1000, TEXT, "/bin/prog");
    put_map(&ring, 20, 3, 0x10040, 0x40, 0, "//anon");
    put_sample(&ring, 20, 4, 0x10000, false);
    put_sample(&ring, 20, 5, 0x10040, false);
    put_sample(&ring, 20, 6, 0x10080, false);
    put_sample(&ring, 20, 7, 0x10100, false);
    EXPECT(lauka_samples_feed_bytes(&samples, ring.bytes, ring.size) == 0);
    EXPECT(lauka_samples_end_part(&samples) == 0);
    EXPECT_UINT(weight_of(&samples, 0, "main", LAUKA_SAMPLED_FUNCTION), 2000);
    EXPECT_UINT(weight_of(&samples, 0, "helper", LAUKA_SAMPLED_FUNCTION), 1000);
    EXPECT_UINT(weight_of(&samples, 0, NULL, LAUKA_SAMPLED_JIT), 1000);
    ring.size = 0;
    put_map(&ring, 20, 8, 0x10020, 0x2000, TEXT, "/bin/prog"); /* overlaps the ends of three maps */
    put_sample(&ring, 20, 9, 0x10000, false);
    put_sample(&ring, 20, 10, 0x10120, false);
    EXPECT(lauka_samples_feed_bytes(&samples, ring.bytes, ring.size) == 0);
    EXPECT(lauka_samples_end_part(&samples) == 0);
    EXPECT_UINT(weight_of(&samples, 1, "main", LAUKA_SAMPLED_FUNCTION), 1000);
    EXPECT_UINT(weight_of(&samples, 1, "helper", LAUKA_SAMPLED_FUNCTION), 1000);
    lauka_samples_done(&samples);
}

static void files_that_cannot_be_read_are_told_by_their_name(void)
{
    struct written ring = {.size = 0};
    struct lauka_sample_set samples = samples_of_files();
    put_exec(&ring, 20, 1);
    put_map(&ring, 20, 2, 0x10000, 0x1000, 0, "/lib/gone.so (deleted)");
    put_sample(&ring, 20, 4, 0x10000, false);
    EXPECT(lauka_samples_feed_bytes(&samples, ring.bytes, ring.size) == 0);
    EXPECT_UINT(samples.function_count, 1);
    EXPECT(samples.functions[0].kind == LAUKA_SAMPLED_OBJECT);
    EXPECT_TEXT(samples.objects[samples.functions[0].object].path, "/lib/gone.so (deleted)");
    lauka_samples_done(&samples);
}

static struct written debug_file;

static const void *read_debug_file(const char *path, size_t *size)
{
    *size = debug_file.size;
    return strcmp(path, "/bin/prog") == 0 ? debug_file.bytes : NULL;
}

static void give_either_back(const void *bytes, size_t size)
{
    EXPECT((bytes == program.bytes && size == program.size) ||
           (bytes == debug_file.bytes && size == debug_file.size));
}

static void a_stripped_file_has_the_symbols_that_were_parted_from_it(void)
{
    /* The program's own table: SHT_SYMTAB, SHT_DYNSYM. */
    for (uint32_t table = 2; table <= 11; table += 9) {
        struct written ring = {.size = 0};
        struct lauka_sample_set samples = {.read_file = read_file,
                                           .give_back = give_either_back,
                                           .read_debug_file = read_debug_file};
        program = make_elf(table);
        debug_file = make_elf(2);
        put_exec(&ring, 20, 1);
        put_map(&ring, 20, 2, 0x10000, 0x1000, TEXT, "/bin/prog");
        put_sample(&ring, 20, 4, 0x10010, false);
        EXPECT(lauka_samples_feed_bytes(&samples, ring.bytes, ring.size) == 0);
        EXPECT_UINT(samples.function_count, 1);
        EXPECT_UINT(samples.objects[0].elf.symbol_count, 4); /* one symbol per address */
        EXPECT_TEXT(samples.functions[0].name, "main");
        lauka_samples_done(&samples);
    }
    program = make_elf(3); /* no table at all */
    struct written ring = {.size = 0};
    struct lauka_sample_set samples = {
        .read_file = read_file, .give_back = give_either_back, .read_debug_file = read_debug_file};
    put_exec(&ring, 20, 1);
    put_map(&ring, 20, 2, 0x10000, 0x1000, TEXT, "/bin/prog");
    put_sample(&ring, 20, 4, 0x10100, false);
    EXPECT(lauka_samples_feed_bytes(&samples, ring.bytes, ring.size) == 0);
    EXPECT(samples.functions[0].kind == LAUKA_SAMPLED_FUNCTION);
    EXPECT_TEXT(samples.functions[0].name, "helper");
    lauka_samples_done(&samples);
}

int main(void)
{
    TEST(a_sample_is_read);
    TEST(a_map_has_the_name_of_its_file);
    TEST(a_record_that_is_cut_is_none);
    TEST(records_that_were_lost_are_counted);
    TEST(functions_are_found_by_their_place_in_the_file);
    TEST(what_is_no_file_of_this_machine_has_no_symbols);
    TEST(damaged_files_are_read_to_their_end_at_most);
    TEST(symbols_of_one_name_share_its_bytes);
    TEST(of_several_names_of_a_place_the_first_is_told);
    TEST(names_need_no_end);
    TEST(segments_without_end_are_refused);
    TEST(samples_belong_to_functions_of_what_was_executed);
    TEST(a_file_that_is_another_by_now_names_no_functions);
    TEST(names_of_the_kernel_and_of_written_code_are_found);
    TEST(records_are_put_into_the_order_of_their_time);
    TEST(children_have_what_their_parents_have);
    TEST(a_map_covers_what_was_there_before);
    TEST(files_that_cannot_be_read_are_told_by_their_name);
    TEST(a_stripped_file_has_the_symbols_that_were_parted_from_it);
    return expect_report("samples");
}
