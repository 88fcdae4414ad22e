/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hotspot-scopes: which methods a place in compiled Java code belongs to, with those that were
 * inlined there.
 *
 * C1 and C2 note it for each call, each safepoint and each instruction that may throw (PcDesc,
 * pcDesc.hpp in OpenJDK): a list of scopes, the innermost first, each a method and where in its
 * bytecode (scopeDesc.hpp). An instruction in between belongs to the next place that was noted, as
 * HotSpot's own profilers take it, or behind the last one to the method that was compiled;
 * -XX:+DebugNonSafepoints has it note more. Code that calls native functions has a method and no
 * scopes.
 *
 * The process runs on meanwhile and may be hostile: what is read is checked, and of bounded length.
 * Code may be replaced: whoever keeps scopes compares what hotspot_read_compiled says with what it
 * said before. One thread at a time.
 */
#ifndef CPROFTOP_HOTSPOT_SCOPES_H
#define CPROFTOP_HOTSPOT_SCOPES_H

#include "src/process/target-memory.h"
#include "src/read/runtimes/hotspot/hotspot-code.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What tells one piece of compiled code from another, and where its records are. No padding: two
   are compared as bytes. */
struct hotspot_compiled {
	uint64_t blob, start, limit; /* see struct hotspot_code */
	uint64_t complete;
	uint64_t method; /* the address of its Method */
	uint64_t places, places_end;
	uint64_t scopes, scopes_end;
	uint64_t methods, methods_end;
	uint32_t compile_id;
	uint32_t entry_bci; /* UINT32_MAX: where the method begins */
};

struct hotspot_scope {
	uint64_t method; /* the address of a Method */
	int32_t bci;	 /* -1: not known */
};

struct hotspot_scopes;

/* As hotspot_create. EXCLUDES_0: see hotspot_excludes_0. NULL: the virtual machine does not say
   enough. */
struct hotspot_scopes *hotspot_scopes_create(const struct target_memory *memory,
	const uint64_t addresses[HOTSPOT_VARIABLES], bool excludes_0);
void hotspot_scopes_destroy(struct hotspot_scopes *scopes); /* NULL is fine */

/* The records of CODE, whose name says that it is compiled. False: they make no sense. */
bool hotspot_read_compiled(const struct hotspot_scopes *scopes,
	const struct hotspot_code *code, struct hotspot_compiled *out);

/* May the methods that COMPILED refers to still be those that it was made of? They go with their
   classes, before the code does. Code in use is that of its method, and knows it by that; of other
   code nothing can be said. */
bool hotspot_has_its_method(
	const struct hotspot_scopes *scopes, const struct hotspot_compiled *compiled);

/* The methods at PC, innermost first, at most MOST. IS_RETURN: PC is a return address. Returns
   how many; 0: not known. */
size_t hotspot_scopes_at(const struct hotspot_scopes *scopes,
	const struct hotspot_compiled *compiled, uint64_t pc, bool is_return,
	struct hotspot_scope *out, size_t most);

#endif
