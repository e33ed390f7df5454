"""The whole suite once more, compiled by clang with AddressSanitizer and UndefinedBehaviorSanitizer.

    python3 tests/sanitized.py PROGRAMS --source=FILE... --test=NAME...

PROGRAMS: the directory of what the command-line tests measure. What the tests report goes through.
"""

import argparse
import os
import subprocess
import sys

import clang

DIRECTORY = ".zig-cache/sanitized"
FLAGS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("--source", action="append", default=[])
    parser.add_argument("--test", action="append", default=[])
    arguments = parser.parse_args()

    compiler = clang.Compiler(DIRECTORY, FLAGS)
    objects = compiler.compile(arguments.source)
    files = [f"tests/test_{name}.c" for name in arguments.test]
    tests = [compiler.link(f"test_{name}", [test, *objects])
             for name, test in zip(arguments.test, compiler.compile(files))]
    lauka = compiler.link("lauka", [*compiler.compile(["runner/main.c"]), *objects])

    commands = [[test] for test in tests]
    commands.append([sys.executable, "-B", "tests/cli/run.py", lauka, arguments.programs])
    # A launcher that was forked owns nothing that is not lauka's; leaks are looked for in unit tests.
    failed = 0
    for command in commands:
        leaks = int(command[0] in tests)
        environment = {**os.environ, "ASAN_OPTIONS": f"detect_leaks={leaks}:abort_on_error=1"}
        failed += subprocess.run(command, env=environment).returncode != 0
    sys.exit(failed > 0)


main()
