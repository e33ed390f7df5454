/* A file of options, put in front of what was typed, and the words that come of both. The first byte
 * says which of its suites are meant, and what was typed. */
#include "runner/base/base.h"
#include "runner/options.h"
#include "runner/options/options.h"

#include <getopt.h>
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

static void read_words(int argc, char **argv, size_t suite)
{
    struct lauka_arguments arguments;
    struct lauka_options options = {0};
    struct lauka_error error;

    if (lauka_arguments_read(argc, argv, suite, NULL, &arguments, &error)) {
        optind = 0; /* getopt begins anew */
        fuzz_require(arguments.argv != NULL);
        (void)lauka_options_parse(arguments.argc, arguments.argv, &options, &error);
        lauka_options_done(&options);
    }
    lauka_arguments_done(&arguments);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char program[] = "lauka", config[64], runs[] = "-r3", name[] = "--name=a", verb[] = "compare",
         command[] = "true";
    char *typed[][5] = {
        {program, config, NULL},
        {program, config, runs, NULL},
        {program, config, name, command, NULL},
        {program, verb, config, command, NULL},
    };
    if (size == 0)
        return 0;
    store(bytes + 1, size - 1);
    snprintf(config, sizeof config, "--config=/proc/self/fd/%d", file);
    char **argv = typed[bytes[0] % 4];
    int argc = 0;
    while (argv[argc])
        argc++;
    read_words(argc, argv, bytes[0] >> 2 & 3);
    return 0;
}
