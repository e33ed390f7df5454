/* lauka --version: what helps to find a bug. Scripts read the first line. */
#include "report/csv/csv.h"
#include "report/json/json.h"
#include "report/load/load.h"
#include "report/pack/pack.h"
#include "runner/subcommands/subcommands.h"

#include <errno.h>
#include <string.h>

enum { LIBRARIES = 4 };

struct library {
    const char *name, *version; /* an empty version: not known */
};

static void list_libraries(const struct lauka_build *build, struct library list[LIBRARIES])
{
    list[0] = (struct library){"libcsv", lauka_csv_library()};
    list[1] = (struct library){"cJSON", lauka_json_library()};
    list[2] = (struct library){"zlib", lauka_pack_library()};
    list[3] = (struct library){build->libc_name, build->libc_version};
}

static int write_text(const struct lauka_build *build, FILE *out)
{
    struct library libraries[LIBRARIES];

    list_libraries(build, libraries);
    fprintf(out, "lauka %s\ncommit %s\ntarget %s\nlibraries", build->version, build->commit,
            build->target);
    for (size_t i = 0; i < LIBRARIES; i++)
        fprintf(out, "%s %s%s%s", i > 0 ? "," : "", libraries[i].name,
                *libraries[i].version ? " " : "", libraries[i].version);
    return fputs("\n", out) < 0 ? EIO : 0;
}

static int write_json(const struct lauka_build *build, FILE *out)
{
    struct lauka_json_document document = lauka_document_begin(LAUKA_JSON_TABS, out);
    struct library libraries[LIBRARIES];

    list_libraries(build, libraries);
    lauka_document_object(&document, NULL);
    lauka_document_text(&document, "version", build->version);
    lauka_document_text(&document, "commit", build->commit);
    lauka_document_text(&document, "target", build->target);
    lauka_document_object(&document, "libraries");
    for (size_t i = 0; i < LIBRARIES; i++)
        lauka_document_text(&document, libraries[i].name,
                            *libraries[i].version ? libraries[i].version : NULL);
    lauka_document_end(&document);
    lauka_document_end(&document);
    return lauka_document_finish(&document);
}

bool lauka_write_version(const struct lauka_options *options, const struct lauka_build *build,
                         FILE *out, struct lauka_error *error)
{
    const char *form = options->help_form;

    if (form && strcmp(form, "json") != 0)
        return lauka_misuse(error, "--version=%.100s: expected --version or --version=json", form);
    int failure = form ? write_json(build, out) : write_text(build, out);
    return !failure || lauka_fail_stdout(error, failure);
}
