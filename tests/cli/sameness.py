"""lauka revisions: a worktree is its commit, whatever was done to it, and whatever git was told."""
import os
import subprocess

import workers
from repository import InRepository
from run import LAUKA, lauka

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "4d" * 32 + "\nsize 12345\n"


class Sameness(InRepository):
    def setUp(self):
        super().setUp()
        self.environment["GIT_CONFIG_GLOBAL"] = self.path("settings")  # the user's own
        open(self.path("settings"), "w", encoding="utf-8").close()
        self.write("table", "row\n")
        os.symlink("table", os.path.join(self.repository, "src", "link"))
        self.commit("first")
        self.commit("second", "11ms")  # of other files: each has a worktree of its own

    def see(self, *words, sides=("HEAD~1", "HEAD"), more=()):
        """Returns what the command of each side wrote, in any order, and the whole end."""
        done = self.run_it(*sides, "-r1", "-w0", "--order=sequential", "--show-output", *more, command=words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def count(self):
        return len(self.worktrees())

    # ---- what a session, or a person, did to it

    @workers.early("thirty sessions after each other")
    def test_what_a_command_changes_is_made_anew(self):
        for change in ("echo more >>table", "rm table", "chmod 600 table", "rm table; ln -s ../src/effects table",
                       "rm link; ln -s effects link", "cd ..; rm -r src; ln -s /tmp src", "rm ../.git",
                       "touch -r table time; echo rox >table; touch -r time table",
                       "git update-index --assume-unchanged table; echo rox >table",
                       "git update-index --skip-worktree table; rm table"):
            with self.subTest(change):
                self.see("sh", "-c", change)
                done = self.see("sh", "-c", "cat table link; ls -ld table | cut -c 1-10; readlink link")
                self.assertEqual(done.stdout.splitlines()[:8], ["row", "row", "-rw-r--r--", "table"] * 2)
                self.assertEqual(done.stderr.count("made anew"), 2, done.stderr)
                done = self.see("true")
                self.assertNotIn("anew", done.stderr)

    def test_the_file_is_named_unless_quiet(self):
        self.see("sh", "-c", "echo more >>table")
        done = self.see("true")
        self.assertIn("lauka: HEAD~1: src/table was changed in its worktree since it was built; the worktree is made "
                      "anew\n", done.stderr)
        self.see("sh", "-c", "echo more >>table")
        done = self.see("cat", "table", more=["-q"])
        self.assertEqual((done.stderr, done.stdout.splitlines()[:2]), ("", ["row", "row"]))

    def test_a_build_may_change_tracked_files(self):
        build = ["--build", "echo built >>../../builds; echo generated >>table; echo log >untracked"]
        for _ in range(3):
            done = self.see("sh", "-c", "cat table; echo more >>untracked", more=build)
            self.assertEqual(done.stdout.splitlines()[:4], ["row", "generated"] * 2)
            self.assertNotIn("anew", done.stderr)
        with open(os.path.join(os.path.dirname(self.worktrees()[0]), "builds"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "built\n" * 2)

    def test_a_program_that_is_gone_is_built_again(self):
        build = ["--build", "printf '#!/bin/sh\\necho one\\n' >prog; chmod +x prog"]
        for change in ("rm prog", "printf '#!/bin/sh\\necho other\\n' >prog"):
            self.see("sh", "-c", f"./prog; {change}", more=build)
            done = self.see("./prog", more=build)
            self.assertEqual(done.stdout.splitlines()[:2], ["one", "one"])
            self.assertIn("src/prog was changed in its worktree", done.stderr)

    def test_a_workload_that_is_changed_is_put_there_again(self):
        self.write("input", "mine\n")
        words = ["--workload", "input", "--workload", "HEAD:table"]
        self.see("sh", "-c", "rm input; echo other >input; echo more >>table", more=words)  # table is a link, too
        done = self.see("cat", "input", "table", more=words)
        self.assertEqual(done.stdout.splitlines()[:4], ["mine", "row"] * 2)

    def test_a_mark_that_is_not_whole_is_none(self):
        self.see("true")
        for worktree in self.worktrees():
            for size in (0, 1, 30, os.path.getsize(worktree + ".built") - 1):
                os.truncate(worktree + ".built", size)
                self.assertIn("row\nrow\n", self.see("cat", "table").stdout)

    # ---- what git was told

    def test_settings_of_git_make_another_worktree(self):
        self.see("cat", "table")
        for words, expected in ((["core.autocrlf", "true"], "r o w \\r \\n"), (["core.autocrlf", "input"], "r o w \\n"),
                                (["core.autocrlf", "false"], "r o w \\n"), (["--global", "core.eol", "crlf"], "r o w \\n"),
                                (["--global", "core.symlinks", "false"], "t a b l e")):
            self.git("config", *words)
            done = self.see("od", "-An", "-c", "link")
            self.assertEqual([" ".join(line.split()) for line in done.stdout.splitlines()[:2]], [expected] * 2, words)
        self.git("config", "--global", "filter.upper.smudge", "tr a-z A-Z")
        self.see("true")
        before = self.count()
        with open(os.path.join(self.repository, ".git", "info", "attributes"), "w", encoding="utf-8") as file:
            file.write("table filter=upper\n")
        self.assertEqual(self.see("cat", "table").stdout.splitlines()[:2], ["ROW", "ROW"])
        self.assertEqual(self.count(), before + 2)
        self.git("replace", self.git("rev-parse", "HEAD:src/table").strip(),
                 self.git("rev-parse", "HEAD:src/effects").strip())
        self.assertIn("COST=", self.see("cat", "table").stdout)

    def test_the_program_of_a_filter_is_one_of_them(self):
        filtering = self.path("filter")
        self.git("config", "--global", "filter.mine.smudge", filtering + " x")
        with open(os.path.join(self.repository, ".git", "info", "attributes"), "w", encoding="utf-8") as file:
            file.write("table filter=mine\n")
        for _ in range(2):  # the second one takes the worktrees of the first
            done = self.see("cat", "table")
            self.assertIn(f"external filter '{filtering} x' failed", done.stderr)
            self.assertIn("a filter of git's settings does not work: install its program", done.stderr)
            self.assertIn("row\n", done.stdout)
        with open(filtering, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nsed s/row/filtered/\n")
        os.chmod(filtering, 0o755)
        done = self.see("cat", "table")
        self.assertEqual(done.stdout.splitlines()[:2], ["filtered"] * 2)
        self.assertNotIn("filter of git", done.stderr)

    def test_a_filter_that_is_missing_is_named(self):
        for name, value in (("process", "no-such-filter --all"), ("smudge", "no-such-filter %f")):
            self.git("config", "--global", f"filter.mine.{name}", value)
            self.git("config", "--global", "filter.mine.required", "true")
            self.write("../.gitattributes", "table filter=mine\n")
            self.git("-c", "filter.mine.required=false", "-c", "filter.mine.process=", "add", ".gitattributes")
            self.git("-c", "filter.mine.required=false", "-c", "filter.mine.process=", "commit", "-q", "--allow-empty", "-m", "filtered")
            done = self.run_it("HEAD~1", "HEAD", command=("true",))
            self.assertEqual((done.returncode, done.stdout), (6, ""), done.stderr)
            error = done.stderr.splitlines()[-1]
            self.assertRegex(error, "^lauka: HEAD(~1)?: git reset: no-such-filter .*: not found; ")
            self.assertIn("; a filter of git's settings does not work: install its program", error)
            self.assertNotIn("hint", error)
            self.git("config", "--global", "--unset", f"filter.mine.{name}")

    def test_pointers_of_lfs_are_named(self):
        self.write("big", POINTER)
        self.write("other", POINTER)
        self.commit("third")
        for _ in range(2):
            done = self.see("true", more=["--json=j"])
            note = "HEAD: src/big (and 1 more) is a pointer of git-lfs, not the contents: install git-lfs"
            self.assertIn(f"lauka: {note}", done.stderr)
            with open(os.path.join(self.repository, "src", "j"), encoding="utf-8") as file:
                self.assertIn(note, file.read())
        done = self.run_it("HEAD~1", "HEAD", "--build", "grep -L oid big || true; exit 3", command=("true",))
        self.assertEqual(done.returncode, 5)
        self.assertNotIn("pointer", done.stderr)  # the first one fails, and has none
        done = self.run_it("HEAD", "HEAD", "--build", "exit 3", command=("true",))
        self.assertIn("lauka: HEAD: src/big (and 1 more) is a pointer of git-lfs", done.stderr)

    # ---- "."

    def test_flags_hide_nothing_of_the_working_tree(self):
        self.git("update-index", "--assume-unchanged", "src/table", "src/build.sh")
        self.git("update-index", "--skip-worktree", "src/effects", "src/link")
        self.write("table", "changed\n")
        self.write("effects", "changed\n")
        for name in ("build.sh", "link"):
            os.remove(os.path.join(self.repository, "src", name))
        self.write("other", "new\n")
        before = self.state()
        done = self.see("sh", "-c", "cat table effects other; ls", sides=(".", "."))
        self.assertEqual(done.stdout.splitlines()[:6], ["changed", "changed", "new", "effects", "other", "table"])
        self.assertEqual(self.state(), before)

    def test_times_and_rights_that_git_does_not_believe(self):
        path = os.path.join(self.repository, "src", "table")
        for round_ in range(3):  # within the tick of the clock in which the index was written
            self.write("table", f"aaa{round_}\n")
            self.git("add", "-A")
            self.write("table", f"bbb{round_}\n")
            self.assertIn(f"bbb{round_}\n", self.see("cat", "table", sides=(".", ".")).stdout)
        self.git("config", "core.fileMode", "false")
        self.write("new", "#!/bin/sh\necho it runs\n")
        os.chmod(os.path.join(self.repository, "src", "new"), 0o755)
        os.chmod(path, 0o755)
        done = self.see("sh", "-c", "./new; test -x table && echo so does this", sides=(".", "."))
        self.assertEqual(done.stdout.splitlines()[:2], ["it runs", "so does this"])

    def test_a_sparse_checkout_lacks_nothing(self):
        os.mkdir(os.path.join(self.repository, "outside"))
        for name in ("one", "two"):
            with open(os.path.join(self.repository, "outside", name), "w", encoding="utf-8") as file:
                file.write(name + "\n")
        self.commit("third")
        for more in ([], ["--sparse-index"]):
            self.git("sparse-checkout", "set", *more, "src")
            self.assertFalse(os.path.exists(os.path.join(self.repository, "outside", "one")))
            os.makedirs(os.path.join(self.repository, "outside"), exist_ok=True)
            with open(os.path.join(self.repository, "outside", "new"), "w", encoding="utf-8") as file:
                file.write("untracked\n")
            done = self.see("sh", "-c", "ls ../outside; cat ../outside/one", sides=(".", "."))
            self.assertEqual(done.stdout.splitlines()[:4], ["new", "one", "two", "one"])
            done = self.see("cat", "../outside/one", sides=("HEAD", "HEAD"))
            self.assertIn("one\n", done.stdout)
            self.git("sparse-checkout", "disable")
            self.see("cat", "../outside/one", sides=("HEAD", "HEAD"))

    def test_a_repository_without_a_commit(self):
        fresh = self.path("fresh")
        subprocess.run(["git", "init", "-q", fresh], env={**os.environ, **self.environment}, check=True)
        with open(os.path.join(fresh, "file"), "w", encoding="utf-8") as file:
            file.write("text\n")
        done = lauka("revisions", ".", ".", "-r1", "-w0", "-q", "--show-output", "--", "cat", "file", cwd=fresh,
                     env=self.environment)
        self.assertEqual((done.returncode, done.stdout.splitlines()[:2]), (0, ["text", "text"]), done.stderr)

    # ---- names

    def test_empty_names_are_refused(self):
        for words in (["", "HEAD"], ["HEAD", ""], [" ", "HEAD"], ["..HEAD"], ["HEAD.."], [".."], [" ..HEAD"],
                      ["^{commit}", "HEAD"], ["^", "HEAD"], ["~1", "HEAD"], ["^^..HEAD"], ["HEAD", ":/"],
                      ["HEAD", ":/ "], [":x", "HEAD"], ["HEAD", "HEAD", "--workload=:table"]):
            done = self.run_it(*words, command=("true",))
            self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), done.stderr)
            self.assertIn("the name of a revision is empty (is a variable not set?)", done.stderr)
        for name in ("^main", "^HEAD~1"):
            done = self.run_it(name, "HEAD", command=("true",))
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"lauka: {name}: a revision is one commit, and ^ in front leaves commits out: type {name[1:]}",
                          done.stderr)
        done = self.run_it("HEAD~1...HEAD", command=("true",))
        self.assertEqual(done.returncode, 2)
        self.assertIn("HEAD~1...HEAD: expected A..B, from A to B", done.stderr)

    def test_names_that_git_knows(self):
        first, second = self.git("rev-parse", "HEAD~1", "HEAD").split()
        self.commit("with a..b in it")
        third = self.git("rev-parse", "HEAD").strip()
        self.git("tag", "-a", "-m", "tagged", "v1", first)
        self.git("branch", "-q", "other", second)
        self.git("config", "branch.main.remote", ".")
        self.git("config", "branch.main.merge", "refs/heads/other")
        for words, expected in (([":/first", "HEAD"], (first, third)), (["HEAD^{/first}", "@{u}"], (first, second)),
                                (["v1..:/a..b in"], (first, third)), (["v1", "@{1}"], (first, second)),
                                ([":/with a..b", "main@{1}..HEAD"], (third, second, third)),
                                (["HEAD^{/a..b}..@"], (third, third)), (["v1^{}", first[:8]], (first, first))):
            done = self.run_it(*words, "-r1", command=("true",))
            self.assertEqual(done.returncode, 0, done.stderr)
            shown = [line.split("  2026-05-04  ")[0].split()[-1] for line in done.stderr.splitlines()
                     if "  2026-05-04  " in line]
            self.assertEqual(shown, [commit[:10] for commit in expected], done.stderr)

    def test_a_shallow_clone_is_named(self):
        first = self.git("rev-parse", "HEAD~1").strip()
        clone = self.path("clone")
        self.git("clone", "-q", "--depth=1", "file://" + self.repository, clone)
        advice = ("; this clone is shallow, it has a part of the history only: git fetch --unshallow --tags brings all "
                  "of it (for actions/checkout: fetch-depth: 0)\n")
        done = lauka("revisions", "HEAD~1", "HEAD", "--", "true", cwd=clone, env=self.environment)
        self.assertEqual(done.returncode, 2)
        self.assertTrue(done.stderr.endswith(advice), done.stderr)
        subprocess.run(["git", "fetch", "-q", "--depth=1", "origin", first], cwd=clone, check=True,
                       env={**os.environ, **self.environment})
        done = lauka("revisions", "FETCH_HEAD..HEAD", "--first-slower", "--", "true", cwd=clone, env=self.environment)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("the commits between FETCH_HEAD and HEAD are not here; this clone is shallow", done.stderr)

    # ---- git's own words

    def test_all_lines_of_an_error_are_shown(self):
        done = lauka("revisions", "HEAD~1", "HEAD", "--", "true", cwd=self.repository,
                     env={**self.environment, "GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"})
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1))
        self.assertIn("detected dubious ownership in repository at ", done.stderr)
        self.assertIn(f"call: git config --global --add safe.directory {self.repository}\n", done.stderr)
        self.assertNotIn("no checkout", done.stderr)

    # ---- the end of it

    def test_clean_finds_worktrees_of_before_a_move(self):
        self.see("true")
        self.git("worktree", "add", "-q", "--detach", self.path("own"))
        copy = self.path("copy")
        subprocess.run(["cp", "-a", self.repository, copy], check=True)
        subprocess.run([LAUKA, "revisions", "--clean"], cwd=copy, env={**os.environ, **self.environment}, check=True)
        self.assertEqual(self.count(), 2)  # they are those of the original, which is still there
        self.assertNotIn("anew", self.see("true").stderr)
        moved = self.path("moved")
        os.rename(self.repository, moved)
        self.repository = moved
        self.see("true")
        self.assertEqual(self.count(), 4)
        self.assertEqual(self.run_it("--clean", command=None).returncode, 0)
        self.assertEqual(os.listdir(os.path.join(self.path("cache"), "lauka", "revisions")), [])
        self.assertEqual(len(self.git("worktree", "list").splitlines()), 2)
        self.assertTrue(os.path.exists(self.path("own")))


