/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/ruby/ruby-code.h"

#include "src/base/bytes.h"
#include "src/base/clean.h"
#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/strpool.h"
#include "src/base/vec.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ENTRIES_MAX = 1 << 16,
	WORDS_MAX = 1 << 20,   /* of an instruction sequence */
	LINES_MAX = 1 << 16,   /* of its table */
	TABLES_MAX = 64 << 20, /* bytes of all */
	ENVS_MAX = 32,	       /* blocks in blocks */
	TYPE_MASK = 0x1f,      /* of the first word of an object */
	TYPE_INTERNAL = 0x1a,  /* imemo, of a */
	KIND_SHIFT = 12,
	KIND_MASK = 15,
	KIND_VARIABLES = 2, /* svar: its second word is what else would be there */
	VARIABLES_METHOD = 8,
	KIND_METHOD = 6,
	KIND_ISEQ = 7,
	DEFINITION_MASK = 15, /* of a definition */
	DEFINITION_ISEQ = 0,
	DEFINITION_C = 1,
	ENV_LOCAL = 2, /* in the flags of an environment */
	TAG_BITS = 3,
	NUMBER_COLLECTOR = 0,
};

/* Of a heap, at one moment: objects that are in use are freed only if the number grows, or by a
   collection that is going on. */
struct age {
	bool is_known, is_marking;
	uint64_t collections;
};

struct entry {
	uint64_t function, method; /* of a method of C FUNCTION is 0 */
	/* The body of an instruction sequence, or a method entry. */
	unsigned char words[RUBY_BODY_BYTES];
	struct age age;		 /* when it was read last */
	const char *name, *file; /* cleaned */
	uint32_t first_line, number;
	unsigned char *table, *positions;
	size_t lines, positions_bytes;
};

struct ruby_codes {
	const struct ruby_objects *objects;
	const struct ruby_place *place;
	VEC(struct entry) entries;
	struct idmap
		places; /* (function, method) -> entry; (function, 0): the last one */
	struct strpool texts;
	size_t tables_bytes;
	uint32_t numbers; /* given so far */
};

struct ruby_codes *ruby_codes_create(
	const struct ruby_objects *objects, const struct ruby_place *place)
{
	struct ruby_codes *codes = mem_zalloc(sizeof(*codes));
	codes->objects = objects;
	codes->place = place;
	codes->numbers = NUMBER_COLLECTOR + 1;
	return codes;
}

static void free_tables(struct entry *entry)
{
	free(entry->table);
	free(entry->positions);
}

static void clear(struct ruby_codes *codes)
{
	vec_each (&codes->entries, entry)
		free_tables(entry);
	codes->entries.len = 0;
	codes->tables_bytes = 0;
	idmap_clear(&codes->places);
	strpool_finish(&codes->texts);
}

void ruby_codes_destroy(struct ruby_codes *codes)
{
	if (!codes)
		return;
	clear(codes);
	vec_free(&codes->entries);
	idmap_finish(&codes->places);
	free(codes);
}

/* --- lines ------------------------------------------------------------------------------ */

/* A bit for each word of code, set where an entry begins; with counts, so that those before a word
   need not be counted. The first words have the number of their entry at once. */
enum {
	FIRST_WORDS = 54,
	FIRST_EACH = 9, /* in one word, of so many bits each: */
	FIRST_BITS = 7,
	FIRST_BYTES = 48,
	BLOCK_BYTES = 80, /* a count, counts of 8 parts of 64 bits, these */
	BLOCK_WORDS = 512,
	BLOCK_COUNTS = 8,
	BLOCK_BITS = 16,
	COUNT_BITS = 9,
};

static size_t positions_bytes(uint64_t words)
{
	uint64_t rest = words > FIRST_WORDS ? words - FIRST_WORDS : 0;
	return FIRST_BYTES + (rest + BLOCK_WORDS - 1) / BLOCK_WORDS * BLOCK_BYTES;
}

