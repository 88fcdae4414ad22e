/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/unwind/unwinder.h"

#include "src/base/mem.h"
#include "src/read/unwind/unwind-arrival.h"
#include "src/read/unwind/unwind-caller.h"
#include "src/read/unwind/unwind-code.h"
#include "src/read/unwind/unwind-frame-pointer.h"
#include "src/read/unwind/unwind-guess.h"
#include "src/read/unwind/unwind-libunwind.h"
#include "src/read/unwind/unwind-switch.h"
#include "src/read/unwind/unwind-table.h"

#include <stdlib.h>

enum {
	MAX_GUESSES = 16, /* for one stack */
	WALKS = 8,	  /* of one stack, while each comes upon mappings that are new */
};

struct unwinder {
	struct address_space *space;
	uint64_t losses; /* of the address space, when the table was made */
	unw_addr_space_t as;
	unw_addr_space_t libunwind; /* walks the stacks; NULL: we do */
	struct unwind_table *table;
	struct unwind_haskell haskell;
	struct unwind_callers_known callers;
	struct unwind_registered registered;
};

struct unwinder *unwinder_create(struct address_space *space, struct error *err)
{
	unw_addr_space_t as = unwind_walk_accessors();
	if (!as) {
		error_set(err, "libunwind cannot create an address space");
		return NULL;
	}
	struct unwinder *unwinder = mem_zalloc(sizeof(*unwinder));
	unwinder->space = space;
	unwinder->losses = address_space_losses(space);
	unwinder->as = as;
	unwinder->table = unwind_table_create(as);
	return unwinder;
}

void unwinder_destroy(struct unwinder *unwinder)
{
	if (!unwinder)
		return;
	unwind_table_destroy(unwinder->table);
	unwind_haskell_finish(&unwinder->haskell);
	vec_free(&unwinder->callers.list);
	unwind_registered_finish(&unwinder->registered);
	unw_destroy_addr_space(unwinder->as);
	if (unwinder->libunwind)
		unw_destroy_addr_space(unwinder->libunwind);
	free(unwinder);
}

void unwinder_use_libunwind(struct unwinder *unwinder)
{
	unwinder->libunwind = unwind_libunwind_accessors();
	if (!unwinder->libunwind)
		mem_end("libunwind cannot create an address space");
}

/* A frame's caller lies higher on the stack: no cycle can get past this. Only a signal
   handler may have run on another stack (sigaltstack), and only once. */
static bool stack_grew_shorter(
	struct unwind_walk *walk, uint64_t old_sp, bool left_signal)
{
	uint64_t sp = arch_get_sp(&walk->registers);
	bool copied = sp - walk->snapshot->stack_address <= walk->snapshot->stack_length;
	if (left_signal && !walk->on_another_stack && (sp <= old_sp || !copied)) {
		walk->on_another_stack = true;
		return true;
	}
	return sp > old_sp;
}

/* By a row that the code told: right if it arrives where a call came from. */
static bool arrive(struct unwinder *unwinder, struct unwind_walk *walk,
	struct frame frame, const struct unwind_row *row, enum unwind_end *end)
{
	struct unwind_table *table = unwinder->table;
	struct arch_registers before = walk->registers;
	*end = UNWIND_NO_CFI;
	if (!unwind_row_returns(row))
		return false;
	bool is_step = unwind_row_step(row, walk, end);
	if (is_step && unwind_came_to_left(table, walk))
		return true;
	uint64_t sp = arch_get_sp(&walk->registers), old_sp = arch_get_sp(&before);
	bool is_level = row->in_register && frame.is_activation && sp == old_sp;
	if (is_step && (sp > old_sp || is_level) &&
		(row->start == 0 || unwind_table_may_call(table, walk,
					    arch_get_pc(&walk->registers), row->start)) &&
		(unwind_came_from_call(table, walk, frame) ||
			unwind_came_from_interpreter(table, walk, frame) ||
			(row->cfa_register == arch_fp &&
				unwind_came_to_start(table, walk))))
		return true;
	if (is_step)
		unwind_walk_note_miss(walk);
	walk->registers = before;
	return false;
}

