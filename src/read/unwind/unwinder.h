/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwinder: from a snapshot to a callchain, while the target runs on.
 *
 * There are five ways from a frame to its caller: the row of the file's unwind table,
 * which libunwind decodes through accessors of ours (src/read/unwind/unwind-table.h,
 * src/read/unwind/unwind-row.h); in files without a table, the instructions
 * (src/read/unwind/unwind-code.h); in code without a file, what a Java virtual machine knows
 * of its frames (src/read/unwind/unwind-hotspot.h), else the frame pointer; and after a signal
 * handler, the registers that the kernel saved (src/read/unwind/unwind-frame-pointer.h). Words
 * of the stack come from the snapshot only: a stack that is read from the running target
 * may change meanwhile.
 *
 * UNWIND_ROOT is never a guess. It means one of these: the table calls the return address
 * undefined; the code is that at a file's entry point; the code cannot return, and no
 * return address is above it; it is one of Go's functions that switch stacks; or, in code
 * without a file, the frame pointer is 0, which the ABI uses to mark the first frame, and
 * no return address is above it.
 * tests/tools/oracle.c checks this, instruction by instruction.
 *
 * The reader's thread, or dump's.
 */
#ifndef CPROFTOP_UNWINDER_H
#define CPROFTOP_UNWINDER_H

#include "src/base/error.h"
#include "src/facts/callchain.h"
#include "src/facts/snapshot.h"
#include "src/facts/stack-link.h"
#include "src/read/runtimes/hotspot/hotspot-monitor.h"
#include "src/read/space/address-space.h"

struct unwinder;

/* SPACE is borrowed and must outlive it. */
struct unwinder *unwinder_create(struct address_space *space, struct error *err);
void unwinder_destroy(struct unwinder *unwinder); /* NULL is fine */

/* From now on libunwind walks the stacks, by itself (src/read/unwind/unwind-libunwind.h). */
void unwinder_use_libunwind(struct unwinder *unwinder);

/* Unwind SNAPSHOT. Never fails: OUT says how the stack ended, and has at least the leaf
   unless OUT->end is UNWIND_FOREIGN. Drops its caches when code has gone. If a PC is in no
   mapping, the address space finds out about that, and the walk begins again. */
void unwinder_unwind(struct unwinder *unwinder, const struct snapshot *snapshot,
	struct callchain *out);

/* The same again from where REGISTERS are those of the caller of the first LENGTH frames that OUT has, of
   which none is folded. */
void unwinder_resume(struct unwinder *unwinder, const struct snapshot *snapshot,
	uint32_t length, const struct arch_registers *registers, struct callchain *out);

/* Tell LINK of the stack in the heap that the frame pointer points to, if there was code
   whose callers are on such a one. */
void unwinder_tell(struct unwinder *unwinder, struct stack_link *link);

/* The monitors of the Java virtual machine whose code was unwound last; NULL: there is none. */
struct hotspot_monitors *unwinder_monitors(struct unwinder *unwinder);

#endif
