#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
sums: four threads that add up numbers, and are no faster than one.

    sums.py SECONDS

Python's interpreter lock lets one of them run at a time.
"""
import sys
import threading
import time


def add_up(numbers):
    return sum(number * number for number in numbers)


def worker(end):
    while time.monotonic() < end:
        add_up(range(10000))


END = time.monotonic() + float(sys.argv[1])
for _ in range(3):
    threading.Thread(target=worker, args=(END,)).start()
worker(END)
