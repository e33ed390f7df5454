#!/usr/bin/env python3
"""Checks what lauka asks the kernel to count, on processors that this machine need not have: python3 tests/perf/run.py
LAUKA SUPERVISOR [TEST...]

A supervisor (supervisor.c) writes down each perf_event_open(2); the folders that describe PMUs are made by hand (trees.py)
and mounted over the system's, for these tests alone. Where perf is installed, it is given the same strings. It needs root
on x86-64 Linux. Otherwise, the reason is printed."""
import os
import platform
import re
import subprocess
import sys
import tempfile
import unittest

import trees

DEVICES = "/sys/bus/event_source/devices"
IN_NAMESPACE = """mount --bind "$1" "$2" && { test -e /sys/kernel/tracing/events || mount -t tracefs none /sys/kernel/tracing; } ||
exit 125; shift 2; exec "$@\""""
LAUKA = ""
SUPERVISOR = ""
SCRATCH = ""

# Strings for each tree. Most are from perf's own tests of its parser (tools/perf/tests/parse-events.c).
STRINGS = {
    "server": """cycles instructions:u instructions:k cycles:uk cycles:h cycles:kh cycles:G cycles:H cycles:p cycles:pp cycles:P
        cycles:S cycles:D cycles:uD cycles:I cycles:W cycles:upp cpu-cycles branches branch-instructions branch-misses bus-cycles
        ref-cycles stalled-cycles-frontend stalled-cycles-backend idle-cycles-backend cache-references cache-misses
        L1-dcache-loads L1-dcache-load-misses L1-dcache-load-miss L1-dcache-stores L1-dcache-prefetch-misses
        L1-icache-load-misses LLC-loads LLC-load-misses LLC-store-misses L2-loads dTLB-load-misses dTLB-stores iTLB-load-misses
        branch-loads branch-load-misses branches-loads node-loads node-store-misses d-tlb-read-miss Data-TLB-refs
        r3c r01c0 rC0:u r5301c0 r1a r1a:kp cpu/event=0x3c/ cpu/event=0x3c,umask=0x1/u cpu/event=0xc0,umask=0x1,cmask=0x10,inv/
        cpu/event=60,umask=1/ cpu/event=010/ cpu/r3c/ cpu/config=0x1003c/ cpu/event=0xcd,umask=0x1,ldlat=30/
        cpu/event=0xc6,umask=0x1,frontend=0x400406/ cpu/event=0xb7,umask=0x1,offcore_rsp=0x3fbfc00001/
        cpu/event=0xb7,umask=0x1,config1=0x3fbfc00001/ cpu/config=0x3c,config1=1,config2=2/ cpu/event=0x3c,name=foo/
        cpu/event=0x3c,period=100000/ cpu/config=10,config1,config2=3,period=1000/u cpu/config=1,name=krava/u cpu/instructions/
        cpu/instructions,cmask=1/ cpu/cycles-ct/ cycles-ct cpu/mem-loads/ mem-loads mem-stores:u cpu/mem-loads,ldlat=50/P
        cpu/event=0x3c/ukp cpu/event=0x3c,umask=0x100/ cpu/event=0x3c,nonsense=1/ topdown-total-slots topdown-slots-retired
        el-start cpu/el-start/ msr/tsc/ msr/aperf/ software/r1a/ faults faults:u task-clock:P instructions:h
        instructions:G instructions:H instructions:uDp instructions:I instructions:kIG instructions:uep
        L1-dcache-load-miss:kp {instructions:k,cycles:upp} {faults:k,branches}:u {cycles:u,instructions:kp}:p
        {cycles,instructions}:G {cycles,cache-misses:G}:H {cycles,cache-misses,branch-misses}:S {instructions,branch-misses}:Su
        {cycles,cache-misses,branch-misses}:D {cycles,cache-misses,branch-misses}:e {cycles,instructions}:W slots
        topdown-retiring cpu/topdown-retiring/ {cpu/slots/,cpu/topdown-retiring/} {slots,topdown-retiring,topdown-bad-spec}
        cpu/event=0x3c inst_retired.any raw_syscalls:sys_enter""",
    "hybrid": """cycles instructions:u L1-dcache-load-misses r3c branch-misses:k cpu_core/event=0x3c/ cpu_atom/event=0x3c/u
        cpu_core/instructions/ cpu_core/cycles/ cpu_core/cycles/u cpu_atom/LLC-loads/ cpu_core/L1-dcache-loads/
        cpu_core/topdown-retiring/ slots mem-loads cpu/event=0x3c/ ref-cycles""",
    "arm": """cycles l1d_cache l1d_cache:u l1d_cache_refill l1d_tlb l1i_cache l1i_tlb ll_cache ll_cache_rd br_pred inst_retired
        br_mis_pred armv8_cortex_a72/l1d_cache/ armv8_cortex_a72/event=0x40/ r40 L1-dcache-loads l1d-cache""",
    "big_little": "l1d_cache l1i_tlb inst_retired armv8_cortex_a53/l1d_cache/",
}
# Where lauka does not do as perf 6.1 does, and why.
DIFFERENT = {
    ("server", "cpu/mem-loads,ldlat=50/P"): "perf combines the alias' ldlat=3 with 50 to 51",
    ("server", "software/r1a/"): "there is no such event: lauka finds that out before a command inherits it",
    ("server", "{faults:k,branches}:u"): "perf adds a group's modes to an event's own, lauka lets its own count",
    ("server", "slots"): "perf knows the name on some processors only",
    ("server", "{slots,topdown-retiring,topdown-bad-spec}"): "the same",
    ("server", "topdown-retiring"): "without slots, the kernel refuses it",
    ("server", "cpu/topdown-retiring/"): "the same",
    ("hybrid", "cpu_core/topdown-retiring/"): "the same",
    ("hybrid", "L1-dcache-load-misses"): "perf lacks events of caches on processors with two kinds of core",
    ("hybrid", "cpu_atom/LLC-loads/"): "the same",
    ("hybrid", "cpu_core/L1-dcache-loads/"): "the same",
    ("arm", "l1d-cache"): "lauka takes - for _",
}
# What perf's tests of its parser have besides, and lauka refuses.
REFUSED = {
    "syscalls:*": "wildcards: list the names that are meant", "*:*": "the same", "syscalls:sys_enter_*": "the same",
    "1:1": "a type by its number", "1:1:hp": "the same", "4:0x6530160/name=numpmu/": "the same",
    "mem:0": "breakpoints are no counts of a program's cost", "mem:0:rw:kp": "the same", "mem:0/2:w": "the same",
    "cycles/period=100000,config2/": "terms behind a name are for sampling", "cycles//u": "the same",
    "instructions/name=insn/": "write cpu/instructions,name=insn/", "r1234/name=rawpmu/": "write cpu/r1234,name=rawpmu/",
    "L1-dcache-misses/name=cachepmu/": "write cpu/L1-dcache-misses,name=cachepmu/",
    "cycles/name='COMPLEX_CYCLES_NAME:orig=cycles,desc=chip-clock-ticks'/Duk": "such names have no place in a table",
    "group1{cycles,instructions}": "groups have no names", "{cycles,instructions}u": "a colon is missing",
    "power/energy-pkg/": "it counts whole CPUs", "uncore_imc_0/cas_count_read/": "the same",
    "cstate_core/c6-residency/": "the same", "energy-pkg": "the same", "intel_pt//u": "it traces, and counts nothing",
}


