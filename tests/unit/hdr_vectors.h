/* Reads the cases of tests/vectors/hdr, for the test programs that check against them. */
#ifndef LAUKA_TESTS_HDR_VECTORS_H
#define LAUKA_TESTS_HDR_VECTORS_H

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "stats/histogram.h"
#include "stats/stats.h"

static const char *hdr_vectors = "tests/vectors/hdr";

/* Owned by the caller; ends the test program if the file is missing. */
static inline char *vector_text(const char *name, const char *ending)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s%s", hdr_vectors, name, ending);
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = calloc(1, (size_t)size + 1);
    if (!text || fread(text, 1, (size_t)size, file) != (size_t)size)
        exit(1);
    fclose(file);
    return text;
}

static inline cJSON *vector_json(const char *name)
{
    char *text = vector_text(name, ".json");
    cJSON *json = cJSON_Parse(text);
    free(text);
    if (!json) {
        printf("%s.json is not JSON\n", name);
        exit(1);
    }
    return json;
}

static inline const char *vector_string(const cJSON *json, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
    return item && item->valuestring ? item->valuestring : "";
}

/* Whole numbers are stored as strings if doubles would round them. */
static inline uint64_t vector_uint(const cJSON *json, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
    if (!item)
        return 0;
    return item->valuestring ? strtoull(item->valuestring, NULL, 10) : (uint64_t)item->valuedouble;
}

/* The case's histogram with its values recorded, and the moments of the values that had a bucket. */
static inline struct lauka_histogram vector_histogram(const char *name,
                                                      struct lauka_moments *moments)
{
    char *text = vector_text(name, ".values"), *line = text;
    uint64_t lowest, highest, value, count;
    unsigned digits;
    struct lauka_histogram histogram;
    sscanf(line, "# %" SCNu64 " %" SCNu64 " %u", &lowest, &highest, &digits);
    if (lauka_histogram_init_hdr(&histogram, lowest, highest, digits) != 0)
        exit(1);
    lauka_moments_init(moments);
    for (line = strchr(line, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
        sscanf(line + 1, "%" SCNu64 " %" SCNu64, &value, &count);
        if (lauka_histogram_record_count(&histogram, value, count))
            lauka_moments_add_count(moments, value, count);
    }
    free(text);
    return histogram;
}

/* Whether the histogram has exactly the buckets of a .buckets file. */
static inline bool vector_has_buckets(const char *name, const char *ending,
                                      const struct lauka_histogram *histogram)
{
    char *text = vector_text(name, ending), *line = text;
    struct lauka_bucket bucket = {0};
    bool same = true;
    for (; same && line && *line; line = strchr(line, '\n'), line += line != NULL) {
        uint64_t index, lowest, highest, count;
        if (sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &index, &lowest, &highest,
                   &count) == 4)
            same = lauka_histogram_next(histogram, &bucket) && bucket.index == index &&
                   bucket.lowest == lowest && bucket.highest == highest && bucket.count == count;
    }
    free(text);
    return same && !lauka_histogram_next(histogram, &bucket);
}

static inline bool vector_exists(const char *name, const char *ending)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s%s", hdr_vectors, name, ending);
    FILE *file = fopen(path, "rb");
    if (file)
        fclose(file);
    return file;
}

#endif
