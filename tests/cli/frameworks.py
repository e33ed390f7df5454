"""What programs with benchmarks of other frameworks do and write, imitated: failures, words for numbers that are none,
names that look like something else."""
import json
import shlex
import textwrap

from run import InScratch, lauka

# Each runs BENCH for a name and a number of rounds. What is shell's own costs a millisecond.
GO = r"""#!/bin/sh
# test.benchtime
bench= count=1 listed=
for word; do
    case $word in
    -test.bench=*) bench=${word#*=} ;;
    -test.count=*) count=${word#*=} ;;
    -test.benchtime=1x) listed=1 ;;
    esac
done
bench=$(printf %s "$bench" | sed 's:\$/^:/:g')
wants() { [ "$bench" = . ] || printf '%s\n' "$1" | grep -qE "$bench"; }
result() { # NAME TEXT
    wants "$1" || return 0
    for round in $(seq "$count"); do printf '%s \t 10000\t %s\n' "$2" "${3:-100 ns/op}"; done
}
BODY
"""

GBENCH = r"""#!/bin/sh
# benchmark_list_tests
out= count=1 filter= listed=
for word; do
    case $word in
    --benchmark_list_tests=true) listed=1 ;;
    --benchmark_repetitions=*) count=${word#*=} ;;
    --benchmark_filter=*) filter=${word#*=^} filter=${filter%?} filtered=1 ;;
    --benchmark_out=*) out=${word#*=} ;;
    esac
done
names="one two" noise= times='"real_time": 100, "cpu_time": 50, "time_unit": "ns"' more=
name_more() { :; }
entry() { # NAME TYPE TEXT
    printf '%s{"name": "%s", "run_name": "%s", "run_type": "%s", "iterations": 1000, %s}' "$comma" "$1" "$1" "$2" "$3"
    comma=,
}
entries() { for round in $(seq "$count"); do entry "$1" iteration "$times$more"; done; }
BODY
[ -z "$noise" ] || echo "$noise"
if [ "$listed" ]; then
    [ "$filtered" ] || printf '%s\n' $names
    exit
fi
document() {
    printf '{\n "context": {}, "benchmarks": ['
    for name in $names; do
        case $filter in '' | "$name") entries "$name" ;; esac
    done
    echo ']}'
}
document
"""

CRITERION = r"""#!/bin/sh
# CRITERION_HOME
names="one --x" exact=
case " $* " in *" --list "*)
    for name in $names; do echo "$name: benchmark"; done
    END
    exit ;;
esac
while [ $# -gt 0 ]; do
    [ "$1" != --exact ] || { shift; case $1 in --) exact=$2; break ;; -*) exit 2 ;; *) exact=$1 ;; esac; }
    shift
done
for name in $names; do
    [ -z "$exact" ] || [ "$exact" = "$name" ] || continue
    mkdir -p "$CRITERION_HOME/$name/new"
    echo "{\"full_id\":\"$name\"}" >"$CRITERION_HOME/$name/new/benchmark.json"
    echo '{"iters":[1,2,3,4,5,6,7,8,9,10,11],"times":[TIMES]}' >"$CRITERION_HOME/$name/new/sample.json"
done
"""

PYTEST = r"""#!/bin/sh
# import pytest
names="test_a.py::one test_a.py::two" more= status=0 rounds=1
for word; do
    case $word in
    --benchmark-json=*) out=${word#*=} ;;
    --benchmark-min-rounds=*) rounds=${word#*=} ;;
    esac
done
BODY
comma=
{
    printf '{"benchmarks": ['
    for name in $names; do
        data=1e-5
        for round in $(seq 2 "$rounds"); do data="$data, 1e-5"; done
        printf '%s{"fullname": "%s", "extra_info": {%s}, "stats": {"data": [%s], "iterations": 10}}' \
            "$comma" "$name" "$more" "${times:-$data}"
        comma=,
    done
    echo ']}'
} >"$out"
exit $status
"""

SPEAKER = r"""#!/bin/sh
exec <"/dev/fd/${LAUKA_BENCH_FDS%,*}" 3>"/dev/fd/${LAUKA_BENCH_FDS#*,}"
while read -r word name iterations seed; do
    case $word in
    hello) echo hello 1 ;;
    list) echo benchmark one; BODY; echo benchmark two; echo ok; listed=1 ;;
    run) sleep "$((100 * iterations))e-9"; echo ok $((100 * iterations)) - ;;
    *) break ;;
    esac
done >&3
END
"""

