/* valgrind_functions: what the functions and lines of one file of cachegrind's or callgrind's cost. The
 * format is described in callgrind's manual; cachegrind's is a subset without compressed names. */
#include "pmu/valgrind/valgrind.h"
#include "pmu/profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
    uint64_t line;
    const char *at, *end; /* of the line that is read */
};

/* ---- words of a line ------------------------------------------------------------------------- */

static bool begins(const struct reading *reading, const char *key)
{
    size_t length = strlen(key);
    return (size_t)(reading->end - reading->at) >= length && memcmp(reading->at, key, length) == 0;
}

static void skip_blanks(struct reading *reading)
{
    while (reading->at < reading->end && *reading->at == ' ')
        reading->at++;
}

/* False if there is no digit, or the number is too large. */
static bool take_number(struct reading *reading, uint64_t *number)
{
    const char *from = reading->at;
    *number = 0;
    for (; reading->at < reading->end; reading->at++) {
        unsigned digit = (unsigned)(unsigned char)*reading->at - '0';
        if (digit > 9)
            break;
        if (*number > (UINT64_MAX - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return reading->at > from;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Cycles as callgrind_annotate and KCachegrind estimate them: a miss in the first level, or of the branch
 * predictor, costs 10, and one in the last level 100. */
static const struct weight {
    const char *event;
    unsigned cycles;
} weights[] = {{"Ir", 1},     {"I1mr", 10},  {"D1mr", 10}, {"D1mw", 10}, {"ILmr", 100},
               {"DLmr", 100}, {"DLmw", 100}, {"Bcm", 10},  {"Bim", 10}};

static bool read_events(struct reading *reading)
{
    for (reading->events = 0;; reading->events++) {
        skip_blanks(reading);
        const char *from = reading->at;
        while (reading->at < reading->end && *reading->at != ' ')
            reading->at++;
        size_t length = (size_t)(reading->at - from);
        if (length == 0) {
            if (reading->events == 1) /* no caches, so cycles are not known */
                reading->cycles[0] = 0;
            return true;
        }
        if (reading->events == EVENTS_MOST)
            return false;
        for (size_t w = 0; w < sizeof weights / sizeof *weights; w++)
            if (strlen(weights[w].event) == length && memcmp(weights[w].event, from, length) == 0)
                reading->cycles[reading->events] = weights[w].cycles;
        reading->instructions[reading->events] = length == 2 && memcmp(from, "Ir", 2) == 0;
    }
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

/* "(12) name" gives the name a number, "(12)" means the name of that number. */
static int take_compressed(struct reading *reading, enum kind kind, const char **name)
{
    struct numbered *numbered = &reading->names[kind];
    uint64_t number;
    reading->at++;
    if (!take_number(reading, &number) || reading->at == reading->end || *reading->at++ != ')')
        return EINVAL;
    skip_blanks(reading);
    if (reading->at == reading->end) {
        *name = number < numbered->count ? numbered->names[number] : NULL;
        return *name ? 0 : EINVAL;
    }
    *name = lauka_profile_text(reading->profile, reading->at, (size_t)(reading->end - reading->at));
    return *name ? number_name(numbered, number, *name) : ENOMEM;
}

/* "(below main)" is a name, not a number. */
static int take_name(struct reading *reading, enum kind kind, const char **name)
{
    bool numbered = reading->end - reading->at > 1 && reading->at[0] == '(' &&
                    reading->at[1] >= '0' && reading->at[1] <= '9';
    if (reading->compressed && numbered)
        return take_compressed(reading, kind, name);
    *name = lauka_profile_text(reading->profile, reading->at, (size_t)(reading->end - reading->at));
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
    reading->at += strlen(key->text);
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
    char sign = *reading->at;
    uint64_t number;
    if (sign == '*')
        return reading->at++, true;
    if (sign == '+' || sign == '-')
        reading->at++;
    if (!take_number(reading, &number))
        return false;
    if ((sign == '-' && number > reading->line) ||
        (sign == '+' && number > UINT32_MAX - reading->line) || number > UINT32_MAX)
        return false;
    reading->line = sign == '+'   ? reading->line + number
                    : sign == '-' ? reading->line - number
                                  : number;
    return true;
}

/* Zeros at the end are left out. False if a figure is not a number, or there are too many. */
static bool take_cost(struct reading *reading, struct lauka_profile_cost *cost)
{
    *cost = (struct lauka_profile_cost){0};
    for (size_t e = 0;; e++) {
        uint64_t number;
        skip_blanks(reading);
        if (reading->at == reading->end)
            return true;
        if (e == reading->events || !take_number(reading, &number) || number > UINT64_MAX / 1000)
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
    line.line = reading->line;
    return lauka_profile_add(reading->profile, &line);
}

/* Lines of other kinds say nothing of costs. */
static int read_line(struct reading *reading)
{
    if (reading->at == reading->end)
        return 0;
    if (strchr("0123456789+-*", *reading->at))
        return read_cost(reading);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (begins(reading, keys[k].text))
            return read_name(reading, &keys[k]);
    if (begins(reading, "calls=")) {
        reading->at += strlen("calls=");
        reading->called = true;
        return take_number(reading, &reading->calls) ? 0 : EINVAL;
    } else if (begins(reading, "events:")) {
        reading->at += strlen("events:");
        return read_events(reading) ? 0 : EINVAL;
    } else if (begins(reading, "positions:")) {
        return begins(reading, "positions: line") &&
                       reading->end - reading->at == (ptrdiff_t)strlen("positions: line")
                   ? 0
                   : EINVAL;
    } else if (begins(reading, "jump=") || begins(reading, "jcnd=")) {
        return EINVAL;
    }
    return 0;
}

int lauka_valgrind_functions_read(const char *bytes, size_t size, struct lauka_profile *profile)
{
    static const char first[] = "# callgrind format\n";
    struct reading reading = {.profile = profile, .place = SIZE_MAX};
    const char *end = bytes + size;
    int error = 0;
    reading.compressed = size >= strlen(first) && memcmp(bytes, first, strlen(first)) == 0;
    while (bytes < end && !error) {
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        reading.at = bytes;
        reading.end = newline ? newline : end;
        bytes = newline ? newline + 1 : end;
        error = read_line(&reading);
    }
    for (size_t k = 0; k < KINDS; k++)
        free(reading.names[k].names);
    profile->damaged |= error != 0;
    return error;
}
