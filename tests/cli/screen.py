"""The screen for one benchmark, which is what people read first."""
import json
import os
import pty
import re
import subprocess
import time
import unicodedata
from random import Random

import documents
from escapes import on_terminal
from run import InScratch, LAUKA, lauka

NO_PMU = ("--backend", "simulated:no-pmu", "--seed", "1", "-r", "34")
NAMES = "abcdefghijklmn"


def screen(*arguments, width=80, locale="C.UTF-8"):
    done = lauka(*arguments, env={"COLUMNS": str(width), "LC_ALL": locale})
    assert done.returncode in (0, 3, 4), done.stderr
    return done.stdout


class Grouped(InScratch):
    def test_it_is_seen_at_once(self):
        for count, most in ((1, 24), (2, 24), (3, 35), (5, 30), (14, 40)):
            for width in (80, 100, 120):
                text = screen(*NO_PMU, *NAMES[:count], width=width)
                self.assertLessEqual(text.count("\n"), most, text)
                self.assertLessEqual(max(map(len, text.splitlines())), width)
                self.assertFalse(re.search(r" $", text, re.M), text)

    def test_long_notes_of_a_busy_machine_do_not_scroll_it_off(self):
        screen("--backend=simulated:no-pmu", "--seed=4", "-r12", f"--json={self.path('json')}", "a", "b")
        with open(self.path("json")) as file:
            result = json.load(file)
        random = Random(5)
        for metric in (metric for one in result["results"] for name, metric in one["metrics"].items()
                       if metric.get("values") and name != "major_faults"):
            metric["values"] = [int(value * random.uniform(.5, 1.6)) for value in metric["values"]]
        result["warnings"] += ["for 100 % of the time some program waited for a CPU, and many other things that lauka "
                               "says of such a machine", "and another note that takes two lines on a terminal of eighty "
                               "columns, as most do"]
        with open(self.path("json"), "w") as file:
            json.dump(result, file)
        text = screen("report", self.path("json"))
        self.assertIn("inconclusive  user_time", text)
        self.assertLessEqual(text.count("\n"), 24, text)
        self.assertRegex(text, r"(?m)^note: .*(\n {6}.*)*\n\d more notes with --full$")

    def test_what_is_compared_stands_together(self):
        lines = screen(*NO_PMU, "./before", "./after").splitlines()
        at = lines.index("wall_time")
        self.assertRegex(lines[at + 1], r"^  \./before +10\.13 ± 0\.61 +ms +9\.80 … 12\.73 +2 \(6 %\)$")
        self.assertRegex(lines[at + 2], r"^  \./after +10\.74 ± 0\.96 +ms +10\.36 … 15\.64 +3 \(9 %\)$")
        self.assertRegex(lines[at + 3], r"^ +\+5\.4 % \[\+4\.9, \+5\.9\]  slower +d \+0\.76$")
        wide = screen(*NO_PMU, "./before", "./after", width=100)
        self.assertRegex(wide, r"(?m)^  \./after +10\.74 ± .* \+5\.4 % \[\+4\.9, \+5\.9\] +slower +\+0\.76$")

    def test_commands_that_differ_in_a_variable_alone_are_called_by_it(self):
        options = ("--env", "A:MODE=plain", "--env", "B:MODE=two words", "--env", "BOTH=1")
        text = screen(*NO_PMU, *options, "./prog", "./prog", f"--json={self.path('json')}",
                      f"--pr-comment={self.path('comment')}", f"--html={self.path('page')}", width=120)
        self.assertIn("`MODE='two words' ./prog` is 5.4 % slower than `MODE=plain ./prog`", " ".join(text.split()))
        self.assertNotIn("(1)", text)
        with open(self.path("json")) as file:
            self.assertEqual([result["command"] for result in json.load(file)["results"]],
                             ["MODE=plain ./prog", "MODE='two words' ./prog"])
        for name in ("comment", "page"):
            with open(self.path(name), encoding="utf-8") as file:
                self.assertRegex(file.read(), "MODE=('|&#39;|&apos;)two words('|&#39;|&apos;) ./prog")
        # Commands with names, or other differences, keep what was typed; otherwise only the parts that
        # differ are shown.
        self.assertIn("`b` is", screen(*NO_PMU, *options, "-n", "a", "-n", "b", "./prog", "./prog"))
        self.assertIn("`./prog` is", screen(*NO_PMU, *options, "./other", "./prog"))
        # They keep the order in which they were given.
        self.assertIn("`A=3 B=4 ./prog` is", screen(*NO_PMU, "--env=A:A=1", "--env=A:B=2", "--env=B:A=3",
                                                    "--env=B:B=4", "./prog", "./prog"))

    def test_what_does_not_decide_is_folded(self):
        text = screen(*NO_PMU, "a", "b")
        self.assertRegex(text, r"(?m)^within 1 %    peak_rss, minor_faults, major_faults$")
        self.assertRegex(text, r"(?m)^inconclusive  context_switches \(±\d+ %\)$")
        self.assertRegex(" ".join(text.split()), "not counted cycles, .* branch_misses: this machine has no PMU; "
                                                 "try --counters=valgrind")
        self.assertRegex(text, r"(?m)^user_time +7\.\d+ → 7\.\d+ ms +\+5\.\d % \[.*\] +slower +d \+6\.1\d$")

    def test_many_commands_have_a_row_each(self):
        text = screen(*NO_PMU, *NAMES[:5])
        self.assertRegex(text, r"(?m)^wall_time +mean ± σ +min … max +against a +verdict$")
        for name in "bcde":
            self.assertRegex(text, rf"(?m)^  {name} +[\d.]+ +± .* \+[\d.]+ % +\[.*\]  slower$")
        self.assertRegex(text, r"\Aa  10\.\d ms  fastest +\(medians; 95 %\)\nb  10\.\d ms  5\.\d % slower +\[.*\]\nc .* slower .*\n")
        self.assertIn("more changes with --full", text)

    def test_full_is_all_of_it(self):
        text = screen(*NO_PMU, "--full", "a", "b")
        self.assertIn("34 runs of a  (reference)\n", text)
        self.assertEqual(len(re.findall(r"(?m)^ *cycles ", text)), 2)

    def test_a_limit_decides(self):
        text = screen("--backend", "simulated", "--seed", "1", "-r", "34", "--gate", "cache_misses=50%", "a", "b")
        self.assertRegex(text, r"(?m)^cache_misses\n  a +\d")

    def test_long_names_keep_what_tells_them_apart(self):
        long = "./a/very/long/way/to/a/program --with --many --options "
        text = screen(*NO_PMU, long + "one", long + "two")
        self.assertRegex(text, r"(?m)^  program … --options one +\d")
        self.assertRegex(text, r"(?m)^  program … --options two +\d")

    def test_a_command_against_itself_keeps_its_name(self):
        for command in ("true", "./prog", "x"):
            for number in (1, 2):
                self.assertRegex(screen(*NO_PMU, command, command), rf"(?m)^  {re.escape(command)} \({number}\)  ?\d")

    def test_two_notes_and_how_many_more(self):
        stored = self.path("stored")
        lauka(*NO_PMU, f"--json={stored}", "a", "b")
        with open(stored) as file:
            document = json.load(file)
        document["warnings"] += ["first; of all", "second", "third"]
        with open(stored, "w") as file:
            json.dump(document, file)
        text = screen("report", stored)
        self.assertEqual(re.findall(r"(?m)^note: (\w+)", text), ["first", "second"])
        self.assertIn("\n3 more notes with --full\n", text)
        self.assertEqual(len(re.findall(r"(?m)^note: ", screen("report", "--full", stored))), 6)

    def test_what_was_told_before_the_first_run_is_not_told_again(self):
        stored = self.path("stored")
        lauka("--backend=simulated:effects", "--seed=1", "-r10", f"--json={stored}", "a", "b")
        with open(stored) as file:
            document = json.load(file)
        document["warnings"] = ["before the first run, the machine was not quiet (lauka doctor): load"]
        with open(stored, "w") as file:
            json.dump(document, file)
        self.assertIn("note: before the first run", screen("report", stored))  # the reader of a file has not seen it yet
        text = on_terminal("report", stored).decode()
        self.assertNotIn("not quiet", text)
        self.assertIn("1 more note with --full", text)
        self.assertIn(b"not quiet", on_terminal("report", "--full", stored))

    def test_what_is_so_of_all_commands_is_said_at_once(self):
        text = screen("--backend=simulated:effects", "--seed=1", "-r10", *(f"{name} cost=10ms" for name in "abcde"))
        self.assertIn("\nAgainst `a cost=10ms`, all 4 commands are ", "\n" + text)

    def test_what_did_not_run_is_never_folded_away(self):
        left_out = "`c` did not run: the session was interrupted before, of which much could be said; but not here"
        for commands in ("a", "b"), ("-L", "v", "1,2", "a {v}", "b {v}"):
            stored = self.path("stored")
            lauka(*NO_PMU, f"--json={stored}", *commands)
            with open(stored) as file:
                document = json.load(file)
            where = document["benchmarks"][-1] if len(commands) > 2 else document
            where.setdefault("warnings", []).extend([*(f"note {i}" for i in range(6)), left_out])
            with open(stored, "w") as file:
                json.dump(document, file)
            text = screen("report", stored)
            self.assertIn(left_out, " ".join(text.split()))
            self.assertRegex(text, r"\d more notes with --full")