GO_TWO = "result BenchmarkOne BenchmarkOne-2; {} result BenchmarkTwo BenchmarkTwo-2; {}"


class Frameworks(InScratch):
    def program(self, name, text, body="", **more):
        for word, value in {"BODY": textwrap.dedent(body) or ":", "END": "", "TIMES": "1,2,3,4,5,6,7,8,9,10,11", **more}.items():
            text = text.replace(word, value)
        self.script(name, text)

    def suite(self, *arguments, code=0):
        done = lauka("suite", "--no-config", "--json", "-r2", *arguments, "./base", "./head", cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout[-500:] + done.stderr)
        return json.loads(done.stdout) if done.stdout else None, done.stderr

    def same(self, text, body="", *arguments, code=0, **more):
        for name in "base", "head":
            self.program(name, text, body, **more)
        return self.suite(*arguments, code=code)

    def rounds(self, result):
        return {entry["benchmark"]: len(entry["times"]) for entry in result["results"]}


class SharedProcesses(Frameworks):
    def test_each_benchmark_pays_its_part_of_a_process_that_runs_all(self):
        """Whichever has it run: so both end by their own time, and forecasts of both are true."""
        done, _ = self.same(PYTEST, "sleep 0.1", "-r20")
        measured = [benchmark["measured"] for benchmark in done["benchmarks"]]
        self.assertEqual(len(measured), 2)
        self.assertGreater(min(measured), 0.5 * max(measured), measured)
        self.assertGreater(sum(measured), 2)  # ten units of two processes


