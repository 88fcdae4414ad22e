/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/text/base64.h"

#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			      "0123456789+/";

void base64_put(const void *from, size_t size, FILE *out)
{
	const unsigned char *bytes = from;
	for (size_t i = 0; i < size; i += 3) {
		size_t left = size - i;
		unsigned value = (unsigned)bytes[i] << 16 |
				 (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
				 (left > 2 ? bytes[i + 2] : 0);
		fputc(letters[value >> 18], out);
		fputc(letters[value >> 12 & 63], out);
		fputc(left > 1 ? letters[value >> 6 & 63] : '=', out);
		fputc(left > 2 ? letters[value & 63] : '=', out);
	}
}

bool base64_get(const char *text, size_t length, uint8_t *out, size_t *size)
{
	unsigned value = 0;
	size_t padding = 0;
	*size = 0;
	if (length % 4)
		return false;
	while (padding < 2 && padding < length && text[length - 1 - padding] == '=')
		padding++;
	for (size_t i = 0; i < length; i++) {
		bool pads = i >= length - padding;
		const char *letter = text[i] ? strchr(letters, text[i]) : NULL;
		if (!letter && !pads)
			return false;
		value = value << 6 | (pads ? 0 : (unsigned)(letter - letters));
		if (i % 4 < 3)
			continue;
		for (int shift = 16; shift >= 0; shift -= 8)
			out[(*size)++] = (uint8_t)(value >> shift);
	}
	*size -= padding;
	return true;
}
