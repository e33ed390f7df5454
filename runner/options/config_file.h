/* A file of options, for those who make a command line of it. */
#ifndef LAUKA_RUNNER_OPTIONS_CONFIG_FILE_H
#define LAUKA_RUNNER_OPTIONS_CONFIG_FILE_H

#include "runner/base/base.h"
#include "runner/options/options.h"

/* This very pointer: the path of a file that nobody named. */
extern const char lauka_config_implicit[];

/* The file at config->path: its words, where they stand, and its sections. Fails with LAUKA_EXIT_USAGE. To be
 * followed by lauka_config_done in either case. */
bool config_file_read(struct lauka_config *config, struct lauka_error *error);

/* ---- trust.c ------------------------------------------------------------------------------------ */

/* Adds the option's name to a list of such. */
void config_leave_out(const struct option_row *row, char *list, size_t size);

/* Always false: such a file holds what it may not under `tool`. */
bool config_refuse(const char *tool, const char *list, const struct lauka_arguments *typed,
                   struct lauka_error *error);

#endif