class FailuresWhenListed(Frameworks):
    def is_told(self, text, body, words, tail, **more):
        self.program("base", text)
        self.program("head", text, body, **more)
        result, stderr = self.suite("--gate=wall_time=900%", "--junit=j.xml", "--pr-comment=c.md", code=5)
        self.assertIn(f"lauka: list of benchmarks: ./head: was asked for its benchmarks, and {words}: some may be missing\n",
                      stderr)
        self.assertIn(tail, stderr)
        self.assertEqual(min(set(self.rounds(result).values()) - {0}), 2)  # the others go on
        with open(self.path("j.xml")) as file:
            self.assertIn("was asked for its benchmarks, and " + words, file.read())
        with open(self.path("c.md")) as file:
            self.assertIn("ended with an error", next(line for line in file if line.startswith("### \u274c")))
        with open(self.path("s.json"), "w") as file:
            json.dump(result, file)
        self.assertEqual(lauka("gate", "--gate=wall_time=900%", "s.json", cwd=self.folder).returncode, 5)

    def test_of_go(self):
        """The head fails when it is listed, and not when it is run."""
        for between, end, words, tail in (
                ("echo 'panic: no database' >&2; exit 2", ":", "failed with exit code 2", "  | panic: no database\n"),
                ("kill -SEGV $$", ":", "was ended by SIGSEGV (signal 11, Segmentation fault)", "  | BenchmarkOne-2"),
                ("exit 0", ":", "ended with exit code 0 before its benchmarks were through", "  | BenchmarkOne-2"),
                ("echo '--- FAIL: BenchmarkX'", "echo FAIL; exit 1", "failed with exit code 1", "  | --- FAIL: BenchmarkX\n")):
            with self.subTest(words):
                fails = 'if [ "$listed" ] && [ "$0" = ./head ]; then {}; fi;'
                steps = GO_TWO.format(fails.format(between), fails.format(end) + " echo PASS")
                self.is_told(GO.replace("BODY", steps), "", words, tail)

    def test_of_google_benchmark(self):
        self.is_told(GBENCH, """
            if [ "$listed" ]; then echo one; echo 'no data set' >&2; kill -SEGV $$; fi
            """, "was ended by SIGSEGV (signal 11, Segmentation fault)", "  | no data set\n")
        self.is_told(GBENCH, 'noise="Loading ..."; trap \'[ -z "$listed" ] || exit 3\' EXIT', "failed with exit code 3", "")
        with open(self.path("s.json")) as file:
            self.assertNotIn("Loading", file.read())

    def test_of_criterion(self):
        self.is_told(CRITERION, "", "failed with exit code 101", "  | panicked\n", END="echo panicked >&2; exit 101")

    def test_of_pytest(self):
        """A test that fails after its benchmark is in the JSON like the others."""
        self.program("base", PYTEST)
        self.program("head", PYTEST, "echo 'FAILED test_a.py::two - assert 99 == 4950'; status=1")
        _, stderr = self.suite("--gate=wall_time=900%", code=5)
        self.assertIn("list of benchmarks: ./head: was asked for its benchmarks, and failed with exit code 1", stderr)
        self.assertIn("  | FAILED test_a.py::two - assert 99 == 4950\n", stderr)
        self.assertIn("test_a.py::one: ./head: failed with exit code 1", stderr)  # nobody knows which of them it was

    def test_of_lauka_bench(self):
        self.is_told(SPEAKER, "", "failed with exit code 4", "  | no disk\n", END='[ -z "$listed" ] || { echo no disk >&2; exit 4; }')
        self.is_told(SPEAKER, "kill -9 $$", "ended before it answered: its process was ended by SIGKILL (signal 9, Killed)", "")

    def test_without_a_name_nothing_is_measured(self):
        for text, body in (GO, "echo 'no license' >&2; exit 2"), (PYTEST, "echo 'no license'; exit 5"):
            _, stderr = self.same(text, body, "--gate=wall_time=1%", code=5)
            self.assertRegex(stderr, r"lauka: ./base was asked for its benchmarks, and failed with exit code \d; "
                                     r"it wrote last: (stdout: \| )?no license\n")

    def test_it_is_no_list_to_print(self):
        self.program("base", GO, GO_TWO.format("exit 1;", ""))
        done = lauka("suite", "--no-config", "--list-benchmarks", "./base", "./base", cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (5, ""))
        self.assertIn("./base was asked for its benchmarks, and failed with exit code 1", done.stderr)

    def test_no_choice_of_benchmarks_leaves_it_out(self):
        self.program("base", GO, GO_TWO.format("", "echo PASS"))
        self.program("head", GO, GO_TWO.format('[ -z "$listed" ] || exit 1;', "echo PASS"))
        result, _ = self.suite("--benchmark=BenchmarkOne", code=5)
        self.assertEqual(self.rounds(result)["list of benchmarks"], 0)
        _, stderr = self.suite("--benchmark=BenchmarkTwo", code=5)
        self.assertIn("was asked for its benchmarks", stderr)


class FailuresOfProcesses(Frameworks):
    """Programs that start slowly run all benchmarks in one process."""
    SLOW = 'sleep 0.12; [ "$bench" ] || { echo PASS; exit; }\n'

    def test_one_that_is_named_fails_alone(self):
        result, stderr = self.same(GO, self.SLOW + GO_TWO.format(
            '[ "$listed" ] && result BenchmarkX BenchmarkX-2 || { echo "--- FAIL: BenchmarkX-2"; echo "   no disk"; };',
            '[ "$listed" ] || exit 1; echo PASS'), code=5)
        self.assertIn("BenchmarkX: ./base: says that it failed (--- FAIL)\n", stderr)
        self.assertIn("  |    no disk\n", stderr)
        self.assertEqual(self.rounds(result), {"BenchmarkOne": 2, "BenchmarkX": 0, "BenchmarkTwo": 2})

    def test_one_that_panics_takes_with_it_what_comes_after(self):
        result, stderr = self.same(GO, self.SLOW + GO_TWO.format(
            '[ "$listed" ] || { echo "panic: x" >&2; exit 2; };', "echo PASS"), code=5)
        self.assertIn("BenchmarkTwo: ./base: failed with exit code 2\n", stderr)
        self.assertIn("  | panic: x\n", stderr)
        self.assertEqual(self.rounds(result), {"BenchmarkOne": 2, "BenchmarkTwo": 0})

    def test_a_failure_that_nothing_explains_is_everybodys(self):
        result, stderr = self.same(GO, self.SLOW + GO_TWO.format("", '[ "$listed" ] || exit 1; echo PASS'), code=5)
        self.assertEqual(stderr.count("failed with exit code 1\n"), 2)
        self.assertEqual(set(self.rounds(result).values()), {0})

    def test_an_exit_with_0_in_a_benchmark_is_no_end(self):
        for body in self.SLOW, "":
            _, stderr = self.same(GO, body + GO_TWO.format("", '[ "$listed" ] || exit 0; echo PASS'), code=5)
            self.assertIn("BenchmarkTwo: ./base: ended with exit code 0 before its benchmarks were through\n", stderr)


