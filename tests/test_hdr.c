/* report: histograms as others read and write them. Known answers: tests/vectors/hdr. */
#include "expect.h"

#include <stdlib.h>
#include <unistd.h>

#include "hdr_vectors.h"
#include "report/report.h"

/* ---- V2, compressed, in base64 ---- */

static bool bytes_are(const struct lauka_histogram *histogram, const uint8_t *expected,
                      size_t expected_size)
{
    uint8_t *bytes;
    size_t size;
    if (lauka_histogram_encode(histogram, &bytes, &size, NULL) != 0)
        return false;
    bool same = size == expected_size && memcmp(bytes, expected, size) == 0;
    free(bytes);
    return same;
}

static void decode_one(const char *name, const char *who, const char *text)
{
    struct lauka_histogram histogram;
    const char *reason;
    const char *ending =
        who[0] == 'c' && vector_exists(name, ".buckets_c") ? ".buckets_c" : ".buckets";
    int error = lauka_hdr_text_decode(text, strlen(text), &histogram, &reason);
    if (error != 0 || !vector_has_buckets(name, ending, &histogram)) {
        printf("%s as %s wrote it: %s\n", name, who, error ? reason : "other buckets");
        EXPECT(false);
    }
    if (error == 0)
        lauka_histogram_done(&histogram);
}

static void what_java_c_and_go_wrote_is_read(void)
{
    cJSON *index = vector_json("INDEX"), *name, *text;
    cJSON_ArrayForEach(name, index)
    {
        cJSON *json = vector_json(name->valuestring);
        cJSON_ArrayForEach(text, cJSON_GetObjectItemCaseSensitive(json, "v2_base64"))
            decode_one(name->valuestring, text->string, text->valuestring);
        cJSON_Delete(json);
    }
    cJSON_Delete(index);
}

/* Whether it is written like what is read from Java's text. */
static bool is_as_read(const struct lauka_histogram *histogram, const cJSON *json)
{
    const cJSON *texts = cJSON_GetObjectItemCaseSensitive(json, "v2_base64");
    const char *text = vector_string(texts, "java_2.1.11"), *reason;
    struct lauka_histogram read;
    uint8_t *bytes;
    size_t size;
    if (lauka_hdr_text_decode(text, strlen(text), &read, &reason) != 0 ||
        lauka_histogram_encode(&read, &bytes, &size, NULL) != 0)
        return false;
    bool same = bytes_are(histogram, bytes, size);
    free(bytes);
    lauka_histogram_done(&read);
    return same;
}

static void what_is_written_is_what_java_writes(void)
{
    cJSON *index = vector_json("INDEX"), *name;
    cJSON_ArrayForEach(name, index)
    {
        cJSON *json = vector_json(name->valuestring);
        struct lauka_moments moments;
        struct lauka_histogram histogram = vector_histogram(name->valuestring, &moments);
        const char *base64 = vector_string(json, "v2_uncompressed_java_base64");
        uint8_t *bytes = malloc(strlen(base64) + 4);
        size_t size;
        /* The longest ones are not there, only something in parentheses. */
        if (lauka_base64_decode(base64, strlen(base64), bytes, &size))
            EXPECT(bytes_are(&histogram, bytes, size));
        else
            EXPECT(strchr(base64, '(') && is_as_read(&histogram, json));
        free(bytes);
        lauka_histogram_done(&histogram);
        cJSON_Delete(json);
    }
    cJSON_Delete(index);
}

static void what_is_written_is_read_again(void)
{
    cJSON *index = vector_json("INDEX"), *name;
    cJSON_ArrayForEach(name, index)
    {
        struct lauka_moments moments;
        struct lauka_histogram histogram = vector_histogram(name->valuestring, &moments);
        char *text;
        EXPECT(lauka_hdr_text_encode(&histogram, &text, NULL) == 0);
        EXPECT(strncmp(text, "HISTFAA", 7) == 0);
        decode_one(name->valuestring, "lauka", text);
        free(text);
        lauka_histogram_done(&histogram);
    }
    cJSON_Delete(index);
}

static bool is_acceptable(const char *name)
{
    /* The bomb is a valid histogram of one value: only its pages that are written are ever
     * there. */
    return strncmp(name, "good", 4) == 0 || strcmp(name, "bomb_5digits") == 0;
}

static void what_is_malformed_is_refused_with_a_reason(void)
{
    cJSON *cases = vector_json("BAD"), *one;
    cJSON_ArrayForEach(one, cases)
    {
        const char *text = vector_string(one, "base64"), *name = vector_string(one, "name");
        const char *reason = NULL;
        struct lauka_histogram histogram;
        int error = lauka_hdr_text_decode(text, strlen(text), &histogram, &reason);
        bool as_expected = is_acceptable(name) ? error == 0 : error != 0 && reason && reason[0];
        if (!as_expected)
            printf("%s: %s\n", name, error ? reason : "accepted");
        EXPECT(as_expected);
        EXPECT(error == 0 || (!histogram.counts && !histogram.narrow));
        lauka_histogram_done(&histogram);
    }
    cJSON_Delete(cases);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        hdr_vectors = argv[1];
    TEST(what_java_c_and_go_wrote_is_read);
    TEST(what_is_written_is_what_java_writes);
    TEST(what_is_written_is_read_again);
    TEST(what_is_malformed_is_refused_with_a_reason);
    return expect_report("hdr");
}
