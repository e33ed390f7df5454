/* Names of command lines: the program and the words in which they differ, and never two alike. */
#include "tests/unit/expect.h"

#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/text/text.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <limits.h>

enum { MOST = 8 };

/* letters: of which names are letters, as bits. */
static void expect_names_of(int width, bool utf8, const char *const *texts, size_t count,
                            const char *const *expected, unsigned letters)
{
    bool lettered[MOST];
    char **names = lauka_short_names(texts, count, width, utf8, lettered);
    EXPECT(names != NULL);
    for (size_t i = 0; names && i < count; i++) {
        EXPECT_TEXT(names[i], expected[i]);
        EXPECT(lettered[i] == (letters >> i & 1));
    }
    lauka_free_texts(names, count);
}

static void expect_names(int width, const char *const *texts, size_t count,
                         const char *const *expected)
{
    expect_names_of(width, true, texts, count, expected, 0);
}

#define NAMES(width, count, ...)                                                                   \
    do {                                                                                           \
        static const char *const texts_[2][count] = __VA_ARGS__;                                   \
        expect_names(width, texts_[0], count, texts_[1]);                                          \
    } while (0)

static void names_that_are_alike_stand_side_by_side(void)
{
    char a[] = "./a", b[] = "./b";
    char *names[] = {b, a, b, a};
    static const size_t order[] = {1, 3, 0, 2};
    struct lauka_named *sorted = lauka_sort_named(NULL, names, 4);
    EXPECT(sorted != NULL);
    for (size_t i = 0; sorted && i < 4; i++)
        EXPECT(sorted[i].index == order[i]);
    EXPECT(sorted && lauka_count_alike(sorted, 4) == 2 && lauka_count_alike(sorted + 3, 1) == 1);
    free(sorted);
}

static void lines_that_fit_are_their_own_names(void)
{
    NAMES(40, 2,
          {{"sort words.txt", "sort -u words.txt"}, {"sort words.txt", "sort -u words.txt"}});
    NAMES(8, 1, {{"./sort words.txt"}, {"./so…txt"}});
    NAMES(8, 2, {{"", ""}, {"", ""}});
}

static void the_program_and_the_words_that_differ_stay(void)
{
    NAMES(30, 3,
          {{"gzip -kc /opt/build/bin/lauka-program", "gzip -1 -kc /opt/build/bin/lauka-program",
            "gzip -9 -kc /opt/build/bin/lauka-program"},
           {"gzip …", "gzip -1 …", "gzip -9 …"}});
    NAMES(30, 2,
          {{"cat data/words.txt | sort | uniq -c", "cat data/words.txt | LC_ALL=C sort | uniq -c"},
           {"cat …", "cat … LC_ALL=C …"}});
}

static void a_value_stays_with_its_option(void)
{
    NAMES(40, 2,
          {{"parser --input big-file.json --threads 1 --quiet",
            "parser --input big-file.json --threads 16 --quiet"},
           {"parser … --threads 1 …", "parser … --threads 16 …"}});
}

static void lines_of_one_program_lose_what_they_share_beside_a_line_of_another(void)
{
    NAMES(20, 3,
          {{"gzip -kc /opt/build/bin/lauka-program", "gzip -1 -kc /opt/build/bin/lauka-program",
            "./other"},
           {"gzip …", "gzip -1 …", "./other"}});
    static const char *const lines[][4] = {{"/a/long/path/of/old/prog --with-this-option",
                                            "/a/long/path/of/new/prog --with-this-option",
                                            "ParseLargeDocumentsWithManyFields", "x"},
                                           {"…/old/prog …", "…/new/prog …", "C", "x"}};
    expect_names_of(20, true, lines[0], 4, lines[1], 4);
}

/* Rather than that a letter is shown. */
static void an_option_goes_before_its_value_does(void)
{
    NAMES(20, 2,
          {{"parser --input big-file.json --threads 1 --quiet",
            "parser --input big-file.json --threads 16 --quiet"},
           {"parser … 1 …", "parser … 16 …"}});
}

