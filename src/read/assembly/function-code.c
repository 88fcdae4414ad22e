/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/assembly/function-code.h"

#include "src/arch/arch-code.h"
#include "src/arch/arch.h"
#include "src/base/clean.h"
#include "src/base/mem.h"
#include "src/facts/demangle.h"

#include <stdlib.h>
#include <string.h>

enum {
	GUESS_BYTES = 512,	   /* of code whose end nothing says */
	WALK_MAX_BYTES = 16 << 20, /* of a function, to find where its middle begins */
	WALK_STEP_BYTES = 4096,
	BEFORE_BYTES = ASSEMBLY_BYTES_MAX / 2, /* shown before the address */
};

static char *clean_copy(const char *text)
{
	char clean[CLEAN_MAX];
	clean_text(clean, sizeof(clean), text, strlen(text));
	return mem_strdup(clean);
}

static char *demangled(const char *symbol)
{
	char *name = demangle(symbol, DEMANGLE_FULL);
	char *clean = clean_copy(name ? name : symbol);
	free(name);
	return clean;
}

/* --- where it begins and ends ------------------------------------------------------- */

static void set_extent(struct assembly *out, uint64_t start, uint64_t size)
{
	out->start = start;
	out->limit = size > UINT64_MAX - start ? UINT64_MAX : start + size;
}

/* Of code that nothing tells about: what is at ADDRESS and behind it. */
static void guess(struct assembly *out, uint64_t start)
{
	out->is_guessed = true;
	set_extent(out, start, GUESS_BYTES);
}

static void find_in_image(
	const struct code_source *source, uint64_t address, struct assembly *out)
{
	uint64_t vaddr = address - source->bias, start, other;
	const struct elf_symbol *symbol = code_names_symbol(source->names, vaddr);
	out->bias = source->bias;
	if (symbol) {
		out->name = demangled(symbol->name);
		set_extent(out, symbol->vaddr + source->bias, symbol->size);
	} else if (elf_image_fde_range(source->image, vaddr, &start, &other)) {
		set_extent(out, start + source->bias, other);
	} else if (elf_image_used_start(source->image, vaddr, &start, &other)) {
		set_extent(out, start + source->bias, other - start);
		out->is_guessed = true;
	} else {
		guess(out, address);
	}
}

static void find_extent(
	const struct code_source *source, uint64_t address, struct assembly *out)
{
	const char *name;
	uint64_t start, size;
	if (source->image) {
		find_in_image(source, address, out);
	} else if (source->symbolizer && symbolizer_jit_function(source->symbolizer,
						 address, &name, &start, &size)) {
		out->name = demangled(name);
		set_extent(out, start, size);
	} else {
		guess(out, address);
	}
}

/* --- its bytes --------------------------------------------------------------------- */

static bool read_any(
	const struct code_source *source, uint64_t address, void *out, size_t length)
{
	return code_source_read_memory(source, address, out, length) ||
	       code_source_read_file(source, address, out, length);
}

/* The first instruction at or behind WANTED, going from one to the next from START on.
   WANTED itself if that is too far, or the way cannot be read. */
static uint64_t find_beginning(
	const struct code_source *source, uint64_t start, uint64_t wanted)
{
	unsigned char piece[WALK_STEP_BYTES];
	uint64_t at = start;
	if (wanted - start > WALK_MAX_BYTES)
		return wanted;
	while (at < wanted) {
		if (!read_any(source, at, piece, sizeof(piece)))
			return wanted;
		size_t used = 0;
		while (used + ARCH_INSN_MAX <= sizeof(piece) && at + used < wanted) {
			struct arch_insn insn;
			used += arch_decode_insn(
					piece + used, sizeof(piece) - used, &insn)
					? insn.length
					: 1;
		}
		at += used;
	}
	return at;
}

