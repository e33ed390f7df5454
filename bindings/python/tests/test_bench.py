import io
import unittest

from lauka import bench


class Bench(unittest.TestCase):
    def setUp(self):
        bench.BENCHMARKS.clear()
        self.seeds, self.calls = [], 0
        bench.benchmark(self.count)

    def count(self, seed):
        self.seeds.append(seed)

        def iteration():
            self.calls += 1
        return iteration

    def test_a_whole_conversation(self):
        out = io.StringIO()
        bench.serve(io.StringIO("hello 1\nlist\nrun count 100 7\nbye\nhello 1\n"), out)
        lines = out.getvalue().splitlines()
        self.assertEqual(lines[:3], ["hello 1", "benchmark count", "ok"])
        self.assertRegex(lines[3], r"^ok \d+ \d+$")
        self.assertEqual((len(lines), self.seeds, self.calls), (4, [7], 100))

    def test_what_fails_is_an_error_of_one_line(self):
        bench.add("broken", lambda seed: (lambda: {}["no\nkey"]))
        self.assertEqual(bench.answer("run broken 1 1"), "error KeyError: 'no\\nkey'")
        self.assertEqual(bench.answer("run other 1 1"), "error this request is not understood")
        self.assertEqual(bench.answer("run count"), "error this request is not understood")

    def test_names_are_checked(self):
        for name in "", "two words", "line\nfeed", "x" * 301, "count":
            with self.assertRaises(ValueError):
                bench.add(name, self.count)


if __name__ == "__main__":
    unittest.main()
