"""Fuzzes lauka's parsers with libFuzzer, under ASan and UBSan.

    ./zigw build fuzz                          every parser for three seconds
    ./zigw build fuzz -- --seconds 600 stored  one of them for ten minutes

Inputs that reached new code are kept under .zig-cache/fuzz/; --keep adds a minimal set of them to
tests/fuzz/corpus/. An input that fails is kept beside them, and its name is printed; it should become a
test.
"""

import argparse
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, "tests")
import clang  # noqa: E402

WORK = ".zig-cache/fuzz"
CORPUS = "tests/fuzz/corpus"
SANITIZERS = "address,undefined"
SIZE_MAX = 16384  # bytes per input
KEPT_MAX = 60_000  # bytes per corpus in the repository
# Code for macOS that this system does not compile otherwise, but that can be fuzzed here.
MORE_SOURCES = {"kdebug": ["pmu/macos/kdebug.c"], "kpep": ["pmu/macos/kpep.c"]}
# The fuzzer gets the string literals of these files, because it would hardly guess them.
WORDS = {"config": "runner/options/options.txt", "options": "runner/options/options.txt",
         "gate": "runner/options/gate_rule.c", "allow": "runner/options/gate_rule.c",
         "json": "report/load/json*.c", "csv": "report/load/columns.c", "hlog": "report/*/hlog*.c",
         "stored": "report/load/*.c", "events": "pmu/events/event.c", "kpep": "pmu/apple/set.c",
         "valgrind": "pmu/valgrind/part.c", "suite": "runner/suite/*.c", "foreign": "report/load/foreign.c",
         "event_tables": "runner/options/event_tables.c", "history": "report/history/*.c", "kept": "runner/kept/store.c"}
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1",
               "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}


def build(names, sources, folder):
    compiler = clang.Compiler(f"{WORK}/objects", [
        f"-fsanitize={SANITIZERS},fuzzer-no-link", "-fno-sanitize-recover=all", f"-I{folder}"])
    objects = compiler.compile(sources)
    programs = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name in names:
            own = compiler.compile([f"tests/fuzz/{name}.c", *MORE_SOURCES.get(name, [])])
            programs[name] = pool.submit(compiler.link, name, [*own, *objects],
                                         [f"-fsanitize={SANITIZERS},fuzzer"])
    return {name: program.result() for name, program in programs.items()}


def dictionary(name):
    """Returns libFuzzer's option for a file of words; empty if there are no words."""
    if name not in WORDS:
        return []
    words = set()
    for source in glob.glob(WORDS[name]):
        with open(source, encoding="utf-8") as file:
            pattern = r"(--?[\w-]+)" if source.endswith(".txt") else r'"([\w=.,:%+ -]{2,32})"'
            words.update(re.findall(pattern, file.read(), re.ASCII))
    path = f"{WORK}/{name}.dict"
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f'"{word}"\n' for word in sorted(words))
    return [f"-dict={path}"]


def fuzz(name, program, seconds):
    """Returns whether all went well, and one line or the failure."""
    found, failures, known = f"{WORK}/{name}", f"{WORK}/{name}-failures/", f"{CORPUS}/{name}"
    os.makedirs(found, exist_ok=True)
    os.makedirs(failures, exist_ok=True)
    corpora = [found] + ([known] if os.path.isdir(known) else [])
    command = [program, f"-max_total_time={seconds}", f"-max_len={SIZE_MAX}", "-timeout=20",
               "-rss_limit_mb=2048", "-print_final_stats=1", f"-artifact_prefix={failures}",
               *dictionary(name), *corpora]
    done = subprocess.run(command, env=ENVIRONMENT, stdin=subprocess.DEVNULL, text=True,
                          errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    runs = re.search(r"number_of_executed_units: (\d+)", done.stdout)
    covered = re.findall(r"cov: (\d+)", done.stdout)
    if done.returncode == 0 and runs:
        return True, f"{name}: {int(runs[1]):,} inputs, {covered[-1] if covered else '?'} edges covered"
    return False, done.stdout[-6000:]


def keep(name, program):
    """Adds the inputs that cover more than the corpus in the repository does, small ones first."""
    known, merged = f"{CORPUS}/{name}", f"{WORK}/{name}-merged"
    shutil.rmtree(merged, ignore_errors=True)
    os.makedirs(merged)
    os.makedirs(known, exist_ok=True)
    subprocess.run([program, "-set_cover_merge=1", "-use_counters=0", merged, known, f"{WORK}/{name}"], env=ENVIRONMENT, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for old in os.listdir(known):
        os.unlink(f"{known}/{old}")
    total = 0
    for path in sorted(glob.glob(f"{merged}/*"), key=os.path.getsize):
        total += os.path.getsize(path)
        if total <= KEPT_MAX:
            shutil.copy(path, f"{known}/{os.path.basename(path)[:12]}")
    print(f"{name}: {len(os.listdir(known))} inputs kept")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", action="append", default=[], help=argparse.SUPPRESS)
    parser.add_argument("--include", help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=int, default=3, help="for each parser (3)")
    parser.add_argument("--keep", action="store_true", help="add to tests/fuzz/corpus/")
    parser.add_argument("names", nargs="*", help="parsers: files of tests/fuzz/ (all)")
    arguments = parser.parse_args()
    known = sorted(os.path.basename(path)[:-2] for path in glob.glob("tests/fuzz/*.c"))
    for name in arguments.names:
        if name not in known:
            parser.error(f"{name}: no such parser; there are {', '.join(known)}")

    programs = build(arguments.names or known, arguments.source, arguments.include)
    results = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:  # each parser uses one CPU
        for good, said in pool.map(lambda item: fuzz(*item, arguments.seconds), programs.items()):
            print(said, flush=True)
            results.append(good)
    for (name, program), good in zip(programs.items(), results):
        if arguments.keep and good:
            keep(name, program)
    print(f"fuzz: {sum(results)} passed, {len(results) - sum(results)} failed")
    sys.exit(not all(results))


main()
