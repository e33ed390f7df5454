#!/usr/bin/env python3
"""Checks that Mach-O programs are linked with nothing but the system's own library, and with no private
framework: python3 tests/fakes/linked.py PROGRAM..."""
import struct
import sys

LC_LOAD_DYLIB, LC_LOAD_WEAK_DYLIB, LC_REEXPORT_DYLIB, LC_LAZY = 0xC, 0x80000018, 0x8000001F, 0x20
ALLOWED = {"/usr/lib/libSystem.B.dylib"}


def linked(path):
    """Returns the libraries that the load commands of a 64-bit Mach-O program name; see mach-o/loader.h."""
    with open(path, "rb") as file:
        data = file.read()
    magic, _, _, _, count, _ = struct.unpack_from("<6I", data)
    assert magic == 0xFEEDFACF, f"{path} is not a 64-bit Mach-O program"
    at = 32
    for _ in range(count):
        command, size = struct.unpack_from("<2I", data, at)
        if command in (LC_LOAD_DYLIB, LC_LOAD_WEAK_DYLIB, LC_REEXPORT_DYLIB, LC_LAZY):
            name, = struct.unpack_from("<I", data, at + 8)
            yield data[at + name:at + size].split(b"\0")[0].decode()
        at += size


good = True
for program in sys.argv[1:]:
    found = set(linked(program))
    print(f"{program}: {', '.join(sorted(found))}")
    good = good and found == ALLOWED
sys.exit(not good)
