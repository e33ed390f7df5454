/* What made the difference: the same on the terminal, in comments and on the page. */
#include "report/words/why.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/said.h"
#include "report/words/words.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { NAME_WIDTH = 60, CALLS_NAMED = 4, CLAIMS_SAID = 2 };

/* ---- names of functions ---------------------------------------------------------------------- */

/* Where the arguments of a C++ name begin: "parse(char const*) const"; its length if it has none. Parentheses that are no
 * arguments: "(anonymous namespace)::parse", "main.(*Parser).parse", "Parser::operator()". */
static size_t without_arguments(const char *name)
{
    const char *close = strrchr(name, ')');
    size_t length = close ? (size_t)(close - name) : 0;
    for (int depth = 1; length > 0 && depth > 0;) {
        length--;
        depth += name[length] == ')' ? 1 : name[length] == '(' ? -1 : 0;
    }
    const size_t word = strlen("operator");
    const bool is_operator =
        length >= word && strncmp(name + length - word, "operator()", word + 2) == 0;
    const bool ends = close && (!close[1] || close[1] == ' ');
    return length > 0 && !is_operator && ends ? length : strlen(name);
}

/* The angle bracket that opens a template's arguments: not that of "operator<", nor the first of Rust's "<T as U>::f". */
static bool opens_template(const char *name, const char *at)
{
    const size_t word = strlen("operator");
    return *at == '<' && at > name && at[-1] != ':' && at[-1] != '<' &&
           !((size_t)(at - name) >= word && strncmp(at - word, "operator", word) == 0);
}

/* "std::vector<…>::push_back" */
static const char *without_templates(struct lauka_prose *prose, const char *name,
                                     const char *instead)
{
    const char *text = "";
    while (*name) {
        const char *at = name;
        while (*at && !opens_template(name, at))
            at++;
        text = lauka_say(prose, "%s%.*s", text, (int)(at - name), name);
        name = at;
        if (!*at)
            break;
        int depth = 0;
        do
            depth += *name == '<' ? 1 : *name == '>' && name[-1] != '-' ? -1 : 0;
        while (*++name && depth > 0);
        text = lauka_say(prose, "%s%s", text, instead);
    }
    return text;
}

const char *lauka_say_last_names(struct lauka_prose *prose, const char *name, int width)
{
    const char *rest = name;
    for (const char *next = name;
         lauka_display_width(rest) + (rest > name) > width && (next = strstr(next, "::")) != NULL;
         next += 2)
        rest = next;
    return rest > name ? lauka_say(prose, "%s%s", prose->signs->ellipsis, rest) : name;
}

static const char *brief_name(struct lauka_prose *prose, const char *name, int width)
{
    const char *plain = lauka_say(prose, "%.*s", (int)without_arguments(name), name);
    const char *mark = lauka_say(prose, "<%s>", prose->signs->ellipsis);
    const char *text = without_templates(prose, plain, mark);
    if (lauka_display_width(text) > width)
        text = without_templates(prose, plain, "");
    return lauka_say_fitted(prose, lauka_say_last_names(prose, text, width), width);
}

const char *lauka_say_function(struct lauka_prose *prose, const char *name, int width)
{
    if (lauka_display_width(name) <= width)
        return lauka_say_safely(prose, name);
    const char *text = lauka_say(prose, "%.*s", (int)without_arguments(name), name);
    return lauka_display_width(text) <= width ? lauka_say_fitted(prose, text, width)
                                              : brief_name(prose, name, width);
}

/* ---- whether ------------------------------------------------------------------------------- */

bool lauka_result_tells_why(const struct lauka_result *result)
{
    bool failed = false;
    for (size_t i = 0; i < result->gate.row_count; i++) {
        const struct lauka_gate_row *row = &result->gate.rows[i];
        failed |= row->judgement.verdict == LAUKA_GATE_FAIL && row->metric < result->metric_count &&
                  strcmp(result->metrics[row->metric].name, "sim_instructions:u") == 0;
    }
    return result->sampled.count > 0 || result->calls.count > 0 ||
           (result->whys.count > 0 && (result->whys.asked || failed));
}

static const struct lauka_sampled *sampled_of(const struct lauka_result *result, size_t command)
{
    for (size_t c = 0; c < result->sampled.count; c++)
        if (result->sampled.commands[c].command == command)
            return &result->sampled.commands[c];
    return NULL;
}

