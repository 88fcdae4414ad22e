# SPDX-License-Identifier: GPL-2.0-or-later
"""One process, sampled by perf and by cproftop at the same time; and how two profiles differ."""
import json
import os
import subprocess
import time

PERF_HZ = 999
HOTTEST = 10
TRUNK = 98  # percent: what is hotter in total is what everything hangs from, and no finding


class Recording:
    """Where both have written, and what they said. PERF_STACKS is how perf gets stacks:
    "dwarf,BYTES" or "fp"; None: no perf. It samples every CPU, as servers says why."""

    def __init__(self, program, pid, hz, seconds, folder, perf_stacks, arguments=()):
        self.pid = pid
        self.perf, self.pprof, stats = (os.path.join(folder, name)
                                        for name in ("perf.data", "x.pb.gz", "stats.json"))
        self.complaint = ""
        perf = perf_stacks and subprocess.Popen(
            ["perf", "record", "-q", "-e", "cpu-clock", "-F", str(PERF_HZ), "--call-graph", perf_stacks,
             "-k", "CLOCK_MONOTONIC", "-m", "4M", "-o", self.perf, "-a"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            time.sleep(0.3)
            free = ["--max-overhead", "none", "--max-cpu", "none"] if hz > 99 else []
            self.begin = time.monotonic()
            subprocess.run([program, "record", "-q", "-p", str(pid), "-F", str(hz), "-d", str(seconds), *free,
                            *arguments, "-f", "pprof", "-o", self.pprof, "--stats", stats],
                           stdin=subprocess.DEVNULL, check=True)
            self.end = time.monotonic()
        finally:
            if perf:
                perf.send_signal(2)  # SIGINT: perf writes its file's end and is gone
                self.complaint = perf.communicate()[1].strip()
        with open(stats, encoding="ascii") as file:
            self.stats = json.load(file)

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
