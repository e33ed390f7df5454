/* Reports and histograms as people and lauka read them. */
#include "liblauka/hdr.h"
#include "liblauka/report.h"
#include "report/json/json.h"
#include "report/terminal/terminal.h"
#include "report/text/text.h"
#include "report/words/words.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct lauka_terminal terminal_of(FILE *out)
{
    int descriptor = fileno(out); /* -1: a stream in memory */
    int before = errno;
    struct lauka_terminal terminal = lauka_terminal_detect(descriptor, LAUKA_COLOR_AUTO);
    errno = before;
    return terminal;
}

/* ---- histograms -------------------------------------------------------------------------------- */

char *lauka_report_line(const struct lauka_hdr *histogram, const char *name, char *text,
                        size_t size)
{
    struct lauka_histogram_summary summary;
    lauka_histogram_summarize(&histogram->counts, lauka_hdr_moments(histogram), &summary);
    struct lauka_prose prose = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    snprintf(text, size, "%s", lauka_say_histogram(&prose, &summary, name));
    lauka_prose_done(&prose);
    return text;
}

int lauka_report_write_histogram(const struct lauka_hdr *histogram, const char *title, FILE *out)
{
    struct lauka_histogram_summary summary;
    struct lauka_prose prose = lauka_prose_begin(out, terminal_of(out));
    lauka_histogram_summarize(&histogram->counts, lauka_hdr_moments(histogram), &summary);
    lauka_put_histogram(&prose, &summary, title);
    return lauka_prose_end(&prose);
}

int lauka_report_write_difference(const char *title, const char *reference_name,
                                  const struct lauka_hdr *reference, const char *other_name,
                                  const struct lauka_hdr *other, FILE *out)
{
    const struct lauka_moments *moments[] = {lauka_hdr_moments(reference),
                                             lauka_hdr_moments(other)};
    struct lauka_histogram_summary summaries[2];
    struct lauka_prose prose = lauka_prose_begin(out, terminal_of(out));
    lauka_histogram_summarize(&reference->counts, moments[0], &summaries[0]);
    lauka_histogram_summarize(&other->counts, moments[1], &summaries[1]);
    struct lauka_histogram_difference difference = {title,         reference_name, other_name,
                                                    &summaries[0], &summaries[1],  {0}};
    if (moments[0] && moments[1])
        difference.cohens_d = lauka_cohens_d(moments[0], moments[1]);
    lauka_put_histogram_difference(&prose, &difference);
    return lauka_prose_end(&prose);
}

/* ---- reports ----------------------------------------------------------------------------------- */

int lauka_report_sentence(const struct lauka_report *report, int side, char *text, size_t size)
{
    struct lauka_result result;
    if (side < 0 || (size_t)side >= report->frame.command_count || size == 0)
        return EINVAL;
    text[0] = '\0';
    int error = lauka_report_make(report, &result);
    if (!error) {
        struct lauka_prose prose = lauka_prose_begin(NULL, terminal_of(stdout));
        snprintf(text, size, "%s",
                 lauka_result_sentence_about(&prose, &result, (size_t)side,
                                             lauka_say_whole_subject(&prose, &result, (size_t)side),
                                             lauka_say_whole_subject(&prose, &result, 0)));
        error = lauka_prose_done(&prose);
    }
    lauka_result_done(&result);
    return error;
}

int lauka_report_compare(const struct lauka_report *report, int side, int metric,
                         struct lauka_compare_result *result)
{
    struct lauka_result made;
    *result = (struct lauka_compare_result){.method = ""};
    if (side < 1 || (size_t)side >= report->frame.command_count || metric < 0 ||
        (size_t)metric >= report->frame.metric_count)
        return EINVAL;
    int error = lauka_report_make(report, &made);
    const struct lauka_comparison *comparison =
        error ? NULL : lauka_result_comparison(&made, (size_t)side, (size_t)metric);
    if (comparison)
        lauka_compare_publish(comparison, 1, result);
    lauka_result_done(&made);
    return error;
}

static int write_json(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out)
{
    (void)terminal;
    return lauka_write_json(result, out);
}

static int write_by(const struct lauka_report *report,
                    int (*write)(const struct lauka_result *, struct lauka_terminal, FILE *),
                    FILE *out)
{
    struct lauka_result result;
    int error = lauka_report_make(report, &result);
    errno = 0; /* what writers tell is what failed since then */
    if (!error)
        error = write(&result, terminal_of(out), out);
    lauka_result_done(&result);
    return error;
}

int lauka_report_write_screen(const struct lauka_report *report, FILE *out)
{
    return write_by(report, lauka_write_screen, out);
}

int lauka_report_write_table(const struct lauka_report *report, FILE *out)
{
    return write_by(report, lauka_write_table, out);
}

int lauka_report_write_percentiles(const struct lauka_report *report, FILE *out)
{
    return write_by(report, lauka_write_percentiles, out);
}

int lauka_report_write_json(const struct lauka_report *report, FILE *out)
{
    return write_by(report, write_json, out);
}

/* A new file beside the path, whose name is put into *name, owned by the caller. NULL and errno. */
static FILE *open_beside(const char *path, char **name)
{
    static unsigned last; /* so that threads do not meet */
    size_t size = strlen(path) + 64;
    *name = malloc(size);
    if (!*name)
        return lauka_hdr_refuse(ENOMEM);
    snprintf(*name, size, "%s.%ld-%u.new", path, (long)getpid(),
             __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED));
    int descriptor = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *out = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (out || descriptor < 0)
        return out;
    int error = errno;
    close(descriptor);
    unlink(*name);
    return lauka_hdr_refuse(error);
}

int lauka_report_save_json(const struct lauka_report *report, const char *path)
{
    char *name = NULL;
    FILE *out = open_beside(path, &name);
    int error = out ? lauka_report_write_json(report, out) : errno;
    if (out && fclose(out) != 0 && !error)
        error = errno;
    if (out && !error && rename(name, path) != 0)
        error = errno;
    if (out && error)
        unlink(name);
    free(name);
    return error;
}