static const struct lauka_why *counted_of(const struct lauka_result *result, size_t command)
{
    for (size_t w = 0; w < result->whys.count; w++)
        if (result->whys.whys[w].command == command)
            return &result->whys.whys[w];
    return NULL;
}

/* ---- what was counted: figures --------------------------------------------------------------- */

static uint64_t size_of(int64_t change)
{
    return change < 0 ? -(uint64_t)change : (uint64_t)change;
}

/* "+1,234", "0" */
static const char *change_of(struct lauka_prose *prose, struct lauka_why_cost cost)
{
    int64_t change = lauka_why_change(cost);
    return lauka_say(prose, "%s%s", change ? lauka_sign((double)change, prose->utf8) : "",
                     lauka_say_count(prose, size_of(change)));
}

/* "9.6 M": three digits, or all of a small number. */
static const char *amount_of(struct lauka_prose *prose, uint64_t amount)
{
    struct lauka_scale scale = lauka_scale_for((double)amount, "1", prose->utf8);
    double value = (double)amount / scale.divisor;
    if (!*scale.suffix)
        return lauka_say_count(prose, amount);
    return lauka_say(prose, "%.*f %s", value >= 100 ? 0 : value >= 10 ? 1 : 2, value, scale.suffix);
}

static const char *sides_of(struct lauka_prose *prose, struct lauka_why_cost cost)
{
    return lauka_say(prose, "%s %s %s", amount_of(prose, cost.before), prose->signs->arrow,
                     amount_of(prose, cost.after));
}

static double share_of(struct lauka_why_cost cost)
{
    return cost.before > 0 ? (double)lauka_why_change(cost) / (double)cost.before : 0;
}

/* "+450,000 of 9.6 M, exact", "+450,000 of 9.6 M, ±1,200 between runs" */
static const char *total_of(struct lauka_prose *prose, const struct lauka_why *why)
{
    const char *spread = "exact";
    if (why->spread > 0)
        spread = lauka_say(prose, "%s%s between runs", prose->signs->plus_minus,
                           lauka_say_count(prose, why->spread));
    return lauka_say(prose, "%s of %s, %s", change_of(prose, why->instructions),
                     amount_of(prose, why->instructions.before), spread);
}

/* ---- what was counted: the sentence ---------------------------------------------------------- */

/* Whether the whole changed by something that can be seen in a share of it. */
static bool is_shown_as_share(const struct lauka_why *why)
{
    return why->instructions.before > 0 && fabs(share_of(why->instructions)) >= 0.0005;
}

static const char *counted_sentence(struct lauka_prose *prose, const struct lauka_why *why)
{
    const char *name = LAUKA_SAID_OWN, *reference = LAUKA_SAID_REFERENCE;
    const char *total = total_of(prose, why);
    double change = share_of(why->instructions);
    bool changed = why->standing == LAUKA_WHY_CHANGED;
    if (why->standing == LAUKA_WHY_WITHIN)
        return lauka_say(prose,
                         "%s executes about as many instructions as %s (%s): two runs of the same "
                         "command differ as much",
                         name, reference, total);
    if (!is_shown_as_share(why))
        return lauka_say(prose, "%s executes as many instructions as %s (%s)%s", name, reference,
                         total, changed ? ", but in other functions" : "");
    return lauka_say(prose, "%s executes %s %s instructions than %s (%s)%s", name,
                     lauka_say_share(prose, fabs(change)), change < 0 ? "fewer" : "more", reference,
                     total, changed ? "; of that" : "");
}

/* ---- what was counted: rows ------------------------------------------------------------------ */

/* Without the folder in which a revision was built, whose name is a hash. */
static const char *without_worktree(const char *file)
{
    enum { HASH = 24 };
    return strspn(file, "0123456789abcdef") == HASH && file[HASH] == '/' ? file + HASH + 1 : file;
}

/* For the program itself the file; for other objects their name. */
static const char *place_of(struct lauka_prose *prose, const struct lauka_why_function *function)
{
    const char *place = *function->object ? function->object : function->file;
    if (!*function->object && function->line > 0 && *function->file)
        place = lauka_say(prose, "%s:%" PRIu64, without_worktree(function->file), function->line);
    return lauka_say_fitted(prose, place, NAME_WIDTH);
}

static const char *fate_of(struct lauka_prose *prose, const struct lauka_why_function *function)
{
    return function->fate == LAUKA_WHY_GONE  ? "gone"
           : function->fate == LAUKA_WHY_NEW ? "new"
                                             : sides_of(prose, function->instructions);
}

