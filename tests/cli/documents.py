"""Documents of a session, and the program's whole output held against goldens."""
import csv
import json
import os
import re
import subprocess
import unittest

from run import InScratch, LAUKA, lauka, result_of


class Documents(InScratch):
    def simulated(self, *arguments):
        return lauka("--backend", "simulated", "--seed", "5", "-r", "30", *arguments)

    def test_a_document_on_stdout_replaces_the_table(self):
        for option, start in (("--json", "{"), ("--csv", "command,mean,"), ("--markdown", "`b` is ")):
            done = self.simulated(option, "a", "b")
            self.assertTrue(done.stdout.startswith(start), done.stdout[:80])

    def test_documents_in_files_leave_the_table_alone(self):
        done = self.simulated("--json=" + self.path("j"), "--csv=" + self.path("c"),
                              "--markdown=" + self.path("m"), "a", "b")
        self.assertIn("wall_time", done.stdout)
        table = list(csv.reader(open(self.path("c"), newline="")))
        self.assertEqual(table[0][:8],
                         ["command", "mean", "stddev", "median", "user", "system", "min", "max"])
        self.assertEqual([row[0] for row in table[1:]], ["a", "b"])
        result = json.load(open(self.path("j")))
        self.assertAlmostEqual(float(table[1][1]), result["results"][0]["mean"])

    def test_the_letter_of_a_curve_stands_beside_it(self):
        """Of the page's curve of few values, no line goes through the letter that names it."""
        near, wide = (lambda i: 100 + i / 10), (lambda i: 100 + i * 200)
        for count in (2, 3, 5, 10, 11, 12, 21):
            both = lambda i: near(i) if i <= count // 2 else wide(i)  # half of them at the edge of the picture
            for old, new in ((near, wide), (wide, near), (both, lambda i: 600 + wide(i)), (lambda i: 6000 - both(i), lambda i: 5400 - wide(i))):
                for name, value in ("old", old), ("new", new):
                    with open(self.path(name), "w") as file:
                        file.write("".join(f"{value(i)}\n" for i in range(count)))
                page = lauka("compare", "--html=-", "old", "new", cwd=self.folder).stdout
                figure = re.search(r"<h4>Share of values up to each value.*?</figure>", page, re.S).group()
                for style in "ab":
                    x, y, end = re.search(rf'<text x="([-\d.]+)" y="([-\d.]+)"( text-anchor="end")? class="t{style}"', figure).groups()
                    left, bottom = float(x) - (8 if end else 0), float(y)
                    at = None
                    for step, *numbers in re.findall(r"([Mhv])(-?[\d.]+)(?: (-?[\d.]+))?",
                                                     re.search(rf'<path class="l{style}"[^>]* d="([^"]*)"', figure).group(1)):
                        numbers = [float(number) for number in numbers if number]
                        to = numbers if step == "M" else [at[0] + numbers[0], at[1]] if step == "h" else [at[0], at[1] + numbers[0]]
                        if at:
                            self.assertFalse(min(at[0], to[0]) < left + 8 and max(at[0], to[0]) > left and
                                             min(at[1], to[1]) < bottom and max(at[1], to[1]) > bottom - 9, (count, style, figure))
                        at = to

    def test_json_has_what_hyperfines_scripts_read(self):
        result = result_of("-r", "4", "true", "false", "-i")
        for r in result["results"]:
            for key in ("command", "mean", "stddev", "median", "user", "system", "min", "max"):
                self.assertIn(key, r)
            self.assertEqual(len(r["times"]), 4)
            self.assertEqual(len(r["memory_usage_byte"]), 4)
            self.assertEqual(len(r["exit_codes"]), 4)
            self.assertEqual(r["parameters"], {})
        self.assertEqual(result["schema"], "lauka-result/1.2")

    def test_a_full_device_is_an_error_and_the_others_are_written(self):
        done = self.simulated("--json=/dev/full", "--csv=" + self.path("c"), "a", "b")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/dev/full", done.stderr)
        self.assertIn("wall_time", done.stdout)
        self.assertEqual(len(open(self.path("c")).read().splitlines()), 3)

    def test_a_full_or_closed_stdout_is_an_error(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([LAUKA, "--backend", "simulated", "-r", "5", "a"], stdout=full,
                                  stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("stdout", done.stderr)

    def test_a_seed_makes_a_simulated_session_repeatable(self):
        self.assertEqual(self.simulated("--csv", "a", "b").stdout,
                         self.simulated("--csv", "a", "b").stdout)


def canonical(text):
    """Returns the text without what differs between machines: libm's last digits, and zlib's
    compression."""
    text = re.sub(r"\b\d+\.\d{9,}(e-?\d+)?", lambda number: f"{float(number[0]):.11g}", text)
    return re.sub(r"HISTF[A-Za-z0-9+/=]*", "HISTF...", text)


class Goldens(unittest.TestCase):
    """The program's whole output for simulated sessions; LAUKA_UPDATE_GOLDENS=1 rewrites it."""

    def expect(self, name, *arguments, replace=lambda text: text, **keywords):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "goldens", name)
        done = lauka("--seed", "2026", "-r", "40", *arguments, **keywords)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = canonical(replace(done.stdout))
        if os.environ.get("LAUKA_UPDATE_GOLDENS"):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", newline="") as file:
                file.write(text)
        with open(path, newline="") as file:
            self.assertEqual(text, file.read(), f"{name}: LAUKA_UPDATE_GOLDENS=1 rewrites it")

    def test_the_table(self):
        self.expect("table.txt", "--backend", "simulated", "./before --fast", "./after 'x y'")

    def test_the_table_of_three_commands_without_counters_in_ascii(self):
        self.expect("no_pmu_ascii.txt", "--backend", "simulated:no-pmu", "a", "b", "c",
                    env={"LC_ALL": "C", "COLUMNS": "72"})

    def test_the_table_of_one_command_that_shares_counters(self):
        self.expect("multiplexed.txt", "--backend", "simulated:multiplexed", "--multiplex=time", "a")
        self.expect("turns.txt", "--backend", "simulated:multiplexed", "a", "b")

    def test_the_markdown(self):
        self.expect("summary.md", "--backend", "simulated", "--markdown", "a | b", "c", "--shell=sh")

    def test_the_csv(self):
        self.expect("summary.csv", "--backend", "simulated:denied", "--csv", "=a", "b")

    def test_the_json(self):
        def without_host(text):
            document = json.loads(text)
            self.assertGreater(document["host"].pop("cpu_count"), 0)
            document["host"].clear()
            return json.dumps(document, indent=1)
        self.expect("result.json", "--backend", "simulated", "--json", "a", "b", replace=without_host)
