"""Reads what packages need to know about a Mach-O program (mach-o/loader.h): the oldest macOS that runs
it, and its signature."""
import hashlib
import struct

MAGIC = b"\xcf\xfa\xed\xfe"
CODE_SIGNATURE, BUILD_VERSION = 0x1D, 0x32  # LC_*
ARCHITECTURES = {0x0100000C: "arm64", 0x01000007: "x86_64"}
# cs_blobs.h: CSMAGIC_EMBEDDED_SIGNATURE, CSMAGIC_CODEDIRECTORY, CS_ADHOC
SUPERBLOB, DIRECTORY, ADHOC = 0xFADE0CC0, 0xFADE0C02, 0x2


def commands(program):
    """Yields (command, its bytes) for each load command."""
    count, = struct.unpack_from("<I", program, 16)
    at = 32
    for _ in range(count):
        command, size = struct.unpack_from("<II", program, at)
        yield command & 0x7FFFFFFF, program[at:at + size]
        at += size


def architecture(program):
    if program[:4] != MAGIC:
        raise ValueError("not a Mach-O program")
    return ARCHITECTURES[struct.unpack_from("<I", program, 4)[0]]


def oldest_system(program):
    """Returns (major, minor) of the oldest macOS that runs the program."""
    for command, data in commands(program):
        if command == BUILD_VERSION:
            version, = struct.unpack_from("<I", data, 12)
            return version >> 16, version >> 8 & 0xFF
    raise ValueError("the Mach-O program does not say which macOS it needs")


def code_directory(program):
    """Returns the part of the signature with the hashes of the pages; None if the program is not signed."""
    for command, data in commands(program):
        if command == CODE_SIGNATURE:
            offset, size = struct.unpack_from("<II", data, 8)
            blob = program[offset:offset + size]
            magic, _, count = struct.unpack_from(">III", blob)
            for i in range(count if magic == SUPERBLOB else 0):
                _, at = struct.unpack_from(">II", blob, 12 + 8 * i)
                if struct.unpack_from(">I", blob, at)[0] == DIRECTORY:
                    return blob[at:]
    return None


def is_signed(program):
    """Whether the program has an ad-hoc signature whose hashes match its pages."""
    directory = code_directory(program)
    if not directory:
        return False
    flags, hashes = struct.unpack_from(">I", directory, 12)[0], struct.unpack_from(">I", directory, 16)[0]
    count, limit = struct.unpack_from(">II", directory, 28)
    size, kind, _, page_bits = struct.unpack_from(">BBBB", directory, 36)
    if kind != 2 or not flags & ADHOC:  # SHA-256
        return False
    page = 1 << page_bits
    return count == -(-limit // page) and all(
        hashlib.sha256(program[i * page:min((i + 1) * page, limit)]).digest() ==
        directory[hashes + i * size:hashes + (i + 1) * size] for i in range(count))
