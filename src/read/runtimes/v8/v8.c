/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/v8/v8.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/read/space/image-search.h"

#include <stdlib.h>
#include <string.h>

enum {
	WORD = 8,
	/* Below the frame pointer (frame-constants.h in V8): */
	FRAME_WORDS = 5,
	AT_OFFSET = 0, /* of the bytecode, a small number */
	AT_BYTECODE = 1,
	AT_FUNCTION = 3,
	AT_CONTEXT = 4, /* or what kind of frame it is, without a tag */
	ANSWERS = 1024,
	ANSWER_LINES = 32,
	FUNCTIONS_MAX = 1 << 16,
	TAG = 1,
	TAG_BITS = 3,
	FUNCTION_BYTES = 64, /* of a JSFunction */
	FRAMES_COPIED = 64,
};

#define LOOK_NS (NS_PER_SEC / 10)

/* What a frame was found to be. */
struct answer {
	uint64_t address, words[FRAME_WORDS];
	uint64_t verified_ns; /* 0: there is none */
	enum v8_kind kind;
	size_t count;
	struct v8_line lines[ANSWER_LINES];
};

struct v8 {
	struct address_space *space;
	struct v8_heap heap;
	struct v8_codes codes;
	bool is_known;
	struct region_file file;
	struct image_search search;
	struct answer *answers;
	uint64_t changes,
		looked_ns; /* of the address space, and when that was looked at */
};

static size_t read_memory(void *context, uint64_t address, void *out, size_t length)
{
	return address_space_read(context, address, out, length);
}

static void init(struct v8 *v8, struct address_space *space)
{
	*v8 = (struct v8){.space = space,
		.heap = {.memory = {read_memory, space}},
		.answers = v8->answers};
	v8->codes.heap = &v8->heap;
}

struct v8 *v8_create(struct address_space *space)
{
	struct v8 *v8 = mem_zalloc(sizeof(*v8));
	init(v8, space);
	return v8;
}

static void clear(struct v8 *v8)
{
	v8_heap_clear(&v8->heap);
	v8_codes_clear(&v8->codes);
	if (v8->answers)
		memset(v8->answers, 0, ANSWERS * sizeof(*v8->answers));
}

void v8_exec(struct v8 *v8)
{
	clear(v8);
	v8_heap_finish(&v8->heap);
	v8_codes_finish(&v8->codes);
	init(v8, v8->space);
}

void v8_destroy(struct v8 *v8)
{
	if (!v8)
		return;
	v8_exec(v8);
	free(v8->answers);
	free(v8);
}

bool v8_is_known(const struct v8 *v8)
{
	return v8->is_known;
}

bool v8_owns(const struct v8 *v8, const struct region *region)
{
	return region_is_of(region, &v8->file);
}

/* --- finding it ------------------------------------------------------------------------- */

static bool take_constants(struct v8 *v8, const struct elf_image *image, uint64_t bias)
{
	struct elf_variable variables[V8_CONSTANTS * V8_NAMES] = {{NULL, 0}};
	size_t n = 0;
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
	return v8_layout_complete(&v8->heap.layout);
}

static void look(struct v8 *v8)
{
	const struct elf_image *image;
	uint64_t bias, code;
	while (!v8->is_known &&
		(image = image_search_next(&v8->search, v8->space, &bias, &code)))
		if (take_constants(v8, image, bias)) {
			v8->is_known = true;
			v8->file = region_file(address_space_region(v8->space, code - 1));
		}
	if (v8->is_known && !v8->answers)
		v8->answers = mem_zalloc(ANSWERS * sizeof(*v8->answers));
}

static void add_areas(const struct v8 *v8, struct recipe *recipe)
{
	const unsigned both = REGION_READ | REGION_WRITE;
	const struct region *region;
	uint64_t at = 0;
	for (; (region = address_space_region_from(v8->space, at)); at = region->limit)
		if ((region->permissions & both) == both && region_is_anonymous(region))
			recipe_add_area(recipe, region->start, region->limit);
}

bool v8_prepare(struct v8 *v8, uint64_t now_ns, struct recipe *recipe)
{
	look(v8);
	uint64_t changes = address_space_changes(v8->space);
	if (!v8->is_known || changes == v8->changes || now_ns - v8->looked_ns < LOOK_NS)
		return false;
	v8->changes = changes;
	v8->looked_ns = now_ns;
	*recipe = (struct recipe){.n_areas = 0};
	recipe->steps[0] = (struct recipe_step){.op = RECIPE_FRAMES,
		.ref = (AT_FUNCTION - FRAME_WORDS) * WORD,
		.mask = TAG_BITS,
		.offset = TAG,
		.ref_mask = ~(uint64_t)TAG_BITS,
		.ref_length = FUNCTION_BYTES,
		.most = FRAMES_COPIED};
	add_areas(v8, recipe);
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
	if (answer->count < ANSWER_LINES)
		answer->lines[answer->count++] = (struct v8_line){
			function, v8_line(&v8->heap, function, position)};
}

