"""What hyperfine's own tests of its program require, under their names. README.md says which are kept."""
import json
import re

from run import InScratch, lauka, result_of

MISSING = "some-program-that-nobody-has"


class Integration(InScratch):
    def succeeds(self, *arguments):
        done = lauka("-q", *arguments, cwd=self.folder)
        self.assertEqual(done.returncode, 0, (arguments, done.stderr))
        return done.stdout

    def fails(self, code, says, *arguments):
        done = lauka("-q", *arguments, cwd=self.folder)
        self.assertEqual(done.returncode, code, (arguments, done.stderr))
        self.assertIn(says, done.stderr)
        return done

    def labels(self, *arguments):
        result = result_of("--backend", "simulated", "-r1", *arguments)
        return [r["command"] for r in result["results"]]

    def test_runs_successfully(self):
        self.succeeds("--runs=2", "echo dummy benchmark")

    def test_one_run_is_supported(self):
        self.assertIn("in the one round", self.succeeds("--runs=1", "echo dummy benchmark"))

    def test_can_run_commands_without_a_shell(self):
        for none in ("--shell=none", "-N", "--no-shell"):
            self.assertIn("hello  world argument2\n", self.succeeds(
                "-r1", "--show-output", none, "echo 'hello  world' argument2"))

    def test_fails_with_wrong_number_of_command_name_arguments(self):
        self.fails(2, "2 times for 1 command", "--command-name=a", "--command-name=b", "echo a")

    def wrong_numbers(self, hook):
        a, b = f"--{hook}=echo a", f"--{hook}=echo b"
        self.succeeds("-r1", a, b, "echo a", "echo b")
        self.succeeds("-r1", f"--{hook}=echo ref", a, b, "--reference=echo ref", "echo a", "echo b")
        self.fails(2, f"--{hook} is given 2 times for 3 commands", a, b, "echo a", "echo b", "echo c")
        self.fails(2, f"--{hook} is given 2 times for 3 commands", a, b, "--reference=echo ref",
                   "echo a", "echo b")

    def test_fails_with_wrong_number_of_prepare_options(self):
        self.wrong_numbers("prepare")

    def test_fails_with_wrong_number_of_conclude_options(self):
        self.wrong_numbers("conclude")

    def test_fails_with_duplicate_parameter_names(self):
        self.fails(2, "x is given twice", "--parameter-list", "x", "1,2,3", "--parameter-list", "x",
                   "a,b,c", "echo test")

    def test_fails_for_unknown_command(self):
        self.fails(5, "failed with exit code 127", "-r1", "-S", MISSING)

    def test_fails_for_unknown_command_without_shell(self):
        self.fails(5, f"{MISSING}: ", "-r1", "--shell=none", MISSING)

    def test_fails_for_failing_command_without_shell(self):
        self.fails(5, "false: failed with exit code 1", "-r1", "--shell=none", "false")

    def test_fails_for_unknown_setup_command(self):
        self.fails(5, "its setup command failed with exit code 127", "-r1", f"--setup={MISSING}", "true")

    def test_fails_for_unknown_cleanup_command(self):
        self.fails(5, "its cleanup command failed with exit code 127", "-r1", f"--cleanup={MISSING}",
                   "true")

    def test_fails_for_unknown_prepare_command(self):
        self.fails(5, "its preparation command failed with exit code 127", f"--prepare={MISSING}", "true")

    def test_fails_for_unknown_conclude_command(self):
        self.fails(5, "its conclusion command failed with exit code 127", f"--conclude={MISSING}", "true")

    def test_can_run_failing_commands_with_ignore_failure_option(self):
        self.fails(5, "exit code 1", "false")
        for option in ("--ignore-failure", "-i"):
            self.succeeds("-r1", option, "false")

    def test_can_ignore_specific_exit_codes(self):
        self.succeeds("-r1", "-S", "--ignore-failure=1", "exit 1")
        self.fails(5, "exit code 2", "-r1", "-S", "--ignore-failure=1", "exit 2")

    def test_can_ignore_multiple_exit_codes(self):
        for code in (1, 2, 3):
            self.succeeds("-r1", "-S", "--ignore-failure=1,2,3", f"exit {code}")
        self.fails(5, "exit code 4", "-r1", "-S", "--ignore-failure=1,2,3", "exit 4")

    def test_ignore_failure_with_all_non_zero(self):
        for option in ("--ignore-failure=all-non-zero", "-i=all-non-zero"):
            self.succeeds("-r1", "-S", option, "exit 5")
        self.fails(2, "none", "-r1", "-i=none", "true")

    def test_shows_output_of_benchmarked_command(self):
        shown = self.succeeds("-w0", "-r2", "--command-name=dummy", "--show-output", "echo 4fd47015")
        self.assertEqual(shown.count("4fd47015"), 2)

    def test_runs_commands_using_user_defined_shell(self):
        self.assertIn("custom_shell --shell-arg -c echo benchmark\n", self.succeeds(
            "-r1", "--show-output", "--shell", "echo 'custom_shell' '--shell-arg'", "echo benchmark"))

    def test_can_pass_input_to_command_from_a_file(self):
        with open(self.path("input.txt"), "w") as file:
            file.write("This text is part of a file\n")
        self.assertIn("This text is part of a file\n", self.succeeds(
            "-r1", "--input=input.txt", "--show-output", "cat"))

    def test_fails_if_invalid_stdin_data_file_provided(self):
        self.fails(2, "input.txt: No such file", "-r1", "--input=input.txt", "cat")

    def test_returns_mean_time_in_correct_unit(self):
        for unit, short in (("nanosecond", "ns"), ("microsecond", "µs"), ("millisecond", "ms"),
                            ("second", "s"), ("us", "µs"), ("ms", "ms")):
            for option in (["--time-unit", unit], ["-u", unit]):
                done = lauka("--backend", "simulated", "-r3", *option, "a", env={"LC_ALL": "C.UTF-8"})
                row = next(line for line in done.stdout.splitlines() if "wall_time " in line)
                self.assertRegex(row, rf"^ *wall_time +[\d.]+ ± [\d.]+ +{short} ", option)
        self.fails(2, "fortnight", "-u", "fortnight", "true")

    def test_performs_ten_runs_for_slow_commands(self):
        self.assertEqual(result_of("sleep 0.51")["run"]["rounds"], 10)

    def test_shows_benchmark_comparison_with_relative_times(self):
        shown = self.succeeds("-r8", "-w0", "sleep 0.05", "sleep 0.4")
        factor, low, high = map(float, re.search(
            r"`sleep 0.4` takes ([\d.]+) times as long as\s`sleep 0.05` \[([\d.]+),\s([\d.]+)\]",
            shown).groups())
        self.assertTrue(1 < low <= factor <= high, shown)  # as exact as a busy machine allows

    def test_shows_benchmark_comparison_with_same_time(self):
        result = result_of("-r10", "-n", "A", "-n", "B", "sleep 0.01", "sleep 0.01", "sleep 0.03")
        self.assertEqual([r["command"] for r in result["results"]], ["A", "B", "sleep 0.03"])

    def test_shows_benchmark_comparison_relative_to_reference(self):
        shown = " ".join(self.succeeds("--full", "-r2", "-w0", "--reference=sleep 0.3", "true", "sleep 1.2").split())
        self.assertIn("runs of sleep 0.3 (reference)", shown)
        self.assertRegex(shown, r"wall_time .* ÷\d\d")  # 0.3 s against a thousandth of that
        self.assertRegex(shown, r"wall_time .* ×[34]")

    def test_shows_reference_name(self):
        shown = self.succeeds("--full", "-r2", "--reference=true", "--reference-name=refabc123", "true")
        self.assertIn("2 runs of refabc123  (reference)", shown)

    SCAN = ("--parameter-scan", "time", "30", "45", "--parameter-step-size", "5", "sleep {time}")

    def test_performs_all_benchmarks_in_parameter_scan(self):
        self.assertEqual(self.labels(*self.SCAN), ["sleep 30", "sleep 35", "sleep 40", "sleep 45"])

    def test_performs_reference_and_all_benchmarks_in_parameter_scan(self):
        self.assertEqual(self.labels("--reference=sleep 25", *self.SCAN),
                         ["sleep 25", "sleep 30", "sleep 35", "sleep 40", "sleep 45"])

    def test_intermediate_results_are_not_exported_to_stdout(self):
        shown = self.succeeds("-r2", "--style=none", "--metrics=wall_time", "--export-markdown", "-",
                              "true", "false -x", "-i")
        self.assertTrue(shown.startswith("`"), shown)
        self.assertEqual(shown.count("| Command |"), 1)

    def test_exports_intermediate_results_to_file(self):
        done = self.fails(5, "false: failed", "--runs=1", "--order=sequential", "--full", "--export-markdown",
                          "results.md", "true", "false")
        self.assertIn("1 run of true", done.stdout)
        with open(self.path("results.md")) as file:
            self.assertIn("true", file.read())

    def test_unused_parameters_are_shown_in_benchmark_name(self):
        self.assertEqual(self.labels("--parameter-list", "branch", "master,feature", "echo test"),
                         ["echo test (branch = master)", "echo test (branch = feature)"])

    def test_speed_comparison_sort_order(self):
        sleeps = ("-r2", "-w0", "sleep 0.02", "sleep 0.9", "sleep 0.001")
        for order, labels in (("mean-time", ["0.02", "0.001", "0.9"]), ("command", ["0.02", "0.9", "0.001"]),
                              ("auto", ["0.02", "0.9", "0.001"])):
            shown = self.succeeds("--full", f"--sort={order}", *sleeps)
            self.assertEqual(re.findall(r"^2 runs of sleep ([\d.]+)", shown, re.M), labels)
        self.fails(2, "speed", "--sort=speed", *sleeps)


