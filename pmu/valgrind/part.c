/* valgrind_part: one file of valgrind's: its totals, and what its functions and lines cost. cachegrind writes one when a
 * process ends; callgrind also before the functions that fork and execute, and each of its files holds what was done since
 * the one before. See cg_annotate(1) and the format's description in callgrind's manual; cachegrind's is a subset without
 * compressed names. */
#include "pmu/valgrind/valgrind.h"
#include "pmu/profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- words of a line ------------------------------------------------------------------------- */

struct words {
    const char *at, *end; /* borrowed; what is left of a line, or of the file */
};

/* The next line of the file, also one without a newline; false at its end. */
static bool take_line(struct words *file, struct words *line)
{
    if (file->at == file->end)
        return false;
    const char *newline = memchr(file->at, '\n', (size_t)(file->end - file->at));
    *line = (struct words){file->at, newline ? newline : file->end};
    file->at = newline ? newline + 1 : file->end;
    return true;
}

/* Whether it begins so; then goes on behind that. */
static bool skip(struct words *line, const char *key)
{
    size_t length = strlen(key);
    bool begins = (size_t)(line->end - line->at) >= length && memcmp(line->at, key, length) == 0;
    line->at += begins ? length : 0;
    return begins;
}

static void skip_blanks(struct words *line)
{
    while (line->at < line->end && *line->at == ' ')
        line->at++;
}

/* False at the end of the line. */
static bool take_word(struct words *line, struct words *word)
{
    skip_blanks(line);
    word->at = line->at;
    while (line->at < line->end && *line->at != ' ')
        line->at++;
    word->end = line->at;
    return word->at < word->end;
}

static bool is_word(struct words word, const char *text)
{
    return skip(&word, text) && word.at == word.end;
}

