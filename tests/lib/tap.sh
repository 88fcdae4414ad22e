# SPDX-License-Identifier: GPL-2.0-or-later
# tap.sh: what the shell tests share. Source it first:  . "$srcdir/tests/lib/tap.sh"
#
# A test says plan N, then calls ok, is, within, holds or skip N times (or done_testing at its end); what went wrong is printed
# as a "# ..." line. $tmp is a folder of its own. Every process started with start_target or
# start_quietly is ended by its pid when the test ends, however it ends.

srcdir=$(cd "${srcdir:-.}" && pwd)
XDG_CONFIG_HOME=/nonexistent # the settings of whoever runs the tests are not ours
export XDG_CONFIG_HOME
builddir=$(cd "${builddir:-.}" && pwd) # tmux starts what it runs in a folder of its own
targets=$builddir/tests/targets
cproftop=$builddir/cproftop
# For a test that samples fast because it wants many samples, whatever they cost.
unlimited="--max-overhead none --max-cpu none"
tests_run=0
started=

tmp=$(mktemp -d "${TMPDIR:-/tmp}/cproftop-test.XXXXXX") || exit 99

end_test() {
	status=$?
	trap '' EXIT HUP INT TERM
	for pid in $started; do
		kill -KILL "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	rm -rf "$tmp"
	exit $status
}
trap end_test EXIT
trap 'exit 99' HUP INT TERM

plan() {
	echo "1..$1"
}

# done_testing: the plan at the end, for tests too many to count; a test that does not come
# this far has no plan, which is an error.
done_testing() {
	echo "1..$tests_run"
}

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

# note TEXT...: for whoever reads the log.
note() {
	printf '%s\n' "$*" | sed 's/^/# /'
}

# explain TEXT...: why a result is bad; fails, so that the caller may say more.
explain() {
	note "$@"
	return 1
}

# report STATUS NAME: one result.
report() {
	tests_run=$((tests_run + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tests_run - $2"
	else
		echo "not ok $tests_run - $2"
	fi
	return "$1"
}

# ok NAME COMMAND...: the command succeeds.
ok() {
	ok_name=$1
	shift
	"$@" >"$tmp/ok.out" 2>&1
	ok_status=$?
	report "$ok_status" "$ok_name" ||
		explain "failed ($ok_status): $*
$(head -20 "$tmp/ok.out")"
}

# is GOT WANTED NAME
is() {
	[ "$1" = "$2" ]
	report $? "$3" || explain "got '$1', wanted '$2'"
}

# within GOT WANTED TOLERANCE NAME: numbers; a missing one fails.
within() {
	awk -v got="$1" -v wanted="$2" -v tolerance="$3" '
		function number(x) { return x ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ }
		BEGIN {
			difference = got - wanted
			if (difference < 0)
				difference = -difference
			exit !(number(got) && number(wanted) && difference <= tolerance)
		}'
	report $? "$4" || explain "got '$1', wanted $2 +- $3"
}

# holds EXPRESSION NAME: an awk condition over numbers, as "3.5 < 4"; a missing one is a
# syntax error, which fails.
holds() {
	awk "BEGIN { exit !($1) }" </dev/null 2>/dev/null
	report $? "$2" || explain "does not hold: $1"
}

# skip COUNT REASON
skip() {
	skip_left=$1
	while [ "$skip_left" -gt 0 ]; do
		tests_run=$((tests_run + 1))
		echo "ok $tests_run # SKIP $2"
		skip_left=$((skip_left - 1))
	done
}

# at_best COMMAND...: true if one of three tries is. For what a loaded machine may spoil: that
# is different every time, and what is wrong by itself is wrong every time.
at_best() {
	"$@" || "$@" || "$@"
}

# lasting SHORT LONG: how long, or how often. Before a commit a test looks for SHORT, in check-all (THOROUGH) for LONG.
lasting() {
	if [ -n "${THOROUGH:-}" ]; then
		echo "$2"
	else
		echo "$1"
	fi
}

# longer_each COMMAND...: true if one of three tries is, in recordings of $seconds: each time longer, for a machine that is busy.
longer_each() {
	for seconds in $(lasting "1 3 9" "3 9 9"); do
		"$@" && return
	done
	return 1
}

# is_sanitized: is this a sanitizer's build, which takes several times as much CPU time?
is_sanitized() {
	nm -D "$cproftop" 2>/dev/null | grep -q __asan_init
}

# straced COMMAND...: strace, in COMMAND, watches cproftop. In a sanitizer build LeakSanitizer
# would fail it at its end: it cannot work in a process that is traced.
straced() {
	ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 "$@"
}

# wait_until SECONDS COMMAND...: try ten times a second until it succeeds. SECONDS is more than an idle
# machine needs; a busy one has three times as long, which only a real fault takes.
wait_until() {
	tries_left=$(($1 * 30))
	shift
	until "$@" >/dev/null 2>&1; do
		tries_left=$((tries_left - 1))
		[ "$tries_left" -gt 0 ] || return 1
		sleep 0.1
	done
}

# start_quietly COMMAND...: in the background, output in $tmp/PID.out; sets $pid.
start_quietly() {
	sh -c 'exec >"$0/$$.out" 2>&1 </dev/null; exec "$@"' "$tmp" "$@" &
	pid=$!
	started="$started $pid"
}

# tracer_of RECORDING: the process that samples.
tracer_of() {
	for child in $(cat "/proc/$1/task/"*/children 2>/dev/null); do
		[ "$(cat "/proc/$child/comm" 2>/dev/null)" = cproftop-traces ] && echo "$child" && return
	done
	false
}

# task_field PID NAME: a field of status, for every thread, one per line.
task_field() {
	sed -n "s/^$2:[ \t]*//p" /proc/"$1"/task/*/status 2>/dev/null
}

# start_target NAME ARGUMENT...: a program of tests/targets, when it says it is ready; sets
# $pid. Exits the test if it does not come up.
start_target() {
	target_name=$1
	shift
	start_quietly "$targets/$target_name" "$@"
	wait_until 20 grep -q '^ready' "$tmp/$pid.out" || {
		echo "Bail out! target $target_name did not start"
		exit 99
	}
}

# end_target PID: ask it to end and wait; its last words are then in $tmp/PID.out.
end_target() {
	kill -TERM "$1" 2>/dev/null
	wait "$1" 2>/dev/null
	end_status=$?
	left=
	for one in $started; do
		[ "$one" = "$1" ] || left="$left $one"
	done
	started=$left
	return $end_status
}

# truth PID NAME: a number that the target printed when it ended.
truth() {
	awk -v name="$2" '$1 == "truth" && $2 == name { print $3 }' "$tmp/$1.out"
}

# stat_field FILE NAME: a number of a --stats file (one JSON object, flat).
stat_field() {
	tr ',{}' '\n\n\n' <"$1" | awk -F: -v name="\"$2\"" '
		{ key = $1; gsub(/[ \t]/, "", key) }
		key == name { gsub(/[ \t]/, "", $2); print $2; exit }'
}

# folded_share FILE PATTERN: percent of the weight in lines whose stack matches.
folded_share() {
	awk -v pattern="$2" '
		{ weight = $NF; all += weight; stack = $0; sub(/ [^ ]*$/, "", stack) }
		stack ~ pattern { some += weight }
		END { if (all > 0) printf "%.2f\n", 100 * some / all }' "$1"
}
