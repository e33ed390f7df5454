#!/usr/bin/env python3
"""Checks what lauka asks the kernel to count, on processors that this machine need not have: python3 tests/perf/run.py
LAUKA SUPERVISOR FAILING_MALLOC [TEST...]

A supervisor (supervisor.c) writes down each perf_event_open(2); the folders that describe PMUs are made by hand (trees.py)
and mounted over the system's, for these tests alone. Where perf is installed, it is given the same strings. It needs root
on x86-64 Linux. Otherwise, the reason is printed."""
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import trees

DEVICES = "/sys/bus/event_source/devices"
IN_NAMESPACE = """mount --bind "$1" "$2" && { test -e /sys/kernel/tracing/events || mount -t tracefs none /sys/kernel/tracing; } ||
exit 125; shift 2; exec "$@\""""
LAUKA = ""
SUPERVISOR = ""
FAILING_MALLOC = ""
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
        cpu/event=0x3c inst_retired.any raw_syscalls:sys_enter
        syscalls:sys_enter_openat syscalls:sys_enter_openat:k {faults:k,cache-references}:u,cycles:k
        {cycles,instructions}:G,{cycles:G,instructions:G},cycles {cycles,cache-misses:H}:G {cycles:G,cache-misses:H}:u
        {cycles:G,cache-misses:H}:uG task-clock:P,cycles cpu/config=1,name=krava/u,cpu/config=2/u
        cpu/config=1,call-graph=fp,time,period=100000/,cpu/config=2,call-graph=no,time=0,period=2000/
        cpu/config=10,config1,config2=3,umask=1/ cpu/instructions/h cpu/instructions/G cpu/instructions/uDp cpu/instructions/kIG
        {cpu/instructions/k,cpu/branch-misses/upp} {cpu/cache-misses/,cpu/branch-misses/G}:H cpu/cache-misses,name=l1d/""",
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
    ("server", "{faults:k,cache-references}:u,cycles:k"): "the same",
    ("server", "cpu/config=1,call-graph=fp,time,period=100000/,cpu/config=2,call-graph=no,time=0,period=2000/"):
        "perf stat refuses call-graph and time, which are for sampling; lauka ignores them",
    ("server", "cpu/cache-misses,name=l1d/"): "lauka gives an event no name of another one",
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
    "syscalls:*:u": "the same", "r1,syscalls:sys_enter_openat:k,1:1:hp": "the same",
    **dict.fromkeys(("mem:0", "mem:0:x", "mem:0:r", "mem:0:w", "mem:0:rw", "mem:0:u", "mem:0:x:k", "mem:0:r:hp", "mem:0:w:up", "mem:0:rw:kp",
                     "mem:0/1", "mem:0/2:w", "mem:0/4:rw:u"), "breakpoints are no counts of a program's cost"),
    "cpu/event=cpu-cycles/u": "write cpu/cpu-cycles/u", "cpu-cycles:u,cpu/event=cpu-cycles/u": "the same",
    "cpu/name='COMPLEX_CYCLES_NAME:orig=cycles,desc=chip-clock-ticks',period=0x1,event=0x2/ukp": "such names have no place in a table",
    "group1{syscalls:sys_enter_openat:H,cycles:kppp},group2{cycles,1:3}:G,instructions:u": "groups have no names",
    "cycles/period=100000,config2/": "terms behind a name are for sampling", "cycles//u": "the same",
    "instructions/name=insn/": "write cpu/instructions,name=insn/", "r1234/name=rawpmu/": "write cpu/r1234,name=rawpmu/",
    "L1-dcache-misses/name=cachepmu/": "write cpu/L1-dcache-misses,name=cachepmu/",
    "cycles/name='COMPLEX_CYCLES_NAME:orig=cycles,desc=chip-clock-ticks'/Duk": "such names have no place in a table",
    "group1{cycles,instructions}": "groups have no names", "{cycles,instructions}u": "a colon is missing",
    "power/energy-pkg/u": "it counts whole CPUs, in all modes", "intel_pt//u": "it traces, and counts nothing",
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

    def test_whole_cpus_are_counted_beside_a_run_on_each_cpu_of_the_mask(self):
        for asked, types in (("power/energy-pkg/", {"20"}), ("uncore_imc_0/cas_count_read/", {"15"}), ("energy-pkg", {"20"}),
                             ("uncore_imc/cas_count_read/", {"15", "16"}), ("cstate_core/c6-residency/", {"18"})):
            with self.subTest(asked=asked):
                lines, done = lauka("server", "-r2", "--warmup=0", "-e", asked, "true")
                opened = [line for line in lines if line["type"] in types]
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual({line["inherit"] for line in opened}, {"0"})
                self.assertEqual({line["type"] for line in opened}, types)
                cpus = {"0", "1"} if "cstate" in asked else {"0"}
                self.assertEqual({line["cpu"] for line in opened}, cpus)
                self.assertEqual(len(opened), len(cpus) * len(types), "they stay open from run to run")
                self.assertIn("note: whole machine: ", done.stdout)

    def test_energy_is_shown_in_joules_and_memory_traffic_in_bytes(self):
        """The supervisor opens task clocks in place of the counters: of CPU 0, all the time."""
        for asked, unit, factor in (("power/energy-pkg/", "J", 2.3283064365386962890625e-10), ("uncore_imc_0/cas_count_read/", "B", 64)):
            _, done = lauka("server", "-r3", "--warmup=0", "--json=-", "-e", asked, "sleep 0.05")
            metric = json.loads(done.stdout)["results"][0]["metrics"][asked]
            self.assertEqual((metric["unit"], metric["source"]), (unit, "machine"))
            for value in metric["values"]: # nanoseconds of CPU 0: as long as the run, but for what is between it and the reads
                self.assertTrue(0.045e9 * factor < value < 10e9 * factor, value)
        _, done = lauka("server", "list", "power/")
        self.assertIn("of the whole machine", " ".join(done.stdout.split()))

    def test_topdown_is_one_group_behind_slots_and_shows_shares(self):
        for tree, leaders, kinds in (("server", {"400"}, [""]), ("hybrid", {"400", "c2"}, ["@P", "@E"])):
            lines, done = lauka(tree, "-r1", "--warmup=0", "--json=-", "-e", "topdown", "true", rules=["--slots"])
            counts = [line for line in lines if line["inherit"] == "1" and line["type"] in ("4", "10") and int(line["result"]) >= 0]
            self.assertEqual({line["config"] for line in counts if line["member"] == "0"} & leaders, leaders, done.stderr)
            self.assertTrue({"8000", "8100", "8200", "8300"} <= {line["config"] for line in counts if line["member"] == "1"})
            metrics = json.loads(done.stdout)["results"][0]["metrics"]
            for name in ("retiring", "bad_speculation", "frontend_bound", "backend_bound"):
                for kind in kinds:
                    self.assertIn(f"{name}_percent{kind}", metrics)
            if tree == "server":  # the supervisor's clocks are the same for all four
                for name in ("retiring", "backend_bound"):
                    self.assertAlmostEqual(metrics[f"{name}_percent"]["values"][0], 25, delta=1)
        _, done = lauka("arm", "-r1", "-e", "topdown", "true")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("no topdown- events", done.stderr)

    def test_names_of_raw_events_are_shown(self):
        _, done = lauka("server", "-r1", "--warmup=0", "-e", "cpu/event=0x3c,name=halted/u,cpu/name='a.b',event=1/", "true")
        self.assertRegex(done.stdout, r"(?m)^halted:u +\d[^\n]*\na\.b +\d")

    def test_what_is_refused(self):
        for tree, asked, why in (
                ("server", "cpu/event=0x3c", "a PMU's event is written PMU/TERMS/"),
                ("server", "cpu/event=0x3c,name=/", "a name consists of"), ("server", "cpu/event=1,name=a b/", "a name consists of"),
                ("server", "cpu/event=1,name=cycles/", "the name of another event"),
                ("server", "inst_retired.any", "vendors' names are read from tables: give --event-table DIR"),
                ("server", "msr/cpu_thermal_margin/", "a momentary value"),
                ("server", "cycles:uz", "only :u (user mode)"), ("server", "cycles:" + "u" * 40, "only :u (user mode)"),
                ("server", "msr/cycles/", "no event and no term"), ("hybrid", "cpu_core/cycles,cmask=1/", "no event and no term")):
            with self.subTest(asked=asked):
                _, done = lauka(tree, "-r1", "-e", asked, "true")
                self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
                self.assertIn(why, done.stderr)
        _, done = lauka("server", "list", "msr/")
        self.assertRegex(done.stdout, r"(?s)not here: [^\n]*momentary value.*cpu_thermal_margin")


# Tables of our own making, in the forms in which Intel, and the kernel for Intel and for Arm publish theirs.
TABLES = {
    "perfmon/mapfile.csv": """Family-model,Version,Filename,EventType,Core Type,Native Model ID,Core Role Name
