/* requests: whether a program can tell valgrind's tools what to count. A client request is a sequence of
 * instructions that do nothing elsewhere, beside a number that names the tool and the request (valgrind.h,
 * callgrind.h, cachegrind.h). No tool says that it heard one, so the program's file is looked at: both have to be in
 * it. */
#include "pmu/valgrind/valgrind.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 16, LONGEST = 16 };

/* Rotations that leave the register as it was. */
static const struct preamble {
    unsigned char bytes[LONGEST];
    size_t size;
} preambles[] = {
    /* x86-64: rol $3, %rdi; rol $13; rol $61; rol $51 */
    {{0x48, 0xC1, 0xC7, 0x03, 0x48, 0xC1, 0xC7, 0x0D, 0x48, 0xC1, 0xC7, 0x3D, 0x48, 0xC1, 0xC7,
      0x33},
     16},
    /* x86: roll $3, %edi; roll $13; roll $29; roll $19 */
    {{0xC1, 0xC7, 0x03, 0xC1, 0xC7, 0x0D, 0xC1, 0xC7, 0x1D, 0xC1, 0xC7, 0x13}, 12},
    /* AArch64: ror x12, x12, #3; #13; #51; #61 */
    {{0x8C, 0x0D, 0xCC, 0x93, 0x8C, 0x35, 0xCC, 0x93, 0x8C, 0xCD, 0xCC, 0x93, 0x8C, 0xF5, 0xCC,
      0x93},
     16},
};

static bool has_preamble(const unsigned char *bytes, size_t size)
{
    for (size_t p = 0; p < sizeof preambles / sizeof *preambles; p++)
        if (memmem(bytes, size, preambles[p].bytes, preambles[p].size))
            return true;
    return false;
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
    unsigned found = has_preamble(bytes, size) ? LAUKA_VALGRIND_HEARS : 0;
    for (size_t i = 0; i + 4 <= size; i++)
        for (unsigned t = 0; t < 2; t++) {
            const bool whole = bytes[i + 3] == 'C' && bytes[i + 2] == tools[t] &&
                               bytes[i + 1] == 0 && is_request(bytes[i], tools[t]);
            if (whole || is_move_of(bytes + i, tools[t]))
                found |= t == 0 ? LAUKA_VALGRIND_ASKS_CALLGRIND : LAUKA_VALGRIND_ASKS_CACHEGRIND;
        }
    return found;
}

/* Pieces overlap, so that nothing is missed between two of them. */
static unsigned read_requests(int file)
{
    unsigned char bytes[PIECE];
    unsigned found = 0;
    size_t kept = 0;
    ssize_t got;
    while ((got = read(file, bytes + kept, sizeof bytes - kept)) > 0) {
        const size_t size = kept + (size_t)got;
        found |= requests_in(bytes, size);
        kept = size < LONGEST ? size : LONGEST;
        memmove(bytes, bytes + size - kept, kept);
    }
    return found & LAUKA_VALGRIND_HEARS ? found & ~(unsigned)LAUKA_VALGRIND_HEARS : 0;
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
