/* A command line of one string: split, then quoted and split again into the same words. */
#include "runner/base/base.h"
#include "runner/command/command.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

static size_t count_words(char *const *argv)
{
    size_t count = 0;

    while (argv[count])
        count++;
    return count;
}

static void require_same(const struct lauka_command *one, const struct lauka_command *other)
{
    size_t count = count_words(one->argv);

    fuzz_require(count == count_words(other->argv));
    for (size_t i = 0; i < count; i++)
        fuzz_require(strcmp(one->argv[i], other->argv[i]) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = fuzz_text(bytes, size);
    struct lauka_arena arena = {0};
    struct lauka_command command = {0}, again = {0};
    struct lauka_error error;

    if (lauka_command_parse(&arena, text, &command, &error)) {
        char *quoted = lauka_quote_argv(&arena, command.argv, count_words(command.argv));
        fuzz_require(quoted && lauka_command_parse(&arena, quoted, &again, &error));
        require_same(&command, &again);
    }
    lauka_arena_done(&arena);
    free(text);
    return 0;
}
