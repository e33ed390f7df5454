"""action/ and examples/ci as a CI service runs them: a repository with twelve benchmarks on the simulated machine, and
a fake gh."""
import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import tarfile
import textwrap
import xml.etree.ElementTree as ElementTree

import run
from run import InScratch

ROOT = os.path.dirname(os.path.dirname(run.HERE))
ACTION = os.path.join(ROOT, "action")
EXAMPLES = os.path.join(ROOT, "examples", "ci")
GH = f"#!{sys.executable} -IS" + r'''
import json, os, re, sys
store, words = os.environ["GH_STORE"], sys.argv[1:]
comments = json.load(open(store)) if os.path.exists(store) else []
path = next(word for word in words if word.startswith("repos/"))
body = next((open(word[6:], encoding="utf-8").read() for word in words if word.startswith("body=@")), None)
if path.endswith("/pulls/7"):
    print(os.environ["HEAD"])
elif "PATCH" in words:
    comments[int(path.rsplit("/", 1)[1])] = body
elif body is not None:
    comments.append(body)
else:
    marker = re.search(r'startswith\("(.*)"\)', words[words.index("--jq") + 1])[1]
    print("\n".join(str(i) for i, text in enumerate(comments) if text.startswith(marker)))
json.dump(comments, open(store, "w"))
'''
CHANGED = {"parse": "cost=10.5ms", "index": "cost=10ms rss=9.6MiB", "render": "cost=8.5ms"}
NAMES = ["parse", "index", "render", *(f"same/{i}" for i in range(9))]


def script_in(text, step):
    """Returns the script of a workflow's step."""
    return textwrap.dedent(re.search(rf"- name: {step}.*?run: \|\n(.*?)(?=\n {{0,6}}[-#] |\Z)", text, re.S)[1])


def script_of(workflow, step):
    with open(os.path.join(ACTION if workflow == "action.yml" else EXAMPLES, workflow)) as file:
        return script_in(file.read(), step)


class Install(InScratch):
    """The action's first step, with a release in a local folder."""

    def setUp(self):
        super().setUp()
        self.name = f"lauka-9.8.7-{platform.machine()}-linux"
        os.makedirs(self.path("releases/v9.8.7"))
        os.makedirs(self.path(f"{self.name}/bin"))
        os.mkdir(self.path("temp"))
        self.script(f"{self.name}/bin/lauka", "#!/bin/sh\necho the release\n")
        self.script("zigw", '#!/bin/sh\nmkdir -p "$3/bin"\necho "$@" >"$3/bin/lauka"\n')
        self.tarball = self.path(f"releases/v9.8.7/{self.name}.tar.gz")
        with tarfile.open(self.tarball, "w:gz") as archive:
            archive.add(self.path(self.name), self.name)
        with open(self.tarball, "rb") as file:
            self.sum = hashlib.sha256(file.read()).hexdigest()

    def install(self, **inputs):
        """Runs the step and returns it, with the folders that it added to the path."""
        environment = {"PATH": "/usr/bin:/bin", "ACTION": ACTION, "SOURCE": self.folder, "COUNTERS": "", "VERSION": "",
                       "CHECKSUM": "", "BUILD": "false", "ADDRESS": f"file://{self.path('releases')}", "SERVER": "", "REPOSITORY": "",
                       "RUNNER_TEMP": self.path("temp"), "GITHUB_PATH": self.path("paths"), **inputs}
        done = subprocess.run(["bash", "-e", "-c", script_of("action.yml", "Install lauka")], cwd=self.folder,
                              env=environment, capture_output=True, text=True, timeout=60)
        if not os.path.exists(self.path("paths")):
            return done, []
        with open(self.path("paths")) as file:
            return done, file.read().splitlines()

    def test_a_release_is_taken_by_version_and_checksum(self):
        for checksum in (self.sum, f"{'0' * 64}  other.tar.gz\n{self.sum}  {self.name}.tar.gz\n"):
            done, paths = self.install(VERSION="9.8.7", CHECKSUM=checksum)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            told = subprocess.run([os.path.join(paths[-1], "lauka")], capture_output=True, text=True)
            self.assertEqual(told.stdout, "the release\n")

    def test_releases_are_those_of_the_actions_own_repository(self):
        os.makedirs(self.path("o/lauka/releases"))
        os.rename(self.path("releases"), self.path("o/lauka/releases/download"))
        wanted = {"VERSION": "9.8.7", "CHECKSUM": self.sum, "ADDRESS": "", "SERVER": f"file://{self.folder}"}
        done, paths = self.install(**wanted, REPOSITORY="o/lauka")
        self.assertEqual((done.returncode, len(paths)), (0, 1), done.stdout + done.stderr)
        done, _ = self.install(**wanted, REPOSITORY="o/other")
        self.assertEqual((done.returncode, done.stdout), (1, "::error title=lauka::cannot download "
                         f"file://{self.folder}/o/other/releases/download/v9.8.7/{self.name}.tar.gz\n"))
        done, _ = self.install(**wanted)
        self.assertEqual((done.returncode, done.stdout), (
            1, "::error title=lauka::version: 9.8.7 needs address, because the repository of the action is unknown\n"))

    def test_a_flipped_byte_is_refused(self):
        with open(self.tarball, "r+b") as file:
            file.seek(100)
            byte = file.read(1)[0]
            file.seek(100)
            file.write(bytes([byte ^ 1]))
        done, paths = self.install(VERSION="9.8.7", CHECKSUM=self.sum)
        self.assertEqual((done.returncode, paths), (1, []))
        self.assertRegex(done.stdout, f"^::error title=lauka::{self.name}.tar.gz has the SHA-256 [0-9a-f]{{64}}, which")
        self.assertEqual(os.listdir(self.path("temp")), [])

    def test_no_release_is_run_without_a_checksum(self):
        done, paths = self.install(VERSION="9.8.7")
        self.assertEqual((done.returncode, paths), (1, []))
        self.assertIn("needs checksum", done.stdout)

    def test_it_builds_only_when_told_to(self):
        done, paths = self.install()
        self.assertEqual((done.returncode, paths), (1, []))
        self.assertIn("set version and checksum, or build: true", done.stdout)
        done, paths = self.install(BUILD="true")
        self.assertEqual((done.returncode, paths), (0, [self.path("temp/lauka/bin")]), done.stdout)

    def test_a_lauka_on_the_path_is_used_where_no_version_is_wanted(self):
        self.script("lauka", "#!/bin/sh\n")
        done, paths = self.install(PATH=f"{self.folder}:/usr/bin:/bin")
        self.assertEqual((done.returncode, paths), (0, []), done.stdout)