def kinds_of(tree):
    return [trees.KINDS[tree]] if tree in trees.KINDS else []


def read_log(path):
    with open(path, encoding="utf-8") as file:
        return [dict(word.split("=") for word in line.split()) for line in file]


def is_own(line, asked):
    """lauka keeps the time on each CPU, and migrations, whatever is asked for."""
    return line["type"] == "1" and (line["config"] == "1" and line["cpu"] != "-1" or
                                    line["config"] == "4" and "migrations" not in asked)


def supervise(tree, words, rules=()):
    """Returns what the command asked the kernel for, and the finished process."""
    folder, log = os.path.join(SCRATCH, tree), os.path.join(SCRATCH, "log")
    if not os.path.isdir(folder):
        trees.make(tree, folder)
    mounted = ["unshare", "--mount", "sh", "-c", IN_NAMESPACE, "sh", folder, DEVICES]
    done = subprocess.run([*mounted, SUPERVISOR, log, *kinds_of(tree), *rules, *words], capture_output=True, text=True,
                          timeout=60, check=False)
    return read_log(log), done


def lauka(tree, *words, rules=()):
    lines, done = supervise(tree, [LAUKA, "--color=never", "-q", *words], rules)
    return lines, done


def counted(lines, asked=""):
    """What counts a command, as type:config,config1,config2 and the modes."""
    return {f"{line['type']}:{line['config']},{line['config1']},{line['config2']} user={line['user']} kernel={line['kernel']} hv={line['hv']} "
            f"pinned={line['pinned']}"
            for line in lines if line["inherit"] == "1" and line["sampling"] == "0" and not is_own(line, asked)}


def by_lauka(tree, event, rules=()):
    lines, done = lauka(tree, "-r1", "--warmup=0", "-e", event, "true", rules=rules)
    return counted(lines, event), done


def by_perf(tree, event):
    lines, done = supervise(tree, ["perf", "stat", "-e", event, "true"])
    return counted(lines, event), done


def have_perf():
    return subprocess.run(["sh", "-c", "perf --version"], capture_output=True, check=False).returncode == 0


