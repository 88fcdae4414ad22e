/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/draw/utf8.h"

#include "src/base/clean.h"

#include <wchar.h>

struct utf8 utf8_decode(const char *text, size_t size)
{
	struct utf8 found = {.code = 0xfffd, .length = 1};
	uint32_t code;

	if (size == 0)
		return (struct utf8){0};
	size_t length = clean_decode(text, size, &code);
	if (length)
		found = (struct utf8){code, (uint8_t)length, .valid = true};
	return found;
}

size_t utf8_write(uint32_t code, char *out)
{
	if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		code = 0xfffd;
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}

	size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	for (size_t i = length - 1; i > 0; i--) {
		out[i] = (char)(0x80 | (code & 0x3f));
		code >>= 6;
	}
	out[0] = (char)((0xf00u >> length & 0xff) | code);
	return length;
}

int utf8_columns(uint32_t code)
{
	if (code < 0x20 || (code >= 0x7f && code < 0xa0))
		return -1;
	return code < 0x7f ? 1 : wcwidth((wchar_t)code);
}
