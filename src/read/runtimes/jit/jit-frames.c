/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/jit/jit-frames.h"

#include "src/base/byte-cursor.h"

#include <string.h>

enum {
	AUGMENTATION_BYTES = 8,
	FIXED_BYTES = 64, /* of a CIE and an FDE, and to fill them up */
};

#define DEBUG_CIE UINT32_MAX

/* What is between two places: kept as it is. */
struct part {
	size_t at, length;
};

/* What all FDEs of a CIE have in common. */
struct common {
	struct part alignments; /* of code and data */
	uint64_t return_register;
	struct part program;
	unsigned encoding; /* of an FDE's addresses */
	bool has_data;	   /* an FDE has more, with its length before it */
};

/* The letters of the augmentation. A frame of a signal is not what a compiler calls. */
static bool read_letters(
	struct byte_cursor *cursor, const char *letters, struct common *common)
{
	if (letters[0] == '\0')
		return true;
	if (letters[0] != 'z')
		return false;
	common->has_data = true;
	uint64_t length = byte_cursor_leb128(cursor);
	size_t program = cursor->at + (length < cursor->limit ? length : cursor->limit);
	for (const char *letter = letters + 1; *letter; letter++) {
		unsigned encoding =
			*letter == 'B' ? 0 : (unsigned)byte_cursor_number(cursor, 1);
		if (*letter == 'R')
			common->encoding = encoding;
		else if (*letter == 'P') /* a personality */
			byte_cursor_number(cursor, pointer_encoding_bytes(encoding));
		else if (*letter != 'L')
			return false;
	}
	cursor->at = program;
	cursor->failed |= program > cursor->limit;
	return !cursor->failed;
}

/* Read the CIE at OFFSET. */
static bool read_common(
	const struct jit_section *section, uint64_t offset, struct common *common)
{
	*common = (struct common){.encoding = PE_ABSPTR};
	if (offset >= section->size)
		return false;
	struct byte_cursor cursor = {section->bytes, offset, section->size, false};
	uint64_t length = byte_cursor_number(&cursor, 4);
	if (cursor.failed || length > cursor.limit - cursor.at)
		return false;
	cursor.limit = cursor.at + length;
	if (byte_cursor_number(&cursor, 4) != (section->is_debug ? DEBUG_CIE : 0))
		return false;
	uint64_t version = byte_cursor_number(&cursor, 1);
	char letters[AUGMENTATION_BYTES];
	size_t count = 0;
	do {
		letters[count] = (char)byte_cursor_number(&cursor, 1);
	} while (letters[count] && ++count < sizeof(letters));
	if (cursor.failed || count == sizeof(letters))
		return false;
	if (version == 4) /* sizes of an address and a segment */
		byte_cursor_number(&cursor, 2);
	common->alignments.at = cursor.at;
	byte_cursor_leb128(&cursor);
	byte_cursor_leb128(&cursor);
	common->alignments.length = cursor.at - common->alignments.at;
	common->return_register = version == 1 ? byte_cursor_number(&cursor, 1)
					       : byte_cursor_leb128(&cursor);
	if (!read_letters(&cursor, letters, common))
		return false;
	common->program = (struct part){cursor.at, cursor.limit - cursor.at};
	return !cursor.failed && common->return_register < 0x80;
}

/* The relocation of the word at OFFSET; *NEXT is the first that may be it. */
static bool relocation_at(
	const struct jit_section *section, uint64_t offset, size_t *next, Elf64_Rela *out)
{
	for (; *next < section->n_relocations; ++*next) {
		memcpy(out, section->relocations + *next * sizeof(*out), sizeof(*out));
		if (out->r_offset >= offset)
			return out->r_offset == offset;
	}
	return false;
}

/* Where the code of an FDE begins: by a relocation, which is the same sum for an address
   and for a distance, or as it is written. */
static bool read_start(const struct jit_section *section, struct byte_cursor *cursor,
	unsigned encoding, size_t *next, uint64_t *start)
{
	Elf64_Rela relocation;
	uint64_t offset = cursor->at;
	unsigned format = encoding & 0x0f;
	bool is_short = format == PE_SDATA4 || format == PE_UDATA4;
	if ((encoding & 0xf0 & ~(unsigned)PE_PCREL) != 0 ||
		(!is_short && format != PE_ABSPTR && format != PE_UDATA8 &&
			format != PE_SDATA8))
		return false;
	uint64_t value = byte_cursor_number(cursor, is_short ? 4 : 8);
	if (format == PE_SDATA4)
		value = (uint64_t)(int64_t)(int32_t)value;
	if (relocation_at(section, offset, next, &relocation)) {
		if (!section->symbol(section->context,
			    (uint32_t)ELF64_R_SYM(relocation.r_info), start))
			return false;
		*start += (uint64_t)relocation.r_addend;
	} else {
		*start = encoding & PE_PCREL ? section->address + offset + value : value;
	}
	return !cursor->failed;
}

