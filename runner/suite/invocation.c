/* Words for a framework: those of its adapter, in which something is filled in. */
#include "runner/suite/suite.h"
#include "runner/base/arena.h"
#include "runner/command/command.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

size_t lauka_word_number_at(const char *name, size_t length)
{
    size_t at = length;

    while (at > 0 && isdigit((unsigned char)name[at - 1]))
        at--;
    return at < length && at > 1 && name[at - 1] == '-' ? at - 1 : length;
}

/* POSIX has no escapes for the second of brackets, so that there any character may stand for it. numbered: what it ends in
 * may be none of the name. */
static char *escape(struct lauka_arena *arena, const char *name, bool parts, bool numbered)
{
    const size_t length = strlen(name), number = lauka_word_number_at(name, length);
    char *text = lauka_arena_take(arena, 3 * length + sizeof "()?"), *end = text;

    for (size_t i = 0; text && i < length; i++) {
        if (numbered && i == number)
            *end++ = '(';
        if (strchr("\\^$.|?*+()[{", name[i]))
            *end++ = '\\';
        if (parts && name[i] == '/')
            end = stpcpy(end, "$/^");
        else
            *end++ = name[i] == ']' || name[i] == '}' ? '.' : name[i];
    }
    if (text && numbered && number < length)
        strcpy(end, ")?");
    return text;
}

/* What this mark stands for; NULL without memory. */
static const char *value_of(struct lauka_arena *arena, const char *mark, size_t length,
                            const struct lauka_inner_request *asked)
{
    const double seconds = (double)asked->round_ns / 1e9;
    const bool counts = asked->iterations > 0;
    const struct {
        const char *mark, *text;
    } values[] = {
        {"folder", asked->folder},
        {"name", asked->name},
        {"regex", asked->name ? escape(arena, asked->name, false, false) : NULL},
        {"parts", asked->name ? escape(arena, asked->name, true, asked->numbered) : NULL},
        {"rounds", lauka_arena_print(arena, "%" PRIu64, asked->rounds)},
        {"seed", lauka_arena_print(arena, "%" PRIu64, asked->seed)},
        {"ns", lauka_arena_print(arena, "%" PRIu64, asked->round_ns)},
        {"seconds", lauka_arena_print(arena, "%.9f", seconds)},
        {"all_seconds", lauka_arena_print(arena, "%.9f", (double)asked->rounds * seconds)},
        {"iterations",
         lauka_arena_print(arena, "%" PRIu64 "%s", counts ? asked->iterations : asked->round_ns,
                           counts ? "x" : "ns")},
    };

    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (strncmp(values[i].mark, mark, length) == 0 && !values[i].mark[length])
            return values[i].text;
    return NULL;
}

/* NULL without memory. */
static char *fill(struct lauka_arena *arena, const char *word,
                  const struct lauka_inner_request *asked)
{
    const char *open = strchr(word, '{');

    if (!open)
        return lauka_arena_text(arena, word);
    const size_t length = strcspn(open + 1, "}");
    const char *value = value_of(arena, open + 1, length, asked);
    return value ? lauka_arena_print(arena, "%.*s%s%s", (int)(open - word), word, value,
                                     open + length + 2)
                 : NULL;
}

char **lauka_words_fill(struct lauka_arena *arena, const struct lauka_adapter *adapter,
                        const struct lauka_command *command, const char *const *words,
                        const struct lauka_inner_request *request)
{
    struct lauka_inner_request asked = *request;
    const char *const *more = words != adapter->run ? NULL
                              : request->name       ? adapter->run_one
                                                    : adapter->run_all;
    const size_t own = lauka_words_count((const char *const *)command->argv),
                 first = own + lauka_words_count(words), count = first + lauka_words_count(more);
    char **filled = lauka_arena_take(arena, (count + 1) * sizeof *filled);

    if (asked.rounds < adapter->least_rounds)
        asked.rounds = adapter->least_rounds;
    if (asked.round_ns < adapter->least_round_ns)
        asked.round_ns = adapter->least_round_ns;
    for (size_t i = 0; filled && i < count; i++) {
        filled[i] = i < own     ? command->argv[i]
                    : i < first ? fill(arena, words[i - own], &asked)
                                : fill(arena, more[i - first], &asked);
        if (!filled[i])
            return NULL;
    }
    return filled;
}
