# SPDX-License-Identifier: GPL-2.0-or-later
# Recursion and a sort with a key, all in the interpreter.
import sys


def down(n, numbers):
    if n:
        return down(n - 1, numbers) + 1
    return sorted(numbers, key=lambda i: i * 7919 % 1009)[0]


numbers = list(range(200))
print("ready", flush=True)
while True:
    down(20, numbers)
