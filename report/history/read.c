/* The files of a history, read into series. Files of others are refused before anything is added. */
#include "report/history/history.h"
#include "report/pack/pack.h"
#include "report/result/lists.h"
#include "report/text/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MOST = 16, ROW_FIELDS = 12, ANSWER_FIELDS = 10 };

/* ---- lines and fields -------------------------------------------------------------------------- */

struct line {
    char *begin;
    size_t length;
    char
        *fields[FIELDS_MOST]; /* after the first word; escaped, and NUL-terminated once it is cut */
    size_t count;
};

/* Takes the next line off the text, which it cuts. False at the end. */
static bool next_line(char **text, struct line *line)
{
    if (!**text)
        return false;
    char *end = strchr(*text, '\n');
    line->begin = *text;
    line->length = end ? (size_t)(end - *text) : strlen(*text);
    *text += line->length + (end != NULL);
    if (end)
        *end = '\0';
    return true;
}

static void cut_line(struct line *line)
{
    line->count = 0;
    for (char *tab = strchr(line->begin, '\t'); tab && line->count < FIELDS_MOST;
         tab = strchr(tab, '\t')) {
        *tab++ = '\0';
        line->fields[line->count++] = tab;
    }
}

static bool has_word(const struct line *line, const char *word)
{
    const size_t length = strlen(word);

    return strncmp(line->begin, word, length) == 0 && line->begin[length] == '\t';
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Undoes the escapes, in place; keeps what is no escape. Returns the text. */
static char *unescape(char *text)
{
    char *to = text;

    for (const char *c = text; *c; c++) {
        const int high = *c == '%' ? digit_of(c[1]) : -1, low = high >= 0 ? digit_of(c[2]) : -1;
        if (low >= 0 && high + low > 0) {
            *to++ = (char)(16 * high + low);
            c += 2;
        } else {
            *to++ = *c;
        }
    }
    *to = '\0';
    return text;
}

/* A copy of the text without escapes. NULL without memory. */
static char *copy_plain(const char *text)
{
    char *copy = strdup(text);

    return copy ? unescape(copy) : NULL;
}

static struct lauka_optional number_of(const char *text)
{
    char *end;
    const double value = strtod(text, &end);

    return end > text && !*end && isfinite(value) && fabs(value) < 1e300
               ? lauka_known(value)
               : (struct lauka_optional){0};
}

/* ---- whether it is a file of this history ------------------------------------------------------ */

/* Reads the first line. NULL: it is a file of this version; otherwise why not. */
static const char *doubt_first_line(const char *text)
{
    static const char mark[] = "lauka-history/";

    if (strncmp(text, mark, sizeof mark - 1) != 0)
        return "it is no file of lauka's history";
    return strncmp(text + sizeof mark - 1, "1\t", 2) == 0
               ? NULL
               : "a newer lauka wrote it; update lauka to read it";
}

static size_t count_tabs(const char *begin, const char *end)
{
    size_t count = 0;

    for (const char *c = begin; c < end; c++)
        count += *c == '\t';
    return count;
}

/* Whether each line has its fields, and which project it belongs to. */
static const char *doubt_lines(const char *text, size_t size, const char *project)
{
    if (strlen(text) != size)
        return "it is damaged: it has a NUL byte";
    for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
        end = strchr(line, '\n');
        end = end ? end : text + size;
        if (strncmp(line, "row\t", 4) == 0 && count_tabs(line, end) != ROW_FIELDS)
            return "it is damaged: a row has not all fields";
        if (strncmp(line, "answer\t", 7) == 0 && count_tabs(line, end) != ANSWER_FIELDS)
            return "it is damaged: an answer has not all fields";
        if (project && strncmp(line, "project\t", 8) == 0 &&
            ((size_t)(end - line) - 8 != strlen(project) ||
             strncmp(line + 8, project, strlen(project)) != 0))
            return "it belongs to another project: its first commit is another";
    }
    return NULL;
}

/* ---- series ------------------------------------------------------------------------------------ */

