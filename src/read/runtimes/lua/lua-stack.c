/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/lua/lua-stack.h"

#include "src/arch/arch-code.h"
#include "src/base/bytes.h"
#include "src/read/runtimes/lua/lua-call.h"

#include <stdlib.h>
#include <string.h>

enum {
	STATES_MAX = 64,
	LOOPS_MAX = 512,
	JUMPS_MAX = 512,
	MALLOC_ALIGNMENT = 16,
	SEGMENTS_MAX = SCRIPT_FRAMES_MAX,
};

#define ALL_BITS (~UINT64_C(0))

void lua_recipe(const struct lua_place *place, struct recipe *recipe)
{
	const struct lua_layout *layout = place->layout;
	struct recipe_step *step = recipe->steps;
	*step++ = (struct recipe_step){.op = RECIPE_SEARCH,
		.to = RECIPE_A,
		.offset = layout->state_global,
		.mask = place->alignment - 1,
		.ref = place->residue,
		.most = STATES_MAX};
	*step++ = (struct recipe_step){
		.op = RECIPE_COPY, .from = RECIPE_A, .length = LUA_STATE_BYTES};
	*step++ = (struct recipe_step){.op = RECIPE_LOAD,
		.from = RECIPE_A,
		.to = RECIPE_B,
		.offset = layout->state_call,
		.mask = ALL_BITS};
	*step = (struct recipe_step){.op = layout->is_array ? RECIPE_DOWN : RECIPE_CHAIN,
		.from = RECIPE_B,
		.to = RECIPE_A,
		.offset = layout->is_array ? layout->state_base : 0,
		.length = layout->call_bytes,
		.next = layout->call_previous,
		.mask = ALL_BITS,
		.most = SCRIPT_FRAMES_MAX,
		.ref = layout->call_function,
		.ref_mask = ALL_BITS,
		.ref_length = LUA_VALUE_BYTES,
		.deep_length = layout->is_array ? LUA_CLOSURE_HEAD : 0};
	recipe->n_known = place->n_globals;
	memcpy(recipe->known, place->globals, place->n_globals * sizeof(*place->globals));
}

struct state {
	uint64_t address, call, jump, base;
	uint64_t pc;	/* where the innermost function is; 0: its call says */
	uint64_t limit; /* the native frames below it are its own */
};

struct reading {
	struct lua_place *place;
	const struct snapshot *snapshot;
	const struct callchain *chain;
	struct script_stack *out;
	struct arch_registers registers;
	uint32_t n_states, n_loops;
	struct state states[STATES_MAX];
	uint32_t loops[LOOPS_MAX]; /* frames of the chain */
	uint32_t next_loop;
};

/* --- native calls of the loop ----------------------------------------------------------- */

static bool is_loop(const struct reading *reading, uint32_t i)
{
	const struct lua_place *place = reading->place;
	uint64_t code = frame_code(reading->chain->frames[i]);
	return code >= place->loop && code < place->loop_limit;
}

static uint64_t sp_of(const struct reading *reading, uint32_t i)
{
	uint64_t sp = reading->chain->frames[i].sp;
	return sp == 0 && i == 0 ? arch_get_sp(&reading->registers) : sp;
}

static bool find_loops(struct reading *reading)
{
	for (uint32_t i = 0; i < reading->chain->length; i++) {
		if (!is_loop(reading, i))
			continue;
		if (reading->n_loops == LOOPS_MAX || sp_of(reading, i) == 0)
			return false;
		reading->loops[reading->n_loops++] = i;
	}
	return true;
}

/* --- states ----------------------------------------------------------------------------- */

static bool has_global(const struct lua_place *place, uint64_t global)
{
	for (uint32_t i = 0; i < place->n_globals; i++)
		if (place->globals[i] == global)
			return true;
	return false;
}

static bool is_active(const struct reading *reading, const struct state *state)
{
	const struct snapshot *snapshot = reading->snapshot;
	if (state->call == state->base)
		return false;
	return state->jump == 0 || snapshot_stack_at(snapshot, state->jump, 8) ||
	       snapshot->stack_cut;
}

/* The outermost call of the state at ADDRESS, which is of no function. */
static uint64_t base_of(
	const struct lua_layout *layout, const unsigned char *bytes, uint64_t address)
{
	return layout->is_array ? bytes_u64(bytes, layout->state_base)
				: address + layout->state_base;
}

