/* The functions of two sides compared: names, pairs, inlining, and sums. */
#include <errno.h>

#include "runner/attribution/attribution.h"
#include "pmu/profile/profile.h"
#include "report/result/record.h"
#include "report/result/lists.h"
#include "report/result/why.h"
#include "tests/unit/expect.h"

struct row {
    /* Inlined: the file of the line, if it is another one. */
    const char *name, *file, *object, *inlined;
    uint64_t line, cost;
};

static struct lauka_profile profiles[4];
static struct lauka_result_whys whys;

static void add(struct lauka_profile *profile, const struct row *row)
{
    struct lauka_profile_function function = {
        lauka_profile_text(profile, row->name, strlen(row->name)),
        lauka_profile_text(profile, row->file, strlen(row->file)),
        lauka_profile_text(profile, row->object, strlen(row->object))};
    const char *file = row->inlined ? row->inlined : row->file;
    struct lauka_profile_line line = {.function = lauka_profile_function(profile, &function),
                                      .file = lauka_profile_text(profile, file, strlen(file)),
                                      .line = row->line,
                                      .cost = {.instructions = row->cost, .cycles = 2 * row->cost}};
    lauka_profile_add(profile, &line);
}

static uint64_t fill(struct lauka_profile *profile, const struct row *rows, size_t count)
{
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        add(profile, &rows[i]);
        total += rows[i].cost;
    }
    return total;
}

static void done(void)
{
    for (int i = 0; i < 4; i++)
        lauka_profile_done(&profiles[i]);
    lauka_record_done(&lauka_whys_record, &whys);
}

/* Both runs of a side are alike, but the first row differs by `more` instructions. */
static struct lauka_why *compare(const struct row *before, size_t count, const struct row *after,
                                 size_t others, uint64_t more)
{
    struct lauka_attribution_side sides[2] = {
        {.runs = {&profiles[0], &profiles[1]}, .program = "./old/prog"},
        {.runs = {&profiles[2], &profiles[3]}, .program = "./new/prog"}};
    for (int run = 0; run < 2; run++) {
        sides[0].totals[run] = fill(&profiles[run], before, count);
        sides[1].totals[run] = fill(&profiles[2 + run], after, others);
    }
    struct row extra = before[0];
    extra.cost = more;
    sides[0].totals[1] += more;
    if (more)
        add(&profiles[1], &extra);
    struct lauka_why *why = lauka_list_add(&whys.whys, &whys.count, sizeof *why);
    EXPECT_UINT((uint64_t)lauka_attribution_make(sides, why), 0);
    int64_t sum = lauka_why_change(why->others) + lauka_why_change(why->beyond);
    for (size_t f = 0; f < why->function_count; f++)
        sum += lauka_why_change(why->functions[f].instructions);
    EXPECT(sum == lauka_why_change(why->instructions));
    return why;
}

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

