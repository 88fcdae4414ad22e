/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack-memory: the memory around a thread's stack, which the tracer is told so that its
 * copies stay in it (src/facts/advice.h). The analyst's thread.
 */
#ifndef CPROFTOP_STACK_MEMORY_H
#define CPROFTOP_STACK_MEMORY_H

#include "src/facts/advice.h"
#include "src/facts/snapshot.h"
#include "src/read/space/address-space.h"

#include <stdint.h>

/* The anonymous memory that ADDRESS lies in; all 0 if it lies in a file's. A stack may have
   grown there, to be in RECORD, since maps were read. */
struct stack_bounds stack_memory_at(
	struct address_space *space, const struct snapshot *record, uint64_t address);

#endif