static void paths_keep_their_last_name_and_the_folders_that_differ(void)
{
    NAMES(24, 2,
          {{"/home/ci/workspace/build-a/bin/release/prog -n 1000",
            "/home/ci/workspace/build-b/bin/release/prog -n 1000"},
           {"…/build-a/…/prog …", "…/build-b/…/prog …"}});
    NAMES(30, 2,
          {{"/opt/long/path/of/parser --threads 1", "/opt/long/path/of/parser --threads 2"},
           {"parser --threads 1", "parser --threads 2"}});
    NAMES(24, 2,
          {{"./with-a-long-name-of-variant-alpha-of-the-same-program",
            "./with-a-long-name-of-variant-beta-of-the-same-program"},
           {"…alpha-…program", "…beta-…program"}});
}

static void two_marks_never_stand_side_by_side(void)
{
    NAMES(20, 2,
          {{"node bench.js --file=a-very-long-name-1.json",
            "node bench.js --file=a-very-long-name-2.json"},
           {"node …1.json", "node …2.json"}});
    NAMES(44, 2, /* the words behind the merged marks have other places then */
          {{"a cost=100ms noise=1% kind=lognormal drift=1% rss=1MiB",
            "b cost=10ms noise=1% kind=t3 cpu=9ms rss=8MiB"},
           {"a cost=100ms …lognormal drift=1% rss=1MiB", "b cost=10ms …t3 cpu=9ms rss=8MiB"}});
}

static void letters_are_the_last_resort(void)
{
    static const char *const order[][3] = {
        {"p x a y z and so on", "p x y a z and so on", "p x a y z and so on"}, {"A", "B", "A"}};
    expect_names_of(6, true, order[0], 3, order[1], 7);
    static const char *const wide[][3] = {
        {"./short", "ParseLargeDocumentsWithManyFields", "SerializeSmallDocumentsQuickly"},
        {"./short", "B", "C"}};
    expect_names_of(20, true, wide[0], 3, wide[1], 6);
    static const char *const same[][2] = {{"p  a  long enough", "p a long  enough"}, {"A", "B"}};
    expect_names_of(16, true, same[0], 2, same[1], 3);
}

/* Otherwise "B" would be two of them. */
static void a_name_like_a_letter_makes_letters_of_all(void)
{
    static const char *const lines[][3] = {{"B", "ParseLargeDocumentsWithManyFields", "x"},
                                           {"A", "B", "C"}};
    expect_names_of(20, true, lines[0], 3, lines[1], 7);
}

static void what_could_drive_a_terminal_is_in_no_name(void)
{
    static const char *const lines[][2] = {
        {"./a\x1b[31m --with many words", "./b\x1b[31m --with many words"},
        {"./a\\x1b[31m ..", "./b\\x1b[31m .."}};
    expect_names_of(20, false, lines[0], 2, lines[1], 0);
    static const char *const safe[][2] = {{"a\x1b", "a\\x1b"}, {"A", "B"}};
    expect_names_of(20, true, safe[0], 2, safe[1], 3);
}

static void marks_without_end_are_no_name(void)
{
    char marks[203] = "e";
    for (size_t i = 1; i + 2 < sizeof marks; i += 2)
        memcpy(marks + i, "\u0301", 2);
    const char *const lines[] = {marks, "e"}, *const names[] = {"A", "e"};
    expect_names_of(10, true, lines, 2, names, 1);
}

/* ---- commands of a result ------------------------------------------------------------------------------- */

struct variant {
    const char *label, *name, *value; /* of its parameter; NULL: it has none */
};

struct variants {
    struct lauka_parameter_value parameters[MOST];
    struct lauka_result_command commands[MOST];
    struct lauka_result result;
};

/* The result borrows all of it. */
static void make(struct variants *made, const struct variant *variants, size_t count)
{
    *made = (struct variants){.result = {.commands = made->commands, .command_count = count}};
    for (size_t i = 0; i < count; i++) {
        made->parameters[i] = (struct lauka_parameter_value){(char *)(uintptr_t)variants[i].name,
                                                             (char *)(uintptr_t)variants[i].value};
        made->commands[i] =
            (struct lauka_result_command){.label = (char *)(uintptr_t)variants[i].label,
                                          .parameters = &made->parameters[i],
                                          .parameter_count = variants[i].name != NULL};
    }
}

