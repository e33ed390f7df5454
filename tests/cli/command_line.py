"""What is typed: options, commands and their streams, and the plain comparison of two commands."""
import os
import signal
import subprocess

from run import InScratch, LAUKA, lauka, result_of


class TheMainJob(InScratch):
    def test_twice_the_sleep_is_about_twice_the_time(self):
        result = result_of("-r", "5", "sleep 0.1", "sleep 0.2")
        change = next(c for c in result["comparisons"] if c["metric"] == "wall_time")
        # A busy machine can make single runs arbitrarily longer, but hardly all of them.
        self.assertGreater(change["min_ratio"], 1.5)
        self.assertLess(change["min_ratio"], 2.2)

    def test_every_round_runs_every_command_once_in_varying_order(self):
        log = self.path("log")
        result = result_of("-w", "2", "-r", "20", "--", "sh", "-c", f"echo a >>{log}",
                           "--vs", "sh", "-c", f"echo b >>{log}")
        words = open(log).read().split()
        rounds = ["".join(words[i:i + 2]) for i in range(0, len(words), 2)]
        self.assertEqual(len(rounds), 22)
        self.assertEqual(set(rounds), {"ab", "ba"})
        order = result["run"]["order"]
        self.assertEqual("".join("ab"[i] for i in order), "".join(rounds[2:]))

    def test_a_seed_repeats_the_order(self):
        first, again = (result_of("-r", "12", "--seed", "7", "true", "true", "true")["run"]
                        for _ in range(2))
        self.assertEqual(first["order"], again["order"])
        self.assertEqual(first["seed"], 7)

    def test_the_seed_of_a_run_is_printed_with_the_table(self):
        done = lauka("-r", "3", "--seed", "31415", "true", "true")
        self.assertIn("31415", done.stdout)

    def test_rounds_go_on_until_the_budget_ends(self):
        run = result_of("--until=0", "--max-time", "2", "sleep 0.005")["run"]
        self.assertGreater(run["rounds"], 3)
        self.assertEqual(run["stopped"], "time")

    def test_commands_run_without_a_shell(self):
        out = self.path("out")
        lauka("-r", "1", "-w", "0", "--", "sh", "-c", 'printf "%s\\n" "$@" >' + out, "x", "$HOME", "*")
        self.assertEqual(open(out).read(), "$HOME\n*\n")

    def test_shell_text_without_a_shell_is_an_error_and_runs_nothing(self):
        touched = self.path("touched")
        done = lauka(f"touch {touched}", "echo a | wc")
        self.assertEqual(done.returncode, 2)
        self.assertIn("-S", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertFalse(os.path.exists(touched))

    def test_a_shell_runs_what_was_asked_for(self):
        out = self.path("out")
        done = lauka("-S", "-r", "1", "-w", "0", f"echo a b | wc -w >{out}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(open(out).read().strip(), "2")

    def test_vectors_are_compared_with_vs(self):
        result = result_of("-r", "1", "--", "sh", "-c", "exit 0", "--vs", "true", "x y")
        self.assertEqual([r["argv"] for r in result["results"]],
                         [["sh", "-c", "exit 0"], ["true", "x y"]])

    def test_vs_before_the_dashes_is_explained(self):
        done = lauka("./a", "--vs", "./b")
        self.assertEqual((done.returncode, done.stderr), (2, "lauka: --vs parts commands after --: "
                                                             "lauka [OPTIONS] -- ./a ARGS --vs ./b ARGS\n"))

    def test_the_hint_at_vs_comes_where_programs_stand_side_by_side(self):
        self.assertIn("--vs", lauka("-r", "1", "--", "/bin/sh", "/bin/true").stderr)
        self.assertEqual(lauka("-r", "1", "--", "/bin/sh", "-c", "true").stderr, "")

    def test_commands_get_no_descriptor_of_ours_and_null_as_input_and_output(self):
        out = self.path("out")
        lister = self.script("lister", f"#!/bin/sh\nls -l /proc/$$/fd >{out}\ncat\n")
        self.assertEqual(lauka("-r", "1", "-w", "0", lister).returncode, 0)
        targets = {int(line.split()[-3]): line.split()[-1] for line in open(out) if "->" in line}
        self.assertEqual(targets.pop(0), "/dev/null")
        self.assertIn(targets.pop(1), ("/dev/null", out))  # some shells redirect in their own process
        self.assertTrue(targets.pop(2).startswith("pipe:"))
        targets = {n: t for n, t in targets.items() if t not in (lister, "/dev/null")}  # these belong to the shell
        self.assertEqual(targets, {})

    def test_commands_are_not_run_with_our_signal_settings(self):
        out = self.path("out")
        reader = self.script("reader",
                             f"#!/bin/sh\nexec grep -E '^Sig(Blk|Ign)' /proc/self/status >{out}\n")
        expected = subprocess.run(["sh", "-c", "exec grep -E '^Sig(Blk|Ign)' /proc/self/status"],
                                  capture_output=True, text=True,
                                  preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
        subprocess.run([LAUKA, "-r", "1", reader], capture_output=True,
                       preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
        self.assertEqual(open(out).read(), expected.stdout)


class Options(InScratch):
    """How words on the command line are read; no command needs to run for this."""

    def refused(self, *arguments):
        done = lauka(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_an_unknown_option_names_the_nearest(self):
        self.assertIn("did you mean --runs?", self.refused("--runz", "3", "true"))
        self.assertIn("did you mean --warmup?", self.refused("--warm-up=3", "true"))
        self.assertNotIn("mean", self.refused("--nothing-like-it", "true"))
        self.assertIn("-x", self.refused("-x", "true"))

    def test_names_may_be_shortened_while_they_are_unique(self):
        self.assertEqual(result_of("--run=2", "--warm", "0", "true")["run"]["rounds"], 2)
        self.assertIn("--max-time, --m", self.refused("--m", "true"))

    def test_letters_may_stand_together_and_options_behind_commands(self):
        for words in (["-qr2", "true"], ["true", "-qr=2"], ["-q", "true", "-r", "2"]):
            self.assertEqual(result_of(*words)["run"]["rounds"], 2)
        self.assertIn("no value", self.refused("--quiet=3", "true"))
        self.assertIn("needs a value: N", self.refused("true", "-qr"))


class Streams(InScratch):
    def test_output_is_null_unless_shown(self):
        self.assertNotIn("4299", lauka("-w0", "-r2", "sh -c 'echo $((6*7))99'").stdout)
        for option in ("--show-output", "--output=inherit"):
            done = lauka("-w0", "-r2", option, "sh -c 'echo 4fd47015; echo err >&2'")
            self.assertEqual(done.stdout.splitlines()[:2], ["4fd47015"] * 2)
            self.assertEqual(done.stderr, "err\nerr\n")

    def test_commands_never_write_into_a_document_or_between_annotations(self):
        for document in ("--json", "--csv=-", "--github"):
            done = lauka("-r1", "--show-output", document, "echo ::error::never")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr.count("\n"), 1)
        shown = lauka("-w0", "-r1", "--show-output", f"--json={self.path('r.json')}", "echo once").stdout
        self.assertEqual(shown.splitlines().count("once"), 1)

    def test_a_pipe_is_read_to_its_end_and_thrown_away(self):
        kind = self.path("kind")
        looks = f"sh -c 'test -p /dev/stdout && touch {kind}; head -c 20000000 /dev/zero'"
        done = lauka("-r2", "--output=pipe", looks, "true")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(os.path.exists(kind))

    def test_a_file_holds_the_output_of_the_last_run(self):
        out = self.path("out")
        lauka("-w0", "-r3", f"--output={out}", "echo once")
        self.assertEqual(open(out).read(), "once\n")

    def test_each_command_can_have_its_own(self):
        a, b = self.path("a"), self.path("b")
        lauka("-r1", "--output", a, "--output", b, "echo a", "echo b")
        self.assertEqual((open(a).read(), open(b).read()), ("a\n", "b\n"))
        done = lauka("--output=null", "--output=null", "true", "true", "true")
        self.assertEqual(done.returncode, 2)
        self.assertIn("2 times for 3 commands", done.stderr)

    def test_input_comes_from_the_beginning_of_the_file_in_each_run(self):
        with open(self.path("in"), "w") as file:
            file.write("This text is part of a file\n")
        done = lauka("-w0", "-r2", "--show-output", f"--input={self.path('in')}", "cat")
        self.assertEqual(done.stdout.count("This text is part of a file"), 2)
        self.assertEqual(lauka("-r1", "--show-output", "--input=null", "cat").returncode, 0)

    def test_what_cannot_be_opened_is_said_before_anything_runs_where_it_can_be_known(self):
        for option, code in (("--input=/no/such", 2), ("--output=word", 2), ("--output=/no/such", 5)):
            done = lauka("-r1", option, "true")
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
            self.assertEqual(done.stdout, "")
        self.assertIn("./word", lauka("--output=word", "true").stderr)
