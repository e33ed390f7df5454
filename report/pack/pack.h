/* Compact forms of stored data: series as one short text, files as gzip. */
#ifndef LAUKA_REPORT_PACK_PACK_H
#define LAUKA_REPORT_PACK_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The version of zlib, in gzip.c; static. */
const char *lauka_pack_library(void);

/* ---- series.c: whole numbers as a text --------------------------------------------------------- */

/* Each value is increased by 1, modulo 2^64, so that a missing one (2^64 - 1) is 0. Then either the
 * least value, `base`, is subtracted from all; or, if that is larger, there is no base, but each
 * value's difference to the previous one, the first to 0, modulo 2^64, with the sign as the lowest
 * bit: 0, -1, 1, -2 as 0, 1, 2, 3. All lowest bytes come first, then the next ones, in as many
 * planes as needed; compressed with zlib (RFC 1950), in base64. */

/* Writes this many values from `first` on; borrowed from the context. */
typedef void lauka_pack_source(const void *context, size_t first, size_t count, uint64_t *values);

/* Prints {"count": 20000, "base": 123456, "bytes": 3, "zlib": "eJw..."}. Returns 0 or ENOMEM; the output has an error
 * indicator of its own. */
int lauka_pack_print(lauka_pack_source *source, const void *context, size_t count, FILE *out);

struct lauka_unpacked {
    uint8_t *planes; /* owned */
    size_t count;
    unsigned bytes;
    bool based;     /* it has a base, and no differences */
    size_t at;      /* offset of the next value */
    uint64_t value; /* the base, or the previous value plus 1 */
};

/* Opens `count` values; base: NULL if there is none. Inflates exactly as much as they need. Returns
 * 0, ENOMEM, or EINVAL if the text is not such a series. Call _done in any case. */
int lauka_unpack(const char *text, size_t length, size_t count, unsigned bytes,
                 const uint64_t *base, struct lauka_unpacked *unpacked);
void lauka_unpacked_done(struct lauka_unpacked *unpacked);

/* Reads the next `count` values. */
void lauka_unpack_next(struct lauka_unpacked *unpacked, uint64_t *values, size_t count);

/* ---- gzip.c: files, as gzip(1) has them ------------------------------------------------------- */

bool lauka_is_gzip(const char *bytes, size_t size);

/* Decompresses all members of the file, up to `most` bytes. The caller owns *text. Returns 0,
 * ENOMEM, EFBIG, or EINVAL if it is damaged or truncated. */
int lauka_gunzip(const char *bytes, size_t size, size_t most, char **text, size_t *text_size);

/* A stream that compresses its output with gzip into `to`. Closing it ends the gzip and leaves `to`
 * open. NULL and errno without memory. */
FILE *lauka_gzip_open(FILE *to);

/* ---- linux/sink.c, macos/sink.c: a stream that ends in a function ------------------------------- */

struct lauka_sink {
    int (*put)(void *context, const char *bytes, size_t size); /* returns 0 or an errno */
    int (*close)(void *context);                               /* the same */
};

/* Opens it for writing. NULL and errno without memory; then the caller still owns the context. */
FILE *lauka_sink_open(const struct lauka_sink *sink, void *context);

#endif