/* In 20 columns. */
static void expect_variants(const struct variant *variants, size_t count,
                            const char *const *expected)
{
    struct variants made;
    bool lettered[MOST];
    make(&made, variants, count);
    char **names = lauka_result_short_names(&made.result, 20, true, lettered);
    EXPECT(names != NULL);
    for (size_t i = 0; names && i < count; i++)
        EXPECT_TEXT(names[i], expected[i]);
    lauka_free_texts(names, count);
}

#define VARIANTS(...) ((const struct variant[]){__VA_ARGS__})
#define EXPECTED(...) ((const char *const[]){__VA_ARGS__})

static void variants_of_one_command_are_called_by_their_parameters(void)
{
    expect_variants(VARIANTS({"gzip -kc words.txt gzip.txt", "tool", "gzip"},
                             {"xz -1 -kc words.txt xz -1.txt", "tool", "xz -1"},
                             {" -kc words.txt .txt", "tool", ""}),
                    3, EXPECTED("tool=gzip", "tool=xz -1", "tool="));
    expect_variants(VARIANTS({"./prog --long-option -n 1 11", "n", "1"},
                             {"./prog --long-option -n 11 111", "n", "11"}),
                    2, EXPECTED("n=1", "n=11"));
}

static void other_commands_are_not_called_by_their_parameters(void)
{
    static const char *const words[] = {"gzip -kc … gzip.txt", "xz -1 -k … xz -1.txt"};
    static const char *const program[] = {"gzip … gzip.txt", "xz -1 … xz -1.txt"};
    expect_variants(VARIANTS({"gzip -kc words.txt gzip.txt", "tool", "gzip"},
                             {"xz -1 -k words.txt xz -1.txt", "tool", "xz -1"}),
                    2, words);
    expect_variants(VARIANTS({"gzip -kc words.txt gzip.txt", "tool", "gzip"},
                             {"xz -1 -kc words.txt xz -1.txt", "program", "xz -1"}),
                    2, program);
    expect_variants(VARIANTS({"gzip -kc words.txt gzip.txt", "tool", "gzip"},
                             {"xz -1 -kc words.txt xz -1.txt", NULL, NULL}),
                    2, program);
    expect_variants(VARIANTS({"gzip -kc words.txt gzip.txt", "t", "1"},
                             {"xz -1 -kc words.txt xz -1.txt", "t", "1"}),
                    2, program);
}

static void labels_that_fit_stay_although_parameters_made_them(void)
{
    expect_variants(VARIANTS({"sleep 1", "t", "1"}, {"sleep 2", "t", "2"}), 2,
                    EXPECTED("sleep 1", "sleep 2"));
}

/* In one document, and in one of another width. */
static void a_command_has_one_name_in_a_document(void)
{
    struct variants made;
    make(&made,
         VARIANTS({.label = "./prog --input numbers.json --threads 1"},
                  {.label = "./prog --input numbers.json --threads 4"},
                  {.label = "./prog --input numbers.json --threads 4"}),
         3);
    struct lauka_result result = made.result;
    const struct lauka_result_command *commands = made.commands;
    EXPECT(lauka_result_number_names(&result) == 0);
    struct lauka_prose wide = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    struct lauka_prose narrow = lauka_prose_begin(NULL, (struct lauka_terminal){60, .utf8 = true});
    EXPECT_TEXT(lauka_say_name(&wide, &result, 0), commands[0].label);
    EXPECT_TEXT(lauka_say_name(&narrow, &result, 0), "./prog … --threads 1");
    EXPECT_TEXT(lauka_say_name(&narrow, &result, 2), "./prog … --threads 4 (2)");
    EXPECT_TEXT(lauka_say_subject(&narrow, &result, 2), "`./prog … --threads 4` (2)");
    EXPECT_TEXT(lauka_say_whole(&narrow, &result, 2), commands[2].label);
    EXPECT(lauka_is_shortened(&narrow, &result, 2) && !lauka_is_shortened(&wide, &result, 2));
    EXPECT(lauka_prose_done(&wide) == 0 && lauka_prose_done(&narrow) == 0);
}

