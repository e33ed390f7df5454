/* What the user asked for: plain data that all of runner reads. options/ fills it in from words. */
#ifndef LAUKA_RUNNER_OPTIONS_H
#define LAUKA_RUNNER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/apple/apple.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "runner/base/arena.h"
#include "runner/base/base.h"
#include "runner/command/command.h"

struct lauka_arguments;
struct lauka_command;
struct lauka_error;

enum lauka_verb {
    LAUKA_VERB_RUN,       /* measure and compare commands */
    LAUKA_VERB_COMPARE,   /* compare stored data */
    LAUKA_VERB_NOISE,     /* measure a command against itself */
    LAUKA_VERB_WHY,       /* turned into LAUKA_VERB_RUN with `why` */
    LAUKA_VERB_SUITE,     /* measure benchmarks inside two programs */
    LAUKA_VERB_GATE,      /* judge stored results by limits */
    LAUKA_VERB_REPORT,    /* show a stored result again */
    LAUKA_VERB_MERGE,     /* combine the jobs of a session */
    LAUKA_VERB_HISTORY,   /* steps of the sessions of a project */
    LAUKA_VERB_LIST,      /* list what can be counted here */
    LAUKA_VERB_THREADS,   /* show what a live process's threads use */
    LAUKA_VERB_DOCTOR,    /* show what disturbs measurements here */
    LAUKA_VERB_KEEP,      /* keep a program to compare others with it */
    LAUKA_VERB_CI,        /* write a CI workflow for a repository */
    LAUKA_VERB_REVISIONS, /* build and compare revisions of a repository */
    LAUKA_VERB_HELP,
    LAUKA_VERB_VERSION,
};

/* The order in which commands run. */
enum lauka_order {
    LAUKA_ORDER_SHUFFLE,    /* shuffled for every round */
    LAUKA_ORDER_ABBA,       /* forwards, then backwards */
    LAUKA_ORDER_ROTATE,     /* each round begins with the next command */
    LAUKA_ORDER_SEQUENTIAL, /* all runs of one command before the next: not in rounds */
};

/* How to treat different states of the commands' files in the page cache. */
enum lauka_placing {
    LAUKA_PLACING_ALIKE, /* bring all of them there alike, as far as possible */
    LAUKA_PLACING_KEEP,
};

/* What to do with more events than counters. */
enum lauka_multiplex {
    LAUKA_MULTIPLEX_TIME,   /* they share a run's time; partial counts are scaled */
    LAUKA_MULTIPLEX_ROUNDS, /* they take turns by rounds; each count is exact in its round */
    LAUKA_MULTIPLEX_NEVER,  /* reject them */
};

/* Protocols of programs that contain benchmarks. */
enum lauka_framework {
    LAUKA_FRAMEWORK_AUTO, /* detected from the file */
    LAUKA_FRAMEWORK_LAUKA,
    LAUKA_FRAMEWORK_GBENCH,
    LAUKA_FRAMEWORK_GO,
    LAUKA_FRAMEWORK_CRITERION,
    LAUKA_FRAMEWORK_PYTEST,
    LAUKA_FRAMEWORK_JMH,
    LAUKA_FRAMEWORK_DIVAN,
};

/* How the JSON stores long series. */
enum lauka_samples {
    LAUKA_SAMPLES_PACKED,
    LAUKA_SAMPLES_PLAIN, /* as arrays of numbers, of any length */
};

/* Documents that can be written besides the table; see outputs.c. */
enum lauka_document {
    LAUKA_DOCUMENT_JSON,
    LAUKA_DOCUMENT_ANSWER,
    LAUKA_DOCUMENT_CSV,
    LAUKA_DOCUMENT_CSV_PERCENTILES,
    LAUKA_DOCUMENT_CSV_SAMPLES,
    LAUKA_DOCUMENT_MARKDOWN,
    LAUKA_DOCUMENT_ASCIIDOC,
    LAUKA_DOCUMENT_ORG,
    LAUKA_DOCUMENT_PR_COMMENT,
    LAUKA_DOCUMENT_BMF,
    LAUKA_DOCUMENT_GITHUB_BENCHMARK,
    LAUKA_DOCUMENT_GO_BENCHMARK,
    LAUKA_DOCUMENT_HTML,
    LAUKA_DOCUMENT_JUNIT,
    LAUKA_DOCUMENT_HLOG,
    LAUKA_DOCUMENT_HGRM,
    LAUKA_DOCUMENTS /* number of documents */
};

