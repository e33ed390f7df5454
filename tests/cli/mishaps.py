"""Commands that misbehave, sessions that are cut short, and what every document says of their end."""
import csv
import ctypes
import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import termios
import threading
import time
import xml.etree.ElementTree

import run
import suite
import trust
from interruption import environments_with
from run import InScratch, lauka, result_of


def adopt_orphans():
    """From now on, processes that outlive their parent become children of this process."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def children():
    """The children of this process, with their states."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            name, fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)
        except OSError:
            continue
        if int(fields.split()[1]) == os.getpid():
            found.append(f"{name}) {fields.split()[0]}")
    return found


class Watched(InScratch):
    """Whatever the command does, it leaves neither zombies nor stray processes."""

    def setUp(self):
        super().setUp()
        self.marker = f"LAUKA_TEST_MARKER={os.getpid()}.{time.monotonic_ns()}"
        adopt_orphans()
        self.before = children()
        self.addCleanup(self.expect_nothing_left)

    def expect_nothing_left(self):
        self.assertEqual(environments_with(self.marker), [])
        # No orphan became our child, alive or as a zombie. Children that other tests left may have gone
        # meanwhile.
        self.assertEqual([child for child in children() if child not in self.before], [])

    def lauka(self, *arguments, **keywords):
        return lauka("--env", self.marker, *arguments, **keywords)


