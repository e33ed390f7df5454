"""How much space stored results need, and that everything can be read back. run.py runs these tests."""
import base64
import gzip
import json
import zlib

from run import InScratch, lauka

MISSING = 2 ** 64 - 1


def unpacked(packed):
    """Unpacks values as the schema describes it."""
    planes, count = zlib.decompress(base64.b64decode(packed["zlib"])), packed["count"]
    assert len(planes) == count * packed["bytes"]
    codes = [sum(planes[b * count + i] << 8 * b for b in range(packed["bytes"])) for i in range(count)]
    values, value = [], int(packed.get("base", 0))
    for code in codes:
        if "base" in packed:
            value = int(packed["base"]) + code
        else:
            value += -(code + 1 >> 1) if code & 1 else code >> 1
        values.append((value - 1) % 2 ** 64)
    return [None if value == MISSING else value for value in values]


class RoomOfResults(InScratch):
    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def session(self, *arguments, code=0):
        done = lauka("-q", *arguments, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def pretend(self, *arguments):
        return self.session("--backend=simulated", "--seed=1", *arguments)

    def test_long_series_are_packed_and_can_be_had_plain(self):
        self.pretend("-r10001", "-e", "instructions", "--json=packed", "a")
        self.pretend("-r10001", "-e", "instructions", "--json=plain", "--samples=plain", "a")
        packed, plain = json.loads(self.text("packed")), json.loads(self.text("plain"))
        short, long = packed["results"][0], plain["results"][0]
        self.assertEqual(short["times"], long["times"])
        self.assertEqual(short["exit_codes"], long["exit_codes"])
        for name, metric in long["metrics"].items():
            if metric["values"]:
                self.assertNotIn("values", short["metrics"][name])
                self.assertEqual(unpacked(short["metrics"][name]["values_packed"]), metric["values"], name)
        self.assertEqual(unpacked(packed["run"]["order_packed"]), plain["run"]["order"])
        self.assertLess(len(self.text("packed")), len(self.text("plain")) / 2)
        for name in ("packed", "plain"):
            self.assertEqual(self.session("report", name, "--json").stdout, self.text(name))
        self.session("report", "packed", "--samples=plain", "--json=again")
        self.assertEqual(json.loads(self.text("again"))["results"], plain["results"])

    def test_json_as_gzip_is_written_and_read(self):
        self.pretend("-r5", "--json=j", "a", "b")
        self.pretend("-r5", "--json=j.json.gz", "a", "b")
        with gzip.open(self.path("j.json.gz"), "rt", encoding="utf-8") as file:
            self.assertEqual(file.read().replace("j.json.gz", "j"), self.text("j"))
        self.session("report", "j.json.gz", "--json=again.gz")
        with open(self.path("j.json.gz"), "rb") as first, open(self.path("again.gz"), "rb") as second:
            self.assertEqual(first.read(), second.read())
        self.session("compare", "j", "j.json.gz")
        self.session("gate", "j", "j.json.gz", "--gate=instructions=1%")

    def test_gzip_that_was_cut_off_is_refused(self):
        self.pretend("-r5", "--json=j.gz", "a")
        with open(self.path("j.gz"), "rb") as file:
            content = file.read()
        with open(self.path("j.gz"), "wb") as file:
            file.write(content[:-20])
        done = lauka("report", self.path("j.gz"))
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
        self.assertIn("j.gz: is damaged or cut off, as gzip", done.stderr)


class Units(InScratch):
    """Stored results may have rounds that share a process or a host."""

    def document(self, kind, rounds_of_one, rounds=40):
        done = lauka("-q", "--backend=simulated:effects", "--seed=1", f"-r{rounds}", "--json", "a",
                     "b cost=10.4ms", cwd=self.folder)
        document = json.loads(done.stdout)
        document["benchmarks"][0]["units"] = {"kind": kind, "count": rounds // rounds_of_one,
                                              "of": [i // rounds_of_one for i in range(rounds)]}
        with open(self.path("units"), "w", encoding="utf-8") as file:
            json.dump(document, file)

    def report(self, *options):
        done = lauka("report", "units", *options, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_spread_of_units_and_within_them_is_told(self):
        self.document("process", 5)
        document = json.loads(self.report("--json"))
        wall = document["comparisons"][0]
        self.assertEqual((wall["metric"], wall["units"], wall["pairs"]), ("wall_time", 8, 40))
        self.assertTrue(0 <= wall["between"] < 0.02 and 0.005 < wall["within"] < 0.03, wall)
        self.assertLess(wall["low"], 1.04)
        constant = next(c for c in document["comparisons"] if c["metric"] == "major_faults")
        self.assertEqual((constant["units"], constant["within"], constant["between"]), (8, None, None))
        for told in (self.report(), self.report("--markdown")):
            self.assertRegex(" ".join(told.split()), r"; 8 processes: the change in wall time varies by [\d.<]+ % from "
                                                     r"one to the next, by 1\.\d+ % from round to round within one")

    def test_too_few_units_say_so_and_have_no_interval(self):
        self.document("host", 20)
        wall = json.loads(self.report("--json"))["comparisons"][0]
        self.assertEqual((wall["units"], wall["low"], wall["verdict"]), (2, None, "inconclusive"))
        self.assertIn("; 2 hosts: too few for an interval, which takes 3", " ".join(self.report().split()))

    def test_rounds_that_are_units_have_no_spread(self):
        self.document("round", 1)
        self.assertNotIn("units", json.loads(self.report("--json"))["comparisons"][0])
