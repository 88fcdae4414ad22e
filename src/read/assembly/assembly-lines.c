/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/assembly/assembly-lines.h"

bool assembly_lines_ask(const struct assembly *assembly, const struct code_source *source,
	struct line_resolver *resolver)
{
	bool trusted;
	size_t n = assembly->n_instructions;
	if (!resolver || !source->names || n == 0)
		return false;
	int fd = code_names_lines_file(source->names, &trusted);
	if (fd < 0)
		return false;
	const struct instruction *last = &assembly->instructions[n - 1];
	const struct line_question question = {
		.vaddr = assembly->instructions[0].address - assembly->bias,
		.limit = last->address + last->length - assembly->bias,
		.file = line_resolver_add_file(resolver, fd, trusted),
		.serial = assembly->serial,
	};
	line_resolver_ask_range(resolver, &question);
	return true;
}
