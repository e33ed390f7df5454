/* The charts of the page, and the pen that they are drawn with. */
#ifndef LAUKA_REPORT_SVG_H
#define LAUKA_REPORT_SVG_H

#include "report/chart.h"

/* ---- svg.c ------------------------------------------------------------------------------------- */

/* Text as it stands in HTML: safe, and without meaning. */
void lauka_html_text(const char *text, FILE *out);

/* What we say ourselves: units stay with their numbers. */
void lauka_html_prose(const char *text, FILE *out);

/* A command, cut in the middle to `width` columns. */
void lauka_html_name(const char *label, int width, FILE *out);

struct lauka_svg {
    FILE *out;
    int number;  /* of the chart: ids are unique in the page */
    double x, y; /* where a path is, as it was written */
};

/* A heading, the finding, and for whoever only hears the description, which letter is which command.
 * All may quote what others wrote. */
struct lauka_svg_words {
    char title[256], finding[1024], names[1024];
};

/* Appends to words->finding. */
__attribute__((format(printf, 2, 3))) void lauka_svg_find(struct lauka_svg_words *words,
                                                          const char *format, ...);

/* Of width and height in units of 1/12 of the letters' size. */
void lauka_svg_open(struct lauka_svg *svg, double width, double height,
                    const struct lauka_svg_words *words);
void lauka_svg_close(struct lauka_svg *svg);

/* style: one of the table in svg.c. anchor: 's', 'm' or 'e'. text is others' too. */
void lauka_svg_text(struct lauka_svg *svg, double x, double y, char anchor, const char *style,
                    const char *text);
void lauka_svg_line(struct lauka_svg *svg, double x1, double y1, double x2, double y2,
                    const char *style);
void lauka_svg_rectangle(struct lauka_svg *svg, double x, double y, double width, double height,
                         const char *style);

/* A path: begin, then any of the others, end. Places are rounded to a tenth. */
void lauka_svg_path(struct lauka_svg *svg, const char *style);
void lauka_svg_move(struct lauka_svg *svg, double x, double y);
void lauka_svg_to(struct lauka_svg *svg, double x, double y); /* a straight line */
void lauka_svg_across(struct lauka_svg *svg, double x);
void lauka_svg_along(struct lauka_svg *svg, double y);
void lauka_svg_dot(struct lauka_svg *svg, double x, double y); /* a round one, of the reference */
void lauka_svg_diamond(struct lauka_svg *svg, double x, double y);        /* of the others */
void lauka_svg_arrow(struct lauka_svg *svg, double x, double y, bool up); /* beyond an axis' end */
void lauka_svg_end(struct lauka_svg *svg);

/* The rectangle in which values are drawn. */
struct lauka_frame {
    double left, top, right, bottom;
};

/* Ticks with their labels below the frame; beside it, with lines across. */
void lauka_svg_axis_below(struct lauka_svg *svg, const struct lauka_axis *axis,
                          const struct lauka_frame *frame, const char *title);
void lauka_svg_axis_beside(struct lauka_svg *svg, const struct lauka_axis *axis,
                           const struct lauka_frame *frame);

/* Where the frame has to begin so that there is room for the labels beside it: at `least`, or further
 * in. Its other sides are known. */
double lauka_svg_left(const struct lauka_axis *axis, const struct lauka_frame *frame, double least);

/* What is drawn between these is cut off at the frame. */
void lauka_svg_clip(struct lauka_svg *svg, const struct lauka_frame *frame);
void lauka_svg_unclip(struct lauka_svg *svg);

/* ---- picture.c: what charts are given, and what they say --------------------------------------- */

/* A metric of the commands that were measured in it. */
struct lauka_picture {
    const struct lauka_result *result;
    size_t metric;
    struct lauka_distribution *distributions; /* owned; command_count */
    struct lauka_axis axis;                   /* of all of them */
};

/* Returns 0 or ENOMEM. */
int lauka_picture_of(const struct lauka_result *result, size_t metric,
                     struct lauka_picture *picture);
void lauka_picture_done(struct lauka_picture *picture);

/* The distributions of the reference and the command, or of the reference alone; returns how many. */
size_t lauka_picture_pair(const struct lauka_picture *picture, size_t command,
                          struct lauka_distribution pair[2]);

/* Letters stand for commands: "A" is the reference; text has room for 8 bytes. */
char *lauka_letter(size_t command, char *text);

/* "A is `./a`, B is `./b`. ": `command` 0 alone, any other with the reference. */
void lauka_picture_names(const struct lauka_result *result, size_t command,
                         struct lauka_svg_words *words);

/* Says how many runs of these lie beyond the ends of the axis. */
void lauka_picture_find_cut(const struct lauka_picture *picture, const size_t *commands,
                            size_t count, struct lauka_svg_words *words);

/* What values are: "runs"; those of files are just "values". */
const char *lauka_picture_runs(const struct lauka_picture *picture);

/* "wall time", or the metric's name. */
const char *lauka_picture_noun(const struct lauka_picture *picture);

/* "12.28 ms" */
char *lauka_quantity(const struct lauka_picture *picture, double value, char *text, size_t size);

/* "slower" or "higher"; "faster" or "lower". */
const char *lauka_direction(const struct lauka_result *result, size_t metric, bool up);

/* Each writes a <figure>, or nothing where there is nothing to be seen. `command` is compared with
 * the reference, or is alone. */
void lauka_chart_shift(const struct lauka_picture *picture, size_t command, struct lauka_svg *svg);
void lauka_chart_ecdf(const struct lauka_picture *picture, size_t command, struct lauka_svg *svg);
void lauka_chart_histogram(const struct lauka_picture *picture, size_t command,
                           struct lauka_svg *svg);
/* Of all commands. */
void lauka_chart_order(const struct lauka_picture *picture, struct lauka_svg *svg);
/* Every command in one metric; or, of two commands, every metric. */
void lauka_chart_forest(const struct lauka_result *result, size_t metric, struct lauka_svg *svg);

#endif
