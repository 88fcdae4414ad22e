/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/assembly/decoded-code.h"

#include <string.h>

void decoded_code_begin(struct decoded_code *decoded, size_t length)
{
	decoded->length = length;
	decoded->done = 0;
	decoded->list.len = decoded->strings.len = 0;
	decoded_code_keep(decoded);
}

void decoded_code_finish(struct decoded_code *decoded)
{
	vec_free(&decoded->list);
	vec_free(&decoded->strings);
}

void decoded_code_keep(struct decoded_code *decoded)
{
	decoded->kept_done = decoded->done;
	decoded->kept_list = decoded->list.len;
	decoded->kept_strings = decoded->strings.len;
}

void decoded_code_drop(struct decoded_code *decoded)
{
	decoded->done = decoded->kept_done;
	decoded->list.len = decoded->kept_list;
	decoded->strings.len = decoded->kept_strings;
}

static bool is_printable(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	return true;
}

static uint32_t add_text(struct decoded_code *decoded, const char *text, size_t length)
{
	uint32_t at = (uint32_t)decoded->strings.len;
	vec_reserve(&decoded->strings, at + length + 1);
	memcpy(decoded->strings.data + at, text, length);
	decoded->strings.data[at + length] = '\0';
	decoded->strings.len += length + 1;
	return at;
}

/* Take one instruction from AT, where LEFT bytes are; returns how many it took, or 0 if it
   makes no sense. */
static size_t take_one(struct decoded_code *decoded, const char *at, size_t left)
{
	struct assembly_wire_instruction head;
	if (left < sizeof(head))
		return 0;
	memcpy(&head, at, sizeof(head));
	size_t taken = sizeof(head);
	if (head.length == 0 || head.length > decoded->length - decoded->done)
		return 0;
	struct disassembled instruction = {
		.offset = (uint32_t)decoded->done,
		.length = head.length,
		.is_unknown = head.is_unknown,
	};
	for (int i = 0; i < ASSEMBLY_SYNTAXES; i++) {
		size_t length = head.text_lengths[i];
		if (length > left - taken || !is_printable(at + taken, length))
			return 0;
		instruction.texts[i] = add_text(decoded, at + taken, length);
		taken += length;
	}
	vec_push(&decoded->list, instruction);
	decoded->done += head.length;
	return taken;
}

bool decoded_code_take(struct decoded_code *decoded,
	const struct assembly_wire_reply *reply, const char *bytes)
{
	size_t left = reply->bytes;
	for (uint32_t i = 0; i < reply->count; i++) {
		size_t taken = take_one(decoded, bytes, left);
		if (taken == 0)
			return false;
		bytes += taken;
		left -= taken;
	}
	return left == 0;
}
