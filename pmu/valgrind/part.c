/* valgrind_part: one file of valgrind's. cachegrind writes one when a process ends; callgrind also
 * before the functions that fork and execute, and each of its files holds what was done since the
 * one before. See cg_annotate(1) and the format's description in callgrind's manual. */
#include "pmu/valgrind/valgrind.h"

#include <string.h>

/* Borrowed; never with a NUL at its end. */
struct piece {
    const char *from;
    size_t size;
};

/* The next word of a line; false at its end. */
static bool next_word(struct piece *line, struct piece *word)
{
    while (line->size > 0 && *line->from == ' ') {
        line->from++;
        line->size--;
    }
    *word = (struct piece){line->from, 0};
    while (line->size > 0 && *line->from != ' ') {
        word->size++;
        line->from++;
        line->size--;
    }
    return word->size > 0;
}

static bool parse_number(struct piece word, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < word.size; i++) {
        unsigned digit = (unsigned)(unsigned char)word.from[i] - '0';
        if (digit > 9 || *number > (UINT64_MAX - 1 - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return word.size > 0;
}

static bool is_word(struct piece word, const char *text)
{
    return strlen(text) == word.size && memcmp(word.from, text, word.size) == 0;
}

/* ---- lines ----------------------------------------------------------------------------------- */

enum line { EVENTS, SUMMARY, TOTALS, RANGE, TRIGGER, LINES };
static const char *const keys[LINES] = {
    "events:", "summary:", "totals:", "desc: Timerange: ", "desc: Trigger: "};

static void remember(struct piece line, struct piece found[LINES])
{
    for (size_t k = 0; k < LINES; k++) {
        size_t length = strlen(keys[k]);
        if (line.size >= length && memcmp(line.from, keys[k], length) == 0)
            found[k] = (struct piece){line.from + length, line.size - length};
    }
}

/* The last line of each kind, without its key: a command's own words, which stand in the file as they
 * are, may look like a line, but only before the true one. False where the last line was cut off. */
static bool find_lines(const char *bytes, size_t size, struct piece found[LINES])
{
    const char *end = bytes + size;
    while (bytes < end) {
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        if (!newline)
            return false;
        if (*bytes >= 'a') /* most begin with a figure */
            remember((struct piece){bytes, (size_t)(newline - bytes)}, found);
        bytes = newline + 1;
    }
    return true;
}

static bool is_last(struct piece line, const char *bytes, size_t size)
{
    return line.from && line.from + line.size + 1 == bytes + size;
}

/* ---- figures --------------------------------------------------------------------------------- */

/* Which events make up a count; cg_annotate(1) says what they are. */
static const struct share {
    const char *event;
    enum lauka_valgrind_count count;
} shares[] = {
    {"Ir", LAUKA_VALGRIND_INSTRUCTIONS},   {"Bc", LAUKA_VALGRIND_BRANCHES},
    {"Bi", LAUKA_VALGRIND_BRANCHES},       {"Bcm", LAUKA_VALGRIND_BRANCH_MISSES},
    {"Bim", LAUKA_VALGRIND_BRANCH_MISSES}, {"D1mr", LAUKA_VALGRIND_L1D_MISSES},
    {"D1mw", LAUKA_VALGRIND_L1D_MISSES},   {"ILmr", LAUKA_VALGRIND_CACHE_MISSES},
    {"DLmr", LAUKA_VALGRIND_CACHE_MISSES}, {"DLmw", LAUKA_VALGRIND_CACHE_MISSES},
};
enum { SHARES = sizeof shares / sizeof *shares };

/* The share's number; SHARES: it is none of them. */
static size_t find_share(struct piece event)
{
    size_t s = 0;
    while (s < SHARES && !is_word(event, shares[s].event))
        s++;
    return s;
}

/* Callgrind leaves zeros at the end of the line out. */
static bool next_count(struct piece *numbers, bool may_end, uint64_t *number)
{
    struct piece word;
    if (next_word(numbers, &word))
        return parse_number(word, number);
    *number = 0;
    return may_end;
}

static bool read_counts(struct piece names, struct piece numbers, bool may_end,
                        uint64_t counts[LAUKA_VALGRIND_COUNTS])
{
    bool seen[SHARES] = {false}, good = true;
    struct piece name, word;
    uint64_t number;
    while (good && next_word(&names, &name)) {
        good = next_count(&numbers, may_end, &number);
        size_t s = find_share(name);
        if (s == SHARES || !good)
            continue;
        good = !seen[s] && counts[shares[s].count] <= UINT64_MAX - 1 - number;
        counts[shares[s].count] += number;
        seen[s] = true;
    }
    for (size_t s = 1; s < SHARES; s++)
        good = good && seen[0] && seen[s] == seen[1]; /* all, or instructions only */
    return good && !next_word(&numbers, &word);
}

/* "Basic block 12 - 345" */
static bool read_range(struct piece line, struct lauka_valgrind_part *part)
{
    struct piece word;
    return next_word(&line, &word) && is_word(word, "Basic") && next_word(&line, &word) &&
           next_word(&line, &word) && parse_number(word, &part->from) && next_word(&line, &word) &&
           next_word(&line, &word) && parse_number(word, &part->to) && part->from <= part->to;
}

static enum lauka_valgrind_end end_of(struct piece trigger)
{
    static const char before[] = "--dump-before=";
    size_t length = strlen(before);
    if (is_word(trigger, "Program termination"))
        return LAUKA_VALGRIND_ENDS;
    if (trigger.size < length || memcmp(trigger.from, before, length) != 0)
        return LAUKA_VALGRIND_GOES_ON;
    trigger.from += length;
    trigger.size -= length;
    for (size_t i = 0; lauka_valgrind_forks[i]; i++)
        if (is_word(trigger, lauka_valgrind_forks[i]))
            return LAUKA_VALGRIND_FORKS;
    for (size_t i = 0; lauka_valgrind_executions[i]; i++)
        if (is_word(trigger, lauka_valgrind_executions[i]))
            return LAUKA_VALGRIND_EXECUTES;
    return LAUKA_VALGRIND_GOES_ON;
}

bool lauka_valgrind_part_parse(const char *bytes, size_t size, struct lauka_valgrind_part *part)
{
    static const char first[] = "# callgrind format\n";
    struct piece lines[LINES] = {{0}};
    bool several = size >= strlen(first) && memcmp(bytes, first, strlen(first)) == 0;
    *part = (struct lauka_valgrind_part){.end = LAUKA_VALGRIND_ENDS};
    if (!find_lines(bytes, size, lines) || !lines[EVENTS].from ||
        !is_last(lines[several ? TOTALS : SUMMARY], bytes, size) ||
        lines[SUMMARY].from < lines[EVENTS].from)
        return false;
    if (several) {
        if (!lines[RANGE].from || !lines[TRIGGER].from || !read_range(lines[RANGE], part))
            return false;
        part->end = end_of(lines[TRIGGER]);
    }
    return read_counts(lines[EVENTS], lines[SUMMARY], several, part->counts);
}