class Hazards(Watched):
    def test_a_daemon_is_ended_and_reported(self):
        done = self.lauka("-r", "2", "-w", "0", "--full", "-S", "setsid sleep 51 >/dev/null 2>&1 & true")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("left processes behind in 2 runs (2 in all)", " ".join(done.stdout.split()))

    def test_a_daemon_that_ignores_sigterm_is_killed(self):
        done = self.lauka("-r", "1", "-w", "0", "--full", "-S", "(trap '' TERM; setsid sleep 52; sleep 53) & true")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("left processes behind", done.stdout)

    def test_what_orphans_did_is_said_to_be_in_counts_by_chance(self):
        document = json.loads(self.lauka("-r", "2", "-w", "0", "--json", "sh -c 'sleep 54 & exec true'", "true").stdout)
        self.assertEqual([result.get("left_behind") for result in document["results"]], [2, None])
        self.assertIn("their time and memory are not measured, and their events are counted only by chance",
                      " ".join(document["warnings"]))

    def test_orphans_can_be_kept(self):
        done = self.lauka("-r", "2", "-w", "0", "--keep-orphans", "--full", "-S", "sleep 54 & true")
        self.assertIn("they keep running", " ".join(done.stdout.split()))
        self.assertIn("in 2 runs (2 in all)", " ".join(done.stdout.split()))
        left = environments_with(self.marker)
        self.assertEqual(len(left), 2)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)

    def test_a_tree_of_forks_is_ended(self):
        fork = ("import os, time\n"
                "for i in range(6):\n"
                "    if os.fork() == 0 and i % 2: os.setsid()\n"
                "time.sleep(0 if os.getpid() == int(os.environ['PARENT']) else 55)\n")
        script = self.script("deep", f"#!/bin/sh\nexec env PARENT=$$ {sys.executable} -c \"{fork}\"\n")
        done = self.lauka("-r", "1", "-w", "0", "--full", script)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("left processes behind in 1 run ", " ".join(done.stdout.split()))

    def test_a_flood_to_stdout_and_stderr_neither_blocks_nor_is_kept(self):
        flood = "head -c 100000000 /dev/zero >&2 & head -c 100000000 /dev/zero; wait"
        for output in ("null", "pipe"):
            done = self.lauka("-r", "1", "-w", "0", "--output", output, "-S", flood)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("left processes", done.stdout)

    def test_closing_stdio_is_harmless(self):
        done = self.lauka("-r", "2", "-S", "exec 0<&- 1>&- 2>&-; true")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_command_that_changes_its_own_file_ends_the_session(self):
        changes = self.script("changes", "#!/bin/sh\nn=$(wc -l <$0); [ $n -gt 4 ] || exit 0\n"
                                         "cat $0 >new; echo '#' >>new; chmod +x new; mv new $0\n#\n#\n")
        done = self.lauka("-r", "5", "-w", "0", changes, cwd=self.folder)
        self.assertEqual(done.returncode, 5)
        self.assertIn("its executable had changed since its first run in round 2", done.stderr)
        self.assertIn("wall_time", done.stdout)  # the first round is reported

    def test_a_command_that_removes_its_own_file_ends_the_session(self):
        vanishes = self.script("vanishes", "#!/bin/sh\nrm $0\n")
        done = self.lauka("-r", "5", "-w", "0", vanishes)
        self.assertEqual(done.returncode, 5)
        self.assertIn("its executable was gone (No such file or directory) in round 2", done.stderr)

    def test_every_signal_that_ends_a_command_is_named(self):
        for number in ("ABRT", "ALRM", "BUS", "FPE", "HUP", "ILL", "INT", "KILL", "PIPE", "QUIT",
                       "SEGV", "SYS", "TERM", "TRAP", "USR1", "USR2", "VTALRM", "XCPU", "XFSZ"):
            done = self.lauka("-r", "1", f"sh -c 'ulimit -c 0; kill -{number} $$'")
            self.assertEqual(done.returncode, 5)
            self.assertIn(f"was ended by SIG{number} (signal ", done.stderr)
        done = self.lauka("-r", "1", "sh -c 'kill -40 $$'")
        self.assertIn("was ended by signal 40", done.stderr)

    def test_a_command_that_stops_itself_meets_its_time_limit(self):
        done = self.lauka("-r", "1", "--timeout", "0.3", "sh -c 'kill -STOP $$'")
        self.assertEqual(done.returncode, 5)
        self.assertIn("took longer than its --timeout", done.stderr)

    def test_four_thousand_arguments(self):
        words = [f"argument{i}" for i in range(4000)]
        done = self.lauka("-r", "1", "-w", "0", "--", "sh", "-c", "[ $# = 4000 ]", "x", *words)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_command_that_wants_a_terminal_is_told_that_there_is_none(self):
        import pty
        pid, primary = pty.fork()
        if pid == 0:  # lauka does not pass its terminal on: reading from it would stop the command
            os.execl(run.LAUKA, "lauka", "--env", self.marker, "-r", "1", "-w", "0", "sh -c 'read x </dev/tty'")
        seen = b""
        while True:
            try:
                chunk = os.read(primary, 4096)
            except OSError:
                break
            seen += chunk
        _, status = os.waitpid(pid, 0)
        os.close(primary)
        self.assertEqual(os.waitstatus_to_exitcode(status), 5, seen)
        self.assertIn(b"/dev/tty", seen)

    def test_no_descriptor_leaks_into_a_command(self):
        out = self.path("out")
        look = ("import os\n"
                "names = os.listdir('/proc/self/fd')\n"
                "open_ones = sorted(int(f) for f in names if os.path.exists(f'/proc/self/fd/{f}'))\n"
                "open(os.environ['OUT'], 'w').write(repr(open_ones))\n")
        for more in ([], ["--output", "pipe"], ["--output", "./x"], ["--input", "/dev/zero"],
                     ["--cwd", "/"], ["-e", "task-clock,page-faults"], ["--timeout", "9"]):
            done = self.lauka("-r", "1", "-w", "0", "--env", f"OUT={out}", *more, "--",
                              sys.executable, "-c", look, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(open(out).read(), "[0, 1, 2]", more)

    def test_what_lauka_was_started_with_reaches_a_command(self):
        """A descriptor that is open, in every run of a batch, and the signals that are blocked or ignored."""
        told, text, copy = self.path("told"), self.script("text", "ten"), self.path("copy")
        prelude = ("import os, signal, sys\n"
                   "signal.pthread_sigmask(signal.SIG_BLOCK, [{}])\n"
                   "signal.signal(signal.SIGUSR2, signal.SIG_IGN)\n"
                   "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
                   "os.dup2(os.open(sys.argv[1], os.O_RDONLY), 9)\n"
                   "os.execv(sys.argv[2], sys.argv[2:])\n")
        for blocked, mask in (("", 0), ("signal.SIGIO, signal.SIGUSR1", 1 << 28 | 1 << 9)):
            done = subprocess.run([sys.executable, "-c", prelude.format(blocked), text, run.LAUKA, "-r", "20", "-w", "0",
                                   "--json", "--env", self.marker, f"cp -f /proc/self/status {told}",
                                   f"cp /dev/fd/9 {copy}"], check=True, stdin=subprocess.DEVNULL, capture_output=True)
            self.assertLess(json.loads(done.stdout)["results"][0]["metrics"]["cpu_time"]["max"], 60e9)
            with open(told, encoding="ascii") as file:
                masks = dict(line.split(":\t") for line in file)
            self.assertEqual(int(masks["SigBlk"], 16), mask)
            self.assertEqual(int(masks["SigIgn"], 16) & (1 << 11 | 1 << 16), 1 << 11 | 1 << 16)
            with open(copy, encoding="ascii") as file:
                self.assertEqual(file.read(), "ten")
            os.remove(copy)

    def test_signals_to_its_parent_change_nothing(self):
        sends = self.script("sends", "#!/bin/sh\nfor n in 1 2 3 4 5 6 7 8 10 11 12 13 14 15 16 20 21 22 24 25 26 27 29 30 "
                            "31 40 64; do\n    kill -$n $PPID\ndone\n")
        result = result_of("-r", "8", "-w", "0", "--env", self.marker, sends)
        self.assertEqual((result["run"]["rounds"], result["run"]["stopped"]), (8, "rounds"))


class TimeLimits(Watched):
    def test_a_run_that_takes_too_long_has_failed(self):
        started = time.monotonic()
        done = self.lauka("-r", "3", "--timeout", "1500ms", "sleep 56", "true")
        self.assertEqual(done.returncode, 5)
        self.assertIn("took longer than its --timeout, and was ended by SIGTERM", done.stderr)
        self.assertLess(time.monotonic() - started, 20)

    def test_who_ignores_sigterm_is_killed(self):
        deaf = self.script("deaf", "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 0.05; done\n")
        done = self.lauka("-r", "1", "--timeout", "1.5", deaf)  # the command needs time to install its trap
        self.assertEqual(done.returncode, 5)
        self.assertIn("was ended by SIGKILL", done.stderr)

    def test_it_is_the_whole_process_group_that_ends(self):
        done = self.lauka("-r", "1", "--timeout", "0.2", "-S", "sleep 57 & sleep 58 & wait")
        self.assertEqual(done.returncode, 5)

    def test_a_limit_may_be_of_one_command(self):
        done = self.lauka("-r", "2", "-w", "0", "--timeout", "B:30", "sleep 0.1", "true")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.lauka("-r", "1", "-w", "0", "--timeout", "1.5", "--timeout", "A:30", "sleep 2", "true")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_run_that_is_cut_short_is_never_an_ordinary_one(self):
        done = self.lauka("-r", "2", "-i", "--timeout", "0.1", "sleep 59")
        self.assertEqual(done.returncode, 5)
        self.assertIn("-i does not accept a run that was cut short", done.stderr)
        done = self.lauka("-r", "2", "--timeout", "0", "true")
        self.assertEqual((done.returncode, "a time above 0" in done.stderr), (2, True))


class FailuresThatMayHappen(InScratch):
    def sometimes(self, counter, fails):
        """A command that fails in its runs with the numbers `fails`."""
        case = "|".join(map(str, fails))
        return self.script("sometimes", f"#!/bin/sh\necho x >>{counter}\n"
                                        f"case $(wc -l <{counter}) in {case}) exit 7;; esac\n")

    def test_failed_rounds_are_dropped_for_all_and_counted(self):
        command = self.sometimes(self.path("counter"), [2, 5])
        result = result_of("-w", "0", "-r", "6", "--max-failures", "2", command, "true")
        self.assertEqual((result["run"]["rounds"], result["run"]["dropped"]), (6, 2))
        self.assertEqual([len(r["times"]) for r in result["results"]], [6, 6])
        self.assertEqual(result["results"][0]["exit_codes"], [0] * 6)
        self.assertTrue(any("2 rounds were dropped" in w and "exit code 7 in round 5" in w
                            for w in result["warnings"]), result["warnings"])

    def test_one_failure_too_many_ends_the_session(self):
        command = self.sometimes(self.path("counter"), [2, 4])
        done = lauka("-w", "0", "-r", "6", "--max-failures", "1", "--full", command, "true")
        self.assertEqual(done.returncode, 5)
        self.assertIn("in round 4", done.stderr)
        self.assertIn("2 runs of", done.stdout)
        self.assertRegex(" ".join(done.stdout.split()), "1 round was dropped, .*; the last: .* in round 2 ")

    def test_the_expected_code_is_success_and_another_is_not(self):
        self.assertEqual(lauka("-r", "2", "--expect-exit", "1", "false").returncode, 0)
        self.assertEqual(lauka("-r", "2", "--expect-exit", "1", "true").returncode, 5)
        self.assertEqual(lauka("-r", "2", "--expect-exit", "B:0,1", "true", "false").returncode, 0)
        self.assertEqual(lauka("-r", "2", "--expect-exit", "143", "sh -c 'kill -TERM $$'").returncode, 0)
        self.assertEqual(lauka("-r", "2", "--expect-exit", "256", "true").returncode, 2)

    def test_what_is_expected_is_not_counted_as_failed(self):
        path = self.path("r.json")
        for more in ([], ["--no-samples"]):
            done = lauka("-r", "2", "--expect-exit", "3", "--full", "--json=" + path, *more, "sh -c 'exit 3'")
            self.assertIn("2 runs of", done.stdout)
            self.assertNotIn("failed", done.stdout)
            self.assertEqual([r["failures"] for r in json.load(open(path))["results"]], [0])
            self.assertIn("2 runs of", lauka("report", "--full", path).stdout)
            result = result_of("-r", "2", "--expect-exit", "B:3", "-i", *more, "sh -c 'exit 3'", "true")
            self.assertEqual([r["failures"] for r in result["results"]], [2, 2])


class PerCommand(InScratch):
    def test_an_environment_of_all_and_of_one(self):
        result_of("-r", "1", "--env", "X=all", "--env", "B:X=own", "--env", "B:Y=a=b", "-S",
                  '[ "$X$Y" = all ]', '[ "$X$Y" = owna=b ]')

    def test_a_variable_has_one_value(self):
        for letter in ("", "B:"):
            done = lauka("-r", "1", "--env", letter + "X=1", "--env", letter + "X=2", "true", "true")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("--env A:X=... --env B:X=...", done.stderr)
        result = result_of("-r", "1", "--env", "X=1", "--env", "XY=2", "--env", "A:X=3 -DX=1", "true", "true")
        self.assertFalse([w for w in result["warnings"] if "--env" in w])
        result = result_of("-r", "1", "--env", "X=1 Y=2", "true")
        self.assertEqual(len([w for w in result["warnings"] if "if Y is another" in w]), 1)

    def test_a_section_replaces_a_variable_of_all(self):
        with open(self.path("suites"), "w") as file:
            file.write("-r1\n-S\n--env\nX=all\n[a]\n--env\nX=own\ntest $X = own\n[b]\ntest $X = all\n")
        done = lauka("--config", self.path("suites"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_command_is_found_along_its_own_path(self):
        os.mkdir(self.path("bin"))
        self.script("bin/tool-of-b", "#!/bin/sh\n")
        result_of("-r", "1", "--env", f"B:PATH={self.path('bin')}:/bin:/usr/bin", "true", "tool-of-b")

    def test_a_directory_of_one(self):
        for name in "ab":
            os.mkdir(self.path(name))
            self.script(f"{name}/tool", f"#!/bin/sh\n[ $(basename $PWD) = {name} ]\n")
        result_of("-r", "1", "--cwd", f"A:{self.path('a')}", "--cwd", "B:b", "./tool", "./tool",
                  cwd=self.folder)

    def test_an_input_and_an_output_of_one(self):
        with open(self.path("in"), "w") as file:
            file.write("hello\n")
        result_of("-r", "2", "--input", "B:./in", "--output", "B:./out", "-S", "! read x", "cat",
                  cwd=self.folder)
        self.assertEqual(open(self.path("out")).read(), "hello\n")

    def test_what_does_not_exist_is_refused(self):
        for arguments, says in ((["--env", "C:X=1"], "the commands are A to B"),
                                (["--env", "X"], "NAME=VALUE"), (["--cwd", "/no/such"], "/no/such"),
                                (["--cwd", "/bin/sh"], "Not a directory"),
                                (["--timeout", "B:soon"], "a duration"),
                                (["--input", "Z:./x"], "the commands are A to B")):
            done = lauka(*arguments, "true", "true")
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(says, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)

    def test_runs_know_which_they_are_in_always_as_many_characters(self):
        log = self.path("log")
        write = f'echo "$LAUKA_ROUND $LAUKA_ITERATION $HYPERFINE_ITERATION $LAUKA_COMMAND" >>{log}'
        result_of("-r", "12", "-w", "2", "--env", "LAUKA_ROUND=mine", "-S", write, write)
        lines = open(log).read().splitlines()
        self.assertEqual({len(line) for line in lines}, {len(lines[0])})
        own = [line.split() for line in lines if line.endswith("00002")]
        self.assertEqual([int(round) for round, *_ in own], [0, 0] + list(range(1, 13)))
        for of_ours in (1, 2):
            self.assertEqual([int(line[of_ours]) for line in own], list(range(1, 15)))

    def layouts(self, under, *options):
        log = self.path("log")
        if os.path.exists(log):
            os.remove(log)
        done = subprocess.run(
            [*under, run.LAUKA, "--json", "-r", "6", "-w", "0", *options, "-S",
             f"echo ${{#LAUKA_LAYOUT}} >>{log}", f"echo ${{#LAUKA_LAYOUT}} >>{log}; :"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [int(line) for line in open(log)], json.loads(done.stdout)["run"]

    def test_the_size_of_the_environment_varies_where_addresses_do_not_and_is_recorded(self):
        fixed = ["setarch", "-R"]
        if subprocess.run([*fixed, "true"], capture_output=True).returncode != 0:
            self.skipTest("this container forbids setarch -R")
        seen, run_ = self.layouts(fixed, "--seed", "5")
        self.assertEqual(seen[::2], seen[1::2])
        self.assertGreater(len(set(seen)), 3)
        self.assertEqual(run_["layout"], seen[::2])
        again, _ = self.layouts(fixed, "--seed", "5")
        self.assertEqual(seen, again)

    def test_addresses_that_vary_need_no_padding(self):
        with open("/proc/sys/kernel/randomize_va_space") as file:
            if file.read().strip() == "0":
                self.skipTest("addresses do not vary here")
        self.assertEqual(self.layouts([])[0], [0] * 12)

    def test_a_fixed_layout_has_fixed_addresses_and_sizes(self):
        log = self.path("log")
        done = lauka("-r", "4", "--fixed-layout", "-S", f"grep stack /proc/self/maps >>{log}; echo ${{#LAUKA_LAYOUT}} >>{log}")
        if done.returncode == 6:
            self.assertIn("personality", done.stderr)  # containers may forbid it
            return
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = open(log).read().splitlines()
        self.assertEqual((len(set(lines[::2])), set(lines[1::2])), (1, {"0"}))


class Throughput(InScratch):
    def test_items_and_bytes_give_rates_and_costs(self):
        result = result_of("--backend", "simulated", "-r", "5", "--items", "1000", "--items", "B:2000",
                           "--bytes", "5000000", "a", "b")
        for command, items in zip(result["results"], (1000, 2000)):
            metrics = command["metrics"]
            for i in range(5):
                wall, cpu = (metrics[m]["values"][i] for m in ("wall_time", "cpu_time"))
                self.assertAlmostEqual(metrics["items_per_second"]["values"][i], items / wall * 1e9, delta=0.001)
                self.assertAlmostEqual(metrics["wall_time_per_item"]["values"][i], wall / items, delta=0.001)
                self.assertAlmostEqual(metrics["cpu_time_per_byte"]["values"][i], cpu / 5e6, delta=0.001)
                self.assertAlmostEqual(metrics["megabytes_per_second"]["values"][i], 5e3 / wall * 1e6, delta=0.001)
                self.assertAlmostEqual(metrics["instructions_per_item"]["values"][i],
                                       metrics["instructions"]["values"][i] / items, delta=0.001)
        self.assertEqual(result["results"][0]["metrics"]["items_per_second"]["better"], "higher")

    def judged(self, *arguments):
        """Returns the verdict and the family size of each metric, for two simulated commands."""
        result = result_of("--backend", "simulated", "-r", "20", "--seed", "1", *arguments, "a", "b")
        return {one["metric"]: (one["verdict"], one["family"]) for one in result["comparisons"]}

    def test_the_same_change_in_other_words_has_the_same_verdict(self):
        plain, found = self.judged(), self.judged("--items", "100")
        self.assertEqual(found["wall_time"], ("higher", 2))
        self.assertEqual(found["wall_time_per_item"], ("higher", 2))
        self.assertEqual(found["items_per_second"], ("lower", 2))
        self.assertEqual(found["cycles_per_item"], found["cycles"])
        for metric, (verdict, family) in plain.items():  # the rates ask no new question
            self.assertEqual(found[metric], (verdict, family), metric)
        found = self.judged("--items", "100", "--primary", "items_per_second")
        self.assertEqual({found[m] for m in ("wall_time", "wall_time_per_item")}, {("higher", 1)})
        # Different amounts make it a question of its own.
        found = self.judged("--items", "A:100", "--items", "B:105")
        self.assertEqual(found["items_per_second"], ("inconclusive", plain["ghz"][1] + 5))

    def test_what_is_not_said_of_a_command_is_not_told_of_it(self):
        result = result_of("--backend", "simulated", "-r", "3", "--items", "A:10", "a", "b")
        self.assertEqual(result["results"][1]["metrics"]["items_per_second"]["values"], [None] * 3)
        self.assertNotIn("megabytes_per_second", result["results"][0]["metrics"])

    def test_rows_fit_eighty_columns(self):
        done = lauka("--backend", "simulated", "-r", "9", "--items", "7", "--bytes", "9", "a", "b",
                     env={"COLUMNS": "80"})
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)


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


class LongWork(InScratch):
    def wait_for(self, condition, seconds=40):
        deadline = time.monotonic() + seconds
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertTrue(condition())

    def test_a_killed_session_leaves_what_was_known_ten_seconds_ago(self):
        out = self.path("r.json")
        with open(out, "w") as file:
            file.write("old")
        os.chmod(out, 0o640)
        process = subprocess.Popen([run.LAUKA, "-r", "1000000", "-w", "0", f"--json={out}",
                                    f"--csv={self.path('r.csv')}", "sleep 0.02", "sleep 0.03"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        # The documents are replaced one after the other, so a kill between two leaves only the first one
        # new.
        self.wait_for(lambda: os.path.getsize(out) > 3 and os.path.getsize(self.path("r.csv")) > 0)
        process.send_signal(signal.SIGKILL)
        process.wait()
        result = json.load(open(out))  # complete, whenever lauka was killed
        self.assertEqual((result["run"]["samples"], result["run"]["stopped"]), (False, "interrupted"))
        self.assertGreater(result["run"]["rounds"], 3)
        self.assertEqual(result["results"][1]["metrics"]["wall_time"]["count"], result["run"]["rounds"])
        self.assertEqual(os.stat(out).st_mode & 0o777, 0o640)
        again = lauka("report", out)
        self.assertIn("wall_time", again.stdout, again.stderr)
        self.assertIn("sleep 0.03", open(self.path("r.csv")).read())
        self.assertEqual(sorted(os.listdir(self.folder)), ["r.csv", "r.json"])

    def test_of_commands_one_after_the_other_all_that_ran_are_kept(self):
        out = self.path("r.json")
        process = subprocess.Popen([run.LAUKA, "--order=sequential", "-r", "5", "-w", "0", f"--json={out}",
                                    "sleep 0.001", "sleep 5", "true"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        known = lambda: json.load(open(out))["results"] if os.path.getsize(out) > 3 else []
        self.wait_for(lambda: os.path.exists(out) and known())
        self.assertEqual([r["command"] for r in known()], ["sleep 0.001"])
        self.wait_for(lambda: len(known()) == 2)
        process.send_signal(signal.SIGKILL)
        process.wait()
        result = json.load(open(out))
        self.assertEqual(result["results"][0]["metrics"]["wall_time"]["count"], 5)
        self.assertGreaterEqual(result["results"][1]["metrics"]["wall_time"]["count"], 1)
        self.assertEqual(len(result["results"][0]["times"]), 5)  # not paired, so the values are needed
        self.assertTrue(result["run"]["unpaired"])
        self.assertIn("sleep 5", lauka("report", out).stdout)

    def test_of_benchmarks_all_that_ran_are_kept(self):
        out = self.path("r.json")
        with open(self.path("config"), "w") as file:
            file.write("--runs=9999\n--warmup=0\n[first]\nsleep 0.05\n[second]\nsleep 0.05\n")
        process = subprocess.Popen([run.LAUKA, "--config", self.path("config"), f"--json={out}"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env={**os.environ, "TMPDIR": self.folder})
        self.addCleanup(process.kill)

        def known():
            try:
                return json.load(open(out))["benchmarks"]
            except ValueError:
                return []  # it is being written just now

        self.wait_for(lambda: os.path.exists(out) and known())
        process.send_signal(signal.SIGKILL)
        process.wait()
        first, second = known()
        self.assertEqual((first["name"], second["name"]), ("first", "second"))
        self.assertGreater(min(first["rounds"], second["rounds"]), 3)  # they took turns
        self.assertEqual((first["stopped"], second["stopped"]), ("interrupted", "interrupted"))
        self.wait_for(lambda: not environments_with(f"TMPDIR={self.folder}"))  # nothing goes on running

    def test_an_interrupted_session_has_its_samples_and_no_file_beside(self):
        out = self.path("r.json")
        process = subprocess.Popen([run.LAUKA, "-r", "1000000", "-w", "0", f"--json={out}", "sleep 0.02"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.addCleanup(process.kill)
        self.wait_for(lambda: os.path.exists(out) and os.path.getsize(out) > 3)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=30), 130)
        result = json.load(open(out))
        self.assertEqual(len(result["results"][0]["times"]), result["run"]["rounds"])
        self.assertEqual(os.listdir(self.folder), ["r.json"])


ERROR = "the launcher process has ended unexpectedly (was it killed?)"
DOCUMENTS = ("json", "csv", "markdown", "pr-comment", "html", "bmf", "github-benchmark", "go-benchmark",
             "asciidoc", "orgmode", "junit", "hlog", "hgrm")


class Documented(InScratch):
    def session(self, *arguments, code, env=None):
        """Runs a session with every kind of document, and a gate that each round passes."""
        done = lauka("--no-config", "-w0", "--gate=wall=100000%",
                     *(f"--{name}={self.path(name)}" for name in DOCUMENTS), *arguments, cwd=self.folder,
                     env=env)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read().replace("\u00a0", " ")

    def result(self):
        return json.loads(self.text("json"))


class EndedByAnError(Documented):
    """The launcher is killed in the fifteenth round."""

    def break_down(self, *arguments, env=None):
        kills = self.script("kills", f"#!/bin/sh\necho >>ran\n[ $(wc -l <ran) -lt 15 ] || "
                                     "kill -9 $PPID\n")
        if os.path.exists(self.path("ran")):
            os.unlink(self.path("ran"))
        done = self.session("-r20", *arguments, "true", kills, code=1, env=env)
        self.assertEqual(done.stderr, f"lauka: {ERROR}\n")
        return done

    def test_the_table_says_it(self):
        self.assertIn(f"; ended by an error: {ERROR};", " ".join(self.break_down().stdout.split()))

    def test_json_says_it(self):
        self.break_down()
        run = self.result()["run"]
        self.assertEqual((run["rounds"], run["stopped"], run["error"]), (14, "error", ERROR))

    def test_no_limit_is_held(self):
        self.break_down()
        gate = self.result()["gate"]
        self.assertEqual(gate["verdict"], "inconclusive")
        self.assertEqual({(row["verdict"], row["undecided"]) for row in gate["limits"]},
                         {("inconclusive", "ended by an error")})

    def test_csv_holds_no_pass(self):
        self.break_down()
        titles, *rows = csv.reader(self.text("csv").splitlines())
        self.assertTrue(titles[-1].endswith("_gate"))
        self.assertEqual([row[-1] for row in rows], ["", "inconclusive"])

    def test_junit_has_an_error(self):
        self.break_down()
        suites = xml.etree.ElementTree.fromstring(self.text("junit"))
        self.assertEqual((suites.get("errors"), suites.get("tests"), suites.get("skipped")), ("1", "2", "1"))
        self.assertEqual([error.get("message") for error in suites.iter("error")], [ERROR])

    def test_junit_has_it_before_a_round_was_finished_too(self):
        with open(self.path("junit"), "w") as file:
            file.write("of an earlier session, and green")
        kills = self.script("kills", "#!/bin/sh\nkill -9 $PPID\n")
        self.session("true", kills, code=1)
        suites = xml.etree.ElementTree.fromstring(self.text("junit"))
        self.assertEqual((suites.get("errors"), suites.get("tests")), ("1", "1"))
        self.assertTrue(self.text("pr-comment").splitlines()[1].startswith(
            "### ❌ lauka: the session was ended by an error: the launcher process"))

    def test_a_comment_has_no_green_mark(self):
        self.break_down()
        comment = self.text("pr-comment")
        self.assertEqual(comment.splitlines()[1], f"### ❌ lauka: the session was ended by an error: {ERROR}")
        self.assertIn('"verdict":"failed"', comment)
        self.assertNotIn("✅", comment)
        self.assertIn("fix what the error names", comment)

    def test_markdown_begins_with_it(self):
        self.break_down()
        self.assertTrue(self.text("markdown").startswith(f"The session was ended by an error: {ERROR}."))
        self.assertNotIn("✅", self.text("markdown"))

    def test_the_page_says_it(self):
        self.break_down()
        self.assertIn(f"<p>The session was ended by an error: {ERROR}</p>", self.text("html"))

    def test_tables_in_other_markup_say_it(self):
        self.break_down()
        self.assertTrue(self.text("orgmode").endswith(f"\nThe session was ended by an error: ={ERROR}=\n"))
        self.assertIn("\nThe session was ended by an error: the launcher ", self.text("asciidoc"))

    def test_go_benchmark_ends_as_go_test_does(self):
        self.break_down()
        self.assertEqual(self.text("go-benchmark").splitlines()[-1], f"FAIL\tlauka: {ERROR}")

    def test_histograms_say_it_in_a_comment(self):
        self.break_down()
        for name in ("hlog", "hgrm"):
            self.assertIn(f"#[FAILED: {ERROR}]\n", self.text(name))

    def test_github_benchmark_says_it_for_people(self):
        self.break_down()
        for entry in json.loads(self.text("github-benchmark")):
            self.assertEqual(entry["extra"], f"mean of 14 rounds; the session was ended by an error: {ERROR}")

    def test_github_gets_an_annotation_and_a_summary(self):
        done = self.break_down("--github", env={"GITHUB_STEP_SUMMARY": self.path("summary")})
        self.assertIn(f"::error title=lauka::the session was ended by an error: {ERROR}\n", done.stdout)
        self.assertIn("### ❌ lauka: the session was ended by an error:", self.text("summary"))

    def test_who_ran_one_after_the_other_is_told_too(self):
        done = lauka("--no-config", "-w0", "-r3", "--order=sequential", f"--json={self.path('json')}", "true",
                     self.script("kills", "#!/bin/sh\n[ -e ran ] && kill -9 $PPID; echo >ran\n"), "echo later",
                     cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        run = self.result()["run"]
        self.assertEqual((run["stopped"], run["error"]), ("error", ERROR))
        self.assertIn("`echo later` did not run: an error ended the session before",
                      " ".join(done.stdout.split()))

    def test_its_file_passes_no_gate(self):
        self.break_down()
        for arguments in (["gate", "json"], ["gate", "json", "json", "--gate=wall=100000%"],
                          ["compare", "json", "json", "--gate=wall=100000%"]):
            done = lauka(*arguments, "--inconclusive=pass", cwd=self.folder)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn("the session was ended by an error: ", done.stderr)
            self.assertIn(ERROR, done.stderr)
            self.assertNotIn("gate: pass", done.stdout)

    def test_a_report_of_its_file_shows_it(self):
        self.break_down()
        done = lauka("report", "json", f"--junit={self.path('again')}", cwd=self.folder)
        self.assertIn(f"; ended by an error: {ERROR};", " ".join(done.stdout.split()))
        self.assertEqual(xml.etree.ElementTree.fromstring(self.text("again")).get("errors"), "1")

    def test_a_comparison_with_its_file_says_it(self):
        self.break_down()
        done = lauka("compare", "json", "json", f"--json={self.path('both')}", cwd=self.folder)
        self.assertIn(f"; a session was ended by an error: json: {ERROR}", " ".join(done.stdout.split()))
        self.assertEqual({one["error"] for one in json.loads(self.text("both"))["benchmarks"]}, {f"json: {ERROR}"})


class FailedCleanup(Documented):
    """All rounds were finished, but the session failed."""

    REASON = "its cleanup command failed with exit code 7"

    def clean_up(self):
        return self.session("-r14", "--cleanup=exit 7", "true", "true", code=5)

    def test_no_document_is_green(self):
        self.clean_up()
        result = self.result()
        self.assertEqual((result["run"]["rounds"], result["run"]["stopped"]), (14, "failure"))
        self.assertEqual((result["failure"]["reason"], result["failure"]["outside_rounds"]), (self.REASON, True))
        self.assertEqual(result["gate"]["verdict"], "inconclusive")
        suites = xml.etree.ElementTree.fromstring(self.text("junit"))
        self.assertEqual([error.get("message") for error in suites.iter("error")], [self.REASON])
        self.assertEqual(self.text("pr-comment").splitlines()[1], f"### ❌ lauka: `true` (1) {self.REASON}")
        self.assertTrue(self.text("markdown").startswith(f"`true` (1) {self.REASON}.\n"))
        self.assertIn(f"{self.REASON}</h1>", self.text("html"))
        self.assertEqual(self.text("go-benchmark").splitlines()[-1], f"FAIL\tlauka: {self.REASON}")

    def test_its_file_passes_no_gate(self):
        self.clean_up()
        done = lauka("gate", "json", cwd=self.folder)
        self.assertEqual(done.returncode, 5)
        self.assertEqual(done.stderr, f"lauka: true: {self.REASON}\n")
        self.assertIn("gate: inconclusive: a command failed", done.stdout)


class Killed(InScratch):
    """kill -9 of lauka ends everything that lauka has started, under any user."""

    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o777)
        self.marker = f"LAUKA_TEST_MARKER={os.getpid()}.{time.monotonic_ns()}"

    def kill_in(self, *arguments, env=None, before=lambda: None):
        """Kills lauka once a run has said that it is under way."""
        process = subprocess.Popen([run.LAUKA, "--no-config", "-w0", "-r9", "--env", self.marker, *arguments],
                                   env={**os.environ, **dict([self.marker.split("=")]), **(env or {})},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, cwd=self.folder)
        self.addCleanup(process.kill)
        self.wait_until(lambda: os.path.exists(self.path("begun")))
        before()
        process.kill()
        process.wait()
        self.wait_until(lambda: not environments_with(self.marker))

    def wait_until(self, condition, seconds=30):
        deadline = time.monotonic() + seconds
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertTrue(condition())

    def command(self, text="exec sleep 120"):
        return self.script("command", f"#!/bin/sh\n>begun\n{text}\n")

    def test_with_its_command_under_sudo(self):
        if os.geteuid() != 0:
            self.skipTest("needs root")
        self.kill_in(self.command(), env=trust.UnderSudo.NOBODY)

    def test_with_its_command_as_root(self):
        if os.geteuid() != 0:
            self.skipTest("needs root")
        self.kill_in("--as-root", self.command(), env=trust.UnderSudo.NOBODY)

    def test_with_all_that_the_command_has_started(self):
        for env in [{}] + [trust.UnderSudo.NOBODY] * (os.geteuid() == 0):
            self.kill_in(self.command("sleep 120 & setsid sleep 120 & sleep 120"), env=env)
            os.unlink(self.path("begun"))

    def test_with_a_preparation_under_sudo(self):
        if os.geteuid() != 0:
            self.skipTest("needs root")
        self.kill_in(f"--prepare={self.command()}", "true", env=trust.UnderSudo.NOBODY)

    def test_with_a_suite_under_sudo(self):
        if os.geteuid() != 0:
            self.skipTest("needs root")
        with open(self.path("config"), "w") as file:
            file.write(f"[one]\n{self.command()}\n")
        process = subprocess.Popen([run.LAUKA, "--config", self.path("config"), "-w0", "-r9"],
                                   env={**os.environ, **dict([self.marker.split("=")]), **trust.UnderSudo.NOBODY},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, cwd=self.folder)
        self.addCleanup(process.kill)
        self.wait_until(lambda: os.path.exists(self.path("begun")))
        process.kill()
        process.wait()
        self.wait_until(lambda: not environments_with(self.marker))

    def test_with_what_a_suites_program_has_left_behind(self):
        program = self.script("program", suite.SPEAKER.replace("BODY", "answer() { >begun; exec sleep 120; }\n"
                                                               "setsid sleep 120 3>&- &"))
        process = subprocess.Popen([run.LAUKA, "suite", "--no-config", program, program], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder,
                                   env={**os.environ, **dict([self.marker.split("=")])})
        self.addCleanup(process.kill)
        self.wait_until(lambda: os.path.exists(self.path("begun")))
        process.kill()
        process.wait()
        self.wait_until(lambda: not environments_with(self.marker))

    def test_while_its_launcher_stands_still(self):
        """The launcher gets a SIGSTOP while lauka cannot undo it, because lauka is stopped, too."""
        parent = lambda pid: int(open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[1])

        def stop_both():
            launcher = parent(open(self.path("pid")).read().strip())
            os.kill(parent(launcher), signal.SIGSTOP)
            os.kill(launcher, signal.SIGSTOP)
        self.kill_in(self.script("command", "#!/bin/sh\necho $$ >pid\n>begun\nexec sleep 120\n"), before=stop_both)

    def test_a_killed_launcher_leaves_nothing_of_its_command(self):
        done = lauka("--no-config", "-w0", "-r9", "--env", self.marker,
                     self.script("command", "#!/bin/sh\nsleep 120 & kill -9 $PPID\nwait\n"), cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (1, f"lauka: {ERROR}\n"))
        self.wait_until(lambda: not environments_with(self.marker))


class Stopped(InScratch):
    """If someone stops the launcher, the session goes on, and unmeasured runs leave no values."""

    STOPS = "kill -STOP $PPID"
    SAID = "was not measured: lauka's launcher, which times it, was stopped meanwhile (SIGSTOP)"

    def test_its_run_is_a_failure(self):
        for ending in ("", "; sleep 0.1"):
            done = lauka("-w0", "-r3", "-S", self.STOPS + ending, cwd=self.folder, timeout=20)
            self.assertEqual(done.returncode, 5)
            self.assertIn(self.SAID + " in round 1; --max-failures drops such rounds\n", done.stderr)

    def test_no_accepting_of_failures_makes_it_a_result(self):
        done = lauka("-w0", "-r3", "-i", "-S", self.STOPS, timeout=20)
        self.assertEqual(done.returncode, 5)

    def test_its_rounds_can_be_dropped(self):
        once = self.script("once", f"#!/bin/sh\n[ -e ran ] || {{ >ran; {self.STOPS}; }}\n")
        done = lauka("-w0", "-r3", "--max-failures=1", "--json", once, cwd=self.folder, timeout=20)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual((result["run"]["rounds"], result["run"]["dropped"]), (3, 1))
        self.assertTrue(any(self.SAID in warning for warning in result["warnings"]))

    def test_among_many_it_is_the_one_that_is_told(self):
        nth = self.script("nth", f"#!/bin/sh\necho >>ran\n[ $(wc -l <ran) != 20 ] || {self.STOPS}\n")
        done = lauka("-w0", "-r60", nth, cwd=self.folder, timeout=20)
        self.assertEqual(done.returncode, 5)
        self.assertIn(self.SAID + " in round 20; --max-failures drops such rounds\n", done.stderr)

    def test_a_timeout_ends_the_run(self):
        done = lauka("-w0", "-r3", "--timeout=0.2", "-S", self.STOPS + "; exec sleep 120", timeout=20)
        self.assertEqual(done.returncode, 5)
        self.assertIn("took longer than its --timeout", done.stderr)

    def test_an_interruption_ends_the_session(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            command = self.script("command", f"#!/bin/sh\n{self.STOPS}\n>begun\nexec sleep 120\n")
            process = subprocess.Popen([run.LAUKA, "-w0", "-r3", command], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder,
                                       preexec_fn=run.heed_signals)
            self.addCleanup(process.kill)
            while not os.path.exists(self.path("begun")) and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(number)
            self.assertEqual(process.wait(20), 128 + number)
            os.unlink(self.path("begun"))

    def test_hooks_are_not_timed(self):
        done = lauka("-w0", "-r2", *(f"--{hook}={self.STOPS}" for hook in
                                     ("setup", "prepare", "conclude", "cleanup")), "true", timeout=20)
        self.assertEqual(done.returncode, 0, done.stderr)


class AskedToEnd(InScratch):
    """Signals other than those of Ctrl-C and kill: QUIT from the keyboard, ALRM from a timer that was
    set before lauka started, and USR1, USR2 and XCPU from batch systems that are about to kill."""

    NUMBERS = (signal.SIGQUIT, signal.SIGALRM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU)

    def end(self, number, *arguments, ready):
        process = subprocess.Popen([run.LAUKA, *arguments], stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder,
                                   env={**os.environ, "TMPDIR": self.folder}, preexec_fn=run.heed_signals)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 30
        while not ready() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(number)
        out, error = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 128 + number, error)
        return out, error

    def command(self):
        """A command whose second run says that it has begun, and does not end."""
        return self.script("command", "#!/bin/sh\n[ -e ran ] && { >begun; exec sleep 120; }\n>ran\n")

    def forget(self):
        for name in os.listdir(self.folder):
            os.unlink(self.path(name))

    def test_what_was_finished_is_reported_and_nothing_else_is_left(self):
        for number in self.NUMBERS:
            out, _ = self.end(number, "-w0", "-r9", "--no-config", "--json=j", "--csv=c", self.command(),
                              ready=lambda: os.path.exists(self.path("begun")))
            self.assertIn("1 round in", out)
            with open(self.path("j")) as file:
                run_told = json.load(file)["run"]
            self.assertEqual((run_told["stopped"], run_told["rounds"]), ("interrupted", 1))
            self.assertEqual(sorted(os.listdir(self.folder)), ["begun", "c", "command", "j", "ran"])
            self.forget()

    def test_benchmarks_end_with_what_is_known(self):
        for number in (signal.SIGQUIT, signal.SIGALRM, signal.SIGUSR1):
            with open(self.path("config"), "w") as file:
                file.write(f"--warmup=0\n--runs=9\n[one]\n{self.command()}\n[two]\ntrue\n")
            self.end(number, "--config=config", "--json=j", ready=lambda: os.path.exists(self.path("begun")))
            with open(self.path("j")) as file:
                benchmarks = {b["name"]: b for b in json.load(file)["benchmarks"]}
            self.assertEqual((benchmarks["one"]["rounds"], benchmarks["one"]["stopped"]), (1, "interrupted"))
            self.assertEqual(sorted(os.listdir(self.folder)), ["begun", "command", "config", "j", "ran"])
            self.forget()


class Fifo(InScratch):
    """A document can be written to a FIFO, whenever its reader opens it."""

    def start(self, *arguments):
        os.mkfifo(self.path("pipe"))
        process = subprocess.Popen([run.LAUKA, "--no-config", "-r3", "--backend=simulated", "-q", "--json=pipe",
                                    *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, cwd=self.folder,
                                   preexec_fn=run.heed_signals)
        self.addCleanup(process.stderr.close)
        clock = threading.Timer(30, process.kill)  # so that a reader never waits forever
        clock.start()
        self.addCleanup(clock.cancel)
        self.addCleanup(process.kill)
        return process

    WAITS = ("lauka: --json=pipe is a FIFO that nobody reads yet: waiting for a reader (Ctrl-C gives "
             "up)\n")

    def test_that_nobody_reads_it_yet_is_said(self):
        process = self.start("a")
        self.assertEqual(process.stderr.readline(), self.WAITS)
        with open(self.path("pipe")) as file:
            self.assertEqual(json.load(file)["run"]["rounds"], 3)
        self.assertEqual((process.wait(30), process.stderr.read()), (0, ""))

    def test_who_gives_up_is_obeyed(self):
        process = self.start("a")
        process.stderr.readline()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(30), 130)
        self.assertEqual(process.stderr.read(), "lauka: --json=pipe: interrupted while waiting for a "
                                                "reader; nothing was run\n")

    def test_suites_say_it_too(self):
        with open(self.path("config"), "w") as file:
            file.write("[one]\na\n")
        process = self.start("--config=config")
        self.assertEqual(process.stderr.readline(), self.WAITS)
        process.send_signal(signal.SIGINT)
        self.assertNotEqual(process.wait(30), 0)

    def test_a_reader_that_is_there_needs_no_word(self):
        os.mkfifo(self.path("pipe"))
        reader = subprocess.Popen(["cat", self.path("pipe")], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        self.addCleanup(reader.stdout.close)
        time.sleep(0.1)
        done = lauka("--no-config", "-r3", "--backend=simulated", "-q", "--json=pipe", "a", cwd=self.folder)
        self.assertEqual((done.returncode, json.loads(reader.stdout.read())["run"]["rounds"]), (0, 3))
        self.assertEqual(reader.wait(30), 0)


class SlowReader(InScratch):
    """Documents that do not fit into a pipe at once, whose reader waits: lauka is interrupted while it writes."""

    def start(self):
        process = subprocess.Popen([run.LAUKA, "--no-config", "-r2000", "--backend=simulated", "-q", "--json", "a", "b"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   preexec_fn=run.heed_signals)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        select.select([process.stdout], [], [], 30)  # it is written
        state = lambda: open(f"/proc/{process.pid}/stat").read().rsplit(")", 1)[1].split()[0]
        held = lambda: fcntl.ioctl(process.stdout, termios.FIONREAD, bytes(4))
        before = b""
        while before != (before := held()) or state() != "S":  # until the pipe is full
            time.sleep(0.05)
        return process

    def test_gets_all_of_it(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start()
            process.send_signal(number)
            time.sleep(0.1)
            self.assertEqual(json.loads(process.stdout.read())["run"]["rounds"], 2000)
            self.assertEqual(process.wait(30), 128 + number)

    def test_is_not_waited_for_for_ever(self):
        process = self.start()
        for _ in range(2):
            process.send_signal(signal.SIGTERM)
            time.sleep(0.5)
        self.assertEqual(process.wait(30), -signal.SIGTERM)


class FifoToRead(InScratch):
    """The writer of a file of options or of a result may never come."""

    def ended(self, number, *arguments, **variables):
        """Returns the exit code and stderr of a lauka that waits for the pipe and gets the signal."""
        if not os.path.exists(self.path("pipe")):
            os.mkfifo(self.path("pipe"))
        process = subprocess.Popen([run.LAUKA, *arguments], stdin=subprocess.DEVNULL, cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, **variables}, preexec_fn=run.heed_signals)
        self.addCleanup(process.kill)
        until = time.monotonic() + 30
        waits = False  # true once lauka waits in open(2), as a reader
        while not waits:
            self.assertLess(time.monotonic(), until)
            try:
                writer = os.open(self.path("pipe"), os.O_WRONLY | os.O_NONBLOCK)
                waits = True
            except OSError:
                time.sleep(0.01)
        while process.poll() is None:  # a signal may arrive just before read(2)
            self.assertLess(time.monotonic(), until)
            process.send_signal(number)
            time.sleep(0.05)
        os.close(writer)
        said = process.stderr.read()
        process.stderr.close()
        return process.returncode, said

    def test_options_need_not_come(self):
        for option in ("--config",), ("--gate=wall_time=5%", "--allow"), ("--gate-file",):
            for number in signal.SIGTERM, signal.SIGINT:
                code, said = self.ended(number, "--backend=simulated", "a", "b", *option, "pipe")
                if option == ("--config",):  # nothing has begun yet that needs an orderly end
                    self.assertEqual((code, said), (-number, ""))
                else:
                    self.assertEqual((code, said), (128 + number, "lauka: interrupted while files were read; "
                                                                  "nothing was run\n"))
        code, said = self.ended(signal.SIGTERM, "--backend=simulated", "a", LAUKA_CONFIG="pipe")
        self.assertEqual((code, said), (-signal.SIGTERM, ""))

    def test_results_need_not_come(self):
        for verb in "report", "compare", "gate":
            code, said = self.ended(signal.SIGTERM, "--no-config", verb, "pipe")
            self.assertEqual((code, said), (143, "lauka: interrupted while files were read; nothing was run\n"))


class FifoOfACommand(InScratch):
    """The other end of the FIFO is awaited, as by `command <pipe`, for as long as the user allows."""

    def start(self, *arguments):
        os.mkfifo(self.path("pipe"))
        process = subprocess.Popen([run.LAUKA, "--no-config", "-w0", "-r1", *arguments], text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   cwd=self.folder, preexec_fn=run.heed_signals)
        clock = threading.Timer(20, process.kill)  # so that nothing waits forever
        clock.start()
        self.addCleanup(clock.cancel)
        self.addCleanup(process.kill)
        return process

    def test_a_timeout_ends_the_wait(self):
        for option, told in (("input", "opened the FIFO for writing"), ("output", "opened the FIFO for reading")):
            process = self.start(f"--{option}=./pipe", "--timeout=0.2", "cat")
            _, error = process.communicate()
            self.assertEqual(process.returncode, 5, error)
            self.assertIn(f"waited for the file of its --{option} until its --timeout: nobody {told}", error)
            os.unlink(self.path("pipe"))

    def test_who_gives_up_is_obeyed(self):
        for option in ("input", "output"):
            process = self.start(f"--{option}=./pipe", "--prepare=touch begun", "cat")
            while not os.path.exists(self.path("begun")) and process.poll() is None:
                time.sleep(0.01)
            time.sleep(0.1)  # by now lauka waits, or is about to; both must work
            process.send_signal(signal.SIGINT)
            _, error = process.communicate()
            self.assertEqual(process.returncode, 130, error)
            os.unlink(self.path("begun"))
            os.unlink(self.path("pipe"))

    def test_who_comes_late_is_waited_for(self):
        process = self.start("--input=./pipe", "--output=./copy", "--prepare=touch begun", "cat")
        while not os.path.exists(self.path("begun")) and process.poll() is None:
            time.sleep(0.01)
        time.sleep(0.1)
        with open(self.path("pipe"), "w") as file:
            file.write("late")
        _, error = process.communicate()
        self.assertEqual(process.returncode, 0, error)
        with open(self.path("copy")) as file:
            self.assertEqual(file.read(), "late")
