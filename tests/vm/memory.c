/* Holds some memory and runs another program meanwhile: memory MIB [PROGRAM ARGUMENT...] */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    size_t size = (argc > 1 ? strtoul(argv[1], NULL, 10) : 0) << 20;
    char *memory = malloc(size + 1);

    if (!memory)
        return 1;
    memset(memory, 1, size + 1);
    if (argc > 2) {
        pid_t pid = fork();
        int status = 1;
        if (pid == 0) {
            execv(argv[2], argv + 2);
            _exit(127);
        }
        if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
            return 1;
    }
    return memory[size] == 1 ? 0 : 1;
}
