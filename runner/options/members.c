/* Options that are fully described by their row: a value of a kind, stored in a member of struct
 * lauka_options. */
#include "runner/options/table.h"
#include "runner/options/values.h"
#include "runner/base/base.h"
#include "runner/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* "time or rounds", "a, b or c". */
static void list_words(const char *words, char *text, size_t size)
{
    size_t used = 0;

    for (*text = '\0'; *words && used < size; words += strcspn(words, " ")) {
        words += *words == ' ';
        size_t length = strcspn(words, " ");
        const char *between = used == 0 ? "" : words[length] ? ", " : " or ";
        used += (size_t)snprintf(text + used, size - used, "%s%.*s", between, (int)length, words);
    }
}

/* What an enum holds is an unsigned number. */
static bool set_choice(const struct option_row *row, const char *text, void *member,
                       struct lauka_error *error)
{
    size_t length = strlen(text);
    unsigned place = 0;
    char list[120];

    for (const char *word = row->words; *word; place++) {
        size_t own = strcspn(word, " ");
        if (own == length && strncmp(word, text, length) == 0) {
            memcpy(member, &place, sizeof place);
            return true;
        }
        word += own + (word[own] == ' ');
    }
    list_words(row->words, list, sizeof list);
    return lauka_fail(error, LAUKA_EXIT_USAGE, "--%s %.100s: expected %s", row->name, text, list);
}

bool option_member_set(const struct option_row *row, const char *text,
                       struct lauka_options *options, struct lauka_error *error)
{
    void *member = (char *)options + row->member;

    switch (row->kind) {
    case KIND_FLAG:
        *(bool *)member = true;
        return true;
    case KIND_COUNT:
        return option_parse_count(row->name, text, row->least, member, error);
    case KIND_DURATION:
        return option_parse_duration(row->name, text, member, error);
    case KIND_MILLISECONDS:
        return option_parse_milliseconds(row->name, text, member, error);
    case KIND_PERCENT:
        return option_parse_percent(row->name, text, member, error);
    case KIND_CHOICE:
        return set_choice(row, text, member, error);
    case KIND_TEXT:
        *(const char **)member = text ? text : "";
        return true;
    case KIND_TEXTS:
        return option_add_text(member, text, error);
    case KIND_FILE:
        *(struct lauka_output *)member =
            (struct lauka_output){true, text && strcmp(text, "-") != 0 ? text : NULL};
        return true;
    case KIND_ASKED:
    case KIND_EACH:
        break;
    }
    return true;
}

void option_member_format(const struct option_row *row, const struct lauka_options *options,
                          char *text, size_t size)
{
    const void *member = (const char *)options + row->member;

    text[0] = '\0';
    if (row->kind == KIND_COUNT)
        snprintf(text, size, "%" PRIu64, *(const uint64_t *)member);
    else if (row->kind == KIND_DURATION)
        snprintf(text, size, "%gs", (double)*(const uint64_t *)member / 1e9);
    else if (row->kind == KIND_PERCENT)
        snprintf(text, size, "%g%%", 100 * *(const double *)member);
    else if (row->kind == KIND_TEXT && *(const char *const *)member)
        snprintf(text, size, "%s", *(const char *const *)member);
}
