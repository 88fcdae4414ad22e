/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-hotspot: frames of Java code, by the records of the HotSpot virtual machine.
 *
 * Compiled code has a frame of fixed size and no frame pointer; its size is in the header
 * of the code (src/read/runtimes/hotspot/hotspot-code.h). The interpreter has frame pointers, and also
 * keeps its caller's stack pointer, which is not just above its frame: an adapter between
 * compiled code and the interpreter makes room for arguments in between. Private to the
 * unwinder.
 */
#ifndef CPROFTOP_UNWIND_HOTSPOT_H
#define CPROFTOP_UNWIND_HOTSPOT_H

#include "src/read/runtimes/hotspot/hotspot-monitor.h"
#include "src/read/unwind/unwind-row.h"
#include "src/read/unwind/unwind-walk.h"

#include <stdbool.h>

struct unwind_hotspot;

struct unwind_hotspot *unwind_hotspot_create(void);
void unwind_hotspot_destroy(struct unwind_hotspot *hotspot); /* NULL is fine */

/* The row for FRAME, whose code is in REGION, which has no file. False if WALK's process
   does not run HotSpot, if HotSpot did not generate the code, or if its records are not
   enough. */
bool unwind_hotspot_row(struct unwind_hotspot *hotspot, struct unwind_walk *walk,
	const struct region *region, struct frame frame, struct unwind_row *row);

/* The monitors of the virtual machine whose code was unwound; NULL: there is none. */
struct hotspot_monitors *unwind_hotspot_monitors(struct unwind_hotspot *hotspot);

/* Note in FRAME, where WALK is now, which method the interpreter runs there, and where in it. */
void unwind_hotspot_interpreted(const struct unwind_hotspot *hotspot,
	struct unwind_walk *walk, struct frame *frame);

/* Is PC what HotSpot has put in the place of a return address, into code that is given up? */
bool unwind_hotspot_is_return(
	const struct unwind_hotspot *hotspot, struct unwind_walk *walk, uint64_t pc);

/* FRAME, where WALK is now, is of code that is given up: put the place that it called from instead
   of the handler that it is to return to. */
void unwind_hotspot_given_up(const struct unwind_hotspot *hotspot,
	struct unwind_walk *walk, struct frame *frame);

#endif
