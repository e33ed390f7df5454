/* The manual page, made from the table of options, for man(1): groff and mandoc read it. */
#include "runner/options/table.h"
#include "stats/stats.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

/* Hyphens as typed, backslashes as themselves, and no line that begins like a request. */
static void put_text(const char *text, FILE *out)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", out);
    for (; *text; text++)
        if (*text == '-')
            fputs("\\-", out);
        else if (*text == '\\')
            fputs("\\e", out);
        else
            fputc(*text, out);
}

static void put_paragraph(const char *text, FILE *out)
{
    put_text(text, out);
    fputc('\n', out);
}

static void put_option(const struct option_row *row, FILE *out)
{
    char help[OPTION_HELP_SIZE];

    fputs(".TP\n", out);
    if (option_has_letter(row))
        fprintf(out, "\\fB\\-%c\\fR%s", row->id, row->name ? ", " : "");
    if (row->name) {
        fputs("\\fB\\-\\-", out);
        put_text(row->name, out);
        fputs("\\fR", out);
    }
    if (row->placeholder) {
        fputs(row->argument == optional_argument ? "[=" : " ", out);
        fputs("\\fI", out);
        put_text(row->placeholder, out);
        fprintf(out, "\\fR%s", row->argument == optional_argument ? "]" : "");
    }
    fputc('\n', out);
    put_paragraph(option_help(row, help), out);
}

static void put_options(unsigned verbs, FILE *out)
{
    enum option_group group = OPTION_GROUPS;

    fputs(".SH OPTIONS\n", out);
    for (size_t i = 0; i < lauka_option_count; i++) {
        if (!(lauka_option_rows[i].verbs & verbs))
            continue;
        if (lauka_option_rows[i].group != group)
            fprintf(out, ".SS %s\n", lauka_option_headings[lauka_option_rows[i].group]);
        group = lauka_option_rows[i].group;
        put_option(&lauka_option_rows[i], out);
    }
}

static void put_synopsis(FILE *out)
{
    fputs(".SH SYNOPSIS\n", out);
    for (size_t i = 0; i < lauka_verb_count; i++) {
        fprintf(out, "%s.B lauka %s%s%s\n", i > 0 ? ".br\n" : "", i == 0 ? "[" : "",
                lauka_verb_rows[i].name, i == 0 ? "]" : "");
        put_paragraph(lauka_verb_rows[i].arguments, out);
        if (i == 0)
            fputs(".br\n.B lauka\n[OPTIONS] \\-\\- ARGV... [\\-\\-vs ARGV...]\n", out);
    }
}

static void put_verbs(FILE *out)
{
    fputs(".SH SUBCOMMANDS\n", out);
    for (size_t i = 0; i < lauka_verb_count; i++) {
        fprintf(out, ".TP\n.B %s\n", lauka_verb_rows[i].name);
        put_paragraph(lauka_verb_rows[i].help, out);
    }
    fputs(".PP\nEach has a manual page of its own, as lauka\\-compare(1).\n", out);
}

static void put_exits(FILE *out)
{
    fputs(".SH EXIT STATUS\n", out);
    for (size_t i = 0; i < lauka_exit_count; i++) {
        fprintf(out, ".TP\n.B %s\n", lauka_exits[i].code);
        put_paragraph(lauka_exits[i].about, out);
    }
}

static void put_ends(FILE *out)
{
    put_exits(out);
    fputs(".SH EXAMPLES\n", out);
    for (size_t i = 0; i < lauka_example_count; i++) {
        fputs(".TP\n.B ", out);
        put_text(lauka_examples[i].line, out);
        fputc('\n', out);
        put_paragraph(lauka_examples[i].about, out);
    }
}

/* What a file that nobody named may set, according to the table. */
static void put_files(FILE *out)
{
    const char *before = "";

    fputs(
        ".SH FILES\n.TP\n.I .lauka\n"
        "options of the current directory, one per line. It is read if there is neither "
        "\\-\\-config nor LAUKA_CONFIG. All of it holds if lauka is started without commands, and "
        "not under sudo, doas or pkexec. \\-\\-config ./.lauka makes all of it hold, too. "
        "Otherwise it sets these options only: ",
        out);
    for (size_t i = 0; i < lauka_option_count; i++) {
        if (!lauka_option_rows[i].harmless)
            continue;
        fprintf(out, "%s\\-\\-", before);
        put_text(lauka_option_rows[i].name, out);
        before = ", ";
    }
    fputs(".\n", out);
}

static void write_man(FILE *out)
{
    fputs("'\\\" -*- coding: utf-8 -*-\n.TH LAUKA 1 \"\" \"lauka " LAUKA_VERSION "\"\n"
          ".SH NAME\nlauka \\- compare what commands cost, in interleaved rounds\n",
          out);
    put_synopsis(out);
    fputs(".SH DESCRIPTION\n", out);
    put_paragraph(lauka_summary, out);
    put_paragraph(lauka_description, out);
    put_verbs(out);
    put_options(~0u, out);
    fputs(".SH ENVIRONMENT\n"
          ".TP\n.B LAUKA_CONFIG\na file of options, read if \\-\\-config is not given\n"
          ".TP\n.B NO_COLOR\nif it is set and not empty, there are no colours\n",
          out);
    put_files(out);
    put_ends(out);
}

static void write_man_of(const struct verb_row *row, FILE *out)
{
    fputs("'\\\" -*- coding: utf-8 -*-\n.TH LAUKA-", out);
    for (const char *c = row->name; *c; c++)
        fputc(toupper((unsigned char)*c), out);
    fprintf(out,
            " 1 \"\" \"lauka " LAUKA_VERSION "\"\n"
            ".SH NAME\nlauka-%s \\- %s\n.SH SYNOPSIS\n.B lauka %s\n",
            row->name, row->help, row->name);
    put_paragraph(row->arguments, out);
    fputs(".SH DESCRIPTION\n", out);
    put_paragraph(row->about, out);
    put_options(1u << row->verb, out);
    put_exits(out);
    fputs(".SH EXAMPLES\n.nf\n", out);
    for (size_t i = 0; i < sizeof row->examples / sizeof *row->examples && row->examples[i]; i++)
        put_paragraph(row->examples[i], out);
    fputs(".fi\n.SH SEE ALSO\n.BR lauka (1)\n", out);
}

/* ---- the help in the forms that other programs read ---------------------------------------------- */

static const struct {
    const char *name;
    void (*write)(FILE *out);
} shells[] = {
    {"bash", option_write_bash},
    {"zsh", option_write_zsh},
    {"fish", option_write_fish},
};

bool option_write_form(const char *form, const char *subcommand, FILE *out)
{
    const struct verb_row *row = subcommand ? option_verb_row(subcommand) : NULL;

    if (strcmp(form, "man") == 0) {
        if (row)
            write_man_of(row, out);
        else
            write_man(out);
        return true;
    }
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(form, shells[i].name) == 0) {
            shells[i].write(out);
            return true;
        }
    return false;
}
