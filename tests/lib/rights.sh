# SPDX-License-Identifier: GPL-2.0-or-later
# rights.sh: what the tests of --confine share, after tap.sh.

# needs_confinement: skip everything where root cannot give up rights.
needs_confinement() {
	[ "$(id -u)" = 0 ] || skip_all "only root has rights to give up"
	grep -q user_notif /proc/sys/kernel/seccomp/actions_avail 2>/dev/null ||
		skip_all "the kernel has no seccomp notifications"
	[ $((0x$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status) >> 19 & 1)) = 1 ] ||
		skip_all "this root may not look into other processes (CAP_SYS_PTRACE)"
}

# below PID: it and all processes below it.
below() {
	echo "$1"
	for child in $(cat /proc/"$1"/task/*/children 2>/dev/null); do
		below "$child"
	done
}

# rights PID: a line for each thread: its name, and what it may do.
rights() {
	for status in /proc/"$1"/task/*/status; do
		awk '$1 == "Name:" { name = $2 } $1 == "Uid:" { uid = $3 } $1 == "CapEff:" { caps = $2 }
			$1 == "NoNewPrivs:" { gain = $2 } $1 == "Seccomp:" { filter = $2 }
			END { print name, uid == 0 ? "root" : uid == 65534 ? "nobody" : "user",
				caps ~ /^0*$/ ? "none" : "capabilities", gain, filter }' "$status"
	done
}

# has_no_rights PID NAME: of the process and all below it only those called NAME... are root, and
# no other has or gains any capability.
has_no_rights() {
	for process in $(below "$1"); do
		rights "$process"
	done >"$tmp/rights"
	filter=2
	if is_sanitized; then
		filter='[02]'
	fi
	shift
	roots=$(sed -n 's/ root .*//p' "$tmp/rights" | sed 's/^sampler.*/sampler/' | sort -u |
		grep -vxF "$(printf '%s\n' "$@")")
	is "$roots" "" "nothing is root but: $*" || note "$(cat "$tmp/rights")"
	is "$(grep -v ' root ' "$tmp/rights" | grep -vc " user none 1 $filter\$")" 0 \
		"all others have no capabilities, and gain none" || note "$(cat "$tmp/rights")"
}
