/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/mangled/dlang.h"

#include "src/facts/mangled/dlang-parts.h"

#include <string.h>

static bool read_type(struct dlang *name);
static bool read_identifier(struct dlang *name);
static bool read_qualified(struct dlang *name, bool with_modifiers);
static bool read_mangled(struct dlang *name);

/* --- types ------------------------------------------------------------------------- */

static bool read_parameter(struct dlang *name)
{
	static const char *const texts[][2] = {{"IK", "in ref "}, {"I", "in "},
		{"J", "out "}, {"K", "ref "}, {"L", "lazy "}};
	if (dlang_take(name, "M") && !dlang_put(name, "scope "))
		return false;
	if (dlang_take(name, "Nk") && !dlang_put(name, "return "))
		return false;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (dlang_take(name, texts[i][0])) {
			dlang_put(name, texts[i][1]);
			break;
		}
	return read_type(name);
}

static bool read_parameters(struct dlang *name)
{
	if (!dlang_put(name, "("))
		return false;
	for (size_t count = 0; *name->at; count++) {
		if (dlang_take(name, "X"))
			return dlang_put(name, "...)");
		if (dlang_take(name, "Y"))
			return dlang_put(name, count ? ", ...)" : "...)");
		if (dlang_take(name, "Z"))
			return dlang_put(name, ")");
		if (count && !dlang_put(name, ", "))
			return false;
		if (!read_parameter(name))
			return false;
	}
	return false;
}

/* Written in the order that they come in: attributes, parameters, type returned. */
static bool read_function(struct dlang *name)
{
	size_t base = name->base;
	if (!dlang_convention(name))
		return false;
	size_t first = name->base = name->length;
	if (!dlang_put(name, " ") || !dlang_attributes(name))
		return false;
	size_t second = name->base = name->length;
	if (!read_parameters(name))
		return false;
	size_t third = name->base = name->length;
	if (!read_type(name))
		return false;
	size_t others = third - first;
	dlang_move_behind(name, others, name->length - first);
	dlang_move_behind(name, second - first, others);
	name->base = base;
	return true;
}

static bool read_wrapped(struct dlang *name, const char *word)
{
	return dlang_put(name, word) && read_type(name) && dlang_put(name, ")");
}

static bool read_fixed_array(struct dlang *name)
{
	const char *digits = name->at;
	size_t length = strspn(digits, "0123456789");
	name->at += length;
	return read_type(name) && dlang_put(name, "[") &&
	       dlang_append(name, digits, length) && dlang_put(name, "]");
}

static bool read_keyed_array(struct dlang *name)
{
	size_t start = name->length, base = name->base;
	name->base = start;
	if (!dlang_put(name, "[") || !read_type(name) || !dlang_put(name, "]"))
		return false;
	size_t key = name->length - start;
	name->base = base;
	if (!read_type(name))
		return false;
	dlang_move_behind(name, key, name->length - start);
	return true;
}

static bool read_tuple(struct dlang *name)
{
	unsigned long count;
	if (!dlang_number(name, &count) || !dlang_put(name, "Tuple!("))
		return false;
	while (count--)
		if (!read_type(name) || (count && !dlang_put(name, ", ")))
			return false;
	return dlang_put(name, ")");
}

/* A type that stands at an earlier place. Such references only lead back: one that a
   reference leads to must come before it. */
static bool read_type_again(struct dlang *name, bool is_function)
{
	size_t place = (size_t)(name->at - name->symbol), reference = name->reference;
	const char *target;
	if (place >= reference || !dlang_reference(name, &target))
		return false;
	const char *after = name->at;
	name->reference = place;
	name->at = target;
	bool done = is_function ? read_function(name) : read_type(name);
	name->reference = reference;
	name->at = after;
	return done;
}

