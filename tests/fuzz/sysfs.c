/* What a kernel says about a PMU: its format, its events, and terms to be read with them. The input is the
 * text of three files, separated by newlines. */
#include "pmu/events/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/fuzz/fuzz.h"

static char root[] = "/tmp/lauka-fuzz-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *file = fopen(path, "w");
    fuzz_require(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void remove_root(void)
{
    static const char *const names[] = {
        "devices/cpu/type",
        "devices/cpu/format/event",
        "devices/cpu/events/known",
        "devices/cpu/format",
        "devices/cpu/events",
        "devices/cpu",
        "devices",
        "",
    };
    char path[128];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", root, names[i]);
        remove(path);
    }
}

static void make_root(void)
{
    static const char *const folders[] = {"devices", "devices/cpu", "devices/cpu/format",
                                          "devices/cpu/events"};
    char path[128];

    fuzz_require(mkdtemp(root) != NULL);
    atexit(remove_root);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s/%s", root, folders[i]);
        fuzz_require(mkdir(path, 0700) == 0);
    }
    write_file("devices/cpu/type", "4\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static bool made;
    static struct lauka_event_list list;
    char *text = fuzz_text(bytes, size), *rest = text, why[700], name[300], devices[128];
    const char *format = strsep(&rest, "\n"), *known = rest ? strsep(&rest, "\n") : "";

    if (!made)
        make_root();
    made = true;
    write_file("devices/cpu/format/event", format);
    write_file("devices/cpu/events/known", known);
    snprintf(name, sizeof name, "cpu/%.200s/", rest ? rest : "known");
    snprintf(devices, sizeof devices, "%s/devices", root);
    list = (struct lauka_event_list){0};
    (void)lauka_event_list_add(&list, name, devices, why, sizeof why);
    (void)lauka_event_list_add(&list, "known", devices, why, sizeof why);
    free(text);
    return 0;
}
