/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/clean.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

size_t clean_decode(const char *text, size_t length, uint32_t *point)
{
	const unsigned char *s = (const unsigned char *)text;
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

size_t clean_encode(uint32_t point, char *out)
{
	size_t size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
	static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
	for (size_t i = size; i-- > 1; point >>= 6)
		out[i] = (char)(0x80 | (point & 0x3f));
	out[0] = (char)(first[size] | point);
	return size;
}

/* First and last of each group. */
static const uint32_t harmful[][2] = {
	{0x00, 0x1f},	    /* C0 */
	{0x7f, 0x9f},	    /* DEL, C1 */
	{0xad, 0xad},	    /* soft hyphen */
	{0x61c, 0x61c},	    /* Arabic letter mark */
	{0x180e, 0x180e},   /* Mongolian vowel separator */
	{0x200b, 0x200f},   /* zero width; marks of direction */
	{0x2028, 0x202e},   /* line separators; embeddings of direction */
	{0x2060, 0x206f},   /* word joiner, invisible operators; isolates of direction */
	{0xfeff, 0xfeff},   /* zero width no-break space */
	{0xfff9, 0xfffb},   /* interlinear annotation */
	{0xe0000, 0xe007f}, /* tags */
};

static bool is_harmful(uint32_t point)
{
	for (size_t i = 0; i < sizeof(harmful) / sizeof(*harmful); i++)
		if (point >= harmful[i][0] && point <= harmful[i][1])
			return true;
	return false;
}

size_t clean_text(char *out, size_t size, const char *text, size_t length)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char *in = (const unsigned char *)text;
	size_t used = 0;

	for (size_t i = 0; i < length && in[i];) {
		/* Nearly all of nearly every text is plain ASCII. */
		while (i < length && in[i] >= ' ' && in[i] < 0x7f && used + 1 < size)
			out[used++] = text[i++];
		if (i == length || !in[i])
			break;
		uint32_t point = 0;
		size_t step = clean_decode(text + i, length - i, &point);
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

bool clean_is(const char *text, size_t length)
{
	for (size_t i = 0, step; i < length; i += step) {
		uint32_t point = 0;
		step = clean_decode(text + i, length - i, &point);
		if (!step || is_harmful(point))
			return false;
	}
	return true;
}
