# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion for cproftop, printed by "cproftop --completion fish".

# Five fields, apart by tabs: command, spellings of an option, name of its value, values, help.
# A command's own row has no spelling, but what it works on, and words.
set -g __cproftop_rows \
@ROWS@

# The line so far is of this command, and not behind "--".
function __cproftop_is -a command
	set -l line (commandline -opc)
	set -l is top
	if set -q line[2]; and contains -- $line[2] $__cproftop_commands
		set is $line[2]
	end
	test $is = $command; and not contains -- -- $line
end

function __cproftop_begins
	test (count (commandline -opc)) = 1
end

function __cproftop_launches
	contains -- -- (commandline -opc)
end

# What comes behind "--" is completed as a line of its own.
function __cproftop_launched
	set -l line (commandline -opc)
	set -l at (contains -i -- -- $line)
	complete -C (string join ' ' -- (string escape -- $line[(math $at + 1)..]) (commandline -ct))
end

function __cproftop_processes
	ps -u (id -u) -o comm= 2>/dev/null
end

set -g __cproftop_commands
complete -c cproftop -f
complete -c cproftop -n __cproftop_launches -x -a '(__cproftop_launched)'
for row in $__cproftop_rows
	set -l field (string split \t -- $row)
	set -l here -c cproftop -n "__cproftop_is $field[1]"
	if test -z "$field[2]"
		set -a __cproftop_commands $field[1]
		complete -c cproftop -n __cproftop_begins -a $field[1] -d "$field[5]"
		test -n "$field[4]"; and complete $here -a "$field[4]"
		string match -qr '\bNAME\b' -- $field[3]; and complete $here -a '(__cproftop_processes)'
		string match -qr '\b(FILE|OLD)\b' -- $field[3]; and complete $here -F
		continue
	end
	set -l spelt
	for spelling in (string split ' ' -- $field[2])
		if string match -qr -- '^--' $spelling
			set -a spelt -l (string sub -s 3 -- $spelling)
		else
			set -a spelt -s (string sub -s 2 -- $spelling)
		end
	end
	set -l value
	switch "$field[3]"
		case ''
		case PID
			set value -x -a '(__fish_complete_pids)'
		case FILE
			set value -r -F
		case DIR
			set value -x -a '(__fish_complete_directories)'
		case CMD
			set value -x -a '(__fish_complete_command)'
		case '*'
			set value -x -a "$field[4]"
	end
	complete $here $spelt $value -d "$field[5]"
end