static enum v8_kind name_optimized(struct v8 *v8, struct answer *answer,
	struct v8_code *code, uint64_t shared, uint64_t time_ns)
{
	struct v8_place places[V8_INLINED_MAX];
	size_t count = v8_code_places(&v8->codes, code, answer->address, places);
	if (count == 0 || count > ANSWER_LINES || code->shared != shared)
		return V8_UNKNOWN;
	for (size_t i = 0; i < count; i++) {
		const struct v8_function *function =
			v8_function(&v8->heap, places[i].shared, time_ns);
		if (!function)
			return V8_UNKNOWN;
		add_line(v8, answer, function, places[i].position);
	}
	return V8_NAMED;
}

/* In generated code. */
static enum v8_kind name_compiled(struct v8 *v8, struct answer *answer,
	const struct region *region, uint64_t shared, const struct v8_function *function,
	uint64_t time_ns)
{
	struct v8_code *code =
		v8_code_find(&v8->codes, answer->address, region->start, time_ns);
	if (!code)
		return V8_UNKNOWN;
	if (code->is_optimized)
		return name_optimized(v8, answer, code, shared, time_ns);
	if (!code->is_baseline ||
		!v8_has_bytecode(&v8->heap, shared, answer->words[AT_BYTECODE]))
		return V8_UNKNOWN;
	answer->lines[answer->count++] = (struct v8_line){function, 0};
	return V8_NAMED;
}

/* By the interpreter, which is code of V8's file: the frame has bytecode and a place in it. */
static enum v8_kind name_interpreted(struct v8 *v8, struct answer *answer,
	uint64_t shared, const struct v8_function *function)
{
	const int32_t *constants = v8->heap.layout.constants;
	uint64_t offset = answer->words[AT_OFFSET];
	uint64_t bytecode = answer->words[AT_BYTECODE];
	if ((offset & UINT32_MAX) != 0 || offset == 0 ||
		v8_type(&v8->heap, bytecode) != constants[V8_TYPE_BYTECODE])
		return V8_BUILTIN;
	if (!v8_has_bytecode(&v8->heap, shared, bytecode))
		return V8_UNKNOWN;
	uint64_t place = (offset >> 32) - (uint64_t)constants[V8_BYTECODE_DATA] + 1;
	add_line(v8, answer, function,
		v8_bytecode_position(
			&v8->heap, bytecode, place, function->start, function->limit));
	return V8_NAMED;
}

static enum v8_kind name_frame(struct v8 *v8, struct answer *answer,
	const struct region *region, const struct snapshot *snapshot)
{
	uint64_t time_ns = snapshot->time_ns;
	const int32_t *constants = v8->heap.layout.constants;
	uint64_t shared, function_at = answer->words[AT_FUNCTION];
	bool is_generated = !v8_owns(v8, region);
	answer->count = 0;
	if (!is_pointer(answer->words[AT_CONTEXT]))
		return (answer->words[AT_CONTEXT] & 1) == 0 && is_generated ? V8_STUB
									    : V8_NO_FRAME;
	uint64_t shared_at = function_at - 1 + (uint64_t)constants[V8_FUNCTION_SHARED];
	if (!is_pointer(function_at) ||
		(!snapshot_read(snapshot, shared_at, &shared, sizeof(shared)) &&
			!v8_word(&v8->heap, shared_at, &shared)))
		return is_generated ? V8_UNKNOWN : V8_NO_FRAME;
	const struct v8_function *function = v8_function(&v8->heap, shared, time_ns);
	if (!function)
		return is_generated ? V8_UNKNOWN : V8_NO_FRAME;
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

enum v8_kind v8_locate(struct v8 *v8, const struct snapshot *snapshot,
	const struct region *region, uint64_t address, uint64_t fp, struct v8_line *lines,
	size_t *count)
{
	uint64_t words[FRAME_WORDS];
	if (!snapshot_read(snapshot, fp - sizeof(words), words, sizeof(words)))
		return V8_NO_FRAME;
	if (v8->heap.functions.len >= FUNCTIONS_MAX)
		clear(v8);
	struct answer *answer = answer_for(v8, address, words);
	if (answer->verified_ns < snapshot->time_ns || answer->address != address ||
		memcmp(answer->words, words, sizeof(words)) != 0) {
		uint64_t now_ns = clock_monotonic_ns();
		answer->address = address;
		memcpy(answer->words, words, sizeof(words));
		answer->kind = name_frame(v8, answer, region, snapshot);
		answer->verified_ns = answer->kind == V8_UNKNOWN ? 0 : now_ns;
	}
	*count = answer->kind == V8_NAMED ? answer->count : 0;
	memcpy(lines, answer->lines, *count * sizeof(*lines));
	return answer->kind;
}