size_t ruby_line_entry(
	const unsigned char *bytes, size_t length, uint64_t word, size_t count)
{
	if (length < FIRST_BYTES)
		return count;
	if (word < FIRST_WORDS) {
		uint64_t group = bytes_u64(bytes, word / FIRST_EACH * sizeof(uint64_t));
		return (group >> word % FIRST_EACH * FIRST_BITS & 0x7f) - 1;
	}
	word -= FIRST_WORDS;
	size_t block = FIRST_BYTES + word / BLOCK_WORDS * BLOCK_BYTES;
	uint64_t part = word % BLOCK_WORDS / 64;
	if (length < BLOCK_BYTES || block > length - BLOCK_BYTES)
		return count;
	size_t entry = bytes_u32(bytes, block);
	if (part > 0)
		entry += bytes_u64(bytes, block + BLOCK_COUNTS) >>
				 (part - 1) * COUNT_BITS &
			 0x1ff;
	uint64_t bits = bytes_u64(bytes, block + BLOCK_BITS + part * sizeof(bits));
	return entry + (size_t)__builtin_popcountll(bits << (63 - word % 64)) - 1;
}

static bool read_lines(
	struct ruby_codes *codes, struct entry *entry, const unsigned char *body)
{
	const struct ruby_layout *layout = codes->objects->layout;
	uint32_t words = bytes_u32(body, layout->words);
	entry->lines = bytes_u32(body, layout->lines);
	if (words > WORDS_MAX || entry->lines > LINES_MAX)
		entry->lines = 0;
	if (entry->lines == 0)
		return true;
	entry->table = mem_alloc(entry->lines * layout->line_bytes);
	if (!target_memory_read(&codes->objects->memory, bytes_u64(body, layout->table),
		    entry->table, entry->lines * layout->line_bytes))
		return false;
	if (entry->lines == 1) /* of all code */
		return true;
	entry->positions_bytes = positions_bytes(words);
	entry->positions = mem_alloc(entry->positions_bytes);
	return target_memory_read(&codes->objects->memory,
		bytes_u64(body, layout->positions), entry->positions,
		entry->positions_bytes);
}

/* The line before PC, where the next instruction is, which is in the code; 0: not known. */
static uint32_t line_of(
	const struct ruby_codes *codes, const struct entry *entry, uint64_t pc)
{
	const struct ruby_layout *layout = codes->objects->layout;
	uint64_t word = (pc - bytes_u64(entry->words, layout->code)) / sizeof(uint64_t);
	size_t at = entry->lines == 1
			    ? 0
			    : ruby_line_entry(entry->positions, entry->positions_bytes,
				      word > 0 ? word - 1 : 0, entry->lines);
	return at < entry->lines ? bytes_u32(entry->table, at * layout->line_bytes) : 0;
}

/* --- methods and code ------------------------------------------------------------------- */

static bool is_kind(uint64_t flags, unsigned kind)
{
	return (flags & TYPE_MASK) == TYPE_INTERNAL &&
	       (flags >> KIND_SHIFT & KIND_MASK) == kind;
}

static bool read_word(const struct ruby_codes *codes, uint64_t address, uint64_t *word)
{
	return target_memory_read(&codes->objects->memory, address, word, sizeof(*word));
}

/* What an environment has as its method: the method entry, 0 if it has none. */
static uint64_t method_of(const struct ruby_codes *codes, uint64_t address)
{
	uint64_t flags;
	if (address % sizeof(flags) != 0 || !read_word(codes, address, &flags))
		return 0;
	if (is_kind(flags, KIND_VARIABLES) &&
		(!read_word(codes, address + VARIABLES_METHOD, &address) ||
			!read_word(codes, address, &flags)))
		return 0;
	return is_kind(flags, KIND_METHOD) ? address : 0;
}

/* Where the words of an entry are, 0: nowhere any more. */
static uint64_t words_at(const struct ruby_codes *codes, const struct entry *entry)
{
	unsigned char iseq[RUBY_ISEQ_BYTES];
	if (entry->function == 0)
		return method_of(codes, entry->method);
	return target_memory_read(
		       &codes->objects->memory, entry->function, iseq, sizeof(iseq)) &&
			       is_kind(bytes_u64(iseq, 0), KIND_ISEQ)
		       ? bytes_u64(iseq, codes->objects->layout->body)
		       : 0;
}

