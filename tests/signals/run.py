#!/usr/bin/env python3
"""Random signals around lauka: python3 tests/signals/run.py LAUKA [--count N] [--seconds S] [--seed N] [--kind KIND...]

Each session is one of several benchmarks, of revisions, a suite, a why or a merge, with all documents, or a program is kept;
while it runs, lauka, its launcher or a command gets a signal. Whatever that ends: the exit code is right, every document is
whole and says how the session ended, all of them say the same, a gate says it of the stored file, kept programs and a history
are whole, and neither a process nor a temporary file stays.

It all happens in a PID and mount namespace of its own (unshare(1)), so that no signal can leave it.
"""
import argparse
import collections
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

WITHIN = "LAUKA_TEST_SIGNALS_WITHIN"
TO_LAUKA = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM)
TO_OTHERS = (signal.SIGTERM, signal.SIGKILL, signal.SIGSTOP)
DOCUMENTS = ("json", "csv", "csv-percentiles", "csv-samples", "markdown", "asciidoc", "orgmode", "pr-comment", "html", "bmf",
             "github-benchmark", "go-benchmark", "junit", "hlog")
BAD = {"interrupted", "failure", "error"}
SAID = ("interrupted", "ended by an error", "was ended by SIG", "was not measured", " failed", "FAILED", "FAIL\t", "no round was finished")
SPEAKER = r'''#!/bin/sh
exec <"/dev/fd/${LAUKA_BENCH_FDS%,*}" 3>"/dev/fd/${LAUKA_BENCH_FDS#*,}"
while read -r word name iterations seed; do
    case $word in
    hello) echo hello 1 ;;
    list) echo "benchmark sort"; echo "benchmark parse"; echo ok ;;
    run) took=$((iterations * 1000)); sleep "${took}e-9"; echo "ok $took $((took / 2))" ;;
    *) break ;;
    esac
done >&3
'''


# ---- a namespace of its own ------------------------------------------------------------------------------------------------

def enter_namespace():
    """Runs this program again as the first process of a PID namespace; returns once it is there."""
    if os.environ.get(WITHIN) == "1" and os.getpid() == 1:
        return
    words = ["unshare", *([] if os.geteuid() == 0 else ["--map-root-user"]), "--pid", "--mount", "--fork", "--mount-proc",
             "--kill-child"]
    if subprocess.run([*words, "true"], capture_output=True, check=False).returncode != 0:
        print("signals: skipped: no PID namespace of its own can be made here")
        sys.exit(77)
    sys.exit(subprocess.run([*words, sys.executable, "-B", *sys.argv], env={**os.environ, WITHIN: "1"}, check=False).returncode)


def processes():
    """All others in the namespace, {pid: (its parent, state)}; those that have ended are reaped, as the first process must."""
    found = {}
    for pid in (int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1"):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                state, parent = file.read().rsplit(")", 1)[1].split()[:2]
            if state == "Z" and int(parent) == 1:
                os.waitpid(pid, os.WNOHANG)
            else:
                found[pid] = int(parent), state
        except (OSError, ValueError):  # it has just ended
            pass
    return found


def nobody_is_left(seconds=5):
    deadline = time.monotonic() + seconds
    while processes() and time.monotonic() < deadline:
        time.sleep(0.01)
    return not processes()


# ---- sessions --------------------------------------------------------------------------------------------------------------

