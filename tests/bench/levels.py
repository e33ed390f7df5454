#!/usr/bin/env python3
"""How often does lauka claim that a program differs from its own copy?

    python3 tests/bench/levels.py LAUKA [--sessions N] [--busy N] [--rounds N]

A linker writes a file in another way than cp does, so the page cache holds the two differently. Each
session links a small static program again (cc), copies it, and compares the two; in every second session
they are exchanged. Sessions with and without --placement=keep alternate. --busy N runs N busy loops at the
same time. The exit code is 0 if the claims stay within the 99 % bound of 5 % (18 of 200).

    python3 tests/bench/levels.py LAUKA --kernel [--sessions N] [--hits N] [--busy N]

A kernel with 1 to 61 bytes of padding before its function. Compared are two draws of 16 paddings of the
same source (--layouts 16), single programs of that source, and 32 of them with 32 of a kernel that does 10
% more. CPU time is judged, because starting a program and other load are the larger part of wall time.
"""
import argparse
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

TIMES = ("cpu_time", "wall_time")
PROGRAM = """
int main(void)
{
    volatile unsigned sum = 0;
    for (unsigned i = 0; i < 1200000; i++)
        sum += i;
    return 0;
}
"""


KERNEL = """
__asm__(".text\\n.skip " PADDING);
__attribute__((noinline)) unsigned work(unsigned count)
{
    unsigned sum = 1;
    for (unsigned i = 0; i < count; i++) {
        if ((i * 2654435761u) >> 31)
            sum += i ^ sum >> 3;
        else
            sum ^= i + (sum << 1);
        for (unsigned j = i & 3; j; j--)
            sum += j;
    }
    return sum;
}
int main(void)
{
    volatile unsigned sum = work(LOOPS);
    return sum == 42;
}
"""
PADDINGS, LOOPS = 61, 4000000  # 6 ms; starting the program takes half a millisecond


def bound(trials, rate=0.05, p=0.99):
    """The quantile p of the binomial distribution."""
    total, k = 0.0, -1
    while total < p:
        k += 1
        total += math.comb(trials, k) * rate**k * (1 - rate)**(trials - k)
    return k


def mean(entry, metric):
    return entry["metrics"][metric]["mean"]


