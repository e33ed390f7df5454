/* Short names of command lines: the program and the words in which the lines differ. A name that is cut at any place may
 * lose exactly what tells it from the others: "/home/ci/…--iterations 1000" of two builds. */
#include "report/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_PIECES = 256, /* what follows belongs to the last piece */
    LONG_WORD = 12,    /* columns; shorter words are never taken apart */
    FEW_COLUMNS = 2,   /* pieces of so few columns are not worth a mark in their place */
};

struct piece {
    const char *text; /* within the line; no 0 at its end */
    size_t size;
    bool kept;
};

struct line {
    const char *text;     /* borrowed */
    struct piece *pieces; /* owned */
    size_t count;
};

/* How lines are taken apart. */
struct manner {
    const char *separators;
    bool is_part; /* a separator belongs to the piece that it ends */
    bool
        keeps_first; /* the program of a command line; otherwise the last piece, as that of a path */
};

static const struct manner by_words = {" \t", false, true};
static const struct manner by_folders = {"/", true, false};
static const struct manner by_syllables = {"-_.=,:", true, false};

/* ---- pieces ------------------------------------------------------------------------------------------- */

static bool same_piece(const struct piece *left, const struct piece *right)
{
    return left->size == right->size && memcmp(left->text, right->text, left->size) == 0;
}

/* Returns false if there is no memory. */
static bool split(struct line *line, const struct manner *manner)
{
    const char *at = line->text;
    const size_t most = strlen(at) + 1;
    line->pieces = calloc(most < MOST_PIECES ? most : MOST_PIECES, sizeof *line->pieces);
    line->count = 0;
    while (line->pieces && *at) {
        size_t size = line->count + 1 < MOST_PIECES ? strcspn(at, manner->separators) : strlen(at);
        if (manner->is_part && at[size])
            size += strspn(at + size, manner->separators);
        if (size > 0)
            line->pieces[line->count++] = (struct piece){.text = at, .size = size};
        at += size;
        if (!manner->is_part)
            at += strspn(at, manner->separators);
    }
    return line->pieces != NULL;
}

/* The index of the piece that every name keeps. */
static size_t fixed_piece(const struct line *line, const struct manner *manner)
{
    return manner->keeps_first || line->count == 0 ? 0 : line->count - 1;
}

/* The longest sequence that is in both, in this order (Wagner and Fischer, 1974). *count pieces of `common` become
 * fewer. Returns false if there is no memory. */
static bool keep_common(struct piece *common, size_t *count, const struct line *line, size_t fixed)
{
    const size_t rows = *count, columns = line->count, width = columns + 1;
    unsigned short *lengths =
        calloc((rows + 1) * width, sizeof *lengths); /* of what follows [row][column] */
    if (!lengths)
        return false;
    for (size_t r = rows; r-- > 0;)
        for (size_t c = columns; c-- > 0;) {
            const unsigned short below = lengths[(r + 1) * width + c],
                                 right = lengths[r * width + c + 1];
            lengths[r * width + c] = below > right ? below : right;
            if (c != fixed && same_piece(&common[r], &line->pieces[c]))
                lengths[r * width + c] = (unsigned short)(lengths[(r + 1) * width + c + 1] + 1);
        }
    *count = 0;
    for (size_t r = 0, c = 0; r < rows && c < columns;) {
        if (c != fixed && same_piece(&common[r], &line->pieces[c])) {
            common[(*count)++] = common[r++];
            c++;
        } else if (lengths[(r + 1) * width + c] >= lengths[r * width + c + 1]) {
            r++;
        } else {
            c++;
        }
    }
    free(lengths);
    return true;
}

/* Keeps all pieces but those that are common to all lines. */
static void keep_others(struct line *line, size_t fixed, const struct piece *common, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < line->count; i++) {
        const bool shared =
            i != fixed && found < count && same_piece(&common[found], &line->pieces[i]);
        line->pieces[i].kept = !shared;
        found += shared;
    }
}

