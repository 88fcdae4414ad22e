/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/v8/v8.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/read/runtimes/v8/v8-bytecode.h"
#include "src/read/runtimes/v8/v8-code.h"
#include "src/read/runtimes/v8/v8-function.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	WORD = 8,
	/* Below the frame pointer (frame-constants.h in V8): */
	FRAME_WORDS = 5,
	FRAME_HEAD = 16, /* above it: the caller's, and the return address */
	AT_OFFSET = 0,	 /* of the bytecode, a small number */
	AT_BYTECODE = 1,
	AT_FUNCTION = 3,
	AT_CONTEXT = 4, /* or what kind of frame it is, without a tag */
	ANSWERS = 1024,
	FUNCTIONS_MAX = 1 << 16,
	TAG = 1,
	TAG_BITS = 3,
	FUNCTION_BYTES = 64, /* of a JSFunction */
	FRAMES_COPIED = 64,
};

/* What a frame was found to be. */
struct answer {
	uint64_t address, words[FRAME_WORDS];
	uint64_t verified_ns; /* 0: there is none */
	enum script_kind kind;
	size_t count;
	struct place {
		const struct v8_function *function;
		uint32_t line;
	} places[SCRIPT_INLINED_MAX];
};

struct v8 {
	const struct proc_dir *dir;
	struct v8_heap heap;
	struct v8_codes codes;
	struct answer answers[ANSWERS];
};

static void clear(struct v8 *v8)
{
	v8_heap_clear(&v8->heap);
	v8_codes_clear(&v8->codes);
	memset(v8->answers, 0, sizeof(v8->answers));
}

static void destroy(void *self)
{
	struct v8 *v8 = self;
	v8_heap_finish(&v8->heap);
	v8_codes_finish(&v8->codes);
	free(v8);
}

/* The sizes of bytecodes without a prefix, then with each. V8 exports them until 12; after that a
   stripped node has no lines of baseline code. */
static void read_sizes(struct v8 *v8, const struct elf_image *image, uint64_t bias)
{
	struct v8_codes *codes = &v8->codes;
	uint64_t vaddr, n;
	if (!elf_image_find_variable(image,
		    "_ZN2v88internal11interpreter9Bytecodes14kBytecodeSizesE", &vaddr,
		    &n))
		return;
	n /= V8_SCALES;
	if (n == 0 || n > V8_BYTECODES_MAX)
		return;
	for (unsigned i = 0; i < V8_SCALES; i++)
		if (!v8_read(&v8->heap, vaddr + bias + i * n, codes->sizes[i], n))
			return;
	codes->n_sizes = (unsigned)n;
}

/* By the constants that it has for debuggers; without all of them it is not known that it is V8. */
static void *meet(struct address_space *space, struct elf_image *image, uint64_t bias)
{
	struct v8 *v8 = mem_zalloc(sizeof(*v8));
	struct elf_variable variables[V8_CONSTANTS * V8_NAMES] = {{NULL}};
	size_t n = 0;
	v8->heap.memory = address_space_memory(space);
	v8->codes.heap = &v8->heap;
	v8->dir = address_space_proc_dir(space);
	for (size_t i = 0; i < V8_CONSTANTS; i++)
		for (size_t j = 0; j < V8_NAMES && v8_names[i][j]; j++)
			variables[n++].name = v8_names[i][j];
	elf_image_find_variables(image, variables, n);
	n = 0;
	for (size_t i = 0; i < V8_CONSTANTS; i++) {
		int32_t *constant = &v8->heap.layout.constants[i];
		*constant = -1;
		for (size_t j = 0; j < V8_NAMES && v8_names[i][j]; j++, n++)
			if (*constant < 0 && variables[n].vaddr)
				v8_read(&v8->heap, variables[n].vaddr + bias, constant,
					sizeof(*constant));
	}
	if (!v8_layout_complete(&v8->heap.layout)) {
		destroy(v8);
		return NULL;
	}
	read_sizes(v8, image, bias);
	return v8;
}

static void want_source_maps(void *self)
{
	struct v8 *v8 = self;
	v8->heap.maps.dir = v8->dir;
}

static const char *refusal(const void *self)
{
	return ((const struct v8 *)self)->heap.maps.refusal.text;
}

