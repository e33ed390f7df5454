/* A loop over a million values takes as long as its longest chain of instructions. The rest of the program
 * keeps its checks for undefined behaviour; here they would make a report of a million rounds a third
 * longer (3.2 s of CPU time instead of 2.4 s), so these loops go without. Under the address sanitizer,
 * where speed does not matter, tests run them with the checks. */
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
