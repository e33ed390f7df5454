#!/usr/bin/env python3
"""Checks the steps of docs/release.md that a program can check: python3 packaging/check.py TAG

The tag, the version, CHANGELOG.md, the checkout and the C library of the pinned Zig must match."""
import os
import re
import subprocess
import sys

import changelog

# The version of the C library in static programs, which Zig contains but does not report.
MUSL = {"0.16.0": "1.2.5"}


def read(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.read()


def found(folder, name, pattern):
    return re.search(pattern, read(folder, name))[1]


def complaints(folder, tag):
    """Yields a line for each mistake."""
    version = found(folder, "build.zig.zon", r'\.version = "([^"]+)"')
    if tag != f"v{version}":
        yield f"the tag is {tag}, but build.zig.zon has {version}: the tag must be v{version}"
    try:
        if changelog.section(read(folder, "CHANGELOG.md"), version)[0] == "unreleased":
            yield f'CHANGELOG.md: the section of {version} is "unreleased": write the date of the release'
    except changelog.Wrong as wrong:
        yield str(wrong)
    zig = found(folder, "build.zig.zon", r'\.minimum_zig_version = "([^"]+)"')
    musl = found(folder, "build/compile.zig", r'musl_version = "([^"]+)"')
    if MUSL.get(zig) != musl:
        yield f"build/compile.zig names musl {musl}, packaging/check.py knows {MUSL.get(zig, 'none')} for Zig {zig}: look it up"
    changed = subprocess.run(["git", "status", "--porcelain"], cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout
    if changed:
        yield f"the checkout differs from the commit:\n{changed.rstrip()}"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: python3 packaging/check.py TAG")
    wrong = list(complaints(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), sys.argv[1]))
    for line in wrong:
        print(f"check: {line}", file=sys.stderr)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
