/* A file of options in front of what was typed, and the resulting words. The first byte selects its
 * section and what was typed. */
#include "runner/base/base.h"
#include "runner/options.h"
#include "runner/options/options.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

static int file = -1;

static void store(const uint8_t *bytes, size_t size)
{
    if (file < 0)
        file = memfd_create("config", 0);
    fuzz_require(file >= 0 && ftruncate(file, 0) == 0);
    fuzz_require(pwrite(file, bytes, size, 0) == (ssize_t)size);
}

/* All of its sections as one session. */
static void read_sections(struct lauka_config *config, const struct lauka_arguments *typed)
{
    struct lauka_arguments all;
    struct lauka_options options, own;
    struct lauka_error error;

    if (lauka_options_parse_sections(config, typed, &all, &options, &error)) {
        fuzz_require(options.run.benchmark_count > 0 && options.run.command_count > 0);
        for (size_t b = 0; b < options.run.benchmark_count; b++)
            fuzz_require(lauka_options_of(&options, b, &own) == 0);
    }
}

static void read_words(char **words, size_t count, size_t section)
{
    struct lauka_arena arena = {0};
    struct lauka_arguments typed, all = {0};
    struct lauka_config config = {0};
    struct lauka_options options = {0};
    struct lauka_error error;

    fuzz_require(lauka_words_read(&arena, words, NULL, count, &typed, &error));
    bool read = lauka_config_read(&typed, NULL, &config, &error);
    if (read && config.section_count > 0)
        read_sections(&config, &typed);
    if (read && lauka_config_add(&config, &typed, section, &all, &error)) {
        fuzz_require(all.word_count > 0);
        (void)lauka_options_parse(&all, &options, &error);
    }
    lauka_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char config[64], runs[] = "-r3", name[] = "--command-name=a", verb[] = "compare",
                     command[] = "true";
    char *typed[][4] = {
        {config, NULL},
        {config, runs, NULL},
        {config, name, command, NULL},
        {verb, config, command, NULL},
    };
    if (size == 0)
        return 0;
    store(bytes + 1, size - 1);
    snprintf(config, sizeof config, "--config=/proc/self/fd/%d", file);
    char **words = typed[bytes[0] % 4];
    size_t count = 0;
    while (words[count])
        count++;
    read_words(words, count, bytes[0] >> 2 & 3);
    return 0;
}
