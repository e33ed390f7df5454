"""Sessions that do not end well: every document says so. run.py runs these tests."""
import csv
import fcntl
import json
import os
import select
import signal
import subprocess
import termios
import threading
import time
import xml.etree.ElementTree

import run
import suite
from mishaps import environments_with
from run import InScratch, lauka

ERROR = "the launcher process has ended unexpectedly (was it killed?)"
DOCUMENTS = ("json", "csv", "markdown", "pr-comment", "html", "bmf", "github-benchmark", "go-benchmark",
             "asciidoc", "orgmode", "junit", "hlog", "hgrm")


class Documented(InScratch):
    def session(self, *arguments, code, env=None):
        """Runs a session with every kind of document, and a gate that each round passes."""
        done = lauka("--no-config", "-w0", "--gate=wall=100000%",
                     *(f"--{name}={self.path(name)}" for name in DOCUMENTS), *arguments, cwd=self.folder,
                     env=env)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read().replace("\u00a0", " ")

    def result(self):
        return json.loads(self.text("json"))


class EndedByAnError(Documented):
    """The launcher is killed in the fifteenth round."""

    def break_down(self, *arguments, env=None):
        kills = self.script("kills", f"#!/bin/sh\necho >>ran\n[ $(wc -l <ran) -lt 15 ] || "
                                     "kill -9 $PPID\n")
        if os.path.exists(self.path("ran")):
            os.unlink(self.path("ran"))
        done = self.session("-r20", *arguments, "true", kills, code=1, env=env)
        self.assertEqual(done.stderr, f"lauka: {ERROR}\n")
        return done

    def test_the_table_says_it(self):
        self.assertIn(f"; ended by an error: {ERROR};", " ".join(self.break_down().stdout.split()))

    def test_json_says_it(self):
        self.break_down()
        run = self.result()["run"]
        self.assertEqual((run["rounds"], run["stopped"], run["error"]), (14, "error", ERROR))

    def test_no_limit_is_held(self):
        self.break_down()
        gate = self.result()["gate"]
        self.assertEqual(gate["verdict"], "inconclusive")
        self.assertEqual({(row["verdict"], row["undecided"]) for row in gate["limits"]},
                         {("inconclusive", "ended by an error")})

    def test_csv_holds_no_pass(self):
        self.break_down()
        titles, *rows = csv.reader(self.text("csv").splitlines())
        self.assertTrue(titles[-1].endswith("_gate"))
        self.assertEqual([row[-1] for row in rows], ["", "inconclusive"])

    def test_junit_has_an_error(self):
        self.break_down()
        suites = xml.etree.ElementTree.fromstring(self.text("junit"))
        self.assertEqual((suites.get("errors"), suites.get("tests"), suites.get("skipped")), ("1", "2", "1"))
        self.assertEqual([error.get("message") for error in suites.iter("error")], [ERROR])

    def test_junit_has_it_before_a_round_was_finished_too(self):
        with open(self.path("junit"), "w") as file:
            file.write("of an earlier session, and green")
        kills = self.script("kills", "#!/bin/sh\nkill -9 $PPID\n")
        self.session("true", kills, code=1)
        suites = xml.etree.ElementTree.fromstring(self.text("junit"))
        self.assertEqual((suites.get("errors"), suites.get("tests")), ("1", "1"))
        self.assertTrue(self.text("pr-comment").splitlines()[1].startswith(
            "### ❌ lauka: the session was ended by an error: the launcher process"))

    def test_a_comment_has_no_green_mark(self):
        self.break_down()
        comment = self.text("pr-comment")
        self.assertEqual(comment.splitlines()[1], f"### ❌ lauka: the session was ended by an error: {ERROR}")
        self.assertIn('"verdict":"failed"', comment)
        self.assertNotIn("✅", comment)
        self.assertIn("fix what the error names", comment)

    def test_markdown_begins_with_it(self):
        self.break_down()
        self.assertTrue(self.text("markdown").startswith(f"the session was ended by an error: {ERROR}."))
        self.assertNotIn("✅", self.text("markdown"))

    def test_the_page_says_it(self):
        self.break_down()
        self.assertIn(f"<p>The session was ended by an error: {ERROR}</p>", self.text("html"))

    def test_tables_in_other_markup_say_it(self):
        self.break_down()
        self.assertTrue(self.text("orgmode").endswith(f"\nThe session was ended by an error: ={ERROR}=\n"))
        self.assertIn("\nThe session was ended by an error: the launcher ", self.text("asciidoc"))

    def test_go_benchmark_ends_as_go_test_does(self):
        self.break_down()
        self.assertEqual(self.text("go-benchmark").splitlines()[-1], f"FAIL\tlauka: {ERROR}")

    def test_histograms_say_it_in_a_comment(self):
        self.break_down()
        for name in ("hlog", "hgrm"):
            self.assertIn(f"#[FAILED: {ERROR}]\n", self.text(name))

    def test_github_benchmark_says_it_for_people(self):
        self.break_down()
        for entry in json.loads(self.text("github-benchmark")):
            self.assertEqual(entry["extra"], f"mean of 14 rounds; the session was ended by an error: {ERROR}")

    def test_github_gets_an_annotation_and_a_summary(self):
        done = self.break_down("--github", env={"GITHUB_STEP_SUMMARY": self.path("summary")})
        self.assertIn(f"::error title=lauka::the session was ended by an error: {ERROR}\n", done.stdout)
        self.assertIn("### ❌ lauka: the session was ended by an error:", self.text("summary"))

    def test_who_ran_one_after_the_other_is_told_too(self):
        done = lauka("--no-config", "-w0", "-r3", "--order=sequential", f"--json={self.path('json')}", "true",
                     self.script("kills", "#!/bin/sh\n[ -e ran ] && kill -9 $PPID; echo >ran\n"), "echo later",
                     cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        run = self.result()["run"]
        self.assertEqual((run["stopped"], run["error"]), ("error", ERROR))
        self.assertIn("`echo later` did not run: an error ended the session before",
                      " ".join(done.stdout.split()))

    def test_its_file_passes_no_gate(self):
        self.break_down()
        for arguments in (["gate", "json"], ["gate", "json", "json", "--gate=wall=100000%"],
                          ["compare", "json", "json", "--gate=wall=100000%"]):
            done = lauka(*arguments, "--inconclusive=pass", cwd=self.folder)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn("the session was ended by an error: ", done.stderr)
            self.assertIn(ERROR, done.stderr)
            self.assertNotIn("gate: pass", done.stdout)

    def test_a_report_of_its_file_shows_it(self):
        self.break_down()
        done = lauka("report", "json", f"--junit={self.path('again')}", cwd=self.folder)
        self.assertIn(f"; ended by an error: {ERROR};", " ".join(done.stdout.split()))
        self.assertEqual(xml.etree.ElementTree.fromstring(self.text("again")).get("errors"), "1")

    def test_a_comparison_with_its_file_says_it(self):
        self.break_down()
        done = lauka("compare", "json", "json", f"--json={self.path('both')}", cwd=self.folder)
        self.assertIn(f"; a session was ended by an error: json: {ERROR}", " ".join(done.stdout.split()))
        self.assertEqual({one["error"] for one in json.loads(self.text("both"))["benchmarks"]}, {f"json: {ERROR}"})


class FailedCleanup(Documented):
    """All rounds were finished, but the session failed."""

    REASON = "its cleanup command failed with exit code 7"

    def clean_up(self):
        return self.session("-r14", "--cleanup=exit 7", "true", "true", code=5)

    def test_no_document_is_green(self):
        self.clean_up()
        result = self.result()
        self.assertEqual((result["run"]["rounds"], result["run"]["stopped"]), (14, "failure"))
        self.assertEqual((result["failure"]["reason"], result["failure"]["outside_rounds"]), (self.REASON, True))
        self.assertEqual(result["gate"]["verdict"], "inconclusive")
        suites = xml.etree.ElementTree.fromstring(self.text("junit"))
        self.assertEqual([error.get("message") for error in suites.iter("error")], [self.REASON])
        self.assertEqual(self.text("pr-comment").splitlines()[1], f"### ❌ lauka: `true` (1) {self.REASON}")
        self.assertTrue(self.text("markdown").startswith(f"`true` (1) {self.REASON}.\n"))
        self.assertIn(f"{self.REASON}</p>", self.text("html"))
        self.assertEqual(self.text("go-benchmark").splitlines()[-1], f"FAIL\tlauka: {self.REASON}")

    def test_its_file_passes_no_gate(self):
        self.clean_up()
        done = lauka("gate", "json", cwd=self.folder)
        self.assertEqual(done.returncode, 5)
        self.assertEqual(done.stderr, f"lauka: true: {self.REASON}\n")
        self.assertIn("gate: inconclusive: a command failed", done.stdout)


class Killed(InScratch):
    """kill -9 of lauka ends everything that lauka has started, under any user."""

    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o777)
        self.marker = f"LAUKA_TEST_MARKER={os.getpid()}.{time.monotonic_ns()}"

    def kill_in(self, *arguments, env=None, before=lambda: None):
        """Kills lauka once a run has said that it is under way."""
        process = subprocess.Popen([run.LAUKA, "--no-config", "-w0", "-r9", "--env", self.marker, *arguments],
                                   env={**os.environ, **dict([self.marker.split("=")]), **(env or {})},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, cwd=self.folder)
        self.addCleanup(process.kill)
        self.wait_until(lambda: os.path.exists(self.path("begun")))
        before()
        process.kill()
        process.wait()
        self.wait_until(lambda: not environments_with(self.marker))

    def wait_until(self, condition, seconds=30):
        deadline = time.monotonic() + seconds
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertTrue(condition())

    def command(self, text="exec sleep 120"):
        return self.script("command", f"#!/bin/sh\n>begun\n{text}\n")

    def test_with_its_command_under_sudo(self):
        if os.geteuid() != 0:
            self.skipTest("needs root")
        self.kill_in(self.command(), env=run.UnderSudo.NOBODY)

    def test_with_its_command_as_root(self):
        if os.geteuid() != 0:
            self.skipTest("needs root")
        self.kill_in("--as-root", self.command(), env=run.UnderSudo.NOBODY)

    def test_with_all_that_the_command_has_started(self):
        for env in [{}] + [run.UnderSudo.NOBODY] * (os.geteuid() == 0):
            self.kill_in(self.command("sleep 120 & setsid sleep 120 & sleep 120"), env=env)
            os.unlink(self.path("begun"))

    def test_with_a_preparation_under_sudo(self):
        if os.geteuid() != 0:
            self.skipTest("needs root")
        self.kill_in(f"--prepare={self.command()}", "true", env=run.UnderSudo.NOBODY)

    def test_with_a_suite_under_sudo(self):
        if os.geteuid() != 0:
            self.skipTest("needs root")
        with open(self.path("config"), "w") as file:
            file.write(f"[one]\n{self.command()}\n")
        process = subprocess.Popen([run.LAUKA, "--config", self.path("config"), "-w0", "-r9"],
                                   env={**os.environ, **dict([self.marker.split("=")]), **run.UnderSudo.NOBODY},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, cwd=self.folder)
        self.addCleanup(process.kill)
        self.wait_until(lambda: os.path.exists(self.path("begun")))
        process.kill()
        process.wait()
        self.wait_until(lambda: not environments_with(self.marker))

    def test_with_what_a_suites_program_has_left_behind(self):
        program = self.script("program", suite.SPEAKER.replace("BODY", "answer() { >begun; exec sleep 120; }\n"
                                                               "setsid sleep 120 3>&- &"))
        process = subprocess.Popen([run.LAUKA, "suite", "--no-config", program, program], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder,
                                   env={**os.environ, **dict([self.marker.split("=")])})
        self.addCleanup(process.kill)
        self.wait_until(lambda: os.path.exists(self.path("begun")))
        process.kill()
        process.wait()
        self.wait_until(lambda: not environments_with(self.marker))

    def test_while_its_launcher_stands_still(self):
        """The launcher gets a SIGSTOP while lauka cannot undo it, because lauka is stopped, too."""
        parent = lambda pid: int(open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[1])

        def stop_both():
            launcher = parent(open(self.path("pid")).read().strip())
            os.kill(parent(launcher), signal.SIGSTOP)
            os.kill(launcher, signal.SIGSTOP)
        self.kill_in(self.script("command", "#!/bin/sh\necho $$ >pid\n>begun\nexec sleep 120\n"), before=stop_both)

    def test_a_killed_launcher_leaves_nothing_of_its_command(self):
        done = lauka("--no-config", "-w0", "-r9", "--env", self.marker,
                     self.script("command", "#!/bin/sh\nsleep 120 & kill -9 $PPID\nwait\n"), cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (1, f"lauka: {ERROR}\n"))
        self.wait_until(lambda: not environments_with(self.marker))


