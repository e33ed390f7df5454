/* A file of options, for the code that makes a command line of it. */
#ifndef LAUKA_RUNNER_OPTIONS_CONFIG_FILE_H
#define LAUKA_RUNNER_OPTIONS_CONFIG_FILE_H

#include "runner/base/base.h"
#include "runner/options/options.h"

/* This very pointer is the path of a file that nobody named. */
extern const char lauka_config_implicit[];

/* Reads the file at config->path: its words, their places, and its sections. Fails with LAUKA_EXIT_USAGE.
 * Call lauka_config_done in either case. */
bool config_file_read(struct lauka_config *config, struct lauka_error *error);

#endif