static void try_state(struct reading *reading, uint64_t word)
{
	const struct lua_layout *layout = reading->place->layout;
	unsigned char bytes[LUA_STATE_BYTES];
	if (word % 8 != 0 || word == 0 || reading->n_states == STATES_MAX ||
		snapshot_stack_at(reading->snapshot, word, 8) ||
		!snapshot_read(reading->snapshot, word, bytes, sizeof(bytes)) ||
		bytes[LUA_TAG] != LUA_TAG_STATE ||
		!has_global(reading->place, bytes_u64(bytes, layout->state_global)))
		return;
	struct state state = {.address = word,
		.call = bytes_u64(bytes, layout->state_call),
		.jump = bytes_u64(bytes, layout->state_jump),
		.base = base_of(layout, bytes, word),
		.pc = layout->state_pc ? bytes_u64(bytes, layout->state_pc) : 0};
	/* A coroutine that has yielded or ended catches nothing; the status of others is 0. */
	bool has_left = state.jump == 0 && bytes[layout->version == 503 ? 12 : 10] != 0;
	for (uint32_t i = 0; i < reading->n_states; i++)
		if (reading->states[i].address == word)
			return;
	if (!has_left && is_active(reading, &state))
		reading->states[reading->n_states++] = state;
}

/* Each word that may be the address of a state: registers first. */
static void each_word(
	struct reading *reading, void (*try)(struct reading *reading, uint64_t word))
{
	const struct snapshot *snapshot = reading->snapshot;
	uint64_t word;
	for (unsigned i = 0; i < ARCH_REGISTERS; i++)
		if (reading->registers.known & arch_bit(i))
			try(reading, reading->registers.values[i]);
	for (uint32_t i = (uint32_t)(-snapshot->stack_address % sizeof(word));
		i + sizeof(word) <= snapshot->stack_length; i += sizeof(word)) {
		memcpy(&word, snapshot->stack + i, sizeof(word));
		try(reading, word);
	}
}

/* Is a state at WORD, as it looks now? Then its global state is one. */
static void try_new(struct reading *reading, uint64_t word)
{
	struct lua_place *place = reading->place;
	const struct lua_layout *layout = place->layout;
	unsigned char bytes[LUA_STATE_BYTES], call[LUA_CALL_BYTES];
	if (word % 8 != 0 || word < RECIPE_BLOCK || place->n_globals == LUA_GLOBALS_MAX ||
		snapshot_stack_at(reading->snapshot, word, 8) ||
		!target_memory_read(&place->memory, word, bytes, sizeof(bytes)) ||
		bytes[LUA_TAG] != LUA_TAG_STATE)
		return;
	uint64_t stack = bytes_u64(bytes, layout->state_stack);
	uint64_t last = bytes_u64(bytes, layout->state_last);
	uint64_t global = bytes_u64(bytes, layout->state_global);
	if (stack == 0 || stack >= last || (last - stack) % LUA_VALUE_BYTES != 0 ||
		bytes_u64(bytes, LUA_STATE_TOP) - stack > last - stack + 80 ||
		global % 8 != 0 || has_global(place, global) ||
		!target_memory_read(&place->memory, base_of(layout, bytes, word), call,
			layout->call_bytes) ||
		bytes_u64(call, layout->call_function) != stack ||
		(!layout->is_array && bytes_u64(call, layout->call_previous) != 0) ||
		target_memory_word(&place->memory, global) == 0)
		return;
	if (place->n_globals == 0) {
		place->alignment = MALLOC_ALIGNMENT;
		place->residue = (int32_t)(word % MALLOC_ALIGNMENT);
	} else if (place->alignment &&
		   word % place->alignment != (uint64_t)place->residue) {
		place->alignment = 1;
		place->residue = 0;
	}
	uint32_t i = place->n_globals++;
	for (; i > 0 && place->globals[i - 1] > global; i--)
		place->globals[i] = place->globals[i - 1];
	place->globals[i] = global;
}

/* The outermost place on the stack of C where errors of STATE are caught. */
static uint64_t outermost_jump(const struct reading *reading, uint64_t jump)
{
	uint64_t previous;
	for (int i = 0; i < JUMPS_MAX; i++) {
		if (!snapshot_read(
			    reading->snapshot, jump, &previous, sizeof(previous)) ||
			previous == 0)
			break;
		if (previous <= jump)
			return 0;
		jump = previous;
	}
	return jump;
}

