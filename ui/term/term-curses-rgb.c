/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/term/term-curses-rgb.h"

#include "src/base/mem.h"
#include "src/base/vec.h"
#include "ui/term/terminfo.h"

#include <curses.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

/* The parts of a compiled description, term(5). Numbers have 32 bits, as 2^24 colours need. */
enum {
	MAGIC_32_BITS = 01036,
	ABSENT = 0xffff
};

/* A vec. */
struct bytes {
	unsigned char *data;
	size_t len, cap;
};

static void put_bytes(struct bytes *out, const void *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		vec_push(out, ((const unsigned char *)bytes)[i]);
}

static void put_16(struct bytes *out, size_t value)
{
	vec_push(out, (unsigned char)value);
	vec_push(out, (unsigned char)(value >> 8));
}

static void put_32(struct bytes *out, int value)
{
	put_16(out, (uint32_t)value & 0xffff);
	put_16(out, (uint32_t)value >> 16);
}

static void make_even(struct bytes *out)
{
	if (out->len % 2)
		vec_push(out, 0);
}

static size_t count(const char *const *names)
{
	size_t n = 0;

	while (names[n])
		n++;
	return n;
}

static bool has_flag(const char *name)
{
	return tigetflag((char *)name) > 0;
}

static const char *string_of(const char *name)
{
	const char *value = tigetstr((char *)name);
	return value == (const char *)-1 ? NULL : value;
}

/* What differs from the terminal's own. The first eight stay those of the terminal, as in
   xterm-direct. */
static bool new_flag(const char *name)
{
	return strcmp(name, "ccc") != 0 && has_flag(name);
}

static int new_number(const char *name)
{
	if (strcmp(name, "colors") == 0)
		return 1 << 24;
	if (strcmp(name, "pairs") == 0)
		return 1 << 16;
	int value = tigetnum((char *)name);
	return value < 0 ? -1 : value;
}

#define RGB_OF_PARAMETER "8;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m"

static const char *new_string(const char *name)
{
	static const char *const dropped[] = {"initc", "initp", "oc", "setf", "setb"};

	if (strcmp(name, "setaf") == 0)
		return "\033[%?%p1%{8}%<%t3%p1%d%e3" RGB_OF_PARAMETER;
	if (strcmp(name, "setab") == 0)
		return "\033[%?%p1%{8}%<%t4%p1%d%e4" RGB_OF_PARAMETER;
	for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++)
		if (strcmp(name, dropped[i]) == 0)
			return NULL;
	return string_of(name);
}

/* VALUE goes to the table of strings, and where it is there to OUT. */
static void put_string(struct bytes *out, struct bytes *table, const char *value)
{
	put_16(out, value ? table->len : ABSENT);
	if (value)
		put_bytes(table, value, strlen(value) + 1);
}

static void put_standard(struct bytes *out, const char *type)
{
	size_t flags = count(boolnames), numbers = count(numnames),
	       strings = count(strnames);
	struct bytes offsets = {0}, table = {0};

	for (size_t i = 0; i < strings; i++)
		put_string(&offsets, &table, new_string(strnames[i]));
	put_16(out, MAGIC_32_BITS);
	put_16(out, strlen(type) + 1);
	put_16(out, flags);
	put_16(out, numbers);
	put_16(out, strings);
	put_16(out, table.len);
	put_bytes(out, type, strlen(type) + 1);
	for (size_t i = 0; i < flags; i++)
		vec_push(out, new_flag(boolnames[i]));
	make_even(out);
	for (size_t i = 0; i < numbers; i++)
		put_32(out, new_number(numnames[i]));
	put_bytes(out, offsets.data, offsets.len);
	put_bytes(out, table.data, table.len);
	make_even(out);
	vec_free(&offsets);
	vec_free(&table);
}

/* What curses asks for beyond the standard: whether the terminal's own colours can be chosen
   (AX), how its mouse is switched on (XM), and RGB. Names come after all values. */
static void put_extended(struct bytes *out)
{
	static const char *const flags[] = {"AX", "RGB", "XT"};
	static const char *const strings[] = {"E3", "XM"};
	enum {
		FLAGS = sizeof(flags) / sizeof(flags[0]),
		STRINGS = sizeof(strings) / sizeof(strings[0])
	};
	struct bytes offsets = {0}, values = {0}, names = {0};
	size_t there = 0;

	for (size_t i = 0; i < STRINGS; i++) {
		const char *value = string_of(strings[i]);
		put_string(&offsets, &values, value);
		there += value != NULL;
	}
	for (size_t i = 0; i < FLAGS; i++)
		put_string(&offsets, &names, flags[i]);
	for (size_t i = 0; i < STRINGS; i++)
		put_string(&offsets, &names, strings[i]);
	put_16(out, FLAGS);
	put_16(out, 0);
	put_16(out, STRINGS);
	put_16(out, there + FLAGS + STRINGS);
	put_16(out, values.len + names.len);
	for (size_t i = 0; i < FLAGS; i++)
		vec_push(out, strcmp(flags[i], "RGB") == 0 || has_flag(flags[i]));
	make_even(out);
	put_bytes(out, offsets.data, offsets.len);
	put_bytes(out, values.data, values.len);
	put_bytes(out, names.data, names.len);
	vec_free(&offsets);
	vec_free(&values);
	vec_free(&names);
}

/* GNU screen, before its version 5, takes such a colour for attributes, and hands on the
   COLORTERM of the terminal around it. tmux may have the same TERM. */
static bool environment_has_rgb(const char *type)
{
	const char *says = getenv("COLORTERM");

	if (strncmp(type, "screen", 6) == 0 && !getenv("TMUX"))
		return false;
	return says && (strcmp(says, "truecolor") == 0 || strcmp(says, "24bit") == 0);
}

static char *describe(const char *type, bool is_sure)
{
	static const char digits[] = "0123456789abcdef";
	struct bytes bytes = {0};
	VEC(char) text = {0};
	int colours = tigetnum((char *)"colors");

	if (colours < 8 || colours > 1 << 16 || !string_of("setaf"))
		return NULL;
	if (!is_sure && !has_flag("RGB") && !has_flag("Tc") && !environment_has_rgb(type))
		return NULL;
	put_standard(&bytes, type);
	put_extended(&bytes);
	for (const char *c = "hex:"; *c; c++)
		vec_push(&text, *c);
	vec_each (&bytes, byte) {
		vec_push(&text, digits[*byte >> 4]);
		vec_push(&text, digits[*byte & 15]);
	}
	vec_push(&text, '\0');
	vec_free(&bytes);
	return text.data;
}

static bool begin(const char *type)
{
	struct terminfo_loan lent;
	int result;

	if (!type)
		return false;
	bool is_known = setupterm((char *)type, STDOUT_FILENO, &result) == OK;
	if (!is_known && terminfo_lend(type, &lent)) {
		is_known = setupterm((char *)type, STDOUT_FILENO, &result) == OK;
		terminfo_take_back(&lent);
	}
	return is_known;
}

char *curses_rgb_describe(const char *type, bool is_sure)
{
	if (!begin(type))
		return NULL;
	char *text = describe(type, is_sure);
	del_curterm(cur_term);
	return text;
}

bool curses_rgb_known(const char *type, bool *places_cursor)
{
	if (!begin(type))
		return false;
	const char *cup = tigetstr((char *)"cup");
	*places_cursor = cup && cup != (const char *)-1;
	del_curterm(cur_term);
	return true;
}
