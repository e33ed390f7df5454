"""lauka keep, sessions of kept programs, and lauka history, while memory and system calls fail: one line, the right exit
code, and stores that are whole."""
import json
import os
import shutil
import subprocess

from run import EMPTY, LAUKA, Allocating, Faults, some

KEEP = ["keep", "--store=store", "--replace", "--with=data", "base", "./prog"]
SESSION = ["-q", "-w0", "-r1", "--store=store", "--json=out.json", "@base", EMPTY]
ADD = ["history", "add", "result.json", "--history=h"]
LOOK = ["history", "--history=h", "--json=out.json", "--html=out.html", "--gate=cpu_time=1%", "--since=HEAD"]


def prepare(test):
    shutil.copy(EMPTY, test.path("prog"))
    os.mkdir(test.path("data"))
    for name in ("one", "two"):
        with open(test.path(f"data/{name}"), "w", encoding="ascii") as file:
            file.write(name)
    os.symlink("one", test.path("data/link"))
    os.umask(0o022)
    for words in (KEEP, ["-q", "-w0", "-r9", "--backend=simulated", "--json=first.json", "a", "b"]):
        done = test.run_command([LAUKA, *words])
        test.assertEqual(done.returncode, 0, done.stderr)
    for number in range(3):
        change(test, number)
        done = test.run_command([LAUKA, *ADD])
        test.assertEqual(done.returncode, 0, done.stderr)


def make_repository(test):
    git = "git -c user.name=a -c user.email=a@x"
    subprocess.run(f"git init -q && git add prog && {git} commit -qm x", shell=True, cwd=test.path("."), check=True)


def change(test, number):
    """Each time, something else is to be kept, and to be added."""
    with open(test.path("data/two"), "w", encoding="ascii") as file:
        file.write(f"two {number}")
    with open(test.path("first.json"), encoding="utf-8") as file:
        result = json.load(file)
    test.changes = getattr(test, "changes", 0) + 1
    result["run"].setdefault("provenance", {})["begin"] = f"2026-01-01T{test.changes:06}Z"
    with open(test.path("result.json"), "w", encoding="utf-8") as file:
        json.dump(result, file)


def is_whole(test, what):
    """The name has what it had, or the new program; the history has whole files."""
    done = test.run_command([LAUKA, "-q", "-w0", "-r1", "--store=store", "@base"])
    test.assertEqual(done.returncode, 0, f"{what}: {done.stderr}")
    done = test.run_command([LAUKA, "history", "--history=h"])
    test.assertEqual((done.returncode, done.stderr), (0, ""), what)


def is_clean(test):
    """What attempts have left goes with the next program that is kept."""
    done = test.run_command([LAUKA, *KEEP])
    test.assertEqual(done.returncode, 0, done.stderr)
    test.assertEqual(len(os.listdir(test.path("store/objects"))), 1)
    test.assertEqual(sorted(os.listdir(test.path("store"))), ["lock", "names", "objects"])
    test.assertEqual([name for name in os.listdir(test.path("h")) if name.startswith(".")], [])


class StoresMemory(Allocating):
    def test_any_one_allocation_of_keeping_and_adding_may_fail(self):
        prepare(self)
        for words in (KEEP, ADD):
            for more in ({}, {"FAIL_ALL": "1"}):
                for number in some(range(1, self.allocations(words) + 1), most=60):
                    change(self, number)
                    done = self.attempt(words, number, **more)
                    self.orderly(done, f"{words[0]}: allocation {number}")
                    is_whole(self, f"{words[0]}: allocation {number}")
        is_clean(self)

    def test_any_one_allocation_of_a_session_of_a_kept_program_may_fail(self):
        prepare(self)
        self.fail_each(SESSION)

    def test_any_one_allocation_of_a_look_at_a_history_may_fail(self):
        prepare(self)
        make_repository(self)
        self.fail_each(LOOK)


