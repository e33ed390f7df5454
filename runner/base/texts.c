/* What is done with lists of words, hexadecimal digits and paths everywhere. */
#include "runner/base/base.h"

#include <stdlib.h>
#include <string.h>

size_t lauka_words_count(const char *const *words)
{
    size_t count = 0;

    while (words && words[count])
        count++;
    return count;
}

char **lauka_words_join(const char *const *first, const char *const *second)
{
    size_t ahead = lauka_words_count(first), behind = lauka_words_count(second);
    char **words = calloc(ahead + behind + 1, sizeof *words);

    if (words) {
        memcpy(words, first, ahead * sizeof *words);
        memcpy(words + ahead, second, behind * sizeof *words);
    }
    return words;
}

char *lauka_hex_put(const uint8_t *bytes, size_t count, char *text)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < count; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    text[2 * count] = '\0';
    return text;
}

bool lauka_path_is_in(const char *path, const char *folder)
{
    size_t length = strlen(folder);

    return strncmp(path, folder, length) == 0 && (!path[length] || path[length] == '/');
}
