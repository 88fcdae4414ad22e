#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes pprof files as two profilers write them that are not to be had here.

usage: foreign-pprof.py rust|java SAMPLES.folded OUT

rust: pprof-rs 0.14 (Report::pprof): not compressed; two values, counts and nanoseconds; one
location for each function, without mapping and address; the thread as a label.
java: async-profiler 4 (one.convert.JfrToPprof): compressed; one value; a mapping of the whole
address space that no location names; lines in locations, none of them with an address; the
thread and a category as labels.

The stacks are folded ones, THREAD;OUTERMOST;...;LEAF COUNT, and the numbers that both have in
common: 100 samples a second. Fields of the message: github.com/google/pprof, proto/profile.proto.
"""
import gzip
import sys

PERIOD_NS = 10_000_000


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def block(field, content):
    return varint(field << 3 | 2) + varint(len(content)) + content


def packed(field, values):
    return block(field, b"".join(map(varint, values)))


class Index(dict):
    """Each key has a number, the first of them FIRST."""

    def __init__(self, first, *keys):
        super().__init__()
        self.first = first
        for key in keys:
            self[key]

    def __missing__(self, key):
        self[key] = len(self) + self.first
        return self[key]


def read(path):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            stack, count = line.rsplit(" ", 1)
            thread, *frames = stack.split(";")
            yield thread, frames[::-1], int(count)


def value_type(strings, kind, unit):
    return number(1, strings[kind]) + number(2, strings[unit])


def label(strings, key, text):
    return block(3, number(1, strings[key]) + number(2, strings[text]))


def rust(stacks):
    strings, functions = Index(0, ""), Index(1)
    samples = b""
    for thread, frames, count in stacks:
        samples += block(2, packed(1, [functions[name] for name in frames])
                         + packed(2, [count, count * PERIOD_NS])
                         + label(strings, "thread", thread))
    for name, at in functions.items():
        samples += block(4, number(1, at) + block(4, number(1, at) + number(2, 7)))
    for name, at in functions.items():
        samples += block(5, number(1, at) + number(2, strings[name])
                         + number(3, strings[name]) + number(4, strings["/src/main.rs"]))
    types = [value_type(strings, "samples", "count"), value_type(strings, "cpu", "nanoseconds")]
    texts = b"".join(block(6, text.encode()) for text in strings)
    return (b"".join(block(1, one) for one in types) + samples + texts
            + number(9, 1_700_000_000_000_000_000) + number(10, 5_000_000_000)
            + block(11, types[1]) + number(12, PERIOD_NS))


def java(stacks):
    strings, functions, locations = Index(0, ""), Index(1), Index(1)
    out = block(1, value_type(strings, "cpu", "nanoseconds"))
    out += number(13, strings["Produced by async-profiler"])
    for thread, frames, count in stacks:
        where = [locations[functions[name], 1 + depth % 3] for depth, name in enumerate(frames)]
        out += block(2, packed(1, where) + number(2, count * PERIOD_NS)
                     + label(strings, "thread", thread) + label(strings, "category", "Java"))
    out += block(3, number(1, 1) + number(3, 2**63 - 1) + number(5, strings["async-profiler"]))
    for (function, line), at in locations.items():
        out += block(4, number(1, at) + block(4, number(1, function) + number(2, line)))
    for name, at in functions.items():
        out += block(5, number(1, at) + number(2, strings[name]))
    out += b"".join(block(6, text.encode()) for text in strings)
    return gzip.compress(out + number(9, 1_700_000_000_000_000_000) + number(10, 5_000_000_000),
                         mtime=0)


def main():
    kind, stacks, path = sys.argv[1:]
    with open(path, "wb") as out:
        out.write({"rust": rust, "java": java}[kind](read(stacks)))


if __name__ == "__main__":
    main()
