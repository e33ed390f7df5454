#!/usr/bin/env python3
"""Counts on a real PMU, in an emulated machine: python3 tests/vm/run.py PROGRAMS

PROGRAMS is a folder of static arm64 programs: lauka, loop, and test programs. If the machine cannot be
started, CI fails; otherwise the reason is printed."""
import concurrent.futures
import errno
import glob
import json
import os
import re
import statistics
import sys
import unittest

import machine

PROGRAMS = ""
TURN = 2  # instructions in one iteration of the loop
# The hardware has six counters, and one for cycles. Raw event numbers that it does not implement count 0.
SEVEN = "cycles,r8:u,r11:u,r12:u,r13:u,r14:u,r15:u"
EIGHT = SEVEN + ",instructions:u"

SCRIPT = """
# NAME ARGUMENTS...: one run of lauka and what came of it.
keep() {
    name=$1
    shift
    ./lauka -q -w 0 --full "$@" >/out/$name.table 2>/out/$name.error
    echo $? >/out/$name.code
}
as_user() {
    name=$1
    shift
    quoted=
    for word; do quoted="$quoted '$word'"; done
    su user -c "cd /box; ./lauka -q -w 0 --full $quoted >/out/$name.table 2>/out/$name.error; echo \\$? >/out/$name.code"
}
"""

COUNTED = SCRIPT + f"""
for n in 1 2 3; do
    keep work$n --json=/out/work$n.json -r 5 -e instructions:u './loop 1000000' './loop 1001000'
done
keep seven --json=/out/seven.json -r 3 --no-multiplex -e {SEVEN} './loop 1000000'
keep eight --json=/out/eight.json -r 3 --multiplex=time -e {EIGHT} './loop 20000000'
keep refused -r 3 --no-multiplex -e {EIGHT} './loop 1000000'
keep rounds --json=/out/rounds.json -r 6 -e {EIGHT} './loop 3000000' './loop 3001000'
keep turns --json=/out/turns.json -r 40 -e {EIGHT} './loop 1000' './loop 2000'
./refusing open 0 {errno.EINVAL} /tmp/count ./lauka -q -w 0 --full -r 40 -e {EIGHT} './loop 1000' './loop 2000'
cp /tmp/count /out/opens_turns
keep usual --json=/out/usual.json -r 3 './loop 20000000'
keep pmu --json=/out/pmu.json -r 3 -e armv8_pmuv3/inst_retired/u,inst_retired:k,r8:u './loop 1000000'
./lauka list retired >/out/list.table
./lauka list --json >/out/lists.table
keep group --json=/out/group.json -r 3 -e '{{instructions,r8}}:u' './loop 1000000'
keep required -r 3 --require-counters './loop 1000000'
keep sampled --sampled=600ms --json=/out/sampled.json -r 2 -e none './loop 20000000' './loop 40000000'
keep nearest -r 3 -e inst_retird './loop 1000000'
# NAME ARGUMENTS...: benchmarks inside two programs, of which the second one does a turn more in a thousand.
inner() {{
    name=$1
    shift
    ./lauka suite -q --full --json=/out/$name.json "$@" -- ./inner 1000 --vs ./inner 1001 >/out/$name.table 2>/out/$name.error
    echo $? >/out/$name.code
}}
inner inner --seed=1 -r 20 -e instructions:u,cycles
inner inner_turns --seed=1 -r 40 --benchmark=few -e {EIGHT}
inner inner_usual --seed=1 -r 20 --benchmark=few
sysctl -w kernel.perf_event_paranoid=2 >/dev/null
su user -c "cd /box; ./lauka suite -q --full --json=/out/inner_user.json -r 10 --benchmark=few -e instructions -- ./inner 1000 --vs ./inner 1001" >/out/inner_user.table 2>/out/inner_user.error
echo $? >/out/inner_user.code
as_user paranoid2 --json=/out/paranoid2.json -r 3 -e instructions,task-clock,cpu-migrations './loop 1000000' './loop 1001000'
cp loop /tmp/setuid; chmod 4755 /tmp/setuid
cp loop /tmp/unreadable; chmod 711 /tmp/unreadable
as_user vanished --json=/out/vanished.json -r 3 -e instructions:u,task-clock './loop 1000000' '/tmp/setuid 1000000' '/tmp/unreadable 1000000' 'sh -c "exec /tmp/setuid 9000000"'
as_user partly --json=/out/partly.json -r 4 -e instructions:u,task-clock 'sh -c "./loop 10000000; /tmp/setuid 1000000"' 'sh -c "./loop 10000000; /tmp/setuid 2400000"' 'sh -c "./loop 10000000; ./loop 1000000"' 'sh -c "./loop 10000000; /tmp/unreadable 10"'
as_user partly_required -r 4 --require-counters -e instructions:u 'sh -c "./loop 10000000; /tmp/setuid 1000000"'
keep as_root --json=/out/as_root.json -r 3 -e instructions:u './loop 1000000' 'sh -c "/tmp/setuid 1000000"'
sysctl -w kernel.perf_event_paranoid=3 >/dev/null
as_user paranoid3 --json=/out/paranoid3.json -r 3 './loop 1000000'
as_user paranoid3_required -r 3 --require-counters './loop 1000000'
./test_events
./test_counters
watchdog=/proc/sys/kernel/nmi_watchdog
cat $watchdog >/out/watchdog
hold() {{
    name=$1
    ./holding ./lauka -q -w 0 --full -r 2 --no-multiplex -e {SEVEN} './loop 1000000' >/out/$name.table 2>/out/$name.error
    echo $? >/out/$name.code
}}
hold taken
echo 0 >$watchdog
hold profiler
"""

# Regions of a program are read with read(2) if the kernel forbids another way, and refused to users.
COUNTED_REGIONS = """
sysctl -w kernel.perf_user_access=1 >/dev/null
./regions >/out/open.regions
./sorted >/out/micro.table
./tails >/out/tails.table
sysctl -w kernel.perf_user_access=0 >/dev/null
./regions >/out/closed.regions
su user -c 'cd /box; ./regions' >/out/refused.regions
"""