/* By ROW, which the code told, or whatever else may help. */
static bool inferred_step(struct unwinder *unwinder, struct unwind_walk *walk,
	struct frame frame, const struct unwind_row *row, enum unwind_end *end)
{
	bool is_dead_end = row->is_dead_end;
	if (arrive(unwinder, walk, frame, row, end))
		return true;
	if (row->has_other && *end != UNWIND_TRUNCATED &&
		arrive(unwinder, walk, frame, row + 1, end))
		return true;
	if (*end == UNWIND_TRUNCATED)
		return false;
	if (is_dead_end || !unwind_table_is_hopeless(unwinder->table, walk, frame.pc)) {
		if (unwind_search_step(unwinder->table, walk, frame, end))
			return true;
		if (*end == UNWIND_TRUNCATED || (is_dead_end && *end == UNWIND_ROOT))
			return false;
		unwind_table_set_hopeless(unwinder->table, walk, frame.pc);
	}
	return unwind_arrive_by_frame_pointer(unwinder->table, walk, frame, end);
}

static bool apply(struct unwinder *unwinder, struct unwind_walk *walk, struct frame frame,
	const struct unwind_rule *rule, enum unwind_end *end)
{
	switch (rule->kind) {
	case UNWIND_RULE_ROW:
		if (rule->row->is_told)
			return unwind_told_step(
				unwinder->table, walk, frame, rule->row, end);
		if (rule->row->switches && !rule->row->is_root)
			return unwind_switch_step(walk, rule->row, end) &&
			       unwind_came_from_call(unwinder->table, walk, frame);
		if (rule->row->is_inferred && !rule->row->is_root) {
			struct arch_registers before = walk->registers;
			if (!inferred_step(unwinder, walk, frame, rule->row, end))
				return false;
			unwind_count_link(unwinder->table, walk, frame, &before);
			return true;
		}
		if (unwind_goes_to_handler(rule->row))
			return unwind_handler_step(
				unwinder->table, walk, frame, rule->row, end);
		return unwind_row_step(rule->row, walk, end);
	case UNWIND_RULE_EXPRESSION:
		return unwind_expression_step(
			unwinder->table, walk, frame, rule, unwinder->as, end);
	case UNWIND_RULE_SIGNAL:
		return unwind_signal_step(walk, end);
	case UNWIND_RULE_NOWHERE:
		return unwind_bad_call_step(walk, end);
	}
	return false;
}

/* The step from FRAME failed because a register is unknown. If the code shows where that
   register points, step again; that counts if it arrives after a call. */
static bool step_with_distance(struct unwinder *unwinder, struct unwind_walk *walk,
	struct frame frame, enum unwind_end *end)
{
	unsigned reg = walk->missing;
	int32_t distance;
	struct arch_registers before = walk->registers;
	if (*end != UNWIND_NO_REGISTER || (before.known & arch_bit(reg)) ||
		!unwind_table_distance(unwinder->table, walk, frame, reg, &distance))
		return false;
	walk->registers.values[reg] =
		arch_get_sp(&walk->registers) + (uint64_t)(int64_t)distance;
	walk->registers.known |= arch_bit(reg);
	struct unwind_rule rule = unwind_table_find(unwinder->table, walk, frame);
	if (apply(unwinder, walk, frame, &rule, end) &&
		unwind_came_from_call(unwinder->table, walk, frame))
		return true;
	walk->registers = before;
	*end = UNWIND_NO_REGISTER;
	return false;
}

/* The same if it is the stack pointer that is unknown, after a step by the frame pointer: so is this
   one. */
static bool step_on_by_frame_pointer(
	struct unwind_walk *walk, struct frame frame, enum unwind_end *end)
{
	return *end == UNWIND_NO_REGISTER && walk->missing == arch_sp &&
	       unwind_frame_pointer_step(walk, frame, end);
}

/* The same if it is that of the return address, of a thread that sleeps. */
static bool step_to_caller(struct unwinder *unwinder, struct unwind_walk *walk,
	struct frame frame, enum unwind_end *end)
{
	return *end == UNWIND_NO_REGISTER && walk->missing == ARCH_RETURN &&
	       unwind_caller_step(&unwinder->callers, unwinder->table, walk, frame);
}