class Stopped(InScratch):
    """If someone stops the launcher, the session goes on, and unmeasured runs leave no values."""

    STOPS = "kill -STOP $PPID"
    SAID = "was not measured: lauka's launcher, which times it, was stopped meanwhile (SIGSTOP)"

    def test_its_run_is_a_failure(self):
        for ending in ("", "; sleep 0.1"):
            done = lauka("-w0", "-r3", "-S", self.STOPS + ending, cwd=self.folder, timeout=20)
            self.assertEqual(done.returncode, 5)
            self.assertIn(self.SAID + " in round 1; --max-failures drops such rounds\n", done.stderr)

    def test_no_accepting_of_failures_makes_it_a_result(self):
        done = lauka("-w0", "-r3", "-i", "-S", self.STOPS, timeout=20)
        self.assertEqual(done.returncode, 5)

    def test_its_rounds_can_be_dropped(self):
        once = self.script("once", f"#!/bin/sh\n[ -e ran ] || {{ >ran; {self.STOPS}; }}\n")
        done = lauka("-w0", "-r3", "--max-failures=1", "--json", once, cwd=self.folder, timeout=20)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual((result["run"]["rounds"], result["run"]["dropped"]), (3, 1))
        self.assertTrue(any(self.SAID in warning for warning in result["warnings"]))

    def test_among_many_it_is_the_one_that_is_told(self):
        nth = self.script("nth", f"#!/bin/sh\necho >>ran\n[ $(wc -l <ran) != 20 ] || {self.STOPS}\n")
        done = lauka("-w0", "-r60", nth, cwd=self.folder, timeout=20)
        self.assertEqual(done.returncode, 5)
        self.assertIn(self.SAID + " in round 20; --max-failures drops such rounds\n", done.stderr)

    def test_a_timeout_ends_the_run(self):
        done = lauka("-w0", "-r3", "--timeout=0.2", "-S", self.STOPS + "; exec sleep 120", timeout=20)
        self.assertEqual(done.returncode, 5)
        self.assertIn("took longer than its --timeout", done.stderr)

    def test_an_interruption_ends_the_session(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            command = self.script("command", f"#!/bin/sh\n{self.STOPS}\n>begun\nexec sleep 120\n")
            process = subprocess.Popen([run.LAUKA, "-w0", "-r3", command], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder,
                                       preexec_fn=run.heed_signals)
            self.addCleanup(process.kill)
            while not os.path.exists(self.path("begun")) and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(number)
            self.assertEqual(process.wait(20), 128 + number)
            os.unlink(self.path("begun"))

    def test_hooks_are_not_timed(self):
        done = lauka("-w0", "-r2", *(f"--{hook}={self.STOPS}" for hook in
                                     ("setup", "prepare", "conclude", "cleanup")), "true", timeout=20)
        self.assertEqual(done.returncode, 0, done.stderr)


class AskedToEnd(InScratch):
    """Signals other than those of Ctrl-C and kill: QUIT from the keyboard, ALRM from a timer that was
    set before lauka started, and USR1, USR2 and XCPU from batch systems that are about to kill."""

    NUMBERS = (signal.SIGQUIT, signal.SIGALRM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU)

    def end(self, number, *arguments, ready):
        process = subprocess.Popen([run.LAUKA, *arguments], stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder,
                                   env={**os.environ, "TMPDIR": self.folder}, preexec_fn=run.heed_signals)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 30
        while not ready() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(number)
        out, error = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 128 + number, error)
        return out, error

    def command(self):
        """A command whose second run says that it has begun, and does not end."""
        return self.script("command", "#!/bin/sh\n[ -e ran ] && { >begun; exec sleep 120; }\n>ran\n")

    def forget(self):
        for name in os.listdir(self.folder):
            os.unlink(self.path(name))

    def test_what_was_finished_is_reported_and_nothing_else_is_left(self):
        for number in self.NUMBERS:
            out, _ = self.end(number, "-w0", "-r9", "--no-config", "--json=j", "--csv=c", self.command(),
                              ready=lambda: os.path.exists(self.path("begun")))
            self.assertIn("1 round in", out)
            with open(self.path("j")) as file:
                run_told = json.load(file)["run"]
            self.assertEqual((run_told["stopped"], run_told["rounds"]), ("interrupted", 1))
            self.assertEqual(sorted(os.listdir(self.folder)), ["begun", "c", "command", "j", "ran"])
            self.forget()

    def test_benchmarks_end_with_what_is_known(self):
        for number in (signal.SIGQUIT, signal.SIGALRM, signal.SIGUSR1):
            with open(self.path("config"), "w") as file:
                file.write(f"--warmup=0\n--runs=9\n[one]\n{self.command()}\n[two]\ntrue\n")
            self.end(number, "--config=config", "--json=j", ready=lambda: os.path.exists(self.path("begun")))
            with open(self.path("j")) as file:
                benchmarks = {b["name"]: b for b in json.load(file)["benchmarks"]}
            self.assertEqual((benchmarks["one"]["rounds"], benchmarks["one"]["stopped"]), (1, "interrupted"))
            self.assertEqual(sorted(os.listdir(self.folder)), ["begun", "command", "config", "j", "ran"])
            self.forget()