class Sessions:
    """What is run: a method for each kind returns lauka's words, without documents."""

    def __init__(self, lauka, folder):
        self.lauka = lauka
        self.folder = folder
        self.write("slow", "#!/bin/sh\nexec sleep 0.01\n")
        self.write("speaker", SPEAKER)
        self.write("server", "#!/bin/sh\nsleep 0.01\necho up\nsetsid sleep 1000 &\nexec sleep 1000\n")
        self.write("load", "#!/bin/sh\nsleep 0.02\necho v 5\n")
        self.write("writer", "#!/bin/sh\nsleep 0.01; seq 20000 | tee o\n")
        sections = "".join(f"[{name}]\n./slow\n./slow {name}\n" for name in ("one", "two", "three"))
        self.write("several.conf", "--runs=6\n" + sections)
        self.write("sequential.conf", "--order=sequential\n--runs=4\n" + sections)
        git = "git -c user.name=a -c user.email=a"
        subprocess.run(f"mkdir r && cd r && git init -q -b main . && cp ../slow . && git add -A && {git} commit -qm one && "
                       f"echo '# two' >>slow && {git} commit -qam two", shell=True, cwd=folder, check=True)
        os.mkdir(os.path.join(folder, "much"))
        for number in range(20):
            self.write(f"much/{number}", str(number) * 200_000)
        self.run(*self.keep()[0])
        for number in (1, 2, 3):
            self.run(f"--job={number}/3", "--session=s", f"--host=n{number}", "-r30", "-q", f"--json=job-{number}.json", "--backend=simulated",
                     "--gate=wall_time=9999%", "a", "b")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)

    def run(self, *words):
        done = subprocess.run([self.lauka, *words], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False)
        assert done.returncode == 0, (words, done.stderr)
        return done

    def one(self):
        return ["-r12", "--setup=true", "--prepare=true", "--cleanup=sleep 0.01", "./slow", "./slow x"], self.folder

    def late(self):
        return ["-r12", "--delay=5ms", "-e", "task_clock,page_faults", "./slow", "./slow x"], self.folder

    def several(self):
        return ["--config=several.conf"], self.folder

    def sequential(self):
        return ["--config=sequential.conf"], self.folder

    def noise(self):
        return ["noise", "-r8", "./slow"], self.folder

    def suite(self):
        return ["suite", "-r4", "./speaker", "./speaker"], self.folder

    def ready(self):
        return ["-r6", "--ready=up", "./server", "./server x"], self.folder

    def service(self):
        return ["-r4", "--service-warmup=5ms", "--ready=up", "--service=a:./server", "--service=b:./server x", "--read",
                "value=v ([0-9]+)", "--load", "read", "./load"], self.folder

    def revisions(self):
        return ["revisions", "-r6", f"--build=sleep 0.05; echo {random.random()} >built", "HEAD~1", "HEAD", "--", "./slow"], \
            os.path.join(self.folder, "r")

    def why(self):
        return ["why", "-r4", "./slow", "./slow x"], self.folder

    def keep(self):
        """Something else each time."""
        self.write("much/0", str(random.random()))
        return ["keep", "--store=store", "--replace", "--with=much", "base", "./slow"], self.folder

    def history(self):
        return ["-r6", "--history=history", "--cleanup=sleep 0.01", "./slow", "./slow x"], self.folder

    def output(self):
        return ["-r6", "--same-output=cat", "--output-file=o", "./writer", "./writer x"], self.folder

    def merge(self):
        return ["merge", *(f"job-{number}.json" for number in (1, 2, 3))], self.folder


KINDS = ("one", "late", "several", "sequential", "noise", "suite", "ready", "service", "revisions", "why", "output", "keep", "history", "merge")


# ---- one session -----------------------------------------------------------------------------------------------------------

def limit_for(ready):
    return f"--gate={'time_to_ready' if ready else 'wall_time'}=9999%"


def words_of(kind, sessions):
    words, where = getattr(sessions, kind)()
    if kind == "keep":
        return [sessions.lauka, *words], where
    gated = kind not in ("sequential", "noise")  # the one may have none, the other would try it out
    options = ["-q", *(f"--{name}={sessions.folder}/out/{name}" for name in DOCUMENTS if gated or name != "junit")]
    options += [limit_for(kind == "ready")] if gated else []
    first = words[:1] if not words[0].startswith("-") or "config" in words[0] else []
    return [sessions.lauka, *first, *options, *words[len(first):]], where


def begin(kind, sessions):
    for name in ("out", "tmp", "cache"):
        shutil.rmtree(os.path.join(sessions.folder, name), ignore_errors=True)
        os.mkdir(os.path.join(sessions.folder, name))
    words, where = words_of(kind, sessions)
    return subprocess.Popen(words, cwd=where, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "TMPDIR": f"{sessions.folder}/tmp", "HOME": sessions.folder,
                                 "XDG_CACHE_HOME": f"{sessions.folder}/cache"})


def command_line(pid):
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
            return file.read().replace("\0", " ").strip()
    except OSError:
        return ""


