/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/python/python-lines.h"

#include <stdbool.h>

static uint32_t take_varint(const unsigned char **at, const unsigned char *limit)
{
	uint32_t value = 0;
	unsigned shift = 0;
	while (*at < limit) {
		unsigned byte = *(*at)++;
		value |= (shift < 32 ? (byte & 63u) << shift : 0);
		shift += 6;
		if (!(byte & 64))
			break;
	}
	return value;
}

/* Go past the columns of an entry, and add its step to *LINE. False: it has no line. */
static bool take_place(const unsigned char **at, const unsigned char *limit,
	unsigned kind, uint32_t *line)
{
	enum {
		NO_LINE = 15,
		LONG = 14,
		NO_COLUMNS = 13,
		ONE_LINE = 10
	};
	if (kind == NO_LINE)
		return false;
	if (kind >= NO_COLUMNS) {
		uint32_t step = take_varint(at, limit);
		*line += step & 1 ? -(step >> 1) : step >> 1;
	} else if (kind >= ONE_LINE) {
		*line += kind - ONE_LINE;
	}
	if (kind == LONG)
		for (int i = 0; i < 3; i++)
			take_varint(at, limit);
	else if (kind < NO_COLUMNS)
		*at += kind >= ONE_LINE ? 2 : 1;
	return true;
}

static uint32_t line_by_places(
	const unsigned char *table, size_t length, uint32_t first_line, uint64_t unit)
{
	const unsigned char *at = table, *limit = table + length;
	uint32_t line = first_line;
	uint64_t passed = 0;
	while (at < limit) {
		unsigned head = *at++;
		if (!(head & 128))
			break;
		bool has_line = take_place(&at, limit, head >> 3 & 15, &line);
		passed += (head & 7) + 1;
		if (passed > unit)
			return has_line ? line : first_line;
	}
	return first_line;
}

/* Pairs: the bytes that a range of code has, and a step to its line; NO_LINE: it has none. */
static uint32_t line_by_ranges(
	const unsigned char *table, size_t length, uint32_t first_line, uint64_t byte)
{
	enum {
		NO_LINE = -128
	};
	uint32_t line = first_line;
	uint64_t passed = 0;
	for (size_t i = 0; i + 1 < length; i += 2) {
		int step = (signed char)table[i + 1];
		passed += table[i];
		if (step != NO_LINE)
			line += (uint32_t)step;
		if (passed > byte)
			return step == NO_LINE ? first_line : line;
	}
	return first_line;
}

/* Pairs: a step to the code of the next line, and one to that line. */
static uint32_t line_by_lnotab(
	const unsigned char *table, size_t length, uint32_t first_line, uint64_t byte)
{
	uint32_t line = first_line;
	uint64_t passed = 0;
	for (size_t i = 0; i + 1 < length; i += 2) {
		passed += table[i];
		if (passed > byte)
			break;
		line += (uint32_t)(signed char)table[i + 1];
	}
	return line;
}

uint32_t python_line(enum python_lines kind, const unsigned char *table, size_t length,
	uint32_t first_line, uint64_t unit)
{
	if (length == 0)
		return first_line;
	switch (kind) {
	case PYTHON_RANGES:
		return line_by_ranges(table, length, first_line, 2 * unit);
	case PYTHON_LNOTAB:
		return line_by_lnotab(table, length, first_line, 2 * unit);
	default:
		return line_by_places(table, length, first_line, unit);
	}
}
