/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/elf/elf-units.h"

#include "src/base/idmap.h"
#include "src/base/mem.h"

#include <dwarf.h>
#include <stdlib.h>

enum {
	UNITS_MAX = 1 << 20,
	RANGES_MAX = 1 << 23,
	/* DIEs of one unit: a limit, because a sibling link may lead backwards */
	STEPS_MAX = 1 << 25,
	NESTING_MAX = 64,
	OVERLAP_MAX = 64, /* ranges looked at before one is not found */
	LINE_BYTES = 64,  /* that libdw keeps per line of a unit */
};

struct range {
	uint64_t start, limit;
	Dwarf_Off die;
};

struct ranges {
	VEC(struct range) list;
};

struct elf_units {
	const struct elf_image *image;
	Dwarf *dwarf;
	struct ranges units;
	VEC(struct ranges) functions; /* of the units gone through */
	struct idmap known;	      /* offset of a unit -> index in functions */
	size_t bytes;
};

/* --- ranges ------------------------------------------------------------------------ */

/* Code that the linker removed is still described, at address 0 or outside of the
   file. */
static void add_ranges(
	const struct elf_units *units, struct ranges *ranges, Dwarf_Die *die)
{
	Dwarf_Addr base, start, limit;
	Dwarf_Off offset = dwarf_dieoffset(die);
	for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &start, &limit)) > 0;) {
		if (ranges->list.len >= RANGES_MAX)
			return;
		if (start < limit && elf_image_code_segment(units->image, start))
			vec_push(&ranges->list, (struct range){start, limit, offset});
	}
}

/* By start; of two that start together the larger first. */
static int compare_ranges(const void *left, const void *right)
{
	const struct range *a = left, *b = right;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->limit != b->limit)
		return a->limit > b->limit ? -1 : 1;
	return a->die < b->die ? -1 : a->die > b->die;
}

static void sort_ranges(struct ranges *ranges)
{
	if (ranges->list.len)
		qsort(ranges->list.data, ranges->list.len, sizeof(*ranges->list.data),
			compare_ranges);
}

/* The innermost range that holds VADDR: the last that starts before it, or one of a few
   before that. */
static const struct range *find_range(const struct ranges *ranges, uint64_t vaddr)
{
	size_t low = 0, high = ranges->list.len;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (ranges->list.data[middle].start <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	for (unsigned tries = 0; low > 0 && tries < OVERLAP_MAX; tries++)
		if (vaddr < ranges->list.data[--low].limit)
			return &ranges->list.data[low];
	return NULL;
}

/* --- units ------------------------------------------------------------------------- */

static void list_units(struct elf_units *units)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	for (size_t i = 0; i < UNITS_MAX; i++) {
		/* Without a place for the split unit, libdw does not look for its
		   file. */
		if (dwarf_get_units(units->dwarf, cu, &cu, NULL, NULL, &unit, NULL) != 0)
			break;
		int tag = dwarf_tag(&unit);
		if (tag == DW_TAG_compile_unit || tag == DW_TAG_skeleton_unit)
			add_ranges(units, &units->units, &unit);
	}
	sort_ranges(&units->units);
}

struct elf_units *elf_units_create(const struct elf_image *image, Dwarf *dwarf)
{
	struct elf_units *units = mem_zalloc(sizeof(*units));
	units->image = image;
	units->dwarf = dwarf;
	list_units(units);
	return units;
}

void elf_units_destroy(struct elf_units *units)
{
	if (!units)
		return;
	vec_each (&units->functions, ranges)
		vec_free(&ranges->list);
	vec_free(&units->functions);
	vec_free(&units->units.list);
	idmap_finish(&units->known);
	free(units);
}

bool elf_units_find(struct elf_units *units, uint64_t vaddr, Dwarf_Die *unit)
{
	const struct range *range = find_range(&units->units, vaddr);
	if (range)
		return dwarf_offdie(units->dwarf, range->die, unit) != NULL;
	return dwarf_addrdie(units->dwarf, vaddr, unit) != NULL;
}

size_t elf_units_bytes(const struct elf_units *units)
{
	return units ? units->bytes : 0;
}

/* --- functions --------------------------------------------------------------------- */

struct walk {
	const struct elf_units *units;
	struct ranges *functions;
	unsigned steps;
};

/* Functions stand in units, namespaces, types and functions. */
static bool may_have_functions(int tag)
{
	switch (tag) {
	case DW_TAG_compile_unit:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_subprogram:
		return true;
	default:
		return false;
	}
}

static void list_functions(struct walk *walk, Dwarf_Die *die, unsigned depth)
{
	Dwarf_Die child;
	if (depth >= NESTING_MAX || dwarf_child(die, &child) != 0)
		return;
	do {
		if (++walk->steps > STEPS_MAX)
			return;
		int tag = dwarf_tag(&child);
		if (tag == DW_TAG_subprogram)
			add_ranges(walk->units, walk->functions, &child);
		if (may_have_functions(tag))
			list_functions(walk, &child, depth + 1);
	} while (dwarf_siblingof(&child, &child) == 0);
}

static const struct ranges *functions_of(struct elf_units *units, Dwarf_Die *unit)
{
	Dwarf_Off offset = dwarf_dieoffset(unit);
	uint32_t *known = idmap_get(&units->known, offset, 0);
	if (known)
		return &units->functions.data[*known];
	struct ranges functions = {0};
	struct walk walk = {.units = units, .functions = &functions};
	list_functions(&walk, unit, 0);
	sort_ranges(&functions);

	Dwarf_Lines *lines;
	size_t n_lines = 0;
	if (dwarf_getsrclines(unit, &lines, &n_lines) != 0)
		n_lines = 0;
	units->bytes += functions.list.cap * sizeof(struct range) + n_lines * LINE_BYTES;
	idmap_put(&units->known, offset, 0, (uint32_t)units->functions.len);
	vec_push(&units->functions, functions);
	return &units->functions.data[units->functions.len - 1];
}

bool elf_units_function(
	struct elf_units *units, Dwarf_Die *unit, uint64_t vaddr, Dwarf_Die *function)
{
	const struct range *range = find_range(functions_of(units, unit), vaddr);
	return range && dwarf_offdie(units->dwarf, range->die, function) != NULL;
}
