/* apple_chip: Apple's chips and their events: names, selectors, and the counters that each event can use.
 * These are facts of the event databases in /usr/share/kpep; one row holds for every chip that it names. */
#include "pmu/apple/apple.h"

#include <string.h>
#include <strings.h>

/* clang-format off: a table */
enum chip {
    CHIP_A7,
    CHIP_A8,
    CHIP_A9,
    CHIP_A10,
    CHIP_A11,
    CHIP_A12,
    CHIP_A13,
    CHIP_A14,
    CHIP_A14_26,
    CHIP_A15,
    CHIP_A15_26,
    CHIP_A16,
    CHIP_A16_26,
    CHIP_AS1,
    CHIP_AS2,
    CHIP_AS3,
    CHIP_AS4,
    CHIP_AS4_26,
    CHIP_AS4_1,
    CHIP_AS5,
    CHIP_AS5_1,
    CHIPS
};
/* clang-format on */

/* The counters of the A7 to A9 end at 7. */
enum { ANY_OF_8 = 0x3fc, ANY_OF_6 = 0xfc, LAST_3 = 0xe0, LAST_2 = 0xc0, ONE = 0x80, UNKNOWN = 0 };

#define M1_PRODUCTS "M1, M1 Pro, M1 Max, M1 Ultra, A14"
#define M2_PRODUCTS "M2, M2 Pro, M2 Max, M2 Ultra, A15"

static const struct lauka_apple_chip chips[CHIPS] = {
    [CHIP_A7] = {"a7", "A7", "macOS 15", {0x37a09642}, ANY_OF_6, false},
    [CHIP_A8] = {"a8", "A8", "macOS 15", {0x2c91a47e}, ANY_OF_6, false},
    [CHIP_A9] = {"a9", "A9", "macOS 15", {0x92fb37c8}, ANY_OF_6, false},
    [CHIP_A10] = {"a10", "A10", "macOS 15", {0x67ceee93}, ANY_OF_8, false},
    [CHIP_A11] = {"a11", "A11", "macOS 15", {0xe81e7ef6}, ANY_OF_8, false},
    [CHIP_A12] = {"a12", "A12", "macOS 15", {0x07d34b9f}, ANY_OF_8, false},
    [CHIP_A13] = {"a13", "A13", "macOS 15", {0x462504d2}, ANY_OF_8, false},
    [CHIP_A14] = {"a14", M1_PRODUCTS, "macOS 15", {0x1b588bb3}, ANY_OF_8, false},
    [CHIP_A14_26] = {"a14-macos26", M1_PRODUCTS, "macOS 26", {0x1b588bb3}, ANY_OF_8, false},
    [CHIP_A15] = {"a15", M2_PRODUCTS, "macOS 15", {0xda33d83d}, ANY_OF_8, false},
    [CHIP_A15_26] = {"a15-macos26", M2_PRODUCTS, "macOS 26", {0xda33d83d}, ANY_OF_8, false},
    [CHIP_A16] = {"a16", "A16", "macOS 15", {0x8765edea}, ANY_OF_8, false},
    [CHIP_A16_26] = {"a16-macos26", "A16", "macOS 26", {0x8765edea}, ANY_OF_8, false},
    [CHIP_AS1] = {"as1", "M3", "macOS 15", {0xfa33415e}, ANY_OF_8, false},
    [CHIP_AS2] = {"as2", "A17 Pro", "macOS 15", {0x2876f5b5}, ANY_OF_8, false},
    [CHIP_AS3] = {"as3", "M3 Pro, M3 Max", "macOS 15", {0x5f4dea93, 0x72015832}, ANY_OF_8, false},
    [CHIP_AS4] = {"as4", "M4", "macOS 15", {0x6f5129ac}, ANY_OF_8, false},
    [CHIP_AS4_26] = {"as4-macos26", "M4", "macOS 26", {0x6f5129ac}, ANY_OF_8, false},
    [CHIP_AS4_1] = {"as4-1", "M4 Pro, M4 Max", "macOS 26", {0x17d5b93a}, ANY_OF_8, true},
    [CHIP_AS5] = {"as5", "M5", "macOS 26", {0x1d5a87e8}, ANY_OF_8, true},
    /* Its database was not seen, so the M5's is shown. Sources disagree about the second number. */
    [CHIP_AS5_1] =
        {"as5-1", "M5 Pro, M5 Max", "macOS 26", {0xf76c5b1a, 0xda9d04c3}, ANY_OF_8, true},
};