static int grow_table(struct lauka_history *history)
{
    const size_t size = history->table_size > 0 ? 2 * history->table_size : 1024;
    uint32_t *table = calloc(size, sizeof *table);

    if (!table)
        return ENOMEM;
    for (size_t i = 0; i < history->series_count; i++) {
        size_t at = history->series[i].hash % size;
        while (table[at])
            at = (at + 1) % size;
        table[at] = (uint32_t)i + 1;
    }
    free(history->table);
    history->table = table;
    history->table_size = size;
    return 0;
}

/* The place of the series with this key, or the empty one where it belongs. */
static uint32_t *find_place(const struct lauka_history *history, uint64_t hash, const char *key)
{
    size_t at = hash % history->table_size;

    while (history->table[at] && (history->series[history->table[at] - 1].hash != hash ||
                                  strcmp(history->series[history->table[at] - 1].key, key) != 0))
        at = (at + 1) % history->table_size;
    return &history->table[at];
}

/* key: KIND, circumstances, and what the row begins with. */
static int make_series(struct lauka_history *history, enum lauka_history_kind kind, char *key,
                       uint64_t hash, char *const *fields, const char *machine)
{
    struct lauka_history_series *series =
        lauka_list_add(&history->series, &history->series_count, sizeof *series);
    if (!series)
        return ENOMEM;
    *series = (struct lauka_history_series){
        .kind = kind,
        .is_anchor = strcmp(fields[0], "s") == 0,
        .hash = hash,
        .key = strdup(key),
        .benchmark = copy_plain(fields[1]),
        .side = copy_plain(fields[2]),
        .metric = copy_plain(fields[3]),
        .unit = copy_plain(fields[4]),
        .better = copy_plain(fields[5]),
        .anchor = copy_plain(kind == LAUKA_HISTORY_RATIO ? fields[6] : ""),
        .machine = copy_plain(machine),
    };
    return series->key && series->benchmark && series->side && series->metric && series->unit &&
                   series->better && series->anchor && series->machine
               ? 0
               : ENOMEM;
}

/* Grows by halves, as a series has a point for each session. */
static int append_point(struct lauka_history_series *series, struct lauka_history_point point)
{
    if (series->count == series->capacity) {
        const size_t capacity = series->capacity + series->capacity / 2 + 4;
        struct lauka_history_point *grown = realloc(series->points, capacity * sizeof *grown);
        if (!grown)
            return ENOMEM;
        series->points = grown;
        series->capacity = capacity;
    }
    series->points[series->count++] = point;
    return 0;
}

/* What the kind's values depend on, besides the command. */
static const char *depends_on(const struct lauka_history_session *session,
                              enum lauka_history_kind kind)
{
    return kind == LAUKA_HISTORY_EXACT      ? session->simulator
           : kind == LAUKA_HISTORY_ABSOLUTE ? session->host
                                            : "";
}

static int add_point(struct lauka_history *history, enum lauka_history_kind kind,
                     char *const *fields, struct lauka_history_point point)
{
    const struct lauka_history_session *session = &history->sessions[point.session];
    const bool is_ratio = kind == LAUKA_HISTORY_RATIO;
    char key[1024];
    const int length = snprintf(key, sizeof key, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s", (int)kind,
                                *fields[0] == 's' ? "s" : "", fields[1], fields[2], fields[3],
                                fields[4], is_ratio ? fields[6] : "", depends_on(session, kind));
    if (length >= (int)sizeof key)
        return 0; /* hostile: lauka writes none that is half as long */
    const uint64_t hash = lauka_hash(LAUKA_HASH, key, (size_t)length);
    int failure = 2 * history->series_count >= history->table_size ? grow_table(history) : 0;
    uint32_t *place = failure ? NULL : find_place(history, hash, key);
    if (place && !*place) {
        failure = make_series(history, kind, key, hash, fields, session->machine);
        *place = (uint32_t)history->series_count;
    }
    if (failure)
        return failure;
    struct lauka_history_series *series = &history->series[*place - 1];
    series->is_primary = *fields[0] == 'p';
    return append_point(series, point);
}

