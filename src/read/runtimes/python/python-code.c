/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/python/python-code.h"

#include "src/base/bytes.h"
#include "src/base/clean.h"
#include "src/base/clock.h"
#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/strpool.h"
#include "src/base/vec.h"
#include "src/read/runtimes/python/python-lines.h"
#include "src/read/runtimes/settling.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	CODES_MAX = 1 << 16,
	TEXT_MAX = 1000,       /* characters */
	TABLE_MAX = 256 << 10, /* bytes of lines */
	TABLES_MAX = 64 << 20,
	BYTES_AT = 32, /* in a bytes object */
	SIZE_AT = 16,  /* in that, and in a str, a PyVarObject */
	STATE_AT = 32, /* in a str */
};

struct entry {
	uint64_t address;
	unsigned char identity[PYTHON_IDENTITY_BYTES];
	uint64_t verified_ns; /* when it was read last */
	struct settling settling;
	struct python_code code;
	unsigned char *table;
	size_t table_bytes;
};

struct python_codes {
	const struct python_layout *layout;
	struct python_memory memory;
	VEC(struct entry) entries;
	struct idmap places; /* (address of the code object, 0) -> entry */
	struct strpool texts;
	size_t tables_bytes;
	uint32_t numbers; /* given so far */
};

struct python_codes *python_codes_create(
	const struct python_layout *layout, const struct python_memory *memory)
{
	struct python_codes *codes = mem_zalloc(sizeof(*codes));
	codes->layout = layout;
	codes->memory = *memory;
	return codes;
}

void python_codes_clear(struct python_codes *codes)
{
	vec_each (&codes->entries, entry)
		free(entry->table);
	codes->entries.len = 0;
	codes->tables_bytes = 0;
	idmap_clear(&codes->places);
	strpool_finish(&codes->texts);
}

void python_codes_destroy(struct python_codes *codes)
{
	if (!codes)
		return;
	python_codes_clear(codes);
	vec_free(&codes->entries);
	idmap_finish(&codes->places);
	free(codes);
}

/* --- objects ---------------------------------------------------------------------------- */

static bool read_all(
	const struct python_codes *codes, uint64_t address, void *out, size_t length)
{
	return target_memory_read(&codes->memory.target, address, out, length);
}

/* HEAD is the beginning of an object: is it one of TYPE that was not freed? */
static bool is_alive(
	const struct python_codes *codes, const unsigned char *head, uint64_t type)
{
	uint64_t count = bytes_u64(head, 0);
	if (codes->layout->has_immortals && codes->layout->version >= 0x030e)
		count &= UINT32_MAX;
	return count != 0 && count >> 32 == 0 && bytes_u64(head, 8) == type;
}

static size_t put_text(
	char *out, const unsigned char *units, size_t length, size_t unit_bytes)
{
	size_t at = 0;
	for (size_t i = 0; i < length; i++) {
		uint32_t c = 0;
		memcpy(&c, units + i * unit_bytes, unit_bytes);
		at += clean_encode(c & 0x1fffff, out + at);
	}
	return at;
}

/* The str at ADDRESS, cleaned; NULL if it is none, or too long. */
static const char *read_text(struct python_codes *codes, uint64_t address)
{
	const struct python_layout *layout = codes->layout;
	unsigned char head[STATE_AT + 4], units[TEXT_MAX * 4];
	char text[TEXT_MAX * 4], clean[CLEAN_MAX];
	uint32_t state;
	if (!read_all(codes, address, head, sizeof(head)) ||
		!is_alive(codes, head, codes->memory.text_type))
		return NULL;
	memcpy(&state, head + STATE_AT, sizeof(state));
	uint64_t length = bytes_u64(head, SIZE_AT);
	/* interned: 2 bits, kind: 3, compact: 1, ascii: 1 */
	size_t unit_bytes = state >> 2 & 7;
	bool is_compact = state >> 5 & 1, is_ascii = state >> 6 & 1;
	if (!is_compact || length > TEXT_MAX ||
		(unit_bytes != 1 && unit_bytes != 2 && unit_bytes != 4))
		return NULL;
	address += is_ascii ? layout->text_ascii : layout->text_compact;
	if (length > 0 && !read_all(codes, address, units, length * unit_bytes))
		return NULL;
	size_t bytes = put_text(text, units, length, unit_bytes);
	clean_text(clean, sizeof(clean), text, bytes);
	return strpool_intern(&codes->texts, clean);
}

/* --- lines ------------------------------------------------------------------------------ */

/* The bytes object at ADDRESS. False: it is not there. A table that is too long is left out. */
static bool read_table(struct python_codes *codes, struct entry *entry, uint64_t address)
{
	unsigned char head[SIZE_AT + 8];
	if (!read_all(codes, address, head, sizeof(head)))
		return false;
	uint64_t length = bytes_u64(head, SIZE_AT);
	if (length > TABLE_MAX)
		return true;
	entry->table = mem_alloc(length + 1);
	entry->table_bytes = length;
	return length == 0 || read_all(codes, address + BYTES_AT, entry->table, length);
}

/* --- code ------------------------------------------------------------------------------- */

