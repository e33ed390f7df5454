"""Commands whose words state what they cost (--backend=simulated:effects). README.md lists its tests."""
import json
import statistics

from run import InScratch, lauka, result_of

EFFECTS = ["--backend=simulated:effects", "--seed=1"]


def effects(*arguments):
    return result_of(*EFFECTS, *arguments)


def values(result, command, metric="wall_time"):
    return result["results"][command]["metrics"][metric]["values"]


def compared(result, metric="wall_time"):
    return [c for c in result["comparisons"] if c["metric"] == metric]


def refused(*arguments):
    done = lauka(*EFFECTS, *arguments)
    assert done.stderr.count("\n") == 1, done.stderr
    return done.returncode, done.stderr


class Effects(InScratch):
    def test_a_command_costs_what_its_words_say(self):
        result = effects("-r3", "p cost=2ms noise=0%", "p cost=3ms cpu=1ms noise=0% rss=8MiB rss-noise=0% "
                                                       "instructions=5M instructions-noise=0%", "p noise=0%")
        self.assertEqual(values(result, 0), [2_000_000] * 3)
        self.assertEqual(values(result, 0, "cpu_time"), [1_800_000] * 3)
        self.assertEqual(values(result, 1), [3_000_000] * 3)
        self.assertEqual(values(result, 1, "cpu_time"), [1_000_000] * 3)
        self.assertEqual(values(result, 1, "peak_rss"), [8 << 20] * 3)
        self.assertEqual(values(result, 1, "instructions"), [5_000_000] * 3)
        self.assertEqual(values(result, 2), [10_000_000] * 3)

    def test_noise_has_its_kind_and_its_size(self):
        kinds = {kind: values(effects("-r400", "--metrics=time", f"p kind={kind} noise=2%"), 0)
                 for kind in ("normal", "lognormal", "t3", "modes")}
        for kind, found in kinds.items():
            self.assertAlmostEqual(statistics.mean(found) / 1e7, 1, delta=0.004, msg=kind)
            if kind != "t3":  # its standard deviation converges slowly
                self.assertAlmostEqual(statistics.stdev(found) / 2e5, 1, delta=0.15, msg=kind)
        self.assertAlmostEqual(sum(v > 1.01e7 for v in kinds["modes"]) / 400, 0.3, delta=0.1)
        self.assertLess(statistics.median(abs(v - 1e7) for v in kinds["t3"]),
                        statistics.median(abs(v - 1e7) for v in kinds["normal"]))

    def test_noise_does_not_depend_on_other_commands_or_on_further_words(self):
        alone = effects("-r5", "p")
        beside = effects("-r5", "p instructions-noise=5%", "q", "r fail=0%")
        self.assertEqual(values(alone, 0), values(beside, 0))
        self.assertNotEqual(values(beside, 0), values(beside, 1))
        self.assertNotEqual(values(alone, 0), values(result_of(EFFECTS[0], "--seed=2", "-r5", "p"), 0))

    def test_the_place_in_the_round_is_the_one_of_the_order(self):
        words = "noise=0% first=20% last=-10% place=1%"
        result = effects("-r12", f"p {words}", f"q {words}", f"r {words}")
        order = result["run"]["order"]
        for number in range(12):
            found = [values(result, c)[number] for c in order[3 * number:3 * number + 3]]
            self.assertEqual(found, [12_000_000, 10_100_000, 9_200_000])
        self.assertEqual(set(order[::3]), {0, 1, 2})

    def test_drift_grows_with_the_rounds(self):
        result = effects("-r3", "-w2", "p noise=0% drift=10%", "q noise=0%")
        self.assertEqual(values(result, 0), [10_000_000, 11_000_000, 12_000_000])
        self.assertEqual(values(result, 1), [10_000_000] * 3)

    def test_some_runs_fail(self):
        done = lauka(*EFFECTS, "-w0", "-r20", "p", "q fail=100%")
        self.assertEqual(done.returncode, 5)
        self.assertIn("q fail=100%: failed with exit code 1 in round 1", done.stderr)
        result = effects("-r20", "--max-failures=30", "p", "q fail=20%")
        self.assertRegex(" ".join(result["warnings"]), r"\d rounds were dropped")
        self.assertEqual(result["run"]["rounds"], 20)

    def test_words_without_a_value_and_parameters_are_as_in_real_commands(self):
        result = effects("-r2", "-L", "t", "1,2", "./prog big.txt noise=0% cost={t}ms")
        self.assertEqual([values(result, c)[0] for c in (0, 1)], [1_000_000, 2_000_000])

    def test_wrong_words_are_one_line(self):
        for word, reason in (("noise=abc", "expected a share from 0 to 100%"), ("noise=101%", "a share"),
                             ("noise=1", "a share"), ("noise=nan%", "a share"), ("noise=", "a share"),
                             ("cost=0", "expected a duration, such as 10ms"), ("cost=-1ms", "a duration"),
                             ("first=x", "a change in per cent"), ("rss=1Q", "expected an amount, such as 50M"),
                             ("kind=odd", "expected normal, lognormal, t3 or modes"),
                             ("nois=1%", "knows these words: kind, cost, noise, "), ("=1", "knows these words")):
            code, text = refused("p", f"q {word}")
            self.assertEqual(code, 2, text)
            self.assertIn(f"`q {word}`: {word}: ", text)
            self.assertIn(reason, text)
        self.assertEqual(refused("-S", "p noise=1%")[0], 2)

    def test_a_shell_or_another_scenario_reads_no_words(self):
        self.assertEqual(lauka("--backend=simulated", "-r2", "p noise=abc").returncode, 0)


