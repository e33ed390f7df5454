"""lauka ci init: what it writes, and that this works, step by step, with stand-ins for the forge. LAUKA_ALL_TEMPLATES=1
tries all ten repositories."""
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import tarfile
import unittest

import actions
import run
from repository import InRepository
from run import lauka
from workers import once

# The work is a loop of REPEAT steps, or of a multiple where a program's start takes much; a planted 5 % is a larger number.
C = "#include <stdio.h>\nint main(void) { volatile unsigned s = 0; for (unsigned i = 0; i < REPEAT; i++) s = s * 31 + i;\n" \
    "    printf(\"%u\\n\", s % 1); return 0; }\n"
CXX = "#include <iostream>\nint main() { volatile unsigned s = 0; for (unsigned i = 0; i < REPEAT * 40; i++) s = s * 31 + i;\n" \
    "    std::cout << s % 1 << '\\n'; }\n"
RUST = "use std::hint::black_box;\nfn main() { let mut s = 0u32; for i in 0..REPEATu32 { s = black_box(s.wrapping_mul(31).wrapping_add(i)); }\n" \
    "    println!(\"{}\", s % 1); }\n"
GO = "package main\n\nimport (\n\t\"fmt\"\n\t\"runtime/debug\"\n)\n\nvar s uint32\n\nfunc main() {\n\tdebug.SetGCPercent(-1)\n" \
    "\tfor i := uint32(0); i < REPEAT*40; i++ {\n\t\ts = s*31 + i\n\t}\n\tfmt.Println(s % 1)\n}\n"
PYTHON = "s = 0\nfor i in range(REPEAT * 10):\n    s = (s * 31 + i) % 65536\nprint(s % 1)\n"
CMAKE = "cmake_minimum_required(VERSION 3.10)\nproject(p LANGUAGES {1})\nadd_executable(tool {0})\n"
CARGO = "[package]\nname = \"tool\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"
# Name -> its files, and the program that it needs.
TEMPLATES = {
    "c-make": ({"Makefile": "all: tool\n\ntool: tool.c\n\tcc -O1 -o tool tool.c\n", "tool.c": C}, "make"),
    "python": ({"pyproject.toml": "[project]\nname = \"tool\"\nversion = \"1\"\n", "tool.py": PYTHON}, "python3"),
    "c-cmake": ({"CMakeLists.txt": CMAKE.format("tool.c", "C"), "tool.c": C}, "cmake"),
    "cxx-make": ({"Makefile": "tool: tool.cc\n\tc++ -O1 -o tool tool.cc\n", "tool.cc": CXX}, "make"),
    "cxx-cmake": ({"CMakeLists.txt": CMAKE.format("tool.cc", "CXX"), "tool.cc": CXX}, "cmake"),
    "rust": ({"Cargo.toml": CARGO, "src/main.rs": RUST}, "cargo"),
    "rust-bench": ({"Cargo.toml": CARGO, "src/main.rs": RUST, "benches/b.rs": "// criterion_main!(b);\n"}, "cargo"),
    "go": ({"go.mod": "module example.org/tool\n\ngo 1.18\n", "main.go": GO}, "go"),
    "go-bench": ({"go.mod": "module toolbox\n\ngo 1.18\n", "main.go": GO,
                  "main_test.go": "package main\n\nimport \"testing\"\n\nfunc BenchmarkX(b *testing.B) {}\n"}, "go"),
    "python-package": ({"setup.py": "from setuptools import setup\nsetup(name='my-tool')\n", "my_tool/__init__.py": "",
                        "my_tool/__main__.py": PYTHON}, "python3"),
}


