"""Packages of the bindings, each of its language's own kind: for npm, pip, cargo, Go's modules and OCaml."""
import os
import re

import archives
import wheel
from contents import File, read, tracked

MANIFESTS = {"node": "package.json", "python": "pyproject.toml", "rust": "Cargo.toml", "ocaml": "lauka.opam"}
LEFT_OUT = ("test.js", "tests/", "example", "bench_test.go")


def files_of(stage, language):
    """Returns the files of a binding and the licence, without tests (but OCaml's, which its dune file names) and examples.
    Checks that its manifest has lauka's version."""
    below = f"bindings/{language}/"
    paths = [path[len(below):] for path in tracked(stage.source) if path.startswith(below)]
    files = [File(path, read(stage.source, below + path)) for path in paths if not path.startswith(LEFT_OUT)]
    manifest = MANIFESTS.get(language)
    for file in files:
        if file.path == manifest and not re.search(rf'version"?\s*[:=]\s*"{re.escape(stage.version)}"', file.data.decode()):
            raise RuntimeError(f"{below}{manifest} has another version than lauka, {stage.version}")
    return [*files, File("LICENSE", read(stage.source, "LICENSE"))]


def moved(files, top):
    return [File(f"{top}/{file.path}", file.data) for file in files]


def write_wheel(stage, path):
    files = files_of(stage, "python")
    about = f"lauka_bindings-{stage.version}.dist-info"
    metadata = ["Metadata-Version: 2.1", "Name: lauka-bindings", f"Version: {stage.version}",
                "Summary: Benchmarks in Python that `lauka suite` compares, and lauka's results as dataclasses",
                "License: MIT", "License-File: LICENSE", "Requires-Python: >=3.8", ""]
    tags = wheel.tags("py3-none-any").replace(b"Root-Is-Purelib: false", b"Root-Is-Purelib: true")
    inside = [*(file for file in files if file.path.startswith("lauka/")),
              *(File(f"{about}/licenses/LICENSE", file.data) for file in files if file.path == "LICENSE"),
              File(f"{about}/METADATA", "\n".join(metadata).encode()), File(f"{about}/WHEEL", tags)]
    with open(path, "wb") as file:
        file.write(archives.wheel_zip([*inside, wheel.record(inside, f"{about}/RECORD")], stage.epoch))


def names(version):
    return {"node": f"lauka-bench-{version}.tgz", "rust": f"lauka-bench-{version}.crate",
            "go": f"lauka-go-{version}.tar.gz", "ocaml": f"lauka-ocaml-{version}.tar.gz",
            "python": f"lauka_bindings-{version}-py3-none-any.whl"}


def write(stage, out):
    for language, name in names(stage.version).items():
        path = os.path.join(out, name)
        if language == "python":
            write_wheel(stage, path)
            continue
        top = "package" if language == "node" else re.sub(r"\.(tar\.gz|crate)$", "", name)
        with open(path, "wb") as file:
            file.write(archives.tar_gz(moved(files_of(stage, language), top), stage.epoch))
