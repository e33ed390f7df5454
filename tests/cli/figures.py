"""Figures that commands report themselves (--read)."""
import json

from run import InScratch, lauka

SCRIPT = """
test "$3" = silent || echo "first latency=99 ms, latency=$1 ms"
test -z "$LAUKA_REPORT_FD" || echo "rate $2" >&$LAUKA_REPORT_FD
"""
LATENCY = "latency:ms=latency=([0-9.]+)"
# Writes the word of its list that its round has.
BY_ROUND = 'shift $((LAUKA_ROUND > 0 ? LAUKA_ROUND - 1 : 0)); echo "loss $1"\n'
LOSS = "loss=loss ([0-9.e+-]+)"


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

    def test_constant_figures_have_a_verdict_and_no_false_digits(self):
        for before, after, said in (("0", "0", "no difference larger than 1 % from `sh p 0` (1)"), ("0", "5", "is 5.0000 ms slower than `sh p 0`: always"),
                                    ("5", "0", "is 5.0000 ms faster than `sh p 5`: always"), ("5", "6", "is 20.000 % slower than `sh p 5`: always")):
            done = self.run_it("-r12", "--read", LATENCY, "--primary=latency", f"sh p {before}", f"sh p {after}")
            self.assertIn(said, " ".join(done.stdout.split()))

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

    def test_other_dialects_are_refused(self):
        for expression, said in (
                (r"done.*?([0-9]+) ms", "no lazy *?"), (r"(\d+)", r"no \d: write [0-9]"),
                (r"([\d.]+)", r"for \d write 0-9"), (r"(?:a|b)([0-9]+)", "no (?:"), (r"(a*a*a*)\1b", r"no \1"),
                (r"([0-9]++)", "no possessive ++"), (r"(a{0,50}){0,50}", "too large")):
            done = self.run_it(f"--read=ab={expression}", "echo done in 123 ms")
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), (expression, done.stderr))
            self.assertIn(said, done.stderr)
        result = self.result("-r2", "--read=took=done[^0-9]*([0-9]+) ms", "echo done in 123 ms")
        self.assertEqual(self.metric(result, "took")["values"], [123, 123])

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


