/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/unwind/unwind-distance.h"

#include "src/arch/arch-code.h"
#include "src/base/map.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/unwind/unwind-path.h"

#include <stdlib.h>

enum {
	MAX_INSNS = 1 << 14,
	WINDOW_BYTES = 512,
	TABLE_RANK = MAX_INSNS, /* more calls than one way has */
};

#define UNTOLD INT32_MIN

/* What the map has for each instruction that was reached. */
enum {
	DISTANCE,
	RANK,
};

struct flow {
	struct unwind_walk *walk;
	const struct region *region;
	struct frame frame; /* the goal */
	uint64_t first, limit;
	unsigned reg;
	uint32_t insns_left;
	bool is_lost; /* paths disagree, or one could not be followed */
	bool is_found;
	uint32_t rank; /* of what was found: */
	int32_t distance;
	bool has_table; /* a jump to where a table says, past which JUMP was so: */
	struct unwind_path jump;
	struct map seen;
	VEC(struct unwind_path) pending;
	uint64_t window_start;
	size_t window_length;
	unsigned char window[WINDOW_BYTES];
};

static bool decode(struct flow *flow, uint64_t pc, struct arch_insn *insn)
{
	uint64_t at = pc - flow->window_start;
	if (at >= flow->window_length || flow->window_length - at < ARCH_INSN_MAX) {
		size_t length = flow->limit - pc;
		if (length > sizeof(flow->window))
			length = sizeof(flow->window);
		flow->window_start = pc;
		flow->window_length = length;
		at = 0;
		if (!unwind_walk_code(flow->walk, flow->region, pc, flow->window, length))
			flow->window_length = 0;
	}
	return at < flow->window_length && flow->insns_left-- > 0 &&
	       arch_decode_insn(flow->window + at, flow->window_length - at, insn);
}

static bool is_inside(const struct flow *flow, uint64_t pc)
{
	return pc >= flow->first && pc < flow->limit;
}

static int32_t distance_on(const struct flow *flow, const struct unwind_path *path)
{
	int32_t distance;
	return unwind_path_distance(path, flow->reg, &distance) ? distance : UNTOLD;
}

static void add(struct flow *flow, const struct unwind_path *path, uint64_t pc)
{
	if (!is_inside(flow, pc))
		return;
	struct unwind_path copy = *path;
	copy.pc = pc;
	vec_push(&flow->pending, copy);
}

/* Take the pending path past the fewest calls: a call that never returns looks as if it
   went on into code that is not reached. */
static bool take(struct flow *flow, struct unwind_path *out)
{
	struct unwind_path *pending = flow->pending.data;
	size_t best = 0;
	for (size_t i = 1; i < flow->pending.len; i++)
		if (pending[i].rank < pending[best].rank)
			best = i;
	if (flow->pending.len == 0)
		return false;
	*out = pending[best];
	pending[best] = pending[--flow->pending.len];
	return true;
}

/* PATH reaches its PC. False if another path did before. */
static bool see(struct flow *flow, const struct unwind_path *path)
{
	int32_t distance = distance_on(flow, path);
	const uint32_t *known = map_get(&flow->seen, path->pc, DISTANCE);
	if (!known) {
		map_put(&flow->seen, path->pc, DISTANCE, (uint32_t)distance);
		map_put(&flow->seen, path->pc, RANK, path->rank);
		return true;
	}
	bool same = (int32_t)*known == distance;
	if (!same && *map_get(&flow->seen, path->pc, RANK) == path->rank)
		flow->is_lost = true;
	return false;
}

static void answer(struct flow *flow, const struct unwind_path *path)
{
	int32_t distance = distance_on(flow, path);
	if (flow->is_found && path->rank > flow->rank)
		return;
	flow->is_lost |= distance == UNTOLD;
	flow->is_lost |= flow->is_found && flow->distance != distance;
	flow->is_found = true;
	flow->rank = path->rank;
	flow->distance = distance;
}

