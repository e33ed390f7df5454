/* serve [WORD=VALUE...]: serves one file by HTTP on a port that the system chooses, and tells it. Words plant what
 * services do:
 *
 *     tell=FILE       writes the port there; otherwise it is only in the line "Listening on port N"
 *     file=FILE       what is served; otherwise "hello"
 *     port=N, unix=PATH  where it listens instead
 *     wait=MS         listens only then; never: it never does
 *     latency=US, effect=PERCENT, noise=PERCENT, state=FILE
 *                     a clock of its own: each answer says in X-Latency how long it took, in ns, with normal noise.
 *                     All answers of one process share an effect, which follows from the number of starts in FILE
 *     die=N, dying=MS exits with 3 after N answers, so long after its connections are closed
 *     status=N        what it answers with
 *     log=N           writes N bytes to stderr with each answer
 *     deaf            ignores SIGTERM
 *     fork, leave     goes to the background; leaves a process in a session of its own behind */
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { CLIENTS = 64, ROOM = 8192 };

static char **words;
static uint64_t state;
static double effect;
static long answers;

static const char *word(const char *name)
{
    for (char **at = words; *at; at++)
        if (strncmp(*at, name, strlen(name)) == 0 &&
            ((*at)[strlen(name)] == '=' || !(*at)[strlen(name)]))
            return *at + strlen(name) + ((*at)[strlen(name)] == '=');
    return NULL;
}

static double number(const char *name)
{
    const char *text = word(name);
    return text ? strtod(text, NULL) : 0;
}

/* splitmix64, and of two of its values a normal one (Box and Muller 1958). */
static double uniform(void)
{
    uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return ((double)((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    double radius = sqrt(-2 * log(uniform()));
    return radius * cos(6.283185307179586 * uniform());
}

static void pause_for(double ms)
{
    struct timespec time = {(time_t)(ms / 1000), (long)ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static void draw_effect(void)
{
    const char *path = word("state");
    unsigned long long starts = 0;
    FILE *file = path ? fopen(path, "r") : NULL;
    if (file && fscanf(file, "%llu", &starts) != 1)
        starts = 0;
    if (file)
        fclose(file);
    if (path && (file = fopen(path, "w"))) {
        fprintf(file, "%llu\n", starts + 1);
        fclose(file);
    }
    state = starts * UINT64_C(0xd1342543de82ef95);
    effect = number("effect") / 100 * normal();
}

static int listen_somewhere(void)
{
    const char *path = word("unix");
    int one = 1, end = socket(path ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    in.sin_port = htons((uint16_t)number("port"));
    if (path) {
        strncpy(un.sun_path, path, sizeof un.sun_path - 1);
        unlink(path);
    }
    setsockopt(end, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(end, path ? (void *)&un : (void *)&in, path ? sizeof un : sizeof in) != 0 ||
        listen(end, CLIENTS) != 0) {
        perror("serve: bind");
        exit(1);
    }
    return end;
}

/* Whoever reads the port of a file that is complete, reads all of it. */
static void tell(int end)
{
    struct sockaddr_in in = {0};
    socklen_t size = sizeof in;
    const char *path = word("tell"), *ready = getenv("LAUKA_READY_FD");
    getsockname(end, (struct sockaddr *)&in, &size);
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%d\n", ntohs(in.sin_port));
        fclose(file);
    }
    printf("Listening on port %d\n", ntohs(in.sin_port));
    fflush(stdout);
    if (ready && write(atoi(ready), "x", 1) != 1)
        exit(1);
}

static void answer(int client, const char *body)
{
    char text[2 * ROOM];
    double latency =
        1000 * number("latency") * (1 + effect) * (1 + number("noise") / 100 * normal());
    int status = word("status") ? (int)number("status") : 200;
    int size = snprintf(text, sizeof text,
                        "HTTP/1.1 %d Planted\r\nContent-Length: %zu\r\nX-Latency: %.0f\r\n\r\n%s",
                        status, strlen(body), latency, body);
    if (write(client, text, (size_t)size) != size)
        return;
    for (long i = 0; i < (long)number("log"); i++)
        putc(i % 80 == 79 ? '\n' : 'x', stderr);
    if (++answers == (long)number("die")) {
        fprintf(stderr, "serve: out of order after %ld answers\n", answers);
        for (int i = 3; i < 3 + 2 * CLIENTS; i++)
            close(i);
        pause_for(number("dying"));
        exit(3);
    }
}

/* False at the end. Requests have no body, so each ends with an empty line. */
static int serve_client(int client, const char *body)
{
    char text[ROOM + 1];
    ssize_t got = read(client, text, ROOM);
    if (got <= 0)
        return 0;
    text[got] = '\0';
    for (char *at = text; (at = strstr(at, "\r\n\r\n")); at += 4)
        answer(client, body);
    return 1;
}

static _Noreturn void serve(int end, const char *body)
{
    struct pollfd files[1 + CLIENTS] = {{.fd = end, .events = POLLIN}};
    nfds_t count = 1;
    for (;;) {
        poll(files, count, -1);
        for (nfds_t i = count; i-- > 1;)
            if (files[i].revents && !serve_client(files[i].fd, body)) {
                close(files[i].fd);
                files[i] = files[--count];
            }
        if (files[0].revents && count <= CLIENTS)
            files[count++] = (struct pollfd){.fd = accept(end, NULL, NULL), .events = POLLIN};
    }
}

int main(int argc, char **argv)
{
    static char body[ROOM] = "hello\n";
    const char *wait = argc > 0 ? (words = argv, word("wait")) : NULL, *path = word("file");
    if (word("deaf"))
        signal(SIGTERM, SIG_IGN);
    if (wait && strcmp(wait, "never") == 0) {
        fprintf(stderr, "serve: waiting for a database\n");
        for (;;)
            pause();
    }
    pause_for(number("wait"));
    if ((word("fork") || word("leave")) && fork() == 0) {
        setsid();
        if (word("leave"))
            for (;;)
                pause();
    } else if (word("fork")) {
        return 0;
    }
    FILE *file = path ? fopen(path, "r") : NULL;
    if (file) {
        body[fread(body, 1, ROOM - 1, file)] = '\0';
        fclose(file);
    }
    draw_effect();
    int end = listen_somewhere();
    tell(end);
    serve(end, body);
}
