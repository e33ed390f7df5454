/* A command line of words, one a line. */
#include "runner/base/base.h"
#include "runner/options.h"
#include "runner/options/options.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

enum { WORDS_MAX = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = fuzz_text(bytes, size), *rest = text;
    char *words[WORDS_MAX];
    size_t count = 0;
    struct lauka_arena arena = {0};
    struct lauka_arguments arguments;
    struct lauka_options options = {0};
    struct lauka_error error;

    while (rest && count < WORDS_MAX)
        words[count++] = strsep(&rest, "\n");
    if (lauka_words_read(&arena, words, NULL, count, &arguments, &error) &&
        lauka_misplaced_check(&arguments, &error))
        (void)lauka_options_parse(&arguments, &options, &error);
    lauka_arena_done(&arena);
    free(text);
    return 0;
}
