/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/hotspot/hotspot-scopes.h"

#include "src/base/mem.h"
#include "src/read/runtimes/hotspot/hotspot-method.h"

#include <stdlib.h>
#include <string.h>

enum {
	WORD = 8,
	HEADER_MAX_BYTES = 1024, /* of an nmethod: 224 to 376 */
	RECORDS_MAX_BYTES = 64 << 20,
	PLACE_BYTES = 16,    /* PcDesc */
	PLACES_AT_ONCE = 64, /* read at once */
	SCOPE_BYTES = 3 * 5, /* the three numbers that a scope begins with */
	IN_USE = 0,
	NO_SCOPE = 0, /* DebugInformationRecorder::serialized_null */
};

enum {
	METHOD_OLD,	 /* up to JDK 8 and since 23; */
	METHOD_COMPILED, /* and between these */
	ENTRY_BCI,
	COMPILE_ID,
	PLACES,
	/* up to JDK 22: the records follow the code. */
	PLACES_END,
	METHODS,
	SCOPES,	      /* up to JDK 8 and since 23: an offset; */
	SCOPES_BEGIN, /* and between these: an address */
	/* since JDK 23: they lie elsewhere; */
	IMMUTABLE,
	IMMUTABLE_SIZE,
	/* since JDK 25: the methods, too */
	MUTABLE,
	MUTABLE_SIZE,
	RELOCATION_SIZE,
	STATE,
	PLACE_PC,
	PLACE_SCOPE,
	PLACE_SIZE,
	METHOD_CODE,
	N_FIELDS,
	N_OF_HEADER = PLACE_PC,
};

static const struct hotspot_field wanted[N_FIELDS] = {
	[METHOD_OLD] = {"nmethod", "_method"},
	[METHOD_COMPILED] = {"CompiledMethod", "_method"},
	[ENTRY_BCI] = {"nmethod", "_entry_bci"},
	[COMPILE_ID] = {"nmethod", "_compile_id"},
	[PLACES] = {"nmethod", "_scopes_pcs_offset"},
	[PLACES_END] = {"nmethod", "_dependencies_offset"},
	[METHODS] = {"nmethod", "_metadata_offset"},
	[SCOPES] = {"nmethod", "_scopes_data_offset"},
	[SCOPES_BEGIN] = {"CompiledMethod", "_scopes_data_begin"},
	[IMMUTABLE] = {"nmethod", "_immutable_data"},
	[IMMUTABLE_SIZE] = {"nmethod", "_immutable_data_size"},
	[MUTABLE] = {"CodeBlob", "_mutable_data"},
	[MUTABLE_SIZE] = {"CodeBlob", "_mutable_data_size"},
	[RELOCATION_SIZE] = {"CodeBlob", "_relocation_size"},
	[STATE] = {"nmethod", "_state"},
	[PLACE_PC] = {"PcDesc", "_pc_offset"},
	[PLACE_SCOPE] = {"PcDesc", "_scope_decode_offset"},
	[PLACE_SIZE] = {"PcDesc", NULL},
	[METHOD_CODE] = {"Method", "_code"},
};

struct hotspot_scopes {
	struct target_memory memory;
	struct hotspot_field fields[N_FIELDS];
	size_t extent; /* of the fields of a header */
	bool excludes_0;
	bool is_apart; /* the records do not follow the code */
};

static bool is_enough(const struct hotspot_field *fields)
{
	static const unsigned together[] = {PLACES_END, METHODS};
	static const unsigned apart[] = {SCOPES, IMMUTABLE, IMMUTABLE_SIZE, MUTABLE,
		MUTABLE_SIZE, RELOCATION_SIZE};
	bool is_apart = fields[IMMUTABLE].is_found;
	const unsigned *needed = is_apart ? apart : together;
	size_t n = is_apart ? sizeof(apart) / sizeof(*apart)
			    : sizeof(together) / sizeof(*together);
	for (size_t i = 0; i < n; i++)
		if (!fields[needed[i]].is_found)
			return false;
	return (fields[METHOD_OLD].is_found || fields[METHOD_COMPILED].is_found) &&
	       (fields[SCOPES].is_found || fields[SCOPES_BEGIN].is_found) &&
	       fields[STATE].is_found && fields[METHOD_CODE].is_found &&
	       fields[ENTRY_BCI].is_found && fields[COMPILE_ID].is_found &&
	       fields[PLACES].is_found && fields[PLACE_PC].is_found &&
	       fields[PLACE_SCOPE].is_found && fields[PLACE_SIZE].is_found &&
	       fields[PLACE_SIZE].at == PLACE_BYTES;
}

