"""Where a result comes from: time, place, commit, job and labels; what the commands execute, and whether
that is the same. run.py runs these tests."""
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

import run
from run import InScratch, lauka

SERVICES = ["GITHUB_ACTIONS", "GITLAB_CI", "CIRCLECI", "BUILDKITE", "TF_BUILD", "BITBUCKET_BUILD_NUMBER",
            "DRONE", "CI", "TRAVIS", "JENKINS_URL", "GITEA_ACTIONS"]
SAME = "are the same bytes with the same arguments"
OF_OTHERS = "a difference comes from the machine, or from a file that lauka does not see."


class Provenance(InScratch):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("repository"))
        self.mark = self.path("mark")
        self.repository = self.path("repository")
        self.alone = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
                      "GIT_CEILING_DIRECTORIES": self.folder, **{name: "" for name in SERVICES}}

    def git(self, *arguments):
        return subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", *arguments], cwd=self.repository,
                              check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              env={**os.environ, **self.alone}).stdout.strip()

    def write(self, name, text, mode=0o644):
        os.makedirs(os.path.dirname(os.path.join(self.repository, name)), exist_ok=True)
        with open(os.path.join(self.repository, name), "w") as file:
            file.write(text)
        os.chmod(os.path.join(self.repository, name), mode)

    def commit(self):
        self.git("init", "-q", "-b", "main")
        self.write("tracked", "1\n")
        self.write("folder/other", "1\n")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "first")
        return self.git("rev-parse", "HEAD")

    def session(self, *arguments, cwd=None, **env):
        done = lauka("-q", "-r1", "-w0", "--json=-", *arguments, "true", cwd=cwd or self.repository,
                     env={**self.alone, **env})
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["run"]["provenance"]

    def state(self, **keywords):
        about = self.session(**keywords)
        return about.get("commit"), about.get("branch"), about.get("dirty")

    def fake_git(self, text):
        """Makes the folder look like a repository, and returns a path with a fake git."""
        os.mkdir(self.path(".git"))
        os.mkdir(self.path("bin"))
        self.script("bin/git", f"#!/bin/sh\n{text}\n")
        return f"{self.path('bin')}:{os.environ['PATH']}"

    def test_time_place_and_version_are_told(self):
        before = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        about = self.session()
        after = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.assertTrue(before <= about["begin"] <= about["end"] <= after, about)
        self.assertEqual(about["directory"], os.path.realpath(self.repository))
        self.assertEqual(f"lauka {about['version']}", lauka("--version").stdout.splitlines()[0])

    # ---- git

    def test_the_commit_is_told_and_whether_tracked_files_differ(self):
        commit = self.commit()
        self.assertEqual(self.state(), (commit, "main", False))
        self.write("untracked", "")
        os.utime(os.path.join(self.repository, "tracked"), (1, 1))
        self.assertEqual(self.state(), (commit, "main", False))
        self.write("tracked", "2\n")
        self.assertEqual(self.state(cwd=os.path.join(self.repository, "folder")), (commit, "main", True))
        self.git("add", ".")
        self.assertEqual(self.state(), (commit, "main", True))
        self.git("reset", "-q", "--hard")
        self.git("checkout", "-q", "--detach")
        self.assertEqual(self.state(), (commit, None, False))

    def test_without_a_repository_a_commit_or_git_nothing_is_said_of_it(self):
        self.assertEqual(self.state(), (None, None, None))
        self.git("init", "-q")
        self.assertEqual(self.state(), (None, None, None))
        done = lauka("-q", "-r1", "-w0", "--json=-", shutil.which("true"), cwd=self.repository,
                     env={**self.alone, "PATH": self.folder})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertNotIn("commit", json.loads(done.stdout)["run"]["provenance"])

    @unittest.skipUnless(os.geteuid() == 0, "only root can give files away")
    def test_a_repository_of_others_is_not_looked_at(self):
        self.commit()
        os.chown(self.repository, 65534, 65534)
        self.assertEqual(self.state(), (None, None, None))

    def test_another_repository_that_the_environment_names_is_not_meant(self):
        commit = self.commit()
        subprocess.run(["git", "init", "-q", self.path("other")], check=True)
        self.assertEqual(self.state(GIT_DIR=self.path("other/.git"))[0], commit)

    def marks(self, name):
        """Makes a program that leaves a mark when it runs."""
        return self.script(name, f"#!/bin/sh\necho {name} \"$@\" >>{self.mark}\nexit 1\n")

    def expect_trap(self):
        """Shows that git, if called carelessly, does execute something."""
        subprocess.run(["git", "status"], cwd=self.repository, capture_output=True, stdin=subprocess.DEVNULL,
                       env={**os.environ, **self.alone}, check=False, timeout=20)
        self.assertTrue(os.path.exists(self.mark))

    def expect_no_mark(self):
        self.assertFalse(os.path.exists(self.mark), os.path.exists(self.mark) and open(self.mark).read())

    def test_a_repository_executes_nothing(self):
        commit = self.commit()
        evil = self.marks("evil")
        for setting in ("core.fsmonitor", "core.sshCommand", "core.pager", "core.askPass", "gpg.program",
                        "diff.external", "filter.x.clean", "filter.x.process", "filter.x.smudge",
                        "diff.x.textconv", "diff.x.command", "alias.status", "alias.rev-parse"):
            self.git("config", setting, f"!{evil}" if setting.startswith("alias") else evil)
        self.git("config", "filter.x.required", "true")
        self.git("config", "core.hooksPath", "hooks")
        for hook in ("post-index-change", "fsmonitor-watchman", "reference-transaction", "post-checkout"):
            self.write(f"hooks/{hook}", f"#!/bin/sh\necho hook >>{self.mark}\n", 0o755)
        self.write(".gitattributes", "* filter=x diff=x\n")
        self.write("tracked", "2\n")
        os.utime(os.path.join(self.repository, "tracked"))
        if os.path.exists(self.mark):  # git may have left it during this preparation
            os.remove(self.mark)
        self.assertEqual(self.state(), (commit, "main", None))
        self.expect_no_mark()
        self.expect_trap()

    def test_a_filter_whose_name_no_argument_can_hold_executes_nothing(self):
        commit = self.commit()
        evil = self.marks("evil")
        with open(os.path.join(self.repository, ".git/config"), "a") as file:
            file.write(f'[filter "a=b"]\nclean = {evil}\n')
        self.write(".git/info/attributes", "* filter=a=b\n")
        self.write("tracked", "2\n")
        self.assertEqual(self.state(), (commit, "main", None))
        self.expect_no_mark()
        self.expect_trap()

    def test_nothing_is_fetched_that_a_repository_lacks(self):
        self.commit()
        evil = self.marks("evil")
        tree = self.git("rev-parse", "HEAD^{tree}")
        for key, value in (("extensions.partialClone", "origin"), ("core.repositoryFormatVersion", "1"),
                           ("remote.origin.url", self.path("else")), ("remote.origin.promisor", "true"),
                           ("remote.origin.uploadpack", evil)):
            self.git("config", key, value)
        os.remove(os.path.join(self.repository, ".git/objects", tree[:2], tree[2:]))
        self.state()
        self.expect_no_mark()
        self.expect_trap()

    def test_a_file_without_a_filter_differs_whatever_filters_there_are(self):
        commit = self.commit()
        self.git("config", "filter.x.clean", "tr a b")
        self.write(".gitattributes", "*.x filter=x\n")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "attributes")
        commit = self.git("rev-parse", "HEAD")
        self.assertEqual(self.state(), (commit, "main", False))
        self.write("folder/other", "2\n")
        self.assertEqual(self.state(cwd=os.path.join(self.repository, "folder")), (commit, "main", True))

    def test_nothing_is_started_where_no_document_tells_it(self):
        path = self.fake_git(f"echo >{self.mark}")
        for arguments in ([], ["--csv=csv"], ["--style=none"]):
            done = lauka("-q", "-r1", "-w0", *arguments, "true", cwd=self.folder, env={**self.alone, "PATH": path})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.expect_no_mark()
        self.session(PATH=path)
        self.assertTrue(os.path.exists(self.mark))

    def test_nothing_is_started_where_there_is_no_repository(self):
        path = self.fake_git(f"echo >{self.mark}")
        os.rmdir(self.path(".git"))
        above = os.path.realpath(self.folder)
        while above != "/":
            above = os.path.dirname(above)
            if os.path.exists(os.path.join(above, ".git")):
                self.skipTest(f"{above} may be a repository")
        self.session(PATH=path)
        self.expect_no_mark()

    def test_git_in_the_working_directory_is_not_executed(self):
        os.mkdir(self.path(".git"))
        self.write("git", f"#!/bin/sh\necho >{self.mark}\n", 0o755)
        self.session(PATH=f".::{os.environ['PATH']}")
        self.expect_no_mark()

    def test_a_git_that_does_not_end_is_ended_with_what_it_started(self):
        path = self.fake_git(f"sleep 60 & echo $! >{self.mark}; exec sleep 60")
        begin = time.monotonic()
        self.assertEqual(self.state(PATH=path), (None, None, None))
        self.assertGreater(time.monotonic() - begin, 1.5)
        pid = int(open(self.mark).read())
        self.assertFalse(os.path.exists(f"/proc/{pid}"))

    def test_an_interrupt_ends_the_question(self):
        path = self.fake_git(f"echo >{self.mark}; exec sleep 60")
        with subprocess.Popen([run.LAUKA, "-q", "--json=j", "true"], cwd=self.folder, stdin=subprocess.DEVNULL,
                              env={**os.environ, **self.alone, "PATH": path}, stderr=subprocess.PIPE) as process:
            while not os.path.exists(self.mark):
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            self.assertIn(b"interrupted", process.communicate(timeout=30)[1])
            self.assertEqual(process.returncode, 128 + signal.SIGINT)

    # ---- the job, labels

    def test_the_job_is_told_by_its_environment(self):
        for env, expected in (
                ({"GITHUB_ACTIONS": "true", "GITHUB_JOB": "bench", "GITHUB_SERVER_URL": "https://github.com",
                  "GITHUB_REPOSITORY": "o/r", "GITHUB_RUN_ID": "7", "GITHUB_RUN_ATTEMPT": ""},
                 ("github", "bench", "https://github.com/o/r/actions/runs/7")),
                ({"GITHUB_ACTIONS": "true", "GITHUB_JOB": "bench", "GITHUB_SERVER_URL": "https://github.com",
                  "GITHUB_REPOSITORY": "o/r", "GITHUB_RUN_ID": "7", "GITHUB_RUN_ATTEMPT": "2"},
                 ("github", "bench", "https://github.com/o/r/actions/runs/7/attempts/2")),
                ({"GITLAB_CI": "true", "CI": "true", "CI_JOB_NAME": "a b", "CI_JOB_URL": "https://gitlab/-/jobs/1"},
                 ("gitlab", "a b", "https://gitlab/-/jobs/1")),
                ({"GITLAB_CI": "true", "CI_JOB_NAME": "x", "CI_JOB_URL": "javascript:alert(1)"},
                 ("gitlab", "x", None)),
                ({"BUILDKITE": "true", "BUILDKITE_LABEL": "", "BUILDKITE_STEP_KEY": "k", "BUILDKITE_JOB_ID": "j",
                  "BUILDKITE_BUILD_URL": "https://b/1"}, ("buildkite", "k", "https://b/1#j")),
                ({"CI": "woodpecker", "CI_STEP_NAME": "s", "CI_STEP_URL": "", "CI_PIPELINE_URL": "http://w/1"},
                 ("woodpecker", "s", "http://w/1")),
                ({"CI": "true"}, (None, None, None))):
            about = self.session(**env)
            self.assertEqual((about.get("ci"), about.get("job"), about.get("url")), expected)

    def test_labels_are_kept(self):
        self.assertEqual(self.session("--label", "machine=ci-3", "--label=a.b_c-1=", "--label=x=y=z")["labels"],
                         {"machine": "ci-3", "a.b_c-1": "", "x": "y=z"})
        for labels, why in ((["machine"], "expected KEY=VALUE"), (["=x"], "expected KEY=VALUE"),
                            (["a b=x"], "expected KEY=VALUE"), ([f"{65 * 'k'}=x"], "expected KEY=VALUE"),
                            (["a=1", "a=1"], "a has a value already")):
            done = lauka(*(f"--label={label}" for label in labels), "true")
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
            self.assertIn(why, done.stderr)

    def test_what_is_made_up_says_the_same_everywhere(self):
        self.assertEqual(self.session("--backend=simulated", "--label=a=b"), {"labels": {"a": "b"}})

    def test_each_benchmark_and_each_order_tells_it(self):
        for arguments in (["--order=sequential"], ["-L", "n", "1,2"]):
            done = lauka("-q", "-r2", "-w0", "--json=-", "--label=a=b", *arguments, "true", "true",
                         cwd=self.folder, env=self.alone)
            self.assertEqual(done.returncode, 0, done.stderr)
            about = json.loads(done.stdout)["run"]["provenance"]
            self.assertEqual(about["labels"], {"a": "b"})
            self.assertIn("end", about)


