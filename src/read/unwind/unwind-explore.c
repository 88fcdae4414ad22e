/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/unwind/unwind-explore.h"

#include "src/arch/arch-code.h"
#include "src/base/mem.h"
#include "src/read/unwind/unwind-paths.h"

#include <stdlib.h>

enum {
	ENTRY_CALLS = 2,
	ENTRY_GAP = 16, /* bytes of padding between two functions, and one more */
	/* of an answer without a return, but with the teardown before it */
	RANK_TEARDOWN = 8,
};

struct explorer {
	struct unwind_paths paths;
	struct explore_question question;
	bool is_ambiguous;
	/* Two ways to one place have the stack pointer at different ones, as a loop that pushes: a row
	   that counts from there is right for one of them. */
	bool is_uneven, has_even;
	struct unwind_row even; /* instead */
	struct explore_answer answer;
};

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

static bool wants_return(const struct explorer *e)
{
	return e->question.goal == 0 && !e->question.wants_jump;
}

/* PATH is at a return, once TOP more bytes are taken off the stack. */
static void answer_return(
	struct explorer *e, const struct unwind_path *path, int32_t top, uint32_t rank)
{
	struct unwind_row row;
	if (!wants_return(e))
		return;
	if (unwind_path_row_at_return(path, top, &row))
		answer(e, &row, rank);
	else
		e->answer.is_lost = true; /* it returns, but who knows where to */
}

/* PATH came from the function's start to what was asked for. */
static void answer_goal(struct explorer *e, const struct unwind_path *path)
{
	struct unwind_row row;
	if (e->question.wants_jump ? unwind_path_row_at_jump(path, &row)
				   : unwind_path_row_from_start(path, &row))
		answer(e, &row, path->rank);
	if (!e->question.wants_jump && path->rank == e->answer.rank)
		e->has_even = unwind_path_row_without_sp(path, &e->even);
}

/* Where PATH has the stack pointer, to compare. */
static int32_t depth_of(const struct unwind_path *path)
{
	const struct unwind_value *sp = &path->registers[arch_sp];
	return sp->kind == UNWIND_VALUE_SUM && sp->of == arch_sp ? sp->offset : INT32_MIN;
}

/* Was PATH's PC reached before? */
static bool is_behind_another(struct explorer *e, const struct unwind_path *path)
{
	int32_t depth = depth_of(path);
	const struct unwind_visit *visit = unwind_paths_visit(&e->paths, path, depth);
	e->is_uneven |= visit && visit->note != depth;
	return visit;
}

/* --- exploring ---------------------------------------------------------------------- */

/* Is the jump at PC the second instruction of a PLT? Both words that were pushed then are
   for the dynamic linker, which takes them off again (System V ABI AMD64, 5.2). */
static bool is_plt_head(struct explorer *e, uint64_t pc)
{
	unsigned char push[ARCH_PLT_PUSH_BYTES];
	return unwind_walk_code(e->paths.walk, e->paths.region, pc - sizeof(push), push,
		       sizeof(push)) &&
	       arch_is_plt_push(push);
}

/* Does a call in the code at an entry point return? In the dynamic linker it does. In
   musl it does not: there the code ends with the call, and the called function
   follows. */
static bool call_returns(const struct unwind_path *path, const struct arch_insn *insn)
{
	bool is_next = insn->target >= 0 && insn->target < ENTRY_GAP;
	return path->rank < ENTRY_CALLS && !is_next;
}

/* PATH has applied INSN and is at the next instruction. False if it does not go on
   there. */
static bool follow(
	struct explorer *e, const struct unwind_path *path, const struct arch_insn *insn)
{
	bool is_plt;
	switch ((enum arch_flow)insn->flow) {
	case ARCH_FLOW_CALL:
		e->answer.is_returned |= path->pc == e->question.goal;
		if (e->question.is_entry && !call_returns(path, insn))
			return false;
		break;
	case ARCH_FLOW_JUMP:
		if (wants_return(e) && !unwind_paths_is_inside(&e->paths,
					       unwind_paths_target(path, insn)))
			answer_return(e, path, 0, path->rank);
		break;
	case ARCH_FLOW_SLOT:
		is_plt = is_plt_head(e, path->pc - insn->length);
		answer_return(e, path, is_plt ? 2 * UNWIND_PATH_WORD : 0, path->rank);
		break;
	case ARCH_FLOW_RETURN:
		answer_return(e, path, 0, path->rank);
		break;
	case ARCH_FLOW_INDIRECT:
		e->answer.is_lost = true;
		if (e->question.wants_jump)
			answer_goal(e, path);
		break;
	case ARCH_FLOW_NEXT:
	case ARCH_FLOW_BRANCH:
	case ARCH_FLOW_STOP:
		break;
	}
	return unwind_paths_follow(&e->paths, path, insn);
}