class Action(InScratch):
    def setUp(self):
        super().setUp()
        self.script("gh", GH)
        os.symlink(run.LAUKA, self.path("lauka"))
        self.commands = {name: ("prog cost=10ms rss=8MiB", f"prog {CHANGED.get(name, 'cost=10ms')}"
                                + ("" if "rss" in CHANGED.get(name, "") else " rss=8MiB")) for name in NAMES}

    def config(self, *options):
        with open(self.path("bench.lauka"), "w") as file:
            file.write("\n".join(["--backend=simulated:effects", "--seed=3", "-r30", "-n=base", "-n=head", *options])
                       + "\n" + "".join(f"[{name}]\n{base}\n{head}\n"
                                        for name, (base, head) in self.commands.items()))

    def measure(self, gate="wall_time=2%\npeak_rss=5%", **more):
        """Runs the action's own step with the inputs of the workflow."""
        environment = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "ACTION": ACTION, "CONFIG": "bench.lauka",
                       "GATE": gate, "COUNTERS": "", "BASE": "", "HEAD": "head", "REPORTS": "reports",
                       "GITHUB_OUTPUT": self.path("output"), "GITHUB_STEP_SUMMARY": self.path("step"),
                       "GH_STORE": self.path("comments"), "REPOSITORY": "o/r", "LC_ALL": "C.UTF-8", **more}
        if os.path.exists(self.path("output")):
            os.unlink(self.path("output"))
        done = subprocess.run(["bash", "-e", "-c", script_of("action.yml", "Measure")], cwd=self.folder,
                              env=environment, capture_output=True, text=True, timeout=60)
        with open(self.path("output")) as file:
            outputs = dict(line.strip().split("=", 1) for line in file)
        self.assertEqual(outputs["exit-code"], str(done.returncode), done.stderr)
        with open(self.path("reports/number"), "w") as file:
            file.write("7\n")
        posted = subprocess.run(["bash", "-e", "-c", script_of("github-comment.yml", "Comment, or")], cwd=self.folder,
                                env=environment, capture_output=True, text=True, timeout=60)
        return done, outputs["verdict"], posted

    def read(self, name):
        with open(self.path(os.path.join("reports", name)), encoding="utf-8") as file:
            return file.read()

    def comments(self):
        with open(self.path("comments")) as file:
            return json.load(file)

    def test_twelve_benchmarks_of_which_three_changed(self):
        self.config()
        for _ in range(2):  # the pull request's second job replaces the comment of the first
            done, verdict, posted = self.measure()
            self.assertEqual((done.returncode, verdict), (3, "fail"), done.stderr)
            self.assertEqual(posted.returncode, 0, posted.stderr)
        comment, = self.comments()
        self.assertEqual(comment, self.read("comment.md"))
        self.assertRegex(comment.splitlines()[1], r"### ❌ lauka: memory \+(20|19)\S* % in `index`, "
                                                       r"wall time \+[45]\S* % in `parse`$")
        for row in ("| ❌ FAIL | `index` peak\\_rss | **+", "| ❌ FAIL | `parse` wall\\_time | **+4.9", "| 🎉 faster | `render` wall\\_time |"):
            self.assertIn(row, comment.replace("\u00a0", " "))
        self.assertIn("--gate wall_time=2%", comment.replace("'", ""))
        self.assertNotIn("gate.txt", comment)
        suites = ElementTree.fromstring(self.read("junit.xml"))
        self.assertEqual([suite.get("name") for suite in suites], NAMES)
        self.assertEqual((suites.get("failures"), suites.get("errors")), ("2", "0"))
        self.assertEqual(self.read("page.html").count("</html>"), 1)
        runs = re.findall(r"^Benchmark\S+", self.read("benchmark.txt"), re.M)
        self.assertEqual(len({name.split("/side=")[0] for name in runs}), 12)
        for name, of in (("bmf.json", lambda data: set(data)),
                         ("github-benchmark.json", lambda data: {entry["name"] for entry in data})):
            found = of(json.loads(self.read(name)))
            self.assertTrue(all(any(key.startswith(benchmark + "/") for key in found) for benchmark in NAMES), found)

    def test_nothing_changed_is_a_pass_and_what_is_too_uncertain_is_not(self):
        self.commands = {name: ("prog", "prog") for name in NAMES}
        self.config()
        self.assertEqual(self.measure()[:2][1], "pass")
        self.commands = {name: ("prog noise=20%", "prog noise=20%") for name in NAMES}
        self.config()
        for gate, policy, code in (("wall_time=0.1%", "", 4), ("# limits\ncpu_time.mean=0.1%,+1ns", "", 4),
                                   ("wall_time=0.1%", "warn", 0), ("minor_faults=0.1%", "fail", 4), ("minor_faults=0.1%", "", 0)):
            done, verdict, _ = self.measure(gate=gate, INCONCLUSIVE=policy)
            self.assertEqual((done.returncode, verdict), (code, "inconclusive"), gate + done.stdout + done.stderr)
        self.assertNotIn("--counters=valgrind", self.read("comment.md"))
        self.assertEqual(len(self.comments()), 1)

    def test_a_limit_on_a_time_is_known_however_it_is_written(self):
        self.commands = {name: ("prog noise=20%", "prog noise=20%") for name in NAMES}
        for gate, options, code in (("wall-time.p50=0.1%", [], 4), ("\tcpu=0.1%", [], 4), ("[parse]\nuser_time=0.1%", [], 4),
                                    ("", ["--gate=cpu_time=0.1%"], 4), ("", ["--gate=[parse] wall=0.1%"], 4), ("", ["--gate", "wall_time.mean=0.1%"], 4),
                                    ("", ["--gate=cpu_time=0.1%", "--inconclusive=warn"], 0), ("", ["--gate=minor_faults=0.1%"], 0)):
            self.config(*options)
            done, verdict, _ = self.measure(gate=gate)
            self.assertEqual((done.returncode, verdict), (code, "inconclusive"), f"{gate} {options} {done.stdout} {done.stderr}")

    def test_too_little_time_for_a_verdict_is_no_success(self):
        self.commands = {name: ("prog cost=1s", "prog cost=1s") for name in NAMES}
        self.config()
        done, verdict, _ = self.measure(gate="wall_time=2%", MAX_TIME="3s")
        self.assertEqual((done.returncode, verdict), (4, "inconclusive"), done.stdout + done.stderr)
        self.assertIn("about 3 rounds fit into --max-time 3s, and a verdict needs 8: --max-time ", done.stderr)
        self.assertIn("no verdict: 3 rounds in --max-time 3s; 8 need about", self.read("comment.md"))

    def test_limits_of_single_benchmarks_are_options_too(self):
        self.config()
        done, verdict, _ = self.measure(gate="wall_time=9%\npeak_rss=30%\n[parse]\nwall_time=2%\n[same/*]\n"
                                             "cpu_time<=20ms\n[*]\ncpu_time=90%")
        self.assertEqual((done.returncode, verdict), (3, "fail"), done.stderr)
        comment = self.read("comment.md")
        for option in ("--gate '[parse] wall_time=2%'", "--gate '[same/*] cpu_time<=20ms'", "--gate '[*] cpu_time=90%'"):
            self.assertIn(option, comment)
        self.assertNotIn("gate-file", comment)
        failed = [suite.get("name") for suite in ElementTree.fromstring(self.read("junit.xml"))
                  if suite.get("failures") != "0"]
        self.assertEqual(failed, ["parse"])

    def expect_nothing_green(self, verdict):
        self.assertEqual(verdict, "error")
        comment, = self.comments()
        self.assertRegex(comment.splitlines()[1], "^### ❌ lauka: ")
        suites = ElementTree.fromstring(self.read("junit.xml"))
        self.assertGreater(int(suites.get("errors")) + int(suites.get("failures")), 0)
        for name in ("summary.md", "page.html"):
            if os.path.exists(self.path("reports/" + name)):
                self.assertNotRegex(self.read(name).split("\n## ")[0][:400], "✅")

    def test_a_crash_a_missing_binary_and_a_broken_session_are_no_success(self):
        self.commands = {name: ("prog", "prog") for name in NAMES}
        self.config()
        self.assertEqual(self.measure()[1], "pass")
        self.commands["parse"] = ("prog", "prog fail=100%")
        self.config()
        done, verdict, _ = self.measure()
        self.assertEqual(done.returncode, 5)
        self.expect_nothing_green(verdict)
        with open(self.path("bench.lauka"), "w") as file:
            file.write("-r2\n-w0\n-n=base\n-n=head\n[one]\ntrue\ntrue\n[two]\n./base/prog\n./head/prog\n")
        done, verdict, _ = self.measure()
        self.assertEqual(done.returncode, 5)
        self.expect_nothing_green(verdict)
        with open(self.path("bench.lauka"), "w") as file:
            file.write("[one]\ntrue\n[two\n")
        done, verdict, _ = self.measure()
        self.assertEqual(done.returncode, 2)
        self.expect_nothing_green(verdict)
        self.assertIn("nothing was measured", self.comments()[0])

    def test_a_launcher_that_is_killed_is_no_success(self):
        for head in ("sh -c 'kill -9 $PPID'", "sh -c '[ $LAUKA_ROUND -lt 3 ] || kill -9 $PPID'"):
            with open(self.path("bench.lauka"), "w") as file:
                file.write(f"-r5\n-w0\n-n=base\n-n=head\n[one]\ntrue\ntrue\n[two]\ntrue\n{head}\n")
            done, verdict, _ = self.measure(gate="wall_time=900%")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.expect_nothing_green(verdict)
            gated = run.lauka("gate", self.path("reports/result.json"), "--gate=wall_time=900%")
            self.assertNotEqual(gated.returncode, 0, gated.stdout)

    def test_where_nothing_counts_the_advice_is_valgrind(self):
        done = run.lauka("--backend=simulated:no-pmu", "-r12", "--seed=1", "--gate=wall_time=5%", "--pr-comment=-", "a", "a")
        self.assertIn("gate sim_instructions (--counters=valgrind)", done.stdout.replace("\\", ""))

    def test_a_table_of_a_comment_has_no_more_columns_than_fit(self):
        self.config()
        self.measure()
        rows = [line for line in self.read("comment.md").splitlines() if line.startswith("|")]
        self.assertEqual({line.count(" | ") for line in rows if "slower" in line or "within limit" in line}, {4})
        self.assertLessEqual(max(line.count(" | ") for line in rows), 4)

    def test_two_commands_without_a_config(self):
        gate = "# of the head\nwall_time=200%"
        done, verdict, _ = self.measure(gate=gate, CONFIG="", BASE="true", HEAD="sh -c :", MAX_TIME="100ms")
        self.assertIn(verdict, ("pass", "inconclusive", "fail"), done.stderr)
        self.assertEqual(len(ElementTree.fromstring(self.read("junit.xml"))), 1)

    def test_the_script_that_posts_refuses_what_is_not_ours(self):
        self.config()
        self.measure()
        with open(self.path("reports/other.md"), "w") as file:
            file.write("# a comment\n")
        environment = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "GH_STORE": self.path("posted"),
                       "HEAD": ""}
        for number, name, code in (("7", "comment.md", 0), ("7; id", "comment.md", 1), ("7", "other.md", 1)):
            done = subprocess.run([os.path.join(ACTION, "comment.sh"), "o/r", number, self.path("reports/" + name)],
                                  env=environment, capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, code, done.stderr)
