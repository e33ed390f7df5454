/* Pictures as inline SVG. Coordinates are relative and rounded to a tenth, so that a curve of hundreds of
 * points takes a few thousand bytes. If a style sheet is blocked, attributes still draw the lines. */
#include "report/html/svg.h"
#include "report/plot/plot.h"
#include "report/text/prose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ------------------------------------------------------------------------------------ */

enum { INTERVAL_MOST = 30 }; /* bytes of "[+4.68, +4.72]" */

static bool is_unit(const char *text)
{
    static const char *const units[] = {"%",   "ns", "µs", "ms", "s", "KiB", "MiB",
                                        "GiB", "B",  "K",  "M",  "G", "T"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t length = strlen(units[i]);
        if (strncmp(text, units[i], length) == 0 && strchr(" .,;:])", text[length]))
            return true;
    }
    return false;
}

const char *lauka_html_prose(struct lauka_prose *prose, const char *text)
{
    const char *safe = lauka_say_safely(prose, text);
    char *bound = lauka_prose_room(prose, strlen(safe) + 1, sizeof "\u00A0"), *end = bound;
    const char *interval = safe; /* where the last one ends */
    for (const char *c = safe; bound && *c; c++) {
        if (*c == '[' && strcspn(c, "]") < INTERVAL_MOST)
            interval = c + strcspn(c, "]");
        if (*c == ' ' && c > safe &&
            (c < interval || (strchr("0123456789", c[-1]) && is_unit(c + 1))))
            end += sprintf(end, "\u00A0");
        else
            *end++ = *c;
    }
    return bound ? lauka_say_xml(prose, bound) : "";
}

const char *lauka_html_name(struct lauka_prose *prose, const char *label, int width)
{
    return lauka_say_xml(prose, lauka_say_fitted(prose, *label ? label : "\"\"", width));
}

/* ---- elements -------------------------------------------------------------------------------- */

/* "f", "fs" ... of the style sheet, and the attributes needed without it. */
static const struct {
    const char *name, *attributes;
} styles[] = {
    {"t", "fill=\"#57606a\""},                      /* a tick's label */
    {"n", "fill=\"#1f2328\""},                      /* a name, a number that matters */
    {"ta", "fill=\"#0b5cad\" font-weight=\"700\""}, /* the reference's letter */
    {"tb", "fill=\"#b8500b\" font-weight=\"700\""}, /* the other's */
    {"g", "stroke=\"#d8dee4\""},                    /* a line to read values along */
    {"x", "stroke=\"#57606a\""},                    /* an axis */
    {"z", "stroke=\"#1f2328\""},                    /* no change */
    {"w", "fill=\"#d8dee4\""},                      /* what does not matter */
    {"la", "fill=\"none\" stroke=\"#0b5cad\""},     /* curves */
    {"lb", "fill=\"none\" stroke=\"#b8500b\" stroke-dasharray=\"5 2.5\""},
    {"ba", "fill=\"#0b5cad\""}, /* bars */
    {"bb", "fill=\"#b8500b\""},
    {"va", "fill=\"none\" stroke=\"#0b5cad\" stroke-opacity=\".3\""}, /* from least to most */
    {"vb", "fill=\"none\" stroke=\"#b8500b\" stroke-opacity=\".3\""},
    {"pa",
     "fill=\"none\" stroke=\"#0b5cad\" stroke-width=\"4\" stroke-linecap=\"round\""}, /* runs */
    {"pb", "fill=\"none\" stroke=\"#b8500b\" stroke-width=\"1.2\""},
    {"s", "fill=\"#b8500b\" fill-opacity=\".18\""},                /* a band */
    {"in", "fill=\"none\" stroke=\"#1f2328\" stroke-width=\"2\""}, /* an interval */
    {"ir", "fill=\"none\" stroke=\"#b3121f\" stroke-width=\"2\""}, /* of what is worse */
    {"il", "fill=\"none\" stroke=\"#116b2c\" stroke-width=\"2\""}, /* of what is better */
    {"ix", "fill=\"none\" stroke=\"#57606a\" stroke-width=\"2\""}, /* of an explored metric */
    {"d", "fill=\"#b8500b\""},                                     /* an estimate */
    {"dn", "fill=\"#1f2328\""},
    {"dr", "fill=\"#b3121f\""},
    {"dl", "fill=\"#116b2c\""},
    {"dx", "fill=\"#57606a\""},
    {"nr", "fill=\"#b3121f\""},                                          /* a verdict: worse */
    {"nl", "fill=\"#116b2c\""},                                          /* better */
    {"lm", "fill=\"none\" stroke=\"#b3121f\" stroke-dasharray=\"3 2\""}, /* a limit */
};

