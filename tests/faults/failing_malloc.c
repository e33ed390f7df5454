/* To be preloaded: the allocation whose number FAIL_ALLOCATION names fails, and those after it where
 * FAIL_ALL is set. FAIL_COUNT names a file that gets the number of allocations of the process that
 * loaded it; its children write none. glibc only: it is the one whose allocator has other names. */
#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

static unsigned long made, failing;
static int all;
static pid_t owner;

__attribute__((constructor)) static void begin(void)
{
    const char *number = getenv("FAIL_ALLOCATION");

    failing = number ? strtoul(number, NULL, 10) : 0;
    all = getenv("FAIL_ALL") != NULL;
    owner = getpid();
    made = 0; /* what was allocated before us does not count */
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("FAIL_COUNT");
    FILE *file = path && getpid() == owner ? fopen(path, "w") : NULL;

    if (file) {
        fprintf(file, "%lu\n", made);
        fclose(file);
    }
}

static int fails(void)
{
    made++;
    if (failing == 0 || (all ? made < failing : made != failing))
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return fails() ? NULL : __libc_realloc(memory, size);
}
