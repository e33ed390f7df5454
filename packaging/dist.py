#!/usr/bin/env python3
"""Makes packages from what `zig build dist` compiled: python3 packaging/dist.py --help

The same sources make the same bytes, whatever the folder, the time, the user and the umask."""
import argparse
import dataclasses
import hashlib
import os
import shutil
import subprocess
import sys

import archives
import bindings
import brew
import changelog
import deb
import npm
import rpm
import sbom
import source
import wheel
from contents import Stage, read

SUMS = "SHA256SUMS"


def when(folder, version):
    """Returns the time of all files: $SOURCE_DATE_EPOCH, or the date of the version's section."""
    date, _ = changelog.section(read(folder, "CHANGELOG.md").decode(), version)
    return int(os.environ.get("SOURCE_DATE_EPOCH") or changelog.epoch(date))


def write_tarball(stage, system, out):
    top = f"lauka-{stage.version}-{system.name}"
    files = [dataclasses.replace(file, path=f"{top}/{file.path}") for file in stage.program_files(system)]
    with open(os.path.join(out, f"{top}.tar.gz"), "wb") as file:
        file.write(archives.tar_gz(files, stage.epoch))


def sums_of(out):
    return {name: hashlib.sha256(read(out, name)).hexdigest() for name in sorted(os.listdir(out))}


def write_sums(out):
    lines = [f"{digest}  {name}\n" for name, digest in sums_of(out).items()]
    with open(os.path.join(out, SUMS), "w", encoding="ascii") as file:
        file.writelines(lines)


def sign(out, key):
    """Signs the sums with the key of whoever makes the release. minisign asks for its password."""
    subprocess.run(["minisign", "-S", "-s", key, "-m", os.path.join(out, SUMS), "-t", "lauka"], check=True)


def write_all(stage, libraries, address, out):
    for system in stage.systems():
        write_tarball(stage, system, out)
        wheel.write(stage, system, out)
        if system.is_linux:
            deb.write(stage, system, out)
            rpm.write(stage, system, out)
    npm.write(stage, out)
    bindings.write(stage, out)
    source.write(stage, libraries, out)
    sbom.write(stage, out)
    brew.write(stage, address, sums_of(out), out)
    for name in os.listdir(out):
        os.chmod(os.path.join(out, name), 0o644)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", help="the folder of what was compiled")
    parser.add_argument("out", help="the folder of the packages, which is emptied first")
    parser.add_argument("--address", required=True, help="address of the packages, with {version} in it, for the formula")
    parser.add_argument("--library", action="append", default=[], metavar="NAME=FOLDER", help="sources of a library")
    parser.add_argument("--key", default=os.environ.get("LAUKA_MINISIGN_KEY"),
                        help="key of minisign that signs SHA256SUMS ($LAUKA_MINISIGN_KEY)")
    return parser.parse_args()


def main():
    arguments = parse()
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    stage = Stage(arguments.stage, here, 0)
    stage.epoch = when(here, stage.version)
    shutil.rmtree(arguments.out, ignore_errors=True)
    os.makedirs(arguments.out)
    libraries = [tuple(text.split("=", 1)) for text in arguments.library]
    write_all(stage, libraries, arguments.address.format(version=stage.version), arguments.out)
    write_sums(arguments.out)
    if arguments.key:
        sign(arguments.out, arguments.key)


if __name__ == "__main__":
    try:
        main()
    except (changelog.Wrong, RuntimeError) as error:
        sys.exit(f"dist: {error}")
