"""What lauka reports about the machine, and what it does about it. run.py runs these tests."""
import json
import os
import re
import subprocess

import run
from run import InScratch, lauka, lauka_as_nobody, result_of
from workers import alone


class Doctor(InScratch):
    def test_every_finding_has_a_source_an_effect_and_the_floor_is_measured(self):
        told = json.loads(lauka("doctor", "--json").stdout)
        for finding in told["findings"]:
            self.assertIn(finding["weight"], ("fine", "unknown", "minor", "matters"))
            self.assertTrue(finding["source"] and finding["effect"] and finding["found"], finding)
        floor = told["spawn_floor_ns"]
        if floor is not None:  # a machine may forbid executing files in memory
            self.assertGreater(floor["least"], 1000)
            self.assertLessEqual(floor["least"], floor["median"])
        self.assertGreater(told["clock_cost_ns"], 0)

    def test_the_floor_stands_beside_a_result_that_is_near_it_and_beside_no_other(self):
        told = json.loads(lauka("doctor", "--json").stdout)["spawn_floor_ns"]
        if told is None:
            self.skipTest("files in memory cannot be executed here")
        for command in (run.program("empty"), "true", "sleep 0.1"):
            result = result_of("-r", "10", command)
            least = result["results"][0]["min"] * 1e9
            notes = [w for w in result["warnings"] if "starting and reaping an empty program takes" in w]
            if told["least"] > least / 2:  # between these bounds, both are possible
                self.assertEqual(len(notes), 1, (command, least, told))
                self.assertIn(f"wall time of `{command}`", notes[0])
                self.assertIn("resolution of the clock is ", notes[0])
                took, unit, share = re.search(r"takes ([\d.]+) (\S+) here.*: about (\d+) % of", notes[0]).groups()
                took = float(took) * {"ns": 1, "\N{MICRO SIGN}s": 1e3, "ms": 1e6}[unit]
                self.assertAlmostEqual(float(share), 100 * took / least, delta=1)  # it may be more than all of it
            elif told["least"] < least / 12:
                self.assertEqual(notes, [], (command, least, told))

    def test_no_line_is_wider_than_the_terminal(self):
        for columns, locale in ((20, "C"), (20, "C.UTF-8"), (80, "C"), (120, "C.UTF-8")):
            done = lauka("doctor", env={"COLUMNS": str(columns), "LC_ALL": locale})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), columns)
            self.assertTrue(locale != "C" or done.stdout.isascii())
        self.assertIn("spawn floor", lauka("doctor").stdout)

    def test_it_takes_no_commands(self):
        self.assertEqual(lauka("doctor", "true").returncode, 2)

    @alone("it keeps every CPU busy")
    def test_a_quiet_machine_can_be_required(self):
        eater = subprocess.Popen(["sh", "-c", "while :; do :; done & while :; do :; done & "
                                  "while :; do :; done & while :; do :; done & wait"],
                                 start_new_session=True)
        try:
            ran = self.path("ran")
            codes = []
            for _ in range(5):  # four loops may not be seen to want two CPUs at the first look
                done = lauka("--require-quiet", "-r", "1", "--", "touch", ran)
                codes.append(done.returncode)
                if done.returncode == 6:
                    break
            if (os.cpu_count() or 1) <= 4:
                self.assertEqual(codes[-1], 6, done.stderr)
                self.assertIn("--require-quiet: this machine is not: ", done.stderr)
                self.assertFalse(os.path.exists(ran))
        finally:
            os.killpg(eater.pid, 9)
            eater.wait()


