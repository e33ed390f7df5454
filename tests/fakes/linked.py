#!/usr/bin/env python3
"""Checks Mach-O programs as macOS will when it loads them: python3 tests/fakes/linked.py PROGRAM...

They are linked with nothing but the system's own library, start on macOS 13, and import nothing that is newer; and where
Apple silicon demands a signature, it is there, and every page has the hash that it says."""
import hashlib
import struct
import sys

LC_SYMTAB, LC_LOAD_DYLIB, LC_LOAD_WEAK_DYLIB, LC_REEXPORT_DYLIB, LC_LAZY = 0x2, 0xC, 0x80000018, 0x8000001F, 0x20
LC_CODE_SIGNATURE, LC_VERSION_MIN, LC_BUILD_VERSION = 0x1D, 0x24, 0x32
ALLOWED = {"/usr/lib/libSystem.B.dylib"}
OLDEST = "13.0"
MH_EXECUTE, MH_PIE = 2, 0x200000
N_STAB, N_TYPE, N_EXT, N_WEAK_REF = 0xE0, 0x0E, 0x01, 0x40
# Functions of libSystem that came after macOS 13. The linker takes them; a Mac with 13 would not start the program.
NEWER = {"_strchrnul", "_memset_explicit", "_free_sized", "_free_aligned_sized", "_timespec_getres", "_memalignment",
         "_posix_spawn_file_actions_addchdir", "_posix_spawn_file_actions_addfchdir", "_os_sync_wait_on_address",
         "_os_sync_wait_on_address_with_timeout", "_os_sync_wake_by_address_any", "_os_sync_wake_by_address_all"}


class Program:
    """What the load commands of a 64-bit Mach-O file say; see mach-o/loader.h."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        magic, self.cpu, _, self.kind, count, _, self.flags = struct.unpack_from("<7I", self.data)
        assert magic == 0xFEEDFACF, f"{path} is not a 64-bit Mach-O program"
        self.commands, at = [], 32
        for _ in range(count):
            command, size = struct.unpack_from("<2I", self.data, at)
            self.commands.append((command, at))
            at += size

    def find(self, *kinds):
        return [at for command, at in self.commands if command in kinds]

    def text(self, at):
        return self.data[at:self.data.index(b"\0", at)].decode()

    def libraries(self):
        return {self.text(at + struct.unpack_from("<I", self.data, at + 8)[0])
                for at in self.find(LC_LOAD_DYLIB, LC_LOAD_WEAK_DYLIB, LC_REEXPORT_DYLIB, LC_LAZY)}

    def oldest(self):
        """Returns the oldest macOS on which it starts."""
        versions = [struct.unpack_from("<I", self.data, at + 12)[0] for at in self.find(LC_BUILD_VERSION)]
        versions += [struct.unpack_from("<I", self.data, at + 8)[0] for at in self.find(LC_VERSION_MIN)]
        return ", ".join(f"{version >> 16}.{version >> 8 & 255}" for version in versions)

    def imports(self):
        """Yields (name, whether it may be missing)."""
        (at,) = self.find(LC_SYMTAB)
        symbols, count, strings, _ = struct.unpack_from("<4I", self.data, at + 8)
        for i in range(count):
            name, kind, _, about, _ = struct.unpack_from("<IBBHQ", self.data, symbols + 16 * i)
            if not kind & N_STAB and kind & N_TYPE == 0 and kind & N_EXT:
                yield self.text(strings + name), bool(about & N_WEAK_REF)

    def signature(self):
        """Returns what is wrong with it, and the number of pages that have the right hash; see xnu's osfmk/kern/cs_blobs.h."""
        places = self.find(LC_CODE_SIGNATURE)
        if not places:
            return "there is no signature", 0
        start, _ = struct.unpack_from("<2I", self.data, places[0] + 8)
        magic, _, count = struct.unpack_from(">3I", self.data, start)
        slots = dict(struct.unpack_from(">2I", self.data, start + 12 + 8 * i) for i in range(count))
        if magic != 0xFADE0CC0 or 0 not in slots:
            return "the signature has no code directory", 0
        at = start + slots[0]
        magic, _, _, flags, hashes, _, _, pages, limit = struct.unpack_from(">9I", self.data, at)
        size, kind, _, shift = struct.unpack_from("4B", self.data, at + 36)
        if magic != 0xFADE0C02 or not flags & 0x2 or (size, kind) != (32, 2):
            return "it is not an ad-hoc signature by SHA-256", 0
        page = 1 << shift
        if limit != start or pages != -(-limit // page):
            return f"it covers {limit} of {start} bytes in {pages} pages", 0
        for i in range(pages):
            found = hashlib.sha256(self.data[i * page:min((i + 1) * page, limit)]).digest()
            if found != self.data[at + hashes + 32 * i:at + hashes + 32 * (i + 1)]:
                return f"page {i} has another hash", i
        return None, pages


def faults(program):
    found = program.libraries()
    if found != ALLOWED:
        yield f"linked with {', '.join(sorted(found))}"
    imports = dict(program.imports())
    if len(imports) < 20:
        yield f"only {len(imports)} imports"
    yield from (f"imports {name}, which may be missing" for name, weak in imports.items() if weak)
    yield from (f"imports {name}, which macOS {OLDEST} has not" for name in sorted(NEWER & set(imports)))
    if program.kind == MH_EXECUTE and not program.flags & MH_PIE:
        yield "its place in memory is fixed"
    fault, pages = program.signature()
    if program.cpu == 0x100000C and fault:
        yield fault
    program.summary = f"{len(imports)} imports, {pages} signed pages, starts on {program.oldest()}"


good = True
for path in sys.argv[1:]:
    program = Program(path)
    wrong = list(faults(program))
    if program.oldest() not in (OLDEST, "26.0"):
        wrong.append(f"starts on {program.oldest()}, not {OLDEST}")
    print(f"{path}: {'; '.join(wrong) if wrong else program.summary}")
    good = good and not wrong
sys.exit(not good)
