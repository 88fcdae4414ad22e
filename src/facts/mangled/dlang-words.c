/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What has nothing else in it: words of the language, and identifiers. */

#include "src/facts/mangled/dlang-parts.h"

#include <string.h>

/* --- of functions and types ---------------------------------------------------------- */

bool dlang_is_convention(char c)
{
	return c && strchr("FUVWRY", c);
}

bool dlang_convention(struct dlang *name)
{
	static const char *const texts[] = {
		['F'] = "",
		['U'] = "extern(C) ",
		['W'] = "extern(Windows) ",
		['V'] = "extern(Pascal) ",
		['R'] = "extern(C++) ",
		['Y'] = "extern(Objective-C) ",
	};
	return dlang_is_convention(*name->at) && dlang_put(name, texts[(int)*name->at++]);
}

bool dlang_attributes(struct dlang *name)
{
	static const char *const texts[] = {
		['a'] = "pure ",
		['b'] = "nothrow ",
		['c'] = "ref ",
		['d'] = "@property ",
		['e'] = "@trusted ",
		['f'] = "@safe ",
		['i'] = "@nogc ",
		['j'] = "return ",
		['l'] = "scope ",
		['m'] = "@live ",
	};
	while (*name->at == 'N') {
		char kind = name->at[1];
		if (kind && strchr("ghkn", kind))
			break; /* the first parameter */
		if (kind < 'a' || kind > 'm')
			return false;
		name->at += 2;
		if (!dlang_put(name, texts[(int)kind]))
			return false;
	}
	return *name->at != '\0';
}

bool dlang_modifiers(struct dlang *name)
{
	for (;;) {
		if (dlang_take(name, "x"))
			return dlang_put(name, " const");
		if (dlang_take(name, "y"))
			return dlang_put(name, " immutable");
		bool shared = dlang_take(name, "O");
		if (!shared && !dlang_take(name, "Ng"))
			return *name->at && *name->at != 'N';
		if (!dlang_put(name, shared ? " shared" : " inout"))
			return false;
	}
}

bool dlang_basic_type(struct dlang *name)
{
	static const char *const texts[] = {
		['n'] = "typeof(null)",
		['v'] = "void",
		['g'] = "byte",
		['h'] = "ubyte",
		['s'] = "short",
		['t'] = "ushort",
		['i'] = "int",
		['k'] = "uint",
		['l'] = "long",
		['m'] = "ulong",
		['f'] = "float",
		['d'] = "double",
		['e'] = "real",
		['o'] = "ifloat",
		['p'] = "idouble",
		['j'] = "ireal",
		['q'] = "cfloat",
		['r'] = "cdouble",
		['c'] = "creal",
		['b'] = "bool",
		['a'] = "char",
		['u'] = "wchar",
		['w'] = "dchar",
	};
	if (dlang_take(name, "zi"))
		return dlang_put(name, "cent");
	if (dlang_take(name, "zk"))
		return dlang_put(name, "ucent");
	unsigned char kind = (unsigned char)*name->at;
	if (kind >= sizeof(texts) / sizeof(*texts) || !texts[kind])
		return false;
	name->at++;
	return dlang_put(name, texts[kind]);
}

/* --- identifiers ------------------------------------------------------------------- */

/* What the compiler makes, and what is written for it: instead of its name, or before
   all that it belongs to. */
static const struct special {
	const char *symbol;
	unsigned char bytes;  /* of its name */
	unsigned char behind; /* of parameters that go, too */
	bool is_before;
	const char *text;
} specials[] = {
	{"__ctor", 6, 0, false, "this"},
	{"__dtor", 6, 0, false, "~this"},
	{"__initZ", 6, 0, true, "initializer for "},
	{"__vtblZ", 6, 0, true, "vtable for "},
	{"__ClassZ", 7, 0, true, "ClassInfo for "},
	{"__postblitMFZ", 10, 3, false, "this(this)"},
	{"__InterfaceZ", 11, 0, true, "Interface for "},
	{"__ModuleInfoZ", 12, 0, true, "ModuleInfo for "},
};

static bool write_before(struct dlang *name, const char *text)
{
	size_t length = strlen(text), moved = name->length - name->base;
	if (!dlang_append(name, text, length) || !dlang_spend(name, moved / 16))
		return false;
	char *base = name->out + name->base;
	memmove(base + length, base, moved);
	memcpy(base, text, length);
	if (name->length > 0)
		name->length--; /* the dot before the name */
	return true;
}

bool dlang_word(struct dlang *name, unsigned long length)
{
	for (size_t i = 0; i < sizeof(specials) / sizeof(*specials); i++) {
		const struct special *special = &specials[i];
		if (length != special->bytes ||
			strncmp(name->at, special->symbol, strlen(special->symbol)) != 0)
			continue;
		name->at += special->bytes + special->behind;
		return special->is_before ? write_before(name, special->text)
					  : dlang_put(name, special->text);
	}
	if (!dlang_append(name, name->at, length))
		return false;
	name->at += length;
	return true;
}

bool dlang_word_again(struct dlang *name)
{
	const char *target;
	unsigned long length;
	if (!dlang_reference(name, &target))
		return false;
	const char *after = name->at;
	name->at = target;
	bool done = dlang_number(name, &length) && strnlen(name->at, length) == length &&
		    dlang_word(name, length);
	name->at = after;
	return done;
}

bool dlang_foreign(struct dlang *name)
{
	unsigned long length;
	if (!dlang_number(name, &length) || strnlen(name->at, length) < length ||
		!dlang_append(name, name->at, length))
		return false;
	name->at += length;
	return true;
}

/* A function may have several declarations of one name; the compiler then adds a parent
   "__S1", which is not shown. */
bool dlang_is_added_parent(const char *at, unsigned long length)
{
	return length >= 4 && strncmp(at, "__S", 3) == 0 &&
	       strspn(at + 3, "0123456789") >= length - 3;
}
