/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/lua/luajit-trace.h"

#include "src/base/bytes.h"
#include "src/base/mem.h"
#include "src/read/runtimes/lua/luajit-layout.h"

#include <stdlib.h>
#include <string.h>

enum {
	SNAPSHOTS_MAX = 4096,
	TRACES_MAX = 65536,
	IR_TYPE = 4, /* of an instruction (lj_ir.h) */
	IR_TYPE_BITS = 31,
	IR_TYPE_FUNCTION = 8,
	/* An entry of the map: slot, flags, and the value's reference. */
	ENTRY = 4,
	ENTRY_SLOT = 24,
	PC_SHIFT =
		8, /* of the word behind the entries; below it is the slot of the function */
};

/* The trace at ADDRESS, and where its code is. */
static bool read_trace(const struct target_memory *memory, uint64_t address,
	unsigned char bytes[LUAJIT_TRACE_BYTES], struct luajit_trace *trace)
{
	if (address == 0 ||
		!target_memory_read(memory, address, bytes, LUAJIT_TRACE_BYTES) ||
		bytes[LUAJIT_TYPE] != LUAJIT_TYPE_TRACE)
		return false;
	trace->address = address;
	trace->start = bytes_u64(bytes, LUAJIT_TRACE_CODE);
	trace->limit = trace->start + bytes_u32(bytes, LUAJIT_TRACE_CODE_BYTES);
	return true;
}

/* Read those of the array of N at ARRAY that are new. False: it has none, and so may be something else. */
static bool read_array(struct luajit_traces *traces, const struct target_memory *memory,
	uint64_t array, uint32_t n)
{
	unsigned char bytes[LUAJIT_TRACE_BYTES];
	uint64_t *addresses = mem_alloc(n * sizeof(*addresses));
	bool has_one = false;
	if (!target_memory_read(memory, array, addresses, n * sizeof(*addresses)))
		n = 0;
	if (n > traces->n) {
		traces->list = mem_resize(traces->list, n, sizeof(*traces->list));
		memset(traces->list + traces->n, 0,
			(n - traces->n) * sizeof(*traces->list));
		traces->n = n;
	}
	for (uint32_t i = 1; i < n; i++) { /* none has the number 0 */
		struct luajit_trace *trace = &traces->list[i];
		uint16_t number;
		has_one |= addresses[i] != 0 && addresses[i] == trace->address;
		if (addresses[i] == trace->address)
			continue;
		*trace = (struct luajit_trace){.address = 0};
		if (!read_trace(memory, addresses[i], bytes, trace))
			continue;
		memcpy(&number, bytes + LUAJIT_TRACE_NUMBER, sizeof(number));
		if (number == i)
			has_one = true;
		else
			*trace = (struct luajit_trace){.address = 0};
	}
	free(addresses);
	return has_one;
}

/* Where the array is, the state of the compiler says, whose distance from GLOBAL differs. */
static void read_traces(
	struct luajit_traces *traces, const struct target_memory *memory, uint64_t global)
{
	unsigned char state[LUAJIT_TRACES_LAST - LUAJIT_TRACES_FIRST +
			    LUAJIT_TRACES_COUNT + sizeof(uint32_t)];
	if (!target_memory_read(
		    memory, global + LUAJIT_TRACES_FIRST, state, sizeof(state)))
		return;
	for (size_t at = 0; at <= LUAJIT_TRACES_LAST - LUAJIT_TRACES_FIRST;
		at += LUAJIT_VALUE) {
		uint32_t n = bytes_u32(state, at + LUAJIT_TRACES_COUNT);
		if (n > 1 && n <= TRACES_MAX &&
			read_array(traces, memory, bytes_u64(state, at), n))
			return;
	}
}

static struct luajit_trace *find_known(const struct luajit_traces *traces, uint64_t code)
{
	for (uint32_t i = 0; i < traces->n; i++)
		if (code - traces->list[i].start <
			traces->list[i].limit - traces->list[i].start)
			return &traces->list[i];
	return NULL;
}

