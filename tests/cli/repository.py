"""A repository for tests of lauka revisions."""
import os
import re
import shutil
import subprocess
import unittest

from run import InScratch, lauka


@unittest.skipUnless(shutil.which("git"), "git is not installed")
class InRepository(InScratch):
    """A repository whose file `effects` states what the simulated command costs."""

    def setUp(self):
        super().setUp()
        self.environment = {
            "XDG_CACHE_HOME": self.path("cache"), "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "a@x", "GIT_COMMITTER_NAME": "Ann",
            "GIT_COMMITTER_EMAIL": "a@x", "GIT_AUTHOR_DATE": "2026-05-04T12:00:00Z"}
        self.repository = self.path("repository")
        os.makedirs(os.path.join(self.repository, "src"))
        self.git("init", "-q", "-b", "main", ".")

    def git(self, *words):
        done = subprocess.run(["git", *words], cwd=self.repository, env={**os.environ, **self.environment},
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def write(self, name, text):
        with open(os.path.join(self.repository, "src", name), "w", encoding="utf-8") as file:
            file.write(text)

    def commit(self, subject, cost="10ms", build="echo built >> count; cp /bin/true prog"):
        self.write("effects", f"cost={cost} noise=1%\n")
        self.write("build.sh", build + "\n")
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", subject)
        return self.git("rev-parse", "HEAD").strip()

    def run_it(self, *words, command=("p", "@effects"), **keywords):
        pretended = ["--backend=simulated:effects", "--seed=1"] if command and command[-1] == "@effects" else []
        return lauka("revisions", *words, *pretended, *(["--", *command] if command else []),
                     cwd=os.path.join(self.repository, "src"), env=self.environment, **keywords)

    def state(self):
        """Returns everything in the checkout that must not change."""
        with open(os.path.join(self.repository, ".git", "index"), "rb") as file:
            index = file.read()
        files = {}  # .git may gain only worktrees and loose objects
        for folder, folders, names in os.walk(os.path.join(self.repository, ".git")):
            folders[:] = [name for name in folders if name not in ("objects", "worktrees")]
            for name in names:
                if name != "index":  # git status writes it, too
                    with open(os.path.join(folder, name), "rb") as file:
                        files[os.path.join(folder, name)] = file.read()
        return (index, files, self.git("status", "--porcelain"), self.git("rev-parse", "HEAD"), self.git("stash", "list"),
                self.git("branch", "-a"))

    def worktrees(self):
        folder = os.path.join(self.path("cache"), "lauka", "revisions")
        return [os.path.join(folder, repository, name) for repository in os.listdir(folder)
                for name in os.listdir(os.path.join(folder, repository)) if re.fullmatch("[0-9a-f]{24}", name)]
