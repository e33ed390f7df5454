"""Compares every number in every table that people see with the JSON of the same run. A number is right
if its last digit is; the unit beside it gives the scale."""
import html.parser
import re

NBSP = "\u00a0"
UNITS = {"ns": {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9},
         "B": {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30},
         "1": {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "m": 1e-3, "µ": 1e-6, "n": 1e-9}}
WORDS = {"higher": "slower", "lower": "faster"}
FIGURE = r"[~≤]*[+−×÷]?[<>]?[\d.]+"
FACTOR = 1.995  # from here on, and from its inverse down, changes are factors


class Wrong(AssertionError):
    pass


def plain(text):
    return text.replace(NBSP, " ").replace("**", "").strip()


def close(shown, value, scale=1):
    """Whether the number is the value in units of scale, rounded to the number's digits."""
    text = shown.lstrip("~≤").replace("−", "-").replace("+", "")
    if value is None:
        raise Wrong(f"{shown}: the value is unknown")
    value = float(value) / scale  # integers above 2^53 are texts
    beyond = re.fullmatch(r"(-?)([<>])([\d.]+)", text)
    if beyond:
        sign, relation, limit = beyond.groups()
        size = -value if sign else value
        if (size < float(limit)) != (relation == "<"):
            raise Wrong(f"{shown}, expected {value}")
        return
    digits = len(text.partition(".")[2])
    if abs(float(text) - value) > 0.5000001 * 10**-digits + 1e-12 * abs(value):
        raise Wrong(f"{shown}, expected {value}")


def in_factors(sign, ratios):
    """The estimate and both ends of its interval as factors above the sign: of a fall, what is lower is the higher."""
    inverse = [1 / ratio if ratio else float("inf") for ratio in ratios if ratio is not None]
    if sign == "×":
        return ratios
    return [inverse[0], *sorted(inverse[1:])] + [None] * (len(ratios) - len(inverse))


