/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/hotspot/hotspot-code.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	HEAPS_MAX = 16, /* there are three or four */
	SEGMENT_LOG2_MAX = 20,
	HOPS_MAX = 1 << 12, /* steps back in the map: enough for a hundred megabytes */
	SEGMENT_FREE = 0xff,
	CODE_MAX_BYTES = 256 << 20,
	FRAME_MAX_WORDS = 1 << 16,
	WORD = 8,
	NAME_BYTES = 48,
};

/* The fields that are read. The first group is in all versions from 8 on. */
enum {
	HEAP_MEMORY,
	HEAP_MAP,
	HEAP_SEGMENT,
	SPACE_LOW,
	SPACE_HIGH,
	BLOCK_USED,
	BLOB_NAME,
	BLOB_SIZE,
	BLOB_FRAME_SIZE,
	BLOB_FRAME_COMPLETE,
	N_NEEDED,
	HEAP = N_NEEDED, /* up to JDK 8: the only one */
	HEAPS,
	ARRAY_DATA,
	/* The length of an array: up to JDK 15, and since then. */
	ARRAY_LENGTH_OLD,
	ARRAY_LENGTH,
	/* The start of the instructions: up to JDK 22, and since then. */
	BLOB_CODE_BEGIN,
	BLOB_CODE_END,
	BLOB_CODE_OFFSET,
	BLOB_DATA_OFFSET,
	CONTINUATION_PC, /* since JDK 21 */
	/* The handlers of code that is given up: as addresses, and as offsets since JDK 23 and in
	   JDK 8. */
	HANDLER,
	HANDLER_MH,
	HANDLER_OFFSET,
	HANDLER_MH_OFFSET,
	HANDLER_26,
	HANDLER_8,
	HANDLER_MH_8,
	ORIGINAL_PC,
	N_FIELDS,
};

static const struct hotspot_field wanted[N_FIELDS] = {
	[HEAP] = {"CodeCache", "_heap"},
	[HEAPS] = {"CodeCache", "_heaps"},
	[ARRAY_LENGTH_OLD] = {"GenericGrowableArray", "_len"},
	[ARRAY_LENGTH] = {"GrowableArrayBase", "_len"},
	[ARRAY_DATA] = {"GrowableArray<int>", "_data"},
	[HEAP_MEMORY] = {"CodeHeap", "_memory"},
	[HEAP_MAP] = {"CodeHeap", "_segmap"},
	[HEAP_SEGMENT] = {"CodeHeap", "_log2_segment_size"},
	[SPACE_LOW] = {"VirtualSpace", "_low"},
	[SPACE_HIGH] = {"VirtualSpace", "_high"},
	[BLOCK_USED] = {"HeapBlock::Header", "_used"},
	[BLOB_NAME] = {"CodeBlob", "_name"},
	[BLOB_SIZE] = {"CodeBlob", "_size"},
	[BLOB_FRAME_SIZE] = {"CodeBlob", "_frame_size"},
	[BLOB_FRAME_COMPLETE] = {"CodeBlob", "_frame_complete_offset"},
	[BLOB_CODE_BEGIN] = {"CodeBlob", "_code_begin"},
	[BLOB_CODE_END] = {"CodeBlob", "_code_end"},
	[BLOB_CODE_OFFSET] = {"CodeBlob", "_code_offset"},
	[BLOB_DATA_OFFSET] = {"CodeBlob", "_data_offset"},
	[CONTINUATION_PC] = {"ContinuationEntry", "_return_pc"},
	[HANDLER] = {"CompiledMethod", "_deopt_handler_begin"},
	[HANDLER_MH] = {"CompiledMethod", "_deopt_mh_handler_begin"},
	[HANDLER_OFFSET] = {"nmethod", "_deopt_handler_offset"},
	[HANDLER_MH_OFFSET] = {"nmethod", "_deopt_mh_handler_offset"},
	[HANDLER_26] = {"nmethod", "_deopt_handler_entry_offset"},
	[HANDLER_8] = {"nmethod", "_deoptimize_offset"},
	[HANDLER_MH_8] = {"nmethod", "_deoptimize_mh_offset"},
	[ORIGINAL_PC] = {"nmethod", "_orig_pc_offset"},
};

struct hotspot {
	struct target_memory memory;
	struct hotspot_field fields[N_FIELDS];
};

