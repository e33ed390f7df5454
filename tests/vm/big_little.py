"""The device tree of a machine with two core types. The first half of its CPUs are slow and have one
PMU, the others are fast and have another. The kernel believes this, although the real speed is the same.
Bindings: arm,gic-v3 (ppi-partitions), arm,pmu, cpu-capacity."""
import os
import re

LITTLE, BIG = ("cortex-a53", 446), ("cortex-a72", 1024)  # compatible, capacity-dmips-mhz


def add_cell(line, cells):
    """Adds a cell to every interrupt of the line; an interrupt has `cells` numbers."""
    def widen(match):
        numbers = match.group(1).split()
        groups = [numbers[i:i + cells] for i in range(0, len(numbers), cells)]
        return "<" + " ".join(" ".join(group + ["0"]) for group in groups) + ">"
    return re.sub(r"<([^>]*)>", widen, line, count=1)


def widened(source):
    """Adds a fourth cell to all interrupts, because one that belongs to some of the CPUs needs it."""
    lines = []
    for line in source.splitlines():
        if re.match(r"\s*interrupts = <", line):
            line = add_cell(line, 3)
        elif re.match(r"\s*interrupt-map = <", line):
            line = add_cell(line, 10)
        lines.append(line.replace("#interrupt-cells = <0x03>", "#interrupt-cells = <0x04>"))
    return "\n".join(lines)


def cpu(index):
    return f"&{{/cpus/cpu@{index:x}}}"


def halves(count):
    """Returns the numbers of the little CPUs, and of the big ones."""
    return range(count // 2), range(count // 2, count)


def additions(count):
    """Returns what is added to the emulator's tree, replacing its only PMU (interrupt PPI 7)."""
    clusters, speeds, partitions, pmus = "", "", "", ""
    for number, (cpus, (name, capacity)) in enumerate(zip(halves(count), (LITTLE, BIG))):
        cores = "".join(f"core{core} {{ cpu = <{cpu(i)}>; }}; " for core, i in enumerate(cpus))
        clusters += f"cluster{number} {{ {cores}}}; "
        speeds += "".join(f'cpu@{i:x} {{ compatible = "arm,{name}"; '
                          f"capacity-dmips-mhz = <{capacity}>; }}; " for i in cpus)
        partitions += (f"part{number}: interrupt-partition-{number} "
                       f"{{ affinity = <{' '.join(map(cpu, cpus))}>; }}; ")
        pmus += f'pmu-{number} {{ compatible = "arm,{name}-pmu"; interrupts = <1 7 4 &part{number}>; }}; '
    return (f"\n/ {{ intc@8000000 {{ ppi-partitions {{ {partitions}}}; }}; /delete-node/ pmu; {pmus}"
            f"cpus {{ /delete-node/ cpu-map; cpu-map {{ {clusters}}}; {speeds}}}; }};\n")


def make_tree(run, machine, cpu_model, count, folder):
    """Returns the path of the compiled tree. run: runs a command, or raises an error."""
    own, source, tree = (os.path.join(folder, name) for name in ("own.dtb", "tree.dts", "tree.dtb"))
    run("qemu-system-aarch64", "-M", f"{machine},dumpdtb={own}", "-cpu", cpu_model, "-smp", str(count),
        "-m", "512", "-nodefaults", "-display", "none")
    run("dtc", "-q", "-I", "dtb", "-O", "dts", "-o", source, own)
    with open(source) as file:
        text = widened(file.read()) + additions(count)
    with open(source, "w") as file:
        file.write(text)
    run("dtc", "-q", "-I", "dts", "-O", "dtb", "-o", tree, source)
    return tree
