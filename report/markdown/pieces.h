/* A document that has to fit into a room: pieces of text, of which the least important are left out. */
#ifndef LAUKA_REPORT_MARKDOWN_PIECES_H
#define LAUKA_REPORT_MARKDOWN_PIECES_H

#include <stdbool.h>
#include <stddef.h>

#include "report/text/prose.h"

struct lauka_piece {
    const char *text; /* the prose's */
    int rank; /* the lowest rank is left out first, and its last piece before the others; 0: never */
    bool left_out;
};

struct lauka_pieces {
    struct lauka_prose *prose; /* borrowed */
    struct lauka_piece *pieces;
    size_t count, room;
};

/* Writes one of the pieces that `context` is made of. */
typedef void lauka_piece_writer(const void *context, size_t index);

/* Makes room for at most `most` pieces. */
struct lauka_pieces lauka_pieces(struct lauka_prose *prose, size_t most);

/* Adds what write(context, index) writes to the prose, whose output gets nothing of it. */
void lauka_pieces_add(struct lauka_pieces *pieces, int rank, lauka_piece_writer *write,
                      const void *context, size_t index);

/* Leaves out pieces until the sum of their sizes is at most `room`. Returns false if even those that must stay are too
 * large. */
bool lauka_pieces_fit(struct lauka_pieces *pieces, size_t (*size_of)(const char *text),
                      size_t room);

/* Writes the piece, unless it is left out. */
void lauka_piece_put(const struct lauka_pieces *pieces, size_t index);

#endif
