"""The order of runs if commands run one after the other, as in hyperfine. README.md lists its tests."""
import itertools
import json

from hooks import Logged
from run import lauka, result_of


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

    def test_made_up_costs_are_those_of_their_command(self):
        for words in (["a", "b"], ["noise", "a"]):
            alone, beside = (result_of("--backend=simulated", "-r5", "--seed=1", f"--order={order}", *words)["results"]
                             for order in ("sequential", "shuffle"))
            self.assertEqual([entry["times"] for entry in alone], [entry["times"] for entry in beside])