static bool read_words(const struct ruby_codes *codes, const struct entry *entry,
	unsigned char words[RUBY_BODY_BYTES])
{
	uint64_t at = words_at(codes, entry);
	size_t bytes = entry->function ? RUBY_BODY_BYTES : RUBY_METHOD_BYTES;
	memset(words, 0, RUBY_BODY_BYTES);
	if (at == 0 || !target_memory_read(&codes->objects->memory, at, words, bytes))
		return false;
	if (entry->function == 0)
		memset(words, 0,
			sizeof(uint64_t)); /* flags, which the collector changes */
	return true;
}

/* Of the method entry at METHOD: the class that has it, and its DEFINITION, of KIND. */
static bool read_method(const struct ruby_codes *codes, uint64_t method, unsigned kind,
	uint64_t *owner, unsigned char definition[RUBY_DEFINITION_BYTES])
{
	const struct ruby_layout *layout = codes->objects->layout;
	unsigned char bytes[RUBY_METHOD_BYTES];
	if (!target_memory_read(&codes->objects->memory, method, bytes, sizeof(bytes)) ||
		!is_kind(bytes_u64(bytes, 0), KIND_METHOD) ||
		!target_memory_read(&codes->objects->memory,
			bytes_u64(bytes, layout->defined_as), definition,
			RUBY_DEFINITION_BYTES))
		return false;
	*owner = bytes_u64(bytes, layout->owner);
	return (bytes_u64(definition, 0) & DEFINITION_MASK) == kind;
}

static bool read_c_method(struct ruby_codes *codes, struct entry *entry)
{
	const struct ruby_layout *layout = codes->objects->layout;
	unsigned char definition[RUBY_DEFINITION_BYTES];
	char owner[CLEAN_MAX] = "", name[CLEAN_MAX], whole[2 * CLEAN_MAX];
	uint64_t class;
	if (!read_method(codes, method_of(codes, entry->method), DEFINITION_C, &class,
		    definition) ||
		!ruby_objects_name(codes->objects,
			bytes_u64(definition, layout->original_name), name, sizeof(name)))
		return false;
	if (!ruby_objects_owner(codes->objects, class, owner, sizeof(owner)))
		owner[0] = '\0';
	snprintf(whole, sizeof(whole), "%s%s", owner, name);
	entry->name = strpool_intern(&codes->texts, whole);
	entry->file = "";
	return true;
}

/* "Class#" of the method in which this code is written, if METHOD is that. */
static bool read_owner(const struct ruby_codes *codes, const struct entry *entry,
	const unsigned char *body, char *out, size_t size)
{
	const struct ruby_layout *layout = codes->objects->layout;
	unsigned char definition[RUBY_DEFINITION_BYTES];
	uint64_t class;
	return entry->method &&
	       read_method(codes, method_of(codes, entry->method), DEFINITION_ISEQ,
		       &class, definition) &&
	       bytes_u64(definition, layout->definition_iseq) ==
		       bytes_u64(body, layout->local_iseq) &&
	       ruby_objects_owner(codes->objects, class, out, size);
}

/* A label ends with the name of the method, before which OWNER belongs. */
static const char *whole_name(
	struct ruby_codes *codes, const char *label, const char *base, const char *owner)
{
	char whole[2 * CLEAN_MAX];
	size_t length = strlen(label), end = strlen(base);
	size_t start = end <= length && strcmp(label + length - end, base) == 0
			       ? length - end
			       : length;
	if (start == length)
		owner = "";
	snprintf(whole, sizeof(whole), "%.*s%s%s", (int)start, label, owner,
		label + start);
	return strpool_intern(&codes->texts, whole);
}

