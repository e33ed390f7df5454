/* Completions for three shells, made from the table of options. */
#include "runner/options/table.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

/* The caller adds the single quotes around it. A quote inside becomes: close, an escaped quote, open. */
static void put_quoted(const char *text, size_t length, const char *protect, FILE *out)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\'') {
            fputs("'\\''", out);
            continue;
        }
        if (strchr(protect, text[i]))
            fputc('\\', out);
        fputc(text[i], out);
    }
}

static void put_help(const char *help, const char *protect, FILE *out)
{
    put_quoted(help, option_first_clause(help, 60), protect, out);
}

static bool takes_file(const struct option_row *row)
{
    return row->placeholder &&
           (strstr(row->placeholder, "FILE") || strstr(row->placeholder, "DIR"));
}

static void put_verb_names(FILE *out)
{
    for (size_t i = 0; i < lauka_verb_count; i++)
        fprintf(out, "%s%s", i ? " " : "", lauka_verb_rows[i].name);
}

static void put_topics(FILE *out)
{
    const char *topic;

    for (size_t i = 0; (topic = option_topic(i)); i++)
        fprintf(out, "%s%s", i ? " " : "", topic);
}

/* Prints what can be counted here, by name. */
#define EVENTS "lauka list 2>/dev/null | sed -n \"s/^  \\([a-z][^ ]*\\) .*/\\1/p\""
#define REVISIONS "git for-each-ref \"--format=%(refname:short)\" 2>/dev/null"

/* ---- bash ----------------------------------------------------------------------------------------- */

/* "-w|--warmup" of a pattern of `case`; "--json=" where only what follows "=" is a value. */
static void put_bash_pattern(const struct option_row *row, FILE *out)
{
    if (option_has_letter(row) && row->argument == required_argument)
        fprintf(out, "-%c%s", row->id, row->name ? "|" : "");
    if (row->name)
        fprintf(out, "--%s%s", row->name, row->argument == optional_argument ? "=" : "");
}

/* The options whose values are files, or anything else. */
static void put_bash_patterns(bool files, FILE *out)
{
    bool any = false;

    for (size_t i = 0; i < lauka_option_count; i++) {
        const struct option_row *row = &lauka_option_rows[i];
        if (row->argument == no_argument || takes_file(row) != files || option_values(row))
            continue;
        if (any)
            fputc('|', out);
        put_bash_pattern(row, out);
        any = true;
    }
}

/* Includes files where they may be meant. */
static void put_bash_values(FILE *out)
{
    for (size_t i = 0; i < lauka_option_count; i++) {
        const struct option_row *row = &lauka_option_rows[i];
        if (!option_values(row))
            continue;
        fputs("    ", out);
        put_bash_pattern(row, out);
        fprintf(out,
                ")\n        mapfile -t COMPREPLY < <(compgen %s-W '%s' -- \"$cur\")\n        "
                "return ;;\n",
                takes_file(row) || row->id == OPTION_OUTPUT ? "-f " : "", option_values(row));
    }
}

/* Behind a subcommand: what that takes. */
static void put_bash_words(FILE *out)
{
    fputs(
        "    if [[ $COMP_CWORD -gt 1 ]]; then\n        case ${COMP_WORDS[1]} in\n"
        "        compare|report|gate)\n            compopt -o filenames\n"
        "            mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n            return ;;\n"
        "        list)\n            mapfile -t COMPREPLY < <(compgen -W \"$(" EVENTS
        ")\" -- \"$cur\")\n            return ;;\n"
        "        threads)\n            mapfile -t COMPREPLY < <(compgen -W \"$(ps -A -o pid=)\" -- "
        "\"$cur\")\n            return ;;\n"
        "        revisions)\n            if [[ \" ${COMP_WORDS[*]:0:COMP_CWORD} \" != *\" -- \"* "
        "]]; "
        "then\n                mapfile -t COMPREPLY < <(compgen -W \"$(" REVISIONS
        ")\" -- \"$cur\")\n                return\n            fi ;;\n"
        "        doctor)\n            return ;;\n"
        "        help)\n            mapfile -t COMPREPLY < <(compgen -W '",
        out);
    put_topics(out);
    fputs("' -- \"$cur\")\n            return ;;\n        esac\n    fi\n", out);
}

/* bash splits "--order=abba" into three words. */
void option_write_bash(FILE *out)
{
    fputs("# lauka " LAUKA_VERSION "\n_lauka()\n{\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} before=\n"
          "    [[ $COMP_CWORD -lt 2 ]] || before=${COMP_WORDS[COMP_CWORD-2]}\n"
          "    COMPREPLY=()\n"
          "    if [[ $cur == '=' ]]; then\n        cur= before=$prev prev='='\n    fi\n"
          "    if [[ $prev == '=' ]]; then\n        prev=$before\n"
          "        case $prev= in\n        ",
          out);
    bool any = false;
    for (size_t i = 0; i < lauka_option_count; i++)
        if (lauka_option_rows[i].argument == optional_argument) {
            fprintf(out, "%s--%s=", any ? "|" : "", lauka_option_rows[i].name);
            any = true;
        }
    fputs(") prev+='=' ;;\n        esac\n    fi\n    case $prev in\n    ", out);
    put_bash_patterns(true, out);
    fputs(")\n        compopt -o filenames\n        mapfile -t COMPREPLY < <(compgen -f -- "
          "\"$cur\")\n"
          "        return ;;\n",
          out);
    put_bash_values(out);
    fputs("    ", out);
    put_bash_patterns(false, out);
    fputs(")\n        return ;;\n    esac\n    if [[ $cur == -* ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W '",
          out);
    for (size_t i = 0; i < lauka_option_count; i++)
        if (lauka_option_rows[i].name)
            fprintf(out, "--%s ", lauka_option_rows[i].name);
        else
            fprintf(out, "-%c ", lauka_option_rows[i].id);
    fputs("' -- \"$cur\")\n        return\n    fi\n", out);
    put_bash_words(out);
    fputs("    compopt -o filenames\n    mapfile -t COMPREPLY < <(compgen -f -c -- \"$cur\")\n"
          "    if [[ $COMP_CWORD == 1 ]]; then\n        COMPREPLY+=($(compgen -W '",
          out);
    put_verb_names(out);
    fputs("' -- \"$cur\"))\n    fi\n}\ncomplete -F _lauka lauka\n", out);
}