class StoresCalls(Faults):
    FAULTS = {
        "openat": "EMFILE", "open": "EMFILE", "read": "EIO", "write": "ENOSPC", "fsync": "EIO", "rename": "ENOSPC",
        "renameat": "EIO", "mkdir": "ENOSPC", "fchmod": "EPERM", "utimensat": "EIO", "unlink": "EACCES", "unlinkat": "EACCES",
        "symlink": "ENOSPC", "readlink": "EIO", "flock": "ENOLCK", "getdents64": "EIO", "newfstatat": "EIO", "lstat": "EIO",
        "stat": "EIO", "fstat": "EIO", "close": "EIO", "getcwd": "ENOENT", "uname": "EFAULT", "mmap": "ENOMEM",
        "access": "EACCES", "ioctl": "EOPNOTSUPP",
    }

    def setUp(self):
        super().setUp()
        self.need_strace()
        prepare(self)

    def traced(self, words, arguments):
        return self.run_command(["strace", "-qq", "-o", self.path("trace"), *words, LAUKA, *arguments])

    def calls(self):
        with open(self.path("trace"), encoding="utf-8", errors="replace") as file:
            return [(line.split("(")[0], line) for line in file if line[0].isalpha()]  # no signals

    def fail_each(self, arguments, least):
        tried = 0
        for name, errno in self.FAULTS.items():
            if name == "close" and arguments != KEEP:
                continue  # strace leaves what was not closed open: a pipe whose end nobody would see
            change(self, name)
            done = self.traced(["-e", f"trace={name}"], arguments)
            if "invalid system call" in done.stderr:
                continue
            count = sum(call == name for call, _ in self.calls())
            for number in some(range(1, count + 1), most=15):
                what = f"{arguments[0]}: {name} number {number} of {count} fails with {errno}"
                change(self, what)
                done = self.traced(["-e", f"trace={name}", "-e", f"inject={name}:error={errno}:when={number}"], arguments)
                self.orderly(done, what)
                is_whole(self, what)
                tried += 1
        self.assertGreater(tried, least)

    def test_any_one_call_of_keeping_may_fail(self):
        self.fail_each(KEEP, 60)
        is_clean(self)

    def test_any_one_call_of_adding_and_looking_may_fail(self):
        make_repository(self)
        self.fail_each(ADD, 40)
        self.fail_each(LOOK, 40)
        is_clean(self)

    def test_what_was_renamed_is_there_even_if_the_folder_is_not_synchronised(self):
        for words in (KEEP, ADD):
            for last in (False, True):
                change(self, f"{last}, counted")
                done = self.traced(["-e", "trace=fsync"], words)
                self.assertEqual(done.returncode, 0, done.stderr)
                count = sum(name == "fsync" for name, _ in self.calls())
                change(self, f"{last}, failing")
                before = os.listdir(self.path("h"))
                number = count if last else count - 1  # the folder after its file
                done = self.traced(["-e", "trace=fsync", "-e", f"inject=fsync:error=EIO:when={number}"], words)
                self.assertEqual(done.returncode, 6, done.stderr)
                self.assertIn("it is done, but a crash of the machine may still undo it" if last else
                              "nothing was added" if words == ADD else "it is as before", done.stderr)
                self.assertEqual(len(os.listdir(self.path("h"))) - len(before), int(words == ADD and last))

    def test_a_name_comes_after_its_files_are_on_the_disk(self):
        change(self, "order")
        done = self.traced(["-e", "trace=fsync,rename,renameat,renameat2"], KEEP)
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = self.calls()
        renames = [i for i, (name, _) in enumerate(calls) if name == "rename"]
        self.assertEqual(len(renames), 2, calls)
        self.assertIn("objects", calls[renames[0]][1])
        self.assertIn("base.json", calls[renames[1]][1])
        # three files, their folders; the folder of objects, the manifest; the folder of names
        self.assertGreaterEqual(renames[0], 5, calls)
        self.assertGreaterEqual(renames[1] - renames[0] - 1, 2, calls)
        self.assertEqual(calls[renames[1] + 1][0], "fsync")
        change(self, "of an entry")
        done = self.traced(["-e", "trace=fsync,rename,renameat,renameat2"], ADD)
        self.assertEqual([name for name, _ in self.calls()], ["fsync", "rename", "fsync"], done.stderr)
