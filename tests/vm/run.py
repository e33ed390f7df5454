#!/usr/bin/env python3
"""Counting on a real PMU, in an emulated machine: python3 tests/vm/run.py PROGRAMS

PROGRAMS is a folder of static arm64 programs: lauka, loop, test_pmu, test_events. Where the machine
cannot be had, CI fails; others are told why."""
import glob
import json
import os
import sys
import unittest

import machine

PROGRAMS = ""
TURN = 2  # instructions of a turn of the loop
# The hardware has six counters and one for cycles. Raw numbers that it does not implement count 0.
SEVEN = "cycles,r8:u,r11:u,r12:u,r13:u,r14:u,r15:u"
EIGHT = SEVEN + ",instructions:u"

SCRIPT = """
# NAME ARGUMENTS...: one run of lauka and what came of it.
keep() {
    name=$1
    shift
    ./lauka -q -w 0 "$@" >/out/$name.table 2>/out/$name.error
    echo $? >/out/$name.code
}
as_user() {
    name=$1
    shift
    quoted=
    for word; do quoted="$quoted '$word'"; done
    su user -c "cd /box; ./lauka -q -w 0 $quoted >/out/$name.table 2>/out/$name.error; echo \\$? >/out/$name.code"
}
"""

COUNTED = SCRIPT + f"""
for n in 1 2 3; do
    keep work$n --json=/out/work$n.json -r 5 -e instructions:u './loop 1000000' './loop 1001000'
done
keep seven --json=/out/seven.json -r 3 --no-multiplex -e {SEVEN} './loop 1000000'
keep eight --json=/out/eight.json -r 3 -e {EIGHT} './loop 20000000'
keep refused -r 3 --no-multiplex -e {EIGHT} './loop 1000000'
keep rounds --json=/out/rounds.json -r 6 --multiplex=rounds -e {EIGHT} './loop 3000000' './loop 3001000'
keep usual --json=/out/usual.json -r 3 './loop 20000000'
keep pmu --json=/out/pmu.json -r 3 -e armv8_pmuv3/inst_retired/u,inst_retired:k,r8:u './loop 1000000'
./lauka list retired >/out/list.table
./lauka list --json >/out/lists.table
keep required -r 3 --require-counters './loop 1000000'
keep nearest -r 3 -e inst_retird './loop 1000000'
sysctl -w kernel.perf_event_paranoid=2 >/dev/null
as_user paranoid2 --json=/out/paranoid2.json -r 3 -e instructions,task-clock,cpu-migrations './loop 1000000' './loop 1001000'
cp loop /tmp/setuid; chmod 4755 /tmp/setuid
cp loop /tmp/unreadable; chmod 711 /tmp/unreadable
as_user vanished --json=/out/vanished.json -r 3 -e instructions:u,task-clock './loop 1000000' '/tmp/setuid 1000000' '/tmp/unreadable 1000000' 'sh -c "exec /tmp/setuid 9000000"'
sysctl -w kernel.perf_event_paranoid=3 >/dev/null
as_user paranoid3 --json=/out/paranoid3.json -r 3 './loop 1000000'
as_user paranoid3_required -r 3 --require-counters './loop 1000000'
./test_events
./test_pmu
"""

WITHOUT_PMU = SCRIPT + """
keep usual --json=/out/usual.json -r 3 './loop 1000000'
keep software --json=/out/software.json -r 3 -e task-clock,page-faults './loop 1000000'
sysctl -w kernel.perf_event_paranoid=2 >/dev/null
as_user unprivileged --json=/out/unprivileged.json -r 3 './loop 1000000'
"""


