"""The sources of the programs: lauka's own, and those of the libraries in it. Whoever distributes a
program that contains libcsv must distribute these, too (NOTICE)."""
import os
import subprocess

import archives
from contents import PLAIN, PROGRAM, File, read

LEFT_OUT = {".git", ".zig-cache", "zig-out", "__pycache__", ".cache", "compile_commands.json"}
COMMIT = "build/commit.txt"


def tracked(folder):
    """Returns the paths of lauka's own files: what git tracks, or everything that an archive contained."""
    if os.path.exists(os.path.join(folder, ".git")):
        done = subprocess.run(["git", f"--git-dir={folder}/.git", f"--work-tree={folder}", "ls-files", "-z"], cwd=folder,
                              stdout=subprocess.PIPE, check=True)
        return sorted(path for path in done.stdout.decode().split("\0") if path and os.path.exists(os.path.join(folder, path)))
    found = []
    for directory, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in LEFT_OUT]
        found += [os.path.relpath(os.path.join(directory, name), folder) for name in names if name not in LEFT_OUT]
    return sorted(found)


def own(stage):
    for path in tracked(stage.source):
        full = os.path.join(stage.source, path)
        data = read(full)
        if path == COMMIT and stage.commit != "unknown":
            data = (stage.commit + "\n").encode()
        yield File(path, data, PROGRAM if os.stat(full).st_mode & 0o100 else PLAIN)


def library(folder, name):
    """Returns all files of libcsv; for the other libraries, the files beside their C files."""
    for directory, folders, names in os.walk(folder):
        folders[:] = sorted(folders) if name == "libcsv" else []
        for file in sorted(names):
            path = os.path.join(directory, file)
            yield File(f"libraries/{name}/{os.path.relpath(path, folder)}", read(path))


def write(stage, libraries, out):
    """libraries: (name, source tree)."""
    files = [*own(stage), *(file for name, folder in libraries for file in library(folder, name))]
    top = f"lauka-{stage.version}"
    data = archives.tar_gz([File(f"{top}/{file.path}", file.data, file.mode) for file in files], stage.epoch)
    with open(os.path.join(out, f"{top}-source.tar.gz"), "wb") as file:
        file.write(data)