static int compare_states(const void *a, const void *b)
{
	const struct state *x = a, *y = b;
	uint64_t p = x->jump - 1, q = y->jump - 1; /* who catches nothing is the last */
	return p < q ? -1 : p > q;
}

/* Who catches nothing can only be the outermost one, and there only if more of the loop is; any
   other is new, or was looked at by the collector. */
static void drop_strangers(struct reading *reading)
{
	uint32_t n = reading->n_states;
	const uint32_t *last = reading->loops + reading->n_loops - 1;
	while (n > 0 && reading->states[n - 1].jump == 0)
		n--;
	if (n > 0 && n < reading->n_states &&
		(reading->n_loops == 0 ||
			sp_of(reading, *last) <
				outermost_jump(reading, reading->states[n - 1].jump)))
		reading->n_states = n;
}

/* Is there a call of the loop outside of all calls of STATE, the outermost one that was found? Then it is a
   coroutine, and who resumed it was not found. */
static bool is_resumed(const struct reading *reading, const struct state *state)
{
	return state->jump != 0 && reading->n_loops > 0 &&
	       sp_of(reading, reading->loops[reading->n_loops - 1]) >=
		       outermost_jump(reading, state->jump);
}

/* Innermost first. False: they contradict each other. */
static bool find_states(struct reading *reading)
{
	each_word(reading, try_state);
	qsort(reading->states, reading->n_states, sizeof(*reading->states),
		compare_states);
	drop_strangers(reading);
	uint64_t below = 0;
	for (uint32_t i = 0; i < reading->n_states; i++) {
		struct state *state = &reading->states[i];
		bool is_last = i + 1 == reading->n_states;
		state->limit = is_last	     ? ALL_BITS
			       : state->jump ? outermost_jump(reading, state->jump)
					     : 0;
		if (state->limit == 0 || (state->jump != 0 && state->jump < below) ||
			(is_last && is_resumed(reading, state)))
			return false;
		below = state->limit;
	}
	return true;
}

/* --- calls ------------------------------------------------------------------------------ */

/* The call at ADDRESS, of STATE. */
static bool read_call_of(const struct reading *reading, const struct state *state,
	uint64_t address, struct lua_call *call)
{
	if (!lua_call_read(reading->place->layout, reading->snapshot, address, call))
		return false;
	if (state->pc && address == state->call)
		call->pc = state->pc;
	return true;
}

/* Where no call says whether the loop was called for it (5.1): it was, unless its caller is a function of Lua, at an
   instruction that calls. False: nobody knows, as that one is gone. */
static bool find_fresh(const struct reading *reading, struct lua_call *call)
{
	struct lua_call caller;
	uint32_t slot;
	if (!call->is_lua)
		return true;
	call->is_fresh = true;
	if (!lua_call_read(
		    reading->place->layout, reading->snapshot, call->previous, &caller) ||
		!caller.is_lua)
		return true;
	enum lua_calls how =
		lua_codes_calls(reading->place->codes, caller.function, caller.pc, &slot);
	call->is_fresh = how != LUA_CALLS_SLOT;
	return how != LUA_CALLS_UNKNOWN;
}

/* Is CALL, the innermost one, what its caller CALLER says? It is in the list before it is
   written, and then has what another call has left there: of a function that is gone nobody knows
   whether the instruction is its own, and it becomes 0. */
static bool is_written(const struct reading *reading, struct lua_call *call,
	const struct lua_call *caller)
{
	const struct lua_place *place = reading->place;
	uint32_t slot = 0;
	if (call->is_lua) {
		enum lua_owner owner =
			lua_codes_owner(place->codes, call->function, call->pc);
		if (!call->is_closure || owner == LUA_OWNER_OTHER)
			return false;
		if (owner == LUA_OWNER_GONE)
			call->pc = 0;
	}
	if (!caller->is_lua)
		return !call->is_lua || call->is_fresh;
	enum lua_calls how =
		lua_codes_calls(place->codes, caller->function, caller->pc, &slot);
	if (how == LUA_CALLS_UNKNOWN)
		return true;
	if (call->is_lua && call->is_fresh != (how != LUA_CALLS_SLOT))
		return false;
	uint64_t at = caller->base + (uint64_t)slot * LUA_VALUE_BYTES;
	return how == LUA_CALLS_EVENT || call->at == at ||
	       (call->at > at && call->is_lua &&
		       lua_codes_moves(place->codes, call->function));
}