static void names_lose_what_compilers_add(void)
{
    static const char *const names[][2] = {
        {"parse.part.0", "parse"},
        {"parse.constprop.12.isra.0", "parse"},
        {"parse.cold", "parse"},
        {"parse'2", "parse"},
        {"memcpy@@GLIBC_2.14", "memcpy"},
        {"f(int) [clone .isra.0]", "f(int)"},
        {"core::fmt::write::h0123456789abcdef", "core::fmt::write"},
        {"_ZN4core3fmt5write17h0123456789abcdefE.llvm.123", "_ZN4core3fmt5writeE"},
        {"_ZN4core3fmt5write17h0123456789abcdxfE", "_ZN4core3fmt5write17h0123456789abcdxfE"},
        {"_RNvNtCs7HV6mVLa8U5_1r5inner4spin", "_RNvNtC1r5inner4spin"},
        {"_RNvNtCs_1r9CsInner_a4spin", "_RNvNtC1r9CsInner_a4spin"},
        {"_RINvCs7HV6mVLa8U5_1r3mixmECs3vrP_4core", "_RINvC1r3mixmEC4core"},
        {"_RCs3vrP", "_RCs3vrP"},
        {"_R99999999999999999999Cs1_", "_R99999999999999999999Cs1_"},
        {"_R", "_R"},
        {"main.main", "main.main"},
        {"1.5", "1.5"},
        {"", ""},
    };
    struct lauka_profile texts = {0};
    for (size_t i = 0; i < COUNT(names); i++)
        EXPECT_TEXT(lauka_attribution_name(&texts, names[i][0]), names[i][1]);
    EXPECT_TEXT(lauka_attribution_file(&texts, "/a/src/parse.c"), "parse.c");
    EXPECT_TEXT(lauka_attribution_path(&texts, "/a/src/parse.c", NULL), "src/parse.c");
    EXPECT_TEXT(lauka_attribution_path(&texts, "/cache/c6ae30/parse.c", "/cache/c6ae30"),
                "parse.c");
    EXPECT_TEXT(lauka_attribution_path(&texts, "/cache/c6ae30/src/lib/parse.c", "/cache/c6ae30"),
                "src/lib/parse.c");
    EXPECT_TEXT(lauka_attribution_path(&texts, "/cache/c6ae301/parse.c", "/cache/c6ae30"),
                "c6ae301/parse.c");
    EXPECT_TEXT(lauka_attribution_object(&texts, "/usr/lib/libc.so.6", "./prog"), "libc");
    EXPECT_TEXT(lauka_attribution_object(&texts, "/usr/lib/libfoo-1.2.so", "./prog"), "libfoo");
    EXPECT_TEXT(lauka_attribution_object(&texts, "/lib64/ld-linux-x86-64.so.2", "x"),
                "ld-linux-x86-64");
    EXPECT_TEXT(lauka_attribution_object(&texts, "/tmp/prog", "./prog"), "");
    lauka_profile_done(&texts);
}

static void mangled_names_lose_hashes_and_parameters(void)
{
    static const char *const pairs[][2] = {{"_Z4growi", "grow"},
                                           {"_Z4keepi", "keep(int)"},
                                           {"_Z4keepl", "keep(long)"},
                                           {"_RNvNtCs7HV6mVLa8U5_1r5inner4spin", "r::inner::spin"},
                                           {"_ZN1r3mix17h1ec33b202805c66eE", "r::mix"},
                                           {"_Znot mangled", "_Znot mangled"},
                                           {"plain", "plain"}};
    char *texts[COUNT(pairs)], **names[COUNT(pairs)];
    for (size_t i = 0; i < COUNT(pairs); i++)
        *(names[i] = &texts[i]) = strdup(pairs[i][0]);
    lauka_attribution_demangle(names, COUNT(pairs), true);
    EXPECT_TEXT(texts[0], "_Z4growi"); /* not of Rust */
    bool there = strcmp(texts[3], pairs[3][0]) != 0;
    lauka_attribution_demangle(names, COUNT(pairs), false);
    for (size_t i = 0; i < COUNT(pairs); i++) {
        EXPECT_TEXT(texts[i], pairs[i][there]); /* without c++filt, they stay */
        free(texts[i]);
    }
}

static void a_function_that_grew_is_told_and_the_others_add_up(void)
{
    const struct row before[] = {{"f", "/old/a.c", "/old/prog", NULL, 3, 1000},
                                 {"g", "/old/a.c", "/old/prog", NULL, 9, 1000},
                                 {"memcpy", "m.S", "/lib/libc.so.6", NULL, 1, 100000}};
    const struct row after[] = {{"f", "/new/a.c", "/new/prog", NULL, 4, 1500},
                                {"g", "/new/a.c", "/new/prog", NULL, 9, 1001},
                                {"memcpy", "m.S", "/lib/libc.so.6", NULL, 1, 100000}};
    struct lauka_why *why = compare(before, 3, after, 3, 0);
    EXPECT_UINT(why->function_count, 1);
    EXPECT_TEXT(why->functions[0].name, "f");
    EXPECT_UINT(why->functions[0].instructions.after, 1500);
    EXPECT_UINT(why->functions[0].cycles.after, 3000);
    EXPECT_UINT(why->functions[0].line, 4);
    EXPECT_UINT(why->other_count, 1);
    EXPECT(why->standing == LAUKA_WHY_CHANGED && why->spread == 0);
    done();
}