class Booted(unittest.TestCase):
    script = ""
    pmu = True

    @classmethod
    def setUpClass(cls):
        programs = sorted(glob.glob(os.path.join(PROGRAMS, "*")))
        cls.files = machine.boot(programs, cls.script, pmu=cls.pmu)

    def result(self, name, code=0):
        self.assertEqual(self.files[name + ".code"].strip(), str(code), self.text(name))
        return json.loads(self.files[name + ".json"])

    def text(self, name):
        """What was printed, without the line breaks."""
        return " ".join((self.files[name + ".table"] + self.files[name + ".error"]).split())

    def metric(self, name, metric, command=0):
        return self.result(name)["results"][command]["metrics"][metric]


class WithCounters(Booted):
    script = COUNTED

    def test_two_loops_differ_by_exactly_the_known_work_run_after_run(self):
        for n in "123":
            ours, theirs = (self.metric("work" + n, "instructions:u", c)["values"] for c in (0, 1))
            self.assertEqual(len(set(ours)), 1, ours)
            self.assertEqual([b - a for a, b in zip(ours, theirs)], [1000 * TURN] * 5)
            self.assertEqual(ours, self.metric("work1", "instructions:u")["values"])

    def test_a_difference_without_noise_is_called_exact(self):
        self.assertRegex(self.text("work1"), r"instructions:u [^=]* exact higher")

    def test_seven_events_fit_and_are_not_estimates(self):
        self.assertNotIn("~", self.text("seven"))
        for metric in SEVEN.split(","):
            self.assertEqual(self.metric("seven", metric)["share"], 1, metric)
        self.assertEqual(self.metric("seven", "r8:u")["min"], self.metric("work1", "instructions:u")["min"])

    def test_the_eighth_shares_and_its_share_is_said(self):
        shares = [self.metric("eight", metric)["share"] for metric in EIGHT.split(",")]
        self.assertTrue(all(0.6 < share < 1 for share in shares), shares)
        self.assertRegex(self.text("eight"), r"instructions:u ~40\.\d\d")
        self.assertRegex(self.text("eight"), r"counted for as little as: cycles 8\d[.0-9]* %")

    def test_an_estimate_is_near_the_truth(self):
        self.assertAlmostEqual(self.metric("eight", "instructions:u")["mean"] / 40e6, 1, delta=0.02)

    def test_without_multiplexing_what_fits_is_listed(self):
        self.assertEqual(self.files["refused.code"], "6\n")
        listed = self.text("refused").split("these do: ")[1].split("; or")[0].split(", ")
        self.assertEqual(len(listed), 7)
        self.assertIn("cycles", listed)
        self.assertNotIn("watchdog", self.text("refused"))
        self.assertLess(set(listed), set(EIGHT.split(",")))

    def test_rounds_take_turns_and_every_count_is_exact(self):
        for metric in ("r8:u", "instructions:u"):
            ours, theirs = (self.metric("rounds", metric, c)["values"] for c in (0, 1))
            self.assertEqual(self.metric("rounds", metric)["share"], 1)
            counted = [(a, b) for a, b in zip(ours, theirs) if a is not None]
            self.assertEqual(len(counted), 3, ours)
            self.assertEqual({b - a for a, b in counted}, {1000 * TURN})
            self.assertEqual([a is None for a in ours], [b is None for b in theirs])

    def test_ratios_are_made_of_one_group(self):
        ipc = self.metric("usual", "ipc")
        self.assertEqual(ipc["mean"], 1)  # of this emulation
        self.assertAlmostEqual(self.metric("usual", "ghz")["mean"], 1, delta=0.01)

    def test_an_event_that_the_cpu_lacks_is_a_dash_and_explained(self):
        self.assertIsNone(self.metric("usual", "cache_misses")["mean"])
        self.assertIn("cannot count cache_references, cache_misses, branch_misses: this CPU does not",
                      self.text("usual"))

    def test_events_of_sysfs_count_the_same_as_raw_ones(self):
        self.assertEqual(self.metric("pmu", "armv8_pmuv3/inst_retired/u")["min"],
                         self.metric("pmu", "r8:u")["min"])
        self.assertGreater(self.metric("pmu", "armv8_pmuv3/inst_retired/k")["min"], 0)

    def test_the_list_says_what_opened(self):
        self.assertRegex(self.files["list.table"], r"yes +armv8_pmuv3/inst_retired/")
        events = {event["name"]: event for event in json.loads(self.files["lists.table"])}
        self.assertTrue(events["instructions"]["countable"])
        self.assertFalse(events["branch_misses"]["countable"])
        self.assertIn("this CPU does not", events["branch_misses"]["reason"])

    def test_required_counters_that_are_missing_end_the_session(self):
        self.assertEqual(self.files["required.code"], "6\n")
        self.assertIn("branch_misses", self.text("required"))

    def test_an_unknown_name_gets_the_nearest(self):
        self.assertEqual(self.files["nearest.code"], "2\n")
        self.assertIn("armv8_pmuv3/inst_retired/", self.text("nearest"))

    def test_at_paranoid_2_users_count_user_mode_and_it_is_said(self):
        ours, theirs = (self.metric("paranoid2", "instructions:u", c)["values"] for c in (0, 1))
        self.assertEqual({b - a for a, b in zip(ours, theirs)}, {1000 * TURN})
        self.assertIn("counted in user mode only", self.text("paranoid2"))

    def test_at_paranoid_2_what_the_kernel_shows_as_0_is_not_shown(self):
        self.assertIsNone(self.metric("paranoid2", "cpu_migrations")["mean"])
        self.assertIn("cannot count cpu_migrations: permission denied", self.text("paranoid2"))

    def test_at_paranoid_3_users_get_advice_and_a_result(self):
        self.assertIsNone(self.metric("paranoid3", "instructions")["mean"])
        self.assertGreater(self.metric("paranoid3", "wall_time")["mean"], 0)
        self.assertIn("set kernel.perf_event_paranoid to", self.text("paranoid3"))
        self.assertIn("cap_perfmon", self.text("paranoid3"))
        self.assertEqual(self.files["paranoid3_required.code"], "6\n")

    def test_programs_whose_events_vanish_are_not_counted(self):
        self.assertIsNotNone(self.metric("vanished", "instructions:u", 0)["mean"])
        for command in (1, 2, 3):
            for metric in ("instructions:u", "task_clock:u"):
                self.assertIsNone(self.metric("vanished", metric, command)["mean"], command)
        self.assertIn("set-uid", self.text("vanished"))

    def test_the_unit_tests_pass_here(self):
        self.assertEqual(self.files["stdout"].count(" 0 failed"), 2, self.files["stdout"])


