/* What was measured: commits, command lines, date, machine and links, one fact after the other, so that all documents
 * say the same at their head. */
#include "report/words/measured.h"
#include "report/result/merged.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/prose.h"
#include "report/words/words.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HASH_LENGTH = 10, SUBJECT_COLUMNS = 60, LINE_COLUMNS = 100, SIDES_MOST = 4 };

/* ---- command lines --------------------------------------------------------------------------- */

static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

/* POSIX.1-2024, 2.2.4: keeps it one line, and visible. */
static void put_dollar_quoted(struct lauka_prose *prose, const char *word)
{
    lauka_put(prose, "$'");
    for (; *word; word++)
        if (*word == '\n' || *word == '\t')
            lauka_put(prose, "\\%c", *word == '\n' ? 'n' : 't');
        else if (is_control(*word))
            lauka_put(prose, "\\%03o", (unsigned)*word);
        else
            lauka_put(prose, *word == '\'' || *word == '\\' ? "\\%c" : "%c", *word);
    lauka_put(prose, "'");
}

/* Quoted for a POSIX shell; unchanged if nothing in it is special. */
static void put_word(struct lauka_prose *prose, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./:=@%+,-";
    bool controls = false;
    for (const char *c = word; *c; c++)
        controls |= is_control(*c);
    if (*word && word[strspn(word, plain)] == 0) {
        lauka_put(prose, "%s", word);
    } else if (controls) {
        put_dollar_quoted(prose, word);
    } else {
        lauka_put(prose, "'");
        for (; *word; word++)
            lauka_put(prose, *word == '\'' ? "'\\''" : "%c", *word);
        lauka_put(prose, "'");
    }
}

static const char *quote(struct lauka_prose *prose, char *const *words)
{
    lauka_prose_capture(prose);
    for (size_t i = 0; words[i]; i++) {
        lauka_put(prose, i > 0 ? " " : "");
        put_word(prose, words[i]);
    }
    return lauka_prose_captured(prose);
}

/* `sh -c TEXT`: the command was given as a text. */
static bool is_shell_text(char *const *words)
{
    return words[0] && words[1] && words[2] && !words[3] && strcmp(words[1], "-c") == 0;
}

static const char *line_of(struct lauka_prose *prose, const struct lauka_result *result,
                           size_t command)
{
    char *const *words = result->commands[command].argv;
    return !words ? "" : is_shell_text(words) ? words[2] : quote(prose, words);
}

const char *lauka_say_command_line(struct lauka_prose *prose, const struct lauka_result *result,
                                   size_t command)
{
    const char *line = line_of(prose, result, command);
    return strcmp(line, result->commands[command].label) == 0 ? "" : line;
}

/* ---- how to repeat it ------------------------------------------------------------------------ */

static bool has_revisions(const struct lauka_result *result)
{
    bool found = false;
    for (size_t c = 0; c < result->command_count; c++)
        found |= result->commands[c].revision.commit != NULL;
    return found;
}

static const char *commit_of(struct lauka_prose *prose, const struct lauka_result *result,
                             size_t command)
{
    const char *commit = result->commands[command].revision.commit;
    return commit ? lauka_say(prose, "%.*s", HASH_LENGTH, commit) : "";
}

static const char *commit_named(struct lauka_prose *prose, const struct lauka_result *result,
                                const char *name)
{
    for (size_t c = 0; c < result->command_count; c++)
        if (!result->commands[c].revision.is_changed &&
            strcmp(lauka_result_side(result, c), name) == 0)
            return commit_of(prose, result, c);
    return "";
}

/* "v1.0", or both ends of "v1.0..HEAD", with the commits that they named. */
static const char *resolve(struct lauka_prose *prose, const struct lauka_result *result,
                           const char *word)
{
    const char *dots = strstr(word, ".."), *commit = commit_named(prose, result, word);
    if (*commit || !dots)
        return *commit ? commit : word;
    const char *begin = lauka_say(prose, "%.*s", (int)(dots - word), word), *end = dots + 2;
    const char *first = commit_named(prose, result, begin);
    const char *last = commit_named(prose, result, end);
    return lauka_say(prose, "%s..%s", *first ? first : begin, *last ? last : end);
}

