"""Every way to end × every document: what did not end well is good nowhere. run.py runs these tests."""
import copy
import json
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree

import run
import suite
from merge import QUIET
from run import InScratch, lauka

# All that a stored result can be written as again; hgrm is of one benchmark.
DOCUMENTS = ("json", "csv", "csv-percentiles", "csv-samples", "markdown", "asciidoc", "orgmode", "pr-comment", "html",
             "bmf", "github-benchmark", "go-benchmark", "junit", "hlog", "hgrm")
NO_ROOM = ("bmf", "csv-percentiles", "csv-samples")  # values only
GOOD = ("rounds", "time", "precision", "effect", "exact", "gate", "stored")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def empty(results):
    """Takes all values from entries of `results`."""
    for entry in results:
        entry.update(times=[], memory_usage_byte=[], exit_codes=[])
        for metric in entry["metrics"].values():
            metric["values"] = []


def course(result, benchmark=0):
    """Where a document says how a benchmark ended."""
    return result["run"] if "stopped" in result["run"] else result["benchmarks"][benchmark]


def fail(result, benchmark=0):
    own = result if "stopped" in result["run"] else result["benchmarks"][benchmark]
    course(result, benchmark)["stopped"] = "failure"
    own["failure"] = {"command": 1 + 2 * benchmark, "round": 19, "warmup": False, "reason": "failed with exit code 77",
                      "stderr": ""}


def stop(word, **more):
    return lambda result: course(result).update(stopped=word, **more)


def worsen(result):
    """Makes the head three times as slow."""
    time = result["results"][1]["metrics"]["wall_time"]
    time["values"] = [3 * value for value in time["values"]]


# How a session ended: what is changed in its file, the exit code of a gate, and a word that every document has.
BAD = {
    "interrupted": (stop("interrupted"), 1, "interrupted"),
    "failure": (fail, 5, "failed with exit code 77"),
    "a failure that nobody knows": (stop("failure"), 5, "a command failed"),
    "an error": (stop("error", error="the launcher is gone"), 1, "the launcher is gone"),
    "an error that nobody knows": (stop("error"), 1, "error"),
    "a word of a later version": (stop("crashed"), 1, "crashed"),
}


class Stored(InScratch):
    """A session whose gate passes, of one benchmark or of two, and what is changed in its file."""

    CONFIG = "-n=old\n-n=new\n[one]\na\nb\n[two]\na\nb\n"

    def setUp(self):
        super().setUp()
        with open(self.path("config"), "w", encoding="utf-8") as file:
            file.write(self.CONFIG)
        self.sessions = {1: self.session("a", "b"), 2: self.session("--config", self.path("config"))}

    def session(self, *arguments):
        done = lauka("--no-config", "--backend=simulated:effects", "--seed=1", "-r20", "--gate=wall_time=50%", "--json",
                     *arguments, env=QUIET)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def changed(self, benchmarks, change, name="changed.json"):
        result = copy.deepcopy(self.sessions[benchmarks])
        change(result)
        with open(self.path(name), "w", encoding="utf-8") as file:
            json.dump(result, file)
        return self.path(name)

    def documents(self, benchmarks, change):
        """All documents of the changed file, by their names; "table" is what the terminal shows, "github" with its
        annotations and the step's summary."""
        file = self.changed(benchmarks, change)
        names = [name for name in DOCUMENTS if benchmarks == 1 or name != "hgrm"]
        done = lauka("report", file, "--full", *(f"--{name}={self.path(name)}" for name in names), env=QUIET)
        self.assertEqual(done.returncode, 0, done.stderr)
        texts = {"table": " ".join((done.stdout + done.stderr).split())}
        for name in names:
            with open(self.path(name), encoding="utf-8") as document:
                texts[name] = document.read().replace("\u00a0", " ")
        done = lauka("report", file, "--github", env={**QUIET, "GITHUB_STEP_SUMMARY": self.path("summary")})
        texts["github"] = "\n".join(line for line in done.stdout.splitlines() if line.startswith(("::error", "::warning")))
        with open(self.path("summary"), encoding="utf-8") as summary:
            texts["summary"] = summary.read()
        os.unlink(self.path("summary"))
        return texts

    @staticmethod
    def errors(texts):
        return int(xml.etree.ElementTree.fromstring(texts["junit"]).get("errors"))

    def gate(self, *files):
        done = lauka("gate", *files, "--gate=wall_time=50%", "--inconclusive=pass")
        self.assertNotIn("Traceback", done.stderr)
        return done