static void put_style(const struct lauka_svg *svg, const char *name)
{
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
        if (strcmp(styles[i].name, name) == 0)
            lauka_put(svg->prose, " class=\"%s\" %s", name, styles[i].attributes);
}

/* "12", "12.5", "-.5": a tenth at most. */
static void put_number(const struct lauka_svg *svg, double value)
{
    long tenths = lround(10 * fmax(-1e6, fmin(1e6, value)));
    long whole = labs(tenths) / 10, rest = labs(tenths) % 10;
    if (tenths < 0)
        lauka_put(svg->prose, "-");
    if (whole > 0 || rest == 0)
        lauka_put(svg->prose, "%ld", whole);
    if (rest > 0)
        lauka_put(svg->prose, ".%ld", rest);
}

static void put_attribute(const struct lauka_svg *svg, const char *name, double value)
{
    lauka_put(svg->prose, " %s=\"", name);
    put_number(svg, value);
    lauka_put(svg->prose, "\"");
}

void lauka_svg_open(struct lauka_svg *svg, double width, double height, const char *title,
                    const char *finding, const char *names)
{
    struct lauka_prose *prose = svg->prose;
    int number = ++svg->number;
    title = lauka_say_xml(prose, title);
    lauka_put(prose,
              "<figure>\n<figcaption><h4>%s</h4><p>%s</p></figcaption>\n"
              "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
              "viewBox=\"0 0 %.0f %.0f\" aria-labelledby=\"t%d d%d\" font-size=\"12\" "
              "font-family=\"system-ui,sans-serif\">\n<title id=\"t%d\">%s</title>"
              "<desc id=\"d%d\">%s%s</desc>\n",
              title, lauka_html_prose(prose, finding), width, height, number, number, number, title,
              number, lauka_say_xml(prose, names), lauka_say_xml(prose, finding));
}

void lauka_svg_close(struct lauka_svg *svg)
{
    lauka_put(svg->prose, "</svg>\n</figure>\n");
}

void lauka_svg_text(struct lauka_svg *svg, double x, double y, char anchor, const char *style,
                    const char *text)
{
    lauka_put(svg->prose, "<text");
    put_attribute(svg, "x", x);
    put_attribute(svg, "y", y);
    if (anchor != 's')
        lauka_put(svg->prose, " text-anchor=\"%s\"", anchor == 'm' ? "middle" : "end");
    put_style(svg, style);
    lauka_put(svg->prose, ">%s</text>\n", lauka_say_xml(svg->prose, text));
}

void lauka_svg_line(struct lauka_svg *svg, double x1, double y1, double x2, double y2,
                    const char *style)
{
    lauka_svg_path(svg, style);
    lauka_svg_move(svg, x1, y1);
    lauka_svg_to(svg, x2, y2);
    lauka_svg_end(svg);
}

static void begin_rectangle(struct lauka_svg *svg, double x, double y, double width, double height)
{
    lauka_put(svg->prose, "<rect");
    put_attribute(svg, "x", x);
    put_attribute(svg, "y", y);
    put_attribute(svg, "width", fmax(width, 0));
    put_attribute(svg, "height", fmax(height, 0));
}

void lauka_svg_rectangle(struct lauka_svg *svg, double x, double y, double width, double height,
                         const char *style)
{
    begin_rectangle(svg, x, y, width, height);
    put_style(svg, style);
    lauka_put(svg->prose, "/>\n");
}

void lauka_svg_hover(struct lauka_svg *svg, double x, double y, double width, double height,
                     const char *text)
{
    begin_rectangle(svg, x, y, width, height);
    lauka_put(svg->prose, " fill=\"none\" pointer-events=\"all\"><title>");
    lauka_put(svg->prose, "%s</title></rect>\n", lauka_say_xml(svg->prose, text));
}

