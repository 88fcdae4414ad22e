/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/unwind/unwind-caller.h"

#include "src/read/unwind/unwind-explore.h"
#include "src/read/unwind/unwind-path.h"

enum {
	PART_BYTES = 4 << 10, /* of the code, read at a time */
	CODE_MOST = 32 << 20, /* a larger file is not searched */
};

/* Add what the LENGTH bytes of CODE from ADDRESS on, behind a call's, say. False: there are too many. */
static bool search_part(struct unwind_callers *callers, const unsigned char *code,
	size_t length, uint64_t address)
{
	for (size_t at = 0; at < length; at += ARCH_INSN_ALIGNMENT) {
		int32_t distance;
		uint64_t pc = address + at;
		if (!arch_called(code + at, &distance) ||
			pc + (uint64_t)(int64_t)distance != callers->first)
			continue;
		if (callers->count == UNWIND_CALLERS_MOST)
			return false;
		callers->returns[callers->count++] = pc;
	}
	return true;
}

static struct unwind_callers search(
	struct unwind_walk *walk, const struct region *region, uint64_t first)
{
	struct unwind_callers callers = {.first = first};
	unsigned char code[UNWIND_PATH_WORD + PART_BYTES];
	if (region->limit - region->start > CODE_MOST)
		return callers;
	size_t length = PART_BYTES;
	for (uint64_t address = region->start + UNWIND_PATH_WORD; address < region->limit;
		address += length) {
		if (region->limit - address < length)
			length = region->limit - address;
		if (!unwind_walk_code(walk, region, address - UNWIND_PATH_WORD, code,
			    UNWIND_PATH_WORD + length))
			break; /* the mapping ends with a page, the file before */
		if (search_part(&callers, code + UNWIND_PATH_WORD, length, address))
			continue;
		callers.count = 0;
		break;
	}
	return callers;
}

static const struct unwind_callers *find(struct unwind_callers_known *known,
	struct unwind_walk *walk, const struct region *region, uint64_t first)
{
	vec_each (&known->list, callers)
		if (callers->first == first)
			return callers;
	struct unwind_callers callers = search(walk, region, first);
	vec_push(&known->list, callers);
	return &known->list.data[known->list.len - 1];
}

/* If WALK were at RETURN_PC, would it be in a function that was called from where its caller is? */
static bool is_called_from(
	struct unwind_table *table, const struct unwind_walk *walk, uint64_t return_pc)
{
	uint64_t first, limit, callee;
	enum unwind_end end;
	struct unwind_walk trial = *walk;
	unwind_walk_return(&trial, return_pc);
	if (!unwind_table_function(table, &trial, return_pc - 1, &first, &limit))
		return false;
	struct unwind_rule rule =
		unwind_table_find(table, &trial, (struct frame){.pc = return_pc});
	return rule.kind == UNWIND_RULE_ROW && !rule.row->is_inferred &&
	       !rule.row->is_root && unwind_row_step(rule.row, &trial, &end) &&
	       unwind_called_by(&trial, arch_get_pc(&trial.registers), &callee) &&
	       callee == first;
}

static bool has_no_frame(
	struct unwind_table *table, struct unwind_walk *walk, struct frame frame)
{
	struct unwind_rule rule = unwind_table_find(table, walk, frame);
	return rule.kind == UNWIND_RULE_ROW && rule.row->in_register &&
	       rule.row->cfa_register == arch_sp && rule.row->cfa_offset == 0;
}

bool unwind_caller_step(struct unwind_callers_known *known, struct unwind_table *table,
	struct unwind_walk *walk, struct frame frame)
{
	const struct region *region = address_space_find(walk->space, frame.pc);
	uint64_t first, limit, found = 0, n = 0;
	if (ARCH_CALL_PUSHES != 0 || (walk->registers.known & arch_bit(ARCH_RETURN)) ||
		!region || !frame.is_activation || !has_no_frame(table, walk, frame) ||
		!unwind_table_function(table, walk, frame.pc, &first, &limit))
		return false;
	const struct unwind_callers *callers = find(known, walk, region, first);
	for (uint32_t i = 0; i < callers->count; i++)
		if (is_called_from(table, walk, callers->returns[i])) {
			found = callers->returns[i];
			n++;
		}
	return n == 1 && unwind_walk_return(walk, found);
}
