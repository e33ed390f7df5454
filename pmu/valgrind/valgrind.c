/* valgrind: what it counts, and the options with which it does. */
#include "pmu/valgrind/valgrind.h"
#include "pmu/events/events.h"
#include "pmu/samples/samples.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- requests: whether a program can tell valgrind's tools what to count ----------------------- */

/* A client request is a sequence of instructions that do nothing elsewhere, beside a number that names the
 * tool and the request (valgrind.h, callgrind.h, cachegrind.h). No tool says that it heard one, so the
 * program's file is looked at: both have to be in what it executes. */

enum { PIECE = 1 << 16, LONGEST = 16 };
/* What is found beside requests: a preamble of any kind, one of AArch64; and requests as that has them, by this factor. */
enum { HEARS = 4, HEARS_MOVES = 8, MOVES = 16 };

/* Rotations that leave the register as it was. */
static const struct preamble {
    unsigned char bytes[LONGEST];
    size_t size;
    unsigned found;
} preambles[] = {
    /* x86-64: rol $3, %rdi; rol $13; rol $61; rol $51 */
    {{0x48, 0xC1, 0xC7, 0x03, 0x48, 0xC1, 0xC7, 0x0D, 0x48, 0xC1, 0xC7, 0x3D, 0x48, 0xC1, 0xC7,
      0x33},
     16,
     HEARS},
    /* x86: roll $3, %edi; roll $13; roll $29; roll $19 */
    {{0xC1, 0xC7, 0x03, 0xC1, 0xC7, 0x0D, 0xC1, 0xC7, 0x1D, 0xC1, 0xC7, 0x13}, 12, HEARS},
    /* AArch64: ror x12, x12, #3; #13; #51; #61 */
    {{0x8C, 0x0D, 0xCC, 0x93, 0x8C, 0x35, 0xCC, 0x93, 0x8C, 0xCD, 0xCC, 0x93, 0x8C, 0xF5, 0xCC,
      0x93},
     16,
     HEARS | HEARS_MOVES},
};

static unsigned preambles_in(const unsigned char *bytes, size_t size)
{
    unsigned found = 0;
    for (size_t p = 0; p < sizeof preambles / sizeof *preambles; p++)
        if (memmem(bytes, size, preambles[p].bytes, preambles[p].size))
            found |= preambles[p].found;
    return found;
}

/* Of the requests of a tool, by the second letter of its name: those that change what it counts. Callgrind: zero,
 * toggle, start and stop; cachegrind: stop. */
static bool is_request(unsigned char number, unsigned char tool)
{
    return tool == 'T' ? number == 1 || number == 2 || number == 4 || number == 5 : number == 1;
}

/* The upper half as AArch64 has it: movz or movk, of 32 or 64 bits, with lsl #16. */
static bool is_move_of(const unsigned char *at, unsigned char tool)
{
    uint32_t word = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    return (word & 0x5F9FFFE0U) == (0x52800000U | (('C' << 8 | (uint32_t)tool) << 5)) &&
           (word & 0x00600000U) == 0x00200000U;
}

static unsigned requests_in(const unsigned char *bytes, size_t size)
{
    static const unsigned char tools[] = {'T', 'G'};
    unsigned found = preambles_in(bytes, size);
    for (size_t i = 0; i + 4 <= size; i++)
        for (unsigned t = 0; t < 2; t++) {
            const bool whole = bytes[i + 3] == 'C' && bytes[i + 2] == tools[t] &&
                               bytes[i + 1] == 0 && is_request(bytes[i], tools[t]);
            const unsigned asks =
                t == 0 ? LAUKA_VALGRIND_ASKS_CALLGRIND : LAUKA_VALGRIND_ASKS_CACHEGRIND;
            found |= whole ? asks : is_move_of(bytes + i, tools[t]) ? asks * MOVES : 0;
        }
    return found;
}

