"""Benchmarks inside two programs, compared by `lauka suite`."""
import errno
import json
import os
import shutil
import subprocess
import sys
import textwrap
import time

import run
import shared
from interruption import environments_with
from run import InScratch, HERE, lauka
from workers import alone, early, once

ROOT = os.path.dirname(os.path.dirname(HERE))

# Speaks lauka-bench/1. Its times are made up, so nothing depends on the machine.
SPEAKER = r'''#!/bin/sh
exec <"/dev/fd/${LAUKA_BENCH_FDS%,*}" 3>"/dev/fd/${LAUKA_BENCH_FDS#*,}"
costs="sort=100 parse/large=2000"
ns_of() {
    for cost in $costs; do [ "${cost%%=*}" != "$1" ] || echo "${cost#*=}"; done
}
ran() { # NAME ITERATIONS
    took=$(($(ns_of "$1") * $2))
    sleep "${took}e-9"
    echo "ok $took $((took / 2))"
}
answer() {
    ran "$@"
}
BODY
while read -r word name iterations seed; do
    case $word in
    hello) echo hello 1 ;;
    list) for cost in $costs; do echo "benchmark ${cost%%=*}"; done; echo ok ;;
    run) answer "$name" "$iterations" ;;
    *) break ;;
    esac
done >&3
'''

# Imitates google-benchmark, as far as lauka uses it.
GBENCH = '''#!PYTHON -IS
# --benchmark_list_tests
import json, sys
NS = {"BM_sort/8": 100.0, "BM_find(x)": 50.0}
BODY
options = dict(word[2:].split("=", 1) for word in sys.argv[1:])
asked = options.get("benchmark_filter")
if "benchmark_list_tests" in options:
    print("\\n".join(NS) if asked is None else "")
    sys.exit(0)
count = int(options["benchmark_repetitions"])
entries = []
for name in NS:
    if asked in (None, "^" + "".join("\\\\" + c if c in "().|^$" else c for c in name) + "$"):
        entry = {"name": name, "run_name": name, "run_type": "iteration", "iterations": 10000,
                 "real_time": NS[name], "cpu_time": NS[name] / 2, "time_unit": "ns", "items_per_second": 1e9 / NS[name]}
        entries += [entry] * count + [dict(entry, run_type="aggregate")] * (count > 1)
print(json.dumps({"context": {}, "benchmarks": entries}, indent=1))
'''

GO = '''#!PYTHON -IS
# test.benchtime
import sys
NS = {"BenchmarkSort/n=8": 100.0, "BenchmarkFind": 50.0}
BODY
START
options = dict(word[1:].split("=", 1) for word in sys.argv[1:] if "=" in word)
for name, ns in NS.items():
    expression = "/".join("^" + part + "$" for part in name.split("/"))
    if options.get("test.bench") in (".", expression):
        for _ in range(int(options.get("test.count", 1))):
            print(f"{name}-2   \\t 10000\\t {ns} ns/op\\t 16 B/op\\t 1 allocs/op")
print("PASS")
'''

CRITERION = '''#!PYTHON -IS
# CRITERION_HOME
import json, os, sys
NS = {"sort 8": 100.0, "group/find": 50.0}
BODY
words = sys.argv[1:]
if "--list" in words:
    print("".join(name + ": benchmark\\n\\n" for name in NS))
    sys.exit(0)
samples = next(int(word.split("=")[1]) for word in words if word.startswith("--sample-size="))
for name, ns in NS.items():
    if "--exact" not in words or name == words[-1]:
        for kind in "base", "new":
            folder = os.path.join(os.environ["CRITERION_HOME"], name.replace(" ", "_"), kind)
            os.makedirs(folder)
            with open(folder + "/benchmark.json", "w") as file:
                json.dump({"full_id": name}, file)
            counts = [100 * (i + 1) for i in range(samples)]
            with open(folder + "/sample.json", "w") as file:
                json.dump({"sampling_mode": "Linear", "iters": counts, "times": [ns * count for count in counts]}, file)
'''

