/* calls N: makes N system calls, and nothing else. */
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    for (int left = argc > 1 ? atoi(argv[1]) : 0; left > 0; left--)
        (void)getppid();
    return 0;
}