class EveryDocument(Stored):
    def test_a_good_end_is_good_everywhere(self):
        for word in GOOD:
            for benchmarks in self.sessions:
                with self.subTest(end=word, benchmarks=benchmarks):
                    texts = self.documents(benchmarks, stop(word))
                    self.assertEqual(self.errors(texts), 0)
                    self.assertEqual(json.loads(texts["json"])["gate"]["verdict"], "pass")
                    self.assertIn("### ✅ lauka: ", texts["pr-comment"])
                    self.assertEqual(texts["github"], "")
                    self.assertNotIn("ended", texts["csv"].splitlines()[0].split(","))
                    self.assertEqual(self.gate(self.path("changed.json")).returncode, 0)

    def check(self, texts, word, code, silent=NO_ROOM):
        for name, text in texts.items():
            if name not in (*silent, "json", "csv"):
                plain = re.sub(r"&#(\d+);", lambda match: chr(int(match[1])), text).replace("\\", "")
                self.assertIn(word, plain.lower(), name)
        self.assertIn("ended", texts["csv"].splitlines()[0].split(","))
        heading = texts["pr-comment"].splitlines()[1]
        self.assertTrue(heading.startswith("### ❌ lauka: "), heading)
        for name in ("pr-comment", "markdown", "summary"):
            if code == 1 and "two" not in texts[name]:  # a limit on what did not fail may hold
                self.assertNotIn("✅", texts[name], name)
        self.assertGreater(self.errors(texts), 0)
        self.assertIn("::error title=lauka::", texts["github"])
        result = json.loads(texts["json"])
        self.assertEqual(result["gate"]["verdict"], "inconclusive")
        self.assertTrue({"interrupted", "failure", "error", "rounds"} >= {course(result, b)["stopped"] for b in (0, 1)})
        again = self.path("again.json")
        with open(again, "w", encoding="utf-8") as file:
            file.write(texts["json"])
        for file in (self.path("changed.json"), again):
            done = self.gate(file)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            self.assertIn(word, done.stderr)
            self.assertNotIn("gate: pass", done.stdout.split("two")[0])

    def test_a_bad_end_is_told_by_each(self):
        for end, (change, code, word) in BAD.items():
            with self.subTest(end=end):
                self.check(self.documents(1, change), word, code)

    def test_one_benchmark_of_two_is_enough(self):
        for end, (change, code, word) in BAD.items():
            with self.subTest(end=end):
                texts = self.documents(2, change)
                self.check(texts, word, code)
                good = self.changed(2, lambda result: None, "good.json")
                for files in ((good, self.path("changed.json")), (self.path("changed.json"), good)):
                    done = self.gate(*files)
                    self.assertIn(done.returncode, (1, 5), done.stderr)
                    self.assertIn(word, done.stderr)

    def test_a_benchmark_that_was_not_begun(self):
        def change(result):
            empty(result["results"][2:])
            result["benchmarks"][1].update(stopped="rounds", rounds=0, order=[], layout=[])
        texts = self.documents(2, change)
        self.check(texts, "no round was finished", 1, (*NO_ROOM, "github-benchmark"))  # which has entries for values
        self.assertIn("not measured", texts["csv"].splitlines()[3])

    def test_nothing_was_begun(self):
        def change(result):
            empty(result["results"])
            result["run"].update(stopped="interrupted", rounds=0, order=[], layout=[])
        file = self.changed(1, change)
        done = lauka("report", file, "--pr-comment=-", env=QUIET)
        self.assertIn("### ❌ lauka: the session was interrupted before a round was finished\n", done.stdout, done.stderr)
        self.assertEqual(self.gate(file).returncode, 1)

    def test_what_is_compared_with_it_does_not_pass(self):
        good = self.changed(1, lambda result: None, "good.json")
        for end, (change, _, word) in BAD.items():
            bad = self.changed(1, change, "bad.json")
            for files in ((good, bad), (bad, good)):
                with self.subTest(end=end, files=files):
                    done = self.gate(*files)
                    self.assertIn(done.returncode, (1, 5), done.stdout + done.stderr)
                    self.assertIn(word, done.stderr)
                    compared = lauka("compare", *files, f"--pr-comment={self.path('comment')}")
                    self.assertIn(word, " ".join((compared.stdout + compared.stderr).split()))
                    with open(self.path("comment"), encoding="utf-8") as comment:
                        self.assertIn("### ❌ lauka: ", comment.read())

    def test_its_histograms_pass_no_gate(self):
        for change, code in ((stop("rounds"), 0), (stop("interrupted"), 1), (fail, 1)):
            log = self.path("log")
            lauka("report", self.changed(1, change), f"--hlog={log}", env=QUIET)
            done = lauka("gate", log, log, "--gate=wall_time=50%", "--inconclusive=pass", "--cross-host")
            self.assertEqual(done.returncode, code, done.stderr)

    def test_an_exceeded_limit_is_still_told(self):
        def change(result):
            stop("interrupted")(result)
            worsen(result)
        done = self.gate(self.changed(1, change))
        self.assertEqual(done.returncode, 1)
        self.assertIn("gate: FAIL: 1 of 1 limit exceeded", done.stdout)
        self.assertIn("lauka: the session was interrupted\n", done.stderr)


