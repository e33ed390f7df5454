"""Runs command-line tests under Valgrind's memcheck, which also detects uninitialised values.

    python3 tests/memcheck.py LAUKA PROGRAMS [Class.test...]

LAUKA is compiled for any processor of its kind, because Valgrind does not know the newest instructions.
PROGRAMS is the directory of the programs that the tests measure. Valgrind refuses a clone(2) that shares
descriptors, which starts commands whose events are counted. Therefore perf_event_open(2) is disabled here,
and lauka runs its commands without it. Valgrind also turns vfork(2) into fork(2), so lauka does not learn
why a program could not be started. Tests about these two are left out. Only some of the others run, because
memcheck is fifty times as slow; ASan runs all of them. work.py describes what is counted at the end.
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
    """From now on, the system call does not exist for any child: a seccomp(2) filter."""
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
    """Writes the program that the tests use as lauka. Each of its processes has a file for its errors."""
    words = [*VALGRIND, f"--log-file={folder}/%p.log", os.path.abspath(lauka)]
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\nexec {' '.join(words)} \"$@\"\n")
    os.chmod(path, 0o755)


def main():
    lauka, programs, *tests = sys.argv[1:]
    forget_perf_event_open()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)  # some tests run as another user
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