class Rounds(InScratch):
    def rounds(self, *arguments):
        return result_of("--backend", "simulated", *arguments, "a")["run"]["rounds"]

    def test_there_are_at_least_and_at_most_so_many(self):
        for least, most in (("-m", "-M"), ("--min-runs", "--max-runs")):
            self.assertEqual(self.rounds(most, "3"), 3)
            self.assertGreaterEqual(self.rounds(least, "77"), 77)
            self.assertEqual(self.rounds(least, "4", most, "4"), 4)
        done = lauka("-m", "5", "-M", "4", "true")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))

    def test_a_duration_is_in_milliseconds_as_poops(self):
        for option in (["-d", "300"], ["--duration", "300"], ["--max-time", "0.3"]):
            measured = result_of("--until", "0", *option, "sleep 0.01")["run"]["measured"]
            self.assertTrue(0.25 < measured < 15, (option, measured))

    def test_the_time_of_hooks_and_shells_is_part_of_the_budget(self):
        for more in (["-p", "sleep 0.2"], ["-C", "sleep 0.2"], ["-p", "sleep 0.1", "-C", "sleep 0.1"]):
            run_ = result_of("-w0", "-d", "600", *more, "true")["run"]
            self.assertTrue(1 <= run_["rounds"] <= 3, (more, run_["rounds"]))  # not hundreds

    def test_as_perf_stat_is_called(self):
        result = result_of("-r", "10", "--", "echo", "a  b", "$c")
        self.assertEqual((result["run"]["rounds"], result["results"][0]["argv"]),
                         (10, ["echo", "a  b", "$c"]))