class Headings(Stored):
    """A comment is headed by what the gate really says."""

    def heading(self, change, benchmarks=1):
        texts = self.documents(benchmarks, change)
        self.assertEqual(self.errors(texts), 0)
        return texts["pr-comment"].splitlines()[1], texts

    @staticmethod
    def lose(result, entry=1):
        """The head has rounds, but no value."""
        for metric in result["results"][entry]["metrics"].values():
            metric["values"] = [None] * 20

    def test_a_head_without_values_is_undecided(self):
        heading, texts = self.heading(self.lose)
        self.assertTrue(heading.startswith("### ⚠️ lauka: inconclusive. `b` wall"), heading)
        self.assertIn('"verdict":"inconclusive"', texts["pr-comment"])
        self.assertIn('skipped="1"', texts["junit"])
        self.assertIn("gate: inconclusive: 1 of 1 limit undecided", texts["html"])
        self.assertIn("gate: inconclusive: 1 of 1 limit undecided", texts["summary"])
        self.assertIn("::warning title=lauka::", texts["github"])

    def test_among_several_benchmarks_too(self):
        heading, _ = self.heading(self.lose, 2)
        self.assertTrue(heading.startswith("### ⚠️ lauka: 1 of 2 benchmarks is inconclusive"), heading)

    def test_without_a_gate_nothing_was_compared(self):
        def change(result):
            self.lose(result)
            result["gate"] = None
        comment = lauka("report", self.changed(1, change), "--pr-comment=-", env=QUIET).stdout.splitlines()
        self.assertEqual(comment[1], "### ⚠️ lauka: nothing was compared. `b` ran in 20 rounds; its wall time was not "
                                     "measured.")

    def test_a_gate_that_fails_and_one_that_passes(self):
        self.assertTrue(self.heading(worsen)[0].startswith("### ❌ lauka: wall time **×3"))
        self.assertTrue(self.heading(lambda result: None)[0].startswith("### ✅ lauka: within the limits"))


