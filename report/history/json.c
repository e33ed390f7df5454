/* The history as JSON: its steps and its series. schema/lauka-history.schema.json describes it. */
#include "report/history/history.h"
#include "report/json/json.h"

static const char *text_or_null(const char *text)
{
    return text && *text ? text : NULL;
}

static void put_names(struct lauka_json_document *document,
                      const struct lauka_history_series *series)
{
    lauka_document_text(document, "benchmark", series->benchmark);
    lauka_document_text(document, "side", text_or_null(series->side));
    lauka_document_text(document, "metric", series->metric);
    lauka_document_text(document, "unit",
                        series->kind == LAUKA_HISTORY_RATIO ? "ratio" : series->unit);
    lauka_document_text(document, "kind", lauka_history_kinds[series->kind]);
    lauka_document_text(document, "anchor",
                        series->kind == LAUKA_HISTORY_RATIO ? series->anchor : NULL);
    lauka_document_text(document, "machine",
                        series->kind == LAUKA_HISTORY_RATIO ? NULL : text_or_null(series->machine));
}

static void put_session(struct lauka_json_document *document, const char *key,
                        const struct lauka_history_session *session)
{
    lauka_document_object_line(document, key);
    lauka_document_text(document, "commit", session->commit);
    lauka_document_bool(document, "changed", session->is_changed);
    lauka_document_text(document, "date", session->date);
    lauka_document_text(document, "subject", session->subject);
    lauka_document_end(document);
}

static void put_answer(struct lauka_json_document *document,
                       const struct lauka_history_answer *answer)
{
    if (!answer) {
        lauka_document_null(document, "answer");
        return;
    }
    lauka_document_object_line(document, "answer");
    lauka_document_text(document, "verdict", lauka_answer_names[answer->verdict]);
    lauka_document_text(document, "before", answer->before);
    lauka_document_text(document, "after", answer->after);
    lauka_document_text(document, "first", text_or_null(answer->first));
    lauka_document_number(document, "ratio", answer->ratio);
    lauka_document_number(document, "low", answer->low);
    lauka_document_number(document, "high", answer->high);
    lauka_document_end(document);
}

static void put_step(struct lauka_json_document *document, const struct lauka_history *history,
                     const struct lauka_history_step *step)
{
    lauka_document_object(document, NULL);
    put_names(document, step->series);
    lauka_document_text(document, "certainty", lauka_certainty_names[step->certainty]);
    lauka_document_text(document, "direction",
                        step->is_worse    ? "worse"
                        : step->is_better ? "better"
                                          : "neither");
    lauka_document_number(document, "before", step->before);
    lauka_document_number(document, "after", step->after);
    lauka_document_optional(document, "ratio", step->ratio);
    lauka_document_optional(document, "low", step->low);
    lauka_document_optional(document, "high", step->high);
    put_session(document, "last_before", lauka_history_before(history, step));
    put_session(document, "since", lauka_history_after(history, step));
    put_answer(document, step->answer);
    lauka_document_end(document);
}

static void put_series(struct lauka_json_document *document, const struct lauka_history *history,
                       const struct lauka_history_series *series)
{
    lauka_document_object(document, NULL);
    put_names(document, series);
    lauka_document_bool(document, "searched", series->is_searched);
    lauka_document_array(document, "points");
    for (size_t i = 0; i < series->count; i++) {
        const struct lauka_history_point *point = &series->points[i];
        lauka_document_object_line(document, NULL);
        lauka_document_text(document, "commit", history->sessions[point->session].commit);
        lauka_document_text(document, "time", history->sessions[point->session].time);
        lauka_document_number(document, "value", point->value);
        lauka_document_number(document, "half_width", (double)point->half);
        lauka_document_end(document);
    }
    lauka_document_end(document);
    lauka_document_end(document);
}

int lauka_history_write_json(const struct lauka_history *history, FILE *out)
{
    struct lauka_json_document document = lauka_document_begin(LAUKA_JSON_SPACES, out);

    lauka_document_object(&document, NULL);
    lauka_document_text(&document, "schema", "lauka-history/1");
    lauka_document_integer(&document, "sessions", history->session_count);
    lauka_document_integer(&document, "benchmarks", history->benchmarks);
    lauka_document_integer(&document, "machines", history->machines);
    lauka_document_array(&document, "steps");
    for (size_t i = 0; i < history->step_count; i++)
        put_step(&document, history, &history->steps[i]);
    lauka_document_end(&document);
    lauka_document_array(&document, "series");
    for (size_t i = 0; i < history->series_count; i++)
        if (!history->series[i].is_anchor)
            put_series(&document, history, &history->series[i]);
    lauka_document_end(&document);
    lauka_document_end(&document);
    return lauka_document_finish(&document);
}
