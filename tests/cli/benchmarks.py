"""Sessions of several benchmarks: how they are named, measured, reported, gated, stored and compared."""
import json
import os
import signal
import subprocess
import time

import run
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


def effects(benchmarks, *options):
    """A file of benchmarks; each name is mapped to the words of base and head."""
    lines = ["--backend=simulated:effects", "--seed=1", "-n=base", "-n=head", *options]
    for name, sides in benchmarks.items():
        lines += [f"[{name}]", *(f"{side} {words}" for side, words in zip(("base", "head"), sides))]
    return "\n".join(lines) + "\n"


def costs(count, changed):
    """Costs of `count` benchmarks, of which some change by a factor."""
    return {f"b{i:02}": (f"cost={5 + i}ms", f"cost={(5 + i) * changed.get(i, 1):.4f}ms") for i in range(count)}


class Session(InScratch):
    def file(self, text, name="config"):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def session(self, text, *options, code=0):
        done = lauka("--config", self.file(text), f"--json={self.path('json')}", *options, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        with open(self.path("json"), encoding="utf-8") as file:
            return done, json.load(file)

    @staticmethod
    def claims(document):
        return {c["benchmark"] for c in document["comparisons"]
                if c["metric"] in ("wall_time", "cpu_time") and c["verdict"] in ("higher", "lower")}


class Many(Session):
    def test_what_changed_is_found_and_nothing_else(self):
        changed = {3: 1.05, 10: 0.85, 17: 1.02}
        done, document = self.session(effects(costs(24, changed)))
        self.assertEqual(self.claims(document), {"b03", "b10", "b17"})
        self.assertIn("2 of 24 benchmarks are slower, 1 faster", done.stdout)
        self.assertEqual({c["family"] for c in document["comparisons"] if c["metric"] == "wall_time"}, {48})

    def test_equal_ones_claim_nothing(self):
        """Three seeded sessions of many benchmarks; tests/bench has the long version."""
        for seed in range(1, 4):
            _, document = self.session(effects(costs(24, {})), f"--seed={seed}")
            self.assertEqual(self.claims(document), set())

    def test_the_same_benchmark_has_the_same_figures_whatever_runs_beside_it(self):
        text = effects(costs(3, {}), "--runs=5")
        _, every = self.session(text)
        _, one = self.session(text, "--benchmark=b01")
        self.assertEqual(one["schema"], "lauka-result/1.2")
        times = [r["times"] for r in every["results"] if r["benchmark"] == "b01"]
        self.assertEqual([r["times"] for r in one["results"]], times)
        self.assertNotEqual(times[0], every["results"][0]["times"])

    def test_worst_first_and_the_unchanged_folded(self):
        done, _ = self.session(effects(costs(6, {1: 1.02, 4: 1.2, 5: 0.9})))
        lines = [line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ")]
        self.assertEqual(lines[:4], ["b04", "b01", "b05", "equivalent"])
        for width in (60, 80, 120):
            done = lauka("report", self.path("json"), env={"COLUMNS": str(width)})
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), width)

    def test_a_name_that_is_cut_has_a_mark(self):
        long = "a-benchmark-with-a-very-long-name-that-no-narrow-terminal-has-room-for"
        done, _ = self.session(effects({long + "/1": ("cost=5ms", "cost=6ms"), "b": ("cost=5ms", "cost=5ms")}))
        for locale, mark in (("C.UTF-8", "…"), ("C", "..")):
            text = lauka("report", self.path("json"), env={"COLUMNS": "60", "LC_ALL": locale}).stdout
            row = next(line for line in text.splitlines() if line.startswith("  a-bench"))
            self.assertIn(mark, row.split("slower")[0].split("+")[0], text)

    def test_a_table_on_request(self):
        self.session(effects(costs(3, {}), "--runs=5"))
        self.assertNotIn("5 runs of", lauka("report", self.path("json")).stdout)
        one = lauka("report", "--full=b01", self.path("json")).stdout
        self.assertEqual(one.count("runs of base"), 1)
        self.assertEqual(lauka("report", "--full", self.path("json")).stdout.count("runs of base"), 3)

    def test_a_table_of_no_benchmark_is_refused(self):
        self.session(effects(costs(3, {}), "--runs=5"))
        alone = self.path("alone")
        lauka("--backend=simulated", "-r3", "-q", "a", "--json=" + alone)
        for arguments, says in ((("report", self.path("json")), "no such benchmark; there are `b00`, `b01` and `b02`"),
                                (("--config", self.path("config")), "no such benchmark; there are "),
                                (("report", alone), "there is one benchmark, and it has no name"),
                                (("--backend=simulated", "-r1", "a"), "it has no name: --full alone shows ")):
            done = lauka(*arguments, "--full=b9*", cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertIn("lauka: --full=b9*: ", done.stderr)
            self.assertIn(says, done.stderr)

    def test_limits_of_all_and_of_some(self):
        text = effects(costs(3, {0: 1.05, 1: 1.05}))
        limits = self.file("wall_time=2%\n[b01]\nwall_time=10%\n", "limits")
        done, document = self.session(text, "--gate-file", limits, code=3)
        self.assertEqual([b["gate"]["verdict"] for b in document["benchmarks"]], ["fail", "pass", "pass"])
        self.assertIn("lauka: b00: gate: FAIL", done.stderr)
        self.assertNotIn("b01", done.stderr)
        self.file(text + "--gate=wall_time=1%\n")  # applies to the last section only
        done = lauka("--config", self.path("config"), "-q", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_allowances_for_what_there_is_not_are_told(self):
        text = effects(costs(3, {}), "--runs=20")
        allowed = self.file('b0? wall_time until=2099-12-31 some\ngone wall_time until=2099-12-31 it went\n'
                            '* nonsense until=2099-12-31 no metric\n', "allowed")
        done, _ = self.session(text, "--gate=wall_time=20%", f"--allow={allowed}")
        self.assertEqual(done.stderr.splitlines(),
                         [f"lauka: {allowed}:2: there is no benchmark gone here: this line has no effect",
                          f"lauka: {allowed}:3: there is no metric nonsense here: this line has no effect"])
        done, _ = self.session(text, "--gate=wall_time=20%", f"--allow={allowed}", "--benchmark=b01")
        self.assertEqual(done.stderr.count("\n"), 2)  # benchmarks that are not run now are not gone
        self.assertNotIn("b0?", done.stderr)

    def test_what_is_allowed_is_not_said_to_be_within_limits(self):
        text = effects(costs(3, {0: 1.2, 1: 1.1}))
        allowed = self.file("b00 wall_time until=2099-12-31 known\n", "allowed")
        for limit, says in (("2%", "1 of 3 benchmarks is slower, 1 allowed to exceed limits; 1 within the limits"),
                            ("15%", "2 of 3 benchmarks are changed or allowed to exceed limits; 1 within the limits")):
            self.session(text, f"--gate=wall_time={limit}", f"--allow={allowed}", code=3 if limit == "2%" else 0)
            self.assertIn(says, lauka("report", self.path("json")).stdout)
            for form in ("--full", "--pr-comment=-"):
                told = lauka("report", self.path("json"), form).stdout
                self.assertIn("allowed", next(line for line in told.splitlines() if "b00" in line))
                self.assertIn("allowed until 2099-12-31: known", told)
            told = lauka("report", self.path("json"), "--full").stdout
            self.assertEqual(told.count("gate: pass: the limit is exceeded, which is allowed"), 1)

    def test_many_undecided_ones_are_one_line(self):
        text = effects(costs(5, {}), "--runs=2")
        for options, code, follow in (((), 0, ": a warning only (--inconclusive=fail makes it exit code 4)"),
                                      (("--inconclusive=fail",), 4, "")):
            done, _ = self.session(text, "--gate=wall_time=20%", *options, code=code)
            self.assertEqual(done.stderr.splitlines(), [
                "lauka: --gate wall_time needs 8 rounds at least; with fewer, as here, it is inconclusive",
                f"lauka: gate: inconclusive in 5 of 5 benchmarks, b00, b01, b02 and 2 more{follow}"])

    def test_options_of_a_section_are_told_of_its_benchmark(self):
        text = "\n".join(["--backend=simulated", "--seed=1", "--runs=2", "[a]", "--env=A=1", "x", "y", "[b]", "x", "y"]) + "\n"
        _, document = self.session(text)
        env = {"name": "env", "value": "A=1", "given": True}
        self.assertEqual([b.get("options") for b in document["benchmarks"]], [[env], None])
        self.assertNotIn(env, document["run"]["options"])
        _, alone = self.session(text, "--benchmark=a")
        self.assertIn(env, alone["run"]["options"])
        self.session(text)
        with open(self.path("json"), encoding="utf-8") as file:
            self.assertEqual(lauka("report", "--json", self.path("json")).stdout, file.read())

    def test_the_same_bytes_are_told_of_those_that_are(self):
        done, _ = self.session("--runs=3\n--warmup=0\n[a]\ntrue\ntrue\n[b]\ntrue\ntrue x\n")
        self.assertIn("note: In 1 of 2 benchmarks (a) sides are the same bytes with the same arguments: a difference "
                      "comes from the machine", " ".join(done.stdout.split()))

    def test_every_document_tells_the_same_bytes_also_of_a_session_that_failed(self):
        for first in ("true", "false"):
            path = self.file(f"-r3\n-w0\n[one*]\n{first}\n{first}\n[two]\ntrue\ntrue --other\n", "same")
            lauka("--config", path, *(f"--{name}={self.path(name)}" for name in ("pr-comment", "html", "markdown")))
            for name in ("pr-comment", "html", "markdown"):
                with open(self.path(name), encoding="utf-8") as file:
                    self.assertRegex(file.read(), "the same bytes with the same arguments", f"{name} of {first}")

    def test_one_budget_for_all(self):
        """Each benchmark may take ten seconds per side, but all of them together two. The simulated
        clock is exact."""
        text = effects({name: ("cost=10ms noise=30%", "cost=10ms noise=30%") for name in "abcd"}, "--max-time=10s")
        _, without = self.session(text)
        _, within = self.session(text, "--budget=2s")
        spent = [sum(b["seconds"] for b in document["benchmarks"]) for document in (without, within)]
        self.assertGreater(spent[0], 8)
        self.assertLess(spent[1], 2.2)
        self.assertGreater(min(b["rounds"] for b in within["benchmarks"]), 10)

    def test_a_failing_one_ends_alone(self):
        text = "--runs=3\n--warmup=0\n[bad]\nsh -c 'exit 7'\n[good]\ntrue\n"
        done, document = self.session(text, code=5)
        self.assertIn("lauka: bad: sh -c 'exit 7': failed with exit code 7", done.stderr)
        self.assertEqual([b["rounds"] for b in document["benchmarks"]], [0, 3])
        again = lauka("report", self.path("json"))
        self.assertEqual(again.returncode, 0)
        self.assertIn("lauka: bad: sh -c 'exit 7': failed with exit code 7", again.stderr)
        self.assertIn("1 of 2 benchmarks ended with an error", done.stdout)

    def test_benchmarks_take_turns(self):
        """The first four runs include both benchmarks: neither waits for all runs of the other."""
        log = self.path("log")
        text = f"--runs=40\n--warmup=0\n[a]\nsh -c 'echo a >>{log}; sleep 0.03'\n[b]\nsh -c 'echo b >>{log}; sleep 0.03'\n"
        self.session(text)
        order = open(log).read().split()
        self.assertEqual((order.count("a"), order.count("b")), (40, 40))
        self.assertGreater(sum(x != y for x, y in zip(order, order[1:])), 4)

    def test_hooks_belong_to_their_benchmark(self):
        log = self.path("log")
        text = (f"--runs=2\n--warmup=0\n[a]\n--setup=echo setup a >>{log}\n--cleanup=echo cleanup a >>{log}\ntrue\n"
                f"[b]\n--prepare=echo prepare b >>{log}\ntrue\n")
        self.session(text)
        lines = open(log).read().splitlines()
        self.assertEqual(sorted(lines), ["cleanup a", "prepare b", "prepare b", "setup a"])

    def test_one_after_the_other(self):
        _, document = self.session(effects(costs(2, {}), "--runs=4", "--order=sequential"))
        self.assertEqual([b["name"] for b in document["benchmarks"]], ["b00", "b01"])
        self.assertEqual({r["side"] for r in document["results"]}, {"base", "head"})

    def test_an_interruption_ends_all_of_them(self):
        ran = {name: self.path(name) for name in "ab"}
        config = self.file("".join(f"[{name}]\nsh -c 'echo >>{path}; sleep 0.02'\n" for name, path in ran.items()))
        process = subprocess.Popen([run.LAUKA, "--config", config, "-r9999", f"--json={self.path('json')}"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   preexec_fn=run.heed_signals)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not all(
                os.path.exists(path) and os.path.getsize(path) > 2 for path in ran.values()):
            time.sleep(0.02)  # until the warm-ups of both are over
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(30), 130)
        with open(self.path("json"), encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual({b["stopped"] for b in document["benchmarks"]}, {"interrupted"})

    def test_noise_of_each(self):
        done = lauka("noise", "-L", "size", "10,20", "p cost={size}ms", "--backend=simulated:effects", "-r20",
                     "--json")
        document = json.loads(done.stdout)
        self.assertEqual([b["name"] for b in document["benchmarks"]], ["size=10", "size=20"])
        self.assertEqual(len(document["results"]), 4)


class StoredBenchmarks(Session):
    """Two stored results: benchmarks and sides are matched by their names."""

    def store(self, name, factor, benchmarks, *options):
        lines = ["--backend=simulated:effects", f"--seed={len(name)}", "--runs=30", f"-n={name}", *options]
        for i, benchmark in enumerate(benchmarks):
            lines += [f"[{benchmark}]", f"prog cost={(5 + i) * (factor if i == 1 else 1):.4f}ms"]
        done = lauka("--config", self.file("\n".join(lines) + "\n"), f"--json={self.path(name)}", "-q")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return self.path(name)

    def test_one_side_in_each(self):
        base, head = self.store("base", 1, ["parse", "render"]), self.store("heads", 1.05, ["parse", "render"])
        done = lauka("gate", "--unpaired", base, head, "--gate=wall_time=2%", "--json")
        self.assertEqual(done.returncode, 3, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual([(b["name"], b["gate"]["verdict"]) for b in document["benchmarks"]],
                         [("parse", "pass"), ("render", "fail")])
        self.assertIn("lauka: render: gate: FAIL", done.stderr)

    def test_what_is_missing_is_told_and_passes_no_gate(self):
        base, head = self.store("base", 1, ["parse", "x", "gone"]), self.store("heads", 1, ["parse", "x", "new"])
        limits = ("--unpaired", "--gate=wall_time=5%", "--inconclusive=fail")
        done = lauka("gate", base, head, *limits)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("lauka: gone: gate: inconclusive", done.stderr)
        told = " ".join(done.stdout.split())
        self.assertIn(f"gone is not in {head}", told)
        self.assertIn(f"new is not in {base}", told)
        self.assertEqual(lauka("gate", base, head, *limits, "--benchmark=parse").returncode, 0)

    def test_sides_pair_by_name(self):
        self.session(effects(costs(2, {1: 1.1}), "--runs=30"))
        os.rename(self.path("json"), self.path("first"))
        self.session(effects(costs(2, {1: 1.1}), "--runs=30", "--seed=2"))
        done = lauka("compare", "--json", self.path("first"), self.path("json"))
        document = json.loads(done.stdout)
        self.assertEqual([b["name"] for b in document["benchmarks"]],
                         ["b00/base", "b00/head", "b01/base", "b01/head"])
        self.assertEqual(self.claims(document), set())

    def test_what_has_no_benchmarks_pairs_with_none(self):
        base = self.store("base", 1, ["parse", "x"])
        plain = self.path("plain")
        lauka("--backend=simulated", "-r3", "a", f"--json={plain}", "-q")
        done = lauka("compare", base, plain)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
        self.assertIn(f"{plain} has no benchmarks", done.stderr)

    def test_a_document_is_given_back_to_the_last_byte(self):
        for options in ((), ("--no-samples",), ("--gate=wall_time=2%",)):
            text = effects(costs(4, {2: 1.1}), "--runs=12")
            self.session(text, *options, code=3 if "--gate=wall_time=2%" in options else 0)
            with open(self.path("json"), encoding="utf-8") as file:
                first = file.read()
            self.assertEqual(lauka("report", "--json", self.path("json")).stdout, first)