class AnySize(InScratch):
    """Figures without a unit, from tiny residuals to TFLOP/s."""
    def setUp(self):
        super().setUp()
        with open(self.path("p"), "w", encoding="utf-8") as file:
            file.write(BY_ROUND)

    def run_it(self, *arguments):
        return lauka("-q", "-w0", "-r4", "-e", "none", "--read", LOSS, "--primary=loss", *arguments, cwd=self.folder)

    def result(self, *commands, options=(), code=0, name="j"):
        done = self.run_it(f"--json={name}", *options, *commands)
        self.assertEqual(done.returncode, code, done.stderr)
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def constant(self, value):
        return f"sh p {value} {value} {value} {value}"

    def loss(self, result, command=0):
        return result["results"][command]["metrics"]["loss"]

    def compared(self, result):
        return [c["ratio"] for c in result["comparisons"] if c["metric"] == "loss"][0]

    def test_nine_digits_are_kept_of_any_size(self):
        for before, after in (("1e-7", "4e-7"), ("4e-7", "6e-7"), ("5.2e12", "5.3e12"), ("1.00000001", "1"), ("1e-30", "3e-30"),
                              ("1e30", "0.5e30"), ("1e-16", "0.001"), ("0", "2e-9"), ("123456.789", "123456.788")):
            result = self.result(self.constant(before), self.constant(after))
            self.assertEqual([self.loss(result, c)["values"] for c in (0, 1)], [[float(before)] * 4, [float(after)] * 4])
            for c, value in enumerate((before, after)):
                self.assertAlmostEqual(self.loss(result, c)["mean"] / (float(value) or 1), float(value) > 0, 12)
            if float(before) > 0:
                self.assertAlmostEqual(self.compared(result) / (float(after) / float(before)), 1, 8)

    def test_a_gate_sees_them(self):
        for limit, before, after, code in (("1%", "1e-7", "4e-7", 3), ("1%", "4e-7", "4.02e-7", 0), ("+1e-8", "4e-7", "4.2e-7", 3),
                                           ("+0.00000003", "4e-7", "4.2e-7", 0), ("1%", "5.2e12", "5.3e12", 3)):
            self.result(self.constant(before), self.constant(after), options=[f"--gate=loss={limit}"], code=code)
            self.assertEqual(lauka("gate", self.path("j")).returncode, code, (limit, before, after))
        for most, code in (("3.9e-7", 3), ("4.1e-7", 0), ("1E-6", 0)):
            self.result(self.constant("4e-7"), options=[f"--gate=loss<={most}"], code=code)

    def test_people_see_prefixes(self):
        done = self.run_it(self.constant("1e-7"), self.constant("4e-7"))
        self.assertIn("always 400.0 n against 100.0 n loss", " ".join(done.stdout.split()))

    def test_the_first_values_above_zero_decide(self):
        result = self.result("sh p 0 0 3e-9 1e-9")
        self.assertEqual(self.loss(result)["values"], [0, 0, 3e-9, 1e-9])
        result = self.result(self.constant("0"), self.constant("0"))
        self.assertEqual((self.loss(result)["values"], self.loss(result)["decimals"]), ([0] * 4, 6))

    def test_what_does_not_fit_later_has_failed(self):
        for values, said in (("1 1 1e-9 1", "reported 1e-09 as loss, which is too small beside the first values (at least 1e-08"),
                             ("1e-3 1e9 1 1", "reported 1e+09 as loss, which is too large beside the first values (less than")):
            done = self.run_it("--json=j", f"sh p {values}")
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (5, 1), done.stderr)
            self.assertIn(said, done.stderr)
        result = self.result("sh p 1 1e-9 1 1 1", options=["--max-failures=1"])
        self.assertEqual((self.loss(result)["values"], result["run"]["dropped"]), ([1] * 4, 1))
        for value in ("1e-31", "1e31", "1e-400", "1e400"):
            self.assertIn(f'wrote "{value}" as loss instead of a number from 1e-30 to 1e30', self.run_it(f"sh p {value}").stderr)
        done = lauka("-q", "-w0", "-r1", "--read=loss:ns=loss (.*)", "sh p 0.0001", cwd=self.folder)
        self.assertIn("too small (at least 0.001 can be kept)", done.stderr)

    def test_a_warm_up_decides_nothing(self):
        with open(self.path("cold"), "w", encoding="utf-8") as file:
            file.write('test "$LAUKA_ROUND" -eq 0 && echo loss 1e20 || echo loss 1e-7\n')
        self.assertEqual(self.loss(self.result("sh cold", options=["-w1"]))["values"], [1e-7] * 4)

    def test_digits_that_are_lost_are_told(self):
        done = self.run_it(self.constant("1.234e-16"), self.constant("3"))
        self.assertIn("`loss` has values so far apart that the smallest ones are rounded", " ".join(done.stdout.split()))

    def test_files_with_other_powers_are_compared(self):
        for samples in ((), ("--no-samples",)):
            for name, value in (("a", "9.99e-7"), ("b", "1.1e-6"), ("c", "4000")):
                self.result(self.constant(value), options=samples, name=name)
            for first, second, ratio in (("a", "b", 1.1 / 0.999), ("b", "c", 4000 / 1.1e-6), ("c", "a", 9.99e-7 / 4000)):
                done = lauka("compare", first, second, "--primary=loss", "--json", cwd=self.folder)
                self.assertAlmostEqual(self.compared(json.loads(done.stdout)) / ratio, 1, 5, done.stderr)
            done = lauka("report", "a", "--json", cwd=self.folder)
            with open(self.path("a"), encoding="utf-8") as file:
                self.assertEqual(done.stdout, file.read())
        self.result(self.constant("1e-20"), name="a")
        done = lauka("compare", "a", "c", cwd=self.folder)
        self.assertEqual((done.returncode, "`loss` are too small beside the others" in done.stderr), (2, True), done.stderr)

    def test_jobs_with_other_powers_are_merged(self):
        for samples in ((), ("--no-samples",)):
            for job, value in ((1, "9.99e-7"), (2, "1.1e-6")):
                with open(self.path("value"), "w", encoding="utf-8") as file:
                    file.write(f"loss {value}\n")
                self.result("cat value", "cat value", name=f"job{job}",
                            options=[f"--job={job}/2", "--session=s", f"--host=n{job}", *samples])
            done = lauka("merge", "job1", "job2", "--json", cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertAlmostEqual(self.loss(json.loads(done.stdout))["mean"], 1.0495e-6, 12)

    def test_documents_have_them(self):
        self.result(self.constant("1e-25"), self.constant("4e-25"), options=["--csv=c", "--html=h", "--markdown=m", "--bmf=b"])
        with open(self.path("c"), encoding="utf-8") as file:
            titles, first, second = (line.rstrip("\n").split(",") for line in file)
        at = titles.index("loss_mean")
        self.assertEqual((float(first[at]), float(second[at])), (1e-25, 4e-25))
        with open(self.path("m"), encoding="utf-8") as file:
            self.assertIn("400.0", file.read())


class AnyAmount(InScratch):
    """What commands write is read while they run, and not kept."""
    def run_it(self, *arguments):
        return lauka("-q", "-w0", "-r2", "-e", "none", *arguments, cwd=self.folder)

    def test_more_than_memory_should_hold_is_read(self):
        with open(self.path("p"), "w", encoding="utf-8") as file:
            file.write("head -c 24000000 /dev/zero; echo value 7\n")
        done = self.run_it("--read=value=value ([0-9]+)", "--csv", "sh p")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(self.path("p"), "w", encoding="utf-8") as file:
            file.write("head -c 24000000 /dev/zero >&$LAUKA_REPORT_FD; echo value 7 >&$LAUKA_REPORT_FD\n")
        done = self.run_it("--read=value", "--csv", "sh p")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_no_expression_hangs_a_session(self):
        with open(self.path("p"), "w", encoding="utf-8") as file:
            file.write("tr '\\0' a </dev/zero\n")
        done = self.run_it("--timeout=1s", "--read=value=[ab]{0,400}(c)", "sh p")
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (5, 1), done.stderr)
        self.assertIn("wrote more than could be searched for --read within its --timeout", done.stderr)
        with open(self.path("p"), "w", encoding="utf-8") as file:
            file.write("head -c 3000000 /dev/zero | tr '\\0' a\n")
        for expression, said in (("(a|a)*b", "more than 1 MiB that could be one match"),
                                 ("(a)|(?:b)", "no (?:"), ("x(a*)b", "nothing that matches")):
            self.assertIn(said, self.run_it(f"--read=value={expression}", "sh p").stderr)

    def test_a_run_may_change_its_end_of_the_pipe(self):
        with open(self.path("p.py"), "w", encoding="utf-8") as file:
            file.write("import os\nprint('blocks', int(os.get_blocking(1)))\nos.set_blocking(1, False)\n")
        done = self.run_it("--read=blocks=blocks ([01])", "--json", "python3 p.py")
        self.assertEqual(json.loads(done.stdout)["results"][0]["metrics"]["blocks"]["values"], [1, 1])

    def test_what_others_write_between_runs_is_nobodys(self):
        with open(self.path("p"), "w", encoding="utf-8") as file:
            file.write('test "$LAUKA_ROUND" -eq 1 || exit 0\necho value 1\n'
                       "(while ! test -e go; do sleep 0.01; done; echo value 2; : >gone) &\n")
        with open(self.path("prepare"), "w", encoding="utf-8") as file:
            file.write('test "$LAUKA_ROUND" -eq 2 || exit 0\n: >go\nwhile ! test -e gone; do sleep 0.01; done\n')
        done = self.run_it("--keep-orphans", "--prepare=sh prepare", "--read=value=value ([0-9]+)", "sh p")
        self.assertEqual(done.returncode, 5)
        self.assertIn("wrote nothing that matches --read value=value ([0-9]+) in round 2", done.stderr)