class OfJobs(InScratch):
    """lauka merge, and the gate of what it wrote, ask the same."""

    def jobs(self, count=2):
        files = []
        for number in range(1, count + 1):
            files.append(self.path(f"{number}.json"))
            done = lauka("--no-config", "--backend=simulated:effects", "-q", "-r8", f"--job={number}/{count}", "--session=s",
                         f"--host=n{number}", "--gate=wall_time=50%", f"--json={files[-1]}", "a", "b", env=QUIET)
            self.assertEqual(done.returncode, 0, done.stderr)
        return files

    @staticmethod
    def edit(file, change):
        with open(file, encoding="utf-8") as old:
            result = json.load(old)
        change(result)
        with open(file, "w", encoding="utf-8") as new:
            json.dump(result, new)

    def test_a_job_that_did_not_end_well_is_missing(self):
        for end, (change, code, _) in BAD.items():
            with self.subTest(end=end):
                files = self.jobs()
                self.edit(files[1], change)
                done = lauka("merge", *files, "--inconclusive=pass")
                self.assertIn(done.returncode, {1, code}, done.stderr)
                self.assertIn("job 2 of 2 is missing or did not end well", " ".join((done.stderr + done.stdout).split()))
                self.assertEqual(lauka("merge", *files, "--allow-missing=1", "--inconclusive=pass").returncode, 0)

    def test_a_failure_is_told_before_an_interruption(self):
        files = self.jobs(3)
        self.edit(files[0], stop("interrupted"))
        self.edit(files[1], fail)
        done = lauka("merge", *files, "--inconclusive=pass")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("failed with exit code 77 (job 2 of 3, on n2)", done.stderr)

    def test_where_no_job_ended_well_nothing_passes(self):
        for end, (change, code, _) in BAD.items():
            with self.subTest(end=end):
                files = self.jobs()
                for file in files:
                    self.edit(file, change)
                for options in ((), ("--allow-missing=2",)):
                    done = lauka("merge", *files, *options, f"--json={self.path('merged')}", "--inconclusive=pass")
                    self.assertIn(done.returncode, {1, code}, done.stdout + done.stderr)
                    again = lauka("gate", self.path("merged"), "--inconclusive=pass")
                    self.assertIn(again.returncode, {1, code}, again.stderr)

    def test_a_host_of_a_merged_file_counts(self):
        files = self.jobs(3)
        merged = self.path("merged")
        done = lauka("merge", *files, f"--json={merged}", "--inconclusive=pass")
        self.assertEqual(done.returncode, 0, done.stderr)
        for word, code in (("interrupted", 1), ("crashed", 1), ("error", 1), ("failure", 5)):
            self.edit(merged, lambda result: result["benchmarks"][0]["hosts"][1].update(stopped=word))
            done = lauka("gate", merged, "--inconclusive=pass")
            self.assertEqual(done.returncode, code, done.stderr)


