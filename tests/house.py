#!/usr/bin/env python3
"""Checks the rules of the house: which files include which, where a system or a library may be named,
and how long files and functions are. Run from the root: python3 tests/house.py"""
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
    "liblauka": {"liblauka", "include", "stats", "report"},
}
# Room -> the rooms of its folder whose headers it may include, besides its own and the folder's. The linux/
# and macos/ folders of a room belong to that room.
ROOMS = {
    "runner/base": "",
    "runner/command": "base",
    "runner/metrics": "command base",
    "runner/launch": "command base",
    "runner/gate": "metrics launch base",
    "runner/options": "launch gate command base",
    "runner/machine": "launch command metrics base",
    "runner/provenance": "base",
    "runner/kept": "provenance command base",
    "runner/attribution": "base",
    "runner/session": "attribution gate machine metrics options launch command base",
    "runner/revisions": "session options provenance launch command base",
    "runner/service": "session launch command base",
    "runner/history": "subcommands revisions machine provenance options launch session command base",
    "runner/suite": "session options launch command base",
    "runner/subcommands": "options gate metrics launch session base",
    "report/text": "",
    "report/hdr": "text",
    "report/pack": "text",
    "report/result": "hdr pack text",
    "report/analysis": "result",
    "report/words": "analysis result text",
    "report/plot": "words analysis result text",
    "report/terminal": "analysis plot words result text",
    "report/html": "plot words analysis result text",
    "report/history": "html plot json pack words analysis result text",
    "report/json": "words analysis result hdr pack text",
    "report/csv": "words analysis result hdr text",
    "report/markdown": "plot words analysis result hdr text",
    "report/ci": "analysis json markdown words result text",
    "report/exports": "json words analysis result hdr text",
    "report/load": "hdr pack result text",
    "pmu/events": "",
    "pmu/counters": "events",
    "pmu/profile": "",
    "pmu/calls": "events",
    "pmu/samples": "events",
    "pmu/valgrind": "events profile samples",
    "pmu/threads": "counters events",
    "pmu/apple": "events",
    "pmu/linux": "apple calls counters events samples threads",
    "pmu/macos": "apple calls counters events samples threads",
}
# Header of another library -> the files that may include it.
LIBRARIES = {
    "cjson/cJSON.h": r"(report/load/\w+\.c|runner/suite/(gbench|criterion|pytest|jmh|times)\.c|runner/options/event_tables\.c|tests/.*)$",
    "csv.h": r"(report/(csv/\w+|load/columns)\.c|tests/.*)$",
    "zlib.h": r"report/(hdr/hdr_text|pack/(gzip|series))\.c$",
}
# The system headers that pure arithmetic may include.
PURE = {"assert.h", "errno.h", "float.h", "limits.h", "math.h", "stdbool.h", "stddef.h", "stdint.h",
        "stdlib.h", "string.h", "tgmath.h"}
SYSTEMS = r"__linux__|__linux\b|__APPLE__|__MACH__|__gnu_linux__|__GLIBC__|TARGET_OS_\w+"
LONGEST_FILE, LONGEST_FUNCTION = 700, 70
# The most lines of C that each room may have. A commit that raises one does nothing else.
BUDGETS = {"runner": 49_430, "report": 39_500, "pmu": 14_960, "stats": 9_830, "include": 2_630, "liblauka": 1_540}
MOST_WITH_ONE_USER = 483  # public functions; it only goes down

# docs/architecture.md says what these are. The third list only gets shorter.
ENGINE = {f"runner/{name}" for name in "base command metrics launch gate options machine provenance session".split()} | \
    {f"report/{name}" for name in "text result analysis words terminal json".split()} | {"pmu/events", "pmu/counters", "stats"}
EXTRAS = {"runner/attribution", "runner/history", "runner/kept", "runner/revisions", "runner/service", "runner/suite", "liblauka"} | \
    {f"report/{name}" for name in "hdr history pack plot html csv markdown ci exports load".split()} | \
    {f"pmu/{name}" for name in "profile calls samples valgrind threads apple".split()}
STILL_KNOWN = [("report/json", "report/pack"), ("report/result", "report/hdr"), ("report/terminal", "report/plot"),
               ("runner/options", "pmu/apple"), ("runner/session", "runner/attribution"),
               *(("runner/session", f"pmu/{name}") for name in ("calls", "profile", "samples", "valgrind"))]

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
    """Yields (path, line number, match) for every line of the sources that the pattern matches."""
    wanted = re.compile(pattern, re.M)
    for path, text in sources.items():
        for number, line in enumerate(text.splitlines() if wanted.search(text) else (), 1):
            match = wanted.search(line)
            if match:
                yield path, number, match


