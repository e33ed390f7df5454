"""Does `lauka revisions --first-slower` find a planted commit, and nothing where none is?

    python3 tests/bench/revisions.py LAUKA [--histories N] [--real N] [--kills N] [--seed S]

Histories of 64 commits: two merges, four commits that do not build, +5 % of CPU time in one commit, or in none.
Pretended ones take their cost from a file of the commit (simulated:effects, 1 % noise); real ones run a
loop that the commit's file makes longer.
"""
import argparse
import os
import random
import re
import shutil
import subprocess
import tempfile
import time

COMMITS = 64
PROGRAM = "i=0; while [ $i -lt $(cat work) ]; do i=$((i+1)); done"


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
        """Commits as a graph: two side branches leave the main line and come back."""
        broken = self.broken = set(self.random.sample(range(2, COMMITS - 1), 4))
        at = self.random.choice([i for i in range(1, COMMITS) if i not in broken]) if planted else COMMITS + 1
        sides = {20: 26, 40: 47}  # from the first up to the second, beside the main line
        lines, parents, slow = [], {0: []}, {0: False}
        for number in range(1, COMMITS):
            parents[number] = [number - 1]
        for start, end in sides.items():
            parents[end] = [start - 1]       # the main line goes on beside the branch
            parents[end + 1] = [end, end - 1]  # the merge
        for number in range(COMMITS):
            slow[number] = number == at or any(slow[parent] for parent in parents[number])
            files = {"build.sh": "exit 1\n" if number in broken else ":\n", "number": f"{number}\n",
                     "effects": f"cost={'10.5ms' if slow[number] else '10ms'} noise=1%\n",
                     "work": f"{21000 if slow[number] else 20000}\n"}
            lines.append(f"commit refs/heads/main\nmark :{number + 1}\ncommitter A <a@x> {1700000000 + number} +0000\n"
                         f"data <<E\ncommit {number}\nE\n")
            lines += [f"{'from' if i == 0 else 'merge'} :{parent + 1}\n" for i, parent in enumerate(parents[number])]
            lines += [f"M 100644 inline {name}\ndata {len(content)}\n{content}\n" for name, content in files.items()]
        self.git("fast-import", "--quiet", "--force", text="".join(lines))
        self.git("reset", "-q", "--hard", "main")
        self.planted = at if planted else None

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
    """What was said: the number of the commit, "range", "nothing", or "error"."""
    found = re.search(r"first slower: \w+  commit (\d+)", done.stdout)
    if found:
        return int(found.group(1))
    if "is not known to be slower" in done.stdout:
        return "nothing"
    return "range" if "is one of these" in done.stdout else f"error: {done.stderr.strip()}"


def play(lauka, count, planted, real, seed):
    found = ranges = nothing = wrong = 0
    for i in range(count):
        folder = tempfile.mkdtemp(prefix="lauka-revisions-")
        try:
            history = History(folder, seed + i, planted, real)
            said = outcome(history, history.search(lauka, seed + i))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        found += planted and said == history.planted
        ranges += said == "range"
        nothing += said == "nothing"
        wrong += said not in ("range", "nothing") and said != history.planted
        if isinstance(said, str) and said.startswith("error"):
            print(said)
    print(f"{'real' if real else 'pretended'}, {'+5 % planted' if planted else 'nothing planted'}: of {count}: "
          f"{found} found, {ranges} ranges, {nothing} not slower, {wrong} wrong")


def kill(lauka, count, seed):
    """kill -9 at random moments: the checkout stays as it is, and the next call works."""
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
    shutil.rmtree(folder, ignore_errors=True)
    print(f"kill -9: of {count}: {changed} changed the checkout; the next call ends with {code}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lauka", type=os.path.abspath)
    parser.add_argument("--histories", type=int, default=100)
    parser.add_argument("--real", type=int, default=20)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for planted in (True, False):
        play(arguments.lauka, arguments.histories, planted, False, arguments.seed)
    play(arguments.lauka, arguments.real, True, True, arguments.seed)
    kill(arguments.lauka, arguments.kills, arguments.seed)


if __name__ == "__main__":
    main()
