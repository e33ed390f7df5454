/* All help, made from the table of options: the text, `lauka help TOPIC`, which is a subcommand's own page or one group
 * of options in full, and the manual pages. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/options.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

/* ---- the help text --------------------------------------------------------------------------------- */

#define BRIEF_EXAMPLES 4

/* What fits on one screen. */
static const int brief_rows[] = {
    OPTION_RUNS,           OPTION_WARMUP,  OPTION_MAX_TIME,
    OPTION_PARAMETER_LIST, OPTION_PREPARE, OPTION_COMMAND_NAME,
    OPTION_IGNORE_FAILURE, OPTION_EVENTS,  OPTION_DOCUMENT + (int)LAUKA_DOCUMENT_JSON};

/* Help texts are broken at this column. */
enum { HELP_WIDTH = 80, HELP_INDENT = 31 };

#define USAGE                                                                                      \
    "usage: lauka [OPTIONS] COMMAND [COMMAND...]\n"                                                \
    "       lauka [OPTIONS] -- ARGV... [--vs ARGV...]\n"

/* The first line stands behind `indent` columns already. */
static void print_wrapped(const char *text, int indent, FILE *out)
{
    size_t room = (size_t)(HELP_WIDTH - indent);

    while (strlen(text) > room) {
        size_t cut = room;
        while (cut > 0 && text[cut] != ' ')
            cut--;
        fprintf(out, "%.*s\n%*s", (int)cut, text, indent, "");
        text += cut + 1;
    }
    fprintf(out, "%s\n", text);
}

size_t option_first_clause(const char *text, size_t room)
{
    enum { LEAST = 15 }; /* "without -r:" does not say much */
    const char *stop = strstr(text, ". ");
    size_t end = stop ? (size_t)(stop - text) : strlen(text), cut = 0;

    if (end <= room)
        return end;
    for (size_t i = LEAST; i <= room; i++)
        if (strchr(",;", text[i]) || strncmp(text + i, " (", 2) == 0)
            cut = i;
    return cut ? cut : end;
}

const char *option_help(const struct option_row *row, char text[OPTION_HELP_SIZE])
{
    const char *mark = row->standard ? strstr(row->help, "{}") : NULL;

    if (mark)
        snprintf(text, OPTION_HELP_SIZE, "%.*s%s%s", (int)(mark - row->help), row->help,
                 row->standard, mark + 2);
    else
        snprintf(text, OPTION_HELP_SIZE, "%s", row->help);
    return text;
}

/* "-r, --runs N" */
static void spell_row(const struct option_row *row, char *text, size_t size)
{
    const char *placeholder = row->placeholder ? row->placeholder : "";
    const char *open = !row->placeholder ? "" : row->argument == optional_argument ? "[=" : " ";
    const char *close = row->argument == optional_argument ? "]" : "";
    char letter[8] = "    ";

    if (option_has_letter(row))
        snprintf(letter, sizeof letter, "-%c%s", row->id, row->name ? ", " : "");
    snprintf(text, size, "%s%s%s%s%s%s", letter, row->name ? "--" : "", row->name ? row->name : "",
             open, placeholder, close);
}

/* Its spelling and its text, or the first sentence of that. */
static void print_row(const struct option_row *row, bool brief, FILE *out)
{
    char left[64], text[OPTION_HELP_SIZE];

    spell_row(row, left, sizeof left);
    option_help(row, text);
    if (strlen(left) > HELP_INDENT - 3)
        fprintf(out, "  %s\n%*s", left, HELP_INDENT, "");
    else
        fprintf(out, "  %-*s", HELP_INDENT - 2, left);
    if (brief)
        text[option_first_clause(text, 2 * (HELP_WIDTH - HELP_INDENT))] = '\0';
    print_wrapped(text, HELP_INDENT, out);
}

static void print_brief_rows(FILE *out)
{
    for (size_t b = 0; b < sizeof brief_rows / sizeof *brief_rows; b++)
        print_row(option_row_of(brief_rows[b]), true, out);
}

/* All that go with one of the verbs, by headings. */
static void print_rows(unsigned verbs, bool brief, FILE *out)
{
    enum option_group group = OPTION_GROUPS;

    for (size_t i = 0; i < lauka_option_count; i++) { /* rows of a group stand together */
        const struct option_row *row = &lauka_option_rows[i];
        if (!(row->verbs & verbs))
            continue;
        if (row->group != group)
            fprintf(out, "\n%s:\n", lauka_option_groups[row->group].heading);
        group = row->group;
        print_row(row, brief, out);
    }
}

static void print_verbs(FILE *out)
{
    fputs(USAGE, out);
    for (size_t i = 1; i < lauka_verb_count; i++) { /* `run` may be left out */
        char text[64];
        snprintf(text, sizeof text, "%s %s", lauka_verb_rows[i].name, lauka_verb_rows[i].arguments);
        fprintf(out, "       lauka %-29s %s\n", text, lauka_verb_rows[i].help);
    }
}

static void print_examples(size_t count, FILE *out)
{
    fputs("\nexamples:\n", out);
    for (size_t i = 0; i < count; i++)
        if (strlen(lauka_examples[i].line) < 43)
            fprintf(out, "  %-43s%s\n", lauka_examples[i].line, lauka_examples[i].about);
        else
            fprintf(out, "  %s\n", lauka_examples[i].line);
}