WITHOUT_PMU = SCRIPT + """
keep usual --json=/out/usual.json -r 3 './loop 1000000'
keep software --json=/out/software.json -r 3 -e task-clock,page-faults './loop 1000000'
mkdir /tmp/cgroup
mount -t cgroup2 none /tmp/cgroup
keep no_controller -r 3 --tree-memory --json=/out/no_controller.json './memory 1'
echo +memory >/tmp/cgroup/cgroup.subtree_control
mkdir -p /tmp/cgroup/mine/leaf
echo $$ >/tmp/cgroup/mine/leaf/cgroup.procs
keep tree -r 12 --tree-memory --json=/out/tree.json -p 'echo hook >/dev/null' './memory 16' './memory 16 ./memory 16'
as_user not_ours -r 3 --tree-memory --json=/out/not_ours.json './memory 1'
chown -R user /tmp/cgroup/mine
echo +memory >/tmp/cgroup/mine/cgroup.subtree_control
as_user delegated -r 3 --tree-memory --json=/out/delegated.json './memory 8'
find /tmp/cgroup -name 'lauka*' >/out/cgroups_left
tracing=/sys/kernel/tracing
calls='dd if=/dev/zero of=/dev/null bs=1 count='
keep no_tracefs --require-counters -r 1 -e syscalls "${calls}1"
mount -t tracefs none $tracing
keep calls --json=/out/calls.json -r 4 -e syscalls,raw_syscalls:sys_enter,raw_syscalls:sys_exit "${calls}100" "${calls}200" './loop 1000' './loop 100000'
./lauka list --json sys_enter >/out/tracepoints.table
keep named --why --sampled=100ms --json=/out/named.json -r 2 -e none "${calls}100" "${calls}200"
as_user closed_tracefs --require-counters -r 1 -e syscalls "${calls}1"
chmod a+rx $tracing $tracing/events
chmod -R a+rX $tracing/events/raw_syscalls
sysctl -w kernel.perf_event_paranoid=1 >/dev/null
as_user calls_at_1 --json=/out/calls_at_1.json -r 4 -e syscalls "${calls}100" "${calls}200"
sysctl -w kernel.perf_event_paranoid=2 >/dev/null
as_user calls_at_2 --require-counters -r 1 -e syscalls,task-clock "${calls}1"
as_user unprivileged --json=/out/unprivileged.json -r 3 './loop 1000000'
"""

# The errors that perf_event_open may return, and words of the advice for each.
REFUSALS = {"EACCES": "kernel.perf_event_paranoid", "EPERM": "--cap-add PERFMON",
            "ENOSYS": "seccomp=unconfined", "ENOENT": "has no PMU|this CPU does not have the event",
            "EINVAL": "choose another event", "EOPNOTSUPP": "choose another event",
            "ENODEV": "offline", "EMFILE": "ulimit -n", "ENFILE": "fs.file-max",
            "ESRCH": "already gone", "E2BIG": "uname -r", "EBUSY": "NMI watchdog"}

# `refuse KIND NUMBER ERRNO EVENTS` runs a session in which that call of a kind fails; `each` tries every
# number.
REFUSED = SCRIPT + """
refuse() {
    name=$1_$2_$3
    ./refusing $1 $2 $3 /tmp/count ./lauka -q -w 0 --full -r 1 --json=/out/$name.json -e $4 \\
        './loop 1000' >/out/$name.table 2>/out/$name.error
    echo $? >/out/$name.code
}
each() {
    refuse $1 0 $2 $3
    cp /tmp/count /out/$1_$2.count
    n=0
    while [ $((n += 1)) -le $(cat /out/$1_$2.count) ]; do refuse $1 $n $2 $3; done
}
"""

# CPUs 0 and 1 are little, 2 and 3 are big. Every other run of `wander` is on a little one.
TWO_KINDS = SCRIPT + f"""
uname -r >/out/kernel
cat >wander <<'END'
#!/bin/busybox sh
if mkdir /tmp/elsewhere 2>/dev/null; then
    exec taskset -c 0 ./loop 10000000
fi
rmdir /tmp/elsewhere
exec ./loop 10000000
END
chmod +x wander
keep pinned_P --json=/out/pinned_P.json -r 4 --pin P -e instructions:u,cycles,task-clock,r8:u './loop 1000000' './loop 1100000'
keep pinned_E --json=/out/pinned_E.json -r 4 --pin 0-1 -e instructions:u,cycles,task-clock,r8:u './loop 1000000' './loop 1100000'
keep both --json=/out/both.json -r 6 -e instructions:u,cycles,task-clock,page-faults 'sh -c "taskset -c 0 ./loop 4000000; taskset -c 3 ./loop 2000000"' './loop 3000000'
keep apart --json=/out/apart.json -r 3 'taskset -c 3 ./loop 5000000' 'taskset -c 0 ./loop 5000000'
keep details --per-core-type -r 3 --pin P './loop 1000000'
keep eight --json=/out/eight.json -r 3 --multiplex=time -e {EIGHT} './loop 20000000'
keep rounds --json=/out/rounds.json -r 6 -e {EIGHT} 'sh -c "taskset -c 0 ./loop 2000000; taskset -c 3 ./loop 2000000"'
keep refused -r 3 --no-multiplex -e {EIGHT} './loop 1000000'
keep repeated --json=/out/repeated.json -r 3 --pin P --require-core P -e cycles ./wander
rmdir /tmp/elsewhere 2>/dev/null
keep never -r 3 --require-core P -e cycles 'taskset -c 0 ./loop 1000000'
keep none_required -r 3 --require-core P -e none './loop 1000000'
# The fewest descriptors with which the event can be opened leave none for the clock of every CPU.
few=12
until grep -q '^ *instructions:u *[1-9]' /out/few_files.table || [ $few = 40 ]; do
    ulimit -Sn $((few += 1))
    keep few_files --json=/out/few_files.json -r 3 --pin P -e instructions:u './loop 1000000'
done
keep few_files_required -r 3 --pin P --require-core P -e instructions:u './loop 1000000'
ulimit -Sn 1024
# NAME CPU ARGUMENTS...: lauka looks at a program that is busy on this CPU, with pauses: the emulator
# gives the others a turn when a timer is set, and one that never sleeps may leave them none.
threads() {{
    name=$1
    taskset -c $2 ./loop 1000000 1000000 &
    shift 2
    until grep -q '^loop' /proc/$!/comm; do usleep 1000; done
    ./lauka threads $! "$@" >/out/$name.table 2>/out/$name.error
    kill $!
}}
threads threads_E 0 --interval 100 -r 1 --json
threads threads_P 3 --interval 100 -r 1 --json
threads threads 3 --interval 20 -r 1
threads threads_once 3 --json
mkdir /tmp/cpuset
mount -t cgroup2 none /tmp/cpuset
echo +cpuset >/tmp/cpuset/cgroup.subtree_control
for cpus in 0-2 0-1; do
    mkdir /tmp/cpuset/$cpus
    echo $cpus >/tmp/cpuset/$cpus/cpuset.cpus
    echo $$ >/tmp/cpuset/$cpus/cgroup.procs
    keep cpuset_$cpus --json=/out/cpuset_$cpus.json -r 3 --pin P --require-core P -e instructions:u './loop 1000000'
    echo $$ >/tmp/cpuset/cgroup.procs
done
cpu3=/sys/devices/system/cpu/cpu3/online
if echo 0 >$cpu3; then
    keep offline --json=/out/offline.json -r 3 --pin P -e instructions:u './loop 1000000' './loop 1001000'
    echo 1 >$cpu3
fi
keep no_such_cpus -r 3 --pin 2-9 './loop 1000000'
keep no_such_kind -r 3 --pin M './loop 1000000'
keep one_kind --json=/out/one_kind.json -r 3 -e armv8_cortex_a72/inst_retired/u 'taskset -c 3 ./loop 1000000'
keep mostly_elsewhere --json=/out/mostly_elsewhere.json -r 3 -e armv8_cortex_a72/inst_retired/u 'sh -c "taskset -c 0 ./loop 20000000; taskset -c 3 ./loop 1000000"'
keep each_pmu --json=/out/each_pmu.json -r 3 -e inst_retired:u 'sh -c "taskset -c 0 ./loop 20000000; taskset -c 3 ./loop 10000000"'
./lauka list --json retired >/out/lists.table
sysctl -w kernel.perf_event_paranoid=2 >/dev/null
as_user paranoid2 --json=/out/paranoid2.json -r 3 --pin P './loop 1000000'
cp loop /tmp/setuid; chmod 4755 /tmp/setuid
as_user setuid_required -r 3 --pin P --require-core P '/tmp/setuid 20000000'
sysctl -w kernel.perf_event_paranoid=3 >/dev/null
as_user paranoid3 --json=/out/paranoid3.json -r 3 './loop 1000000'
as_user paranoid3_required -r 3 --require-core P './loop 1000000'
./test_counters
./test_topology
"""

