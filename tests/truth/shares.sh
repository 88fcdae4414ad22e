# SPDX-License-Identifier: GPL-2.0-or-later
# shares.sh: a profile held against what the target says of itself; after tap.sh.
#
# What a target says (mixture.h, work-and-nap.c), as "truth NAME VALUE", in percent:
#   self-F    CPU time in F itself          total-F   CPU time in F and what it calls
#   split-F   what F takes of the time of all functions that have such a line
#   most-F    what a profile may show in F at most: less is not wrong

# deviations TRUTH FOLDED: for each of these lines, "NAME TRUTH SHOWN DEVIATION", the largest
# deviation first. FOLDED has a thread's name, then functions, outermost first.
deviations() {
	awk '
		FILENAME == ARGV[1] {
			if ($1 == "truth" && $2 ~ /^(self|total|split|most)-/)
				wanted[$2] = $3
			next
		}
		{
			weight = $NF
			all += weight
			sub(/ [^ ]*$/, "")
			frames = split($0, frame, ";")
			split("", seen)
			for (i = 2; i <= frames; i++)
				if (!(frame[i] in seen)) {
					seen[frame[i]]
					total[frame[i]] += weight
				}
			self[frame[frames]] += weight
		}
		END {
			for (name in wanted)
				if (name ~ /^split-/)
					both += total[substr(name, 7)]
			for (name in wanted) {
				kind = function_name = name
				sub(/-.*/, "", kind)
				sub(/^[a-z]*-/, "", function_name)
				amount = (kind == "self" ? self[function_name] : total[function_name]) + 0
				base = kind == "split" ? both : all
				shown = base > 0 ? 100 * amount / base : 0
				off = shown - wanted[name]
				if (kind == "most" && off < 0)
					off = 0
				size = off < 0 ? -off : off
				printf "%.4f %s %.2f %.2f %+.2f\n", size, name, wanted[name], shown, off
			}
		}' "$1" "$2" | sort -k1,1nr -k2 | cut -d' ' -f2-
}

# folded_by_perf DATA: what perf recorded with call chains, as folded stacks. cproftop has no
# frames of the kernel: its time belongs to the function that called it, here too. Addresses
# of the kernel are in the upper half.
folded_by_perf() {
	perf script -i "$1" -F ip,sym --no-inline 2>/dev/null | awk '
		function flush() {
			if (stack != "")
				count["perf" stack]++
			stack = ""
		}
		/^$/ { flush(); next }
		length($1) == 16 && $1 ~ /^ffff/ { next }
		{ sub(/^[ \t]*[0-9a-f]+ /, ""); gsub(/;/, ":"); stack = ";" $0 stack }
		END { flush(); for (stack in count) print stack, count[stack] }'
}

# clock_and_cpu PID: seconds since the machine's start, and nanoseconds of CPU time of all
# threads so far.
clock_and_cpu() {
	cut -d' ' -f1 /proc/uptime | tr '\n' ' '
	awk '{ cpu += $1 } END { printf "%.0f\n", cpu }' /proc/"$1"/task/*/schedstat
}

# perf_of_expected DATA HZ BEGIN END: the samples between two moments (of clock_and_cpu) in
# percent of CPU time x frequency. DATA is by the monotonic clock.
perf_of_expected() {
	perf script -i "$1" -F time 2>/dev/null | awk -v hz="$2" -v begin="$3" -v end="$4" '
		BEGIN { split(begin, b); split(end, e) }
		$1 + 0 >= b[1] && $1 + 0 < e[1] { samples++ }
		END {
			if (e[2] > b[2])
				printf "%.1f", 100 * samples / ((e[2] - b[2]) / 1e9 * hz)
		}'
}

# of_expected JSON: samples in percent of CPU time x frequency.
of_expected() {
	awk -v samples="$(stat_field "$1" samples)" -v ns="$(stat_field "$1" cpu_ns_kernel)" \
		-v hz="$(stat_field "$1" frequency_hz)" \
		'BEGIN { if (ns * hz > 0) printf "%.1f", 100 * samples / (ns / 1e9 * hz) }'
}

# believable TRUTH: the parts of a mixture cost in a turn what they cost alone.
believable() {
	awk '$2 == "additive" && ($3 < 94 || $3 > 104) { odd = 1 } END { exit odd }' "$1"
}

# start_load N: N busy loops, until the test ends, or end_load.
start_load() {
	load=
	for _ in $(seq "$1"); do
		start_quietly sh -c 'while :; do :; done'
		load="$load $pid"
	done
}

end_load() {
	for pid in $load; do
		end_target "$pid"
	done
	load=
}

# share_as WHOM: where records and targets of this user are: sets $run_as (a command prefix),
# $run_in (a folder) with $run_cproftop in it. WHOM is root (whoever we are) or nobody.
share_as() {
	run_as=
	[ "$1" = nobody ] && run_as="setpriv --reuid=65534 --regid=65534 --clear-groups"
	run_in=$tmp/as-$1
	[ -d "$run_in" ] || {
		chmod 755 "$tmp"
		mkdir -m 777 "$run_in"
		cp "$targets/work-and-call" "$targets/work-and-fault" \
			"$targets/work-and-nap" "$targets/mispredicted" "$run_in"
	}
}

# start_shared TARGET ARGUMENT...: a target as that user; sets $pid.
start_shared() {
	shared_name=$1
	shift
	# shellcheck disable=SC2086 # a prefix of words
	start_quietly $run_as "$run_in/$shared_name" "$@"
	wait_until 20 grep -q '^ready' "$tmp/$pid.out" || {
		echo "Bail out! target $shared_name did not start"
		exit 99
	}
	sleep 0.5 # it first finds out how long its blocks are to be
}

# record_shared PROGRAM NAME PID HZ SECONDS: into $run_in/NAME.folded and .json. At 99 Hz as
# everybody records, else without budgets. An unprivileged user's PROGRAM is a copy, so that
# folders need not be open to all.
record_shared() {
	cp "$1" "$run_in/$2.program" 2>/dev/null
	budgets=$unlimited
	[ "$4" -gt 99 ] || budgets=
	# shellcheck disable=SC2086
	$run_as "$run_in/$2.program" record -q -p "$3" -F "$4" -d "$5" $budgets --inlines fold \
		--weight cpu -f folded -o "$run_in/$2.folded" --stats "$run_in/$2.json"
}
