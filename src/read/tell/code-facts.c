/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/tell/code-facts.h"

#include "src/base/clean.h"
#include "src/base/mem.h"
#include "src/read/elf/elf-lines.h"
#include "src/read/tell/fact-texts.h"

#include <stdlib.h>
#include <string.h>

/* Instructions follow, their bytes, and texts: TEXTS_OF_ALL, and of each instruction what is
   at its target and itself in both syntaxes. Their addresses follow from their lengths. */
struct told_assembly {
	uint64_t serial, start, limit, bias, n_changed;
	uint64_t first; /* the address of the first instruction */
	uint32_t origin, check, n_instructions, n_bytes;
	uint32_t is_cut, is_guessed;
};

struct told_instruction {
	uint64_t target;
	uint32_t to;
	uint8_t length, kind, is_changed, has_target;
};

enum {
	TEXTS_OF_ALL = 5, /* name, module, path, problem, remark */
	TEXTS_OF_EACH = 1 + ASSEMBLY_SYNTAXES,
};

/* Rows follow, frames, and the texts that they number, each once. */
struct told_lines {
	uint64_t serial, start, limit;
	uint32_t is_cut, n_rows, n_frames, n_texts;
};

struct told_row {
	uint64_t vaddr;
	uint64_t n_frames; /* the next so many */
};

struct told_frame {
	uint32_t symbol, name, file, line, start_line;
};

/* --- what the reader tells --------------------------------------------------------------- */

struct payload {
	VEC(unsigned char) bytes;
};

static void add(struct payload *payload, const void *bytes, size_t length)
{
	if (length == 0)
		return;
	vec_reserve(&payload->bytes, payload->bytes.len + length);
	memcpy(payload->bytes.data + payload->bytes.len, bytes, length);
	payload->bytes.len += length;
}

/* Texts are clean already, but some are put together of several: then they may be too long. */
static void add_text(struct payload *payload, const char *text)
{
	char clean[CLEAN_MAX];
	size_t length = clean_text(clean, sizeof(clean), text, strlen(text));
	add(payload, clean, length + 1);
}

static void tell(struct teller *teller, enum fact_kind kind, uint64_t serial,
	struct payload *payload)
{
	struct fact fact = {.kind = kind,
		.bytes = (uint32_t)payload->bytes.len,
		.code = {.serial = serial}};
	teller_tell(teller, &fact, payload->bytes.data);
	vec_free(&payload->bytes);
}

static void add_instructions(
	struct payload *payload, const struct assembly *assembly, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct instruction *from = &assembly->instructions[i];
		struct told_instruction told = {
			.target = from->target,
			.to = from->to,
			.length = from->length,
			.kind = from->kind,
			.is_changed = from->is_changed,
			.has_target = from->has_target,
		};
		add(payload, &told, sizeof(told));
	}
}

static size_t code_bytes(const struct assembly *assembly, size_t count)
{
	if (count == 0)
		return 0;
	const struct instruction *last = &assembly->instructions[count - 1];
	return last->address + last->length - assembly->instructions[0].address;
}

/* The first COUNT instructions. PROBLEM: NULL: the assembly's. */
static void write_assembly(struct payload *payload, const struct assembly *assembly,
	size_t count, const char *problem)
{
	struct told_assembly head = {
		.serial = assembly->serial,
		.start = assembly->start,
		.limit = assembly->limit,
		.bias = assembly->bias,
		.n_changed = assembly->n_changed,
		.first = count ? assembly->instructions[0].address : assembly->start,
		.origin = assembly->origin,
		.check = assembly->check,
		.n_instructions = (uint32_t)count,
		.n_bytes = (uint32_t)code_bytes(assembly, count),
		.is_cut = assembly->is_cut,
		.is_guessed = assembly->is_guessed,
	};
	payload->bytes.len = 0;
	add(payload, &head, sizeof(head));
	add_instructions(payload, assembly, count);
	add(payload, assembly->bytes, head.n_bytes);
	add_text(payload, assembly->name);
	add_text(payload, assembly->module);
	add_text(payload, assembly->path);
	add_text(payload, problem ? problem : assembly->problem);
	add_text(payload, assembly->remark);
	for (size_t i = 0; i < count; i++) {
		const struct instruction *from = &assembly->instructions[i];
		add_text(payload, from->target_name);
		for (int syntax = 0; syntax < ASSEMBLY_SYNTAXES; syntax++)
			add_text(payload, from->texts[syntax]);
	}
}

void code_facts_tell_assembly(struct teller *teller, const struct assembly *assembly)
{
	struct payload payload = {0};
	write_assembly(&payload, assembly, assembly->n_instructions, NULL);
	if (payload.bytes.len > FACT_PAYLOAD_MAX)
		write_assembly(&payload, assembly, 0,
			"the names in its instructions are too long to be shown");
	tell(teller, FACT_ASSEMBLY, assembly->serial, &payload);
}

/* The parts of FACT_LINES, while they grow. */
struct parts {
	struct payload rows, frames, texts;
	struct idmap
		numbers; /* of the texts: those of the lines are equal if their places are */
};