/* False if there is no digit, or the number is too large. */
static bool take_number(struct words *line, uint64_t *number)
{
    const char *from = line->at;
    *number = 0;
    for (; line->at < line->end; line->at++) {
        unsigned digit = (unsigned)(unsigned char)*line->at - '0';
        if (digit > 9)
            break;
        if (*number > (UINT64_MAX - 1 - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return line->at > from;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Which events make up a count; cg_annotate(1) says what they are. Cycles as callgrind_annotate and KCachegrind estimate
 * them: a miss in the first level, or of the branch predictor, costs 10, and one in the last level 100. */
static const struct event {
    const char *name;
    enum lauka_valgrind_count count; /* LAUKA_VALGRIND_COUNTS: it is in none */
    unsigned cycles;
} events[] = {
    {"Ir", LAUKA_VALGRIND_INSTRUCTIONS, 1},     {"Bc", LAUKA_VALGRIND_BRANCHES, 0},
    {"Bi", LAUKA_VALGRIND_BRANCHES, 0},         {"Bcm", LAUKA_VALGRIND_BRANCH_MISSES, 10},
    {"Bim", LAUKA_VALGRIND_BRANCH_MISSES, 10},  {"D1mr", LAUKA_VALGRIND_L1D_MISSES, 10},
    {"D1mw", LAUKA_VALGRIND_L1D_MISSES, 10},    {"ILmr", LAUKA_VALGRIND_CACHE_MISSES, 100},
    {"DLmr", LAUKA_VALGRIND_CACHE_MISSES, 100}, {"DLmw", LAUKA_VALGRIND_CACHE_MISSES, 100},
    {"I1mr", LAUKA_VALGRIND_COUNTS, 10},
};
enum {
    INSTRUCTIONS,
    COUNTED = sizeof events / sizeof *events - 1,
    KNOWN /* also outside of counts */
};

/* Its place in the table; KNOWN: it is not there. */
static size_t find_event(struct words name)
{
    size_t e = 0;
    while (e < KNOWN && !is_word(name, events[e].name))
        e++;
    return e;
}

static bool is_of_callgrind(const char *bytes, size_t size)
{
    struct words file = {bytes, bytes + size};
    return skip(&file, "# callgrind format\n");
}

/* ---- totals ---------------------------------------------------------------------------------- */

enum total { EVENTS, SUMMARY, TOTALS, RANGE, TRIGGER, LINES };

/* The last line of each kind, without its key: a command's own words, which stand in the file as they
 * are, may look like a line, but only before the true one. */
static void find_lines(const char *bytes, size_t size, struct words found[LINES])
{
    static const char *const keys[LINES] = {
        "events:", "summary:", "totals:", "desc: Timerange: ", "desc: Trigger: "};
    struct words file = {bytes, bytes + size}, line;
    while (take_line(&file, &line)) {
        bool named = line.at < line.end && *line.at >= 'a'; /* most lines begin with a figure */
        for (size_t k = 0; k < LINES && named; k++) {
            struct words rest = line;
            if (skip(&rest, keys[k]))
                found[k] = rest;
        }
    }
}

/* Callgrind leaves zeros at the end of the line out. */
static bool next_count(struct words *numbers, bool may_end, uint64_t *number)
{
    skip_blanks(numbers);
    *number = 0;
    return numbers->at == numbers->end ? may_end : take_number(numbers, number);
}

static bool read_counts(struct words names, struct words numbers, bool may_end,
                        uint64_t counts[LAUKA_VALGRIND_COUNTS])
{
    bool seen[COUNTED] = {false}, good = true;
    struct words name;
    uint64_t number;
    while (good && take_word(&names, &name)) {
        good = next_count(&numbers, may_end, &number);
        size_t e = find_event(name);
        if (e >= COUNTED || !good)
            continue;
        good = !seen[e] && counts[events[e].count] <= UINT64_MAX - 1 - number;
        counts[events[e].count] += number;
        seen[e] = true;
    }
    for (size_t e = 1; e < COUNTED; e++)
        good = good && seen[INSTRUCTIONS] && seen[e] == seen[1]; /* all, or instructions only */
    return good && !take_word(&numbers, &name);
}

static bool read_range(struct words line, struct lauka_valgrind_part *part)
{
    return skip(&line, "Basic block ") && take_number(&line, &part->from) && skip(&line, " - ") &&
           take_number(&line, &part->to) && part->from <= part->to;
}

static enum lauka_valgrind_end end_of(struct words trigger)
{
    if (is_word(trigger, "Program termination"))
        return LAUKA_VALGRIND_ENDS;
    if (!skip(&trigger, "--dump-before="))
        return LAUKA_VALGRIND_GOES_ON;
    for (size_t i = 0; lauka_valgrind_forks[i]; i++)
        if (is_word(trigger, lauka_valgrind_forks[i]))
            return LAUKA_VALGRIND_FORKS;
    for (size_t i = 0; lauka_valgrind_executions[i]; i++)
        if (is_word(trigger, lauka_valgrind_executions[i]))
            return LAUKA_VALGRIND_EXECUTES;
    return LAUKA_VALGRIND_GOES_ON;
}

bool lauka_valgrind_part_parse(const char *bytes, size_t size, struct lauka_valgrind_part *part)
{
    struct words lines[LINES] = {{0}};
    bool several = is_of_callgrind(bytes, size);
    const struct words *last = &lines[several ? TOTALS : SUMMARY];
    *part = (struct lauka_valgrind_part){.end = LAUKA_VALGRIND_ENDS};
    find_lines(bytes, size, lines);
    if (!lines[EVENTS].at || !last->at || last->end + 1 != bytes + size || /* it was cut off */
        lines[SUMMARY].at < lines[EVENTS].at)
        return false;
    if (several) {
        if (!lines[RANGE].at || !lines[TRIGGER].at || !read_range(lines[RANGE], part))
            return false;
        part->end = end_of(lines[TRIGGER]);
    }
    return read_counts(lines[EVENTS], lines[SUMMARY], several, part->counts);
}

/* ---- functions ------------------------------------------------------------------------------- */

enum { EVENTS_MOST = 32, NAMES_MOST = 1 << 22 };

/* Names that were given a number; those of files, functions and objects are numbered by themselves. */
enum kind { FILES, FUNCTIONS, OBJECTS, KINDS };

struct numbered {
    const char **names; /* owned; by number */
    size_t count;
};

struct reading {
    struct lauka_profile *profile;
    struct numbered names[KINDS];
    bool instructions[EVENTS_MOST]; /* by place in a line: whether it is one */
    unsigned cycles[EVENTS_MOST];   /* and what it costs */
    size_t events;
    struct lauka_profile_function function; /* the one that costs belong to */
    const char *file;                       /* and the file that their lines are of */
    size_t place;                           /* of the function; SIZE_MAX: to be found */
    bool begun;                             /* some function has */
    bool compressed;                        /* it is callgrind's */
    bool called;                            /* the next cost is of a call: it counts elsewhere */
    uint64_t calls;                         /* how often it was made */
    const char *callee, *callee_object;     /* what is called; object NULL: in the caller's */
    uint64_t number;                        /* of the source line that cost last */
    struct words line;                      /* of the file, that is read */
};

static bool read_events(struct reading *reading)
{
    struct words name;
    for (reading->events = 0; take_word(&reading->line, &name); reading->events++) {
        if (reading->events == EVENTS_MOST)
            return false;
        size_t e = find_event(name);
        if (e < KNOWN)
            reading->cycles[reading->events] = events[e].cycles;
        reading->instructions[reading->events] = e == INSTRUCTIONS;
    }
    if (reading->events == 1) /* no caches, so cycles are not known */
        reading->cycles[0] = 0;
    return true;
}

/* ---- names ----------------------------------------------------------------------------------- */

static int number_name(struct numbered *numbered, uint64_t number, const char *name)
{
    if (number >= NAMES_MOST)
        return EINVAL;
    if (number >= numbered->count) {
        size_t count = 2 * (size_t)number + 64;
        const char **grown = realloc(numbered->names, count * sizeof *grown);
        if (!grown)
            return ENOMEM;
        for (size_t i = numbered->count; i < count; i++)
            grown[i] = NULL;
        numbered->names = grown;
        numbered->count = count;
    }
    numbered->names[number] = name;
    return 0;
}

/* The rest of the line; NULL without memory. */
static const char *take_rest(struct reading *reading)
{
    const struct words *line = &reading->line;
    return lauka_profile_text(reading->profile, line->at, (size_t)(line->end - line->at));
}

/* "(12) name" gives the name a number, "(12)" means the name of that number. */
static int take_compressed(struct reading *reading, enum kind kind, const char **name)
{
    struct numbered *numbered = &reading->names[kind];
    struct words *line = &reading->line;
    uint64_t number;
    if (!skip(line, "(") || !take_number(line, &number) || !skip(line, ")"))
        return EINVAL;
    skip_blanks(line);
    if (line->at == line->end) {
        *name = number < numbered->count ? numbered->names[number] : NULL;
        return *name ? 0 : EINVAL;
    }
    *name = take_rest(reading);
    return *name ? number_name(numbered, number, *name) : ENOMEM;
}

/* "(below main)" is a name, not a number. */
static int take_name(struct reading *reading, enum kind kind, const char **name)
{
    const struct words *line = &reading->line;
    if (reading->compressed && line->end - line->at > 1 && line->at[0] == '(' &&
        line->at[1] >= '0' && line->at[1] <= '9')
        return take_compressed(reading, kind, name);
    *name = take_rest(reading);
    return *name ? 0 : ENOMEM;
}

/* What valgrind writes if it knows nothing: "???", or an address instead of a function's name. */
static int forget_unknown(struct reading *reading, const char **name)
{
    if (strcmp(*name, "???") != 0 && strncmp(*name, "0x", 2) != 0)
        return 0;
    *name = lauka_profile_text(reading->profile, "", 0);
    return *name ? 0 : ENOMEM;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Cachegrind repeats a function for every file from which something was inlined into it; it does not say
 * which file is the function's own. */
static int begin_function(struct reading *reading, const char *name)
{
    const char *none = lauka_profile_text(reading->profile, "", 0);
    if (!none)
        return ENOMEM;
    reading->function.name = name;
    if (!reading->function.object)
        reading->function.object = none;
    if (!reading->file)
        reading->file = none;
    if (!reading->compressed || !reading->function.file)
        reading->function.file = reading->compressed ? reading->file : none;
    reading->place = SIZE_MAX;
    reading->begun = true;
    return 0;
}

static const struct key {
    const char *text;
    enum kind kind;
    enum { OF_FUNCTION, OF_FILE, OF_INLINED, OF_OBJECT, OF_CALLED } what;
} keys[] = {
    {"fn=", FUNCTIONS, OF_FUNCTION}, {"fl=", FILES, OF_FILE},     {"fi=", FILES, OF_INLINED},
    {"fe=", FILES, OF_INLINED},      {"ob=", OBJECTS, OF_OBJECT}, {"cfn=", FUNCTIONS, OF_CALLED},
    {"cfi=", FILES, OF_CALLED},      {"cfl=", FILES, OF_CALLED},  {"cob=", OBJECTS, OF_CALLED},
};

static int read_name(struct reading *reading, const struct key *key)
{
    const char *name;
    int error = take_name(reading, key->kind, &name);
    if (!error && key->what != OF_CALLED)
        error = forget_unknown(reading, &name);
    if (!error && key->what == OF_CALLED && key->kind != FILES)
        *(key->kind == FUNCTIONS ? &reading->callee : &reading->callee_object) = name;
    if (error || key->what == OF_CALLED)
        return error;
    if (key->what == OF_FUNCTION)
        return begin_function(reading, name);
    if (key->what == OF_OBJECT)
        reading->function.object = name;
    else
        reading->file = name;
    if (key->what == OF_FILE)
        reading->function.file = name;
    return 0;
}

/* Where it is, from where the cost before it was. */
static bool take_position(struct reading *reading)
{
    uint64_t number, last = reading->number;
    if (skip(&reading->line, "*"))
        return true;
    bool further = skip(&reading->line, "+"), back = !further && skip(&reading->line, "-");
    if (!take_number(&reading->line, &number) || number > (back ? last : UINT32_MAX) ||
        (further && number > UINT32_MAX - last))
        return false;
    reading->number = further ? last + number : back ? last - number : number;
    return true;
}

/* Zeros at the end are left out. False if a figure is not a number, or there are too many. */
static bool take_cost(struct reading *reading, struct lauka_profile_cost *cost)
{
    struct words *line = &reading->line;
    *cost = (struct lauka_profile_cost){0};
    for (size_t e = 0;; e++) {
        uint64_t number;
        skip_blanks(line);
        if (line->at == line->end)
            return true;
        if (e == reading->events || !take_number(line, &number) || number > UINT64_MAX / 1000)
            return false;
        if (reading->instructions[e])
            cost->instructions = number;
        if (cost->cycles > UINT64_MAX - reading->cycles[e] * number)
            return false;
        cost->cycles += reading->cycles[e] * number;
    }
}

/* ---- allocations ----------------------------------------------------------------------------- */

/* What programs call to allocate, in any of these libraries: the C library, jemalloc (also Rust's), mimalloc, and glibc's
 * own calls among them. An allocator that calls another one counts once, where the first of them is called. */
static const char libraries[] = " __libc_ je_ _rjem_ mi_ mi_heap_ ";
static const char functions[] =
    " malloc calloc realloc reallocarray aligned_alloc memalign posix_memalign valloc pvalloc "
    "mallocx rallocx zalloc "
    "mallocn reallocn malloc_small zalloc_small malloc_aligned zalloc_aligned calloc_aligned "
    "realloc_aligned new new_n "
    "new_aligned new_nothrow new_aligned_nothrow malloc_impl malloc_hook_ini realloc_hook_ini "
    "memalign_hook_ini "
    "runtime.mallocgc runtime.newobject runtime.makeslice runtime.growslice ";

/* Parts of names: Rust's have a hash, or the compiler's crate, around them. */
static const char *const within[] = {"__rust_alloc",  "__rust_realloc", "__rdl_alloc",
                                     "__rdl_realloc", "__rg_alloc",     "__rg_realloc"};

/* Of a list with a space on both sides of each word. */
static bool is_listed(const char *list, const char *word, size_t length)
{
    if (length == 0 || memchr(word, ' ', length))
        return false;
    while ((list = memmem(list, strlen(list), word, length)) &&
           (list[-1] != ' ' || list[length] != ' '))
        list++;
    return list != NULL;
}

/* A name may end with a version (malloc@@GLIBC_2.2.5), or with callgrind's mark of a recursion (malloc'2). */
static bool is_allocator(const char *name)
{
    const size_t length = strcspn(name, "@'");

    if (strncmp(name, "operator new", 12) == 0 || strncmp(name, "_Znwm", 5) == 0 ||
        strncmp(name, "_Znam", 5) == 0)
        return true;
    for (size_t i = 0; i < sizeof within / sizeof *within; i++)
        if (strstr(name, within[i]))
            return true;
    for (size_t i = 0; i < length; i++)
        if ((i == 0 || is_listed(libraries, name, i)) && is_listed(functions, name + i, length - i))
            return true;
    return false;
}

/* Go's scheduler allocates for each thread that it starts and for stacks of goroutines; how many those are is up to the
 * machine (runtime/proc.go). */
static bool is_scheduler(const char *name)
{
    const size_t length = strcspn(name, "'");

    return strncmp(name, "runtime.", 8) == 0 &&
           is_listed(" runtime.allocm runtime.malg runtime.mcommoninit runtime.newMWeakPointer "
                     "runtime.mProfStackInit runtime.makeProfStackFP runtime.makeProfStack "
                     "runtime.allgadd runtime.acquireSudog ",
                     name, length);
}

/* The dynamic linker has an allocator of its own until it has found the program's. */
static uint64_t allocations_of(const struct reading *reading)
{
    const char *object = reading->callee_object ? reading->callee_object : reading->function.object;
    const char *caller = reading->function.name;

    return reading->callee && is_allocator(reading->callee) && !is_allocator(caller) &&
                   !is_scheduler(caller) && !(object && strstr(object, "/ld-"))
               ? reading->calls
               : 0;
}

static int read_cost(struct reading *reading)
{
    struct lauka_profile_line line;
    if (!reading->begun || !take_position(reading) || !take_cost(reading, &line.cost))
        return EINVAL;
    if (reading->called) {
        line.cost = (struct lauka_profile_cost){.allocations = allocations_of(reading)};
        reading->called = false;
        reading->callee_object = NULL;
        if (line.cost.allocations == 0)
            return 0;
    }
    if (reading->place == SIZE_MAX)
        reading->place = lauka_profile_function(reading->profile, &reading->function);
    if (reading->place == SIZE_MAX)
        return ENOMEM;
    line.function = reading->place;
    line.file = reading->file;
    line.line = reading->number;
    return lauka_profile_add(reading->profile, &line);
}

/* Lines of other kinds say nothing of costs. */
static int read_line(struct reading *reading)
{
    struct words *line = &reading->line;
    if (line->at == line->end)
        return 0;
    if (strchr("0123456789+-*", *line->at))
        return read_cost(reading);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (skip(line, keys[k].text))
            return read_name(reading, &keys[k]);
    if (skip(line, "calls=")) {
        reading->called = true;
        return take_number(line, &reading->calls) ? 0 : EINVAL;
    }
    if (skip(line, "events:"))
        return read_events(reading) ? 0 : EINVAL;
    if (skip(line, "positions:"))
        return is_word(*line, " line") ? 0 : EINVAL;
    return skip(line, "jump=") || skip(line, "jcnd=") ? EINVAL : 0;
}

int lauka_valgrind_functions_read(const char *bytes, size_t size, struct lauka_profile *profile)
{
    struct reading reading = {
        .profile = profile, .place = SIZE_MAX, .compressed = is_of_callgrind(bytes, size)};
    struct words file = {bytes, bytes + size};
    int error = 0;
    while (!error && take_line(&file, &reading.line))
        error = read_line(&reading);
    for (size_t k = 0; k < KINDS; k++)
        free(reading.names[k].names);
    profile->damaged |= error != 0;
    return error;
}
