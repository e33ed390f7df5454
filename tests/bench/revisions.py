"""Does `lauka revisions --first-slower` find a planted commit, and nothing if there is none?

    python3 tests/bench/revisions.py LAUKA [--histories N] [--real N] [--same N] [--kills N] [--seed S]

Histories have 64 commits with two merges and four commits that do not build. One commit, or none, adds 5 %
of CPU time. Simulated histories take their cost from a file of the commit (simulated:effects, 1 % noise);
real ones run a loop that the commit's file makes longer. If the commit before the planted one does not
build, nobody can know which of the two it is: then both must be named, and no other.

--same: real sessions of two sides that do the same. Both sides are the same commit, or, in every second
session, two commits whose programs are equal but are in different worktrees. --kills: kill -9 at this many
moments.
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import tempfile
import time

from levels import bound

COMMITS = 64
PROGRAM = "read n <work; i=0; while [ $i -lt $n ]; do i=$((i+1)); done"
PROGRAM_IN_C = "int main(void) { volatile unsigned sum = 0; for (unsigned i = 0; i < 1200000; i++) sum += i; return 0; }\n"


class History:
    def __init__(self, folder, seed, planted, real):
        self.folder, self.random, self.real = folder, random.Random(seed), real
        self.environment = {**os.environ, "XDG_CACHE_HOME": folder + "/cache", "GIT_CONFIG_GLOBAL": "/dev/null",
                            "GIT_CONFIG_NOSYSTEM": "1"}
        self.repository = folder + "/repository"
        os.mkdir(self.repository)
        self.git("init", "-q", "-b", "main", ".")
        self.make(planted)

    def git(self, *words, text=None):
        return subprocess.run(["git", *words], cwd=self.repository, env=self.environment, input=text, check=True,
                              capture_output=True, text=True).stdout

    def make(self, planted):
        """Makes the commits as a graph: two side branches leave the main line and return."""
        broken = set(self.random.sample(range(2, COMMITS - 1), 4))
        at = self.random.choice([i for i in range(1, COMMITS) if i not in broken]) if planted else COMMITS + 1
        sides = {20: 26, 40: 47}  # a branch leaves at the first and returns at the second
        lines, parents, slow = [], {0: []}, {0: False}
        for number in range(1, COMMITS):
            parents[number] = [number - 1]
        for start, end in sides.items():
            parents[end] = [start - 1]       # the main line continues beside the branch
            parents[end + 1] = [end, end - 1]  # the merge
        for number in range(COMMITS):
            slow[number] = number == at or any(slow[parent] for parent in parents[number])
            files = {"build.sh": "exit 1\n" if number in broken else ":\n", "number": f"{number}\n",
                     "effects": f"cost={'10.5ms' if slow[number] else '10ms'} noise=1%\n",
                     "work": f"{21050 if slow[number] else 20000}\n"}
            lines.append(f"commit refs/heads/main\nmark :{number + 1}\ncommitter A <a@x> {1700000000 + number} +0000\n"
                         f"data <<E\ncommit {number}\nE\n")
            lines += [f"{'from' if i == 0 else 'merge'} :{parent + 1}\n" for i, parent in enumerate(parents[number])]
            lines += [f"M 100644 inline {name}\ndata {len(content)}\n{content}\n" for name, content in files.items()]
        self.git("fast-import", "--quiet", "--force", text="".join(lines))
        self.git("reset", "-q", "--hard", "main")
        self.planted = at if planted else None
        self.candidates = {at}  # and the commits before it that cannot be judged
        while any(parent in broken for number in self.candidates for parent in parents.get(number, [])
                  if parent not in self.candidates):
            self.candidates |= {parent for number in self.candidates for parent in parents[number] if parent in broken}

    def search(self, lauka, seed, *more):
        command = ["sh", "-c", PROGRAM] if self.real else ["p", "@effects"]
        words = [lauka, "revisions", f"{self.git('rev-list', '--max-parents=0', 'HEAD').strip()}..HEAD",
                 "--first-slower", "--build", "sh build.sh", "--style=none", "-q", "--primary=cpu_time",
                 f"--seed={seed}", *([] if self.real else ["--backend=simulated:effects"]), *more, "--", *command]
        return subprocess.run(words, cwd=self.repository, env=self.environment, capture_output=True, text=True)

    def state(self):
        with open(self.repository + "/.git/index", "rb") as file:
            return (file.read(), self.git("status", "--porcelain"), self.git("rev-parse", "HEAD"),
                    self.git("stash", "list"))


def outcome(history, done):
    """Returns what lauka said: the number of the commit, "both" (see above), "range", "nothing", or
    "error"."""
    found = re.search(r"first slower: \w+  commit (\d+)", done.stdout)
    if found:
        return int(found.group(1))
    if "is not known to be slower" in done.stdout:
        return "nothing"
    named = set(map(int, re.findall(r"^  \w+  [-\d]+  commit (\d+): ", done.stdout, re.MULTILINE)))
    if named and named == history.candidates:
        return "both"
    return "range" if named else f"error: {done.stderr.strip()}"


def play(lauka, count, planted, real, seed):
    found = both = ranges = nothing = wrong = 0
    for i in range(count):
        folder = tempfile.mkdtemp(prefix="lauka-revisions-")
        try:
            history = History(folder, seed + i, planted, real)
            said = outcome(history, history.search(lauka, seed + i))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        found += planted and said == history.planted
        both += said == "both"
        ranges += said == "range"
        nothing += said == "nothing"
        wrong += said not in ("both", "range", "nothing") and said != history.planted
        if isinstance(said, str) and said.startswith("error"):
            print(said)
    print(f"{'real' if real else 'pretended'}, {'+5 % planted' if planted else 'nothing planted'}: of {count}: "
          f"{found} found, {both} with the unbuildable one before it, {ranges} other ranges, {nothing} not slower, {wrong} wrong", flush=True)


def compare_same(lauka, count):
    folder = tempfile.mkdtemp(prefix="lauka-revisions-")
    history, claims = History(folder, 1, False, True), [0, 0]
    with open(history.repository + "/p.c", "w", encoding="utf-8") as file:
        file.write(PROGRAM_IN_C)
    for i in range(count):
        apart = i % 2
        for side in range(2):
            with open(history.repository + "/number", "w", encoding="utf-8") as file:
                file.write(f"session {i}, side {side}\n")
            history.git("add", "p.c", "number")
            history.git("-c", "user.name=A", "-c", "user.email=a@x", "commit", "-q", "-m", f"session {i}")
        done = subprocess.run([lauka, "revisions", "HEAD~1" if apart else "HEAD", "HEAD", "--build",
                               "cc -O1 -static -o prog p.c", "-q", "-r30", f"--seed={i}", "-e", "none", "--json=-", "--",
                               "./prog"], cwd=history.repository, env=history.environment, capture_output=True,
                              text=True, check=True)
        verdict = next(c["verdict"] for c in json.loads(done.stdout)["comparisons"] if c["metric"] == "wall_time")
        claims[apart] += verdict in ("higher", "lower")
    shutil.rmtree(folder, ignore_errors=True)
    print(f"the same program: of {count} sessions, {claims[0]} of one worktree and {claims[1]} of two claim a difference "
          f"in wall time (99 % bound: {bound(count)})", flush=True)


def kill(lauka, count, seed):
    """Sends kill -9 at random moments: the checkout must not change, and the next call must work."""
    folder = tempfile.mkdtemp(prefix="lauka-revisions-")
    history, moments, changed = History(folder, seed, True, False), random.Random(seed), 0
    before = history.state()
    words = [lauka, "revisions", "HEAD~9", "HEAD~5", "HEAD", "--skip-broken", "--build", "sleep 0.1; sh build.sh", "-q",
             "--style=none", "-r3", "--backend=simulated:effects", "--", "p", "@effects"]
    for i in range(count):
        process = subprocess.Popen(words, cwd=history.repository, env=history.environment, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(moments.uniform(0, 0.6))
        process.kill()
        process.wait()
        changed += history.state() != before
        if i % 5 == 4:
            subprocess.run([lauka, "revisions", "--clean"], cwd=history.repository, env=history.environment, check=True)
    code = subprocess.run(words, cwd=history.repository, env=history.environment).returncode
    subprocess.run([lauka, "revisions", "--clean"], cwd=history.repository, env=history.environment, check=True)
    left = [name for place in ("/cache/lauka/revisions", "/repository/.git/worktrees") if os.path.exists(folder + place)
            for name in os.listdir(folder + place)]
    shutil.rmtree(folder, ignore_errors=True)
    print(f"kill -9: of {count}: {changed} changed the checkout; the next call ends with {code}, and "
          f"--clean leaves {len(left)} files", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lauka", type=os.path.abspath)
    parser.add_argument("--histories", type=int, default=100)
    parser.add_argument("--real", type=int, default=20)
    parser.add_argument("--same", type=int, default=100)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for planted in (True, False):
        play(arguments.lauka, arguments.histories, planted, False, arguments.seed)
    play(arguments.lauka, arguments.real, True, True, arguments.seed)
    compare_same(arguments.lauka, arguments.same)
    kill(arguments.lauka, arguments.kills, arguments.seed)


if __name__ == "__main__":
    main()