static void run(struct explorer *e, struct unwind_path *path)
{
	struct arch_insn insn;
	do {
		if (!unwind_paths_is_inside(&e->paths, path->pc))
			return;
		if (e->question.goal && path->pc == e->question.goal) {
			e->answer.is_reached = true;
			answer_goal(e, path);
			return;
		}
		if (is_behind_another(e, path))
			return;
		if (!unwind_paths_decode(&e->paths, path->pc, &insn)) {
			e->answer.is_lost = true;
			return;
		}
		bool teardown = unwind_path_is_teardown(path, &insn);
		unwind_path_apply(path, &insn);
		if (teardown)
			answer_return(e, path, 0, path->rank + RANK_TEARDOWN);
		path->pc += insn.length;
	} while (follow(e, path, &insn));
}

struct explorer *explorer_create(struct unwind_walk *walk, const struct region *region)
{
	struct explorer *e = mem_zalloc(sizeof(*e));
	unwind_paths_init(&e->paths, walk, region);
	return e;
}

void explorer_destroy(struct explorer *explorer)
{
	unwind_paths_finish(&explorer->paths);
	free(explorer);
}

struct explore_answer explorer_ask(
	struct explorer *e, const struct explore_question *question)
{
	uint32_t insns =
		question->insns < EXPLORE_INSNS ? question->insns : EXPLORE_INSNS;
	unwind_paths_begin(&e->paths, question->first, question->limit, insns);
	e->question = *question;
	e->is_ambiguous = e->is_uneven = e->has_even = false;
	e->answer = (struct explore_answer){0};
	struct unwind_path path;
	unwind_path_begin(&path, question->start);
	unwind_paths_add(&e->paths, &path, question->start);
	while (unwind_paths_take(&e->paths, &path) &&
		(!e->answer.is_found || path.rank <= e->answer.rank))
		run(e, &path);
	e->answer.is_dead_end = !e->answer.is_found && !e->answer.is_lost;
	e->answer.is_found &= !e->is_ambiguous;
	if (e->is_uneven && e->has_even && e->answer.row.cfa_register == arch_sp)
		e->answer.row = e->even;
	return e->answer;
}

/* --- a whole function ------------------------------------------------------------------ */

struct place {
	uint64_t pc, limit; /* of an instruction */
	bool is_known;
	struct unwind_row row;
};

struct survey {
	struct unwind_paths *paths;
	VEC(struct place) places; /* by the note of the visit */
	bool is_lost;
};

static bool same_row(const struct place *a, const struct place *b)
{
	if (a->is_known != b->is_known || !same_frame(&a->row, &b->row) ||
		a->row.saved != b->row.saved || a->row.lost != b->row.lost)
		return false;
	for (unsigned reg = 0; reg < ARCH_REGISTERS; reg++)
		if (a->row.slots[reg] != b->row.slots[reg])
			return false;
	return true;
}

/* PATH reaches its PC. False if another path did before, past no more calls: then both
   must agree, because only that one goes on. */
static bool see(struct survey *survey, const struct unwind_path *path)
{
	struct place place = {.pc = path->pc};
	place.is_known = unwind_path_row_on_the_way(path, &place.row);
	const struct unwind_visit *visit =
		unwind_paths_visit(survey->paths, path, (int32_t)survey->places.len);
	if (!visit)
		vec_push(&survey->places, place);
	else if (visit->rank == path->rank &&
		 !same_row(&place, &survey->places.data[visit->note]))
		survey->is_lost = true;
	return !visit;
}

static void survey_path(struct survey *survey, struct unwind_path *path)
{
	struct unwind_paths *paths = survey->paths;
	struct arch_insn insn;
	do {
		if (!unwind_paths_is_inside(paths, path->pc) || !see(survey, path) ||
			!unwind_paths_decode(paths, path->pc, &insn))
			return;
		unwind_path_apply(path, &insn);
		path->pc += insn.length;
		survey->places.data[survey->places.len - 1].limit = path->pc;
	} while (!survey->is_lost && unwind_paths_follow(paths, path, &insn));
}

static int by_pc(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	return (x->pc > y->pc) - (x->pc < y->pc);
}

