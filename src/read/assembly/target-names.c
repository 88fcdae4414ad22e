/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/assembly/target-names.h"

#include "src/arch/arch-code.h"
#include "src/base/clean.h"
#include "src/base/mem.h"
#include "src/facts/demangle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t kinds[] = {
	[ARCH_FLOW_NEXT] = INSTRUCTION_OTHER,
	[ARCH_FLOW_CALL] = INSTRUCTION_CALL,
	[ARCH_FLOW_BRANCH] = INSTRUCTION_BRANCH,
	[ARCH_FLOW_JUMP] = INSTRUCTION_JUMP,
	[ARCH_FLOW_INDIRECT] = INSTRUCTION_JUMP,
	[ARCH_FLOW_SLOT] = INSTRUCTION_JUMP,
	[ARCH_FLOW_RETURN] = INSTRUCTION_RETURN,
	[ARCH_FLOW_STOP] = INSTRUCTION_OTHER,
};

bool target_find(struct instruction *instruction, const unsigned char *code)
{
	struct arch_insn insn;
	/* Where the two decoders do not agree, ours says nothing. */
	if (instruction->kind == INSTRUCTION_UNKNOWN ||
		!arch_decode_insn(code, instruction->length, &insn) ||
		insn.length != instruction->length)
		return false;
	uint64_t next = instruction->address + instruction->length;
	int64_t distance = insn.is_direct ? insn.target : insn.reference;
	instruction->kind = kinds[insn.flow];
	instruction->has_target = insn.is_direct || insn.has_reference;
	instruction->target = instruction->has_target ? next + (uint64_t)distance : 0;
	return insn.has_reference && (instruction->kind == INSTRUCTION_JUMP ||
					     instruction->kind == INSTRUCTION_CALL);
}

/* SYMBOL demangled and clean, and how far AFTER it. */
static char *write_name(const char *symbol, uint64_t after)
{
	char clean[CLEAN_MAX];
	char *plain = demangle(symbol, DEMANGLE_NO_PARAMS);
	const char *name = plain ? plain : symbol;
	clean_text(clean, sizeof(clean), name, strlen(name));
	free(plain);
	return after ? mem_printf("%s+0x%" PRIx64, clean, after) : mem_strdup(clean);
}

static char *name_in_image(struct code_names *names, uint64_t vaddr)
{
	const struct elf_symbol *symbol = code_names_symbol(names, vaddr);
	return symbol ? write_name(symbol->name, vaddr - symbol->vaddr) : NULL;
}

/* In other code of the process. Files whose code has not been seen to run are not opened
   for this. */
static char *name_in_process(const struct code_source *source, uint64_t address)
{
	const struct region *region = address_space_region(source->space, address);
	uint64_t bias = 0, start, size;
	const char *name;
	if (!region || region->mapping == PROFILE_NONE)
		return NULL;
	struct code_names *names = address_space_names(source->space, region, &bias);
	if (names)
		return name_in_image(names, address - bias);
	return symbolizer_jit_function(source->symbolizer, address, &name, &start, &size)
		       ? write_name(name, address - start)
		       : NULL;
}

char *target_name(const struct code_source *source, uint64_t address)
{
	if (source->space)
		return name_in_process(source, address);
	return source->names ? name_in_image(source->names, address - source->bias)
			     : NULL;
}

static char *name_by_relocation(const struct code_source *source, uint64_t address)
{
	static const char suffix[] = "@plt";
	const char *slot =
		source->image ? elf_image_slot_name(source->image, address - source->bias)
			      : NULL;
	if (!slot)
		return NULL;
	char *symbol = mem_strdup(slot);
	size_t length = strlen(symbol), tail = sizeof(suffix) - 1;
	if (length > tail && strcmp(symbol + length - tail, suffix) == 0)
		symbol[length - tail] = '\0';
	char *name = write_name(symbol, 0);
	free(symbol);
	return name;
}

char *target_name_of_slot(
	const struct code_source *source, uint64_t address, bool is_code)
{
	uint64_t word;
	char *name = name_by_relocation(source, address);
	if (name || !is_code ||
		!code_source_read_memory(source, address, &word, sizeof(word)))
		return name;
	return target_name(source, word);
}