static void the_line_that_changed_most_is_told_although_others_were_inlined(void)
{
    const struct row before[] = {{"f", "a.c", "p", NULL, 100, 1000},
                                 {"f", "a.c", "p", NULL, 7, 3000}, /* of another function */
                                 {"f", "a.c", "p", "b.h", 2, 3000}};
    const struct row after[] = {{"f", "a.c", "p", NULL, 100, 1000},
                                {"f", "a.c", "p", NULL, 104, 9000},
                                {"f", "a.c", "p", NULL, 7, 3001},
                                {"f", "a.c", "p", "b.h", 2, 3002}};
    struct lauka_why *why = compare(before, 3, after, 4, 0);
    EXPECT_UINT(why->function_count, 1);
    EXPECT_UINT(why->functions[0].line, 104);
    EXPECT_TEXT(why->functions[0].file, "a.c");
    done();
}

static void what_differs_between_runs_is_no_change(void)
{
    const struct row before[] = {{"f", "a.c", "p", NULL, 3, 10000}};
    const struct row after[] = {{"f", "a.c", "p", NULL, 3, 10500}};
    struct lauka_why *why = compare(before, 1, after, 1, 100);
    EXPECT(why->standing == LAUKA_WHY_WITHIN && why->function_count == 0);
    EXPECT_UINT(why->spread, 100);
    done();
}

static void what_was_inlined_is_counted_with_its_host_though_its_lines_moved(void)
{
    const struct row before[] = {{"f", "a.c", "p", NULL, 10, 5000},
                                 {"f", "a.c", "p", NULL, 11, 4000},
                                 {"host", "a.c", "p", NULL, 20, 1000},
                                 {"rest", "a.c", "p", NULL, 40, 90000}};
    const struct row after[] = {{"host", "a.c", "p", NULL, 15, 4800},
                                {"host", "a.c", "p", NULL, 16, 4000},
                                {"host", "a.c", "p", NULL, 25, 1000},
                                {"rest", "a.c", "p", NULL, 45, 90000}};
    struct lauka_why *why = compare(before, 4, after, 4, 0);
    EXPECT_UINT(why->function_count, 1);
    EXPECT_TEXT(why->functions[0].name, "host");
    EXPECT_TEXT(why->functions[0].partner, "f");
    EXPECT(why->functions[0].fate == LAUKA_WHY_TOOK);
    EXPECT(lauka_why_change(why->functions[0].instructions) == -200);
    done();
    why = compare(after, 4, before, 4, 0);
    EXPECT(why->functions[0].fate == LAUKA_WHY_PARTED);
    EXPECT(lauka_why_change(why->functions[0].instructions) == 200);
    done();
}

static void without_lines_the_host_is_guessed_by_the_file(void)
{
    const struct row before[] = {{"f", "a.c", "p", NULL, 0, 5000},
                                 {"host", "a.c", "p", NULL, 0, 1000},
                                 {"rest", "b.c", "p", NULL, 0, 90000}};
    const struct row after[] = {{"host", "a.c", "p", NULL, 0, 4000},
                                {"rest", "b.c", "p", NULL, 0, 90000}};
    struct lauka_why *why = compare(before, 3, after, 2, 0);
    EXPECT_UINT(why->function_count, 2);
    EXPECT_TEXT(why->functions[0].name, "f");
    EXPECT_TEXT(why->functions[0].partner, "host");
    EXPECT(why->functions[0].fate == LAUKA_WHY_GONE);
    done();
}

static void programs_and_libraries_of_other_names_are_paired(void)
{
    const struct row before[] = {{"f", "a.c", "/x/one", NULL, 3, 5000},
                                 {"g", "", "/x/two", NULL, 0, 5000}};
    const struct row after[] = {{"f", "a.c", "/x/three", NULL, 3, 6000},
                                {"g", "g.c", "/x/four", NULL, 8, 5000}};
    struct lauka_why *why = compare(before, 2, after, 2, 0);
    EXPECT_UINT(why->function_count, 1);
    EXPECT_TEXT(why->functions[0].name, "f");
    EXPECT_UINT(why->functions[0].instructions.before, 5000);
    done();
}

