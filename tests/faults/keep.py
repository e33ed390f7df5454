"""lauka keep, and sessions of kept programs, while memory and system calls fail: one line, the right exit code, and a store
that is whole."""
import os
import shutil
import subprocess

from run import EMPTY, LAUKA, Allocating, Faults, some

KEEP = ["keep", "--store=store", "--replace", "--with=data", "base", "./prog"]
SESSION = ["-q", "-w0", "-r1", "--store=store", "--json=out.json", "@base", EMPTY]


def prepare(test):
    shutil.copy(EMPTY, test.path("prog"))
    os.mkdir(test.path("data"))
    for name in ("one", "two"):
        with open(test.path(f"data/{name}"), "w", encoding="ascii") as file:
            file.write(name)
    os.symlink("one", test.path("data/link"))
    os.umask(0o022)
    done = test.run_command([LAUKA, *KEEP])
    test.assertEqual(done.returncode, 0, done.stderr)


def change(test, number):
    """Each time, something else is to be kept."""
    with open(test.path("data/two"), "w", encoding="ascii") as file:
        file.write(f"two {number}")


def is_whole(test, what):
    """The name has what it had, or the new program."""
    done = test.run_command([LAUKA, "-q", "-w0", "-r1", "--store=store", "@base"])
    test.assertEqual(done.returncode, 0, f"{what}: {done.stderr}")


def is_clean(test):
    """What attempts have left goes with the next program that is kept."""
    done = test.run_command([LAUKA, *KEEP])
    test.assertEqual(done.returncode, 0, done.stderr)
    test.assertEqual(len(os.listdir(test.path("store/objects"))), 1)
    test.assertEqual(sorted(os.listdir(test.path("store"))), ["lock", "names", "objects"])


class KeepingMemory(Allocating):
    def test_any_one_allocation_of_keeping_may_fail(self):
        prepare(self)
        for more in ({}, {"FAIL_ALL": "1"}):
            for number in some(range(1, self.allocations(KEEP) + 1), most=120):
                change(self, number)
                done = self.attempt(KEEP, number, **more)
                self.orderly(done, f"allocation {number}")
                is_whole(self, f"allocation {number}")
        is_clean(self)

    def test_any_one_allocation_of_a_session_of_a_kept_program_may_fail(self):
        prepare(self)
        self.fail_each(SESSION)


class KeepingCalls(Faults):
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

    def test_any_one_call_may_fail(self):
        tried = 0
        for name, errno in self.FAULTS.items():
            change(self, name)
            done = self.traced(["-e", f"trace={name}"], KEEP)
            if "invalid system call" in done.stderr:
                continue
            with open(self.path("trace"), encoding="utf-8", errors="replace") as file:
                count = sum(name + "(" in line for line in file)
            for number in some(range(1, count + 1), most=15):
                what = f"{name} number {number} of {count} fails with {errno}"
                change(self, what)
                done = self.traced(["-e", f"trace={name}", "-e", f"inject={name}:error={errno}:when={number}"], KEEP)
                self.orderly(done, what)
                is_whole(self, what)
                tried += 1
        self.assertGreater(tried, 60)
        is_clean(self)

    def test_a_name_comes_after_its_files_are_on_the_disk(self):
        change(self, "order")
        done = self.traced(["-e", "trace=fsync,rename,renameat,renameat2"], KEEP)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("trace"), encoding="utf-8", errors="replace") as file:
            calls = [(line.split("(")[0], line) for line in file]
        renames = [i for i, (name, _) in enumerate(calls) if name == "rename"]
        self.assertEqual(len(renames), 2, calls)
        self.assertIn("objects", calls[renames[0]][1])
        self.assertIn("base.json", calls[renames[1]][1])
        # three files, their folders; the folder of objects, the manifest; the folder of names
        self.assertGreaterEqual(renames[0], 5, calls)
        self.assertGreaterEqual(renames[1] - renames[0] - 1, 2, calls)
        self.assertEqual(calls[renames[1] + 1][0], "fsync")
