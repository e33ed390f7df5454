"""Progress on a terminal."""
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import termios
import time
import unittest

import run
from run import InScratch


class Progress(InScratch):
    def shown(self, *arguments, term="xterm", until=None, columns=100):
        """Returns everything that lauka writes to stderr, a terminal with this many columns. If `until` is
        given, lauka is interrupted when that file exists."""
        master, slave = pty.openpty()
        environment = {**os.environ, "TERM": term, "COLUMNS": str(columns), "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
        process = subprocess.Popen([run.LAUKA, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=slave, cwd=self.folder, env=environment, text=True)
        os.close(slave)
        while until and not os.path.exists(until):
            time.sleep(0.01)
        if until:
            process.send_signal(signal.SIGINT)
        self.out = process.communicate(timeout=60)[0]
        written = b""
        while True:
            try:
                chunk = os.read(master, 65536)
            except OSError:
                break
            written += chunk
        os.close(master)
        return written.decode().split("\r\x1b[K")

    def test_rounds_a_bar_and_a_forecast_that_is_never_nothing(self):
        lines = self.shown("-w2", "-r4", "sleep 0.15", "sleep 0.16")
        self.assertTrue(any(line.startswith("warm-up 1 of 2") for line in lines), lines)
        rounds = [line for line in lines if line.startswith("round")]
        self.assertGreaterEqual(len(rounds), 3)
        for line in rounds:
            self.assertRegex(line, r"^round \d of 4 [━╸─]{6,24} [\d.]+ s left$")
            self.assertNotIn(" 0.0 s", line)
        self.assertEqual(lines[-1], "")

    def test_from_round_six_on_the_estimate(self):
        lines = self.shown("-w1", "-r9", "sleep 0.1", "sleep 0.3")  # so far apart that no load hides it, nor how it is written
        self.assertRegex(lines[-2], r"^round \d of 9 .* left   sleep 0.3 ×[\d.]+ \[[\d.]+, [\d.]+\]$")
        self.assertFalse([line for line in lines if re.match("round [1-6] ", line) and "[" in line])

    def test_notes_and_errors_are_as_wide_as_the_screen(self):
        for words in ["--backend=simulated:effects", "p cost=3s", "q cost=3s"], ["--counters=everything-that-there-is " * 4, "p"]:
            lines = "".join(self.shown(*words)).splitlines()
            self.assertGreater(len(lines), 1)
            self.assertLessEqual(max(map(len, lines)), 100, lines)
            self.assertRegex("\n".join(lines), r"^lauka: .+(\n {7}\S.*)+$")

    def test_the_terminal_has_room_for_an_interruption(self):
        for line in self.shown("-w0", "-r9", "sleep 0.1", "sleep 0.2 and then some more words that fill the line to its end"):
            if line.startswith("round"):
                self.assertLessEqual(len(line), 97)

    def test_the_line_follows_the_width_of_the_terminal(self):
        """A line that the terminal has wrapped goes whole: with as many rows as it has by then."""
        master, slave = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
        environment.pop("COLUMNS", None)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 120, 0, 0))
        process = subprocess.Popen([run.LAUKA, "-r999", "sleep 0.05", "sleep 0.06"], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=slave, env=environment)
        written = self.read_until(master, rb"round [789] of 999 [^\r]{60}")
        self.assertNotIn(b"\x1b[A", written)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
        os.close(slave)
        narrow = self.read_until(master, rb"\x1b\[A.*(round [^\r]*\r\x1b\[K){3}")
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        os.close(master)
        rows = narrow[narrow.index(b"\x1b[A"):].count(b"\x1b[A")
        self.assertIn(rows, (1, 2))  # of 41 to 117 columns, in rows of 40
        for line in narrow[narrow.rindex(b"\x1b[A"):].decode().split("\r\x1b[K")[1:-1]:
            self.assertLessEqual(len(line), 37)

    def read_until(self, master, pattern):
        written = b""
        while not re.search(pattern, written, re.S):
            ready, _, _ = select.select([master], [], [], 60)
            self.assertTrue(ready, written)
            written += os.read(master, 65536)
        return written

    @unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
    def test_runs_of_valgrind_are_foreseen(self):
        lines = self.shown("--counters=valgrind", "-r2", "sleep 0.1", "sleep 0.1")
        self.assertTrue(any(re.match(r"valgrind run 1 of 4 [━╸─]{6,24} [\d.]+ s left", line) for line in lines), lines)
        self.assertTrue(any(re.match(r"valgrind run [34] of 4 [━╸─]{6,24} [\d.]+ s left", line) for line in lines), lines)

    def test_the_estimate_has_the_short_name_of_the_command_or_none(self):
        for name in "s", "program-with-a-long-name":
            with open(self.path(name), "w") as file:
                file.write("#!/bin/sh\nsleep $1\n")
            os.chmod(self.path(name), 0o755)
        figures = r"×[\d.]+ \[[\d.]+, [\d.]+\]$"
        for columns, told, commands in (
                (100, r"\./s 0\.3 … ", [f"./s 0.{n} --an-option-of-both=value words.txt" for n in (1, 3)]),
                (60, "", [f"./program-with-a-long-name 0.{n}" for n in (1, 3)]),
                (72, "command 2 ", [f"./program-with-a-long-name 0.{n}" for n in (1, 3, 1)])):
            lines = self.shown("-w0", "-r8", *commands, columns=columns)
            self.assertRegex(lines[-2], r"^round 8 of 8 .* left   " + told + figures)

    def test_a_run_that_lasts_tells_for_how_long(self):
        lines = self.shown("-w0", "-r1", "sleep 3.3")
        self.assertTrue(any(re.fullmatch("round 1 of 1   this run: [23] s", line) for line in lines), lines)

    def test_a_benchmark_among_many_has_its_name_and_place(self):
        with open(self.path("c"), "w") as file:
            file.write("-r2\n[first]\nsleep 0.1\n[second]\nsleep 0.12\n")
        lines = self.shown("--config=c")
        self.assertTrue(any(line.startswith("second (2 of 2) ") for line in lines), lines)

    def test_a_terminal_that_cannot_redraw_gets_nothing(self):
        self.assertNotIn("round 1", "".join(self.shown("-r2", "sleep 0.1", term="dumb")))

    def test_an_interruption_after_a_round_prints_what_is_known(self):
        counter = self.path("counter")
        script = self.script("third", f"#!/bin/sh\necho x >>{counter}\n[ $(wc -l <{counter}) -lt 3 ] && exit 0\n"
                                      f": >{self.path('there')}\nexec sleep 60\n")
        self.shown("-w0", "-r9", script, "true", until=self.path("there"))
        self.assertRegex(self.out, r"(?m)^  true +[\d.]+ ± [\d.]+ +[mµ]?s ")
        self.assertNotIn("–", self.out)
        self.assertIn("2 rounds in ", self.out)

    def test_an_interruption_leaves_nothing_of_the_line(self):
        for quiet in [], ["-q"]:  # where there is none, the terminal's own "^C" goes
            script = self.script("long", f"#!/bin/sh\n: >{self.path('there')}\nexec sleep 60\n")
            lines = self.shown(*quiet, "-w0", script, until=self.path("there"))
            os.unlink(self.path("there"))
            self.assertGreater(len(lines), 1)
            self.assertFalse(lines[-1].startswith("round"), lines)