GenuineIntel-6-55-[01234],V1,/SKX/events/sky.json,core,,,
GenuineIntel-6-(97|9A),V1,/ADL/events/big.json,hybridcore,0x40,0x1,Core
GenuineIntel-6-(97|9A),V1,/ADL/events/small.json,hybridcore,0x20,0x1,Atom
GenuineIntel-6-55-[01234],V1,/SKX/events/uncore.json,uncore,,,
""",
    "perfmon/SKX/events/sky.json": {"Header": {"Info": "made for a test"}, "Events": [
        {"EventCode": "0x00", "UMask": "0x01", "EventName": "INST_RETIRED.ANY", "BriefDescription": "Instructions", "MSRIndex": "0x00"},
        {"EventCode": "0xD1", "UMask": "0x20", "EventName": "MEM_LOAD_RETIRED.L3_MISS", "CounterMask": "0", "MSRIndex": "0",
         "SampleAfterValue": "50021", "BriefDescription": "Loads that missed \x1b[31mL3"},
        {"EventCode": "0x0E", "UMask": "0x01", "EventName": "UOPS_ISSUED.STALL_CYCLES", "CounterMask": "1", "Invert": "1"},
        {"EventCode": "0xB7,0xBB", "UMask": "0x01", "EventName": "OFFCORE_RESPONSE.ANY", "MSRIndex": "0x1a6,0x1a7",
         "MSRValue": "0x3FBFC00001"},
        {"EventCode": "0xCD", "UMask": "0x01", "EventName": "MEM_TRANS_RETIRED.LOAD_LATENCY_GT_4", "MSRIndex": "0x3F6", "MSRValue": "0x4"},
        {"EventCode": "0xC6", "UMask": "0x01", "EventName": "FRONTEND_RETIRED.DSB_MISS", "MSRIndex": "0x3F7", "MSRValue": "0x11"},
        {"EventCode": "0x04", "UMask": "0x03", "EventName": "UNC_M_CAS_COUNT.RD", "Unit": "iMC"},
        {"MetricName": "IPC", "MetricExpr": "1 / 2"}]},
    "perfmon/ADL/events/big.json": [{"EventCode": "0x24", "UMask": "0x3f", "EventName": "L2_RQSTS.MISS"},
                                    {"EventCode": "0x12", "UMask": "0x0e", "EventName": "DTLB_LOAD_MISSES.WALK_COMPLETED"},
                                    {"EventCode": "0xad", "UMask": "0x80", "EventName": "INT_MISC.BIG"}],
    "perfmon/ADL/events/small.json": [{"EventCode": "0x25", "UMask": "0x1", "EventName": "L2_RQSTS.MISS"}],
    "x86/mapfile.csv": "Family-model,Version,Filename,EventType\nGenuineIntel-6-(7D|7E|A7),v1,lake,core\n"
                       "AuthenticAMD-25-([245][[:xdigit:]]|[[:xdigit:]]),v1,zen,core\nAuthenticAMD-25-[[:xdigit:]]+,v1,zen_next,core\n",
    "x86/lake/cache.json": [{"EventCode": "0x51", "UMask": "0x1", "EventName": "L1D.REPLACEMENT", "EdgeDetect": "1"}],
    "x86/lake/metrics.json": [{"MetricName": "CPI", "MetricExpr": "1"}],
    "x86/zen/core.json": [{"EventCode": "0xc2", "EventName": "ex_ret_brn", "BriefDescription": "Branches"}],
    "x86/zen_next/core.json": [{"EventCode": "0x77", "EventName": "ex_next"}, {"EventCode": "0x78", "EventName": "ex_ret_brn"}],
    "arm64/mapfile.csv": "Family-model,Version,Filename,EventType\n0x00000000410fd080,v1,arm/cortex,core\n",
    "arm64/common.json": [{"EventCode": "0x40", "EventName": "L1D_CACHE_RD", "BriefDescription": "Reads"}],
    "arm64/arm/cortex/cache.json": [{"ArchStdEvent": "L1D_CACHE_RD"}, {"ArchStdEvent": "NOT_THERE"}],
}


class Tables(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.join(SCRATCH, "tables")
        for name, text in TABLES.items():
            path = os.path.join(self.folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text if isinstance(text, str) else json.dumps(text))

    def events(self, tree, cpuid, table, event):
        with mock.patch.dict(os.environ, PERF_CPUID=cpuid):
            lines, done = lauka(tree, "-r1", "--warmup=0", "--event-table", os.path.join(self.folder, table), "-e", event, "true")
        return {f"{line['type']}:{line['config']},{line['config1']}" for line in lines
                if line["inherit"] == "1" and line["sampling"] == "0" and not is_own(line, event)}, done

    def test_names_are_encoded_as_perf_does(self):
        for tree, cpuid, table, event, asked in (
                ("server", "GenuineIntel-6-55-4", "perfmon", "inst_retired.any", {"4:c0,0"}),
                ("server", "GenuineIntel-6-55-4", "perfmon", "MEM_LOAD_RETIRED.L3_MISS:u", {"4:20d1,0"}),
                ("server", "GenuineIntel-6-55-4", "perfmon", "cpu/mem_load_retired.l3_miss/", {"4:20d1,0"}),
                ("server", "GenuineIntel-6-55-4", "perfmon", "uops_issued.stall_cycles", {"4:180010e,0"}),
                ("server", "GenuineIntel-6-55-4", "perfmon", "offcore_response.any", {"4:1b7,3fbfc00001"}),
                ("server", "GenuineIntel-6-55-4", "perfmon", "mem_trans_retired.load_latency_gt_4", {"4:1cd,4"}),
                ("server", "GenuineIntel-6-55-4", "perfmon", "frontend_retired.dsb_miss", {"4:1c6,11"}),
                ("server", "AuthenticAMD-23-1-1", "perfmon/SKX/events/sky.json", "mem_load_retired.l3_miss", {"4:20d1,0"}),
                ("hybrid", "GenuineIntel-6-97-2", "perfmon", "l2_rqsts.miss", {"4:3f24,0", "10:125,0"}),
                ("hybrid", "GenuineIntel-6-97-2", "perfmon", "cpu_atom/l2_rqsts.miss/", {"10:125,0"}),
                ("hybrid", "GenuineIntel-6-97-2", "perfmon", "int_misc.big", {"4:80ad,0"}),
                ("hybrid", "GenuineIntel-6-97-2", "perfmon", "cpu_core/dtlb_load_misses.walk_completed/", {"4:e12,0"}),
                ("server", "GenuineIntel-6-7E-5", "x86", "l1d.replacement", {"4:40151,0"}),
                ("server", "AuthenticAMD-25-4A-0", "x86", "ex_ret_brn", {"4:c2,0"}),
                ("server", "AuthenticAMD-25-61-0", "x86", "ex_next", {"4:77,0"}),
                ("arm", "0x00000000411fd083", "arm64", "l1d_cache_rd", {"10:40,0"})):
            with self.subTest(event=event, cpuid=cpuid):
                own, done = self.events(tree, cpuid, table, event)
                self.assertEqual((own, done.stderr), (asked, ""))

    def test_what_is_not_there_is_said(self):
        broken = os.path.join(self.folder, "broken.json")
        with open(broken, "w", encoding="utf-8") as file:
            file.write('[{"EventName": "a.b",')
        os.makedirs(os.path.join(self.folder, "empty"), exist_ok=True)
        for cpuid, table, event, why in (
                ("GenuineIntel-6-55-4", "perfmon", "mem_load.nonsense", "not among the 6 events of GenuineIntel-6-55-4 in "),
                ("GenuineIntel-6-55-5", "perfmon", "inst_retired.any", "has no events of this processor (GenuineIntel-6-55-5)"),
                ("GenuineIntel-6-55-4", "perfmon", "unc_m_cas_count.rd", "not among"),
                ("GenuineIntel-6-55-4", "empty", "a.b", "has no events of this processor"),
                ("AuthenticAMD-25-4A-0", "x86", "ex.next", "not among the 1 events"),  # the first row decides
                ("GenuineIntel-6-55-4", "broken.json", "a.b", "broken.json: this is not JSON"),
                ("GenuineIntel-6-55-4", "nowhere", "a.b", "nowhere: No such file or directory")):
            with self.subTest(table=table, event=event):
                _, done = self.events("server", cpuid, table, event)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stdout + done.stderr)
                self.assertIn(why, done.stderr)

    def test_the_list_explains_them(self):
        os.makedirs(os.path.join(self.folder, "data/lauka"), exist_ok=True)
        if not os.path.exists(os.path.join(self.folder, "data/lauka/events")):
            os.symlink("../../perfmon", os.path.join(self.folder, "data/lauka/events"))
        with mock.patch.dict(os.environ, PERF_CPUID="GenuineIntel-6-55-4", LAUKA_EVENT_TABLES=os.path.join(self.folder, "perfmon")):
            _, done = lauka("server", "list", "l3_miss")
            _, none = lauka("server", "list", "l4.nothing")
            with mock.patch.dict(os.environ, LAUKA_EVENT_TABLES="", XDG_DATA_HOME=os.path.join(self.folder, "data")):
                _, usual = lauka("server", "list", "l3_miss")
        said = " ".join(done.stdout.split())
        self.assertIn("mem_load_retired.l3_miss", said)
        self.assertIn("(cpu/event=0xd1,umask=0x20/)", said)
        self.assertNotIn("\x1b", done.stdout)
        self.assertEqual(usual.stdout, done.stdout)
        self.assertIn("not among the 6 events", none.stderr)

    def test_an_installed_perf_serves_where_there_is_no_table(self):
        programs = os.path.join(self.folder, "programs")
        os.makedirs(programs, exist_ok=True)
        listed = [{"Unit": "cpu", "EventName": "l2_lines_in.all", "Encoding": "cpu/event=0xf1,period=0x186a3,umask=0x1f/"},
                  {"Unit": "cpu", "MetricName": "tma"}, {"EventName": "odd.encoding", "Encoding": "nonsense"}]
        with open(os.path.join(programs, "perf"), "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ntest \"$*\" = 'list -j' && echo '{json.dumps(listed)}'\n")
        os.chmod(os.path.join(programs, "perf"), 0o755)
        with mock.patch.dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}"):
            lines, done = lauka("server", "-r1", "--warmup=0", "-e", "l2_lines_in.all", "true")
            _, odd = lauka("server", "-r1", "--warmup=0", "-e", "odd.encoding", "true")
        self.assertIn("1ff1", {line["config"] for line in lines}, done.stderr)
        self.assertEqual((odd.returncode, odd.stderr.count("\n")), (2, 1))


class Faults(unittest.TestCase):
    """Whatever fails while groups, and events of the whole machine, are opened: lauka ends in order, and what it shows is whole."""
    ASKED = ("topdown", "uncore_imc/cas_count_read/,power/energy-pkg/")

    def session(self, asked, *before, rules=()):
        return supervise("server", [*before, LAUKA, "-q", "-r1", "--warmup=0", "--json=-", "-e", asked, "true"], ["--slots", *rules])

    def check(self, lines, done):
        self.assertIn(done.returncode, (0, 1, 2, 5, 6), done.stderr)
        self.assertLessEqual(done.stderr.count("\n"), 2, done.stderr)
        if done.returncode:
            self.assertRegex(done.stderr, "^lauka: ")
            return 0
        metrics = json.loads(done.stdout)["results"][0]["metrics"]
        values = {name: metric["values"][0] for name, metric in metrics.items() if metric["values"]}
        for name in ("retiring", "bad_speculation", "frontend_bound", "backend_bound"):
            if values.get(f"{name}_percent") is not None:  # the supervisor's clocks are the same for all four
                self.assertAlmostEqual(values[f"{name}_percent"], 25, delta=1)
        opened = {line["type"] for line in lines if int(line["result"]) >= 0}
        if values.get("uncore_imc/cas_count_read/") is not None:
            self.assertLessEqual({"15", "16"}, opened)
        return len([value for value in values.values() if value is not None])

    def test_any_one_event_may_be_refused(self):
        for asked in self.ASKED:
            lines, done = self.session(asked)
            whole = self.check(lines, done)
            counts = set()
            for number in range(1, len(lines) + 1):
                with self.subTest(asked=asked, number=number):
                    counts.add(self.check(*self.session(asked, rules=[f"--fail={number}"])))
            self.assertTrue(min(counts) < max(counts) == whole, counts)

    def test_any_one_allocation_may_fail(self):
        for asked in self.ASKED:
            preloaded, count = ("env", f"LD_PRELOAD={FAILING_MALLOC}"), os.path.join(SCRATCH, "count")
            self.check(*self.session(asked, *preloaded, f"FAIL_COUNT={count}"))
            with open(count, encoding="ascii") as file:
                allocations = int(file.read())
            for number in range(1, allocations + 1, allocations // 60 + 1):
                with self.subTest(asked=asked, number=number):
                    self.check(*self.session(asked, *preloaded, f"FAIL_ALLOCATION={number}"))


POWERCAP = {"intel-rapl:0": ("package-0", 9_999_000, 10_000_000), "intel-rapl:0:0": ("core", 5, 10_000_000),
            "intel-rapl:0:1": ("dram", 5, 10_000_000), "intel-rapl-mmio:0": ("package-0", 7, 10_000_000)}


class Threads(unittest.TestCase):
    def opened(self, tree, *words, rules=()):
        with subprocess.Popen(["sleep", "60"]) as sleeping:
            try:
                lines, done = lauka(tree, "threads", str(sleeping.pid), "-r1", "--interval=1", *words, rules=rules)
            finally:
                sleeping.kill()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [line for line in lines if line["inherit"] == "0" and line["sampling"] == "0"], done

    def test_each_kind_of_core_has_events_of_its_own(self):
        for asked, kinds in (("branches", {("0", "400000004"), ("0", "a00000004")}), ("r3c", {("4", "3c"), ("10", "3c")}),
                             ("cpu_core/branches/", {("0", "400000004")}), ("task_clock", {("1", "1")})):
            with self.subTest(asked=asked):
                lines, _ = self.opened("hybrid", "-e", asked)
                self.assertEqual({(line["type"], line["config"]) for line in lines}, kinds)

    def test_cycles_and_instructions_are_a_group_on_each_kind(self):
        for tree, kinds in (("server", ["0"]), ("hybrid", ["4", "a"])):
            lines, done = self.opened(tree)
            groups = {(f"{int(line['config'], 16) >> 32:x}", line["config"][-1], line["member"]) for line in lines}
            self.assertEqual(groups, {(kind, *what) for kind in kinds for what in (("0", "0"), ("1", "1"))}, done.stdout)

    def test_older_kernels_on_arm_get_the_events_of_each_pmu(self):
        wanted = {("10", "11"), ("11", "11")}
        lines, done = lauka("big_little", "-r1", "--warmup=0", "-e", "cycles", "true", rules=["--plain"])
        self.assertEqual({(line["type"], line["config"]) for line in lines if int(line["result"]) >= 0 and line["type"] != "1"}, wanted,
                         done.stderr)
        for words, asked in (((), wanted | {("10", "8"), ("11", "8")}), (("-e", "cycles"), wanted)):
            lines, _ = self.opened("big_little", *words, rules=["--plain"])
            self.assertLessEqual(asked, {(line["type"], line["config"]) for line in lines if int(line["result"]) >= 0})


class Powercap(unittest.TestCase):
    """Where there is no PMU of the energy; the files are hand-made, and a command moves them as the hardware would."""
    PACKAGE = "/sys/class/powercap/intel-rapl:0/energy_uj"

    def measure(self, *words, under=()):
        devices, classes = os.path.join(SCRATCH, "no-power"), os.path.join(SCRATCH, "class")
        if not os.path.isdir(devices):
            trees.make("arm", devices)
        for zone, (name, energy, most) in POWERCAP.items():
            folder = os.path.join(classes, "powercap", zone)
            os.makedirs(folder, exist_ok=True)
            for file, text in (("name", name), ("energy_uj", energy), ("max_energy_range_uj", most)):
                with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
                    out.write(f"{text}\n")
        mount = 'mount --bind "$1" "$2" && mount --bind "$3" /sys/class && shift 3 && exec "$@"'
        return subprocess.run(["unshare", "--mount", "sh", "-c", mount, "sh", devices, DEVICES, classes, *under, LAUKA, "--color=never",
                               "-q", *words], capture_output=True, text=True, timeout=60, check=False)

    def test_the_difference_is_counted_also_across_the_wrap(self):
        step = f"sh -c 'echo 500000 >{self.PACKAGE}'"
        done = self.measure("-r1", "--warmup=0", "--json=-", "-e", "power/energy-pkg/,power/energy-cores/", step)
        metrics = json.loads(done.stdout)["results"][0]["metrics"]
        self.assertEqual([metrics[f"power/energy-{name}/"]["values"] for name in ("pkg", "cores")], [[0.501], [0]], done.stderr)
        self.assertEqual(metrics["power/energy-pkg/"]["unit"], "J")
        done = self.measure("-r1", "--warmup=0", "-e", "power/energy-pkg/", "true")
        self.assertIn("in 1 run the energy did not change", " ".join(done.stdout.split()))

    def test_a_file_that_cannot_be_opened_or_read_leaves_no_figure(self):
        if not shutil.which("strace"):
            self.skipTest("strace is not installed (Debian: strace)")
        step = f"sh -c 'echo 500000 >{self.PACKAGE}'"
        for fault, command, figures in (("open,openat:error=EMFILE", "true", [None] * 2), ("pread64:error=EIO:when=2+", step, [None] * 2),
                                        ("pread64:error=EIO:when=4", step, [0.501, None])):  # after the first run
            done = self.measure("-r2", "--warmup=0", "--json=-", "-e", "power/energy-pkg/", command, under=[
                "strace", "-f", "-qq", "-o", "/dev/null", "-P", self.PACKAGE, "-e", f"inject={fault}"])
            metric = json.loads(done.stdout)["results"][0]["metrics"]["power/energy-pkg/"]
            self.assertEqual((done.returncode, metric["values"] or [None] * 2), (0, figures), (fault, done.stderr))

    def test_a_zone_that_is_not_there_is_not_counted(self):
        done = self.measure("-r1", "--warmup=0", "-e", "power/energy-psys/", "true")
        self.assertRegex(done.stdout, "not counted +power/energy-psys/")
        done = self.measure("-r1", "--warmup=0", "-e", "power/energy-nonsense/", "true")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))


def main():
    global LAUKA, SUPERVISOR, FAILING_MALLOC, SCRATCH  # pylint: disable=global-statement
    LAUKA, SUPERVISOR, FAILING_MALLOC = map(os.path.abspath, sys.argv[1:4])
    why = ("x86-64 Linux only" if platform.machine() != "x86_64" else "it needs root, to mount" if os.geteuid() != 0 else
           "this system may not mount or trace" if subprocess.run(["unshare", "--mount", "mount", "--bind", "/tmp", "/tmp"],
                                                                  capture_output=True, check=False).returncode else "")
    if why:
        print(f"skipped: {why}\nperf: 0 passed, 0 failed")
        return
    with tempfile.TemporaryDirectory() as SCRATCH:
        program = unittest.main(argv=[sys.argv[0], *sys.argv[4:]], exit=False, verbosity=1)
    failed = len(program.result.failures) + len(program.result.errors)
    print(f"perf: {program.result.testsRun - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
