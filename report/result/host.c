/* A machine that something was measured on. */
#include "report/result/result.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int lauka_host_copy(const struct lauka_result_host *from, struct lauka_result_host *to)
{
    *to = *from;
    int failure = lauka_text_copy(from->os, &to->os);
    failure |= lauka_text_copy(from->kernel, &to->kernel);
    failure |= lauka_text_copy(from->arch, &to->arch);
    failure |= lauka_text_copy(from->cpu_model, &to->cpu_model);
    failure |= lauka_text_copy(from->cores, &to->cores);
    return failure | lauka_text_copy(from->governor, &to->governor);
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

bool lauka_host_fingerprint(const struct lauka_result_host *host, char text[LAUKA_FINGERPRINT_SIZE])
{
    const char *const texts[] = {host->os, host->kernel, host->arch, host->cpu_model,
                                 host->governor};
    uint64_t hash = LAUKA_HASH;
    char numbers[64];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        hash = lauka_hash_text(hash, texts[i] ? texts[i] : "");
    int length = snprintf(numbers, sizeof numbers, "%" PRIu64 " %" PRIu64, host->cpu_count,
                          host->memory_bytes);
    snprintf(text, LAUKA_FINGERPRINT_SIZE, "%016" PRIx64,
             lauka_hash(hash, numbers, (size_t)length));
    return host->os != NULL;
}
