/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-link: how the stack is found that a thread has left for another one, read off the
 * code of Go's runtime.
 *
 * systemstack (runtime/asm_amd64.s) goes back to the goroutine's stack by the loads that
 * lead there; mcall stores the registers that are saved. The offsets in both differ
 * between versions of Go. Nothing is found if the two functions do not agree.
 *
 * Analyst thread only.
 */
#ifndef CPROFTOP_UNWIND_LINK_H
#define CPROFTOP_UNWIND_LINK_H

#include "src/model/stack-link.h"
#include "src/target/address-space.h"

#include <stdint.h>

/* All 0 at first. */
struct unwind_link {
	struct stack_link found;
	uint64_t generation, changes; /* of the address space, when that was found */
};

/* By the code of the main executable, and the mappings as they are known. No loads if it
   is not a Go program. Valid until the next call. */
const struct stack_link *unwind_link_of(
	struct unwind_link *link, struct address_space *space);

#endif
