"""Hooks around the commands, and the commands that parameters make."""
import csv
import io
import json
import os
import signal
import subprocess

from interruption import Interrupting
from run import InScratch, lauka, result_of


class Logged(InScratch):
    """Commands and hooks append a word to a log, and the tests check the log."""

    def word(self, text):
        return f"echo {text} >>{self.path('log')}"

    def ran(self, *arguments, code=0):
        done = lauka("-q", *arguments, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        if not os.path.exists(self.path("log")):
            return []
        with open(self.path("log")) as file:
            return file.read().split("\n")[:-1]


class Hooks(Logged):
    def around(self, **texts):
        """Options with hooks that write their own names."""
        return [f"--{hook}={self.word(text)}" for hook, text in texts.items()]

    def test_hooks_leave_nothing_open_in_the_launcher(self):
        counts = self.script("counts", "#!/bin/sh\nls /proc/$PPID/fd | wc -l >>open\n")
        done = lauka("-w0", "-r8", "-p", "true", counts, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("open")) as file:
            self.assertEqual(len(set(file.read().split())), 1)

    def test_which_of_two_of_one_name_failed_is_said(self):
        for hook in ("-p", "-s"):
            done = lauka("-w0", "-r1", hook, "true", hook, "false", "true", "true")
            self.assertIn("lauka: true (2): its ", done.stderr)
        done = lauka("-w0", "-r1", "false", "true")
        self.assertIn("lauka: false: failed", done.stderr)

    def test_all_setups_come_first_and_all_cleanups_last(self):
        log = self.ran("-w1", "-r2", "-S", *self.around(setup="s{v}", prepare="p{v}", conclude="c{v}",
                                                       cleanup="e{v}"),
                       "-L", "v", "1,2", self.word("run{v}"))
        self.assertEqual((log[:2], log[-2:]), (["s1", "s2"], ["e1", "e2"]))
        runs = ["".join(log[i:i + 3]) for i in range(2, len(log) - 2, 3)]
        self.assertEqual(sorted(runs), ["p1run1c1"] * 3 + ["p2run2c2"] * 3)
        for i in range(0, 6, 2):
            self.assertEqual(len(set(runs[i:i + 2])), 2, runs)

    def test_each_command_can_have_its_own(self):
        log = self.ran("-w0", "-r1", "-S", *self.around(prepare="p1"), *self.around(prepare="p2"),
                       self.word("run1"), self.word("run2"))
        self.assertEqual(sorted("".join(log[i:i + 2]) for i in (0, 2)), ["p1run1", "p2run2"])

    def test_a_preparation_may_make_the_program(self):
        made = self.path("made")
        for hooks in (["-p", f"cp /bin/true {made}"],
                      ["-s", "true", "-p", f"test -e {made} || cp /bin/true {made}"]):
            done = lauka("-w0", "-r2", *hooks, made)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            os.unlink(made)
        done = lauka("-w0", "-r2", "-p", "true", made)
        self.assertEqual(done.returncode, 5)
        self.assertIn("No such file", done.stderr)

    def test_an_empty_text_is_no_hook(self):
        log = self.ran("-w0", "-r1", "-S", "-p", "", *self.around(prepare="p2"), "true",
                       self.word("run2"))
        self.assertEqual(log, ["p2", "run2"])

    def test_other_numbers_of_them_are_an_error_that_names_both(self):
        for hook in ("setup", "prepare", "conclude", "cleanup"):
            done = lauka(f"--{hook}=a", f"--{hook}=b", "true", "true", "true")
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"--{hook} is given 2 times for 3 commands", done.stderr)

    def test_they_run_in_a_shell_even_where_commands_do_not(self):
        log = self.ran("-w0", "-r1", "-p", f"echo a | tr a b >>{self.path('log')}", "true")
        self.assertEqual(log, ["b"])

    def test_they_are_not_measured(self):
        result = result_of("-w0", "-r3", "-p", "sleep 0.2", "-C", "sleep 0.2", "true")
        self.assertLess(min(result["results"][0]["times"]), 0.2)

    def test_what_a_preparation_started_lives_until_it_is_concluded(self):
        pid = self.path("pid")
        done = lauka("-w1", "-r3", "-p", f"sleep 60 & echo $! >{pid}", "-C", f"kill $(cat {pid})", "-S",
                     f"kill -0 $(cat {pid})")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("left processes behind", done.stdout)

    def test_a_failed_one_ends_the_session_and_is_named(self):
        for hook, name in (("setup", "setup"), ("prepare", "preparation"),
                           ("conclude", "conclusion"), ("cleanup", "cleanup")):
            done = lauka("-r2", f"--{hook}=echo the reason >&2; exit 3", "true")
            self.assertEqual(done.returncode, 5)
            self.assertIn(f"true: its {name} command failed with exit code 3",
                          done.stderr.splitlines()[0])
            self.assertIn("the reason", done.stderr)

    def test_cleanups_follow_a_failure(self):
        log = self.ran("-r2", *self.around(setup="s{v}", cleanup="e{v}"), "-L", "v", "1,2", "false",
                       code=5)
        self.assertEqual(log, ["s1", "s2", "e1", "e2"])

    def test_only_commands_whose_setup_was_begun_are_cleaned_up(self):
        log = self.ran("-r2", "-s", f"{self.word('s{v}')}; test {{v}} = 1",
                       *self.around(cleanup="e{v}"), "-L", "v", "1,2,3", "true", code=5)
        self.assertEqual(log, ["s1", "s2", "e1", "e2"])

    def test_what_was_prepared_is_concluded_after_a_failure(self):
        log = self.ran("-r2", *self.around(prepare="p", conclude="c"), "false", code=5)
        self.assertEqual(log, ["p", "c"])

    def test_a_failed_cleanup_leaves_the_result_as_it_is(self):
        done = lauka("-r2", "-c", "false", "true")
        self.assertEqual(done.returncode, 5)
        self.assertIn("wall_time", done.stdout)

    def test_nothing_runs_where_a_program_is_missing(self):
        self.assertEqual(self.ran("-C", self.word("c"), "true", "/no/such", code=5), [])

    def test_a_setup_may_make_the_program(self):
        log = self.ran("-w0", "-r1", "-s", f"printf '#!/bin/sh\\n%s\\n' '{self.word('made')}' >made; "
                       "chmod +x made", "./made")
        self.assertEqual(log, ["made"])


