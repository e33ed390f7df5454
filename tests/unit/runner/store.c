/* The store of a history as files: what is put is read, and put once. */
#include "tests/unit/expect.h"

#include "runner/base/arena.h"
#include "runner/history/history.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
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

static void make_draft(const char *folder, const char *name, time_t age)
{
    char path[200];
    const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = time(NULL) - age}};

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    EXPECT(file && fclose(file) == 0 && utimensat(AT_FDCWD, path, times, 0) == 0);
}

static void drafts_of_the_dead_go_and_those_of_the_living_stay(void)
{
    char folder[] = "/tmp/lauka-store-XXXXXX";
    struct lauka_arena arena = {0};
    const struct lauka_store store = {.arena = &arena, .folder = folder};
    struct lauka_error error;

    EXPECT(mkdtemp(folder) != NULL);
    make_draft(folder, ".2026-none-1.lauka.gz.77", 4000);
    make_draft(folder, ".2026-none-2.lauka.gz.78", 10);
    make_draft(folder, ".gitignore", 4000);
    make_draft(folder, "2026-none-3.lauka.gz", 4000);
    EXPECT(lauka_store_put(&store, "x", 1, &error));
    EXPECT(count_files(folder) == 4);
    make_draft(folder, ".2026-none-2.lauka.gz.78", 4000);
    EXPECT(lauka_store_put(&store, "x", 1, &error));
    EXPECT(count_files(folder) == 3);
    EXPECT(lauka_tree_remove(folder));
    lauka_arena_done(&arena);
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
    store.project = NULL; /* whichever repository this runs in */
    for (int again = 0; again < 3; again++)
        EXPECT(lauka_store_put(&store, text, sizeof text - 1, &error));
    EXPECT(count_files(folder) == 1);
    EXPECT(lauka_store_read(&store, &history, &error));
    EXPECT(history.session_count == 1 && history.series_count == 1);
    EXPECT(history.series_count == 1 && history.series[0].points[0].value == 5);
    lauka_history_done(&history);
    EXPECT(lauka_tree_remove(folder));
    EXPECT(!lauka_store_read(&store, &history, &error) && error.code == LAUKA_EXIT_USAGE);
    lauka_arena_done(&arena);
}

static void commits_order_sessions_whenever_they_were_measured(void)
{
    static const char letters[] =
        "dcbea"; /* of commits, the oldest first; those of sessions are in order of time */
    char folder[] = "/tmp/lauka-store-XXXXXX", hashes[5][41];
    struct lauka_history_commit commits[5];
    struct lauka_arena arena = {0};
    struct lauka_store store = {
        .arena = &arena, .folder = folder, .commits = commits, .commit_count = 5};
    struct lauka_history history = {0};
    struct lauka_error error;

    EXPECT(mkdtemp(folder) != NULL);
    for (size_t i = 0; i < 5; i++) {
        memset(hashes[i], "abcde"[i], 40);
        hashes[i][40] = '\0';
        const char *place = strchr(letters, "abcde"[i]);
        commits[i] = (struct lauka_history_commit){hashes[i], "2026-01-01", "subject",
                                                   (size_t)(place - letters)};
    }
    for (int i = 0; i < 6; i++) { /* a b c - d e: the fourth is at no known commit */
        char text[300];
        const int length =
            snprintf(text, sizeof text,
                     "lauka-history/1\tsession\ntime\t2026010%d\ncommit\t%s\nhost\th\n"
                     "row\tp\tp\t\tcpu_time\tns\tlower\t\t9\t%d\t1\t-\t-\n",
                     i, i == 3 ? "ffffffffffffff" : hashes[i - (i > 3)], i);
        EXPECT(lauka_store_put(&store, text, (size_t)length, &error));
    }
    EXPECT(lauka_store_read(&store, &history, &error) && history.series_count == 1);
    for (size_t i = 0; i < 6; i++) /* d c b e a, and after the newest before it the fourth */
        EXPECT(history.series[0].points[i].value == "\4\2\1\5\0\3"[i]);
    EXPECT_TEXT(history.sessions[0].subject, "subject");
    EXPECT(history.sessions[5].subject == NULL && lauka_store_place(&store, "ffffffffffffff") == 5);
    EXPECT(lauka_store_place(&store, "aaaaaaaaaaaa") == 4 && lauka_store_place(&store, "aaa") == 5);
    lauka_history_done(&history);
    EXPECT(lauka_tree_remove(folder));
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
    lauka_arena_done(&arena);
}

int main(void)
{
    TEST(drafts_of_the_dead_go_and_those_of_the_living_stay);
    TEST(what_is_put_is_read_and_put_once);
    TEST(commits_order_sessions_whenever_they_were_measured);
    TEST(a_folder_that_cannot_be_made_is_an_error);
    return expect_report("store");
}
