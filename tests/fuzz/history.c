/* Files of a history, cut at each byte 1, which are then searched and shown in every form. */
#include "report/history/history.h"
#include "report/pack/pack.h"

#include <errno.h>
#include <stdio.h>

#include "tests/fuzz/fuzz.h"

static void read_file(struct lauka_history *history, const char *text, size_t length)
{
    const size_t sessions = history->session_count, series = history->series_count;
    const char *why;
    char *bytes = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&bytes, &size), *gzip = lauka_gzip_open(to);

    fuzz_require(gzip && fwrite(text, 1, length, gzip) == length && fclose(gzip) == 0 &&
                 fclose(to) == 0);
    const int failure = lauka_history_read(history, bytes, size, NULL, &why);
    fuzz_require(failure == 0 || (failure == EINVAL && *why && history->session_count == sessions &&
                                  history->series_count == series));
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct lauka_history history = {0};
    char *text = fuzz_text(bytes, size), *shown = NULL, *rest = text;
    size_t length = 0;

    if (size > 0)
        (void)lauka_history_read(&history, text, size, "p", &(const char *){NULL});
    for (char *file; (file = strsep(&rest, "\1"));)
        read_file(&history, file, strlen(file));
    fuzz_require(lauka_history_search(&history, 0.05) == 0);
    FILE *out = open_memstream(&shown, &length);
    fuzz_require(
        lauka_history_show(&history, (struct lauka_terminal){.width = 80, .utf8 = true}, out) == 0);
    fuzz_require(lauka_history_write_json(&history, out) == 0);
    fuzz_require(lauka_history_write_html(&history, "https://x/{commit}", out) == 0);
    fclose(out);
    fuzz_require(!memchr(shown, '\x1b', length) && !memchr(shown, '\0', length));
    free(shown);
    free(text);
    lauka_history_done(&history);
    return 0;
}
