"""What commands are called for people: one short name in all of an answer, and none like another's. What other programs
read has whole names."""
import json
import re
import unittest
from random import Random

import documents
from run import InScratch, lauka

EFFECTS = ("--backend", "simulated:effects", "--seed", "1")
LONG = "/home/me/projects/parser/zig-out/release/bin/parser"
SETS = {
    "2": [f"{LONG.replace('release', 'old')} --input numbers.json", f"{LONG.replace('release', 'new')} --input numbers.json"],
    "3": [f"gzip {flag}-kc /opt/build/zig-out/bin/parser" for flag in ("", "-1 ", "-9 ")],
    "6": ["rg 名前 データ/シャーロック・ホームズの冒険.txt", "grep -F 名前 データ/シャーロック・ホームズの冒険.txt",
          "grep -P 名前 データ/シャーロック・ホームズの冒険.txt", "ag 名前 データ/シャーロック・ホームズの冒険.txt",
          "awk /名前/ データ/シャーロック・ホームズの冒険.txt", "git grep 名前 -- データ/シャーロック・ホームズの冒険.txt"],
    "14": [f"{LONG} --input numbers.json --threads {threads} --mode={mode}"
           for threads in (1, 2, 4, 8, 16, 32, 64) for mode in ("strict", "fast")],
    "letters": ["ParseLargeDocumentsWithoutDefaultValues", "SerializeManySmallDocumentsQuickly", "./short"],
}


def screen(*arguments, width=80, locale="C.UTF-8", backend=EFFECTS):
    done = lauka(*backend, "-r", "12", *arguments, env={"COLUMNS": str(width), "LC_ALL": locale})
    assert done.returncode in (0, 3, 4), done.stderr
    return done.stdout


class NameGoldens(unittest.TestCase):
    expect = documents.Goldens.expect

    def names(self, name, *arguments):
        for width in (60, 80, 120):
            self.expect(f"names_{name}_{width}.txt", "--backend", "simulated:no-pmu", *arguments,
                        env={"COLUMNS": str(width), "LC_ALL": "C.UTF-8"})

    def test_names_on_the_screen(self):
        for name, commands in SETS.items():
            self.names(name, *commands)

    def test_names_by_parameters_on_the_screen(self):
        self.names("parameters", "-L", "threads", "1,2,4", "-L", "tool", "xz -1,pigz",
                   "{tool} --threads={threads} -kc /opt/collections/of/english/words.txt")

    def test_machines_read_whole_labels(self):
        """They pair by name, so that no short name may be among them."""
        commands = [command + "/and/more" for command in SETS["3"]] + ["true", "true"]
        for kind in ("csv", "junit", "bmf", "github-benchmark", "go-benchmark", "hlog"):
            self.expect(f"names_for_machines.{kind}", "--backend", "simulated:no-pmu", f"--{kind}", *commands,
                        "--gate=wall_time=50%", replace=lambda text: re.sub(r"(?m)^cpu: .*\n", "", text))
        result = json.loads(lauka(*EFFECTS, "-r", "5", "--json", *commands).stdout)
        self.assertEqual([one["command"] for one in result["results"]], commands)


def rows_of(text):
    """The names in the table of the metric that decides."""
    rows = text.split("wall_time", 1)[1].split("\n")[1:]
    found = []
    for row in rows:
        if not row.startswith("  ") or row.startswith("    "):
            if found and not row.startswith("    "):
                break
            continue
        found.append(re.split(r"  +", row.strip())[0])
    return found


