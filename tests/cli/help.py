"""What lauka says of itself: the help, the manual page and the completions, all of one table."""
import os
import re
import shutil
import subprocess
import unittest

from run import lauka


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

    def test_another_form_is_refused(self):
        done = lauka("--help=troff")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("man, bash, zsh or fish", done.stderr)


