"""Documents for tools that know HdrHistogram, and logs of theirs. Run by run.py."""
import json
import re

from run import InScratch, lauka


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
        self.session("compare", "log", "log", "--json=again")
        first, again = (json.load(open(self.path(name))) for name in ("j", "again"))
        for number, tag in enumerate(tags):
            before = first["results"][number]["metrics"]["wall_time"]
            after = again["results"][0]["metrics"][tag.removeprefix("Tag=")]
            self.assertEqual(len(after["values"]), 40)
            self.assertAlmostEqual(after["median"] / before["median"], 1, delta=1e-3)

    def test_one_command_has_no_tag_and_its_own_metric(self):
        self.pretend("--hlog=log", "--hgrm=gram", "--metrics=ipc", "a")
        lines = self.lines("log")
        self.assertTrue(re.fullmatch(r"#\[lauka: ipc, histograms hold the value times 10+\]", lines[0]), lines)
        self.assertRegex(lines[-1], r"^0\.000,[0-9.]+,[0-9.]+,HISTFAAA")
        ipc = json.load(open(self.path("j")))["results"][0]["metrics"]["ipc"]
        # The maximum is in the unit itself, and so are percentiles.
        self.assertAlmostEqual(float(lines[-1].split(",")[2]) / ipc["quantiles"]["100"], 1, delta=2e-3)
        self.session("report", "log", "--json=again")
        self.assertIn("value", json.load(open(self.path("again")))["results"][0]["metrics"])

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
            self.assertTrue(done.stderr.endswith("--hgrm-command: there are not so many commands\n"), done.stderr)
        self.assertEqual(self.session("report", "j", "--hgrm-command=1", code=2).stderr,
                         "lauka: --hgrm-command goes with --hgrm\n")

    def test_they_are_the_same_without_single_runs(self):
        self.pretend("--hlog=log", "--hgrm=gram", "a", "b")
        kept = [line for line in self.lines("gram") if not line.startswith("#[Buckets")]
        self.pretend("--no-samples", "--hlog=log", "--hgrm=gram", "a", "b")
        self.assertEqual([line for line in self.lines("gram") if not line.startswith("#[Buckets")], kept)
        self.session("compare", "log", "log")
