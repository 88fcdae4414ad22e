/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/v8/v8-code.h"

#include "src/base/bytes.h"
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/read/runtimes/v8/v8-bytecode.h"

#include <stdlib.h>
#include <string.h>

enum {
	WORD = 8,
	ARRAY_FIRST = 16,
	CODE_ALIGNMENT = 32,
	CODE_BYTES = 136,
	CODES_MAX = 4096,
	PLACES_MAX = 1 << 16,
	SEARCH_BYTES = 256 << 10,
	BLOCK_FIRST = 4096,
	BLOCK_MOST = 64 << 10,
	KIND_BITS = 15,
	DEOPT_WORDS = 9,
	DEOPT_LENGTH_MAX = 200000,
	INLINING_BYTES = 16, /* a position, a number of a function, and nothing */
	/* In a position: bit 0, is it of another source? 30 bits, the place in the script, plus
	   1; 16 bits, the number of the inlining. */
	INLINING_SHIFT = 31,
	BYTECODES_MAX = 1 << 20, /* bytes of a function's */
	/* bytecodes that prefix another one, in every version */
	WIDE = 0,
	EXTRA_WIDE = 1,
	DEBUG_BREAK_WIDE = 2,
	DEBUG_BREAK_EXTRA_WIDE = 3,
};

static void free_code(struct v8_code *code)
{
	free(code->inlined);
	free(code->positions);
	free(code->inlinings);
	free(code->ends);
	free(code->offsets);
	free(code->returns);
	code->inlined = NULL;
	code->returns = NULL;
	code->ends = code->offsets = NULL;
	code->positions = code->inlinings = NULL;
	code->pointer = 0;
}

void v8_codes_clear(struct v8_codes *codes)
{
	vec_each (&codes->list, code)
		free_code(code);
	codes->list.len = 0;
	idmap_clear(&codes->places);
	idmap_clear(&codes->maps);
}

void v8_codes_finish(struct v8_codes *codes)
{
	v8_codes_clear(codes);
	vec_free(&codes->list);
	idmap_finish(&codes->places);
	idmap_finish(&codes->maps);
}

/* --- finding it ------------------------------------------------------------------------- */

/* Is there a Code at POINTER, whose instructions are in the object at STREAM? */
static bool read_code(const struct v8_codes *codes, uint64_t pointer, uint64_t stream,
	struct v8_code *out)
{
	const struct v8_layout *layout = &codes->heap->layout;
	const int32_t *constants = layout->constants;
	unsigned char bytes[CODE_BYTES];
	if (v8_type(codes->heap, pointer) != constants[V8_TYPE_CODE] ||
		!v8_read(codes->heap, pointer - 1, bytes, sizeof(bytes)))
		return false;
	if (layout->has_streams && bytes_u64(bytes, layout->stream) != stream + 1)
		return false;
	uint32_t size = bytes_u32(bytes, (size_t)constants[V8_CODE_SIZE]);
	uint32_t kind = bytes_u32(bytes, (size_t)constants[V8_CODE_FLAGS]) & KIND_BITS;
	*out = (struct v8_code){.pointer = pointer,
		.stream = stream,
		.verified_ns = clock_monotonic_ns(),
		.is_baseline = (int32_t)kind == constants[V8_KIND_BASELINE],
		.is_maglev = (int32_t)kind == constants[V8_KIND_BASELINE] + 1,
		.is_optimized = (int32_t)kind > constants[V8_KIND_BASELINE]};
	out->start = layout->has_streams ? bytes_u64(bytes, layout->start)
					 : pointer - 1 + layout->header;
	out->limit = out->start + size;
	memcpy(out->head, bytes, sizeof(out->head));
	return true;
}

