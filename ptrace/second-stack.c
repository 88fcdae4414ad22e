/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/second-stack.h"

#include "ptrace/mapped.h"
#include "src/base/clock.h"
#include "src/process/memory.h"

#include <stdbool.h>
#include <string.h>

enum {
	PLACES = 256, /* a power of two, and several times RECIPE_BLOCKS */
	SEEN = 512,   /* words of a search; a power of two */
	/* What takes so long between two looks at the clock is an interrupt of the kernel's or of a
	   hypervisor, and no work of ours, which takes a microsecond. */
	INTERRUPTED_PART = 4, /* of RECIPE_NS */
	INTERRUPTED_MOST = 3, /* times RECIPE_NS */
};

struct copying {
	const struct recipe *recipe;
	int memory, maps_fd;
	uint64_t start, limit; /* memory that was found to be anonymous */
	struct snapshot *slot;
	uint32_t most_blocks;
	uint64_t end_ns, last_end_ns, looked_ns;
	uint64_t registers[RECIPE_REGISTERS];
	/* The block that was needed last, which is often needed next. */
	const unsigned char *last;
	uint64_t last_address;
	/* Which of the blocks may be there, plus 1: most are found at once. */
	uint8_t places[PLACES];
};

static bool fail(struct copying *copying, enum recipe_result reason)
{
	if (copying->slot->second_result == RECIPE_DONE)
		copying->slot->second_result = reason;
	return false;
}

/* Has it worked for RECIPE_NS? A copy that was interrupted goes on: the thread has stood for so long
   already, and the rest takes no longer than that of others. */
static bool is_late(struct copying *copying)
{
	uint64_t now_ns = clock_monotonic_ns(), passed_ns = now_ns - copying->looked_ns;
	copying->looked_ns = now_ns;
	if (passed_ns > RECIPE_NS / INTERRUPTED_PART)
		copying->end_ns += passed_ns;
	if (copying->end_ns > copying->last_end_ns)
		copying->end_ns = copying->last_end_ns;
	return now_ns > copying->end_ns;
}

static unsigned char *bytes_of(const struct snapshot *slot, uint32_t block)
{
	return (unsigned char *)slot->stack + slot->second_at +
	       (size_t)block * RECIPE_BLOCK;
}

/* The block at ADDRESS, or NULL if it is not copied. */
static const unsigned char *find_block(struct copying *copying, uint64_t address)
{
	const struct snapshot *slot = copying->slot;
	uint8_t *place = &copying->places[address / RECIPE_BLOCK % PLACES];
	if (*place > 0 && slot->second_addresses[*place - 1] == address)
		return bytes_of(slot, *place - 1);
	for (uint32_t i = 0; i < slot->second_blocks; i++)
		if (slot->second_addresses[i] == address) {
			*place = (uint8_t)(i + 1);
			return bytes_of(slot, i);
		}
	return NULL;
}

static bool may_read(struct copying *copying, uint64_t block)
{
	if (recipe_allows(copying->recipe, block) ||
		(block >= copying->start && block < copying->limit))
		return true;
	uint64_t start, limit;
	if (!mapped_is_anonymous(copying->maps_fd, block, &start, &limit))
		return false;
	copying->start = start;
	copying->limit = limit;
	return true;
}

/* The block at ADDRESS, which is read unless it is copied already. NULL: a reason is noted. */
static const unsigned char *need_block(struct copying *copying, uint64_t address)
{
	struct snapshot *slot = copying->slot;
	uint32_t block = slot->second_blocks;
	const unsigned char *bytes = find_block(copying, address);
	if (!bytes) {
		if (block == copying->most_blocks || is_late(copying)) {
			fail(copying, RECIPE_LIMIT);
			return NULL;
		}
		if (!may_read(copying, address)) {
			fail(copying, RECIPE_OUTSIDE);
			return NULL;
		}
		if (memory_read(copying->memory, bytes_of(slot, block), RECIPE_BLOCK,
			    address) != RECIPE_BLOCK) {
			fail(copying, RECIPE_UNREADABLE);
			return NULL;
		}
		bytes = bytes_of(slot, block);
		slot->second_addresses[block] = address;
		slot->second_blocks++;
	}
	copying->last = bytes;
	copying->last_address = address;
	return bytes;
}

