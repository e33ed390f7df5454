/* qsort(3) of the static release: by merging, which compares least, and keeps equal elements in their order, as other
 * C libraries do. The one that Zig compiles is five times as large. Part of no other build: see build/compile.zig. */
#include <stdlib.h>
#include <string.h>

typedef int compare_function(const void *, const void *);

struct sorting {
    size_t size; /* of an element */
    compare_function *compare;
    char *room; /* for half of all elements */
};

/* Both halves are sorted; what lies at `middle` and behind is taken before anything is put there. */
static void merge(const struct sorting *sorting, char *first, char *middle, const char *end)
{
    const char *left = sorting->room, *left_end = left + (middle - first), *right = middle;

    memcpy(sorting->room, first, (size_t)(middle - first));
    while (left < left_end) {
        const char **least = right < end && sorting->compare(left, right) > 0 ? &right : &left;
        memmove(first, *least, sorting->size);
        *least += sorting->size;
        first += sorting->size;
    }
}

static void sort(const struct sorting *sorting, char *first, size_t count)
{
    if (count < 2)
        return;
    char *middle = first + count / 2 * sorting->size;
    sort(sorting, first, count / 2);
    sort(sorting, middle, count - count / 2);
    if (sorting->compare(middle - sorting->size, middle) > 0)
        merge(sorting, first, middle, first + count * sorting->size);
}

/* Where there is no memory: nothing but exchanges of neighbours. */
static void sort_in_place(const struct sorting *sorting, char *first, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (char *at = first + i * sorting->size;
             at > first && sorting->compare(at - sorting->size, at) > 0; at -= sorting->size)
            for (size_t byte = 0; byte < sorting->size; byte++) {
                char moved = at[byte];
                at[byte] = *(at + byte - sorting->size);
                *(at + byte - sorting->size) = moved;
            }
}

void qsort(void *first, size_t count, size_t size, compare_function *compare)
{
    struct sorting sorting = {size, compare, malloc(count / 2 * size)};

    if (sorting.room || count < 2)
        sort(&sorting, first, count);
    else
        sort_in_place(&sorting, first, count);
    free(sorting.room);
}