class Truth:
    """The JSON, which knows what a cell should contain. `seen` counts the numbers that were compared."""

    def __init__(self, document):
        self.document = document
        self.commands = document["results"]
        self.names = [c["command"] for c in self.commands]
        self.changes = {(c["command"], c["metric"]): c for c in document["comparisons"]}
        self.seen = 0

    def shown(self):
        """Returns the metrics that tables have."""
        return [name for name, m in self.commands[0]["metrics"].items()
                if m["primary"] or not m.get("detail")]

    def figure(self, shown, value, scale=1):
        close(shown, value, scale)
        self.seen += 1

    def summary(self, command, name, mean):
        """Checks "10.10 ± 0.479 ms"; returns the scale of its unit."""
        metric = self.commands[command]["metrics"][name]
        found = re.fullmatch(rf"({FIGURE}) ± ({FIGURE}|–) ?([^\d\s<(]*)(?: \(?(\d+|<1) %\)?)?",
                             plain(mean))
        if not found:
            raise Wrong(f"{name}: {mean}")
        scale = UNITS[metric["unit"]][found[3]]
        self.figure(found[1], metric["mean"], scale)
        if found[2] != "–":
            self.figure(found[2], metric["stddev"], scale)
        if found[4] and metric["share"] >= 0.01:
            close(found[4], int(100 * metric["share"]))
        if found[1].startswith("~") != (0 < metric["share"] < 1):
            raise Wrong(f"{name}: {mean}, counted for a share of {metric['share']}")
        return scale

    def means(self, command, name, text):
        """Checks "10.1 ± 0.2 → 12.5 ± 0.3 ms", of which the deviations may be missing."""
        metric = name.split(" ")[0]
        before, _, after = plain(text).partition(" → ")
        unit = "" if "(" in text else re.search(r"[^\d\s<.]*$", after)[0]  # in brackets there is one of its own
        for of, shown in ((0, before.strip("()")), (command, after.strip("()"))):
            truth = self.commands[of]["metrics"][metric]
            found = re.fullmatch(rf"({FIGURE})(?: ± ({FIGURE}|–))?(?: ([^\d\s<.]+))?(?: \((?:\d+|<1) %\))?", shown)
            if found:
                self.figure(found[1], truth["mean"], UNITS[truth["unit"]][found[3] or unit])
            elif truth["mean"] is not None:
                raise Wrong(f"{name}: {text}")

    def range(self, command, name, text, scale):
        metric = self.commands[command]["metrics"][name]
        least, most = plain(text).split(" … ")
        self.figure(least, metric["min"], scale)
        self.figure(most, metric["max"], scale)

    def outliers(self, command, name, text):
        found = re.fullmatch(r"(\d+)(?: \((<?)(\d+) %\))?|–", plain(text))
        if found[1] and found[3] and not found[2]:
            share = 100 * int(found[1]) / self.commands[command]["metrics"][name]["count"]
            close(found[3], share)
            self.seen += 1

    def change(self, command, name, change, interval):
        truth = self.changes[command, name]
        change, interval = plain(change), plain(interval)
        share = truth["ratio"] is not None
        keys = ("ratio", "low", "high") if share else ("difference", "difference_low",
                                                       "difference_high")
        values = [truth[key] for key in keys]
        reference = self.commands[truth["reference"]]["metrics"][name]["mean"]
        of_mean = not share and truth["method"] == "mean" and reference > 0
        if change[0] in "×÷":
            ratios = values if share else [v is not None and 1 + v / reference or None for v in values]
            if not (share or of_mean) or not (ratios[0] >= FACTOR or ratios[0] <= 1 / FACTOR):
                raise Wrong(f"{name}: {change}, expected {truth}")
            self.factors(change, interval, in_factors(change[0], ratios))
            return
        found = re.fullmatch(rf"({FIGURE})(?: (\S+))?", change)
        if not found or (share or of_mean) != (found[2] == "%"):
            raise Wrong(f"{name}: {change}, expected {truth}")
        if share:
            values, scale = [v and 100 * (v - 1) for v in values], 1
        elif of_mean:
            scale = reference / 100
            values[1] = values[1] and max(values[1], -reference)  # nothing falls by more than 100 %
        else:
            unit = self.commands[command]["metrics"][name]["unit"]
            scale = 1 if change == "0" else UNITS[unit][found[2] or ""]
        self.figure(found[1], values[0], scale)
        if interval == "exact":
            if truth["method"] != "exact":
                raise Wrong(f"{name}: {interval} by the method {truth['method']}")
        elif interval.startswith("[±"):  # half-width to the farther end, rounded up
            shown, end = interval.strip("[±]"), max(values[2] - values[0], values[0] - values[1]) / scale
            if not -1e-9 <= float(shown) - end <= 10**-len(shown.partition(".")[2]) + 1e-9:
                raise Wrong(f"{name}: {interval}, expected {end}")
            self.seen += 2
        elif interval:
            ends = interval.strip("[]").split(", ")
            self.figure(ends[0], values[1], scale)
            self.figure(ends[1], values[2], scale)

    def factors(self, change, interval, values):
        self.figure(change[1:], values[0])
        if interval and interval != "exact":
            for end, value in zip(interval.strip("[]").split(", "), values[1:]):
                self.figure(end, value)

    def verdict(self, command, name, text):
        truth = self.changes[command, name]
        unit = self.commands[command]["metrics"][name]
        word = truth["verdict"]
        if unit["unit"] == "ns" and unit["better"] != "neither":
            word = WORDS.get(word, word)
        if truth["withdrawn"] and plain(text).startswith("may be chance"):
            word = "may be chance"
        if not plain(text).startswith(word or ""):
            raise Wrong(f"{name}: {text}, expected {word}")
        self.seen += 1

    def judged(self, command, name, change, limit, verdict):
        """For a comment: checks the gate's interval if there is a limit, otherwise the session's."""
        limits = (self.document.get("gate") or {"limits": []})["limits"]
        rows = [i for i, row in enumerate(limits) if row["command"] == command and name ==
                row["metric"] + ("" if row["statistic"] == "typical" else " " + row["statistic"])]
        if not limit:
            estimate, _, interval = change.partition(" [")
            exact = estimate.endswith(" exact")
            self.change(command, name, estimate.removesuffix(" exact"), "exact" if exact else interval and "[" + interval)
            self.verdict(command, name, verdict)
            return
        row = next(i for i in rows if limits[i]["verdict"] == "fail") if verdict == "FAIL" else rows[0]
        self.limit(row, name, change, limit)
        clear = (limits[row]["change_low"] or 0) > 0 or (limits[row]["change_high"] or 0) < 0
        if (limits[row]["verdict"] == "inconclusive") != (verdict == "inconclusive"):
            raise Wrong(f"{name}: {verdict}, but the limit is {limits[row]}")
        if verdict in ("slower", "faster", "higher", "lower", "changed") and not clear:
            raise Wrong(f"{name}: {verdict}, but the limit is {limits[row]}")

    def effect(self, command, name, text):
        truth = self.changes[command, name]["cohens_d"]
        if plain(text) not in ("–", ""):
            self.figure(plain(text), truth)

    def row(self, command, name, cells):
        """Checks mean, range, outliers, change, interval, verdict and d. An empty cell means that there
        is no value."""
        mean, spread, outliers, change, interval, verdict, effect = cells
        if plain(mean) == "–":
            if self.commands[command]["metrics"][name]["mean"] is not None:
                raise Wrong(f"{name}: the value is known")
            return
        scale = self.summary(command, name, mean)
        if spread:
            self.range(command, name, spread, scale)
            self.outliers(command, name, outliers)
        if command > 0:
            self.change(command, name, change, interval)
            self.verdict(command, name, verdict)
            self.effect(command, name, effect)

    def percentiles(self, command, name, unit, rows):
        """Checks rows of rank, reference, command and change, in this unit."""
        metrics = [self.commands[c]["metrics"][name] for c in (0, command)]
        scale = UNITS[metrics[0]["unit"]][unit]
        for label, *figures in rows:
            label, figures = plain(label), list(figures)
            if command > 0 and len(figures) > 3:  # Markdown: change with interval, verdict
                figures.pop()
            change = re.sub(r"\s*\[.*", "", plain(figures.pop())) if command > 0 else ""
            if not re.fullmatch(r"[\d.]+|mean|σ", label):
                continue
            key = {"mean": "mean", "σ": "stddev"}.get(label)
            values = [m[key] if key else m["quantiles"][label] for m in metrics]
            for figure, value in zip(figures, values):
                number, _, own = plain(figure).partition(" ")
                self.figure(number, value, UNITS[metrics[0]["unit"]][own] if own else scale)
            if command > 0 and plain(change) not in ("–", ""):
                self.percentile(plain(change), *map(float, values), UNITS[metrics[0]["unit"]], scale)

    def percentile(self, change, before, after, units, scale):
        """Checks "+5.2 %", "×2.5", or, where there is no ratio, a difference in its own unit or in the table's."""
        change = re.sub(r"^[▲▼?] *", "", change)
        number, _, unit = change.partition(" ")
        if change[0] in "×÷":
            self.figure(change[1:], in_factors(change[0], [after / before])[0])
        elif unit == "%":
            self.figure(number, 100 * (after / before - 1))
        else:
            self.figure(number, after - before, units[unit] if unit else scale)

    def limit(self, row, name, change, limit):
        """Checks a row of the gate: its metric, "+5.2 % [+4.1, +6.8]; +0.5 ms [...]", "2 % and 1 µs"."""
        truth = self.document["gate"]["limits"][row]
        statistic = truth["statistic"]
        expected = truth["metric"] + ("" if statistic == "typical" else " " + statistic)
        if name and plain(name) != expected:
            raise Wrong(f"{name}, expected {expected}")
        units = UNITS[self.commands[0]["metrics"][truth["metric"]]["unit"]]
        for part in filter(None, plain(change).replace("–", "").split("; ")):
            found = re.fullmatch(rf"({FIGURE}) ?(\S*?)(?: \[({FIGURE}), ({FIGURE})\]| exact)?", part)
            if part[0] in "×÷":
                ratios = [truth["change" + key] for key in ("", "_low", "_high")]
                self.factors(found[1], f"[{found[3]}, {found[4]}]" if found[3] else "", in_factors(
                    part[0], [ratio if ratio is None else 1 + ratio for ratio in ratios]))
                continue
            kind = "change" if found[2] == "%" else "difference"
            scale = 0.01 if found[2] == "%" else units[found[2]]
            for figure, key in ((found[1], ""), (found[3], "_low"), (found[4], "_high")):
                if figure:
                    self.figure(figure, truth[kind + key], scale)
        for part in filter(None, plain(limit).removeprefix("limit ").split(" and ")):
            number, _, unit = part.partition(" ")
            self.figure(number, truth["limit" if unit == "%" else "absolute"],
                        0.01 if unit == "%" else units[unit])


