/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * byte_cursor: numbers out of bytes that nobody vouches for, one after the other: fixed sizes
 * in the host's byte order (little-endian), LEB128 (DWARF 5, section 7.6), and what pointers in
 * unwind data look like (LSB Core, "DWARF Exception Header Encoding").
 *
 * A read past the end gives 0 and sets `failed`, which stays: a caller may read a whole record
 * and ask once. The bytes are the caller's.
 */
#ifndef CPROFTOP_BYTE_CURSOR_H
#define CPROFTOP_BYTE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct byte_cursor {
	const unsigned char *bytes;
	size_t at, limit; /* at <= limit */
	bool failed;
};

/* How a pointer is encoded: its format, and what it is relative to. */
enum pointer_encoding {
	PE_ABSPTR = 0x00,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_FORMAT_MASK = 0x0f,
	PE_PCREL = 0x10,
	PE_DATAREL = 0x30,
	PE_ALIGNED = 0x50,
	PE_OMIT = 0xff /* there is no pointer */
};

/* The next COUNT bytes, at most 8, as a number. */
static inline uint64_t byte_cursor_number(struct byte_cursor *cursor, size_t count)
{
	uint64_t value = 0;
	if (cursor->failed || count > cursor->limit - cursor->at) {
		cursor->failed = true;
		return 0;
	}
	memcpy(&value, cursor->bytes + cursor->at, count);
	cursor->at += count;
	return value;
}

/* An unsigned LEB128 of at most 10 bytes, as many as 64 bits take; bits above are dropped. */
static inline uint64_t byte_cursor_leb128(struct byte_cursor *cursor)
{
	uint64_t value = 0, byte = 0x80;
	for (unsigned i = 0; byte & 0x80 && !cursor->failed; i++) {
		byte = byte_cursor_number(cursor, 1);
		cursor->failed |= i == 10;
		value |= i < 9 ? (byte & 0x7f) << 7 * i : 0;
	}
	return cursor->failed ? 0 : value;
}

/* Bytes of a pointer so encoded, 0 if that is not known. */
static inline size_t pointer_encoding_bytes(unsigned encoding)
{
	switch (encoding & PE_FORMAT_MASK) {
	case PE_UDATA2:
	case PE_SDATA2:
		return 2;
	case PE_UDATA4:
	case PE_SDATA4:
		return 4;
	case PE_ABSPTR:
	case PE_UDATA8:
	case PE_SDATA8:
		return 8;
	default:
		return 0;
	}
}

#endif