/* Is at ADDRESS, now, a code object with IDENTITY? Its BYTES are copied. */
static bool read_alive(const struct python_codes *codes, uint64_t address,
	const unsigned char *identity, unsigned char *bytes)
{
	const struct python_layout *layout = codes->layout;
	return read_all(codes, address, bytes, layout->instructions) &&
	       is_alive(codes, bytes, codes->memory.code_type) &&
	       memcmp(bytes + layout->identity, identity, PYTHON_IDENTITY_BYTES) == 0;
}

/* What FRESH, whose address and identity are known, is now; but not the lines of KNOWN, if it is
   the same. */
static bool read_code(
	struct python_codes *codes, struct entry *fresh, const struct entry *known)
{
	const struct python_layout *layout = codes->layout;
	unsigned char bytes[PYTHON_CODE_BYTES];
	struct python_code *code = &fresh->code;
	if (!read_alive(codes, fresh->address, fresh->identity, bytes))
		return false;
	memcpy(&code->first_line, bytes + layout->first_line, sizeof(code->first_line));
	code->name = read_text(codes, bytes_u64(bytes, layout->name));
	code->file = read_text(codes, bytes_u64(bytes, layout->file));
	if (!code->name || !code->file)
		return false;
	bool is_same =
		known && known->code.name == code->name && known->code.file == code->file;
	if (!is_same && !read_table(codes, fresh, bytes_u64(bytes, layout->lines)))
		return false;
	/* What was read may have been another object's, which came there meanwhile. */
	return read_alive(codes, fresh->address, fresh->identity, bytes);
}

static struct entry *add(struct python_codes *codes, const struct entry *fresh)
{
	idmap_put(&codes->places, fresh->address, 0, (uint32_t)codes->entries.len);
	vec_push(&codes->entries, *fresh);
	struct entry *entry = &codes->entries.data[codes->entries.len - 1];
	entry->code.number = codes->numbers++;
	codes->tables_bytes += entry->table_bytes;
	return entry;
}

/* --- settled code ---------------------------------------------------------------------- */

size_t python_codes_settled(
	const struct python_codes *codes, uint64_t *addresses, size_t most)
{
	size_t count = 0;
	vec_each (&codes->entries, entry)
		if (entry->settling.is_settled && count < most)
			addresses[count++] = entry->address;
	settling_sort(addresses, count);
	return count;
}

/* --- which function --------------------------------------------------------------------- */

/* Read it now. What was known under the same words may have had other texts: then nobody knows
   which of both it was in the sample, and from now on it is another function. */
static struct entry *learn(struct python_codes *codes, uint64_t address,
	const unsigned char *identity, struct entry *known)
{
	struct entry fresh = {.address = address, .verified_ns = clock_monotonic_ns()};
	memcpy(fresh.identity, identity, PYTHON_IDENTITY_BYTES);
	if (codes->entries.len == CODES_MAX || codes->tables_bytes > TABLES_MAX) {
		python_codes_clear(codes);
		known = NULL;
	}
	fresh.settling.is_unsteady = known && known->settling.is_unsteady;
	if (known && memcmp(known->identity, identity, PYTHON_IDENTITY_BYTES) != 0)
		known = NULL;
	if (!read_code(codes, &fresh, known)) {
		if (known)
			settling_disturb(&known->settling);
		free(fresh.table);
		return NULL;
	}
	if (known && known->code.name == fresh.code.name &&
		known->code.file == fresh.code.file) {
		known->verified_ns = fresh.verified_ns;
		return known;
	}
	fresh.settling.is_unsteady |= known != NULL;
	struct entry *entry = add(codes, &fresh);
	return known ? NULL : entry;
}

/* The line of INSTRUCTION; 0: not known. */
static uint32_t line_of(
	const struct python_codes *codes, const struct entry *entry, uint64_t instruction)
{
	uint64_t start = entry->address + codes->layout->instructions;
	if (!entry->table)
		return 0;
	/* Before its first instruction it has run none. */
	if (instruction < start)
		return entry->code.first_line;
	return python_line(codes->layout->lines_kind, entry->table, entry->table_bytes,
		entry->code.first_line, (instruction - start) / 2);
}

const struct python_code *python_codes_find(struct python_codes *codes,
	const struct snapshot *snapshot, const struct script_frame *frame, uint32_t *line)
{
	unsigned char identity[PYTHON_IDENTITY_BYTES];
	const uint32_t *place = idmap_get(&codes->places, frame->function, 0);
	struct entry *entry = place ? &codes->entries.data[*place] : NULL;
	bool is_copied = snapshot_read(snapshot,
		frame->function + codes->layout->identity, identity, sizeof(identity));
	if (!is_copied && entry && entry->settling.is_settled)
		memcpy(identity, entry->identity, sizeof(identity));
	else if (!is_copied)
		return NULL;
	bool is_same = entry && memcmp(entry->identity, identity, sizeof(identity)) == 0;
	if (entry && !is_same)
		settling_disturb(&entry->settling);
	if (!is_same || entry->verified_ns < snapshot->time_ns)
		entry = learn(codes, frame->function, identity, entry);
	if (!entry)
		return NULL;
	if (is_copied)
		settling_seen(&entry->settling, snapshot->time_ns);
	*line = line_of(codes, entry, frame->place);
	return &entry->code;
}
