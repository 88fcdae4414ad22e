/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/perl/perl-code.h"

#include "src/base/bytes.h"
#include "src/base/clean.h"
#include "src/base/clock.h"
#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/strpool.h"
#include "src/base/vec.h"
#include "src/read/runtimes/perl/perl-stack.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ENTRIES_MAX = 1 << 16,
	TEXTS_MAX = 16 << 20, /* bytes */
	TEXT_MAX = 1000,      /* bytes of a name or file */
	TREE_MAX = 1 << 14,   /* ops from a statement to its root */
	BLOCK = 4096,

	/* sv.h, cv.h */
	TYPES = 0xff,
	TYPE_GLOB = 9,
	TYPE_HASH = 12,
	TYPE_CODE = 13,
	TYPE_FORMAT = 14,
	HAS_AUX = 0x02000000,
	CV_IS_XSUB = 0x8,
	CV_IS_NAMED = 0x8000,
	CV_IS_LEXICAL = 0x10000,
	HEK_IS_UTF8 = 1,
};

/* One statement. */
struct statement {
	uint64_t address;
	unsigned char words[PERL_COP_BYTES];
	uint64_t verified_ns; /* when it was there last */
	uint64_t root;	      /* of its tree; 0: not found */
	uint32_t root_type, line;
	const char *file; /* cleaned */
};

/* The function of one tree. */
struct sub {
	uint64_t root, start, name_at, package;
	const char *name; /* cleaned */
	const char *file; /* of a statement of it */
};

struct perl_codes {
	const struct perl_layout *layout;
	struct target_memory memory;
	VEC(struct statement) statements;
	VEC(struct sub) functions;
	struct idmap statement_ids, function_ids; /* (address, 0), (root, 0) */
	struct idmap numbers;			  /* (name, file) -> number */
	struct strpool texts;
	uint32_t n_numbers; /* given so far */
	uint64_t block_at;  /* the memory that was read last, while a tree is walked */
	unsigned char block[BLOCK];
};

struct perl_codes *perl_codes_create(
	const struct perl_layout *layout, const struct target_memory *memory)
{
	struct perl_codes *codes = mem_zalloc(sizeof(*codes));
	codes->layout = layout;
	codes->memory = *memory;
	return codes;
}

static void clear(struct perl_codes *codes)
{
	codes->statements.len = codes->functions.len = 0;
	idmap_clear(&codes->statement_ids);
	idmap_clear(&codes->function_ids);
	idmap_clear(&codes->numbers);
	strpool_finish(&codes->texts);
}

void perl_codes_destroy(struct perl_codes *codes)
{
	if (!codes)
		return;
	clear(codes);
	vec_free(&codes->statements);
	vec_free(&codes->functions);
	idmap_finish(&codes->statement_ids);
	idmap_finish(&codes->function_ids);
	idmap_finish(&codes->numbers);
	free(codes);
}

/* --- memory ----------------------------------------------------------------------------- */

static bool read_all(
	const struct perl_codes *codes, uint64_t address, void *out, size_t length)
{
	return target_memory_read(&codes->memory, address, out, length);
}

static uint64_t word_at(const struct perl_codes *codes, uint64_t address)
{
	return target_memory_word(&codes->memory, address);
}

/* The head of the value at ADDRESS, and LENGTH bytes of its body, if it is alive and of TYPE. */
static bool read_value(const struct perl_codes *codes, uint64_t address, uint32_t type,
	unsigned char *head, unsigned char *body, size_t length)
{
	if (!read_all(codes, address, head, PERL_HEAD_BYTES) ||
		bytes_u32(head, PERL_HEAD_COUNT) == 0)
		return false;
	uint32_t is = bytes_u32(head, PERL_HEAD_FLAGS) & TYPES;
	return (is == type || (type == TYPE_CODE && is == TYPE_FORMAT)) &&
	       read_all(codes, bytes_u64(head, PERL_HEAD_BODY), body, length);
}

static const char *intern(struct perl_codes *codes, const char *text, size_t length)
{
	char clean[CLEAN_MAX];
	clean_text(clean, sizeof(clean), text, length);
	return strpool_intern(&codes->texts, clean);
}

/* The text at ADDRESS, which a NUL ends; it may lie just before what cannot be read. */
static const char *read_text(struct perl_codes *codes, uint64_t address)
{
	char text[TEXT_MAX];
	size_t got = 0;
	while (got < sizeof(text) && memchr(text, 0, got) == NULL) {
		size_t want = 64 - (address + got) % 64;
		if (want > sizeof(text) - got)
			want = sizeof(text) - got;
		if (!read_all(codes, address + got, text + got, want))
			return NULL;
		got += want;
	}
	const char *end = memchr(text, 0, got);
	return end ? intern(codes, text, (size_t)(end - text)) : NULL;
}

