# SPDX-License-Identifier: GPL-2.0-or-later
"""What the programs of catalogue.py work on: each file is made when it is first asked for."""
import os
import random
import subprocess

WORDS = ("time thread stack frame sample table row code call return of the a in to and from where "
         "kernel signal register window report tree root leaf weight share").split()


def text(path, size=48 << 20):
    """Lines of words, as compressible as prose."""
    chance = random.Random(1)
    lines = [" ".join(chance.choices(WORDS, k=chance.randint(4, 14))) + f" {chance.randint(0, 10 ** 9)}\n"
             for _ in range(20000)]
    with open(path, "w", encoding="ascii") as file:
        while file.tell() < size:
            chance.shuffle(lines)
            file.writelines(lines)


def write(path, parts):
    with open(path, "w", encoding="ascii") as file:
        file.writelines(parts)


def c_source(path, functions=6000):
    write(path, [f"""
int f{i}(int *a, int n, int k) {{
	int s = {i}, t = k;
	for (int i = 0; i < n; i++) {{
		if (a[i] % {i % 7 + 2} == 0) s += a[i] * t; else s ^= a[i] << (t & 7);
		switch (s & 7) {{ case 0: t += s; break; case 1: t -= k; break; case 3: t *= 3; break; default: t ^= n; }}
		a[(i * 7 + t) & 255] = s + t;
	}}
	return s{f" + f{i - 1}(a, n - 1, s)" if i else ""};
}}
""" for i in range(functions)])


def cc_source(path):
    write(path, ["#include <algorithm>\n#include <functional>\n#include <map>\n#include <regex>\n#include <string>\n"
                 "#include <unordered_map>\n#include <vector>\ntemplate <int N> struct tag { int v = N; "
                 "bool operator<(const tag &o) const { return v < o.v; } };\n"] + [f"""
int g{i}(const std::string &s) {{
	std::map<std::string, std::vector<tag<{i}>>> m;
	std::unordered_map<int, std::function<int(tag<{i}>)>> u;
	u[1] = [&](tag<{i}> t) {{ return t.v + (int)m.size(); }};
	m[s].push_back({{}});
	std::sort(m[s].begin(), m[s].end());
	return std::regex_match(s, std::regex("a{i}+")) + u[1](m[s][0]);
}}
""" for i in range(150)])


def rust_source(path):
    write(path, ["use std::collections::{BTreeMap, HashMap};\n"] + [f"""
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct S{i} {{ pub a: Vec<u32>, pub b: HashMap<String, f64>, pub c: Option<Box<S{i}>> }}
pub fn h{i}(s: &S{i}, m: &mut BTreeMap<u32, S{i}>) -> u32 {{
    let mut v: Vec<_> = s.a.iter().map(|x| x.wrapping_mul({i})).filter(|x| x % 3 != 0).collect();
    v.sort_by(|a, b| b.cmp(a));
    m.insert(v.len() as u32, s.clone());
    for (k, x) in m.iter() {{ if x.b.contains_key("k") {{ v.push(*k); }} }}
    println!("{{:?}}", s);
    v.iter().sum()
}}
""" for i in range(3000)])


def go_source(path):
    write(path, ["package big\n\nimport \"sort\"\n"] + [f"""
type T{i} struct {{ a []int; m map[string][]int; n *T{i} }}

func (t *T{i}) F{i}(k int) int {{
	s := 0
	for i, x := range t.a {{
		switch {{
		case x%{i % 9 + 2} == 0: s += x * i
		case t.m != nil: t.m["a"] = append(t.m["a"], x)
		default: defer func() {{ t.a[i&7] = s }}()
		}}
	}}
	sort.Slice(t.a, func(i, j int) bool {{ return t.a[i]^k < t.a[j]^{i} }})
	return s
}}
""" for i in range(4000)])


def haskell_source(path):
    write(path, ["module Big where\nimport qualified Data.Map as M\n"] + [f"""
data T{i} = A{i} Int | B{i} [T{i}] | C{i} {{ x{i} :: Int, y{i} :: String }} deriving (Eq, Ord, Show, Read)
f{i} :: M.Map Int T{i} -> Int -> [T{i}]
f{i} m k = [ t | (n, t) <- M.toList m, n > k, case t of {{ A{i} q -> q > {i}; B{i} l -> length l > k; C{i} a b -> show a /= b }} ]
""" for i in range(300)])


