/* Pieces of text that have to fit into a room. */
#include "report/markdown/pieces.h"
#include "report/result/lists.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void lauka_pieces_add(struct lauka_pieces *pieces, int rank, lauka_piece_writer *write,
                      const void *context, size_t index)
{
    struct lauka_piece *piece = lauka_list_add(&pieces->pieces, &pieces->count, sizeof *piece);
    char *text = NULL; /* not the member, which moves if the writer adds a piece */
    size_t size = 0;
    FILE *out = piece ? open_memstream(&text, &size) : NULL;
    int error = out ? write(context, index, out) : ENOMEM;
    if (out && fclose(out) != 0 && !error)
        error = ENOMEM;
    if (piece)
        *piece = (struct lauka_piece){.text = text, .rank = rank};
    pieces->error = pieces->error ? pieces->error : error;
}

void lauka_pieces_done(struct lauka_pieces *pieces)
{
    for (size_t i = 0; i < pieces->count; i++)
        free(pieces->pieces[i].text);
    free(pieces->pieces);
    *pieces = (struct lauka_pieces){0};
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

void lauka_piece_put(const struct lauka_pieces *pieces, size_t index, FILE *out)
{
    if (!pieces->pieces[index].left_out)
        fputs(pieces->pieces[index].text, out);
}
