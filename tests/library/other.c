/* The same headers in another file of the same program. */
#include "lauka_counts.h"
#include "lauka_micro.h"

#if defined(__cplusplus)
double of_another_file(struct lauka_hdr *histogram);
#else
extern double of_another_file(struct lauka_hdr *histogram);
#endif

double of_another_file(struct lauka_hdr *histogram)
{
    return lauka_hdr_mean(histogram);
}
