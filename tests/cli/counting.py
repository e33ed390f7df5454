"""What is counted, on which cores, and what is said if it cannot be counted. run.py runs these tests."""
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import unittest

import documents
import run
from run import InScratch, lauka, lauka_as_nobody, need_kernel_mode, program, result_of
from workers import early

# Events that the kernel counts in software, on every machine.
SOFTWARE = "task-clock,page-faults,cpu-migrations"


def words(text):
    """Returns the output without line breaks."""
    return " ".join(text.split())


def simulated(scenario, *arguments, **keywords):
    return lauka("--backend", "simulated:" + scenario, "-r", "6", "--seed", "1", *arguments, **keywords)


class Late(unittest.TestCase):
    def faults(self, *arguments):
        metrics = result_of("-r1", "-w0", "-e", "page_faults", *arguments, program("late"))["results"][0]["metrics"]
        return [metrics[name]["values"][0] for name in ("page_faults", "minor_faults")]

    @early("its program waits a second")
    def test_counting_begins_after_the_delay_in_all_processes(self):
        need_kernel_mode(self)
        whole, of_rusage = self.faults()
        late, late_of_rusage = self.faults("--delay", "500ms")
        self.assertGreater(whole, 1100)
        self.assertTrue(600 <= late < 700, late)
        self.assertAlmostEqual(late_of_rusage, of_rusage, delta=20)

    def test_runs_that_end_before_are_not_counted_and_it_is_said(self):
        need_kernel_mode(self)
        done = lauka("-r2", "-w0", "-e", "page_faults", "--delay", "1h", program("empty"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, "not counted +page_faults")
        self.assertIn("2 runs ended within 3600 s, so nothing was counted; choose a shorter --delay", words(done.stdout))
        self.assertNotIn("--delay", lauka("-r1", "-w0", "-e", "page_faults", program("empty")).stdout)

    def test_a_delay_is_a_time(self):
        for value in ("-1s", "later", "0x5s", "99999999999999999999s"):
            done = lauka("-r1", "--delay=" + value, program("empty"))
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        done = lauka("--backend=simulated", "-r1", "--delay=1s", "a")
        self.assertEqual((done.returncode, done.stderr), (2, "lauka: --delay: --backend=simulated runs nothing\n"))


class VendorsNames(InScratch):
    @early("it waits for a perf that does not answer")
    def test_a_perf_that_does_not_answer_is_asked_once_and_named(self):
        self.script("perf", f"#!/bin/sh\necho >>'{self.folder}/asked'\nexec sleep 60\n")
        done = lauka("-r1", "-e", "no_such_event,another.one", program("empty"),
                     env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "LAUKA_EVENT_TABLES": "",
                          "XDG_DATA_HOME": self.folder})
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.splitlines(), [
            "lauka: perf list -j, which would know vendors' names of events, did not answer within 5 s",
            'lauka: --events: event "no_such_event": unknown; lauka list shows what there is'])
        self.assertEqual(os.path.getsize(self.path("asked")), 1)


