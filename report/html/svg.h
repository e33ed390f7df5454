/* The charts of the page, and the pen that draws them. */
#ifndef LAUKA_REPORT_HTML_SVG_H
#define LAUKA_REPORT_HTML_SVG_H

#include <stdbool.h>

#include "report/plot/plot.h"
#include "report/text/prose.h"

/* ---- svg.c ------------------------------------------------------------------------------------- */

/* Our own text, escaped; units stay with their numbers, and no line ends within an interval. */
const char *lauka_html_prose(struct lauka_prose *prose, const char *text);

/* A command, cut in the middle to `width` columns. */
const char *lauka_html_name(struct lauka_prose *prose, const char *label, int width);

struct lauka_svg {
    struct lauka_prose *prose;
    int number;  /* number of the chart, for unique ids in the page */
    double x, y; /* the current point of a path, as written */
};

/* Opens a picture; width and height are in units of 1/12 of the font size. It has a heading, the finding and,
 * for people who only hear the description, the letters of the commands. All may quote text of others. */
void lauka_svg_open(struct lauka_svg *svg, double width, double height, const char *title,
                    const char *finding, const char *names);
void lauka_svg_close(struct lauka_svg *svg);

/* style: one from the table in svg.c. anchor: 's', 'm' or 'e'. The text may be from others. */
void lauka_svg_text(struct lauka_svg *svg, double x, double y, char anchor, const char *style,
                    const char *text);
void lauka_svg_line(struct lauka_svg *svg, double x1, double y1, double x2, double y2,
                    const char *style);
void lauka_svg_rectangle(struct lauka_svg *svg, double x, double y, double width, double height,
                         const char *style);

/* A tooltip for an invisible rectangle. */
void lauka_svg_hover(struct lauka_svg *svg, double x, double y, double width, double height,
                     const char *text);

/* A path: begin, any of the others, end. Coordinates are rounded to a tenth. */
void lauka_svg_path(struct lauka_svg *svg, const char *style);
void lauka_svg_move(struct lauka_svg *svg, double x, double y);
void lauka_svg_to(struct lauka_svg *svg, double x, double y); /* draws a straight line */
void lauka_svg_across(struct lauka_svg *svg, double x);
void lauka_svg_along(struct lauka_svg *svg, double y);
void lauka_svg_dot(struct lauka_svg *svg, double x, double y); /* a round mark, for the reference */
void lauka_svg_diamond(struct lauka_svg *svg, double x, double y);        /* of the others */
void lauka_svg_arrow(struct lauka_svg *svg, double x, double y, bool up); /* beyond an axis' end */
void lauka_svg_end(struct lauka_svg *svg);

/* An interval on the axis at height y, with a diamond at the estimate. ends: with bars at its ends, or arrow heads where it
 * goes on beyond the axis. tone: as from lauka_svg_tone, or 'x' for what is explored. */
void lauka_svg_interval(struct lauka_svg *svg, const struct lauka_axis *axis,
                        const struct lauka_span *span, double y, bool ends, char tone);

/* The rectangle in which values are drawn. */
struct lauka_frame {
    double left, top, right, bottom;
};

/* "wall time, ms": the title of an axis with the picture's metric. */
const char *lauka_svg_axis_title(struct lauka_svg *svg, const struct lauka_picture *picture,
                                 const struct lauka_axis *axis);

/* Ticks with labels below the frame, or beside it with lines across. */
void lauka_svg_axis_below(struct lauka_svg *svg, const struct lauka_axis *axis,
                          const struct lauka_frame *frame, const char *title);
void lauka_svg_axis_beside(struct lauka_svg *svg, const struct lauka_axis *axis,
                           const struct lauka_frame *frame);

/* Where the frame must begin to leave room for the labels beside it: at `least`, or further in. Its
 * other sides are known. */
double lauka_svg_left(const struct lauka_axis *axis, const struct lauka_frame *frame, double least);

/* Drawings between these are clipped to the frame. */
void lauka_svg_clip(struct lauka_svg *svg, const struct lauka_frame *frame);
void lauka_svg_unclip(struct lauka_svg *svg);

#endif
