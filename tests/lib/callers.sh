# SPDX-License-Identifier: GPL-2.0-or-later
# callers.sh: what the tests of script languages share. A program of tests/targets/callers.* is recorded, and each stack of it is
# judged. Source it after tap.sh; $callers is the program.

# is_early: none is impossible, but there are few samples, or too many are of the time before the interpreter was known, or of the
# first second, in which names are read late: a function that is freed at once has none then.
is_early() {
	awk "BEGIN { exit !($impossible == 0 &&
		($samples <= 300 || $samples < $part * $all || $unknown > $most * $samples || $nameless > $gone * $samples)) }"
}

# record_callers PART UNKNOWN GONE ROOTS OPTION...: by line, into $tmp/out.folded. Such a PART at least of all samples has functions
# of the script, and in such a part of these at most a function is UNKNOWN, or has no name, as its code is GONE; on a busy machine
# that takes longer. Sets all, samples, unknown and nameless, as tests/tools/script-callers counts them, who has functions that
# nobody calls, the ROOTS.
record_callers() {
	part=$1 most=$2 gone=$3 roots=$4
	shift 4
	for seconds in $(lasting "1 3 10" "5 10 20"); do
		"$cproftop" record $unlimited -F 997 "$@" -d "$seconds" --granularity line -f folded \
			-o "$tmp/out.folded" 2>"$tmp/err" || return
		all=$(awk '{ sum += $NF } END { print sum + 0 }' "$tmp/out.folded")
		# shellcheck disable=SC2086 # a list of words
		python3 "$srcdir/tests/tools/script-callers" "$callers" $roots <"$tmp/out.folded" >"$tmp/judged"
		read -r samples impossible unknown nameless <"$tmp/judged"
		is_early || return 0
	done
}

# judge_callers: what was recorded.
judge_callers() {
	holds "$samples > 100 && $samples >= $part * $all" "stacks have its functions ($samples of $all)"
	is "$impossible" 0 "none is impossible" || note "$(cat "$tmp/judged")"
	holds "$unknown <= $most * $samples" "hardly any is not known ($unknown)"
	holds "$nameless <= $gone * $samples" "functions have names, but for code that is freed at once ($nameless)"
}
