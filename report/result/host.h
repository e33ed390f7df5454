/* A machine that something was measured on. */
#ifndef LAUKA_REPORT_RESULT_HOST_H
#define LAUKA_REPORT_RESULT_HOST_H

#include <stdbool.h>
#include <stdint.h>

struct lauka_result_host {
    char *os;              /* owned: "Linux" */
    char *kernel;          /* owned: "6.1.0-28-amd64" */
    char *arch;            /* owned: "x86_64" */
    char *cpu_model;       /* owned; NULL where the system does not say */
    char *cores;           /* owned; the kinds of core and their CPUs: "P 2-3; E 0-1"; NULL: one */
    uint64_t cpu_count;    /* that this process may use */
    uint64_t memory_bytes; /* 0 where the system does not say */
    char *governor;        /* owned: "performance"; NULL where the system does not say */
};

/* 16 digits that are equal for hosts whose times may be compared: system, kernel, processor, CPUs, memory
 * and governor. False if the host is not known. */
enum { LAUKA_FINGERPRINT_SIZE = 17 };
bool lauka_host_fingerprint(const struct lauka_result_host *host,
                            char text[LAUKA_FINGERPRINT_SIZE]);

#endif
