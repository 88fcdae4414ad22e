/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/annotate/code-cost.h"

#include "src/base/mem.h"
#include "src/count/calltree.h"

#include <string.h>

bool annotation_address_in(const struct profile *profile, uint32_t mapping,
	const struct cost_place *place, uint64_t *address)
{
	const struct mapping *of = profile_mapping(profile, place->mapping);
	const struct mapping *in = profile_mapping(profile, mapping);
	*address = place->address;
	if (place->mapping == mapping)
		return true;
	*address = place->address - of->start + of->file_offset - in->file_offset +
		   in->start;
	return strcmp(of->path, in->path) == 0 && strcmp(of->build_id, in->build_id) == 0;
}

/* Is the function one that has code of its own, rather than being inlined everywhere? */
static bool is_real(const struct annotation_input *input)
{
	const struct report *report = input->report;
	vec_each (&input->cost->places, place) {
		const struct location *location =
			report_described(report, place->location);
		if (place->mapping == input->mapping && location->n_lines > 0 &&
			profile_function(report->profile,
				location->lines[location->n_lines - 1].function)
					->kin == input->cost->function)
			return true;
	}
	return false;
}

/* --- by the lines of the code ------------------------------------------------------------ */

static void take_frame(struct code_cost *cost, const struct code_lines *lines,
	const struct code_row *row, uint32_t owner, struct strpool *strings)
{
	const struct code_frame *frame = code_lines_frame(lines, row, owner);
	cost->has_line = true;
	cost->file = strpool_intern(strings, frame->file);
	cost->line = frame->line;
	if (owner == 0)
		return;
	const struct code_frame *inner = code_lines_frame(lines, row, 0);
	cost->inlined =
		strpool_intern(strings, inner->name[0] ? inner->name : "[inlined]");
	cost->inlined_file = strpool_intern(strings, inner->file);
	cost->inlined_line = inner->line;
}

static void take_lines(const struct annotation_input *input, struct code_cost *costs,
	struct strpool *strings)
{
	const struct assembly *assembly = input->assembly;
	const char *symbol =
		profile_function(input->report->profile, input->cost->function)
			->system_name;
	bool real = is_real(input);
	for (size_t i = 0; i < assembly->n_instructions; i++) {
		const struct code_row *row = code_lines_find(
			input->lines, assembly->instructions[i].address - assembly->bias);
		if (!row)
			continue;
		uint32_t owner = row->n_frames - 1;
		while (!real && owner > 0 &&
			strcmp(code_lines_frame(input->lines, row, owner)->symbol,
				symbol) != 0)
			owner--;
		if (real || strcmp(code_lines_frame(input->lines, row, owner)->symbol,
				    symbol) == 0)
			take_frame(&costs[i], input->lines, row, owner, strings);
	}
}

/* --- by the samples ---------------------------------------------------------------------- */

/* Where the line of an instruction is not known, that of its samples may be: the line reader
   may have had no answer, or one without lines. */
static void take_sampled_line(const struct annotation_input *input,
	const struct cost_place *place, struct code_cost *cost, struct strpool *strings)
{
	const struct profile *profile = input->report->profile;
	const struct location *location =
		report_described(input->report, place->location);
	for (uint32_t i = location->n_lines; i-- > 0;) {
		const struct function *function =
			profile_function(profile, location->lines[i].function);
		if (function->kin != input->cost->function)
			continue;
		cost->has_line = function->file[0] != '\0';
		cost->file = strpool_intern(strings, function->file);
		cost->line = location->lines[i].line;
		if (i == 0)
			return;
		function = profile_function(profile, location->lines[0].function);
		cost->inlined = strpool_intern(strings, function->name);
		cost->inlined_file = strpool_intern(strings, function->file);
		cost->inlined_line = location->lines[0].line;
		return;
	}
}

struct code_cost *code_costs(
	const struct annotation_input *input, struct strpool *strings)
{
	const struct assembly *assembly = input->assembly;
	if (!assembly || assembly->n_instructions == 0)
		return NULL;
	struct code_cost *costs =
		mem_zalloc(assembly->n_instructions * sizeof(struct code_cost));
	if (input->lines)
		take_lines(input, costs, strings);
	vec_each (&input->cost->places, place) {
		uint64_t address;
		if (!annotation_address_in(
			    input->report->profile, input->mapping, place, &address))
			continue;
		uint32_t at = assembly_find(assembly, address);
		if (at == ASSEMBLY_NONE)
			continue;
		weight_add(&costs[at].self, &place->self);
		weight_add(&costs[at].total, &place->total);
		if (!costs[at].has_line)
			take_sampled_line(input, place, &costs[at], strings);
	}
	return costs;
}