/* What its partner has to do with it. */
static const char *remark_of(struct lauka_prose *prose, const struct lauka_why_function *function)
{
    static const char *const formats[][2] = {
        [LAUKA_WHY_BOTH] = {"", ""},
        [LAUKA_WHY_GONE] = {"inlined into ", "?"},
        [LAUKA_WHY_NEW] = {"was inlined into ", "?"},
        [LAUKA_WHY_TOOK] = {"with ", ", inlined now"},
        [LAUKA_WHY_PARTED] = {"with ", ", inlined before"},
    };
    if (!function->partner || !*formats[function->fate][0])
        return "";
    return lauka_say(prose, "%s%s%s", formats[function->fate][0],
                     lauka_say_function(prose, function->partner, NAME_WIDTH),
                     formats[function->fate][1]);
}

const char *lauka_why_sides(struct lauka_prose *prose, const struct lauka_why_row *row)
{
    const bool is_gone = row->function && (row->function->fate == LAUKA_WHY_GONE ||
                                           row->function->fate == LAUKA_WHY_NEW);
    return lauka_join(prose, row->text[LAUKA_WHY_SIDES], is_gone ? ": " : ", ", row->remark);
}

static struct lauka_why_row row_of_function(struct lauka_prose *prose,
                                            const struct lauka_why_function *function)
{
    const char *name = *function->name ? function->name : "(no symbols)";
    return (struct lauka_why_row){
        .text = {change_of(prose, function->instructions),
                 lauka_say_function(prose, name, NAME_WIDTH), place_of(prose, function),
                 fate_of(prose, function)},
        .brief = brief_name(prose, name, NAME_WIDTH),
        .remark = remark_of(prose, function),
        .function = function,
        .is_name = true,
    };
}

static struct lauka_why_row row_of_rest(struct lauka_prose *prose, const char *name,
                                        struct lauka_why_cost cost)
{
    return (struct lauka_why_row){.text = {change_of(prose, cost), name, "", sides_of(prose, cost)},
                                  .brief = name,
                                  .remark = ""};
}

/* The functions that changed most, then all others and what belongs to no function, so that changes add up. */
static void put_functions(struct lauka_prose *prose, const struct lauka_why *why, size_t most,
                          struct lauka_why_part *part)
{
    struct lauka_why_cost others = why->others;
    size_t other_count = why->other_count;
    if (why->standing != LAUKA_WHY_CHANGED)
        return;
    most = most < LAUKA_WHY_ROWS_MOST - 2 ? most : LAUKA_WHY_ROWS_MOST - 2;
    for (size_t f = 0; f < why->function_count; f++) {
        if (part->row_count < most) {
            part->rows[part->row_count++] = row_of_function(prose, &why->functions[f]);
            continue;
        }
        others.before += why->functions[f].instructions.before;
        others.after += why->functions[f].instructions.after;
        other_count++;
    }
    if (other_count > 0)
        part->rows[part->row_count++] = row_of_rest(
            prose, lauka_say(prose, "%zu other function%s", other_count, lauka_plural(other_count)),
            others);
    if (why->beyond.before != why->beyond.after)
        part->rows[part->row_count++] = row_of_rest(prose, "(in no function)", why->beyond);
}

/* ---- below them ------------------------------------------------------------------------------ */

/* "estimated cycles: +5.1 % (12.1 M → 12.7 M)"; empty if no caches were simulated. */
static const char *cycles_of(struct lauka_prose *prose, const struct lauka_why *why)
{
    if (why->cycles.before == 0 || why->standing == LAUKA_WHY_UNKNOWN)
        return "";
    return lauka_say(prose, "estimated cycles: %s (%s)",
                     lauka_say_change(prose, 1 + share_of(why->cycles)),
                     sides_of(prose, why->cycles));
}

/* What to do about an object without symbols; empty: it is the program. */
static const char *advice_about(struct lauka_prose *prose, const char *object, const char *what)
{
    const char *name = lauka_say_fitted(prose, object, NAME_WIDTH);
    if (!*name)
        return "the program has no symbols: build it with -g, and do not strip it";
    return lauka_say(prose,
                     "%s has no symbols%s: install its debuginfo (apt install %s-dbg or -dbgsym), "
                     "or build it with -g",
                     name, what, name);
}

