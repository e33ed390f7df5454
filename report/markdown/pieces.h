/* A document that must fit into a limited room: it drops the least important pieces of text. */
#ifndef LAUKA_REPORT_MARKDOWN_PIECES_H
#define LAUKA_REPORT_MARKDOWN_PIECES_H

#include <stdbool.h>
#include <stddef.h>

#include "report/text/prose.h"

struct lauka_piece {
    const char *text; /* owned by the prose */
    int rank;         /* the lowest rank is dropped first, its last piece first; 0: never */
    bool left_out;
};

struct lauka_pieces {
    struct lauka_prose *prose; /* borrowed */
    struct lauka_piece *pieces;
    size_t count, room;
};

/* Writes the piece with this index from `context`. */
typedef void lauka_piece_writer(const void *context, size_t index);

/* Makes room for at most `most` pieces. */
struct lauka_pieces lauka_pieces(struct lauka_prose *prose, size_t most);

/* Captures what write(context, index) writes to the prose, so that its output gets nothing of it. */
void lauka_pieces_add(struct lauka_pieces *pieces, int rank, lauka_piece_writer *write,
                      const void *context, size_t index);

/* Drops pieces until the sum of their sizes is at most `room`. Returns false if even those that
 * must stay are too large. */
bool lauka_pieces_fit(struct lauka_pieces *pieces, size_t (*size_of)(const char *text),
                      size_t room);

/* Writes the piece, unless it was dropped. */
void lauka_piece_put(const struct lauka_pieces *pieces, size_t index);

#endif