class AnswerLast(InScratch):
    def test_on_a_terminal_only(self):
        said = "`b` is 5.4 % slower than `a`"
        self.assertTrue(screen(*NO_PMU, "a", "b").startswith(said))
        shown = on_terminal(*NO_PMU, "a", "b").decode().replace("\r", "").splitlines()
        self.assertTrue(shown[-3].startswith(said) and shown[-1].startswith("34 rounds "), shown)

    def test_the_sentence_about_many_benchmarks_too(self):
        with open(self.path("config"), "w") as file:
            file.write("--backend=simulated\n-r9\n--seed=1\n[one]\na\nb\n[two]\na\nb\n")
        said = "2 of 2 benchmarks are slower"
        self.assertTrue(screen("--config", self.path("config")).startswith(said))
        shown = on_terminal("--config", self.path("config")).decode().replace("\r", "").splitlines()
        self.assertTrue(shown[0].startswith("  ") and shown[-2].startswith(said), shown)

    def test_the_gate_stands_with_it(self):
        shown = on_terminal(*NO_PMU, "--gate", "wall_time=2%", "a", "b").decode().replace("\r", "")
        self.assertLess(shown.index("not counted"), shown.index("gate: FAIL"))
        self.assertLess(shown.index("gate: FAIL"), shown.index("`b` is 5.4 %"))


