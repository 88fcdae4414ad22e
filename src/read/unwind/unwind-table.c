/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/unwind/unwind-table.h"

#include "src/base/clock.h"
#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/read/unwind/unwind-code.h"
#include "src/read/unwind/unwind-distance.h"
#include "src/read/unwind/unwind-explore.h"
#include "src/read/unwind/unwind-hotspot.h"

#include <stdlib.h>
#include <string.h>

/* A program's stacks have some thousands of distinct PCs. JIT code may produce them
   without end; then all rules are dropped. */
enum {
	MAX_RULES = 1 << 16
};

/* What the map holds for a PC: a kind in the low bits, and an index above them, into
   rows or, where a record begins, into states. */
enum {
	KIND_BITS = 3
};

enum {
	IS_RETURN = 2,
	IS_HOPELESS = 3,
	AT_JUMP = 4,
	MAP = 5,      /* of a function's start: an index into maps */
	DISTANCE = 6, /* this value and above: for a register, with is_activation */
};

/* How many instructions of long functions may be read: so many at once, and one more in so
   many nanoseconds. OpenBLAS has hundreds of such functions, of which a program uses five. */
#define MAP_INSNS   ((uint64_t)1 << 20)
#define MAP_INSN_NS 8192

enum {
	MAX_MAPS = 512
};

#define NO_DISTANCE INT32_MIN

/* No table knows the PC. */
#define NO_RULE UINT32_MAX

/* What was known of the PC is no longer true. */
#define FORGOTTEN (UINT32_MAX - 1)

/* How long rules for JIT code are kept: its compiler may put other code at the same
   address. */
#define JIT_TRUST_NS (10 * NS_PER_SEC)

struct state_record {
	struct elf_image *image;
	uint64_t bias;
	uint64_t state[]; /* opaque, of libunwind's own size */
};

struct unwind_table {
	unw_addr_space_t as;
	struct unwind_hotspot *hotspot;
	struct idmap rules; /* (PC, is_activation), (PC, IS_...), or (return PC, start) */
	uint64_t jit_ns;    /* when code without a file was first read; 0: never */
	VEC(struct unwind_row) rows;
	VEC(uint64_t) states; /* struct state_record after struct state_record */
	VEC(struct explore_map) maps;
	uint64_t empty_ns; /* how much of long functions may be read, as a time */
};

struct unwind_table *unwind_table_create(unw_addr_space_t as)
{
	struct unwind_table *table = mem_zalloc(sizeof(*table));
	table->as = as;
	table->hotspot = unwind_hotspot_create();
	return table;
}

void unwind_table_destroy(struct unwind_table *table)
{
	if (!table)
		return;
	unwind_table_clear(table);
	unwind_hotspot_destroy(table->hotspot);
	idmap_finish(&table->rules);
	vec_free(&table->rows);
	vec_free(&table->states);
	free(table);
}

struct hotspot_monitors *unwind_table_monitors(struct unwind_table *table)
{
	return unwind_hotspot_monitors(table->hotspot);
}

void unwind_table_note(const struct unwind_table *table, struct unwind_walk *walk,
	const struct unwind_row *row, struct frame *frame)
{
	if (row->is_interpreted)
		unwind_hotspot_interpreted(table->hotspot, walk, frame);
	if (row->is_given_up)
		unwind_hotspot_given_up(table->hotspot, walk, frame);
}

void unwind_table_clear(struct unwind_table *table)
{
	idmap_clear(&table->rules);
	vec_each (&table->maps, map)
		vec_free(&map->spans);
	vec_free(&table->maps);
	table->rows.len = 0;
	table->states.len = 0;
	table->jit_ns = 0;
}

void unwind_table_forget_old(struct unwind_table *table, uint64_t now_ns)
{
	if (table->jit_ns && now_ns - table->jit_ns > JIT_TRUST_NS)
		unwind_table_clear(table);
}

/* A search in a function's rows: which row is wanted, and the result. */
struct search {
	struct unwind_table *table;
	struct unwind_walk *walk;
	uint64_t pc;
	uint32_t rule; /* as in the map */
};

