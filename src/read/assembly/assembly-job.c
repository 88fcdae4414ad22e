/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/assembly/assembly-job.h"

#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/read/assembly/target-names.h"

#include <stdlib.h>
#include <string.h>

static void set_problem(struct assembly *assembly, char *problem)
{
	free(assembly->problem);
	assembly->problem = problem;
}

void assembly_job_begin(struct assembly_job *job, struct disassembler *disassembler,
	const struct code_source *source, const struct assembly_request *request)
{
	const struct mapping *mapping =
		request->mapping == PROFILE_NONE
			? NULL
			: profile_mapping(request->profile, request->mapping);
	struct assembly *assembly = mem_zalloc(sizeof(*assembly));
	assembly->serial = request->serial;
	assembly->module = mem_strdup(mapping ? mapping->module : "");
	assembly->path = mem_strdup(mapping ? mapping->path : "");
	job->assembly = assembly;
	function_code_read(&job->code, source, request->address, assembly);
	if (!disassembler) {
		set_problem(assembly, mem_strdup("there is no process to decode it"));
		job->code.length = 0;
	}
	if (job->code.length > 0)
		disassembler_start(
			disassembler, job->code.bytes, job->code.length, job->code.first);
}

/* --- the instructions -------------------------------------------------------------- */

/* The texts of the assembly, as offsets while they may move. */
struct texts {
	VEC(char) bytes;
	VEC(uint32_t) target_names; /* of each instruction */
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

static bool is_changed(
	const struct function_code *code, const struct disassembled *disassembled)
{
	for (unsigned i = 0; code->is_changed && i < disassembled->length; i++)
		if (code->is_changed[disassembled->offset + i])
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

static void take_instructions(const struct assembly_job *job,
	const struct disassembler *disassembler, struct assembly *assembly)
{
	size_t count;
	const struct disassembled *all = disassembler_result(disassembler, &count);
	assembly->n_instructions = count;
	assembly->instructions =
		mem_resize(NULL, count + 1, sizeof(*assembly->instructions));
	for (size_t i = 0; i < count; i++)
		assembly->instructions[i] = (struct instruction){
			.address = job->code.first + all[i].offset,
			.length = all[i].length,
			.kind = all[i].is_unknown ? INSTRUCTION_UNKNOWN
						  : INSTRUCTION_OTHER,
			.is_changed = is_changed(&job->code, &all[i]),
		};
}

/* The names of targets and the texts of the instructions become one piece of memory. */
static void join_texts(struct assembly *assembly, const struct disassembler *disassembler,
	struct texts *texts)
{
	size_t count, bytes, names = texts->bytes.len;
	const struct disassembled *all = disassembler_result(disassembler, &count);
	const char *strings = disassembler_strings(disassembler, &bytes);
	assembly->strings = mem_alloc(names + bytes + 1);
	memcpy(assembly->strings, texts->bytes.data, names);
	if (bytes > 0)
		memcpy(assembly->strings + names, strings, bytes);
	for (size_t i = 0; i < count; i++) {
		struct instruction *instruction = &assembly->instructions[i];
		instruction->target_name =
			assembly->strings + texts->target_names.data[i];
		for (int syntax = 0; syntax < ASSEMBLY_SYNTAXES; syntax++)
			instruction->texts[syntax] =
				assembly->strings + names + all[i].texts[syntax];
	}
}

static void note_failure(
	struct assembly *assembly, const struct disassembler *disassembler)
{
	const char *failure = disassembler_failure(disassembler);
	if (!failure)
		return;
	if (assembly->n_instructions == 0) {
		set_problem(assembly, mem_strdup(failure));
		return;
	}
	char *remark = mem_printf("%s%sthe end is missing: %s", assembly->remark,
		assembly->remark[0] ? "; " : "", failure);
	free(assembly->remark);
	assembly->remark = remark;
}

struct assembly *assembly_job_end(struct assembly_job *job,
	struct disassembler *disassembler, const struct code_source *source)
{
	struct assembly *assembly = job->assembly;
	struct texts texts = {0};
	if (job->code.length > 0) {
		take_instructions(job, disassembler, assembly);
		add_text(&texts, ""); /* at 0 */
		for (size_t i = 0; i < assembly->n_instructions; i++) {
			struct instruction *instruction = &assembly->instructions[i];
			vec_push(&texts.target_names,
				find_target(assembly,
					job->code.bytes +
						(instruction->address - job->code.first),
					instruction, source, &texts));
		}
		join_texts(assembly, disassembler, &texts);
		note_failure(assembly, disassembler);
		assembly->bytes = job->code.bytes;
		job->code.bytes = NULL;
	}
	vec_free(&texts.bytes);
	vec_free(&texts.target_names);
	job->assembly = NULL;
	function_code_finish(&job->code);
	return assembly;
}

void assembly_job_drop(struct assembly_job *job)
{
	assembly_destroy(job->assembly);
	job->assembly = NULL;
	function_code_finish(&job->code);
}