/* Add the calls of STATE to the output, as segments without marks. */
static enum script_end add_calls(struct reading *reading, const struct state *state)
{
	struct script_stack *out = reading->out;
	uint32_t first = out->n_frames;
	uint64_t address = state->call;
	struct lua_call call, caller;
	bool has_lua = false; /* since the last segment */
	for (uint32_t i = 0; address != state->base; i++) {
		if (!read_call_of(reading, state, address, &call) ||
			i == SCRIPT_FRAMES_MAX || out->n_frames == SCRIPT_FRAMES_MAX) {
			out->segments[out->n_segments++] = (struct script_segment){
				.first = first, .count = out->n_frames - first};
			return SCRIPT_CUT;
		}
		/* An error was caught, and is already where the function was. */
		if (reading->place->layout->is_array &&
			(!call.is_closure || !find_fresh(reading, &call)))
			return SCRIPT_UNSURE;
		out->frames[out->n_frames++] =
			(struct script_frame){.function = call.is_lua ? call.function : 0,
				.place = call.is_lua ? call.pc : 0,
				.more = address};
		has_lua |= call.is_lua;
		if (call.is_lua && call.is_fresh) {
			out->segments[out->n_segments++] = (struct script_segment){
				.first = first, .count = out->n_frames - first};
			first = out->n_frames;
			has_lua = false;
		}
		address = call.previous;
		if (i == 0 && address != state->base && state == reading->states &&
			lua_call_read(reading->place->layout, reading->snapshot, address,
				&caller) &&
			!is_written(reading, &call, &caller))
			return SCRIPT_UNSURE;
		if (i == 0 && call.is_lua)
			out->frames[out->n_frames - 1].place = call.pc;
	}
	out->n_frames = first; /* of C that began it all */
	return has_lua ? SCRIPT_UNSURE : SCRIPT_ALL;
}

/* --- segments --------------------------------------------------------------------------- */

/* Where the innermost function of FRAME is, which the native frame LOOP runs: in a register of
   the loop, or where the code that it has called has saved that. 0: nowhere. */
static uint64_t find_pc(
	const struct reading *reading, const struct script_frame *frame, uint32_t loop)
{
	uint64_t start, limit, word, low = sp_of(reading, 0), at = sp_of(reading, loop);
	if (!lua_codes_range(
		    reading->place->codes, frame->function, frame->place, &start, &limit))
		return 0;
	const arch_set kept = reading->registers.known & arch_preserved;
	for (unsigned i = ARCH_REGISTERS; i-- > 0;) {
		word = reading->registers.values[i];
		if ((kept & arch_bit(i)) && word >= start && word <= limit &&
			word % 4 == 0)
			return word;
	}
	while (loop > 0 && at > low && at - low < RECIPE_BLOCK) {
		at -= sizeof(word);
		if (snapshot_read(reading->snapshot, at, &word, sizeof(word)) &&
			word >= start && word <= limit && word % 4 == 0)
			return word;
	}
	return 0;
}

/* Is the function of SEGMENT just being called? Then it is at its first instruction. */
static bool may_begin(const struct reading *reading, const struct script_segment *segment)
{
	uint64_t start, limit;
	const struct script_frame *frame = &reading->out->frames[segment->first];
	return segment->count == 1 && frame->function != 0 &&
	       (!lua_codes_range(reading->place->codes, frame->function, frame->place,
			&start, &limit) ||
		       frame->place <= start + 4);
}

/* The loop's calls that are of a state whose native frames end at LIMIT; *FIRST is the innermost. */
static uint32_t take_loops(
	struct reading *reading, uint64_t limit, const uint32_t **first)
{
	uint32_t n = 0;
	*first = reading->loops + reading->next_loop;
	while (reading->next_loop + n < reading->n_loops &&
		sp_of(reading, (*first)[n]) < limit)
		n++;
	reading->next_loop += n;
	return n;
}

/* How the innermost of N calls of the loop, the first of which is frame LOOP, and SEGMENTS from FIRST on
   belong together: 1: the first call has no segment any more, -1: the first segment has no
   call yet, 0: they are of each other. False: that is not certain. */