class WithoutCounters(Booted):
    script = WITHOUT_PMU
    pmu = False

    def test_the_machine_is_said_to_have_none(self):
        for name in ("usual", "unprivileged"):
            self.assertIn("no hardware counters in this machine", self.text(name))
            self.assertEqual(self.result(name)["run"]["rounds"], 3)

    def test_nothing_is_zero_that_was_not_counted(self):
        for name in ("usual", "unprivileged"):
            for metric, about in self.result(name)["results"][0]["metrics"].items():
                if about["source"] == "perf_event":
                    self.assertIsNone(about["mean"], metric)

    def test_software_events_need_no_counters(self):
        self.assertGreater(self.metric("software", "task_clock")["min"], 1000000)
        self.assertGreater(self.metric("software", "page_faults")["min"], 0)


def main():
    global PROGRAMS
    PROGRAMS = sys.argv.pop(1)
    try:
        machine.see_to_tools()
        machine.boot_files()
    except machine.CannotRun as error:
        print(f"vm: there is no machine to count on: {error}")
        print(f"vm: 0 passed, {1 if os.environ.get('CI') else 0} failed")
        return 1 if os.environ.get("CI") else 0
    done = unittest.main(exit=False, verbosity=0).result
    failed = len(done.failures) + len(done.errors)
    print(f"vm: {done.testsRun - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
