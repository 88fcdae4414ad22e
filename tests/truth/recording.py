# SPDX-License-Identifier: GPL-2.0-or-later
"""One process, sampled by perf and by cproftop at the same time; and how two profiles differ."""
import json
import os
import subprocess
import time

import stacks

PERF_HZ = 999
HOTTEST = 10
TRUNK = 98  # percent: what is hotter in total is what everything hangs from, and no finding


def start_perf(path, perf_stacks):
    """perf on all CPUs, when it samples. On a busy machine that may take a second from its
    start, in which cproftop would be alone with a phase of the program."""
    perf = subprocess.Popen(
        ["perf", "record", "-q", "-e", "cpu-clock", "-F", str(PERF_HZ), "--call-graph", perf_stacks,
         "-k", "CLOCK_MONOTONIC", "-m", "4M", "-o", path, "-a", "--delay=-1", "--control=fd:0,1"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    print("enable", file=perf.stdin, flush=True)
    perf.stdout.readline()  # nothing, if perf has ended; what it complains of is kept
    return perf


class Recording:
    """Where both have written, and what they said. PERF_STACKS is how perf gets stacks:
    "dwarf,BYTES" or "fp"; None: no perf. It samples every CPU, as servers says why."""

    def __init__(self, program, pid, hz, seconds, folder, perf_stacks, arguments=()):
        self.pid = pid
        self.perf, self.pprof, stats = (os.path.join(folder, name)
                                        for name in ("perf.data", "x.pb.gz", "stats.json"))
        self.complaint = ""
        perf = perf_stacks and start_perf(self.perf, perf_stacks)
        try:
            free = ["--max-overhead", "none", "--max-cpu", "none"] if hz > 99 else []
            subprocess.run([program, "record", "-q", "-p", str(pid), "-F", str(hz), "-d", str(seconds), *free,
                            *arguments, "-f", "pprof", "-o", self.pprof, "--stats", stats],
                           stdin=subprocess.DEVNULL, check=True)
        finally:
            if perf:
                perf.send_signal(2)  # SIGINT: perf writes its file's end and is gone
                perf.wait()  # with its standard input open, whose end it takes for an error
                self.complaint = perf.communicate()[1].strip()
        with open(stats, encoding="ascii") as file:
            self.stats = json.load(file)
        # When cproftop itself says that it looked, by perf's clock: a program has phases.
        began = stacks.began_ns(self.pprof) / 1e9
        self.begin = began - time.time() + time.monotonic()
        self.end = self.begin + self.stats["duration_ns"] / 1e9

    def of_expected(self, hz):
        """Samples in percent of CPU time x frequency."""
        return 100 * self.stats["samples"] / max(1, self.stats["cpu_ns_kernel"] / 1e9 * hz)


def hottest(shares):
    return sorted(shares, key=shares.get, reverse=True)[:HOTTEST]


class Difference:
    """Of two lists of shares, over the ten hottest functions of either."""

    def __init__(self, theirs, ours):
        self.rows = []
        trunk = {key for key in theirs if min(theirs[key], ours.get(key, 0)) > TRUNK}
        theirs, ours = ({key: share for key, share in shares.items() if key not in trunk}
                        for shares in (theirs, ours))
        for key in {*hottest(theirs), *hottest(ours)}:
            self.rows.append((ours.get(key, 0) - theirs.get(key, 0), key, theirs.get(key, 0), ours.get(key, 0)))
        self.rows.sort(key=lambda row: -abs(row[0]))

    def cell(self, finder, their_samples, our_samples):
        if not self.rows:
            return "0 (one function is all)"
        deviation, key, theirs, ours = self.rows[0]
        share = (theirs + ours) / 200
        error = 200 * (share * (1 - share) * (1 / their_samples + 1 / our_samples)) ** 0.5
        name = finder.name(key)[:40].replace("|", "\\|")
        return f"{deviation:+.1f} {name} ({theirs:.1f} → {ours:.1f}; chance {error:.1f})"

    def listing(self, finder, title):
        yield f"    {title:<50} perf  cproftop"
        for _, key, theirs, ours in sorted(self.rows, key=lambda row: -row[2]):
            yield f"    {finder.name(key)[:48]:<48} {theirs:6.1f}    {ours:6.1f}"
