#!/usr/bin/env python3
"""Checks the page with a browser and an XML reader: python3 tests/page/run.py LAUKA [TEST...]

Needs xmllint and chromium (Debian: libxml2-utils, chromium). Tests without their tool are skipped, but fail
in CI. LAUKA_KEEP_PAGES=DIR keeps the pages and their pictures.
"""
import base64
import hashlib
import html
import html.parser
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

LAUKA = ""
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
XMLLINT = shutil.which("xmllint")
NASTY = ("a|b `c` \"q\" 'r' </script><script>alert(1)</script> <svg onload=x> &amp; &#0; {{x}} "
         "\x1b[31mred\x07 ]]> --> \r\n\t $(rm) @me 你好 \u202eevil").encode() + b" \xff\xc0\xaf \xe2\x80"


def needs(tool, package):
    """Skips a test if the tool is missing, but not in CI."""
    return unittest.skipIf(not tool and os.environ.get("CI") != "true",
                           f"{package} is not installed")


def lauka(*arguments, timeout=120, code=0):
    done = subprocess.run([LAUKA, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=timeout, env={**os.environ, "COLUMNS": "1000", "LC_ALL": "C.UTF-8"})
    assert done.returncode == code, done.stderr
    return done.stdout.decode("utf-8")


def simulated(*arguments):
    return "--backend", "simulated", "--seed", "7", *arguments


def spread(seed, count, middle, share, stray=0):
    """Returns whole numbers around a middle, with `stray` of them far above it."""
    dice = random.Random(seed)
    values = [round(middle * dice.lognormvariate(0, share)) for _ in range(count)]
    for _ in range(stray):
        values[dice.randrange(count)] *= 3
    return values


class Pages:
    """One page for every kind of result, made once for all tests."""
    folder = None
    texts = {}

    @classmethod
    def stored(cls, name, *commands, options=()):
        """Compares files of plain numbers, in seconds."""
        paths = []
        for i, values in enumerate(commands):
            path = os.path.join(cls.folder, f"{name}-{i}.txt")
            with open(path, "w") as file:
                file.write("".join(f"{value}\n" for value in values))
            paths.append(path)
        cls.make(name, "compare", *options, *paths)

    @classmethod
    def make(cls, name, verb, *arguments, code=0):
        path = os.path.join(cls.folder, name + ".html")
        lauka(verb, f"--html={path}", *arguments, code=code)
        with open(path, encoding="utf-8") as file:
            cls.texts[name] = file.read()

    @classmethod
    def remember(cls, name, *arguments):
        """Reports a stored result that says where it comes from."""
        path = os.path.join(cls.folder, name + ".json")
        lauka("run", *simulated(*arguments), f"--json={path}", "-q")
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        for side, commit, subject in ((0, "9e78061b2e" + 30 * "1", "Release"), (1, "364842fbd9" + 30 * "2", "Reserve <room>")):
            result["results"][side]["revision"] = {"commit": commit, "date": "2026-11-20", "subject": subject}
        result["run"]["reproduce"] = ["--seed=7", "revisions", "base", "head", "--", "./prog"]
        result["run"]["provenance"] = {"begin": "2026-11-25T14:03:07Z", "ci": "github", "job": "gate",
                                       "url": "https://github.com/o/r/actions/runs/1?a=1&b=2"}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(result, file)
        cls.make(name, "report", path)

    @classmethod
    def all(cls):
        if cls.texts:
            return cls.texts
        keep = os.environ.get("LAUKA_KEEP_PAGES")
        cls.folder = keep or tempfile.mkdtemp()
        os.makedirs(cls.folder, exist_ok=True)
        cls.make("two", "run", *simulated("-r", "60", "./a --fast", "./b --fast"))
        cls.make("one", "run", *simulated("-r", "60", "./a --fast"))
        cls.make("four", "run", *simulated("-r", "30", "./a", "./b", "./c", "./d"))
        cls.make("ten", "run", *simulated("-r", "12", *(f"./{c} --a-rather-long-option={c}" for c in "abcdefghij")))
        cls.make("twelve", "run", *simulated("-r", "12", *(f"./{c}" for c in "abcdefghijkl")))
        cls.make("one-round", "run", *simulated("-r", "1", "./a", "./b"))
        cls.make("streamed", "run", *simulated("-r", "400", "--no-samples", "./a", "./b"))
        cls.make("uncounted", "run", "--backend", "simulated:no-pmu", "--seed=1", "-r", "10", "./a", "./b")
        cls.make("shared", "run", "--backend", "simulated:multiplexed", "--seed=1", "--multiplex=time", "-r", "20", "./a", "./b")
        cls.make("counter", "run", *simulated("-r", "20", "--primary=instructions,major_faults", "./a", "./b"))
        cls.make("nasty", "run", *simulated("-r", "10", "--", NASTY, "x", "--vs", b"b" * 65536 + NASTY, "y"))
        cls.make("gated", "run", *simulated("-r", "40", "--gate=wall=2%", "--gate=peak_rss=5%", "./a", "./b"),
                 code=3)
        config = os.path.join(cls.folder, "config")
        with open(config, "w") as file:
            file.write("--backend=simulated:effects\n--seed=3\n-r30\n-n=base\n-n=head\n")
            file.writelines(f"[{name}]\na cost=5ms noise={noise}%\nb cost={5 * by}ms noise={noise}%\n" for name, by, noise
                            in (("a/slower", 1.2, 1), ("a/faster", .8, 1), ("equal \"<&", 1, 1), ("far", 40, 1), ("loud", 1, 30)))
        cls.make("benchmarks", "run", f"--config={config}")
        with open(config, "w") as file:
            file.write("--backend=simulated:effects\n--seed=3\n-r30\n-n=base\n-n=head\n--gate=wall_time=4%\n--gate=peak_rss=5%\n")
            for name, worse in (("same 1", ""), ("memory & time", "cost=6ms rss=9MiB"), ("same 2", ""), ("loud", "noise=30%"),
                                ("better", "cost=4ms"), ("same 3", ""), ("same 4", "")):
                file.write(f"[{name}]\n./prog --{name[:3]} cost=5ms noise=.5%\n./prog --{name[:3]} cost=5ms noise=.5% {worse}\n")
        cls.make("folded", "run", f"--config={config}", code=3)
        cls.make("memory", "run", "--backend=simulated:effects", "--seed=3", "-r30", "--gate=peak_rss=5%", "--gate=wall_time.p25=1%",
                 "-n", "base", "-n", "HEAD", "./prog 'big file.csv' noise=30% rss=8MiB", "./prog 'big file.csv' noise=30% rss=15MiB",
                 code=3)
        cls.remember("facts", "-r20", "-n", "base", "-n", "head", "./a", "./b")
        cls.make("noise", "noise", *simulated("-r", "30", "./a"))
        cls.stored("equal", [4096] * 30, [4096] * 30)
        cls.stored("exact", [4096] * 30, [8192] * 30)
        cls.stored("zeros", [0, 1, 2, 0, 1] * 6, [3, 0, 1, 2, 2] * 6)
        cls.stored("all-zero", [0] * 12, [0] * 12)
        cls.stored("huge", spread(1, 50, 1e3, .05), spread(2, 50, 1e12, .05))
        cls.stored("tails", spread(3, 300, 1e7, .01, 9), spread(4, 300, 1.01e7, .01, 3))
        cls.stored("unpaired", spread(5, 80, 1e7, .02), spread(6, 31, 1.1e7, .02))
        cls.stored("fine", [10**15 + i % 7 for i in range(60)], [10**15 + i % 5 for i in range(60)])
        cls.stored("few", [3, 4, 5], [5, 4, 6])
        cls.stored("many", spread(8, 10**6, 1e7, .05, 500), spread(9, 10**6, 1.02e7, .05, 300))
        return cls.texts


def svgs(text):
    return re.findall(r"<svg xmlns.*?</svg>(?=\n</figure>)", text, re.S)


class Cells(html.parser.HTMLParser):
    """Collects the texts of all table cells, row by row, and the first heading."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.heading, self.inside = [], "", None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        if tag in ("td", "th", "h1"):
            self.inside = tag

    def handle_endtag(self, tag):
        if tag == self.inside:
            self.inside = None

    def handle_data(self, data):
        if self.inside == "h1":
            self.heading += data
        elif self.inside:
            self.rows[-1][-1] += data


class TheFile(unittest.TestCase):
    def test_figures_are_told_where_the_pointer_is(self):
        texts = Pages.all()
        self.assertRegex(texts["two"], r"<title>[\d.]+ ms to [\d.]+ ms: A [\d.]+ %, B [\d.]+ %</title>")
        self.assertRegex(texts["two"], r"<title>\+[\d.]+ % \[.*?\], slower; means: A [\d.]+ ms, B [\d.]+ ms</title>")

    def test_the_gates_chart_has_its_limits_and_says_so(self):
        texts = Pages.all()
        self.assertEqual((texts["gated"].count('class="lm"'), texts["two"].count('class="lm"')), (2, 0))
        self.assertEqual(("Dashed: the limit." in texts["gated"], "Dashed" in texts["two"]), (True, False))

    def test_every_command_of_many_has_its_drift(self):
        drift = re.search(r"From the first third to the last: (.*?)\.</p>", Pages.all()["twelve"])[1]
        self.assertEqual(re.findall(r"(?:^|, )([A-Z]) (?:[+−]|0\b)", drift.replace("\u00a0", " ")), list("ABCDEFGHIJKL"))

    def test_benchmarks_are_found_by_their_names_the_worst_first(self):
        text = Pages.all()["benchmarks"]
        anchors = re.findall(r'<article id="(.*?)">', text)
        self.assertEqual(anchors, ["far", "a/slower", "a/faster", "loud", "equal____"])
        self.assertEqual(re.findall(r'<a href="#(.*?)">', text), anchors)
        self.assertEqual(text.count("<h1>"), 1)
        self.assertIn("<h1>2 of 5 benchmarks are slower, 1 faster, 1 inconclusive; 1 equivalent (within 1\u00a0%)</h1>", text)
        contents = re.search(r"<nav.*?</nav>", text, re.S)[0]
        minis = re.findall(r"<svg viewBox.*?</svg>", contents, re.S)
        self.assertEqual(len(minis), 1 + 5)
        self.assertRegex(minis[3], r"<title>−(19\.9|20)")  # a tooltip

    def test_there_is_no_script_and_nothing_from_elsewhere(self):
        for name, text in Pages.all().items():
            with self.subTest(name):
                self.assertNotRegex(text, r"(?i)<script|\son\w+\s*=\s*[\"']|javascript:")
                plain = re.sub(r'xmlns="http://www.w3.org/2000/svg"', "", text)
                plain = re.sub(r'<a href="https?://[^"]*">', "", plain)  # nothing is loaded before it is followed
                self.assertNotRegex(plain, r"(?i)<[^>]*\b(src|href|action|data)\s*=(?!\"#)|url\(|@import")
                self.assertNotIn("<style", text.split("</head>")[1])
                self.assertNotRegex(text, r'<\w[^>]* style=')

    def test_the_policy_lets_in_this_style_and_nothing_else(self):
        text = Pages.all()["two"]
        styles = re.findall(r"<style>(.*?)</style>", text, re.S)
        self.assertEqual(len(styles), 2)
        digests = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()}'" for style in styles)
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text).group(1)
        self.assertEqual(policy, f"default-src 'none'; style-src {digests}; base-uri 'none'; form-action 'none'",
                         "if the style was changed, set lauka_html_style_hash and lauka_html_tables_style_hash to these")

    def test_a_million_runs_make_a_page_under_a_megabyte(self):
        self.assertLess(len(Pages.all()["many"].encode()), 10**6)
        self.assertLess(len(Pages.all()["ten"].encode()), 10**6)
        self.assertLess(len(Pages.all()["nasty"].encode()), 10**6)

    def test_each_chart_has_a_title_and_says_what_it_shows(self):
        for name, text in Pages.all().items():
            ids = re.findall(r'\bid="([^"]*)"', text)
            self.assertEqual(len(ids), len(set(ids)), name)
            for svg in svgs(text):
                with self.subTest(name):
                    labels = re.search(r'aria-labelledby="(\w+) (\w+)"', svg).groups()
                    title = re.search(rf'<title id="{labels[0]}">([^<]+)</title>', svg).group(1)
                    finding = re.search(rf'<desc id="{labels[1]}">([^<]+)</desc>', svg).group(1)
                    self.assertGreater(len(title), 10)
                    self.assertRegex(finding, r"A is .*\. \S.*\.$")
                    self.assertNotRegex(svg, r"(?i)\bnan\b|\binf\b|-0 %|>-0<")

    def test_the_charts_are_those_that_there_are_values_for(self):
        pages = Pages.all()
        kinds = {"shift": "quantile by quantile", "ecdf": "Share of runs up to each value",
                 "histogram": "Share of runs in each step", "order": "Runs in the order they ran",
                 "forest": ">Every "}

        def count(name):
            return {kind: sum(words in svg for svg in svgs(pages[name])) for kind, words in kinds.items()}

        two_metrics = {"shift": 2, "ecdf": 2, "histogram": 2, "order": 2, "forest": 1}
        self.assertEqual(count("two"), two_metrics)
        self.assertEqual(count("one"), {**two_metrics, "shift": 0, "forest": 0})
        self.assertEqual(count("four"), {"shift": 3, "ecdf": 3, "histogram": 3, "order": 2, "forest": 2})
        self.assertEqual(count("ten")["shift"], 9)
        self.assertEqual(count("streamed"), {**two_metrics, "order": 0})
        self.assertIn("Single runs were not kept, so their order cannot be shown", pages["streamed"])
        self.assertEqual(count("one-round")["shift"], 0)
        self.assertIn("needs at least 5 runs", pages["one-round"])
        self.assertIn("not paired", pages["unpaired"])

    def test_findings_tell_which_is_slower(self):
        two = html.unescape(Pages.all()["two"])
        self.assertIn("B is slower beyond doubt from the", two)
        self.assertIn("100 % of B’s runs lie above A’s median".replace(" %", "\u00a0%"), two)
        self.assertIn("A is always 4096.", Pages.all()["equal"])
        self.assertIn("No quantile differs beyond doubt.", Pages.all()["equal"])
        self.assertIn("logarithmic", Pages.all()["huge"])
        self.assertIn("Beyond the upper end: ", Pages.all()["tails"])

    def test_the_gate_comes_first(self):
        text = Pages.all()["gated"]
        rows = [[cell.replace("\u00a0", " ") for cell in row] for row in Cells(text).rows]
        self.assertIn("✗ FAIL", [row[0] for row in rows])
        self.assertIn("✓ pass", [row[0] for row in rows])
        self.assertLess(text.index("1 of 2 limits exceeded"), text.index("At a glance"))

    def test_the_limit_that_decided_is_the_headline_and_has_pictures_first(self):
        text = Pages.all()["memory"]
        heading = Cells(text).heading.replace("\u00a0", " ")
        self.assertRegex(heading, r"^✗ FAIL memory of B HEAD: \+8\d\.\d % \[.*\], limit 5 %$")
        self.assertRegex(text, r"<p><b class=\"b\">B</b>.* more memory than .*: over the limit\. .* in wall time: ")
        sections = re.findall(r"<h2>(.*?)</h2>", text)
        self.assertEqual([section.split(": memory")[0] for section in sections[:5]],
                         ["gate: FAIL: 1 of 2 limits exceeded", "At a glance", "memory", "wall time", "CPU time"])
        pictures = text[text.index("<h2>memory"):text.index("<h2>wall time")]
        self.assertEqual(pictures.count("<figure>"), 4)

    def test_percentiles_have_intervals_and_the_gates_verdicts(self):
        rows = [[cell.replace("\u00a0", " ") for cell in row] for row in Cells(Pages.all()["memory"]).rows]
        limit = [row for row in rows if row[0] == "25" and "limit 1 %" in row[-1]]
        self.assertEqual(len(limit), 1)
        self.assertRegex(limit[0][5], r"^\? inconclusive, limit 1 %$")
        clear = [row for row in rows if row[0] == "50" and row[-1] == "▲ higher"]
        self.assertEqual(len(clear), 1)
        self.assertRegex(clear[0][4], r"^\[\+8\d\.\d, \+8\d\.\d\]$")
        # Without an interval, two digits.
        self.assertTrue(all(re.match(r"[+−]?(0|\d\.\d|0\.\d\d|\d+) %$", row[3]) for row in rows if row[0] == "95" and not row[4]), rows)

    def test_what_was_measured_is_at_the_head(self):
        text = Pages.all()["facts"]
        head = html.unescape(re.sub("<[^>]*>", "", re.search(r'<p class="measured">.*?</p>', text)[0]))
        self.assertRegex(head, "^base 9e78061b2e Release → head 364842fbd9 Reserve <room> · base ./a · head ./b · 25 Nov 2026, 14:03 UTC · .* "
                               "· job gate · data$")
        self.assertIn('<a href="https://github.com/o/r/actions/runs/1?a=1&amp;b=2">job gate</a>', text)
        self.assertIn("To reproduce: <code>lauka --seed=7 revisions 9e78061b2e 364842fbd9 -- ./prog</code>", text)

    def test_many_benchmarks_are_folded_but_for_those_that_changed(self):
        text = Pages.all()["folded"]
        self.assertEqual(re.findall(r"<details( open)?>\n<summary><h2>(.*?) <span", text),
                         [(" open", "memory &amp; time"), (" open", "better")] + [("", name) for name in ("loud", "same 1", "same 2", "same 3", "same 4")])
        self.assertEqual(text.count("<details"), text.count("</details>"))
        self.assertNotIn("<details", Pages.all()["benchmarks"])
        # Both of its limits are exceeded.
        contents = Cells(re.search(r"<nav.*?</nav>", text, re.S)[0]).rows
        failed = [(row[0].replace("\u00a0", " "), row[1].replace("\u00a0", " ")) for row in contents if "FAIL" in row[1]]
        self.assertEqual(sorted(failed), [("memory & time peak_rss", "✗ FAIL"), ("memory & time wall_time", "✗ FAIL")])

    def test_what_others_wrote_stays_text(self):
        text = Pages.all()["nasty"]
        plain = html.unescape(re.sub(r"<[^>]*>", "", text))
        self.assertIn("</script><script>alert(1)</script>", plain)
        self.assertIn(r"\x1b[31mred\x07", plain)
        self.assertIn(r"\xff\xc0\xaf", plain)
        self.assertIn("你好", plain)
        for character in "\x1b\x07\r\u202e\0":
            self.assertNotIn(character, text)

    @needs(XMLLINT, "libxml2-utils")
    def test_every_picture_is_well_formed(self):
        for name, text in Pages.all().items():
            for svg in svgs(text):
                done = subprocess.run([XMLLINT, "--noout", "--nonet", "-"], input=svg.encode(),
                                      capture_output=True)
                self.assertEqual((done.returncode, done.stderr), (0, b""), name)

    def test_numbers_are_those_of_the_other_writers(self):
        folder = Pages.all() and Pages.folder
        paths = {kind: os.path.join(folder, "agree." + kind) for kind in ("html", "md")}
        table = lauka(*simulated("-r", "30"), f"--html={paths['html']}", f"--markdown={paths['md']}",
                      "--percentiles", "--", "./a", "--vs", "./b")
        texts = {}
        for kind, path in paths.items():
            with open(path, encoding="utf-8") as file:
                texts[kind] = file.read()
        page = Cells(texts["html"])
        rows = {tuple(cell.replace("\u00a0", " ").strip() for cell in row) for row in page.rows}
        markdown = texts["md"].replace("\u00a0", " ").replace("**", "")
        found = 0
        for line in markdown.splitlines():  # |  | command | mean | range | outliers | change ...
            cells = [cell.strip() for cell in line.strip("| \n").split(" | ")]
            if len(cells) != 7 or "[" not in cells[4]:
                continue
            change, interval = cells[4].split(" [")
            expected = (cells[1], change, "[" + interval, cells[5], *cells[2:4], cells[6])
            self.assertTrue(any(tuple(re.sub("^[▲▼?] ", "", cell) for cell in row[-7:]) == expected for row in rows), expected)
            found += 1
        self.assertGreater(found, 8)
        answer = table.splitlines()[0].replace("`", "")
        self.assertEqual(re.sub(r"\b[AB] (?=\./)", "", page.heading.replace("\u00a0", " ")), "▲ " + answer)
        ranks = re.findall(r"^ +(50|99|100|\d+) +(\S+) +(\S+) +(\S+ %)$", table, re.M)
        self.assertGreater(len(ranks), 10)
        for rank in [r for r in ranks if r[0] == "50"][:2]: # wall_time and cpu_time have percentiles
            self.assertIn(rank[:3], {row[:3] for row in rows})


class ThePlot(unittest.TestCase):
    def test_it_is_as_wide_as_the_terminal_and_plain_where_that_is_plain(self):
        for columns, locale in ((20, "C"), (40, "C.UTF-8"), (80, "C"), (120, "C.UTF-8")):
            done = subprocess.run([LAUKA, "run", *simulated("-r", "30", "--plot", "./a", "./b")],
                                  capture_output=True, check=True, stdin=subprocess.DEVNULL,
                                  env={**os.environ, "COLUMNS": str(columns), "LC_ALL": locale})
            lines = done.stdout.decode().splitlines()
            plot = lines[lines.index("wall_time in ms"):]
            self.assertLessEqual(max(map(len, plot)), columns)
            self.assertTrue(any(("|-" if locale == "C" else "┼──") in line for line in plot), plot)
            self.assertEqual(all(map(str.isascii, plot)), locale == "C")


# Shows the pages in a browser: one document with all of them, in frames of two widths.
PROBE = """<!DOCTYPE html><meta charset="utf-8"><body>%s<pre id="found"></pre><script>
function light(color) {
    const c = color.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
        .map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * c[0] + .7152 * c[1] + .0722 * c[2];
}
function contrast(a, b) {
    const x = light(a), y = light(b);
    return (Math.max(x, y) + .05) / (Math.min(x, y) + .05);
}
function look(frame) {
    const document = frame.contentDocument, window = frame.contentWindow;
    const found = {name: frame.name, width: window.innerWidth, outside: [], hidden: [], overlap: [], faint: [],
                   scroll: document.documentElement.scrollWidth, small: []};
    const ground = window.getComputedStyle(document.body).backgroundColor;
    found.ground = ground;
    found.folded = document.querySelectorAll("details:not([open])").length;
    document.querySelectorAll("details").forEach(details => details.open = true);
    found.hidden = [...document.querySelectorAll(".scroll")].filter(e => e.scrollWidth > e.clientWidth + 1)
        .map(e => [e.getAttribute("aria-label"), e.scrollWidth, e.clientWidth]);
    for (const svg of document.querySelectorAll("figure > svg, nav svg")) {
        const box = svg.viewBox.baseVal, scale = svg.getBoundingClientRect().width / box.width;
        if (scale === 0) continue; /* a telephone shows no intervals in the overview */
        const curves = [...svg.querySelectorAll("path.la, path.lb")].flatMap(path => {
            const length = path.getTotalLength(), shift = path.ownerSVGElement === svg ? [0, 0] : null;
            return shift ? [...Array(200).keys()].map(i => path.getPointAtLength(length * i / 199)) :
                [...Array(200).keys()].map(i => path.getPointAtLength(length * i / 199)).filter(p => {
                    const inner = path.ownerSVGElement.viewBox.baseVal;
                    return p.x >= inner.x && p.x <= inner.x + inner.width && p.y >= inner.y && p.y <= inner.y + inner.height;
                });
        });
        const texts = [...svg.querySelectorAll("text")].map(text => [text.textContent, text.getBBox()]);
        for (const [text, b] of texts) {
            if (b.x < box.x || b.y < box.y || b.x + b.width > box.x + box.width ||
                b.y + b.height > box.y + box.height)
                found.outside.push([text, b.x, b.y, b.width, b.height]);
            /* The leading of a line may touch the next; side by side, labels need a gap to be two. */
            for (const [other, o] of texts)
                if (o !== b && b.x < o.x + o.width + 3 && o.x < b.x + b.width + 3 &&
                    b.y + 3 < o.y + o.height && o.y + 3 < b.y + b.height && text <= other)
                    found.overlap.push([text, other, svg.textContent.slice(0, 60)]);
            if (curves.some(p => p.x > b.x && p.x < b.x + b.width && p.y > b.y + 3 && p.y < b.y + b.height - 3))
                found.overlap.push([text, "a curve", svg.textContent.slice(0, 60)]);
        }
        for (const text of svg.querySelectorAll("text")) {
            const ratio = contrast(window.getComputedStyle(text).fill, ground);
            if (ratio < 4.5) found.faint.push([text.textContent, ratio]);
        }
        if (12 * scale < 9) found.small.push(scale);
    }
    for (const element of document.querySelectorAll("body *")) {
        const own = [...element.childNodes].some(n => n.nodeType === 3 && n.data.trim());
        const ratio = contrast(window.getComputedStyle(element).color, ground);
        if (own && !element.closest("svg") && ratio < 4.5) found.faint.push([element.tagName, ratio]);
    }
    found.scripts = document.scripts.length;
    found.figures = document.querySelectorAll("figure > svg > title").length;
    return found;
}
onload = () => {
    document.getElementById("found").textContent =
        JSON.stringify([...document.querySelectorAll("iframe")].map(look));
};
</script>"""


def browse(*arguments, timeout=300):
    with tempfile.TemporaryDirectory() as profile:
        return subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu",
                               "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
                               f"--user-data-dir={profile}", *arguments],
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)


def dom_of(path, dark):
    done = browse(f"--blink-settings=preferredColorScheme={0 if dark else 1}", "--dump-dom",
                  "--virtual-time-budget=10000", "file://" + path)
    return done.stdout.decode("utf-8")


def first_pixel(path):
    """Returns the first pixel of a PNG with 8 bits per channel. No filter has changed it, because
    nothing precedes it."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", path
    packed, place = b"", 8
    while place < len(data):
        length, kind = struct.unpack_from(">I4s", data, place)
        packed += data[place + 8:place + 8 + length] if kind == b"IDAT" else b""
        place += length + 12
    return tuple(zlib.decompress(packed)[1:4])


class InABrowser(unittest.TestCase):
    maxDiff = None

    @classmethod
    def look(cls):
        if not hasattr(cls, "found"):
            frames = "".join(
                f'<iframe name="{name}" width="{width}" height="800" sandbox="allow-same-origin" '
                f'srcdoc="{html.escape(text)}"></iframe>'
                for name, text in Pages.all().items() for width in (400, 1200))
            path = os.path.join(Pages.folder, "probe.html")
            with open(path, "w", encoding="utf-8") as file:
                file.write(PROBE % frames)
            cls.found = []
            for dark in (False, True):
                dom = dom_of(path, dark)
                text = re.search(r'<pre id="found">(.*?)</pre>', dom, re.S).group(1)
                cls.found += [{**f, "dark": dark} for f in json.loads(html.unescape(text))]
        return cls.found

    def of_all(self, key):
        return {(f["name"], f["width"], f["dark"]): f[key] for f in self.look() if f[key]}

    @needs(CHROMIUM, "chromium")
    def test_every_page_was_looked_at(self):
        found = self.look()
        self.assertEqual(len(found), 4 * len(Pages.all()))
        self.assertEqual({f["width"] for f in found}, {400, 1200})
        for f in found:
            self.assertEqual(f["figures"], len(svgs(Pages.all()[f["name"]])))
            self.assertEqual(f["scripts"], 0)
            self.assertEqual(f["ground"], "rgb(13, 17, 23)" if f["dark"] else "rgb(255, 255, 255)")

    @needs(CHROMIUM, "chromium")
    def test_no_text_leaves_its_picture(self):
        self.assertEqual(self.of_all("outside"), {})

    @needs(CHROMIUM, "chromium")
    def test_no_text_covers_another(self):
        self.assertEqual(self.of_all("overlap"), {})

    @needs(CHROMIUM, "chromium")
    def test_the_page_never_scrolls_sideways(self):
        self.assertEqual({key: scroll for key, scroll in self.of_all("scroll").items()
                          if scroll > key[1]}, {})

    @needs(CHROMIUM, "chromium")
    def test_no_table_is_cut_off(self):
        # Percentiles of so many commands may scroll.
        may = {"four": 400, "ten": 1200, "twelve": 1200}
        self.assertEqual({key: hidden for key, hidden in self.of_all("hidden").items() if key[1] > may.get(key[0], 0)}, {})

    @needs(CHROMIUM, "chromium")
    def test_only_many_benchmarks_are_folded(self):
        self.assertEqual({key[0] for key in self.of_all("folded")}, {"folded"})

    @needs(CHROMIUM, "chromium")
    def test_all_text_stands_out_from_its_ground_and_is_large_enough(self):
        self.assertEqual(self.of_all("faint"), {})
        self.assertEqual(self.of_all("small"), {})

    @needs(CHROMIUM, "chromium")
    def test_the_page_is_shown_with_its_style_light_and_dark(self):
        Pages.all()
        page = os.path.join(Pages.folder, "two.html")
        grounds = []
        for scheme in (0, 1):
            for width in (400, 1200):
                picture = os.path.join(Pages.folder, f"two-{'light' if scheme else 'dark'}-{width}.png")
                browse(f"--blink-settings=preferredColorScheme={scheme}", f"--screenshot={picture}",
                       f"--window-size={width},2600", "file://" + page)
                grounds.append(first_pixel(picture))
        self.assertEqual(grounds, [(13, 17, 23)] * 2 + [(255, 255, 255)] * 2)

    @needs(CHROMIUM, "chromium")
    def test_a_browser_reads_what_was_written(self):
        dom = dom_of(os.path.join(Pages.all() and Pages.folder, "nasty.html"), False)
        self.assertNotRegex(dom, "(?i)<script")
        self.assertEqual(dom.count("<figure>"), Pages.all()["nasty"].count("<figure>"))
        self.assertEqual(dom.count("<table"), Pages.all()["nasty"].count("<table"))


if __name__ == "__main__":
    LAUKA = os.path.abspath(sys.argv.pop(1))
    program = unittest.main(exit=False)
    result = program.result
    failed = len(result.failures) + len(result.errors)
    skipped = len(result.skipped)
    if Pages.folder and not os.environ.get("LAUKA_KEEP_PAGES"):
        shutil.rmtree(Pages.folder)
    if skipped:
        print(f"page: {skipped} skipped: install libxml2-utils and chromium to run them")
    print(f"page: {result.testsRun - failed - skipped} passed, {failed} failed")
    sys.exit(failed != 0)
