/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/template-arguments.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

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

void template_arguments_strip(char *name)
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
