"""Faults around lauka: memory, system calls, limits, clocks, full disks, kill -9; and the promises of
SECURITY.md.

    python3 tests/faults/run.py LAUKA STATIC_LAUKA PROGRAMS FAILING_MALLOC STEPPING_CLOCK [Class.test...]

Whatever fails, lauka says so in one line, ends with the right exit code and not by a signal, leaves no
process behind, and everything it wrote is complete.
"""

import glob
import importlib
import json
import os
import pty
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

# In the static program, no dynamic linker runs before main().
DYNAMIC, LAUKA, PROGRAMS, FAILING_MALLOC, STEPPING_CLOCK = map(os.path.abspath, sys.argv[1:6])
EMPTY = os.path.join(PROGRAMS, "empty")
MARK = "LAUKA_FAULT_MARK"
ORDERLY = {0, 1, 2, 5, 6}


def marked():
    """Returns the processes of a test, including zombies, by a mark in their environment."""
    found = []
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(path, "rb") as file:
                if MARK.encode() + b"=" + str(os.getpid()).encode() in file.read():
                    found.append(int(path.split("/")[2]))
        except OSError:
            pass
    return found


def default_signals():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)


class Faults(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="lauka-faults-")
        os.chmod(self.directory, 0o755)
        self.addCleanup(shutil.rmtree, self.directory)

    def path(self, name):
        return os.path.join(self.directory, name)

    def run_command(self, command, prepare=default_signals, env=None, timeout=60, **how):
        environment = {**os.environ, MARK: str(os.getpid()), "LC_ALL": "C.UTF-8", **(env or {})}
        return subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, text=True,
                              errors="replace", capture_output=True, timeout=timeout,
                              preexec_fn=prepare, cwd=self.directory, **how)

    def need_strace(self):
        if not shutil.which("strace"):
            if os.environ.get("CI"):
                self.fail("strace is not installed")
            self.skipTest("strace is not installed")

    def orderly(self, done, what, codes=ORDERLY):
        """Checks the promise: an expected exit code, one line with the reason, and no process left."""
        said = [line for line in done.stderr.splitlines() if line.startswith("lauka: ")]
        self.assertIn(done.returncode, codes, f"{what}: {done.stderr[-2000:]}")
        if done.returncode:
            self.assertTrue(said, f"{what}: exit code {done.returncode} without a message: {done.stderr[-500:]}")
        self.assertLessEqual(len(said), 4, f"{what}: {done.stderr[-2000:]}")  # one per document
        for _ in range(200):  # init needs a moment to reap an orphan
            if not marked():
                break
            time.sleep(0.01)
        self.assertEqual(marked(), [], what)

    def whole(self, name):
        """Returns the document, which must be complete, or None if it is empty because it was never
        written."""
        with open(self.path(name), encoding="utf-8") as file:
            text = file.read()
        return json.loads(text) if text else None


class Allocating(Faults):
    """An allocation fails, by its number; or all from that one on."""

    def attempt(self, arguments, number, **more):
        env = {"LD_PRELOAD": FAILING_MALLOC, "FAIL_ALLOCATION": str(number), **more}
        return self.run_command([DYNAMIC, *arguments], env=env)

    def allocations(self, arguments):
        done = self.attempt(arguments, 0, FAIL_COUNT=self.path("count"))
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("count"), encoding="ascii") as file:
            return int(file.read())

    def fail_each(self, arguments, **more):
        count = self.allocations(arguments)
        self.assertGreater(count, 50)
        beginning = range(1, min(count, 200) + 1)  # these allocations differ; later ones repeat
        tried = sorted({*beginning, *some(range(1, count + 1))})
        print(f"{len(tried)} of {count} allocations failed in turn", file=sys.stderr)
        for number in tried:
            done = self.attempt(arguments, number, **more)
            self.orderly(done, f"allocation {number} of {count}")
            if os.path.exists(self.path("out.json")):
                self.whole("out.json")
                os.unlink(self.path("out.json"))


