/* Kept programs, and what they stand on: copies of files, and the libraries that a program needs. */
#include "tests/unit/expect.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/load/load.h"
#include "runner/kept/kept.h"

static char folder[LAUKA_FOLDER_SIZE];

static const char *path_of(const char *name)
{
    static char paths[4][LAUKA_FOLDER_SIZE + 200];
    static size_t next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof *paths, "%s/%s", folder, name);
    return path;
}

static void write_bytes(const char *path, const void *bytes, size_t size, mode_t mode)
{
    FILE *file = fopen(path, "wb");

    EXPECT(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    EXPECT(chmod(path, mode) == 0);
}

/* ---- file.c ---- */

static void a_copy_has_the_permissions_and_the_time_of_its_original(void)
{
    struct stat original, copy;
    const struct timespec times[] = {{.tv_sec = 1}, {.tv_sec = 1000000000}};

    write_bytes(path_of("a"), "content", 7, 04751);
    EXPECT(utimensat(AT_FDCWD, path_of("a"), times, 0) == 0);
    EXPECT(lauka_file_copy(path_of("a"), path_of("b")) == 0);
    EXPECT(stat(path_of("a"), &original) == 0 && stat(path_of("b"), &copy) == 0);
    EXPECT((copy.st_mode & 07777) == 0751 && copy.st_size == 7);
    EXPECT(copy.st_mtime == 1000000000);
    EXPECT(lauka_file_copy(path_of("a"), path_of("b")) == EEXIST);
    EXPECT(lauka_file_copy(path_of("none"), path_of("c")) == ENOENT);
    EXPECT(lauka_file_copy("/dev/null", path_of("c")) == EINVAL);
    EXPECT(lauka_file_copy(path_of("a"), path_of("none/c")) == ENOENT);
    EXPECT(access(path_of("c"), F_OK) != 0);
    EXPECT(lauka_folder_sync(folder) == 0 && lauka_folder_sync(path_of("none")) == ENOENT);
}

static void a_file_system_that_cannot_share_blocks_leaves_no_file(void)
{
    int from = open("/dev/null", O_RDONLY);

    EXPECT(lauka_clone_file(from, path_of("clone")) == -1);
    EXPECT(access(path_of("clone"), F_OK) != 0);
    close(from);
}

/* ---- executable.c, libraries.c ---- */

enum { NAMES = 400 }; /* offset of the strings in a made-up file */

static void put(uint8_t *bytes, size_t at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[at + i] = (uint8_t)(value >> 8 * i);
}

/* A 64-bit ELF file that needs "one" and "two" and has the run path "$ORIGIN/x". */
static void make_elf(uint8_t bytes[512])
{
    static const uint64_t entries[][2] = {{1, 1}, {5, 0x1000 + NAMES}, {29, 9}, {1, 5}, {0, 0}};

    memset(bytes, 0, 512);
    memcpy(bytes, "\177ELF\2\1\1", 7);
    put(bytes, 18, 62, 2);
    put(bytes, 32, 64, 8);
    put(bytes, 54, 56, 2);
    put(bytes, 56, 2, 2);
    put(bytes, 64, 1, 4); /* all of the file, at the address 0x1000 */
    put(bytes, 64 + 16, 0x1000, 8);
    put(bytes, 64 + 32, 512, 8);
    put(bytes, 120, 2, 4);
    put(bytes, 120 + 8, 200, 8);
    put(bytes, 120 + 32, sizeof entries, 8);
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        put(bytes, 200 + 16 * i, entries[i][0], 8);
        put(bytes, 208 + 16 * i, entries[i][1], 8);
    }
    memcpy(bytes + NAMES, "\0one\0two\0$ORIGIN/x", 18);
}

static void needed(const uint8_t bytes[512], char *text, size_t size)
{
    static uint8_t own[512];
    memcpy(own, bytes, 512);
    FILE *file = fmemopen(own, 512, "r");

    lauka_elf_needed(file, text, size);
    fclose(file);
}

