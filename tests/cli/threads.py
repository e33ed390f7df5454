"""lauka threads: the threads of a process that runs already."""
import json
import os
import signal
import subprocess
import time
import unittest

from run import LAUKA, lauka, lauka_as_nobody, need_kernel_mode, program


class LiveThreads(unittest.TestCase):
    def setUp(self):
        self.process = subprocess.Popen([program("threaded")], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.addCleanup(self.process.stdout.close)
        self.addCleanup(self.end)
        self.assertEqual(self.process.stdout.readline(), b"ready\n")
        self.pid = str(self.process.pid)

    def end(self):
        if self.process.stdin:
            self.process.stdin.close()
            self.process.stdin = None
        self.process.wait(timeout=30)

    def when_it_knows(self, name, least, *arguments):
        """A thread gets its name and its time only when the machine lets it run. Also, a read may be the
        one that missed the end of another thread."""
        for _ in range(200):
            read = json.loads(lauka("threads", self.pid, "--json", *arguments).stdout)
            found = [t for t in read["threads"] if t["name"] == name and t["time"] >= least]
            if found and read["gone"]["time"] is not None:
                return read, found[0]
            time.sleep(0.05)
        self.fail(f"no thread {name} has run for {least} s")

    def test_busy_and_idle_threads_by_name(self):
        read, busy = self.when_it_knows("busy", 0.05)
        _, idle = self.when_it_knows("idle \x1b[31m", 0)
        self.assertGreater(busy["time"], 10 * idle["time"])
        self.assertEqual(read["pid"], self.process.pid)
        self.assertEqual(read["name"], "threaded")
        self.assertIsNone(read["seconds"])
        self.assertAlmostEqual(busy["user"] + busy["system"], busy["time"], places=8)
        self.assertAlmostEqual(sum(t["time"] for t in read["threads"]) + read["gone"]["time"],
                               read["total"]["time"], places=8)

    def test_names_do_not_drive_the_terminal(self):
        self.when_it_knows("idle \x1b[31m", 0)
        done = lauka("threads", self.pid, env={"COLUMNS": "80"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("idle \\x1b[31m", done.stdout)
        self.assertNotIn("\x1b", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^ +all ")
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)

    def test_threads_that_ended_are_in_the_sum(self):
        self.when_it_knows("busy", 0.3)
        read, _ = self.when_it_knows("starter", 0)
        self.assertGreater(read["gone"]["time"], 0.005)

    def test_intervals(self):
        started = time.monotonic()
        done = lauka("threads", self.pid, "--interval", "50", "-r", "3", "--json")
        whole = time.monotonic() - started
        self.assertEqual(done.returncode, 0, done.stderr)
        reads = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(reads), 3)
        for read in reads:  # a late read shortens the next interval
            self.assertGreater(read["seconds"], 0)
        self.assertGreater(sum(read["seconds"] for read in reads), 0.05)
        # The limit is the time of all processors, plus the difference between the clocks. A time is unknown
        # if a thread's end was missed. Only the sum is checked, because a single read may take any time.
        self.assertLess(sum(read["total"]["time"] or 0 for read in reads), whole * os.cpu_count() + 0.02)
        self.assertEqual(lauka("threads", self.pid, "--interval", "20ms", "-r", "2").stdout.count(
            "threaded ("), 2)

    def watch(self):
        watcher = subprocess.Popen([LAUKA, "threads", self.pid, "--interval", "20", "--json"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(watcher.stdout.close)
        self.addCleanup(watcher.stderr.close)
        self.assertIn("schema", watcher.stdout.readline())
        return watcher

    def test_the_end_of_the_process_ends_it(self):
        watcher = self.watch()
        self.end()
        _, said = watcher.communicate(timeout=30)
        self.assertEqual(watcher.returncode, 0)
        self.assertEqual(said, f"lauka: process {self.pid} has ended\n")

    def test_an_interruption_ends_it(self):
        watcher = self.watch()
        watcher.send_signal(signal.SIGINT)
        _, said = watcher.communicate(timeout=30)
        self.assertEqual(watcher.returncode, 130)
        self.assertEqual(said, "")

    def test_events_that_were_asked_for_are_counted_of_each_thread(self):
        need_kernel_mode(self)
        self.when_it_knows("busy", 0.05)
        done = lauka("threads", self.pid, "--interval=100ms", "-r3", "-e", "task_clock,page_faults", "--json")
        reads = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual((done.returncode, len(reads)), (0, 3), done.stderr)
        # Both clocks are the kernel's; they are read one after the other.
        clock = sum(t["events"]["task_clock"] for read in reads for t in read["threads"] if t["name"] == "busy") / 1e9
        time = sum(t["time"] for read in reads for t in read["threads"] if t["name"] == "busy")
        seconds = sum(read["seconds"] for read in reads)
        self.assertTrue(0 < clock <= 1.5 * seconds and 0 < time, (clock, time, seconds))
        for read in reads:
            idle = next(t for t in read["threads"] if t["name"].startswith("idle"))
            self.assertEqual((idle["events"], idle["cycles"]), ({"task_clock": 0, "page_faults": 0}, None))
        done = lauka("threads", self.pid, "--interval=100ms", "-r1", "-e", "task_clock", env={"COLUMNS": "80"})
        self.assertRegex(done.stdout, r"(?m)^thread .* task_clock( [KMG])?  ")

    def test_an_event_that_cannot_be_counted_is_explained_and_more_than_eight_are_refused(self):
        need_kernel_mode(self)
        done = lauka("threads", self.pid, "--interval=10ms", "-r1", "-e", "task_clock,r1ffffffffffff")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        if "r1ffffffffffff" not in done.stdout.splitlines()[1]:
            self.assertIn("note: cannot count r1ffffffffffff: ", done.stdout)
        names = ",".join(f"r{n}" for n in range(1, 10))
        for arguments, why in ((["-e", "cycles"], "give --interval"), (["--interval=1s", "-e", names], "8 events at most"),
                               (["--interval=1s", "-e", "nonsense"], "unknown")):
            done = lauka("threads", self.pid, *arguments)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn(why, done.stderr)

    def test_what_cannot_be_watched(self):
        self.end()
        for arguments, code, words in [
                ([self.pid], 2, "there is no process"), (["0"], 2, "not a process ID"),
                (["12x"], 2, "not a process ID"), ([], 2, "takes one process ID"),
                (["1", "2"], 2, "takes one process ID"),
                (["1", "--interval", "0"], 2, "above 0"), (["1", "--csv"], 2, "--csv goes only with"),
                (["1", "--json=file"], 2, "a table, or JSON")]:
            done = lauka("threads", *arguments)
            self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
            self.assertIn(words, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)

    def process_of_another_user(self):
        """Returns its number. Only root can start one; others look for one, also where /proc hides it (hidepid)."""
        if os.geteuid() == 0:
            sleeper = subprocess.Popen(["sleep", "60"], user=65533, group=65533, extra_groups=[])
            self.addCleanup(sleeper.wait)
            self.addCleanup(sleeper.kill)
            return sleeper.pid
        for pid in range(1, 400):
            try:
                os.getpgid(pid)
                if os.stat(f"/proc/{pid}").st_uid != os.geteuid():
                    return pid
            except FileNotFoundError:
                return pid
            except ProcessLookupError:
                pass
        return self.skipTest("all processes here are this user's")

    def test_another_users_process(self):
        pid = self.process_of_another_user()
        done = lauka_as_nobody("threads", str(pid))
        self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1))
        self.assertIn((done.returncode, done.stderr.split(";")[0]), (
            (6, f"lauka: process {pid} is another user's"),
            (2, f"lauka: there is no process {pid}, or this user may not see it (hidepid)")))