/* In a part of the file. Pieces overlap, so that nothing is missed between two of them. */
static unsigned read_part(int file, uint64_t at, uint64_t most)
{
    unsigned char bytes[PIECE];
    unsigned found = 0;
    size_t kept = 0;
    ssize_t got;
    while (most > 0 && (got = pread(file, bytes + kept, sizeof bytes - kept, (off_t)at)) > 0) {
        const size_t some = (uint64_t)got < most ? (size_t)got : (size_t)most, size = kept + some;
        found |= requests_in(bytes, size);
        kept = size < LONGEST ? size : LONGEST;
        memmove(bytes, bytes + size - kept, kept);
        at += some;
        most -= some;
    }
    return found;
}

/* In what is executed of it, as data may have such numbers by chance; all of it where that is not known. */
static unsigned read_requests(int file)
{
    unsigned char bytes[PIECE];
    struct lauka_elf elf = {0};
    const ssize_t got = pread(file, bytes, sizeof bytes, 0);
    const bool known = got > 0 && lauka_elf_read_segments(bytes, (size_t)got, &elf) == 0;
    unsigned found = known ? 0 : read_part(file, 0, UINT64_MAX);
    for (size_t s = 0; s < elf.segment_count; s++)
        found |= read_part(file, elf.segments[s].offset, elf.segments[s].size);
    lauka_elf_done(&elf);
    const unsigned all = LAUKA_VALGRIND_ASKS_CALLGRIND | LAUKA_VALGRIND_ASKS_CACHEGRIND;
    return (found & HEARS ? found & all : 0) | (found & HEARS_MOVES ? found / MOVES & all : 0);
}

unsigned lauka_valgrind_requests(const char *path)
{
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return 0;
    unsigned found = fstat(file, &about) == 0 && S_ISREG(about.st_mode) ? read_requests(file) : 0;
    close(file);
    return found;
}

/* ---- valgrind ---------------------------------------------------------------------------------- */

#define COUNTED(name_, description_)                                                               \
    {                                                                                              \
        .name = "sim_" name_ ":u", .unit = "1", .source = "valgrind", .description = description_, \
        .better = LAUKA_BETTER_LOWER                                                               \
    }

static const struct lauka_event events[LAUKA_VALGRIND_COUNTS] = {
    COUNTED("instructions", "instructions that a simulated processor executed in user mode"),
    COUNTED("allocations", "calls of malloc, operator new and their like, by name"),
    COUNTED("branches", "branches of it, conditional and indirect ones"),
    COUNTED("branch_misses", "branches that a simulated predictor had wrong"),
    COUNTED("l1d_misses", "accesses to data that a simulated cache of 32 KiB could not serve"),
    COUNTED("cache_misses", "accesses that a simulated last level of 8 MiB could not serve"),
};

const struct lauka_event *lauka_valgrind_events(void)
{
    return events;
}

static void write_tunables(const char *set, char *text, size_t size)
{
    static const char *const names[] = {"glibc.cpu.x86_rep_movsb_threshold",
                                        "glibc.cpu.x86_rep_stosb_threshold"};
    size_t used = (size_t)snprintf(text, size, "GLIBC_TUNABLES=%s", set);
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        if (!strstr(set, names[n]))
            used += (size_t)snprintf(text + used, size - used, "%s%s=1000000000000",
                                     text[used - 1] == '=' ? "" : ":", names[n]);
}

char **lauka_valgrind_environment(char *const *own)
{
    enum { TUNABLES = 200 }; /* the longest that is added */
    static const char name[] = "GLIBC_TUNABLES=";
    const char *set = getenv("GLIBC_TUNABLES");
    size_t count = 0, kept = 1;
    for (; own && own[count]; count++)
        if (strncmp(own[count], name, strlen(name)) == 0)
            set = own[count] + strlen(name);
    size_t size = strlen(set ? set : "") + TUNABLES;
    char **all = malloc((count + 2) * sizeof *all + size);
    if (!all)
        return NULL;
    all[0] = (char *)(all + count + 2);
    write_tunables(set ? set : "", all[0], size);
    for (size_t i = 0; i < count; i++)
        if (strncmp(own[i], name, strlen(name)) != 0)
            all[kept++] = own[i];
    all[kept] = NULL;
    return all;
}

