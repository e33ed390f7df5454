"""How much room stored results take, and that all of it comes back. Run by run.py."""
import base64
import gzip
import json
import zlib

from run import InScratch, lauka

MISSING = 2 ** 64 - 1


def unpacked(packed):
    """As the schema says it."""
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