struct hotspot_scopes *hotspot_scopes_create(const struct target_memory *memory,
	const uint64_t addresses[HOTSPOT_VARIABLES], bool excludes_0)
{
	struct hotspot_scopes *scopes = mem_zalloc(sizeof(*scopes));
	scopes->memory = *memory;
	scopes->excludes_0 = excludes_0;
	memcpy(scopes->fields, wanted, sizeof(wanted));
	bool is_known =
		hotspot_find_fields(memory, addresses, scopes->fields, N_FIELDS) &&
		is_enough(scopes->fields);
	scopes->extent = hotspot_extent(scopes->fields, N_OF_HEADER);
	scopes->is_apart = scopes->fields[IMMUTABLE].is_found;
	if (is_known && scopes->extent <= HEADER_MAX_BYTES)
		return scopes;
	hotspot_scopes_destroy(scopes);
	return NULL;
}

void hotspot_scopes_destroy(struct hotspot_scopes *scopes)
{
	free(scopes);
}

/* --- the header ----------------------------------------------------------------------- */

struct header {
	const struct hotspot_scopes *scopes;
	unsigned char bytes[HEADER_MAX_BYTES];
};

static bool get(const struct header *header, unsigned which, uint64_t *value)
{
	return hotspot_field_of(&header->scopes->fields[which], header->bytes,
		header->scopes->extent, value);
}

static bool find_records(const struct header *header, struct hotspot_compiled *out)
{
	uint64_t places, scopes = 0, immutable, size, relocations;
	get(header, PLACES, &places);
	get(header, SCOPES, &scopes);
	if (header->scopes->is_apart) {
		get(header, IMMUTABLE, &immutable);
		get(header, IMMUTABLE_SIZE, &size);
		out->places = immutable + places;
		out->scopes = out->places_end = immutable + scopes;
		out->scopes_end = immutable + size;
		get(header, MUTABLE, &out->methods);
		get(header, MUTABLE_SIZE, &size);
		get(header, RELOCATION_SIZE, &relocations);
		out->methods_end = out->methods + size;
		out->methods += relocations;
	} else {
		get(header, PLACES_END, &out->places_end);
		get(header, METHODS, &out->methods);
		out->places = out->blob + places;
		out->places_end += out->blob;
		out->methods += out->blob;
		if (!get(header, SCOPES_BEGIN, &out->scopes))
			out->scopes = out->blob + scopes;
		out->methods_end = out->scopes;
		out->scopes_end = out->places;
	}
	return out->places <= out->places_end && out->scopes <= out->scopes_end &&
	       out->methods <= out->methods_end &&
	       out->places_end - out->places <= RECORDS_MAX_BYTES &&
	       out->scopes_end - out->scopes <= RECORDS_MAX_BYTES &&
	       out->methods_end - out->methods <= RECORDS_MAX_BYTES;
}

bool hotspot_read_compiled(const struct hotspot_scopes *scopes,
	const struct hotspot_code *code, struct hotspot_compiled *out)
{
	struct header header = {.scopes = scopes};
	uint64_t entry_bci, compile_id;
	*out = (struct hotspot_compiled){.blob = code->blob,
		.start = code->start,
		.limit = code->limit,
		.complete = code->complete};
	if (!target_memory_read(
		    &scopes->memory, code->blob, header.bytes, scopes->extent) ||
		(!get(&header, METHOD_COMPILED, &out->method) &&
			!get(&header, METHOD_OLD, &out->method)) ||
		!out->method || !get(&header, ENTRY_BCI, &entry_bci) ||
		!get(&header, COMPILE_ID, &compile_id))
		return false;
	out->entry_bci = (uint32_t)entry_bci;
	out->compile_id = (uint32_t)compile_id;
	return find_records(&header, out);
}

bool hotspot_has_its_method(
	const struct hotspot_scopes *scopes, const struct hotspot_compiled *compiled)
{
	uint64_t state, code;
	if (!hotspot_read_field(
		    &scopes->memory, &scopes->fields[STATE], compiled->blob, &state) ||
		!hotspot_read_field(&scopes->memory, &scopes->fields[METHOD_CODE],
			compiled->method, &code))
		return false;
	return state != IN_USE || compiled->entry_bci != UINT32_MAX ||
	       code == compiled->blob;
}

/* --- scopes --------------------------------------------------------------------------- */

struct place {
	int32_t pc, scope; /* offsets */
};

