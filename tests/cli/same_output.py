"""--same-output: whether all commands write the same."""
import json
import unittest

import run
from run import InScratch, lauka
from workers import once


class SameOutput(InScratch):
    def run_it(self, *words, code=0, option="--same-output"):
        done = lauka("-q", "-r3", "-e", "none", "-S", *([option] if option else []), *words, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def differing(self, *words, **keywords):
        return self.run_it(*words, code=5, **keywords).stderr

    def test_the_first_line_that_differs_is_shown(self):
        for options in [], ["--order=sequential"], ["-w0"]:
            self.assertIn("seq 11: its stdout differs from the first command's: line 11 is \"11\" instead of nothing",
                          self.differing("seq 10", "seq 11", *options))
        self.assertIn('line 11 is nothing instead of "11"', self.differing("seq 11", "seq 10"))

    def test_equal_output_is_told_once_and_nothing_is_said_without_the_option(self):
        self.assertIn("all commands wrote the same before and after the rounds: 21 B to stdout",
                      " ".join(self.run_it("seq 10", "seq 10", "--full").stdout.split()))
        self.assertIn("so nothing was compared", " ".join(self.run_it("true", "true", "--full").stdout.split()))
        self.assertNotIn("same-output", self.run_it("seq 10", "seq 10", "--full", option=None).stdout)

    def test_a_difference_far_behind_is_found_by_another_run(self):
        self.assertIn('line 200001 is "2x" instead of "200001"',
                      self.differing("seq 300000", "seq 200000; echo 2x; seq 200002 300000"))

    def test_what_is_in_front_of_a_long_line_is_left_out(self):
        said = self.differing("head -c 200000 /dev/zero | tr '\\0' a; echo b", "head -c 200000 /dev/zero | tr '\\0' a; echo c")
        self.assertIn('line 1 is "...aaa', said)
        self.assertIn('aaac" instead of "...aaa', said)

    def test_control_characters_are_escaped(self):
        said = self.differing(r'printf "a\033[31m\377\n"', r'printf "a\033[32m\376\n"')
        self.assertIn(r'"a\x1b[32m\xfe" instead of "a\x1b[31m\xff"', said)

    def test_a_filter_leaves_out_what_may_vary(self):
        commands = ["date +%N; seq 3", "date +%N; seq 3; : "]
        self.assertIn("--same-output=FILTER leaves out what may vary", self.differing(*commands))
        self.run_it(*commands, option="--same-output=sed 1d")
        self.run_it("seq 90000", "seq 99999", option="--same-output=head -n 3")
        self.assertIn("the filter of --same-output failed", self.differing("seq 3", "seq 3", option="--same-output=exit 3"))

    def test_a_command_that_fails_behind_a_filter_has_failed(self):
        self.assertIn("false: failed with exit code 1", self.differing("false", "true", option="--same-output=cat"))

    def test_files_are_compared(self):
        self.assertIn('its --output-file differs from the first command\'s: line 1 is "b" instead of "a"',
                      self.differing("echo a >f", "echo b >f", "--output-file=f"))
        self.run_it("echo a >f", "echo a >g", "--output-file=f", "--output-file=g")
        self.run_it("echo a >f", "echo b >g", "--output-file=f", "--output-file=g", option="--same-output=tr ab cc")

    def test_a_file_that_is_not_written_is_no_output(self):
        for file in "f", "missing":
            said = self.differing("echo a >f", "true", f"--output-file={file}")
            self.assertRegex(said, "did not write|left no file")
            self.assertNotIn("FILTER", said)

    def test_every_run_may_write_something_else(self):
        self.assertIn("differs from that of an earlier run", self.differing("echo x >>n; wc -l <n"))

    def test_a_difference_after_the_rounds_fails_what_was_measured(self):
        done = self.run_it('[ "$(cat n 2>/dev/null)" = xxxxx ] && echo late; printf x >>n; seq 2', "--json=j", code=5)
        self.assertIn('line 1 is "late" instead of "1"', done.stderr)
        with open(self.path("j"), encoding="utf-8") as file:
            result = json.load(file)
        self.assertTrue(result["failure"]["outside_rounds"])

    def test_measured_runs_write_where_they_always_do(self):
        self.run_it("exec 3>&1; readlink /proc/self/fd/3 >>kinds; echo same")
        with open(self.path("kinds"), encoding="utf-8") as file:
            kinds = [line.split(":")[0] for line in file]
        self.assertEqual(kinds, ["pipe"] + ["/dev/null\n"] * 4 + ["pipe"])

    def test_what_cannot_be_compared_is_refused(self):
        for words in ["--output-file=f", "a", "b"], ["--same-output", "--backend=simulated", "a", "b"]:
            self.assertEqual(lauka("-q", *words).returncode, 2)

    @once("it writes 300 MB")
    def test_memory_is_bounded(self):
        """Another lauka measures it: what this process starts would begin with the memory of Python."""
        done = lauka("-q", "-r1", "-w0", "-i", "-e", "none", "--json", "--", "sh", "-c", 'exec "$0" "$@" 2>errors', run.LAUKA, "-q", "-r1",
                     "-w0", "-S", "-e", "none", "--same-output", "yes | head -c 150000000", "yes | head -c 150000000; echo z", cwd=self.folder)
        entry, = json.loads(done.stdout)["results"]
        with open(self.path("errors"), encoding="utf-8") as errors:
            self.assertIn('line 75000001 is "z" instead of nothing', errors.read())
        self.assertEqual(entry["exit_codes"], [5])
        self.assertLess(entry["metrics"]["peak_rss"]["max"], 50_000_000)  # bytes, of lauka and what it started


if __name__ == "__main__":
    unittest.main()