class BySignals(InScratch):
    """Real sessions: the signal arrives while the named file shows that something is under way."""

    DOCUMENTS = tuple(name for name in DOCUMENTS if name not in ("hgrm", "junit"))

    def interrupted(self, number, *arguments, gate=True, **environment):
        """Returns what lauka wrote to stderr; the documents are in the folder `out`."""
        out = self.path("out")
        os.makedirs(out, exist_ok=True)
        words = [f"--{name}={out}/{name}" for name in self.DOCUMENTS]
        words += [f"--junit={out}/junit", "--gate=wall_time=9999%"] if gate else []
        alone = [] if "--config" in arguments[0] else ["--no-config"]
        process = subprocess.Popen([run.LAUKA, *arguments[:1], *alone, "-q", *words, *arguments[1:]],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   cwd=self.folder, preexec_fn=run.heed_signals,
                                   env={**os.environ, "XDG_CACHE_HOME": self.path("cache"), **environment})
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 30
        while not os.path.exists(self.path("begun")) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(number)
        error = process.communicate(timeout=30)[1]
        self.assertEqual(process.returncode, 128 + number, error)
        os.unlink(self.path("begun"))
        return error

    def text(self, name):
        with open(f"{self.path('out')}/{name}", encoding="utf-8") as file:
            return file.read()

    def check(self, gate=True):
        """Every document tells of it, there is nothing beside them, and the file can be read and passes no gate."""
        out = self.path("out")
        self.assertEqual(sorted(os.listdir(out)), sorted([*self.DOCUMENTS, *["junit"] * gate]))
        for name in os.listdir(out):
            if name not in NO_ROOM and name != "github-benchmark":
                self.assertIn("ended" if name == "csv" else "interrupted", self.text(name), name)
        self.assertTrue(self.text("pr-comment").splitlines()[1].startswith("### ❌ lauka: the session was interrupted"))
        self.assertNotRegex(self.text("markdown"), r"(?m)^the session was")
        if gate:
            self.assertGreater(int(xml.etree.ElementTree.fromstring(self.text("junit")).get("errors")), 0)
        done = lauka("report", f"{out}/json")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = lauka("gate", f"{out}/json", "--gate=wall_time=9999%", "--inconclusive=pass")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("the session was interrupted", done.stderr)

    def waits(self, name="waits", after=0):
        """A command that does not end, from a run on."""
        return self.script(name, f"#!/bin/sh\necho >>ran\n[ $(wc -l <ran) -le {after} ] || {{ >begun; exec sleep 120; }}\n")

    def several(self, *options):
        with open(self.path("config"), "w", encoding="utf-8") as file:
            file.write("\n".join(options) + "".join(f"\n[{name}]\n{self.path('waits')}\ntrue\n" for name in ("one", "two", "three")))
        return "--config", self.path("config")

    def test_before_each_benchmark_has_begun(self):
        self.waits()
        for number in SIGNALS:
            _, config = self.several()
            self.interrupted(number, "--config=" + config)
            self.check()
            benchmarks = json.loads(self.text("json"))["benchmarks"]
            self.assertEqual({(b["stopped"], b["rounds"]) for b in benchmarks}, {("interrupted", 0)})
            self.assertEqual(len(json.loads(self.text("json"))["results"]), 6)

    def test_after_some_rounds(self):
        self.interrupted(signal.SIGTERM, "-w0", "-r9", self.waits(after=5), "true")
        self.check()

    def test_one_command_after_the_other(self):
        for after in (0, 3):
            self.waits(after=after)
            _, config = self.several("--order=sequential", "--runs=2", "--warmup=0")
            self.interrupted(signal.SIGTERM, "--config=" + config, gate=False)
            self.check(gate=False)
            os.unlink(self.path("ran"))

    def test_in_a_cleanup(self):
        self.interrupted(signal.SIGTERM, "-r5", "--cleanup=[ -e once ] || { >once; >begun; exec sleep 120; }", "true", "true")
        self.check()

    def test_while_lauka_measures_itself(self):
        self.interrupted(signal.SIGTERM, "noise", "-w0", self.waits(after=5))
        self.check()

    def test_in_a_suite(self):
        program = self.script("program", suite.SPEAKER.replace("BODY", "answer() { >begun; exec sleep 120; }"))
        self.interrupted(signal.SIGTERM, "suite", program, program)
        self.check()

    def test_before_anything_is_measured(self):
        """What an earlier session wrote is either replaced, or said to be of that one."""
        os.mkdir(self.path("out"))
        for name in ("junit", "json"):
            with open(f"{self.path('out')}/{name}", "w", encoding="utf-8") as file:
                file.write("of an earlier session, and green")
        subprocess.run("git init -q -b main . && git -c user.name=a -c user.email=a commit -q --allow-empty -m one", shell=True,
                       cwd=self.folder, check=True)
        error = self.interrupted(signal.SIGTERM, "revisions", f"--build=>{self.path('begun')}; exec sleep 120", "HEAD", ".", "--", "true")
        self.assertIn("/json is unchanged: this session has no result", error)
        self.assertEqual(int(xml.etree.ElementTree.fromstring(self.text("junit")).get("errors")), 1)
        self.assertIn("### ❌ lauka: the session was ended by an error: interrupted while", self.text("pr-comment"))

    def test_a_question_that_is_interrupted_has_no_answer(self):
        """What git does not answer then is not taken for a revision that is not there."""
        os.mkdir(self.path("bin"))
        self.script("bin/git", f"#!/bin/sh\n>{self.path('begun')}\nsleep 1\nexit 1\n")
        error = self.interrupted(signal.SIGTERM, "revisions", "a", "b", "--", "true", PATH=f"{self.path('bin')}:{os.environ['PATH']}")
        self.assertIn("lauka: interrupted before anything was measured\n", error)
        self.assertIn('message="interrupted before anything was measured"', self.text("junit"))

    def test_a_failure_of_one_after_the_other_can_be_read(self):
        with open(self.path("config"), "w", encoding="utf-8") as file:
            file.write("--order=sequential\n[one]\nfalse\ntrue\n[two]\ntrue\ntrue\n")
        done = lauka("--no-config", "-r2", "-w0", "--config", self.path("config"), f"--json={self.path('json')}")
        self.assertEqual(done.returncode, 5, done.stderr)
        done = lauka("gate", self.path("json"), "--gate=wall_time=9999%")
        self.assertEqual(done.returncode, 5, done.stderr)


class AtRandom(InScratch):
    def test_signals_leave_nothing_and_nothing_is_green(self):
        """A few seeded ones, in a PID namespace of their own; tests/signals/run.py has the thousand."""
        program = os.path.join(run.HERE, "..", "signals", "run.py")
        done = subprocess.run([sys.executable, "-B", program, run.LAUKA, "--count=6", "--seed=7", "--kind", "one", "several", "suite"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode == 77:
            self.skipTest(done.stdout.strip())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