static void what_is_counted_and_in_no_function_is_told(void)
{
    const struct row rows[] = {{"f", "a.c", "p", NULL, 3, 10000}};
    struct lauka_attribution_side sides[2] = {
        {.runs = {&profiles[0], &profiles[1]}, .totals = {10007, 10007}},
        {.runs = {&profiles[2], &profiles[3]}, .totals = {11000, 11000}}};
    for (int i = 0; i < 4; i++)
        fill(&profiles[i], rows, 1);
    struct lauka_why *why = lauka_list_add(&whys.whys, &whys.count, sizeof *why);
    EXPECT_UINT((uint64_t)lauka_attribution_make(sides, why), 0);
    EXPECT_UINT(why->beyond.before, 7);
    EXPECT_UINT(why->beyond.after, 1000);
    EXPECT(why->standing == LAUKA_WHY_CHANGED && why->function_count == 0);
    done();
}

static void nothing_at_all_is_the_same(void)
{
    struct lauka_attribution_side sides[2] = {{.runs = {&profiles[0], &profiles[1]}},
                                              {.runs = {&profiles[2], &profiles[3]}}};
    struct lauka_why *why = lauka_list_add(&whys.whys, &whys.count, sizeof *why);
    EXPECT_UINT((uint64_t)lauka_attribution_make(sides, why), 0);
    EXPECT(why->standing == LAUKA_WHY_SAME);
    done();
}

/* ---- Samples ---- */

enum { ROUNDS = 20, PARTS = 2 * ROUNDS };

/* Samples of two commands, whose programs are ./a and ./b: for each round and command, a number of
 * samples in each function. */
struct sampled_session {
    struct lauka_sample_set set;
    size_t commands[PARTS];
    uint64_t runs[PARTS];
    struct lauka_result_sampled told;
};

static const char *const programs[] = {"/x/a", "/x/b"};
static char paths[][16] = {"/x/a", "/x/b", "/lib/libc.so.6"};

static struct lauka_sampled_object objects[] = {
    {.path = paths[0]}, {.path = paths[1]}, {.path = paths[2]}};
static struct lauka_sampled_function functions[] = {
    {.kind = LAUKA_SAMPLED_FUNCTION, .object = 0, .name = "grow"},
    {.kind = LAUKA_SAMPLED_FUNCTION, .object = 1, .name = "grow.part.0"},
    {.kind = LAUKA_SAMPLED_FUNCTION, .object = 0, .name = "keep"},
    {.kind = LAUKA_SAMPLED_FUNCTION, .object = 1, .name = "keep"},
    {.kind = LAUKA_SAMPLED_OBJECT, .object = 2},
    {.kind = LAUKA_SAMPLED_JIT},
    {.kind = LAUKA_SAMPLED_JIT, .name = "JS:*f /m/@a/f.js:1"},
    {.kind = LAUKA_SAMPLED_JIT, .name = "JS:*f /m/@b/f.js:1"},
};
enum { GROW, KEEP = 2, LIBC = 4, JIT, JIT_A, JIT_B };

static void add_cell(struct sampled_session *session, size_t part, size_t function, uint64_t weight)
{
    struct lauka_sample_set *set = &session->set;
    set->cells = realloc(set->cells, (set->cell_count + 1) * sizeof *set->cells);
    set->cells[set->cell_count++] = (struct lauka_sampled_cell){part, function, weight};
    set->parts[part].weight += weight;
    set->parts[part].samples += weight;
}

static struct lauka_result_whys counted; /* the results of counting */

