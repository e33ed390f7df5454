"""What lauka reports about the machine, and what it does about it. run.py runs these tests."""
import json
import os
import re
import signal
import subprocess

import run
import workers
from run import InScratch, LAUKA, lauka, lauka_as_nobody, program, result_of
from workers import alone


class Doctor(InScratch):
    def test_every_finding_has_a_source_an_effect_and_the_floor_is_measured(self):
        told = json.loads(lauka("doctor", "--json").stdout)
        for finding in told["findings"]:
            self.assertIn(finding["weight"], ("fine", "unknown", "minor", "matters"))
            self.assertTrue(finding["source"] and finding["effect"] and finding["found"], finding)
        floor = told["spawn_floor_ns"]
        if floor is not None:  # a machine may forbid executing files in memory
            self.assertGreater(floor["least"], 1000)
            self.assertLessEqual(floor["least"], floor["median"])
        self.assertGreater(told["clock_cost_ns"], 0)

    def test_the_floor_stands_beside_a_result_that_is_near_it_and_beside_no_other(self):
        told = json.loads(lauka("doctor", "--json").stdout)["spawn_floor_ns"]
        if told is None:
            self.skipTest("files in memory cannot be executed here")
        for command in (run.program("empty"), "true", "sleep 0.1"):
            result = result_of("-r", "10", command)
            least = result["results"][0]["min"] * 1e9
            notes = [w for w in result["warnings"] if "starting and reaping an empty program takes" in w]
            if told["least"] > least / 2:  # between these bounds, both are possible
                self.assertEqual(len(notes), 1, (command, least, told))
                self.assertIn(f"wall time of `{command}`", notes[0])
                self.assertIn("resolution of the clock is ", notes[0])
                took, unit, share = re.search(r"takes ([\d.]+) (\S+) here.*: about (\d+) % of", notes[0]).groups()
                took = float(took) * {"ns": 1, "\N{MICRO SIGN}s": 1e3, "ms": 1e6}[unit]
                self.assertAlmostEqual(float(share), 100 * took / least, delta=1)  # it may be more than all of it
            elif told["least"] < least / 12:
                self.assertEqual(notes, [], (command, least, told))

    def test_no_line_is_wider_than_the_terminal(self):
        for columns, locale in ((20, "C"), (20, "C.UTF-8"), (80, "C"), (120, "C.UTF-8")):
            done = lauka("doctor", env={"COLUMNS": str(columns), "LC_ALL": locale})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), columns)
            self.assertTrue(locale != "C" or done.stdout.isascii())
        self.assertIn("spawn floor", lauka("doctor").stdout)

    def test_it_ends_with_what_matters(self):
        short, full = lauka("doctor", env={"COLUMNS": "80"}).stdout, lauka("doctor", "--full").stdout
        verdict = short.split("\n\n")[-1].replace("\n", " ")
        matter = re.findall(r"^matters  (.*?)  ", short, re.M)
        if matter:
            self.assertRegex(verdict, rf"^{len(matter)} things? matters?: {', '.join(matter)}\.")
        else:
            self.assertTrue(verdict.startswith("Nothing here matters"), verdict)
        for weight in ("fine", "unknown"):  # of these the names, unless all of it is asked for
            listed = re.findall(rf"^{weight} .*", short, re.M)
            self.assertLessEqual(len(listed), 1)
            self.assertEqual(bool(listed), f"\n{weight} " in "\n" + full)
        self.assertNotIn("all of it with --full", full)

    def test_it_takes_no_commands(self):
        self.assertEqual(lauka("doctor", "true").returncode, 2)

    @alone("it keeps every CPU busy")
    def test_a_quiet_machine_can_be_required(self):
        eater = subprocess.Popen(["sh", "-c", "while :; do :; done & while :; do :; done & "
                                  "while :; do :; done & while :; do :; done & wait"],
                                 start_new_session=True)
        try:
            ran = self.path("ran")
            codes = []
            for _ in range(5):  # four loops may not be seen to want two CPUs at the first look
                done = lauka("--require-quiet", "-r", "1", "--", "touch", ran)
                codes.append(done.returncode)
                if done.returncode == 6:
                    break
            if (os.cpu_count() or 1) <= 4:
                self.assertEqual(codes[-1], 6, done.stderr)
                self.assertIn("--require-quiet: this machine is not: ", done.stderr)
                self.assertFalse(os.path.exists(ran))
        finally:
            os.killpg(eater.pid, 9)
            eater.wait()


