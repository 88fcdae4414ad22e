# SPDX-License-Identifier: GPL-2.0-or-later
# profiles.sh: profiles as tables, which can be compared with what other programs read in
# them. Source it after tap.sh.

# same A B NAME: both files have the same bytes, and there are some.
same() {
	[ -s "$1" ] && cmp -s "$1" "$2"
	report $? "$3" || explain "$(diff "$1" "$2" | head -20 | cut -c 1-160)"
}

# pprof ARGUMENT...: without a person's settings, and without a look at this machine's files.
# What it complains about when it fails becomes output.
pprof() {
	HOME=$tmp PPROF_TMPDIR=$tmp go tool pprof -symbolize=none "$@" 2>"$tmp/pprof.err" ||
		cat "$tmp/pprof.err"
}

# top_table UNIT: of pprof -top, "SELF<TAB>TOTAL<TAB>NAME" for each function. Values are whole
# and have UNIT behind them, or nothing if they are 0; in names ';' is ':', as in folded stacks.
top_table() {
	awk -v unit="$1" '
		table {
			self = $1; total = $4
			sub(unit "$", "", self); sub(unit "$", "", total)
			match($0, /^ *[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+  /)
			name = substr($0, RLENGTH + 1)
			sub(/ \(inline\)$/, "", name)
			gsub(/;/, ":", name)
			printf "%s\t%s\t%s\n", self, total, name
		}
		$1 == "flat" { table = 1 }' | sort
}

# by_function FIRST: the same of folded stacks, recursion counted once. The functions of a
# line begin at FIRST: 2 after a thread.
by_function() {
	awk -v first="$1" '{
		weight = $NF
		sub(/ [0-9]+$/, "")
		n = split($0, frame, ";")
		if (n >= first)
			self[frame[n]] += weight
		split("", seen)
		for (i = first; i <= n; i++)
			if (!seen[frame[i]]++)
				total[frame[i]] += weight
	}
	END {
		for (name in total)
			printf "%d\t%d\t%s\n", self[name], total[name], name
	}' | sort
}

# by_pprof UNIT FILE: "NAME,SELF,TOTAL" of its -top; UNIT is behind what is not 0.
by_pprof() {
	pprof -top -nodefraction=0 -nodecount=1000 -unit="$1" "$2" | top_table "$1" |
		awk -F'\t' '$2 { print $3 "," $1 "," $2 }' | sort
}

# by_us FILE: the same of ours; no name in it needs quotes.
by_us() {
	"$cproftop" report -f csv "$1" | awk -F, 'NR > 1 && $3 { print $5 "," $1 "," $3 }' | sort
}