def included(path, name):
    """Returns the file that `#include "name"` in the file at `path` means: a neighbour, or one from the
    root."""
    neighbour = os.path.join(os.path.dirname(path), name)
    return neighbour if os.path.exists(neighbour) else name


def functions(text):
    """Yields (name, line number, lines) for every function. In this code base, the braces of functions
    are in column 0."""
    lines = text.splitlines()
    begin = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            begin = number
        elif line == "}" and begin:
            head = begin - 1  # the first line of the heading has the name
            while head > 1 and lines[head - 1].startswith((" ", "\t")):
                head -= 1
            name = re.search(r"(\w+)\(", lines[head - 1])
            yield (name.group(1) if name else "?"), head, number - head + 1
            begin = None


ours = {path: read(path) for folder in DIRECTIONS
        for path in sorted(glob.glob(f"{folder}/**/*.[ch]", recursive=True))}
everything = {**ours, **{path: read(path) for folder in ("tests", "examples")
                         for path in sorted(glob.glob(f"{folder}/**/*.[ch]", recursive=True))}}
build_files = ["build.zig", "files.zig", *sorted(glob.glob("build/*.zig"))]
build = "".join(map(read, [*build_files, "tests/fakes/simulated_mac.zig"]))

for folder, allowed in DIRECTIONS.items():
    inside = {path: text for path, text in ours.items() if path.startswith(folder + "/")}
    expect(f"{folder} includes the headers of {', '.join(sorted(allowed))} only", [
        f"{path}:{number}: {match.group(1)}"
        for path, number, match in lines_matching(inside, r'^\s*#\s*include\s+"([^"]+)"')
        if included(path, match.group(1)).split("/")[0] not in allowed])


def room(path):
    """Returns the room of a file, or its folder if that has no rooms."""
    parts = path.split("/")
    return "/".join(parts[:2]) if len(parts) > 2 else parts[0]


expect("a test program reports by the name of its file, which .ci/run looks for", [
    path for path, text in everything.items() if path.startswith("tests/unit/") and path.endswith(".c")
    and f'expect_report("{os.path.basename(path)[:-2]}")' not in text])
expect("every file lies in a room of the table", [
    path for path in ours if room(path) not in ROOMS and room(path) not in DIRECTIONS])
expect("a room includes the headers of rooms below it only", [
    f"{path}:{number}: {match.group(1)}"
    for path, number, match in lines_matching(ours, r'^\s*#\s*include\s+"([^"]+)"')
    for theirs in [included(path, match.group(1))]
    if room(path) in ROOMS and theirs.split("/")[0] == path.split("/")[0]
    and room(theirs) not in {room(path), path.split("/")[0]}
    and room(theirs).split("/")[-1] not in ROOMS[room(path)].split()])
knows = {(path, room(included(path, match.group(1)))) for path, _, match
         in lines_matching(ours, r'^\s*#\s*include\s+"([^"]+)"') if room(path) in ENGINE}
expect("rooms of the engine include no extras", [
    f"{path}: {theirs}" for path, theirs in sorted(knows) if theirs in EXTRAS and (room(path), theirs) not in STILL_KNOWN])
expect("what the engine still knows of extras is true", [
    f"{engine}: {theirs}" for engine, theirs in STILL_KNOWN if not any((room(path), extra) == (engine, theirs) for path, extra in knows)])


def plain(text):
    """Returns the text without comments and strings."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', text)


def defined_in(text):
    """Returns the functions of a file that other files may call."""
    lines = text.splitlines()
    return {name for name, line, _ in functions(text) if not re.match(r"(LAUKA_UNCHECKED )?static", lines[line - 1])}


def circles(paths):
    """Returns groups of files that need each other's functions."""
    texts = {path: plain(ours[path]) for path in paths}
    home = {name: path for path in paths for name in defined_in(ours[path])}
    needs = {path: {home[word] for word in set(re.findall(r"\b\w+(?=\()", text)) if word in home} - {path}
             for path, text in texts.items()}
    while True:  # a file that needs none of the others is in no circle
        free = {path for path in needs if not needs[path] & set(needs)}
        if not free:
            return sorted(needs)
        needs = {path: theirs for path, theirs in needs.items() if path not in free}


for system, other in (("Linux", "macos"), ("macOS", "linux")):
    expect(f"no files need each other in a circle, on {system}", circles(
        [path for path in ours if path.endswith(".c") and f"/{other}/" not in path
         and path not in ("runner/main.c", "runner/build.c", "runner/manual.c", "runner/launch/linux/launcher_main.c")]))

