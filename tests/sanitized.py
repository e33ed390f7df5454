"""Runs the whole suite again, compiled by clang with AddressSanitizer and UndefinedBehaviorSanitizer.

    python3 tests/sanitized.py PROGRAMS --source=FILE... --test=NAME...

PROGRAMS is the directory of the programs that the command-line tests measure. The tests' own reports are
passed on. Programs are compiled, linked and run several at once.
"""

import argparse
import concurrent.futures
import os
import subprocess
import sys

import clang
import units

DIRECTORY = ".zig-cache/sanitized"
FLAGS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


FAKES = {"libfakemac.so": ["fake_mac", "fake_trace", "fake_work"], "libfakekperf.so": ["fake_kperf"],
         "libfakekperfdata.so": ["fake_kpep"]}


def simulated_mac(compiler, sources, tests, report):
    """Yields the commands for the tests that tests/fakes/simulated_mac.zig builds. Each of tests: the name, redirected files
    and files of runner/, between colons."""
    shared, libraries = ["-fPIC"], []
    for name, files in FAKES.items():
        files = [f"tests/fakes/{file}.c" for file in files]
        if name != "libfakekperf.so":
            files.append("pmu/apple/chip.c")
        objects = compiler.compile(files, shared)
        libraries.append(compiler.link(name, objects, ["-shared", *libraries[:1]]))
    fakes = ["-Itests/fakes/include"]
    of_macos = [*fakes, "-include", "tests/fakes/process.h"]
    code = compiler.compile(sources)
    for name, redirected, runner in (test.split(":") for test in tests):
        more = []
        if redirected:
            more += compiler.compile(redirected.split(","), of_macos) + compiler.compile(["tests/fakes/fake_process.c"], fakes)
        if runner:
            more += compiler.compile([*runner.split(","), *report])
        test = compiler.link(f"test_{os.path.basename(name)}",
                             [*compiler.compile([f"tests/unit/{name}.c"]), *code, *more],
                             [libraries[0], f"-Wl,-rpath,{os.path.abspath(DIRECTORY)}"])
        yield [test, *map(os.path.abspath, libraries[1:])]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("--source", action="append", default=[])
    parser.add_argument("--include")
    parser.add_argument("--test", action="append", default=[])
    parser.add_argument("--mac-source", action="append", default=[])
    parser.add_argument("--mac-test", action="append", default=[])
    arguments = parser.parse_args()

    compiler = clang.Compiler(DIRECTORY, [*FLAGS, f"-I{arguments.include}"])
    with concurrent.futures.ThreadPoolExecutor() as pool:
        macs = pool.submit(lambda: list(simulated_mac(
            compiler, arguments.mac_source, arguments.mac_test,
            [file for file in arguments.source if file.startswith(("stats/", "report/"))])))
        objects = compiler.compile(arguments.source)
        files = [f"tests/unit/{name}.c" for name in arguments.test]
        linked = [pool.submit(compiler.link, os.path.basename(file)[:-2], [test, *objects])
                  for file, test in zip(files, compiler.compile(files))]
        lauka = compiler.link("lauka", [*compiler.compile(["runner/main.c", "runner/build.c", "runner/launcher_program.c"]), *objects])

    # A forked launcher owns no memory but lauka's, so only unit tests look for leaks. Those of the
    # simulated Mac do not, because it lacks the functions that free memory.
    def checked(leaks):
        return {**os.environ, "ASAN_OPTIONS": f"detect_leaks={leaks}:abort_on_error=1"}

    good = units.run_all([([test.result()], checked(1)) for test in linked] +
                         [(command, checked(0)) for command in macs.result()])
    # --again leaves out tests of scripts and of valgrind's counts, which would find no further errors.
    command = [sys.executable, "-B", "tests/cli/run.py", "--again", lauka, arguments.programs]
    good = subprocess.run(command, env=checked(0)).returncode == 0 and good
    sys.exit(not good)


main()