class Bench:
    def __init__(self, lauka, folder, rounds):
        self.lauka, self.folder, self.rounds = lauka, folder, rounds
        with open(self.path("p.c"), "w") as file:
            file.write(PROGRAM)
        subprocess.run(["cc", "-O1", "-c", "p.c"], cwd=folder, check=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def session(self, how, exchanged, seed):
        """Returns the claim about the copy (-1, 0 or 1) by each time, the minor faults of both, and the
        wall time."""
        for name in ("linked", "copied"):
            if os.path.exists(self.path(name)):
                os.remove(self.path(name))
        subprocess.run(["cc", "-static", "-o", "linked", "p.o"], cwd=self.folder, check=True)
        shutil.copy(self.path("linked"), self.path("copied"))
        sides = ["./copied", "./linked"] if exchanged else ["./linked", "./copied"]
        done = subprocess.run([self.lauka, "-q", f"-r{self.rounds}", f"--seed={seed}", f"--placement={how}", "-e", "none",
                               "--json=-", *sides], cwd=self.folder, check=True, capture_output=True, text=True)
        result = json.loads(done.stdout)
        verdicts = {c["metric"]: c["verdict"] for c in result["comparisons"]}
        claims = {metric: {"higher": 1, "lower": -1}.get(verdicts[metric], 0) * (-1 if exchanged else 1) for metric in TIMES}
        faults = [mean(result["results"][i], "minor_faults") for i in ((1, 0) if exchanged else (0, 1))]
        return claims, faults, mean(result["results"][0], "wall_time") / 1e6


class Kernels:
    """Programs of one source, and of one that does 10 % more, with every padding."""

    def __init__(self, lauka, folder):
        self.lauka, self.folder, self.random = lauka, folder, random.Random(1)
        with open(os.path.join(folder, "kernel.c"), "w") as file:
            file.write(KERNEL)
        for name, loops in (("same", LOOPS), ("more", LOOPS * 11 // 10)):
            for padding in range(1, PADDINGS + 1):
                subprocess.run(["cc", "-O1", "-static", "-falign-functions=1", "-falign-loops=1", f'-DPADDING="{padding}"',
                                f"-DLOOPS={loops}", "-o", f"{name}-{padding}", "kernel.c"], cwd=folder, check=True)

    def session(self, other, layouts, rounds, seed):
        """Returns the comparisons of both times, with this many layouts drawn for each side; 1: single
        programs."""
        for side, name in (("a", "same"), ("b", other)):
            for layout, padding in enumerate(self.random.sample(range(1, PADDINGS + 1), layouts), 1):
                link = os.path.join(self.folder, f"{side}-{layout}")
                if os.path.lexists(link):
                    os.remove(link)
                os.symlink(f"{name}-{padding}", link)
        options = [f"--layouts={layouts}", "./a-{layout}", "./b-{layout}"] if layouts > 1 else ["./a-1", "./b-1"]
        done = subprocess.run([self.lauka, "-q", f"-r{rounds}", f"--seed={seed}", "-e", "none", "--json=-", *options],
                              cwd=self.folder, check=True, capture_output=True, text=True)
        compared = {c["metric"]: c for c in json.loads(done.stdout)["comparisons"]}
        return [compared[metric] for metric in TIMES]


def kernel(arguments):
    """Prints a line for each time. Returns whether CPU time misses a goal."""
    begin, load, most = time.monotonic(), os.getloadavg()[0], bound(arguments.sessions)
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        kernels = Kernels(os.path.abspath(arguments.lauka), folder)
        told = {"single": [], "layouts": []}
        for i in range(arguments.sessions):
            told["single"].append(kernels.session("same", 1, 48, i))
            told["layouts"].append(kernels.session("same", 16, 48, i))
        hits = [kernels.session("more", 32, 160, i) for i in range(arguments.hits)]
    print(f"{arguments.sessions} sessions, load {load:.1f} to {os.getloadavg()[0]:.1f}, {time.monotonic() - begin:.0f} s; "
          f"bound: {most}\n\n| metric | claims, --layouts 16 | claims, single programs | +10 % found, --layouts 32 | estimates |\n"
          "|:--|--:|--:|--:|--:|")
    missed = []
    for t, metric in enumerate(TIMES):
        claims = {name: sum(c[t]["verdict"] in ("higher", "lower") for c in all) for name, all in told.items()}
        found, ratios = sum(c[t]["verdict"] == "higher" for c in hits), [c[t]["ratio"] for c in hits]
        print(f"| {metric} | {claims['layouts']} | {claims['single']} | {found} of {len(hits)} "
              f"| {min(ratios, default=0):.3f} to {max(ratios, default=0):.3f} |")
        missed.append(claims["layouts"] > most or found < 0.9 * len(hits))
    return missed[TIMES.index("cpu_time")]


def copies(arguments):
    """Prints a line for each placement and time. Returns whether one misses the goal if files are placed
    alike."""
    told = {how: {"claims": [], "faults": [], "wall": []} for how in ("alike", "keep")}
    begin, load = time.monotonic(), os.getloadavg()[0]
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        bench = Bench(os.path.abspath(arguments.lauka), folder, arguments.rounds)
        for i in range(arguments.sessions):
            for how in sorted(told, reverse=i % 2 == 1):
                claims, faults, wall = bench.session(how, i // 2 % 2 == 1, i)
                told[how]["claims"].append(claims)
                told[how]["faults"].append(faults)
                told[how]["wall"].append(wall)
    most = bound(arguments.sessions)
    print(f"{arguments.sessions} sessions of {arguments.rounds} rounds, {arguments.busy} busy loops, load "
          f"{load:.1f} to {os.getloadavg()[0]:.1f}, {time.monotonic() - begin:.0f} s; bound: {most}\n")
    print("| placement | metric | claims | copy slower | copy faster | minor faults, linked | copied | wall time, ms |")
    print("|:--|:--|--:|--:|--:|--:|--:|--:|")
    missed = False
    for how, sums in told.items():
        linked, copied = (sum(pair[i] for pair in sums["faults"]) / arguments.sessions for i in (0, 1))
        for metric in TIMES:
            claims = [one[metric] for one in sums["claims"]]
            print(f"| {how} | {metric} | {sum(map(abs, claims))} | {claims.count(1)} | {claims.count(-1)} "
                  f"| {linked:.1f} | {copied:.1f} | {sum(sums['wall']) / arguments.sessions:.2f} |")
            missed = missed or (how == "alike" and sum(map(abs, claims)) > most)
    return missed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lauka")
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--folder", help="folder of the programs (default: $TMPDIR); must not be a tmpfs")
    parser.add_argument("--kernel", action="store_true")
    parser.add_argument("--hits", type=int, default=50)
    arguments = parser.parse_args()
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(arguments.busy)]
    try:
        return kernel(arguments) if arguments.kernel else copies(arguments)
    finally:
        for loop in loops:
            loop.kill()


if __name__ == "__main__":
    sys.exit(main())
