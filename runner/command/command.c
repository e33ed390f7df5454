/* From what the user typed to what is executed: one string for a command, split by the shell's quoting
 * rules but run without a shell, or a ready argument vector. Nothing runs that was not meant: syntax that
 * only a shell would interpret is refused, with both ways out. */
#include "runner/command/command.h"
#include "report/result/result.h"
#include "runner/base/base.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct words { /* the argument vector that is being built */
    char **argv;
    size_t count, capacity;
    char *word; /* the word under way; owned */
    size_t length, size;
    bool started; /* '' is a word too */
};

static bool words_put(struct words *words, char c)
{
    if (words->length + 1 >= words->size) {
        size_t size = words->size ? 2 * words->size : 64;
        char *grown = realloc(words->word, size);
        if (!grown)
            return false;
        words->word = grown;
        words->size = size;
    }
    words->word[words->length++] = c;
    words->word[words->length] = '\0';
    words->started = true;
    return true;
}

static bool words_push(struct words *words, char *owned_word)
{
    if (!owned_word)
        return false;
    if (words->count + 1 >= words->capacity) {
        size_t capacity = words->capacity ? 2 * words->capacity : 8;
        char **grown = realloc(words->argv, capacity * sizeof *grown);
        if (!grown) {
            free(owned_word);
            return false;
        }
        words->argv = grown;
        words->capacity = capacity;
    }
    words->argv[words->count++] = owned_word;
    words->argv[words->count] = NULL;
    return true;
}

static bool words_end(struct words *words)
{
    if (!words->started)
        return true;
    words->started = false;
    char *word = strndup(words->word ? words->word : "", words->length);
    words->length = 0;
    return words_push(words, word);
}

