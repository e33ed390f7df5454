"""What goes wrong around lauka: memory, system calls, limits, full disks, kill -9.

    python3 tests/faults/run.py LAUKA STATIC_LAUKA PROGRAMS FAILING_MALLOC [Class.test...]

Whatever fails: lauka says it in one line, ends with the right code and without a signal, leaves no
process behind, and what was written is whole.
"""

import glob
import json
import os
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

# The static one runs nothing of a dynamic linker's before its main().
DYNAMIC, LAUKA, PROGRAMS, FAILING_MALLOC = (os.path.abspath(path) for path in sys.argv[1:5])
EMPTY = os.path.join(PROGRAMS, "empty")
MARK = "LAUKA_FAULT_MARK"
ORDERLY = {0, 1, 2, 5, 6}


def marked():
    """Processes, zombies included, that came of a test: by a mark in their environment."""
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

    def orderly(self, done, what, codes=ORDERLY):
        """The promise: an expected code, one line that says why, nobody left."""
        said = [line for line in done.stderr.splitlines() if line.startswith("lauka: ")]
        self.assertIn(done.returncode, codes, f"{what}: {done.stderr[-2000:]}")
        if done.returncode:
            self.assertTrue(said, f"{what}: {done.returncode} without a word: {done.stderr[-500:]}")
        self.assertLessEqual(len(said), 3, f"{what}: {done.stderr[-2000:]}")
        for _ in range(200):  # an orphan needs a moment to be reaped by init
            if not marked():
                break
            time.sleep(0.01)
        self.assertEqual(marked(), [], what)

    def whole(self, name):
        """The document is empty (it was never written) or complete."""
        with open(self.path(name), encoding="utf-8") as file:
            text = file.read()
        return json.loads(text) if text else None


class Memory(Faults):
    ARGUMENTS = ["-w", "0", "-r", "3", "--json=out.json", "--csv=out.csv", "--markdown=out.md",
                 "--percentiles", EMPTY, EMPTY]

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
        for number in some(range(1, count + 1)):
            done = self.attempt(arguments, number, **more)
            self.orderly(done, f"allocation {number} of {count}")
            if os.path.exists(self.path("out.json")):
                self.whole("out.json")
                os.unlink(self.path("out.json"))

    def test_any_one_allocation_of_a_session_may_fail(self):
        self.fail_each(self.ARGUMENTS)

    def test_all_allocations_from_any_one_on_may_fail(self):
        self.fail_each(self.ARGUMENTS, FAIL_ALL="1")

    def test_any_one_allocation_of_a_comparison_of_files_may_fail(self):
        self.assertEqual(self.run_command([DYNAMIC, "-q", "-r", "5", "--json=stored.json", EMPTY,
                                           EMPTY]).returncode, 0)
        self.fail_each(["compare", "stored.json", "--json=out.json"])


def some(numbers, most=400):
    """All of them, or an even choice from all of their range."""
    return numbers if len(numbers) <= most else numbers[::len(numbers) // most + 1]


class SystemCalls(Faults):
    """By strace, which lets the n-th call of a kind fail."""

    FAULTS = {
        "pipe2": "EMFILE", "clone": "EAGAIN", "clone3": "EAGAIN", "vfork": "EAGAIN", "fork": "EAGAIN",
        "mmap": "ENOMEM", "openat": "EMFILE", "dup2": "EBADF", "dup3": "EBADF", "fcntl": "EBADF",
        "execve": "ENOMEM", "wait4": "ECHILD", "waitid": "ECHILD", "poll": "EINVAL", "ppoll": "EINVAL",
        "read": "EIO", "write": "EIO", "prctl": "EINVAL", "setpgid": "EPERM", "ftruncate": "EIO",
        "rt_sigaction": "EINVAL", "rt_sigprocmask": "EINVAL", "newfstatat": "EACCES",
        "clock_gettime": "EINVAL", "sched_setaffinity": "EPERM", "perf_event_open": "EMFILE",
        "ioctl": "EIO", "rename": "EACCES", "fchmod": "EPERM",
    }

    def setUp(self):
        super().setUp()
        if not shutil.which("strace"):
            if os.environ.get("CI"):
                self.fail("strace is missing")
            self.skipTest("no strace")

    def count(self, name, arguments):
        """How often one of a session's processes makes the call: strace counts for each anew."""
        done = self.run_command(["strace", "-f", "-qq", "-o", self.path("trace"), "-e",
                                 f"trace={name}", LAUKA, *arguments])
        if "invalid system call" in done.stderr:
            return 0  # this kind of processor has none
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
            deadline = time.monotonic() + 10
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
        """As a user of our own: root has no such limit."""
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


def main():
    suite = unittest.TestProgram(argv=[sys.argv[0], *sys.argv[5:]], exit=False, verbosity=1)
    result = suite.result
    bad = len(result.failures) + len(result.errors)
    skipped = len(result.skipped)
    print(f"faults: {result.testsRun - bad - skipped} passed, {bad} failed", flush=True)
    sys.exit(bad > 0)


main()