static int add_row(struct lauka_history *history, struct line *line)
{
    cut_line(line);
    char *const *fields = line->fields;
    const struct lauka_optional value = number_of(fields[8]), half = number_of(fields[9]);
    const struct lauka_optional ratio = number_of(fields[10]), ratio_half = number_of(fields[11]);
    const uint32_t session = (uint32_t)history->session_count - 1;
    const bool exact = strcmp(fields[0], "e") == 0;
    int failure = 0;

    if (value.known)
        failure = add_point(history, exact ? LAUKA_HISTORY_EXACT : LAUKA_HISTORY_ABSOLUTE, fields,
                            (struct lauka_history_point){value.value, (float)half.value, session});
    if (!failure && ratio.known && !exact && *fields[6] && strcmp(fields[0], "s") != 0)
        failure =
            add_point(history, LAUKA_HISTORY_RATIO, fields,
                      (struct lauka_history_point){ratio.value, (float)ratio_half.value, session});
    return failure;
}

/* ---- sessions and answers ---------------------------------------------------------------------- */

/* Replaces a text of the head. */
static int set_text(char **to, const struct line *line)
{
    char *copy = copy_plain(line->begin + strcspn(line->begin, "\t") + 1);

    free(*to);
    *to = copy;
    return copy ? 0 : ENOMEM;
}

static struct lauka_history_session *add_session(struct lauka_history *history, const char *name)
{
    struct lauka_history_session *session =
        lauka_list_add(&history->sessions, &history->session_count, sizeof *session);

    if (!session)
        return NULL;
    *session = (struct lauka_history_session){
        .file = strdup(name),
        .time = strdup(""),
        .host = strdup(""),
        .machine = strdup(""),
        .simulator = strdup(""),
    };
    return session->file && session->time && session->host && session->machine && session->simulator
               ? session
               : NULL;
}

/* Words of the side from an earlier session are replaced. NULL without memory. */
static struct lauka_history_command *find_command(struct lauka_history *history, char *side)
{
    for (size_t i = 0; i < history->command_count; i++) {
        struct lauka_history_command *command = &history->commands[i];
        if (strcmp(command->side, side) != 0)
            continue;
        lauka_strings_free(command->words);
        command->words = NULL;
        free(side);
        return command;
    }
    struct lauka_history_command *added =
        lauka_list_add(&history->commands, &history->command_count, sizeof *added);
    if (added)
        added->side = side;
    else
        free(side);
    return added;
}

static int add_command(struct lauka_history *history, struct line *line)
{
    const size_t words = count_tabs(line->begin, line->begin + line->length);
    char *at = strchr(line->begin, '\t') + 1, *tab = strchr(at, '\t');

    if (words < 2 || !tab)
        return 0;
    *tab = '\0';
    char *side = copy_plain(at);
    struct lauka_history_command *command = side ? find_command(history, side) : NULL;
    if (!command || !(command->words = calloc(words, sizeof *command->words)))
        return ENOMEM;
    for (size_t i = 0; i < words - 1; i++) {
        at = tab + 1;
        tab = strchr(at, '\t');
        if (tab)
            *tab = '\0';
        if (!(command->words[i] = copy_plain(at)))
            return ENOMEM;
    }
    return 0;
}

static int add_answer(struct lauka_history *history, struct line *line)
{
    struct lauka_history_answer *answer =
        lauka_list_add(&history->answers, &history->answer_count, sizeof *answer);

    if (!answer)
        return ENOMEM;
    cut_line(line);
    char *const *fields = line->fields;
    *answer = (struct lauka_history_answer){
        .benchmark = copy_plain(fields[0]),
        .side = copy_plain(fields[1]),
        .metric = copy_plain(fields[2]),
        .before = copy_plain(fields[3]),
        .after = copy_plain(fields[4]),
        .first = copy_plain(fields[5]),
        .verdict = LAUKA_ANSWER_INCONCLUSIVE,
        .ratio = number_of(fields[7]).value,
        .low = number_of(fields[8]).value,
        .high = number_of(fields[9]).value,
    };
    for (enum lauka_answer_verdict v = 0; v < LAUKA_ANSWER_INCONCLUSIVE; v++)
        if (strcmp(fields[6], lauka_answer_name(v)) == 0)
            answer->verdict = v;
    return answer->benchmark && answer->side && answer->metric && answer->before && answer->after &&
                   answer->first
               ? 0
               : ENOMEM;
}

