"""lauka requests many short runs at once, which must not be noticeable. run.py runs these tests."""
import json
import os
import signal
import subprocess
import time
import unittest

import run
from interruption import environments_with
from run import InScratch, lauka
from workers import once

MISHAP = 5  # the run in which something happens; it is in the second batch, the first with several rounds


class Batches(InScratch):
    def counting(self, then):
        """A script that notes each of its runs in `ran`; its MISHAP-th run does `then` at its end."""
        return self.script("counting", f"#!/bin/sh\necho \"$1 $LAUKA_ROUND $LAUKA_ITERATION\" >>ran\n"
                                       f"[ $(wc -l <ran) -ne {MISHAP} ] || {{ {then}; }}\n")

    def session(self, then, *arguments):
        script = self.counting(then)
        return lauka("-w0", f"--json={self.path('json')}", *arguments, f"{script} A", f"{script} B",
                     cwd=self.folder, timeout=30)

    def ran(self):
        with open(self.path("ran")) as file:
            return [line.split() for line in file]

    def course(self):
        with open(self.path("json")) as file:
            return json.load(file)["run"]

    def expect_end_in_it(self, stopped):
        """Expects all finished rounds in the result, and that nothing ran afterwards."""
        self.assertEqual(len(self.ran()), MISHAP)
        course = self.course()
        self.assertEqual((course["rounds"], course["stopped"]), ((MISHAP - 1) // 2, stopped))

    def test_nothing_is_run_after_a_failure(self):
        done = self.session("exit 3", "-r50")
        self.assertEqual(done.returncode, 5)
        self.assertIn("failed with exit code 3 in round 3", done.stderr)
        self.expect_end_in_it("failure")

    def test_a_dropped_round_ends_with_the_failure_and_numbers_go_on(self):
        done = self.session("exit 3", "-r30", "--max-failures=1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.course()["rounds"], self.course()["dropped"]), (30, 1))
        ran = self.ran()
        self.assertEqual(len(ran), 61)
        for name in "AB":
            iterations = [int(iteration) for who, _, iteration in ran if who == name]
            self.assertEqual(iterations, list(range(1, len(iterations) + 1)))
        self.assertEqual([int(number) for _, number, _ in ran],
                         sorted([*range(1, 32), *(r for r in range(1, 32) if r != 3)]))

    def test_the_order_is_that_of_runs_that_are_made_up_one_by_one(self):
        """The order also stays the same if requested rounds were not begun because runs had become long."""
        script = self.script("slow", f"#!/bin/sh\necho >>ran\n[ $(wc -l <ran) -lt {MISHAP} ] || sleep 0.03\n")
        orders = []
        for pretended in ([], ["--backend=simulated"]):
            done = lauka("-w0", "-r20", "--seed=7", "--json", *pretended, script, "true", cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            orders.append(json.loads(done.stdout)["run"]["order"])
        self.assertEqual(orders[0], orders[1])

    def test_an_interruption_ends_the_run_under_way(self):
        done = self.session("set -- $(cat /proc/$PPID/stat); kill -INT $4; exec sleep 60", "-r50")
        self.assertEqual(done.returncode, 130, done.stderr)
        self.expect_end_in_it("interrupted")

    def test_a_command_that_makes_the_best_of_an_interruption_is_the_last_too(self):
        done = self.session("trap 'exit 0' INT; set -- $(cat /proc/$PPID/stat); kill -INT $4; sleep 60", "-r50")
        self.assertEqual(done.returncode, 130, done.stderr)
        self.expect_end_in_it("interrupted")

    def test_a_timeout_ends_the_run_under_way(self):
        done = self.session("exec sleep 60", "-r50", "--timeout=1")
        self.assertEqual(done.returncode, 5)
        self.assertIn("took longer than its --timeout, and was ended by SIGTERM", done.stderr)
        self.expect_end_in_it("failure")

    def test_what_was_measured_before_the_launcher_was_killed_is_kept(self):
        done = self.session("kill -9 $PPID; sleep 60", "-r50")
        self.assertEqual(done.returncode, 1)
        self.expect_end_in_it("error")

    def test_nothing_is_run_after_laukas_own_end(self):
        marker = f"LAUKA_TEST_MARKER={os.getpid()}.{time.monotonic_ns()}"
        script = self.counting("set -- $(cat /proc/$PPID/stat); kill -9 $4; exec sleep 60")
        process = subprocess.Popen([run.LAUKA, "-w0", "-r50", "--env", marker, f"{script} A", f"{script} B"],
                                   cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.assertEqual(process.wait(timeout=30), -signal.SIGKILL)
        end = time.monotonic() + 20
        while environments_with(marker) and time.monotonic() < end:
            time.sleep(0.01)
        self.assertEqual(environments_with(marker), [])
        self.assertEqual(len(self.ran()), MISHAP)

    def test_runs_that_have_become_long_are_not_asked_for_many_at_once(self):
        script = self.script("slow", "#!/bin/sh\necho >>ran\n[ $(wc -l <ran) -lt 3 ] || sleep 0.3\n")
        done = lauka("-w0", "--min-runs=1", "--max-time=0.25", script, cwd=self.folder, timeout=30)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLessEqual(len(self.ran()), 3)

    def test_the_last_words_are_those_of_the_run_that_failed(self):
        script = self.counting("exit 3")
        with open(script, "a") as file:
            file.write("n=$(wc -l <ran); [ $n -lt 3 ] || echo \"run $n\" >&2\n")
        with open(script) as file:
            text = file.read().replace("{ exit 3; }", f"{{ echo \"run {MISHAP}\" >&2; exit 3; }}")
        self.script("counting", text)
        done = lauka("-w0", "-r50", f"{script} A", cwd=self.folder, timeout=30)
        self.assertEqual(done.returncode, 5)
        self.assertIn(f"run {MISHAP}", done.stderr)
        self.assertNotIn(f"run {MISHAP - 1}", done.stderr)
        self.assertEqual(len(self.ran()), MISHAP)

    def test_no_run_of_a_program_that_was_exchanged_counts(self):
        new = self.script("new", "#!/bin/sh\n# another one\n")
        done = self.session(f"cp {new} new2; mv new2 $0", "-r50")
        self.assertEqual(done.returncode, 5)
        self.assertIn("its executable had changed since its first run", done.stderr)
        self.assertLessEqual(self.course()["rounds"], (MISHAP - 1) // 2)
        self.assertGreater(self.course()["rounds"], 0)

    def test_a_hook_stands_before_its_own_run(self):
        script = self.script("notes", "#!/bin/sh\necho $1 >>ran\n")
        done = lauka("-w0", "-r20", "-p", f"{script} prepare", f"{script} run", cwd=self.folder, timeout=30)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.ran(), [["prepare"], ["run"]] * 20)


class EventsInCommon(InScratch):
    """The runs of a batch are counted with the same open events."""

    def faults(self, *arguments):
        """Returns the page faults of each run of the second command, which does nothing."""
        done = lauka("-w0", "--json", "-e", "page-faults", *arguments, run.program("empty"), timeout=50)
        self.assertEqual(done.returncode, 0, done.stderr)
        values = run.metric_of(json.loads(done.stdout)["results"][1], "page_faults").get("values", [])
        if None in values:
            self.skipTest("page faults cannot be counted here")
        return values

    def test_what_a_leftover_did_is_in_no_later_run(self):
        leaves = f"sh -c '{run.program('touch_memory')} 64000 & exec {run.program('empty')}'"
        values = self.faults("-r20", leaves)
        self.assertLess(max(values), min(values) + 1000, values)

    def test_what_lives_on_is_in_no_later_run(self):
        marker = f"LAUKA_TEST_MARKER={os.getpid()}.{time.monotonic_ns()}"
        works = self.script("works", f"#!/bin/sh\nwhile :; do {run.program('touch_memory')} 8000; done\n")
        leaves = self.script("leaves", f"#!/bin/sh\n[ -e left ] || setsid {works} >/dev/null 2>&1 &\n"
                                       f"touch left; exec {run.program('empty')}\n")
        try:
            values = self.faults("--keep-orphans", "--env", marker, "--cwd", self.folder, "-r6", leaves)
        finally:
            while living := environments_with(marker):
                for pid in living:
                    try:
                        os.kill(pid, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
        self.assertLess(max(values), min(values) + 1000, values)


class Launcher(InScratch):
    """The launcher's own memory, which could hide a command's."""

    def told(self, *before):
        script = self.script("tells", "#!/bin/sh\nreadlink /proc/$PPID/exe >told\ncat /proc/$PPID/smaps >>told\n")
        done = subprocess.run([*before, run.LAUKA, "-w0", "-r20", script], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("told")) as file:
            lines = file.read().splitlines()
        return lines[0], sum(int(line.split()[1]) for line in lines if line.startswith("Rss:"))

    @unittest.skipIf(os.sysconf("SC_PAGE_SIZE") > 4096, "this machine has larger pages")
    @once("sanitizers and valgrind need memory of their own")
    def test_it_is_a_program_of_its_own_of_less_than_200_kB(self):
        program, kibibytes = self.told()
        self.assertTrue(program.startswith("/memfd:"), program)
        self.assertLess(kibibytes * 1024, 200_000)

    @once("its size depends on the build")
    def test_where_memory_cannot_be_handed_over_it_is_a_copy_with_the_pages_that_it_needs(self):
        program, kibibytes = self.told("sh", "-c", 'ulimit -f 100000; exec "$0" "$@"')
        self.assertEqual(program, os.path.realpath(run.LAUKA))
        self.assertLess(kibibytes, 900)
