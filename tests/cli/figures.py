"""Figures that commands report themselves (--read)."""
import json

from run import InScratch, lauka

SCRIPT = """
test "$3" = silent || echo "first latency=99 ms, latency=$1 ms"
test -z "$LAUKA_REPORT_FD" || echo "rate $2" >&$LAUKA_REPORT_FD
"""
LATENCY = "latency:ms=latency=([0-9.]+)"


class Figures(InScratch):
    def setUp(self):
        super().setUp()
        with open(self.path("p"), "w", encoding="utf-8") as file:
            file.write(SCRIPT)

    def run_it(self, *arguments, **keywords):
        return lauka("-q", "-w0", "-r6", "-e", "none", *arguments, cwd=self.folder, **keywords)

    def result(self, *arguments, code=0):
        done = self.run_it("--json=j", *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        with open(self.path("j"), encoding="utf-8") as file:
            return json.load(file)

    def metric(self, result, name):
        return result["results"][0]["metrics"][name]

    def test_the_last_match_in_stdout_is_a_metric(self):
        result = self.result("--read", LATENCY, "--primary=latency", "sh p 12.5", "sh p 13.125")
        about = self.metric(result, "latency")
        self.assertEqual((about["unit"], about["source"], about["better"], about["primary"]),
                         ("ns", "reported", "lower", True))
        compared, = [c for c in result["comparisons"] if c["metric"] == "latency"]
        self.assertAlmostEqual(compared["ratio"], 1.05, 9)
        self.assertEqual(compared["verdict"], "higher")
        said = self.run_it("--read", LATENCY, "--primary=latency", "sh p 12.5", "sh p 13.12").stdout
        self.assertIn("always 13.12 ms against 12.50 ms latency", " ".join(said.split()))

    def test_of_a_rate_more_is_better(self):
        for unit, less in (("/s", "990 1/s"), ("ops/s", "990 /s"), ("MB/s", "990000 kB/s"), ("GiB/s", "990000000 B/s")):
            more = "1000 " + {"1/s": "ops/s", "/s": "1/s", "kB/s": "MB/s", "B/s": "MB/s"}[less.split()[1]]
            words = ["--read", f"rate:{unit}", "--gate=rate=0.5%"]
            result = self.result(*words, f"sh p 1 '{more}'", f"sh p 1 '{less}'", code=3)
            self.assertEqual(self.metric(result, "rate")["better"], "higher")
            self.assertEqual(self.result(*words, f"sh p 1 '{less}'", f"sh p 1 '{more}'")["gate"]["verdict"], "pass")

    def test_a_plain_number_has_no_better(self):
        result = self.result("--read=rate", "--gate=rate<=7", "sh p 1 6.5")
        self.assertEqual(self.metric(result, "rate")["better"], "neither")
        self.assertEqual(result["gate"]["limits"][0]["value"], 6.5)

    def test_a_letter_is_for_one_command(self):
        result = self.result("--read=A:latency:ms=99 ms, latency=([0-9.]+)", "--read=B:latency:ms=first latency=([0-9]+)",
                             "sh p 50", "sh p 50")
        compared, = [c for c in result["comparisons"] if c["metric"] == "latency"]
        self.assertAlmostEqual(compared["ratio"], 99 / 50, 9)

    def test_sections_have_their_own(self):
        with open(self.path("c"), "w", encoding="utf-8") as file:
            file.write(f"[one]\n--read={LATENCY}\nsh p 1\n[two]\n--read=rate\nsh p 1 2\n")
        one, two = self.result("--config=c")["results"]
        self.assertEqual([name in result["metrics"] for result in (one, two) for name in ("latency", "rate")],
                         [True, False, False, True])

    def test_both_places_at_once(self):
        result = self.result("--read", LATENCY, "--read=rate", "sh p 2 3")
        self.assertEqual([self.metric(result, name)["values"][0] for name in ("latency", "rate")], [2000000, 3])

    def test_whoever_does_not_report_has_failed(self):
        for read, words, said in (
                (LATENCY, "sh p 1 1 silent",
                 "wrote nothing that matches --read latency=latency=([0-9.]+) in round 1"),
                ("rate", "sh -c :", 'wrote no line "rate VALUE UNIT" to descriptor $LAUKA_REPORT_FD in round 1'),
                ("rate:ms", "sh p 1 '2 MB'", 'reported rate in "MB" instead of ms, as --read says, in round 1'),
                ("rate:ms", "sh p 1 '2 parsecs'", 'reported rate in "parsecs" instead of ms'),
                ("rate", "sh p 1 -2", 'reported "-2" as rate instead of a number of at least 0 in round 1'),
                ("rate", "sh p 1 nan", 'reported "nan" as rate instead of'),
                ("rate", "sh p 1 1e300", 'reported "1e300" as rate instead of'),
                ("rate", "sh p 1 0x10", 'reported "0x10" as rate instead of'),
                ("latency=, latency=(.*)", "sh p much", 'wrote "much ms" as latency instead of a number')):
            done = self.run_it("--read", read, "--json=j", words)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (5, 1), done.stderr)
            self.assertIn(said, done.stderr)
            self.assertNotIn("-i accepts", done.stderr)
            with open(self.path("j"), encoding="utf-8") as file:
                self.assertIsNotNone(json.load(file)["failure"])
        done = self.run_it("-i", "--read", LATENCY, "sh p 1 1 silent")
        self.assertEqual(done.returncode, 5)

    def test_such_rounds_can_be_dropped(self):
        with open(self.path("q"), "w", encoding="utf-8") as file:
            file.write('test "$LAUKA_ITERATION" -eq 3 || echo latency=1\n')
        result = self.result("--max-failures=1", "--read", LATENCY, "sh q")
        self.assertEqual((result["run"]["rounds"], result["run"]["dropped"]), (6, 1))

    def test_each_run_begins_with_an_empty_file(self):
        with open(self.path("q"), "w", encoding="utf-8") as file:
            file.write('test "$LAUKA_ITERATION" -eq 2 || { echo latency=1; echo rate 1 >&$LAUKA_REPORT_FD; }\n')
        for read in (LATENCY, "rate"):
            self.assertEqual(self.run_it("--read", read, "sh q").returncode, 5)

    def test_nuls_long_lines_and_much_are_read(self):
        words = "python3 -c \"import sys; sys.stdout.write('x' * 3000000 + '\\0latency=5\\0' + 'y' * 1000000)\""
        result = self.result("-r1", "--read", "latency=^latency=([0-9]+)$", words)
        self.assertEqual(self.metric(result, "latency")["values"], [5])

    def test_bad_words(self):
        for words, said in (
                (["--read=x=(1)", "true"], "--read x=(1): expected NAME[:UNIT][=REGEX]"),
                (["--read=ab=1", "true"], "expected one group in parentheses around the number; there are 0"),
                (["--read=ab=((1))", "true"], "there are 2"),
                (["--read=ab=(", "true"], "invalid regular expression:"),
                (["--read=ab:parsec=(1)", "true"], "unknown unit parsec; the units are 1, ns, us, ms, s, B"),
                (["--read=C:ab=(1)", "true"], "there is no such command"),
                (["--read=A:ab:ms", "--read=B:ab:MB", "true", "false"], "one command has it in ms, and another in MB"),
                (["--read=ab=(1)", "--output=pipe", "true"], "stdout is read, but --output sends it elsewhere"),
                (["--read=wall_time=(1)", "true"], "wall_time is a metric of lauka's own"),
                (["--backend=simulated", "--read=ab=(1)", "true"], "--backend=simulated runs nothing")):
            done = self.run_it(*words)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), (words, done.stderr))
            self.assertIn(said, done.stderr)

    def test_report_gives_it_back(self):
        self.result("--read", LATENCY, "--read=rate:MB/s", "sh p 2.5 '3 GB/s'", "sh p 2 '3 MiB/s'")
        with open(self.path("j"), encoding="utf-8") as file:
            self.assertEqual(lauka("report", "j", "--json", cwd=self.folder).stdout, file.read())