static const char *advice_on_counted(struct lauka_prose *prose, const struct lauka_why *why)
{
    for (size_t f = 0; f < why->function_count; f++)
        if (!*why->functions[f].name)
            return advice_about(prose, why->functions[f].object, "");
    return "";
}

/* ---- system calls and page faults ------------------------------------------------------------ */

/* "read +12 (3 → 15)" */
static const char *call_of(struct lauka_prose *prose, const char *name, struct lauka_why_cost cost)
{
    int64_t change = lauka_why_change(cost);
    return lauka_say(prose, "%s %s%" PRIu64 " (%" PRIu64 " %s %" PRIu64 ")", name,
                     lauka_sign((double)change, prose->utf8), size_of(change), cost.before,
                     prose->signs->arrow, cost.after);
}

static const char *calls_of(struct lauka_prose *prose, const struct lauka_calls *calls)
{
    const char *text = "";
    if (calls->reason)
        return lauka_say(prose, "not counted, as %s", calls->reason);
    for (size_t r = 0; r < calls->row_count && r < CALLS_NAMED; r++)
        text = lauka_join(prose, text, ", ",
                          call_of(prose, calls->rows[r].name, calls->rows[r].calls));
    if (calls->row_count > CALLS_NAMED)
        return lauka_say(prose, "%s, and %zu more", text, calls->row_count - CALLS_NAMED);
    if (calls->row_count > 0)
        return text;
    if (calls->spread == 0)
        return lauka_say(prose, "the same (%" PRIu64 ")", calls->calls.before);
    return lauka_say(prose, "about as many (%" PRIu64 ", %s%" PRIu64 " between runs)",
                     calls->calls.before, prose->signs->plus_minus, calls->spread);
}

/* "minor +24 % [+22, +26]", where they are known to differ; *same stays if none changed in any round. */
static const char *faults_of(struct lauka_prose *prose, const struct lauka_result *result,
                             size_t command, const char *metric_name, const char *word, bool *same)
{
    size_t metric = lauka_result_metric_index(result, metric_name);
    struct lauka_result_view view = {0};
    if (metric < result->metric_count)
        view = lauka_result_view(result, command, metric);
    const bool known = view.counted && view.comparison && !view.comparison->below_precision;
    enum lauka_verdict verdict = known ? view.comparison->verdict : LAUKA_VERDICT_NONE;
    *same = *same && verdict == LAUKA_VERDICT_IDENTICAL;
    if (verdict != LAUKA_VERDICT_HIGHER && verdict != LAUKA_VERDICT_LOWER)
        return "";
    struct lauka_cells cells = lauka_result_cells(prose, result, command, metric);
    return lauka_say(
        prose, "%s %s", word,
        lauka_join(prose, cells.text[LAUKA_CELL_CHANGE], " ", cells.text[LAUKA_CELL_INTERVAL]));
}

static const char *all_faults_of(struct lauka_prose *prose, const struct lauka_result *result,
                                 size_t command)
{
    bool same = true;
    const char *minor = faults_of(prose, result, command, "minor_faults", "minor", &same);
    const char *major = faults_of(prose, result, command, "major_faults", "major", &same);
    const char *both = lauka_join(prose, minor, ", ", major);
    return *both ? both : same ? "the same" : "no difference is known";
}

/* "system calls: read +12 (3 → 15); page faults: the same"; empty if nobody asked. */
static const char *calls_sentence(struct lauka_prose *prose, const struct lauka_result *result,
                                  size_t command)
{
    const struct lauka_calls *calls = NULL;
    for (size_t c = 0; c < result->calls.count; c++)
        if (result->calls.commands[c].command == command)
            calls = &result->calls.commands[c];
    if (!calls)
        return "";
    return lauka_say(prose, "system calls: %s; page faults: %s", calls_of(prose, calls),
                     all_faults_of(prose, result, command));
}

/* ---- samples --------------------------------------------------------------------------------- */

static int decimals_of(const struct lauka_sampled_share *share)
{
    double width = 100 * (share->high - share->low);
    return width >= 1.5 ? 0 : width >= 0.15 ? 1 : 2;
}

/* So that the interval's ends differ: "21 % [19, 23]", "0.4 % [0.2, 0.6]". */
static const char *sampled_share(struct lauka_prose *prose, const struct lauka_sampled_share *share,
                                 int decimals)
{
    return lauka_say(prose, "%.*f %% [%.*f, %.*f]", decimals, 100 * share->estimate, decimals,
                     100 * share->low, decimals, 100 * share->high);
}

