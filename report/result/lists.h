/* Owned arrays that grow: structs, strings, and parameters with values. */
#ifndef LAUKA_REPORT_RESULT_LISTS_H
#define LAUKA_REPORT_RESULT_LISTS_H

#include <stddef.h>

struct lauka_parameter_value { /* the value of {NAME} in a command */
    char *name, *value;        /* owned */
};

/* Appends a zeroed element to an owned array, and increments the count. `elements` points to the
 * pointer to the array. Returns the element; NULL without memory. */
void *lauka_list_add(void *elements, size_t *count, size_t size);

/* Copies a NULL-terminated array of strings, NULL without memory; the second frees one. */
char **lauka_strings_copy(char *const *strings);
void lauka_strings_free(char **strings);

/* Append a copy of one, or of all. Return 0 or ENOMEM. */
int lauka_parameters_add(struct lauka_parameter_value **parameters, size_t *count, const char *name,
                         const char *value);
int lauka_parameters_copy(const struct lauka_parameter_value *from, size_t from_count,
                          struct lauka_parameter_value **to, size_t *count);
void lauka_parameters_free(struct lauka_parameter_value *parameters, size_t count);

#endif
