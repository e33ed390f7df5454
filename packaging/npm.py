"""Packages for npm: one per system with the program, and `lauka`, which depends on all of them and
starts the one that npm installed. The starter is a shell script that execs the program, so no process
stays in between."""
import dataclasses
import json
import os

import archives
from contents import BASH, FISH, MANUALS, PROGRAM, SUMMARY, SYSTEMS, ZSH, File

SCOPE = "@lauka"
STARTER = """\
#!/bin/sh
# Runs the lauka for this system, which npm installed as a package of its own.
set -eu
self=$0
while [ -L "$self" ]; do
    target=$(readlink "$self")
    case $target in
    /*) self=$target ;;
    *) self=$(dirname "$self")/$target ;;
    esac
done
folder=$(CDPATH='' cd -- "$(dirname "$self")/.." && pwd -P)
case $(uname -s) in Linux) system=linux ;; Darwin) system=darwin ;; *) system=unknown ;; esac
case $(uname -m) in x86_64 | amd64) machine=x64 ;; aarch64 | arm64) machine=arm64 ;; *) machine=unknown ;; esac
while :; do
    program=$folder/node_modules/@lauka/$system-$machine/bin/lauka
    [ ! -x "$program" ] || exec "$program" "$@"
    [ "$folder" != / ] || break
    folder=$(dirname "$folder")
done
echo "lauka: the npm package @lauka/$system-$machine is missing; install lauka again, with optional dependencies" >&2
exit 1
"""


def package(name, version, **more):
    return {"name": name, "version": version, "description": SUMMARY, "license": "MIT", **more}


def tarball(description, files, stage, path):
    text = json.dumps(description, indent=2) + "\n"
    inside = [File("package.json", text.encode()), *files]
    with open(path, "wb") as file:
        file.write(archives.tar_gz([dataclasses.replace(f, path=f"package/{f.path}") for f in inside], stage.epoch))


def write_program(stage, system, out):
    name = "-".join(system.npm)
    description = package(f"{SCOPE}/{name}", stage.version, os=[system.npm[0]], cpu=[system.npm[1]], files=["bin", "LICENSE*", "NOTICE"],
                          preferUnplugged=True)
    files = [File("bin/lauka", stage.program(system), PROGRAM), *stage.licences(system)]
    tarball(description, files, stage, os.path.join(out, f"lauka-{name}-{stage.version}.tgz"))


def write_starter(stage, out):
    places = {BASH: "completions/lauka.bash", ZSH: "completions/_lauka", FISH: "completions/lauka.fish"}
    places |= {file.path: f"man/{os.path.basename(file.path)}" for file in stage.shared() if file.path.startswith(MANUALS)}
    shared = [dataclasses.replace(file, path=places[file.path]) for file in stage.shared() if file.path in places]
    description = package(
        "lauka", stage.version, bin={"lauka": "bin/lauka"},
        man=[f"./{file.path}" for file in shared if file.path.startswith("man/")],
        optionalDependencies={f"{SCOPE}/{'-'.join(system.npm)}": stage.version for system in SYSTEMS})
    own = [file for file in stage.licences(SYSTEMS[0]) if file.path in ("LICENSE", "NOTICE")]
    tarball(description, [File("bin/lauka", STARTER.encode(), PROGRAM), *shared, *own], stage,
            os.path.join(out, f"lauka-{stage.version}.tgz"))


def write(stage, out):
    for system in stage.systems():
        write_program(stage, system, out)
    write_starter(stage, out)