class Figures(InScratch):
    def compare(self, *files):
        for name, values in zip("ab", files):
            with open(self.path(name), "w") as file:
                file.write("".join(f"{value}\n" for value in values))
        return lauka("compare", "a", "b", cwd=self.folder, env={"LC_ALL": "C.UTF-8"}).stdout

    def test_digits_follow_the_uncertainty(self):
        text = self.compare([92 + 23 * ((-1) ** i) for i in range(20)], [93 + 23 * ((-1) ** i) for i in range(20)])
        self.assertRegex(text, r"(?m)^  a +92 ± 24 ")
        text = self.compare([4 + i % 2 / 1000 for i in range(20)], [5 + i % 2 / 1000 for i in range(20)])
        self.assertRegex(text, r"(?m)^  a +4\.00050 ± 0\.00051 ")

    def test_counts_below_ten_thousand_are_plain(self):
        text = self.compare([1270 + i % 3 for i in range(20)], [8812 + i % 3 for i in range(20)])
        self.assertRegex(text, r"(?m)^  a +1270\.95 ± 0\.83 +1270 … 1272")
        self.assertNotRegex(text, r"\d K")

    def test_zero_has_one_spelling(self):
        text = screen("--backend", "simulated", "--seed", "1", "-r", "34", "--full", "a", "b")
        self.assertNotRegex(text, r"(?<![\d.<>])[+−]?0\.0+(?![\d])")
        self.assertNotRegex(text, r"[+−]0(?![.\d])")


