/* What signals do to the launcher on Linux, and to a command's process before its program begins. */
#ifndef LAUKA_RUNNER_LAUNCH_LINUX_SIGNALS_H
#define LAUKA_RUNNER_LAUNCH_LINUX_SIGNALS_H

/* From here on, no signal ends or stops the calling process, except those that always do, and faults of its own. What
 * was ignored stays ignored. Programs that it executes find the handlers and the mask that it has now. */
void lauka_signals_withstand(void);

/* To be called in a child just before it executes a program: the mask as it was then, and whether SIGCHLD was ignored.
 * Mostly all is as it was, and that costs nothing. */
void lauka_signals_hand_over(void);

#endif