/* Add the HEK at ADDRESS to OUT, which has room for SIZE bytes. False: it is none. */
static bool add_key(
	const struct perl_codes *codes, uint64_t address, char *out, size_t size)
{
	unsigned char head[PERL_HEK_KEY], key[TEXT_MAX + 2];
	size_t at = strlen(out);
	if (!read_all(codes, address, head, sizeof(head)))
		return false;
	uint32_t length = bytes_u32(head, PERL_HEK_LENGTH);
	if (length > TEXT_MAX || at + 2 * length + 1 > size ||
		!read_all(codes, address + PERL_HEK_KEY, key, length + 2))
		return false;
	bool is_utf8 = key[length + 1] & HEK_IS_UTF8;
	for (uint32_t i = 0; i < length; i++)
		if (is_utf8)
			out[at++] = (char)key[i];
		else
			at += clean_encode(key[i], out + at);
	out[at] = '\0';
	return true;
}

/* --- names ------------------------------------------------------------------------------ */

/* Add the name of the package whose hash is at ADDRESS. */
static bool add_package(
	const struct perl_codes *codes, uint64_t address, char *out, size_t size)
{
	unsigned char head[PERL_HEAD_BYTES], body[PERL_HASH_BODY_BYTES],
		aux[PERL_AUX_BYTES];
	if (!read_value(codes, address, TYPE_HASH, head, body, sizeof(body)) ||
		!(bytes_u32(head, PERL_HEAD_FLAGS) & HAS_AUX))
		return false;
	uint64_t at = codes->layout->has_aux_in_body
			      ? bytes_u64(head, PERL_HEAD_BODY) + PERL_HASH_BODY_BYTES
			      : bytes_u64(head, PERL_HEAD_VALUE) +
					8 * (bytes_u64(body, PERL_HASH_MAX) + 1);
	if (!read_all(codes, at, aux, sizeof(aux)))
		return false;
	uint64_t name = bytes_u64(aux, PERL_AUX_NAME);
	if (bytes_u32(aux, PERL_AUX_NAMES) != 0)
		name = word_at(codes, name);
	return add_key(codes, name, out, size);
}

/* The name of the glob at ADDRESS: that which it got first. */
static bool add_glob(
	const struct perl_codes *codes, uint64_t address, char *out, size_t size)
{
	unsigned char head[PERL_HEAD_BYTES], body[PERL_GLOB_BYTES];
	if (!read_value(codes, address, TYPE_GLOB, head, body, sizeof(body)))
		return false;
	uint64_t first = word_at(codes, bytes_u64(head, PERL_HEAD_VALUE) + PERL_GP_GLOB);
	unsigned char first_head[PERL_HEAD_BYTES], first_body[PERL_GLOB_BYTES];
	if (first != address && read_value(codes, first, TYPE_GLOB, first_head,
					first_body, sizeof(first_body)))
		memcpy(body, first_body, sizeof(body));
	if (!add_package(codes, bytes_u64(body, PERL_GLOB_PACKAGE), out, size))
		return false;
	strncat(out, "::", size - strlen(out) - 1);
	return add_key(codes, bytes_u64(body, PERL_GLOB_NAME), out, size);
}

/* As caller() says it: cv_name in pad.c. NULL: it has no name. */
static const char *read_name(struct perl_codes *codes, const unsigned char *cv)
{
	char name[2 * CLEAN_MAX] = "";
	uint32_t flags = bytes_u32(cv, PERL_CV_FLAGS);
	uint64_t at = bytes_u64(cv, PERL_CV_NAME);
	bool is_there;
	if (flags & CV_IS_NAMED) {
		is_there = (flags & CV_IS_LEXICAL) ||
			   add_package(codes, bytes_u64(cv, PERL_CV_PACKAGE), name,
				   sizeof(name));
		if (!(flags & CV_IS_LEXICAL))
			strncat(name, "::", sizeof(name) - strlen(name) - 1);
		is_there = is_there && add_key(codes, at, name, sizeof(name));
	} else {
		is_there = add_glob(codes, at, name, sizeof(name));
	}
	return is_there ? intern(codes, name, strlen(name)) : NULL;
}

/* --- statements ------------------------------------------------------------------------- */

static uint32_t type_of(const unsigned char *op)
{
	return bytes_u32(op, PERL_OP_TYPE) & PERL_OP_TYPE_BITS;
}

static bool read_op(struct perl_codes *codes, uint64_t address, unsigned char *op)
{
	uint64_t block = address / BLOCK * BLOCK;
	if (address % BLOCK > BLOCK - PERL_OP_BYTES)
		return read_all(codes, address, op, PERL_OP_BYTES);
	if (block != codes->block_at) {
		codes->block_at = 0;
		if (!read_all(codes, block, codes->block, BLOCK))
			return false;
		codes->block_at = block;
	}
	memcpy(op, codes->block + address % BLOCK, PERL_OP_BYTES);
	return true;
}

