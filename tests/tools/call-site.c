/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/tools/call-site.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum {
	CALL_BYTES = 5,	      /* of call rel32 and jmp rel32 */
	CODE_BYTES = 1 << 16, /* of a function, that are searched for jumps */
	MOST_STUBS = 4,	      /* in a row */
	MOST_JUMPS = 3,	      /* from function to function */
	UNSIZED_BYTES = 64,   /* of one whose symbol has no size */
};

struct place {
	struct opinion *opinion;
	int memory;
	uint64_t start, limit; /* the function that returns */
};

static size_t read_code(int memory, void *out, size_t size, uint64_t address)
{
	ssize_t got = pread(memory, out, size, (off_t)address);
	return got > 0 ? (size_t)got : 0;
}

/* Where the relative jump or call leads whose 32-bit displacement is at CODE + AT, which
   lies at ADDRESS + AT. */
static uint64_t target(const unsigned char *code, size_t at, uint64_t address)
{
	int32_t displacement;
	memcpy(&displacement, code + at, sizeof(displacement));
	return address + at + sizeof(displacement) + (uint64_t)(int64_t)displacement;
}

/* What the code at ADDRESS jumps to at once, or ADDRESS: as a PLT entry does. */
static uint64_t behind_stub(int memory, uint64_t address)
{
	static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	unsigned char code[16];
	uint64_t pointer;
	size_t at = 0;
	if (read_code(memory, code, sizeof(code), address) != sizeof(code))
		return address;
	if (memcmp(code, endbr64, sizeof(endbr64)) == 0)
		at = sizeof(endbr64);
	if (code[at] == 0xf2) /* bnd */
		at++;
	if (code[at] == 0xe9)
		return target(code, at + 1, address);
	if (code[at] == 0xff && code[at + 1] == 0x25 &&
		read_code(memory, &pointer, sizeof(pointer),
			target(code, at + 2, address)) == sizeof(pointer))
		return pointer;
	return address;
}

static bool is_there(const struct place *place, uint64_t address)
{
	return address - place->start < place->limit - place->start;
}

/* Does a call or jump to *TO lead to PLACE, also through stubs? Else *TO is what is behind
   them: a tail call to a function of another library goes through a PLT entry, too. */
static bool leads_to(const struct place *place, uint64_t *to)
{
	for (int stubs = 0; stubs <= MOST_STUBS; stubs++) {
		if (is_there(place, *to))
			return true;
		uint64_t next = behind_stub(place->memory, *to);
		if (next == *to)
			break;
		*to = next;
	}
	return false;
}

/* May the function at START, before LIMIT, jump to PLACE? Each byte may begin a jump: so
   more is found than there is, and a function that cannot is surely no caller. */
static bool may_jump(const struct place *place, uint64_t start, uint64_t limit, int jumps)
{
	/* Behind its end: the last jump may be short. */
	unsigned char code[CODE_BYTES + CALL_BYTES] = {0};
	size_t size = limit - start < CODE_BYTES ? limit - start : CODE_BYTES;
	size = read_code(place->memory, code, size, start);
	for (size_t at = 0; at < size; at++) {
		bool is_jump = code[at] == 0xe9;
		bool is_branch = at > 0 && code[at - 1] == 0x0f && code[at] >> 4 == 8;
		bool is_short = code[at] == 0xeb || code[at] >> 4 == 7;
		if (is_short &&
			is_there(place,
				start + at + 2 + (uint64_t)(int64_t)(int8_t)code[at + 1]))
			return true;
		if (code[at] == 0xff && (code[at + 1] >> 3 & 7) == 4)
			return true; /* through a pointer */
		if (!is_jump && !is_branch)
			continue;
		uint64_t to = target(code, at + 1, start), begin, end;
		if (leads_to(place, &to))
			return true;
		if (jumps <= 1 || (to >= start && to < limit))
			continue;
		if (!opinion_function(place->opinion, to, &begin, &end)) {
			begin = to;
			end = to + UNSIZED_BYTES;
		}
		if (to == begin && may_jump(place, begin, end, jumps - 1))
			return true;
	}
	return false;
}

enum call_site call_site_judge(
	struct opinion *opinion, int memory, uint64_t returns_to, uint64_t from)
{
	struct place place = {.opinion = opinion, .memory = memory};
	unsigned char code[CALL_BYTES];
	uint64_t call = returns_to - CALL_BYTES, start, limit;
	if (!opinion_function(opinion, from, &place.start, &place.limit) ||
		read_code(memory, code, sizeof(code), call) != sizeof(code) ||
		code[0] != 0xe8)
		return CALL_UNTOLD;
	uint64_t to = target(code, 1, call);
	if (leads_to(&place, &to))
		return CALL_FITS;
	if (!opinion_function(opinion, to, &start, &limit) || to != start)
		return CALL_UNTOLD;
	return may_jump(&place, start, limit, MOST_JUMPS) ? CALL_JUMPS : CALL_MISFITS;
}

/* The call in the next one of OURS leads to the last of these, and that in the next one of
   THEIRS does not. */
static bool decides(struct opinion *opinion, int memory, const struct callchain *ours,
	const struct callchain *theirs, uint32_t same)
{
	if (same >= ours->length || same >= theirs->length)
		return false;
	uint64_t from = frame_code(ours->frames[same - 1]);
	enum call_site site =
		call_site_judge(opinion, memory, ours->frames[same].pc, from);
	return (site == CALL_FITS || site == CALL_JUMPS) &&
	       call_site_judge(opinion, memory, theirs->frames[same].pc, from) ==
		       CALL_MISFITS;
}

bool call_site_refutes(struct opinion *opinion, int memory, const struct callchain *ours,
	const struct callchain *theirs, uint32_t same)
{
	if (same == 0)
		return false;
	uint64_t last = frame_code(ours->frames[same - 1]);
	return !opinion_has_table(opinion, last) || opinion_misleads(opinion, last) ||
	       opinion_forgets(opinion, memory, ours->frames[0].pc) ||
	       decides(opinion, memory, ours, theirs, same);
}