class Memory(Allocating):
    ARGUMENTS = ["-w", "0", "-r", "3", "--json=out.json", "--csv=out.csv", "--markdown=out.md",
                 "--percentiles", EMPTY, EMPTY]

    def test_any_one_allocation_of_a_session_may_fail(self):
        self.fail_each(self.ARGUMENTS)

    def test_any_one_allocation_of_a_session_with_services_may_fail(self):
        serve, request = (os.path.join(PROGRAMS, name) for name in ("serve", "request"))
        self.fail_each(["-q", "-w0", "-r1", "--json=out.json", "--service-warmup=0s", "--ready=Listening",
                        f"--service=a:'{serve}' tell=port latency=10", "--load", "wrk", f"'{request}' port"])

    def test_any_one_allocation_of_a_session_that_compares_output_may_fail(self):
        self.fail_each(["-q", "-w0", "-r1", "-S", "--json=out.json", "--same-output=cat", "--output-file=o", "seq 20000 | tee o",
                        "seq 20000 | tee o "])

    def test_any_one_allocation_may_fail_while_tables_of_events_are_read(self):
        """Then the list is refused: it is whole, or it is not there."""
        os.mkdir(self.path("tables"))
        for name, text in (("mapfile.csv", "A-6-(55|56),v1,t.json,core\n"), ("common.json", '[{"EventName": "ALL"}]'),
                           ("t.json", json.dumps([{"EventName": f"E.{i}", "EventCode": "1"} for i in range(20)]))):
            with open(self.path(f"tables/{name}"), "w", encoding="ascii") as file:
                file.write(text)
        words = ["list", "e.", "--json", "--event-table=tables"]
        with unittest.mock.patch.dict(os.environ, PERF_CPUID="A-6-55-1"):
            whole = self.attempt(words, 0).stdout
            for number in range(1, self.allocations(words) + 1):
                done = self.attempt(words, number)
                self.orderly(done, f"allocation {number}", {0, 1, 2, 6})
                self.assertIn(done.stdout, ("", whole), number)
        self.assertEqual(whole.count('"e.'), 20)

    def test_all_allocations_from_any_one_on_may_fail(self):
        self.fail_each(self.ARGUMENTS, FAIL_ALL="1")

    def test_any_one_allocation_of_a_comparison_of_files_may_fail(self):
        self.assertEqual(self.run_command([DYNAMIC, "-q", "-r", "5", "--json=stored.json", EMPTY,
                                           EMPTY]).returncode, 0)
        self.fail_each(["compare", "stored.json", "--json=out.json"])


