import dataclasses
import json
import os
import tempfile
import unittest

import lauka

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA = os.path.join(HERE, "..", "..", "..", "schema", "lauka-result.schema.json")
PROGRAM = os.environ.get("LAUKA", "lauka")
COSTS = ["--backend=simulated:effects", "-r20", "--seed=1", "--no-config"]


class Results(unittest.TestCase):
    def run_lauka(self, *arguments):
        return lauka.run([*COSTS, *arguments], lauka=PROGRAM)

    def test_a_difference_is_found(self):
        result = self.run_lauka("old cost=10ms", "new cost=11ms")
        comparison, = result.compare()
        self.assertEqual((comparison.verdict, result.exit_code), ("higher", 0))
        self.assertTrue(1.05 < comparison.low < comparison.ratio < comparison.high < 1.15)
        self.assertAlmostEqual(result.results[0].mean, 10e-3, delta=1e-3)

    def test_counters_are_got_by_name(self):
        command = self.run_lauka("a instructions=54M").results[0]
        self.assertAlmostEqual(command.get_counter("instructions"), 54e6, delta=1e6)
        self.assertIsNone(command.get_counter("unheard-of"))
        self.assertGreater(command.get_ipc(), 0)

    def test_a_failed_gate_is_a_result(self):
        result = self.run_lauka("--gate=wall_time=1%", "old cost=10ms", "new cost=12ms")
        self.assertNotEqual(result.exit_code, 0)
        self.assertIsNotNone(result.gate)

    def test_a_file_is_loaded(self):
        result = self.run_lauka("a", "b")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(result.raw, file)
            self.assertEqual(lauka.load(path).results, result.results)

    def test_what_lauka_says_is_raised(self):
        with self.assertRaises(lauka.Error) as raised:
            lauka.run(["--no-such-option"], lauka=PROGRAM)
        self.assertEqual(raised.exception.exit_code, 2)
        self.assertIn("no-such-option", str(raised.exception))

    def test_what_is_no_result_is_refused(self):
        for text in "", "[]", "{}", '{"schema": "lauka-result/2.0"}', '{"schema": "lauka-result/1.0", "results": [3]}', \
                '{"schema": "lauka-result/1.0", "results": [{"command": "a"}]}', "\xff", "[" * 100000, \
                '{"schema": "lauka-result/1.0", "results": 3}', '{"schema": "lauka-result/1.0", "benchmarks": null}':
            with self.assertRaises(lauka.Error, msg=text):
                lauka.loads(text)

    def test_members_are_those_of_the_schema(self):
        with open(SCHEMA, encoding="utf-8") as file:
            definitions = json.load(file)["$defs"]
        for kind, name in (lauka.Command, "result"), (lauka.Metric, "metric"), (lauka.Comparison, "comparison"), \
                (lauka.Benchmark, "benchmark"):
            for field in dataclasses.fields(kind):
                self.assertIn(field.name, definitions[name]["properties"], kind)
                required = field.default is dataclasses.MISSING
                self.assertLessEqual(required, field.name in definitions[name]["required"], (kind, field.name))


if __name__ == "__main__":
    unittest.main()