# Imitates `pytest FILE` with pytest-benchmark, as far as lauka uses it. Its first word is the file that has
# the benchmarks.
PYTEST = '''#!PYTHON -S
# import pytest
import json, os, sys
sys.path[:0] = os.environ["PYTHONPATH"].split(":")
import lauka_shuffle
NS = {"test_sort[8]": 100.0, "test_find": 50.0}
BODY
with open("log", "a") as log:
    log.write("started\\n")
items = list(NS)
lauka_shuffle.pytest_collection_modifyitems(items)
options = dict(word[2:].split("=", 1) for word in sys.argv[1:] if "=" in word)
rounds = int(options["benchmark-min-rounds"])
with open(options["benchmark-json"], "w") as file:
    json.dump({"benchmarks": [{"name": name, "fullname": sys.argv[1] + "::" + name,
                               "stats": {"data": [NS[name] / 1e9] * rounds, "iterations": 100}}
                              for name in items]}, file)
print("2 passed")
sys.exit(STATUS)
'''


# Each iteration touches PAGES fresh pages.
TOUCHES = r'''
#define _GNU_SOURCE
#include "lauka_bench.h"
#include <sys/mman.h>
#include <unistd.h>
static void touch(struct lauka_bench_state *state)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    LAUKA_BENCH_LOOP (state) {
        volatile char *memory = mmap(NULL, PAGES * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        for (size_t page = 0; page < PAGES; page++)
            memory[page * size] = 1;
        munmap((void *)memory, PAGES * size);
    }
}
static const struct lauka_bench benches[] = {{"touch", touch}};
int main(void)
{
    return lauka_bench_main(benches, 1);
}
'''


class Speaking(InScratch):
    def speaker(self, name, body="", text=SPEAKER):
        text = text.replace("START", "").replace("STATUS", "0").replace("PYTHON ", sys.executable + " ")
        return self.script(name, text.replace("BODY", textwrap.dedent(body)))

    def suite(self, *arguments, code=0):
        done = lauka("suite", "--no-config", "--json", "-r2", *arguments, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout), done.stderr

    def ratios(self, result, metric="wall_time"):
        return {c["benchmark"]: round(c["ratio"], 4) for c in result["comparisons"]
                if c["metric"] == metric and c["ratio"]}


