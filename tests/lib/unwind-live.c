/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/unwind-live.h"

#include "src/base/mem.h"

#include <libunwind-ptrace.h>
#include <stdlib.h>

struct live_unwinder {
	unw_addr_space_t as;
};

struct live_unwinder *live_unwinder_create(bool cached, struct error *err)
{
	unw_addr_space_t as = unw_create_addr_space(&_UPT_accessors, 0);
	if (!as) {
		error_set(err, "libunwind cannot create an address space");
		return NULL;
	}
	unw_set_caching_policy(as, cached ? UNW_CACHE_GLOBAL : UNW_CACHE_NONE);
	struct live_unwinder *unwinder = mem_zalloc(sizeof(*unwinder));
	unwinder->as = as;
	return unwinder;
}

void live_unwinder_destroy(struct live_unwinder *unwinder)
{
	if (!unwinder)
		return;
	unw_destroy_addr_space(unwinder->as);
	free(unwinder);
}

/* How the stack ended if unw_step returned STATUS. CURSOR is at the frame before that
   step. */
static enum unwind_end end_of(unw_cursor_t *cursor, int status)
{
	unw_proc_info_t info;
	switch (status) {
	case 0:
		return unw_get_proc_info(cursor, &info) == 0 ? UNWIND_ROOT
							     : UNWIND_NO_CFI;
	case -UNW_ENOINFO:
		return UNWIND_NO_CFI;
	case -UNW_EBADFRAME:
		return UNWIND_CYCLE;
	case -UNW_EBADREG:
		return UNWIND_NO_REGISTER;
	default:
		return UNWIND_BAD_MEMORY;
	}
}

static void walk(unw_cursor_t *cursor, struct callchain *out)
{
	unw_word_t sp = 0, last_sp = 0, pc = 0;
	bool is_activation = true, was_signal = false;
	while (unw_get_reg(cursor, UNW_REG_IP, &pc) == 0 &&
		unw_get_reg(cursor, UNW_REG_SP, &sp) == 0) {
		if (out->length == CALLCHAIN_MAX) {
			out->end = UNWIND_TOO_DEEP;
			break;
		}
		if (out->length > 0 && sp <= last_sp && !was_signal) {
			out->end = UNWIND_CYCLE;
			break;
		}
		last_sp = sp;
		bool is_signal = unw_is_signal_frame(cursor) > 0;
		out->frames[out->length++] = (struct frame){
			.pc = pc,
			.is_activation = is_activation || is_signal,
		};
		unw_cursor_t before = *cursor;
		int status = unw_step(cursor);
		if (status <= 0) {
			out->end = end_of(&before, status);
			break;
		}
		is_activation = was_signal = is_signal;
	}
}

void live_unwinder_unwind(
	struct live_unwinder *unwinder, pid_t tid, struct callchain *out)
{
	out->length = 0;
	out->broken_at = 0;
	out->end = UNWIND_BAD_MEMORY;
	void *upt = _UPT_create(tid);
	unw_cursor_t cursor;
	if (upt && unw_init_remote(&cursor, unwinder->as, upt) == 0)
		walk(&cursor, out);
	if (upt)
		_UPT_destroy(upt);
	if (out->end != UNWIND_ROOT && out->length > 0)
		out->broken_at = out->frames[out->length - 1].pc;
}
