"""Folders as Linux has them in /sys/bus/event_source/devices, of processors that this machine need not have."""
import os

INTEL_FORMAT = """format/event=config:0-7 format/umask=config:8-15 format/edge=config:18 format/pc=config:19 format/inv=config:23
    format/cmask=config:24-31 format/ldlat=config1:0-15 format/frontend=config1:0-23 format/offcore_rsp=config1:0-63"""
INTEL_EVENTS = """events/branch-instructions=event=0xc4 events/branch-misses=event=0xc5 events/bus-cycles=event=0x3c,umask=0x01
    events/cache-misses=event=0x2e,umask=0x41 events/cache-references=event=0x2e,umask=0x4f events/cpu-cycles=event=0x3c
    events/instructions=event=0xc0 events/ref-cycles=event=0x00,umask=0x03 events/mem-loads=event=0xcd,umask=0x1,ldlat=3"""
TOPDOWN = """events/slots=event=0x00,umask=0x4 events/topdown-retiring=event=0x00,umask=0x80
    events/topdown-bad-spec=event=0x00,umask=0x81 events/topdown-fe-bound=event=0x00,umask=0x82
    events/topdown-be-bound=event=0x00,umask=0x83"""
ARM = "format/event=config:0-15 format/long=config1:0 format/rdpmc=config1:1 format/threshold=config1:5-16 " + " ".join(
    f"events/{name}=event={number:#06x}" for name, number in {
        "sw_incr": 0, "l1d_cache_refill": 3, "l1d_cache": 4, "l1d_tlb_refill": 5, "inst_retired": 8, "br_mis_pred": 0x10,
        "cpu_cycles": 0x11, "br_pred": 0x12, "mem_access": 0x13, "l1i_cache": 0x14, "bus_cycles": 0x1d, "br_retired": 0x21,
        "stall_frontend": 0x23, "l1d_tlb": 0x25, "l1i_tlb": 0x26, "ll_cache": 0x32, "ll_cache_rd": 0x36}.items())
COMMON = {"software": "type=1", "tracepoint": "type=2", "breakpoint": "type=5"}
INTEL = COMMON | {
    "msr": """type=13 format/event=config:0-63 events/tsc=event=0x00 events/aperf=event=0x01
        events/cpu_thermal_margin=event=0x05 events/cpu_thermal_margin.snapshot=1 events/cpu_thermal_margin.unit=C""",
    "power": """type=20 cpumask=0 format/event=config:0-7 events/energy-pkg=event=0x02 events/energy-pkg.unit=Joules
        events/energy-pkg.scale=2.3283064365386962890625e-10""",
    "uncore_imc_0": """type=15 cpumask=0 format/event=config:0-7 format/umask=config:8-15
        events/cas_count_read=event=0x04,umask=0x03 events/cas_count_read.scale=6.103515625e-5 events/cas_count_read.unit=MiB""",
    "uncore_imc_1": """type=16 cpumask=0 format/event=config:0-7 format/umask=config:8-15
        events/cas_count_read=event=0x04,umask=0x03 events/cas_count_read.scale=6.103515625e-5 events/cas_count_read.unit=MiB""",
    "cstate_core": "type=18 cpumask=0-1 format/event=config:0-63 events/c6-residency=event=0x02",
    "intel_pt": "type=9 format/tsc=config:10"}
TREES = {
    # An Intel server: one kind of core, top-down metrics, transactions.
    "server": INTEL | {"cpu": f"""type=4 rdpmc=1 caps/max_precise=3 caps/pmu_name=icelake {INTEL_FORMAT} {INTEL_EVENTS} {TOPDOWN}
        format/any=config:21 format/in_tx=config:32 events/cycles-ct=event=0x3c,in_tx=1 events/el-start=event=0xc8,umask=0x1
        events/mem-stores=event=0xd0,umask=0x82 events/topdown-total-slots=event=0x3c,umask=0x0,any=1
        events/topdown-total-slots.scale=2 events/topdown-slots-retired=event=0xc2,umask=0x2"""},
    # An Intel processor with two kinds of core.
    "hybrid": INTEL | {
        "cpu_core": f"""type=4 rdpmc=1 cpus=0 caps/max_precise=3 caps/pmu_name=alderlake_hybrid {INTEL_FORMAT} {INTEL_EVENTS}
            {TOPDOWN}""",
        "cpu_atom": f"""type=10 rdpmc=1 cpus=1 caps/max_precise=3 caps/pmu_name=alderlake_hybrid {INTEL_FORMAT} {INTEL_EVENTS}
            events/topdown-bad-spec=event=0x73,umask=0x0 events/topdown-be-bound=event=0x74,umask=0x0
            events/topdown-fe-bound=event=0x71,umask=0x0 events/topdown-retiring=event=0xc2,umask=0x0"""},
    # Arm with one kind of core, and with two.
    "arm": COMMON | {"armv8_cortex_a72": f"type=10 cpus=0-1 {ARM}"},
    "big_little": COMMON | {"armv8_cortex_a72": f"type=10 cpus=1 {ARM}", "armv8_cortex_a53": f"type=11 cpus=0 {ARM}"},
}
KINDS = {"hybrid": "--kinds=4:0,10:1", "big_little": "--kinds=10:1,11:0"}


def make(name, folder):
    """Writes the tree into the folder."""
    for pmu, files in TREES[name].items():
        for file in files.split():
            path, text = file.split("=", 1)
            path = os.path.join(folder, pmu, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as out:
                out.write(text + "\n")