def some(numbers, most=400):
    """Returns all of them, or an even selection over their whole range."""
    return numbers if len(numbers) <= most else numbers[::len(numbers) // most + 1]


class SystemCalls(Faults):
    """strace makes the n-th call of a kind fail."""

    FAULTS = {
        "pipe2": "EMFILE", "clone": "EAGAIN", "clone3": "EAGAIN", "vfork": "EAGAIN", "fork": "EAGAIN",
        "mmap": "ENOMEM", "openat": "EMFILE", "dup2": "EBADF", "dup3": "EBADF", "fcntl": "EBADF",
        "execve": "ENOMEM", "wait4": "ECHILD", "waitid": "ECHILD", "poll": "EINVAL", "ppoll": "EINVAL",
        "read": "EIO", "write": "EIO", "prctl": "EINVAL", "setpgid": "EPERM", "ftruncate": "EIO",
        "rt_sigaction": "EINVAL", "rt_sigprocmask": "EINVAL", "newfstatat": "EACCES",
        "clock_gettime": "EINVAL", "sched_setaffinity": "EPERM", "perf_event_open": "EMFILE",
        "ioctl": "EIO", "fsync": "EIO", "rename": "EACCES", "fchmod": "EPERM",
        "memfd_create": "ENOSYS", "execveat": "EACCES", "unshare": "ENOMEM",
    }

    def setUp(self):
        super().setUp()
        self.need_strace()

    def count(self, name, arguments):
        """Returns how often a process of a session makes the call; strace counts for each process
        separately."""
        done = self.run_command(["strace", "-f", "-qq", "-o", self.path("trace"), "-e",
                                 f"trace={name}", LAUKA, *arguments])
        if "invalid system call" in done.stderr:
            return 0  # this kind of processor lacks the call
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("trace"), encoding="utf-8", errors="replace") as file:
            makers = [line.split()[0] for line in file if name + "(" in line]
        return max(map(makers.count, makers), default=0)

    def test_any_one_call_of_a_session_may_fail(self):
        arguments = ["-q", "-w", "0", "-r", "2", "--json=out.json", EMPTY, EMPTY]
        tried = 0
        for name, errno in self.FAULTS.items():
            count = self.count(name, arguments)
            for number in some(range(1, count + 1), most=12):
                done = self.run_command(
                    ["strace", "-f", "-qq", "-o", self.path("trace"), "-e", f"trace={name}", "-e",
                     f"inject={name}:error={errno}:when={number}", LAUKA, *arguments])
                what = f"{name} number {number} fails with {errno}"
                tried += 1
                self.orderly(done, what)
                if os.path.exists(self.path("out.json")):
                    self.whole("out.json")
                    os.unlink(self.path("out.json"))
        print(f"{tried} system calls failed in turn", file=sys.stderr)
        self.assertGreater(tried, 60)

    def test_the_launcher_is_a_copy_of_lauka_where_it_may_not_be_executed_from_memory(self):
        for fault in ("execveat:error=EACCES", "vfork:error=EAGAIN:when=1", "memfd_create:error=ENOSYS"):
            done = self.run_command(["strace", "-f", "-qq", "-o", self.path("trace"), "-e",
                                     f"trace={fault.split(':')[0]},fork,clone,clone3", "-e", f"inject={fault}", LAUKA,
                                     "-q", "-w0", "-r2", "--json=out.json", EMPTY])
            self.assertEqual(done.returncode, 0, fault + done.stderr)
            self.assertEqual(self.whole("out.json")["run"]["rounds"], 2)
            with open(self.path("trace"), encoding="utf-8", errors="replace") as file:
                calls = file.read()
            self.assertIn("(INJECTED)", calls)
            self.assertRegex(calls, r"\bfork\(\)|SIGCHLD, child_tidptr|exit_signal=SIGCHLD")

    def test_a_signal_before_exec_ends_the_command_and_nothing_else(self):
        """Until then, the command's process has the launcher's memory, and handlers of its own."""
        for name in ("ALRM", "IO", "TERM", "SEGV"):
            done = self.run_command(["strace", "-f", "-qq", "-o", self.path("trace"), "-e", "trace=setpgid", "-e",
                                     f"inject=setpgid:signal=SIG{name}:when=1", LAUKA, "-q", "-w0", "-r2", "-i",
                                     "--json=out.json", EMPTY])
            self.assertEqual(done.returncode, 0, done.stderr)
            result = self.whole("out.json")
            self.assertEqual((result["run"]["rounds"], result["run"]["stopped"]), (2, "rounds"), name)
            number = getattr(signal, "SIG" + name)
            self.assertEqual(result["results"][0]["exit_codes"], [128 + number] * 2)

    def test_a_document_is_on_the_disk_before_it_replaces_another(self):
        done = self.run_command(["strace", "-qq", "-o", self.path("trace"), "-e", "trace=fsync,?rename,?renameat,"
                                 "?renameat2", LAUKA, "-q", "--backend=simulated", "-r3", "--json=out.json", "a"])
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("trace"), encoding="utf-8") as file:
            calls = [line.split("(")[0] for line in file]
        self.assertEqual([call[:6] for call in calls if call[0] in "fr"], ["fsync", "rename"])

    def test_a_wait_that_fails_is_no_end_that_was_wanted(self):
        """It fails in lauka's own process, after some rounds, while a command runs that would not end."""
        done = self.run_command(
            ["strace", "-qq", "-o", self.path("trace"), "-e", "trace=?poll,?ppoll", "-e",
             "inject=?poll,?ppoll:error=EINVAL:when=60+", LAUKA, "-q", "-w0", "-r1000",
             "--gate=wall=1000%", "--json=out.json", "--junit=out.xml", "--cleanup=sleep 120", EMPTY,
             "sh -c 'echo >>ran; [ $(wc -l <ran) -lt 5 ] || while :; do echo x >&2; sleep 0.01; done'"])
        self.orderly(done, "poll fails", codes={1})
        result = self.whole("out.json")
        self.assertEqual(result["run"]["stopped"], "error")
        self.assertIn(result["run"]["error"], done.stderr)
        self.assertGreater(result["run"]["rounds"], 0)
        self.assertNotEqual(result["gate"]["verdict"], "pass")
        with open(self.path("out.xml"), encoding="utf-8") as file:
            self.assertIn(' errors="1" ', file.read())
        self.assertEqual(self.run_command([LAUKA, "gate", "out.json"]).returncode, 1)

    def test_all_is_shown_where_a_container_refuses_unshare(self):
        done = self.run_command(
            ["strace", "-f", "-qq", "-o", self.path("trace"), "-e", "trace=unshare", "-e",
             "inject=unshare:error=EPERM", LAUKA, "-q", "-w0", "-r3", "--style=none", "--order=rotate",
             "--output=B:inherit", EMPTY, "sh -c 'echo hi; echo ho >&2'"])
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, 3 * "hi\n", 3 * "ho\n"))