struct hotspot *hotspot_create(
	const struct target_memory *memory, const uint64_t addresses[HOTSPOT_VARIABLES])
{
	struct hotspot *hotspot = mem_zalloc(sizeof(*hotspot));
	struct hotspot_field *fields = hotspot->fields;
	hotspot->memory = *memory;
	memcpy(fields, wanted, sizeof(wanted));
	bool is_known = hotspot_find_fields(memory, addresses, fields, N_FIELDS);
	for (int i = 0; i < N_NEEDED; i++)
		is_known &= fields[i].is_found;
	is_known &= fields[HEAP].is_found ||
		    (fields[HEAPS].is_found && fields[ARRAY_DATA].is_found &&
			    (fields[ARRAY_LENGTH_OLD].is_found ||
				    fields[ARRAY_LENGTH].is_found));
	is_known &=
		(fields[BLOB_CODE_BEGIN].is_found && fields[BLOB_CODE_END].is_found) ||
		(fields[BLOB_CODE_OFFSET].is_found && fields[BLOB_DATA_OFFSET].is_found);
	if (is_known)
		return hotspot;
	hotspot_destroy(hotspot);
	return NULL;
}

void hotspot_destroy(struct hotspot *hotspot)
{
	free(hotspot);
}

static bool field(
	const struct hotspot *hotspot, unsigned which, uint64_t base, uint64_t *value)
{
	return hotspot_read_field(&hotspot->memory, &hotspot->fields[which], base, value);
}

static bool number(
	const struct hotspot *hotspot, unsigned which, uint64_t base, int64_t *value)
{
	return hotspot_read_number(
		&hotspot->memory, &hotspot->fields[which], base, value);
}

/* --- from an address to the header ---------------------------------------------------- */

/* The memory from LOW to HIGH of the VirtualSpace that is field WHICH of the heap. */
static bool read_space(const struct hotspot *hotspot, uint64_t heap, unsigned which,
	uint64_t *low, uint64_t *high)
{
	uint64_t space = heap + hotspot->fields[which].at;
	return field(hotspot, SPACE_LOW, space, low) &&
	       field(hotspot, SPACE_HIGH, space, high) && *low < *high;
}

/* Is PC in the memory of HEAP, from *LOW on? */
static bool is_in_heap(
	const struct hotspot *hotspot, uint64_t heap, uint64_t pc, uint64_t *low)
{
	uint64_t high;
	return read_space(hotspot, heap, HEAP_MEMORY, low, &high) && pc >= *low &&
	       pc < high;
}

/* The heap that holds PC, and where that begins. */
static bool find_heap(
	const struct hotspot *hotspot, uint64_t pc, uint64_t *heap, uint64_t *low)
{
	uint64_t heaps, length, data;
	if (field(hotspot, HEAP, 0, heap))
		return is_in_heap(hotspot, *heap, pc, low);
	if (!field(hotspot, HEAPS, 0, &heaps) || !heaps ||
		(!field(hotspot, ARRAY_LENGTH, heaps, &length) &&
			!field(hotspot, ARRAY_LENGTH_OLD, heaps, &length)) ||
		!field(hotspot, ARRAY_DATA, heaps, &data))
		return false;
	for (uint64_t i = 0; i < length && i < HEAPS_MAX; i++)
		if (target_memory_read(
			    &hotspot->memory, data + i * WORD, heap, sizeof(*heap)) &&
			is_in_heap(hotspot, *heap, pc, low))
			return true;
	return false;
}

bool hotspot_owns(const struct hotspot *hotspot, uint64_t pc)
{
	uint64_t heap, low;
	return find_heap(hotspot, pc, &heap, &low);
}

/* The block that holds PC begins with a segment whose byte is 0. Each other byte says how many
   segments to go back. */
static bool find_blob(const struct hotspot *hotspot, uint64_t pc, uint64_t *blob)
{
	uint64_t heap, low, map, map_end, log2, used;
	unsigned char back;
	if (!find_heap(hotspot, pc, &heap, &low) ||
		!read_space(hotspot, heap, HEAP_MAP, &map, &map_end) ||
		!field(hotspot, HEAP_SEGMENT, heap, &log2) || log2 > SEGMENT_LOG2_MAX)
		return false;
	uint64_t segment = (pc - low) >> log2;
	for (unsigned hops = 0;; hops++) {
		if (hops == HOPS_MAX || segment >= map_end - map ||
			!target_memory_read(&hotspot->memory, map + segment, &back, 1) ||
			back == SEGMENT_FREE || back > segment)
			return false;
		if (back == 0)
			break;
		segment -= back;
	}
	uint64_t block = low + (segment << log2);
	const struct hotspot_field *flag = &hotspot->fields[BLOCK_USED];
	if (!field(hotspot, BLOCK_USED, block, &used) || !used)
		return false;
	/* The allocated memory begins after the header of the block, which has its size
	   and this flag, rounded up to words. */
	*blob = block + (flag->at + flag->bytes + WORD - 1) / WORD * WORD;
	return true;
}