/* Bits of a row: single chips, and those that mostly agree. */
#define BIT(chip_) (UINT32_C(1) << CHIP_##chip_)
/* clang-format off: a table */
enum {
    A7 = BIT(A7),
    A8 = BIT(A8),
    A9 = BIT(A9),
    A10 = BIT(A10),
    A11 = BIT(A11),
    A12 = BIT(A12),
    A13 = BIT(A13),
    A14 = BIT(A14),
    A14_26 = BIT(A14_26),
    A15 = BIT(A15),
    A15_26 = BIT(A15_26),
    A16 = BIT(A16),
    A16_26 = BIT(A16_26),
    AS1 = BIT(AS1),
    AS2 = BIT(AS2),
    AS3 = BIT(AS3),
    AS4 = BIT(AS4),
    AS4_26 = BIT(AS4_26),
    AS4_1 = BIT(AS4_1),
    AS5 = BIT(AS5),
    AS5_1 = BIT(AS5_1),
    A10_13 = A10 | A11 | A12 | A13,
    A14S = A14 | A14_26,
    A15S = A15 | A15_26,
    A16S = A16 | A16_26 | AS1 | AS2 | AS3,
    AS4S = AS4_26 | AS4_1,
    AS5S = AS5 | AS5_1,
};
/* clang-format on */

