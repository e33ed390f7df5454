"""Signals and Ctrl-C: what lauka ends, reports and leaves behind."""
import json
import os
import signal
import subprocess
import time

from run import InScratch, LAUKA, lauka


def environments_with(marker):
    """The live processes with the marker in their environment; zombies have no environment, so they are
    left out."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if marker.encode() in open(f"/proc/{pid}/environ", "rb").read():
                found.append(int(pid))
        except OSError:
            pass
    return found


class Interrupting(InScratch):
    def await_true(self, condition):
        deadline = time.monotonic() + 30
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertTrue(condition())

    @staticmethod
    def heed_signals():
        """A shell starts background jobs with SIGINT ignored, which lauka would inherit."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)

    def interrupt(self, number, *arguments, once):
        """Sends the signal once the command is known to be running."""
        process = subprocess.Popen([LAUKA, *arguments], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   start_new_session=True, preexec_fn=self.heed_signals)
        self.addCleanup(process.kill)
        self.await_true(once)
        process.send_signal(number)
        out, error = process.communicate(timeout=30)
        return process.returncode, out, error

    def marked_processes(self, marker):
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if marker.encode() in open(f"/proc/{pid}/cmdline", "rb").read():
                    found.append(int(pid))
            except OSError:
                pass
        return found


class Interruption(Interrupting):
    def test_finished_rounds_are_reported(self):
        ran, hangs = self.path("ran"), self.path("hangs")
        blocks = self.script("blocks", f"#!/bin/sh\n[ -e {ran} ] || exec touch {ran}\n"
                                       f"touch {hangs}\nexec sleep 60\n")
        code, out, _ = self.interrupt(signal.SIGINT, "-w", "0", "-r", "9", blocks,
                                      once=lambda: os.path.exists(hangs))
        self.assertEqual(code, 130)
        self.assertIn("wall_time", out)

    def test_it_is_said_that_no_round_was_finished(self):
        hangs, stored = self.path("hangs"), self.path("r.json")
        blocks = self.script("blocks", f"#!/bin/sh\ntouch {hangs}\nexec sleep 60\n")
        code, _, error = self.interrupt(signal.SIGINT, f"--json={stored}", blocks,
                                        once=lambda: os.path.exists(hangs))
        self.assertEqual(code, 130)
        self.assertIn("nothing was measured", error)
        self.assertEqual(lauka("report", stored).returncode, 0)

    def test_a_cleanup_that_is_interrupted_did_not_fail(self):
        hangs = self.path("hangs")
        code, out, error = self.interrupt(signal.SIGINT, "-q", "-r", "2", "-c", f"touch {hangs}; exec sleep 60",
                                          "true", once=lambda: os.path.exists(hangs))
        self.assertEqual((code, error), (130, ""))
        self.assertIn("wall_time", out)

    def test_a_sequential_session_tells_what_it_did_not_come_to(self):
        hangs, stored = self.path("hangs"), self.path("r.json")
        blocks = self.script("blocks", f"#!/bin/sh\ntouch {hangs}\nexec sleep 60\n")
        code, out, _ = self.interrupt(signal.SIGINT, "--order=sequential", "-r", "2", f"--json={stored}", "true",
                                      blocks, "echo later", once=lambda: os.path.exists(hangs))
        self.assertEqual(code, 130)
        self.assertIn("interrupted;", out)
        self.assertIn("`echo later` did not run", out)
        result = json.load(open(stored))
        self.assertEqual([len(entry["times"]) for entry in result["results"]], [2, 0])
        self.assertIn("0 runs of", lauka("report", "--full", stored).stdout)

    def test_the_whole_process_group_of_the_command_ends(self):
        marker = f"31.4159{os.getpid()}"
        code, _, _ = self.interrupt(signal.SIGTERM, f"sh -c 'sleep {marker} & sleep {marker}; :'",
                                    once=lambda: len(self.marked_processes(f"sleep\0{marker}")) == 2)
        self.assertEqual(code, 143)
        self.await_true(lambda: self.marked_processes(marker) == [])

    def test_a_command_that_ignores_the_signal_is_killed(self):
        marker = f"27.1828{os.getpid()}"
        deaf = self.script("deaf", f"#!/bin/sh\ntrap '' INT TERM\nsleep {marker}; sleep {marker}\n")
        started = time.monotonic()
        code, _, _ = self.interrupt(signal.SIGINT, deaf,
                                    once=lambda: len(self.marked_processes(marker)) == 1)
        self.assertEqual(code, 130)
        self.assertLess(time.monotonic() - started, 25)
        self.await_true(lambda: self.marked_processes(marker) == [])

    def test_ignored_signals_stay_ignored(self):
        process = subprocess.Popen([LAUKA, "-r", "2", "-w", "0", "sleep 0.5"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(timeout=60), 0)

    def test_a_killed_lauka_takes_its_command_along(self):
        marker = f"16.1803{os.getpid()}"
        process = subprocess.Popen([LAUKA, f"sleep {marker}"], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while not self.marked_processes(f"sleep\0{marker}") and time.monotonic() < deadline:
            time.sleep(0.01)
        process.kill()
        process.wait()
        self.await_true(lambda: self.marked_processes(marker) == [])
