/* Arrays with a value for each run are short strings in the tree, as when a result is written: a million
 * runs need no tree, and no value goes through a double. The results themselves are kept like that in the
 * document's tree, and are read one by one. What can be computed from them, most of a result of thousands
 * of commands, is in no tree. */
#include "report/load/foreign.h"
#include "report/load/load.h"
#include "report/load/loader.h"
#include "stats/loops.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A node of cJSON's takes 64 bytes, and its parser calls itself for each level. lauka's results have at
 * least 40 bytes of text for each node, so a tree may grow with its text; a small one may have any shape. */
enum { NODES_FREE = 1 << 20, NODES_MAX = 1 << 23, NODE_TEXT = 16, LEVELS_MAX = 100 };

enum { TOKEN_SIZE = 32 };

struct scan {
    const struct lauka_stored *stored;
    struct lauka_json_text *text;
    size_t at, end, line, levels;
    bool outermost;
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

enum { OF_DOCUMENT = 1, OF_METRIC = 3 /* of a result: that, its metrics, one of them */ };

static bool holds_results(const struct scan *scan)
{
    return scan->outermost && scan->levels == OF_DOCUMENT && is_key(scan, "results");
}

/* Only where lauka writes them: a metric may have the same name. */
static bool is_computed_again(const struct scan *scan)
{
    return scan->outermost ? scan->levels == OF_DOCUMENT &&
                                 (is_key(scan, "comparisons") || is_key(scan, "doubts"))
                           : scan->levels == OF_METRIC && is_key(scan, "quantiles");
}

/* ---- where something ends -------------------------------------------------------------------- */

/* Where the string that begins at `at` ends, with its quote; the end of the text if it does not. */
static size_t string_end(const char *bytes, size_t at, size_t end)
{
    const char *quote = NULL, *stop = bytes + end, *place = bytes + at + 1;
    while (place < stop) {
        if (!quote || quote < place)
            quote = memchr(place, '"', (size_t)(stop - place));
        const char *limit = quote ? quote : stop;
        const char *escape = memchr(place, '\\', (size_t)(limit - place));
        if (!escape)
            return quote ? (size_t)(quote + 1 - bytes) : end;
        place = escape + 2;
    }
    return end;
}

static bool is_mark(char c)
{
    return c == '"' || c == '[' || c == ']' || c == '{' || c == '}';
}

/* Whether one of the next STRIDE bytes may be a mark: brackets and braces differ in bits 1, 2 and 5. */
enum { STRIDE = 64 };

LAUKA_UNCHECKED static bool may_have_mark(const char *bytes)
{
    unsigned char found = 0;
    for (size_t i = 0; i < STRIDE; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        found |= (byte | 0x26) == 0x7f;
        found |= byte == '"';
    }
    return found;
}

/* Most of a large file is numbers. */
static size_t next_mark(const char *bytes, size_t at, size_t end)
{
    while (end - at >= STRIDE && !may_have_mark(bytes + at))
        at += STRIDE;
    while (at < end && !is_mark(bytes[at]))
        at++;
    return at;
}

/* Where the array that begins at `at` ends, without its bracket; 0 if it does not end, or holds anything
 * but numbers and strings. */
static size_t flat_array_end(const char *bytes, size_t at, size_t end)
{
    at = next_mark(bytes, at + 1, end);
    while (at < end && bytes[at] == '"')
        at = next_mark(bytes, string_end(bytes, at, end), end);
    return at < end && bytes[at] == ']' ? at : 0;
}

/* Where the array or object that begins at `at` ends, with its bracket; the end of the text if it does
 * not. */
static size_t nest_end(const char *bytes, size_t at, size_t end)
{
    size_t levels = 0;
    while (at < end) {
        at = next_mark(bytes, at, end);
        if (at == end)
            break;
        char c = bytes[at];
        at = c == '"' ? string_end(bytes, at, end) : at + 1;
        levels += c == '[' || c == '{';
        levels -= c == ']' || c == '}';
        if (levels == 0)
            break;
    }
    return at;
}

/* ---- what is written instead ----------------------------------------------------------------- */

static int make_room(struct lauka_json_text *text, size_t size)
{
    size_t wanted = text->size + size + 1;
    if (wanted <= text->capacity)
        return 0;
    size_t capacity = wanted > 2 * text->capacity ? wanted : 2 * text->capacity;
    char *bytes = realloc(text->text, capacity);
    if (!bytes)
        return ENOMEM;
    text->text = bytes;
    text->capacity = capacity;
    return 0;
}

static int emit(struct scan *scan, size_t end)
{
    struct lauka_json_text *text = scan->text;
    if (make_room(text, end - scan->at) != 0)
        return ENOMEM;
    for (; scan->at < end; scan->at++) {
        char c = scan->stored->bytes[scan->at];
        text->text[text->size++] = c;
        scan->line += c == '\n';
    }
    return 0;
}

/* Replaces everything up to the end by this, except the ends of lines. */
static int emit_instead(struct scan *scan, const char *instead, size_t end)
{
    struct lauka_json_text *text = scan->text;
    const char *bytes = scan->stored->bytes, *newline;
    if (make_room(text, strlen(instead)) != 0)
        return ENOMEM;
    memcpy(text->text + text->size, instead, strlen(instead));
    text->size += strlen(instead);
    while ((newline = memchr(bytes + scan->at, '\n', end - scan->at))) {
        if (make_room(text, 1) != 0)
            return ENOMEM;
        text->text[text->size++] = '\n';
        scan->line++;
        scan->at = (size_t)(newline + 1 - bytes);
    }
    scan->at = end;
    return 0;
}

/* What lies between, without the bracket or quote at either end. */
static int emit_token(struct scan *scan, size_t end)
{
    struct lauka_json_text *text = scan->text;
    char token[TOKEN_SIZE];
    if ((text->array_count & (text->array_count - 1)) == 0) {
        size_t capacity = text->array_count > 0 ? 2 * text->array_count : 16;
        struct lauka_json_array *arrays = realloc(text->arrays, capacity * sizeof *arrays);
        if (!arrays)
            return ENOMEM;
        text->arrays = arrays;
    }
    text->arrays[text->array_count] = (struct lauka_json_array){scan->at + 1, end, scan->line};
    snprintf(token, sizeof token, "\"\\u0001%zu\"", text->array_count++);
    return emit_instead(scan, token, end + 1);
}

/* ---- the part -------------------------------------------------------------------------------- */

/* A key, or a value. */
static int take_string(struct scan *scan)
{
    const char *bytes = scan->stored->bytes;
    size_t begin = scan->at, end = string_end(bytes, begin, scan->end), next = end;
    while (next < scan->end && is_blank(bytes[next]))
        next++;
    bool names = next < scan->end && bytes[next] == ':';
    bool packed = !names && is_key(scan, "zlib") && end - begin >= 2 && bytes[end - 1] == '"';
    scan->key = names ? bytes + begin + 1 : NULL;
    scan->key_length = names ? end - begin - 2 : 0;
    return packed ? emit_token(scan, end - 1) : emit(scan, end);
}

/* Unused parts get the value 0. No result nests as deep as the limit, so anything deeper is under somebody
 * else's key. */
static int take_nest(struct scan *scan)
{
    const char *bytes = scan->stored->bytes;
    char c = bytes[scan->at];
    size_t end = 0;
    if (c == '[' && holds_results(scan)) {
        end = nest_end(bytes, scan->at, scan->end);
        end = bytes[end - 1] == ']' && end - 1 > scan->at ? end - 1 : 0;
    } else if (c == '[' && holds_runs(scan)) {
        end = flat_array_end(bytes, scan->at, scan->end);
    }
    bool leaves_out = scan->levels == LEVELS_MAX || is_computed_again(scan);
    scan->key = NULL;
    scan->text->nodes++;
    if (end > 0)
        return emit_token(scan, end);
    if (leaves_out)
        return emit_instead(scan, "0", nest_end(bytes, scan->at, scan->end));
    scan->levels++;
    return emit(scan, scan->at + 1);
}

/* The word in quotes. */
static int take_word(struct scan *scan, size_t length)
{
    const char *word = scan->stored->bytes + scan->at;
    bool fits = length < TOKEN_SIZE - 2; /* it may have a comment in parentheses */
    char quoted[TOKEN_SIZE];
    snprintf(quoted, sizeof quoted, "\"%.*s\"", fits ? (int)length : 3, fits ? word : "NaN");
    scan->key = NULL;
    return emit_instead(scan, quoted, scan->at + length);
}

/* Where a value may begin. */
static size_t word_at(const struct scan *scan)
{
    const char *bytes = scan->stored->bytes;
    bool begins =
        scan->at == 0 || is_blank(bytes[scan->at - 1]) || strchr(":,[", bytes[scan->at - 1]);
    return begins ? lauka_foreign_word(bytes + scan->at, scan->end - scan->at) : 0;
}

/* One string, one array of runs, what is left out, one word, or one other byte. */
static int step(struct scan *scan)
{
    char c = scan->stored->bytes[scan->at];
    size_t word = word_at(scan);
    if (word > 0)
        return take_word(scan, word);
    if (c == '"')
        return take_string(scan);
    if (c == '[' || c == '{')
        return take_nest(scan);
    if (!is_blank(c) && c != ':')
        scan->key = NULL;
    scan->text->nodes += c == ',';
    scan->levels -= scan->levels > 0 && (c == ']' || c == '}');
    return emit(scan, scan->at + 1);
}

static size_t nodes_max(const struct lauka_stored *stored)
{
    size_t nodes = NODES_FREE + stored->size / NODE_TEXT;
    return nodes < NODES_MAX ? nodes : NODES_MAX;
}

int lauka_json_text_make(const struct lauka_stored *stored, const struct lauka_json_array *part,
                         bool outermost, struct lauka_json_text *text,
                         struct lauka_load_error *error)
{
    struct scan scan = {.stored = stored,
                        .text = text,
                        .at = part->begin,
                        .end = part->end,
                        .line = part->line,
                        .outermost = outermost};
    const size_t most = nodes_max(stored);
    text->size = 0;
    int failure = make_room(text, 0);
    while (!failure && scan.at < scan.end) {
        failure = step(&scan);
        if (!failure && text->nodes >= most)
            failure = lauka_load_fail(stored, scan.line, error, "is too large: more than %zu parts",
                                      most);
    }
    if (!failure)
        text->text[text->size] = 0;
    return failure;
}

void lauka_json_text_done(struct lauka_json_text *text)
{
    free(text->text);
    free(text->arrays);
    *text = (struct lauka_json_text){0};
}

/* ---- arrays ---------------------------------------------------------------------------------- */

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

/* Blanks alone are an empty array; after a comma they are a missing element. */
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

static void skip_blanks(const struct lauka_stored *stored, struct lauka_json_array *rest)
{
    while (rest->begin < rest->end && is_blank(stored->bytes[rest->begin]))
        rest->line += stored->bytes[rest->begin++] == '\n';
}

struct lauka_json_elements lauka_json_elements_begin(const struct lauka_stored *stored,
                                                     const struct lauka_json_array *array)
{
    struct lauka_json_elements elements = {.rest = *array};
    skip_blanks(stored, &elements.rest);
    elements.more = elements.rest.begin < elements.rest.end;
    return elements;
}

/* After a comma there must be one more element, even if it is empty. */
bool lauka_json_elements_next(const struct lauka_stored *stored,
                              struct lauka_json_elements *elements,
                              struct lauka_json_array *element)
{
    struct lauka_json_array *rest = &elements->rest;
    const char *bytes = stored->bytes, *newline;
    if (!elements->more)
        return false;
    skip_blanks(stored, rest);
    *element = *rest;
    while (rest->begin < rest->end && bytes[rest->begin] != ',') {
        char c = bytes[rest->begin];
        rest->begin = c == '"'               ? string_end(bytes, rest->begin, rest->end)
                      : c == '[' || c == '{' ? nest_end(bytes, rest->begin, rest->end)
                                             : rest->begin + 1;
    }
    element->end = rest->begin;
    for (size_t at = element->begin; (newline = memchr(bytes + at, '\n', element->end - at));
         at = (size_t)(newline + 1 - bytes))
        rest->line++;
    elements->more = rest->begin < rest->end;
    rest->begin += elements->more;
    return true;
}
