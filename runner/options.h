/* What was asked for: plain data that every part of the runner reads. options/ makes it from words. */
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

/* ---- options.c: one table of options -> struct lauka_options and the usage text ------------------- */

enum lauka_verb {
    LAUKA_VERB_RUN,       /* measure and compare commands */
    LAUKA_VERB_COMPARE,   /* compare stored data */
    LAUKA_VERB_NOISE,     /* a command against itself */
    LAUKA_VERB_WHY,       /* becomes LAUKA_VERB_RUN with `why` */
    LAUKA_VERB_SUITE,     /* benchmarks inside two programs */
    LAUKA_VERB_GATE,      /* hold stored results to limits */
    LAUKA_VERB_REPORT,    /* a stored result once more */
    LAUKA_VERB_MERGE,     /* the jobs of a session as one */
    LAUKA_VERB_LIST,      /* what can be counted here */
    LAUKA_VERB_THREADS,   /* what a live process's threads use */
    LAUKA_VERB_DOCTOR,    /* what disturbs here */
    LAUKA_VERB_REVISIONS, /* revisions of a repository, each built, as sides */
    LAUKA_VERB_HELP,
    LAUKA_VERB_VERSION,
};

/* In which order commands run. */
enum lauka_order {
    LAUKA_ORDER_SHUFFLE,    /* in every round anew */
    LAUKA_ORDER_ABBA,       /* there and back */
    LAUKA_ORDER_ROTATE,     /* every round begins with the next command */
    LAUKA_ORDER_SEQUENTIAL, /* all runs of the first, then all of the second: not a matter of rounds */
};

/* How differences in the commands' files in the page cache are handled. */
enum lauka_placing {
    LAUKA_PLACING_ALIKE, /* they are brought there alike, as far as possible */
    LAUKA_PLACING_KEEP,
};

/* What to do if more events are asked for than fit onto the counters. */
enum lauka_multiplex {
    LAUKA_MULTIPLEX_TIME,   /* they share the time of a run; what is counted in a part is scaled */
    LAUKA_MULTIPLEX_ROUNDS, /* they take turns by rounds; each count is exact in its round */
    LAUKA_MULTIPLEX_NEVER,  /* it is an error */
};

/* The protocols of programs that contain benchmarks. */
enum lauka_framework {
    LAUKA_FRAMEWORK_AUTO, /* as is found in the file */
    LAUKA_FRAMEWORK_LAUKA,
    LAUKA_FRAMEWORK_GBENCH,
    LAUKA_FRAMEWORK_GO,
    LAUKA_FRAMEWORK_CRITERION,
    LAUKA_FRAMEWORK_PYTEST,
};

/* How the JSON stores series of many runs. */
enum lauka_samples {
    LAUKA_SAMPLES_PACKED,
    LAUKA_SAMPLES_PLAIN, /* as arrays of numbers, however long */
};

/* What can be written besides the table; outputs.c knows how. */
enum lauka_document {
    LAUKA_DOCUMENT_JSON,
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
    LAUKA_DOCUMENTS /* how many there are */
};

struct lauka_output { /* one requested document */
    bool wanted;
    const char *path; /* borrowed from argv; NULL or "-" is stdout */
};

/* The metric that the answer is about unless --primary names one. */
#define LAUKA_PRIMARY "wall_time,cpu_time"

/* Values of an option that may be given once for all commands, or once for each. */
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

struct lauka_benchmark { /* a workload that all sides run */
    char *name;          /* NULL: the session has one that nobody named */
    size_t first, count; /* of options->commands: its sides; the first one is the reference */
    struct lauka_parameter_value *parameters; /* what {NAME} stands for in all of them */
    size_t parameter_count;
    const struct lauka_arguments *arguments; /* of its section of a file; NULL: there is none */
    size_t line;                             /* of the file, from which on that section says them */
    bool stays; /* even if --benchmark does not choose it: it says that others may be missing */
};

/* The default shell. */
#define LAUKA_SHELL "sh"

/* The default duration of --sampled. */
#define LAUKA_SAMPLED_NS UINT64_C(3000000000)

/* Room for a name by which each machine's part in a session is known. */
enum { LAUKA_JOB_NAME_SIZE = 201 };

struct lauka_job {
    const char *text, *session_text, *host_text; /* as they were given; NULL: not given */
    uint64_t number, of, attempt;                /* from 1 on */
    char session[LAUKA_JOB_NAME_SIZE], host[LAUKA_JOB_NAME_SIZE];
};

