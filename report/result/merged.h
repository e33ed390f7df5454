/* A session measured by several jobs, each on one machine: data about jobs and hosts. The values of
 * all hosts follow each other. */
#ifndef LAUKA_REPORT_RESULT_MERGED_H
#define LAUKA_REPORT_RESULT_MERGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lauka_comparison;
struct lauka_gate_row;
struct lauka_result;
struct lauka_result_stream;

struct lauka_result_host { /* a machine */
    char *os;              /* owned: "Linux" */
    char *kernel;          /* owned: "6.1.0-28-amd64" */
    char *arch;            /* owned: "x86_64" */
    char *cpu_model;       /* owned; NULL if the system does not report it */
    char *cores;           /* owned; the kinds of core and their CPUs: "P 2-3; E 0-1"; NULL: one */
    uint64_t cpu_count;    /* usable by this process */
    uint64_t memory_bytes; /* 0 if the system does not report it */
    char *governor;        /* owned: "performance"; NULL if the system does not report it */
    char *
        simulator; /* owned; what sim_ counts depend on besides the processor's model: the version of valgrind,
                            * the C library, what was set for it; NULL if there are none, or if it is not known */
};

/* 16 digits that are equal for hosts with comparable times: system, kernel, processor, CPUs, memory
 * and governor. False if the host is not known. */
enum { LAUKA_FINGERPRINT_SIZE = 17 };
bool lauka_host_fingerprint(const struct lauka_result_host *host,
                            char text[LAUKA_FINGERPRINT_SIZE]);

struct lauka_merged_job {     /* the attempt of a job that counts */
    uint64_t number, attempt; /* from 1 on */
    size_t host;              /* index of its host */
    uint64_t seed;
    char *begin, *end; /* owned; NULL: not known */
};

struct lauka_merged_host {
    char *name;                        /* owned */
    struct lauka_result_host about[1]; /* the machine, as described by its first job */
    uint64_t rounds;                   /* total of its jobs */
    int stopped; /* enum lauka_stopped: how its jobs ended; of several one that looked at values */
    /* Owned; per command and metric; NULL while single values are kept. */
    struct lauka_result_stream **streams;
    /* The findings of lauka_result_analyse, in the same form as the result's own. */
    struct lauka_comparison *comparisons; /* owned */
    struct lauka_gate_row *rows;          /* owned */
};

struct lauka_result_merged {
    char *session;                 /* owned; NULL: the result is not merged */
    uint64_t of;                   /* number of jobs, as each of them reports */
    struct lauka_merged_job *jobs; /* owned; by number */
    size_t job_count;
    struct lauka_merged_host *hosts; /* owned; by name */
    size_t host_count;
};

/* Frees what it owns. streams have this many commands and metrics. */
void lauka_merged_done(struct lauka_result_merged *merged, size_t commands, size_t metrics);

/* Whether hosts are the units: there are several. With a single host it is a session like any other. */
bool lauka_result_has_hosts(const struct lauka_result *result);

/* What one host measured, as a result that borrows from this one; it may be analysed and read until
 * lauka_merged_view_done. Returns 0, or ENOMEM with nothing to free. */
int lauka_merged_view(const struct lauka_result *result, size_t host, struct lauka_result *view);
void lauka_merged_view_done(struct lauka_result *view);

/* One host's comparison of the command in the metric; NULL before the analysis. */
const struct lauka_comparison *lauka_merged_comparison(const struct lauka_result *result,
                                                       size_t host, size_t command, size_t metric);

#endif
