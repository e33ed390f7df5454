"""What lauka says of itself: the help, the manual page and the completions, all of one table."""
import json
import os
import re
import shutil
import subprocess
import unittest

from run import lauka


HOUSE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Version(unittest.TestCase):
    def test_the_version_is_written_in_one_place(self):
        with open(os.path.join(HOUSE, "build.zig.zon")) as file:
            version = re.search(r'\.version = "([^"]+)"', file.read())[1]
        self.assertEqual(json.loads(lauka("--version=json").stdout)["version"], version)
        self.assertIn(f'"lauka {version}"', lauka("--help=man").stdout)

    def test_it_tells_commit_target_and_libraries(self):
        about = json.loads(lauka("--version=json").stdout)
        self.assertRegex(about["commit"], r"^([0-9a-f]{12}(-dirty)?|unknown)$")
        self.assertRegex(about["target"], r"^(x86_64|aarch64)-(linux-(gnu|musl)|macos)$|^clang$")
        libraries = about["libraries"]
        self.assertEqual(list(libraries)[:3], ["libcsv", "cJSON", "zlib"])
        self.assertIn(list(libraries)[3], ("glibc", "musl", "libSystem"))
        for name in list(libraries)[:3]:
            self.assertRegex(libraries[name], r"^\d+(\.\d+)+$")

    def test_the_text_says_the_same_in_four_lines(self):
        about = json.loads(lauka("--version=json").stdout)
        libraries = ", ".join(f"{name} {version or ''}".strip() for name, version in about["libraries"].items())
        for option in ("--version", "-V"):
            self.assertEqual(lauka(option).stdout, f"lauka {about['version']}\ncommit {about['commit']}\n"
                             f"target {about['target']}\nlibraries {libraries}\n")

    def test_another_form_is_refused(self):
        done = lauka("--version=xml")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "lauka: --version=xml: expected --version or --version=json\n")


class HelpForms(unittest.TestCase):
    def form(self, name):
        done = lauka(f"--help={name}")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def options(self):
        """The long names that --help shows."""
        names = re.findall(r"^  (?:-\w, |    )--([\w-]+)", lauka("--help").stdout, re.M)
        self.assertGreater(len(names), 60)
        return names

    def read_by(self, program, *arguments, text):
        if not shutil.which(program):
            self.assertIsNone(os.environ.get("CI"), f"{program} is needed here")
            self.skipTest(f"there is no {program}")
        done = subprocess.run([program, *arguments], input=text, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_the_short_help_is_one_screen_with_four_examples(self):
        lines = lauka("-h").stdout.splitlines()
        self.assertLess(len(lines), 24)
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertEqual(len([line for line in lines if line.startswith("  lauka ")]), 4)
        self.assertIn("--help", lines[-1])

    def test_every_option_is_in_every_form(self):
        names = self.options()
        man = self.form("man").replace(r"\-", "-")
        for text, mark in ((man, r"\fB--{}\fR"), (self.form("bash"), "--{} "),
                           (self.form("zsh"), "--{}"), (self.form("fish"), " -l {} ")):
            self.assertEqual([n for n in names if mark.format(n) not in text], [])

    def test_every_verb_is_in_every_form(self):
        verbs = set(re.findall(r"^       lauka (\w+) ", lauka("--help").stdout, re.M))
        self.assertGreaterEqual(len(verbs), 6)
        for form in ("man", "bash", "zsh", "fish"):
            text = self.form(form)
            self.assertEqual([v for v in verbs if not re.search(rf"\b{v}\b", text)], [])

    def test_groff_reads_the_manual_page(self):
        page = self.read_by("groff", "-man", "-Tutf8", "-ww", "-k", text=self.form("man"))
        self.assertIn("EXIT STATUS", re.sub("(.)\b.|\033\\[[0-9;]*m", r"\1", page))

    def test_shells_read_their_completions(self):
        for shell in ("bash", "zsh", "fish"):
            with self.subTest(shell):
                self.read_by(shell, "-n", text=self.form(shell))

    def test_bash_completes(self):
        script = self.form("bash") + ('compopt() { :; }; COMP_WORDS=(lauka --parameter-l); COMP_CWORD=1; '
                                      '_lauka; echo "${COMPREPLY[@]}"; COMP_WORDS=(lauka noi); _lauka; '
                                      'echo "${COMPREPLY[@]}"')
        self.assertEqual(self.read_by("bash", text=script).split(), ["--parameter-list", "noise"])

    def test_the_values_that_completions_offer_are_accepted(self):
        offered = re.findall(r"^complete -c lauka(?: -s \w)? -l ([\w-]+).* -a '([^']+)'", self.form("fish"), re.M)
        self.assertGreater(len(offered), 12)
        for name, words in offered:
            for word in words.split():
                if (name, word) in (("counters", "valgrind"), ("require-core", "P"), ("require-core", "E")):
                    continue  # the machine has to have them
                with self.subTest(name=name, word=word):
                    gate = ["--gate", "wall_time=99%"] if name == "inconclusive" else []
                    simulated = [] if name == "backend" else ["--backend=simulated"]
                    if name == "adapter":
                        continue  # goes with programs that have benchmarks inside
                    done = lauka(*simulated, "-r2", *gate, f"--{name}={word}", "true", "true")
                    self.assertIn(done.returncode, (0, 4), done.stderr)

    def test_bash_completes_values(self):
        script = self.form("bash") + "compopt() { :; }\n"
        asked = [(["--order", ""], "shuffle abba rotate sequential"), (["--order", "=", "a"], "abba"),
                 (["--order", "="], "shuffle abba rotate sequential"), (["--style", "no"], "nocolor none"),
                 (["--inconclusive", "f"], "fail"), (["--help", "="], "man bash zsh fish"),
                 (["--help", "=", "z"], "zsh"), (["--runs", ""], ""), (["--json", "=", "/et"], "/etc")]
        for words, _ in asked:
            line = " ".join(f"'{word}'" for word in ["lauka", *words])
            script += (f'COMP_WORDS=({line}); COMP_CWORD={len(words)}; _lauka; echo "${{COMPREPLY[@]}}"\n')
        self.assertEqual(self.read_by("bash", text=script).split("\n")[:-1], [said for _, said in asked])

    def test_fish_completes_values(self):
        script = self.form("fish") + "complete -C 'lauka --order '\necho\ncomplete -C 'lauka --help='\n"
        orders, forms = self.read_by("fish", "--no-config", text=script).split("\n\n")
        self.assertEqual(sorted(line.split("\t")[0] for line in orders.split("\n")),
                         ["abba", "rotate", "sequential", "shuffle"])
        self.assertEqual([line.split("\t")[0] for line in forms.split("\n") if "=" in line],
                         ["--help=bash", "--help=fish", "--help=man", "--help=zsh"])

    def test_another_form_is_refused(self):
        done = lauka("--help=troff")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("man, bash, zsh or fish", done.stderr)


