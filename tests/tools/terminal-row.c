/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/tools/terminal-row.h"

#include "ui/draw/oklch.h"
#include "ui/draw/utf8.h"

#include <stdlib.h>
#include <string.h>

enum {
	ESCAPE = 033,
	PARAMETERS_MAX = 32
};

unsigned terminal_colour(unsigned number)
{
	static const unsigned first[] = {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee,
		0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00,
		0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff};

	return number < 16 ? first[number] : rgb_of_256((int)number);
}

/* What follows 38 or 48, at VALUES: a number of 256 colours, or red, green and blue. Returns
   how many values belong to it. */
static size_t extended_colour(const unsigned *values, size_t n, int32_t *colour)
{
	if (n >= 2 && values[0] == 5) {
		*colour = (int32_t)terminal_colour(values[1] & 0xff);
		return 2;
	}
	if (n >= 4 && values[0] == 2) {
		*colour = (int32_t)((values[1] & 0xff) << 16 | (values[2] & 0xff) << 8 |
				    (values[3] & 0xff));
		return 4;
	}
	return n;
}

static void set_attribute(struct paint *state, unsigned value)
{
	static const struct {
		unsigned on, off;
		uint8_t attribute;
	} attributes[] = {{1, 22, ATTR_BOLD}, {2, 22, ATTR_DIM}, {4, 24, ATTR_UNDERLINE},
		{7, 27, ATTR_REVERSE}};

	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		if (value == attributes[i].on)
			state->attributes |= attributes[i].attribute;
		if (value == attributes[i].off)
			state->attributes &= (uint8_t)~attributes[i].attribute;
	}
}

static void apply(struct paint *state, const unsigned *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned value = values[i], tens = value / 10, ones = value % 10;
		int32_t *colour = tens % 2 ? &state->foreground : &state->background;

		if (value == 0)
			*state = TERMINAL_NORMAL;
		else if (value < 30)
			set_attribute(state, value);
		else if (tens == 3 || tens == 4) {
			if (ones == 8)
				i += extended_colour(values + i + 1, n - i - 1, colour);
			else
				*colour = ones == 9 ? -1 : (int32_t)terminal_colour(ones);
		} else if ((tens == 9 || tens == 10) && ones < 8)
			*colour = (int32_t)terminal_colour(8 + ones);
	}
}

/* The sequence at TEXT, which begins with an escape; returns what follows. */
static const char *take_sequence(const char *text, struct paint *state)
{
	unsigned values[PARAMETERS_MAX] = {0};
	size_t n = 0;

	if (text[1] != '[')
		return text + (text[1] != '\0' ? 2 : 1);
	for (text += 2; (*text >= '0' && *text <= '9') || *text == ';' || *text == ':';) {
		char *end;
		unsigned long value = strtoul(text, &end, 10);
		if (n < PARAMETERS_MAX)
			values[n++] = (unsigned)value;
		text = *end == ';' || *end == ':' ? end + 1 : end;
	}
	if (*text == 'm')
		apply(state, values, n > 0 ? n : 1);
	return *text != '\0' ? text + 1 : text;
}

size_t terminal_row(const char *row, struct paint *state, char *text,
	struct paint *paints, size_t max)
{
	size_t at = 0;

	while (*row != '\0') {
		if (*row == ESCAPE) {
			row = take_sequence(row, state);
			continue;
		}
		struct utf8 c = utf8_decode(row, strlen(row));
		for (int i = utf8_columns(c.code); i > 0 && at < max; i--)
			paints[at++] = *state;
		memcpy(text, row, c.length);
		text += c.length;
		row += c.length;
	}
	*text = '\0';
	return at;
}