class Shown(InScratch):
    def metrics(self, *arguments):
        shown = lauka("--backend", "simulated", "-r3", *arguments, "a", env={"LC_ALL": "C.UTF-8"}).stdout
        return re.findall(r"^ *([a-z]\w+) +\S+ ± \S+ +(\S*)", shown, re.M)

    def test_metrics_are_those_asked_for_in_their_units(self):
        self.assertEqual(self.metrics("--metrics", "wall_time:us,peak_rss:KiB"),
                         [("wall_time", "µs"), ("peak_rss", "KiB")])
        time = [name for name, _ in self.metrics("--metrics", "time")]
        self.assertCountEqual(time, ["wall_time", "cpu_time", "user_time", "system_time"])
        self.assertIn("cycles", [name for name, _ in self.metrics("--metrics=all")])

    def test_hyperfines_names_are_aliases(self):
        theirs = "time_wall_clock,time_cpu,time_user,time_system,memory_peak_resident"
        ours = ["wall_time", "cpu_time", "user_time", "system_time", "peak_rss"]
        self.assertCountEqual([name for name, _ in self.metrics("--metrics", theirs)], ours)
        counters = "cpu_cycles,instructions,cache_references,cache_misses,branch_misses"
        self.assertEqual([name for name, _ in self.metrics("--metrics", counters)],
                         ["cycles", *counters.split(",")[1:]])
        done = lauka("--metrics", "time_of_day", "true")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("there are wall_time, user_time", done.stderr)
        for arguments in (("--metrics", "all,wal_time"), ("--primary", "cpu_time,wal_time")):
            self.assertIn('"wal_time" (did you mean wall_time?)', lauka(*arguments, "true").stderr)

    def test_presets_may_be_parts_of_a_list(self):
        def names(text):
            return [name for name, _ in self.metrics("-e", "none", "--metrics", text)]
        self.assertIn("major_faults", names("all"))
        self.assertCountEqual(names("time,peak_rss"), [*names("time"), "peak_rss"])
        self.assertCountEqual(names("peak_rss,time"), [*names("time"), "peak_rss"])
        for text in ("default", "default,peak_rss", "time,default"):
            self.assertEqual(set(names(text)), set(names("default")))
        self.assertEqual(set(names("default,all")), set(names("all")))

    def test_styles(self):
        for style in ("auto", "basic", "full", "nocolor", "color"):
            shown = lauka("--backend", "simulated", "-r3", "--style", style, "a", "b").stdout
            self.assertIn("wall_time", shown)
            self.assertEqual("\033[" in shown, style in ("full", "color"), style)
        self.assertEqual(lauka("--backend", "simulated", "-r3", "--style=none", "a").stdout, "")
        self.assertEqual(lauka("--style", "loud", "true").returncode, 2)

    def test_exports_are_the_documents(self):
        self.assertEqual(lauka("--backend", "simulated", "-r3", "--export-json", self.path("j"), "--export-csv",
                               self.path("c"), "--export-markdown", self.path("m"), "a", "b").returncode, 0)
        self.assertEqual(len(json.load(open(self.path("j")))["results"]), 2)
        self.assertTrue(open(self.path("c")).read().startswith("command,mean,stddev,median,user,system,min,max"))
        self.assertIn("| Command | Mean ± σ |", open(self.path("m")).read())