/* All that it points to is borrowed: from the arguments, or from the arena. */
struct lauka_options {
    struct lauka_arena *arena;
    enum lauka_verb verb;
    const struct lauka_arguments *arguments; /* what they were made of */
    const char *help_form;                   /* of --help=FORM, --version=FORM; NULL: the text */
    const char *help_topic;                  /* of LAUKA_VERB_HELP; NULL: none */
    bool short_help;                         /* of LAUKA_VERB_HELP: one screen only */
    struct lauka_command *commands;
    size_t command_count;
    uint64_t layouts;               /* of each command, drawn in pairs; 0: it is one program */
    struct lauka_command *variants; /* of each command one a layout, command-major */
    size_t variant_count;
    struct lauka_texts links;           /* of --link */
    struct lauka_benchmark *benchmarks; /* at least one for verbs that run commands */
    size_t benchmark_count;
    uint64_t budget_ns;   /* for all benchmarks together; 0: none */
    bool list_benchmarks; /* tell their names, and run nothing */
    bool allow_new;       /* benchmarks that only the head of a suite has are no failure */
    uint64_t warmup;      /* rounds */
    uint64_t rounds;      /* 0: until the time budget ends */
    uint64_t min_rounds;  /* before anything but a failure may end the run; 0, while options are
                           * read: not given */
    bool min_rounds_given;
    uint64_t max_rounds;  /* 0: no such limit */
    bool has_max_time;    /* the time budget was given */
    uint64_t max_time_ns; /* per command */
    uint64_t min_time_ns; /* per command, before precision may end the run */
    double until;         /* relative half-width that is precise enough; 0: use the budget up */
    const char *primary;  /* names with commas between them */
    /* The command whose percentiles --hgrm writes, from 1; 0: not given, which means the first. */
    uint64_t hgrm_command;
    const char *comment_id;  /* what --pr-comment is known by; NULL: not given */
    const char *config_path; /* the file of options that takes effect; NULL: none does */
    const char *metrics;     /* a preset, or NAME[:UNIT] with commas between; NULL: default */
    const char *time_unit;   /* NULL: what suits */
    bool sorted;             /* commands after the reference are shown by their mean wall time */
    bool no_table;           /* nothing on stdout but documents */
    bool no_progress;
    enum lauka_samples samples;
    bool no_samples; /* keep no single values, so that memory stays constant */
    char **files;    /* of LAUKA_VERB_COMPARE and _REPORT */
    size_t file_count;
    uint64_t missing_allowed; /* of LAUKA_VERB_MERGE: so many jobs */
    const char *column;       /* of CSV files to compare; NULL: they are not CSV */
    bool unpaired;            /* of stored data: every value is an observation of its own */
    bool paired;              /* the n-th values of two files belong together */
    size_t vs; /* of the files, those before --vs, which are logs of one side; or 0 */
    uint64_t seed;
    enum lauka_order order;
    bool accept_all_failures;
    bool accept_exit_code[256]; /* 0 always; others by -i=CODES */
    uint64_t max_failures;      /* runs that may fail before the session ends */
    bool keep_orphans;          /* what commands leave behind lives on */
    bool quiet_machine;         /* do what lauka may against disturbance */
    char quiet_pin[200];        /* what `pin` then is, unless it is given */
    bool require_quiet;         /* fail where the machine is not */
    bool fixed_layout;          /* the same addresses in every run */
    enum lauka_placing placing;
    bool tree_memory;      /* measure the memory of all processes of a run together */
    const char *shell;     /* NULL: commands run without a shell */
    const char *reference; /* a command before the others; NULL: the first of them */
    const char *reference_name;
    struct lauka_texts names;     /* of -n */
    struct lauka_texts chosen;    /* of --benchmark: names or globs */
    enum lauka_framework adapter; /* where is_suite */
    struct lauka_texts revisions; /* of LAUKA_VERB_REVISIONS */
    const char *suite;            /* of --suite: the revisions' program; NULL: none */
    bool is_suite;                /* benchmarks are inside programs: LAUKA_VERB_SUITE, or --suite */
    const char *build;            /* what makes a revision's program; NULL: nothing */
    struct lauka_texts workloads; /* of --workload */
    uint64_t jobs;                /* builds at once */
    bool skip_broken, first_slower, clean;
    bool allow_filters; /* those that only the repository's settings name */
    struct lauka_texts hooks[LAUKA_HOOKS];
    struct lauka_parameter *parameters;
    size_t parameter_count;
    const char *scan_step;          /* of -D; NULL: 1 */
    struct lauka_texts outputs_to;  /* of --output */
    struct lauka_texts inputs_from; /* of --input */
    enum lauka_color_choice color;
    bool pretended; /* nothing is run: see lauka_pretended */
    enum lauka_scenario scenario;
    bool quiet;       /* no progress, no hints */
    const char *full; /* of many benchmarks, a glob of those that are told in full; "": all of
                       * them; NULL: none */
    bool plot;        /* pictures follow the table */
    bool percentiles; /* the table of percentiles follows the other */
    char hint[300];   /* what was perhaps meant instead; "": nothing else */
    struct lauka_output outputs[LAUKA_DOCUMENTS];
    struct lauka_result_gate gate; /* what was asked for of it */
    bool policy_given;             /* --inconclusive */
    struct lauka_texts labels;     /* of --label: KEY=VALUE, each key once */
    struct lauka_job job;          /* of a session of several machines; of: 0: of none */
    bool github;                   /* annotations on stdout, and the summary of the step */
    bool bisect;                   /* exit codes are those that git bisect run takes */
    const char *event_texts[LAUKA_COUNTERS_MAX]; /* of --events, as they were given */
    size_t event_text_count;
    struct lauka_event_list events;      /* of --events; empty where there is a chip */
    bool selftest;                       /* of LAUKA_VERB_DOCTOR */
    uint64_t period_ns;                  /* of samples: see LAUKA_PERIOD_WHEN_NEEDED */
    const struct lauka_apple_chip *chip; /* of LAUKA_VERB_LIST; NULL: this machine */
    bool events_given;                   /* otherwise the default ones */
    bool valgrind;            /* simulated counts, too; then no events unless asked for */
    bool why;                 /* tell which functions make the difference */
    bool sampled_given;       /* --sampled says how long: */
    uint64_t sampled_ns;      /* so long each command is sampled, behind the rounds; 0: it is not */
    bool lacks_valgrind;      /* why: it is not installed, so samples have to do */
    bool require_counters;    /* fail rather than leave events out */
    bool per_core_type;       /* the table shows what was counted on each kind of core */
    const char *require_core; /* "P", "E" ...; NULL: any */
    const char *pin;          /* a list of CPUs, or "P", "E" ...; NULL: any */
    enum lauka_multiplex multiplex;
    const char *pattern;  /* of LAUKA_VERB_LIST; NULL: everything */
    uint64_t pid;         /* of LAUKA_VERB_THREADS */
    uint64_t interval_ns; /* of LAUKA_VERB_THREADS; 0: one read, of all the time */
};

#endif
