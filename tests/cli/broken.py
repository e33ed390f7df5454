"""Sessions that do not end well: whatever is written of them says so. Run by run.py."""
import csv
import json
import os
import xml.etree.ElementTree

from run import InScratch, lauka

ERROR = "the launcher process has ended unexpectedly (was it killed?)"
DOCUMENTS = ("json", "csv", "markdown", "pr-comment", "html", "bmf", "github-benchmark", "go-benchmark",
             "junit")


class Documented(InScratch):
    def session(self, *arguments, code, env=None):
        """With every document that there is, and a gate that each round holds."""
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
    """Its launcher is killed in the fifteenth round."""

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
        self.assertIn("see to what the error says", comment)

    def test_markdown_begins_with_it(self):
        self.break_down()
        self.assertTrue(self.text("markdown").startswith(f"the session was ended by an error: {ERROR}."))
        self.assertNotIn("✅", self.text("markdown"))

    def test_the_page_says_it(self):
        self.break_down()
        self.assertIn(f"<p>The session was ended by an error: {ERROR}</p>", self.text("html"))

    def test_go_benchmark_ends_as_go_test_does(self):
        self.break_down()
        self.assertEqual(self.text("go-benchmark").splitlines()[-1], f"FAIL\tlauka: {ERROR}")

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
            self.assertIn("lauka: the session was ended by an error: ", done.stderr)
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
        self.assertEqual(json.loads(self.text("both"))["run"]["error"], f"json: {ERROR}")


class FailedCleanup(Documented):
    """All rounds were finished, and yet not all is well."""

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