/* [address, +length), if all of it is in the block that was needed last. */
static const unsigned char *in_last(
	const struct copying *copying, uint64_t address, uint32_t length)
{
	uint64_t offset = address - copying->last_address;
	bool is_there =
		copying->last && offset < RECIPE_BLOCK && length <= RECIPE_BLOCK - offset;
	return is_there ? copying->last + offset : NULL;
}

/* See that [address, +length) is copied. */
static bool need(struct copying *copying, uint64_t address, uint32_t length)
{
	if (in_last(copying, address, length) ||
		snapshot_stack_at(copying->slot, address, length))
		return true;
	uint64_t block = address / RECIPE_BLOCK * RECIPE_BLOCK;
	for (; block < address + length; block += RECIPE_BLOCK)
		if (!need_block(copying, block))
			return false;
	return true;
}

static bool load(struct copying *copying, uint64_t address, uint64_t *word)
{
	uint64_t offset = address % RECIPE_BLOCK;
	const void *bytes = in_last(copying, address, sizeof(*word));
	*word = 0;
	if (!bytes)
		bytes = snapshot_stack_at(copying->slot, address, sizeof(*word));
	if (!bytes) {
		if (offset > RECIPE_BLOCK - sizeof(*word))
			return fail(copying, RECIPE_UNREADABLE);
		const unsigned char *block = need_block(copying, address - offset);
		if (!block)
			return false;
		bytes = block + offset;
	}
	memcpy(word, bytes, sizeof(*word));
	return true;
}

static uint64_t at(uint64_t address, int32_t offset)
{
	return address + (uint64_t)(int64_t)offset;
}

/* What NODE refers to. That it cannot be read keeps nobody from the next node. */
static void copy_referred(
	struct copying *copying, const struct recipe_step *step, uint64_t node)
{
	uint64_t to;
	if (step->ref_length == 0 || !load(copying, at(node, step->ref), &to))
		return;
	to &= step->ref_mask;
	if (to == 0 || recipe_knows(copying->recipe, to) ||
		!need(copying, at(to, step->ref_offset), step->ref_length))
		return;
	if (step->deep_length > 0 && load(copying, at(to, step->ref_offset), &to))
		need(copying, to, step->deep_length);
}

static bool follow(struct copying *copying, const struct recipe_step *step)
{
	uint64_t *node = &copying->registers[step->from];
	for (uint32_t i = 0; *node != 0; i++) {
		if (i == step->most || i == RECIPE_NODES)
			return fail(copying, RECIPE_LIMIT);
		uint64_t next;
		if (!need(copying, at(*node, step->offset), step->length))
			return false;
		bool has_next = load(copying, at(*node, step->next), &next);
		copy_referred(copying, step, *node);
		if (!has_next)
			return false;
		*node = next & step->mask;
	}
	return true;
}

/* The elements of the array of HEADER, as far as there are nodes. */
static bool copy_elements(struct copying *copying, const struct recipe_step *step,
	uint64_t header, uint32_t *nodes)
{
	uint64_t first, word;
	if (!load(copying, at(header, step->offset), &first) ||
		!load(copying, at(header, step->index), &word))
		return false;
	for (int64_t i = (int32_t)(uint32_t)word; i >= 0; i--) {
		uint64_t element = first + (uint64_t)i * step->length;
		if ((*nodes)++ == RECIPE_NODES)
			return fail(copying, RECIPE_LIMIT);
		if (!need(copying, element, step->length))
			return false;
		copy_referred(copying, step, element);
	}
	return true;
}

static bool copy_arrays(struct copying *copying, const struct recipe_step *step)
{
	uint64_t *header = &copying->registers[step->from];
	uint32_t nodes = 0;
	for (uint32_t i = 0; *header != 0; i++) {
		uint64_t next;
		if (i == step->most)
			return fail(copying, RECIPE_LIMIT);
		if (!copy_elements(copying, step, *header, &nodes) ||
			!load(copying, at(*header, step->next), &next))
			return false;
		*header = next & step->mask;
	}
	return true;
}

/* The elements from NODE on, each STRIDE from the last, as long as they are in [start, limit). */
static bool copy_nodes(struct copying *copying, const struct recipe_step *step,
	uint64_t node, uint64_t start, uint64_t limit, uint64_t stride)
{
	for (uint32_t i = 0; node >= start && node < limit; i++, node += stride) {
		if (i == step->most || i == RECIPE_NODES)
			return fail(copying, RECIPE_LIMIT);
		if (!need(copying, node, step->length))
			return false;
		copy_referred(copying, step, node);
	}
	return true;
}