/* The modifiers come first, and are written last. */
static bool read_delegate(struct dlang *name)
{
	size_t start = name->length;
	if (!dlang_modifiers(name))
		return false;
	size_t modifiers = name->length - start;
	bool done = *name->at == 'Q' ? read_type_again(name, true) : read_function(name);
	if (!done || !dlang_put(name, "delegate"))
		return false;
	dlang_move_behind(name, modifiers, name->length - start);
	return true;
}

static bool read_derived_type(struct dlang *name, char kind)
{
	switch (kind) {
	case 'O':
		return read_wrapped(name, "shared(");
	case 'x':
		return read_wrapped(name, "const(");
	case 'y':
		return read_wrapped(name, "immutable(");
	case 'A':
		return read_type(name) && dlang_put(name, "[]");
	case 'G':
		return read_fixed_array(name);
	case 'H':
		return read_keyed_array(name);
	case 'C':
	case 'S':
	case 'E':
	case 'T':
		return read_qualified(name, false);
	case 'D':
		return read_delegate(name);
	case 'B':
		return read_tuple(name);
	case 'P':
		if (!dlang_is_convention(*name->at))
			return read_type(name) && dlang_put(name, "*");
		return read_function(name) && dlang_put(name, "function");
	default:
		return false;
	}
}

static bool read_some_type(struct dlang *name)
{
	if (dlang_is_convention(*name->at))
		return read_function(name) && dlang_put(name, "function");
	if (*name->at == 'Q')
		return read_type_again(name, false);
	if (dlang_take(name, "Ng"))
		return read_wrapped(name, "inout(");
	if (dlang_take(name, "Nh"))
		return read_wrapped(name, "__vector(");
	if (dlang_take(name, "Nn"))
		return dlang_put(name, "typeof(*null)");
	if (*name->at && strchr("OxyAGHCSETDBP", *name->at))
		return read_derived_type(name, *name->at++);
	return dlang_basic_type(name);
}

static bool read_type(struct dlang *name)
{
	if (!dlang_enter(name))
		return false;
	bool done = read_some_type(name);
	name->depth--;
	return done;
}

/* --- names ------------------------------------------------------------------------- */

/* Functions in functions have their parameters in their names. What looks like parameters
   may also be the type of a variable: then nothing is taken. */
static void read_parameters_of_scope(struct dlang *name, bool with_modifiers)
{
	const char *start = name->at;
	size_t length = name->length, base = name->base;
	bool done = true;
	if (dlang_take(name, "M"))
		done = dlang_modifiers(name);
	size_t modifiers = name->length - length;
	size_t before = name->length;
	done = done && dlang_convention(name) && dlang_attributes(name);
	if (done)
		name->length = before; /* neither is shown */
	done = done && read_parameters(name) && *name->at;
	if (!done) {
		name->at = start;
		name->length = length;
		name->base = base;
		return;
	}
	dlang_move_behind(name, modifiers, name->length - length);
	if (!with_modifiers)
		name->length -= modifiers;
}

static bool read_qualified(struct dlang *name, bool with_modifiers)
{
	if (!dlang_enter(name))
		return false;
	size_t count = 0;
	bool done = true;
	do {
		size_t anonymous = strspn(name->at, "0");
		name->at += anonymous;
		if (anonymous)
			continue;
		done = (count++ == 0 || dlang_put(name, ".")) && read_identifier(name);
		if (done && (*name->at == 'M' || dlang_is_convention(*name->at)))
			read_parameters_of_scope(name, with_modifiers);
	} while (done && dlang_is_name(name, name->at));
	name->depth--;
	return done && !dlang_is_spent(name);
}

static bool read_mangled(struct dlang *name)
{
	name->at += 2;
	if (!read_qualified(name, true))
		return false;
	if (dlang_take(name, "Z"))
		return true;
	size_t length = name->length, base = name->base;
	name->base = length;
	bool done = read_type(name); /* of the variable, or returned: not shown */
	name->length = length;
	name->base = base;
	return done;
}

/* --- identifiers ------------------------------------------------------------------- */

/* Until 2.076 the compiler wrote the length of a name before it, and the name may begin
   with a digit: any of the digits may be the last one of the length. */
