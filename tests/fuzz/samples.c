/* A ring buffer's records, and the files that their maps name: what is behind the first 256 bytes is such a file. */
#include "pmu/samples/samples.h"

#include "tests/fuzz/fuzz.h"

static const uint8_t *file;
static size_t file_size;

static const void *read_file(const char *path, size_t *size)
{
    (void)path;
    *size = file_size;
    return file;
}

static void give_back(const void *bytes, size_t size)
{
    fuzz_require(bytes == file && size == file_size);
}

/* Sums must add up. */
static void check(const struct lauka_sample_set *samples)
{
    uint64_t weight = 0;

    fuzz_require(samples->part_count == 1);
    for (size_t c = 0; c < samples->cell_count; c++) {
        fuzz_require(samples->cells[c].function < samples->function_count);
        weight += samples->cells[c].weight;
    }
    fuzz_require(weight == samples->parts[0].weight);
    for (size_t s = 0; s < samples->spaces.count; s++) {
        const struct lauka_space *space = &samples->spaces.spaces[s];
        for (size_t m = 0; m < space->map_count; m++) {
            fuzz_require(space->maps[m].from < space->maps[m].to);
            fuzz_require(m == 0 || space->maps[m - 1].to <= space->maps[m].from);
        }
    }
}

static void read_elf(const uint8_t *bytes, size_t size)
{
    struct lauka_elf elf;

    if (lauka_elf_read(bytes, size, &elf) != 0)
        return;
    if (size > 128) /* and the symbols that were parted from it */
        (void)lauka_elf_add(bytes + 128, size - 128, &elf);
    (void)lauka_elf_add(bytes, size, &elf);
    for (size_t i = 0; i + 1 < elf.symbol_count; i++)
        fuzz_require(elf.symbols[i].address < elf.symbols[i + 1].address);
    for (uint64_t offset = 0; offset < 4096; offset += 64)
        fuzz_require(lauka_elf_find(&elf, offset) <= elf.symbol_count);
    lauka_elf_done(&elf);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    size_t records = size < 256 ? size : 256;
    struct lauka_sample_set samples = {
        .read_file = read_file, .give_back = give_back, .read_debug_file = read_file};

    file = bytes + records;
    file_size = size - records;
    fuzz_require(lauka_samples_feed_bytes(&samples, bytes, records) == 0);
    fuzz_require(lauka_samples_end_part(&samples) == 0);
    check(&samples);
    lauka_samples_done(&samples);
    read_elf(bytes, size);
    return 0;
}
