/* The manifest of a kept program. What is read leads nowhere but into its object. */
#include "runner/kept/kept.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

static void store(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    fuzz_require(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static char folder[LAUKA_FOLDER_SIZE];
    struct lauka_arena arena = {0};
    struct lauka_kept_store opened = {.arena = &arena, .folder = folder, .lock = -1};
    struct lauka_kept_manifest manifest;
    struct lauka_error error;

    if (!*folder) {
        fuzz_require(lauka_folder_make("fuzz", folder) == 0);
        fuzz_require(mkdir(lauka_kept_path(&opened, "names", NULL), 0700) == 0);
    }
    store(lauka_kept_manifest_path(&opened, "a"), bytes, size);
    const bool good = lauka_kept_read(&opened, "a", &manifest, &error);
    fuzz_require(good || error.code == LAUKA_EXIT_COMMAND_FAILED);
    if (good) {
        fuzz_require(manifest.argv[0] && lauka_kept_is_object(manifest.object) &&
                     *manifest.program != '/');
        fuzz_require(!lauka_kept_check(&opened, &manifest, &error));
        fuzz_require(error.code == LAUKA_EXIT_COMMAND_FAILED && !strstr(error.text, "/../"));
    }
    lauka_record_done(&lauka_kept_manifest_record, &manifest);
    lauka_arena_done(&arena);
    return 0;
}
