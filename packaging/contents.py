"""The contents of packages: files with their path, bytes and mode, whatever the kind of package."""
import dataclasses
import gzip
import json
import os
import subprocess

import ar

PROGRAM, PLAIN = 0o755, 0o644
SUMMARY = "A/B benchmark runner: says whether two commands differ, by how much, and how sure it is"


@dataclasses.dataclass(frozen=True)
class System:
    """A system's names in each kind of package."""
    target: str  # in Zig
    name: str    # in the tarball's name
    deb: str = ""
    rpm: str = ""
    npm: tuple = ()
    library: str = ""  # the target of its liblauka

    @property
    def is_linux(self):
        return bool(self.deb)


SYSTEMS = [
    System("x86_64-linux-musl", "x86_64-linux", "amd64", "x86_64", ("linux", "x64"), "x86_64-linux-gnu"),
    System("aarch64-linux-musl", "aarch64-linux", "arm64", "aarch64", ("linux", "arm64"), "aarch64-linux-gnu"),
    System("x86_64-macos", "x86_64-macos", npm=("darwin", "x64")),
    System("aarch64-macos", "arm64-macos", npm=("darwin", "arm64")),
]
MANUALS = "share/man/man1"
MAN, BASH = f"{MANUALS}/lauka.1", "share/bash-completion/completions/lauka"
ZSH, FISH = "share/zsh/site-functions/_lauka", "share/fish/vendor_completions.d/lauka.fish"
DOCUMENTS = ("README.md", "CHANGELOG.md", "SECURITY.md", "docs/", "examples/")
LEFT_OUT = {".git", ".zig-cache", "zig-out", "__pycache__", ".cache", "compile_commands.json"}


@dataclasses.dataclass(frozen=True)
class File:
    path: str  # relative, with "/" as separator
    data: bytes
    mode: int = PLAIN
    link: str = ""  # not empty: a symbolic link to this path


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def tree(folder, below):
    """Returns the files of a folder, ordered by their paths."""
    paths = sorted(os.path.relpath(os.path.join(directory, name), folder)
                   for directory, _, names in os.walk(folder) for name in names)
    return [File(f"{below}/{path}", read(folder, path)) for path in paths]


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


class Stage:
    """What `zig build dist` compiled and collected for the packages, and the sources."""

    def __init__(self, folder, source, epoch):
        self.folder, self.source, self.epoch = folder, source, epoch
        facts = json.loads(read(folder, "facts.json"))
        self.version, self.commit, self.musl = facts["version"], facts["commit"], facts["musl"]

    def systems(self):
        """Returns the systems that were compiled."""
        return [system for system in SYSTEMS if os.path.exists(os.path.join(self.folder, "programs", system.target))]

    def program(self, system):
        return read(self.folder, "programs", system.target, "lauka")

    def licences(self, system):
        """Returns our licence, and those of everything that is compiled into the program."""
        own = [File(name, read(self.source, name)) for name in ("LICENSE", "NOTICE")]
        names = ["libcsv", "cJSON", "zlib", *(["musl"] if system.is_linux else [])]
        return own + [File(f"LICENSE.{name}", read(self.folder, "licences", name)) for name in names]

    def documents(self, system, below):
        paths = [path for path in tracked(self.source) if path.startswith(DOCUMENTS)]
        files = self.licences(system) + [File(path, read(self.source, path)) for path in paths]
        return [dataclasses.replace(file, path=f"{below}/{file.path}") for file in files]

    def shared(self):
        """Returns the manual pages, the completions, and the schema of the JSON."""
        return tree(os.path.join(self.folder, "share"), "share")

    def program_files(self, system):
        """Returns the program and all that belongs to it, relative to a prefix such as /usr/local."""
        return [File("bin/lauka", self.program(system), PROGRAM), *self.shared(),
                *self.documents(system, "share/doc/lauka")]

    def packaged_files(self, system, zsh):
        """Yields the same files as in a system's packages: below /usr, with compressed manual pages."""
        for file in self.program_files(system):
            if file.path.startswith(MANUALS):
                yield File(f"usr/{file.path}.gz", gzip.compress(file.data, 9, mtime=0))
            else:
                yield dataclasses.replace(file, path="usr/" + (zsh if file.path == ZSH else file.path))

    def development_files(self, system, libraries, name):
        """Returns the library in both forms, with its headers. libraries: the system's folder for
        libraries, below /usr; name: the package's."""
        description = PKG_CONFIG.format(version=self.version, libraries=libraries)
        form, place = f"liblauka.so.{self.version}", f"usr/{libraries}"
        soname = "liblauka.so." + self.version.split(".")[0]
        within = [File(f"usr/share/doc/{name}/{file.path}", file.data) for file in self.licences(system)
                  if not file.path.endswith((".libcsv", ".musl"))]
        return [*tree(os.path.join(self.folder, "include"), "usr/include"),
                File(f"{place}/liblauka.a", ar.with_plain_names(read(self.folder, "libraries", system.library, "liblauka.a"))),
                File(f"{place}/{form}", read(self.folder, "libraries", system.library, "liblauka.so")),
                File(f"{place}/{soname}", b"", link=form), File(f"{place}/liblauka.so", b"", link=soname),
                File(f"{place}/pkgconfig/lauka.pc", description.encode()), *within]


# cJSON and zlib are in the library, invisible from outside.
PKG_CONFIG = """\
prefix=/usr
includedir=${{prefix}}/include
libdir=${{prefix}}/{libraries}

Name: lauka
Description: Histograms, comparisons and reports of what programs measure
Version: {version}
Cflags: -I${{includedir}}
Libs: -L${{libdir}} -llauka
Libs.private: -lm -lpthread
"""
