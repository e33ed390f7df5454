"""Runs the release workflow without its forge: each step that runs a command is executed, in order, in a
clone of a tagged commit.

Stand-ins record how they are called: apt-get, .ci/run (it would start these tests again), the compiling
part of ./zigw, codesign and gh. Folders replace the artifacts that jobs pass on."""
import os
import re
import shlex
import shutil
import subprocess
import unittest

import place
from place import HERE, InRoot, files_of

WORKFLOW = ".github/workflows/release.yml"
REPOSITORY = "someone/lauka"
RECORD = '#!/bin/sh\nprintf "%s\\n" "{}$*" >>"$CALLS"\n'
# The last step of `zigw build dist`, with programs that are compiled already.
ZIGW = """#!/bin/sh
printf '%s\\n' "zigw $*" >>"$CALLS"
case "$1 $2 $3" in "build dist -Ddist-address="*) ;; *) exit 64 ;; esac
exec python3 -B packaging/dist.py {stage} zig-out/dist --address "${{3#-Ddist-address=}}" {libraries}
"""


class Workflow(InRoot):
    def setUp(self):
        super().setUp()
        try:
            import yaml
        except ImportError:
            if os.environ.get("CI"):
                raise
            self.skipTest("PyYAML is not installed")
        with open(os.path.join(place.HOUSE, WORKFLOW), encoding="utf-8") as file:
            self.jobs = yaml.safe_load(file)["jobs"]
        os.mkdir(self.path("tools"))
        os.mkdir(self.path("artifacts"))
        for name in ("apt-get", "codesign", "gh"):
            self.script(f"tools/{name}", RECORD.format(f"{name} "))
        self.script("tools/shasum", '#!/bin/sh\n[ "$1 $2" = "-a 256" ] && shift 2 && exec sha256sum "$@"\n')
        self.check_out()

    def script(self, path, text):
        with open(self.path(path), "w") as file:
            file.write(text)
        os.chmod(self.path(path), 0o755)

    def check_out(self):
        """Makes a clone with stand-ins, whose commit could be released."""
        shutil.copytree(place.HOUSE, self.path("clone"), symlinks=True,
                        ignore=shutil.ignore_patterns(".git", ".zig-cache", "zig-out", "__pycache__"))
        self.script("clone/.ci/run", RECORD.format("LAUKA_TWICE=${LAUKA_TWICE-everything but} "))
        libraries = " ".join(shlex.quote(f"--library={library}") for library in place.LIBRARIES)
        self.script("clone/zigw", ZIGW.format(stage=shlex.quote(place.STAGE), libraries=libraries))
        with open(self.path("clone/CHANGELOG.md"), "r+", encoding="utf-8") as file:
            text = file.read()
            file.seek(0)
            file.write(text.replace("(unreleased)", "(2026-12-31)", 1))
            file.truncate()
        for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"], ["tag", f"v{self.version}"]):
            subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@invalid", *words], cwd=self.path("clone"), check=True)

    def known(self, expression, matrix):
        return {"github.ref_name": self.tag, "github.server_url": "https://forge.invalid", "github.repository": REPOSITORY,
                "github.token": "secret", "matrix.system": matrix}[expression]

    def environment(self, *levels, matrix):
        given = {name: re.sub(r"\$\{\{ (\S+) \}\}", lambda found: self.known(found[1], matrix), text)
                 for level in levels for name, text in level.get("env", {}).items()}
        return {**os.environ, **given, "PATH": f"{self.path('tools')}:{os.environ['PATH']}", "CALLS": self.path("calls"),
                "HOME": self.folder}

    def carry_out(self, job, folder, matrix=""):
        """Runs the steps of a job until one fails; returns the exit code and the output."""
        for step in self.jobs[job]["steps"]:
            if "run" in step:
                self.assertNotIn("${{", step["run"])  # text that others choose must never become part of a script
                done = subprocess.run([*place.offline(), "bash", "-e", "-o", "pipefail", "-c", step["run"]], cwd=self.path(folder), env=self.environment(
                    self.jobs[job], step, matrix=matrix), stdin=subprocess.DEVNULL, capture_output=True, text=True)
                if done.returncode:
                    return done.returncode, done.stdout + done.stderr
                continue
            action, where = step["uses"].split("@")[0], step.get("with", {})
            if action == "actions/upload-artifact":
                shutil.copytree(self.path(folder, where["path"]), self.path("artifacts", where["name"]))
            elif action == "actions/download-artifact":
                shutil.copytree(self.path("artifacts", where["name"]), self.path(folder, where["path"]))
            else:
                self.assertEqual(action, "actions/checkout")
        return 0, ""

    def calls(self):
        with open(self.path("calls")) as file:
            return file.read().splitlines()

    def test_a_tag_becomes_a_draft_with_every_package(self):
        self.tag = f"v{self.version}"
        self.assertEqual(self.carry_out("packages", "clone"), (0, ""))
        address = f"https://forge.invalid/{REPOSITORY}/releases/download/v"
        self.assertEqual([line for line in self.calls() if not line.startswith("apt-get ")],
                         ["LAUKA_TWICE= ", f"zigw build dist -Ddist-address={address}{{version}}"])
        with open(self.path("artifacts/dist/lauka.rb"), encoding="utf-8") as file:
            formula = file.read()
        self.assertEqual(set(re.findall('url "(.*)/', formula)), {address + self.version})
        os.mkdir(self.path("mac"))
        self.assertEqual(self.carry_out("mac", "mac", HERE.name), (0, ""))
        os.mkdir(self.path("draft"))
        self.assertEqual(self.carry_out("draft", "draft"), (0, ""))
        words = self.calls()[-1].split()
        self.assertEqual(words[:6], ["gh", "release", "create", self.tag, "--repo", REPOSITORY])
        self.assertIn("--draft", words)
        published = {word for word in words if word.startswith("dist/")}
        self.assertEqual(published, {f"dist/{name}" for name in files_of(place.DIST)})

    def test_on_a_mac_the_signature_is_asked_for_the_arm64_program_alone(self):
        self.tag = ""
        shutil.copytree(place.DIST, self.path("artifacts/dist"))
        self.script("tools/codesign", RECORD.format("codesign ") + "exit 1\n")
        for system, code in (("arm64-macos", 1), (HERE.name, 0)):
            os.mkdir(self.path(system))
            self.assertEqual(self.carry_out("mac", system, system)[0], code)
        self.assertEqual(self.calls(), ["codesign --verify --verbose unpacked/bin/lauka"])

    def test_another_tag_makes_nothing(self):
        self.tag = "v0.0.1"
        code, told = self.carry_out("packages", "clone")
        self.assertEqual(code, 1)
        self.assertIn(f"the tag must be v{self.version}", told)
        self.assertFalse([line for line in self.calls() if not line.startswith("apt-get ")])

    def test_a_check_that_fails_makes_nothing(self):
        self.tag = f"v{self.version}"
        self.script("clone/.ci/run", "#!/bin/sh\nexit 1\n")
        subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@invalid", "commit", "-qam", "red"], cwd=self.path("clone"), check=True)
        self.assertEqual(self.carry_out("packages", "clone"), (1, ""))
        self.assertEqual(os.listdir(self.path("artifacts")), [])