/* The innermost functions of libcs that have a name: what a fork executes from there to its system
 * call counts for both processes, and is some ten instructions. Before glibc 2.34, __libc_fork is it.
 * Threads are cloned, too, which does no harm. */
const char *const lauka_valgrind_forks[] = {
    "_Fork",        "__GI__Fork",       "fork",     "__fork",
    "__libc_fork",  "__GI___libc_fork", "vfork",    "__vfork",
    "__libc_vfork", "__GI___vfork",     "clone",    "__clone",
    "__GI___clone", "clone3",           "__clone3", "__GI___clone3",
    NULL,
};

const char *const lauka_valgrind_executions[] = {
    "execve",   "__execve", "__GI_execve",  "__GI___execve",
    "execveat", "fexecve",  "__GI_fexecve", NULL,
};

/* Valgrind replaces %p by the process's number, and %% by %. */
static void escape(const char *folder, char *text, size_t size)
{
    size_t used = 0;
    for (; *folder && used + 3 < size; folder++) {
        text[used++] = *folder;
        if (*folder == '%')
            text[used++] = '%';
    }
    text[used] = '\0';
}

/* Without options of its own for where its files go: those stand in `text`, in front of these. */
static size_t put_fixed(bool follow, bool caches, const char **words)
{
    static const char *const fixed[] = {
        "--command-line-only=yes", /* nobody's ~/.valgrindrc counts */
        "--I1=32768,8,64",         /* the host's, otherwise: then no two machines agree */
        "--D1=32768,8,64", "--LL=8388608,16,64",
        /* Cachegrind would also count what lies behind a branch that is not taken; without this, and
         * with caches, both tools agree in all counts, and with a processor that goes step by step. */
        "--vex-guest-chase=no", "--trace-children=yes", "--vgdb=no", /* no pipes for a debugger */
    };
    size_t count = sizeof fixed / sizeof *fixed;
    memcpy(words, fixed, sizeof fixed);
    words[count++] = caches ? "--cache-sim=yes" : "--cache-sim=no";
    words[count++] = caches ? "--branch-sim=yes" : "--branch-sim=no";
    words[count++] = follow ? "--tool=callgrind" : "--tool=cachegrind";
    return count;
}

/* Appends "--dump-before=NAME" for each, made in `text`; returns what is left of it. */
static char *put_names(const char *const *names, const char **words, size_t *count, char *text)
{
    enum { DUMP_LONGEST = 40 };
    for (size_t i = 0; names[i]; i++) {
        words[(*count)++] = text;
        text += snprintf(text, DUMP_LONGEST, "--dump-before=%s", names[i]) + 1;
    }
    return text;
}

void lauka_valgrind_options(const char *folder, bool follow, bool caches, const char *untraced,
                            const char *words[LAUKA_VALGRIND_OPTIONS_MAX],
                            char text[LAUKA_VALGRIND_TEXT_SIZE])
{
    enum { PATH = 1200 };
    char escaped[1024];
    size_t count = put_fixed(follow, caches, words);
    escape(folder, escaped, sizeof escaped);
    words[count++] = text;
    text += snprintf(text, PATH, "--%s-out-file=%s/part.%%p", follow ? "callgrind" : "cachegrind",
                     escaped) +
            1;
    words[count++] = text;
    /* One pipe for all; but only for a name with %p the head is written again in a forked process. */
    text += snprintf(text, PATH, "--log-file=/proc/%%p/root%s/log", escaped) + 1;
    if (follow) {
        text = put_names(lauka_valgrind_forks, words, &count, text);
        put_names(lauka_valgrind_executions, words, &count, text);
    }
    if (untraced)
        words[count++] = untraced;
    words[count++] = "--";
    words[count] = NULL;
}
