"""System calls and other tracepoints, which the kernel counts without a PMU. run.py runs these tests."""
import json
import os
import re
import shutil
import subprocess
import unittest

from run import InScratch, lauka, lauka_as_nobody, program, result_of

NUMBER = "events/raw_syscalls/sys_enter/id"
FOLDERS = ("/sys/kernel/tracing", "/sys/kernel/debug/tracing")


def can_count():
    """Whether this machine lets us count them. The test asks the system, because a lauka that fails
    would excuse itself."""
    return any(os.access(os.path.join(folder, NUMBER), os.R_OK) for folder in FOLDERS) and os.geteuid() == 0


def by_strace(*words):
    """Returns the number of calls that strace counted. It includes execve(2), which lauka does not
    count, and lacks exit, which lauka does."""
    done = subprocess.run(["strace", "-f", "-c", *words], capture_output=True, text=True, timeout=60)
    total = re.search(r"(?m)^100\.00 +\S+ +\S+ +(\d+) .*total$", done.stderr)
    return int(total[1])


class Names(unittest.TestCase):
    def test_a_tracepoint_is_taken_for_one_and_not_for_a_modifier(self):
        for name in ("syscalls", "raw_syscalls:sys_enter", "sched:sched_switch", "system-calls"):
            metrics = result_of("--backend", "simulated", "-r", "2", "-e", name, "a")["results"][0]["metrics"]
            self.assertIn(name if ":" in name else "syscalls", metrics)

    def test_modes_of_the_cpu_are_those_of_events_only(self):
        for name, why in (("sched:sched_switch:u", "in the kernel, and never in user mode"),
                          ("syscalls:u", "in the kernel, and never in user mode"),
                          ("cycles:x", "only :u (user mode), :k (kernel)")):
            done = lauka("-e", name, "true")
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), name)
            self.assertIn(why, done.stderr)

    def test_it_leads_out_of_no_folder(self):
        for name in ("..:..", "../x:y", "a:b/../../c"):
            self.assertEqual(lauka("-e", name, "true").returncode, 2, name)


@unittest.skipUnless(can_count(), "tracepoints cannot be counted here")
class Tracepoints(InScratch):
    @unittest.skipUnless(shutil.which("strace") or os.environ.get("CI"), "strace is not installed")
    def test_system_calls_are_as_many_as_strace_counts(self):
        for words in ([program("empty")], [program("calls"), "100"]):
            metrics = result_of("-r", "6", "-e", "syscalls,raw_syscalls:sys_enter", " ".join(words))
            metrics = metrics["results"][0]["metrics"]
            for name in ("syscalls", "raw_syscalls:sys_enter"):
                self.assertEqual(set(metrics[name]["values"]), {by_strace(*words)}, name)
                self.assertEqual(metrics[name]["share"], 1)

    def test_those_of_descendants_are_counted_and_of_runs_one_by_one_as_many(self):
        shell = self.script("shell", f"#!/bin/sh\n{program('calls')} 50\n{program('calls')} 150\n")
        for further in ((), ("-p", "true")):  # with a hook before each run, each run opens its own events
            empty, calls, twice = (entry["metrics"]["syscalls"]["values"] for entry in result_of(
                "-r", "6", "-e", "syscalls", program("empty"), f"{program('calls')} 200", shell, *further)["results"])
            self.assertEqual({b - a for a, b in zip(empty, calls)}, {200})
            self.assertTrue(all(count > 200 + 2 * a for a, count in zip(empty, twice)), twice)

    def test_repeatable_counts_are_exact_and_can_be_gated(self):
        less, more = (f"{program('calls')} {n}" for n in (200, 201))
        for head, code in ((less, 0), (more, 3)):
            done = lauka("-q", "-r", "6", "-e", "syscalls", "--gate", "syscalls=0%", less, head)
            self.assertEqual(done.returncode, code, done.stdout)
            self.assertRegex(done.stdout, r"syscalls +\S+ %? ?exact +limit 0 %" if code else "syscalls +0 % exact")
        self.assertEqual(lauka("-q", "-r", "6", "-e", "raw_syscalls:sys_enter",
                               "--gate", "raw_syscalls:sys_enter=0%", less, more).returncode, 3)

    def test_by_name_they_are_as_many_as_strace_counts(self):
        def told(*arguments, **keywords):
            return result_of("--why", "--sampled=5ms", "-w", "0", "-r", "1", "-e", "none", *arguments, **keywords)["system_calls"][0]
        commands = (f"{program('calls')} 9", f"{program('calls')} 30 7")
        hook = ("-p", f"{program('calls')} 500")  # its calls are not the command's
        os.symlink("/bin/sh", self.path("sh"))
        ours = told(*hook, *commands, env={"PATH": self.folder})  # the path contains neither valgrind nor strace
        self.assertEqual((ours["source"], ours["spread"]), ("tracepoints", 0))
        self.assertEqual(ours["rows"][0], {"name": "getppid", "calls": {"before": 9, "after": 30}, "spread": 0})
        self.assertEqual(ours["calls"], {"before": by_strace(*commands[0].split()), "after": by_strace(*commands[1].split())})

    def test_the_list_finds_them(self):
        listed = {event["name"]: event for event in json.loads(lauka("list", "--json", "sched_sw").stdout)}
        self.assertEqual((listed["sched:sched_switch"]["countable"], listed["sched:sched_switch"]["pmu"]),
                         (True, "tracepoint"))
        self.assertTrue(all("sched_sw" in name for name in listed), list(listed))
        self.assertRegex(lauka("list", "syscalls").stdout, r"(?m)^  syscalls  .* system calls of the command")
        everything = lauka("list").stdout
        self.assertNotIn("sched_switch", everything)  # there are thousands
        self.assertIn("lauka list sched", everything)

    def test_one_that_is_not_there_gets_the_nearest(self):
        done = lauka("-e", "sched:sched_swich", "true")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no such tracepoint; perhaps sched:sched_switch", done.stderr)

    def test_under_sudo_the_launcher_reads_what_the_user_may_not(self):
        found = result_of("-r", "2", "-e", "syscalls", program("calls") + " 9",
                          env={"SUDO_UID": "65534", "SUDO_GID": "65534", "SUDO_USER": "nobody"}, cwd="/")
        self.assertGreater(found["results"][0]["metrics"]["syscalls"]["min"], 9)


class NotAllowed(unittest.TestCase):
    @unittest.skipIf(any(os.path.exists(os.path.join(folder, NUMBER)) for folder in FOLDERS) and os.geteuid() != 0,
                     "tracefs is open to this user")
    def test_one_line_names_what_is_in_the_way_and_what_to_do(self):
        done = lauka_as_nobody("-q", "-r", "1", "-e", "raw_syscalls:sys_enter", "--require-counters", "true", cwd="/")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (6, 1), done.stderr)
        for words in ("tracefs", "perf_event_paranoid", "seccomp", "run lauka as root", "--cap-add PERFMON"):
            self.assertIn(words, done.stderr)

    def test_the_list_says_where_they_are(self):
        done = lauka_as_nobody("list", "sched:", cwd="/")
        if done.returncode != 0:
            self.assertIn("tracefs", done.stderr)
