#compdef cproftop
# SPDX-License-Identifier: GPL-2.0-or-later
# zsh completion for cproftop, printed by "cproftop --completion zsh".

# Five fields, apart by tabs: command, spellings of an option, name of its value, values, help.
# A command's own row has no spelling, but what it works on, and words.
_cproftop_rows=( \
@ROWS@
)

_cproftop_processes() {
	local -a names
	names=(${(f)"$(ps -u $UID -o comm= 2>/dev/null)"})
	compadd -X process -a names
}

# Those of other terminals, too, which _pids leaves out.
_cproftop_pids() {
	local -a lines pids
	lines=(${(f)"$(ps -u $UID -o pid=,comm= 2>/dev/null)"})
	lines=(${lines##[[:space:]]#})
	pids=(${lines%% *})
	compadd -X process -d lines -a pids
}

_cproftop_commands() {
	local -a commands
	local row
	local -a field
	for row in $_cproftop_rows; do
		field=("${(@ps:\t:)row}")
		[[ -z $field[2] ]] && commands+=("$field[1]:$field[5]")
	done
	_describe command commands
}

# By $first, $operands and $operand_words of _cproftop, since _arguments has arguments of its own.
_cproftop_operands() {
	local -a kinds=(${=operands}) offered=(${=operand_words})
	local failed=1
	(( CURRENT == first )) && _cproftop_commands && failed=0
	(( $#offered )) && compadd -a offered && failed=0
	(( $kinds[(Ie)NAME] )) && _cproftop_processes && failed=0
	(( $kinds[(Ie)FILE] || $kinds[(Ie)OLD] )) && _files && failed=0
	return failed
}

_cproftop() {
	local row spelling action operands operand_words
	local -a field specs
	local command=top first=2
	local at=${words[(i)--]}
	# Behind "--" another command begins: its own completion takes over.
	if (( at < CURRENT )); then
		shift $at words
		(( CURRENT -= at ))
		_normal
		return
	fi
	if (( CURRENT > 2 )) && [[ -n ${(M)_cproftop_rows:#$words[2]$'\t'*} ]]; then
		command=$words[2] first=0
		shift words
		(( CURRENT -= 1 ))
	fi
	for row in $_cproftop_rows; do
		field=("${(@ps:\t:)row}")
		[[ $field[1] == $command ]] || continue
		if [[ -z $field[2] ]]; then
			operands=$field[3] operand_words=$field[4]
			continue
		fi
		case $field[3] in
		PID) action=_cproftop_pids ;;
		FILE) action=_files ;;
		DIR) action='_files -/' ;;
		CMD) action=_command_names ;;
		*) action="(${field[4]})" ;;
		esac
		for spelling in ${=field[2]}; do
			[[ -n $field[3] && $spelling == --* ]] && spelling+='='
			[[ -n $field[3] && $spelling == -? ]] && spelling+='+'
			specs+=("*${spelling}[${${field[5]//\[/\\[}//\]/\\]}]${field[3]:+:$field[3]:$action}")
		done
	done
	_arguments -s : $specs '*: :_cproftop_operands'
}

# Loaded by compinit from a folder of functions, or by "source".
if [[ $funcstack[1] == _cproftop ]]; then
	_cproftop "$@"
else
	compdef _cproftop cproftop
fi
