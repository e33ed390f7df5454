/* What the harnesses of the fuzzed functions share. Each is a file of tests/fuzz, named after its input;
 * tests/fuzz/run.py builds and runs them. */
#ifndef LAUKA_TESTS_FUZZ_H
#define LAUKA_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* libFuzzer's entry: llvm.org/docs/LibFuzzer.html. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* What must hold for any input. */
static inline void fuzz_require(int holds)
{
    if (!holds)
        abort();
}

/* A copy that ends with a NUL, owned by the caller. */
static inline char *fuzz_text(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size + 1);

    fuzz_require(text != NULL);
    if (size > 0)
        memcpy(text, bytes, size);
    text[size] = '\0';
    return text;
}

#endif
