"""What all tests of packages share: the location of the packages, programs without network, and lists of
files."""
import functools
import json
import os
import platform
import shutil
import subprocess
import tempfile
import unittest

import contents

DIST = STAGE = ""
LIBRARIES = []
HOUSE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MACHINE = platform.machine()
HERE = next((system for system in contents.SYSTEMS if system.is_linux and system.rpm == MACHINE), None)


def dist(name):
    return os.path.join(DIST, name)


@functools.lru_cache()
def version():
    """Returns what the program for this machine says about its version."""
    with tempfile.TemporaryDirectory() as folder:
        tarball = next(name for name in os.listdir(DIST) if name.endswith(f"-{HERE.name}.tar.gz"))
        subprocess.run(["tar", "-xzf", dist(tarball), "-C", folder, "--strip-components=1"], check=True)
        told = subprocess.run([f"{folder}/bin/lauka", "--version=json"], stdout=subprocess.PIPE, check=True)
        return json.loads(told.stdout)


@functools.lru_cache()
def offline():
    """Returns the words before a command that must not use the network."""
    can = subprocess.run(["unshare", "-n", "true"], stderr=subprocess.DEVNULL).returncode == 0
    return ["unshare", "-n"] if can else ["env", *(f"{name}=http://127.0.0.1:9" for name in
                                                  ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"))]


def needed(name):
    """The path of a program that only a test needs."""
    path = shutil.which(name)
    if not path and os.environ.get("CI"):
        raise AssertionError(f"{name} is missing: .ci/run installs it")
    if not path:
        raise unittest.SkipTest(f"{name} is not installed")
    return path


def files_of(root, but=()):
    """Returns every file and folder below the root, except the content of some folders."""
    found = set()
    for directory, folders, names in os.walk(root):
        folders[:] = [name for name in folders
                      if os.path.relpath(os.path.join(directory, name), root) not in but and name != "__pycache__"]
        found |= {os.path.relpath(os.path.join(directory, name), root) for name in folders + names}
    return found


class InRoot(unittest.TestCase):
    def setUp(self):
        if HERE is None:
            self.skipTest("there are no packages for this machine")
        self.folder = tempfile.mkdtemp(prefix="lauka-packages.")
        self.addCleanup(shutil.rmtree, self.folder)
        self.version = version()["version"]

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def run_offline(self, *command, code=0, **keywords):
        environment = {**os.environ, "HOME": self.folder, **keywords.pop("env", {})}
        done = subprocess.run([*offline(), *command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              env=environment, timeout=120, **keywords)
        self.assertEqual(done.returncode, code, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def expect_to_compare(self, *program):
        """Expects the program to print its version, and to compare two commands."""
        told = json.loads(self.run_offline(*program, "--version=json"))
        self.assertEqual((told["version"], told["target"]), (self.version, HERE.target))
        text = self.run_offline(*program, "--no-config", "-q", "-r", "3", "-w", "0", "--json", "true", "sh -c :")
        self.assertEqual([len(result["times"]) for result in json.loads(text)["results"]], [3, 3])

    def expect_manual(self, path):
        """Expects the manual page to be shown without warnings."""
        text = subprocess.run(["sh", "-c", '{ gzip -dc "$1" 2>/dev/null || cat "$1"; } | groff -man -Tutf8 -ww', "sh", path],
                              capture_output=True, text=True)
        self.assertEqual(text.stderr, "")
        for words in ("LAUKA(1)", f"lauka {self.version}", "--gate"):
            self.assertIn(words, text.stdout)

    def expect_completion(self, bash, zsh, fish):
        """Expects bash to complete an option, and the other shells to read their completions."""
        script = f'. {bash}; COMP_WORDS=(lauka --gat) COMP_CWORD=1; _lauka; echo "${{COMPREPLY[*]}}"'
        done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True)
        self.assertIn("--gate-file", done.stdout, done.stderr)
        for shell, path in (("zsh", zsh), ("fish", fish)):
            subprocess.run([needed(shell), "-n", path], check=True)
