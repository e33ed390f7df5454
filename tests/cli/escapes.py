"""Text from others never reaches a terminal as an escape sequence, in any document."""
import csv
import io
import json
import os
import pty
import subprocess

import run
from run import InScratch, lauka

EVIL = "e\x1b]2;title\x07\u009b31m\u202eolleh\u2066\x7f\U000e0041 caf\u00e9"
# In UTF-8: ESC, BEL, DEL, C1, directional overrides and isolates, tags.
ACTING = [b"\x1b", b"\x07", b"\x7f", "\u009b".encode(), "\u202e".encode(), "\u2066".encode(), "\U000e0041".encode()]


def on_terminal(*arguments, cwd=None):
    """Returns everything that lauka writes to a terminal, which is its stdout and stderr."""
    master, slave = pty.openpty()
    process = subprocess.Popen([run.LAUKA, *arguments], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
                               cwd=cwd, env={**os.environ, "TERM": "dumb"})
    os.close(slave)
    written = b""
    while True:
        try:
            chunk = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not chunk:
            break
        written += chunk
    os.close(master)
    process.wait(60)
    return written


class OnATerminal(InScratch):
    def setUp(self):
        super().setUp()
        done = lauka("--backend=simulated", "-r10", "--inconclusive=pass", "--seed=1", "-q", f"--json={self.path('result')}",
                     "--gate=wall_time=2%", "-n", EVIL, "-n", EVIL + "2", "a", "b")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def assert_inert(self, written, what):
        self.assertNotEqual(written, b"", what)
        for bytes_ in ACTING:
            self.assertNotIn(bytes_, written, (what, written[:400]))

    def test_no_document_acts(self):
        for document in ("json", "csv", "csv-samples", "csv-percentiles", "markdown", "html", "junit", "bmf",
                         "github-benchmark", "go-benchmark", "asciidoc", "orgmode", "hlog", "hgrm", "plot", "percentiles", "github"):
            written = on_terminal("report", "--color=never", f"--{document}", "result", cwd=self.folder)
            shown = {"junit": b"testsuite", "hlog": b"HISTF"}  # these contain no name, or a short one
            self.assertIn(shown.get(document, b"title"), written, document)
            self.assert_inert(written, document)
        for verb in ("compare", "gate"):
            self.assert_inert(on_terminal(verb, "--color=never", "result", cwd=self.folder), verb)

    def test_a_file_keeps_the_bytes(self):
        rows = csv.reader(io.StringIO(lauka("report", "--csv", self.path("result")).stdout))
        self.assertEqual(list(rows)[1][0], EVIL)
        rows = csv.reader(io.StringIO(lauka("report", "--csv-samples", self.path("result")).stdout))
        self.assertEqual({row[2] for row in rows}, {"command", EVIL, EVIL + "2"})

    def test_json_reads_back_to_the_same(self):
        with open(self.path("result"), "rb") as file:
            text = file.read()
        self.assert_inert(text, "a file")
        self.assertIn("caf\u00e9".encode(), text)
        self.assertEqual([one["command"] for one in json.loads(text)["results"]], [EVIL, EVIL + "2"])
        self.assertEqual(lauka("report", "--json", self.path("result")).stdout.encode(), text)

    def test_benchmarks_neither(self):
        with open(self.path("suites"), "w", encoding="utf-8") as file:
            file.write(f"-r2\n-n\n{EVIL}\n[{EVIL}]\na\n[two]\na\n")
        for document in ("json", "color=never"):
            written = on_terminal("--backend=simulated", "--config=suites", "-q", f"--{document}", cwd=self.folder)
            self.assertIn(b"two", written)
            self.assert_inert(written, document)

    def test_names_of_threads_neither(self):
        waiting = subprocess.Popen(["sh", "-c", r"printf 'e\033]2;\007\302\233m' >/proc/$$/comm; echo; read x"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            waiting.stdout.readline()
            for more in ([], ["--json"]):
                self.assert_inert(on_terminal("threads", "--color=never", str(waiting.pid), *more), more)
        finally:
            waiting.communicate(b"\n")

    def test_errors_neither(self):
        for arguments in ((f"--{EVIL}",), (f"-r{EVIL}", "a"), (EVIL,), ("report", EVIL), ("--config", EVIL),
                          ("--gate-file", EVIL, "a", "b"), ("--gate", EVIL, "a", "b"), ("--input", EVIL, "a"),
                          ("--cwd", EVIL, "a"), (f"--json=/nonexistent/{EVIL}", "true"), ("-e", EVIL, "true"),
                          ("--backend=simulated", "--gate", f"{EVIL}=2%", "a", "b"), ("list", EVIL),
                          ("--metrics", EVIL, "true"), ("-S", f"exit 3 # {EVIL}")):
            self.assert_inert(on_terminal("--color=never", "--style=basic", *arguments, cwd=self.folder), arguments)


class DocumentsWithoutAnEqualsSign(InScratch):
    def test_a_file_to_write_is_no_command(self):
        for option, name in (("--json", "out.json"), ("--csv", "./out.csv"), ("--markdown", "out.md"),
                             ("--html", "out.html"), ("--junit", "junit.xml"), ("--go-benchmark", "bench.txt")):
            for words in ([option, name, "true", "false"], ["true", option, name], ["noise", option, name, "true"],
                          ["compare", option, name, "true"]):
                done = lauka(*words, cwd=self.folder)
                self.assertEqual((done.returncode, done.stdout), (2, ""), words)
                self.assertEqual(done.stderr, f"lauka: {name} is no program to run and no file to read: to write "
                                              f"it, type {option}={name}\n")
        self.assertEqual(os.listdir(self.folder), [])

    def test_in_a_file_of_options_the_line_is_named(self):
        with open(self.path("config"), "w", encoding="utf-8") as file:
            file.write("-r1\n--json\nout.json\ntrue\n")
        self.assertIn("config:3: out.json is no program", lauka("--config=config", cwd=self.folder).stderr)

    def test_what_can_be_run_or_read_is_meant(self):
        program = self.script("tool.json", "#!/bin/sh\n")
        self.assertEqual(lauka("-r1", "--csv", program).returncode, 0)
        self.assertEqual(lauka("-r1", "--backend=simulated", "--csv", "a").returncode, 0)
        lauka("-r2", "-q", "--json=result.json", "true", cwd=self.folder)
        self.assertEqual(lauka("report", "--csv", "result.json", cwd=self.folder).returncode, 0)
