/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/lua/luajit-stack.h"

#include "src/read/runtimes/lua/luajit-layout.h"

#include <string.h>

enum {
	PIECE = 64, /* bytes behind the last free slot that are still of the stack */
	CFRAMES_MAX = 1000,
	SUBROUTINE = 1, /* how deep the interpreter calls itself */
	/* What the interpreter for x86-64 has in registers (vm_x64.dasc): */
	BASE = 1,	    /* RDX, */
	PC = 3,		    /* RBX, */
	CONSTANTS = 15,	    /* and R15, */
	CONSTANTS_KEPT = 1, /* which is this one of struct frame's */
	CALLBACK = 1, /* a continuation that is a call by C (LJ_CONT_FFI_CALLBACK) */
};

#define ALL_BITS UINT64_MAX

void luajit_recipe(const struct luajit_place *place, struct recipe *recipe)
{
	const struct recipe_step steps[] = {
		{.op = RECIPE_SEARCH,
			.to = RECIPE_A,
			.offset = LUAJIT_STATE_GLOBAL,
			.next = LUAJIT_CFRAME_PREVIOUS - LUAJIT_CFRAME_STATE,
			.most = LUAJIT_STATES_MAX},
		{.op = RECIPE_COPY, .from = RECIPE_A, .length = LUAJIT_STATE_BYTES},
		{.op = RECIPE_LOAD,
			.from = RECIPE_A,
			.to = RECIPE_B,
			.offset = LUAJIT_STATE_GLOBAL,
			.mask = ALL_BITS},
		{.op = RECIPE_COPY,
			.from = RECIPE_B,
			.offset = LUAJIT_GLOBAL_MODE,
			.length = LUAJIT_VALUE},
		{.op = RECIPE_COPY,
			.from = RECIPE_B,
			.offset = LUAJIT_GLOBAL_BASE,
			.length = LUAJIT_VALUE},
		{.op = RECIPE_LOAD,
			.from = RECIPE_A,
			.to = RECIPE_B,
			.offset = LUAJIT_STATE_STACK,
			.mask = ALL_BITS},
		{.op = RECIPE_COPY, .from = RECIPE_B, .length = PIECE},
		{.op = RECIPE_LOAD,
			.from = RECIPE_A,
			.to = RECIPE_B,
			.offset = LUAJIT_STATE_LIMIT,
			.mask = ALL_BITS},
		{.op = RECIPE_DOWN,
			.from = RECIPE_B,
			.to = RECIPE_A,
			.offset = LUAJIT_STATE_STACK,
			.length = PIECE,
			.most = RECIPE_NODES},
	};
	memcpy(recipe->steps, steps, sizeof(steps));
	recipe->n_known = place->globals.n;
	memcpy(recipe->known, place->globals.list,
		place->globals.n * sizeof(*place->globals.list));
}

struct reading {
	struct luajit_place *place;
	const struct snapshot *snapshot;
	const struct callchain *chain;
	struct script_stack *out;
	struct arch_registers registers;
	/* What compiled code has in slots of Lua's stack from SLOTS_AT on. 0: there is none. */
	uint64_t slots_at;
	struct luajit_slots slots;
};

static bool read_word(const struct reading *reading, uint64_t address, uint64_t *word)
{
	return snapshot_read(reading->snapshot, address, word, sizeof(*word));
}

/* --- frames ----------------------------------------------------------------------------- */

static bool read_slot(const struct reading *reading, uint64_t address, uint64_t *value)
{
	uint64_t slot = (address - reading->slots_at) / LUAJIT_VALUE;
	if (reading->slots_at != 0 && address >= reading->slots_at &&
		slot < LUAJIT_SLOTS && reading->slots.is_set[slot]) {
		*value = reading->slots.values[slot];
		return true;
	}
	return read_word(reading, address, value);
}

/* A frame of STATE while they are walked. */
struct walk {
	const struct luajit_state *state;
	uint64_t base, pc; /* PC 0: it is at no instruction */
	uint64_t cframe;
	/* How it was called: */
	uint64_t function, link, previous, caller_pc;
	bool is_by_c, is_again; /* the same function follows, with its arguments */
	bool has_called_c;	/* it may be of C, and then PC says nothing */
};

