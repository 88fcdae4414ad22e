# SPDX-License-Identifier: GPL-2.0-or-later
"""Greenlets that were begun deep in C, and run while their stack's outer part is of others."""
import sys
import time

import greenlet


def burn(count):
    total = 0
    for i in range(count):
        total += i * i
    return total


def work():
    while True:
        burn(20000)
        main.switch()


def begin(depth, worker):
    """C calls Python for each element: so this takes stack of C, too."""
    if depth == 0:
        worker.switch()
    else:
        list(map(lambda _: begin(depth - 1, worker), [0]))


main = greenlet.getcurrent()
workers = [greenlet.greenlet(work) for _ in range(8)]
for number, one in enumerate(workers):
    begin(5 * number, one)
end = time.monotonic() + float(sys.argv[1])
print("ready", flush=True)
while time.monotonic() < end:
    for one in workers:
        list(map(lambda _: one.switch(), [0]))
