#!/usr/bin/env python3
"""Tests the program as its users see it: python3 tests/cli/run.py LAUKA PROGRAMS [TEST...]

LAUKA is the program under test, PROGRAMS the folder of the small programs that it measures. Several tests
run at once, so each has its own folder, and looks only for its own processes.
"""
import argparse
import importlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
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


def need_kernel_mode(test):
    """Skips the test where this user may count in user mode only, so that events have other names, or none at all."""
    if "page_faults" not in result_of("-r1", "-w0", "-e", "page_faults", program("empty"))["results"][0]["metrics"]:
        test.skipTest("events in kernel mode cannot be counted here")


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
