#!/usr/bin/env python3
"""Tests the program as its users see it: python3 tests/cli/run.py LAUKA PROGRAMS [TEST...]

LAUKA is the program under test, PROGRAMS the folder of the small programs that it measures. Several tests
run at once, so each has its own folder, and looks only for its own processes.
"""
import argparse
import csv
import importlib
import io
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.modules["run"] = sys.modules[__name__]  # the module that the other test files import
import shared
import workers

HERE = os.path.dirname(os.path.abspath(__file__))
FURTHER = sorted(name[:-3] for name in os.listdir(HERE) if name.endswith(".py") and name not in ("run.py", "shared.py", "workers.py"))
LAUKA = ""
PROGRAMS = ""


def heed_signals():
    """A shell starts background jobs with some signals ignored, which lauka and its commands would
    inherit."""
    for number in signal.valid_signals():
        if number != signal.SIGPIPE and signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def program(name):
    return os.path.join(PROGRAMS, name)


def lauka(*arguments, env=None, cwd=None, timeout=60):
    """Runs lauka without a terminal and without standard input; returns the finished process."""
    return subprocess.run([LAUKA, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          env={**os.environ, **(env or {})}, cwd=cwd, timeout=timeout,
                          encoding="utf-8", errors="surrogateescape")


def lauka_as_nobody(*arguments, cwd=None):
    """The same without root privileges."""
    nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    # A user who may not enter the program's folder can start it through its descriptor.
    with open(LAUKA, "rb") as file:
        return subprocess.run(["lauka", *arguments], executable=f"/proc/self/fd/{file.fileno()}",
                              pass_fds=[file.fileno()], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, cwd=cwd, timeout=60, **nobody)


def result_of(*arguments, **keywords):
    """Returns the JSON of a run, which must succeed."""
    done = lauka("--json", *arguments, **keywords)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class InScratch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def script(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        os.chmod(self.path(name), 0o755)
        return self.path(name)


class TheMainJob(InScratch):
    def test_twice_the_sleep_is_about_twice_the_time(self):
        result = result_of("-r", "5", "sleep 0.1", "sleep 0.2")
        change = next(c for c in result["comparisons"] if c["metric"] == "wall_time")
        # A busy machine can make single runs arbitrarily longer, but hardly all of them.
        self.assertGreater(change["min_ratio"], 1.5)
        self.assertLess(change["min_ratio"], 2.2)

    def test_every_round_runs_every_command_once_in_varying_order(self):
        log = self.path("log")
        result = result_of("-w", "2", "-r", "20", "--", "sh", "-c", f"echo a >>{log}",
                           "--vs", "sh", "-c", f"echo b >>{log}")
        words = open(log).read().split()
        rounds = ["".join(words[i:i + 2]) for i in range(0, len(words), 2)]
        self.assertEqual(len(rounds), 22)
        self.assertEqual(set(rounds), {"ab", "ba"})
        order = result["run"]["order"]
        self.assertEqual("".join("ab"[i] for i in order), "".join(rounds[2:]))

    def test_a_seed_repeats_the_order(self):
        first, again = (result_of("-r", "12", "--seed", "7", "true", "true", "true")["run"]
                        for _ in range(2))
        self.assertEqual(first["order"], again["order"])
        self.assertEqual(first["seed"], 7)

    def test_the_seed_of_a_run_is_printed_with_the_table(self):
        done = lauka("-r", "3", "--seed", "31415", "true", "true")
        self.assertIn("31415", done.stdout)

    def test_rounds_go_on_until_the_budget_ends(self):
        run = result_of("--until=0", "--max-time", "2", "sleep 0.005")["run"]
        self.assertGreater(run["rounds"], 3)
        self.assertEqual(run["stopped"], "time")

    def test_commands_run_without_a_shell(self):
        out = self.path("out")
        lauka("-r", "1", "-w", "0", "--", "sh", "-c", 'printf "%s\\n" "$@" >' + out, "x", "$HOME", "*")
        self.assertEqual(open(out).read(), "$HOME\n*\n")

    def test_shell_text_without_a_shell_is_an_error_and_runs_nothing(self):
        touched = self.path("touched")
        done = lauka(f"touch {touched}", "echo a | wc")
        self.assertEqual(done.returncode, 2)
        self.assertIn("-S", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertFalse(os.path.exists(touched))

    def test_a_shell_runs_what_was_asked_for(self):
        out = self.path("out")
        done = lauka("-S", "-r", "1", "-w", "0", f"echo a b | wc -w >{out}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(open(out).read().strip(), "2")

    def test_vectors_are_compared_with_vs(self):
        result = result_of("-r", "1", "--", "sh", "-c", "exit 0", "--vs", "true", "x y")
        self.assertEqual([r["argv"] for r in result["results"]],
                         [["sh", "-c", "exit 0"], ["true", "x y"]])

    def test_the_hint_at_vs_comes_where_programs_stand_side_by_side(self):
        self.assertIn("--vs", lauka("-r", "1", "--", "/bin/sh", "/bin/true").stderr)
        self.assertEqual(lauka("-r", "1", "--", "/bin/sh", "-c", "true").stderr, "")

    def test_commands_get_no_descriptor_of_ours_and_null_as_input_and_output(self):
        out = self.path("out")
        lister = self.script("lister", f"#!/bin/sh\nls -l /proc/$$/fd >{out}\ncat\n")
        self.assertEqual(lauka("-r", "1", "-w", "0", lister).returncode, 0)
        targets = {int(line.split()[-3]): line.split()[-1] for line in open(out) if "->" in line}
        self.assertEqual(targets.pop(0), "/dev/null")
        self.assertIn(targets.pop(1), ("/dev/null", out))  # some shells redirect in their own process
        self.assertTrue(targets.pop(2).startswith("pipe:"))
        targets = {n: t for n, t in targets.items() if t not in (lister, "/dev/null")}  # these belong to the shell
        self.assertEqual(targets, {})

    def test_commands_are_not_run_with_our_signal_settings(self):
        out = self.path("out")
        reader = self.script("reader",
                             f"#!/bin/sh\nexec grep -E '^Sig(Blk|Ign)' /proc/self/status >{out}\n")
        expected = subprocess.run(["sh", "-c", "exec grep -E '^Sig(Blk|Ign)' /proc/self/status"],
                                  capture_output=True, text=True,
                                  preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
        subprocess.run([LAUKA, "-r", "1", reader], capture_output=True,
                       preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
        self.assertEqual(open(out).read(), expected.stdout)


class Failures(InScratch):
    def expect_failure(self, *arguments, says):
        done = lauka("-r", "3", *arguments)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn(says, done.stderr.splitlines()[0])
        return done

    def test_a_program_that_does_not_exist(self):
        done = self.expect_failure("/no/such", "true", says="/no/such")
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_a_program_that_is_not_in_the_path(self):
        self.expect_failure("no-such-program", says="PATH")

    def test_a_folder_is_not_a_program(self):
        self.expect_failure(self.folder, says="directory")

    def test_an_exit_code(self):
        done = self.expect_failure("sh -c 'exit 3'", "true", says="exit code 3")
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_a_signal_is_named(self):
        done = self.expect_failure(r"sh -c 'kill -SEGV $$'", "true", says="SIGSEGV")
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_the_end_of_stderr_is_shown(self):
        done = self.expect_failure("sh -c 'seq 100000 >&2; echo the reason >&2; exit 1'",
                                   says="exit code 1")
        self.assertIn("the reason", done.stderr)
        self.assertLess(len(done.stderr), 12000)

    def test_escape_sequences_of_a_command_do_not_reach_the_terminal(self):
        done = self.expect_failure(r"sh -c 'printf \\033]0;owned\\007 >&2; exit 1'", says="exit code 1")
        self.assertNotIn("\033", done.stderr)

    def test_finished_rounds_are_reported(self):
        counter = self.path("counter")
        fails_fourth = self.script("fails_fourth", f"#!/bin/sh\necho x >>{counter}\n"
                                                   f"[ $(wc -l <{counter}) -lt 4 ]\n")
        done = lauka("-w", "0", "-r", "10", "--json=" + self.path("r.json"), fails_fourth, "true")
        self.assertEqual(done.returncode, 5)
        self.assertIn("round 4", done.stderr)
        result = json.load(open(self.path("r.json")))
        self.assertEqual(result["run"]["rounds"], 3)
        self.assertEqual(result["run"]["stopped"], "failure")
        self.assertEqual([len(r["times"]) for r in result["results"]], [3, 3])
        self.assertIn("wall_time", done.stdout)

    def test_accepted_failures_are_ordinary_runs(self):
        for accept in ("-i", "-f", "-i=2,3", "--ignore-failure=3", "--ignore-failure"):
            result = result_of("-r", "2", accept, "sh -c 'exit 3'", "true")
            self.assertEqual(result["results"][0]["exit_codes"], [3, 3], accept)
        self.expect_failure("-i=2", "sh -c 'exit 3'", says="exit code 3")
        for accept in ("-i=143", "-i=2,143"):
            self.assertEqual(lauka("-r1", "-w0", accept, "sh -c 'kill $$'").returncode, 0)
        for code, expected in ((0, 5), (1, 0), (2, 0), (3, 5)):
            self.assertEqual(lauka("-r1", "-w0", "--expect-exit=1", "-i=2", f"sh -c 'exit {code}'").returncode,
                             expected, code)

    def test_a_script_without_interpreter(self):
        text = self.script("text", "echo hello\n")
        self.expect_failure(text, says="#!")

    def test_usage_errors_are_one_line_and_code_2(self):
        for arguments in ([], ["-r"], ["--no-such-option", "a"], ["-x", "a"], ["-r", "no", "a"],
                          ["a 'b"], ["--json=/no/such/folder/x", "true"]):
            done = lauka(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertEqual(done.stdout, "")


class Options(InScratch):
    """How words on the command line are read; no command needs to run for this."""

    def refused(self, *arguments):
        done = lauka(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_an_unknown_option_names_the_nearest(self):
        self.assertIn("did you mean --runs?", self.refused("--runz", "3", "true"))
        self.assertIn("did you mean --warmup?", self.refused("--warm-up=3", "true"))
        self.assertNotIn("mean", self.refused("--nothing-like-it", "true"))
        self.assertIn("-x", self.refused("-x", "true"))

    def test_names_may_be_shortened_while_they_are_unique(self):
        self.assertEqual(result_of("--run=2", "--warm", "0", "true")["run"]["rounds"], 2)
        self.assertIn("--max-time, --m", self.refused("--m", "true"))

    def test_letters_may_stand_together_and_options_behind_commands(self):
        for words in (["-qr2", "true"], ["true", "-qr=2"], ["-q", "true", "-r", "2"]):
            self.assertEqual(result_of(*words)["run"]["rounds"], 2)
        self.assertIn("no value", self.refused("--quiet=3", "true"))
        self.assertIn("needs a value: N", self.refused("true", "-qr"))


class Streams(InScratch):
    def test_output_is_null_unless_shown(self):
        self.assertNotIn("4299", lauka("-w0", "-r2", "sh -c 'echo $((6*7))99'").stdout)
        for option in ("--show-output", "--output=inherit"):
            done = lauka("-w0", "-r2", option, "sh -c 'echo 4fd47015; echo err >&2'")
            self.assertEqual(done.stdout.splitlines()[:2], ["4fd47015"] * 2)
            self.assertEqual(done.stderr, "err\nerr\n")

    def test_commands_never_write_into_a_document_or_between_annotations(self):
        for document in ("--json", "--csv=-", "--github"):
            done = lauka("-r1", "--show-output", document, "echo ::error::never")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr.count("\n"), 1)
        shown = lauka("-w0", "-r1", "--show-output", f"--json={self.path('r.json')}", "echo once").stdout
        self.assertEqual(shown.splitlines().count("once"), 1)

    def test_a_pipe_is_read_to_its_end_and_thrown_away(self):
        kind = self.path("kind")
        looks = f"sh -c 'test -p /dev/stdout && touch {kind}; head -c 20000000 /dev/zero'"
        done = lauka("-r2", "--output=pipe", looks, "true")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(os.path.exists(kind))

    def test_a_file_holds_the_output_of_the_last_run(self):
        out = self.path("out")
        lauka("-w0", "-r3", f"--output={out}", "echo once")
        self.assertEqual(open(out).read(), "once\n")

    def test_each_command_can_have_its_own(self):
        a, b = self.path("a"), self.path("b")
        lauka("-r1", "--output", a, "--output", b, "echo a", "echo b")
        self.assertEqual((open(a).read(), open(b).read()), ("a\n", "b\n"))
        done = lauka("--output=null", "--output=null", "true", "true", "true")
        self.assertEqual(done.returncode, 2)
        self.assertIn("2 times for 3 commands", done.stderr)

    def test_input_comes_from_the_beginning_of_the_file_in_each_run(self):
        with open(self.path("in"), "w") as file:
            file.write("This text is part of a file\n")
        done = lauka("-w0", "-r2", "--show-output", f"--input={self.path('in')}", "cat")
        self.assertEqual(done.stdout.count("This text is part of a file"), 2)
        self.assertEqual(lauka("-r1", "--show-output", "--input=null", "cat").returncode, 0)

    def test_what_cannot_be_opened_is_said_before_anything_runs_where_it_can_be_known(self):
        for option, code in (("--input=/no/such", 2), ("--output=word", 2), ("--output=/no/such", 5)):
            done = lauka("-r1", option, "true")
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
            self.assertEqual(done.stdout, "")
        self.assertIn("./word", lauka("--output=word", "true").stderr)


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


class WhatRunsCost(InScratch):
    def metric(self, result, name, command=0):
        return result["results"][command]["metrics"][name]

    def test_peak_rss_is_the_commands_own(self):
        result = result_of("-r", "5", program("empty"), f"{program('touch_memory')} 1000",
                           f"{program('touch_memory')} 8000")
        floor = result["run"]["rss_floor"]
        empty, one, eight = (self.metric(result, "peak_rss", i)["median"] for i in range(3))
        self.assertTrue(empty <= 300_000 or empty <= floor, (empty, floor))
        self.assertTrue(850_000 <= one <= 1_250_000 or one <= floor, (one, floor))
        self.assertTrue(7_900_000 <= eight <= 8_700_000, eight)

    def test_a_process_left_behind_does_not_lengthen_its_run(self):
        leaves = self.script("leaves", "#!/bin/sh\nsleep 0.5 &\n")
        result = result_of("-r", "3", leaves)
        self.assertLess(self.metric(result, "wall_time")["min"], 400e6)

    def test_a_flood_on_stderr_neither_blocks_nor_is_kept(self):
        result = result_of("-r", "1", "-w", "0", "sh -c 'head -c 100000000 /dev/zero >&2'")
        self.assertEqual(result["run"]["rounds"], 1)

    def test_cpu_time_is_user_and_system_time(self):
        metrics = result_of("-r", "2", "sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'")["results"][0]["metrics"]
        for cpu, user, system in zip(*(metrics[m]["values"]
                                       for m in ("cpu_time", "user_time", "system_time"))):
            self.assertEqual(cpu, user + system)
        self.assertGreater(metrics["cpu_time"]["mean"], 1e6)

    def test_no_events_at_all_leaves_what_needs_no_counter(self):
        metrics = result_of("-r", "2", "-e", "none", "true")["results"][0]["metrics"]
        self.assertIn("wall_time", metrics)
        self.assertFalse({"cycles", "instructions", "task_clock"} & set(metrics))

    def test_what_cannot_be_counted_is_a_dash_and_explained_once(self):
        done = lauka("--backend", "simulated:no-pmu", "--seed", "1", "-r", "5", "--full", "a", "b")
        row = next(line for line in done.stdout.splitlines() if line.strip().startswith("cycles"))
        self.assertTrue("–" in row or " -" in row, row)
        self.assertNotRegex(row, r"\b0\b")
        self.assertEqual(" ".join(done.stdout.split()).count("this machine has no PMU"), 1)


class Documents(InScratch):
    def simulated(self, *arguments):
        return lauka("--backend", "simulated", "--seed", "5", "-r", "30", *arguments)

    def test_a_document_on_stdout_replaces_the_table(self):
        for option, start in (("--json", "{"), ("--csv", "command,mean,"), ("--markdown", "`b` is ")):
            done = self.simulated(option, "a", "b")
            self.assertTrue(done.stdout.startswith(start), done.stdout[:80])

    def test_documents_in_files_leave_the_table_alone(self):
        done = self.simulated("--json=" + self.path("j"), "--csv=" + self.path("c"),
                              "--markdown=" + self.path("m"), "a", "b")
        self.assertIn("wall_time", done.stdout)
        table = list(csv.reader(open(self.path("c"), newline="")))
        self.assertEqual(table[0][:8],
                         ["command", "mean", "stddev", "median", "user", "system", "min", "max"])
        self.assertEqual([row[0] for row in table[1:]], ["a", "b"])
        result = json.load(open(self.path("j")))
        self.assertAlmostEqual(float(table[1][1]), result["results"][0]["mean"])

    def test_json_has_what_hyperfines_scripts_read(self):
        result = result_of("-r", "4", "true", "false", "-i")
        for r in result["results"]:
            for key in ("command", "mean", "stddev", "median", "user", "system", "min", "max"):
                self.assertIn(key, r)
            self.assertEqual(len(r["times"]), 4)
            self.assertEqual(len(r["memory_usage_byte"]), 4)
            self.assertEqual(len(r["exit_codes"]), 4)
            self.assertEqual(r["parameters"], {})
        self.assertEqual(result["schema"], "lauka-result/1.2")

    def test_a_full_device_is_an_error_and_the_others_are_written(self):
        done = self.simulated("--json=/dev/full", "--csv=" + self.path("c"), "a", "b")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/dev/full", done.stderr)
        self.assertIn("wall_time", done.stdout)
        self.assertEqual(len(open(self.path("c")).read().splitlines()), 3)

    def test_a_full_or_closed_stdout_is_an_error(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([LAUKA, "--backend", "simulated", "-r", "5", "a"], stdout=full,
                                  stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("stdout", done.stderr)

    def test_a_seed_makes_a_simulated_session_repeatable(self):
        self.assertEqual(self.simulated("--csv", "a", "b").stdout,
                         self.simulated("--csv", "a", "b").stdout)


def canonical(text):
    """Returns the text without what differs between machines: libm's last digits, and zlib's
    compression."""
    text = re.sub(r"\b\d+\.\d{9,}(e-?\d+)?", lambda number: f"{float(number[0]):.11g}", text)
    return re.sub(r"HISTF[A-Za-z0-9+/=]*", "HISTF...", text)


class Goldens(unittest.TestCase):
    """The program's whole output for simulated sessions; LAUKA_UPDATE_GOLDENS=1 rewrites it."""

    def expect(self, name, *arguments, replace=lambda text: text, **keywords):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "goldens", name)
        done = lauka("--seed", "2026", "-r", "40", *arguments, **keywords)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = canonical(replace(done.stdout))
        if os.environ.get("LAUKA_UPDATE_GOLDENS"):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", newline="") as file:
                file.write(text)
        with open(path, newline="") as file:
            self.assertEqual(text, file.read(), f"{name}: LAUKA_UPDATE_GOLDENS=1 rewrites it")

    def test_the_table(self):
        self.expect("table.txt", "--backend", "simulated", "./before --fast", "./after 'x y'")

    def test_the_table_of_three_commands_without_counters_in_ascii(self):
        self.expect("no_pmu_ascii.txt", "--backend", "simulated:no-pmu", "a", "b", "c",
                    env={"LC_ALL": "C", "COLUMNS": "72"})

    def test_the_table_of_one_command_that_shares_counters(self):
        self.expect("multiplexed.txt", "--backend", "simulated:multiplexed", "--multiplex=time", "a")
        self.expect("turns.txt", "--backend", "simulated:multiplexed", "a", "b")

    def test_the_markdown(self):
        self.expect("summary.md", "--backend", "simulated", "--markdown", "a | b", "c", "--shell=sh")

    def test_the_csv(self):
        self.expect("summary.csv", "--backend", "simulated:denied", "--csv", "=a", "b")

    def test_the_json(self):
        def without_host(text):
            document = json.loads(text)
            self.assertGreater(document["host"].pop("cpu_count"), 0)
            document["host"].clear()
            return json.dumps(document, indent=1)
        self.expect("result.json", "--backend", "simulated", "--json", "a", "b", replace=without_host)


class Stored(InScratch):
    def file(self, name, text):
        with open(self.path(name), "w", newline="") as file:
            file.write(text)
        return self.path(name)

    def compare(self, *arguments):
        done = lauka("compare", "--full", *arguments, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout

    def refused(self, *arguments):
        done = lauka("compare", *arguments, cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_values_that_were_not_kept_cannot_be_had(self):
        stored, samples = self.path("r.json"), self.path("c.csv")
        lauka("-q", "-r3", "--no-samples", f"--json={stored}", "true")
        done = lauka("report", stored, f"--csv-samples={samples}")
        self.assertEqual((done.returncode, os.path.exists(samples)), (2, False))
        self.assertIn("single runs were not kept", done.stderr)

    def test_a_stored_run_gives_the_table_and_the_documents_of_the_run(self):
        for scenario in ("full", "no-pmu", "multiplexed"):
            ran = lauka("--backend", f"simulated:{scenario}", "--seed", "5", "-r", "30",
                        "--full", "--json=j", "--csv=c", "--markdown=m", "a", "b", "c d", cwd=self.folder)
            self.assertEqual(self.compare("--json=j2", "--csv=c2", "--markdown=m2", "j"), ran.stdout)
            for name in "jcm":
                self.assertEqual(open(self.path(name)).read(), open(self.path(name + "2")).read())

    def test_a_real_run_gives_the_same_table_again(self):
        ran = lauka("-r", "4", "-i", "--full", "--json=j", "true", "false", cwd=self.folder)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(self.compare("j"), ran.stdout)

    def test_plain_numbers_are_compared_under_the_names_of_their_files(self):
        self.file("old.txt", "# ms\n10.5\n11\n10\n12\n10.25\n11\n")
        self.file("new.txt", "9.5\n10\n9\n11\n9.25\n10\n")
        result = json.loads(self.compare("--json", "old.txt", "new.txt"))
        self.assertEqual([r["command"] for r in result["results"]], ["old.txt", "new.txt"])
        value = result["results"][0]["metrics"]["value"]
        self.assertEqual(value["values"], [10.5, 11, 10, 12, 10.25, 11])
        self.assertEqual((value["min"], value["max"]), (10, 12))
        comparison = result["comparisons"][0]
        self.assertEqual((comparison["metric"], comparison["pairs"]), ("value", 6))
        self.assertAlmostEqual(comparison["mean_ratio"], 58.75 / 64.75)

    def test_one_file_gives_its_summary(self):
        self.file("a.txt", "1\n2\n3\n")
        table = self.compare("a.txt")
        self.assertIn("3 values of a.txt", table)
        self.assertRegex(table, r"value +2")
        self.assertNotIn("reference", table)

    def test_documents_hold_stored_values_in_their_own_unit(self):
        self.file("a.txt", "1.5\n2.5\n")
        row = list(csv.DictReader(io.StringIO(self.compare("--csv", "a.txt"))))[0]
        self.assertEqual((float(row["value_mean"]), float(row["value_max"])), (2, 2.5))
        self.assertIn("2.000", self.compare("--markdown", "a.txt"))

    def test_a_column_of_csv(self):
        self.file("a.csv", 'id,"time, ms"\r\n1,5\r\n2,\r\n3,"7"\r\n')
        result = json.loads(self.compare("--json", "--column", "time, ms", "a.csv"))
        self.assertEqual(result["results"][0]["metrics"]["time, ms"]["values"], [5, None, 7])
        self.assertEqual(self.compare("--column", "2", "a.csv"),
                         self.compare("--column", "time, ms", "a.csv"))

    def test_rows_of_our_own_csv_are_not_values_of_one_command(self):
        lauka("--backend", "simulated", "--seed", "1", "-r", "5", "--csv=s.csv", "--csv-samples=r.csv", "a", "b", cwd=self.folder)
        for column, name, names in ("wall_time_mean", "s.csv", "ab"), ("wall_time", "r.csv", "ba"):
            self.assertEqual(self.refused("--column", column, name),
                             "lauka: {}:3: has rows of `{}` and `{}`, which are not values of one of them: "
                             "take the JSON of lauka or hyperfine instead\n".format(name, *names))

    def test_hyperfines_json(self):
        self.file("h.json", json.dumps({"results": [
            {"command": "a", "times": [0.5, 0.25], "exit_codes": [0, 0], "parameters": {"n": "1"}},
            {"command": "b", "times": [1, 0.5], "exit_codes": [0, None], "parameters": {}}]}))
        result = json.loads(self.compare("--json", "h.json"))
        self.assertEqual(result["results"][0]["times"], [0.5, 0.25])
        self.assertEqual(result["results"][1]["exit_codes"], [0, None])
        self.assertAlmostEqual(result["comparisons"][0]["mean_ratio"], 2)

    def test_different_counts_are_compared_without_pairs(self):
        self.file("a.txt", "1\n2\n3\n")
        self.file("b.txt", "1\n2\n3\n4\n")
        table = self.compare("a.txt", "b.txt")
        self.assertIn("3 values of a.txt", table)
        self.assertIn("4 values of b.txt", table)
        self.assertIn("not paired", table)
        self.assertIn("not paired", self.compare("a.txt", "a.txt"))
        self.assertIn("paired by position", self.compare("--paired", "a.txt", "a.txt"))
        self.assertIn("--paired needs as many", self.refused("--paired", "a.txt", "b.txt"))
        self.assertIn("not paired", self.compare("--unpaired", "a.txt", "a.txt"))

    def test_an_unpaired_comparison_can_be_stored_and_read(self):
        self.file("a.txt", "1\n2\n3\n")
        self.file("b.txt", "1.5\n2\n3\n4\n")
        table = self.compare("--json=j", "a.txt", "b.txt")
        self.assertEqual(self.compare("j"), self.compare("a.txt", "b.txt"), table)

    def test_a_result_can_come_from_a_pipe(self):
        done = subprocess.run([LAUKA, "compare", "--full", "-"], input="1\n2\n", capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 values of -", done.stdout)

    def test_what_is_wrong_with_a_file_is_said_with_its_place(self):
        self.file("good.txt", "1\n2\n")
        self.file("bad.txt", "1\n2\n\nx\n")
        self.file("bad.csv", "a,b\n1,2\n3\n")
        self.file("bad.json", '{"results": [\n{"command": "a",\n "times": [1,\n -1]}]}')
        self.file("cut.json", '{"results": [\n')
        self.file("new.json", '{"schema": "lauka-result/3.0", "results": [{}]}')
        self.file("empty", "")
        for arguments, place in ((["good.txt", "bad.txt"], "bad.txt:4: `x`"),
                                 (["--column", "b", "bad.csv"], "bad.csv:3: "),
                                 (["bad.csv"], "bad.csv:1: has several columns"),
                                 (["bad.json"], "bad.json:4: results[0].times[1]: `-1`"),
                                 (["cut.json"], "cut.json:2: "), (["new.json"], "new.json: schema"),
                                 (["empty"], "empty: "), (["good.txt", "missing"], "missing: "),
                                 (["--primary", "x", "good.txt"], '"x"'),
                                 (["."], ".: Is a directory"), ([], "no file")):
            self.assertIn(place, self.refused(*arguments))

    def test_a_refused_file_leaves_documents_alone(self):
        self.file("bad.txt", "x\n")
        self.file("j", "precious")
        self.refused("--json=j", "bad.txt")
        self.assertEqual(open(self.path("j")).read(), "precious")

    def test_text_of_a_file_can_not_drive_the_terminal(self):
        self.file("bad.txt", "1\n\033]0;owned\007\n")
        self.assertNotIn("\033", self.refused("bad.txt"))

    def test_values_below_one_keep_their_digits_in_every_writer(self):
        self.file("a", "".join(f"{0.00371 + i * 0.00001:.5f}\n" for i in range(1, 9)))
        self.file("b", "".join(f"{0.00412 + i * 0.00001:.5f}\n" for i in range(1, 9)))
        self.file("c", "".join(f"{0.000012 + i * 0.0000001:.7f}\n" for i in range(1, 9)))
        shown = self.compare("a", "b", "--percentiles")
        self.assertIn("0.004165 against 0.003755.", " ".join(shown.split()))
        self.assertIn("0.003755 ± 0.000024  0.003720 … 0.003790", shown)
        self.assertRegex(shown, r" 50 +0\.003750 +0\.004160 ")
        for writer in "--markdown", "--html":
            self.assertIn("0.003755", self.compare("a", "b", writer))
        self.assertIn("3755 µ against 12.45 µ.", " ".join(self.compare("c", "a").split()))

    def test_too_few_values_are_told_how_many_it_takes(self):
        self.file("fives", "5\n" * 3)
        self.file("sixes", "6\n" * 3)
        self.file("count", "1\n2\n3\n4\n5\n")
        self.file("one", "3\n")
        self.assertIn("3 values; an interval needs at least 4 of each; mean",
                      " ".join(self.compare("fives", "sixes").split()))
        self.assertIn("5 values; an interval needs at least 6; mean",
                      " ".join(self.compare("--paired", "count", "count").split()))
        self.assertIn("has the mean 3, its only value.", self.compare("one"))
        for name, text in ("fives", "5\n" * 4), ("sixes", "6\n" * 4), ("count", "1\n2\n3\n4\n5\n6\n"):
            self.file(name, text)
        self.assertNotIn("exact", self.compare("fives", "sixes"))  # what a text rounds, nobody knows
        self.assertNotIn("[0, 0]", self.compare("--paired", "count", "count"))

    def test_sixty_columns_keep_the_interval(self):
        self.file("a", "".join(f"{100 + i % 7}\n" for i in range(40)))
        self.file("b", "".join(f"{108 + i % 9}\n" for i in range(40)))
        done = subprocess.run([LAUKA, "compare", "--full", "a", "b"], capture_output=True, text=True, cwd=self.folder,
                              env={**os.environ, "COLUMNS": "60"})
        row = [line for line in done.stdout.splitlines() if line.split()[:1] == ["value"]][1]
        self.assertRegex(row, r"\[\+[\d.]+, \+[\d.]+\]")
        self.assertEqual(row.count("±"), row.count(" ± "))


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
        self.assertEqual({name: values[0] == values[1] for name, values in other.items()},
                         dict.fromkeys(other, True))
        self.assertEqual(set(first), {"sim_instructions:u", "sim_branches:u", "sim_l1d_misses:u",
                                      "sim_branch_misses:u", "sim_cache_misses:u"})
        self.assertTrue(all(values[2] is None for values in first.values()))
        for comparison in result["comparisons"]:
            if comparison["metric"].startswith("sim_"):
                self.assertEqual((comparison["method"], comparison["pairs"]), ("exact", 2))
                self.assertEqual(comparison["low"], comparison["high"])
        metric = result["results"][0]["metrics"]["sim_branches:u"]
        self.assertEqual((metric["source"], metric["count"]), ("valgrind", 2))
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

    def test_primary_counts_need_no_more_rounds(self):
        run = result_of("--counters=valgrind", "--primary=sim_instructions", "--min-time=0",
                        program("empty"), program("empty"))["run"]
        self.assertEqual(run["stopped"], "exact")

    def test_it_is_labelled(self):
        done = lauka("--counters=valgrind", "-r", "3", program("empty"))
        self.assertIn("sim_instructions:u", done.stdout)
        self.assertIn("on a simulated", done.stdout)

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
            done = lauka("--counters=valgrind", "-r", "1", command, env={"TMPDIR": self.folder})
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
        self.assertIn("pmu, valgrind or none", done.stderr)
        done = lauka("--counters=valgrind", "--backend=simulated", "true")
        self.assertEqual(done.returncode, 2)
        metrics = result_of("--counters=none", "-r", "1", "true")["results"][0]["metrics"]
        self.assertNotIn("cycles", metrics)


class Disturbance(InScratch):
    def test_waiting_for_a_cpu_is_told_and_shown_on_request(self):
        result = result_of("-r", "4", "sleep 0.01")
        metric = result["results"][0]["metrics"]["run_delay"]
        self.assertEqual((metric["unit"], metric["source"], metric["detail"]),
                         ("ns", "schedstat", True))
        if os.path.exists("/proc/self/schedstat"):
            self.assertEqual(metric["count"], 4)
            for delay, wall in zip(metric["values"], result["results"][0]["times"]):
                self.assertLessEqual(delay, wall * 1e9)
        self.assertNotIn("run_delay", lauka("-r", "2", program("empty")).stdout)
        self.assertIn("run_delay", lauka("-r", "2", "--metrics=all", program("empty")).stdout)

    @workers.alone("it makes load, on one CPU")
    def test_who_shares_a_cpu_waits_for_it(self):
        cpu = {min(os.sched_getaffinity(0))}
        works = self.script("works", "#!/bin/sh\ni=0\nwhile [ $i -lt 60000 ]; do i=$((i + 1)); done\n")
        busy = subprocess.Popen(["sh", "-c", "while :; do :; done"],
                                preexec_fn=lambda: os.sched_setaffinity(0, cpu))
        try:
            done = subprocess.run([LAUKA, "--json", "-w", "0", "-r", "5", works], check=True, capture_output=True,
                                  stdin=subprocess.DEVNULL, preexec_fn=lambda: os.sched_setaffinity(0, cpu))
        finally:
            busy.kill()
            busy.wait()
        about = json.loads(done.stdout)["results"][0]
        if os.path.exists("/proc/self/schedstat"):
            for delay, wall in zip(about["metrics"]["run_delay"]["values"], about["times"]):
                self.assertTrue(1e6 < delay < wall * 1e9, (delay, wall))

    def test_short_runs_are_not_spared_what_was_asked_for(self):
        for asked in (["--metrics=all"], ["-w", "0"]):
            result = result_of("-r", "3", *asked, program("empty"))
            metric = result["results"][0]["metrics"]["run_delay"]
            if os.path.exists("/proc/self/schedstat"):
                self.assertEqual(metric["count"], 3)

    def test_what_the_machine_lacked_is_told(self):
        run = result_of("-r", "2", "sleep 0.6")["run"]
        for key, source in [("pressure", "/proc/pressure/cpu"), ("steal", "/proc/stat")]:
            if os.path.exists(source):
                self.assertTrue(0 <= run[key] <= 1)

    def test_it_is_told_in_batches_and_shown_on_request(self):
        path = self.path("result.json")
        done = lauka("--max-time", "2.5", "-m", "2", "--metrics=all", f"--json={path}", "sleep 0.3")
        with open(path) as file:
            run = json.load(file)["run"]
        batches = run["batches"]
        self.assertEqual(sum(batch["rounds"] for batch in batches), run["rounds"])
        self.assertGreater(len(batches), 1)
        for key, source in [("pressure", "/proc/pressure/cpu"), ("steal", "/proc/stat")]:
            if os.path.exists(source):
                self.assertTrue(all(0 <= batch[key] <= 1 for batch in batches[:-1]), batches)
        if run["steal"] is not None:
            self.assertIn("; steal ", " ".join(done.stdout.split()))
        lauka("report", f"--json={path}.again", path)
        with open(path + ".again") as file:
            self.assertEqual(json.load(file)["run"]["batches"], batches)

    def test_memory_that_cannot_be_measured_is_missing_and_said(self):
        done = lauka("-r", "2", "--full", "--tree-memory", program("empty"))
        self.assertRegex(done.stdout, r"(?m)^ *tree_memory  ")
        if "cannot measure tree_memory: " not in done.stdout:
            self.assertRegex(done.stdout, r"(?m)^ *tree_memory .*[KM]iB")  # this machine has a usable cgroup
        self.assertNotIn("tree_memory", lauka("-r", "2", "--metrics=all", program("empty")).stdout)

    def test_a_set_that_leaves_no_cpu_for_lauka_is_said(self):
        if not hasattr(os, "sched_getaffinity"):
            self.skipTest("CPUs cannot be selected on this system")
        cpus = sorted(os.sched_getaffinity(0))
        everything = ",".join(map(str, cpus))
        words = "leaves no CPU for lauka itself"
        self.assertIn(words, " ".join(lauka("-r", "2", "--pin", everything, program("empty")).stdout.split()))
        if len(cpus) > 1:
            done = lauka("-r", "2", "--pin", str(cpus[0]), program("empty"))
            self.assertNotIn(words, " ".join(done.stdout.split()))


class TheTerminal(InScratch):
    def on_terminal(self, *arguments, columns=80, env=None):
        """Returns what lauka writes to a terminal that is both its stdout and its stderr."""
        primary, secondary = pty.openpty()
        import fcntl, struct, termios
        fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS")}
        process = subprocess.Popen([LAUKA, *arguments], stdin=subprocess.DEVNULL, stdout=secondary,
                                   stderr=secondary, env={**environment, "TERM": "xterm", **(env or {})})
        os.close(secondary)
        seen = b""
        while True:
            try:
                chunk = os.read(primary, 65536)
            except OSError:
                break
            if not chunk:
                break
            seen += chunk
        process.wait()
        os.close(primary)
        return seen.decode("utf-8", "replace")

    def test_progress_is_for_terminals_only(self):
        self.assertIn("round ", self.on_terminal("-r", "3", "sleep 0.15"))
        self.assertEqual(lauka("-r", "3", "sleep 0.15").stderr, "")

    def test_progress_is_redrawn_at_most_ten_times_a_second(self):
        started = time.monotonic()
        text = self.on_terminal("-r", "300", "true")
        self.assertLessEqual(text.count("\r\033[K"), (time.monotonic() - started) * 10 + 2)

    def test_no_color_is_heeded(self):
        plain = self.on_terminal("--backend", "simulated", "-r", "5", "a", "b", env={"NO_COLOR": "1"})
        self.assertNotIn("\033[", plain)
        forced = self.on_terminal("--backend", "simulated", "-r", "5", "--color", "always", "a", "b",
                                  env={"NO_COLOR": "1"})
        self.assertIn("\033[", forced)

    def test_no_line_is_wider_than_the_terminal(self):
        for columns in (40, 60, 80, 120):
            text = self.on_terminal("--backend", "simulated", "-r", "20", "--color", "never",
                                    "./a --with=some arguments", "./b", "./c", columns=columns,
                                    env={"LC_ALL": "C.UTF-8"})
            widest = max(map(len, text.replace("\r", "").splitlines()))
            self.assertLessEqual(widest, columns)

    def test_without_utf8_everything_is_ascii(self):
        done = lauka("--backend", "simulated:no-pmu", "-r", "5", "a", "b", env={"LC_ALL": "C"})
        self.assertTrue(done.stdout.isascii(), done.stdout)


class Help(unittest.TestCase):
    def test_help_and_version_need_nothing(self):
        self.assertRegex(lauka("--version").stdout, r"^lauka \d+\.\d+\.\d+\n")
        for option in ("-h", "--help"):
            done = lauka(option)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("usage: lauka", done.stdout)

    def test_help_fits_eighty_columns(self):
        self.assertLessEqual(max(map(len, lauka("--help").stdout.splitlines())), 80)



@unittest.skipIf(os.geteuid() != 0 and not os.environ.get("CI"), "only root can run as another user")
class UnderSudo(InScratch):
    NOBODY = {"SUDO_UID": "65534", "SUDO_GID": "65534", "SUDO_USER": "nobody", "SUDO_COMMAND": "x"}

    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o777)

    def report(self, *arguments, env=None):
        """Runs a command that prints its user; returns its output, and lauka's finished process."""
        script = self.script("who", "#!/bin/sh\nid -u; id -g; id -G; echo $USER $HOME; env | grep -c ^SUDO\n"
                                    "grep -E 'Uid|Gid' /proc/self/status | tr '\\t\\n' '  '\n")
        done = lauka("-q", "-w", "0", "-r", "1", f"--output={self.path('told')}", *arguments,
                     script, env=env)
        told = open(self.path("told")).read() if os.path.exists(self.path("told")) else ""
        return told.splitlines(), done

    def test_commands_run_as_the_invoking_user(self):
        told, done = self.report(env=self.NOBODY)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(told[:2], ["65534", "65534"])
        self.assertEqual(told[2].split(), ["65534"])
        self.assertTrue(told[3].startswith("nobody "), told)
        self.assertEqual(told[4], "0")
        self.assertEqual(told[5].split(), ["Uid:"] + ["65534"] * 4 + ["Gid:"] + ["65534"] * 4)

    def test_files_belong_to_the_invoking_user(self):
        told, done = self.report(f"--json={self.path('result.json')}", env=self.NOBODY)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ["result.json", "told"]:
            about = os.stat(self.path(name))
            self.assertEqual((about.st_uid, about.st_gid), (65534, 65534), name)

    def test_what_that_user_may_not_write_is_not_written(self):
        os.chmod(self.folder, 0o755)
        done = lauka("-q", f"--json={self.path('result.json')}", "-w0", "-r1", "true", env=self.NOBODY)
        self.assertEqual(done.returncode, 2)
        self.assertIn("Permission denied", done.stderr)
        self.assertFalse(os.path.exists(self.path("result.json")))

    def test_root_keeps_its_rights_only_where_asked(self):
        told, done = self.report("--as-root", env=self.NOBODY)
        self.assertEqual((done.returncode, told[0]), (0, "0"))
        told, done = self.report()  # without sudo, like in a container or CI
        self.assertEqual((done.returncode, told[0]), (0, "0"))

    def test_an_unclear_invoking_user_is_refused(self):
        for variables, why in [
                ({"SUDO_UID": "0", "SUDO_GID": "0"}, "SUDO_UID is 0"),
                ({"SUDO_UID": "65534", "SUDO_GID": "0"}, "SUDO_GID is 0"),
                ({"SUDO_UID": "65534"}, "SUDO_GID is not set"),
                ({"SUDO_USER": "nobody"}, "SUDO_UID is not set"),
                ({"SUDO_COMMAND": "lauka"}, "SUDO_UID is not set"),
                ({"SUDO_UID": "nobody", "SUDO_GID": "1"}, 'is "nobody"'),
                ({"SUDO_UID": "-1", "SUDO_GID": "1"}, 'is "-1"'),
                ({"SUDO_UID": " 65534", "SUDO_GID": "65534"}, "not a user or group ID"),
                ({"SUDO_UID": "4294967295", "SUDO_GID": "1"}, "not a user or group ID"),
                ({"SUDO_UID": "18446744073709617150", "SUDO_GID": "1"}, "not a user or group ID"),
                ({"SUDO_UID": "", "SUDO_GID": "1"}, "not a user or group ID"),
                ({"SUDO_UID": "4242424", "SUDO_GID": "1"}, "there is no user 4242424"),
                ({"SUDO_UID": "65534", "SUDO_GID": "1"}, "a group that nobody is not in"),
                ({"SUDO_UID": "65534", "SUDO_GID": "65534", "SUDO_USER": "root"}, 'SUDO_USER is "root"')]:
            told, done = self.report(env=variables)
            self.assertEqual((done.returncode, told), (2, []), variables)
            self.assertIn(why, done.stderr)
            told, done = self.report("--as-root", env=variables)
            self.assertEqual(done.returncode, 0, variables)
            os.remove(self.path("told"))

    def test_an_interruption_reaches_the_command(self):
        script = self.script("wait", f"#!/bin/sh\n: >{self.path('started')}\nexec sleep 100\n")
        process = subprocess.Popen([LAUKA, "-q", script], env={**os.environ, **self.NOBODY},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        while not os.path.exists(self.path("started")) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(30), 130)


class Selftest(InScratch):
    def test_known_work_is_run_in_every_way(self):
        done = lauka("doctor", "--selftest")
        self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(done.stdout)
        self.assertEqual([(run["kind"], run["threads"], run["expected_instructions"] // 20_000_000)
                          for run in told["runs"]],
                         [("loop", 1, 10), ("loop", 8, 80), ("loop", 1, 10), ("loop", 8, 80), ("exec", 2, 3),
                          ("killed", 1, 1), ("sampled", 8, 8), ("fixed_only", 1, 1)])
        for run in told["runs"]:
            killed = run["kind"] == "killed"
            self.assertEqual((run["outcome"], run["code"]), (1, signal.SIGKILL) if killed else (0, 0))
            self.assertGreater(run["user_ns"] + run["system_ns"], 0)
            for count in run["counts"]:
                if count["event"].startswith("instructions") and count["value"] is not None:
                    self.assertGreaterEqual(count["value"], run["expected_instructions"])
        self.assertIn("probe", told)


class PlanningForAMac(InScratch):
    def test_groups_say_what_excludes_what(self):
        done = lauka("list", "--chip", "M1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("\ncounter 7: at most 1 of these, at once\n  0x8c    INST_ALL ", done.stdout)
        self.assertIn("\ncounters 5 to 7: at most 3 of these and of those with fewer, at once\n",
                      done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)

    def test_a_set_that_fits_is_placed(self):
        done = lauka("list", "--chip", "as4", "-e", "cycles,INST_LDST", "-e", "branch-misses")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("\n7        INST_LDST ", done.stdout)

    def test_a_set_that_does_not_fit_is_explained(self):
        done = lauka("list", "-e", "INST_INT_ALU,INST_LDST,cycles", "--chip", "as4")
        self.assertEqual(done.returncode, 6)
        self.assertIn("INST_INT_ALU, INST_LDST can have counter 7 only", done.stderr)
        self.assertIn("these fit together: INST_INT_ALU,cycles;", done.stderr)
        done = lauka("list", "--chip", "as4", "-e", "INST_SIMD_ALU,INST_INT_ALU,INST_SIMD_LD,INST_INT_ST,INST_LDST")
        self.assertIn("INST_SIMD_ALU, INST_INT_ALU, INST_INT_ST, INST_LDST can have counter 7 only, "
                      "which is 3 too few; these fit", done.stderr)

    def test_unknown_chips_and_events_are_named(self):
        for arguments, what in [(["--chip", "M99"], "M99: unknown"),
                                (["--chip", "as4", "-e", "INST_BRNCH"], "; perhaps INST_BRANCH; lauka list"),
                            (["--chip", "as4", "-e", "cycles,instrucions"], "; perhaps instructions;"),
                            (["--chip", "M1", "-e", "sparks"], "a14 has no event sparks; lauka list")]:
            done = lauka("list", *arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(what, done.stderr)

    def test_a_pattern_may_be_another_name(self):
        for name, event in (("cpu-cycles", "FIXED_CYCLES"), ("map-stalls", "MAP_STALL"),
                            ("l2-tlb-misses-data", "L2_TLB_MISS_DATA"), ("page-walks", "MMU_TABLE_WALK_DATA")):
            self.assertIn(f" {event} ", lauka("list", "--chip", "as4", name).stdout)
        self.assertIn("; perhaps INST_BRANCH", lauka("list", "--chip", "as4", "INST_BRNCH").stderr)

    def test_json(self):
        events = json.loads(lauka("list", "--chip", "M2", "--json", "LDST").stdout)
        self.assertIn({"chip": "a15", "name": "INST_LDST", "number": 155, "counters": [7],
                       "portable": None}, events)


def metric_of(entry, name):
    """Returns the metric of a result; of an event that this user may count in user mode only, too."""
    return entry["metrics"].get(name) or entry["metrics"][f"{name}:u"]


def without_blanks(path, folder):
    """Returns the path, or a link to it in the folder, because tests put it into commands without
    quotes."""
    path = os.path.abspath(path)
    if re.fullmatch(r"[\w./+-]+", path):
        return path
    link = os.path.join(folder, os.path.basename(path).replace(" ", "-"))
    os.symlink(path, link)
    return link


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lauka", metavar="LAUKA")
    parser.add_argument("programs", metavar="PROGRAMS")
    parser.add_argument("tests", metavar="TEST", nargs="*", help="Class or Class.test_name (all)")
    parser.add_argument("--jobs", type=int, default=6 * workers.processors(), metavar="N",
                        help="number of tests at once (six per CPU, because many tests sleep)")
    parser.add_argument("--filter", default="", metavar="WORD", help="run only tests with this in their name")
    parser.add_argument("--again", action="store_true",
                        help="leave out tests that show nothing new if lauka is compiled in another way")
    parser.add_argument("--times", action="store_true", help="print how long each test took")
    arguments = parser.parse_args()
    heed_signals()
    global LAUKA, PROGRAMS
    links = tempfile.TemporaryDirectory()
    os.chmod(links.name, 0o755)  # other users execute the programs there
    shared.FOLDER = os.path.join(links.name, "shared")
    os.mkdir(shared.FOLDER, 0o755)
    shared.keep_in(os.path.join(os.path.dirname(os.path.dirname(HERE)), ".zig-cache", "tests"))
    LAUKA, PROGRAMS = (without_blanks(path, links.name) for path in (arguments.lauka, arguments.programs))
    os.environ["LC_ALL"] = "C.UTF-8"
    os.mkdir(os.path.join(links.name, "nowhere"), 0o755)
    os.chdir(os.path.join(links.name, "nowhere"))  # in a checkout, lauka would ask git for every document
    loader = unittest.TestLoader()
    modules = [sys.modules["run"], *map(importlib.import_module, FURTHER)]
    tests = workers.each(unittest.TestSuite(
        [loader.loadTestsFromName(name, next(m for m in modules if hasattr(m, name.split(".")[0])))
         for name in arguments.tests] if arguments.tests else map(loader.loadTestsFromModule, modules)))
    tests = [test for test in tests if arguments.filter in workers.name_of(test)
             and not (arguments.again and workers.marked(test, "once"))]
    with links:
        return workers.run("cli", tests, max(arguments.jobs, 1), arguments.times)


if __name__ == "__main__":
    sys.exit(main())
