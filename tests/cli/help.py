"""What lauka says about itself: help, manual page and completions, all from one table."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import run
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
        """Returns the long names that --help shows."""
        names = re.findall(r"^  (?:-\w, |    )--([\w-]+)", lauka("--help").stdout, re.M)
        self.assertGreater(len(names), 60)
        return names

    def read_by(self, program, *arguments, text):
        if not shutil.which(program):
            self.assertIsNone(os.environ.get("CI"), f"CI must have {program}")
            self.skipTest(f"{program} is not installed")
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
                if name == "require-core" or word.startswith("valgrind"):
                    continue  # the machine may lack them
                with self.subTest(name=name, word=word):
                    gate = ["--gate", "wall_time=99%"] if name == "inconclusive" else []
                    simulated = [] if name == "backend" else ["--backend=simulated"]
                    if name == "adapter":
                        continue  # only for programs with benchmarks inside
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

    # Words after a subcommand, and what completion offers for them.
    WORDS = (("help lim", "limits"), ("help exit", "exit-codes"), ("list page_f", "page_faults"),
             ("compare result", "result.json"), ("revisions some-b", "some-branch"), ("--primary cpu_t", "cpu_time"))

    def folder(self):
        """Makes a folder with lauka in the path, a stored result, and a branch."""
        folder = tempfile.mkdtemp(prefix="lauka-help-")
        self.addCleanup(shutil.rmtree, folder)
        os.symlink(run.LAUKA, os.path.join(folder, "lauka"))
        with open(os.path.join(folder, "result.json"), "w"):
            pass
        for words in (["init", "-q", "-b", "some-branch"],
                      ["-c", "user.name=a", "-c", "user.email=a", "commit", "-q", "--allow-empty", "-m", "a"]):
            subprocess.run(["git", *words], cwd=folder, check=True)
        return folder, {"PATH": f"{folder}:/usr/bin:/bin", "HOME": folder, "TERM": "dumb", "LC_ALL": "C.UTF-8"}

    def test_bash_knows_what_a_subcommand_takes(self):
        folder, environment = self.folder()
        script = self.form("bash") + "compopt() { :; }\n"
        for words, _ in self.WORDS:
            words = words.split()
            script += (f"COMP_WORDS=(lauka {' '.join(words)}); COMP_CWORD={len(words)}; _lauka; "
                       'echo "${COMPREPLY[@]}"\n')
        done = subprocess.run(["bash"], input=script, cwd=folder, env=environment, capture_output=True, text=True)
        self.assertEqual(done.stdout.split("\n")[:-1], [offered for _, offered in self.WORDS], done.stderr)

    def test_fish_knows_what_a_subcommand_takes(self):
        if not shutil.which("fish"):
            self.assertIsNone(os.environ.get("CI"))
            self.skipTest("fish is not installed")
        folder, environment = self.folder()
        script = self.form("fish") + "".join(f"complete -C 'lauka {words}'\n" for words, _ in self.WORDS)
        done = subprocess.run(["fish", "--no-config"], input=script, cwd=folder, env=environment, capture_output=True,
                              text=True)
        self.assertEqual([line.split("\t")[0] for line in done.stdout.split("\n")[:-1]],
                         [offered for _, offered in self.WORDS], done.stderr)

    def test_zsh_knows_what_a_subcommand_takes(self):
        if not shutil.which("zsh"):
            self.assertIsNone(os.environ.get("CI"))
            self.skipTest("zsh is not installed")
        folder, environment = self.folder()
        with open(os.path.join(folder, "_lauka"), "w") as file:
            file.write(self.form("zsh"))
        # Passes the arguments that _arguments expects, without a terminal; what compadd gets is what would
        # be offered.
        prelude = ("zmodload zsh/zpty\n"
                   "zpty z zsh -f -i\n"
                   "zpty -w z \"PS1=; fpath=($PWD \\$fpath); autoload -Uz compinit; compinit -u -d $PWD/dump; "
                   "bindkey '^I' complete-word; stty columns 200; print rea''dy\"\n"
                   "zpty -r -m z out '*ready*'\n")
        # Ctrl-U empties the line for the next words.
        script = prelude + "".join(f"zpty -w -n z $'\\x15lauka {words}\\t'\nzpty -r -m z out '*{offered}*' && "
                                   f"print found {offered}\n" for words, offered in self.WORDS)
        done = subprocess.run(["zsh", "-f"], input=script, cwd=folder, env={**environment, "TERM": "xterm"},
                              capture_output=True, text=True, timeout=60)
        self.assertEqual([line for line in done.stdout.split("\n") if line.startswith("found")],
                         [f"found {offered}" for _, offered in self.WORDS], done)

    def test_another_form_is_refused(self):
        done = lauka("--help=troff")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("man, bash, zsh or fish", done.stderr)


class Topics(unittest.TestCase):
    def text(self, *words):
        done = lauka(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
        return done.stdout

    def names(self):
        return re.findall(r"^  ([a-z-]+) ", self.text("help"), re.M)

    def test_every_topic_that_is_listed_is_there(self):
        names = self.names()
        self.assertGreater(len(names), 20)
        for name in names:
            with self.subTest(name):
                self.assertGreater(len(self.text("help", name)), 100)

    def test_groups_together_have_every_option_in_full(self):
        listed = set(re.findall(r"^  (?:-\w, |    )(--[\w-]+)", self.text("--help"), re.M))
        full = "".join(self.text("help", name) for name in self.names() if name != "all")
        self.assertEqual({name for name in listed if f" {name}" not in full}, set())
        self.assertEqual(set(re.findall(r"^  (?:-\w, |    )(--[\w-]+)", self.text("help", "all"), re.M)), listed)

    def test_a_subcommand_has_a_page_with_the_options_that_go_with_it(self):
        page = self.text("compare", "--help")
        self.assertEqual(page, self.text("help", "compare"))
        self.assertIn("usage: lauka compare ", page)
        self.assertIn("--column", page)
        self.assertNotIn("--warmup", page)

    def test_a_command_does_not_change_the_help(self):
        self.assertEqual(self.text("./prog", "--help"), self.text("--help"))

    def test_another_topic_is_refused(self):
        done = lauka("help", "everything")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "lauka: lauka help everything: no such topic; lauka help lists them\n")

    def test_every_subcommand_has_a_manual_page_that_is_installed(self):
        with open(os.path.join(HOUSE, "build", "install.zig")) as file:
            installed = re.search(r"const subcommands = .*?\{(.*?)\}", file.read())[1]
        verbs = set(re.findall(r"^       lauka (\w+) ", self.text("--help"), re.M)) - {"help"}
        self.assertEqual(set(re.findall(r'"(\w+)"', installed)), verbs)
        for verb in sorted(verbs):
            page = lauka(verb, "--help=man").stdout
            self.assertIn(f".TH LAUKA-{verb.upper()} 1", page)
            if shutil.which("groff"):
                done = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=page, capture_output=True, text=True)
                self.assertEqual(done.stderr, "")

    def test_the_list_of_all_options_has_one_sentence_for_each(self):
        lines = self.text("--help").splitlines()
        self.assertLess(len(lines), 260)
        self.assertLess(len(lines), len(self.text("help", "all").splitlines()) * 0.7)


class Help(unittest.TestCase):
    def test_one_option_is_explained(self):
        whole = lauka("help", "--max-time")
        self.assertEqual((whole.returncode, whole.stderr), (0, ""))
        self.assertRegex(whole.stdout, r"(?s)^ +--max-time T +stop after T .*lauka help rounds explains its neighbours\.\n$")
        self.assertEqual(lauka("help", "max-time").stdout, whole.stdout)
        self.assertIn("-r, --runs N", lauka("help", "-r").stdout)
        unknown = lauka("help", "--nonsense")
        self.assertEqual((unknown.returncode, unknown.stderr),
                         (2, "lauka: lauka help --nonsense: no such topic; lauka help lists them\n"))

    def test_a_subcommand_without_a_command_gets_its_own_usage(self):
        for verb in ("why", "noise", "suite"):
            done = lauka(verb)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, rf"^lauka: no command to run: lauka {verb} \[OPTIONS\] .*; see lauka help {verb}\n$")
        self.assertIn("lauka COMMAND [COMMAND...]", lauka().stderr)

    def test_help_and_version_need_nothing(self):
        self.assertRegex(lauka("--version").stdout, r"^lauka \d+\.\d+\.\d+\n")
        for option in ("-h", "--help"):
            done = lauka(option)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("usage: lauka", done.stdout)

    def test_help_fits_eighty_columns(self):
        self.assertLessEqual(max(map(len, lauka("--help").stdout.splitlines())), 80)
