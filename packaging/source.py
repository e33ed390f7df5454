"""The sources of the programs: lauka's own, and those of the libraries in it. Whoever distributes a
program that contains libcsv must distribute these, too (NOTICE)."""
import os

import archives
from contents import PLAIN, PROGRAM, File, read, tracked

COMMIT = "build/commit.txt"


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
