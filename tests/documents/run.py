#!/usr/bin/env python3
"""Checks what lauka writes with the programs that read it: python3 tests/documents/run.py LAUKA [TEST...]

jq, cmark-gfm, asciidoctor and a validator of JSON Schema are Debian packages; if CI is set, they must be
installed."""
import base64
import csv
import gzip
import html.parser
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import benchfmt
import figures

LAUKA = ""
HERE = os.path.dirname(os.path.abspath(__file__))
ANSWER_SCHEMA = os.path.join(HERE, "..", "..", "schema", "lauka-answer.schema.json")
SCHEMA = os.path.join(HERE, "..", "..", "schema", "lauka-result.schema.json")
HISTORY_SCHEMA = os.path.join(HERE, "..", "..", "schema", "lauka-history.schema.json")
GOLDENS = os.path.join(HERE, "..", "goldens")
DOCUMENTS = ("json", "answer", "csv", "csv-percentiles", "csv-samples", "markdown", "pr-comment", "html", "bmf",
             "github-benchmark", "go-benchmark", "asciidoc", "orgmode")

NASTY = ("a|b `c` ``d`` \\| @octocat #12 <b>&amp; *x* _y_ </script> --> \x1b[31mred\x1b[0m\x07\r\n"
         "::error::x ##[error]y %0A $x [l](http://x) =cmd() \"q\" 'r' 你好 \u202eevil ").encode() + b"\xff\xc0\xaf"


