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

/* How the stack ended if unw_step returned STATUS. CURSOR is at the frame before that
   step. */
static enum unwind_end end_of(
	unw_cursor_t *cursor, const struct unwind_walk *walk, int status)
{
	enum unwind_end fault = walk->fault;
	unw_proc_info_t info;
	if (walk->reads_left == 0)
		return UNWIND_TOO_DEEP;
	if (status == 0)
		return unw_get_proc_info(cursor, &info) == 0 ? UNWIND_ROOT
							     : UNWIND_NO_CFI;
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

void unwind_libunwind(
	unw_addr_space_t as, struct unwind_walk *walk, struct callchain *out)
{
	unw_cursor_t cursor, before;
	unw_word_t pc;
	uint64_t last_sp = 0;
	bool is_leaf = true, left_signal = false;
	int status = unw_init_remote(&cursor, as, walk);
	out->end = UNWIND_BAD_MEMORY;
	if (status != 0) /* the leaf is known in any case */
		callchain_add(out, (struct frame){.pc = arch_get_pc(&walk->registers),
					   .is_activation = true});
	while (status >= 0 && unw_get_reg(&cursor, UNW_REG_IP, &pc) == 0 &&
		(is_code(walk, pc) || is_leaf)) {
		bool is_signal = unw_is_signal_frame(&cursor) > 0;
		struct frame frame = {
			.pc = pc, .is_activation = is_leaf || left_signal || is_signal};
		note_registers(&cursor, &frame);
		bool is_higher = is_leaf || left_signal || frame.sp > last_sp;
		if (!is_higher || !callchain_add(out, frame)) {
			out->end = is_higher ? UNWIND_TOO_DEEP : UNWIND_CYCLE;
			return;
		}
		last_sp = frame.sp;
		before = cursor;
		walk->fault = UNWIND_ROOT;
		status = unw_step(&cursor);
		if (status <= 0) {
			out->end = end_of(&before, walk, status);
			return;
		}
		is_leaf = false;
		left_signal = is_signal;
	}
}
