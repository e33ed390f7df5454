"""Budgets: the most that one command may cost, without a comparison."""
import csv
import json
import xml.etree.ElementTree

from run import InScratch, lauka


class Budgets(InScratch):
    def lauka(self, *arguments, **keywords):
        return lauka("--backend=simulated:effects", "--seed=1", "-q", *arguments, cwd=self.folder, **keywords)

    def verdict(self, limit, *arguments):
        done = self.lauka("-r60", "--gate", limit, "--json=j", "--style=none", *(arguments or ["a cost=10ms"]))
        with open(self.path("j"), encoding="utf-8") as file:
            row, = json.load(file)["gate"]["limits"]
        return done.returncode, row

    def test_one_command_is_held_to_it(self):
        code, row = self.verdict("wall_time<=12ms")
        self.assertEqual((code, row["verdict"], row["command"], row["at_most"]), (0, "pass", 0, 12000000))
        self.assertLess(row["value_low"], row["value"])
        self.assertLess(row["value"], row["value_high"])
        self.assertIsNone(row["change"])
        self.assertIsNone(row["difference"])
        code, row = self.verdict("wall_time <= 9 ms")
        self.assertEqual((code, row["verdict"]), (3, "fail"))
        self.assertLess(row["p"], 0.001)
        code, row = self.verdict("wall_time<=10ms")
        self.assertEqual((code, row["verdict"], row["undecided"]), (0, "inconclusive", "limit within interval"))

    def test_what_is_over_it_is_an_annotation(self):
        with open(self.path("config"), "w", encoding="utf-8") as file:
            file.write("[one]\na cost=10ms\n[two]\nb cost=1ms\n")
        for words, name in (("a cost=10ms", ""), ("--config=config", "one: ")):
            done = self.lauka("-r60", "--github", "--gate", "wall_time<=5ms", words, env={"GITHUB_STEP_SUMMARY": ""})
            errors = [line for line in done.stdout.splitlines() if line.startswith("::error")]
            self.assertEqual(len(errors), 1, done.stdout)
            self.assertIn(f"::error title=lauka::{name}`a cost=10ms`: wall_time ", errors[0])

    def test_statistics_and_sizes(self):
        self.assertEqual(self.verdict("cpu_time.mean<=9.5ms")[1]["verdict"], "pass")
        self.assertEqual(self.verdict("wall.median<=9ms")[1]["verdict"], "fail")
        self.assertEqual(self.verdict("instructions<=1M", "a instructions=2M")[0], 3)
        self.assertEqual(self.verdict("peak_rss<=64MiB", "a rss=8MiB")[1]["verdict"], "pass")
        self.assertEqual(self.verdict("peak_rss<=4MiB", "a rss=8MiB rss-noise=0%")[1]["exact"], True)
        code, row = self.verdict("wall_time.p99<=12ms")
        self.assertEqual((code, row["undecided"], row["rounds_needed"]), (0, "too few rounds", 528))

    def test_the_reference_is_not_judged_beside_others(self):
        code, row = self.verdict("wall_time<=9.5ms", "a cost=10ms", "b cost=9ms")
        self.assertEqual((code, row["command"], row["verdict"]), (0, 1, "pass"))
        code, row = self.verdict("wall_time<=9.5ms", "a cost=9ms", "b cost=10ms")
        self.assertEqual((code, row["command"], row["verdict"]), (3, 1, "fail"))

    def test_rounds_go_on_until_it_is_decided(self):
        done = self.lauka("--gate", "wall_time<=9.99ms", "--json", "a cost=10ms noise=1%")
        result = json.loads(done.stdout)
        self.assertEqual((done.returncode, result["run"]["stopped"]), (0, "time"))
        done = self.lauka("--gate", "wall_time<=12ms", "--json", "a cost=1s noise=1%", "--max-time=30s")
        self.assertEqual(json.loads(done.stdout)["run"]["stopped"], "gate")
        done = self.lauka("--gate", "wall_time<=2s", "--json", "a cost=1s")  # 5 s are 5 rounds: too few
        self.assertEqual((done.returncode, json.loads(done.stdout)["run"]["rounds"]), (0, 20))

    def test_a_change_is_told_beside_a_budget_that_holds(self):
        done = self.lauka("-r60", "--gate=wall_time<=20ms", "--pr-comment=c", "--style=none", "a cost=10ms", "b cost=12ms")
        self.assertEqual(done.returncode, 0)
        with open(self.path("c"), encoding="utf-8") as file:
            comment = file.read()
        self.assertIn("### 🔶 lauka: changed, but within the limits. `b cost=12ms` wall\\_time **12.0", comment)
        self.assertIn(", limit ≤ 20 ms\n", comment)
        self.assertRegex(comment, r"\n\| 🔶\s*slower \| `wall_time` \| \*\*\+(19|20)\.\d\s%\*\*\s\[")

    def test_every_document_has_it(self):
        done = self.lauka("-r60", "--gate=wall_time<=9ms", "--gate=peak_rss<=1GiB", "--junit=x", "--markdown=m", "--html=h",
                          "--csv=c", "--pr-comment=p", "a cost=10ms")
        self.assertEqual((done.returncode, done.stderr), (3, "lauka: gate: FAIL: 1 of 2 limits exceeded: wall time 9.98 ms\n"))
        self.assertRegex(done.stdout, r"  FAIL  wall_time  9\.\d+ ms \[[\d.]+, [\d.]+\] +limit ≤ 9 ms\n")
        self.assertRegex(done.stdout, r"  pass  peak_rss   2\.\d+ MiB \[[\d.]+, [\d.]+\] +limit ≤ 1 GiB\n")
        text = {name: open(self.path(name), encoding="utf-8").read() for name in "mhp"}
        self.assertIn("| ❌ FAIL | `wall_time` | 9.9", text["m"])
        self.assertIn(" | ≤ 9 ms | ", text["m"])
        self.assertIn("| Value, 99\u00a0% interval |", text["m"])
        self.assertIn('<td class="v e" data-t="limit">≤ 9\u00a0ms</td>', text["h"])
        self.assertIn("### ❌ lauka: over budget", text["p"])
        self.assertIn("why the budget may grow", text["p"])
        failure = xml.etree.ElementTree.parse(self.path("x")).find(".//failure")
        self.assertEqual(failure.get("type"), "budget")
        self.assertIn("limit ≤ 9 ms", failure.get("message"))
        with open(self.path("c"), newline="", encoding="utf-8") as file:
            row, = csv.DictReader(file)
        self.assertEqual((row["wall_time_typical_budget"], row["peak_rss_typical_budget"]), ("fail", "pass"))

    def test_annotations_tell_it_of_a_single_command(self):
        done = self.lauka("-r60", "--gate=wall_time<=9ms", "--style=none", "--github", "a cost=10ms",
                          env={"GITHUB_STEP_SUMMARY": self.path("summary")})
        self.assertRegex(done.stdout, "::error title=lauka::`a cost=10ms`: wall_time 9.9.* limit ≤ 9 ms: FAIL\n")

    def test_stored_results_are_held_to_it(self):
        self.lauka("-r60", "--gate=wall_time<=9ms", "--gate=cpu_time.mean<=9.5ms", "--json=j", "a cost=10ms")
        self.assertEqual(lauka("report", self.path("j"), "--json=" + self.path("again")).returncode, 0)
        with open(self.path("j"), "rb") as one, open(self.path("again"), "rb") as other:
            self.assertEqual(one.read(), other.read())
        self.assertEqual(lauka("gate", self.path("j")).returncode, 3)
        self.assertEqual(lauka("gate", self.path("j"), "--gate=wall_time<=11ms").returncode, 0)
        with open(self.path("numbers"), "w", encoding="utf-8") as file:
            file.write("".join(f"{i}\n{21 - i}\n" for i in range(1, 11)))
        self.assertEqual(lauka("gate", self.path("numbers"), "--gate=value<=17").returncode, 0)
        self.assertEqual(lauka("gate", self.path("numbers"), "--gate=value<=3").returncode, 3)

    def test_a_file_of_limits_may_have_them_and_exceptions_excuse_them(self):
        with open(self.path("gates"), "w", encoding="utf-8") as file:
            file.write("wall_time<=9ms\nwall_time=50%\n[b cost=11ms]\nwall_time<=12ms\n")
        arguments = ("-r60", "--gate-file=gates", "a cost=10ms", "b cost=11ms")
        self.assertEqual(self.lauka(*arguments).returncode, 0)  # a budget does not replace a limit on a change
        self.assertIn("limit 50 %", self.lauka(*arguments).stdout)
        with open(self.path("allowed"), "w", encoding="utf-8") as file:
            file.write("* wall_time until=2999-01-01 why not\n")
        done = self.lauka("-r60", "--gate=wall_time<=9ms", "--allow=allowed", "a cost=10ms")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("allowed until 2999-01-01", done.stdout)

    def test_benchmarks_of_one_command_are_held_to_it(self):
        with open(self.path("config"), "w", encoding="utf-8") as file:
            file.write("-r60\n--gate=wall_time<=20ms\n[x]\na cost=10ms\n[y]\na cost=11ms\n--gate=wall_time<=9ms\n")
        done = self.lauka("--config=config")
        self.assertEqual((done.returncode, done.stderr), (3, "lauka: y: gate: FAIL: 1 of 1 limit exceeded: wall time 11.0 ms\n"))
        self.assertTrue(done.stdout.startswith("1 of 2 benchmarks is over the limit; 1 within the limits\n"))
        self.assertRegex(done.stdout, r"  y  11\.\d+ ms \[[\d.]+, [\d.]+\]  FAIL  limit ≤ 9 ms\n")
        self.assertEqual(self.lauka("--config=config", "--benchmark=x").returncode, 0)

    def test_what_it_cannot_be_is_refused(self):
        for limit, says in (("wall_time<=5%", "METRIC<=5ms is a budget"), ("wall_time<=5MiB", "a time, such as <=5ms"),
                            ("peak_rss<=5ms", "a size, such as <=64MiB"), ("wall_time<=", "METRIC<=5ms is a budget"),
                            ("wall_time.max<=5ms", "the maximum cannot be gated"),
                            ("ipc<=2", "more of it is better"), ("wall_time=2%", "a budget, such as wall_time<=5ms")):
            done = self.lauka("--gate", limit, "a")
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), limit)
            self.assertIn(says, done.stderr)
        done = self.lauka("noise", "--gate=wall_time<=5ms", "a")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("a budget (<=) compares nothing", done.stderr)
        self.assertEqual(self.lauka("--gate=wall_time<=5ms", "--no-samples", "a").returncode, 2)

    def test_what_cannot_be_seen_is_within_a_budget_above_it(self):
        done = lauka("-r60", "-q", "--gate=peak_rss<=1GiB", "--", "/bin/true")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("pass", done.stdout)
        document = json.loads(lauka("-r60", "-q", "--gate=peak_rss.mean<=1KiB", "--json", "--", "/bin/true").stdout)
        seen = document["results"][0]["metrics"]["peak_rss"]["mean"] > document["run"]["rss_floor"]
        self.assertEqual(document["gate"]["verdict"], "fail" if seen else "inconclusive")