# The same work in batches, whose runs share their open events, and in single runs, which open their own. A
# thread that joins another may spin a few hundred times before it waits; this depends on the C library. A
# shell waits once more if a child ends while it looks.
SPIN = 1500
CROWDS = ("./crowd 5000", "sh -c './loop 40000 & ./loop 50000; wait'", "./loop 30000 4", "sh -c 'exec ./loop 60000'")
BATCHES = SCRIPT + f"""
uname -r >/out/kernel
while read -r number command; do
    keep batch$number --json=/out/batch$number.json -r 40 -e instructions:u,page-faults,task-clock,cycles "$command"
    keep single$number --json=/out/single$number.json -r 8 --show-output -e instructions:u,page-faults,task-clock,cycles "$command"
done <<'END'
{"".join(f"{i} {command}{chr(10)}" for i, command in enumerate(CROWDS))}END
keep leftovers --json=/out/leftovers.json -r 20 -e instructions:u './loop 40000' 'sh -c "./loop 90000 & exec ./loop 40000"'
"""
# `refusing` only counts the calls here. On 6.1 it does not learn when the processes that it watches end.
COUNTED_OPENS = f"""
for way in -w0 --timeout=50 --show-output; do
    ./refusing open 0 {errno.EINVAL} /tmp/count ./lauka -q -w 0 --full -r 40 $way -e instructions:u './loop 1000'
    cp /tmp/count /out/opens$way
done
"""


class Booted(unittest.TestCase):
    script = ""
    pmu = True
    big_little = False
    kernel = "6.12"

    @classmethod
    def setUpClass(cls):
        programs = sorted(glob.glob(os.path.join(PROGRAMS, "*")))
        cls.files = machine.boot(programs, cls.script, pmu=cls.pmu,
                                 big_little=cls.big_little, version=cls.kernel)

    def result(self, name, code=0):
        self.assertEqual(self.files[name + ".code"].strip(), str(code), self.text(name))
        return json.loads(self.files[name + ".json"])

    def text(self, name):
        """Returns the output without line breaks."""
        return " ".join((self.files[name + ".table"] + self.files[name + ".error"]).split())

    def values(self, name, metric, command=0):
        return self.metric(name, metric, command)["values"]

    def metric(self, name, metric, command=0):
        return self.result(name)["results"][command]["metrics"][metric]


