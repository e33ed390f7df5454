/* Owned arrays that grow. */
#ifndef LAUKA_PMU_ARRAY_H
#define LAUKA_PMU_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Appends a zeroed element to an array, which may move, and increments the count; `elements` points to the pointer to the
 * array, which has room for *room elements. Returns the element; NULL without memory, with nothing changed. */
static inline void *lauka_array_add(void *elements, size_t *count, size_t *room, size_t size)
{
    char *array;
    memcpy(&array, elements, sizeof array);
    if (*count == *room) {
        size_t more = *room ? 2 * *room : 16;
        char *grown = more <= SIZE_MAX / 2 / size ? realloc(array, more * size) : NULL;
        if (!grown)
            return NULL;
        memcpy(elements, &grown, sizeof grown);
        *room = more;
        array = grown;
    }
    return memset(array + size * (*count)++, 0, size);
}

#endif