/* The trace with CODE, as it is now. */
static bool find_trace(struct luajit_traces *traces, const struct target_memory *memory,
	uint64_t global, uint64_t code, unsigned char bytes[LUAJIT_TRACE_BYTES],
	struct luajit_trace *trace)
{
	for (int tries = 0; tries < 2; tries++) {
		struct luajit_trace *known = find_known(traces, code);
		if (known && read_trace(memory, known->address, bytes, trace) &&
			code - trace->start < trace->limit - trace->start)
			return true;
		if (known)
			*known = (struct luajit_trace){.address = 0};
		read_traces(traces, memory, global);
	}
	return false;
}

bool luajit_trace_has(struct luajit_traces *traces, const struct target_memory *memory,
	uint64_t global, uint64_t code)
{
	unsigned char bytes[LUAJIT_TRACE_BYTES];
	struct luajit_trace trace;
	return find_trace(traces, memory, global, code, bytes, &trace);
}

/* The last of N snapshots that is valid at OFFSET. */
static bool find_snapshot(const struct target_memory *memory, uint64_t address,
	uint32_t n, uint64_t offset, unsigned char snapshot[LUAJIT_SNAPSHOT_BYTES])
{
	uint32_t low = 0, high = n < SNAPSHOTS_MAX ? n : SNAPSHOTS_MAX;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		uint16_t from;
		if (!target_memory_read(memory,
			    address + (uint64_t)middle * LUAJIT_SNAPSHOT_BYTES +
				    LUAJIT_SNAPSHOT_CODE,
			    &from, sizeof(from)))
			return false;
		if (offset < from)
			high = middle;
		else
			low = middle;
	}
	return high > 0 &&
	       target_memory_read(memory, address + (uint64_t)low * LUAJIT_SNAPSHOT_BYTES,
		       snapshot, LUAJIT_SNAPSHOT_BYTES);
}

/* The constant with REFERENCE of the instructions at IR, as it would be on Lua's stack. */
static bool read_constant(const struct target_memory *memory, uint64_t ir,
	uint32_t reference, uint64_t *value)
{
	unsigned char bytes[2 * LUAJIT_IR_BYTES];
	if (!target_memory_read(memory, ir + (uint64_t)reference * LUAJIT_IR_BYTES, bytes,
		    sizeof(bytes)))
		return false;
	*value = bytes_u64(bytes, LUAJIT_IR_BYTES);
	if ((bytes[IR_TYPE] & IR_TYPE_BITS) == IR_TYPE_FUNCTION)
		*value = luajit_function_value(*value);
	return true;
}

bool luajit_trace_read(struct luajit_traces *traces, const struct target_memory *memory,
	uint64_t global, uint64_t code, struct luajit_slots *out)
{
	unsigned char trace[LUAJIT_TRACE_BYTES], snapshot[LUAJIT_SNAPSHOT_BYTES];
	unsigned char map[(LUAJIT_SLOTS + 2) * ENTRY];
	struct luajit_trace its;
	uint16_t snapshots;
	if (!find_trace(traces, memory, global, code, trace, &its))
		return false;
	memcpy(&snapshots, trace + LUAJIT_TRACE_N_SNAPSHOTS, sizeof(snapshots));
	if (!find_snapshot(memory, bytes_u64(trace, LUAJIT_TRACE_SNAPSHOTS), snapshots,
		    code - its.start, snapshot))
		return false;
	uint32_t n = snapshot[LUAJIT_SNAPSHOT_N], first = bytes_u32(snapshot, 0);
	if ((uint64_t)first + n + 2 > bytes_u32(trace, LUAJIT_TRACE_N_MAP) ||
		!target_memory_read(memory,
			bytes_u64(trace, LUAJIT_TRACE_MAP) + (uint64_t)first * ENTRY, map,
			(n + 2) * ENTRY))
		return false;
	memset(out->is_set, 0, sizeof(out->is_set));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t entry = bytes_u32(map, (size_t)i * ENTRY);
		uint32_t reference = entry & 0xffff, slot = entry >> ENTRY_SLOT;
		if (reference < LUAJIT_IR_BIAS)
			out->is_set[slot] =
				read_constant(memory, bytes_u64(trace, LUAJIT_TRACE_IR),
					reference, &out->values[slot]);
	}
	uint64_t place = bytes_u64(map, (size_t)n * ENTRY);
	out->function = (uint32_t)(place & 0xff);
	out->pc = place >> PC_SHIFT;
	return true;
}