const char *lauka_say_reproduction(struct lauka_prose *prose, const struct lauka_result *result)
{
    bool names_revisions = false;
    if (!result->reproduce)
        return "";
    lauka_prose_capture(prose);
    lauka_put(prose, "lauka");
    for (char **word = result->reproduce; *word; word++) {
        names_revisions &= strcmp(*word, "--") != 0;
        lauka_put(prose, " ");
        put_word(prose, names_revisions ? resolve(prose, result, *word) : *word);
        names_revisions |= strcmp(*word, "revisions") == 0 && has_revisions(result);
    }
    return lauka_prose_captured(prose);
}

/* ---- commits and labels ---------------------------------------------------------------------- */

/* A working tree's commit is one that lauka made and nobody else knows. */
static void say_side(struct lauka_prose *prose, const struct lauka_result *result, size_t command,
                     struct lauka_fact *fact)
{
    const struct lauka_result_revision *revision = &result->commands[command].revision;
    const char *name = lauka_result_side(result, command);
    const char *subject = revision->subject ? revision->subject : "";
    fact->code = revision->is_changed ? "" : commit_of(prose, result, command);
    if (!revision->commit || strncmp(revision->commit, name, strlen(name)) != 0)
        fact->name = lauka_say_fitted(prose, name, SUBJECT_COLUMNS);
    fact->text =
        revision->is_changed ? "with changes" : lauka_say_fitted(prose, subject, SUBJECT_COLUMNS);
}

/* Of many sides the first two and the last two. */
static bool next_side(struct lauka_prose *prose, const struct lauka_result *result,
                      struct lauka_fact *fact, size_t place)
{
    const size_t count = result->command_count, shown = SIDES_MOST / 2;
    if (!has_revisions(result) || place >= count)
        return false;
    fact->kind = LAUKA_FACT_COMMIT;
    if (place > 0)
        fact->before = prose->signs->arrow;
    if (count > SIDES_MOST + 1 && place >= shown && place < count - shown) {
        fact->text = lauka_say(prose, "%zu others", count - SIDES_MOST);
        fact->place += count - shown - place - 1;
    } else {
        say_side(prose, result, place, fact);
    }
    return true;
}

/* The number of hexadecimal digits at the start, if they are an abbreviated hash. */
static size_t hash_length(const char *text)
{
    const size_t length = strspn(text, "0123456789abcdef");
    return length >= 7 && length <= 64 && (text[length] == ' ' || !text[length]) ? length : 0;
}

static bool is_side(const struct lauka_result *result, const char *name)
{
    bool found = strcmp(name, "base") == 0 || strcmp(name, "head") == 0;
    for (size_t c = 0; c < result->command_count; c++)
        found |= strcmp(name, lauka_result_side(result, c)) == 0;
    return found;
}

/* Labels of sides belong together: "base 2017553 initial → head fff8444 Wording". */
static bool next_label(struct lauka_prose *prose, const struct lauka_result *result,
                       struct lauka_fact *fact, size_t place)
{
    const struct lauka_result_provenance *from = &result->provenance;
    if (place >= from->label_count)
        return false;
    const char *name = from->labels[place].name, *value = from->labels[place].value;
    const size_t length = hash_length(value);
    const bool follows =
        place > 0 && is_side(result, name) && is_side(result, from->labels[place - 1].name);
    fact->kind = LAUKA_FACT_LABEL;
    if (follows)
        fact->before = prose->signs->arrow;
    fact->name = lauka_say_fitted(prose, name, SUBJECT_COLUMNS);
    fact->code = lauka_say(prose, "%.*s", length < HASH_LENGTH ? (int)length : HASH_LENGTH, value);
    value += length;
    fact->text = lauka_say_fitted(prose, value + strspn(value, " "), SUBJECT_COLUMNS);
    return true;
}

static bool has_label_of(const struct lauka_result_provenance *from)
{
    bool found = false;
    for (size_t i = 0; i < from->label_count; i++) {
        const size_t length = hash_length(from->labels[i].value);
        found |= length > 0 && strncmp(from->labels[i].value, from->commit, length) == 0;
    }
    return found;
}