class QuietMachine(InScratch):
    def test_commands_share_a_set_that_lauka_keeps_off_and_the_report_names_it(self):
        allowed = sorted(os.sched_getaffinity(0))
        out = self.path("out")
        show = f"grep Cpus_allowed_list /proc/self/status >>{out}"
        result = result_of("-r", "3", "--quiet-machine", "-S", show, f"{show};")
        note = next(w for w in result["warnings"] if w.startswith("--quiet-machine: "))
        sets = set(open(out).read().split()[1::2])
        self.assertEqual(len(sets), 1)
        if len(allowed) > 1 and "no CPU could" not in note:
            cpus = sets.pop()
            self.assertIn(f"on CPU{'' if cpus.isdigit() else 's'} {cpus}, lauka on the others", note)
            self.assertIn({"name": "pin", "value": cpus, "given": False}, result["run"]["options"])
        self.assertIn("priority", note)
        self.assertEqual(sorted(os.sched_getaffinity(0)), allowed)

    def test_what_was_pinned_is_called_so(self):
        allowed = sorted(os.sched_getaffinity(0))
        for cpus in (allowed, allowed[:1]):
            pin = ",".join(map(str, cpus))
            notes = result_of("-r", "1", "--quiet-machine", "--pin", pin, "true")["warnings"]
            note = next(w for w in notes if w.startswith("--quiet-machine: "))
            self.assertIn(f"on CPU{'s' if len(cpus) > 1 else ''} {pin}, as --pin says; ", note)
            self.assertNotIn("lauka on the others", note)
            self.assertEqual(any("leaves no CPU" in n for n in notes), len(cpus) == len(allowed))

    def test_without_the_right_to_it_priority_stays_as_it_is(self):
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        done = lauka_as_nobody("--json", "-r", "1", "--quiet-machine", "--", "/bin/sh", "-c",
                               f"[ $(cut -d' ' -f19 /proc/self/stat) = {os.nice(0)} ]", cwd="/")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("their priority could not be raised (Permission denied", done.stdout)


class Order(InScratch):
    def words(self, *options):
        log = self.path("log")
        if os.path.exists(log):
            os.remove(log)
        result = result_of("-w", "1", *options, "-S", f"echo a >>{log}", f"echo b >>{log}",
                           f"echo c >>{log}")
        return "".join(open(log).read().split()), result

    def test_there_and_back(self):
        words, result = self.words("-r", "4", "--order", "abba")
        self.assertEqual(words[3:], "abccbaabccba")
        self.assertEqual(result["run"]["order"], ["abc".index(c) for c in words[3:]])

    def test_every_round_begins_with_the_next(self):
        self.assertEqual(self.words("-r", "4", "--order", "rotate")[0][3:], "abcbcacababc")

    def test_another_order_is_refused(self):
        done = lauka("--order", "baab", "true")
        self.assertEqual(done.returncode, 2)
        self.assertIn("shuffle, abba, rotate or sequential", done.stderr)

    def test_one_command_after_the_other_with_a_warning(self):
        words, result = self.words("-r", "3", "--order", "sequential")
        self.assertEqual(words, "aaaabbbbcccc")
        self.assertTrue(result["run"]["unpaired"])
        self.assertEqual([len(r["times"]) for r in result["results"]], [3, 3, 3])
        self.assertTrue(any("so drift (" in w for w in result["warnings"]))

    def test_what_holds_for_all_commands_is_said_once(self):
        result = result_of("--backend", "simulated:no-pmu", "-r", "3", "--order", "sequential", "a", "b", "c")
        told = [w for w in result["warnings"] if "cannot count" in w]
        self.assertEqual(len(told), 1)
        self.assertTrue(told[0].startswith("cannot count"))

    def test_setup_runs_and_cleanup_come_command_by_command(self):
        log = self.path("log")
        build = self.path("prog")
        result = result_of("-w", "0", "-r", "2", "--order", "sequential", "-L", "v", "1,2", "-s",
                           f"printf '#!/bin/sh\\necho {{v}} >>{log}\\n' >{build}; chmod +x {build}; echo s{{v}} >>{log}",
                           "-c", f"echo c{{v}} >>{log}", build)
        self.assertEqual(open(log).read().split(), ["s1", "1", "1", "c1", "s2", "2", "2", "c2"])
        self.assertEqual(len(result["results"]), 2)

    def test_a_failure_ends_a_sequence_with_what_is_known(self):
        done = lauka("-r", "3", "--full", "--order", "sequential", "true", "false", "true")
        self.assertEqual(done.returncode, 5)
        self.assertIn("false: failed with exit code 1", done.stderr)
        self.assertIn("3 runs of true", done.stdout)