class Suites(Speaking):
    def test_both_sides_are_measured_by_iteration(self):
        self.speaker("base")
        self.speaker("head", "costs='sort=110 parse/large=2000'")
        result, _ = self.suite("-r20", "./base", "./head")
        self.assertEqual(self.ratios(result), {"sort": 1.1, "parse/large": 1.0})
        first = result["results"][0]
        self.assertEqual((first["benchmark"], first["side"]), ("sort", "./base"))
        self.assertEqual((first["mean"], first["times"][0]), (100e-9, 100e-9))
        units = result["benchmarks"][0]["units"]
        self.assertEqual((units["kind"], units["count"]), ("process", 10))
        self.assertEqual(units["of"], [round // 2 for round in range(20)])

    def test_names_are_listed_and_chosen(self):
        self.speaker("base")
        done = lauka("suite", "--list-benchmarks", "./base", "./base", cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, "sort\nparse/large\n"))
        result, _ = self.suite("--benchmark=parse/*", "./base", "./base")
        self.assertEqual(list(self.ratios(result)), ["parse/large"])

    def test_a_benchmark_of_one_program_only_is_named(self):
        self.speaker("base")
        self.speaker("head", "costs='sort=100 render=5'")
        result, stderr = self.suite("./base", "./head", code=5)
        self.assertEqual(stderr.count("\n"), 1)
        self.assertIn("lauka: `parse/large` is in the base only, `render` is in the head only: not compared; "
                      "--benchmark chooses others, --allow-new permits new ones", stderr)
        self.assertEqual(list(self.ratios(result)), ["sort"])
        self.assertIn("`parse/large` is in the base only: not compared", str(result))
        self.assertIn("`render` is in the head only: not compared", str(result))

    def test_a_benchmark_that_may_be_new_or_is_not_asked_for_fails_nothing(self):
        self.speaker("base")
        self.speaker("head", "costs='sort=100 parse/large=2000 render=5'")
        _, stderr = self.suite("./base", "./head", code=5)
        self.assertIn("lauka: `render` is in the head only: not compared", stderr)
        result, stderr = self.suite("--allow-new", "./base", "./head")
        self.assertEqual((stderr, list(self.ratios(result))), ("", ["sort", "parse/large"]))
        self.assertIn("`render` is in the head only: not compared", str(result))
        result, _ = self.suite("--benchmark=parse/*", "./head", "./base")
        self.assertNotIn("only: not compared", str(result))

    def test_what_a_program_left_behind_is_ended(self):
        self.speaker("base", "setsid sleep 120 3>&- &")
        marker = f"LAUKA_TEST_MARKER={os.getpid()}.{time.monotonic_ns()}"
        self.suite("--env", marker, "./base", "./base")
        self.assertEqual(environments_with(marker), [])

    def test_it_ends_without_an_answer_and_without_a_failure(self):
        self.speaker("base", "answer() { exit 0; }")
        _, stderr = self.suite("--benchmark=sort", "./base", "./base", code=5)
        self.assertIn("ended before it answered: its process ended with exit code 0\n", stderr)

    def test_programs_without_common_benchmarks_are_refused(self):
        self.speaker("base")
        self.speaker("head", "costs=other=1")
        done = lauka("suite", "./base", "./head", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("none in common", done.stderr)

    def test_what_speaks_nothing_is_refused(self):
        self.script("plain", "#!/bin/sh\nexit 0\n")
        done = lauka("suite", "./plain", "./plain", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--adapter", done.stderr)
        done = lauka("suite", "./plain", cwd=self.folder)
        self.assertIn("lauka suite compares two programs", done.stderr)
        done = lauka("suite", "--adapter=lauka", "./plain", "./plain", cwd=self.folder)
        self.assertEqual(done.returncode, 5)
        self.assertIn("ended before it answered", done.stderr)

    def test_counters_of_valgrind_are_refused(self):
        done = lauka("suite", "--counters=valgrind", "./a", "./b")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("--counters goes only with", done.stderr)

    def test_events_are_counted_around_each_round_and_by_iteration(self):
        listed = {event["name"]: event for event in json.loads(lauka("list", "--json", "page-faults").stdout)}
        if not listed["page_faults"]["countable"]:
            self.skipTest("page faults cannot be counted here")
        if not shared.compiler():
            self.skipTest("no C compiler is installed")
        for name, pages in (("base", 100), ("head", 150)):
            shutil.copy(shared.compiled(TOUCHES, "-O1", "-Iinclude", f"-DPAGES={pages}"),
                        self.path(name))
        result, _ = self.suite("-r4", "-e", "page-faults,task-clock", "./base", "./head")
        base, head = (run.metric_of(entry, "page_faults") for entry in result["results"])
        self.assertEqual((base["source"], len(base["values"])), ("perf_event", 4))
        self.assertTrue(all(100 <= value < 110 for value in base["values"]), base["values"])
        self.assertTrue(all(150 <= value < 160 for value in head["values"]), head["values"])
        self.assertTrue(all(value > 0 for value in run.metric_of(result["results"][0], "task_clock")["values"]))
        self.assertIn("counts are those of an iteration", str(result["warnings"]))

    def test_events_of_other_frameworks_are_refused(self):
        self.speaker("base", text=GBENCH)
        done = lauka("suite", "-e", "page-faults", "./base", "./base", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("--adapter gbench are counted together with what is around them", done.stderr)
        done = lauka("suite", "--no-config", "-q", "-r2", "-e", "none", "./base", "./base", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def misbehaves(self, body, words, *arguments):
        self.speaker("base")
        self.speaker("head", body)
        result, stderr = self.suite(*arguments, "./base", "./head", code=5)
        lines = [line for line in stderr.splitlines() if not line.startswith(("  |", "its stderr"))]
        self.assertEqual(len(lines), 1, stderr)
        self.assertIn("sort: ./head: ", lines[0])
        self.assertIn(words, lines[0])
        self.assertEqual(result["benchmarks"][1]["rounds"], 2)  # the other benchmark finished
        return stderr

    def test_a_benchmark_that_dies_is_named(self):
        stderr = self.misbehaves("""
            answer() {
                [ "$1" != sort ] || { echo out of luck >&2; kill -9 $$; }
                ran "$@"
            }""", "SIGKILL")
        self.assertIn("  | out of luck", stderr)

    def test_a_benchmark_that_dies_late_is_named(self):
        self.misbehaves("""
            runs=0
            answer() {
                [ "$1" = sort ] && [ -e late ] && runs=$((runs + 1))
                [ "$1" = sort ] || : >late
                [ $runs != 2 ] || exit 7
                ran "$@"
            }""", "failed with exit code 7 in round")

    @early("waits for a timeout of seconds")
    def test_a_benchmark_that_hangs_is_named(self):
        self.misbehaves("""
            answer() {
                [ "$1" != sort ] || exec sleep 60
                ran "$@"
            }""", "did not answer in time", "--timeout=3s")

    def test_a_benchmark_that_floods_is_named(self):
        self.misbehaves("""
            answer() {
                [ "$1" != sort ] || head -c 10000000 /dev/zero | tr '\\0' x
                ran "$@"
            }""", "wrote more than 4 MiB")

    def test_a_benchmark_that_floods_stdout_harms_nobody(self):
        self.speaker("base")
        self.speaker("head", """
            exec 4>&1
            answer() {
                head -c 1000000 /dev/zero >&4
                head -c 100000 /dev/zero >&2
                ran "$@"
            }""")
        result, stderr = self.suite("./base", "./head")
        self.assertEqual(self.ratios(result)["sort"], 1.0)

    def lies(self, answer, words):
        self.misbehaves(f"""
            answer() {{
                [ "$1" != sort ] || {{ echo '{answer}'; return; }}
                ran "$@"
            }}""", words)

    def test_a_benchmark_that_lies_is_named(self):
        self.lies("ok nan 1", "its wall time is not a valid time: nan")
        self.lies("ok -5 1", "its wall time is not a valid time: -5")
        self.lies("ok 1000 inf", "its CPU time is not a valid time: inf")
        self.lies("error no such file", "it answered with an error: no such file")
        self.lies("fine", "its answer is not understood: fine")

    def test_a_benchmark_that_says_too_much_is_named(self):
        self.lies("ok 1000 1\nok 1000 1", "wrote more than it was asked for: ok 1000 1")
        self.lies("ok 3600000000000 1", "says that it took 3.6e+03 s")
        self.lies("ok 0 0", "takes no time")

    def test_a_time_that_is_not_known_is_left_out(self):
        self.speaker("base", """
            answer() {
                ran "$@" | sed "s/[^ ]*$/-/"
            }""")
        result, _ = self.suite("./base", "./base")
        self.assertEqual(self.ratios(result)["sort"], 1.0)

    def test_hooks_are_around_each_process(self):
        self.speaker("base")
        self.suite("--benchmark=sort", "--setup=echo s >>log", "--prepare=echo p >>log", "--conclude=echo c >>log",
                   "--cleanup=echo e >>log", "./base", "./base")
        with open(self.path("log")) as file:
            log = file.read().split()
        self.assertEqual((log[:2], log[-2:]), (["s", "s"], ["e", "e"]))
        self.assertEqual((log.count("p"), log.count("c")), (6, 6))  # two units, plus one to calibrate

    def test_arguments_and_limits(self):
        self.speaker("base", "[ $1 = fast ] || costs='sort=150 parse/large=2000'")
        done = lauka("suite", "--no-config", "-r5", "--gate=wall_time=5%", "--", "./base", "fast", "--vs", "./base",
                     "slow", cwd=self.folder)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("sort", done.stdout + done.stderr)

    def test_google_benchmark(self):
        self.speaker("base", text=GBENCH)
        self.speaker("head", "NS['BM_sort/8'] = 104", text=GBENCH)
        result, _ = self.suite("./base", "./head")
        self.assertEqual(self.ratios(result), {"BM_sort/8": 1.04, "BM_find(x)": 1.0})
        self.assertEqual(self.ratios(result, "cpu_time")["BM_sort/8"], 1.04)
        self.assertEqual(result["results"][0]["mean"], 100e-9)

    def test_go(self):
        self.speaker("base", text=GO)
        self.speaker("head", "NS['BenchmarkSort/n=8'] = 104", text=GO)
        result, _ = self.suite("./base", "./head")
        self.assertEqual(self.ratios(result), {"BenchmarkSort/n=8": 1.04, "BenchmarkFind": 1.0})

    def test_criterion(self):
        self.speaker("base", text=CRITERION)
        self.speaker("head", "NS['group/find'] = 52", text=CRITERION)
        result, _ = self.suite("./base", "./head")
        self.assertEqual(self.ratios(result), {"sort 8": 1.0, "group/find": 1.04})
        self.assertEqual(result["results"][0]["mean"], 100e-9)
        self.assertNotIn("-e none", str(result))  # the missing CPU time has nothing to do with -e none

    def test_pytest_runs_all_benchmarks_in_one_process(self):
        self.speaker("base", text=PYTEST)
        self.speaker("head", "NS['test_find'] = 52", text=PYTEST)
        os.mkdir(self.path("tmp"))
        done = lauka("suite", "--no-config", "--json", "-r20", "--", "./base", "old/test_a.py", "--vs", "./head",
                     "new/test_a.py", cwd=self.folder, env={"TMPDIR": self.path("tmp")})
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(self.ratios(result), {"test_a.py::test_sort[8]": 1.0, "test_a.py::test_find": 1.04})
        self.assertEqual([entry["units"]["count"] for entry in result["benchmarks"]], [10, 10])
        with open(self.path("log")) as file:  # both programs are listed and tried, then ten units run
            self.assertEqual(len(file.readlines()), 2 * (1 + 1 + 10))
        self.assertEqual(os.listdir(self.path("tmp")), [])

    def test_a_test_of_pytest_that_fails_is_named_and_the_others_are_finished(self):
        self.speaker("base", text=PYTEST)
        self.speaker("head", "NS.pop('test_sort[8]') if os.path.exists('listed') else open('listed', 'w')",
                     text=PYTEST.replace("STATUS", "len(NS) == 1"))
        result, stderr = self.suite("--", "./base", "test_a.py", "--vs", "./head", "test_a.py", code=5)
        self.assertIn("test_a.py::test_sort[8]: ./head test_a.py: failed with exit code 1", stderr)
        self.assertEqual(self.ratios(result)["test_a.py::test_find"], 1.0)

    def test_programs_that_start_slowly_run_all_benchmarks_in_one_process(self):
        start = """
            import os, time
            open("log", "a").write("started\\n")
            time.sleep(0.11)
            """
        slow = GO.replace("START", textwrap.dedent(start))
        self.speaker("base", text=slow)
        self.speaker("head", "NS['BenchmarkFind'] = 52", text=slow)
        result, _ = self.suite("--", "./base", "--vs", "./head")
        self.assertEqual(self.ratios(result), {"BenchmarkSort/n=8": 1.0, "BenchmarkFind": 1.04})
        with open(self.path("log")) as file:  # listed, inspected twice, and tried; then two units run
            self.assertEqual(len(file.readlines()), 2 * (1 + 2 + 1 + 2))

    def test_figures_of_a_benchmark_are_metrics(self):
        body = """
            answer() {
                echo "$(ran "$@") items=ITEMS /s depth=3 1"
            }"""
        self.speaker("base", body.replace("ITEMS", "1e6"))
        self.speaker("head", body.replace("ITEMS", "1.1e6"))
        result, _ = self.suite("--primary=wall_time,items", "--benchmark=sort", "./base", "./head")
        self.assertEqual((self.ratios(result, "items"), self.ratios(result, "depth")), ({"sort": 1.1}, {"sort": 1.0}))
        items = result["results"][0]["metrics"]["items"]
        self.assertEqual((items["unit"], items["better"], items["source"]), ("1/s", "higher", "reported"))

    def test_figures_of_frameworks_are_metrics(self):
        self.speaker("base", text=GBENCH)
        self.speaker("head", "NS['BM_sort/8'] = 125", text=GBENCH)
        result, _ = self.suite("./base", "./head")
        self.assertEqual(self.ratios(result, "items_per_second"), {"BM_sort/8": 0.8, "BM_find(x)": 1.0})
        self.speaker("base", text=GO)
        result, _ = self.suite("./base", "./base")
        self.assertEqual(self.ratios(result, "allocated"), {"BenchmarkSort/n=8": 1.0, "BenchmarkFind": 1.0})

    def test_a_figure_that_cannot_be_is_named(self):
        self.lies("ok 1000 1 items=1 parsec", "a figure has a unit that is not known: parsec")
        self.lies("ok 1000 1 wall_time=1 s", "a metric of this name exists already: wall_time")

    def test_a_figure_that_is_not_there_in_every_round_is_named(self):
        self.misbehaves("""
            runs=0
            answer() {
                runs=$((runs + 1))
                [ "$1" = sort ] || : >late
                if [ "$1" != sort ] || { [ -e late ] && [ $runs != 1 ]; }; then ran "$@"; return; fi
                echo "$(ran "$@") items=5 /s"
            }""",
            "did not report items this time")

    def test_a_framework_that_writes_something_else_is_named(self):
        self.speaker("base", text=GO)
        self.speaker("head", "NS['BenchmarkFind'] = 'nan'", text=GO)
        _, stderr = self.suite("./base", "./head", code=5)
        self.assertIn("BenchmarkFind: ./head: says that its ns/op is NaN\n", stderr)

    def test_the_memory_of_a_process_is_its_own(self):
        """A process that lauka started itself would begin with lauka's memory."""
        if sys.platform != "linux":
            self.skipTest("memory use can be read on Linux only")
        self.speaker("base", "read -r _ _ _ lauka _ </proc/$PPID/stat && readlink /proc/$lauka/exe >grandparent")
        self.suite("./base", "./base")
        with open(self.path("grandparent")) as file:
            self.assertEqual(file.read().strip(), os.path.realpath(run.LAUKA))

    def test_nothing_runs_on_if_lauka_is_killed(self):
        self.speaker("base", """
            ran() {
                sleep 60 &
                echo $$ $! >pids.new
                mv pids.new pids
                wait
            }""")
        process = subprocess.Popen([run.LAUKA, "suite", "./base", "./base"], cwd=self.folder, stdout=subprocess.DEVNULL)
        self.await_true(lambda: os.path.exists(self.path("pids")))
        process.kill()
        process.wait()
        with open(self.path("pids")) as file:
            pids = file.read().split()
        self.assertEqual(len(pids), 2)
        self.await_true(lambda: not any(self.lives(pid) for pid in pids))

    def await_true(self, holds):
        for _ in range(1500):
            if holds():
                return
            time.sleep(0.02)
        self.fail("this did not happen within half a minute")

    def lives(self, pid):
        """Whether the process lives; a zombie that nobody reaps does not."""
        state = subprocess.run(["ps", "-o", "stat=", "-p", pid], capture_output=True, text=True).stdout
        return state.strip() != "" and not state.startswith("Z")

    def test_a_program_that_cannot_be_executed_says_why(self):
        self.script("none", "LAUKA_BENCH_FDS\n")
        done = lauka("suite", "./none", "./none", cwd=self.folder)
        self.assertEqual(done.returncode, 5)
        self.assertIn("could not be started: " + os.strerror(errno.ENOEXEC), done.stderr)

    def test_the_example_speaks(self):
        example = os.path.join(ROOT, "examples", "lauka_bench.py")
        result, _ = self.suite("--", sys.executable, "-IS", example, "--vs", sys.executable, "-IS", example)
        self.assertEqual(list(self.ratios(result)), ["join", "sort"])


C_PROGRAM = '''
#include "lauka_bench.h"
static void empty(struct lauka_bench_state *state)
{
    LAUKA_BENCH_LOOP (state) {
    }
}
static void sum(struct lauka_bench_state *state)
{
    unsigned numbers[100];
    for (unsigned i = 0; i < 100; i++)
        numbers[i] = i * (unsigned)state->seed;
    LAUKA_BENCH_LOOP (state) {
        unsigned total = 0;
        for (unsigned i = 0; i < 100; i++)
            total += numbers[i];
        lauka_bench_keep(total);
        lauka_bench_touch(numbers);
    }
    lauka_bench_items(state, 100);
    lauka_bench_bytes(state, sizeof numbers);
}
static void broken(struct lauka_bench_state *state)
{
    lauka_bench_fail(state, "there is no input");
}
static const struct lauka_bench benches[] = {{"empty", empty}, {"sum/100", sum}, {"broken", broken}};
int main(void)
{
    return lauka_bench_main(benches, 3);
}
'''
COMPILERS = [("gcc", "-std=c99"), ("gcc", "-std=gnu17"), ("clang", "-std=c99"), ("g++", "-xc++ -std=c++11"),
             ("clang++", "-xc++ -std=c++11")]


# Speaks lauka-bench/1, and takes the time that it reports, so that its rounds are known. cost(n): nanoseconds of the
# iteration of this number in its process.
CHANGING = '''#!PYTHON -IS
import os, sys, time
def cost(n):
    COST
done, log = 0, open("log", "a")
requests, answers = map(int, os.environ["LAUKA_BENCH_FDS"].split(","))
with open(requests) as lines, open(answers, "w") as out:
    for line in lines:
        words = line.split()
        if words[0] == "bye":
            break
        text = "benchmark change\\nok" if words[0] == "list" else "hello 1"
        if words[0] == "run":
            count = int(words[2])
            took = sum(cost(n) for n in range(done, done + count))
            until = time.monotonic_ns() + took
            while time.monotonic_ns() < until:
                time.sleep(max(0, until - time.monotonic_ns()) / 1e9)
            done += count
            text = f"ok {took} -"
            print(os.getpid(), count, took, file=log, flush=True)
        print(text, file=out, flush=True)
'''


class WarmUps(Speaking):
    """What processes do over time: rounds count once they are steady."""

    def change(self, name, cost):
        return self.speaker(name, text=CHANGING.replace("COST", cost))

    def steady(self, result):
        return [entry["steady"] for entry in result["results"]]

    def first_calls(self, result):
        return [entry["metrics"]["first_call"]["mean"] for entry in result["results"]]

    def processes(self):
        """Returns the rounds (iterations, nanoseconds) of each process that ran some."""
        found = {}
        with open(os.path.join(self.folder, "log"), encoding="ascii") as log:
            for line in log:
                process, *figures = map(int, line.split())
                found.setdefault(process, []).append(figures)
        return list(found.values())

    @alone("its rounds must not fall behind the time that they wait for")
    def test_a_slow_first_call_makes_no_short_rounds(self):
        self.change("base", "return 50000000 if n == 0 else 100000")
        result, _ = self.suite("-r20", "./base", "./base")
        self.assertEqual(self.ratios(result), {"change": 1.0})
        self.assertEqual(self.first_calls(result), [50e6, 50e6])
        self.assertEqual([entry["mean"] for entry in result["results"]], [100e-6, 100e-6])
        for rounds in self.processes():
            self.assertEqual(rounds[0], [1, 50000000])
            self.assertGreaterEqual(min(took for _, took in rounds[-2:]), 1000000)

    @alone("likewise")
    def test_a_process_that_warms_up_is_measured_when_it_is_warm(self):
        self.change("base", "return 300000 if n < 120 else 100000")
        self.change("head", "return 110000")
        result, _ = self.suite("-r100", "--max-time=4s", "./base", "./head")
        self.assertEqual(self.ratios(result), {"change": 1.1})
        base, head = self.steady(result)
        self.assertEqual((base["class"], base["warms_up"], head["class"], head["flat"]),
                         ("warms up", 11, "flat", 11))
        self.assertGreater(base["seconds"], 0.03)
        self.assertIn("`./base` warms up in each process: ", str(result["warnings"]))
        for rounds in self.processes():
            self.assertLess(sum(count for count, _ in rounds[-10:]), sum(count for count, _ in rounds) - 100)

    @alone("likewise")
    def test_a_process_that_slows_down_is_measured_when_it_has(self):
        self.change("base", "return 100000 if n < 200 else 150000")
        result, _ = self.suite("-r100", "--max-time=4s", "./base", "./base")
        self.assertEqual([side["class"] for side in self.steady(result)], ["slows down"] * 2)
        self.assertEqual([entry["mean"] for entry in result["results"]], [150e-6, 150e-6])

    @alone("likewise")
    def test_longer_rounds_that_are_interrupted_more_often_are_no_slow_down(self):
        text = CHANGING.replace("COST", "return 100000").replace("took = sum(", "took = (13 if count > 20 else 10) * sum(")
        self.speaker("base", text=text.replace("done + count))", "done + count)) // 10"))
        result, _ = self.suite("-r100", "./base", "./base")
        self.assertEqual([side["class"] for side in self.steady(result)], ["flat"] * 2)
        self.assertEqual([entry["mean"] for entry in result["results"]], [130e-6, 130e-6])

    @alone("likewise")
    def test_times_that_never_become_steady_have_no_verdict(self):
        self.change("base", "return 100000")
        self.change("head", "return 100000 + 250 * n")
        result, stderr = self.suite("-r100", "--gate=wall_time=1%", "--inconclusive=fail", "./base", "./head", code=4)
        base, head = self.steady(result)
        self.assertEqual((base["class"], head["class"]), ("flat", "no steady state"))
        verdict, = [c["verdict"] for c in result["comparisons"] if c["metric"] == "wall_time"]
        self.assertEqual(verdict, "inconclusive")
        self.assertIn("`./head` has no steady state: in ", str(result["warnings"]))
        self.assertIn("undecided", stderr)

    def test_a_figure_cannot_be_called_first_call(self):
        self.speaker("base", "answer() { echo ok 100000 - first_call=3 ns; }")
        _, stderr = self.suite("--benchmark=sort", "./base", "./base", code=5)
        self.assertIn("a metric of this name exists already: first_call", stderr)


@early("compilers")
class TheHeader(InScratch):
    def compile(self, compiler, options):
        folder = shared.built({"bench.c": C_PROGRAM}, [compiler, *options.split(), "-O2", "-Wall", "-Wextra", "-Wpedantic",
                                                     "-Werror", "-Iinclude", "-o", "bench", "bench.c"])
        shutil.copy(os.path.join(folder, "bench"), self.folder)

    @once("compiles no part of lauka")
    def test_it_compiles_everywhere_without_a_warning(self):
        found = [(compiler, options) for compiler, options in COMPILERS if shutil.which(compiler)]
        for compiler, options in found:
            self.compile(compiler, options)
        if len(found) < len(COMPILERS):
            self.skipTest(f"only these compilers are installed: {sorted({compiler for compiler, _ in found})}")

    def test_it_is_short(self):
        with open(os.path.join(ROOT, "include", "lauka_bench.h")) as file:
            self.assertLessEqual(len(file.readlines()), 250)

    def compiled(self):
        compiler = next((compiler for compiler in ("cc", "gcc", "clang") if shutil.which(compiler)), None)
        if not compiler:
            self.skipTest("no C compiler is installed")
        self.compile(compiler, "-std=c99")

    def test_memory_below_laukas_own_is_exact(self):
        """lauka needs several MB, and a process of the program less than two."""
        self.compiled()
        result = json.loads(lauka("suite", "--no-config", "--json", "-r10", "--benchmark=empty", "./bench", "./bench",
                                  cwd=self.folder).stdout)
        floor = result["run"]["rss_floor"]
        peaks = [peak for entry in result["results"] for peak in entry["metrics"]["peak_rss"]["values"]]
        self.assertEqual(len(peaks), 20)
        if floor > 1 << 20:
            self.skipTest(f"here the launcher is a copy of lauka and has {floor} bytes")
        self.assertTrue(all(floor < peak < 2_500_000 for peak in peaks), (floor, peaks))
        shown = lauka("suite", "--no-config", "--full", "-r10", "--benchmark=empty", "./bench", "./bench", cwd=self.folder)
        self.assertIn("peak_rss", shown.stdout)
        self.assertNotIn("\N{LESS-THAN OR EQUAL TO}", shown.stdout)

    def test_it_speaks_under_lauka_and_prints_a_table_alone(self):
        self.compiled()
        done = lauka("suite", "--no-config", "--json", "-r10", "./bench", "./bench", cwd=self.folder)
        self.assertEqual(done.returncode, 5)
        self.assertIn("broken: ./bench (1): it answered with an error: there is no input", done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual({entry["benchmark"] for entry in result["results"] if entry["times"]}, {"empty", "sum/100"})
        done = subprocess.run([self.path("bench")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"(?m)^sum/100 +[\d.]+ +[\d.]+ +\d+  [\d.e+]+ items/s  [\d.e+]+ MB/s$")
        self.assertRegex(done.stdout, r"(?m)^broken +there is no input$")
