"""Makes the hidden symbols of an object file local, as `objcopy --localize-hidden` does: 64-bit,
little-endian ELF.

    localize.py IN OUT

A symbol table has local symbols before all others. So the order changes, and with it every symbol number in
relocations and groups. See ELF-64 Object File Format 1.5; System V ABI, chapter 4.
"""
import struct
import sys

SYMTAB, RELA, REL, GROUP, SYMTAB_SHNDX, LLVM_ADDRSIG = 2, 4, 9, 17, 18, 0x6FFF4C03
LOCAL, HIDDEN_OR_INTERNAL, UNDEFINED = 0, (1, 2), 0
HEADER = struct.Struct("<IIQQQQIIQQ")  # name, type, flags, address, offset, size, link, info, alignment, entry size
SYMBOL = struct.Struct("<IBBHQQ")      # name, binding and type, visibility, section, value, size


def sections(data):
    if data[:6] != b"\x7fELF\x02\x01":
        raise SystemExit("localize.py: not a 64-bit, little-endian ELF object")
    at, = struct.unpack_from("<Q", data, 0x28)
    count, = struct.unpack_from("<H", data, 0x3C)
    count = count or HEADER.unpack_from(data, at)[5]  # if there are more than 65280
    return at, [list(HEADER.unpack_from(data, at + i * HEADER.size)) for i in range(count)]


def localized(raw):
    name, info, other, section, value, size = SYMBOL.unpack(raw)
    if section != UNDEFINED and other & 3 in HIDDEN_OR_INTERNAL:
        info, other = LOCAL << 4 | info & 15, other & ~3
    return SYMBOL.pack(name, info, other, section, value, size), info >> 4 == LOCAL


def reorder(data, table):
    """Rewrites the symbol table; returns the new number of each symbol, and how many are local."""
    offset, size = table[4], table[5]
    symbols = [localized(data[at:at + SYMBOL.size]) for at in range(offset, offset + size, SYMBOL.size)]
    order = sorted(range(len(symbols)), key=lambda i: not symbols[i][1])  # this sort is stable
    data[offset:offset + size] = b"".join(symbols[i][0] for i in order)
    return {old: new for new, old in enumerate(order)}, sum(local for _, local in symbols)


def renumber_relocations(data, section, number):
    entry = 24 if section[1] == RELA else 16
    for at in range(section[4], section[4] + section[5], entry):
        info, = struct.unpack_from("<Q", data, at + 8)
        struct.pack_into("<Q", data, at + 8, number[info >> 32] << 32 | info & 0xFFFFFFFF)


def main(source, destination):
    with open(source, "rb") as file:
        data = bytearray(file.read())
    headers, all_sections = sections(data)
    tables = [i for i, section in enumerate(all_sections) if section[1] == SYMTAB]
    if len(tables) != 1 or any(section[1] == SYMTAB_SHNDX for section in all_sections):
        raise SystemExit("localize.py: expected one symbol table, without extended section numbers")
    number, locals_ = reorder(data, all_sections[tables[0]])
    all_sections[tables[0]][7] = locals_
    for section in all_sections:
        if section[1] in (RELA, REL) and section[6] == tables[0]:
            renumber_relocations(data, section, number)
        elif section[1] == GROUP and section[6] == tables[0]:
            section[7] = number[section[7]]
        elif section[1] == LLVM_ADDRSIG:  # symbol numbers that a linker does not need
            section[1], section[5] = 0, 0
    for i, section in enumerate(all_sections):
        HEADER.pack_into(data, headers + i * HEADER.size, *section)
    with open(destination, "wb") as file:
        file.write(data)


main(*sys.argv[1:])