/* The checkout in which lauka ran, unless revisions or labels name their own. */
static bool say_checkout(struct lauka_prose *prose, const struct lauka_result *result,
                         struct lauka_fact *fact)
{
    const struct lauka_result_provenance *from = &result->provenance;
    if (!from->commit || has_revisions(result) || has_label_of(from))
        return false;
    const char *branch = from->branch ? lauka_say(prose, "on %s", from->branch) : "";
    const bool dirty = from->dirty.known && from->dirty.value > 0;
    fact->kind = LAUKA_FACT_COMMIT;
    fact->name = "commit";
    fact->code = lauka_say(prose, "%.*s", HASH_LENGTH, from->commit);
    fact->text = lauka_say_fitted(
        prose, lauka_join(prose, branch, ", ", dirty ? "with changes" : ""), SUBJECT_COLUMNS);
    return true;
}

/* ---- commands -------------------------------------------------------------------------------- */

static bool all_share(struct lauka_prose *prose, const struct lauka_result *result)
{
    const char *first = result->command_count > 0 ? line_of(prose, result, 0) : "";
    bool same = *first && result->command_count > 1;
    for (size_t c = 1; same && c < result->command_count; c++)
        same = strcmp(first, line_of(prose, result, c)) == 0;
    return same;
}

/* Those of one benchmark that their labels do not say; many benchmarks have their own. */
static bool next_command(struct lauka_prose *prose, const struct lauka_session *session,
                         struct lauka_fact *fact, size_t place)
{
    const struct lauka_result *result = session->benchmarks;
    if (session->benchmark_count > 1 || place >= result->command_count || place >= SIDES_MOST)
        return false;
    const bool shared = all_share(prose, result);
    const char *line = lauka_say_command_line(prose, result, place);
    fact->kind = LAUKA_FACT_COMMAND;
    fact->name = shared || result->command_count == 1
                     ? ""
                     : lauka_say_fitted(prose, lauka_result_side(result, place), SUBJECT_COLUMNS);
    fact->code = shared && place > 0 ? "" : lauka_say_fitted(prose, line, LINE_COLUMNS);
    return true;
}

/* ---- date and machine ------------------------------------------------------------------------ */

/* "25 Nov 2026, 14:03 UTC" from RFC 3339 in UTC; unchanged if it is anything else. */
static const char *say_date(struct lauka_prose *prose, const char *time)
{
    static const char months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    static const char form[] = "0000-00-00T00:00:00Z";
    bool fits = strlen(time) == sizeof form - 1;
    for (size_t i = 0; fits && form[i]; i++)
        fits = form[i] == '0' ? isdigit((unsigned char)time[i]) : time[i] == form[i];
    const long month = fits ? strtol(time + 5, NULL, 10) : 0;
    if (month < 1 || month > 12)
        return lauka_say_fitted(prose, time, SUBJECT_COLUMNS);
    return lauka_say(prose, "%ld %s %.4s, %.5s UTC", strtol(time + 8, NULL, 10), months[month - 1],
                     time, time + 11);
}

static const char *say_host(struct lauka_prose *prose, const struct lauka_result_host *host)
{
    const char *processor = host->cpu_model ? host->cpu_model : host->arch ? host->arch : "";
    const char *cpus = "";
    if (host->cpu_count > 0)
        cpus =
            lauka_say(prose, "%" PRIu64 " CPU%s", host->cpu_count, lauka_plural(host->cpu_count));
    return lauka_join(prose, processor, ", ", cpus);
}

/* Whether all of several hosts have the same processor, and equally many CPUs. */
static bool are_alike(const struct lauka_result *result)
{
    const struct lauka_result_host *first = result->merged.hosts[0].about;
    bool alike = first != NULL;
    for (size_t h = 1; alike && h < result->merged.host_count; h++) {
        const struct lauka_result_host *other = result->merged.hosts[h].about;
        alike = other && lauka_text_is(first->cpu_model, other->cpu_model) &&
                lauka_text_is(first->arch, other->arch) && first->cpu_count == other->cpu_count;
    }
    return alike;
}