static void print_exits(FILE *out)
{
    fputs("\nexit codes:\n", out);
    for (size_t i = 0; i < lauka_exit_count; i++)
        fprintf(out, "  %-9s%s\n", lauka_exits[i].code, lauka_exits[i].about);
}

/* What fits one screen. */
static void print_brief(FILE *out)
{
    fprintf(out, "%s\n\n" USAGE "\n", lauka_summary);
    print_brief_rows(out);
    print_examples(BRIEF_EXAMPLES, out);
    char text[400] = "also:";
    for (size_t i = 1; i + 1 < lauka_verb_count; i++) { /* help, the last, is behind the others */
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, " %s", lauka_verb_rows[i].name);
    }
    const size_t used = strlen(text);
    snprintf(text + used, sizeof text - used,
             "; lauka --help lists all options, lauka help explains them");
    print_wrapped(text, 0, out);
}

/* All options, each in full or its first sentence. */
static void print_all(bool brief, FILE *out)
{
    fprintf(out, "%s\n\n", lauka_summary);
    print_verbs(out);
    fputc('\n', out);
    print_wrapped(lauka_description, 0, out);
    print_rows(~0u, brief, out);
    print_examples(lauka_example_count, out);
    print_exits(out);
    if (brief)
        fputs("\nlauka help TOPIC explains options in full; lauka help lists topics.\n", out);
}

/* ---- lauka help TOPIC ---------------------------------------------------------------------------- */

const char *option_topic(size_t n)
{
    static const char *const further[] = {"exit-codes", "all"};

    if (n < lauka_verb_count)
        return lauka_verb_rows[n].name;
    n -= lauka_verb_count;
    if (n < OPTION_GROUPS)
        return lauka_option_groups[n].topic;
    n -= OPTION_GROUPS;
    return n < sizeof further / sizeof *further ? further[n] : NULL;
}

static void list_topics(FILE *out)
{
    fputs("usage: lauka help TOPIC\n\nsubcommands:\n", out);
    for (size_t i = 0; i < lauka_verb_count; i++)
        fprintf(out, "  %-12s%s\n", lauka_verb_rows[i].name, lauka_verb_rows[i].help);
    fputs("\noptions:\n", out);
    for (size_t i = 0; i < OPTION_GROUPS; i++)
        fprintf(out, "  %-12s%s\n", lauka_option_groups[i].topic, lauka_option_groups[i].about);
    fputs("\nfurther:\n  exit-codes  what the exit code says\n"
          "  all         all of it\n"
          "  --OPTION    that option\n",
          out);
}

static void print_group(size_t which, FILE *out)
{
    fprintf(out, "%s:\n", lauka_option_groups[which].heading);
    for (size_t i = 0; i < lauka_option_count; i++)
        if (lauka_option_rows[i].group == which)
            print_row(&lauka_option_rows[i], false, out);
}

static void print_verb(const struct verb_row *row, FILE *out)
{
    fprintf(out, "usage: lauka %s %s\n\n", row->name, row->arguments);
    print_wrapped(row->about, 0, out);
    fputs("\nexamples:\n", out);
    for (size_t i = 0; i < sizeof row->examples / sizeof *row->examples && row->examples[i]; i++)
        fprintf(out, "  %s\n", row->examples[i]);
    if (row->verb == LAUKA_VERB_HELP)
        return;
    print_rows(1u << row->verb, true, out);
    print_exits(out);
    fputs("\nlauka help TOPIC explains options in full; lauka help lists topics.\n", out);
}

/* An option in full, by its name with or without dashes, or by its letter. */
static bool print_option(const char *topic, FILE *out)
{
    const char *name = topic + strspn(topic, "-");
    const struct option_row *row =
        *name && !name[1] ? option_row_of((unsigned char)*name) : option_row_named(name);

    if (!row)
        return false;
    print_row(row, false, out);
    fprintf(out, "\nlauka help %s explains its neighbours.\n",
            lauka_option_groups[row->group].topic);
    return true;
}

static bool print_topic(const char *topic, FILE *out)
{
    const struct verb_row *row = option_verb_row(topic);

    if (!*topic) {
        list_topics(out);
        return true;
    }
    if (row) {
        print_verb(row, out);
        return true;
    }
    for (size_t i = 0; i < OPTION_GROUPS; i++)
        if (strcmp(topic, lauka_option_groups[i].topic) == 0) {
            print_group(i, out);
            return true;
        }
    if (strcmp(topic, "exit-codes") != 0)
        return print_option(topic, out);
    print_exits(out);
    return true;
}

bool lauka_options_help(const char *topic, bool brief, FILE *out)
{
    if (topic && strcmp(topic, "all") == 0)
        print_all(false, out);
    else if (topic)
        return print_topic(topic, out);
    else if (brief)
        print_brief(out);
    else
        print_all(true, out);
    return true;
}

/* ---- the manual page, for man(1): groff and mandoc read it ------------------------------------ */

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
            fprintf(out, ".SS %s\n", lauka_option_groups[lauka_option_rows[i].group].heading);
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
