/* sampler on macOS: sampling there (kperf) needs root, and names no functions of other processes. */
#include "pmu/samples/samples.h"

#include <errno.h>
#include <stdio.h>

int lauka_sampler_open(const struct lauka_event_lender *lender, struct lauka_sampler **sampler)
{
    (void)lender;
    *sampler = NULL;
    return ENOTSUP;
}

struct lauka_sampler_setting lauka_sampler_setting(const struct lauka_sampler *sampler)
{
    (void)sampler;
    return (struct lauka_sampler_setting){"", 0, false};
}

int lauka_sampler_take(struct lauka_sampler *sampler)
{
    (void)sampler;
    return 0;
}

const void *lauka_sampler_taken(const struct lauka_sampler *sampler, size_t *size)
{
    (void)sampler;
    *size = 0;
    return NULL;
}

void lauka_sampler_forget(struct lauka_sampler *sampler)
{
    (void)sampler;
}

void lauka_sampler_close(struct lauka_sampler *sampler)
{
    (void)sampler;
}

void lauka_sampler_explain(int error, char *text, size_t size)
{
    (void)error;
    snprintf(text, size,
             "lauka samples on Linux only: on macOS, compare profiles of Instruments or sample(1)");
}

const void *lauka_sampler_read_file(const char *path, size_t *size)
{
    (void)path;
    *size = 0;
    return NULL;
}

bool lauka_sampler_find_file(const struct lauka_sampled_object *object, char *place, size_t size)
{
    (void)object, (void)place, (void)size;
    return true;
}

void lauka_sampler_give_back(const void *bytes, size_t size)
{
    (void)bytes;
    (void)size;
}
