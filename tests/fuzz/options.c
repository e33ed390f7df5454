/* A command line of words, one a line. */
#include "runner/base/base.h"
#include "runner/options.h"
#include "runner/options/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

enum { WORDS_MAX = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = fuzz_text(bytes, size), *rest = text;
    char program[] = "lauka", *words[WORDS_MAX + 2] = {program};
    int count = 1;
    struct lauka_options options = {0};
    struct lauka_error error;

    while (rest && count <= WORDS_MAX)
        words[count++] = strsep(&rest, "\n");
    words[count] = NULL;
    optind = 0; /* getopt begins anew */
    (void)lauka_options_parse(count, words, &options, &error);
    lauka_options_done(&options);
    free(text);
    return 0;
}
