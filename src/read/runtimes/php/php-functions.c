/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/php/php-functions.h"

#include "src/base/bytes.h"
#include "src/base/clean.h"
#include "src/base/clock.h"
#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/strpool.h"
#include "src/base/vec.h"
#include "src/read/runtimes/settling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	FUNCTIONS_MAX = 1 << 16,
	TEXT_MAX = 1000,      /* bytes */
	OPS_MAX = 64 << 10,   /* instructions of one function */
	LINES_MAX = 16 << 20, /* of all */
	OPS_READ = 128,
	STRING = 6, /* IS_STRING */
	WORDS = 6,
};

/* What hardly any other function has. */
struct identity {
	uint64_t kind, name, scope, words[WORDS];
};

struct entry {
	uint64_t address;
	struct identity identity;
	uint64_t verified_ns; /* when it was read last */
	struct settling settling;
	const char *name, *file;
	uint32_t first_line, number;
	uint64_t ops;
	uint32_t *lines; /* of each instruction */
	uint32_t n_lines;
};

struct php_functions {
	const struct php_layout *layout;
	struct target_memory memory;
	VEC(struct entry) entries;
	struct idmap places; /* (address, 0) -> entry */
	struct strpool texts;
	size_t n_lines;	  /* of all */
	uint32_t numbers; /* given so far */
};

struct php_functions *php_functions_create(
	const struct php_layout *layout, const struct target_memory *memory)
{
	struct php_functions *functions = mem_zalloc(sizeof(*functions));
	functions->layout = layout;
	functions->memory = *memory;
	return functions;
}

static void clear(struct php_functions *functions)
{
	vec_each (&functions->entries, entry)
		free(entry->lines);
	functions->entries.len = 0;
	functions->n_lines = 0;
	idmap_clear(&functions->places);
	strpool_finish(&functions->texts);
}

void php_functions_destroy(struct php_functions *functions)
{
	if (!functions)
		return;
	clear(functions);
	vec_free(&functions->entries);
	idmap_finish(&functions->places);
	free(functions);
}

/* --- memory ----------------------------------------------------------------------------- */

static bool read_all(
	const struct php_functions *functions, uint64_t address, void *out, size_t length)
{
	return target_memory_read(&functions->memory, address, out, length);
}

/* The zend_string at ADDRESS, cleaned, in OUT. False if it is none, or too long. */
static bool read_text(const struct php_functions *functions, uint64_t address,
	char out[TEXT_MAX * 4 + 1])
{
	unsigned char head[PHP_STRING_BYTES];
	char text[TEXT_MAX];
	if (!read_all(functions, address, head, sizeof(head)))
		return false;
	uint64_t length = bytes_u64(head, PHP_STRING_LENGTH);
	if ((head[PHP_STRING_TYPE] & 15) != STRING || length > TEXT_MAX ||
		!read_all(functions, address + PHP_STRING_BYTES, text, length))
		return false;
	clean_text(out, TEXT_MAX * 4 + 1, text, length);
	return true;
}

static bool is_user(const struct identity *identity)
{
	return identity->kind == PHP_USER || identity->kind == PHP_EVAL;
}

static struct identity identity_of(
	const struct php_functions *functions, const unsigned char *bytes)
{
	const struct php_layout *layout = functions->layout;
	struct identity identity = {
		.kind = bytes[0],
		.name = bytes_u64(bytes, PHP_FUNCTION_NAME),
		.scope = bytes_u64(bytes, PHP_FUNCTION_SCOPE),
	};
	if (is_user(&identity)) {
		identity.words[0] = bytes_u32(bytes, layout->last);
		identity.words[1] = bytes_u64(bytes, layout->opcodes);
		identity.words[2] = bytes_u64(bytes, layout->file);
		identity.words[3] =
			bytes_u64(bytes, layout->first_line); /* and the last */
	} else {
		/* how many arguments, where they are described, and what runs it */
		for (size_t i = 0; i < WORDS; i++)
			identity.words[i] =
				bytes_u64(bytes, PHP_FUNCTION_SCOPE + 16 + i * 8);
	}
	return identity;
}