/* Is WORD the map of the objects that hold instructions? */
static bool is_stream_map(struct v8_codes *codes, uint64_t word)
{
	const struct v8_layout *layout = &codes->heap->layout;
	const uint32_t *known = idmap_get(&codes->maps, word, 0);
	uint16_t type;
	if (known)
		return *known;
	int32_t wanted =
		layout->constants[layout->has_streams ? V8_TYPE_STREAM : V8_TYPE_CODE];
	bool is = (word & 3) == 1 &&
		  v8_read(codes->heap, word - 1 + 12, &type, sizeof(type)) &&
		  type == wanted &&
		  v8_type(codes->heap, word) == layout->constants[V8_TYPE_MAP];
	if (codes->maps.len < PLACES_MAX)
		idmap_put(&codes->maps, word, 0, is);
	return is;
}

/* Is the object at ADDRESS, whose first words are WORDS, the one whose instructions PC is in? */
static bool is_it(struct v8_codes *codes, uint64_t address, const unsigned char *words,
	uint64_t pc, struct v8_code *out)
{
	bool has_streams = codes->heap->layout.has_streams;
	uint64_t map = bytes_u64(words, 0);
	uint64_t pointer = has_streams ? bytes_u64(words, WORD) : address + 1;
	return (map & 3) == 1 && (pointer & 3) == 1 && is_stream_map(codes, map) &&
	       read_code(codes, pointer, address, out) && pc >= out->start &&
	       pc < out->limit;
}

static bool search(struct v8_codes *codes, uint64_t pc, uint64_t low, struct v8_code *out)
{
	const struct v8_layout *layout = &codes->heap->layout;
	unsigned char block[BLOCK_MOST];
	uint64_t header = layout->has_streams
				  ? (uint64_t)layout->constants[V8_STREAM_START]
				  : layout->header;
	uint64_t skew = header % CODE_ALIGNMENT;
	uint64_t high =
		((pc + skew) & ~(uint64_t)(CODE_ALIGNMENT - 1)) - skew + CODE_ALIGNMENT;
	size_t step = BLOCK_FIRST;
	if (pc - low > SEARCH_BYTES)
		low = pc - SEARCH_BYTES;
	low += (high - low) % CODE_ALIGNMENT;
	while (high > low) {
		size_t bytes = high - low < step ? high - low : step;
		if (!v8_read(codes->heap, high - bytes, block, bytes))
			return false;
		for (size_t at = bytes; at >= CODE_ALIGNMENT; at -= CODE_ALIGNMENT)
			if (is_it(codes, high - bytes + at - CODE_ALIGNMENT,
				    block + at - CODE_ALIGNMENT, pc, out))
				return true;
		high -= bytes;
		step = step < BLOCK_MOST ? step * 2 : step;
	}
	return false;
}

/* Is it still what it was? */
static bool is_same(const struct v8_codes *codes, const struct v8_code *code)
{
	unsigned char head[V8_CODE_HEAD];
	uint64_t back = code->pointer;
	if (codes->heap->layout.has_streams &&
		!v8_word(codes->heap, code->stream + WORD, &back))
		return false;
	return back == code->pointer &&
	       v8_read(codes->heap, code->pointer - 1, head, sizeof(head)) &&
	       memcmp(head, code->head, sizeof(head)) == 0;
}

struct v8_code *v8_code_find(
	struct v8_codes *codes, uint64_t pc, uint64_t low, uint64_t time_ns)
{
	const uint32_t *place = idmap_get(&codes->places, pc, 0);
	struct v8_code *known = place ? &codes->list.data[*place] : NULL;
	if (known && known->pointer && known->verified_ns >= time_ns)
		return known;
	if (known && known->pointer && is_same(codes, known)) {
		known->verified_ns = clock_monotonic_ns();
		return known;
	}
	if (known)
		free_code(known);
	struct v8_code found;
	if (!search(codes, pc, low, &found))
		return NULL;
	if (codes->list.len >= CODES_MAX || codes->places.len >= PLACES_MAX)
		v8_codes_clear(codes);
	size_t i = 0;
	while (i < codes->list.len && (codes->list.data[i].pointer != found.pointer ||
					      codes->list.data[i].start != found.start))
		i++;
	if (i == codes->list.len)
		vec_push(&codes->list, found);
	else if (!is_same(codes, &codes->list.data[i])) {
		free_code(&codes->list.data[i]);
		codes->list.data[i] = found;
	}
	idmap_put(&codes->places, pc, 0, (uint32_t)i);
	return &codes->list.data[i];
}

