/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/unwind/unwind-libunwind.h"

enum {
	CACHED_ROWS = 4096 /* libunwind's default is 128 */
};

unw_addr_space_t unwind_libunwind_accessors(void)
{
	unw_addr_space_t as = unwind_walk_accessors();
	if (as) {
		unw_set_caching_policy(as, UNW_CACHE_GLOBAL);
		unw_set_cache_size(as, CACHED_ROWS, 0);
	}
	return as;
}

/* Where there is no table libunwind tells of one of a single byte, so that a stack may end there. */
static bool has_table(unw_cursor_t *cursor)
{
	unw_proc_info_t info;
	return unw_get_proc_info(cursor, &info) == 0 && info.end_ip - info.start_ip > 1;
}

/* How the stack ended if unw_step returned STATUS. CURSOR is at the frame before that
   step. */
static enum unwind_end end_of(
	unw_cursor_t *cursor, const struct unwind_walk *walk, int status)
{
	enum unwind_end fault = walk->fault;
	if (walk->reads_left == 0)
		return UNWIND_TOO_DEEP;
	if (status == 0)
		return has_table(cursor) ? UNWIND_ROOT : UNWIND_NO_CFI;
	switch (status) {
	case -UNW_ENOINFO:
		return UNWIND_NO_CFI;
	case -UNW_EBADFRAME:
		return UNWIND_CYCLE;
	case -UNW_EBADREG:
		return UNWIND_NO_REGISTER;
	default:
		return fault == UNWIND_ROOT ? UNWIND_BAD_MEMORY : fault;
	}
}

/* What merging the functions of interpreters needs of FRAME, where CURSOR is. */
static void note_registers(unw_cursor_t *cursor, struct frame *frame)
{
	unw_word_t value;
	if (unw_get_reg(cursor, UNW_REG_SP, &value) == 0)
		frame->sp = value;
	for (int i = 0; i < 2; i++)
		if (unw_get_reg(cursor, (unw_regnum_t)arch_kept[i], &value) == 0)
			frame->kept[i] = value;
}

static bool is_code(struct unwind_walk *walk, uint64_t pc)
{
	const struct region *region = address_space_find(walk->space, pc);
	bool is_code = region && (region->permissions & REGION_EXECUTE);
	if (region && !is_code)
		address_space_miss(walk->space, pc);
	return is_code;
}

/* Is FRAME one more, above LAST? A function that has no frame of its own has its caller's. */
static bool is_above(const struct frame *frame, const struct frame *last, bool is_first)
{
	bool is_level = !ARCH_CALL_PUSHES && last->is_activation && frame->sp == last->sp;
	return is_first || frame->sp > last->sp || is_level;
}

/* Where there is no table libunwind guesses. On a processor of which nothing but registers is known it takes
   the register of the return address for right, which it rarely is. */
static bool may_step(unw_cursor_t *cursor)
{
	return ARCH_KNOWS_CODE || has_table(cursor) || unw_is_signal_frame(cursor) > 0;
}

static bool is_in_plt(struct unwind_walk *walk)
{
	enum {
		PLT_BYTES = 16
	};
	uint64_t pc = arch_get_pc(&walk->registers);
	const struct region *region = address_space_find(walk->space, pc);
	unsigned char code[PLT_BYTES];
	struct arch_plt plt;
	bool is_in = false;
	for (uint64_t back = 0; region && back < PLT_BYTES; back += ARCH_INSN_MAX)
		is_in |= unwind_walk_code(walk, region, pc - back, code, sizeof(code)) &&
			 arch_plt_entry(code, sizeof(code), pc - back, &plt);
	return is_in;
}

/* From a leaf without a table to its caller: of the PLT; or of the vdso, if it has saved the return address,
   too, where the frame pointer tells. */
static bool leave_bare_leaf(struct unwind_walk *walk)
{
	struct arch_registers *registers = &walk->registers;
	uint64_t top = registers->values[arch_fp], fp, return_pc;
	uint64_t at = top + (uint64_t)(int64_t)ARCH_FRAME_RECORD;
	bool is_known = !ARCH_KNOWS_CODE && (registers->known & arch_bit(ARCH_RETURN));
	if (is_known && is_in_plt(walk))
		return unwind_walk_return(walk, registers->values[ARCH_RETURN]);
	if (!is_known || at < arch_get_sp(registers) ||
		!unwind_walk_stack(walk, at, &fp) ||
		!unwind_walk_stack(walk, at + sizeof(fp), &return_pc) ||
		return_pc != registers->values[ARCH_RETURN])
		return false;
	registers->values[arch_sp] = top;
	registers->values[arch_fp] = fp;
	return unwind_walk_return(walk, return_pc);
}

void unwind_libunwind(unw_addr_space_t as, struct unwind_table *table,
	struct unwind_callers_known *callers, struct unwind_walk *walk,
	struct callchain *out)
{
	unw_cursor_t cursor, before;
	unw_word_t pc;
	struct frame last = {.pc = arch_get_pc(&walk->registers), .is_activation = true};
	bool is_leaf = true, left_signal = false;
	int status = unw_init_remote(&cursor, as, walk);
	out->end = UNWIND_BAD_MEMORY;
	if (status != 0) /* the leaf is known in any case */
		callchain_add(out, last);
	if (status == 0 && ((!may_step(&cursor) && leave_bare_leaf(walk)) ||
				   unwind_caller_step(callers, table, walk, last))) {
		callchain_add(out, last);
		status = unw_init_remote(&cursor, as, walk);
		is_leaf = false;
	}
	while (status >= 0 && unw_get_reg(&cursor, UNW_REG_IP, &pc) == 0 &&
		(is_code(walk, pc) || is_leaf)) {
		bool is_signal = unw_is_signal_frame(&cursor) > 0;
		struct frame frame = {
			.pc = pc, .is_activation = is_leaf || left_signal || is_signal};
		note_registers(&cursor, &frame);
		bool is_higher = is_above(&frame, &last, is_leaf || left_signal);
		if (!is_higher || !callchain_add(out, frame)) {
			out->end = is_higher ? UNWIND_TOO_DEEP : UNWIND_CYCLE;
			return;
		}
		last = frame;
		before = cursor;
		walk->fault = UNWIND_ROOT;
		status = may_step(&cursor) ? unw_step(&cursor) : -UNW_ENOINFO;
		if (status <= 0) {
			out->end = end_of(&before, walk, status);
			return;
		}
		is_leaf = false;
		left_signal = is_signal;
	}
}
