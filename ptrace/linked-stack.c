/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/linked-stack.h"

#include <string.h>

enum {
	RECORD_BYTES = 256, /* the most that is read of one */
	AWAY_BYTES = 1024,  /* as much as is used of a stack that is used for a moment */
};

/* A part of the record at ADDRESS, with all that a struct stack_link names. */
struct record {
	uint64_t address;
	int64_t first, limit; /* offsets of the part */
	unsigned char bytes[RECORD_BYTES];
};

static void widen(struct record *record, int32_t offset)
{
	int64_t limit = (int64_t)offset + (int64_t)sizeof(uint64_t);
	if (offset < record->first)
		record->first = offset;
	if (limit > record->limit)
		record->limit = limit;
}

static bool read_record(
	const struct capture_memory *memory, uint64_t address, struct record *out)
{
	const struct stack_link *link = memory->link;
	out->address = address;
	out->first = out->limit = link->sp;
	widen(out, link->sp);
	widen(out, link->pc);
	widen(out, link->fp);
	widen(out, link->bottom);
	widen(out, link->top);
	int64_t length = out->limit - out->first;
	return length <= RECORD_BYTES &&
	       capture_read(memory, out->bytes, (size_t)length,
		       address + (uint64_t)out->first) == length;
}

/* The word at OFFSET, which may be in the part. */
static bool load(const struct capture_memory *memory, const struct record *record,
	int32_t offset, uint64_t *word)
{
	if (offset >= record->first && offset + (int64_t)sizeof(*word) <= record->limit) {
		memcpy(word, record->bytes + (offset - record->first), sizeof(*word));
		return true;
	}
	return capture_read(memory, word, sizeof(*word),
		       record->address + (uint64_t)(int64_t)offset) == sizeof(*word);
}

/* Follow the loads from the FIRST record to the last; 0 if there is none. */
static bool find_last(
	const struct capture_memory *memory, const struct record *first, uint64_t *last)
{
	const struct stack_link *link = memory->link;
	struct record at = {0};
	*last = first->address;
	for (uint32_t i = 1; i < link->loads && *last != 0; i++) {
		at.address = *last;
		if (!load(memory, i == 1 ? first : &at, link->offsets[i], last))
			return false;
	}
	return true;
}

/* What is saved in the record at ADDRESS. */
static bool read_saved(
	const struct capture_memory *memory, uint64_t address, struct linked_stack *out)
{
	const struct stack_link *link = memory->link;
	struct record record;
	return read_record(memory, address, &record) &&
	       load(memory, &record, link->sp, &out->saved.sp) && out->saved.sp != 0 &&
	       load(memory, &record, link->pc, &out->saved.pc) &&
	       load(memory, &record, link->fp, &out->saved.fp) &&
	       load(memory, &record, link->top, &out->saved_limit);
}

/* What was saved when the stack of the FIRST record was left for a moment. */
static bool read_away(const struct capture_memory *memory, const struct record *first,
	struct linked_stack *out)
{
	const struct stack_link *link = memory->link;
	struct record second = {0};
	out->saved.is_away = true;
	return link->away_sp != 0 && link->loads > 1 &&
	       load(memory, first, link->offsets[1], &second.address) &&
	       load(memory, &second, link->away_sp, &out->saved.sp) &&
	       load(memory, &second, link->away_pc, &out->saved.pc);
}

struct linked_stack linked_stack_find(const struct capture_memory *memory, uint64_t sp)
{
	const struct stack_link *link = memory->link;
	struct linked_stack found = {.kind = LINKED_STACK_UNKNOWN};
	if (!link || link->loads == 0 || link->loads > STACK_LINK_LOADS ||
		memory->thread_pointer == 0)
		return found;
	struct record pointer = {.address = memory->thread_pointer}, first;
	uint64_t address, bottom, top, begun, last = 0;
	if (!load(memory, &pointer, link->offsets[0], &address) || address == 0 ||
		!read_record(memory, address, &first) ||
		!load(memory, &first, link->bottom, &bottom) ||
		!load(memory, &first, link->top, &top) ||
		!load(memory, &first, link->sp, &begun))
		return found;
	if (begun != 0 && !find_last(memory, &first, &last))
		return found;
	/* Where something is saved of the stack in use it may have been left before. */
	if (begun == 0 || last == address) {
		found.limit = top;
		if (sp >= bottom && sp < top) {
			found.kind = LINKED_STACK_OWN;
		} else if (read_away(memory, &first, &found) && found.saved.sp > bottom &&
			   found.saved.sp <= top) {
			found.kind = LINKED_STACK_LEFT;
			found.limit = sp + AWAY_BYTES;
			found.saved_limit = top;
		}
	} else if (sp <= begun && last == 0) {
		found.kind = LINKED_STACK_NONE;
	} else if (sp <= begun && read_saved(memory, last, &found)) {
		found.kind = LINKED_STACK_LEFT;
		found.limit = begun;
	}
	return found;
}
