/* Files and folders of other programs, which may leave anything in place of what is looked for. */
#include "tests/unit/expect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/base.h"
#include "runner/suite/suite.h"

/* ---- file.c ---- */

static void only_plain_files_are_opened_for_what_is_in_them(void)
{
    char folder[LAUKA_FOLDER_SIZE], path[LAUKA_FOLDER_SIZE + 20], link[LAUKA_FOLDER_SIZE + 20];

    EXPECT(lauka_folder_make("test", folder) == 0);
    snprintf(path, sizeof path, "%s/file", folder);
    snprintf(link, sizeof link, "%s/link", folder);
    EXPECT(symlink(path, link) == 0);
    EXPECT(lauka_file_open_plain(link) == -1 && errno == ENOENT);
    EXPECT(mkfifo(path, 0600) == 0);
    EXPECT(lauka_file_open_plain(path) == -1 && errno == EINVAL);
    EXPECT(lauka_file_open_plain(link) == -1 && errno == EINVAL);
    EXPECT(!lauka_file_stream(path) && errno == EINVAL);
    EXPECT(lauka_file_open_plain("/dev/zero") == -1 && errno == EINVAL);
    EXPECT(lauka_file_open_plain(folder) == -1 && errno == EINVAL);
    EXPECT(unlink(path) == 0);
    int file = open(path, O_CREAT | O_WRONLY, 0600);
    EXPECT(file >= 0 && write(file, "x", 1) == 1 && close(file) == 0);
    FILE *stream = lauka_file_stream(link);
    EXPECT(stream && fgetc(stream) == 'x');
    EXPECT(stream && fcntl(fileno(stream), F_GETFD) == FD_CLOEXEC);
    if (stream)
        fclose(stream);
    EXPECT(lauka_tree_remove(folder));
}

/* ---- folder.c ---- */

/* So many folders, each in the one before. No path leads to the last. */
static bool make_deep(const char *folder, int depth)
{
    static char name[] = "a-name-of-some-length";
    int here = open(folder, O_RDONLY | O_DIRECTORY);

    for (int i = 0; i < depth && here >= 0; i++) {
        int inner =
            mkdirat(here, name, 0700) == 0 ? openat(here, name, O_RDONLY | O_DIRECTORY) : -1;
        close(here);
        here = inner;
    }
    if (here >= 0)
        close(here);
    return here >= 0;
}

static void a_folder_is_removed_with_all_that_is_in_it(void)
{
    char folder[LAUKA_FOLDER_SIZE], path[LAUKA_FOLDER_SIZE + 40], outside[LAUKA_FOLDER_SIZE];

    EXPECT(lauka_folder_make("test", folder) == 0 && lauka_folder_make("test", outside) == 0);
    snprintf(path, sizeof path, "%s/kept", outside);
    EXPECT(mkdir(path, 0700) == 0);
    EXPECT(make_deep(folder, 300));
    snprintf(path, sizeof path, "%s/link", folder);
    EXPECT(symlink(outside, path) == 0);
    snprintf(path, sizeof path, "%s/closed", folder);
    EXPECT(mkdir(path, 0700) == 0 && make_deep(path, 3) && chmod(path, 0) == 0);
    snprintf(path, sizeof path, "%s/lauka-0", folder); /* what is moved gets such names */
    EXPECT(mkdir(path, 0700) == 0 && make_deep(path, 2) && chmod(path, 0500) == 0);
    EXPECT(chmod(folder, 0) == 0);
    EXPECT(lauka_tree_remove(folder));
    EXPECT(access(folder, F_OK) == -1 && errno == ENOENT);
    snprintf(path, sizeof path, "%s/kept", outside);
    EXPECT(access(path, F_OK) == 0);
    EXPECT(symlink(outside, folder) == 0); /* another program has put that there */
    EXPECT(lauka_tree_remove(folder));
    EXPECT(access(path, F_OK) == 0);
    EXPECT(lauka_tree_remove(outside));
    EXPECT(lauka_tree_remove(outside));
}

/* ---- names.c ---- */

/* Had each to be compared with all others, this would take minutes. */
static void names_are_kept_once_in_their_order(void)
{
    enum { COUNT = 200000 };
    struct lauka_inner_names names = {0};
    char name[20];
    bool good = true;

    EXPECT(!lauka_inner_names_have(&names, "0"));
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < COUNT; i++) {
            snprintf(name, sizeof name, "%d-and-more", i * 7);
            good = good && lauka_inner_names_add(&names, name, strcspn(name, "-")) == 0;
        }
    EXPECT(good && names.count == COUNT);
    for (int i = 0; i < COUNT && good; i++) {
        snprintf(name, sizeof name, "%d", i * 7);
        good = strcmp(names.names[i], name) == 0 && lauka_inner_names_have(&names, name);
    }
    EXPECT(good && !lauka_inner_names_have(&names, "8") && !lauka_inner_names_have(&names, ""));
    lauka_inner_names_done(&names);
}

int main(void)
{
    TEST(only_plain_files_are_opened_for_what_is_in_them);
    TEST(a_folder_is_removed_with_all_that_is_in_it);
    TEST(names_are_kept_once_in_their_order);
    return expect_report("files");
}