WAITING = "noise=0.05% cpu=1ms cpu-noise=20%"


class ManyCommands(InScratch):
    def expect_all_slower(self, result):
        for comparison in compared(result):
            self.assertEqual(comparison["verdict"], "higher", comparison)
            self.assertGreater(comparison["low"], 1)
            self.assertLessEqual(comparison["p"], 1 - comparison["confidence"] + 1e-12)
            self.assertFalse(comparison["withdrawn"])

    def test_a_scan_takes_the_rounds_that_its_comparisons_need(self):
        words = ["-L", "t", "1.0,1.1,1.2,1.3,1.4,1.5,1.6,1.7,1.8", "p cost={t}s " + WAITING]
        result = effects(*words)
        self.assertEqual(result["run"]["rounds"], 12)  # 2 / 2^11 < 0.03 / 16, plus one
        self.expect_all_slower(result)
        self.assertEqual({c["method"] for c in compared(result)}, {"hodges_lehmann"})
        self.assertEqual(effects("--max-runs=10", *words)["run"]["rounds"], 10)
        lines = lauka(*EFFECTS, *words).stdout.splitlines()
        self.assertRegex(lines[0], r"^t=1\.0 .* s +fastest +\(medians; 95 %\)$")
        self.assertRegex(lines[4], r"^t=1\.4 .* s +(39|40)\.\d* % slower +\[")
        self.assertEqual(lines[5], "and 4 more")

    def test_a_fixed_number_of_rounds_decides_what_is_obvious(self):
        times = ",".join(str(10 + i) for i in range(14))
        many = effects("-r12", "-L", "t", times, "p cost={t}ms noise=0.5%")
        nine = effects("-r9", "p", *(f"q cost={cost}ms" for cost in (12, 20, 100, 350)))
        for result, family in ((many, 26), (nine, 8)):
            self.expect_all_slower(result)
            for comparison in compared(result):
                self.assertEqual((comparison["method"], comparison["family"]), ("hodges_lehmann", family))
        told = " ".join(lauka(*EFFECTS, "-r7", "p", "q cost=12ms", "r", "s", "t").stdout.split())
        self.assertIn("Against `p`, all 4 commands are inconclusive", told)

    def test_a_stored_result_says_the_same(self):
        stored = self.path("r.json")
        words = ["-r5", "p", "q cost=12ms", "r", "s", "t"]
        lauka(*EFFECTS, f"--json={stored}", *words)
        for arguments in (["--no-samples"], []):
            lauka(*EFFECTS, *arguments, f"--json={self.path('s.json')}", *words)
            first, second = (result_of("report", self.path(name)) for name in ("r.json", "s.json"))
            for one, other in zip(compared(first), compared(second)):
                self.assertEqual((one["method"], one["verdict"], one["confidence"]),
                                 (other["method"], other["verdict"], other["confidence"]))
                self.assertEqual(one["method"], "paired_t")

    def test_a_gate_of_many_rows_fails_what_is_obvious(self):
        words = ["p", *(f"q{i} cost={10 + i % 2}ms" for i in range(1, 10))]
        done = lauka(*EFFECTS, "-r12", "--gate", "wall_time=2%", "--json", *words)
        self.assertEqual(done.returncode, 3, done.stderr)
        rows = json.loads(done.stdout)["gate"]["limits"]
        self.assertEqual([row["verdict"] for row in rows], ["fail", "pass"] * 4 + ["fail"])
        for row in rows:
            if row["verdict"] == "fail":
                self.assertGreater(row["change_low"], 0.02)


