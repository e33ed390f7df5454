"""Stored results: the files that they go into, the room that they need, and how they are read and compared again."""
import base64
import csv
import gzip
import io
import json
import os
import random
import resource
import signal
import subprocess
import zlib

import run
from run import InScratch, LAUKA, lauka, lauka_as_nobody
from workers import once

TEN = ["json", "csv", "csv-percentiles", "csv-samples", "markdown", "html", "bmf", "github-benchmark",
       "go-benchmark", "asciidoc", "orgmode", "pr-comment"]


def limited(what, limit, *arguments, cwd):
    return subprocess.run([run.LAUKA, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          cwd=cwd, timeout=60, preexec_fn=lambda: resource.setrlimit(what, (limit, limit)))


class ResultFiles(InScratch):
    def result(self, name="j"):
        return json.load(open(self.path(name)))

    def keep(self, text, name="j"):
        with open(self.path(name), "w") as file:
            file.write(text)

    def session(self, *arguments, code=0):
        done = lauka("-q", *arguments, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_no_two_commands_have_one_name_in_other_tools_documents(self):
        for labels, bmf, go in (
                (["x", "x", "x (2)"], ["x (1)", "x (3)", "x (2)"], ["x_(1)", "x_(3)", "x_(2)"]),
                (["a b", "a_b", "a/b", "a_b_(1)"], ["a b", "a_b", "a/b", "a_b_(1)"],
                 ["a_b_(2)", "a_b_(3)", "a_b_(4)", "a_b_(1)"])):
            self.session("--backend", "simulated", "--seed", "1", "-r", "1", "--bmf=bmf", "--go-benchmark=go",
                         "--github-benchmark=gh", *(f"--command-name={label}" for label in labels),
                         *["true"] * len(labels))
            self.assertEqual([name for name, _ in json.loads(open(self.path("bmf")).read(), object_pairs_hook=list)],
                             bmf)
            self.assertEqual(sorted(line.split()[0] for line in open(self.path("go")) if line.startswith("Bench")),
                             sorted(f"BenchmarkLauka/cmd={name}-{os.cpu_count()}" for name in go))
            self.assertEqual([entry["name"] for entry in self.result("gh") if entry["name"].endswith(" wall_time")],
                             [f"{name} wall_time" for name in bmf])

    def test_a_result_without_samples_has_the_keys_that_readers_of_hyperfines_insist_on(self):
        self.session("--backend", "simulated", "-r", "3000", "--no-samples", "--json=j", "a", "b")
        for entry in self.result()["results"]:
            self.assertEqual(entry["exit_codes"], [])
            self.assertLessEqual({"command", "mean", "median", "user", "system", "min", "max"}, set(entry))
            self.assertNotIn("times", entry)
        self.session("report", "j", "--json=k")
        self.assertEqual(open(self.path("j")).read(), open(self.path("k")).read())

    def test_a_time_of_zero_has_the_unit_of_the_others_for_benchstat(self):
        self.keep(json.dumps({"schema": "lauka-result/1.0", "results": [
            {"command": name, "metrics": {
                "wall_time": {"unit": "ns", "better": "lower", "source": "clock", "values": [2e6, 3e6]},
                "system_time": {"unit": "ns", "better": "lower", "source": "rusage", "values": values}}}
            for name, values in (("a", [0, 4000000]), ("b", [0, 0]))]}))
        self.session("report", "j", "--go-benchmark=go")
        text = open(self.path("go")).read()
        # benchstat converts nanoseconds into seconds, except 0, and shows both as different metrics.
        self.assertNotIn("system-ns/op", text)
        self.assertIn("Unit system-sec/op better=lower\n", text)
        self.assertIn("cmd=a-1 1 2000000 ns/op 0 system-sec/op\n", text)
        self.assertIn("cmd=a-1 1 3000000 ns/op 0.004 system-sec/op\n", text)

    @once("a sanitizer needs more address space")
    def test_a_file_too_large_is_refused_before_it_is_read(self):
        with open(self.path("j"), "w") as file:
            file.truncate(50 << 30)
        done = limited(resource.RLIMIT_AS, 500 << 20, "report", self.path("j"), cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (2, f"lauka: {self.path('j')}: is larger than 1 GiB\n"))

    @once("a sanitizer needs more memory")
    def test_where_values_are_not_kept_memory_is_for_what_was_counted(self):
        for limit, arguments in ((3000000, ["-r10000", "--json=j", "a"]), (100 << 20, ["-r2", *map(str, range(200))])):
            done = limited(resource.RLIMIT_DATA, limit, "-q", "--backend=simulated", "-w0", "--no-samples", *arguments,
                           cwd=self.folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = limited(resource.RLIMIT_DATA, 4000000, "report", "j", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_what_is_nested_deep_under_a_key_of_others_is_left_out(self):
        self.session("--backend", "simulated", "-r3", "--json=j", "a", "b")
        text = open(self.path("j")).read()
        for deep in ("[" * 5000 + "]" * 5000, '{"x]": [' * 100000 + "1" + "\n]}" * 100000):
            self.keep(text.replace("{", '{"theirs": ' + deep + ",", 1), "k")
            self.session("report", "k", "--json=l")
            self.assertEqual(open(self.path("l")).read(), text)
        self.keep(text.replace("{", '{"theirs": ' + "[" * 5000, 1), "k")
        done = self.session("report", "k", code=2)
        self.assertIn("it ends too early", done.stderr)

    def test_a_file_that_gets_a_second_name_meanwhile_is_written_from_its_beginning(self):
        links = self.script("links", "#!/bin/sh\n[ -e copy ] || ln j copy\n")
        self.session("--order=sequential", "-r", "4", "-w", "0", "--json=j", "true", links)
        self.assertEqual(self.result()["run"]["rounds"], 4)
        self.assertTrue(os.path.samefile(self.path("j"), self.path("copy")))

    def test_a_folder_that_is_closed_meanwhile_does_no_harm(self):
        closes = self.script("closes", "#!/bin/sh\nchmod 555 .\n")
        self.addCleanup(os.chmod, self.folder, 0o755)
        if os.geteuid() == 0:
            os.chown(self.folder, 65534, 65534)
        done = lauka_as_nobody("-q", "--order=sequential", "-r", "4", "-w", "0", "--json=j", "true", closes,
                               cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.result()["run"]["rounds"], 4)

    def test_several_names_and_links_go_on_sharing_a_file(self):
        for old in ("short", "x" * 100000):
            self.keep(old)
            os.link(self.path("j"), self.path("hard"))
            os.symlink("j", self.path("soft"))
            self.session("-r", "2", "--json=soft", "true")
            self.assertTrue(os.path.islink(self.path("soft")))
            self.assertEqual(self.result("hard")["run"]["rounds"], 2)
            self.assertTrue(os.path.samefile(self.path("j"), self.path("hard")))
            for name in ("j", "hard", "soft"):
                os.unlink(self.path(name))

    def test_a_file_keeps_its_rights_and_none_stays_beside_it(self):
        self.keep("old")
        os.chmod(self.path("j"), 0o604)
        self.session("-r", "2", "--json=j", "true")
        self.assertEqual(os.stat(self.path("j")).st_mode & 0o777, 0o604)
        self.assertEqual(self.result()["run"]["rounds"], 2)
        self.assertEqual(os.listdir(self.folder), ["j"])

    def test_where_there_is_no_room_the_old_file_stays(self):
        for links in (0, 1):
            self.keep("precious")
            if links:
                os.link(self.path("j"), self.path("hard"))
            done = limited(resource.RLIMIT_FSIZE, 4096, "-q", "-r", "30", "--backend=simulated", "--json=j",
                           "--csv-samples=new", "a", "b", cwd=self.folder)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(done.stderr, "lauka: --csv-samples=new: File too large\n"
                                          "lauka: --json=j: File too large\n")
            self.assertIn("wall_time", done.stdout)
            self.assertEqual(open(self.path("j")).read(), "precious")
            self.assertEqual(sorted(os.listdir(self.folder)), ["hard", "j"][1 - links:])

    def test_commands_get_the_signal_of_a_file_too_large(self):
        tells = self.script("tells", "#!/bin/sh\ngrep SigIgn /proc/self/status >>out\n")
        self.session("-r", "1", "-w", "0", tells)
        self.keep(f"--runs=1\n--warmup=0\n[a]\n{tells}\n", "config")
        self.session("--config", "config")
        lines = open(self.path("out")).read().splitlines()
        self.assertEqual(len(lines), 2)
        for line in lines:
            self.assertFalse(int(line.split()[1], 16) >> (signal.SIGXFSZ - 1) & 1, line)

    def test_a_file_that_a_command_removes_or_replaces_is_written_again(self):
        for does in ("rm -f j", "rm -f j; echo other >j", "[ ! -e j ] || mv j elsewhere",
                     "rm -f j; ln -s elsewhere j"):
            self.keep("old")
            does = self.script("does", f"#!/bin/sh\n{does}\n")
            self.session("-r", "2", "--json=j", does, "true")
            self.assertEqual(self.result()["run"]["rounds"], 2)

    def test_a_file_that_cannot_be_written_again_is_an_error(self):
        done = self.session("-r", "1", "-w", "0", "--json=j", "--", "sh", "-c", "rm j; mkdir j", code=1)
        self.assertEqual(done.stderr, "lauka: --json=j: Is a directory\n")

    def test_too_many_open_files_come_with_what_to_do(self):
        for limit in (8, 16):
            done = limited(resource.RLIMIT_NOFILE, limit, "-q", "-r", "2", "--backend=simulated",
                           *(f"--{name}={name}" for name in TEN), "a", "b", cwd=self.folder)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("raise the limit (ulimit -n)", done.stderr)
            self.assertEqual((done.stderr.count("\n"), os.listdir(self.folder)), (1, []))

    def test_a_command_that_cannot_be_started_is_the_result(self):
        for order in ("shuffle", "sequential"):
            self.keep("of an earlier session")
            done = self.session("--json=j", "--order", order, "/no/such --at=all", "true", code=5)
            self.assertEqual(done.stderr, "lauka: /no/such --at=all: cannot be started: "
                                          "No such file or directory\n")
            result = self.result()
            self.assertEqual((result["run"]["stopped"], result["run"]["rounds"]), ("failure", 0))
            self.assertEqual((result["failure"]["command"], result["failure"]["reason"]),
                             (0, "cannot be started: No such file or directory"))
            self.session("report", "j")

    def test_of_an_old_file_that_stays_it_is_said(self):
        self.keep("precious")
        done = self.session("--backend=simulated:no-pmu", "--require-counters", "--json=j", "--csv=c", "a",
                            code=6)
        self.assertIn("lauka: --json=j is unchanged: this session has no result\n", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 2, done.stderr)
        self.assertEqual(open(self.path("j")).read(), "precious")
        self.assertEqual(os.listdir(self.folder), ["j"])

    def test_an_option_is_not_taken_for_the_name_of_a_file(self):
        for option in ("--pr-comment", "--export-json", "--export-csv", "--output"):
            done = self.session(option, "--backend", "simulated", "a", code=2)
            self.assertEqual(done.stderr, f"lauka: {option} needs a value before --backend; write "
                                          "./--backend if that is the name of a file\n")
        self.assertEqual(os.listdir(self.folder), [])
        self.session("--pr-comment=-x", "--export-json", "-", "--backend=simulated", "-r", "3", "a")
        self.assertEqual(os.listdir(self.folder), ["-x"])
        for arguments, words in ((["--no-multiplex", "--multiplex=rounds", "a"], "exclude each other"),
                                 (["--cross-host", "a"], "goes only with lauka compare, lauka gate\n"),
                                 (["--chip=M1", "a"], "--chip goes only with lauka list\n"),
                                 (["doctor", "--html"], "--html goes only with commands to run, "),
                                 (["list", "--pin=0"], "goes only with commands to run, lauka noise, lauka revisions\n")):
            done = self.session(*arguments, code=2)
            self.assertIn(words, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)


MISSING = 2 ** 64 - 1


def unpacked(packed):
    """Unpacks values as the schema describes it."""
    planes, count = zlib.decompress(base64.b64decode(packed["zlib"])), packed["count"]
    assert len(planes) == count * packed["bytes"]
    codes = [sum(planes[b * count + i] << 8 * b for b in range(packed["bytes"])) for i in range(count)]
    values, value = [], int(packed.get("base", 0))
    for code in codes:
        if "base" in packed:
            value = int(packed["base"]) + code
        else:
            value += -(code + 1 >> 1) if code & 1 else code >> 1
        values.append((value - 1) % 2 ** 64)
    return [None if value == MISSING else value for value in values]


class RoomOfResults(InScratch):
    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def session(self, *arguments, code=0):
        done = lauka("-q", *arguments, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def pretend(self, *arguments):
        return self.session("--backend=simulated", "--seed=1", *arguments)

    def test_long_series_are_packed_and_can_be_had_plain(self):
        self.pretend("-r10001", "-e", "instructions", "--json=packed", "a")
        self.pretend("-r10001", "-e", "instructions", "--json=plain", "--samples=plain", "a")
        packed, plain = json.loads(self.text("packed")), json.loads(self.text("plain"))
        short, long = packed["results"][0], plain["results"][0]
        self.assertEqual(short["times"], long["times"])
        self.assertEqual(short["exit_codes"], long["exit_codes"])
        for name, metric in long["metrics"].items():
            if metric["values"]:
                self.assertNotIn("values", short["metrics"][name])
                self.assertEqual(unpacked(short["metrics"][name]["values_packed"]), metric["values"], name)
        self.assertEqual(unpacked(packed["run"]["order_packed"]), plain["run"]["order"])
        self.assertLess(len(self.text("packed")), len(self.text("plain")) / 2)
        for name in ("packed", "plain"):
            self.assertEqual(self.session("report", name, "--json").stdout, self.text(name))
        self.session("report", "packed", "--samples=plain", "--json=again")
        self.assertEqual(json.loads(self.text("again"))["results"], plain["results"])

    def test_json_as_gzip_is_written_and_read(self):
        self.pretend("-r5", "--json=j", "a", "b")
        self.pretend("-r5", "--json=j.json.gz", "a", "b")
        with gzip.open(self.path("j.json.gz"), "rt", encoding="utf-8") as file:
            self.assertEqual(file.read().replace("j.json.gz", "j"), self.text("j"))
        self.session("report", "j.json.gz", "--json=again.gz")
        with open(self.path("j.json.gz"), "rb") as first, open(self.path("again.gz"), "rb") as second:
            self.assertEqual(first.read(), second.read())
        self.session("compare", "j", "j.json.gz")
        self.session("gate", "j", "j.json.gz", "--gate=instructions=1%")

    def test_gzip_that_was_cut_off_is_refused(self):
        self.pretend("-r5", "--json=j.gz", "a")
        with open(self.path("j.gz"), "rb") as file:
            content = file.read()
        with open(self.path("j.gz"), "wb") as file:
            file.write(content[:-20])
        done = lauka("report", self.path("j.gz"))
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
        self.assertIn("j.gz: is damaged or cut off, as gzip", done.stderr)


class Units(InScratch):
    """Stored results may have rounds that share a process or a host."""

    def document(self, kind, rounds_of_one, rounds=40):
        done = lauka("-q", "--backend=simulated:effects", "--seed=1", f"-r{rounds}", "--json", "a",
                     "b cost=10.4ms", cwd=self.folder)
        document = json.loads(done.stdout)
        document["benchmarks"][0]["units"] = {"kind": kind, "count": rounds // rounds_of_one,
                                              "of": [i // rounds_of_one for i in range(rounds)]}
        with open(self.path("units"), "w", encoding="utf-8") as file:
            json.dump(document, file)

    def report(self, *options):
        done = lauka("report", "units", *options, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_spread_of_units_and_within_them_is_told(self):
        self.document("process", 5)
        document = json.loads(self.report("--json"))
        wall = document["comparisons"][0]
        self.assertEqual((wall["metric"], wall["units"], wall["pairs"]), ("wall_time", 8, 40))
        self.assertTrue(0 <= wall["between"] < 0.02 and 0.005 < wall["within"] < 0.03, wall)
        self.assertLess(wall["low"], 1.04)
        constant = next(c for c in document["comparisons"] if c["metric"] == "major_faults")
        self.assertEqual((constant["units"], constant["within"], constant["between"]), (8, None, None))
        for told in (self.report(), self.report("--markdown")):
            self.assertRegex(" ".join(told.split()), r"; 8 processes: the change in wall time varies by [\d.<]+ % from "
                                                     r"one to the next, by 1\.\d+ % from round to round within one")

    def test_too_few_units_say_so_and_have_no_interval(self):
        self.document("host", 20)
        wall = json.loads(self.report("--json"))["comparisons"][0]
        self.assertEqual((wall["units"], wall["low"], wall["verdict"]), (2, None, "inconclusive"))
        self.assertIn("; 2 hosts: too few for an interval, which takes 3", " ".join(self.report().split()))

    def test_rounds_that_are_units_have_no_spread(self):
        self.document("round", 1)
        self.assertNotIn("units", json.loads(self.report("--json"))["comparisons"][0])


class Stored(InScratch):
    def file(self, name, text):
        with open(self.path(name), "w", newline="") as file:
            file.write(text)
        return self.path(name)

    def compare(self, *arguments):
        done = lauka("compare", "--full", *arguments, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout

    def refused(self, *arguments):
        done = lauka("compare", *arguments, cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_values_that_were_not_kept_cannot_be_had(self):
        stored, samples = self.path("r.json"), self.path("c.csv")
        lauka("-q", "-r3", "--no-samples", f"--json={stored}", "true")
        done = lauka("report", stored, f"--csv-samples={samples}")
        self.assertEqual((done.returncode, os.path.exists(samples)), (2, False))
        self.assertIn("single runs were not kept", done.stderr)

    def test_a_stored_run_gives_the_table_and_the_documents_of_the_run(self):
        for scenario in ("full", "no-pmu", "multiplexed"):
            ran = lauka("--backend", f"simulated:{scenario}", "--seed", "5", "-r", "30",
                        "--full", "--json=j", "--csv=c", "--markdown=m", "a", "b", "c d", cwd=self.folder)
            self.assertEqual(self.compare("--json=j2", "--csv=c2", "--markdown=m2", "j"), ran.stdout)
            for name in "jcm":
                self.assertEqual(open(self.path(name)).read(), open(self.path(name + "2")).read())

    def test_a_real_run_gives_the_same_table_again(self):
        ran = lauka("-r", "4", "-i", "--full", "--json=j", "true", "false", cwd=self.folder)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(self.compare("j"), ran.stdout)

    def test_plain_numbers_are_compared_under_the_names_of_their_files(self):
        self.file("old.txt", "# ms\n10.5\n11\n10\n12\n10.25\n11\n")
        self.file("new.txt", "9.5\n10\n9\n11\n9.25\n10\n")
        result = json.loads(self.compare("--json", "old.txt", "new.txt"))
        self.assertEqual([r["command"] for r in result["results"]], ["old.txt", "new.txt"])
        value = result["results"][0]["metrics"]["value"]
        self.assertEqual(value["values"], [10.5, 11, 10, 12, 10.25, 11])
        self.assertEqual((value["min"], value["max"]), (10, 12))
        comparison = result["comparisons"][0]
        self.assertEqual((comparison["metric"], comparison["pairs"]), ("value", 6))
        self.assertAlmostEqual(comparison["mean_ratio"], 58.75 / 64.75)

    def test_the_percentile_that_changed_is_in_the_answer(self):
        def answer(slow, times, typical=1):
            for name, share, factor, scale in ("old", 8, 1, 1), ("new", slow, times, typical):
                self.file(name, "".join(f"{scale * (100 + i * 7919 % 1000 / 50) * (factor if i % 1000 < share else 1)}\n"
                                        for i in range(4000)))
            return " ".join(self.compare("old", "new").split("\n\n")[0].split())
        self.assertRegex(answer(32, 4), r"; its p99 is 3\.\d+ times as high \[3\.\d+, 3\.\d+\]: 4\d\d[.\d]* against 1\d\d[.\d]*\.$")
        self.assertNotIn("; its p", answer(8, 1))  # nothing changed
        self.assertNotIn("; its p", answer(8, 1, typical=1.1))  # all of it did
        self.assertRegex(answer(32, 1.2), r"; its p99[.\d]* is 1\d\.?\d* % higher \[")

    def test_values_with_zeros_say_what_their_tails_and_means_do(self):
        def answer(every):
            draw = random.Random(7)
            for name, typical, slow in ("old", 1.5, 0), ("new", 1.2, 0.1):
                self.file(name, "".join(f"{0 if i % every == every - 1 else draw.gauss(typical, 0.1) * (40 if draw.random() < slow else 1):.4f}\n"
                                        for i in range(400)))
            return " ".join(self.compare("old", "new").split("\n\n")[0].split())
        self.assertRegex(answer(50), r"^`new` is 0\.[23]\d* lower than `old`.*: mean [\d.]+ against [\d.]+; but the mean is higher; "
                                     r"its p9\d[.\d]* is \d\d[.\d]* higher \[\d[\d.]*, \d[\d.]*\]: \d\d[.\d]* against 1\.\d+\.$")
        self.assertRegex(answer(500), r"^`new` is 1\d[.\d]* % lower .*; but the mean is \d\.\d times as high \[")
        self.assertRegex(answer(3), r"^`new` is \d\.\d times as high as `old` \[\d\.\d, \d\.\d\]")  # by the means

    def test_one_file_gives_its_summary(self):
        self.file("a.txt", "1\n2\n3\n")
        table = self.compare("a.txt")
        self.assertIn("3 values of a.txt", table)
        self.assertRegex(table, r"value +2")
        self.assertNotIn("reference", table)

    def test_documents_hold_stored_values_in_their_own_unit(self):
        self.file("a.txt", "1.5\n2.5\n")
        row = list(csv.DictReader(io.StringIO(self.compare("--csv", "a.txt"))))[0]
        self.assertEqual((float(row["value_mean"]), float(row["value_max"])), (2, 2.5))
        self.assertIn("2.000", self.compare("--markdown", "a.txt"))

    def test_a_column_of_csv(self):
        self.file("a.csv", 'id,"time, ms"\r\n1,5\r\n2,\r\n3,"7"\r\n')
        result = json.loads(self.compare("--json", "--column", "time, ms", "a.csv"))
        self.assertEqual(result["results"][0]["metrics"]["time, ms"]["values"], [5, None, 7])
        self.assertEqual(self.compare("--column", "2", "a.csv"),
                         self.compare("--column", "time, ms", "a.csv"))

    def test_rows_of_our_own_csv_are_not_values_of_one_command(self):
        lauka("--backend", "simulated", "--seed", "1", "-r", "5", "--csv=s.csv", "--csv-samples=r.csv", "a", "b", cwd=self.folder)
        for column, name, names in ("wall_time_mean", "s.csv", "ab"), ("wall_time", "r.csv", "ba"):
            self.assertEqual(self.refused("--column", column, name),
                             "lauka: {}:3: has rows of `{}` and `{}`, which are not values of one of them: "
                             "take the JSON of lauka or hyperfine instead\n".format(name, *names))

    def test_hyperfines_json(self):
        self.file("h.json", json.dumps({"results": [
            {"command": "a", "times": [0.5, 0.25], "exit_codes": [0, 0], "parameters": {"n": "1"}},
            {"command": "b", "times": [1, 0.5], "exit_codes": [0, None], "parameters": {}}]}))
        result = json.loads(self.compare("--json", "h.json"))
        self.assertEqual(result["results"][0]["times"], [0.5, 0.25])
        self.assertEqual(result["results"][1]["exit_codes"], [0, None])
        self.assertAlmostEqual(result["comparisons"][0]["mean_ratio"], 2)

    def test_different_counts_are_compared_without_pairs(self):
        self.file("a.txt", "1\n2\n3\n")
        self.file("b.txt", "1\n2\n3\n4\n")
        table = self.compare("a.txt", "b.txt")
        self.assertIn("3 values of a.txt", table)
        self.assertIn("4 values of b.txt", table)
        self.assertIn("not paired", table)
        self.assertIn("not paired", self.compare("a.txt", "a.txt"))
        self.assertIn("paired by position", self.compare("--paired", "a.txt", "a.txt"))
        self.assertIn("--paired needs as many", self.refused("--paired", "a.txt", "b.txt"))
        self.assertIn("not paired", self.compare("--unpaired", "a.txt", "a.txt"))
        self.assertIn("--paired and --unpaired exclude each other", self.refused("--paired", "--unpaired", "a.txt", "a.txt"))
        with open(self.path("options"), "w", encoding="ascii") as file:
            file.write("--unpaired\n")  # what is typed replaces it
        self.assertIn("paired by position", self.compare("--config", self.path("options"), "--paired", "a.txt", "a.txt"))

    def test_an_unpaired_comparison_can_be_stored_and_read(self):
        self.file("a.txt", "1\n2\n3\n")
        self.file("b.txt", "1.5\n2\n3\n4\n")
        table = self.compare("--json=j", "a.txt", "b.txt")
        self.assertEqual(self.compare("j"), self.compare("a.txt", "b.txt"), table)

    def test_a_result_can_come_from_a_pipe(self):
        done = subprocess.run([LAUKA, "compare", "--full", "-"], input="1\n2\n", capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 values of -", done.stdout)

    def test_what_is_wrong_with_a_file_is_said_with_its_place(self):
        self.file("good.txt", "1\n2\n")
        self.file("bad.txt", "1\n2\n\nx\n")
        self.file("bad.csv", "a,b\n1,2\n3\n")
        self.file("bad.json", '{"results": [\n{"command": "a",\n "times": [1,\n -1]}]}')
        self.file("cut.json", '{"results": [\n')
        self.file("new.json", '{"schema": "lauka-result/3.0", "results": [{}]}')
        self.file("empty", "")
        for arguments, place in ((["good.txt", "bad.txt"], "bad.txt:4: `x`"),
                                 (["--column", "b", "bad.csv"], "bad.csv:3: "),
                                 (["bad.csv"], "bad.csv:1: has several columns"),
                                 (["bad.json"], "bad.json:4: results[0].times[1]: `-1`"),
                                 (["cut.json"], "cut.json:2: "), (["new.json"], "new.json: schema"),
                                 (["empty"], "empty: "), (["good.txt", "missing"], "missing: "),
                                 (["--primary", "x", "good.txt"], '"x"'),
                                 (["."], ".: Is a directory"), ([], "no file")):
            self.assertIn(place, self.refused(*arguments))

    def test_a_refused_file_leaves_documents_alone(self):
        self.file("bad.txt", "x\n")
        self.file("j", "precious")
        self.refused("--json=j", "bad.txt")
        self.assertEqual(open(self.path("j")).read(), "precious")

    def test_text_of_a_file_can_not_drive_the_terminal(self):
        self.file("bad.txt", "1\n\033]0;owned\007\n")
        self.assertNotIn("\033", self.refused("bad.txt"))

    def test_values_below_one_keep_their_digits_in_every_writer(self):
        self.file("a", "".join(f"{0.00371 + i * 0.00001:.5f}\n" for i in range(1, 9)))
        self.file("b", "".join(f"{0.00412 + i * 0.00001:.5f}\n" for i in range(1, 9)))
        self.file("c", "".join(f"{0.000012 + i * 0.0000001:.7f}\n" for i in range(1, 9)))
        shown = self.compare("a", "b", "--percentiles")
        self.assertIn("0.004165 against 0.003755.", " ".join(shown.split()))
        self.assertIn("0.003755 ± 0.000024  0.003720 … 0.003790", shown)
        self.assertRegex(shown, r" 50 +0\.003750 +0\.004160 ")
        for writer in "--markdown", "--html":
            self.assertIn("0.003755", self.compare("a", "b", writer))
        self.assertIn("3755 µ against 12.45 µ.", " ".join(self.compare("c", "a").split()))

    def test_too_few_values_are_told_how_many_it_takes(self):
        self.file("fives", "5\n" * 3)
        self.file("sixes", "6\n" * 3)
        self.file("count", "1\n2\n3\n4\n5\n")
        self.file("one", "3\n")
        self.assertIn("3 values; an interval needs at least 4 of each; mean",
                      " ".join(self.compare("fives", "sixes").split()))
        self.assertIn("5 values; an interval needs at least 6; mean",
                      " ".join(self.compare("--paired", "count", "count").split()))
        self.assertIn("has the mean 3, its only value.", self.compare("one"))
        for name, text in ("fives", "5\n" * 4), ("sixes", "6\n" * 4), ("count", "1\n2\n3\n4\n5\n6\n"):
            self.file(name, text)
        self.assertNotIn("exact", self.compare("fives", "sixes"))  # what a text rounds, nobody knows
        self.assertNotIn("[0, 0]", self.compare("--paired", "count", "count"))

    def test_sixty_columns_keep_the_interval(self):
        self.file("a", "".join(f"{100 + i % 7}\n" for i in range(40)))
        self.file("b", "".join(f"{108 + i % 9}\n" for i in range(40)))
        done = subprocess.run([LAUKA, "compare", "--full", "a", "b"], capture_output=True, text=True, cwd=self.folder,
                              env={**os.environ, "COLUMNS": "60"})
        row = [line for line in done.stdout.splitlines() if line.split()[:1] == ["value"]][1]
        self.assertRegex(row, r"\[\+[\d.]+, \+[\d.]+\]")
        self.assertEqual(row.count("±"), row.count(" ± "))
