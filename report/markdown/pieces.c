/* Pieces of text that have to fit into a room. */
#include "report/markdown/markdown.h"

struct lauka_pieces lauka_pieces(struct lauka_prose *prose, size_t most)
{
    struct lauka_piece *pieces = lauka_prose_room(prose, most, sizeof *pieces);
    return (struct lauka_pieces){prose, pieces, 0, pieces ? most : 0};
}

void lauka_pieces_add(struct lauka_pieces *pieces, int rank, lauka_piece_writer *write,
                      const void *context, size_t index)
{
    lauka_prose_capture(pieces->prose);
    write(context, index);
    const char *text = lauka_prose_captured(pieces->prose);
    if (pieces->count < pieces->room)
        pieces->pieces[pieces->count++] = (struct lauka_piece){.text = text, .rank = rank};
}

bool lauka_pieces_fit(struct lauka_pieces *pieces, size_t (*size_of)(const char *text), size_t room)
{
    size_t size = 0;
    int highest = 0;
    for (size_t i = 0; i < pieces->count; i++) {
        size += size_of(pieces->pieces[i].text);
        highest = pieces->pieces[i].rank > highest ? pieces->pieces[i].rank : highest;
    }
    for (int rank = 1; rank <= highest && size > room; rank++)
        for (size_t i = pieces->count; i-- > 0 && size > room;) {
            struct lauka_piece *piece = &pieces->pieces[i];
            if (piece->rank != rank || !*piece->text)
                continue;
            size -= size_of(piece->text);
            piece->left_out = true;
        }
    return size <= room;
}

void lauka_piece_put(const struct lauka_pieces *pieces, size_t index)
{
    if (!pieces->pieces[index].left_out)
        lauka_put(pieces->prose, "%s", pieces->pieces[index].text);
}