def ocaml_source(path):
    write(path, [f"""
type t{i} = A{i} of int | B{i} of t{i} list | C{i} of {{ x : int; y : string }}
let rec f{i} m k = match m with
  | A{i} n when n > k -> n + {i}
  | A{i} n -> n - k
  | B{i} l -> List.fold_left (fun s t -> s + f{i} t (k - 1)) 0 (List.sort compare l)
  | C{i} {{ x; y }} -> x + String.length y * {i}
""" for i in range(6000)])


def pascal_source(path):
    write(path, ["program big;\ntype a = array[0..255] of longint;\n"] + [f"""
function f{i}(var v: a; n, k: longint): longint;
var i, s: longint;
begin
  s := {i};
  for i := 0 to n do begin
    if v[i and 255] mod {i % 7 + 2} = 0 then s := s + v[i and 255] * k else s := s xor (v[i and 255] shl (k and 7));
    case s and 3 of 0: v[s and 255] := k; 1: v[n and 255] := s; end;
  end;
  f{i} := s;
end;
""" for i in range(60000)] + ["begin\nend.\n"])


def java_source(path):
    write(path, ["import java.util.*;\nclass Big {\n"] + [f"""
static int f{i}(Map<String, List<Integer>> m, int k) {{
    int s = 0;
    for (var e : m.entrySet()) s += e.getValue().stream().map(x -> x * {i} + k).filter(x -> x % 3 != 0).mapToInt(x -> x).sum();
    return switch (s % 5) {{ case 0 -> s; case 1 -> k; default -> s + k; }};
}}
""" for i in range(3000)] + ["}\n"])


def assembly(path):
    write(path, ["section .text\n"] + [f"l{i}:\tmov eax, [rbx + rcx * 4 + {i}]\n\tadd rax, 0x{i:x}\n\tjne l{i}\n"
                                       for i in range(1000000)])


def json_text(path):
    write(path, ["["] + [f'{{"id": {i}, "name": "n{i * 7919 % 1000}", "list": [{i}, {i + 1}, {i * i}], "f": {i / 7}}},\n'
                         for i in range(150000)] + ["{}]"])


def graph(path):
    chance = random.Random(2)
    write(path, ["digraph g {\n"] + [f"n{i} -> n{chance.randint(0, 700)};\n" for i in range(1400)] + ["}\n"])


def markdown(path):
    write(path, [f"# Title {i}\n\nSome *text* with `code {i}` and [a link](x{i}).\n\n* one\n* two\n\n    code\n\n"
                 for i in range(20000)])


def database(path):
    subprocess.run(["sqlite3", path], text=True, check=True, input="""
        CREATE TABLE t (id INTEGER PRIMARY KEY, k INT, c TEXT);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
        INSERT INTO t SELECT i, i * 7919 % 1000, hex(randomblob(8)) FROM n;""")


def repository(path):
    """Some thousand commits of a text, made by git's own importer."""
    chance = random.Random(3)
    lines = [" ".join(chance.choices(WORDS, k=8)) for _ in range(800)]
    stream = []
    for i in range(4000):
        lines[chance.randrange(len(lines))] = f"line {i} {chance.random()}"
        body = "\n".join(lines)
        stream.append(f"commit refs/heads/main\ncommitter a <a@b> {i} +0000\ndata 1\n.\n"
                      f"M 644 inline f{i % 5}\ndata {len(body)}\n{body}\n")
    subprocess.run(["git", "init", "-q", path], check=True)
    subprocess.run(["git", "-C", path, "fast-import", "--quiet"], text=True, input="".join(stream), check=True)


def video(path):
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25", "-t", "20",
                    "-pix_fmt", "yuv420p", "-f", "yuv4mpegpipe", "-y", path], check=True)


def sound(path):
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "anoisesrc=color=pink:r=48000,tremolo=f=3", "-t", "900",
                    "-ac", "2", "-f", "wav", "-y", path], check=True)


def picture(path):
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=2400x1600", "-frames:v", "1", "-y", path],
                   check=True)


def typescript(path):
    os.mkdir(path)
    for i in range(400):
        write(f"{path}/m{i}.ts", [f"""
export interface I{i}_{j}<T> {{ a: T; b: Array<T | number>; f(x: T): Promise<I{i}_{j}<T>>; }}
export function f{i}_{j}<T extends {{k: string}}>(x: T, y: I{i}_{j}<T>) {{
  return [x.k, ...Object.keys(x)].map(s => s.length + {j}).reduce((a, b) => a + b, 0);
}}
""" for j in range(60)])