class QuietMachine(InScratch):
    def test_commands_share_a_set_that_lauka_keeps_off_and_the_report_names_it(self):
        allowed = sorted(os.sched_getaffinity(0))
        out = self.path("out")
        show = f"grep Cpus_allowed_list /proc/self/status >>{out}"
        result = result_of("-r", "3", "--quiet-machine", "-S", show, f"{show};")
        note = next(w for w in result["warnings"] if w.startswith("--quiet-machine: "))
        sets = set(open(out).read().split()[1::2])
        self.assertEqual(len(sets), 1)
        if len(allowed) > 1 and "no CPU could" not in note:
            cpus = sets.pop()
            self.assertIn(f"on CPU{'' if cpus.isdigit() else 's'} {cpus}, lauka on the others", note)
            self.assertIn({"name": "pin", "value": cpus, "given": False}, result["run"]["options"])
        self.assertIn("priority", note)
        self.assertEqual(sorted(os.sched_getaffinity(0)), allowed)

    def test_what_was_pinned_is_called_so(self):
        allowed = sorted(os.sched_getaffinity(0))
        for cpus in (allowed, allowed[:1]):
            pin = ",".join(map(str, cpus))
            notes = result_of("-r", "1", "--quiet-machine", "--pin", pin, "true")["warnings"]
            note = next(w for w in notes if w.startswith("--quiet-machine: "))
            self.assertIn(f"on CPU{'s' if len(cpus) > 1 else ''} {pin}, as --pin says; ", note)
            self.assertNotIn("lauka on the others", note)
            self.assertEqual(any("leaves no CPU" in n for n in notes), len(cpus) == len(allowed))

    def test_without_the_right_to_it_priority_stays_as_it_is(self):
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        done = lauka_as_nobody("--json", "-r", "1", "--quiet-machine", "--", "/bin/sh", "-c",
                               f"[ $(cut -d' ' -f19 /proc/self/stat) = {os.nice(0)} ]", cwd="/")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("their priority could not be raised (Permission denied", done.stdout)


class Order(InScratch):
    def words(self, *options):
        log = self.path("log")
        if os.path.exists(log):
            os.remove(log)
        result = result_of("-w", "1", *options, "-S", f"echo a >>{log}", f"echo b >>{log}",
                           f"echo c >>{log}")
        return "".join(open(log).read().split()), result

    def test_there_and_back(self):
        words, result = self.words("-r", "4", "--order", "abba")
        self.assertEqual(words[3:], "abccbaabccba")
        self.assertEqual(result["run"]["order"], ["abc".index(c) for c in words[3:]])

    def test_every_round_begins_with_the_next(self):
        self.assertEqual(self.words("-r", "4", "--order", "rotate")[0][3:], "abcbcacababc")

    def test_another_order_is_refused(self):
        done = lauka("--order", "baab", "true")
        self.assertEqual(done.returncode, 2)
        self.assertIn("shuffle, abba, rotate or sequential", done.stderr)

    def test_one_command_after_the_other_with_a_warning(self):
        words, result = self.words("-r", "3", "--order", "sequential")
        self.assertEqual(words, "aaaabbbbcccc")
        self.assertTrue(result["run"]["unpaired"])
        self.assertEqual([len(r["times"]) for r in result["results"]], [3, 3, 3])
        self.assertTrue(any("so drift (" in w for w in result["warnings"]))

    def test_what_holds_for_all_commands_is_said_once(self):
        result = result_of("--backend", "simulated:no-pmu", "-r", "3", "--order", "sequential", "a", "b", "c")
        told = [w for w in result["warnings"] if "cannot count" in w]
        self.assertEqual(len(told), 1)
        self.assertTrue(told[0].startswith("cannot count"))

    def test_setup_runs_and_cleanup_come_command_by_command(self):
        log = self.path("log")
        build = self.path("prog")
        result = result_of("-w", "0", "-r", "2", "--order", "sequential", "-L", "v", "1,2", "-s",
                           f"printf '#!/bin/sh\\necho {{v}} >>{log}\\n' >{build}; chmod +x {build}; echo s{{v}} >>{log}",
                           "-c", f"echo c{{v}} >>{log}", build)
        self.assertEqual(open(log).read().split(), ["s1", "1", "1", "c1", "s2", "2", "2", "c2"])
        self.assertEqual(len(result["results"]), 2)

    def test_a_failure_ends_a_sequence_with_what_is_known(self):
        done = lauka("-r", "3", "--full", "--order", "sequential", "true", "false", "true")
        self.assertEqual(done.returncode, 5)
        self.assertIn("false: failed with exit code 1", done.stderr)
        self.assertIn("3 runs of true", done.stdout)
