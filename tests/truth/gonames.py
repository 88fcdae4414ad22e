# SPDX-License-Identifier: GPL-2.0-or-later
"""The functions of a Go program, stripped or not, from its own table (.gopclntab), which is
described in Go's debug/gosym and runtime/symtab.go. For programs at fixed addresses, Go 1.18
and later.
"""
import struct

MAGIC = {0xFFFFFFF0: "1.18", 0xFFFFFFF1: "1.20"}  # the versions from which on it is so


def sections(data):
    """Name -> (address, bytes)."""
    table, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQ", data, table + i * size) for i in range(count)]
    found = {}
    for name, _, _, address, offset, length in headers:
        start = headers[names][4] + name
        found[data[start:data.index(b"\0", start)]] = (address, data[offset:offset + length])
    return found


def functions(path):
    """(start, size, name) of each function; nothing if this is no Go program."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:6] != b"\x7fELF\x02\x01":
        return
    found = sections(data)
    text, table = found.get(b".text"), found.get(b".gopclntab")
    if not text or not table or struct.unpack_from("<I", table[1])[0] not in MAGIC:
        return
    base, lines = text[0], table[1]
    count, _, start, names, _, _, _, entries = struct.unpack_from("<8Q", lines, 8)
    base = start or base  # since 1.26 the table leaves it to the linker, and has 0
    for i in range(count):
        begin, at, end = struct.unpack_from("<III", lines, entries + 8 * i)
        name = names + struct.unpack_from("<i", lines, entries + at + 4)[0]
        yield base + begin, end - begin, lines[name:lines.index(b"\0", name)].decode()
