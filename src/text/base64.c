/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/text/base64.h"

void base64_put(const void *from, size_t size, FILE *out)
{
	const unsigned char *bytes = from;
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789+/";
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