class Disturbance(InScratch):
    def test_waiting_for_a_cpu_is_told_and_shown_on_request(self):
        result = result_of("-r", "4", "sleep 0.01")
        metric = result["results"][0]["metrics"]["run_delay"]
        self.assertEqual((metric["unit"], metric["source"], metric["detail"]),
                         ("ns", "schedstat", True))
        if os.path.exists("/proc/self/schedstat"):
            self.assertEqual(metric["count"], 4)
            for delay, wall in zip(metric["values"], result["results"][0]["times"]):
                self.assertLessEqual(delay, wall * 1e9)
        self.assertNotIn("run_delay", lauka("-r", "2", program("empty")).stdout)
        self.assertIn("run_delay", lauka("-r", "2", "--metrics=all", program("empty")).stdout)

    @workers.alone("it makes load, on one CPU")
    def test_who_shares_a_cpu_waits_for_it(self):
        cpu = {min(os.sched_getaffinity(0))}
        works = self.script("works", "#!/bin/sh\ni=0\nwhile [ $i -lt 60000 ]; do i=$((i + 1)); done\n")
        busy = subprocess.Popen(["sh", "-c", "while :; do :; done"],
                                preexec_fn=lambda: os.sched_setaffinity(0, cpu))
        try:
            done = subprocess.run([LAUKA, "--json", "-w", "0", "-r", "5", works], check=True, capture_output=True,
                                  stdin=subprocess.DEVNULL, preexec_fn=lambda: os.sched_setaffinity(0, cpu))
        finally:
            busy.kill()
            busy.wait()
        about = json.loads(done.stdout)["results"][0]
        if os.path.exists("/proc/self/schedstat"):
            for delay, wall in zip(about["metrics"]["run_delay"]["values"], about["times"]):
                self.assertTrue(1e6 < delay < wall * 1e9, (delay, wall))

    def test_short_runs_are_not_spared_what_was_asked_for(self):
        for asked in (["--metrics=all"], ["-w", "0"]):
            result = result_of("-r", "3", *asked, program("empty"))
            metric = result["results"][0]["metrics"]["run_delay"]
            if os.path.exists("/proc/self/schedstat"):
                self.assertEqual(metric["count"], 3)

    def test_what_the_machine_lacked_is_told(self):
        run = result_of("-r", "2", "sleep 0.6")["run"]
        for key, source in [("pressure", "/proc/pressure/cpu"), ("steal", "/proc/stat")]:
            if os.path.exists(source):
                self.assertTrue(0 <= run[key] <= 1)

    def test_it_is_told_in_batches_and_shown_on_request(self):
        path = self.path("result.json")
        done = lauka("--max-time", "2.5", "-m", "2", "--metrics=all", f"--json={path}", "sleep 0.3")
        with open(path) as file:
            run = json.load(file)["run"]
        batches = run["batches"]
        self.assertEqual(sum(batch["rounds"] for batch in batches), run["rounds"])
        self.assertGreater(len(batches), 1)
        for key, source in [("pressure", "/proc/pressure/cpu"), ("steal", "/proc/stat")]:
            if os.path.exists(source):
                self.assertTrue(all(0 <= batch[key] <= 1 for batch in batches[:-1]), batches)
        if run["steal"] is not None:
            self.assertIn("; steal ", " ".join(done.stdout.split()))
        lauka("report", f"--json={path}.again", path)
        with open(path + ".again") as file:
            self.assertEqual(json.load(file)["run"]["batches"], batches)

    def test_memory_that_cannot_be_measured_is_missing_and_said(self):
        done = lauka("-r", "2", "--full", "--tree-memory", program("empty"))
        self.assertRegex(done.stdout, r"(?m)^ *tree_memory  ")
        if "cannot measure tree_memory: " not in done.stdout:
            self.assertRegex(done.stdout, r"(?m)^ *tree_memory .*[KM]iB")  # this machine has a usable cgroup
        self.assertNotIn("tree_memory", lauka("-r", "2", "--metrics=all", program("empty")).stdout)

    def test_a_set_that_leaves_no_cpu_for_lauka_is_said(self):
        if not hasattr(os, "sched_getaffinity"):
            self.skipTest("CPUs cannot be selected on this system")
        cpus = sorted(os.sched_getaffinity(0))
        everything = ",".join(map(str, cpus))
        words = "leaves no CPU for lauka itself"
        self.assertIn(words, " ".join(lauka("-r", "2", "--pin", everything, program("empty")).stdout.split()))
        if len(cpus) > 1:
            done = lauka("-r", "2", "--pin", str(cpus[0]), program("empty"))
            self.assertNotIn(words, " ".join(done.stdout.split()))


class Selftest(InScratch):
    def test_known_work_is_run_in_every_way(self):
        done = lauka("doctor", "--selftest")
        self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(done.stdout)
        self.assertEqual([(run["kind"], run["threads"], run["expected_instructions"] // 20_000_000)
                          for run in told["runs"]],
                         [("loop", 1, 10), ("loop", 8, 80), ("loop", 1, 10), ("loop", 8, 80), ("exec", 2, 3),
                          ("killed", 1, 1), ("sampled", 8, 8), ("fixed_only", 1, 1)])
        for run in told["runs"]:
            killed = run["kind"] == "killed"
            self.assertEqual((run["outcome"], run["code"]), (1, signal.SIGKILL) if killed else (0, 0))
            self.assertGreater(run["user_ns"] + run["system_ns"], 0)
            for count in run["counts"]:
                if count["event"].startswith("instructions") and count["value"] is not None:
                    self.assertGreaterEqual(count["value"], run["expected_instructions"])
        self.assertIn("probe", told)