/* Marks in each of the lines what its name keeps. Returns false if there is no memory. */
static bool mark(struct line *lines, size_t count, const struct manner *manner)
{
    struct piece *common = calloc(MOST_PIECES, sizeof *common);
    size_t commons = 0;
    bool good = common != NULL;
    for (size_t i = 0; good && i < lines[0].count; i++)
        if (i != fixed_piece(&lines[0], manner))
            common[commons++] = lines[0].pieces[i];
    for (size_t i = 1; good && i < count; i++)
        if (strcmp(lines[i].text, lines[i - 1].text) != 0)
            good = keep_common(common, &commons, &lines[i], fixed_piece(&lines[i], manner));
    for (size_t i = 0; good && i < count; i++)
        keep_others(&lines[i], fixed_piece(&lines[i], manner), common, commons);
    free(common);
    return good;
}

static bool is_option(const struct piece *piece)
{
    return piece->text[0] == '-';
}

/* "--threads 1": the value that differs is read with its option, although all lines have that. */
static void keep_options_of_values(struct line *line)
{
    for (size_t i = 1; i < line->count; i++)
        if (line->pieces[i].kept && !is_option(&line->pieces[i]) && is_option(&line->pieces[i - 1]))
            line->pieces[i - 1].kept = true;
}

/* ---- names -------------------------------------------------------------------------------------------- */

static const char *mark_of(bool utf8)
{
    return utf8 ? "…" : "..";
}

static int columns_of(const struct piece *pieces, size_t count)
{
    int columns = 0;
    for (size_t i = 0; i < count; i++) {
        char *text = strndup(pieces[i].text, pieces[i].size);
        columns += text ? lauka_display_width(text) : 0;
        free(text);
    }
    return columns;
}

