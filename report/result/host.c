/* A machine that something was measured on. */
#include "report/result/result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int copy_text(const char *from, char **to)
{
    *to = from ? strdup(from) : NULL;
    return from && !*to ? ENOMEM : 0;
}

int lauka_host_copy(const struct lauka_result_host *from, struct lauka_result_host *to)
{
    *to = *from;
    int failure = copy_text(from->os, &to->os);
    failure |= copy_text(from->kernel, &to->kernel);
    failure |= copy_text(from->arch, &to->arch);
    failure |= copy_text(from->cpu_model, &to->cpu_model);
    failure |= copy_text(from->cores, &to->cores);
    return failure | copy_text(from->governor, &to->governor);
}

void lauka_host_done(struct lauka_result_host *host)
{
    free(host->os);
    free(host->kernel);
    free(host->arch);
    free(host->cpu_model);
    free(host->cores);
    free(host->governor);
}