static void what_is_computed_for_a_document_is_found_again(void)
{
    static int about[3], computed[3];
    struct lauka_prose prose = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    EXPECT(lauka_prose_recall(&prose, &about[0]) == NULL);
    for (size_t i = 0; i < 3; i++)
        lauka_prose_remember(&prose, &about[i], &computed[i]);
    for (size_t i = 0; i < 9; i++)
        EXPECT(lauka_prose_recall(&prose, &about[i * i % 3]) == &computed[i * i % 3]);
    EXPECT(lauka_prose_done(&prose) == 0);
}

/* ---- any lines ------------------------------------------------------------------------------------------ */

static const char *const vocabulary[] = {
    "-n",  "1", "2",    "16",       "--threads", "--input",     "data/words.txt", "big.json",
    "-kc", "|", "sort", "LC_ALL=C", "uniq",      "--mode=fast", "--mode=slow",    "語",
    "x",   "y", "-v",   "--",       "\"a",       "b\"",
};
enum { VOCABULARY = sizeof vocabulary / sizeof *vocabulary };

enum { WORDS = 10 };

struct drawn {
    const char *words[WORDS];
    char text[400];
};

static const char *draw_word(struct lauka_random *random)
{
    return vocabulary[lauka_random_below(random, VOCABULARY)];
}

static const char *draw_program(struct lauka_random *random)
{
    static const char *const programs[] = {"./prog", "/home/me/build-a/bin/prog",
                                           "/home/me/build-b/bin/prog", "gzip", "git"};
    return programs[lauka_random_below(random, sizeof programs / sizeof *programs)];
}

/* A line in which every eighth word is another one, or missing, or has one in front. */
static void vary(struct lauka_random *random, const struct drawn *from, struct drawn *line)
{
    *line = *from;
    line->text[0] = 0;
    line->words[0] = lauka_random_below(random, 8) == 0 ? draw_program(random) : from->words[0];
    for (size_t w = 0; w < WORDS; w++) {
        const uint64_t change = w == 0 ? 4 : lauka_random_below(random, 24);
        if (change == 0)
            line->words[w] = draw_word(random);
        if (change == 1)
            continue;
        if (change == 2)
            strcat(strcat(line->text, draw_word(random)), " ");
        strcat(strcat(line->text, line->words[w]), w + 1 < WORDS ? " " : "");
    }
}

static size_t count_word(const char *line, const char *word)
{
    const size_t size = strlen(word);
    size_t count = 0;
    for (const char *at = strstr(line, word); at; at = strstr(at + 1, word))
        count += (at == line || at[-1] == ' ') && (at[size] == 0 || at[size] == ' ');
    return count;
}

static bool same_program(const struct drawn *left, const struct drawn *right)
{
    const char *own = strrchr(left->words[0], '/'), *other = strrchr(right->words[0], '/');
    return strcmp(own ? own + 1 : left->words[0], other ? other + 1 : right->words[0]) == 0;
}

/* How often a line has the word more than another one of the same program, or of any. */
static size_t times_more(const struct drawn *lines, size_t count, size_t which, const char *word,
                         bool of_any_program)
{
    const size_t own = count_word(lines[which].text, word);
    size_t fewest = own;
    for (size_t i = 0; i < count; i++)
        if (of_any_program || same_program(&lines[i], &lines[which])) {
            const size_t other = count_word(lines[i].text, word);
            fewest = other < fewest ? other : fewest;
        }
    return own - fewest;
}

/* Every word that the line has more often than another one of the same program, or of any, is as often in its name. */
static void expect_differing_words(const struct drawn *lines, size_t count, size_t which,
                                   const char *name, bool of_any_program)
{
    char copy[400];
    strcpy(copy, lines[which].text);
    for (char *rest = copy, *word = strtok_r(copy, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest))
        EXPECT(strchr(word, '/') ||
               count_word(name, word) >= times_more(lines, count, which, word, of_any_program));
}

static bool repeats_a_word(const struct drawn *line)
{
    char copy[400];
    strcpy(copy, line->text);
    for (char *rest = copy, *word = strtok_r(copy, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest))
        if (count_word(line->text, word) > 1)
            return true;
    return false;
}

/* Columns of a name with every word of the line that one of the others lacks, each with a mark beside it. Where words
 * are repeated, their places matter, too, and no name is expected to be short enough. */