/* ---- paths ----------------------------------------------------------------------------------- */

static double tenth(double value)
{
    return (double)lround(10 * value) / 10;
}

void lauka_svg_path(struct lauka_svg *svg, const char *style)
{
    lauka_put(svg->prose, "<path");
    put_style(svg, style);
    lauka_put(svg->prose, " d=\"");
}

void lauka_svg_move(struct lauka_svg *svg, double x, double y)
{
    svg->x = tenth(x);
    svg->y = tenth(y);
    lauka_put(svg->prose, "M");
    put_number(svg, svg->x);
    lauka_put(svg->prose, " ");
    put_number(svg, svg->y);
}

void lauka_svg_to(struct lauka_svg *svg, double x, double y)
{
    x = tenth(x);
    y = tenth(y);
    lauka_put(svg->prose, "l");
    put_number(svg, x - svg->x);
    lauka_put(svg->prose, " ");
    put_number(svg, y - svg->y);
    svg->x = x;
    svg->y = y;
}

void lauka_svg_across(struct lauka_svg *svg, double x)
{
    x = tenth(x);
    if (x == svg->x)
        return;
    lauka_put(svg->prose, "h");
    put_number(svg, x - svg->x);
    svg->x = x;
}

void lauka_svg_along(struct lauka_svg *svg, double y)
{
    y = tenth(y);
    if (y == svg->y)
        return;
    lauka_put(svg->prose, "v");
    put_number(svg, y - svg->y);
    svg->y = y;
}

void lauka_svg_dot(struct lauka_svg *svg, double x, double y)
{
    lauka_svg_move(svg, x, y);
    lauka_put(svg->prose, "h0");
}

void lauka_svg_diamond(struct lauka_svg *svg, double x, double y)
{
    lauka_svg_move(svg, x, y - 2.6);
    lauka_put(svg->prose, "l2.6 2.6-2.6 2.6-2.6-2.6z");
}

void lauka_svg_arrow(struct lauka_svg *svg, double x, double y, bool up)
{
    lauka_svg_move(svg, x, y);
    lauka_put(svg->prose, up ? "l2.6 5h-5.2z" : "l2.6-5h-5.2z");
}

void lauka_svg_end(struct lauka_svg *svg)
{
    lauka_put(svg->prose, "\"/>\n");
}

/* In a path, one end of an interval at height y: a bar, or an arrow head if it goes on beyond the axis. inward: from the tip
 * of the head to its back. */
static void whisker(struct lauka_svg *svg, const struct lauka_axis *axis, double value, double y,
                    double inward)
{
    double x = lauka_axis_limited(axis, value);
    if (lauka_axis_holds(axis, value)) {
        lauka_svg_move(svg, x, y - 4);
        lauka_svg_along(svg, y + 4);
    } else {
        lauka_svg_move(svg, x + inward, y - 4);
        lauka_svg_to(svg, x, y);
        lauka_svg_to(svg, x + inward, y + 4);
    }
}

/* What lies wholly beyond the axis has one head. */
void lauka_svg_interval(struct lauka_svg *svg, const struct lauka_axis *axis,
                        const struct lauka_span *span, double y, bool ends, char tone)
{
    lauka_svg_path(svg, lauka_say(svg->prose, "i%c", tone));
    lauka_svg_move(svg, lauka_axis_limited(axis, span->low), y);
    lauka_svg_across(svg, lauka_axis_limited(axis, span->high));
    if (ends && span->low <= axis->to)
        whisker(svg, axis, span->low, y, 5);
    if (ends && span->high >= axis->from)
        whisker(svg, axis, span->high, y, -5);
    lauka_svg_end(svg);
    if (!lauka_axis_holds(axis, span->estimate))
        return;
    lauka_svg_path(svg, lauka_say(svg->prose, "d%c", tone));
    lauka_svg_diamond(svg, lauka_axis_place(axis, span->estimate), y);
    lauka_svg_end(svg);
}

/* ---- axes ------------------------------------------------------------------------------------ */

