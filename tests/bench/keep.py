"""Is a kept program the same as its original, and is the store whole after kills?

    python3 tests/bench/keep.py LAUKA [--same N] [--kills N] [--seed S]

--same: sessions of a kept program against its original, one of them the reference in turns. Both are one program, so at
most 5 % may claim a difference in wall or CPU time; the count must be within the 99 % bound of that. --kills: kill -9 at
this many random moments of `lauka keep --replace`; after each, the name has the old program or the new one, whole.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

from levels import PROGRAM, bound

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cli"))
import kills  # noqa: E402

VERDICTS = ("higher", "lower")


class Store:
    def __init__(self, lauka, folder):
        self.lauka, self.folder = lauka, folder
        with open(f"{folder}/p.c", "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        subprocess.run(["cc", "-O1", "-o", f"{folder}/prog", f"{folder}/p.c"], check=True)

    def run(self, *words, **keywords):
        return subprocess.run([self.lauka, *words], cwd=self.folder, capture_output=True, text=True, **keywords)


def claims(store, seed):
    """Whether a session claims that the kept program and its original differ."""
    sides = ["@base", "./prog"][::1 if seed % 2 else -1]
    done = store.run("-q", "--json", "--store=store", f"--seed={seed}", "-r40", *sides, check=True)
    result = json.loads(done.stdout)
    return [row["metric"] for row in result["comparisons"] if row["primary"] and row["verdict"] in VERDICTS]


def check_same(store, count, seed):
    store.run("keep", "--store=store", "base", "./prog", check=True)
    found = 0
    for i in range(count):
        metrics = claims(store, seed + i)
        found += bool(metrics)
        if metrics:
            print(f"seed {seed + i}: {', '.join(metrics)}", flush=True)
    most = bound(count, 0.05)
    print(f"kept against its original: {found} of {count} sessions claim a difference, at most {most}")
    return found <= most


def whole(store, contents):
    with open(f"{store.folder}/store/names/base.json", encoding="utf-8") as file:
        number = json.load(file)["argv"][1]
    done = store.run("-q", "-r1", "--store=store", "-w0", "--show-output", "@base", check=True)
    return done.stdout.splitlines()[0] == contents[number]


def check_kills(store, count, seed):
    contents, killed, good = {}, 0, True

    def begin(i):
        contents[str(i)] = f"number {i}"
        with open(f"{store.folder}/said", "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\necho number {i}\n")
        os.chmod(f"{store.folder}/said", 0o755)
        return subprocess.Popen([store.lauka, "keep", "--store=store", "--replace", "--with", "much", "base", "./said", str(i)],
                                cwd=store.folder, stdout=subprocess.DEVNULL)

    os.mkdir(f"{store.folder}/much")
    for i in range(60):
        with open(f"{store.folder}/much/{i}", "wb") as file:
            file.write(random.Random(i).randbytes(100000))
    for _, was_at_work in kills.at_random_moments(begin, count, seed):
        killed += was_at_work
        good = whole(store, contents) and good
    begin(count + 1).communicate()
    good = whole(store, contents) and len(os.listdir(f"{store.folder}/store/objects")) == 1 and good
    print(f"kills: {killed} of {count} met it at work, the store is {'whole' if good else 'damaged'}")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lauka", metavar="LAUKA", type=os.path.abspath)
    parser.add_argument("--same", type=int, default=200, metavar="N")
    parser.add_argument("--kills", type=int, default=50, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Store(arguments.lauka, folder)
        good = check_kills(store, arguments.kills, arguments.seed) if arguments.kills else True
        subprocess.run([arguments.lauka, "keep", "--store=store", "--drop", "base"], cwd=folder, check=False,
                       capture_output=True)
        good = (check_same(store, arguments.same, arguments.seed) if arguments.same else True) and good
    raise SystemExit(not good)


if __name__ == "__main__":
    main()
