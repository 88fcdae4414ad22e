# SPDX-License-Identifier: GPL-2.0-or-later
# rights.sh: which rights processes have, after tap.sh.

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