static bool read_symbol_of_length(struct dlang *name)
{
	const char *start = name->at;
	size_t written = name->length;
	unsigned long length;
	if (!dlang_number(name, &length) || length == 0)
		return false;
	for (const char *at = name->at; at >= start; at--, length /= 10) {
		bool is_all = at == start; /* all digits are of the name */
		name->at = at;
		bool done = false;
		if (dlang_is_name(name, at))
			done = read_qualified(name, false);
		else if (strncmp(at, "_D", 2) == 0 && dlang_is_name(name, at + 2))
			done = read_mangled(name);
		if (done && (is_all || (size_t)(name->at - at) == length))
			return true;
		name->length = written;
	}
	return false;
}

static bool read_symbol_argument(struct dlang *name)
{
	if (strncmp(name->at, "_D", 2) == 0 && dlang_is_name(name, name->at + 2))
		return read_mangled(name);
	return *name->at == 'Q' ? read_qualified(name, false)
				: read_symbol_of_length(name);
}

/* The type of a value is not shown, unless it is a struct's. */
static bool read_value_argument(struct dlang *name)
{
	size_t written = name->length, base = name->base;
	char type = *name->at;
	const char *target;
	if (type == 'Q') {
		struct dlang there = *name;
		if (!dlang_reference(&there, &target))
			return false;
		type = *target;
	}
	name->base = written;
	if (!read_type(name))
		return false;
	name->base = base;
	if (*name->at != 'S')
		name->length = written;
	return dlang_value(name, type, read_mangled);
}

static bool read_arguments(struct dlang *name)
{
	for (size_t count = 0; !dlang_take(name, "Z"); count++) {
		if (count && !dlang_put(name, ", "))
			return false;
		dlang_take(name, "H"); /* it is specialized */
		bool done = dlang_take(name, "S")   ? read_symbol_argument(name)
			    : dlang_take(name, "T") ? read_type(name)
			    : dlang_take(name, "V") ? read_value_argument(name)
			    : dlang_take(name, "X") ? dlang_foreign(name)
						    : false;
		if (!done)
			return false;
	}
	return true;
}

static bool read_template(struct dlang *name)
{
	size_t base = name->base;
	name->at += 3;
	if (!dlang_is_name(name, name->at) || *name->at == '0' ||
		!read_identifier(name) || !dlang_put(name, "!("))
		return false;
	name->base = name->length;
	bool done = read_arguments(name) && dlang_put(name, ")");
	name->base = base;
	return done;
}

static bool read_name(struct dlang *name)
{
	unsigned long length;
	if (*name->at == 'Q')
		return dlang_word_again(name);
	if (dlang_is_template(name->at))
		return read_template(name);
	if (!dlang_number(name, &length) || length == 0 ||
		strnlen(name->at, length) < length)
		return false;
	const char *start = name->at;
	if (length >= 5 && dlang_is_template(start))
		return read_template(name) && (size_t)(name->at - start) == length;
	if (dlang_is_added_parent(start, length)) {
		name->at += length;
		return read_identifier(name);
	}
	return dlang_word(name, length);
}

static bool read_identifier(struct dlang *name)
{
	if (!dlang_enter(name))
		return false;
	bool done = read_name(name);
	name->depth--;
	return done;
}

bool dlang_plain(const char *symbol, char *out, size_t room)
{
	struct dlang name = {
		.symbol = symbol,
		.at = symbol,
		.reference = strlen(symbol),
		.out = out,
		.room = room,
		.steps = DLANG_STEPS_MAX,
	};
	bool done = false;
	if (strcmp(symbol, "_Dmain") == 0)
		done = dlang_put(&name, "D main");
	else if (strncmp(symbol, "_D", 2) == 0)
		done = read_mangled(&name) && *name.at == '\0';
	if (!done || name.length == 0 || dlang_is_spent(&name))
		return false;
	out[name.length] = '\0';
	return true;
}
