/* From what the user typed to what is executed: one string for a command, split by the shell's quoting
 * rules but run without a shell, or a ready argument vector. Nothing runs that was not meant: syntax that
 * only a shell would interpret is refused, with both ways out. */
#include "runner/command/command.h"
#include "runner/base/base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

struct words { /* the argument vector that is being built; there is room for all of it */
    char **argv;
    size_t count;
    char *word, *end; /* the word under way */
    bool started;     /* '' is a word too */
};

static void words_put(struct words *words, char c)
{
    *words->end++ = c;
    words->started = true;
}

static void words_end(struct words *words)
{
    if (!words->started)
        return;
    words->started = false;
    *words->end++ = '\0';
    words->argv[words->count++] = words->word;
    words->word = words->end;
}

/* Whether a shell would expand the dollar that `rest` begins with. A lone one is an ordinary character. */
static bool dollar_acts(const char *rest)
{
    return rest[1] && (strchr("({@*#?-$!_'\"", rest[1]) || (rest[1] >= '0' && rest[1] <= '9') ||
                       (rest[1] >= 'A' && rest[1] <= 'Z') || (rest[1] >= 'a' && rest[1] <= 'z'));
}

/* Brace expansion needs a comma or two dots inside; {name} is an ordinary word. */
static bool brace_acts(const char *rest)
{
    size_t inside = strcspn(rest, "} \t\n");

    if (rest[inside] != '}')
        return false;
    for (size_t i = 1; i < inside; i++)
        if (rest[i] == ',' || (rest[i] == '.' && rest[i + 1] == '.'))
            return true;
    return false;
}

/* NAME=value in front of the command is an assignment to a shell. */
static bool assignment_acts(const struct words *words)
{
    if (words->count > 0 || words->word == words->end)
        return false;
    for (const char *c = words->word; c < words->end; c++) {
        bool letter = *c == '_' || (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z');
        if (!letter && (c == words->word || *c < '0' || *c > '9'))
            return false;
    }
    return true;
}

/* Whether the unquoted character at `rest` is special to a shell. */
static bool unquoted_acts(const struct words *words, const char *rest)
{
    switch (*rest) {
    case '|':
    case '&':
    case ';':
    case '<':
    case '>':
    case '(':
    case ')':
    case '`':
    case '*':
    case '?':
    case '[':
    case '\n':
        return true;
    case '$':
        return dollar_acts(rest);
    case '{':
        return brace_acts(rest);
    case '~':
    case '#':
        return !words->started;
    case '!':
        return !words->started && words->count == 0 && (rest[1] == ' ' || rest[1] == '\0');
    case '=':
        return assignment_acts(words);
    default:
        return false;
    }
}

static bool refuse_shell(const char *text, char c, struct lauka_error *error)
{
    char shown[8] = {c, '\0'};

    if (c == '\n')
        strcpy(shown, "newline");
    return lauka_fail(
        error, LAUKA_EXIT_USAGE,
        "\"%s\" has a meaning in a shell only, and commands run without one: quote it to pass it "
        "on as it is, %sor use -S to run every command in a shell: %.400s",
        shown, c == '=' ? "give a variable by --env NAME=VALUE, " : "", text);
}

/* A quoted part; *cursor stands on the opening quote and is left on the closing one. */
static bool split_quoted(const char *text, const char **cursor, struct words *words,
                         struct lauka_error *error)
{
    char quote = **cursor;
    const char *c = *cursor + 1;

    words->started = true;
    for (; *c && *c != quote; c++) {
        if (quote == '"' && (*c == '`' || (*c == '$' && dollar_acts(c) && c[1] != '"')))
            return refuse_shell(text, *c, error);
        if (quote == '"' && *c == '\\' && c[1] && strchr("$`\"\\\n", c[1]) && *++c == '\n')
            continue;
        words_put(words, *c);
    }
    *cursor = c;
    return *c || lauka_fail(error, LAUKA_EXIT_USAGE, "unmatched %s quote: %.400s",
                            quote == '"' ? "double" : "single", text);
}

/* One unquoted character, a backslash with what it protects, or a quoted part. */
static bool split_step(const char *text, const char **cursor, struct words *words,
                       struct lauka_error *error)
{
    const char *c = *cursor;

    if (*c == '\'' || *c == '"')
        return split_quoted(text, cursor, words, error);
    if (*c == ' ' || *c == '\t') {
        words_end(words);
        return true;
    }
    if (unquoted_acts(words, c))
        return refuse_shell(text, *c, error);
    if (*c == '\\') {
        if (!c[1])
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "nothing follows the backslash at the end: %.400s", text);
        *cursor = ++c;
        if (*c == '\n') /* a continued line */
            return true;
    }
    words_put(words, *c);
    return true;
}