/* How a stack ended if a step of this KIND led to a PC that is not code. */
static enum unwind_end end_in_nowhere(enum unwind_rule_kind rule)
{
	return rule == UNWIND_RULE_NOWHERE ? UNWIND_NO_CFI : UNWIND_BAD_MEMORY;
}

/* From FRAME, which RULE describes, to its caller. Level with it are those of vfork and, if calls
   push nothing, of functions without a frame; one that has put its return address into another register
   may have called such a one. */
static bool step(struct unwinder *unwinder, struct unwind_walk *walk, struct frame *frame,
	const struct unwind_rule *rule, enum unwind_end *end)
{
	uint64_t old_sp = arch_get_sp(&walk->registers);
	bool left_signal = rule->kind == UNWIND_RULE_SIGNAL;
	/* The row is valid until the next one is looked for. */
	bool is_moved =
		rule->kind == UNWIND_RULE_ROW && rule->row->moved_to && !walk->has_moved;
	walk->is_entered = walk->is_switched = false;
	walk->lacked = 0;
	if (!apply(unwinder, walk, *frame, rule, end) &&
		!step_with_distance(unwinder, walk, *frame, end) &&
		!step_on_by_frame_pointer(walk, *frame, end) &&
		!step_to_caller(unwinder, walk, *frame, end))
		return false;
	walk->has_moved |= is_moved;
	bool is_level = (frame->is_activation || is_moved) &&
			arch_get_sp(&walk->registers) == old_sp &&
			(rule->kind == UNWIND_RULE_EXPRESSION || !ARCH_CALL_PUSHES);
	if (!walk->is_switched && !is_level &&
		!stack_grew_shorter(walk, old_sp, left_signal)) {
		*end = UNWIND_CYCLE;
		return false;
	}
	*frame = (struct frame){.pc = arch_get_pc(&walk->registers),
		.is_activation = left_signal || walk->is_entered,
		.sp = arch_get_sp(&walk->registers)};
	if (frame->pc == 0 && !left_signal) {
		/* Some mark the first frame like this, with a frame pointer of 0, too. */
		*end = unwind_is_marked_first(walk) &&
				       !unwind_has_return_above(unwinder->table, walk)
			       ? UNWIND_ROOT
			       : end_in_nowhere(rule->kind);
		return false;
	}
	return true;
}

/* A walk from the leaf towards the root. */
struct climb {
	struct frame frame;
	enum unwind_rule_kind last; /* the rule of the last step; */
	bool is_inferred;	    /* that came from the code */
	struct callchain *out;
};

static void note_kept(const struct arch_registers *now, struct frame *frame)
{
	for (int i = 0; i < 2; i++)
		if (now->known & arch_bit(arch_kept[i]))
			frame->kept[i] = now->values[arch_kept[i]];
}

/* Step as far as possible. */
static void climb(
	struct unwinder *unwinder, struct unwind_walk *walk, struct climb *climb)
{
	struct callchain *out = climb->out;
	struct frame *frame = &climb->frame;
	for (;;) {
		struct unwind_rule rule =
			unwind_table_find(unwinder->table, walk, *frame);
		if (rule.kind == UNWIND_RULE_NOWHERE)
			address_space_miss(unwinder->space, frame_code(*frame));
		if (rule.kind == UNWIND_RULE_NOWHERE &&
			address_space_is_unsure(unwinder->space, frame_code(*frame))) {
			callchain_add(out, *frame);
			out->end = UNWIND_CHANGED;
			return;
		}
		if (rule.kind == UNWIND_RULE_NOWHERE && !frame->is_activation) {
			out->end = end_in_nowhere(climb->last);
			return;
		}
		bool is_row = rule.kind == UNWIND_RULE_ROW;
		bool is_made = is_row && rule.row->is_made;
		frame->is_activation |= rule.kind == UNWIND_RULE_SIGNAL || is_made;
		frame->is_parked = is_row && rule.row->is_parked;
		note_kept(&walk->registers, frame);
		if (is_row)
			unwind_table_note(unwinder->table, walk, rule.row, frame);
		if (!callchain_add(out, *frame)) {
			out->end = UNWIND_TOO_DEEP;
			return;
		}
		bool is_inferred = is_row && rule.row->is_inferred;
		struct arch_registers before = walk->registers;
		struct frame entered = *frame;
		if (!step(unwinder, walk, frame, &rule, &out->end)) {
			if (is_made && climb->is_inferred) /* it might be chance */
				out->end = UNWIND_NO_CFI;
			return;
		}
		/* By a jump? */
		if (is_inferred &&
			unwind_table_row_at_jump(unwinder->table, walk, frame->pc) &&
			!unwind_haskell_add(
				&unwinder->haskell, walk, entered, &before, out))
			return;
		climb->last = rule.kind;
		climb->is_inferred = is_inferred;
	}
}