/* --- writing ------------------------------------------------------------------------ */

static void put(struct jit_frames *frames, const void *bytes, size_t length)
{
	vec_reserve(&frames->bytes, frames->bytes.len + length);
	if (length > 0)
		memcpy(frames->bytes.data + frames->bytes.len, bytes, length);
	frames->bytes.len += length;
}

static void put_number(struct jit_frames *frames, uint64_t value, size_t bytes)
{
	put(frames, &value, bytes);
}

/* Fill the entry that began at START with instructions that do nothing, and set its
   length. */
static void end_entry(struct jit_frames *frames, size_t start)
{
	while (frames->bytes.len % sizeof(uint64_t) != 0)
		put_number(frames, 0, 1); /* DW_CFA_nop */
	uint32_t length = (uint32_t)(frames->bytes.len - start - sizeof(length));
	memcpy(frames->bytes.data + start, &length, sizeof(length));
}

/* False if there is no room. */
static bool put_entry(struct jit_frames *frames, const struct jit_section *section,
	const struct common *common, const uint64_t range[2], struct part program)
{
	size_t cie = frames->bytes.len;
	size_t bytes = common->alignments.length + common->program.length +
		       program.length + FIXED_BYTES;
	if (bytes > frames->most - cie)
		return false;
	put_number(frames, 0, 4); /* its length */
	put_number(frames, 0, 4); /* a CIE */
	put_number(frames, 1, 1); /* version */
	put_number(frames, 0, 1); /* no augmentation: absolute addresses */
	put(frames, section->bytes + common->alignments.at, common->alignments.length);
	put_number(frames, common->return_register, 1);
	put(frames, section->bytes + common->program.at, common->program.length);
	end_entry(frames, cie);
	size_t fde = frames->bytes.len;
	put_number(frames, 0, 4);
	put_number(frames, fde + 4 - cie, 4);
	put_number(frames, range[0], 8);
	put_number(frames, range[1], 8);
	put(frames, section->bytes + program.at, program.length);
	end_entry(frames, fde);
	return true;
}

/* The entry whose body begins at CURSOR, if it is an FDE. False if there is no room for it. */
static bool take_entry(struct jit_frames *frames, const struct jit_section *section,
	struct byte_cursor cursor, size_t *next, const uint64_t code[2])
{
	Elf64_Rela relocation;
	struct common common;
	size_t body = cursor.at;
	uint64_t id = byte_cursor_number(&cursor, 4), range[2];
	if (cursor.failed || id == (section->is_debug ? DEBUG_CIE : 0))
		return true;
	uint64_t cie = section->is_debug ? id : body - id;
	if (section->is_debug && relocation_at(section, body, next, &relocation))
		cie = (uint64_t)relocation.r_addend;
	if (!read_common(section, cie, &common) ||
		!read_start(section, &cursor, common.encoding, next, &range[0]))
		return true;
	unsigned format = common.encoding & 0x0f;
	range[1] = byte_cursor_number(
		&cursor, format == PE_SDATA4 || format == PE_UDATA4 ? 4 : 8);
	uint64_t data = common.has_data ? byte_cursor_leb128(&cursor) : 0;
	if (cursor.failed || data > cursor.limit - cursor.at || range[1] == 0 ||
		range[0] < code[0] || range[0] >= code[1] ||
		range[1] > code[1] - range[0])
		return true;
	cursor.at += data;
	return put_entry(frames, section, &common, range,
		(struct part){cursor.at, cursor.limit - cursor.at});
}

void jit_frames_add(struct jit_frames *frames, const struct jit_section *section,
	uint64_t start, uint64_t limit)
{
	struct byte_cursor cursor = {section->bytes, 0, section->size, false};
	const uint64_t code[2] = {start, limit};
	size_t next = 0;
	while (cursor.at < cursor.limit) {
		uint64_t length = byte_cursor_number(&cursor, 4);
		if (cursor.failed || length > cursor.limit - cursor.at)
			return; /* damaged, or of 64 bits */
		struct byte_cursor entry = {
			section->bytes, cursor.at, cursor.at + length, false};
		if (length > 0 && !take_entry(frames, section, entry, &next, code))
			return;
		cursor.at += length;
	}
}