static struct place place_in(
	const struct hotspot_scopes *scopes, const unsigned char *bytes)
{
	uint64_t pc, scope;
	hotspot_field_of(&scopes->fields[PLACE_PC], bytes, PLACE_BYTES, &pc);
	hotspot_field_of(&scopes->fields[PLACE_SCOPE], bytes, PLACE_BYTES, &scope);
	return (struct place){(int32_t)pc, (int32_t)scope};
}

/* The first place at OFFSET or behind it, and the last one before it. They are in order, between one
   before all code and one behind it, neither of which has a scope. */
static bool find_place(const struct hotspot_scopes *scopes,
	const struct hotspot_compiled *compiled, int32_t offset, struct place *found,
	struct place *before)
{
	unsigned char bytes[PLACES_AT_ONCE * PLACE_BYTES];
	uint64_t low = 0, high = (compiled->places_end - compiled->places) / PLACE_BYTES;
	while (high - low > PLACES_AT_ONCE) {
		uint64_t middle = low + (high - low) / 2;
		if (!target_memory_read(&scopes->memory,
			    compiled->places + middle * PLACE_BYTES, bytes, PLACE_BYTES))
			return false;
		if (place_in(scopes, bytes).pc < offset)
			low = middle; /* it may be the one before */
		else
			high = middle + 1; /* it may be found */
	}
	if (!target_memory_read(&scopes->memory, compiled->places + low * PLACE_BYTES,
		    bytes, (high - low) * PLACE_BYTES))
		return false;
	*before = (struct place){.scope = NO_SCOPE};
	for (uint64_t i = 0; i < high - low; i++) {
		*found = place_in(scopes, bytes + i * PLACE_BYTES);
		if (found->pc >= offset)
			return true;
		*before = *found;
	}
	return false;
}

/* The scope at offset AT, and at *AT the one that it was inlined into. */
static bool read_scope(const struct hotspot_scopes *scopes,
	const struct hotspot_compiled *compiled, uint32_t *at,
	struct hotspot_scope *scope)
{
	unsigned char bytes[SCOPE_BYTES];
	uint32_t outer, number, bci;
	uint64_t length = compiled->scopes_end - compiled->scopes - *at;
	if (length > sizeof(bytes))
		length = sizeof(bytes);
	if (!target_memory_read(&scopes->memory, compiled->scopes + *at, bytes, length))
		return false;
	const unsigned char *next = bytes, *end = bytes + length;
	if (!hotspot_read_packed(scopes->excludes_0, &next, end, &outer) ||
		!hotspot_read_packed(scopes->excludes_0, &next, end, &number) ||
		!hotspot_read_packed(scopes->excludes_0, &next, end, &bci) ||
		outer >= *at || number == 0 ||
		number > (compiled->methods_end - compiled->methods) / WORD ||
		!target_memory_read(&scopes->memory,
			compiled->methods + (number - 1) * WORD, &scope->method, WORD))
		return false;
	scope->bci = bci > 0 ? (int32_t)bci - 1 : 0; /* 0: where it is entered */
	*at = outer;
	return true;
}

/* The scopes at PLACE, at most MOST: of very many the innermost, and the one that was compiled. */
static size_t read_scopes(const struct hotspot_scopes *scopes,
	const struct hotspot_compiled *compiled, const struct place *place,
	struct hotspot_scope *out, size_t most)
{
	uint64_t bytes = compiled->scopes_end - compiled->scopes;
	size_t length = 0;
	for (uint32_t at = (uint32_t)place->scope; at != NO_SCOPE; length++) {
		struct hotspot_scope scope;
		if (at >= bytes || !read_scope(scopes, compiled, &at, &scope))
			return 0;
		out[length < most ? length : most - 1] = scope;
	}
	return length < most ? length : most;
}

size_t hotspot_scopes_at(const struct hotspot_scopes *scopes,
	const struct hotspot_compiled *compiled, uint64_t pc, bool is_return,
	struct hotspot_scope *out, size_t most)
{
	struct place place, before;
	out[0] = (struct hotspot_scope){compiled->method, -1};
	if (compiled->places == compiled->places_end)
		return 1; /* of a native method */
	if (!is_return && pc < compiled->complete) {
		/* nothing is inlined so early */
		out[0].bci = compiled->entry_bci == UINT32_MAX
				     ? 0
				     : (int32_t)compiled->entry_bci;
		return 1;
	}
	if (!find_place(
		    scopes, compiled, (int32_t)(pc - compiled->start), &place, &before))
		return 1;
	if (place.scope != NO_SCOPE)
		return read_scopes(scopes, compiled, &place, out, most);
	/* Behind the last one it leaves the method that was compiled. */
	return before.scope == NO_SCOPE ? 1
					: read_scopes(scopes, compiled, &before, out, 1);
}