/* What of the function is read: all of it, or what is around ADDRESS. */
static void choose_part(const struct code_source *source, uint64_t address,
	struct assembly *out, struct function_code *code)
{
	if (address < out->start || address >= out->limit)
		guess(out, address); /* the tables contradict each other */
	uint64_t whole = out->limit - out->start;
	code->first = out->start;
	code->length = (size_t)whole;
	if (whole <= ASSEMBLY_BYTES_MAX)
		return;
	out->is_cut = true;
	if (address - out->start > BEFORE_BYTES)
		code->first = find_beginning(source, out->start, address - BEFORE_BYTES);
	code->length = ASSEMBLY_BYTES_MAX;
	if (code->length > out->limit - code->first)
		code->length = (size_t)(out->limit - code->first);
}

/* Guesses may go beyond what is mapped: halve what is behind ADDRESS until it can be
   read. */
static bool read_some(const struct code_source *source, uint64_t address,
	struct function_code *code,
	bool (*read)(const struct code_source *, uint64_t, void *, size_t))
{
	for (;;) {
		if (read(source, code->first, code->bytes, code->length))
			return true;
		size_t before = (size_t)(address - code->first) + 1;
		if (code->length <= before)
			return false;
		code->length = before + (code->length - before) / 2;
	}
}

static void compare(const struct code_source *source, struct function_code *code,
	struct assembly *out)
{
	unsigned char *file = mem_alloc(code->length);
	out->check = ASSEMBLY_NO_FILE;
	if (code_source_read_file(source, code->first, file, code->length)) {
		code->is_changed = mem_zalloc(code->length * sizeof(*code->is_changed));
		for (size_t i = 0; i < code->length; i++) {
			code->is_changed[i] = file[i] != code->bytes[i];
			out->n_changed += code->is_changed[i];
		}
		out->check = out->n_changed ? ASSEMBLY_DIFFERENT : ASSEMBLY_SAME;
	}
	free(file);
}

static void read_bytes(const struct code_source *source, uint64_t address,
	struct function_code *code, struct assembly *out)
{
	size_t whole = code->length;
	code->bytes = mem_alloc(whole + 1);
	if (source->space && read_some(source, address, code, code_source_read_memory)) {
		out->origin = ASSEMBLY_OF_MEMORY;
		compare(source, code, out);
		return;
	}
	code->length = whole;
	out->origin = ASSEMBLY_OF_FILE;
	out->check = ASSEMBLY_NO_MEMORY;
	if (read_some(source, address, code, code_source_read_file))
		return;
	code->length = 0;
	out->problem = mem_strdup(
		source->space ? "its code can be read neither in memory nor in a file"
			      : "its code is not in the file");
}

/* --- all of it --------------------------------------------------------------------- */

/* Appends "; " and TEXT, which is freed, to REMARK. */
static char *join(char *remark, char *text)
{
	char *both = mem_printf("%s%s%s", remark, remark[0] ? "; " : "", text);
	free(remark);
	free(text);
	return both;
}

static char *remark_of(const struct code_source *source, const struct assembly *out,
	const struct function_code *code)
{
	char *remark = mem_strdup("");
	if (out->n_changed)
		remark = join(remark,
			mem_printf("%zu bytes differ from the file: shown is what runs",
				out->n_changed));
	if (out->is_cut)
		remark = join(remark,
			mem_printf("the function has %llu bytes: shown are %zu around "
				   "the hottest place",
				(unsigned long long)(out->limit - out->start),
				code->length));
	if (out->is_guessed)
		remark = join(remark,
			mem_strdup("nothing says where this function begins and ends"));
	if (source->doubt)
		remark = join(remark, mem_strdup(source->doubt));
	return remark;
}

void function_code_read(struct function_code *code, const struct code_source *source,
	uint64_t address, struct assembly *out)
{
	*code = (struct function_code){0};
	if (!source->space && !source->image) {
		out->problem = mem_strdup(source->problem.text);
	} else {
		find_extent(source, address, out);
		choose_part(source, address, out, code);
		read_bytes(source, address, code, out);
	}
	if (!out->name)
		out->name = mem_strdup("");
	if (!out->problem)
		out->problem = mem_strdup("");
	out->remark = remark_of(source, out, code);
}

void function_code_finish(struct function_code *code)
{
	free(code->bytes);
	free(code->is_changed);
	*code = (struct function_code){0};
}
