"""Commands that misbehave, and the settings that each command may have. run.py runs these tests."""
import ctypes
import json
import os
import signal
import subprocess
import sys
import time

import run
from run import InScratch, lauka, result_of


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
