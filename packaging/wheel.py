"""Wheels for pip whose `lauka` is the program itself, without any Python (PEP 427, PEP 600)."""
import base64
import dataclasses
import hashlib
import os

import archives
import macho
from contents import PROGRAM, SUMMARY, File


def tag(system, program):
    """A static program needs no C library, so it fits every Linux, with glibc or musl."""
    if system.is_linux:
        names = ("manylinux2014", "manylinux_2_17", "musllinux_1_1")
        return "py3-none-" + ".".join(f"{name}_{system.rpm}" for name in names)
    major, minor = macho.oldest_system(program)
    return f"py3-none-macosx_{major}_{0 if major > 10 else minor}_{macho.architecture(program)}"


def metadata(version, licences):
    lines = ["Metadata-Version: 2.1", "Name: lauka", f"Version: {version}", f"Summary: {SUMMARY}", "License: MIT",
             *(f"License-File: {file.path}" for file in licences),
             "Requires-Python: >=3", "Description-Content-Type: text/markdown", "",
             "`lauka ./a ./b` runs commands in interleaved rounds and says whether they differ.",
             "The wheel holds one program without dependencies; see `lauka --help` and `man lauka`.", ""]
    return "\n".join(lines).encode()


def tags(full):
    """Yields the single tags of a compressed tag."""
    python, abi, platforms = full.split("-")
    lines = ["Wheel-Version: 1.0", "Generator: lauka", "Root-Is-Purelib: false",
             *(f"Tag: {python}-{abi}-{platform}" for platform in platforms.split(".")), ""]
    return "\n".join(lines).encode()


def record(files, path):
    """Returns RECORD: the sum and size of every file except itself."""
    def line(file):
        digest = base64.urlsafe_b64encode(hashlib.sha256(file.data).digest()).rstrip(b"=").decode()
        return f"{file.path},sha256={digest},{len(file.data)}\n"
    return File(path, ("".join(map(line, files)) + f"{path},,\n").encode())


def write(stage, system, out):
    program, licences = stage.program(system), stage.licences(system)
    name, full = f"lauka-{stage.version}", tag(system, program)
    about = f"{name}.dist-info"
    files = [File(f"{name}.data/scripts/lauka", program, PROGRAM),
             *(dataclasses.replace(file, path=f"{name}.data/data/{file.path}") for file in stage.shared()),
             *(dataclasses.replace(file, path=f"{about}/licenses/{file.path}") for file in licences),
             File(f"{about}/METADATA", metadata(stage.version, licences)), File(f"{about}/WHEEL", tags(full))]
    with open(os.path.join(out, f"{name}-{full}.whl"), "wb") as file:
        file.write(archives.wheel_zip([*files, record(files, f"{about}/RECORD")], stage.epoch))
