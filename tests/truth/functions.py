# SPDX-License-Identifier: GPL-2.0-or-later
"""Which function of a file an offset belongs to, without asking either profiler.

Names are no witness: of a stripped program one profiler shows a symbol, the other the place.
The unwind table of a file (.eh_frame_hdr) lists where each function begins, for stripped ones
and for the vDSO too; the function of an address is the last one that begins before it. Of a
file without such a table the symbols say the same.
"""
import bisect
import ctypes
import os
import struct

PT_LOAD, PT_GNU_EH_FRAME = 1, 0x6474E550
SHT_SYMTAB, STT_FUNC = 2, 2
ENTRY_BYTES = 64


def vdso_image():
    """The vDSO is the same in all processes of a kernel."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        for line in maps:
            if line.rstrip().endswith("[vdso]"):
                start, end = (int(word, 16) for word in line.split()[0].split("-"))
                return ctypes.string_at(start, end - start)
    return b""


class Functions:
    """Those of one file."""

    def __init__(self, path):
        self.loads, self.starts, self.entry = [], [], 0
        try:
            if path == "[vdso]":
                data = vdso_image()
            else:
                with open(path, "rb") as file:
                    data = file.read()
            if data[:6] == b"\x7fELF\x02\x01":
                self.read(data)
        except OSError:
            pass  # a file that is gone: all of it is one function

    def read(self, data):
        self.entry, phoff = struct.unpack_from("<QQ", data, 24)
        phentsize, phnum = struct.unpack_from("<HH", data, 54)
        for i in range(phnum):
            kind, _, offset, address, _, size = struct.unpack_from("<IIQQQQ", data, phoff + i * phentsize)
            if kind == PT_LOAD:
                self.loads.append((offset, size, address))
            elif kind == PT_GNU_EH_FRAME:
                self.read_table(data, offset, address)

        if not self.starts:
            self.read_symbols(data)

    def read_symbols(self, data):
        """Go has no .eh_frame, and a static program may have no table of it."""
        shoff, = struct.unpack_from("<Q", data, 40)
        shentsize, shnum = struct.unpack_from("<HH", data, 58)
        for i in range(shnum):
            kind, _, _, offset, size = struct.unpack_from("<IQQQQ", data, shoff + i * shentsize + 4)
            if kind == SHT_SYMTAB:
                self.starts = sorted({value for _, info, _, section, value, _ in
                                      struct.iter_unpack("<IBBHQQ", data[offset:offset + size])
                                      if info & 15 == STT_FUNC and section})

    def read_table(self, data, offset, address):
        """A sorted table of pairs (start, entry), both relative to the table's own address."""
        version, pointer, count, pairs = struct.unpack_from("<4B", data, offset)
        if (version, pointer & 15, count, pairs) != (1, 0xB, 3, 0x3B):
            return  # not as every linker writes it
        number, = struct.unpack_from("<I", data, offset + 8)
        words = struct.unpack_from(f"<{2 * number}i", data, offset + 12)
        self.starts = sorted(address + start for start in words[::2])

    def address(self, offset):
        for begin, size, at in self.loads:
            if begin <= offset < begin + size:
                return offset - begin + at
        return offset

    def is_at_entry(self, offset):
        """Is it in the code that the kernel starts, a short piece of assembly?"""
        return 0 <= self.address(offset) - self.entry < ENTRY_BYTES

    def start_of(self, offset):
        """Where the function begins that is at OFFSET, as an address in the file."""
        address = self.address(offset)
        index = bisect.bisect_right(self.starts, address)
        return self.starts[index - 1] if index else 0


class Finder:
    """Functions of all files: (base name of the file, start), and what to call them."""

    def __init__(self):
        self.files, self.names = {}, {}

    def file(self, path):
        if path not in self.files:
            self.files[path] = Functions(path)
        return self.files[path]

    def function(self, place, name=""):
        path, offset = place
        if isinstance(offset, str):  # code without a file has no other place than its name
            return (path, offset)
        self.file(path)
        key = (os.path.basename(path), self.files[path].start_of(offset))
        if name and not name.startswith("[") and (key not in self.names or len(name) < len(self.names[key])):
            self.names[key] = name
        return key

    def name(self, key):
        if isinstance(key[1], str):
            return key[1] or key[0]
        return self.names.get(key) or f"{key[0]}+{key[1]:#x}"

    def shares(self, profile, names):
        """Percent of all for each function: of the time in it, and in it and below it."""
        itself, below, everything = {}, {}, 0
        for weight, stack in profile:
            everything += weight
            keys = [self.function(place, names.get(place, "")) for place in stack]
            itself[keys[0]] = itself.get(keys[0], 0) + weight
            for key in set(keys):
                below[key] = below.get(key, 0) + weight
        return tuple({key: 100 * weight / everything for key, weight in sums.items()}
                     for sums in (itself, below))
