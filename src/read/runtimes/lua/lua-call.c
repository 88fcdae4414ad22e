/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/lua/lua-call.h"

#include "src/base/bytes.h"

#include <string.h>

/* Where no status says so (5.1), the closure does, if it was copied. */
static bool is_of_lua(const struct lua_layout *layout, const struct snapshot *snapshot,
	const struct lua_call *call, bool *is_lua)
{
	unsigned char head[LUA_CLOSURE_HEAD];
	*is_lua = layout->is_c ? !(call->status & layout->is_c)
			       : (call->status & layout->is_lua) != 0;
	if (layout->is_c || layout->is_lua || !call->is_closure)
		return true;
	if (!snapshot_read(snapshot, call->function, head, sizeof(head)) ||
		(head[LUA_TAG] & LUA_TAG_BITS) != LUA_TAG_CLOSURE)
		return false;
	*is_lua = !head[LUA_CLOSURE_IS_C];
	return true;
}

bool lua_call_read(const struct lua_layout *layout, const struct snapshot *snapshot,
	uint64_t address, struct lua_call *out)
{
	unsigned char bytes[LUA_CALL_BYTES];
	unsigned char value[LUA_VALUE_BYTES];
	if (address % 8 != 0 ||
		!snapshot_read(snapshot, address, bytes, layout->call_bytes))
		return false;
	out->at = bytes_u64(bytes, layout->call_function);
	if (!snapshot_read(snapshot, out->at, value, sizeof(value)))
		return false;
	out->previous = layout->is_array ? address - layout->call_bytes
					 : bytes_u64(bytes, layout->call_previous);
	out->function = bytes_u64(value, 0);
	out->is_closure = (value[LUA_TAG] & LUA_TAG_BITS) == LUA_TAG_CLOSURE;
	out->pc = bytes_u64(bytes, layout->call_pc);
	out->base = layout->has_no_base ? out->at + LUA_VALUE_BYTES
					: bytes_u64(bytes, layout->call_base);
	memcpy(&out->status, bytes + layout->call_status, sizeof(out->status));
	out->is_fresh = layout->is_fresh ? (out->status & layout->is_fresh) != 0
					 : !(out->status & layout->is_reentry);
	return is_of_lua(layout, snapshot, out, &out->is_lua);
}
