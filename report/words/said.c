/* What is said about a result beside its tables. */
#include "report/words/said.h"
#include "report/result/result.h"
#include "report/words/words.h"

#include <stdio.h>
#include <stdlib.h>

static bool say_noise(const struct lauka_result *result, bool utf8, struct lauka_said *said)
{
    for (size_t m = said->place; m < result->metric_count; m++) {
        if (!lauka_is_noise_told(result, m))
            continue;
        *said = (struct lauka_said){.kind = LAUKA_SAID_NOISE, .text = said->room, .place = m + 1};
        lauka_noise_sentence(result, m, LAUKA_SAID_OWN, utf8, said->room, sizeof said->room);
        return true;
    }
    return false;
}

/* Places are two for each command, and one for the best. */
bool lauka_said_next_answer(const struct lauka_result *result, bool utf8, struct lauka_said *said)
{
    const size_t count = result->command_count, first = count > 1 ? 2 : 0;
    if (lauka_result_has_noise(result))
        return say_noise(result, utf8, said);
    size_t place = said->place > first ? said->place : first;
    bool some = place < 2 * count;
    said->command = place / 2;
    said->kind = place % 2 ? LAUKA_SAID_SAME : LAUKA_SAID_ANSWER;
    said->place = place + 1;
    said->text = said->room;
    if (place == 2 * count && lauka_result_best(result, &said->command)) {
        said->kind = LAUKA_SAID_BEST;
        lauka_best_sentence(result, LAUKA_SAID_OWN, said->room, sizeof said->room);
        return true;
    }
    if (some && said->kind == LAUKA_SAID_ANSWER)
        lauka_result_sentence_about(result, said->command, LAUKA_SAID_OWN, LAUKA_SAID_REFERENCE,
                                    utf8, said->room, sizeof said->room);
    else if (some && !lauka_same_sentence(result, said->command, LAUKA_SAID_OWN,
                                          LAUKA_SAID_REFERENCE, said->room, sizeof said->room))
        return lauka_said_next_answer(result, utf8, said);
    return some;
}

static bool say_doubt(const struct lauka_result *result, enum lauka_doubt doubt, bool utf8,
                      struct lauka_said *said)
{
    struct lauka_doubt_said about;
    if (!lauka_result_worst_doubt(result, doubt, &about))
        return false;
    said->kind = LAUKA_SAID_DOUBT;
    said->command = about.command;
    said->text = said->room;
    lauka_doubt_sentence_about(result, &about, LAUKA_SAID_OWN, LAUKA_SAID_REFERENCE, utf8,
                               said->room, sizeof said->room);
    return true;
}

bool lauka_said_next_remark(const struct lauka_result *result, bool utf8, struct lauka_said *said)
{
    enum { ESTIMATES = LAUKA_DOUBT_COUNT, STEPS, WARNINGS };
    while (said->place < LAUKA_DOUBT_COUNT)
        if (say_doubt(result, (enum lauka_doubt)said->place++, utf8, said))
            return true;
    said->kind = LAUKA_SAID_NOTE;
    if (said->place == ESTIMATES && said->place++ && lauka_result_has_estimates(result)) {
        said->text = LAUKA_ESTIMATES_NOTE;
        return true;
    }
    if (said->place == STEPS && said->place++) {
        said->text = lauka_result_steps_note(result, said->room, sizeof said->room);
        if (*said->text)
            return true;
    }
    const size_t warning = said->place++ - WARNINGS;
    if (warning < result->warning_count)
        said->text = result->warnings[warning];
    return warning < result->warning_count;
}

char *lauka_said_text(const struct lauka_said *said, const char *own, const char *reference)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (const char *c = said->text; *c; c++)
        if (*c == *LAUKA_SAID_OWN && said->kind != LAUKA_SAID_NOTE)
            fputs(own, out);
        else if (*c == *LAUKA_SAID_REFERENCE && said->kind != LAUKA_SAID_NOTE)
            fputs(reference, out);
        else
            fputc(*c, out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}
