# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for cproftop, printed by "cproftop --completion bash".

# Five fields, apart by tabs: command, spellings of an option, name of its value, values, help.
# A command's own row has no spelling, but what it works on, and words.
_cproftop_rows=( \
@ROWS@
)

# _cproftop_find COMMAND [OPTION]: set value and words to those of that row.
_cproftop_find() {
	local row command spellings
	for row in "${_cproftop_rows[@]}"; do
		# Not by IFS: several tabs would be one.
		command=${row%%$'\t'*} row=${row#*$'\t'}
		spellings=${row%%$'\t'*} row=${row#*$'\t'}
		[[ $command == "$1" && " $spellings " == *" ${2-} "* ]] || continue
		value=${row%%$'\t'*} row=${row#*$'\t'}
		words=${row%%$'\t'*}
		return
	done
	return 1
}

_cproftop_offer() {
	local found
	mapfile -t found < <(compgen "$@" -- "$word")
	COMPREPLY+=("${found[@]}")
}

_cproftop_offer_files() {
	compopt -o filenames 2>/dev/null
	_cproftop_offer "$1"
}

_cproftop_offer_value() {
	case $value in
	PID) _cproftop_offer -W "$(ps -u "$(id -u)" -o pid= 2>/dev/null)" ;;
	FILE) _cproftop_offer_files -f ;;
	DIR) _cproftop_offer_files -d ;;
	CMD) _cproftop_offer -c ;;
	*) _cproftop_offer -W "$words" ;;
	esac
}

_cproftop() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local commands command=top value words row i
	COMPREPLY=()
	commands=$(printf '%s\n' "${_cproftop_rows[@]%%$'\t'*}" | uniq)
	# bash makes three words of --option=value.
	[[ $word == = ]] && word=
	[[ $before == = ]] && before=${COMP_WORDS[COMP_CWORD - 2]}
	[[ $COMP_CWORD -gt 1 && " ${commands//$'\n'/ } " == *" ${COMP_WORDS[1]} "* ]] && command=${COMP_WORDS[1]}
	# Behind "--" another command begins: its own completion takes over.
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			if declare -F _command_offset >/dev/null; then
				_command_offset $((i + 1))
			elif ((i + 1 == COMP_CWORD)); then
				_cproftop_offer -c
			else
				_cproftop_offer_files -f
			fi
			return
		fi
	done
	if [[ $before == -* ]] && _cproftop_find "$command" "$before" && [[ -n $value ]]; then
		_cproftop_offer_value
	elif [[ $word == -* ]]; then
		for row in "${_cproftop_rows[@]}"; do
			[[ $row == "$command"$'\t'* ]] || continue
			row=${row#*$'\t'}
			_cproftop_offer -W "${row%%$'\t'*}"
		done
	else
		_cproftop_find "$command" ''
		[[ $COMP_CWORD == 1 ]] && _cproftop_offer -W "$commands"
		_cproftop_offer -W "$words"
		[[ " $value " == *' NAME '* ]] && _cproftop_offer -W "$(ps -u "$(id -u)" -o comm= 2>/dev/null)"
		[[ " $value " =~ \ (FILE|OLD)\  ]] && _cproftop_offer_files -f
	fi
}

complete -F _cproftop cproftop
