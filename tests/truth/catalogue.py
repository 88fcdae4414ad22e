# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs of others, and a command of each that keeps it busy for a minute.

A command runs in sh, in a folder that has the inputs that it names (inputs.py). It is the
busiest of the processes that come of it that is looked at. `forever FILE` writes a file again
and again, `again COMMAND` runs a command so.
"""

SHELL = """
forever() { while cat "$@"; do :; done; }
again() { while "$@"; do :; done; }
often() { for i in $(seq 40); do echo "$@"; done; }
"""


class Program:
    """PACKAGES are Debian's, COMMAND what to run; what is before its last " ;; " runs first, and
    is not looked at. PERF_STACKS: how perf gets at stacks. NOTE
    stands in the table."""

    def __init__(self, name, packages, command, perf_stacks="dwarf,16384", note="", needs=""):
        self.name, self.packages, self.all = name, packages.split(), command
        self.preparation, _, self.command = command.rpartition(" ;; ")
        self.perf_stacks, self.note, self.needs = perf_stacks, note, needs.split()


P = Program
FIB = {
    "lua": "local function f(n) if n < 2 then return n end return f(n-1) + f(n-2) end while true do f(25) end",
    "js": "function f(n) { return n < 2 ? n : f(n-1) + f(n-2) } let s = {}; for (let i = 0;; i++) { f(12); s['k' + i % 999] = "
          "JSON.stringify([i, String(i).split('')]) }",
    "python": "def f(n): return n if n < 2 else f(n-1) + f(n-2)\nwhile True: f(20)",
    "ruby": "def f(n) n < 2 ? n : f(n-1) + f(n-2) end; loop { f(20) }",
    "perl": "sub f { my $n = shift; $n < 2 ? $n : f($n-1) + f($n-2) } f(20) while 1",
    "php": "function f($n) { return $n < 2 ? $n : f($n-1) + f($n-2); } while (1) f(20);",
    "tcl": "proc f n { expr {$n < 2 ? $n : [f [expr {$n-1}]] + [f [expr {$n-2}]]} }; while 1 { f 20 }",
    "scheme": "(define (f n) (if (< n 2) n (+ (f (- n 1)) (f (- n 2))))) (let loop () (f 20) (loop))",
    "R": "f <- function(n) if (n < 2) n else f(n-1) + f(n-2); repeat { f(18); sort(runif(1e4)) }",
    "octave": "function r = f(n) if n < 2 r = n; else r = f(n-1) + f(n-2); end, end, while true, f(12); inv(rand(60)); end",
    "awk": "function f(n) { return n < 2 ? n : f(n-1) + f(n-2) } BEGIN { while (1) f(20) }",
    "sh": "f() { [ $1 -lt 1 ] || f $(($1 - 1)); }; while :; do f 20; done",
    "prolog": "f(0,0). f(1,1). f(N,R) :- N > 1, A is N-1, B is N-2, f(A,X), f(B,Y), R is X+Y. ",
    "lisp": "(progn (defun f (n) (if (< n 2) n (+ (f (- n 1)) (f (- n 2))))) (loop (f 25)))",
    "erlang": "F = fun(G, N) when N < 2 -> N; (G, N) -> G(G, N-1) + G(G, N-2) end, "
              "L = fun(M) -> lists:sort([X * 7919 rem 1000 || X <- lists:seq(1, 5000)]), F(F, 15), M(M) end, L(L).",
    "ocaml": "let rec f n = if n < 2 then n else f (n-1) + f (n-2);; while true do ignore (f 20) done;;",
    "cs": "class P { static int f(int n) { return n < 2 ? n : f(n-1) + f(n-2); } static void Main() { while (true) f(25); } }",
}


def quoted(name):
    return "'" + FIB[name].replace("'", "'\\''") + "'"


COMPILERS = [
    P("gcc: cc1 -O2", "gcc", "exec $(gcc -print-prog-name=cc1) -quiet -O2 big.c -o /dev/null", "dwarf,49152"),
    P("g++: cc1plus -O2", "g++", "again $(gcc -print-prog-name=cc1plus) -quiet -O2 big.cc -o /dev/null "
      "-imultiarch x86_64-linux-gnu -D_GNU_SOURCE", "dwarf,49152"),
    P("clang -O2", "clang", "again clang -O2 -c big.cc -o /dev/null", "dwarf,65528"),
    P("rustc -O", "rustc", "again rustc -O -C codegen-units=1 --crate-type lib big.rs --emit obj=/dev/null -A warnings"),
    P("go tool compile", "golang-go", "again go tool compile -p big -o big.o big.go", "fp"),
    P("ghc -O", "ghc", "again ghc -O -fforce-recomp -c Big.hs -o big.hs.o"),
    P("ocamlopt", "ocaml-nox", "again ocamlopt -c big.ml"),
    P("fpc", "fpc", "again fpc -O2 -v0 big.pas -obig.pas.out"),
    P("nasm", "nasm", "again nasm -O3 -f elf64 big.asm -o /dev/null"),
    P("javac", "default-jdk-headless", "again javac -d . Big.java", "fp"),
    P("as (binutils)", "binutils", "gcc -S -O0 big.c -o big.s; for i in $(seq 12); do sed \"s/\\.L/.L${i}_/g; s/\\bf\\([0-9]\\)/f${i}_\\1/g\" big.s; "
      "done > bigger.s ;; again as bigger.s -o /dev/null"),
    P("tsc 7 (Go, stripped)", "nodejs", "again npm/node_modules/@typescript/*/lib/tsc --noEmit ts/*.ts", "fp", needs="npm ts"),
    P("esbuild (Go, stripped)", "nodejs", "for i in $(seq 60); do echo '{'; cat npm/node_modules/terser/dist/bundle.min.js; echo '}'; done "
      "> big.js ;; again npm/node_modules/@esbuild/*/bin/esbuild --minify --log-level=silent big.js --outfile=/dev/null", "fp", needs="npm"),
    P("objdump -d (binutils)", "binutils", "again objdump -d $(gcc -print-prog-name=cc1) > /dev/null"),
]
INTERPRETERS = [
    P("python3", "python3", "exec /usr/bin/python3 -c \"" + FIB["python"] + '"'),
    P("perl", "perl", "exec perl -e " + quoted("perl")),
    P("ruby", "ruby", "exec ruby -e " + quoted("ruby")),
    P("php", "php-cli", "exec php -r " + quoted("php")),
    P("lua5.4", "lua5.4", "exec lua5.4 -e " + quoted("lua")),
    P("luajit -joff", "luajit", "exec luajit -joff -e " + quoted("lua")),
    P("luajit", "luajit", "exec luajit -e " + quoted("lua")),
    P("node, with a perf map", "nodejs", "exec node --perf-basic-prof --interpreted-frames-native-stack -e \"" + FIB["js"] + '"',
      "fp"),
    P("node, without options", "nodejs", "exec node -e \"" + FIB["js"] + '"', "fp"),
    P("node, terser", "nodejs", "exec node --perf-basic-prof --interpreted-frames-native-stack -e \"const {minify} = "
      "require('./npm/node_modules/terser'); const t = require('fs').readFileSync('npm/node_modules/terser/dist/bundle.min.js', 'utf8'); "
      "(async () => { for (;;) await minify(t, {compress: {passes: 2}}) })()\"", "fp", needs="npm"),
    P("ghci, byte code", "ghc", "exec ghc -e main loop.hs"),
    P("gforth", "gforth", "exec gforth-fast -e ': f ( n -- n ) dup 2 < if exit then dup 1- recurse swap 2 - recurse + ; "
      ": go begin 25 f drop again ; go'"),
    P("clisp", "clisp", "exec clisp -q -x '(progn (defun f (n) (if (< n 2) n (+ (f (- n 1)) (f (- n 2))))) (compile (quote f)) (loop (f 25)))'"),
    P("tclsh", "tcl", "echo " + quoted("tcl") + " | exec tclsh"),
    P("guile", "guile-3.0", "exec guile --no-auto-compile -c " + quoted("scheme")),
    P("R", "r-base-core", "exec Rscript --vanilla -e " + quoted("R"), "dwarf,65528"),
    P("octave", "octave", "exec octave-cli --norc --eval " + quoted("octave"), "dwarf,65528"),
    P("erlang", "erlang-base", "exec erl -noshell -eval " + quoted("erlang"), "fp"),
    P("erlang, +JPperf true", "erlang-base", "exec erl +JPperf true -noshell -eval " + quoted("erlang"), "fp"),
    P("sbcl", "sbcl", "exec sbcl --noinform --eval " + quoted("lisp"), "fp"),
    P("mono", "mono-runtime mono-mcs", "echo " + quoted("cs") + " > fib.cs; mcs fib.cs ;; exec mono fib.exe", "fp"),
    P("pypy3", "pypy3", "exec pypy3 -c \"" + FIB["python"] + '"'),
    P("java, C2", "default-jdk-headless", "javac -d . $srcdir/tests/targets/Stack.java ;; exec java -cp . Stack", "fp"),
    P("swipl", "swi-prolog-nox", "echo " + quoted("prolog") + "'go :- repeat, f(18,_), fail.' > fib.pl ;; exec swipl -g go fib.pl"),
    P("ocaml, byte code", "ocaml-nox", "echo " + quoted("ocaml") + " > fib.ml ;; exec ocaml fib.ml"),
    P("gawk", "gawk", "exec gawk " + quoted("awk")),
    P("mawk", "mawk", "exec mawk " + quoted("awk")),
    P("bash", "bash", "exec bash -c " + quoted("sh")),
    P("dash", "dash", "exec dash -c " + quoted("sh")),
    P("busybox ash", "busybox", "exec busybox sh -c " + quoted("sh")),
]
NUMPY = ("import numpy as n\na = n.random.rand(300, 300)\nwhile True: b = a @ a; n.linalg.svd(a[:80, :80]); n.fft.fft2(a); n.sort(b)")
LANGUAGES = [
    P("chez scheme", "chezscheme", "echo " + quoted("scheme") + " > fib.ss ;; exec chezscheme --script fib.ss", "fp"),
    P("chicken, csi", "chicken-bin", "echo " + quoted("scheme") + " > fib.ss ;; exec csi -q -s fib.ss"),
    P("chicken, csc -O2", "chicken-bin", "echo " + quoted("scheme") + " > fib-csc.scm; csc -O2 fib-csc.scm -o fib-csc ;; exec ./fib-csc"),
    P("ecl", "ecl", "exec ecl --norc --eval " + quoted("lisp")),
    P("picolisp", "picolisp", "echo '(de f (N) (if (> 2 N) N (+ (f (- N 1)) (f (- N 2))))) (loop (f 20))' > fib.l ;; exec picolisp fib.l"),
    P("newlisp", "newlisp", "exec newlisp -e '(begin (define (f n) (if (< n 2) n (+ (f (- n 1)) (f (- n 2))))) (while true (f 20)))'"),
    P("jimsh", "jimsh", "echo " + quoted("tcl") + " > fib.tcl ;; exec jimsh fib.tcl"),
    P("nim", "nim gcc", "nim c --hints:off -d:release --nimcache:nim.out -o:fib-nim fib.nim ;; exec ./fib-nim"),
    P("D, ldc2 -O", "ldc", "ldc2 -O -of=fib-ldc fib.d ;; exec ./fib-ldc"),
    P("D, gdc -O2", "gdc", "gdc -O2 fib.d -o fib-gdc ;; exec ./fib-gdc"),
    P("gp", "pari-gp", "echo 'while(1, factorint(2^101-1+2*random(10^6)); bernfrac(200))' | exec gp -q --default parisizemax=200M"),
    P("gap", "gap-core", "echo 'while true do Size(Group((1,2,3,4,5,6,7,8,9,10,11),(3,7,11,8)(4,10,5,6))); Factorial(3000); od;' | exec gap -q"),
    P("numpy", "python3-numpy libopenblas0-pthread", "export OPENBLAS_NUM_THREADS=1; exec /usr/bin/python3 -c '" + NUMPY + "'"),
    P("php, its JIT", "php-cli php8.2-opcache", "exec php -d opcache.enable_cli=1 -d opcache.jit_buffer_size=64M -d opcache.jit=tracing -r " +
      quoted("php"), "fp"),
    P("node, wasm", "nodejs binaryen", "echo '(module (func $f (export \"f\") (param i32) (result i32) (if (result i32) (i32.lt_s (local.get 0) "
      "(i32.const 2)) (then (local.get 0)) (else (i32.add (call $f (i32.sub (local.get 0) (i32.const 1))) (call $f (i32.sub (local.get 0) "
      "(i32.const 2))))))))' > f.wat; wasm-as f.wat -o f.wasm ;; exec node --perf-basic-prof -e \"WebAssembly.instantiate(require('fs')"
      ".readFileSync('f.wasm')).then(m => { for (;;) m.instance.exports.f(25) })\"", "fp"),
]
ENGINES = [
    P("ecm", "gmp-ecm", "echo '2^1061-1' | exec ecm -q -c 0 50000000"),
    P("stockfish", "stockfish", "again /usr/games/stockfish bench 64 1 24 > /dev/null"),
    P("minisat", "minisat", "exec minisat -verb=0 holes.cnf > /dev/null"),
    P("cadical", "cadical", "exec cadical -q holes.cnf"),
    P("ngspice", "ngspice", "printf 'ring\\nV1 1 0 SIN(0 5 1k)\\nD1 1 2 d\\nR1 2 0 1k\\nC1 2 0 1u\\n.model d D\\n.tran 10n 1000m 0 10n\\n"
      ".print tran v(2)\\n.end\\n' > ring.cir ;; exec ngspice -b ring.cir > /dev/null"),
    P("vvp", "iverilog", "printf 'module t; reg c = 0; reg [31:0] a = 1, b = 0; always #1 c = ~c; always @(posedge c) begin a <= a * 69069 + 1; "
      "b <= b ^ (a >> 7); end endmodule\\n' > t.v; iverilog -o t.vvp t.v ;; exec vvp -n t.vvp"),
    P("john", "john", "export OMP_NUM_THREADS=1; exec /usr/sbin/john --test=100 --format=md5crypt"),
    P("povray", "povray", "echo 'camera { location <0,2,-5> look_at 0 } light_source { <3,5,-4> 1 } sphere { 0, 1 pigment { granite } finish "
      "{ reflection .4 } } plane { y, -1 pigment { checker } }' > ball.pov ;; exec povray -d +WT1 +W9600 +H7200 +A0.05 -O/dev/null ball.pov"),
    P("gnutls-cli", "gnutls-bin", "exec gnutls-cli --benchmark-ciphers"),
]
PICTURES = [
    P("x265", "x265", "again x265 --log-level none --pools none --frame-threads 1 -p medium in.y4m -o /dev/null"),
    P("aomenc", "aom-tools", "again aomenc -q --cpu-used=4 --threads=1 --obu -o /dev/null in.y4m"),
    P("SvtAv1EncApp", "svt-av1", "again SvtAv1EncApp --preset 2 --lp 1 -i in.y4m -b /dev/null"),
    P("rav1e", "rav1e", "again rav1e -q -s 6 --threads 1 -y -o out.ivf in.y4m"),
    P("ffmpeg, dav1d", "ffmpeg svt-av1", "SvtAv1EncApp --preset 10 -n 250 -i in.y4m -b film.ivf ;; exec ffmpeg -v error -stream_loop -1 -threads 1 -i film.ivf "
      "-f null -"),
    P("oggenc", "vorbis-tools", "again oggenc -Q in.wav -o /dev/null"),
    P("espeak-ng", "espeak-ng", "again espeak-ng -f small.txt --stdout > /dev/null"),
    P("optipng", "optipng", "again optipng -quiet -o7 -out out.png -clobber in.png"),
    P("cjpeg", "libjpeg-turbo-progs imagemagick", "convert-im6.q16 in.png -resize 12000x8000 in.ppm ;; again cjpeg -quality 90 -progressive "
      "-outfile /dev/null in.ppm"),
]
TEXTS = [
    P("vim", "vim", "exec vim -es -u NONE -c 'while 1 | %s/\\v(a|o)(\\w+)/\\2\\1/ge | endwhile' small.txt"),
    P("emacs", "emacs-nox", "exec emacs -Q --batch --eval '(progn (defun f (n) (if (< n 2) n (+ (f (- n 1)) (f (- n 2))))) (while t (f 18) "
      "(with-temp-buffer (insert-file-contents \"small.txt\") (while (re-search-forward \"t[a-z]+ a\" nil t) (replace-match \"x\")))))'"),
    P("aspell", "aspell aspell-en", "forever big.txt | aspell list > /dev/null"),
    P("hunspell", "hunspell hunspell-en-us", "forever big.txt | hunspell -d en_US -l > /dev/null"),
    P("clang-format", "clang-format", "again clang-format big.c > /dev/null"),
    P("lzip -9", "lzip", "forever big.txt | lzip -9 > /dev/null"),
    P("lzop -9", "lzop", "forever big.txt | lzop -9 > /dev/null"),
    P("zopfli", "zopfli", "again zopfli -c small.txt > /dev/null"),
    P("zpaq", "zpaq", "again sh -c 'rm -f out.zpaq; exec zpaq a out.zpaq big.txt -m4 -t1 > /dev/null'"),
    P("par2", "par2", "again sh -c 'rm -f out*.par2; exec par2 create -qq -t1 -r20 out.par2 big.txt'"),
    P("mksquashfs", "squashfs-tools", "again mksquashfs big.txt out.squashfs -noappend -quiet -no-progress -processors 1 -comp xz"),
    P("restic (Go, of Debian)", "restic", "export RESTIC_PASSWORD=x; rm -rf restic; restic -q init -r restic; cat big.txt big.txt big.txt big.txt > big4.txt ;; "
      "export RESTIC_PASSWORD=x; again restic -q -r restic backup --force $(often big4.txt) --no-cache", "fp", needs="big.txt"),
    P("minify (Go, of Debian)", "minify", "for i in $(seq 60); do echo '{'; cat npm/node_modules/terser/dist/bundle.min.js; echo '}'; done > big.js ;; "
      "again minify --type js -o /dev/null big.js", "fp", needs="npm"),
    P("fdfind (Rust)", "fd-find", "again fdfind -j1 -u '[a-f].*[.][ch]$' $(often /usr/share) > /dev/null"),
    P("batcat (Rust)", "bat", "again batcat -f --paging=never -l c big.c > /dev/null"),
]
COMPRESSION = [P(name, package, f"forever big.txt | {command} > /dev/null") for name, package, command in (
    ("gzip -9", "gzip", "gzip -9"), ("bzip2", "bzip2", "bzip2"), ("xz -6", "xz-utils", "xz -6 -T1"),
    ("zstd -9", "zstd", "zstd -9 -q"), ("brotli", "brotli", "brotli -q 8 -c"), ("lz4 -9", "lz4", "lz4 -9"),
    ("pigz", "pigz", "pigz -p 2"),
    ("busybox gzip", "busybox", "busybox gzip"))] + [
    P("7z", "p7zip-full", "again 7z b -mmt1"),
    P("bunzip2", "bzip2", "bzip2 -k < small.txt > small.bz2 ;; forever small.bz2 | bunzip2 > /dev/null"),
    P("unxz", "xz-utils", "xz -k < small.txt > small.xz ;; forever small.xz | unxz > /dev/null")]
CRYPTO = [P(f"openssl {what}", "openssl", f"exec openssl speed -seconds 100 {option} 2>/dev/null") for what, option in (
    ("aes-256-gcm", "-bytes 16384 -evp aes-256-gcm"), ("aes-128-cbc", "-bytes 16384 -evp aes-128-cbc"),
    ("chacha20-poly1305", "-bytes 16384 -evp chacha20-poly1305"), ("sha256", "-bytes 16384 -evp sha256"),
    ("sha512", "-bytes 16384 -evp sha512"), ("sha3-256", "-bytes 16384 -evp sha3-256"), ("md5", "-bytes 16384 -evp md5"),
    ("rsa2048", "rsa2048"), ("ecdsap256", "ecdsap256"), ("x25519", "ecdhx25519"), ("camellia", "-evp camellia-128-cbc"))] + [
    P("gpg -c", "gpg", "forever big.txt | gpg --homedir . --batch --passphrase x --pinentry-mode loopback -z 6 -c > /dev/null"),
    P("ssh-keygen -t rsa", "openssh-client", "again sh -c 'rm -f key key.pub; exec ssh-keygen -q -t rsa -b 8192 -N x -f key'")]
MEDIA = [
    P("x264", "x264", "again x264 --quiet --preset slow --threads 1 -o /dev/null in.y4m"),
    P("ffmpeg, scale and mpeg4", "ffmpeg", "exec ffmpeg -v error -stream_loop -1 -i in.y4m -vf scale=960:540,hqdn3d -c:v mpeg4 "
      "-f null -"),
    P("ffmpeg, vp9", "ffmpeg", "exec ffmpeg -v error -stream_loop -1 -i in.y4m -c:v libvpx-vp9 -f null -"),
    P("imagemagick", "imagemagick", "again convert-im6.q16 in.png -blur 0x6 -resize 50% -rotate 7 png:/dev/null"),
    P("flac", "flac", "again flac -s -f -8 -c in.wav > /dev/null"),
    P("opusenc", "opus-tools", "again opusenc --quiet in.wav /dev/null"),
    P("lame", "lame", "again lame --quiet in.wav /dev/null"),
    P("sox", "sox", "again sox in.wav -n reverb phaser rate 44100 2>/dev/null"),
]
TOOLS = [
    P("sqlite3", "sqlite3", "exec sqlite3 big.db 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) "
      "SELECT k, COUNT(*), MAX(c) FROM n, t WHERE c LIKE \"%A7%\" GROUP BY k ORDER BY 2' > /dev/null"),
    P("git repack", "git", "again git -C repo repack -adfq --depth=50 --window=100 --threads=1"),
    P("git log -S", "git", "again git -C repo log main -Skernel --oneline > /dev/null", needs="repo"),
    P("ripgrep", "ripgrep", "again rg -j1 -c 'th[a-z]+d .*(7|frame)+$' $(often big.txt)"),
    P("grep", "grep", "again grep -c 'th[a-z]*d .*\\(frame\\|stack\\) 7.*9$' $(often big.txt)"),
    P("sed", "sed", "again sed -n 's/\\([a-z]*\\) \\(of\\|the\\)/\\2 \\1/gp' $(often big.txt) > /dev/null"),
    P("sort", "coreutils", "again sort --parallel=1 -k3 small.txt > /dev/null"),
    P("jq", "jq", "again jq 'map(select(.id)|.list|add)|add' big.json"),
    P("rsync", "rsync", "again sh -c 'rm -rf copy; exec rsync -az --no-whole-file files/ copy'"),
    P("find", "findutils", "again find $(often files /usr/share) -name '*[a-f]*.[ch]' -size +1k"),
    P("tar", "tar", "again tar cf - $(often files /usr/share/doc) | cat > /dev/null"),
    P("diff", "diffutils", "sort small.txt > sorted.txt ;; while :; do diff small.txt sorted.txt; done > /dev/null"),
    P("valgrind", "valgrind", "exec valgrind -q dash -c " + quoted("sh"), "fp"),
    P("gdb", "gdb", "again gdb -q -batch -ex 'info functions main' -ex 'info types a' cproftop > /dev/null"),
    P("qemu-x86_64", "qemu-user", "exec qemu-x86_64 /bin/dash -c " + quoted("sh"), "fp"),
    P("stress-ng", "stress-ng", "exec stress-ng --cpu 1 --cpu-method all --timeout 100 --quiet"),
    P("sysbench cpu", "sysbench", "exec sysbench cpu --time=100 run"),
    P("z3", "z3", "{ for i in $(seq 0 11); do for j in $(seq 0 10); do echo \"(declare-const p${i}_$j Bool)\"; done; echo '(assert (or '; "
      "for j in $(seq 0 10); do echo p${i}_$j; done; echo '))'; for k in $(seq 0 $((i - 1))); do for j in $(seq 0 10); do "
      "echo \"(assert (not (and p${i}_$j p${k}_$j)))\"; done; done; done; echo '(check-sat)'; } > holes.smt2 ;; exec z3 holes.smt2"),
    P("gs", "ghostscript", "exec gs -q -dNOSAFER -dBATCH -sDEVICE=nullpage -c '/f { dup 2 lt { } { dup 1 sub f exch 2 sub f add } ifelse } def "
      "{ 18 f pop 0 0 moveto 300 400 20 30 500 9 curveto stroke } loop'"),
    P("shellcheck", "shellcheck", "for i in $(seq 60); do cat $srcdir/tests/stress; done > big.sh ;; again shellcheck big.sh > /dev/null"),
    P("make", "make", "{ echo all:; for i in $(seq 3000); do echo \"f$i: f$((i+1)) f$((i+2))\"; echo \"all: f$i\"; done; } > Makefile"
      " ;; again make -s -n -j1 all > /dev/null 2>&1"),
    P("cmake", "cmake", "{ echo 'function(f n)\nif(n GREATER 0)\nmath(EXPR m \"${n}-1\")\nf(${m})\nendif()\nendfunction()'; "
      "echo 'while(1)\nf(50)\nstring(REGEX REPLACE \"a+\" \"b\" x \"aaabaa\")\nendwhile()'; } > loop.cmake ;; exec cmake -P loop.cmake"),
    P("bc", "bc", "echo 'scale=400; while (1) { x = e(1.5); y = s(x) }' | exec bc -lq > /dev/null"),
    P("dc", "dc", "echo '[3 2000^ 7 1000^/ d* p c lax]sa lax' | exec dc > /dev/null"),
    P("gnuplot", "gnuplot-nox", "echo 'set term svg; set out \"/dev/null\"; set samples 2000; set isosamples 60; "
      "while (1) { splot sin(x*y)*besj0(x) with pm3d }' > loop.gp ;; exec gnuplot loop.gp"),
    P("dot", "graphviz", "again dot -Tsvg big.dot -o /dev/null"),
    P("pandoc", "pandoc", "again pandoc big.md -t html -o /dev/null"),
    P("curl, TLS", "curl openssl", "openssl req -x509 -newkey rsa:2048 -nodes -keyout k.pem -out c.pem -subj /CN=localhost "
      "2>/dev/null ;; openssl s_server -quiet -accept 44330 -key k.pem -cert c.pem -WWW 2>/dev/null >&2 & sleep 1; "
      "again curl -sk https://localhost:44330/big.txt https://localhost:44330/big.txt https://localhost:44330/big.txt "
      "https://localhost:44330/big.txt -o /dev/null"),
    P("bison", "bison", "{ echo '%%'; for i in $(seq 700); do echo \"r$i: 'a' r$((i % 700 + 1)) | 'b' r$((i * 7 % 700 + 1)) 'c' | ;\"; done; } "
      "> big.y ;; again bison -o big.y.c big.y 2>/dev/null"),
    P("m4", "m4", "echo 'define(`f'\\'', `ifelse($1, 0, 0, `f(decr($1))f(decr($1))'\\'')'\\'')f(22)f(22)f(22)' > big.m4 ;; again m4 big.m4 > /dev/null"),
    P("xmllint", "libxml2-utils", "{ echo '<a>'; for i in $(seq 60000); do echo \"<b id=\\\"$i\\\"><c>text $i</c></b>\"; done; "
      "echo '</a>'; } > big.xml ;; again xmllint --xpath 'count(//b[c and @id>3])' big.xml"),
]
COREUTILS = [P(name.split()[0] if name.split()[0] != "tr" else "tr", "coreutils", f"forever big.txt | {name} > /dev/null")
             for name in ("sha256sum", "sha512sum", "b2sum", "md5sum", "base64", "od -x", "wc -mL", "fmt", "cut -d' ' -f2-5",
                          "tr a-z A-Z", "fold -w 60", "expand", "nl", "uniq -c")] + [
    P("factor", "coreutils", "seq 100000000000000000000 100000000000000900000 | factor > /dev/null"),
    P("seq", "coreutils", "again seq -f %.3f 1 10000000 > /dev/null"),
    P("shuf", "coreutils", "again shuf big.txt > /dev/null"),
    P("tsort", "coreutils", "again seq 1 100001 | tsort > /dev/null"),
]
OURS = [
    P("C, gcc -O2 -static", "gcc", "gcc -O2 -static -I$srcdir $srcdir/tests/targets/stack-calls.c "
      "$srcdir/tests/targets/stack-calls-lib.c -o calls-static ;; exec ./calls-static"),
    P("C, musl -static", "musl-tools", "musl-gcc -O2 -static -I$srcdir $srcdir/tests/targets/stack-calls.c "
      "$srcdir/tests/targets/stack-calls-lib.c -o calls-musl ;; exec ./calls-musl"),
    P("C++, sort and templates", "g++", "g++ -O2 $srcdir/tests/targets/stack-sort.cc -o sort-cc ;; exec ./sort-cc"),
    P("Haskell, ghc -O1", "ghc", "ghc -v0 -O1 loop.hs -outputdir ghc.out -o loop-hs ;; exec ./loop-hs > /dev/null"),
    P("Fortran", "gfortran", "gfortran -O2 loop.f90 -o loop-f90 ;; exec ./loop-f90"),
    P("Ada", "gnat", "gnatmake -q -O2 count.adb -o count-adb ;; exec ./count-adb"),
    P("Rust", "rustc", "rustc -O $srcdir/tests/targets/stack.rs -o stack-rs ;; exec ./stack-rs"),
    P("Go", "golang-go", "CGO_ENABLED=0 go build -o stack-go $srcdir/tests/targets/stack.go ;; exec ./stack-go", "fp"),
    P("Go, stripped", "golang-go", "CGO_ENABLED=0 go build -ldflags='-s -w' -o stack-go-s $srcdir/tests/targets/stack.go ;; "
      "exec ./stack-go-s", "fp"),
    P("Go, SHA-256", "golang-go", "go build -o hash-go $srcdir/tests/targets/stack-hash.go ;; exec ./hash-go", "fp"),
]
PROGRAMS = {program.name: program for program in
            COMPILERS + INTERPRETERS + LANGUAGES + ENGINES + COMPRESSION + CRYPTO + MEDIA + PICTURES + TOOLS + TEXTS +
            COREUTILS + OURS}
