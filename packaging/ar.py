"""Gives the members of a static library the names of their files. Zig's member names contain the folders
of its cache, which differ from build to build. The format is GNU's, with a symbol table (ar(5))."""
import struct

MAGIC = b"!<arch>\n"


def raw_members(data):
    """Yields (name, offset, bytes) of each member, including special ones."""
    at = len(MAGIC)
    while at < len(data):
        size = int(data[at + 48:at + 58])
        yield data[at:at + 16].rstrip().decode(), at, data[at + 60:at + 60 + size]
        at += 60 + size + size % 2


def read(data):
    """Returns (members as (name, bytes), symbols as (name, index of the member))."""
    if not data.startswith(MAGIC):
        raise ValueError("not a static library")
    members, places, long_names, table = [], {}, b"", b""
    for name, offset, content in raw_members(data):
        if name == "/":
            table = content
        elif name == "//":
            long_names = content
        else:
            if name[0] == "/":
                name = long_names[int(name[1:]):].split(b"/\n", 1)[0].decode()
            places[offset] = len(members)
            members.append((name.rstrip("/").rsplit("/", 1)[-1], content))
    count, = struct.unpack_from(">I", table or b"\0\0\0\0")
    names = table[4 + 4 * count:].split(b"\0")[:count]
    return members, [(name, places[offset]) for name, offset in zip(names, struct.unpack_from(f">{count}I", table, 4))]


def member(name, content):
    header = f"{name:<16}{0:<12}{0:<6}{0:<6}{0o100644:<8o}{len(content):<10}`\n"
    return header.encode() + content + b"\n" * (len(content) % 2)


def write(members, symbols):
    long_names, entries = b"", []
    for name, content in members:
        if len(name) < 16:
            entries.append((f"{name}/", content))
        else:
            entries.append((f"/{len(long_names)}", content))
            long_names += f"{name}/\n".encode()
    names = b"".join(name + b"\0" for name, _ in symbols)
    special = 60 + 4 + 4 * len(symbols) + len(names)
    special += special % 2 + (60 + len(long_names) + len(long_names) % 2 if long_names else 0)
    offsets, at = [], len(MAGIC) + special
    for _, content in entries:
        offsets.append(at)
        at += 60 + len(content) + len(content) % 2
    table = struct.pack(f">{len(symbols) + 1}I", len(symbols), *(offsets[index] for _, index in symbols)) + names
    head = MAGIC + member("/", table) + (member("//", long_names) if long_names else b"")
    return head + b"".join(member(name, content) for name, content in entries)


def with_plain_names(data):
    return write(*read(data))