class Kill(Faults):
    def test_kill_9_at_any_moment_takes_the_launcher_and_the_command_along(self):
        choice = random.Random(2026)
        for _ in range(12):
            environment = {**os.environ, MARK: str(os.getpid())}
            with subprocess.Popen([LAUKA, "-q", "-r", "100000", "--json=out.json", EMPTY, "sleep 0.002"],
                                  env=environment, cwd=self.directory, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                time.sleep(choice.random() * 0.15)
                process.kill()
                process.wait()
            deadline = time.monotonic() + 60
            while marked() and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertEqual(marked(), [])
            if os.path.exists(self.path("out.json")):
                self.whole("out.json")


class Limits(Faults):
    def limited(self, what, limit, *arguments):
        def prepare():
            default_signals()
            resource.setrlimit(what, (limit, limit))
        return self.run_command([LAUKA, *arguments], prepare=prepare)

    def test_few_descriptors(self):
        for limit in range(3, 24):
            self.orderly(self.limited(resource.RLIMIT_NOFILE, limit, "-q", "-r", "2", "--json=out.json",
                                      EMPTY, EMPTY), f"RLIMIT_NOFILE {limit}")

    def test_little_address_space(self):
        for megabytes in (8, 16, 32, 64, 128, 256, 280, 300, 400):
            done = self.limited(resource.RLIMIT_AS, megabytes << 20, "-q", "-r", "2", EMPTY, EMPTY)
            self.orderly(done, f"RLIMIT_AS {megabytes} MB")

    def test_no_more_processes(self):
        """Runs as a user of its own, because root has no such limit."""
        def prepare():
            default_signals()
            os.setgid(54321)
            os.setuid(54321)
            resource.setrlimit(resource.RLIMIT_NPROC, (prepare.limit, prepare.limit))
        os.chmod(self.directory, 0o777)
        for limit in (1, 2, 3):
            prepare.limit = limit
            done = self.run_command([LAUKA, "-q", "-r", "2", EMPTY, EMPTY], prepare=prepare)
            self.orderly(done, f"RLIMIT_NPROC {limit}")

    def test_ten_thousand_commands(self):
        done = self.run_command([LAUKA, "-q", "-w", "0", "-r", "1", "-e", "none", "--csv=out.csv"] +
                                [EMPTY] * 10000, timeout=300)
        self.orderly(done, "10,000 commands")
        if done.returncode == 0:
            with open(self.path("out.csv"), encoding="utf-8") as file:
                self.assertEqual(len(file.readlines()), 10001)


def as_nobody():
    default_signals()
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)


