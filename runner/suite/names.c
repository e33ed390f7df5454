/* The names of benchmarks, in the order of their listing. A table finds each: a program may have
 * any number of them. */
#include "runner/suite/suite.h"
#include "stats/stats.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Its place in the table, or the free one where it belongs. There is a free one. */
static size_t place_of(const struct lauka_inner_names *names, const char *name, size_t length)
{
    const size_t mask = names->place_count - 1;
    size_t place = (size_t)lauka_hash(LAUKA_HASH, name, length) & mask;

    for (size_t number; (number = names->places[place]) != 0; place = (place + 1) & mask) {
        const char *other = names->names[number - 1];
        if (strncmp(other, name, length) == 0 && !other[length])
            break;
    }
    return place;
}

/* For one name more. At most half of the table is full, so that a name is found near its first place. */
static int make_room(struct lauka_inner_names *names)
{
    if (names->count < names->capacity)
        return 0;
    size_t capacity = names->capacity ? 2 * names->capacity : 16;
    char **grown = realloc(names->names, capacity * sizeof *grown);
    if (grown)
        names->names = grown;
    size_t *places = grown ? calloc(2 * capacity, sizeof *places) : NULL;
    if (!places)
        return ENOMEM;
    free(names->places);
    names->places = places;
    names->place_count = 2 * capacity;
    names->capacity = capacity;
    for (size_t i = 0; i < names->count; i++)
        places[place_of(names, names->names[i], strlen(names->names[i]))] = i + 1;
    return 0;
}

bool lauka_inner_names_have(const struct lauka_inner_names *names, const char *name)
{
    return names->count > 0 && names->places[place_of(names, name, strlen(name))] != 0;
}

int lauka_inner_names_add(struct lauka_inner_names *names, const char *name, size_t length)
{
    int error = make_room(names);

    length = strnlen(name, length);
    size_t place = error ? 0 : place_of(names, name, length);
    if (error || names->places[place] != 0)
        return error;
    char *copy = strndup(name, length);
    if (!copy)
        return ENOMEM;
    names->names[names->count++] = copy;
    names->places[place] = names->count;
    return 0;
}

int lauka_inner_names_add_lines(struct lauka_inner_names *names, const char *text,
                                const char *suffix)
{
    const size_t end = strlen(suffix);
    int error = 0;

    for (text += strspn(text, "\r\n"); *text && !error; text += strspn(text, "\r\n")) {
        const size_t length = strcspn(text, "\r\n");
        if (length > end && memcmp(text + length - end, suffix, end) == 0)
            error = lauka_inner_names_add(names, text, length - end);
        text += length;
    }
    return error;
}

void lauka_inner_names_done(struct lauka_inner_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->names[i]);
    free(names->names);
    free(names->places);
    *names = (struct lauka_inner_names){0};
}

size_t lauka_inner_name_number(const char *name, size_t length)
{
    size_t at = length;

    while (at > 0 && isdigit((unsigned char)name[at - 1]))
        at--;
    return at < length && at > 1 && name[at - 1] == '-' ? at - 1 : length;
}