# ---- documents ------------------------------------------------------------------------------------

class Tables(html.parser.HTMLParser):
    """Collects the cells of every table, with its caption."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.captions, self.inside = [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.tables.append([])
            self.captions.append("")
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        if tag in ("td", "th", "caption"):
            self.inside = tag

    def handle_endtag(self, tag):
        self.inside = None if tag == self.inside else self.inside

    def handle_data(self, data):
        if self.inside == "caption":
            self.captions[-1] += data
        elif self.inside:
            self.tables[-1][-1][-1] += data


def read_page(truth, text):
    """Checks the page: its tables of all metrics, percentiles and limits."""
    page = Tables(text)
    for caption, rows in zip(page.captions, page.tables):
        caption = plain(caption)
        if caption.startswith("All metrics"):
            read_page_metrics(truth, rows)
        elif caption.startswith("Percentiles of "):
            noun, _, unit = caption.removeprefix("Percentiles of ").partition(", ")
            noun = {"the values": "value", "Memory": "peak_rss", "memory": "peak_rss"}.get(noun, noun.lower())
            name = next(n for n in truth.shown() if noun in (n.lower(), n.replace("_", " ")))
            for c in range(1, len(truth.commands)):
                at = [i for i, title in enumerate(rows[0]) if title.lower() == "change"][c - 1]
                truth.percentiles(c, name, unit, [[r[0], r[1], *r[at - 1:at + 1]] for r in rows[1:] if len(r) > at])
        elif caption == "Limits":
            for i, cells in enumerate(rows[1:]):
                told = dict(zip(rows[0], cells))
                change = next(told[title] for title in told if title.startswith(("Change", "Value")))
                truth.limit(i, told["Metric"], change, told["Limit"])


def read_page_metrics(truth, rows):
    titles, count, names = rows[0], len(truth.commands), []
    for i, cells in enumerate(rows[1:]):
        if i % count == 0:
            names.append(cells[0])
        else:
            cells = [""] + cells
        told = dict(zip(titles, cells + [""] * len(titles)))
        interval = next((told[title] for title in titles if title.endswith("interval")), "")
        verdict = re.sub(r"^[▲▼?✗✓]\s*", "", told.get("Verdict", ""))
        truth.row(i % count, names[-1], [told["Mean ± σ"], told["Min … max"], told["Outliers"], told.get("Change", ""),
                                         interval, verdict, told.get("d", "")])
    counted = [name for name in truth.shown() if any(c["metrics"][name]["mean"] is not None for c in truth.commands)]
    if not set(counted) <= set(names) <= set(truth.shown()):
        raise Wrong(f"{names}, expected {counted}")


def read_markdown(truth, text):
    """Checks Markdown, also that of a comment: overview, all metrics, percentiles and limits."""
    part, header, name, limit, command = [], None, "", 0, 0
    for line in text.splitlines() + [""]:
        cells = [plain(cell.replace("`", "")) for cell in line.strip("|").split("|")]
        if line.startswith("<details><summary>Percentiles of "):
            words = re.search(r"Percentiles of <code>(.*?)</code>(?: in (\S+))?</summary>", line)
            name, unit, command = words[1].replace("&#95;", "_"), words[2] or "", 0
        if not line.startswith("|"):
            if header and header[0] == "Percentile":
                command = truth.names.index(header[2]) if len(header) > 2 else 0
                truth.percentiles(command, name, unit, part)
            part, header = [], None
        elif header is None:
            header = cells
        elif not set(line) <= set("|:-"):
            part.append(cells)
            name, limit = read_markdown_row(truth, header, cells, name, limit)


def read_markdown_row(truth, header, cells, name, limit):
    told = dict(zip(header, cells))  # a comment leaves some columns out
    if header[0] == "Verdict" and header[-1].startswith("Mean"):  # in a comment
        command = truth.names.index(told["Command"]) if "Command" in told else 1
        name = told["Metric"].partition("<br>")[0]
        change = next(told[key] for key in ("Change", "Value", "Change or value") if key in told)
        truth.means(command, name, told[header[-1]])
        truth.judged(command, name, change, told.get("Limit", ""), re.sub(r"^[^a-zA-Z]+", "", cells[0]))
        return name, limit
    if header[0] == "Verdict":
        at = header.index("Limit")
        truth.limit(limit, cells[1], cells[at - 1], cells[at])
        return name, limit + 1
    if "Mean ± σ" not in header:
        return name, limit
    name = told.get("Metric") or name if header[0] == "Metric" else truth.shown()[0]
    change, _, interval = told.get("Change", "").partition(" [")
    interval = interval and "[" + interval
    if change.endswith(" exact"):
        change, interval = change.removesuffix(" exact"), "exact"
    command = truth.names.index(told["Command"]) if "Command" in told else 0
    truth.row(command, name, [told["Mean ± σ"], told.get("Min … max", ""), told.get("Outliers", ""), change, interval,
                              told.get("Verdict", ""), told.get("d", "")])
    return name, limit


def read_table(truth, text):
    """Checks the terminal's table, for a terminal wide enough for all columns, and percentiles."""
    row = re.compile(
        rf"^ *(?P<name>\S+) +(?P<mean>{FIGURE} ± (?:{FIGURE}|–)(?: +[^\d\s<]+)?(?: +(?:\d+|<1) %)?)"
        rf" +(?P<range>{FIGURE} … {FIGURE}) +(?P<outliers>–|\d+(?: \(<?\d+ %\))?)"
        rf"(?: +(?P<change>{FIGURE}(?: \S+)?)(?: +(?P<interval>\[\S+, \S+\]|\[±[\d.]+\]|exact))?"
        rf" +(?P<verdict>[a-z][^+−–]*?) +(?P<d>[+−]\S+|–|0))?$")
    command, found = 0, []
    tables = text.split("\npercentile ")[0]
    for line in tables.splitlines():
        heading = re.match(r"\d+ (?:runs|values) of (\S+)", line)
        command = truth.names.index(heading[1]) if heading else command
        match = row.match(line)
        if match and match["name"] in truth.shown():
            mean = re.sub(r" +", " ", match["mean"])
            truth.row(command, match["name"], [mean] + [
                match[key] or "" for key in ("range", "outliers", "change", "interval", "verdict", "d")])
            found.append((command, match["name"]))
    return found