class GoogleBenchmark(Frameworks):
    def test_counters_that_are_no_numbers_are_left_out(self):
        result, stderr = self.same(GBENCH, 'more=\', "good": 3, "ratio": NaN, "speed": -Infinity, "low": inf, "neg": -2\'')
        self.assertEqual((stderr, self.rounds(result)), ("", {"one": 2, "two": 2}))
        self.assertEqual(result["results"][0]["metrics"]["good"]["mean"], 3)
        for fault in "`ratio` is NaN", "`speed` is -Infinity", "`low` is inf", "`neg` is negative":
            self.assertIn(f"`one`: {fault} in ./base, and left out", result["benchmarks"][0]["warnings"])

    def test_a_counter_that_is_always_0_harms_nothing(self):
        result, _ = self.same(GBENCH, """
            aggregate=', "aggregate_name": "cv", "errors": NaN'
            entries() {
                for round in $(seq "$count"); do entry "$1" iteration "$times, \\"errors\\": 0"; done
                entry "$1" aggregate "$times$aggregate"
            }""")
        self.assertEqual(self.rounds(result), {"one": 2, "two": 2})

    def test_a_time_that_is_no_number_is_named(self):
        _, stderr = self.same(GBENCH, 'times=\'"real_time": NaN, "cpu_time": 1, "time_unit": "ns"\'', code=5)
        self.assertIn("one: ./base: says that its real_time is NaN\n", stderr)
        for field in '"error_occurred": true, "error_message"', '"skipped": true, "skip_message"':
            _, stderr = self.same(GBENCH, f"more=', {field}: \"needs AVX-512\"'", code=5)
            self.assertRegex(stderr, r"one: ./base: (reports an error|skipped itself): needs AVX-512\n")

    def test_an_impossible_time_is_named_and_never_green(self):
        self.program("base", GBENCH)
        for time in '1e308, "cpu_time": 1, "time_unit": "s"', '1e18, "cpu_time": 1, "time_unit": "ns"', \
                    '7e12, "cpu_time": 1, "time_unit": "ns"', '5, "cpu_time": 1e17, "time_unit": "ns"':
            self.program("head", GBENCH, f"times='\"real_time\": {time}'")
            _, stderr = self.suite("--gate=wall_time=5%", "--pr-comment=c.md", code=5)
            self.assertRegex(stderr, r"one: ./head: says that (its real_time is infinite|an iteration took .* s)")
            with open(self.path("c.md")) as file:
                self.assertIn("### \u274c lauka: 2 of 2 benchmarks ended with an error", file.read())

    def test_the_source_may_have_a_will_of_its_own(self):
        for count in 1, 2, 3, 20:
            result, _ = self.same(GBENCH, f"names='one/repeats:{count}' count={count}")
            self.assertEqual(self.rounds(result), {f"one/repeats:{count}": 2})

    def test_where_only_aggregates_are_told_the_median_is_taken(self):
        result, _ = self.same(GBENCH, """
            names=agg
            entries() {
                [ "$count" -gt 1 ] || { entry "$1" iteration "$times"; return; }
                for kind in mean median cv; do
                    [ $kind = median ] && own=120 || own=999
                    entry "$1" aggregate "\\"aggregate_name\\": \\"$kind\\", \\"real_time\\": $own, \\"cpu_time\\": 1, \\"time_unit\\": \\"ns\\""
                done
            }""")
        self.assertEqual(self.rounds(result), {"agg": 2})
        self.assertEqual(result["results"][0]["times"], [120e-9, 120e-9])
        self.assertEqual(result["benchmarks"][0]["units"]["count"], 2)

    def test_lines_that_the_program_writes_are_no_benchmarks(self):
        result, _ = self.same(GBENCH, "noise='Loading ...'")
        self.assertEqual(self.rounds(result), {"one": 2, "two": 2})
        result, _ = self.same(GBENCH, '[ "$listed" ] && names="Loading one two" filtered=')  # whatever the filter
        self.assertEqual(self.rounds(result), {"one": 2, "two": 2})

    def test_its_file_is_read_where_it_prints_meanwhile(self):
        result, _ = self.same(GBENCH.replace("\ndocument\n", '\ndocument >"$out"; echo "{"; echo done\n'))
        self.assertEqual(self.rounds(result), {"one": 2, "two": 2})

    def test_two_of_a_name_are_named(self):
        _, stderr = self.same(GBENCH, """
            names=one
            entries() {
                for family in 0 1; do
                    for round in $(seq "$count"); do entry "$1" iteration "$times, \\"family_index\\": $family"; done
                done
            }""", code=5)
        self.assertIn("one: ./base: there are several benchmarks of this name\n", stderr)
        _, stderr = self.same(GBENCH, "names=one count=$((2 * count))", code=5)
        self.assertIn("are there several benchmarks of this name?", stderr)


