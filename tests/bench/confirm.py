#!/usr/bin/env python3
"""How often is a planted slow commit confirmed, and a step of the machine alone?

    python3 tests/bench/confirm.py LAUKA [--real] [--repositories N] [--step PERCENT]

Makes repositories of 20 commits whose simulated program costs 10 ms with 1 % noise, and histories with a step in the
middle. In the first kind the commit costs that much more; in the second only the history says so: the machine had slowed
down. With --real, a C program is compiled and measured, which counts for about 10 ms. The exit code is 0 if at least 19
of 20 of the first kind are confirmed, and none of the second.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from history import put, row  # noqa: E402

ENVIRONMENT = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b",
               "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
COMMITS, AT = 20, 10
SIMULATED = ["--backend=simulated:effects"]
REAL = ["--build", "cc -O1 -o prog prog.c"]
PROGRAM = """/* commit %d */
int main(void)
{
    volatile unsigned sum = 0;
    for (unsigned i = 0; i < %d; i++)
        sum += i;
    return 0;
}
"""


def source_of(real, number, share):
    """Returns the name and the text of what a commit holds, whose program costs this share of the first one's."""
    if real:
        return "prog.c", PROGRAM % (number, round(6_000_000 * share))
    return "effects", f"cost={10 * share:.4f}ms noise=1%\n"


def make_repository(folder, environment, real, step):
    def git(*words):
        return subprocess.run(["git", *words], cwd=folder, env=environment, check=True, capture_output=True, text=True).stdout
    git("init", "-q", ".")
    for number in range(COMMITS):
        name, text = source_of(real, number, 1 + step / 100 * (number >= AT))
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
        git("add", "-A")
        git("commit", "-q", "--allow-empty", "-m", f"number {number}")
    return git("log", "--reverse", "--format=%H").split()


def make_history(folder, commits, step, lot, command):
    for number, commit in enumerate(commits):
        value = 1e7 * (1 + step / 100 * (number >= AT)) * (1 + lot.gauss(0, 0.005))
        put(folder, number, [row(value)], ("command\tp\tp\n", f"command\tp\t{command}\n"), commit=commit)


def verdict_of(lauka, real, planted, step, seed):
    with tempfile.TemporaryDirectory() as folder:
        repository = os.path.join(folder, "r")
        os.makedirs(repository)
        environment = {**os.environ, **ENVIRONMENT, "XDG_CACHE_HOME": os.path.join(folder, "cache")}
        commits = make_repository(repository, environment, real, step if planted else 0)
        make_history(os.path.join(folder, "h"), commits, step, random.Random(seed), "./prog" if real else "p\t@effects")
        done = subprocess.run([lauka, "history", "--history", os.path.join(folder, "h"), "--confirm", *(REAL if real else SIMULATED),
                               f"--seed={seed}"], cwd=repository, env=environment, capture_output=True, text=True)
        for word in ("suspected, not confirmed", "confirmed", "of the machine"):
            if word in done.stdout:
                return {"of the machine": "refuted", "suspected, not confirmed": "inconclusive"}.get(word, word)
        return "nothing suspected" if done.returncode == 0 else done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lauka", type=os.path.abspath)
    parser.add_argument("--real", action="store_true")
    parser.add_argument("--repositories", type=int, default=20)
    parser.add_argument("--step", type=float, default=5)
    wanted = parser.parse_args()
    counts = {}
    for planted in (True, False):
        for seed in range(wanted.repositories):
            verdict = verdict_of(wanted.lauka, wanted.real, planted, wanted.step, seed)
            counts[planted, verdict] = counts.get((planted, verdict), 0) + 1
    for (planted, verdict), count in counts.items():
        print(f"{'a slow commit' if planted else 'the machine alone'}: {verdict} in {count} of {wanted.repositories}")
    return not (counts.get((True, "confirmed"), 0) >= 0.95 * wanted.repositories and (False, "confirmed") not in counts)


if __name__ == "__main__":
    sys.exit(main())