class Fifo(InScratch):
    """A document can be written to a FIFO, whenever its reader opens it."""

    def start(self, *arguments):
        os.mkfifo(self.path("pipe"))
        process = subprocess.Popen([run.LAUKA, "--no-config", "-r3", "--backend=simulated", "-q", "--json=pipe",
                                    *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, cwd=self.folder,
                                   preexec_fn=run.heed_signals)
        self.addCleanup(process.stderr.close)
        clock = threading.Timer(30, process.kill)  # so that a reader never waits forever
        clock.start()
        self.addCleanup(clock.cancel)
        self.addCleanup(process.kill)
        return process

    WAITS = ("lauka: --json=pipe is a FIFO that nobody reads yet: waiting for a reader (Ctrl-C gives "
             "up)\n")

    def test_that_nobody_reads_it_yet_is_said(self):
        process = self.start("a")
        self.assertEqual(process.stderr.readline(), self.WAITS)
        with open(self.path("pipe")) as file:
            self.assertEqual(json.load(file)["run"]["rounds"], 3)
        self.assertEqual((process.wait(30), process.stderr.read()), (0, ""))

    def test_who_gives_up_is_obeyed(self):
        process = self.start("a")
        process.stderr.readline()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(30), 130)
        self.assertEqual(process.stderr.read(), "lauka: --json=pipe: interrupted while waiting for a "
                                                "reader; nothing was run\n")

    def test_suites_say_it_too(self):
        with open(self.path("config"), "w") as file:
            file.write("[one]\na\n")
        process = self.start("--config=config")
        self.assertEqual(process.stderr.readline(), self.WAITS)
        process.send_signal(signal.SIGINT)
        self.assertNotEqual(process.wait(30), 0)

    def test_a_reader_that_is_there_needs_no_word(self):
        os.mkfifo(self.path("pipe"))
        reader = subprocess.Popen(["cat", self.path("pipe")], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        self.addCleanup(reader.stdout.close)
        time.sleep(0.1)
        done = lauka("--no-config", "-r3", "--backend=simulated", "-q", "--json=pipe", "a", cwd=self.folder)
        self.assertEqual((done.returncode, json.loads(reader.stdout.read())["run"]["rounds"]), (0, 3))
        self.assertEqual(reader.wait(30), 0)


class SlowReader(InScratch):
    """Documents that do not fit into a pipe at once, whose reader waits: lauka is interrupted while it writes."""

    def start(self):
        process = subprocess.Popen([run.LAUKA, "--no-config", "-r2000", "--backend=simulated", "-q", "--json", "a", "b"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   preexec_fn=run.heed_signals)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        select.select([process.stdout], [], [], 30)  # it is written
        state = lambda: open(f"/proc/{process.pid}/stat").read().rsplit(")", 1)[1].split()[0]
        held = lambda: fcntl.ioctl(process.stdout, termios.FIONREAD, bytes(4))
        before = b""
        while before != (before := held()) or state() != "S":  # until the pipe is full
            time.sleep(0.05)
        return process

    def test_gets_all_of_it(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start()
            process.send_signal(number)
            time.sleep(0.1)
            self.assertEqual(json.loads(process.stdout.read())["run"]["rounds"], 2000)
            self.assertEqual(process.wait(30), 128 + number)

    def test_is_not_waited_for_for_ever(self):
        process = self.start()
        for _ in range(2):
            process.send_signal(signal.SIGTERM)
            time.sleep(0.5)
        self.assertEqual(process.wait(30), -signal.SIGTERM)


class FifoToRead(InScratch):
    """The writer of a file of options or of a result may never come."""

    def ended(self, number, *arguments, **variables):
        """Returns the exit code and stderr of a lauka that waits for the pipe and gets the signal."""
        if not os.path.exists(self.path("pipe")):
            os.mkfifo(self.path("pipe"))
        process = subprocess.Popen([run.LAUKA, *arguments], stdin=subprocess.DEVNULL, cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, **variables}, preexec_fn=run.heed_signals)
        self.addCleanup(process.kill)
        until = time.monotonic() + 30
        waits = False  # true once lauka waits in open(2), as a reader
        while not waits:
            self.assertLess(time.monotonic(), until)
            try:
                writer = os.open(self.path("pipe"), os.O_WRONLY | os.O_NONBLOCK)
                waits = True
            except OSError:
                time.sleep(0.01)
        while process.poll() is None:  # a signal may arrive just before read(2)
            self.assertLess(time.monotonic(), until)
            process.send_signal(number)
            time.sleep(0.05)
        os.close(writer)
        said = process.stderr.read()
        process.stderr.close()
        return process.returncode, said

    def test_options_need_not_come(self):
        for option in ("--config",), ("--gate=wall_time=5%", "--allow"), ("--gate-file",):
            for number in signal.SIGTERM, signal.SIGINT:
                code, said = self.ended(number, "--backend=simulated", "a", "b", *option, "pipe")
                if option == ("--config",):  # nothing has begun yet that needs an orderly end
                    self.assertEqual((code, said), (-number, ""))
                else:
                    self.assertEqual((code, said), (128 + number, "lauka: interrupted while files were read; "
                                                                  "nothing was run\n"))
        code, said = self.ended(signal.SIGTERM, "--backend=simulated", "a", LAUKA_CONFIG="pipe")
        self.assertEqual((code, said), (-signal.SIGTERM, ""))

    def test_results_need_not_come(self):
        for verb in "report", "compare", "gate":
            code, said = self.ended(signal.SIGTERM, "--no-config", verb, "pipe")
            self.assertEqual((code, said), (143, "lauka: interrupted while files were read; nothing was run\n"))


class FifoOfACommand(InScratch):
    """The other end of the FIFO is awaited, as by `command <pipe`, for as long as the user allows."""

    def start(self, *arguments):
        os.mkfifo(self.path("pipe"))
        process = subprocess.Popen([run.LAUKA, "--no-config", "-w0", "-r1", *arguments], text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   cwd=self.folder, preexec_fn=run.heed_signals)
        clock = threading.Timer(20, process.kill)  # so that nothing waits forever
        clock.start()
        self.addCleanup(clock.cancel)
        self.addCleanup(process.kill)
        return process

    def test_a_timeout_ends_the_wait(self):
        for option, told in (("input", "opened the FIFO for writing"), ("output", "opened the FIFO for reading")):
            process = self.start(f"--{option}=./pipe", "--timeout=0.2", "cat")
            _, error = process.communicate()
            self.assertEqual(process.returncode, 5, error)
            self.assertIn(f"waited for the file of its --{option} until its --timeout: nobody {told}", error)
            os.unlink(self.path("pipe"))

    def test_who_gives_up_is_obeyed(self):
        for option in ("input", "output"):
            process = self.start(f"--{option}=./pipe", "--prepare=touch begun", "cat")
            while not os.path.exists(self.path("begun")) and process.poll() is None:
                time.sleep(0.01)
            time.sleep(0.1)  # by now lauka waits, or is about to; both must work
            process.send_signal(signal.SIGINT)
            _, error = process.communicate()
            self.assertEqual(process.returncode, 130, error)
            os.unlink(self.path("begun"))
            os.unlink(self.path("pipe"))

    def test_who_comes_late_is_waited_for(self):
        process = self.start("--input=./pipe", "--output=./copy", "--prepare=touch begun", "cat")
        while not os.path.exists(self.path("begun")) and process.poll() is None:
            time.sleep(0.01)
        time.sleep(0.1)
        with open(self.path("pipe"), "w") as file:
            file.write("late")
        _, error = process.communicate()
        self.assertEqual(process.returncode, 0, error)
        with open(self.path("copy")) as file:
            self.assertEqual(file.read(), "late")
