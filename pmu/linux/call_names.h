/* System calls by number. */
#ifndef LAUKA_PMU_LINUX_CALL_NAMES_H
#define LAUKA_PMU_LINUX_CALL_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct lauka_call_names { /* when zeroed, it stands before the first one */
    unsigned number;
    const char *name; /* static; `length` bytes without NUL */
    size_t length;
    const char *rest; /* internal: position of the next one */
    size_t run;
};

/* The next call with a name; false after the last, or if this processor's are not known. */
bool lauka_call_names_next(struct lauka_call_names *at);

/* The call number by which 32-bit programs end, and which belongs to no other frequent call: their
 * numbers differ. */
extern const unsigned lauka_call_foreign;

#endif