/* Columns are wider than most digits, so labels stay apart in any font. */
static const double digit_width = 8, line_height = 14;

/* A label near an end is moved inwards: nothing may leave the picture. */
static double inside(double x, const char *text, const struct lauka_frame *frame)
{
    double half = digit_width * lauka_display_width(text) / 2.0;
    double least = half + 1, most = frame->right + 11 - half;
    return fmin(fmax(x, least), most);
}

const char *lauka_svg_axis_title(struct lauka_svg *svg, const struct lauka_picture *picture,
                                 const struct lauka_axis *axis)
{
    return lauka_join(svg->prose, lauka_picture_noun(picture), ", ",
                      lauka_axis_unit(svg->prose, axis));
}

void lauka_svg_axis_below(struct lauka_svg *svg, const struct lauka_axis *axis,
                          const struct lauka_frame *frame, const char *title)
{
    struct lauka_ticks ticks;
    lauka_axis_ticks(axis, digit_width, 8, &ticks);
    lauka_svg_line(svg, frame->left, frame->bottom, frame->right, frame->bottom, "x");
    for (size_t i = 0; i < ticks.count; i++) {
        lauka_svg_line(svg, ticks.place[i], frame->bottom, ticks.place[i], frame->bottom + 4, "x");
        lauka_svg_text(svg, inside(ticks.place[i], ticks.text[i], frame), frame->bottom + 16, 'm',
                       "t", ticks.text[i]);
    }
    lauka_svg_text(svg, frame->right, frame->bottom + 30, 'e', "t", title);
}

/* As many as leave room for lines of text between them. */
static void ticks_beside(const struct lauka_axis *axis, const struct lauka_frame *frame,
                         struct lauka_ticks *ticks)
{
    struct lauka_axis upright = *axis;
    size_t most = (size_t)((frame->bottom - frame->top) / 30);
    upright.begin = frame->bottom;
    upright.end = frame->top;
    most = most > 3 ? most : 3;
    do
        lauka_axis_ticks(&upright, 0, most, ticks);
    while (ticks->count > 1 && fabs(ticks->place[1] - ticks->place[0]) < line_height && most-- > 1);
}

double lauka_svg_left(const struct lauka_axis *axis, const struct lauka_frame *frame, double least)
{
    struct lauka_ticks ticks;
    ticks_beside(axis, frame, &ticks);
    for (size_t i = 0; i < ticks.count; i++)
        least = fmax(least, 10 + digit_width * lauka_display_width(ticks.text[i]));
    return least;
}

void lauka_svg_axis_beside(struct lauka_svg *svg, const struct lauka_axis *axis,
                           const struct lauka_frame *frame)
{
    struct lauka_ticks ticks;
    ticks_beside(axis, frame, &ticks);
    for (size_t i = 0; i < ticks.count; i++) {
        bool low = frame->bottom - frame->top < 3 * line_height; /* the next one has labels too */
        if (low && (ticks.place[i] < frame->top + 4 || ticks.place[i] > frame->bottom - 4))
            continue;
        bool zero = ticks.text[i][0] == '0' && !strpbrk(ticks.text[i], "123456789.");
        bool compared = axis->kind == LAUKA_AXIS_RATIO || axis->kind == LAUKA_AXIS_CHANGE;
        bool none = compared && (zero || strcmp(ticks.text[i], "×1") == 0);
        lauka_svg_line(svg, frame->left, ticks.place[i], frame->right, ticks.place[i],
                       none ? "z" : "g");
        lauka_svg_text(svg, frame->left - 6, ticks.place[i] + 4, 'e', "t", ticks.text[i]);
    }
}

void lauka_svg_clip(struct lauka_svg *svg, const struct lauka_frame *frame)
{
    double width = frame->right - frame->left, height = frame->bottom - frame->top;
    lauka_put(svg->prose,
              "<svg x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" "
              "viewBox=\"%.0f %.0f %.0f %.0f\">\n",
              frame->left, frame->top, width, height, frame->left, frame->top, width, height);
}

void lauka_svg_unclip(struct lauka_svg *svg)
{
    lauka_put(svg->prose, "</svg>\n");
}