/* Does a climb on from where FROM stands, with these REGISTERS, reach the root? Of what
   it has so far the first LENGTH frames stay in any case. */
static bool climb_on(struct unwinder *unwinder, const struct unwind_walk *walk,
	const struct climb *from, const struct arch_registers *registers, uint32_t length)
{
	struct unwind_walk trial = *walk;
	struct climb on = *from;
	trial.registers = *registers;
	callchain_cut(on.out, length);
	climb(unwinder, &trial, &on);
	if (on.out->end != UNWIND_ROOT)
		return false;
	on.out->end = UNWIND_GUESSED;
	return true;
}

/* The climb stands at a frame whose frame pointer nobody told. Is there a place for it
   from which it goes on to the root? */
static void climb_by_guess(
	struct unwinder *unwinder, struct unwind_walk *walk, const struct climb *from)
{
	struct callchain *out = from->out;
	uint32_t length = out->length - 1;
	struct unwind_guess guess;
	struct arch_registers registers = walk->registers;
	registers.known |= arch_bit(arch_fp);
	unwind_guess_begin(&guess, walk, unwinder->table, frame_code(from->frame));
	for (int tries = 0; tries < MAX_GUESSES &&
			    unwind_guess_next(&guess, &registers.values[arch_fp]);
		tries++)
		if (climb_on(unwinder, walk, from, &registers, length))
			return;
	callchain_cut(out, length + 1);
	out->end = UNWIND_NO_REGISTER;
}

/* The same at generated code that nothing describes: is there a return address, from
   which it goes on? Else the stack ends as it did. */
static void climb_by_entry(
	struct unwinder *unwinder, struct unwind_walk *walk, const struct climb *from)
{
	struct callchain *out = from->out;
	uint32_t length = out->length;
	enum unwind_end end = out->end;
	uint64_t slot = arch_get_sp(&walk->registers);
	for (int tries = 0;
		tries < MAX_GUESSES && unwind_guess_entry(walk, unwinder->table, &slot);
		tries++) {
		struct arch_registers registers = {
			.known = arch_bit(arch_pc) | arch_bit(arch_sp)};
		struct climb caller = {.last = UNWIND_RULE_ROW, .out = out};
		unwind_walk_stack(walk, slot, &registers.values[arch_pc]);
		slot += sizeof(slot);
		registers.values[arch_sp] = slot;
		caller.frame.pc = registers.values[arch_pc];
		if (climb_on(unwinder, walk, &caller, &registers, length))
			return;
	}
	callchain_cut(out, length);
	out->end = end;
}

/* Is the last frame of the climb generated code, of which it is not certain that nobody
   called it? */
static bool is_lost_in_generated(struct unwind_walk *walk, const struct climb *up)
{
	bool is_end = up->out->end == UNWIND_NO_CFI ||
		      (up->out->end == UNWIND_ROOT && unwind_is_marked_first(walk) &&
			      !unwind_is_linked(walk));
	return is_end && unwind_is_anonymous(walk, up->frame);
}

/* Climb from UP to the end, by guesses where nothing else helps. */
static void climb_all(
	struct unwinder *unwinder, struct unwind_walk *walk, struct climb up)
{
	struct callchain *out = up.out;
	climb(unwinder, walk, &up);
	if (out->fold.frames == 0 && out->end == UNWIND_NO_REGISTER &&
		walk->missing == arch_fp)
		climb_by_guess(unwinder, walk, &up);
	else if (out->fold.frames == 0 && is_lost_in_generated(walk, &up))
		climb_by_entry(unwinder, walk, &up);
}

