/* A result as JSON. Writers return 0, ENOMEM or an errno of the output. */
#ifndef LAUKA_REPORT_JSON_JSON_H
#define LAUKA_REPORT_JSON_JSON_H

#include <stdio.h>

#include "report/result/threads.h"

/* ---- threads.c: what the threads of a live process use, as one line of JSON. ----------------- */

/* One line. Returns 0, ENOMEM or an errno of the output. */
int lauka_write_threads_json(const struct lauka_thread_report *report, FILE *out);

#endif