/* --- what the header says ------------------------------------------------------------- */

static bool read_bounds(
	const struct hotspot *hotspot, uint64_t blob, struct hotspot_code *out)
{
	int64_t size;
	if (hotspot->fields[BLOB_CODE_BEGIN].is_found) {
		if (!field(hotspot, BLOB_CODE_BEGIN, blob, &out->start) ||
			!field(hotspot, BLOB_CODE_END, blob, &out->limit))
			return false;
	} else if (field(hotspot, BLOB_CODE_OFFSET, blob, &out->start) &&
		   field(hotspot, BLOB_DATA_OFFSET, blob, &out->limit)) {
		out->start += blob;
		out->limit += blob;
	} else {
		return false;
	}
	if (!number(hotspot, BLOB_SIZE, blob, &size) || size <= 0 ||
		size > CODE_MAX_BYTES)
		return false;
	out->blob = blob;
	out->bytes = (uint64_t)size;
	return out->start > blob && out->limit > out->start &&
	       out->limit <= blob + out->bytes;
}

void hotspot_code_name(const struct hotspot *hotspot, const struct hotspot_code *code,
	char *out, size_t size)
{
	uint64_t address;
	if (field(hotspot, BLOB_NAME, code->blob, &address))
		hotspot_read_text(&hotspot->memory, address, out, size);
	else
		out[0] = '\0';
}

static enum hotspot_kind kind_by_name(
	const struct hotspot *hotspot, const struct hotspot_code *code)
{
	static const struct {
		const char *name; /* the beginning of its name */
		enum hotspot_kind kind;
	} names[] = {
		{"Interpreter", HOTSPOT_INTERPRETER},
		{"vtable chunks", HOTSPOT_DISPATCH},
		{"MethodHandles adapters", HOTSPOT_DISPATCH},
		{"StubRoutines (continuation", HOTSPOT_CONTINUATION},
	};
	char name[NAME_BYTES];
	hotspot_code_name(hotspot, code, name, sizeof(name));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(name, names[i].name, strlen(names[i].name)) == 0)
			return names[i].kind;
	return HOTSPOT_OTHER;
}

bool hotspot_find_code(
	const struct hotspot *hotspot, uint64_t pc, struct hotspot_code *out)
{
	uint64_t blob;
	int64_t words, complete;
	*out = (struct hotspot_code){.kind = HOTSPOT_OTHER};
	if (!find_blob(hotspot, pc, &blob) || !read_bounds(hotspot, blob, out) ||
		pc < out->start || pc >= out->limit ||
		!number(hotspot, BLOB_FRAME_SIZE, blob, &words) ||
		!number(hotspot, BLOB_FRAME_COMPLETE, blob, &complete))
		return false;
	if (words <= 0 || words > FRAME_MAX_WORDS) {
		out->kind = kind_by_name(hotspot, out);
		return true;
	}
	out->kind = HOTSPOT_FRAME;
	out->frame_bytes = (uint32_t)words * WORD;
	out->complete = out->start + (uint64_t)complete;
	return true;
}

bool hotspot_is_given_up(const struct hotspot *hotspot, const struct hotspot_code *code,
	uint64_t return_pc, uint32_t *bytes)
{
	char name[NAME_BYTES];
	uint64_t handler, offset;
	bool is_handler = false;
	for (unsigned i = HANDLER; i < ORIGINAL_PC && !is_handler; i++)
		is_handler = field(hotspot, i, code->blob, &handler) &&
			     return_pc == handler + (i > HANDLER_MH ? code->blob : 0);
	if (!is_handler || !field(hotspot, ORIGINAL_PC, code->blob, &offset) ||
		offset >= code->frame_bytes)
		return false;
	hotspot_code_name(hotspot, code, name, sizeof(name));
	*bytes = (uint32_t)offset;
	return strcmp(name, "nmethod") == 0;
}

bool hotspot_is_8(const struct hotspot *hotspot)
{
	return hotspot->fields[HEAP].is_found;
}

uint64_t hotspot_continuation_pc(const struct hotspot *hotspot)
{
	uint64_t pc;
	return field(hotspot, CONTINUATION_PC, 0, &pc) ? pc : 0;
}