/* Parts of C's stack that have begun no function yet. */
static bool skip_cframes(const struct reading *reading, struct walk *walk)
{
	int32_t results;
	for (int i = 0; i < CFRAMES_MAX; i++) {
		if (!snapshot_read(reading->snapshot,
			    walk->cframe + LUAJIT_CFRAME_RESULTS, &results,
			    sizeof(results)))
			return false;
		if (results >= 0 || walk->base - LUAJIT_VALUE >= walk->state->stack +
									 (uint64_t) -
									 (int64_t)results)
			return true;
		walk->cframe = luajit_cframe_before(reading->snapshot, walk->cframe);
		if (walk->cframe == 0)
			return false;
	}
	return false;
}

/* The base of the frame that has called the one at BASE by the instruction before PC. */
static bool find_caller(
	const struct reading *reading, uint64_t base, uint64_t pc, uint64_t *caller)
{
	uint32_t slot;
	if (!luajit_codes_calls(reading->place->codes, pc, &slot))
		return false;
	*caller = base - (2 + (uint64_t)slot) * LUAJIT_VALUE;
	return true;
}

/* Read how the frame at WALK's base was called. */
static enum script_end read_frame(const struct reading *reading, struct walk *walk)
{
	uint64_t value, word = 0;
	if (!read_slot(reading, walk->base - 2 * LUAJIT_VALUE, &value) ||
		!read_slot(reading, walk->base - LUAJIT_VALUE, &walk->link))
		return SCRIPT_CUT;
	if (!luajit_is_function(value))
		return SCRIPT_UNSURE;
	walk->function = luajit_object(value);
	walk->caller_pc = 0;
	unsigned kind = walk->link & LUAJIT_LINK_BITS;
	walk->is_by_c = (kind & 3) == LUAJIT_LINK_C;
	walk->is_again = kind == LUAJIT_LINK_VARARG;
	walk->previous = walk->base - (walk->link & ~(uint64_t)LUAJIT_LINK_BITS);
	if ((kind & 3) == LUAJIT_LINK_LUA) {
		walk->caller_pc = walk->link;
		if (!find_caller(reading, walk->base, walk->link, &walk->previous))
			return SCRIPT_UNSURE;
	} else if (kind == LUAJIT_LINK_CONTINUED) {
		if (!read_slot(
			    reading, walk->base - 3 * LUAJIT_VALUE, &walk->caller_pc) ||
			!read_slot(reading, walk->base - 4 * LUAJIT_VALUE, &word))
			return SCRIPT_CUT;
		walk->is_by_c = word == CALLBACK;
	}
	return walk->previous < walk->base &&
			       walk->previous >= walk->state->stack + 2 * LUAJIT_VALUE &&
			       walk->previous % LUAJIT_VALUE == 0
		       ? SCRIPT_ALL
		       : SCRIPT_UNSURE;
}

/* Add the frame at WALK to the output. Its function may be gone, and another one there. False: the instruction, that
   a trace has, is not one of its: the trace is about to return from it. */
static bool add_frame(struct reading *reading, const struct walk *walk)
{
	struct script_frame frame = {.more = walk->caller_pc};
	struct luajit_function function = luajit_codes_look(
		reading->place->codes, walk->state->global, walk->function);
	bool has_pc = luajit_has(&function, walk->pc);
	if (walk->pc != 0 && (has_pc || !walk->has_called_c))
		frame.place = walk->pc;
	if (function.is_lua && frame.place != 0 && !has_pc &&
		walk->base - reading->slots_at < LUAJIT_SLOTS * LUAJIT_VALUE)
		return false;
	if (function.is_lua || frame.place != 0)
		frame.function = walk->function;
	reading->out->frames[reading->out->n_frames++] = frame;
	return true;
}

