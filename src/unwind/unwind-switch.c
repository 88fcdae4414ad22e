/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/unwind/unwind-switch.h"

#include "src/arch/arch-code.h"

#include <string.h>

enum {
	AHEAD_INSNS = 32, /* from a call to the function's return */
};

enum unwind_switch unwind_switch_of(const struct elf_symbol *symbol)
{
	static const struct {
		const char *name;
		enum unwind_switch what;
	} functions[] = {
		{"runtime.asmcgocall", UNWIND_SWITCH_RETURN},
		{"runtime.goexit", UNWIND_SWITCH_ROOT},
		/* What it calls schedules others, and never returns. */
		{"runtime.mcall", UNWIND_SWITCH_ROOT},
		{"runtime.morestack", UNWIND_SWITCH_RESUME},
		{"runtime.mstart", UNWIND_SWITCH_ROOT},
		{"runtime.rt0_go", UNWIND_SWITCH_ROOT},
		{"runtime.systemstack", UNWIND_SWITCH_RETURN},
	};
	for (size_t i = 0; symbol && i < sizeof(functions) / sizeof(*functions); i++) {
		size_t length = strlen(functions[i].name);
		if (strncmp(symbol->name, functions[i].name, length) == 0 &&
			(symbol->name[length] == '\0' ||
				strcmp(symbol->name + length, ".abi0") == 0))
			return functions[i].what;
	}
	return UNWIND_SWITCH_NONE;
}

/* Does INSN set the stack pointer to something else than what it was? */
static bool switches(const struct arch_insn *insn)
{
	return insn->reg == arch_sp &&
	       (insn->effect == ARCH_EFFECT_LOAD ||
		       (insn->effect == ARCH_EFFECT_SET && insn->base != ARCH_NO_REG &&
			       insn->base != arch_sp));
}

/* Before it returns it says which goroutine runs on, in thread-local storage; a way on
   which it does not has never switched. Where it has called something it has not switched
   yet if it calls something else before that. */
uint64_t unwind_switch_back(
	struct unwind_walk *walk, const struct region *region, struct frame frame)
{
	struct arch_insn insn;
	uint64_t pc = frame.pc, back = 0;
	bool is_told = false;
	for (int i = 0; i < AHEAD_INSNS && unwind_walk_insn(walk, region, pc, &insn);
		i++) {
		if (insn.flow == ARCH_FLOW_RETURN)
			return is_told ? back : 0;
		if (insn.flow != ARCH_FLOW_NEXT &&
			(insn.flow != ARCH_FLOW_CALL || !frame.is_activation))
			return 0;
		pc += insn.length;
		is_told |= insn.effect == ARCH_EFFECT_STORE_TLS;
		if (switches(&insn))
			back = pc;
	}
	return 0;
}

bool unwind_switch_step(
	struct unwind_walk *walk, const struct unwind_row *row, enum unwind_end *end)
{
	const struct snapshot *snapshot = walk->snapshot;
	struct arch_registers *registers = &walk->registers;
	*end = UNWIND_ELSEWHERE;
	/* Whoever called morestack may have lost its thread to others. */
	if (row->switches == UNWIND_SWITCH_RESUME && snapshot->link.is_none)
		*end = UNWIND_ROOT;
	if (walk->on_another_stack || snapshot->other_length == 0 ||
		snapshot->link.sp == 0 || snapshot->link.is_away)
		return false;
	registers->known = 1u << arch_pc | 1u << arch_sp | 1u << arch_fp;
	registers->values[arch_pc] = snapshot->link.pc;
	registers->values[arch_sp] = snapshot->link.sp;
	registers->values[arch_fp] = snapshot->link.fp;
	walk->on_another_stack = walk->is_switched = true;
	*end = UNWIND_NO_CFI;
	if (row->switches == UNWIND_SWITCH_RESUME)
		return true;
	return (row->saved & 1u << arch_pc) && unwind_row_step(row, walk, end);
}
