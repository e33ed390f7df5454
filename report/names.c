/* What commands are called where there is little room: short, safe, and never two alike. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

enum { SUBJECT_WIDTH = 40 }; /* columns; a longer command is cut in the middle */

/* Whether they are shown alike. Most are not, and that is seen at once. */
static bool are_alike(const char *left, const char *right, int width)
{
    size_t left_size = strlen(left), right_size = strlen(right);
    if (strcmp(left, right) == 0)
        return true;
    if ((left_size <= (size_t)width && right_size <= (size_t)width) || left_size < 4 ||
        right_size < 4 || strncmp(left, right, 8) != 0 ||
        strcmp(left + left_size - 4, right + right_size - 4) != 0)
        return false;
    char *a = lauka_fit_text(left, width, true), *b = lauka_fit_text(right, width, true);
    bool alike = a && b && strcmp(a, b) == 0;
    free(a);
    free(b);
    return alike;
}

/* Which of the commands with this name it is, from 1; 0 where there is only one. */
static size_t number_among(const struct lauka_result *result, size_t command, int width)
{
    size_t number = 1, alike = 0;
    for (size_t c = 0; c < result->command_count; c++) {
        bool same = are_alike(result->commands[command].label, result->commands[c].label, width);
        alike += same;
        number += same && c < command;
    }
    return alike > 1 ? number : 0;
}

size_t lauka_result_name_number(const struct lauka_result *result, size_t command)
{
    return result->run.noise ? 0 : number_among(result, command, SUBJECT_WIDTH);
}

char *lauka_result_unique_label(const struct lauka_result *result, size_t command, int width)
{
    char *fitted = lauka_fit_text(result->commands[command].label, width, true);
    size_t number = number_among(result, command, width);
    if (!fitted || number == 0)
        return fitted;
    size_t size = strlen(fitted) + 32;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s (%zu)", fitted, number);
    free(fitted);
    return text;
}

void lauka_result_subject(const struct lauka_result *result, size_t command, bool utf8,
                          char text[LAUKA_SUBJECT_SIZE])
{
    char *fitted = lauka_fit_text(result->commands[command].label, SUBJECT_WIDTH, utf8);
    size_t number = lauka_result_name_number(result, command);
    int used = snprintf(text, LAUKA_SUBJECT_SIZE, "`%s`", fitted ? fitted : "?");
    if (number > 0 && used < LAUKA_SUBJECT_SIZE)
        snprintf(text + used, LAUKA_SUBJECT_SIZE - (size_t)used, " (%zu)", number);
    free(fitted);
}
