/* `lauka help TOPIC`: a subcommand's own page, or one group of options in full. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/options.h"

#include <stdio.h>
#include <string.h>

/* Groups of options by a word that can be typed. */
static const struct {
    const char *name;
    enum option_group group;
    const char *about;
} groups[] = {
    {"rounds", OPTION_GROUP_ROUNDS, "how often commands run, and in which order"},
    {"commands", OPTION_GROUP_COMMANDS, "what is run, and its surroundings"},
    {"failures", OPTION_GROUP_FAILURES, "when runs fail or hang"},
    {"machine", OPTION_GROUP_MACHINE, "noise, placement and layouts"},
    {"counters", OPTION_GROUP_COUNTERS, "what is counted"},
    {"reports", OPTION_GROUP_OUTPUTS, "what is shown, and written where"},
    {"limits", OPTION_GROUP_GATE, "the gate for CI"},
    {"data", OPTION_GROUP_STORED, "stored data"},
    {"general", OPTION_GROUP_GENERAL, "files of options, help, version"},
};
enum { GROUPS = sizeof groups / sizeof *groups };

const char *option_topic(size_t n)
{
    static const char *const further[] = {"exit-codes", "all"};

    if (n < lauka_verb_count)
        return lauka_verb_rows[n].name;
    n -= lauka_verb_count;
    if (n < GROUPS)
        return groups[n].name;
    n -= GROUPS;
    return n < sizeof further / sizeof *further ? further[n] : NULL;
}

static void list_topics(FILE *out)
{
    fputs("usage: lauka help TOPIC\n\nsubcommands:\n", out);
    for (size_t i = 0; i < lauka_verb_count; i++)
        fprintf(out, "  %-12s%s\n", lauka_verb_rows[i].name, lauka_verb_rows[i].help);
    fputs("\noptions:\n", out);
    for (size_t i = 0; i < GROUPS; i++)
        fprintf(out, "  %-12s%s\n", groups[i].name, groups[i].about);
    fputs("\nfurther:\n  exit-codes  what the exit code says\n"
          "  all         all of it\n",
          out);
}

static void print_group(size_t which, FILE *out)
{
    fprintf(out, "%s:\n", lauka_option_headings[groups[which].group]);
    for (size_t i = 0; i < lauka_option_count; i++)
        if (lauka_option_rows[i].group == groups[which].group)
            option_print_row(&lauka_option_rows[i], false, out);
}

static void print_verb(const struct verb_row *row, FILE *out)
{
    fprintf(out, "usage: lauka %s %s\n\n", row->name, row->arguments);
    option_print_paragraph(row->about, out);
    fputs("\nexamples:\n", out);
    for (size_t i = 0; i < sizeof row->examples / sizeof *row->examples && row->examples[i]; i++)
        fprintf(out, "  %s\n", row->examples[i]);
    if (row->verb == LAUKA_VERB_HELP)
        return;
    option_print_rows(1u << row->verb, true, out);
    option_print_exits(out);
    fputs("\nlauka help TOPIC explains options in full; lauka help lists topics.\n", out);
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
    for (size_t i = 0; i < GROUPS; i++)
        if (strcmp(topic, groups[i].name) == 0) {
            print_group(i, out);
            return true;
        }
    if (strcmp(topic, "exit-codes") != 0)
        return false;
    option_print_exits(out);
    return true;
}

bool lauka_options_help(const char *topic, bool brief, FILE *out)
{
    if (topic && strcmp(topic, "all") == 0)
        option_print_all(false, out);
    else if (topic)
        return print_topic(topic, out);
    else if (brief)
        option_print_brief(out);
    else
        option_print_all(true, out);
    return true;
}
