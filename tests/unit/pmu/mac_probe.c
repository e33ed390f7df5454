/* What lauka asks a Mac's kernel for a report, on a simulated Mac (tests/fakes). */
#include "pmu/counters/counters.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/expect.h"
#include "tests/fakes/fake.h"
#include "tests/unit/mac_sessions.h"

static char json[1 << 18];

static void probe(void)
{
    FILE *out = fmemopen(json, sizeof json, "w");
    lauka_native_probe(out);
    EXPECT(fclose(out) == 0);
}

/* The text from this key on. */
static const char *from(const char *key)
{
    const char *at = strstr(json, key);
    EXPECT(at != NULL);
    return at ? at : "";
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* macOS 26 returns the earlier configuration until counting starts, and does not keep the modes. */
static void the_probe_tells_what_is_read_back(void)
{
    power_on();
    fake_options.macos = 26;
    fake_options.refused[0] = "INST_LDST";
    probe();
    EXPECT(strstr(json, "\"refused_events\": [\"INST_LDST: Operation not permitted\"]"));
    fake_options.refused[0] = NULL;
    probe();
    const char *session = from("\"session\": {");
    EXPECT(strstr(session, "\"written\": [131233, 0, 0, 131275, 0, 131227, 0, 0]"));
    EXPECT(strstr(session, "\"before_counting\": {\"counting\": 0, \"thread_counting\": 0"));
    EXPECT(strstr(session, "\"while_counting\": {\"counting\": 3, \"thread_counting\": 3, "
                           "\"words\": [161, 0, 0, 203, 0, 155, 0, 0]}"));
    EXPECT(!*fake_left_set());
}

static void the_probe_answers_and_leaves_nothing_set(void)
{
    power_on();
    fake_options.chip = "as4-macos26"; /* has the same number as as4 */
    probe();
    EXPECT(strstr(json, "\"table\": \"as4-macos26\"") && strstr(json, "\"allowed_events\": 101"));
    power_on();
    probe();
    EXPECT(strstr(json, "\"database\": \"Apple \\\"M1, M1 Pro, M1 Max, M1 Ultra, A14\\\"\""));
    EXPECT(strstr(json, "\"table\": \"a14\""));
    EXPECT(strstr(json, "\"before_forcing\": {\"counters\": 7, \"configs\": 5}"));
    EXPECT(strstr(json, "\"forced\": {\"counters\": 10, \"configs\": 8}"));
    EXPECT(strstr(json, "\"least_period_ns\": 1000000"));
    EXPECT(strstr(json, "\"refused_events\": []") && strstr(json, "\"event_of_no_database\": 1"));
    EXPECT(strstr(json, "\"allowed_events\": 59, \"counting_events\": 59"));
    EXPECT(strstr(json, "\"fixed_words\": 0, \"fixed_code\": 0"));
    EXPECT(strstr(json, "\"fixed_session\": {\"error\": 0"));
    EXPECT(strstr(json, "\"own_work\": {\"read\": true"));
    EXPECT(json[strlen(json) - 1] == '}');
    EXPECT(!*fake_left_set());
    power_on();
    fake_options.euid = 501;
    probe();
    EXPECT(strstr(json, "\"forcing\": 1") && !*fake_left_set());
    power_on();
    fake_options.no_library = true;
    probe();
    EXPECT(strstr(json, "\"library\": \"cannot load kperf: image not found\"}"));
    EXPECT(strstr(json, "\"hw.nperflevels\": 2") &&
           strstr(json, "\"name\": \"Efficiency\", \"label\": \"E\""));
}

/* A chip with more than a hundred events, none of which the kernel allows. */
static void the_probe_is_never_cut(void)
{
    power_on();
    fake_options.chip = "as5";
    fake_options.allow_nothing = true;
    probe();
    EXPECT(strstr(json, "\"counting_events\": 0") && json[strlen(json) - 1] == '}');
    int depth = 0, deepest = 0;
    for (const char *at = json; *at; at++) {
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        deepest = depth > deepest ? depth : deepest;
    }
    EXPECT(depth == 0 && deepest >= 3);
}

/* Who may take what from an open session, and what a killed one leaves. */
static void the_probe_shows_who_has_the_counters(void)
{
    power_on();
    probe();
    EXPECT(begins(from("\"state_before\""),
                  "\"state_before\": {\"counting\": 0, \"thread_counting\": 0, \"forced\": 0, "
                  "\"ktrace.state\": 0, \"ktrace.active_mask\": 0, \"ktrace.owning_pid\": 0}"));
    EXPECT(begins(from("\"meanwhile\""),
                  "\"meanwhile\": {\"counting\": 3, \"thread_counting\": 3, \"forced\": 1, "
                  "\"ktrace.state\": 1, \"ktrace.active_mask\": 3, \"ktrace.owning_pid\": 4001}"));
    EXPECT(begins(from("\"second_forcing\""), "\"second_forcing\": 13, \"second_trace\": 16"));
    EXPECT(begins(from("\"afterwards\""),
                  "\"afterwards\": {\"counting\": 0, \"thread_counting\": 0, \"forced\": 0, "
                  "\"ktrace.state\": 0"));
    EXPECT(begins(from("\"killed_session\""), "\"killed_session\": 0,"));
    EXPECT(
        begins(from("\"state_after_killing\""),
               "\"state_after_killing\": {\"counting\": 3, \"thread_counting\": 3, \"forced\": 0, "
               "\"ktrace.state\": 1, \"ktrace.active_mask\": 3, \"ktrace.owning_pid\": 0}"));
    EXPECT(begins(from("\"session_after_killing\""), "\"session_after_killing\": {\"error\": 0,"));
    EXPECT(!*fake_left_set());
    power_on();
    fake_options.macos = 26;
    probe();
    EXPECT(begins(from("\"second_forcing\""), "\"second_forcing\": 0, \"second_trace\": 16"));
}

/* What the library does with seven events that fit, but not one after the other. */
static void the_probe_shows_how_the_library_places(void)
{
    power_on();
    probe();
    EXPECT(begins(from("\"map_in_turn\""), "\"map_in_turn\": {\"code\": 12,"));
    EXPECT(strstr(from("\"map_in_turn\""), "\"INST_LDST\": {\"mask\": 128"));
    EXPECT(begins(from("\"map\""), "\"map\": {\"code\": 0,"));
}

int main(int argc, char **argv)
{
    if (!fake_find_libraries(argc, argv))
        return 2;
    TEST(the_probe_answers_and_leaves_nothing_set);
    TEST(the_probe_tells_what_is_read_back);
    TEST(the_probe_is_never_cut);
    TEST(the_probe_shows_who_has_the_counters);
    TEST(the_probe_shows_how_the_library_places);
    return expect_report("mac_probe");
}