/* --- optimized code --------------------------------------------------------------------- */

/* A SharedFunctionInfo may be wrapped. */
static uint64_t unwrap(const struct v8_heap *heap, uint64_t pointer)
{
	int32_t wrapper = heap->layout.constants[V8_TYPE_SHARED_WRAPPER];
	uint64_t inner;
	if (wrapper >= 0 && v8_type(heap, pointer) == wrapper &&
		v8_word(heap, pointer - 1 + WORD, &inner))
		return inner;
	return pointer;
}

static void read_inlined(
	const struct v8_heap *heap, struct v8_code *code, uint64_t literals, size_t count)
{
	if (count == 0 || count > BLOCK_FIRST)
		return;
	code->inlined = mem_alloc(count * sizeof(*code->inlined));
	if (!v8_read(heap, literals - 1 + ARRAY_FIRST, code->inlined, count * WORD))
		return;
	code->n_inlined = count;
	for (size_t i = 0; i < count; i++)
		code->inlined[i] = unwrap(heap, code->inlined[i]);
}

static void read_optimized(const struct v8_heap *heap, struct v8_code *code)
{
	const struct v8_layout *layout = &heap->layout;
	const int32_t *constants = layout->constants;
	uint64_t words[DEOPT_WORDS], length;
	uint64_t deopt = bytes_u64(code->head, layout->deopt);
	code->is_read = true;
	for (int i = V8_DEOPT_COUNT; i <= V8_DEOPT_POSITIONS; i++)
		if (constants[i] < 0 || constants[i] >= DEOPT_WORDS)
			return;
	if (v8_type(heap, deopt) < 0 || !v8_word(heap, deopt - 1 + WORD, &length) ||
		length >> 32 < DEOPT_WORDS - 1 || length >> 32 > DEOPT_LENGTH_MAX)
		return;
	size_t count = length >> 32 < DEOPT_WORDS ? length >> 32 : DEOPT_WORDS;
	memset(words, 0, sizeof(words));
	if (!v8_read(heap, deopt - 1 + ARRAY_FIRST, words, count * WORD))
		return;
	code->positions = v8_bytes(
		heap, bytes_u64(code->head, layout->positions), &code->positions_bytes);
	if (!code->positions)
		return;
	read_inlined(heap, code, words[constants[V8_DEOPT_LITERALS]],
		words[constants[V8_DEOPT_COUNT]] >> 32);
	if (code->n_inlined > 0)
		code->inlinings = v8_bytes(heap, words[constants[V8_DEOPT_POSITIONS]],
			&code->inlinings_bytes);
	code->shared = unwrap(heap, words[constants[V8_DEOPT_SHARED]]);
	if (code->is_maglev)
		code->n_returns = v8_returns_read(
			heap, code->limit, deopt, length >> 32, &code->returns);
}

size_t v8_code_places(const struct v8_codes *codes, struct v8_code *code,
	uint64_t address, struct v8_place *out)
{
	const struct v8_heap *heap = codes->heap;
	size_t count = 0;
	if (!code->is_read)
		read_optimized(heap, code);
	if (!code->shared)
		return 0;
	uint64_t position = v8_position(code->positions, code->positions_bytes,
		address - code->start, heap->layout.has_plain_deltas);
	for (;;) {
		uint64_t inlining = position >> INLINING_SHIFT & 0xffff;
		if (count == V8_INLINED_MAX)
			return 0;
		if (inlining == 0)
			break;
		if (inlining * INLINING_BYTES > code->inlinings_bytes)
			return 0;
		const unsigned char *entry =
			code->inlinings + (inlining - 1) * INLINING_BYTES;
		int32_t number = (int32_t)bytes_u32(entry, WORD);
		if (number >= (int32_t)code->n_inlined)
			return 0;
		out[count++] = (struct v8_place){
			number < 0 ? code->shared : code->inlined[number],
			v8_place_of(position)};
		position = bytes_u64(entry, 0);
		if ((position >> INLINING_SHIFT & 0xffff) >= inlining)
			return 0; /* they would go round in a circle */
	}
	out[count++] = (struct v8_place){code->shared, v8_place_of(position)};
	return count;
}

