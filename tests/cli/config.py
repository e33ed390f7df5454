"""Options from files: which file is read, which value wins, and benchmarks by section."""
import json
import os
import unittest

from run import InScratch, lauka


class Config(InScratch):
    def config(self, text, name="config"):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def lauka(self, *arguments, **keywords):
        return lauka("--backend=simulated", "--seed=1", *arguments, cwd=self.folder, **keywords)

    def result(self, *arguments, **keywords):
        done = self.lauka("--json", "-q", *arguments, **keywords)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def refused(self, *arguments, **keywords):
        done = self.lauka(*arguments, **keywords)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
        return done.stderr

    def test_one_argument_a_line(self):
        path = self.config("# a comment\n\n  --runs=4\n-L\nv\n1,2\n./a --with {v}\r\n")
        result = self.result(f"--config={path}")
        self.assertEqual([r["command"] for r in result["results"]], ["./a --with 1", "./a --with 2"])
        self.assertEqual(result["run"]["rounds"], 4)

    def test_the_command_line_wins(self):
        path = self.config("--runs=4\n--warmup=3\n-L\nv\n1,2\n-n\nname {v}\n./a {v}\n")
        self.assertEqual(self.result("--config", path, "-r2")["run"]["rounds"], 2)
        self.assertEqual(self.result("--config", path, "-M3")["run"]["rounds"], 3)
        self.assertEqual(self.result("--config", path, "-r2")["run"]["warmup"], 3)
        opposite = self.config("--no-multiplex\n", "opposite")
        self.assertEqual(self.result("--config", opposite, "-r2", "--multiplex=rounds", "a")["run"]["rounds"], 2)
        result = self.result("--config", path, "-L", "v", "7", "./b {v}")
        self.assertEqual([r["command"] for r in result["results"]], ["name 7"])
        self.assertEqual(result["results"][0]["argv"], ["./b", "7"])

    def test_which_file(self):
        self.config("--runs=2\na\n", ".lauka")
        variable = {"LAUKA_CONFIG": self.config("--runs=3\nb\n", "of_variable")}
        other = self.config("--runs=4\nc\n", "other")
        self.assertEqual(self.result()["run"]["rounds"], 2)
        self.assertEqual(self.result(env=variable)["run"]["rounds"], 3)
        self.assertEqual(self.result("--config", other, env=variable)["run"]["rounds"], 4)
        self.assertIn("no command", self.refused("--no-config"))

    def test_a_file_that_is_not_there_is_named_as_it_was_asked_for(self):
        self.assertIn(" LAUKA_CONFIG=nofile: No such", self.refused("a", env={"LAUKA_CONFIG": "nofile"}))
        self.assertIn(" --config nofile: No such", self.refused("a", "--config", "nofile"))

    def test_wrong_sections_are_refused_before_any_runs(self):
        for text, says in (("[x]\na\n[y]\n[z]\nb\n", ":3: the section [y] has no command"),
                           ("[x]\na\n[y]\n-r2\n", ":3: the section [y] has no command"),
                           ("[x]\na\n[x]\nb\n", ":3: there is a section [x] already, in line 1"),
                           ("[x]\na\n\n[y]\nb\n--runz=3\n", ":6: unknown option --runz")):
            path = self.config(text)
            self.assertIn(path + says, self.refused("--config", path))
        self.assertEqual(lauka("--version", "--config", self.config("[x]\n-r2\n")).stderr, "")

    def test_what_nobody_typed_is_said(self):
        self.config("--runs=2\n", ".lauka")
        self.assertEqual(self.lauka("a").stderr,
                         "lauka: using the options in ./.lauka; --no-config ignores them\n")
        self.assertEqual(self.lauka("-q", "a").stderr, "")
        for quiet in ("-qw2", "-w2"):
            said = self.lauka(quiet, "a", "--", "b", "-q").stderr
            self.assertEqual(said == "", quiet != "-w2", said)

    @unittest.skipIf(os.geteuid() != 0, "only root can give files away")
    def test_a_file_of_somebody_else_is_not_obeyed(self):
        self.config("--setup=touch owned\n", ".lauka")
        os.chown(self.path(".lauka"), 12345, 12345)
        self.assertIn("--no-config", self.refused("a"))
        self.assertEqual(self.lauka("--no-config", "-r1", "a").returncode, 0)
        self.assertEqual(self.lauka("--config=./.lauka", "-r1", "a").returncode, 0)

    def test_a_link_is_followed_where_it_is_named(self):
        os.symlink(self.config("--setup=touch owned\n"), self.path(".lauka"))
        self.assertIn("./.lauka: is a link; --config ./.lauka reads it anyway", self.refused("a"))
        self.assertEqual(self.lauka("--no-config", "-r1", "a").returncode, 0)
        self.assertFalse(os.path.exists(self.path("owned")))
        self.assertEqual(self.lauka("--config=./.lauka", "-r1", "a").returncode, 0)

    def test_one_that_cannot_be_read_is_said_with_the_way_out(self):
        self.config("a\0b", ".lauka")
        self.assertIn("./.lauka: is not a text file of less than 1 MB; --no-config ignores it", self.refused("a"))
        os.unlink(self.path(".lauka"))
        os.mkfifo(self.path(".lauka"))  # lauka does not wait for its writer
        self.assertIn("./.lauka: is not a regular file; ", self.refused("a"))
        self.assertIn(", --no-config ignores it", self.refused("a"))

    def test_effective_options_are_in_the_json(self):
        run_ = self.result("--config", self.config("--runs=4\n--warmup=3\na\n"), "-w2")["run"]
        options = {o["name"]: (o["value"], o["given"]) for o in run_["options"]}
        self.assertEqual((options["runs"], options["warmup"]), (("4", True), ("2", True)))
        self.assertNotIn("config", options)

    def test_options_of_other_verbs_are_left_out(self):
        self.config("--runs=4\n--color=never\na\n", ".lauka")
        with open(self.path("numbers"), "w") as file:
            file.write("1\n2\n")
        self.assertIn("2 values", lauka("compare", "numbers", cwd=self.folder).stdout)

    def test_vectors(self):
        result = self.result("--config", self.config("-r2\n--\na\nx y\n--vs\nb\n"))
        self.assertEqual([r["argv"] for r in result["results"]], [["a", "x y"], ["b"]])

    def test_what_is_wrong_is_said_with_its_line(self):
        self.assertIn("config:2: ", self.refused("--config", self.config("a\n--runs 10\n")))
        self.assertIn("one argument per line", self.refused("--config", self.config("--runs 10\n")))
        self.assertIn("config:1: unknown option --runz", self.refused("--config", self.config("--runz=1\n")))
        self.assertIn("config:3: --runs needs", self.refused("--config", self.config("#\n\n--runs")))
        self.assertIn("config:1: a section", self.refused("--config", self.config("[]\n")))
        self.assertIn("No such file", self.refused("--config", self.path("missing")))
        with open(self.path("binary"), "wb") as file:
            file.write(b"a\0b")
        self.assertIn("not a text file", self.refused("--config", self.path("binary")))

    def test_an_option_as_other_files_have_it_is_no_command(self):
        for text, says in (("a\nruns = 5\n", ':2: "runs = 5" would be run as a command: an option is '
                                             "written as it is typed, --runs=5\n"),
                           ("min_runs: 5", ", --min-runs=5\n"), ("runs=5", ", --runs=5\n"),
                           ("runs 5", ", --runs=5\n"), ("quiet = true", ", --quiet\n"),
                           ("[x]\na\nwarmup = 2\n", ':3: "warmup = 2" '),
                           ("rounds = 5", "there is no option --rounds: ")):
            for typed in (), ("a",):
                if "[" in text and typed:
                    continue  # sections need no commands on the command line
                self.assertIn(says, self.refused("--config", self.config(text), *typed))
        for text in "env x=1 a", "sort file", "-n\nruns = 5\na", "-S\nX=1 a", "--\nruns\n=\n5":
            self.assertEqual(self.lauka("-r1", "--config", self.config(text)).stderr, "", text)

    SECTIONS = "--runs=3\n-n=x\n-n=y\n[first one]\na\nb\n[second]\nc\nd\n"

    def test_sections_are_benchmarks_of_one_session(self):
        done = self.lauka("--config", self.config(self.SECTIONS))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for name in ("first one", "second"):
            self.assertIn(name, done.stdout)

    def test_they_have_one_document(self):
        path = self.config(self.SECTIONS)
        document = json.loads(self.lauka("--config", path, "--json").stdout)
        self.assertEqual(document["schema"], "lauka-result/2.1")
        self.assertEqual([(b["name"], b["rounds"]) for b in document["benchmarks"]],
                         [("first one", 3), ("second", 3)])
        self.assertEqual([(r["benchmark"], r["side"], r["argv"]) for r in document["results"]],
                         [("first one", "x", ["a"]), ("first one", "y", ["b"]),
                          ("second", "x", ["c"]), ("second", "y", ["d"])])
        again = lauka("report", "--json", self.written(json.dumps(document)))
        self.assertEqual(json.loads(again.stdout), document)

    def written(self, text):
        with open(self.path("document"), "w") as file:
            file.write(text)
        return self.path("document")

    def test_commands_that_are_typed_have_no_sections(self):
        self.assertEqual(self.result("--config", self.config(self.SECTIONS), "-n=z", "v")["run"]["rounds"], 3)

    def test_a_benchmark_that_fails_does_not_keep_the_others_from_running(self):
        path = self.config("--runs=2\n--warmup=0\n[bad]\nfalse\n[good]\ntrue\n")
        done = lauka("--config", path, "--json=" + self.path("j"))
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("failed with exit code 1", done.stderr)
        document = json.load(open(self.path("j")))
        self.assertEqual({b["name"]: b["rounds"] for b in document["benchmarks"]}, {"bad": 0, "good": 2})

    def test_a_command_that_cannot_be_started_is_one_of_them(self):
        path = self.config("--runs=2\n--warmup=0\n[bad]\n./nosuch\n[good]\ntrue\n")
        done = lauka("--config", path, "--json=" + self.path("j"))
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("./nosuch", done.stderr)
        document = json.load(open(self.path("j")))
        self.assertEqual({b["name"]: b["rounds"] for b in document["benchmarks"]}, {"bad": 0, "good": 2})

    def test_a_limit_of_no_metric_ends_the_session(self):
        path = self.config("--runs=2\n[none]\n--gate=nosuch=2%\na\nb\n[good]\na\nb\n")
        with open(self.path("j"), "w") as file:
            file.write("old")
        self.assertIn("nosuch", self.lauka("--config", path, "--json=j").stderr)
        self.assertEqual(self.lauka("--config", path, "--json=j").returncode, 2)
        self.assertEqual(open(self.path("j")).read(), "old")
