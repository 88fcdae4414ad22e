/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cost of a Rust name, version 0: it is read as libiberty reads it, and nothing is written.
 * The format: https://doc.rust-lang.org/rustc/symbol-mangling/v0.html */

#include "src/mangled/mangled-cost.h"

#include <stddef.h>
#include <string.h>

enum {
	DEPTH_MAX = 1100, /* libiberty's is 1,024 */
	LIFETIMES_SUSPECT = 100,
	LIFETIMES_SHOWN_MAX = 1 << 15, /* two bytes each at least */
};

struct reader {
	const char *symbol; /* behind the "_R" */
	size_t length, next;
	bool is_wrong; /* libiberty stops here, too */
	bool is_skipping;
	unsigned depth;
	uint64_t cost;
};

static void read_path(struct reader *reader);
static void read_type(struct reader *reader);

static char peek(const struct reader *reader)
{
	return reader->next < reader->length ? reader->symbol[reader->next] : '\0';
}

static bool eat(struct reader *reader, char c)
{
	bool is_next = peek(reader) == c;
	reader->next += is_next;
	return is_next;
}

static char take(struct reader *reader)
{
	char c = peek(reader);
	reader->is_wrong |= c == '\0';
	reader->next += c != '\0';
	return c;
}

/* A number in base 62 up to a "_"; 0 is written "_". It may wrap. */
static uint64_t read_number(struct reader *reader)
{
	uint64_t value = 0;
	if (eat(reader, '_'))
		return 0;
	while (!eat(reader, '_') && !reader->is_wrong) {
		char c = take(reader);
		value = value * 62 +
			(c >= '0' && c <= '9'	       ? (uint64_t)(c - '0')
				: c >= 'a' && c <= 'z' ? (uint64_t)(c - 'a' + 10)
				: c >= 'A' && c <= 'Z' ? (uint64_t)(c - 'A' + 36)
						       : 0);
	}
	return value + 1;
}

static void read_disambiguator(struct reader *reader)
{
	if (eat(reader, 's'))
		read_number(reader);
}

static void read_word(struct reader *reader)
{
	size_t length = 0;
	eat(reader, 'u');
	if (peek(reader) == '0')
		reader->next++;
	else if (peek(reader) < '1' || peek(reader) > '9')
		reader->is_wrong = true;
	else
		while (peek(reader) >= '0' && peek(reader) <= '9')
			length = length * 10 + (size_t)(take(reader) - '0');
	eat(reader, '_');
	if (length > reader->length - reader->next)
		reader->is_wrong = true;
	else
		reader->next += length;
}

static bool enter(struct reader *reader)
{
	if (reader->depth == DEPTH_MAX || ++reader->cost > MANGLED_COST_MAX)
		reader->is_wrong = true;
	if (reader->is_wrong)
		return false;
	reader->depth++;
	return true;
}

/* What READ finds at an earlier place; libiberty does not look there for what it does not
   write. */
static void read_again(struct reader *reader, void (*read)(struct reader *))
{
	uint64_t place = read_number(reader);
	size_t next = reader->next;
	if (reader->is_skipping || reader->is_wrong)
		return;
	reader->next = place < reader->length ? place : reader->length;
	read(reader);
	reader->next = next;
}

static void read_constant(struct reader *reader)
{
	if (!enter(reader))
		return;
	if (eat(reader, 'B')) {
		read_again(reader, read_constant);
	} else if (take(reader) != 'p') {
		eat(reader, 'n');
		while (!reader->is_wrong && !eat(reader, '_'))
			take(reader);
	}
	reader->depth--;
}

static void read_argument(struct reader *reader)
{
	if (eat(reader, 'L'))
		read_number(reader);
	else if (eat(reader, 'K'))
		read_constant(reader);
	else
		read_type(reader);
}

static void read_all(struct reader *reader, void (*read)(struct reader *))
{
	while (!reader->is_wrong && !eat(reader, 'E'))
		read(reader);
}