class ScreenGoldens(InScratch):
    def expect(self, name, *commands, width=80, locale="C.UTF-8"):
        documents.Goldens.expect(self, name, "--backend", "simulated:no-pmu", *commands,
                           env={"COLUMNS": str(width), "LC_ALL": locale})

    def test_three_widths_and_ascii(self):
        for width in (60, 80, 120):
            self.expect(f"screen_{width}.txt", "./before", "./after", width=width)
        self.expect("screen_ascii.txt", "./before", "./after", locale="C")
        self.expect("screen_many.txt", *"abcde")


def columns_of(line):
    plain = re.sub("\033\\[[0-9;]*m", "", line)
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else not unicodedata.combining(letter) for letter in plain)


class Narrow(InScratch):
    """From 20 columns on, nothing is wider than the terminal."""
    MADE = ("--no-config", "-q", "--backend=simulated:effects", "--seed=3")
    SECTIONS = ("[parse/a-rather-long-name-of-a-benchmark]\na cost=10ms noise=2%\nb cost=11ms noise=2%\n"
                "[render]\na cost=10ms noise=9%\nb cost=10ms noise=9%\n[third]\na cost=10ms\nb cost=8ms noise=0.1%\n")

    def screens(self):
        """Yields the words of screens of all kinds."""
        with open(self.path("sections"), "w", encoding="ascii") as file:
            file.write(self.SECTIONS)
        jobs = [self.path(f"{n}.json") for n in (1, 2, 3)]
        for n, job in enumerate(jobs, 1):
            screen(*self.MADE, "-r12", f"--job={n}/3", "--session=x", f"--host=n{n}", f"--json={job}", "a", "b cost=11ms noise=1%")
        screen("merge", *jobs, f"--json={self.path('merged')}")
        yield *self.MADE, "-r5", "a cost=10ms noise=8%", "b cost=10ms noise=8%"
        yield *self.MADE, "-r5", "--color=always", "a cost=10ms noise=8%"
        yield *self.MADE, "-r9", "-n", "名前 一二三四五六", "-n", "ünïcödé and a few more words", "a", "b noise=80%"
        yield *self.MADE, "-r9", *(f"c{i} cost={i + 9}ms" for i in range(14))
        yield *self.MADE, "-r40", "--gate=wall_time=1%", "--gate=peak_rss<=1MiB", "a", "b cost=100s rss=800GiB"
        yield "--config", self.path("sections"), *self.MADE[1:], "-r9", "--gate=wall_time=1%"
        yield "--config", self.path("sections"), *self.MADE[1:], "-r9", "--full", "--plot", "--percentiles"
        yield "report", self.path("merged")
        yield "threads", str(os.getpid())

    def test_nothing_is_wider_than_the_terminal(self):
        for number, words in enumerate(self.screens()):
            for width in (20, 21, 22, 24, *range(26 + number, 61, 9)):
                for line in screen(*words, width=width, locale="C" if width % 2 else "C.UTF-8").splitlines():
                    self.assertLessEqual(columns_of(line), width, (words, line))

    def test_what_is_broken_is_all_there(self):
        wide, narrow = (screen(*self.MADE, "-r5", "a noise=8%", width=width) for width in (80, 20))
        folded = re.findall(r"(?m)^(\w+)\n  (\S+)", narrow)
        self.assertGreater(len(folded), 9)
        for name, value in folded:
            self.assertRegex(wide, rf"(?m)^{name} +{re.escape(value)}( |$)")