/* A word takes two bytes at least, with the blank behind it. `more`: room for further words. */
static bool split(struct lauka_arena *arena, const char *text, size_t more, struct words *words,
                  struct lauka_error *error)
{
    size_t length = strlen(text);
    bool good = true;

    *words = (struct words){
        .argv = lauka_arena_take(arena, (length / 2 + 2 + more) * sizeof *words->argv),
        .word = lauka_arena_take(arena, length + 1),
    };
    if (!words->argv || !words->word)
        return lauka_fail_memory(error);
    words->end = words->word;
    for (const char *c = text; good && *c; c++)
        good = split_step(text, &c, words, error);
    words_end(words);
    return good && (words->count > 0 || lauka_fail(error, LAUKA_EXIT_USAGE,
                                                   "a command is empty: give a program to run"));
}

static bool label(struct lauka_command *command, char *text, struct lauka_error *error)
{
    command->label = text;
    return text || lauka_fail_memory(error);
}

bool lauka_command_parse(struct lauka_arena *arena, const char *text, struct lauka_command *command,
                         struct lauka_error *error)
{
    struct words words;

    *command = (struct lauka_command){.arena = arena};
    if (!split(arena, text, 0, &words, error))
        return false;
    command->argv = words.argv;
    return label(command, lauka_arena_text(arena, text), error);
}

bool lauka_command_from_argv(struct lauka_arena *arena, char *const *argv, size_t count,
                             struct lauka_command *command, struct lauka_error *error)
{
    *command = (struct lauka_command){.arena = arena};
    command->argv = lauka_arena_take(arena, (count + 1) * sizeof *command->argv);
    if (!command->argv)
        return lauka_fail_memory(error);
    memcpy(command->argv, argv, count * sizeof *argv);
    return label(command, lauka_quote_argv(arena, argv, count), error);
}

bool lauka_command_for_shell(struct lauka_arena *arena, const char *shell, const char *text,
                             struct lauka_command *command, struct lauka_error *error)
{
    static char option[] = "-c";
    struct words words;

    *command = (struct lauka_command){.arena = arena};
    if (text[strspn(text, " \t\n")] == '\0')
        return lauka_fail(error, LAUKA_EXIT_USAGE, "a command is empty: give a program to run");
    if (!split(arena, shell, 2, &words, error) ||
        !label(command, lauka_arena_text(arena, text), error))
        return false;
    words.argv[words.count] = option;
    words.argv[words.count + 1] = command->label;
    command->argv = words.argv;
    return true;
}

/* 0, or why the file cannot be executed. */
static int executable_error(const char *path)
{
    struct stat about;

    if (stat(path, &about) != 0)
        return errno;
    if (S_ISDIR(about.st_mode))
        return EISDIR;
    return access(path, X_OK) == 0 ? 0 : errno;
}

const char *lauka_command_search_path(const struct lauka_command *command)
{
    const char *directories = getenv("PATH");

    for (char **own = command->environment; own && *own; own++)
        if (strncmp(*own, "PATH=", 5) == 0)
            directories = *own + 5;
    return directories ? directories : "/bin:/usr/bin"; /* as execvp of glibc */
}

/* If the name would mean another file in another directory, puts that directory in front of it. */
static char *join(const struct lauka_command *command, const char *first, size_t first_length,
                  const char *name)
{
    const char *directory = command->directory;
    bool moves = directory && (first_length > 0 ? *first : *name) != '/';

    return lauka_arena_print(command->arena, "%s%s%.*s%s%s", moves ? directory : "",
                             moves ? "/" : "", (int)first_length, first, first_length ? "/" : "",
                             name);
}

/* Searches PATH; if it fails, the error of the last file that exists but is not executable is used. An
 * empty directory means the one in which the command runs. */
static char *search_path(const struct lauka_command *command, int *why)
{
    *why = ENOENT;
    for (const char *from = lauka_command_search_path(command);; from++) {
        size_t length = strcspn(from, ":");
        char *path = join(command, length ? from : ".", length ? length : 1, command->argv[0]);
        int error = path ? executable_error(path) : ENOMEM;
        if (error == 0)
            return path;
        if (error == EACCES || error == ENOMEM)
            *why = error;
        from += length;
        if (!*from)
            return NULL;
    }
}

