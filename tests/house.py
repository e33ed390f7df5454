#!/usr/bin/env python3
"""The house keeps its order: who includes whom, where a system or a library may be named, how long
things are. Run from the root: python3 tests/house.py"""
import glob
import os
import re
import sys

# Folder -> the folders whose headers it may include.
DIRECTIONS = {
    "stats": {"stats"},
    "pmu": {"pmu"},
    "report": {"report", "stats"},
    "runner": {"runner", "pmu", "stats", "report"},
}
# Header of another library -> the files that may include it.
LIBRARIES = {
    "cjson/cJSON.h": r"(report/(json|load_json)\w*\.c|tests/.*)$",
    "csv.h": r"(report/(csv|load_csv)\w*\.c|tests/.*)$",
    "zlib.h": r"report/hdr_text\.c$",
}
# What pure arithmetic may include of the system.
PURE = {"assert.h", "errno.h", "float.h", "limits.h", "math.h", "stdbool.h", "stddef.h", "stdint.h",
        "stdlib.h", "string.h", "tgmath.h"}
SYSTEMS = r"__linux__|__linux\b|__APPLE__|__MACH__|__gnu_linux__|__GLIBC__|TARGET_OS_\w+"
LONGEST_FILE, LONGEST_FUNCTION = 700, 70

passed = failed = 0


def expect(rule, offences):
    global passed, failed
    if offences:
        failed += 1
        print(f"FAILED {rule}\n" + "".join(f"  {offence}\n" for offence in offences), end="")
    else:
        passed += 1


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def lines_matching(sources, pattern):
    """(path, line number, match) of every line of the sources that the pattern matches."""
    for path, text in sources.items():
        for number, line in enumerate(text.splitlines(), 1):
            match = re.search(pattern, line)
            if match:
                yield path, number, match


def included(path, name):
    """The file that `#include "name"` in the file at `path` means: a neighbour, or one from the root."""
    neighbour = os.path.join(os.path.dirname(path), name)
    return neighbour if os.path.exists(neighbour) else name


def functions(text):
    """(name, line number, lines) of every function: in this house its braces stand in column 0."""
    lines = text.splitlines()
    begin = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            begin = number
        elif line == "}" and begin:
            head = begin - 1  # the name is in the first line of the heading
            while head > 1 and lines[head - 1].startswith((" ", "\t")):
                head -= 1
            name = re.search(r"(\w+)\(", lines[head - 1])
            yield (name.group(1) if name else "?"), head, number - head + 1
            begin = None


ours = {path: read(path) for folder in DIRECTIONS for path in sorted(glob.glob(f"{folder}/*.[ch]"))}
everything = {**ours, **{path: read(path) for folder in ("tests", "examples")
                         for path in sorted(glob.glob(f"{folder}/**/*.[ch]", recursive=True))}}
build = read("build.zig") + read("files.zig") + read("tests/fakes/simulated_mac.zig")

for folder, allowed in DIRECTIONS.items():
    inside = {path: text for path, text in ours.items() if path.startswith(folder + "/")}
    expect(f"{folder} includes the headers of {', '.join(sorted(allowed))} only", [
        f"{path}:{number}: {match.group(1)}"
        for path, number, match in lines_matching(inside, r'^\s*#\s*include\s+"([^"]+)"')
        if included(path, match.group(1)).split("/")[0] not in allowed])
    expect(f"{folder} has a header named after it", [] if f"{folder}/{folder}.h" in ours else [folder])

expect("stats asks the system for nothing but arithmetic", [
    f"{path}:{number}: <{match.group(1)}>"
    for path, number, match in lines_matching(ours, r"^\s*#\s*include\s+<([^>]+)>")
    if path.startswith("stats/") and match.group(1) not in PURE
    and (path, match.group(1)) != ("stats/recorder.c", "pthread.h")])

for header, may in LIBRARIES.items():
    expect(f"<{header}> is known to its reader and its writer only", [
        f"{path}:{number}" for path, number, match
        in lines_matching(everything, r'#\s*include\s+[<"](\S+)[>"]')
        if match.group(1).split("/")[-1] == header.split("/")[-1]
        and not (match.group(1) == header and re.match(may, path))])

expect("systems differ in files, not in lines", [
    f"{path}:{number}: {match.group(0)}"
    for path, number, match in lines_matching(ours, rf"^\s*#\s*(el)?if.*\b({SYSTEMS})")])

expect("every C file is built", [
    path for path in everything
    if path.endswith(".c") and not path.startswith("tests/fuzz/")  # run.py builds all of them
    and f'"{path}"' not in build
    and f'"{os.path.splitext(os.path.basename(path))[0].removeprefix("test_")}"' not in build])

expect("nothing is fetched by the build", [
    "build.zig.zon: a url" for _ in re.findall(r"\.url\b|://", read("build.zig.zon"))])

# Tests are lists of sentences: they may be longer.
expect(f"no file has more than {LONGEST_FILE} lines", [
    f"{path}: {text.count(chr(10))} lines" for path, text in {**ours, **{name: read(name) for name in ("build.zig", "files.zig")}}.items()
    if text.count("\n") > LONGEST_FILE])

expect(f"no function has more than {LONGEST_FUNCTION} lines", [
    f"{path}:{number}: {name}, {count} lines"
    for path, text in everything.items() for name, number, count in functions(text)
    if count > LONGEST_FUNCTION])

# hyperfine's tests, of which it has 41 of its program and 19 of its order, and ours for them.
rows = re.findall(r"^\| (\w+(?:, \w+)*) \| (.*) \|$", read("tests/cli/README.md"), re.M)
theirs = [name for names, _ in rows for name in names.split(", ")]
cli = {f"{os.path.splitext(os.path.basename(path))[0]}.{kind}.{name}"
       for path in glob.glob("tests/cli/*.py")
       for kind, body in re.findall(r"^class (\w+).*\n((?:(?:    .*)?\n)+)", read(path), re.M)
       for name in re.findall(r"^    def (test_\w+)", body, re.M)}
expect("tests/cli/README.md has each of hyperfine's tests once", [
    f"{len(set(theirs))} tests, {len(theirs)} times" for _ in [0]
    if not len(set(theirs)) == len(theirs) == 41 + 19])
expect("what tests/cli/README.md says of hyperfine's tests has a test", [
    f"{name}: {test}" for names, text in rows for name in names.split(", ")
    for test in re.findall(r"`(\w+\.\w+\.test_\w+)`", text) or [f"hyperfine.Integration.test_{name}"]
    if test not in cli and not text.startswith("not applicable: ")])

print(f"house: {passed} passed, {failed} failed")
sys.exit(failed != 0)
