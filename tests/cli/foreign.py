"""Files that other programs wrote, or that hold nothing but numbers. run.py runs these tests."""
import json
import random

from run import InScratch, lauka


def hyperfine(**times):
    """Returns hyperfine's JSON with these commands."""
    return json.dumps({"results": [{"command": name, "times": values, "exit_codes": [0] * len(values)}
                                   for name, values in times.items()]})


def runs(mean):
    return [mean * (1 + i % 5 / 100) for i in range(10)]


class FilesOfOthers(InScratch):
    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def said(self, *arguments, code=0):
        done = lauka(*arguments, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return " ".join(done.stdout.split())

    def refused(self, *arguments):
        done = lauka(*arguments, cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        return done.stderr

    def numbers(self):
        """Writes latencies with rare slow ones, with a trend, and with a slow start."""
        dice = random.Random(1)
        self.write("tails", "".join(f"{1000 * dice.lognormvariate(0, 0.05) * (40 if dice.random() < 0.08 else 1):.0f}\n"
                                    for _ in range(1000)))
        self.write("trend", "".join(f"{1000 + i + dice.random() * 10:.0f}\n" for i in range(300)))
        self.write("first", "9000\n" + "".join(f"{1000 * dice.lognormvariate(0, 0.01):.0f}\n" for _ in range(100)))
        self.write("low", "1\n2\n" + "".join(f"{1000 * dice.lognormvariate(0, 0.5):.0f}\n" for _ in range(100)))

    def test_huge_numbers_are_read_again_as_they_were_written(self):
        for numbers in ("0", "8" * 30), ("39444888888877687760", "39444888888877687761"), ("1" + "0" * 20, "7" * 25):
            with open(self.path("numbers"), "w", encoding="ascii") as file:
                file.write("\n".join(numbers) + "\n")
            first = lauka("report", "--json=" + self.path("first"), self.path("numbers"))
            self.assertEqual(first.returncode, 0, first.stderr)
            again = lauka("report", "--json=" + self.path("again"), self.path("first"))
            self.assertEqual(again.returncode, 0, again.stderr)
            with open(self.path("first"), "rb") as one, open(self.path("again"), "rb") as other:
                self.assertEqual(one.read(), other.read())

    def test_notes_on_numbers_give_no_advice_about_machines(self):
        self.numbers()
        text = "".join(self.said("compare", "--full", *files) for files in
                       (["tails"], ["trend"], ["first"], ["low"], ["tails", "trend"], ["trend", "first"]))
        for note in ("lie far from the others", "from the first third of the values to the last",
                     "its first value is 9", "resemble those before them"):
            self.assertIn(note, text)
        for word in ("disturbed", "stop ", "warm-up", "load", "heat", "machine", "round"):
            self.assertNotIn(word, text)
        gate = self.said("gate", "--gate", "value=500%", "tails", "tails")
        self.assertIn("note: the files do not say where and when these numbers were measured", gate)
        self.assertNotIn("host", gate)

    def test_values_of_histograms_have_no_order_to_speak_of(self):
        lauka("-q", "--backend=simulated", "--seed=1", "-r20", "--hlog=x.hlog", "./a", "./b", cwd=self.folder)
        self.assertNotIn("first", self.said("compare", "--full", "x.hlog"))

    def test_commands_of_two_files_are_compared_with_their_namesakes(self):
        self.write("before.json", hyperfine(parse=runs(0.1), render=runs(1), gone=runs(2)))
        self.write("after.json", hyperfine(render=runs(0.9), parse=runs(0.11), new=runs(3)))
        text = self.said("compare", "--unpaired", "before.json", "after.json")
        self.assertIn("1 of 3 benchmarks is slower, 1 faster", text)
        self.assertRegex(text, r"parse \+10\.0 % .* slower .*render .10\.0 % .* faster")
        self.assertIn("note: new is not in before.json: there is nothing to compare it with", text)
        self.assertIn("note: gone is not in after.json: there is nothing to compare", text)
        self.assertNotIn("gate", text)
        self.assertEqual(self.refused("gate", "--gate", "wall_time=5%", "before.json", "after.json"),
                         "lauka: `gone` of before.json is not in after.json: a gate needs the same commands in both\n")
        self.assertIn("`after.json` is 10.0 % slower than `before.json`",
                      self.said("compare", "--unpaired", "before.json", "after.json", "--full=parse"))

    def test_commands_of_our_own_files_and_logs_are_compared_with_their_namesakes(self):
        for name, cost in ("monday", 10), ("tuesday", 12):
            lauka("-q", "--backend=simulated:effects", "--seed", str(cost), "-r", "30", f"--json={name}.json",
                  f"--hlog={name}.hlog", "-n", "old", f"a cost={cost}ms", "-n", "new", f"b cost={22 - cost}ms",
                  cwd=self.folder)
        for kind in "json", "hlog":
            text = self.said("compare", "--unpaired", f"monday.{kind}", f"tuesday.{kind}")
            self.assertRegex(text, r"^1 of 2 benchmarks is slower, 1 faster old \+19.* slower .*new .16.* faster")
        self.said("gate", "--unpaired", "--gate", "wall_time=50%", "tuesday.json", "monday.json")
        self.said("gate", "--unpaired", "--gate", "wall_time=5%", "tuesday.json", "monday.json", code=3)

    def test_equal_names_are_told_apart_by_parameters_or_numbers(self):
        def entry(mean, **parameters):
            return {"command": "x", "times": runs(mean), "parameters": parameters}
        for name, factor in ("a.json", 1), ("b.json", 2):
            self.write(name, json.dumps({"results": [entry(0.1, threads="4", mode="m"),
                                                     entry(factor, threads="16", mode="m")]}))
            self.write("n" + name, json.dumps({"results": [entry(0.1), entry(factor)]}))
        self.assertIn("than `x (threads=4)`", self.said("compare", "a.json").replace(
            "as long as `x (threads=4)`", "than `x (threads=4)`"))
        self.assertRegex(self.said("compare", "--unpaired", "a.json", "b.json"), r"x \(threads=16\) .*slower")
        self.assertRegex(self.said("compare", "--unpaired", "na.json", "nb.json"), r"x \(2\) .*slower")
        lauka("-q", "--backend=simulated", "-r5", "-n", "x", "-L", "threads", "4,16", "--json=own.json", "cmd {threads}",
              cwd=self.folder)
        with open(self.path("own.json"), encoding="utf-8") as file:
            self.assertEqual([one["command"] for one in json.load(file)["results"]],
                             ["x (threads=4)", "x (threads=16)"])

    def test_sentence_and_table_have_the_same_means(self):
        for name, factor, gap in ("a.csv", 1, 2), ("b.csv", 1.1, 5):
            rows = (f"{i},{'' if i == gap else factor * (100 + 10 * i)}\n" for i in range(12))
            self.write(name, "run,ms\n" + "".join(rows))
        text = self.said("compare", "--paired", "--column", "ms", "a.csv", "b.csv")
        self.assertIn("mean 171 against 158 ms.", text)
        self.assertRegex(text, r"a\.csv 158 ± .* b\.csv 171 ± ")
        self.assertIn("note: 2 of 12 pairs have a gap: the change is that of the others", text)
        text = self.said("compare", "--column", "ms", "a.csv", "b.csv")  # where nothing is paired, nothing has a gap
        self.assertIn("+10 % [−15, +35] (95 % confidence) after 11 values, typically 176 against 160 ms; ", text)
        self.assertRegex(text, r"a\.csv 158 ± .* b\.csv 171 ± ")
        self.assertNotIn("gap", text)

    def test_the_values_beside_an_inconclusive_change_have_its_ratio(self):
        for name, last in ("a.txt", 9000), ("b.txt", 950):
            self.write(name, "".join(f"{value}\n" for value in (955, 999, 1024, 1033, 933, 921, 1090, last)))
        said = self.said("compare", "a.txt", "b.txt")
        self.assertRegex(said, r"is inconclusive in value: −1.1 % .* after 8 values, typically 989 against 1000; ")

    def test_what_powershell_writes_is_read(self):
        text = hyperfine(a=runs(1), b=runs(2)).replace("\n", "\r\n")
        for encoding in "utf-8-sig", "utf-16":
            with open(self.path("x.json"), "w", encoding=encoding) as file:
                file.write(text)
            self.assertIn("than `a`", self.said("compare", "x.json").replace("as long as", "than"))
        with open(self.path("x.json"), "wb") as file:
            file.write(text.encode("utf-16-le"))
        self.assertEqual(self.refused("compare", "x.json"),
                         "lauka: x.json: is UTF-16 without a byte order mark: save it as UTF-8\n")

    def test_decimal_commas_are_named(self):
        self.write("a", "101,5\n102,5\n")
        self.assertIn("decimal commas, which are not read", self.refused("compare", "a"))