/* Where INSN leads from PATH, which has applied it and is at the next one. False if the
   path does not simply go on. */
static bool follow(
	struct flow *flow, struct unwind_path *path, const struct arch_insn *insn)
{
	uint64_t target = path->pc + (uint64_t)(int64_t)insn->target;
	switch ((enum arch_flow)insn->flow) {
	case ARCH_FLOW_NEXT:
		return true;
	case ARCH_FLOW_CALL:
		if (!flow->frame.is_activation && path->pc == flow->frame.pc)
			answer(flow, path);
		path->rank++;
		add(flow, path, path->pc);
		return false;
	case ARCH_FLOW_BRANCH:
		add(flow, path, target);
		return true;
	case ARCH_FLOW_JUMP:
		add(flow, path, target);
		return false;
	case ARCH_FLOW_INDIRECT:
		/* A tail call has no frame any more. */
		if (distance_on(flow, path) != UNTOLD) {
			flow->has_table = true;
			flow->jump = *path;
		}
		return false;
	case ARCH_FLOW_SLOT:
	case ARCH_FLOW_RETURN:
	case ARCH_FLOW_STOP:
		return false;
	}
	return false;
}

/* The stack pointer has an unknown value now. False if the path is useless then. */
static bool moved(struct flow *flow, struct unwind_path *path, int32_t before)
{
	if (before != UNTOLD) {
		/* Unless the frame was given up: the register is restored. */
		flow->is_lost |= path->registers[flow->reg].kind == UNWIND_VALUE_SUM;
		return false;
	}
	unwind_path_rebase(path);
	return true;
}

static void run(struct flow *flow, struct unwind_path *path)
{
	while (is_inside(flow, path->pc) && !flow->is_lost) {
		if (flow->frame.is_activation && path->pc == flow->frame.pc)
			answer(flow, path);
		struct arch_insn insn;
		if (!see(flow, path))
			return;
		if (!decode(flow, path->pc, &insn)) {
			flow->is_lost = true;
			return;
		}
		int32_t before = distance_on(flow, path);
		unwind_path_apply(path, &insn);
		if (path->registers[arch_sp].kind != UNWIND_VALUE_SUM &&
			!moved(flow, path, before))
			return;
		path->pc += insn.length;
		if (!follow(flow, path, &insn))
			return;
	}
}

static void run_all(struct flow *flow)
{
	struct unwind_path path;
	while (take(flow, &path))
		run(flow, &path);
}

/* Instructions that were not reached otherwise are taken for the targets of a jump
   table. */
static void run_table(struct flow *flow)
{
	struct arch_insn insn;
	uint64_t pc = flow->first;
	flow->jump.rank = TABLE_RANK;
	while (is_inside(flow, pc) && !flow->is_lost) {
		if (!map_get(&flow->seen, pc, DISTANCE)) {
			add(flow, &flow->jump, pc);
			run_all(flow);
		}
		if (!decode(flow, pc, &insn))
			return;
		pc += insn.length;
	}
}

bool unwind_distance(struct unwind_walk *walk, struct frame frame, uint64_t first,
	uint64_t limit, unsigned reg, int32_t *distance)
{
	const struct region *region = address_space_find(walk->space, first);
	if (!region || limit <= first || limit > region->limit || reg == arch_sp)
		return false;
	struct flow *flow = mem_zalloc(sizeof(*flow));
	flow->walk = walk;
	flow->region = region;
	flow->frame = frame;
	flow->first = first;
	flow->limit = limit;
	flow->reg = reg;
	flow->insns_left = MAX_INSNS;
	struct unwind_path path;
	unwind_path_begin(&path, first);
	add(flow, &path, first);
	run_all(flow);
	if (flow->has_table)
		run_table(flow);
	*distance = flow->distance;
	bool is_found = flow->is_found && !flow->is_lost;
	vec_free(&flow->pending);
	map_finish(&flow->seen);
	free(flow);
	return is_found;
}
