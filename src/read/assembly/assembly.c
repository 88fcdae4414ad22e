/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/assembly/assembly.h"

#include <stdlib.h>
#include <string.h>

void assembly_destroy(struct assembly *assembly)
{
	if (!assembly)
		return;
	free(assembly->name);
	free(assembly->module);
	free(assembly->path);
	free(assembly->problem);
	free(assembly->remark);
	free(assembly->instructions);
	free(assembly->bytes);
	free(assembly->strings);
	free(assembly);
}

uint32_t assembly_find(const struct assembly *assembly, uint64_t address)
{
	size_t low = 0, high = assembly->n_instructions;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (assembly->instructions[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return ASSEMBLY_NONE;
	const struct instruction *found = &assembly->instructions[low - 1];
	return address - found->address < found->length ? (uint32_t)(low - 1)
							: ASSEMBLY_NONE;
}

size_t assembly_text_length(
	const struct instruction *instruction, enum assembly_syntax syntax)
{
	const char *text = instruction->texts[syntax];
	bool leads = instruction->kind == INSTRUCTION_JUMP ||
		     instruction->kind == INSTRUCTION_BRANCH ||
		     instruction->kind == INSTRUCTION_CALL;
	bool is_told = instruction->has_target &&
		       (instruction->to != ASSEMBLY_NONE || instruction->target_name[0]);
	const char *number = leads && is_told ? strstr(text, " 0x") : NULL;
	return number && !strchr(number, '(') ? (size_t)(number - text) : strlen(text);
}
