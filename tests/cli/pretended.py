"""Commands that say themselves what they cost, of --backend=simulated:effects: README.md lists its tests."""
import statistics

from run import InScratch, lauka, result_of

EFFECTS = ["--backend=simulated:effects", "--seed=1"]


def effects(*arguments):
    return result_of(*EFFECTS, *arguments)


def values(result, command, metric="wall_time"):
    return result["results"][command]["metrics"][metric]["values"]


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
            if kind != "t3":  # whose deviation converges slowly
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
        for word, reason in (("noise=abc", "a share from 0 to 100% is needed"), ("noise=101%", "a share"),
                             ("noise=1", "a share"), ("noise=nan%", "a share"), ("noise=", "a share"),
                             ("cost=0", "a duration, such as 10ms is needed"), ("cost=-1ms", "a duration"),
                             ("first=x", "a change in per cent"), ("rss=1Q", "an amount, such as 50M is needed"),
                             ("kind=odd", "normal, lognormal, t3 or modes is needed"),
                             ("nois=1%", "knows these words: kind, cost, noise, "), ("=1", "knows these words")):
            code, text = refused("p", f"q {word}")
            self.assertEqual(code, 2, text)
            self.assertIn(f"`q {word}`: {word}: ", text)
            self.assertIn(reason, text)
        self.assertEqual(refused("-S", "p noise=1%")[0], 2)

    def test_a_shell_or_another_scenario_reads_no_words(self):
        self.assertEqual(lauka("--backend=simulated", "-r2", "p noise=abc").returncode, 0)
