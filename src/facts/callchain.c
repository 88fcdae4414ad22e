/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/callchain.h"

#include "src/arch/arch.h"
#include "src/base/mem.h"

#include <inttypes.h>
#include <string.h>

#define FOLD_PREFIX "[... "

void callchain_begin(struct callchain *chain)
{
	chain->length = 0;
	chain->fold = (struct callchain_fold){.next = CALLCHAIN_LEAF};
}

void callchain_cut(struct callchain *chain, uint32_t length)
{
	callchain_begin(chain);
	chain->length = length;
}

static void fold(struct callchain_fold *fold, struct frame frame)
{
	uint32_t kind = 0;
	fold->frames++;
	while (kind < fold->n_kinds && kind < CALLCHAIN_KINDS &&
		fold->kinds[kind].pc != frame.pc)
		kind++;
	if (kind == CALLCHAIN_KINDS) {
		fold->n_kinds = CALLCHAIN_KINDS + 1;
	} else if (kind == fold->n_kinds) {
		fold->kinds[kind] = frame;
		fold->n_kinds++;
	}
}

bool callchain_add(struct callchain *chain, struct frame frame)
{
	if (chain->length < CALLCHAIN_MAX) {
		chain->frames[chain->length++] = frame;
		return true;
	}
	uint32_t next = chain->fold.next;
	if (chain->length + chain->fold.frames == CALLCHAIN_DEEPEST)
		return false;
	/* The outermost frames are kept in a circular buffer. */
	fold(&chain->fold, chain->frames[next]);
	chain->frames[next++] = frame;
	chain->fold.next = next < CALLCHAIN_MAX ? next : CALLCHAIN_LEAF;
	return true;
}

void callchain_settle(struct callchain *chain)
{
	struct frame first[CALLCHAIN_MAX - CALLCHAIN_LEAF];
	uint32_t next = chain->fold.next, late = next - CALLCHAIN_LEAF;
	if (late == 0)
		return;
	struct frame *ring = chain->frames + CALLCHAIN_LEAF;
	memcpy(first, ring, late * sizeof(*ring));
	memmove(ring, ring + late, (CALLCHAIN_MAX - next) * sizeof(*ring));
	memcpy(chain->frames + CALLCHAIN_MAX - late, first, late * sizeof(*ring));
	chain->fold.next = CALLCHAIN_LEAF;
}

char *callchain_fold_label(uint32_t frames, const char *what)
{
	uint32_t unit = 1;
	while (frames / unit >= 10)
		unit *= 10;
	uint32_t rounded = frames / unit * unit;
	const char *more = rounded < frames ? "+" : "";
	const char *separator = what[0] ? ": " : "";
	if (rounded < 1000)
		return mem_printf(FOLD_PREFIX "%" PRIu32 "%s frames%s%s]", rounded, more,
			separator, what);
	return mem_printf(FOLD_PREFIX "%" PRIu32 ",000%s frames%s%s]", rounded / 1000,
		more, separator, what);
}

bool callchain_is_fold_label(const char *name)
{
	return strncmp(name, FOLD_PREFIX, strlen(FOLD_PREFIX)) == 0;
}

const char *unwind_end_name(enum unwind_end end)
{
	static const char *const names[UNWIND_END_COUNT] = {
		[UNWIND_ROOT] = "root",
		[UNWIND_TRUNCATED] = "truncated",
		[UNWIND_NO_CFI] = "no CFI",
		[UNWIND_BAD_MEMORY] = "bad memory",
		[UNWIND_NO_REGISTER] = "unknown register",
		[UNWIND_CYCLE] = "cycle",
		[UNWIND_TOO_DEEP] = "too deep",
		[UNWIND_FOREIGN] = ("not " ARCH_NAME),
		[UNWIND_CHANGED] = "library changed",
		[UNWIND_GUESSED] = "approximate",
		[UNWIND_ELSEWHERE] = "another stack",
		[UNWIND_NOT_READ] = "stack not read",
	};
	return names[end];
}

const char *unwind_end_label(enum unwind_end end)
{
	static const char *const labels[UNWIND_END_COUNT] = {
		[UNWIND_ROOT] = "[root]",
		[UNWIND_TRUNCATED] = "[truncated stack]",
		[UNWIND_NO_CFI] = "[no CFI]",
		[UNWIND_BAD_MEMORY] = "[bad memory]",
		[UNWIND_NO_REGISTER] = "[unknown register]",
		[UNWIND_CYCLE] = "[stack cycle]",
		[UNWIND_TOO_DEEP] = "[stack too deep]",
		[UNWIND_FOREIGN] = "[not " ARCH_NAME "]",
		[UNWIND_CHANGED] = "[library changed]",
		[UNWIND_GUESSED] = "[approximate stack]",
		[UNWIND_ELSEWHERE] = "[another stack]",
		[UNWIND_NOT_READ] = "[stack not read]",
	};
	return labels[end];
}