def read_printed_percentiles(truth, text):
    """Checks what --percentiles prints for two commands."""
    found = []
    for part in re.finditer(r"^(\S+)(?: in (\S+))?\npercentile .*\n((?:.+\n|\n(?= +mean))+)", text, re.M):
        rows = [re.split(r" {2,}", line.strip()) for line in part[3].splitlines() if line.strip()]
        truth.percentiles(1, part[1], part[2] or "", [r for r in rows if len(r) == 4])
        found.append(part[1])
    return found


def read_plot(truth, text):
    """Checks every metric's change below its histograms: "+5.2 % slower"."""
    found = []
    for part in re.finditer(rf"^(\S+)(?: in (\S+))?\n(?:.+\n)*?  ({FIGURE})( [^a-z\s]\S*| [KMGT]?i?B| [nµm]?s)? ([a-z]+)", text, re.M):
        name, _, figure, own, verdict = part.groups()
        if name not in truth.shown() or (1, name) not in truth.changes:
            continue
        truth.change(1, name, figure + (own or ""), "")
        truth.verdict(1, name, verdict)
        found.append(name)
    return found


def read_junit(truth, root):
    for i, case in enumerate(root.iter("testcase")):
        for told in case:
            text = told.get("message") or told.text.partition(": ")[2]
            change, _, rest = text.partition(", limit ")
            words = change.split(" ")  # the message begins with what it is about
            while words and not re.match(rf"[+−×÷–~≤]|{FIGURE}$|at$", words[0]):
                words.pop(0)
            change = " ".join(words)
            truth.limit(i, case.get("name"), change, rest.split(";")[0])
            means = re.fullmatch(rf"means ({FIGURE}) ?(\S*) and ({FIGURE}) ?(\S*), \d+ rounds",
                                 told.text or "")
            if told.tag == "failure":
                limit = truth.document["gate"]["limits"][i]
                for c, at in ((limit["reference"], 1), (limit["command"], 3)):
                    metric = truth.commands[c]["metrics"][limit["metric"]]
                    truth.figure(means[at], metric["mean"], UNITS[metric["unit"]][means[at + 1]])
