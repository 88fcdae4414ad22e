/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/unwind/unwind-row.h"

#include <string.h>

enum {
	SP_BEYOND_CFA_MAX = 1 << 20, /* 65535 local variables of Java's */
};

enum {
	WHERE_REGISTER = 3,
};

/* What a state of libunwind is (1.6; the register state in include/dwarf.h there): behind the
   registers the one that the CFA counts from, and its offset. */
struct state {
	uint64_t return_column;
	uint8_t where[ARCH_UNWIND_COLUMNS + 2];
	uint64_t values[ARCH_UNWIND_COLUMNS + 2];
};

bool unwind_state_is_sound(const void *bytes, size_t size)
{
	struct state state;
	if (size != sizeof(state))
		return true;
	memcpy(&state, bytes, sizeof(state));
	for (unsigned i = 0; i <= ARCH_UNWIND_COLUMNS; i++)
		if (state.where[i] == WHERE_REGISTER &&
			state.values[i] >= ARCH_UNWIND_COLUMNS)
			return false;
	return state.return_column < ARCH_UNWIND_COLUMNS;
}

/* The value of a register in the probe. The values are not addresses, lie farther apart
   than any offset, and do not have the bit that marks answers of memory. */
static uint64_t probe_value(unsigned number)
{
	return (uint64_t)(number + 1) << 56 | UINT64_C(1) << 54;
}

static bool offset_from(uint64_t base, uint64_t value, int32_t *offset)
{
	*offset = (int32_t)(value - base);
	return value - base == (uint64_t)(int64_t)*offset;
}

static bool decode_cfa(struct unwind_row *row, uint64_t cfa)
{
	for (unsigned i = 0; i < ARCH_REGISTERS; i++) {
		row->cfa_register = (uint8_t)i;
		if (offset_from(probe_value(i), cfa, &row->cfa_offset))
			return true;
	}
	return false;
}

/* A return address cannot be saved above the CFA. The table of glibc's resolver for aarch64
   (_dl_runtime_resolve) has it there: it does not count the two words that the PLT has pushed. */
static void raise_cfa(struct unwind_row *row)
{
	int32_t above = row->slots[ARCH_RETURN] + (int32_t)sizeof(uint64_t);
	if (!(row->saved & arch_bit(ARCH_RETURN)) || above <= 0)
		return;
	row->cfa_offset += above;
	for (arch_set rest = row->saved; rest; rest &= rest - 1)
		row->slots[__builtin_ctzll(rest)] -= above;
}

/* Does VALUE say that the return address was moved to a register, and not register 0? */
static bool find_moved(struct unwind_row *row, uint64_t value)
{
	for (unsigned i = 1; i < ARCH_REGISTERS && !row->moved_to; i++)
		if (!ARCH_CALL_PUSHES && value == probe_value(i))
			row->moved_to = (uint8_t)i;
	return row->moved_to;
}

bool unwind_row_decode(struct unwind_row *row, unw_addr_space_t as, const void *state)
{
	*row = (struct unwind_row){0};
	struct unwind_walk walk = {.is_probe = true};
	for (unsigned i = 0; i < ARCH_REGISTERS; i++)
		walk.registers.values[i] = probe_value(i);
	walk.registers.known = ARCH_ALL;

	unw_cursor_t cursor;
	if (unw_init_remote(&cursor, as, &walk) != 0)
		return false;
	int status = unw_apply_reg_state(&cursor, (void *)state);
	if (status < 0)
		return false;
	row->is_root = status == 0;
	unw_word_t cfa, value;
	if (unw_get_reg(&cursor, (int)arch_sp, &cfa) != 0 || !decode_cfa(row, cfa))
		return false;
	for (unsigned i = 0; i < ARCH_REGISTERS; i++) {
		if (i == arch_sp || (i == arch_pc && i != ARCH_RETURN))
			continue;
		if (unw_get_reg(&cursor, unwind_number(i), &value) != 0)
			row->lost |= arch_bit(i);
		else if (value & UNWIND_PROBE_MEMORY)
			row->saved |= arch_bit(i);
		else if (value != probe_value(i) && value != 0 && /* riscv64's x0 */
			 !(i == ARCH_RETURN && find_moved(row, value)))
			return false; /* in another register */
		if ((row->saved & arch_bit(i)) &&
			!offset_from(cfa, value & ~UNWIND_PROBE_MEMORY, &row->slots[i]))
			return false;
	}
	row->in_register =
		!ARCH_CALL_PUSHES && !((row->saved | row->lost) & arch_bit(ARCH_RETURN));
	if (!ARCH_CALL_PUSHES)
		raise_cfa(row);
	return row->is_root || unwind_row_returns(row);
}

