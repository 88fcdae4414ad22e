/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/unwind/unwind-paths.h"

void unwind_paths_init(
	struct unwind_paths *paths, struct unwind_walk *walk, const struct region *region)
{
	*paths = (struct unwind_paths){.walk = walk, .region = region};
}

void unwind_paths_finish(struct unwind_paths *paths)
{
	vec_free(&paths->pending[0]);
	vec_free(&paths->pending[1]);
	vec_free(&paths->visits);
	idmap_finish(&paths->seen);
}

void unwind_paths_begin(
	struct unwind_paths *paths, uint64_t first, uint64_t limit, uint32_t insns)
{
	paths->first = first;
	paths->limit = limit;
	paths->insns_left = insns;
	paths->rank = 0;
	paths->pending[0].len = paths->pending[1].len = 0;
	paths->visits.len = 0;
	idmap_clear(&paths->seen);
}

bool unwind_paths_is_inside(const struct unwind_paths *paths, uint64_t pc)
{
	return paths->limit == 0 || (pc >= paths->first && pc < paths->limit);
}

void unwind_paths_add(
	struct unwind_paths *paths, const struct unwind_path *path, uint64_t pc)
{
	if (!unwind_paths_is_inside(paths, pc))
		return;
	struct unwind_path copy = *path;
	copy.pc = pc;
	vec_push(&paths->pending[copy.rank & 1], copy);
}

bool unwind_paths_take(struct unwind_paths *paths, struct unwind_path *path)
{
	unsigned list = paths->rank & 1;
	if (paths->pending[list].len == 0)
		list ^= 1;
	if (paths->pending[list].len == 0)
		return false;
	*path = paths->pending[list].data[--paths->pending[list].len];
	paths->rank = path->rank;
	return true;
}

const struct unwind_visit *unwind_paths_visit(
	struct unwind_paths *paths, const struct unwind_path *path, int32_t note)
{
	const uint32_t *known = idmap_get(&paths->seen, path->pc, 0);
	if (known)
		return &paths->visits.data[*known];
	idmap_put(&paths->seen, path->pc, 0, (uint32_t)paths->visits.len);
	vec_push(&paths->visits, (struct unwind_visit){path->rank, note});
	return NULL;
}

bool unwind_paths_is_visited(const struct unwind_paths *paths, uint64_t pc)
{
	return idmap_get(&paths->seen, pc, 0) != NULL;
}

/* As much of the code at ADDRESS as can be read, at most N bytes. */
static size_t read_some(
	struct unwind_paths *paths, uint64_t address, unsigned char *out, size_t n)
{
	while (n > 0 && !unwind_walk_code(paths->walk, paths->region, address, out, n))
		n = n > 2 * ARCH_INSN_MAX ? n / 2 : n - 1;
	return n;
}

bool unwind_paths_decode(struct unwind_paths *paths, uint64_t pc, struct arch_insn *insn)
{
	if (paths->insns_left == 0)
		return false;
	paths->insns_left--;
	uint64_t at = pc - paths->code_start;
	if (at >= paths->code_length || paths->code_length - at < ARCH_INSN_MAX) {
		paths->code_start = pc;
		paths->code_length =
			read_some(paths, pc, paths->code, sizeof(paths->code));
		at = 0;
	}
	return at < paths->code_length &&
	       arch_decode_insn(paths->code + at, paths->code_length - at, insn);
}

bool unwind_paths_follow(struct unwind_paths *paths, const struct unwind_path *path,
	const struct arch_insn *insn)
{
	switch ((enum arch_flow)insn->flow) {
	case ARCH_FLOW_NEXT:
		return true;
	case ARCH_FLOW_BRANCH:
		unwind_paths_add(paths, path, unwind_paths_target(path, insn));
		return true;
	case ARCH_FLOW_JUMP:
		unwind_paths_add(paths, path, unwind_paths_target(path, insn));
		return false;
	case ARCH_FLOW_CALL: {
		struct unwind_path returned = *path;
		returned.rank++;
		unwind_paths_add(paths, &returned, path->pc);
		return false;
	}
	case ARCH_FLOW_INDIRECT:
	case ARCH_FLOW_SLOT:
	case ARCH_FLOW_RETURN:
	case ARCH_FLOW_STOP:
		return false;
	}
	return false;
}