class Go(Frameworks):
    def names(self, body, *arguments):
        self.program("base", GO, body + "\necho PASS")
        result, stderr = self.suite_of_one(*arguments)
        return self.rounds(result), stderr

    def suite_of_one(self, *arguments, code=0):
        self.program("head", open(self.path("base")).read())
        return self.suite(*arguments, code=code)

    def test_a_number_behind_all_names_is_that_of_cpus(self):
        found, _ = self.names("result BenchmarkS/n-1 BenchmarkS/n-1-16; result BenchmarkA BenchmarkA-16")
        self.assertEqual(found, {"BenchmarkS/n-1": 2, "BenchmarkA": 2})
        found, _ = self.names("result BenchmarkS/Add BenchmarkS/Add-16; result BenchmarkS/Get BenchmarkS/Get-16")
        self.assertEqual(found, {"BenchmarkS/Add": 2, "BenchmarkS/Get": 2})

    def test_with_one_cpu_there_is_none(self):
        found, _ = self.names("for n in Add-1 Add-16 Get; do result BenchmarkS/$n BenchmarkS/$n; done")
        self.assertEqual(found, {"BenchmarkS/Add-1": 2, "BenchmarkS/Add-16": 2, "BenchmarkS/Get": 2})
        found, _ = self.names("for n in Add-16 Get-16; do result BenchmarkS/$n BenchmarkS/$n; done")
        self.assertEqual(found, {"BenchmarkS/Add-16": 2, "BenchmarkS/Get-16": 2})

    def test_with_several_numbers_they_belong_to_the_names(self):
        found, _ = self.names("for n in '' -2 -4; do result BenchmarkA BenchmarkA$n; done")
        self.assertEqual(found, {"BenchmarkA": 2, "BenchmarkA-2": 2, "BenchmarkA-4": 2})

    def test_what_a_benchmark_prints_is_not_its_result(self):
        found, stderr = self.names(r"""
            result BenchmarkA .BenchmarkA-2
            wants BenchmarkB && for round in $(seq "$count"); do printf 'BenchmarkB-2  \t...12 \t  10000\t 90 ns/op\n'; done
            wants BenchmarkC && for round in $(seq "$count"); do printf 'BenchmarkC-2\thello 7\n 3 4\n10000\t 80 ns/op\n'; done
            result BenchmarkD BenchmarkD-2""")
        self.assertEqual((found, stderr), ({f"Benchmark{letter}": 2 for letter in "ABCD"}, ""))

    def test_a_hidden_time_is_named(self):
        self.program("base", GO, "result BenchmarkA BenchmarkA-2 '3 x/op'; result BenchmarkB BenchmarkB-2 'NaN ns/op'; echo PASS")
        _, stderr = self.suite_of_one(code=5)
        self.assertIn('BenchmarkA: ./base: wrote no ns/op, which ReportMetric(0, "ns/op") hides: there is no time\n', stderr)
        self.assertIn("BenchmarkB: ./base: says that its ns/op is NaN\n", stderr)

    def test_figures_that_are_no_numbers_are_left_out(self):
        self.program("base", GO, "result BenchmarkA BenchmarkA-2 '5 ns/op\t NaN x/op\t +Inf y/op'; echo PASS")
        result, _ = self.suite_of_one()
        self.assertIn("`BenchmarkA`: `x/op` is NaN in ./base, and left out", str(result))

    def test_a_limit_of_a_figure_holds_beside_a_benchmark_that_never_came_to_report_it(self):
        self.program("base", GO, "result BenchmarkA BenchmarkA-2 '5 ns/op\t 16 B/op'; [ \"$listed\" ] && exit 1; echo PASS")
        for option in "--gate=allocated=5%", "--primary=allocated", "--metrics=allocated":
            result, stderr = self.suite_of_one(option, code=5)
            self.assertEqual(self.rounds(result), {"BenchmarkA": 2, "list of benchmarks": 0})
            self.assertIn("was asked for its benchmarks", stderr)

    def test_a_gate_without_values_is_not_green(self):
        self.program("base", GO, "result BenchmarkA BenchmarkA-2; echo PASS")
        self.suite_of_one("--gate=cpu_time=5%", "--pr-comment=c.md")
        with open(self.path("c.md")) as file:
            self.assertIn("### \u26a0\ufe0f lauka: inconclusive", file.read())