static size_t parts_bytes(const struct parts *parts)
{
	return parts->rows.bytes.len + parts->frames.bytes.len + parts->texts.bytes.len;
}

static uint32_t text_number(struct parts *parts, const char *text)
{
	const uint32_t *known = idmap_get(&parts->numbers, (uintptr_t)text, 0);
	if (known)
		return *known;
	uint32_t next = (uint32_t)parts->numbers.len;
	idmap_put(&parts->numbers, (uintptr_t)text, 0, next);
	add_text(&parts->texts, text);
	return next;
}

static void add_row(
	struct parts *parts, const struct code_lines *lines, const struct code_row *row)
{
	struct told_row told = {.vaddr = row->vaddr, .n_frames = row->n_frames};
	add(&parts->rows, &told, sizeof(told));
	for (uint32_t i = 0; i < row->n_frames; i++) {
		const struct code_frame *from = code_lines_frame(lines, row, i);
		struct told_frame frame = {
			.symbol = text_number(parts, from->symbol),
			.name = text_number(parts, from->name),
			.file = text_number(parts, from->file),
			.line = from->line,
			.start_line = from->start_line,
		};
		add(&parts->frames, &frame, sizeof(frame));
	}
}

void code_facts_tell_lines(struct teller *teller, const struct code_lines *lines)
{
	/* so much that the last row cannot be too much */
	const size_t full = FACT_PAYLOAD_MAX - sizeof(struct told_lines) -
			    sizeof(struct told_row) -
			    LINE_FRAMES_MAX * (sizeof(struct told_frame) + 3 * CLEAN_MAX);
	struct parts parts = {0};
	struct told_lines head = {.serial = lines->serial,
		.start = lines->start,
		.limit = lines->limit,
		.is_cut = lines->is_cut};
	for (size_t i = 0; i < lines->rows.len && parts_bytes(&parts) <= full; i++) {
		add_row(&parts, lines, &lines->rows.data[i]);
		head.n_rows++;
	}
	head.is_cut |= head.n_rows < lines->rows.len;
	head.n_frames = (uint32_t)(parts.frames.bytes.len / sizeof(struct told_frame));
	head.n_texts = (uint32_t)parts.numbers.len;
	struct payload payload = {0};
	add(&payload, &head, sizeof(head));
	add(&payload, parts.rows.bytes.data, parts.rows.bytes.len);
	add(&payload, parts.frames.bytes.data, parts.frames.bytes.len);
	add(&payload, parts.texts.bytes.data, parts.texts.bytes.len);
	vec_free(&parts.rows.bytes);
	vec_free(&parts.frames.bytes);
	vec_free(&parts.texts.bytes);
	idmap_finish(&parts.numbers);
	tell(teller, FACT_LINES, lines->serial, &payload);
}

/* --- what main believes ------------------------------------------------------------------ */

struct cursor {
	const unsigned char *at;
	size_t left;
};

/* False if there is not so much. */
static bool take(struct cursor *cursor, void *out, size_t length)
{
	if (length > cursor->left)
		return false;
	memcpy(out, cursor->at, length);
	cursor->at += length;
	cursor->left -= length;
	return true;
}

/* The next of the texts, which were checked. */
static const char *next_text(const char **at)
{
	const char *text = *at;
	*at += strlen(text) + 1;
	return text;
}

static bool is_sound(const struct told_assembly *head)
{
	return head->start <= head->limit && head->n_instructions <= head->n_bytes &&
	       head->n_bytes <= ASSEMBLY_BYTES_MAX && head->first >= head->start &&
	       head->first <= head->limit && head->n_bytes <= head->limit - head->first &&
	       head->n_changed <= ASSEMBLY_BYTES_MAX &&
	       head->origin <= ASSEMBLY_OF_FILE && head->check <= ASSEMBLY_NO_MEMORY;
}

/* One behind the other, and together as long as their bytes. */
static bool take_instructions(struct cursor *cursor, const struct told_assembly *head,
	struct instruction *instructions)
{
	uint64_t address = head->first;
	for (uint32_t i = 0; i < head->n_instructions; i++) {
		struct told_instruction told;
		if (!take(cursor, &told, sizeof(told)) || told.length == 0 ||
			told.kind > INSTRUCTION_UNKNOWN)
			return false;
		instructions[i] = (struct instruction){
			.address = address,
			.length = told.length,
			.kind = told.kind,
			.is_changed = told.is_changed != 0,
			.has_target = told.has_target != 0,
			.target = told.target,
			.to = told.to,
		};
		address += told.length;
	}
	return address - head->first == head->n_bytes;
}

/* What leads to an instruction says which. */
static bool has_targets(const struct instruction *instructions, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct instruction *from = &instructions[i];
		if (from->to != ASSEMBLY_NONE &&
			(!from->has_target || from->to >= count ||
				instructions[from->to].address != from->target))
			return false;
	}
	return true;
}

