#include "src/unwind-explore.h"

#include "src/arch-code.h"
#include "src/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	WINDOW_BYTES = 512,
	SEEN_BITS = 11,
	SEEN_SLOTS = 1 << SEEN_BITS, /* twice EXPLORE_INSNS */
	MAX_PENDING = 128,
	MAX_STORES = 8,
	WORD = 8, /* bytes */
	ENTRY_CALLS = 2,
	ENTRY_GAP = 16,	   /* bytes of padding between two functions, and one more */
	RANK_TEARDOWN = 8, /* of an answer that saw no return, but all before it */
	REGISTERS = 16,	   /* all but the PC */
};

/* What is known of a register while code is followed: the value that register OF had at
   the start, plus OFFSET; or the word at that address. */
struct value {
	enum {
		UNKNOWN,
		SUM,
		WORD_AT,
	} kind;
	uint8_t of;
	int32_t offset;
};

/* One way through the code, at PC, past RANK calls. */
struct path {
	uint64_t pc;
	uint32_t rank;
	uint8_t stores;
	struct {
		int32_t offset; /* from the first stack pointer */
		uint8_t reg;	/* its first value lies there */
	} store[MAX_STORES];
	struct value registers[REGISTERS];
};

struct explorer {
	struct unwind_walk *walk;
	const struct region *region;
	struct explore_question question;
	uint32_t insns_left;
	bool is_ambiguous;
	struct explore_answer answer;

	uint32_t n_pending;
	struct path pending[MAX_PENDING];
	uint64_t seen[SEEN_SLOTS];
	uint64_t window_start;
	size_t window_length;
	unsigned char window[WINDOW_BYTES];
};

/* --- code -----------------------------------------------------------------------------
 */

static size_t read_some(
	struct explorer *e, uint64_t address, unsigned char *out, size_t n)
{
	while (n > 0 && !unwind_walk_code(e->walk, e->region, address, out, n))
		n = n > 2 * ARCH_INSN_MAX ? n / 2 : n - 1;
	return n;
}

static bool decode(struct explorer *e, uint64_t pc, struct arch_insn *insn)
{
	uint64_t at = pc - e->window_start;
	if (at >= e->window_length || e->window_length - at < ARCH_INSN_MAX) {
		e->window_start = pc;
		e->window_length = read_some(e, pc, e->window, sizeof(e->window));
		at = 0;
	}
	return at < e->window_length &&
	       arch_decode_insn(e->window + at, e->window_length - at, insn);
}

/* --- paths ----------------------------------------------------------------------------
 */

static bool see(struct explorer *e, uint64_t pc)
{
	uint64_t hash = pc * UINT64_C(0x9e3779b97f4a7c15);
	for (size_t i = hash >> (64 - SEEN_BITS);; i = (i + 1) % SEEN_SLOTS) {
		if (e->seen[i] == pc)
			return false;
		if (e->seen[i] == 0) {
			e->seen[i] = pc;
			return true;
		}
	}
}

static bool is_inside(const struct explorer *e, uint64_t pc)
{
	const struct explore_question *question = &e->question;
	return question->limit == 0 || (pc >= question->first && pc < question->limit);
}

static void add(struct explorer *e, const struct path *path, uint64_t pc, uint32_t rank)
{
	if (!is_inside(e, pc))
		return;
	if (e->n_pending == MAX_PENDING) {
		e->answer.is_lost = true;
		return;
	}
	struct path *copy = &e->pending[e->n_pending++];
	*copy = *path;
	copy->pc = pc;
	copy->rank = rank;
}

/* The pending path past the fewest calls. */
static bool take(struct explorer *e, struct path *out)
{
	uint32_t best = 0;
	for (uint32_t i = 1; i < e->n_pending; i++)
		if (e->pending[i].rank < e->pending[best].rank)
			best = i;
	if (e->n_pending == 0 ||
		(e->answer.is_found && e->pending[best].rank > e->answer.rank))
		return false;
	*out = e->pending[best];
	e->pending[best] = e->pending[--e->n_pending];
	return true;
}

static struct value plus(struct value value, int32_t offset)
{
	if (value.kind != SUM ||
		__builtin_add_overflow(value.offset, offset, &value.offset))
		return (struct value){UNKNOWN, 0, 0};
	return value;
}

static bool is_initial(const struct path *path, unsigned reg)
{
	const struct value *value = &path->registers[reg];
	return value->kind == SUM && value->of == reg && value->offset == 0;
}

/* The word at ADDRESS, which may be a register's first value. */
static struct value load(const struct path *path, struct value address)
{
	if (address.kind != SUM)
		return (struct value){UNKNOWN, 0, 0};
	for (unsigned i = 0; i < path->stores; i++)
		if (address.of == arch_sp && path->store[i].offset == address.offset)
			return (struct value){SUM, path->store[i].reg, 0};
	return (struct value){WORD_AT, address.of, address.offset};
}