/* The root of the tree that STATEMENT is in. The code of s///e is a tree of its own, in which an op
   knows the one that runs it. */
static void find_root(struct perl_codes *codes, struct statement *statement)
{
	unsigned char op[PERL_OP_BYTES];
	uint64_t at = statement->address, replacement = 0;
	codes->block_at = 0;
	for (int i = 0; i < TREE_MAX && at % 8 == 0 && read_op(codes, at, op); i++) {
		uint64_t next = bytes_u64(op, PERL_OP_SIBLING);
		bool is_last = !(bytes_u32(op, PERL_OP_TYPE) & PERL_OP_HAS_SIBLING);
		if (perl_is(codes->layout, type_of(op), PERL_SUBSTCONT))
			replacement = at;
		if (next == 0 && is_last && replacement == 0) {
			statement->root = at;
			statement->root_type = type_of(op);
			return;
		}
		if (next == 0) {
			next = word_at(codes, replacement + PERL_OP_OTHER);
			replacement = 0;
		}
		at = next;
	}
}

/* Code that is made by eval STRING has a number in the name of its file, each time another one. */
static const char *without_number(struct perl_codes *codes, const char *file)
{
	return strncmp(file, "(eval ", 6) == 0 ? intern(codes, "(eval)", 6) : file;
}

/* The statement at ADDRESS, which was there at TIME_NS, when all of a number less than LIMIT were;
   NULL: it is none, or not there any more. */
static const struct statement *find_statement(
	struct perl_codes *codes, uint64_t address, uint64_t time_ns, uint32_t limit)
{
	struct statement fresh = {
		.address = address, .verified_ns = clock_monotonic_ns()};
	unsigned char again[PERL_COP_BYTES];
	const uint32_t *id = idmap_get(&codes->statement_ids, address, 0);
	struct statement *known = id ? &codes->statements.data[*id] : NULL;
	if (known && known->verified_ns >= time_ns &&
		bytes_u32(known->words, PERL_COP_NUMBER) < limit)
		return known;
	if (!read_all(codes, address, fresh.words, sizeof(fresh.words)) ||
		!perl_is_statement(codes->layout, type_of(fresh.words)) ||
		bytes_u32(fresh.words, PERL_COP_NUMBER) >= limit)
		return NULL;
	if (known && memcmp(known->words, fresh.words, sizeof(fresh.words)) == 0) {
		known->verified_ns = fresh.verified_ns;
		return known;
	}
	fresh.line = bytes_u32(fresh.words, PERL_COP_LINE);
	fresh.file = read_text(codes, bytes_u64(fresh.words, PERL_COP_FILE));
	find_root(codes, &fresh);
	if (!fresh.file || !read_all(codes, address, again, sizeof(again)) ||
		memcmp(again, fresh.words, sizeof(again)) != 0)
		return NULL;
	fresh.file = without_number(codes, fresh.file);
	if (known) {
		*known = fresh;
		return known;
	}
	idmap_put(&codes->statement_ids, address, 0, (uint32_t)codes->statements.len);
	vec_push(&codes->statements, fresh);
	return &codes->statements.data[codes->statements.len - 1];
}

/* The line that was being compiled at ADDRESS, by the words THEN: it changes all the time. */
static void find_compiled(struct perl_codes *codes, const unsigned char *then,
	uint64_t address, struct script_function *out)
{
	uint64_t at = bytes_u64(then, PERL_COP_FILE);
	if (word_at(codes, address + PERL_COP_FILE) != at)
		return;
	const char *file = read_text(codes, at);
	if (!file || word_at(codes, address + PERL_COP_FILE) != at)
		return;
	out->file = without_number(codes, file);
	out->line = bytes_u32(then, PERL_COP_LINE);
}

/* --- functions -------------------------------------------------------------------------- */

static struct sub *known_function(const struct perl_codes *codes, uint64_t root)
{
	const uint32_t *id = root ? idmap_get(&codes->function_ids, root, 0) : NULL;
	return id ? &codes->functions.data[*id] : NULL;
}

