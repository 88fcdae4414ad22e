/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/draw/elide.h"

#include "src/base/vec.h"
#include "ui/draw/grid.h"
#include "ui/draw/utf8.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
	/* least columns for the name before a line or an address */
	PLACE_LEAVES_COLUMNS = 6
};

/* The parts of a demangled name, as offsets of its bytes. */
struct anatomy {
	size_t begin;	   /* after the return type that template functions have */
	size_t end;	   /* before the parameters */
	VEC(size_t) parts; /* where each part of a::b::c begins, the first is BEGIN */
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* The brackets in `operator<<`, `operator()` and `->` open and close nothing. Returns how
   many bytes at I to step over. */
static size_t skip_operator(const char *name, size_t i)
{
	static const char word[] = "operator";
	size_t length = sizeof(word) - 1;

	if (name[i] == '-' && name[i + 1] == '>')
		return 2;
	if (strncmp(name + i, word, length) != 0 || (i > 0 && is_word(name[i - 1])))
		return 0;
	if (is_word(name[i + length]))
		return 0;
	if (name[i + length] == ' ') /* operator new, operator bool */
		return length + 1;
	if (strncmp(name + i + length, "()", 2) == 0)
		return length + 2;
	/* operator<<(...), but operator<<int>(...) is less-than of int. */
	size_t symbols = strspn(name + i + length, "<>=!+-*/%^&|~,[]");
	if (symbols > 1 && name[i + length] == '<' && is_word(name[i + length + symbols]))
		symbols--;
	return length + symbols;
}

/* Is a part beside the "::" at COLONS like {lambda(int)#1} or {{closure}}, which means
   nothing without the part before it? */
static bool is_nameless(const char *name, size_t colons)
{
	return name[colons + 2] == '{' || (colons > 0 && name[colons - 1] == '}');
}

static void dissect(const char *name, struct anatomy *anatomy)
{
	size_t length = strlen(name);
	int depth = 0;

	anatomy->begin = 0;
	anatomy->end = length;
	vec_push(&anatomy->parts, 0);
	for (size_t i = 0; name[i] != '\0'; i++) {
		size_t skip = skip_operator(name, i);
		if (skip > 0) {
			i += skip - 1;
		} else if (strchr("<([{", name[i])) {
			if (depth++ == 0 && name[i] == '(' && i > 0)
				anatomy->end = i;
		} else if (strchr(">)]}", name[i])) {
			depth -= depth > 0;
			if (depth == 0 && name[i + 1] != '\0' && name[i + 1] != ' ')
				anatomy->end = length; /* Go: http.(*conn).serve */
		} else if (depth == 0 && name[i] == ':' && name[i + 1] == ':') {
			if (!is_nameless(name, i))
				vec_push(&anatomy->parts, i + 2);
			/* these were not the parameters: f(int)::g */
			anatomy->end = length;
			i++;
		} else if (depth == 0 && name[i] == ' ' && name[i + 1] != '<' &&
			   name[i + 1] != '\0' && anatomy->end == length &&
			   strchr(name + i, '(')) {
			anatomy->begin = i + 1;
			anatomy->parts.len = 0;
			vec_push(&anatomy->parts, i + 1);
		}
	}
	/* Parentheses at the beginning are the name itself: "(deleted)". */
	if (anatomy->end <= anatomy->parts.data[anatomy->parts.len - 1])
		anatomy->end = length;
}

struct text {
	char *bytes;
	size_t size, length;
};

static void append(struct text *text, const char *bytes, size_t length)
{
	if (length > text->size - 1 - text->length)
		length = text->size - 1 - text->length;
	memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
	text->bytes[text->length] = '\0';
}

/* Append NAME[from, to) with each outermost <...> as <ellipsis>. */
static void append_collapsed(
	struct text *text, const char *name, size_t from, size_t to, const char *ellipsis)
{
	int depth = 0;