/* REG is stored at ADDRESS. Only a register that has still its first value is saved. */
static void store(struct path *path, struct value address, unsigned reg)
{
	if (address.kind != SUM || address.of != arch_sp)
		return;
	for (unsigned i = 0; i < path->stores; i++)
		if (path->store[i].offset == address.offset)
			path->store[i] = path->store[--path->stores];
	if (reg == ARCH_NO_REG || !(arch_preserved & 1u << reg) ||
		!is_initial(path, reg) || path->stores == MAX_STORES)
		return;
	path->store[path->stores].offset = address.offset;
	path->store[path->stores++].reg = (uint8_t)reg;
}

static void apply(struct path *path, const struct arch_insn *insn)
{
	struct value *registers = path->registers;
	struct value *sp = &registers[arch_sp], *fp = &registers[arch_fp];
	struct value base = {UNKNOWN, 0, 0};
	if (insn->base != ARCH_NO_REG)
		base = plus(registers[insn->base], insn->offset);
	switch ((enum arch_effect)insn->effect) {
	case ARCH_EFFECT_NONE:
		break;
	case ARCH_EFFECT_PUSH:
		*sp = plus(*sp, -WORD);
		store(path, *sp, insn->reg);
		break;
	case ARCH_EFFECT_POP:
		base = *sp;
		*sp = plus(*sp, WORD);
		if (insn->reg != ARCH_NO_REG)
			registers[insn->reg] = load(path, base);
		break;
	case ARCH_EFFECT_SET:
		/* A copy of a word is not needed. */
		registers[insn->reg] = base;
		break;
	case ARCH_EFFECT_LOAD:
		registers[insn->reg] = load(path, base);
		break;
	case ARCH_EFFECT_STORE:
		store(path, base, insn->reg);
		break;
	case ARCH_EFFECT_LEAVE:
		*sp = plus(*fp, WORD);
		*fp = load(path, *fp);
		break;
	}
}

/* --- answers --------------------------------------------------------------------------
 */

static bool same_frame(const struct unwind_row *a, const struct unwind_row *b)
{
	return a->cfa_register == b->cfa_register && a->cfa_offset == b->cfa_offset;
}

static void answer(struct explorer *e, const struct unwind_row *row, uint32_t rank)
{
	if (e->answer.is_found && rank > e->answer.rank)
		return;
	if (e->answer.is_found && rank == e->answer.rank)
		e->is_ambiguous |= !same_frame(&e->answer.row, row);
	else
		e->is_ambiguous = false;
	e->answer.is_found = true;
	e->answer.rank = rank;
	e->answer.row = *row;
}

static void set_slot(struct unwind_row *row, unsigned reg, int32_t offset)
{
	row->saved |= 1u << reg;
	row->slots[reg] = offset;
}

/* PATH is at a return, or would be with TOP more bytes taken off the stack. */
static void answer_return(
	struct explorer *e, const struct path *path, int32_t top, uint32_t rank)
{
	struct value cfa = plus(path->registers[arch_sp], top + WORD);
	if (cfa.kind != SUM)
		return;
	struct unwind_row row = {
		.cfa_register = cfa.of,
		.cfa_offset = cfa.offset,
		.is_inferred = true,
	};
	set_slot(&row, arch_pc, -WORD);
	for (unsigned reg = 0; reg < REGISTERS; reg++) {
		const struct value *value = &path->registers[reg];
		if (!(arch_preserved & 1u << reg) || is_initial(path, reg))
			continue;
		if (value->kind == WORD_AT && value->of == cfa.of)
			set_slot(&row, reg, value->offset - cfa.offset);
		else
			row.lost |= 1u << reg;
	}
	answer(e, &row, rank);
}

/* PATH came from the function's start to the goal. */
static void answer_goal(struct explorer *e, const struct path *path)
{
	unsigned base = arch_sp;
	if (path->registers[base].kind != SUM || path->registers[base].of != arch_sp)
		base = arch_fp;
	struct value now = path->registers[base];
	if (now.kind != SUM || now.of != arch_sp)
		return;
	struct unwind_row row = {
		.cfa_register = (uint8_t)base,
		.cfa_offset = WORD - now.offset,
		.is_inferred = true,
	};
	set_slot(&row, arch_pc, -WORD);
	for (unsigned i = 0; i < path->stores; i++)
		if (!is_initial(path, path->store[i].reg))
			set_slot(&row, path->store[i].reg, path->store[i].offset - WORD);
	for (unsigned reg = 0; reg < REGISTERS; reg++)
		if ((arch_preserved & 1u << reg) && !is_initial(path, reg) &&
			!(row.saved & 1u << reg))
			row.lost |= 1u << reg;
	answer(e, &row, path->rank);
}

