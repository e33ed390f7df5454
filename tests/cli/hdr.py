"""Documents for tools that use HdrHistogram, and logs from such tools. run.py runs these tests."""
import base64
import json
import re
import resource
import struct
import subprocess
import zlib
from random import Random

import run
from run import InScratch, lauka
from workers import once


def encoded(counts):
    """Encodes a histogram in HdrHistogram's V2 with three digits, from the counts of the values 0, 1, 2
    ... up to 2047."""
    payload = b""
    for count in counts:
        number = count << 1 if count > 0 else 1  # zigzag: -1 is one empty count
        while number >= 128:
            payload, number = payload + bytes([number & 127 | 128]), number >> 7
        payload += bytes([number])
    plain = struct.pack(">IIIIQQd", 0x1c849313, len(payload), 0, 3, 1, 1 << 40, 1.0) + payload
    packed = zlib.compress(plain)
    return base64.b64encode(struct.pack(">II", 0x1c849314, len(packed)) + packed).decode()


class HdrDocuments(InScratch):
    def session(self, *arguments, code=0):
        done = lauka("--no-config", "-q", *arguments, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def pretend(self, *arguments):
        return self.session("--backend=simulated", "--seed=1", "-r40", "--json=j", *arguments)

    def lines(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read().splitlines()

    def test_a_log_has_a_tag_for_each_command_and_is_read_again(self):
        self.pretend("--hlog=log", "-n", "a, b", "-n", "a__b", "a", "b")
        lines = self.lines("log")
        self.assertEqual(lines[0], "#[lauka: wall_time in ns, Interval_Max in ms]")
        tags = [line.split(",")[0] for line in lines if line.startswith("Tag=")]
        self.assertEqual((len(tags), len(set(tags))), (2, 2), lines)
        self.session("report", "log", "--json=again")
        first, again = (json.load(open(self.path(name))) for name in ("j", "again"))
        for number, tag in enumerate(tags):
            before = first["results"][number]["metrics"]["wall_time"]
            after = again["results"][number]["metrics"]["wall_time"]
            self.assertEqual(again["results"][number]["command"], tag.removeprefix("Tag="))
            self.assertEqual((len(after["values"]), after["unit"], after["better"]), (40, "ns", "lower"))
            self.assertAlmostEqual(after["median"] / before["median"], 1, delta=1e-3)

    def write_run(self, name, effect, random):
        """A log of 400 lognormal latencies, all of which the effect of the run multiplies."""
        counts = [0] * 2048
        for _ in range(400):
            counts[min(2047, round(500 * (1 + effect) * random.lognormvariate(0, 0.3)))] += 1
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write('#[Histogram log format version 1.3]\n"StartTimestamp","Interval_Length","Interval_Max",'
                       f'"Interval_Compressed_Histogram"\n0.0,1.0,2.0,{encoded(counts)}\n')
        return name

    def claims(self, logs, statistic, random):
        """In 40 comparisons of a server with itself whose runs differ by 3 %, how many claim a difference."""
        claims = 0
        for _ in range(40):
            sides = [[self.write_run(f"{side}{i}", random.gauss(0, 0.03), random) for i in range(logs)] for side in "ab"]
            done = self.session("compare", *sides[0], "--vs", *sides[1], f"--primary={statistic}", "--json=-")
            verdicts = [c["verdict"] for c in json.loads(done.stdout)["comparisons"] if c["metric"] == statistic]
            self.assertEqual(len(verdicts), 1)
            claims += verdicts[0] not in ("inconclusive", "equivalent", "none")
        return claims

    def test_runs_of_one_server_that_differ_are_claimed_seldom_and_one_of_each_never(self):
        random = Random(20261126)
        self.assertLessEqual(self.claims(4, "p50", random), 4)
        self.assertLessEqual(self.claims(4, "p99", random), 4)
        for _ in range(40):
            for name in "ab":
                self.write_run(name, random.gauss(0, 0.03), random)
            comparisons = json.loads(self.session("compare", "a", "b", "--json=-").stdout)["comparisons"]
            self.assertEqual({c["verdict"] for c in comparisons}, {"inconclusive"})

    def test_one_command_has_no_tag_and_its_own_metric(self):
        self.pretend("--hlog=log", "--hgrm=gram", "--metrics=ipc", "a")
        lines = self.lines("log")
        self.assertTrue(re.fullmatch(r"#\[lauka: ipc, histograms hold the value times 10+, higher is better\]", lines[0]), lines)
        self.assertRegex(lines[-1], r"^0\.000,[0-9.]+,[0-9.]+,HISTFAAA")
        ipc = json.load(open(self.path("j")))["results"][0]["metrics"]["ipc"]
        # The maximum has the metric's own unit, and so have percentiles.
        self.assertAlmostEqual(float(lines[-1].split(",")[2]) / ipc["quantiles"]["100"], 1, delta=2e-3)
        self.session("report", "log", "--json=again")
        again = json.load(open(self.path("again")))["results"][0]
        self.assertEqual(again["command"], "log")
        self.assertAlmostEqual(again["metrics"]["ipc"]["mean"] / ipc["mean"], 1, delta=1e-3)

    def test_the_commands_of_a_log_are_compared_with_each_other_in_their_unit(self):
        self.pretend("--hlog=log", "./a", "./b")
        text = " ".join(self.session("compare", "log").stdout.split())
        self.assertRegex(text, r"^`\./b` is [0-9.]+ % (slower|faster) than `\./a` .*: (mean|typically) [0-9.]+ ms against "
                               r"[0-9.]+ ms wall time")

    def test_a_session_beside_a_log_is_one_observation_whichever_comes_first(self):
        self.pretend("--hlog=log", "a")
        for files in ("j", "log"), ("log", "j"):
            self.session("compare", *files, "--json=both")
            self.assertEqual(json.load(open(self.path("both")))["run"]["apart"], "sessions", files)

    def test_percentiles_are_of_the_command_that_is_asked_for(self):
        self.pretend("--hgrm=one", "--hgrm-command=1", "a", "b")
        self.session("report", "j", "--hgrm=first")
        self.session("report", "j", "--hgrm=two", "--hgrm-command=2")
        self.assertEqual(self.lines("one"), self.lines("first"))
        self.assertEqual([self.lines(name)[0] for name in ("one", "two")],
                         ["#[lauka: wall_time in us of a]", "#[lauka: wall_time in us of b]"])
        for number, name in enumerate(("one", "two")):
            most = json.load(open(self.path("j")))["results"][number]["max"]
            rows = [line.split() for line in self.lines(name) if line and not line.startswith("#")]
            self.assertEqual(rows[0], ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"])
            self.assertEqual(rows[-1][2], "40")
            self.assertAlmostEqual(float(rows[-1][0]) / 1e6 / most, 1, delta=1e-3)

    def test_a_command_that_is_not_there_is_an_error(self):
        for arguments in (["--backend=simulated", "-r2", "a"], ["report", "j"]):
            self.pretend("a")
            done = self.session(*arguments, "--hgrm=gram", "--hgrm-command=2", code=2)
            self.assertTrue(done.stderr.endswith("--hgrm-command: there are fewer commands\n"), done.stderr)
        self.assertEqual(self.session("report", "j", "--hgrm-command=1", code=2).stderr,
                         "lauka: --hgrm-command goes with --hgrm\n")

    def test_they_are_the_same_without_single_runs(self):
        self.pretend("--hlog=log", "--hgrm=gram", "a", "b")
        kept = [line for line in self.lines("gram") if not line.startswith("#[Buckets")]
        self.pretend("--no-samples", "--hlog=log", "--hgrm=gram", "a", "b")
        self.assertEqual([line for line in self.lines("gram") if not line.startswith("#[Buckets")], kept)
        self.session("compare", "log", "log")


@once("a sanitizer needs more address space")
class HistogramsOfVeryManyValues(InScratch):
    """Two weeks of a server's latencies: 10^10 values."""

    def logs(self, old="old", new="new", tenth=10 ** 9):
        for name, shift in ((old, 0), (new, 10)):
            counts = [0] * (100 + shift) + [5 * tenth, 4 * tenth, tenth - 1] + [0] * 800 + [1]
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write(f"0.000,1.000,1.000,{encoded(counts)}\n")

    def run_small(self, *arguments, said=""):
        """Runs lauka with less memory than a tenth of the values would need."""
        done = subprocess.run([run.LAUKA, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              cwd=self.folder, timeout=60,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)))
        self.assertEqual(done.stderr, said)
        return done

    def test_they_are_reported(self):
        self.logs()
        done = self.run_small("report", "old", "--percentiles", "--json=j")
        self.assertEqual(done.returncode, 0)
        value = json.load(open(self.path("j")))["results"][0]["metrics"]["value"]
        self.assertEqual((value["quantiles"]["50"], value["quantiles"]["99"]), (100, 102))
        self.assertAlmostEqual(value["mean"], 100.6, places=6)
        again = self.run_small("report", "j", "--percentiles", "--json=k")
        self.assertEqual(again.stdout, done.stdout)
        self.assertEqual(open(self.path("k")).read(), open(self.path("j")).read())

    def test_they_are_compared_without_verdicts(self):
        self.logs()
        done = self.run_small("compare", "old", "new", "--full", "--percentiles", "--json=j", "--csv=c", "--markdown=m",
                              "--hlog=l", "--hgrm=g", "--pr-comment=p")
        self.assertEqual(done.returncode, 0)
        text = " ".join(done.stdout.split())
        self.assertIn("note: there are too many values to keep each of them: means and percentiles are compared; "
                      "the table's intervals and verdicts need single values and are left out", text)
        self.assertIn("100.6", text)
        self.assertIn("110.6", text)
        for word in ("slower", "faster", "higher", "lower", "equivalent", "identical"):
            self.assertNotIn(word, text)
        comment = open(self.path("p"), encoding="utf-8").read()
        self.assertIn("lauka: inconclusive. `new` value", comment)
        self.assertIn("**Next step:** compare the percentiles, or fewer values.", comment)
        self.assertNotIn('"verdict":"pass"', comment)
        comparison = json.load(open(self.path("j")))
        self.assertFalse(comparison["run"]["samples"])
        again = self.run_small("report", "j", "--full", "--percentiles")
        self.assertEqual(again.stdout, done.stdout)

    def test_they_have_a_page(self):
        """10^8 counts: single values would still need too much memory, and the time grows only with the
        square root of their number."""
        self.logs(tenth=10 ** 7)
        self.assertEqual(self.run_small("compare", "old", "new", "--html=h").returncode, 0)
        with open(self.path("h"), encoding="utf-8") as file:
            self.assertIn("there are too many values to keep each of them", " ".join(file.read().split()))

    def test_an_annotation_says_what_is_missing(self):
        self.logs()
        self.assertIn("::warning title=lauka::`new`: value is not judged, as single values were not kept\n",
                      lauka("compare", "--github", "-q", "old", "new", cwd=self.folder).stdout)

    def test_no_gate_passes_on_them(self):
        self.logs()
        done = self.run_small("gate", "old", "new", "--gate=value=50%", "--inconclusive=fail",
                              said="lauka: gate: inconclusive: 1 of 1 limit undecided (value), which counts as a failure\n")
        self.assertEqual(done.returncode, 4, done.stdout)
        self.assertIn("it needs single runs, which were not kept", done.stdout)
