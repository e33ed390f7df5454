/* Loops over a million values take as long as their longest chain of instructions. The program keeps the checks of
 * undefined behaviour elsewhere; here they would make a report of a million rounds a third longer (3.2 s of CPU time
 * in place of 2.4 s), so these loops go without. Under the address sanitizer, where speed does not matter, the tests run
 * them with the checks. */
#ifndef LAUKA_STATS_LOOPS_H
#define LAUKA_STATS_LOOPS_H

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define LAUKA_UNCHECKED
#endif
#endif

#ifndef LAUKA_UNCHECKED
#define LAUKA_UNCHECKED __attribute__((no_sanitize("undefined")))
#endif

#endif
