/* What --read finds: a regular expression up to the first line feed, then what a run wrote. In pieces it finds the same as at
 * once, within bounds, and what is a number is one that can be kept. */
#include "runner/command/command.h"

#include "tests/fuzz/fuzz.h"

static enum lauka_search_end search(const struct lauka_pattern *pattern, const char *text,
                                    size_t size, size_t piece, char value[LAUKA_SEARCH_VALUE],
                                    size_t *length)
{
    struct lauka_search *own = lauka_search_open(pattern, NULL, NULL);
    const char *found;
    uint64_t begin = 0;
    size_t end = 0;

    fuzz_require(own != NULL);
    lauka_search_begin(own);
    do {
        end = size - end > piece ? end + piece : size;
        const struct lauka_window window = {text + begin, begin, end - begin, end == size};
        uint64_t needed = lauka_search_run(own, &window);
        fuzz_require(needed >= begin && needed <= end);
        begin = needed;
    } while (end < size);
    enum lauka_search_end how = lauka_search_result(own, &found, length);
    fuzz_require(*length <= LAUKA_SEARCH_VALUE);
    memcpy(value, found, *length);
    lauka_search_close(own);
    return how;
}

static void check_number(const char *text, size_t length)
{
    const struct lauka_figure_unit *unit = lauka_figure_unit_find("1", 1);
    double value = -1;

    if (!lauka_figure_value(text, length, unit, &value))
        fuzz_require(value == 0 || (value >= LAUKA_FIGURE_LEAST && value <= LAUKA_FIGURE_MOST));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char why[300], whole[LAUKA_SEARCH_VALUE], parts[LAUKA_SEARCH_VALUE];
    size_t length, part_length;

    if (size == 0)
        return 0;
    char *text = fuzz_text(bytes + 1, size - 1), *line = memchr(text, '\n', size - 1);
    size_t rest = line ? size - 1 - (size_t)(line + 1 - text) : 0;
    if (line)
        *line = '\0';
    struct lauka_pattern *pattern = lauka_pattern_make(text, why, sizeof why);
    fuzz_require(pattern || (*why && strlen(why) < sizeof why - 1));
    check_number(text, strlen(text));
    if (pattern && line) {
        enum lauka_search_end how = search(pattern, line + 1, rest, SIZE_MAX, whole, &length);
        fuzz_require(search(pattern, line + 1, rest, bytes[0] % 16 + 1u, parts, &part_length) ==
                     how);
        fuzz_require(length == part_length && memcmp(whole, parts, length) == 0);
        check_number(whole, length);
    }
    lauka_pattern_free(pattern);
    free(text);
    return 0;
}