class FirstWorse(InRepository):
    def test_what_decided_is_shown(self):
        commits = []
        for number in range(6):
            self.write("effects", f"cost={'10.8ms' if number > 1 else '10ms'} noise=1% "
                                  f"rss={'9MiB' if number > 3 else '5MiB'}\n")
            self.git("add", "-A")
            self.git("commit", "-q", "--allow-empty", "-m", f"commit {number}")
            commits.append(self.git("rev-parse", "HEAD").strip()[:10])
        for words, expected in ((["--gate=peak_rss=5%,+1MiB"],
                                 rf"first worse: {commits[4]}  commit 4\n  by Ann, 2026-05-04; peak_rss \+\d\d\.\d % "
                                 rf"\[\+\d\d\.\d, \+\d\d\.\d\] against {commits[3]}\n"),
                                (["--gate=peak_rss<=6MiB"],
                                 rf"first worse: {commits[4]}  commit 4\n  by Ann, 2026-05-04; peak_rss \d\.\d+ MiB "),
                                (["--gate=cpu_time.p50=2%"],
                                 rf"first slower: {commits[2]}  commit 2\n  by Ann, 2026-05-04; cpu_time p50 \+\d\.\d+ "),
                                ([], rf"first slower: {commits[2]}  commit 2\n  by Ann, 2026-05-04; wall_time \+\d\.\d ")):
            done = self.run_it("HEAD~5..HEAD", "--first-slower", "--style=none", *words)
            self.assertEqual(done.returncode, 3 if words else 0, done.stderr)
            self.assertRegex(done.stdout, expected)
            self.assertRegex(done.stderr, "lauka: [0-9a-f]{10}: measuring \\(step 1 of about 3\\)\n")
        done = self.run_it("HEAD~3..HEAD~2", "--first-slower", "--style=none", "--gate=peak_rss=5%")
        self.assertIn("HEAD~2 is not known to be worse than HEAD~3", done.stdout)
