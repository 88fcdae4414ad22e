/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/demangle.h"

#include "src/base/mem.h"
#include "src/facts/jit-name.h"
#include "src/facts/mangled/mangled.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* --- template arguments ------------------------------------------------------------ */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80);
}

/* The length of a token at NAME + AT whose '<' or '>' is not a bracket: "operator<<",
   "->", and in an argument the ">" of "((3)>(2))". */
static size_t operator_length(const char *name, size_t at)
{
	static const char word[] = "operator";
	size_t length = sizeof(word) - 1;
	if (strncmp(name + at, "->", 2) == 0)
		return 2;
	if (at > 0 && name[at - 1] == ')') {
		length = strspn(name + at, "<>=");
		return name[at + length] == '(' ? length : 0;
	}
	if (strncmp(name + at, word, length) != 0 || (at > 0 && is_word(name[at - 1])))
		return 0;
	return length + strspn(name + at + length, "<>=-*");
}

/* Does the '<' at AT begin a part of the name itself, rather than template arguments?
   Rust's "<T as Trait>::f" and "str::<impl str>::parse" do, and the compiler's
   "<lambda". */
static bool opens_self_type(const char *name, size_t at)
{
	const char *inside = name + at + 1;
	if (strncmp(inside, "impl ", 5) == 0 || strncmp(inside, "lambda", 6) == 0)
		return true;
	return at == 0 || !(is_word(name[at - 1]) || strchr(":})> ", name[at - 1]));
}

/* The end of the arguments that begin with the '<' at AT; 0 if it is not closed. */
static size_t end_of_arguments(const char *name, size_t at)
{
	size_t depth = 0;
	while (name[at]) {
		size_t skip = operator_length(name, at);
		if (skip > 0) {
			at += skip;
			continue;
		}
		depth += name[at] == '<';
		if (name[at++] == '>' && --depth == 0)
			return at;
	}
	return 0;
}

/* Remove template arguments, in place. Arguments with unbalanced brackets stay. */
static void strip_templates(char *name)
{
	size_t out = 0, at = 0;
	while (name[at]) {
		size_t take = operator_length(name, at);
		if (take == 0 && name[at] == '<' && !opens_self_type(name, at)) {
			size_t end = end_of_arguments(name, at);
			if (end > 0) {
				/* "operator< <int>", and Rust's "swap::<T>" */
				while (out > 0 &&
					(name[out - 1] == ' ' || name[out - 1] == ':'))
					out--;
				at = end;
				continue;
			}
		}
		take = take ? take : 1;
		memmove(name + out, name + at, take);
		out += take;
		at += take;
	}
	name[out] = '\0';
}

/* --- all of it --------------------------------------------------------------------- */

static char *demangle_whole(const char *symbol, enum demangle_style style)
{
	size_t length = strnlen(symbol, MANGLED_MAX_BYTES + 1);
	if (length > MANGLED_MAX_BYTES || style == DEMANGLE_NONE)
		return NULL;
	size_t name_length = strcspn(symbol, "@");
	char *name = mem_zalloc(name_length + 1);
	memcpy(name, symbol, name_length);
	char *plain = mem_alloc(MANGLED_PLAIN_MAX_BYTES);
	bool is_mangled = name[0] == '_' && mangled_read(name, style == DEMANGLE_FULL,
						    plain, MANGLED_PLAIN_MAX_BYTES);
	if (!is_mangled) {
		free(plain);
		if (name_length > 0 && name_length < length)
			return name;
		free(name);
		return NULL;
	}
	free(name);
	if (style == DEMANGLE_NO_TEMPLATES)
		strip_templates(plain);
	return mem_resize(plain, strlen(plain) + 1, 1);
}

/* A PLT stub has the name of the function that it jumps to. */
static char *demangle_stub(const char *symbol, size_t length, enum demangle_style style)
{
	char *target = mem_printf("%.*s", (int)length, symbol);
	char *plain = demangle_whole(target, style);
	char *stub = plain ? mem_printf("%s@plt", plain) : NULL;
	free(target);
	free(plain);
	return stub;
}

static bool is_short(enum demangle_style style)
{
	return style == DEMANGLE_NO_PARAMS || style == DEMANGLE_NO_TEMPLATES;
}

char *demangle(const char *symbol, enum demangle_style style)
{
	if (jit_name_is(symbol)) /* "@" may be in its path */
		return is_short(style) ? jit_name_short(symbol) : NULL;
	size_t length = strnlen(symbol, MANGLED_MAX_BYTES + 1);
	if (length > 4 && length <= MANGLED_MAX_BYTES &&
		strcmp(symbol + length - 4, "@plt") == 0)
		return demangle_stub(symbol, length - 4, style);
	return demangle_whole(symbol, style);
}