class Executables(InScratch):
    def setUp(self):
        super().setUp()
        for name in ("a", "b"):
            shutil.copy(shutil.which("true"), self.path(name))
        os.chmod(self.path("b"), 0o755)

    def session(self, *arguments, rounds=5):
        done = lauka("-q", f"-r{rounds}", "-w0", "--json=j", *arguments, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.load(open(self.path("j"))), done.stdout

    def test_what_was_executed_is_told(self):
        result, _ = self.session("./a", shutil.which("sleep") + " 0")
        for entry in result["results"]:
            content = open(os.path.join(self.folder, entry["path"]), "rb").read()
            self.assertEqual(entry["executable"]["bytes"], len(content))
            self.assertEqual(entry["executable"]["sha256"], hashlib.sha256(content).hexdigest())

    def same(self, *arguments):
        result, text = self.session(*arguments)
        flags = [entry.get("same", False) for entry in result["results"]]
        self.assertEqual(SAME in " ".join(text.split()), any(flags), text)
        return flags

    def test_the_same_bytes_are_told(self):
        self.assertEqual(self.same("./a", "./b", "sleep 0"), [False, True, False])
        self.assertEqual(self.same("./a x", "./b x", "./a y"), [False, True, False])
        self.assertEqual(self.same("./a", "./a"), [False, True])
        self.assertEqual(self.same("--order=sequential", "./a", "./b"), [False, True])

    def test_what_else_differs_is_a_difference(self):
        open(self.path("empty"), "w").close()
        for difference in (["--env=B:X=1"], ["--cwd=B:/"], ["--input=null", "--input=empty"],
                           ["--prepare=true", "--prepare=:"], ["--output=null", "--output=pipe"]):
            self.assertEqual(self.same(*difference, self.path("a"), self.path("b")), [False, False], difference)
        self.assertEqual(self.same("--env=X=1", "--cwd=/", "--input=empty", self.path("a"), self.path("b")),
                         [False, True])

    def test_one_file_under_two_names_may_do_two_things(self):
        os.link(self.path("a"), self.path("c"))
        os.mkdir(self.path("folder"))
        os.link(self.path("a"), self.path("folder/a"))
        self.assertEqual(self.same("./a", "./c", "folder/a"), [False, False, True])

    def test_bytes_that_differ_in_one_place_are_not_the_same(self):
        with open(self.path("b"), "ab") as file:
            file.write(b"1")
        with open(self.path("a"), "ab") as file:
            file.write(b"2")
        self.assertEqual(self.same("./a", "./b"), [False, False])

    def test_noise_does_not_say_what_it_is_for(self):
        result, text = self.session("noise", "./a")
        self.assertNotIn("same", result["results"][1])
        self.assertNotIn(SAME, text)

    def test_every_report_says_so_and_a_gate_that_fails_says_it_in_its_line(self):
        for name in ("a", "b"):  # their behaviour depends on something that lauka does not see
            self.script(name, '#!/bin/sh\ncase $0 in *b) sleep 0.05 ;; esac\n')
        done = lauka("-q", "-r12", "-w0", "--gate=wall_time=5%", "--json=j", "--markdown=m", "--html=h",
                     "--pr-comment=p", "--junit=x", "./a", "./b", cwd=self.folder)
        self.assertEqual(done.returncode, 3, done.stderr)
        words = " ".join(done.stdout.split())
        self.assertIn(f"`./a` and `./b` {SAME}: {OF_OTHERS}", words)
        self.assertIn("the same bytes as the reference, with the same arguments", words)
        for name in ("m", "h", "p"):
            text = re.sub(r"&#39;|&#x27;|&apos;", "'", open(self.path(name)).read())
            self.assertIn(f"{SAME}: {OF_OTHERS}", text, name)
        for name in ("m", "h", "p", "x", "j"):
            self.assertIn("the same bytes as the reference", open(self.path(name)).read(), name)
        again = lauka("report", "j", cwd=self.folder)
        self.assertIn(f"{SAME}: {OF_OTHERS}", " ".join(again.stdout.split()))
        self.assertNotIn(SAME, " ".join(lauka("compare", "j", "j", cwd=self.folder).stdout.split()))