/* --- exploring ------------------------------------------------------------------------
 */

/* The frame pointer is about to be popped where it points to: whatever follows, this
   frame had one. */
static bool is_teardown(const struct path *path, const struct arch_insn *insn)
{
	if (insn->effect == ARCH_EFFECT_LEAVE)
		return is_initial(path, arch_fp);
	const struct value *sp = &path->registers[arch_sp];
	return insn->effect == ARCH_EFFECT_POP && insn->reg == arch_fp &&
	       sp->kind == SUM && sp->of == arch_fp && sp->offset == 0;
}

/* Is the jump at PC the second instruction of a PLT? Both words that were pushed then are
   for the dynamic linker, which takes them off again (System V ABI AMD64, 5.2). */
static bool is_plt_head(struct explorer *e, uint64_t pc)
{
	unsigned char push[ARCH_PLT_PUSH_BYTES];
	return unwind_walk_code(
		       e->walk, e->region, pc - sizeof(push), push, sizeof(push)) &&
	       arch_is_plt_push(push);
}

/* Does what the code at an entry point calls return to it? The dynamic linker's does, and
   calls more. Where the code ends with the call, as in musl, the function that is called
   comes next. */
static bool call_returns(const struct path *path, const struct arch_insn *insn)
{
	bool is_next = insn->target >= 0 && insn->target < ENTRY_GAP;
	return path->rank < ENTRY_CALLS && !is_next;
}

/* Where INSN leads from PATH, which has applied it and is at the next one. False if the
   path does not simply go on. */
static bool follow(struct explorer *e, struct path *path, const struct arch_insn *insn)
{
	uint64_t target = path->pc + (uint64_t)(int64_t)insn->target;
	switch ((enum arch_flow)insn->flow) {
	case ARCH_FLOW_NEXT:
		return true;
	case ARCH_FLOW_CALL:
		e->answer.is_returned |= path->pc == e->question.goal;
		if (!e->question.is_entry || call_returns(path, insn))
			add(e, path, path->pc, path->rank + 1);
		return false;
	case ARCH_FLOW_BRANCH:
		add(e, path, target, path->rank);
		return true;
	case ARCH_FLOW_JUMP:
		if (!is_inside(e, target) && !e->question.goal)
			answer_return(e, path, 0, path->rank);
		else
			add(e, path, target, path->rank);
		return false;
	case ARCH_FLOW_SLOT:
		if (!e->question.goal)
			answer_return(e, path,
				is_plt_head(e, path->pc - insn->length) ? 2 * WORD : 0,
				path->rank);
		return false;
	case ARCH_FLOW_RETURN:
		if (!e->question.goal)
			answer_return(e, path, 0, path->rank);
		return false;
	case ARCH_FLOW_INDIRECT:
		e->answer.is_lost = true;
		return false;
	case ARCH_FLOW_STOP:
		return false;
	}
	return false;
}

static void run(struct explorer *e, struct path *path)
{
	for (;;) {
		if (!is_inside(e, path->pc))
			return;
		if (e->question.goal && path->pc == e->question.goal) {
			e->answer.is_reached = true;
			answer_goal(e, path);
			return;
		}
		struct arch_insn insn;
		if (!see(e, path->pc))
			return;
		if (e->insns_left == 0 || !decode(e, path->pc, &insn)) {
			e->answer.is_lost = true;
			return;
		}
		e->insns_left--;
		bool teardown = !e->question.goal && is_teardown(path, &insn);
		apply(path, &insn);
		if (teardown)
			answer_return(e, path, 0, path->rank + RANK_TEARDOWN);
		path->pc += insn.length;
		if (!follow(e, path, &insn))
			return;
	}
}

struct explorer *explorer_create(struct unwind_walk *walk, const struct region *region)
{
	struct explorer *e = mem_zalloc(sizeof(*e));
	e->walk = walk;
	e->region = region;
	return e;
}

void explorer_destroy(struct explorer *explorer)
{
	free(explorer);
}

struct explore_answer explorer_ask(
	struct explorer *e, const struct explore_question *question)
{
	memset(e->seen, 0, sizeof(e->seen));
	e->question = *question;
	e->insns_left = question->insns < EXPLORE_INSNS ? question->insns : EXPLORE_INSNS;
	e->is_ambiguous = false;
	e->answer = (struct explore_answer){0};
	e->n_pending = 0;
	struct path path = {.pc = question->start};
	for (unsigned reg = 0; reg < REGISTERS; reg++)
		path.registers[reg] = (struct value){SUM, (uint8_t)reg, 0};
	add(e, &path, question->start, 0);
	while (take(e, &path))
		run(e, &path);
	e->answer.is_dead_end = !e->answer.is_found && !e->answer.is_lost;
	e->answer.is_found &= !e->is_ambiguous;
	return e->answer;
}