expect("docs/architecture.md names every room", [
    room for room in ROOMS if f"`{room}/`" not in read("docs/architecture.md")])

expect("everything that CONTRIBUTING and docs name exists", [
    f"{page}: {name}" for page in ["CONTRIBUTING.md", *sorted(glob.glob("docs/**/*.md", recursive=True))]
    for name in re.findall(r"`((?:stats|pmu|report|runner|tests|examples|schema)/[\w./*-]*)`", read(page))
    if not glob.glob(name.replace("NAME", "*")) ])

expect("sections of headers name files that exist", [
    f"{path}:{number}: {name}" for path, number, match
    in lines_matching({path: text for path, text in ours.items() if path.endswith(".h")}, r"/\* -{2,} .*?\.c\b.*")
    for name in re.findall(r"[\w/]+\.c\b", match.group())
    if not glob.glob(f"{path.split('/')[0]}/**/{os.path.basename(name)}", recursive=True)])

expect("stats includes no header of the system but those for arithmetic", [
    f"{path}:{number}: <{match.group(1)}>"
    for path, number, match in lines_matching(ours, r"^\s*#\s*include\s+<([^>]+)>")
    if path.startswith("stats/") and match.group(1) not in PURE
    and (path, match.group(1)) != ("stats/recorder.c", "pthread.h")])

for header, may in LIBRARIES.items():
    expect(f"only its reader and its writer include <{header}>", [
        f"{path}:{number}" for path, number, match
        in lines_matching(everything, r'#\s*include\s+[<"](\S+)[>"]')
        if match.group(1) in (header, header.split("/")[-1])
        and not (match.group(1) == header and re.match(may, path))])

expect("systems differ by files, not by #if", [
    f"{path}:{number}: {match.group(0)}"
    for path, number, match in lines_matching(ours, rf"^\s*#\s*(el)?if.*\b({SYSTEMS})")])

# darwin_system.c is the interface to the system, below runner/.
expect("only runner/base/processes.c signals processes and waits for them", [
    f"{path}:{number}: {match.group(0)}" for path, number, match in lines_matching(
        {path: re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment.group().count("\n"), text, flags=re.S)
         for path, text in ours.items() if path not in ("runner/base/processes.c", "pmu/macos/darwin_system.c")},
        r"\b(kill|killpg|tgkill|waitpid|wait3|wait4|waitid|pidfd_send_signal)\(|\bSYS_(t?kill|tgkill|pidfd_send_signal)\b")])

ESCAPES = {"report/text/palette.c", "report/text/text.c"}  # one writes them, the other measures them
expect("only the palette has escape sequences", [
    f"{path}:{number}" for path, number, _ in lines_matching(
        {path: text for path, text in ours.items() if path not in ESCAPES},
        r"(?i)\\(x1b|0?33(?!\d)|e)\[|\\u001b|'\\(x1b|033)'")])

DIALECT = re.compile(r"\b(told|whoever|so many|that of)\b", re.I)  # CONTRIBUTING.md has what to write instead


def comments(text):
    """Yields (line number, text on one line) for every comment of C text."""
    for match in re.finditer(r"\"(?:\\.|[^\"\\\n])*\"|/\*.*?\*/", text, re.S):
        if match.group().startswith("/*"):
            yield text.count("\n", 0, match.start()) + 1, re.sub(r"\s*\n\s*(\*(?!/))?\s*", " ", match.group())


expect("comments of headers, and the first one of each C file, have no `told`, `whoever`, `so many` or `that of`", [
    f"{path}:{number}: {word.group()}" for path, text in everything.items()
    for number, comment in comments(text) if path.endswith(".h") or number == 1
    for word in DIALECT.finditer(comment)])

expect("every C file is built", [
    path for path in everything
    if path.endswith(".c") and not path.startswith(("tests/fuzz/", "tests/library/"))  # run.py builds these
    and f'"{path}"' not in build
    and f'"{path.removeprefix("tests/unit/").removesuffix(".c")}"' not in build
    and f'"{os.path.splitext(os.path.basename(path))[0]}"' not in build])

expect("the build downloads nothing", [
    "build.zig.zon has a URL" for _ in re.findall(r"\.url\b|://", read("build.zig.zon"))])

# Tests are lists of sentences, so they may be longer.
expect(f"no file has more than {LONGEST_FILE} lines", [
    f"{path}: {text.count(chr(10))} lines" for path, text in {**ours, **{name: read(name) for name in build_files}}.items()
    if text.count("\n") > LONGEST_FILE])