class TheList(unittest.TestCase):
    def test_it_says_what_can_be_counted_and_what_not_and_why(self):
        text = lauka("list", "--backend", "simulated:no-pmu").stdout
        groups = dict(re.findall(r"(?ms)^(\S.*?)\n(  .*?)(?:\n\n|\Z)", text))
        counted = next(rows for heading, rows in groups.items() if "kernel: can be counted here" in heading)
        refused = next(rows for heading, rows in groups.items() if "not here" in heading)
        reason = words(next(heading for heading in groups if "not here" in heading))
        self.assertIn("task_clock", counted)
        self.assertIn("instructions", refused)
        self.assertRegex(reason, r"^cpu: not here: this machine has no PMU$")  # list has no --counters to advise
        self.assertEqual(words(text).count("has no PMU"), 1)  # each reason is given once

    def test_it_fits_the_terminal(self):
        for scenario in ("full", "no-pmu", "user-only", "denied"):
            for width in (60, 80, 120):
                done = lauka("list", "--backend", "simulated:" + scenario, env={"COLUMNS": str(width)})
                self.assertLessEqual(max(map(len, done.stdout.splitlines())), width)

    def test_a_narrow_terminal_has_descriptions_on_lines_of_their_own(self):
        for width in (20, 40):
            text = lauka("list", "--backend", "simulated", "branch", env={"COLUMNS": str(width)}).stdout
            self.assertRegex(text, r"(?m)^  branch_misses  1\n    branches ")
            descriptions = [line for line in text.splitlines() if line.startswith("    ")]
            self.assertLessEqual(max(map(len, descriptions)), width)

    def test_a_pattern_chooses(self):
        text = lauka("list", "--backend", "simulated", "branch-m").stdout
        self.assertIn("branch_misses", text)
        self.assertNotIn("instructions", text)
        self.assertEqual(lauka("-l", "--backend", "simulated", "branch-m").stdout, text)
        for pattern, name in (("cpu-cycles", "cycles"), ("L1-dcache-load-misses", "l1d_load_misses"),
                              ("l1d-tlb-misses", "dtlb_load_misses"), ("branch-instructions", "branches"),
                              ("cs", "context_switches")):
            listed = json.loads(lauka("list", "--json", "--backend", "simulated", pattern).stdout)
            self.assertEqual([event["name"] for event in listed], [name])
        self.assertIn("; perhaps instructions;", lauka("list", "instrucions").stderr)
        nothing = lauka("list", "no such thing")
        self.assertEqual((nothing.returncode, nothing.stdout), (6, ""))
        self.assertIn("no event matches", nothing.stderr)

    def test_user_mode_is_told(self):
        self.assertIn("cpu: can be counted here, in user mode only (:u)",
                      lauka("list", "--backend", "simulated:user-only").stdout)

    def test_as_json(self):
        for scenario in ("full", "no-pmu", "denied"):
            events = json.loads(lauka("list", "--json", "--backend", "simulated:" + scenario).stdout)
            about = {event["name"]: event for event in events}
            self.assertEqual(len(about), len(events))
            self.assertEqual(set(events[0]), {"name", "unit", "pmu", "description", "countable", "user_only", "reason"})
            self.assertEqual(about["cycles"]["countable"], scenario == "full")
            self.assertEqual(about["cycles"]["reason"] is None, scenario == "full")
            self.assertEqual(about["task_clock"]["unit"], "ns")
            self.assertTrue(all(event["description"] for event in events))
        self.assertEqual(json.loads(lauka("list", "--json", "no such thing").stdout), [])

    def test_it_opens_what_it_lists(self):
        """On a machine that refuses even software events, every row must say so."""
        events = {event["name"]: event for event in json.loads(lauka("list", "--json").stdout)}
        done = lauka("-r", "5", "-w", "0", "--json", "-e", "task-clock", program("empty"))
        metrics = json.loads(done.stdout)["results"][0]["metrics"]
        own = [about for name, about in metrics.items() if name.startswith("task_clock")]
        # A run that was delayed for long at its begin or end counts as not counted.
        self.assertEqual(events["task_clock"]["countable"], own[0]["count"] > 0)


class Notes(unittest.TestCase):
    def test_what_cannot_be_counted_is_a_note_where_it_was_asked_for_or_leaves_a_row_empty(self):
        without = ("--backend", "simulated:no-pmu", "-r", "2")
        for words in ((), ("-e", "cycles"), ("-e", "cycles", "--metrics", "wall_time"), ("--metrics", "cycles")):
            self.assertIn("not counted ", lauka(*without, *words, "a").stdout, words)
        self.assertNotIn("not counted ", lauka(*without, "--metrics", "wall_time", "a").stdout)

    def test_an_empty_row_without_counters_has_its_reason(self):
        for metrics, given in (("all", True), ("default", False)):
            result = result_of("-r", "2", "-e", "none", "--metrics", metrics, "true")
            missing = [n for n, m in result["results"][0]["metrics"].items() if m["count"] == 0]
            note = [w for w in result["warnings"] if "not available with -e none" in w]
            self.assertEqual(len(note), given and "cpus_used" in missing, result["warnings"])


