/* JSON as other tools' writers print it: with words for numbers that JSON has none for. */
#include "report/load/foreign.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ----------------------------------------------------------------------------------- */

static bool begins_with_word(const char *text, size_t length, const char *word)
{
    size_t i = 0;
    while (word[i] && i < length && (text[i] | 0x20) == word[i])
        i++;
    return !word[i];
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && begins_with_word(text, length, word);
}

/* What printf(3) makes of them: "nan", "nan(ind)", "inf"; of Microsoft's older ones "1.#QNAN0", "1.#INF". */
bool lauka_is_not_finite(const char *text, size_t length)
{
    size_t sign = length > 0 && (*text == '+' || *text == '-');
    text += sign;
    length -= sign;
    return is_word(text, length, "nan") || is_word(text, length, "inf") ||
           is_word(text, length, "infinity") ||
           (begins_with_word(text, length, "nan(") && text[length - 1] == ')') ||
           (length > 3 && memcmp(text, "1.#", 3) == 0);
}

static bool may_begin(char c)
{
    return c == 'n' || c == 'N' || c == 'i' || c == 'I' || c == '-' || c == '+' || c == '1';
}

size_t lauka_foreign_word(const char *text, size_t size)
{
    size_t length = 0;
    if (size == 0 || !may_begin(*text))
        return 0;
    while (length < size && text[length] && !strchr(" \t\r\n,:[]{}\"", text[length]))
        length++;
    return lauka_is_not_finite(text, length) ? length : 0;
}

const char *lauka_foreign_not_finite(const cJSON *item)
{
    const char *text = cJSON_GetStringValue(item);
    bool overflows = cJSON_IsNumber(item) && item->valuedouble - item->valuedouble != 0; /* 1e999 */
    return overflows ? "Infinity" : text && lauka_is_not_finite(text, strlen(text)) ? text : NULL;
}

/* ---- documents ------------------------------------------------------------------------------- */

/* Where the string that begins there ends. */
static size_t string_length(const char *text, size_t size)
{
    size_t length = 1;
    while (length < size && text[length] != '"')
        length += text[length] == '\\' ? 2 : 1;
    return length < size ? length + 1 : size;
}

/* The text with such words in quotes. A quote takes a byte, and a word has three at least. */
static char *quote_words(const char *text, size_t size)
{
    size_t at = 0, length;
    char *quoted = malloc(2 * size + 1), *end = quoted;
    bool begins = true; /* a value may begin here */
    while (quoted && at < size) {
        size_t word = begins ? lauka_foreign_word(text + at, size - at) : 0;
        length = word > 0 ? word : text[at] == '"' ? string_length(text + at, size - at) : 1;
        begins = word == 0 && text[at] && strchr(" \t\r\n,:[", text[at]);
        if (word > 0)
            *end++ = '"';
        memcpy(end, text + at, length);
        end += length;
        if (word > 0)
            *end++ = '"';
        at += length;
    }
    if (quoted)
        *end = '\0';
    return quoted;
}

/* No tool's numbers lie as deep. Each level would take some of the stack, which may be small. */
static bool nests_deep(const char *text, size_t size)
{
    enum { DEEPEST = 100 };
    int depth = 0;
    for (size_t at = 0; at < size && depth <= DEEPEST;
         at += text[at] == '"' ? string_length(text + at, size - at) : 1)
        depth += (text[at] == '[' || text[at] == '{') - (text[at] == ']' || text[at] == '}');
    return depth > DEEPEST;
}

int lauka_foreign_parse(const char *text, size_t size, cJSON **tree)
{
    *tree = NULL;
    if (nests_deep(text, size))
        return 0;
    char *quoted = quote_words(text, size);
    *tree = quoted ? cJSON_Parse(quoted) : NULL;
    free(quoted);
    return quoted ? 0 : ENOMEM;
}
