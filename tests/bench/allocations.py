#!/usr/bin/env python3
"""Whether counts of allocations are exact: sessions of one program against itself, in C, C++, Rust and Go, and whether one
more is found.

    python3 tests/bench/allocations.py zig-out/bin/lauka [--sessions N]

Exits with 1 if a session claims a difference, if two count differently, or if one more allocation is missed."""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from allocations import C, CXX, GO, GO_ENVIRONMENT, RUST  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("lauka")
parser.add_argument("--sessions", type=int, default=20)
asked = parser.parse_args()
LAUKA = os.path.abspath(asked.lauka)
# Language: its source, the file's name, how it is compiled, and options of lauka.
LANGUAGES = {
    "C": (C, "a.c", "cc -O1 -w -DN={n} a.c -o a{n}", []),
    "C++": (CXX, "a.cc", "c++ -O1 -std=c++17 -DN={n} a.cc -o a{n}", []),
    "Rust": (RUST, "a.rs", "rustc -O a.rs -o a{n}", []),
    "Go": (GO, "a.go", "go build -o a{n} a.go", GO_ENVIRONMENT),
}


def session(*words):
    """The counts of both sides, and the exit code of a gate of 0 %."""
    done = subprocess.run([LAUKA, "-q", "--no-config", "-r2", "-w0", "-e", "sim_allocations", "--gate=sim_allocations=0%", "--json=j", *words],
                          capture_output=True, text=True)
    if done.returncode not in (0, 3):
        sys.exit(done.stderr)
    with open("j", encoding="utf-8") as file:
        return [r["metrics"]["sim_allocations:u"]["mean"] for r in json.load(file)["results"]], done.returncode


def main():
    broken = False
    for language, (source, name, how, options) in LANGUAGES.items():
        if not shutil.which(how.split()[0]):
            print(f"{language}: {how.split()[0]} is not installed")
            continue
        for number in 10, 11:
            with open(name, "w", encoding="utf-8") as file:
                file.write(source.replace("NUMBER", str(number)))
            subprocess.run(how.format(n=number), shell=True, check=True)
        counts, claims = set(), 0
        for _ in range(asked.sessions):
            both, code = session(*options, "./a10", "./a10")
            counts.update(both)
            claims += code == 3
        (ten, eleven), code = session(*options, "./a10", "./a11")
        good = len(counts) == 1 and claims == 0 and eleven == ten + 1 and code == 3
        broken |= not good
        print(f"{language}: {asked.sessions} sessions A/A, {claims} claim a difference, counts {sorted(counts)}; one more: "
              f"{eleven - ten:+.0f}, exit code {code}{'' if good else '   <- broken'}", flush=True)
    return broken


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    sys.exit(main())
