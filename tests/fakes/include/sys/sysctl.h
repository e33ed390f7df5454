/* sys/sysctl.h, of macOS: as much of it as is used. In place of it on the simulated Mac. */
#ifndef LAUKA_TESTS_FAKES_SYS_SYSCTL_H
#define LAUKA_TESTS_FAKES_SYS_SYSCTL_H

#include <stddef.h>

int sysctlbyname(const char *name, void *old, size_t *old_size, void *new_value, size_t new_size);

#endif
