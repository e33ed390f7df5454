/* Rows in aligned columns, pieces that fit into a room, and sentences in which names are marks. */
#include "report/text/sheet.h"

#include <errno.h>
#include <stdlib.h>

#include "report/markdown/pieces.h"
#include "report/words/said.h"
#include "tests/unit/expect.h"

/* ---- sheets ------------------------------------------------------------------------------------ */

enum { NAME, MEAN, DEVIATION, NOTE, COLUMNS };

static const struct lauka_sheet_column columns[COLUMNS] = {
    [NAME] = {.title = "name"},
    [MEAN] = {.title = "mean", .align = LAUKA_ALIGN_RIGHT},
    [DEVIATION] = {.sign = "+-", .rank = 2},
    [NOTE] = {.title = "a long title", .close = true, .rank = 1},
};

static struct lauka_sheet sheet_of(int width)
{
    static const char *const texts[][COLUMNS] = {
        {"first", "12.5", "0.25", "!"}, {"second one", "7", "11", ""}, {"third", "", "", ""}};
    struct lauka_sheet sheet;
    lauka_sheet_make(&sheet, columns, COLUMNS, (struct lauka_terminal){.width = width});
    for (size_t r = 0; r < sizeof texts / sizeof *texts; r++) {
        EXPECT_UINT(lauka_sheet_add(&sheet), r);
        for (size_t c = 0; c < COLUMNS; c++)
            lauka_sheet_put(&sheet, r, c, LAUKA_STYLE_MAIN, "%s", texts[r][c]);
    }
    return sheet;
}

/* Owned by the caller. */
static char *written(const struct lauka_sheet *sheet)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    lauka_sheet_draw_titles(sheet, COLUMNS, out);
    EXPECT(lauka_sheet_write(sheet, out) == 0);
    fclose(out);
    return text;
}

static void expect_sheet(struct lauka_sheet *sheet, const char *expected)
{
    char *text = written(sheet);
    EXPECT_TEXT(text, expected);
    free(text);
    lauka_sheet_done(sheet);
}

static void columns_are_as_wide_as_their_texts_and_no_line_ends_in_blanks(void)
{
    struct lauka_sheet sheet = sheet_of(80);
    lauka_sheet_measure(&sheet);
    EXPECT(lauka_sheet_excess(&sheet) == 10 + 2 + 4 + 4 + 4 + 1 + 12 - 80);
    expect_sheet(&sheet, "name        mean         a long title\n"
                         "first       12.5 +- 0.25 !\n"
                         "second one     7 +- 11\n"
                         "third\n");
}

static void numbers_are_aligned_by_their_points(void)
{
    struct lauka_sheet sheet = sheet_of(80);
    lauka_sheet_align_points(&sheet, MEAN, 0, 2);
    lauka_sheet_align_points(&sheet, DEVIATION, 0, 2);
    lauka_sheet_measure(&sheet);
    expect_sheet(&sheet, "name        mean          a long title\n"
                         "first       12.5 +-  0.25 !\n"
                         "second one   7   +- 11\n"
                         "third\n");
}

static void columns_are_given_up_by_rank_and_then_names_are_cut(void)
{
    struct lauka_sheet sheet = sheet_of(24);
    lauka_sheet_measure(&sheet);
    lauka_sheet_fit(&sheet);
    EXPECT(sheet.columns[NOTE].hidden && !sheet.columns[DEVIATION].hidden);
    expect_sheet(&sheet, "name        mean\n"
                         "first       12.5 +- 0.25\n"
                         "second one     7 +- 11\n"
                         "third\n");
    sheet = sheet_of(12);
    lauka_sheet_measure(&sheet);
    lauka_sheet_fit(&sheet);
    lauka_sheet_cut(&sheet, NAME, 4);
    EXPECT(sheet.columns[DEVIATION].hidden && sheet.columns[NAME].width == 6);
    expect_sheet(&sheet, "name    mean\n"
                         "first   12.5\n"
                         "seco..     7\n"
                         "third\n");
}

static void a_column_is_not_cut_below_its_least(void)
{
    struct lauka_sheet sheet = sheet_of(5);
    lauka_sheet_measure(&sheet);
    lauka_sheet_fit(&sheet);
    lauka_sheet_cut(&sheet, NAME, 7);
    EXPECT(sheet.columns[NAME].width == 7);
    lauka_sheet_done(&sheet);
}

