/* beginnings: where the names of commands begin where there is too little room for all of them. A name that
 * is cut in the middle may lose what it differs in from the others: "/home/ci/…--iterations 1000" of two builds. */
#include "report/result/result.h"
#include "report/text/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_BYTES = 3 }; /* as many are not worth the mark that takes their place */

struct text {
    const char *whole; /* borrowed */
    char *shown;       /* owned */
    size_t place, apart;
};

struct texts {
    struct text *sorted; /* owned; by whole */
    size_t count;
    int width;
    bool utf8;
};

static int compare_wholes(const void *a, const void *b)
{
    const struct text *left = a, *right = b;
    return strcmp(left->whole, right->whole);
}

static size_t common_bytes(const char *left, const char *right)
{
    size_t common = 0;
    while (left[common] && left[common] == right[common])
        common++;
    return common;
}

/* Of sorted texts, those beside it are most like it. Texts that are equal do not count. */
static void find_apart(struct texts *texts)
{
    struct text *sorted = texts->sorted;
    for (size_t i = 1; i < texts->count; i++) {
        const size_t common = common_bytes(sorted[i - 1].whole, sorted[i].whole);
        const bool equal = !sorted[i - 1].whole[common] && !sorted[i].whole[common];
        sorted[i].apart = equal ? sorted[i - 1].apart : common;
        if (!equal && sorted[i - 1].apart < common)
            sorted[i - 1].apart = common;
    }
    for (size_t i = texts->count; i > 1; i--)
        if (strcmp(sorted[i - 2].whole, sorted[i - 1].whole) == 0)
            sorted[i - 2].apart = sorted[i - 1].apart;
}

/* Bytes of words that all begin with: "./sort --fast " of two of them. */
static size_t common_words(const struct texts *texts)
{
    const char *first = texts->sorted[0].whole;
    size_t common = common_bytes(first, texts->sorted[texts->count - 1].whole), words = 0;
    for (size_t i = 0; i < common; i++)
        if (first[i] == ' ' || first[i] == '/')
            words = i + 1;
    return words > FEW_BYTES ? words : 0;
}

/* The begin of the word in which the text differs, or a few letters before that. What follows the mark stays
 * longer than half of the columns. */
static size_t begin_near(const struct text *text, int width)
{
    const size_t most = width > 12 ? (size_t)width / 2 - 5 : 0;
    const size_t least = text->apart > most ? text->apart - most : 0;
    size_t begin = text->apart;
    while (begin > least && text->whole[begin - 1] != ' ' && text->whole[begin - 1] != '/')
        begin--;
    while (begin > 0 && ((unsigned char)text->whole[begin] & 0xC0) == 0x80)
        begin--; /* within a letter */
    return begin > FEW_BYTES ? begin : 0;
}

static size_t begin_of(const struct texts *texts, size_t i, enum lauka_beginning way)
{
    switch (way) {
    case LAUKA_BEGIN_WHOLE:
        break;
    case LAUKA_BEGIN_WORDS:
        return common_words(texts);
    case LAUKA_BEGIN_APART:
        return begin_near(&texts->sorted[i], texts->width);
    }
    return 0;
}

char *lauka_text_from(const char *text, size_t begin, int width, bool utf8)
{
    const char *mark = begin == 0 ? "" : utf8 ? "…" : "...";
    if (begin > strlen(text))
        begin = 0;
    char *later = malloc(strlen(mark) + strlen(text + begin) + 1);
    if (!later)
        return NULL;
    strcpy(stpcpy(later, mark), text + begin);
    char *fitted = lauka_fit_text(later, width, utf8);
    free(later);
    return fitted;
}

static int compare_shown(const void *a, const void *b)
{
    const struct text *const *left = a, *const *right = b;
    int order = strcmp((*left)->shown, (*right)->shown);
    return order ? order : strcmp((*left)->whole, (*right)->whole);
}

static void forget(struct texts *texts)
{
    for (size_t i = 0; i < texts->count; i++) {
        free(texts->sorted[i].shown);
        texts->sorted[i].shown = NULL;
    }
}

/* How many texts look like another one that they are not. SIZE_MAX without memory. */
static size_t count_alike(struct texts *texts, enum lauka_beginning way)
{
    const struct text **shown = calloc(texts->count, sizeof *shown);
    size_t alike = 0;
    bool good = shown != NULL;
    for (size_t i = 0; good && i < texts->count; i++) {
        struct text *text = &texts->sorted[i];
        shown[i] = text;
        text->shown =
            lauka_text_from(text->whole, begin_of(texts, i, way), texts->width, texts->utf8);
        good = text->shown != NULL;
    }
    if (good)
        qsort(shown, texts->count, sizeof *shown, compare_shown);
    for (size_t i = 1; good && i < texts->count; i++)
        alike += strcmp(shown[i - 1]->shown, shown[i]->shown) == 0 &&
                 strcmp(shown[i - 1]->whole, shown[i]->whole) != 0;
    free(shown);
    forget(texts);
    return good ? alike : SIZE_MAX;
}

/* The first of the ways that tells most of them apart. Returns 0 or ENOMEM. */
static int choose(struct texts *texts, enum lauka_beginning first, size_t *begins)
{
    enum lauka_beginning best = first;
    size_t fewest = SIZE_MAX;
    for (enum lauka_beginning way = first; way <= LAUKA_BEGIN_APART && fewest > 0; way++) {
        const size_t alike = count_alike(texts, way);
        if (alike == SIZE_MAX)
            return ENOMEM;
        best = alike < fewest ? way : best;
        fewest = alike < fewest ? alike : fewest;
    }
    for (size_t i = 0; i < texts->count; i++)
        begins[texts->sorted[i].place] = begin_of(texts, i, best);
    return 0;
}

int lauka_find_beginnings(const char *const *texts, size_t count, int width, bool utf8,
                          enum lauka_beginning first, size_t *begins)
{
    struct texts own = {calloc(count + 1, sizeof *own.sorted), count, width, utf8};
    int widest = 0;
    if (!own.sorted)
        return ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const int columns = lauka_display_width(texts[i]);
        own.sorted[i] = (struct text){.whole = texts[i], .place = i};
        widest = columns > widest ? columns : widest;
        begins[i] = 0;
    }
    int error = 0;
    if (count > 1 && widest > width) {
        qsort(own.sorted, count, sizeof *own.sorted, compare_wholes);
        find_apart(&own);
        error = choose(&own, first, begins);
    }
    free(own.sorted);
    return error;
}