	for (size_t i = from; i < to; i++) {
		size_t skip = skip_operator(name, i);
		if (skip > 0) {
			if (depth == 0)
				append(text, name + i, skip);
			i += skip - 1;
			continue;
		}
		if (name[i] == '>' && depth > 0 && --depth == 0)
			append(text, ellipsis, strlen(ellipsis));
		if (depth == 0)
			append(text, name + i, 1);
		if (name[i] == '<')
			depth++;
	}
}

/* The first bytes of NAME that take at most COLUMNS columns. */
static size_t fitting(const char *name, size_t length, int columns)
{
	size_t used = 0;

	while (used < length) {
		struct utf8 c = utf8_decode(name + used, length - used);
		int width = utf8_columns(c.code);
		columns -= width < 0 ? 1 : width;
		if (columns < 0)
			break;
		used += c.length;
	}
	return used;
}

/* Two thirds of the columns for the beginning, the rest for the end. */
static void cut_middle(struct text *text, const char *name, size_t length, int columns,
	const char *ellipsis)
{
	int head_columns = columns < 8 ? columns - 1 : (columns - 1) * 2 / 3;
	size_t head = fitting(name, length, head_columns), tail = length;
	char rest[ELIDE_MAX];

	append(text, name, head);
	append(text, ellipsis, strlen(ellipsis));
	while (tail > head) { /* the longest end that fits */
		size_t before = tail - 1;
		while (before > head && ((unsigned char)name[before] & 0xc0) == 0x80)
			before--;
		if (length - before >= sizeof(rest))
			break;
		memcpy(rest, name + before, length - before);
		rest[length - before] = '\0';
		if (grid_text_width(rest) > columns - 1 - head_columns)
			break;
		tail = before;
	}
	append(text, name + tail, length - tail);
}

/* Where the arguments of a template in NAME[from, to) begin, or TO. */
static size_t bare_end(const char *name, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		size_t skip = skip_operator(name, i);
		if (skip > 0)
			i += skip - 1;
		else if (name[i] == '<' && i > from)
			return i;
	}
	return to;
}

/* The last part of a name that does not fit: without what is in its brackets, without them, and
   at last only its beginning and its end. */
static void put_own(struct text *text, const char *name, const struct anatomy *anatomy,
	int columns, const char *ellipsis)
{
	size_t own = anatomy->parts.data[anatomy->parts.len - 1];
	size_t bare = bare_end(name, own, anatomy->end);
	text->length = 0;
	append_collapsed(text, name, own, anatomy->end, ellipsis);
	if (grid_text_width(text->bytes) <= columns)
		return;
	text->length = 0;
	append(text, name + own, bare - own);
	if (grid_text_width(text->bytes) <= columns)
		return;
	text->length = 0;
	cut_middle(text, name + own, bare - own, columns, ellipsis);
}

static bool try_parts(struct text *text, const char *name, const struct anatomy *anatomy,
	int columns, const char *ellipsis)
{
	for (size_t i = 0; i < anatomy->parts.len; i++) {
		text->length = 0;
		if (i > 0) {
			append(text, ellipsis, strlen(ellipsis));
			append(text, "::", 2);
		}
		append_collapsed(
			text, name, anatomy->parts.data[i], anatomy->end, ellipsis);
		if (grid_text_width(text->bytes) <= columns)
			return true;
	}
	return false;
}

static void elide_function(
	char *out, size_t size, const char *name, int columns, const char *ellipsis)
{
	struct text text = {out, size, 0};
	struct anatomy anatomy = {0};

	out[0] = '\0';
	if (columns <= 0)
		return;
	append(&text, name, strlen(name));
	if (text.length == strlen(name) && grid_text_width(name) <= columns)
		return;
	dissect(name, &anatomy);
	text.length = 0;
	append(&text, name + anatomy.begin, anatomy.end - anatomy.begin);
	if (text.length < anatomy.end - anatomy.begin || grid_text_width(out) > columns) {
		if (!try_parts(&text, name, &anatomy, columns, ellipsis))
			put_own(&text, name, &anatomy, columns, ellipsis);
	}
	vec_free(&anatomy.parts);
}

/* Where the line (" file.c:12") or address (" 0x55d0c7a3f208") behind the name begins;
   the end of NAME if it has none. */
static size_t find_place(const char *name)
{
	const char *space = strrchr(name, ' ');
	size_t length = strlen(name);

	if (!space || space == name)
		return length;
	if (strncmp(space, " 0x", 3) == 0 &&
		space + 3 + strspn(space + 3, "0123456789abcdef") == name + length)
		return (size_t)(space - name);
	const char *colon = strrchr(space, ':');
	if (!colon || colon == space + 1 || colon[-1] == ':' || !colon[1] ||
		colon[1 + strspn(colon + 1, "0123456789")])
		return length;
	return (size_t)(space - name);
}

void elide_name(
	char *out, size_t size, const char *name, int columns, const char *ellipsis)
{
	size_t place = find_place(name);
	int room = columns - grid_text_width(name + place);
	char function[ELIDE_MAX];

	if (!name[place] || room < PLACE_LEAVES_COLUMNS || place >= sizeof(function)) {
		elide_function(out, size, name, columns, ellipsis);
		return;
	}
	memcpy(function, name, place);
	function[place] = '\0';
	elide_function(out, size, function, room, ellipsis);
	size_t length = strlen(out);
	snprintf(out + length, size - length, "%s", name + place);
}