static bool copy_array(struct copying *copying, const struct recipe_step *step)
{
	uint64_t start, words, to = copying->registers[step->to];
	if (to == 0 || !load(copying, at(to, step->offset), &start) ||
		!load(copying, at(to, step->next), &words))
		return false;
	return copy_nodes(copying, step, copying->registers[step->from], start,
		start + words * sizeof(words), step->length);
}

static bool copy_down(struct copying *copying, const struct recipe_step *step)
{
	uint64_t first, last = copying->registers[step->from];
	uint64_t to = copying->registers[step->to];
	return to != 0 && load(copying, at(to, step->offset), &first) &&
	       copy_nodes(copying, step, last, first, last + 1, -(uint64_t)step->length);
}

/* Frames that nobody has walked yet: what looks like one is one, or is copied in vain. */
static bool copy_of_frames(struct copying *copying, const struct recipe_step *step)
{
	struct snapshot *slot = copying->slot;
	uint64_t start = slot->stack_address, limit = start + slot->stack_length, word,
		 ref;
	uint64_t at = (start + sizeof(word) - 1) / sizeof(word) * sizeof(word);
	uint32_t count = 0;
	enum recipe_result before = slot->second_result;
	for (; at + sizeof(word) <= limit && count < step->most; at += sizeof(word)) {
		if (at % RECIPE_BLOCK == 0 && is_late(copying))
			return fail(copying, RECIPE_LIMIT);
		memcpy(&word, slot->stack + (at - start), sizeof(word));
		uint64_t place = at + (uint64_t)(int64_t)step->ref;
		if (word <= at || word >= limit || place < start ||
			place > limit - sizeof(ref))
			continue;
		memcpy(&ref, slot->stack + (place - start), sizeof(ref));
		if ((ref & step->mask) != (uint64_t)(uint32_t)step->offset)
			continue;
		count++;
		if (!need(copying, ref & step->ref_mask, step->ref_length)) {
			if (slot->second_result == RECIPE_LIMIT)
				return false;
			/* If the kernel was asked what is there, it is no frame. */
			if (copying->maps_fd > 0)
				slot->second_result = before;
		}
	}
	return true;
}

/* A word of memory that need not be copied. False: it may not be read, or cannot be. */
static bool peek(struct copying *copying, uint64_t address, uint64_t *word)
{
	uint64_t block = address / RECIPE_BLOCK * RECIPE_BLOCK;
	const unsigned char *bytes = find_block(copying, block);
	if (address - block > RECIPE_BLOCK - sizeof(*word) ||
		!recipe_allows(copying->recipe, block))
		return false;
	if (bytes)
		memcpy(word, bytes + (address - block), sizeof(*word));
	return bytes || memory_read(copying->memory, word, sizeof(*word), address) ==
				sizeof(*word);
}

static bool take_steps(struct copying *copying, const struct recipe_step *step);

struct search {
	const struct recipe_step *step;
	uint32_t hits, looks;
	uint64_t seen[SEEN];
};

/* False: that is enough. */
static bool try_word(struct copying *copying, struct search *search, uint64_t word)
{
	const struct snapshot *slot = copying->slot;
	uint64_t *seen = &search->seen[word / sizeof(word) % SEEN], key;
	if (word % sizeof(word) != 0 || word == 0 || *seen == word ||
		(word & search->step->mask) != (uint32_t)search->step->ref ||
		word - slot->stack_address < slot->stack_length)
		return true;
	*seen = word;
	if (!recipe_allows(copying->recipe, word / RECIPE_BLOCK * RECIPE_BLOCK))
		return true;
	if (search->looks++ == RECIPE_LOOKS || is_late(copying))
		return fail(copying, RECIPE_LIMIT);
	if (!peek(copying, at(word, search->step->offset), &key) ||
		!recipe_knows(copying->recipe, key))
		return true;
	if (search->hits++ == search->step->most)
		return fail(copying, RECIPE_LIMIT);
	copying->registers[search->step->to] = word;
	take_steps(copying, search->step + 1);
	return copying->slot->second_result != RECIPE_LIMIT;
}