struct lauka_output { /* a requested document */
    bool wanted;
    const char *path; /* borrowed from argv; NULL or "-": stdout */
};

/* The main metric unless --primary names another. */
#define LAUKA_PRIMARY "wall_time,cpu_time"

/* Values of an option that is given once for all commands, or once per command. */
struct lauka_texts {
    const char **texts;
    size_t count;
};

struct lauka_parameter {
    const char *name;
    const char *scan[2]; /* MIN and MAX; NULL: a list */
    char **values;
    size_t count;
};

struct lauka_benchmark { /* a workload for all sides */
    char *name;          /* NULL: the session's only one, without a name */
    size_t first, count; /* its sides in options->commands; the first is the reference */
    struct lauka_parameter_value *parameters; /* the values of {NAME} in all of them */
    size_t parameter_count;
    const struct lauka_arguments *arguments; /* of its section in a file; NULL: none */
    size_t line;                             /* line of the file where its section begins */
    bool stays; /* kept even if --benchmark excludes it: it reports that others may be missing */
};

/* The default shell. */
#define LAUKA_SHELL "sh"

/* The default duration of --sampled. */
#define LAUKA_SAMPLED_NS UINT64_C(3000000000)

/* Room for the name of a machine's part in a session. */
enum { LAUKA_JOB_NAME_SIZE = 201 };

struct lauka_job {
    const char *text, *session_text, *host_text; /* as typed; NULL: not given */
    uint64_t number, of, attempt;                /* from 1 on */
    char session[LAUKA_JOB_NAME_SIZE], host[LAUKA_JOB_NAME_SIZE];
};

struct lauka_keep_options {   /* all borrowed */
    const char *name;         /* NULL: keep nothing */
    char *const *words;       /* the program and its arguments; or the whole command as one word */
    size_t word_count;        /* at least 1 if there is a name */
    struct lauka_texts withs; /* files and folders to be kept with the program */
    bool replaces;            /* a program that has the name */
    const char *drop;         /* the name to be forgotten; NULL: none */
};

/* Everything the following point to is borrowed, from the arguments or the arena. */

struct lauka_run_options { /* what to run, or which files to read instead */
    struct lauka_command *commands;
    size_t command_count;
    uint64_t layouts;               /* per command, drawn in pairs; 0: one program */
    struct lauka_command *variants; /* one command per layout, command-major */
    size_t variant_count;
    struct lauka_texts links;           /* from --link */
    struct lauka_benchmark *benchmarks; /* not empty for verbs that run commands */
    size_t benchmark_count;
    bool list_benchmarks; /* only list their names */
    bool allow_new;       /* benchmarks found only in a suite's head are no failure */
    char **files;         /* for LAUKA_VERB_COMPARE and _REPORT */
    size_t file_count;
    uint64_t missing_allowed; /* for LAUKA_VERB_MERGE: the most missing jobs */
    const char *column;       /* of CSV files; NULL: not CSV */
    size_t vs;                /* number of files before --vs, all logs of one side; or 0 */
    bool accept_all_failures;
    bool accept_exit_code[256]; /* 0 is always accepted; others by -i=CODES */
    uint64_t max_failures;      /* runs that may fail before the session ends */
    bool keep_orphans;          /* do not end what commands leave behind */
    const char *shell;          /* NULL: run commands without a shell */
    const char *reference;      /* an extra command before the others; NULL: the first of them */
    const char *reference_name;
    struct lauka_texts names;     /* from -n */
    struct lauka_texts chosen;    /* from --benchmark: names or globs */
    enum lauka_framework adapter; /* if is_suite */
    struct lauka_texts revisions; /* for LAUKA_VERB_REVISIONS */
    const char *suite;            /* from --suite: the revisions' program; NULL: none */
    bool is_suite;                /* LAUKA_VERB_SUITE or --suite: benchmarks are inside programs */
    const char *store;            /* the folder of kept programs; NULL: the user's */
    struct lauka_keep_options keep; /* for LAUKA_VERB_KEEP */
    const char *build;              /* builds a revision's program; NULL: nothing to build */
    struct lauka_texts workloads;   /* from --workload */
    uint64_t jobs;                  /* parallel builds */
    bool skip_broken, clean;
    const char *first_slower; /* where the hash goes; "": nowhere; NULL: it is not searched */
    bool allow_filters;       /* allow filters that only the repository's settings name */
    struct lauka_texts hooks[LAUKA_HOOKS];
    struct lauka_parameter *parameters;
    size_t parameter_count;
    const char *scan_step;          /* from -D; NULL: 1 */
    struct lauka_texts outputs_to;  /* from --output */
    struct lauka_texts inputs_from; /* from --input */
    const char
        *same_output; /* a filter in a shell, or "": compare what commands write; NULL: not */
    struct lauka_texts compared_files; /* from --output-file */
    struct lauka_job job;              /* this job of a session on several machines; of 0: none */
    const char *history;               /* folder of the history; NULL: none was named */
    const char *since;                 /* for LAUKA_VERB_HISTORY; NULL: all steps count */
    bool confirm;                      /* for LAUKA_VERB_HISTORY */
    const char *backfill;              /* the same: "A..B"; NULL: none */
    uint64_t every;                    /* the same: which of these commits */
    char **vector;                     /* the same: the command to backfill with; NULL: none */
    size_t vector_count;
    bool selftest;                       /* for LAUKA_VERB_DOCTOR */
    const struct lauka_apple_chip *chip; /* for LAUKA_VERB_LIST; NULL: this machine */
    const char *pattern;                 /* for LAUKA_VERB_LIST; NULL: everything */
    bool ci_gitlab, ci_print, ci_force;  /* for LAUKA_VERB_CI */
    uint64_t pid;                        /* for LAUKA_VERB_THREADS */
    uint64_t interval_ns; /* for LAUKA_VERB_THREADS; 0: one reading for the whole time */
};