class WithCounters(Booted):
    script = COUNTED

    def test_two_loops_differ_by_exactly_the_known_work_run_after_run(self):
        for n in "123":
            ours, theirs = (self.metric("work" + n, "instructions:u", c)["values"] for c in (0, 1))
            self.assertEqual(len(set(ours)), 1, ours)
            self.assertEqual([b - a for a, b in zip(ours, theirs)], [1000 * TURN] * 5)
            self.assertEqual(ours, self.metric("work1", "instructions:u")["values"])

    def test_a_difference_without_noise_is_called_exact(self):
        self.assertRegex(self.text("work1"), r"instructions:u [^=]* exact higher")

    def test_seven_events_fit_and_are_not_estimates(self):
        self.assertNotIn("~", self.text("seven"))
        for metric in SEVEN.split(","):
            self.assertEqual(self.metric("seven", metric)["share"], 1, metric)
        self.assertEqual(self.metric("seven", "r8:u")["min"], self.metric("work1", "instructions:u")["min"])

    def test_the_eighth_shares_and_its_share_is_said(self):
        shares = [self.metric("eight", metric)["share"] for metric in EIGHT.split(",")]
        self.assertTrue(all(0.6 < share < 1 for share in shares), shares)
        self.assertRegex(self.files["eight.table"], r"(?m)^ *instructions:u +~(39\.9|40\.).* [6789]\d % ")
        self.assertIn("more events than counters", self.text("eight"))

    def test_an_estimate_is_near_the_truth(self):
        self.assertAlmostEqual(self.metric("eight", "instructions:u")["mean"] / 40e6, 1, delta=0.02)

    def test_without_multiplexing_what_fits_is_listed(self):
        self.assertEqual(self.files["refused.code"], "6\n")
        listed = self.text("refused").split("these do: ")[1].split("; or")[0].split(", ")
        self.assertEqual(len(listed), 7)
        self.assertIn("cycles", listed)
        self.assertNotIn("watchdog", self.text("refused"))
        self.assertLess(set(listed), set(EIGHT.split(",")))

    def test_rounds_take_turns_and_every_count_is_exact(self):
        for metric in ("r8:u", "instructions:u"):
            ours, theirs = (self.metric("rounds", metric, c)["values"] for c in (0, 1))
            self.assertEqual(self.metric("rounds", metric)["share"], 1)
            counted = [(a, b) for a, b in zip(ours, theirs) if a is not None]
            self.assertEqual(len(counted), 3, ours)
            self.assertEqual({b - a for a, b in counted}, {1000 * TURN})
            self.assertEqual([a is None for a in ours], [b is None for b in theirs])

    def test_short_runs_take_turns_in_batches_that_open_the_events_once(self):
        for metric in ("r8:u", "instructions:u"):
            ours, theirs = (self.metric("turns", metric, c)["values"] for c in (0, 1))
            counted = [(a, b) for a, b in zip(ours, theirs) if a is not None]
            self.assertEqual(len(counted), 20, ours)
            self.assertEqual({b - a for a, b in counted}, {1000 * TURN})
        self.assertIn("events took turns: each was counted in 20 of 40 rounds", self.text("turns"))
        # Eight events, two clocks, and the trials. 80 runs that open their own events would need 800 calls.
        self.assertLess(int(self.files["opens_turns"]), 400)

    def test_samples_are_of_cycles_where_these_can_be_counted(self):
        sampled = self.result("sampled")["sampled"]
        self.assertEqual((sampled["event"], sampled["kernel"]), ("cycles", True))
        about, = sampled["commands"]
        self.assertNotIn("reason", about)
        for side in ("before", "after"):
            self.assertGreater(about[side]["samples"], 200)
        own = max(about["rows"], key=lambda row: row["after"]["estimate"])
        self.assertEqual(own["object"], "")  # the program itself, not the kernel
        self.assertGreater(own["after"]["estimate"], 0.5)
        self.assertRegex(self.text("sampled"), r"samples \(cycles, \d+ rounds, kernel included\)")

    def test_a_group_is_counted_at_the_same_time(self):
        self.assertEqual(self.values("group", "instructions:u"), self.values("group", "r8:u"))

    def inner(self, name, benchmark, metric):
        """Returns the values of both sides, by round."""
        return [entry["metrics"][metric]["values"] for entry in self.result(name)["results"]
                if entry.get("benchmark", benchmark) == benchmark]

    def test_a_benchmark_inside_a_program_is_counted_from_question_to_answer(self):
        for benchmark, passes in ("few", 100), ("many", 1), ("thread", 1):
            ours, theirs = self.inner("inner", benchmark, "instructions:u")
            work = 2 * 1000 * (1000 // (1000 if benchmark == "few" else 1))
            exchange = [value - work for value in ours]
            self.assertEqual(len(ours), 20)
            self.assertTrue(all(0 < value < 20000 / passes for value in exchange), (benchmark, exchange))
            more = statistics.median(theirs) - statistics.median(ours)
            if benchmark != "thread":  # a thread that waits for another spins for a while
                self.assertAlmostEqual(more / (work / 1000), 1, delta=0.1, msg=benchmark)
        print("exchange of a round:", sorted(value - 2000000 for value in self.inner("inner", "many", "instructions:u")[0]))
        self.assertIn("counts are those of an iteration", self.text("inner"))

    def test_benchmarks_inside_programs_take_turns_by_processes(self):
        ours, _ = self.inner("inner_turns", "few", "instructions:u")
        counted = [value is not None for value in ours]
        self.assertEqual(sum(counted), 20, ours)
        self.assertEqual(counted[::4], counted[3::4])  # a process has four rounds
        self.assertTrue(all(2000 < value < 2200 for value in ours if value is not None), ours)

    def test_benchmarks_inside_programs_are_counted_unasked_and_by_users(self):
        ours, _ = self.inner("inner_usual", "few", "instructions")
        self.assertTrue(all(2000 < value < 2500 for value in ours), ours)
        ours, _ = self.inner("inner_user", "few", "instructions:u")
        self.assertTrue(all(2000 < value < 2200 for value in ours), ours)

    def test_ratios_are_made_of_one_group(self):
        ipc = self.metric("usual", "ipc")
        self.assertEqual(ipc["mean"], 1)  # true for this emulation
        self.assertAlmostEqual(self.metric("usual", "ghz")["mean"], 1, delta=0.01)

    def test_an_event_that_the_cpu_lacks_is_a_dash_and_explained(self):
        self.assertIsNone(self.metric("usual", "cache_misses")["mean"])
        self.assertIn("cannot count cache_references, cache_misses, branch_misses: this CPU does not",
                      self.text("usual"))

    def test_events_of_sysfs_count_the_same_as_raw_ones(self):
        self.assertEqual(self.metric("pmu", "armv8_pmuv3/inst_retired/u")["min"],
                         self.metric("pmu", "r8:u")["min"])
        self.assertGreater(self.metric("pmu", "armv8_pmuv3/inst_retired/k")["min"], 0)

    def test_the_list_says_what_opened(self):
        self.assertRegex(self.files["list.table"],
                         r"(?m)^armv8_pmuv3: can be counted here\n(?:  .*\n)*  armv8_pmuv3/inst_retired/")
        events = {event["name"]: event for event in json.loads(self.files["lists.table"])}
        self.assertEqual(events["cache_misses"]["description"], "misses in the first-level data cache")
        self.assertTrue(events["instructions"]["countable"])
        self.assertFalse(events["branch_misses"]["countable"])
        self.assertIn("this CPU does not", events["branch_misses"]["reason"])

    def test_required_counters_that_are_missing_end_the_session(self):
        self.assertEqual(self.files["required.code"], "6\n")
        self.assertIn("branch_misses", self.text("required"))

    def test_an_unknown_name_gets_the_nearest(self):
        self.assertEqual(self.files["nearest.code"], "2\n")
        self.assertIn("armv8_pmuv3/inst_retired/", self.text("nearest"))

    def test_at_paranoid_2_users_count_user_mode_and_it_is_said(self):
        ours, theirs = (self.metric("paranoid2", "instructions:u", c)["values"] for c in (0, 1))
        self.assertEqual({b - a for a, b in zip(ours, theirs)}, {1000 * TURN})
        self.assertIn("counted in user mode only", self.text("paranoid2"))

    def test_at_paranoid_2_what_the_kernel_shows_as_0_is_not_shown(self):
        self.assertIsNone(self.metric("paranoid2", "cpu_migrations")["mean"])
        self.assertIn("cannot count cpu_migrations: permission denied", self.text("paranoid2"))

    def test_at_paranoid_3_users_get_advice_and_a_result(self):
        self.assertIsNone(self.metric("paranoid3", "instructions")["mean"])
        self.assertGreater(self.metric("paranoid3", "wall_time")["mean"], 0)
        self.assertIn("set kernel.perf_event_paranoid to", self.text("paranoid3"))
        self.assertIn("cap_perfmon", self.text("paranoid3"))
        self.assertEqual(self.files["paranoid3_required.code"], "6\n")

    def test_a_small_program_that_the_kernel_lets_nobody_count_is_noticed(self):
        results = self.result("partly")["results"]
        self.assertEqual([result.get("unwatched") for result in results], [True, True, None, True])
        self.assertIsNotNone(self.metric("partly", "instructions:u", 1)["mean"])
        for comparison in self.result("partly")["comparisons"]:
            if comparison["metric"] == "instructions:u":
                self.assertEqual(comparison["verdict"], "inconclusive", comparison)
        self.assertIn("it starts a program that is set-uid or may not be read", self.text("partly"))
        self.assertEqual(self.files["partly_required.code"], "6\n")
        self.assertIn("under sudo with --as-root", self.text("partly_required"))

    def test_root_counts_everybodys_programs(self):
        for result in self.result("as_root")["results"]:
            self.assertNotIn("unwatched", result)
        for value in self.values("as_root", "instructions:u", 1):
            self.assertGreater(value, 2e6)
        self.assertNotIn("set-uid", self.text("as_root"))

    def test_programs_whose_events_vanish_are_not_counted(self):
        self.assertIsNotNone(self.metric("vanished", "instructions:u", 0)["mean"])
        for command in (1, 2, 3):
            for metric in ("instructions:u", "task_clock:u"):
                self.assertIsNone(self.metric("vanished", metric, command)["mean"], command)
        self.assertIn("set-uid", self.text("vanished"))

    def test_the_unit_tests_pass_here(self):
        self.assertEqual(self.files["stdout"].count(" 0 failed"), 2, self.files["stdout"])

    def test_a_counter_that_is_taken_is_missed_and_its_holder_named(self):
        self.assertEqual(self.files["watchdog"], "1\n")
        for name, holder in (("taken", "kernel.nmi_watchdog = 0 (sysctl) frees it"),
                             ("profiler", "another profiler holds a counter")):
            self.assertEqual(self.files[name + ".code"], "6\n")
            self.assertEqual(len(self.text(name).split("these do: ")[1].split("; ")[0].split(", ")), 6)
            self.assertIn(holder, self.text(name))


class Regions(Booted):
    """lauka_region.h in a program: WORK instructions, plus a few for reading."""
    script = COUNTED_REGIONS
    WORK = 2_000_000
    SLACK, READING = 10, 300  # allowed surplus: without and with the cost of reading
    EXACT, ESTIMATE = "2", "1"
    ABSENT, READ, USER_READ = "0", "2", "3"

    def rows(self, file):
        """Returns name -> [(count, quality, way, why)] for each event."""
        found = {}
        for line in self.files[file + ".regions"].splitlines():
            name, *words = line.split(None, 4)
            found.setdefault(name, []).append(words)
        return found

    def counts_the_work(self, file, name, way):
        for count, quality, found, *_ in self.rows(file)[name]:
            self.assertEqual((quality, found), (self.EXACT, way), (file, name))
            self.assertGreaterEqual(int(count), self.WORK)
            self.assertLess(int(count), self.WORK + self.READING)
        for count, quality, found, *_ in self.rows(file)["net-" + name]:
            self.assertAlmostEqual(int(count), self.WORK, delta=self.SLACK)

    def test_a_region_counts_the_known_work_with_or_without_a_system_call(self):
        self.counts_the_work("open", "user:instructions", self.USER_READ)
        self.counts_the_work("open", "call:instructions", self.READ)
        self.counts_the_work("open", "process:instructions", self.READ)
        self.counts_the_work("open", "pinned:instructions", self.USER_READ)

    def test_where_user_access_is_off_the_kernel_is_asked_and_it_is_said(self):
        self.counts_the_work("closed", "user:instructions", self.READ)

    def test_one_that_sleeps_counts_nothing(self):
        self.assertEqual(self.rows("open")["woken:instructions"][0][1], self.EXACT)
        self.assertEqual(self.rows("open")["asleep:instructions"][0][1], "0")

    def test_kernel_mode_counts_more(self):
        (count, quality, *_), = self.rows("closed")["both:instructions"]
        self.assertEqual(quality, self.EXACT)
        self.assertGreater(int(count), self.WORK + self.READING)

    def test_more_events_than_counters_are_estimates_or_unknown(self):
        rows = self.rows("open")["crowded:inst_retired"]
        self.assertEqual(len(rows), 9)
        for count, quality, *_ in rows:
            self.assertIn(quality, "012")
            if quality == self.EXACT:
                self.assertAlmostEqual(int(count) / self.WORK, 1, delta=0.01)

    def test_what_the_processor_lacks_and_what_is_refused_is_absent_and_explained(self):
        (_, quality, way, why), = self.rows("open")["lacks:branch-misses"]
        self.assertEqual((quality, way), ("0", self.ABSENT))
        self.assertIn("no such counter", why)
        (_, _, way, why), = self.rows("refused")["user:instructions"]
        self.assertEqual(way, self.ABSENT)
        self.assertIn("perf_event_paranoid", why)

    def test_the_counters_are_told(self):
        self.assertEqual(self.rows("open")["counters"], [["1", "6"]])
        self.assertEqual(self.rows("refused")["counters"], [["0", "0"]])

    def test_small_functions_are_counted_by_operation(self):
        times, counts = self.files["micro.table"].split("\n\n")
        self.assertRegex(times, r"(?m)^sorted +[\d.]+ +[\d.]+  .*(faster|slower|undecided)$")
        rows = {words[0]: words[1:] for words in map(str.split, counts.splitlines())}
        for name in "unsorted", "sorted":
            instructions, cycles, each, branches, missed = rows[name]
            self.assertAlmostEqual(float(instructions), float(cycles), delta=0.01)  # true for this emulation
            self.assertLess(2, float(instructions))
            self.assertLess(float(instructions), 30)
            self.assertEqual((each, branches, missed), ("1.00", "-", "-"))

    def test_each_event_of_a_region_has_a_histogram(self):
        tables = {table.split("\n", 1)[0]: table for table in self.files["tails.table"].split("##### ")[1:]}
        self.assertLessEqual({"ns", "cycles"}, set(tables))
        for name in "ns", "cycles":
            rows = {cells[0]: cells[1:] for cells in ([cell.strip() for cell in line.strip("|").split("|")]
                                                      for line in tables[name].splitlines()[1:])}
            self.assertEqual(rows["Total:"][:2], ["1,800", "1,800"])  # without the warm-up
        self.assertGreater(int(rows["50"][0].replace(",", "")), 20000)  # a byte takes more than one instruction

    def test_without_a_system_call_it_costs_a_fifth_at_most(self):
        prices = {name: int(row[0][0]) for name, row in self.rows("open").items() if "price" in name}
        self.assertLess(prices["price:user"] * 5, prices["price:call"], prices)  # including the clock's price


class Refused(unittest.TestCase):
    """Each call of a session fails in turn; two machines share the work."""

    @classmethod
    def setUpClass(cls):
        programs = sorted(glob.glob(os.path.join(PROGRAMS, "*")))
        numbers = [getattr(errno, name) for name in REFUSALS]
        scripts = [REFUSED + "".join(f"each open {number} instructions:u,task-clock\n" for number in half)
                   for half in (numbers[::2], numbers[1::2])]
        # A raw event may be on several counters, and the placement tries them.
        scripts[0] += f"each ioctl {errno.EIO} instructions:u,r8:u,task-clock\n"
        scripts[1] += "".join(f"each {kind} {errno.EIO} instructions:u,r8:u,task-clock\n"
                              for kind in ("open", "read"))
        cls.files = {}
        with concurrent.futures.ThreadPoolExecutor() as pool:
            for files in pool.map(lambda script: machine.boot(programs, script), scripts):
                cls.files.update(files)

    def sessions(self):
        """Yields (kind, number of the call, errno, document) for each; number 0: nothing was refused."""
        for name in self.files:
            if name.endswith(".json"):
                kind, number, error = name[:-len(".json")].split("_")
                yield kind, int(number), int(error), json.loads(self.files[name])

    def counts(self, document):
        metrics = document["results"][0]["metrics"]
        return {name: about for name, about in metrics.items() if about["source"] == "perf_event"}

    def test_every_session_ends_well_with_a_result(self):
        codes = [name for name in self.files if name.endswith(".code")]
        self.assertEqual({self.files[name] for name in codes}, {"0\n"})
        self.assertEqual(len(codes), len(list(self.sessions())))
        for name, most in (("open", 8), ("ioctl", 2), ("read", 3)):
            counts = [int(self.files[file]) for file in self.files
                      if file.startswith(name) and file.endswith(".count")]
            self.assertGreaterEqual(min(counts), most, name)

    def test_a_value_is_exact_or_not_there_and_what_is_not_there_is_explained(self):
        exact = self.counts(json.loads(self.files[f"open_0_{errno.EIO}.json"]))["r8:u"]["values"]
        for kind, number, error, document in sorted(self.sessions(), key=lambda session: session[:3]):
            what = f"{kind} {number}: {errno.errorcode[error]}"
            warnings = " ".join(document["warnings"])
            self.assertNotRegex(json.dumps(document), r"\bNaN\b|\bInfinity\b", what)
            missing = []
            for name, about in self.counts(document).items():
                values = [value for value in about["values"] if value is not None]
                if not values:
                    missing.append(name)
                elif name in ("instructions:u", "r8:u"):
                    self.assertEqual(values, exact, what)
                self.assertNotIn(0, values, what)
            if missing and kind == "open" and errno.errorcode[error] in REFUSALS:
                self.assertRegex(warnings, REFUSALS[errno.errorcode[error]], what)
            if missing:
                self.assertRegex(warnings, "(cannot count|not everything was counted, such as|of them had none in) ", what)

    def test_something_is_missing_where_the_event_itself_was_refused(self):
        for error in ("EBUSY", "EMFILE", "ENODEV"):
            missing = sum(not about["values"] or None in about["values"]
                          for kind, _, number, document in self.sessions()
                          if kind == "open" and number == getattr(errno, error)
                          for about in self.counts(document).values())
            self.assertGreaterEqual(missing, 4, error)  # two events, each held and armed

    def test_who_may_not_count_the_kernel_is_told_so(self):
        marked = [document for kind, number, error, document in self.sessions()
                  if kind == "open" and number == 2 and error == errno.EACCES]
        self.assertIn("task_clock:u", marked[0]["results"][0]["metrics"])
        self.assertIn("counted in user mode only", json.dumps(marked[0]["warnings"]))


class WithoutCounters(Booted):
    script = WITHOUT_PMU
    pmu = False

    def test_the_machine_is_said_to_have_none(self):
        for name in ("usual", "unprivileged"):
            self.assertIn("this machine has no PMU", self.text(name))
            self.assertEqual(self.result(name)["run"]["rounds"], 3)

    def test_nothing_is_zero_that_was_not_counted(self):
        for name in ("usual", "unprivileged"):
            for metric, about in self.result(name)["results"][0]["metrics"].items():
                if about["source"] == "perf_event":
                    self.assertIsNone(about["mean"], metric)

    def test_the_memory_of_all_processes_together_is_measured(self):
        for name, command, mib in (("tree", 0, 16), ("tree", 1, 32), ("delegated", 0, 8)):
            about = self.metric(name, "tree_memory", command)
            self.assertEqual((about["unit"], about["source"]), ("B", "cgroup"))
            for value in about["values"]:
                self.assertTrue(mib <= value / (1 << 20) <= mib + 1.5, (name, about["values"]))
        self.assertLess(self.metric("tree", "peak_rss", 1)["max"], 17.5 * (1 << 20))
        self.assertRegex(self.files["tree.table"], r"(?m)^ *tree_memory +32\.\d+ .* higher\b")
        self.assertEqual(self.files["cgroups_left"], "")

    def test_where_it_cannot_be_it_is_missing_and_said(self):
        for name, words in (("no_controller", "delegates the memory controller"),
                            ("not_ours", "no cgroup may be created here (Permission denied); run lauka as root")):
            self.assertIsNone(self.metric(name, "tree_memory")["mean"])
            self.assertIn("cannot measure tree_memory: ", self.text(name))
            self.assertIn(words, self.text(name))

    def test_system_calls_need_no_counters_and_are_exact(self):
        for metric in ("syscalls", "raw_syscalls:sys_enter"):
            less, more, loop, longer = (self.values("calls", metric, c) for c in range(4))
            self.assertEqual({b - a for a, b in zip(less, more)}, {2 * 100})  # read(2) and write(2)
            self.assertEqual(len(set(loop + longer)), 1)
        # execve(2) returns in the command, and exit(2) never returns.
        self.assertEqual(self.values("calls", "raw_syscalls:sys_exit"), self.values("calls", "syscalls"))
        listed = {event["name"]: event for event in json.loads(self.files["tracepoints.table"])}
        self.assertTrue(listed["raw_syscalls:sys_enter"]["countable"])
        less, more = (self.values("calls_at_1", "syscalls", c) for c in (0, 1))
        self.assertEqual({b - a for a, b in zip(less, more)}, {2 * 100})

    def test_system_calls_are_told_by_name_without_strace(self):
        told, = self.result("named")["system_calls"]
        self.assertEqual((told["source"], told["spread"]), ("tracepoints", 0))
        self.assertEqual({row["name"]: row["calls"]["after"] - row["calls"]["before"] for row in told["rows"]},
                         {"read": 100, "write": 100})
        self.assertIn("system calls: read +100 (", self.text("named"))

    def test_where_system_calls_may_not_be_counted_one_line_says_why(self):
        for name, why in (("no_tracefs", "which lists the tracepoints, is missing"), ("closed_tracefs", "may not be read by this user"),
                          ("calls_at_2", "this user may not count in the kernel")):
            self.assertEqual(self.files[name + ".code"], "6\n", name)
            self.assertEqual(self.files[name + ".error"].count("\n"), 1)
            for words in (why, "tracefs", "kernel.perf_event_paranoid", "seccomp", "run lauka as root"):
                self.assertIn(words, self.files[name + ".error"])
        self.assertNotIn("task_clock", self.files["calls_at_2.error"])

    def test_software_events_need_no_counters(self):
        self.assertGreater(self.metric("software", "task_clock")["min"], 1000000)
        self.assertGreater(self.metric("software", "page_faults")["min"], 0)


class Batches:
    """Runs that share their open events: threads, forks, execs and sleepers, and two processes of which
    one follows the other on the CPU, because the kernel then exchanges their events."""
    script = BATCHES

    def test_the_kernel_is_the_one_that_was_asked_for(self):
        self.assertTrue(self.files["kernel"].startswith(self.kernel + "."), self.files["kernel"])

    def test_every_run_counts_what_it_counts_alone(self):
        for i, command in enumerate(CROWDS):
            spins = i == 0 or "wait" in command
            for metric, slack in (("instructions:u", SPIN if spins else 20), ("page_faults", 8)):
                batch, single = (self.values(f"{way}{i}", metric) for way in ("batch", "single"))
                self.assertNotIn(None, batch + single)
                for value in batch:
                    self.assertGreaterEqual(value, min(single) - slack, (command, batch, single))
                    self.assertLessEqual(value, max(single) + slack, (command, batch, single))

    def test_the_known_work_is_there(self):
        for value in self.values("batch0", "instructions:u"):
            self.assertGreater(value, 44 * 5000 * TURN)

    def test_what_is_left_behind_is_in_no_later_run(self):
        values = self.values("leftovers", "instructions:u")
        self.assertLess(max(values) - min(values), 20, values)


class BatchesOnANewKernel(Batches, Booted):
    script = BATCHES + COUNTED_OPENS

    def test_events_are_opened_once_a_batch(self):
        in_batches, watched, alone = (int(self.files["opens" + way])
                                      for way in ("-w0", "--timeout=50", "--show-output"))
        self.assertGreater(alone, max(in_batches, watched) + 40)


class BatchesOnAnOldKernel(Batches, Booted):
    """This kernel keeps software and hardware events apart."""
    kernel = "6.1"


class TwoKindsOfCore:
    """big.LITTLE. The emulator's counters also count what other CPUs run meanwhile, so the commands keep
    only one CPU busy at a time."""
    script = TWO_KINDS
    big_little = True

    def assertNear(self, actual, expected, share=0.015):
        self.assertAlmostEqual(actual / expected, 1, delta=share)

    def test_the_kernel_is_the_one_that_was_asked_for(self):
        self.assertTrue(self.files["kernel"].startswith(self.kernel + "."), self.files["kernel"])

    def test_the_sum_over_both_pmus_is_the_known_work(self):
        for value in self.values("both", "instructions:u"):
            self.assertNear(value, 12e6, 0.05)  # includes a shell and two utilities
        for value in self.values("both", "instructions:u", 1):
            self.assertNear(value, 6e6, 0.03)

    def test_a_count_is_the_sum_of_its_parts(self):
        for name in ("both", "pinned_P", "pinned_E", "apart"):
            for command in (0, 1):
                for metric in self.result(name)["results"][command]["metrics"]:
                    event, _, kind = metric.partition("@")
                    if kind != "P" or event not in ("instructions:u", "instructions", "cycles", "r8:u"):
                        continue
                    parts = zip(self.values(name, metric, command), self.values(name, event + "@E", command))
                    self.assertEqual([a + b for a, b in parts], self.values(name, event, command), metric)

    def test_residency_adds_up_to_the_task_clock(self):
        for name in ("both", "pinned_P", "pinned_E"):
            for command in (0, 1):
                times = zip(self.values(name, "cpu_time@P", command), self.values(name, "cpu_time@E", command))
                self.assertEqual([a + b for a, b in times], self.values(name, "task_clock", command))

    def test_pinned_commands_are_nowhere_else(self):
        for name, own, other in (("pinned_P", "@P", "@E"), ("pinned_E", "@E", "@P")):
            for command in (0, 1):
                for metric in ("cpu_time", "instructions:u", "cycles", "r8:u"):
                    self.assertEqual(set(self.values(name, metric + other, command)), {0})
                    self.assertGreater(min(self.values(name, metric + own, command)), 1e6)
            self.assertNotIn("cores", self.text(name).replace("cores.", ""))
            self.assertNear(self.metric(name, "instructions:u" + own, 1)["median"]
                            - self.metric(name, "instructions:u" + own)["median"], 200e3, 0.2)

    def test_both_kinds_were_used_where_a_command_asked_for_it(self):
        for p, e in zip(self.values("both", "instructions:u@P"), self.values("both", "instructions:u@E")):
            self.assertGreater(p, 3.9e6)
            self.assertGreater(e, 7.9e6)
        self.assertGreaterEqual(min(self.values("both", "cpus_used")), 2)

    def test_it_is_said_where_commands_were_on_different_cores(self):
        self.assertRegex(self.text("apart"), r"`taskset -c 3 ./loop 5000000` spent (9\d[.\d]*|100) % of its CPU "
                         r"time on P cores, `taskset -c 0 ./loop 5000000` [\d.]+ %")
        self.assertIn("--pin P", self.text("apart"))
        self.assertEqual(self.files["apart.code"], "0\n")

    def test_the_table_shows_the_kinds_of_core(self):
        self.assertRegex(self.files["apart.table"], r"(?m)^ *cpu_time@P .*\n *cpu_time@E ")
        self.assertNotIn("cycles@P", self.files["apart.table"])
        for row in ("cycles@P", "cycles@E", "instructions@P", "ipc@P", "ghz@P", "user_time@P", "core_switches"):
            self.assertIn(row, self.files["details.table"])
        self.assertRegex(self.files["details.table"], r"(?m)^ *cycles@E +0 ")
        self.assertRegex(self.files["details.table"], r"(?m)^ *ghz@E +-$")

    def test_what_does_not_fit_is_scaled_to_the_time_on_its_cores(self):
        for metric in ("instructions:u", "r8:u"):
            about = self.metric("eight", metric)
            self.assertLess(about["share"], 1)
            self.assertGreater(about["share"], 0.6)
            self.assertNear(about["mean"], 40e6, 0.03)
        self.assertRegex(self.files["eight.table"], r"(?m)^ *instructions:u +~.* [6789]\d % ")

    def test_rounds_take_turns_on_both_kinds_at_once(self):
        for metric in ("r8:u", "instructions:u"):
            values = [value for value in self.values("rounds", metric) if value is not None]
            self.assertIn(len(values), (3, 6))
            self.assertEqual(self.metric("rounds", metric)["share"], 1)
            for value in values:
                self.assertNear(value, 8e6, 0.06)

    def test_without_multiplexing_what_fits_is_listed(self):
        self.assertEqual(self.files["refused.code"], "6\n")
        self.assertEqual(len(self.text("refused").split("these do: ")[1].split("; or")[0].split(", ")), 7)

    def test_runs_elsewhere_are_repeated_and_counted(self):
        self.assertEqual(set(self.values("repeated", "cpu_time@E")), {0})
        self.assertRegex(self.text("repeated"), r"--require-core P: [1-9]\d* runs? of `./wander` on other cores had")

    def test_a_command_that_is_never_there_ends_the_session(self):
        self.assertEqual(self.files["never.code"], "6\n")
        self.assertIn("11 times in a row", self.text("never"))

    def test_who_is_not_told_where_a_command_was_learns_why(self):
        for name, why in (("setuid", "`/tmp/setuid 20000000` ran on: it starts a program that is set-uid"),
                          ("few_files", "`./loop 1000000` ran on: lauka has too many files open; raise"),
                          ("none", "the time on each core cannot be measured: it comes from counters; leave -e none"),
                          ("paranoid3", "cannot be measured: permission denied; run as root")):
            self.assertEqual(self.files[name + "_required.code"], "6\n")
            self.assertIn(why, self.text(name + "_required"))
            self.assertNotIn("other cores", self.text(name + "_required"))
        self.assertIsNone(self.metric("few_files", "cpu_time@P")["mean"])
        self.assertIsNotNone(self.metric("few_files", "instructions:u")["mean"])
        self.assertEqual(self.text("few_files").count("note: "), 1)
        self.assertIn("the time on each kind of core is not known for every run: lauka has too many files open",
                      self.text("few_files"))
        self.assertNotIn("not known for every run", self.text("paranoid3"))

    def test_a_kind_of_core_means_those_of_it_that_may_be_used(self):
        for name in ("cpuset_0-2", "offline"):
            self.assertEqual(set(self.values(name, "cpu_time@E")), {0})
            self.assertEqual(set(self.values(name, "cpus_used")), {1})
            self.assertGreater(min(self.values(name, "instructions:u@P")), 1e6)
        self.assertEqual(self.files["cpuset_0-1.code"], "6\n")
        self.assertIn("--pin P: none of these cores (CPUs 2-3) may be used here", self.text("cpuset_0-1"))

    def test_cores_that_are_not_there_are_refused(self):
        self.assertEqual(self.files["no_such_cpus.code"], "6\n")
        self.assertIn("choose from 0-3", self.text("no_such_cpus"))
        self.assertEqual(self.files["no_such_kind.code"], "6\n")
        self.assertIn("this machine has P and E cores", self.text("no_such_kind"))

    def test_an_event_of_one_pmu_counts_there_only(self):
        name = "armv8_cortex_a72/inst_retired/u"
        for value in self.values("one_kind", name):
            self.assertNear(value, 2e6, 0.08)  # includes taskset
        self.assertEqual(self.metric("one_kind", name)["share"], 1)

    def test_an_event_that_each_pmu_has_counts_on_each_kind_of_core(self):
        for pmu, turns in (("a53", 20000000), ("a72", 10000000)):
            for value in self.values("each_pmu", f"armv8_cortex_{pmu}/inst_retired/u"):
                self.assertNear(value, turns * TURN, 0.05)

    def test_an_event_of_one_pmu_counts_in_the_part_of_the_time_spent_there(self):
        for value in self.values("mostly_elsewhere", "armv8_cortex_a72/inst_retired/u"):
            self.assertNear(value, 2e6, 0.5)  # includes a shell and taskset

    def test_threads_are_counted_on_each_kind_of_core(self):
        for name, own, other in (("threads_P", "P", "E"), ("threads_E", "E", "P")):
            self.assertEqual(self.files[name + ".error"], "", name)
            thread = json.loads(self.files[name + ".table"])["threads"][0]
            here, there = thread["types"][own], thread["types"][other]
            self.assertGreater(here["instructions"], 1e6)
            self.assertGreater(here["cycles"], 1e6)
            self.assertGreater(here["time"], 1e-3)
            self.assertAlmostEqual(here["ipc"], here["instructions"] / here["cycles"])
            self.assertEqual((there["instructions"], there["cycles"], there["time"]), (0, 0, 0))
            self.assertEqual(thread["instructions"], here["instructions"])
        self.assertRegex(self.files["threads.table"], r"\|P .*\|E")
        self.assertRegex(self.files["threads.table"], r"(?m)^thread .*cycles.* IPC .*name$")
        once = json.loads(self.files["threads_once.table"])["threads"][0]
        self.assertIsNone(once["types"]["P"]["time"])

    def test_users_learn_it_too(self):
        self.assertEqual(set(self.values("paranoid2", "cpu_time@E")), {0})
        self.assertGreater(min(self.values("paranoid2", "cpu_time@P")), 1e6)
        self.assertGreater(min(self.values("paranoid2", "instructions:u@P")), 1.9e6)

    def test_where_nothing_may_be_counted_nothing_is_shown(self):
        for metric, about in self.result("paranoid3")["results"][0]["metrics"].items():
            if "@" in metric or metric in ("cpus_used", "cpu_migrations"):
                self.assertIsNone(about["mean"], metric)
        self.assertEqual(self.files["paranoid3_required.code"], "6\n")
        self.assertIn("kernel.perf_event_paranoid", self.text("paranoid3_required"))

    def test_the_unit_tests_pass_here(self):
        self.assertEqual(self.files["stdout"].count(" 0 failed"), 2, self.files["stdout"])


class TwoKindsOnANewKernel(TwoKindsOfCore, Booted):
    pass


class TwoKindsOnAnOldKernel(TwoKindsOfCore, Booted):
    """This kernel does not know that the upper half of attr.config names a PMU."""
    kernel = "6.1"


def red_tests(done):
    """Returns the failed tests as {id: class}; a machine that did not start is one of them."""
    found = {}
    for test, _ in done.failures + done.errors:
        named = re.search(r"__main__\.(\w+)", test.id())
        found[test.id()] = globals()[named.group(1)] if named else type(test)
    return found


def red_twice(red):
    """A busy host may give an emulated CPU its time too late, which is luck. Machines with failed tests
    are started once more, and only tests that fail again count: a mistake in lauka fails twice."""
    if not red:
        return {}
    print("vm: failed once; running again in a new machine:", *sorted(red), sep="\n  ", flush=True)
    classes = sorted(set(red.values()), key=lambda each: each.__name__)
    again = unittest.TestSuite(map(unittest.defaultTestLoader.loadTestsFromTestCase, classes))
    return set(red) & set(red_tests(unittest.TextTestRunner(verbosity=0).run(again)))


def main():
    global PROGRAMS
    PROGRAMS = sys.argv.pop(1)
    try:
        machine.see_to_tools()
        for version in machine.KERNELS:
            machine.boot_files(version)
    except machine.CannotRun as error:
        print(f"vm: the machine cannot be started: {error}")
        print(f"vm: 0 passed, {1 if os.environ.get('CI') else 0} failed")
        return 1 if os.environ.get("CI") else 0
    done = unittest.main(exit=False, verbosity=0).result
    failed = red_twice(red_tests(done))
    print(f"vm: {done.testsRun - len(failed)} passed, {len(failed)} failed")
    return len(failed) != 0


if __name__ == "__main__":
    sys.exit(main())