/* May the word at byte I of the stack be in a list of frames, as STEP says? */
static bool is_in_list(
	const struct snapshot *slot, const struct recipe_step *step, uint32_t i)
{
	uint64_t next, limit = slot->stack_address + slot->stack_length;
	uint64_t place = (uint64_t)((int64_t)i + step->next);
	if (place > slot->stack_length - sizeof(next) ||
		slot->stack_length < sizeof(next))
		return false;
	memcpy(&next, slot->stack + place, sizeof(next));
	return next == 0 || (next > slot->stack_address + i && next < limit);
}

static void search_words(struct copying *copying, const struct recipe_step *step)
{
	const struct snapshot *slot = copying->slot;
	struct search search = {.step = step};
	struct arch_registers registers = {.known = 0};
	uint64_t word;
	uint32_t first = (uint32_t)(-slot->stack_address % sizeof(word));
	arch_decode_regset(&slot->regset, &registers);
	for (unsigned i = 0; i < ARCH_REGISTERS && step->next == 0; i++)
		if ((registers.known & arch_bit(i)) &&
			!try_word(copying, &search, registers.values[i]))
			return;
	for (uint32_t i = first; i + sizeof(word) <= slot->stack_length;
		i += sizeof(word)) {
		memcpy(&word, slot->stack + i, sizeof(word));
		if ((step->next == 0 || is_in_list(slot, step, i)) &&
			!try_word(copying, &search, word))
			return;
	}
	if (search.hits == 0) /* it may be in memory that is new */
		fail(copying, RECIPE_OUTSIDE);
}

static bool take_step(struct copying *copying, const struct recipe_step *step)
{
	uint64_t from = copying->registers[step->from];
	if (step->op == RECIPE_FRAMES)
		return copy_of_frames(copying, step);
	if (from == 0)
		return false;
	if (step->op == RECIPE_COPY)
		return need(copying, at(from, step->offset), step->length);
	if (step->op == RECIPE_CHAIN)
		return follow(copying, step);
	if (step->op == RECIPE_ARRAYS)
		return copy_arrays(copying, step);
	if (step->op == RECIPE_ARRAY)
		return copy_array(copying, step);
	if (step->op == RECIPE_DOWN)
		return copy_down(copying, step);
	uint64_t *to = &copying->registers[step->to];
	if (!load(copying, at(from, step->offset), to))
		return false;
	*to &= step->mask;
	return true;
}

static bool take_steps(struct copying *copying, const struct recipe_step *step)
{
	const struct recipe_step *limit = copying->recipe->steps + RECIPE_STEPS;
	for (; step < limit && step->op != RECIPE_END; step++) {
		if (step->op == RECIPE_SEARCH) {
			search_words(copying, step);
			return true;
		}
		if (!take_step(copying, step))
			return false;
	}
	return true;
}

void second_stack_copy(const struct recipe *recipe, int memory, int maps_fd,
	uint64_t thread_pointer, size_t stack_bytes, struct snapshot *slot)
{
	size_t used = snapshot_native(slot);
	if (recipe->steps[0].op == RECIPE_END)
		return;
	if (slot->regset.size > 0)
		thread_pointer = arch_regset_thread_pointer(&slot->regset);
	uint64_t began_ns = clock_monotonic_ns();
	slot->second_at = (uint32_t)((used + 7) / 8 * 8);
	size_t room = stack_bytes > slot->second_at ? stack_bytes - slot->second_at : 0;
	struct copying copying = {
		.recipe = recipe,
		.memory = memory,
		.maps_fd = maps_fd,
		.slot = slot,
		.most_blocks = (uint32_t)(room / RECIPE_BLOCK),
		.end_ns = began_ns + RECIPE_NS,
		.last_end_ns = began_ns + (uint64_t)RECIPE_NS * INTERRUPTED_MOST,
		.looked_ns = began_ns,
		.registers[RECIPE_THREAD] = thread_pointer,
		.registers[RECIPE_FIXED] = recipe->fixed,
	};
	if (copying.most_blocks > RECIPE_BLOCKS)
		copying.most_blocks = RECIPE_BLOCKS;
	slot->second_thread = thread_pointer;
	slot->second_result = RECIPE_DONE;
	take_steps(&copying, recipe->steps);
	if (slot->second_blocks == 0 && slot->second_result == RECIPE_DONE)
		slot->second_result = RECIPE_NOTHING;
	slot->second_ns = (uint32_t)(clock_monotonic_ns() - began_ns);
}