static void needed_libraries_are_read_and_liars_are_survived(void)
{
    uint8_t bytes[512], broken[512];
    char text[100];
    uint32_t luck = 5;

    make_elf(bytes);
    needed(bytes, text, sizeof text);
    EXPECT(memcmp(text, "$ORIGIN/x\0one\0two\0", 19) == 0);
    needed(bytes, text, 12); /* no room for all */
    EXPECT(memcmp(text, "$ORIGIN/x\0", 11) == 0);
    for (int i = 0; i < 20000; i++) {
        memcpy(broken, bytes, sizeof broken);
        for (int k = 0; k < 3; k++) {
            luck = luck * 1664525 + 1013904223;
            broken[(luck >> 8) % 420] = (uint8_t)(luck >> 24);
        }
        needed(broken, text, sizeof text);
    }
    memset(bytes, 0, sizeof bytes);
    needed(bytes, text, sizeof text);
    EXPECT(memcmp(text, "\0", 2) == 0);
}

static void the_kind_is_one_of_elf_files(void)
{
    uint8_t bytes[512];

    make_elf(bytes);
    FILE *file = fmemopen(bytes, sizeof bytes, "r");
    EXPECT(lauka_elf_kind(file) == (2u << 24 | 1u << 16 | 62));
    fclose(file);
    file = fmemopen(bytes, 3, "r");
    EXPECT(lauka_elf_kind(file) == 0);
    fclose(file);
}

struct seen {
    size_t count;
    char paths[4][LAUKA_FOLDER_SIZE + 200];
};

static void see(void *context, const char *path)
{
    struct seen *seen = context;

    if (seen->count < 4)
        snprintf(seen->paths[seen->count], sizeof *seen->paths, "%s", path);
    seen->count++;
}

static void a_needed_library_is_found_along_the_run_path_and_interpreters_are(void)
{
    struct lauka_arena arena = {0};
    struct seen seen = {0};
    uint8_t bytes[512];

    make_elf(bytes);
    EXPECT(mkdir(path_of("x"), 0700) == 0);
    write_bytes(path_of("elf"), bytes, sizeof bytes, 0755);
    write_bytes(path_of("x/two"), bytes, sizeof bytes, 0755);
    bytes[18] = 3; /* for another processor */
    write_bytes(path_of("x/one"), bytes, sizeof bytes, 0755);
    lauka_needed_files_visit(&arena, path_of("elf"), see, &seen);
    EXPECT(seen.count == 1 && strstr(seen.paths[0], "/x/two"));
    write_bytes(path_of("script"), "#! /usr/bin/env -S A=1 sh\n", 26, 0755);
    lauka_needed_files_visit(&arena, path_of("script"), see, &seen);
    EXPECT(seen.count == 2 && strstr(seen.paths[1], "/sh"));
    write_bytes(path_of("script"), "#!/none/at/all\n", 15, 0755);
    lauka_needed_files_visit(&arena, path_of("script"), see, &seen);
    lauka_needed_files_visit(&arena, path_of("none"), see, &seen);
    EXPECT(seen.count == 2);
    EXPECT(strncmp(lauka_build_of(&arena, path_of("elf")), "sha256:", 7) == 0);
    EXPECT(lauka_build_of(&arena, path_of("none")) == NULL);
    lauka_arena_done(&arena);
}

/* ---- kept/ ---- */

static void a_record_is_read_as_a_document(void)
{
    static const char text[] = "{\"name\":\"a\",\"time\":\"t\",\"command\":\"c\"}";
    struct lauka_result_kept kept = {0};
    struct lauka_load_error error;
    struct lauka_stored stored = {.name = "f", .bytes = text, .size = sizeof text - 1};

    EXPECT(lauka_load_record(&stored, &lauka_kept_record, &kept, &error) == 0);
    EXPECT_TEXT(kept.command, "c");
    lauka_record_done(&lauka_kept_record, &kept);
    stored.size--;
    EXPECT(lauka_load_record(&stored, &lauka_kept_record, &kept, &error) == EINVAL);
    lauka_record_done(&lauka_kept_record, &kept);
}

