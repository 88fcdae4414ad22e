/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/unwind/unwind-path.h"

#include "src/arch/arch.h"

void unwind_path_begin(struct unwind_path *path, uint64_t pc)
{
	*path = (struct unwind_path){.pc = pc};
	for (unsigned reg = 0; reg < UNWIND_PATH_REGISTERS; reg++)
		path->registers[reg] =
			(struct unwind_value){UNWIND_VALUE_SUM, (uint8_t)reg, 0};
}

static struct unwind_value plus(struct unwind_value value, int32_t offset)
{
	if (value.kind != UNWIND_VALUE_SUM ||
		__builtin_add_overflow(value.offset, offset, &value.offset))
		return (struct unwind_value){UNWIND_VALUE_UNKNOWN, 0, 0};
	return value;
}

static bool is_initial(const struct unwind_path *path, unsigned reg)
{
	const struct unwind_value *value = &path->registers[reg];
	return value->kind == UNWIND_VALUE_SUM && value->of == reg && value->offset == 0;
}

/* The word at ADDRESS, which may be a register's first value. */
static struct unwind_value load(
	const struct unwind_path *path, struct unwind_value address)
{
	if (address.kind != UNWIND_VALUE_SUM)
		return (struct unwind_value){UNWIND_VALUE_UNKNOWN, 0, 0};
	for (unsigned i = 0; i < path->stores; i++)
		if (address.of == arch_sp && path->store[i].offset == address.offset)
			return (struct unwind_value){
				UNWIND_VALUE_SUM, path->store[i].reg, 0};
	return (struct unwind_value){UNWIND_VALUE_WORD, address.of, address.offset};
}

/* REG is stored at ADDRESS. Only a register that has still its first value is saved. */
static void store(struct unwind_path *path, struct unwind_value address, unsigned reg)
{
	if (address.kind != UNWIND_VALUE_SUM || address.of != arch_sp)
		return;
	for (unsigned i = 0; i < path->stores; i++)
		if (path->store[i].offset == address.offset)
			path->store[i] = path->store[--path->stores];
	if (reg == ARCH_NO_REG || !(arch_preserved & arch_bit(reg)) ||
		!is_initial(path, reg) || path->stores == UNWIND_PATH_STORES)
		return;
	path->store[path->stores].offset = address.offset;
	path->store[path->stores++].reg = (uint8_t)reg;
}

static bool is_same(const struct unwind_value *a, const struct unwind_value *b)
{
	return a->of == b->of && a->offset == b->offset;
}

/* REG was pushed to where the stack pointer points now. What is put back where it came from has not
   changed. */
static void note_push(struct unwind_path *path, unsigned reg)
{
	const struct unwind_value *sp = &path->registers[arch_sp], *value = NULL;
	if (reg < UNWIND_PATH_REGISTERS)
		value = &path->registers[reg];
	bool is_back = value && value->kind == UNWIND_VALUE_WORD && is_same(value, sp);
	if (sp->kind == UNWIND_VALUE_SUM && !is_back)
		path->pushed = *sp;
}

static void apply_load(struct unwind_path *path, const struct arch_insn *insn,
	struct unwind_value address)
{
	struct unwind_value *registers = path->registers;
	struct unwind_value next = load(path, plus(address, UNWIND_PATH_WORD));
	if (insn->reg != ARCH_NO_REG)
		registers[insn->reg] = load(path, address);
	if (insn->reg2 != ARCH_NO_REG)
		registers[insn->reg2] = next;
	if (insn->moved)
		registers[insn->base] = plus(registers[insn->base], insn->moved);
}

static void apply_store(struct unwind_path *path, const struct arch_insn *insn,
	struct unwind_value address)
{
	store(path, address, insn->reg);
	if (insn->reg2 != ARCH_NO_REG)
		store(path, plus(address, UNWIND_PATH_WORD), insn->reg2);
	if (insn->moved)
		path->registers[insn->base] =
			plus(path->registers[insn->base], insn->moved);
}

