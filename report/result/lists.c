/* Owned arrays that grow: of structs, strings, and parameters with their values. */
#include "report/result/lists.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The pointer may be one to any type. */
void *lauka_list_add(void *elements, size_t *count, size_t size)
{
    char *grown;
    memcpy(&grown, elements, sizeof grown);
    grown = realloc(grown, (*count + 1) * size);
    if (!grown)
        return NULL;
    memcpy(elements, &grown, sizeof grown);
    return memset(grown + size * (*count)++, 0, size);
}

void lauka_strings_free(char **strings)
{
    for (char **string = strings; string && *string; string++)
        free(*string);
    free(strings);
}

char **lauka_strings_copy(char *const *strings)
{
    size_t count = 0;
    while (strings[count])
        count++;
    char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++)
        if (!(copy[i] = strdup(strings[i]))) {
            lauka_strings_free(copy);
            return NULL;
        }
    return copy;
}

int lauka_parameters_add(struct lauka_parameter_value **parameters, size_t *count, const char *name,
                         const char *value)
{
    struct lauka_parameter_value *added = lauka_list_add(parameters, count, sizeof *added);
    if (!added)
        return ENOMEM;
    *added = (struct lauka_parameter_value){strdup(name), strdup(value)};
    return added->name && added->value ? 0 : ENOMEM;
}

int lauka_parameters_copy(const struct lauka_parameter_value *from, size_t from_count,
                          struct lauka_parameter_value **to, size_t *count)
{
    int failure = 0;
    for (size_t i = 0; i < from_count && !failure; i++)
        failure = lauka_parameters_add(to, count, from[i].name, from[i].value);
    return failure;
}

void lauka_parameters_free(struct lauka_parameter_value *parameters, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(parameters[i].name);
        free(parameters[i].value);
    }
    free(parameters);
}
