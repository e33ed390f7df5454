"""Where the files of commands are in the page cache: what lauka does to each, and what it says about
them. run.py runs these tests."""
import json
import mmap
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import run
from run import lauka, lauka_as_nobody

LIKE_MEMORY = {"tmpfs", "ramfs"}
PADDING = 8 << 20
PAGE = mmap.PAGESIZE


def file_system(path):
    """Returns the file system's type, as in /proc/mounts."""
    found = ("", "")
    with open("/proc/self/mounts") as mounts:
        for line in mounts:
            _, place, kind, *_ = line.split()
            inside = place == "/" or path == place or path.startswith(place + "/")
            if inside and len(place) >= len(found[0]):
                found = (place, kind)
    return found[1]


def a_disk():
    """Returns a folder that is on a disk and not in memory; None if there is none."""
    for folder in (tempfile.gettempdir(), "/var/tmp", os.getcwd()):
        folder = os.path.realpath(folder)
        if os.access(folder, os.W_OK) and file_system(folder) not in LIKE_MEMORY:
            return folder
    return None


# Prints which share of each file's pages is in the page cache. Only the owner may know it.
RESIDENT = """
import ctypes, mmap, sys
for path in sys.argv[1:]:
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as pages:
        here = (ctypes.c_ubyte * ((len(pages) + mmap.PAGESIZE - 1) // mmap.PAGESIZE))()
        start = ctypes.c_char.from_buffer(pages)
        assert ctypes.CDLL(None).mincore(ctypes.c_void_p(ctypes.addressof(start)), ctypes.c_size_t(len(pages)), here) == 0
        del start
        print(sum(byte & 1 for byte in here) / len(here))
"""


def drop(path):
    with open(path, "r+b") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


class Files(unittest.TestCase):
    """Programs of different sizes, so that lauka does not read them to see whether they are the same."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=a_disk())
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.chmod(self.folder, 0o755)

    def path(self, name):
        return os.path.join(self.folder, name)

    def program(self, name, more=0):
        shutil.copy(run.program("empty"), self.path(name))
        os.truncate(self.path(name), os.path.getsize(self.path(name)) + more)
        os.chmod(self.path(name), 0o755)
        return self.path(name)

    def placed(self, *arguments, call=lauka):
        """Returns what the JSON says about the placement of each command's file."""
        done = call("-q", "-w0", "-r4", "--max-time=1h", "--json=-", *arguments, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [entry.get("executable", {}).get("placement") for entry in json.loads(done.stdout)["results"]]


@unittest.skipUnless(sys.platform == "linux" and a_disk(), "there is no page cache of a disk that lauka could control")
class Placement(Files):
    def resident(self, *command):
        done = subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True)
        return [round(float(line), 1) for line in done.stdout.split()]

    def test_files_are_read_whole_before_the_first_run(self):
        with open(self.path("resident.py"), "w") as file:
            file.write(RESIDENT)
        names = [self.program("a", PADDING), self.program("b", PADDING + PAGE)]
        for how, expected in (("alike", [1, 1]), ("keep", [0, 0])):
            for name in names:
                drop(name)
            if max(self.resident(sys.executable, "resident.py", *names)) > 0:
                self.skipTest("this system does not drop pages on request")
            done = lauka("-q", "-w0", "-r1", "--max-time=1h", f"--placement={how}", "--order=rotate", *names, "--prepare",
                         f"test -e {how} || {sys.executable} resident.py a b >{how}", cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.resident("cat", how), expected, how)

    def test_what_was_done_is_told_of_each_file(self):
        a, b = self.program("a"), self.program("b", PAGE)
        self.assertEqual(self.placed(a, b, a), ["reread", "reread", "reread"])
        self.assertEqual(self.placed("--order=sequential", a, b), ["reread", "reread"])
        self.assertEqual(self.placed("--placement=keep", a, b), ["kept", "kept"])
        self.assertEqual(self.placed("-L", "n", "1,2", f"{a} {{n}}", f"{b} {{n}}"), ["reread"] * 4)

    def test_a_file_of_all_sides_is_left_alone(self):
        a = self.program("a")
        self.assertEqual(self.placed(a, f"{a} x"), ["shared", "shared"])
        self.assertEqual(self.placed("-S", a, f"{self.program('b')}; :"), ["shared", "shared"])
        os.symlink(a, self.path("c"))
        self.assertEqual(self.placed(a, self.path("c")), ["shared", "shared"])

    def test_one_that_would_take_too_long_is_left_alone_with_the_others(self):
        a, b = self.program("a"), self.program("b", 4 * PADDING)
        self.assertEqual(self.placed("--max-time=1us", a, b), ["long", "long"])
        self.assertEqual(self.placed("--budget=1us", a, b), ["long", "long"])

    def test_files_are_placed_once_setups_have_made_them(self):
        self.program("a")
        self.assertEqual(self.placed("-s", "cp a b; cp a c", "./b", "./c"), ["reread", "reread"])

    def test_one_that_may_not_be_read_is_left_alone(self):
        a, b = self.program("a"), self.program("b", PAGE)
        os.chmod(b, 0o711)
        if os.geteuid() == 0:
            self.assertEqual(self.placed(a, b, call=lauka_as_nobody), ["reread", "unreadable"])

    def test_a_file_in_memory_is_left_alone(self):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            shutil.copy(self.program("b", PAGE), folder)
            if file_system(os.path.realpath(folder)) not in LIKE_MEMORY or os.statvfs(folder).f_flag & os.ST_NOEXEC:
                self.skipTest("files in memory cannot be executed here")
            self.assertEqual(self.placed(self.program("a"), f"{folder}/b"), ["reread", "memory"])

    def test_the_note_about_the_same_bytes_says_what_lauka_did(self):
        for name in ("a", "b"):
            with open(self.path(name), "w") as file:
                file.write('#!/bin/sh\ncase $0 in *b) sleep 0.02 ;; esac\n')
            os.chmod(self.path(name), 0o755)
        for how, words in (("alike", "lauka read both again, and cannot see whether that was enough."),
                           ("keep", "without --placement=keep, lauka places both alike.")):
            done = lauka("-q", "-r12", "-w0", "--max-time=1h", f"--placement={how}", "./a", "./b", cwd=self.folder)
            text = " ".join(done.stdout.split())
            self.assertIn(f"The two files may lie differently in the page cache; {words}", text)

    def test_a_word_that_is_neither_is_an_error(self):
        done = lauka("--placement=never", "true")
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
        self.assertIn("--placement", done.stderr)