struct lauka_measure_options { /* how often, on which CPUs, and what is counted */
    uint64_t budget_ns;        /* for all benchmarks in total; 0: none */
    uint64_t warmup;           /* rounds */
    uint64_t rounds;           /* 0: until the time budget ends */
    uint64_t min_rounds; /* before this number only a failure ends the run; 0, while options are
                           * read: not given */
    bool min_rounds_given;
    uint64_t max_rounds;  /* 0: no limit */
    bool has_max_time;    /* a time budget was given */
    uint64_t max_time_ns; /* per command */
    uint64_t min_time_ns; /* per command; precision cannot end the run earlier */
    double until;         /* relative half-width that is precise enough; 0: use the whole budget */
    bool no_samples;      /* keep no single values, for constant memory */
    uint64_t seed;
    enum lauka_order order;
    bool quiet_machine;  /* reduce disturbance as far as possible */
    char quiet_pin[200]; /* the value of `pin` in this case, unless given */
    bool require_quiet;  /* fail on a machine that is not quiet */
    bool fixed_layout;   /* use the same addresses in every run */
    enum lauka_placing placing;
    bool tree_memory; /* measure the total memory of a run's processes */
    bool pretended;   /* nothing runs: see lauka_pretended */
    enum lauka_scenario scenario;
    const char *event_texts[LAUKA_EVENTS_MAX]; /* from --events, as typed */
    size_t event_text_count;
    struct lauka_event_list events; /* from --events; empty if there is a chip */
    const char *event_table;        /* file or folder of vendors' names; NULL: not given */
    uint64_t period_ns;             /* of sampling: see LAUKA_PERIOD_WHEN_NEEDED */
    uint64_t delay_ns;              /* counting begins this long after a run's start */
    bool events_given;              /* otherwise the default ones */
    bool without_caches;            /* with valgrind: it counts instructions only, */
    bool allocations;               /* and calls of functions that allocate: -e sim_allocations */
    bool valgrind;            /* add simulated counts; then count no events unless requested */
    bool why;                 /* show which functions make the difference */
    bool sampled_given;       /* --sampled has a duration: */
    uint64_t sampled_ns;      /* time to sample each command after the rounds; 0: no sampling */
    bool lacks_valgrind;      /* why: it is not installed, so use samples */
    bool require_counters;    /* fail instead of omitting events */
    const char *require_core; /* "P", "E" ...; NULL: any */
    const char *pin;          /* a list of CPUs, or "P", "E" ...; NULL: any */
    enum lauka_multiplex multiplex;
};

