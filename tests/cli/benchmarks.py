"""Benchmarks: the sets that parameters and sections of a file make, and sets that are refused."""
import json

from run import InScratch, lauka


class Benchmarks(InScratch):
    def file(self, text, name="config"):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def names(self, *arguments):
        done = lauka("--backend=simulated", "--list-benchmarks", *arguments, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def refused(self, *arguments):
        done = lauka("--backend=simulated", *arguments, "--list-benchmarks", cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
        return done.stderr

    SECTIONS = ("--warmup=0\n[parse]\n./base parse\n./head parse\n[render]\n-L\nsize\n10,100\n"
                "./base render {size}\n./head render {size}\n")

    def test_parameters_of_several_commands_are_benchmarks(self):
        sizes = ("-L", "size", "10,100", "./base {size}", "./head {size}")
        self.assertEqual(self.names(*sizes), ["size=10", "size=100"])
        self.assertEqual(self.names("-P", "n", "1", "2", *sizes),
                         ["n=1,size=10", "n=2,size=10", "n=1,size=100", "n=2,size=100"])
        self.assertEqual(self.names("noise", *sizes[:4]), ["size=10", "size=100"])

    def test_the_one_that_nobody_named_has_no_name(self):
        for words in (["a", "b"], ["-L", "size", "10,100", "a {size}"]):
            done = lauka("--list-benchmarks", *words)
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            self.assertEqual(done.stderr, "lauka: there is one benchmark, and it has no name\n")
            self.assertIn("has no name; leave the option out", self.refused(*words, "--benchmark=x"))

    def test_sections_are_benchmarks(self):
        path = self.file(self.SECTIONS)
        every = ["parse", "render/size=10", "render/size=100"]
        self.assertEqual(self.names("--config", path), every)
        self.assertEqual(self.names("--config", path, "--benchmark=render*"), every[1:])
        self.assertEqual(self.names("--config", path, "--benchmark=*100", "--benchmark=parse"), [every[0], every[2]])
        self.assertEqual(self.names("--config", self.file("--list-benchmarks\n" + self.SECTIONS)), every)

    def test_a_name_drives_no_terminal(self):
        self.assertEqual(self.names("-L", "v", "\x1b[2J", "a", "b"), ["v=\\x1b[2J"])

    def test_a_glob_that_matches_nothing_names_those_there_are(self):
        self.assertIn("--benchmark rendr: there is no such benchmark; there are `parse`, `render/size=10` and "
                      "`render/size=100`", self.refused("--config", self.file(self.SECTIONS), "--benchmark=rendr"))
        many = self.file("".join(f"[b{i}]\na\n" for i in range(24)))
        self.assertIn("there are `b0`, `b1`, `b2`, `b3`, `b4` and 19 more",
                      self.refused("--config", many, "--benchmark=c*"))

    def test_limits_about_no_benchmark_are_refused(self):
        limits = self.file("wall_time=5%\n[rendr/*]\nwall_time=2%\n", "gates")
        words = ("--config", self.file(self.SECTIONS), "--gate-file", limits)
        self.assertIn("gates:2: there is no benchmark [rendr/*]; there are `parse`, ", self.refused(*words))
        self.file("[render/*]\nwall_time=2%\n[parse]\nwall_time=3%\n", "gates")
        self.assertEqual(self.names(*words, "--benchmark=parse"), ["parse"])  # benchmarks that are not run still exist

    def test_two_of_one_name_are_refused(self):
        self.assertIn("two benchmarks are called size=10", self.refused("-L", "size", "10,1,10", "a", "b"))
        path = self.file("[a]\n-L\nn\n1,2\nx\ny\n\n[a/n=2]\nx\ny\n")
        self.assertIn(path + ":8: [a/n=2] makes a second benchmark of the name a/n=2", self.refused("--config", path))

    def test_sides_that_differ_are_refused(self):
        for text, says in (
                ("[a]\nx\ny\n[b]\nx\n", ":4: [b] has 1 side, [a] (line 1) has 2: "),
                ("[a]\nx\ny\n-n\nold\n[b]\nx\ny\n-n\nnew\n",
                 ":6: side A of [b] is called `new`, that of [a] (line 1) is called `old`: "),
                ("[a]\nx\ny\n[b]\n-n\nold\nx\ny\n",
                 ":4: side A of [b] is called `old`, that of [a] (line 1) has no name: ")):
            path = self.file(text)
            self.assertIn(path + says, self.refused("--config", path))

    def test_what_is_the_sessions_stands_before_all_sections(self):
        for option in ("--runs=3", "--seed=3", "--order=abba", "-e\ncycles", "--json=j", "--budget=3s", "-S",
                       "--gate-file=g", "-i", "--benchmark=a", "--primary=wall_time", "-q", "--max-failures=3"):
            path = self.file(f"-w2\n[a]\nx\n{option}\n")
            self.assertRegex(self.refused("--config", path),
                             ":4: --?[a-z-]+ is about the whole session, not about \\[a\\]: it belongs before the")
            self.assertEqual(self.names("--config", self.file("--runs=3\n[a]\nx\n")), ["a"])

    def test_what_is_about_commands_may_stand_in_a_section(self):
        self.file("", "in")
        self.assertEqual(self.names("--config", self.file(
            "[a]\nx\ny\n-n\nold\n-n\nnew\n--setup=s\n-p\np\n--env=A=1\n--env=B:C=1\n--cwd=.\n--input=./in\n"
            "--output=pipe\n--timeout=3s\n--expect-exit=1\n--items=3\n--bytes=3\n--gate=wall_time=3%\n"
            "[b]\n--reference=x\n--reference-name=old\ny\n-n\nnew\n--show-output\n")), ["a", "b"])

    def test_what_is_wrong_in_a_section_is_said_with_its_place(self):
        path = self.file("-w2\n[a]\nx\n[b]\ny\n--timeout=soon\n")
        self.assertIn(path + ":4: [b]: --timeout soon: expected a duration", self.refused("--config", path))
        path = self.file("-w2\n[a]\nx\ny\n--gate=wall_time\n")
        self.assertIn(path + ":5: --gate wall_time: expected a metric and its limit", self.refused("--config", path))
        path = self.file("-w2\n[a]\nx\n[b]\n")
        self.assertIn(path + ":4: ", self.refused("--config", path))

    def test_commands_that_are_typed_have_no_sections(self):
        path = self.file(self.SECTIONS)
        self.assertEqual(self.names("--config", path, "-L", "v", "7", "a", "b"), ["v=7"])

    def test_a_budget_is_told(self):
        done = lauka("--backend=simulated", "-r1", "--budget=10m", "--json", "-q", "a", "b")
        options = {o["name"]: o["value"] for o in json.loads(done.stdout)["run"]["options"]}
        self.assertEqual(options["budget"], "10m")
        self.assertIn("expected a duration", self.refused("--budget=x", "a", "b"))