static bool is_known(const void *self, char *version, size_t size)
{
	const struct v8 *v8 = self;
	const int32_t *constants = v8->heap.layout.constants;
	snprintf(version, size, "in V8 %d.%d", constants[V8_MAJOR], constants[V8_MINOR]);
	return true;
}

/* The functions that frames on the stack have. */
static bool recipe(void *self, struct recipe *recipe)
{
	(void)self;
	recipe->steps[0] = (struct recipe_step){.op = RECIPE_FRAMES,
		.ref = (AT_FUNCTION - FRAME_WORDS) * WORD,
		.mask = TAG_BITS,
		.offset = TAG,
		.ref_mask = ~(uint64_t)TAG_BITS,
		.ref_length = FUNCTION_BYTES,
		.most = FRAMES_COPIED};
	return true;
}

/* --- frames ----------------------------------------------------------------------------- */

static bool is_pointer(uint64_t word)
{
	return (word & 3) == 1;
}

static void add_line(struct v8 *v8, struct answer *answer,
	const struct v8_function *function, uint32_t position)
{
	bool is_inside = position >= function->start &&
			 (function->limit == 0 || position <= function->limit);
	uint32_t line = is_inside ? v8_line(&v8->heap, function, position) : 0;
	if (answer->count < SCRIPT_INLINED_MAX)
		answer->places[answer->count++] = (struct place){function, line};
}

static enum script_kind name_optimized(struct v8 *v8, struct answer *answer,
	struct v8_code *code, uint64_t shared, uint64_t time_ns)
{
	struct v8_place places[V8_INLINED_MAX];
	size_t count = v8_code_places(&v8->codes, code, answer->address, places);
	if (count == 0 || count > SCRIPT_INLINED_MAX || code->shared != shared)
		return SCRIPT_GONE;
	for (size_t i = 0; i < count; i++) {
		const struct v8_function *function =
			v8_function(&v8->heap, places[i].shared, time_ns);
		if (!function)
			return SCRIPT_GONE;
		uint32_t called_at = i == 0 ? v8_call_position(&v8->codes, code,
						      answer->address, places[i].shared,
						      function->start, function->limit)
					    : 0;
		add_line(
			v8, answer, function, called_at ? called_at : places[i].position);
	}
	return SCRIPT_NAMED;
}

/* In generated code. */
static enum script_kind name_compiled(struct v8 *v8, struct answer *answer,
	const struct region *region, uint64_t shared, const struct v8_function *function,
	uint64_t time_ns)
{
	struct v8_code *code =
		v8_code_find(&v8->codes, answer->address, region->start, time_ns);
	if (!code)
		return SCRIPT_GONE;
	if (code->is_optimized)
		return name_optimized(v8, answer, code, shared, time_ns);
	if (!code->is_baseline ||
		!v8_has_bytecode(&v8->heap, shared, answer->words[AT_BYTECODE]))
		return SCRIPT_GONE;
	uint64_t bytecode = answer->words[AT_BYTECODE];
	int64_t place = v8_baseline_offset(&v8->codes, code, bytecode, answer->address);
	add_line(v8, answer, function,
		place < 0 ? 0
			  : v8_bytecode_position(&v8->heap, bytecode, (uint64_t)place,
				    function->start, function->limit, NULL));
	return SCRIPT_NAMED;
}

/* By the interpreter, which is code of V8's file? The frame has bytecode and a place in it. */
static bool is_interpreted(const struct v8 *v8, const struct answer *answer)
{
	uint64_t offset = answer->words[AT_OFFSET];
	return (offset & UINT32_MAX) == 0 && offset != 0 &&
	       v8_type(&v8->heap, answer->words[AT_BYTECODE]) ==
		       v8->heap.layout.constants[V8_TYPE_BYTECODE];
}

static enum script_kind name_interpreted(struct v8 *v8, struct answer *answer,
	uint64_t shared, const struct v8_function *function)
{
	const int32_t *constants = v8->heap.layout.constants;
	uint64_t offset = answer->words[AT_OFFSET];
	uint64_t bytecode = answer->words[AT_BYTECODE];
	if (!is_interpreted(v8, answer))
		return SCRIPT_BUILTIN;
	if (!v8_has_bytecode(&v8->heap, shared, bytecode))
		return SCRIPT_GONE;
	uint64_t place = (offset >> 32) - (uint64_t)constants[V8_BYTECODE_DATA] + 1;
	add_line(v8, answer, function,
		v8_bytecode_position(&v8->heap, bytecode, place, function->start,
			function->limit, NULL));
	return SCRIPT_NAMED;
}

