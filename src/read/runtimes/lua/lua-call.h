/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lua-call: one call (CallInfo) of a copied state of Lua: which function it is of, where that is, and who
 * called it.
 *
 * Pure. The reader's thread.
 */
#ifndef CPROFTOP_LUA_CALL_H
#define CPROFTOP_LUA_CALL_H

#include "src/facts/snapshot.h"
#include "src/read/runtimes/lua/lua-layout.h"

#include <stdbool.h>
#include <stdint.h>

struct lua_call {
	uint64_t previous; /* where the caller's is */
	uint64_t function, pc;
	uint64_t at, base; /* where on Lua's stack the function is, and its registers */
	uint16_t status;
	bool is_closure; /* of Lua, in 5.1 also of C, is what is there */
	bool is_lua;	 /* of a function of Lua's */
	bool is_fresh;	 /* the loop was called for it, if the status says so */
};

/* The call at ADDRESS. False if it was not copied, or it is not known whose it is. */
bool lua_call_read(const struct lua_layout *layout, const struct snapshot *snapshot,
	uint64_t address, struct lua_call *out);

#endif