class CiInit(InRepository):
    def put(self, name, text):
        path = os.path.join(self.repository, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def text(self, name):
        with open(os.path.join(self.repository, name), encoding="utf-8") as file:
            return file.read()

    def init(self, *words, code=0):
        done = lauka("ci", "init", *words, cwd=self.repository, env=self.environment)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def commit_template(self, name, repeat):
        for file, text in TEMPLATES[name][0].items():
            self.put(file, text.replace("REPEAT", str(repeat)))
        self.put(".gitignore", "target/\nbuild/\n__pycache__/\n")
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", f"{repeat} steps")
        return self.git("rev-parse", "HEAD").strip()

    def as_on_a_runner(self, **variables):
        return {**os.environ, **self.environment, "PATH": f"{self.folder}:{os.environ['PATH']}", "RUNNER_TEMP": self.folder, **variables}

    def step(self, text, name, **variables):
        return subprocess.run(["bash", "-e", "-c", actions.script_in(text, name)], cwd=self.repository, capture_output=True, text=True, timeout=600,
                              env=self.as_on_a_runner(**variables))

    def test_nothing_is_overwritten(self):
        self.put("bench.lauka", "mine\n")
        done = self.init(code=2)
        self.assertIn("bench.lauka is there already, so nothing was written", done.stderr)
        self.assertFalse(os.path.exists(self.path("repository/.github")))
        self.init("--force")
        self.assertIn("[prog]", self.text("bench.lauka"))

    def test_it_prints_what_it_would_write(self):
        printed = self.init("--print").stdout
        self.assertFalse(os.path.exists(self.path("repository/bench.lauka")))
        self.init()
        for name in "bench.lauka", ".github/workflows/benchmark.yml", ".github/workflows/benchmark-comment.yml":
            self.assertIn(f"# ---- {name}\n{self.text(name)}", printed)
        self.init("--gitlab", "--force")
        self.assertIn("# ---- .gitlab/benchmark.yml\n" + self.text(".gitlab/benchmark.yml"), self.init("--gitlab", "--print").stdout)

    def test_other_places_are_refused(self):
        self.assertIn("in the top folder of a git repository", lauka("ci", "init", cwd=self.folder).stderr)
        self.assertEqual(lauka("ci", cwd=self.repository).returncode, 2)
        os.mkdir(self.path("elsewhere"))
        os.symlink(self.path("elsewhere"), self.path("repository/.github"))
        for option in ([], ["--force"]):
            done = self.init(*option, code=2)
            self.assertIn(".github is a link, or no folder, so nothing was written", done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertEqual(os.listdir(self.path("elsewhere")), [])
        self.assertFalse(os.path.exists(self.path("repository/bench.lauka")))

    def test_odd_names_do_not_get_into_files(self):
        self.put("Cargo.toml", "name = \"a b\\\"; rm -rf ~\"\n")
        self.init()
        self.assertIn("./target/release/prog\n", self.text("bench.lauka"))
        os.unlink(self.path("repository/Cargo.toml"))
        os.mkfifo(self.path("repository/Makefile"))
        self.init("--force")
        self.assertIn("./prog\n", self.text("bench.lauka"))

    def test_examples_are_what_it_writes_for_a_makefile(self):
        for file, text in TEMPLATES["c-make"][0].items():
            self.put(file, text)
        for option, names in ("", {"bench.lauka": "bench.lauka", ".github/workflows/benchmark.yml": "github-workflow.yml",
                                   ".github/workflows/benchmark-comment.yml": "github-comment.yml"}), \
                             ("--gitlab", {".gitlab/benchmark.yml": "gitlab-job.yml"}):
            self.init("--force", *([option] if option else []))
            for written, example in names.items():
                path = os.path.join(actions.EXAMPLES, example)
                if os.environ.get("LAUKA_UPDATE_GOLDENS"):
                    shutil.copy(self.path("repository/" + written), path)
                with open(path, encoding="utf-8") as file:
                    self.assertEqual(file.read(), self.text(written), example)
            version = lauka("--version").stdout.split()[1]
            self.assertIn(f"/v{version}/lauka-{version}-x86_64-linux.tar.gz\n", self.text(list(names)[1 if option == "" else 0]))

    def test_benchmarks_of_frameworks_are_named(self):
        for name, word in ("go-bench", "--build 'go test -c -o bench.test ./.' --suite './bench.test'"), ("rust-bench", "--bench b && cp"):
            for file, text in TEMPLATES[name][0].items():
                self.put(file, text)
            self.init("--force")
            self.assertIn(word, self.text("bench.lauka"))
            self.assertIn("--same-output\n", self.text("bench.lauka"))
            for file in TEMPLATES[name][0]:
                os.unlink(self.path("repository/" + file))

    def test_benchmarks_are_what_a_library_has(self):
        for name, program, words in ("go-bench", "main.go", ["--build=go test -c -o bench.test ./.", "--suite=./bench.test"]), \
                ("rust-bench", "src/main.rs", ["--suite=./bench.exe"]), \
                ("python", "tool.py", ["--adapter=pytest", "--suite=python3 -m pytest tests/test_b.py"]):
            files = {**TEMPLATES[name][0], "tests/test_b.py": "def test_x(benchmark):\n    benchmark(len, ())\n"}
            del files[program]
            for file, text in files.items():
                self.put(file, text)
            self.assertIn("found benchmarks in ", self.init("--force").stdout)
            written = self.text("bench.lauka").splitlines()
            for word in words:
                self.assertIn(word, written)
            self.assertNotIn("--same-output", written)  # it is for commands
            for file in files:
                os.unlink(self.path("repository/" + file))

    def test_a_library_without_benchmarks_needs_a_command(self):
        self.put("Cargo.toml", CARGO)
        self.assertIn("found Cargo.toml: cargo build --release; no program, so bench.lauka needs your command", self.init().stdout)
        self.assertIn("name a command", self.text("bench.lauka"))

    def test_the_tool_is_installed_by_version_and_checksum(self):
        name = f"lauka-9.8.7-{platform.machine()}-linux"
        os.makedirs(self.path(f"{name}/bin"))
        self.script(f"{name}/bin/lauka", "#!/bin/sh\necho the release\n")
        self.script("sudo", "#!/bin/sh\n")
        with tarfile.open(self.path("l.tar.gz"), "w:gz") as archive:
            archive.add(self.path(name), name)
        with open(self.path("l.tar.gz"), "rb") as file:
            right = hashlib.sha256(file.read()).hexdigest()
        self.init()
        os.mkdir(self.path("temp"))
        for checksum, code in (right, 0), ("0" * 64, 1):
            done = self.step(self.text(".github/workflows/benchmark.yml"), "Install lauka and valgrind", LAUKA_SHA256=checksum,
                             LAUKA_RELEASE=f"file://{self.path('l.tar.gz')}", RUNNER_TEMP=self.path("temp"), GITHUB_PATH=self.path("paths"))
            self.assertEqual(done.returncode, code, done.stderr)
        with open(self.path("paths")) as file:
            self.assertEqual(file.read(), self.path("temp/lauka/bin") + "\n")

    def try_template(self, name):
        if not shutil.which(TEMPLATES[name][1]) or not shutil.which("valgrind"):
            raise unittest.SkipTest(f"{TEMPLATES[name][1]} or valgrind is not installed")
        os.symlink(run.LAUKA, self.path("lauka"))
        self.script("gh", actions.GH)
        base = self.commit_template(name, 20000)
        self.init()
        workflow, comment = (self.text(f".github/workflows/benchmark{end}.yml") for end in ("", "-comment"))
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "benchmarks")
        exact = "sim_instructions" in self.text("bench.lauka")  # else the limit is on times
        for repeat, code, heading in (20000, 0, "✅"), (21000 if exact else 30000, 3, "❌"):
            if code:  # a pull request that loosens its own limit
                base = self.git("rev-parse", "HEAD").strip()
                self.put("bench.lauka", re.sub(r"(--gate=\S+=)\S+", r"\g<1>90%", self.text("bench.lauka")))
                self.assertIn("=90%", self.text("bench.lauka"))
            head = self.commit_template(name, repeat)
            shutil.rmtree(self.path("repository/lauka-reports"), ignore_errors=True)
            done = self.step(workflow, "Compare with the base", BASE=base, GITHUB_STEP_SUMMARY=self.path("summary"))
            self.assertEqual(done.returncode, code, name + done.stdout + done.stderr)
            self.step(workflow, "Say which pull request it was", NUMBER="7").check_returncode()
            # The artifact, as the second workflow gets it.
            os.rename(self.path("repository/lauka-reports"), self.path("repository/reports"))
            done = self.step(comment, "Comment, or bring the comment up to date", HEAD=head, REPOSITORY="o/r", GH_STORE=self.path("comments"))
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(self.path("comments"), encoding="utf-8") as file:
                said, = json.load(file)
            self.assertIn(heading, said.splitlines()[1])
            with open(self.path("repository/reports/result.json"), encoding="utf-8") as file:
                self.assertIn("sim_instructions" if exact else "cpu_time", file.read())
            shutil.rmtree(self.path("repository/reports"))

    @once("it builds and counts")
    def test_a_planted_change_fails_and_equal_code_passes(self):
        self.try_template("c-make")

    @once("it builds and counts")
    @unittest.skipUnless(os.environ.get("LAUKA_ALL_TEMPLATES"), "LAUKA_ALL_TEMPLATES=1 tries all repositories")
    def test_all_templates(self):
        for name in TEMPLATES:
            print(name, flush=True)
            shutil.rmtree(self.repository)
            for left in "lauka", "gh", "comments":
                if os.path.lexists(self.path(left)):
                    os.unlink(self.path(left))
            os.mkdir(self.repository)
            self.git("init", "-q", "-b", "main", ".")
            self.try_template(name)

    @once("a sanitized lauka has more memory than what is measured")
    def test_the_action_takes_one_command(self):
        os.symlink(run.LAUKA, self.path("lauka"))
        base = self.commit_template("c-make", 20000)
        self.commit_template("c-make", 20000)
        done = subprocess.run([os.path.join(actions.ACTION, "measure.sh")], cwd=self.repository, capture_output=True, text=True, timeout=300,
                              env=self.as_on_a_runner(COMMAND="./tool", MAKE_COMMAND="make", AGAINST=base, GATE="peak_rss=500%",
                                                      COUNTERS="", REPORTS=self.path("reports"), MAX_TIME="1s",
                                                      GITHUB_STEP_SUMMARY=self.path("summary")))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("verdict=pass", done.stdout)


if __name__ == "__main__":
    unittest.main()
