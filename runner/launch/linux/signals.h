/* What signals do to the launcher on Linux, and to a command's process before its program begins. */
#ifndef LAUKA_RUNNER_LAUNCH_LINUX_SIGNALS_H
#define LAUKA_RUNNER_LAUNCH_LINUX_SIGNALS_H

#endif