static bool read_iseq(struct ruby_codes *codes, struct entry *entry)
{
	const struct ruby_objects *objects = codes->objects;
	const struct ruby_layout *layout = objects->layout;
	const unsigned char *body = entry->words;
	char label[CLEAN_MAX], base[CLEAN_MAX], file[CLEAN_MAX], owner[CLEAN_MAX];
	if (!ruby_objects_text(
		    objects, bytes_u64(body, layout->label), label, sizeof(label)) ||
		!ruby_objects_text(objects, bytes_u64(body, layout->base_label), base,
			sizeof(base)) ||
		!ruby_objects_path(
			objects, bytes_u64(body, layout->path), file, sizeof(file)))
		return false;
	if (!read_owner(codes, entry, body, owner, sizeof(owner)))
		owner[0] = '\0';
	entry->name = whole_name(codes, label, base, owner);
	entry->file = strpool_intern(&codes->texts, file);
	entry->first_line =
		layout->has_plain_line
			? bytes_u32(body, layout->first_line)
			: (uint32_t)(bytes_u64(body, layout->first_line) >> 1);
	return true;
}

/* --- what is known ---------------------------------------------------------------------- */

/* Of FLAGS, the word of a heap that says what is going on. */
static struct age age_of(uint64_t flags, uint64_t collections)
{
	return (struct age){.is_known = true,
		.is_marking = (flags & RUBY_PHASE) == RUBY_MARKING,
		.collections = collections};
}

static struct age copied_age(
	const struct ruby_codes *codes, const struct snapshot *snapshot)
{
	const struct ruby_layout *layout = codes->objects->layout;
	uint64_t flags, collections, objspace = codes->place->objspace;
	bool is_there = objspace &&
			snapshot_read(snapshot, objspace + layout->collecting, &flags,
				sizeof(flags)) &&
			snapshot_read(snapshot, objspace + layout->collections,
				&collections, sizeof(collections));
	return is_there ? age_of(flags, collections) : (struct age){.is_known = false};
}

static struct age present_age(const struct ruby_codes *codes)
{
	const struct ruby_layout *layout = codes->objects->layout;
	uint64_t flags, collections, objspace = codes->place->objspace;
	bool is_there = objspace &&
			read_word(codes, objspace + layout->collecting, &flags) &&
			read_word(codes, objspace + layout->collections, &collections);
	return is_there ? age_of(flags, collections) : (struct age){.is_known = false};
}

/* An object that has survived a collection has one of these bits in its first word (FL_PROMOTED0,
   FL_PROMOTED1). */
static bool has_survived(const struct ruby_codes *codes, const struct entry *entry)
{
	enum {
		SURVIVED = 3 << 5
	};
	uint64_t flags;
	return read_word(codes,
		       entry->function ? entry->function
				       : method_of(codes, entry->method),
		       &flags) &&
	       (flags & SURVIVED) != 0;
}

/* Is what was read NOW in the place of what was in use THEN that same object? If it was freed, and
   another came there, that has not survived a collection before the second one after. */
static bool is_that(const struct ruby_codes *codes, const struct entry *entry,
	const struct age *then, const struct age *now)
{
	uint64_t passed = now->collections - then->collections;
	if (!then->is_known || !now->is_known)
		return false;
	if (passed == 0 && !then->is_marking)
		return true;
	return passed + then->is_marking <= 1 && has_survived(codes, entry);
}

/* What was in use at one of them was not freed at the other. */
static bool is_same_age(const struct age *a, const struct age *b)
{
	return a->is_known && b->is_known && !a->is_marking && !b->is_marking &&
	       a->collections == b->collections;
}

/* Read what ENTRY, of which address and method are known, is now; but not the lines of KNOWN, if
   it is the same, which IS_SAME says then. */
