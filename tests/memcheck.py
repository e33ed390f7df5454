"""Command-line tests under Valgrind's memcheck, which also knows what was never set.

    python3 tests/memcheck.py LAUKA PROGRAMS [Class.test...]

LAUKA is compiled for any processor of its kind, as Valgrind does not know the newest instructions;
PROGRAMS is the directory of what the tests measure. Valgrind refuses a clone(2) that shares descriptors,
with which commands are started whose events are counted: so the kernel here is one that has no
perf_event_open(2), and lauka runs its commands all the same. It also makes vfork(2) a fork(2), so that
lauka is not told why a program could not be started. Tests of these are left out therefore, and of the
others some are chosen, as memcheck is fifty times as slow. ASan has them all. See work.py for what is
counted then.
"""

import ctypes
import glob
import os
import platform
import struct
import subprocess
import sys
import tempfile

import work

VALGRIND = ["valgrind", "-q", "--leak-check=full", "--show-leak-kinds=definite",
            "--errors-for-leak-kinds=definite"]
TESTS = ["Options", "Streams", "Failures.test_an_exit_code", "Documents", "Goldens"]


def forget_perf_event_open():
    """From here on, for all children, the system call does not exist: a filter of seccomp(2)."""
    number = {"x86_64": 298, "aarch64": 241}[platform.machine()]
    load, jump_if, back = 0x20, 0x15, 0x06  # linux/bpf_common.h
    lines = [(load, 0, 0, 0), (jump_if, 0, 1, number),
             (back, 0, 0, 0x00050000 | 38),  # SECCOMP_RET_ERRNO, ENOSYS
             (back, 0, 0, 0x7FFF0000)]  # SECCOMP_RET_ALLOW
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in lines))
    program = struct.pack("HxxxxxxP", len(lines), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program, 0, 0):  # PR_SET_SECCOMP
        sys.exit(f"seccomp: {os.strerror(ctypes.get_errno())}")


def write_wrapper(path, lauka, folder):
    """What the tests take for lauka; every process of it has a file for what is found."""
    words = [*VALGRIND, f"--log-file={folder}/%p.log", os.path.abspath(lauka)]
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\nexec {' '.join(words)} \"$@\"\n")
    os.chmod(path, 0o755)


def main():
    lauka, programs, *tests = sys.argv[1:]
    forget_perf_event_open()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)  # some tests become somebody else
        wrapper = os.path.join(folder, "lauka")
        write_wrapper(wrapper, lauka, folder)
        command = [sys.executable, "-B", "tests/cli/run.py", wrapper, programs]
        bad = subprocess.run([*command, *(tests or TESTS)]).returncode != 0
        logs = glob.glob(f"{folder}/*.log")
        found = [log for log in logs if os.path.getsize(log)]
        for log in found:
            with open(log, encoding="utf-8", errors="replace") as file:
                print(file.read())
    passed, failed = work.check(os.path.abspath(lauka))
    print(f"memcheck: {len(logs) - len(found) + passed} passed, {len(found) + failed} failed", flush=True)
    sys.exit(bool(bad or found or failed) or not logs)


main()