static void make_spans(struct survey *survey, struct explore_map *out)
{
	const struct place *last = NULL;
	struct explore_span unknown = {.start = out->first};
	if (survey->places.len > 0)
		qsort(survey->places.data, survey->places.len,
			sizeof(*survey->places.data), by_pc);
	vec_each (&survey->places, place) {
		if (last && last->limit < place->pc) { /* not reached: perhaps no code */
			unknown.start = last->limit;
			vec_push(&out->spans, unknown);
			last = NULL;
		}
		if (!last || !same_row(last, place))
			vec_push(&out->spans, (struct explore_span){place->pc,
						      place->is_known, place->row});
		last = place;
		if (out->spans.len > EXPLORE_MAP_SPANS) {
			vec_free(&out->spans);
			return;
		}
	}
}

void explorer_map(
	struct explorer *e, uint64_t first, uint64_t limit, struct explore_map *out)
{
	struct unwind_paths *paths = &e->paths;
	struct survey survey = {.paths = paths};
	struct unwind_path path;
	*out = (struct explore_map){.first = first, .limit = limit};
	unwind_paths_begin(paths, first, limit, EXPLORE_MAP_INSNS);
	unwind_path_begin(&path, first);
	unwind_paths_add(paths, &path, first);
	while (!survey.is_lost && unwind_paths_take(paths, &path))
		survey_path(&survey, &path);
	out->insns = EXPLORE_MAP_INSNS - paths->insns_left;
	if (!survey.is_lost && paths->insns_left > 0)
		make_spans(&survey, out);
	vec_free(&survey.places);
}

const struct unwind_row *explore_map_row(const struct explore_map *map, uint64_t pc)
{
	size_t low = 0, high = map->spans.len;
	if (pc < map->first || pc >= map->limit)
		return NULL;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (map->spans.data[middle].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	const struct explore_span *span = low > 0 ? &map->spans.data[low - 1] : NULL;
	return span && span->is_known ? &span->row : NULL;
}

/* --- how code was entered ------------------------------------------------------------ */

bool unwind_called_by(struct unwind_walk *walk, uint64_t return_pc, uint64_t *start)
{
	unsigned char call[UNWIND_PATH_WORD];
	int32_t distance;
	const struct region *region = address_space_find(walk->space, return_pc - 1);
	if (!region ||
		!unwind_walk_code(
			walk, region, return_pc - sizeof(call), call, sizeof(call)) ||
		!arch_called(call + sizeof(call), &distance))
		return false;
	*start = return_pc + (uint64_t)(int64_t)distance;
	return true;
}

bool unwind_entry_may_be_called(
	struct unwind_walk *walk, uint64_t return_pc, uint64_t start)
{
	struct explore_question question = {.goal = start, .insns = EXPLORE_INSNS};
	if (!unwind_called_by(walk, return_pc, &question.start) ||
		question.start == start)
		return true;
	const struct region *region = address_space_find(walk->space, start);
	struct explorer *e = explorer_create(walk, region);
	struct explore_answer answer = explorer_ask(e, &question);
	explorer_destroy(e);
	/* A jump there, with the stack as it was: a tail call. */
	return answer.is_found && answer.row.cfa_register == arch_sp &&
	       answer.row.cfa_offset == ARCH_CALL_PUSHES;
}

bool unwind_entry_row_at_jump(
	struct unwind_walk *walk, uint64_t return_pc, struct unwind_row *row)
{
	struct explore_question question = {.wants_jump = true, .insns = EXPLORE_INSNS};
	if (!unwind_called_by(walk, return_pc, &question.start))
		return false;
	const struct region *region = address_space_find(walk->space, question.start);
	if (!region || !(region->permissions & REGION_EXECUTE))
		return false;
	struct explorer *e = explorer_create(walk, region);
	struct explore_answer answer = explorer_ask(e, &question);
	explorer_destroy(e);
	*row = answer.row;
	return answer.is_found && answer.rank == 0 && row->cfa_register == arch_sp;
}

uint64_t unwind_bytes_to_jump(struct explorer *e, uint64_t pc)
{
	struct explore_question question = {
		.start = pc,
		.wants_jump = true,
		.insns = EXPLORE_INSNS,
	};
	struct explore_answer answer = explorer_ask(e, &question);
	bool is_told = answer.is_found && answer.row.cfa_register == arch_sp;
	return is_told ? ARCH_CALL_PUSHES - (uint64_t)(int64_t)answer.row.cfa_offset : 0;
}