def npm_packages(path):
    """What npm has: compilers, in Go and for node."""
    os.mkdir(path)
    subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", path,
                    "typescript@7", "esbuild@0.28", "terser@5"], check=True, timeout=100)


def haskell_program(path):
    write(path, ["import qualified Data.Map as M\nfib :: Int -> Integer\n"
                 "fib n = if n < 2 then toInteger n else fib (n-1) + fib (n-2)\nmain :: IO ()\n"
                 "main = mapM_ (\\k -> print (fib 20 + fromIntegral (M.size (M.fromList [(show x, x) | x <- [1..k*10]])))) [1..]\n"])


def fortran_program(path):
    write(path, ["program p\nreal(8) :: a(200,200), b(200,200), c(200,200)\ncall random_number(a)\ncall random_number(b)\ndo\n"
                 "c = matmul(a, b)\na = exp(sin(c) - 1)\nif (sum(a) < 0) exit\nend do\nend program\n"])


def ada_program(path):
    write(path, ["with Ada.Containers.Ordered_Maps; with Ada.Strings.Unbounded; use Ada.Strings.Unbounded;\nprocedure Count is\n"
                 "package Maps is new Ada.Containers.Ordered_Maps (Unbounded_String, Integer); M : Maps.Map;\n"
                 "begin\nloop\nfor I in 1 .. 5000 loop\nM.Include (To_Unbounded_String (Integer'Image (I * 7919 mod 10007)), I);\n"
                 "end loop;\nend loop;\nend Count;\n"])


def nim_program(path):
    write(path, ["import std/[tables, strutils, algorithm]\nproc f(n: int): int = (if n < 2: n else: f(n-1) + f(n-2))\nwhile true:\n"
                 "  var t = initTable[string, int]()\n  for i in 0..2000: t[$(i * 7919)] = f(8)\n  var s: seq[string]\n"
                 "  for k in t.keys: s.add(k & k.toHex)\n  s.sort()\n"])


def d_program(path):
    write(path, ["import std.algorithm, std.array, std.conv;\nint f(int n) { return n < 2 ? n : f(n-1) + f(n-2); }\n"
                 "void main() { int[string] t; for (;;) { foreach (i; 0 .. 2000) t[to!string(i * 7919)] = f(8); "
                 "auto k = t.keys.sort.map!(s => s ~ \"x\").array; } }\n"])


def pigeons(path, holes=11):
    """One pigeon more than holes: easy to say, and hard to solve."""
    clauses = [[i * holes + j + 1 for j in range(holes)] for i in range(holes + 1)]
    clauses += [[-(i * holes + j + 1), -(k * holes + j + 1)] for i in range(holes + 1) for k in range(i) for j in range(holes)]
    write(path, [f"p cnf {(holes + 1) * holes} {len(clauses)}\n", *(" ".join(map(str, [*clause, 0])) + "\n" for clause in clauses)])


def many_files(path):
    for i in range(40):
        os.makedirs(f"{path}/d{i}/e")
        for j in range(100):
            write(f"{path}/d{i}/e/f{j}", ["all of this\n" * (j + 1)])


# Name of the file -> what makes it.
MAKERS = {
    "big.txt": text, "small.txt": lambda path: text(path, 2 << 20), "big.c": c_source, "big.cc": cc_source,
    "big.rs": rust_source, "big.go": go_source,
    "Big.hs": haskell_source, "big.ml": ocaml_source, "big.pas": pascal_source, "Big.java": java_source,
    "big.asm": assembly, "big.json": json_text, "big.dot": graph, "big.md": markdown, "big.db": database,
    "repo": repository, "in.y4m": video, "in.wav": sound, "in.png": picture, "files": many_files,
    "ts": typescript, "npm": npm_packages, "loop.hs": haskell_program, "loop.f90": fortran_program, "count.adb": ada_program,
    "fib.nim": nim_program, "fib.d": d_program, "holes.cnf": pigeons,
}


def make(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        base, dot, suffix = name.rpartition(".")
        being_made = os.path.join(folder, f"{base}.part{dot}{suffix}")
        MAKERS[name](being_made)
        os.rename(being_made, path)
