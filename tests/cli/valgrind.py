"""What valgrind counts, and what lauka says where it is not installed."""
import json
import os
import shutil
import signal
import subprocess
import time
import unittest

import shared
import workers
from run import InScratch, LAUKA, lauka, program, result_of

COPIES = """
#include <stdlib.h>
#include <string.h>
int main(void)
{
    char *from = malloc(1000000), *to = malloc(1000000);
    memset(from, 1, 1000000);
    for (int i = 0; i < 10; i++)
        memcpy(to, from, 1000000);
    return to[0] == 9;
}
"""


@workers.once("valgrind takes most of the time")
class Valgrind(InScratch):
    def setUp(self):
        super().setUp()
        if not shutil.which("valgrind"):
            if os.environ.get("CI") == "true":
                self.fail("valgrind is not installed")
            self.skipTest("valgrind is not installed")

    def simulated(self, *arguments, **keywords):
        """Returns {metric: [values]} for each command, and the whole result."""
        result = result_of("--counters=valgrind", "-w", "0", *arguments, **keywords)
        return [{name: entry["metrics"][name]["values"] for name in entry["metrics"]
                 if name.startswith("sim_")} for entry in result["results"]], result

    def test_sorted_numbers_are_foreseen_and_figures_are_always_the_same(self):
        commands = [program("branches") + " sorted", program("branches") + " random"]
        (first, other), result = self.simulated("-r", "3", *commands)
        self.assertGreater(other["sim_branch_misses:u"][0], 5 * first["sim_branch_misses:u"][0])
        # The second run counts instructions alone.
        self.assertEqual({name: values[1] for name, values in other.items()},
                         {name: values[0] if name == "sim_instructions:u" else None for name, values in other.items()})
        self.assertEqual(set(first), {"sim_instructions:u", "sim_branches:u", "sim_l1d_misses:u",
                                      "sim_branch_misses:u", "sim_cache_misses:u"})
        self.assertTrue(all(values[2] is None for values in first.values()))
        for comparison in result["comparisons"]:
            if comparison["metric"].startswith("sim_"):
                pairs = 2 if comparison["metric"] == "sim_instructions:u" else 1
                self.assertEqual((comparison["method"], comparison["pairs"]), ("exact", pairs))
                self.assertEqual(comparison["low"], comparison["high"])
        metric = result["results"][0]["metrics"]["sim_branches:u"]
        self.assertEqual((metric["source"], metric["count"]), ("valgrind", 1))
        self.assertEqual(self.simulated("-r", "3", *commands)[0], [first, other])
        # The program reads a longer environment, but its stack begins at the same place.
        again, _ = self.simulated("-r", "1", commands[1], env={"LONGER": "x" * 1000})
        for name in again[0]:
            lines = 1000 / 16  # lines of the smallest cache that the longer environment occupies
            self.assertAlmostEqual(again[0][name][0], other[name][0],
                                   delta=max(lines, other[name][0] * 0.01))

    def test_one_round_is_enough_to_be_exact(self):
        _, result = self.simulated("-r", "1", "--primary=sim-instructions", program("empty"),
                                   program("branches") + " sorted")
        found = next(c for c in result["comparisons"] if c["metric"] == "sim_instructions:u")
        self.assertEqual((found["method"], found["verdict"]), ("exact", "higher"))

    def test_a_gate_on_simulated_counts_passes_and_fails_run_or_stored(self):
        branches = program("branches") + " sorted"
        gate = ("--gate", "sim_instructions=0.1%", "--gate", "sim_branch_misses=1%")
        for other, code in [(branches, 0), (program("branches") + " random", 3)]:
            done = lauka("--counters=valgrind", "-w", "0", "-r", "3", "--json=stored.json", *gate, branches,
                         other, cwd=self.folder)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            self.assertNotIn("rounds at least", done.stderr)
            with open(self.path("stored.json")) as file:
                limits = json.load(file)["gate"]["limits"]
            self.assertEqual([(limit["verdict"], limit["exact"]) for limit in limits],
                             [("pass", True), ("fail" if code else "pass", True)])
            done = lauka("gate", *gate, self.path("stored.json"))
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            self.assertIn("sim_branch_misses:u", done.stdout)

    def test_copies_by_rep_movs_are_not_counted_byte_by_byte(self):
        """Where glibc takes rep movsb for large copies, valgrind counts each byte as an instruction."""
        copies = shared.compiled(COPIES, "-O1", "-fno-builtin")
        (first, other), result = self.simulated(
            "-r", "1", copies, "env GLIBC_TUNABLES=glibc.cpu.x86_rep_movsb_threshold=100000000:"
            f"glibc.cpu.x86_rep_stosb_threshold=100000000 {copies}")
        count = "sim_instructions:u"
        self.assertLess(first[count][0], 3_000_000)
        self.assertLess(first[count][0], other[count][0])  # which starts env, too
        self.assertRegex(result["host"]["simulator"], r"valgrind \d.*x86_rep_movsb_threshold=\d")
        shows = self.script("shows", '#!/bin/sh\nprintf %s "$GLIBC_TUNABLES" >tunables\n')
        lauka("--counters=valgrind", "-r1", "-w0", "--env=A:GLIBC_TUNABLES=glibc.malloc.check=0", shows, cwd=self.folder)
        with open(self.path("tunables"), encoding="utf-8") as file:
            self.assertIn(file.read().split(":")[0], ("glibc.malloc.check=0",))

    def test_counts_under_other_circumstances_are_not_compared(self):
        done = lauka("--counters=valgrind", "-w", "0", "-r", "2", "--json=old.json", program("empty"), cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("old.json"), encoding="utf-8") as file:
            stored = json.load(file)
        gate = ("gate", "--gate=sim_instructions=1%", "old.json", "new.json")
        for change, apart in (({}, False), ({"simulator": "valgrind 9.9, glibc 2.99"}, True), ({"cpu_model": "Abacus"}, True)):
            with open(self.path("new.json"), "w", encoding="utf-8") as file:
                json.dump(stored | {"host": stored["host"] | change}, file)
            done = lauka(*gate, cwd=self.folder)
            self.assertEqual("under different circumstances (see the notes)" in " ".join(done.stdout.split()), apart, done.stdout)
            self.assertEqual("inconclusive: 1 of 1" in done.stdout, apart, done.stdout)
            done = lauka("compare", "old.json", "new.json", cwd=self.folder)
            said = " ".join(done.stdout.split())
            self.assertEqual(said.count("sim_ counts are not compared"), int(apart), said)
            for value in change.values():
                self.assertIn(value, said)

    def test_instructions_alone_are_as_many_as_beside_caches(self):
        for command in (program("branches") + " random", program("descend") + " forked"):
            whole, _ = self.simulated("-r", "1", command)
            result = result_of("--counters=valgrind:instructions", "-w", "0", "-r", "1", command)
            metrics = {name: metric for name, metric in result["results"][0]["metrics"].items() if name.startswith("sim_")}
            self.assertEqual(set(metrics), {"sim_instructions:u"})
            # The environment has its place on the stack, and libc's functions depend on that by some instructions.
            self.assertAlmostEqual(metrics["sim_instructions:u"]["values"][0], whole[0]["sim_instructions:u"][0], delta=20)
            self.assertIn("without caches", " ".join(result["warnings"]))
        done = lauka("--counters=valgrind:caches", program("empty"))
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        done = lauka("--why", "--counters=valgrind:instructions", "-r1", "-w0", program("branches") + " random",
                     program("branches") + " sorted")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("estimated cycles", done.stdout)

    def test_a_command_that_forks_is_exact_although_its_second_run_has_no_caches(self):
        _, result = self.simulated("-r", "1", program("descend") + " forked", program("descend") + " executed")
        self.assertTrue(result["results"][0]["metrics"]["sim_instructions:u"]["repeatable"])
        self.assertNotIn("differ by", " ".join(result["warnings"]))

    def test_primary_counts_need_no_more_rounds(self):
        run = result_of("--counters=valgrind", "--primary=sim_instructions", "--min-time=0",
                        program("empty"), program("empty"))["run"]
        self.assertEqual(run["stopped"], "exact")

    def test_it_is_labelled(self):
        done = lauka("--counters=valgrind", "-r", "3", program("empty"))
        self.assertIn("sim_instructions:u", done.stdout)
        self.assertIn("on a simulated processor, instructions twice", " ".join(done.stdout.split()))

    def test_what_is_done_before_an_execution_or_in_a_fork_counts_once(self):
        """No shell does the work: libc's functions execute more instructions if a string crosses a page,
        and every further environment variable moves the strings. cachegrind counts a single process,
        callgrind several; both must count the same."""
        count = "sim_instructions:u"
        ways = [(program("descend"), way) for way in ("once", "twice", "forked", "executed")]
        for _ in range(8):  # an executed program may end before a busy lauka has taken what its predecessor left: then lauka says so
            (once, twice, forked, executed), result = self.simulated(
                "-r", "1", "--", *ways[0], "--vs", *ways[1], "--vs", *ways[2], "--vs", *ways[3])
            partial = [entry["metrics"][count].get("partial") for entry in result["results"]]
            if partial == [None] * 4:
                break
        self.assertEqual(partial, [None] * 4)
        work = twice[count][0] - once[count][0]
        start = once[count][0] - work
        self.assertGreater(work, 100 * start)
        self.assertAlmostEqual(forked[count][0], twice[count][0], delta=start)
        self.assertAlmostEqual(executed[count][0], 2 * once[count][0], delta=start)
        found = [c["method"] for c in result["comparisons"] if c["metric"] == count]
        self.assertEqual(found, ["exact"] * 3)

    def test_what_a_fork_does_is_held_to_a_limit(self):
        done = lauka("--counters=valgrind", "-w", "0", "-r", "1", "--gate", "sim_instructions=0.1%",
                     program("descend") + " once", program("descend") + " forked")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)

    def test_what_cannot_be_followed_makes_counts_partial_and_a_gate_inconclusive(self):
        gate = ("--gate", "sim_instructions=50%", "--inconclusive=fail")
        done = lauka("--counters=valgrind", "--full", "-w", "0", "-r", "1", "--json=stored.json", "--markdown=stored.md",
                     "--pr-comment=comment.md", *gate,
                     program("empty"), program("descend") + " killed", cwd=self.folder)
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"sim_instructions:u +≥\d")
        self.assertRegex(done.stdout, r"could\s+not\s+follow\s+all\s+of")
        self.assertRegex(done.stdout, r"was\s+killed,\s+or\s+had\s+not\s+ended")
        with open(self.path("stored.json")) as file:
            result = json.load(file)
        count = "sim_instructions:u"
        self.assertEqual([entry["metrics"][count].get("partial") for entry in result["results"]], [None, True])
        found = next(c for c in result["comparisons"] if c["metric"] == count)
        self.assertEqual((found["verdict"], found["ratio"], found["low"]), ("inconclusive", None, None))
        limit = result["gate"]["limits"][0]
        self.assertEqual((limit["verdict"], limit["undecided"]), ("inconclusive", "not known"))
        with open(self.path("stored.md")) as file:
            self.assertIn("≥", file.read())
        with open(self.path("comment.md")) as file:
            self.assertIn("**Next step:** follow the notes: only a part of what was done is counted; "
                          "more rounds would not change that.", file.read())
        # The stored result gives the same verdict, alone and with another one.
        for files in (["stored.json"], ["stored.json", "stored.json"]):
            done = lauka("gate", "--full", *gate, *files, cwd=self.folder)
            self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
            self.assertIn("only a part of what was done is counted", " ".join(done.stdout.split()))
        done = lauka("report", "--full", "stored.json", cwd=self.folder)
        self.assertRegex(done.stdout, r"sim_instructions:u +≥\d")

    @unittest.skipIf(os.geteuid() != 0, "only root can make a set-uid program of another user")
    @workers.early("two sessions of shells after each other under valgrind")
    def test_what_it_cannot_follow_along_the_path_is_left_to_the_kernel(self):
        """Otherwise the shell would fail with "Permission denied", because valgrind refuses set-uid
        programs."""
        folder = self.path("bin")
        os.mkdir(folder)
        shutil.copy(program("branches"), os.path.join(folder, "privileged"))
        os.chmod(os.path.join(folder, "privileged"), 0o4755)
        path = {"PATH": folder + ":" + os.environ["PATH"]}
        for script in "privileged sorted; :", "exec privileged sorted":
            done = lauka("--counters=valgrind", "--full", "-w0", "-r1", "--json=" + self.path("json"), "--", "sh", "-c",
                         script, env=path)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("executes a program that valgrind cannot follow (set-uid", " ".join(done.stdout.split()))
            with open(self.path("json")) as file:
                count = json.load(file)["results"][0]["metrics"]["sim_instructions:u"]
            self.assertIs(count["partial"], True)

    def test_a_folder_with_a_percent_sign_and_nothing_left_behind(self):
        folder = self.path("a %p b")
        os.mkdir(folder)
        self.simulated("-r", "1", program("empty"), env={"TMPDIR": folder})
        self.assertEqual(os.listdir(folder), [])

    def test_what_it_cannot_run_is_said_before_anything_is_measured(self):
        wrong = self.path("wrong")
        with open(wrong, "wb") as file:
            file.write(b"\x7fELF\x01\x01\x01" + bytes(9) + b"\x02\x00\x03\x00\x01" + bytes(200))
        os.chmod(wrong, 0o755)
        for command, code, words in [(wrong, 6, "valgrind cannot run"),
                                     ("false", 5, "under valgrind, `false` failed with exit code 1")]:
            done = lauka("--counters=valgrind", "-w0", "-r1", command, env={"TMPDIR": self.folder})
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(words, done.stderr)
            self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1))
            self.assertEqual(os.listdir(self.folder), ["wrong"])

    def test_what_prepares_a_run_prepares_its_runs_too(self):
        log = self.path("log")
        self.simulated("-r", "1", "-p", f"echo p >>{log}", "-C", f"echo c >>{log}", "--",
                       "sh", "-c", f"echo r >>{log}")
        self.assertEqual(open(log).read().split(), ["p", "r", "c"] * 3)
        done = lauka("--counters=valgrind", "-p", "false", program("empty"))
        self.assertEqual(done.returncode, 5)

    def test_failures_may_be_accepted(self):
        self.simulated("-r", "1", "-i", "false")

    def test_an_interruption_leaves_nothing_behind(self):
        running = subprocess.Popen([LAUKA, "--counters=valgrind", "--", "sh", "-c",
                                    f": >{self.path('begun')}; exec sleep 60"],
                                   env={**os.environ, "TMPDIR": self.folder},
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(600):
            if os.path.exists(self.path("begun")):
                break
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
        self.assertEqual(running.returncode, 130)
        left = os.listdir(self.folder)  # if valgrind is killed as it starts, it leaves a file
        self.assertEqual([name for name in left if not name.startswith("valgrind_proc_")], ["begun"])


class WithoutValgrind(InScratch):
    def test_that_it_is_missing_is_said(self):
        done = lauka("--counters=valgrind", "-r", "1", program("empty"), env={"PATH": self.folder})
        self.assertEqual(done.returncode, 6)
        self.assertIn("valgrind is not installed; install it", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_ways_of_counting(self):
        done = lauka("--counters=magic", "true")
        self.assertEqual(done.returncode, 2)
        self.assertIn("pmu, valgrind, valgrind:instructions or none", done.stderr)
        done = lauka("--counters=valgrind", "--backend=simulated", "true")
        self.assertEqual(done.returncode, 2)
        metrics = result_of("--counters=none", "-r", "1", "true")["results"][0]["metrics"]
        self.assertNotIn("cycles", metrics)