class ShellCost(InScratch):
    def test_the_shells_own_cost_is_shown_and_not_subtracted(self):
        done = lauka("-r2", "-S", "--full", "true")
        self.assertRegex(" ".join(done.stdout.split()),
                         r"`sh -c :` alone took [\d.]+ [mµ]?s \(median of 10 runs\)")
        self.assertNotIn("alone took", lauka("-r2", "--full", "true").stdout)


class Interrupted(Logged, Interrupting):
    def test_cleanups_follow_an_interruption(self):
        hangs = self.path("hangs")
        code, _, _ = self.interrupt(signal.SIGINT, "-c", self.word("clean{v}"), "-C",
                                    self.word("concluded"), "-L", "v", "1,2", "-S",
                                    f"touch {hangs}; sleep 60", once=lambda: os.path.exists(hangs))
        self.assertEqual(code, 130)
        with open(self.path("log")) as file:
            self.assertEqual(file.read().split(), ["concluded", "clean1", "clean2"])


class SetupsThatBuild(InScratch):
    def setUp(self):
        super().setUp()
        self.script("build", "#!/bin/sh\nrm -f ${2:-prog}\nprintf '#!/bin/sh\\n# %s\\n' $1 >${2:-prog}\n"
                    "chmod +x ${2:-prog}\n")
        self.env = {"PATH": self.folder + ":" + os.environ["PATH"]}

    def run_here(self, *arguments):
        return lauka("-r", "2", *arguments, cwd=self.folder, env=self.env)

    def test_a_setup_that_changes_an_earlier_program_is_refused(self):
        done = lauka("-L", "v", "1,2", "-s", "build {v}", "./prog", cwd=self.folder, env=self.env)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual((done.stderr.count("\n"), done.stdout), (1, ""))
        self.assertIn("(such as ./prog-{v})", done.stderr)
        self.assertIn("--order sequential", done.stderr)

    def test_it_is_seen_by_the_inode_or_by_what_is_in_it(self):
        self.script("same", "#!/bin/sh\nexit 0\n")
        for setup, code in (("cp same prog", 0), ("cp same prog; echo '#{v}' >>prog", 2),
                            ("cp same new; mv new prog", 2)):
            done = self.run_here("-L", "v", "1,2", "-s", setup, "./prog")
            self.assertEqual(done.returncode, code, (setup, done.stderr))

    def test_a_way_out_has_the_names_of_all_parameters_or_numbers(self):
        done = lauka("-L", "v", "1", "-L", "w", "a,b", "-s", "build {v}{w}", "./prog", cwd=self.folder,
                     env=self.env)
        self.assertIn("(such as ./prog-{v}-{w})", done.stderr)
        done = lauka("-s", "build 1", "-s", "build 2", "./prog", "./prog", cwd=self.folder, env=self.env)
        self.assertIn("(such as ./prog-1 and ./prog-2)", done.stderr)

    def test_what_is_built_anew_for_each_run_is_the_same_while_the_same_is_in_it(self):
        subprocess.run(["./build", "1"], cwd=self.folder, check=True)
        done = self.run_here("-p", "build 1", "./prog", "true")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.run_here("-p", 'build "$LAUKA_ITERATION"', "./prog")
        self.assertEqual(done.returncode, 5)
        self.assertIn("its executable had changed since its first run", done.stderr)

    def test_it_is_seen_in_a_shell_too(self):
        done = self.run_here("-S", "-L", "v", "1,2", "-s", "build {v}", "./prog | cat")
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_separate_paths_are_a_way_out(self):
        done = self.run_here("-L", "v", "1,2", "-s", "build {v} prog-{v}", "./prog-{v}")
        self.assertEqual(done.returncode, 0, done.stderr)