uint32_t v8_call_position(const struct v8_codes *codes, const struct v8_code *code,
	uint64_t address, uint64_t shared, uint32_t start, uint32_t limit)
{
	size_t i = 0;
	while (i < code->n_returns && code->returns[i].to != address + 1 - code->start)
		i++;
	uint64_t bytecode = i < code->n_returns ? v8_bytecode_of(codes->heap, shared) : 0;
	if (bytecode == 0)
		return 0;
	/* A call of V8's own has another number there: then nothing begins at that bytecode, if it is one. */
	bool begins = false;
	uint32_t at = v8_bytecode_position(
		codes->heap, bytecode, code->returns[i].bytecode, start, limit, &begins);
	return begins ? at : 0;
}

/* --- baseline code ---------------------------------------------------------------------- */

/* How long the bytecode at BYTES is, of which LENGTH bytes are left; 0: it is none. */
static size_t bytecode_size(
	const struct v8_codes *codes, const unsigned char *bytes, size_t length)
{
	unsigned scale = 0, prefix = 0;
	if (bytes[0] == WIDE || bytes[0] == DEBUG_BREAK_WIDE)
		scale = prefix = 1;
	else if (bytes[0] == EXTRA_WIDE || bytes[0] == DEBUG_BREAK_EXTRA_WIDE)
		scale = 2, prefix = 1;
	if (prefix >= length || bytes[prefix] >= codes->n_sizes)
		return 0;
	size_t size = codes->sizes[scale][bytes[prefix]];
	return size > 0 && prefix + size <= length ? prefix + size : 0;
}

/* The table has for the prologue, and then for each bytecode, how long its instructions are
   (BytecodeOffsetIterator). */
static void add_bytecodes(const struct v8_codes *codes, struct v8_code *code,
	const unsigned char *bytes, size_t length)
{
	const unsigned char *at = code->positions, *limit = at + code->positions_bytes;
	uint64_t step, end = 0;
	size_t offset = 0, n = 0;
	if (!v8_take_number(&at, limit, &end))
		return;
	while (offset < length && v8_take_number(&at, limit, &step)) {
		size_t size = bytecode_size(codes, bytes + offset, length - offset);
		end += step;
		if (size == 0 || end > code->limit - code->start)
			return;
		code->ends[n] = (uint32_t)end;
		code->offsets[n++] = (uint32_t)offset;
		offset += size;
	}
	code->n_bytecodes = offset == length && at == limit ? n : 0;
}

static void read_baseline(
	const struct v8_codes *codes, struct v8_code *code, uint64_t bytecode)
{
	const struct v8_heap *heap = codes->heap;
	uint64_t first = (uint64_t)heap->layout.constants[V8_BYTECODE_DATA], length;
	code->is_read = true;
	if (codes->n_sizes == 0 || !v8_word(heap, bytecode - 1 + WORD, &length))
		return;
	length >>= 32;
	code->positions = v8_bytes(heap, bytes_u64(code->head, heap->layout.positions),
		&code->positions_bytes);
	if (!code->positions || length == 0 || length > BYTECODES_MAX)
		return;
	unsigned char *bytes = mem_alloc(length);
	code->ends = mem_alloc(length * sizeof(*code->ends));
	code->offsets = mem_alloc(length * sizeof(*code->offsets));
	if (v8_read(heap, bytecode - 1 + first, bytes, length))
		add_bytecodes(codes, code, bytes, length);
	free(bytes);
}

int64_t v8_baseline_offset(const struct v8_codes *codes, struct v8_code *code,
	uint64_t bytecode, uint64_t address)
{
	uint64_t at = address - code->start;
	size_t low = 0, high;
	if (!code->is_read)
		read_baseline(codes, code, bytecode);
	high = code->n_bytecodes;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (code->ends[middle] <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < code->n_bytecodes ? (int64_t)code->offsets[low] : -1;
}
