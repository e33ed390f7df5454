#!/usr/bin/env python3
"""Encodes every name of a processor's table, and compares with what perf asks the kernel for: python3
tests/bench/event_tables.py LAUKA SUPERVISOR TABLES CPUID [TREE]

TABLES is a folder with mapfile.csv (github.com/intel/perfmon), CPUID a processor as PERF_CPUID has it (GenuineIntel-6-55-4),
TREE one of tests/perf/trees.py (server; hybrid for those with two kinds of core). perf has tables of its own, perhaps older
ones. It needs root and perf, and takes minutes."""
import collections
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../perf"))
import run  # noqa: E402  pylint: disable=wrong-import-position

TOGETHER = 12


def ask(program, tree, names):
    """Returns what was opened for each of the names, or None if something was refused."""
    words = (["perf", "stat", "-e", ",".join(names), "true"] if program == "perf" else
             [run.LAUKA, "-q", "-r1", "--warmup=0", "--event-table", TABLES, "-e", ",".join(names), "true"])
    lines, done = run.supervise(tree, words)
    opened = [f"{line['type']}:{line['config']},{line['config1']}" for line in lines
              if line["inherit"] == "1" and line["sampling"] == "0" and not run.is_own(line, "")]
    # Together they can only be told apart if each has one event.
    if done.returncode != 0 or (len(names) > 1 and len(opened) != len(names)):
        return None
    return dict(zip(names, opened)) if len(names) > 1 else {names[0]: " ".join(sorted(set(opened)))}


def ask_each(program, tree, names):
    found = ask(program, tree, names) if program == "perf" else None  # lauka orders events, and shares are opened once
    if found is None:
        found = {}
        for name in names:
            found[name] = (ask(program, tree, [name]) or {name: "refused"})[name]
    return found


def main():
    global TABLES  # pylint: disable=global-statement
    run.LAUKA, run.SUPERVISOR, TABLES = map(os.path.abspath, sys.argv[1:4])
    os.environ["PERF_CPUID"] = sys.argv[4]
    tree = sys.argv[5] if len(sys.argv) > 5 else "server"
    with tempfile.TemporaryDirectory() as run.SCRATCH:
        _, done = run.supervise(tree, [run.LAUKA, "list", "--event-table", TABLES, "--json", "."])
        listed = json.loads(done.stdout)
        names = sorted({event["name"] for event in listed if re.search(r"\(cpu\w*/", event["description"])})
        counts, different = collections.Counter(), []
        for first in range(0, len(names), TOGETHER):
            some = names[first:first + TOGETHER]
            perf, own = (ask_each(program, tree, some) for program in ("perf", "lauka"))
            for name in some:
                kind = ("perf does not know it" if perf[name] == "refused" else "lauka refuses it" if own[name] == "refused" else
                        "the same" if own[name] == perf[name] else "different")
                counts[kind] += 1
                if kind in ("different", "lauka refuses it"):
                    different.append((name, perf[name], own[name]))
    for name, theirs, ours in different:
        print(f"{name}: perf {theirs}, lauka {ours}")
    print(f"{sys.argv[4]}: {len(names)} names: " + ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))


TABLES = ""
if __name__ == "__main__":
    main()