static void a_cell_can_be_made_of_itself_and_keeps_its_style(void)
{
    struct lauka_sheet sheet = sheet_of(80);
    lauka_sheet_set(&sheet, 0, NAME, "<%s>", lauka_sheet_text(&sheet, 0, NAME));
    lauka_sheet_shorten(&sheet, NAME, " ");
    EXPECT_TEXT(lauka_sheet_text(&sheet, 0, NAME), "<first>");
    EXPECT_TEXT(lauka_sheet_text(&sheet, 1, NAME), "second");
    EXPECT(sheet.cells[0].style == LAUKA_STYLE_MAIN);
    lauka_sheet_done(&sheet);
}

/* ---- pieces ------------------------------------------------------------------------------------ */

static int write_letters(const void *context, size_t index, FILE *out)
{
    const char *const *texts = context;
    fputs(texts[index], out);
    return 0;
}

static int write_in_vain(const void *context, size_t index, FILE *out)
{
    (void)context, (void)index, (void)out;
    return ENOMEM;
}

static void expect_pieces(size_t room, bool fits, const char *expected)
{
    static const char *const texts[] = {"top ", "aaa ", "b ", "bbb ", "", "end"};
    static const int ranks[] = {0, 2, 1, 1, 1, 0};
    struct lauka_pieces pieces = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        lauka_pieces_add(&pieces, ranks[i], write_letters, texts, i);
    EXPECT(pieces.error == 0);
    EXPECT(lauka_pieces_fit(&pieces, strlen, room) == fits);
    for (size_t i = 0; i < pieces.count; i++)
        lauka_piece_put(&pieces, i, out);
    EXPECT(!pieces.pieces[4].left_out); /* it takes no room */
    fclose(out);
    EXPECT_TEXT(text, expected);
    free(text);
    lauka_pieces_done(&pieces);
}

static void the_last_of_the_lowest_rank_is_left_out_first(void)
{
    expect_pieces(17, true, "top aaa b bbb end");
    expect_pieces(16, true, "top aaa b end");
    expect_pieces(12, true, "top aaa end");
    expect_pieces(10, true, "top end");
    expect_pieces(6, false, "top end");
}

static void a_piece_that_fails_is_an_error(void)
{
    struct lauka_pieces pieces = {0};
    lauka_pieces_add(&pieces, 0, write_in_vain, NULL, 0);
    EXPECT(pieces.error == ENOMEM);
    lauka_pieces_done(&pieces);
}

/* ---- sentences --------------------------------------------------------------------------------- */

static void names_take_the_place_of_marks_but_in_notes(void)
{
    static const char sentence[] =
        LAUKA_SAID_OWN " is slower than " LAUKA_SAID_REFERENCE ", " LAUKA_SAID_OWN " says";
    struct lauka_said said = {.kind = LAUKA_SAID_ANSWER, .text = sentence};
    char *text = lauka_said_text(&said, "`new`", "old");
    EXPECT_TEXT(text, "`new` is slower than old, `new` says");
    free(text);
    said.kind = LAUKA_SAID_NOTE;
    text = lauka_said_text(&said, "`new`", "old");
    EXPECT_TEXT(text, sentence);
    free(text);
}

static void notes_come_after_doubts_and_are_not_copied(void)
{
    char first[] = "the first", second[] = "the second", *warnings[] = {first, second};
    struct lauka_result result = {.warnings = warnings, .warning_count = 2};
    struct lauka_said said = {0};
    EXPECT(lauka_said_next_remark(&result, true, &said) && said.text == first);
    EXPECT(said.kind == LAUKA_SAID_NOTE);
    EXPECT(lauka_said_next_remark(&result, true, &said) && said.text == second);
    EXPECT(!lauka_said_next_remark(&result, true, &said));
    said = (struct lauka_said){0};
    EXPECT(!lauka_said_next_answer(&result, true, &said));
}

int main(void)
{
    TEST(columns_are_as_wide_as_their_texts_and_no_line_ends_in_blanks);
    TEST(numbers_are_aligned_by_their_points);
    TEST(columns_are_given_up_by_rank_and_then_names_are_cut);
    TEST(a_column_is_not_cut_below_its_least);
    TEST(a_cell_can_be_made_of_itself_and_keeps_its_style);
    TEST(the_last_of_the_lowest_rank_is_left_out_first);
    TEST(a_piece_that_fails_is_an_error);
    TEST(names_take_the_place_of_marks_but_in_notes);
    TEST(notes_come_after_doubts_and_are_not_copied);
    return expect_report("sheet");
}
