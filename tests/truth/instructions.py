#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""instructions.py [--tolerate SHARE] TOOL FILE COUNT SEED

COUNT functions of FILE, chosen at random, as cproftop disassembles them (TOOL is
tests/tools/instructions), against `objdump -d`: the same addresses, lengths, mnemonics and
operands, in both syntaxes. Spelling is no difference: numbers are compared as numbers, a
mnemonic with or without the suffix that says the size of its operands, an implied operand or
prefix said or not. What the two really see differently is counted by its reason; what has
none of the reasons below is printed, and then this fails; a SHARE of all texts may be so, but
no length.
"""
import bisect
import collections
import random
import re
import subprocess
import sys

KINDS = {"2": "branch", "1": "jump", "3": "call", "4": "return", "5": "unknown"}
SHOWN = 20


def functions_of(path):
    """The start and size of each function symbol; of several at one place, the largest."""
    sizes = {}
    for table in ([], ["-D"]):
        listing = subprocess.run(["nm", "-S", "--defined-only", *table, path],
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in listing.stdout.splitlines():
            field = line.split()
            if len(field) >= 4 and field[2] in "tTwWi" and int(field[1], 16):
                start = int(field[0], 16)
                sizes[start] = max(sizes.get(start, 0), int(field[1], 16))
    return sizes


def ours_of(tool, path, starts):
    """Of each function: (start, limit, problem, {address: (length, kind, target, texts)})."""
    asked = "".join("%x\n" % start for start in starts)
    out = subprocess.run([tool, path], input=asked, stdout=subprocess.PIPE, text=True, check=True)
    functions = []
    for line in out.stdout.splitlines():
        field = line.split("\t")
        if field[0] == "function":
            functions.append((int(field[1], 16), int(field[2], 16), field[4], {}))
            continue
        target = None if field[3] == "-" else int(field[3], 16)
        functions[-1][3][int(field[0], 16)] = (int(field[1]), KINDS.get(field[2], "other"),
                                               target, (field[5], field[6]))
    return functions


INSTRUCTION = re.compile(r"((?:[0-9a-f]{2} )+)\s*(.*)")


def theirs_of(path, syntax, functions):
    """{address: (bytes, text)} of all addresses in FUNCTIONS."""
    starts = [function[0] for function in functions]
    found = {}
    command = ["objdump", "-d", "-w", "-z", "-M", syntax, path]
    if len(functions) < 1000 and functions:
        command[1:1] = ["--start-address=%d" % min(starts),
                        "--stop-address=%d" % max(function[1] for function in functions)]
    listing = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace")
    for line in listing.stdout:
        address, colon, rest = line.partition(":\t")
        if not colon:
            continue
        address = int(address, 16)
        at = bisect.bisect_right(starts, address) - 1
        if at < 0 or address >= functions[at][1]:
            continue
        field = INSTRUCTION.match(rest)
        if field:
            found[address] = (bytes.fromhex(field[1]), field[2])
    listing.wait()
    return found


# --- one instruction -----------------------------------------------------------------------

PREFIXES = {"lock", "rep", "repz", "repnz", "repe", "repne", "data16", "addr32", "notrack",
            "bnd", "cs", "ds", "es", "ss", "fs", "gs", "xacquire", "xrelease", "rex.W", "rex"}
STRINGS = re.compile(r"(movs|cmps|stos|lods|scas|ins|outs)[bwdlq]?$")
SHIFTS = re.compile(r"(shl|shr|sar|sal|rol|ror|rcl|rcr)[bwlq]?$")
NUMBER = re.compile(r"(?<![\w.%])(-?)(0x[0-9a-f]+|[0-9]+)(?![\w])")
SPELLINGS = {"movabs": "mov", "movabsq": "mov", "retn": "ret", "xlatb": "xlat", "iretl": "iret", "fwait": "wait",
             "sal": "shl", "movslq": "movsxd", "movslql": "movsxd", "movsx": "movsx"}


def value(match):
    number = int(match[2], 0)
    number = -number if match[1] else number
    number &= (1 << 64) - 1
    return str(number - (1 << 64) if number >> 63 else number)


def split(text):
    """The prefixes, the mnemonic, and the operands with every number as a decimal one."""
    text = re.sub(r"<[^>]*>", "", text.split("#")[0]).strip().lower()
    words = text.split()
    prefixes = []
    while len(words) > 1 and (words[0] in PREFIXES or words[0].startswith("rex.")):
        prefixes.append(words.pop(0))
    mnemonic = re.sub(r",p[nt]$", "", words[0] if words else "")
    operands = "".join(" ".join(words[1:]).split())
    return prefixes, mnemonic, operands


def plain_operands(operands, is_jump):
    operands = operands.replace("ptr", "")
    if is_jump and re.fullmatch(r"(0x)?[0-9a-f]+", operands):
        return str(int(operands, 16))
    operands = re.sub(r"\+-", "-", operands)
    operands = NUMBER.sub(value, operands)
    operands = re.sub(r"\*1(?![0-9])", "", operands)           # [rax+rax*1]
    operands = re.sub(r",1\)", ")", operands)                  # (%rax,%rax,1)
    operands = re.sub(r"[+-]0\]", "]", operands)               # [rax+0x0]
    operands = re.sub(r"(?<![\w$])-?0\(", "(", operands)       # 0x0(%rax)
    operands = re.sub(r"%?[defcgs]s:(?=[\[\d(-]|$)", lambda m: m[0] if m[0].strip("%")[0] in "fg"
                      else "", operands)                       # %es:(%rdi), fs:0x28
    operands = re.sub(r"[+,]%?[er]iz|%[er]iz", "", operands)
    operands = re.sub(r"\[(-?\d+)\]", r"\1", operands)            # fs:[0x28], [0]
    operands = re.sub(r"\+-", "-", operands)                     # [rip+0xffff...]
    operands = operands.replace("xword", "tbyte").replace("tbyteord", "tbyte")
    operands = re.sub(r"%st(?!\()", "%st(0)", operands)
    operands = re.sub(r"(?<![%\w])st(?![(\w])", "st(0)", operands)
    return operands


def same_number(one, other):
    return any(one % (1 << bits) == other % (1 << bits) and
               max(abs(one), abs(other)) < (1 << bits) for bits in (8, 16, 32, 64))


def same_operands(ours, theirs):
    if ours == theirs:
        return True
    parts, others = (re.split(r"(-?\d+)", text) for text in (ours, theirs))
    if len(parts) != len(others):
        return False
    return all(one == other or (re.fullmatch(r"-?\d+", one) and re.fullmatch(r"-?\d+", other) and
                                same_number(int(one), int(other)))
               for one, other in zip(parts, others))


def is_pseudo(ours, operands, theirs):
    """Is THEIRS the mnemonic for OURS with this constant as an operand: pclmullqlqdq?"""
    quarters = {"pclmullqlqdq": "0x00", "pclmulhqlqdq": "0x01", "pclmullqhqdq": "0x10",
                "pclmulhqhqdq": "0x11"}
    constant = quarters.get(theirs.lstrip("v"))
    numbers = [int(number, 0) for number in
               re.findall(r"(?:^\$|,)(0x[0-9a-f]+|[0-9]+)(?=,|$)", operands)]
    return ours.endswith("pclmulqdq") and constant is not None and int(constant, 0) in numbers


def same_mnemonic(ours, theirs):
    ours, theirs = (SPELLINGS.get(word, word) for word in (ours, theirs))
    return (ours == theirs or (ours[:-1] == theirs and ours[-1] in "bwlqds") or
            (theirs[:-1] == ours and theirs[-1] in "bwlqds"))


def same_text(ours, theirs):
    our_prefixes, our_name, our_operands = split(ours)
    their_prefixes, their_name, their_operands = split(theirs)
    if our_name.startswith("nop") and (their_name.startswith("nop") or
                                       (their_name == "xchg" and our_operands == "")):
        return True  # padding: its operands mean nothing
    is_alias = is_pseudo(our_name, our_operands, their_name)
    if not is_alias and not same_mnemonic(our_name, their_name):
        return False
    if STRINGS.match(our_name):
        return True  # the operands are always the same registers
    if SHIFTS.match(our_name) and "," not in their_operands and our_operands[:2] in ("$1", "1,"):
        our_operands = our_operands.partition(",")[2]
    if is_alias:
        our_operands = re.sub(r"^\$?(0x)?[0-9a-f]+,|,(0x)?[0-9a-f]+$", "", our_operands)
    is_jump = our_name[0] == "j" or our_name.startswith(("call", "loop", "xbegin"))
    ours, theirs = (plain_operands(operands, is_jump)
                    for operands in (our_operands, their_operands))
    if our_name.startswith("xchg"):
        return sorted(ours.split(",")) == sorted(theirs.split(","))
    return same_operands(ours, theirs)


# --- what they see differently -------------------------------------------------------------

def is_like(mnemonic, text):
    return re.match(mnemonic, split(text)[1])


def without_sizes(text):
    return re.sub(r"\b(byte|word|dword|qword|fword|tbyte|xword|xmmword|ymmword|zmmword) ptr\b", "",
                  text, flags=re.I)


IN_DATA = "data in the code: no instruction, and what follows until both agree again"


def reason(mine, texts, code):
    """Why capstone and objdump differ over CODE; None: that is not known."""
    if not mine:
        return None
    length, kind, _, ours = mine
    if kind == "unknown":
        if length != len(code):
            return None
        return "capstone does not know it, shown as bytes: %s" % family(texts[0], code)
    if length != len(code):
        return None
    if same_text(ours[0], texts[0]) and same_text(without_sizes(ours[1]), without_sizes(texts[1])):
        return "same, but for the size of the operand in memory in Intel's syntax"
    if code[:1] == b"\x66" and is_like("movd$", ours[0]) and is_like("movq$", texts[0]):
        return "movq between two kinds of registers, which capstone calls movd in AT&T's syntax"
    if is_like("f[a-z]+$", ours[0]) and same_mnemonic(split(ours[0])[1], split(texts[0])[1]):
        return "x87: the implied operand st, which capstone does not say"
    return None


def family(text, code):
    return ("AVX-512" if code[:1] == b"\x62" else "AVX" if code[:1] in (b"\xc4", b"\xc5") else
            split(text)[1])


def main():
    arguments = sys.argv[1:]
    tolerated = 0.0
    if arguments[0] == "--tolerate":
        tolerated = float(arguments[1])
        arguments = arguments[2:]
    tool, path, count, seed = arguments
    sizes = functions_of(path)
    random.seed(int(seed))
    starts = sorted(random.sample(sorted(sizes), min(int(count), len(sizes))))
    functions = ours_of(tool, path, starts)
    att, intel = (theirs_of(path, syntax, functions) for syntax in ("att", "intel"))
    addresses = sorted(att)
    compared, reasons, failures, equal, misread = 0, collections.Counter(), [], 0, 0
    for start, limit, problem, ours in functions:
        before = sum(reasons.values()) + len(failures)
        if problem or not ours:
            failures.append("%x: %s" % (start, problem or "no instructions"))
            misread += 1
        in_data = False
        theirs = set(addresses[bisect.bisect_left(addresses, start):
                               bisect.bisect_left(addresses, limit)])
        for address in sorted(theirs | set(ours)):
            compared += 1
            mine, code = ours.get(address), att.get(address, (b"", ""))[0]
            texts = att.get(address, (b"", ""))[1], intel.get(address, (b"", ""))[1]
            good = mine and mine[0] == len(code) and all(
                same_text(one, other) for one, other in zip(mine[3], texts))
            if good:
                in_data = False
                continue
            in_data = in_data or "(bad)" in texts[0]
            why = IN_DATA if in_data else reason(mine, texts, code)
            if why:
                reasons[why] += 1
            else:
                misread += not mine or mine[0] != len(code)
                failures.append("%x: %s: %s | %s" % (address, code.hex(" "),
                                mine[3] if mine else "nothing", texts))
        equal += sum(reasons.values()) + len(failures) == before
    print("# %s: %d functions, %d instructions, %d functions equal" %
          (path, len(functions), compared, equal))
    for why, number in reasons.most_common():
        print("# %8d %s" % (number, why))
    kinds = {}
    for failure in failures:
        kinds.setdefault(failure.split(": (", 1)[-1].split(" ")[0], []).append(failure)
    for some in sorted(kinds.values(), key=len, reverse=True)[:SHOWN]:
        print("# %8d as %s" % (len(some), some[0]))
    print("# %d without a reason" % len(failures))
    return 1 if misread or len(failures) > tolerated * compared or not functions else 0


sys.exit(main())
