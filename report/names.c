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
size_t lauka_result_name_number(const struct lauka_result *result, size_t command)
{
    size_t number = 1, alike = 0;
    for (size_t c = 0; c < result->command_count && !result->run.noise; c++) {
        bool same =
            are_alike(result->commands[command].label, result->commands[c].label, SUBJECT_WIDTH);
        alike += same;
        number += same && c < command;
    }
    return alike > 1 ? number : 0;
}

/* ---- as keys ------------------------------------------------------------------------------------- */

static char *replace(char *text, const char *replaced)
{
    for (char *c = text; c && *c; c++)
        if (strchr(replaced, *c))
            *c = '_';
    return text;
}

static bool is_there(char **labels, const char *label)
{
    while (*labels && strcmp(*labels, label) != 0)
        labels++;
    return *labels != NULL;
}

/* The label with the next number that makes it another one than all that are there. */
static char *number_label(char **labels, const char *label, size_t *number, const char *replaced)
{
    size_t size = strlen(label) + 32;
    char *text = malloc(size);
    if (!text)
        return NULL;
    do
        snprintf(text, size, "%s (%zu)", label, ++*number);
    while (is_there(labels, replace(text, replaced)));
    return text;
}

/* All from this one on that are called like it. False without memory. */
static bool number_alike(char **labels, size_t command, const char *replaced)
{
    size_t number = 0;
    char *alike = strdup(labels[command]), *text = alike;
    for (char **label = labels + command; text && *label; label++)
        if (strcmp(*label, alike) == 0) {
            text = number_label(labels, alike, &number, replaced);
            if (text) {
                free(*label);
                *label = text;
            }
        }
    free(alike);
    return text != NULL;
}

char **lauka_result_unique_labels(const struct lauka_result *result, int width,
                                  const char *replaced)
{
    char **labels = calloc(result->command_count + 1, sizeof *labels);
    bool good = labels != NULL;
    for (size_t c = 0; good && c < result->command_count; c++) {
        labels[c] = replace(lauka_fit_text(result->commands[c].label, width, true), replaced);
        good = labels[c] != NULL;
    }
    for (size_t c = 0; good && c < result->command_count; c++)
        if (is_there(labels + c + 1, labels[c]))
            good = number_alike(labels, c, replaced);
    if (good)
        return labels;
    lauka_strings_free(labels);
    return NULL;
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
