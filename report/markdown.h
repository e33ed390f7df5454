/* Text of others in Markdown. */
#ifndef LAUKA_REPORT_MARKDOWN_H
#define LAUKA_REPORT_MARKDOWN_H

#include "report/report.h"

/* A command as code. Within a table a bar is escaped; elsewhere it must not be. Owned by the caller;
 * NULL without memory. */
char *lauka_markdown_code(const char *label, bool in_table);

/* Prose that may quote others: marks lose their meaning, names call nobody. */
void lauka_markdown_prose(const char *text, FILE *out);

/* markdown_gate.c: the gate's verdict as a heading, and a table of its limits. */
void lauka_markdown_gate(const struct lauka_result *result, FILE *out);

#endif