static uint32_t add_state(struct unwind_table *table, struct unwind_walk *walk,
	const void *state, size_t size)
{
	size_t at = table->states.len;
	size_t bytes = sizeof(struct state_record) + size;
	size_t words = (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
	vec_reserve(&table->states, at + words);
	struct state_record *record = (struct state_record *)(table->states.data + at);
	record->image = walk->image;
	record->bias = walk->bias;
	memcpy(record->state, state, size);
	table->states.len = at + words;
	return (uint32_t)at;
}

static int take_row(
	void *token, void *state, size_t size, unw_word_t start, unw_word_t limit)
{
	struct search *search = token;
	struct unwind_table *table = search->table;
	if (search->pc < start || search->pc >= limit)
		return 0;
	if (!unwind_state_is_sound(state, size))
		return -UNW_EBADREG;
	struct unwind_row row;
	bool is_told = search->walk->is_told;
	if (unwind_row_decode(&row, table->as, state)) {
		row.is_told = row.is_registered = is_told;
		if (is_told && !table->jit_ns)
			table->jit_ns = search->walk->snapshot->time_ns;
		search->rule = (uint32_t)table->rows.len << KIND_BITS | UNWIND_RULE_ROW;
		vec_push(&table->rows, row);
	} else if (!is_told) { /* its image may go at any time */
		uint32_t at = add_state(table, search->walk, state, size);
		search->rule = at << KIND_BITS | UNWIND_RULE_EXPRESSION;
	}
	return -UNW_ESTOPUNWIND; /* no further ones */
}

/* The table's rule for PC, or that of code without a table. */
static uint32_t look_up(struct unwind_table *table, struct unwind_walk *walk, uint64_t pc)
{
	/* The cursor takes its PC from a walk that is nowhere else yet. */
	struct unwind_walk start = *walk;
	if (start.reads_left > UNWIND_LOOKUP_READS)
		start.reads_left = UNWIND_LOOKUP_READS;
	uint32_t share = start.reads_left;
	start.registers.values[arch_pc] = pc;
	start.registers.known = arch_bit(arch_pc) | arch_bit(arch_sp);
	start.image = NULL;
	start.index = NULL;
	struct search search = {
		.table = table,
		.walk = &start,
		.pc = pc,
		.rule = NO_RULE,
	};
	unw_cursor_t cursor;
	if (unw_init_remote(&cursor, table->as, &start) == 0)
		unw_reg_states_iterate(&cursor, take_row, &search);
	walk->reads_left -= share - start.reads_left;
	return search.rule;
}

/* The rows of the function [FIRST, LIMIT), made when it is first met. NULL if too much was
   read lately. */
static const struct explore_map *map_of(struct unwind_table *table,
	struct unwind_walk *walk, const struct region *region, uint64_t first,
	uint64_t limit)
{
	const uint32_t *known = idmap_get(&table->rules, first, MAP);
	if (known)
		return &table->maps.data[*known];
	/* A bucket that is full at first, and fills with time: it was empty at EMPTY_NS. */
	uint64_t fill_ns = MAP_INSNS * MAP_INSN_NS;
	uint64_t now_ns = walk->snapshot->time_ns + fill_ns;
	if (now_ns > table->empty_ns + fill_ns)
		table->empty_ns = now_ns - fill_ns;
	if (now_ns < table->empty_ns + EXPLORE_MAP_INSNS * MAP_INSN_NS ||
		table->maps.len == MAX_MAPS)
		return NULL;
	struct explorer *e = explorer_create(walk, region);
	struct explore_map map;
	explorer_map(e, first, limit, &map);
	explorer_destroy(e);
	table->empty_ns += map.insns * MAP_INSN_NS;
	idmap_put(&table->rules, first, MAP, (uint32_t)table->maps.len);
	vec_push(&table->maps, map);
	return &table->maps.data[table->maps.len - 1];
}

/* The same as ROW, which the code near FRAME does not tell, in a long function: one of which not all
   instructions were read near FRAME. */
static void ask_map(struct unwind_table *table, struct unwind_walk *walk,
	const struct region *region, struct frame frame, struct unwind_row *row)
{
	uint64_t first, limit;
	bool is_named;
	if (row->is_root || row->switches || unwind_row_returns(row) ||
		!unwind_code_bounds(walk, region, frame, &first, &limit, &is_named) ||
		limit - first <= EXPLORE_INSNS)
		return;
	const struct explore_map *map = map_of(table, walk, region, first, limit);
	const struct unwind_row *found =
		map ? explore_map_row(map, frame_code(frame)) : NULL;
	bool is_dead_end = row->is_dead_end;
	if (!found)
		return;
	*row = *found;
	row->is_dead_end = is_dead_end;
	row->start = is_named ? 0 : first;
}

/* Code without a table: make a rule from its instructions. */
static uint32_t read_code(struct unwind_table *table, struct unwind_walk *walk,
	const struct region *region, struct frame frame)
{
	if (!region->inode && !table->jit_ns)
		table->jit_ns = walk->snapshot->time_ns;
	struct unwind_row rows[UNWIND_CODE_ROWS];
	unsigned count = 1;
	if (region->inode ||
		!unwind_hotspot_row(table->hotspot, walk, region, frame, &rows[0]))
		count = unwind_code_rows(walk, region, frame, rows);
	if (count == 1)
		ask_map(table, walk, region, frame, &rows[0]);
	size_t first = table->rows.len;
	for (unsigned i = 0; i < count; i++)
		vec_push(&table->rows, rows[i]);
	return (uint32_t)first << KIND_BITS | UNWIND_RULE_ROW;
}

static uint32_t add_row(struct unwind_table *table, const struct unwind_row *row)
{
	vec_push(&table->rows, *row);
	return (uint32_t)(table->rows.len - 1) << KIND_BITS | UNWIND_RULE_ROW;
}

/* gcc's expressions for frames that it aligned are wrong in the last instructions of the
   function, where registers are restored already; the code itself is not. */
static uint32_t rather_read_code(struct unwind_table *table, struct unwind_walk *walk,
	const struct region *region, uint64_t pc, uint32_t rule)
{
	struct unwind_row row;
	if (!unwind_code_row_ahead(walk, region, pc, &row))
		return rule;
	return add_row(table, &row);
}

/* Is this the rule of a table that is not right in every instruction? Compilers at run time
   describe a frame from its first to its last as one. */
static bool is_doubtful(const struct unwind_table *table, uint32_t rule)
{
	unsigned kind = rule & ((1u << KIND_BITS) - 1);
	return kind == UNWIND_RULE_EXPRESSION ||
	       (kind == UNWIND_RULE_ROW && table->rows.data[rule >> KIND_BITS].is_told);
}

/* Find the rule, and add it. */
static uint32_t add_rule(
	struct unwind_table *table, struct unwind_walk *walk, struct frame frame)
{
	static const struct unwind_row made = {.is_root = true, .is_made = true};
	static const struct unwind_row first = {.is_root = true};
	const struct region *region = address_space_find(walk->space, frame.pc);
	if (!region || !(region->permissions & REGION_EXECUTE))
		/* not cached: the mappings may be read again */
		return UNWIND_RULE_NOWHERE;
	if (table->rules.len >= MAX_RULES)
		unwind_table_clear(table);
	uint32_t rule = UNWIND_RULE_SIGNAL;
	if (unwind_code_is_made_root(walk, table->as, region, frame))
		rule = add_row(table, &made);
	else if (unwind_code_is_first(walk, region, frame))
		rule = add_row(table, &first);
	else if (unwind_walk_frame(walk, region, frame.pc) != ARCH_FRAME_SIGNAL)
		rule = look_up(table, walk, frame_code(frame));
	if (rule == NO_RULE)
		rule = read_code(table, walk, region, frame);
	else if (frame.is_activation && is_doubtful(table, rule))
		rule = rather_read_code(table, walk, region, frame.pc, rule);
	if (walk->reads_left > 0) /* else the search was cut off, so do not cache */
		idmap_put(&table->rules, frame.pc, frame.is_activation, rule);
	return rule;
}

struct unwind_rule unwind_table_find(
	struct unwind_table *table, struct unwind_walk *walk, struct frame frame)
{
	const uint32_t *known = idmap_get(&table->rules, frame.pc, frame.is_activation);
	uint32_t value =
		known && *known != FORGOTTEN ? *known : add_rule(table, walk, frame);
	size_t index = value >> KIND_BITS;
	struct unwind_rule rule = {.kind = value & ((1u << KIND_BITS) - 1)};
	if (rule.kind == UNWIND_RULE_ROW) {
		rule.row = &table->rows.data[index];
	} else if (rule.kind == UNWIND_RULE_EXPRESSION) {
		struct state_record *record =
			(struct state_record *)(table->states.data + index);
		rule.state = record->state;
		rule.image = record->image;
		rule.bias = record->bias;
	}
	return rule;
}

void unwind_table_forget(struct unwind_table *table, struct frame frame)
{
	idmap_put(&table->rules, frame.pc, frame.is_activation, FORGOTTEN);
}

/* What is not so now may be so when it is looked at again, where a program writes its code. */
static bool is_lasting(const struct unwind_walk *walk, uint64_t pc)
{
	const struct region *region = address_space_find(walk->space, pc);
	return region && region->inode;
}

bool unwind_table_is_return(
	struct unwind_table *table, struct unwind_walk *walk, uint64_t pc)
{
	const uint32_t *known = idmap_get(&table->rules, pc, IS_RETURN);
	if (known)
		return *known;
	bool is_return = unwind_code_is_return(walk, pc) ||
			 unwind_hotspot_is_return(table->hotspot, walk, pc);
	if (is_return || is_lasting(walk, pc))
		idmap_put(&table->rules, pc, IS_RETURN, is_return);
	return is_return;
}

bool unwind_table_may_call(struct unwind_table *table, struct unwind_walk *walk,
	uint64_t return_pc, uint64_t start)
{
	const uint32_t *known = idmap_get(&table->rules, return_pc, start);
	if (known)
		return *known;
	bool may_call = unwind_entry_may_be_called(walk, return_pc, start);
	if (may_call || is_lasting(walk, return_pc))
		idmap_put(&table->rules, return_pc, start, may_call);
	return may_call;
}

/* Did the call before RETURN_PC lead to where no code is known yet? */
static bool calls_unknown(struct unwind_walk *walk, uint64_t return_pc)
{
	uint64_t start;
	return unwind_called_by(walk, return_pc, &start) &&
	       !address_space_find(walk->space, start);
}

const struct unwind_row *unwind_table_row_at_jump(
	struct unwind_table *table, struct unwind_walk *walk, uint64_t return_pc)
{
	const uint32_t *known = idmap_get(&table->rules, return_pc, AT_JUMP);
	uint32_t index = known ? *known : NO_RULE;
	struct unwind_row row;
	if (!known && unwind_entry_row_at_jump(walk, return_pc, &row)) {
		index = (uint32_t)table->rows.len;
		vec_push(&table->rows, row);
	}
	if (!known && (index != NO_RULE || !calls_unknown(walk, return_pc)))
		idmap_put(&table->rules, return_pc, AT_JUMP, index);
	return index != NO_RULE ? &table->rows.data[index] : NULL;
}

bool unwind_table_is_hopeless(
	const struct unwind_table *table, const struct unwind_walk *walk, uint64_t pc)
{
	const uint32_t *changes = idmap_get(&table->rules, pc, IS_HOPELESS);
	return changes && *changes == (uint32_t)address_space_changes(walk->space);
}

void unwind_table_set_hopeless(
	struct unwind_table *table, const struct unwind_walk *walk, uint64_t pc)
{
	idmap_put(&table->rules, pc, IS_HOPELESS,
		(uint32_t)address_space_changes(walk->space));
}

bool unwind_table_function(struct unwind_table *table, struct unwind_walk *walk,
	uint64_t pc, uint64_t *first, uint64_t *limit)
{
	return unwind_walk_function(walk, table->as, pc, first, limit);
}

bool unwind_table_distance(struct unwind_table *table, struct unwind_walk *walk,
	struct frame frame, unsigned reg, int32_t *distance)
{
	uint64_t kind = DISTANCE + 2 * reg + frame.is_activation;
	const uint32_t *known = idmap_get(&table->rules, frame.pc, kind);
	if (known) {
		*distance = (int32_t)*known;
		return *distance != NO_DISTANCE;
	}
	uint64_t first, limit;
	if (!unwind_table_function(table, walk, frame_code(frame), &first, &limit) ||
		!unwind_distance(walk, frame, first, limit, reg, distance))
		*distance = NO_DISTANCE;
	idmap_put(&table->rules, frame.pc, kind, (uint32_t)*distance);
	return *distance != NO_DISTANCE;
}