static int columns_of_differing(const struct drawn *lines, size_t count, size_t which)
{
    int columns = 0;
    for (size_t i = 0; i < count; i++)
        if (repeats_a_word(&lines[i]))
            return INT_MAX;
    char copy[400];
    strcpy(copy, lines[which].text);
    for (char *rest = copy, *word = strtok_r(copy, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest))
        if (word == copy || times_more(lines, count, which, word, true) > 0)
            columns += lauka_display_width(word) + 3;
    return columns;
}

/* Whether another line has the same words, in another order. */
static bool has_the_words_of_another(const struct drawn *lines, size_t count, size_t which)
{
    for (size_t i = 0; i < count; i++) {
        bool same = strcmp(lines[i].text, lines[which].text) != 0;
        const struct drawn pair[2] = {lines[which], lines[i]};
        char copy[400];
        strcpy(copy, lines[which].text);
        for (char *rest = copy, *word = strtok_r(copy, " ", &rest); same && word;
             word = strtok_r(NULL, " ", &rest))
            same = times_more(pair, 2, 0, word, true) == 0;
        if (same)
            return true;
    }
    return false;
}

static void of_any_lines_no_two_have_one_name_and_none_loses_a_differing_word(void)
{
    struct lauka_random random;
    size_t shortened = 0, fitting = 0;
    lauka_random_seed(&random, 20261126);
    for (size_t set = 0; set < 2000; set++) {
        const size_t count = 2 + lauka_random_below(&random, MOST - 1);
        const int width = 20 + (int)lauka_random_below(&random, 50);
        struct drawn lines[MOST], first = {.words = {draw_program(&random)}};
        const char *texts[MOST];
        bool lettered[MOST];
        for (size_t w = 1; w < WORDS; w++)
            first.words[w] = draw_word(&random);
        for (size_t i = 0; i < count; i++) {
            vary(&random, &first, &lines[i]);
            texts[i] = lines[i].text;
        }
        char **names = lauka_short_names(texts, count, width, true, lettered);
        EXPECT(names != NULL);
        for (size_t i = 0; names && i < count; i++) {
            EXPECT(lauka_display_width(names[i]) <= width);
            for (size_t j = 0; j < i; j++)
                EXPECT((strcmp(names[i], names[j]) == 0) == (strcmp(texts[i], texts[j]) == 0));
            if (!lettered[i])
                expect_differing_words(lines, count, i, names[i], false);
            if (!lettered[i] && columns_of_differing(lines, count, i) <= width) {
                expect_differing_words(lines, count, i, names[i], true);
                fitting++;
            }
            /* a letter only where the words that differ have no room, or do not tell lines apart */
            EXPECT(!lettered[i] || columns_of_differing(lines, count, i) > width ||
                   has_the_words_of_another(lines, count, i));
            shortened += !lettered[i] && strcmp(names[i], texts[i]) != 0;
        }
        lauka_free_texts(names, count);
    }
    EXPECT(shortened > 1000 && fitting > 100);
}

int main(void)
{
    TEST(names_that_are_alike_stand_side_by_side);
    TEST(lines_that_fit_are_their_own_names);
    TEST(the_program_and_the_words_that_differ_stay);
    TEST(a_value_stays_with_its_option);
    TEST(lines_of_one_program_lose_what_they_share_beside_a_line_of_another);
    TEST(an_option_goes_before_its_value_does);
    TEST(paths_keep_their_last_name_and_the_folders_that_differ);
    TEST(two_marks_never_stand_side_by_side);
    TEST(letters_are_the_last_resort);
    TEST(a_name_like_a_letter_makes_letters_of_all);
    TEST(what_could_drive_a_terminal_is_in_no_name);
    TEST(marks_without_end_are_no_name);
    TEST(variants_of_one_command_are_called_by_their_parameters);
    TEST(other_commands_are_not_called_by_their_parameters);
    TEST(labels_that_fit_stay_although_parameters_made_them);
    TEST(a_command_has_one_name_in_a_document);
    TEST(what_is_computed_for_a_document_is_found_again);
    TEST(of_any_lines_no_two_have_one_name_and_none_loses_a_differing_word);
    return expect_report("short_names");
}
