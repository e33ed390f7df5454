/* The place for a cgroup is read from files of a made-up root. Creating one is tested in the emulated
 * machine of tests/vm. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pmu/counters/counters.h"
#include "tests/unit/expect.h"

static char root[] = "/tmp/lauka-cgroup-XXXXXX";

static void make_folder(const char *name)
{
    char path[500];
    snprintf(path, sizeof path, "%s%s", root, name);
    mkdir(path, 0755);
}

static void write_bytes(const char *name, const char *bytes, size_t size)
{
    char path[500];
    snprintf(path, sizeof path, "%s%s", root, name);
    unlink(path); /* some file systems flush a truncated file at once, which takes time */
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
    EXPECT(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    close(file);
}

static void write_text(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text));
}

static const char mounts[] =
    "22 1 0:20 / / rw - ext4 /dev/vda rw\n"
    "31 22 0:26 / /cg\\040x rw - cgroup2 cgroup2 rw\n"
    "32 22 0:26 / /cg rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

static void make_machine(void)
{
    static const char *const folders[] = {"/proc", "/proc/self", "/cg",
                                          "/cg/a", "/cg/a/b",    "/cg/a/b/c"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        make_folder(folders[i]);
    write_text("/proc/self/mountinfo", mounts);
    write_text("/proc/self/cgroup", "4:memory:/other\n0::/a/b/c\n");
    write_text("/cg/cgroup.subtree_control", "cpu memory pids\n");
    write_text("/cg/a/cgroup.subtree_control", "memory\n");
    write_text("/cg/a/b/cgroup.subtree_control", "cpu memory_not\n");
    write_text("/cg/a/b/c/cgroup.subtree_control", "");
}

/* These are plain folders, not cgroups: each is created, has no list of processes, and is removed again. */
static int tried_at(const char *folder, struct lauka_cgroup *cgroup)
{
    char whole[500];
    *cgroup = (struct lauka_cgroup){0};
    int error = lauka_cgroup_open(root, cgroup);
    snprintf(whole, sizeof whole, "%s%s", root, folder);
    EXPECT(strcmp(cgroup->folder, whole) == 0);
    EXPECT(!cgroup->open);
    return error;
}

static void it_is_looked_for_from_our_own_cgroup_up_to_the_mount(void)
{
    struct lauka_cgroup cgroup;
    EXPECT(tried_at("/cg", &cgroup) == ENOENT);
    write_text("/cg/cgroup.subtree_control", "cpu\n");
    EXPECT(tried_at("/cg/a", &cgroup) == ENOENT);
    write_text("/cg/a/b/cgroup.subtree_control", "memory\n");
    write_text("/cg/a/cgroup.subtree_control", "\n");
    EXPECT(tried_at("/cg/a/b", &cgroup) == ENOENT);
}

static void without_a_memory_controller_there_is_none(void)
{
    struct lauka_cgroup cgroup = {0};
    write_text("/cg/a/b/cgroup.subtree_control", "cpu\n");
    EXPECT(lauka_cgroup_open(root, &cgroup) == ENOTSUP && !cgroup.open);
    EXPECT(lauka_cgroup_open("/nowhere", &cgroup) == ENOTSUP);
    write_text("/proc/self/cgroup", "4:memory:/a\n"); /* only version 1 */
    EXPECT(lauka_cgroup_open(root, &cgroup) == ENOTSUP);
    write_text("/proc/self/cgroup", "0::/a/b\n");
    write_text("/cg/cgroup.subtree_control", "memory\n");
    write_text("/proc/self/mountinfo", "22 1 0:20 / / rw - ext4 /dev/vda rw\n");
    EXPECT(lauka_cgroup_open(root, &cgroup) == ENOTSUP);
}

static void what_a_container_does_not_see_is_above_its_mount(void)
{
    struct lauka_cgroup cgroup;
    write_text("/proc/self/mountinfo", "32 22 0:26 /pod/x /cg rw - cgroup2 cgroup2 rw\n");
    write_text("/proc/self/cgroup", "0::/pod/x/a\n");
    write_text("/cg/a/cgroup.subtree_control", "memory\n");
    write_text("/cg/cgroup.subtree_control", "\n");
    EXPECT(tried_at("/cg/a", &cgroup) == ENOENT);
    write_text("/proc/self/cgroup", "0::/\n");
    write_text("/cg/cgroup.subtree_control", "memory\n");
    EXPECT(tried_at("/cg", &cgroup) == ENOENT);
}

static void who_may_make_none_is_told(void)
{
    make_machine();
    chmod(root, 0755);
    pid_t pid = fork();
    if (pid == 0) {
        struct lauka_cgroup cgroup = {0};
        if (geteuid() != 0) /* the folders are this user's, who cannot become another one */
            _exit(0);
        if (setgid(65534) != 0 || setuid(65534) != 0)
            _exit(1);
        _exit(lauka_cgroup_open(root, &cgroup) == EACCES && !cgroup.open ? 0 : 2);
    }
    int status = 1;
    EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
}

static void any_text_is_survived(void)
{
    static const char *const files[] = {"/proc/self/mountinfo", "/proc/self/cgroup",
                                        "/cg/cgroup.subtree_control"};
    static const char *const texts[] = {mounts, "0::/a/b/c\n", "cpu memory\n"};
    unsigned seed = 1;
    for (int i = 0; i < 600; i++) {
        char bytes[sizeof mounts];
        struct lauka_cgroup cgroup = {0};
        size_t which = (size_t)i % 3, size = strlen(texts[which]);
        memcpy(bytes, texts[which], size);
        for (int changes = 0; changes < 3; changes++) {
            seed = seed * 1103515245u + 12345u;
            bytes[(seed >> 8) % size] = (char)(seed >> 24);
        }
        write_bytes(files[which], bytes, size - seed % 7);
        EXPECT(lauka_cgroup_open(root, &cgroup) != 0);
        write_text(files[which], texts[which]);
    }
}

static void nothing_is_left_behind(void)
{
    char command[600];
    snprintf(command, sizeof command, "! find %s | grep -q lauka-[0-9]", root);
    EXPECT(system(command) == 0);
    snprintf(command, sizeof command, "rm -r %s", root);
    EXPECT(system(command) == 0);
}

int main(void)
{
    EXPECT(mkdtemp(root) != NULL);
    make_machine();
    TEST(it_is_looked_for_from_our_own_cgroup_up_to_the_mount);
    TEST(without_a_memory_controller_there_is_none);
    TEST(what_a_container_does_not_see_is_above_its_mount);
    TEST(who_may_make_none_is_told);
    TEST(any_text_is_survived);
    TEST(nothing_is_left_behind);
    return expect_report("cgroup");
}
