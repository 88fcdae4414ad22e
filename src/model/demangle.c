/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/model/demangle.h"

#include "src/base/mem.h"
#include "src/model/jit-name.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	INPUT_MAX_BYTES = 16 << 10,
	OUTPUT_MAX_BYTES = 64 << 10,
	/* libiberty's D demangler gives its output only when it is done, so what it may
	   produce is bounded by what it gets: a back reference ('Q') can double it. */
	D_INPUT_MAX_BYTES = 4 << 10,
	D_BACK_REFERENCES_MAX = 12,
	/* In a C++ name with a pack expansion ("Dp"), libiberty walks through the type
	   that is expanded before it prints any of it,
	   and through what a substitution stands for each time anew. Of 2,853 such names
	   in libraries 2 have more substitutions; this many take up to 8 ms. */
	PACK_SUBSTITUTIONS_MAX = 20,
};

/* Substitutions let a hundred bytes stand for gigabytes (S_ S0_ S1_..., each twice
   the one before), so the output is taken piece by piece, and left by longjmp when
   it is enough: the two demanglers below have no other way to be stopped. They keep
   their state on the stack; all that can be lost is the letters of one punycode
   identifier of Rust. */
struct output {
	char *text;
	size_t length, room;
	jmp_buf enough;
};

static void append(const char *bytes, size_t length, void *opaque)
{
	struct output *output = opaque;
	if (length == 0)
		return; /* BYTES may be NULL then */
	if (length > OUTPUT_MAX_BYTES - output->length)
		longjmp(output->enough, 1);
	if (output->length + length >= output->room) {
		output->room = (output->length + length + 1) * 2;
		output->text = mem_resize(output->text, output->room, 1);
	}
	memcpy(output->text + output->length, bytes, length);
	output->length += length;
	output->text[output->length] = '\0';
}

typedef int (*demangle_function)(
	const char *symbol, int options, demangle_callbackref callback, void *opaque);

static bool run(struct output *output, demangle_function demangler, const char *symbol,
	int options)
{
	if (setjmp(output->enough) != 0)
		return false;
	return demangler(symbol, options, append, output) != 0;
}

/* What DEMANGLER makes of SYMBOL, or NULL. */
static char *collect(demangle_function demangler, const char *symbol, int options)
{
	struct output output = {0};
	if (run(&output, demangler, symbol, options) && output.length > 0)
		return output.text;
	free(output.text);
	return NULL;
}

/* How many substitutions, as "S_" and "S1A_". */
static size_t count_substitutions(const char *symbol)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t count = 0;
	for (const char *at = strchr(symbol, 'S'); at; at = strchr(at + 1, 'S'))
		count += at[1 + strspn(at + 1, digits)] == '_';
	return count;
}

static char *demangle_cplusplus(const char *symbol, int options)
{
	if (strstr(symbol, "Dp") && count_substitutions(symbol) > PACK_SUBSTITUTIONS_MAX)
		return NULL;
	return collect(cplus_demangle_v3_callback, symbol, options);
}

static char *demangle_d(const char *symbol)
{
	size_t references = 0;
	for (const char *at = symbol; *at; at++)
		references += *at == 'Q';
	if (strncmp(symbol, "_D", 2) != 0 || references > D_BACK_REFERENCES_MAX ||
		strlen(symbol) > D_INPUT_MAX_BYTES)
		return NULL;
	return dlang_demangle(symbol, DMGL_PARAMS | DMGL_ANSI);
}

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

const char *demangle_style_name(enum demangle_style style)
{
	static const char *const names[DEMANGLE_STYLES] = {
		[DEMANGLE_FULL] = "full",
		[DEMANGLE_NO_PARAMS] = "no-params",
		[DEMANGLE_NO_TEMPLATES] = "no-templates",
		[DEMANGLE_NONE] = "none",
	};
	return names[style];
}

static char *demangle_whole(const char *symbol, enum demangle_style style)
{
	size_t length = strnlen(symbol, INPUT_MAX_BYTES + 1);
	if (length > INPUT_MAX_BYTES || style == DEMANGLE_NONE)
		return NULL;
	size_t name_length = strcspn(symbol, "@");
	char *name = mem_zalloc(name_length + 1);
	memcpy(name, symbol, name_length);

	/* Rust first: its legacy names are also valid C++ names, with a hash for a
	   part. */
	int options = style == DEMANGLE_FULL ? DMGL_PARAMS | DMGL_ANSI : DMGL_ANSI;
	char *plain = collect(rust_demangle_callback, name, options);
	if (!plain)
		plain = demangle_cplusplus(name, options);
	if (!plain)
		plain = demangle_d(name);
	if (plain && style == DEMANGLE_NO_TEMPLATES)
		strip_templates(plain);
	if (!plain && name_length > 0 && name_length < length)
		return name;
	free(name);
	return plain;
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
	size_t length = strnlen(symbol, INPUT_MAX_BYTES + 1);
	if (length > 4 && length <= INPUT_MAX_BYTES &&
		strcmp(symbol + length - 4, "@plt") == 0)
		return demangle_stub(symbol, length - 4, style);
	return demangle_whole(symbol, style);
}
