/* JSON as others write it. What is JSON already is read as it is; what is none, and has no words for numbers, stays
 * none. */
#include "report/load/foreign.h"

#include <cjson/cJSON.h>

#include "tests/fuzz/fuzz.h"

static int has_word(const char *text, size_t size)
{
    int found = 0;

    for (size_t at = 0; at < size; at++)
        found |= lauka_foreign_word(text + at, size - at) > 0;
    return found;
}

/* What nests deep is refused; so many levels are certainly not. */
static int nests_little(const char *text, size_t size)
{
    int brackets = 0;

    for (size_t at = 0; at < size; at++)
        brackets += text[at] == '[' || text[at] == '{';
    return brackets <= 100;
}

static void require_same(const cJSON *one, const cJSON *other)
{
    char *a = cJSON_PrintUnformatted(one), *b = cJSON_PrintUnformatted(other);

    fuzz_require(a && b && strcmp(a, b) == 0);
    free(a);
    free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = fuzz_text(bytes, size);
    size_t length = strlen(text);
    cJSON *tree, *plain = cJSON_Parse(text);

    fuzz_require(lauka_foreign_parse(text, length, &tree) == 0);
    if (!has_word(text, length) && nests_little(text, length))
        fuzz_require((tree == NULL) == (plain == NULL));
    if (tree && (cJSON_IsObject(plain) || cJSON_IsArray(plain)))
        require_same(plain, tree);
    (void)lauka_foreign_not_finite(tree);
    cJSON_Delete(plain);
    cJSON_Delete(tree);
    free(text);
    return 0;
}