expect(f"no function has more than {LONGEST_FUNCTION} lines", [
    f"{path}:{number}: {name}, {count} lines"
    for path, text in everything.items() for name, number, count in functions(text)
    if count > LONGEST_FUNCTION])

rooms = {room: sum(read(path).count("\n") for path in glob.glob(f"{room}/**/*.[ch]", recursive=True)) for room in BUDGETS}
expect("no room has more lines than its budget", [
    f"{room}: {rooms[room]} lines, {most} at most" for room, most in BUDGETS.items() if rooms[room] > most])


def words(text):
    """Returns the identifiers of C text, without comments."""
    return set(re.findall(r"\b[A-Za-z_]\w*", re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)))


def with_one_user():
    """Returns the public functions that at most one file uses, and neither a test nor the library: they could be static."""
    declared = {name for path, text in ours.items() if path.endswith(".h")
                for name in re.findall(r"^(?![#/ \t]).*?\b(lauka_\w+)\((?!\*)", text, re.M)}
    homes = {}  # a file for each system
    for path, text in ours.items():
        for name in re.findall(r"^(?!static)\w[^\n;]*?\b(lauka_\w+)\([^;{]*\)\s\{", text, re.M) if path.endswith(".c") else ():
            homes.setdefault(name, set()).add(path)
    users = {name: set() for name in declared & set(homes)}
    for path, text in everything.items():
        for name in words(text) & set(users) if path.endswith(".c") or path.startswith("tests") else ():
            users[name].add(path)
    return sorted(name for name, paths in users.items() if len(paths - homes[name]) <= 1 and
                  not any(path.startswith(("tests", "examples", "liblauka")) for path in paths))


fragments = with_one_user()
expect(f"at most {MOST_WITH_ONE_USER} public functions have one user", [
    f"there are {len(fragments)}: make some of them static" for _ in [0] if len(fragments) > MOST_WITH_ONE_USER])

# hyperfine's tests, 41 of its program and 19 of its order, and our tests for them.
rows = re.findall(r"^\| (\w+(?:, \w+)*) \| (.*) \|$", read("tests/cli/README.md"), re.M)
theirs = [name for names, _ in rows for name in names.split(", ")]
cli = {f"{os.path.splitext(os.path.basename(path))[0]}.{kind}.{name}"
       for path in glob.glob("tests/cli/*.py")
       for kind, body in re.findall(r"^class (\w+).*\n((?:(?:    .*)?\n)+)", read(path), re.M)
       for name in re.findall(r"^    def (test_\w+)", body, re.M)}
expect("tests/cli/README.md has each of hyperfine's tests once", [
    f"{len(set(theirs))} tests, {len(theirs)} times" for _ in [0]
    if not len(set(theirs)) == len(theirs) == 41 + 19])
expect("every test that tests/cli/README.md names exists", [
    f"{name}: {test}" for names, text in rows for name in names.split(", ")
    for test in re.findall(r"`(\w+\.\w+\.test_\w+)`", text) or [f"hyperfine.Integration.test_{name}"]
    if test not in cli and not text.startswith("not applicable: ")])

def cells(row):
    """Returns how many cells a row of a Markdown table has."""
    return len(re.findall(r"(?<!\\)\|", row)) - 1


def uneven_rows(text):
    """Yields the number and the text of each row with more or fewer cells than the head of its table."""
    shown = re.sub(r"(?ms)^```.*?^```", lambda block: "\n" * block.group().count("\n"), text)
    above = ""
    for number, line in enumerate(shown.split("\n"), 1):
        if line.startswith("|") and (not line.endswith("|") or (above and cells(line) != cells(above))):
            yield number, line
        above = line if line.startswith("|") else ""


def control_characters(text):
    for match in re.finditer(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff]", text):
        yield text.count("\n", 0, match.start()) + 1, match.group()


documents = {path: read(path) for path in glob.glob("**/*.md", recursive=True) if not path.startswith("zig-out/")}
expect("every row of a table in Markdown has as many cells as the one above it", [
    f"{path}:{number}: {row[:60]}" for path, text in documents.items() for number, row in uneven_rows(text)])
expect("no document and no source has a control character", [
    f"{path}:{number}: {character!r}"
    for path, text in {**documents, **everything, **{name: read(name) for name in build_files}}.items()
    for number, character in control_characters(text)])

print(f"house: {sum(rooms.values())} lines of C; {len(fragments)} public functions have one user")
print(f"house: {passed} passed, {failed} failed")
sys.exit(failed != 0)
