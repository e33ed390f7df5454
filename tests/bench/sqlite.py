#!/usr/bin/env python3
"""Does lauka why name the function and the line that got slower, in a file of 250,000 lines?

    sqlite.py LAUKA [--source sqlite3.c] [--function NAME...]

Compiles SQLite's amalgamation, which the crate libsqlite3-sys carries, twice: as it is, and with a loop at the beginning of one
function. Needs cargo (or the file), a C compiler and valgrind. Prints what counting and sampling name.
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

WORK = r"""#include "sqlite3.h"
#include <stdlib.h>
static const char *const steps[] = {
    "create table t(a integer primary key, b integer, c text); create index i on t(b); create index j on t(c);",
    "with recursive n(x) as (values(1) union all select x + 1 from n where x < 3000) insert into t select x, x * 7919 % 3001, "
    "'row ' || x * 31 % 3001 from n;",
    "select count(*) from t as x join t as y on x.b = y.a join t as z on z.b = y.b; update t set b = b + 1 where a % 3 = 0;",
    "select c, sum(b) from t where c like 'row 1%' group by substr(c, 1, 6) order by 2 desc; delete from t where b % 5 = 0;"};
int main(int count, char **words) {
    sqlite3 *base;
    for (int turn = count > 1 ? atoi(words[1]) : 1; turn > 0; turn--) {
        if (sqlite3_open(":memory:", &base) != 0) return 1;
        for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++)
            if (sqlite3_exec(base, steps[i], 0, 0, 0) != 0) return 2;
        sqlite3_close(base);
    }
    return 0;
}
"""
FUNCTIONS = ["sqlite3BtreeIndexMoveto", "sqlite3VdbeSerialGet", "pcache1Fetch", "vdbeRecordCompareString", "btreeParseCellPtrIndex"]


def fetch(folder):
    """Returns the path of sqlite3.c, as cargo keeps it."""
    os.makedirs(f"{folder}/crate/src")
    with open(f"{folder}/crate/Cargo.toml", "w", encoding="utf-8") as file:
        file.write('[package]\nname="x"\nversion="0.1.0"\n[dependencies]\nlibsqlite3-sys={version="=0.30.1",features=["bundled"]}\n')
    open(f"{folder}/crate/src/lib.rs", "w", encoding="utf-8").close()
    subprocess.run(["cargo", "vendor", "-q", "vendor"], check=True, cwd=f"{folder}/crate", stdout=subprocess.DEVNULL)
    return glob.glob(f"{folder}/crate/vendor/libsqlite3-sys/sqlite3/sqlite3.c")[0]


def build(folder, source, text):
    """Compiles the text in a folder of its own."""
    os.mkdir(folder)
    for name, content in (("sqlite3.c", text), ("work.c", WORK)):
        with open(f"{folder}/{name}", "w", encoding="latin-1") as file:
            file.write(content)
    subprocess.run(["cc", "-O2", "-g", "-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION", "-I", os.path.dirname(source),
                    "-o", "program", "sqlite3.c", "work.c", "-lm"], check=True, cwd=folder)
    return f"{folder}/program"


def plant(text, function, turns):
    """Returns the text with a loop in the function's first line, and that line's number."""
    head = re.search(r"(?m)^(?:SQLITE_PRIVATE |static )[^;{}]*\b" + function + r"\([^;{}]*\)\s*\{", text)
    spin = f" {{ static volatile unsigned spin; for (unsigned turn = 0; turn < {turns}u; turn++) spin++; }}"
    return text[:head.end()] + spin + text[head.end():], text.count("\n", 0, head.end()) + 1


def ask(lauka, options, turns, first, second):
    done = subprocess.run([lauka, *options, "--json", "-q", "-w0", "-r1", "--", first, turns, "--vs", second, turns], check=True,
                          capture_output=True, stdin=subprocess.DEVNULL)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("lauka")
    parser.add_argument("--source")
    parser.add_argument("--turns", type=int, default=60, help="of the planted loop")
    parser.add_argument("--function", nargs="*", default=FUNCTIONS)
    options = parser.parse_args()
    lauka, right = os.path.abspath(options.lauka), 0
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.abspath(options.source) if options.source else fetch(folder)
        with open(source, encoding="latin-1") as file:
            text = file.read()
        base = build(f"{folder}/base", source, text)
        for function in options.function:
            planted, line = plant(text, function, options.turns)
            slow = build(f"{folder}/{function}", source, planted)
            why = ask(lauka, ["why", "--sampled=0"], "1", base, slow)["why"]["commands"][0]
            sampled = ask(lauka, ["--sampled=10s", "-e", "none"], "20", base, slow)["sampled"]["commands"][0]
            counted = [(one["name"], f"{one['file']}:{one['line']}") for one in why["functions"]]
            claimed = [row["name"] for row in sampled["rows"] if row["claimed"]]
            cost = why["instructions"]
            named = bool(counted) and counted[0][0] == function and counted[0][1].endswith(f"/sqlite3.c:{line}")
            right += named and claimed[:1] == [function]
            print(f"{function}, line {line}, {cost['after'] / cost['before'] - 1:+.1%}: counted "
                  f"{' '.join(counted[0]) if counted else 'nothing'} ({len(counted)} told); sampled "
                  f"{', '.join(claimed[:3]) or 'nothing'}", flush=True)
    print(f"function and line are right, and samples agree, for {right} of {len(options.function)}")
    return 0 if right == len(options.function) else 1


if __name__ == "__main__":
    sys.exit(main())