static void a_program_is_kept_run_and_dropped(void)
{
    static struct lauka_options options;
    static struct lauka_command command;
    static char name[] = "@base", argument[] = "x", *side[] = {name, NULL}, word[] = "other",
                format[] = LAUKA_KEPT_FORMAT;
    char *words[] = {NULL, argument, NULL};
    struct lauka_benchmark benchmark = {.count = 1};
    struct lauka_arena arena = {0};
    struct lauka_session session;
    struct lauka_kept kept = {0};
    struct lauka_kept_store store;
    struct lauka_kept_manifest manifest = {0};
    struct lauka_error error;
    FILE *out = tmpfile();

    write_bytes(path_of("prog"), "#!/bin/sh\n", 10, 0755);
    words[0] = lauka_arena_text(&arena, path_of("prog"));
    options = (struct lauka_options){.arena = &arena,
                                     .run.store = lauka_arena_text(&arena, path_of("store")),
                                     .run.keep = {.name = "base", .words = words, .word_count = 2}};
    EXPECT(lauka_keep_act(&options, out, &error));
    EXPECT(!lauka_keep_act(&options, out, &error) && error.code == LAUKA_EXIT_USAGE);
    command = (struct lauka_command){.arena = &arena, .label = side[0], .argv = side};
    options.run.commands = &command;
    options.run.command_count = 1;
    options.run.benchmarks = &benchmark;
    options.run.benchmark_count = 1;
    EXPECT(lauka_kept_prepare(&kept, &options, &error));
    EXPECT_TEXT(command.argv[1], "x");
    EXPECT(command.program && access(command.program, X_OK) == 0);
    EXPECT(lauka_session_init(&session, 1) == 0);
    EXPECT(lauka_kept_describe(&kept, &options, &session) == 0);
    EXPECT(session.benchmarks[0].warning_count == 1);
    lauka_session_done(&session);
    EXPECT(lauka_kept_store_open(&arena, options.run.store, true, &store, &error));
    EXPECT(lauka_kept_drop(&store, "base", &error));
    EXPECT(access(command.program, X_OK) == 0); /* it is held */
    lauka_kept_done(&kept);
    const struct lauka_texts none = {0};
    manifest = (struct lauka_kept_manifest){.about = {.name = word, .time = word, .command = word},
                                            .format = format,
                                            .argv = words,
                                            .arch = word};
    EXPECT(lauka_kept_put(&store, words[0], &none, &manifest, &error));
    EXPECT(strstr(manifest.files[0], " 100755 prog") && !manifest.files[1]);
    EXPECT(lauka_kept_is_object(manifest.object) && manifest.bytes == 10);
    EXPECT(lauka_kept_drop(&store, "other", &error));
    EXPECT(access(command.program, F_OK) != 0);
    EXPECT(!lauka_kept_drop(&store, "other", &error) && error.code == LAUKA_EXIT_USAGE);
    close(store.lock);
    fclose(out);
    lauka_arena_done(&arena);
}

int main(void)
{
    EXPECT(lauka_folder_make("test", folder) == 0);
    TEST(a_copy_has_the_permissions_and_the_time_of_its_original);
    TEST(a_file_system_that_cannot_share_blocks_leaves_no_file);
    TEST(needed_libraries_are_read_and_liars_are_survived);
    TEST(the_kind_is_one_of_elf_files);
    TEST(a_needed_library_is_found_along_the_run_path_and_interpreters_are);
    TEST(a_record_is_read_as_a_document);
    TEST(a_program_is_kept_run_and_dropped);
    (void)lauka_tree_remove(folder);
    return expect_report("kept");
}
