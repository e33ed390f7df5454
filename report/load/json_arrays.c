/* Arrays with a value per run stand in the tree as short strings, as they do when a result is
 * written; so a million runs cost no tree, and no value goes through a double. What can be computed from
 * them is not in the tree either: that is most of a result of thousands of commands. */
#include "report/load/load.h"
#include "report/load/loader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A node of cJSON's takes 64 bytes; its parser calls itself for each level. Where lauka's results have a
 * node, they have 40 bytes of text and more: a tree may grow with its text, and a small one be anything. */
enum { NODES_FREE = 1 << 20, NODES_MAX = 1 << 23, NODE_TEXT = 16, LEVELS_MAX = 100 };

struct scan {
    const struct lauka_stored *stored;
    struct lauka_json_text *text;
    size_t at, line, nodes, levels;
    const char *key; /* of the value that comes next, without quotes; NULL where it has none */
    size_t key_length;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_key(const struct scan *scan, const char *key)
{
    return scan->key && strlen(key) == scan->key_length &&
           memcmp(key, scan->key, scan->key_length) == 0;
}

static bool holds_runs(const struct scan *scan)
{
    static const char *const keys[] = {
        "values", "times", "memory_usage_byte", "exit_codes", "order", "layout", "bins", "of"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (is_key(scan, keys[i]))
            return true;
    return false;
}

/* Where lauka writes them: a metric may be called as they are. */
static bool is_computed_again(const struct scan *scan)
{
    enum { OF_DOCUMENT = 1, OF_METRIC = 5 /* results, one of them, metrics, one of them */ };
    return (scan->levels == OF_DOCUMENT && is_key(scan, "comparisons")) ||
           (scan->levels == OF_METRIC && is_key(scan, "quantiles"));
}

/* Where the string that begins at `at` ends, with its quote; the end of the file if it does not. */
static size_t string_end(const struct lauka_stored *stored, size_t at)
{
    for (at++; at < stored->size && stored->bytes[at] != '"'; at++)
        if (stored->bytes[at] == '\\')
            at++;
    return at < stored->size ? at + 1 : stored->size;
}

/* Where the array that begins at `at` ends, without its bracket; 0 where it holds more than numbers
 * and strings, or does not end. */
static size_t flat_array_end(const struct lauka_stored *stored, size_t at)
{
    at++;
    while (at < stored->size && !strchr("[]{}", stored->bytes[at]))
        at = stored->bytes[at] == '"' ? string_end(stored, at) : at + 1;
    return at < stored->size && stored->bytes[at] == ']' ? at : 0;
}

static void emit(struct scan *scan, size_t end)
{
    struct lauka_json_text *text = scan->text;
    for (; scan->at < end; scan->at++) {
        char c = scan->stored->bytes[scan->at];
        text->text[text->size++] = c;
        scan->line += c == '\n';
    }
}

static int replace_array(struct scan *scan, size_t end)
{
    struct lauka_json_text *text = scan->text;
    if ((text->array_count & (text->array_count - 1)) == 0) {
        size_t capacity = text->array_count > 0 ? 2 * text->array_count : 16;
        struct lauka_json_array *arrays = realloc(text->arrays, capacity * sizeof *arrays);
        if (!arrays)
            return ENOMEM;
        text->arrays = arrays;
    }
    text->arrays[text->array_count] = (struct lauka_json_array){scan->at + 1, end, scan->line};
    text->size += (size_t)sprintf(text->text + text->size, "\"\\u0001%zu\"", text->array_count);
    text->array_count++;
    for (; scan->at <= end; scan->at++) {
        if (scan->stored->bytes[scan->at] != '\n')
            continue;
        text->text[text->size++] = '\n';
        scan->line++;
    }
    return 0;
}

/* Where the array or object that begins at `at` ends, with its bracket; the end of the file if it does
 * not. */
static size_t nest_end(const struct lauka_stored *stored, size_t at)
{
    size_t levels = 0;
    while (at < stored->size) {
        char c = stored->bytes[at];
        at = c == '"' ? string_end(stored, at) : at + 1;
        levels += c == '[' || c == '{';
        levels -= c == ']' || c == '}';
        if (levels == 0)
            break;
    }
    return at;
}

/* What nobody looks at has the value 0 then. */
static void leave_out(struct scan *scan)
{
    struct lauka_json_text *text = scan->text;
    size_t end = nest_end(scan->stored, scan->at);
    text->text[text->size++] = '0';
    for (; scan->at < end; scan->at++)
        if (scan->stored->bytes[scan->at] == '\n') {
            text->text[text->size++] = '\n';
            scan->line++;
        }
}

/* One string, one array of runs, what is left out, or one other byte. */
static int step(struct scan *scan)
{
    const struct lauka_stored *stored = scan->stored;
    char c = stored->bytes[scan->at];
    if (c == '"') {
        size_t begin = scan->at, end = string_end(stored, begin), next = end;
        while (next < stored->size && is_blank(stored->bytes[next]))
            next++;
        bool is_key = next < stored->size && stored->bytes[next] == ':';
        scan->key = is_key ? stored->bytes + begin + 1 : NULL;
        scan->key_length = is_key ? end - begin - 2 : 0;
        emit(scan, end);
        return 0;
    }
    size_t end = c == '[' && holds_runs(scan) ? flat_array_end(stored, scan->at) : 0;
    bool opens = c == '[' || c == '{';
    /* No result nests so deep as the most: that is under somebody else's key. */
    bool leaves_out = opens && (scan->levels == LEVELS_MAX || is_computed_again(scan));
    if (!is_blank(c) && c != ':')
        scan->key = NULL;
    scan->nodes += c == ',' || c == '{' || c == '[';
    if (end > 0)
        return replace_array(scan, end);
    if (leaves_out) {
        leave_out(scan);
        return 0;
    }
    scan->levels += opens;
    scan->levels -= scan->levels > 0 && (c == ']' || c == '}');
    emit(scan, scan->at + 1);
    return 0;
}

/* For each bracket a token that is longer than its array is possible. */
static size_t room_for_tokens(const struct lauka_stored *stored)
{
    enum { TOKEN_SIZE = 32 };
    size_t brackets = 0;
    for (size_t i = 0; i < stored->size && brackets < NODES_MAX; i++)
        brackets += stored->bytes[i] == '[';
    return TOKEN_SIZE * brackets;
}

static size_t nodes_max(const struct lauka_stored *stored)
{
    size_t nodes = NODES_FREE + stored->size / NODE_TEXT;
    return nodes < NODES_MAX ? nodes : NODES_MAX;
}

int lauka_json_text_make(const struct lauka_stored *stored, struct lauka_json_text *text,
                         struct lauka_load_error *error)
{
    struct scan scan = {.stored = stored, .text = text, .line = 1};
    const size_t most = nodes_max(stored);
    *text = (struct lauka_json_text){0};
    text->text = malloc(stored->size + room_for_tokens(stored) + 1);
    int failure = text->text ? 0 : ENOMEM;
    while (!failure && scan.at < stored->size) {
        failure = step(&scan);
        if (!failure && scan.nodes >= most)
            failure = lauka_load_fail(stored, scan.line, error, "is too large: more than %zu parts",
                                      most);
    }
    if (failure)
        lauka_json_text_done(text);
    else
        text->text[text->size] = 0;
    return failure;
}

void lauka_json_text_done(struct lauka_json_text *text)
{
    free(text->text);
    free(text->arrays);
    *text = (struct lauka_json_text){0};
}

const struct lauka_json_array *lauka_json_array(const struct lauka_json_text *text,
                                                const char *token)
{
    char *end;
    if (!token || token[0] != 1 || token[1] < '0' || token[1] > '9')
        return NULL;
    unsigned long long index = strtoull(token + 1, &end, 10);
    return *end || index >= text->array_count ? NULL : &text->arrays[index];
}

struct lauka_json_cursor lauka_json_array_begin(const struct lauka_stored *stored,
                                                const struct lauka_json_array *array)
{
    return (struct lauka_json_cursor){
        .at = stored->bytes + array->begin,
        .end = stored->bytes + array->end,
        .line = array->line,
    };
}

/* Blanks that hold nothing are an empty array; after a comma they are a missing element. */
bool lauka_json_array_next(struct lauka_json_cursor *cursor)
{
    bool first = !cursor->item;
    for (const char *c = cursor->item; !first && c < cursor->at; c++)
        cursor->line += *c == '\n';
    while (cursor->at < cursor->end && is_blank(*cursor->at))
        cursor->line += *cursor->at++ == '\n';
    if (cursor->at > cursor->end || (first && cursor->at == cursor->end))
        return false;
    cursor->item = cursor->at;
    while (cursor->at < cursor->end && *cursor->at != ',')
        cursor->at++;
    const char *end = cursor->at++;
    while (end > cursor->item && is_blank(end[-1]))
        end--;
    cursor->length = (size_t)(end - cursor->item);
    return true;
}