static bool find_shift(const struct reading *reading, uint32_t loop, uint32_t n,
	uint32_t first, uint32_t segments, int *shift)
{
	const struct script_segment *segment = &reading->out->segments[first];
	const struct script_frame *frame = &reading->out->frames[segment->first];
	*shift = 0;
	if (n > 0 && n == segments + 1 && loop <= 1) {
		*shift = 1;
	} else if (n > 0 && loop == 0 && segments > n) {
		return frame->function != 0 && (reading->place->layout->is_pc_kept ||
						       find_pc(reading, frame, 0) != 0);
	} else if (segments > n && may_begin(reading, segment)) {
		*shift = -1;
		return segments == n + 1;
	}
	return true;
}

/* Give the segments from FIRST on, all of STATE, their marks. */
static bool mark_segments(
	struct reading *reading, uint32_t first, const struct state *state, bool is_cut)
{
	struct script_stack *out = reading->out;
	bool is_outermost = state->limit == ALL_BITS;
	uint32_t segments = out->n_segments - first;
	const uint32_t *loops;
	uint32_t n = take_loops(reading, state->limit, &loops);
	int shift = 0;
	if (state == reading->states && segments > 0 &&
		!find_shift(reading, n ? loops[0] : 0, n, first, segments, &shift))
		return false;
	if (shift < 0 && !is_outermost && n > 0)
		return false;
	if (shift > 0) {
		loops++;
		n--;
	} else if (shift < 0) {
		segments--;
		out->n_segments--;
		memmove(&out->segments[first], &out->segments[first + 1],
			segments * sizeof(*out->segments));
	}
	if (n != segments &&
		(is_cut ? n < segments : n > segments || is_outermost || n == 0))
		return false;
	for (uint32_t i = 0; i < segments; i++)
		out->segments[first + i].mark =
			is_cut && i + 1 == segments
				? SCRIPT_MARK_MISSING
				: sp_of(reading, loops[i < n ? i : n - 1]);
	return true;
}

/* The innermost function has its place in a register, if the loop runs it now. */
static void find_place_now(struct reading *reading)
{
	struct script_stack *out = reading->out;
	if (reading->place->layout->is_pc_kept || out->n_segments == 0 ||
		reading->n_loops == 0 || out->frames[0].function == 0 ||
		out->segments[0].mark != sp_of(reading, reading->loops[0]))
		return;
	uint64_t now = find_pc(reading, &out->frames[0], reading->loops[0]);
	if (now != 0)
		out->frames[0].place = now;
}

static enum script_end read_all(struct reading *reading)
{
	struct script_stack *out = reading->out;
	if (reading->n_states == 0)
		return reading->n_loops == 0 ? SCRIPT_NONE : SCRIPT_UNSURE;
	for (uint32_t i = 0; i < reading->n_states; i++) {
		uint32_t first = out->n_segments;
		const struct state *state = &reading->states[i];
		enum script_end end = add_calls(reading, state);
		if (end == SCRIPT_UNSURE ||
			!mark_segments(reading, first, state, end == SCRIPT_CUT))
			return SCRIPT_UNSURE;
		if (end == SCRIPT_CUT) {
			find_place_now(reading);
			return end;
		}
	}
	if (reading->next_loop != reading->n_loops || reading->chain->fold.frames)
		return SCRIPT_UNSURE;
	find_place_now(reading);
	if (reading->chain->end != UNWIND_ROOT && reading->chain->end != UNWIND_GUESSED)
		return SCRIPT_CUT; /* there may be other coroutines */
	return out->n_segments > 0 ? SCRIPT_ALL : SCRIPT_NONE;
}

void lua_stack_read(struct lua_place *place, const struct snapshot *snapshot,
	const struct callchain *chain, struct script_stack *out)
{
	struct reading reading = {
		.place = place, .snapshot = snapshot, .chain = chain, .out = out};
	out->n_frames = out->n_segments = 0;
	if (!snapshot_registers(snapshot, &reading.registers))
		reading.registers.known = 0;
	if (!find_loops(&reading) || !find_states(&reading)) {
		out->end = SCRIPT_UNSURE;
		return;
	}
	if (reading.n_states == 0)
		each_word(&reading, try_new);
	out->end = read_all(&reading);
}
