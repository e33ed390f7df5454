/* request PORT-FILE [WORD=VALUE...]: asks serve for its file, one request after the other, and writes what wrk would:
 * percentiles of the latencies that serve tells.
 *
 *     count=N         requests (100)
 *     errors=N        claims that many errors
 *     mute            writes nothing
 *     format=hdr      percentiles as HdrHistogram prints them, in us */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 100000 };

static char **words;

static const char *word(const char *name)
{
    for (char **at = words; *at; at++)
        if (strncmp(*at, name, strlen(name)) == 0)
            return *at + strlen(name) + ((*at)[strlen(name)] == '=');
    return NULL;
}

static int connect_to(const char *path)
{
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int port = 0, end = socket(AF_INET, SOCK_STREAM, 0);
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%d", &port) != 1)
        exit(2);
    fclose(file);
    in.sin_port = htons((unsigned short)port);
    if (connect(end, (struct sockaddr *)&in, sizeof in) != 0) {
        perror("request: connect");
        exit(1);
    }
    return end;
}

/* In ns, as the server tells; negative: it has failed. */
static double ask(int end, long *bad)
{
    static const char request[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    char text[20000];
    if (write(end, request, sizeof request - 1) != sizeof request - 1)
        return -1;
    ssize_t got = read(end, text, sizeof text - 1);
    if (got <= 0)
        return -1;
    text[got] = '\0';
    const char *latency = strstr(text, "X-Latency: ");
    *bad += strncmp(text, "HTTP/1.1 200", 12) != 0;
    return latency ? strtod(latency + 11, NULL) : -1;
}

static int ascending(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void print_wrk(const double *sorted, long count, long bad, long lost)
{
    static const int percentiles[] = {50, 75, 90, 99};
    printf("  Latency Distribution\n");
    for (size_t i = 0; i < 4 && count > 0; i++)
        printf("     %d%%  %.2fus\n", percentiles[i],
               sorted[(count - 1) * percentiles[i] / 100] / 1000);
    printf("  %ld requests in 1.00s, 1.00MB read\n", count);
    if (lost > 0)
        printf("  Socket errors: connect 0, read %ld, write 0, timeout 0\n", lost);
    if (bad > 0)
        printf("  Non-2xx or 3xx responses: %ld\n", bad);
    printf("Requests/sec: %ld.00\nTransfer/sec: 1.00MB\n", count);
}

/* Lines at quarters of what is left, as with one tick per half distance; the last one is always at 1. */
static void print_hdr(const double *sorted, long count)
{
    printf("       Value     Percentile TotalCount 1/(1-Percentile)\n\n");
    for (double left = 1; left * (double)count > 1; left /= 2)
        printf("%12.3f %14.12f %10ld %14.2f\n", sorted[(long)((1 - left) * (double)count)] / 1000,
               1 - left, (long)((1 - left) * (double)count), 1 / left);
    printf("%12.3f %14.12f %10ld\n#[Mean = 1, StdDeviation = 1]\n", sorted[count - 1] / 1000, 1.0,
           count);
}

int main(int argc, char **argv)
{
    static double latencies[MOST];
    if (argc < 2)
        return 2;
    words = argv + 1;
    int end = connect_to(argv[1]);
    long count = word("count") ? atol(word("count")) : 100, done = 0, bad = 0, lost = 0;
    for (; done < count && done < MOST; done++)
        if ((latencies[done] = ask(end, &bad)) < 0) {
            lost = 1;
            break;
        }
    qsort(latencies, (size_t)done, sizeof *latencies, ascending);
    if (word("errors"))
        bad = atol(word("errors"));
    if (word("mute"))
        return 0;
    if (word("format"))
        print_hdr(latencies, done);
    else
        print_wrk(latencies, done, bad, lost);
    return 0;
}
