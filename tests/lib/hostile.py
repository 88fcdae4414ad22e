# SPDX-License-Identifier: GPL-2.0-or-later
# hostile.py KIND FILE: a file of code that claims to be large, for tests/attacks. Its code, a loop
# that takes a moment and returns, is at offset 4096. Sparse: it takes little room on the disk.
# hostile.py lines FILE: pack much more into .debug_line of FILE, a program with lines.
import struct, sys, zlib

MIB = 1 << 20
CODE, SYMBOLS, STRINGS, NAMES, HEADERS = 0x1000, 0x2000, 0x3000, 0x4000, 0x5000
# mov $100000, %ecx; 0: dec %ecx; jnz 0b; ret
LOOP = bytes([0xB9, 0xA0, 0x86, 1, 0, 0xFF, 0xC9, 0x75, 0xFC, 0xC3])
NAME_TEXT = b"\0.text\0.symtab\0.strtab\0.shstrtab\0.rela.plt\0.plt\0"
PROGBITS, SYMTAB, STRTAB, RELA = 1, 2, 3, 4
ALLOC, EXECUTE, COMPRESSED = 2, 4, 0x800


def section(name, kind, flags, address, offset, size, link=0, info=0, entry=0):
    at = NAME_TEXT.find(name + b"\0") if name else 0
    return struct.pack("<IIQQQQIIQQ", at, kind, flags, address, offset, size, link, info, 1, entry)


def header(count, segments, names=1):
    return b"\x7fELF\2\1\1" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, HEADERS, 0, 64, 56, segments, 64, count, names)


def segment(kind, flags, offset, size):
    return struct.pack("<IIQQQQQQ", kind, flags, offset, offset, offset, size, size, 4096)


def make(out, names_bytes=len(NAME_TEXT), strings_bytes=16, more=(), count=None, first=None,
         segments=(), size=64 * MIB):
    sections = [first or bytes(64),
                section(b".shstrtab", STRTAB, 0, 0, NAMES, names_bytes),
                section(b".symtab", SYMTAB, 0, 0, SYMBOLS, 48, 3, 1, 24),
                section(b".strtab", STRTAB, 0, 0, STRINGS, strings_bytes),
                section(b".text", PROGBITS, ALLOC | EXECUTE, CODE, CODE, len(LOOP))] + list(more)
    all_segments = [segment(1, 5, 0, 0x2000)] + list(segments)
    if len(all_segments) * 56 > CODE - 64:
        all_segments = all_segments[: (CODE - 64) // 56]
    with open(out, "wb") as file:
        file.truncate(size)
        file.write(header(len(sections) if count is None else count, len(all_segments)))
        file.write(b"".join(all_segments))
        for at, what in ((CODE, LOOP), (NAMES, NAME_TEXT), (STRINGS, b"\0work\0"),
                         (SYMBOLS + 24, struct.pack("<IBBHQQ", 1, 0x12, 0, 4, CODE, len(LOOP))),
                         (HEADERS, b"".join(sections))):
            file.seek(at)
            file.write(what)


def pack_lines(path):
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        table, = struct.unpack_from("<Q", data, 40)
        count, names = struct.unpack_from("<HH", data, 60)
        texts, = struct.unpack_from("<Q", data, table + names * 64 + 24)
        for at in range(table, table + count * 64, 64):
            name = texts + struct.unpack_from("<I", data, at)[0]
            if data[name:data.find(b"\0", name)] != b".debug_line":
                continue
            flags, _, offset, size = struct.unpack_from("<QQQQ", data, at + 8)
            lines = bytes(data[offset:offset + size]) + bytes(320 * MIB)
            packed = struct.pack("<IIQQ", 1, 0, len(lines), 1) + zlib.compress(lines, 9)
            struct.pack_into("<QQQQ", data, at + 8, flags | COMPRESSED, 0, len(data), len(packed))
            print(len(packed), "bytes for", len(lines))
            data += packed
            break
        file.seek(0)
        file.write(data)


kind, path = sys.argv[1:]
if kind == "names":
    make(path, names_bytes=3072 * MIB, size=4096 * MIB)
elif kind == "headers":
    make(path, count=0, first=section(b"", 0, 0, 0, 0, 4000000), size=4096 * MIB)
elif kind == "relocations":
    rela = section(b".rela.plt", RELA, ALLOC, 0, 32 * MIB, 60 * MIB, 2, 0, 24)
    make(path, more=[rela] * 10000, size=128 * MIB)
elif kind == "stubs":
    stub = section(b".plt", PROGBITS, ALLOC | EXECUTE, CODE, 32 * MIB, 64 * MIB, 0, 0, 16)
    make(path, more=[stub] * 60000, size=128 * MIB)
elif kind == "strings":
    make(path, strings_bytes=512 * MIB, size=1024 * MIB)
elif kind == "names-kept":
    make(path, strings_bytes=250 * MIB, size=512 * MIB)
elif kind == "segments":
    frames = section(b"", PROGBITS, ALLOC, 0, 16 * MIB, 32 * MIB)
    make(path, more=[frames], segments=[segment(1, 5, 0, 0x2000)] * 4000)
elif kind == "lines":
    pack_lines(path)