/* clang-format off: a table */
static const struct row {
    const char *name;
    uint16_t number, mask;
    uint32_t chips;
} rows[] = {
    {"ARM_BR_MIS_PRED", 16, ANY_OF_8, AS4S | AS5S},
    {"ARM_BR_PRED", 18, ANY_OF_8, AS4S | AS5S},
    {"ARM_L1D_CACHE", 4, ANY_OF_8, AS4S | AS5S},
    {"ARM_L1D_CACHE_LMISS_RD", 57, ANY_OF_8, AS4S | AS5S},
    {"ARM_L1D_CACHE_RD", 64, ANY_OF_8, AS4S | AS5S},
    {"ARM_L1D_CACHE_REFILL", 3, ANY_OF_8, AS4S | AS5S},
    {"ARM_L1I_CACHE", 20, UNKNOWN, AS5S},
    {"ARM_MEM_ACCESS", 19, UNKNOWN, AS5S},
    {"ARM_MEM_ACCESS_CHECKED", 16420, UNKNOWN, AS5S},
    {"ARM_MEM_ACCESS_CHECKED_RD", 16421, UNKNOWN, AS5S},
    {"ARM_MEM_ACCESS_CHECKED_WR", 16422, UNKNOWN, AS5S},
    {"ARM_MEM_ACCESS_RD", 102, UNKNOWN, AS5S},
    {"ARM_MEM_ACCESS_WR", 103, UNKNOWN, AS5S},
    {"ARM_STALL", 60, ANY_OF_8, AS4S | AS5S},
    {"ARM_STALL_BACKEND", 36, ANY_OF_8, AS4S | AS5S},
    {"ARM_STALL_FRONTEND", 35, ANY_OF_8, AS4S | AS5S},
    {"ARM_STALL_SLOT", 63, ANY_OF_8, AS4S | AS5S},
    {"ARM_STALL_SLOT_BACKEND", 61, ANY_OF_8, AS4S | AS5S},
    {"ARM_STALL_SLOT_FRONTEND", 62, ANY_OF_8, AS4S | AS5S},
    {"ATOMIC_OR_EXCLUSIVE_FAIL", 180, ANY_OF_6, A9},
    {"ATOMIC_OR_EXCLUSIVE_FAIL", 180, ANY_OF_8, A10_13 | A14S | A15S},
    {"ATOMIC_OR_EXCLUSIVE_FAIL", 1460, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"ATOMIC_OR_EXCLUSIVE_SUCC", 179, ANY_OF_6, A9},
    {"ATOMIC_OR_EXCLUSIVE_SUCC", 179, ANY_OF_8, A10_13 | A14S | A15S},
    {"ATOMIC_OR_EXCLUSIVE_SUCC", 1459, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"BRANCH_BR_INDIR_MISPRED_NONSPEC", 2247, UNKNOWN, AS5S},
    {"BRANCH_CALL_INDIR_MISPRED_NONSPEC", 191, LAST_3, A7},
    {"BRANCH_CALL_INDIR_MISPRED_NONSPEC", 202, LAST_3, A8 | A9 | A10_13 | A14S | A15S | A16S},
    {"BRANCH_CALL_INDIR_MISPRED_NONSPEC", 2250, ANY_OF_6, AS4 | AS4S | AS5S},
    {"BRANCH_COND_MISPRED_NONSPEC", 186, LAST_3, A7},
    {"BRANCH_COND_MISPRED_NONSPEC", 197, LAST_3, A8 | A9 | A10_13 | A14S | A15S | A16S},
    {"BRANCH_COND_MISPRED_NONSPEC", 2245, ANY_OF_6, AS4 | AS4S | AS5S},
    {"BRANCH_INDIR_MISPRED_NONSPEC", 187, LAST_3, A7},
    {"BRANCH_INDIR_MISPRED_NONSPEC", 198, LAST_3, A8 | A9 | A10_13 | A14S | A15S | A16S},
    {"BRANCH_INDIR_MISPRED_NONSPEC", 2246, ANY_OF_6, AS4 | AS4S | AS5S},
    {"BRANCH_MISPRED_NONSPEC", 192, LAST_3, A7},
    {"BRANCH_MISPRED_NONSPEC", 203, LAST_3, A8 | A9 | A10_13 | A14S | A15S | A16S},
    {"BRANCH_MISPRED_NONSPEC", 34, ANY_OF_6, AS4 | AS4S | AS5S},
    {"BRANCH_RET_INDIR_MISPRED_NONSPEC", 189, LAST_3, A7},
    {"BRANCH_RET_INDIR_MISPRED_NONSPEC", 200, LAST_3, A8 | A9 | A10_13 | A14S | A15S | A16S},
    {"BRANCH_RET_INDIR_MISPRED_NONSPEC", 2248, ANY_OF_6, AS4 | AS4S | AS5S},
    {"CORE_ACTIVE_CYCLE", 2, ANY_OF_6, A7 | A8 | A9},
    {"CORE_ACTIVE_CYCLE", 2, ANY_OF_8, A10_13 | A14S | A15S | A16S},
    {"CORE_ACTIVE_CYCLE", 17, ANY_OF_8, AS4 | AS4S | AS5S},
    {"CORE_WAITING_SME_ENGINE_CYCLE", 661, UNKNOWN, AS5S},
    {"DECODE_UOP", 390, UNKNOWN, AS4_1 | AS5S},
    {"FETCH_RESTART", 222, ANY_OF_6, A8 | A9},
    {"FETCH_RESTART", 222, ANY_OF_8, A10_13 | A14S | A15S},
    {"FETCH_RESTART", 478, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"FLUSH_RESTART_OTHER_NONSPEC", 110, ANY_OF_6, A7},
    {"FLUSH_RESTART_OTHER_NONSPEC", 132, ANY_OF_6, A8 | A9},
    {"FLUSH_RESTART_OTHER_NONSPEC", 132, ANY_OF_8, A10_13 | A14S | A15S | A16S},
    {"FLUSH_RESTART_OTHER_NONSPEC", 2180, ANY_OF_8, AS4 | AS4S | AS5S},
    {"INST_ALL", 122, LAST_2, A7},
    {"INST_ALL", 140, LAST_3, A8},
    {"INST_ALL", 140, ONE, A9 | A10_13 | A14S | A15S | A16S},
    {"INST_ALL", 8, ANY_OF_6, AS4 | AS4S | AS5S},
    {"INST_BARRIER", 156, LAST_3, A9 | A10_13 | A14S | A15S | A16S},
    {"INST_BARRIER", 2204, ANY_OF_6, AS4 | AS4S | AS5S},
    {"INST_BRANCH", 123, LAST_3, A7},
    {"INST_BRANCH", 141, LAST_3, A8 | A9 | A10_13 | A14S | A15S | A16S},
    {"INST_BRANCH", 33, ANY_OF_6, AS4 | AS4S | AS5S},
    {"INST_BRANCH_CALL", 124, LAST_3, A7},
    {"INST_BRANCH_CALL", 142, LAST_3, A8 | A9 | A10_13 | A14S | A15S | A16S},
    {"INST_BRANCH_CALL", 2190, ANY_OF_6, AS4 | AS4S | AS5S},
    {"INST_BRANCH_CALL_INDIR", 2193, UNKNOWN, AS5S},
    {"INST_BRANCH_COND", 130, LAST_3, A7},
    {"INST_BRANCH_COND", 148, LAST_3, A8 | A9 | A10_13 | A14 | A15 | A16 | AS1 | AS2 | AS3},
    {"INST_BRANCH_COND", 2196, ANY_OF_6, AS4 | AS4S | AS5S},
    {"INST_BRANCH_INDIR", 129, LAST_3, A7},
    {"INST_BRANCH_INDIR", 147, LAST_3, A8 | A9 | A10_13 | A14S | A15S | A16S},
    {"INST_BRANCH_INDIR", 2195, ANY_OF_6, AS4 | AS4S | AS5S},
    {"INST_BRANCH_RET", 125, LAST_3, A7},
    {"INST_BRANCH_RET", 143, LAST_3, A8 | A9 | A10_13 | A14S | A15S | A16S},
    {"INST_BRANCH_RET", 2191, ANY_OF_6, AS4 | AS4S | AS5S},
    {"INST_BRANCH_TAKEN", 126, LAST_3, A7},
    {"INST_BRANCH_TAKEN", 144, LAST_3, A8 | A9 | A10_13 | A14S | A15S | A16S},
    {"INST_BRANCH_TAKEN", 2192, ANY_OF_6, AS4 | AS4S | AS5S},
    {"INST_INT_ALU", 133, LAST_2, A7},
    {"INST_INT_ALU", 151, LAST_3, A8 | A9 | A10_13},
    {"INST_INT_ALU", 151, ONE, A14S | A15S | A16S},
    {"INST_INT_ALU", 2199, ONE, AS4 | AS4S | AS5S},
    {"INST_INT_LD", 131, LAST_2, A7},
    {"INST_INT_LD", 149, LAST_3, A8 | A9 | A10_13 | A14S | A15S | A16S},
    {"INST_INT_LD", 2197, ANY_OF_6, AS4 | AS4S | AS5S},
    {"INST_INT_ST", 132, LAST_2, A7},
    {"INST_INT_ST", 150, LAST_3, A8 | A9 | A10_13},
    {"INST_INT_ST", 150, ONE, A14S | A15S | A16S},
    {"INST_INT_ST", 2198, ONE, AS4 | AS4S | AS5S},
    {"INST_LDST", 137, LAST_2, A7},
    {"INST_LDST", 155, LAST_3, A8 | A9 | A10_13},
    {"INST_LDST", 155, ONE, A14S | A15S | A16S},
    {"INST_LDST", 2203, ONE, AS4 | AS4S | AS5S},
    {"INST_MICROCODED", 2212, UNKNOWN, AS5S},
    {"INST_SIMD_ALU", 136, LAST_2, A7},
    {"INST_SIMD_ALU", 154, LAST_3, A8 | A9 | A10_13},
    {"INST_SIMD_ALU", 154, ONE, A14S | A15S | A16S},
    {"INST_SIMD_ALU", 2202, ONE, AS4 | AS4S | AS5S},
    {"INST_SIMD_ALU_VEC", 159, ONE, A15_26 | A16_26},
    {"INST_SIMD_ALU_VEC", 2207, ONE, AS4S | AS5S},
    {"INST_SIMD_LD", 134, LAST_2, A7},
    {"INST_SIMD_LD", 152, LAST_3, A8 | A9 | A10_13 | A14S | A15S | A16S},
    {"INST_SIMD_LD", 2200, ANY_OF_6, AS4 | AS4S | AS5S},
    {"INST_SIMD_ST", 135, LAST_2, A7},
    {"INST_SIMD_ST", 153, LAST_3, A8 | A9 | A10_13 | A14S | A15S | A16S},
    {"INST_SIMD_ST", 2201, ANY_OF_6, AS4 | AS4S | AS5S},
    {"INST_SME_ENGINE_ALU", 2211, ANY_OF_6, AS4S | AS5S},
    {"INST_SME_ENGINE_LD", 2209, ANY_OF_6, AS4S | AS5S},
    {"INST_SME_ENGINE_PACKING_FUSED", 1321, ANY_OF_8, AS4S | AS5S},
    {"INST_SME_ENGINE_SCALARFP", 2208, ANY_OF_6, AS4S | AS5S},
    {"INST_SME_ENGINE_ST", 2210, ANY_OF_6, AS4S | AS5S},
    {"INTERRUPT_PENDING", 108, ANY_OF_8, A13 | A14S | A15S},
    {"INTERRUPT_PENDING", 620, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"L1D_CACHE_MISS_LD", 153, ANY_OF_6, A7},
    {"L1D_CACHE_MISS_LD", 163, ANY_OF_6, A8 | A9},
    {"L1D_CACHE_MISS_LD", 163, ANY_OF_8, A10_13 | A14S | A15S},
    {"L1D_CACHE_MISS_LD", 1443, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"L1D_CACHE_MISS_LD_NONSPEC", 180, LAST_2, A7},
    {"L1D_CACHE_MISS_LD_NONSPEC", 191, LAST_3, A8 | A9 | A10_13 | A14S | A15S | A16S},
    {"L1D_CACHE_MISS_LD_NONSPEC", 2239, ANY_OF_6, AS4 | AS4S | AS5S},
    {"L1D_CACHE_MISS_ST", 152, ANY_OF_6, A7},
    {"L1D_CACHE_MISS_ST", 162, ANY_OF_6, A8 | A9},
    {"L1D_CACHE_MISS_ST", 162, ANY_OF_8, A10_13 | A14S | A15S},
    {"L1D_CACHE_MISS_ST", 1442, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"L1D_CACHE_MISS_ST_NONSPEC", 181, LAST_2, A7},
    {"L1D_CACHE_MISS_ST_NONSPEC", 192, LAST_3, A8 | A9 | A10_13 | A14S | A15S | A16S},
    {"L1D_CACHE_MISS_ST_NONSPEC", 2240, ANY_OF_6, AS4 | AS4S | AS5S},
    {"L1D_CACHE_WRITEBACK", 158, ANY_OF_6, A7},
    {"L1D_CACHE_WRITEBACK", 168, ANY_OF_6, A8 | A9},
    {"L1D_CACHE_WRITEBACK", 168, ANY_OF_8, A10_13 | A14S | A15S},
    {"L1D_CACHE_WRITEBACK", 1448, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"L1D_TLB_ACCESS", 150, ANY_OF_6, A7},
    {"L1D_TLB_ACCESS", 160, ANY_OF_6, A8 | A9},
    {"L1D_TLB_ACCESS", 160, ANY_OF_8, A10_13 | A14S | A15S},
    {"L1D_TLB_ACCESS", 1440, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"L1D_TLB_FILL", 5, ANY_OF_8, A14S | A15S},
    {"L1D_TLB_FILL", 1029, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"L1D_TLB_MISS", 151, ANY_OF_6, A7},
    {"L1D_TLB_MISS", 161, ANY_OF_6, A8 | A9},
    {"L1D_TLB_MISS", 161, ANY_OF_8, A10_13 | A14S | A15S},
    {"L1D_TLB_MISS", 1441, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"L1D_TLB_MISS_NONSPEC", 182, LAST_2, A7},
    {"L1D_TLB_MISS_NONSPEC", 193, LAST_3, A8 | A9 | A10_13 | A14S | A15S | A16S},
    {"L1D_TLB_MISS_NONSPEC", 2241, ANY_OF_6, AS4 | AS4S | AS5S},
    {"L1I_CACHE_MISS_DEMAND", 219, ANY_OF_8, A10_13 | A14S | A15S},
    {"L1I_CACHE_MISS_DEMAND", 475, ANY_OF_8, A16S},
    {"L1I_CACHE_MISS_DEMAND", 16390, ANY_OF_8, AS4 | AS4S | AS5S},
    {"L1I_TLB_FILL", 4, ANY_OF_8, A14S | A15S},
    {"L1I_TLB_FILL", 1028, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"L1I_TLB_MISS_DEMAND", 207, ANY_OF_6, A7},
    {"L1I_TLB_MISS_DEMAND", 212, ANY_OF_6, A8 | A9},
    {"L1I_TLB_MISS_DEMAND", 212, ANY_OF_8, A10_13 | A14S | A15S},
    {"L1I_TLB_MISS_DEMAND", 468, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"L2_TLB_MISS_DATA", 17, ANY_OF_6, A7},
    {"L2_TLB_MISS_DATA", 11, ANY_OF_6, A8 | A9},
    {"L2_TLB_MISS_DATA", 11, ANY_OF_8, A10_13 | A14S | A15S},
    {"L2_TLB_MISS_DATA", 1035, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"L2_TLB_MISS_INSTRUCTION", 16, ANY_OF_6, A7},
    {"L2_TLB_MISS_INSTRUCTION", 10, ANY_OF_6, A8 | A9},
    {"L2_TLB_MISS_INSTRUCTION", 10, ANY_OF_8, A10_13 | A14S | A15S},
    {"L2_TLB_MISS_INSTRUCTION", 1034, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"LDST_MEM_ACCESS_CHECKED_X2K", 1408, UNKNOWN, AS5S},
    {"LDST_OLDEST_MTE_TAG_CHECK_CYCLE", 669, UNKNOWN, AS5S},
    {"LDST_SME_PRED_INACTIVE", 1399, ANY_OF_8, AS4S | AS5S},
    {"LDST_SME_XPG_UOP", 1288, ANY_OF_8, AS4S | AS5S},
    {"LDST_UNIT_OLD_L1D_CACHE_MISS", 656, ANY_OF_8, A16_26 | AS4S | AS5S},
    {"LDST_UNIT_WAITING_OLD_L1D_CACHE_MISS", 657, ANY_OF_8, A16_26 | AS4S | AS5S},
    {"LDST_UNIT_WAITING_SME_ENGINE_INST_QUEUE_FULL", 652, ANY_OF_8, AS4S | AS5S},
    {"LDST_UNIT_WAITING_SME_ENGINE_MEM_DATA", 655, ANY_OF_8, AS4S | AS5S},
    {"LDST_X64_UOP", 167, ANY_OF_6, A7},
    {"LDST_X64_UOP", 177, ANY_OF_6, A8 | A9},
    {"LDST_X64_UOP", 177, ANY_OF_8, A10_13 | A14S | A15S},
    {"LDST_X64_UOP", 1457, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"LDST_XPG_UOP", 178, ANY_OF_8, A14S | A15S},
    {"LDST_XPG_UOP", 1458, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"LD_BLOCKED_BY_SME_LDST", 1324, ANY_OF_8, AS4S | AS5S},
    {"LD_NT_UOP", 230, ANY_OF_6, A9},
    {"LD_NT_UOP", 230, ANY_OF_8, A10_13 | A14S | A15S},
    {"LD_NT_UOP", 1510, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"LD_SME_NORMAL_UOP", 1397, ANY_OF_8, AS4S | AS5S},
    {"LD_SME_NT_UOP", 1395, ANY_OF_8, AS4S | AS5S},
    {"LD_SRC_CORE_SAMECLUSTER_NONSPEC", 2226, UNKNOWN, AS5S},
    {"LD_SRC_LL_CACHE_NONSPEC", 2225, UNKNOWN, AS5S},
    {"LD_SRC_MEMSYS_NONSPEC", 2233, UNKNOWN, AS5S},
    {"LD_SRC_MEMSYS_OTHERDIE_NONSPEC", 2234, UNKNOWN, AS5S},
    {"LD_SRC_OTHERCLUSTER_NONSPEC", 2227, UNKNOWN, AS5S},
    {"LD_SRC_OTHERCLUSTER_OTHERDIE_NONSPEC", 2228, UNKNOWN, AS5S},
    {"LD_SRC_PL2_CACHE_NONSPEC", 2224, UNKNOWN, AS5S},
    {"LD_SRC_STORE_NONSPEC", 2223, UNKNOWN, AS5S},
    {"LD_UNIT_UOP", 156, ANY_OF_6, A7},
    {"LD_UNIT_UOP", 166, ANY_OF_6, A8 | A9},
    {"LD_UNIT_UOP", 166, ANY_OF_8, A10_13 | A14S | A15S},
    {"LD_UNIT_UOP", 1446, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"LD_UNIT_WAITING_YOUNG_L1D_CACHE_MISS", 660, ANY_OF_8, AS4S | AS5S},
    {"MAP_DISPATCH_BUBBLE", 214, ANY_OF_6, A9},
    {"MAP_DISPATCH_BUBBLE", 214, ANY_OF_8, A10_13 | A14S | A15S},
    {"MAP_DISPATCH_BUBBLE", 470, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"MAP_DISPATCH_BUBBLE_IC", 386, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"MAP_DISPATCH_BUBBLE_ITLB", 387, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"MAP_DISPATCH_BUBBLE_SLOT", 481, ANY_OF_8, AS4S | AS5S},
    {"MAP_DISPATCH_BUBBLE_TAKENBR_SLOT", 484, UNKNOWN, AS5S},
    {"MAP_INT_SME_UOP", 645, ANY_OF_8, AS4S | AS5S},
    {"MAP_INT_UOP", 123, ANY_OF_6, A8},
    {"MAP_INT_UOP", 124, ANY_OF_6, A9},
    {"MAP_INT_UOP", 124, ANY_OF_8, A10_13 | A14S | A15S},
    {"MAP_INT_UOP", 636, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"MAP_LDST_UOP", 124, ANY_OF_6, A8},
    {"MAP_LDST_UOP", 125, ANY_OF_6, A9},
    {"MAP_LDST_UOP", 125, ANY_OF_8, A10_13 | A14S | A15S},
    {"MAP_LDST_UOP", 637, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"MAP_RECOVERY", 685, ANY_OF_8, AS4S | AS5S},
    {"MAP_REWIND", 97, ANY_OF_6, A7},
    {"MAP_REWIND", 117, ANY_OF_6, A8 | A9},
    {"MAP_REWIND", 117, ANY_OF_8, A10_13 | A14S | A15S},
    {"MAP_REWIND", 629, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"MAP_SIMD_UOP", 125, ANY_OF_6, A8},
    {"MAP_SIMD_UOP", 126, ANY_OF_6, A9},
    {"MAP_SIMD_UOP", 126, ANY_OF_8, A10_13 | A14S | A15S},
    {"MAP_SIMD_UOP", 638, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"MAP_STALL", 98, ANY_OF_6, A7},
    {"MAP_STALL", 118, ANY_OF_6, A8 | A9},
    {"MAP_STALL", 118, ANY_OF_8, A10_13 | A14S | A15S},
    {"MAP_STALL", 630, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"MAP_STALL_DISPATCH", 112, ANY_OF_8, A12 | A13 | A14S | A15S},
    {"MAP_STALL_DISPATCH", 624, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"MAP_STALL_NONRECOVERY", 686, ANY_OF_8, AS4S | AS5S},
    {"MAP_UOP", 617, ANY_OF_8, A16S},
    {"MAP_UOP", 59, ANY_OF_8, AS4 | AS4S | AS5S},
    {"MMU_TABLE_WALK_DATA", 8, ANY_OF_8, A14S | A15S},
    {"MMU_TABLE_WALK_DATA", 1032, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"MMU_TABLE_WALK_INSTRUCTION", 7, ANY_OF_8, A14S | A15S},
    {"MMU_TABLE_WALK_INSTRUCTION", 1031, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"MMU_VIRTUAL_MEMORY_FAULT_NONSPEC", 13, ANY_OF_8, A14 | A15},
    {"MMU_VIRTUAL_MEMORY_FAULT_NONSPEC", 1037, ANY_OF_8, A16 | AS1 | AS2 | AS3 | AS4},
    {"PL2_CACHE_ACCESS", 2334, UNKNOWN, AS5S},
    {"PL2_CACHE_ACCESS_INSTRUCTION", 2328, UNKNOWN, AS5S},
    {"PL2_CACHE_ACCESS_MMU", 2326, UNKNOWN, AS5S},
    {"PL2_CACHE_ACCESS_ST", 2332, UNKNOWN, AS5S},
    {"PL2_CACHE_MISS", 2335, UNKNOWN, AS5S},
    {"PL2_CACHE_MISS_INSTRUCTION", 2329, UNKNOWN, AS5S},
    {"PL2_CACHE_MISS_LD", 2331, UNKNOWN, AS5S},
    {"PL2_CACHE_MISS_MMU", 2327, UNKNOWN, AS5S},
    {"PL2_CACHE_MISS_ST", 2333, UNKNOWN, AS5S},
    {"RETIRE_UOP", 1, LAST_3, A10_13},
    {"RETIRE_UOP", 1, ONE, A14S | A15S | A16S},
    {"RETIRE_UOP", 58, ANY_OF_6, AS4 | AS4S | AS5S},
    {"SCHEDULE_EMPTY", 81, ANY_OF_8, A14_26 | A15_26},
    {"SCHEDULE_EMPTY", 849, ANY_OF_8, A16_26 | AS4S | AS5S},
    {"SCHEDULE_UOP", 88, ANY_OF_6, A7},
    {"SCHEDULE_UOP", 82, ANY_OF_6, A8 | A9},
    {"SCHEDULE_UOP", 82, ANY_OF_8, A10_13 | A14S},
    {"SCHEDULE_UOP_ANY", 643, ANY_OF_8, A16_26 | AS4S | AS5S},
    {"SCHEDULE_WAITING_SME_ENGINE_REG_DATA", 654, ANY_OF_8, AS4S | AS5S},
    {"SME_ENGINE_SM_ENABLE", 646, ANY_OF_8, AS4S | AS5S},
    {"SME_ENGINE_SM_ZA_ENABLE", 647, ANY_OF_8, AS4S | AS5S},
    {"SME_ENGINE_ZA_ENABLED_SM_DISABLED", 648, ANY_OF_8, AS4S | AS5S},
    {"ST_BARRIER_BLOCKED_BY_SME_LDST", 1326, ANY_OF_8, AS4S | AS5S},
    {"ST_MEMORY_ORDER_VIOLATION_NONSPEC", 185, LAST_2, A7},
    {"ST_MEMORY_ORDER_VIOLATION_NONSPEC", 196, LAST_3,
     A8 | A9 | A10_13 | A14 | A15 | A16 | AS1 | AS2 | AS3},
    {"ST_MEMORY_ORDER_VIOLATION_NONSPEC", 2244, ANY_OF_6, AS4},
    {"ST_MEM_ORDER_VIOL_LD_NONSPEC", 196, LAST_3, A14_26 | A15_26 | A16_26},
    {"ST_MEM_ORDER_VIOL_LD_NONSPEC", 2244, ANY_OF_6, AS4S | AS5S},
    {"ST_NT_UOP", 229, ANY_OF_6, A9},
    {"ST_NT_UOP", 229, ANY_OF_8, A10_13 | A14S | A15S},
    {"ST_NT_UOP", 1509, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
    {"ST_SME_NORMAL_UOP", 1398, ANY_OF_8, AS4S | AS5S},
    {"ST_SME_NT_UOP", 1396, ANY_OF_8, AS4S | AS5S},
    {"ST_UNIT_UOP", 157, ANY_OF_6, A7},
    {"ST_UNIT_UOP", 167, ANY_OF_6, A8 | A9},
    {"ST_UNIT_UOP", 167, ANY_OF_8, A10_13 | A14S | A15S},
    {"ST_UNIT_UOP", 1447, ANY_OF_8, A16S | AS4 | AS4S | AS5S},
};
/* clang-format on */

static const struct lauka_apple_event fixed_events[LAUKA_APPLE_FIXED] = {
    {"FIXED_CYCLES", 0, 0x1},
    {"FIXED_INSTRUCTIONS", 0, 0x2},
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

const struct lauka_apple_chip *lauka_apple_chips(size_t *count)
{
    *count = CHIPS;
    return chips;
}

/* Whether the name is one of a list with ", " between its words. */
static bool is_among(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; length > 0; at += 2) {
        size_t word = strcspn(at, ",");
        if (word == length && strncasecmp(at, name, length) == 0)
            return true;
        at += word;
        if (!*at)
            return false;
    }
    return false;
}

const struct lauka_apple_chip *lauka_apple_chip_find(const char *name)
{
    for (size_t i = 0; i < CHIPS; i++)
        if (strcasecmp(chips[i].name, name) == 0 || is_among(chips[i].products, name))
            return &chips[i];
    return NULL;
}

const struct lauka_apple_chip *lauka_apple_chip_of(uint32_t family)
{
    for (size_t i = 0; family && i < CHIPS; i++)
        if (chips[i].families[0] == family || chips[i].families[1] == family)
            return &chips[i];
    return NULL;
}

static struct lauka_apple_event event_of(const struct row *row)
{
    return (struct lauka_apple_event){row->name, row->number, row->mask};
}

bool lauka_apple_event(const struct lauka_apple_chip *chip, size_t index,
                       struct lauka_apple_event *event)
{
    uint32_t bit = UINT32_C(1) << (chip - chips);
    if (index < LAUKA_APPLE_FIXED) {
        *event = fixed_events[index];
        return true;
    }
    index -= LAUKA_APPLE_FIXED;
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (!(rows[i].chips & bit) || index-- > 0)
            continue;
        *event = event_of(&rows[i]);
        return true;
    }
    return false;
}

bool lauka_apple_event_find(const struct lauka_apple_chip *chip, const char *name,
                            struct lauka_apple_event *event)
{
    uint32_t bit = UINT32_C(1) << (chip - chips);
    for (size_t i = 0; i < LAUKA_APPLE_FIXED; i++) {
        *event = fixed_events[i];
        if (strcmp(event->name, name) == 0)
            return true;
    }
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (!(rows[i].chips & bit) || strcmp(rows[i].name, name) != 0)
            continue;
        *event = event_of(&rows[i]);
        return true;
    }
    return false;
}
