/* Names of command lines: the program and the words in which they differ, and never two alike. */
#include "tests/unit/expect.h"

#include "report/text/text.h"
#include "stats/stats.h"

enum { MOST = 8 };

static void free_names(char **names, size_t count)
{
    for (size_t i = 0; names && i < count; i++)
        free(names[i]);
    free(names);
}

static void expect_names(int width, const char *const *texts, size_t count,
                         const char *const *expected)
{
    bool lettered = true;
    char **names = lauka_short_names(texts, count, width, true, &lettered);
    EXPECT(names != NULL && !lettered);
    for (size_t i = 0; names && i < count; i++)
        EXPECT_TEXT(names[i], expected[i]);
    free_names(names, count);
}

#define NAMES(width, count, ...)                                                                   \
    do {                                                                                           \
        static const char *const texts_[2][count] = __VA_ARGS__;                                   \
        expect_names(width, texts_[0], count, texts_[1]);                                          \
    } while (0)

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
}

static void letters_are_the_last_resort(void)
{
    static const char *const texts[] = {"p x a y z and so on", "p x y a z and so on",
                                        "p x a y z and so on"};
    static const char *const wide[] = {"ParseLargeDocumentsWithManyFields",
                                       "SerializeSmallDocumentsQuickly"};
    bool lettered = false;
    char **names = lauka_short_names(texts, 3, 6, true, &lettered);
    EXPECT(names != NULL && lettered);
    EXPECT_TEXT(names[0], "A");
    EXPECT_TEXT(names[1], "B");
    EXPECT_TEXT(names[2], "A");
    free_names(names, 3);
    names = lauka_short_names(wide, 2, 20, true, &lettered);
    EXPECT(names != NULL && lettered);
    free_names(names, 2);
}

static void what_could_drive_a_terminal_is_in_no_name(void)
{
    static const char *const texts[] = {"./a\x1b[31m --with many words",
                                        "./b\x1b[31m --with many words"};
    bool lettered = false;
    char **names = lauka_short_names(texts, 2, 20, false, &lettered);
    EXPECT(names != NULL && !lettered);
    EXPECT_TEXT(names[0], "./a\\x1b[31m ..");
    EXPECT_TEXT(names[1], "./b\\x1b[31m ..");
    free_names(names, 2);
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

static bool has_word(const char *line, const char *word)
{
    const size_t size = strlen(word);
    for (const char *at = strstr(line, word); at; at = strstr(at + 1, word))
        if ((at == line || at[-1] == ' ') && (at[size] == 0 || at[size] == ' '))
            return true;
    return false;
}

/* Every word that the line has and another one lacks is in its name. */
static void expect_differing_words(const struct drawn *lines, size_t count, size_t which,
                                   const char *name)
{
    char copy[400];
    strcpy(copy, lines[which].text);
    for (char *rest = copy, *word = strtok_r(copy, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest)) {
        bool everywhere = true;
        for (size_t i = 0; i < count; i++)
            everywhere = everywhere && has_word(lines[i].text, word);
        EXPECT(everywhere || strchr(word, '/') || has_word(name, word));
    }
}

static void of_any_lines_no_two_have_one_name_and_none_loses_a_differing_word(void)
{
    struct lauka_random random;
    size_t shortened = 0;
    lauka_random_seed(&random, 20261126);
    for (size_t set = 0; set < 2000; set++) {
        const size_t count = 2 + lauka_random_below(&random, MOST - 1);
        const int width = 20 + (int)lauka_random_below(&random, 50);
        struct drawn lines[MOST], first = {.words = {draw_program(&random)}};
        const char *texts[MOST];
        bool lettered;
        for (size_t w = 1; w < WORDS; w++)
            first.words[w] = draw_word(&random);
        for (size_t i = 0; i < count; i++) {
            vary(&random, &first, &lines[i]);
            texts[i] = lines[i].text;
        }
        char **names = lauka_short_names(texts, count, width, true, &lettered);
        EXPECT(names != NULL);
        for (size_t i = 0; names && i < count; i++) {
            EXPECT(lauka_display_width(names[i]) <= width);
            for (size_t j = 0; j < i; j++)
                EXPECT((strcmp(names[i], names[j]) == 0) == (strcmp(texts[i], texts[j]) == 0));
            if (!lettered)
                expect_differing_words(lines, count, i, names[i]);
            shortened += !lettered && strcmp(names[i], texts[i]) != 0;
        }
        free_names(names, count);
    }
    EXPECT(shortened > 1000);
}

int main(void)
{
    TEST(lines_that_fit_are_their_own_names);
    TEST(the_program_and_the_words_that_differ_stay);
    TEST(a_value_stays_with_its_option);
    TEST(paths_keep_their_last_name_and_the_folders_that_differ);
    TEST(two_marks_never_stand_side_by_side);
    TEST(letters_are_the_last_resort);
    TEST(what_could_drive_a_terminal_is_in_no_name);
    TEST(of_any_lines_no_two_have_one_name_and_none_loses_a_differing_word);
    return expect_report("short_names");
}
