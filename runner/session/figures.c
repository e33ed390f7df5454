/* Figures that a run reports itself: they are searched for in what it has written. */
#include "runner/session/session.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/options.h"
#include "stats/stats.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT_MAX = 64 << 20 }; /* B: who writes more is refused */

/* ---- what a command has written --------------------------------------------------------------------- */

/* As one text: NUL, which no pattern could match across, becomes the end of a line. Returns 0 or an errno. */
static int read_text(struct lauka_figure_reader *reader, int file)
{
    struct stat about;
    size_t got = 0;
    ssize_t more = 1;

    if (fstat(file, &about) != 0)
        return errno;
    if (about.st_size > TEXT_MAX)
        return EFBIG;
    char *text = realloc(reader->text, (size_t)about.st_size + 1);
    if (!text)
        return ENOMEM;
    reader->text = text;
    while (got < (size_t)about.st_size &&
           (more = pread(file, text + got, (size_t)about.st_size - got, (off_t)got)) > 0)
        got += (size_t)more;
    for (char *nul = text; (nul = memchr(nul, '\0', (size_t)(text + got - nul))) != NULL;)
        *nul = '\n';
    text[got] = '\0';
    return more < 0 ? errno : 0;
}

/* ---- in stdout -------------------------------------------------------------------------------------- */

/* The group of the last match; NULL: nothing matches. */
static const char *find_last(const regex_t *pattern, const char *text, size_t *length)
{
    const char *found = NULL, *from = text;
    regmatch_t match[2];

    while (regexec(pattern, from, 2, match, from > text && from[-1] != '\n' ? REG_NOTBOL : 0) ==
           0) {
        if (match[1].rm_so >= 0) {
            found = from + match[1].rm_so;
            *length = (size_t)(match[1].rm_eo - match[1].rm_so);
        }
        from += match[0].rm_eo + (match[0].rm_eo == match[0].rm_so);
        if (from > text && !from[-1])
            break;
    }
    return found;
}

static bool find_written(const struct lauka_figure *figure, const char *text, uint64_t *value,
                         char *reason, size_t size)
{
    regex_t pattern;
    size_t length = 0;

    if (regcomp(&pattern, figure->pattern, REG_EXTENDED | REG_NEWLINE) != 0) {
        snprintf(reason, size, "was not read: no memory for --read %s", figure->name);
        return false;
    }
    const char *found = find_last(&pattern, text, &length);
    regfree(&pattern);
    if (!found)
        snprintf(reason, size, "wrote nothing that matches --read %.100s=%.200s", figure->name,
                 figure->pattern);
    else if (!lauka_figure_value(found, length, figure->unit, value))
        snprintf(reason, size, "wrote \"%.*s\" as %.100s instead of a number of at least 0",
                 length < 60 ? (int)length : 60, found, figure->name);
    else
        return true;
    return false;
}

/* ---- in reports ------------------------------------------------------------------------------------- */

/* The next word of a line; "" at its end. */
static const char *take_word(const char **line, size_t *length)
{
    *line += strspn(*line, " \t\r");
    const char *word = *line;
    *length = strcspn(word, " \t\r\n");
    *line += *length;
    return word;
}

struct reported {
    const char *value, *unit; /* in the text */
    size_t value_length, unit_length;
};

/* "NAME VALUE [UNIT]": the last line of that name. */
static bool find_line(const char *name, const char *text, struct reported *reported)
{
    bool found = false;

    for (const char *line = text; *line; line += *line == '\n') {
        size_t length;
        const char *word = take_word(&line, &length);
        if (strlen(name) == length && strncmp(word, name, length) == 0) {
            found = true;
            reported->value = take_word(&line, &reported->value_length);
            reported->unit = take_word(&line, &reported->unit_length);
        }
        line += strcspn(line, "\n");
    }
    return found;
}

static bool find_reported(const struct lauka_figure *figure, const char *text, uint64_t *value,
                          char *reason, size_t size)
{
    struct reported line;

    if (!find_line(figure->name, text, &line)) {
        snprintf(reason, size, "wrote no line \"%.100s VALUE UNIT\" to descriptor $LAUKA_REPORT_FD",
                 figure->name);
        return false;
    }
    const struct lauka_figure_unit *unit =
        line.unit_length ? lauka_figure_unit_find(line.unit, line.unit_length) : figure->unit;
    if (!unit || strcmp(unit->unit, figure->unit->unit) != 0)
        snprintf(reason, size, "reported %.100s in \"%.*s\" instead of %s, as --read says,",
                 figure->name, line.unit_length < 40 ? (int)line.unit_length : 40, line.unit,
                 figure->unit->typed);
    else if (!lauka_figure_value(line.value, line.value_length, unit, value))
        snprintf(reason, size, "reported \"%.*s\" as %.100s instead of a number of at least 0",
                 line.value_length < 60 ? (int)line.value_length : 60, line.value, figure->name);
    else
        return true;
    return false;
}

/* ---- all figures of a run ---------------------------------------------------------------------------- */

/* Those of one place: of stdout, or of the reports. */
static bool read_place(struct lauka_figure_reader *reader, const struct lauka_command *command,
                       bool reports, char *reason, size_t size)
{
    int failure = read_text(reader, reports ? lauka_launcher_reported(reader->launcher)
                                            : lauka_launcher_written(reader->launcher));

    if (failure) {
        snprintf(reason, size, "wrote output that cannot be read: %s",
                 failure == EFBIG ? "it is more than 64 MiB" : strerror(failure));
        return false;
    }
    for (size_t i = 0; i < command->figure_count; i++) {
        const struct lauka_figure *figure = &command->figures[i];
        uint64_t *value = &reader->values[i];
        if (reports == !figure->pattern &&
            !(reports ? find_reported : find_written)(figure, reader->text, value, reason, size))
            return false;
    }
    return true;
}

bool lauka_figures_read(struct lauka_figure_reader *reader, size_t number, uint64_t *figures,
                        char *reason, size_t size)
{
    const struct lauka_command *command = &reader->options->commands[number];
    const struct lauka_figure *all[LAUKA_FIGURES_MAX];
    size_t count =
        lauka_figures_find(reader->options->commands, reader->options->command_count, all);

    if ((command->output == LAUKA_OUTPUT_KEPT &&
         !read_place(reader, command, false, reason, size)) ||
        (command->reports && !read_place(reader, command, true, reason, size)))
        return false;
    for (size_t f = 0; f < count; f++) {
        figures[f] = LAUKA_MISSING;
        for (size_t i = 0; i < command->figure_count; i++)
            if (strcmp(command->figures[i].name, all[f]->name) == 0)
                figures[f] = reader->values[i];
    }
    return true;
}

void lauka_figures_done(struct lauka_figure_reader *reader)
{
    free(reader->text);
    reader->text = NULL;
}
