/* What lies in the region that the launcher shares with lauka. */
#include "runner/launch/launcher.h"
#include "runner/base/base.h"

#include <stdint.h>
#include <string.h>

void *launcher_take(struct lauka_launcher *launcher, size_t size)
{
    size_t rounded = (size + 15) & ~(size_t)15;
    char *from = (char *)(((uintptr_t)launcher->arena + 15) & ~(uintptr_t)15);

    if (rounded > (size_t)(launcher->arena_end - from))
        return NULL;
    launcher->arena = from + rounded;
    return from;
}

char *launcher_share_text(struct lauka_launcher *launcher, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = launcher_take(launcher, size);

    return copy ? memcpy(copy, text, size) : NULL;
}

char **launcher_share_vector(struct lauka_launcher *launcher, char *const *vector)
{
    size_t count = lauka_words_count((const char *const *)vector);
    char **copy = launcher_take(launcher, (count + 1) * sizeof *copy);
    for (size_t i = 0; copy && i < count; i++) {
        copy[i] = launcher_share_text(launcher, vector[i]);
        if (!copy[i])
            return NULL;
    }
    if (copy)
        copy[count] = NULL;
    return copy;
}
