/* A machine that something was measured on. */
#include "report/result/host.h"
#include "report/result/record.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <stdio.h>

static const struct lauka_field host_fields[] = {
    {LAUKA_FIELD(TEXT, lauka_result_host, os), LAUKA_NULLABLE},
    {LAUKA_FIELD(TEXT, lauka_result_host, kernel), LAUKA_NULLABLE},
    {LAUKA_FIELD(TEXT, lauka_result_host, arch), LAUKA_NULLABLE},
    {LAUKA_FIELD(TEXT, lauka_result_host, cpu_model), LAUKA_NULLABLE},
    {LAUKA_FIELD(TEXT, lauka_result_host, cores), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(INTEGER, lauka_result_host, cpu_count), LAUKA_NULLABLE},
    {LAUKA_FIELD(INTEGER, lauka_result_host, memory_bytes), LAUKA_NULLABLE},
    {LAUKA_FIELD(TEXT, lauka_result_host, governor), LAUKA_NULLABLE, LAUKA_LATE},
    {.key = "fingerprint",
     .kind = LAUKA_FIELD_COMPUTED,
     .computed = LAUKA_COMPUTED_FINGERPRINT,
     LAUKA_LATE},
};
const struct lauka_record_table lauka_host_record = {LAUKA_RECORD(lauka_result_host, host_fields)};

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