class LongNames(InScratch):
    """Of two builds: paths that differ in their middle, where names are cut."""
    PATH = "/home/ci/workspace/project-x/very/long/path/to/the/{}/with/a/long/suffix/bin/release/benchmark-program"
    MADE = ("-q", "--no-config", "--backend=simulated", "--seed=4", "-r12")

    def test_the_sentence_the_table_and_the_notes_tell_them_apart(self):
        builds = [f"{self.PATH.format(build)} --iterations 1000" for build in ("build-a", "build-b")]
        for more in ([], ["--full"], ["--plot"], ["--gate=wall_time=1%"]):
            for width in (60, 80, 120):
                text = screen(*self.MADE, *more, *builds, width=width)
                parts = text.split("\n\n")
                sentence, table = (next(part for part in parts if word in part) for word in ("`", "mean ±"))
                self.assertRegex(sentence, "build-a|…a/")
                self.assertRegex(sentence, "build-b|…b/")
                self.assertEqual(re.findall(r" \([12]\)", sentence), [], sentence)
                for line in table.splitlines():
                    if "/…/" in line:
                        self.assertRegex(line, "build-[ab]|…[ab]/")
                for note in re.findall(r"note: `(.*?)`", text):
                    self.assertRegex(note, "build-[ab]|…[ab]/")

    def test_parameters_at_their_end_stay_too(self):
        commands = [f"{self.PATH.format(build)} --iterations {count}" for build in "ab" for count in (1000, 2000)]
        table = screen(*self.MADE, *commands, width=100).split("wall_time ")[1].split("cpu_time")[0]
        names = re.findall(r"(?m)^  (…\S+ … \d+) ", table)
        self.assertEqual(len({name for name in names}), 4, table)

    def test_equal_commands_have_their_numbers_in_both(self):
        command = f"{self.PATH.format('x')} --iterations 1000"
        sentence, table = screen(*self.MADE, command, command).split("\n\n")[:2]
        self.assertEqual(sorted(re.findall(r"` \(([12])\)", sentence)), ["1", "2"])
        self.assertEqual(re.findall(r"\(([12])\) ", table)[:2], ["1", "2"])


class TheTerminal(InScratch):
    def on_terminal(self, *arguments, columns=80, env=None):
        """Returns what lauka writes to a terminal that is both its stdout and its stderr."""
        primary, secondary = pty.openpty()
        import fcntl, struct, termios
        fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS")}
        process = subprocess.Popen([LAUKA, *arguments], stdin=subprocess.DEVNULL, stdout=secondary,
                                   stderr=secondary, env={**environment, "TERM": "xterm", **(env or {})})
        os.close(secondary)
        seen = b""
        while True:
            try:
                chunk = os.read(primary, 65536)
            except OSError:
                break
            if not chunk:
                break
            seen += chunk
        process.wait()
        os.close(primary)
        return seen.decode("utf-8", "replace")

    def test_progress_is_for_terminals_only(self):
        self.assertIn("round ", self.on_terminal("-r", "3", "sleep 0.15"))
        self.assertEqual(lauka("-r", "3", "sleep 0.15").stderr, "")

    def test_progress_is_redrawn_at_most_ten_times_a_second(self):
        started = time.monotonic()
        text = self.on_terminal("-r", "300", "true")
        self.assertLessEqual(text.count("\r\033[K"), (time.monotonic() - started) * 10 + 2)

    def test_no_color_is_heeded(self):
        plain = self.on_terminal("--backend", "simulated", "-r", "5", "a", "b", env={"NO_COLOR": "1"})
        self.assertNotIn("\033[", plain)
        forced = self.on_terminal("--backend", "simulated", "-r", "5", "--color", "always", "a", "b",
                                  env={"NO_COLOR": "1"})
        self.assertIn("\033[", forced)

    def test_no_line_is_wider_than_the_terminal(self):
        for columns in (40, 60, 80, 120):
            text = self.on_terminal("--backend", "simulated", "-r", "20", "--color", "never",
                                    "./a --with=some arguments", "./b", "./c", columns=columns,
                                    env={"LC_ALL": "C.UTF-8"})
            widest = max(map(len, text.replace("\r", "").splitlines()))
            self.assertLessEqual(widest, columns)

    def test_without_utf8_everything_is_ascii(self):
        done = lauka("--backend", "simulated:no-pmu", "-r", "5", "a", "b", env={"LC_ALL": "C"})
        self.assertTrue(done.stdout.isascii(), done.stdout)
