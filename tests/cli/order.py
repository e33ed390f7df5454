"""The order of runs if commands run one after the other, as in hyperfine. README.md lists its tests."""
import itertools
import json
import shutil
import unittest

from hooks import Logged
from run import lauka, program, result_of


class Sequential(Logged):
    def expect(self, words, *arguments):
        self.assertEqual(self.ran("--order=sequential", "-S", *arguments), words.split())

    def hooks(self, **texts):
        return [f"--{hook}={self.word(text)}" for hook, text in texts.items()]

    def test_runs_of_a_command_stand_together(self):
        self.expect("1 2", "-w0", "-r1", self.word("1"), self.word("2"))
        self.expect("1 2 1 1 2 2", "-w0", "-r2", self.word("1"), self.word("2"))

    def test_warmups_come_first(self):
        self.expect("1 1 1 1 1", "-w3", "-r2", self.word("1"))

    def test_setups_come_before_the_runs_of_their_command(self):
        self.expect("s 1 1 s 2 2", "-w0", "-r2", *self.hooks(setup="s"), self.word("1"), self.word("2"))

    def test_hooks_of_runs_come_with_each_run_also_of_warmups(self):
        self.expect("p 1 p 1 p 1 p 2 p 2 p 2", "-w2", "-r1", *self.hooks(prepare="p"), self.word("1"),
                    self.word("2"))

    def test_conclusions_come_after_each_run(self):
        self.expect("1 c 1 c 2 c 2 c", "-w1", "-r1", *self.hooks(conclude="c"), self.word("1"),
                    self.word("2"))

    def test_cleanups_come_once_after_each_command(self):
        self.expect("1 1 e 2 2 e", "-w0", "-r2", *self.hooks(cleanup="e"), self.word("1"), self.word("2"))

    def test_all_of_them_with_a_reference_and_hooks_of_their_own(self):
        self.expect("s p1 r c1 p1 r c1 e s p2 1 c2 p2 1 c2 e s p3 2 c3 p3 2 c3 e", "-w1", "-r1",
                    *self.hooks(setup="s", cleanup="e"),
                    *itertools.chain(*(self.hooks(prepare=f"p{i}", conclude=f"c{i}") for i in (1, 2, 3))),
                    "--reference", self.word("r"), self.word("1"), self.word("2"))

    def test_parameters_run_in_their_order(self):
        self.expect("r 1a 2a 1b 2b", "-w0", "-r1", "--reference", self.word("r"), "-L", "n", "1,2",
                    "-L", "l", "a,b", self.word("{n}{l}"))

    def test_a_setup_may_build_what_the_next_one_builds_anew(self):
        self.script("build", "#!/bin/sh\nprintf '#!/bin/sh\\necho %s >>log\\n' $1 >prog\nchmod +x prog\n")
        self.assertEqual(self.ran("-w0", "-r2", "--order=sequential", "-L", "v", "1,2", "-s",
                                  "./build {v}", "./prog"), ["1", "1", "2", "2"])

    def test_drift_is_warned_of(self):
        done = lauka("-r2", "--order=sequential", "true", "true")
        self.assertIn("--order sequential", " ".join(done.stdout.split()))

    def test_many_that_did_not_run_are_told_by_their_number(self):
        others = [f"echo {'x' * 90} {i}" for i in range(20)]
        text = " ".join(lauka("-r1", "-w0", "--order=sequential", "true", "false", *others).stdout.split())
        named = text.count("`echo xxx")
        self.assertGreater(named, 3)
        self.assertIn(f"` and {20 - named} more did not run: a command failed before", text)

    def test_a_file_without_single_values_can_be_read_again(self):
        stored = self.path("r.json")
        done = lauka("-r6", "-w0", "--order=sequential", "--no-samples", f"--json={stored}", "true", "true")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(lauka("report", stored).returncode, 0)
        words = json.load(open(stored))["run"]["reproduce"]
        self.assertEqual(words[1:], ["-r6", "-w0", "--order=sequential", "--no-samples", "true", "true"])

    def test_what_cannot_be_started_ends_the_sequence_when_its_turn_comes(self):
        for words, known in ((["true", "/no/such --at=all", "true"], [2, 0]), (["/no/such", "true"], [0]),
                             (["true", "true", "/no/such"], [2, 2, 0])):
            done = lauka("-r2", "-w0", "--order=sequential", "--json=-", "-q", *words, cwd=self.folder)
            self.assertEqual(done.returncode, 5, done.stderr)
            result = json.loads(done.stdout)
            self.assertEqual([len(entry["times"]) for entry in result["results"]], known)
            self.assertEqual((result["failure"]["command"], result["failure"]["reason"]),
                             (len(known) - 1, "cannot be started: No such file or directory"))

    def test_each_command_has_as_many_rounds_as_its_time_allows(self):
        result = result_of("--backend=simulated:effects", "--order=sequential", "--seed=1", "--budget=3s", "-w1",
                           "a cost=10ms", "b cost=100ms", "c cost=400ms")
        counts = [len(entry["times"]) for entry in result["results"]]
        self.assertEqual(result["run"]["rounds"], max(counts))
        self.assertTrue(counts[0] > 5 * counts[1] > 5 * counts[2] > 0, counts)
        self.assertLessEqual(result["run"]["seconds"], 3)

    def test_dropped_rounds_are_not_counted_for_the_next_command(self):
        result = result_of("--backend=simulated:effects", "--order=sequential", "--seed=1", "-r30", "-w2",
                           "--max-failures=20", "a cost=10ms fail=10%", "b cost=10ms fail=10%", "c cost=10ms")
        self.assertEqual([len(entry["times"]) for entry in result["results"]], [30, 30, 30])
        self.assertGreater(result["run"]["dropped"], 0)

    def test_each_command_may_have_as_many_failures(self):
        words = ["--backend=simulated:effects", "--seed=1", "-r30", "-w0", "--max-failures=9", "a fail=15%", "b fail=15%"]
        self.assertEqual(lauka("--order=sequential", *words).returncode, 0)
        dropped = result_of("--order=sequential", *words)["run"]["dropped"]
        self.assertGreater(dropped, 9)

    def test_without_samples_values_are_those_that_were_measured(self):
        words = ["--backend=simulated:effects", "--order=sequential", "--seed=1", "-r9", "a cost=10ms", "b cost=11ms"]
        with_, without = result_of(*words), result_of("--no-samples", *words)
        self.assertEqual([entry["times"] for entry in without["results"]], [entry["times"] for entry in with_["results"]])

    @unittest.skipUnless(shutil.which("valgrind"), "needs valgrind")
    def test_valgrind_counts_each_command_when_its_turn_comes(self):
        self.script("build", f"#!/bin/sh\ncp {program('$1')} prog-$1\n")
        done = lauka("--order=sequential", "--counters=valgrind", "-r3", "-w0", "--json=-", "-q", "-L", "v", "empty,branches", "-s",
                     "./build {v}", "./prog-{v}", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        first, second = (entry["metrics"]["sim_instructions:u"]["values"][0] for entry in json.loads(done.stdout)["results"])
        self.assertGreater(first, 0)
        self.assertGreater(second, first + 50000)  # additions

    def test_a_figure_may_have_another_size_in_each_command(self):
        self.script("tells", "#!/bin/sh\necho rate: $1\n")
        result = result_of("--order=sequential", "-r3", "-w0", "--read", "rate=rate: ([0-9.]+)", self.path("tells") + " 5",
                           self.path("tells") + " 700000")
        self.assertEqual([entry["metrics"]["rate"]["values"] for entry in result["results"]], [[5] * 3, [700000] * 3])

    def test_made_up_costs_are_those_of_their_command(self):
        for words in (["a", "b"], ["noise", "a"]):
            alone, beside = (result_of("--backend=simulated", "-r5", "--seed=1", f"--order={order}", *words)["results"]
                             for order in ("sequential", "shuffle"))
            self.assertEqual([entry["times"] for entry in alone], [entry["times"] for entry in beside])
