# SPDX-License-Identifier: GPL-2.0-or-later
# peak.py FILE COMMAND...: run it, and write to FILE how many bytes it had resident at once,
# together with the processes that it has started: the most that each of them had, added up for
# those that lived at the same time. And to FILE.cpu how many seconds of CPU time all of them took.
import glob, resource, subprocess, sys, time


def resident(pid):
    for line in open("/proc/%s/status" % pid):
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def look(pid):
    pids, together = [str(pid)], 0
    for pid in pids:  # and its children, which are appended
        try:
            together += resident(pid)
            for name in glob.glob("/proc/%s/task/*/children" % pid):
                pids += open(name).read().split()
        except OSError:
            pass
    return together


most = 0
process = subprocess.Popen(sys.argv[2:])
while process.poll() is None:
    most = max(look(process.pid), most)
    time.sleep(0.02)
with open(sys.argv[1], "w") as out:
    print(most, file=out)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1] + ".cpu", "w") as out:
    print(used.ru_utime + used.ru_stime, file=out)
sys.exit(process.returncode)
