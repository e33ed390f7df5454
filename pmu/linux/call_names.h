/* System calls by number. */
#ifndef LAUKA_PMU_LINUX_CALL_NAMES_H
#define LAUKA_PMU_LINUX_CALL_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct lauka_call_names { /* zeroed, it is before the first one */
    unsigned number;
    const char *name; /* static; of `length` bytes, and not ended by a NUL */
    size_t length;
    const char *rest; /* its own: where the next one is */
    size_t run;
};

/* The next call that has a name; false: there is none, or this processor's are not known. */
bool lauka_call_names_next(struct lauka_call_names *at);

/* The number by which 32-bit programs end, and which no other call has that is often made: theirs have other numbers.
 * */
extern const unsigned lauka_call_foreign;

#endif