/* What shells do themselves (POSIX, Shell Command Language, 2.9.4 and 2.14), as a first word. */
static bool is_of_shells(const char *name)
{
    static const char *const words[] = {
        ".",      "alias", "case",  "cd",     "eval", "exec",  "exit",   "export", "for",
        "if",     "let",   "read",  "return", "set",  "shift", "source", "trap",   "type",
        "ulimit", "umask", "unset", "until",  "wait", "while", "{"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], name) == 0)
            return true;
    return false;
}

/* What a name that is in no directory of PATH may have meant. */
static const char *advice_on(const struct lauka_command *command)
{
    const char *name = command->argv[0];

    if (is_of_shells(name))
        return "; it is built into shells: -S runs commands in one";
    char *here = join(command, "", 0, name);
    return here && executable_error(here) == 0
               ? " (looked for in PATH); to run the one in its directory, put ./ before it"
               : " (looked for in PATH)";
}

bool lauka_command_locate(struct lauka_command *command, struct lauka_error *error)
{
    const char *name = command->argv[0];
    int why = ENOMEM;

    command->path = command->program    ? command->program
                    : strchr(name, '/') ? join(command, "", 0, name)
                                        : search_path(command, &why);
    if (command->path && (why = executable_error(command->path)) == 0)
        return true;
    command->path = NULL;
    return lauka_fail(error, LAUKA_EXIT_COMMAND_FAILED, "%.300s: cannot be started%s%.300s: %s%s",
                      name, command->directory ? " in " : "",
                      command->directory ? command->directory : "", strerror(why),
                      why != ENOENT || strchr(name, '/') ? "" : advice_on(command));
}

char *lauka_command_find(const char *name)
{
    char *words[] = {(char *)(uintptr_t)name, NULL}; /* nobody writes there */
    struct lauka_arena arena = {0};
    struct lauka_command command = {.arena = &arena, .argv = words};
    struct lauka_error ignored;
    char *path = lauka_command_locate(&command, &ignored) ? strdup(command.path) : NULL;

    lauka_arena_done(&arena);
    return path;
}

bool lauka_command_exists(const char *name)
{
    char *path = lauka_command_find(name);

    free(path);
    return path != NULL;
}

/* What a shell interprets at the beginning of a command: an assignment, or its own grammar. */
static bool begins_no_command(const char *word)
{
    static const char *const reserved[] = {"if",   "then", "else",  "elif",  "fi",  "do", "done",
                                           "case", "esac", "while", "until", "for", "in"};

    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(word, reserved[i]) == 0)
            return true;
    return strchr(word, '=') != NULL;
}

static bool is_plain(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_@%+=:,./-";
    return *word && word[strspn(word, plain)] == '\0';
}

/* Writes one word, in quotes unless it is plain; returns where it ends. */
static char *quote_word(const char *word, bool plain, char *out)
{
    if (plain)
        return stpcpy(out, word);
    *out++ = '\'';
    for (; *word; word++)
        if (*word == '\'')
            out = stpcpy(out, "'\\''"); /* out of the quotes, a protected quote, into them again */
        else
            *out++ = *word;
    return stpcpy(out, "'");
}

char *lauka_quote_argv(struct lauka_arena *arena, char *const *argv, size_t count)
{
    size_t size = 1;

    for (size_t i = 0; i < count; i++)
        size += 4 * strlen(argv[i]) + 3; /* two quotes and a blank */
    char *text = lauka_arena_take(arena, size), *end = text;
    for (size_t i = 0; text && i < count; i++) {
        if (i)
            *end++ = ' ';
        bool plain = is_plain(argv[i]) && (i > 0 || !begins_no_command(argv[i]));
        end = quote_word(argv[i], plain, end);
    }
    return text;
}

/* ---- the environment --------------------------------------------------------------------------------- */

static bool is_named(const char *variable, const char *other)
{
    size_t length = strcspn(variable, "=");

    return strncmp(variable, other, length + 1) == 0;
}

static size_t put_variable(char **environment, size_t count, char *variable)
{
    size_t i = 0;

    while (i < count && !is_named(variable, environment[i]))
        i++;
    environment[i] = variable;
    return i == count ? count + 1 : count;
}

char **lauka_command_environment(const struct lauka_command *command, const char *const *variables)
{
    char *const *more[] = {environ, command->environment, (char *const *)variables};
    size_t count = 0, room = 1;

    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        room += lauka_words_count((const char *const *)more[i]);
    char **environment = calloc(room, sizeof *environment);
    for (size_t i = 0; environment && i < sizeof more / sizeof *more; i++)
        for (size_t v = 0; more[i] && more[i][v]; v++)
            count = put_variable(environment, count, more[i][v]);
    return environment;
}