/* Of a frame whose function has moved. It is still one of the program's: without it, what it has called
   would seem to be called by its caller. */
static enum script_kind unknown_kind(
	const struct v8 *v8, const struct answer *answer, bool is_generated)
{
	return is_generated || is_interpreted(v8, answer) ? SCRIPT_GONE : SCRIPT_NATIVE;
}

static enum script_kind name_frame(struct v8 *v8, struct answer *answer,
	const struct region *region, const struct snapshot *snapshot)
{
	uint64_t time_ns = snapshot->time_ns;
	const int32_t *constants = v8->heap.layout.constants;
	uint64_t shared, function_at = answer->words[AT_FUNCTION];
	bool is_generated = region_is_anonymous(region);
	answer->count = 0;
	if (!is_pointer(answer->words[AT_CONTEXT]))
		return (answer->words[AT_CONTEXT] & 1) == 0 && is_generated
			       ? SCRIPT_HIDDEN
			       : SCRIPT_NATIVE;
	uint64_t shared_at = function_at - 1 + (uint64_t)constants[V8_FUNCTION_SHARED];
	if (!is_pointer(function_at) ||
		(!snapshot_read(snapshot, shared_at, &shared, sizeof(shared)) &&
			!v8_word(&v8->heap, shared_at, &shared)))
		return unknown_kind(v8, answer, is_generated);
	const struct v8_function *function = v8_function(&v8->heap, shared, time_ns);
	if (!function)
		return unknown_kind(v8, answer, is_generated);
	return is_generated ? name_compiled(v8, answer, region, shared, function, time_ns)
			    : name_interpreted(v8, answer, shared, function);
}

static struct answer *answer_for(struct v8 *v8, uint64_t address, const uint64_t *words)
{
	uint64_t hash = address;
	for (int i = 0; i < FRAME_WORDS; i++)
		hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
	return &v8->answers[hash >> 54];
}

/* The words of the frame at FP. What its function has not pushed yet, another call has left there: 0. */
static bool read_frame(
	const struct snapshot *snapshot, uint64_t fp, uint64_t words[FRAME_WORDS])
{
	struct arch_registers registers;
	uint64_t at = fp - FRAME_WORDS * WORD;
	if (!snapshot_read(snapshot, at, words, FRAME_WORDS * WORD) ||
		!snapshot_registers(snapshot, &registers))
		return false;
	uint64_t sp = arch_get_sp(&registers);
	for (int i = 0; i < FRAME_WORDS && at < sp && sp <= fp + FRAME_HEAD;
		i++, at += WORD)
		words[i] = 0;
	return true;
}

static enum script_kind locate(void *self, const struct snapshot *snapshot,
	const struct region *region, uint64_t address, uint64_t fp,
	struct script_function out[SCRIPT_INLINED_MAX], size_t *count)
{
	struct v8 *v8 = self;
	uint64_t words[FRAME_WORDS];
	if (!read_frame(snapshot, fp, words))
		return SCRIPT_NATIVE;
	if (v8->heap.functions.len >= FUNCTIONS_MAX)
		clear(v8);
	struct answer *answer = answer_for(v8, address, words);
	if (answer->verified_ns < snapshot->time_ns || answer->address != address ||
		memcmp(answer->words, words, sizeof(words)) != 0) {
		uint64_t now_ns = clock_monotonic_ns();
		answer->address = address;
		memcpy(answer->words, words, sizeof(words));
		answer->kind = name_frame(v8, answer, region, snapshot);
		answer->verified_ns = answer->kind == SCRIPT_GONE ? 0 : now_ns;
	}
	*count = answer->kind == SCRIPT_NAMED ? answer->count : 0;
	for (size_t i = 0; i < *count; i++) {
		const struct v8_function *function = answer->places[i].function;
		out[i] = (struct script_function){.name = function->name,
			.file = function->file,
			.first_line = function->first_line,
			.line = answer->places[i].line,
			.number = function->number};
	}
	return answer->kind;
}

const struct runtime v8_runtime = {
	.language = "JavaScript",
	.destroy = destroy,
	.mark = "_ZN2v88internal7Version6major_E",
	.meet = meet,
	.is_known = is_known,
	.want_source_maps = want_source_maps,
	.refusal = refusal,
	.recipe = recipe,
	.locate = locate,
};
