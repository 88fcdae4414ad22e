/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/mangled/dlang-parts.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

bool dlang_spend(struct dlang *name, size_t count)
{
	name->steps = count < name->steps ? name->steps - (unsigned)count : 0;
	return name->steps > 0;
}

bool dlang_is_spent(const struct dlang *name)
{
	return name->steps == 0;
}

bool dlang_enter(struct dlang *name)
{
	if (name->depth == DLANG_DEPTH_MAX)
		name->steps = 0;
	if (!dlang_spend(name, 1))
		return false;
	name->depth++;
	return true;
}

bool dlang_append(struct dlang *name, const char *bytes, size_t length)
{
	if (length >= name->room - name->length)
		name->steps = 0;
	if (!dlang_spend(name, 1 + length / 16))
		return false;
	memcpy(name->out + name->length, bytes, length);
	name->length += length;
	return true;
}

bool dlang_put(struct dlang *name, const char *text)
{
	return dlang_append(name, text, strlen(text));
}

bool dlang_take(struct dlang *name, const char *token)
{
	size_t length = strlen(token);
	if (strncmp(name->at, token, length) != 0)
		return false;
	name->at += length;
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool dlang_number(struct dlang *name, unsigned long *number)
{
	const char *at = name->at;
	unsigned long value = 0;
	if (!is_digit(*at))
		return false;
	for (; is_digit(*at); at++) {
		unsigned long digit = (unsigned long)(*at - '0');
		if (value > (UINT_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*number = value;
	name->at = at;
	return *at != '\0';
}

/* How far back: upper case letters, then a lower case one, in base 26. */
static const char *read_distance(const char *at, size_t *distance)
{
	size_t value = 0;
	for (; isalpha((unsigned char)*at) && value < INT_MAX / 26; at++) {
		bool is_last = *at >= 'a';
		value = value * 26 + (size_t)(*at - (is_last ? 'a' : 'A'));
		*distance = value;
		if (is_last)
			return value > 0 ? at + 1 : NULL;
	}
	return NULL;
}

bool dlang_reference(struct dlang *name, const char **target)
{
	size_t distance;
	const char *from = name->at;
	const char *after = *from == 'Q' ? read_distance(from + 1, &distance) : NULL;
	if (!after || distance > (size_t)(from - name->symbol))
		return false;
	*target = from - distance;
	name->at = after;
	return true;
}

bool dlang_is_template(const char *at)
{
	return at[0] == '_' && at[1] == '_' && (at[2] == 'T' || at[2] == 'U');
}

bool dlang_is_name(const struct dlang *name, const char *at)
{
	struct dlang there = *name;
	const char *target;
	there.at = at;
	if (is_digit(*at) || dlang_is_template(at))
		return true;
	return dlang_reference(&there, &target) && is_digit(*target);
}

void dlang_move_behind(struct dlang *name, size_t first, size_t length)
{
	char *text = name->out + name->length - length;
	size_t limits[][2] = {{0, first}, {first, length}, {0, length}};
	for (size_t i = 0; i < 3; i++)
		for (size_t a = limits[i][0], b = limits[i][1]; a + 1 < b; a++, b--) {
			char c = text[a];
			text[a] = text[b - 1];
			text[b - 1] = c;
		}
	dlang_spend(name, length / 16);
}