class Parameters(InScratch):
    def labels(self, *arguments):
        result = result_of("--backend", "simulated", "-r1", *arguments)
        return [r["command"] for r in result["results"]]

    def refused(self, *arguments):
        done = lauka("--backend", "simulated", "-r1", *arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
        self.assertEqual(done.stderr.count("\n"), 1)
        return done.stderr

    def test_lists_give_every_combination_in_hyperfines_order(self):
        self.assertEqual(self.labels("-L", "n", "1,2", "-L", "c", "a,b", "x {n}{c}", "y {n}{c}"),
                         ["x 1a", "y 1a", "x 2a", "y 2a", "x 1b", "y 1b", "x 2b", "y 2b"])

    def test_a_backslash_protects_a_comma(self):
        self.assertEqual(self.labels("-L", "v", r"a\,b,c\\,,d\e", "--shell=sh", "x {v}"),
                         ["x a,b", "x c\\", "x ", "x d\\e"])

    def test_scans_count(self):
        self.assertEqual(self.labels("-P", "t", "30", "45", "-D", "5", "x {t}"),
                         ["x 30", "x 35", "x 40", "x 45"])
        self.assertEqual(self.labels("-P", "t", "-1", "1", "x {t}"), ["x -1", "x 0", "x 1"])
        self.assertEqual(self.labels("-P", "t", "0.5", "1.55", "-D", "0.5", "x {t}"),
                         ["x 0.5", "x 1.0", "x 1.5"])
        self.assertEqual(self.labels("-P", "t", "0", "1", "-D", "0.5", "x {t}"), ["x 0", "x 0.5", "x 1.0"])
        self.assertEqual(self.labels("-D", "9", "-P", "t", "9223372030", "9223372035", "x {t}"),
                         ["x 9223372030"])

    def test_values_are_not_looked_at_again(self):
        self.assertEqual(self.labels("-L", "a", "x{b}", "-L", "b", "y,z", "p {a} {b}"),
                         ["p x{b} y", "p x{b} z"])

    def test_what_is_shown_nowhere_is_shown_in_the_name(self):
        self.assertEqual(self.labels("-L", "branch", "master,feature", "-L", "n", "1", "echo test"),
                         ["echo test (branch = master, n = 1)", "echo test (branch = feature, n = 1)"])
        self.assertEqual(self.labels("-L", "v", "1,2", "-n", "name {v}", "x"), ["name 1", "name 2"])

    def test_vectors_have_parameters_too(self):
        result = result_of("--backend", "simulated", "-r1", "-L", "v", "a b", "--", "x", "{v}", "$")
        self.assertEqual(result["results"][0]["argv"], ["x", "a b", "$"])

    def test_the_reference_has_none(self):
        self.assertEqual(self.labels("--reference", "old {v}", "-L", "v", "1,2", "new {v}"),
                         ["old {v}", "new 1", "new 2"])
        self.assertEqual(self.labels("--reference", "old", "--reference-name", "R", "new"), ["R", "new"])
        self.assertIn("--reference-name", self.refused("--reference-name", "R", "new"))

    def test_two_options_of_one_output_are_both_named(self):
        for order in (("--show-output", "--output", "null"), ("--output=null", "--show-output")):
            self.assertIn("--show-output and --output null exclude each other", self.refused(*order, "a", "b"))
        done = lauka("-w0", "-r1", "--show-output", "--output", "B:null", "echo own", "echo other")
        lines = done.stdout.split("\n")
        self.assertEqual((done.returncode, lines.count("own"), lines.count("other")), (0, 1, 0))

    def test_documents_hold_them(self):
        arguments = ("--backend", "simulated", "-r3", "-L", "v", "1,=2", "-L", "w", "x", "p {v}{w}")
        result = result_of(*arguments)
        self.assertEqual([r["parameters"] for r in result["results"]],
                         [{"v": "1", "w": "x"}, {"v": "=2", "w": "x"}])
        rows = list(csv.DictReader(io.StringIO(lauka("--csv", *arguments).stdout)))
        self.assertEqual([(r["parameter_v"], r["parameter_w"]) for r in rows],
                         [("1", "x"), ("'=2", "x")])
        lauka(*arguments, "--json=" + self.path("j"))
        again = json.loads(lauka("compare", "--json", self.path("j")).stdout)
        self.assertEqual([r["parameters"] for r in again["results"]],
                         [r["parameters"] for r in result["results"]])

    def test_files_and_hooks_have_them(self):
        done = lauka("-w0", "-r1", "-L", "v", "1,2", "--output", self.path("out-{v}"), "-p",
                     f"echo in {{v}} >{self.path('in-{v}')}", "--input", self.path("in-{v}"), "cat")
        self.assertEqual(done.returncode, 0, done.stderr)
        for v in "12":
            with open(self.path("out-" + v)) as file:
                self.assertEqual(file.read(), f"in {v}\n")

    def test_what_makes_no_sense_is_refused(self):
        for arguments, says in (
                (["-L", "x", "1", "-L", "x", "2", "a"], "x is given twice"),
                (["-P", "t", "3", "1", "a"], "no value lies between"),
                (["-P", "t", "1", "x", "a"], "numbers"), (["-P", "t", "1.5", "3", "a"], "-D 0.1"),
                (["-P", "t", "1", "3", "-D", "0", "a"], "above 0"),
                (["-P", "t", "0", "100000", "a"], "more than 100000"),
                (["-P", "t", "-9999999999999999999", "1", "a"], "numbers"),
                (["-P", "t", "0.0000000001", "1", "-D", "1", "a"], "numbers"),
                (["-D", "1", "a"], "-P NAME MIN MAX"), (["a", "-P", "t", "1"], "NAME MIN MAX"),
                (["-L", "{", "1", "a"], "name of a parameter"),
                (["-n", "x", "-n", "y", "a"], "2 times for 1 command"),
                (["-L", "v", "1,2,3", "-n", "x", "-n", "y", "a"], "2 times for 3 commands")):
            self.assertIn(says, self.refused(*arguments), arguments)
        values = ",".join("x" * 400)
        self.assertIn("more than 100000", self.refused("-L", "a", values, "-L", "b", values, "c"))
