/* Owned arrays that grow: of structs, strings, and parameters with their values. */
#ifndef LAUKA_REPORT_RESULT_LISTS_H
#define LAUKA_REPORT_RESULT_LISTS_H

#include <stddef.h>

struct lauka_parameter_value { /* what {NAME} stood for in a command */
    char *name, *value;        /* owned */
};

/* Appends a zeroed element to an owned array, and counts it. `elements` points to the array's pointer. Returns the
 * element; NULL if there is no memory. */
void *lauka_list_add(void *elements, size_t *count, size_t size);

/* A copy of a NULL-terminated array of strings, NULL if there is no memory; and freeing one. */
char **lauka_strings_copy(char *const *strings);
void lauka_strings_free(char **strings);

/* Each appends copies, of one or of all. They return 0 or ENOMEM. */
int lauka_parameters_add(struct lauka_parameter_value **parameters, size_t *count, const char *name,
                         const char *value);
int lauka_parameters_copy(const struct lauka_parameter_value *from, size_t from_count,
                          struct lauka_parameter_value **to, size_t *count);
void lauka_parameters_free(struct lauka_parameter_value *parameters, size_t count);

#endif
