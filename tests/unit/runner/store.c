/* The store of a history as files: what is put is read, and put once. */
#include "tests/unit/expect.h"

#include "runner/base/arena.h"
#include "runner/history/history.h"

#include <dirent.h>
#include <unistd.h> /* mkdtemp(3), on macOS */

static size_t count_files(const char *folder)
{
    DIR *open = opendir(folder);
    size_t count = 0;
    while (open && readdir(open))
        count++;
    if (open)
        closedir(open);
    return count > 2 ? count - 2 : 0; /* . and .. */
}

static void what_is_put_is_read_and_put_once(void)
{
    static const char text[] = "lauka-history/1\tsession\ntime\t2026\ncommit\tabc\nhost\th\n"
                               "row\tp\tp\t\tcpu_time\tns\tlower\t\t9\t5\t1\t-\t-\n";
    char folder[] = "/tmp/lauka-store-XXXXXX";
    struct lauka_arena arena = {0};
    struct lauka_options options = {.arena = &arena};
    struct lauka_history history = {0};
    struct lauka_store store;
    struct lauka_error error;

    EXPECT(mkdtemp(folder) != NULL);
    options.run.history = folder;
    EXPECT(lauka_store_open(&store, &options, &error));
    free(store.project); /* whichever repository this runs in */
    store.project = NULL;
    for (int again = 0; again < 3; again++)
        EXPECT(lauka_store_put(&store, text, sizeof text - 1, &error));
    EXPECT(count_files(folder) == 1);
    EXPECT(lauka_store_read(&store, &history, &error));
    EXPECT(history.session_count == 1 && history.series_count == 1);
    EXPECT(history.series_count == 1 && history.series[0].points[0].value == 5);
    lauka_history_done(&history);
    EXPECT(lauka_tree_remove(folder));
    EXPECT(!lauka_store_read(&store, &history, &error) && error.code == LAUKA_EXIT_USAGE);
    lauka_store_close(&store);
    lauka_arena_done(&arena);
}

static void a_folder_that_cannot_be_made_is_an_error(void)
{
    struct lauka_arena arena = {0};
    struct lauka_options options = {.arena = &arena, .run.history = "/dev/null/h"};
    struct lauka_store store;
    struct lauka_error error;

    EXPECT(lauka_store_open(&store, &options, &error));
    EXPECT(!lauka_store_put(&store, "x", 1, &error) && error.code == LAUKA_EXIT_HOST);
    lauka_store_close(&store);
    lauka_arena_done(&arena);
}

int main(void)
{
    TEST(what_is_put_is_read_and_put_once);
    TEST(a_folder_that_cannot_be_made_is_an_error);
    return expect_report("runner/store");
}
