/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/unwind/unwind-explore.h"

#include "src/arch/arch-code.h"
#include "src/base/mem.h"
#include "src/unwind/unwind-path.h"

#include <stdlib.h>
#include <string.h>

enum {
	WINDOW_BYTES = 512,
	SEEN_BITS = 11,
	SEEN_SLOTS = 1 << SEEN_BITS, /* twice EXPLORE_INSNS */
	MAX_PENDING = 128,
	ENTRY_CALLS = 2,
	ENTRY_GAP = 16,	   /* bytes of padding between two functions, and one more */
	RANK_TEARDOWN = 8, /* of an answer that saw no return, but all before it */
};

struct explorer {
	struct unwind_walk *walk;
	const struct region *region;
	struct explore_question question;
	uint32_t insns_left;
	bool is_ambiguous;
	struct explore_answer answer;

	uint32_t n_pending;
	struct unwind_path pending[MAX_PENDING];
	uint64_t seen[SEEN_SLOTS];
	uint64_t window_start;
	size_t window_length;
	unsigned char window[WINDOW_BYTES];
};

/* --- code --------------------------------------------------------------------------- */

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

/* --- paths -------------------------------------------------------------------------- */

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

static bool wants_return(const struct explorer *e)
{
	return e->question.goal == 0 && !e->question.wants_jump;
}

static void add(
	struct explorer *e, const struct unwind_path *path, uint64_t pc, uint32_t rank)
{
	if (!is_inside(e, pc))
		return;
	if (e->n_pending == MAX_PENDING) {
		e->answer.is_lost = true;
		return;
	}
	struct unwind_path *copy = &e->pending[e->n_pending++];
	*copy = *path;
	copy->pc = pc;
	copy->rank = rank;
}

/* The pending path past the fewest calls. */
static bool take(struct explorer *e, struct unwind_path *out)
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

/* --- answers ------------------------------------------------------------------------ */

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

/* PATH is at a return, or would be with TOP more bytes taken off the stack. */
static void answer_return(
	struct explorer *e, const struct unwind_path *path, int32_t top, uint32_t rank)
{
	struct unwind_row row;
	if (unwind_path_row_at_return(path, top, &row))
		answer(e, &row, rank);
	else
		e->answer.is_lost = true; /* it returns, but who knows where to */
}

/* PATH came from the function's start to what was asked for. */
static void answer_goal(struct explorer *e, const struct unwind_path *path)
{
	struct unwind_row row;
	if (unwind_path_row_from_start(path, &row))
		answer(e, &row, path->rank);
}

/* --- exploring ---------------------------------------------------------------------- */

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
static bool call_returns(const struct unwind_path *path, const struct arch_insn *insn)
{
	bool is_next = insn->target >= 0 && insn->target < ENTRY_GAP;
	return path->rank < ENTRY_CALLS && !is_next;
}

/* Where INSN leads from PATH, which has applied it and is at the next one. False if the
   path does not simply go on. */
static bool follow(
	struct explorer *e, struct unwind_path *path, const struct arch_insn *insn)
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
		if (!is_inside(e, target) && wants_return(e))
			answer_return(e, path, 0, path->rank);
		else
			add(e, path, target, path->rank);
		return false;
	case ARCH_FLOW_SLOT:
		if (wants_return(e))
			answer_return(e, path,
				is_plt_head(e, path->pc - insn->length)
					? 2 * UNWIND_PATH_WORD
					: 0,
				path->rank);
		return false;
	case ARCH_FLOW_RETURN:
		if (wants_return(e))
			answer_return(e, path, 0, path->rank);
		return false;
	case ARCH_FLOW_INDIRECT:
		e->answer.is_lost = true;
		if (e->question.wants_jump)
			answer_goal(e, path);
		return false;
	case ARCH_FLOW_STOP:
		return false;
	}
	return false;
}

static void run(struct explorer *e, struct unwind_path *path)
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
		bool teardown = wants_return(e) && unwind_path_is_teardown(path, &insn);
		unwind_path_apply(path, &insn);
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
	struct unwind_path path;
	unwind_path_begin(&path, question->start);
	add(e, &path, question->start, 0);
	while (take(e, &path))
		run(e, &path);
	e->answer.is_dead_end = !e->answer.is_found && !e->answer.is_lost;
	e->answer.is_found &= !e->is_ambiguous;
	return e->answer;
}