/* The texts are the LENGTH bytes at TEXTS. */
static void take_texts(
	struct assembly *assembly, const unsigned char *texts, size_t length)
{
	assembly->strings = mem_alloc(length);
	memcpy(assembly->strings, texts, length);
	const char *at = assembly->strings;
	assembly->name = mem_strdup(next_text(&at));
	assembly->module = mem_strdup(next_text(&at));
	assembly->path = mem_strdup(next_text(&at));
	assembly->problem = mem_strdup(next_text(&at));
	assembly->remark = mem_strdup(next_text(&at));
	for (size_t i = 0; i < assembly->n_instructions; i++) {
		struct instruction *instruction = &assembly->instructions[i];
		instruction->target_name = next_text(&at);
		for (int syntax = 0; syntax < ASSEMBLY_SYNTAXES; syntax++)
			instruction->texts[syntax] = next_text(&at);
	}
}

static bool take_assembly(struct cursor *cursor, struct assembly *assembly)
{
	struct told_assembly head;
	if (!take(cursor, &head, sizeof(head)) || !is_sound(&head))
		return false;
	*assembly = (struct assembly){
		.serial = head.serial,
		.start = head.start,
		.limit = head.limit,
		.bias = head.bias,
		.origin = head.origin,
		.check = head.check,
		.n_changed = head.n_changed,
		.is_cut = head.is_cut != 0,
		.is_guessed = head.is_guessed != 0,
		.instructions = mem_alloc(
			(head.n_instructions + 1) * sizeof(*assembly->instructions)),
		.n_instructions = head.n_instructions,
		.bytes = mem_alloc(head.n_bytes + 1),
	};
	size_t n_texts = TEXTS_OF_ALL + (size_t)head.n_instructions * TEXTS_OF_EACH;
	if (!take_instructions(cursor, &head, assembly->instructions) ||
		!has_targets(assembly->instructions, head.n_instructions) ||
		!take(cursor, assembly->bytes, head.n_bytes) ||
		!fact_texts_are_clean(cursor->at, cursor->left, n_texts))
		return false;
	take_texts(assembly, cursor->at, cursor->left);
	return true;
}

struct assembly *code_facts_assembly(const unsigned char *payload, size_t length)
{
	struct cursor cursor = {payload, length};
	struct assembly *assembly = mem_zalloc(sizeof(*assembly));
	if (take_assembly(&cursor, assembly))
		return assembly;
	assembly_destroy(assembly);
	return NULL;
}

/* In order, within what was asked about, with all of the frames. */
static bool take_rows(
	struct cursor *cursor, const struct told_lines *head, struct code_lines *lines)
{
	size_t n_frames = 0;
	for (uint32_t i = 0; i < head->n_rows; i++) {
		struct told_row told;
		if (!take(cursor, &told, sizeof(told)) ||
			told.n_frames > LINE_FRAMES_MAX || told.vaddr < head->start ||
			told.vaddr >= head->limit ||
			(i > 0 && told.vaddr <= lines->rows.data[i - 1].vaddr))
			return false;
		struct code_row row = {.vaddr = told.vaddr,
			.first_frame = n_frames,
			.n_frames = (uint32_t)told.n_frames};
		vec_push(&lines->rows, row);
		n_frames += told.n_frames;
	}
	return n_frames == head->n_frames;
}

/* The frames, at CURSOR, with the texts behind them. */
static bool take_frames(
	struct cursor *cursor, const struct told_lines *head, struct code_lines *lines)
{
	size_t bytes = head->n_frames * sizeof(struct told_frame);
	if (bytes > cursor->left || !fact_texts_are_clean(cursor->at + bytes,
					    cursor->left - bytes, head->n_texts))
		return false;
	const char **texts = mem_alloc((head->n_texts + 1) * sizeof(*texts));
	const char *at = (const char *)cursor->at + bytes;
	for (uint32_t i = 0; i < head->n_texts; i++)
		texts[i] = strpool_intern(&lines->strings, next_text(&at));
	bool ok = true;
	for (uint32_t i = 0; i < head->n_frames && ok; i++) {
		struct told_frame told;
		take(cursor, &told, sizeof(told));
		ok = told.symbol < head->n_texts && told.name < head->n_texts &&
		     told.file < head->n_texts;
		if (!ok)
			break;
		struct code_frame frame = {
			.symbol = texts[told.symbol],
			.name = texts[told.name],
			.file = texts[told.file],
			.line = told.line,
			.start_line = told.start_line,
		};
		vec_push(&lines->frames, frame);
	}
	free(texts);
	return ok;
}

struct code_lines *code_facts_lines(const unsigned char *payload, size_t length)
{
	struct cursor cursor = {payload, length};
	struct told_lines head;
	if (!take(&cursor, &head, sizeof(head)) || head.start > head.limit ||
		head.n_rows > CODE_ROWS_MAX)
		return NULL;
	struct code_lines *lines = code_lines_create(head.serial, head.start, head.limit);
	lines->is_cut = head.is_cut != 0;
	if (take_rows(&cursor, &head, lines) && take_frames(&cursor, &head, lines))
		return lines;
	code_lines_destroy(lines);
	return NULL;
}