def lauka(*arguments, env=None, **keywords):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GITHUB_")}
    return subprocess.run([LAUKA, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          env={**environment, **(env or {})}, timeout=60, **keywords)


def tool(name):
    """The path of a program that only a test needs."""
    path = shutil.which(name)
    if not path and os.environ.get("CI"):
        raise AssertionError(f"{name} is missing: .ci/run installs it")
    if not path:
        raise unittest.SkipTest(f"{name} is not installed")
    return path


def slug(name):
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def plain_text(text):
    """Removes tags with their attributes, and styles."""
    return re.sub(r"<style>.*?</style>|<[^>]*>", " ", text, flags=re.S)


def undefused(text):
    """Returns a text of our CSV as it was, without the apostrophe that protects against formulas."""
    return text[1:] if re.match(r"'+[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]", text) else text


class InScratch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.chmod(self.folder, 0o755)

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read()

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return self.path(name)

    def all_documents(self, *arguments, prefix="", verb=(), code=0, **keywords):
        """Writes every kind of document in one run, in files named after the options."""
        outputs = [f"--{name}={self.path(prefix + name)}" for name in DOCUMENTS]
        done = lauka(*verb, *outputs, *arguments, **keywords)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def simulated(self, *arguments, scenario="full", rounds=30, **keywords):
        return self.all_documents("--backend", f"simulated:{scenario}", "--full", "--seed", "5", "-r",
                                  str(rounds), *arguments, **keywords)

    def csv(self, name):
        return list(csv.DictReader(io.StringIO(self.read(name), newline="")))

    def json(self, name="json"):
        return json.loads(self.read(name))


class Schema(InScratch):
    def validate(self, *arguments, schema=SCHEMA):
        for python in (sys.executable, "/usr/bin/python3"):
            done = subprocess.run([python, os.path.join(HERE, "validate.py"), schema, *arguments],
                                  capture_output=True, text=True)
            if done.returncode != 77:
                return done
        if os.environ.get("CI"):
            raise AssertionError("jsonschema is missing: .ci/run installs it")
        raise unittest.SkipTest("jsonschema is not installed")

    def test_a_history_holds_what_its_schema_describes_and_nothing_else(self):
        for number in range(6):
            text = (f"lauka-history/1\tsession\ntime\t2026-01-0{number + 1}T00:00:00Z\ncommit\t{number:040x}\nhost\tx\nrow\te\tp\t\t"
                    f"sim_instructions\t1\tlower\t\t2\t{100 + number // 3}\t-\t-\t-\nrow\tp\tp\ts\tcpu_time\tns\tlower\tkept:1\t"
                    "9\t1e6\t1e3\t1.5\t0.1\n")
            os.makedirs(os.path.join(self.folder, "h"), exist_ok=True)
            with open(os.path.join(self.folder, "h", f"{number}.lauka.gz"), "wb") as file:
                file.write(gzip.compress(text.encode()))
        done = lauka("history", "--history=h", "--json=history.json", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(len(self.json("history.json")["steps"]), 1)
        done = self.validate(os.path.join(self.folder, "history.json"), schema=HISTORY_SCHEMA)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def kinds(self):
        simulated = ["--backend", "simulated", "--seed", "5", "-r", "30"]
        self.write("a.txt", "1.5\n2.25\n3\n4\n")
        self.write("b.txt", "2\n3\n4\n")
        yield "full", [*simulated, "a", "b", "c"]
        yield "streams", [*simulated, "--no-samples", "a", "b"]
        yield "gate", [*simulated, "--gate", "wall=50%", "--gate", "cpu.mean=50%,+1ms", "a", "b"]
        yield "noise", ["noise", *simulated, "a"]
        yield "alone", ["--backend", "simulated:no-pmu", "-r", "1", "a"]
        yield "shared", ["--backend", "simulated:multiplexed", "--multiplex=time", "-r", "9", "a", "b"]
        yield "cores", ["--backend", "simulated:hybrid", "-r", "9", "a", "b"]
        yield "packed", ["--backend", "simulated", "-r", "10001", "-e", "none", "--fixed-layout", "a", "b"]
        self.write("many", "[one]\na\nb\n[two]\na\nc\n")
        yield "many", [*simulated, "--config", "many", "--gate", "wall=50%"]
        yield "many-streams", [*simulated, "--config", "many", "--no-samples"]
        yield "stored", ["compare", "a.txt", "b.txt"]
        yield "real", ["-r", "3", "-i", "--", "sh", "-c", "exit 3", b"\xff\xfe", "--vs", "true"]
        yield "failed", ["-r", "3", "-w", "0", "--", "sh", "-c", "printf '\\377' >&2; exit 3"]

    def test_documents_of_every_kind_hold_what_it_describes_and_nothing_else(self):
        names = []
        for name, arguments in self.kinds():
            done = lauka(*arguments, f"--json={name}.json", cwd=self.folder) if b"--" not in [
                a.encode() if isinstance(a, str) else a for a in arguments] else lauka(
                    f"--json={name}.json", *arguments, cwd=self.folder)
            self.assertIn(done.returncode, (0, 5), done.stderr)
            names.append(self.path(name + ".json"))
        goldens = [os.path.join(GOLDENS, name) for name in os.listdir(GOLDENS)
                   if name.endswith(".json")]
        done = self.validate(*names, *goldens)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def answers(self, *arguments, code=0):
        done = lauka("-q", "--answer=all", *arguments, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return [json.loads(line) for line in done.stdout.decode().splitlines()]

    def test_lines_of_answers_are_as_their_schema_says(self):
        simulated = ["--backend=simulated:effects", "--seed=5"]
        kinds = [
            ("slower", 0, [*simulated, "a cost=10ms", "b cost=10.5ms"]),
            ("faster", 0, [*simulated, "b cost=10.5ms", "a cost=10ms"]),
            ("equivalent", 0, [*simulated, "a cost=10ms", "b cost=10ms"]),
            ("inconclusive", 0, [*simulated, "-r12", "a noise=20%", "b noise=20%"]),
            ("inconclusive", 0, [*simulated, "-r2", "a", "b"]),
            ("higher", 0, [*simulated, "--primary=instructions", "-r20", "a instructions=1M", "b instructions=2M"]),
            ("equivalent", 0, [*simulated, "--primary=instructions", "-r20", "a instructions=1M", "b instructions=1M"]),
            ("failed", 5, ["-r3", "true", "false"]),
            ("failed", 5, ["true", "./is-not-there"]),
        ]
        names = []
        for i, (verdict, code, arguments) in enumerate(kinds):
            lines = self.answers(*arguments, code=code)
            self.assertEqual(lines[0]["verdict"], verdict, arguments)
            self.assertEqual(lines[0]["enough"], verdict not in ("inconclusive", "failed"))
            for k, line in enumerate(lines):
                self.assertLessEqual(len(line), 10)
                names.append(self.path(f"answer-{i}-{k}.json"))
                self.write(f"answer-{i}-{k}.json", json.dumps(line))
        done = self.validate(*names, schema=ANSWER_SCHEMA)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.write(names[0], json.dumps({**self.answers(*kinds[3][2])[0], "next": None}))
        self.assertNotEqual(self.validate(names[0], schema=ANSWER_SCHEMA).returncode, 0)

    def test_each_comparison_has_one_line(self):
        self.write("many", "[one]\na\nb\nc\n[two]\na\nb\nc\n")
        lines = [line for line in self.answers("--backend=simulated", "--seed=5", "--config=many")]
        self.assertEqual([(line["benchmark"], line["command"], line["metric"]) for line in lines],
                         [(b, c, m) for b in ("one", "two") for c in "bc" for m in ("wall_time", "cpu_time")])
        done = lauka("-q", "--answer=f", "--backend=simulated", "--seed=5", "a", "b", cwd=self.folder)
        self.assertEqual([json.loads(self.read("f"))["metric"], bool(done.stdout)], ["wall_time", True])

    def test_what_an_answer_says_to_type_decides(self):
        words = ["--backend=simulated:effects", "--seed=5", "a cost=10ms noise=8%", "b cost=10.2ms noise=8%"]
        for limit in (["-r20"], ["--budget=500ms"], ["--max-time=250ms"]):
            first, = lauka("-q", "--answer", *words, *limit).stdout.splitlines()
            self.assertFalse(json.loads(first)["enough"])
            option = json.loads(first)["next"].split(": ")[1]
            then, = lauka("-q", "--answer", *words, *limit, option).stdout.splitlines()
            self.assertTrue(json.loads(then)["enough"], then)

    def test_it_refuses_what_is_wrong_and_takes_unknown_keys(self):
        self.simulated("a", "b")
        good = self.json()
        breaks = {
            "schema": lambda d: d.update(schema="lauka-result/3.0"),
            "benchmarks": lambda d: d.update(schema="lauka-result/2.0"),
            "packed": lambda d: d["run"].update(order_packed={"count": 2, "bytes": 9, "zlib": ""}),
            "results": lambda d: d.update(results=[]),
            "unit": lambda d: d["results"][0]["metrics"]["wall_time"].pop("unit"),
            "values": lambda d: d["results"][0]["metrics"]["wall_time"].update(values=["x"]),
            "verdict": lambda d: d["comparisons"][0].update(verdict="maybe"),
            "stopped": lambda d: d["run"].update(stopped=1),
        }
        for name, spoil in breaks.items():
            bad = json.loads(json.dumps(good))
            spoil(bad)
            self.assertEqual(self.validate(self.write(name, json.dumps(bad))).returncode, 1, name)
        good["new"] = good["run"]["new"] = good["results"][0]["metrics"]["wall_time"]["new"] = 1
        self.assertEqual(self.validate("--open", self.write("new", json.dumps(good))).returncode, 0)

    def test_lauka_itself_takes_unknown_keys_and_refuses_a_higher_version(self):
        table = self.simulated("a", "b").stdout
        document = self.json()
        document["new"] = document["run"]["new"] = document["host"]["new"] = {"x": [1]}
        document["schema"] = "lauka-result/1.7"
        self.assertEqual(lauka("report", "--full", self.write("new", json.dumps(document))).stdout, table)
        document["schema"] = "lauka-result/3.0"
        done = lauka("report", self.write("newer", json.dumps(document)))
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"newer than this lauka", done.stderr)


class Again(InScratch):
    """lauka report writes the same documents as the run."""

    def expect_the_same(self, *arguments, code=0):
        first = self.simulated(*arguments, code=code).stdout
        done = self.all_documents(self.path("json"), verb=["report", "--full"], prefix="again-", code=code)
        self.assertEqual(done.stdout, first)
        for name in DOCUMENTS:
            self.assertEqual(self.read("again-" + name), self.read(name), name)

    def test_every_document_is_the_same_again(self):
        self.expect_the_same("a", "b", "c d")

    def test_a_run_of_one_command_too(self):
        self.expect_the_same("a")

    def test_a_run_that_kept_no_single_values_too(self):
        documents = [f"--{name}={{}}{name}" for name in DOCUMENTS if name != "csv-samples"]
        first = lauka("--backend", "simulated", "--seed", "5", "-r", "3000", "--no-samples",
                      *(d.format("x-") for d in documents), "a", "b", cwd=self.folder)
        self.assertEqual(first.returncode, 0, first.stderr)
        again = lauka("report", *(d.format("y-") for d in documents), "x-json", cwd=self.folder)
        self.assertEqual((again.stdout, again.returncode), (first.stdout, 0), again.stderr)
        for name in DOCUMENTS:
            if name != "csv-samples":
                self.assertEqual(self.read("x-" + name), self.read("y-" + name), name)

    def test_results_without_single_values_are_compared_with_others(self):
        for name, command in (("x.json", "a"), ("y.json", "b cost=10.5ms")):
            lauka("--backend", "simulated:effects", "--seed", "5", "-r", "3000", "--no-samples",
                  f"--json={name}", command, cwd=self.folder)
        done = lauka("compare", "--unpaired", "--json", "x.json", "y.json", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        change = next(c for c in result["comparisons"] if c["metric"] == "wall_time")
        self.assertTrue(result["run"]["unpaired"])
        self.assertEqual(change["verdict"], "higher")
        self.assertTrue(any("histogram" in w for w in result["warnings"]), result["warnings"])

    def test_a_failed_run_keeps_its_failure(self):
        script = "printf 'oops \\377\\033[31m' >&2; exit 3"
        done = lauka("-r", "3", "-w", "0", f"--json={self.path('json')}", "--", "sh", "-c", script)
        self.assertEqual(done.returncode, 5)
        failure = self.json()["failure"]
        self.assertEqual(failure["reason"], "failed with exit code 3")
        self.assertEqual(base64.b64decode(failure["stderr_base64"]), b"oops \xff\x1b[31m")

    def test_a_session_without_a_round_is_told_by_every_writer_and_again(self):
        for commands in (("false",), ("false", "true"), ("true", "false")):
            for warmup in "01":
                gate = ["--gate=wall=2%", f"--junit={self.path('junit')}"] * (len(commands) > 1)
                first = self.all_documents("-r", "5", "-w", warmup, *gate, *commands, code=5)
                again = self.all_documents(self.path("json"), verb=["report", "--full"], prefix="again-")
                self.assertEqual(again.stdout, first.stdout)
                for name in DOCUMENTS:
                    self.assertEqual(self.read("again-" + name), self.read(name), name)
                    self.assertNotRegex(self.read(name), r"\bnan\b|\binf\b")
                for name in ("markdown", "pr-comment", "html"):
                    self.assertIn("false", self.read(name))
                if gate:
                    suites = xml.etree.ElementTree.parse(self.path("junit")).getroot()
                    self.assertEqual(suites.get("errors"), "1")
                    self.assertEqual(suites.get("failures"), "0")
        compared = lauka("compare", self.path("json"), self.path("json"))
        self.assertEqual(compared.returncode, 0, compared.stderr)

    def test_damaged_streams_are_refused_with_their_place(self):
        lauka("--backend", "simulated", "-r", "50", "--no-samples", "--json=j", "a", "b",
              cwd=self.folder)
        for spoil, place in (
                (lambda m: m.pop("stream"), "stream"),
                (lambda m: m["stream"]["paired"].update(bins="AA"), "bins"),
                (lambda m: m["stream"]["paired"].update(bins="//8="), "bins"),
                (lambda m: m["stream"]["moments"].update(sum="-1"), "sum: "),
                (lambda m: m["stream"]["moments"].update(sum="9" * 60), "sum: "),
                (lambda m: m["stream"]["moments"].update(count=7), "number of values"),
                (lambda m: m.update(histogram="HISTFAAA"), "stream"),
                (lambda m: m.update(histogram=None), "histogram")):
            document = self.json("j")
            spoil(document["results"][1]["metrics"]["wall_time"])
            done = lauka("report", self.write("bad", json.dumps(document)))
            self.assertEqual((done.returncode, done.stdout), (2, b""), done.stderr)
            self.assertIn(place.encode(), done.stderr)
            self.assertIn(b"results[1].metrics.wall_time", done.stderr)


class Nasty(InScratch):
    """Commands with every character that may have a special meaning somewhere."""

    def run_nasty(self, *labels, rounds=3):
        vectors = []
        for label in labels:
            vectors += ["--vs", "sh", "-c", "exit 0", label]
        done = self.all_documents("-r", str(rounds), "--", *vectors[1:])
        return done

    def labels(self):
        return [NASTY, b"=cmd()|' /C calc'!A0", b"+1", b"-2+3", b"@SUM(1)", b"\t=x", b"\r\nx",
                b"'=x", b"''+y", b"'plain'", "\uFF1D1".encode(), b"", b" ", b"`", b"\xff" * 9]

    def test_they_come_back_from_json(self):
        self.run_nasty(*self.labels())
        for text, entry in zip(self.labels(), self.json()["results"]):
            argv = ([base64.b64decode(word) for word in entry["argv_base64"]]
                    if "argv_base64" in entry else [word.encode() for word in entry["argv"]])
            self.assertEqual(argv, [b"sh", b"-c", b"exit 0", text])
            again = lauka("report", "--json", self.path("json")).stdout.decode()
        self.assertEqual(json.loads(again), self.json())

    def test_they_come_back_from_csv(self):
        self.run_nasty(*self.labels())
        labels = [entry.get("command_base64") and
                  base64.b64decode(entry["command_base64"]).decode(errors="surrogateescape")
                  or entry["command"] for entry in self.json()["results"]]
        for name, column, rounds in (("csv", "command", 1), ("csv-samples", "command", 3)):
            rows = self.csv(name)
            self.assertEqual(len(rows), rounds * len(labels))
            self.assertEqual({undefused(row[column]) for row in rows}, set(labels))
        for row in self.csv("csv"):
            self.assertNotRegex(row["command"], r"^[=+\-@\t\r\n]")

    def test_labels_that_look_like_formulas_are_defused_and_come_back(self):
        texts = ["=cmd()", "+1", "-2", "@x", "\t=1", "\r1", "\n1", "'=1", "''+1", "'x'", "\uFF1D1", "x"]
        document = {"results": [{"command": text, "times": [1, 2, 3]} for text in texts]}
        done = lauka("compare", "--csv", self.write("h.json", json.dumps(document)))
        rows = list(csv.DictReader(io.StringIO(done.stdout.decode(), newline="")))
        self.assertEqual([undefused(row["command"]) for row in rows], texts)
        for row in rows:
            self.assertNotRegex(row["command"], "^[=+\\-@\t\r\n\uFF1D]")

    def test_64_kilobytes_survive_every_writer(self):
        text = b"x" * 32768 + NASTY * 150
        done = self.run_nasty(text[:65536], b"y")
        self.assertLess(max(map(len, done.stdout.decode().splitlines())), 81)
        self.assertEqual(base64.b64decode(self.json()["results"][0]["argv_base64"][3]), text[:65536])
        self.assertLess(len(self.read("pr-comment")), 60000)

    def test_nothing_of_them_is_a_control_character_in_what_people_read(self):
        done = self.run_nasty(*self.labels())
        pages = [self.read(name) for name in ("markdown", "pr-comment", "html", "go-benchmark", "bmf",
                                              "github-benchmark")]
        for page in [done.stdout.decode(), *pages]:
            self.assertNotRegex(page, "[\x00-\x08\x0b-\x1f\x7f\u202e\udc80-\udcff]")

    def test_markdown_keeps_its_tables_and_calls_nobody(self):
        self.run_nasty(*self.labels())
        for name in ("markdown", "pr-comment"):
            page = Page(self.render(name))
            self.assertEqual(page.uneven, [], name)
            self.assertEqual(page.tags & {"script", "b", "a", "img"}, set(), name)
            self.assertNotRegex(page.text_outside_code, r"@octocat|#12")

    def test_asciidoctor_reads_the_table_and_no_markup(self):
        self.run_nasty(*self.labels())
        done = subprocess.run([tool("asciidoctor"), "-e", "-o", "-", "-"], input=self.read("asciidoc"), capture_output=True,
                              text=True, check=True)
        self.assertEqual(done.stderr, "")
        page = Page(done.stdout)
        self.assertEqual(page.uneven, [])
        self.assertEqual(page.tags & {"script", "b", "a", "img", "code", "em", "strong", "h1", "h2", "ul"}, set())
        self.assertIn("@octocat #12", html.unescape(plain_text(done.stdout)))

    def test_a_table_of_org_has_its_cells(self):
        self.run_nasty(*self.labels())
        rows = [line for line in self.read("orgmode").splitlines() if line.startswith("|")]
        self.assertEqual(rows[1], "|-")
        self.assertEqual({row.count("|") for row in rows if row != "|-"}, {7})

    def render(self, name):
        done = subprocess.run([tool("cmark-gfm"), "--unsafe", "-e", "table", "-e", "autolink", "-e",
                               "strikethrough", self.path(name)], capture_output=True, check=True)
        return done.stdout.decode()

    def test_github_gets_no_command_from_them(self):
        script = "echo '::error::injected'; echo '::error::injected' >&2; " \
                 "echo '  ::warning::injected ##[error]x' >&2; exit 1"
        label = "aaaa " * 20 + "::error::injected ##[error]injected"
        for arguments in ((), ("-i", "-r", "3")):
            done = lauka("--github", *arguments, "--", "sh", "-c", script, label,
                         env={"GITHUB_STEP_SUMMARY": self.path("summary")})
            commands = GitHubRunner().commands(done.stdout.decode() + done.stderr.decode())
            self.assertFalse([c for c in commands if "injected" in c[1].split("`")[0::2]], commands)
            for kind, text in commands:
                self.assertIn("title=lauka", kind)
                self.assertFalse(text.startswith("injected"), text)


class Page(html.parser.HTMLParser):
    """What a reader of rendered Markdown sees."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.uneven, self.text_outside_code = set(), [], ""
        self.code = 0
        self.tables, self.in_cell = [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self.in_cell = True
        self.code += tag == "code"

    def handle_endtag(self, tag):
        self.code -= tag == "code"
        self.in_cell = self.in_cell and tag not in ("td", "th")
        if tag == "table" and len({len(row) for row in self.tables[-1]}) > 1:
            self.uneven.append(self.tables[-1])

    def handle_data(self, data):
        if not self.code:
            self.text_outside_code += data
        if self.in_cell:
            self.tables[-1][-1][-1] += data


class GitHubRunner:
    """Reads workflow commands as actions/runner does in ActionCommand.TryParseV2 and TryParse."""

    def commands(self, text):
        found, stopped = [], None
        for line in text.splitlines():
            if stopped:
                if line.strip() == f"::{stopped}::":
                    stopped = None
                continue
            match = re.match(r"\s*::([a-zA-Z-]+[^:]*)::(.*)", line)
            if match and match[1].startswith("stop-commands"):
                stopped = match[2]
            elif match:
                found.append((match[1], match[2]))
            elif re.search(r"##\[[a-z-]+[^\]]*\]", line):
                found.append(("old", line))
        assert not stopped, "commands stay off"
        return found


class Comments(InScratch):
    def comment(self, *arguments, **keywords):
        done = lauka("--pr-comment", self.path("comment"), *arguments, **keywords)
        return done, self.read("comment")

    def times(self, *medians, rounds=40, noise=0.002):
        """Stores a result of commands whose wall times have these medians; returns its path."""
        results = []
        for c, median in enumerate(medians):
            values = [median * (1 + noise * ((i * (7 + 2 * c) % 11) - 5) / 5) for i in range(rounds)]
            results.append({"command": f"cmd {c}", "times": values})
        return self.write("times.json", json.dumps({"results": results}))

    def test_the_verdict_and_its_number_are_in_the_heading(self):
        _, text = self.comment("compare", self.times(1, 1.05))
        lines = text.splitlines()
        self.assertRegex(lines[0], r"^<!-- lauka:comment:v1 id=[0-9a-f]{16} -->$")
        self.assertRegex(lines[1], r"^### ❌ lauka: worse.* `cmd 1` wall time \*\*\+5.0")
        self.assertRegex(lines[-1], r'^<!-- lauka:data .*"verdict":"fail"} -->$')
        _, text = self.comment("compare", self.times(1, 0.9))
        self.assertRegex(text, r"\n### ✅ lauka: better.* \*\*−10")
        _, text = self.comment("compare", self.times(1, 1.005, rounds=5, noise=0.2))
        self.assertRegex(text, r"\n### ⚠️ lauka: inconclusive")

    def test_all_is_well_in_three_lines(self):
        _, text = self.comment("compare", self.times(1, 1.0001))
        shown = re.sub(r"<details>.*?</details>", "<details>", text, flags=re.S)
        shown = [line for line in shown.splitlines() if line and not line.startswith("<!--")]
        self.assertRegex(shown[0], r"^### ✅ lauka: no change that matters\. ")
        self.assertIn("Noise floor", shown[1])
        self.assertEqual(set(shown[2:]), {"<details>"})

    def test_only_what_changed_is_in_the_open_table(self):
        _, text = self.comment("compare", self.times(1, 1.05, 1.0001, 0.9))
        page = Page(self.render(re.sub(r"<details>.*?</details>", "", text, flags=re.S)))
        self.assertEqual([(row[1], row[0]) for row in page.tables[0][1:]],
                         [("cmd 1", "❌\u00a0slower"), ("cmd 3", "✅\u00a0faster")])
        self.assertIn("The other 1 comparison of 3 shows nothing to act on", text)

    def render(self, text):
        done = subprocess.run([tool("cmark-gfm"), "--unsafe", "-e", "table"], input=text.encode(),
                              capture_output=True, check=True)
        return done.stdout.decode()

    def test_it_says_what_to_type(self):
        done, text = self.comment("--backend", "simulated", "-r", "30", "--metrics", "wall_time", "a b", "c",
                                  "--json=" + self.path("j"), "-q")
        command = re.search(r"```sh\nlauka (.*)\n```", text)[1]
        self.assertNotIn("json", command)
        words = json.loads(self.read("j"))["run"]["reproduce"]
        self.assertTrue(words[0].startswith("--seed="), words)
        # --metrics is kept, too: its first metric is the one that the answer is about.
        self.assertEqual(words[1:], ["--backend", "simulated", "-r", "30", "--metrics", "wall_time", "a b", "c"])
        options = {option["name"]: option["value"] for option in json.loads(self.read("j"))["run"]["options"]}
        self.assertEqual((options["metrics"], options.get("primary")), ("wall_time", None))
        self.assertIn("'a b' c", command)

    def test_what_it_says_to_type_is_what_was_typed_whatever_the_words_are(self):
        words = ["echo a\necho b", "it's\t\\n", "\x01$HOME\x7f", "plain"]
        _, text = self.comment("--backend", "simulated", "-S", "-r", "3", "-q", "--json=" + self.path("j"),
                               *words)
        block = re.search(r"```sh\n(lauka .*)\n```", text)[1]
        told = subprocess.run(["bash", "-c", 'lauka() { printf "%s\\0" "$@"; }; ' + block],
                              capture_output=True, text=True, check=True)
        self.assertEqual(told.stdout.split("\0")[:-1], json.loads(self.read("j"))["run"]["reproduce"])

    def test_the_next_step_raises_what_ended_the_session(self):
        words = ("--backend", "simulated", "--seed", "1", "-q", "-r", "30", "--gate", "wall_time=5.2%")
        _, text = self.comment(*words, "a", "b")
        self.assertRegex(text, r"Next step:\*\* measure more rounds \(`--runs`\), .*: the interval contains the "
                               r"limit; about -r \d+ might tell\.")
        self.assertEqual(text.count("\n### "), 1)  # a single heading
        self.assertIn("; 1 of them is inconclusive (exploratory).", text)

    def test_a_command_that_failed_is_the_verdict(self):
        done, text = self.comment("-r", "3", "--", "sh", "-c", "echo why >&2; exit 7")
        self.assertEqual(done.returncode, 5)
        self.assertRegex(text, r"### ❌ lauka: .*failed with exit code 7 in warm\\?-up round 1")
        self.assertIn("    why\n", text)
        done, text = self.comment("-r", "3", "true", "/no/such")
        self.assertEqual(done.returncode, 5)
        self.assertRegex(text, r"### ❌ lauka: .*/no/such.*No such file")

    def test_the_same_commands_keep_their_comment(self):
        markers = [self.comment(*arguments)[1].splitlines()[0] for arguments in (
            ("-r", "1", "-w", "0", "true", "false"), ("-r", "1", "true", "true"),
            ("-r", "1", "-w", "0", "-i", "true", "false"))]
        self.assertEqual(markers[0], markers[2])
        self.assertNotEqual(markers[0], markers[1])

    def test_it_never_has_more_than_60000_characters(self):
        medians = [1 + 0.1 * (i % 2) + 0.0001 * i for i in range(800)]
        path = self.times(*medians, rounds=12)
        document = json.load(open(path))
        for entry in document["results"]:
            entry["command"] += " " + "长`|" * 100
        _, text = self.comment("compare", self.write("long.json", json.dumps(document)))
        self.assertLessEqual(len(text), 60000)
        self.assertIn("Left out to fit into a comment: percentiles", text)
        self.assertRegex(text, r"\d+ more rows are in the report")
        _, text = self.comment("compare", self.times(*medians[:60], rounds=12))
        self.assertLessEqual(len(text), 60000)
        self.assertIn("The metric" if "table of all metrics" not in text else "###", text)

    def test_the_gate_has_the_last_word(self):
        _, text = self.comment("compare", "--gate", "wall=20%", self.times(1, 1.05))
        self.assertRegex(text, r"### (✅|🔶) lauka: ")
        _, text = self.comment("compare", "--gate", "wall=2%", self.times(1, 1.05))
        self.assertRegex(text, r"### ❌ lauka: wall time .*, limit 2 %")

    def test_what_has_no_limit_fails_nothing(self):
        """Both wall time and CPU time are far slower, but only one of them has a limit."""
        for metric, limited in (("cpu_time", "wall_time"), ("wall_time", "cpu_time")):
            done, text = self.comment("--backend", "simulated", "--seed", "1", "-r", "20", "--github",
                                      "--gate", f"{limited}=20%", "a", "b")
            self.assertEqual(done.returncode, 0)
            self.assertEqual(GitHubRunner().commands(done.stdout.decode()), [])
            self.assertRegex(text, rf"\n### 🔶 lauka: changed, but within the limits\. `b` {limited[:3]}.*, limit 20")
            self.assertRegex(text, rf"\n\| 🔶\u00a0slower \| `{metric}` \|")
            self.assertNotIn("❌", text)

    def test_no_cell_is_broken(self):
        """Covers a failed command, a peak RSS hidden below the launcher's, and a missing interval."""
        limits = ("--gate", "wall=2%", "--gate", "peak_rss=2%")
        for arguments in (("-w", "1", "-r", "3", *limits, "true", "false"),
                          ("-r", "3", *limits, "true", "true"),
                          ("--backend", "simulated", "-r", "2", *limits, "a", "b")):
            _, text = self.comment(*arguments)
            rows = [line for line in text.splitlines()
                    if re.match(r"\| [❌⚠🔶✅]", line) and line.count(" | ") == 4 and "2 %" not in line]
            for row in rows:
                verdict, _, change, *means = row.strip("| ").split(" | ")
                self.assertRegex(change, r"^(–|\*\*[^*–\s][^*–]*\*\*(\u00a0\S.*)?)$", row)
                self.assertNotIn("  ", row)
                self.assertTrue(all(means), row)
                self.assertRegex(verdict, r"^[❌⚠🔶✅]\ufe0f?\u00a0\w", row)
            self.assertTrue(rows, text)

    def test_what_counts_bytes_takes_it_too(self):
        names = [f"{'東京都' * 30}{i}" for i in range(200)]
        _, text = self.comment("--backend", "simulated", "-r", "10", *names)
        self.assertLessEqual(len(text), 60000)
        self.assertLessEqual(len(text.encode()), 65000)
        self.assertIn("more rows are in the report", text)
        self.assertTrue(text.splitlines()[-1].startswith("<!-- lauka:data"))


class Annotations(InScratch):
    def test_errors_and_warnings_go_to_stdout_and_the_summary_to_its_file(self):
        summary = self.write("summary", "# before\n")
        done = lauka("--backend", "simulated", "-r", "30", "--github", "a", "b",
                     env={"GITHUB_STEP_SUMMARY": summary})
        commands = GitHubRunner().commands(done.stdout.decode())
        self.assertEqual([kind.split()[0] for kind, _ in commands], ["error", "error"])
        self.assertIn("`b`: wall_time +", commands[0][1])
        self.assertIn("%25", commands[0][1])
        self.assertRegex(self.read("summary"), r"\A# before\nMeasured: .*\n\n`b` is ")

    def test_there_are_ten_at_most(self):
        done = lauka("--backend", "simulated", "-r", "30", "--github", *map(str, range(12)))
        self.assertEqual(len(GitHubRunner().commands(done.stdout.decode())), 10)

    def test_the_summary_never_grows_beyond_1_mib(self):
        for held in ((1 << 20) - 20000, (1 << 20) - 100):
            summary = self.write("summary", "x" * held)
            done = lauka("--backend", "simulated", "-r", "30", "--github", *map(str, range(40)),
                         env={"GITHUB_STEP_SUMMARY": summary})
            self.assertLessEqual(os.path.getsize(summary), 1 << 20)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"no room", done.stderr)

    def test_without_github_nothing_is_a_command(self):
        done = lauka("--backend", "simulated", "-r", "30", "a", "b")
        self.assertEqual(GitHubRunner().commands(done.stdout.decode()), [])


class Consumers(InScratch):
    def test_jq_reads_the_means(self):
        self.simulated("a", "b")
        done = subprocess.run([tool("jq"), "-c", "[.results[] | [.command, .mean, .times[0]]]",
                               self.path("json")], capture_output=True, check=True)
        self.assertEqual(json.loads(done.stdout), [
            [r["command"], r["mean"], r["times"][0]] for r in self.json()["results"]])

    def test_hyperfine_writes_what_ours_contains(self):
        hyperfine = tool("hyperfine")
        subprocess.run([hyperfine, "-N", "-r", "3", "true", "--export-json", self.path("h"),
                        "--export-csv", self.path("c")], capture_output=True, check=True)
        lauka("-r", "3", f"--json={self.path('l')}", f"--csv={self.path('d')}", "true")
        theirs, ours = (json.loads(self.read(name))["results"][0] for name in "hl")
        self.assertEqual(set(theirs) - set(ours), set())
        for key, value in theirs.items():
            kind = (int, float) if isinstance(value, (int, float)) else type(value)
            self.assertIsInstance(ours[key], kind, key)
        header = self.read("c").splitlines()[0].split(",")
        self.assertEqual(self.read("d").splitlines()[0].split(",")[:len(header)], header)
        done = lauka("compare", self.path("h"))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_markdown_is_made_of_tables(self):
        self.simulated("-S", "a | b", "c", "d")
        done = subprocess.run([tool("cmark-gfm"), "--unsafe", "-e", "table", self.path("markdown")],
                              capture_output=True, check=True)
        page = Page(done.stdout.decode())
        self.assertEqual(page.uneven, [])
        self.assertEqual(len(page.tables), 2 + 2 * 2)  # overview, all metrics, percentiles
        self.assertEqual([row[0] for row in page.tables[0][1:]], ["a | b", "c", "d"])
        self.assertIn("50", [row[0] for row in page.tables[2]])

    def test_go_benchmarks_keep_the_rules_of_the_format(self):
        self.simulated("./a x", "./b -3", "./b -3", "/c/d")
        configuration, units, results = benchfmt.read(self.read("go-benchmark"))
        self.assertEqual(configuration["goos"], "linux")
        self.assertEqual(units["ns/op", "better"], "lower")
        self.assertEqual(len(results), 4 * 30)
        columns = {benchfmt.part(name, "cmd") for name, _, _ in results}
        self.assertEqual(columns, {"._a_x", "._b_-3_(1)", "._b_-3_(2)", "_c_d"})
        first = self.json()["results"][0]["metrics"]
        own = [values for name, _, values in results if benchfmt.part(name, "cmd") == "._a_x"]
        self.assertEqual([v["ns/op"] for v in own], first["wall_time"]["values"])
        self.assertEqual([v["peak-rss-bytes"] for v in own], first["peak_rss"]["values"])
        for value, ns in zip([v["cpu-sec/op"] for v in own], first["cpu_time"]["values"], strict=True):
            self.assertEqual(round(1e9 * value), ns)

    def test_benchstat_reads_them(self):
        benchstat = shutil.which("benchstat")  # not a Debian package, so it is optional
        if not benchstat:
            self.skipTest("benchstat is not installed")
        self.simulated("./a x", "./b")
        done = subprocess.run([benchstat, "-col", "/cmd", self.path("go-benchmark")],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"sec/op +vs base.*\nLauka-\d+ +[\d.]+m ")

    def test_bencher_gets_benchmarks_measures_and_numbers(self):
        self.simulated("a", "a", "b")
        document = self.json("bmf")
        self.assertEqual(list(document), ["a (1)", "a (2)", "b"])
        for measures in document.values():
            self.assertIn("latency", measures)
            for slug, measure in measures.items():
                self.assertRegex(slug, r"^[a-z0-9]+(-[a-z0-9]+)*$")
                self.assertLessEqual(set(measure), {"value", "lower_value", "upper_value"})
                self.assertTrue(all(isinstance(v, (int, float)) for v in measure.values()))
                self.assertLessEqual(measure.get("lower_value", 0), measure["value"])
        mean = self.json()["results"][2]["metrics"]["wall_time"]["mean"]
        self.assertEqual(document["b"]["latency"]["value"], mean)

    def test_github_action_benchmark_gets_what_is_better_when_smaller(self):
        self.simulated("a", "b")
        entries = self.json("github-benchmark")
        names = [entry["name"] for entry in entries]
        self.assertEqual(len(names), len(set(names)))
        self.assertIn("b wall_time", names)
        self.assertNotIn("a ipc", names)  # for this metric, more is better
        units = {entry["name"]: entry["unit"] for entry in entries}
        self.assertEqual([units["a " + metric] for metric in (
            "wall_time", "peak_rss", "cache_misses", "cache_miss_percent")],
            ["ns", "bytes", "count", "%"])
        for entry in entries:
            self.assertEqual({k: type(v) for k, v in entry.items() if k != "value"},
                             {"name": str, "unit": str, "range": str, "extra": str})
            self.assertIsInstance(entry["value"], (int, float))


class Agreement(InScratch):
    def test_all_writers_agree_on_every_number(self):
        table = self.simulated("a", "b").stdout.decode()
        result = self.json()
        rows, samples, bmf = self.csv("csv"), self.csv("csv-samples"), self.json("bmf")
        entries = {e["name"]: e for e in self.json("github-benchmark")}
        _, _, runs = benchfmt.read(self.read("go-benchmark"))
        markdown, comment = self.read("markdown"), self.read("pr-comment")
        for c, (entry, row) in enumerate(zip(result["results"], rows)):
            own = sorted((s for s in samples if s["command"] == entry["command"]),
                         key=lambda s: int(s["round"]))
            for name, metric in entry["metrics"].items():
                if metric.get("detail"):
                    continue
                scale = 1e-9 if metric["unit"] == "ns" else 1
                for key in ("mean", "stddev", "min", "max"):
                    self.close(row[f"{name}_{key}"], metric[key] * scale)
                for sample, value in zip(own, metric["values"], strict=True):
                    self.close(sample[name], value * scale)
                slug = "latency" if name == "wall_time" else name.replace("_", "-")
                self.close(bmf[entry["command"]][slug]["value"], metric["mean"])
                if metric["better"] == "lower":
                    self.close(entries[f"{entry['command']} {name}"]["value"], metric["mean"])
                mean = self.shown_mean(entry["command"], c, name, table)
                self.assertIn(mean, markdown, name)
                decimals = len(mean.split()[0].partition(".")[2])  # as many digits as its standard deviation supports
                self.close(mean.replace("~", ""), self.in_unit(metric["mean"], mean, metric), 5e-4,
                           0.5001 * 10 ** -decimals)
            wall = [v["ns/op"] for n, _, v in runs if benchfmt.part(n, "cmd") == entry["command"]]
            self.assertEqual(wall, entry["metrics"]["wall_time"]["values"])
            self.close(entry["mean"], entry["metrics"]["wall_time"]["mean"] / 1e9)
        for change in result["comparisons"]:
            name = change["metric"]
            if f"{name}_ratio" not in rows[1]:
                continue
            for ours, theirs in (("d", "cohens_d"), ("ratio", "ratio"), ("low", "low"),
                                 ("high", "high")):
                self.close(rows[1][f"{name}_{ours}"], change[theirs])
            self.assertEqual(rows[1][f"{name}_verdict"], change["verdict"])
        estimate = re.search(r"wall_time .*?([+−][\d.]+ %)", table.split("runs of b")[1])[1]
        self.assertIn(estimate, markdown)
        self.assertIn(f"**{estimate}**", comment)

    def test_a_narrow_table_keeps_the_answer_and_names_apart(self):
        for width in (20, 30, 40, 58, 80):
            text = lauka("--backend", "simulated", "--full", "--seed", "5", "-r", "30", "a", "b",
                         env={"COLUMNS": str(width)}).stdout.decode()
            self.assertLessEqual(max(map(len, text.splitlines())), width)
            rows = [line for line in text.split("runs of b")[1].split("\n\n")[0].splitlines()[2:]
                    if "exploratory" not in line]
            self.assertEqual(len(rows), 16)
            self.assertEqual(len({row.split()[0] for row in rows}), 16, width)
            self.assertTrue(all(re.search(" (slower|higher|equivalent|inconclusive|identical)", row)
                                for row in rows), width)
            self.assertEqual("%" in rows[0], width >= 30, rows[0])

    def test_an_estimate_is_marked_in_every_document(self):
        table = self.simulated("--gate", "cycles=1%", "--items", "100", "--multiplex=time", "a", "b", scenario="multiplexed", code=3)
        of_time = ["cycles", "ipc", "ghz", "cache_miss_percent", "cycles_per_item"]
        samples, percentiles = self.csv("csv-samples"), self.csv("csv-percentiles")
        for c, entry in enumerate(self.json()["results"]):
            for name in of_time + ["wall_time"]:
                share = 0.6 if name in of_time else 1
                self.assertEqual(entry["metrics"][name]["share"], share, name)
                self.assertEqual(self.csv("csv")[c][f"{name}_share"], str(share))
                self.assertEqual(self.shown_mean(entry["command"], c, name, table.stdout.decode())[0] == "~", share < 1)
                self.assertEqual({row.get(f"{name}_share") for row in samples}, {"0.6" if share < 1 else None})
                self.assertEqual({r["share"] for r in percentiles if r["metric"] == name}, {str(share)})
        self.assertRegex(table.stdout.decode(), r"FAIL  cycles  ~\+")
        self.assertRegex(self.read("markdown"), r"FAIL \| `cycles` \| ~\+")

    def test_hidden_memory_is_an_empty_field(self):
        self.simulated("a", "b", rounds=9)
        result = self.json()
        result["run"]["rss_floor"] = floor = max(result["results"][0]["metrics"]["peak_rss"]["values"])
        self.all_documents(self.write("hidden.json", json.dumps(result)), verb=("report",))
        row = self.csv("csv")[0]
        for part in ("mean", "stddev", "min", "max", "share"):
            self.assertEqual(row[f"peak_rss_{part}"], "", part)
            self.assertNotEqual(row[f"wall_time_{part}"], "")
        for sample in self.csv("csv-samples"):
            self.assertTrue(sample["peak_rss"] == "" or int(sample["peak_rss"]) > floor)
        self.assertEqual({r["reference"] for r in self.csv("csv-percentiles") if r["metric"] == "peak_rss"}, {""})

    def test_every_figure_of_every_table_is_that_of_the_json(self):
        for scenario, commands, options, least in (
                ("full", "ab", ("-r", "30"), 900), ("full", "abc", ("-r", "12"), 900),
                ("multiplexed", "ab", ("-r", "20"), 600), ("user-only", "ab", ("-r", "9"), 600),
                ("no-pmu", "ab", ("-r", "40"), 400), ("full", "a", ("-r", "20"), 150),
                ("full", "ab", ("-r", "3000", "--no-samples"), 900)):
            with self.subTest(scenario=scenario, commands=commands):
                self.assertGreater(self.read_all(scenario, commands, options), least)

    def read_all(self, scenario, commands, options):
        gate = ["--gate", "wall=2%", "--gate", "cpu.mean=1%,+1us", "--gate", "peak_rss=50%",
                f"--junit={self.path('junit')}"] * (len(commands) > 1)
        if "--no-samples" in options:
            gate = ["--gate", "wall=2%", f"--junit={self.path('junit')}"]
        names = [name for name in DOCUMENTS if name != "csv-samples"]
        done = lauka("--backend", f"simulated:{scenario}", "--full", "--seed", "5", *options, *gate, "--plot",
                     "--percentiles", *(f"--{name}={self.path(name)}" for name in names), *commands,
                     env={"COLUMNS": "200"})
        self.assertIn(done.returncode, (0, 3), done.stderr)
        truth, table = figures.Truth(self.json()), done.stdout.decode()
        shown = truth.shown()
        found = figures.read_table(truth, table)
        known = [(c, name) for c in range(len(commands)) for name in shown
                 if truth.commands[c]["metrics"][name]["mean"] is not None]
        self.assertEqual(sorted(found), sorted(known))
        if len(commands) == 2:
            compared = {name for _, name in known}
            self.assertEqual(set(figures.read_printed_percentiles(truth, table)), compared)
            constant = set(re.findall(r"^(\S+)(?: in \S+)?\nalways ", table, re.M))
            self.assertEqual(set(figures.read_plot(truth, table)), compared - constant)
        for name, read in (("markdown", figures.read_markdown), ("pr-comment", figures.read_markdown),
                           ("html", figures.read_page)):
            before = truth.seen
            read(truth, self.read(name))
            self.assertGreater(truth.seen - before, 20, name)
        if gate:
            figures.read_junit(truth, xml.etree.ElementTree.parse(self.path("junit")).getroot())
        self.machines_agree(truth)
        return truth.seen

    def test_figures_of_every_size_are_told(self):
        """Values from 10^-9 to 10^9 times as much, and zeros."""
        def values(middle):
            return [f"{middle * (1 + 0.001 * (i * 7 % 11)):.9f}" for i in range(20)]

        sizes = {"n": ["0.000000001", "0.000000003"] * 10, "u": values(15e-6), "one": values(1),
                 "K": values(1e3), "H": values(1e5), "G": values(1e9), "zero": ["0"] * 20,
                 "some": ["0", "1", "2", "0"] * 5}
        for name, lines in sizes.items():
            self.write(name, "\n".join(lines) + "\n")
        for first in sizes:
            for second in sizes:
                with self.subTest(first=first, second=second):
                    self.expect_told(first, second)

    def expect_told(self, first, second):
        arguments = ["compare", "--full", "--percentiles", *(f"--{n}={n}" for n in ("json", "markdown", "html",
                                                                          "pr-comment")), first, second]
        for columns in ("80", "200"):
            done = lauka(*arguments, env={"COLUMNS": columns}, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            table = done.stdout.decode()
            self.assertLessEqual(max(map(len, table.splitlines())), int(columns), table)
        truth = figures.Truth(self.json())
        if first != second:
            self.assertEqual(len(figures.read_table(truth, table)), 2, table)
            figures.read_printed_percentiles(truth, table)
            for read, name in ((figures.read_markdown, "markdown"), (figures.read_page, "html"),
                               (figures.read_markdown, "pr-comment")):
                read(truth, self.read(name))
        for text in [table, *map(self.read, ("markdown", "pr-comment", "html"))]:
            self.assertNotRegex(plain_text(text), r"\d[eE][+-]?\d|\bnan\b|\binf\b|(?<![.\d])\d{7}(?! )" +
                                ("" if second in ("zero", "some") else r"|[−-]100\.0"))
            self.assertNotRegex(plain_text(text), r"(mean|against) 0\.000 ")

    def machines_agree(self, truth):
        """CSV and exports for other programs agree to their last digit."""
        entries = {e["name"]: e for e in self.json("github-benchmark")}
        for entry, row, (label, measures) in zip(truth.commands, self.csv("csv"),
                                                 self.json("bmf").items(), strict=True):
            self.assertEqual((row["command"], label), (entry["command"], entry["command"]))
            for name in truth.shown():
                metric = entry["metrics"][name]
                scale = 1e-9 if metric["unit"] == "ns" else 1
                for key in ("mean", "stddev", "min", "max"):
                    self.close(row[f"{name}_{key}"], metric[key] and metric[key] * scale)
                measure = measures.get("latency" if name == "wall_time" else slug(name))
                other = entries.get(f"{label} {name}")
                if metric["mean"] is None:
                    self.assertEqual((measure, other), (None, None), name)
                    continue
                if measure:
                    self.close(measure["value"], metric["mean"])
                    self.close(measure["upper_value"] - measure["value"], metric["stddev"], 1e-6)
                if other:
                    self.close(other["value"], metric["mean"])
                    self.close(other["range"].removeprefix("± "), metric["stddev"], 5e-4)

    def test_percentiles_are_the_same_everywhere(self):
        self.simulated("a", "b", rounds=200)
        results = self.json()["results"]
        rows = self.csv("csv-percentiles")
        self.assertGreater(len(rows), 100)
        for row in rows:
            metrics = [entry["metrics"][row["metric"]] for entry in results]
            scale = 1e-9 if metrics[0]["unit"] == "ns" else 1
            values = [metric["quantiles"][row["percentile"]] * scale for metric in metrics]
            self.close(row["reference"], values[0])
            self.close(row["command"], values[1])
            if row["change"]:
                self.close(1 + float(row["change"]), values[1] / values[0])

    def close(self, text, value, tolerance=1e-9, rounding=0):
        if value is None or text == "":
            self.assertEqual((text, value), ("", None))
        else:
            self.assertAlmostEqual(float(text), value, delta=max(tolerance * max(1e-12, abs(value)), rounding))

    def shown_mean(self, label, c, name, table):
        part = table.split(f"runs of {label}")[1].split("runs of")[0]
        return re.search(rf"^ *{name} +([~≤]?[\d.]+)", part, re.M)[1]

    def in_unit(self, mean, shown, metric):
        """Returns the mean in the unit of its row: the power that brings it nearest to the shown number."""
        shown = float(shown.strip("~≤"))
        powers = [1024 ** i for i in range(4)] if metric["unit"] == "B" else [1000 ** i for i in range(5)]
        return min((mean / power for power in powers), key=lambda value: abs(value - shown))


class Trouble(InScratch):
    """Files that cannot be written are reported before the first run, if that can be known."""

    def touching(self):
        """Arguments for a command that leaves a trace."""
        return ["-r", "2", "--", "touch", self.path("ran")]

    def ran(self):
        return os.path.exists(self.path("ran"))

    def refused(self, *arguments, code=2, **keywords):
        done = lauka(*arguments, *self.touching(), **keywords)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
        self.assertFalse(self.ran())
        return done.stderr.decode(errors="replace")

    def test_a_directory_as_file(self):
        for name in DOCUMENTS:
            self.assertIn("Is a directory", self.refused(f"--{name}={self.folder}"))

    def test_a_folder_that_is_not_there(self):
        self.assertIn("No such file", self.refused(f"--json={self.path('no/such')}"))

    def test_a_file_that_may_not_be_written(self):
        """If the tests run as root, another user runs lauka."""
        program = os.path.join(self.folder, "lauka")
        shutil.copy(LAUKA, program)
        os.mkdir(self.path("closed"), 0o755)
        self.write("closed/file", "precious")
        os.chmod(self.path("closed/file"), 0o444)
        os.chmod(self.path("closed"), 0o555)
        self.addCleanup(os.chmod, self.path("closed"), 0o755)

        def drop():
            if os.getuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)

        for name in ("file", "new"):
            done = subprocess.run([program, f"--json={self.path('closed/' + name)}", "-r", "1", "true"],
                                  capture_output=True, preexec_fn=drop)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(b"Permission denied", done.stderr)
            self.assertEqual(done.stderr.count(b"\n"), 1)
        self.assertEqual(self.read("closed/file"), "precious")

    def test_a_full_device_is_told_and_all_else_is_written(self):
        for full in DOCUMENTS:
            outputs = [f"--{name}=" + ("/dev/full" if name == full else self.path(name))
                       for name in DOCUMENTS]
            done = lauka("--backend", "simulated", "-r", "5", *outputs, "a", "b")
            self.assertEqual(done.returncode, 1, full)
            self.assertEqual(done.stderr.decode(), f"lauka: --{full}=/dev/full: "
                                                   "No space left on device\n")
            self.assertIn(b"wall_time", done.stdout)
            for name in DOCUMENTS:
                self.assertTrue(name == full or self.read(name), name)

    def test_a_full_disk_is_found_before_the_first_run(self):
        disk = self.path("disk")
        os.mkdir(disk)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk],
                                 capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("no file system can be mounted here")
        self.addCleanup(subprocess.run, ["umount", disk])
        try:
            with open(os.path.join(disk, "filler"), "wb", buffering=0) as filler:
                while filler.write(b"x" * 4096):
                    pass
        except OSError:
            pass
        self.assertIn("No space left", self.refused(f"--json={disk}/j"))
        self.assertFalse(os.path.exists(f"{disk}/j"))

    def test_a_disk_that_fills_up_is_told(self):
        disk = self.path("disk")
        os.mkdir(disk)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk],
                                 capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("no file system can be mounted here")
        self.addCleanup(subprocess.run, ["umount", disk])
        done = lauka("--backend", "simulated", "-r", "2000", f"--json={disk}/j",
                     f"--csv={self.path('c')}", "a", "b")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"No space left", done.stderr)
        self.assertEqual(len(self.csv("c")), 2)

    def test_a_closed_stdout_is_found_before_the_first_run(self):
        for arguments in ((), ("--json",), (f"--csv={self.path('c')}",)):
            done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", LAUKA, *arguments,
                                   *self.touching()], stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr, b"lauka: cannot write to stdout: it is closed\n")
            self.assertFalse(self.ran())

    def test_closed_descriptors_do_not_become_documents(self):
        done = subprocess.run(["sh", "-c", 'exec "$@" <&- 2>&-', "sh", LAUKA, "--backend",
                               "simulated", "-r", "5", f"--json={self.path('j')}", "a"],
                              stdout=subprocess.PIPE)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.json("j")["run"]["rounds"], 5)

    def test_one_file_cannot_be_two_documents(self):
        self.assertIn("another document", self.refused(f"--json={self.path('x')}",
                                                       f"--csv={self.path('x')}"))
        self.assertFalse(os.path.exists(self.path("x")))

    def test_nothing_is_left_behind_where_nothing_was_measured(self):
        self.refused(f"--json={self.path('j')}", f"--csv={self.path('no/such')}")
        self.assertFalse(os.path.exists(self.path("j")))

    def test_a_command_that_cannot_be_started_is_what_the_document_tells(self):
        lauka(f"--json={self.path('j')}", "/no/such")
        with open(self.path("j"), encoding="utf-8") as file:
            self.assertIn("cannot be started", json.load(file)["failure"]["reason"])

    def test_single_runs_that_were_not_kept_are_missed(self):
        self.assertIn("--no-samples", self.refused("--no-samples", "--csv-samples"))

    def test_a_summary_that_cannot_be_opened_is_found_before_the_first_run(self):
        self.assertIn("summary", self.refused("--github", env={"GITHUB_STEP_SUMMARY": self.folder}))


def main():
    global LAUKA
    LAUKA = os.path.abspath(sys.argv[1])
    os.environ["LC_ALL"] = "C.UTF-8"
    os.environ["COLUMNS"] = "80"
    loader = unittest.TestLoader()
    module = sys.modules["__main__"]
    tests = (loader.loadTestsFromNames(sys.argv[2:], module) if sys.argv[2:]
             else loader.loadTestsFromModule(module))
    log = io.StringIO()
    outcome = unittest.TextTestRunner(stream=log).run(tests)
    bad = len(outcome.failures) + len(outcome.errors) + len(outcome.unexpectedSuccesses)
    if bad:
        print(log.getvalue())
    for test, reason in outcome.skipped:
        print(f"skipped {test}: {reason}")
    print(f"documents: {outcome.testsRun - bad - len(outcome.skipped)} passed, {bad} failed", flush=True)
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