/* grow: samples of the first function on each side. Some rounds have one sample more than others. */
static void sample(struct sampled_session *session, const uint64_t grow[2], uint64_t lost)
{
    *session =
        (struct sampled_session){.set = {.objects = objects,
                                         .functions = functions,
                                         .function_count = sizeof functions / sizeof *functions}};
    session->set.parts = calloc(PARTS, sizeof *session->set.parts);
    session->set.part_count = PARTS;
    for (size_t part = 0; part < PARTS; part++) {
        size_t round = part / 2, command = (part + round) % 2;
        session->commands[part] = command;
        session->runs[part] = 10;
        session->set.parts[part].lost = lost;
        add_cell(session, part, GROW + command,
                 grow[command] + round * 7 % 5 + command * round % 2);
        add_cell(session, part, KEEP + command, 60 + round * 3 % 7);
        add_cell(session, part, LIBC, 20 + (round + command) % 2);
        add_cell(session, part, JIT, 4);
        add_cell(session, part, JIT_A, 3);
        add_cell(session, part, JIT_B, 3);
    }
    struct lauka_attribution_samples samples = {.samples = &session->set,
                                                .commands = session->commands,
                                                .runs = session->runs,
                                                .programs = programs,
                                                .command_count = 2,
                                                .rounds = ROUNDS,
                                                .whys = &counted};
    EXPECT(lauka_attribution_shares(&samples, &session->told) == 0);
    EXPECT_UINT(session->told.count, 1);
}

static void forget(struct sampled_session *session)
{
    free(session->set.cells);
    free(session->set.parts);
    lauka_record_done(&lauka_sampled_record, &session->told);
}

/* The shares of all other functions fall, although they take as long as before. They must not be
 * reported. */
static void samples_point_to_the_function_that_grew_alone(void)
{
    struct sampled_session session;
    sample(&session, (const uint64_t[]){10, 40}, 0);
    const struct lauka_sampled *told = &session.told.commands[0];
    EXPECT(told->standing == LAUKA_SAMPLED_CHANGED && told->command == 1);
    EXPECT_UINT(told->row_count, 6); /* each has the same name on both sides */
    EXPECT_UINT(session.told.family, 6);
    EXPECT_TEXT(told->rows[0].name, "grow");
    EXPECT_TEXT(told->rows[0].object, "");
    EXPECT(told->rows[0].claimed && told->rows[0].difference.low > 0.1);
    double before = told->others_before, after = told->others_after;
    for (size_t r = 0; r < told->row_count; r++) {
        EXPECT(r == 0 || !told->rows[r].claimed);
        before += told->rows[r].before.estimate;
        after += told->rows[r].after.estimate;
        if (told->rows[r].place == LAUKA_PLACE_OBJECT)
            EXPECT_TEXT(told->rows[r].object, "libc");
    }
    EXPECT(fabs(before - 1) < 1e-12 && fabs(after - 1) < 1e-12);
    forget(&session);
}

static void equal_samples_point_to_nothing(void)
{
    struct sampled_session session;
    sample(&session, (const uint64_t[]){10, 10}, 0);
    EXPECT(session.told.commands[0].standing == LAUKA_SAMPLED_SAME);
    forget(&session);
}

/* A function is inlined on one side, where its samples belong to its host. */
static void what_is_inlined_counts_with_its_host(void)
{
    static char keep[] = "keep", own[] = "", grow[] = "grow";
    struct lauka_why_inlining inlining = {keep, own, grow};
    struct lauka_why why = {.inlinings = &inlining, .inlining_count = 1};
    struct sampled_session session;
    counted = (struct lauka_result_whys){.whys = &why, .count = 1};
    sample(&session, (const uint64_t[]){10, 10}, 0);
    counted.count = 0;
    const struct lauka_sampled *told = &session.told.commands[0];
    EXPECT_UINT(told->row_count, 5);
    for (size_t r = 0; r < told->row_count; r++) {
        EXPECT(strcmp(told->rows[r].name, "keep") != 0);
        if (strcmp(told->rows[r].name, "grow") == 0)
            EXPECT(told->rows[r].before.estimate > 0.6 && told->rows[r].after.estimate > 0.6);
    }
    forget(&session);
}

static void where_too_many_records_were_lost_nothing_is_compared(void)
{
    struct sampled_session session;
    sample(&session, (const uint64_t[]){10, 40}, 10);
    const struct lauka_sampled *told = &session.told.commands[0];
    EXPECT(told->standing == LAUKA_SAMPLED_NOT_KNOWN && told->row_count == 0);
    EXPECT(told->reason && strstr(told->reason, "200 records were lost and "));
    EXPECT_UINT(told->before.lost, 200);
    forget(&session);
    sample(&session, (const uint64_t[]){10, 40}, 2); /* one record in fifty */
    EXPECT(session.told.commands[0].standing == LAUKA_SAMPLED_CHANGED);
    forget(&session);
}

