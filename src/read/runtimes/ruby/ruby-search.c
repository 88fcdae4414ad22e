/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/ruby/ruby-search.h"

#include "src/arch/arch-code.h"

enum {
	INSNS_MAX = 8,
	FRAMES_MAX = 64,
	TAGS_MAX = 64,
	LOOP_MAX = 8192, /* bytes of code */
};

uint64_t ruby_search_machine(const struct target_memory *memory, uint64_t collects)
{
	unsigned char code[INSNS_MAX * ARCH_INSN_MAX + ARCH_REFERENCE_BYTES];
	struct arch_insn insn;
	int64_t to;
	size_t at = 0;
	/* Nobody has tried it on other processors. */
	if (!ARCH_POINTER_GUARD ||
		!target_memory_read(memory, collects, code, sizeof(code)))
		return 0;
	for (int i = 0; i < INSNS_MAX; i++, at += insn.length) {
		if (!arch_decode_insn(code + at, sizeof(code) - at, &insn) ||
			insn.flow != ARCH_FLOW_NEXT)
			return 0;
		if (insn.has_reference)
			return collects + at + insn.length +
			       (uint64_t)(int64_t)insn.reference;
		if (arch_reference(code + at, &to) == ARCH_REFERENCE_RELATIVE)
			return collects + at + (uint64_t)to;
	}
	return 0;
}

/* The code around ADDRESS that one entry of its file's unwind table describes. */
static bool function_around(
	struct address_space *space, uint64_t address, uint64_t *start, uint64_t *size)
{
	uint64_t bias;
	const struct region *region = address_space_region(space, address);
	struct elf_image *image =
		region ? address_space_image(space, region, &bias) : NULL;
	if (!image || !elf_image_fde_range(image, address - bias, start, size))
		return false;
	*start += bias;
	return true;
}

/* The function into which the first word of instructions of a frame leads. */
static uint64_t find_core(struct address_space *space, const struct ruby_layout *layout,
	const struct target_memory *memory, uint64_t context)
{
	uint64_t frame = target_memory_word(memory, context + layout->frame);
	for (int i = 0; i < FRAMES_MAX; i++, frame += layout->frame_bytes) {
		uint64_t iseq = target_memory_word(memory, frame + layout->iseq);
		uint64_t body =
			iseq ? target_memory_word(memory, iseq + layout->body) : 0;
		uint64_t code =
			body ? target_memory_word(memory, body + layout->code) : 0;
		uint64_t word = code ? target_memory_word(memory, code) : 0;
		uint64_t start, size;
		if (word != 0 && function_around(space, word, &start, &size))
			return start;
	}
	return 0;
}

/* Does the code of SIZE bytes at START call CORE? */
static bool calls(
	const struct target_memory *memory, uint64_t start, uint64_t size, uint64_t core)
{
	unsigned char code[LOOP_MAX];
	int32_t distance;
	if (size > sizeof(code) || !target_memory_read(memory, start, code, size))
		return false;
	for (uint64_t after = 8; after <= size; after++)
		if (arch_called(code + after, &distance) &&
			start + after + (uint64_t)(int64_t)distance == core)
			return true;
	return false;
}

/* By tags that are like those of PLACE. */
static bool find_loop(struct address_space *space, const struct target_memory *memory,
	uint64_t tag, uint64_t core, struct ruby_place *place)
{
	uint64_t start, size;
	for (int i = 0; tag != 0 && i < TAGS_MAX; i++) {
		uint64_t word = target_memory_word(memory, tag + place->tag_resume);
		if (function_around(space, ruby_tag_resume(place, word), &start, &size) &&
			calls(memory, start, size, core)) {
			place->loop = start;
			place->loop_limit = start + size;
			return true;
		}
		tag = target_memory_word(memory, tag + place->tag_previous);
	}
	return false;
}

bool ruby_search_loop(struct address_space *space, const struct ruby_layout *layout,
	uint64_t context, uint64_t thread_pointer, struct ruby_place *place)
{
	struct target_memory memory = address_space_memory(space);
	uint64_t core = find_core(space, layout, &memory, context);
	uint64_t tag = target_memory_word(&memory, context + layout->tag);
	if (core == 0)
		return false;
	ruby_place_tags(place, 0);
	if (find_loop(space, &memory, tag, core, place))
		return true;
	ruby_place_tags(
		place, target_memory_word(&memory, thread_pointer + ARCH_POINTER_GUARD));
	return place->guard && find_loop(space, &memory, tag, core, place);
}
