# SPDX-License-Identifier: GPL-2.0-or-later
"""Profiles as stacks of places: what cproftop wrote as pprof, and what perf recorded.

A profile is a list of (weight, stack); a stack is a list of places, innermost first; a place
is (path of a file, offset in the file), which means the same in both programs, however they
call it. Both give the address before the one that a call returns to: it is in the caller even if
the call was its last instruction.

Time in the kernel belongs to the function that called it: cproftop has no frames of the
kernel, and those of perf are taken off.
"""
import gzip
import re
import subprocess

KERNEL = 1 << 63  # addresses of the kernel are in the upper half

# What perf sees of a thread that cproftop has stopped: not the program's time.
OF_TRACING = {"ptrace_stop", "ptrace_do_notify", "do_jobctl_trap", "ptrace_notify"}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def fields(data):
    """(number, value) for each field of a protobuf message; bytes where it has a length."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
        else:
            raise ValueError(f"wire type {kind} is not used by pprof")
        yield number, value


def numbers(value):
    """A repeated number: packed, or one alone."""
    if isinstance(value, int):
        return [value]
    found, at = [], 0
    while at < len(value):
        number, at = varint(value, at)
        found.append(number)
    return found


def single(message):
    """Field number -> value, for a message without repeated fields of interest."""
    return dict(fields(message))


class PprofTables:
    """The tables of a pprof file: places and names by location."""

    def __init__(self, data):
        self.samples, self.types, strings = [], [], []
        mappings, locations, functions = {}, [], {}
        for number, value in fields(data):
            if number == 1:
                self.types.append(single(value).get(1, 0))
            elif number == 2:
                self.samples.append(value)
            elif number == 3:
                mapping = single(value)
                mappings[mapping[1]] = mapping
            elif number == 4:
                locations.append(value)
            elif number == 5:
                function = single(value)
                functions[function[1]] = function
            elif number == 6:
                strings.append(value.decode())
        self.types = [strings[index] for index in self.types]
        self.places, self.names = {}, {}
        for message in locations:
            location = single(message)  # of repeated lines the last: the real function
            mapping = mappings.get(location.get(2, 0), {})
            path = strings[mapping.get(5, 0)]
            base = mapping.get(4, 0) - mapping.get(2, 0)  # file_offset, memory_start
            self.places[location[1]] = (path, location.get(3, 0) + base)
            line = single(location[4]) if 4 in location else {}
            function = functions.get(line.get(1, 0), {})
            self.names[location[1]] = strings[function.get(2, 0)]


def of_cproftop(path):
    """The profile, weighed by CPU time, and names by place."""
    with gzip.open(path) as file:
        tables = PprofTables(file.read())
    weigh_by = tables.types.index("cpu")
    profile, names = [], {}
    for message in tables.samples:
        ids, values = [], []
        for number, value in fields(message):
            if number == 1:
                ids += numbers(value)
            elif number == 2:
                values += numbers(value)
        # A frame such as [truncated stack] says why there is no more: it is no place.
        ids = [i for i in ids if tables.places[i][0]]
        stack = [tables.places[i] for i in ids]
        names.update((place, tables.names[i]) for place, i in zip(stack, ids))
        if stack:
            profile.append((values[weigh_by], stack))
    return profile, names


FRAME = re.compile(r"\s+([0-9a-f]+) (.*) \((.*)\)$")


TIME = re.compile(r"\s*(\d+\.\d+):")


def of_perf(path, pid, begin=0, end=float("inf")):
    """The profile of a process between two moments of perf's clock, a sample weighing 1, names by
    place, and samples per second. For an address in a file, perf script prints the offset in the
    file."""
    script = subprocess.run(
        ["perf", "script", "-i", path, "--pid", str(pid), "-F", "time,ip,sym,dso", "--no-inline"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace", check=True)
    profile, names, times = [], {}, []
    for block in script.stdout.split("\n\n"):
        stack, traced = [], False
        for line in block.splitlines():
            match, time = FRAME.match(line), TIME.match(line)
            if time:
                times.append(float(time[1]))
            if not match:
                continue
            address, symbol, file = int(match[1], 16), match[2], match[3]
            if address >= KERNEL:
                traced = traced or symbol in OF_TRACING
                continue
            place = (file, address)
            stack.append(place)
            names[place] = symbol
        if stack and not traced and (not times or begin <= times[-1] <= end):
            profile.append((1, stack))
    return profile, names, len(times) / (max(times) - min(times)) if len(times) > 1 else 0