static const char *sampled_sides(struct lauka_prose *prose, const struct lauka_sampled_row *row)
{
    int decimals = decimals_of(&row->difference), own = decimals_of(&row->after);
    decimals = own > decimals ? own : decimals;
    return lauka_say(prose, "%s %s %s", sampled_share(prose, &row->before, decimals),
                     prose->signs->arrow, sampled_share(prose, &row->after, decimals));
}

static const char *sampled_name(struct lauka_prose *prose, const struct lauka_sampled_row *row)
{
    static const char *const names[] = {
        [LAUKA_PLACE_FUNCTION] = "?",
        [LAUKA_PLACE_OBJECT] = "(no symbols)",
        [LAUKA_PLACE_JIT] = "(code written at run time)",
        [LAUKA_PLACE_KERNEL] = "(the kernel)",
        [LAUKA_PLACE_UNKNOWN] = "(in no file)",
    };
    return *row->name ? lauka_say_function(prose, row->name, NAME_WIDTH) : names[row->place];
}

/* "time: +5.1 % [+4.7, +5.6]; "; nothing where it was not compared. */
static const char *time_of(struct lauka_prose *prose, const struct lauka_result *result,
                           size_t command)
{
    size_t metric = lauka_result_metric_index(result, "wall_time");
    if (metric >= result->metric_count)
        return "";
    struct lauka_cells cells = lauka_result_cells(prose, result, command, metric);
    const char *change = cells.text[LAUKA_CELL_CHANGE];
    if (!*change || strcmp(change, prose->signs->dash) == 0)
        return "";
    return lauka_say(prose, "time: %s; ",
                     lauka_join(prose, change, " ", cells.text[LAUKA_CELL_INTERVAL]));
}

static bool counts_agree(const struct lauka_why *why, const struct lauka_sampled_row *row)
{
    return why && why->standing == LAUKA_WHY_CHANGED && why->function_count > 0 &&
           strcmp(why->functions[0].name, row->name) == 0;
}

static size_t count_claims(const struct lauka_sampled *sampled)
{
    size_t claims = 0;
    while (claims < sampled->row_count && sampled->rows[claims].claimed)
        claims++;
    return claims;
}

static const char *claims_of(struct lauka_prose *prose, const struct lauka_result *result,
                             const struct lauka_sampled *sampled)
{
    size_t claims = count_claims(sampled);
    const char *text = "";
    for (size_t r = 0; r < claims && r < CLAIMS_SAID; r++) {
        const struct lauka_sampled_row *row = &sampled->rows[r];
        bool agrees = r == 0 && counts_agree(counted_of(result, sampled->command), row);
        text = lauka_join(prose, text, "; and to ",
                          lauka_say(prose, "%s%s: %s", sampled_name(prose, row),
                                    agrees ? ", too" : "", sampled_sides(prose, row)));
    }
    return claims > CLAIMS_SAID
               ? lauka_say(prose, "%s; and to %zu more", text, claims - CLAIMS_SAID)
               : text;
}

static const char *sampled_sentence(struct lauka_prose *prose, const struct lauka_result *result,
                                    const struct lauka_sampled *sampled)
{
    const char *time = time_of(prose, result, sampled->command);
    if (sampled->standing == LAUKA_SAMPLED_NOT_KNOWN)
        return lauka_say(prose, "%sno samples: %s", time, sampled->reason ? sampled->reason : "");
    if (sampled->standing == LAUKA_SAMPLED_SAME)
        return lauka_say(prose, "%ssamples point to no function", time);
    return lauka_say(prose, "%ssamples point to %s", time, claims_of(prose, result, sampled));
}

/* The claims, the largest difference first. */
static void put_claims(struct lauka_prose *prose, const struct lauka_sampled *sampled, size_t most,
                       struct lauka_why_part *part)
{
    size_t claims = count_claims(sampled);
    most = most < LAUKA_WHY_ROWS_MOST ? most : LAUKA_WHY_ROWS_MOST;
    for (size_t r = 0; r < claims && r < most; r++) {
        const struct lauka_sampled_row *from = &sampled->rows[r];
        double points = 100 * from->difference.estimate;
        part->rows[part->row_count++] = (struct lauka_why_row){
            .text = {lauka_say(prose, "%s%.1f points", lauka_sign(points, prose->utf8),
                               fabs(points)),
                     sampled_name(prose, from), lauka_say_fitted(prose, from->object, NAME_WIDTH),
                     sampled_sides(prose, from)},
            .brief =
                *from->name ? brief_name(prose, from->name, NAME_WIDTH) : sampled_name(prose, from),
            .remark = "",
            .is_name = *from->name != 0};
    }
}

