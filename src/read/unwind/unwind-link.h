/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-link: find the stack link (src/facts/stack-link.h) of a Go program in the code
 * of its runtime.
 *
 * systemstack (runtime/asm_amd64.s) has the loads that lead back to the goroutine's
 * stack; mcall has the stores of the saved registers. Their offsets differ between
 * versions of Go. If the two functions do not agree, there is no link. nanotime1
 * (runtime/sys_linux_amd64.s) tells where the stack is noted that was left to call the
 * vDSO.
 *
 * The reader's thread, or dump's.
 */
#ifndef CPROFTOP_UNWIND_LINK_H
#define CPROFTOP_UNWIND_LINK_H

#include "src/facts/stack-link.h"
#include "src/read/space/address-space.h"
#include "src/read/unwind/unwinder.h"

#include <stdint.h>

/* All 0 at first. */
struct unwind_link {
	struct stack_link found;
	uint64_t generation, changes; /* of the address space, when the link was found */
};

/* The link by the code of the main executable and the known mappings. It has no loads if
   this is not a Go program, but always the memory of no file, and what UNWINDER
   tells. Valid until the next call. */
const struct stack_link *unwind_link_of(
	struct unwind_link *link, struct address_space *space, struct unwinder *unwinder);

#endif