/* What is said of the whole stack, when it has been walked. */
static void settle(const struct unwind_walk *walk, struct callchain *out)
{
	/* Whatever else was tried instead of the stack. */
	if (walk->snapshot->is_not_read &&
		(out->end == UNWIND_NO_CFI || out->end == UNWIND_NO_REGISTER))
		out->end = UNWIND_NOT_READ;
	callchain_settle(out);
	bool is_whole = out->end == UNWIND_ROOT || out->end == UNWIND_GUESSED;
	out->broken_at = is_whole ? 0 : out->frames[out->length - 1].pc;
	bool is_short = out->end == UNWIND_TRUNCATED || out->end == UNWIND_BAD_MEMORY ||
			out->end == UNWIND_ELSEWHERE;
	out->lacked = is_short ? walk->lacked : 0;
	out->stack_top = walk->on_another_stack ? 0 : walk->stack_top;
	out->gap = walk->gap;
}

/* Walk from the leaf to the end. */
static void walk_stack(
	struct unwinder *unwinder, struct unwind_walk *walk, struct callchain *out)
{
	struct climb up = {
		.frame = {arch_get_pc(&walk->registers), .is_activation = true},
		.last = UNWIND_RULE_NOWHERE,
		.out = out,
	};
	callchain_begin(out);
	if (unwinder->libunwind)
		unwind_libunwind(unwinder->libunwind, unwinder->table, &unwinder->callers,
			walk, out);
	else
		climb_all(unwinder, walk, up);
	settle(walk, out);
}

static void forget_if_lost(struct unwinder *unwinder)
{
	uint64_t losses = address_space_losses(unwinder->space);
	if (losses == unwinder->losses)
		return;
	unwind_table_clear(unwinder->table);
	unwind_haskell_clear(&unwinder->haskell);
	vec_free(&unwinder->callers.list);
	if (unwinder->libunwind)
		unw_flush_cache(unwinder->libunwind, 0, 0);
	unwinder->losses = losses;
}

static struct unwind_walk begin(
	struct unwinder *unwinder, const struct snapshot *snapshot)
{
	return (struct unwind_walk){
		.space = unwinder->space,
		.snapshot = snapshot,
		.reads_left = UNWIND_READS,
		.registered = &unwinder->registered,
	};
}

void unwinder_unwind(
	struct unwinder *unwinder, const struct snapshot *snapshot, struct callchain *out)
{
	struct unwind_walk start = begin(unwinder, snapshot);
	callchain_begin(out);
	out->broken_at = out->stack_top = out->lacked = 0;
	out->end = UNWIND_FOREIGN;
	if (!snapshot_registers(snapshot, &start.registers))
		return;
	unwind_table_forget_old(unwinder->table, snapshot->time_ns);
	for (int i = 0; i < WALKS; i++) {
		struct unwind_walk walk = start;
		forget_if_lost(unwinder);
		walk_stack(unwinder, &walk, out);
		if (!address_space_learn(start.space, snapshot->time_ns))
			break;
	}
}

void unwinder_resume(struct unwinder *unwinder, const struct snapshot *snapshot,
	uint32_t length, const struct arch_registers *registers, struct callchain *out)
{
	struct unwind_walk walk = begin(unwinder, snapshot);
	struct climb up = {
		.frame = {arch_get_pc(registers), .sp = arch_get_sp(registers)},
		.last = UNWIND_RULE_ROW,
		.out = out,
	};
	walk.registers = *registers;
	forget_if_lost(unwinder); /* by the last walk's learning */
	callchain_cut(out, length);
	climb_all(unwinder, &walk, up);
	settle(&walk, out);
}

struct hotspot_monitors *unwinder_monitors(struct unwinder *unwinder)
{
	return unwind_table_monitors(unwinder->table);
}

void unwinder_tell(struct unwinder *unwinder, struct stack_link *link)
{
	unwind_haskell_tell(&unwinder->haskell, unwinder->space, link);
}
