# SPDX-License-Identifier: GPL-2.0-or-later
# callers.sh: what the tests of script languages share. A program of tests/targets/callers.* is recorded, and each stack of it is
# judged. Source it after tap.sh; $callers is the program.

# record_callers LEAST OPTION...: by line, into $tmp/out.folded; $all is its samples. Longer if a busy machine lets less than LEAST be
# taken: of the first ones, from before the interpreter is known, not all functions are known.
record_callers() {
	least=$1
	shift
	for seconds in $(lasting "1 3 10" "5 10 20"); do
		"$cproftop" record $unlimited -F 997 "$@" -d "$seconds" --granularity line -f folded \
			-o "$tmp/out.folded" 2>"$tmp/err" || return
		all=$(awk '{ sum += $NF } END { print sum + 0 }' "$tmp/out.folded")
		[ "$all" -lt "$least" ] || return 0
	done
}

# judge_callers PART ROOT...: of which such a part at least has functions of the script. Sets samples, unknown and nameless, as
# tests/tools/script-callers counts them, who has functions that nobody calls, the ROOTs.
judge_callers() {
	part=$1
	shift
	python3 "$srcdir/tests/tools/script-callers" "$callers" "$@" <"$tmp/out.folded" >"$tmp/judged"
	read -r samples impossible unknown nameless <"$tmp/judged"
	holds "$samples > 100 && $samples >= $part * $all" "stacks have its functions ($samples of $all)"
	is "$impossible" 0 "none is impossible" || note "$(cat "$tmp/judged")"
}
