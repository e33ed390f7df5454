"""lauka revisions among people who mean harm: repositories that come from anybody, folders where others may write,
builds that do as they like."""
import os
import shutil
import signal
import subprocess
import time
import unittest

import run
from run import InScratch

AS_ROOT = os.geteuid() == 0
NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}


class Repository(InScratch):
    """Three commits of src/f, which says 1, 2 and 3, in a folder of the user's."""

    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o755)
        self.repository = self.path("repository")
        self.environment = {
            **os.environ, "HOME": self.folder, "XDG_CACHE_HOME": self.path("cache"), "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": self.path("gitconfig"), "GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "a@x",
            "GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "a@x"}
        os.makedirs(os.path.join(self.repository, "src"))
        self.git("init", "-q", "-b", "main", ".")
        for number in (1, 2, 3):
            self.write("src/f", f"{number}\n")
            self.commit(str(number))

    def git(self, *words, cwd=None):
        done = subprocess.run(["git", *words], cwd=cwd or self.repository, env=self.environment, capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def write(self, name, text):
        with open(os.path.join(self.repository, name), "w", encoding="utf-8") as file:
            file.write(text)

    def commit(self, subject):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", subject)

    def revisions(self, *words, command=("true",), cwd="src", code=0, **keywords):
        done = subprocess.run(
            [run.LAUKA, "revisions", *(["-r1", "-w0"] if command else []), *words, *(["--", *command] if command else [])],
            cwd=os.path.join(self.repository, cwd), env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=60, **keywords)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def cached(self):
        """Returns the one folder of the repository in the cache."""
        above = os.path.join(self.environment["XDG_CACHE_HOME"], "lauka", "revisions")
        names = os.listdir(above)
        self.assertEqual(len(names), 1)
        return os.path.join(above, names[0])

    def tells(self, name):
        """Returns a program that passes its input on, and leaves a mark that it ran."""
        if not os.path.exists(self.path(f"run-{name}")):
            self.script(f"run-{name}", f"#!/bin/sh\ntouch {self.path('ran-')}{name}\ncat\n")
        return self.path(f"run-{name}")

    def ran(self):
        return sorted(name for name in os.listdir(self.folder) if name.startswith("ran-"))


@unittest.skipUnless(shutil.which("git"), "git is not installed")
class WhatIsRemoved(Repository):
    def register(self, name, gitdir):
        folder = os.path.join(self.repository, ".git", "worktrees", name)
        os.makedirs(folder)
        for file, text in (("gitdir", gitdir), ("HEAD", "ref: refs/heads/main"), ("commondir", "../..")):
            with open(os.path.join(folder, file), "w", encoding="utf-8") as to:
                to.write(text + "\n")

    def test_nothing_outside_of_the_cache(self):
        self.revisions("-q", "HEAD", "HEAD~1")
        os.makedirs(self.path("precious/deep"))
        with open(self.path("precious/deep/file"), "w", encoding="utf-8") as file:
            file.write("mine\n")
        folder, worktree = self.cached(), next(name for name in os.listdir(self.cached()) if len(name) == 24)
        os.symlink(self.path("precious"), os.path.join(folder, "a" * 24))
        for number, path in enumerate((f"{folder}/../../../../precious", f"{folder}/{'a' * 24}/deep",
                                       f"{folder}/{worktree}/../../../../../precious", self.path("precious"),
                                       f"{folder}/{'a' * 24}", f"{folder}/./../../../../precious")):
            self.register(f"evil{number}", path + "/.git")
        self.revisions("--clean", command=None)
        self.assertTrue(os.path.exists(self.path("precious/deep/file")))
        self.assertFalse(os.path.exists(folder))

    def test_nothing_behind_a_link_in_the_cache(self):
        self.revisions("-q", "HEAD", "HEAD~1")
        folder, mine = self.cached(), self.path("mine")
        os.rename(folder, mine)
        os.chmod(mine, 0o755)
        before = sorted(os.listdir(mine))
        os.symlink(mine, folder)
        for words in (("--clean",), ("HEAD", "HEAD~1")):
            done = self.revisions(*words, command=("true",) if len(words) > 1 else None, code=6)
            self.assertIn(f"{folder} is a link: ", done.stderr)
        self.assertEqual((sorted(os.listdir(mine)), os.stat(mine).st_mode & 0o777), (before, 0o755))
        os.unlink(folder)
        os.mkdir(folder)
        worktree = next(name for name in before if len(name) == 24)
        os.symlink(mine, os.path.join(folder, worktree))
        shutil.copy(os.path.join(mine, worktree + ".built"), folder)
        self.revisions("-q", "HEAD", "HEAD~1")  # it is made anew
        self.revisions("--clean", command=None)
        self.assertEqual(sorted(os.listdir(mine)), before)

    def test_no_other_file_system(self):
        inside = self.path("data")
        os.mkdir(inside)
        with open(os.path.join(inside, "file"), "w", encoding="utf-8") as file:
            file.write("mine\n")
        apart = ["unshare", *(["--user", "--map-root-user"] if not AS_ROOT else []), "--mount"]
        if subprocess.run([*apart, "true"], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("file systems cannot be mounted here")
        self.revisions("-q", "HEAD", "HEAD~1", "--build", "mkdir -p deep/mounted")
        places = [os.path.join(self.cached(), name) for name in os.listdir(self.cached()) if len(name) == 24]
        for place in (os.path.join(places[0], "src", "deep", "mounted"), os.path.join(places[0], "src")):
            done = subprocess.run([*apart, "sh", "-c", 'mount --bind "$1" "$2" || exit 99; "$3" revisions --clean', "sh",
                                   inside, place, run.LAUKA], cwd=self.repository, env=self.environment,
                                  capture_output=True, text=True)
            if done.returncode in (99, 127):
                self.skipTest("file systems cannot be mounted here: " + done.stderr)
            self.assertEqual(done.returncode, 6, done.stderr)
            self.assertRegex(done.stderr, "[Rr]esource busy")  # the words of two C libraries
            self.assertTrue(os.path.exists(os.path.join(inside, "file")))
            if not os.path.exists(place):
                os.makedirs(place)
        self.revisions("--clean", command=None)

    def test_what_a_build_made_hard_to_remove(self):
        """Rights that are missing, and paths that are too long for any system call; nobody else's."""
        if not AS_ROOT:
            self.hard_to_remove(run.LAUKA)
            return
        shutil.copy(run.LAUKA, self.path("lauka"))
        for folder, folders, files in os.walk(self.folder):
            for name in folders + files:
                os.chown(os.path.join(folder, name), 65534, 65534)
        os.chown(self.folder, 65534, 65534)
        self.hard_to_remove(self.path("lauka"), **NOBODY)

    def hard_to_remove(self, lauka, **user):
        build = ("mkdir a a/b; touch a/b/c; chmod 0 a/b; chmod 100 a; ln -s /nowhere l; mkfifo p; "
                 "i=0; while [ $i -lt 40 ]; do mkdir {0} && cd -P {0} || exit 1; i=$((i + 1)); done").format("d" * 200)

        def session(*words):
            done = subprocess.run([lauka, "revisions", "-q", *words], cwd=os.path.join(self.repository, "src"),
                                  env=self.environment, capture_output=True, text=True, timeout=60, **user)
            self.assertEqual(done.returncode, 0, done.stderr)

        for again in range(2):
            session("HEAD", "HEAD~1", "--build", build, "-r1", "-w0", "--", "true")
            for name in os.listdir(self.cached()):
                if name.endswith(".built"):
                    os.unlink(os.path.join(self.cached(), name))  # each is built again
        session("--clean")
        self.assertEqual(os.listdir(os.path.join(self.path("cache"), "lauka", "revisions")), [])


@unittest.skipUnless(shutil.which("git"), "git is not installed")
class WhatOthersWrote(Repository):
    """A cache in a folder where others may write."""

    def setUp(self):
        super().setUp()
        if not AS_ROOT:
            self.skipTest("only root can give files away")
        self.environment["XDG_CACHE_HOME"] = self.path("shared")
        os.mkdir(self.path("shared"))
        os.chmod(self.path("shared"), 0o1777)
        self.script("evil", f"#!/bin/sh\necho >{self.path('ran-evil')}\n")

    def plant(self, top):
        """Builds the worktrees as the user's session would, with another program, in a folder that is given away."""
        self.revisions("-q", "HEAD", "HEAD~1", "--build", "cp /bin/true prog", command=("./prog",))
        for folder, folders, files in os.walk(self.path("shared")):
            for name in folders + files:
                os.chmod(os.path.join(folder, name), 0o777, follow_symlinks=True)
                os.chown(os.path.join(folder, name), 65534, 65534)
                if name == "prog":
                    shutil.copy(self.path("evil"), os.path.join(folder, name))
        for name in top:
            os.chown(name, 0, 0)

    def session(self, code):
        return self.revisions("-q", "HEAD", "HEAD~1", "--build", "cp /bin/true prog", command=("./prog",), code=code)

    def test_a_folder_of_another_user_is_not_used(self):
        lauka = os.path.join(self.path("shared"), "lauka")
        self.plant([])
        self.assertIn("shared/lauka belongs to another user: ", self.session(6).stderr)
        self.assertEqual(self.ran(), [])
        os.chown(lauka, 0, 0)
        os.chmod(lauka, 0o755)
        self.assertIn("shared/lauka/revisions belongs to another user: ", self.session(6).stderr)
        os.chown(os.path.join(lauka, "revisions"), 0, 0)
        os.chmod(os.path.join(lauka, "revisions"), 0o755)
        self.assertIn(f"{self.cached()} belongs to another user: ", self.session(6).stderr)
        os.chown(self.cached(), 0, 0)
        self.assertIn(f"{self.cached()} is writable for other users: ", self.session(6).stderr)
        self.assertEqual(self.ran(), [])

    def test_a_worktree_of_another_user_is_made_anew(self):
        self.plant([])
        for folder in (self.path("shared/lauka"), self.path("shared/lauka/revisions"), self.cached()):
            os.chown(folder, 0, 0)
            os.chmod(folder, 0o700)
        locks = os.path.join(self.cached(), "lock")
        self.assertIn(f"{locks}: ", self.session(6).stderr)
        os.chown(locks, 0, 0)
        for name in os.listdir(self.cached()):
            if len(name) == 24:  # a file of root's is not enough
                os.chown(os.path.join(self.cached(), name + ".built"), 0, 0)
                os.chmod(os.path.join(self.cached(), name + ".built"), 0o600)
        self.assertIn("Operation not permitted", self.session(6).stderr)
        shutil.rmtree(self.cached())
        self.session(0)
        self.assertEqual(self.ran(), [])

    def test_a_link_of_another_user_is_not_followed(self):
        os.mkdir(self.path("mine"))
        os.symlink(self.path("mine"), self.path("shared/lauka"))
        os.chown(self.path("shared/lauka"), 65534, 65534, follow_symlinks=False)
        self.assertIn("shared/lauka belongs to another user: ", self.session(6).stderr)
        os.unlink(self.path("shared/lauka"))
        os.symlink(self.path("mine"), self.path("shared/lauka"))
        self.session(0)
        self.assertTrue(os.path.exists(self.path("mine/revisions")))

    def test_below_a_folder_that_others_may_write_to_nothing_is_used_again(self):
        for mode, group, again in ((0o777, 0, False), (0o775, 65534, False), (0o775, 0, True), (0o1777, 0, True)):
            shutil.rmtree(self.path("shared"))
            os.mkdir(self.path("shared"))
            os.chown(self.path("shared"), 0, group)
            os.chmod(self.path("shared"), mode)
            if os.path.exists(self.path("built")):
                os.unlink(self.path("built"))
            for _ in range(2):
                done = self.revisions("HEAD", "HEAD~1", "--build", f"echo >>{self.path('built')}", "--json=/dev/null")
                self.assertEqual("no worktree is used again" in done.stderr, not again, done.stderr)
            with open(self.path("built"), encoding="utf-8") as file:
                self.assertEqual(len(file.readlines()), 2 if again else 4)


@unittest.skipUnless(shutil.which("git"), "git is not installed")
class WhatARepositoryNames(Repository):
    """Programs in settings of the repository's own."""

    def attributes(self, text, repository=None):
        os.makedirs(os.path.join(repository or self.repository, ".git", "info"), exist_ok=True)
        with open(os.path.join(repository or self.repository, ".git", "info", "attributes"), "w", encoding="utf-8") as file:
            file.write(text)

    def test_nothing_of_it_is_executed(self):
        for name in ("core.fsmonitor", "core.sshCommand", "core.gitProxy", "core.editor", "core.pager", "core.askPass",
                     "core.alternateRefsCommand", "gpg.program", "diff.external", "diff.x.textconv", "diff.x.command",
                     "merge.x.driver", "credential.helper", "sequence.editor", "uploadpack.packObjectsHook",
                     "hook.x.command", "filter.unused.smudge", "submodule.m.update"):
            program = self.tells(name)
            self.git("config", name, "!" + program if name in ("credential.helper", "submodule.m.update") else program)
        for name, value in (("log.showSignature", "true"), ("commit.gpgSign", "true"), ("hook.x.event", "post-checkout"),
                            ("pager.log", "true"), ("alias.rev-parse", "!" + self.tells("alias"))):
            self.git("config", name, value)
        self.attributes("* diff=x merge=x\n")
        hooks = os.path.join(self.repository, ".git", "hooks")
        os.makedirs(hooks, exist_ok=True)
        for name in ("post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc"):
            shutil.copy(self.tells(name), os.path.join(hooks, name))
        self.write("src/f", "changed\n")
        self.write("src/new", "new\n")
        for name in os.listdir(self.folder):
            if name.startswith("ran-"):
                os.unlink(self.path(name))  # what git itself has run until here
        self.revisions("-q", "HEAD", "HEAD~1", ".")
        self.revisions("-q", "--clean", command=None)
        self.assertEqual(self.ran(), [])

    def test_nothing_is_fetched(self):
        blob = self.git("rev-parse", "HEAD~1:src/f")
        os.unlink(os.path.join(self.repository, ".git", "objects", blob[:2], blob[2:]))
        self.git("config", "core.repositoryformatversion", "1")
        self.git("config", "extensions.partialClone", "origin")
        self.git("config", "remote.origin.promisor", "true")
        self.git("config", "protocol.allow", "always")
        for protocol in ("ext", "file", "ssh", "git", "x"):
            self.git("config", f"protocol.{protocol}.allow", "always")
        for key, url in (("remote.origin.uploadpack", self.repository), ("remote.origin.uploadpack", "ssh://host/r"),
                         ("url", f"ext::{self.tells('ext')} x"), ("core.sshCommand", "ssh://host/r"),
                         ("core.sshCommand", "host:r"), ("core.gitProxy", "git://host/r"), ("remote.origin.vcs", "x")):
            if key == "remote.origin.vcs":
                self.git("config", key, f"ext::{self.tells('vcs')} x")
            elif key != "url":
                self.git("config", key, self.tells(key))
            self.git("config", "remote.origin.url", url)
            done = self.revisions("-q", "HEAD", "HEAD~1", code=6)
            self.assertIn("src/f", done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)
            self.assertEqual(self.ran(), [])

    def filter(self, how, name, program):
        smudge, clean = f"{self.tells(program)}; sed s/^/{program}-/", f"{self.tells(program)}-in"
        shutil.copy(self.tells(program), self.tells(program) + "-in")
        for key, value in (("smudge", f"sh -c 'touch {self.path('ran-')}{program}; sed s/^/{program}-/'"), ("clean", clean)):
            self.git(*how, f"filter.{name}.{key}", value)
        return smudge

    def test_its_filters_run_only_if_they_are_allowed(self):
        self.attributes("src/f filter=x\n")
        self.filter(("config",), "x", "own")
        for revision in ("HEAD~1", "."):
            done = self.revisions("-q", "HEAD~2", revision, code=2)
            self.assertEqual(len(done.stderr.splitlines()), 1)
            self.assertIn('src/f needs the filter "x", a program that only the settings of this repository name: '
                          "--allow-filters lets it run", done.stderr)
            self.assertRegex(done.stderr, r"if you trust them \(it is: .*own.*\)\n$")  # what would be run
            self.assertEqual(self.ran(), [])
        done = self.revisions("-q", "HEAD", "HEAD~1", "--allow-filters", "--show-output", command=("cat", "f"))
        self.assertEqual(sorted(done.stdout.splitlines()[:2]), ["own-2", "own-3"])
        self.assertEqual(self.ran(), ["ran-own"])

    def test_nor_do_those_of_files_that_it_includes_or_of_a_worktree(self):
        self.attributes("src/f filter=x\n")
        with open(self.path("included"), "w", encoding="utf-8") as file:
            file.write(f'[filter "x"]\n\tprocess = {self.tells("included")}\n\trequired = true\n')
        self.git("config", "include.path", self.path("included"))
        self.revisions("-q", "HEAD", "HEAD~1", code=2)
        self.git("config", "--unset", "include.path")
        self.git("config", "includeIf.gitdir:**.path", self.path("included"))
        self.revisions("-q", "HEAD", "HEAD~1", code=2)
        self.git("config", "--unset", "includeIf.gitdir:**.path")
        self.git("config", "extensions.worktreeConfig", "true")
        self.filter(("config", "--worktree"), "x", "worktree")
        self.revisions("-q", "HEAD", "HEAD~1", code=2)
        self.assertEqual(self.ran(), [])
        self.attributes("other filter=x\n")  # no file of it needs one
        self.revisions("-q", "HEAD", "HEAD~1", ".")
        self.assertEqual(self.ran(), [])

    def test_nor_do_those_that_attributes_of_the_revision_ask_for(self):
        self.write(".gitattributes", "[attr]macro filter=x\n")
        self.write("src/.gitattributes", "f macro\n")
        self.commit("attributes")
        self.filter(("config",), "x", "own")
        self.assertIn("HEAD: src/f needs the filter", self.revisions("-q", "HEAD~1", "HEAD", code=2).stderr)
        self.revisions("-q", "HEAD~1", "HEAD~2")
        self.assertEqual(self.ran(), [])

    def test_the_users_own_filters_run_whatever_the_repository_says_of_them(self):
        self.attributes("src/f filter=x\n")
        self.filter(("config", "--global"), "x", "users")
        done = self.revisions("-q", "HEAD", "HEAD~1", "--show-output", command=("cat", "f"))
        self.assertEqual(sorted(done.stdout.splitlines()[:2]), ["users-2", "users-3"])
        self.revisions("-q", "--clean", command=None)
        self.filter(("config",), "x", "own")
        done = self.revisions("-q", "HEAD", "HEAD~1", "--show-output", command=("cat", "f"))
        self.assertEqual(sorted(done.stdout.splitlines()[:2]), ["users-2", "users-3"])
        self.assertEqual(self.ran(), ["ran-users"])

    def test_a_filter_of_the_users_gets_nothing_else_of_it(self):
        self.attributes("src/f filter=lfs\n")
        asks = "git config --get-regexp '^(lfs|credential|core.sshcommand)'"
        self.git("config", "--global", "filter.lfs.smudge", f"sh -c \"{asks} >>{self.path('asked')}; cat\"")
        self.git("config", "--global", "credential.helper", "mine")
        for key in ("lfs.customtransfer.x.path", "lfs.standalonetransferagent", "lfs.extension.x.smudge",
                    "credential.helper", "credential.https://x.helper", "core.sshCommand"):
            self.git("config", key, "/evil")
        self.revisions("-q", "HEAD", "HEAD~1")
        with open(self.path("asked"), encoding="utf-8") as file:
            last = dict((line.rstrip("\n").split(" ", 1) + [""])[:2] for line in file)
        self.assertNotIn("/evil", last.values())
        self.assertEqual(last["credential.helper"], "mine")

    def test_the_settings_of_a_submodule_execute_nothing(self):
        module = os.path.join(self.repository, "module")
        self.git("init", "-q", "-b", "main", module)
        with open(os.path.join(module, "g"), "w", encoding="utf-8") as file:
            file.write("1\n")
        self.git("add", "g", cwd=module)
        self.git("commit", "-q", "-m", "of the module", cwd=module)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "module")
        self.git("config", "filter.m.clean", self.tells("module"), cwd=module)
        self.git("config", "core.fsmonitor", self.tells("monitor"), cwd=module)
        self.attributes("* filter=m\n", module)
        with open(os.path.join(module, "g"), "w", encoding="utf-8") as file:
            file.write("2\n")
        os.utime(os.path.join(module, "g"), (1, 1))
        self.write("src/f", "changed\n")
        done = self.revisions("-q", "HEAD", ".", "--show-output", command=("cat", "f"))
        self.assertEqual(sorted(done.stdout.splitlines()[:2]), ["3", "changed"])
        self.assertEqual(self.ran(), [])


@unittest.skipUnless(shutil.which("git"), "git is not installed")
class WhereItRuns(Repository):
    """Links in a revision that lead out of its worktree."""

    def setUp(self):
        super().setUp()
        os.makedirs(self.path("outside/deep"))
        for name in ("outside/data", "outside/deep/data"):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write("mine\n")
        self.script("outside/prog", f"#!/bin/sh\ntouch {self.path('ran-outside')}\n")

    def harmless(self):
        self.assertEqual(sorted(os.listdir(self.path("outside"))), ["data", "deep", "prog"])
        self.assertEqual(os.listdir(self.path("outside/deep")), ["data"])
        self.assertEqual(self.ran(), [])

    def exchange(self, name, target):
        """Makes a revision `evil` where the name is a link, and goes back to main."""
        self.git("checkout", "-q", "-b", "evil")
        path = os.path.join(self.repository, name)
        if os.path.isdir(path):
            shutil.rmtree(path)
        os.symlink(target, path)
        self.commit("a link")
        self.git("checkout", "-q", "main")

    def test_no_build_runs_outside(self):
        self.exchange("src", self.path("outside"))
        done = self.revisions("-q", "main", "evil", "--build", "rm -f data; touch built", code=2)
        self.assertIn("evil: its folder src is not in its worktree: a link leads out of it", done.stderr)
        self.harmless()

    def test_nor_behind_a_link_in_the_middle_of_the_path(self):
        os.makedirs(os.path.join(self.repository, "a", "deep"))
        self.write("a/deep/f", "1\n")
        self.commit("deep")
        self.exchange("a", "../" * 20 + self.path("outside"))
        self.revisions("-q", "main", "evil", "--build", "rm -f data; touch built", cwd="a/deep", code=2)
        self.revisions("-q", "main", "evil", "--directory=../src", command=("touch", "x"), cwd="a/deep", code=2)
        self.revisions("-q", "main", "evil", "--directory=a/deep", command=("touch", "x"), cwd=".", code=2)
        self.harmless()

    def test_nor_a_program_or_a_link_of_layouts(self):
        os.makedirs(os.path.join(self.repository, "bin"))
        self.script("repository/bin/prog", "#!/bin/sh\n")
        self.commit("a program")
        self.exchange("bin", self.path("outside"))
        self.assertIn("evil: its folder bin", self.revisions("-q", "main", "evil", command=("bin/prog",), cwd=".",
                                                             code=2).stderr)
        self.revisions("-q", "main", "evil", "--layouts=2", "--link", "cp /bin/true {out}",
                       command=("bin/a-{layout}",), cwd=".", code=2)
        self.harmless()

    def test_nor_a_step_of_a_search(self):
        os.makedirs(os.path.join(self.repository, "bin"))
        self.script("repository/bin/prog", "#!/bin/sh\n")
        self.commit("a program")
        shutil.rmtree(os.path.join(self.repository, "bin"))
        os.symlink(self.path("outside"), os.path.join(self.repository, "bin"))
        self.commit("a link")
        os.unlink(os.path.join(self.repository, "bin"))
        os.makedirs(os.path.join(self.repository, "bin"))
        self.script("repository/bin/prog", "#!/bin/sh\nsleep 0.02\n")
        self.commit("slower")
        done = self.revisions("HEAD~2..HEAD", "--first-slower", "-q", "-r8", "--max-time=1s", command=("bin/prog",),
                              cwd=".", code=2)
        self.assertIn("its folder bin is not in its worktree", done.stderr)
        self.harmless()

    def test_a_search_from_another_folder(self):
        self.write("cost", "")
        done = self.revisions("HEAD~2..HEAD", "--first-slower", "-q", "--cwd=/", "--backend=simulated:effects", "--seed=1",
                              command=("p",))
        self.assertIn("is not known to be slower", done.stdout)

    def test_nor_what_a_build_made_a_link(self):
        self.revisions("-q", "main", "HEAD~1", "--build", f"ln -s {self.path('outside')} out", command=("out/prog",), code=2)
        self.revisions("-q", "main", "HEAD~1", "--build", f"ln -s {self.path('outside')} out; mkdir ../src2; "
                       f"rmdir ../src2; cd ..; mv src x; ln -s {self.path('outside')} src", command=("touch", "x"), code=2)
        self.harmless()

    def test_a_workload_of_a_revision_lies_in_that(self):
        self.exchange("data", self.path("outside"))
        for name in ("evil:data/data", "evil:data"):
            done = self.revisions("-q", "main", "HEAD~1", "--workload", name, command=("cat", "data"), cwd=".", code=2)
            self.assertIn("a link leads out of it", done.stderr)

    def test_links_within_a_worktree_are_followed(self):
        os.makedirs(os.path.join(self.repository, "a"))
        self.write("a/f", "within\n")
        self.commit("a")
        self.exchange("src", "a")
        done = self.revisions("-q", "main", "evil", "--show-output", "--build", "touch built", command=("cat", "f"))
        self.assertEqual(sorted(done.stdout.splitlines()[:2]), ["3", "within"])


def ids(*paths):
    found = []
    for path in paths:
        if os.path.exists(path):
            with open(path, encoding="ascii") as file:
                found += [int(word) for word in file.read().split()]
    return found


def lives(process):
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@unittest.skipUnless(shutil.which("git"), "git is not installed")
@unittest.skipUnless(os.path.exists("/proc/self/stat"), "processes are looked for in /proc")
class WhatEndsWithLauka(Repository):
    """Builds, when lauka is killed."""

    BUILD = ("echo $$ >>{0}; sleep 600 & echo $! >>{0}; setsid sh -c 'echo $$ >>{0}; (sleep 600 & echo $! >>{0}); "
             "exec sleep 600' & trap '' TERM HUP INT; while [ $(wc -l <{0}) -lt 4 ]; do sleep 0.01; done; "
             "touch {1}; sleep 600")

    def killed(self, *words, number=signal.SIGKILL, count=4):
        """Kills a session once its build has begun, and waits for the end of what that has started."""
        began, started = self.path("began"), self.path("started")
        with subprocess.Popen([run.LAUKA, *words], cwd=os.path.join(self.repository, "src"), env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while not os.path.exists(began):
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            process.send_signal(number)
        self.assertEqual(len(ids(started)), count)
        self.addCleanup(self.end, ids(started))
        until = time.monotonic() + 30
        while any(map(lives, ids(started))) and time.monotonic() < until:
            time.sleep(0.01)
        self.assertEqual([process for process in ids(started) if lives(process)], [])
        os.unlink(began)
        os.unlink(started)

    def end(self, processes):
        for process in processes:
            if lives(process):
                os.kill(process, signal.SIGKILL)

    def test_a_build_and_all_that_it_started(self):
        build = self.BUILD.format(self.path("started"), self.path("began"))
        self.killed("revisions", "HEAD", "HEAD~1", "--build", build, "--", "true")
        self.killed("revisions", "HEAD", "HEAD~1", "--build", build, "--", "true", number=signal.SIGINT)
        self.revisions("-q", "HEAD", "HEAD~1")

    def test_a_link_of_layouts_too(self):
        link = self.BUILD.format(self.path("started"), self.path("began"))
        self.killed("--layouts=2", f"--link=[ {{layout}} = 1 ] || exec sleep 600; {link} # {{out}}", "./a-{layout}")

    def test_a_server_of_an_earlier_build_holds_no_lock(self):
        """It lives on, whether lauka was killed meanwhile or not."""
        server, began = self.path("server"), self.path("began")
        build = (f"setsid sh -c 'echo $$ >{server}.new; mv {server}.new {server}.'$$'; exec sleep 600' & "
                 f"while [ ! -e {server}.$$ ]; do sleep 0.01; done")
        self.revisions("-q", "HEAD", "HEAD~1", "--build", build)
        servers = ids(*(self.path(name) for name in os.listdir(self.folder) if name.startswith("server.")))
        self.addCleanup(self.end, servers)
        self.assertEqual(list(map(lives, servers)), [True] * 2)
        with subprocess.Popen([run.LAUKA, "revisions", "HEAD", "HEAD~1", "--build", f"touch {began}; sleep 600", "--",
                               "true"], cwd=os.path.join(self.repository, "src"), env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while not os.path.exists(began):
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            process.kill()
        self.revisions("-q", "HEAD", "HEAD~1")
        self.assertEqual(list(map(lives, servers)), [True] * 2)


class LinkTexts(InScratch):
    def session(self, link, *commands, code=0):
        done = run.lauka("--no-config", "-q", "-r2", "-w0", "--layouts=2", f"--link={link}", *commands, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)

    def test_the_path_is_one_word_in_any_quotes(self):
        for name in ("my dir", "it's", "a\"b", "a`touch pwned`", "a$(touch pwned)", "a\\b", "a;touch pwned", "$HOME", "#x"):
            os.makedirs(self.path(name))
            self.script(f"{name}/w x", "#!/bin/sh\n")
            word = "'./" + name.replace("'", "'\\''") + "/%s-{layout}'"
            for number, out in enumerate(("{out}", "'{out}'", '"{out}"', "''{out}\"\"", "# it's\n{out}")):
                link = f"d=1; cp */'w x' {out}" if number < 4 else f"d=1 # it's\ncp */'w x' {{out}}"
                self.session(link, word % f"p{number}")
                self.assertTrue(os.path.exists(self.path(f"{name}/p{number}-1")))
            shutil.rmtree(self.path(name))
        self.assertFalse(os.path.exists(self.path("pwned")))

    def test_an_input_whose_name_has_a_blank_is_noticed(self):
        for text in ("'in put'", '"in put"', "in\\ put"):
            for content in ("one", "two"):
                self.script("in put", f"#!/bin/sh\n# {content}\n")
                self.session(f"cp {text} {{out}}", "./a-{layout}")
                with open(self.path("a-1"), encoding="utf-8") as file:
                    self.assertIn(content, file.read())

    @unittest.skipUnless(AS_ROOT, "only root can give files away")
    def test_a_program_of_another_user_is_built_anew(self):
        self.script("w", "#!/bin/sh\n")
        link = "cp w {out}; mkdir built.{layout}.$$"

        def built():
            self.session(link, "./a-{layout}")
            names = [name for name in os.listdir(self.folder) if name.startswith("built.")]
            for name in names:
                os.rmdir(self.path(name))
            return sorted(name[6] for name in names)

        self.assertEqual(built(), ["1", "2"])
        for mine in ("a-1", "a-1.lauka-link"):
            self.assertEqual(built(), [])
            os.chmod(self.path(mine), 0o777)
            self.assertEqual(built(), ["1"])
            os.chown(self.path(mine), 65534, 65534)
            self.assertEqual(built(), ["1"])
            self.assertEqual((os.stat(self.path(mine)).st_uid, os.stat(self.path(mine)).st_mode & 0o022), (0, 0))
        os.chmod(self.folder, 0o777)
        self.assertEqual(built(), ["1", "2"])
