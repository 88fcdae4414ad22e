/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/clean.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Decode one UTF-8 character of at most LENGTH bytes; returns its size, 0 if it is not
   one (overlong forms, surrogates and code points past U+10FFFF are not: RFC 3629). */
static size_t decode(const unsigned char *s, size_t length, uint32_t *point)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t size = s[0] < 0x80	      ? 1
		      : (s[0] & 0xe0) == 0xc0 ? 2
		      : (s[0] & 0xf0) == 0xe0 ? 3
		      : (s[0] & 0xf8) == 0xf0 ? 4
					      : 0;
	if (size == 0 || size > length)
		return 0;
	uint32_t value = size == 1 ? s[0] : s[0] & (0x7fu >> size);
	for (size_t i = 1; i < size; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (s[i] & 0x3f);
	}
	if (value < least[size] || value > 0x10ffff ||
		(value >= 0xd800 && value <= 0xdfff))
		return 0;
	*point = value;
	return size;
}

static bool is_harmful(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point <= 0x9f) ||
	       (point >= 0x200b && point <= 0x200f) ||
	       (point >= 0x2028 && point <= 0x202e) || point == 0x2060 ||
	       (point >= 0x2066 && point <= 0x2069) || point == 0xfeff;
}

size_t clean_text(char *out, size_t size, const char *text, size_t length)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char *in = (const unsigned char *)text;
	size_t used = 0;

	for (size_t i = 0; i < length && in[i];) {
		uint32_t point = 0;
		size_t step = decode(in + i, length - i, &point);
		if (step && !is_harmful(point)) {
			if (used + step >= size)
				break;
			memcpy(out + used, in + i, step);
			used += step;
		} else {
			step = step ? step : 1;
			if (used + 4 * step >= size)
				break;
			for (size_t k = 0; k < step; k++) {
				out[used++] = '\\';
				out[used++] = 'x';
				out[used++] = hex[in[i + k] >> 4];
				out[used++] = hex[in[i + k] & 15];
			}
		}
		i += step;
	}
	if (size)
		out[used] = '\0';
	return used;
}
