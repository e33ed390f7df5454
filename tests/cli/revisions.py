"""lauka revisions: the sides are commits, each built in its own worktree."""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

from repository import InRepository
from run import LAUKA, lauka

BUILD = "sh build.sh"
BENCHMARKS = f"#!{sys.executable} -IS" + """
import os
import time
requests, answers = map(int, os.environ["LAUKA_BENCH_FDS"].split(","))
with open(requests) as lines, open(answers, "w") as out:
    for line in lines:
        words = line.split()
        if words[0] == "bye":
            break
        begun = time.perf_counter_ns()
        for _ in range(int(words[2]) if words[0] == "run" else 0):
            pass
        took = time.perf_counter_ns() - begun
        print({"hello": "hello 1", "list": "benchmark one\\nbenchmark two\\nok"}.get(words[0], f"ok {took} {took}"),
              file=out, flush=True)
"""


class Revisions(InRepository):
    """Of commits in whose file `effects` the cost of the simulated command stands."""

    def test_sides_are_called_as_they_were_typed(self):
        self.commit("first")
        second = self.commit("second", "10.5ms")
        done = self.run_it("HEAD~1", "main", "--build", BUILD, "-r20", "--json=j")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("`main` is 5", done.stdout)
        self.assertIn(f"main    {second[:10]}  2026-05-04  second", done.stderr)
        with open(os.path.join(self.repository, "src", "j"), encoding="utf-8") as file:
            results = json.load(file)["results"]
        self.assertEqual([r["command"] for r in results], ["HEAD~1", "main"])
        self.assertEqual(results[1]["revision"], {"commit": second, "date": "2026-05-04", "subject": "second"})
        done = lauka("report", "j", "--json", cwd=os.path.join(self.repository, "src"))
        with open(os.path.join(self.repository, "src", "j"), encoding="utf-8") as file:
            self.assertEqual(done.stdout, file.read())

    def test_worktrees_have_paths_of_one_length_and_are_built_once(self):
        for subject in ("one", "two", "three"):
            self.commit(subject, {"one": "1ms", "two": "2ms", "three": "3ms"}[subject])
        self.run_it("HEAD", "HEAD~1", "HEAD~2", "--build", BUILD, "-r3", "--jobs=3")
        self.run_it("HEAD", "HEAD~2", "--build", BUILD, "-r3")
        worktrees = self.worktrees()
        self.assertEqual((len(worktrees), len({len(path) for path in worktrees})), (3, 1))
        for path in worktrees:
            with open(os.path.join(path, "src", "count"), encoding="utf-8") as file:
                self.assertEqual(file.read(), "built\n")

    def test_a_git_that_is_ended_is_not_taken_for_an_answer(self):
        self.commit("first")
        self.commit("second", "10.5ms")
        os.mkdir(self.path("bin"))
        self.script("bin/git", f"""#!/bin/sh
            case "$*" in *"$ENDED"*) kill -TERM $$ ;; esac
            exec {shutil.which("git")} "$@"
            """)
        self.environment["PATH"] = self.path("bin") + ":" + os.environ["PATH"]
        for self.environment["ENDED"], revision in ("--quiet HEAD~1", "HEAD~1"), ("^{tree}", "."):
            done = self.run_it(revision, "HEAD", "--build", BUILD, "-r2")
            self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
            self.assertIn("lauka: git rev-parse: it was ended by signal 15\n", done.stderr)

    def test_the_checkout_is_left_as_it_is(self):
        self.commit("first")
        hook = os.path.join(self.repository, ".git", "hooks", "post-checkout")
        os.makedirs(os.path.dirname(hook), exist_ok=True)
        with open(hook, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ntouch {self.path('hooked')}\n")
        os.chmod(hook, 0o755)
        self.write("effects", "cost=20ms noise=1%\n")
        self.write("new", "of nobody\n")
        self.git("add", "src/new")
        self.write("other", "not added\n")
        before = self.state()
        done = self.run_it("HEAD", ".", "--build", BUILD, "-r10", "--json=/dev/null")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"`working tree` takes (2\.0\d|1\.9\d) times as long as `HEAD`")
        self.assertEqual(self.state(), before)
        self.assertFalse(os.path.exists(self.path("hooked")))
        changed = [path for path in self.worktrees() if os.path.exists(os.path.join(path, "src", "other"))]
        self.assertEqual(len(changed), 1)

    def test_what_cannot_be_built_is_the_answer_or_is_skipped(self):
        self.commit("good")
        self.commit("bad", build="echo a line; printf '\\033]0;x\\007\\n'; exit 3")
        self.commit("good again", "11ms")
        done = self.run_it("HEAD~2", "HEAD~1", "HEAD", "--build", BUILD, "-r5")
        self.assertEqual((done.returncode, done.stdout), (5, ""))
        self.assertIn("  | a line\n", done.stderr)
        self.assertNotIn("\033", done.stderr)
        self.assertIn("its build failed with exit code 3; all that it wrote is in ", done.stderr)
        done = self.run_it("HEAD~2", "HEAD~1", "HEAD", "--build", BUILD, "-r7", "--skip-broken")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("HEAD~1: cannot be built; it is skipped", done.stderr)
        self.assertIn("`HEAD` is ", done.stdout)
        done = self.run_it("HEAD~1", "HEAD", "--build", BUILD, "-r5", "--skip-broken")
        self.assertEqual(done.returncode, 5)
        self.assertIn("of 2 revisions 1 can be built", done.stderr)

    def test_workloads_are_the_same_for_all(self):
        self.write("input", "old\n")
        self.commit("first")
        self.write("input", "new\n")
        self.commit("second")
        self.write("untracked", "mine\n")
        said = []
        for workload, name in (("HEAD~1:input", "input"), ("untracked", "untracked")):
            done = self.run_it("HEAD~1", "HEAD", "--workload", workload, "-r1", "-w0", "--show-output", "-q",
                               command=("cat", name))
            self.assertEqual(done.returncode, 0, done.stderr)
            said.append([line for line in done.stdout.splitlines()[:2]])
        self.assertEqual(said, [["old", "old"], ["mine", "mine"]])
        for workload in ("missing", "HEAD:missing"):
            done = self.run_it("HEAD~1", "HEAD", "--workload", workload, command=("true",))
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"--workload {workload}: ", done.stderr)

    def test_equal_executables_are_named(self):
        self.commit("first", "1ms")
        self.commit("second", "2ms")
        done = self.run_it("HEAD~1", "HEAD", "--build", BUILD, "-r3", "--json=/dev/null", command=("./prog",))
        self.assertIn("HEAD~1 and HEAD have the same executable, byte for byte", " ".join(done.stdout.split()))

    def test_bad_words(self):
        self.commit("first")
        for words, command, said in (
                (["HEAD"], ("true",), "compares two or more"), (["HEAD", "nope"], ("true",), "nope: there is no such"),
                (["HEAD", "--upload"], ("true",), "unknown option --upload"),
                (["A...B"], ("true",), "expected A..B"), (["HEAD", "."], None, "type the command to run after --"),
                (["HEAD", ".", "--first-slower", "HEAD"], ("true",), "--first-slower takes two ends"),
                (["HEAD", "."], ("a", "--vs", "b"), "takes one command"), (["--clean", "HEAD"], None, "takes neither"),
                (["--clean"], ("true",), "--clean runs nothing"), (["HEAD", ".", "--adapter=go"], ("true",), "--suite"),
                (["HEAD", ".", "--reference=x"], ("true",), "the first revision is the reference")):
            done = self.run_it(*words, command=command)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
            self.assertIn(said, done.stderr)
        done = lauka("revisions", "HEAD", ".", "--", "true", cwd=self.folder,
                     env={**self.environment, "GIT_CEILING_DIRECTORIES": os.path.dirname(self.folder)})
        self.assertEqual(done.returncode, 2)
        self.assertIn("is in no checkout of a git repository", done.stderr)
        done = lauka("revisions", "HEAD", ".", "--", "true", cwd=self.repository,
                     env={**self.environment, "PATH": "/nowhere"})
        self.assertEqual(done.returncode, 6)
        self.assertIn("needs git", done.stderr)

    def test_clean_removes_all_of_it(self):
        self.commit("first", "1ms")
        self.commit("second", "2ms")
        self.run_it("HEAD~1", "HEAD", "-r3")
        self.assertEqual(len(self.git("worktree", "list").splitlines()), 3)
        self.assertEqual(self.run_it("--clean", command=None).returncode, 0)
        self.assertEqual(len(self.git("worktree", "list").splitlines()), 1)
        self.assertEqual(os.listdir(os.path.join(self.path("cache"), "lauka", "revisions")), [])

    def test_a_killed_session_harms_nothing(self):
        self.commit("first", "1ms", "sleep 0.3")
        self.commit("second", "2ms", "sleep 0.3; cp /bin/true prog")
        before = self.state()
        for seconds in (0.02, 0.1, 0.3, 0.5):
            process = subprocess.Popen([LAUKA, "revisions", "HEAD~1", "HEAD", "--build", BUILD, "-r3",
                                        "--backend=simulated:effects", "--", "p", "@effects"],
                                       cwd=os.path.join(self.repository, "src"), env={**os.environ, **self.environment},
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(seconds)
            process.send_signal(signal.SIGKILL)
            process.wait()
        self.assertEqual(self.state(), before)
        self.assertEqual(self.run_it("HEAD~1", "HEAD", "--build", BUILD, "-r3").returncode, 0)
        self.assertEqual(self.run_it("--clean", command=None).returncode, 0)

    def test_the_first_slower_commit_is_found(self):
        planted = None
        for number in range(1, 17):
            commit = self.commit(f"commit {number}", "10.5ms" if number >= 11 else "10ms",
                                 "exit 1" if number in (4, 9) else ":")
            planted = commit if number == 11 else planted
        done = self.run_it("HEAD~15..HEAD", "--first-slower=../found", "--build", BUILD, "--style=none")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.repository, "found"), encoding="utf-8") as file:
            self.assertEqual(file.read(), planted + "\n")
        self.assertIn(f"first slower: {planted[:10]}  commit 11\n  by Ann, 2026-05-04; wall_time +", done.stdout)
        again = re.search("again: (.*)", done.stdout).group(1)
        self.assertIn(f" {planted[:10]} --build 'sh build.sh' --style=none --backend=simulated:effects", again)
        self.assertNotIn("first-slower", again)
        done = self.run_it("HEAD~15..HEAD", "--first-slower=no/found", "--build", BUILD)
        self.assertEqual(done.returncode, 6)
        self.assertIn(f"first slower: {planted[:10]}", done.stdout)
        self.assertIn("lauka: --first-slower=no/found: No such file or directory", done.stderr)
        done = self.run_it("HEAD~15..HEAD", "--first-slower", "--build", BUILD, "--style=none", "--gate=cpu_time=2%")
        self.assertEqual(done.returncode, 3)
        self.assertIn(f"first slower: {planted[:10]}", done.stdout)
        done = self.run_it("HEAD~15..HEAD~8", "--first-slower", "--build", BUILD, "--style=none", "--gate=cpu_time=2%")
        self.assertEqual(done.returncode, 0)
        self.assertIn("HEAD~8 is not known to be slower than HEAD~15", done.stdout)

    def test_a_search_ends_where_the_budget_leaves_no_time_for_a_step(self):
        """The two ends use it: a third of what they leave is not enough for a warm-up and six rounds of three sides."""
        for number, pause in enumerate(("0.02", "0.02", "0.02", "0.1"), 1):
            self.commit(f"commit {number}", build=f"printf '#!/bin/sh\\nsleep {pause}\\n' >prog; chmod +x prog")
        done = self.run_it("HEAD~3..HEAD", "--first-slower", "--build", BUILD, "-r1000", "--budget=3s", command=["./prog"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("lauka: --budget leaves no time for step 1 of about 2: more would narrow the answer\n", done.stderr)
        self.assertRegex(done.stdout, r"first slower commit is one of these:\n  \w+  2026-05-04  commit 4: slower\n"
                                      r"  \w+  2026-05-04  commit 3: not measured\n  \w+  2026-05-04  commit 2: not measured\n")

    def test_a_search_that_is_interrupted_tells_how_far_it_came(self):
        first = self.commit("first", build=":")
        for number in range(2):
            self.commit(f"middle {number}", "10ms", f": {number}; touch {self.path('begun')}; sleep 60")
        last = self.commit("last", "11ms", ":")
        process = subprocess.Popen([LAUKA, "revisions", f"{first}..HEAD", "--first-slower", "--build", BUILD, "--seed=1",
                                    "--backend=simulated:effects", "--style=none", "--", "p", "@effects"],
                                   cwd=os.path.join(self.repository, "src"), env={**os.environ, **self.environment},
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not os.path.exists(self.path("begun")):
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        said, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn(f"interrupted: the first slower commit is after {first[:10]}, up to {last[:10]}\n"
                      f"again: lauka revisions {first[:10]}..{last[:10]} --first-slower --build 'sh build.sh'", said)

    def test_a_build_that_cannot_be_started_ends_nobody_else(self):
        """In a PID namespace of its own, should it ever end all that it can."""
        apart = ["unshare", *(["--user", "--map-root-user"] if os.geteuid() else []), "--fork", "--pid", "--mount-proc"]
        if subprocess.run([*apart, "true"], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("this machine does not let the tests make a namespace of their own")
        self.commit("first")
        self.commit("second")
        self.assertEqual(self.run_it("HEAD~1", "HEAD", "--build", BUILD, "-r1").returncode, 0)
        for path in glob.glob(self.path("cache/lauka/revisions/*/*.log")):
            os.unlink(path)
            os.mkdir(path)
            os.unlink(path.removesuffix(".log") + ".built")
        done = subprocess.run(
            [*apart, "sh", "-c", 'sleep 60 & "$@"; code=$?; kill -0 $! && echo alive; kill $!; exit $code', "sh", LAUKA,
             "revisions", "HEAD~1", "HEAD", "--build", BUILD, "-r1", "--backend=simulated:effects", "--", "p", "@effects"],
            cwd=os.path.join(self.repository, "src"), env={**os.environ, **self.environment}, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (6, "alive\n"), done.stderr)
        self.assertIn("cannot build HEAD~1: Is a directory", done.stderr)

    def test_a_server_that_a_build_leaves_behind_holds_nobody_up(self):
        self.commit("first", "1ms", f"setsid sh -c 'echo $$ >{self.path('server')}; exec sleep 600' &\n"
                    f"while [ ! -s {self.path('server')} ]; do sleep 0.01; done")
        self.commit("second", "2ms", ":")
        done = self.run_it("HEAD~1", "HEAD", "--build", BUILD, "-r3")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("server"), encoding="utf-8") as file:
            server = int(file.read())
        self.addCleanup(os.kill, server, signal.SIGKILL)
        os.kill(server, 0)  # it is still there
        done = self.run_it("HEAD~1", "HEAD", "--build", BUILD, "-r3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("waiting", done.stderr)

    def test_variables_of_a_hook_lead_nowhere_else(self):
        self.commit("first", build="git rev-parse --show-toplevel >top")
        self.commit("second", "11ms", build="git rev-parse --show-toplevel >top")
        self.environment |= {"GIT_DIR": self.path("repository/.git"), "GIT_WORK_TREE": self.path("repository"),
                             "GIT_INDEX_FILE": self.path("repository/.git/index")}
        done = self.run_it("HEAD~1", "HEAD", "--build", BUILD, "-r3")
        self.assertEqual(done.returncode, 0, done.stderr)
        for path in self.worktrees():
            with open(os.path.join(path, "src", "top"), encoding="utf-8") as file:
                self.assertEqual(file.read(), path + "\n")

    def test_it_is_found_in_a_branch_that_was_merged(self):
        first = self.commit("first")
        self.commit("second")
        self.git("checkout", "-q", "-b", "side", first)
        self.commit("on the side")
        planted = self.commit("slow on the side", "10.5ms")
        self.commit("more on the side", "10.5ms")
        self.git("checkout", "-q", "main")
        self.git("merge", "-q", "--no-ff", "side", "-X", "theirs", "-m", "merge")
        self.commit("last", "10.5ms")
        done = self.run_it(f"{first}..HEAD", "--first-slower", "--style=none")
        self.assertIn(f"first slower: {planted[:10]}  slow on the side", done.stdout, done.stderr)

    def test_what_cannot_be_decided_is_named_as_a_range(self):
        self.commit("first", build=":")
        self.commit("second", build="exit 1")
        self.commit("third", "10.5ms", "exit 1")
        last = self.commit("last", "10.5ms", ":")
        done = self.run_it("HEAD~3..HEAD", "--first-slower", "--build", BUILD, "--style=none")
        self.assertEqual(done.returncode, 0)
        self.assertIn("the first slower commit is one of these", done.stdout)
        said = re.findall("^  [0-9a-f]{10}  2026-05-04  (.*)$", done.stdout, re.MULTILINE)
        self.assertEqual(said, ["last: slower", "third: cannot be built or measured",
                                "second: cannot be built or measured"])
        self.assertRegex(done.stdout, f"again: lauka revisions [0-9a-f]{{10}} {last[:10]} ")

    def test_what_is_no_file_of_the_worktree_is_not_replaced(self):
        os.mkdir(self.path("precious"))
        with open(self.path("precious/data"), "w", encoding="utf-8") as file:
            file.write("mine\n")
        self.write("first", "")
        os.symlink(self.path("precious"), os.path.join(self.repository, "src", "link"))
        self.commit("first")
        self.commit("second", "11ms")
        for workload, said in (("link/data", "src/link is a file or a link, not a folder"),
                               ("../../precious", "outside of the repository"), ("..", "the whole repository"),
                               (self.path("precious"), "outside of the repository")):
            done = self.run_it("HEAD~1", "HEAD", "--workload", workload, command=("true",))
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(f"--workload {workload}: ", done.stderr)
            self.assertIn(said, done.stderr)
        with open(self.path("precious/data"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine\n")

    def test_a_workload_of_a_name_that_moves_moves(self):
        os.mkdir(os.path.join(self.repository, "data"))
        said = []
        for text in ("old", "new", "newest"):
            with open(os.path.join(self.repository, "data", "in"), "w", encoding="utf-8") as file:
                file.write(text + "\n")
            self.commit(text, {"old": "1ms", "new": "2ms", "newest": "3ms"}[text])
        for at in ("HEAD~2", "HEAD~1"):
            self.git("tag", "-f", "input", at)
            done = self.run_it("HEAD~1", "HEAD", "--workload", "input:../data", "-r1", "-w0", "--show-output", "-q",
                               command=("cat", "../data/in"))
            self.assertEqual(done.returncode, 0, done.stderr)
            said.append(done.stdout.splitlines()[:2])
        self.assertEqual(said, [["old", "old"], ["new", "new"]])

    def test_worktrees_of_the_user_are_left_alone(self):
        self.commit("first", "1ms")
        self.commit("second", "2ms")
        self.git("worktree", "add", "-q", "--detach", self.path("own"))
        os.rename(self.path("own"), self.path("away"))  # like a disk that is not mounted now
        self.assertEqual(self.run_it("HEAD~1", "HEAD", "-r3").returncode, 0)
        shutil.rmtree(self.worktrees()[0])
        self.assertEqual(self.run_it("HEAD~1", "HEAD", "-r3").returncode, 0)
        self.assertEqual(self.run_it("--clean", command=None).returncode, 0)
        self.assertEqual(len(self.git("worktree", "list").splitlines()), 2)
        os.rename(self.path("away"), self.path("own"))
        self.assertEqual(os.listdir(os.path.join(self.repository, ".git", "worktrees")), ["own"])

    def module(self, name, *texts):
        """A repository with a commit for each text of its file."""
        folder = self.path(name)
        for number, text in enumerate(texts):
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, "text"), "w", encoding="utf-8") as file:
                file.write(text + "\n")
            for words in (["init", "-q", "-b", "main"] if number == 0 else []), ["add", "-A"], ["commit", "-q", "-m", text]:
                if words:
                    self.git("-C", folder, *words)
        return folder

    def update(self, *words):
        self.git("-c", "protocol.file.allow=always", "submodule", "--quiet", *words)

    def add_modules(self):
        """After a commit without them: src/part, which has deep. Returns where these two come from, the inner one first."""
        inner, part = self.module("inner", "innermost"), self.module("part", "one")
        self.git("-C", part, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "deep")
        self.git("-C", part, "commit", "-q", "-m", "deep")
        self.commit("none")
        self.update("add", part, "src/part")
        self.update("update", "--init", "--recursive")
        return inner, part

    def test_submodules_have_the_commits_of_the_revision(self):
        inner, part = self.add_modules()
        self.commit("first", build="grep -q one part/text && grep -q innermost part/deep/text && cp /bin/true prog")
        self.module("part", "two")
        self.git("-C", "src/part", "pull", "-q", part, "main")
        self.commit("second", build="grep -q two part/text && cp /bin/true prog")
        shutil.rmtree(part)  # nothing is fetched
        shutil.rmtree(inner)
        before = self.state()
        done = self.run_it("HEAD~2", "HEAD~1", "HEAD", "-r3", "--build", BUILD)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("submodule", done.stderr + done.stdout)
        self.assertEqual(self.state(), before)
        again = self.run_it("HEAD~1", "HEAD", "-r3", "--build", BUILD)
        self.assertNotIn("building", again.stderr)

    def test_what_was_changed_in_a_submodule_is_noticed(self):
        self.add_modules()
        self.commit("first", build="cp /bin/true prog; cp /bin/true part/deep/built; echo x >part/log")
        words = "HEAD~1", "HEAD", "-r3", "--build", BUILD
        self.assertEqual(self.run_it(*words).returncode, 0)
        tree, = (path for path in self.worktrees() if os.path.exists(os.path.join(path, "src/part/text")))
        for name, code in ("text", 1), ("deep/text", 1), ("deep/built", 1), ("log", 0):
            with open(os.path.join(tree, "src/part", name), "a", encoding="utf-8") as file:
                file.write("changed\n")
            done = self.run_it(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
            said = f"lauka: HEAD: src/part/{name} was changed in its worktree since it was built"
            self.assertEqual(said in done.stderr, code == 1, name + done.stderr)

    def test_a_submodule_that_is_missing_is_named_and_looked_for_again(self):
        part = self.module("part", "one")
        self.commit("none")
        self.update("add", part, "src/part")
        self.commit("first", build="cat part/text && cp /bin/true prog")
        shutil.move(os.path.join(self.repository, ".git", "modules"), self.path("modules"))
        done = self.run_it("HEAD~1", "HEAD", "-r3", "--build", BUILD)
        self.assertEqual(done.returncode, 5)
        self.assertIn("lauka: HEAD: the commit of its submodule src/part is not in this repository", done.stderr)
        shutil.move(self.path("modules"), os.path.join(self.repository, ".git", "modules"))
        done = self.run_it("HEAD~1", "HEAD", "-r3", "--build", BUILD)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_settings_and_names_of_a_submodule_execute_nothing(self):
        part = self.module("part", "one")
        self.commit("none")
        self.update("add", part, "src/part")
        self.commit("first", build="grep -q one part/text; cp /bin/true prog")
        modules = os.path.join(self.repository, ".git", "modules", "src", "part")
        with open(os.path.join(modules, "info", "attributes"), "w", encoding="utf-8") as file:
            file.write("* filter=evil\n")
        for name, value in ("filter.evil.smudge", f"touch {self.path('ran')}; cat"), ("core.fsmonitor", f"touch {self.path('ran')}"):
            self.git(f"--git-dir={modules}", "config", name, value)
        self.assertEqual(self.run_it("HEAD~1", "HEAD", "-r3", "--build", BUILD).returncode, 0)
        self.assertFalse(os.path.exists(self.path("ran")))
        with open(os.path.join(self.repository, ".gitmodules"), "w", encoding="utf-8") as file:
            file.write('[submodule "../modules/src/part"]\n\tpath = src/part\n\turl = x\n')
        self.commit("odd", build="cp /bin/true prog")
        self.assertIn("submodule src/part is not in this repository", self.run_it("HEAD~1", "HEAD", "-r3", "--build", BUILD).stderr)

    def test_a_full_disk_is_named(self):
        self.commit("small", build="cat /dev/zero >zeros")
        with open(os.path.join(self.repository, "src", "large"), "wb") as file:
            file.write(os.urandom(1000000))
        self.commit("large", "2ms")
        small = self.path("disk")
        os.mkdir(small)
        for words in (["HEAD~1", "HEAD"], ["HEAD~1", "HEAD~1", "--build", BUILD]):
            done = subprocess.run(
                ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
                 'mount -t tmpfs -o size=400k tmpfs "$XDG_CACHE_HOME" || exit 99; lauka=$1; shift; '
                 '"$lauka" revisions "$@"; code=$?; "$lauka" revisions --clean && exit $code', "sh", LAUKA, *words,
                 "--", "true"], cwd=os.path.join(self.repository, "src"), capture_output=True, text=True,
                env={**os.environ, **self.environment, "XDG_CACHE_HOME": small})
            if done.returncode in (1, 99, 127) and "lauka" not in done.stderr:
                self.skipTest("file systems cannot be mounted here: " + done.stderr)
            self.assertEqual(done.returncode, 5 if "--build" in words else 6, done.stderr)
            self.assertTrue(done.stderr.endswith("; the disk is full: lauka revisions --clean removes all worktrees of "
                                                 "this repository\n"), done.stderr)
        self.assertEqual(len(self.git("worktree", "list").splitlines()), 1)

    def test_benchmarks_are_sections_of_a_file(self):
        first = self.commit("first")
        planted = self.commit("second", "10.5ms")
        self.write("other", "cost=3ms noise=1%\n")
        self.commit("third", "10.5ms")
        with open(self.path("conf"), "w", encoding="utf-8") as file:
            file.write("--max-time=1s\n[parse]\np @effects\n[render]\n--gate=cpu_time=2%\np @effects cost=3ms\n")
        words = [first, "HEAD", "--config", self.path("conf"), "--backend=simulated:effects", "--seed=1"]
        done = self.run_it(*words, "--json=j", command=None)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.repository, "src", "j"), encoding="utf-8") as file:
            results = json.load(file)["results"]
        self.assertEqual([(r["benchmark"], r["side"], r["revision"]["subject"]) for r in results],
                         [("parse", first, "first"), ("parse", "HEAD", "third"), ("render", first, "first"),
                          ("render", "HEAD", "third")])
        done = self.run_it(*words, "--first-slower", "--benchmark=parse", command=None)
        self.assertIn(f"first slower: {planted[:10]}  second", done.stdout, done.stderr)
        done = self.run_it(*words, "--first-slower", command=None)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--first-slower judges by one benchmark: name it by --benchmark", done.stderr)
        with open(self.path("conf"), "w", encoding="utf-8") as file:
            file.write("--seed=1\np @effects\n")
        done = self.run_it(*words, command=None)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("`HEAD` is 5", done.stdout)
        with open(self.path("conf"), "w", encoding="utf-8") as file:
            file.write("[parse]\n./a\n./b\n")
        done = self.run_it(*words, command=None)
        self.assertEqual(done.returncode, 2)
        self.assertIn("conf:1: [parse]: lauka revisions takes one command", done.stderr)

    def test_layouts_of_each_revision(self):
        self.commit("first")
        self.commit("broken", build="exit 1")
        self.commit("second", "10.5ms")
        done = self.run_it("HEAD~2", "HEAD~1", "HEAD", "--build", BUILD, "--skip-broken", "--layouts=8",
                           command=("p-{layout}", "@effects"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("`HEAD` is 5", done.stdout)
        self.assertIn("8 layouts each", done.stdout)
        done = self.run_it("HEAD~2", "HEAD", "--layouts=2", "-r4", "--link", "cp prog {out}; echo {layout} >>linked",
                           "--build", BUILD, "--workload", "../src/build.sh", "--json=/dev/null",
                           command=("./p-{layout}",))
        self.assertEqual(done.returncode, 0, done.stderr)
        linked = [os.path.join(path, "src", "linked") for path in self.worktrees()]
        self.assertEqual(sum(os.path.exists(path) for path in linked), 2)  # in both worktrees

    def test_benchmarks_inside_the_program_of_two_revisions(self):
        self.write("bench.py", BENCHMARKS.replace("two\\nok", "two\\nbenchmark gone\\nok"))
        self.commit("first")
        self.write("bench.py", BENCHMARKS)
        self.commit("second", "11ms")
        words = ["HEAD~1", "HEAD", "--build", "cp bench.py bench; chmod +x bench", "--suite", "./bench 1"]
        done = self.run_it(*words, "--list-benchmarks", command=None)
        self.assertEqual((done.returncode, done.stdout), (0, "one\ntwo\n"), done.stderr)
        done = self.run_it(*words, "-r4", "--json=j", command=None)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.repository, "src", "j"), encoding="utf-8") as file:
            results = json.load(file)["results"]
        self.assertEqual([(r["benchmark"], r["side"]) for r in results],
                         [("one", "HEAD~1"), ("one", "HEAD"), ("two", "HEAD~1"), ("two", "HEAD")])
        self.assertEqual(results[1]["revision"]["subject"], "second")
        with open(os.path.join(self.repository, "src", "j"), encoding="utf-8") as file:
            self.assertIn("`gone` is in HEAD~1 only: not compared", file.read())
        for more, said in ((["--pin=0"], "--pin cannot be combined with --suite"),
                           (["HEAD"], "--suite compares two revisions"),
                           (["--first-slower"], "--first-slower takes two ends, A..B, and one command"),
                           (["--layouts=2"], "--layouts cannot be combined with --suite"),
                           (["--", "true"], "--suite names the program that is run")):
            done = self.run_it(*words, *more, command=None)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
            self.assertIn(said, done.stderr)
