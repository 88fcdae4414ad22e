/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/v8/v8-returns.h"

#include "src/base/bytes.h"
#include "src/base/mem.h"

#include <stdlib.h>

enum {
	WORD = 8,
	ARRAY_FIRST = 16,
	/* DeoptimizationData: words; behind the last one that V8 exports, how many places are left
	   before something is done, and how many after a call. Then, for each of them: a bytecode,
	   a translation, and where the code is left. */
	EAGER = 2,
	LAZY = 3,
	FIRST = 4,
	EACH = 3,
	LEFT_AT = 2,
	/* MaglevSafepointTable: slots, how many entries, what these have, slots. */
	HEADER = 16,
	ENTRIES = 4,
	CONFIGURATION = 8,
	HAS_DEOPT = 1,
	REGISTERS_SHIFT = 1, /* bytes, in three bits each */
	PC_SHIFT = 4,
	INDEX_SHIFT = 7,
	SIZE_MASK = 7,
	SIZE_MAX_BYTES = 4,
};

/* A number of SIZE bytes. */
static uint32_t take(const unsigned char **at, size_t size)
{
	uint32_t number = 0;
	for (size_t i = 0; i < size; i++)
		number |= (uint32_t)(*at)[i] << 8 * i;
	*at += size;
	return number;
}

/* Of N ENTRIES, as CONFIGURATION says; PLACES are what follows FIRST. All must lead where the code is left. */
static size_t match(const unsigned char *entries, uint32_t n, uint32_t configuration,
	const uint64_t *places, size_t n_places, struct v8_return *out)
{
	size_t pc_size = configuration >> PC_SHIFT & SIZE_MASK;
	size_t index_size = configuration >> INDEX_SHIFT & SIZE_MASK, found = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t to = take(&entries, pc_size);
		uint32_t index = take(&entries, index_size);
		uint32_t left_at = take(&entries, pc_size);
		entries += (configuration >> REGISTERS_SHIFT & SIZE_MASK) + 1;
		if (index == 0) /* nothing is left there */
			continue;
		if (index > n_places ||
			places[(index - 1) * EACH + LEFT_AT] >> 32 != left_at - 1)
			return 0;
		out[found++] = (struct v8_return){
			to, (uint32_t)(places[(index - 1) * EACH] >> 32)};
	}
	return found;
}

static size_t read_table(const struct v8_heap *heap, uint64_t table,
	const uint64_t *places, size_t n_places, struct v8_return **out)
{
	unsigned char header[HEADER];
	if (!v8_read(heap, table, header, sizeof(header)))
		return 0;
	uint32_t n = bytes_u32(header, ENTRIES);
	uint32_t configuration = bytes_u32(header, CONFIGURATION);
	size_t pc_size = configuration >> PC_SHIFT & SIZE_MASK;
	size_t index_size = configuration >> INDEX_SHIFT & SIZE_MASK;
	size_t each = 2 * pc_size + index_size +
		      (configuration >> REGISTERS_SHIFT & SIZE_MASK) + 1;
	if (!(configuration & HAS_DEOPT) || pc_size > SIZE_MAX_BYTES ||
		index_size > SIZE_MAX_BYTES || n == 0 || n > V8_RETURNS_MAX)
		return 0;
	unsigned char *entries = mem_alloc(n * each);
	*out = mem_alloc(n * sizeof(**out));
	size_t found = v8_read(heap, table + HEADER, entries, n * each)
			       ? match(entries, n, configuration, places, n_places, *out)
			       : 0;
	free(entries);
	return found;
}

size_t v8_returns_read(const struct v8_heap *heap, uint64_t table, uint64_t deopt,
	uint64_t words, struct v8_return **out)
{
	size_t last = (size_t)heap->layout.constants[V8_DEOPT_POSITIONS];
	size_t first = last + FIRST, found = 0;
	*out = NULL;
	if (words <= first)
		return 0;
	uint64_t *data = mem_alloc(words * WORD);
	if (v8_read(heap, deopt - 1 + ARRAY_FIRST, data, words * WORD) &&
		((data[last + EAGER] >> 32) + (data[last + LAZY] >> 32)) * EACH ==
			words - first)
		found = read_table(
			heap, table, data + first, (words - first) / EACH, out);
	free(data);
	return found;
}
