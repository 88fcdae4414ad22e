# SPDX-License-Identifier: GPL-2.0-or-later
# harm.sh: what the tests of harmlessness share, after tap.sh.

# is_free PID: nobody traces any thread of it, and none is stopped.
is_free() {
	[ -d "/proc/$1" ] && ! task_field "$1" TracerPid | grep -qv '^0$' &&
		! task_field "$1" State | grep -q '^[Tt]'
}

# is_stopped PID: every thread of it is, by a signal, and nobody traces any. One that a tracer
# lets go of in a group-stop wakes up for a moment to stop again.
is_stopped() {
	[ -d "/proc/$1" ] && ! task_field "$1" State | grep -qv '^T' &&
		! task_field "$1" TracerPid | grep -qv '^0$'
}

# units FILE: the number that targets/counter counts in FILE.
units() {
	od -An -tu8 "$1" | tr -d ' '
}

# counts_on FILE: the counter that writes FILE gets on; waits up to 20 s.
counts_on() {
	units_before=$(units "$1")
	wait_until 20 sh -c "[ \"\$(od -An -tu8 $1 | tr -d \" \")\" -gt $units_before ]"
}

# runs_free PID FILE: both.
runs_free() {
	wait_until 20 is_free "$1" && counts_on "$2"
}

# profile PID ARGUMENT...: record it, output in $tmp/profile.*.
profile() {
	profile_pid=$1
	shift
	"$cproftop" record -p "$profile_pid" -f folded -o "$tmp/profile.folded" \
		--stats "$tmp/profile.json" "$@" 2>"$tmp/profile.err"
}

# some_ms MIN MAX: a random time, as seconds.
some_ms() {
	awk -v min="$1" -v max="$2" -v seed="$(od -An -N4 -tu4 /dev/urandom)" \
		'BEGIN { srand(seed); printf "%.3f\n", (min + rand() * (max - min)) / 1000 }'
}