void unwind_path_apply(struct unwind_path *path, const struct arch_insn *insn)
{
	struct unwind_value *registers = path->registers;
	struct unwind_value *sp = &registers[arch_sp], *fp = &registers[arch_fp];
	struct unwind_value base = {UNWIND_VALUE_UNKNOWN, 0, 0};
	if (insn->base != ARCH_NO_REG)
		base = plus(registers[insn->base], insn->offset);
	switch ((enum arch_effect)insn->effect) {
	case ARCH_EFFECT_NONE:
		break;
	case ARCH_EFFECT_PUSH:
		*sp = plus(*sp, -UNWIND_PATH_WORD);
		note_push(path, insn->reg);
		store(path, *sp, insn->reg);
		break;
	case ARCH_EFFECT_POP:
		base = *sp;
		*sp = plus(*sp, UNWIND_PATH_WORD);
		if (insn->reg != ARCH_NO_REG)
			registers[insn->reg] = load(path, base);
		break;
	case ARCH_EFFECT_SET:
		/* A copy of a word is not needed. */
		registers[insn->reg] = base;
		break;
	case ARCH_EFFECT_LOAD:
		apply_load(path, insn, base);
		break;
	case ARCH_EFFECT_STORE:
		apply_store(path, insn, base);
		break;
	case ARCH_EFFECT_NUMBER:
	case ARCH_EFFECT_LOAD_TLS:
		registers[insn->reg] = (struct unwind_value){UNWIND_VALUE_UNKNOWN, 0, 0};
		break;
	case ARCH_EFFECT_STORE_TLS:
		break;
	case ARCH_EFFECT_LEAVE:
		*sp = plus(*fp, UNWIND_PATH_WORD);
		*fp = load(path, *fp);
		break;
	}
}

bool unwind_path_is_teardown(const struct unwind_path *path, const struct arch_insn *insn)
{
	if (insn->effect == ARCH_EFFECT_LEAVE)
		return is_initial(path, arch_fp);
	const struct unwind_value *sp = &path->registers[arch_sp];
	return insn->effect == ARCH_EFFECT_POP && insn->reg == arch_fp &&
	       sp->kind == UNWIND_VALUE_SUM && sp->of == arch_fp && sp->offset == 0;
}

bool unwind_path_distance(const struct unwind_path *path, unsigned reg, int32_t *distance)
{
	const struct unwind_value *to = &path->registers[reg];
	const struct unwind_value *sp = &path->registers[arch_sp];
	return to->kind == UNWIND_VALUE_SUM && sp->kind == UNWIND_VALUE_SUM &&
	       to->of == sp->of &&
	       !__builtin_sub_overflow(to->offset, sp->offset, distance);
}

void unwind_path_rebase(struct unwind_path *path)
{
	/* No register is a sum of the PC otherwise. */
	path->registers[arch_sp] =
		(struct unwind_value){UNWIND_VALUE_SUM, (uint8_t)arch_pc, 0};
}

static void set_slot(struct unwind_row *row, unsigned reg, int32_t offset)
{
	row->saved |= arch_bit(reg);
	row->slots[reg] = offset;
}

/* ROW has a CFA and the registers saved. Add where the return address is: it was pushed, or is in
   its register, or saved as others are. */
static bool tell_return(const struct unwind_path *path, struct unwind_row *row)
{
	if (ARCH_CALL_PUSHES)
		set_slot(row, ARCH_RETURN, -ARCH_CALL_PUSHES);
	else
		row->in_register = !(row->saved & arch_bit(ARCH_RETURN)) &&
				   is_initial(path, ARCH_RETURN);
	return unwind_row_returns(row);
}

bool unwind_path_row_at_return(
	const struct unwind_path *path, int32_t top, struct unwind_row *row)
{
	struct unwind_value cfa = plus(path->registers[arch_sp], top + ARCH_CALL_PUSHES);
	struct unwind_value slot = plus(cfa, -ARCH_CALL_PUSHES);
	if (path->pushed.kind == UNWIND_VALUE_SUM && is_same(&path->pushed, &slot))
		return false;
	/* Below the stack pointer there is none yet (vfork takes it off, and puts it back). */
	if (cfa.kind != UNWIND_VALUE_SUM ||
		(cfa.of == arch_sp && cfa.offset < ARCH_CALL_PUSHES))
		return false;
	*row = (struct unwind_row){
		.cfa_register = cfa.of,
		.cfa_offset = cfa.offset,
		.is_inferred = true,
	};
	for (unsigned reg = 0; reg < UNWIND_PATH_REGISTERS; reg++) {
		const struct unwind_value *value = &path->registers[reg];
		if (!(arch_preserved & arch_bit(reg)) || is_initial(path, reg))
			continue;
		if (value->kind == UNWIND_VALUE_WORD && value->of == cfa.of)
			set_slot(row, reg, value->offset - cfa.offset);
		else
			row->lost |= arch_bit(reg);
	}
	return tell_return(path, row);
}