/* How lauka learns that a started program is ready. */
enum lauka_ready_way {
    LAUKA_READY_NOT_ASKED,
    LAUKA_READY_TEXT, /* it writes this text to stdout or stderr */
    LAUKA_READY_TCP,  /* a connection to this port of the loopback is accepted */
    LAUKA_READY_UNIX, /* the same for a socket of the file system */
    LAUKA_READY_FD,   /* it writes a byte to the descriptor LAUKA_READY_FD */
};

struct lauka_ready {
    enum lauka_ready_way way;
    const char *text; /* the text, or the socket's path */
    uint16_t port;
};

/* The metric of --ready, instead of the wall time of runs. */
#define LAUKA_TIME_TO_READY "time_to_ready"

/* Further metrics of services under load. */
#define LAUKA_SERVICE_CPU_TIME "service_cpu_time"
#define LAUKA_SERVICE_PEAK_RSS "service_peak_rss"
#define LAUKA_LOAD_ERRORS "errors"

/* How long lauka waits for a program to become ready, unless --timeout says otherwise. */
#define LAUKA_READY_NS UINT64_C(60000000000)

struct lauka_service_options { /* programs that run until they are ended; see runner/service/ */
    const char *ready_text;    /* from --ready, as typed */
    struct lauka_ready ready;
    struct lauka_texts services;  /* from --service: NAME:COMMAND */
    const char *load_kind, *load; /* from --load; NULL: not given */
    const char *closed_loop;      /* the load's program, if it waits for answers; NULL: not known */
    uint64_t warmup_ns;           /* a load that is discarded; 0: none */
    uint64_t keep;                /* loads per start of a service */
};

struct lauka_judge_options {       /* what the answer is about, and limits */
    const char *primary;           /* names, separated by commas */
    bool primary_follows;          /* from --ready or --service: --metrics may choose another */
    bool unpaired;                 /* stored data: each value is an independent observation */
    bool paired;                   /* values with the same index in two files belong together */
    struct lauka_result_gate gate; /* the requested gate */
    bool policy_given;             /* --inconclusive was given */
    bool bisect;                   /* use exit codes for git bisect run */
};

struct lauka_write_options { /* what is shown, and written where */
    /* The command whose percentiles --hgrm writes, from 1; 0: not given, so the first. */
    uint64_t hgrm_command;
    const char *comment_id;  /* identifies the comment of --pr-comment; NULL: not given */
    const char *config_path; /* file of options in effect; NULL: none */
    const char *metrics;     /* a preset, or NAME[:UNIT] separated by commas; NULL: default */
    const char *time_unit;   /* NULL: automatic */
    bool answers_all;        /* --answer has all primary metrics */
    const char *commit_url;  /* for LAUKA_VERB_HISTORY; NULL: no links */
    bool sorted;             /* sort commands after the reference by mean wall time */
    bool no_table;           /* write only documents to stdout */
    bool no_progress;
    enum lauka_samples samples;
    enum lauka_color_choice color;
    const char *full; /* glob of the benchmarks to show in full; "": all; NULL: none */
    bool plot;        /* show pictures after the table */
    bool percentiles; /* show percentiles after the table */
    struct lauka_output outputs[LAUKA_DOCUMENTS];
    struct lauka_texts labels; /* from --label: KEY=VALUE, with unique keys */
    bool github;               /* write annotations to stdout, and the step summary */
    bool per_core_type;        /* the table has counts per kind of core */
};

struct lauka_event_tables;

struct lauka_options {
    struct lauka_arena *arena;
    enum lauka_verb verb;
    const struct lauka_arguments *arguments; /* their source */
    const char *help_form;                   /* for --help=FORM, --version=FORM; NULL: text */
    const char *help_topic;                  /* for LAUKA_VERB_HELP; NULL: none */
    bool short_help;                         /* for LAUKA_VERB_HELP: only one screen */
    bool quiet;                              /* no progress and no hints */
    struct lauka_event_tables *tables;       /* of the arena; NULL: not read yet */
    char hint[300]; /* a correction that the user may have meant; "": none */
    struct lauka_run_options run;
    struct lauka_measure_options measure;
    struct lauka_service_options service;
    struct lauka_judge_options judge;
    struct lauka_write_options write;
};

#endif