/* To the frame that has called. False: the copy ended before. */
static bool step(const struct reading *reading, struct walk *walk)
{
	if (!walk->is_again)
		walk->pc = walk->caller_pc;
	walk->base = walk->previous;
	walk->has_called_c = walk->is_by_c;
	if (!walk->is_by_c)
		return true;
	walk->cframe = luajit_cframe_before(reading->snapshot, walk->cframe);
	walk->pc = 0;
	/* Of a function of Lua that was interrupted: */
	if (walk->cframe != 0 &&
		!read_word(reading, walk->cframe + LUAJIT_CFRAME_PC, &walk->pc))
		return false;
	return true;
}

static void end_segment(struct script_stack *out, uint32_t *first, uint64_t mark)
{
	if (out->n_frames > *first)
		out->segments[out->n_segments++] = (struct script_segment){
			.mark = mark, .first = *first, .count = out->n_frames - *first};
	*first = out->n_frames;
}

/* Add the frames of STATE from the innermost one on, which has BASE and PC. */
static enum script_end add_frames(struct reading *reading,
	const struct luajit_state *state, uint64_t base, uint64_t pc)
{
	struct script_stack *out = reading->out;
	struct walk walk = {
		.state = state, .base = base, .pc = pc, .cframe = state->cframe};
	uint32_t first = out->n_frames;
	enum script_end end = SCRIPT_ALL;
	while (walk.base != state->stack + 2 * LUAJIT_VALUE) {
		if (out->n_frames == SCRIPT_FRAMES_MAX || !skip_cframes(reading, &walk)) {
			end = SCRIPT_CUT;
			break;
		}
		end = read_frame(reading, &walk);
		if (end != SCRIPT_ALL)
			break;
		if (!walk.is_again && !add_frame(reading, &walk))
			return SCRIPT_UNSURE;
		if (walk.is_by_c)
			end_segment(out, &first, walk.cframe + LUAJIT_CFRAME_STATE);
		if (!step(reading, &walk)) {
			end = SCRIPT_CUT;
			break;
		}
	}
	end_segment(out, &first, SCRIPT_MARK_MISSING);
	return end;
}

/* --- the innermost frame ---------------------------------------------------------------- */

/* The function of the frame at BASE of STATE. */
static struct luajit_function function_at(
	const struct reading *reading, const struct luajit_state *state, uint64_t base)
{
	uint64_t value;
	if (base <= state->stack || base > state->limit + PIECE ||
		base % LUAJIT_VALUE != 0 ||
		!read_word(reading, base - 2 * LUAJIT_VALUE, &value) ||
		!luajit_is_function(value))
		return (struct luajit_function){.is_c = false};
	return luajit_codes_look(
		reading->place->codes, state->global, luajit_object(value));
}

/* Compiled code. Of a trace that is gone only the function is known in which it began. */
static bool find_compiled(struct reading *reading, const struct luajit_state *state,
	const struct frame *native, uint64_t *base, uint64_t *pc)
{
	struct luajit_place *place = reading->place;
	*pc = 0;
	if (!read_word(reading, state->global + LUAJIT_GLOBAL_BASE, base) || *base == 0)
		return false;
	if (!luajit_trace_read(&place->traces, &place->memory, state->global,
		    frame_code(*native), &reading->slots))
		return function_at(reading, state, *base).is_lua;
	reading->slots_at = *base - 2 * LUAJIT_VALUE;
	*base += (uint64_t)reading->slots.function * LUAJIT_VALUE;
	*pc = reading->slots.pc + LUAJIT_INSTRUCTION;
	return true;
}

/* Code of the interpreter. Between two functions the registers are of both: the base of the called one, and
   the instruction of the caller. */