class Events(unittest.TestCase):
    maxDiff = None

    def test_perf_asks_for_the_same(self):
        if not have_perf():
            self.skipTest("perf is not installed (Debian: linux-perf)")
        for tree, strings in STRINGS.items():
            for event in strings.split():
                with self.subTest(tree=tree, event=event):
                    perf, _ = by_perf(tree, event)
                    own, done = by_lauka(tree, event)
                    if (tree, event) in DIFFERENT:
                        self.assertNotEqual(own, perf, "it is the same by now: take it out of DIFFERENT")
                    else:
                        self.assertEqual(own, perf, done.stderr)

    def test_what_else_perf_takes_is_refused_in_one_line(self):
        for event in REFUSED:
            with self.subTest(event=event):
                _, done = lauka("server", "-r1", "--warmup=0", "-e", event, "true")
                self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stdout + done.stderr)

    def test_a_tracepoint_of_a_system_that_is_called_as_an_event_of_ours(self):
        lines, done = lauka("server", "-r1", "--warmup=0", "-e", "syscalls:sys_enter_write", "echo")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("syscalls:sys_enter_write", done.stdout)
        self.assertEqual({line["type"] for line in lines} & {"2"}, {"2"})

    def test_top_down_events_are_counted_behind_slots(self):
        for asked in ("topdown-retiring,topdown-bad-spec", "{topdown-bad-spec,topdown-retiring,slots}", "{cpu/slots/,topdown-retiring}",
                      "cycles,cpu/topdown-retiring/,slots", "{cpu/event=0x3c/,cpu/topdown-retiring/}:u"):
            with self.subTest(asked=asked):
                lines, done = lauka("server", "-r1", "--warmup=0", "-e", asked, "true", rules=["--slots"])
                counts = [line for line in lines if line["inherit"] == "1" and int(line["result"]) >= 0]
                metrics = [line for line in counts if line["config"] in ("8000", "8100")]
                self.assertTrue(metrics, done.stderr)
                self.assertEqual({line["member"] for line in metrics}, {"1"})
                self.assertEqual({line["member"] for line in counts if line["config"] == "400"}, {"0"})
                self.assertNotIn("not counted", done.stdout)
        _, done = lauka("server", "list", "topdown-retiring", rules=["--slots"])
        self.assertNotIn("not here", done.stdout)

    def test_a_name_of_the_cores_means_the_event_that_sysfs_describes(self):
        self.assertEqual(by_lauka("arm", "l1d_cache")[0], {"10:4,0,0 user=1 kernel=1 hv=1 pinned=0"})

    def test_cores_of_both_kinds_are_sampled_by_their_cycles(self):
        lines, done = lauka("hybrid", "--sampled=100ms", "-r1", "--warmup=0", "-e", "none", "true", "true")
        opened = {(line["cpu"], line["config"]) for line in lines
                  if line["sampling"] == "1" and line["type"] == "0" and int(line["result"]) >= 0}
        self.assertEqual({config for cpu, config in opened if cpu == "0"}, {"0"}, done.stderr)
        self.assertEqual({config for cpu, config in opened if cpu == "1"}, {"a00000000"}, done.stderr)

    def test_names_of_raw_events_are_shown(self):
        _, done = lauka("server", "-r1", "--warmup=0", "-e", "cpu/event=0x3c,name=halted/u,cpu/name='a.b',event=1/", "true")
        self.assertRegex(done.stdout, r"(?m)^halted:u +\d[^\n]*\na\.b +\d")

    def test_what_is_refused(self):
        for tree, asked, why in (
                ("server", "cpu/event=0x3c", "a PMU's event is written PMU/TERMS/"),
                ("server", "cpu/event=0x3c,name=/", "a name consists of"), ("server", "cpu/event=1,name=a b/", "a name consists of"),
                ("server", "cpu/event=1,name=cycles/", "the name of another event"),
                ("server", "inst_retired.any", "no tables of a vendor's names: write its numbers"),
                ("server", "msr/cpu_thermal_margin/", "a momentary value"),
                ("server", "cycles:uz", "only :u (user mode)"), ("server", "cycles:" + "u" * 40, "only :u (user mode)"),
                ("server", "msr/cycles/", "no event and no term"), ("hybrid", "cpu_core/cycles,cmask=1/", "no event and no term")):
            with self.subTest(asked=asked):
                _, done = lauka(tree, "-r1", "-e", asked, "true")
                self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
                self.assertIn(why, done.stderr)
        _, done = lauka("server", "list", "msr/")
        self.assertRegex(done.stdout, r"(?s)not here: [^\n]*momentary value.*cpu_thermal_margin")


def main():
    global LAUKA, SUPERVISOR, SCRATCH  # pylint: disable=global-statement
    LAUKA, SUPERVISOR = map(os.path.abspath, sys.argv[1:3])
    why = ("x86-64 Linux only" if platform.machine() != "x86_64" else "it needs root, to mount" if os.geteuid() != 0 else
           "this system may not mount or trace" if subprocess.run(["unshare", "--mount", "mount", "--bind", "/tmp", "/tmp"],
                                                                  capture_output=True, check=False).returncode else "")
    if why:
        print(f"skipped: {why}\nperf: 0 passed, 0 failed")
        return
    with tempfile.TemporaryDirectory() as SCRATCH:
        program = unittest.main(argv=[sys.argv[0], *sys.argv[3:]], exit=False, verbosity=1)
    failed = len(program.result.failures) + len(program.result.errors)
    print(f"perf: {program.result.testsRun - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
