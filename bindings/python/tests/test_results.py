import dataclasses
import json
import math
import os
import tempfile
import unittest

import lauka

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA = os.path.join(HERE, "..", "..", "..", "schema", "lauka-result.schema.json")
PROGRAM = os.environ.get("LAUKA", "lauka")
MISSING = object()
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

    def test_members_of_other_types_are_refused(self):
        raw = self.run_lauka("a", "b").raw
        for place in ("results", 0), ("results", 0, "metrics", "cycles"), ("comparisons", 0), ("benchmarks", 0), ():
            kind = {0: lauka.Result, 4: lauka.Metric}.get(len(place)) or \
                {"results": lauka.Command, "comparisons": lauka.Comparison, "benchmarks": lauka.Benchmark}[place[0]]
            for field in dataclasses.fields(kind):
                if field.name in ("raw", "exit_code"):
                    continue
                for bad in "x", [3], {"x": 3}, True, 3.5, math.nan, math.inf, 10 ** 400, None, MISSING:
                    self.attack(raw, (*place, field.name), field, bad)

    def attack(self, raw, place, field, bad):
        text = json.loads(json.dumps(raw))
        parent = text
        for step in place[:-1]:
            parent = parent[step]
        parent.pop(place[-1], None)
        if bad is not MISSING:
            parent[place[-1]] = bad
        try:
            result = lauka.loads(json.dumps(text))
        except lauka.Error as error:
            self.assertIn(f"{place[-1]}: ", str(error))
            return
        for step in place[:-1]:
            result = result[step] if isinstance(result, (list, dict)) else getattr(result, step)
        optional = str(field.type).startswith("typing.Optional")
        default = None if field.name != "benchmarks" else []
        self.assertEqual(getattr(result, place[-1]), default if bad is MISSING else bad, place)
        if bad in (None, MISSING):
            self.assertTrue(optional or default is not None, (place, bad))
        elif "float" in str(field.type):
            self.assertEqual(bad, 3.5, place)
        else:
            wanted = {"x": str, "[": list, "{": dict, "T": bool}[str(bad)[0]].__name__
            self.assertIn(wanted, str(field.type).lower(), (place, bad))

    def test_digits_of_large_values_are_read(self):
        raw = self.run_lauka("a").raw
        raw["results"][0]["metrics"]["wall_time"].update({"min": "9007199254740993", "max": "9007199254740993.5"})
        metric = lauka.loads(json.dumps(raw)).results[0].metrics["wall_time"]
        self.assertEqual((metric.min, metric.max), (9007199254740992.0, 9007199254740994.0))

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