/* "AMD EPYC, 2 CPUs"; "3 hosts (AMD EPYC, 2 CPUs)" if all of them are alike. */
static const char *say_machine(struct lauka_prose *prose, const struct lauka_result *result)
{
    if (!lauka_result_has_hosts(result))
        return say_host(prose, &result->host);
    const char *hosts = lauka_say(prose, "%zu hosts", result->merged.host_count);
    return are_alike(result)
               ? lauka_say(prose, "%s (%s)", hosts, say_host(prose, result->merged.hosts[0].about))
               : hosts;
}

static bool say_text(struct lauka_fact *fact, enum lauka_fact_kind kind, const char *text)
{
    fact->kind = kind;
    fact->text = text;
    return *text != 0;
}

/* ---- links ----------------------------------------------------------------------------------- */

/* Accepts only addresses that a reader may safely follow. */
static bool is_address(const char *url)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-._~:/?#@!$&+,;=%";
    return lauka_text_is_address(url) && url[strspn(url, plain)] == 0;
}

static bool has_document(const struct lauka_result *result, const char *option)
{
    const size_t length = strlen(option);
    bool found = false;
    for (char **word = result->arguments; word && *word; word++)
        found |=
            strncmp(*word, option, length) == 0 && (!(*word)[length] || (*word)[length] == '=');
    return found;
}

/* Where a service keeps the files of a job; empty if that is not known. */
static const char *artifacts_of(struct lauka_prose *prose,
                                const struct lauka_result_provenance *from)
{
    const char *service = from->ci ? from->ci : "";
    const char *suffix = strcmp(service, "github") == 0   ? "#artifacts"
                         : strcmp(service, "gitlab") == 0 ? "/artifacts/browse"
                                                          : "";
    return *suffix ? lauka_say(prose, "%s%s", from->url, suffix) : "";
}

static bool next_link(struct lauka_prose *prose, const struct lauka_result *result,
                      struct lauka_fact *fact, size_t place)
{
    const struct lauka_result_provenance *from = &result->provenance;
    if (!from->url || !is_address(from->url))
        return false;
    fact->kind = LAUKA_FACT_LINK;
    fact->address = place == 0 ? from->url : artifacts_of(prose, from);
    fact->text = lauka_join(prose, has_document(result, "--html") ? "page" : "", " and ",
                            has_document(result, "--json") ? "data" : "");
    if (place == 0)
        fact->text =
            lauka_join(prose, "job", " ",
                       lauka_say_fitted(prose, from->job ? from->job : "", SUBJECT_COLUMNS));
    return *fact->address && *fact->text;
}

/* ---- one after the other --------------------------------------------------------------------- */

static bool say_fact(struct lauka_prose *prose, const struct lauka_session *session, size_t place,
                     struct lauka_fact *fact)
{
    enum { DATE, MACHINE, JOB };
    const struct lauka_result *result = session->benchmarks;
    const struct lauka_result_provenance *from = &result->provenance;
    const char *date = from->begin ? from->begin : from->end ? from->end : "";
    if (place < result->command_count)
        return next_side(prose, result, fact, place);
    place -= result->command_count;
    if (place < from->label_count)
        return next_label(prose, result, fact, place);
    place -= from->label_count;
    if (place == 0)
        return say_checkout(prose, result, fact);
    place--;
    if (place < result->command_count)
        return next_command(prose, session, fact, place) && *fact->code;
    switch (place - result->command_count) {
    case DATE:
        return say_text(fact, LAUKA_FACT_DATE, *date ? say_date(prose, date) : "");
    case MACHINE:
        return say_text(fact, LAUKA_FACT_MACHINE, say_machine(prose, result));
    case JOB:
        return next_link(prose, result, fact, 0);
    default:
        return next_link(prose, result, fact, 1);
    }
}

bool lauka_next_fact(struct lauka_prose *prose, const struct lauka_session *session,
                     struct lauka_fact *fact)
{
    const struct lauka_result *result = session->benchmarks;
    const size_t further = 5; /* the checkout, date, machine, job, artifacts */
    const size_t end = 2 * result->command_count + result->provenance.label_count + further;
    const bool first = fact->place == 0;
    for (size_t place = fact->place; place < end;) {
        *fact = (struct lauka_fact){
            .before = first ? "" : "·", .name = "", .code = "", .text = "", .address = ""};
        fact->place = place + 1;
        if (say_fact(prose, session, place, fact))
            return true;
        place = fact->place;
    }
    return false;
}
