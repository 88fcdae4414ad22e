# SPDX-License-Identifier: GPL-2.0-or-later
# screen.sh: the real screen in a real terminal, which is tmux's. Source it after tap.sh.
#
# One terminal at a time, on a tmux server of its own, in the folder $tmp. What it
# ran has left its exit status in $tmp/status.

tmux_servers=0
tmux_server=cproftop-$$

screen_tmux() {
	HOME=$tmp LC_ALL=C.UTF-8 tmux -u -L "$tmux_server" -f /dev/null "$@"
}

# screen_start COLUMNS ROWS COMMAND: a shell command.
screen_start() {
	screen_columns=$1 screen_rows=$2
	rm -f "$tmp/status"
	# The server before may still be ending, and would take the new session along.
	tmux_servers=$((tmux_servers + 1))
	tmux_server=cproftop-$$-$tmux_servers
	screen_tmux new-session -d -x "$screen_columns" -y "$screen_rows" -c "$tmp" \
		"TERM=tmux-256color; export TERM; cd '$tmp'; $3 2>'$tmp/screen.err'; echo \$? >'$tmp/status'"
}

screen_text() {
	screen_tmux capture-pane -p
}

# press KEY...: by tmux's names.
press() {
	screen_tmux send-keys "$@"
}

# type_text TEXT: as it is.
type_text() {
	screen_tmux send-keys -l "$1"
}

is_shown() {
	screen_text 2>/dev/null | grep -qF -e "$1"
}

is_not_shown() {
	! is_shown "$1"
}

# shows TEXT NAME: it comes, in twenty seconds at most; the screen is told if it does not.
shows() {
	wait_until 20 is_shown "$1"
	report $? "$2" || explain "no '$1' in:
$(screen_text)"
}

hides() {
	wait_until 20 is_not_shown "$1"
	report $? "$2" || explain "still '$1' in:
$(screen_text)"
}

# leaves STATUS NAME: the program ends by itself.
leaves() {
	wait_until 20 test -s "$tmp/status"
	is "$(cat "$tmp/status" 2>/dev/null)" "$1" "$2"
	screen_end
}

screen_end() {
	screen_tmux kill-server 2>/dev/null
	return 0
}
trap 'screen_saved=$?; screen_end; (exit $screen_saved); end_test' EXIT
