/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-caller: who called a function that has no frame, if nobody knows the register of the return
 * address: a thread that sleeps is not stopped, and only its PC and stack pointer are told.
 *
 * glibc makes all calls that wait in such a function since 2.41 (__syscall_cancel_arch), and one place in
 * it calls that. So all places in the file are searched that call the function. The caller is the one
 * from which a step leads to behind a direct call of just that caller; if it leads there from several,
 * the caller is not known.
 *
 * Only where calls leave the return address in a register. Private to the unwinder.
 */
#ifndef CPROFTOP_UNWIND_CALLER_H
#define CPROFTOP_UNWIND_CALLER_H

#include "src/read/unwind/unwind-table.h"

enum {
	UNWIND_CALLERS_MOST = 8
};

/* Behind the calls of the function that begins at FIRST; too many: none. */
struct unwind_callers {
	uint64_t first;
	uint32_t count;
	uint64_t returns[UNWIND_CALLERS_MOST];
};

/* Those that were searched for. Zeroed: none. Forget them (vec_free) if code has gone. */
struct unwind_callers_known {
	VEC(struct unwind_callers)
	list;
};

/* From FRAME, where WALK is, to its caller. Else WALK stays there. */
bool unwind_caller_step(struct unwind_callers_known *known, struct unwind_table *table,
	struct unwind_walk *walk, struct frame frame);

#endif
