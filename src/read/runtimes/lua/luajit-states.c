/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/lua/luajit-states.h"

#include "src/base/bytes.h"
#include "src/read/runtimes/lua/luajit-layout.h"

#include <stdlib.h>
#include <string.h>

enum {
	CFRAMES_MAX = 1000,
	CFRAME_ALIGNMENT = 16,
};

static int compare_words(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static bool has_global(const struct luajit_globals *globals, uint64_t global)
{
	return bsearch(&global, globals->list, globals->n, sizeof(global), compare_words);
}

struct search {
	struct luajit_globals *globals;
	const struct target_memory *memory;
	const struct snapshot *snapshot;
	struct luajit_states *out;
};

/* Is a coroutine at WORD that C's stack runs? */
static void try_state(struct search *search, uint64_t word)
{
	struct luajit_states *out = search->out;
	unsigned char bytes[LUAJIT_STATE_BYTES];
	uint64_t its_own;
	for (uint32_t i = 0; i < out->n; i++)
		if (out->list[i].address == word)
			return;
	if (word % LUAJIT_VALUE != 0 || out->n == LUAJIT_STATES_MAX ||
		!snapshot_read(search->snapshot, word, bytes, sizeof(bytes)) ||
		bytes[LUAJIT_TYPE] != LUAJIT_TYPE_STATE)
		return;
	struct luajit_state state = {.address = word,
		.global = bytes_u64(bytes, LUAJIT_STATE_GLOBAL),
		.base = bytes_u64(bytes, LUAJIT_STATE_BASE),
		.stack = bytes_u64(bytes, LUAJIT_STATE_STACK),
		.limit = bytes_u64(bytes, LUAJIT_STATE_LIMIT),
		.cframe = bytes_u64(bytes, LUAJIT_STATE_CFRAME) &
			  ~(uint64_t)LUAJIT_CFRAME_TAGS};
	if (has_global(search->globals, state.global) && state.cframe != 0 &&
		snapshot_read(search->snapshot, state.cframe + LUAJIT_CFRAME_STATE,
			&its_own, sizeof(its_own)) &&
		its_own == word)
		out->list[out->n++] = state;
}

/* Is one at WORD now? Then its global state is one. */
static void try_new(struct search *search, uint64_t word)
{
	struct luajit_globals *globals = search->globals;
	const struct target_memory *memory = search->memory;
	unsigned char bytes[LUAJIT_STATE_BYTES], main[LUAJIT_STATE_BYTES];
	if (word % LUAJIT_VALUE != 0 || word < RECIPE_BLOCK ||
		globals->n == LUAJIT_GLOBALS_MAX ||
		snapshot_stack_at(search->snapshot, word, LUAJIT_VALUE) ||
		!target_memory_read(memory, word, bytes, sizeof(bytes)) ||
		bytes[LUAJIT_TYPE] != LUAJIT_TYPE_STATE)
		return;
	uint64_t global = bytes_u64(bytes, LUAJIT_STATE_GLOBAL);
	if (global % LUAJIT_VALUE != 0 || has_global(globals, global) ||
		!target_memory_read(memory,
			target_memory_word(memory, global + LUAJIT_GLOBAL_MAIN), main,
			sizeof(main)) ||
		main[LUAJIT_TYPE] != LUAJIT_TYPE_STATE ||
		bytes_u64(main, LUAJIT_STATE_GLOBAL) != global)
		return;
	globals->list[globals->n++] = global;
	qsort(globals->list, globals->n, sizeof(global), compare_words);
}

/* Each word of C's stack that may be the coroutine of a C frame: that leads to another one farther up, or to none. */
static void each_word(
	struct search *search, void (*try)(struct search *search, uint64_t word))
{
	const struct snapshot *snapshot = search->snapshot;
	const uint32_t list = LUAJIT_CFRAME_PREVIOUS - LUAJIT_CFRAME_STATE;
	uint64_t word, next, start = snapshot->stack_address;
	uint32_t i = (uint32_t)(-(start - LUAJIT_CFRAME_STATE) % CFRAME_ALIGNMENT);
	for (; i + list + sizeof(next) <= snapshot->stack_length; i += CFRAME_ALIGNMENT) {
		memcpy(&next, snapshot->stack + i + list, sizeof(next));
		if (next != 0 &&
			(next <= start + i || next >= start + snapshot->stack_length))
			continue;
		memcpy(&word, snapshot->stack + i, sizeof(word));
		try(search, word);
	}
}

static int compare_states(const void *a, const void *b)
{
	const struct luajit_state *x = a, *y = b;
	return compare_words(&x->cframe, &y->cframe);
}

void luajit_states_find(struct luajit_globals *globals,
	const struct target_memory *memory, const struct snapshot *snapshot,
	struct luajit_states *out)
{
	struct search search = {globals, memory, snapshot, out};
	out->n = 0;
	each_word(&search, try_state);
	if (out->n == 0)
		each_word(&search, try_new);
	qsort(out->list, out->n, sizeof(*out->list), compare_states);
}

uint64_t luajit_cframe_before(const struct snapshot *snapshot, uint64_t cframe)
{
	uint64_t before;
	return snapshot_read(
		       snapshot, cframe + LUAJIT_CFRAME_PREVIOUS, &before, sizeof(before))
		       ? before & ~(uint64_t)LUAJIT_CFRAME_TAGS
		       : 0;
}

uint32_t luajit_native_of(const struct callchain *chain, uint64_t cframe)
{
	uint32_t i = 0;
	while (i + 1 < chain->length &&
		chain->frames[i + 1].sp <= cframe + LUAJIT_CFRAME_STATE)
		i++;
	return i;
}

/* The registers of who called the interpreter, which are in the C frame at CFRAME (vm_x64.dasc). False: it was not
   copied. */
static bool read_caller(const struct snapshot *snapshot, uint64_t cframe,
	struct arch_registers *registers)
{
	static const unsigned saved[] = {14, 15, 3, 6, 16}; /* by their DWARF numbers */
	registers->known = arch_bit(arch_sp);
	registers->values[arch_sp] = cframe + LUAJIT_CFRAME_BYTES;
	for (size_t i = 0; i < sizeof(saved) / sizeof(*saved); i++) {
		if (!snapshot_read(snapshot,
			    cframe + LUAJIT_CFRAME_SAVED + i * LUAJIT_VALUE,
			    &registers->values[saved[i]], LUAJIT_VALUE))
			return false;
		registers->known |= arch_bit(saved[i]);
	}
	return true;
}

/* Is FRAME the code of a trace? */
static bool is_trace(
	const struct luajit_natives *natives, uint64_t global, struct frame frame)
{
	const struct region *region =
		address_space_region(natives->space, frame_code(frame));
	return region && region_is_anonymous(region) &&
	       luajit_trace_has(
		       natives->traces, natives->memory, global, frame_code(frame));
}

/* Does the frame that runs the C frame at CFRAME end where that does? Else *LENGTH is how many are right. Those
   before the one with the index FIRST are. */
static bool is_right(const struct luajit_natives *natives, const struct callchain *chain,
	uint64_t global, uint64_t cframe, uint32_t first, uint32_t *length)
{
	uint32_t last = luajit_native_of(chain, cframe);
	/* A trace runs the C frame itself. */
	for (uint32_t i = first; i < last; i++)
		if (is_trace(natives, global, chain->frames[i])) {
			*length = i + 1;
			return false;
		}
	if (last + 1 < chain->length &&
		chain->frames[last + 1].sp == cframe + LUAJIT_CFRAME_BYTES)
		return true;
	/* What a wrong step has led to. */
	while (last > 0 &&
		!address_space_region(natives->space, frame_code(chain->frames[last])))
		last--;
	*length = last + 1;
	return false;
}

enum script_natives luajit_natives_check(const struct luajit_natives *natives,
	const struct luajit_states *states, const struct snapshot *snapshot,
	const struct callchain *chain, uint32_t *length, struct arch_registers *registers)
{
	uint32_t first = 0;
	int n = 0;
	for (uint32_t i = 0; i < states->n && chain->length > 0; i++) {
		uint64_t cframe = states->list[i].cframe, global = states->list[i].global;
		for (; cframe != 0; cframe = luajit_cframe_before(snapshot, cframe)) {
			if (n++ == CFRAMES_MAX)
				return SCRIPT_NATIVES_UNKNOWN;
			if (!is_right(natives, chain, global, cframe, first, length))
				return read_caller(snapshot, cframe, registers)
					       ? SCRIPT_NATIVES_WRONG
					       : SCRIPT_NATIVES_UNKNOWN;
			first = luajit_native_of(chain, cframe) + 1;
		}
	}
	return n > 0 ? SCRIPT_NATIVES_RIGHT : SCRIPT_NATIVES_UNKNOWN;
}
