# SPDX-License-Identifier: GPL-2.0-or-later
"""A shell in a terminal that answers questions 0.3 s late. Types COMMAND, and KEYS once it has the
screen; prints what the shell shows afterwards. late-terminal.py COMMAND [KEYS]"""
import os, pty, select, sys, time

ANSWERS = ((b"\033]11;?\a", b"\033]11;rgb:1e1e/1e1e/1e1e\033\\"),
           (b"\033[?2026$p", b"\033[?2026;2$y"), (b"\033[c", b"\033[?62;22c"))
pid, fd = pty.fork()
if pid == 0:
    os.environ.update(TERM="xterm-256color", PS1="", LC_ALL="C.UTF-8")
    os.execvp("sh", ["sh", "-i"])
keys = (sys.argv[2:] or [""])[0].encode()
shown, asked, due = b"", {}, []
os.write(fd, b"stty -echo; " + sys.argv[1].encode() + b"; echo OV''ER\n")
over, until = None, time.time() + 60
while time.time() < (over or until):
    if select.select([fd], [], [], 0.02)[0]:
        shown += os.read(fd, 65536)
    for question, answer in ANSWERS:
        if shown.count(question) > asked.get(question, 0):
            asked[question] = shown.count(question)
            due.append((time.time() + 0.3, answer))
    if keys and b"\033[?1049h" in shown:
        os.write(fd, keys)
        keys = b""
    while due and due[0][0] < time.time():
        os.write(fd, due.pop(0)[1])
    if not over and b"OVER" in shown:
        over = time.time() + 1  # for what comes late
os.write(fd, b"echo EN''D\n")
until = time.time() + 60  # what is on the terminal may not have ended
while b"END" not in shown and select.select([fd], [], [], max(until - time.time(), 0))[0]:
    shown += os.read(fd, 65536)
os.close(fd)
os.waitpid(pid, 0)
print(len(asked), "questions")
print(shown[max(shown.rfind(b"\033[?1049l"), 0):].decode(errors="replace"))