def is_launcher(pid):
    return command_line(pid).startswith("lauka-launcher")


def send(process, lots):
    """To lauka mostly; sometimes to its launcher, or to what that runs. Returns what was done, in words."""
    others = processes()
    children = [pid for pid, (parent, _) in others.items() if parent == process.pid]
    commands = [pid for pid, (parent, _) in others.items() if parent in children]
    lot = lots.random()
    target, name, numbers = process.pid, "lauka", TO_LAUKA
    if lot > 0.9 and children:
        target, name = lots.choice(children), "a child"
        numbers = TO_OTHERS if is_launcher(target) else TO_OTHERS[:2]  # a git that is stopped is waited for
    elif lot > 0.8 and commands:
        target, name, numbers = lots.choice(commands), "a grandchild", TO_OTHERS[:2]
    number = lots.choice(numbers)
    try:
        os.kill(target, number)
    except ProcessLookupError:
        pass
    return f"{number.name} to {name}"


def end(process, took):
    """Returns stderr. A session that does not end is shown to hang, and ended."""
    try:
        return process.communicate(timeout=30 + 5 * took)[1]
    except subprocess.TimeoutExpired:
        print("signals: it hangs:", [(pid, *about, command_line(pid)[:80]) for pid, about in processes().items()])
        os.kill(process.pid, signal.SIGTERM)
        return process.communicate(timeout=20)[1] + "\n(it did not end by itself)"


# ---- what must hold afterwards ---------------------------------------------------------------------------------------------

def how_it_ended(result):
    """What each benchmark says of its end."""
    courses = [result["run"]] if "stopped" in result["run"] else result["benchmarks"]
    return {course["stopped"] for course in courses} | ({"error"} if result["run"].get("error") else set())


class Wrong(Exception):
    """What is not as it must be."""


def expect(condition, *words):
    if not condition:
        raise Wrong(" ".join(str(word) for word in words))


def check_documents(folder, bad):
    texts = {}
    for name in os.listdir(folder):
        expect(name in DOCUMENTS, "a file stayed beside the documents:", name)
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            texts[name] = file.read()
        expect(texts[name], name, "is empty")
    if "junit" in texts:
        errors = int(xml.etree.ElementTree.fromstring(texts["junit"]).get("errors"))
        expect((errors > 0) == bad, "JUnit has", errors, "errors")
    for name in ("bmf", "github-benchmark"):
        json.loads(texts.get(name, "[]"))
    if "pr-comment" in texts:
        heading = texts["pr-comment"].splitlines()[1]
        expect(heading.startswith("### ❌ lauka: ") == bad, "the comment is headed", heading)
        expect(texts["pr-comment"].endswith("-->\n"), "the comment is cut off")
    if "html" in texts:
        expect(texts["html"].endswith("</html>\n"), "the page is cut off")
    for name in ("markdown", "html", "asciidoc", "orgmode", "go-benchmark", "hlog"):
        said = any(word in texts.get(name, "") for word in SAID)
        expect(name not in texts or said == bad, name, "does not say how it ended" if bad else "is of a bad end")
    if "csv" in texts:
        expect(("ended" in texts["csv"].splitlines()[0].split(",")) == bad, "the titles of csv")


def check_stores(sessions, kind, code):
    """The name has the old program or the new one, and no half session is in the history."""
    words = {"keep": ["-q", "-r1", "-w0", "--store=store", "@base"], "history": ["history", "--history=history"]}[kind]
    used = subprocess.run([sessions.lauka, *words], cwd=sessions.folder, capture_output=True, text=True, check=False)
    nothing = "there is no history yet" in used.stderr
    expect(nothing or (used.returncode, used.stderr) == (0, ""), "the store:", used.returncode, used.stderr)
    folder = os.path.join(sessions.folder, "history" if kind == "history" else "store")
    drafts = [name for name in os.listdir(folder) if name.startswith(".")] if os.path.isdir(folder) else []
    expect(code < 0 or not drafts, "drafts stayed:", drafts)
    for name in drafts:
        (shutil.rmtree if os.path.isdir(f"{folder}/{name}") else os.unlink)(f"{folder}/{name}")


