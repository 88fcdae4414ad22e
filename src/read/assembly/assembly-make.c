/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/assembly/assembly-make.h"

#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/read/assembly/function-code.h"
#include "src/read/assembly/target-names.h"

#include <stdlib.h>
#include <string.h>

/* The texts of the assembly, as offsets while they may move. */
struct texts {
	VEC(char) bytes;
	VEC(uint32_t) of_instructions; /* ASSEMBLY_SYNTAXES each */
	VEC(uint32_t) target_names;    /* of each instruction */
};

static uint32_t add_text(struct texts *texts, const char *text)
{
	size_t length = strlen(text) + 1;
	uint32_t at = (uint32_t)texts->bytes.len;
	vec_reserve(&texts->bytes, at + length);
	memcpy(texts->bytes.data + at, text, length);
	texts->bytes.len += length;
	return at;
}

static bool is_changed(const struct function_code *code, size_t offset, unsigned length)
{
	for (unsigned i = 0; code->is_changed && i < length; i++)
		if (code->is_changed[offset + i])
			return true;
	return false;
}

static bool leads(const struct instruction *instruction)
{
	return instruction->kind == INSTRUCTION_JUMP ||
	       instruction->kind == INSTRUCTION_BRANCH ||
	       instruction->kind == INSTRUCTION_CALL;
}

/* After all instructions have their addresses: what this one leads to. */
static uint32_t find_target(const struct assembly *assembly, const unsigned char *code,
	struct instruction *instruction, const struct code_source *source,
	struct texts *texts)
{
	bool is_slot = target_find(instruction, code);
	bool is_direct = instruction->has_target && !is_slot && leads(instruction);
	instruction->to = ASSEMBLY_NONE;
	if (is_direct) {
		uint32_t to = assembly_find(assembly, instruction->target);
		if (to != ASSEMBLY_NONE &&
			assembly->instructions[to].address == instruction->target)
			instruction->to = to;
	}
	if (!instruction->has_target || instruction->to != ASSEMBLY_NONE)
		return 0;
	char *name = is_slot ? NULL : target_name(source, instruction->target);
	if (!name && !is_direct)
		name = target_name_of_slot(source, instruction->target, is_slot);
	uint32_t at = name ? add_text(texts, name) : 0;
	free(name);
	return at;
}

static void decode(struct decoder *decoder, const struct function_code *code,
	struct assembly *assembly, struct texts *texts)
{
	VEC(struct instruction) all = {0};
	for (size_t at = 0; at < code->length;) {
		struct decoded decoded;
		decoder_next(decoder, code->bytes + at, code->length - at,
			code->first + at, &decoded);
		vec_push(&all, ((struct instruction){
				       .address = code->first + at,
				       .length = decoded.length,
				       .kind = decoded.is_unknown ? INSTRUCTION_UNKNOWN
								  : INSTRUCTION_OTHER,
				       .is_changed = is_changed(code, at, decoded.length),
			       }));
		for (int syntax = 0; syntax < ASSEMBLY_SYNTAXES; syntax++)
			vec_push(&texts->of_instructions,
				add_text(texts, decoded.texts[syntax]));
		at += decoded.length;
	}
	assembly->instructions = all.data;
	assembly->n_instructions = all.len;
}

/* The texts stay where they are from now on. */
static void join_texts(struct assembly *assembly, struct texts *texts)
{
	const uint32_t *at = texts->of_instructions.data;
	assembly->strings = texts->bytes.data;
	for (size_t i = 0; i < assembly->n_instructions; i++) {
		struct instruction *instruction = &assembly->instructions[i];
		for (int syntax = 0; syntax < ASSEMBLY_SYNTAXES; syntax++)
			instruction->texts[syntax] = assembly->strings + *at++;
		instruction->target_name =
			assembly->strings + texts->target_names.data[i];
	}
}

static void add_instructions(struct assembly *assembly, const struct code_source *source,
	struct decoder *decoder, const struct function_code *code)
{
	struct texts texts = {0};
	add_text(&texts, ""); /* at 0 */
	decode(decoder, code, assembly, &texts);
	for (size_t i = 0; i < assembly->n_instructions; i++) {
		struct instruction *instruction = &assembly->instructions[i];
		const unsigned char *bytes =
			code->bytes + (instruction->address - code->first);
		vec_push(&texts.target_names,
			find_target(assembly, bytes, instruction, source, &texts));
	}
	join_texts(assembly, &texts);
	vec_free(&texts.of_instructions);
	vec_free(&texts.target_names);
}

struct assembly *assembly_make(struct decoder *decoder, const struct code_source *source,
	const struct assembly_request *request)
{
	const struct mapping *mapping =
		request->mapping == PROFILE_NONE
			? NULL
			: profile_mapping(request->profile, request->mapping);
	struct assembly *assembly = mem_zalloc(sizeof(*assembly));
	struct function_code code;
	assembly->serial = request->serial;
	assembly->module = mem_strdup(mapping ? mapping->module : "");
	assembly->path = mem_strdup(mapping ? mapping->path : "");
	function_code_read(&code, source, request->address, assembly);
	if (!decoder) {
		free(assembly->problem);
		assembly->problem = mem_strdup(decoder_missing);
	} else if (code.length > 0) {
		add_instructions(assembly, source, decoder, &code);
		assembly->bytes = code.bytes;
		code.bytes = NULL;
	}
	function_code_finish(&code);
	return assembly;
}
