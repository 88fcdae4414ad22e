/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values that are arguments of a template. */

#include "src/facts/mangled/dlang-parts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool read_character(struct dlang *name, char type)
{
	unsigned long value;
	char text[20];
	if (!dlang_number(name, &value))
		return false;
	if (type == 'a' && value >= 0x20 && value < 0x7f)
		snprintf(text, sizeof(text), "'%c'", (char)value);
	else if (type == 'a')
		snprintf(text, sizeof(text), "'\\x%02lx'", value);
	else if (type == 'u')
		snprintf(text, sizeof(text), "'\\u%04lx'", value);
	else
		snprintf(text, sizeof(text), "'\\U%08lx'", value);
	return dlang_put(name, text);
}

static bool read_integer(struct dlang *name, char type)
{
	unsigned long value;
	if (type == 'a' || type == 'u' || type == 'w')
		return read_character(name, type);
	if (type == 'b')
		return dlang_number(name, &value) &&
		       dlang_put(name, value ? "true" : "false");
	size_t length = strspn(name->at, "0123456789");
	if (length == 0 || !dlang_append(name, name->at, length))
		return false;
	name->at += length;
	switch (type) {
	case 'h':
	case 't':
	case 'k':
		return dlang_put(name, "u");
	case 'l':
		return dlang_put(name, "L");
	case 'm':
		return dlang_put(name, "uL");
	default:
		return true;
	}
}

static bool read_digits(struct dlang *name, const char *digits)
{
	size_t length = strspn(name->at, digits);
	bool done = dlang_append(name, name->at, length);
	name->at += length;
	return done;
}

static bool read_real(struct dlang *name)
{
	if (dlang_take(name, "NAN"))
		return dlang_put(name, "NaN");
	if (dlang_take(name, "INF"))
		return dlang_put(name, "Inf");
	if (dlang_take(name, "NINF"))
		return dlang_put(name, "-Inf");
	if (dlang_take(name, "N") && !dlang_put(name, "-"))
		return false;
	if (!isxdigit((unsigned char)*name->at))
		return false;
	char first[] = {'0', 'x', *name->at++, '.', '\0'};
	return dlang_put(name, first) && read_digits(name, "0123456789abcdefABCDEF") &&
	       dlang_take(name, "P") && dlang_put(name, "p") &&
	       (!dlang_take(name, "N") || dlang_put(name, "-")) &&
	       read_digits(name, "0123456789");
}

static bool read_complex(struct dlang *name)
{
	return read_real(name) && dlang_put(name, "+") && dlang_take(name, "c") &&
	       read_real(name) && dlang_put(name, "i");
}

static bool write_byte(struct dlang *name, unsigned value, const char *digits)
{
	static const char *const texts[] = {
		['\t'] = "\\t",
		['\n'] = "\\n",
		['\r'] = "\\r",
		['\f'] = "\\f",
		['\v'] = "\\v",
	};
	char c = (char)value;
	if (value < sizeof(texts) / sizeof(*texts) && texts[value])
		return dlang_put(name, texts[value]);
	if (value >= ' ' && value < 0x7f)
		return dlang_append(name, &c, 1);
	return dlang_put(name, "\\x") && dlang_append(name, digits, 2);
}

static unsigned digit_value(char digit)
{
	return isdigit((unsigned char)digit) ? (unsigned)(digit - '0')
					     : (unsigned)((digit | ' ') - 'a' + 10);
}

/* KIND: 'a' of char, 'w' of wchar, 'd' of dchar. */
static bool read_string(struct dlang *name, char kind)
{
	unsigned long length;
	if (!dlang_number(name, &length) || !dlang_take(name, "_") ||
		!dlang_put(name, "\""))
		return false;
	for (; length > 0; length--) {
		const char *at = name->at;
		if (!isxdigit((unsigned char)at[0]) || !isxdigit((unsigned char)at[1]))
			return false;
		unsigned value = digit_value(at[0]) << 4 | digit_value(at[1]);
		if (!write_byte(name, value, at))
			return false;
		name->at += 2;
	}
	return dlang_put(name, "\"") && (kind == 'a' || dlang_append(name, &kind, 1));
}

/* Values, between BRACKETS. */
static bool read_list(struct dlang *name, const char *brackets, bool has_keys,
	dlang_reader *read_mangled)
{
	unsigned long count;
	if (!dlang_number(name, &count) || !dlang_append(name, &brackets[0], 1))
		return false;
	while (count--) {
		if (has_keys &&
			(!dlang_value(name, '\0', read_mangled) || !dlang_put(name, ":")))
			return false;
		if (!dlang_value(name, '\0', read_mangled) ||
			(count && !dlang_put(name, ", ")))
			return false;
	}
	return dlang_append(name, &brackets[1], 1);
}

static bool read_value(struct dlang *name, char type, dlang_reader *read_mangled)
{
	char kind = *name->at;
	if (isdigit((unsigned char)kind))
		return read_integer(name, type); /* without "i": early versions */
	name->at += kind != '\0';
	switch (kind) {
	case 'n':
		return dlang_put(name, "null");
	case 'N':
		return dlang_put(name, "-") && read_integer(name, type);
	case 'i':
		return read_integer(name, type);
	case 'e':
		return read_real(name);
	case 'c':
		return read_complex(name);
	case 'a':
	case 'w':
	case 'd':
		return read_string(name, kind);
	case 'A':
		return read_list(name, "[]", type == 'H', read_mangled);
	case 'S':
		return read_list(name, "()", false, read_mangled);
	case 'f': /* a function without a name */
		return strncmp(name->at, "_D", 2) == 0 &&
		       dlang_is_name(name, name->at + 2) && read_mangled(name);
	default:
		return false;
	}
}

bool dlang_value(struct dlang *name, char type, dlang_reader *read_mangled)
{
	if (!dlang_enter(name))
		return false;
	bool done = read_value(name, type, read_mangled);
	name->depth--;
	return done;
}