/* ---- System calls ---- */

static const char traced[] = "% time     seconds  usecs/call     calls    errors syscall\n"
                             "------ ----------- ----------- --------- --------- ----------------\n"
                             " 70.97    0.000594         148         4         2 wait4\n"
                             "  7.29    0.000061           1         3           read\n"
                             "------ ----------- ----------- --------- --------- ----------------\n"
                             "100.00    0.000837           2         7         2 total\n";

static struct lauka_call_counts counts_of(const char *text)
{
    struct lauka_call_counts counts = {0};
    EXPECT(lauka_calls_read(text, strlen(text), &counts) == 0);
    return counts;
}

static void system_calls_are_read_by_name(void)
{
    struct lauka_call_counts counts = counts_of(traced), none = {0};
    EXPECT_UINT(counts.count, 2);
    EXPECT_TEXT(counts.counts[0].name, "wait4");
    EXPECT_UINT(counts.counts[0].calls, 4);
    EXPECT_UINT(counts.counts[1].calls, 3);
    lauka_call_counts_done(&counts);
    EXPECT(lauka_calls_read("strace: attach: ptrace(PTRACE_SEIZE, 7): not permitted\n", 55,
                            &none) == EINVAL);
    EXPECT(lauka_calls_read("", 0, &none) == EINVAL);
    lauka_call_counts_done(&none);
}

/* getpid varies between two runs of one command as much as between the sides. */
static void calls_that_changed_are_told_and_those_that_vary_are_not(void)
{
    struct lauka_call_counts sides[2][LAUKA_CALLS_RUNS] = {
        {counts_of(" 1 0 0 3 read\n 1 0 0 9 futex\n 1 0 0 4 2 getpid\n"),
         counts_of(" 1 0 0 3 read\n 1 0 0 9 futex\n 1 0 0 4 2 getpid\n")},
        {counts_of(" 1 0 0 15 read\n 1 0 0 7 getpid\n 1 0 0 1 openat\n"),
         counts_of(" 1 0 0 15 read\n 1 0 0 4 getpid\n 1 0 0 1 openat\n")}};
    struct lauka_calls told = {0}, *calls = &told;
    EXPECT(lauka_calls_compare(sides, calls) == 0);
    EXPECT_UINT(calls->row_count, 3);
    EXPECT_TEXT(calls->rows[0].name, "read");
    EXPECT_UINT(calls->rows[0].calls.before, 3);
    EXPECT_UINT(calls->rows[0].calls.after, 15);
    EXPECT_TEXT(calls->rows[1].name, "futex");
    EXPECT_UINT(calls->rows[1].calls.after, 0);
    EXPECT_TEXT(calls->rows[2].name, "openat");
    EXPECT_UINT(calls->calls.before, 16);
    EXPECT_UINT(calls->spread, 3);
    for (int i = 0; i < 4; i++)
        lauka_call_counts_done(&sides[i / 2][i % 2]);
    lauka_record_done(&lauka_calls_record, &told);
}

int main(void)
{
    TEST(names_lose_what_compilers_add);
    TEST(mangled_names_lose_hashes_and_parameters);
    TEST(a_function_that_grew_is_told_and_the_others_add_up);
    TEST(the_line_that_changed_most_is_told_although_others_were_inlined);
    TEST(what_differs_between_runs_is_no_change);
    TEST(what_was_inlined_is_counted_with_its_host_though_its_lines_moved);
    TEST(without_lines_the_host_is_guessed_by_the_file);
    TEST(programs_and_libraries_of_other_names_are_paired);
    TEST(what_is_counted_and_in_no_function_is_told);
    TEST(nothing_at_all_is_the_same);
    TEST(samples_point_to_the_function_that_grew_alone);
    TEST(equal_samples_point_to_nothing);
    TEST(what_is_inlined_counts_with_its_host);
    TEST(where_too_many_records_were_lost_nothing_is_compared);
    TEST(system_calls_are_read_by_name);
    TEST(calls_that_changed_are_told_and_those_that_vary_are_not);
    return expect_report("attribution");
}