class Events(unittest.TestCase):
    def test_names_aliases_and_modifiers(self):
        metrics = result_of("--backend", "simulated", "-r", "2", "-e", "Branch-Misses,instrs:u", "--events=LLC", "a")
        for name in ("branch_misses", "instructions:u", "llc_loads"):
            self.assertIn(name, metrics["results"][0]["metrics"])
        self.assertNotIn("cycles", metrics["results"][0]["metrics"])

    def test_an_unknown_name_gets_the_nearest(self):
        done = lauka("-e", "instuctions", "true")
        self.assertEqual(done.returncode, 2)
        self.assertIn("perhaps instructions", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_what_does_not_fit_shares_takes_turns_or_is_refused(self):
        shared = simulated("multiplexed", "--multiplex=time", "a").stdout
        self.assertRegex(shared, r"(?m)^ *cycles +~27\..* 60 % ")
        for asked in ((), ("--multiplex=rounds",)):  # the default
            metrics = json.loads(simulated("multiplexed", *asked, "--json", "a").stdout)["results"][0]["metrics"]
            of, per, other = ([value is None for value in metrics[name]["values"]]
                              for name in ("cycles", "instructions", "branch_misses"))
            self.assertEqual((sum(per), sum(other)), (3, 3))
            self.assertEqual((of, per), (per, [not missing for missing in other]))  # no value is missing without a reason
            self.assertEqual({metrics[name]["share"] for name in ("cycles", "branch_misses")}, {1})
        refused = simulated("multiplexed", "--no-multiplex", "a")
        self.assertEqual((refused.returncode, refused.stdout), (6, ""))
        self.assertIn("these do: cycles, instructions; or", refused.stderr)
        self.assertEqual(simulated("full", "--no-multiplex", "a").returncode, 0)
        self.assertEqual(lauka("--multiplex=never", "a").returncode, 2)

    def test_turns_are_counted_and_too_few_of_them_are_told(self):
        ten = ("-w0", "-e", "cycles,instructions,cache-references,cache-misses,branches,"
               "branch-misses,bus-cycles,ref-cycles,dTLB-load-misses,iTLB-load-misses", "a")
        run = lambda *options: lauka("--backend", "simulated:multiplexed", *options, *ten)
        done = run("-r", "8", "--require-counters")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(words(done.stdout), r"events took turns: each was counted in 2 of 8 rounds")
        self.assertIn("each was counted in 2 or 3 of 9 rounds", words(run("-r", "9").stdout))
        few = run("-r", "3")
        self.assertEqual(few.returncode, 0, few.stderr)
        self.assertIn("4 event sets take turns, and 1 of them had none in 3 rounds, where a verdict needs at least 6 of each: "
                      "ask for -r 24 or more, or for fewer events (-e)", words(few.stdout))
        self.assertIn("was counted in 2 of 8 rounds, where a verdict needs at least 6 of each: ask for -r 24 or more",
                      words(run("-r", "8", "b").stdout))  # with two commands
        for bound in (("-r", "3"), ("--max-runs", "3")):
            refused = run("--require-counters", *bound)
            self.assertEqual((refused.returncode, refused.stdout), (6, ""), bound)
            self.assertIn("4 event sets need at least 4 rounds", refused.stderr)

    def test_forty_events_on_eight_counters_are_all_whole_and_in_enough_rounds(self):
        forty = ",".join(f"r{number:x}" for number in range(0x20, 0x48))
        for further, least in (((), 7), (("-r", "30"), 6), (("-r", "43"), 8),
                               (("--min-runs", "5"), 6), (("--max-runs", "32"), 6)):
            done = lauka("--backend", "simulated:multiplexed-8", "--seed", "3", "--json", "-e", forty, "a", "b", *further)
            result = json.loads(done.stdout)
            for entry in result["results"]:
                for name in forty.split(","):
                    about = entry["metrics"][name]
                    self.assertEqual(about["share"], 1)
                    self.assertGreaterEqual(about["count"], least, (name, further))
                    self.assertLessEqual(about["count"], result["run"]["rounds"] // 5 + 1, (name, further))
            self.assertNotIn("a verdict needs", " ".join(result["warnings"]), further)

    def test_what_goes_to_and_fro_meets_every_set_alike(self):
        """If the order alternates and there are two sets, each set meets both orders."""
        for order in ("abba", "rotate", "shuffle"):
            result = json.loads(lauka("--backend", "simulated:multiplexed", "--seed", "5", "-r", "40", "--order", order,
                                      "--json", "a", "b").stdout)
            firsts = result["run"]["order"][::2]
            values = result["results"][0]["metrics"]["cycles"]["values"]
            first = [place for place, value in zip(firsts, values) if value is not None]
            self.assertEqual(len(first), 20)
            self.assertTrue(5 <= sum(first) <= 15, (order, first))

    def test_required_counters(self):
        for scenario, code in (("full", 0), ("no-pmu", 6), ("denied", 6), ("multiplexed", 0),
                               ("fail-EBUSY-2", 6), ("hybrid", 0)):
            done = simulated(scenario, "--require-counters", "a")
            self.assertEqual(done.returncode, code, scenario)
            self.assertEqual(bool(done.stdout), code == 0)
            if code:
                self.assertRegex(done.stderr, r"^lauka: --require-counters: cannot count .*: .*; .*\n$")

    def test_no_pmu_and_no_permission_are_told_apart_in_one_line(self):
        no_pmu, denied = (words(simulated(scenario, "a").stdout) for scenario in ("no-pmu", "denied"))
        self.assertIn("this machine has no PMU", no_pmu)
        self.assertNotIn("permission", no_pmu)
        self.assertIn("permission denied", denied)
        self.assertNotIn("has no PMU", denied)
        for text in (no_pmu, denied):
            self.assertEqual(text.count("not counted "), 1)

    def test_user_mode_is_marked(self):
        text = simulated("user-only", "-r", "20", "a", "b").stdout
        self.assertRegex(text, r"(?m)^ *instructions:u +5\d\.")
        self.assertIn("counted in user mode only", words(text))

    def test_every_errno_at_every_position_is_a_dash_with_advice(self):
        names = ("cycles", "instructions", "cache_references", "cache_misses", "branch_misses")
        for error in ("EACCES", "EPERM", "ENOSYS", "ENOENT", "EINVAL", "ENODEV", "EMFILE", "ESRCH", "E2BIG",
                      "EBUSY", "EOPNOTSUPP", "ENOSPC"):
            for position, name in enumerate(names):
                done = simulated(f"fail-{error}-{position}", "--json", "a", "b")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertNotRegex(done.stdout, r"(?i)\bnan\b|\binf\b")
                document = json.loads(done.stdout)
                for result in document["results"]:
                    for metric in names:
                        self.assertEqual(result["metrics"][metric]["mean"] is None, metric == name)
                self.assertRegex(document["warnings"][0], rf"^cannot count {name}: .*; ")

    def test_runs_of_one_round_that_are_asked_for_one_by_one_have_counts_of_their_own(self):
        events = {event["name"]: event for event in json.loads(lauka("list", "--json", "page-faults").stdout)}
        if not events["page_faults"]["countable"]:
            self.skipTest("page faults cannot be counted here")
        done = lauka("-q", "--no-config", "-w0", "-r3", "-e", "page-faults", "--json", "sleep 0.06",
                     "sh -c 'sleep 0.06; sleep 0'")
        less, more = (run.metric_of(entry, "page_faults")["values"] for entry in json.loads(done.stdout)["results"])
        self.assertTrue(all(a < b for a, b in zip(less, more)), (less, more))


class PartsOfTheWork(InScratch):
    """Events that count only a part of a command, or a part by chance, support no verdict."""

    def stored_with(self, **added):
        """Stores a result in which b executes 5 % more instructions according to perf_event, and adds
        this to b."""
        document = json.loads(simulated("full", "-r", "30", "-e", "instructions", "--json", "a", "b").stdout)
        for result in document["results"]:
            result["metrics"]["instructions"]["source"] = "perf_event"
        document["results"][1].update(added)
        with open(self.path("r.json"), "w", encoding="utf-8") as file:
            json.dump(document, file)
        return self.path("r.json")

    def judged(self, **added):
        """Compares the stored result again; returns the document and the verdicts by metric."""
        done = lauka("compare", "--json", "--gate", "instructions=50%", self.stored_with(**added))
        document = json.loads(done.stdout)
        return document, {c["metric"]: c["verdict"] for c in document["comparisons"]}

    def counted_as_nobody(self, text, *arguments):
        """Runs a script as the user nobody; returns its result and the whole document."""
        os.chmod(self.folder, 0o755)
        done = run.lauka_as_nobody("-r", "2", "-w", "0", "--json", "-e", "task-clock", *arguments,
                                   self.script("command", "#!/bin/sh\n" + text), cwd="/")
        document = json.loads(done.stdout)
        if any("cannot count task_clock" in warning for warning in document["warnings"]):
            self.skipTest("the user nobody may not count here")
        return document["results"][0], document

    @unittest.skipUnless(sys.platform == "linux", "only Linux takes events away")
    def test_a_program_that_nobody_may_read_is_noticed_however_short_it_is(self):
        shutil.copyfile(program("empty"), self.path("hidden"))
        os.chmod(self.path("hidden"), 0o111)
        busy = "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done\n"
        result, document = self.counted_as_nobody(busy + self.path("hidden"))
        self.assertTrue(result["unwatched"])
        self.assertTrue(any(clock["mean"] for name, clock in result["metrics"].items() if "task_clock" in name))
        self.assertIn("unwatched", [doubt["doubt"] for doubt in document["doubts"]])

    @unittest.skipUnless(sys.platform == "linux", "only Linux takes events away")
    def test_many_short_processes_are_no_such_program(self):
        """A part of each process's end is in its CPU time but in no event."""
        result, document = self.counted_as_nobody("for i in 1 2 3 4 5 6 7 8 9 0; do (:) & (:); (:); done; wait")
        self.assertNotIn("unwatched", result)
        self.assertNotIn("set-uid", " ".join(document["warnings"]))

    def test_otherwise_there_are_verdicts(self):
        document, verdicts = self.judged()
        self.assertEqual((verdicts["instructions"], document["gate"]["verdict"]), ("higher", "pass"))

    def test_counts_with_processes_left_behind_are_doubted(self):
        document, verdicts = self.judged(left_behind=3)
        self.assertEqual((verdicts["instructions"], verdicts["cpu_time"]), ("inconclusive", "higher"))
        self.assertEqual(document["gate"]["verdict"], "inconclusive")
        self.assertEqual(document["results"][1]["left_behind"], 3)
        doubt = next(d for d in document["doubts"] if d["doubt"] == "left_behind")
        self.assertEqual((doubt["command"], doubt["metric"]), (1, "instructions"))
        self.assertIn("left processes behind", doubt["sentence"])

    def test_counts_that_the_system_contradicts_support_no_verdict(self):
        document, verdicts = self.judged(contradicted=2)
        self.assertEqual((verdicts["instructions"], verdicts["cpu_time"]), ("inconclusive", "higher"))
        self.assertEqual(document["gate"]["verdict"], "inconclusive")
        self.assertEqual(document["results"][1]["contradicted"], 2)
        table = lauka("compare", "--gate", "instructions=50%", self.stored_with(contradicted=2)).stdout
        self.assertIn("the system contradicts the counts", words(table))

    def test_counts_without_a_program_that_nobody_may_count_are_doubted(self):
        document, verdicts = self.judged(unwatched=True)
        self.assertEqual((verdicts["instructions"], verdicts["cpu_time"]), ("inconclusive", "higher"))
        self.assertEqual(document["gate"]["verdict"], "inconclusive")
        doubt = next(d for d in document["doubts"] if d["doubt"] == "unwatched")
        self.assertIn("as root, or under sudo with --as-root", doubt["sentence"])
        table = words(lauka("compare", "--full", self.stored_with(unwatched=True)).stdout)
        self.assertRegex(table, r"instructions [^=]* inconclusive")
        self.assertIn("starts a program that is set-uid or may not be read", table)


class TimeInTicks(InScratch):
    """Results like those of a kernel that counts CPU time in ticks of 4 ms, with none, one or two per
    run."""

    def stored_with(self, *values):
        document = json.loads(simulated("full", "-r", "30", "--json", "a", "b").stdout)
        for result, ticks in zip(document["results"], values):
            result["metrics"]["user_time"]["values"] = [4000000 * tick for tick in ticks]
        with open(self.path("r.json"), "w", encoding="utf-8") as file:
            json.dump(document, file)
        return self.path("r.json")

    def test_their_means_are_compared_and_a_note_says_so(self):
        stored = self.stored_with([0, 0, 0, 0, 1] * 6, [0, 0, 1, 1, 1] * 6)
        table = words(lauka("compare", stored).stdout)
        self.assertRegex(table, r"user_time [^%]* ×3\.\d+ \[")
        self.assertRegex(words(lauka("compare", "--full", stored).stdout), r"note: [a-z_, ]*user_time[a-z_, ]* steps here; \w+ \w+ compared by \w+ mean")
        self.assertIn("> note: ", lauka("compare", "--markdown", stored).stdout)
        self.assertEqual(len(re.findall("<li>[^<]*user_time[^<]* steps here", lauka("compare", "--html", stored).stdout)), 1)

    def test_one_or_two_of_them_are_not_equivalent(self):
        stored = self.stored_with([1, 1, 1, 1, 1, 2] * 5, [1, 1, 2, 1, 1, 2] * 5)
        document = json.loads(lauka("compare", "--json", stored).stdout)
        verdicts = {c["metric"]: c["verdict"] for c in document["comparisons"]}
        self.assertEqual(verdicts["user_time"], "inconclusive")


class TimeOfCounting(unittest.TestCase):
    def test_a_single_thread_has_no_more_cpu_time_than_wall_time(self):
        """Opening the events must not cost the command anything; opening ten takes about 20 us."""
        ten = "task-clock,cpu-clock,page-faults,minor-faults,major-faults,context-switches,cpu-migrations"
        ten += ",task-clock:u,cpu-clock:u,page-faults:u"
        metrics = result_of("-r", "100", "-e", ten, program("empty"))["results"][0]["metrics"]
        more = sorted(c - w for c, w in zip(metrics["cpu_time"]["values"], metrics["wall_time"]["values"]))
        self.assertLess(more[89], 1000)  # ns; the two clocks usually differ by less


class KindsOfCore(unittest.TestCase):
    """Core types of simulated machines; tests/vm has real ones."""
    expect = documents.Goldens.expect

    def test_the_table(self):
        self.expect("hybrid.txt", "--backend", "simulated:hybrid-apart", "a", "b")

    def test_the_table_of_every_kind(self):
        self.expect("hybrid_per_core_type.txt", "--backend", "simulated:hybrid", "--per-core-type",
                    "-e", "cycles,instructions", "a", env={"COLUMNS": "100"})

    def test_the_json_has_the_kinds_whatever_is_shown(self):
        document = json.loads(simulated("hybrid", "--json", "a").stdout)
        metrics = document["results"][0]["metrics"]
        for total, on_p, on_e in zip(*(metrics["instructions" + kind]["values"] for kind in ("", "@P", "@E"))):
            self.assertEqual(total, on_p + on_e)
        self.assertTrue(metrics["instructions@P"]["detail"])
        self.assertIsNone(metrics["user_time@P"]["mean"])
        self.assertNotIn("detail", metrics["cpu_time@P"])
        self.assertEqual(document["host"]["cores"], "P 0-3; E 4-7")
        self.assertAlmostEqual(document["results"][0]["residency"]["P"], 0.9, delta=0.01)
        self.assertAlmostEqual(sum(document["results"][0]["residency"].values()), 1)
        self.assertNotIn("residency", json.loads(simulated("full", "--json", "a").stdout)["results"][0])

    def test_a_stored_result_shows_the_same(self):
        folder = self.enterContext(run.tempfile.TemporaryDirectory())
        path = os.path.join(folder, "r.json")
        shown = simulated("hybrid", f"--json={path}", "a", "b").stdout
        again = lauka("compare", path).stdout
        self.assertEqual(re.findall(r"(?m)^ *(\S+@?\w*) ", shown), re.findall(r"(?m)^ *(\S+@?\w*) ", again))

    def test_commands_on_different_cores_are_told(self):
        self.assertIn("`a` spent 100 % of its CPU time on P cores, `b` 0 %",
                      words(simulated("hybrid-apart", "a", "b").stdout))
        self.assertNotIn("of its CPU time on", words(simulated("hybrid", "a", "b").stdout))
        self.assertNotIn("of its CPU time on", words(simulated("full", "a", "b").stdout))

    def test_kinds_of_which_none_is_the_faster_one(self):
        """They are named after their PMUs, names are unique, and no advice speaks of P cores."""
        folder = self.enterContext(run.tempfile.TemporaryDirectory())
        stored, rows = os.path.join(folder, "r.json"), os.path.join(folder, "r.csv")
        shown = simulated("hybrid-alike", f"--json={stored}", f"--csv={rows}", "a", "b").stdout
        self.assertIn("`a` spent 100 % of its CPU time on pmuv3_0 cores, `b` 0 %: to compare the programs and not "
                      "the cores, keep both on the same ones (--pin 0-3, or --require-core pmuv3_0)", words(shown))
        with open(rows, encoding="utf-8") as file:
            columns = file.readline().strip().split(",")
        self.assertEqual(len(set(columns)), len(columns))
        def no_twice(pairs):
            self.assertEqual(len(dict(pairs)), len(pairs), pairs)
            return dict(pairs)
        with open(stored, encoding="utf-8") as file:
            document = json.load(file, object_pairs_hook=no_twice)
        self.assertEqual(document["host"]["cores"], "pmuv3_0 0-3; pmuv3_1 4-7")
        self.assertIn("instructions@pmuv3_1", document["results"][0]["metrics"])
        self.assertEqual(lauka("compare", stored).returncode, 0)
        for option in ("--pin", "--require-core"):
            self.assertEqual(simulated("hybrid-alike", option, "pmuv3_0", "a").returncode, 0)
            self.assertIn("this machine has pmuv3_0 and pmuv3_1 cores",
                          simulated("hybrid-alike", option, "P", "a").stderr)

    def test_a_required_kind_of_core(self):
        self.assertEqual(simulated("hybrid-apart", "--require-core", "P", "a").returncode, 0)
        elsewhere = simulated("hybrid-apart", "--require-core", "E", "a")
        self.assertEqual((elsewhere.returncode, elsewhere.stdout), (6, ""))
        self.assertIn("`a` ran on other cores, 11 times in a row", elsewhere.stderr)
        for scenario, says in (("full", "all cores of this machine are of one kind"),):
            done = simulated(scenario, "--require-core", "P", "a")
            self.assertEqual((done.returncode, done.stdout), (6, ""))
            self.assertIn(says, done.stderr)
        self.assertIn("this machine has P and E cores", simulated("hybrid", "--pin", "M", "a").stderr)
        for bad in (("--require-core", "X"), ("--require-core", "0"), ("--pin", "1-"), ("--pin", "fast")):
            self.assertEqual(simulated("hybrid", *bad, "a").returncode, 2, bad)


@unittest.skipUnless(hasattr(os, "sched_getaffinity"), "CPUs cannot be selected on this system")
class Pinning(InScratch):
    SHOW = "import os; open({path!r}, 'a').write(str(sorted(os.sched_getaffinity({pid}))) + '\\n')"

    def script_that_shows(self, name, pid="0"):
        path = self.path(name + ".log")
        return path, self.script(name, f"#!{sys.executable} -IS\n" + self.SHOW.format(path=path, pid=pid) + "\n")

    def test_all_commands_are_there_and_lauka_is_not(self):
        cpus = sorted(os.sched_getaffinity(0))
        log, inside = self.script_that_shows("inside")
        log_parent, parent = self.script_that_shows("parent", "os.getppid()")
        self.assertEqual(lauka("-w", "0", "-r", "2", "--pin", str(cpus[0]), inside, parent).returncode, 0)
        self.assertEqual(set(open(log).read().split("\n")), {str([cpus[0]]), ""})
        others = str(cpus[1:] or cpus)
        self.assertEqual(set(open(log_parent).read().split("\n")), {others, ""})

    def test_without_it_nothing_changes(self):
        log, inside = self.script_that_shows("inside")
        self.assertEqual(lauka("-w", "0", "-r", "1", inside).returncode, 0)
        self.assertEqual(open(log).read().strip(), str(sorted(os.sched_getaffinity(0))))

    def test_cpus_that_are_not_there(self):
        done = lauka("--pin", "0-900", "true")
        self.assertEqual((done.returncode, done.stdout), (6, ""))
        self.assertRegex(done.stderr, r"choose from \d")

    def test_cpus_used_are_in_the_json(self):
        metrics = result_of("-w", "0", "-r", "2", "--pin", str(min(os.sched_getaffinity(0))),
                            program("empty"))["results"][0]["metrics"]
        self.assertTrue(metrics["cpus_used"]["detail"])
        # None: the clocks missed a good part of the run, or may not be opened here.
        self.assertLessEqual(set(metrics["cpus_used"]["values"]), {1, None})


class Vanished(unittest.TestCase):
    def test_counts_that_the_kernel_takes_away_are_required(self):
        if not os.stat("/bin/su").st_mode & stat.S_ISUID:
            self.skipTest("su is not set-uid")
        done = lauka_as_nobody("-q", "-w", "0", "-r", "1", "-e", "task-clock", "--require-counters", "/bin/su --help")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (6, 1), done.stderr)
        self.assertRegex(done.stderr, "--require-counters: (`/bin/su --help` was not counted: .* set-uid|"
                         "cannot count task_clock: .*perf_event_paranoid)")


def can_trace():
    """Whether strace can inject failures of system calls here."""
    if not shutil.which("strace"):
        return False
    return subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode == 0


@unittest.skipUnless(can_trace() or os.environ.get("CI"), "strace is missing, or may not trace")
@early("starts lauka under strace a hundred times")
class Faults(InScratch):
    """perf_event_open(2) and read(2) fail at each position, both when the session starts and in a run."""
    ERRORS = {"EACCES": "perf_event_paranoid", "EPERM": "--cap-add PERFMON", "ENOSYS": "seccomp=unconfined",
              "ENOENT": "has no PMU|does not have the event", "EINVAL": "invalid", "ENODEV": "offline",
              "EMFILE": "ulimit -n", "EBUSY": "nmi_watchdog", "EOPNOTSUPP": "invalid|cannot do", "E2BIG": "uname -r",
              "ESRCH": "start lauka again", "ENFILE": "fs.file-max"}

    def traced(self, call, error, when, *further):
        words = ["strace", "--seccomp-bpf", "-f", "-o", self.path("log"), "-e", f"trace={call}",
                 "-e", f"inject={call}:error={error}:when={when}", *further, run.LAUKA, "-q", "-w", "0", "-r", "2",
                 "--json", "-e", SOFTWARE, program("empty")]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""), (error, when))
        self.assertNotRegex(done.stdout, r"(?i)\bnan\b|\binf\b")
        return json.loads(done.stdout)

    def missing(self, document):
        """Returns how many metrics were not counted in every run. Counted metrics must be above 0,
        except migrations."""
        missing = 0
        for name, about in document["results"][0]["metrics"].items():
            if about["source"] != "perf_event":
                continue
            missing += about["mean"] is None or None in about["values"]
            if not name.startswith("cpu_migrations"):
                self.assertNotIn(0, about["values"], name)
                self.assertNotEqual(about["mean"], 0, name)
        return missing

    def test_every_errno_at_every_open(self):
        always = self.missing(self.traced("perf_event_open", "EINVAL", 60000))  # what this user may not count
        for error, advice in self.ERRORS.items():
            for when in (1, 2, 3):
                document = self.traced("perf_event_open", error, when)
                warnings = " ".join(document["warnings"])
                retried = error in ("EINVAL", "EOPNOTSUPP", "EACCES", "EPERM")  # retried in another way, which works
                if self.missing(document) == always:
                    self.assertTrue(retried or always, (error, when))
                elif not retried:
                    self.assertRegex(warnings, advice, (error, when))

    def test_every_errno_at_all_opens(self):
        for error, advice in self.ERRORS.items():
            document = self.traced("perf_event_open", error, "1+")
            self.assertEqual(self.missing(document), 3, error)
            self.assertRegex(" ".join(document["warnings"]), advice, error)
            self.assertIsNone(document["results"][0]["metrics"]["cpus_used"]["mean"])

    def test_threads_that_are_not_counted_are_explained_by_the_errno(self):
        for error, advice in self.ERRORS.items():
            done = subprocess.run(["strace", "--seccomp-bpf", "-f", "-o", "/dev/null", "-e", "trace=perf_event_open",
                                   "-e", f"inject=perf_event_open:error={error}", run.LAUKA, "threads",
                                   str(os.getpid())], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, ""), error)
            note = words(done.stdout).split("note: ")[1]
            self.assertRegex(note, f"^cannot count cycles and instructions: .*(?:{advice})", error)

    def test_reads_that_fail(self):
        """The first read returns all three events, if the kernel supports inherited groups."""
        for when in (1, "1+"):
            document = self.traced("read", "EIO", when, "-P", "anon_inode:[perf_event]")
            if "INJECTED" in open(self.path("log")).read():
                self.assertGreater(self.missing(document), 0)
                self.assertIn("not everything was counted", " ".join(document["warnings"]))

    def test_the_count_that_fails_in_a_run_is_required(self):
        done = subprocess.run(["strace", "--seccomp-bpf", "-f", "-o", self.path("log"), "-e", "trace=read",
                               "-e", "inject=read:error=EIO:when=1", "-P", "anon_inode:[perf_event]", run.LAUKA,
                               "-q", "-w", "0", "-r", "2", "--require-counters", "-e", SOFTWARE, program("empty")],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        if "INJECTED" in open(self.path("log")).read():
            self.assertEqual(done.returncode, 6)
            self.assertIn("--require-counters: cannot count", done.stderr)


class WhatRunsCost(InScratch):
    def metric(self, result, name, command=0):
        return result["results"][command]["metrics"][name]

    def test_peak_rss_is_the_commands_own(self):
        result = result_of("-r", "5", program("empty"), f"{program('touch_memory')} 1000",
                           f"{program('touch_memory')} 8000")
        floor = result["run"]["rss_floor"]
        empty, one, eight = (self.metric(result, "peak_rss", i)["median"] for i in range(3))
        self.assertTrue(empty <= 300_000 or empty <= floor, (empty, floor))
        self.assertTrue(850_000 <= one <= 1_250_000 or one <= floor, (one, floor))
        self.assertTrue(7_900_000 <= eight <= 8_700_000, eight)

    def test_a_process_left_behind_does_not_lengthen_its_run(self):
        leaves = self.script("leaves", "#!/bin/sh\nsleep 0.5 &\n")
        result = result_of("-r", "3", leaves)
        self.assertLess(self.metric(result, "wall_time")["min"], 400e6)

    def test_a_flood_on_stderr_neither_blocks_nor_is_kept(self):
        result = result_of("-r", "1", "-w", "0", "sh -c 'head -c 100000000 /dev/zero >&2'")
        self.assertEqual(result["run"]["rounds"], 1)

    def test_cpu_time_is_user_and_system_time(self):
        metrics = result_of("-r", "2", "sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'")["results"][0]["metrics"]
        for cpu, user, system in zip(*(metrics[m]["values"]
                                       for m in ("cpu_time", "user_time", "system_time"))):
            self.assertEqual(cpu, user + system)
        self.assertGreater(metrics["cpu_time"]["mean"], 1e6)

    def test_no_events_at_all_leaves_what_needs_no_counter(self):
        metrics = result_of("-r", "2", "-e", "none", "true")["results"][0]["metrics"]
        self.assertIn("wall_time", metrics)
        self.assertFalse({"cycles", "instructions", "task_clock"} & set(metrics))

    def test_what_cannot_be_counted_is_a_dash_and_explained_once(self):
        done = lauka("--backend", "simulated:no-pmu", "--seed", "1", "-r", "5", "--full", "a", "b")
        row = next(line for line in done.stdout.splitlines() if line.strip().startswith("cycles"))
        self.assertTrue("–" in row or " -" in row, row)
        self.assertNotRegex(row, r"\b0\b")
        self.assertEqual(" ".join(done.stdout.split()).count("this machine has no PMU"), 1)


class PlanningForAMac(InScratch):
    def test_groups_say_what_excludes_what(self):
        done = lauka("list", "--chip", "M1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("\ncounter 7: at most 1 of these, at once\n  0x8c    INST_ALL ", done.stdout)
        self.assertIn("\ncounters 5 to 7: at most 3 of these and of those with fewer, at once\n",
                      done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)

    def test_a_set_that_fits_is_placed(self):
        done = lauka("list", "--chip", "as4", "-e", "cycles,INST_LDST", "-e", "branch-misses")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("\n7        INST_LDST ", done.stdout)

    def test_a_set_that_does_not_fit_is_explained(self):
        done = lauka("list", "-e", "INST_INT_ALU,INST_LDST,cycles", "--chip", "as4")
        self.assertEqual(done.returncode, 6)
        self.assertIn("INST_INT_ALU, INST_LDST can have counter 7 only", done.stderr)
        self.assertIn("these fit together: INST_INT_ALU,cycles;", done.stderr)
        done = lauka("list", "--chip", "as4", "-e", "INST_SIMD_ALU,INST_INT_ALU,INST_SIMD_LD,INST_INT_ST,INST_LDST")
        self.assertIn("INST_SIMD_ALU, INST_INT_ALU, INST_INT_ST, INST_LDST can have counter 7 only, "
                      "which is 3 too few; these fit", done.stderr)

    def test_unknown_chips_and_events_are_named(self):
        for arguments, what in [(["--chip", "M99"], "M99: unknown"),
                                (["--chip", "as4", "-e", "INST_BRNCH"], "; perhaps INST_BRANCH; lauka list"),
                            (["--chip", "as4", "-e", "cycles,instrucions"], "; perhaps instructions;"),
                            (["--chip", "M1", "-e", "sparks"], "a14 has no event sparks; lauka list")]:
            done = lauka("list", *arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(what, done.stderr)

    def test_a_pattern_may_be_another_name(self):
        for name, event in (("cpu-cycles", "FIXED_CYCLES"), ("map-stalls", "MAP_STALL"),
                            ("l2-tlb-misses-data", "L2_TLB_MISS_DATA"), ("page-walks", "MMU_TABLE_WALK_DATA")):
            self.assertIn(f" {event} ", lauka("list", "--chip", "as4", name).stdout)
        self.assertIn("; perhaps INST_BRANCH", lauka("list", "--chip", "as4", "INST_BRNCH").stderr)

    def test_json(self):
        events = json.loads(lauka("list", "--chip", "M2", "--json", "LDST").stdout)
        self.assertIn({"chip": "a15", "name": "INST_LDST", "number": 155, "counters": [7],
                       "portable": None}, events)