static bool read_entry(struct ruby_codes *codes, struct entry *entry,
	const struct entry *known, bool *is_same)
{
	unsigned char again[RUBY_BODY_BYTES];
	if (!read_words(codes, entry, entry->words) ||
		!(entry->function ? read_iseq(codes, entry)
				  : read_c_method(codes, entry)))
		return false;
	*is_same = known && known->name == entry->name && known->file == entry->file &&
		   memcmp(known->words, entry->words, sizeof(entry->words)) == 0;
	if (!*is_same && entry->function && !read_lines(codes, entry, entry->words))
		return false;
	entry->age = present_age(codes);
	/* What was read may have been another's, which came there meanwhile. */
	return read_words(codes, entry, again) &&
	       memcmp(again, entry->words, sizeof(again)) == 0;
}

static struct entry *add(struct ruby_codes *codes, const struct entry *fresh)
{
	uint32_t place = (uint32_t)codes->entries.len;
	idmap_put(&codes->places, fresh->function, fresh->method, place);
	vec_push(&codes->entries, *fresh);
	struct entry *entry = &codes->entries.data[place];
	entry->number = codes->numbers++;
	codes->tables_bytes += entry->lines * codes->objects->layout->line_bytes +
			       entry->positions_bytes;
	return entry;
}

/* What the environment at ENV leads to has as its method, 0: nothing. */
static uint64_t follow(const struct ruby_codes *codes, uint64_t env)
{
	unsigned char bytes[RUBY_ENV_BYTES];
	for (int i = 0; i < ENVS_MAX; i++) {
		if (env % sizeof(env) != 0 ||
			!target_memory_read(&codes->objects->memory, env - RUBY_ENV_FLAGS,
				bytes, sizeof(bytes)))
			return 0;
		if (bytes_u64(bytes, RUBY_ENV_FLAGS) & ENV_LOCAL)
			return bytes_u64(bytes, RUBY_ENV_METHOD);
		env = bytes_u64(bytes, RUBY_ENV_OUTER) & ~(uint64_t)TAG_BITS;
	}
	return 0;
}

/* NULL: nobody knows. */
static const struct entry *find(struct ruby_codes *codes, const struct snapshot *snapshot,
	const struct script_frame *frame)
{
	struct entry fresh = {.function = frame->function, .method = frame->more};
	struct age age = copied_age(codes, snapshot);
	bool is_same = false;
	if (fresh.method & RUBY_ENV)
		fresh.method = follow(codes, fresh.method & ~(uint64_t)RUBY_ENV);
	if (codes->entries.len == ENTRIES_MAX || codes->tables_bytes > TABLES_MAX)
		clear(codes);
	const uint32_t *place = idmap_get(&codes->places, fresh.function, fresh.method);
	struct entry *known = place ? &codes->entries.data[*place] : NULL;
	if (known && is_same_age(&known->age, &age))
		return known;
	if (!read_entry(codes, &fresh, known, &is_same)) {
		free_tables(&fresh);
		return NULL;
	}
	if (is_same) {
		known->age = fresh.age;
		return known;
	}
	known = add(codes, &fresh);
	return is_that(codes, known, &age, &known->age) ? known : NULL;
}

static bool is_in_code(
	const struct ruby_codes *codes, const struct entry *entry, uint64_t pc)
{
	const struct ruby_layout *layout = codes->objects->layout;
	uint64_t passed = pc - bytes_u64(entry->words, layout->code);
	return passed / sizeof(uint64_t) <= bytes_u32(entry->words, layout->words);
}

enum script_kind ruby_codes_find(struct ruby_codes *codes,
	const struct snapshot *snapshot, const struct script_frame *frame,
	struct script_function *out)
{
	if (frame->function == 0 && frame->more == RUBY_COLLECTOR) {
		*out = (struct script_function){.name = "[Ruby's garbage collector]",
			.file = "",
			.number = NUMBER_COLLECTOR};
		return SCRIPT_NAMED;
	}
	const struct entry *entry = find(codes, snapshot, frame);
	if (!entry || (frame->function && !is_in_code(codes, entry, frame->place)))
		return SCRIPT_GONE;
	*out = (struct script_function){
		.name = entry->name,
		.file = entry->file,
		.first_line = entry->first_line,
		.line = frame->function ? line_of(codes, entry, frame->place) : 0,
		.number = entry->number,
	};
	return SCRIPT_NAMED;
}
