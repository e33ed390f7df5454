"""What lauka says about mistaken words: other tools' options, slips, units."""
import json
import os
import pathlib
import re

from run import InScratch, lauka


class Advice(InScratch):
    def lauka(self, *arguments, **keywords):
        return lauka("--no-config", *arguments, cwd=self.folder, **keywords)

    def refused(self, *arguments):
        done = self.lauka(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        return done.stderr

    def pretended(self, *arguments):
        done = self.lauka("--backend=simulated", "-q", "-r3", "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def check_foreign(self, option, kind, advice):
        said = self.refused(option, "true")
        self.assertIn(f"; {kind} ", said)
        self.assertTrue(said.endswith(advice + "\n"), said)

    def test_options_of_other_tools_have_their_counterpart(self):
        for option, advice in (("-x,", "use --csv"), ("-I", "use lauka threads PID --interval MS"),
                               ("-j", "use --json"), ("-o", "use --csv=FILE or --json=FILE"),
                               ("--pid", "use lauka threads PID"), ("--table", "use --csv-samples"),
                               ("--null", "use -e none"), ("--repeat=5", "use -r N"),
                               ("-benchtime=5s", "use --max-time T"),
                               ("--min-benchmarking-time", "use --min-time T"),
                               ("--save-baseline", "use lauka keep NAME ./bench"),
                               ("--benchmark_filter=x", "use --benchmark GLOB")):
            self.check_foreign(option, "instead of", advice)

    def test_options_of_other_tools_without_a_counterpart(self):
        for option, reason in (("-a", "it measures commands, not whole machines"),
                               ("--no-inherit", "descendants are always counted"),
                               ("-row=x", "rows are benchmarks, and sides are compared")):
            self.check_foreign(option, "lauka has nothing like", reason)

    def test_options_of_other_tools_that_could_be_mistaken(self):
        kinds = "use --per-core-type: lauka tells kinds of core apart, not single cores\n"
        self.assertIn(kinds, self.refused("--per-core", "true"))
        self.pretended("--per-core-t", "true")
        for option in ("-count=5", "--count=5"):
            self.assertIn("instead of go test's", self.refused(option, "true"))
        self.assertIn("if -count=5 is for go, make them one word: 'go -count=5'", self.refused("go", "-count=5"))

    def test_pages_for_users_of_other_tools_and_lauka_say_the_same(self):
        docs = pathlib.Path(__file__).resolve().parents[2] / "docs"
        for page in docs.glob("from-*.md"):
            cells = " ".join(re.findall(r"^\| (.*?) \|", page.read_text(encoding="utf-8"), re.M))
            options = re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", cells)
            self.assertTrue(options, page)
            for option in options:
                said = self.lauka("--backend=simulated", option).stderr
                if "unknown option" in said:
                    self.assertRegex(said, "; instead of |; lauka has nothing like ", (page.name, option))

    def test_one_command_that_was_typed_as_several(self):
        for words, whole in ((("sleep", "1"), "sleep 1"), (("echo", "a", "b"), "echo a b")):
            done = self.lauka(*words)
            self.assertEqual(done.returncode, 5)
            self.assertIn(f"; a command and its arguments are one word: lauka '{whole}', or lauka -- {whole}\n",
                          done.stderr)
        self.assertNotIn("are one word", self.lauka("true", "./missing").stderr)
        self.assertNotIn("are one word", self.lauka("sleep 0", "missing").stderr)
        self.assertIn("unknown option -a; if -la is for ls, make them one word: 'ls -la', or lauka -- ls -la\n",
                      self.refused("ls", "-la"))

    def test_a_program_in_the_directory(self):
        self.script("p2", "#!/bin/sh\n")
        self.assertIn("(looked for in PATH); to run the one in its directory, put ./ before it\n",
                      self.lauka("p2").stderr)
        os.chmod(self.path("p2"), 0o644)
        self.assertTrue(self.lauka("p2").stderr.endswith("(looked for in PATH)\n"))

    def test_what_a_shell_does_itself(self):
        for command in ("exit 1", "cd /", "wait"):
            self.assertIn("; it is built into shells: -S runs commands in one\n", self.lauka(command).stderr)

    def test_parameters(self):
        self.assertIn('no command to run: -L x took "true" as its values; type -L x VALUES before the command\n',
                      self.refused("-L", "x", "true"))
        said = "lauka: {y} in `echo {y}` stays as it is: no parameter has this name\n"
        again = ("--backend=simulated", "-r1", "-w0", "-L", "x", "1,2")
        self.assertEqual(self.lauka(*again, "echo {y}").stderr, said)
        for command in ("echo {x}", "awk {} {x}", "awk '{print $1}' {x}", "grep 'a{2}' {x}"):
            self.assertEqual(self.lauka(*again, command).stderr, "", command)
        self.assertEqual(self.lauka(*again, "-q", "echo {y}").stderr, "")

    def test_a_number_as_a_name(self):
        said = 'lauka: -n 5 names the command "5"; for a number of rounds, use -r 5\n'
        quick = ("--backend=simulated", "--max-time=1ms")
        self.assertEqual(self.lauka(*quick, "-n", "5", "a").stderr, said)
        for words in (("-n", "5", "-r", "2", "a"), ("-n", "1", "-n", "2", "a", "b"), ("-n", "v5", "a")):
            self.assertEqual(self.lauka(*quick, *words).stderr, "", words)

    def test_a_limit_without_its_sign(self):
        self.assertIn("--gate wall_time=5ms: type wall_time=+5ms for a difference, or wall_time<=5ms for a budget\n",
                      self.refused("--gate", "wall_time=5ms", "a", "b"))

    def test_a_section_without_its_end(self):
        with open(self.path("config"), "w", encoding="utf-8") as file:
            file.write("-r5\n[x\ntrue\n")
        self.assertEqual(lauka("--config", "config", cwd=self.folder).stderr,
                         "lauka: config:2: the name of a section ends with ]: [x]\n")

    def test_amounts_as_people_type_them(self):
        for option, text, rate in (("--items", "10k", "items_per_second"), ("--items", "1.5M", "items_per_second"), ("--items", "1e3", "items_per_second"),
                                   ("--bytes", "64KiB", None), ("--bytes", "1.5GB", None), ("--bytes", "4096", None)):
            plain = {"10k": 10000, "1e3": 1000, "1.5M": 1500000, "64KiB": 65536, "1.5GB": 1500000000, "4096": 4096}[text]
            seeded = ("--seed=1", "a")
            a, b = (self.pretended(f"{option}={value}", *seeded)["results"][0]["metrics"] for value in (text, plain))
            self.assertEqual(a, b)
            self.assertIn(rate or "wall_time", a)
        for option, text in (("--items", "64KiB"), ("--items", "0"), ("--items", "1.5"),
                             ("--items", "0x10"), ("--items", "1.2.3k"), ("--bytes", "10k"), ("--bytes", "-1"),
                             ("--bytes", "0.5B"), ("--bytes", "9e18GB"), ("--bytes", "9999999999999GB")):
            self.assertIn(f"{option} {text}: expected a ", self.refused(f"{option}={text}", "a"))

    def test_durations_of_several_parts(self):
        done = self.lauka("-r1", "-w0", "--timeout=0m0.2s", "sleep 60")
        self.assertIn("took longer than its --timeout", done.stderr)
        for text in ("30s1m", "1m30", "1m 30s"):
            self.assertIn("expected a duration, such as 5, 500ms, 30s or 5m30s", self.refused(f"--timeout={text}", "a"))
        for option in ("timeout", "period", "sampled", "max-time"):
            self.assertIn(f"lauka: --{option} x: expected a duration", self.refused(f"--{option}=x", "a"))

    def test_metrics_may_be_typed_as_in_limits(self):
        shown = lauka("--no-config", "--backend=simulated", "-r3", "--metrics", "wall,rss:KiB", "a").stdout
        self.assertIn("wall_time", shown)
        self.assertIn("KiB", shown)
        self.assertNotIn("cpu_time", shown)
        result = self.pretended("--primary=cpu", "a", "b")
        metrics = result["results"][0]["metrics"]
        self.assertEqual([name for name in metrics if metrics[name]["primary"]], ["cpu_time"])

    def test_a_subcommand_with_a_slip_is_named(self):
        self.assertIn("lauka: did you mean lauka help?\n", lauka("hlep").stderr)
        self.assertIn("lauka: did you mean lauka noise?\n", lauka("nosie", "true").stderr)
        self.assertNotIn("did you mean", lauka("-r2", "--backend", "simulated", "true", "false").stderr)
        self.assertNotIn("did you mean", lauka("true", env={"PATH": "/is-not-there"}).stderr)

    def test_a_parameter_that_nothing_uses_is_named(self):
        simulated = ("-r2", "--backend", "simulated", "-L", "size", "1,2")
        self.assertIn("lauka: {size} is in no command: all its values run the same\n", lauka(*simulated, "true").stderr)
        for words in (["true {size}"], ["--", "true", "{size}"], ["--prepare", "echo {size}", "true"]):
            self.assertNotIn("is in no command", lauka(*simulated, *words).stderr)

    def test_a_limit_without_its_unit_is_completed(self):
        self.assertIn("--gate wall_time=2: did you mean wall_time=2%?", self.refused("--gate", "wall_time=2", "true", "true"))

    def test_an_empty_value_is_refused(self):
        rows = re.findall(r"^ +(?=-)(-\w)?,? *(?:--([\w-]+))?(\[=| |=)([A-Z][A-Z=|]*)", self.lauka("help", "all").stdout, re.M)
        self.assertGreater(len(rows), 80)
        for letter, name, between, placeholder in rows:
            option = "--" + name if name else letter
            if name in ("setup", "prepare", "conclude", "cleanup"):
                continue  # of one command nothing is to be done
            for empty in ("", " "):
                words = [option, empty] if between == " " else [f"{option}={empty}"]
                said = self.refused(*words, *[empty] * (placeholder in ("NAME", "MIN")), "true")
                self.assertIn(f"{option}: its value is empty (is a variable not set?); expected {placeholder}", said)
        for option in ("env", "cwd", "timeout", "expect-exit", "read", "items", "bytes"):
            self.assertIn(f"--{option}: its value is empty", self.refused(f"--{option}=B:", "--", "true", "--vs", "true"))
        with open(self.path("options"), "w", encoding="utf-8") as file:
            file.write("--runs=3\n--primary=\ntrue\n")
        done = lauka("--config=options", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("lauka: options:2: --primary: its value is empty", done.stderr)
        self.pretended("--prepare=", "true")

    def test_an_empty_file_name_is_refused(self):
        for verb in ("compare", "report", "gate", "merge"):
            self.assertIn("the name of a file is empty (is a variable not set?)", self.refused(verb, ""))
