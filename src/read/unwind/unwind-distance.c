/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/unwind/unwind-distance.h"

#include "src/read/unwind/unwind-paths.h"

enum {
	MAX_INSNS = 1 << 14,
	TABLE_RANK = MAX_INSNS, /* more calls than one way has */
};

#define UNTOLD INT32_MIN

struct search {
	struct unwind_paths paths;
	struct frame frame; /* the goal */
	unsigned reg;
	bool is_lost; /* paths disagree, or one could not be followed */
	bool is_found;
	uint32_t rank; /* of what was found: */
	int32_t distance;
	bool has_table; /* a jump to where a table says, past which JUMP was so: */
	struct unwind_path jump;
};

static int32_t distance_on(const struct search *search, const struct unwind_path *path)
{
	int32_t distance;
	return unwind_path_distance(path, search->reg, &distance) ? distance : UNTOLD;
}

/* PATH reaches its PC. False if another path did before. */
static bool see(struct search *search, const struct unwind_path *path)
{
	int32_t distance = distance_on(search, path);
	const struct unwind_visit *visit =
		unwind_paths_visit(&search->paths, path, distance);
	if (visit && visit->note != distance && visit->rank == path->rank)
		search->is_lost = true;
	return !visit;
}

static void answer(struct search *search, const struct unwind_path *path)
{
	int32_t distance = distance_on(search, path);
	if (search->is_found && path->rank > search->rank)
		return;
	search->is_lost |= distance == UNTOLD;
	search->is_lost |= search->is_found && search->distance != distance;
	search->is_found = true;
	search->rank = path->rank;
	search->distance = distance;
}

/* PATH has applied INSN and is at the next instruction. False if it does not go on
   there. */
static bool follow(struct search *search, const struct unwind_path *path,
	const struct arch_insn *insn)
{
	bool is_call = insn->flow == ARCH_FLOW_CALL;
	if (is_call && !search->frame.is_activation && path->pc == search->frame.pc)
		answer(search, path);
	/* A tail call has no frame any more. */
	if (insn->flow == ARCH_FLOW_INDIRECT && distance_on(search, path) != UNTOLD) {
		search->has_table = true;
		search->jump = *path;
	}
	return unwind_paths_follow(&search->paths, path, insn);
}

/* The stack pointer has an unknown value now. False if the path is useless then. */
static bool moved(struct search *search, struct unwind_path *path, int32_t before)
{
	if (before != UNTOLD) {
		/* Unless the frame was given up: the register is restored. */
		search->is_lost |= path->registers[search->reg].kind == UNWIND_VALUE_SUM;
		return false;
	}
	unwind_path_rebase(path);
	return true;
}

static void run(struct search *search, struct unwind_path *path)
{
	struct arch_insn insn;
	do {
		if (!unwind_paths_is_inside(&search->paths, path->pc) || search->is_lost)
			return;
		if (search->frame.is_activation && path->pc == search->frame.pc)
			answer(search, path);
		if (!see(search, path))
			return;
		if (!unwind_paths_decode(&search->paths, path->pc, &insn)) {
			search->is_lost = true;
			return;
		}
		int32_t before = distance_on(search, path);
		unwind_path_apply(path, &insn);
		if (path->registers[arch_sp].kind != UNWIND_VALUE_SUM &&
			!moved(search, path, before))
			return;
		path->pc += insn.length;
	} while (follow(search, path, &insn));
}

static void run_all(struct search *search)
{
	struct unwind_path path;
	while (unwind_paths_take(&search->paths, &path))
		run(search, &path);
}

/* Instructions that were not reached otherwise are taken for the targets of a jump
   table. */
static void run_table(struct search *search)
{
	struct unwind_paths *paths = &search->paths;
	struct arch_insn insn;
	struct unwind_path path = search->jump;
	path.rank = TABLE_RANK;
	uint64_t pc = paths->first;
	while (unwind_paths_is_inside(paths, pc) && !search->is_lost) {
		if (!unwind_paths_is_visited(paths, pc)) {
			unwind_paths_add(paths, &path, pc);
			run_all(search);
		}
		if (!unwind_paths_decode(paths, pc, &insn))
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
	struct search search = {.frame = frame, .reg = reg};
	unwind_paths_init(&search.paths, walk, region);
	unwind_paths_begin(&search.paths, first, limit, MAX_INSNS);
	struct unwind_path path;
	unwind_path_begin(&path, first);
	unwind_paths_add(&search.paths, &path, first);
	run_all(&search);
	if (search.has_table)
		run_table(&search);
	unwind_paths_finish(&search.paths);
	*distance = search.distance;
	return search.is_found && !search.is_lost;
}
