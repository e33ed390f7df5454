"""What happens to the files that results are written to, and to their old content. run.py runs these
tests."""
import json
import os
import resource
import signal
import subprocess

import run
from run import InScratch, lauka, lauka_as_nobody
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