/* "2,410 and 2,530 samples (cpu-clock, 24 rounds, in user mode); 12 records were lost"; empty of none. */
static const char *setting_of(struct lauka_prose *prose, const struct lauka_result_sampled *all,
                              const struct lauka_sampled *sampled)
{
    uint64_t lost = sampled->before.lost + sampled->after.lost,
             throttled = sampled->before.throttled + sampled->after.throttled;
    if (sampled->standing == LAUKA_SAMPLED_NOT_KNOWN)
        return "";
    const char *text =
        lauka_say(prose, "%" PRIu64 " and %" PRIu64 " samples (%s, %" PRIu64 " rounds, %s)",
                  sampled->before.samples, sampled->after.samples, all->event ? all->event : "none",
                  all->rounds, all->kernel ? "kernel included" : "user mode only");
    if (lost > 0)
        text = lauka_say(prose, "%s; %" PRIu64 " record%s lost", text, lost,
                         lost == 1 ? " was" : "s were");
    if (throttled > 0)
        text = lauka_say(prose, "%s; the kernel throttled them %" PRIu64 " time%s", text, throttled,
                         lauka_plural(throttled));
    return text;
}

static const char *advice_on_samples(struct lauka_prose *prose, const struct lauka_sampled *sampled)
{
    const double most =
        0.5; /* of a side's samples: then functions cannot be found, whether it changed or not */
    for (size_t r = 0; r < sampled->row_count; r++) {
        const struct lauka_sampled_row *row = &sampled->rows[r];
        bool large = row->before.estimate > most || row->after.estimate > most;
        if (row->place == LAUKA_PLACE_OBJECT && (r < count_claims(sampled) || large))
            return advice_about(prose, row->object, " for all of it");
    }
    return "";
}

/* ---- the parts of a block -------------------------------------------------------------------- */

enum { COUNTED, CYCLES, ADVICE, CALLS, SAMPLED, SETTING, SAMPLES_ADVICE, PLACES };

static void make_counted(struct lauka_prose *prose, const struct lauka_why *why, size_t most,
                         size_t place, struct lauka_why_part *part)
{
    const bool known = why->standing != LAUKA_WHY_UNKNOWN;
    if (place != COUNTED) {
        part->text = place == CYCLES ? cycles_of(prose, why) : advice_on_counted(prose, why);
        return;
    }
    part->kind = known ? LAUKA_WHY_COUNTED : LAUKA_WHY_REASON;
    part->text = known ? counted_sentence(prose, why) : why->reason ? why->reason : "";
    put_functions(prose, why, most, part);
}

static void make_sampled(struct lauka_prose *prose, const struct lauka_result *result,
                         const struct lauka_sampled *sampled, size_t most, size_t place,
                         struct lauka_why_part *part)
{
    part->beside = counted_of(result, sampled->command) != NULL;
    if (place == SAMPLED) {
        part->kind = LAUKA_WHY_SAMPLED;
        part->text = sampled_sentence(prose, result, sampled);
        put_claims(prose, sampled, most, part);
    } else if (place == SETTING) {
        part->kind = LAUKA_WHY_SETTING;
        part->text = setting_of(prose, &result->sampled, sampled);
    } else {
        part->text = advice_on_samples(prose, sampled);
    }
}

bool lauka_why_next(struct lauka_prose *prose, const struct lauka_result *result, size_t command,
                    size_t most, size_t *place, struct lauka_why_part *part)
{
    const struct lauka_why *why = counted_of(result, command);
    const struct lauka_sampled *sampled = sampled_of(result, command);
    while (*place < PLACES) {
        const size_t at = (*place)++;
        *part = (struct lauka_why_part){.kind = LAUKA_WHY_LINE, .text = ""};
        if (at == CALLS)
            part->text = calls_sentence(prose, result, command);
        else if (at < CALLS && why)
            make_counted(prose, why, most, at, part);
        else if (at > CALLS && sampled)
            make_sampled(prose, result, sampled, most, at, part);
        if (*part->text || part->kind == LAUKA_WHY_REASON)
            return true;
    }
    return false;
}