static void argv_free(char **argv)
{
    for (size_t i = 0; argv && argv[i]; i++)
        free(argv[i]);
    free(argv);
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
    if (words->count > 0 || !words->started || words->length == 0)
        return false;
    for (size_t i = 0; i < words->length; i++) {
        char c = words->word[i];
        bool letter = c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        if (!letter && (i == 0 || c < '0' || c > '9'))
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
        if (!words_put(words, *c))
            return lauka_fail_memory(error);
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
    if (*c == ' ' || *c == '\t')
        return words_end(words) || lauka_fail_memory(error);
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
    return words_put(words, *c) || lauka_fail_memory(error);
}

static bool split(const char *text, char ***argv, struct lauka_error *error)
{
    struct words words = {0};
    bool good = true;

    for (const char *c = text; good && *c; c++)
        good = split_step(text, &c, &words, error);
    if (good && !words_end(&words))
        good = lauka_fail_memory(error);
    if (good && words.count == 0)
        good = lauka_fail(error, LAUKA_EXIT_USAGE, "a command is empty: give a program to run");
    free(words.word);
    if (!good)
        argv_free(words.argv);
    else
        *argv = words.argv;
    return good;
}

bool lauka_command_parse(const char *text, struct lauka_command *command, struct lauka_error *error)
{
    *command = (struct lauka_command){0};
    if (!split(text, &command->argv, error))
        return false;
    command->label = strdup(text);
    if (command->label)
        return true;
    lauka_command_done(command);
    return lauka_fail_memory(error);
}

bool lauka_command_from_argv(char *const *argv, size_t count, struct lauka_command *command,
                             struct lauka_error *error)
{
    struct words words = {0};
    bool good = true;

    *command = (struct lauka_command){0};
    for (size_t i = 0; good && i < count; i++)
        good = words_push(&words, strdup(argv[i]));
    command->argv = words.argv;
    if (good)
        command->label = lauka_quote_argv(argv, count);
    if (good && command->label)
        return true;
    lauka_command_done(command);
    return lauka_fail_memory(error);
}

bool lauka_command_for_shell(const char *shell, const char *text, struct lauka_command *command,
                             struct lauka_error *error)
{
    struct words words = {0};

    *command = (struct lauka_command){0};
    if (text[strspn(text, " \t\n")] == '\0')
        return lauka_fail(error, LAUKA_EXIT_USAGE, "a command is empty: give a program to run");
    if (!split(shell, &words.argv, error))
        return false;
    while (words.argv[words.count])
        words.count++;
    words.capacity = words.count + 1;
    bool good = words_push(&words, strdup("-c")) && words_push(&words, strdup(text));
    command->argv = words.argv;
    if (good)
        command->label = strdup(text);
    if (good && command->label)
        return true;
    lauka_command_done(command);
    return lauka_fail_memory(error);
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
static char *join(const char *directory, const char *first, size_t first_length, const char *name)
{
    bool moves = directory && (first_length > 0 ? *first : *name) != '/';
    size_t size = (moves ? strlen(directory) : 0) + first_length + strlen(name) + 4;
    char *path = malloc(size);

    if (path)
        snprintf(path, size, "%s%s%.*s%s%s", moves ? directory : "", moves ? "/" : "",
                 (int)first_length, first, first_length ? "/" : "", name);
    return path;
}

/* Searches PATH; if it fails, the error of the last file that exists but is not executable is used. An
 * empty directory means the one in which the command runs. */
static char *search_path(const struct lauka_command *command, int *why)
{
    *why = ENOENT;
    for (const char *from = lauka_command_search_path(command);; from++) {
        size_t length = strcspn(from, ":");
        char *path =
            join(command->directory, length ? from : ".", length ? length : 1, command->argv[0]);
        int error = path ? executable_error(path) : ENOMEM;
        if (error == 0)
            return path;
        free(path);
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
    char *here = join(command->directory, "", 0, name);
    bool is_here = here && executable_error(here) == 0;
    free(here);
    return is_here ? " (looked for in PATH); to run the one in its directory, put ./ before it"
                   : " (looked for in PATH)";
}

bool lauka_command_locate(struct lauka_command *command, struct lauka_error *error)
{
    const char *name = command->argv[0];
    int why = ENOMEM;

    free(command->path);
    command->path =
        strchr(name, '/') ? join(command->directory, "", 0, name) : search_path(command, &why);
    if (command->path && (why = executable_error(command->path)) == 0)
        return true;
    free(command->path);
    command->path = NULL;
    return lauka_fail(error, LAUKA_EXIT_COMMAND_FAILED, "%.300s: cannot be started%s%.300s: %s%s",
                      name, command->directory ? " in " : "",
                      command->directory ? command->directory : "", strerror(why),
                      why != ENOENT || strchr(name, '/') ? "" : advice_on(command));
}

char *lauka_command_find(const char *name)
{
    char *words[] = {(char *)(uintptr_t)name}; /* copied */
    struct lauka_command command = {0};
    struct lauka_error ignored;
    char *path = NULL;

    if (lauka_command_from_argv(words, 1, &command, &ignored) &&
        lauka_command_locate(&command, &ignored)) {
        path = command.path;
        command.path = NULL;
    }
    lauka_command_done(&command);
    return path;
}

bool lauka_command_exists(const char *name)
{
    char *path = lauka_command_find(name);

    free(path);
    return path != NULL;
}

void lauka_command_done(struct lauka_command *command)
{
    argv_free(command->argv);
    argv_free(command->environment);
    free(command->label);
    free(command->side);
    free(command->path);
    free(command->directory);
    free(command->output_file);
    free(command->input_file);
    free(command->pretence);
    for (size_t i = 0; i < command->figure_count; i++) {
        free(command->figures[i].name);
        free(command->figures[i].pattern);
    }
    free(command->figures);
    for (size_t i = 0; i < LAUKA_HOOKS; i++)
        free(command->hooks[i]);
    free(command->link);
    lauka_parameters_free(command->parameters, command->parameter_count);
    *command = (struct lauka_command){0};
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

/* Writes one word, in quotes unless it is plain; returns its length. With NULL it only measures. */
static size_t quote_word(const char *word, bool plain, char *out)
{
    size_t length = 0;

#define PUT(c) (out ? (void)(out[length] = (c)) : (void)0, length++)
    if (!plain)
        PUT('\'');
    for (; *word; word++) {
        if (*word == '\'') { /* out of the quotes, a protected quote, into them again */
            PUT('\'');
            PUT('\\');
            PUT('\'');
        }
        PUT(*word);
    }
    if (!plain)
        PUT('\'');
#undef PUT
    return length;
}

char *lauka_quote_argv(char *const *argv, size_t count)
{
    size_t size = 1;

    for (size_t i = 0; i < count; i++)
        size += quote_word(argv[i], false, NULL) + 1;
    char *text = malloc(size), *end = text;
    if (!text)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        if (i)
            *end++ = ' ';
        bool plain = is_plain(argv[i]) && (i > 0 || !begins_no_command(argv[i]));
        end += quote_word(argv[i], plain, end);
    }
    *end = '\0';
    return text;
}