static bool is_same(const struct identity *a, const struct identity *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* Has the function at ADDRESS, now, IDENTITY? */
static bool is_there(const struct php_functions *functions, uint64_t address,
	const struct identity *identity)
{
	unsigned char bytes[PHP_FUNCTION_BYTES];
	if (!read_all(functions, address, bytes, sizeof(bytes)))
		return false;
	struct identity now = identity_of(functions, bytes);
	return is_same(&now, identity);
}

/* --- one function ----------------------------------------------------------------------- */

/* "Class::method", "function"; what is not in a function has no name. */
static bool read_name(struct php_functions *functions, struct entry *entry)
{
	char name[TEXT_MAX * 4 + 1] = "", scope[TEXT_MAX * 4 + 1] = "";
	const struct identity *identity = &entry->identity;
	uint64_t scope_name = 0;
	if (identity->name == 0)
		snprintf(name, sizeof(name), "%s",
			identity->kind == PHP_EVAL ? "<eval>" : "<main>");
	else if (!read_text(functions, identity->name, name))
		return false;
	if (identity->scope != 0 && identity->name != 0 &&
		(!read_all(functions, identity->scope + PHP_CLASS_NAME, &scope_name,
			 sizeof(scope_name)) ||
			!read_text(functions, scope_name, scope)))
		return false;
	char *whole = mem_printf("%s%s%s", scope, scope[0] ? "::" : "", name);
	entry->name = strpool_intern(&functions->texts, whole);
	free(whole);
	return true;
}

/* The lines of all instructions, unless there are too many. */
static bool read_lines(struct php_functions *functions, struct entry *entry)
{
	unsigned char ops[OPS_READ * PHP_OP_BYTES];
	uint64_t count = entry->identity.words[0];
	if (count > OPS_MAX || functions->n_lines + count > LINES_MAX)
		return true;
	entry->lines = mem_alloc((size_t)(count + 1) * sizeof(*entry->lines));
	for (uint32_t i = 0; i < count; i += OPS_READ) {
		uint64_t n = count - i < OPS_READ ? count - i : OPS_READ;
		if (!read_all(functions, entry->ops + (uint64_t)i * PHP_OP_BYTES, ops,
			    (size_t)n * PHP_OP_BYTES))
			return false;
		for (uint32_t k = 0; k < n; k++)
			entry->lines[i + k] =
				bytes_u32(ops, k * PHP_OP_BYTES + PHP_OP_LINE);
	}
	entry->n_lines = (uint32_t)count;
	return true;
}

static bool read_function(struct php_functions *functions, struct entry *entry)
{
	const struct identity *identity = &entry->identity;
	char file[TEXT_MAX * 4 + 1] = "<internal>";
	if (identity->kind != PHP_INTERNAL && !is_user(identity))
		return false;
	if (!is_there(functions, entry->address, identity) ||
		!read_name(functions, entry))
		return false;
	if (is_user(identity)) {
		entry->ops = identity->words[1];
		entry->first_line = (uint32_t)identity->words[3];
		if (!read_text(functions, identity->words[2], file) ||
			!read_lines(functions, entry))
			return false;
	}
	entry->file = strpool_intern(&functions->texts, file);
	/* What was read may have been another function's, which came there meanwhile. */
	return is_there(functions, entry->address, identity);
}

/* --- settled ones ----------------------------------------------------------------------- */

size_t php_functions_settled(
	const struct php_functions *functions, uint64_t *addresses, size_t most)
{
	size_t count = 0;
	vec_each (&functions->entries, entry)
		if (entry->settling.is_settled && count < most)
			addresses[count++] = entry->address;
	settling_sort(addresses, count);
	return count;
}

/* --- which function --------------------------------------------------------------------- */

static struct entry *entry_at(const struct php_functions *functions, uint64_t address)
{
	const uint32_t *place = idmap_get(&functions->places, address, 0);
	return place ? &functions->entries.data[*place] : NULL;
}

/* What was copied of the function at ADDRESS, or is known of it. */
static bool find_identity(const struct php_functions *functions,
	const struct snapshot *snapshot, uint64_t address, struct identity *identity,
	bool *is_copied)
{
	unsigned char bytes[PHP_FUNCTION_BYTES];
	const struct entry *entry = entry_at(functions, address);
	*is_copied = snapshot_read(snapshot, address, bytes, sizeof(bytes));
	if (*is_copied)
		*identity = identity_of(functions, bytes);
	else if (entry && entry->settling.is_settled)
		*identity = entry->identity;
	else
		return false;
	return true;
}

unsigned php_functions_kind(const struct php_functions *functions,
	const struct snapshot *snapshot, uint64_t address)
{
	struct identity identity;
	bool is_copied;
	if (!find_identity(functions, snapshot, address, &identity, &is_copied))
		return 0;
	return is_user(&identity) || identity.kind == PHP_INTERNAL
		       ? (unsigned)identity.kind
		       : 0;
}

static struct entry *add(
	struct php_functions *functions, struct entry *known, const struct entry *fresh)
{
	functions->n_lines += fresh->n_lines;
	if (known) {
		functions->n_lines -= known->n_lines;
		free(known->lines);
		*known = *fresh;
	} else {
		idmap_put(&functions->places, fresh->address, 0,
			(uint32_t)functions->entries.len);
		vec_push(&functions->entries, *fresh);
		known = &functions->entries.data[functions->entries.len - 1];
	}
	known->number = functions->numbers++;
	return known;
}

/* Read it now. What was known under the same words may have had other texts: then nobody knows
   which of both it was in the sample, and from now on it is another function. */
static struct entry *learn(struct php_functions *functions, uint64_t address,
	const struct identity *identity, struct entry *known)
{
	struct entry fresh = {.address = address,
		.identity = *identity,
		.verified_ns = clock_monotonic_ns()};
	if (functions->entries.len == FUNCTIONS_MAX || functions->n_lines >= LINES_MAX) {
		clear(functions);
		known = NULL;
	}
	fresh.settling.is_unsteady = known && known->settling.is_unsteady;
	bool was_same = known && is_same(&known->identity, identity);
	if (!read_function(functions, &fresh)) {
		if (was_same)
			settling_disturb(&known->settling);
		free(fresh.lines);
		return NULL;
	}
	if (was_same && known->name == fresh.name && known->file == fresh.file &&
		known->n_lines == fresh.n_lines &&
		(fresh.n_lines == 0 ||
			memcmp(known->lines, fresh.lines,
				fresh.n_lines * sizeof(*fresh.lines)) == 0)) {
		known->verified_ns = fresh.verified_ns;
		free(fresh.lines);
		return known;
	}
	fresh.settling.is_unsteady |= known != NULL;
	struct entry *entry = add(functions, known, &fresh);
	return was_same ? NULL : entry;
}

static uint32_t line_of(const struct entry *entry, uint64_t instruction)
{
	uint64_t offset = instruction - entry->ops;
	return offset % PHP_OP_BYTES == 0 && offset / PHP_OP_BYTES < entry->n_lines
		       ? entry->lines[offset / PHP_OP_BYTES]
		       : 0;
}

bool php_functions_find(struct php_functions *functions, const struct snapshot *snapshot,
	const struct script_frame *frame, struct script_function *out)
{
	struct identity identity;
	bool is_copied;
	struct entry *entry = entry_at(functions, frame->function);
	if (!find_identity(functions, snapshot, frame->function, &identity, &is_copied))
		return false;
	bool was_same = entry && is_same(&entry->identity, &identity);
	if (entry && !was_same)
		settling_disturb(&entry->settling);
	if (!was_same || entry->verified_ns < snapshot->time_ns)
		entry = learn(functions, frame->function, &identity, entry);
	if (!entry)
		return false;
	if (is_copied)
		settling_seen(&entry->settling, snapshot->time_ns);
	*out = (struct script_function){
		.name = entry->name,
		.file = entry->file,
		.first_line = entry->first_line,
		.line = line_of(entry, frame->place),
		.number = entry->number,
	};
	return true;
}