/* The function that the CV at ADDRESS is now. NULL: it is none, of Perl, that has a name. */
static const struct sub *read_function(struct perl_codes *codes, uint64_t address)
{
	unsigned char head[PERL_HEAD_BYTES], body[PERL_CV_BYTES];
	if (!read_value(codes, address, TYPE_CODE, head, body, sizeof(body)) ||
		(bytes_u32(body, PERL_CV_FLAGS) & CV_IS_XSUB))
		return NULL;
	struct sub fresh = {
		.root = bytes_u64(body, PERL_CV_ROOT),
		.start = bytes_u64(body, PERL_CV_START),
		.name_at = bytes_u64(body, PERL_CV_NAME),
		.package = bytes_u64(body, PERL_CV_PACKAGE),
		.file = "",
	};
	struct sub *known = known_function(codes, fresh.root);
	if (fresh.root == 0)
		return NULL;
	if (known && known->start == fresh.start && known->name_at == fresh.name_at &&
		known->package == fresh.package)
		return known;
	fresh.name = read_name(codes, body);
	if (!fresh.name)
		return NULL;
	if (known) {
		*known = fresh;
		return known;
	}
	idmap_put(&codes->function_ids, fresh.root, 0, (uint32_t)codes->functions.len);
	vec_push(&codes->functions, fresh);
	return &codes->functions.data[codes->functions.len - 1];
}

static enum script_kind tell(
	struct perl_codes *codes, const char *name, struct script_function *out)
{
	uint64_t a = (uint64_t)(uintptr_t)name;
	out->name = name;
	out->file = intern(codes, out->file, strlen(out->file));
	const uint32_t *number =
		idmap_get(&codes->numbers, a, (uint64_t)(uintptr_t)out->file);
	if (number) {
		out->number = *number;
		return SCRIPT_NAMED;
	}
	out->number = codes->n_numbers++;
	idmap_put(&codes->numbers, a, (uint64_t)(uintptr_t)out->file, out->number);
	return SCRIPT_NAMED;
}

static bool is_of_sub(const struct perl_codes *codes, const struct statement *statement)
{
	return perl_is(codes->layout, statement->root_type, PERL_LEAVESUB) ||
	       perl_is(codes->layout, statement->root_type, PERL_LEAVESUBLV) ||
	       perl_is(codes->layout, statement->root_type, PERL_LEAVEWRITE);
}

static enum script_kind find_sub(struct perl_codes *codes,
	const struct script_frame *frame, const struct statement *statement,
	struct script_function *out)
{
	const struct sub *function = read_function(codes, frame->function);
	uint64_t root = statement && is_of_sub(codes, statement) ? statement->root : 0;
	bool is_proven = function && root == function->root;
	if (!is_proven && root != 0 && !(frame->more & PERL_FRAME_UNSURE)) {
		function = known_function(codes, root);
		is_proven = function != NULL;
	}
	if (!is_proven && !(function && function->file[0] != '\0' &&
				  (frame->more & PERL_FRAME_UNSURE)))
		return SCRIPT_GONE;
	if (is_proven) {
		out->file = known_function(codes, root)->file = statement->file;
		out->line = statement->line;
	} else {
		out->file = function->file;
	}
	return tell(codes, function->name, out);
}

static enum script_kind find_code(struct perl_codes *codes,
	const struct script_frame *frame, const struct statement *statement,
	struct script_function *out)
{
	enum perl_frame kind = frame->more & PERL_FRAME_KIND;
	bool is_eval =
		statement && perl_is(codes->layout, statement->root_type, PERL_LEAVEEVAL);
	bool is_right = kind == PERL_FRAME_PROGRAM
				? statement && !is_eval && !is_of_sub(codes, statement)
				: is_eval;
	if (is_right) {
		out->file = statement->file;
		out->line = statement->line;
	}
	const char *name = kind == PERL_FRAME_PROGRAM ? "(program)"
			   : kind == PERL_FRAME_FILE  ? "(require)"
						      : "(eval)";
	return tell(codes, intern(codes, name, strlen(name)), out);
}

enum script_kind perl_codes_find(struct perl_codes *codes,
	const struct snapshot *snapshot, uint64_t interpreter,
	const struct script_frame *frame, struct script_function *out)
{
	enum perl_frame kind = frame->more & PERL_FRAME_KIND;
	uint64_t compiling = interpreter + codes->layout->compiling;
	unsigned char then[PERL_COMPILING_BYTES] = {0}; /* so no statement is believed */
	*out = (struct script_function){.file = ""};
	if (codes->statements.len >= ENTRIES_MAX || codes->functions.len >= ENTRIES_MAX ||
		strpool_bytes(&codes->texts) > TEXTS_MAX)
		clear(codes);
	snapshot_read(snapshot, compiling, then, sizeof(then));
	if (kind != PERL_FRAME_SUB && frame->place == compiling) {
		find_compiled(codes, then, compiling, out);
		return find_code(codes, frame, NULL, out);
	}
	const struct statement *statement = find_statement(codes, frame->place,
		snapshot->time_ns, bytes_u32(then, PERL_COMPILING_NUMBER));
	return kind == PERL_FRAME_SUB ? find_sub(codes, frame, statement, out)
				      : find_code(codes, frame, statement, out);
}