static uint64_t caller_sp(
	const struct unwind_row *row, struct unwind_walk *walk, uint64_t cfa)
{
	uint64_t sp;
	if (row->sp_slot &&
		unwind_walk_stack(walk, cfa + (uint64_t)(int64_t)row->sp_slot, &sp) &&
		sp > cfa && sp - cfa < SP_BEYOND_CFA_MAX)
		return sp;
	return cfa;
}

/* The caller's stack pointer, from which ROW counts. If the stack pointer is not known, as after
   steps by frame pointers, the frame pointer points to where the caller's is saved, with the
   return address above it. */
static bool find_cfa(const struct unwind_row *row, const struct arch_registers *registers,
	uint64_t *cfa)
{
	arch_set record = arch_bit(arch_fp) | arch_bit(ARCH_RETURN);
	unsigned base = row->cfa_register;
	*cfa = registers->values[base] + (uint64_t)row->cfa_offset;
	if (registers->known & arch_bit(base))
		return true;
	*cfa = registers->values[arch_fp] - (uint64_t)row->slots[arch_fp];
	return base == arch_sp && (registers->known & arch_bit(arch_fp)) &&
	       registers->values[arch_fp] >= registers->values[arch_sp] &&
	       (row->saved & record) == record &&
	       row->slots[ARCH_RETURN] - row->slots[arch_fp] == (int32_t)sizeof(*cfa);
}

static bool find_return(const struct unwind_row *row, struct unwind_walk *walk,
	uint64_t cfa, uint64_t *return_pc, enum unwind_end *end)
{
	unsigned from = row->moved_to ? row->moved_to : ARCH_RETURN;
	*end = UNWIND_NO_REGISTER;
	walk->missing = from;
	*return_pc = walk->registers.values[from];
	if (row->in_register)
		return walk->registers.known & arch_bit(from);
	if (unwind_walk_stack(walk, cfa + (uint64_t)row->slots[ARCH_RETURN], return_pc))
		return true;
	*end = walk->fault;
	return false;
}

bool unwind_row_step(
	const struct unwind_row *row, struct unwind_walk *walk, enum unwind_end *end)
{
	if (row->is_root) {
		*end = UNWIND_ROOT;
		return false;
	}
	struct arch_registers *registers = &walk->registers;
	uint64_t cfa, return_pc;
	if (!find_cfa(row, registers, &cfa)) {
		*end = UNWIND_NO_REGISTER;
		walk->missing = row->cfa_register;
		return false;
	}
	if (!find_return(row, walk, cfa, &return_pc, end))
		return false;
	registers->values[arch_sp] = caller_sp(row, walk, cfa);
	registers->known |= arch_bit(arch_sp);
	registers->known &= ~row->lost;
	/* Any other saved register that cannot be read becomes unknown; perhaps it is not
	   needed. */
	for (arch_set rest = row->saved & ~arch_bit(ARCH_RETURN); rest;
		rest &= rest - 1) {
		unsigned i = (unsigned)__builtin_ctzll(rest);
		if (unwind_walk_stack(
			    walk, cfa + (uint64_t)row->slots[i], &registers->values[i]))
			registers->known |= arch_bit(i);
		else
			registers->known &= ~arch_bit(i);
	}
	unwind_walk_return(walk, return_pc);
	return true;
}

bool unwind_state_step(const void *state, unw_addr_space_t as, struct unwind_walk *walk,
	enum unwind_end *end)
{
	unw_cursor_t cursor;
	walk->fault = UNWIND_ROOT;
	/* An expression may loop, so it gets a limited number of reads. */
	uint32_t all = walk->reads_left;
	uint32_t share = all < UNWIND_EXPRESSION_READS ? all : UNWIND_EXPRESSION_READS;
	walk->reads_left = share;
	int status = unw_init_remote(&cursor, as, walk);
	if (status == 0)
		status = unw_apply_reg_state(&cursor, (void *)state);
	else
		status = -UNW_EBADREG;
	walk->reads_left += all - share;
	if (status <= 0) {
		*end = status == 0		    ? UNWIND_ROOT
		       : walk->fault != UNWIND_ROOT ? walk->fault
		       : status == -UNW_EBADFRAME   ? UNWIND_CYCLE
						    : UNWIND_NO_CFI;
		return false;
	}
	struct arch_registers caller = {.known = 0};
	unw_word_t ip;
	for (int i = 0; i < ARCH_REGISTERS; i++) {
		unw_word_t value;
		if (unw_get_reg(&cursor, unwind_number((unsigned)i), &value) != 0)
			continue;
		caller.values[i] = value;
		caller.known |= arch_bit(i);
	}
	walk->registers = caller;
	return unw_get_reg(&cursor, UNW_REG_IP, &ip) == 0 && unwind_walk_return(walk, ip);
}
