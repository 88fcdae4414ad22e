/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/draw/utf8.h"

#include <wchar.h>

struct utf8 utf8_decode(const char *text, size_t size)
{
	static const struct utf8 bad = {.code = 0xfffd, .length = 1, .valid = false};
	const unsigned char *bytes = (const unsigned char *)text;

	if (size == 0)
		return (struct utf8){0};
	if (bytes[0] < 0x80)
		return (struct utf8){.code = bytes[0], .length = 1, .valid = true};

	unsigned length = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t code = bytes[0] & (0x7fu >> length);

	if (bytes[0] < 0xc2 || bytes[0] > 0xf4 || length > size)
		return bad;
	for (unsigned i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return bad;
		code = code << 6 | (bytes[i] & 0x3f);
	}
	if (code < smallest[length] || code > 0x10ffff ||
		(code >= 0xd800 && code <= 0xdfff))
		return bad;
	return (struct utf8){.code = code, .length = (uint8_t)length, .valid = true};
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