static bool find_interpreted(const struct reading *reading,
	const struct luajit_state *state, uint64_t *base, uint64_t *pc)
{
	struct luajit_function function;
	uint32_t slot;
	*base = reading->registers.values[BASE];
	*pc = reading->registers.values[PC];
	function = function_at(reading, state, *base);
	if (function.is_lua && *pc == function.start)
		*pc += LUAJIT_INSTRUCTION;
	if (luajit_has(&function, *pc))
		return true;
	uint64_t caller;
	if (find_caller(reading, *base, *pc, &caller)) {
		struct luajit_function its = function_at(reading, state, caller);
		if (luajit_has(&its, *pc)) {
			*base = caller;
			return true;
		}
	}
	/* Its closure may be gone. */
	struct luajit_function known = luajit_codes_around(reading->place->codes, *pc);
	if (known.is_lua)
		return !luajit_codes_calls(reading->place->codes, *pc, &slot) &&
		       reading->registers.values[CONSTANTS] == known.constants;
	/* Functions of C have instructions, too, near the global state. */
	uint64_t link;
	bool is_c =
		function.is_c &&
		(*pc - state->global < LUAJIT_GLOBAL_MOST ||
			(read_word(reading, *base - LUAJIT_VALUE, &link) && link == *pc));
	*pc = 0;
	return is_c;
}

/* Of C, which the interpreter has called from the frame NATIVE: its function is that of the coroutine. */
static bool find_called(const struct reading *reading, const struct luajit_state *state,
	const struct frame *native, uint64_t *base, uint64_t *pc)
{
	struct luajit_function function = function_at(reading, state, state->base);
	int32_t mode;
	*base = state->base;
	*pc = 0;
	/* While it calls a function of C, it has the address of that there. */
	const struct region *region =
		address_space_region(reading->place->space, native->kept[CONSTANTS_KEPT]);
	if (region && (region->permissions & REGION_EXECUTE))
		return true;
	if (!function.is_lua)
		return function.is_c;
	if (read_word(reading, state->cframe + LUAJIT_CFRAME_PC, pc) &&
		!luajit_has(&function, *pc))
		*pc = 0;
	/* While it compiles, or leaves a trace, it has other things in its registers. */
	return native->kept[CONSTANTS_KEPT] == function.constants ||
	       (snapshot_read(reading->snapshot, state->global + LUAJIT_GLOBAL_MODE,
			&mode, sizeof(mode)) &&
		       mode <= LUAJIT_MODE_COMPILER);
}

static bool find_innermost(struct reading *reading, const struct luajit_state *state,
	uint64_t *base, uint64_t *pc)
{
	const arch_set needed = arch_bit(BASE) | arch_bit(PC) | arch_bit(CONSTANTS);
	if (reading->chain->length == 0)
		return false;
	uint32_t native = luajit_native_of(reading->chain, state->cframe);
	const struct frame *frame = &reading->chain->frames[native];
	/* Of a thread that sleeps registers are not known, and C sleeps. */
	bool may_interpret =
		native <= SUBROUTINE && (reading->registers.known & needed) == needed;
	return find_compiled(reading, state, frame, base, pc) ||
	       (may_interpret && find_interpreted(reading, state, base, pc)) ||
	       find_called(reading, state, frame, base, pc);
}

static enum script_end read_all(
	struct reading *reading, const struct luajit_states *states)
{
	struct script_stack *out = reading->out;
	for (uint32_t i = 0; i < states->n; i++) {
		const struct luajit_state *state = &states->list[i];
		uint64_t base = state->base, pc = 0;
		if (i == 0 && !find_innermost(reading, state, &base, &pc))
			return SCRIPT_UNSURE;
		enum script_end end = add_frames(reading, state, base, pc);
		if (end != SCRIPT_ALL)
			return end;
		reading->slots_at = 0;
	}
	return out->n_segments > 0 ? SCRIPT_ALL : SCRIPT_NONE;
}

void luajit_stack_read(struct luajit_place *place, const struct snapshot *snapshot,
	const struct callchain *chain, struct script_stack *out)
{
	struct reading reading = {
		.place = place, .snapshot = snapshot, .chain = chain, .out = out};
	struct luajit_states states;
	out->n_frames = out->n_segments = 0;
	if (!snapshot_registers(snapshot, &reading.registers))
		reading.registers.known = 0;
	luajit_states_find(&place->globals, &place->memory, snapshot, &states);
	out->end = read_all(&reading, &states);
}
