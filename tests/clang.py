"""Builds with the system's clang, because Zig lacks its sanitizers and libFuzzer.

Objects are kept, and compiled again when their file, a header, or the command changes. build.zig passes the
sources as arguments.
"""

import concurrent.futures
import hashlib
import os
import re
import shutil
import subprocess
import sys
import threading


def version():
    with open("build.zig.zon") as file:
        return re.search(r'\.version = "([^"]+)"', file.read())[1]


FLAGS = ["-std=c17", "-g", "-O1", "-fno-omit-frame-pointer", "-ffp-contract=off", "-Werror=incompatible-pointer-types", "-D_GNU_SOURCE",
         "-DLAUKA_MAXRSS_UNIT=1024", "-DLAUKA_GROUP_TYPE=gid_t", f'-DLAUKA_VERSION="{version()}"', '-DLAUKA_COMMIT="unknown"',
         '-DLAUKA_TARGET="clang"', '-DLAUKA_LIBC_NAME="glibc"', '-DLAUKA_LIBC_VERSION=""', "-I."]
LIBRARIES = ["-lcsv", "-lcjson", "-lz", "-lm", "-lpthread", "-ldl"]


def find():
    """Returns the newest clang."""
    for name in ["clang"] + [f"clang-{version}" for version in range(30, 12, -1)]:
        if shutil.which(name):
            return name
    sys.exit("no clang: on Debian, apt-get install clang libclang-rt-dev llvm")


def headers():
    for folder in ("stats", "pmu", "report", "runner", "tests"):
        for directory, _, names in os.walk(folder):
            yield from (os.path.join(directory, name) for name in names if name.endswith(".h"))


class Compiler:
    def __init__(self, directory, flags):
        self.directory = directory
        self.command = [find(), *FLAGS, *flags]
        os.makedirs(directory, exist_ok=True)
        self.headers = hashlib.sha256("\0".join(self.command).encode())
        for header in sorted(headers()):
            with open(header, "rb") as file:
                self.headers.update(file.read())

    def compile_one(self, source, flags=()):
        digest = self.headers.copy()
        digest.update("\0".join([source, *flags]).encode())
        with open(source, "rb") as file:
            digest.update(file.read())
        target = f"{self.directory}/{source.replace('/', '.')}.{digest.hexdigest()[:16]}.o"
        if not os.path.exists(target):
            new = f"{target}.{threading.get_ident()}"  # two threads may want the same object
            subprocess.run([*self.command, *flags, "-c", source, "-o", new], check=True)
            os.rename(new, target)
        return target

    def compile(self, sources, flags=()):
        """Compiles the sources; returns their objects."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(lambda source: self.compile_one(source, flags), sources))

    def link(self, name, objects, flags=()):
        """Links a program; returns its path."""
        program = f"{self.directory}/{name}"
        subprocess.run([*self.command, *flags, *objects, *LIBRARIES, "-o", program], check=True)
        return program
