/* Loops over a million values take as long as their longest chain of instructions. With the checks of undefined
 * behaviour that the program keeps elsewhere, they take twice as long; so these go without. The tests still
 * run them under the address sanitizer. */
#ifndef LAUKA_STATS_LOOPS_H
#define LAUKA_STATS_LOOPS_H

#define LAUKA_UNCHECKED __attribute__((no_sanitize("undefined")))

#endif