class Clocks(Faults):
    def test_a_stepping_wall_clock_disturbs_nothing(self):
        """The clock jumps half a day ahead and a day back. Rounds, times and the end of a session must
        not change."""
        begin = time.monotonic()
        done = self.run_command([DYNAMIC, "-q", "--until=0", "--max-time=0.5", "--json=out.json",
                                 "sleep 0.002", "sleep 0.004"], env={"LD_PRELOAD": STEPPING_CLOCK})
        took = time.monotonic() - begin
        self.orderly(done, "a stepping clock")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = self.whole("out.json")
        self.assertEqual(result["run"]["stopped"], "time")
        self.assertGreaterEqual(took, 0.9)  # no round begins that would end later
        self.assertLess(took, 30)
        for one, least in zip(result["results"], (0.002, 0.004)):
            self.assertTrue(all(least <= value < 10 for value in one["times"]), one["times"])
        told = subprocess.run(["date", "+%s"], env={**os.environ, "LD_PRELOAD": STEPPING_CLOCK},
                              capture_output=True, text=True, check=True)
        self.assertGreater(abs(int(told.stdout) - time.time()), 40000)  # the clock did step

    def session_of(self, span):
        """Runs a simulated session that uses all of its time; returns its result, and its peak memory in
        kB."""
        pid = os.fork()
        if pid == 0:
            os.dup2(os.open(self.path("out"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
            os.chdir(self.directory)
            os.execv(LAUKA, ["lauka", "-q", "--backend=simulated", "-e", "none", "--no-samples",
                             "--until=0", f"--max-time={span}", "--json=out.json", "a"])
        _, status, usage = os.wait4(pid, 0)
        self.assertEqual(status, 0)
        return self.whole("out.json"), usage.ru_maxrss

    def test_a_session_of_a_day_takes_no_more_memory_than_one_of_minutes(self):
        _, little = self.session_of("2m")
        result, much = self.session_of("24h")
        self.assertEqual(result["run"]["stopped"], "time")
        self.assertAlmostEqual(result["run"]["measured"] / 86400, 1, delta=0.001)
        rounds = result["run"]["rounds"]
        self.assertGreater(rounds, 8_000_000)
        self.assertAlmostEqual(rounds * result["results"][0]["mean"] / 86400, 1, delta=0.03)
        self.assertLess(much, little + 1024)
        self.assertLess(os.path.getsize(self.path("out.json")), 60_000)


class Directories(Faults):
    """Where files are written. The tests run without root privileges, because root may write everywhere."""

    def unprivileged(self, *arguments, **env):
        return self.run_command([LAUKA, *arguments], prepare=as_nobody, env=env)

    def setUp(self):
        super().setUp()
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        os.mkdir(self.path("closed"), 0o555)
        with open(self.path("sections"), "w", encoding="ascii") as file:
            file.write(f"-r2\n[one]\n{EMPTY}\n[two]\n{EMPTY}\n")

    def test_a_session_needs_no_temporary_directory(self):
        for where in (self.path("closed"), self.path("missing"), "", "relative"):
            for words in (["-r2", EMPTY, EMPTY], ["--config=sections"]):
                done = self.unprivileged("-q", *words, TMPDIR=where)
                self.orderly(done, where)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_result_in_a_directory_that_is_read_only_is_refused_before_the_first_run(self):
        done = self.unprivileged("-q", "-r2", "--json=closed/out.json", f"touch {self.path('ran')}")
        self.orderly(done, "a read-only directory", {2})
        self.assertIn("closed/out.json: Permission denied", done.stderr)
        self.assertFalse(os.path.exists(self.path("ran")))

    def test_a_disk_that_fills_up_loses_no_other_result(self):
        disk = self.path("disk")
        os.mkdir(disk)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk],
                          capture_output=True).returncode == 0:
            self.addCleanup(subprocess.run, ["umount", disk])
            full = f"{disk}/out.json"
        else:
            full = "/dev/full"  # if no file system can be mounted here
        done = self.run_command([LAUKA, "--backend=simulated", "-r2000", f"--json={full}",
                                 "--csv=out.csv", "a", "b"])
        self.orderly(done, "a full disk", {1})
        self.assertIn("No space left on device", done.stderr)
        self.assertIn("2000 rounds", done.stdout)
        with open(self.path("out.csv"), encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 3)


DOCUMENTS = ("json", "csv", "csv-samples", "markdown", "html", "bmf", "go-benchmark")


class Promises(Faults):
    """Checks SECURITY.md, sentence by sentence."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("shared"))
        os.chmod(self.path("shared"), 0o1777)  # like /tmp
        with open(self.path("victim"), "w", encoding="ascii") as file:
            file.write("keep this\n")

    def spared(self):
        with open(self.path("victim"), encoding="ascii") as file:
            return file.read() == "keep this\n"

    def test_no_shell_runs_where_none_was_asked_for(self):
        self.need_strace()
        done = self.run_command(["strace", "-f", "-qq", "-o", self.path("trace"), "-e",
                                 "trace=execve,execveat", LAUKA, "-q", "-w0", "-r2", EMPTY,
                                 f"{EMPTY} '$(touch x)' '*' ';'"])
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("trace"), encoding="utf-8", errors="replace") as file:
            programs = re.findall(r'exec\w+\("([^"]*)"', file.read())
        # This program has no file: lauka measures the floor of a run's cost with a program of its own.
        programs = [name for name in programs if not re.fullmatch(r"/proc/\d+/fd/\d+", name)]
        self.assertEqual(programs, [LAUKA] + 4 * [EMPTY])
        self.assertFalse(os.path.exists(self.path("x")))

    def test_a_link_in_a_shared_directory_is_not_followed(self):
        for target in ("victim", "new"):
            for name in DOCUMENTS:
                link = self.path(f"shared/{name}")
                os.symlink(self.path(target), link)
                os.lchown(link, 65534, 65534)
                done = self.run_command([LAUKA, "-q", "-r1", f"--{name}={link}", EMPTY])
                self.orderly(done, name, {2})
                self.assertIn("is a link", done.stderr)
                self.assertTrue(os.path.islink(link))
                os.unlink(link)
            self.assertFalse(os.path.exists(self.path("new")))
        self.assertTrue(self.spared())

    def test_nor_is_one_for_output_summary_or_sections(self):
        link = self.path("shared/link")
        os.symlink(self.path("victim"), link)
        with open(self.path("sections"), "w", encoding="ascii") as file:
            file.write(f"-r1\n[one]\n{EMPTY}\n[two]\n{EMPTY}\n")
        for arguments in (["-w0", "-r1", f"--output={link}", EMPTY],
                          ["-w0", "-r1", "--github", EMPTY],
                          ["--config=sections", f"--json={link}"]):
            done = self.run_command([LAUKA, "-q", *arguments], env={"GITHUB_STEP_SUMMARY": link})
            self.orderly(done, arguments, {2, 5})
            self.assertIn("is a link", done.stderr)
        self.assertTrue(self.spared())

    def test_a_file_that_somebody_else_planted_is_not_written_to(self):
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        planted = self.path("shared/planted")
        with open(planted, "w", encoding="ascii") as file:
            file.write("theirs\n")
        os.chmod(planted, 0o666)
        os.chown(planted, 65534, 65534)
        os.link(self.path("victim"), self.path("shared/hard"))
        for arguments in ([f"--json={planted}"], [f"--output={planted}"],
                          [f"--csv={self.path('shared/hard')}"]):
            done = self.run_command([LAUKA, "-q", "-w0", "-r1", *arguments, EMPTY])
            self.orderly(done, arguments, {2, 5})
            self.assertIn("does not belong to you alone", done.stderr)
        with open(planted, encoding="ascii") as file:
            self.assertEqual(file.read(), "theirs\n")
        self.assertTrue(self.spared())

    def test_a_file_of_ones_own_there_is_written_again(self):
        for _ in range(2):
            done = self.run_command([LAUKA, "-q", "-w0", "-r2", "--json=shared/own.json",
                                     "--output=./shared/told", "echo told"])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(self.whole("shared/own.json"))
            with open(self.path("shared/told"), encoding="ascii") as file:
                self.assertEqual(file.read(), "told\n")

    def test_a_file_of_options_of_another_user_is_not_read(self):
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        with open(self.path(".lauka"), "w", encoding="ascii") as file:
            file.write(f"touch {self.path('ran')}\n")
        os.chown(self.path(".lauka"), 65534, 65534)
        self.orderly(self.run_command([LAUKA, "-r1"]), "another user's .lauka", {2})
        self.assertFalse(os.path.exists(self.path("ran")))

    def test_nor_is_one_behind_a_link(self):
        with open(self.path("own"), "w", encoding="ascii") as file:
            file.write(f"touch {self.path('ran')}\n")
        os.symlink("own", self.path(".lauka"))
        for owner in (os.geteuid(), 65534) if os.geteuid() == 0 else (os.geteuid(),):
            os.lchown(self.path(".lauka"), owner, -1)
            done = self.run_command([LAUKA, "-r1"])
            self.orderly(done, f"a link of user {owner}", {2})
            self.assertIn("is a link", done.stderr)
        self.assertFalse(os.path.exists(self.path("ran")))

    def test_whose_it_is_is_asked_of_what_was_opened(self):
        """The owner is checked on the opened file, because a name may get another file between two
        looks."""
        self.need_strace()
        with open(self.path(".lauka"), "w", encoding="ascii") as file:
            file.write(f"-r1\n{EMPTY}\n")
        done = self.run_command(["strace", "-f", "-qq", "-o", self.path("trace"), "-e", "trace=%file",
                                 LAUKA, "-q", "-w0"])
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("trace"), encoding="utf-8", errors="replace") as file:
            looks = re.findall(r'(\w+)\([^"]*"\./\.lauka"(.*)', file.read())
        looks = [(call, how) for call, how in looks if "access" not in call]  # only checks whether it exists
        self.assertEqual([call.replace("openat", "open") for call, _ in looks], ["open"])
        self.assertIn("O_NOFOLLOW", looks[0][1])

    def test_files_have_the_rights_that_the_umask_leaves(self):
        for umask in (0o077, 0o027, 0o022):
            def prepare():
                default_signals()
                os.umask(prepare.umask)
            prepare.umask = umask
            done = self.run_command([LAUKA, "-q", "-w0", "-r1", "--output=./told", EMPTY] +
                                    [f"--{name}={name}" for name in DOCUMENTS], prepare=prepare)
            self.assertEqual(done.returncode, 0, done.stderr)
            for name in (*DOCUMENTS, "told"):
                self.assertEqual(os.stat(self.path(name)).st_mode & 0o7777, 0o666 & ~umask, name)
                os.unlink(self.path(name))

    def test_no_escape_of_a_name_or_of_stderr_reaches_a_terminal(self):
        """On a terminal, with colour and progress, lauka must write no escape sequences but its own."""
        nasty = "\033]0;owned\007\033[2J\033P1\033\\\x9b5n\r"
        script = self.path("x\033[2J\033]0;owned\007")
        with open(script, "w", encoding="latin-1") as file:
            file.write(f"#!/bin/sh\nprintf '%s' '{nasty}' >&2\nexit $1\n")
        os.chmod(script, 0o755)
        for code in ("0", "3"):
            for more in ([], ["-n", nasty], ["--percentiles"], ["--max-failures=1"]):
                own, other = pty.openpty()
                with subprocess.Popen([LAUKA, "--style=full", "-w0", "-r2", *more, "--", script, code],
                                      stdin=other, stdout=other, stderr=other, cwd=self.directory,
                                      env={**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8"}) as process:
                    os.close(other)
                    shown = b""
                    try:
                        while piece := os.read(own, 65536):
                            shown += piece
                    except OSError:
                        pass  # this error is the terminal's end
                    os.close(own)
                self.assertEqual(process.returncode, 5 if code == "3" else 0, shown)
                self.assertIn(b"\\x1b", shown)
                ours = re.sub(rb"\x1b\[(\d*(;\d+)*m|K)|\r\n|\r\x1b\[K", b"", shown)
                self.assertNotRegex(ours, rb"\x1b|\x07|\x9b|\r(?!\x1b)")


def main():
    sys.modules["run"] = sys.modules[__name__]  # the module that the other file imports
    globals()["Subcommands"] = importlib.import_module("subcommands").Subcommands
    for name in ("StoresMemory", "StoresCalls"):
        globals()[name] = getattr(importlib.import_module("stores"), name)
    suite = unittest.TestProgram(argv=[sys.argv[0], *sys.argv[6:]], exit=False, verbosity=1)
    result = suite.result
    bad = len(result.failures) + len(result.errors)
    skipped = len(result.skipped)
    print(f"faults: {result.testsRun - bad - skipped} passed, {bad} failed", flush=True)
    sys.exit(bad > 0)


main()