/* ---- zsh ------------------------------------------------------------------------------------------ */

static void put_zsh_values(const struct option_row *row, FILE *out)
{
    const char *from = row->placeholder;

    while (from) {
        size_t length = strcspn(from, " ");
        fprintf(out, "%s", row->argument == optional_argument ? "::" : ":");
        put_quoted(from, length, ":", out);
        if (option_values(row) && !takes_file(row))
            fprintf(out, ":(%s)", option_values(row));
        else
            fprintf(out, ":%s", takes_file(row) ? "_files" : "");
        from = from[length] ? from + length + 1 : NULL;
    }
}

static void put_zsh_option(const struct option_row *row, bool letter, FILE *out)
{
    char help[OPTION_HELP_SIZE];

    if (letter)
        fprintf(out, "    '*-%c%s[", row->id, row->argument == no_argument ? "" : "+");
    else
        fprintf(out, "    '*--%s%s[", row->name,
                row->argument == no_argument         ? ""
                : row->argument == optional_argument ? "=-"
                                                     : "=");
    put_help(option_help(row, help), "[]:", out);
    fputc(']', out);
    put_zsh_values(row, out);
    fputs("' \\\n", out);
}

/* Behind a subcommand: what that takes. */
static void put_zsh_words(FILE *out)
{
    fputs("local -a rest\ncase ${words[2]} in\n"
          "compare|report|gate) rest=('*:file:_files') ;;\n"
          "list) rest=('*:event:($(" EVENTS "))') ;;\n"
          "threads) rest=('*:process:_pids') ;;\n"
          "revisions)\n    local -a refs=(${(f)\"$(" REVISIONS
          ")\"})\n    rest=('*:revision:($refs)') ;;\n"
          "doctor) rest=() ;;\n"
          "help) rest=('*:topic:(",
          out);
    put_topics(out);
    fputs(")') ;;\n*) rest=('*:command:{_command_names -e; _files}') ;;\nesac\n", out);
}

void option_write_zsh(FILE *out)
{
    fputs("#compdef lauka\n# lauka " LAUKA_VERSION "\n", out);
    put_zsh_words(out);
    fputs("_arguments -s \\\n", out);
    for (size_t i = 0; i < lauka_option_count; i++) {
        if (option_has_letter(&lauka_option_rows[i]))
            put_zsh_option(&lauka_option_rows[i], true, out);
        if (lauka_option_rows[i].name)
            put_zsh_option(&lauka_option_rows[i], false, out);
    }
    fputs("    '1:subcommand or command:{_values subcommand ", out);
    put_verb_names(out);
    fputs("; _command_names -e; _files}' \\\n    \"${rest[@]}\"\n", out);
}

/* ---- fish ----------------------------------------------------------------------------------------- */

/* Behind a subcommand: what that takes; elsewhere commands and files. */
static void put_fish_words(FILE *out)
{
    fputs("complete -c lauka -n '__fish_seen_subcommand_from list' -f -a '(" EVENTS ")'\n"
          "complete -c lauka -n '__fish_seen_subcommand_from threads' -f -a "
          "'(__fish_complete_pids)'\n"
          "complete -c lauka -n '__fish_seen_subcommand_from revisions' -a '(" REVISIONS ")'\n"
          "complete -c lauka -n '__fish_seen_subcommand_from doctor' -f\n"
          "complete -c lauka -n '__fish_seen_subcommand_from help' -f -a '",
          out);
    put_topics(out);
    fputs("'\n", out);
}

void option_write_fish(FILE *out)
{
    fputs("# lauka " LAUKA_VERSION "\n", out);
    for (size_t i = 0; i < lauka_option_count; i++) {
        const struct option_row *row = &lauka_option_rows[i];
        char help[OPTION_HELP_SIZE];
        fputs("complete -c lauka", out);
        if (option_has_letter(row))
            fprintf(out, " -s %c", row->id);
        if (row->name)
            fprintf(out, " -l %s", row->name);
        if (row->argument == required_argument)
            fputs(takes_file(row) ? " -r -F" : " -x", out);
        if (option_values(row))
            fprintf(out, "%s -a '%s'", row->argument == optional_argument ? " -f" : "",
                    option_values(row));
        fputs(" -d '", out);
        put_help(option_help(row, help), "\\", out);
        fputs("'\n", out);
    }
    put_fish_words(out);
    for (size_t i = 0; i < lauka_verb_count; i++) {
        fprintf(out, "complete -c lauka -n __fish_use_subcommand -a %s -d '",
                lauka_verb_rows[i].name);
        put_help(lauka_verb_rows[i].help, "\\", out);
        fputs("'\n", out);
    }
}