class NamesOfCommands(InScratch):
    def test_table_and_sentences_call_a_command_alike(self):
        for commands in (SETS["2"], SETS["3"]):
            for width in (60, 80, 120):
                text = screen(*commands, width=width)
                names = rows_of(text)
                self.assertEqual(len(set(names)), len(commands), text)
                self.assertLessEqual(set(re.findall(r"`([^`]*)`", text)), set(names), text)

    def test_no_two_commands_of_an_answer_have_one_name(self):
        random = Random(20261126)
        vocabulary = ["-n", "1", "16", "--threads", "--input", "data/words.txt", "-kc", "語", "--mode=fast", "x", "-v"]
        for _ in range(60):
            first = [random.choice(["./prog", LONG, "gzip"])] + random.choices(vocabulary, k=8)
            lines = set()
            while len(lines) < random.randint(2, 6):
                line = [word if place == 0 or random.random() > .2 else random.choice(vocabulary)
                        for place, word in enumerate(first)]
                lines.add(" ".join(line))
            lines = sorted(lines)
            text = screen(*lines, backend=("--backend", "simulated", "--seed", "1"))
            names = rows_of(text)
            self.assertEqual(len(names), len(lines), text)
            self.assertEqual(len(set(names)), len(lines), text)
            for line, name in zip(lines, names):
                differing = [word for word in line.split() if any(word not in other.split() for other in lines)]
                if f"\n{name} = " not in "\n" + text:  # a letter has its line in full
                    for word in differing:
                        self.assertIn(word, name, text)
            self.assertLessEqual(set(re.findall(r"`([^`]*)`", text)), set(names), text)

    def test_benchmarks_are_named_by_the_words_in_which_they_differ(self):
        names = [f"serialization/{size}/{mode}/with default values" for size in ("large documents", "small documents")
                 for mode in ("strict mode", "fast mode", "incremental")]
        config = self.path("config")
        with open(config, "w", encoding="utf-8") as file:
            file.writelines(f"[{name}]\na cost=5ms\nb cost=6ms\n" for name in names)
        for width in (40, 60, 80, 120):
            text = lauka("run", f"--config={config}", *EFFECTS, "-r", "20",
                         env={"COLUMNS": str(width), "LC_ALL": "C.UTF-8"}).stdout
            found = set(re.findall(r"(?m)^  (\S.*?)(?:$|  )", text))
            self.assertEqual(len(found), len(names), text)
            if width >= 80:
                self.assertEqual(len([name for name in found if "/strict mode/" in name]), 2, text)
            self.assertIn("6 benchmarks with 20 rounds each in", text.replace("\n", " "))

    def test_benchmarks_differ_on_terminals_of_any_width(self):
        names = ["ParseLargeDocumentsWithManyFields/1024", "ParseLargeDocumentsWithManyFields/4096",
                 "SerializeSmallDocumentsQuickly/1", "SerializeSmallDocumentsQuickly/2", "x"]
        with open(self.path("c"), "w") as file:
            file.write("".join(f"[{name}]\na cost=10ms\nb cost={11 + i}ms\n" for i, name in enumerate(names)))
        for columns in range(20, 121, 10):
            shown = lauka("--backend=simulated:effects", "--seed=3", "-r12", f"--config={self.path('c')}",
                          env={"COLUMNS": str(columns)}).stdout
            self.assertEqual(len(set(re.findall(r"(?m)^  (?! )(\S+(?: \S+)*?)(?= *$|  )", shown))), 5, shown)

    def test_columns_go_before_names_do(self):
        names = ("./the-old-program --with-speed", "./the-new-program --with-speed")
        self.assertIn("min … max", screen(*names, width=80))
        narrow = screen(*names, width=60)
        self.assertNotIn("min … max", narrow)
        for name in names:
            self.assertIn(f"  {name}  ", narrow)

    def test_no_line_ends_within_a_name(self):
        for width in range(50, 100):
            text = screen("gzip -kc words.txt", "gzip -9 -kc words.txt", width=width)
            self.assertEqual([line for line in text.split("\n") if line.count("`") % 2], [], text)

    def test_a_letter_is_explained_in_every_document(self):
        commands = SETS["letters"]
        explained = ("A = " + commands[0], "B = " + commands[1])
        for width in (40, 60):
            text = screen(*commands, width=width)
            self.assertIn("./short", text)
            for line in explained:
                self.assertIn(line, text.replace("\n    ", ""))
        self.assertNotIn("A = ", screen(*commands, width=120))
        full = screen(*commands, "--full", width=50)
        self.assertIn("12 runs of A  (reference)\n  " + commands[0][:40], full)

        commands = [command + "AndMoreOfThem" for command in commands]
        for option, line in (("--markdown", "- `A` is `{}`"), ("--pr-comment", "- `A` is `{}`"),
                             ("--html", '<b class="a">A</b>\u00a0<code>{}</code>')):
            screen(f"{option}={self.path(option)}", *commands)
            with open(self.path(option)) as file:
                text = file.read()
            self.assertIn(line.format(commands[0]), text, option)
            self.assertNotIn(commands[0] + " is ", text, option)

    def test_short_names_are_explained_where_there_is_room(self):
        self.assertIn("- `gzip -1 …` is `gzip -1 -kc /opt/build/zig-out/bin/parser/and/more`\n",
                      screen("--markdown", *[command + "/and/more" for command in SETS["3"]]))

    def test_notes_of_the_session_have_the_short_names(self):
        stored, long = self.path("stored"), [command + "/and/more" for command in SETS["3"]]
        lauka(*EFFECTS, "-r", "12", f"--json={stored}", *long)
        with open(stored) as file:
            document = json.load(file)
        document["warnings"] = [f"`{long[1]}` left a process behind; so did `{long[2]}`, but not `{long[2]}x`"]
        with open(stored, "w") as file:
            json.dump(document, file)
        expected = f"`gzip -1 …` left a process behind; so did `gzip -9 …`, but not `{long[2]}x`"
        for option in ("--full", f"--markdown={self.path('md')}"):
            text = lauka("report", stored, option, env={"COLUMNS": "200"}).stdout
            if option != "--full":
                with open(self.path("md")) as file:
                    text = file.read().replace("\\", "")
            self.assertIn(expected, text)

    def test_the_log_of_ci_names_commands_whole(self):
        long = [command + "/and/more" for command in SETS["3"]]
        done = lauka(*EFFECTS, "-r", "12", "--github", "--gate", "wall_time=1%", long[0], long[1] + " cost=20ms",
                     env={"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": self.path("summary")})
        self.assertIn(f"::`{long[1]} cost=20ms`: wall_time", done.stdout + done.stderr)

    def test_the_number_of_equal_commands_is_the_same_in_table_and_sentence(self):
        text = screen("sort words.txt", "./prog words.txt", "./prog words.txt")
        self.assertEqual(rows_of(text), ["sort words.txt", "./prog words.txt (1)", "./prog words.txt (2)"])
        self.assertIn("./prog words.txt (2) ", text)