class Levels(Files):
    """Possible reasons for a difference in time while instructions are equal."""

    def notes(self, *arguments):
        done = lauka("-q", "--backend=simulated:effects", "--seed=1", "-r20", "--json=j", *arguments, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("j")) as file:
            result = json.load(file)
        return result, [doubt["doubt"] for doubt in result["doubts"] if doubt["doubt"] in ("placement", "layout")]

    def test_time_that_differs_beside_equal_instructions_may_be_layout(self):
        for second, expected in (("cost=10.5ms instructions=54M", True), ("cost=10.5ms", False),
                                 ("cost=10ms instructions=54M", False), ("cost=30ms instructions=54M", False)):
            _, notes = self.notes("a cost=10ms instructions=54M", f"b {second}")
            self.assertEqual("layout" in notes, expected, second)
        _, notes = self.notes("-e", "none", "a cost=10ms instructions=54M", "b cost=10.5ms instructions=54M")
        self.assertEqual(notes, [])

    def test_minor_faults_that_differ_too_may_be_placement(self):
        result, _ = self.notes("a cost=10ms instructions=54M", "b cost=10.5ms instructions=54M")
        faults = result["results"][1]["metrics"]["minor_faults"]
        faults["values"] = [value - 20 for value in faults["values"]]
        for placement, words in (("kept", "without --placement=keep"), ("unsupported", "copy both in the same way")):
            for entry in result["results"]:
                entry["executable"] = {"path": "/x", "bytes": 1, "placement": placement}
            with open(self.path("k"), "w") as file:
                json.dump(result, file)
            done = lauka("report", "--full", "--json=l", "k", cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(words, " ".join(done.stdout.split()))
            with open(self.path("l")) as file:
                again = json.load(file)
            self.assertIn("placement", [doubt["doubt"] for doubt in again["doubts"]])
            self.assertEqual(again["results"][0]["executable"]["placement"], placement)
