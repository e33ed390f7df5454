#!/usr/bin/env python3
"""Tests the packages of `zig build dist` as users install them: python3 tests/packages/run.py DIST STAGE
[--library NAME=FOLDER]... [TEST...]

Each kind is installed into an empty root or environment, without network, then used, and removed without
a trace. Packages for other machines are checked by their form. STAGE and the libraries are what the
packages were made of. Needs root, and Debian's dpkg, rpm, npm, groff and python3-venv."""
import argparse
import glob
import io
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "packaging"))
FURTHER = ("forms", "brew_formula", "installed", "rules", "workflow", "twice")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dist")
    parser.add_argument("stage")
    parser.add_argument("tests", nargs="*")
    parser.add_argument("--library", action="append", default=[])
    return parser.parse_intermixed_args()


def main():
    import place
    arguments = parse()
    place.DIST, place.STAGE, place.LIBRARIES = os.path.abspath(arguments.dist), os.path.abspath(arguments.stage), arguments.library
    os.environ.update(LC_ALL="C.UTF-8", COLUMNS="80")
    loader = unittest.TestLoader()
    modules = [__import__(name) for name in FURTHER]
    tests = unittest.TestSuite(
        [loader.loadTestsFromName(name, next(m for m in modules if hasattr(m, name.split(".")[0]))) for name in arguments.tests]
        if arguments.tests else map(loader.loadTestsFromModule, modules))
    log = io.StringIO()
    outcome = unittest.TextTestRunner(stream=log).run(tests)
    bad = len(outcome.failures) + len(outcome.errors)
    if bad:
        print(log.getvalue())
    for test, reason in outcome.skipped:
        print(f"skipped {test}: {reason}")
    for path in sorted(glob.glob(os.path.join(place.DIST, "*"))):
        print(f"{os.path.getsize(path):9} {os.path.basename(path)}")
    print(f"packages: {outcome.testsRun - bad - len(outcome.skipped)} passed, {bad} failed", flush=True)
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