/* A register that tells where the stack pointer was at the start of the function: one that
   calls preserve, if the stack pointer was aligned. ARCH_NO_REG if there is none. */
static unsigned find_base(const struct unwind_path *path)
{
	const unsigned first[] = {arch_sp, arch_fp};
	for (unsigned i = 0; i < 2 + UNWIND_PATH_REGISTERS; i++) {
		unsigned reg = i < 2 ? first[i] : i - 2;
		const struct unwind_value *value = &path->registers[reg];
		if ((i < 2 || (arch_preserved & arch_bit(reg))) &&
			value->kind == UNWIND_VALUE_SUM && value->of == arch_sp)
			return reg;
	}
	return ARCH_NO_REG;
}

/* Is store I of a return address, in memory that was not given back? Another way to this place may lead
   past a call, which has changed the register; what was saved is right on either way. */
static bool keeps_return(const struct unwind_path *path, unsigned i)
{
	const struct unwind_value *sp = &path->registers[arch_sp];
	bool is_told = sp->kind == UNWIND_VALUE_SUM && sp->of == arch_sp;
	return !ARCH_CALL_PUSHES && path->store[i].reg == ARCH_RETURN &&
	       (!is_told || path->store[i].offset >= sp->offset);
}

static bool row_from_start(const struct unwind_path *path, struct unwind_row *row)
{
	unsigned base = find_base(path);
	if (base == ARCH_NO_REG)
		return false;
	*row = (struct unwind_row){
		.cfa_register = (uint8_t)base,
		.cfa_offset = ARCH_CALL_PUSHES - path->registers[base].offset,
		.is_inferred = true,
	};
	for (unsigned i = 0; i < path->stores; i++)
		if (!is_initial(path, path->store[i].reg) || keeps_return(path, i))
			set_slot(row, path->store[i].reg,
				path->store[i].offset - ARCH_CALL_PUSHES);
	for (unsigned reg = 0; reg < UNWIND_PATH_REGISTERS; reg++)
		if ((arch_preserved & arch_bit(reg)) && !is_initial(path, reg) &&
			!(row->saved & arch_bit(reg)))
			row->lost |= arch_bit(reg);
	return tell_return(path, row);
}

bool unwind_path_row_from_start(const struct unwind_path *path, struct unwind_row *row)
{
	/* Is the return address taken off the stack, as above? */
	return row_from_start(path, row) &&
	       !(row->cfa_register == arch_sp && row->cfa_offset < ARCH_CALL_PUSHES);
}

bool unwind_path_row_without_sp(const struct unwind_path *path, struct unwind_row *row)
{
	struct unwind_path without = *path;
	without.registers[arch_sp].kind = UNWIND_VALUE_UNKNOWN;
	return unwind_path_row_from_start(&without, row);
}

bool unwind_path_row_on_the_way(const struct unwind_path *path, struct unwind_row *row)
{
	const struct unwind_value *sp = &path->registers[arch_sp];
	bool is_told = sp->kind == UNWIND_VALUE_SUM && sp->of == arch_sp;
	if (!unwind_path_row_from_start(path, row))
		return false;
	for (unsigned i = 0; i < path->stores; i++)
		if (!is_told || path->store[i].offset >= sp->offset)
			set_slot(row, path->store[i].reg,
				path->store[i].offset - ARCH_CALL_PUSHES);
	return tell_return(path, row);
}

bool unwind_path_row_at_jump(const struct unwind_path *path, struct unwind_row *row)
{
	if (!row_from_start(path, row))
		return false;
	for (unsigned i = 0; i < path->stores; i++)
		set_slot(row, path->store[i].reg,
			path->store[i].offset - ARCH_CALL_PUSHES);
	row->lost = arch_preserved & ~arch_bit(arch_sp) & ~row->saved;
	return tell_return(path, row);
}