/* The pieces that are kept, a mark for each run of others. NULL if there is no memory. */
static char *join(const struct line *line, const struct manner *manner, bool utf8)
{
    const char *between = manner->is_part ? "" : " ";
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (size_t i = 0, run; i < line->count; i += run) {
        const struct piece *piece = &line->pieces[i];
        fputs(i > 0 ? between : "", out);
        for (run = 1; !piece->kept && i + run < line->count && !piece[run].kept;)
            run++;
        const struct piece *last = &piece[run - 1];
        if (piece->kept || columns_of(piece, run) <= FEW_COLUMNS)
            fwrite(piece->text, 1, (size_t)(last->text + last->size - piece->text), out);
        else
            fprintf(out, "%s%s", mark_of(utf8), last->text[last->size - 1] == '/' ? "/" : "");
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static void free_lines(struct line *lines, size_t count)
{
    for (size_t i = 0; lines && i < count; i++)
        free(lines[i].pieces);
    free(lines);
}

/* Owned by the caller; NULL if there is no memory. */
static struct line *take_apart(char *const *texts, size_t count, const struct manner *manner)
{
    struct line *lines = calloc(count, sizeof *lines);
    bool good = lines != NULL;
    for (size_t i = 0; good && i < count; i++) {
        lines[i].text = texts[i];
        good = split(&lines[i], manner);
    }
    if (good && mark(lines, count, manner))
        return lines;
    free_lines(lines, count);
    return NULL;
}

/* Marks that combine take no columns: without a limit in bytes they could pile up without end. */
static bool fits(const char *text, int width)
{
    return lauka_display_width(text) <= width && strlen(text) <= 4 * (size_t)width;
}

static bool all_fit(char *const *texts, size_t count, int width)
{
    for (size_t i = 0; i < count; i++)
        if (!fits(texts[i], width))
            return false;
    return true;
}

/* Words that stand at one place of all lines: without what they have in common, if one of them is long. They are
 * replaced. Returns false if there is no memory. */
static bool shorten_words(char **words, size_t count, const struct manner *manner, bool utf8)
{
    if (all_fit(words, count, LONG_WORD))
        return true;
    struct line *lines = take_apart(words, count, manner);
    bool good = lines != NULL, same = true;
    for (size_t i = 1; i < count; i++)
        same = same && strcmp(words[i], words[0]) == 0;
    for (size_t i = 0; good && i < count; i++) {
        const struct piece *last = &lines[i].pieces[fixed_piece(&lines[i], manner)];
        char *text =
            same && manner == &by_folders ? strdup(last->text) : join(&lines[i], manner, utf8);
        good = text != NULL;
        if (good) {
            free(words[i]);
            words[i] = text;
        }
    }
    free_lines(lines, count);
    return good;
}

static bool starts_with_mark(const char *word, bool utf8)
{
    return strncmp(word, mark_of(utf8), strlen(mark_of(utf8))) == 0;
}

/* One mark instead of two: "… …t3" becomes "…t3". */
static void merge_marks(char *text, bool utf8)
{
    for (char *word = text; *word;) {
        const size_t size = strcspn(word, by_words.separators);
        char *next = word + size + strspn(word + size, by_words.separators);
        if (size == strlen(mark_of(utf8)) && starts_with_mark(word, utf8) &&
            starts_with_mark(next, utf8))
            memmove(word, next, strlen(next) + 1);
        else
            word = next;
    }
}

/* Replaces the word at one place of each line, as the caller has them in `texts`. The places are the same in all of
 * them. Returns false if there is no memory. */
static bool shorten_place(char **texts, size_t count, size_t place, const struct manner *manner,
                          bool utf8)
{
    char **words = calloc(count, sizeof *words);
    struct line *lines = words ? calloc(count, sizeof *lines) : NULL;
    bool good = lines != NULL;
    for (size_t i = 0; good && i < count; i++) {
        lines[i].text = texts[i];
        good = split(&lines[i], &by_words);
        words[i] = good ? strndup(lines[i].pieces[place].text, lines[i].pieces[place].size) : NULL;
        good = words[i] != NULL;
    }
    good = good && shorten_words(words, count, manner, utf8);
    for (size_t i = 0; good && i < count; i++) {
        const struct piece *piece = &lines[i].pieces[place];
        const size_t before = (size_t)(piece->text - texts[i]), after = before + piece->size;
        const size_t size = before + strlen(words[i]) + strlen(texts[i] + after) + 1;
        char *text = malloc(size);
        good = text != NULL;
        if (good) {
            snprintf(text, size, "%.*s%s%s", (int)before, texts[i], words[i], texts[i] + after);
            free(texts[i]);
            texts[i] = text;
        }
    }
    free_lines(lines, count);
    lauka_free_texts(words, count);
    return good;
}

/* How many words of the lines stand at the same places: all if each line has as many, otherwise the program alone.
 * Returns false if there is no memory. */
static bool count_places(char *const *texts, size_t count, size_t *places)
{
    size_t fewest = MOST_PIECES, most = 0;
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        struct line line = {.text = texts[i]};
        good = split(&line, &by_words);
        fewest = line.count < fewest ? line.count : fewest;
        most = line.count > most ? line.count : most;
        free(line.pieces);
    }
    *places = fewest == most || fewest == 0 ? fewest : 1;
    return good;
}

/* Takes long words apart, too, where the names are too wide. Marks are merged when all places are done, because words
 * change their places then. Returns false if there is no memory. */
static bool shorten_long_words(char **texts, size_t count, int width, bool utf8)
{
    static const struct manner *const manners[] = {&by_folders, &by_syllables};
    size_t places = 0;
    bool good = true;
    for (size_t m = 0;
         good && m < sizeof manners / sizeof *manners && !all_fit(texts, count, width); m++) {
        good = count_places(texts, count, &places);
        for (size_t place = 0; good && place < places; place++)
            good = shorten_place(texts, count, place, manners[m], utf8);
        for (size_t i = 0; good && i < count; i++)
            merge_marks(texts[i], utf8);
    }
    return good;
}

/* The program of each line and the words that not all have; options: and the option before such a word. Returns false if
 * there is no memory. */
static bool shorten_lines(char **texts, size_t count, bool options, bool utf8)
{
    struct line *lines = take_apart(texts, count, &by_words);
    bool good = lines != NULL;
    for (size_t i = 0; good && i < count; i++) {
        if (options)
            keep_options_of_values(&lines[i]);
        char *name = join(&lines[i], &by_words, utf8);
        good = name != NULL;
        if (good) {
            free(texts[i]);
            texts[i] = name;
            lines[i].text = NULL;
        }
    }
    free_lines(lines, count);
    return good;
}

/* ---- letters --------------------------------------------------------------------------------------------- */

static int compare_named(const void *left, const void *right)
{
    const struct lauka_named *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    order = order ? order : strcmp(a->text, b->text);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

struct lauka_named *lauka_sort_named(const char *const *texts, char *const *names, size_t count)
{
    struct lauka_named *sorted = calloc(count + 1, sizeof *sorted);
    for (size_t i = 0; sorted && i < count; i++)
        sorted[i] = (struct lauka_named){texts ? texts[i] : names[i], names[i], i};
    if (sorted)
        qsort(sorted, count, sizeof *sorted, compare_named);
    return sorted;
}

size_t lauka_count_alike(const struct lauka_named *sorted, size_t count)
{
    size_t alike = 1;
    while (alike < count && strcmp(sorted[alike].name, sorted[0].name) == 0)
        alike++;
    return alike;
}

char *lauka_format_letter(size_t index, char *text, size_t size)
{
    if (index < 26)
        snprintf(text, size, "%c", (char)('A' + index));
    else
        snprintf(text, size, "#%zu", index + 1);
    return text;
}

/* Whether the name could be read as the letter of one of these lines. */
static bool is_like_letter(const char *name)
{
    return (*name >= 'A' && *name <= 'Z' && !name[1]) || *name == '#';
}

/* Marks the names that are too wide, and those of several lines that differ; all of them where a name that is none of
 * these could be read as a letter. */
static void mark_lettered(const struct lauka_named *sorted, size_t count, int width, bool *lettered)
{
    bool any = false, confusing = false;
    for (size_t i = 0, alike; i < count; i += alike) {
        alike = lauka_count_alike(sorted + i, count - i);
        const bool needed =
            !fits(sorted[i].name, width) || strcmp(sorted[i].text, sorted[i + alike - 1].text) != 0;
        for (size_t n = 0; n < alike; n++)
            lettered[sorted[i + n].index] = needed;
        any = any || needed;
        confusing = confusing || (!needed && is_like_letter(sorted[i].name));
    }
    for (size_t i = 0; i < count && any && confusing; i++)
        lettered[i] = true;
}

/* Lines that are equal have the letter of the first of them. Returns false if there is no memory. */
static bool give_letters(const char *const *texts, char **names, size_t count, int width,
                         bool *lettered)
{
    struct lauka_named *sorted = lauka_sort_named(texts, names, count);
    char letter[24];
    bool good = sorted != NULL;
    if (sorted)
        mark_lettered(sorted, count, width, lettered);
    for (size_t i = 0, first = 0; good && i < count; i++) {
        const size_t own = sorted[i].index;
        first = i > 0 && strcmp(sorted[i].text, sorted[i - 1].text) == 0 ? first : own;
        if (!lettered[own])
            continue;
        free(names[own]);
        names[own] = strdup(lauka_format_letter(first, letter, sizeof letter));
        good = names[own] != NULL;
    }
    free(sorted);
    return good;
}

/* The lines, safe to show. Owned by the caller; NULL if there is no memory. */
static char **whole_names(const char *const *texts, size_t count, bool utf8)
{
    char **names = calloc(count + 1, sizeof *names);
    for (size_t i = 0; names && i < count; i++) {
        names[i] = lauka_safe_text(texts[i], utf8);
        if (!names[i]) {
            lauka_free_texts(names, count);
            return NULL;
        }
    }
    return names;
}

static char **shorter_names(const char *const *texts, size_t count, int width, bool options,
                            bool utf8)
{
    char **names = whole_names(texts, count, utf8);
    if (names && shorten_lines(names, count, options, utf8) &&
        shorten_long_words(names, count, width, utf8))
        return names;
    lauka_free_texts(names, count);
    return NULL;
}

/* The other name in place of one that is too wide, if it fits. */
static void exchange(char **name, char **other, int width)
{
    char *wide = *name;
    if (fits(wide, width) || !fits(*other, width))
        return;
    *name = *other;
    *other = wide;
}

/* The first of these that fit: whole, with options, without them; if none does, those with options where these fit. */
static char **names_of(const char *const *texts, size_t count, int width, bool utf8)
{
    char **names = whole_names(texts, count, utf8);
    if (!names || all_fit(names, count, width))
        return names;
    lauka_free_texts(names, count);
    names = shorter_names(texts, count, width, true, utf8);
    if (!names || all_fit(names, count, width))
        return names;
    char **least = shorter_names(texts, count, width, false, utf8);
    const bool done = !least || all_fit(least, count, width);
    for (size_t i = 0; i < count && !done; i++)
        exchange(&names[i], &least[i], width);
    lauka_free_texts(done ? names : least, count);
    return done ? least : names;
}

/* ---- names among lines of one program ------------------------------------------------------------------- */

/* The last name of the program's path, which ends at *size. */
static const char *program_of(const char *line, size_t *size)
{
    const char *first = line + strspn(line, by_words.separators);
    const char *end = first + strcspn(first, by_words.separators), *name = end;
    while (name > first && name[-1] != '/')
        name--;
    *size = (size_t)(end - name);
    return name;
}

static bool same_program(const char *left, const char *right)
{
    size_t size, other_size;
    const char *name = program_of(left, &size), *other = program_of(right, &other_size);
    return size == other_size && memcmp(name, other, size) == 0;
}

/* Replaces the names that are too wide, of the lines with the program of line `first`, by those that they have among
 * themselves. places: room for `count`. Returns false if there is no memory. */
static bool shorten_group(const char *const *texts, char **names, size_t count, size_t first,
                          int width, bool utf8, size_t *places)
{
    size_t members = 0;
    for (size_t i = 0; i < count; i++)
        if (same_program(texts[first], texts[i]))
            places[members++] = i;
    if (members == 1 || members == count || places[0] != first)
        return true;
    const char **lines = calloc(members, sizeof *lines);
    for (size_t m = 0; lines && m < members; m++)
        lines[m] = texts[places[m]];
    char **own = lines ? names_of(lines, members, width, utf8) : NULL;
    for (size_t m = 0; own && m < members; m++)
        exchange(&names[places[m]], &own[m], width);
    const bool good = own != NULL;
    lauka_free_texts(own, members);
    free(lines);
    return good;
}

/* A line of another program shares no words with them, so that all words of each would stay. Returns false if there is no
 * memory. */
static bool shorten_groups(const char *const *texts, char **names, size_t count, int width,
                           bool utf8)
{
    size_t *places = calloc(count + 1, sizeof *places);
    bool good = places != NULL;
    for (size_t i = 0; good && i < count && !all_fit(names, count, width); i++)
        good = shorten_group(texts, names, count, i, width, utf8, places);
    free(places);
    return good;
}

static char **name_alone(const char *text, int width, bool utf8)
{
    char **names = calloc(2, sizeof *names);
    if (names && (names[0] = lauka_fit_text(text, width, utf8)))
        return names;
    free(names);
    return NULL;
}

char **lauka_short_names(const char *const *texts, size_t count, int width, bool utf8,
                         bool *lettered)
{
    for (size_t i = 0; i < count; i++)
        lettered[i] = false;
    if (count == 1)
        return name_alone(texts[0], width, utf8);
    char **names = names_of(texts, count, width, utf8);
    if (names && shorten_groups(texts, names, count, width, utf8) &&
        give_letters(texts, names, count, width, lettered))
        return names;
    lauka_free_texts(names, count);
    return NULL;
}
