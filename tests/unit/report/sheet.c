/* Texts of a document, rows in aligned columns, pieces that fit into a room, and sentences in which names are marks. */
#include "report/text/sheet.h"

#include <errno.h>

#include "report/markdown/markdown.h"
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

static struct lauka_prose prose;

/* Of the prose, which begins with it. */
static struct lauka_sheet sheet_of(int width)
{
    static const char *const texts[][COLUMNS] = {
        {"first", "12.5", "0.25", "!"}, {"second one", "7", "11", ""}, {"third", "", "", ""}};
    struct lauka_sheet sheet;
    EXPECT(lauka_prose_done(&prose) == 0);
    prose = lauka_prose_begin(NULL, (struct lauka_terminal){.width = width});
    lauka_sheet_make(&sheet, columns, COLUMNS, &prose);
    for (size_t r = 0; r < sizeof texts / sizeof *texts; r++) {
        EXPECT_UINT(lauka_sheet_add(&sheet), r);
        for (size_t c = 0; c < COLUMNS; c++)
            lauka_sheet_put(&sheet, r, c, LAUKA_STYLE_MAIN, texts[r][c]);
    }
    return sheet;
}

static void expect_sheet(struct lauka_sheet *sheet, const char *expected)
{
    lauka_prose_capture(&prose);
    lauka_sheet_draw_titles(sheet, COLUMNS);
    lauka_sheet_write(sheet);
    EXPECT_TEXT(lauka_prose_captured(&prose), expected);
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
}

static void a_cell_that_is_set_keeps_its_style(void)
{
    struct lauka_sheet sheet = sheet_of(80);
    lauka_sheet_set(&sheet, 0, NAME, lauka_say(&prose, "<%s>", lauka_sheet_text(&sheet, 0, NAME)));
    lauka_sheet_shorten(&sheet, NAME, " ");
    EXPECT_TEXT(lauka_sheet_text(&sheet, 0, NAME), "<first>");
    EXPECT_TEXT(lauka_sheet_text(&sheet, 1, NAME), "second");
    EXPECT(sheet.cells[0].style == LAUKA_STYLE_MAIN);
}

/* ---- pieces ------------------------------------------------------------------------------------ */

static void write_letters(const void *context, size_t index)
{
    const char *const *texts = context;
    lauka_put(&prose, "%s", texts[index]);
}

static void expect_pieces(size_t room, bool fits, const char *expected)
{
    static const char *const texts[] = {"top ", "aaa ", "b ", "bbb ", "", "end"};
    static const int ranks[] = {0, 2, 1, 1, 1, 0};
    const size_t count = sizeof ranks / sizeof *ranks;
    EXPECT(lauka_prose_done(&prose) == 0);
    prose = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    struct lauka_pieces pieces = lauka_pieces(&prose, count);
    for (size_t i = 0; i < count; i++)
        lauka_pieces_add(&pieces, ranks[i], write_letters, texts, i);
    EXPECT(lauka_pieces_fit(&pieces, strlen, room) == fits);
    lauka_prose_capture(&prose);
    for (size_t i = 0; i < pieces.count; i++)
        lauka_piece_put(&pieces, i);
    EXPECT(!pieces.pieces[4].left_out); /* it takes no room */
    EXPECT_TEXT(lauka_prose_captured(&prose), expected);
}

static void the_last_of_the_lowest_rank_is_left_out_first(void)
{
    expect_pieces(17, true, "top aaa b bbb end");
    expect_pieces(16, true, "top aaa b end");
    expect_pieces(12, true, "top aaa end");
    expect_pieces(10, true, "top end");
    expect_pieces(6, false, "top end");
}

/* ---- texts ------------------------------------------------------------------------------------- */

static void texts_live_until_the_end_and_are_never_cut(void)
{
    enum { TEXTS = 1000 };
    const char *texts[TEXTS], *all = "";
    struct lauka_prose own = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    for (size_t i = 0; i < TEXTS; i++)
        texts[i] = lauka_say(&own, "%zu", i);
    for (size_t i = 0; i < TEXTS; i++)
        all = lauka_join(&own, all, ",", texts[i]);
    EXPECT_UINT(strlen(all), 10 + 90 * 2 + 900 * 3 + TEXTS - 1);
    EXPECT_TEXT(texts[7], "7");
    EXPECT_TEXT(lauka_join(&own, "", ", ", "b"), "b");
    EXPECT_TEXT(lauka_join(&own, "a", ", ", ""), "a");
    EXPECT(lauka_prose_done(&own) == 0);
}

static void the_first_error_is_told_at_the_end(void)
{
    struct lauka_prose own = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    EXPECT_TEXT(lauka_keep(&own, NULL), "?");
    lauka_prose_fail(&own, EFBIG);
    lauka_prose_fail(&own, 0);
    EXPECT(lauka_prose_end(&own) == ENOMEM);
}

static void what_is_written_can_become_a_text(void)
{
    struct lauka_prose own = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    lauka_prose_capture(&own);
    lauka_put(&own, "a");
    lauka_prose_capture(&own);
    lauka_put(&own, "b");
    EXPECT_TEXT(lauka_prose_captured(&own), "b");
    lauka_put(&own, "c");
    EXPECT_TEXT(lauka_prose_captured(&own), "ac");
    EXPECT(own.out == NULL && lauka_prose_done(&own) == 0);
}

/* ---- sentences --------------------------------------------------------------------------------- */

static void names_take_the_place_of_marks_but_in_notes(void)
{
    static const char sentence[] =
        LAUKA_SAID_OWN " is slower than " LAUKA_SAID_REFERENCE ", " LAUKA_SAID_OWN " says";
    struct lauka_said said = {.kind = LAUKA_SAID_ANSWER, .text = sentence};
    EXPECT_TEXT(lauka_said_text(&prose, &said, "`new`", "old"),
                "`new` is slower than old, `new` says");
    said.kind = LAUKA_SAID_NOTE;
    EXPECT_TEXT(lauka_said_text(&prose, &said, "`new`", "old"), sentence);
}

static void notes_come_after_doubts_and_are_not_copied(void)
{
    char first[] = "the first", second[] = "the second", *warnings[] = {first, second};
    struct lauka_result result = {.warnings = warnings, .warning_count = 2};
    const struct lauka_notes notes = lauka_notes(&prose, &result);
    EXPECT(notes.count == 2 && notes.pressing == 0 && notes.counting == 2);
    EXPECT(notes.all[0].text == first && notes.all[0].kind == LAUKA_SAID_NOTE);
    EXPECT(notes.all[1].text == second);
    struct lauka_said said = {0};
    EXPECT(!lauka_said_next_answer(&prose, &result, &said));
}

int main(void)
{
    prose = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    TEST(columns_are_as_wide_as_their_texts_and_no_line_ends_in_blanks);
    TEST(numbers_are_aligned_by_their_points);
    TEST(columns_are_given_up_by_rank_and_then_names_are_cut);
    TEST(a_column_is_not_cut_below_its_least);
    TEST(a_cell_that_is_set_keeps_its_style);
    TEST(the_last_of_the_lowest_rank_is_left_out_first);
    TEST(texts_live_until_the_end_and_are_never_cut);
    TEST(the_first_error_is_told_at_the_end);
    TEST(what_is_written_can_become_a_text);
    TEST(names_take_the_place_of_marks_but_in_notes);
    TEST(notes_come_after_doubts_and_are_not_copied);
    EXPECT(lauka_prose_done(&prose) == 0);
    return expect_report("sheet");
}
