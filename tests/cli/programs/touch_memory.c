/* Touches ARGUMENT kB of memory: `touch_memory 1000`. */
#include <stdlib.h>

int main(int argc, char **argv)
{
    size_t size = argc > 1 ? (size_t)atol(argv[1]) * 1000 : 0;
    volatile char *memory = malloc(size ? size : 1);

    for (size_t i = 0; memory && i < size; i += 4096)
        memory[i] = 1;
    return memory == NULL;
}
