# SPDX-License-Identifier: GPL-2.0-or-later
"""Three functions, and which part of the CPU time each has used."""
import signal
import sys
import time


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def loop(n):
    total = 0
    for i in range(n):
        total += i * i
    return total


def sorts(n):
    return sorted(range(n), key=lambda x: -x)


def tell(*_):
    for name, used in spent.items():
        print("truth", name, 100 * used / sum(spent.values()))
    sys.exit()


spent = {"fib": 0, "loop": 0, "sorts": 0}
signal.signal(signal.SIGTERM, tell)
print("ready", flush=True)
while True:
    times = [time.process_time()]
    for call, argument in ((fib, 19), (loop, 40000), (sorts, 15000)):
        call(argument)
        times.append(time.process_time())
    for name, begin, end in zip(spent, times, times[1:]):
        spent[name] += end - begin
