"""The device tree of a machine with two kinds of core: the first half of its CPUs are slow and have
a PMU of their own, the others are fast and have another. The kernel believes it; the speed is the
same. Bindings: arm,gic-v3 (ppi-partitions), arm,pmu, cpu-capacity."""
import os
import re

LITTLE, BIG = ("cortex-a53", 446), ("cortex-a72", 1024)  # compatible, capacity-dmips-mhz


def add_cell(line, cells):
    """One more cell in every interrupt of the line, each of which begins every `cells` numbers."""
    def widen(match):
        numbers = match.group(1).split()
        groups = [numbers[i:i + cells] for i in range(0, len(numbers), cells)]
        return "<" + " ".join(" ".join(group + ["0"]) for group in groups) + ">"
    return re.sub(r"<([^>]*)>", widen, line, count=1)


def widened(source):
    """An interrupt that belongs to a part of the CPUs is told by a fourth cell, which then all have."""
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
    """The numbers of the little CPUs, and of the big ones."""
    return range(count // 2), range(count // 2, count)


def additions(count):
    """What follows the tree that the emulator made, in place of its one PMU (interrupt PPI 7)."""
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
    """The path of the compiled tree. run: runs a command, or raises."""
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