static void read_choice(struct reader *reader, char tag)
{
	bool is_skipping = reader->is_skipping;
	switch (tag) {
	case 'C':
		read_disambiguator(reader);
		read_word(reader);
		break;
	case 'N':
		take(reader);
		read_path(reader);
		read_disambiguator(reader);
		read_word(reader);
		break;
	case 'M':
	case 'X':
		read_disambiguator(reader);
		reader->is_skipping = true;
		read_path(reader);
		reader->is_skipping = is_skipping;
		read_type(reader);
		if (tag == 'X')
			read_path(reader);
		break;
	case 'Y':
		read_type(reader);
		read_path(reader);
		break;
	case 'I':
		read_path(reader);
		read_all(reader, read_argument);
		break;
	case 'B':
		read_again(reader, read_path);
		break;
	default:
		reader->is_wrong = true;
	}
}

static void read_path(struct reader *reader)
{
	if (!enter(reader))
		return;
	read_choice(reader, take(reader));
	reader->depth--;
}

static void read_lifetimes(struct reader *reader)
{
	if (!eat(reader, 'G'))
		return;
	uint64_t count = 1 + read_number(reader);
	if (!reader->is_skipping && count > LIFETIMES_SHOWN_MAX)
		count = LIFETIMES_SHOWN_MAX;
	reader->cost =
		count > MANGLED_COST_MAX ? MANGLED_COST_MAX + 1 : reader->cost + count;
}

static void read_function(struct reader *reader)
{
	read_lifetimes(reader);
	eat(reader, 'U');
	if (eat(reader, 'K') && !eat(reader, 'C'))
		read_word(reader);
	read_all(reader, read_type);
	read_type(reader);
}

/* A path, whose arguments may have no end, and "p" with a name and a type, any number. */
static void read_open_path(struct reader *reader)
{
	if (!enter(reader))
		return;
	if (eat(reader, 'B'))
		read_again(reader, read_open_path);
	else
		read_path(reader);
	reader->depth--;
}

static void read_trait(struct reader *reader)
{
	read_open_path(reader);
	while (!reader->is_wrong && eat(reader, 'p')) {
		read_word(reader);
		read_type(reader);
	}
}

static void read_type_of(struct reader *reader, char tag)
{
	switch (tag) {
	case 'R':
	case 'Q':
		if (eat(reader, 'L'))
			read_number(reader);
		read_type(reader);
		break;
	case 'P':
	case 'O':
	case 'S':
		read_type(reader);
		break;
	case 'A':
		read_type(reader);
		read_constant(reader);
		break;
	case 'T':
		read_all(reader, read_type);
		break;
	case 'F':
		read_function(reader);
		break;
	case 'D':
		read_lifetimes(reader);
		read_all(reader, read_trait);
		reader->is_wrong |= !eat(reader, 'L');
		read_number(reader);
		break;
	case 'B':
		read_again(reader, read_type);
		break;
	default:
		reader->next--;
		read_path(reader);
	}
}

static void read_type(struct reader *reader)
{
	if (!enter(reader))
		return;
	char tag = take(reader);
	if (!reader->is_wrong && !strchr("bceuaslxnihtmyojfdzpv", tag))
		read_type_of(reader, tag);
	reader->depth--;
}

/* Is there anything that may be read as a long list of lifetimes, wherever it is? */
static bool is_suspect(const char *symbol)
{
	for (const char *at = strchr(symbol, 'G'); at; at = strchr(at + 1, 'G')) {
		struct reader reader = {.symbol = at + 1, .length = strlen(at + 1)};
		if ((at[-1] == 'F' || at[-1] == 'D') &&
			read_number(&reader) > LIFETIMES_SUSPECT && !reader.is_wrong)
			return true;
	}
	return false;
}

uint64_t mangled_rust_cost(const char *symbol)
{
	if (strncmp(symbol, "_R", 2) != 0 || !is_suspect(symbol))
		return 0;
	struct reader reader = {.symbol = symbol + 2, .length = strcspn(symbol + 2, ".")};
	read_path(&reader);
	if (!reader.is_wrong && reader.next < reader.length) {
		reader.is_skipping = true; /* the crate that made this instance of it */
		read_path(&reader);
	}
	return reader.cost;
}
