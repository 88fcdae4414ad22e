/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/v8/v8-bytecode.h"

#include <stdlib.h>

enum {
	WORD = 8,
	SHARED_DATA = 8, /* SharedFunctionInfo: what it runs */
	DATA_INNER = 8,	 /* InterpreterData, CodeDataContainer: the same */
	DATA_DEPTH = 4,
};

bool v8_take_number(
	const unsigned char **at, const unsigned char *limit, uint64_t *number)
{
	unsigned shift = 0;
	*number = 0;
	while (*at < limit && shift < 64) {
		unsigned char byte = *(*at)++;
		*number |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

static int64_t with_sign(uint64_t number)
{
	return (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
}

/* Take one entry of a table. False at its end. */
static bool take_entry(const unsigned char **at, const unsigned char *limit,
	bool has_plain_deltas, int64_t *offset, uint64_t *position)
{
	uint64_t delta, step;
	if (!v8_take_number(at, limit, &delta) || !v8_take_number(at, limit, &step))
		return false;
	int64_t code = with_sign(delta);
	if (has_plain_deltas)
		*offset += (int64_t)(delta >> 2);
	else
		*offset += code >= 0 ? code : -(code + 1);
	*position += (uint64_t)with_sign(step);
	return true;
}

uint64_t v8_position(
	const unsigned char *table, size_t length, uint64_t offset, bool has_plain_deltas)
{
	if (length == 0)
		return 0;
	const unsigned char *at = table, *limit = table + length;
	int64_t code = -1;
	uint64_t position = 0, next = 0;
	while (take_entry(&at, limit, has_plain_deltas, &code, &next)) {
		if (code > (int64_t)offset)
			break;
		position = next;
	}
	return position;
}

uint32_t v8_place_of(uint64_t position)
{
	uint32_t place = (uint32_t)(position >> 1) & 0x3fffffff;
	return place > 0 ? place - 1 : 0;
}

/* Is TABLE one of code of LENGTH bytes, of a function between START and LIMIT? In this format? */
static bool table_fits(const unsigned char *table, size_t bytes, bool has_plain_deltas,
	uint64_t length, uint32_t start, uint32_t limit)
{
	const unsigned char *at = table, *end = table + bytes;
	int64_t code = -1;
	uint64_t position = 0;
	while (take_entry(&at, end, has_plain_deltas, &code, &position)) {
		uint32_t place = v8_place_of(position);
		if (code < -1 || code > (int64_t)length ||
			(limit > 0 && (place + 2 < start || place > limit + 1)))
			return false;
	}
	return at == end;
}

uint32_t v8_bytecode_position(const struct v8_heap *heap, uint64_t pointer,
	uint64_t offset, uint32_t start, uint32_t limit, bool *begins)
{
	static const uint8_t slots[] = {24, 32, 16, 40};
	bool is_plain = heap->layout.has_plain_deltas;
	uint64_t length, table_at;
	if (!v8_word(heap, pointer - 1 + WORD, &length))
		return 0;
	for (size_t i = 0; i < sizeof(slots); i++) {
		size_t bytes;
		if (!v8_word(heap, pointer - 1 + slots[i], &table_at))
			return 0;
		unsigned char *table = v8_bytes(heap, table_at, &bytes);
		if (!table ||
			!table_fits(table, bytes, is_plain, length >> 32, start, limit)) {
			free(table);
			continue;
		}
		uint32_t place = v8_place_of(v8_position(table, bytes, offset, is_plain));
		if (begins)
			*begins = place != v8_place_of(v8_position(
						   table, bytes, offset - 1, is_plain));
		free(table);
		return place;
	}
	return 0;
}

uint64_t v8_bytecode_of(const struct v8_heap *heap, uint64_t shared)
{
	const struct v8_layout *layout = &heap->layout;
	const int32_t *constants = layout->constants;
	uint64_t data;
	if (!v8_word(heap, shared - 1 + SHARED_DATA, &data))
		return 0;
	for (int i = 0; i < DATA_DEPTH; i++) {
		int32_t type = v8_type(heap, data);
		uint64_t at = DATA_INNER;
		if (type == constants[V8_TYPE_BYTECODE])
			return data;
		if (type == constants[V8_TYPE_CODE]) /* baseline: its bytecode */
			at = layout->deopt;
		else if (type < 0 || (type != constants[V8_TYPE_INTERPRETER_DATA] &&
					     type != constants[V8_TYPE_CODE_CONTAINER]))
			return 0;
		if (!v8_word(heap, data - 1 + at, &data))
			return 0;
	}
	return 0;
}

bool v8_has_bytecode(const struct v8_heap *heap, uint64_t shared, uint64_t bytecode)
{
	return bytecode != 0 && v8_bytecode_of(heap, shared) == bytecode;
}
