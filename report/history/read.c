/* The files of a history, read into series. Files of others are refused before anything is added. */
#include "report/history/history.h"
#include "report/pack/pack.h"
#include "report/result/lists.h"
#include "report/text/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_FIELDS = 12, ANSWER_FIELDS = 10, ROWS_MOST = 50000 };

/* ---- lines and fields -------------------------------------------------------------------------- */

static size_t count_tabs(const char *begin, const char *end)
{
    size_t count = 0;

    for (const char *c = begin; c < end; c++)
        count += *c == '\t';
    return count;
}

/* Cuts a line at its tabs: `most` fields at most, which stay escaped. */
static void cut(char *line, char **fields, size_t most)
{
    for (size_t i = 0; i < most && line; i++)
        fields[i] = strsep(&line, "\t");
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* A copy without escapes that lives as long as the history; what is no escape stays. "" without memory, which the history
 * remembers. */
static char *keep(struct lauka_history *history, const char *text)
{
    static char none[1];
    char *copy = lauka_prose_copy(&history->texts, text), *to = copy;

    if (!copy)
        return none;
    for (const char *c = text; *c; c++) {
        const int high = *c == '%' ? digit_of(c[1]) : -1, low = high >= 0 ? digit_of(c[2]) : -1;
        const bool is_escape = low >= 0 && high + low > 0;
        *to++ = is_escape ? (char)(16 * high + low) : *c;
        c += is_escape ? 2 : 0;
    }
    *to = '\0';
    return copy;
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

/* Whether each line has its fields, and which project it belongs to. */
static const char *doubt_lines(const char *text, size_t size, const char *project)
{
    size_t rows = 0;

    if (strlen(text) != size)
        return "it is damaged: it has a NUL byte";
    for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        const bool is_row = strncmp(line, "row\t", 4) == 0;
        if (is_row && (count_tabs(line, end) != ROW_FIELDS || ++rows > ROWS_MOST))
            return rows > ROWS_MOST ? "it has more rows than a session"
                                    : "it is damaged: a row has not all fields";
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

/* The place of the series with this key, or the empty one where it belongs. */
static uint32_t *find_place(const struct lauka_history *history, uint64_t hash, const char *key)
{
    size_t at = hash % history->table_size;

    while (history->table[at] && (history->series[history->table[at] - 1].hash != hash ||
                                  strcmp(history->series[history->table[at] - 1].key, key) != 0))
        at = (at + 1) % history->table_size;
    return &history->table[at];
}

static int grow_table(struct lauka_history *history)
{
    const size_t size = history->table_size > 0 ? 2 * history->table_size : 1024;
    uint32_t *table = calloc(size, sizeof *table);

    if (!table)
        return ENOMEM;
    free(history->table);
    history->table = table;
    history->table_size = size;
    for (size_t i = 0; i < history->series_count; i++)
        *find_place(history, history->series[i].hash, history->series[i].key) = (uint32_t)i + 1;
    return 0;
}

/* The first series of its benchmark. Those of a benchmark mostly stand side by side, so the nearest are compared first. */
static size_t find_first(const struct lauka_history *history, const char *benchmark)
{
    for (size_t i = history->series_count; i-- > 0;)
        if (!history->series[i].is_anchor && strcmp(history->series[i].benchmark, benchmark) == 0)
            return history->series[i].first;
    return history->series_count;
}

/* key: KIND, circumstances, and what the row begins with. */
static int make_series(struct lauka_history *history, enum lauka_history_kind kind, const char *key,
                       uint64_t hash, char *const *fields, const char *machine)
{
    const bool is_anchor = strcmp(fields[0], "s") == 0;
    const char *benchmark = keep(history, fields[1]), *side = keep(history, fields[2]);
    const size_t first = is_anchor ? SIZE_MAX : find_first(history, benchmark);
    struct lauka_history_series *series =
        lauka_list_add(&history->series, &history->series_count, sizeof *series);
    if (!series)
        return ENOMEM;
    *series = (struct lauka_history_series){
        .kind = kind,
        .is_anchor = is_anchor,
        .first = first,
        .hash = hash,
        .key = lauka_say(&history->texts, "%s", key),
        .benchmark = benchmark,
        .side = side,
        .name = lauka_join(&history->texts, benchmark, "/", side),
        .metric = keep(history, fields[3]),
        .unit = keep(history, fields[4]),
        .better = keep(history, fields[5]),
        .anchor = keep(history, kind == LAUKA_HISTORY_RATIO ? fields[6] : ""),
        .machine = machine,
    };
    return 0;
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

static int add_row(struct lauka_history *history, char *line)
{
    char *fields[ROW_FIELDS];
    cut(line, fields, ROW_FIELDS);
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

/* ---- the other lines --------------------------------------------------------------------------- */

/* Words from an earlier session are replaced. */
static int add_command(struct lauka_history *history, char *line, bool is_suite)
{
    const size_t count = count_tabs(line, line + strlen(line)) + 1;
    char **fields = lauka_prose_room(&history->texts, count + 1, sizeof *fields);
    struct lauka_history_command *to = NULL;
    if (!fields)
        return ENOMEM;
    cut(line, fields, count);
    for (size_t i = 0; i < count; i++)
        fields[i] = keep(history, fields[i]);
    for (size_t i = 0; i < history->command_count && !to; i++)
        if (strcmp(history->commands[i].name, fields[0]) == 0)
            to = &history->commands[i];
    if (count > 1 && !to)
        to = lauka_list_add(&history->commands, &history->command_count, sizeof *to);
    if (count > 1 && to)
        *to = (struct lauka_history_command){fields[0], is_suite, fields + 1};
    return count > 1 && !to ? ENOMEM : 0;
}

static int add_answer(struct lauka_history *history, char *line)
{
    struct lauka_history_answer *answer =
        lauka_list_add(&history->answers, &history->answer_count, sizeof *answer);
    char *fields[ANSWER_FIELDS];

    if (!answer)
        return ENOMEM;
    cut(line, fields, ANSWER_FIELDS);
    *answer = (struct lauka_history_answer){
        .benchmark = keep(history, fields[0]),
        .side = keep(history, fields[1]),
        .metric = keep(history, fields[2]),
        .before = keep(history, fields[3]),
        .after = keep(history, fields[4]),
        .first = keep(history, fields[5]),
        .verdict = LAUKA_ANSWER_INCONCLUSIVE,
        .ratio = number_of(fields[7]).value,
        .low = number_of(fields[8]).value,
        .high = number_of(fields[9]).value,
    };
    for (enum lauka_answer_verdict v = 0; v < LAUKA_ANSWER_INCONCLUSIVE; v++)
        if (strcmp(fields[6], lauka_answer_names[v]) == 0)
            answer->verdict = v;
    return 0;
}

/* What is no hash, but perhaps an option of git's, is no commit. */
static void set_head(struct lauka_history *history, const char *word, const char *text)
{
    struct lauka_history_session *session = &history->sessions[history->session_count - 1];
    const struct {
        const char *word, **to;
    } texts[] = {
        {"commit", &session->commit},
        {"time", &session->time},
        {"host", &session->host},
        {"machine", &session->machine},
        {"circumstances", &session->simulator},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(word, texts[i].word) == 0 &&
            (i > 0 || (*text && !text[strspn(text, "0123456789abcdef")])))
            *texts[i].to = keep(history, text);
    session->is_changed |= strcmp(word, "changed") == 0;
    session->date = session->time;
}

/* ---- a file ------------------------------------------------------------------------------------ */

/* Of a file that is no session's, only answers count. */
static int add_line(struct lauka_history *history, bool is_session, char *line)
{
    const char *word = strsep(&line, "\t");

    if (!line)
        return 0;
    if (strcmp(word, "answer") == 0)
        return add_answer(history, line);
    if (!is_session)
        return 0;
    if (strcmp(word, "row") == 0)
        return add_row(history, line);
    if (strcmp(word, "command") == 0 || strcmp(word, "suite") == 0)
        return add_command(history, line, *word == 's');
    set_head(history, word, line);
    return 0;
}

static int add_lines(struct lauka_history *history, char *text)
{
    char *first = strsep(&text, "\n"), *line;
    const bool is_session = strcmp(strchr(first, '\t') + 1, "session") == 0;
    struct lauka_history_session *session = NULL;
    int failure = 0;

    if (is_session) {
        session = lauka_list_add(&history->sessions, &history->session_count, sizeof *session);
        if (!session)
            return ENOMEM;
        *session = (struct lauka_history_session){
            .time = "", .host = "", .machine = "", .simulator = "", .date = ""};
    }
    while (!failure && (line = strsep(&text, "\n")))
        failure = add_line(history, is_session, line);
    return failure ? failure : history->texts.error;
}

int lauka_history_read(struct lauka_history *history, const char *bytes, size_t size,
                       const char *project, const char **why)
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
    failure = *why ? EINVAL : add_lines(history, text);
    free(text);
    return failure;
}

void lauka_history_done(struct lauka_history *history)
{
    for (size_t i = 0; i < history->series_count; i++)
        free(history->series[i].points);
    free(history->sessions);
    free(history->commands);
    free(history->series);
    free(history->table);
    free(history->answers);
    free(history->steps);
    (void)lauka_prose_done(&history->texts);
    *history = (struct lauka_history){0};
}