def check(sessions, code, error, done="", kind=""):
    """Returns how it ended, in a word. done: which signal was sent to whom."""
    out = os.path.join(sessions.folder, "out")
    expect(nobody_is_left(), "processes stayed:", processes())
    expect(not os.listdir(f"{sessions.folder}/tmp"), "in the temporary folder:", os.listdir(f"{sessions.folder}/tmp"))
    expect("it did not end by itself" not in error, "it hung")
    if kind in ("keep", "history"):
        check_stores(sessions, kind, code)
    if code < 0:  # before lauka heeds signals, or by a second one
        expect(-code in TO_LAUKA and not os.listdir(out), "it was ended by", signal.Signals(-code).name, os.listdir(out))
        return "ended before it began"
    if done.endswith(("lauka", "grandchild")):  # a child may be git or the linker, whose answer is missing then
        by_valgrind = kind == "why" and code == 6  # a program that valgrind's run of it ends cannot be counted here
        expect(code in (0, 1, 5) or by_valgrind or code - 128 in TO_LAUKA, "exit code", code)
    if kind == "keep":
        return "all of it" if code == 0 else "nothing was kept"
    path = os.path.join(out, "json")
    if not os.path.exists(path):
        expect(code != 0, "there is no JSON")
        check_documents(out, True)
        return "nothing was measured"
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    ends = how_it_ended(result)
    ready = "--ready=up" in result["run"]["arguments"] and "--load" not in result["run"]["arguments"]
    bad = bool(ends & BAD)
    expect(bad or code == 0 or code > 128, "exit code", code, "but", ends)  # a signal while documents are written
    expect(not bad or code != 0, "exit code 0 but", ends)
    check_documents(out, bad)
    gate = subprocess.run([sessions.lauka, "gate", path, limit_for(ready), "--inconclusive=pass"], capture_output=True,
                          text=True, check=False)
    expect((gate.returncode in (1, 5)) == bad and (bad or gate.returncode == 0), "the gate of the file:", gate.returncode, gate.stderr)
    return "a bad end" if bad else "all of it" if code == 0 else "all of it, and a signal"


# ---- many ------------------------------------------------------------------------------------------------------------------

def measure(kind, sessions):
    """How long a session takes that nothing disturbs."""
    begun = time.monotonic()
    process = begin(kind, sessions)
    error = process.communicate(timeout=120)[1]
    expect(process.returncode == 0, kind, "undisturbed: exit code", process.returncode, error)
    check(sessions, 0, error, kind=kind)
    return time.monotonic() - begun


def run_one(kind, took, sessions, lots):
    process = begin(kind, sessions)
    time.sleep(lots.random() * took * 1.05)
    done = send(process, lots)
    error = end(process, took)
    try:
        return done, check(sessions, process.returncode, error, done, kind)
    except (Wrong, ValueError, xml.etree.ElementTree.ParseError) as wrong:
        return done, f"WRONG: {wrong}\n  exit code {process.returncode}; stderr: {error}"


def run_many(arguments, sessions):
    lots, counts, wrong = random.Random(arguments.seed), collections.Counter(), 0
    kinds = arguments.kind or KINDS
    took = {kind: measure(kind, sessions) for kind in kinds}
    until = time.monotonic() + arguments.seconds if arguments.seconds else None
    for number in range(arguments.count):
        if until and time.monotonic() > until:
            break
        kind = kinds[number % len(kinds)]
        done, ended = run_one(kind, took[kind], sessions, lots)
        counts[ended if not ended.startswith("WRONG") else "wrong"] += 1
        if ended.startswith("WRONG"):
            wrong += 1
            print(f"signals: session {number} ({kind}, {done}): {ended}", flush=True)
    print(f"signals: {sum(counts.values()) - wrong} passed, {wrong} failed ({dict(counts)}, seed {arguments.seed})")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lauka")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seconds", type=float, help="no session begins after that")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", nargs="*", choices=KINDS, help="of sessions; all of them")
    arguments = parser.parse_args()
    enter_namespace()
    for number in TO_LAUKA:
        signal.signal(number, signal.SIG_DFL)
    with tempfile.TemporaryDirectory(prefix="lauka-signals-") as folder:
        return run_many(arguments, Sessions(os.path.abspath(arguments.lauka), folder)) > 0


if __name__ == "__main__":
    sys.exit(main())