class Criterion(Frameworks):
    def test_a_name_that_looks_like_an_option(self):
        result, _ = self.same(CRITERION)
        self.assertEqual(self.rounds(result), {"one": 2, "--x": 2})

    def test_a_time_that_is_no_number_is_named(self):
        for word in "NaN", "null":
            _, stderr = self.same(CRITERION, TIMES=f"1,{word},3,4,5,6,7,8,9,10,11", code=5)
            self.assertIn("one: ./base: says that its time is NaN\n", stderr)


class Pytest(Frameworks):
    def folders(self, base, head, *arguments, code=0):
        self.program("base", PYTEST, "names=" + shlex.quote(" ".join(base)))
        self.program("head", PYTEST, "names=" + shlex.quote(" ".join(head)))
        result, _ = self.suite(*arguments, code=code)
        return self.rounds(result)

    def test_folders_in_which_the_sides_differ_are_cut_off_together(self):
        self.assertEqual(self.folders(["old/b/core/a.py::one"], ["new/b/core/a.py::one", "new/b/io/c.py::two"], "--allow-new"),
                         {"core/a.py::one": 2})
        self.assertEqual(self.folders(["old/a.py::one", "old/a.py::two"], ["very/new/a.py::one", "very/new/a.py::two"]),
                         {"a.py::one": 2, "a.py::two": 2})
        self.assertEqual(self.folders(["b/x/a.py::one", "b/y/a.py::one"], ["b/x/a.py::one", "b/y/a.py::one"]),
                         {"x/a.py::one": 2, "y/a.py::one": 2})

    def test_a_test_that_is_missing_once_renames_no_other(self):
        self.program("base", PYTEST, "names='o/x/a.py::one o/y/b.py::two'")
        self.program("head", PYTEST, """
            names='n/x/a.py::one n/y/b.py::two'
            [ "$rounds" = 1 ] || { names=n/x/a.py::one status=1; }""")
        result, stderr = self.suite(code=5)
        self.assertIn("lauka: y/b.py::two: ./head: failed with exit code 1", stderr)
        self.assertEqual(self.rounds(result), {"x/a.py::one": 2, "y/b.py::two": 0})

    def test_the_plugin_names_what_failed(self):
        result, stderr = self.same(PYTEST, """
            [ "$rounds" = 1 ] || { echo test_a.py::two >"$(dirname "$out")/failed"; status=1; }""", code=5)
        self.assertIn("test_a.py::two: ./base: is a test that failed\n", stderr)
        self.assertEqual(self.rounds(result), {"test_a.py::one": 2, "test_a.py::two": 0})

    def test_further_numbers_may_be_none(self):
        result, _ = self.same(PYTEST, 'more=\'"x": NaN, "y": -Infinity\'')
        self.assertEqual(self.rounds(result), {"test_a.py::one": 2, "test_a.py::two": 2})
        _, stderr = self.same(PYTEST, "times='1e-5, NaN, 1e-5'", code=5)
        self.assertIn("test_a.py::one: ./base: says that its time is NaN\n", stderr)