/* ---- a file ------------------------------------------------------------------------------------ */

static int add_head(struct lauka_history_session *session, const struct line *line)
{
    const struct {
        const char *word;
        char **to;
    } texts[] = {
        {"commit", &session->commit},
        {"time", &session->time},
        {"host", &session->host},
        {"machine", &session->machine},
        {"circumstances", &session->simulator},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (has_word(line, texts[i].word))
            return set_text(texts[i].to, line);
    session->is_changed |= has_word(line, "changed");
    return 0;
}

static int add_lines(struct lauka_history *history, const char *name, char *text)
{
    struct line line;
    struct lauka_history_session *session = NULL;
    int failure = 0;

    next_line(&text, &line);
    if (strcmp(strchr(line.begin, '\t') + 1, "session") == 0) {
        session = add_session(history, name);
        failure = session ? 0 : ENOMEM;
    }
    while (!failure && next_line(&text, &line))
        if (has_word(&line, "row"))
            failure = session ? add_row(history, &line) : 0;
        else if (has_word(&line, "answer"))
            failure = add_answer(history, &line);
        else if (has_word(&line, "command"))
            failure = session ? add_command(history, &line) : 0;
        else if (session)
            failure = add_head(session, &line);
    return failure;
}

int lauka_history_read(struct lauka_history *history, const char *name, const char *bytes,
                       size_t size, const char *project, const char **why)
{
    char *text = NULL;
    size_t length = 0;

    *why = "it is no gzip";
    if (!lauka_is_gzip(bytes, size))
        return EINVAL;
    int failure = lauka_gunzip(bytes, size, LAUKA_ENTRY_MOST, &text, &length);
    *why = failure == EFBIG ? "it is too large" : "it is damaged: its gzip is not whole";
    if (failure)
        return failure == ENOMEM ? ENOMEM : EINVAL;
    text[length] = '\0';
    *why = doubt_first_line(text);
    *why = *why ? *why : doubt_lines(text, length, project);
    failure = *why ? EINVAL : add_lines(history, name, text);
    free(text);
    return failure;
}

/* ---- the end ----------------------------------------------------------------------------------- */

static void commands_done(struct lauka_history *history)
{
    for (size_t i = 0; i < history->command_count; i++) {
        lauka_strings_free(history->commands[i].words);
        free(history->commands[i].side);
    }
    free(history->commands);
}

static void free_all(char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(texts[i]);
}

void lauka_history_done(struct lauka_history *history)
{
    for (size_t i = 0; i < history->session_count; i++) {
        const struct lauka_history_session *s = &history->sessions[i];
        free_all((char *const[]){s->file, s->commit, s->time, s->host, s->machine, s->simulator},
                 6);
    }
    for (size_t i = 0; i < history->series_count; i++) {
        const struct lauka_history_series *s = &history->series[i];
        free_all((char *const[]){s->benchmark, s->side, s->metric, s->unit, s->better, s->anchor,
                                 s->key, s->machine},
                 8);
        free(s->points);
    }
    for (size_t i = 0; i < history->answer_count; i++) {
        const struct lauka_history_answer *a = &history->answers[i];
        free_all((char *const[]){a->benchmark, a->side, a->metric, a->before, a->after, a->first},
                 6);
    }
    commands_done(history);
    free(history->sessions);
    free(history->series);
    free(history->table);
    free(history->answers);
    free(history->steps);
    *history = (struct lauka_history){0};
}