class FewRounds(InScratch):
    def test_three_rounds_have_an_interval_and_say_how_many_a_verdict_needs(self):
        words = ["p", "q cost=20ms"]
        three, five, six = (compared(effects(f"-r{n}", *words))[0] for n in (3, 5, 6))
        self.assertEqual([c["verdict"] for c in (three, five, six)], ["inconclusive", "inconclusive", "higher"])
        self.assertGreater(three["low"], 1.8)
        told = " ".join(lauka(*EFFECTS, "-r3", *words).stdout.split())
        self.assertIn("is inconclusive: ×2.0", told)
        self.assertIn("after 3 rounds; a verdict needs at least 6", told)
        gated = lauka(*EFFECTS, "-r3", "--gate", "wall_time=1%", *words)
        self.assertEqual(gated.returncode, 0, gated.stderr)
        self.assertIn("3 rounds of at least 8 that it needs", gated.stdout)
        self.assertEqual(lauka(*EFFECTS, "-r8", "--gate", "wall_time=1%", *words).returncode, 3)

    def test_a_given_time_ends_the_rounds_whatever_is_wanted_of_them(self):
        """One round is always measured; a further one begins only if it would end within the time."""
        two = ("p cost=1s noise=0%", "q cost=1.2s noise=0%")
        for options, rounds in ((("--max-time=1ms",), 1), (("--max-time=1ms", "-m", "5"), 1), (("--max-time=4.5s",), 4),
                                (("--max-time=2s", "-r", "10"), 1), (("--budget=1s", "-w0"), 1),
                                (("--budget=9s", "-r", "10", "-w0"), 4), (("--budget=9s", "-w1", "-r", "10"), 3),
                                (("--budget=5s", "--max-time=1h", "-w0"), 2), (("--budget=1h", "--max-time=5s"), 4),
                                (("--budget=9s", "--gate=wall_time=50%", "-w0"), 4)):
            run = effects(*options, *two)["run"]
            self.assertEqual((run["rounds"], run["stopped"]), (rounds, "time"), options)
        self.assertEqual(effects("--budget=1h", "--max-time=1h", "-r3", *two)["run"]["stopped"], "rounds")
        for order in ("sequential", "rotate"):
            run = effects("--budget=9s", "-w0", "-r10", f"--order={order}", *two)["run"]
            self.assertLessEqual(run["measured"], 9, order)

    def test_too_little_time_for_a_verdict_is_said_before_the_first_round_and_at_the_end(self):
        two = ("p cost=700ms", "q cost=750ms")
        for limits, before, headline in (
                (["--max-time=2s"], "about 2 rounds fit into --max-time 2s, and a verdict needs 11: --max-time 9s would do",
                 "2 rounds in --max-time 2s; 11 need about 9s"),
                (["-d", "2000"], "about 2 rounds fit into --duration 2000, and a verdict needs 11: --max-time 9s would do",
                 "2 rounds in --duration 2000; 11 need about 9s"),
                (["--budget=9s"], "about 5 rounds fit into --budget 9s, and a verdict needs 11: --budget 20s would do",
                 "5 rounds in --budget 9s; 11 need about 20s"),
                (["--max-time=1s", "-r8"], "about 1 round fits into --max-time 1s, and a verdict needs 8: --max-time 7s would do",
                 "1 round in --max-time 1s; 8 need about 7s"),
                (["--max-time=3s", "--budget=9s"], "about 4 rounds fit into --max-time 3s and --budget 9s, and a verdict needs "
                 "11: --max-time 9s --budget 20s would do", "4 rounds in --max-time 3s; 11 need about 9s")):
            stored = self.path("j")
            done = lauka(*EFFECTS, *limits, "--gate=wall_time=1%", "--inconclusive=fail", f"--json={stored}", *two)
            verdict = f"gate: no verdict: {headline}, which counts as a failure"
            self.assertEqual((done.returncode, done.stderr), (4, f"lauka: {before}\nlauka: {verdict}\n"))
            for text in done.stdout, lauka("report", stored).stdout:
                self.assertTrue(" ".join(text.split()).startswith(verdict), text)
            self.assertRegex(" ".join(done.stdout.split()),
                             rf"verdict.* needs at least \d+ \(about --{'max-time' if 'need about 9s' in verdict or '-r8' in limits else 'budget'} \d+s\)")
        enough = lauka(*EFFECTS, "--max-time=9s", "--gate=wall_time=1%", *two)
        self.assertEqual(enough.stderr.count("\n"), 1)  # the gate's own line
        self.assertIn("FAIL: 1 of 1 limit exceeded", enough.stderr)
        for few in (["-r3"], ["-M5"]):  # more time would not help
            self.assertNotIn("would do", lauka(*EFFECTS, "--max-time=1s", *few, "--gate=wall_time=1%", *two).stderr)
        for quiet in (["-q"], ["--counters=none"]):  # without a gate nothing hangs on it
            done = lauka(*EFFECTS, "--max-time=2s", *quiet, *(["--gate=wall_time=1%"] if quiet == ["-q"] else []), *two)
            self.assertNotIn("would do", done.stderr)

    def test_without_a_warm_up_it_is_said_after_the_first_round(self):
        two = ("p cost=700ms", "q cost=750ms")
        done = lauka(*EFFECTS, "-w0", "--max-time=2s", "--gate=wall_time=1%", *two)
        self.assertTrue(done.stderr.startswith("lauka: about 2 rounds fit into --max-time 2s, and a verdict needs 11: "
                                               "--max-time 9s would do\n"), done.stderr)
        self.assertEqual(lauka(*EFFECTS, "-w0", "-r100", "p cost=300ms").stderr,
                         "lauka: a run takes about 0.3 s: 100 rounds of 1 command take about 31 s; --budget 15s ends earlier, "
                         "Ctrl-C reports what is there\n")
        with open(self.path("c"), "w") as file:
            file.write("".join(f"[{name}]\np cost={cost}\nq cost={cost}\n" for name, cost in
                               (("parse", "400ms"), ("render", "300ms"), ("write", "1ms"))))
        told = lauka(*EFFECTS, "-w0", f"--config={self.path('c')}", "--budget=5s", "--gate=wall_time=1%").stderr
        self.assertEqual(told.count("would do"), 1, told)

    def test_of_several_benchmarks_those_with_too_little_time_are_counted(self):
        with open(self.path("c"), "w") as file:
            file.write("".join(f"[{name}]\np cost={cost}\nq cost={cost}\n" for name, cost in
                               (("parse", "400ms"), ("render", "300ms"), ("write", "1ms"))))
        told = lauka(*EFFECTS, f"--config={self.path('c')}", "--budget=5s", "--gate=wall_time=1%").stderr
        self.assertIn("lauka: 2 of 3 benchmarks, such as parse: about 1 round fits into --budget 5s, and a verdict needs 11: "
                      "--budget 19s would do\n", told)
        self.assertIn("lauka: gate: inconclusive in 2 of 3 benchmarks, parse, render, in --budget 5s: a warning", told)

    def test_a_session_that_takes_long_says_so_before_its_rounds(self):
        long = "; --budget 15s ends earlier, Ctrl-C reports what is there\n"
        three = ["p cost=3s", "q cost=3.1s", "r cost=3.2s"]
        for words, said in ((three, "a run takes about 3.1 s: 10 rounds of 3 commands take about 2 min at least"),
                            (["-r100", "p cost=300ms"], "a run takes about 0.3 s: 100 rounds of 1 command take about 31 s"),
                            (["-r100", "--order=sequential", "p cost=300ms", "q cost=300ms"],
                             "a run takes about 0.3 s: 100 rounds of 2 commands take about 61 s"),
                            (["--until=0", "p", "q", "r", "s", "t"], "5 commands take about 25 s")):
            self.assertEqual(lauka(*EFFECTS, *words).stderr, f"lauka: {said}{long}")
        for words in (["p", "q", "r", "s", "t"], ["p cost=300ms", "q cost=300ms"], ["-q", *three],
                      ["--budget=1m", *three], ["--max-time=1m", *three], ["-r100", "p", "q"]):
            self.assertEqual(lauka(*EFFECTS, *words).stderr, "", words)
        with open(self.path("c"), "w") as file:
            file.write("".join(f"[{name}]\np cost=90ms\nq cost=90ms\n" for name in "abcdefghij"))
        self.assertEqual(lauka(*EFFECTS, f"--config={self.path('c')}").stderr, "lauka: 10 benchmarks take about 22 s at least" + long)

    def test_why_the_rounds_ended_is_true(self):
        slow = ("p cost=3s noise=20%", "q cost=3s noise=20%")
        for words, said in ((["--until=0", "p", "q"], "time budget used up"),
                            (["p cost=450ms noise=20%", "q cost=450ms noise=20%"], "time budget used up"),
                            (["--until=0", *slow], "the fewest that are measured without --max-time or --budget"),
                            (["--until=0", "-m4", *slow], "as many as --min-runs asks for"),
                            (["--max-time=8s", *slow], "no further round fits into --max-time 8s"),
                            (["--budget=8s", "--max-time=1m", *slow], "no further round fits into --budget 8s"),
                            (["--budget=8m", "--max-time=8s", *slow], "no further round fits into --max-time 8s")):
            told = " ".join(lauka(*EFFECTS, *words).stdout.split())
            self.assertRegex(told, rf" rounds? after 1 warm-up in [^;]*; {said}[;:]", words)

    def test_what_would_decide_names_the_limit_that_ended_the_rounds(self):
        """The line below the table and --answer, whose option an agent types beside what it typed before."""
        pair = ("p noise=10%", "q noise=10%")
        for words, option, below in ((["-r12"], r"--runs=[1-9]\d{2,}", ""), (["-r3"], "--runs=40", ""),
                                     (["--budget=2s"], "--budget=16s", r"fits into --budget 2s: about --budget=16s would reach"),
                                     (["--budget=100ms"], "--budget=1s", ""),
                                     (["--max-time=500ms"], "--max-time=8s", "about --max-time=8s for each command would"),
                                     ([], r"--max-time=1\ds", r"used up: about --max-time=1\ds for each command would")):
            done = lauka("--backend=simulated:effects", "--seed=7", "--answer=" + self.path("a"), *words, *pair)
            with open(self.path("a")) as file:
                self.assertRegex(json.load(file)["next"], f"^measure (longer|more rounds): {option}$", words)
            self.assertRegex(" ".join(done.stdout.split()), below or ".", words)

    def test_files_of_three_values_have_an_interval_and_no_verdict(self):
        for name, values_ in (("a", (10, 11, 10.5)), ("b", (20, 21, 22))):
            with open(self.path(name + ".csv"), "w") as file:
                file.write("time\n" + "".join(f"{v}\n" for v in values_))
        result = result_of("compare", "--paired", "--column=time", self.path("a.csv"), self.path("b.csv"))
        self.assertEqual(result["comparisons"][0]["verdict"], "inconclusive")
        self.assertGreater(result["comparisons"][0]["low"], 1.5)

    def test_the_first_place_of_a_round_is_no_difference(self):
        for rounds in (4, 5):
            for seed in range(12):
                result = result_of(EFFECTS[0], f"--seed={seed}", f"-r{rounds}", "p first=20%", "q first=20%")
                self.assertIn(compared(result)[0]["verdict"], ("inconclusive", "equivalent"))

    def test_in_a_block_of_rounds_each_command_has_each_place_equally_often(self):
        for backend in (["--backend=simulated"], []):
            for commands, block in ((2, 10), (4, 20)):
                order = result_of(*backend, f"-r{2 * block}", "--seed=5", "-w1", *["true"] * commands)["run"]["order"]
                for start in (0, block * commands):
                    for place in range(commands):
                        there = order[start + place:start + block * commands:commands]
                        self.assertEqual([there.count(c) for c in range(commands)], [block // commands] * commands)
                self.assertNotEqual(order[:block * commands], order[block * commands:])

    def test_a_failed_round_is_run_again_in_its_order(self):
        whole, broken = (effects("-r30", "--max-failures=999", "p", f"q fail={share}", "r")["run"]["order"]
                         for share in ("0%", "40%"))
        self.assertEqual(whole, broken)


class WithoutSamples(InScratch):
    def test_what_zeros_leave_without_an_estimate_is_told(self):
        note = "system_time was 0 in some rounds: it is compared only where single values are kept."
        stored = self.path("json")
        commands = "a cpu=8us cpu-noise=60%", "b cpu=8us cpu-noise=60%"
        for more in [], ["--full"]:
            self.assertIn("note: " + note, " ".join(lauka(*EFFECTS, "-r20", "--no-samples", f"--json={stored}", *more,
                                                          *commands).stdout.split()))
        self.assertIn("> note: " + note.replace("_", "\\_"), lauka("report", "--markdown", stored).stdout)
        self.assertIn("<li>" + note, lauka("report", "--html", stored).stdout)
        self.assertNotIn("only where single values are kept", lauka(*EFFECTS, "-r20", "--full", *commands).stdout)


class Waiting(InScratch):
    def test_where_commands_wait_wall_time_alone_decides_when_to_stop(self):
        result = effects(f"sleep cost=1s {WAITING}", f"sleep cost=1.1s {WAITING}")
        self.assertEqual((result["run"]["rounds"], result["run"]["stopped"]), (10, "precision"))
        both = effects("--max-time=20s", "sleep cost=1s noise=0.05% cpu-noise=20%",
                       "sleep cost=1.1s noise=0.05% cpu-noise=20%")  # nine tenths of it is CPU time
        self.assertEqual(both["run"]["stopped"], "time")

    def test_one_command_that_computes_is_enough_for_cpu_time_to_count(self):
        result = effects("p cost=1s noise=0.05% cpu=99ms cpu-noise=40%", "q cost=1s noise=0.05% cpu=120ms cpu-noise=40%")
        self.assertEqual(result["run"]["stopped"], "time")

    def test_advice_names_the_metric_that_needs_it(self):
        for noise, name in (("noise=8% cpu-noise=0.1%", "wall time"), ("noise=0.1% cpu-noise=9%", "CPU time")):
            told = lauka(*EFFECTS, f"p cost=1s {noise}", f"q cost=1.02s {noise}").stdout
            self.assertRegex(" ".join(told.split()),
                             rf"about --max-time=\d+[smh] for each command would reach .1 % in {name}; seed")


# With 8 rounds, ranks alone would decide nothing: the first command of a round pays four times the
# difference.
PLACES = ["-r8", "--metrics=time", "p cost=10ms noise=1% first=20%", "q cost=10.5ms noise=1% first=20%"]


class Places(InScratch):
    def test_what_the_first_of_a_round_pays_is_not_taken_for_noise(self):
        result = effects(*PLACES)
        [wall] = compared(result)
        self.assertEqual(wall["verdict"], "higher")
        self.assertTrue(1 < wall["low"] < 1.05 < wall["high"] < 1.1, wall)
        done = lauka(*EFFECTS, "--gate=wall_time=1%", *PLACES)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)

    def stored(self, name, result):
        with open(self.path(name), "w") as file:
            json.dump(result, file)
        return self.path(name)

    def test_a_stored_result_is_judged_by_its_orders_as_it_was(self):
        result = effects(*PLACES)
        stored = self.stored("stored.json", result)
        self.assertEqual(result_of("report", stored)["comparisons"], result["comparisons"])
        self.assertEqual(lauka("gate", "--gate=wall_time=1%", stored).returncode, 3)
        result["run"]["order"] = []  # like a file without orders
        [wall] = compared(result_of("report", self.stored("unknown.json", result)))
        self.assertEqual(wall["verdict"], "inconclusive")
