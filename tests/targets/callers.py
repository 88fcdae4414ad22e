# SPDX-License-Identifier: GPL-2.0-or-later
"""Functions that say in their names who may call them, and are called by name.

A function ID__A_B may be called by A and by B only ("lib": by the library, "any": by all), from
a line of this file on which its ID stands. So tests/tools/script-callers can tell of each stack
whether it was possible, and whether its lines were right.

python3 callers.py SECONDS [THREADS [PART,PART...]]
"""
import asyncio
import functools
import json
import random
import re
import signal
import sys
import threading
import time

end = time.time() + float(sys.argv[1])
threads = int(sys.argv[2]) if len(sys.argv) > 2 else 1
wanted = sys.argv[3].split(",") if len(sys.argv) > 3 else None


def work__first_second_inner_coinner_bykey_bymatch_handled_dropped_made_got(n=8):
    total = 0
    for i in range(n):
        total += i * i
    return total


work = work__first_second_inner_coinner_bykey_bymatch_handled_dropped_made_got


class Boom(Exception):
    pass


# Two functions that call each other, with an exception from the depth or without.
def first__recursion_second_raising_traced_inner_coinner(depth, boom=False):
    if depth <= 0:
        if boom:
            raise Boom()
        return work()
    return second__first(depth - 1, boom)


def second__first(depth, boom):
    try:
        return work() if depth <= 0 else first(depth - 1, boom)
    finally:
        depth = None


first = first__recursion_second_raising_traced_inner_coinner


def recursion__loop():
    return first(random.randrange(1, 60))


def raising__loop():
    try:
        return first(random.randrange(1, 30), True)
    except Boom as boom:
        return str(boom)


def deep__loop():
    return down__deep_down(random.randrange(200, 600))


def down__deep_down(n, a=1, b=2):
    return down__deep_down(n - 1) if n else 0


# Generators, and what runs in them.
def outer__generators(n):
    for x in middle__outer(n):
        yield x


def middle__outer(n):
    yield from inner__middle(n)


def inner__middle(n):
    for i in range(n):
        if i == 3:
            first(5)
        yield work(3)


def generators__loop():
    total = 0
    for x in outer__generators(10):
        total += x
    return total


async def coouter__gather_lib(n):
    return await comiddle__coouter(n)


async def comiddle__coouter(n):
    total = 0
    for i in range(n):
        total += await coinner__comiddle(i)
    return total


async def coinner__comiddle(i):
    if i % 3 == 0:
        await asyncio.sleep(0)
    if i == 4:
        first(4)
    return work(4)


async def gather__asynchronous_lib():
    await asyncio.gather(*[coouter__gather_lib(6) for _ in range(5)])


def asynchronous__loop():
    asyncio.run(gather__asynchronous_lib())


# Functions that C calls.
def bykey__callbacks(x):
    return work(2) + x


def byreduce__callbacks(a, b):
    return a + b


def callbacks__loop():
    numbers = sorted(range(12), key=bykey__callbacks)
    functools.reduce(byreduce__callbacks, numbers)
    return max(map(bykey__callbacks, numbers))


def bymatch__matching_lib(match):
    return str(work(2))


def matching__loop():
    return re.sub(r"\d+", bymatch__matching_lib, "a1b22c333d4")


document = json.dumps([{"a": i, "b": [1, 2, {"c": None}]} for i in range(15)])


def byhook__lib(found):
    return len(found)


def parsing__loop():
    return json.loads(document, object_hook=byhook__lib)


# Code that is made, called and freed at once.
source = """def xa__made_made{0}__code(n):
  return xb__xa{0}(n)
def xb__xa{0}(n):
  total = 0
  for i in range(n): total += i
  return total
"""


def code__loop():
    number = random.randrange(10000)
    names = {}
    exec(compile(source.format(number), "<made%d>" % number, "exec"), names)
    function = names["xa__made_made%d__code" % number]
    for _ in range(random.randrange(1, 40)):
        function(20)
    names.clear()


class Dropped:
    def __del__(self):
        dropped__del()


def dropped__del():
    return work(3)


def dropping__loop():
    several = [Dropped() for _ in range(5)]
    del several
    circle = Dropped()
    circle.itself = circle
    del circle
    return takes__dropping(Dropped())


def takes__dropping(dropped):
    return 1


class Object:
    def __init__(self, n):
        self.n = made__init(n)

    @property
    def part(self):
        return got__part(self.n)

    def __lt__(self, other):
        return less__lt(self.n, other.n)


def made__init(n):
    return work(n)


def got__part(n):
    return work(2)


def less__lt(a, b):
    return a < b


def objects__loop():
    several = [Object(i) for i in range(4)]
    several.sort()
    return [one.part for one in several]


def handler__any(number, frame):
    handled__handler()


def handled__handler():
    return work(10)


def tracer__any(frame, event, argument):
    return tracer__any


def traced__loop():
    if random.randrange(4):
        return
    (sys.settrace if random.randrange(2) else sys.setprofile)(tracer__any)
    try:
        first(6)
    finally:
        sys.settrace(None)
        sys.setprofile(None)


parts = [recursion__loop, raising__loop, deep__loop, generators__loop, asynchronous__loop,
         callbacks__loop, matching__loop, parsing__loop, code__loop, dropping__loop,
         objects__loop, traced__loop]
if wanted:
    parts = [part for part in parts if part.__name__.split("__")[0] in wanted]


def loop__module_lib():
    while time.time() < end:
        random.choice(parts)()


sys.setswitchinterval(0.0005)
sys.setrecursionlimit(5000)
signal.signal(signal.SIGALRM, handler__any)
signal.setitimer(signal.ITIMER_REAL, 0.003, 0.003)
others = [threading.Thread(target=loop__module_lib) for _ in range(threads - 1)]
for one in others:
    one.start()
print("ready", flush=True)
loop__module_lib()
signal.setitimer(signal.ITIMER_REAL, 0)
for one in others:
    one.join()
